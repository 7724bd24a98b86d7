/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: whether one can ask for a part, and how large it may be. */
#include "quality.h"

#include "json_value.h"
#include "unicode.h"

/* A word in the name of a parameter that says that a part can be asked for. */
static const char *const part_words[] = {
    "after",    "before",     "count", "cursor",   "depth", "end",    "first",  "from", "head",
    "last",     "limit",      "max",   "maximum",  "num",   "number", "offset", "p",    "page",
    "pagesize", "pagination", "per",   "quantity", "range", "rows",   "since",  "size", "skip",
    "start",    "tail",       "take",  "to",       "top",   "until"};
static const fer_word_set parts = FER_WORD_SET(part_words);

static bool is_named(fer_str name, const char *const *names)
{
    for (; *names; names++) {
        if (fer_str_eq_nocase(name, fer_str_of(*names))) return true;
    }
    return false;
}

static void note_tokens(fer_quality *q, const fer_qnode *n)
{
    static const char *const input[] = {"pageToken",         "page_token",         "page-token",
                                        "nextToken",         "next_token",         "cursor",
                                        "continuationToken", "continuation_token", NULL};
    static const char *const output[] = {"nextToken",
                                         "next_token",
                                         "nextPageToken",
                                         "next_page_token",
                                         "nextCursor",
                                         "next_cursor",
                                         "cursor",
                                         "endCursor",
                                         "end_cursor",
                                         "continuationToken",
                                         "continuation_token",
                                         "next",
                                         "nextPage",
                                         "next_page",
                                         "pageInfo",
                                         "page_info",
                                         "pagination",
                                         "paging",
                                         "meta",
                                         "metadata",
                                         "links",
                                         NULL};
    const yyjson_val *key = n->schema->name;
    if (q->output && !q->next_token && is_named(n->name, output)) q->next_token = key;
    if (!q->output && !q->page_token && n->schema->depth == 1 && is_named(n->name, input))
        q->page_token = key;
}

/* A page's size: an integer that says how many. */
static bool is_page_size(const fer_qnode *n)
{
    static const char *const names[] = {"limit",       "pageSize",  "page_size",  "page-size",
                                        "per_page",    "perPage",   "maxResults", "max_results",
                                        "max-results", "pageLimit", "page_limit", NULL};
    return fer_q_only(n, FER_IS_INTEGER | FER_IS_NUMBER) && is_named(n->name, names);
}

/* "max 100", "the maximum is 1000", "1-100": a bound in words will do. */
static bool states_bound(const fer_prose *p)
{
    fer_str s = p->text;
    static const char *const phrases[] = {
        "max",        "maximum",   "at most",          "up to",     "no more than",
        "limited to", "capped at", "maximum value is", "from 1 to", "between"};
    for (size_t i = 0; i < FER_COUNT(phrases); i++) {
        size_t at = fer_prose_find(p, 0, phrases[i]);
        if (at == SIZE_MAX) continue;
        at += strlen(phrases[i]);
        while (at < s.len &&
               (strchr(" :=`(", s.ptr[at]) || fer_str_starts(fer_str_slice(s, at, s.len), "is ") ||
                fer_str_starts(fer_str_slice(s, at, s.len), "s ") ||
                fer_str_starts(fer_str_slice(s, at, s.len), "of ")))
            at++;
        if (at < s.len && fer_is_digit(s.ptr[at])) return true;
    }
    for (size_t at = 1; at + 1 < s.len; at++) {
        if (s.ptr[at] == '-' && fer_is_digit(s.ptr[at - 1]) && fer_is_digit(s.ptr[at + 1]))
            return true;
    }
    return false;
}

static void check_size(fer_quality *q, const fer_qnode *n)
{
    const uint64_t bounded = FER_SLOT(KW_MAXIMUM) | FER_SLOT(KW_EXCLUSIVE_MAXIMUM) |
                             FER_SLOT(KW_ENUM) | FER_SLOT(KW_CONST) | FER_SLOT(KW_ANY_OF);
    if (!is_page_size(n) || fer_q_any(n, bounded) || states_bound(&n->prose)) return;
    fer_q_node(q, n, FER_Q_PAGE_SIZE_BOUNDS, KW_COUNT, "\"%.*s\" has no maximum",
               FER_PRI(fer_utf8_cut(n->name, 100)));
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    if (!n->param) return;
    note_tokens(q, n);
    if (q->output) return;
    if (n->schema->depth <= 2 && !q->pages && fer_q_has_word(&n->words, &parts)) q->pages = true;
    check_size(q, n);
}

/* ---- the tool ---------------------------------------------------------------------------------
 */

static bool gives_list(const fer_quality *q)
{
    const yyjson_val *schema = q->tool->values[FER_FIELD_OUTPUT_SCHEMA];
    const yyjson_val *properties = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    if (fer_q_types(schema) & FER_IS_ARRAY) return true;
    if (fer_is_obj(properties)) {
        FER_EACH_MEMBER (properties, key) {
            if (fer_q_types(key + 1) & FER_IS_ARRAY) return true;
        }
        return false;
    }
    return false;
}

/* "list all issues", "lists every user": whatever their number. */
static bool promises_all(const fer_quality *q)
{
    static const char *const phrases[] = {"list all", "lists all",   "get all",
                                          "gets all", "returns all", "return all",
                                          "all",      "every",       NULL};
    size_t which;
    fer_str last = q->words.count ? q->words.list[q->words.count - 1] : FER_STR("");
    bool plural = last.len > 2 && fer_lower(last.ptr[last.len - 1]) == 's' &&
                  fer_lower(last.ptr[last.len - 2]) != 's';
    if (!(q->description.subjects & FER_ABOUT_ALL)) return false;
    return plural && fer_prose_has(&q->description, phrases, &which);
}

/* Things of which there are few, so that one answer holds them all. */
static bool lists_few(const fer_quality *q)
{
    static const char *const words[] = {"accounts",    "categories", "components", "datasets",
                                        "departments", "devices",    "languages",  "locales",
                                        "profiles",    "regions",    "roles",      "schemas",
                                        "sessions",    "teams",      "timezones",  "workspaces"};
    static const fer_word_set few = FER_WORD_SET(words);
    return q->words.count && fer_word_in(&few, q->words.list[q->words.count - 1]);
}

static void when_done(fer_quality *q)
{
    bool output = q->tool->values[FER_FIELD_OUTPUT_SCHEMA] != NULL;
    bool lists = (q->verb == FER_VERB_LIST || q->verb == FER_VERB_SEARCH) && q->verb_at <= 2;
    if (lists && !q->pages && !q->page_token && !lists_few(q) && (gives_list(q) || promises_all(q)))
        fer_q_tool(q, FER_Q_PAGE_INPUT_NO_CURSOR, FER_FIELD_NAME,
                   "the tool lists, and no parameter asks for a part");
    if (q->page_token && output && !q->next_token)
        fer_q_tool(q, FER_Q_PAGE_PAIR, FER_FIELD_OUTPUT_SCHEMA,
                   "the input has \"%.*s\", and the output no nextToken",
                   FER_PRI(fer_val_str(q->page_token)));
    static const char *const tokens[] = {
        "nextToken",   "next_token", "nextPageToken", "next_page_token", "nextCursor",
        "next_cursor", NULL};
    if (q->next_token && !q->page_token && !q->pages &&
        is_named(fer_val_str(q->next_token), tokens))
        fer_q_tool(q, FER_Q_PAGE_PAIR, FER_FIELD_INPUT_SCHEMA,
                   "the output has \"%.*s\", and the input no pageToken",
                   FER_PRI(fer_val_str(q->next_token)));
}

const fer_quality_family fer_quality_paging = {.node = look_at_node, .done = when_done};
