/* SPDX-License-Identifier: Apache-2.0 */
/* Chains: reading, running, checking. */
#include <ferrule/gateway.h>

#include "assert_shape.h"
#include "gateway_parts.h"
#include "rows.h"

/* ---- tools
 * ---------------------------------------------------------------------------------------- */

struct sum_args {
    int64_t x, y;
    const struct yyjson_val *previous;
};
static const fer_bind_row sum_rows[] = {
    {"x", FER_BIND_INTEGER, offsetof(struct sum_args, x), true, NULL, NULL, NULL},
    {"y", FER_BIND_INTEGER, offsetof(struct sum_args, y), false, NULL, "0", NULL},
};
static const fer_bind_row open_rows[] = {
    {"x", FER_BIND_INTEGER, offsetof(struct sum_args, x), false, NULL, "0", NULL},
    {"previous", FER_BIND_JSON, offsetof(struct sum_args, previous), false, NULL, NULL, NULL},
};

static fer_code sum(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    const struct sum_args *p = args;
    (void)context, (void)err;
    *out = fer_arena_printf(a, "{\"sum\":%lld,\"text\":\"%lld\"}", (long long)(p->x + p->y),
                            (long long)(p->x + p->y));
    return FER_OK;
}
static fer_code tell(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    const struct sum_args *p = args;
    fer_str text = FER_STR("null");
    (void)context;
    if (p->previous && fer_json_write(a, p->previous, false, &text, err)) return err->code;
    *out = fer_arena_printf(a, "{\"was\":%.*s}", FER_PRI(text));
    return FER_OK;
}
static fer_code refuse(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    (void)context, (void)a, (void)args, (void)out;
    err->code = FER_TOOL_FAILED;
    snprintf(err->message, sizeof err->message, "never");
    return FER_TOOL_FAILED;
}
static fer_code wait(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    (void)context, (void)a, (void)args, (void)err;
    uv_sleep(20);
    *out = FER_STR("\"late\"");
    return FER_OK;
}

#define SUM_SCHEMA                                                                                        \
    "{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":1000}," \
    "\"text\":{\"type\":\"string\"}},\"required\":[\"sum\",\"text\"],\"additionalProperties\":false}"
static const fer_builtin functions[] = {
    {.ns = "t",
     .name = "loose",
     .description = "Adds, and promises little.",
     .rows = sum_rows,
     .row_count = 2,
     .args_size = sizeof(struct sum_args),
     .output_schema = "{\"type\":\"object\"}",
     .effect = FER_EFFECT_PURE,
     .run = sum},
    {.ns = "t",
     .name = "sum",
     .description = "Adds.",
     .rows = sum_rows,
     .row_count = 2,
     .args_size = sizeof(struct sum_args),
     .output_schema = SUM_SCHEMA,
     .effect = FER_EFFECT_PURE,
     .run = sum},
    {.ns = "t",
     .name = "tell",
     .description = "Tells.",
     .rows = open_rows,
     .row_count = 2,
     .args_size = sizeof(struct sum_args),
     .effect = FER_EFFECT_PURE,
     .run = tell},
    {.ns = "t",
     .name = "never",
     .description = "Refuses.",
     .rows = open_rows,
     .row_count = 2,
     .args_size = sizeof(struct sum_args),
     .effect = FER_EFFECT_PURE,
     .run = refuse},
    {.ns = "t",
     .name = "wait",
     .description = "Waits.",
     .rows = open_rows,
     .row_count = 2,
     .args_size = sizeof(struct sum_args),
     .effect = FER_EFFECT_PURE,
     .run = wait,
     .blocks = true},
};

struct scene {
    fer_arena *arena;
    fer_catalog *catalog;
    fer_gateway *gateway;
    size_t done;
    fer_str text;
    fer_str output;
    fer_code code;
    char events[512];
};

static void set(struct scene *s)
{
    fer_err err;
    memset(s, 0, sizeof *s);
    s->arena = fer_arena_new(0);
    assert_int_equal(fer_catalog_new(NULL, &s->catalog, &err), FER_OK);
    assert_int_equal(
        fer_gateway_new(&(fer_gateway_options){.catalog = s->catalog}, &s->gateway, &err), FER_OK);
    assert_int_equal(fer_gateway_builtins(s->gateway, functions, FER_COUNT(functions), &err),
                     FER_OK);
}
static void strike(struct scene *s)
{
    fer_gateway_free(s->gateway);
    fer_catalog_free(s->catalog);
    fer_arena_free(s->arena);
}

static void on_done(void *context, const fer_chain_result *r)
{
    struct scene *s = context;
    s->done++;
    s->code = r->error.code;
    s->output = fer_arena_copy(s->arena, r->output);
    fer_str text;
    assert_int_equal(fer_chain_result_write(s->arena, r, &text, NULL), FER_OK);
    assert_shape(s->arena, "chain-result", text);
    s->text = fer_arena_copy(s->arena, text);
}

/* ---- running
 * ---------------------------------------------------------------------------------------- */

static const struct row {
    const char *name, *chain, *input;
    fer_code code;
    const char *output;
    const char *has[3];
} rows[] = {
    {"one step", "[{\"toolId\":\"t:sum\",\"args\":{\"x\":1,\"y\":2}}]", "", FER_OK,
     "{\"sum\":3,\"text\":\"3\"}"},
    {"usePrevious",
     "[{\"toolId\":\"t:sum\",\"args\":{\"x\":1}},{\"toolId\":\"t:tell\",\"usePrevious\":true}]", "",
     FER_OK, "{\"was\":{\"sum\":1,\"text\":\"1\"}}"},
    {"a closed schema takes it elsewhere",
     "[{\"toolId\":\"t:sum\",\"args\":{\"x\":1}},{\"toolId\":\"t:tell\",\"args\":{\"x\":2},\"usePrevious\":true,"
     "\"previousAt\":\"/previous/deep\"}]",
     "", FER_OK, "{\"was\":{\"deep\":{\"sum\":1,\"text\":\"1\"}}}"},
    {"references",
     "{\"steps\":[{\"id\":\"a\",\"toolId\":\"t:sum\",\"args\":{\"x\":1,\"y\":2}},"
     "{\"toolId\":\"t:sum\",\"args\":{\"x\":10}},"
     "{\"toolId\":\"t:sum\",\"use\":{\"/x\":\"a#/sum\",\"/y\":\"previous#/sum\"}}]}",
     "", FER_OK, "{\"sum\":13,\"text\":\"13\"}"},
    {"the input", "[{\"toolId\":\"t:sum\",\"use\":{\"/x\":\"input#/n\"}}]", "{\"n\":7}", FER_OK,
     "{\"sum\":7,\"text\":\"7\"}"},
    {"nothing there",
     "[{\"toolId\":\"t:sum\",\"use\":{\"/x\":\"input#/n\"}}]",
     "{}",
     FER_REQUIRED_MISSING,
     "",
     {"leads to nothing", "\"failedStep\":\"0\""}},
    {"nothing there, but a default",
     "[{\"toolId\":\"t:sum\",\"use\":{\"/x\":{\"from\":\"input#/n\",\"default\":5}}}]", "{}",
     FER_OK, "{\"sum\":5,\"text\":\"5\"}"},
    {"into a list",
     "[{\"toolId\":\"t:tell\",\"args\":{\"previous\":[1]},\"use\":{\"/previous/0\":\"input#\",\"/previous/-\":\"input#\"}}]",
     "4", FER_OK, "{\"was\":[4,4]}"},
    {"no such place",
     "[{\"toolId\":\"t:tell\",\"args\":{\"previous\":[1]},\"use\":{\"/previous/9\":\"input#\"}}]",
     "4", FER_CONSTRAINT_VIOLATION, ""},
    {"the first error stops",
     "[{\"toolId\":\"t:sum\",\"args\":{\"x\":1}},{\"id\":\"no\",\"toolId\":\"t:never\"},{\"toolId\":\"t:sum\",\"args\":{\"x\":1}}]",
     "",
     FER_TOOL_FAILED,
     "",
     {"\"failedStep\":\"no\"", "\"id\":\"2\",\"status\":\"NotRun\"",
      "\"id\":\"0\",\"toolId\":\"t:sum\",\"status\":\"Ok\""}},
    {"or does not",
     "[{\"toolId\":\"t:never\",\"onError\":\"continue\"},{\"toolId\":\"t:sum\",\"args\":{\"x\":1}}]",
     "",
     FER_OK,
     "{\"sum\":1,\"text\":\"1\"}",
     {"\"status\":\"Error\""}},
    {"for all steps",
     "{\"onError\":\"continue\",\"steps\":[{\"toolId\":\"t:never\"},{\"toolId\":\"t:sum\",\"args\":{\"x\":1}}]}",
     "", FER_OK, "{\"sum\":1,\"text\":\"1\"}"},
    {"a fallback",
     "[{\"id\":\"a\",\"toolId\":\"t:never\",\"onError\":{\"fallback\":{\"toolId\":\"t:sum\",\"args\":{\"x\":2}}}},"
     "{\"toolId\":\"t:sum\",\"use\":{\"/x\":\"a#/sum\"}}]",
     "", FER_OK, "{\"sum\":2,\"text\":\"2\"}"},
    {"a fallback that fails",
     "[{\"toolId\":\"t:never\",\"onError\":{\"fallback\":{\"id\":\"b\",\"toolId\":\"t:never\"}}}]",
     "",
     FER_TOOL_FAILED,
     "",
     {"\"failedStep\":\"b\""}},
    {"a condition that holds",
     "[{\"id\":\"a\",\"toolId\":\"t:sum\",\"args\":{\"x\":1}},"
     "{\"toolId\":\"t:tell\",\"when\":{\"from\":\"a#/sum\",\"schema\":{\"const\":1}}}]",
     "", FER_OK, "{\"was\":null}"},
    {"a condition that does not",
     "[{\"id\":\"a\",\"toolId\":\"t:sum\",\"args\":{\"x\":1}},"
     "{\"toolId\":\"t:never\",\"when\":{\"from\":\"a#/sum\",\"schema\":{\"const\":2}}},"
     "{\"toolId\":\"t:tell\",\"usePrevious\":true}]",
     "",
     FER_OK,
     "{\"was\":{\"sum\":1,\"text\":\"1\"}}",
     {"\"status\":\"Skipped\""}},
    {"branches",
     "[{\"id\":\"both\",\"parallel\":[{\"toolId\":\"t:wait\"},[{\"toolId\":\"t:sum\",\"args\":{\"x\":1}},"
     "{\"toolId\":\"t:sum\",\"use\":{\"/x\":\"previous#/sum\",\"/y\":\"previous#/sum\"}}]]},"
     "{\"toolId\":\"t:tell\",\"usePrevious\":true}]",
     "", FER_OK, "{\"was\":[\"late\",{\"sum\":2,\"text\":\"2\"}]}"},
    {"a branch that fails ends all",
     "[{\"parallel\":[{\"id\":\"slow\",\"toolId\":\"t:wait\"},{\"id\":\"no\",\"toolId\":\"t:never\"}]},{\"toolId\":\"t:tell\"}]",
     "",
     FER_TOOL_FAILED,
     "",
     {"\"failedStep\":\"no\"", "\"code\":\"Cancelled\"", "\"status\":\"NotRun\""}},
    {"groups in groups",
     "[{\"parallel\":[[{\"parallel\":[{\"toolId\":\"t:wait\"},{\"toolId\":\"t:wait\"}]}],{\"toolId\":\"t:wait\"}]}]",
     "", FER_OK, "[[\"late\",\"late\"],\"late\"]"},
    {"no time", "{\"deadlineMs\":1,\"steps\":[{\"toolId\":\"t:wait\"},{\"toolId\":\"t:wait\"}]}",
     "", FER_DEADLINE_EXCEEDED, ""},
    {"a tool that is not there", "[{\"toolId\":\"t:nobody\"}]", "", FER_TOOL_NOT_FOUND, ""},
    {"arguments that do not fit", "[{\"toolId\":\"t:sum\",\"args\":{}}]", "", FER_REQUIRED_MISSING,
     ""},
};

static void run_row(const struct row *row)
{
    struct scene s;
    fer_chain *chain;
    fer_err err;
    set(&s);
    if (fer_chain_read(fer_str_of(row->chain), &chain, &err)) fail_msg("%s", err.message);
    assert_int_equal(
        fer_gateway_chain(s.gateway, chain, fer_str_of(row->input), NULL, on_done, &s, &err),
        FER_OK);
    fer_gateway_run(s.gateway);
    assert_int_equal(s.done, 1);
    if (s.code != row->code) fail_msg("%.*s", FER_PRI(s.text));
    assert_str(s.output, row->output);
    for (size_t i = 0; i < FER_COUNT(row->has) && row->has[i]; i++)
        if (!strstr(s.text.ptr, row->has[i])) fail_msg("%s is not in %s", row->has[i], s.text.ptr);
    fer_chain_free(chain);
    strike(&s);
}

/* ---- reading
 * ------------------------------------------------------------------------------------------ */

static const struct bad {
    const char *name, *chain;
    fer_code code;
    const char *says;
    unsigned column;
} bads[] = {
    {"no JSON", "[", FER_INVALID_JSON, "", 2},
    {"no steps", "[]", FER_OUT_OF_RANGE, "", 1},
    {"no tool", "[{\"args\":{}}]", FER_REQUIRED_MISSING, "toolId", 2},
    {"what nobody knows", "[{\"toolId\":\"a\",\"arg\":{}}]", FER_UNKNOWN_FIELD,
     "not a known property", 0},
    {"previous of the first", "[{\"toolId\":\"a\",\"usePrevious\":true}]", FER_CONSTRAINT_VIOLATION,
     "before the first", 30},
    {"a later step", "[{\"toolId\":\"a\",\"use\":{\"/x\":\"b#\"}},{\"id\":\"b\",\"toolId\":\"a\"}]",
     FER_CONSTRAINT_VIOLATION, "b#: no step", 28},
    {"itself", "[{\"id\":\"b\",\"toolId\":\"a\",\"use\":{\"/x\":\"b#\"}}]",
     FER_CONSTRAINT_VIOLATION, "b#: no step", 37},
    {"another branch",
     "[{\"parallel\":[{\"id\":\"p\",\"toolId\":\"a\"},{\"toolId\":\"a\",\"use\":{\"/x\":\"p#\"}}]}]",
     FER_CONSTRAINT_VIOLATION, "p#: no step", 65},
    {"a name twice", "[{\"id\":\"b\",\"toolId\":\"a\"},{\"id\":\"b\",\"toolId\":\"a\"}]",
     FER_CONSTRAINT_VIOLATION, "two steps", 26},
    {"a name that is taken", "[{\"id\":\"input\",\"toolId\":\"a\"}]", FER_CONSTRAINT_VIOLATION,
     "input", 8},
    {"both",
     "[{\"toolId\":\"a\"},{\"toolId\":\"a\",\"usePrevious\":true,\"args\":{\"previous\":1}}]",
     FER_CONSTRAINT_VIOLATION, "/previous", 57},
    {"a fallback of a fallback",
     "[{\"toolId\":\"a\",\"onError\":{\"fallback\":{\"toolId\":\"a\",\"onError\":{\"fallback\":{\"toolId\":\"a\"}}}}}]",
     FER_CONSTRAINT_VIOLATION, "fallback", 38},
    {"no schema", "[{\"toolId\":\"a\",\"when\":{\"from\":\"input#\",\"schema\":{\"type\":1}}}]",
     FER_INVALID_SCHEMA, "", 0},
};

static void bad_row(const struct bad *row)
{
    fer_chain *chain;
    fer_err err = {0};
    fer_code code = fer_chain_read(fer_str_of(row->chain), &chain, &err);
    if (code != row->code) fail_msg("%d: %s", code, err.message);
    if (!strstr(err.message, row->says)) fail_msg("%s", err.message);
    if (row->column) assert_int_equal(err.column, row->column);
}

static void so_many_steps(void)
{
    char text[FER_CHAIN_STEPS * 40 + 100];
    fer_err err;
    for (int extra = 0; extra < 2; extra++) {
        fer_chain *chain = NULL;
        strcpy(text, "[{\"parallel\":[");
        for (int i = 1; i < 8 + extra; i++)
            strcat(text, i > 1 ? ",{\"toolId\":\"a\"}" : "{\"toolId\":\"a\"}");
        strcat(text, "]}");
        for (int i = 8; i < FER_CHAIN_STEPS; i++) strcat(text, ",{\"toolId\":\"a\"}");
        strcat(text, "]");
        fer_code code = fer_chain_read(fer_str_of(text), &chain, &err);
        assert_int_equal(code, extra ? FER_LIMIT_EXCEEDED : FER_OK);
        fer_chain_free(chain);
    }
}

static void so_deep(void)
{
    char text[1000];
    fer_err err;
    for (int depth = FER_CHAIN_DEPTH; depth <= FER_CHAIN_DEPTH + 1; depth++) {
        fer_chain *chain = NULL;
        text[0] = '\0';
        for (int i = 0; i < depth; i++) strcat(text, i ? "[{\"parallel\":[" : "[{\"parallel\":[");
        strcat(text, "{\"toolId\":\"a\"}");
        for (int i = 0; i < depth; i++) strcat(text, "]}]");
        fer_code code = fer_chain_read(fer_str_of(text), &chain, &err);
        if (code != (depth > FER_CHAIN_DEPTH ? FER_LIMIT_EXCEEDED : FER_OK))
            fail_msg("%s", err.message);
        fer_chain_free(chain);
    }
}

/* ---- checking
 * ------------------------------------------------------------------------------------------- */

static const struct look {
    const char *name, *chain;
    const char *says[3]; /* in order: e, w or i, then words */
} looks[] = {
    {"all is well",
     "[{\"id\":\"a\",\"toolId\":\"t:sum\",\"args\":{\"x\":1}},{\"toolId\":\"t:sum\",\"use\":{\"/x\":\"a#/sum\"}}]",
     {0}},
    {"no tool", "[{\"toolId\":\"t:nobody\"}]", {"e"}},
    {"wrong arguments", "[{\"toolId\":\"t:sum\",\"args\":{\"x\":\"1\"}}]", {"e"}},
    {"a text for a number",
     "[{\"id\":\"a\",\"toolId\":\"t:sum\",\"args\":{\"x\":1}},{\"toolId\":\"t:sum\",\"use\":{\"/x\":\"a#/text\"}}]",
     {"e"}},
    {"a field that nobody promised",
     "[{\"id\":\"a\",\"toolId\":\"t:sum\",\"args\":{\"x\":1}},{\"toolId\":\"t:sum\",\"use\":{\"/x\":\"a#/total\"}}]",
     {"e"}},
    {"a field that nobody promised or forbids",
     "[{\"id\":\"a\",\"toolId\":\"t:loose\",\"args\":{\"x\":1}},{\"toolId\":\"t:sum\",\"use\":{\"/x\":\"a#/sum\"}}]",
     {"w"}},
    {"nobody knows",
     "[{\"toolId\":\"t:tell\"},{\"toolId\":\"t:tell\",\"usePrevious\":true}]",
     {"i"}},
    {"a closed schema",
     "[{\"toolId\":\"t:sum\",\"args\":{\"x\":1}},{\"toolId\":\"t:sum\",\"args\":{\"x\":1},\"usePrevious\":true}]",
     {"e"}},
};

static void look_row(const struct look *row)
{
    struct scene s;
    fer_chain *chain;
    fer_chain_remark *list;
    size_t count, wanted = 0;
    fer_err err;
    set(&s);
    assert_int_equal(fer_chain_read(fer_str_of(row->chain), &chain, &err), FER_OK);
    assert_int_equal(fer_gateway_check_chain(s.arena, s.gateway, chain, &list, &count, &err),
                     FER_OK);
    while (wanted < FER_COUNT(row->says) && row->says[wanted]) wanted++;
    for (size_t i = 0; i < count; i++) {
        if (i >= wanted || "ewi"[list[i].severity] != row->says[i][0])
            fail_msg("%d: %.*s", list[i].severity, FER_PRI(list[i].message));
    }
    assert_int_equal(count, wanted);
    fer_chain_free(chain);
    strike(&s);
}

/* ---- streams
 * --------------------------------------------------------------------------------------------- */

static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    struct scene *s = context;
    char one[64];
    (void)c;
    snprintf(one, sizeof one, "%d:%llu ", (int)e->kind, (unsigned long long)e->sequence);
    strncat(s->events, one, sizeof s->events - strlen(s->events) - 1);
    return true;
}

static void a_chain_streams_as_one(void)
{
    struct scene s;
    fer_chain *chain;
    fer_err err;
    set(&s);
    fer_call_options o = {.on_event = on_event, .context = &s};
    assert_int_equal(
        fer_chain_read(
            FER_STR("[{\"toolId\":\"t:sum\",\"args\":{\"x\":1}},{\"toolId\":\"t:tell\"}]"), &chain,
            &err),
        FER_OK);
    assert_int_equal(fer_gateway_chain(s.gateway, chain, FER_STR(""), &o, on_done, &s, &err),
                     FER_OK);
    fer_gateway_run(s.gateway);
    assert_string_equal(s.events, "1:0 1:1 2:2 ");
    fer_chain_free(chain);
    strike(&s);
}

int main(void)
{
    int failed = ROWS_RUN("chains", rows, run_row);
    failed += ROWS_RUN("bad chains", bads, bad_row);
    failed += ROWS_ONE("limits", so_many_steps);
    failed += ROWS_ONE("limits", so_deep);
    failed += ROWS_RUN("looks", looks, look_row);
    failed += ROWS_ONE("streams", a_chain_streams_as_one);
    return failed != 0;
}
