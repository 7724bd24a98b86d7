/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a station writes down that is no call: definitions that have changed or are held back, what
 * an operator decided about them, configurations that were read again, when somebody begins to
 * serve and ends. The log is told of each, the ledger too where there is one and it is not its own
 * record; standard error is told how many wait for somebody. Other programs (`ferrule catalog
 * approve`) change the catalogue's file alone: what they did is in its history, and is told when
 * the station takes the file over, or at its next start.
 */
#include <unistd.h>

#include "buf.h"
#include "definition.h"
#include "digest.h"
#include "errors.h"
#include "gateway_parts.h"
#include "station_parts.h"

/* ---- records --------------------------------------------------------------------------------- */

/* Nobody waits for it. Nothing where there is no ledger. */
static void record(const fer_station *s, fer_ledger_type type, const fer_buf *body)
{
    const fer_keeper *k = &s->gateway->keeper;
    fer_ledger_record r = {type, FER_STR("-"), fer_buf_view(body)};
    if (k->append && !body->failure) k->append(k->context, &r, NULL, NULL, NULL);
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* Which definition an event is about, as far as it is still there. */
enum subject {
    GONE,
    SERVED,
    HELD
};

/* How each kind of event is told; a row without a name is not. */
static const struct tale {
    const char *log; /* the event in the log */
    enum fer_log_level level;
    fer_ledger_type type;
    const char *as; /* in the ledger */
    enum subject subject;
} tales[] = {
    [FER_EVENT_UPDATED] = {"definition.changed", FER_LOG_INFO, FER_LEDGER_DEFINITION, "changed",
                           SERVED},
    [FER_EVENT_QUARANTINED] = {"definition.held", FER_LOG_WARN, FER_LEDGER_DEFINITION, "held",
                               HELD},
    [FER_EVENT_APPROVED] = {"definition.approved", FER_LOG_INFO, FER_LEDGER_APPROVAL, "approved",
                            SERVED},
    [FER_EVENT_REJECTED] = {"definition.rejected", FER_LOG_INFO, FER_LEDGER_APPROVAL, "rejected",
                            GONE},
};

/* The hash of the definition that an event is about, as records of calls have it; empty: it is not
 * there any more. */
static void hash_of(const fer_station *s, fer_arena *a, const fer_event *e, enum subject which,
                    char out[FER_HASH_TEXT])
{
    fer_str text;
    fer_tool *tool;
    out[0] = '\0';
    if (which == GONE) return;
    fer_view *v = fer_catalog_view(s->catalog);
    fer_code code = which == HELD ? fer_view_pending(a, v, e->id, &text, NULL)
                                  : fer_view_definition(a, v, e->id, &text, NULL);
    if (!code) code = fer_definition_read(a, text, &tool, NULL);
    if (!code) code = fer_tool_definition_hash(a, tool, out, NULL);
    if (code) out[0] = '\0';
    fer_view_unref(v);
}

static void record_definition(const fer_station *s, const struct tale *t, const fer_event *e)
{
    char hash[FER_HASH_TEXT];
    fer_buf b;
    fer_arena *a = s->gateway->keeper.append ? fer_arena_new(0) : NULL;
    if (!a) return;
    hash_of(s, a, e, t->subject, hash);
    fer_buf_init(&b, a, FER_LEDGER_BODY);
    fer_buf_printf(&b, "{\"as\":\"%s\"", t->as);
    if (hash[0]) fer_buf_printf(&b, ",\"definition\":\"%s\"", hash);
    fer_buf_add_text(&b, ",\"tool\":");
    fer_buf_add_quoted(&b, e->id);
    if (e->verdict) fer_buf_printf(&b, ",\"verdict\":\"%s\"", fer_verdict_name(e->verdict));
    fer_buf_add_text(&b, ",\"what\":\"definition\"}");
    record(s, t->type, &b);
    fer_arena_free(a);
}

static void on_event(void *context, const fer_event *e)
{
    const fer_station *s = context;
    const struct tale *t = e->kind < FER_COUNT(tales) ? &tales[e->kind] : NULL;
    /* One more backend is no other definition. */
    if (!t || !t->log || (e->kind == FER_EVENT_UPDATED && !e->verdict)) return;
    fer_log_write(&s->log, t->level, t->log,
                  (const struct fer_log_field[]){
                      FER_LOG_S("tool", e->id),
                      FER_LOG_S("verdict", fer_str_of(fer_verdict_name(e->verdict))),
                      {0}});
    record_definition(s, t, e);
}

fer_code fer_station_listen(fer_station *s, fer_err *err)
{
    return fer_catalog_subscribe(s->catalog, on_event, s, &s->listener, err);
}

void fer_station_hear(fer_station *s, uint64_t since)
{
    fer_event *list;
    size_t count;
    fer_arena *a = fer_arena_new(0);
    if (a && !fer_catalog_events(a, s->catalog, since, &list, &count, NULL, NULL))
        for (size_t i = 0; i < count; i++) on_event(s, &list[i]);
    fer_arena_free(a);
}

/* ---- what waits for somebody ----------------------------------------------------------------- */

static bool is_of(fer_str id, fer_str ns)
{
    fer_id parts;
    return !ns.len || (!fer_id_parse(id, &parts, NULL) && fer_str_eq(parts.ns, ns));
}

size_t fer_station_held(const fer_station *s, fer_str ns)
{
    fer_page page = {.size = FER_PAGE_MAX};
    fer_view *v = fer_catalog_view(s->catalog);
    fer_arena *a = ns.len && fer_view_held(v) ? fer_arena_new(0) : NULL;
    size_t held = ns.len ? 0 : fer_view_held(v), count;
    fer_str *list;
    while (a && !fer_view_quarantined(a, v, &page, &list, &count, &page.token, NULL)) {
        for (size_t i = 0; i < count; i++) held += is_of(list[i], ns);
        if (!page.token.len) break;
    }
    fer_view_unref(v);
    fer_arena_free(a);
    return held;
}

/* Of one place: what an ID asks for, or everything. */
static void remark_place(fer_station *s, const fer_place_of_tools *p, const fer_id *only)
{
    if (only && !fer_str_eq(p->ns, only->ns)) return;
    for (size_t k = 0; k < p->vacancy_count; k++) {
        fer_id id;
        if (only && !fer_id_parse(p->vacancies[k].id, &id, NULL) &&
            !fer_str_eq(id.name, only->name))
            continue;
        fer_station_say(s, "%.*s: %s: %.*s", FER_PRI(p->name),
                        fer_code_info(p->vacancies[k].code)->name, FER_PRI(p->vacancies[k].why));
    }
    if (p->code && !p->vacancy_count)
        fer_station_say(s, "%.*s: %s: %s", FER_PRI(p->name), fer_code_info(p->code)->name, p->why);
}

void fer_station_remark(fer_station *s)
{
    for (size_t i = 0; i < s->place_count; i++) remark_place(s, s->places[i], NULL);
}

void fer_station_remark_on(fer_station *s, fer_str id, fer_code code)
{
    fer_id parts;
    if (code != FER_BACKEND_UNAVAILABLE && code != FER_TOOL_NOT_FOUND) return;
    bool whole = !fer_id_parse(id, &parts, NULL) && parts.ns.len;
    for (size_t i = 0; i < s->place_count; i++)
        remark_place(s, s->places[i], whole ? &parts : NULL);
}

void fer_station_say_held(fer_station *s)
{
    size_t held = fer_station_held(s, FER_STR(""));
    bool more = held > s->held_said;
    s->held_said = held;
    if (more && !fer_station_writes(s))
        fer_station_say(s,
                        "%zu changed definition%s to be held back, which is not written down by a "
                        "look: a gateway does, or 'ferrule servers --refresh'",
                        held, held == 1 ? " is" : "s are");
    else if (more)
        fer_station_say(
            s,
            "%zu changed definition%s held back, and what was there before is served on: 'ferrule "
            "catalog quarantine' lists them, 'ferrule catalog approve ID' serves one, "
            "'ferrule catalog reject ID' turns it down",
            held, held == 1 ? " is" : "s are");
}

/* ---- the configuration ----------------------------------------------------------------------- */

/* Beginnings, ends and reloads are few: a file of the operator's has them, unless it is said which
 * level it is to have. */
static fer_log life_log(const fer_station *s)
{
    fer_log log = s->log;
    bool said = s->config.log_level.len || s->wants.level_named;
    if (s->config.log_file.len && !said && log.level < FER_LOG_INFO) log.level = FER_LOG_INFO;
    return log;
}

void fer_station_digest(const fer_station *s, char out[FER_DIGEST_HEX + 1])
{
    fer_buf all;
    fer_str text;
    unsigned char sum[FER_DIGEST_SIZE];
    fer_arena *a = fer_arena_new(0);
    fer_str own = a ? fer_arena_copy(a, s->config.file) : FER_STR_NONE;
    size_t count = s->wants.file_count ? s->wants.file_count : s->config.file.len ? 1 : 0;
    fer_code code = own.ptr && count ? FER_OK : FER_IO_ERROR;
    out[0] = '\0';
    if (a) fer_buf_init(&all, a, count * FER_CONFIG_CLIENT_SIZE);
    for (size_t i = 0; i < count && !code; i++) {
        code = fer_file_read(a, s->wants.file_count ? s->wants.files[i] : own.ptr,
                             FER_CONFIG_CLIENT_SIZE, &text, NULL);
        if (!code) fer_buf_add(&all, text);
    }
    if (!code && !all.failure) {
        fer_digest_text(fer_buf_view(&all), sum);
        fer_digest_hex(out, sum, sizeof sum);
        out[FER_DIGEST_HEX] = '\0';
    }
    fer_arena_free(a);
}

void fer_station_note_life(const fer_station *s, const char *event)
{
    fer_log log = life_log(s);
    fer_log_write(
        &log, FER_LOG_INFO, event,
        (const struct fer_log_field[]){FER_LOG_S("version", fer_str_of(fer_version())),
                                       FER_LOG_I("pid", getpid()),
                                       FER_LOG_S("config.sha256", fer_str_of(s->config_digest)),
                                       {0}});
}

/* What is wrong may quote the file: the log has it, as standard error does, the ledger the code. */
void fer_station_note_reload(const fer_station *s, bool taken, size_t changes, fer_code code,
                             const char *why)
{
    char digest[FER_DIGEST_HEX + 1];
    const char *name = fer_code_info(code)->name, *as = taken ? "taken" : "refused";
    fer_log log = life_log(s);
    fer_buf b;
    fer_arena *a = fer_arena_new(0);
    if (taken) memcpy(digest, s->config_digest, sizeof digest);
    else fer_station_digest(s, digest);
    fer_log_write(&log, code ? FER_LOG_WARN : FER_LOG_INFO,
                  taken ? "config.reloaded" : "config.refused",
                  (const struct fer_log_field[]){FER_LOG_I("changes", changes),
                                                 FER_LOG_S("config.sha256", fer_str_of(digest)),
                                                 FER_LOG_S("error.code", fer_str_of(name)),
                                                 FER_LOG_S("reason", fer_str_of(code ? why : "")),
                                                 {0}});
    if (!a) return;
    fer_buf_init(&b, a, FER_LEDGER_BODY);
    fer_buf_printf(&b, "{\"as\":\"%s\",\"changes\":%zu,\"code\":\"%s\"", as, changes, name);
    if (digest[0]) fer_buf_printf(&b, ",\"sha256\":\"%s\"", digest);
    fer_buf_add_char(&b, '}');
    record(s, FER_LEDGER_CONFIG, &b);
    fer_arena_free(a);
}
