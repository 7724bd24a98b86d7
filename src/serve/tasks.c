/* SPDX-License-Identifier: Apache-2.0 */
/* The names of tasks, and their form in either era. */
#include "tasks.h"

#include "parked.h"
#include "tasks_parts.h"
#include "tool_reply.h"

/* ---- names ----------------------------------------------------------------------------------- */

static bool bind_task(const fer_ask *q, unsigned char out[FER_STATE_BIND])
{
    const fer_caller *who = q->peer->guest->caller;
    fer_str texts[] = {FER_STR("task"), who ? who->tenant : FER_STR(""),
                       who ? who->principal : FER_STR("")};
    return fer_state_bind(texts, FER_COUNT(texts), out);
}

fer_str fer_task_name(fer_ask *q, fer_str server, fer_str own)
{
    fer_arena *a = fer_ask_arena(q);
    unsigned char bound[FER_STATE_BIND];
    fer_str out, inner = fer_arena_printf(a, "%.*s/%.*s", FER_PRI(server), FER_PRI(own));
    fer_state s = {
        .kind = FER_STATE_TASK, .number = server.len, .until = INT64_MAX, .inner = inner};
    const unsigned char *key = inner.ptr ? fer_state_key(fer_ask_front(q)) : NULL;
    if (!key || !bind_task(q, bound) || fer_state_write(a, key, bound, &s, &out, NULL))
        return FER_STR("");
    return out;
}

fer_server *fer_task_find(fer_ask *q, fer_str name, fer_str *own)
{
    fer_front *front = fer_ask_front(q);
    unsigned char bound[FER_STATE_BIND];
    fer_state s;
    const unsigned char *key = fer_state_key(front);
    if (!key || !bind_task(q, bound) ||
        fer_state_read(fer_ask_arena(q), key, bound, 0, name, &s, NULL) ||
        s.kind != FER_STATE_TASK || s.number >= s.inner.len)
        return NULL;
    fer_str server = fer_str_slice(s.inner, 0, s.number);
    *own = fer_str_slice(s.inner, s.number + 1, s.inner.len);
    fer_wares_look(&front->wares);
    for (fer_server *x = front->wares.servers; x; x = x->next)
        if (fer_str_eq(x->name, server) && x->runner) return x;
    return NULL;
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
    if (!fer_val_get(task, "ttl")) fer_buf_add_text(b, ",\"ttlMs\":null");
    fer_buf_add_char(b, '}');
    fer_ask_close(q);
}

void fer_reply_task(fer_ask *q, const fer_envelope *e)
{
    fer_arena *a = fer_ask_arena(q);
    fer_json *doc;
    if (fer_json_read(a, e->mcp_result, NULL, &doc, NULL)) {
        fer_ask_fail(q, -32603, FER_STR(""), "out of memory");
        return;
    }
    const yyjson_val *root = fer_json_root(doc), *nested = fer_val_get(root, "task");
    const yyjson_val *task = fer_is_obj(nested) ? nested : root, *id = fer_val_get(task, "taskId");
    fer_str name =
        fer_is_str(id) ? fer_task_name(q, e->backend.name, fer_val_str(id)) : FER_STR("");
    if (!name.len) fer_ask_fail(q, -32603, FER_STR(""), "the server's task has no name");
    else if (task == nested && q->version->modern) begin_newer(q, doc, task, name);
    else fer_reply_pass(q, fer_text_with(a, doc, id, name), false);
}

/* ---- who can be told ------------------------------------------------------------------------- */

static const yyjson_val *extension_of(const fer_ask *q)
{
    const yyjson_val *all = fer_val_get(q->meta, FER_MCP_META_CAPABILITIES);
    const yyjson_val *extensions = fer_is_obj(all) ? fer_val_get(all, "extensions") : NULL;
    return fer_is_obj(extensions) ? fer_val_get(extensions, FER_TASKS_EXTENSION) : NULL;
}

bool fer_ask_takes_task(const fer_ask *q)
{
    if (q->version->modern) return extension_of(q) != NULL;
    return fer_ask_since(q, "2025-11-25") && fer_is_obj(fer_val_get(q->params, "task"));
}
