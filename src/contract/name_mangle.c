/* SPDX-License-Identifier: Apache-2.0 */
#include "name_mangle.h"

#include "buf.h"

fer_str fer_name_mangle(fer_arena *a, fer_str text, size_t max)
{
    fer_buf b;
    bool gap = false;
    fer_buf_init(&b, a, max + 1);
    for (size_t i = 0; i < text.len && b.len < max; i++) {
        if (!fer_name_has(text.ptr[i])) {
            gap = b.len > 0;
            continue;
        }
        if (gap && b.len + 1 < max) fer_buf_add_char(&b, '_');
        fer_buf_add_char(&b, text.ptr[i]);
        gap = false;
    }
    if (!b.len) fer_buf_add_char(&b, '_');
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}
