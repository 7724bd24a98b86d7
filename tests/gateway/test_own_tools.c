/* SPDX-License-Identifier: Apache-2.0 */
/* Which tools of a server single tenants are shown: whose lists are asked for, when, and how many
 * of them are kept: gateway.owners, gateway.owned, gateway.owned_time, gateway.owned_again. */
#include "batch.h"
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "rows.h"
#include "sight.h"

#define TOOL(name, text)                                                                           \
    "{\"name\":\"" name "\",\"description\":\"" text "\",\"inputSchema\":{\"type\":\"object\"}}"
#define A TOOL("a", "Does this.")
#define B TOOL("b", "Does that.")

/* ---- a server that answers when it is told to --------------------------------------------------
 */

enum {
    WAITING_MAX = 8
};

typedef struct rig {
    fer_catalog *catalog;
    fer_gateway *gateway;
    fer_runner runner;
    fer_listing *waiting[WAITING_MAX];
    size_t waiting_count;
    size_t lists; /* that were ever asked for */
    char last[32];
    size_t known, news; /* that were told */
    bool refuses;       /* to take them */
    char mark[FER_OWN_MARK + 1];
} rig;

static void list(fer_runner *r, fer_listing *l)
{
    rig *g = (rig *)(void *)((char *)r - offsetof(rig, runner));
    g->lists++;
    snprintf(g->last, sizeof g->last, "%.*s/%.*s", FER_PRI(l->who->owner.tenant),
             FER_PRI(l->who->owner.principal));
    assert_true(g->waiting_count < WAITING_MAX);
    g->waiting[g->waiting_count++] = l;
}
static void call(fer_runner *r, fer_attempt *t)
{
    (void)r;
    fer_attempt_fail(t, FER_UNAUTHENTICATED, "it has been revoked");
}
static void stop(fer_runner *r, void (*done)(fer_runner *r))
{
    rig *g = (rig *)(void *)((char *)r - offsetof(rig, runner));
    fer_err err;
    fer_fail(&err, FER_BACKEND_UNAVAILABLE, "it ends");
    while (g->waiting_count) {
        fer_listing *l = g->waiting[--g->waiting_count];
        l->on_end(l, err.code, FER_STR_NONE, &err);
    }
    done(r);
}
static void free_it(fer_runner *r)
{
    (void)r;
}
static const fer_runner_kind kind = {.name = "puppet",
                                     .backend = FER_BACKEND_MCP,
                                     .list = list,
                                     .call = call,
                                     .stop = stop,
                                     .free = free_it};

/* Answers the list that was asked for first. */
static void answer(rig *r, fer_code code, const char *text)
{
    fer_err err;
    fer_fail(&err, code, "%s", text);
    assert_true(r->waiting_count > 0);
    fer_listing *l = r->waiting[0];
    memmove(r->waiting, r->waiting + 1, --r->waiting_count * sizeof *r->waiting);
    l->on_end(l, code, code ? FER_STR_NONE : fer_str_of(text), code ? &err : NULL);
}

static void on_known(void *context)
{
    ((rig *)context)->known++;
}
static bool on_news(void *context, const fer_own_news *n)
{
    rig *r = context;
    r->news++;
    snprintf(r->mark, sizeof r->mark, "%.*s", FER_PRI(n->mark));
    return !r->refuses;
}

/* For all, or for the owner whose list was told last. */
static fer_code put_for(rig *r, const char *tools, const char *mark)
{
    fer_backend backend = {FER_BACKEND_MCP, FER_STR("s"), FER_STR("")};
    fer_batch *b = fer_batch_new();
    if (b) fer_batch_for_owner(b, fer_str_of(mark));
    fer_code code =
        b ? fer_batch_add(b, FER_STR("s"), fer_str_of(tools), FER_FORMAT_JSON,
                          &(fer_put_options){.ns = FER_STR("s"), .backend = &backend}, NULL)
          : FER_OUT_OF_MEMORY;
    if (!code) code = fer_catalog_apply(r->catalog, b, NULL);
    fer_batch_free(b);
    return code;
}

static fer_code put(rig *r, const char *tools)
{
    return put_for(r, tools, "");
}

static fer_code begin(rig *r, fer_token_share share)
{
    fer_catalog_options o = {.quarantine = FER_QUARANTINE_CHANGED};
    memset(r, 0, sizeof *r);
    r->runner = (fer_runner){.kind = &kind, .name = FER_STR("s"), .share = share};
    fer_code code = fer_catalog_new(&o, &r->catalog, NULL);
    if (!code) code = put(r, "[" A "," B "]");
    if (!code)
        code = fer_gateway_new(&(fer_gateway_options){.catalog = r->catalog}, &r->gateway, NULL);
    if (!code) code = fer_gateway_add_runner(r->gateway, &r->runner, NULL);
    if (code) return code;
    fer_gateway_on_own_known(r->gateway, on_known, r);
    fer_gateway_on_own_tools(r->gateway, on_news, r);
    return FER_OK;
}

static void end(rig *r)
{
    fer_gateway_free(r->gateway);
    fer_catalog_free(r->catalog);
    fer_faults_begin(NULL);
}

static fer_caller who(const char *tenant)
{
    return (fer_caller){
        .tenant = fer_str_of(tenant), .principal = FER_STR("x"), .agent = FER_STR("")};
}

static bool wake(rig *r, const char *tenant)
{
    fer_caller c = who(tenant);
    return fer_own_tools_wake(r->gateway, &c);
}

/* The names that a tenant is shown. */
static const char *seen(rig *r, const char *tenant)
{
    static char out[8];
    fer_caller c = who(tenant);
    fer_sight sight = {r->gateway, tenant ? &c : NULL};
    fer_view *v = fer_catalog_view(r->catalog);
    snprintf(out, sizeof out, "%s%s", fer_sight_has(&sight, v, FER_STR("s:a")) ? "a" : "",
             fer_sight_has(&sight, v, FER_STR("s:b")) ? "b" : "");
    fer_view_unref(v);
    return out;
}

static fer_code why(rig *r, const char *tenant)
{
    fer_caller c = who(tenant);
    return fer_own_tools_why(r->gateway, &c, FER_STR("s"), NULL);
}

/* ---- what is shown ------------------------------------------------------------------------------
 */

static const struct row {
    const char *name;
    fer_token_share share;
    const char *tenant;
    fer_code code;
    const char *list; /* the answer; NULL: none comes */
    const char *seen;
    bool asked;
    fer_code why;
} rows[] = {
    {"one token for all", FER_TOKENS_SHARED, "t", 0, NULL, "ab", false, 0},
    {"no tenant", FER_TOKENS_TENANT, "", 0, NULL, "ab", false, 0},
    {"both", FER_TOKENS_TENANT, "t", 0, "[" A "," B "]", "ab", true, 0},
    {"in another order", FER_TOKENS_TENANT, "t", 0, "[" B "," A "]", "ab", true, 0},
    {"one", FER_TOKENS_TENANT, "t", 0, "[" B "]", "b", true, 0},
    {"none", FER_TOKENS_TENANT, "t", 0, "[]", "", true, 0},
    {"of a principal", FER_TOKENS_PRINCIPAL, "t", 0, "[" A "]", "a", true, 0},
    {"another definition", FER_TOKENS_TENANT, "t", 0, "[" A "," TOOL("b", "Does that!") "]", "a",
     true, 0},
    {"the same with more space", FER_TOKENS_TENANT, "t", 0, "[ " A " ,\n" B " ]", "ab", true, 0},
    {"the same in another order of members", FER_TOKENS_TENANT, "t", 0,
     "[{\"inputSchema\":{\"type\":\"object\"},\"description\":\"Does this.\",\"name\":\"a\"}]", "a",
     true, 0},
    {"two of one name", FER_TOKENS_TENANT, "t", 0, "[" A "," TOOL("a", "Does more.") "]", "a", true,
     0},
    {"two of one name, the other way round", FER_TOKENS_TENANT, "t", 0,
     "[" TOOL("a", "Does more.") "," A "]", "", true, 0},
    {"another name", FER_TOKENS_TENANT, "t", 0, "[" TOOL("A", "Does this.") "]", "", true, 0},
    {"what is no tool", FER_TOKENS_TENANT, "t", 0, "[" A ",7,{\"name\":5}]", "a", true, 0},
    {"what is no list", FER_TOKENS_TENANT, "t", 0, "\"a\"", "", true, FER_BACKEND_UNAVAILABLE},
    {"no answer", FER_TOKENS_TENANT, "t", 0, NULL, "", true, FER_BACKEND_UNAVAILABLE},
    {"nobody has logged in", FER_TOKENS_TENANT, "t", FER_UNAUTHENTICATED, "log in", "", true,
     FER_UNAUTHENTICATED},
    {"it is away", FER_TOKENS_TENANT, "t", FER_TIMEOUT, "late", "", true, FER_TIMEOUT},
};

static void run(const struct row *row)
{
    rig r;
    assert_int_equal(begin(&r, row->share), FER_OK);
    assert_int_equal(wake(&r, row->tenant), row->asked);
    assert_int_equal(r.lists, row->asked);
    if (row->asked) assert_string_equal(seen(&r, row->tenant), "");
    if (row->asked) assert_string_equal(r.last, row->share == FER_TOKENS_PRINCIPAL ? "t/x" : "t/");
    if (row->list) answer(&r, row->code, row->list);
    assert_string_equal(seen(&r, row->tenant), row->seen);
    if (row->why != FER_BACKEND_UNAVAILABLE) assert_int_equal(why(&r, row->tenant), row->why);
    else assert_int_not_equal(why(&r, row->tenant), FER_OK);
    if (row->asked) assert_string_equal(seen(&r, "another"), "");
    assert_string_equal(seen(&r, NULL), "ab");
    end(&r);
}

/* ---- when it is asked for -----------------------------------------------------------------------
 */

static void one_at_a_time(void)
{
    rig r;
    fer_token_owner t = {FER_STR("t"), FER_STR("")};
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    assert_true(wake(&r, "t"));
    assert_true(wake(&r, "t"));
    assert_int_equal(r.lists, 1);
    /* It changes while it is listed: it is asked for once more, but not within a second. */
    r.runner.changed(&r.runner, &t);
    answer(&r, FER_OK, "[" A "]");
    assert_int_equal(r.known, 1);
    assert_int_equal(r.news, 1);
    assert_string_equal(seen(&r, "t"), "a");
    assert_int_equal(r.lists, 1);
    fer_faults_begin("clock:+2s@1+");
    r.runner.changed(&r.runner, &t);
    assert_int_equal(r.lists, 2);
    assert_false(wake(&r, "t")); /* what was good counts meanwhile */
    answer(&r, FER_OK, "[" A "]");
    assert_int_equal(r.news, 1); /* nothing has changed */
    /* Nobody else is asked. */
    r.runner.changed(&r.runner, &(fer_token_owner){FER_STR("u"), FER_STR("")});
    assert_int_equal(r.lists, 2);
    end(&r);
}

static void again_when_it_is_old(void)
{
    char plan[32];
    rig r;
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    wake(&r, "t");
    answer(&r, FER_OK, "[" A "]");
    snprintf(plan, sizeof plan, "clock:+%ds@1+", FER_OWN_GOOD_MS / 1000 - 5);
    fer_faults_begin(plan);
    wake(&r, "t");
    assert_int_equal(r.lists, 1);
    snprintf(plan, sizeof plan, "clock:+%ds@1+", FER_OWN_GOOD_MS / 1000);
    fer_faults_begin(plan);
    assert_false(wake(&r, "t"));
    assert_int_equal(r.lists, 2);
    answer(&r, FER_BACKEND_UNAVAILABLE, "away"); /* what was good stays */
    assert_string_equal(seen(&r, "t"), "a");
    assert_int_equal(why(&r, "t"), FER_OK);
    end(&r);
}

static void a_token_that_is_refused(void)
{
    rig r;
    fer_caller t = who("t");
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    wake(&r, "t");
    answer(&r, FER_OK, "[" A "]");
    uint64_t stamp = fer_own_tools_stamp(r.gateway, &t);
    fer_faults_begin("clock:+2s@1+");
    fer_own_tools_refused(r.gateway, &r.runner, &t);
    assert_int_equal(r.lists, 2);
    assert_string_equal(seen(&r, "t"), "a");
    answer(&r, FER_UNAUTHENTICATED, "log in");
    assert_string_equal(seen(&r, "t"), "");
    assert_int_equal(why(&r, "t"), FER_UNAUTHENTICATED);
    assert_true(fer_own_tools_stamp(r.gateway, &t) != stamp);
    assert_false(wake(&r, "t")); /* not within a second */
    fer_faults_begin("clock:+4s@1+");
    assert_true(wake(&r, "t"));
    answer(&r, FER_OK, "[" A "]");
    assert_string_equal(seen(&r, "t"), "a");
    assert_true(fer_own_tools_stamp(r.gateway, &t) != stamp);
    end(&r);
}

static void nobody_waits_for_ever(void)
{
    rig r;
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    assert_true(wake(&r, "t"));
    fer_own_tools_give_up(r.gateway, fer_clock_mono(), 3000);
    assert_true(fer_own_tools_pending(r.gateway));
    fer_own_tools_give_up(r.gateway, fer_clock_mono() + INT64_C(3000000000), 3000);
    assert_false(fer_own_tools_pending(r.gateway));
    assert_false(wake(&r, "t"));
    answer(&r, FER_OK, "[" A "]");
    assert_string_equal(seen(&r, "t"), "a");
    end(&r);
}

/* Nor for one that fails, and is asked for again each time. */
static void nobody_waits_for_what_fails(void)
{
    rig r;
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    assert_true(wake(&r, "t"));
    r.runner.changed(&r.runner, &(fer_token_owner){FER_STR("t"), FER_STR("")});
    fer_faults_begin("clock:+2s@1+");
    answer(&r, FER_UNAUTHENTICATED, "log in");
    assert_int_equal(r.lists, 2);
    assert_true(fer_own_tools_pending(r.gateway));
    fer_own_tools_give_up(r.gateway, fer_clock_mono() + INT64_C(1500000000), 3000);
    assert_false(fer_own_tools_pending(r.gateway));
    end(&r);
}

/* The definition that all are shown now is held back: the one before it is served to all. */
static void while_one_is_held_back(void)
{
    rig r;
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    wake(&r, "t");
    answer(&r, FER_OK, "[" TOOL("a", "Does more.") "," TOOL("b", "Does most.") "]");
    assert_string_equal(seen(&r, "t"), "");
    assert_int_equal(put(&r, "[" TOOL("a", "Does more.") "]"), FER_OK);
    assert_string_equal(seen(&r, "t"), "a");
    end(&r);
}

/* ---- a definition of one's own ------------------------------------------------------------------
 */

/* What an ID stands for to a tenant (NULL: the operator): its text. */
static const char *text_for(rig *r, const char *tenant, const char *id)
{
    static char out[4096];
    fer_caller c = who(tenant ? tenant : "");
    fer_sight sight = {r->gateway, tenant ? &c : NULL};
    fer_view *v = fer_catalog_view(r->catalog);
    fer_entry *e = NULL;
    const fer_body *b;
    out[0] = '\0';
    if (!fer_sight_find(&sight, v, fer_str_of(id), FER_STR(""), &e, NULL) &&
        !fer_entry_body(e, &b, NULL) && fer_sight_takes(&sight, b))
        snprintf(out, sizeof out, "%.*s", FER_PRI(fer_body_text(b, FER_TEXT_SHORT)));
    fer_view_unref(v);
    return out;
}

/* How many entries of the catalogue a tenant is shown. */
static size_t shown(rig *r, const char *tenant)
{
    fer_caller c = who(tenant ? tenant : "");
    fer_sight sight = {r->gateway, tenant ? &c : NULL};
    fer_arena *a = fer_arena_new(0);
    fer_view *v = fer_catalog_view(r->catalog);
    fer_filter filter = {0};
    fer_summary *list;
    fer_str next;
    size_t count = 0;
    assert_int_equal(fer_sight_filter(&sight, a, &filter, NULL), FER_OK);
    assert_int_equal(fer_view_list(a, v, &filter, NULL, &list, &count, &next, NULL), FER_OK);
    for (size_t i = 0; i < count; i++) assert_int_equal(list[i].id.len, 3); /* s:a */
    fer_view_unref(v);
    fer_arena_free(a);
    return count;
}

static fer_code decide(rig *r, fer_code (*add)(fer_batch *b, fer_str id, fer_err *err),
                       const char *id)
{
    fer_batch *b = fer_batch_new();
    fer_code code = add(b, fer_str_of(id), NULL);
    if (!code) code = fer_catalog_apply(r->catalog, b, NULL);
    fer_batch_free(b);
    return code;
}

static bool is_wanted(rig *r, const char *id, bool full)
{
    fer_view *v = fer_catalog_view(r->catalog);
    fer_value *e = fer_table_get(&v->tools, fer_str_of(id));
    if (!e) e = fer_table_get(&v->pending, fer_str_of(id));
    assert_non_null(e);
    bool wanted = fer_own_tools_wants(r->gateway, &r->runner, v, (fer_entry *)(void *)e, full);
    fer_view_unref(v);
    return wanted;
}

#define MINE  "[" TOOL("a", "Is mine.") "," B "]"
#define NEWER "[" TOOL("a", "Is newer.") "," B "]"

static void one_of_ones_own(void)
{
    rig r;
    char id[128];
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    wake(&r, "u");
    answer(&r, FER_OK, "[" A "," B "]");
    wake(&r, "t");
    answer(&r, FER_OK, MINE);
    snprintf(id, sizeof id, "s:a:0.0.0-own-%s", r.mark);
    assert_string_equal(seen(&r, "t"), "b");
    /* The first is held back, as it would be of all, and nothing is seen of it until somebody
     * decides. */
    assert_int_equal(put_for(&r, "[" TOOL("a", "Is mine.") "]", r.mark), FER_OK);
    assert_string_equal(seen(&r, "t"), "b");
    assert_true(is_wanted(&r, id, true));
    assert_int_equal(decide(&r, fer_batch_approve, id), FER_OK);
    assert_string_equal(text_for(&r, "t", "s:a"), "Is mine.");
    assert_string_equal(text_for(&r, "u", "s:a"), "Does this.");
    assert_string_equal(text_for(&r, NULL, "s:a"), "Does this.");
    assert_string_equal(text_for(&r, "", "s:a"), "Does this.");
    assert_int_equal(shown(&r, "t"), 2);
    assert_int_equal(shown(&r, "u"), 2);
    assert_int_equal(shown(&r, NULL), 2);
    /* Its ID is nobody's to say. */
    assert_string_equal(text_for(&r, "t", id), "");
    assert_string_equal(text_for(&r, "u", id), "");
    assert_string_equal(text_for(&r, NULL, id), "");
    /* One that changes is held back, and the one before it served. */
    fer_faults_begin("clock:+2s@1+");
    r.runner.changed(&r.runner, &(fer_token_owner){FER_STR("t"), FER_STR("")});
    answer(&r, FER_OK, NEWER);
    assert_string_equal(text_for(&r, "t", "s:a"), "");
    assert_int_equal(put_for(&r, "[" TOOL("a", "Is newer.") "]", r.mark), FER_OK);
    assert_string_equal(text_for(&r, "t", "s:a"), "Is mine.");
    assert_true(is_wanted(&r, id, true));
    assert_int_equal(decide(&r, fer_batch_approve, id), FER_OK);
    assert_string_equal(text_for(&r, "t", "s:a"), "Is newer.");
    /* Back to what all have: that is seen at once, and its own is of no use. */
    fer_faults_begin("clock:+4s@1+");
    r.runner.changed(&r.runner, &(fer_token_owner){FER_STR("t"), FER_STR("")});
    answer(&r, FER_OK, "[" A "]");
    assert_string_equal(text_for(&r, "t", "s:a"), "Does this.");
    assert_int_equal(shown(&r, "t"), 1);
    assert_false(is_wanted(&r, id, false));
    fer_gateway_retire_runner(r.gateway, &r.runner, NULL, NULL);
    assert_false(is_wanted(&r, id, false)); /* there is no such server any more */
    assert_string_equal(text_for(&r, "t", id), "");
    end(&r);
}

/* One whose owner is not here waits for him, while there is room. */
static void one_whose_owner_is_away(void)
{
    rig r;
    char id[128];
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    fer_catalog_set_quarantine(r.catalog, FER_QUARANTINE_NONE);
    snprintf(id, sizeof id, "s:a:0.0.0-own-%032d", 7);
    assert_int_equal(put_for(&r, "[" TOOL("a", "Is mine.") "]", id + strlen(id) - FER_OWN_MARK),
                     FER_OK);
    assert_true(is_wanted(&r, id, false));
    assert_false(is_wanted(&r, id, true));
    assert_int_equal(shown(&r, NULL), 2);
    assert_int_equal(shown(&r, ""), 2);
    end(&r);
}

/* A list that nobody took is told again, and so is one of which the catalogue has something no
 * more; others are not asked for. */
static void a_list_that_is_told_again(void)
{
    rig r;
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    fer_catalog_set_quarantine(r.catalog, FER_QUARANTINE_NONE);
    wake(&r, "t");
    r.refuses = true;
    answer(&r, FER_OK, "[" A "]");
    r.refuses = false;
    wake(&r, "u");
    answer(&r, FER_OK, "[" B "]");
    assert_int_equal(r.news, 2);
    fer_own_tools_ask_again(r.gateway, &r.runner, NULL);
    assert_int_equal(r.lists, 3);
    assert_string_equal(r.last, "t/");
    answer(&r, FER_OK, "[" A "]");
    assert_int_equal(r.news, 3);
    fer_view *v = fer_catalog_view(r.catalog);
    fer_own_tools_ask_again(r.gateway, &r.runner, v);
    assert_int_equal(r.lists, 3);
    fer_view_unref(v);
    assert_int_equal(put(&r, "[" TOOL("b", "Is another.") "]"), FER_OK);
    v = fer_catalog_view(r.catalog);
    fer_own_tools_ask_again(r.gateway, &r.runner, v);
    assert_int_equal(r.lists, 4);
    assert_string_equal(r.last, "u/");
    fer_view_unref(v);
    end(&r);
}

/* A tool that the catalogue does not have yet as the tenant is shown it is waited for, as a list
 * is; where it has all of them, nobody waits. */
static void who_waits_for_what_nobody_took(void)
{
    rig r;
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    fer_catalog_set_quarantine(r.catalog, FER_QUARANTINE_NONE);
    r.refuses = true;
    wake(&r, "u");
    answer(&r, FER_OK, "[" A "]");
    assert_false(wake(&r, "u"));
    wake(&r, "t");
    answer(&r, FER_OK, MINE);
    assert_true(wake(&r, "t") && fer_own_tools_pending(r.gateway));
    assert_int_equal(put_for(&r, "[" TOOL("a", "Is mine.") "]", r.mark), FER_OK);
    r.refuses = false;
    fer_own_tools_ask_again(r.gateway, &r.runner, NULL);
    while (r.waiting_count) answer(&r, FER_OK, strcmp(r.last, "t/") == 0 ? MINE : "[" A "]");
    fer_faults_begin("clock:+2s@1+");
    fer_own_tools_ask_again(r.gateway, &r.runner, NULL);
    while (r.waiting_count) answer(&r, FER_OK, strcmp(r.last, "t/") == 0 ? MINE : "[" A "]");
    assert_false(wake(&r, "t"));
    assert_string_equal(text_for(&r, "t", "s:a"), "Is mine.");
    assert_false(fer_own_tools_pending(r.gateway));
    /* Nor for ever. */
    r.refuses = true;
    wake(&r, "w");
    answer(&r, FER_OK, MINE);
    assert_true(fer_own_tools_pending(r.gateway));
    fer_own_tools_give_up(r.gateway, fer_clock_mono() + INT64_C(3000000000), 3000);
    assert_false(fer_own_tools_pending(r.gateway));
    end(&r);
}

/* ---- what the operator is shown -----------------------------------------------------------------
 */

static void what_the_operator_is_shown(void)
{
    rig r;
    fer_map ids;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    assert_true(fer_own_tools_is_operators(r.gateway, &r.runner, FER_STR("s:b"), true));
    fer_map_init(&ids, a);
    *fer_map_put(&ids, FER_STR("s:a")) = a;
    assert_int_equal(fer_own_tools_take_operators(r.gateway, &r.runner, &ids, NULL), FER_OK);
    assert_string_equal(seen(&r, NULL), "a");
    assert_string_equal(seen(&r, ""), "a");
    assert_false(fer_own_tools_is_operators(r.gateway, &r.runner, FER_STR("s:b"), true));
    wake(&r, "t");
    answer(&r, FER_OK, "[" B "]");
    assert_string_equal(seen(&r, "t"), "b");
    assert_true(fer_own_tools_is_shown(r.gateway, &r.runner, FER_STR("s:b"), NULL));
    assert_false(fer_own_tools_is_shown(r.gateway, &r.runner, FER_STR("s:a"), NULL));
    fer_gateway_retire_runner(r.gateway, &r.runner, NULL, NULL);
    assert_string_equal(seen(&r, "t"), "ab"); /* nobody runs it any more */
    end(&r);
    fer_arena_free(a);
}

/* ---- how many -----------------------------------------------------------------------------------
 */

static void nth(rig *r, unsigned n, const char *tools)
{
    char name[16];
    snprintf(name, sizeof name, "t%u", n);
    wake(r, name);
    if (tools && r->waiting_count) answer(r, FER_OK, tools);
}

static bool is_there(rig *r, unsigned n)
{
    char name[16];
    snprintf(name, sizeof name, "t%u", n);
    return why(r, name) == FER_OK;
}

static void as_many_as_are_kept(void)
{
    rig r;
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    for (unsigned i = 0; i < FER_OWN_OWNERS; i++) nth(&r, i, "[" A "]");
    assert_int_equal(fer_own_tools_owners(r.gateway, &r.runner), FER_OWN_OWNERS);
    nth(&r, 0, NULL); /* it came again */
    assert_true(is_there(&r, 0) && is_there(&r, 1));
    nth(&r, FER_OWN_OWNERS, "[" A "]");
    assert_int_equal(fer_own_tools_owners(r.gateway, &r.runner), FER_OWN_OWNERS);
    assert_true(is_there(&r, 0) && !is_there(&r, 1) && is_there(&r, 2));
    end(&r);
}

/* Where all are being listed there is room for nobody. */
static void as_many_as_are_asked_for(void)
{
    rig r;
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    fer_own_tools_limit(r.gateway, 3, FER_OWN_BYTES);
    for (unsigned i = 0; i < 3; i++) nth(&r, i, NULL);
    nth(&r, 3, NULL);
    assert_int_equal(r.lists, 3);
    assert_int_equal(why(&r, "t3"), FER_CONCURRENCY_LIMITED);
    assert_string_equal(seen(&r, "t3"), "");
    answer(&r, FER_OK, "[" A "]");
    nth(&r, 3, NULL);
    assert_int_equal(r.lists, 4);
    end(&r);
}

static void as_much_as_is_kept(void)
{
    rig r;
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    nth(&r, 0, "[" A "]");
    fer_own_tools_limit(r.gateway, FER_OWN_OWNERS, 2 * (3 + FER_OWN_EACH)); /* two of one tool */
    nth(&r, 1, "[" A "]");
    assert_true(is_there(&r, 0) && is_there(&r, 1));
    nth(&r, 2, "[" A "]");
    assert_true(!is_there(&r, 0) && is_there(&r, 1) && is_there(&r, 2));
    /* Who came just now stays, whatever it takes. */
    nth(&r, 3, "[" A "," B "," TOOL("c", "Does it.") "]");
    assert_true(!is_there(&r, 1) && !is_there(&r, 2) && is_there(&r, 3));
    end(&r);
}

/* A list whose owner was let go is nobody's. */
static void a_server_that_leaves(void)
{
    rig r;
    assert_int_equal(begin(&r, FER_TOKENS_TENANT), FER_OK);
    wake(&r, "t");
    fer_gateway_retire_runner(r.gateway, &r.runner, NULL, NULL);
    assert_int_equal(fer_own_tools_owners(r.gateway, &r.runner), 0);
    answer(&r, FER_OK, "[" A "]");
    assert_int_equal(r.known, 0);
    end(&r);
}

/* Without memory nothing is shown that should not be, and nothing is left behind. */
static fer_code without_memory(fer_arena *none, const void *row)
{
    rig r;
    fer_caller t = who("t");
    fer_filter filter = {0};
    (void)none;
    (void)row;
    fer_code code = begin(&r, FER_TOKENS_TENANT);
    fer_arena *a = code ? NULL : fer_arena_new(0);
    if (!code && !a) code = FER_OUT_OF_MEMORY;
    if (!code) {
        wake(&r, "t");
        if (r.waiting_count) assert_string_equal(r.last, "t/");
        if (r.waiting_count) answer(&r, FER_OK, "[" A "]");
        code = why(&r, "t");
        assert_string_equal(seen(&r, "t"), code ? "" : "a");
        if (code == FER_BACKEND_UNAVAILABLE) code = FER_OUT_OF_MEMORY; /* no list was made */
    }
    if (!code) code = fer_sight_filter(&(fer_sight){r.gateway, &t}, a, &filter, NULL);
    fer_arena_free(a);
    fer_gateway_free(r.gateway);
    fer_catalog_free(r.catalog);
    return code;
}

static void allocations_that_fail(void)
{
    assert_true(rows_torture_malloc(without_memory, NULL) > 10);
}

int main(void)
{
    return ROWS_RUN("own_tools", rows, run) + ROWS_ONE("own_tools", one_at_a_time) +
           ROWS_ONE("own_tools", again_when_it_is_old) +
           ROWS_ONE("own_tools", a_token_that_is_refused) +
           ROWS_ONE("own_tools", nobody_waits_for_ever) +
           ROWS_ONE("own_tools", nobody_waits_for_what_fails) +
           ROWS_ONE("own_tools", while_one_is_held_back) + ROWS_ONE("own_tools", one_of_ones_own) +
           ROWS_ONE("own_tools", one_whose_owner_is_away) +
           ROWS_ONE("own_tools", a_list_that_is_told_again) +
           ROWS_ONE("own_tools", who_waits_for_what_nobody_took) +
           ROWS_ONE("own_tools", what_the_operator_is_shown) +
           ROWS_ONE("own_tools", as_many_as_are_kept) +
           ROWS_ONE("own_tools", as_many_as_are_asked_for) +
           ROWS_ONE("own_tools", as_much_as_is_kept) + ROWS_ONE("own_tools", a_server_that_leaves) +
           ROWS_ONE("own_tools", allocations_that_fail);
}
