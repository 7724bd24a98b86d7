/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deterministic automaton, made whole when the pattern is compiled, so that it is
 * immutable; a pattern for which that is too much work is left to regex_run.c.
 *
 * Letters are classes of code points that no set of the pattern tells apart. A state is
 * the set of program states that the last code point led to, before anything is followed
 * that reads nothing, and what lies before this place: the start of the text, a word
 * character, another. The next letter says the rest, so ^ $ \b \B are all decided while
 * the automaton is made, and a match is seen with the letter behind it at the latest.
 */
#include "regex_dfa.h"
#include "regex_match.h"

#define MAX_STATES  256   /* two of them are DEAD and FOUND */
#define MAX_CLASSES 256   /* a class is a byte */
#define MAX_PROGRAM 1024  /* instructions; more never gave an automaton this small */
#define MAX_EFFORT  40000 /* visits of program states, letters and ranges */

#define DEAD  FER_DFA_DEAD
#define FOUND FER_DFA_FOUND
#define FIRST FER_DFA_FIRST

/* What lies before a place, or behind it. */
enum place {
    TEXT_EDGE, /* the start of the text, or its end */
    NO_WORD,
    WORD,
    PLACES
};

struct maker {
    fer_arena *scratch;
    const fer_re_prog *prog;
    size_t effort;
    /* Letters: first the classes of ASCII, then the others. */
    size_t narrow;
    size_t classes;
    uint64_t mask[128][2]; /* of a class of ASCII: its characters */
    const uint32_t *wide_from;
    const uint8_t *wide_class; /* counted from 0, to which `narrow` is added */
    size_t wide_count;
    size_t wide_classes;
    uint64_t (*has)[MAX_CLASSES / 64]; /* of a set: its classes */
    bool is_word[MAX_CLASSES];
    /* States: */
    size_t words;     /* of 64 bits, in a set of program states */
    uint64_t *kernel; /* of state FIRST + n: kernel[n * words] */
    uint8_t *before;  /* enum place of a state */
    size_t states;
    uint16_t table[2 * MAX_STATES]; /* states by the hash of their kernel; 0: none */
    uint8_t *moves;
    uint8_t *match_end;
    /* Following what reads nothing: */
    uint64_t *seen;
    uint32_t *stack;
    uint32_t *readers; /* program states that read */
    size_t reader_count;
    uint64_t sign[MAX_CLASSES];
};

/* ---- letters ------------------------------------------------------------------------------- */

static void split_narrow(struct maker *m, const fer_set *s)
{
    size_t count = m->narrow;
    for (size_t i = 0; i < count; i++) {
        uint64_t in0 = m->mask[i][0] & s->ascii[0], in1 = m->mask[i][1] & s->ascii[1];
        uint64_t out0 = m->mask[i][0] & ~s->ascii[0], out1 = m->mask[i][1] & ~s->ascii[1];
        if (!(in0 | in1) || !(out0 | out1)) continue;
        m->mask[i][0] = in0;
        m->mask[i][1] = in1;
        m->mask[m->narrow][0] = out0;
        m->mask[m->narrow++][1] = out1;
    }
}

/* The new numbers of classes while a set splits them: inside and outside of it. */
struct renumber {
    uint16_t in[MAX_CLASSES]; /* 0: none yet, else plus 1 */
    uint16_t out[MAX_CLASSES];
    size_t count;
};

static bool renumber(struct renumber *r, uint8_t old, bool in, uint8_t *class)
{
    uint16_t *now = in ? &r->in[old] : &r->out[old];
    if (*now == 0) {
        if (r->count == MAX_CLASSES) return false;
        *now = (uint16_t)++r->count;
    }
    *class = (uint8_t)(*now - 1);
    return true;
}

/* Cuts the ranges at those of a set: a merge of two ordered lists. */
static bool split_wide(struct maker *m, const fer_set *s)
{
    size_t room = m->wide_count + 2 * s->count + 1, count = 0, k = 0;
    struct renumber classes = {.count = 0};
    m->effort += room;
    uint32_t *from = fer_arena_alloc(m->scratch, room * sizeof *from);
    uint8_t *class = fer_arena_alloc(m->scratch, room);
    if (!from || !class || m->effort > MAX_EFFORT) return false;
    for (size_t i = 0; i < m->wide_count; i++) {
        uint32_t at = m->wide_from[i];
        uint32_t end = i + 1 < m->wide_count ? m->wide_from[i + 1] - 1 : FER_CODE_POINT_LAST;
        while (at <= end) {
            bool more = k < s->count, in = more && s->ranges[k].from <= at;
            uint32_t stop = in ? s->ranges[k].to : more ? s->ranges[k].from - 1 : end;
            if (stop > end) stop = end;
            from[count] = at;
            if (!renumber(&classes, m->wide_class[i], in, &class[count++])) return false;
            if (in && stop == s->ranges[k].to) k++;
            at = stop + 1;
        }
    }
    m->wide_from = from;
    m->wide_class = class;
    m->wide_count = count;
    m->wide_classes = classes.count;
    return true;
}

static void set_bit(uint64_t *bits, size_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}

static bool has_bit(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

/* Which classes a set has: of each class, one code point is asked for. */
static void note_classes(struct maker *m, const fer_set *s, uint64_t *has)
{
    uint64_t asked[MAX_CLASSES / 64] = {0};
    for (size_t i = 0; i < m->narrow; i++) {
        if ((m->mask[i][0] & s->ascii[0]) || (m->mask[i][1] & s->ascii[1])) set_bit(has, i);
    }
    if (s->count == 0) return;
    for (size_t i = 0, left = m->wide_classes; i < m->wide_count && left > 0; i++) {
        if (has_bit(asked, m->wide_class[i])) continue;
        set_bit(asked, m->wide_class[i]);
        left--;
        m->effort++;
        if (fer_set_has_wide(s, m->wide_from[i])) set_bit(has, m->narrow + m->wide_class[i]);
    }
}

static bool make_letters(struct maker *m)
{
    static const uint32_t all_from[] = {0x80};
    static const uint8_t all_class[] = {0};
    const fer_re_prog *p = m->prog;
    m->narrow = m->wide_count = m->wide_classes = 1;
    m->mask[0][0] = m->mask[0][1] = ~(uint64_t)0;
    m->wide_from = all_from;
    m->wide_class = all_class;
    for (size_t i = 0; i < p->set_count; i++) {
        split_narrow(m, &p->sets[i]);
        if (p->sets[i].count && !split_wide(m, &p->sets[i])) return false;
        m->effort += m->narrow;
    }
    if (p->edges) split_narrow(m, &fer_set_word);
    m->classes = m->narrow + m->wide_classes;
    if (m->classes > MAX_CLASSES) return false;
    m->has = fer_arena_alloc_zero(m->scratch, p->set_count + 1, sizeof *m->has);
    if (!m->has) return false;
    for (size_t i = 0; i < p->set_count; i++) note_classes(m, &p->sets[i], m->has[i]);
    for (size_t i = 0; i < m->narrow && p->edges; i++)
        m->is_word[i] =
            (m->mask[i][0] & fer_set_word.ascii[0]) || (m->mask[i][1] & fer_set_word.ascii[1]);
    return m->effort <= MAX_EFFORT;
}

/* ---- states -------------------------------------------------------------------------------- */

static bool holds(uint32_t what, enum place before, enum place after)
{
    switch ((fer_re_assert)what) {
    case FER_RE_START: return before == TEXT_EDGE;
    case FER_RE_END: return after == TEXT_EDGE;
    case FER_RE_EDGE: return (before == WORD) != (after == WORD);
    case FER_RE_NO_EDGE: break;
    }
    return (before == WORD) == (after == WORD);
}

static void see(struct maker *m, size_t *depth, uint32_t state)
{
    if (has_bit(m->seen, state)) return;
    set_bit(m->seen, state);
    m->stack[(*depth)++] = state;
}

/* Follows what reads nothing; keeps what reads. True: a match ends here. */
static bool follow(struct maker *m, const uint64_t *kernel, enum place before, enum place after)
{
    size_t depth = 0;
    memset(m->seen, 0, m->words * sizeof *m->seen);
    m->reader_count = 0;
    for (size_t w = 0; w < m->words; w++) {
        for (uint64_t left = kernel[w]; left; left &= left - 1)
            see(m, &depth, (uint32_t)(w * 64 + (size_t)__builtin_ctzll(left)));
    }
    while (depth > 0) {
        uint32_t state = m->stack[--depth];
        const fer_re_instr *in = &m->prog->code[state];
        m->effort++;
        if (in->op == FER_OP_MATCH) return true;
        if (in->op == FER_OP_SET) {
            m->readers[m->reader_count++] = state;
        } else if (in->op == FER_OP_SPLIT) {
            see(m, &depth, in->next);
            see(m, &depth, in->x);
        } else if (holds(in->x, before, after)) {
            see(m, &depth, in->next);
        }
    }
    return false;
}

static size_t hash(const struct maker *m, const uint64_t *kernel, enum place before)
{
    uint64_t h = before;
    for (size_t i = 0; i < m->words; i++) h = (h ^ kernel[i]) * 0x9E3779B97F4A7C15u;
    return (size_t)(h >> 32) % FER_COUNT(m->table);
}

/* The number of the state at the end of the kernels, which is new or known. 0: too many. */
static uint8_t state_of(struct maker *m, enum place before)
{
    const uint64_t *kernel = m->kernel + (m->states - FIRST) * m->words;
    size_t at = hash(m, kernel, before);
    for (; m->table[at]; at = (at + 1) % FER_COUNT(m->table)) {
        size_t known = m->table[at];
        if (m->before[known] == before &&
            memcmp(m->kernel + (known - FIRST) * m->words, kernel, m->words * sizeof *kernel) == 0)
            return (uint8_t)known;
    }
    if (m->states == MAX_STATES) return DEAD;
    m->table[at] = (uint16_t)m->states;
    m->before[m->states] = (uint8_t)before;
    return (uint8_t)m->states++;
}

/* Where a class leads from the readers at hand. False: too many states. */
static bool move(struct maker *m, size_t class, uint8_t *to)
{
    uint64_t *kernel = m->kernel + (m->states - FIRST) * m->words, any = 0;
    memset(kernel, 0, m->words * sizeof *kernel);
    for (size_t i = 0; i < m->reader_count; i++) {
        const fer_re_instr *in = &m->prog->code[m->readers[i]];
        if (has_bit(m->has[in->x], class)) set_bit(kernel, in->next);
    }
    if (!m->prog->anchored) set_bit(kernel, m->prog->start);
    m->effort += m->reader_count + m->words;
    for (size_t i = 0; i < m->words; i++) any |= kernel[i];
    *to = any ? state_of(m, m->is_word[class] ? WORD : NO_WORD) : DEAD;
    return !any || *to != DEAD;
}

/* For each class, a bit for each of the first 64 readers that has it. */
static void sign_classes(struct maker *m)
{
    memset(m->sign, 0, m->classes * sizeof *m->sign);
    for (size_t i = 0; i < m->reader_count && i < 64; i++) {
        const uint64_t *has = m->has[m->prog->code[m->readers[i]].x];
        for (size_t w = 0; w * 64 < m->classes; w++) {
            for (uint64_t left = has[w]; left; left &= left - 1)
                m->sign[w * 64 + (size_t)__builtin_ctzll(left)] |= (uint64_t)1 << i;
        }
    }
}

/* All moves on letters of one kind. Classes that the same readers have lead to the same state. */
static bool expand_kind(struct maker *m, bool word, uint8_t *moves)
{
    size_t known[8], count = 0;
    bool small = m->reader_count <= 64;
    sign_classes(m);
    for (size_t c = 0; c < m->classes; c++) {
        size_t k = small ? 0 : count;
        if (m->is_word[c] != word) continue;
        while (k < count && m->sign[known[k]] != m->sign[c]) k++;
        if (k < count) {
            moves[c] = moves[known[k]];
            continue;
        }
        if (!move(m, c, &moves[c])) return false;
        if (count < FER_COUNT(known)) known[count++] = c;
    }
    return true;
}

/* All moves of a state. False: too many states. */
static bool expand(struct maker *m, size_t state)
{
    const uint64_t *kernel = m->kernel + (state - FIRST) * m->words;
    uint8_t *moves = m->moves + (state - FIRST) * m->classes;
    enum place before = (enum place)m->before[state];
    m->match_end[state - FIRST] = follow(m, kernel, before, TEXT_EDGE);
    m->effort += m->classes;
    for (int after = NO_WORD; after <= (m->prog->edges ? WORD : NO_WORD); after++) {
        bool word = after == WORD;
        if (!follow(m, kernel, before, (enum place)after)) {
            if (!expand_kind(m, word, moves)) return false;
            continue;
        }
        for (size_t c = 0; c < m->classes; c++)
            if (m->is_word[c] == word) moves[c] = FOUND;
    }
    return m->effort <= MAX_EFFORT;
}

/* False: too many states, too much work, or no memory; then there is no automaton. */
static bool make_states(struct maker *m)
{
    const fer_re_prog *p = m->prog;
    m->words = (p->count + 63) / 64;
    m->kernel = fer_arena_alloc(m->scratch, (MAX_STATES + 1) * m->words * sizeof *m->kernel);
    m->before = fer_arena_alloc(m->scratch, MAX_STATES);
    m->moves = fer_arena_alloc(m->scratch, MAX_STATES * m->classes);
    m->match_end = fer_arena_alloc(m->scratch, MAX_STATES);
    m->seen = fer_arena_alloc(m->scratch, m->words * sizeof *m->seen);
    m->stack = fer_arena_alloc(m->scratch, p->count * sizeof *m->stack);
    m->readers = fer_arena_alloc(m->scratch, p->count * sizeof *m->readers);
    if (!m->kernel || !m->before || !m->moves || !m->match_end || !m->seen || !m->stack ||
        !m->readers)
        return false;
    m->states = FIRST;
    memset(m->kernel, 0, m->words * sizeof *m->kernel);
    set_bit(m->kernel, p->start);
    state_of(m, TEXT_EDGE);
    for (size_t s = FIRST; s < m->states; s++)
        if (!expand(m, s)) return false;
    return true;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static const void *copy(fer_arena *a, const void *from, size_t size)
{
    void *to = fer_arena_alloc(a, size);
    if (to) memcpy(to, from, size);
    return to;
}

static const fer_re_dfa *publish(fer_arena *a, const struct maker *m)
{
    fer_re_dfa *d = fer_arena_alloc_zero(a, 1, sizeof *d);
    size_t states = m->states - FIRST;
    if (!d) return NULL;
    for (size_t i = 0; i < m->narrow; i++) {
        for (size_t w = 0; w < 2; w++) {
            for (uint64_t left = m->mask[i][w]; left; left &= left - 1)
                d->ascii[w * 64 + (size_t)__builtin_ctzll(left)] = (uint8_t)i;
        }
    }
    uint8_t *wide = fer_arena_alloc(a, m->wide_count);
    d->wide_from = copy(a, m->wide_from, m->wide_count * sizeof *m->wide_from);
    d->moves = copy(a, m->moves, states * m->classes);
    d->match_end = copy(a, m->match_end, states);
    if (!wide || !d->wide_from || !d->moves || !d->match_end) return NULL;
    for (size_t i = 0; i < m->wide_count; i++) wide[i] = (uint8_t)(m->narrow + m->wide_class[i]);
    d->wide_class = wide;
    d->wide_count = m->wide_count;
    d->classes = m->classes;
    return d;
}

fer_code fer_re_dfa_make(fer_arena *a, const fer_re_prog *p, const fer_re_dfa **out, fer_err *err)
{
    fer_code code = FER_OK;
    *out = NULL;
    if (p->count > MAX_PROGRAM) return FER_OK;
    fer_arena *scratch = fer_arena_new(0);
    struct maker *m = scratch ? fer_arena_alloc_zero(scratch, 1, sizeof *m) : NULL;
    if (m) {
        m->scratch = scratch;
        m->prog = p;
        if (make_letters(m) && make_states(m)) {
            *out = publish(a, m);
            if (!*out) code = fer_arena_failed(a, err);
        }
    }
    fer_arena_free(scratch);
    return code;
}

/* ---- searching ----------------------------------------------------------------------------- */

uint8_t fer_re_dfa_wide(const fer_re_dfa *d, uint32_t c)
{
    size_t low = 0, high = d->wide_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (d->wide_from[middle] <= c) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return d->wide_class[low];
}

fer_match fer_re_dfa_search(const fer_re_dfa *d, fer_str text, size_t *steps)
{
    size_t at = 0, end = text.len < *steps ? text.len : *steps, state = FIRST;
    while (at < end) {
        unsigned char c = (unsigned char)text.ptr[at];
        uint8_t class;
        if (c < 0x80) {
            class = d->ascii[c];
            at++;
        } else {
            size_t len = fer_re_step(text, at);
            if (len > end - at) break;
            class = d->wide_count == 1 ? d->wide_class[0]
                                       : fer_re_dfa_wide(d, fer_re_decode(text.ptr + at, len));
            at += len;
        }
        state = d->moves[(state - FIRST) * d->classes + class];
        if (state < FIRST) break;
    }
    bool decided = state < FIRST || at == text.len;
    *steps = decided ? *steps - at : 0;
    if (!decided) return FER_MATCH_BUDGET;
    if (state < FIRST) return state == FOUND ? FER_MATCH_YES : FER_MATCH_NO;
    return d->match_end[state - FIRST] ? FER_MATCH_YES : FER_MATCH_NO;
}
