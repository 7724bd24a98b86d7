/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Features of patterns. They are looked for in the text, not in a parsed tree: what a
 * provider refuses is refused in a pattern that is otherwise broken, too, and other regular
 * languages (Python's, Perl's) are written into schemas.
 */
#include "json_value.h"
#include "look.h"
#include "regex.h"

struct features {
    bool back, look, edge, unicode, flags;
    bool start, end; /* it is anchored there */
    uint64_t count;  /* the largest of a repetition */
};

/* Behind an escape: what it means outside a class. */
static void read_escape(fer_str p, size_t at, bool in_class, struct features *f)
{
    char c = at < p.len ? p.ptr[at] : '\0';
    if (c == 'p' || c == 'P') f->unicode = true;
    if (in_class) return;
    if ((c >= '1' && c <= '9') || c == 'k') f->back = true;
    if (c == 'b' || c == 'B') f->edge = true;
}

/* Behind "(?": a look-around, a back-reference by name, a group, or flags. */
static void read_group(fer_str p, size_t at, struct features *f)
{
    char c = at < p.len ? p.ptr[at] : '\0', d = at + 1 < p.len ? p.ptr[at + 1] : '\0';
    if (c == '=' || c == '!' || (c == '<' && (d == '=' || d == '!'))) f->look = true;
    else if (c == 'P' && d == '=') f->back = true;
    else if (c != ':' && c != '<' && c != 'P' && (fer_is_alpha(c) || c == '-')) f->flags = true;
}

/* The counts of "{n}", "{n,}" and "{n,m}"; other braces stand for themselves. */
static void read_braces(fer_str p, size_t at, struct features *f)
{
    uint64_t numbers[2] = {0, 0};
    size_t part = 0, digits = 0;
    for (; at < p.len && p.ptr[at] != '}'; at++) {
        if (p.ptr[at] == ',' && part == 0 && digits) {
            part = 1;
            continue;
        }
        if (!fer_is_digit(p.ptr[at])) return;
        digits++;
        if (numbers[part] < UINT32_MAX)
            numbers[part] = numbers[part] * 10 + (uint64_t)(p.ptr[at] - '0');
    }
    if (at == p.len || !digits) return;
    for (size_t i = 0; i < 2; i++) {
        if (numbers[i] > f->count) f->count = numbers[i];
    }
}

static struct features read_features(fer_str p)
{
    struct features f = {.start = p.len && p.ptr[0] == '^'};
    bool in_class = false;
    for (size_t i = 0; i < p.len; i++) {
        char c = p.ptr[i];
        f.end = c == '$' && !in_class;
        if (c == '\\') read_escape(p, ++i, in_class, &f);
        else if (in_class) in_class = c != ']';
        else if (c == '[') in_class = true;
        else if (c == '(' && i + 1 < p.len && p.ptr[i + 1] == '?') read_group(p, i + 2, &f);
        else if (c == '{') read_braces(p, i + 1, &f);
    }
    return f;
}

static void report_features(fer_look *l, const struct features *f, const yyjson_val *at,
                            const fer_path *path)
{
    const struct {
        bool there;
        enum fer_profile_rule_id rule;
        const char *text;
    } rows[] = {
        {f->back, FER_PR_PATTERN_BACKREFERENCE, "the pattern has a back-reference"},
        {f->look, FER_PR_PATTERN_LOOKAROUND, "the pattern looks ahead or behind"},
        {f->edge, FER_PR_PATTERN_WORD_BOUNDARY, "the pattern has a word boundary"},
        {f->unicode, FER_PR_PATTERN_UNICODE_PROPERTY, "the pattern has a Unicode property"},
        {f->flags, FER_PR_PATTERN_INLINE_FLAGS, "the pattern sets flags"},
        {!f->start || !f->end, FER_PR_PATTERN_UNANCHORED, "the pattern is not anchored by ^ and $"},
    };
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (rows[i].there)
            fer_look_report(l, rows[i].rule, l->plan->on[rows[i].rule], at, path, "%s",
                            rows[i].text);
    }
    if (f->count)
        fer_look_limit(l, FER_PR_PATTERN_QUANTIFIER, f->count, at, path, "count of a repetition");
}

void fer_look_pattern(fer_look *l, const fer_subschema *s)
{
    const yyjson_val *pattern = fer_subschema_get(s, KW_PATTERN);
    fer_path here = FER_PATH_KEY(s->path, FER_STR("pattern"));
    fer_err why;
    if (!fer_is_str(pattern)) return;
    struct features f = read_features(fer_val_str(pattern));
    report_features(l, &f, pattern, &here);
    uint64_t mask = l->plan->on[FER_PR_PATTERN_INVALID];
    if (!mask) return;
    fer_code code = fer_regex_check(l->pass->scratch, fer_val_str(pattern), &why);
    if (code == FER_OUT_OF_MEMORY) l->pass->drafts->no_memory = true;
    else if (code)
        fer_look_report(l, FER_PR_PATTERN_INVALID, mask, pattern, &here, "%s", why.message);
}
