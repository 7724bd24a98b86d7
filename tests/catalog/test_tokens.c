/* SPDX-License-Identifier: Apache-2.0 */
/* Texts taken apart into what search compares. */
#include "wording.h"

#include <libstemmer.h>

#include "rows.h"

static const struct row {
    const char *text;
    const char
        *tokens; /* joined by blanks; _stop, ~filler, ",": a clause, ".": a sentence before */
} rows[] = {
    {"", ""},
    {" \t--", ""},
    {"create_issue", "creat issu"},
    {"create-issue", "creat issu"},
    {"repo.createIssue", "repo creat issu"},
    {"HTTPServer", "http server"},
    {"getHTTPStatus", "get http status"},
    {"userIDs", "user id"},
    {"userIDsOnly", "user id _onli"},
    {"ABc", "_a bc"},
    {"v2beta1", "v 2 beta 1"},
    {"CO2 emissions", "co 2 emiss"},
    {"the weather of Paris", "_the weather _of pari"},
    {"Please help me", "~pleas ~help _me"},
    {"What's new", "_what _s new"},
    {"one, two; three. Four\nfive", "one ,two ,three .four .five"},
    {"math.sqrt 3.5 1,000", "math sqrt 3 5 1 000"},
    {"Caf\xC3\xA9s \xC3\x9C"
     "ber STRASSE Stra\xC3\x9F"
     "e",
     "cafe uber strass strass"},
    {"cafe\xCC\x81s", "cafe"},
    {"\xD0\x9C\xD0\x9E\xD0\xA1\xD0\x9A\xD0\x92\xD0\x90",
     "\xD0\xBC\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0"},
    {"\xEF\xBC\xA1\xEF\xBC\xA2\xEF\xBC\xA3", "abc"},
    {"\xE5\xA4\xA9", "\xE5\xA4\xA9"},
    {"\xE5\xA4\xA9\xE6\xB0\x94", "\xE5\xA4\xA9 \xE5\xA4\xA9\xE6\xB0\x94 \xE6\xB0\x94"},
    {"\xE5\xA4\xA9\xE3\x80\x82\xE6\xB0\x94", "\xE5\xA4\xA9 .\xE6\xB0\x94"},
    {"a\xE5\xA4\xA9"
     "b",
     "_a \xE5\xA4\xA9 b"},
    {"\xFF\xFE x \xC3", "x"},
    {"\xCC\x81", ""},
    {"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee",
     "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd"},
    {"generalization generalizations generalize", "general general general"},
};

static void run(const struct row *row)
{
    static const char *const uses[] = {"", "~", "_"}, *const borders[] = {"", ",", "."};
    char text[512] = "";
    size_t len = 0;
    fer_tokeniser *t = fer_tokeniser_new();
    assert_non_null(t);
    /* Twice: what is remembered is what was found. */
    for (int round = 0; round < 2; round++) {
        fer_token_reader r;
        fer_token k;
        len = 0;
        text[0] = 0;
        fer_token_reader_init(&r, t, fer_str_of(row->text));
        while (fer_token_next(&r, &k))
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%s%s%.*s", len ? " " : "",
                                    borders[k.border], uses[k.use], FER_PRI(k.text));
        assert_string_equal(text, row->tokens);
    }
    fer_tokeniser_free(t);
}

/* The word that comes next, as a key where it is found so. */
static bool next_either_way(fer_token_reader *r, fer_token *k)
{
    fer_token_key key;
    if (!fer_token_next_keys(r, &key, 1)) return fer_token_next_word(r, k);
    size_t len = fer_token_key_len(&key);
    assert_true(len > 0 && len <= FER_TOKEN_KEY);
    memset(r->word, 0, FER_TOKEN_KEY);
    memcpy(r->word, key.part, len);
    assert_memory_equal(&key, r->word, sizeof key); /* zeros behind it */
    k->word = (fer_str){r->word, len};
    return true;
}

static void keys(const struct row *row)
{
    fer_tokeniser *t = fer_tokeniser_new();
    fer_token_reader one, other;
    fer_token x, y;
    assert_non_null(t);
    fer_token_reader_init(&one, t, fer_str_of(row->text));
    fer_token_reader_init(&other, t, fer_str_of(row->text));
    while (fer_token_next_word(&one, &x)) {
        assert_true(next_either_way(&other, &y));
        assert_true(fer_str_eq(x.word, y.word) && one.position == other.position);
    }
    assert_false(next_either_way(&other, &y));
    fer_tokeniser_free(t);
}

/* Many keys at once are the words that come one by one. */
static void same_keys(fer_tokeniser *t, fer_str text)
{
    fer_token_reader one, other;
    fer_token_key key[40];
    fer_token x, y;
    fer_token_reader_init(&one, t, text);
    fer_token_reader_init(&other, t, text);
    while (fer_token_next_word(&one, &x)) {
        size_t count = fer_token_next_keys(&other, key, FER_COUNT(key));
        for (size_t i = 0; i < count; i++) {
            if (i) assert_true(fer_token_next_word(&one, &x));
            assert_int_equal(x.word.len, fer_token_key_len(&key[i]));
            assert_memory_equal(x.word.ptr, key[i].part, x.word.len);
        }
        if (count) continue;
        assert_true(fer_token_next_word(&other, &y) && fer_str_eq(x.word, y.word));
    }
    assert_int_equal(fer_token_next_keys(&other, key, FER_COUNT(key)), 0);
}

/* And so are they with their places and borders. */
static void same_spots(fer_tokeniser *t, fer_str text, size_t room)
{
    fer_token_reader one, other;
    fer_token_key key[40];
    fer_token_spot spot[40];
    fer_token x, y;
    assert_true(room <= FER_COUNT(key));
    fer_token_reader_init(&one, t, text);
    fer_token_reader_init(&other, t, text);
    while (fer_token_next_word(&one, &x)) {
        size_t count = fer_token_next_spots(&other, key, spot, room);
        for (size_t i = 0; i < count; i++) {
            if (i) assert_true(fer_token_next_word(&one, &x));
            assert_memory_equal(x.word.ptr, key[i].part, sizeof key[i]);
            assert_true(x.word.len == spot[i].len && x.start == spot[i].start);
            assert_true(x.kind == spot[i].kind && x.border == spot[i].border);
            assert_int_equal(x.end, spot[i].start + spot[i].len);
        }
        if (count) continue;
        assert_true(fer_token_next_word(&other, &y) && fer_str_eq(x.word, y.word));
        assert_true(x.start == y.start && x.border == y.border && x.kind == y.kind);
    }
    assert_int_equal(fer_token_next_spots(&other, key, spot, room), 0);
}

/* The end of what is quoted from a byte on, or that byte: a mark, less than 200 bytes in one line,
 * and the same mark. An apostrophe is none. */
static size_t end_of_quote(const char *s, size_t len, size_t at)
{
    bool inside = at > 0 && (fer_is_alpha(s[at - 1]) || fer_is_digit(s[at - 1]));
    if (!strchr("\"`'", s[at]) || (s[at] == '\'' && inside)) return at;
    for (size_t i = at + 1; i < len && i - at < 200 && s[i] != '\n'; i++) {
        bool goes_on = s[i] == '\'' && i + 1 < len && fer_is_alpha(s[i + 1]);
        if (s[i] == s[at] && !goes_on) return i;
    }
    return at;
}

/* A request is its tokens, one by one, and which of them stand in quotes. */
static void wording_is_tokens(fer_tokeniser *t, fer_str text)
{
    static fer_wording request;
    fer_token_reader r;
    fer_token k;
    size_t count = 0, at = 0, quoted = 0;
    fer_wording_read(&request, t, text);
    fer_token_reader_init(&r, t, text);
    while (fer_token_next(&r, &k)) {
        const fer_wording_word *w = &request.words[count++];
        assert_true(count <= request.count);
        assert_true(fer_str_eq(w->word, k.word) && fer_str_eq(w->text, k.text));
        assert_true(w->start == k.start && w->end == k.end && w->border == k.border);
        assert_true(w->kind == k.kind && w->use == k.use);
        for (; at < k.start; at++) {
            size_t end = end_of_quote(text.ptr, text.len, at);
            if (end > at) at = quoted = end;
        }
        assert_int_equal(w->quoted, k.start < quoted);
    }
    assert_int_equal(count, request.count);
}

/* Texts around the length of a block, made of what words begin and end with. */
static void keys_of_many(void)
{
    static const char *const parts[] = {"a",
                                        "s",
                                        "Z",
                                        "Qu",
                                        "IDs",
                                        "7",
                                        " ",
                                        "_",
                                        "word",
                                        ". ",
                                        "XY",
                                        "12",
                                        ",",
                                        "\n(",
                                        "; ",
                                        ": ",
                                        "?",
                                        "'",
                                        "\"",
                                        ".",
                                        "\xC3\xA9",
                                        "\xE5\xA4\xA9",
                                        "lettersandmore"};
    fer_tokeniser *t = fer_tokeniser_new();
    uint32_t random = 1;
    assert_non_null(t);
    for (size_t round = 0; round < 20000; round++) {
        char text[256] = "";
        size_t len = 0, want = round % 160;
        size_t kinds = round % 2 ? FER_COUNT(parts) : FER_COUNT(parts) - 3; /* or ASCII alone */
        while (len < want) {
            random = random * 1664525 + 1013904223;
            len += (size_t)snprintf(text + len, sizeof text - len, "%s",
                                    parts[random / 65536 % kinds]);
        }
        same_keys(t, (fer_str){text, len});
        same_spots(t, (fer_str){text, len}, 40);
        wording_is_tokens(t, (fer_str){text, len});
        same_spots(t, (fer_str){text, len}, 1 + round % 7);
    }
    fer_tokeniser_free(t);
}

/* The stems of more words than are remembered, as one number. */
static uint64_t stems_of_many(fer_tokeniser *t)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < 30000; i++) {
        char word[FER_TOKEN_KEY] = {0};
        fer_token_reader r;
        fer_token k;
        snprintf(word, sizeof word, "q%c%c%c%cings", 'a' + (int)(i % 26), 'a' + (int)(i / 26 % 26),
                 'a' + (int)(i / 676 % 26), 'a' + (int)(i / 17576));
        fer_token_reader_init(&r, t, fer_str_of(word));
        assert_true(fer_token_next(&r, &k) && k.text.len && k.text.len <= k.word.len);
        for (size_t b = k.text.len; b < FER_TOKEN_KEY; b++) assert_int_equal(k.text.ptr[b], 0);
        for (size_t b = 0; b < k.text.len; b++) sum = sum * 31 + (unsigned char)k.text.ptr[b];
    }
    return sum;
}

/* A word as it comes out, and as Snowball alone would have it. */
static void same_stem(fer_tokeniser *t, struct sb_stemmer *stemmer, const char *word)
{
    fer_token_reader r;
    fer_token k;
    int len = (int)strlen(word);
    const char *stem = (const char *)sb_stemmer_stem(stemmer, (const sb_symbol *)word, len);
    fer_token_reader_init(&r, t, fer_str_of(word));
    assert_true(fer_token_next(&r, &k));
    if (fer_str_eq(k.text, (fer_str){stem, (size_t)sb_stemmer_length(stemmer)})) return;
    fail_msg("%s became %.*s", word, FER_PRI(k.text));
}

/* Words of which nothing is cut are known by their last two letters: whatever stands before
 * these, and whatever suffix they are the end of. */
static void stems_are_snowballs(void)
{
    static const char *const starts[] = {
        "",        "b",    "ya",     "st",    "gener",  "relat", "hop",    "commun",
        "arsen",   "abil", "nation", "forml", "argu",   "conf",  "analog", "cried",
        "operati", "boyi", "fulfi",  "skis",  "exceed", "inn",   "playf",  "vibrati"};
    fer_tokeniser *t = fer_tokeniser_new();
    struct sb_stemmer *stemmer = sb_stemmer_new("english", NULL);
    assert_true(t && stemmer);
    for (unsigned i = 0; i < 26 * 26 * 26; i++) {
        const char end[] = {(char)('a' + i / 676), (char)('a' + i / 26 % 26), (char)('a' + i % 26),
                            '\0'};
        for (size_t k = 0; k < FER_COUNT(starts); k++) {
            char word[32];
            snprintf(word, sizeof word, "%s%s", starts[k], end);
            same_stem(t, stemmer, word);
        }
    }
    sb_stemmer_delete(stemmer);
    fer_tokeniser_free(t);
}

static void forgets(void)
{
    fer_tokeniser *t = fer_tokeniser_new();
    assert_non_null(t);
    uint64_t first = stems_of_many(t);
    assert_true(stems_of_many(t) == first);
    fer_tokeniser_free(t);
}

/* The note of a word, read anew. */
static fer_token_note *note_of(fer_tokeniser *t, const char *word)
{
    fer_token_reader r;
    fer_token k;
    fer_token_reader_init(&r, t, fer_str_of(word));
    assert_true(fer_token_next(&r, &k));
    return fer_tokeniser_note(t, k.place, k.word);
}

/* A note is of one word and about one thing, and goes when either does. */
static void notes(void)
{
    static const fer_token_subject one = {"one", {1, 2, 3}}, other = {"one", {1, 2, 4}};
    fer_tokeniser *t = fer_tokeniser_new();
    fer_token_reader r;
    fer_token k;
    assert_non_null(t);
    fer_tokeniser_note_about(t, &one);
    assert_false(fer_tokeniser_noted(t, note_of(t, "running")));
    fer_tokeniser_write(t, note_of(t, "running"), (fer_token_note){.number = 77});
    fer_tokeniser_note_about(t, &one);
    assert_true(fer_tokeniser_noted(t, note_of(t, "Running")));
    assert_int_equal(note_of(t, "running")->number, 77);
    assert_false(fer_tokeniser_noted(t, note_of(t, "runs")));
    fer_tokeniser_note_about(t, &other);
    assert_false(fer_tokeniser_noted(t, note_of(t, "running")));
    assert_null(note_of(t, "internationalisations")); /* longer than what is remembered */
    assert_non_null(note_of(t, "2026"));
    assert_null(note_of(t, "20261"));
    fer_tokeniser_write(t, note_of(t, "running"), (fer_token_note){.number = 78});
    fer_token_reader_init(&r, t, FER_STR("running"));
    assert_true(fer_token_next(&r, &k));
    (void)stems_of_many(t); /* and so it is forgotten */
    char word[FER_TOKEN_KEY] = "running";
    assert_null(fer_tokeniser_note(t, k.place, (fer_str){word, 7}));
    for (uint64_t i = 0; i < 70000; i++) { /* more rounds than are counted */
        fer_tokeniser_note_about(t, &(fer_token_subject){"many", {i, 0, 0}});
        assert_false(fer_tokeniser_noted(t, note_of(t, "running")));
        if (i == 4) fer_tokeniser_write(t, note_of(t, "running"), (fer_token_note){.number = 79});
    }
    fer_tokeniser_free(t);
}

static void positions(void)
{
    fer_tokeniser *t = fer_tokeniser_new();
    fer_token_reader r;
    fer_token k;
    assert_non_null(t);
    fer_token_reader_init(&r, t, FER_STR("get \xE5\xA4\xA9\xE6\xB0\x94 now"));
    static const struct {
        uint32_t position;
        size_t start, end;
        fer_token_kind kind;
    } want[] = {{0, 0, 3, FER_TOKEN_WORD},
                {1, 4, 7, FER_TOKEN_SIGN},
                {1, 4, 10, FER_TOKEN_PAIR},
                {2, 7, 10, FER_TOKEN_SIGN},
                {3, 11, 14, FER_TOKEN_WORD}};
    for (size_t i = 0; i < FER_COUNT(want); i++) {
        assert_true(fer_token_next(&r, &k));
        assert_int_equal(k.position, want[i].position);
        assert_int_equal(k.start, want[i].start);
        assert_int_equal(k.end, want[i].end);
        assert_int_equal(k.kind, want[i].kind);
    }
    assert_false(fer_token_next(&r, &k));
    fer_tokeniser_free(t);
}

static fer_code make_one(fer_arena *a, const void *row)
{
    (void)a, (void)row;
    fer_tokeniser *t = fer_tokeniser_new();
    if (!t) return FER_OUT_OF_MEMORY;
    fer_tokeniser_free(t);
    return FER_OK;
}

static void no_memory(void)
{
    assert_int_equal(rows_torture_malloc(make_one, NULL), 1);
    fer_tokeniser_free(NULL);
}

int main(void)
{
    return ROWS_RUN("tokens", rows, run) + ROWS_RUN("tokens", rows, keys) +
           ROWS_ONE("tokens", keys_of_many) + ROWS_ONE("tokens", stems_are_snowballs) +
           ROWS_ONE("tokens", forgets) + ROWS_ONE("tokens", notes) + ROWS_ONE("tokens", positions) +
           ROWS_ONE("tokens", no_memory);
}
