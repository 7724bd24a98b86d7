/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One MCP server that the command line names, as its client sees it: a URL, or a command that is
 * started. Nothing of the gateway stands between: what is asked is what the server gets, and what
 * it answers is given as it came.
 *
 *     --server https://example.com/mcp        --server 'npx -y some-server'
 *     --token REFERENCE  --header 'NAME: VALUE'  --env NAME=VALUE  --timeout MS
 *
 * Values of --token, --header and --env may be references to secrets (secret.h). A program gets the
 * variables that programs of a configuration get, and those of --env. No error of the server's
 * shows such a secret, nor does what it printed last. Without --token, the token of the environment
 * (FERRULE_TOKEN) is shown to servers of the loopback, and to no others. Without either, tokens of
 * ferrule auth login are.
 *
 * Each request waits for its end; Ctrl-C gives it up. One thread.
 */
#ifndef FER_REMOTE_H
#define FER_REMOTE_H

#include <uv.h>

#include "command.h"
#include "http_client.h"
#include "mcp_client.h"
#include "oauth_desk.h"
#include "process.h"
#include "secret_net.h"

#define FER_REMOTE_WORDS   256     /* of a command line */
#define FER_REMOTE_MS      60000   /* for one request, where nobody says otherwise */
#define FER_REMOTE_MS_MAX  3600000 /* at most */
#define FER_REMOTE_VARIETY 64      /* values of --header, and so of --env */

/* What may be added to what the command line says. */
typedef struct fer_remote_options {
    fer_str capabilities; /* that are offered; empty: none */
    bool (*asked)(void *context, fer_mcp_question *q);
    void *context;
    /* How tokens for a URL are got; NULL: as ferrule auth login has left them. */
    const fer_oauth_options *oauth;
} fer_remote_options;

typedef struct fer_remote {
    fer_app *app;
    fer_remote_options options;
    fer_arena *arena;
    fer_net *net; /* secrets that the server was given */
    uv_loop_t loop;
    uv_signal_t interrupt;
    uv_timer_t limit;
    fer_net_rules *rules;
    fer_http *http;
    fer_oauth_desk desk;
    fer_oauth *oauth; /* or NULL */
    fer_process_host *host;
    fer_mcp_client *client;
    int64_t timeout_ms;
    bool begun, interrupted, late, closed, waiting;
    fer_mcp_outcome *outcome; /* of the call that is waited for */
} fer_remote;

/*
 * `words` are a URL, or a command: one word that is taken apart as a shell would without its
 * substitutions, or several as they are. Nothing is connected yet. 0, or an exit code.
 */
int fer_remote_open(fer_remote *r, fer_app *app, const char *const *words, size_t count,
                    const fer_remote_options *o);
void fer_remote_close(fer_remote *r);

/* The tools, a JSON list, each byte for byte. */
fer_code fer_remote_tools(fer_remote *r, fer_str *tools, fer_err *err);
/* Makes a request: all that the caller of fer_mcp_client_call fills, but arena and end. */
fer_code fer_remote_call(fer_remote *r, fer_mcp_call *k, fer_mcp_outcome *out, fer_err *err);
/* What the server is, as far as it said. */
void fer_remote_info(const fer_remote *r, fer_mcp_info *info, fer_str *hello);

/* A command line taken apart: blanks between words, quotes of both kinds and backslashes as in a
 * shell; nothing is substituted. NULL ends it. FER_BAD_USAGE: a quote is open, or it is empty. */
fer_code fer_command_words(fer_arena *a, fer_str text, const char *out[FER_REMOTE_WORDS + 1],
                           size_t *count, fer_err *err);

#endif
