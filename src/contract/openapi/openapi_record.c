/* SPDX-License-Identifier: Apache-2.0 */
/* The record of one operation: what it is, what it takes and gives, and how it is asked. */
#include <ferrule/contract.h>

#include "openapi_parts.h"

/* ---- input --------------------------------------------------------------------------------- */

static void add_required(fer_buf *b, const fer_oa_request *r)
{
    bool any = false;
    for (size_t i = 0; i < r->count; i++) {
        if (!r->list[i].required) continue;
        if (!any) {
            fer_oa_key(b, FER_STR("required"));
            fer_buf_add_char(b, '[');
        }
        any = true;
        fer_oa_comma(b);
        fer_buf_add_quoted(b, r->list[i].argument);
    }
    if (any) fer_buf_add_char(b, ']');
}

static void add_input(fer_oa *oa, fer_buf *b, const fer_oa_request *r)
{
    fer_oa_defs defs;
    fer_oa_defs_init(&defs, oa, true);
    fer_oa_key(b, FER_STR("inputSchema"));
    fer_buf_add_text(b, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; i < r->count; i++) {
        const fer_oa_argument *arg = &r->list[i];
        fer_oa_key(b, arg->argument);
        fer_oa_schema(&defs, b, arg->schema, &arg->about);
    }
    fer_buf_add_char(b, '}');
    add_required(b, r);
    fer_oa_key(b, FER_STR("additionalProperties"));
    fer_buf_add_text(b, "false");
    fer_oa_defs_write(&defs, b);
    fer_buf_add_char(b, '}');
}

/* ---- output -------------------------------------------------------------------------------- */

/* What the answers that say it went well have in common. */
typedef struct answers {
    const yyjson_val *schemas[16];
    size_t count;
    bool empty; /* one has nothing in it */
    bool other; /* one is not JSON, or says nothing of what it is */
} answers;

static bool is_success(fer_str status)
{
    return status.len == 3 && status.ptr[0] == '2';
}

static void add_schema(answers *all, const yyjson_val *schema)
{
    for (size_t i = 0; i < all->count; i++) {
        const yyjson_val *x = fer_val_get(all->schemas[i], "$ref"),
                         *y = fer_val_get(schema, "$ref");
        if (x && y && fer_is_str(x) && fer_is_str(y) && fer_str_eq(fer_val_str(x), fer_val_str(y)))
            return;
    }
    if (all->count == FER_COUNT(all->schemas)) all->other = true;
    else all->schemas[all->count++] = schema;
}

static void add_answer(fer_oa *oa, answers *all, const yyjson_val *given)
{
    const yyjson_val *answer = fer_oa_deref(oa, given);
    const yyjson_val *content = answer ? fer_val_get(answer, "content") : NULL;
    if (!fer_is_obj(content) || !fer_val_len(content)) {
        all->empty = true;
        return;
    }
    const yyjson_val *json = fer_oa_json_content(content);
    const yyjson_val *schema =
        json && fer_is_obj(json + 1) ? fer_val_get(json + 1, "schema") : NULL;
    if (!fer_is_obj(schema) || fer_val_len(content) > 1) all->other = true;
    else add_schema(all, schema);
}

static answers read_answers(fer_oa *oa, const yyjson_val *operation)
{
    answers all = {0};
    const yyjson_val *responses = fer_val_get(operation, "responses");
    if (!fer_is_obj(responses)) return all;
    FER_EACH_MEMBER (responses, key)
        if (is_success(fer_val_str(key))) add_answer(oa, &all, key + 1);
    return all;
}

/* Members of a schema that is written as one of several, or alone. */
static void write_output(fer_oa_defs *d, fer_buf *b, const answers *all)
{
    fer_buf_add_text(b, "{\"anyOf\":[");
    for (size_t i = 0; i < all->count; i++) {
        fer_oa_comma(b);
        fer_oa_schema(d, b, all->schemas[i], NULL);
    }
    if (all->empty) fer_buf_add_text(b, ",{\"type\":\"null\"}");
    fer_buf_add_char(b, ']');
    fer_oa_defs_write(d, b);
    fer_buf_add_char(b, '}');
}

/* One schema is the root itself, so that it shows its type. */
static void write_single(fer_oa_defs *d, fer_buf *b, const yyjson_val *schema)
{
    const yyjson_val *target = fer_val_len(schema) == 1 ? fer_oa_deref(d->oa, schema) : schema;
    fer_oa_schema(d, b, target, NULL);
    if (!d->count || b->failure || b->ptr[b->len - 1] != '}') return;
    b->len--;
    fer_oa_defs_write(d, b);
    fer_buf_add_char(b, '}');
}

bool fer_oa_output(fer_oa *oa, fer_buf *b, const yyjson_val *operation)
{
    fer_oa_defs defs;
    answers all = read_answers(oa, operation);
    if (!all.count || all.other || oa->refused) return false;
    fer_oa_defs_init(&defs, oa, false);
    if (all.count == 1 && !all.empty) write_single(&defs, b, all.schemas[0]);
    else write_output(&defs, b, &all);
    return true;
}

/* An answer's schema that is too large, or out of reach, costs the schema, not the operation. */
static void add_output(fer_oa *oa, fer_buf *b, const yyjson_val *operation)
{
    size_t before = b->len, limit = fer_schema_limits_message()->size;
    oa->soft = true;
    fer_oa_key(b, FER_STR("outputSchema"));
    size_t start = b->len;
    bool made = fer_oa_output(oa, b, operation);
    bool large = b->len - start > limit;
    if (large)
        fer_oa_note(oa, operation,
                    "the schema of the answer is left out: it is over "
                    "schema.size, %zu bytes",
                    limit);
    if ((!made || large || oa->refused) && !b->failure) b->len = before;
    oa->refused = oa->soft = false;
}

/* ---- what it is ---------------------------------------------------------------------------- */

static void add_description(fer_oa *oa, fer_buf *b, const fer_oa_operation *o)
{
    fer_buf text;
    fer_str summary = fer_oa_text(o->value, "summary"),
            description = fer_oa_text(o->value, "description");
    fer_buf_init(&text, oa->a, 2 * FER_OPENAPI_TEXT + 64);
    if (fer_oa_flag(o->value, "deprecated")) fer_buf_add_text(&text, "Deprecated. ");
    bool same = description.len >= summary.len &&
                fer_str_eq(fer_str_slice(description, 0, summary.len), summary);
    if (summary.len && !same) fer_buf_add(&text, fer_str_head(summary, FER_OPENAPI_TEXT));
    if (summary.len && !same && description.len) fer_buf_add_text(&text, "\n\n");
    fer_buf_add(&text, fer_str_head(description, FER_OPENAPI_TEXT));
    if (!summary.len && !description.len) fer_buf_add(&text, oa->operation);
    fer_str whole = fer_buf_view(&text);
    if (whole.len > FER_OPENAPI_TEXT || description.len > FER_OPENAPI_TEXT) {
        fer_oa_note(oa, o->value, "openapi.text: the description is cut to %d bytes",
                    FER_OPENAPI_TEXT);
        whole = fer_str_head(whole, FER_OPENAPI_TEXT);
    }
    if (text.failure) fer_oa_no_memory(oa);
    else fer_oa_member(b, "description", whole);
}

static void add_tags(fer_oa *oa, fer_buf *b, const yyjson_val *operation)
{
    const yyjson_val *list = fer_val_get(operation, "tags");
    fer_str given[FER_TAGS_MAX], *tags = NULL;
    size_t n = 0, count = 0;
    if (fer_is_arr(list)) {
        FER_EACH_ITEM (list, item)
            if (fer_is_str(item) && n + 1 < FER_TAGS_MAX) given[n++] = fer_val_str(item);
    }
    if (fer_oa_flag(operation, "deprecated")) given[n++] = FER_STR("deprecated");
    if (fer_tags_normalise(oa->a, given, n, &tags, &count, NULL)) fer_oa_no_memory(oa);
    if (!count) return;
    fer_oa_key(b, FER_STR("tags"));
    fer_buf_add_char(b, '[');
    for (size_t i = 0; i < count; i++) {
        fer_oa_comma(b);
        fer_buf_add_quoted(b, tags[i]);
    }
    fer_buf_add_char(b, ']');
}

static bool is_effect(fer_str word)
{
    for (int e = FER_EFFECT_PURE; e <= FER_EFFECT_EXTERNAL_SIDE_EFFECTS; e++)
        if (fer_str_is(word, fer_effect_name((fer_effect)e))) return true;
    return false;
}

/* PUT and DELETE are idempotent by HTTP itself: a key may come along, but nobody needs one. */
static void add_effect(fer_oa *oa, fer_buf *b, const fer_oa_operation *o)
{
    const yyjson_val *own = fer_val_get(o->value, "x-ferrule-effect");
    fer_str effect = fer_str_of(o->effect);
    if (own && (!fer_is_str(own) || !is_effect(fer_val_str(own)))) {
        fer_oa_refuse(oa, own,
                      "x-ferrule-effect is one of Pure, IdempotentWrite, "
                      "NonIdempotentWrite and ExternalSideEffects");
        return;
    }
    if (own) effect = fer_val_str(own);
    fer_oa_member(b, "effect", effect);
    if (fer_str_is(effect, "IdempotentWrite")) fer_oa_member(b, "idempotency", FER_STR("optional"));
}

static void add_refs(fer_buf *b, const yyjson_val *operation)
{
    fer_str url = fer_oa_text(fer_val_get(operation, "externalDocs"), "url");
    if (!url.len) return;
    fer_oa_key(b, FER_STR("externalRefs"));
    fer_buf_add_char(b, '[');
    fer_buf_add_quoted(b, url);
    fer_buf_add_char(b, ']');
}

/* ---- security ------------------------------------------------------------------------------ */

static const yyjson_val *scheme_of(fer_oa *oa, fer_str name)
{
    const yyjson_val *components = fer_val_get(oa->root, "components");
    const yyjson_val *schemes =
        fer_is_obj(components) ? fer_val_get(components, "securitySchemes") : NULL;
    const yyjson_val *key = fer_is_obj(schemes) ? fer_val_key(schemes, name) : NULL;
    return key && fer_is_obj(key + 1) ? key : NULL;
}

static bool is_scopes(const yyjson_val *list)
{
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (list, item)
        if (!fer_is_str(item) || !fer_val_len(item)) return false;
    return true;
}

static bool is_requirement(fer_oa *oa, const yyjson_val *item)
{
    if (!fer_is_obj(item)) return false;
    FER_EACH_MEMBER (item, key) {
        if (scheme_of(oa, fer_val_str(key)) && is_scopes(key + 1)) continue;
        fer_oa_note(oa, key, "no security scheme has the name \"%.*s\"",
                    FER_PRI(fer_str_head(fer_val_str(key), 100)));
        return false;
    }
    return true;
}

static void add_schemes(fer_oa *oa, fer_buf *b, const yyjson_val *const *list, size_t count)
{
    fer_map seen;
    fer_map_init(&seen, oa->a);
    fer_oa_key(b, FER_STR("securitySchemes"));
    fer_buf_add_char(b, '{');
    for (size_t i = 0; i < count; i++) {
        FER_EACH_MEMBER (list[i], key) {
            const yyjson_val *scheme = scheme_of(oa, fer_val_str(key));
            void **slot = fer_map_put(&seen, fer_val_str(key));
            if (!slot) fer_oa_no_memory(oa);
            if (!slot || *slot) continue;
            *slot = oa;
            fer_oa_key(b, fer_val_str(key));
            fer_oa_value(oa, b,
                         fer_oa_deref(oa, scheme + 1) ? fer_oa_deref(oa, scheme + 1) : scheme + 1);
        }
    }
    fer_buf_add_char(b, '}');
}

static void add_security(fer_oa *oa, fer_buf *b, const yyjson_val *operation)
{
    const yyjson_val *list = fer_val_get(operation, "security");
    const yyjson_val *kept[16];
    size_t count = 0;
    if (!list) list = fer_val_get(oa->root, "security");
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, item)
        if (count < FER_COUNT(kept) && is_requirement(oa, item)) kept[count++] = item;
    if (!count) return;
    add_schemes(oa, b, kept, count);
    fer_oa_key(b, FER_STR("securityRequirements"));
    fer_buf_add_char(b, '[');
    for (size_t i = 0; i < count; i++) {
        fer_oa_comma(b);
        fer_oa_value(oa, b, kept[i]);
    }
    fer_buf_add_char(b, ']');
}

/* ---- how it is asked ----------------------------------------------------------------------- */

/* The URL with the defaults of its variables. */
static fer_str fill_server(fer_oa *oa, const yyjson_val *server, fer_str url)
{
    fer_buf b;
    const yyjson_val *variables = fer_val_get(server, "variables");
    fer_buf_init(&b, oa->a, FER_OPENAPI_TEXT);
    for (size_t i = 0; i < url.len; i++) {
        size_t close = url.ptr[i] == '{' ? fer_str_find(url, i, '}') : SIZE_MAX;
        if (close == SIZE_MAX) {
            fer_buf_add_char(&b, url.ptr[i]);
            continue;
        }
        fer_str name = fer_str_slice(url, i + 1, close);
        const yyjson_val *key = fer_is_obj(variables) ? fer_val_key(variables, name) : NULL;
        fer_buf_add(&b, key ? fer_oa_text(key + 1, "default") : FER_STR_NONE);
        i = close;
    }
    if (b.failure) fer_oa_no_memory(oa);
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

static const yyjson_val *first_server(const yyjson_val *object)
{
    const yyjson_val *list = fer_val_get(object, "servers");
    if (!fer_is_arr(list) || !fer_val_len(list) || !fer_is_obj(list + 1)) return NULL;
    return list + 1;
}

static fer_str server_of(fer_oa *oa, const fer_oa_operation *o)
{
    const yyjson_val *server = first_server(o->value);
    if (oa->options->base_url.len) return oa->options->base_url;
    if (!server) server = first_server(o->item);
    if (!server) server = first_server(oa->root);
    return server ? fill_server(oa, server, fer_oa_text(server, "url")) : FER_STR("/");
}

static void add_parameters(fer_buf *b, const fer_oa_request *r)
{
    fer_oa_key(b, FER_STR("parameters"));
    fer_buf_add_char(b, '[');
    for (size_t i = 0; i < r->count; i++) {
        const fer_oa_argument *arg = &r->list[i];
        if (arg->in == FER_OA_BODY) continue;
        fer_oa_comma(b);
        fer_buf_add_char(b, '{');
        fer_oa_member(b, "argument", arg->argument);
        fer_oa_member(b, "in", fer_str_of(fer_oa_in_names[arg->in]));
        fer_oa_member(b, "name", arg->name);
        fer_oa_member(b, "style", arg->json ? FER_STR("json") : arg->style);
        fer_oa_key(b, FER_STR("explode"));
        fer_buf_add_text(b, arg->explode ? "true}" : "false}");
    }
    fer_buf_add_char(b, ']');
}

/* The schema of a member of a body in parts: of a list, that of its items. */
static const yyjson_val *part_schema(fer_oa *oa, const yyjson_val *schema)
{
    const yyjson_val *target = fer_is_obj(schema) ? fer_oa_deref(oa, schema) : NULL;
    const yyjson_val *items = target ? fer_val_get(target, "items") : NULL;
    return fer_is_obj(items) ? fer_oa_deref(oa, items) : target;
}

static bool says(const yyjson_val *schema, const char *key, const char *text)
{
    const yyjson_val *v = schema ? fer_val_get(schema, key) : NULL;
    return v && fer_is_str(v) && (!text || fer_str_is(fer_val_str(v), text));
}

/* Bytes that the argument has in base64: `format: byte` of 3.0, `contentEncoding` of 3.1. */
static bool is_encoded(fer_oa *oa, const yyjson_val *schema)
{
    const yyjson_val *s = part_schema(oa, schema);
    return says(s, "format", "byte") || says(s, "contentEncoding", "base64");
}

/* What an upload is in a document: bytes, which a text stands for here. */
static bool is_file(fer_oa *oa, const yyjson_val *schema)
{
    const yyjson_val *s = part_schema(oa, schema);
    return says(s, "format", "binary") || says(s, "contentMediaType", NULL) ||
           is_encoded(oa, schema);
}

/* Members of which `is` holds; where there is none, nothing, unless it is to be said. */
static void add_named(fer_oa *oa, fer_buf *b, const fer_oa_request *r, const char *key,
                      bool (*is)(fer_oa *oa, const yyjson_val *schema), bool always)
{
    bool some = false;
    for (size_t i = 0; i < r->count; i++) {
        if (r->list[i].in != FER_OA_BODY || !is(oa, r->list[i].schema)) continue;
        if (!some) fer_oa_key(b, fer_str_of(key));
        fer_buf_add_char(b, some ? ',' : '[');
        some = true;
        fer_buf_add_quoted(b, r->list[i].name);
    }
    if (!some && always) {
        fer_oa_key(b, fer_str_of(key));
        fer_buf_add_char(b, '[');
    }
    if (some || always) fer_buf_add_char(b, ']');
}

static void add_files(fer_oa *oa, fer_buf *b, const fer_oa_request *r)
{
    add_named(oa, b, r, "files", is_file, true);
    add_named(oa, b, r, "base64", is_encoded, false);
}

static void add_body(fer_oa *oa, fer_buf *b, const fer_oa_request *r)
{
    if (!r->content.len) return;
    fer_oa_key(b, FER_STR("body"));
    fer_buf_add_char(b, '{');
    fer_oa_member(b, "contentType", r->content);
    fer_oa_key(b, FER_STR("required"));
    fer_buf_add_text(b, r->body_required ? "true" : "false");
    if (!r->body_whole) {
        fer_oa_key(b, FER_STR("members"));
        fer_buf_add_char(b, '{');
    }
    for (size_t i = 0; i < r->count; i++) {
        if (r->list[i].in != FER_OA_BODY) continue;
        if (r->body_whole) fer_oa_member(b, "argument", r->list[i].argument);
        else {
            fer_oa_key(b, r->list[i].argument);
            fer_buf_add_quoted(b, r->list[i].name);
        }
    }
    if (!r->body_whole) fer_buf_add_char(b, '}');
    if (!r->body_whole && fer_str_starts(r->content, "multipart/form-data")) add_files(oa, b, r);
    fer_buf_add_char(b, '}');
}

static void add_backend(fer_oa *oa, fer_buf *b, const fer_oa_operation *o, const fer_oa_request *r)
{
    fer_str provider = oa->options->provider.len ? oa->options->provider : oa->out->ns;
    fer_oa_key(b, FER_STR("backend"));
    fer_buf_add_text(b, "{\"kind\":\"provider\",\"provider\":{");
    fer_oa_member(b, "providerId", provider);
    fer_oa_member(b, "toolId", o->name);
    fer_oa_key(b, FER_STR("http"));
    fer_buf_add_char(b, '{');
    fer_oa_member(b, "method", o->method);
    fer_oa_member(b, "server", server_of(oa, o));
    fer_oa_member(b, "path", o->path);
    if (o->id.len) fer_oa_member(b, "operationId", o->id);
    add_parameters(b, r);
    add_body(oa, b, r);
    fer_buf_add_text(b, "}}}");
}

/* ---- the record ---------------------------------------------------------------------------- */

static void write_record(fer_oa *oa, fer_buf *b, const fer_oa_operation *o)
{
    fer_oa_request request = {0};
    fer_oa_request_read(oa, o->item, o->value, o->method, o->path, &request);
    if (oa->refused) return;
    fer_buf_add_char(b, '{');
    fer_oa_member(b, "namespace", oa->out->ns);
    fer_oa_member(b, "name", o->name);
    if (oa->version.len) fer_oa_member(b, "version", oa->version);
    add_description(oa, b, o);
    add_tags(oa, b, o->value);
    size_t start = b->len;
    add_input(oa, b, &request);
    if (b->len - start > fer_schema_limits_message()->size)
        fer_oa_refuse(oa, o->value, "schema.size: the schema of its arguments is over %zu bytes",
                      fer_schema_limits_message()->size);
    if (!oa->refused && !fer_str_is(o->method, "HEAD")) add_output(oa, b, o->value);
    add_effect(oa, b, o);
    add_security(oa, b, o->value);
    add_refs(b, o->value);
    add_backend(oa, b, o, &request);
    fer_buf_add_char(b, '}');
}

fer_str fer_oa_record(fer_oa *oa, const fer_oa_operation *o)
{
    fer_buf b;
    size_t limit = 8 * fer_schema_limits_message()->size;
    fer_buf_init(&b, oa->a, limit);
    write_record(oa, &b, o);
    if (b.failure && !b.arena_failed)
        fer_oa_refuse(oa, o->value, "the record would be over %zu bytes", limit);
    else if (b.failure) fer_oa_no_memory(oa);
    if (b.failure || oa->failure || oa->refused) return FER_STR_NONE;
    return fer_oa_mend(oa, o, fer_buf_view(&b));
}
