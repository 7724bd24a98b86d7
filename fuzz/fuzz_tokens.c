/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text, taken apart. What must hold: tokens come in order and lie inside of the text; their
 * words are folded (no capital of ASCII), not empty and not too long; positions do not go back;
 * what is remembered from a first reading gives the same tokens in a second; behind short words and
 * stems stand zeros; needs are all words of the request, in order.
 */
#include "fuzz.h"
#include "needs.h"

struct sum {
    uint64_t hash;
    size_t count;
};

static void check(fer_str text, const fer_token *k, const fer_token *before)
{
    HOLDS(k->start < k->end && k->end <= text.len);
    HOLDS(k->word.len > 0 && k->word.len <= FER_TOKEN_MAX);
    HOLDS(k->text.len > 0);
    for (size_t i = 0; i < k->word.len; i++) HOLDS(k->word.ptr[i] < 'A' || k->word.ptr[i] > 'Z');
    for (size_t i = k->word.len; i < FER_TOKEN_KEY; i++) HOLDS(k->word.ptr[i] == 0);
    for (size_t i = k->text.len; i < FER_TOKEN_KEY; i++) HOLDS(k->text.ptr[i] == 0);
    HOLDS(k->kind == FER_TOKEN_PAIR || k->start >= before->start);
    HOLDS(k->position >= before->position);
}

static struct sum read_all(fer_tokeniser *t, fer_str text)
{
    struct sum s = {1469598103934665603U, 0};
    fer_token_reader r;
    fer_token k, before = {0};
    fer_token_reader_init(&r, t, text);
    while (fer_token_next(&r, &k)) {
        check(text, &k, &before);
        for (size_t i = 0; i < k.text.len; i++)
            s.hash = (s.hash ^ (unsigned char)k.text.ptr[i]) * 1099511628211U;
        s.hash = (s.hash ^ (unsigned)k.use) * 1099511628211U;
        s.count++;
        before = k;
    }
    return s;
}

/* Words that are found as keys are those that are found otherwise. */
static void check_keys(fer_tokeniser *t, fer_str text)
{
    fer_token_reader one, other;
    fer_token x, y = {0};
    fer_token_key key;
    fer_token_reader_init(&one, t, text);
    fer_token_reader_init(&other, t, text);
    while (fer_token_next_word(&one, &x)) {
        if (fer_token_next_keys(&other, &key, 1))
            y.word = (fer_str){(const char *)key.part, fer_token_key_len(&key)};
        else HOLDS(fer_token_next_word(&other, &y));
        HOLDS(fer_str_eq(x.word, y.word) && one.at == other.at && one.position == other.position);
    }
    HOLDS(!fer_token_next_keys(&other, &key, 1));
}

static void check_needs(fer_tokeniser *t, fer_str text)
{
    static fer_wording request;
    fer_needs needs;
    fer_wording_read(&request, t, text);
    fer_needs_cut(&needs, &request);
    HOLDS((needs.count > 0) == (request.count > 0) && needs.count <= FER_NEEDS_MAX);
    size_t from = 0;
    for (size_t i = 0; i < needs.count; i++) {
        HOLDS(needs.list[i].first == from && needs.list[i].end > from);
        from = needs.list[i].end;
        HOLDS(fer_need_text(&request, &needs.list[i]).len > 0);
    }
    HOLDS(from == request.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size);
    fer_tokeniser *t = fer_tokeniser_new();
    HOLDS(t);
    struct sum one = read_all(t, text), other = read_all(t, text);
    HOLDS(one.hash == other.hash && one.count == other.count);
    check_needs(t, text);
    check_keys(t, text);
    fer_tokeniser_free(t);
    return 0;
}
