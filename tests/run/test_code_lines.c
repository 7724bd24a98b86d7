/* SPDX-License-Identifier: Apache-2.0 */
/* Lines between code and gateway: what is one, what is refused, and what is written. */
#include "code_lines.h"
#include "rows.h"

#define LONG_ID "\"12345678901234567890123456789012345678901234567890123456789012"

#define OPEN_7   "[[[[[[["
#define CLOSE_7  "]]]]]]]"
#define OPEN_63  OPEN_7 OPEN_7 OPEN_7 OPEN_7 OPEN_7 OPEN_7 OPEN_7 OPEN_7 OPEN_7
#define CLOSE_63 CLOSE_7 CLOSE_7 CLOSE_7 CLOSE_7 CLOSE_7 CLOSE_7 CLOSE_7 CLOSE_7 CLOSE_7
#define DEEP_63  OPEN_63 CLOSE_63
#define DEEP_64  "[" DEEP_63 "]"
#define DEEP_65  "[" DEEP_64 "]"

static const struct row {
    const char *name;
    const char *in;
    fer_code code;
    const char *out; /* "op id tool text ns level limit value input", or a part of the sentence */
} rows[] = {
    {"a call", "{\"id\":1,\"op\":\"run\",\"tool\":\"a:b\",\"args\":{\"x\":[1, 2]}}", FER_OK,
     "run|1|a:b||||0|{\"x\":[1, 2]}|"},
    {"a call without arguments", "{\"op\":\"run\",\"tool\":\"b\",\"id\":\"x\"}", FER_OK,
     "run|\"x\"|b||||0||"},
    {"digits are kept",
     "{\"id\":1,\"op\":\"run\",\"tool\":\"b\",\"args\":{\"n\":12345678901234567890123}}", FER_OK,
     "run|1|b||||0|{\"n\":12345678901234567890123}|"},
    {"a search", "{\"id\":2,\"op\":\"search\",\"query\":\"q\",\"namespace\":\"n\",\"limit\":5}",
     FER_OK, "search|2||q|n||5||"},
    {"limit", "{\"id\":2,\"op\":\"list\",\"limit\":100}", FER_OK, "list|2|||||100||"},
    {"limit + 1", "{\"id\":2,\"op\":\"list\",\"limit\":101}", FER_INVALID_TYPE, "`limit` of op"},
    {"limit 0", "{\"id\":2,\"op\":\"list\",\"limit\":0}", FER_INVALID_TYPE, "`limit` of op"},
    {"namespaces", "{\"id\":2,\"op\":\"namespaces\"}", FER_OK, "namespaces|2|||||0||"},
    {"a description", "{\"id\":2,\"op\":\"describe\",\"tool\":\"a\",\"level\":\"full\"}", FER_OK,
     "describe|2|a|||full|0||"},
    {"a chain", "{\"id\":2,\"op\":\"chain\",\"steps\":[{}],\"input\":null}", FER_OK,
     "chain|2|||||0|[{}]|null"},
    {"printed", "{\"op\":\"print\",\"text\":\"a\\nb\",\"stream\":\"stderr\"}", FER_OK,
     "print||"
     "|a\nb|||0||"},
    {"a value", "{\"op\":\"out\",\"value\":1.50}", FER_OK, "out||||||0|1.50|"},
    {"a failure", "{\"op\":\"fail\",\"error\":{\"message\":\"m\"}}", FER_OK,
     "fail||||||0|{\"message\":\"m\"}|"},
    {"uses", "{\"op\":\"uses\",\"tools\":[]}", FER_OK, "uses||||||0|[]|"},
    {"done", "{\"op\":\"done\"}", FER_OK, "done||||||0||"},
    {"no JSON", "run a:b", FER_INVALID_JSON, ""},
    {"nothing", "", FER_INVALID_JSON, ""},
    {"a list", "[1]", FER_INVALID_TYPE, "a line is a JSON object"},
    {"no op", "{\"id\":1}", FER_REQUIRED_MISSING, "a line has `op`"},
    {"an unknown op", "{\"id\":1,\"op\":\"exec\"}", FER_INVALID_ENUM_VALUE,
     "nobody knows the op \"exec\""},
    {"a request without ID", "{\"op\":\"run\",\"tool\":\"b\"}", FER_REQUIRED_MISSING, "has `id`"},
    {"no tool", "{\"id\":1,\"op\":\"run\"}", FER_REQUIRED_MISSING, "has `tool`"},
    {"an unknown member", "{\"id\":1,\"op\":\"run\",\"tool\":\"b\",\"arguments\":{}}",
     FER_UNKNOWN_FIELD, "no member `arguments`"},
    {"a member of another op", "{\"id\":1,\"op\":\"run\",\"tool\":\"b\",\"query\":\"x\"}",
     FER_UNKNOWN_FIELD, "no member `query`"},
    {"arguments that are a list", "{\"id\":1,\"op\":\"run\",\"tool\":\"b\",\"args\":[]}",
     FER_INVALID_TYPE, "`args` of op \"run\" is an object"},
    {"an ID that is a list", "{\"id\":[],\"op\":\"done\"}", FER_INVALID_TYPE, "`id` is"},
    {"an ID with a fraction", "{\"id\":1.5,\"op\":\"done\"}", FER_INVALID_TYPE, "`id` is"},
    {"ID of 64 bytes", "{\"id\":" LONG_ID "\",\"op\":\"namespaces\"}", FER_OK, NULL},
    {"ID of 65 bytes", "{\"id\":" LONG_ID "3\",\"op\":\"namespaces\"}", FER_INVALID_TYPE,
     "`id` is"},
    {"another stream", "{\"op\":\"print\",\"text\":\"\",\"stream\":\"x\"}", FER_INVALID_ENUM_VALUE,
     "stdout or stderr"},
    {"a value of 64 levels", "{\"op\":\"out\",\"value\":" DEEP_64 "}", FER_OK, NULL},
    {"a value of 65 levels", "{\"op\":\"out\",\"value\":" DEEP_65 "}", FER_LIMIT_EXCEEDED,
     "code.depth: `value`"},
    {"arguments of 64 levels",
     "{\"id\":1,\"op\":\"run\",\"tool\":\"b\",\"args\":{\"x\":" DEEP_63 "}}", FER_OK, NULL},
    {"arguments of 65 levels",
     "{\"id\":1,\"op\":\"run\",\"tool\":\"b\",\"args\":{\"x\":" DEEP_64 "}}", FER_LIMIT_EXCEEDED,
     "code.depth: `args`"},
    {"a key twice", "{\"op\":\"done\",\"op\":\"out\"}", FER_DUPLICATE_KEY, ""},
};

static fer_code attempt(fer_arena *a, const void *given)
{
    const struct row *row = given;
    fer_code_line l;
    fer_err err = {0};
    fer_code code = fer_code_line_read(a, fer_str_of(row->in), &l, &err);
    bool short_of =
        code == FER_LIMIT_EXCEEDED && (row->code != code || !strstr(err.message, row->out));
    if (code == FER_OUT_OF_MEMORY || short_of) return code;
    assert_int_equal(code, row->code);
    if (code) {
        assert_non_null(strstr(err.message, row->out));
        return FER_OK;
    }
    fer_str all =
        fer_arena_printf(a, "%s|%.*s|%.*s|%.*s|%.*s|%.*s|%zu|%.*s|%.*s", fer_code_op_names[l.op],
                         FER_PRI(l.id), FER_PRI(l.tool), FER_PRI(l.text), FER_PRI(l.ns),
                         FER_PRI(l.level), l.limit, FER_PRI(l.value), FER_PRI(l.input));
    if (!all.ptr) return FER_OUT_OF_MEMORY;
    if (row->out) assert_str(all, row->out);
    return FER_OK;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
}

static void run_torture(const struct row *row)
{
    rows_torture_arena(attempt, row);
}

static void writes(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_job j = {.code = FER_STR("1\n"), .check = true};
    fer_buf_init(&b, a, 4096);
    fer_code_answer(&b, FER_STR("7"), FER_STR("{\"n\":1}"));
    assert_str(fer_buf_view(&b), "{\"id\":7,\"result\":{\"n\":1}}");
    fer_buf_init(&b, a, 4096);
    fer_code_answer(&b, FER_STR("7"), FER_STR("{\n \"n\": [1,\n2]}\n"));
    assert_str(fer_buf_view(&b), "{\"id\":7,\"result\":{  \"n\": [1, 2]} }");
    fer_buf_init(&b, a, 4096);
    fer_code_answer(&b, FER_STR("\"x\""), FER_STR(""));
    assert_str(fer_buf_view(&b), "{\"id\":\"x\",\"result\":null}");
    fer_buf_init(&b, a, 4096);
    fer_code_refuse(&b, FER_STR(""), FER_TOOL_FAILED, FER_STR("n\"o"), FER_STR("{}"));
    assert_str(fer_buf_view(&b),
               "{\"id\":null,\"error\":{\"code\":\"ToolFailed\",\"category\":\"ExecutionError\","
               "\"retryable\":false,\"message\":\"n\\\"o\",\"details\":{}}}");
    fer_buf_init(&b, a, 4096);
    j.bounds[FER_BOUND_TIME] = 5;
    fer_code_start(&b, &j);
    assert_non_null(
        strstr(fer_buf_view(&b).ptr, "\"check\":true,\"limits\":{\"depth\":64,\"timeMs\":5,"));
    assert_non_null(strstr(fer_buf_view(&b).ptr, "\"code\":\"1\\n\"}"));
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("lines of code", rows, run) +
           ROWS_RUN("lines of code, no memory", rows, run_torture) +
           ROWS_ONE("lines of code", writes);
}
