/* SPDX-License-Identifier: Apache-2.0 */
/* Words that hint at subjects, and phrases that are found in texts. */
#include "lexicon.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *text;
    unsigned subjects;
    unsigned words, sentences;
} rows[] = {
    {"nothing", "", 0, 0, 0},
    {"no word of a subject", "Looks an entry up.", FER_ABOUT_MOST, 4, 1},
    {"one", "returns", FER_ABOUT_RETURN, 1, 1},
    {"in capitals", "RETURNS Json", FER_ABOUT_RETURN | FER_ABOUT_JSON, 2, 1},
    {"one letter", "e.g. 5 m", FER_ABOUT_EXAMPLE | FER_ABOUT_UNIT, 4, 2},
    {"the longest", "cryptocurrency", FER_ABOUT_COIN, 1, 1},
    {"a digit at its end", "erc20", FER_ABOUT_COIN, 1, 1},
    {"only a part of a word", "allocate, nones, xid", 0, 3, 1},
    {"the first and the last", "above yourself", FER_ABOUT_LEAST | FER_ABOUT_CALLER, 2, 1},
    {"sentences", "One. Two! Three? four\n\nfive; six", FER_ABOUT_CHOICE, 6, 6},
    {"another script", "\xE4\xBE\x8B\xE5\xA6\x82\xE3\x80\x82", 0, 1, 2},
};

static void read_text(const struct row *row)
{
    fer_prose p;
    fer_prose_read(&p, fer_str_of(row->text));
    assert_int_equal(p.subjects, row->subjects);
    assert_int_equal(p.words, row->words);
    assert_int_equal(p.sentences, row->sentences);
}

static const struct phrase_row {
    const char *name;
    const char *text;
    const char *phrase;
    size_t at; /* SIZE_MAX: nowhere */
} phrase_rows[] = {
    {"at the start", "one of these", "one of", 0},
    {"inside", "it is one of these", "one of", 6},
    {"at the end", "this one", "one", 5},
    {"in capitals", "ONE Of", "one of", 0},
    {"over lines", "one \n\t of", "one of", 0},
    {"not without a blank", "oneof", "one of", SIZE_MAX},
    {"not the end of a word", "none of", "one of", SIZE_MAX},
    {"not the start of a word", "one often", "one of", SIZE_MAX},
    {"the second", "none, one", "one", 6},
    {"words apart", "of one", "one of", SIZE_MAX},
    {"a sign first", "so <important> it is", "<important>", 3},
    {"a sign inside", "a json-string", "json-string", 2},
    {"signs for words", "in [0,1] or so", "[0,1]", 3},
    {"one letter", "e.g. this", "e.g.", 0},
    {"longer than the text", "on", "one", SIZE_MAX},
    {"in nothing", "", "one", SIZE_MAX},
};

static void find_phrase(const struct phrase_row *row)
{
    fer_prose p;
    size_t which;
    const char *const list[] = {"no such words", row->phrase, NULL};
    fer_str text = fer_str_of(row->text);
    fer_prose_read(&p, text);
    assert_int_equal(fer_prose_find(&p, 0, row->phrase), row->at);
    assert_int_equal(fer_prose_has(&p, list, &which), row->at != SIZE_MAX);
    assert_int_equal(fer_text_has(text, list, &which), row->at != SIZE_MAX);
    assert_int_equal(which, row->at != SIZE_MAX ? 1 : 2);
    for (size_t at = 0; at <= text.len && at <= row->at; at++)
        assert_int_equal(fer_text_has_at(text, at, row->phrase), at == row->at);
}

int main(void)
{
    return ROWS_RUN("lexicon", rows, read_text) + ROWS_RUN("phrases", phrase_rows, find_phrase);
}
