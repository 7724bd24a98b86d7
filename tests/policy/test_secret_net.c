/* SPDX-License-Identifier: Apache-2.0 */
/* The net: forms of known values, patterns, and that no way of cutting lets a secret through. */
#include "redact.h"
#include "rows.h"
#include "secret_forms.h"
#include "secret_net.h"

#define SECRET "p4ss/w\"ord +x&y"

static const struct row {
    const char *name, *text, *out;
} rows[] = {
    {"nothing", "plain text", "plain text"},
    {"as it is", "a " SECRET " b", "a [REDACTED] b"},
    {"twice, side by side, is one", SECRET SECRET, "[REDACTED]"},
    {"the beginning alone is none", "p4ss/w\"ord", "p4ss/w\"ord"},
    {"at the end", "x" SECRET, "x[REDACTED]"},
    {"for JSON", "{\"k\":\"p4ss/w\\\"ord +x&y\"}", "{\"k\":\"[REDACTED]\"}"},
    {"for JSON, with the solidus", "p4ss\\/w\\\"ord +x&y", "[REDACTED]"},
    {"percent", "?k=p4ss%2Fw%22ord%20%2Bx%26y&z", "?k=[REDACTED]&z"},
    {"percent, small", "?k=p4ss%2fw%22ord%20%2bx%26y&z", "?k=[REDACTED]&z"},
    {"a form", "k=p4ss%2Fw%22ord+%2Bx%26y", "k=[REDACTED]"},
    {"hex", "703473732f77226f7264202b782679", "[REDACTED]"},
    {"HEX", "<703473732F77226F7264202B782679>", "<[REDACTED]>"},
    {"base64", "cDRzcy93Im9yZCAreCZ5", "[REDACTED]"},
    {"base64, second of three", "eHA0c3MvdyJvcmQgK3gmeQ==", "eH[REDACTED]Q=="},
    {"base64, third of three", "eHhwNHNzL3cib3JkICt4Jnk=", "eHh[REDACTED]k="},
    {"a second secret that overlaps", "second-second-third-secret", "[REDACTED]"},
    {"AWS", "id AKIAIOSFODNN7EXAMPLE.", "id [REDACTED]."},
    {"AWS, for a session", "id ASIAIOSFODNN7EXAMPLE.", "id [REDACTED]."},
    {"AWS, too short", "AKIAIOSFODNN7EX", "AKIAIOSFODNN7EX"},
    {"GitHub", "ghp_0123456789abcdefghij0123456789abcdef!", "[REDACTED]!"},
    {"GitHub, the longer form", "github_pat_0123456789_0123456789", "[REDACTED]"},
    {"sk-", "Bearer sk-proj-0123456789abcdefghijklmn end", "Bearer [REDACTED] end"},
    {"a task is none", "task-0123456789-0123456789-0123456789",
     "task-0123456789-0123456789-0123456789"},
    {"behind an escape", "x\\nsk-0123456789abcdefghijklmn", "x\\n[REDACTED]"},
    {"Slack", "xoxb-0123456789-abc", "[REDACTED]"},
    {"Google", "AIzaSyA-0123456789_0123456789_01234567", "[REDACTED]"},
    {"a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl x", "[REDACTED] x"},
    {"a PEM block", "k -----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY----- z",
     "k [REDACTED] z"},
    {"a PEM block without end", "-----BEGIN PRIVATE KEY-----MIIE", "[REDACTED]"},
    {"dashes", "--- ----- ------", "--- ----- ------"},
    {"almost", "AIz gh_ xox- eyJ sk-", "AIz gh_ xox- eyJ sk-"},
};

static fer_net *net_of(fer_arena *a, fer_code *code)
{
    static const char *const secrets[] = {SECRET, "second-second-third", "third-secret", "short"};
    fer_net *n = fer_net_new(a);
    fer_err err;
    *code = n ? FER_OK : FER_OUT_OF_MEMORY;
    for (size_t i = 0; !*code && i < FER_COUNT(secrets); i++)
        *code = fer_net_add(n, fer_str_of(secrets[i]), &err);
    if (!*code) *code = fer_net_weave(n, &err);
    return n;
}

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_err err;
    fer_str out;
    fer_code code;
    fer_net *n = net_of(a, &code);
    if (!code) code = fer_net_clean(a, n, fer_str_of(row->text), &out, &err);
    if (!code) assert_str(out, row->out);
    return code;
}

/* Whole, and cut at each pair of places. */
static void run_row(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_code code;
    fer_net *n = net_of(a, &code);
    fer_str text = fer_str_of(row->text);
    assert_int_equal(attempt(a, row), FER_OK);
    for (size_t i = 0; i <= text.len; i++) {
        for (size_t k = i; k <= text.len; k += 1 + (k - i) / 3) {
            fer_net_stream s;
            fer_buf b;
            fer_err err;
            fer_buf_init(&b, a, SIZE_MAX / 4);
            fer_net_begin(&s, n, a);
            fer_net_feed(&s, fer_str_slice(text, 0, i), &b);
            fer_net_feed(&s, fer_str_slice(text, i, k), &b);
            fer_net_feed(&s, fer_str_slice(text, k, text.len), &b);
            assert_int_equal(fer_net_end(&s, &b, &err), FER_OK);
            assert_str(fer_buf_view(&b), row->out);
        }
    }
    fer_arena_free(a);
}

static void without_memory(void)
{
    assert_true(rows_torture_arena(attempt, &rows[1]) > 10);
}

/* Every form of every length of secret is found, and the forms are those that others write. */
static void forms(void)
{
    for (size_t len = FER_NET_SHORTEST - 1; len < 40; len++) {
        fer_arena *a = fer_arena_new(0);
        char secret[64];
        fer_str list[FER_SECRET_FORMS], out;
        size_t count;
        fer_err err;
        for (size_t i = 0; i < len; i++) secret[i] = "aZ3/+ %\"\\~"[(i * 7 + len) % 10];
        fer_net *n = fer_net_new(a);
        assert_int_equal(fer_net_add(n, (fer_str){secret, len}, &err), FER_OK);
        assert_int_equal(fer_net_weave(n, &err), FER_OK);
        assert_true(fer_secret_forms(a, (fer_str){secret, len}, list, &count));
        for (size_t i = 0; i < count; i++) {
            fer_str text = fer_arena_printf(a, "<%.*s>", FER_PRI(list[i]));
            assert_int_equal(fer_net_clean(a, n, text, &out, &err), FER_OK);
            if (len < FER_NET_SHORTEST) assert_true(fer_str_eq(out, text));
            else assert_str(out, "<[REDACTED]>");
        }
        fer_arena_free(a);
    }
}

/* A text of which there was more: wherever it was cut, no more than three bytes of the secret are
 * left. */
static void cut_texts(void)
{
    static const char text[] = "user x: " SECRET " is wrong";
    fer_arena *a = fer_arena_new(0);
    char out[64], small[16];
    fer_code code;
    fer_net *n = net_of(a, &code);
    size_t from = strlen("user x: "), to = from + strlen(SECRET);
    assert_int_equal(code, FER_OK);
    for (size_t len = 0; len < sizeof text; len++) {
        fer_net_show(n, (fer_str){text, len}, true, out, sizeof out);
        if (len < from + 4) assert_int_equal(strncmp(out, text, len), 0);
        else if (len <= to) assert_string_equal(out, "user x: [REDACTED]");
        else assert_int_equal(strncmp(out, "user x: [REDACTED] is wrong", len - to + 18), 0);
    }
    fer_net_show(n, fer_str_of(text), false, small, sizeof small);
    assert_string_equal(small, "user x: [REDACT");
    fer_arena_free(a);
}

/* Each pattern at each place: sixteen bytes are looked at as one. What stands before it begins
 * patterns that do not go on; no secret is known, so that texts come whole. */
static void anywhere(void)
{
    static const char *const secrets[] = {"AKIAIOSFODNN7EXAMPLE",
                                          "ASIAIOSFODNN7EXAMPLE",
                                          "ghp_0123456789abcdefghij",
                                          "github_pat_01234567890123456789",
                                          "sk-0123456789abcdefghij",
                                          "xoxb-0123456789",
                                          "AIza012345678901234567890123456789",
                                          "eyJ012345678901234567890123",
                                          "-----BEGIN KEY"};
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; i < FER_COUNT(secrets); i++) {
        for (size_t before = 0; before < 40; before++) {
            char text[128], expected[128];
            fer_str out;
            fer_err err;
            for (size_t k = 0; k < before; k++) text[k] = "e sAg x-i."[k % 10];
            if (before) text[before - 1] = ' ';
            snprintf(expected, sizeof expected, "%.*s[REDACTED]", (int)before, text);
            snprintf(text + before, sizeof text - before, "%s", secrets[i]);
            assert_int_equal(fer_net_clean(a, NULL, fer_str_of(text), &out, &err), FER_OK);
            assert_str(out, expected);
        }
    }
    fer_arena_free(a);
}

int main(void)
{
    int failed = ROWS_RUN("texts", rows, run_row);
    failed += ROWS_ONE("patterns anywhere", anywhere);
    failed += ROWS_ONE("texts that were cut", cut_texts);
    failed += ROWS_ONE("memory", without_memory);
    failed += ROWS_ONE("forms", forms);
    return failed != 0;
}
