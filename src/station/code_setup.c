/* SPDX-License-Identifier: Apache-2.0 */
#include "code_setup.h"

#include "code.h"
#include "errors.h"
#include "rt_container.h"
#include "rt_js.h"
#include "rt_process.h"
#include "rt_wasm.h"
#include "station_parts.h"

/* What is being made. */
typedef struct making {
    uv_loop_t *loop;
    const fer_config_code *config;
    fer_runtime *list[FER_CODE_RUNTIMES];
    size_t count;
    int64_t bounds[FER_BOUNDS];
    fer_box_spec box; /* where programs run */
    bool serves;      /* for as long as clients come */
    const fer_log *log;
} making;

static fer_code take(making *m, fer_runtime *r, fer_str name, fer_err *err)
{
    if (!r)
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory for the runtime %.*s",
                        FER_PRI(name));
    m->list[m->count++] = r;
    return FER_OK;
}

static fer_code make_js(making *m, fer_err *err)
{
    fer_js_settings o = {.box = m->box};
    o.warm = !m->serves ? 0 : m->config->has_warm ? m->config->warm : FER_JS_WARM;
    memcpy(o.bounds, m->bounds, sizeof o.bounds);
    return take(m, fer_js_runtime(m->loop, FER_STR("js"), &o), FER_STR("js"), err);
}

/* What the operator names beside js: one function for each kind. */
static fer_code make_process(making *m, const fer_config_runtime *c, fer_err *err)
{
    fer_process_settings o = {.box = m->box,
                              .command = c->command,
                              .command_count = c->command_count,
                              .binds = c->binds,
                              .bind_count = c->bind_count,
                              .python = fer_str_is(c->helper, "python"),
                              .jit = c->jit};
    if (fer_str_is(c->kind, "unsafe")) o.box.sandboxes = NULL;
    return take(m, fer_process_runtime(m->loop, c->name, &o), c->name, err);
}

static fer_code make_wasm(making *m, const fer_config_runtime *c, fer_err *err)
{
    fer_wasm_settings o = {.box = m->box,
                           .engine = c->engine,
                           .command = c->command,
                           .command_count = c->command_count,
                           .binds = c->binds,
                           .bind_count = c->bind_count};
    return take(m, fer_wasm_runtime(m->loop, c->name, &o), c->name, err);
}

static fer_code make_container(making *m, const fer_config_runtime *c, fer_err *err)
{
    fer_container_settings o = {.socket = c->socket,
                                .image = c->image,
                                .command = c->command,
                                .command_count = c->command_count,
                                .python = fer_str_is(c->helper, "python"),
                                .sweep = m->serves,
                                .log = m->log,
                                .wait_ms = FER_CONTAINER_WAIT_MS,
                                .sweep_ms = FER_CONTAINER_SWEEP_MS};
    return take(m, fer_container_runtime(m->loop, c->name, &o), c->name, err);
}

static const struct kind_row {
    const char *kind;
    fer_code (*make)(making *m, const fer_config_runtime *c, fer_err *err);
} kind_rows[] = {
    {"process", make_process},
    {"wasm", make_wasm},
    {"container", make_container},
    {"unsafe", make_process},
};

static fer_code make_runtime(making *m, const fer_config_runtime *c, fer_err *err)
{
    if (m->count == FER_CODE_RUNTIMES)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "code.runtimes: there are at most %d",
                        FER_CODE_RUNTIMES);
    for (size_t i = 0; i < FER_COUNT(kind_rows); i++)
        if (fer_str_is(c->kind, kind_rows[i].kind)) return kind_rows[i].make(m, c, err);
    return fer_fail(err, FER_BAD_USAGE, "nobody knows the kind of runtime \"%.*s\"",
                    FER_PRI(c->kind));
}

/* What the operator's own commands have without a word in the configuration, where there is room.
 */
static const fer_config_runtime own_wasm = {.name = {"wasm", 4}, .kind = {"wasm", 4}};

static bool has_runtime(const making *m, fer_str name)
{
    for (size_t i = 0; i < m->count; i++)
        if (fer_str_eq(m->list[i]->name, name)) return true;
    return false;
}

static fer_sandbox_profile profile_of(fer_str name)
{
    for (int i = 0; i <= FER_SANDBOX_HARDENED; i++)
        if (fer_str_is(name, fer_sandbox_profile_names[i])) return (fer_sandbox_profile)i;
    return FER_SANDBOX_STANDARD;
}

fer_code fer_station_code(fer_station *s, const fer_config *c, fer_err *err)
{
    making m = {.loop = fer_gateway_loop(s->gateway),
                .config = &c->code,
                .serves = s->wants.search,
                .log = &s->log};
    fer_code code = FER_OK;
    if (!c->code.enabled && !s->wants.code)
        return fer_station_forget(s, FER_BACKEND_LOCAL, FER_STR(FER_CODE_NS), FER_STR(FER_CODE_NS),
                                  NULL, err);
    for (int i = 0; i < FER_BOUNDS; i++)
        m.bounds[i] = c->code.limits[i] ? c->code.limits[i] : fer_bounds[i].otherwise;
    if (!s->sandboxes) code = fer_sandbox_host_new(s->host, &s->sandboxes, err);
    if (code) return code;
    m.box = (fer_box_spec){.processes = s->host,
                           .sandboxes = s->sandboxes,
                           .profile = profile_of(c->code.profile),
                           .allow_degraded = c->code.allow_degraded || s->wants.degraded};
    code = make_js(&m, err);
    for (size_t i = 0; !code && i < c->code.runtime_count; i++)
        code = make_runtime(&m, &c->code.runtimes[i], err);
    if (!code && s->wants.code && m.count < FER_CODE_RUNTIMES && !has_runtime(&m, own_wasm.name))
        code = make_runtime(&m, &own_wasm, err);
    fer_code_options o = {
        .runtimes = m.list, .runtime_count = m.count, .reentrant = c->code.reentrant};
    memcpy(o.bounds, m.bounds, sizeof o.bounds);
    if (!code) return fer_gateway_add_code(s->gateway, &o, err);
    for (size_t i = 0; i < m.count; i++) m.list[i]->kind->free(m.list[i]); /* none has begun */
    return code;
}

fer_code fer_station_recode(fer_station *s, const fer_config *now, fer_err *err)
{
    fer_runner *old = fer_gateway_runner(s->gateway, FER_BACKEND_LOCAL, FER_STR(FER_CODE_NS));
    if (old) fer_gateway_retire_runner(s->gateway, old, NULL, NULL);
    return fer_station_code(s, now, err);
}

fer_code fer_code_setup_probe(const fer_config_runtime *c, char *found, size_t size, fer_err *err)
{
    uv_loop_t loop;
    fer_buf b;
    making m = {.loop = &loop};
    if (uv_loop_init(&loop)) return fer_fail(err, FER_RESOURCE_LIMIT, "no descriptors are left");
    fer_code code = make_runtime(&m, c, err);
    if (!code) {
        fer_runtime *r = m.list[0];
        fer_buf_init_fixed(&b, found, size - 1);
        r->kind->info(r, NULL, &b);
        found[b.len] = '\0';
        code = r->kind->probe(r, err);
        r->kind->free(r);
    }
    uv_run(&loop, UV_RUN_DEFAULT); /* what is closing closes */
    uv_loop_close(&loop);
    return code;
}
