/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_result.h"

#include "buf.h"
#include "errors.h"
#include "rpc.h"

#define NO_RESULT(err, text) fer_fail((err), FER_INVALID_OUTPUT, text)

/* The text of a block of content; `ptr` NULL: it is of another type. */
static fer_str block_text(const yyjson_val *block)
{
    const yyjson_val *type = fer_val_get(block, "type"), *text = fer_val_get(block, "text");
    bool is_text = fer_is_str(type) && fer_str_is(fer_val_str(type), "text") && fer_is_str(text);
    return is_text ? fer_val_str(text) : FER_STR_NONE;
}

static bool all_texts(const yyjson_val *content)
{
    FER_EACH_ITEM (content, block)
        if (!block_text(block).ptr) return false;
    return true;
}

/* ---- the value ------------------------------------------------------------------------------- */

/* One text: as JSON, where it is an object or a list. */
static fer_code value_of_text(fer_arena *a, const yyjson_val *text, fer_mcp_result *out,
                              fer_err *err)
{
    fer_str s = fer_val_str(text);
    fer_err wrong = {0};
    fer_json *doc;
    size_t at = 0;
    out->value = text;
    while (at < s.len && strchr(" \t\r\n", s.ptr[at])) at++;
    if (at == s.len || (s.ptr[at] != '{' && s.ptr[at] != '[')) return FER_OK;
    fer_code code = fer_json_read(a, s, fer_json_limits_answer(), &doc, &wrong);
    if (code && wrong.line) return FER_OK; /* it is no JSON, or past a limit at that place */
    if (code) return fer_arena_failed(a, err);
    out->value = fer_json_root(doc);
    out->doc = doc;
    return FER_OK;
}

static fer_code value_of_texts(fer_arena *a, const yyjson_val *content, fer_mcp_result *out,
                               fer_err *err)
{
    fer_json *doc;
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX);
    FER_EACH_ITEM (content, block) {
        fer_buf_add_char(&b, b.len ? ',' : '[');
        fer_buf_add(&b, fer_rpc_bytes(out->doc, fer_val_get(block, "text")));
    }
    fer_buf_add_char(&b, ']');
    fer_code code = fer_buf_code(&b, err);
    if (!code) code = fer_json_read(a, fer_buf_view(&b), fer_json_limits_answer(), &doc, err);
    if (code) return code;
    out->value = fer_json_root(doc);
    out->doc = doc;
    return FER_OK;
}

static fer_code find_value(fer_arena *a, const yyjson_val *root, const yyjson_val *content,
                           fer_mcp_result *out, fer_err *err)
{
    out->value = fer_val_get(root, "structuredContent");
    if (out->value || !content || fer_val_len(content) == 0) return FER_OK;
    if (!all_texts(content)) {
        out->value = content;
        return FER_OK;
    }
    if (fer_val_len(content) > 1) return value_of_texts(a, content, out, err);
    return value_of_text(a, fer_val_get(content + 1, "text"), out, err);
}

/* ---- what went wrong --------------------------------------------------------------------------
 */

static fer_code say_no(fer_arena *a, const yyjson_val *root, const yyjson_val *content,
                       fer_mcp_result *out, fer_err *err)
{
    const yyjson_val *structured = fer_val_get(root, "structuredContent");
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX);
    if (content)
        FER_EACH_ITEM (content, block) {
            fer_str text = block_text(block);
            if (b.len && text.len) fer_buf_add_char(&b, '\n');
            fer_buf_add(&b, text);
            if (b.len >= FER_ERR_TEXT) break;
        }
    if (!b.len && !b.failure) fer_buf_add_text(&b, "the tool says that it failed, but not why");
    out->verdict = FER_MCP_SAID_NO;
    out->message = fer_str_head(fer_buf_view(&b), FER_ERR_TEXT - 1);
    if (fer_is_obj(structured)) out->details = fer_rpc_bytes(out->doc, structured);
    return fer_buf_code(&b, err);
}

/* The methods that a server asks for input by, such as "elicitation/create". */
static void add_methods(fer_buf *b, const yyjson_val *requests)
{
    size_t count = 0;
    FER_EACH_MEMBER (requests, key) {
        const yyjson_val *method = fer_val_get(key + 1, "method");
        if (!fer_is_str(method) || count == 3) continue;
        fer_buf_add_text(b, count++ ? ", " : ": ");
        fer_buf_add(b, fer_str_head(fer_val_str(method), 64));
    }
}

static fer_code ask_input(fer_arena *a, const yyjson_val *root, fer_mcp_result *out, fer_err *err)
{
    const yyjson_val *requests = fer_val_get(root, "inputRequests");
    const yyjson_val *state = fer_val_get(root, "requestState");
    fer_buf b;
    if ((requests && !fer_is_obj(requests)) || (state && !fer_is_str(state)) ||
        (!requests && !state))
        return NO_RESULT(err, "the server asks for input without saying for what");
    fer_buf_init(&b, a, SIZE_MAX);
    fer_buf_add_text(&b, "the tool asks for input, which nobody here can give");
    if (requests) add_methods(&b, requests);
    out->verdict = FER_MCP_ASKS_INPUT;
    out->message = fer_buf_view(&b);
    if (requests) out->details = fer_rpc_bytes(out->doc, requests);
    return fer_buf_code(&b, err);
}

static fer_code begin_task(const yyjson_val *task, fer_mcp_result *out, fer_err *err)
{
    if (!fer_is_str(fer_val_get(task, "taskId")))
        return NO_RESULT(err, "the server has begun a task without a name");
    out->verdict = FER_MCP_BEGAN;
    out->message = FER_STR("the tool goes on as a task, which nobody here can ask for");
    return FER_OK;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

static fer_code read_complete(fer_arena *a, const yyjson_val *root, fer_mcp_result *out,
                              fer_err *err)
{
    const yyjson_val *content = fer_val_get(root, "content");
    const yyjson_val *is_error = fer_val_get(root, "isError");
    if (is_error && !fer_is_bool(is_error)) return NO_RESULT(err, "isError is no true or false");
    if (content && !fer_is_arr(content)) return NO_RESULT(err, "the content is no list");
    if (fer_is_true(is_error)) return say_no(a, root, content, out, err);
    if (!content && !fer_val_get(root, "structuredContent"))
        return NO_RESULT(err, "the result has neither content nor structuredContent");
    return find_value(a, root, content, out, err);
}

fer_code fer_mcp_result_read(fer_arena *a, fer_str json, bool modern, fer_mcp_result *out,
                             fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_json_read(a, json, fer_json_limits_answer(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    fer_mcp_result r = {.doc = doc};
    if (!fer_is_obj(root)) return NO_RESULT(err, "the result is no object");
    const yyjson_val *type = modern ? fer_val_get(root, "resultType") : NULL;
    const yyjson_val *task = modern ? NULL : fer_val_get(root, "task");
    if (fer_is_obj(task) && !fer_val_get(root, "content")) code = begin_task(task, &r, err);
    else if (fer_is_str(type) && fer_str_is(fer_val_str(type), "task"))
        code = begin_task(root, &r, err);
    else if (!type || (fer_is_str(type) && fer_str_is(fer_val_str(type), "complete")))
        code = read_complete(a, root, &r, err);
    else if (fer_is_str(type) && fer_str_is(fer_val_str(type), "input_required"))
        code = ask_input(a, root, &r, err);
    else code = NO_RESULT(err, "the result is of a type that is not known (resultType)");
    if (!code) *out = r;
    return code;
}
