/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "errors.h"
#include "sandbox_parts.h"

struct probe {
    fer_sandbox_report *out;
    fer_code code;
    fer_err *err;
};

static void on_end(fer_sandbox *s, const fer_sandbox_end *end)
{
    struct probe *p = fer_sandbox_owner(s);
    *p->out = *fer_sandbox_report_get(s);
    if (end->cause != FER_SANDBOX_NOT_STARTED) return;
    p->code = fer_fail(p->err, end->why.code, "%s", end->why.message);
}

static const fer_sandbox_events events = {.on_end = on_end};

static fer_code run_probe(uv_loop_t *loop, struct probe *p)
{
    fer_process_host *processes;
    fer_sandbox_host *host = NULL;
    fer_sandbox *s;
    fer_sandbox_spec spec = {
        .no_input = true, .proc = true, .allow_degraded = true, .events = &events, .owner = p};
    fer_code code = fer_process_host_new(loop, NULL, &processes, p->err);
    if (code) return code;
    code = fer_sandbox_host_new(processes, &host, p->err);
    if (!code) code = fer_sandbox_begin(host, &spec, true, &s, p->err);
    uv_run(loop, UV_RUN_DEFAULT);
    fer_sandbox_host_free(host);
    fer_process_host_free(processes);
    uv_run(loop, UV_RUN_DEFAULT);
    return code ? code : p->code;
}

fer_code fer_sandbox_probe(fer_sandbox_report *out, fer_err *err)
{
    uv_loop_t loop;
    struct probe p = {.out = out, .err = err};
    memset(out, 0, sizeof *out);
    if (uv_loop_init(&loop) != 0)
        return fer_fail(err, FER_RESOURCE_LIMIT, "the system gives no event loop");
    fer_code code = run_probe(&loop, &p);
    uv_loop_close(&loop);
    return code;
}
