/* SPDX-License-Identifier: Apache-2.0 */
/* Tags, in the order of SPEC 1: stop at 20, lower, trim, blanks to '-', filter, cut, drop. */
#include <ferrule/contract.h>

#include <string.h>

#include "arena.h"
#include "tags.h"
#include "unicode.h"

static bool is_tag_char(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

size_t fer_tag_normalise(fer_str raw, char out[FER_TAG_MAX])
{
    size_t len = 0;
    bool blank = false, begun = false; /* begun: a character that is not white space was seen */
    for (size_t at = 0; at < raw.len && len < FER_TAG_MAX;) {
        uint32_t c = fer_unicode_lower(fer_utf8_next(raw, &at));
        if (fer_unicode_is_space(c)) {
            blank = true;
            continue;
        }
        if (blank && begun) out[len++] = '-';
        blank = false;
        begun = true;
        if (is_tag_char(c) && len < FER_TAG_MAX) out[len++] = (char)c;
    }
    return len;
}

static bool contains(const fer_str *tags, size_t count, fer_str tag)
{
    for (size_t i = 0; i < count; i++) {
        if (fer_str_eq(tags[i], tag)) return true;
    }
    return false;
}

fer_code fer_tags_normalise(fer_arena *a, const fer_str *tags, size_t count, fer_str **out,
                            size_t *out_count, fer_err *err)
{
    size_t kept = 0;
    fer_str *list = fer_arena_alloc_zero(a, FER_TAGS_MAX, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < count && kept < FER_TAGS_MAX; i++) {
        char text[FER_TAG_MAX];
        fer_str tag = {text, fer_tag_normalise(tags[i], text)};
        if (tag.len == 0 || contains(list, kept, tag)) continue;
        list[kept] = fer_arena_copy(a, tag);
        if (!list[kept].ptr) return fer_arena_failed(a, err);
        kept++;
    }
    *out = list;
    *out_count = kept;
    return FER_OK;
}
