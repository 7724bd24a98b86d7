/* SPDX-License-Identifier: Apache-2.0 */
/* UUIDs: the text form of RFC 4122 3, of any version and variant. */
#include "formats_shared.h"
#include "uri_chars.h"

int fer_format_uuid(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    if (s.len != 36) return 0;
    for (size_t i = 0; i < s.len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? s.ptr[i] != '-' : fer_uri_hex(s.ptr[i]) < 0) return 0;
    }
    return 1;
}
