/* SPDX-License-Identifier: Apache-2.0 */
#include "site.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "json_value.h"
#include "keeping.h"

#define JOB(...)                                                                                   \
    (const struct job[]){__VA_ARGS__},                                                             \
        sizeof((const struct job[]){__VA_ARGS__}) / sizeof(struct job)

const struct plan plans[] = {
    {"Pure, some of it cached",
     JOB({"read", "o", false}, {"look", "o", false}, {"look", "xo", false}), 18, 3, 1, false},
    {"idempotent writes, tried again",
     JOB({"put", "o", true}, {"put", "xo", true}, {"put", "lo", true}, {"put", "1o", true},
         {"put", "n", true}),
     15, 4, 1, true},
    {"writes with keys",
     JOB({"post", "o", true}, {"post", "x", true}, {"post", "n", true}, {"post", "0o", true},
         {"post", "l", true}, {"post", "o", true}),
     15, 4, 1, true},
    {"outside, without keys",
     JOB({"mail", "o", false}, {"mail", "x", false}, {"mail", "0o", false}, {"post", "o", false},
         {"mail", "n", false}),
     15, 3, 1, false},
    {"chains",
     JOB({"put post look", "o", true}, {"post put read", "o", true}, {"put post", "x", true}), 6, 2,
     1, false},
    {"several tenants",
     JOB({"post", "o", true}, {"look", "o", false}, {"put", "xo", true}, {"mail", "o", false},
         {"post", "x", true}),
     20, 6, 3, true},
};
const size_t plan_count = FER_COUNT(plans);

/* ---- the backend --------------------------------------------------------------------------------
 */

struct seen { /* attempts at a call in this life */
    char n[NAME_MAX_N];
    size_t count;
};

struct client;
struct site {
    fer_runner runner; /* first */
    const struct plan *plan;
    const struct site_watch *watch;
    fer_catalog *catalog;
    fer_gateway *gateway;
    fer_keeping *keeping;
    bool again;
    size_t next; /* job that is asked for next */
    unsigned marks;
    struct seen seen[256];
    size_t seen_count;
    struct client *clients;
};

static char letter_of(struct site *s, const char *n, const char *script)
{
    size_t i = 0, len = strlen(script);
    while (i < s->seen_count && strcmp(s->seen[i].n, n) != 0) i++;
    if (i == s->seen_count) {
        if (i == FER_COUNT(s->seen)) abort();
        snprintf(s->seen[s->seen_count++].n, sizeof s->seen[i].n, "%s", n);
    }
    size_t at = s->seen[i].count++;
    return script[at < len ? at : len - 1];
}

static void text_arg(const fer_attempt *t, const char *key, char *out, size_t size)
{
    const yyjson_val *v = fer_val_get(t->args, key);
    snprintf(out, size, "%.*s", fer_is_str(v) ? (int)fer_val_str(v).len : 0,
             fer_is_str(v) ? fer_val_str(v).ptr : "");
}

static void answer(fer_attempt *t, const char *n, const char *who, const char *mark)
{
    fer_json *doc;
    fer_err err;
    fer_str text = fer_arena_printf(
        t->arena, "{\"mark\":\"%s\",\"n\":\"%s\",\"token\":\"" SITE_SECRET_OUT "\",\"who\":\"%s\"}",
        mark, n, who);
    if (!text.ptr || fer_json_read(t->arena, text, NULL, &doc, &err)) abort();
    fer_attempt_end(t, &(fer_outcome){.phase = FER_PHASE_DEFINITE,
                                      .structured = fer_json_root(doc),
                                      .doc = doc,
                                      .structured_json = text});
}

static void backend_call(fer_runner *r, fer_attempt *t)
{
    struct site *s = (struct site *)(void *)r;
    const struct site_watch *w = s->watch;
    char n[NAME_MAX_N], who[16], script[16], key[80], mark[NAME_MAX_N];
    text_arg(t, "n", n, sizeof n);
    text_arg(t, "who", who, sizeof who);
    text_arg(t, "how", script, sizeof script);
    snprintf(key, sizeof key, "%.*s", FER_PRI(t->idempotency_key));
    char how = letter_of(s, n, s->again ? "o" : script);
    bool known = fer_str_is(t->tool, "put") && key[0] && w->has_done(w->context, key, mark);
    t->sent = how != '0';
    if (how == '0') fer_attempt_fail(t, FER_BACKEND_UNAVAILABLE, "nobody is there");
    if (how == '1')
        fer_attempt_end(t, &(fer_outcome){.code = FER_BACKEND_UNAVAILABLE,
                                          .phase = FER_PHASE_NOT_PROCESSED,
                                          .message = FER_STR("not now")});
    if (how == 'l') fer_attempt_fail(t, FER_CONNECTION_LOST, "it was lost on its way");
    if (how == 'n') fer_attempt_fail(t, FER_TOOL_FAILED, "I will not");
    if (how != 'x' && how != 'o') return;
    if (!known) {
        snprintf(mark, sizeof mark, "%lx.%u", (long)getpid(), s->marks++);
        w->did(w->context, n, mark, key[0] ? key : "-");
    }
    if (how == 'x') fer_attempt_fail(t, FER_CONNECTION_LOST, "its answer was lost");
    else answer(t, n, who, mark);
}

static void backend_free(fer_runner *r)
{
    (void)r;
}

static const fer_runner_kind backend = {
    .name = "site", .backend = FER_BACKEND_LOCAL, .call = backend_call, .free = backend_free};

#define TOOL(name, effect, more)                                                                   \
    "{\"namespace\":\"t\",\"name\":\"" name "\",\"version\":\"1.0.0\",\"description\":\"Does.\","  \
    "\"inputSchema\":{\"type\":\"object\"},\"effect\":\"" effect "\"" more "}"
static const char tools[] =
    "[" TOOL("read", "Pure", "") "," TOOL("look", "Pure", ",\"cache\":{\"ttlMs\":60000}") "," TOOL(
        "put", "IdempotentWrite",
        "") "," TOOL("post", "NonIdempotentWrite",
                     ",\"idempotency\":"
                     "\"optional\"") "," TOOL("mail", "ExternalSideEffects", "") "]";
static const char policies[] =
    "{\"tools\":{\"*\":{\"retry\":{\"backoffMs\":1,\"maxBackoffMs\":1}}},\"backends\":{\"t\":{"
    "\"honoursKeys\":true,\"circuitBreaker\":{\"enabled\":false}}}}";

static fer_effect effect_of(const char *tool)
{
    if (strcmp(tool, "put") == 0) return FER_EFFECT_IDEMPOTENT_WRITE;
    if (strcmp(tool, "post") == 0) return FER_EFFECT_NON_IDEMPOTENT_WRITE;
    return strcmp(tool, "mail") == 0 ? FER_EFFECT_EXTERNAL_SIDE_EFFECTS : FER_EFFECT_PURE;
}

/* ---- clients ------------------------------------------------------------------------------------
 */

/* Asks for one thing, and for the next when it is told. */
struct client {
    struct site *site;
    struct client *list; /* all there are */
    fer_chain *chain;
    size_t job;
    bool once;
    int64_t began;
    char tenant[16];
    fer_caller caller;
    char n[4][NAME_MAX_N]; /* of the steps of a chain, or of the call */
    size_t steps;
    char key[32];
};

#define DEADLINE_MS 60000

static void ask_next(struct client *c);

static void note_asked(struct client *c, const char *n, const char *tool, bool keyed,
                       unsigned times)
{
    struct asked a = {.effect = effect_of(tool), .deadline_ms = DEADLINE_MS, .times = times};
    a.keyed = keyed && a.effect != FER_EFFECT_PURE;
    snprintf(a.n, sizeof a.n, "%s", n);
    snprintf(a.tenant, sizeof a.tenant, "%s", c->tenant);
    c->site->watch->asked(c->site->watch->context, &a);
}

static enum said said_of(fer_code code, unsigned attempts, bool replayed)
{
    if (!code) return SAID_OK;
    if (code == FER_OUTCOME_UNKNOWN) return SAID_UNKNOWN;
    return attempts || replayed ? SAID_NO : SAID_REFUSED;
}

static void note_told(struct client *c, const char *n, fer_code code, unsigned attempts,
                      bool replayed, fer_str output)
{
    struct told t = {.said = said_of(code, attempts, replayed),
                     .attempts = attempts,
                     .replayed = replayed,
                     .code = code,
                     .took_ms = (fer_clock_mono() - c->began) / 1000000};
    snprintf(t.n, sizeof t.n, "%s", n);
    if (!code) history_read_result(&t, output);
    c->site->watch->told(c->site->watch->context, &t);
}

static void on_call(void *context, fer_call *call, const fer_envelope *e)
{
    struct client *c = context;
    (void)call;
    note_told(c, c->n[0], e->error.code, e->attempts, e->replayed, e->structured);
    ask_next(c);
}

/* What a step was told stands in its envelope. */
static void note_step(struct client *c, size_t i, const fer_step_result *s)
{
    fer_json *doc;
    fer_arena *a = fer_arena_new(0);
    if (!a || fer_json_read(a, s->envelope, NULL, &doc, NULL)) abort();
    const yyjson_val *root = fer_json_root(doc), *error = fer_val_get(root, "error"),
                     *attempts = fer_val_get(root, "attempts"),
                     *replayed = fer_val_get(root, "replayed");
    const yyjson_val *code = fer_is_obj(error) ? fer_val_get(error, "code") : NULL;
    fer_code said = FER_OK;
    if (fer_is_str(code)) said = FER_TOOL_FAILED;
    if (fer_is_str(code) && fer_str_is(fer_val_str(code), "OutcomeUnknown"))
        said = FER_OUTCOME_UNKNOWN;
    note_told(c, c->n[i], said, attempts ? (unsigned)attempts->uni.u64 : 0,
              replayed && fer_is_true(replayed), s->output);
    fer_arena_free(a);
}

static void on_chain(void *context, const fer_chain_result *r)
{
    struct client *c = context;
    for (size_t i = 0; i < r->step_count && i < c->steps; i++)
        if (r->steps[i].envelope.len) note_step(c, i, &r->steps[i]);
    ask_next(c);
}

static fer_str arguments(fer_arena *a, const struct client *c, const char *n, const char *script)
{
    return fer_arena_printf(
        a, "{\"n\":\"%s\",\"who\":\"%s\",\"how\":\"%s\",\"password\":\"" SITE_SECRET_IN "\"}", n,
        c->tenant, script);
}

static void ask_chain(struct client *c, const struct job *j, const fer_call_options *o)
{
    char words[64], *rest = NULL;
    fer_err err;
    fer_buf b;
    fer_arena *a = fer_arena_new(0);
    if (!a) abort();
    fer_buf_init(&b, a, 1 << 16);
    snprintf(words, sizeof words, "%s", j->tool);
    c->steps = 0;
    for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        char *n = c->n[c->steps];
        snprintf(n, NAME_MAX_N, "%zu.%zu", c->job, c->steps);
        note_asked(c, n, w, true, c->steps == 0);
        fer_buf_printf(&b, "%s{\"toolId\":\"t:%s\",\"args\":%.*s}", c->steps ? "," : "[", w,
                       FER_PRI(arguments(a, c, n, j->script)));
        c->steps++;
    }
    fer_buf_add_char(&b, ']');
    if (fer_chain_read(fer_buf_view(&b), &c->chain, &err)) abort();
    fer_arena_free(a);
    if (fer_gateway_chain(c->site->gateway, c->chain, FER_STR(""), o, on_chain, c, &err)) abort();
}

static void ask(struct client *c, const struct job *j)
{
    fer_err err;
    snprintf(c->key, sizeof c->key, "key-%zu", c->job);
    fer_call_options o = {.deadline_ms = DEADLINE_MS,
                          .caller = &c->caller,
                          .idempotency_key = fer_str_of(j->keyed ? c->key : "")};
    c->began = fer_clock_mono();
    if (strchr(j->tool, ' ')) {
        ask_chain(c, j, &o);
        return;
    }
    /* What may come from the cache has few names. */
    bool cached = strcmp(j->tool, "look") == 0;
    snprintf(c->n[0], NAME_MAX_N, "%s%zu%s", cached ? "look" : "", cached ? c->job % 4 : c->job,
             cached ? c->tenant : "");
    note_asked(c, c->n[0], j->tool, j->keyed, 1);
    fer_arena *a = fer_arena_new(0);
    if (!a) abort();
    fer_str args = arguments(a, c, c->n[0], j->script), tool = fer_arena_printf(a, "t:%s", j->tool);
    if (fer_gateway_call(c->site->gateway, tool, args, &o, on_call, c, NULL, &err)) abort();
    fer_arena_free(a);
}

static void ask_job(struct client *c, size_t job)
{
    const struct plan *p = c->site->plan;
    c->job = job;
    snprintf(c->tenant, sizeof c->tenant, "tenant%u", (unsigned)(job % p->tenants) % 10);
    c->caller = (fer_caller){.tenant = fer_str_of(c->tenant), .principal = FER_STR("p")};
    ask(c, &p->jobs[job % p->job_count]);
}

static void ask_next(struct client *c)
{
    struct site *s = c->site;
    const struct plan *p = s->plan;
    fer_chain_free(c->chain);
    c->chain = NULL;
    while (s->next < p->calls && s->again && !p->jobs[s->next % p->job_count].keyed) s->next++;
    if (s->next < p->calls && !c->once) ask_job(c, s->next++);
}

static struct client *new_client(struct site *s)
{
    struct client *c = calloc(1, sizeof *c);
    if (!c) abort();
    c->site = s;
    c->list = s->clients;
    s->clients = c;
    return c;
}

/* Somebody who asks for the same as another at the same time, and for nothing else. */
static void ask_double(struct site *s, size_t job)
{
    struct client *c = new_client(s);
    c->once = true;
    ask_job(c, job);
}

/* ---- a life -------------------------------------------------------------------------------------
 */

static fer_code set_up(struct site *s, const char *state, fer_err *err)
{
    fer_batch *b = fer_batch_new();
    fer_put_options put = {.backend = &(fer_backend){FER_BACKEND_LOCAL, FER_STR("t"), FER_STR("")}};
    fer_code code = fer_catalog_new(NULL, &s->catalog, err);
    fer_gateway_options o = {.catalog = s->catalog, .policies = fer_str_of(policies)};
    if (!code) code = fer_gateway_new(&o, &s->gateway, err);
    if (!code) {
        s->runner = (fer_runner){
            .kind = &backend, .name = FER_STR("t"), .loop = fer_gateway_loop(s->gateway)};
        code = fer_gateway_add_runner(s->gateway, &s->runner, err);
    }
    if (!code)
        code = fer_batch_add(b, FER_STR("t.json"), fer_str_of(tools), FER_FORMAT_JSON, &put, err);
    if (!code) code = fer_catalog_apply(s->catalog, b, err);
    fer_batch_free(b);
    fer_config_ledger ledger = {.segment_bytes = 1 << 20}; /* a life writes little */
    fer_keep_options keep = {
        .folder = fer_str_of(state), .ledger = &ledger, .key_ttl_ms = FER_KEY_TTL_MS};
    return code ? code : fer_keeping_begin(s->gateway, &keep, &s->keeping, err);
}

void site_run(const struct plan *p, const char *state, bool again, const struct site_watch *watch,
              struct site_end *end)
{
    struct site *s = calloc(1, sizeof *s);
    fer_err err = {0};
    if (!s) abort();
    *end = (struct site_end){.before = footing_now()};
    *s = (struct site){.plan = p, .watch = watch, .again = again};
    fer_code code = set_up(s, state, &err);
    end->opened = !code;
    snprintf(end->why, sizeof end->why, "%.255s", code ? err.message : "");
    for (size_t i = 0; !code && i < p->at_once; i++) ask_next(new_client(s));
    for (size_t i = 0; !code && p->doubled && !again && i < s->next; i += 3)
        if (p->jobs[i % p->job_count].keyed) ask_double(s, i);
    if (!code) fer_gateway_run(s->gateway);
    if (s->gateway) fer_gateway_stop(s->gateway);
    fer_keeping_end(s->keeping);
    fer_gateway_free(s->gateway);
    fer_catalog_free(s->catalog);
    for (struct client *c = s->clients, *next; c; c = next) {
        next = c->list;
        free(c);
    }
    free(s);
    end->after = footing_now();
}

/* ---- folders ------------------------------------------------------------------------------------
 */

void site_folder(char out[128])
{
    static int number;
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(out, 128, "%s/ferrule-site-%ld-%d", place, (long)getpid(), number++);
    site_remove(out);
}

void site_remove(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *e;
    while (dir && (e = readdir(dir))) {
        char path[512];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (unlink(path) != 0) site_remove(path);
    }
    if (dir) closedir(dir);
    rmdir(folder);
}
