/* SPDX-License-Identifier: Apache-2.0 */
#include "text_memo.h"

#include "sys.h"

#define FIRST_ROWS 1024 /* a power of two */
#define LINE       ((size_t)64)
static_assert(sizeof(struct fer_memo_row) == LINE, "a row is a line");
static_assert(FER_MEMO_TERMS <= FER_MEMO_RING * FIRST_ROWS && FER_MEMO_TERMS <= UINT8_MAX,
              "every text finds room");

static bool make(fer_text_memo *m, const uint64_t seed[2], size_t rows)
{
    size_t ring = rows * FER_MEMO_RING * sizeof(uint32_t);
    char *memory = fer_sys_malloc_zero(LINE + rows * LINE + ring);
    if (!memory) return false;
    char *at = memory + (-(uintptr_t)memory & (LINE - 1));
    *m = (fer_text_memo){.seed = {seed[0], seed[1]},
                         .memory = memory,
                         .rows = (void *)at,
                         .ring = (void *)(at + rows * LINE),
                         .mask = rows - 1};
    return true;
}

bool fer_text_memo_init(fer_text_memo *m, const uint64_t seed[2])
{
    return make(m, seed, FIRST_ROWS);
}

void fer_text_memo_deinit(fer_text_memo *m)
{
    fer_sys_free(m->memory);
    m->memory = NULL;
}

/* Sixteen bytes more. Each half of the hash has all of them. */
static inline void add_bytes(fer_token_key *h, const char *p, const uint64_t seed[2])
{
    uint64_t part[2];
    memcpy(part, p, sizeof part);
    h->part[0] = fer_token_mix(h->part[0] ^ part[0], part[1] ^ seed[0]);
    h->part[1] = fer_token_mix(h->part[1] ^ part[1], part[0] ^ seed[1]);
}

fer_token_key fer_text_memo_key(const fer_text_memo *m, fer_str text)
{
    if (text.len <= FER_TOKEN_KEY) return fer_token_key_load(text);
    fer_token_key h = {{m->seed[1] + text.len, m->seed[0] - text.len}};
    for (size_t at = 0; at + FER_TOKEN_KEY < text.len; at += FER_TOKEN_KEY)
        add_bytes(&h, text.ptr + at, m->seed);
    add_bytes(&h, text.ptr + text.len - FER_TOKEN_KEY, m->seed);
    return h;
}

static inline struct fer_memo_row *row_of(const fer_text_memo *m, const fer_token_key *key)
{
    return &m->rows[(size_t)fer_token_key_hash(key, m->seed) & m->mask];
}

void fer_text_memo_fetch(const fer_text_memo *m, const fer_token_key *key)
{
    __builtin_prefetch(row_of(m, key));
}

static size_t ring_size(const fer_text_memo *m)
{
    return (m->mask + 1) * FER_MEMO_RING;
}

/* The terms of a text, unless they were overwritten. */
static inline bool get(const fer_text_memo *m, const struct fer_memo_row *row, size_t i,
                       fer_memo_text *out)
{
    out->terms = m->ring + (row->at[i] & (ring_size(m) - 1));
    out->count = row->counts[i];
    return m->put - row->at[i] <= ring_size(m);
}

bool fer_text_memo_find(const fer_text_memo *m, const fer_token_key *key, fer_memo_text *out)
{
    const struct fer_memo_row *row = row_of(m, key);
    for (size_t i = 0; i < FER_MEMO_WAYS; i++) {
        if (!fer_token_key_eq(&row->keys[i], key)) continue;
        if (!get(m, row, i, out)) return false;
        __builtin_prefetch(out->terms);
        return true;
    }
    return false;
}

/* Where so many terms go, side by side. */
static uint32_t make_place(fer_text_memo *m, size_t count)
{
    size_t size = ring_size(m), left = size - (m->put & (size - 1));
    if (count > left) m->put += (uint32_t)left;
    uint32_t at = m->put;
    m->put += (uint32_t)count;
    return at;
}

static void put(fer_text_memo *m, const fer_token_key *key, fer_memo_text text)
{
    struct fer_memo_row *row = row_of(m, key);
    uint32_t at = make_place(m, text.count), *to = m->ring + (at & (ring_size(m) - 1));
    for (size_t i = FER_MEMO_WAYS - 1; i > 0; i--) {
        row->keys[i] = row->keys[i - 1];
        row->at[i] = row->at[i - 1];
        row->counts[i] = row->counts[i - 1];
    }
    row->keys[0] = *key;
    row->at[0] = at;
    row->counts[0] = (uint8_t)text.count;
    for (uint32_t i = 0; i < text.count; i++) to[i] = text.terms[i];
}

/* With more rows, or with nothing in as many. Without memory it stays as it is. */
static void widen(fer_text_memo *m, size_t rows, bool keep)
{
    fer_text_memo wider, old = *m;
    fer_memo_text text;
    if (!make(&wider, m->seed, rows)) return;
    for (size_t i = 0; keep && i <= old.mask; i++) {
        for (size_t k = FER_MEMO_WAYS; k-- > 0;) {
            if (old.rows[i].keys[k].part[0] && get(&old, &old.rows[i], k, &text))
                put(&wider, &old.rows[i].keys[k], text);
        }
    }
    *m = wider;
    fer_text_memo_deinit(&old);
}

void fer_text_memo_add(fer_text_memo *m, const fer_token_key *key, const uint32_t *terms,
                       size_t count)
{
    fer_memo_text known;
    size_t rows = m->mask + 1;
    if (count > FER_MEMO_TERMS || fer_text_memo_find(m, key, &known)) return;
    if (m->added++ > 2 * rows && rows < FER_MEMO_ROWS) widen(m, 2 * rows, true);
    if (m->put > UINT32_MAX / 2) widen(m, rows, false); /* it counts up to UINT32_MAX */
    if (m->put > UINT32_MAX / 2) return;
    put(m, key, (fer_memo_text){terms, (uint32_t)count});
}
