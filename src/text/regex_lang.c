/* SPDX-License-Identifier: Apache-2.0 */
#include "regex_lang.h"

#include <stdlib.h>

#include "errors.h"
#include "map.h"
#include "regex_dfa.h"
#include "regex_match.h"

struct fer_lang {
    const fer_re_dfa *dfa;
};

fer_code fer_lang_make(fer_arena *a, fer_str pattern, const fer_lang **out, fer_err *err)
{
    fer_re_tree tree;
    fer_re_prog prog;
    const fer_re_dfa *dfa = NULL;
    /* Those who ask have compiled the pattern within limits of their own; size is looked at below.
     */
    static const fer_regex_limits limits = {
        .pattern = SIZE_MAX, .repeat = 1000000, .states = 10000};
    *out = NULL;
    fer_code code = fer_re_parse(a, pattern, &limits, &tree, err);
    if (code == FER_INVALID_FORMAT) return FER_OK;
    if (code || tree.references || tree.looks) return code;
    size_t size = fer_re_prog_size(&tree);
    if (size > limits.states) return FER_OK;
    code = fer_re_prog_make(a, &tree, size, &prog, err);
    if (!code) code = fer_re_dfa_make(a, &prog, &dfa, err);
    if (code || !dfa) return code;
    fer_lang *l = fer_arena_alloc(a, sizeof *l);
    if (!l) return fer_arena_failed(a, err);
    l->dfa = dfa;
    *out = l;
    return FER_OK;
}

/* ---- letters: one code point for each way in which the automata see one --------------------- */

#define MACHINES    ((size_t)2 * FER_LANG_PATTERNS)
#define MAX_LETTERS 512

struct letter {
    uint32_t c;
    uint8_t class[MACHINES];
};

struct walk {
    fer_arena *arena;
    const fer_lang_question *q;
    const fer_re_dfa *dfa[MACHINES]; /* those that match, then those that must not */
    size_t machines;
    struct letter *letters;
    size_t letter_count;
    fer_map seen;
    struct place *queue;
    size_t count, cap;
    uint32_t cap_len; /* lengths above this one are the same to the question */
};

/* A place of the walk: where each automaton is, how long the text is, and how it came here. */
struct place {
    uint8_t state[MACHINES];
    uint32_t len;
    uint32_t from; /* the place before; UINT32_MAX: the start */
    uint32_t c;    /* the code point that led here */
};

static bool add_letter(struct walk *w, uint32_t c)
{
    struct letter l = {.c = c};
    for (size_t m = 0; m < w->machines; m++)
        l.class[m] = c < 0x80 ? w->dfa[m]->ascii[c] : fer_re_dfa_wide(w->dfa[m], c);
    for (size_t i = 0; i < w->letter_count; i++)
        if (memcmp(w->letters[i].class, l.class, w->machines) == 0) return true;
    if (w->letter_count == MAX_LETTERS) return false;
    w->letters[w->letter_count++] = l;
    return true;
}

/* Where ranges begin that some automaton tells apart; surrogates are no code points of a text. */
static bool add_wide(struct walk *w)
{
    bool room = add_letter(w, 0xE9); /* an ordinary one first */
    for (size_t m = 0; m < w->machines && room; m++) {
        const fer_re_dfa *d = w->dfa[m];
        for (size_t i = 0; i < d->wide_count && room; i++) {
            uint32_t c = d->wide_from[i];
            uint32_t end = i + 1 < d->wide_count ? d->wide_from[i + 1] : FER_CODE_POINT_LAST + 1;
            if (c >= 0xD800 && c <= 0xDFFF) c = 0xE000;
            if (c < end) room = add_letter(w, c);
        }
    }
    return room;
}

/* Letters and digits first, so that examples can be read. */
static bool make_letters(struct walk *w)
{
    static const char first[] = "a0A-_. /:@";
    bool room = true;
    w->letters = fer_arena_alloc(w->arena, MAX_LETTERS * sizeof *w->letters);
    if (!w->letters) return false;
    for (const char *c = first; *c; c++) room = room && add_letter(w, (unsigned char)*c);
    for (uint32_t c = 'a'; c <= 'z' && room; c++) room = add_letter(w, c);
    for (uint32_t c = 'A'; c <= 'Z' && room; c++) room = add_letter(w, c);
    for (uint32_t c = '0'; c <= '9' && room; c++) room = add_letter(w, c);
    for (uint32_t c = 0x21; c < 0x7F && room; c++) room = add_letter(w, c);
    for (uint32_t c = 0; c < 0x80 && room; c++) room = add_letter(w, c);
    return room && add_wide(w);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static uint8_t step(const fer_re_dfa *d, uint8_t state, uint8_t class)
{
    return state < FER_DFA_FIRST ? state : d->moves[(state - FER_DFA_FIRST) * d->classes + class];
}

static bool matches(const fer_re_dfa *d, uint8_t state)
{
    return state < FER_DFA_FIRST ? state == FER_DFA_FOUND : d->match_end[state - FER_DFA_FIRST];
}

static bool is_answer(const struct walk *w, const struct place *p)
{
    if (p->len < w->q->min) return false;
    for (size_t m = 0; m < w->machines; m++)
        if (matches(w->dfa[m], p->state[m]) != (m < w->q->yes_count)) return false;
    return true;
}

/* Whether nothing that follows can be an answer. */
static bool is_lost(const struct walk *w, const struct place *p)
{
    for (size_t m = 0; m < w->machines; m++)
        if (p->state[m] == (m < w->q->yes_count ? FER_DFA_DEAD : FER_DFA_FOUND)) return true;
    return false;
}

/* Notes a place that is new. False: no memory. */
static bool visit(struct walk *w, const struct place *p)
{
    char key[MACHINES + sizeof p->len];
    memcpy(key, p->state, w->machines);
    memcpy(key + w->machines, &p->len, sizeof p->len);
    fer_str name = {key, w->machines + sizeof p->len};
    if (fer_map_get(&w->seen, name)) return true;
    struct place *queue = fer_arena_room(w->arena, w->queue, w->count, &w->cap, sizeof *queue);
    fer_str copy = queue ? fer_arena_copy(w->arena, name) : FER_STR_NONE;
    void **slot = copy.ptr ? fer_map_put(&w->seen, copy) : NULL;
    if (!slot) return false;
    *slot = w;
    w->queue = queue;
    queue[w->count++] = *p;
    return true;
}

static size_t put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, c >>= 6) to[i] = (char)(0x80 | (c & 63));
    to[0] = (char)(0xF00u >> len | c);
    return len;
}

/* The text that led to a place. */
static fer_str text_of(const struct walk *w, size_t at)
{
    size_t chars = 0;
    for (size_t i = at; w->queue[i].from != UINT32_MAX; i = w->queue[i].from) chars++;
    uint32_t *points = fer_arena_alloc(w->arena, (chars + 1) * sizeof *points);
    char *text = points ? fer_arena_alloc(w->arena, chars * 4 + 1) : NULL;
    size_t len = 0, left = chars;
    if (!text) return FER_STR_NONE;
    for (size_t i = at; left > 0; i = w->queue[i].from) points[--left] = w->queue[i].c;
    for (size_t i = 0; i < chars; i++) len += put_utf8(text + len, points[i]);
    text[len] = '\0';
    return (fer_str){text, len};
}

/* Goes on from a place with every letter. False: no memory. */
static bool expand(struct walk *w, size_t at)
{
    for (size_t i = 0; i < w->letter_count; i++) {
        struct place next = {.from = (uint32_t)at, .c = w->letters[i].c};
        const struct place *here = &w->queue[at];
        next.len = here->len < w->cap_len ? here->len + 1 : w->cap_len;
        for (size_t m = 0; m < w->machines; m++)
            next.state[m] = step(w->dfa[m], here->state[m], w->letters[i].class[m]);
        if (!is_lost(w, &next) && !visit(w, &next)) return false;
    }
    return true;
}

static fer_lang_answer run(struct walk *w, fer_str *text)
{
    struct place start = {.from = UINT32_MAX};
    memset(start.state, FER_DFA_FIRST, sizeof start.state);
    if (!visit(w, &start)) return FER_LANG_NO_MEMORY;
    for (size_t at = 0; at < w->count; at++) {
        if (is_answer(w, &w->queue[at])) {
            *text = text_of(w, at);
            return text->ptr ? FER_LANG_TEXT : FER_LANG_NO_MEMORY;
        }
        if (at == FER_LANG_STATES) return FER_LANG_UNKNOWN;
        if (w->queue[at].len == w->q->max) continue;
        if (!expand(w, at)) return FER_LANG_NO_MEMORY;
    }
    return FER_LANG_NONE;
}

/*
 * Lengths past the least one are all the same where there is no greatest; else they are
 * counted up to it.
 */
fer_lang_answer fer_lang_find(fer_arena *a, const fer_lang_question *q, fer_str *text)
{
    struct walk w = {.arena = a, .q = q, .machines = q->yes_count + q->no_count};
    uint64_t cap = q->max == UINT64_MAX ? q->min : q->max;
    if (q->min > q->max) return FER_LANG_NONE;
    if (cap > FER_LANG_STATES) return FER_LANG_UNKNOWN;
    w.cap_len = (uint32_t)cap;
    for (size_t i = 0; i < w.machines; i++) {
        const fer_lang *l = i < q->yes_count ? q->yes[i] : q->no[i - q->yes_count];
        if (!l) return FER_LANG_UNKNOWN;
        w.dfa[i] = l->dfa;
    }
    fer_map_init(&w.seen, a);
    if (!make_letters(&w)) return w.letters ? FER_LANG_UNKNOWN : FER_LANG_NO_MEMORY;
    return run(&w, text);
}
