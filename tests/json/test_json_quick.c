/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quick reader: which texts it takes, and that it makes of them what yyjson and the pass
 * behind it make. Each text is also read with every byte of it changed, left out or doubled,
 * and cut short everywhere: both ways must agree on the code, the place and the values.
 */
#include "rows.h"

#include "json_quick.h"
#include "same_values.h"

#define KEYS_16                                                                                    \
    "\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,\"k\":0,\"l\":0,\"m\":0,\"n\":0,\"o\":0,\"p\":0"
#define OPEN_32 "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
#define SHUT_32 "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"

static const struct text_row {
    const char *name; /* the text */
    bool taken;
} text_rows[] = {
    {"null", true},
    {" true ", true},
    {"[false,true,null]", true},
    {"[]", true},
    {"{}", true},
    {"[ ]", true},
    {"{ \n\t\r}", true},
    {"[[],{},[{}],{\"\":[]}]", true},
    {"{\"a\":1}", true},
    {" { \"a\" : [ 1 , 2 ] , \"b\" : { } } ", true},
    {"{\"\":1,\"\":2}", false},
    {"{\"a\":1,\"a\":2}", false},
    {"{\"a\":1,\"\\u0061\":2}", false},
    {"{\"a\":{\"a\":{\"a\":1}},\"b\":[{\"a\":1}]}", true},
    {"{\"a\":{\"b\":1,\"b\":1}}", false},
    {"{" KEYS_16 "}", true},
    {"{" KEYS_16 ",\"q\":0}", true},
    {"{" KEYS_16 ",\"a\":0}", false},
    {"{" KEYS_16 ",\"q\":0,\"q\":1}", false},
    {"{\"x\":{" KEYS_16 ",\"q\":0},\"y\":{" KEYS_16 ",\"p\":0}}", false},
    {"[0,-0,1,-1,10,123456789012345678,-123456789012345678]", true},
    {"[1234567890123456789,18446744073709551615,-9223372036854775808]", true},
    {"[18446744073709551616]", false},
    {"[-9223372036854775809]", false},
    {"[0.0,-0.0,0.5,-1.25,12345678901234.5,123456789012345.6]", true},
    {"[1e5,1E+5,1e-5,1.5e3,0e1,5e-324,1.7976931348623157e308]", true},
    {"[0.1000000000000000055]", false},
    {"[1e400]", false},
    {"[1e-400]", false},
    {"[4.9e-324]", false},
    {"[0.3,0.1234567890123456,1234567890.1234567]", true},
    {"[01]", false},
    {"[-01.5]", false},
    {"[1.]", false},
    {"[.5]", false},
    {"[+1]", false},
    {"[1e]", false},
    {"[1e+]", false},
    {"[-]", false},
    {"[1,]", false},
    {"[,1]", false},
    {"{\"a\":1,}", false},
    {"{\"a\"}", false},
    {"{1:1}", false},
    {"[1 2]", false},
    {"[1}", false},
    {"1]", false},
    {"nul", false},
    {"truee", false},
    {"\"\"", true},
    {"\"fifteen bytes..\"", true},
    {"\"sixteen bytes...\"", true},
    {"\"seventeen bytes..\"", true},
    {"\"thirty-one bytes of plain text.\"", true},
    {"\"thirty-two bytes of plain text..\"", true},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", true},
    {"[\"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\\u0000\\uffff\"]", true},
    {"\"plain text, then \\n an escape and sixteen bytes more\"", true},
    {"\"\\ud83d\"", false},
    {"\"\\ude00\"", false},
    {"\"\\ud83d\\u0041\"", false},
    {"\"\\u00g0\"", false},
    {"\"\\u:000\"", false},
    {"\"\\u@000\"", false},
    {"\"\\x\"", false},
    {"\"\x7F\"", true},
    {"\"\x1F\"", false},
    {"[\"\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\"]", true},
    {"[\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"]", true},
    {"\"\xC0\x80\"", false},
    {"\"\xE0\x9F\xBF\"", false},
    {"\"\xED\xA0\x80\"", false},
    {"\"\xF0\x8F\xBF\xBF\"", false},
    {"\"\xF4\x90\x80\x80\"", false},
    {"\"\xF5\x80\x80\x80\"", false},
    {"\"\x80\"", false},
    {OPEN_32 OPEN_32 SHUT_32 SHUT_32, true},
    {OPEN_32 OPEN_32 "[]" SHUT_32 SHUT_32, false}, /* deeper than its stack */
    {"{\"jsonrpc\":\"2.0\",\"id\":42,\"params\":{\"at\":[47.3769,-8.5],\"t\":\"caf\xC3\xA9\\n\"}}",
     true},
};

/* ---- taken or not, by itself ------------------------------------------------------- */

static void run_taken(const struct text_row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    size_t len = strlen(row->name);
    fer_json doc = {.text = {row->name, len}};
    char *copy = fer_arena_alloc_zero(a, len + FER_QUICK_PADDING, 1);
    assert_non_null(copy);
    memcpy(copy, row->name, len);
    assert_int_equal(fer_json_quick(a, &doc, copy, len, fer_json_limits_message()), row->taken);
    fer_arena_free(a);
}

/* ---- both ways agree ------------------------------------------------------------------ */

static void agree(fer_arena *a, fer_str text)
{
    fer_json *one = NULL, *two = NULL;
    fer_err err_one = {0}, err_two = {0};
    if (text.len < 3) return;
    fer_arena_reset(a);
    const fer_json_limits limits = not_quick(text);
    fer_code code = fer_json_read(a, text, NULL, &one, &err_one);
    if (fer_json_read(a, text, &limits, &two, &err_two) != code)
        fail_msg("%.*s: %s; %s", FER_PRI(text), err_one.message, err_two.message);
    assert_int_equal(err_one.offset, err_two.offset);
    assert_string_equal(err_one.message, err_two.message);
    if (!code && !same_values(one, two)) fail_msg("%.*s: other values", FER_PRI(text));
}

static void run_agree(const struct text_row *row)
{
    static const char bytes[] =
        " \t\n\"\\/{}[]:,.-+0159eEabuntf\x01\x1F\x7F\x80\xBF\xC3\xE0\xED\xF4\xFF";
    char text[1024];
    size_t len = strlen(row->name);
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    agree(a, (fer_str){row->name, len});
    for (size_t i = 0; i < len; i++) {
        agree(a, (fer_str){row->name, i});
        memcpy(text, row->name, len);
        for (size_t k = 0; k < sizeof bytes; k++) { /* its NUL too */
            text[i] = bytes[k];
            agree(a, (fer_str){text, len});
        }
        memcpy(text + i, row->name + i + 1, len - i - 1);
        agree(a, (fer_str){text, len - 1});
        memcpy(text + i + 1, row->name + i, len - i);
        text[i] = row->name[i];
        agree(a, (fer_str){text, len + 1});
    }
    fer_arena_free(a);
}

/* ---- limits ------------------------------------------------------------------------------ */

static const struct limit_row {
    const char *name;
    const char *text;
    fer_json_limits limits; /* 0: that of messages */
    bool taken;
} limit_rows[] = {
    {"depth reached", "[[1]]", {.depth = 2}, true},
    {"depth passed", "[[1]]", {.depth = 1}, false},
    {"depth passed by nothing", "[[]]", {.depth = 1}, false},
    {"key reached", "{\"abc\":1}", {.key = 3}, true},
    {"key passed", "{\"abcd\":1}", {.key = 3}, false},
    {"members reached", "{\"a\":1,\"b\":2}", {.members = 2}, true},
    {"members passed", "{\"a\":1,\"b\":2,\"c\":3}", {.members = 2}, false},
    {"many members passed", "{" KEYS_16 ",\"q\":0}", {.members = 16}, false},
    {"number reached", "[-1234567890123456789]", {.number = 20}, true},
    {"number passed", "[-12345678901234567890]", {.number = 20}, false},
    {"numbers that may not be as long as usual", "[1]", {.number = 18}, false},
    {"exponent reached", "[1e10]", {.exponent = 2}, true},
    {"exponent passed", "[1e100]", {.exponent = 2}, false},
    {"strings that may be shorter than the text", "[\"a\"]", {.string = 4}, false},
    {"fewer values than bytes", "[\"a\"]", {.nodes = 4}, false},
};

static void run_limit(const struct limit_row *row)
{
    fer_json_limits limits = *fer_json_limits_message();
    for (size_t i = 0; i < fer_json_limit_row_count; i++) {
        size_t at = fer_json_limit_rows[i].offset, value;
        memcpy(&value, (const char *)&row->limits + at, sizeof value);
        if (value) memcpy((char *)&limits + at, &value, sizeof value);
    }
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    size_t len = strlen(row->text);
    fer_json doc = {.text = {row->text, len}};
    char *copy = fer_arena_alloc_zero(a, len + FER_QUICK_PADDING, 1);
    assert_non_null(copy);
    memcpy(copy, row->text, len);
    assert_int_equal(fer_json_quick(a, &doc, copy, len, &limits), row->taken);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("quick taken", text_rows, run_taken) +
           ROWS_RUN("quick agrees", text_rows, run_agree) +
           ROWS_RUN("quick limits", limit_rows, run_limit);
}
