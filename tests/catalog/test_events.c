/* SPDX-License-Identifier: Apache-2.0 */
/* Listeners: order, versions, and subscribing, unsubscribing and changing while being told. */
#include "catalog_rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* What a listener was told, and what it does about it. */
struct ear {
    fer_catalog *catalog;
    fer_buf heard;
    char text[2048];
    uint64_t number;
    uint64_t drop;   /* whom to unsubscribe when told; 0: nobody */
    const char *put; /* what to put when told for the first time */
    struct ear *add; /* whom to subscribe when told */
};

static void listen(void *context, const fer_event *event);

static void ear_init(struct ear *e, fer_catalog *c)
{
    *e = (struct ear){.catalog = c};
    fer_buf_init_fixed(&e->heard, e->text, sizeof e->text);
}

static void subscribe(struct ear *e)
{
    fer_err err;
    if (fer_catalog_subscribe(e->catalog, listen, e, &e->number, &err)) fail_msg("%s", err.message);
}

static void listen(void *context, const fer_event *event)
{
    struct ear *e = context;
    fer_buf_printf(&e->heard, "%s%s %.*s %llu", e->heard.len ? "; " : "",
                   fer_event_kind_name(event->kind), FER_PRI(event->id),
                   (unsigned long long)event->version);
    if (e->drop) assert_true(fer_catalog_unsubscribe(e->catalog, e->drop));
    e->drop = 0;
    if (e->add) subscribe(e->add);
    e->add = NULL;
    const char *put = e->put;
    e->put = NULL;
    if (put) must_put(e->catalog, put);
}

static void told(void)
{
    fer_catalog *c = must_catalog(NULL);
    struct ear e;
    ear_init(&e, c);
    must_put(c, T("early"));
    subscribe(&e);
    must_put(c, "[" T("a") "," T("b") "]");
    must_put(c, T("a"));
    must_put(c, TX("a", "\"title\":\"x\""));
    assert_true(fer_catalog_unsubscribe(c, e.number));
    assert_false(fer_catalog_unsubscribe(c, e.number));
    must_put(c, T("late"));
    assert_str(fer_buf_view(&e.heard), "registered a 2; registered b 2; updated a 3");
    fer_catalog_free(c);
}

/* A listener that takes itself off is told no more, not even of the same batch. */
static void drops_itself(void)
{
    fer_catalog *c = must_catalog(NULL);
    struct ear e, other;
    ear_init(&e, c);
    ear_init(&other, c);
    subscribe(&e);
    subscribe(&other);
    e.drop = e.number;
    must_put(c, "[" T("a") "," T("b") "]");
    assert_str(fer_buf_view(&e.heard), "registered a 1");
    assert_str(fer_buf_view(&other.heard), "registered a 1; registered b 1");
    fer_catalog_free(c);
}

static void drops_another(void)
{
    fer_catalog *c = must_catalog(NULL);
    struct ear e, other;
    ear_init(&e, c);
    ear_init(&other, c);
    subscribe(&e);
    subscribe(&other);
    e.drop = other.number;
    must_put(c, T("a"));
    assert_str(fer_buf_view(&other.heard), "");
    fer_catalog_free(c);
}

/* Who comes while an event is told hears of the next one. */
static void adds_another(void)
{
    fer_catalog *c = must_catalog(NULL);
    struct ear e, other;
    ear_init(&e, c);
    ear_init(&other, c);
    subscribe(&e);
    e.add = &other;
    must_put(c, T("a"));
    must_put(c, T("b"));
    assert_str(fer_buf_view(&other.heard), "registered b 2");
    fer_catalog_free(c);
}

/* A change by a listener is told to all when the one at hand is done. */
static void changes(void)
{
    fer_catalog *c = must_catalog(NULL);
    struct ear e, other;
    ear_init(&e, c);
    ear_init(&other, c);
    subscribe(&e);
    subscribe(&other);
    e.put = T("inner");
    must_put(c, "[" T("a") "," T("b") "]");
    assert_str(fer_buf_view(&e.heard), "registered a 1; registered b 1; registered inner 2");
    assert_str(fer_buf_view(&other.heard), "registered a 1; registered b 1; registered inner 2");
    fer_catalog_free(c);
}

static void limit(void)
{
    fer_catalog *c = must_catalog(NULL);
    struct ear e;
    fer_err err;
    uint64_t number;
    ear_init(&e, c);
    for (int i = 0; i < FER_LISTENERS_MAX; i++) subscribe(&e);
    assert_int_equal(fer_catalog_subscribe(c, listen, &e, &number, &err), FER_LIMIT_EXCEEDED);
    assert_true(fer_catalog_unsubscribe(c, e.number));
    subscribe(&e);
    fer_catalog_free(c);
}

/* ---- threads: after unsubscribing, nobody is told any more --------------------------------------
 */

struct slow {
    _Atomic int inside;
    _Atomic int gone;
    _Atomic int late;
};

static void slowly(void *context, const fer_event *event)
{
    struct slow *s = context;
    (void)event;
    s->inside = 1;
    usleep(2000);
    if (s->gone) s->late = 1;
    s->inside = 0;
}

static void *writer(void *context)
{
    fer_catalog *c = context;
    for (int i = 0; i < 40; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"name\":\"t%d\"," S "}", i);
        must_put(c, text);
    }
    return NULL;
}

static void from_another_thread(void)
{
    fer_catalog *c = must_catalog(NULL);
    struct slow s = {0};
    pthread_t thread;
    uint64_t number;
    fer_err err;
    assert_int_equal(fer_catalog_subscribe(c, slowly, &s, &number, &err), FER_OK);
    assert_int_equal(pthread_create(&thread, NULL, writer, c), 0);
    while (!s.inside) usleep(100);
    assert_true(fer_catalog_unsubscribe(c, number));
    s.gone = 1;
    assert_int_equal(s.inside, 0);
    pthread_join(thread, NULL);
    assert_int_equal(s.late, 0);
    fer_catalog_free(c);
}

/* ---- those that are kept ------------------------------------------------------------------------
 */

static void put_many(fer_catalog *c, int from, int to)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    for (int i = from; i < to; i++)
        fer_buf_printf(&b, "%s{\"name\":\"t%d\"," S "}", i > from ? "," : "[", i);
    fer_buf_add_text(&b, "]");
    must_put(c, fer_arena_copy(a, fer_buf_view(&b)).ptr);
    fer_arena_free(a);
}

static size_t since(fer_catalog *c, uint64_t version, bool *complete, uint64_t *first)
{
    fer_arena *a = fer_arena_new(0);
    fer_event *list;
    size_t count;
    fer_err err;
    assert_int_equal(fer_catalog_events(a, c, version, &list, &count, complete, &err), FER_OK);
    *first = count ? list[0].version : 0;
    for (size_t i = 0; i < count; i++)
        assert_true(list[i].id.len && list[i].version > version &&
                    (!i || list[i].version >= list[i - 1].version));
    fer_arena_free(a);
    return count;
}

static const struct kept {
    const char *name;
    int first, more; /* tools of the first batch; then batches of one */
    uint64_t since;
    size_t count;
    bool complete;
} kept_rows[] = {
    {"none", 0, 0, 0, 0, true},
    {"a few", 3, 2, 0, 5, true},
    {"since the last", 3, 2, 3, 0, true},
    {"since one before", 3, 2, 2, 1, true},
    {"one less than are kept", FER_EVENTS_KEPT - 2, 1, 0, FER_EVENTS_KEPT - 1, true},
    {"as many", FER_EVENTS_KEPT - 1, 1, 0, FER_EVENTS_KEPT, false}, /* there may have been more */
    {"one more", FER_EVENTS_KEPT, 1, 0, FER_EVENTS_KEPT, false},
    {"a batch of too many", FER_EVENTS_KEPT + 5, 0, 0, FER_EVENTS_KEPT, false},
    {"of too many, the last", FER_EVENTS_KEPT + 5, 3, 2, 2, true},
};

static void kept(const struct kept *row)
{
    char path[] = "/tmp/ferrule-events-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    fer_catalog *c = must_catalog(NULL), *again;
    bool complete;
    uint64_t first;
    fer_err err;
    if (row->first) put_many(c, 0, row->first);
    for (int i = 0; i < row->more; i++) put_many(c, row->first + i, row->first + i + 1);
    assert_int_equal(since(c, row->since, &complete, &first), row->count);
    assert_int_equal(complete, row->complete);
    /* The file has the same. */
    assert_int_equal(fer_catalog_save(c, path, &err), FER_OK);
    if (fer_catalog_open(path, NULL, &again, &err)) fail_msg("%s", err.message);
    assert_int_equal(since(again, row->since, &complete, &first), row->count);
    assert_int_equal(complete, row->complete);
    fer_catalog_free(again);
    fer_catalog_free(c);
    unlink(path);
}

int main(void)
{
    return ROWS_ONE("events", told) + ROWS_ONE("events", drops_itself) +
           ROWS_ONE("events", drops_another) + ROWS_ONE("events", adds_another) +
           ROWS_ONE("events", changes) + ROWS_ONE("events", limit) +
           ROWS_ONE("events", from_another_thread) + ROWS_RUN("kept", kept_rows, kept);
}
