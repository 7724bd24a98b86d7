/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most patterns of real schemas are a `^` and some sets in turn, each so and so often:
 * ^[a-z0-9_-]{1,64}$, ^\d{4}-\d{2}-\d{2}$, ^[^@\s]+@[^@\s]+$, ^x-. Where a run that may be
 * longer or shorter shares no code point with what may follow, taking all it can is right,
 * and no automaton is needed.
 */
#include "regex_match.h"

#define MAX_ITEMS 64

struct maker {
    const fer_re_tree *tree;
    fer_re_item items[MAX_ITEMS];
    size_t count;
    bool from_start;
    bool to_end;
};

static const fer_re_node *inside(const fer_re_node *n)
{
    while (n->kind == FER_RE_GROUP) n = n->first;
    return n;
}

static bool add_item(struct maker *m, uint32_t set, uint32_t min, uint32_t max)
{
    if (m->to_end || m->count == MAX_ITEMS) return false;
    m->items[m->count++] = (fer_re_item){&m->tree->sets[set], min, max, NULL, 0};
    return true;
}

static bool add_assert(struct maker *m, fer_re_assert what)
{
    if (what == FER_RE_START) {
        m->from_start = true;
        return m->count == 0 && !m->to_end;
    }
    m->to_end = true;
    return what == FER_RE_END;
}

/* Recursion follows the tree, whose depth is bounded. */
static bool add(struct maker *m, const fer_re_node *n)
{
    const fer_re_node *set;
    bool fits = true;
    n = inside(n);
    switch (n->kind) {
    case FER_RE_SET: return add_item(m, n->set, 1, 1);
    case FER_RE_REPEAT:
        set = inside(n->first);
        return set->kind == FER_RE_SET && add_item(m, set->set, n->repeat.min, n->repeat.max);
    case FER_RE_ASSERT: return add_assert(m, n->assertion);
    case FER_RE_SEQUENCE:
        for (const fer_re_node *c = n->first; c && fits; c = c->next) fits = add(m, c);
        return fits;
    default: return false;
    }
}

/* Without $, what may be left out at the end is left out. */
static void shorten(struct maker *m)
{
    while (m->count > 0) {
        fer_re_item *last = &m->items[m->count - 1];
        last->max = last->min;
        if (last->min > 0) return;
        m->count--;
    }
}

static bool is_clear(const struct maker *m)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->items[i].min == m->items[i].max) continue;
        for (size_t k = i + 1; k < m->count; k++) {
            if (!fer_set_disjoint(m->items[i].set, m->items[k].set)) return false;
            if (m->items[k].min > 0) break;
        }
    }
    return true;
}

/* The ASCII characters that the items from one on spell; how many these are. */
static size_t spell(const struct maker *m, size_t from, char *out)
{
    size_t i = from;
    for (; i < m->count; i++) {
        uint32_t c = fer_set_only(m->items[i].set);
        if (c >= 0x80 || m->items[i].min != 1 || m->items[i].max != 1) break;
        out[i - from] = (char)c;
    }
    return i - from;
}

/* Characters that stand alone become one text. False: no memory. */
static bool join(struct maker *m, fer_arena *a)
{
    size_t count = 0;
    char text[MAX_ITEMS];
    for (size_t i = 0; i < m->count;) {
        size_t len = spell(m, i, text);
        if (!len) {
            m->items[count++] = m->items[i++];
            continue;
        }
        fer_str copy = fer_arena_copy(a, (fer_str){text, len});
        if (!copy.ptr) return false;
        m->items[count++] = (fer_re_item){NULL, (uint32_t)len, (uint32_t)len, copy.ptr, 0};
        i += len;
    }
    m->count = count;
    return true;
}

/* The classes of bytes that the sets of a pattern make. */
struct classes {
    uint8_t *of; /* each byte */
    const fer_set *sets[8];
    size_t count;
};

/* The bit of a set; 0 where there are too many. */
static uint8_t class_of(struct classes *c, const fer_set *set)
{
    size_t n = 0;
    while (n < c->count && !fer_set_equal(c->sets[n], set)) n++;
    if (n == FER_COUNT(c->sets)) return 0;
    uint8_t bit = (uint8_t)(1u << n);
    if (n < c->count) return bit;
    c->sets[c->count++] = set;
    for (unsigned half = 0; half < 2; half++) {
        for (uint64_t left = set->ascii[half]; left; left &= left - 1) {
            c->of[half * 64 + (unsigned)__builtin_ctzll(left)] |= bit;
        }
    }
    return bit;
}

/* Whether a text of ASCII of one length is all that there can be; its length. */
static bool is_fixed(const struct maker *m, size_t *length)
{
    *length = 0;
    for (size_t i = 0; i < m->count; i++) {
        const fer_re_item *item = &m->items[i];
        bool one = item->min == item->max && item->bit && !item->set->count;
        if (!one || item->min > MAX_ITEMS - *length) return false;
        *length += item->min;
    }
    return m->to_end && m->count > 0;
}

/* Gives each set its class, and each place of a fixed text, too. False: no memory. */
static bool classify(struct maker *m, fer_arena *a, fer_re_runs *out)
{
    struct classes c = {.of = fer_arena_alloc_zero(a, 256, sizeof *c.of)};
    if (!c.of) return false;
    for (size_t i = 0; i < m->count; i++) m->items[i].bit = class_of(&c, m->items[i].set);
    out->classes = c.of;
    if (!is_fixed(m, &out->length)) return true;
    uint8_t *fixed = fer_arena_alloc(a, out->length), *at = fixed;
    if (!fixed) return false;
    for (size_t i = 0; i < m->count; i++) {
        memset(at, m->items[i].bit, m->items[i].min);
        at += m->items[i].min;
    }
    out->fixed = fixed;
    return true;
}

bool fer_re_runs_make(fer_arena *a, const fer_re_tree *tree, fer_re_runs *out, fer_code *code,
                      fer_err *err)
{
    struct maker m = {.tree = tree};
    char literal[MAX_ITEMS];
    if (tree->looks > 0 || tree->references || !add(&m, tree->root)) return false;
    if (!m.from_start) {
        if (m.to_end || !m.count || spell(&m, 0, literal) < m.count) return false;
        fer_str copy = fer_arena_copy(a, (fer_str){literal, m.count});
        if (!copy.ptr) *code = fer_arena_failed(a, err);
        *out = (fer_re_runs){.literal = copy};
        return copy.ptr != NULL;
    }
    if (!m.to_end) shorten(&m);
    if (!is_clear(&m)) return false;
    *out = (fer_re_runs){.to_end = m.to_end};
    bool made = classify(&m, a, out) && join(&m, a);
    fer_re_item *items = made ? fer_arena_alloc(a, m.count * sizeof *items) : NULL;
    if (!items) {
        *code = fer_arena_failed(a, err);
        return false;
    }
    if (m.count) memcpy(items, m.items, m.count * sizeof *items);
    out->items = items;
    out->count = m.count;
    return true;
}

/* ---- searching ----------------------------------------------------------------------------- */

/* How far a search has come. */
struct place {
    size_t at;
    size_t seen; /* behind the last byte that was read */
    size_t end;  /* no byte from here on may be read */
};

/* Reads the text of an item as far as it goes. */
static uint32_t take_text(const fer_re_item *item, fer_str text, struct place *p)
{
    uint32_t times = 0;
    for (; times < item->max && p->at < p->end; times++) {
        p->seen = p->at + 1;
        if (text.ptr[p->at] != item->text[times]) break;
        p->at++;
    }
    return times;
}

/* Takes all that an item can; returns how often it did. */
static uint32_t take(const fer_re_item *item, fer_str text, struct place *p)
{
    uint32_t times = 0;
    if (!item->set) return take_text(item, text, p);
    for (; times < item->max && p->at < p->end; times++) {
        uint32_t c = (unsigned char)text.ptr[p->at];
        size_t len = 1;
        if (c >= 0x80) {
            len = fer_re_step(text, p->at);
            if (len > p->end - p->at) break;
            c = fer_re_decode(text.ptr + p->at, len);
        }
        p->seen = p->at + len;
        if (!fer_set_has(item->set, c)) break;
        p->at += len;
    }
    return times;
}

static fer_match find_literal(fer_str literal, fer_str text, size_t *steps)
{
    size_t seen = text.len < *steps ? text.len : *steps;
    const char *found = text.len ? memmem(text.ptr, seen, literal.ptr, literal.len) : NULL;
    if (found) {
        *steps -= (size_t)(found - text.ptr) + literal.len;
        return FER_MATCH_YES;
    }
    *steps -= seen;
    return seen < text.len ? FER_MATCH_BUDGET : FER_MATCH_NO;
}

static fer_match run(const fer_re_runs *r, fer_str text, struct place *p)
{
    for (size_t i = 0; i < r->count; i++) {
        uint32_t times = take(&r->items[i], text, p);
        bool undecided = times < r->items[i].max && p->seen <= p->at && p->at < text.len;
        if (undecided) return FER_MATCH_BUDGET;
        if (times < r->items[i].min) return FER_MATCH_NO;
    }
    return r->to_end && p->at < text.len ? FER_MATCH_NO : FER_MATCH_YES;
}

/* Behind the bytes of a class, four at a time. */
static inline const unsigned char *skip(const uint8_t *classes, unsigned bit,
                                        const unsigned char *c, const unsigned char *stop)
{
    while (stop - c >= 4) {
        if (!(classes[c[0]] & classes[c[1]] & classes[c[2]] & classes[c[3]] & bit)) break;
        c += 4;
    }
    while (c < stop && (classes[*c] & bit)) c++;
    return c;
}

/*
 * The same for a text that is known to be within the budget, which most are. `seen` gets what was
 * read of it.
 */
static bool run_through(const fer_re_runs *r, fer_str text, size_t *seen)
{
    const unsigned char *start = (const unsigned char *)text.ptr, *c = start, *end = c + text.len;
    const uint8_t *classes = r->classes;
    bool fits = true;
    *seen = 0;
    for (size_t i = 0; i < r->count && fits; i++) {
        const fer_re_item *item = &r->items[i];
        const unsigned char *from = c;
        const unsigned char *stop = item->max < (size_t)(end - c) ? c + item->max : end;
        uint32_t more = 0;
        if (!item->set) {
            while (c < stop && *c == (unsigned char)item->text[c - from]) c++;
        } else if (item->bit) {
            c = skip(classes, item->bit, c, stop);
        } else {
            while (c < stop && *c < 0x80 && fer_set_has(item->set, *c)) c++;
        }
        size_t times = (size_t)(c - from), read = (size_t)(c - start) + (c < stop);
        if (read > *seen) *seen = read;
        if (c < stop && *c >= 0x80 && item->set) {
            struct place p = {.at = (size_t)(c - start), .end = text.len};
            const fer_re_item rest = {item->set, 0, item->max - (uint32_t)times, NULL, 0};
            more = take(&rest, text, &p);
            c = start + p.at;
            if (p.seen > *seen) *seen = p.seen;
        }
        fits = times + more >= item->min;
    }
    return fits && !(r->to_end && c < end);
}

/* The same for a pattern that takes texts of one length only. */
static bool fits_fixed(const fer_re_runs *r, fer_str text, size_t *seen)
{
    size_t at = 0;
    *seen = text.len < r->length ? text.len : r->length;
    if (text.len != r->length) return false;
    while (at < r->length && (r->classes[(unsigned char)text.ptr[at]] & r->fixed[at])) at++;
    return at == r->length;
}

fer_match fer_re_runs_search(const fer_re_runs *r, fer_str text, size_t *steps)
{
    if (r->literal.ptr) return find_literal(r->literal, text, steps);
    if (text.len < *steps) {
        size_t seen;
        bool found = r->fixed ? fits_fixed(r, text, &seen) : run_through(r, text, &seen);
        *steps -= seen;
        return found ? FER_MATCH_YES : FER_MATCH_NO;
    }
    struct place p = {.end = text.len < *steps ? text.len : *steps};
    fer_match m = run(r, text, &p);
    *steps = m == FER_MATCH_BUDGET ? 0 : *steps - p.seen;
    return m;
}
