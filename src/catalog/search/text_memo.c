/* SPDX-License-Identifier: Apache-2.0 */
#include "text_memo.h"

#define BLOCK_UNITS UINT32_C(16384)
#define UNIT        ((size_t)4) /* numbers of 32 bits */
#define KEY_UNITS   1
#define KEY_LOT     ((size_t)4)
#define UNIT_BITS   UINT32_C(0xFFFFFF) /* of a slot */

static_assert(FER_MEMO_BLOCKS * BLOCK_UNITS - 1 <= UNIT_BITS, "a slot has every unit");
static_assert(sizeof(fer_token_key) == KEY_UNITS * UNIT * sizeof(uint32_t), "a key is a unit");

/* What a text takes: its key, how many terms, the terms. */
static uint32_t units_of(uint32_t count)
{
    return KEY_UNITS + (1 + count + (uint32_t)UNIT - 1) / (uint32_t)UNIT;
}

static inline uint64_t hash_of(const fer_text_memo *m, const fer_token_key *key)
{
    return fer_token_mix(key->part[0] ^ m->seed[0], key->part[1] ^ m->seed[1]);
}

static inline uint32_t *at_unit(const fer_text_memo *m, uint32_t unit)
{
    return m->blocks[unit / BLOCK_UNITS] + (size_t)(unit % BLOCK_UNITS) * UNIT;
}

static inline fer_token_key key_at(const fer_text_memo *m, uint32_t unit)
{
    fer_token_key key;
    memcpy(key.part, at_unit(m, unit), sizeof key.part);
    return key;
}

static void put_slot(fer_text_memo *m, uint64_t hash, uint32_t unit)
{
    uint32_t at = (uint32_t)hash & m->mask;
    while (m->slots[at]) at = (at + 1) & m->mask;
    m->slots[at] = ((uint32_t)(hash >> 32) & ~UNIT_BITS) | unit;
}

static bool widen(fer_text_memo *m, uint32_t slots)
{
    const uint32_t *old = m->slots, *end = old ? old + m->mask + 1 : NULL;
    uint32_t *wider = fer_arena_alloc_zero(m->arena, slots, sizeof *wider);
    if (!wider) return false;
    m->slots = wider;
    m->mask = slots - 1;
    for (; old < end; old++) {
        if (!*old) continue;
        fer_token_key key = key_at(m, *old & UNIT_BITS);
        put_slot(m, hash_of(m, &key), *old & UNIT_BITS);
    }
    return true;
}

/* Room for so many units side by side, and for those that are written behind them. */
static bool make_place(fer_text_memo *m, uint32_t units)
{
    uint32_t block = m->used / BLOCK_UNITS;
    if (m->used % BLOCK_UNITS + units + FER_MEMO_LOT / UNIT > BLOCK_UNITS) {
        if (++block == FER_MEMO_BLOCKS) return false;
        m->used = block * BLOCK_UNITS;
    }
    if (m->blocks[block]) return true;
    m->blocks[block] = fer_arena_alloc(m->arena, BLOCK_UNITS * UNIT * sizeof(uint32_t));
    return m->blocks[block] != NULL;
}

bool fer_text_memo_init(fer_text_memo *m, fer_arena *a, uint32_t slots)
{
    *m = (fer_text_memo){.arena = a};
    memcpy(m->seed, fer_arena_seed(a), sizeof m->seed);
    if (!widen(m, slots) || !make_place(m, KEY_UNITS)) return false;
    memset(at_unit(m, 0), 0, UNIT * sizeof(uint32_t)); /* no text is of no bytes */
    m->used = KEY_UNITS;
    return true;
}

/* ---- keys ------------------------------------------------------------------------ */

/* Sixteen bytes more. Each half of the hash has all of them. */
static inline void add_bytes(fer_token_key *h, const char *p, const uint64_t seed[2])
{
    uint64_t part[2];
    memcpy(part, p, sizeof part);
    h->part[0] = fer_token_mix(h->part[0] ^ part[0], part[1] ^ seed[0]);
    h->part[1] = fer_token_mix(h->part[1] ^ part[1], part[0] ^ seed[1]);
}

/* In lots of four times as many: those of a text that is shorter, or its last ones, overlap. */
static inline fer_token_key long_key(const fer_text_memo *m, fer_str text)
{
    fer_token_key h = {{m->seed[1] + text.len, m->seed[0] - text.len}};
    size_t last = text.len - FER_TOKEN_KEY;
    for (size_t at = 0; at < text.len; at += KEY_LOT * FER_TOKEN_KEY) {
        for (size_t i = 0; i < KEY_LOT; i++) {
            size_t from = at + i * FER_TOKEN_KEY;
            add_bytes(&h, text.ptr + (from < last ? from : last), m->seed);
        }
    }
    return h;
}

fer_memo_key fer_text_memo_key(const fer_text_memo *m, fer_str text)
{
    fer_memo_key key;
    key.text = text.len <= FER_TOKEN_KEY ? fer_token_key_load(text) : long_key(m, text);
    key.hash = hash_of(m, &key.text);
    __builtin_prefetch(&m->slots[(uint32_t)key.hash & m->mask]);
    return key;
}

void fer_text_memo_fetch(const fer_text_memo *m, const fer_memo_key *key)
{
    uint32_t unit = m->slots[(uint32_t)key->hash & m->mask] & UNIT_BITS;
    __builtin_prefetch(at_unit(m, unit));
}

/* ---- texts ----------------------------------------------------------------------- */

static inline bool is_at(const fer_text_memo *m, uint32_t unit, const fer_memo_key *key)
{
    fer_token_key text = key_at(m, unit);
    return fer_token_key_eq(&text, &key->text);
}

static inline fer_memo_text text_at(const fer_text_memo *m, uint32_t unit)
{
    const uint32_t *from = at_unit(m, unit) + KEY_UNITS * UNIT;
    return (fer_memo_text){from + 1, *from};
}

/* Behind the first slot. */
__attribute__((noinline)) static uint32_t find_unit(const fer_text_memo *m, const fer_memo_key *key)
{
    uint32_t at = (uint32_t)key->hash & m->mask, slot;
    uint32_t wanted = (uint32_t)(key->hash >> 32) & ~UNIT_BITS;
    do {
        at = (at + 1) & m->mask;
        slot = m->slots[at];
    } while (slot && ((slot & ~UNIT_BITS) != wanted || !is_at(m, slot & UNIT_BITS, key)));
    return slot & UNIT_BITS;
}

bool fer_text_memo_find(const fer_text_memo *m, const fer_memo_key *key, fer_memo_text *out)
{
    uint32_t unit = m->slots[(uint32_t)key->hash & m->mask] & UNIT_BITS;
    if (!is_at(m, unit, key)) unit = unit ? find_unit(m, key) : 0;
    if (!unit) return false;
    *out = text_at(m, unit);
    return true;
}

/* Eight at once: most texts have no more, and there is room behind the last. */
static void copy_terms(uint32_t *to, const uint32_t *terms, size_t count)
{
    for (size_t i = 0; i < count; i += FER_MEMO_LOT)
        memcpy(to + i, terms + i, FER_MEMO_LOT * sizeof *to);
}

void fer_text_memo_add(fer_text_memo *m, const fer_memo_key *key, const uint32_t *terms,
                       size_t count)
{
    if (count > FER_MEMO_TERMS) return;
    uint32_t units = units_of((uint32_t)count);
    if (!make_place(m, units)) return;
    if (m->count >= m->mask / 2 && !widen(m, 2 * (m->mask + 1))) return;
    uint32_t *to = at_unit(m, m->used);
    memcpy(to, key->text.part, sizeof key->text.part);
    to[KEY_UNITS * UNIT] = (uint32_t)count;
    copy_terms(to + KEY_UNITS * UNIT + 1, terms, count);
    put_slot(m, key->hash, m->used);
    m->used += units;
    m->count++;
}
