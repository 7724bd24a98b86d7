/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a server beside its tools: what was written is read again, byte for byte, what
 * was not written here is refused, and without memory nothing is half there. */
#include "errors.h"
#include "gateway_parts.h"
#include "json_doc.h"
#include "rows.h"
#include "serve_parts.h"
#include "sys.h"

/* ---- a server that was never connected ----------------------------------------------------------
 */

static fer_code link_open(fer_mcp_link *l, fer_err *err)
{
    (void)l;
    return fer_fail(err, FER_BACKEND_UNAVAILABLE, "nobody is there");
}
static fer_code link_send(fer_mcp_link *l, const fer_mcp_out *m, fer_err *err)
{
    (void)l, (void)m;
    return fer_fail(err, FER_BACKEND_UNAVAILABLE, "nobody is there");
}
static void link_close(fer_mcp_link *l, bool hurry)
{
    (void)hurry;
    l->events->closed(l->context, FER_OK, "it was closed");
}
static void link_free(fer_mcp_link *l)
{
    fer_sys_free(l);
}
static const fer_mcp_link_kind link_kind = {
    .open = link_open, .send = link_send, .close = link_close, .free = link_free};

static fer_mcp_link *make(const void *settings, const fer_token_owner *who)
{
    fer_mcp_link *l = fer_sys_malloc(sizeof *l);
    (void)settings, (void)who;
    if (l) *l = (fer_mcp_link){.kind = &link_kind};
    return l;
}

static const fer_runner_kind kind = {.name = "puppet",
                                     .backend = FER_BACKEND_MCP,
                                     .call = fer_mcp_runner_call,
                                     .cancel = fer_mcp_runner_cancel,
                                     .mcp = fer_mcp_runner_client,
                                     .leave = fer_mcp_runner_leave,
                                     .stop = fer_mcp_runner_stop,
                                     .free = fer_mcp_runner_free};

typedef struct rig {
    fer_catalog *catalog;
    fer_gateway *gateway;
    fer_front *front;
} rig;

static void open_rig(rig *r)
{
    static const fer_mcp_times times = {0};
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_catalog_new(NULL, &r->catalog, NULL), FER_OK);
    assert_int_equal(
        fer_gateway_new(&(fer_gateway_options){.catalog = r->catalog}, &r->gateway, NULL), FER_OK);
    fer_runner *runner = fer_mcp_runner_new(
        a, fer_gateway_loop(r->gateway),
        &(fer_mcp_runner_spec){.kind = &kind, .name = FER_STR("s"), .make = make, .times = &times});
    assert_non_null(runner);
    assert_int_equal(fer_gateway_add_runner(r->gateway, runner, NULL), FER_OK);
    r->front = fer_front_new(&(fer_front_options){.gateway = r->gateway, .catalog = r->catalog});
    assert_non_null(r->front);
    fer_wares_look(&r->front->wares);
}

static void close_rig(rig *r)
{
    fer_front_free(r->front);
    fer_gateway_free(r->gateway);
    fer_catalog_free(r->catalog);
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

#define HEAD                                                                                       \
    "{\"version\":\"2025-11-25\",\"capabilities\":{\"resources\":{},\"prompts\":{}},"              \
    "\"instructions\":\"Be kind.\""
#define WHOLE                                                                                      \
    HEAD ",\"resources\":[{\"uri\":\"a:1\",\"n\":1.50}],\"resourceTemplates\":[],"                 \
         "\"prompts\":[{\"name\":\"p\"},{\"name\":\"q\"}],\"beside\":{\"tools\":{\"ttlMs\":7},"    \
         "\"resources\":{\"_meta\":{\"x\":1}}}}"

static const struct row {
    const char *name, *text;
    fer_code code;
} rows[] = {
    {"all of it", WHOLE, FER_OK},
    {"no lists", HEAD ",\"beside\":{\"tools\":{}}}", FER_OK},
    {"no version", "{\"capabilities\":{},\"instructions\":\"\"}", FER_BAD_USAGE},
    {"a version that nobody knows",
     "{\"version\":\"1999-01-01\",\"capabilities\":{},\"instructions\":\"\"}", FER_BAD_USAGE},
    {"capabilities that are none",
     "{\"version\":\"2025-11-25\",\"capabilities\":[],\"instructions\":\"\"}", FER_BAD_USAGE},
    {"no object", "[]", FER_BAD_USAGE},
};

static fer_code recall(rig *r, fer_arena *a, const char *text)
{
    fer_json *doc;
    fer_err err = {0};
    fer_code code = fer_json_read(a, fer_str_of(text), NULL, &doc, &err);
    return code ? code
                : fer_front_recall_wares(r->front, FER_STR("s"), doc, fer_json_root(doc), &err);
}

/* Nothing is there, or all of it. */
static void check(rig *r, const char *text, bool there)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_buf_init(&b, a, 65536);
    bool written = fer_front_write_wares(r->front, FER_STR("s"), &b);
    assert_int_equal(written, there);
    if (there) assert_str(fer_buf_view(&b), text);
    const fer_server *s = fer_wares_named(&r->front->wares, FER_STR("s"));
    assert_non_null(s);
    for (int i = 0; i < FER_WARE_KINDS && !there; i++) assert_null(s->stocks.each[i].good);
    fer_arena_free(a);
}

static void run(const struct row *row)
{
    int64_t before = fer_faults_live();
    bool met = true;
    for (size_t n = 1; met; n++) {
        char plan[32];
        rig r;
        open_rig(&r);
        fer_arena *a = fer_arena_new(0);
        snprintf(plan, sizeof plan, "malloc@%zu", n);
        assert_true(fer_faults_begin(plan));
        fer_code code = recall(&r, a, row->text);
        met = fer_faults_injected() > 0;
        fer_faults_begin(NULL);
        if (code != row->code && !(met && code == FER_OUT_OF_MEMORY))
            fail_msg("%s: %s", plan, fer_code_info(code)->name);
        check(&r, row->text, !code);
        if (code && !row->code) { /* with memory again */
            assert_int_equal(recall(&r, a, row->text), FER_OK);
            check(&r, row->text, true);
        }
        fer_arena_free(a);
        close_rig(&r);
        if (fer_faults_live() != before) fail_msg("%s: something is still held", plan);
    }
}

/* serve.wares_size, of a list that is kept */
static void size_of_a_list(void)
{
    static const char open[] = HEAD ",\"prompts\":[", close[] = "],\"beside\":{\"tools\":{}}}";
    for (size_t more = 0; more < 2; more++) {
        size_t len = FER_WARES_SIZE + more, head = sizeof open - 1;
        rig r;
        open_rig(&r);
        fer_arena *a = fer_arena_new(0);
        char *text = fer_arena_alloc(a, head + len + sizeof close);
        assert_non_null(text);
        memcpy(text, open, head);
        memset(text + head, ' ', len);
        memcpy(text + head, "{\"name\":\"p\"}", 12);
        memcpy(text + head + len, close, sizeof close);
        fer_json *doc;
        fer_err err = {0};
        fer_str all = {text, head + len + sizeof close - 1};
        assert_int_equal(fer_json_read(a, all, fer_json_limits_file(), &doc, NULL), FER_OK);
        assert_int_equal(
            fer_front_recall_wares(r.front, FER_STR("s"), doc, fer_json_root(doc), &err),
            more ? FER_LIMIT_EXCEEDED : FER_OK);
        if (more) assert_non_null(strstr(err.message, "serve.wares_size"));
        fer_arena_free(a);
        close_rig(&r);
    }
}

int main(void)
{
    return ROWS_RUN("wares.kept", rows, run) + ROWS_ONE("wares.kept", size_of_a_list);
}
