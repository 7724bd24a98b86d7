/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule keys list, show, resolve, sweep: what is kept under idempotency keys. */
#include <uv.h>

#include "call.h"
#include "clock.h"
#include "errors.h"
#include "keeping.h"
#include "key_policy.h"
#include "key_words.h"
#include "policy_set.h"
#include "state_folder.h"

#define LIST_MAX 10000                /* keys that are listed, of one state */
#define SHORT    16                   /* digits of a digest that are shown */
#define SHORTEST 8                    /* that name a key */
#define APPLY_NS INT64_C(10000000000) /* that a running gateway has to apply a word */
#define POLL_MS  100

/* The folder as a visitor sees it. */
struct visit {
    fer_app *app;
    fer_arena *arena;
    uv_loop_t loop;
    bool looping;
    fer_config config;
    fer_str folder;
    fer_keeping *keeping;
    /* The answer to the last request. */
    bool answered;
    fer_code code;
    struct fer_store_item *items;
    size_t count;
    uint64_t number;
    fer_idem_record found;
    bool has_value;
};

/* ---- asking ---------------------------------------------------------------------------------- */

static bool keep(fer_arena *a, fer_str *s)
{
    *s = fer_arena_copy(a, s->len ? *s : FER_STR(""));
    return s->ptr != NULL;
}

static void on_answer(void *context, const fer_store_answer *a)
{
    struct visit *v = context;
    v->answered = true;
    v->code = a->code;
    v->number = a->count;
    v->has_value = a->value.ptr != NULL;
    v->count = a->item_count;
    v->found = a->found;
    v->items = fer_arena_alloc_zero(v->arena, a->item_count + 1, sizeof *v->items);
    bool good = v->items && keep(v->arena, &v->found.tenant) && keep(v->arena, &v->found.call) &&
                keep(v->arena, &v->found.tool) && keep(v->arena, &v->found.result);
    for (size_t i = 0; good && i < a->item_count; i++) {
        v->items[i] = a->items[i];
        good = keep(v->arena, &v->items[i].key) && keep(v->arena, &v->items[i].tenant) &&
               keep(v->arena, &v->items[i].tool);
    }
    if (!good && !v->code) v->code = FER_OUT_OF_MEMORY;
}

/* Waits for the answer to a request that was handed over with `code`. */
static fer_code wait_for(struct visit *v, fer_code code, fer_err *err)
{
    if (code) return code;
    while (!v->answered) uv_run(&v->loop, UV_RUN_ONCE);
    v->answered = false;
    if (!v->code) return FER_OK;
    return fer_fail(err, v->code, "%s", fer_code_info(v->code)->text);
}

static void end_visit(struct visit *v)
{
    fer_keeping_end(v->keeping);
    if (v->looping) uv_loop_close(&v->loop);
    fer_arena_free(v->arena);
}

static int begin_visit(struct visit *v, fer_app *app)
{
    fer_err err;
    *v = (struct visit){.app = app, .arena = fer_arena_new(0)};
    v->looping = v->arena && !uv_loop_init(&v->loop);
    int bad = 0;
    if (!v->looping) {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        bad = fer_app_fail(app, &err);
    }
    if (!bad) bad = fer_state_find(app, v->arena, &v->config, &v->folder);
    if (!bad && fer_keeping_visit(&v->loop, v->folder, &v->keeping, &err))
        bad = fer_app_fail(app, &err);
    if (bad) end_visit(v);
    return bad;
}

/* ---- list ------------------------------------------------------------------------------------ */

static void write_time(fer_out *o, int64_t ms, bool json)
{
    char text[FER_TIMESTAMP];
    fer_clock_format(ms, text);
    if (json) fer_out_json(o, fer_str_of(text));
    else fer_out_text(o, text);
}

static void json_text(fer_out *o, const char *key, fer_str text)
{
    if (!text.len) return;
    fer_out_printf(o, ",\"%s\":", key);
    fer_out_json(o, text);
}

static void column(fer_out *o, fer_str text)
{
    fer_out_text(o, "\t");
    fer_out_clean(o, text.len ? text : FER_STR("-"));
}

static void write_item(fer_out *o, const struct fer_store_item *i, fer_idem_state state, bool json)
{
    char hex[FER_KEY_HEX + 1];
    fer_key_hex(i->scope, hex);
    if (!json) {
        fer_out_printf(o, "%.*s\t%s\t", SHORT, hex, fer_idem_states[state]);
        write_time(o, i->when_ms, false);
        column(o, i->tenant);
        column(o, i->tool);
        column(o, i->key);
        fer_out_text(o, "\n");
        return;
    }
    fer_out_printf(o, "{\"key\":\"%s\",\"state\":\"%s\",\"since\":", hex, fer_idem_states[state]);
    write_time(o, i->when_ms, true);
    if (state == FER_IDEM_DONE) {
        fer_out_text(o, ",\"expires\":");
        write_time(o, i->expires_ms, true);
    }
    json_text(o, "tenant", i->tenant);
    json_text(o, "tool", i->tool);
    json_text(o, "callId", i->key);
    fer_out_text(o, "}");
}

static fer_idem_state state_of(const char *word)
{
    for (int i = FER_IDEM_PENDING; word && fer_idem_states[i]; i++)
        if (!strcmp(word, fer_idem_states[i])) return (fer_idem_state)i;
    return FER_IDEM_UNKNOWN;
}

static bool wanted(const fer_app *app, const struct fer_store_item *i)
{
    const char *tenant = fer_app_option(app, "tenant"), *tool = fer_app_option(app, "tool");
    return (!tenant || fer_str_is(i->tenant, tenant)) && (!tool || fer_str_is(i->tool, tool));
}

int fer_run_keys_list(fer_app *app)
{
    struct visit v;
    fer_err err;
    fer_out *o = &app->out;
    bool json = fer_app_option(app, "json") != NULL;
    fer_idem_state state = state_of(fer_app_option(app, "of"));
    int bad = begin_visit(&v, app);
    if (bad) return bad;
    fer_store_port *p = fer_keeping_store(v.keeping);
    if (wait_for(&v, fer_idem_list(p, state, LIST_MAX, on_answer, &v, &err), &err))
        bad = fer_app_fail(app, &err);
    size_t shown = 0;
    if (json && !bad) fer_out_text(o, "{\"keys\":[");
    for (size_t i = 0; !bad && i < v.count; i++) {
        if (!wanted(app, &v.items[i])) continue;
        if (json) fer_out_text(o, shown ? ",\n" : "\n");
        write_item(o, &v.items[i], state, json);
        shown++;
    }
    if (json && !bad) fer_out_text(o, shown ? "\n]}\n" : "]}\n");
    if (!bad && v.count == LIST_MAX)
        fer_app_say(app, "these are the oldest %d; there may be more", LIST_MAX);
    end_visit(&v);
    return bad;
}

/* ---- one key --------------------------------------------------------------------------------- */

static bool is_named(const struct fer_store_item *i, fer_str name)
{
    char hex[FER_KEY_HEX + 1];
    fer_key_hex(i->scope, hex);
    if (fer_str_eq(i->key, name)) return true;
    return name.len >= SHORTEST && name.len <= FER_KEY_HEX &&
           fer_str_eq(fer_str_head(fer_str_of(hex), name.len), name);
}

/* The one key that a digest's beginning or the ID of a call names; unknown ones first. */
static int find_key(struct visit *v, const char *name, unsigned char scope[FER_IDEM_HASH])
{
    static const fer_idem_state order[] = {FER_IDEM_UNKNOWN, FER_IDEM_PENDING, FER_IDEM_AGAIN,
                                           FER_IDEM_DONE};
    fer_store_port *p = fer_keeping_store(v->keeping);
    fer_err err;
    for (size_t s = 0; s < FER_COUNT(order); s++) {
        size_t met = 0;
        if (wait_for(v, fer_idem_list(p, order[s], LIST_MAX, on_answer, v, &err), &err))
            return fer_app_fail(v->app, &err);
        for (size_t i = 0; i < v->count; i++) {
            if (!is_named(&v->items[i], fer_str_of(name))) continue;
            if (!met++) memcpy(scope, v->items[i].scope, FER_IDEM_HASH);
        }
        if (met > 1)
            return fer_app_usage(v->app, "'%s' names %zu keys: give more digits", name, met);
        if (met) return 0;
    }
    fer_app_say(
        v->app,
        "there is no key '%s': give at least %d digits of its digest, or the ID of its call; "
        "'ferrule keys list' has them",
        name, SHORTEST);
    return FER_EXIT_FINDINGS;
}

static int open_key(struct visit *v, fer_app *app, unsigned char scope[FER_IDEM_HASH])
{
    fer_err err;
    if (app->arg_count != 1)
        return fer_app_usage(app, "keys %s takes one key", fer_command_verb(app->command));
    int bad = begin_visit(v, app);
    if (bad) return bad;
    bad = find_key(v, app->args[0], scope);
    fer_store_port *p = fer_keeping_store(v->keeping);
    if (!bad && wait_for(v, fer_idem_get(p, scope, fer_clock_wall(), on_answer, v, &err), &err))
        bad = fer_app_fail(app, &err);
    if (bad) end_visit(v);
    return bad;
}

static void show_json(fer_out *o, const char *hex, const fer_idem_record *r, const fer_envelope *e,
                      bool whole)
{
    fer_out_printf(o, "{\"key\":\"%s\",\"state\":\"%s\",\"since\":", hex,
                   fer_idem_states[r->state]);
    write_time(o, r->created_ms, true);
    if (r->state == FER_IDEM_DONE) {
        fer_out_text(o, ",\"expires\":");
        write_time(o, r->expires_ms, true);
    }
    json_text(o, "tenant", r->tenant);
    json_text(o, "tool", r->tool);
    json_text(o, "callId", r->call);
    fer_out_printf(o, ",\"epoch\":%llu,\"tampered\":%s", (unsigned long long)r->epoch,
                   r->tampered ? "true" : "false");
    if (r->state == FER_IDEM_DONE) {
        fer_out_printf(o, ",\"code\":\"%s\",\"resultBytes\":%zu",
                       fer_code_info(e->error.code)->name, e->structured.len);
        if (whole && e->structured.len) {
            fer_out_text(o, ",\"result\":");
            fer_out_add(o, e->structured);
        }
    }
    fer_out_text(o, "}\n");
}

static void show_line(fer_out *o, const char *name, fer_str text)
{
    fer_out_printf(o, "%-10s ", name);
    fer_out_clean(o, text.len ? text : FER_STR("-"));
    fer_out_text(o, "\n");
}

static void show_text(fer_out *o, const char *hex, const fer_idem_record *r, const fer_envelope *e,
                      bool whole)
{
    char since[FER_TIMESTAMP], until[FER_TIMESTAMP];
    fer_clock_format(r->created_ms, since);
    fer_clock_format(r->expires_ms, until);
    show_line(o, "key", fer_str_of(hex));
    show_line(o, "state",
              fer_str_of(r->tampered ? "unknown (its record was changed or is of "
                                       "another seal.key)"
                                     : fer_idem_states[r->state]));
    show_line(o, "since", fer_str_of(since));
    if (r->state == FER_IDEM_DONE) show_line(o, "expires", fer_str_of(until));
    show_line(o, "tenant", r->tenant);
    show_line(o, "tool", r->tool);
    show_line(o, "call", r->call);
    if (r->state != FER_IDEM_DONE) return;
    show_line(o, "code", fer_str_of(fer_code_info(e->error.code)->name));
    fer_out_printf(o, "%-10s %zu byte%s\n", "result", e->structured.len, fer_s(e->structured.len));
    if (whole && e->structured.len) {
        fer_out_clean(o, e->structured);
        fer_out_text(o, "\n");
    }
}

int fer_run_keys_show(fer_app *app)
{
    struct visit v;
    fer_err err;
    unsigned char scope[FER_IDEM_HASH];
    char hex[FER_KEY_HEX + 1];
    fer_envelope e = {.structured = FER_STR("")};
    int bad = open_key(&v, app, scope);
    if (bad) return bad;
    fer_key_hex(scope, hex);
    bool whole = fer_app_option(app, "result") != NULL;
    if (v.found.state == FER_IDEM_DONE && fer_stored_open(v.arena, v.found.result, &e, &err))
        bad = fer_app_fail(app, &err);
    else if (fer_app_option(app, "json")) show_json(&app->out, hex, &v.found, &e, whole);
    else show_text(&app->out, hex, &v.found, &e, whole);
    end_visit(&v);
    return bad;
}

/* ---- resolve --------------------------------------------------------------------------------- */

static int64_t key_ttl(struct visit *v)
{
    fer_policy_set *set;
    if (fer_policy_read(v->arena, v->config.policies, &set, NULL)) return FER_KEY_TTL_MS;
    return fer_policy_common_of(set)->key_ttl_ms;
}

/* Waits until whoever keeps the folder has applied the word. */
static fer_code wait_applied(struct visit *v, const unsigned char *scope, bool *out, fer_err *err)
{
    int64_t end = fer_clock_mono() + APPLY_NS;
    fer_store_port *p = fer_keeping_store(v->keeping);
    for (*out = false; !*out; *out = !v->has_value) {
        fer_code code = wait_for(v, fer_word_get(p, scope, on_answer, v, err), err);
        if (code || fer_clock_mono() > end) return code;
        if (v->has_value) uv_sleep(POLL_MS);
    }
    return FER_OK;
}

/* The word is durable; now it is applied, by us or by the gateway that has the folder. */
static fer_code apply(struct visit *v, const unsigned char *scope, bool *applied, fer_err *err)
{
    fer_keeping *own;
    fer_keep_options o = {
        .folder = v->folder, .ledger = &v->config.ledger, .key_ttl_ms = key_ttl(v)};
    fer_code code = fer_keeping_open(&v->loop, &o, &own, err);
    if (code == FER_LEDGER_UNAVAILABLE) return wait_applied(v, scope, applied, err);
    if (code) return code;
    code = fer_keeping_settle(own, err);
    fer_keeping_end(own);
    *applied = !code;
    return code;
}

static int read_result(fer_app *app, fer_arena *a, const char *text, fer_str *out)
{
    fer_json *doc;
    fer_err err;
    if (fer_json_read(a, fer_str_of(text), fer_json_limits_file(), &doc, &err))
        return fer_app_usage(app, "--done takes the result as JSON, such as '{\"id\": 7}': %s",
                             err.message);
    return fer_json_write(a, fer_json_root(doc), false, out, &err) ? fer_app_fail(app, &err) : 0;
}

static int resolve(struct visit *v, const unsigned char *scope, const char *done)
{
    fer_app *app = v->app;
    fer_err err;
    bool applied = false;
    fer_str result = FER_STR("");
    if (v->found.state != FER_IDEM_UNKNOWN) {
        fer_app_say(app, "nothing is to be said of this key: it is %s",
                    fer_idem_states[v->found.state]);
        return FER_EXIT_FINDINGS;
    }
    int bad = done ? read_result(app, v->arena, done, &result) : 0;
    if (bad) return bad;
    fer_store_port *p = fer_keeping_store(v->keeping);
    fer_code code =
        wait_for(v, fer_word_put(p, scope, done != NULL, result, on_answer, v, &err), &err);
    if (!code) code = apply(v, scope, &applied, &err);
    if (code) return fer_app_fail(app, &err);
    if (applied)
        fer_out_printf(&app->out, "%s\n",
                       done ? "the key has its result; whoever calls again gets it"
                            : "the key is free; whoever calls again runs the tool");
    else
        fer_app_say(app,
                    "the word is kept; the gateway that has the folder has not applied it yet");
    return 0;
}

int fer_run_keys_resolve(fer_app *app)
{
    struct visit v;
    unsigned char scope[FER_IDEM_HASH];
    const char *done = fer_app_option(app, "done"), *not_done = fer_app_option(app, "not-done");
    if (!done == !not_done)
        return fer_app_usage(app, "say one of --done RESULT and --not-done: did the call have its "
                                  "effect?");
    int bad = open_key(&v, app, scope);
    if (bad) return bad;
    bad = resolve(&v, scope, done);
    end_visit(&v);
    return bad;
}

/* ---- sweep ----------------------------------------------------------------------------------- */

int fer_run_keys_sweep(fer_app *app)
{
    struct visit v;
    fer_err err;
    uint64_t all = 0;
    int bad = begin_visit(&v, app);
    if (bad) return bad;
    fer_store_port *p = fer_keeping_store(v.keeping);
    do {
        if (wait_for(&v, fer_idem_expire(p, fer_clock_wall(), FER_SWEEP_KEYS, on_answer, &v, &err),
                     &err))
            bad = fer_app_fail(app, &err);
        else all += v.number;
    } while (!bad && v.number == FER_SWEEP_KEYS);
    if (!bad && fer_app_option(app, "json"))
        fer_out_printf(&app->out, "{\"expired\":%llu}\n", (unsigned long long)all);
    else if (!bad) fer_out_printf(&app->out, "%llu expired\n", (unsigned long long)all);
    end_visit(&v);
    return bad;
}
