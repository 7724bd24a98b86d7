/* SPDX-License-Identifier: Apache-2.0 */
/* The file of tokens is read again while each allocation fails in turn: whoever is there stays, and
 * what has changed counts as soon as there is memory. */
#include "doorkeeper.h"

#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "rows.h"

typedef struct rig {
    fer_catalog *catalog;
    fer_gateway *gateway;
    fer_front *front;
    fer_doorkeeper door;
    char folder[48], path[64];
    char tokens[2][FER_BEARER_TEXT];
} rig;

/* One more token in the file; or the first is taken out. */
static void change(rig *r, int which, const char *name)
{
    fer_arena *a = fer_arena_new(0);
    fer_bearer_wish wish = {.name = fer_str_of(name), .tenant = FER_STR(""), .mode = FER_STR("")};
    fer_bearers list;
    assert_int_equal(fer_bearers_load(a, r->path, &list, NULL), FER_OK);
    if (which < 0) assert_true(fer_bearers_remove(&list, fer_str_of(name)));
    else
        assert_int_equal(
            fer_bearers_add(&list, &wish, fer_clock_wall() / 1000, r->tokens[which], NULL), FER_OK);
    assert_int_equal(fer_bearers_save(r->path, &list, NULL), FER_OK);
    fer_arena_free(a);
}

static void open_rig(rig *r)
{
    *r = (rig){.folder = "/tmp/ferrule-keeper-XXXXXX"};
    assert_non_null(mkdtemp(r->folder));
    snprintf(r->path, sizeof r->path, "%s/tokens.json", r->folder);
    assert_int_equal(fer_catalog_new(NULL, &r->catalog, NULL), FER_OK);
    assert_int_equal(
        fer_gateway_new(&(fer_gateway_options){.catalog = r->catalog}, &r->gateway, NULL), FER_OK);
    r->front = fer_front_new(&(fer_front_options){.gateway = r->gateway, .catalog = r->catalog});
    assert_non_null(r->front);
    assert_int_equal(fer_doorkeeper_init(&r->door, r->front, r->gateway, NULL, r->path, NULL),
                     FER_OK);
    for (int i = 0; i < 40; i++) { /* so many that they do not fit what an arena keeps */
        char name[16];
        snprintf(name, sizeof name, "other%d", i);
        change(r, 0, name);
    }
    change(r, 0, "one");
}

static void close_rig(rig *r)
{
    char command[64];
    fer_doorkeeper_deinit(&r->door);
    fer_front_free(r->front);
    fer_gateway_free(r->gateway);
    fer_catalog_free(r->catalog);
    snprintf(command, sizeof command, "rm -r %s", r->folder);
    assert_int_equal(system(command), 0);
}

static fer_guest *admit(rig *r, int which)
{
    return fer_doorkeeper_admit(&r->door, fer_str_of(r->tokens[which]), &(fer_stranger){0});
}

static const struct row {
    const char *name;
    bool revoked; /* the token that is in use; else there is another one beside it */
} rows[] = {{"another token", false}, {"a token is taken back", true}};

static bool attempt(const struct row *row, const char *plan)
{
    rig r;
    open_rig(&r);
    fer_guest *first = admit(&r, 0);
    assert_non_null(first);
    fer_guest_ref(first); /* its session */
    change(&r, row->revoked ? -1 : 1, row->revoked ? "one" : "two");
    assert_true(fer_faults_begin(plan));
    fer_doorkeeper_look(&r.door);
    bool met = fer_faults_injected() > 0;
    fer_faults_begin(NULL);
    if (!row->revoked) assert_false(fer_guest_is_over(first));
    fer_doorkeeper_look(&r.door);
    assert_int_equal(fer_guest_is_over(first), row->revoked);
    if (!row->revoked) assert_ptr_equal(admit(&r, 0), first);
    if (row->revoked) assert_null(admit(&r, 0));
    if (!row->revoked) assert_non_null(admit(&r, 1));
    fer_guest_unref(first);
    close_rig(&r);
    return met;
}

static void run(const struct row *row)
{
    int64_t before = fer_faults_live();
    bool met = true;
    size_t n = 0;
    while (met) {
        char plan[32];
        snprintf(plan, sizeof plan, "malloc@%zu", ++n);
        met = attempt(row, plan);
        if (fer_faults_live() != before) fail_msg("%s: something is still held", plan);
    }
    assert_true(n > 3);
}

int main(void)
{
    return ROWS_RUN("doorkeeper", rows, run);
}
