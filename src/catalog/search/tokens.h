/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text taken apart into the words that search compares, the same for documents and queries.
 *
 * Identifiers are split (snake, kebab, dots, camelCase, between letters and digits), letters
 * folded (case, accents, full width), English words stemmed (stemmer.h). Scripts that put no
 * spaces between words (Han, kana, Hangul, Thai ...) give every character, and every pair of
 * neighbours, as a token. Nothing is dropped here: a token says whether it is a stop word or
 * filler, and what border stands before it, and the caller leaves out what it does not need.
 *
 *     fer_token_reader r;
 *     fer_token t;
 *     fer_token_reader_init(&r, tokeniser, text);
 *     while (fer_token_next(&r, &t)) ...
 *
 * A tokeniser remembers stems of words it has seen and so belongs to one thread at a time; its
 * answers do not depend on what it has seen. A token's text is good until the next token.
 */
#ifndef FER_TOKENS_H
#define FER_TOKENS_H

#include <string.h>

#include "str.h"

#define FER_TOKEN_MAX 40 /* bytes of a folded word; what is behind them is left out */
#define FER_TOKEN_KEY 16 /* behind a shorter word or stem stand zeros, up to so many bytes */

typedef enum fer_token_kind {
    FER_TOKEN_WORD,
    FER_TOKEN_NUMBER, /* digits */
    FER_TOKEN_SIGN,   /* one character of a script without spaces */
    FER_TOKEN_PAIR    /* two of them, at the position of the first */
} fer_token_kind;

typedef enum fer_token_use {
    FER_TOKEN_CONTENT,
    FER_TOKEN_FILLER, /* "please", "help", "want": says nothing in a query, something in a document
                       */
    FER_TOKEN_STOP    /* "the", "of": says nothing anywhere */
} fer_token_use;

typedef enum fer_token_border {
    FER_BORDER_NONE,
    FER_BORDER_CLAUSE,  /* , ; : ( ) and the like */
    FER_BORDER_SENTENCE /* . ! ? with a blank behind it, a new line */
} fer_token_border;

typedef struct fer_token {
    fer_str text;      /* folded and stemmed */
    fer_str word;      /* folded, not stemmed */
    size_t start, end; /* bytes of the source it was made from */
    uint32_t position; /* counts words and signs, also stop words */
    fer_token_kind kind;
    fer_token_use use;
    fer_token_border border; /* the strongest between the token before and this one */
    uint16_t place;          /* where the tokeniser remembers it, + 1; 0: it does not */
} fer_token;

typedef struct fer_tokeniser fer_tokeniser;

/* NULL: no memory. */
FER_MUST_USE fer_tokeniser *fer_tokeniser_new(void);
/* One that remembers nothing, a megabyte smaller, for who does so itself
 * (fer_token_finish_once): it is not to be asked for what it remembers. */
FER_MUST_USE fer_tokeniser *fer_tokeniser_new_plain(void);
void fer_tokeniser_free(fer_tokeniser *t);

/* A text that is being read. The fields are the reader's own. */
typedef struct fer_token_reader {
    fer_tokeniser *tokeniser;
    fer_str text;
    size_t at;
    uint32_t position;
    fer_token_border border;
    size_t sign_start; /* of the sign before, which makes a pair with the next */
    size_t sign_len;   /* 0: there is none */
    size_t word_len;
    char word[FER_TOKEN_MAX + 16];
    char sign[8];             /* the sign before, folded */
    char last[FER_TOKEN_KEY]; /* what is left of a text, and zeros */
} fer_token_reader;

void fer_token_reader_init(fer_token_reader *r, fer_tokeniser *t, fer_str text);
/* The next token; false at the end of the text. */
bool fer_token_next(fer_token_reader *r, fer_token *out);

/* Two steps of it, for who remembers words itself: the next token without its stem and use ... */
bool fer_token_next_word(fer_token_reader *r, fer_token *out);
/* ... and these, found from its word. */
void fer_token_finish(fer_tokeniser *t, fer_token *token);
/* The same where the word is not going to be asked for again: it is not remembered. */
void fer_token_finish_once(fer_tokeniser *t, fer_token *token);
/* Its stem alone, for who knows the stop words. */
void fer_token_stem(fer_tokeniser *t, fer_token *token);

/* ---- notes --------------------------------------------------------------------- */

/*
 * What its owner knows of a word that a tokeniser remembers, and would have to look up again: it is
 * kept beside the stem, where the word's line of the cache has just been read.
 */
typedef struct fer_token_note {
    uint32_t number;
    uint32_t count;
    double worth;
    uint16_t related;
    uint16_t round; /* in which it was written; another one than the tokeniser's: it is nothing */
} fer_token_note;

/* Who notes are about. Where it is somebody else than before, all are forgotten. */
typedef struct fer_token_subject {
    const void *at;
    uint64_t part[3];
} fer_token_subject;
void fer_tokeniser_note_about(fer_tokeniser *t, const fer_token_subject *subject);
/* The note of a word of at most FER_TOKEN_KEY bytes that was read with that place, good until the
 * next token; NULL: it is no longer there. */
fer_token_note *fer_tokeniser_note(fer_tokeniser *t, uint16_t place, fer_str word);
/* Whether something was written. */
bool fer_tokeniser_noted(const fer_tokeniser *t, const fer_token_note *note);
/* Writes it; its round is the tokeniser's. */
void fer_tokeniser_write(const fer_tokeniser *t, fer_token_note *note, fer_token_note what);

/* ---- words as keys ------------------------------------------------------------ */

/*
 * Nearly all words have at most 16 bytes, and are compared and hashed as two numbers: two
 * multiplications. Under a seed that nobody knows, nobody can aim at it.
 */
typedef struct fer_token_key {
    uint64_t part[2];
} fer_token_key;

/*
 * The next tokens, for who asks for no borders and places, as long as they are words and numbers
 * in ASCII of at most FER_TOKEN_KEY bytes, as nearly all are, and there is room: the words as keys.
 * How many; fewer than there is room for: the next one is another, or the text has ended, and
 * then the reader is at its end.
 */
size_t fer_token_next_keys(fer_token_reader *r, fer_token_key *out, size_t room);

/* The same for who asks for borders and places too. */
typedef struct fer_token_spot {
    uint32_t start; /* of the word in the text, */
    uint8_t len;
    uint8_t kind, border; /* and as a token's */
} fer_token_spot;
size_t fer_token_next_spots(fer_token_reader *r, fer_token_key *out, fer_token_spot *spots,
                            size_t room);

/* How long the word of a key is: up to its last byte that is not zero. */
static inline size_t fer_token_key_len(const fer_token_key *key)
{
    uint64_t last = key->part[1] ? key->part[1] : key->part[0];
    size_t bytes = last ? (71 - (size_t)__builtin_clzll(last)) / 8 : 0;
    return key->part[1] ? 8 + bytes : bytes;
}

/* Of a token's word that is no longer than FER_TOKEN_KEY. */
static inline fer_token_key fer_token_key_of(fer_str word)
{
    fer_token_key key;
    memcpy(key.part, word.ptr, sizeof key.part);
    return key;
}

static inline bool fer_token_key_eq(const fer_token_key *x, const fer_token_key *y)
{
    return !((x->part[0] ^ y->part[0]) | (x->part[1] ^ y->part[1])); /* one branch, or none */
}

static inline uint64_t fer_token_mix(uint64_t x, uint64_t y)
{
    unsigned __int128 product = (unsigned __int128)x * y;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t fer_token_key_hash(const fer_token_key *key, const uint64_t seed[2])
{
    uint64_t h = fer_token_mix(key->part[0] ^ seed[0], key->part[1] ^ seed[1]);
    return fer_token_mix(h ^ seed[1], seed[0] | 1);
}

/* Of any text of at most FER_TOKEN_KEY bytes, with nothing read behind it. */
static inline fer_token_key fer_token_key_load(fer_str text)
{
    fer_token_key key = {{0, 0}};
    uint64_t high = 0;
    uint32_t low = 0, last = 0;
    if (text.len >= 8) {
        memcpy(&key.part[0], text.ptr, 8);
        memcpy(&high, text.ptr + text.len - 8, 8);
        key.part[1] = text.len == 8 ? 0 : high >> 8 * (16 - text.len);
    } else if (text.len >= 4) {
        memcpy(&low, text.ptr, 4);
        memcpy(&last, text.ptr + text.len - 4, 4);
        key.part[0] = low | (uint64_t)last << 8 * (text.len - 4);
    } else {
        for (size_t i = 0; i < text.len; i++)
            key.part[0] |= (uint64_t)(unsigned char)text.ptr[i] << 8 * i;
    }
    return key;
}

/* The same of any text; a short one has the hash of its key. */
uint64_t fer_token_hash_long(fer_str text, const uint64_t seed[2]);
static inline uint64_t fer_token_hash(fer_str text, const uint64_t seed[2])
{
    if (text.len > FER_TOKEN_KEY) return fer_token_hash_long(text, seed);
    fer_token_key key = fer_token_key_load(text);
    return fer_token_key_hash(&key, seed);
}
/* Of a word or stem with zeros behind it. */
static inline uint64_t fer_token_hash_padded(fer_str text, const uint64_t seed[2])
{
    if (text.len > FER_TOKEN_KEY) return fer_token_hash_long(text, seed);
    fer_token_key key = fer_token_key_of(text);
    return fer_token_key_hash(&key, seed);
}

/* Whether two texts with zeros behind them are the same. */
static inline bool fer_token_same(fer_str one, fer_str other)
{
    if ((one.len > FER_TOKEN_KEY) | (other.len > FER_TOKEN_KEY)) return fer_str_eq(one, other);
    fer_token_key x = fer_token_key_of(one), y = fer_token_key_of(other);
    return fer_token_key_eq(&x, &y);
}

/* Whether a tokeniser remembers a token: a word that is a key, and a number of few digits. Those
 * are their own stems, but notes are kept of them too; of longer ones there are too many. */
static inline bool fer_token_is_kept(fer_token_kind kind, size_t len)
{
    static const uint8_t most[] = {[FER_TOKEN_WORD] = FER_TOKEN_KEY,
                                   [FER_TOKEN_NUMBER] = 4,
                                   [FER_TOKEN_SIGN] = 0,
                                   [FER_TOKEN_PAIR] = 0};
    return len <= most[kind];
}

/*
 * As fer_token_finish, for who finishes many later, of words that are kept: what
 * is remembered of each is asked for when it is met, as to wait for it takes longer than to find
 * it. Then what is remembered, the stem with zeros behind it. False: nothing is.
 */
typedef struct fer_token_known {
    char stem[FER_TOKEN_KEY];
    uint16_t place; /* as a token's */
    uint8_t len, use;
} fer_token_known;
uint16_t fer_token_fetch(const fer_tokeniser *t, const fer_token_key *key);
bool fer_token_recall(const fer_tokeniser *t, uint16_t fetched, const fer_token_key *key,
                      fer_token_known *out);

#endif
