/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters that people do not see, in any text of the definition, keys included. The same
 * way over all values also finds how large the definition is.
 */
#include "quality.h"

#include "json_value.h"
#include <stdio.h>

#include "unicode.h"

/* Ranges of code points, in order. */
static const struct range {
    uint32_t from, to;
    const char *what;
} ranges[] = {
    {0x00, 0x08, "a control character"},        {0x0B, 0x0C, "a control character"},
    {0x0E, 0x1A, "a control character"},        {0x1B, 0x1B, "an escape sequence"},
    {0x1C, 0x1F, "a control character"},        {0x7F, 0x7F, "a control character"},
    {0x80, 0x9A, "a control character"},        {0x9B, 0x9B, "an escape sequence"},
    {0x9C, 0x9F, "a control character"},        {0xAD, 0xAD, "a soft hyphen"},
    {0x34F, 0x34F, "a zero-width character"},   {0x61C, 0x61C, "a direction mark"},
    {0x115F, 0x1160, "an empty letter"},        {0x180E, 0x180E, "a zero-width character"},
    {0x200B, 0x200D, "a zero-width character"}, {0x200E, 0x200F, "a direction mark"},
    {0x202A, 0x202E, "a direction mark"},       {0x2060, 0x2064, "a zero-width character"},
    {0x2066, 0x2069, "a direction mark"},       {0x206A, 0x206F, "a zero-width character"},
    {0x3164, 0x3164, "an empty letter"},        {0xFEFF, 0xFEFF, "a zero-width character"},
    {0xFFA0, 0xFFA0, "an empty letter"},        {0xFFF9, 0xFFFB, "an annotation mark"},
    {0xE0000, 0xE007F, "a tag character"},      {0xE0100, 0xE01EF, "a variation selector"},
};

static const struct range *range_of(uint32_t c)
{
    size_t low = 0, high = FER_COUNT(ranges);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c < ranges[middle].from) high = middle;
        else if (c > ranges[middle].to) low = middle + 1;
        else return &ranges[middle];
    }
    return NULL;
}

/* Joiners belong into some scripts and between emoji, selectors behind ideographs. */
static bool belongs(uint32_t c, uint32_t before)
{
    bool script = before >= 0x600 && before <= 0x10FF;
    bool emoji = before >= 0x1F000 || before == 0xFE0F || (before >= 0x2190 && before <= 0x2BFF);
    if (c == 0x200C || c == 0x200D) return script || (c == 0x200D && emoji);
    if (c == 0x200E || c == 0x200F || c == 0x61C) return before >= 0x590 && before <= 0x8FF;
    if (c >= 0xE0100)
        return (before >= 0x2E80 && before <= 0xFAFF) || (before >= 0x20000 && before <= 0x3FFFF);
    if (c >= 0xE0000) return before == 0x1F3F4 || (before >= 0xE0020 && before <= 0xE007F);
    return false;
}

/* What is hidden in a text, or NULL; where, in *at. */
static const char *hidden_in(fer_str s, size_t *at)
{
    uint32_t before = 0;
    if (fer_str_is_plain(s)) return NULL;
    for (*at = 0; *at < s.len;) {
        size_t odd = fer_str_next_odd(s, *at);
        if (odd > *at) {
            *at = odd;
            before = 'a';
            continue;
        }
        unsigned char first = (unsigned char)s.ptr[*at];
        if (first >= 0x20 && first < 0x7F) {
            if (first == '<' && s.len - *at > 3 && memcmp(s.ptr + *at, "<!--", 4) == 0)
                return "an HTML comment";
            before = first;
            ++*at;
            continue;
        }
        size_t here = *at;
        uint32_t c = fer_utf8_next(s, at);
        const struct range *r = range_of(c);
        bool mark = c == 0xFEFF && here == 0 && s.len == 3;
        if (r && !mark && !belongs(c, before)) {
            *at = here;
            return r->what;
        }
        before = c;
    }
    return NULL;
}

static void report(fer_quality *q, const yyjson_val *at, fer_str text, const char *what,
                   size_t offset)
{
    size_t here = offset;
    uint32_t c = fer_utf8_next(text, &here);
    fer_buf b;
    fer_drafts *d = q->pass->drafts;
    fer_buf_init(&b, d->arena, (size_t)64 << 10);
    fer_path_write(&b, q->pass->path);
    fer_pointer_of(&b, q->tool->record, at);
    fer_str pointer = b.ptr && !b.failure ? fer_buf_view(&b) : FER_STR("");
    char code[16] = "";
    if (c != '<') snprintf(code, sizeof code, " (U+%04X)", (unsigned)c);
    fer_str message =
        fer_arena_printf(d->arena, "the text hides %s%s, at byte %zu of it", what, code, offset);
    if (b.arena_failed) d->no_memory = true;
    fer_drafts_put(d, &fer_quality_rules[FER_Q_SEC_HIDDEN_TEXT], at, pointer, message);
}

/* Values lie in one array in the order of the text, so the tree need not be climbed. */
static void look_at_tool(fer_quality *q)
{
    const yyjson_val *from = q->tool->entry, *end = fer_val_next(from);
    for (const yyjson_val *v = from; v < end; v++) {
        size_t at;
        if (fer_is_ctn(v)) {
            q->bytes += 3;
            continue;
        }
        q->bytes += fer_is_str(v) ? fer_val_len(v) + 3 : 5;
        if (!fer_is_str(v)) continue;
        const char *what = hidden_in(fer_val_str(v), &at);
        if (what) report(q, v, fer_val_str(v), what, at);
    }
}

const fer_quality_family fer_quality_hidden = {.tool = look_at_tool};
