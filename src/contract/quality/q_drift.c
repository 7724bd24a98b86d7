/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where words and keywords say different things. A sentence such as "max 100, default 20" is
 * read from left to right: a word that names a bound, a few words that join, a number. What
 * is not followed by a number at once is left alone.
 */
#include "quality.h"

#include "json_number.h"
#include "json_value.h"
#include "unicode.h"

/* Words that name a bound. What they are compared with: the first keyword that is there. */
static const struct bound {
    const char *phrase;
    enum fer_slot slots[4]; /* ended by KW_COUNT */
    const char *what;
} bounds[] = {
    {"maximum", {KW_MAXIMUM, KW_MAX_LENGTH, KW_MAX_ITEMS, KW_COUNT}, "maximum"},
    {"max", {KW_MAXIMUM, KW_MAX_LENGTH, KW_MAX_ITEMS, KW_COUNT}, "maximum"},
    {"at most", {KW_MAXIMUM, KW_MAX_LENGTH, KW_MAX_ITEMS, KW_COUNT}, "maximum"},
    {"minimum", {KW_MINIMUM, KW_MIN_LENGTH, KW_MIN_ITEMS, KW_COUNT}, "minimum"},
    {"min", {KW_MINIMUM, KW_MIN_LENGTH, KW_MIN_ITEMS, KW_COUNT}, "minimum"},
    {"defaults to", {KW_DEFAULT, KW_COUNT}, "default"},
    {"default", {KW_DEFAULT, KW_COUNT}, "default"},
};

/* Behind the word: blanks, a colon, an equals sign, "is", "value", "of". */
static size_t skip_joints(fer_str s, size_t at)
{
    static const char *const joints[] = {"is", "value", "of", "to", "length", "size"};
    for (bool more = true; more && at < s.len;) {
        more = false;
        while (at < s.len && strchr(" :=`'\"(", s.ptr[at])) at++;
        for (size_t i = 0; i < FER_COUNT(joints); i++) {
            if (!fer_text_has_at(s, at, joints[i])) continue;
            at += strlen(joints[i]);
            more = true;
        }
    }
    return at;
}

/* Digits with commas between thousands and one point; 0: there is no number, or more than one. */
static size_t number_at(fer_str s, size_t at, double *out)
{
    size_t from = at;
    double value = 0, scale = 1;
    bool negative = at < s.len && s.ptr[at] == '-', point = false;
    at += negative;
    size_t first = at;
    for (; at < s.len; at++) {
        char c = s.ptr[at];
        bool digit_behind = at + 1 < s.len && fer_is_digit(s.ptr[at + 1]);
        if (fer_is_digit(c)) {
            value = value * 10 + (c - '0');
            scale = point ? scale * 10 : scale;
        } else if (c == ',' && at + 3 < s.len && fer_is_digit(s.ptr[at + 1]) &&
                   fer_is_digit(s.ptr[at + 2]) && fer_is_digit(s.ptr[at + 3]) && !point) {
            continue;
        } else if (c == '.' && digit_behind && !point) {
            point = true;
        } else {
            break;
        }
    }
    *out = (negative ? -value : value) / scale;
    return at == first ? 0 : at - from;
}

/* A number with a unit behind it (10k, 5MB, 1 hour, 2^16) counts in that unit. */
static bool is_bare(fer_str s, size_t at)
{
    static const char *const units[] = {
        "ms",      "second",   "seconds", "minute",  "minutes", "hour",  "hours", "day",
        "days",    "week",     "weeks",   "month",   "months",  "kb",    "mb",    "gb",
        "million", "thousand", "billion", "percent", "year",    "years", NULL};
    size_t which;
    if (at < s.len && (fer_is_alpha(s.ptr[at]) || strchr("%^*-/~+:", s.ptr[at]))) return false;
    fer_str near = fer_str_slice(s, at, at + 12 < s.len ? at + 12 : s.len);
    return !fer_text_has(near, units, &which);
}

static bool plain_number(const yyjson_val *v, double *out)
{
    if (!v || fer_val_type(v) != YYJSON_TYPE_NUM) return false;
    switch (fer_val_tag(v)) {
    case FER_TAG_UINT: *out = (double)v->uni.u64; return true;
    case FER_TAG_SINT: *out = (double)v->uni.i64; return true;
    default: *out = v->uni.f64; return true;
    }
}

static void compare(fer_quality *q, const fer_qnode *n, const struct bound *b, fer_str said,
                    double number)
{
    for (size_t i = 0; b->slots[i] != KW_COUNT; i++) {
        double is;
        if (!plain_number(fer_q_get(n, b->slots[i]), &is)) continue;
        if (is == number) return;
        fer_str keyword = fer_slot_name(b->slots[i]);
        fer_q_node(q, n, FER_Q_DESC_CONSTRAINT_DRIFT, KW_DESCRIPTION,
                   "the description says %s %.*s, but `%.*s` says something else", b->what,
                   FER_PRI(said), FER_PRI(keyword));
        return;
    }
}

static void check_bound(fer_quality *q, const fer_qnode *n, const struct bound *b)
{
    fer_str s = n->prose.text;
    for (size_t at = 0; (at = fer_prose_find(&n->prose, at, b->phrase)) != SIZE_MAX;) {
        double number;
        at = skip_joints(s, at + strlen(b->phrase));
        size_t len = at < s.len ? number_at(s, at, &number) : 0;
        if (!len) continue;
        if (is_bare(s, at + len)) {
            compare(q, n, b, fer_str_slice(s, at, at + len), number);
            return;
        }
        at += len;
    }
}

static void check_default(fer_quality *q, const fer_qnode *n)
{
    const yyjson_val *value = fer_q_get(n, KW_DEFAULT);
    if (!value || q->output || !n->param || !n->prose.words) return;
    bool nothing =
        fer_val_is(value, YYJSON_TYPE_NULL) || (fer_is_ctn(value) && !fer_val_len(value)) ||
        (fer_is_str(value) && !fer_val_len(value)) || (fer_is_bool(value) && !fer_is_true(value));
    if (nothing || (n->prose.subjects & FER_ABOUT_DEFAULT)) return;
    fer_q_node(q, n, FER_Q_DESC_DEFAULT_UNDOCUMENTED, KW_DEFAULT,
               "the description of \"%.*s\" does not state its default",
               FER_PRI(fer_utf8_cut(n->name, 100)));
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    const unsigned wanted = FER_ABOUT_MOST | FER_ABOUT_LEAST | FER_ABOUT_DEFAULT;
    check_default(q, n);
    if (!(n->prose.subjects & wanted) ||
        !(n->types & (FER_IS_INTEGER | FER_IS_NUMBER | FER_IS_STRING | FER_IS_ARRAY)))
        return;
    size_t before = q->pass->drafts->count;
    for (size_t i = 0; i < FER_COUNT(bounds) && q->pass->drafts->count == before; i++)
        check_bound(q, n, &bounds[i]);
}

const fer_quality_family fer_quality_drift = {.node = look_at_node};
