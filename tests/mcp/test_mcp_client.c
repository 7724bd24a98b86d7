/* SPDX-License-Identifier: Apache-2.0 */
/* Transcripts of a client with servers of every era, good and bad. */
#include "script_link.h"

#define ERROR(id, code, text)                                                                      \
    "< {\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" text "\"}}\n"
#define NOTE(method, params)                                                                       \
    "< {\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":" params "}\n"
#define PROGRESS(token, n)                                                                         \
    NOTE("notifications/progress", "{\"progressToken\":" token ",\"progress\":" n "}")
/* Told at once: FER_MCP_PROGRESS_RUN of them. */
#define TOLD(n)   PROGRESS("3", n) "= news 0 {\"progress\":" n "}\n"
#define EIGHT     TOLD("1") TOLD("2") TOLD("3") TOLD("4") TOLD("5") TOLD("6") TOLD("7") TOLD("8")
#define HI        "{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"
#define MODERN_HI "{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"
#define MODERN_CALL(id, name)                                                                      \
    "> {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name  \
    "\",\"arguments\":{},$M}}\n"
#define LISTENING(id, name, args)                                                                  \
    "> {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name  \
    "\",\"arguments\":" args ",\"_meta\":{\"progressToken\":" id "}}}\n"
#define LISTEN(id)                                                                                 \
    "> {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"subscriptions/listen\",\"params\":{"        \
    "\"notifications\":{\"toolsListChanged\":true},$M}}\n"
#define CANCELLED(id)                                                                              \
    "> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id  \
    ",\"reason\":\"ClientCancelled\"}}\n"
#define BEGIN(version) "! call t\n= open\n" S_LEGACY(version) S_CALL("3", "t")
#define BYE            "! stop\n= close\n"
#define TOO_LARGE(call)                                                                            \
    "= ended " call                                                                                \
    " ResourceLimit sent: the server's answer is larger or deeper than allowed: line.size: the limit is 4194304 bytes\n"

static const struct row {
    const char *name, *script;
    script_options options;
} rows[] = {
    /* eras */
    {"2025-11-25", BEGIN("2025-11-25") S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {0}},
    {"2025-06-18", BEGIN("2025-06-18") S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {0}},
    {"2025-03-26", BEGIN("2025-03-26") S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE, {0}},
    {"2024-11-05",
     BEGIN("2024-11-05") S_REPLY(
         "3",
         HI) "= ended 0 \"hi\"\n"
             "! info\n= info 2024-11-05 s/1 noise 0 late 0 foreign 0 refused 0 logs 0 running 0\n" BYE,
     {0}},
    {"2026-07-28",
     "! call t\n= open\n" S_MODERN MODERN_CALL("2", "t") S_REPLY(
         "2",
         MODERN_HI) "= ended 0 \"hi\"\n! info\n"
                    "= info 2026-07-28 m/2 noise 0 late 0 foreign 0 refused 0 logs 0 running 0\n" BYE,
     {0}},
    {"a version that nobody knows",
     "! call t\n= open\n" S_DISCOVER("1") S_UNKNOWN("1") S_INITIALIZE("2") S_WELCOME(
         "2", "2023-01-01",
         "{}") "= ended 0 BackendUnavailable: the server wants a version that is not known here: 2023-01-01\n"
               "= kill\n! stop\n",
     {0}},
    {"a modern version from initialize",
     "! call t\n= open\n" S_DISCOVER("1") S_UNKNOWN("1") S_INITIALIZE("2") S_WELCOME(
         "2", "2026-07-28",
         "{}") "= ended 0 BackendUnavailable: the server wants a version that is not known here: 2026-07-28\n"
               "= kill\n! stop\n",
     {0}},
    {"it names a version that is known here",
     "! call t\n= open\n" S_DISCOVER(
         "1") "< {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"v\","
              "\"data\":{\"supported\":[\"2026-07-28\"]}}}\n" S_DISCOVER("2") S_DISCOVERED(
                  "2", "{}") MODERN_CALL("3", "t") S_REPLY("3", MODERN_HI) "= ended 0 \"hi\"\n" BYE,
     {0}},
    {"and then refuses it",
     "! call t\n= open\n" S_DISCOVER(
         "1") "< {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"v\","
              "\"data\":{\"supported\":[\"2026-07-28\"]}}}\n" S_DISCOVER(
                  "2") "< {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32022,\"message\":\"v\","
                       "\"data\":{\"supported\":[\"2026-07-28\"]}}}\n" S_INITIALIZE("3") ERROR(
                           "3", "-32601",
                           "what?") "= ended 0 BackendUnavailable: the server refuses to begin: what?\n= kill\n! stop\n",
     {0}},
    {"only later versions",
     "! call t\n= open\n" S_DISCOVER(
         "1") "< {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"requested\":"
              "\"2026-07-28\",\"supported\":[\"2031-01-01\"]}}}\n"
              "= ended 0 BackendUnavailable: the server speaks no version that is known here: [\"2031-01-01\"]\n"
              "= kill\n! stop\n",
     {0}},
    {"older versions named by a modern error",
     "! call t\n= open\n" S_DISCOVER(
         "1") "< {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"requested\":"
              "\"2026-07-28\",\"supported\":[\"2025-06-18\"]}}}\n" S_INITIALIZE("2")
                  S_WELCOME("2", "2025-06-18", "{}") S_INITIALIZED S_CALL("3", "t")
                      S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE,
     {0}},
    {"any other error means an older server",
     "! connect\n= open\n" S_DISCOVER("1") ERROR("1", "-32000", "not initialized") S_INITIALIZE("2")
         S_WELCOME("2", "2025-11-25", "{}") S_INITIALIZED BYE,
     {0}},
    {"an empty answer to discover means an older server",
     "! connect\n= open\n" S_DISCOVER("1") S_REPLY("1", "{}") S_INITIALIZE("2")
         S_WELCOME("2", "2025-11-25", "{}") S_INITIALIZED BYE,
     {0}},
    {"silence means an older server",
     "! connect\n= open\n" S_DISCOVER("1") "! wait\n" S_INITIALIZE("2")
         S_WELCOME("2", "2025-11-25", "{}") S_INITIALIZED BYE,
     {.probe_ms = 1}},
    {"discover is answered late",
     "! connect\n= open\n" S_DISCOVER("1") "! wait\n" S_INITIALIZE("2") S_DISCOVERED("1", "{}")
         S_UNKNOWN("2") "! call t\n" MODERN_CALL("3", "t") S_REPLY(
             "3",
             MODERN_HI) "= ended 0 \"hi\"\n! info\n"
                        "= info 2026-07-28 m/2 noise 0 late 1 foreign 0 refused 0 logs 0 running 0\n" BYE,
     {.probe_ms = 1}},
    {"discover is refused late",
     "! connect\n= open\n" S_DISCOVER("1") "! wait\n" S_INITIALIZE("2") S_UNKNOWN("1")
         S_WELCOME("2", "2025-11-25", "{}") S_INITIALIZED BYE,
     {.probe_ms = 1}},
    {"the question kills it: asked without",
     "! connect\n= open\n" S_DISCOVER("1") "! die it ended\n= open\n" S_INITIALIZE("2")
         S_WELCOME("2", "2025-11-25", "{}") S_INITIALIZED BYE,
     {0}},
    {"it dies of everything",
     "! call t\n= open\n" S_DISCOVER("1") "! die it ended\n= open\n" S_INITIALIZE(
         "2") "! die it ended again\n= ended 0 BackendUnavailable: it ended again\n! stop\n",
     {0}},
    {"silence for good",
     "! call t\n= open\n" S_DISCOVER("1") "! wait\n" S_INITIALIZE(
         "2") "! wait\n"
              "= ended 0 BackendUnavailable: the server did not answer in time\n= kill\n! stop\n",
     {.probe_ms = 1, .start_ms = 1500}},
    {"initialize is refused",
     "! call t\n= open\n" S_DISCOVER("1") S_UNKNOWN("1") S_INITIALIZE("2") ERROR(
         "2", "-32603",
         "no licence") "= ended 0 BackendUnavailable: the server refuses to begin: no licence\n= kill\n! stop\n",
     {0}},
    {"it cannot be started",
     "! call t\n= ended 0 BackendUnavailable: no such program\n! stop\n",
     {.unopenable = true}},
    {"it could not be started, and nobody asks again",
     "! call t\n= ended 0 BackendUnavailable: no such program\n! wait\n= rested\n! stop\n",
     {.unopenable = true, .idle_ms = 20}},
    {"nobody asks it anything", "! wait\n= rested\n! stop\n", {.idle_ms = 1}},
    /* HTTP: each request has its stream */
    {"an older server by the look of its HTTP",
     "! connect\n= open\n" S_DISCOVER("1") "! fail 1 401 sent,unknown\n" S_INITIALIZE("2")
         S_WELCOME("2", "2025-11-25", "{}") S_INITIALIZED BYE,
     {.streams = true}},
    {"nobody may connect",
     "! call t\n= open\n" S_DISCOVER(
         "1") "! fail 1 300 sent,refused\n"
              "= ended 0 Unauthenticated refused: it broke\n= kill\n! stop\n",
     {.streams = true}},
    {"an error without an ID on its stream",
     "! connect\n= open\n" S_DISCOVER("1") "< @1 {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"no session\"}}\n" S_INITIALIZE(
         "2") "< @2 {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-11-25\"}}\n" S_INITIALIZED
         BYE,
     {.streams = true}},
    {"the session is gone: agreed again, asked again",
     BEGIN("2025-11-25") "! call u\n" S_CALL("4", "u") "! fail 3 401 sent,refused,lost\n" S_INITIALIZE(
         "5") "! fail 4 401 sent,refused,lost\n" S_WELCOME("5", "2025-11-25", "{}")
         S_INITIALIZED S_CALL("6", "u") S_CALL("7", "t") "= changed\n" S_REPLY(
             "7", HI) "= ended 0 \"hi\"\n! fail 6 401 sent,refused,lost\n"
                      "= ended 1 BackendUnavailable sent refused: it broke\n" BYE,
     {.streams = true}},
    {"a modern server was replaced by an older one",
     "! call t\n= open\n" S_MODERN
         MODERN_CALL("2", "t") "! fail 2 401 sent,refused,unknown\n" S_DISCOVER(
             "3") "! fail 3 401 sent,refused,unknown\n" S_INITIALIZE("4")
             S_WELCOME("4", "2025-11-25", "{}") S_INITIALIZED S_CALL(
                 "5", "t") "= changed\n" S_REPLY("5", HI) "= ended 0 \"hi\"\n" BYE,
     {.streams = true}},
    {"an older server was replaced by a modern one",
     BEGIN("2025-11-25") ERROR("3", "-32022", "what?") S_DISCOVER("4") S_DISCOVERED("4", "{}")
         MODERN_CALL("5", "t") "= changed\n" ERROR(
             "5", "-32022",
             "again?") "= ended 0 ToolFailed sent definite: again? {\"rpcCode\":-32022}\n" BYE,
     {.streams = true}},
    {"a request fails alone",
     BEGIN("2025-11-25") "! call u\n" S_CALL(
         "4", "u") "! fail 3 402 sent\n= ended 0 BackendCrashed sent: it broke\n! fail 4 401\n"
                   "= ended 1 BackendUnavailable: it broke\n" BYE,
     {.streams = true}},
    {"an answer on the stream of another",
     BEGIN("2025-11-25") "! call u\n" S_CALL(
         "4",
         "u") "< @4 {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":" HI "}\n! info\n"
              "= info 2025-11-25 s/1 noise 0 late 1 foreign 0 refused 0 logs 0 running 2\n"
              "! stop\n= ended 0 Cancelled sent: the server is stopped\n= ended 1 Cancelled sent: the server is stopped\n"
              "= close\n",
     {.streams = true}},
    /* answers */
    {"the tool says no",
     BEGIN("2025-11-25") S_REPLY(
         "3",
         "{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}") "= ended 0 ToolFailed sent definite: no\n" BYE,
     {0}},
    {"an error of the protocol",
     BEGIN(
         "2025-11-25") "< {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32602,\"message\":\"no tool t\",\"data\":{\"n\":1e400}}}\n"
                       "= ended 0 ToolFailed sent definite: no tool t {\"rpcCode\":-32602,\"data\":{\"n\":1e400}}\n" BYE,
     {0}},
    {"calls are not known there",
     BEGIN("2025-11-25") S_UNKNOWN(
         "3") "= ended 0 BackendUnavailable sent definite: what? {\"rpcCode\":-32601}\n" BYE,
     {0}},
    {"no result of a call",
     BEGIN("2025-11-25") S_REPLY(
         "3",
         "{}") "= ended 0 InvalidOutput sent definite: the result has neither content nor structuredContent\n" BYE,
     {0}},
    {"it asks for input",
     "! call t\n= open\n" S_MODERN MODERN_CALL("2", "t") S_REPLY(
         "2",
         "{\"resultType\":\"input_required\",\"inputRequests\":{\"a\":{\"method\":\"roots/list\"}}}") "= ended 0 ToolFailed sent definite: the tool asks for input, which nobody here can give: roots/list "
                                                                                                      "{\"a\":{\"method\":\"roots/list\"}}\n" BYE,
     {0}},
    {"answers out of order",
     BEGIN(
         "2025-11-25") "! call u {\"n\":1}\n"
                       "> {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"u\",\"arguments\":{\"n\":1}}}\n" S_REPLY(
                           "4",
                           "{\"structuredContent\":4}") "= ended 1 4\n" S_REPLY("3",
                                                                                "{\"structuredContent\":3}") "= ended 0 3\n" BYE,
     {0}},
    {"a batch of answers (2025-03-26)",
     BEGIN("2025-03-26") "! call u\n" S_CALL(
         "4",
         "u") "< [{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"structuredContent\":4}},7,"
              "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"structuredContent\":3}}]\n= ended 1 4\n= ended 0 3\n"
              "! info\n= info 2025-03-26 s/1 noise 1 late 0 foreign 0 refused 0 logs 0 running 0\n" BYE,
     {0}},
    {"a batch where there are none",
     BEGIN(
         "2025-11-25") "< [{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"structuredContent\":3}}]\n! info\n"
                       "= info 2025-11-25 s/1 noise 1 late 0 foreign 0 refused 0 logs 0 running 1\n" S_REPLY(
                           "3", HI) "= ended 0 \"hi\"\n" BYE,
     {0}},
    /* F37-F44 */
    {"noise around an answer",
     BEGIN("2025-11-25") "< Server running on stdio\n< \n< {}\n< {} {}\n< {\n! noise\n" S_REPLY(
         "3", HI) "= ended 0 \"hi\"\n< bye\n! info\n"
                  "= info 2025-11-25 s/1 noise 7 late 0 foreign 0 refused 0 logs 0 running 0\n" BYE,
     {0}},
    {"an answer that there is no memory to read",
     BEGIN("2025-11-25") "! call t\n" S_CALL(
         "4",
         "t") "<- {\"jsonrpc\":\"2.0\",\"result\":{\"id\":9},\"id\":3}\n"
              "= ended 0 OutOfMemory sent: the server has answered, and there was no memory to read it\n" S_REPLY(
                  "4",
                  HI) "= ended 1 \"hi\"\n! info\n"
                      "= info 2025-11-25 s/1 noise 1 late 0 foreign 0 refused 0 logs 0 running 0\n" BYE,
     {0}},
    {"news that there is no memory to read, and a question",
     BEGIN(
         "2025-11-25") "<- {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n"
                       "<- {\"jsonrpc\":\"2.0\",\"id\":\"s-1\",\"method\":\"roots/list\"}\n"
                       "> {\"jsonrpc\":\"2.0\",\"id\":\"s-1\",\"error\":{\"code\":-32603,\"message\":\"out of memory\"}}\n" S_REPLY(
                           "3", HI) "= ended 0 \"hi\"\n" BYE,
     {0}},
    {"something that there is no memory to read, whosesoever it is",
     BEGIN("2025-11-25") "! call t\n" S_CALL(
         "4",
         "t") "! starved\n"
              "= ended 0 OutOfMemory sent: the server has answered, and there was no memory to read it\n"
              "= ended 1 OutOfMemory sent: the server has answered, and there was no memory to read it\n"
              "! call t\n" S_CALL("5", "t") S_REPLY("5", HI) "= ended 2 \"hi\"\n" BYE,
     {0}},
    {"an answer that is too long, its ID in front",
     BEGIN("2025-11-25") "! call t\n" S_CALL(
         "4", "t") "! long {\"jsonrpc\":\"2.0\",\"id\":4,\"res...\n" TOO_LARGE("1")
         S_REPLY("3", HI) "= ended 0 \"hi\"\n" BYE,
     {0}},
    {"an answer that is too long, its ID at the end",
     BEGIN("2025-11-25") "! call t\n" S_CALL(
         "4",
         "t") "! long {\"result\":{\"id\":4...\"id\":4}},\"jsonrpc\":\"2.0\", \"id\" : 3 }\n" TOO_LARGE("0")
         S_REPLY("4", HI) "= ended 1 \"hi\"\n" BYE,
     {0}},
    {"answers that are too long and whose is not seen",
     BEGIN("2025-11-25") "! call t\n" S_CALL("4", "t") "! long {\"result\":{\"a...,\"id\":3}}\n! long {\"id\":3...}\n! long {\"result\":{...,\"id\":99}\n" S_REPLY(
         "4", HI) "= ended 1 \"hi\"\n! long {\"result\":{\"a...}}\n" TOO_LARGE("0") BYE,
     {0}},
    {"what is too long and no answer",
     BEGIN("2025-11-25") "! long xxx...,\"id\":3}\n! long [{\"id\":3,...\"id\":3}\n! long {\"id\":3,\"method\":\"x\",\"p...\"id\":3}\n" S_REPLY(
         "3", HI) "= ended 0 \"hi\"\n! info\n"
                  "= info 2025-11-25 s/1 noise 3 late 0 foreign 0 refused 0 logs 0 running 0\n" BYE,
     {0}},
    {"answers to nobody",
     BEGIN("2025-11-25") S_REPLY("\"3\"", HI) S_REPLY("99", HI) S_REPLY("-3", HI) S_REPLY("3.0", HI)
         S_REPLY("null", HI) S_REPLY("2", "{}") S_REPLY("3", HI) "= ended 0 \"hi\"\n" S_REPLY(
             "3",
             HI) "! info\n= info 2025-11-25 s/1 noise 2 late 2 foreign 3 refused 0 logs 0 running 0\n" BYE,
     {0}},
    {"an error to nobody",
     BEGIN("2025-11-25") ERROR(
         "null", "-32700",
         "parse") "! info\n"
                  "= info 2025-11-25 s/1 noise 0 late 0 foreign 1 refused 0 logs 0 running 1\n" S_REPLY(
                      "3", HI) "= ended 0 \"hi\"\n" BYE,
     {0}},
    {"what a server may not ask for",
     BEGIN(
         "2025-11-25") "< {\"jsonrpc\":\"2.0\",\"id\":\"s-1\",\"method\":\"sampling/createMessage\",\"params\":{}}\n"
                       "> {\"jsonrpc\":\"2.0\",\"id\":\"s-1\",\"error\":{\"code\":-32601,\"message\":\"this client has not declared "
                       "that it can do this\"}}\n"
                       "< {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n> {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n" S_REPLY(
                           "3",
                           HI) "= ended 0 \"hi\"\n! info\n"
                               "= info 2025-11-25 s/1 noise 0 late 0 foreign 0 refused 1 logs 0 running 0\n" BYE,
     {0}},
    {"a modern server may not ask at all",
     "! connect\n= open\n" S_MODERN
     "< {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n! info\n"
     "= info 2026-07-28 m/2 noise 0 late 0 foreign 0 refused 1 logs 0 running 0\n" BYE,
     {0}},
    {"logs are counted",
     BEGIN("2025-11-25") NOTE("notifications/message", "{\"level\":\"info\",\"data\":\"x\"}")
         NOTE("notifications/resources/list_changed", "{}") S_REPLY(
             "3",
             HI) "= ended 0 \"hi\"\n! info\n"
                 "= info 2025-11-25 s/1 noise 0 late 0 foreign 0 refused 0 logs 2 running 0\n" BYE,
     {0}},
    /* progress */
    {"progress",
     "! listen t {\"a\":1}\n= open\n" S_LEGACY("2025-11-25") LISTENING("3", "t", "{\"a\":1}") NOTE(
         "notifications/progress",
         "{\"progressToken\":3,\"progress\":0.50,\"total\":12345678901234567890,"
         "\"message\":\"half\",\"x\":1}") "= news 0 {\"progress\":0.50,\"total\":12345678901234567890,\"message\":\"half\",\"x\":1}\n" S_REPLY("3",
                                                                                                                                               HI) "= ended 0 \"hi\"\n" BYE,
     {0}},
    {"a flood of it: the first, and the last before the end",
     "! listen t\n= open\n" S_LEGACY("2025-11-25") LISTENING("3", "t", "{}")
         EIGHT PROGRESS("3", "9") PROGRESS("3", "10") PROGRESS("3", "11")
             S_REPLY("3", HI) "= news 0 {\"progress\":11}\n= ended 0 \"hi\"\n" BYE,
     {0}},
    {"a flood of it: the newest after a while",
     "! listen t\n= open\n" S_LEGACY("2025-11-25") LISTENING("3", "t", "{}")
         EIGHT PROGRESS("3", "9")
             PROGRESS("3", "10") "! wait\n= news 0 {\"progress\":10}\n" S_REPLY(
                 "3", HI) "= ended 0 \"hi\"\n" BYE,
     {0}},
    {"progress of others, and after the end",
     "! listen t\n= open\n" S_LEGACY("2025-11-25") LISTENING("3", "t", "{}") PROGRESS(
         "\"3\"", "1") PROGRESS("4", "1") PROGRESS("2", "1") PROGRESS("3", "\"1\"")
         S_REPLY("3", HI) "= ended 0 \"hi\"\n" PROGRESS(
             "3",
             "2") "! info\n"
                  "= info 2025-11-25 s/1 noise 1 late 2 foreign 2 refused 0 logs 0 running 0\n" BYE,
     {0}},
    /* cancelling */
    {"cancelled on the way",
     BEGIN("2025-11-25") "! drop 0\n" CANCELLED("3") S_REPLY(
         "3", HI) "! info\n"
                  "= info 2025-11-25 s/1 noise 0 late 1 foreign 0 refused 0 logs 0 running 0\n" BYE,
     {0}},
    {"cancelled before it was sent",
     "! call t\n= open\n" S_DISCOVER("1") "! drop 0\n" S_UNKNOWN("1") S_INITIALIZE("2")
         S_WELCOME("2", "2025-11-25", "{}") S_INITIALIZED BYE,
     {0}},
    {"cancelled at a modern server, by pipe",
     "! call t\n= open\n" S_MODERN MODERN_CALL("2", "t") "! drop 0\n" CANCELLED("2") BYE,
     {0}},
    {"cancelled at a modern server, by HTTP",
     "! call t\n= open\n" S_MODERN MODERN_CALL("2", "t") "! drop 0\n= abandon 2\n" BYE,
     {.streams = true}},
    {"cancelled at an older server, by HTTP",
     BEGIN("2025-11-25") "! drop 0\n" CANCELLED("3") "= abandon 3\n" BYE,
     {.streams = true}},
    {"cancelled with news waiting",
     "! listen t\n= open\n" S_LEGACY("2025-11-25") LISTENING("3", "t", "{}")
         EIGHT PROGRESS("3", "9") "! drop 0\n" CANCELLED("3") BYE,
     {0}},
    /* losing */
    {"it dies: the call fails, the next one starts it",
     BEGIN(
         "2025-11-25") "! die ended by signal 9\n"
                       "= ended 0 BackendCrashed sent: ended by signal 9\n! call u\n= open\n" S_INITIALIZE(
                           "4") S_WELCOME("4", "2025-11-25", "{}")
                           S_INITIALIZED S_CALL("5", "u") "= changed\n" S_REPLY(
                               "5", HI) "= ended 1 \"hi\"\n" BYE,
     {0}},
    {"it dies twice: then there is a pause",
     BEGIN(
         "2025-11-25") "! die one\n= ended 0 BackendCrashed sent: one\n"
                       "! call u\n= open\n" S_INITIALIZE("4") S_WELCOME("4", "2025-11-25", "{}")
                           S_INITIALIZED S_CALL(
                               "5",
                               "u") "= changed\n! die two\n= ended 1 BackendCrashed sent: two\n! call v\n"
                                    "= ended 2 BackendUnavailable: the server is not tried again for *\n! stop\n",
     {0}},
    {"the era is remembered",
     "! connect\n= open\n" S_MODERN "! die one\n! connect\n= open\n" S_DISCOVER("2")
         S_DISCOVERED("2", "{}") "= changed\n" BYE,
     {0}},
    {"stopped with a call under way and one that waits",
     "! call t\n= open\n" S_DISCOVER(
         "1") "! stop\n= ended 0 Cancelled: the server is stopped\n= close\n",
     {0}},
    {"nothing after it was stopped",
     "! stop\n! call t\n= ended 0 BackendUnavailable: the server is being stopped\n",
     {0}},
    /* lists */
    {"two pages",
     "! list\n= open\n" S_LEGACY("2025-11-25") S_LIST("3", "") S_REPLY(
         "3",
         "{\"tools\":[{\"name\":\"a\",\"x\":1.0}, {\"name\":\"b\"}],\"nextCursor\":\"p\\u0032\"}")
         S_LIST("4", "\"cursor\":\"p\\u0032\"") S_REPLY(
             "4",
             "{\"tools\":[{\"name\":\"c\"}]}") "= tools [{\"name\":\"a\",\"x\":1.0},{\"name\":\"b\"},{\"name\":\"c\"}]\n" BYE,
     {0}},
    {"an empty cursor is a cursor, null is none",
     "! list\n= open\n" S_LEGACY("2025-11-25") S_LIST("3", "")
         S_REPLY("3", "{\"tools\":[],\"nextCursor\":\"\"}") S_LIST("4", "\"cursor\":\"\"")
             S_REPLY("4", "{\"tools\":[],\"nextCursor\":null}") "= tools []\n" BYE,
     {0}},
    {"cursors in a circle",
     "! list\n= open\n" S_LEGACY("2025-11-25") S_LIST("3", "") S_REPLY(
         "3", "{\"tools\":[],\"nextCursor\":\"a\"}") S_LIST("4", "\"cursor\":\"a\"")
         S_REPLY("4", "{\"tools\":[],\"nextCursor\":\"b\"}") S_LIST("5", "\"cursor\":\"b\"") S_REPLY(
             "5",
             "{\"tools\":[],\"nextCursor\":\"a\"}") "= tools InvalidOutput: the server's cursors go in a circle\n" BYE,
     {0}},
    {"a modern list",
     "! list\n= open\n" S_MODERN S_LIST("2", "$M") S_REPLY(
         "2",
         "{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"public\",\"tools\":[],\"nextCursor\":\"n\"}")
         S_LIST("3", "\"cursor\":\"n\",$M") S_REPLY("3", "{\"tools\":[{}]}") "= tools [{}]\n" BYE,
     {0}},
    {"a server without tools",
     "! list\n= open\n" S_LEGACY("2025-11-25") S_LIST("3", "") S_UNKNOWN("3") "= tools []\n" BYE,
     {0}},
    {"a list that is none",
     "! list\n= open\n" S_LEGACY("2025-11-25") S_LIST("3", "") S_REPLY(
         "3",
         "{\"tools\":{}}") "= tools InvalidOutput: the server's list of tools is no list\n" BYE,
     {0}},
    {"a list that takes too long",
     "! list\n= open\n" S_LEGACY("2025-11-25")
         S_LIST("3", "") "! wait\n"
                         "= tools Timeout: the list of tools took too long\n" BYE,
     {.list_ms = 1}},
    {"the server dies while it lists",
     "! list\n= open\n" S_LEGACY("2025-11-25")
         S_LIST("3", "") "! die gone\n"
                         "= tools BackendCrashed: gone\n! stop\n",
     {0}},
    /* list_changed */
    {"changes are told once until listed again",
     "! connect\n= open\n" S_LEGACY("2025-11-25")
         NOTE("notifications/tools/list_changed", "{}") "= changed\n" NOTE(
             "notifications/tools/list_changed", "{}") "! list\n" S_LIST("3", "")
             NOTE("notifications/tools/list_changed",
                  "{}") "= changed\n" S_REPLY("3", "{\"tools\":[]}") "= tools []\n" BYE,
     {0}},
    {"a modern server is listened to",
     "! connect\n= open\n" S_DISCOVER("1") S_DISCOVERED("1", "{\"listChanged\":true}") LISTEN(
         "2") NOTE("notifications/subscriptions/acknowledged",
                   "{}") NOTE("notifications/tools/list_changed",
                              "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":7}}")
         NOTE("notifications/tools/list_changed", "{}") NOTE(
             "notifications/tools/list_changed",
             "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":2}}") "= changed\n! info\n= info 2026-07-28 m/2 noise 0 late 0 foreign 2 refused 0 logs 0 running 1\n"
                                                                           "! list\n" S_LIST("3",
                                                                                             "$M")
                                                                               S_REPLY("2", "{\"resultType\":\"complete\"}") "= changed\n" S_REPLY(
                                                                                   "3",
                                                                                   "{\"tools\":[]}") "= tools []\n! wait\n" LISTEN("4")
                                                                                   BYE,
     {0}},
    {"what cannot be listened to",
     "! connect\n= open\n" S_DISCOVER("1") S_DISCOVERED("1", "{\"listChanged\":true}") LISTEN("2")
         S_UNKNOWN("2") BYE,
     {0}},
};

static void run(const struct row *row)
{
    script_run(row->script, &row->options);
}

int main(void)
{
    return ROWS_RUN("mcp_client", rows, run);
}
