/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of servers: their programs, whether they answer, what is wrong with their tools. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "client_files.h"
#include "command_station.h"
#include "doctor.h"
#include "errors.h"
#include "json_value.h"
#include "net_rules.h"
#include "station_parts.h"
#include "sys.h"
#include "toolset.h"

#define SERVERS_MS 35000 /* for all that are asked, at once */

/* ---- programs ---------------------------------------------------------------------------------
 */

/* The PATH that a server gets: its own where it has one. */
static fer_str path_of(const fer_config_server *c)
{
    const char *own = getenv("PATH");
    for (size_t i = 0; i < c->env.count; i++)
        if (fer_str_is(c->env.list[i].name, "PATH")) return c->env.list[i].value.text;
    return fer_str_of(own ? own : "/usr/local/bin:/usr/bin:/bin");
}

fer_code fer_doctor_program(fer_doctor *d, fer_str command, fer_str path, fer_str *out,
                            fer_err *err)
{
    struct stat st;
    fer_code code = fer_process_find(d->arena, command, path, out, err);
    if (code) return code;
    if (fer_sys_stat(out->ptr, &st))
        return fer_fail(err, FER_IO_ERROR, "%s: %s", out->ptr, strerror(errno));
    if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))
        return fer_fail(err, FER_FORBIDDEN, "%s cannot be run", out->ptr);
    return FER_OK;
}

static fer_str program_hint(fer_str command)
{
    if (fer_str_is(command, "npx") || fer_str_is(command, "node"))
        return FER_STR("Install Node.js, or name the program by its whole path.");
    if (fer_str_is(command, "uvx") || fer_str_is(command, "uv"))
        return FER_STR("Install uv, or name the program by its whole path.");
    if (fer_str_is(command, "docker"))
        return FER_STR("Install Docker, or name the program by its whole path.");
    return FER_STR("Name it by its whole path, make it executable (chmod +x), or set PATH in env.");
}

static bool is_local_host(const char *host)
{
    return strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
           strcmp(host, "::1") == 0;
}

static void check_url(fer_doctor *d, const fer_config_server *c)
{
    fer_net_target t;
    fer_err err = {0};
    if (fer_net_target_parse(c->url, &t, &err))
        fer_doctor_tell(d, FER_DOCTOR_WRONG, c->ns, FER_STR("Write https://HOST/PATH."), "%s",
                        err.message);
    else if (fer_str_starts(c->url, "http://") && !is_local_host(t.host) && c->headers.count)
        fer_doctor_tell(d, FER_DOCTOR_WARNING, c->ns, FER_STR("Use https:// if the server has it."),
                        "what is sent to %s, header fields too, can be read on the way", t.host);
}

static void check_program(fer_doctor *d, const fer_config_server *c)
{
    fer_str program;
    fer_err err = {0};
    if (fer_doctor_program(d, c->command, path_of(c), &program, &err))
        fer_doctor_tell(d, FER_DOCTOR_WRONG, c->ns, program_hint(c->command), "%s", err.message);
    else fer_doctor_tell(d, FER_DOCTOR_OK, c->ns, FER_STR(""), "%.*s", FER_PRI(program));
}

/* Whether a command can be run, as far as its program goes; else that is told. */
static bool check_command(fer_doctor *d, const fer_config_command *c)
{
    fer_local_command made;
    fer_str program;
    fer_err err = {0};
    if (fer_command_read(d->arena, c, &made, &err)) {
        fer_doctor_tell(d, FER_DOCTOR_WRONG, c->id,
                        FER_STR("No gateway starts with it: docs/run.md says what `run` may be."),
                        "line %u: %s", c->place.line, err.message);
        return false;
    }
    if (!fer_doctor_program(d, fer_argv_program(&made.argv), fer_command_path(), &program, &err))
        return true;
    fer_doctor_tell(d, FER_DOCTOR_WRONG, c->id,
                    FER_STR("Install it, make it executable (chmod +x), name it by its whole path, "
                            "or set PATH where ferrule is started; then reload (SIGHUP) or start."),
                    "%s", err.message);
    return false;
}

static void check_commands(fer_doctor *d)
{
    size_t count = d->config.command_count, good = 0;
    for (size_t i = 0; i < count; i++) good += check_command(d, &d->config.commands[i]);
    if (count && good == count)
        fer_doctor_tell(d, FER_DOCTOR_OK, FER_STR(""), FER_STR(""), "%s of %zu command%s there",
                        count == 1 ? "that" : "those", count, count == 1 ? " is" : "s are");
}

void fer_doctor_programs(fer_doctor *d)
{
    for (size_t i = 0; d->has_config && i < d->config.server_count; i++) {
        const fer_config_server *c = &d->config.servers[i];
        if (c->disabled) continue;
        if (c->transport == FER_CONFIG_STDIO) check_program(d, c);
        else check_url(d, c);
    }
    if (d->has_config) check_commands(d);
}

/* ---- answers ----------------------------------------------------------------------------------
 */

typedef struct asked {
    fer_doctor *doctor;
    fer_place_of_tools *place;
    fer_listing listing;
    size_t *left;
    fer_code code;
    fer_str tools, why;
    bool ended;
} asked;

static void on_listed(fer_listing *l, fer_code code, fer_str tools, const fer_err *err)
{
    asked *q = l->context;
    fer_arena *a = q->doctor->arena;
    q->ended = true;
    q->code = code;
    q->tools = code ? FER_STR("") : fer_arena_copy(a, tools);
    q->why = fer_arena_copy(a, fer_str_of(code && err ? err->message : ""));
    --*q->left;
}

static void on_unreadable(void *context, const fer_err *why)
{
    (void)why;
    ++*(size_t *)context;
}

/* Errors of the rules among the definitions of a server. */
static size_t lint(fer_doctor *d, fer_str tools)
{
    size_t count, errors = 0;
    fer_err err = {0};
    fer_checks *checks = fer_checks_new();
    fer_toolset *set = checks ? fer_toolset_new_checked(checks) : NULL;
    if (!set) d->failed = true;
    if (set && tools.len > 2)
        fer_toolset_add_readable(set, FER_STR("tools/list"), tools, FER_FORMAT_JSON, on_unreadable,
                                 &errors, &err);
    const fer_finding *all = set ? fer_toolset_findings(set, &count) : NULL;
    for (size_t i = 0; all && i < count; i++) errors += all[i].severity == FER_SEVERITY_ERROR;
    fer_toolset_free(set);
    fer_checks_free(checks);
    return errors;
}

static size_t count_of(fer_arena *a, fer_str tools)
{
    fer_json *doc;
    if (fer_json_read(a, tools, fer_json_limits_file(), &doc, NULL)) return 0;
    return fer_is_arr(fer_json_root(doc)) ? fer_val_len(fer_json_root(doc)) : 0;
}

static fer_str trouble_hint(const asked *q)
{
    if (q->place->vacant)
        return FER_STR(
            "The others serve without it; it is set up by a reload (SIGHUP) or a start.");
    if (!q->ended) return FER_STR("It did not answer in time; run its command line by hand.");
    if (q->code == FER_UNAUTHENTICATED || q->code == FER_FORBIDDEN)
        return FER_STR("It wants credentials: headers of the server, by secretref:env:NAME.");
    if (q->place->url.len)
        return FER_STR(
            "Ask it by hand: ferrule inspect URL. Proxies and firewalls are in between.");
    return FER_STR("Run its command line by hand and look at what it says; ferrule inspect -- "
                   "COMMAND shows more.");
}

static void tell_server(fer_doctor *d, const asked *q)
{
    fer_runner_status st = {0};
    const fer_place_of_tools *p = q->place;
    if (p->runner->kind->status) p->runner->kind->status(p->runner, &st);
    if (!q->ended || q->code) {
        fer_doctor_tell(d, FER_DOCTOR_WRONG, p->name, trouble_hint(q), "%s: %.*s",
                        fer_code_info(q->ended ? q->code : FER_TIMEOUT)->name,
                        FER_PRI(fer_str_head(q->ended ? q->why : FER_STR("no answer"), 600)));
        return;
    }
    size_t errors = lint(d, q->tools), count = count_of(d->arena, q->tools);
    fer_doctor_tell(d, errors ? FER_DOCTOR_WARNING : FER_DOCTOR_OK, p->name,
                    errors ? FER_STR("ferrule inspect shows what is wrong with each of them.")
                           : FER_STR(""),
                    "%zu tool%s; %s%s%zu error%s by the rules", count, fer_s(count), st.detail,
                    st.detail[0] ? "; " : "", errors, fer_s(errors));
}

static void on_time(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

static void ask_all(fer_doctor *d, fer_station *s, asked *list)
{
    size_t left = 0, count = 0;
    bool late = false;
    uv_timer_t timer = {.data = &late};
    uv_loop_t *loop = fer_gateway_loop(s->gateway);
    uv_timer_init(loop, &timer);
    uv_timer_start(&timer, on_time, SERVERS_MS, 0);
    for (size_t i = 0; i < s->place_count; i++) {
        fer_place_of_tools *p = s->places[i];
        if (p->part != FER_CONFIG_SERVER || !p->runner->kind->list) continue;
        asked *q = &list[count++];
        *q = (asked){.doctor = d, .place = p, .left = &left};
        q->listing = (fer_listing){.arena = p->arena, .on_end = on_listed, .context = q};
        left++;
        p->runner->kind->list(p->runner, &q->listing);
    }
    while (left && !late && !s->interrupted) uv_run(loop, UV_RUN_ONCE);
    for (size_t i = 0; i < count; i++) tell_server(d, &list[i]);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(loop, UV_RUN_NOWAIT);
}

static bool has_servers(const fer_doctor *d)
{
    for (size_t i = 0; i < d->config.server_count; i++)
        if (!d->config.servers[i].disabled) return true;
    return false;
}

void fer_doctor_servers(fer_doctor *d)
{
    const char *files[FER_CLIENT_FILES_MAX];
    fer_client_file found[FER_CLIENT_FILES_MAX];
    struct fer_station_wants wants = {.bare = true, .files = files, .found = true};
    fer_station s;
    if (d->offline) {
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, FER_STR(""), FER_STR(""),
                        "no server was started: --offline");
        return;
    }
    if (d->file.len && (!d->has_config || !has_servers(d))) return;
    for (size_t n = d->file.len ? 0 : fer_client_files_find(d->arena, NULL, found); n > 0; n--)
        files[wants.file_count++] = found[n - 1].path;
    if (!d->file.len && !wants.file_count) return;
    if (fer_app_station_for(&s, d->app, &wants)) {
        fer_doctor_tell(d, FER_DOCTOR_WRONG, FER_STR(""), FER_STR(""),
                        "no server could be prepared: what is wrong was said above");
        return;
    }
    asked *list = fer_arena_alloc_zero(d->arena, s.place_count + 1, sizeof *list);
    if (list) ask_all(d, &s, list);
    else d->failed = true;
    fer_station_deinit(&s);
}
