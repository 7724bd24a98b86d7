/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what is around a gateway: clients, systemd, limits, the clock. */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <unistd.h>

#include "attach.h"
#include "client_files.h"
#include "clock.h"
#include "doctor.h"
#include "errors.h"
#include "file.h"
#include "net_rules.h"
#include "serve_setup.h"
#include "sys.h"

#define FILES_WANTED 4096                   /* descriptors: a client and a server take a few each */
#define YEAR_2025    INT64_C(1735689600000) /* ms since 1970 */
#define YEAR_2100    INT64_C(4102444800000)

/* ---- clients of this user ---------------------------------------------------------------------
 */

void fer_doctor_run_folder(fer_doctor *d)
{
    fer_str folder = FER_STR("");
    fer_err err = {0};
    if (fer_attach_folder(d->arena, &folder, &err))
        fer_doctor_tell(d, FER_DOCTOR_WARNING, folder,
                        FER_STR("Without it each client has a gateway, and servers, of its own."),
                        "%s", err.message);
    else fer_doctor_tell(d, FER_DOCTOR_OK, folder, FER_STR(""), "it is this user's alone");
}

/* A program of that name at that place, or along PATH. */
static bool can_start(fer_doctor *d, fer_str command)
{
    const char *path = getenv("PATH");
    fer_str ignored;
    return !fer_doctor_program(d, command, fer_str_of(path ? path : "/usr/bin:/bin"), &ignored,
                               NULL);
}

static bool is_ferrule(const fer_config_server *s)
{
    return fer_str_is(s->command, "ferrule") || fer_str_ends(s->command, "/ferrule");
}

/* A URL under the name that ferrule install writes, or of where this gateway listens. */
static bool is_ours(fer_doctor *d, const fer_config_server *s)
{
    fer_listen_options at = {.port = FER_SERVE_PORT};
    fer_str listen = fer_arena_copy(d->arena, d->config.serve.listen);
    fer_net_target t;
    if (!s->url.len || fer_net_target_parse(s->url, &t, NULL)) return false;
    if (fer_str_is(s->name, FER_CLIENT_ENTRY)) return true;
    if (listen.len && !fer_serve_setup_listen(d->arena, listen.ptr, &at)) return false;
    bool here = strcmp(t.host, "localhost") == 0 || strncmp(t.host, "127.", 4) == 0 ||
                strcmp(t.host, "::1") == 0 || (at.address && strcmp(t.host, at.address) == 0);
    return here && t.port == at.port;
}

static void check_client(fer_doctor *d, const fer_client_file *f)
{
    fer_config c;
    fer_err err = {0};
    fer_str path = fer_str_of(f->path);
    const fer_config_server *by_url = NULL;
    bool points = false, broken = false;
    if (fer_config_load(d->arena, f->path, &c, &err)) {
        fer_doctor_tell(d, FER_DOCTOR_WARNING, path, FER_STR("The client itself may not read it."),
                        "%s: %s", f->client->title, err.message);
        return;
    }
    for (size_t i = 0; i < c.server_count; i++) {
        if (is_ours(d, &c.servers[i])) by_url = &c.servers[i];
        if (!is_ferrule(&c.servers[i])) continue;
        points = true;
        if (can_start(d, c.servers[i].command)) continue;
        broken = true;
        fer_doctor_tell(d, FER_DOCTOR_WRONG, path,
                        FER_STR("ferrule install CLIENT writes where ferrule is now."),
                        "%s would start %.*s, which is not there", f->client->title,
                        FER_PRI(c.servers[i].command));
    }
    fer_str hint =
        fer_arena_printf(d->arena, "ferrule install %s lets it use this gateway.", f->client->name);
    if (broken) return;
    if (points)
        fer_doctor_tell(d, FER_DOCTOR_OK, path, FER_STR(""), "%s points here", f->client->title);
    else if (by_url)
        fer_doctor_tell(d, FER_DOCTOR_OK, path, FER_STR(""), "%s points to %.*s", f->client->title,
                        FER_PRI(fer_str_head(by_url->url, 300)));
    else
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, path, hint, "%s has %zu server%s, and not this one",
                        f->client->title, c.server_count, fer_s(c.server_count));
}

void fer_doctor_clients(fer_doctor *d)
{
    fer_client_file found[FER_CLIENT_FILES_MAX];
    size_t n = fer_client_files_find(d->arena, NULL, found);
    for (size_t i = 0; i < n; i++) check_client(d, &found[i]);
    if (!n)
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, FER_STR(""), FER_STR(""),
                        "no file of an MCP client is there");
}

/* ---- the system -------------------------------------------------------------------------------
 */

/* What a unit starts; NULL: there is no such unit, or no such line. */
static const char *program_of(fer_doctor *d, const char *unit)
{
    static const char key[] = "ExecStart=";
    fer_str text;
    if (fer_file_read(d->arena, unit, 1 << 20, &text, NULL)) return NULL;
    const char *at = memmem(text.ptr, text.len, key, strlen(key));
    if (!at) return NULL;
    size_t from = (size_t)(at - text.ptr) + strlen(key), end = from;
    while (end < text.len && text.ptr[end] != ' ' && text.ptr[end] != '\n') end++;
    return fer_arena_copy(d->arena, fer_str_slice(text, from, end)).ptr;
}

void fer_doctor_systemd(fer_doctor *d)
{
    static const char *const units[] = {
        "/etc/systemd/system/ferrule.service", "/lib/systemd/system/ferrule.service",
        "/usr/local/lib/systemd/system/ferrule.service", "/usr/lib/systemd/user/ferrule.service",
        "/usr/local/lib/systemd/user/ferrule.service"};
    bool any = false;
    for (size_t i = 0; i < FER_COUNT(units); i++) {
        const char *program = fer_file_exists(units[i]) ? program_of(d, units[i]) : NULL;
        if (!fer_file_exists(units[i])) continue;
        any = true;
        if (program && fer_file_exists(program))
            fer_doctor_tell(d, FER_DOCTOR_OK, fer_str_of(units[i]), FER_STR(""), "it starts %s",
                            program);
        else
            fer_doctor_tell(
                d, FER_DOCTOR_WRONG, fer_str_of(units[i]),
                FER_STR("Install ferrule again, or write where it is (systemctl edit)."),
                "%s, which it starts, is not there", program ? program : "the program");
    }
    if (!any)
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, FER_STR(""),
                        FER_STR("make install, or the Debian package, brings the units."),
                        "no unit is installed");
}

void fer_doctor_limits(fer_doctor *d)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files)) return;
    if (files.rlim_cur >= FILES_WANTED)
        fer_doctor_tell(d, FER_DOCTOR_OK, FER_STR("nofile"), FER_STR(""), "%llu descriptors",
                        (unsigned long long)files.rlim_cur);
    else
        fer_doctor_tell(d, FER_DOCTOR_WARNING, FER_STR("nofile"),
                        FER_STR("ulimit -n 65536, or LimitNOFILE=65536 in the unit."),
                        "%llu descriptors: enough for about %llu clients",
                        (unsigned long long)files.rlim_cur, (unsigned long long)files.rlim_cur / 4);
}

void fer_doctor_time(fer_doctor *d)
{
    int64_t now = fer_clock_wall();
    struct timex t = {0};
    char text[FER_TIMESTAMP];
    fer_clock_format(now, text);
    bool known = ntp_adjtime(&t) >= 0, drifts = known && (t.status & STA_UNSYNC);
    if (now < YEAR_2025 || now > YEAR_2100)
        fer_doctor_tell(d, FER_DOCTOR_WRONG, FER_STR(""),
                        FER_STR("Set the clock: tokens and certificates would be refused."),
                        "it is %s here", text);
    else if (drifts)
        fer_doctor_tell(d, FER_DOCTOR_OK, FER_STR(""),
                        FER_STR("timedatectl set-ntp true keeps it right; in a container the host "
                                "does."),
                        "%s; nobody says that it is kept right", text);
    else fer_doctor_tell(d, FER_DOCTOR_OK, FER_STR(""), FER_STR(""), "%s", text);
}
