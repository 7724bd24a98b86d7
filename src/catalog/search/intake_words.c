/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words become numbers of terms. Those of a lot are looked up together, each step for all of them
 * before the next: what a step needs of memory is on its way while others are looked at, and no
 * step but the last, for words that are new, asks anything that is hard to guess.
 */
#include "intake_parts.h"
#include "stopwords.h"

#define WORDS_NEAR 16384 /* that are in a cache near a core */

/* ---- terms ---------------------------------------------------------------------- */

fer_term *fer_intake_term_of(fer_intake *in, fer_str text)
{
    fer_term *term = fer_terms_find(in->terms, text);
    return term ? term : fer_terms_add(in->terms, text, fer_frozen_find(in->frozen, text));
}

static bool number_long(fer_intake *in, fer_str text, uint32_t *out)
{
    void *known = fer_map_get(&in->long_terms, text);
    if (!known) {
        fer_str copy = fer_arena_copy(in->arena, text);
        void **place = copy.ptr ? fer_map_put(&in->long_terms, copy) : NULL;
        if (!place) return false;
        known = *place = (void *)(uintptr_t)(++in->term_count);
    }
    *out = (uint32_t)(uintptr_t)known - 1;
    return true;
}

/* The number of the term that has a word as its text. */
static uint32_t number_own(fer_intake *in, uint32_t number)
{
    fer_word *word = fer_words_get(&in->words_met, number);
    if (word->own == FER_NONE) word->own = in->term_count++;
    return word->own;
}

static bool number_word(fer_intake *in, const fer_token_key *key, uint32_t *out)
{
    uint64_t hash = fer_words_hash(&in->words_met, key);
    uint32_t number = fer_words_meet(&in->words_met, key, hash);
    if (number) *out = number_own(in, number);
    return number != 0;
}

bool fer_intake_number(fer_intake *in, fer_str text, uint32_t *out)
{
    if (in->terms) {
        const fer_term *term = fer_intake_term_of(in, text);
        if (term) *out = term->number;
        return term != NULL;
    }
    if (text.len > FER_TOKEN_KEY) return number_long(in, text, out);
    fer_token_key key = fer_token_key_of(text);
    return number_word(in, &key, out);
}

bool fer_intake_meet_stopwords(fer_intake *in)
{
    fer_str word;
    for (size_t i = 0; (word = fer_stopword(i)).len; i++) {
        fer_token_key key = fer_token_key_load(word);
        uint32_t number =
            fer_words_meet(&in->words_met, &key, fer_words_hash(&in->words_met, &key));
        if (!number) return false;
        fer_words_get(&in->words_met, number)->term = FER_NONE;
    }
    return true;
}

/* ---- words that were met --------------------------------------------------------- */

bool fer_intake_make_term(fer_intake *in, fer_token *token, uint32_t number, uint32_t *out)
{
    *out = FER_NONE;
    if (in->terms) fer_token_finish_once(in->tokeniser, token);
    else fer_token_stem(in->tokeniser, token); /* stop words were met before all others */
    if (token->use == FER_TOKEN_STOP) return true;
    if (in->terms || !number || token->text.ptr != token->word.ptr)
        return fer_intake_number(in, token->text, out);
    *out = number_own(in, number); /* its own stem */
    return true;
}

/* The term of a word of the lot that is met for the first time, or was not found at once. */
__attribute__((noinline)) static bool meet(fer_intake *in, size_t i, uint32_t *out)
{
    const fer_token_key *key = &in->lot.word[i];
    uint32_t number = fer_words_meet(&in->words_met, key, in->lot.hashes[i]);
    if (!number) return false;
    *out = fer_words_get(&in->words_met, number)->term;
    if (*out != FER_WORDS_NEW) return true;
    fer_str text = {(const char *)key->part, fer_token_key_len(key)};
    fer_token token = {.word = text, .text = text, .kind = (fer_token_kind)in->lot.kinds[i]};
    if (token.kind == FER_TOKEN_WORD && fer_is_digit(text.ptr[0])) token.kind = FER_TOKEN_NUMBER;
    if (!fer_intake_make_term(in, &token, number, out)) return false;
    if (token.kind >= FER_TOKEN_SIGN && *out != FER_NONE) *out |= FER_INTAKE_SIGN;
    fer_words_get(&in->words_met, number)->term = *out;
    return true;
}

/* What is known of words that wait is asked for. */
static void fetch_words(fer_intake *in, size_t from, size_t to)
{
    struct fer_intake_lot *lot = &in->lot;
    const fer_words met = in->words_met; /* nobody else's, so it is not read anew for each word */
    for (size_t i = from; i < to; i++) {
        uint64_t hash = fer_words_hash(&met, &lot->word[i]);
        lot->hashes[i] = hash;
        fer_words_fetch(&met, hash);
    }
}

/* The same of where they lie, once the table has said where. */
static void fetch_places(const fer_intake *in, size_t from, size_t to)
{
    const fer_words met = in->words_met;
    for (size_t i = from; i < to; i++) __builtin_prefetch(fer_words_look(&met, in->lot.hashes[i]));
}

/*
 * What they are. One in ten is new, or not found at once, and which is anybody's guess: there is no
 * branch, and those are gathered. How many.
 */
static size_t find_words(fer_intake *in, size_t from, size_t to)
{
    struct fer_intake_lot *lot = &in->lot;
    const fer_words met = in->words_met;
    size_t missing = 0;
    for (size_t i = from; i < to; i++) {
        const fer_word *word = fer_words_look(&met, lot->hashes[i]);
        uint64_t other =
            (word->key.part[0] ^ lot->word[i].part[0]) | (word->key.part[1] ^ lot->word[i].part[1]);
        lot->found[i] = word->term;
        lot->missing[missing] = (uint16_t)i;
        missing += (other != 0) | (word->term == FER_WORDS_NEW);
    }
    return missing;
}

/* Every third is a stop word: it is written, and what comes next written over it. */
static void put_terms(fer_intake *in, size_t from, size_t to)
{
    struct fer_intake_lot *lot = &in->lot;
    const struct fer_intake_mark *marks = in->marks;
    size_t count = lot->at[from], places = in->mark_count - 1;
    for (size_t i = from; i < to; i++) {
        uint32_t term = lot->found[i];
        lot->terms[count] = term;
        count += term != FER_NONE;
        lot->at[i + 1] = (uint16_t)count;
        __builtin_prefetch(&marks[term & places]);
    }
}

/* The terms of words that wait; those before them were looked up. False: no memory. */
static bool look_up(fer_intake *in, size_t from, size_t to)
{
    struct fer_intake_lot *lot = &in->lot;
    fetch_words(in, from, to);
    if (in->words_met.count > WORDS_NEAR) fetch_places(in, from, to);
    size_t missing = find_words(in, from, to);
    for (size_t i = 0; i < missing; i++) {
        if (!meet(in, lot->missing[i], &lot->found[lot->missing[i]])) return false;
    }
    put_terms(in, from, to);
    return true;
}

/*
 * The same where not all may have room. Words that a full document has none for are not looked up,
 * or a term that no document has would be in the index.
 */
static bool look_up_few(fer_intake *in, size_t room)
{
    struct fer_intake_lot *lot = &in->lot;
    for (size_t i = 0, word = 0; i < lot->pieces; i++) {
        const struct fer_intake_piece *p = &lot->piece[i];
        if (p->terms) room -= p->count < room ? p->count : room;
        for (size_t to = word + (p->terms ? 0 : p->count); word < to; word++) {
            if (room && !look_up(in, word, word + 1)) return false;
            if (!room) lot->at[word + 1] = lot->at[word];
            room -= lot->at[word + 1] > lot->at[word];
        }
    }
    return true;
}

bool fer_intake_look_up(fer_intake *in, size_t room)
{
    const struct fer_intake_lot *lot = &in->lot;
    return lot->words + lot->known <= room ? look_up(in, 0, lot->words) : look_up_few(in, room);
}
