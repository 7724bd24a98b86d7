/* SPDX-License-Identifier: Apache-2.0 */
/* Whose lists of a server a guest is shown, where each tenant has a token, and how many of them are
 * kept: serve.wares_owners, serve.wares_owned. */
#include "gateway_parts.h"
#include "rows.h"
#include "serve_parts.h"

/* ---- a server that nobody reaches ---------------------------------------------------------------
 */

static void call(fer_runner *r, fer_attempt *t)
{
    (void)r;
    fer_attempt_fail(t, FER_BACKEND_UNAVAILABLE, "nobody is there");
}
static void stop(fer_runner *r, void (*done)(fer_runner *r))
{
    done(r);
}
static void free_it(fer_runner *r)
{
    (void)r;
}
static const fer_runner_kind kind = {
    .name = "puppet", .backend = FER_BACKEND_MCP, .call = call, .stop = stop, .free = free_it};

typedef struct rig {
    fer_catalog *catalog;
    fer_gateway *gateway;
    fer_front *front;
    fer_runner runner;
    fer_server server; /* of the front's, but not in its list: what it would ask is the test's */
} rig;

static void open_rig(rig *r, fer_token_share share)
{
    memset(r, 0, sizeof *r);
    assert_int_equal(fer_catalog_new(NULL, &r->catalog, NULL), FER_OK);
    assert_int_equal(
        fer_gateway_new(&(fer_gateway_options){.catalog = r->catalog}, &r->gateway, NULL), FER_OK);
    r->runner = (fer_runner){.kind = &kind, .name = FER_STR("s"), .share = share};
    assert_int_equal(fer_gateway_add_runner(r->gateway, &r->runner, NULL), FER_OK);
    r->front = fer_front_new(&(fer_front_options){.gateway = r->gateway, .catalog = r->catalog});
    assert_non_null(r->front);
    r->server = (fer_server){
        .wares = &r->front->wares, .runner = &r->runner, .share = share, .name = FER_STR("s")};
    fer_stocks_init(&r->server.stocks, &r->server, NULL);
}

static void close_rig(rig *r)
{
    fer_hoards_free(&r->server, false);
    assert_int_equal(r->server.hoard_count, 0);
    fer_front_free(r->front);
    fer_gateway_free(r->gateway);
    fer_catalog_free(r->catalog);
}

static fer_guest *guest(rig *r, const char *tenant, const char *principal)
{
    fer_caller c = {
        .tenant = fer_str_of(tenant), .principal = fer_str_of(principal), .agent = FER_STR("")};
    fer_guest *g = fer_guest_new(r->front, &(fer_guest_options){.caller = &c});
    assert_non_null(g);
    return g;
}

/* ---- whose it is --------------------------------------------------------------------------------
 */

static const struct row {
    const char *name;
    fer_token_share share;
    const char *one[2], *other[2]; /* tenant and principal */
    bool owned, same;
} rows[] = {
    {"one for all", FER_TOKENS_SHARED, {"a", "x"}, {"b", "y"}, false, true},
    {"one for each tenant", FER_TOKENS_TENANT, {"a", "x"}, {"b", "x"}, true, false},
    {"two of a tenant", FER_TOKENS_TENANT, {"a", "x"}, {"a", "y"}, true, true},
    {"one for each principal", FER_TOKENS_PRINCIPAL, {"a", "x"}, {"a", "y"}, true, false},
    {"the same principal of two tenants",
     FER_TOKENS_PRINCIPAL,
     {"a", "x"},
     {"b", "x"},
     true,
     false},
    {"nobody's tenant", FER_TOKENS_TENANT, {"", "x"}, {"", "y"}, false, true},
    {"names that join alike", FER_TOKENS_PRINCIPAL, {"a", "bc"}, {"ab", "c"}, true, false},
};

static void run(const struct row *row)
{
    rig r;
    open_rig(&r, row->share);
    fer_guest *one = guest(&r, row->one[0], row->one[1]),
              *other = guest(&r, row->other[0], row->other[1]);
    /* Before anybody has asked there is what all share, or nothing. */
    assert_ptr_equal(fer_wares_stocks(one, &r.server), row->owned ? NULL : &r.server.stocks);
    fer_hoard *first = fer_hoard_get(&r.server, one), *second = fer_hoard_get(&r.server, other);
    assert_int_equal(first != NULL, row->owned);
    assert_int_equal(first == second, row->same);
    if (row->owned) assert_ptr_equal(fer_wares_stocks(one, &r.server), &first->stocks);
    if (row->owned) assert_ptr_equal(fer_wares_stocks(other, &r.server), &second->stocks);
    fer_guest_unref(one);
    fer_guest_unref(other);
    close_rig(&r);
}

/* ---- how many -----------------------------------------------------------------------------------
 */

static fer_guest *nth(rig *r, unsigned n)
{
    char name[16];
    snprintf(name, sizeof name, "t%u", n);
    return guest(r, name, "x");
}

static fer_hoard *hoard_of(rig *r, unsigned n)
{
    fer_guest *g = nth(r, n);
    fer_hoard *h = fer_hoard_get(&r->server, g);
    fer_guest_unref(g);
    return h;
}

static bool is_there(rig *r, unsigned n)
{
    fer_guest *g = nth(r, n);
    bool there = fer_wares_stocks(g, &r->server) != NULL;
    fer_guest_unref(g);
    return there;
}

/* The one that was not asked for the longest goes, unless it is being listed. */
static void as_many_as_are_kept(void)
{
    rig r;
    open_rig(&r, FER_TOKENS_TENANT);
    for (unsigned i = 0; i < FER_WARES_OWNERS; i++) assert_non_null(hoard_of(&r, i));
    assert_true(is_there(&r, 0));
    hoard_of(&r, 0);
    hoard_of(&r, 1)->stocks.each[FER_WARE_PROMPT].arena = fer_arena_new(0);
    for (unsigned i = 3; i < FER_WARES_OWNERS; i++) hoard_of(&r, i);
    uint64_t version = r.front->wares.versions[FER_WARE_PROMPT];
    assert_non_null(hoard_of(&r, FER_WARES_OWNERS));
    assert_int_equal(r.server.hoard_count, FER_WARES_OWNERS);
    assert_false(is_there(&r, 2));
    assert_true(r.front->wares.versions[FER_WARE_PROMPT] > version); /* lists are made anew */
    assert_non_null(hoard_of(&r, FER_WARES_OWNERS + 1));
    assert_false(is_there(&r, 0));
    assert_true(is_there(&r, 1));
    /* Where all are being listed there is room for nobody. */
    for (fer_hoard *h = r.server.hoards; h; h = h->next)
        if (!fer_stocks_busy(&h->stocks)) h->stocks.each[0].arena = fer_arena_new(0);
    assert_null(hoard_of(&r, FER_WARES_OWNERS + 2));
    close_rig(&r);
}

static void as_much_as_is_kept(void)
{
    rig r;
    open_rig(&r, FER_TOKENS_TENANT);
    size_t half = FER_WARES_OWNED / 2;
    for (unsigned i = 0; i < 3; i++) hoard_of(&r, i);
    hoard_of(&r, 0)->stocks.each[0].items = (fer_str){"", half};
    hoard_of(&r, 1)->stocks.each[1].items = (fer_str){"", half};
    fer_hoards_trim(&r.server);
    assert_int_equal(r.server.hoard_count, 3);
    hoard_of(&r, 2)->stocks.each[2].rest = (fer_str){"", 1};
    fer_hoards_trim(&r.server);
    assert_false(is_there(&r, 0));
    assert_true(is_there(&r, 1) && is_there(&r, 2));
    /* Who was asked for just now stays, whatever it takes. */
    hoard_of(&r, 2)->stocks.each[2].items = (fer_str){"", FER_WARES_OWNED};
    fer_hoards_trim(&r.server);
    assert_false(is_there(&r, 1));
    assert_true(is_there(&r, 2));
    close_rig(&r);
}

int main(void)
{
    return ROWS_RUN("wares.owned", rows, run) + ROWS_ONE("wares.owned", as_many_as_are_kept) +
           ROWS_ONE("wares.owned", as_much_as_is_kept);
}
