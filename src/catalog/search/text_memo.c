/* SPDX-License-Identifier: Apache-2.0 */
#include "text_memo.h"

#include "sys.h"

#define FIRST_ROWS 64 /* a power of two */
static_assert(sizeof(fer_memo_text) == 128, "two lines of a cache");

bool fer_text_memo_init(fer_text_memo *m, const uint64_t seed[2])
{
    *m = (fer_text_memo){{seed[0], seed[1]}, NULL, FIRST_ROWS - 1, 0};
    m->rows = fer_sys_malloc_zero(FIRST_ROWS * sizeof *m->rows);
    return m->rows != NULL;
}

void fer_text_memo_deinit(fer_text_memo *m)
{
    fer_sys_free(m->rows);
    m->rows = NULL;
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

static inline fer_memo_text *row_of(const fer_text_memo *m, const fer_token_key *key)
{
    return m->rows[(size_t)fer_token_key_hash(key, m->seed) & m->mask].texts;
}

void fer_text_memo_fetch(const fer_text_memo *m, const fer_token_key *key)
{
    const fer_memo_text *row = row_of(m, key);
    __builtin_prefetch(&row[0]);
    __builtin_prefetch(&row[1]);
}

const fer_memo_text *fer_text_memo_find(const fer_text_memo *m, const fer_token_key *key)
{
    const fer_memo_text *row = row_of(m, key);
    if (fer_token_key_eq(&row[0].key, key)) return &row[0];
    return fer_token_key_eq(&row[1].key, key) ? &row[1] : NULL;
}

static void put(const fer_text_memo *m, const fer_memo_text *text)
{
    fer_memo_text *row = row_of(m, &text->key);
    row[1] = row[0];
    row[0] = *text;
}

/* Without memory it stays as it is. */
static void widen(fer_text_memo *m)
{
    size_t count = m->mask + 1;
    fer_text_memo wider = {{m->seed[0], m->seed[1]}, NULL, 2 * count - 1, 0};
    wider.rows = fer_sys_malloc_zero(2 * count * sizeof *wider.rows);
    if (!wider.rows) return;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 2; k-- > 0;) put(&wider, &m->rows[i].texts[k]);
    }
    fer_text_memo_deinit(m);
    *m = wider;
}

void fer_text_memo_add(fer_text_memo *m, const fer_token_key *key, const uint32_t *terms,
                       size_t count)
{
    if (count > FER_MEMO_TERMS || fer_text_memo_find(m, key)) return;
    if (m->added++ > m->mask && m->mask < FER_MEMO_ROWS - 1) widen(m);
    fer_memo_text *row = row_of(m, key);
    row[1] = row[0];
    row[0].key = *key;
    row[0].count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) row[0].terms[i] = terms[i];
}
