/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tools of a station's servers: asking for them, keeping the catalogue in step, and remembering
 * what was asked. Beside the catalogue's file stands a small one, NAME.servers, that says which
 * servers were listed, each with the mark of its configuration: one that is configured otherwise
 * now is asked again. It also says which version of the catalogue the station wrote last: what came
 * after it, others did.
 */
#include "buf.h"
#include "chain.h"
#include "clock.h"
#include "errors.h"
#include "file.h"
#include "gateway_parts.h"
#include "json_value.h"
#include "mcp_client.h"
#include "rpc.h"
#include "station_parts.h"
#include "sys.h"

#define MARKS_MAX ((size_t)1 << 20) /* bytes of the file of marks */
#define AGAIN_MS  500               /* before a server that failed is asked again, doubling */
#define AGAIN_MAX 30000
#define MS        INT64_C(1000000)

typedef struct asking {
    fer_listing listing;
    fer_place_of_tools *place;
} asking;

/* ---- the catalogue --------------------------------------------------------------------------- */

/* Whether one of a tool's backends is this one. */
static bool runs_at(fer_arena *a, const fer_view *v, fer_str id, const fer_backend *b)
{
    fer_backend *list;
    size_t count;
    if (fer_view_backends(a, v, id, NULL, NULL, &list, &count, NULL, NULL)) return false;
    for (size_t i = 0; i < count; i++)
        if (list[i].kind == b->kind && fer_str_eq(list[i].name, b->name)) return true;
    return false;
}

/* Takes the backend off each tool of a page that is not kept. */
static fer_code forget_page(fer_arena *a, const fer_view *v, fer_batch *b, const fer_summary *list,
                            size_t count, const fer_backend *backend, const fer_map *keep,
                            size_t *gone, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t i = 0; !code && i < count; i++) {
        if ((keep && fer_map_get(keep, list[i].id)) || !runs_at(a, v, list[i].id, backend))
            continue;
        fer_backend *all, exact = *backend;
        size_t n = 0;
        code = fer_view_backends(a, v, list[i].id, NULL, NULL, &all, &n, NULL, err);
        for (size_t k = 0; !code && k < n; k++) {
            if (all[k].kind != exact.kind || !fer_str_eq(all[k].name, exact.name)) continue;
            code = fer_batch_remove_backend(b, list[i].id, &all[k], err);
            ++*gone;
        }
    }
    return code;
}

fer_code fer_station_forget(fer_station *s, fer_backend_kind kind, fer_str name, fer_str ns,
                            const fer_map *keep, fer_err *err)
{
    fer_backend backend = {kind, name, FER_STR("")};
    fer_filter filter = {.namespaces = {&ns, 1}};
    fer_page page = {.size = FER_PAGE_MAX};
    fer_arena *a = fer_arena_new(0);
    fer_batch *b = fer_batch_new();
    fer_view *v = fer_catalog_view(s->catalog);
    size_t gone = 0;
    fer_code code = a && b ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    while (!code) {
        fer_summary *list;
        size_t count = 0;
        code = fer_view_list(a, v, &filter, &page, &list, &count, &page.token, err);
        if (!code) code = forget_page(a, v, b, list, count, &backend, keep, &gone, err);
        if (!page.token.len) break;
    }
    if (!code && !keep) code = fer_station_drop_own(v, name, ns, b, &gone, err);
    if (!code && gone) code = fer_catalog_apply(s->catalog, b, err);
    fer_view_unref(v);
    fer_batch_free(b);
    fer_arena_free(a);
    return code;
}

/* ---- what a server shows --------------------------------------------------------------------- */

/* The IDs that a batch was about. */
static fer_code shown_ids(fer_arena *a, const fer_batch *b, fer_map *out, size_t *count,
                          fer_err *err)
{
    size_t n;
    const fer_event *list = fer_batch_outcomes(b, &n);
    fer_map_init(out, a);
    for (size_t i = 0; i < n; i++) {
        if (!list[i].id.len) continue; /* it was left out */
        fer_str id = fer_arena_copy(a, list[i].id);
        void **slot = id.ptr ? fer_map_put(out, id) : NULL;
        if (!slot) return fer_arena_failed(a, err);
        *slot = a;
    }
    *count = out->count;
    return FER_OK;
}

fer_code fer_station_keep_only(const fer_place_of_tools *p, const fer_batch *applied, size_t *count,
                               fer_err *err)
{
    fer_map shown;
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? shown_ids(a, applied, &shown, count, err)
                      : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_station_keep_theirs(p, a, &shown, err);
    if (!code)
        code = fer_station_forget(p->station, p->runner->kind->backend, p->runner->name, p->ns,
                                  &shown, err);
    if (!code) code = fer_station_sweep_own(p, FER_STR(""), err);
    fer_arena_free(a);
    return code;
}

/* Definitions of the operator's count more than those of a server that has the same tools: by name,
 * where they have no version. */
fer_code fer_station_records(const fer_station *s, fer_arena *a, fer_str ns, fer_map *out,
                             fer_err *err)
{
    fer_json *doc;
    fer_map_init(out, a);
    for (size_t i = 0; i < s->place_count; i++) {
        const fer_place_of_tools *p = s->places[i];
        for (size_t k = 0; fer_str_eq(p->ns, ns) && k < p->record_count; k++) {
            fer_code code = fer_json_read(a, p->records[k], fer_json_limits_file(), &doc, err);
            if (code) return code;
            const yyjson_val *root = fer_json_root(doc), *name = fer_val_get(root, "name");
            if (!fer_is_str(name) || fer_val_get(root, "version")) continue;
            void **slot = fer_map_put(out, fer_val_str(name));
            if (!slot) return fer_arena_failed(a, err);
            *slot = (void *)(uintptr_t)&p->records[k];
        }
    }
    return FER_OK;
}

/* What a server shows: of a tool that the operator defines, its definition with the server as one
 * more backend, so that a list that shows nothing new changes nothing. */
fer_code fer_place_add_shown(fer_place_of_tools *p, fer_arena *a, fer_batch *b, fer_str json,
                             fer_err *err)
{
    fer_backend backend = {p->runner->kind->backend, p->name, FER_STR("")};
    fer_put_options o = {.ns = p->ns, .backend = &backend};
    fer_json *doc;
    fer_map own;
    fer_buf rest;
    fer_code code = fer_station_records(p->station, a, p->ns, &own, err);
    if (code) return code;
    if (!own.count) return fer_batch_add(b, p->name, json, FER_FORMAT_JSON, &o, err);
    code = fer_json_read(a, json, fer_json_limits_file(), &doc, err);
    if (code) return code;
    fer_buf_init(&rest, a, FER_MCP_LIST_MAX + 2);
    fer_buf_add_char(&rest, '[');
    FER_EACH_ITEM (fer_json_root(doc), tool) {
        const yyjson_val *name = fer_is_obj(tool) ? fer_val_get(tool, "name") : NULL;
        const fer_str *record = fer_is_str(name) ? fer_map_get(&own, fer_val_str(name)) : NULL;
        if (record) code = fer_batch_add(b, p->name, *record, FER_FORMAT_JSON, &o, err);
        if (code) return code;
        if (record) continue;
        if (rest.len > 1) fer_buf_add_char(&rest, ',');
        fer_buf_add(&rest, fer_rpc_bytes(doc, tool));
    }
    fer_buf_add_char(&rest, ']');
    code = fer_buf_code(&rest, err);
    if (code || rest.len == 2) return code;
    return fer_batch_add(b, p->name, fer_buf_view(&rest), FER_FORMAT_JSON, &o, err);
}

static bool is_left_out(const fer_event *e)
{
    return !e->id.len || e->kind == FER_EVENT_SHADOWED;
}

/* Definitions without a valid name, and second ones of a name, nobody can call: that is logged
 * where their number is another one than before. */
static void log_left_out(fer_place_of_tools *p, const fer_batch *b)
{
    size_t events, problems, left = 0, before = p->left_out;
    const fer_event *list = fer_batch_outcomes(b, &events);
    const fer_problem *why = fer_batch_problems(b, &problems), *last = NULL;
    for (size_t i = 0; i < events; i++) left += is_left_out(&list[i]);
    for (size_t i = 0; i < problems; i++)
        if (why[i].number && why[i].number <= events && is_left_out(&list[why[i].number - 1]))
            last = &why[i];
    p->left_out = left;
    if (left == before || !left) return;
    fer_log_event(&p->station->log, FER_LOG_WARN, "server.tools_left_out",
                  FER_LOG_S("server", p->name), FER_LOG_I("tools", left),
                  FER_LOG_S("reason", last ? last->message : FER_STR("")));
}

/* Puts them into the catalogue, which judges what has changed; tools that are not shown any more
 * are taken out. */
static fer_code take_tools(fer_place_of_tools *p, fer_str json, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_batch *b = fer_batch_new();
    size_t count = 0;
    fer_code code = a && b ? fer_place_add_shown(p, a, b, json, err)
                           : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_catalog_apply(p->station->catalog, b, err);
    if (!code) log_left_out(p, b);
    if (!code) code = fer_station_keep_only(p, b, &count, err);
    fer_batch_free(b);
    fer_arena_free(a);
    p->tools = code ? p->tools : count;
    return code;
}

static void ask_soon(fer_station *s);

static void note_failure(fer_place_of_tools *p)
{
    p->failures = p->code ? p->failures + 1 : 0;
    int64_t pause = (int64_t)AGAIN_MS << (p->failures < 6 ? p->failures : 6);
    p->ask_after = fer_clock_mono() + (pause < AGAIN_MAX ? pause : AGAIN_MAX) * MS;
}

/* A list of thousands of tools is megabytes, which go back to the system with the last of the
 * lists.
 */
static void forget_listing(fer_place_of_tools *p)
{
    fer_arena_free(p->listing_arena);
    p->listing_arena = NULL;
    if (!p->station->waiting) fer_sys_trim();
}

/* What clients are told of a server that has shown nothing so far. */
static void note_silence(fer_place_of_tools *p)
{
    bool known = p->tools || (p->remembered && !p->code) || fer_place_is_owned(p);
    p->runner->silence = known       ? FER_SILENCE_NONE
                         : p->asking ? FER_SILENCE_ASKED
                         : p->code   ? FER_SILENCE_AWAY
                                     : FER_SILENCE_NONE;
}

/* The log has each reason once, until there is another one. */
static void log_failure(const fer_place_of_tools *p, const char *before)
{
    if (!p->code || strcmp(p->why, before) == 0) return;
    fer_log_event(&p->station->log, FER_LOG_WARN, "server.away", FER_LOG_S("server", p->name),
                  FER_LOG_S("error.code", fer_str_of(fer_code_info(p->code)->name)),
                  FER_LOG_S("reason", fer_str_of(p->why)));
}

static void on_listed(fer_listing *l, fer_code code, fer_str json, const fer_err *err)
{
    asking *q = l->context;
    fer_place_of_tools *p = q->place;
    fer_station *s = p->station;
    fer_err own = {0};
    s->waiting--;
    p->asking = false;
    if (p->retired) return; /* its tools are not wanted any more */
    if (!code) code = take_tools(p, json, &own);
    else if (err) own = *err;
    char before[sizeof p->why];
    memcpy(before, p->why, sizeof before);
    p->code = code;
    snprintf(p->why, sizeof p->why, "%.255s", code ? own.message : "");
    log_failure(p, before);
    note_failure(p);
    s->marks_changed |= !code;
    if (!code) p->remembered = true;
    if (!code) p->listed = fer_clock_wall();
    note_silence(p);
    forget_listing(p);
    fer_place_look_again(p);
    if (p->again) ask_soon(s);
    else if (!s->waiting) fer_station_save(s);
    if (!s->waiting) fer_station_say_held(s);
}

static void ask_place(fer_place_of_tools *p)
{
    p->asked = true;
    p->again = false;
    p->began = fer_clock_mono();
    /* What commands and APIs have is the operator's to say, and is in the catalogue. */
    if (p->part != FER_CONFIG_SERVER || !p->runner->kind->list) return;
    fer_arena_free(p->listing_arena);
    p->listing_arena = fer_arena_new(0);
    asking *q = p->listing_arena ? fer_arena_alloc_zero(p->listing_arena, 1, sizeof *q) : NULL;
    if (!q) return;
    *q = (asking){{.arena = p->listing_arena, .on_end = on_listed, .context = q}, p};
    p->asking = true;
    if (!p->code) note_silence(p); /* one that was away is so until it answers */
    p->station->waiting++;
    p->runner->kind->list(p->runner, &q->listing);
}

/* ---- servers that change -----------------------------------------------------------------------
 * A server that says so all the time is asked once a while, however often that is: all that it says
 * between two lists is one change. */

static void on_relist(uv_timer_t *timer)
{
    ask_soon(timer->data);
}

/* Asks those that have changed and whose turn it is; looks again when the next one's is. */
static void ask_soon(fer_station *s)
{
    int64_t now = fer_clock_mono(), next = INT64_MAX;
    for (size_t i = 0; i < s->place_count; i++) {
        fer_place_of_tools *p = s->places[i];
        int64_t turn = p->began ? p->began + FER_STATION_RELIST_MS * MS : 0;
        if (!p->again || p->asking) continue;
        if (turn <= now) ask_place(p);
        else if (turn < next) next = turn;
    }
    if (next != INT64_MAX)
        uv_timer_start(&s->relist, on_relist, (uint64_t)((next - now) / MS) + 1, 0);
}

void fer_station_begin_relist(fer_station *s)
{
    s->relist.data = s;
    uv_timer_init(fer_gateway_loop(s->gateway), &s->relist);
    uv_unref((uv_handle_t *)&s->relist);
}

/* A list that is under way may have been made before the change, and its memory is in use: then
 * another one follows. */
void fer_station_changed(void *context, fer_runner *r)
{
    fer_station *s = context;
    for (size_t i = 0; i < s->place_count; i++)
        if (s->places[i]->runner == r) s->places[i]->again = true;
    ask_soon(s);
}

void fer_station_missing(void *context, fer_runner *r)
{
    fer_station *s = context;
    int64_t before = fer_clock_mono() - FER_STATION_MISSING_MS * MS;
    for (size_t i = 0; i < s->place_count; i++) {
        fer_place_of_tools *p = s->places[i];
        if (p->runner != r || p->asking || (p->began && p->began > before)) continue;
        ask_place(p);
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void wait_for_lists(fer_station *s)
{
    while (s->waiting && !s->interrupted) uv_run(fer_gateway_loop(s->gateway), UV_RUN_ONCE);
}

static bool is_known(fer_station *s, fer_str id)
{
    fer_str found;
    fer_arena *a = fer_arena_new(0);
    fer_view *v = fer_catalog_view(s->catalog);
    bool known = a && !fer_view_resolve(a, v, id, FER_STR(""), &found, NULL);
    fer_view_unref(v);
    fer_arena_free(a);
    return known;
}

static void ask_for(fer_station *s, fer_str id)
{
    fer_id parts = {0};
    if (id.len && fer_id_parse(id, &parts, NULL)) return;
    bool known = id.len && is_known(s, id);
    int64_t now = fer_clock_mono();
    for (size_t i = 0; i < s->place_count; i++) {
        fer_place_of_tools *p = s->places[i];
        /* One that failed is asked again, after its pause. */
        bool again = p->part == FER_CONFIG_SERVER && p->code && !p->asking && p->ask_after <= now;
        if ((p->asked && !again) || (parts.ns.len && !fer_str_eq(parts.ns, p->ns))) continue;
        if (p->remembered && known) continue;
        ask_place(p);
    }
}

void fer_station_begin_asking(fer_station *s)
{
    ask_for(s, FER_STR(""));
}

/* What the catalogue has of it was asked for not long ago. */
static bool is_fresh(const fer_station *s, const fer_place_of_tools *p)
{
    int64_t keep = s->config.relist_ms ? s->config.relist_ms : FER_CONFIG_RELIST_MS;
    int64_t age = fer_clock_wall() - p->listed;
    return p->remembered && age >= 0 && age < keep;
}

void fer_station_begin_asking_unknown(fer_station *s)
{
    for (size_t i = 0; i < s->place_count; i++) {
        fer_place_of_tools *p = s->places[i];
        bool theirs =
            s->wants.search && fer_place_is_owned(p); /* whose its tools are is not kept */
        if (!p->asked && (p->eager || theirs || !is_fresh(s, p))) ask_place(p);
    }
}

bool fer_station_is_blank(const fer_station *s)
{
    for (size_t i = 0; i < s->place_count; i++)
        if (s->places[i]->asking && !s->places[i]->remembered) return true;
    return false;
}

void fer_station_ask_again(fer_station *s)
{
    for (size_t i = 0; i < s->place_count; i++)
        if (s->places[i]->code && !s->places[i]->asking) ask_place(s->places[i]);
}

void fer_station_tend(fer_station *s)
{
    int64_t now = fer_clock_mono();
    fer_station_forget_catalogs(s);
    for (size_t i = 0; i < s->place_count; i++) {
        fer_place_of_tools *p = s->places[i];
        if (p->code && !p->asking && p->ask_after <= now) ask_place(p);
    }
}

void fer_station_ask(fer_station *s, fer_str id)
{
    ask_for(s, id);
    wait_for_lists(s);
}

void fer_station_ask_unknown(fer_station *s)
{
    fer_station_begin_asking_unknown(s);
    wait_for_lists(s);
}

static void ask_steps(fer_station *s, const fer_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        const fer_step *one = &steps->list[i];
        if (one->tool.len) ask_for(s, one->tool);
        if (one->fallback && one->fallback->tool.len) ask_for(s, one->fallback->tool);
        /* Groups are at most FER_CHAIN_DEPTH inside each other. */
        for (size_t k = 0; k < one->branch_count; k++) ask_steps(s, &one->branches[k]);
    }
}

void fer_station_ask_chain(fer_station *s, const fer_chain *chain)
{
    ask_steps(s, &chain->steps);
    wait_for_lists(s);
}

/* ---- what is remembered ---------------------------------------------------------------------- */

static fer_str marks_file(fer_arena *a, const fer_station *s)
{
    return fer_arena_printf(a, "%s.servers", s->catalog_file);
}

static fer_place_of_tools *server_of(const fer_station *s, fer_str ns)
{
    for (size_t i = 0; i < s->place_count; i++)
        if (s->places[i]->part == FER_CONFIG_SERVER && fer_str_eq(s->places[i]->ns, ns))
            return s->places[i];
    return NULL;
}

static void recall_one(fer_station *s, fer_str ns, const yyjson_val *row)
{
    fer_place_of_tools *p = server_of(s, ns);
    const yyjson_val *mark = fer_is_obj(row) ? fer_val_get(row, "config") : NULL;
    const yyjson_val *tools = fer_is_obj(row) ? fer_val_get(row, "tools") : NULL;
    const yyjson_val *at = fer_is_obj(row) ? fer_val_get(row, "at") : NULL;
    if (!p) {
        fer_station_forget(s, FER_BACKEND_MCP, ns, ns, NULL, NULL);
        s->marks_changed = true;
        return;
    }
    p->remembered = fer_is_str(mark) && fer_str_eq(fer_val_str(mark), p->mark);
    if (p->remembered && tools && fer_val_tag(tools) == FER_TAG_UINT)
        p->tools = (size_t)tools->uni.u64;
    if (p->remembered && at && fer_val_tag(at) == FER_TAG_UINT && at->uni.u64 < INT64_MAX / MS)
        p->listed = (int64_t)at->uni.u64;
}

/* Whether there is a file of marks; a member of it, or NULL. */
static bool read_marks(fer_arena *a, const fer_station *s, const char *member,
                       const yyjson_val **out)
{
    fer_str text, name = marks_file(a, s);
    fer_json *doc = NULL;
    *out = NULL;
    if (!name.ptr || !fer_file_exists(name.ptr)) return false;
    fer_code code = fer_file_read(a, name.ptr, MARKS_MAX, &text, NULL);
    if (!code) code = fer_json_read(a, text, NULL, &doc, NULL);
    if (!code && fer_is_obj(fer_json_root(doc))) *out = fer_val_get(fer_json_root(doc), member);
    return true;
}

void fer_station_recall(fer_station *s)
{
    const yyjson_val *rows;
    if (!s->catalog_file || !s->catalog_was_there) return; /* it has none of their tools */
    fer_arena *a = fer_arena_new(0);
    if (!a || !read_marks(a, s, "servers", &rows)) {
        fer_arena_free(a);
        return;
    }
    if (fer_is_obj(rows)) {
        FER_EACH_MEMBER (rows, key) recall_one(s, fer_val_str(key), key + 1);
    } else {
        fer_station_say(s, "%s.servers is damaged: all servers are asked for their tools again",
                        s->catalog_file);
    }
    fer_arena_free(a);
}

void fer_station_catch_up(fer_station *s)
{
    const yyjson_val *version;
    bool reads = s->catalog_file && s->catalog_was_there && fer_station_writes(s);
    fer_arena *a = reads ? fer_arena_new(0) : NULL;
    s->heard = s->saved;
    if (a && read_marks(a, s, "version", &version) && version &&
        fer_val_tag(version) == FER_TAG_UINT) {
        s->heard = version->uni.u64;
        /* Who only looks has no ledger: the next gateway hears of it. */
        if (!s->wants.looks) fer_station_hear(s, s->heard);
    }
    fer_arena_free(a);
    /* A command that makes one call says what it holds back itself, not what waits since long. */
    s->held_said = s->wants.search ? 0 : fer_station_held(s, FER_STR(""));
}

static fer_code write_marks(fer_station *s, fer_err *err)
{
    fer_buf b;
    bool any = false;
    fer_arena *a = fer_arena_new(0);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_buf_init(&b, a, MARKS_MAX);
    fer_buf_add_text(&b, "{\"servers\":{");
    for (size_t i = 0; i < s->place_count; i++) {
        const fer_place_of_tools *p = s->places[i];
        if (!p->remembered) continue;
        fer_buf_add_text(&b, any ? ",\n" : "\n");
        fer_buf_add_quoted(&b, p->ns);
        fer_buf_printf(&b, ":{\"config\":\"%.*s\",\"tools\":%zu,\"at\":%lld}", FER_PRI(p->mark),
                       p->tools, (long long)p->listed);
        any = true;
    }
    uint64_t version = s->wants.looks && s->catalog_was_there ? s->heard : s->saved;
    fer_buf_printf(&b, "\n},\"version\":%llu}\n", (unsigned long long)version);
    fer_str name = marks_file(a, s);
    fer_code code = name.ptr ? fer_buf_code(&b, err) : fer_arena_failed(a, err);
    if (!code) code = fer_file_replace(name.ptr, fer_buf_view(&b), err);
    fer_arena_free(a);
    return code;
}

void fer_station_save(fer_station *s)
{
    fer_err err = {0};
    fer_code code = FER_OK;
    if (!s->catalog_file || !fer_station_writes(s)) return;
    fer_view *v = fer_catalog_view(s->catalog);
    uint64_t now = fer_view_version(v);
    fer_view_unref(v);
    if (now != s->saved) {
        code = fer_catalog_save(s->catalog, s->catalog_file, &err);
        s->marks_changed |= !code;
    }
    if (!code) s->saved = now;
    if (!code && s->marks_changed) code = write_marks(s, &err);
    if (!code) s->marks_changed = false;
    /* A server takes over what the other program wrote, and asks again. */
    if (code && !(code == FER_CATALOG_CHANGED && s->wants.search))
        fer_station_say(s, "the catalogue is not kept: %s: %s", fer_code_info(code)->name,
                        err.message);
}
