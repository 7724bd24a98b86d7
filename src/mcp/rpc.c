/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc.h"

#include "errors.h"
#include "json_doc.h"
#include "json_skim.h"
#include "print.h"

#define SHAPE(err, text) fer_fail((err), FER_UNKNOWN_SHAPE, text)

fer_str fer_rpc_bytes(const fer_json *doc, const yyjson_val *value)
{
    size_t from = fer_json_offset(doc, value);
    return fer_str_slice(doc->text, from, fer_skim_value(doc->text, from));
}

/* ---- reading -------------------------------------------------------------------------------- */

/* An integer is one by its digits: 1.0 and 1e0 are none here. */
static bool is_integer(fer_str digits)
{
    size_t at = digits.len && digits.ptr[0] == '-';
    if (at == digits.len) return false;
    for (; at < digits.len; at++)
        if (!fer_is_digit(digits.ptr[at])) return false;
    return true;
}

static bool read_id(const fer_json *doc, const yyjson_val *v, fer_rpc_id *out)
{
    if (!v || fer_val_is(v, YYJSON_TYPE_NULL)) return true;
    if (fer_is_str(v)) {
        *out = (fer_rpc_id){FER_RPC_TEXT, fer_val_str(v)};
        return true;
    }
    fer_str digits = fer_is_num(v) ? fer_rpc_bytes(doc, v) : FER_STR_NONE;
    if (!is_integer(digits)) return false;
    *out = (fer_rpc_id){FER_RPC_INTEGER, digits};
    return true;
}

static int64_t read_code(const yyjson_val *v)
{
    if (fer_val_tag(v) == FER_TAG_SINT) return v->uni.i64;
    if (fer_val_tag(v) == FER_TAG_UINT && v->uni.u64 <= INT64_MAX) return (int64_t)v->uni.u64;
    return INT64_MIN;
}

static fer_code read_error(fer_rpc *m, fer_err *err)
{
    const yyjson_val *code = fer_val_get(m->error, "code");
    const yyjson_val *message = fer_val_get(m->error, "message");
    if (!fer_is_obj(m->error)) return SHAPE(err, "the error of a message is no object");
    if (!fer_is_num(code) || !is_integer(fer_rpc_bytes(m->doc, code)))
        return SHAPE(err, "the error of a message has no integer as its code");
    if (!fer_is_str(message)) return SHAPE(err, "the error of a message has no text");
    m->kind = FER_RPC_ERROR;
    m->error_code = read_code(code);
    m->error_message = fer_val_str(message);
    return FER_OK;
}

static fer_code read_answer(fer_rpc *m, fer_err *err)
{
    if (m->result && m->error) return SHAPE(err, "a message has both a result and an error");
    if (m->error) return read_error(m, err);
    if (!m->result) return SHAPE(err, "a message has neither method nor result nor error");
    if (m->id.type == FER_RPC_NO_ID) return SHAPE(err, "a result has no ID");
    m->kind = FER_RPC_RESULT;
    return FER_OK;
}

static fer_code read_question(fer_rpc *m, bool has_id, const yyjson_val *method, fer_err *err)
{
    if (m->result || m->error) return SHAPE(err, "a message has both a method and an answer");
    if (!fer_is_str(method)) return SHAPE(err, "the method of a message is no text");
    if (m->params && !fer_is_obj(m->params))
        return SHAPE(err, "the params of a message are no object");
    if (has_id && m->id.type == FER_RPC_NO_ID) return SHAPE(err, "a request has null as its ID");
    m->kind = has_id ? FER_RPC_REQUEST : FER_RPC_NOTIFICATION;
    m->method = fer_val_str(method);
    return FER_OK;
}

static fer_code read_value(const fer_json *doc, const yyjson_val *v, fer_rpc *out, fer_err *err)
{
    fer_rpc m = {.doc = doc};
    if (!fer_is_obj(v)) return SHAPE(err, "a message is no object");
    const yyjson_val *version = fer_val_get(v, "jsonrpc"), *id = fer_val_get(v, "id");
    const yyjson_val *method = fer_val_get(v, "method");
    bool good_id = read_id(doc, id, &m.id);
    out->id = m.id;
    if (!fer_is_str(version) || !fer_str_is(fer_val_str(version), "2.0"))
        return SHAPE(err, "a message has no \"jsonrpc\": \"2.0\"");
    if (!good_id) return SHAPE(err, "the ID of a message is neither a text nor an integer");
    m.params = fer_val_get(v, "params");
    m.result = fer_val_get(v, "result");
    m.error = fer_val_get(v, "error");
    fer_code code = method ? read_question(&m, id != NULL, method, err) : read_answer(&m, err);
    if (!code) *out = m;
    return code;
}

fer_code fer_rpc_read(fer_arena *a, fer_str text, const fer_json_limits *limits, fer_rpc *out,
                      fer_err *err)
{
    fer_json *doc;
    out->id = (fer_rpc_id){0};
    fer_code code = fer_json_read(a, text, limits, &doc, err);
    return code ? code : read_value(doc, fer_json_root(doc), out, err);
}

fer_code fer_rpc_read_batch(fer_arena *a, fer_str text, const fer_json_limits *limits,
                            fer_rpc_visitor *visit, void *context, fer_err *err)
{
    fer_json *doc;
    fer_rpc m;
    fer_code code = fer_json_read(a, text, limits, &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    if (!fer_is_arr(root)) {
        code = read_value(doc, root, &m, err);
        if (!code) visit(context, &m, NULL);
        return code;
    }
    if (fer_val_len(root) == 0) return SHAPE(err, "a batch has no messages");
    if (fer_val_len(root) > FER_RPC_BATCH_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "rpc.batch: more than %d messages at once",
                        FER_RPC_BATCH_MAX);
    FER_EACH_ITEM (root, item) {
        fer_err wrong;
        bool good = read_value(doc, item, &m, &wrong) == FER_OK;
        visit(context, good ? &m : NULL, good ? NULL : &wrong);
    }
    return FER_OK;
}

bool fer_rpc_glance(fer_str text, fer_rpc_glimpse *out)
{
    size_t at = fer_skim_space(text, 0);
    *out = (fer_rpc_glimpse){.id = FER_STR("")};
    if (at >= text.len || text.ptr[at] != '{') return false;
    at = fer_skim_space(text, at + 1);
    while (at < text.len && text.ptr[at] == '"') {
        size_t named = fer_skim_value(text, at), colon, end;
        if (named == SIZE_MAX) return false;
        fer_str name = fer_str_slice(text, at, named);
        colon = fer_skim_space(text, named);
        at =
            colon < text.len && text.ptr[colon] == ':' ? fer_skim_space(text, colon + 1) : SIZE_MAX;
        end = at < text.len ? fer_skim_value(text, at) : SIZE_MAX;
        if (end == SIZE_MAX) return false;
        if (fer_str_is(name, "\"id\"")) out->id = fer_str_slice(text, at, end);
        if (fer_str_is(name, "\"method\"")) out->asks = true;
        at = fer_skim_space(text, end);
        if (at < text.len && text.ptr[at] == ',') at = fer_skim_space(text, at + 1);
    }
    return at < text.len && text.ptr[at] == '}';
}

/* The number that is the last member of a message, where that is its ID; or empty. What stands
 * before the last brace is a member of the message itself. */
static fer_str last_id(fer_str tail)
{
    static const char *const before[] = {"}", NULL, ":", "\"id\"", ","};
    fer_str id = FER_STR("");
    for (size_t i = 0; i < FER_COUNT(before); i++) {
        while (fer_str_ends(tail, " ") || fer_str_ends(tail, "\t") || fer_str_ends(tail, "\r"))
            tail.len--;
        size_t end = tail.len;
        if (!before[i]) {
            while (tail.len && tail.ptr[tail.len - 1] >= '0' && tail.ptr[tail.len - 1] <= '9')
                tail.len--;
            id = (fer_str){tail.ptr + tail.len, end - tail.len};
        } else if (fer_str_ends(tail, before[i])) tail.len -= strlen(before[i]);
        else return FER_STR("");
    }
    return id;
}

bool fer_rpc_glance_ends(fer_str head, fer_str tail, fer_rpc_glimpse *out)
{
    size_t begin = fer_skim_space(head, 0);
    fer_rpc_glance(head, out);
    /* A number that the head ends with may go on. */
    if (out->id.len && out->id.ptr + out->id.len == head.ptr + head.len) out->id = FER_STR("");
    if (!out->id.len && !out->asks) out->id = last_id(tail);
    return begin < head.len && head.ptr[begin] == '{';
}

bool fer_rpc_id_eq(const fer_rpc_id *x, const fer_rpc_id *y)
{
    return x->type == y->type && fer_str_eq(x->text, y->text);
}

uint64_t fer_rpc_id_number(const fer_rpc_id *id)
{
    uint64_t n;
    return id->type == FER_RPC_INTEGER && fer_parse_u64(id->text, &n) ? n : 0;
}

int fer_rpc_fault(fer_code code)
{
    return code == FER_UNKNOWN_SHAPE || code == FER_LIMIT_EXCEEDED ? FER_RPC_INVALID_REQUEST
                                                                   : FER_RPC_PARSE_ERROR;
}

/* ---- writing -------------------------------------------------------------------------------- */

void fer_rpc_add_number(fer_buf *b, uint64_t n)
{
    char digits[FER_DIGITS];
    fer_buf_add(b, (fer_str){digits, fer_print_u64(digits, n)});
}

void fer_rpc_open(fer_buf *b, uint64_t id, const char *method)
{
    fer_buf_add(b, FER_STR("{\"jsonrpc\":\"2.0\","));
    if (id) {
        fer_buf_add(b, FER_STR("\"id\":"));
        fer_rpc_add_number(b, id);
        fer_buf_add_char(b, ',');
    }
    fer_buf_add(b, FER_STR("\"method\":\""));
    fer_buf_add_text(b, method);
    fer_buf_add(b, FER_STR("\",\"params\":{"));
}

void fer_rpc_close(fer_buf *b)
{
    fer_buf_add(b, FER_STR("}}"));
}

void fer_rpc_add_id(fer_buf *b, const fer_rpc_id *id)
{
    if (id->type == FER_RPC_NO_ID) fer_buf_add(b, FER_STR("null"));
    else if (id->type == FER_RPC_INTEGER) fer_buf_add(b, id->text);
    else fer_buf_add_quoted(b, id->text);
}

void fer_rpc_open_result(fer_buf *b, const fer_rpc_id *id)
{
    fer_buf_add(b, FER_STR("{\"jsonrpc\":\"2.0\",\"id\":"));
    fer_rpc_add_id(b, id);
    fer_buf_add(b, FER_STR(",\"result\":"));
}

void fer_rpc_join_lines(char *json, size_t len)
{
    for (size_t i = 0; len && i < 2; i++) {
        char *at = json, c = "\n\r"[i];
        while ((at = memchr(at, c, (size_t)(json + len - at))) != NULL) *at++ = ' ';
    }
}

void fer_rpc_add_error(fer_buf *b, const fer_rpc_id *id, int code, fer_str message)
{
    fer_buf_add(b, FER_STR("{\"jsonrpc\":\"2.0\",\"id\":"));
    fer_rpc_add_id(b, id);
    fer_buf_printf(b, ",\"error\":{\"code\":%d,\"message\":", code);
    fer_buf_add_quoted(b, message);
    fer_buf_add(b, FER_STR("}}"));
}
