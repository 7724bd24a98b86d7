/* SPDX-License-Identifier: Apache-2.0 */
/* Transcripts: requests of any kind, what servers of both eras want to know, lists that are kept,
 * arguments in headers. */
#include "mcp_mirror.h"
#include "script_link.h"

/* clang-format off */
#define NOTE(method, params)                                                                       \
    "< {\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":" params "}\n"
#define SENT(id, method, params)                                                                   \
    "> {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}\n"
#define M_VERSION "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
#define M_REST "\"io.modelcontextprotocol/clientInfo\":$C"
#define META(more)                                                                                 \
    "\"_meta\":{" M_VERSION "\"io.modelcontextprotocol/clientCapabilities\":{}," M_REST more "}"
#define TOKEN(id) ",\"progressToken\":" id
#define HI        "{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"
#define WANTS(what) "{\"resultType\":\"input_required\"," what "}"
#define NAME "\"n\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"who?\"}}"
#define ROOTS "\"r\":{\"method\":\"roots/list\"}"
#define ELICIT(id) "< {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"elicitation/create\",\"params\":{\"message\":\"who?\"}}\n"
#define ASKED(of) "= asked elicitation/create {\"message\":\"who?\"} of " of "\n"
#define CALL(id, more) SENT(id, "tools/call", "\"name\":\"t\",\"arguments\":{}" more ",$M")
#define BEGIN "! call t\n= open\n" S_LEGACY("2025-11-25") S_CALL("3", "t")
#define MODERN "! call t\n= open\n" S_MODERN CALL("2", "")
#define BYE "! stop\n= close\n"
#define TOOLS(more) "{\"resultType\":\"complete\"," more "}"
#define NOBODY "ToolFailed sent definite: the tool asks for input, which nobody here can give: "
#define MIRROR "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{" \
    "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}," \
    "\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"}," \
    "\"in\":{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"B\"}}}," \
    "\"q\":{\"type\":\"string\"}}}}"

static const struct row {
    const char *name, *script;
    script_options options;
} rows[] = {
    /* other requests */
    {"a request of an older server",
     "! ask resources/read {\"uri\":\"a:b\",\"_meta\":{\"progressToken\":1,\"k\":[1.0]}}\n= open\n" S_LEGACY("2025-11-25")
     SENT("3", "resources/read", "\"uri\":\"a:b\",\"_meta\":{\"progressToken\":3,\"k\":[1.0]}")
     NOTE("notifications/progress", "{\"progressToken\":3,\"progress\":1}") "= news 0 {\"progress\":1}\n"
     S_REPLY("3", "{\"contents\":[1.00]}") "= ended 0 {\"contents\":[1.00]}\n" BYE, {0}},
    {"a request of a modern server",
     "! ask prompts/get {\"name\":\"p\",\"_meta\":{\"io.modelcontextprotocol/clientInfo\":1,\"k\":2}}\n= open\n" S_MODERN
     SENT("2", "prompts/get", "\"name\":\"p\"," META(TOKEN("2") ",\"k\":2"))
     S_REPLY("2", "{\"resultType\":\"complete\",\"messages\":[]}") "= ended 0 {\"resultType\":\"complete\",\"messages\":[]}\n" BYE, {0}},
    {"without params", "! ask ping\n= open\n" S_LEGACY("2025-11-25") SENT("3", "ping", "\"_meta\":{\"progressToken\":3}")
     S_REPLY("3", "{}") "= ended 0 {}\n" BYE, {0}},
    {"one that is refused", "! ask logging/setLevel {\"level\":\"x\"}\n= open\n" S_LEGACY("2025-11-25")
     SENT("3", "logging/setLevel", "\"level\":\"x\",\"_meta\":{\"progressToken\":3}")
     "< {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32602,\"message\":\"no\",\"data\":[1]}}\n"
     "= ended 0 ToolFailed sent definite: no {\"rpcCode\":-32602,\"data\":[1]}\n" BYE, {0}},
    {"one that is given up", "! ask completion/complete {}\n= open\n" S_LEGACY("2025-11-25")
     SENT("3", "completion/complete", "\"_meta\":{\"progressToken\":3}") "! drop 0\n"
     "> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3,\"reason\":\"ClientCancelled\"}}\n" BYE, {0}},
    {"a method that is none", "! ask a\"b {}\n= ended 0 BadUsage: no method has such a name\n! stop\n", {0}},
    {"params that are none", "! ask ping [1]\n= ended 0 BadUsage: the params of a request are no object\n! stop\n", {0}},
    {"a result of no type", "! ask prompts/list\n= open\n" S_MODERN SENT("2", "prompts/list", META(TOKEN("2")))
     S_REPLY("2", "{\"resultType\":\"x\"}") "= ended 0 InvalidOutput sent definite: the result is of no type that is known (resultType)\n" BYE, {0}},
    /* questions of older servers */
    {"nobody takes it", BEGIN ELICIT("7")
     "> {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32601,\"message\":\"this client has not declared that it can do this\"}}\n"
     S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {0}},
    {"its refusal is the end of the call", BEGIN ELICIT("7")
     "> {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32601,\"message\":\"this client has not declared that it can do this\"}}\n"
     "< {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32601,\"message\":\"this client has not declared that it can do this\"}}\n"
     "= ended 0 ToolFailed sent definite: this client has not declared that it can do this {\"rpcCode\":-32601}\n" BYE, {0}},
    {"and so is that of who is asked", BEGIN ELICIT("7") ASKED("-1") "! decline 0\n"
     "> {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-1,\"message\":\"no\"}}\n"
     "< {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
     "= ended 0 ToolFailed sent definite: no {\"rpcCode\":-32601}\n" BYE, {.asks = true}},
    {"an older server is answered", BEGIN ELICIT("\"x\"") ASKED("-1") "! answer 0 {\"action\":\"decline\"}\n"
     "> {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"action\":\"decline\"}}\n" S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {.asks = true}},
    {"at once, on the stream of a call", BEGIN "< @3 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n= asked roots/list  of 0\n"
     "> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true}}\n" S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {.asks = true, .at_once = true, .streams = true}},
    {"it is declined", BEGIN ELICIT("7") ASKED("-1") "! decline 0\n"
     "> {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-1,\"message\":\"no\"}}\n" S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {.asks = true}},
    {"it is withdrawn", BEGIN ELICIT("7") ASKED("-1") NOTE("notifications/cancelled", "{\"requestId\":\"7\"}")
     NOTE("notifications/cancelled", "{\"requestId\":7}") "= withdrawn elicitation/create\n" S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {.asks = true}},
    {"its server is lost", BEGIN ELICIT("7") ASKED("-1") "! die gone\n= withdrawn elicitation/create\n= ended 0 BackendCrashed sent: gone\n! stop\n", {.asks = true}},
    {"stopped with a question", BEGIN ELICIT("7") ASKED("-1") "! stop\n= withdrawn elicitation/create\n= ended 0 Cancelled sent: the server is stopped\n= close\n", {.asks = true}},
    {"its call is over first", BEGIN "< @3 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n= asked roots/list  of 0\n"
     S_REPLY("3", HI) "= ended 0 \"hi\"\n! answer 0 {}\n> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n" BYE, {.asks = true, .streams = true}},
    /* questions of modern servers */
    {"a modern server, nobody asks", MODERN S_REPLY("2", WANTS("\"inputRequests\":{" NAME "}"))
     "= ended 0 " NOBODY "elicitation/create {" NAME "}\n" BYE, {0}},
    {"a modern server is answered", MODERN S_REPLY("2", WANTS("\"inputRequests\":{" NAME "," ROOTS "},\"requestState\":\"a\\u0062\""))
     ASKED("0") "= asked roots/list  of 0\n! answer 1 {\"roots\":[]}\n! answer 0 {\"action\":\"accept\"}\n"
     CALL("3", ",\"inputResponses\":{\"r\":{\"roots\":[]},\"n\":{\"action\":\"accept\"}},\"requestState\":\"a\\u0062\"")
     S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {.asks = true}},
    {"a modern server, at once and twice", MODERN S_REPLY("2", WANTS("\"inputRequests\":{" NAME "},\"requestState\":\"1\"")) ASKED("0")
     CALL("3", ",\"inputResponses\":{\"n\":{\"ok\":true}},\"requestState\":\"1\"")
     S_REPLY("3", WANTS("\"inputRequests\":{" NAME "}")) ASKED("0") CALL("4", ",\"inputResponses\":{\"n\":{\"ok\":true}}")
     S_REPLY("4", HI) "= ended 0 \"hi\"\n" BYE, {.asks = true, .at_once = true}},
    {"only a state: again, without asking anybody", MODERN S_REPLY("2", WANTS("\"requestState\":\"s\"")) CALL("3", ",\"requestState\":\"s\"")
     S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {0}},
    {"another request is asked back", "! ask prompts/get {\"name\":\"p\",\"requestState\":\"forged\"}\n= open\n" S_MODERN
     SENT("2", "prompts/get", "\"name\":\"p\"," META(TOKEN("2"))) S_REPLY("2", WANTS("\"requestState\":\"s\""))
     SENT("3", "prompts/get", "\"name\":\"p\",\"requestState\":\"s\"," META(TOKEN("3"))) S_REPLY("3", "{\"messages\":[]}") "= ended 0 {\"messages\":[]}\n" BYE, {0}},
    {"one of two is declined", MODERN S_REPLY("2", WANTS("\"inputRequests\":{" NAME "," ROOTS "}")) ASKED("0") "= asked roots/list  of 0\n"
     "! decline 0\n= withdrawn roots/list\n= ended 0 " NOBODY "elicitation/create, roots/list {" NAME "," ROOTS "}\n" BYE, {.asks = true}},
    {"given up with questions", MODERN S_REPLY("2", WANTS("\"inputRequests\":{" NAME "}")) ASKED("0") "! drop 0\n= withdrawn elicitation/create\n"
     "! info\n= info 2026-07-28 m/2 noise 0 late 0 foreign 0 refused 0 logs 0 running 0\n" BYE, {.asks = true}},
    {"stopped with a round", MODERN S_REPLY("2", WANTS("\"inputRequests\":{" NAME "}")) ASKED("0")
     "! stop\n= withdrawn elicitation/create\n= ended 0 Cancelled: the server is stopped\n= close\n", {.asks = true}},
    {"the server dies meanwhile: a modern call goes on", MODERN S_REPLY("2", WANTS("\"inputRequests\":{" NAME "}")) ASKED("0") "! die gone\n"
     "! answer 0 {\"a\":1}\n= open\n" S_DISCOVER("3") S_DISCOVERED("3", "{}") CALL("4", ",\"inputResponses\":{\"n\":{\"a\":1}}") "= changed\n"
     S_REPLY("4", HI) "= ended 0 \"hi\"\n" BYE, {.asks = true}},
    /* lists that are kept */
    {"a list is good for a while", "! list\n= open\n" S_MODERN S_LIST("2", "$M") S_REPLY("2", TOOLS("\"ttlMs\":60000,\"cacheScope\":\"private\",\"tools\":[1]"))
     "= tools [1]\n! list\n= tools [1]\n" NOTE("notifications/tools/list_changed", "{}") "! list\n= tools [1]\n! die gone\n! list\n= tools [1]\n! connect\n= open\n"
     S_DISCOVER("3") S_DISCOVERED("3", "{}") "= changed\n! list\n" S_LIST("4", "$M") S_REPLY("4", TOOLS("\"ttlMs\":60000,\"tools\":[2]")) "= tools [2]\n" BYE, {0}},
    {"the shortest page counts, and a negative time is none", "! list\n= open\n" S_MODERN S_LIST("2", "$M")
     S_REPLY("2", TOOLS("\"ttlMs\":60000,\"tools\":[1],\"nextCursor\":\"n\"")) S_LIST("3", "\"cursor\":\"n\",$M") S_REPLY("3", TOOLS("\"ttlMs\":-5,\"tools\":[2]"))
     "= tools [1,2]\n! list\n" S_LIST("4", "$M") S_REPLY("4", TOOLS("\"tools\":[3]")) "= tools [3]\n! list\n" S_LIST("5", "$M")
     S_REPLY("5", TOOLS("\"tools\":[]")) "= tools []\n" BYE, {0}},
    {"an older server's change makes it stale", "! list\n= open\n" S_LEGACY("2025-11-25") S_LIST("3", "") S_REPLY("3", "{\"ttlMs\":60000,\"tools\":[1]}") "= tools [1]\n"
     NOTE("notifications/tools/list_changed", "{}") "= changed\n! list\n" S_LIST("4", "") S_REPLY("4", "{\"tools\":[2]}") "= tools [2]\n" BYE, {0}},
    /* headers */
    {"arguments in headers", "! call t {\"region\":\"a b\",\"n\":-7,\"in\":{\"b\":true},\"q\":\"x\"}\n= open\n" S_MODERN
     "= name t\n= header Region: a b\n= header N: -7\n= header B: true\n"
     SENT("2", "tools/call", "\"name\":\"t\",\"arguments\":{\"region\":\"a b\",\"n\":-7,\"in\":{\"b\":true},\"q\":\"x\"},$M")
     S_REPLY("2", HI) "= ended 0 \"hi\"\n" BYE, {.tool = MIRROR, .streams = true}},
    {"null and absent ones are left out", "! call t {\"region\":null,\"n\":3.0,\"in\":1}\n= open\n" S_MODERN "= name t\n= header N: 3\n"
     SENT("2", "tools/call", "\"name\":\"t\",\"arguments\":{\"region\":null,\"n\":3.0,\"in\":1},$M") S_REPLY("2", HI) "= ended 0 \"hi\"\n" BYE, {.tool = MIRROR, .streams = true}},
    {"not over pipes", "! call t {\"region\":\"a\"}\n= open\n" S_MODERN SENT("2", "tools/call", "\"name\":\"t\",\"arguments\":{\"region\":\"a\"},$M")
     S_REPLY("2", HI) "= ended 0 \"hi\"\n" BYE, {.tool = MIRROR}},
    {"not to older servers", "! call t {\"region\":\"a\"}\n= open\n" S_LEGACY("2025-11-25") SENT("3", "tools/call", "\"name\":\"t\",\"arguments\":{\"region\":\"a\"}")
     S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {.tool = MIRROR, .streams = true}},
#define MISFIT(id) "< {\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":-32020,\"message\":\"headers\"}}\n"
#define AGAIN "{\"name\":\"t\",\"inputSchema\":{\"properties\":{\"q\":{\"type\":\"string\",\"x-mcp-header\":\"Query\"}}}}"
#define CALL_T(id) SENT(id, "tools/call", "\"name\":\"t\",\"arguments\":{\"q\":\"x\"},$M")
#define REFUSED "= ended 0 BackendUnavailable sent refused: headers {\"rpcCode\":-32020}\n"
    {"the tool is another one by now: it is listed, and called again", "! call t {\"q\":\"x\"}\n= open\n" S_MODERN CALL_T("2") MISFIT("2")
     "= changed\n" S_LIST("3", "$M") S_REPLY("3", TOOLS("\"tools\":[{\"name\":\"u\"}," AGAIN "]")) "= name t\n= header Query: x\n" CALL_T("4") S_REPLY("4", HI)
     "= ended 0 \"hi\"\n" BYE, {.tool = MIRROR, .streams = true}},
    {"and refused again: that is all", "! call t {\"q\":\"x\"}\n= open\n" S_MODERN CALL_T("2") MISFIT("2")
     "= changed\n" S_LIST("3", "$M") S_REPLY("3", TOOLS("\"tools\":[" AGAIN "]")) "= name t\n= header Query: x\n" CALL_T("4") MISFIT("4") "= changed\n" REFUSED BYE,
     {.tool = MIRROR, .streams = true}},
    {"the tool is gone by now", MODERN MISFIT("2") "= changed\n" S_LIST("3", "$M") S_REPLY("3", TOOLS("\"tools\":[{\"name\":\"u\"}]")) REFUSED BYE, {.streams = true}},
    {"the list cannot be had", MODERN MISFIT("2") "= changed\n" S_LIST("3", "$M") "! die gone\n" REFUSED "! stop\n", {.streams = true}},
    {"the call is given up meanwhile", MODERN MISFIT("2") "= changed\n" S_LIST("3", "$M") "! drop 0\n" S_REPLY("3", TOOLS("\"tools\":[" AGAIN "]")) BYE, {.streams = true}},
    {"the client ends meanwhile", MODERN MISFIT("2") "= changed\n" S_LIST("3", "$M") "! stop\n" REFUSED "= close\n", {.streams = true}},
    {"tools with wrong annotations are left out", "! list\n= open\n" S_MODERN S_LIST("2", "$M")
     S_REPLY("2", TOOLS("\"tools\":[{\"name\":\"a\",\"inputSchema\":{\"properties\":{\"p\":{\"type\":\"number\",\"x-mcp-header\":\"P\"}}}}, {\"name\":\"b\"}]"))
     "= tools [{\"name\":\"b\"}]\n" BYE, {.streams = true}},
    {"a listener that is behind", MODERN "! pause 0\n= pause 2\n! go 0\n= go 2\n" S_REPLY("2", HI) "= ended 0 \"hi\"\n! pause 0\n" BYE, {.streams = true}},
};
/* clang-format on */

static void run(const struct row *row)
{
    script_run(row->script, &row->options);
}

/* ---- annotations
 * --------------------------------------------------------------------------------- */

#define P(schema) "{\"properties\":{\"p\":" schema "}}"

static const struct fault_row {
    const char *name, *schema, *fault;
} fault_rows[] = {
    {"a string", P("{\"type\":\"string\",\"x-mcp-header\":\"A-b\"}"), NULL},
    {"or null", P("{\"type\":[\"string\",\"null\"],\"x-mcp-header\":\"A\"}"), NULL},
    {"nested", P("{\"properties\":{\"q\":{\"type\":\"integer\",\"x-mcp-header\":\"A\"}}}"), NULL},
    {"a property of that name", "{\"properties\":{\"x-mcp-header\":{\"type\":\"string\"}}}", NULL},
    {"data", P("{\"default\":{\"x-mcp-header\":1},\"enum\":[{\"x-mcp-header\":1}]}"), NULL},
    {"a number", P("{\"type\":\"number\",\"x-mcp-header\":\"A\"}"), "no string, integer"},
    {"an object", P("{\"type\":\"object\",\"x-mcp-header\":\"A\"}"), "no string, integer"},
    {"no type", P("{\"x-mcp-header\":\"A\"}"), "no string, integer"},
    {"empty", P("{\"type\":\"string\",\"x-mcp-header\":\"\"}"), "no name of a header"},
    {"a blank", P("{\"type\":\"string\",\"x-mcp-header\":\"a b\"}"), "no name of a header"},
    {"a break", P("{\"type\":\"string\",\"x-mcp-header\":\"a\\r\\nb\"}"), "no name of a header"},
    {"a NUL", P("{\"type\":\"string\",\"x-mcp-header\":\"a\\u0000\"}"), "no name of a header"},
    {"no text", P("{\"type\":\"string\",\"x-mcp-header\":1}"), "no text"},
    {"twice",
     "{\"properties\":{\"p\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},"
     "\"q\":{\"type\":\"string\",\"x-mcp-header\":\"a\"}}}",
     "there twice"},
    {"in items",
     "{\"properties\":{\"p\":{\"items\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}",
     "no chain of properties"},
    {"in a union",
     "{\"oneOf\":[{\"properties\":{\"p\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}]}",
     "no chain of properties"},
    {"in definitions",
     "{\"$defs\":{\"d\":{\"properties\":{\"p\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}}",
     "no chain of properties"},
    {"at the root", "{\"type\":\"string\",\"x-mcp-header\":\"A\"}", "no chain of properties"},
};

static void run_fault(const struct fault_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text = fer_arena_printf(a, "{\"inputSchema\":%s}", row->schema);
    fer_json *doc;
    assert_int_equal(fer_json_read(a, text, NULL, &doc, NULL), FER_OK);
    const char *fault = fer_mcp_mirror_fault(fer_json_root(doc));
    if (!row->fault) assert_null(fault);
    else if (!fault || !strstr(fault, row->fault)) fail_msg("%s", fault ? fault : "nothing");
    fer_arena_free(a);
}

/* mcp.mirrored: 32 arguments are mirrored, a tool with 33 is not used. */
static void many(void)
{
    for (int extra = 0; extra < 2; extra++) {
        fer_arena *a = fer_arena_new(0);
        fer_json *doc;
        fer_buf b;
        fer_buf_init(&b, a, 1 << 20);
        fer_buf_add_text(&b, "{\"inputSchema\":{\"properties\":{");
        for (int i = 0; i < FER_MCP_MIRRORED_MAX + extra; i++)
            fer_buf_printf(&b, "%s\"p%d\":{\"type\":\"string\",\"x-mcp-header\":\"H%d\"}",
                           i ? "," : "", i, i);
        fer_buf_add_text(&b, "}}}");
        assert_int_equal(fer_json_read(a, fer_buf_view(&b), NULL, &doc, NULL), FER_OK);
        assert_int_equal(fer_mcp_mirror_fault(fer_json_root(doc)) != NULL, extra);
        fer_arena_free(a);
    }
}

/* mcp.rounds: a call is asked ten times, and then it has failed. */
static void rounds(void)
{
    static char script[1 << 16];
    size_t len = (size_t)snprintf(script, sizeof script, "%s", MODERN);
    for (int i = 0; i <= FER_MCP_ROUNDS_MAX; i++) {
        len += (size_t)snprintf(
            script + len, sizeof script - len,
            "< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":" WANTS("\"requestState\":\"s\"") "}\n",
            i + 2);
        if (i < FER_MCP_ROUNDS_MAX)
            len += (size_t)snprintf(
                script + len, sizeof script - len,
                "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{"
                "\"name\":\"t\",\"arguments\":{},\"requestState\":\"s\",$M}}\n",
                i + 3);
    }
    snprintf(script + len, sizeof script - len,
             "= ended 0 ToolFailed sent definite: the tool asks for input, which nobody here can "
             "give\n" BYE);
    script_run(script, NULL);
}

int main(void)
{
    return ROWS_RUN("mcp_asking", rows, run) + ROWS_RUN("mcp_mirror", fault_rows, run_fault) +
           ROWS_ONE("mcp_asking", many) + ROWS_ONE("mcp_asking", rounds);
}
