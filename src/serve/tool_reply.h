/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers to tools/call. What a tool, a policy or a check of arguments says no to is a result with
 * isError and a text that a model can repair from, and the machine's form of it in
 * _meta["ferrule/error"]; only what is no call of a tool at all is an error of JSON-RPC.
 */
#ifndef FER_TOOL_REPLY_H
#define FER_TOOL_REPLY_H

#include "serve_parts.h"

#define FER_META_ERROR "ferrule/error" /* key of _meta */

/* What a call of a tool under its own name gave: bytes of an MCP server are passed on as they are.
 */
void fer_reply_envelope(fer_ask *q, const fer_envelope *e);
void fer_reply_error(fer_ask *q, const fer_call_error *e, fer_str tool_id);
/* The same for a failure of ours. */
void fer_reply_err(fer_ask *q, const fer_err *err, const char *op, fer_str tool_id);
/* A result of an MCP server as it came, with what this version demands of every result added where
 * it has none; `cached`: also how long it is good for. */
void fer_reply_pass(fer_ask *q, fer_str result, bool cached);
/* The same for a result that asks for input: its requestState becomes one of ours. */
void fer_reply_input(fer_ask *q, fer_str result);
/* The text of a document with another text in place of a value, or without a member of an object in
 * it. Empty: no memory. */
fer_str fer_text_with(fer_arena *a, const fer_json *doc, const yyjson_val *value, fer_str text);
fer_str fer_text_without(fer_arena *a, const fer_json *doc, const yyjson_val *object,
                         const char *key);
/* An error of JSON-RPC for what could not be had from a server. */
void fer_reply_fault(fer_ask *q, fer_code code, fer_str message, int64_t retry_after_ms);
/* A value, as structuredContent where the version has it, and as text; `content`, JSON, in place of
 * the text where it is not empty. */
void fer_reply_value(fer_ask *q, fer_str json, fer_str content);

#endif
