/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_limits.h"

#include "kept.h"
#include "line_pair.h"
#include "meta_tools.h"
#include "news.h"
#include "parked.h"
#include "relay.h"
#include "serve.h"
#include "serve_events.h"
#include "serve_http.h"
#include "serve_local.h"
#include "serve_parts.h"
#include "tasks.h"

const fer_limit_row fer_serve_limit_rows[] = {
    {"serve.asks", FER_SERVE_ASKS_MAX, "requests of one MCP client at a time"},
    {"serve.listens", FER_SERVE_LISTENS_MAX, "subscriptions of one MCP client"},
    {"serve.peers", FER_SERVE_PEERS_MAX, "MCP clients, and sessions of such, at a time"},
    {"serve.memory", FER_SERVE_MEMORY, "bytes that one request may take"},
    {"serve.page", FER_SERVE_PAGE, "tools on a page of tools/list"},
    {"serve.exposed", FER_SERVE_EXPOSED_MAX, "tools that are served under their own names"},
    {"serve.settle", FER_SERVE_SETTLE_MS,
     "milliseconds that the first requests wait for the lists of servers"},
    {"serve.changed", FER_SERVE_CHANGED_MS,
     "milliseconds for more changes, before clients are told of them"},
    {"serve.instructions", FER_SERVE_INSTRUCTIONS,
     "bytes of what servers want clients to know, together"},
    {"serve.relay", FER_RELAY_MS, "milliseconds that a server has for a resource or a prompt"},
    {"serve.relay_servers", FER_RELAY_SERVERS,
     "servers that are asked for a resource that none lists"},
    {"serve.questions", FER_SERVE_QUESTIONS_MAX, "questions of servers to one client at a time"},
    {"serve.parked", FER_PARKED_MAX,
     "requests of 2026-07-28 that wait for answers to an older server's questions"},
    {"serve.parked_here", FER_PARKED_HERE, "of them, at one server"},
    {"serve.parked_each", FER_PARKED_EACH, "of those, of one client"},
    {"serve.parked_size", FER_PARKED_BYTES, "bytes of all of them"},
    {"serve.parked_time", FER_PARKED_MS,
     "milliseconds that a client has to answer a server's question"},
    {"serve.task_result", FER_TASKS_MS,
     "milliseconds that a server has for the result of a task (2025-11-25)"},
    {"serve.tasks", FER_TASKS_KEPT,
     "tasks of one client that it is told of and may list (2025-11-25); the oldest make room"},
    {"serve.task_errands", FER_TASK_ERRANDS_MAX,
     "requests about tasks of older servers that no client's request waits for"},
    {"serve.task_attended", FER_TASK_ATTENDED_MAX,
     "tasks of older servers that ask one client of 2026-07-28 for input at a time"},
    {"serve.state", FER_STATE_MAX, "bytes of a requestState that a client brings"},
    {"serve.watches", FER_SERVE_WATCHES_MAX, "resources and tasks that one client watches"},
    {"serve.wares", FER_WARES_MAX, "resources, templates or prompts of one server"},
    {"serve.wares_size", FER_WARES_SIZE, "bytes of one such list"},
    {"serve.wares_time", FER_WARES_MS, "milliseconds for it"},
    {"serve.wares_owners", FER_WARES_OWNERS,
     "tenants, or principals, whose own lists of a server are kept (oauth.tokens)"},
    {"serve.wares_owned", FER_WARES_OWNED, "bytes of those, of one server"},
    {"mcp.seats", FER_MCP_SEATS_MAX, "clients that have a server of their own (isolate)"},
    {"mcp.owners", FER_MCP_OWNERS_MAX,
     "tenants, or principals, that have a session of their own with a server (oauth.tokens)"},
    {"serve.result", FER_META_RESULT, "bytes of a result that run_tool shows at once"},
    {"serve.kept", FER_KEPT_MAX, "results that are kept to be read on in"},
    {"serve.kept_size", FER_KEPT_BYTES, "bytes of all of them"},
    {"serve.kept_time", FER_KEPT_MS, "milliseconds that one is kept"},
    {"serve.meta", FER_META_TOKENS, "tokens of the meta tools, at four bytes each"},
    {"serve.session", FER_HTTP_SESSION_MS,
     "milliseconds that a session over HTTP lasts without a request"},
    {"serve.beat", FER_HTTP_BEAT_MS,
     "milliseconds after which a quiet answer over HTTP is a stream"},
    {"serve.events", FER_HTTP_EVENTS, "messages of a session that are kept for who comes again"},
    {"serve.event_size", FER_HTTP_EVENT_BYTES, "bytes of them"},
    {"serve.event_all", FER_HTTP_EVENTS_ALL, "bytes of those of all sessions"},
    {"serve.event_time", FER_HTTP_EVENT_MS, "milliseconds that such a message is kept"},
    {"serve.searches", FER_SERVE_SEARCHES, "searches of one client that a call may be led to by"},
    {"serve.attached", FER_LOCAL_CLIENTS_MAX,
     "clients that are attached to a gateway (serve --stdio)"},
    {"serve.waiting", FER_PAIR_WAITING,
     "bytes that wait to be written to standard output, or to a client that attached"},
};
const size_t fer_serve_limit_row_count = FER_COUNT(fer_serve_limit_rows);
