/* SPDX-License-Identifier: Apache-2.0 */
/* What the result of a call says: the value, a tool that says no, a server that asks for input. */
#include "buf.h"
#include "mcp_result.h"
#include "rows.h"

#define TEXT(t) "{\"type\":\"text\",\"text\":" t "}"
#define IMAGE   "{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"image/png\"}"

static const struct row {
    const char *name, *json;
    bool modern;
    int verdict;       /* -1: no result */
    const char *value; /* JSON; NULL: none */
    const char *message, *details;
} rows[] = {
    {"structured content",
     "{\"content\":[" TEXT("\"x\"") "],\"structuredContent\":{\"n\":12345678901234567890}}", false,
     FER_MCP_DONE, "{\"n\":12345678901234567890}", "", ""},
    {"structured content alone", "{\"structuredContent\":{}}", false, FER_MCP_DONE, "{}", "", ""},
    {"structured content that is null", "{\"content\":[],\"structuredContent\":null}", true,
     FER_MCP_DONE, "null", "", ""},
    {"structured content that is a list", "{\"content\":[],\"structuredContent\":[1]}", true,
     FER_MCP_DONE, "[1]", "", ""},
    {"one text", "{\"content\":[" TEXT("\"Echo: hi\"") "]}", false, FER_MCP_DONE, "\"Echo: hi\"",
     "", ""},
    {"one text that is an object",
     "{\"content\":[" TEXT("\"{\\\"a\\\":18446744073709551616}\"") "]}", false, FER_MCP_DONE,
     "{\"a\":18446744073709551616}", "", ""},
    {"one text that is a list", "{\"content\":[" TEXT("\" [1,2]\"") "]}", false, FER_MCP_DONE,
     "[1,2]", "", ""},
    {"one text that is nearly an object", "{\"content\":[" TEXT("\"{a}\"") "]}", false,
     FER_MCP_DONE, "\"{a}\"", "", ""},
    {"a number as text stays text", "{\"content\":[" TEXT("\"007\"") "]}", false, FER_MCP_DONE,
     "\"007\"", "", ""},
    {"two texts", "{\"content\":[" TEXT("\"a\"") "," TEXT("\"{}\"") "]}", false, FER_MCP_DONE,
     "[\"a\",\"{}\"]", "", ""},
    {"a text and an image", "{\"content\":[" TEXT("\"a\"") "," IMAGE "]}", false, FER_MCP_DONE,
     "[" TEXT("\"a\"") "," IMAGE "]", "", ""},
    {"nothing", "{\"content\":[]}", false, FER_MCP_DONE, NULL, "", ""},
    {"said no", "{\"content\":[" TEXT("\"no such file\"") "],\"isError\":true}", false,
     FER_MCP_SAID_NO, NULL, "no such file", ""},
    {"said no in two texts and an image",
     "{\"isError\":true,\"content\":[" TEXT("\"a\"") "," IMAGE "," TEXT("\"b\"") "]}", false,
     FER_MCP_SAID_NO, NULL, "a\nb", ""},
    {"said no and nothing else", "{\"content\":[],\"isError\":true}", false, FER_MCP_SAID_NO, NULL,
     "the tool says that it failed, but not why", ""},
    {"said no with a structure",
     "{\"content\":[" TEXT("\"a\"") "],\"structuredContent\":{\"c\":1},\"isError\":true}", false,
     FER_MCP_SAID_NO, NULL, "a", "{\"c\":1}"},
    {"said that it did not fail", "{\"content\":[" TEXT("\"a\"") "],\"isError\":false}", false,
     FER_MCP_DONE, "\"a\"", "", ""},
    {"complete", "{\"resultType\":\"complete\",\"content\":[]}", true, FER_MCP_DONE, NULL, "", ""},
    {"complete where it is not said", "{\"content\":[]}", true, FER_MCP_DONE, NULL, "", ""},
    {"asks for input",
     "{\"resultType\":\"input_required\",\"inputRequests\":{\"a\":{\"method\":\"elicitation/create\"}},"
     "\"requestState\":\"s\"}",
     true, FER_MCP_ASKS_INPUT, NULL,
     "the tool asks for input, which nobody here can give: elicitation/create",
     "{\"a\":{\"method\":\"elicitation/create\"}}"},
    {"asks to come again", "{\"resultType\":\"input_required\",\"requestState\":\"s\"}", true,
     FER_MCP_ASKS_INPUT, NULL, "the tool asks for input, which nobody here can give", ""},
    {"asks for nothing", "{\"resultType\":\"input_required\"}", true, -1, NULL,
     "the server asks for input without saying for what", ""},
    {"a task", "{\"resultType\":\"task\",\"taskId\":\"t\",\"status\":\"working\"}", true,
     FER_MCP_BEGAN, NULL, "the tool goes on as a task, which nobody here can ask for", ""},
    {"a task without a name", "{\"resultType\":\"task\",\"status\":\"working\"}", true, -1, NULL,
     "the server has begun a task without a name", ""},
    {"a task of 2025-11-25", "{\"task\":{\"taskId\":\"t\",\"status\":\"working\"}}", false,
     FER_MCP_BEGAN, NULL, "the tool goes on as a task, which nobody here can ask for", ""},
    {"content beside a task", "{\"content\":[],\"task\":{\"taskId\":\"t\"}}", false, FER_MCP_DONE,
     NULL, "", ""},
    {"an unknown type", "{\"resultType\":\"later\",\"content\":[]}", true, -1, NULL,
     "the result is of a type that is not known (resultType)", ""},
    {"a type where there are none", "{\"resultType\":\"task\",\"content\":[]}", false, FER_MCP_DONE,
     NULL, "", ""},
    {"both missing", "{}", false, -1, NULL, "the result has neither content nor structuredContent",
     ""},
    {"no object", "[]", false, -1, NULL, "the result is no object", ""},
    {"content that is a text", "{\"content\":\"a\"}", false, -1, NULL, "the content is no list",
     ""},
    {"isError that is a text", "{\"content\":[],\"isError\":\"true\"}", false, -1, NULL,
     "isError is no true or false", ""},
};

static fer_code attempt(fer_arena *a, const void *p)
{
    const struct row *row = p;
    fer_mcp_result r;
    fer_err err = {0};
    fer_str value;
    fer_code code = fer_mcp_result_read(a, fer_str_of(row->json), row->modern, &r, &err);
    if (code == FER_LIMIT_EXCEEDED) return code;
    if (row->verdict < 0) {
        assert_int_equal(code, FER_INVALID_OUTPUT);
        assert_string_equal(err.message, row->message);
        return FER_OK;
    }
    assert_int_equal(code, FER_OK);
    assert_int_equal(r.verdict, row->verdict);
    assert_str(r.message, row->message);
    assert_str(r.details, row->details);
    assert_int_equal(r.value != NULL, row->value != NULL);
    if (!r.value) return FER_OK;
    code = fer_json_write(a, r.value, false, &value, &err);
    if (!code) assert_str(value, row->value);
    return code;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
    rows_torture_arena(attempt, row);
}

/* A long complaint is cut between characters; the whole of it is in the result. */
static void long_complaint(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_mcp_result r;
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    fer_buf_add_text(&b, "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"");
    for (int i = 0; i < 2000; i++) fer_buf_add_text(&b, "\xC3\xA9");
    fer_buf_add_text(&b, "\"}]}");
    assert_int_equal(fer_mcp_result_read(a, fer_buf_view(&b), false, &r, NULL), FER_OK);
    assert_int_equal(r.message.len, FER_ERR_TEXT - 2);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("mcp_result", rows, run) + ROWS_ONE("mcp_result", long_complaint);
}
