/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The versions of MCP that are spoken, oldest first, and where they differ. Before 2026-07-28 a
 * connection is opened by `initialize` and keeps a state; from then on each request stands alone.
 */
#ifndef FER_MCP_VERSION_H
#define FER_MCP_VERSION_H

#include "str.h"

typedef struct fer_mcp_version {
    const char *name;
    bool modern;  /* no initialize, no sessions; `_meta` on every request, resultType on results */
    bool batches; /* a text may hold several messages */
    bool header;  /* over HTTP, requests name the version in a header */
} fer_mcp_version;

/* The row of a version; NULL: it is not spoken here. */
const fer_mcp_version *fer_mcp_version_find(fer_str name);
/* All of them, the oldest first. */
const fer_mcp_version *fer_mcp_versions(size_t *count);
/* The newest of an era: what is asked for first. */
const fer_mcp_version *fer_mcp_version_newest(bool modern);

/* Keys of `_meta`. */
#define FER_MCP_META_VERSION      "io.modelcontextprotocol/protocolVersion"
#define FER_MCP_META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define FER_MCP_META_CLIENT       "io.modelcontextprotocol/clientInfo"
#define FER_MCP_META_SERVER       "io.modelcontextprotocol/serverInfo"
#define FER_MCP_META_LOG          "io.modelcontextprotocol/logLevel"
#define FER_MCP_META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"
#define FER_MCP_META_TASK         "io.modelcontextprotocol/related-task" /* 2025-11-25 */
#define FER_MCP_TASKS             "io.modelcontextprotocol/tasks" /* the extension of 2026-07-28 */
#define FER_MCP_META_DEADLINE     "ferrule/deadlineMs" /* that are left, when it was sent */
#define FER_MCP_META_IDEMPOTENCY  "ferrule/idempotencyKey"
#define FER_MCP_META_ATTEMPT      "ferrule/attempt"    /* 1, 2 ... of this call */
#define FER_MCP_META_RETRY_OWNER  "ferrule/retryOwner" /* who tries again: nobody else should */

/* Errors that only a modern server gives. */
#define FER_MCP_HEADER_MISMATCH     (-32020)
#define FER_MCP_MISSING_CAPABILITY  (-32021)
#define FER_MCP_UNSUPPORTED_VERSION (-32022)

#endif
