/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling clients that lists have changed: those of the older era who said that they are ready, and
 * those who listen (subscriptions/listen, 2026-07-28), who hear of resources and tasks, too. A
 * subscription is a request without an end of its own: acknowledged first, ended by the client's
 * cancel, or by us with a result.
 */
#include "news.h"
#include "serve_parts.h"
#include "tasks_parts.h"

static void open_note(fer_buf *b, const fer_ask *q, const char *method)
{
    fer_buf_init(b, fer_ask_arena(q), 1 << 20);
    fer_rpc_open(b, 0, method);
    fer_buf_add_text(b, "\"_meta\":{\"" FER_MCP_META_SUBSCRIPTION "\":");
    fer_rpc_add_id(b, &q->id);
    fer_buf_add_char(b, '}');
}

static void close_note(fer_buf *b, fer_ask *q)
{
    fer_rpc_close(b);
    if (!b->failure) fer_ask_note(q, fer_buf_view(b));
}

static const struct {
    const char *wish, *note;
    unsigned ability; /* of enum fer_ability; 0: of tools */
} kinds[] = {
    {"toolsListChanged", "notifications/tools/list_changed", 0},
    {"resourcesListChanged", "notifications/resources/list_changed", FER_CAN_RESOURCES},
    {"promptsListChanged", "notifications/prompts/list_changed", FER_CAN_PROMPTS},
};

static bool *flag_of(fer_ask *q, size_t kind)
{
    bool *const flags[] = {&q->tools_changed, &q->resources_changed, &q->prompts_changed};
    return flags[kind];
}

static void watch(fer_ask *q, const yyjson_val *uri)
{
    fer_server *holders[1];
    fer_str own;
    if (!fer_is_str(uri)) return;
    if (fer_wares_holders(fer_ask_guest(q), fer_val_str(uri), holders, 1, &own))
        fer_watch_add(q->peer, q, &(fer_thing){FER_MCP_RESOURCE, holders[0], own, fer_val_str(uri)},
                      NULL);
}

/* Names that are nobody's, or another's, are left out of what is acknowledged. */
static void watch_task(fer_ask *q, const yyjson_val *name)
{
    fer_str own;
    fer_server *server = fer_is_str(name) ? fer_task_find(q, fer_val_str(name), &own) : NULL;
    if (!server) return;
    fer_watch_add(q->peer, q, &(fer_thing){FER_MCP_TASK, server, own, fer_val_str(name)}, NULL);
}

/* What it asks to be told of, as far as there is somebody who can tell. */
static void take_wishes(fer_ask *q, const yyjson_val *wanted)
{
    fer_guest *g = fer_ask_guest(q);
    unsigned can = fer_guest_offers(g);
    const yyjson_val *uris = fer_val_get(wanted, "resourceSubscriptions");
    const yyjson_val *tasks = fer_val_get(wanted, "taskIds");
    for (size_t i = 0; i < FER_COUNT(kinds); i++)
        *flag_of(q, i) =
            fer_is_true(fer_val_get(wanted, kinds[i].wish)) &&
            (kinds[i].ability ? (can & kinds[i].ability) != 0 : g->mode != FER_SERVE_META);
    if (fer_is_arr(uris) && can & FER_CAN_WATCH)
        FER_EACH_ITEM (uris, uri) watch(q, uri);
    if (fer_is_arr(tasks))
        FER_EACH_ITEM (tasks, name) watch_task(q, name);
}

static void add_watched(fer_buf *b, const fer_ask *q, size_t start, fer_mcp_watchable kind)
{
    static const char *const members[] = {
        [FER_MCP_RESOURCE] = "resourceSubscriptions", [FER_MCP_TASK] = "taskIds"};
    bool any = false;
    for (const fer_watch *w = fer_ask_front(q)->watches; w; w = w->next) {
        if (w->ask != q || w->thing.kind != kind) continue;
        if (any) fer_buf_add_char(b, ',');
        else fer_buf_printf(b, "%s\"%s\":[", b->len > start ? "," : "", members[kind]);
        fer_buf_add_quoted(b, w->thing.shown);
        any = true;
    }
    if (any) fer_buf_add_char(b, ']');
}

void fer_method_listen(fer_ask *q)
{
    const yyjson_val *wanted = fer_val_get(q->params, "notifications");
    fer_buf b;
    if (!fer_is_obj(wanted)) {
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "params.notifications must be an object");
        return;
    }
    if (fer_val_get(wanted, "taskIds") && !fer_ask_takes_task(q)) {
        fer_task_refuse_undeclared(q);
        return;
    }
    if (q->peer->listen_count >= fer_ask_front(q)->options.limits.listens) {
        fer_ask_fail(q, FER_RPC_INVALID_REQUEST, FER_STR(""),
                     "serve.listens: at most %zu subscriptions at once",
                     fer_ask_front(q)->options.limits.listens);
        return;
    }
    q->listens = true;
    q->peer->listen_count++;
    fer_ask_front(q)->listens++;
    take_wishes(q, wanted);
    open_note(&b, q, "notifications/subscriptions/acknowledged");
    fer_buf_add_text(&b, ",\"notifications\":{");
    size_t start = b.len;
    for (size_t i = 0; i < FER_COUNT(kinds); i++)
        if (*flag_of(q, i))
            fer_buf_printf(&b, "%s\"%s\":true", b.len > start ? "," : "", kinds[i].wish);
    add_watched(&b, q, start, FER_MCP_RESOURCE);
    add_watched(&b, q, start, FER_MCP_TASK);
    fer_buf_add_char(&b, '}');
    close_note(&b, q);
}

void fer_listen_end(fer_ask *q)
{
    fer_buf *b = fer_ask_open(q);
    fer_buf_add_text(b,
                     "{\"resultType\":\"complete\",\"_meta\":{\"" FER_MCP_META_SUBSCRIPTION "\":");
    fer_rpc_add_id(b, &q->id);
    fer_buf_add_text(b, "}}");
    fer_ask_close(q);
}

/* One kind of list at a time; fer_front_each has no context. */
static void tell_listener(fer_ask *q, size_t kind)
{
    fer_buf b;
    if (!q->listens || !*flag_of(q, kind) || !q->peer->guest->news[kind]) return;
    open_note(&b, q, kinds[kind].note);
    close_note(&b, q);
}

static void tell_tools(fer_ask *q)
{
    tell_listener(q, 0);
}

static void tell_resources(fer_ask *q)
{
    tell_listener(q, 1);
}

static void tell_prompts(fer_ask *q)
{
    tell_listener(q, 2);
}

static void tell(fer_front *s, size_t kind)
{
    static void (*const tellers[])(fer_ask * q) = {tell_tools, tell_resources, tell_prompts};
    char text[96];
    int len =
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"}", kinds[kind].note);
    fer_front_each(s, tellers[kind]);
    for (fer_peer *p = s->peers, *next; p; p = next) {
        next = p->next;
        if (p->initialized && p->options.push && p->guest->news[kind])
            p->options.push(p->options.context, (fer_str){text, (size_t)len});
    }
}

/* Only what is shown counts: a change of what a guest does not see is no news for it. */
static bool tools_changed(fer_guest *g, bool told)
{
    bool news = false;
    if (g->mode == FER_SERVE_META) return false;
    if (!fer_guest_refresh(g, &news, NULL) && news) return true;
    return told && g->mode == FER_SERVE_TRANSPARENT;
}

void fer_listen_tell_changed(fer_front *s)
{
    bool any[FER_COUNT(kinds)] = {0}, told = s->tools_told;
    for (fer_guest *g = s->guests; g; g = g->next) {
        g->news[0] = tools_changed(g, told);
        g->news[1] = fer_wares_news(g, FER_WARE_RESOURCE) || fer_wares_news(g, FER_WARE_TEMPLATE);
        g->news[2] = fer_wares_news(g, FER_WARE_PROMPT);
        for (size_t i = 0; i < FER_COUNT(kinds); i++) any[i] |= g->news[i];
    }
    s->tools_told = false;
    fer_wares_told(&s->wares);
    for (size_t i = 0; i < FER_COUNT(kinds); i++)
        if (any[i]) tell(s, i);
}
