/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions. A pattern that is too large to be compiled is a pattern nevertheless. */
#include "formats_shared.h"

#include "regex.h"

int fer_format_regex(fer_arena *scratch, fer_str s)
{
    switch (fer_regex_check(scratch, s, NULL)) {
    case FER_OK:
    case FER_LIMIT_EXCEEDED: return 1;
    case FER_OUT_OF_MEMORY: return -1;
    default: return 0;
    }
}
