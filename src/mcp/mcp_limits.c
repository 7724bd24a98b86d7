/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_limits.h"

#include "link_http.h"
#include "mcp_client.h"
#include "mcp_mirror.h"
#include "rpc.h"

const fer_limit_row fer_mcp_limit_rows[] = {
    {"rpc.batch", FER_RPC_BATCH_MAX, "messages of one batch (2025-03-26)"},
    {"mcp.start", FER_MCP_START_MS, "milliseconds until an MCP server can be asked"},
    {"mcp.probe", FER_MCP_PROBE_MS, "milliseconds of it for an answer to server/discover"},
    {"mcp.list", FER_MCP_LIST_MS, "milliseconds for the list of a server's tools"},
    {"mcp.list_size", FER_MCP_LIST_MAX, "bytes of that list"},
    {"mcp.tools", FER_MCP_TOOLS_MAX, "tools of one server"},
    {"mcp.pages", FER_MCP_PAGES_MAX, "pages of its list"},
    {"mcp.waiting", FER_MCP_WAITING_MAX, "requests that wait until a server can be asked"},
    {"mcp.progress", FER_MCP_PROGRESS_MAX, "bytes of a server's news; larger ones are dropped"},
    {"mcp.news", FER_MCP_PROGRESS_MS, "milliseconds between two news of one call"},
    {"mcp.replies", FER_MCP_REPLIES_MAX, "answers in a second to what a server asks"},
    {"mcp.pause", FER_MCP_PAUSE_MAX, "milliseconds until a lost server is tried again, at most"},
    {"mcp.rounds", FER_MCP_ROUNDS_MAX, "times that one call is asked for input"},
    {"mcp.questions", FER_MCP_QUESTIONS_MAX, "questions of one server that wait for an answer"},
    {"mcp.news_run", FER_MCP_PROGRESS_RUN, "news of one call that are told without a pause"},
    {"mcp.watched", FER_MCP_WATCHED_MAX, "resources and tasks of one server that are watched"},
    {"mcp.said", FER_MCP_SAID_MAX, "bytes of a server's capabilities, and of its instructions"},
    {"mcp.ttl", FER_MCP_TTL_MAX, "milliseconds that a server's list is good for, at most"},
    {"mcp.dropped", FER_MCP_DROPPED_MAX,
     "calls of one server that were given up and whose late answers are noted"},
    {"mcp.mirrored", FER_MCP_MIRRORED_MAX, "arguments of a tool that go into headers"},
    {"link.session", FER_LINK_SESSION_MAX, "bytes of the ID of a session"},
    {"link.pause", FER_LINK_PAUSE_MAX,
     "milliseconds until a stream is taken up again, unless the server asks for more"},
    {"link.posts", FER_LINK_POSTS_MAX, "requests to one server over HTTP at a time"},
};
const size_t fer_mcp_limit_row_count = FER_COUNT(fer_mcp_limit_rows);
