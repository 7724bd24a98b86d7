/* SPDX-License-Identifier: Apache-2.0 */
#include "gateway_rig.h"

#include "json_value.h"

static void end(fer_attempt *t, const char *json)
{
    fer_json *doc;
    fer_err err = {0};
    fer_str text = json ? fer_str_of(json) : t->args_json;
    if (fer_json_read(t->arena, text, NULL, &doc, &err)) {
        fer_attempt_fail(t, err.code, "%s", err.message);
        return;
    }
    fer_attempt_end(t, &(fer_outcome){.phase = FER_PHASE_DEFINITE,
                                      .structured = fer_json_root(doc),
                                      .doc = doc,
                                      .structured_json = text});
}

static void call(fer_runner *r, fer_attempt *t)
{
    rig_runner *p = (rig_runner *)r;
    p->calls++;
    if (p->gone || fer_str_is(t->tool, "gone")) {
        fer_attempt_fail(t, FER_BACKEND_UNAVAILABLE, "nobody is there");
        return;
    }
    t->sent = true;
    if (fer_str_is(t->tool, "hang")) p->waiting = t;
    else if (fer_str_is(t->tool, "lost")) fer_attempt_fail(t, FER_BACKEND_CRASHED, "it went away");
    else if (fer_str_is(t->tool, "no")) fer_attempt_fail(t, FER_TOOL_FAILED, "I will not");
    else if (fer_str_is(t->tool, "wrong")) end(t, "{\"n\":\"three\"}");
    else if (fer_str_is(t->tool, "steps")) {
        fer_attempt_event(t, FER_NEWS_PROGRESS, FER_STR("{\"progress\":1,\"total\":2}"));
        fer_attempt_event(t, FER_NEWS_CHUNK, FER_STR("{\"part\":\"a\"}"));
        fer_attempt_event(t, FER_NEWS_PROGRESS,
                          FER_STR("{\"progress\":2,\"total\":2,\"message\":\"done soon\"}"));
        fer_attempt_event(t, FER_NEWS_CHUNK, FER_STR("\"b\""));
        end(t, "{\"n\":2}");
    } else end(t, NULL);
}

static void cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    ((rig_runner *)r)->waiting = NULL;
    fer_attempt_fail(t, FER_CANCELLED, "%s", fer_cancel_names[reason]);
}

static void stop(fer_runner *r, void (*done)(fer_runner *r))
{
    ((rig_runner *)r)->stops++;
    done(r);
}

static void free_runner(fer_runner *r)
{
    ((rig_runner *)r)->frees++;
}

static const fer_runner_kind kind = {.name = "rig",
                                     .backend = FER_BACKEND_MCP,
                                     .call = call,
                                     .cancel = cancel,
                                     .stop = stop,
                                     .free = free_runner};

void rig_runner_init(rig_runner *p, const char *name, uv_loop_t *loop)
{
    *p = (rig_runner){.runner = {.kind = &kind, .name = fer_str_of(name), .loop = loop}};
}

#define TOOL(name, more)                                                                           \
    "{\"namespace\":\"s\",\"name\":\"" name "\",\"description\":\"Does " name "."                  \
    "\",\"effect\":\"Pure\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{"          \
    "\"type\":\"integer\"}}}" more "}"
static const char tools[] =
    "[" TOOL("echo", "") "," TOOL("steps", "") "," TOOL("hang", "") "," TOOL("no", "") "," TOOL(
        "gone", "") "," TOOL("lost", "") "," TOOL("wrong", ",\"outputSchema\":{\"type\":"
                                                           "\"object\",\"properties\":{\"n\":{"
                                                           "\"type\":\"integer\"}}}") "]";

static fer_code put_tools(rig *r, fer_err *err)
{
    fer_put_options put = {.backend =
                               &(fer_backend){FER_BACKEND_MCP, FER_STR("first"), FER_STR("")}};
    fer_batch *b = fer_batch_new();
    if (!b) return FER_OUT_OF_MEMORY;
    fer_code code =
        fer_batch_add(b, FER_STR("s.json"), fer_str_of(tools), FER_FORMAT_JSON, &put, err);
    if (!code) code = fer_catalog_apply(r->catalog, b, err);
    fer_batch_free(b);
    return code;
}

/* What its tools say of themselves is believed, and nothing is tried again. */
static const fer_str policies =
    FER_STR("{\"tools\":{\"*\":{\"retry\":{\"maxAttempts\":1}}},"
            "\"backends\":{\"first\":{\"trusted\":true},\"second\":{\"trusted\":true}}}");

fer_code rig_make(rig *r, const fer_gateway_options *options)
{
    fer_err err = {0};
    fer_gateway_options o = options ? *options : (fer_gateway_options){0};
    *r = (rig){.arena = fer_arena_new(0)};
    fer_code code = r->arena ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code) code = fer_catalog_new(NULL, &r->catalog, &err);
    o.catalog = r->catalog;
    if (!o.policies.len) o.policies = policies;
    if (!code) code = fer_gateway_new(&o, &r->gateway, &err);
    if (code) return code;
    rig_runner_init(&r->first, "first", fer_gateway_loop(r->gateway));
    rig_runner_init(&r->second, "second", fer_gateway_loop(r->gateway));
    code = fer_gateway_add_runner(r->gateway, &r->first.runner, &err);
    if (!code) code = fer_gateway_add_runner(r->gateway, &r->second.runner, &err);
    return code ? code : put_tools(r, &err);
}

void rig_free(rig *r)
{
    fer_gateway_free(r->gateway);
    fer_catalog_free(r->catalog);
    fer_arena_free(r->arena);
}
