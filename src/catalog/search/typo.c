/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All texts that are one mistake away are looked up: some 50 for each letter of the stem, at the
 * price of a hash each, and some of the word with stems of their own, and no table beside the
 * dictionary. Of those that are there the most frequent is taken, among equals the first by its
 * text. Beginnings are looked for among all terms (0.3 ms for 100,000), which a search does only
 * for a last word that nobody has.
 */
#include "typo.h"

struct mend {
    const fer_lexical *ix;
    fer_tokeniser *tokeniser;
    fer_str word, stem;
    fer_typo *out;
    size_t df; /* of the best so far */
};

static size_t df_of(const fer_lexical *ix, fer_str text)
{
    return fer_lexical_df(ix, fer_frozen_find(&ix->frozen, text), fer_terms_find(&ix->terms, text));
}

static void set(fer_typo *out, size_t at, fer_str text)
{
    memcpy(out->texts[at], text.ptr, text.len);
    out->lens[at] = text.len;
    out->count = at + 1;
}

/* Nobody has most of these. */
static bool may_have(const fer_lexical *ix, const fer_token_key *key)
{
    return fer_frozen_may_have(&ix->frozen, fer_token_key_hash(key, ix->frozen.seed)) ||
           fer_terms_may_have(&ix->terms, key);
}

static void try_text(struct mend *m, const char *text, size_t len)
{
    fer_str s = {text, len};
    size_t df = df_of(m->ix, s);
    if (!df || df < m->df) return;
    if (df == m->df && fer_str_cmp((fer_str){m->out->texts[0], m->out->lens[0]}, s) <= 0) return;
    m->df = df;
    set(m->out, 0, s);
}

/* ---- one mistake ---------------------------------------------------------------- */

/* A whole word, which has a stem of its own. */
static void try_word(struct mend *m, const char *text, size_t len)
{
    fer_token token = {.word = {text, len}, .text = {text, len}, .kind = FER_TOKEN_WORD};
    fer_token_finish(m->tokeniser, &token);
    try_text(m, token.text.ptr, token.text.len);
}

static void try_without(struct mend *m, size_t at)
{
    char text[FER_TOKEN_MAX] = {0};
    memcpy(text, m->word.ptr, at);
    memcpy(text + at, m->word.ptr + at + 1, m->word.len - at - 1);
    try_word(m, text, m->word.len - 1);
}

static void try_swapped(struct mend *m, size_t at)
{
    char text[FER_TOKEN_MAX] = {0};
    memcpy(text, m->word.ptr, m->word.len);
    text[at] = m->word.ptr[at + 1];
    text[at + 1] = m->word.ptr[at];
    try_word(m, text, m->word.len);
}

/* The stem with a letter at a place, in front of what is there or instead of it. */
static void try_letter(struct mend *m, size_t at, char c, bool instead)
{
    char text[FER_TOKEN_MAX + 1];
    size_t rest = m->stem.len - at - instead;
    memcpy(text, m->stem.ptr, at);
    text[at] = c;
    memcpy(text + at + 1, m->stem.ptr + at + instead, rest);
    try_text(m, text, at + 1 + rest);
}

/* The same of a key, with a letter of no bits. */
static fer_token_key open_place(fer_token_key key, size_t at, bool instead)
{
    unsigned __int128 all = (unsigned __int128)key.part[1] << 64 | key.part[0];
    unsigned __int128 front = all & (((unsigned __int128)1 << 8 * at) - 1);
    unsigned __int128 rest = (all >> 8 * at >> 8 * instead) << 8 * at << 8;
    return (fer_token_key){{(uint64_t)(front | rest), (uint64_t)((front | rest) >> 64)}};
}

/* All letters at a place, where the stem with one more is short: hardly one of them is looked up.
 */
static void try_short_letters(struct mend *m, size_t at)
{
    fer_token_key stem = fer_token_key_load(m->stem);
    fer_token_key more = open_place(stem, at, false), another = open_place(stem, at, true);
    for (int c = 'a'; c <= 'z'; c++) {
        uint64_t letter = (uint64_t)c << 8 * (at % 8);
        fer_token_key one = more, other = another;
        one.part[at / 8] |= letter;
        other.part[at / 8] |= letter;
        if (may_have(m->ix, &one)) try_letter(m, at, (char)c, false);
        if (at < m->stem.len && may_have(m->ix, &other)) try_letter(m, at, (char)c, true);
    }
}

static void try_letters(struct mend *m, size_t at)
{
    if (m->stem.len < FER_TOKEN_KEY) {
        try_short_letters(m, at);
        return;
    }
    for (int c = 'a'; c <= 'z'; c++) {
        try_letter(m, at, (char)c, false);
        if (at < m->stem.len) try_letter(m, at, (char)c, true);
    }
}

static void try_mistakes(struct mend *m)
{
    if (m->word.len < FER_TYPO_MIN || m->stem.len + 1 < FER_TYPO_MIN ||
        m->word.len >= FER_TOKEN_MAX)
        return;
    for (size_t at = 1; at < m->word.len; at++) {
        try_without(m, at);
        if (at + 1 < m->word.len) try_swapped(m, at);
    }
    for (size_t at = 1; at <= m->stem.len; at++) try_letters(m, at);
}

/* ---- beginnings and compounds ----------------------------------------------------- */

static void try_longer(struct mend *m, fer_str text)
{
    if (text.len > m->stem.len && text.len <= FER_TOKEN_MAX &&
        memcmp(text.ptr, m->stem.ptr, m->stem.len) == 0)
        try_text(m, text.ptr, text.len);
}

static void try_beginning(struct mend *m)
{
    const fer_lexical *ix = m->ix;
    uint32_t tail = atomic_load_explicit(&ix->terms.count, memory_order_acquire);
    if (m->stem.len < FER_PREFIX_MIN) return;
    for (uint32_t t = 0; t < ix->frozen.term_count; t++)
        try_longer(m, fer_frozen_text(&ix->frozen, t));
    for (uint32_t t = 0; t < tail; t++) try_longer(m, fer_terms_get(&ix->terms, t)->text);
}

/* Two words that are both there, the rarer of them as frequent as can be. */
static void try_parts(struct mend *m)
{
    size_t best = 0;
    for (size_t at = 3; at + 3 <= m->stem.len; at++) {
        fer_str one = fer_str_slice(m->stem, 0, at),
                other = fer_str_slice(m->stem, at, m->stem.len);
        size_t x = df_of(m->ix, one), y = df_of(m->ix, other), least = x < y ? x : y;
        if (least <= best) continue;
        best = least;
        set(m->out, 0, one);
        set(m->out, 1, other);
    }
}

void fer_typo_mend(fer_typo *out, const fer_lexical *ix, fer_tokeniser *t, fer_str word,
                   fer_str stem, bool last)
{
    struct mend m = {ix, t, word, stem, out, 0};
    out->count = 0;
    try_mistakes(&m);
    if (!out->count && last) try_beginning(&m);
    if (!out->count) try_parts(&m);
}
