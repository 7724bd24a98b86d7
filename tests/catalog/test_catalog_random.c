/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences of batches against a plain model: what is served, what is held back, where it
 * runs, what is written about it. A batch that the model refuses must change nothing; now and
 * then the catalogue goes through a file.
 */
#include "catalog_rows.h"

#include <stdlib.h>
#include <unistd.h>

#define TOOLS    24
#define VARIANTS 6
#define STEPS    600

/* Variants with odd numbers demand a parameter: to become one breaks callers. */
struct model_tool {
    int served; /* variant + 1; 0: not there */
    int held;   /* the same, of what is held back */
    int past;   /* the same: what it was when it went, or what was rejected */
    unsigned held_backends, past_backends;
    unsigned backends; /* bits */
    bool documented;
};

struct model {
    struct model_tool tools[TOOLS];
};

static uint64_t state;
static unsigned pick(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static const char *id_of(unsigned tool)
{
    static char ids[4][32];
    static unsigned next;
    char *id = ids[next++ % 4];
    if (tool % 3) snprintf(id, sizeof ids[0], "n%u:t%u", tool % 3, tool);
    else snprintf(id, sizeof ids[0], "t%u", tool);
    return id;
}

static void definition_of(char *out, size_t size, unsigned tool, unsigned variant, unsigned backend)
{
    char ns[32] = "";
    if (tool % 3) snprintf(ns, sizeof ns, "\"namespace\":\"n%u\",", tool % 3);
    snprintf(
        out, size,
        "{%s\"name\":\"t%u\",\"description\":\"word%u number%u\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"x\":{\"type\":\"string\"}}%s},\"backend\":{\"kind\":\"local\",\"local\":{\"name\":\"b%u\"}}}",
        ns, tool, tool, variant, variant % 2 ? ",\"required\":[\"x\"]" : "", backend);
}

/* ---- the model ----------------------------------------------------------------------------------
 */

static bool is_held(fer_quarantine policy, int old, int now)
{
    if (policy == FER_QUARANTINE_CHANGED) return true;
    return policy == FER_QUARANTINE_BREAKING && (now - 1) % 2 && !((old - 1) % 2);
}

/* ---- one batch
 * ------------------------------------------------------------------------------------ */

enum kind {
    PUT,
    REMOVE,
    DOCUMENT,
    APPROVE,
    REJECT,
    KINDS
};

/* Adds a random change to the batch and makes it in the model; false: the model refuses it. */
static bool change(fer_batch *b, struct model *m, fer_quarantine policy, unsigned tool)
{
    char text[512];
    fer_err err;
    fer_str id = fer_str_of(id_of(tool));
    struct model_tool *t = &m->tools[tool];
    switch ((enum kind)pick(KINDS + 4)) {
    default: {
        unsigned variant = pick(VARIANTS), backend = variant; /* the same variant, the same bytes */
        definition_of(text, sizeof text, tool, variant, backend);
        assert_int_equal(
            fer_batch_add(b, FER_STR("t"), fer_str_of(text), FER_FORMAT_JSON, NULL, &err), FER_OK);
        int now = (int)variant + 1;
        if (!t->served && t->past && t->past != now &&
            (t->held == now || is_held(policy, t->past, now))) {
            t->served = t->past; /* as it was before it went */
            t->backends = t->past_backends;
            if (t->held != now) t->held_backends = 1u << backend;
            t->held = now;
            t->past = 0;
        } else if (!t->served) {
            *t = (struct model_tool){
                .served = now, .backends = 1u << backend, .documented = t->documented};
        } else if (t->past == now && t->served != now) {
            ; /* it was rejected */
        } else if (t->served == now) {
            t->backends |= 1u << backend;
            t->held = 0;
        } else if (is_held(policy, t->served, now)) {
            if (t->held != now) t->held_backends = t->backends | 1u << backend;
            t->held = now;
        } else {
            t->served = now;
            t->held = t->past = 0;
            t->backends |= 1u << backend;
        }
        return true;
    }
    case REMOVE: {
        assert_int_equal(fer_batch_remove(b, id, &err), FER_OK);
        bool there = t->served || t->documented;
        struct model_tool was = *t;
        *t = (struct model_tool){.held = was.held, .held_backends = was.held_backends};
        if (!was.served) {
            t->past = was.past;
            t->past_backends = was.past_backends;
        } else if (policy != FER_QUARANTINE_NONE) {
            t->past = was.served;
            t->past_backends = was.backends;
        }
        return there;
    }
    case DOCUMENT:
        assert_int_equal(fer_batch_document(b, id, FER_STR("{\"notes\":\"written\"}"), &err),
                         FER_OK);
        t->documented = true;
        return true;
    case APPROVE: {
        assert_int_equal(fer_batch_approve(b, id, &err), FER_OK);
        bool held = t->held, rejected = !held && t->served && t->past;
        if (held || rejected) {
            t->backends = held ? t->held_backends : t->past_backends;
            t->served = held ? t->held : t->past;
            t->past = 0;
        }
        t->held = 0;
        return held || rejected;
    }
    case REJECT: {
        assert_int_equal(fer_batch_reject(b, id, &err), FER_OK);
        bool held = t->held;
        if (held && t->served) {
            t->past = t->held;
            t->past_backends = t->held_backends;
        }
        t->held = 0;
        return held;
    }
    }
}

/* ---- comparing
 * -------------------------------------------------------------------------------------- */

static void same_tool(fer_arena *a, const fer_view *v, const struct model_tool *t, unsigned tool)
{
    char wanted[512];
    fer_str id = fer_str_of(id_of(tool)), text;
    fer_backend *backends;
    size_t count;
    fer_err err;
    fer_code code = fer_view_definition(a, v, id, &text, &err);
    assert_int_equal(code, t->served ? FER_OK : FER_TOOL_NOT_FOUND);
    if (t->served) {
        snprintf(wanted, sizeof wanted, "word%u number%d", tool, t->served - 1);
        assert_non_null(strstr(text.ptr, wanted));
        assert_int_equal(fer_view_backends(a, v, id, NULL, NULL, &backends, &count, NULL, &err),
                         FER_OK);
        assert_int_equal(count, __builtin_popcount(t->backends));
    }
    code = fer_view_pending(a, v, id, &text, &err);
    assert_int_equal(code, t->held ? FER_OK : FER_TOOL_NOT_FOUND);
    if (t->held) {
        snprintf(wanted, sizeof wanted, "word%u number%d", tool, t->held - 1);
        assert_non_null(strstr(text.ptr, wanted));
    }
    code = fer_view_describe(a, v, id, t->served ? FER_LEVEL_FULL : FER_LEVEL_SUMMARY, &text, &err);
    assert_int_equal(code, t->served || t->documented ? FER_OK : FER_TOOL_NOT_FOUND);
    if (t->served)
        assert_int_equal(strstr(fer_arena_copy(a, text).ptr, "written") != NULL, t->documented);
}

/* What is served is found by its words, and nothing else is. */
static void same_found(fer_arena *a, fer_catalog *c, const struct model_tool *t, unsigned tool)
{
    char query[64];
    fer_found found;
    fer_err err;
    size_t hits = 0;
    snprintf(query, sizeof query, "word%u", tool);
    assert_int_equal(fer_catalog_search(a, c, fer_str_of(query), NULL, NULL, &found, &err), FER_OK);
    for (size_t i = 0; i < found.count; i++)
        hits += fer_str_eq(found.matches[i].hit.summary.id, fer_str_of(id_of(tool)));
    assert_int_equal(hits, t->served ? 1 : 0);
}

static void same(fer_catalog *c, const struct model *m)
{
    fer_arena *a = fer_arena_new(0);
    fer_view *v = fer_catalog_view(c);
    fer_namespace *spaces;
    size_t count, tools = 0, all = 0;
    fer_str next;
    for (unsigned i = 0; i < TOOLS; i++) {
        same_tool(a, v, &m->tools[i], i);
        tools += m->tools[i].served != 0;
    }
    same_found(a, c, &m->tools[state % TOOLS], (unsigned)(state % TOOLS));
    assert_int_equal(fer_view_count(v), tools);
    assert_int_equal(fer_view_namespaces(a, v, NULL, NULL, &spaces, &count, &next, NULL), FER_OK);
    for (size_t i = 0; i < count; i++) all += spaces[i].tools;
    assert_int_equal(all, tools);
    fer_view_unref(v);
    fer_arena_free(a);
}

static fer_catalog *through_file(fer_catalog *c, const fer_catalog_options *options,
                                 const char *path)
{
    fer_err err;
    fer_catalog *again;
    if (fer_catalog_save(c, path, &err)) fail_msg("%s", err.message);
    fer_catalog_free(c);
    if (fer_catalog_open(path, options, &again, &err)) fail_msg("%s", err.message);
    return again;
}

static const struct row {
    const char *name;
    fer_quarantine policy;
    uint64_t seed;
} rows[] = {
    {"nothing is held back", FER_QUARANTINE_NONE, 1},
    {"nothing, again", FER_QUARANTINE_NONE, 2},
    {"what breaks is held back", FER_QUARANTINE_BREAKING, 3},
    {"what breaks, again", FER_QUARANTINE_BREAKING, 4},
    {"every change is held back", FER_QUARANTINE_CHANGED, 5},
};

static void run(const struct row *row)
{
    fer_catalog_options options = {.quarantine = row->policy, .search = true};
    char path[] = "/tmp/ferrule-random-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct model m = {0};
    fer_catalog *c = must_catalog(&options);
    state = row->seed;
    for (int step = 0; step < STEPS; step++) {
        fer_batch *b = fer_batch_new();
        fer_err err;
        struct model next = m;
        bool good = true;
        /* Each tool at most once: what two changes of one batch mean has rows of its own. */
        unsigned first = pick(TOOLS), count = 1 + pick(4);
        for (unsigned i = 0; i < count; i++)
            good = change(b, &next, row->policy, (first + i * 5) % TOOLS) && good;
        fer_code code = fer_catalog_apply(c, b, &err);
        assert_int_equal(code == FER_OK, good);
        if (good) m = next;
        fer_batch_free(b);
        if (step % 7 == 0) same(c, &m);
        if (step % 97 == 96) c = through_file(c, &options, path);
    }
    same(c, &m);
    fer_catalog_free(c);
    unlink(path);
}

int main(void)
{
    return ROWS_RUN("random", rows, run);
}
