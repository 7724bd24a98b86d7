/* SPDX-License-Identifier: Apache-2.0 */
#include "code_lines.h"

#include "errors.h"
#include "rpc.h"

const char *const fer_code_op_names[FER_OPS] = {
    [FER_OP_RUN] = "run",
    [FER_OP_CHAIN] = "chain",
    [FER_OP_SEARCH] = "search",
    [FER_OP_LIST] = "list",
    [FER_OP_NAMESPACES] = "namespaces",
    [FER_OP_DESCRIBE] = "describe",
    [FER_OP_PRINT] = "print",
    [FER_OP_OUT] = "out",
    [FER_OP_FAIL] = "fail",
    [FER_OP_USES] = "uses",
    [FER_OP_DONE] = "done",
};

/* ---- reading ----------------------------------------------------------------------------------
 */

enum member_type {
    TEXT,
    NUMBER, /* whole, from 1 on */
    OBJECT,
    LIST,
    ANY
};
enum member_slot {
    SLOT_TOOL,
    SLOT_TEXT,
    SLOT_NS,
    SLOT_LEVEL,
    SLOT_STREAM,
    SLOT_LIMIT,
    SLOT_VALUE,
    SLOT_INPUT
};

#define OP(o) (1u << (o))
#define FIND  (OP(FER_OP_SEARCH) | OP(FER_OP_LIST))

/* The members that lines have: which ops may have each, and which must. */
static const struct member {
    const char *name;
    enum member_type type;
    enum member_slot slot;
    unsigned may, must;
} members[] = {
    {"tool", TEXT, SLOT_TOOL, OP(FER_OP_RUN) | OP(FER_OP_DESCRIBE),
     OP(FER_OP_RUN) | OP(FER_OP_DESCRIBE)},
    {"args", OBJECT, SLOT_VALUE, OP(FER_OP_RUN), 0},
    {"steps", LIST, SLOT_VALUE, OP(FER_OP_CHAIN), OP(FER_OP_CHAIN)},
    {"input", ANY, SLOT_INPUT, OP(FER_OP_CHAIN), 0},
    {"query", TEXT, SLOT_TEXT, OP(FER_OP_SEARCH), OP(FER_OP_SEARCH)},
    {"namespace", TEXT, SLOT_NS, FIND, 0},
    {"limit", NUMBER, SLOT_LIMIT, FIND | OP(FER_OP_NAMESPACES), 0},
    {"level", TEXT, SLOT_LEVEL, OP(FER_OP_DESCRIBE), 0},
    {"text", TEXT, SLOT_TEXT, OP(FER_OP_PRINT), OP(FER_OP_PRINT)},
    {"stream", TEXT, SLOT_STREAM, OP(FER_OP_PRINT), 0},
    {"value", ANY, SLOT_VALUE, OP(FER_OP_OUT), OP(FER_OP_OUT)},
    {"error", OBJECT, SLOT_VALUE, OP(FER_OP_FAIL), OP(FER_OP_FAIL)},
    {"tools", LIST, SLOT_VALUE, OP(FER_OP_USES), OP(FER_OP_USES)},
};
static const char *const type_texts[] = {"a text", "a whole number from 1 to 100", "an object",
                                         "a list", "a value"};

static bool has_type(const yyjson_val *v, enum member_type type)
{
    switch (type) {
    case TEXT: return fer_is_str(v);
    case OBJECT: return fer_is_obj(v);
    case LIST: return fer_is_arr(v);
    case NUMBER: return fer_val_tag(v) == FER_TAG_UINT && v->uni.u64 >= 1 && v->uni.u64 <= 100;
    default: return true;
    }
}

static fer_code take(const fer_json *doc, const struct member *m, const yyjson_val *v,
                     fer_code_line *out, fer_err *err)
{
    switch (m->slot) {
    case SLOT_TOOL: out->tool = fer_val_str(v); break;
    case SLOT_TEXT: out->text = fer_val_str(v); break;
    case SLOT_NS: out->ns = fer_val_str(v); break;
    case SLOT_LEVEL: out->level = fer_val_str(v); break;
    case SLOT_LIMIT: out->limit = (size_t)v->uni.u64; break;
    case SLOT_INPUT: out->input = fer_rpc_bytes(doc, v); break;
    case SLOT_VALUE:
        out->value = fer_rpc_bytes(doc, v);
        out->tree = v;
        break;
    default:
        if (fer_str_is(fer_val_str(v), "stderr")) out->stream = FER_PRINTED_ERR;
        else if (!fer_str_is(fer_val_str(v), "stdout"))
            return fer_fail(err, FER_INVALID_ENUM_VALUE, "`stream` is stdout or stderr");
    }
    return FER_OK;
}

static const struct member *find_member(fer_str name, fer_code_op op)
{
    for (size_t i = 0; i < FER_COUNT(members); i++)
        if (members[i].may & OP(op) && fer_str_is(name, members[i].name)) return &members[i];
    return NULL;
}

static fer_code read_members(const fer_json *doc, const yyjson_val *root, fer_code_line *out,
                             fer_err *err)
{
    const char *op = fer_code_op_names[out->op];
    unsigned seen = 0;
    FER_EACH_MEMBER (root, key) {
        fer_str name = fer_val_str(key);
        if (fer_str_is(name, "op") || fer_str_is(name, "id")) continue;
        const struct member *m = find_member(name, out->op);
        if (!m)
            return fer_fail(err, FER_UNKNOWN_FIELD, "a line of op \"%s\" has no member `%.*s`", op,
                            FER_PRI(fer_str_head(name, 64)));
        if (!has_type(key + 1, m->type))
            return fer_fail(err, FER_INVALID_TYPE, "`%s` of op \"%s\" is %s", m->name, op,
                            type_texts[m->type]);
        fer_code code = take(doc, m, key + 1, out, err);
        if (code) return code;
        seen |= 1u << (m - members);
    }
    for (size_t i = 0; i < FER_COUNT(members); i++)
        if (members[i].must & OP(out->op) && !(seen & 1u << i))
            return fer_fail(err, FER_REQUIRED_MISSING, "a line of op \"%s\" has `%s`", op,
                            members[i].name);
    return FER_OK;
}

static fer_code read_op(const yyjson_val *root, fer_code_line *out, fer_err *err)
{
    const yyjson_val *op = fer_val_get(root, "op");
    if (!fer_is_str(op))
        return fer_fail(err, FER_REQUIRED_MISSING, "a line has `op`, such as \"run\"");
    for (int i = 0; i < FER_OPS; i++) {
        if (!fer_str_is(fer_val_str(op), fer_code_op_names[i])) continue;
        out->op = (fer_code_op)i;
        return FER_OK;
    }
    return fer_fail(err, FER_INVALID_ENUM_VALUE, "nobody knows the op \"%.*s\"",
                    FER_PRI(fer_str_head(fer_val_str(op), 64)));
}

/* An ID is a whole number or a short text; a note has none. */
static fer_code read_id(const fer_json *doc, const yyjson_val *root, fer_code_line *out,
                        fer_err *err)
{
    const yyjson_val *id = fer_val_get(root, "id");
    unsigned tag = id ? fer_val_tag(id) : 0;
    if (!id) return FER_OK;
    fer_str bytes = fer_rpc_bytes(doc, id);
    bool whole = tag == FER_TAG_UINT || tag == FER_TAG_SINT;
    if (!(whole || fer_is_str(id)) || bytes.len > FER_CODE_ID)
        return fer_fail(err, FER_INVALID_TYPE,
                        "`id` is a whole number or a text of at most %d bytes", FER_CODE_ID);
    out->id = bytes;
    return FER_OK;
}

/* Whether a value has more levels than that. */
static bool is_deeper(const yyjson_val *v, unsigned levels)
{
    if (fer_is_arr(v)) {
        FER_EACH_ITEM (v, item)
            if (!levels || is_deeper(item, levels - 1)) return true;
    } else if (fer_is_obj(v)) {
        FER_EACH_MEMBER (v, key)
            if (!levels || is_deeper(key + 1, levels - 1)) return true;
    }
    return !levels && (fer_is_arr(v) || fer_is_obj(v));
}

static fer_code check_depth(const fer_code_line *l, fer_err *err)
{
    bool bounded = l->op == FER_OP_OUT || l->op == FER_OP_RUN;
    if (!bounded || !l->tree || !is_deeper(l->tree, FER_CODE_DEPTH)) return FER_OK;
    return fer_fail(err, FER_LIMIT_EXCEEDED, "code.depth: %s of op \"%s\" has more than %d levels",
                    l->op == FER_OP_OUT ? "`value`" : "`args`", fer_code_op_names[l->op],
                    FER_CODE_DEPTH);
}

fer_code fer_code_line_read(fer_arena *a, fer_str text, fer_code_line *out, fer_err *err)
{
    fer_json *doc;
    *out = (fer_code_line){.id = FER_STR(""),
                           .tool = FER_STR(""),
                           .text = FER_STR(""),
                           .ns = FER_STR(""),
                           .level = FER_STR(""),
                           .value = FER_STR(""),
                           .input = FER_STR("")};
    fer_code code = fer_json_read(a, text, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    if (!fer_is_obj(root)) return fer_fail(err, FER_INVALID_TYPE, "a line is a JSON object");
    code = read_id(doc, root, out, err);
    if (!code) code = read_op(root, out, err);
    if (!code) code = read_members(doc, root, out, err);
    if (!code) code = check_depth(out, err);
    if (code) return code;
    if (out->op < FER_OP_PRINT && !out->id.len)
        return fer_fail(err, FER_REQUIRED_MISSING,
                        "a line of op \"%s\" has `id`, which its answer repeats",
                        fer_code_op_names[out->op]);
    return FER_OK;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

/* JSON on one line: a line feed can only be a space of it, as texts have it escaped. */
static void add_flat(fer_buf *b, fer_str json)
{
    for (size_t from = 0, to; from < json.len; from = to + 1) {
        to = fer_str_find(json, from, '\n');
        if (to == SIZE_MAX) to = json.len;
        fer_buf_add(b, fer_str_slice(json, from, to));
        if (to < json.len) fer_buf_add_char(b, ' ');
    }
}

void fer_code_answer(fer_buf *b, fer_str id, fer_str result)
{
    fer_buf_add_text(b, "{\"id\":");
    fer_buf_add(b, id);
    fer_buf_add_text(b, ",\"result\":");
    add_flat(b, result.len ? result : FER_STR("null"));
    fer_buf_add_char(b, '}');
}

void fer_code_refuse(fer_buf *b, fer_str id, fer_code code, fer_str message, fer_str details)
{
    const fer_code_row *row = fer_code_info(code);
    fer_buf_add_text(b, "{\"id\":");
    fer_buf_add(b, id.len ? id : FER_STR("null"));
    fer_buf_printf(b,
                   ",\"error\":{\"code\":\"%s\",\"category\":\"%s\",\"retryable\":%s,\"message\":",
                   row->name, row->category, row->retryable ? "true" : "false");
    fer_buf_add_quoted(b, message);
    if (details.len) {
        fer_buf_add_text(b, ",\"details\":");
        add_flat(b, details);
    }
    fer_buf_add_text(b, "}}");
}

void fer_code_start(fer_buf *b, const fer_job *j)
{
    fer_buf_add_text(b, "{\"op\":\"start\",\"check\":");
    fer_buf_printf(b, "%s,\"limits\":{\"depth\":%d", j->check ? "true" : "false", FER_CODE_DEPTH);
    for (int i = 0; i < FER_BOUNDS; i++)
        fer_buf_printf(b, ",\"%s\":%lld", fer_bounds[i].name, (long long)j->bounds[i]);
    fer_buf_add_text(b, "},\"code\":");
    fer_buf_add_quoted(b, j->code);
    fer_buf_add_char(b, '}');
}
