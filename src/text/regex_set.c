/* SPDX-License-Identifier: Apache-2.0 */
#include "regex_set.h"

#include <stdlib.h>

#include "unicode_tables.h"

#define WIDE 0x80u

static const fer_range wide_space[] = {{0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
                                       {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                                       {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
static const fer_range wide_dot[] = {{WIDE, 0x2027}, {0x202A, FER_CODE_POINT_LAST}};

const fer_set fer_set_digit = {{0x03FF000000000000u, 0}, NULL, 0};
const fer_set fer_set_word = {{0x03FF000000000000u, 0x07FFFFFE87FFFFFEu}, NULL, 0};
const fer_set fer_set_space = {{0x0000000100003E00u, 0}, wide_space, FER_COUNT(wide_space)};
const fer_set fer_set_dot = {{~(uint64_t)0x2400, ~(uint64_t)0}, wide_dot, FER_COUNT(wide_dot)};

/* ---- asking -------------------------------------------------------------------------------- */

bool fer_set_has_wide(const fer_set *s, uint32_t c)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c > s->ranges[middle].to) {
            low = middle + 1;
        } else if (c < s->ranges[middle].from) {
            high = middle;
        } else {
            return true;
        }
    }
    return false;
}

bool fer_set_equal(const fer_set *x, const fer_set *y)
{
    if (x->ascii[0] != y->ascii[0] || x->ascii[1] != y->ascii[1] || x->count != y->count)
        return false;
    return x->ranges == y->ranges || x->count == 0 ||
           memcmp(x->ranges, y->ranges, x->count * sizeof *x->ranges) == 0;
}

bool fer_set_disjoint(const fer_set *x, const fer_set *y)
{
    if ((x->ascii[0] & y->ascii[0]) || (x->ascii[1] & y->ascii[1])) return false;
    for (size_t i = 0, k = 0; i < x->count && k < y->count;) {
        if (x->ranges[i].to < y->ranges[k].from) {
            i++;
        } else if (y->ranges[k].to < x->ranges[i].from) {
            k++;
        } else {
            return false;
        }
    }
    return true;
}

uint32_t fer_set_only(const fer_set *s)
{
    int narrow = __builtin_popcountll(s->ascii[0]) + __builtin_popcountll(s->ascii[1]);
    if (narrow == 1 && s->count == 0) {
        return s->ascii[0] ? (uint32_t)__builtin_ctzll(s->ascii[0])
                           : 64 + (uint32_t)__builtin_ctzll(s->ascii[1]);
    }
    if (narrow == 0 && s->count == 1 && s->ranges->from == s->ranges->to) return s->ranges->from;
    return UINT32_MAX;
}

/* ---- making -------------------------------------------------------------------------------- */

static void add_wide(fer_set_maker *m, uint32_t from, uint32_t to)
{
    if (m->count == m->cap) {
        fer_range *grown = fer_arena_room(m->arena, m->ranges, m->count, &m->cap, sizeof *grown);
        if (!grown) {
            m->failed = true;
            return;
        }
        m->ranges = grown;
    }
    if (m->count && from <= m->ranges[m->count - 1].to + 1) m->mixed = true;
    m->ranges[m->count++] = (fer_range){from, to};
}

static uint64_t bits(uint32_t from, uint32_t to)
{
    return (~(uint64_t)0 << from) & (~(uint64_t)0 >> (63 - to));
}

void fer_set_add_range(fer_set_maker *m, uint32_t from, uint32_t to)
{
    if (from < 64) m->ascii[0] |= bits(from, to < 64 ? to : 63);
    if (from < WIDE && to >= 64)
        m->ascii[1] |= bits(from > 64 ? from - 64 : 0, to < WIDE ? to - 64 : 63);
    if (to >= WIDE) add_wide(m, from > WIDE ? from : WIDE, to);
}

static int by_start(const void *x, const void *y)
{
    const fer_range *a = x, *b = y;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* Puts the ranges in order and joins those that touch. */
static void settle(fer_set_maker *m)
{
    size_t kept = 0;
    if (!m->mixed || m->failed) return;
    qsort(m->ranges, m->count, sizeof *m->ranges, by_start);
    for (size_t i = 1; i < m->count; i++) {
        if (m->ranges[i].from <= m->ranges[kept].to + 1) {
            if (m->ranges[i].to > m->ranges[kept].to) m->ranges[kept].to = m->ranges[i].to;
        } else {
            m->ranges[++kept] = m->ranges[i];
        }
    }
    m->count = kept + 1;
    m->mixed = false;
}

void fer_set_forget(fer_set_maker *m)
{
    if (m->ranges && fer_arena_grow(m->arena, m->ranges, m->cap * sizeof *m->ranges, 0)) m->cap = 0;
    m->count = 0;
}

static bool has_all(const fer_set_maker *m, const fer_range *ranges, size_t count)
{
    for (size_t i = 0, k = 0; k < count; k++) {
        while (i < m->count && m->ranges[i].to < ranges[k].to) i++;
        if (i == m->count || m->ranges[i].from > ranges[k].from) return false;
    }
    return true;
}

/* Ranges that are in order are merged with those that are there: linear, where sorting is not. */
static void merge(fer_set_maker *m, const fer_range *more, size_t count)
{
    settle(m);
    if (has_all(m, more, count)) return;
    fer_set_maker both = {.arena = m->arena, .failed = m->failed};
    for (size_t i = 0, k = 0; !both.failed && (i < m->count || k < count);) {
        bool mine = k == count || (i < m->count && m->ranges[i].from <= more[k].from);
        fer_range next = mine ? m->ranges[i++] : more[k++];
        fer_range *last = both.count ? &both.ranges[both.count - 1] : NULL;
        if (last && next.from <= last->to + 1) {
            if (next.to > last->to) last->to = next.to;
        } else {
            add_wide(&both, next.from, next.to);
        }
    }
    m->ranges = both.ranges;
    m->count = both.count;
    m->cap = both.cap;
    m->failed = both.failed;
}

static void invert(fer_set_maker *m)
{
    settle(m);
    fer_set_maker out = {.arena = m->arena, .failed = m->failed};
    uint32_t at = WIDE;
    for (size_t i = 0; i < m->count; i++) {
        if (m->ranges[i].from > at) add_wide(&out, at, m->ranges[i].from - 1);
        at = m->ranges[i].to + 1;
    }
    if (at <= FER_CODE_POINT_LAST) add_wide(&out, at, FER_CODE_POINT_LAST);
    out.ascii[0] = ~m->ascii[0];
    out.ascii[1] = ~m->ascii[1];
    *m = out;
}

/* Adds a set that is made as well, and is not needed any more. */
static void absorb(fer_set_maker *m, fer_set_maker *other)
{
    m->ascii[0] |= other->ascii[0];
    m->ascii[1] |= other->ascii[1];
    m->failed |= other->failed;
    if (m->failed) return;
    if (m->count == 0) {
        m->ranges = other->ranges;
        m->count = other->count;
        m->cap = other->cap;
        m->mixed = false;
        return;
    }
    const fer_range *before = m->ranges;
    merge(m, other->ranges, other->count);
    if (m->ranges == before) fer_set_forget(other);
}

void fer_set_add(fer_set_maker *m, const fer_set *s, bool negated)
{
    fer_set_maker copy = {.arena = m->arena};
    memcpy(copy.ascii, s->ascii, sizeof copy.ascii);
    for (size_t i = 0; i < s->count; i++) add_wide(&copy, s->ranges[i].from, s->ranges[i].to);
    if (negated) invert(&copy);
    absorb(m, &copy);
}

bool fer_set_done(fer_set_maker *m, bool negated, fer_set *out)
{
    if (negated) invert(m);
    settle(m);
    if (m->failed) return false;
    if (m->count < m->cap) {
        void *shrunk = fer_arena_grow(m->arena, m->ranges, m->cap * sizeof *m->ranges,
                                      m->count * sizeof *m->ranges);
        assert(shrunk == m->ranges); /* a smaller size always fits where it is */
        (void)shrunk;
        m->cap = m->count;
    }
    *out = (fer_set){{m->ascii[0], m->ascii[1]}, m->count ? m->ranges : NULL, m->count};
    return true;
}

/* ---- properties ---------------------------------------------------------------------------- */

static const struct fer_unicode_row *find(enum fer_unicode_kind kind, fer_str name)
{
    size_t low = 0, high = fer_unicode_row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fer_unicode_row *row = &fer_unicode_rows[middle];
        int order = row->kind != kind
                        ? (row->kind < kind ? -1 : 1)
                        : fer_str_cmp(fer_str_of(fer_unicode_names + row->name), name);
        if (order == 0) return row;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static const struct fer_unicode_row *find_property(fer_str name, fer_str value)
{
    static const struct {
        const char *names[2];
        enum fer_unicode_kind kind;
    } kinds[] = {{{"General_Category", "gc"}, FER_UNICODE_GENERAL_CATEGORY},
                 {{"Script", "sc"}, FER_UNICODE_SCRIPT},
                 {{"Script_Extensions", "scx"}, FER_UNICODE_SCRIPT_EXTENSIONS}};
    const struct fer_unicode_row *row = NULL;
    if (!value.ptr) {
        row = find(FER_UNICODE_GENERAL_CATEGORY, name);
        return row ? row : find(FER_UNICODE_BINARY, name);
    }
    for (size_t i = 0; i < FER_COUNT(kinds) && !row; i++) {
        if (fer_str_is(name, kinds[i].names[0]) || fer_str_is(name, kinds[i].names[1]))
            row = find(kinds[i].kind, value);
    }
    return row;
}

static uint32_t unpack(const unsigned char **at)
{
    uint32_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned byte = *(*at)++;
        n |= (uint32_t)(byte & 0x7F) << shift;
        if (byte < 0x80) return n;
    }
}

bool fer_set_add_property(fer_set_maker *m, fer_str name, fer_str value, bool negated)
{
    const struct fer_unicode_row *row = find_property(name, value);
    if (!row) return false;
    const unsigned char *packed = fer_unicode_ranges + row->at;
    fer_set_maker own = {.arena = m->arena};
    uint32_t from = 0;
    for (size_t i = 0; i < row->count; i++) {
        from += unpack(&packed);
        uint32_t to = from + unpack(&packed);
        fer_set_add_range(&own, from, to);
        from = to + 1;
    }
    if (negated) invert(&own);
    absorb(m, &own);
    return true;
}

static bool has_property(const char *name, uint32_t c)
{
    const struct fer_unicode_row *row = find(FER_UNICODE_BINARY, fer_str_of(name));
    assert(row);
    const unsigned char *packed = fer_unicode_ranges + row->at;
    for (uint32_t i = 0, from = 0; i < row->count; i++) {
        from += unpack(&packed);
        if (c < from) return false;
        from += unpack(&packed) + 1;
        if (c < from) return true;
    }
    return false;
}

bool fer_set_names(uint32_t c, bool first)
{
    if (c == '$' || c == '_') return true;
    if (!first && (c == 0x200C || c == 0x200D)) return true;
    return has_property(first ? "ID_Start" : "ID_Continue", c);
}
