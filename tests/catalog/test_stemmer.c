/* SPDX-License-Identifier: Apache-2.0 */
/* Our stems are Snowball's: words that follow no rule, and many that are made up of suffixes. */
#include "stemmer.h"

#include <libstemmer.h>

#include "rows.h"

static const struct row {
    const char *word, *stem;
} rows[] = {
    {"a", "a"},
    {"as", "as"},
    {"is", "is"},
    {"ties", "tie"},
    {"cries", "cri"},
    {"skis", "ski"},
    {"skies", "sky"},
    {"dying", "die"},
    {"idly", "idl"},
    {"gently", "gentl"},
    {"ugly", "ugli"},
    {"early", "earli"},
    {"only", "onli"},
    {"singly", "singl"},
    {"news", "news"},
    {"howe", "howe"},
    {"atlas", "atlas"},
    {"cosmos", "cosmos"},
    {"bias", "bias"},
    {"andes", "andes"},
    {"innings", "inning"},
    {"herring", "herring"},
    {"succeeds", "succeed"},
    {"generous", "generous"},
    {"communism", "communism"},
    {"arsenal", "arsenal"},
    {"hopping", "hop"},
    {"hoping", "hope"},
    {"agreedly", "agre"},
    {"sayyid", "sayyid"},
    {"youth", "youth"},
    {"say", "say"},
    {"cry", "cri"},
    {"by", "by"},
    {"rationalizations", "ration"},
    {"hopefulness", "hope"},
    {"abilities", "abil"},
    {"apologies", "apolog"},
    {"adoption", "adopt"},
    {"controll", "control"},
    {"\xC5\x82"
     "odzies",
     "\xC5\x82"
     "odzi"},
    {"\xD0\xB6ies", "\xD0\xB6ie"}, /* characters count, not bytes */
    {"\xD0\xB6\xD0\xB6ies", "\xD0\xB6\xD0\xB6i"},
};

static void same_stem(struct sb_stemmer *snowball, const char *word, const char *want)
{
    char stem[FER_STEM_WORD], padded[FER_STEM_WORD] = {0};
    assert_true(strlen(word) <= sizeof padded);
    memcpy(padded, word, strlen(word));
    size_t len = fer_stem(padded, strlen(word), stem);
    const sb_symbol *other = sb_stemmer_stem(snowball, (const sb_symbol *)word, (int)strlen(word));
    size_t other_len = (size_t)sb_stemmer_length(snowball);
    if (len != other_len || memcmp(stem, other, len) != 0)
        fail_msg("%s became %.*s, Snowball's %.*s", word, (int)len, stem, (int)other_len, other);
    for (size_t i = len; i < sizeof stem; i++) assert_int_equal(stem[i], 0);
    if (want) assert_true(len == strlen(want) && memcmp(stem, want, len) == 0);
}

static void run(const struct row *row)
{
    struct sb_stemmer *snowball = sb_stemmer_new("english", NULL);
    assert_non_null(snowball);
    same_stem(snowball, row->word, row->stem);
    sb_stemmer_delete(snowball);
}

static const char *const suffixes[] = {
    "ational", "tional", "enci",  "anci",    "abli",    "entli", "izer",    "ization", "ation",
    "ator",    "alism",  "aliti", "alli",    "fulness", "ousli", "ousness", "iveness", "iviti",
    "biliti",  "bli",    "ogi",   "fulli",   "lessli",  "li",    "alize",   "icate",   "iciti",
    "ical",    "ful",    "ness",  "ative",   "al",      "ance",  "ence",    "er",      "ic",
    "able",    "ible",   "ant",   "ement",   "ment",    "ent",   "ism",     "ate",     "iti",
    "ous",     "ive",    "ize",   "ion",     "e",       "l",     "s",       "sses",    "ies",
    "ied",     "eed",    "eedly", "ed",      "edly",    "ing",   "ingly",   "y",       "ly",
    "us",      "ss",     "at",    "bl",      "iz",      "bb",    "dd",      "tt",      "ll",
    "gener",   "commun", "arsen", "\xC3\xA6"};

/* A few letters, then up to three suffixes. */
static void made_up_words(void)
{
    static const char letters[] = "aeiouybcdfghklmnprstwxyz";
    struct sb_stemmer *snowball = sb_stemmer_new("english", NULL);
    uint64_t random = 1;
    assert_non_null(snowball);
    for (unsigned round = 0; round < 300000; round++) {
        char word[FER_STEM_WORD + 1] = "";
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
        uint64_t r = random >> 8;
        size_t len = 0;
        for (uint64_t i = r % 6; i > 0; i--) word[len++] = letters[(r >> 4 * i) % 24];
        for (uint64_t i = (r >> 26) % 4; i > 0; i--)
            len += (size_t)snprintf(word + len, sizeof word - len, "%s",
                                    suffixes[(r >> (26 + 7 * i)) % FER_COUNT(suffixes)]);
        same_stem(snowball, word, NULL);
    }
    sb_stemmer_delete(snowball);
}

int main(void)
{
    return ROWS_RUN("stemmer", rows, run) + ROWS_ONE("stemmer", made_up_words);
}
