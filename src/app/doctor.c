/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"

#include <stdarg.h>
#include <stdio.h>

#include "errors.h"
#include "station_parts.h"

const char *const fer_doctor_states[FER_DOCTOR_STATES] = {"ok", "skipped", "warning", "wrong"};

void fer_doctor_tell(fer_doctor *d, fer_health_of state, fer_str subject, fer_str hint,
                     const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fer_doctor_result *list = fer_arena_room(d->arena, d->results, d->count, &d->cap, sizeof *list);
    fer_doctor_result r = {.check = d->check,
                           .state = state,
                           .subject = fer_arena_copy(d->arena, subject),
                           .message = fer_arena_copy(d->arena, fer_str_of(text)),
                           .hint = fer_arena_copy(d->arena, hint)};
    if (!list || !r.subject.ptr || !r.message.ptr || !r.hint.ptr) {
        d->failed = true;
        return;
    }
    d->results = list;
    d->results[d->count++] = r;
}

/* ---- the configuration ------------------------------------------------------------------------
 */

static fer_health_of state_of(fer_severity s)
{
    return s == FER_SEVERITY_ERROR ? FER_DOCTOR_WRONG : FER_DOCTOR_WARNING;
}

static void tell_problems(fer_doctor *d)
{
    const fer_config *c = &d->config;
    for (size_t i = 0; i < c->problem_count; i++) {
        const fer_config_problem *p = &c->problems[i];
        if (p->severity > FER_SEVERITY_WARNING) continue;
        fer_doctor_tell(d, state_of(p->severity), d->file, p->hint, "line %u, column %u: %.*s",
                        p->place.line, p->place.column, FER_PRI(fer_str_head(p->message, 600)));
    }
}

static void check_config(fer_doctor *d)
{
    const fer_str none = FER_STR("Without one the servers of your MCP clients are served; ferrule "
                                 "init writes one to start from.");
    fer_err err = {0};
    fer_code code = fer_config_locate(d->arena, fer_app_option(d->app, "config"), &d->file, &err);
    if (!code && !d->file.len) {
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, FER_STR(""), none, "there is no ferrule.yaml");
        return;
    }
    if (!code) code = fer_config_load(d->arena, d->file.ptr, &d->config, &err);
    if (!code)
        code = fer_config_check_tokens(d->arena, &d->config, fer_config_folder(&d->config), &err);
    if (code) {
        const char *asked = fer_app_option(d->app, "config");
        fer_doctor_tell(d, FER_DOCTOR_WRONG, d->file.len ? d->file : fer_str_of(asked ? asked : ""),
                        FER_STR("The file must be there, readable, and YAML or JSON."), "%s: %s",
                        fer_code_info(code)->name, err.message);
        return;
    }
    tell_problems(d);
    d->has_config = !d->config.error_count;
    if (d->has_config)
        fer_doctor_tell(
            d, FER_DOCTOR_OK, d->file, FER_STR(""), "%zu server%s, %zu command%s, %zu API%s",
            d->config.server_count, fer_s(d->config.server_count), d->config.command_count,
            fer_s(d->config.command_count), d->config.api_count, fer_s(d->config.api_count));
}

/* ---- all --------------------------------------------------------------------------------------
 */

const fer_doctor_check fer_doctor_checks[] = {
    {"config", "the configuration can be read and is right", check_config},
    {"secrets", "what it refers to is there, and not for everybody to read", fer_doctor_secrets},
    {"programs", "programs of servers and commands are there and can be run", fer_doctor_programs},
    {"servers", "servers start, answer and define tools that pass the rules", fer_doctor_servers},
    {"catalog", "the catalogue can be read", fer_doctor_catalog},
    {"tokens", "tokens of clients can be read, by nobody else", fer_doctor_tokens},
    {"issuers", "keys of issuers can be had, and signatures be checked with them",
     fer_doctor_issuers},
    {"state", "the ledger is what was written, and there is room for more", fer_doctor_state},
    {"port", "the port is free, or a gateway has it", fer_doctor_port},
    {"serve", "a gateway that runs is ready, and does as the section `serve` says",
     fer_doctor_serve},
    {"attach", "clients that start ferrule serve --stdio find each other", fer_doctor_run_folder},
    {"clients", "MCP clients that point here can start it", fer_doctor_clients},
    {"systemd", "the units fit", fer_doctor_systemd},
    {"sandbox", "code can be run behind all its walls", fer_doctor_sandbox},
    {"runtimes", "what the runtimes of `code` run with is there", fer_doctor_runtimes},
    {"limits", "limits of the system are high enough", fer_doctor_limits},
    {"time", "the clock is right enough for tokens", fer_doctor_time},
    {0},
};

bool fer_doctor_run(fer_doctor *d)
{
    for (const fer_doctor_check *c = fer_doctor_checks; c->name && !d->failed; c++) {
        d->check = c->name;
        c->run(d);
    }
    return !d->failed;
}
