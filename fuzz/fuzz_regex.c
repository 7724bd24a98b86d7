/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions. The first byte of the input says how the rest becomes a pattern and a
 * text: as it stands (pattern, NUL, text), or as choices by which a pattern is grown that
 * is mostly one. What must hold:
 *  - a failure has a known code and, where the pattern is wrong, a place inside it;
 *  - what the strict check accepts also compiles, limits aside;
 *  - every machine that can run a pattern gives the same answer: that which was chosen, all
 *    paths at once, and one path after the other;
 *  - with fewer steps the answer is the same, or there is none; no search spends more than
 *    it has;
 *  - QuickJS, an engine of its own with the `u` flag, agrees on what is a pattern and on
 *    what it matches. (Where Debian's libquickjs was not there at build time, this is left
 *    out.) Property names are not compared: its Unicode is newer. Neither are duplicate
 *    names of groups and (?i:...), which came after the edition that regex.h names.
 */
#include "fuzz.h"

#include "errors.h"
#include "regex_match.h"
#include "unicode.h"

#define MAX_PATTERN 200
#define MAX_TEXT    40
#define STEPS       ((size_t)200000)

struct source {
    const uint8_t *at;
    const uint8_t *end;
};

struct grown {
    char text[4 * MAX_PATTERN];
    size_t len;
    int names;
};

static unsigned pick(struct source *s, unsigned count)
{
    return s->at < s->end ? *s->at++ % count : 0;
}

static void put(struct grown *g, const char *text)
{
    size_t len = strlen(text);
    if (g->len + len > MAX_PATTERN) return;
    memcpy(g->text + g->len, text, len);
    g->len += len;
}

#define PUT_ONE(g, s, list) put((g), (list)[pick((s), FER_COUNT(list))])

/* ---- growing a pattern --------------------------------------------------------------------- */

static const char *const letters[] = {"a",
                                      "b",
                                      "c",
                                      "a",
                                      "-",
                                      "_",
                                      " ",
                                      "\\.",
                                      "\xC3\xA9",
                                      "\\u00e9",
                                      "\xF0\x9F\x90\xB2",
                                      "\\uD83D\\uDC32",
                                      "\\u{1F432}",
                                      "\\n",
                                      "\\/",
                                      "\\x41",
                                      "\\cJ",
                                      "\\0",
                                      "1",
                                      "A",
                                      "\\uD83D",
                                      "\\t"};
static const char *const escapes[] = {"\\d",      "\\w",        "\\s",
                                      "\\D",      "\\W",        "\\S",
                                      "\\p{L}",   "\\P{Lu}",    "\\p{Script=Greek}",
                                      "\\p{Nd}",  ".",          "\\p{Alphabetic}",
                                      "\\P{Any}", "\\p{ASCII}", "\\p{gc=Uppercase_Letter}"};
static const char *const members[] = {"a",
                                      "b",
                                      "c-",
                                      "a-c",
                                      "\\d",
                                      "\\w",
                                      "\\s",
                                      "\\S",
                                      "\xC3\xA9",
                                      "\\-",
                                      "-",
                                      "_",
                                      ".",
                                      "\\p{Lu}",
                                      "\\P{L}",
                                      "\\W",
                                      "[",
                                      "\\]",
                                      "\\b",
                                      "\\n",
                                      "\\x41-\\x43",
                                      "^",
                                      "a-\\u{1F600}",
                                      "\xC3\x9F-\xC3\xBC",
                                      "\\u{1F432}",
                                      "\\0"};
static const char *const asserts[] = {"^", "$", "\\b", "\\B"};
static const char *const opens[] = {"(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<"};
static const char *const counts[] = {"*",  "+",   "?",  "{2}", "{1,3}", "{0,2}", "{2,}",
                                     "*?", "{0}", "+?", "??",  "{1,}?", "{3,5}", "{12}"};
static const char *const oddities[] = {
    "{",    "}",       "]",           "\\-",    "\\:", "\\a",     "{1",        "{,5}",
    "(?i)", "[\\w-.]", "[z-a]",       "a**",    "\\8", "\\k<n1>", "\\c",       "(",
    ")",    "[",       "\\u{110000}", "(?<n1>", "\\_", "\\ ",     "\\p{Nope}", "\\"};

static void grow_choice(struct source *s, struct grown *g, int depth);

static void grow_class(struct source *s, struct grown *g)
{
    put(g, pick(s, 4) ? "[" : "[^");
    for (unsigned n = pick(s, 4); n > 0; n--) PUT_ONE(g, s, members);
    put(g, "]");
}

static void grow_group(struct source *s, struct grown *g, int depth)
{
    char name[16] = "";
    const char *open = opens[pick(s, FER_COUNT(opens))];
    if (strcmp(open, "(?<") == 0) snprintf(name, sizeof name, "n%d>", ++g->names);
    put(g, open);
    put(g, name);
    grow_choice(s, g, depth - 1);
    put(g, ")");
}

static void grow_reference(struct source *s, struct grown *g)
{
    static const char *const references[] = {"\\1", "\\2", "\\3", "\\k<n1>", "\\1"};
    PUT_ONE(g, s, references);
}

static void grow_term(struct source *s, struct grown *g, int depth)
{
    unsigned kind = pick(s, 16);
    if (kind < 6) PUT_ONE(g, s, letters);
    if (kind == 6) PUT_ONE(g, s, escapes);
    if (kind == 7) grow_class(s, g);
    if (kind == 8) PUT_ONE(g, s, asserts);
    if (kind == 9) grow_reference(s, g);
    if (kind == 10 && pick(s, 8) == 0) PUT_ONE(g, s, oddities);
    if (kind > 10 && depth > 0) grow_group(s, g, depth);
    if (kind != 8 && pick(s, 3) == 0) PUT_ONE(g, s, counts);
}

static void grow_choice(struct source *s, struct grown *g, int depth)
{
    do {
        for (unsigned n = pick(s, 4); n > 0; n--) grow_term(s, g, depth);
    } while (pick(s, 4) == 3 && (put(g, "|"), true));
}

static void grow_text(struct source *s, struct grown *g)
{
    static const char *const characters[] = {"a",
                                             "b",
                                             "c",
                                             "a",
                                             "-",
                                             "_",
                                             " ",
                                             ".",
                                             "1",
                                             "\xC3\xA9",
                                             "\n",
                                             "\t",
                                             "A",
                                             "B",
                                             "/",
                                             "\x01",
                                             "\xF0\x9F\x90\xB2",
                                             "\xCE\xB1",
                                             "\xE2\x80\xA8",
                                             "\xC3\x9F",
                                             "\xEF\xBB\xBF"};
    while (s->at < s->end && g->len < MAX_TEXT) PUT_ONE(g, s, characters);
}

/* The text as UTF-8; other bytes become letters. */
static void copy_text(struct source *s, struct grown *g, size_t max)
{
    while (s->at < s->end && *s->at && g->len < max) g->text[g->len++] = (char)*s->at++;
    for (size_t i = 0; i < g->len;) {
        size_t len = fer_utf8_len((fer_str){g->text, g->len}, i);
        if (len == 0) g->text[i] = 'b';
        i += len ? len : 1;
    }
}

/* ---- the other engine ---------------------------------------------------------------------- */

enum opinion {
    NO_MATCH,
    MATCH,
    NO_PATTERN,
    NO_OPINION
};

#ifdef HAVE_QUICKJS
#include <quickjs/quickjs.h>

static int patience;

static int impatient(JSRuntime *rt, void *opaque)
{
    (void)rt;
    (void)opaque;
    return --patience < 0;
}

static const char script[] = "(function (p, t) {"
                             "    try { p = new RegExp(p, 'u'); }"
                             "    catch (e) { return e instanceof SyntaxError ? 2 : 3; }"
                             "    return p.test(t) ? 1 : 0;"
                             "})";

static enum opinion second_opinion(fer_str pattern, fer_str text)
{
    static JSContext *context;
    static JSValue function;
    patience = 20;
    if (!context) {
        JSRuntime *runtime = JS_NewRuntime();
        HOLDS(runtime);
        context = JS_NewContext(runtime);
        HOLDS(context);
        JS_SetInterruptHandler(runtime, impatient, NULL);
        function = JS_Eval(context, script, sizeof script - 1, "fuzz", 0);
        HOLDS(!JS_IsException(function));
    }
    int32_t answer = NO_OPINION;
    JSValue args[] = {JS_NewStringLen(context, pattern.ptr, pattern.len),
                      JS_NewStringLen(context, text.ptr, text.len)};
    JSValue result = JS_Call(context, function, JS_UNDEFINED, 2, args);
    if (JS_IsException(result)) {
        JS_FreeValue(context, JS_GetException(context));
    } else {
        JS_ToInt32(context, &answer, result);
    }
    JS_FreeValue(context, result);
    JS_FreeValue(context, args[0]);
    JS_FreeValue(context, args[1]);
    return (enum opinion)answer;
}
#else
static enum opinion second_opinion(fer_str pattern, fer_str text)
{
    (void)pattern;
    (void)text;
    return NO_OPINION;
}
#endif

/* ---- what must hold ------------------------------------------------------------------------ */

/*
 * Where the other engine is known to be wrong, or to follow newer rules: it takes \x{41};
 * its property names are those of a newer Unicode; it has duplicate names of groups.
 */
static bool not_compared(const fer_err *err)
{
    static const char *const known[] = {"\\x needs", "property", "same name"};
    for (size_t i = 0; i < FER_COUNT(known); i++)
        if (strstr(err->message, known[i])) return true;
    return false;
}

static void agree(bool same, fer_str pattern, fer_str text, const char *said)
{
    if (same) return;
    fprintf(stderr, "pattern: %.*s\ntext: %.*s\nwe say: %s\n", FER_PRI(pattern), FER_PRI(text),
            said);
    HOLDS(same);
}

static void check_failure(fer_str pattern, fer_code code, const fer_err *err)
{
    HOLDS(code == FER_INVALID_FORMAT || code == FER_LIMIT_EXCEEDED);
    HOLDS(err->code == code && err->message[0]);
    HOLDS(err->offset <= pattern.len);
}

static void check_syntax(fer_str pattern, fer_str text, fer_code strict, fer_code code,
                         const fer_err *err)
{
    if (!strict) HOLDS(code == FER_OK || code == FER_LIMIT_EXCEEDED);
    if (strict == FER_LIMIT_EXCEEDED) return;
    enum opinion second = second_opinion(pattern, text);
    if (second == NO_OPINION) return;
    if (!strict) agree(second != NO_PATTERN, pattern, text, "a pattern");
    if (strict && !not_compared(err)) agree(second == NO_PATTERN, pattern, text, err->message);
}

/* The same tree by the machines that any pattern without back-references can be run by. */
static void check_machines(fer_arena *a, fer_str pattern, fer_str text, fer_match answer)
{
    fer_re_tree tree;
    fer_re_prog prog;
    HOLDS(fer_re_parse(a, pattern, fer_regex_limits_default(), &tree, NULL) == FER_OK);
    for (int captures = tree.references; captures < 2; captures++) {
        size_t steps = STEPS;
        tree.references = captures;
        size_t size = fer_re_prog_size(&tree);
        if (size > 50000) continue;
        HOLDS(fer_re_prog_make(a, &tree, size, &prog, NULL) == FER_OK);
        HOLDS(prog.count <= size);
        fer_match other = captures ? fer_re_back_search(&prog, text, &steps, a)
                                   : fer_re_run_search(&prog, text, &steps, a);
        HOLDS(other == answer || other == FER_MATCH_BUDGET || answer == FER_MATCH_BUDGET);
    }
}

static void check_budget(fer_arena *a, const fer_regex *re, fer_str text, fer_match answer)
{
    for (size_t budget = 0; budget < 200; budget += 1 + budget / 4) {
        size_t steps = budget;
        fer_match m = fer_regex_search(re, text, &steps, a);
        HOLDS(steps <= budget);
        HOLDS(m == answer || m == FER_MATCH_BUDGET);
    }
}

static void check_pattern(fer_arena *a, fer_str pattern, fer_str text)
{
    fer_err err = {0}, strict_err = {0};
    const fer_regex *re = NULL;
    fer_code strict = fer_regex_check(a, pattern, &strict_err);
    fer_code code = fer_regex_compile(a, pattern, NULL, &re, &err);
    if (strict) check_failure(pattern, strict, &strict_err);
    check_syntax(pattern, text, strict, code, &strict_err);
    if (code) {
        HOLDS(!re);
        check_failure(pattern, code, &err);
        return;
    }
    size_t steps = STEPS;
    fer_match answer = fer_regex_search(re, text, &steps, a);
    HOLDS(answer == FER_MATCH_YES || answer == FER_MATCH_NO || answer == FER_MATCH_BUDGET);
    HOLDS(answer != FER_MATCH_BUDGET || !fer_regex_is_linear(re) || pattern.len > 100);
    check_machines(a, pattern, text, answer);
    if (answer == FER_MATCH_BUDGET) return;
    check_budget(a, re, text, answer);
    enum opinion second = strict ? NO_OPINION : second_opinion(pattern, text);
    if (second == NO_OPINION) return;
    agree((second == MATCH) == (answer == FER_MATCH_YES), pattern, text,
          answer == FER_MATCH_YES ? "a match" : "no match");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source s = {data, data + size};
    struct grown pattern = {.len = 0}, text = {.len = 0};
    if (size == 0) return 0;
    if (*s.at++ & 1) {
        if (pick(&s, 3) == 0) put(&pattern, "^");
        grow_choice(&s, &pattern, 4);
        if (pick(&s, 3) == 0) put(&pattern, "$");
        grow_text(&s, &text);
    } else {
        copy_text(&s, &pattern, MAX_PATTERN);
        if (s.at < s.end) s.at++;
        copy_text(&s, &text, MAX_TEXT);
    }
    /* Copies of exactly their size, so that a read past the end is seen. */
    char *p = malloc(pattern.len + 1), *t = malloc(text.len + 1);
    HOLDS(p && t);
    memcpy(p, pattern.text, pattern.len);
    memcpy(t, text.text, text.len);
    fer_arena *a = fuzz_arena();
    check_pattern(a, (fer_str){p, pattern.len}, (fer_str){t, text.len});
    fer_arena_free(a);
    free(p);
    free(t);
    return 0;
}
