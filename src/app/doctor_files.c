/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what is kept in files: secrets, tokens, state, the catalogue. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "bearer_tokens.h"
#include "catalog_file.h"
#include "clock.h"
#include "doctor.h"
#include "errors.h"
#include "file.h"
#include "json_doc.h"
#include "json_value.h"
#include "ledger_verify.h"
#include "secret.h"
#include "station_parts.h"
#include "sys.h"

#define ROOM_MB 100 /* of a disk that is nearly full */

/* ---- modes ------------------------------------------------------------------------------------
 */

/* Takes away what others may do; only where it was asked for. True: it is as it should be now. */
static bool mend_mode(fer_doctor *d, const char *path, mode_t mode)
{
    if (!d->fix || fer_sys_chmod(path, mode)) return false;
    fer_doctor_tell(d, FER_DOCTOR_OK, fer_str_of(path), FER_STR(""), "its mode is %03o now",
                    (unsigned)mode);
    return true;
}

/* Whether others than the owner may do anything of `bits` with a file. */
static bool is_open_to(const char *path, mode_t bits)
{
    struct stat st;
    return fer_sys_stat(path, &st) == 0 && (st.st_mode & bits) != 0;
}

/* ---- secrets ----------------------------------------------------------------------------------
 */

/* The path of secretref:file:PATH; NULL: it is none. */
static const char *file_of(fer_doctor *d, fer_str text)
{
    static const char word[] = "secretref:file:";
    size_t at = fer_secret_find(text);
    if (at == SIZE_MAX) return NULL;
    fer_str ref = fer_str_slice(text, at, text.len), folder = fer_config_folder(&d->config);
    if (!fer_str_starts(ref, word)) return NULL;
    fer_str path = fer_str_slice(ref, strlen(word), ref.len);
    if (path.len && path.ptr[0] == '/') return fer_arena_copy(d->arena, path).ptr;
    return fer_arena_printf(d->arena, "%.*s/%.*s", FER_PRI(folder), FER_PRI(path)).ptr;
}

static void check_secret(fer_doctor *d, fer_str owner, fer_str name, const fer_config_value *v,
                         size_t *count)
{
    fer_err err = {0};
    fer_str ignored;
    const char *path = v->secret ? file_of(d, v->text) : NULL;
    if (!v->secret) return;
    ++*count;
    if (path && is_open_to(path, 0007)) mend_mode(d, path, 0600);
    fer_arena *a = fer_arena_new(0);
    if (!a || !fer_secret_resolve(a, v->text, fer_config_folder(&d->config), &ignored, &err)) {
        fer_arena_free(a);
        return;
    }
    fer_doctor_tell(d, FER_DOCTOR_WRONG, owner,
                    path && !fer_file_exists(path)
                        ? FER_STR("Write the secret into that file, as one line, and chmod 600 it.")
                    : path ? FER_STR("chmod 600 the file (ferrule doctor --fix), and write one "
                                     "line into it.")
                           : FER_STR("Set the variable where ferrule is started: a shell, or the "
                                     "environment file of the unit."),
                    "%.*s: %s", FER_PRI(name), err.message);
    fer_arena_free(a);
}

static void check_pairs(fer_doctor *d, fer_str owner, const fer_config_pairs *p, size_t *count)
{
    for (size_t i = 0; i < p->count; i++)
        check_secret(d, owner, p->list[i].name, &p->list[i].value, count);
}

/* What is wrong with the rest of a command, the check of programs tells. */
static void check_command(fer_doctor *d, const fer_config_command *c, size_t *count)
{
    fer_local_command made;
    if (fer_command_read(d->arena, c, &made, NULL)) return;
    for (size_t i = 0; i < made.set_count; i++) {
        fer_str text = made.set[i].value;
        fer_config_value v = {text, fer_secret_find(text) != SIZE_MAX};
        check_secret(d, c->id, made.set[i].name, &v, count);
    }
}

void fer_doctor_secrets(fer_doctor *d)
{
    const fer_config *c = &d->config;
    size_t count = 0, before = d->count;
    if (!d->has_config) return;
    for (size_t i = 0; i < c->server_count; i++) {
        if (c->servers[i].disabled) continue;
        check_pairs(d, c->servers[i].name, &c->servers[i].env, &count);
        check_pairs(d, c->servers[i].name, &c->servers[i].headers, &count);
    }
    for (size_t i = 0; i < c->api_count; i++) {
        fer_config_value key = {c->apis[i].auth.secret, true};
        if (c->apis[i].disabled) continue;
        check_pairs(d, c->apis[i].ns, &c->apis[i].headers, &count);
        if (c->apis[i].auth.kind) check_secret(d, c->apis[i].ns, FER_STR("auth"), &key, &count);
    }
    for (size_t i = 0; i < c->command_count; i++) check_command(d, &c->commands[i], &count);
    for (size_t i = 0; i < c->serve.client_count; i++) {
        fer_config_value token = {c->serve.clients[i].token, true};
        if (token.text.len)
            check_secret(d, c->serve.clients[i].name, FER_STR("token"), &token, &count);
    }
    if (count && d->count == before)
        fer_doctor_tell(d, FER_DOCTOR_OK, FER_STR(""), FER_STR(""), "%zu reference%s somewhere",
                        count, count == 1 ? " leads" : "s lead");
}

/* ---- tokens -----------------------------------------------------------------------------------
 */

static void tell_tokens(fer_doctor *d, const char *path, const fer_bearers *t)
{
    size_t over = 0;
    int64_t now = fer_clock_wall() / 1000;
    for (size_t i = 0; i < t->count; i++) over += t->list[i].expires && t->list[i].expires <= now;
    fer_doctor_tell(d, over ? FER_DOCTOR_WARNING : FER_DOCTOR_OK, fer_str_of(path),
                    over ? FER_STR("ferrule token list shows them, ferrule token revoke takes "
                                   "them out.")
                         : FER_STR(""),
                    "%zu token%s, %zu of which %s ended", t->count, fer_s(t->count), over,
                    over == 1 ? "has" : "have");
}

void fer_doctor_tokens(fer_doctor *d)
{
    fer_str configured = d->config.serve.tokens, path = configured;
    fer_bearers t;
    fer_err err = {0};
    if (!path.len && fer_bearers_path(d->arena, &path, &err)) {
        fer_doctor_tell(d, FER_DOCTOR_WARNING, FER_STR(""),
                        FER_STR("Set HOME, or serve.tokens of the configuration."), "%s",
                        err.message);
        return;
    }
    path = fer_arena_copy(d->arena, path);
    if (!path.ptr || !fer_file_exists(path.ptr)) {
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, path,
                        FER_STR("The first ferrule serve over HTTP makes one."),
                        "there are no tokens yet");
        return;
    }
    if (is_open_to(path.ptr, 0077)) mend_mode(d, path.ptr, 0600);
    if (fer_bearers_load(d->arena, path.ptr, &t, &err))
        fer_doctor_tell(
            d, FER_DOCTOR_WRONG, path,
            FER_STR("chmod 600 it (ferrule doctor --fix); a file that is damaged has to "
                    "go, and tokens be made anew."),
            "nobody is let in: %s", err.message);
    else tell_tokens(d, path.ptr, &t);
}

/* ---- state ------------------------------------------------------------------------------------
 */

static void check_room(fer_doctor *d, const char *path)
{
    struct statvfs fs;
    if (statvfs(path, &fs)) return;
    unsigned long long left = (unsigned long long)fs.f_bavail * fs.f_frsize / 1000000;
    if (left < ROOM_MB)
        fer_doctor_tell(d, FER_DOCTOR_WARNING, fer_str_of(path),
                        FER_STR("Make room, or let ledger.retentionDays prune: without room, calls "
                                "that change something are refused."),
                        "%llu MB are left on its disk", left);
}

/* Once it is made anew, the old one is of no use. */
static void check_seal(fer_doctor *d, const char *state)
{
    fer_str key = fer_arena_printf(d->arena, "%s/seal.key", state);
    fer_str store = fer_arena_printf(d->arena, "%s/store.db", state);
    if (!key.ptr || !store.ptr || !fer_file_exists(store.ptr) || fer_file_exists(key.ptr)) return;
    fer_doctor_tell(d, FER_DOCTOR_WARNING, key,
                    FER_STR("Put it back from a backup before the next start, which makes another "
                            "one."),
                    "it is gone: what store.db has, results of calls with idempotency keys among "
                    "it, cannot be read without it");
}

static void check_ledger(fer_doctor *d, const char *state)
{
    fer_str folder = fer_arena_printf(d->arena, "%s/ledger", state);
    fer_verify_report r;
    fer_err err = {0};
    struct stat st;
    if (!folder.ptr || fer_sys_stat(folder.ptr, &st)) {
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, folder, FER_STR(""), "there is no ledger yet");
        return;
    }
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? fer_ledger_verify(a, &(fer_verify_options){.folder = folder.ptr}, &r, &err)
                      : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (code)
        fer_doctor_tell(d, FER_DOCTOR_WRONG, folder, FER_STR("ferrule ledger verify tells more."),
                        "%s: %s", fer_code_info(code)->name, err.message);
    else if (r.flaw_count)
        fer_doctor_tell(
            d, FER_DOCTOR_WRONG, folder,
            FER_STR("ferrule ledger verify lists them; ferrule ledger accept lets it go "
                    "on behind a break."),
            "%zu flaw%s, the first at record %llu: %.*s", r.flaw_count, fer_s(r.flaw_count),
            (unsigned long long)r.flaws[0].seq, FER_PRI(r.flaws[0].message));
    else
        fer_doctor_tell(d, FER_DOCTOR_OK, folder, FER_STR(""), "%llu record%s, no flaws%s",
                        (unsigned long long)r.records, fer_s(r.records),
                        r.written_now ? "; a gateway writes it" : "");
    fer_arena_free(a);
}

void fer_doctor_state(fer_doctor *d)
{
    fer_str path = fer_arena_copy(d->arena, d->config.state);
    struct stat st;
    if (!d->has_config || !path.len) {
        if (d->has_config)
            fer_doctor_tell(d, FER_DOCTOR_SKIPPED, FER_STR(""),
                            FER_STR("`state: FOLDER` keeps a ledger, and keys beyond a restart."),
                            "no state is kept");
        return;
    }
    if (fer_sys_stat(path.ptr, &st)) {
        fer_doctor_tell(d, errno == ENOENT ? FER_DOCTOR_SKIPPED : FER_DOCTOR_WRONG, path,
                        errno == ENOENT ? FER_STR("The first start makes it.") : FER_STR(""), "%s",
                        strerror(errno));
        return;
    }
    if (!S_ISDIR(st.st_mode)) {
        fer_doctor_tell(d, FER_DOCTOR_WRONG, path, FER_STR("`state` names a folder."),
                        "it is no folder");
        return;
    }
    if (st.st_mode & 0077 && !mend_mode(d, path.ptr, 0700))
        fer_doctor_tell(d, FER_DOCTOR_WARNING, path,
                        FER_STR("chmod 700 it (ferrule doctor --fix)."),
                        "others may look into it (mode %03o)", (unsigned)(st.st_mode & 0777));
    check_room(d, path.ptr);
    check_seal(d, path.ptr);
    check_ledger(d, path.ptr);
}

/* ---- the catalogue ----------------------------------------------------------------------------
 */

static void tell_catalog(fer_doctor *d, fer_str path, fer_catalog *c)
{
    fer_view *v = fer_catalog_view(c);
    if (fer_view_held(v))
        fer_doctor_tell(d, FER_DOCTOR_WARNING, path,
                        FER_STR("ferrule catalog quarantine lists them; ferrule catalog approve ID "
                                "serves one, ferrule catalog reject ID turns it down."),
                        "%zu tool%s; %zu changed definition%s held back, and the old %s served",
                        fer_view_count(v), fer_s(fer_view_count(v)), fer_view_held(v),
                        fer_view_held(v) == 1 ? " is" : "s are",
                        fer_view_held(v) == 1 ? "one is" : "ones are");
    else
        fer_doctor_tell(d, FER_DOCTOR_OK, path, FER_STR(""), "%zu tool%s", fer_view_count(v),
                        fer_s(fer_view_count(v)));
    fer_view_unref(v);
}

void fer_doctor_catalog(fer_doctor *d)
{
    fer_catalog_options o = {.lenient = true};
    fer_catalog *c = NULL;
    fer_err err = {0};
    if (!d->has_config) return;
    if (!d->config.catalog.len) {
        fer_doctor_tell(
            d, FER_DOCTOR_SKIPPED, FER_STR(""),
            FER_STR("`catalog: FILE` remembers tools, so that ferrule serve answers at once "
                    "and starts servers when they are called."),
            "none is kept");
        return;
    }
    fer_str path = fer_arena_copy(d->arena, d->config.catalog);
    if (!path.ptr || !fer_file_exists(path.ptr)) {
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, path, FER_STR("The first start makes it."),
                        "it is not there yet");
        return;
    }
    if (fer_catalog_open(path.ptr, &o, &c, &err)) {
        fer_doctor_tell(d, FER_DOCTOR_WRONG, path,
                        fer_catalog_file_begins(path.ptr)
                            ? FER_STR("ferrule serve keeps it beside, and makes it anew.")
                            : FER_STR("Remove it: servers are asked for their tools again."),
                        "%s", err.message);
        return;
    }
    tell_catalog(d, path, c);
    fer_catalog_free(c);
}
