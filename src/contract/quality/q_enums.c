/* SPDX-License-Identifier: Apache-2.0 */
/* Enums: their size and case, and those that are only written in words. */
#include "quality.h"

#include "json_value.h"
#include "map.h"
#include "unicode.h"

#define ENUM_MAX  40
#define ENUM_FEW  16 /* values that are compared each with each */
#define VALUE_MAX 32 /* bytes of a value that a description lists */
#define STRINGS_SLOTS                                                                              \
    (FER_SLOT(KW_ENUM) | FER_SLOT(KW_CONST) | FER_SLOT(KW_PATTERN) | FER_SLOT(KW_FORMAT) |         \
     FER_SLOT(KW_ANY_OF) | FER_SLOT(KW_ONE_OF) | FER_SLOT(KW_REF) | FER_SLOT(KW_ALL_OF))

/* ---- enums that are there ---------------------------------------------------------------------
 */

static void report_case(fer_quality *q, const fer_qnode *n, fer_str x, fer_str y)
{
    fer_q_node(q, n, FER_Q_PARAM_ENUM_CASE, KW_ENUM, "\"%.*s\" and \"%.*s\" differ in case alone",
               FER_PRI(fer_utf8_cut(x, 60)), FER_PRI(fer_utf8_cut(y, 60)));
}

/* Long enums are looked up in lower case. */
static void check_many(fer_quality *q, const fer_qnode *n, const yyjson_val *set)
{
    fer_map seen;
    fer_map_init(&seen, q->pass->scratch);
    FER_EACH_ITEM (set, item) {
        if (!fer_is_str(item)) continue;
        fer_str s = fer_val_str(item);
        char *lower = fer_arena_alloc(q->pass->scratch, s.len + 1);
        for (size_t i = 0; lower && i < s.len; i++) lower[i] = fer_lower(s.ptr[i]);
        void **slot = lower ? fer_map_put(&seen, (fer_str){lower, s.len}) : NULL;
        if (!slot) {
            q->pass->drafts->no_memory = true;
            return;
        }
        const yyjson_val *before = *slot;
        if (before && !fer_str_eq(fer_val_str(before), s)) {
            report_case(q, n, fer_val_str(before), s);
            return;
        }
        if (!before) *slot = (void *)(uintptr_t)item;
    }
}

static void check_few(fer_quality *q, const fer_qnode *n, const yyjson_val *set)
{
    FER_EACH_ITEM (set, x) {
        if (!fer_is_str(x)) continue;
        for (const yyjson_val *y = fer_val_next(x); y < fer_val_next(set); y = fer_val_next(y)) {
            if (!fer_is_str(y) || fer_val_len(x) != fer_val_len(y)) continue;
            fer_str a = fer_val_str(x), b = fer_val_str(y);
            if (!fer_str_eq_nocase(a, b) || fer_str_eq(a, b)) continue;
            report_case(q, n, a, b);
            return;
        }
    }
}

static void check_enum(fer_quality *q, const fer_qnode *n, const yyjson_val *set)
{
    size_t count = fer_val_len(set);
    if (count > ENUM_MAX) {
        const char *more = count > 1000  ? "; OpenAI takes 1000 over all tools"
                           : count > 250 ? "; OpenAI limits the characters of more than 250"
                                         : "";
        fer_q_node(q, n, FER_Q_PARAM_ENUM_SIZE, KW_ENUM, "the enum has %zu values%s", count, more);
        fer_drafts_bounds(q->pass->drafts, ENUM_MAX, count);
    }
    if (count > ENUM_FEW) check_many(q, n, set);
    else check_few(q, n, set);
}

/* ---- enums in words ----------------------------------------------------------------------------
 */

static size_t skip_blanks(fer_str s, size_t at)
{
    while (at < s.len && (s.ptr[at] == ' ' || s.ptr[at] == '\n' || s.ptr[at] == '\t')) at++;
    return at;
}

/* The end of a quoted value that begins at `at`; 0: there is none. */
static size_t quoted(fer_str s, size_t at)
{
    if (at >= s.len || !strchr("\"'`", s.ptr[at])) return 0;
    if (at && (fer_is_alpha(s.ptr[at - 1]) || fer_is_digit(s.ptr[at - 1]))) return 0;
    size_t end = fer_str_find(s, at + 1, s.ptr[at]);
    if (end == SIZE_MAX || end == at + 1 || end - at > VALUE_MAX) return 0;
    for (size_t i = at + 1; i < end; i++) {
        if (strchr(".;:!?\n{}[]<>/=", s.ptr[i])) return 0; /* a path, a form, code */
    }
    return end + 1;
}

/* The end of a bare value: a word, joined by _ - or . */
static size_t bare(fer_str s, size_t at)
{
    size_t end = at;
    while (end < s.len && (fer_is_alpha(s.ptr[end]) || fer_is_digit(s.ptr[end]) ||
                           s.ptr[end] == '_' || s.ptr[end] == '-'))
        end++;
    return end - at > VALUE_MAX ? 0 : end > at ? end : 0;
}

/* A comma, a bar, a slash, `or`, `and`: what stands between values; 0: nothing of the kind. */
static size_t separator(fer_str s, size_t at)
{
    size_t from = skip_blanks(s, at), here = from;
    if (here < s.len && strchr(",|/", s.ptr[here])) here = skip_blanks(s, here + 1);
    fer_str rest = fer_str_slice(s, here, here + 4 < s.len ? here + 4 : s.len);
    if (here > at || from > at) {
        if (fer_str_starts(rest, "or ")) here += 2;
        else if (fer_str_starts(rest, "and ")) here += 3;
    }
    return here == from ? 0 : skip_blanks(s, here);
}

/* Whether the list goes on in words: "or a number", "etc.", "and more". */
static bool is_open(fer_str s, size_t at)
{
    static const char *const more[] = {"etc",      "or any",    "or a",     "or an",
                                       "or other", "or custom", "and more", "and so",
                                       "or the",   "others",    "or your",  NULL};
    size_t which;
    fer_str rest = fer_str_slice(s, at, at + 24 < s.len ? at + 24 : s.len);
    return fer_text_has(rest, more, &which) || fer_str_starts(rest, "...") ||
           fer_str_starts(rest, ", ...");
}

/* How many values are listed from `at` on; 0 where the list is open. */
static size_t count_values(fer_str s, size_t at, bool words)
{
    size_t count = 0;
    for (;;) {
        size_t end = quoted(s, at);
        if (!end && words) end = bare(s, at);
        if (!end) return 0; /* a separator, and then no value */
        count++;
        /* "fast" (the quick one), "slow" ... */
        size_t behind = skip_blanks(s, end);
        if (behind < s.len && s.ptr[behind] == '(') {
            size_t close = fer_str_find(s, behind, ')');
            if (close != SIZE_MAX && close - behind < 60) end = close + 1;
        }
        size_t next = separator(s, end);
        if (!next || is_open(s, end)) return next || is_open(s, end) ? 0 : count;
        at = next;
    }
}

/* Behind "one of", "allowed values": a colon, "are", "the following". */
static size_t skip_lead(fer_str s, size_t at)
{
    static const char *const leads[] = {
        "are", "is", "include", "the following", "these", "values", "following", "options", "be"};
    for (bool more = true; more;) {
        more = false;
        while (at < s.len && strchr(" :([\n-*", s.ptr[at])) at++;
        for (size_t i = 0; i < FER_COUNT(leads); i++) {
            if (!fer_text_has_at(s, at, leads[i])) continue;
            at += strlen(leads[i]);
            more = true;
        }
    }
    return at;
}

static bool lists_behind_phrase(const fer_prose *p)
{
    fer_str s = p->text;
    static const char *const phrases[] = {
        "one of",           "either",        "allowed values",  "possible values",   "valid values",
        "supported values", "valid options", "accepted values", "available options", "options",
        "choices",          "allowed",       "supported",       "must be",           "values"};
    for (size_t i = 0; i < FER_COUNT(phrases); i++) {
        size_t at = fer_prose_find(p, 0, phrases[i]);
        if (at == SIZE_MAX) continue;
        bool sure = i < 8; /* the others need quotes */
        size_t from = skip_lead(s, at + strlen(phrases[i]));
        if (from < s.len && count_values(s, from, sure) >= 2) return true;
    }
    return false;
}

/* "a", "b" or "c", where nothing says that they are examples. */
static bool lists_quoted(fer_str s)
{
    for (size_t at = 0; at < s.len; at++) {
        char c = s.ptr[at];
        size_t end = c == '"' || c == '\'' || c == '`' ? quoted(s, at) : 0;
        if (!end) continue;
        if (count_values(s, at, false) >= 2) return true;
        at = end - 1;
    }
    return false;
}

/* Lists that are no values: which parameter to give, examples, kinds of other values. */
static bool is_about_else(const fer_prose *p)
{
    static const char *const phrases[] = {
        "not both",    "use either",          "if both",       "mutually exclusive",
        "is required", "should be specified", "common values", "an integer",
        "user id",     "yyyy-mm-dd",          "if the field",  "for dynamic",
        NULL};
    static const char *const wide[] = {"\xE4\xBE\x8B\xE5\xA6\x82",
                                       "\xE6\xAF\x94\xE5\xA6\x82"}; /* "for example" in Chinese */
    size_t which;
    for (size_t i = 0; i < FER_COUNT(wide); i++) {
        if (memmem(p->text.ptr, p->text.len, wide[i], strlen(wide[i]))) return true;
    }
    return fer_prose_has(p, phrases, &which);
}

static void check_prose(fer_quality *q, const fer_qnode *n)
{
    const fer_prose *p = &n->prose;
    bool choice = (p->subjects & FER_ABOUT_CHOICE) && lists_behind_phrase(p);
    if (p->subjects & FER_ABOUT_EXAMPLE) return;
    if ((!choice && !lists_quoted(p->text)) || is_about_else(p)) return;
    fer_q_node(q, n, FER_Q_PARAM_ENUM_IN_PROSE, KW_DESCRIPTION,
               "the values of \"%.*s\" are listed in words", FER_PRI(fer_utf8_cut(n->name, 100)));
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    const yyjson_val *set = fer_q_get(n, KW_ENUM);
    if (fer_is_arr(set)) check_enum(q, n, set);
    if (q->output || !n->param || !n->prose.words) return;
    if (fer_q_only(n, FER_IS_STRING) && !fer_q_any(n, STRINGS_SLOTS)) check_prose(q, n);
}

const fer_quality_family fer_quality_enums = {.node = look_at_node};
