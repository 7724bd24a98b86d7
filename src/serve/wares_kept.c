/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What servers have beside tools, as text: for a file that outlives the process, so that the next
 * one answers at once and starts no server to find out. One JSON object for a server:
 * {"version", "capabilities", "instructions", "resources", "resourceTemplates", "prompts",
 * "beside"}, where what is in lists stands as it came, and "beside" has what was said beside each
 * list, that of tools included.
 */
#include "buf.h"
#include "errors.h"
#include "json_value.h"
#include "serve_parts.h"

static fer_server *server_named(fer_wares *w, fer_str name)
{
    fer_wares_look(w);
    fer_server *s = w->servers;
    while (s && !fer_str_eq(s->name, name)) s = s->next;
    return s;
}

uint64_t fer_front_wares_version(fer_front *f)
{
    fer_wares_look(&f->wares); /* servers that were retired are gone */
    uint64_t sum = f->wares.noted;
    for (const fer_server *s = f->wares.servers; s; s = s->next) {
        fer_mcp_info info = {0};
        if (s->runner)
            fer_mcp_client_info(s->runner->kind->mcp(s->runner, NULL, FER_STR("")), &info);
        sum += info.lists;
    }
    for (int i = 0; i < FER_WARE_KINDS; i++) sum += f->wares.versions[i];
    return sum;
}

/* "name":{members}: longer than what a format may make. */
static void write_rest(fer_buf *b, const char *list, fer_str members)
{
    fer_buf_printf(b, "\"%s\":{", list);
    fer_buf_add(b, members);
    fer_buf_add_char(b, '}');
}

/* What was said beside lists, by the name of each. */
static void write_beside(const fer_server *s, fer_buf *b)
{
    fer_buf_add_text(b, ",\"beside\":{");
    write_rest(b, "tools", fer_server_rest(s));
    for (int i = 0; i < FER_WARE_KINDS; i++) {
        if (!s->stocks.each[i].rest.len) continue;
        fer_buf_add_char(b, ',');
        write_rest(b, fer_ware_rows[i].list, s->stocks.each[i].rest);
    }
    fer_buf_add_char(b, '}');
}

bool fer_front_write_wares(fer_front *f, fer_str name, fer_buf *b)
{
    const fer_server *s = server_named(&f->wares, name);
    fer_mcp_info info;
    if (!s || !s->runner || !s->known) return false;
    fer_mcp_client *client = s->runner->kind->mcp(s->runner, NULL, FER_STR(""));
    fer_str can = s->past ? s->capabilities : fer_mcp_client_capabilities(client);
    fer_mcp_client_info(client, &info);
    fer_buf_printf(b, "{\"version\":\"%s\",\"capabilities\":",
                   s->past        ? s->past_version->name
                   : info.version ? info.version->name
                                  : "");
    fer_buf_add(b, can.len ? can : FER_STR("{}"));
    fer_buf_add_text(b, ",\"instructions\":");
    fer_buf_add_quoted(b, fer_server_instructions(s));
    for (int i = 0; i < FER_WARE_KINDS; i++) {
        if (!s->stocks.each[i].good) continue;
        fer_buf_printf(b, ",\"%s\":[", fer_ware_rows[i].list);
        fer_buf_add(b, s->stocks.each[i].items);
        fer_buf_add_char(b, ']');
    }
    write_beside(s, b);
    fer_buf_add_char(b, '}');
    return true;
}

/* The members of an object in `from`, in the arena; `.ptr` NULL: no memory. */
static fer_str inner_of(fer_arena *a, const fer_json *doc, const yyjson_val *from, const char *key)
{
    const yyjson_val *object = fer_is_obj(from) ? fer_val_get(from, key) : NULL;
    if (!fer_is_obj(object) || !fer_val_len(object)) return FER_STR("");
    fer_str text = fer_rpc_bytes(doc, object);
    return fer_arena_copy(a, fer_str_slice(text, 1, text.len - 1));
}

/* One list, into the stock that clients are shown. */
static fer_code recall_list(fer_server *s, int kind, const fer_json *doc, const yyjson_val *list,
                            const yyjson_val *beside, fer_err *err)
{
    fer_stock *t = &s->stocks.each[kind];
    fer_arena *a = fer_arena_new(4 * FER_WARES_SIZE);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_str text = fer_rpc_bytes(doc, list);
    fer_str items = fer_arena_copy(a, fer_str_slice(text, 1, text.len - 1));
    fer_str rest = inner_of(a, doc, beside, fer_ware_rows[kind].list);
    if (items.len > FER_WARES_SIZE || !items.ptr || !rest.ptr) {
        fer_code code =
            items.len > FER_WARES_SIZE
                ? fer_fail(err, FER_LIMIT_EXCEEDED, "serve.wares_size: a list is too long")
                : fer_arena_failed(a, err);
        fer_arena_free(a);
        return code;
    }
    t->good = a;
    t->items = items;
    t->rest = rest;
    s->wares->versions[kind]++;
    return FER_OK;
}

static fer_code recall_tools(fer_server *s, const fer_json *doc, const yyjson_val *beside,
                             fer_err *err)
{
    if (!s->past_list) s->past_list = fer_arena_new(4 * FER_WARES_SIZE);
    if (!s->past_list) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    s->past_rest = inner_of(s->past_list, doc, beside, "tools");
    return s->past_rest.ptr ? FER_OK : fer_arena_failed(s->past_list, err);
}

static fer_code recall(fer_server *s, const fer_json *doc, const yyjson_val *root, fer_err *err)
{
    const yyjson_val *can = fer_val_get(root, "capabilities");
    const yyjson_val *words = fer_val_get(root, "instructions");
    const yyjson_val *name = fer_val_get(root, "version"), *beside = fer_val_get(root, "beside");
    const fer_mcp_version *v = fer_is_str(name) ? fer_mcp_version_find(fer_val_str(name)) : NULL;
    if (!v || !fer_is_obj(can) || !fer_is_str(words))
        return fer_fail(err, FER_BAD_USAGE, "it is not what was written here");
    s->past = fer_arena_new(0);
    if (!s->past) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    s->capabilities = fer_arena_copy(s->past, fer_rpc_bytes(doc, can));
    s->instructions = fer_arena_copy(s->past, fer_val_str(words));
    if (!s->capabilities.ptr || !s->instructions.ptr) return fer_arena_failed(s->past, err);
    s->past_version = v;
    fer_code code = FER_OK;
    for (int i = 0; !code && i < FER_WARE_KINDS; i++) {
        const yyjson_val *list = fer_val_get(root, fer_ware_rows[i].list);
        if (fer_is_arr(list)) code = recall_list(s, i, doc, list, beside, err);
    }
    if (!code) code = recall_tools(s, doc, beside, err);
    if (!code) fer_server_note(s, s->capabilities, v->name);
    return code;
}

fer_code fer_front_recall_wares(fer_front *f, fer_str name, const fer_json *doc,
                                const yyjson_val *root, fer_err *err)
{
    fer_server *s = server_named(&f->wares, name);
    if (!s || !s->runner || s->known) return FER_OK; /* it has said more since */
    if (!fer_is_obj(root)) return fer_fail(err, FER_BAD_USAGE, "it is not what was written here");
    fer_code code = recall(s, doc, root, err);
    if (!code) return FER_OK;
    fer_server_forget_past(s);
    fer_server_forget_list(s);
    for (int i = 0; i < FER_WARE_KINDS; i++) {
        fer_arena_free(s->stocks.each[i].good);
        s->stocks.each[i].good = NULL;
        s->stocks.each[i].items = s->stocks.each[i].rest = FER_STR("");
    }
    return code;
}
