/* SPDX-License-Identifier: Apache-2.0 */
/* JSON-RPC messages: what is one, what is none, and that bytes pass as they came. */
#include "rows.h"
#include "rpc.h"

#define V "\"jsonrpc\":\"2.0\","

static const struct read_row {
    const char *name;
    const char *text;
    int kind; /* -1: no message, -2: not even JSON */
    fer_rpc_id_type id_type;
    const char *id;    /* or what is wrong */
    const char *bytes; /* of params, result or error */
} read_rows[] = {
    {"a request", "{" V "\"id\":1,\"method\":\"ping\"}", FER_RPC_REQUEST, FER_RPC_INTEGER, "1",
     NULL},
    {"a request with a text as ID", "{" V "\"id\":\"1\",\"method\":\"ping\"}", FER_RPC_REQUEST,
     FER_RPC_TEXT, "1", NULL},
    {"escapes in an ID", "{" V "\"id\":\"\\u0061\\n\",\"method\":\"ping\"}", FER_RPC_REQUEST,
     FER_RPC_TEXT, "a\n", NULL},
    {"an ID past 64 bits", "{" V "\"id\":123456789012345678901234567890,\"result\":{}}",
     FER_RPC_RESULT, FER_RPC_INTEGER, "123456789012345678901234567890", "{}"},
    {"a negative ID", "{" V "\"id\":-7,\"result\":{}}", FER_RPC_RESULT, FER_RPC_INTEGER, "-7",
     "{}"},
    {"a notification", "{" V "\"method\":\"n\",\"params\":{\"a\": 1}}", FER_RPC_NOTIFICATION,
     FER_RPC_NO_ID, "", "{\"a\": 1}"},
    {"digits, order and unknown members are kept",
     "{\"x\":0," V
     "\"id\":2,\"result\":{\"b\":12345678901234567890123, \"a\":1.50e1,\"\\u0061b\":0}}",
     FER_RPC_RESULT, FER_RPC_INTEGER, "2",
     "{\"b\":12345678901234567890123, \"a\":1.50e1,\"\\u0061b\":0}"},
    {"a result that is null", "{" V "\"id\":2,\"result\":null}", FER_RPC_RESULT, FER_RPC_INTEGER,
     "2", "null"},
    {"an error", "{" V "\"id\":3,\"error\":{\"code\":-32601,\"message\":\"no\"}}", FER_RPC_ERROR,
     FER_RPC_INTEGER, "3", "{\"code\":-32601,\"message\":\"no\"}"},
    {"an error to nobody", "{" V "\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}",
     FER_RPC_ERROR, FER_RPC_NO_ID, "", "{\"code\":1,\"message\":\"\"}"},
    {"an error without an ID", "{" V "\"error\":{\"code\":1,\"message\":\"\"}}", FER_RPC_ERROR,
     FER_RPC_NO_ID, "", "{\"code\":1,\"message\":\"\"}"},
    {"no JSON", "Listening on port 3000", -2, FER_RPC_NO_ID, NULL, NULL},
    {"two values on one line", "{} {}", -2, FER_RPC_NO_ID, NULL, NULL},
    {"half of one", "{" V "\"id\":1,\"res", -2, FER_RPC_NO_ID, NULL, NULL},
    {"a key twice", "{" V "\"id\":1,\"id\":2,\"result\":{}}", -2, FER_RPC_NO_ID, NULL, NULL},
    {"a list", "[]", -1, FER_RPC_NO_ID, "a message is no object", NULL},
    {"another version", "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}", -1, FER_RPC_INTEGER,
     "a message has no \"jsonrpc\": \"2.0\"", NULL},
    {"a version as a number", "{\"jsonrpc\":2.0,\"id\":1,\"result\":{}}", -1, FER_RPC_INTEGER,
     "a message has no \"jsonrpc\": \"2.0\"", NULL},
    {"an ID with a fraction", "{" V "\"id\":1.0,\"result\":{}}", -1, FER_RPC_NO_ID,
     "the ID of a message is neither a text nor an integer", NULL},
    {"an ID with an exponent", "{" V "\"id\":1e0,\"result\":{}}", -1, FER_RPC_NO_ID,
     "the ID of a message is neither a text nor an integer", NULL},
    {"an ID that is true", "{" V "\"id\":true,\"method\":\"m\"}", -1, FER_RPC_NO_ID,
     "the ID of a message is neither a text nor an integer", NULL},
    {"a request with null as ID", "{" V "\"id\":null,\"method\":\"m\"}", -1, FER_RPC_NO_ID,
     "a request has null as its ID", NULL},
    {"a result to nobody", "{" V "\"id\":null,\"result\":{}}", -1, FER_RPC_NO_ID,
     "a result has no ID", NULL},
    {"both answers", "{" V "\"id\":1,\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}}", -1,
     FER_RPC_INTEGER, "a message has both a result and an error", NULL},
    {"a question and an answer", "{" V "\"id\":1,\"method\":\"m\",\"result\":{}}", -1,
     FER_RPC_INTEGER, "a message has both a method and an answer", NULL},
    {"neither", "{" V "\"id\":1}", -1, FER_RPC_INTEGER,
     "a message has neither method nor result nor error", NULL},
    {"params as a list", "{" V "\"id\":1,\"method\":\"m\",\"params\":[]}", -1, FER_RPC_INTEGER,
     "the params of a message are no object", NULL},
    {"a method that is no text", "{" V "\"id\":1,\"method\":1}", -1, FER_RPC_INTEGER,
     "the method of a message is no text", NULL},
    {"an error that is a text", "{" V "\"id\":1,\"error\":\"no\"}", -1, FER_RPC_INTEGER,
     "the error of a message is no object", NULL},
    {"an error without a code", "{" V "\"id\":1,\"error\":{\"message\":\"no\"}}", -1,
     FER_RPC_INTEGER, "the error of a message has no integer as its code", NULL},
    {"an error with half a code", "{" V "\"id\":1,\"error\":{\"code\":1.5,\"message\":\"no\"}}", -1,
     FER_RPC_INTEGER, "the error of a message has no integer as its code", NULL},
    {"an error without a text", "{" V "\"id\":1,\"error\":{\"code\":1}}", -1, FER_RPC_INTEGER,
     "the error of a message has no text", NULL},
};

static fer_code attempt_read(fer_arena *a, const void *p)
{
    const struct read_row *row = p;
    fer_rpc m = {0};
    fer_err err = {0};
    fer_code code = fer_rpc_read(a, fer_str_of(row->text), NULL, &m, &err);
    if (code == FER_LIMIT_EXCEEDED) return code;
    assert_int_equal(m.id.type, row->id_type);
    if (row->kind < 0) {
        assert_int_equal(fer_rpc_fault(code), row->kind == -1 ? -32600 : -32700);
        if (row->kind == -1) assert_string_equal(err.message, row->id);
        return FER_OK;
    }
    assert_int_equal(code, FER_OK);
    assert_int_equal(m.kind, row->kind);
    assert_str(m.id.text, row->id);
    const yyjson_val *carried = m.params ? m.params : m.result ? m.result : m.error;
    if (row->bytes) assert_str(fer_rpc_bytes(m.doc, carried), row->bytes);
    else assert_null(carried);
    return FER_OK;
}

static void run_read(const struct read_row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt_read(a, row), FER_OK);
    fer_arena_free(a);
    rows_torture_arena(attempt_read, row);
}

/* ---- IDs and codes -------------------------------------------------------------------------- */

static void ids(void)
{
    fer_rpc_id one = {FER_RPC_INTEGER, FER_STR("1")}, text = {FER_RPC_TEXT, FER_STR("1")};
    fer_rpc_id zeros = {FER_RPC_INTEGER, FER_STR("-1")}, none = {0};
    assert_true(fer_rpc_id_eq(&one, &one));
    assert_false(fer_rpc_id_eq(&one, &text));
    assert_int_equal(fer_rpc_id_number(&one), 1);
    assert_int_equal(fer_rpc_id_number(&text), 0);
    assert_int_equal(fer_rpc_id_number(&zeros), 0);
    assert_int_equal(fer_rpc_id_number(&none), 0);
}

static void far_codes(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_rpc m;
    assert_int_equal(fer_rpc_read(a,
                                  FER_STR("{" V "\"error\":{\"code\":99999999999999999999,"
                                          "\"message\":\"\"}}"),
                                  NULL, &m, NULL),
                     FER_OK);
    assert_true(m.error_code == INT64_MIN);
    fer_arena_free(a);
}

/* ---- batches ----------------------------------------------------------------------------------
 */

static void note(void *context, const fer_rpc *m, const fer_err *err)
{
    fer_buf *b = context;
    if (m) fer_buf_printf(b, "%d ", (int)m->kind);
    else fer_buf_printf(b, "(%s) ", err->message);
}

static const struct batch_row {
    const char *name, *text, *expected;
    fer_code code;
} batch_rows[] = {
    {"one message", "{" V "\"method\":\"m\"}", "1 ", FER_OK},
    {"two", "[{" V "\"method\":\"m\"},{" V "\"id\":1,\"result\":{}}]", "1 2 ", FER_OK},
    {"a bad one between", "[{" V "\"method\":\"m\"},7,{" V "\"id\":1,\"result\":{}}]",
     "1 (a message is no object) 2 ", FER_OK},
    {"none", "[]", "", FER_UNKNOWN_SHAPE},
    {"no message", "7", "", FER_UNKNOWN_SHAPE},
    {"no JSON", "[", "", FER_INVALID_JSON},
};

static void run_batch(const struct batch_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err;
    fer_buf b;
    fer_buf_init(&b, a, 4096);
    fer_code code = fer_rpc_read_batch(a, fer_str_of(row->text), NULL, note, &b, &err);
    assert_int_equal(code, row->code);
    assert_str(fer_buf_view(&b), row->expected);
    fer_arena_free(a);
}

static void count(void *context, const fer_rpc *m, const fer_err *err)
{
    (void)m;
    (void)err;
    ++*(size_t *)context;
}

static void batch_limit(void)
{
    for (int extra = 0; extra < 2; extra++) {
        fer_arena *a = fer_arena_new(0);
        size_t told = 0;
        fer_buf b;
        fer_buf_init(&b, a, 1 << 20);
        for (int i = 0; i < FER_RPC_BATCH_MAX + extra; i++)
            fer_buf_add_text(&b, i ? ",{" V "\"method\":\"m\"}" : "[{" V "\"method\":\"m\"}");
        fer_buf_add_char(&b, ']');
        fer_code code = fer_rpc_read_batch(a, fer_buf_view(&b), NULL, count, &told, NULL);
        assert_int_equal(code, extra ? FER_LIMIT_EXCEEDED : FER_OK);
        assert_int_equal(told, extra ? 0 : FER_RPC_BATCH_MAX);
        fer_arena_free(a);
    }
}

/* ---- writing ------------------------------------------------------------------------------------
 */

static void writing(void)
{
    char text[512];
    fer_buf b;
    fer_rpc_id id = {FER_RPC_TEXT, FER_STR("a\"b")},
               big = {FER_RPC_INTEGER, FER_STR("98765432109876543210")};
    fer_buf_init_fixed(&b, text, sizeof text);
    fer_rpc_open(&b, 7, "tools/list");
    fer_buf_add_text(&b, "\"cursor\":\"\"");
    fer_rpc_close(&b);
    assert_str(
        fer_buf_view(&b),
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{\"cursor\":\"\"}}");
    b.len = 0;
    fer_rpc_open(&b, 0, "n");
    fer_rpc_close(&b);
    assert_str(fer_buf_view(&b), "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}");
    b.len = 0;
    fer_rpc_open_result(&b, &big);
    fer_buf_add_text(&b, "{}}");
    assert_str(fer_buf_view(&b), "{\"jsonrpc\":\"2.0\",\"id\":98765432109876543210,\"result\":{}}");
    b.len = 0;
    fer_rpc_add_error(&b, &id, -32601, FER_STR("n\no"));
    assert_str(fer_buf_view(&b),
               "{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"error\":{\"code\":-32601,"
               "\"message\":\"n\\no\"}}");
}

int main(void)
{
    return ROWS_RUN("rpc.read", read_rows, run_read) + ROWS_ONE("rpc", ids) +
           ROWS_ONE("rpc", far_codes) + ROWS_RUN("rpc.batch", batch_rows, run_batch) +
           ROWS_ONE("rpc", batch_limit) + ROWS_ONE("rpc", writing);
}
