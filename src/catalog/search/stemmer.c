/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which letters are vowels is a word of bits, so that "a vowel somewhere before it" and where the
 * regions R1 and R2 begin take a few operations. A suffix is compared as one number of 8 bytes, and
 * which steps can have one of a word follows from its last letter. A y that is a consonant (Y in
 * Porter's text: the first letter, or behind a vowel) is one whose bit is not set.
 */
#include "stemmer.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "str.h"

#define PAD   16     /* bytes before a word, and behind it, that are read with it */
#define OTHER '\x80' /* stands for a character past ASCII: a consonant */

static_assert(FER_STEM_WORD < 64, "letters are bits of one word");

struct word {
    uint64_t vowels; /* bits of those behind its end mean nothing */
    size_t len;
    size_t r1, r2; /* where the regions begin */
    char *at;      /* the letters, with PAD bytes around them */
};

/* ---- letters --------------------------------------------------------------- */

#define BIT(letter) (UINT32_C(1) << ((letter) - 'a'))
#define ALWAYS      (BIT('a') | BIT('e') | BIT('i') | BIT('o') | BIT('u')) /* vowels */
#define SOME        16 /* letters that are looked at together */

static bool is_one_of(char c, uint32_t letters)
{
    unsigned n = (unsigned char)c - 'a';
    return n < 26 && letters >> n & 1;
}

static bool is_vowel(const struct word *w, size_t at)
{
    return w->vowels >> at & 1;
}

/* Which of 16 letters are vowels, and which may be. */
#if defined(__SSE2__)
#include <emmintrin.h>
static uint64_t same_as(__m128i letters, char c)
{
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(letters, _mm_set1_epi8(c)));
}

static void find_some(const char *at, uint64_t *vowels, uint64_t *ys)
{
    __m128i letters = _mm_loadu_si128((const __m128i *)(const void *)at);
    *vowels = same_as(letters, 'a') | same_as(letters, 'e') | same_as(letters, 'i') |
              same_as(letters, 'o') | same_as(letters, 'u');
    *ys = same_as(letters, 'y');
}
#else
static void find_some(const char *at, uint64_t *vowels, uint64_t *ys)
{
    *vowels = *ys = 0;
    for (unsigned i = 0; i < SOME; i++) {
        *vowels |= (uint64_t)is_one_of(at[i], ALWAYS) << i;
        *ys |= (uint64_t)(at[i] == 'y') << i;
    }
}
#endif

static void find_vowels(struct word *w)
{
    uint64_t vowels = 0, ys = 0, more, more_ys;
    for (size_t i = 0; i < w->len; i += SOME) {
        find_some(w->at + i, &more, &more_ys);
        vowels |= more << i;
        ys |= more_ys << i;
    }
    for (ys &= ~UINT64_C(1); ys; ys &= ys - 1) vowels |= ys & -ys & ~(vowels << 1);
    w->vowels = vowels;
}

/* Behind the first consonant that follows a vowel, from `from` on; `none` where there is no such.
 */
static size_t behind_syllable(const struct word *w, size_t from, size_t none)
{
    uint64_t inside = (UINT64_C(1) << w->len) - 1;
    uint64_t vowels = w->vowels & inside & ~((UINT64_C(1) << from) - 1);
    if (!vowels) return none;
    uint64_t others = ~w->vowels & inside & ~((vowels & -vowels) - 1);
    return others ? (size_t)__builtin_ctzll(others) + 1 : none;
}

/* ---- suffixes -------------------------------------------------------------- */

static uint64_t load(const void *p)
{
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return bytes;
}

/* The first `len` of 8 bytes. */
static uint64_t first_bytes(const char *p, size_t len)
{
    static const uint8_t keep[16] = {255, 255, 255, 255, 255, 255, 255, 255};
    return load(p) & load(keep + 8 - len);
}

static bool ends_with(const struct word *w, const char suffix[8], size_t len)
{
    return len <= w->len && first_bytes(w->at + w->len - len, len) == load(suffix);
}

#define ENDS(w, suffix)   ends_with(w, (const char[8]){suffix}, sizeof suffix - 1)
#define BEGINS(w, prefix) (first_bytes((w)->at, sizeof prefix - 1) == load((const char[8]){prefix}))

/* Cuts `cut` letters and adds those of `with`, of which none is a y. */
static void replace(struct word *w, size_t cut, const char *with)
{
    w->len -= cut;
    for (; *with; with++, w->len++) {
        uint64_t bit = UINT64_C(1) << w->len;
        w->at[w->len] = *with;
        w->vowels &= ~bit;
        if (is_one_of(*with, ALWAYS)) w->vowels |= bit;
    }
}

/* A consonant that is none of w, x, Y, behind a vowel behind a consonant; or two letters, a vowel
 * and a consonant. */
static bool ends_short(const struct word *w)
{
    size_t n = w->len;
    if (n < 2 || is_vowel(w, n - 1) || !is_vowel(w, n - 2)) return false;
    if (n == 2) return true;
    return !is_vowel(w, n - 3) && !is_one_of(w->at[n - 1], BIT('w') | BIT('x') | BIT('y'));
}

/* ---- plurals, -ed and -ing --------------------------------------------------- */

static bool has_vowel_before(const struct word *w, size_t end)
{
    return w->vowels & ((UINT64_C(1) << end) - 1);
}

static void cut_plural(struct word *w)
{
    size_t n = w->len;
    if (ENDS(w, "ied") || ENDS(w, "ies")) w->len -= n > 4 ? 2 : 1;
    else if (w->at[n - 1] != 's' || w->at[n - 2] == 'u' || w->at[n - 2] == 's') return;
    else if (ENDS(w, "sses")) w->len -= 2;
    else if (has_vowel_before(w, n - 2)) w->len--;
}

/* What -ed or -ing leaves behind: hop(p), creat(e), hop(e). */
static void mend(struct word *w)
{
    size_t n = w->len;
    static const uint32_t doubled = BIT('b') | BIT('d') | BIT('f') | BIT('g') | BIT('m') |
                                    BIT('n') | BIT('p') | BIT('r') | BIT('t');
    if (ENDS(w, "at") || ENDS(w, "bl") || ENDS(w, "iz")) replace(w, 0, "e");
    else if (n > 1 && w->at[n - 1] == w->at[n - 2] && is_one_of(w->at[n - 1], doubled)) w->len--;
    else if (n == w->r1 && ends_short(w)) replace(w, 0, "e");
}

static void cut_past(struct word *w)
{
    struct word rest = *w; /* without its -ly */
    rest.len -= ENDS(w, "ly") ? 2 : 0;
    if (ENDS(&rest, "eed")) {
        if (w->r1 <= rest.len - 3) w->len = rest.len - 1;
        return;
    }
    if (ENDS(&rest, "ing")) rest.len -= 3;
    else if (ENDS(&rest, "ed")) rest.len -= 2;
    else return;
    if (!has_vowel_before(w, rest.len)) return;
    w->len = rest.len;
    mend(w);
}

static void turn_y(struct word *w)
{
    size_t n = w->len;
    if (n > 2 && w->at[n - 1] == 'y' && !is_vowel(w, n - 2)) replace(w, 1, "i");
}

/* ---- the steps with tables --------------------------------------------------- */

/* A longer suffix stands before those that it ends with. */
struct suffix {
    char text[8];
    uint8_t len, cut; /* what is cut of it ... */
    char with[4];     /* ... and what is put there */
    uint32_t behind;  /* letters of which one must stand before it; 0: any */
    bool inner;       /* only in R2, where others are in R1 */
};

#define VALID_LI                                                                                   \
    (BIT('c') | BIT('d') | BIT('e') | BIT('g') | BIT('h') | BIT('k') | BIT('m') | BIT('n') |       \
     BIT('r') | BIT('t'))

/* A step: its suffixes by their last letters, and from where to where those of a letter are. */
struct step {
    struct suffix list[24];
    uint8_t of[26][2];
};

static const struct step step_2 = {
    {
        {"ational", 7, 5, "e", 0, false},   {"tional", 6, 2, "", 0, false},
        {"ization", 7, 5, "e", 0, false},   {"ation", 5, 3, "e", 0, false},
        {"fulness", 7, 4, "", 0, false},    {"ousness", 7, 4, "", 0, false},
        {"iveness", 7, 4, "", 0, false},    {"enci", 4, 1, "e", 0, false},
        {"anci", 4, 1, "e", 0, false},      {"biliti", 6, 5, "le", 0, false},
        {"aliti", 5, 3, "", 0, false},      {"iviti", 5, 3, "e", 0, false},
        {"abli", 4, 1, "e", 0, false},      {"bli", 3, 1, "e", 0, false},
        {"entli", 5, 2, "", 0, false},      {"alli", 4, 2, "", 0, false},
        {"ousli", 5, 2, "", 0, false},      {"fulli", 5, 2, "", 0, false},
        {"lessli", 6, 2, "", 0, false},     {"li", 2, 2, "", VALID_LI, false},
        {"ogi", 3, 1, "", BIT('l'), false}, {"izer", 4, 1, "", 0, false},
        {"ator", 4, 2, "e", 0, false},      {"alism", 5, 3, "", 0, false},
    },
    {['l' - 'a'] = {0, 2},
     ['n' - 'a'] = {2, 4},
     ['s' - 'a'] = {4, 7},
     ['i' - 'a'] = {7, 21},
     ['r' - 'a'] = {21, 23},
     ['m' - 'a'] = {23, 24}},
};

static const struct step step_3 = {
    {
        {"ational", 7, 5, "e", 0, false},
        {"tional", 6, 2, "", 0, false},
        {"ical", 4, 2, "", 0, false},
        {"ful", 3, 3, "", 0, false},
        {"alize", 5, 3, "", 0, false},
        {"icate", 5, 3, "", 0, false},
        {"ative", 5, 5, "", 0, true},
        {"iciti", 5, 3, "", 0, false},
        {"ness", 4, 4, "", 0, false},
    },
    {['l' - 'a'] = {0, 4}, ['e' - 'a'] = {4, 7}, ['i' - 'a'] = {7, 8}, ['s' - 'a'] = {8, 9}},
};

static const struct step step_4 = {
    {
        {"ance", 4, 4, "", 0, false},
        {"ence", 4, 4, "", 0, false},
        {"able", 4, 4, "", 0, false},
        {"ible", 4, 4, "", 0, false},
        {"ate", 3, 3, "", 0, false},
        {"ive", 3, 3, "", 0, false},
        {"ize", 3, 3, "", 0, false},
        {"ant", 3, 3, "", 0, false},
        {"ement", 5, 5, "", 0, false},
        {"ment", 4, 4, "", 0, false},
        {"ent", 3, 3, "", 0, false},
        {"ism", 3, 3, "", 0, false},
        {"al", 2, 2, "", 0, false},
        {"er", 2, 2, "", 0, false},
        {"ic", 2, 2, "", 0, false},
        {"iti", 3, 3, "", 0, false},
        {"ous", 3, 3, "", 0, false},
        {"ion", 3, 3, "", BIT('s') | BIT('t'), false},
    },
    {['e' - 'a'] = {0, 7},
     ['t' - 'a'] = {7, 11},
     ['m' - 'a'] = {11, 12},
     ['l' - 'a'] = {12, 13},
     ['r' - 'a'] = {13, 14},
     ['c' - 'a'] = {14, 15},
     ['i' - 'a'] = {15, 16},
     ['s' - 'a'] = {16, 17},
     ['n' - 'a'] = {17, 18}},
};

/*
 * The longest suffix of a step that a word has decides, whether it can be cut or not. None has less
 * than two letters, and all stand in a region that begins at `from`.
 */
static void cut_suffix(struct word *w, size_t from, const struct step *step)
{
    unsigned last = (unsigned char)w->at[w->len - 1] - 'a';
    if (w->len < from + 2 || last >= FER_COUNT(step->of)) return;
    const struct suffix *s = step->list + step->of[last][0], *end = step->list + step->of[last][1];
    while (s < end && !ends_with(w, s->text, s->len)) s++;
    if (s == end) return;
    size_t at = w->len - s->len;
    if (at < from || (s->inner && at < w->r2)) return;
    if (s->behind && !is_one_of(at ? w->at[at - 1] : OTHER, s->behind)) return;
    replace(w, s->cut, s->with);
}

static void cut_last(struct word *w)
{
    size_t last = w->len - 1;
    bool inner = last >= w->r2;
    if (w->at[last] == 'l') {
        w->len -= inner && last && w->at[last - 1] == 'l';
    } else if (w->at[last] == 'e') {
        struct word rest = *w;
        rest.len--;
        w->len -= inner || (last >= w->r1 && !ends_short(&rest));
    }
}

/* ---- words that follow no rule ------------------------------------------------ */

static const struct odd {
    char word[8], stem[8];
} odd[] = {
    {"sky", "sky"},      {"skis", "ski"},      {"idly", "idl"},    {"ugly", "ugli"},
    {"only", "onli"},    {"news", "news"},     {"howe", "howe"},   {"bias", "bias"},
    {"skies", "sky"},    {"dying", "die"},     {"lying", "lie"},   {"tying", "tie"},
    {"early", "earli"},  {"atlas", "atlas"},   {"andes", "andes"}, {"gently", "gentl"},
    {"singly", "singl"}, {"cosmos", "cosmos"},
};
/* Where those begin that are so long. */
static const uint8_t odd_from[] = {0, 0, 0, 0, 1, 8, 15, FER_COUNT(odd)};
/* Once they are no plurals. */
static const char kept[][8] = {"inning",  "outing",  "canning", "herring",
                               "earring", "proceed", "exceed",  "succeed"};

static bool find_odd(struct word *w)
{
    if (w->len + 1 >= FER_COUNT(odd_from)) return false;
    uint64_t word = first_bytes(w->at, w->len);
    for (size_t i = odd_from[w->len]; i < odd_from[w->len + 1]; i++) {
        if (load(odd[i].word) != word) continue;
        w->len = strlen(odd[i].stem);
        memcpy(w->at, odd[i].stem, sizeof odd[i].stem);
        return true;
    }
    return false;
}

static bool is_kept(const struct word *w)
{
    if (w->len < 6 || w->len > 7 || !is_one_of(w->at[w->len - 1], BIT('g') | BIT('d')))
        return false;
    uint64_t word = first_bytes(w->at, w->len);
    for (size_t i = 0; i < FER_COUNT(kept); i++) {
        if (load(kept[i]) == word) return true;
    }
    return false;
}

/* A word shorter than these has zeros behind it. */
static size_t first_region(const struct word *w)
{
    if (BEGINS(w, "gener") || BEGINS(w, "arsen")) return 5;
    if (BEGINS(w, "commun")) return 6;
    return behind_syllable(w, 0, w->len);
}

/* ---- all of it ---------------------------------------------------------------- */

static void stem(struct word *w)
{
    if (w->len < 3 || find_odd(w)) return;
    find_vowels(w);
    w->r1 = first_region(w);
    w->r2 = behind_syllable(w, w->r1, w->len);
    cut_plural(w);
    if (is_kept(w)) return;
    cut_past(w);
    turn_y(w);
    cut_suffix(w, w->r1, &step_2);
    cut_suffix(w, w->r1, &step_3);
    cut_suffix(w, w->r2, &step_4);
    cut_last(w);
}

/* With zeros behind it. */
static bool is_ascii(const char word[FER_STEM_WORD])
{
    uint64_t all = 0;
    for (size_t i = 0; i < FER_STEM_WORD; i += sizeof all) all |= load(word + i);
    return !(all & UINT64_C(0x8080808080808080));
}

static bool begins_letter(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

/* One byte for each character; how many. */
static size_t take_letters(const char *word, size_t len, char *to)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++) {
        if (begins_letter(word[i])) to[count++] = word[i] & OTHER ? OTHER : word[i];
    }
    return count;
}

/* Where so many letters of a word end. */
static size_t behind_letters(const char *word, size_t len, size_t letters)
{
    size_t at = 0;
    for (; at < len && letters; letters--) {
        for (at++; at < len && !begins_letter(word[at]);) at++;
    }
    return at;
}

/* Up to the last character past ASCII that is left, nothing has changed. */
static size_t stem_wide(struct word *w, const char *word, size_t len, char *out)
{
    size_t same = 0;
    w->len = take_letters(word, len, w->at);
    stem(w);
    for (size_t i = 0; i < w->len; i++) {
        if (w->at[i] == OTHER) same = i + 1;
    }
    size_t bytes = behind_letters(word, len, same), more = w->len - same;
    memcpy(out, word, bytes);
    memcpy(out + bytes, w->at + same, more);
    return bytes + more;
}

/* Nearly all are short, and copied whatever their length. */
static void put_stem(const struct word *w, char out[FER_STEM_WORD])
{
    if (w->len > FER_STEM_SHORT) {
        memcpy(out, w->at, w->len);
        return;
    }
    uint64_t part[2] = {first_bytes(w->at, w->len < 8 ? w->len : 8),
                        first_bytes(w->at + 8, w->len < 8 ? 0 : w->len - 8)};
    memcpy(out, part, sizeof part);
}

size_t fer_stem(const char *word, size_t len, char out[FER_STEM_WORD])
{
    char room[PAD + FER_STEM_WORD + PAD] = {0};
    struct word w = {.at = room + PAD, .len = len};
    assert(len <= FER_STEM_WORD);
    memset(out, 0, FER_STEM_WORD);
    memcpy(w.at, word, FER_STEM_SHORT);
    if (len > FER_STEM_SHORT) memcpy(w.at, word, len);
    if (!is_ascii(w.at)) {
        memset(room, 0, sizeof room);
        return stem_wide(&w, word, len, out);
    }
    stem(&w);
    put_stem(&w, out);
    return w.len;
}
