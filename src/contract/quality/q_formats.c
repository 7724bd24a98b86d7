/* SPDX-License-Identifier: Apache-2.0 */
/* Formats and patterns of strings. */
#include "quality.h"

#include "json_value.h"
#include "unicode.h"

/* Names that ask for a format, by their last word. */
static const struct {
    const char *word;
    const char *format;
    bool alone; /* the name may be that word only */
} named[] = {
    {"at", "date-time", false}, {"date", "date", true},           {"email", "email", true},
    {"href", "uri", true},      {"timestamp", "date-time", true}, {"uri", "uri", true},
    {"url", "uri", true},       {"uuid", "uuid", true},
};

static bool is_event_time(const fer_name_words *w)
{
    static const char *const words[] = {"created", "deleted", "modified", "updated"};
    static const fer_word_set set = FER_WORD_SET(words);
    return w->count == 2 && fer_word_in(&set, w->list[0]) && fer_word_is(w->list[1], "at");
}

/* Other ways to say what form it has. */
static bool has_form(const fer_qnode *n)
{
    return fer_q_any(n, FER_SLOT(KW_FORMAT) | FER_SLOT(KW_PATTERN) | FER_SLOT(KW_ENUM) |
                            FER_SLOT(KW_CONST) | FER_SLOT(KW_REF) | FER_SLOT(KW_ANY_OF) |
                            FER_SLOT(KW_ONE_OF) | FER_SLOT(KW_ALL_OF));
}

/* A list of dates or relative ones ("7d", "yesterday", "now-1h") follows no format. */
static bool is_looser(const fer_prose *p)
{
    static const char *const phrases[] = {"relative",
                                          "inequality",
                                          "offset",
                                          "remote url",
                                          "push url",
                                          "fetch url",
                                          "yesterday",
                                          "today",
                                          "comma-separated",
                                          "comma separated",
                                          "timezone",
                                          "range",
                                          "unix",
                                          "epoch",
                                          "yyyymmdd",
                                          "or path",
                                          "file path",
                                          "glob",
                                          "natural language",
                                          "ago",
                                          "now",
                                          "pattern",
                                          "slug",
                                          "template",
                                          "filter",
                                          "path",
                                          "partial",
                                          "yyyy/mm/dd",
                                          "dd/mm/yyyy",
                                          NULL};
    size_t which;
    return p->words && fer_prose_has(p, phrases, &which);
}

static void check_format(fer_quality *q, const fer_qnode *n)
{
    fer_str last = n->words.list[n->words.count - 1];
    if (!fer_q_only(n, FER_IS_STRING) || has_form(n)) return;
    if (is_event_time(&n->words)) {
        fer_q_node(q, n, FER_Q_PARAM_TIME_SUFFIX, KW_COUNT,
                   "\"%.*s\" does not say that it is a date-time", FER_PRI(n->name));
        return;
    }
    for (size_t i = 0; i < FER_COUNT(named); i++) {
        if (!fer_word_is(last, named[i].word) || (!named[i].alone && n->words.count < 2)) continue;
        if (is_looser(&n->prose)) return;
        fer_q_node(q, n, FER_Q_PARAM_FORMAT_MISSING, KW_COUNT, "\"%.*s\" states no format",
                   FER_PRI(fer_utf8_cut(n->name, 100)));
        fer_q_hint(q, "add \"format\": \"%s\"", named[i].format);
        return;
    }
}

/* ---- patterns ---------------------------------------------------------------------------------
 */

/* A $ at the end that no backslash takes its meaning from. */
static bool ends_anchored(fer_str s)
{
    size_t slashes = 0, end = s.len;
    while (end && s.ptr[end - 1] == ')') end--;
    if (!end || s.ptr[end - 1] != '$') return false;
    while (slashes + 1 < end && s.ptr[end - 2 - slashes] == '\\') slashes++;
    return slashes % 2 == 0;
}

static bool starts_anchored(fer_str s)
{
    size_t at = 0;
    while (at < s.len && s.ptr[at] == '(')
        at += fer_str_starts(fer_str_slice(s, at, s.len), "(?:") ? 3 : 1;
    return at < s.len && s.ptr[at] == '^';
}

/* What means the same with anchors and without: .* at an end. */
static bool is_anchored(fer_str s)
{
    bool start = starts_anchored(s) || fer_str_starts(s, "(?!") || fer_str_starts(s, ".*");
    return start && (ends_anchored(s) || fer_str_ends(s, ".*"));
}

static bool has_example(const fer_qnode *n)
{
    static const char *const phrases[] = {"e.g.",         "e.g",     "eg",   "example", "examples",
                                          "for instance", "such as", "like", NULL};
    size_t which;
    if (fer_q_any(n, FER_SLOT(KW_EXAMPLES) | FER_SLOT(KW_DEFAULT))) return true;
    if (fer_val_get(n->schema->value, "example")) return true;
    return n->prose.words && fer_prose_has(&n->prose, phrases, &which);
}

static void check_pattern(fer_quality *q, const fer_qnode *n, fer_str pattern)
{
    if (!is_anchored(pattern)) {
        fer_q_node(q, n, FER_Q_PARAM_PATTERN_UNANCHORED, KW_PATTERN,
                   "the pattern is not anchored %s",
                   starts_anchored(pattern) ? "at its end (no $)"
                   : ends_anchored(pattern) ? "at its start (no ^)"
                                            : "(no ^, no $)");
    }
    if (n->param && !q->output && !has_example(n))
        fer_q_node(q, n, FER_Q_PARAM_PATTERN_EXAMPLE, KW_PATTERN,
                   "no example shows what fits the pattern");
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    const yyjson_val *pattern = fer_q_get(n, KW_PATTERN);
    if (fer_is_str(pattern)) check_pattern(q, n, fer_val_str(pattern));
    if (n->param && n->words.count) check_format(q, n);
}

const fer_quality_family fer_quality_formats = {.node = look_at_node};
