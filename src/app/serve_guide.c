/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_guide.h"

#include <string.h>

void fer_guide_write(fer_out *out, const fer_guide *g)
{
    const char *open = strchr(g->address, ':') ? "[" : "", *close = open[0] ? "]" : "";
    const char *scheme = g->secure ? "https" : "http";
    fer_out_printf(out, "URL     %s://%s%s%s:%u/mcp\n", scheme, open, g->address, close, g->port);
    if (g->known)
        fer_out_text(out,
                     "Token   the one that was shown when it was made, here as $FERRULE_TOKEN; "
                     "ferrule token new NAME makes another\n");
    else if (g->token[0]) fer_out_printf(out, "Token   %s\n", g->token);
    fer_out_printf(out,
                   "\nFor a client's configuration:\n\n{\"mcpServers\": {\"ferrule\": {\"type\": "
                   "\"http\", \"url\": \"%s://%s%s%s:%u/mcp\"",
                   scheme, open, g->address, close, g->port);
    if (g->token[0])
        fer_out_printf(out, ", \"headers\": {\"Authorization\": \"Bearer %s\"}", g->token);
    fer_out_text(out, "}}}\n\n");
    if (g->known)
        fer_out_text(out, "Cursor, VS Code and Windsurf write ${env:FERRULE_TOKEN} for it; ferrule "
                          "install CLIENT --http URL writes what each client takes.\n\n");
    fer_out_text(out, "Try it:\n\n");
    fer_out_printf(out, "curl -s %s://%s%s%s:%u/mcp", scheme, open, g->address, close, g->port);
    if (g->token[0]) fer_out_printf(out, " -H \"Authorization: Bearer %s\"", g->token);
    fer_out_text(
        out, " -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28'"
             " -H 'Mcp-Method: tools/call' -H 'Mcp-Name: search_tools'"
             " -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
             "\"search_tools\",\"arguments\":{\"query\":\"count words\"},\"_meta\":{"
             "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}}}}'\n\n");
}
