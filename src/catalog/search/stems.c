/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stem costs more than a look into a table; words repeat, so each is stemmed once and remembered,
 * with all that its owner notes of it, in one line of a cache. There are two of them per hash: a
 * new word that falls on them takes the place of the one that came first. With one place each, a
 * third of the words of 500 requests were stemmed anew.
 */
#include "stemmer.h"
#include "stopwords.h"
#include "sys.h"

#define STEM_ROWS   8192 /* a power of two */
#define STEM_PLACES 2    /* of a row */
#define STEM_MAX    (FER_TOKEN_KEY - 2)

#define LINE ((size_t)64)

/* A word of at most FER_TOKEN_KEY bytes and its stem of at most STEM_MAX. */
struct stem {
    _Alignas(LINE) fer_token_key word; /* of no bytes: nobody is here */
    char stem[STEM_MAX];
    uint8_t stem_len;
    uint8_t use;
    fer_token_note note;
};
static_assert(offsetof(struct stem, stem) + FER_TOKEN_KEY <= sizeof(struct stem),
              "two parts of it");
static_assert(STEM_ROWS * STEM_PLACES < UINT16_MAX, "places are 16 bits");

static_assert(FER_TOKEN_MAX <= FER_STEM_WORD && FER_TOKEN_KEY <= FER_STEM_WORD &&
                  FER_STEM_SHORT <= FER_TOKEN_KEY,
              "every word has a stem, and zeros behind a short one");

struct row {
    struct stem places[STEM_PLACES];
};
static_assert(sizeof(struct stem) == LINE, "each has a line of its own");

struct fer_tokeniser {
    char stem[FER_STEM_WORD]; /* of the last word */
    fer_token_subject subject;
    fer_stopwords stopwords;
    uint16_t round;   /* of notes; from 1 on */
    struct row *rows; /* in what follows, from where a line begins; NULL: there are none */
    char room[];
};

static fer_tokeniser *make(size_t room)
{
    fer_tokeniser *t = fer_sys_malloc_zero(sizeof *t + room);
    if (!t) return NULL;
    t->round = 1;
    fer_stopwords_init(&t->stopwords);
    return t;
}

fer_tokeniser *fer_tokeniser_new_plain(void)
{
    return make(0);
}

fer_tokeniser *fer_tokeniser_new(void)
{
    fer_tokeniser *t = make(STEM_ROWS * sizeof(struct row) + LINE);
    if (t) t->rows = (void *)(t->room + (-(uintptr_t)t->room & (LINE - 1)));
    return t;
}

void fer_tokeniser_free(fer_tokeniser *t)
{
    fer_sys_free(t);
}

/* ---- stems ---------------------------------------------------------------- */

/*
 * The letters before a last one with which some suffix of the stemmer's ends; a word that ends
 * otherwise is its own stem, as nearly half of the words of tools are.
 */
#define BEFORE(letter) (UINT32_C(1) << ((letter) - 'a'))
#define ANY            (BEFORE('z') * 2 - 1)
static const uint32_t ends_of_suffixes[26] = {
    ['c' - 'a'] = BEFORE('i'),
    ['d' - 'a'] = BEFORE('e'),
    ['e' - 'a'] = ANY,
    ['g' - 'a'] = BEFORE('n'),
    ['i' - 'a'] = ANY,
    ['l' - 'a'] = BEFORE('a') | BEFORE('l') | BEFORE('u'),
    ['m' - 'a'] = BEFORE('s'),
    ['n' - 'a'] = BEFORE('o'),
    ['r' - 'a'] = BEFORE('e') | BEFORE('o'),
    ['s' - 'a'] = ANY,
    ['t' - 'a'] = BEFORE('n') | BEFORE('s'),
    ['y' - 'a'] = ANY & ~(BEFORE('a') | BEFORE('e') | BEFORE('o') | BEFORE('u')),
};

static bool is_stem(fer_str word)
{
    if (word.len < 2) return false;
    unsigned last = (unsigned char)word.ptr[word.len - 1] - 'a';
    unsigned before = (unsigned char)word.ptr[word.len - 2] - 'a';
    return last < 26 && before < 26 && !(ends_of_suffixes[last] >> before & 1);
}

static fer_str stem_of(fer_tokeniser *t, fer_str word)
{
    if (is_stem(word)) return word;
    return (fer_str){t->stem, fer_stem(word.ptr, word.len, t->stem)};
}

static struct stem *row_of(const fer_tokeniser *t, const fer_token_key *key)
{
    static const uint64_t seed[2] = {0x9E3779B97F4A7C15, 0xD1B54A32D192ED03};
    return t->rows[(size_t)fer_token_key_hash(key, seed) & (STEM_ROWS - 1)].places;
}

/* The others of the row move up. */
static void remember(struct stem *row, const fer_token_key *key, fer_str stem, fer_token_use use)
{
    memmove(row + 1, row, (STEM_PLACES - 1) * sizeof *row);
    row->word = *key;
    row->stem_len = (uint8_t)stem.len;
    row->use = (uint8_t)use;
    row->note = (fer_token_note){0};
    memset(row->stem, 0, sizeof row->stem);
    memcpy(row->stem, stem.ptr, stem.len);
}

static uint16_t place_of(const fer_tokeniser *t, const struct stem *s)
{
    size_t at = (size_t)((const char *)s - (const char *)t->rows);
    return (uint16_t)(at / sizeof(struct row) * STEM_PLACES +
                      at % sizeof(struct row) / sizeof(struct stem) + 1);
}

static void find_stem(fer_tokeniser *t, fer_token *token, struct stem *row)
{
    if (token->kind == FER_TOKEN_WORD) {
        token->text = stem_of(t, token->word);
        token->use = fer_stopwords_use(&t->stopwords, token->word);
    }
    if (row && token->text.len <= STEM_MAX) {
        fer_token_key key = fer_token_key_of(token->word);
        remember(row, &key, token->text, token->use);
        token->place = place_of(t, row);
    }
}

static inline void recall(fer_tokeniser *t, fer_token *token, const struct stem *s)
{
    memset(t->stem, 0, FER_TOKEN_KEY);
    memcpy(t->stem, s->stem, STEM_MAX);
    token->text = (fer_str){t->stem, s->stem_len};
    token->use = (fer_token_use)s->use;
    token->place = place_of(t, s);
}

uint16_t fer_token_fetch(const fer_tokeniser *t, const fer_token_key *key)
{
    assert(t->rows);
    const struct stem *row = row_of(t, key);
    __builtin_prefetch(row);
    __builtin_prefetch(row + 1);
    return (uint16_t)(((const char *)row - (const char *)t->rows) / (ptrdiff_t)sizeof(struct row));
}

bool fer_token_recall(const fer_tokeniser *t, uint16_t fetched, const fer_token_key *key,
                      fer_token_known *out)
{
    const struct stem *row = t->rows[fetched].places;
    static_assert(STEM_PLACES == 2, "which of them it is is not for a branch to foresee");
    const bool first = fer_token_key_eq(&row[0].word, key);
    const size_t at = !first;
    if (!(first | fer_token_key_eq(&row[1].word, key))) return false;
    /* Both at once, so that who reads all of it need not wait: the stem's last bytes are others. */
    uint64_t part[2];
    memcpy(part, (const char *)&row[at] + offsetof(struct stem, stem), sizeof part);
    part[1] &= UINT64_MAX >> 8 * (FER_TOKEN_KEY - STEM_MAX);
    memcpy(out->stem, part, sizeof part);
    out->place = (uint16_t)((size_t)fetched * STEM_PLACES + at + 1);
    out->len = row[at].stem_len;
    out->use = row[at].use;
    return true;
}

void fer_token_finish_once(fer_tokeniser *t, fer_token *token)
{
    if (token->kind == FER_TOKEN_WORD) find_stem(t, token, NULL);
    else if (token->kind != FER_TOKEN_NUMBER)
        token->use = fer_stopwords_use(&t->stopwords, token->word);
}

void fer_token_stem(fer_tokeniser *t, fer_token *token)
{
    if (token->kind == FER_TOKEN_WORD) token->text = stem_of(t, token->word);
}

void fer_token_finish(fer_tokeniser *t, fer_token *token)
{
    if (!fer_token_is_kept(token->kind, token->word.len) || !t->rows) {
        fer_token_finish_once(t, token);
        return;
    }
    fer_token_key key = fer_token_key_of(token->word);
    struct stem *row = row_of(t, &key);
    for (size_t i = 0; i < STEM_PLACES; i++) {
        if (fer_token_key_eq(&row[i].word, &key)) {
            recall(t, token, &row[i]);
            return;
        }
    }
    find_stem(t, token, row);
}

/* ---- notes ---------------------------------------------------------------- */

void fer_tokeniser_note_about(fer_tokeniser *t, const fer_token_subject *subject)
{
    if (t->subject.at == subject->at &&
        memcmp(t->subject.part, subject->part, sizeof subject->part) == 0)
        return;
    t->subject = *subject;
    if (++t->round) return;
    memset(t->rows, 0, STEM_ROWS * sizeof *t->rows); /* after 65,535 others */
    t->round = 1;
}

fer_token_note *fer_tokeniser_note(fer_tokeniser *t, uint16_t place, fer_str word)
{
    if (!place) return NULL;
    assert(place <= STEM_ROWS * STEM_PLACES && word.len <= FER_TOKEN_KEY);
    struct stem *s = &t->rows[(place - 1) / STEM_PLACES].places[(place - 1) % STEM_PLACES];
    fer_token_key key = fer_token_key_of(word);
    return fer_token_key_eq(&s->word, &key) ? &s->note : NULL;
}

bool fer_tokeniser_noted(const fer_tokeniser *t, const fer_token_note *note)
{
    return note->round == t->round;
}

void fer_tokeniser_write(const fer_tokeniser *t, fer_token_note *note, fer_token_note what)
{
    *note = what;
    note->round = t->round;
}
