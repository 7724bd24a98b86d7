/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions: whether there is one, and whether it says something. */
#include "quality.h"

#include "unicode.h"

#define SHORT_CHARS 40   /* a description below says too little */
#define LONG_CHARS  1024 /* and above is cut, or refused, by some */
#define ECHO_WORDS  24   /* words of a description that may be an echo */

/* ---- texts that say nothing -------------------------------------------------------------------
 */

static bool is_placeholder(fer_str text)
{
    static const char *const phrases[] = {"todo",
                                          "tbd",
                                          "fixme",
                                          "n/a",
                                          "none",
                                          "no description",
                                          "no description provided",
                                          "no description available",
                                          "description",
                                          "placeholder",
                                          "...",
                                          "-",
                                          "xxx"};
    size_t from = 0, to = text.len;
    while (from < to && (unsigned char)text.ptr[from] <= ' ') from++;
    while (to > from &&
           ((unsigned char)text.ptr[to - 1] <= ' ' || (text.ptr[to - 1] == '.' && to - from > 3)))
        to--;
    fer_str bare = fer_str_slice(text, from, to);
    if (!bare.len) return true;
    for (size_t i = 0; i < FER_COUNT(phrases); i++) {
        if (fer_str_eq_nocase(bare, fer_str_of(phrases[i]))) return true;
    }
    return fer_text_has_at(fer_str_head(bare, 5), 0, "todo") ||
           fer_text_has_at(fer_str_head(bare, 4), 0, "tbd");
}

/* Words that no name needs and no description is made of. */
static const char *const filler_words[] = {
    "a",        "an",        "and",  "argument", "by",   "field", "for",  "given", "in",
    "input",    "is",        "it",   "its",      "of",   "on",    "or",   "param", "parameter",
    "property", "specified", "that", "the",      "this", "to",    "tool", "value", "with"};
static const fer_word_set filler = FER_WORD_SET(filler_words);

/* Whether two words are the same but for an ending: lists and list, categories and category. */
static bool is_form_of(fer_str x, fer_str y)
{
    if (x.len < y.len) return is_form_of(y, x);
    size_t same = 0;
    while (same < y.len && fer_lower(x.ptr[same]) == fer_lower(y.ptr[same])) same++;
    fer_str more = fer_str_slice(x, same, x.len), less = fer_str_slice(y, same, y.len);
    if (!less.len) return !more.len || fer_word_is(more, "s") || fer_word_is(more, "es");
    return fer_word_is(less, "y") && fer_word_is(more, "ies");
}

static bool is_among(const fer_name_words *words, fer_str word)
{
    for (size_t i = 0; i < words->count; i++) {
        if (is_form_of(words->list[i], word)) return true;
    }
    return false;
}

/* Whether each word of the text, fillers left aside, is one of the names. */
static bool is_echo(const fer_prose *p, const fer_name_words *name, const fer_name_words *title)
{
    size_t said = 0, count = 0, at = 0;
    fer_str word;
    if (!p->words || p->words > ECHO_WORDS) return false;
    while (fer_words_next(p->text, &at, &word)) {
        bool named = is_among(name, word) || (title && is_among(title, word));
        if (!named && !fer_word_in(&filler, word)) return false;
        if (++count == ECHO_WORDS) return false;
        said += named;
    }
    return said > 0;
}

/* ---- the tool ---------------------------------------------------------------------------------
 */

static bool check_missing(fer_quality *q)
{
    const yyjson_val *text = q->tool->values[FER_FIELD_DESCRIPTION];
    if (!text) {
        fer_q_tool(q, FER_Q_DESC_MISSING, FER_FIELD_DESCRIPTION, "the tool has no description");
        return true;
    }
    if (!is_placeholder(fer_val_str(text))) return false;
    fer_q_tool(q, FER_Q_DESC_MISSING, FER_FIELD_DESCRIPTION,
               fer_val_len(text) ? "the description says nothing" : "the description is empty");
    return true;
}

static void check_length(fer_quality *q)
{
    const fer_prose *p = &q->description;
    size_t chars = fer_utf8_count(p->text);
    bool wide = chars * 2 < p->text.len; /* a script that says more in a character */
    if (chars > LONG_CHARS) {
        fer_q_tool(q, FER_Q_DESC_LONG, FER_FIELD_DESCRIPTION,
                   "the description has %zu characters; some providers take %d", chars, LONG_CHARS);
        fer_drafts_bounds(q->pass->drafts, LONG_CHARS, chars);
    } else if (chars < (wide ? SHORT_CHARS / 3 : SHORT_CHARS)) {
        fer_q_tool(q, FER_Q_DESC_SHORT, FER_FIELD_DESCRIPTION, "the description has %zu characters",
                   chars);
    } else if (p->sentences <= 1 && q->properties > 1) {
        fer_q_tool(q, FER_Q_DESC_SHORT, FER_FIELD_DESCRIPTION,
                   "the description is one sentence for %zu parameters", q->properties);
    }
}

static void check_tool_echo(fer_quality *q)
{
    fer_name_words title;
    const yyjson_val *said = q->tool->values[FER_FIELD_TITLE];
    fer_words_split(&title, said ? fer_val_str(said) : FER_STR(""));
    if (!is_echo(&q->description, &q->words, &title)) return;
    fer_q_tool(q, FER_Q_DESC_ECHO, FER_FIELD_DESCRIPTION,
               "the description has no word that the name does not have");
}

/* Past blanks, bullets and what opens a sentence without being a word of it. */
static size_t next_letter(fer_str s, size_t at)
{
    while (at < s.len && !fer_is_alpha(s.ptr[at])) at++;
    return at;
}

/*
 * "Get the number of tasks": a sentence that begins with getting says what comes back, if it
 * says of what.
 */
static bool begins_with_getting(fer_str s)
{
    static const char *const verbs[] = {
        "count",    "counts",  "describe", "describes", "display", "displays", "extract",
        "extracts", "fetch",   "fetches",  "find",      "finds",   "get",      "gets",
        "list",     "lists",   "look",     "looks",     "provide", "provides", "query",
        "read",     "reads",   "retrieve", "retrieves", "search",  "searches", "show",
        "shows",    "suggest", "suggests"};
    static const fer_word_set getting = FER_WORD_SET(verbs);
    for (size_t at = next_letter(s, 0); at < s.len;) {
        size_t end = at;
        while (end < s.len && fer_is_alpha(s.ptr[end])) end++;
        bool more = end + 1 < s.len && s.ptr[end] == ' ';
        if (more && fer_word_in(&getting, fer_str_slice(s, at, end))) return true;
        while (end < s.len && !strchr(".!?:\n", s.ptr[end])) end++;
        at = next_letter(s, end);
    }
    return false;
}

static void look_at_tool(fer_quality *q)
{
    if (check_missing(q)) return;
    check_length(q);
    check_tool_echo(q);
    if (!q->tool->values[FER_FIELD_OUTPUT_SCHEMA] &&
        !(q->description.subjects & FER_ABOUT_RETURN) && !begins_with_getting(q->description.text))
        fer_q_tool(q, FER_Q_DESC_NO_RETURN, FER_FIELD_DESCRIPTION,
                   "neither the description nor an outputSchema says what comes back");
}

/* ---- parameters -------------------------------------------------------------------------------
 */

static const char *const statement_words[] = {
    "allow",   "auto", "can", "disable", "dry",    "enable", "exclude", "force", "has", "hide",
    "include", "is",   "no",  "only",    "return", "should", "show",    "skip",  "use", "with"};
static const fer_word_set statement = FER_WORD_SET(statement_words);

/* dryRun, includeArchived: the name says it all. */
static bool is_evident(const fer_qnode *n)
{
    const yyjson_val *set = fer_q_get(n, KW_ENUM);
    if (fer_q_any(n, FER_SLOT(KW_CONST) | FER_SLOT(KW_REF))) return true;
    if (fer_is_arr(set) && fer_val_len(set) == 1) return true;
    return fer_q_only(n, FER_IS_BOOLEAN) && n->words.count > 1 &&
           fer_word_in(&statement, n->words.list[0]);
}

/* A title that differs from the name, or the description of an alternative, will do. */
static bool is_described_inside(const fer_qnode *n)
{
    static const enum fer_slot slots[] = {KW_ANY_OF, KW_ONE_OF, KW_ALL_OF};
    for (size_t i = 0; i < FER_COUNT(slots); i++) {
        const yyjson_val *list = fer_q_get(n, slots[i]);
        if (!fer_is_arr(list)) continue;
        FER_EACH_ITEM (list, branch) {
            if (!fer_is_obj(branch)) continue;
            if (fer_val_get(branch, "description") || fer_val_get(branch, "$ref")) return true;
        }
    }
    return false;
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    if (!n->param || q->output) return;
    if (!n->prose.words) {
        if (is_evident(n) || is_described_inside(n)) return;
        fer_q_node(q, n, FER_Q_DESC_PARAM_MISSING, KW_COUNT, "\"%.*s\" has no description",
                   FER_PRI(fer_utf8_cut(n->name, 100)));
    } else if (is_echo(&n->prose, &n->words, NULL)) {
        fer_q_node(q, n, FER_Q_DESC_PARAM_ECHO, KW_DESCRIPTION,
                   "the description of \"%.*s\" only repeats its name",
                   FER_PRI(fer_utf8_cut(n->name, 100)));
    }
}

const fer_quality_family fer_quality_descriptions = {.tool = look_at_tool, .node = look_at_node};
