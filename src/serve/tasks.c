/* SPDX-License-Identifier: Apache-2.0 */
/* The names of tasks, and their form in either era. */
#include "tasks.h"

#include "parked.h"
#include "tasks_parts.h"
#include "tool_reply.h"

/* ---- names ----------------------------------------------------------------------------------- */

bool fer_task_bind(const fer_guest *g, fer_str what, unsigned char out[FER_STATE_BIND])
{
    const fer_caller *who = g->caller;
    fer_str texts[] = {what, who ? who->tenant : FER_STR(""), who ? who->principal : FER_STR("")};
    return fer_state_bind(texts, FER_COUNT(texts), out);
}

fer_str fer_task_name(fer_arena *a, const fer_guest *g, fer_str server, fer_str own)
{
    unsigned char bound[FER_STATE_BIND];
    fer_str out, inner = fer_arena_printf(a, "%.*s/%.*s", FER_PRI(server), FER_PRI(own));
    fer_state s = {
        .kind = FER_STATE_TASK, .number = server.len, .until = INT64_MAX, .inner = inner};
    const unsigned char *key = inner.ptr ? fer_state_key(g->server) : NULL;
    if (!key || !fer_task_bind(g, FER_STR("task"), bound) ||
        fer_state_write(a, key, bound, &s, &out, NULL))
        return FER_STR("");
    return out;
}

fer_server *fer_task_find(fer_ask *q, fer_str name, fer_str *own)
{
    fer_front *front = fer_ask_front(q);
    unsigned char bound[FER_STATE_BIND];
    fer_state s;
    const unsigned char *key = fer_state_key(front);
    if (!key || !fer_task_bind(q->peer->guest, FER_STR("task"), bound) ||
        fer_state_read(fer_ask_arena(q), key, bound, 0, name, &s, NULL) ||
        s.kind != FER_STATE_TASK || s.number >= s.inner.len)
        return NULL;
    fer_str server = fer_str_slice(s.inner, 0, s.number);
    *own = fer_str_slice(s.inner, s.number + 1, s.inner.len);
    fer_wares_look(&front->wares);
    return fer_wares_named(&front->wares, server);
}

/* ---- what belongs to a task (2025-11-25) ------------------------------------------------------
 */

static const yyjson_val *relation_of(const yyjson_val *object)
{
    const yyjson_val *meta = fer_is_obj(object) ? fer_val_get(object, "_meta") : NULL;
    const yyjson_val *related = fer_is_obj(meta) ? fer_val_get(meta, FER_MCP_META_TASK) : NULL;
    return fer_is_obj(related) ? fer_val_get(related, "taskId") : NULL;
}

fer_str fer_task_related(const yyjson_val *params)
{
    const yyjson_val *id = relation_of(params);
    return fer_is_str(id) ? fer_val_str(id) : FER_STR("");
}

fer_str fer_task_unrelated(fer_arena *a, fer_str json)
{
    fer_json *doc;
    if (fer_json_read(a, json, fer_json_limits_answer(), &doc, NULL) ||
        !relation_of(fer_json_root(doc)))
        return json;
    const yyjson_val *root = fer_json_root(doc), *meta = fer_val_get(root, "_meta");
    fer_str text = fer_val_len(meta) == 1 ? fer_text_without(a, doc, root, "_meta")
                                          : fer_text_without(a, doc, meta, FER_MCP_META_TASK);
    return text.len ? text : json;
}

fer_str fer_task_related_as(fer_arena *a, fer_str json, fer_str name)
{
    fer_json *doc;
    if (fer_json_read(a, json, fer_json_limits_answer(), &doc, NULL)) return json;
    const yyjson_val *id = relation_of(fer_json_root(doc));
    fer_str text = fer_is_str(id) ? fer_text_with(a, doc, id, name) : json;
    return text.len ? text : json;
}

fer_str fer_task_answer_as(fer_arena *a, fer_str json, fer_str name)
{
    fer_json *doc;
    fer_buf b;
    if (fer_json_read(a, json, fer_json_limits_answer(), &doc, NULL)) return json;
    const yyjson_val *root = fer_json_root(doc);
    if (fer_val_get(root, "_meta")) return fer_task_related_as(a, json, name);
    fer_str text = fer_rpc_bytes(doc, root);
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_add(&b, fer_str_slice(text, 0, text.len - 1));
    fer_buf_printf(
        &b, "%s\"_meta\":{\"" FER_MCP_META_TASK "\":{\"taskId\":", fer_val_len(root) ? "," : "");
    fer_buf_add_quoted(&b, name);
    fer_buf_add_text(&b, "}}}");
    return b.failure ? json : fer_buf_view(&b);
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* The members of an older task under their newer names; others stay as they are. */
void fer_task_members(fer_buf *b, const fer_json *doc, const yyjson_val *task, fer_str name)
{
    static const struct {
        const char *old, *now;
    } names[] = {{"ttl", "ttlMs"}, {"pollInterval", "pollIntervalMs"}};
    FER_EACH_MEMBER (task, key) {
        fer_str word = fer_val_str(key);
        if (fer_str_is(word, "status") || fer_str_is(word, "_meta")) continue;
        for (size_t i = 0; i < FER_COUNT(names); i++)
            if (fer_str_is(word, names[i].old)) word = fer_str_of(names[i].now);
        fer_buf_add_char(b, ',');
        fer_buf_add_quoted(b, word);
        fer_buf_add_char(b, ':');
        if (fer_str_is(word, "taskId")) fer_buf_add_quoted(b, name);
        else fer_buf_add(b, fer_rpc_bytes(doc, key + 1));
    }
    if (!fer_val_get(task, "ttl")) fer_buf_add_text(b, ",\"ttlMs\":null");
}

void fer_task_write(fer_buf *b, const fer_json *doc, fer_str name, const char *status,
                    const char *member, fer_str value)
{
    fer_buf_printf(b, "\"status\":\"%s\"", status);
    fer_task_members(b, doc, fer_json_root(doc), name);
    if (!member) return;
    fer_buf_printf(b, ",\"%s\":", member);
    fer_buf_add(b, value);
}

/* An older server's answer to a client of 2026-07-28. */
static void begin_newer(fer_ask *q, const fer_json *doc, const yyjson_val *task, fer_str name)
{
    const yyjson_val *status = fer_val_get(task, "status");
    fer_buf *b = fer_ask_open(q);
    fer_buf_add_text(b, "{\"resultType\":\"task\",\"status\":");
    if (fer_is_str(status)) fer_buf_add(b, fer_rpc_bytes(doc, status));
    else fer_buf_add_text(b, "\"working\"");
    fer_task_members(b, doc, task, name);
    fer_buf_add_char(b, '}');
    fer_ask_close(q);
}

void fer_reply_task(fer_ask *q, const fer_envelope *e)
{
    fer_arena *a = fer_ask_arena(q);
    fer_json *doc;
    if (fer_json_read(a, e->mcp_result, fer_json_limits_answer(), &doc, NULL)) {
        fer_ask_fail(q, -32603, FER_STR(""), "out of memory");
        return;
    }
    const yyjson_val *root = fer_json_root(doc), *nested = fer_val_get(root, "task");
    const yyjson_val *task = fer_is_obj(nested) ? nested : root, *id = fer_val_get(task, "taskId");
    fer_str own = fer_is_str(id) ? fer_val_str(id) : FER_STR("");
    fer_str name =
        own.ptr && own.len ? fer_task_name(a, q->peer->guest, e->backend.name, own) : FER_STR("");
    fer_server *server = fer_wares_named(&fer_ask_front(q)->wares, e->backend.name);
    if (name.len && server) fer_task_note(q, server, own);
    if (!name.len) fer_ask_fail(q, -32603, FER_STR(""), "the server's task has no name");
    else if (task == nested && q->version->modern) begin_newer(q, doc, task, name);
    else fer_reply_pass(q, fer_text_with(a, doc, id, name), false);
}

/* ---- who can be told ------------------------------------------------------------------------- */

static const yyjson_val *extension_of(const fer_ask *q)
{
    const yyjson_val *all = fer_val_get(q->meta, FER_MCP_META_CAPABILITIES);
    const yyjson_val *extensions = fer_is_obj(all) ? fer_val_get(all, "extensions") : NULL;
    return fer_is_obj(extensions) ? fer_val_get(extensions, FER_MCP_TASKS) : NULL;
}

bool fer_ask_takes_task(const fer_ask *q)
{
    if (q->version->modern) return extension_of(q) != NULL;
    return fer_ask_since(q, "2025-11-25") && fer_is_obj(fer_val_get(q->params, "task"));
}

void fer_task_refuse_undeclared(fer_ask *q)
{
    fer_ask_fail(q, FER_MCP_MISSING_CAPABILITY,
                 FER_STR("{\"requiredCapabilities\":{\"extensions\":{\"" FER_MCP_TASKS "\":{}}}}"),
                 "the client has not declared " FER_MCP_TASKS);
}
