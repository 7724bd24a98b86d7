/* SPDX-License-Identifier: Apache-2.0 */
#include "link_stdio.h"

#include <string.h>

#include "errors.h"
#include "lines.h"
#include "rpc.h"
#include "sys.h"

#define SAID_MAX 256

typedef struct stdio_link stdio_link;

/*
 * One run of the program. A link whose program has ended may start it again while what is left of
 * the last run is still being ended; it is closed for good when no run is left.
 */
typedef struct child {
    stdio_link *link;
    fer_process *process;
    fer_line_split lines;
    const char *why; /* we end it, as it can no longer be talked to; NULL: it ends by itself */
} child;

struct stdio_link {
    fer_mcp_link base; /* first */
    fer_process_host *host;
    fer_stdio_spec spec;
    child *current; /* NULL: none runs */
    size_t children;
    bool closing;
    char said[SAID_MAX];
    size_t said_len;
    bool said_more; /* than there is room for */
};

/* ---- what a program says
 * ------------------------------------------------------------------------- */

static bool take_line(void *context, fer_str line)
{
    child *c = context;
    stdio_link *l = c->link;
    if (l->current != c || l->closing) return false;
    l->base.events->message(l->base.context, 0, line);
    return l->current == c && !l->closing;
}

static bool pass_line(void *context, fer_str head, fer_str tail)
{
    child *c = context;
    stdio_link *l = c->link;
    if (l->current != c || l->closing) return false;
    l->base.events->too_long(l->base.context, c->lines.max, head, tail);
    return l->current == c && !l->closing;
}

static void on_output(fer_process *p, fer_str bytes)
{
    child *c = fer_process_owner(p);
    stdio_link *l = c->link;
    fer_code code = fer_line_split_feed(&c->lines, bytes, take_line, c);
    if (l->current != c || l->closing) return;
    if (code) l->base.events->starved(l->base.context);
}

static void on_error_line(fer_process *p, fer_str line)
{
    child *c = fer_process_owner(p);
    stdio_link *l = c->link;
    fer_str head = fer_str_head(line, SAID_MAX);
    if (!line.len) return;
    memcpy(l->said, head.ptr, head.len);
    l->said_len = head.len;
    l->said_more = head.len < line.len;
}

/* ---- how it ends
 * ------------------------------------------------------------------------------------ */

/* Whoever closes a pipe mostly does so by ending, which then is seen in a moment. */
#define GRACE_CLOSED ((fer_process_grace){100, 500})

static void end_it(child *c, const char *why, fer_process_grace grace)
{
    if (!c->why) c->why = why;
    fer_process_end(c->process, grace);
}

/* The last line may lack its end; then nothing more can come. */
static void on_output_end(fer_process *p)
{
    child *c = fer_process_owner(p);
    fer_line_split_end(&c->lines, take_line, c);
    end_it(c, "the server closed its standard output", GRACE_CLOSED);
}

static void on_input_lost(fer_process *p, fer_input_loss why)
{
    child *c = fer_process_owner(p);
    if (why == FER_INPUT_STUCK)
        end_it(c, "the server does not read what it is sent", FER_GRACE_CANCEL);
    else end_it(c, "the server closed its standard input", GRACE_CLOSED);
}

static void on_exited(fer_process *p, const fer_exit_state *state)
{
    child *c = fer_process_owner(p);
    stdio_link *l = c->link;
    char text[64];
    if (l->current != c) return;
    l->current = NULL;
    if (l->closing) return;
    if (state->signal)
        snprintf(text, sizeof text, "the server was ended by signal %d", state->signal);
    else snprintf(text, sizeof text, "the server ended with exit code %d", state->code);
    bool ours = c->why && state->asked;
    l->base.events->closed(l->base.context, ours ? FER_CONNECTION_LOST : FER_BACKEND_CRASHED,
                           ours ? c->why : text);
}

static void on_gone(fer_process *p)
{
    child *c = fer_process_owner(p);
    stdio_link *l = c->link;
    fer_line_split_deinit(&c->lines);
    fer_sys_free(c);
    if (--l->children || !l->closing) return;
    l->closing = false;
    l->base.events->closed(l->base.context, FER_OK, "it was closed");
}

static const fer_process_events events = {.on_output = on_output,
                                          .on_output_end = on_output_end,
                                          .on_error_line = on_error_line,
                                          .on_input_lost = on_input_lost,
                                          .on_exit = on_exited,
                                          .on_gone = on_gone};

/* ---- the link
 * ---------------------------------------------------------------------------------------- */

static fer_code start(stdio_link *l, child *c, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_str program = FER_STR_NONE;
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_process_find(a, fer_str_of(l->spec.argv[0]), l->spec.path, &program, err);
    if (!code)
        code = fer_process_start(l->host,
                                 &(fer_process_spec){.program = program.ptr,
                                                     .argv = l->spec.argv,
                                                     .env = l->spec.env,
                                                     .cwd = l->spec.cwd,
                                                     .sha256 = l->spec.sha256,
                                                     .events = &events,
                                                     .owner = c},
                                 &c->process, err);
    fer_arena_free(a);
    return code;
}

static fer_code open_link(fer_mcp_link *base, fer_err *err)
{
    stdio_link *l = (stdio_link *)base;
    child *c = fer_sys_malloc(sizeof *c);
    if (!c) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *c = (child){.link = l};
    fer_line_split_init(&c->lines, l->spec.line_max);
    c->lines.passed = pass_line;
    l->said_len = 0;
    fer_code code = start(l, c, err);
    if (code) {
        fer_line_split_deinit(&c->lines);
        fer_sys_free(c);
        return code;
    }
    l->current = c;
    l->children++;
    return FER_OK;
}

/* A message is one line: a line break can only be between two tokens of JSON, where a blank does.
 */
static fer_code send_message(fer_mcp_link *base, const fer_mcp_out *m, fer_err *err)
{
    stdio_link *l = (stdio_link *)base;
    if (!l->current || l->closing)
        return fer_fail(err, FER_BACKEND_UNAVAILABLE, "the server is not running");
    char *line = fer_sys_malloc(m->json.len + 1);
    if (!line) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memcpy(line, m->json.ptr, m->json.len);
    fer_rpc_join_lines(line, m->json.len);
    line[m->json.len] = '\n';
    fer_code code = fer_process_write(l->current->process, (fer_str){line, m->json.len + 1}, err);
    fer_sys_free(line);
    if (code == FER_LIMIT_EXCEEDED)
        return fer_fail(err, FER_BACKEND_UNAVAILABLE, "the server does not read what it is sent");
    return code;
}

static void close_link(fer_mcp_link *base, bool hurry)
{
    stdio_link *l = (stdio_link *)base;
    fer_process_grace grace = l->spec.grace;
    if (!grace.input_ms && !grace.term_ms) grace = FER_GRACE_STOP;
    l->closing = true;
    if (l->current) fer_process_end(l->current->process, hurry ? FER_GRACE_CANCEL : grace);
    if (l->children) return;
    l->closing = false;
    base->events->closed(base->context, FER_OK, "it was closed");
}

static int pid(const fer_mcp_link *base)
{
    const stdio_link *l = (const stdio_link *)base;
    return l->current ? fer_process_pid(l->current->process) : 0;
}

static fer_str said(const fer_mcp_link *base, bool *cut)
{
    const stdio_link *l = (const stdio_link *)base;
    *cut = l->said_more;
    return (fer_str){l->said, l->said_len};
}

static void free_link(fer_mcp_link *base)
{
    fer_sys_free(base);
}

static const fer_mcp_link_kind kind = {.open = open_link,
                                       .send = send_message,
                                       .close = close_link,
                                       .pid = pid,
                                       .said = said,
                                       .free = free_link};

fer_mcp_link *fer_link_stdio_new(fer_process_host *host, const fer_stdio_spec *spec)
{
    stdio_link *l = fer_sys_malloc(sizeof *l);
    if (!l) return NULL;
    *l = (stdio_link){.base = {.kind = &kind}, .host = host, .spec = *spec};
    return &l->base;
}
