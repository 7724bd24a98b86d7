/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical form, by the vectors of RFC 8785. */
#include "must_read.h"
#include "rows.h"

#include "json_canonical.h"
#include "json_doc.h"
#include "json_keys.h"
#include "json_write.h"

#define T(literal)                                                                                 \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* ---- numbers: RFC 8785 appendix B ----------------------------------------------- */

static const struct number {
    const char *name; /* the canonical form */
    uint64_t bits;
} numbers[] = {
    {"0", 0x0000000000000000},
    {"0", 0x8000000000000000},
    {"5e-324", 0x0000000000000001},
    {"-5e-324", 0x8000000000000001},
    {"1.7976931348623157e+308", 0x7fefffffffffffff},
    {"-1.7976931348623157e+308", 0xffefffffffffffff},
    {"9007199254740992", 0x4340000000000000},
    {"-9007199254740992", 0xc340000000000000},
    {"295147905179352830000", 0x4430000000000000},
    {"9.999999999999997e+22", 0x44b52d02c7e14af5},
    {"1e+23", 0x44b52d02c7e14af6},
    {"1.0000000000000001e+23", 0x44b52d02c7e14af7},
    {"999999999999999700000", 0x444b1ae4d6e2ef4e},
    {"999999999999999900000", 0x444b1ae4d6e2ef4f},
    {"1e+21", 0x444b1ae4d6e2ef50},
    {"9.999999999999997e-7", 0x3eb0c6f7a0b5ed8c},
    {"0.000001", 0x3eb0c6f7a0b5ed8d},
    {"333333333.3333332", 0x41b3de4355555553},
    {"333333333.33333325", 0x41b3de4355555554},
    {"333333333.3333333", 0x41b3de4355555555},
    {"333333333.3333334", 0x41b3de4355555556},
    {"333333333.33333343", 0x41b3de4355555557},
    {"-0.0000033333333333333333", 0xbecbf647612f3696},
    {"1424953923781206.2", 0x43143ff3c1cb0959},
};

static void run_number(const struct number *row)
{
    fer_arena *a = fer_arena_new(0);
    yyjson_val v = {.tag = FER_TAG_REAL};
    memcpy(&v.uni.f64, &row->bits, sizeof row->bits);
    assert_str(must_canon(a, &v), row->name);
    /* What was written reads back as the same number, with the same form. */
    assert_str(must_canon(a, must_read(a, fer_str_of(row->name), NULL)), row->name);
    fer_arena_free(a);
}

/* ---- documents ------------------------------------------------------------------ */

static const struct row {
    const char *name;
    fer_str text;
    const char *canonical;
} rows[] = {
    {"RFC 8785 3.2.2, its first number in full",
     T("{\n  \"numbers\": [333333333.33333329, 1E30, 4.50,\n              2e-3, "
       "0.000000000000000000000000001],\n  \"string\": "
       "\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n  \"literals\": "
       "[null, true, false]\n}"),
     "{\"literals\":[null,true,false],\"numbers\":[33333333333333329e-8,1e+30,4.5,0.002,1e-27],"
     "\"string\":\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"},
    {"RFC 8785 3.2.3, the order of keys",
     T("{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter Dalet "
       "With Dagesh\",\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning "
       "Face\",\"\\u0080\":\"Control\",\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}"),
     "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\",\"\xC3\xB6\":\"Latin "
     "Small Letter O With Diaeresis\",\"\xE2\x82\xAC\":\"Euro Sign\",\"\xF0\x9F\x98\x80\":\"Emoji: "
     "Grinning Face\",\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}"},
    {"keys inside keys",
     T("{\"1\": {\"f\": {\"f\": \"hi\",\"F\": 5} ,\"\\n\": 56.0},\"10\": { },\"\": "
       "\"empty\",\"a\": { },\"111\": [ {\"e\": \"yes\",\"E\": \"no\" } ],\"A\": { }}"),
     "{\"\":\"empty\",\"1\":{\"\\n\":56,\"f\":{\"F\":5,\"f\":\"hi\"}},\"10\":{},\"111\":[{\"E\":"
     "\"no\",\"e\":\"yes\"}],\"A\":{},\"a\":{}}"},
    {"accents as bytes",
     T("{\"p\xC3\xAA"
       "che\":1,\"p\xC3\xA9"
       "ch\xC3\xA9\":2,\"sin\":3,\"peach\":4}"),
     "{\"peach\":4,\"p\xC3\xA9"
     "ch\xC3\xA9\":2,\"p\xC3\xAA"
     "che\":1,\"sin\":3}"},
    {"nothing is normalised", T("\"A\\u030a\""), "\"A\xCC\x8A\""},
    {"an array keeps its order", T("[56,{\"d\":true,\"10\":null,\"1\":[]}]"),
     "[56,{\"1\":[],\"10\":null,\"d\":true}]"},
    {"control characters",
     T("\"\\u0000\\u0001\\u0007\\u0008\\u0009\\u000a\\u000b\\u000c\\u000d\\u000e\\u001f\\u0020\\u007f\""),
     "\"\\u0000\\u0001\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e\\u001f \x7F\""},
    {"line separators stay", T("\"\\u2028\\u2029\""), "\"\xE2\x80\xA8\xE2\x80\xA9\""},
    {"exact numbers", T("[9007199254740992,9007199254740993,1.0,-0,1e400,1e-400]"),
     "[9007199254740992,9007199254740993e0,1,0,1e400,1e-400]"},
    {"integers past 64 bits", T("[100000000000000000000,1000000000000000000000]"),
     "[100000000000000000000,1e+21]"},
    {"empty ones", T(" [ [ ] , { } , \"\" ] "), "[[],{},\"\"]"},
    {"a scalar", T(" true "), "true"},
    {"a prefix comes first", T("{\"aa\":1,\"a\":2,\"\":3,\"a\\u0000\":4}"),
     "{\"\":3,\"a\":2,\"a\\u0000\":4,\"aa\":1}"},
    {"seventeen keys",
     T("{\"q\":1,\"p\":1,\"o\":1,\"n\":1,\"m\":1,\"l\":1,\"k\":1,\"j\":1,\"i\":1,\"h\":1,\"g\":1,"
       "\"f\":1,\"e\":1,\"d\":1,\"c\":1,\"b\":1,\"a\":1}"),
     "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1,\"k\":1,"
     "\"l\":1,\"m\":1,\"n\":1,\"o\":1,\"p\":1,\"q\":1}"},
};

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_json *doc;
    fer_str out, again;
    fer_err err = {0};
    fer_code code = fer_json_read(a, row->text, NULL, &doc, &err);
    if (!code) code = fer_json_canonical(a, fer_json_root(doc), &out, &err);
    if (code) return code;
    assert_str(out, row->canonical);
    code = fer_json_read(a, out, NULL, &doc, &err);
    if (!code) code = fer_json_canonical(a, fer_json_root(doc), &again, &err);
    if (!code && !fer_str_eq(out, again)) fail_msg("then: %.*s", FER_PRI(again));
    return code;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
}

static void torture(const struct row *row)
{
    assert_true(rows_torture_arena(attempt, row) > 1);
}

/* ---- a document without one of its keys ----------------------------------------- */

static const struct skipped {
    const char *name;
    const char *text, *skip, *canonical;
} skips[] = {
    {"the first", "{\"a\":1,\"b\":2,\"c\":3}", "a", "{\"b\":2,\"c\":3}"},
    {"the middle", "{\"a\":1,\"b\":2,\"c\":3}", "b", "{\"a\":1,\"c\":3}"},
    {"the last", "{\"a\":1,\"b\":2,\"c\":3}", "c", "{\"a\":1,\"b\":2}"},
    {"the only one", "{\"a\":1}", "a", "{}"},
    {"none", "{\"a\":1}", "z", "{\"a\":1}"},
    {"a container", "{\"b\":{\"c\":[1]},\"a\":1}", "b", "{\"a\":1}"},
    {"only at the top", "{\"a\":{\"a\":1},\"b\":{\"a\":[{\"a\":2}]}}", "a",
     "{\"b\":{\"a\":[{\"a\":2}]}}"},
    {"not in an array", "[{\"a\":1}]", "a", "[{\"a\":1}]"},
    {"not in a scalar", "\"a\"", "a", "\"a\""},
};

static void run_skipped(const struct skipped *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_buf_init(&b, a, 1000);
    const yyjson_val *v = must_read(a, fer_str_of(row->text), NULL);
    const fer_notation notation = {.canonical = true, .skip = row->skip};
    assert_int_equal(fer_write_add(a, &b, v, &notation, NULL), FER_OK);
    assert_str(fer_buf_view(&b), row->canonical);
    fer_arena_free(a);
}

/* ---- the order of UTF-16: each with each ---------------------------------------- */

static const struct ordered {
    const char *name;
    const char *text;
} ordered[] = {
    {"nothing", ""},
    {"U+0009", "\t"},
    {"A", "A"},
    {"a", "a"},
    {"aa", "aa"},
    {"b", "b"},
    {"U+007F", "\x7F"},
    {"U+0080", "\xC2\x80"},
    {"U+07FF", "\xDF\xBF"},
    {"U+0800", "\xE0\xA0\x80"},
    {"U+D7FF", "\xED\x9F\xBF"},
    {"U+10000", "\xF0\x90\x80\x80"},
    {"U+1F600", "\xF0\x9F\x98\x80"},
    {"U+1F600 U+E000", "\xF0\x9F\x98\x80\xEE\x80\x80"},
    {"U+10FFFF", "\xF4\x8F\xBF\xBF"},
    {"U+E000", "\xEE\x80\x80"},
    {"U+E000 a", "\xEE\x80\x80"
                 "a"},
    {"U+E000 U+1F600", "\xEE\x80\x80\xF0\x9F\x98\x80"},
    {"U+FB33", "\xEF\xAC\xB3"},
    {"U+FFFD", "\xEF\xBF\xBD"},
    {"U+FFFF", "\xEF\xBF\xBF"},
};

static void run_ordered(const struct ordered *row)
{
    for (size_t i = 0; i < FER_COUNT(ordered); i++) {
        const struct ordered *other = &ordered[i];
        int order = fer_utf16_cmp(fer_str_of(row->text), fer_str_of(other->text));
        int sign = (order > 0) - (order < 0), expected = (row > other) - (row < other);
        if (sign != expected) fail_msg("to row %zu: %d", i, order);
    }
}

/* ---- seen to be canonical without reading ---------------------------------------- */

#define K8  "abcdefgh"
#define K64 K8 K8 K8 K8 K8 K8 K8 K8
#define A31 "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
#define Z31 "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"

static const struct seen {
    const char *name;
    fer_str text;
    int members; /* or NO */
} seen[] = {
#define NO (-1)
    {"nothing in it", T("{}"), 0},
    {"one member", T("{\"a\":1}"), 1},
    {"keys in order", T("{\"\":0,\"A\":[],\"a\":{},\"aa\":null,\"b\":true,\"c\":false}"), 6},
    {"a key that begins the next", T("{\"call\":1,\"callId\":2}"), 2},
    {"objects inside have an order of their own", T("{\"b\":{\"a\":1,\"b\":{\"a\":1}},\"c\":2}"),
     2},
    {"arrays of all kinds", T("{\"a\":[1,\"x\",[],[2],{\"k\":[{}]},null,true,false]}"), 1},
    {"numbers", T("{\"a\":[0,9,-1,10,-999999999999999,999999999999999]}"), 1},
    {"short escapes", T("{\"a\":\"\\\"\\\\\\b\\f\\n\\r\\t\"}"), 1},
    {"other alphabets", T("{\"a\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"}"), 1},
    {"long strings", T("{\"a\":\"" K64 K64 "\",\"" K64 "\":\"" K64 "\"}"), 2},
    {"as deep as it looks", T("{\"a\":" A31 "1" Z31 "}"), 1},
    {"more members than are wanted",
     T("{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,"
       "\"h\":1,\"i\":1}"),
     8},
    {"an array", T("[1]"), NO},
    {"an array of an object", T("[{\"a\":\"b\"},[\"\"]]"), NO},
    {"a string", T("\"Echo: \\\"a\\\"\""), NO},
    {"a truth", T("true"), NO},
    {"a scalar", T("1"), NO},
    {"nothing", T(""), NO},
    {"white space", T("{\"a\": 1}"), NO},
    {"white space behind it", T("{\"a\":1} "), NO},
    {"keys out of order", T("{\"b\":1,\"a\":1}"), NO},
    {"a key twice", T("{\"a\":1,\"a\":1}"), NO},
    {"a key behind one that it begins", T("{\"aa\":1,\"a\":1}"), NO},
    {"an order inside that is not one", T("{\"a\":[{\"b\":1,\"a\":1}]}"), NO},
    {"a key with an escape", T("{\"\\n\":1}"), NO},
    {"a key beyond ASCII", T("{\"\xC3\xA9\":1}"), NO},
    {"no key", T("{1:1}"), NO},
    {"minus nothing", T("{\"a\":-0}"), NO},
    {"a leading zero", T("{\"a\":01}"), NO},
    {"a fraction", T("{\"a\":1.5}"), NO},
    {"an exponent", T("{\"a\":1e3}"), NO},
    {"sixteen digits", T("{\"a\":1000000000000000}"), NO},
    {"an escape of what needs none", T("{\"a\":\"\\/\"}"), NO},
    {"an escape by number", T("{\"a\":\"\\u000b\"}"), NO},
    {"a control character", T("{\"a\":\"\n\"}"), NO},
    {"no UTF-8", T("{\"a\":\"\xC3\"}"), NO},
    {"a surrogate", T("{\"a\":\"\xED\xA0\x80\"}"), NO},
    {"an end that is missing", T("{\"a\":[1}"), NO},
    {"a comma at the end", T("{\"a\":1,}"), NO},
    {"two in one", T("{}{}"), NO},
    {"deeper than it looks", T("{\"a\":[" A31 "1" Z31 "]}"), NO},
};

static bool is_seen(fer_str text, fer_canonical_member *members, size_t *count)
{
    /* What lies behind a text is never looked at. */
    char *copy = test_malloc(text.len ? text.len : 1);
    memcpy(copy, text.ptr, text.len);
    bool yes = fer_canonical_scan((fer_str){copy, text.len}, members, 8, count);
    for (size_t i = 0; yes && i < *count; i++) {
        members[i].key.ptr = text.ptr + (members[i].key.ptr - copy);
        members[i].value.ptr = text.ptr + (members[i].value.ptr - copy);
    }
    test_free(copy);
    return yes;
}

/* A yes is sure: the reader takes it, and writes the same bytes; members are those it reads. */
static void hold_seen(fer_arena *a, fer_str text)
{
    fer_canonical_member members[8];
    size_t count;
    fer_json *doc;
    fer_str out;
    bool low = true;
    for (size_t i = 0; i < text.len; i++) low &= text.ptr[i] >= ' ' && text.ptr[i] < 0x7F;
    bool yes = is_seen(text, members, &count);
    bool plain = fer_canonical_is_plain(text); /* of what else it takes, the form alone is known */
    if (yes || !low) assert_int_equal(plain, yes && low);
    if (!yes && !plain) return;
    fer_arena_reset(a);
    if (fer_json_read(a, text, NULL, &doc, NULL) ||
        fer_json_canonical(a, fer_json_root(doc), &out, NULL) || !fer_str_eq(out, text))
        fail_msg("not canonical: %.*s", FER_PRI(text));
    if (!yes) return;
    size_t i = 0;
    FER_EACH_MEMBER (fer_json_root(doc), key) {
        if (i == count) break;
        assert_true(fer_str_eq(members[i].key, fer_val_str(key)));
        assert_int_equal(fer_json_canonical(a, key + 1, &out, NULL), FER_OK);
        assert_true(fer_str_eq(members[i++].value, out));
    }
    assert_int_equal(i, count);
}

/* The row, all that it begins with, and it with any byte changed. */
static void run_seen(const struct seen *row)
{
    static const char bytes[] = "\"\\{}[]:,01-.eEnu \n\x7F\x80\xC3 az";
    fer_canonical_member members[8];
    size_t count = 0;
    char text[1024];
    fer_arena *a = fer_arena_new(0);
    bool yes = is_seen(row->text, members, &count);
    assert_int_equal(yes ? (int)count : NO, row->members);
    assert_true(row->text.len <= sizeof text);
    for (size_t n = 0; n <= row->text.len; n++) hold_seen(a, fer_str_slice(row->text, 0, n));
    memcpy(text, row->text.ptr, row->text.len);
    for (size_t at = 0; at < row->text.len; at++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            text[at] = bytes[i];
            hold_seen(a, (fer_str){text, row->text.len});
        }
        text[at] = row->text.ptr[at];
    }
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("canonical numbers", numbers, run_number) +
           ROWS_RUN("canonical form", rows, run) +
           ROWS_RUN("canonical form, arena failing", rows, torture) +
           ROWS_RUN("canonical form without a key", skips, run_skipped) +
           ROWS_RUN("order of UTF-16", ordered, run_ordered) +
           ROWS_RUN("seen to be canonical", seen, run_seen);
}
