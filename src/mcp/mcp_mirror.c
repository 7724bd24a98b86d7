/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_mirror.h"

#include <inttypes.h>

#include "errors.h"

#define KEYWORD   "x-mcp-header"
#define DEPTH_MAX 128                      /* of a schema that is looked at */
#define SAFE_MAX  ((INT64_C(1) << 53) - 1) /* of an integer, both ways */

bool fer_mcp_mirror_may(fer_str json)
{
    return json.len && memmem(json.ptr, json.len, KEYWORD, sizeof KEYWORD - 1) != NULL;
}

/* ---- what an annotation must be
 * --------------------------------------------------------------------- */

/* RFC 9110 5.6.2 */
static bool is_token(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || fer_is_digit(c);
        if (!letter && (!c || !strchr("!#$%&'*+-.^_`|~", c))) return false;
    }
    return s.len > 0;
}

static bool is_primitive_name(const yyjson_val *type, bool or_null)
{
    fer_str name = fer_is_str(type) ? fer_val_str(type) : FER_STR_NONE;
    return fer_str_is(name, "string") || fer_str_is(name, "integer") ||
           fer_str_is(name, "boolean") || (or_null && fer_str_is(name, "null"));
}

static bool is_primitive(const yyjson_val *type)
{
    if (!fer_is_arr(type)) return is_primitive_name(type, false);
    FER_EACH_ITEM (type, name)
        if (!is_primitive_name(name, true)) return false;
    return fer_val_len(type) > 0;
}

typedef struct survey {
    fer_str names[FER_MCP_MIRRORED_MAX];
    size_t count;
} survey;

static const char *note(survey *s, const yyjson_val *schema, const yyjson_val *name)
{
    if (!fer_is_str(name)) return "an x-mcp-header is no text";
    if (!is_token(fer_val_str(name))) return "an x-mcp-header is no name of a header";
    if (!is_primitive(fer_val_get(schema, "type")))
        return "an x-mcp-header is at what is no string, integer or boolean";
    for (size_t i = 0; i < s->count; i++)
        if (fer_str_eq_nocase(s->names[i], fer_val_str(name)))
            return "an x-mcp-header is there twice";
    if (s->count == FER_MCP_MIRRORED_MAX) return "there are too many x-mcp-header (mcp.mirrored)";
    s->names[s->count++] = fer_val_str(name);
    return NULL;
}

/* ---- all annotations of a schema
 * -------------------------------------------------------------------- */

/* What is below these is data, or a map whose keys are names. */
static const struct {
    const char *keyword;
    bool map;
} others[] = {
    {"enum", false}, {"const", false},      {"default", false},         {"examples", false},
    {"$defs", true}, {"definitions", true}, {"dependentSchemas", true}, {"patternProperties", true},
};

static const char *look(survey *s, const yyjson_val *v, bool chain, bool property, size_t depth);

static const char *look_at_all(survey *s, const yyjson_val *map, bool chain, bool property,
                               size_t depth)
{
    if (!fer_is_obj(map)) return NULL;
    FER_EACH_MEMBER (map, key) {
        const char *fault = look(s, key + 1, chain, property, depth + 1);
        if (fault) return fault;
    }
    return NULL;
}

static const char *look_at_member(survey *s, const yyjson_val *schema, const yyjson_val *key,
                                  bool chain, bool property, size_t depth)
{
    fer_str name = fer_val_str(key);
    if (fer_str_is(name, KEYWORD))
        return chain && property ? note(s, schema, key + 1)
                                 : "an x-mcp-header is where no chain of properties leads to";
    if (fer_str_is(name, "properties")) return look_at_all(s, key + 1, chain, true, depth);
    for (size_t i = 0; i < FER_COUNT(others); i++)
        if (fer_str_is(name, others[i].keyword))
            return others[i].map ? look_at_all(s, key + 1, false, false, depth) : NULL;
    return look(s, key + 1, false, false, depth + 1);
}

static const char *look(survey *s, const yyjson_val *v, bool chain, bool property, size_t depth)
{
    const char *fault = NULL;
    if (depth > DEPTH_MAX) return "its inputSchema is too deep";
    if (fer_is_obj(v))
        FER_EACH_MEMBER (v, key) {
            fault = look_at_member(s, v, key, chain, property, depth);
            if (fault) return fault;
        }
    if (fer_is_arr(v))
        FER_EACH_ITEM (v, item) {
            fault = look(s, item, false, false, depth + 1);
            if (fault) return fault;
        }
    return NULL;
}

const char *fer_mcp_mirror_fault(const yyjson_val *tool)
{
    survey s = {.count = 0};
    return look(&s, fer_val_get(tool, "inputSchema"), true, false, 0);
}

/* ---- the values of a call
 * --------------------------------------------------------------------------- */

typedef struct gathering {
    fer_arena *arena;
    fer_mcp_mirrored *list;
    size_t count;
    bool all; /* those that are absent, too */
} gathering;

static fer_str text_of(fer_arena *a, const yyjson_val *v)
{
    if (fer_is_str(v)) return fer_val_str(v);
    if (fer_is_bool(v)) return fer_is_true(v) ? FER_STR("true") : FER_STR("false");
    if (fer_val_tag(v) == FER_TAG_UINT && v->uni.u64 <= (uint64_t)SAFE_MAX)
        return fer_arena_printf(a, "%" PRIu64, v->uni.u64);
    if (fer_val_tag(v) == FER_TAG_SINT && v->uni.i64 >= -SAFE_MAX)
        return fer_arena_printf(a, "%" PRId64, v->uni.i64);
    double d = fer_val_tag(v) == FER_TAG_REAL ? v->uni.f64 : 0.5;
    bool whole = d >= -(double)SAFE_MAX && d <= (double)SAFE_MAX && (double)(int64_t)d == d;
    return whole ? fer_arena_printf(a, "%" PRId64, (int64_t)d) : FER_STR_NONE; /* 1.0, 1e3 */
}

static void gather(gathering *g, const yyjson_val *schema, const yyjson_val *args, size_t depth)
{
    const yyjson_val *properties = fer_val_get(schema, "properties");
    if (depth > DEPTH_MAX || !fer_is_obj(properties) || !fer_is_obj(args)) return;
    FER_EACH_MEMBER (properties, key) {
        const yyjson_val *given = fer_val_key(args, fer_val_str(key));
        const yyjson_val *header = fer_is_obj(key + 1) ? fer_val_get(key + 1, KEYWORD) : NULL;
        bool named = fer_is_str(header) && is_token(fer_val_str(header));
        fer_str text = named && given ? text_of(g->arena, given + 1) : FER_STR_NONE;
        if (named && (text.ptr || g->all) && g->count < FER_MCP_MIRRORED_MAX)
            g->list[g->count++] =
                (fer_mcp_mirrored){fer_val_str(header), text, given && fer_is_num(given + 1)};
        if (given) gather(g, key + 1, given + 1, depth + 1);
    }
}

static fer_code mirror(fer_arena *a, fer_str tool, fer_str args, bool all, fer_mcp_mirrored **out,
                       size_t *count, fer_err *err)
{
    fer_json *tool_doc, *args_doc;
    gathering g = {.arena = a, .all = all};
    g.list = fer_arena_alloc_zero(a, FER_MCP_MIRRORED_MAX, sizeof *g.list);
    if (!g.list) return fer_arena_failed(a, err);
    fer_code code = fer_json_read(a, tool, NULL, &tool_doc, err);
    if (!code) code = fer_json_read(a, args, NULL, &args_doc, err);
    if (code) return code;
    gather(&g, fer_val_get(fer_json_root(tool_doc), "inputSchema"), fer_json_root(args_doc), 0);
    *out = g.list;
    *count = g.count;
    return FER_OK;
}

fer_code fer_mcp_mirror(fer_arena *a, fer_str tool, fer_str args, fer_mcp_mirrored **out,
                        size_t *count, fer_err *err)
{
    return mirror(a, tool, args, false, out, count, err);
}

fer_code fer_mcp_mirror_all(fer_arena *a, fer_str tool, fer_str args, fer_mcp_mirrored **out,
                            size_t *count, fer_err *err)
{
    return mirror(a, tool, args, true, out, count, err);
}
