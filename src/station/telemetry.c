/* SPDX-License-Identifier: Apache-2.0 */
/* What a station tells about calls: its log and its traces. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "call_log.h"
#include "errors.h"
#include "file.h"
#include "gateway_parts.h"
#include "station_parts.h"
#include "sys.h"

/* ---- the log --------------------------------------------------------------------------------- */

void fer_station_close_log(fer_station *s)
{
    if (s->log.fd != s->wants.log.fd) fer_sys_close(s->log.fd);
    s->log.fd = s->wants.log.fd;
}

static fer_code open_log(fer_arena *a, fer_str path, int *out, fer_err *err)
{
    fer_str name = fer_arena_copy(a, path);
    if (!name.ptr) return fer_arena_failed(a, err);
    *out = fer_sys_open(name.ptr, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*out >= 0) return FER_OK;
    return fer_fail(err, FER_IO_ERROR, "the log cannot be written to %s: %s", name.ptr,
                    strerror(errno));
}

fer_code fer_station_take_log(fer_station *s, const fer_config *c, fer_err *err)
{
    fer_log log = s->wants.log;
    if (c->log_level.len && !s->wants.level_named) fer_log_level_parse(c->log_level, &log.level);
    if (c->log_file.len) {
        fer_code code = open_log(s->config_arena, c->log_file, &log.fd, err);
        if (code) return code;
        log.pretty = log.colour = false;
    }
    if (c->log_format.len) log.pretty = fer_str_is(c->log_format, "text");
    fer_station_close_log(s);
    s->log = log;
    return FER_OK;
}

static void log_call(void *context, const fer_call_report *r)
{
    const fer_station *s = context;
    fer_call_log(&s->log, r);
}

static void log_late(void *context, const fer_late_report *r)
{
    const fer_station *s = context;
    fer_call_log_late(&s->log, r);
}

/* Before the calls that it had, so that the log says how long those took from then on. */
static void log_lost(void *context, const fer_runner *r, fer_code code, const char *why,
                     size_t running)
{
    const fer_station *s = context;
    fer_log_write(&s->log, FER_LOG_WARN, "backend.lost",
                  (const struct fer_log_field[]){
                      FER_LOG_S("backend", r->name),
                      FER_LOG_S("error.code", fer_str_of(fer_code_info(code)->name)),
                      FER_LOG_S("reason", fer_str_of(why)),
                      FER_LOG_I("running", running),
                      {0}});
}

/* ---- traces ---------------------------------------------------------------------------------- */

fer_code fer_station_trace_options(fer_station *s, fer_arena *a, const fer_config *c,
                                   fer_trace_options *out, fer_err *err)
{
    fer_trace_header *list = fer_arena_alloc_zero(a, c->otlp_headers.count + 1, sizeof *list);
    fer_code code = FER_OK;
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; !code && i < c->otlp_headers.count; i++) {
        list[i].name = c->otlp_headers.list[i].name;
        code = fer_station_value(s, a, c, &c->otlp_headers.list[i].value, &list[i].value, err);
    }
    *out = (fer_trace_options){c->otlp_endpoint, list, c->otlp_headers.count};
    return code;
}

fer_code fer_station_watch(fer_station *s, fer_err *err)
{
    fer_trace_options o;
    fer_code code = fer_gateway_observe_ends(s->gateway, log_call, s, err);
    if (!code) code = fer_gateway_observe_late(s->gateway, log_late, s, err);
    fer_gateway_on_lost(s->gateway, log_lost, s);
    if (code || !s->config.otlp_endpoint.len) return code;
    code = fer_station_trace_options(s, s->config_arena, &s->config, &o, err);
    return code ? code : fer_gateway_export_traces(s->gateway, &o, err);
}
