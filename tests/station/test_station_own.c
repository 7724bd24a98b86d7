/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tenants are shown, and the catalogue: definitions of single ones, as many of them as there
 * is room for (station.theirs, station.own_bytes), and what goes when there is none.
 */
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "errors.h"
#include "file.h"
#include "gateway_parts.h"
#include "own_id.h"
#include "rows.h"
#include "station_parts.h"

static char file[256];

#define SERVERS                                                                                    \
    "\"mcpServers\":{\"s\":{\"url\":\"http://127.0.0.1:1/mcp\",\"oauth\":{\"tokens\":\"tenant\"}}}"

static fer_place_of_tools *open_it(fer_station *s, const char *more)
{
    char text[512];
    fer_err err;
    struct fer_station_wants wants = {.config = file, .log = {.fd = 2, .level = FER_LOG_ERROR}};
    snprintf(text, sizeof text, "{" SERVERS "%s}", more);
    assert_int_equal(fer_file_replace(file, fer_str_of(text), &err), FER_OK);
    if (fer_station_init(s, &wants, &err)) fail_msg("%s", err.message);
    fer_station_begin_own(s);
    fer_place_of_tools *p = s->places[0];
    assert_true(fer_place_is_owned(p));
    p->began = INT64_MAX / 2; /* nobody asks the operator's */
    return p;
}

/* The list of an owner has come, who is of no list that is kept: one who has gone again. */
static void come(fer_station *s, unsigned owner, const char *list)
{
    char mark[FER_OWN_MARK + 1], name[32];
    snprintf(mark, sizeof mark, "%032x", owner);
    snprintf(name, sizeof name, "t%u", owner);
    fer_token_owner who = {fer_str_of(name), FER_STR("")};
    fer_own_news n = {s->places[0]->runner, &who, fer_str_of(mark), FER_OK, fer_str_of(list), ""};
    assert_true(s->gateway->on_own(s->gateway->own_context, &n));
}

static const char *tool(const char *text, size_t padding)
{
    static char out[2 << 20];
    assert_true(padding + 256 < sizeof out);
    int at = snprintf(out, sizeof out,
                      "[{\"name\":\"a\",\"description\":\"%s\",\"inputSchema\":{\"type\":"
                      "\"object\",\"$comment\":\"",
                      text);
    memset(out + at, 'x', padding);
    snprintf(out + at + padding, 16, "\"}}]");
    return out;
}

static size_t own_count(const fer_station *s, size_t *all, size_t *held)
{
    fer_view *v = fer_catalog_view(s->catalog);
    size_t own = v->own;
    if (all) *all = fer_view_count(v);
    if (held) *held = fer_table_count(&v->pending);
    fer_view_unref(v);
    return own;
}

/* Half as many as there is room for, less one. */
static void come_with_many(fer_station *s, unsigned owner, const char *text)
{
    fer_buf b;
    fer_arena *a = fer_arena_new(0);
    fer_buf_init(&b, a, 4 << 20);
    for (unsigned i = 0; i < FER_STATION_THEIRS / 2 - 1; i++)
        fer_buf_printf(&b, "%c{\"name\":\"a%u\",\"description\":\"%s\",\"inputSchema\":{}}",
                       i ? ',' : '[', i, text);
    fer_buf_add_char(&b, ']');
    come(s, owner, fer_arena_copy(a, fer_buf_view(&b)).ptr);
    fer_arena_free(a);
}

static void as_many_as_there_is_room_for(void)
{
    fer_station s;
    size_t all;
    fer_place_of_tools *p = open_it(&s, "");
    come(&s, 0, tool("first", 0));
    come_with_many(&s, 1, "first");
    come_with_many(&s, 2, "own");
    come(&s, 3, tool("own", 0));
    assert_int_equal(own_count(&s, &all, NULL), FER_STATION_THEIRS / 2);
    assert_int_equal(all, FER_STATION_THEIRS);
    come(&s, 4, tool("own", 0));
    come_with_many(&s, 5, "own");
    assert_int_equal(own_count(&s, &all, NULL), FER_STATION_THEIRS / 2);
    come(&s, 3, tool("another", 0)); /* one that has its place */
    assert_int_equal(own_count(&s, &all, NULL), FER_STATION_THEIRS / 2);
    assert_int_equal(all, FER_STATION_THEIRS);
    /* Nobody of them is here any more. */
    assert_int_equal(fer_station_sweep_own(p, FER_STR(""), NULL), FER_OK);
    assert_int_equal(own_count(&s, &all, NULL), 0);
    come(&s, 4, tool("own", 0));
    assert_int_equal(own_count(&s, NULL, NULL), 1);
    /* One that may come again stays while there is room. */
    assert_int_equal(fer_station_sweep_own(p, FER_STR(""), NULL), FER_OK);
    assert_int_equal(own_count(&s, NULL, NULL), 1);
    fer_station_deinit(&s);
}

/* Those that are held back alone take up room as well. */
static void as_many_as_may_wait(void)
{
    fer_station s;
    size_t held;
    open_it(&s, ",\"quarantine\":\"changed\"");
    come(&s, 0, tool("first", 0));
    come_with_many(&s, 1, "first");
    come_with_many(&s, 2, "own");
    for (unsigned i = 3; i < 6; i++) come(&s, i, tool("own", 0));
    assert_int_equal(own_count(&s, NULL, &held), 0);
    assert_int_equal(held, FER_STATION_THEIRS / 2);
    fer_station_deinit(&s);
}

static void as_much_as_there_is_room_for(void)
{
    const size_t each = 1 << 20;
    fer_station s;
    fer_place_of_tools *p = open_it(&s, "");
    come(&s, 0, tool("first", each));
    unsigned i = 1;
    while (i < 200 && own_count(&s, NULL, NULL) == i - 1) come(&s, i++, tool("own", each));
    /* Each has its definition and some hundred bytes. */
    size_t own = own_count(&s, NULL, NULL);
    assert_int_equal(own, FER_STATION_OWN_BYTES / each - 1);
    come(&s, i, tool("own", FER_STATION_OWN_BYTES - own * (each + 4096)));
    assert_int_equal(own_count(&s, NULL, NULL), own + 1);
    come(&s, i + 1, tool("own", each));
    assert_int_equal(own_count(&s, NULL, NULL), own + 1);
    assert_int_equal(fer_station_sweep_own(p, FER_STR(""), NULL), FER_OK);
    fer_station_deinit(&s);
}

/* What a server that is configured no more has left behind goes. */
static void a_server_that_leaves(void)
{
    fer_station s;
    size_t all;
    open_it(&s, "");
    come(&s, 0, tool("first", 0));
    come(&s, 1, tool("own", 0));
    assert_int_equal(own_count(&s, &all, NULL), 1);
    assert_int_equal(
        fer_station_forget(&s, FER_BACKEND_MCP, FER_STR("other"), FER_STR("s"), NULL, NULL),
        FER_OK);
    assert_int_equal(own_count(&s, &all, NULL), 1);
    assert_int_equal(
        fer_station_forget(&s, FER_BACKEND_MCP, FER_STR("s"), FER_STR("s"), NULL, NULL), FER_OK);
    assert_int_equal(own_count(&s, &all, NULL), 0);
    assert_int_equal(all, 0);
    fer_station_deinit(&s);
}

/* Each is judged against what its owner had before, the first against what all have. */
static void those_that_change(void)
{
    fer_station s;
    size_t all, held;
    open_it(&s, ",\"quarantine\":\"breaking\"");
    come(&s, 0, tool("first", 0));
    come(&s, 1, tool("own", 0));
    assert_int_equal(own_count(&s, &all, &held), 1);
    come(&s, 1,
         "[{\"name\":\"a\",\"description\":\"own\",\"inputSchema\":{\"type\":\"object\","
         "\"required\":[\"x\"]}}]");
    assert_int_equal(own_count(&s, &all, &held), 1);
    assert_int_equal(held, 1); /* judged against its own */
    come(&s, 2,
         "[{\"name\":\"a\",\"description\":\"own\",\"inputSchema\":{\"type\":\"object\","
         "\"required\":[\"y\"]}}]");
    assert_int_equal(own_count(&s, &all, &held), 1);
    assert_int_equal(held, 2); /* against that of all */
    assert_int_equal(all, 2);
    fer_station_deinit(&s);
}

int main(void)
{
    char folder[] = "/tmp/ferrule-station-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    snprintf(file, sizeof file, "%s/ferrule.json", folder);
    int failed = ROWS_ONE("own", as_many_as_there_is_room_for);
    failed += ROWS_ONE("own", as_many_as_may_wait);
    failed += ROWS_ONE("own", as_much_as_there_is_room_for);
    failed += ROWS_ONE("own", a_server_that_leaves);
    failed += ROWS_ONE("own", those_that_change);
    unlink(file);
    rmdir(folder);
    return failed != 0;
}
