/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_guide.h"

#include <string.h>

void fer_guide_write(fer_out *out, const fer_guide *g)
{
    const char *open = strchr(g->address, ':') ? "[" : "", *close = open[0] ? "]" : "";
    fer_out_printf(out, "URL     http://%s%s%s:%u/mcp\n", open, g->address, close, g->port);
    if (g->token[0]) fer_out_printf(out, "Token   %s\n", g->token);
    fer_out_printf(out,
                   "\nFor a client's configuration:\n\n{\"mcpServers\": {\"ferrule\": {\"type\": "
                   "\"http\", \"url\": \"http://%s%s%s:%u/mcp\"",
                   open, g->address, close, g->port);
    if (g->token[0])
        fer_out_printf(out, ", \"headers\": {\"Authorization\": \"Bearer %s\"}", g->token);
    fer_out_text(out, "}}}\n\nTry it:\n\n");
    fer_out_printf(out, "curl -s http://%s%s%s:%u/mcp", open, g->address, close, g->port);
    if (g->token[0]) fer_out_printf(out, " -H \"Authorization: Bearer %s\"", g->token);
    fer_out_text(
        out, " -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28'"
             " -H 'Mcp-Method: tools/call' -H 'Mcp-Name: search_tools'"
             " -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
             "\"search_tools\",\"arguments\":{\"query\":\"count words\"},\"_meta\":{"
             "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}}}}'\n\n");
}
