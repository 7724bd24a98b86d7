/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kind "mcp-http": tools of an MCP server that is reached over Streamable HTTP.
 */
#ifndef FER_BACKEND_MCP_HTTP_H
#define FER_BACKEND_MCP_HTTP_H

#include "http_client.h"
#include "mcp_runner.h"
#include "oauth_pool.h"

/* Everything is copied. */
typedef struct fer_mcp_http_settings {
    fer_str name; /* of the server */
    fer_str url;
    const fer_http_field *fields; /* sent with every request; secrets are resolved already */
    size_t field_count;
    fer_oauth_pool *tokens; /* borrowed: it must outlive the runner; or NULL */
    fer_mcp_care care;
    fer_mcp_times times;
} fer_mcp_http_settings;

/* The HTTP client must outlive the runner, and its rules allow the URL. NULL: no memory. */
FER_MUST_USE fer_runner *fer_mcp_http_runner(uv_loop_t *loop, fer_http *http,
                                             const fer_mcp_http_settings *settings);

#endif
