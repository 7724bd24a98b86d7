/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a catalogue: what becomes of each, all or nothing, quarantine, backends, resolving. */
#include "catalog_rows.h"

#define REQ                                                                                        \
    "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}},\"required\":[\"x\"]}}"
#define OPT                                                                                        \
    "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}}}}"
#define DESC                                                                                       \
    "{\"name\":\"a\",\"description\":\"new words\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}}}}"
#define L(name) "\"backend\":{\"kind\":\"local\",\"local\":{\"name\":\"" name "\"}}"
#define DOC     "{\"summary\":\"s\",\"examples\":[{\"args\":{\"x\":\"1\"}}]}"
#define NOT     FER_QUARANTINE_NONE
#define HOLD    FER_QUARANTINE_BREAKING
#define ANY     FER_QUARANTINE_CHANGED

/* Steps of one row are batches of one change each. */
static const struct row {
    const char *name;
    fer_quarantine quarantine;
    struct step steps[8];
    const char *outcomes[8];
    const char *tools; /* IDs at the end */
} rows[] = {
    {"a tool", NOT, {{'+', "", T("a")}}, {"registered a"}, "a"},
    {"some tools",
     NOT,
     {{'+', "", "[" T("b") "," T("a") "," N("a") "]"}},
     {"registered b; registered a; registered n:a"},
     "a b n:a"},
    {"the same again",
     NOT,
     {{'+', "", T("a")}, {'+', "", T("a")}},
     {"registered a", "unchanged a"},
     "a"},
    {"other spaces are other bytes",
     NOT,
     {{'+', "", T("a")}, {'+', "", "{\"name\":\"a\",\"inputSchema\":{ \"type\":\"object\"}}"}},
     {"registered a", "updated a compatible"},
     "a"},
    {"made optional",
     NOT,
     {{'+', "", REQ}, {'+', "", OPT}},
     {"registered a", "updated a compatible"},
     "a"},
    {"made required",
     NOT,
     {{'+', "", OPT}, {'+', "", REQ}},
     {"registered a", "updated a breaking"},
     "a"},
    {"made required, held back",
     HOLD,
     {{'+', "", OPT}, {'+', "", REQ}, {'+', "", REQ}, {'!', "a", ""}},
     {"registered a", "quarantined a breaking", "unchanged a breaking", "approved a"},
     "a"},
    {"held back and rejected",
     HOLD,
     {{'+', "", OPT}, {'+', "", REQ}, {'x', "a", ""}, {'x', "a", ""}},
     {"registered a", "quarantined a breaking", "rejected a", "TOOL_NOT_FOUND"},
     "a"},
    {"held back and gone back",
     HOLD,
     {{'+', "", OPT}, {'+', "", REQ}, {'+', "", OPT}, {'!', "a", ""}},
     {"registered a", "quarantined a breaking", "rejected a", "TOOL_NOT_FOUND"},
     "a"},
    {"compatible goes through",
     HOLD,
     {{'+', "", REQ}, {'+', "", OPT}},
     {"registered a", "updated a compatible"},
     "a"},
    {"any change is held back",
     ANY,
     {{'+', "", OPT}, {'+', "", DESC}},
     {"registered a", "quarantined a compatible"},
     "a"},
    {"a compatible one after a breaking one",
     HOLD,
     {{'+', "", OPT}, {'+', "", REQ}, {'+', "", DESC}, {'!', "a", ""}},
     {"registered a", "quarantined a breaking", "updated a compatible", "TOOL_NOT_FOUND"},
     "a"},
    {"removed",
     NOT,
     {{'+', "", T("a")}, {'-', "a", ""}, {'-', "a", ""}},
     {"registered a", "removed a", "TOOL_NOT_FOUND"},
     ""},
    {"a backend more",
     NOT,
     {{'+', "", TX("a", L("x"))},
      {'+', "", TX("a", L("y"))},
      {'b', "a", "x"},
      {'b', "a", "x"},
      {'b', "a", "y"}},
     {"registered a", "updated a compatible", "backend-removed a", "TOOL_NOT_FOUND", "removed a"},
     ""},
    {"removing a backend of nobody", NOT, {{'b', "a", "x"}}, {"TOOL_NOT_FOUND"}, ""},
    {"documented", NOT, {{'+', "", OPT}, {'d', "a", DOC}}, {"registered a", "documented a"}, "a"},
    {"documented before it is there",
     NOT,
     {{'d', "a", DOC}, {'+', "", OPT}},
     {"documented a", "registered a"},
     "a"},
    {"an example that is refused",
     NOT,
     {{'+', "", OPT}, {'d', "a", "{\"examples\":[{\"args\":{\"x\":1}}]}"}},
     {"registered a", "CONSTRAINT_VIOLATION"},
     "a"},
    {"an example that is too deep",
     NOT,
     {{'d', "a", "{\"examples\":[{\"args\":{\"a\":{\"b\":{\"c\":{\"d\":{}}}}}}]}"},
      {'d', "a", "{\"examples\":[{\"args\":{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{}}}}}}}]}"}},
     {"documented a", "ARGS_TOO_LARGE"},
     ""},
    {"documentation of something else",
     NOT,
     {{'d', "a", "{\"tool\":1}"},
      {'d', "a:", "{}"},
      {'d', "a", "[]"},
      {'d', "a", "{\"notes\":1}"},
      {'d', "a", "{"}},
     {"UNKNOWN_FIELD", "INVALID_ID", "INVALID_TYPE", "INVALID_TYPE", "INVALID_JSON"},
     ""},
    {"only documentation is removed",
     NOT,
     {{'d', "a", DOC}, {'-', "a", ""}, {'-', "a", ""}},
     {"documented a", "removed a", "TOOL_NOT_FOUND"},
     ""},
    {"no name", NOT, {{'+', "", "{" S "}"}}, {"INVALID_TOOL"}, ""},
    {"no schema", NOT, {{'+', "", "{\"name\":\"a\"}"}}, {"REQUIRED_MISSING"}, ""},
    {"a schema that is none",
     NOT,
     {{'+', "", "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"properties\":7}}"}},
     {"INVALID_SCHEMA"},
     ""},
    {"an example of the record is refused",
     NOT,
     {{'+', "", TX("a", "\"examples\":[{\"args\":1}]")}},
     {"INVALID_TYPE"},
     ""},
    {"two versions",
     NOT,
     {{'+', "", "[" V("a", "1.0.0") "," V("a", "2.0.0") "]"}},
     {"registered n:a:1.0.0; registered n:a:2.0.0"},
     "n:a:1.0.0 n:a:2.0.0"},
    {"twice in one batch, the same",
     NOT,
     {{'+', "", "[" T("a") "," T("a") "]"}},
     {"registered a; unchanged a"},
     "a"},
    {"twice in one batch, another", NOT, {{'+', "", "[" OPT "," REQ "]"}}, {"INVALID_TOOL"}, ""},
    {"all or nothing",
     NOT,
     {{'+', "", "[" T("b") ",{\"name\":\"a b\"," S "}," T("c") "]"}},
     {"INVALID_TOOL"},
     ""},
};

/* The name of a code as the tables have it. */
static const char *const code_names[][2] = {{"ToolNotFound", "TOOL_NOT_FOUND"},
                                            {"InvalidTool", "INVALID_TOOL"},
                                            {"ConstraintViolation", "CONSTRAINT_VIOLATION"},
                                            {"ArgsTooLarge", "ARGS_TOO_LARGE"},
                                            {"UnknownField", "UNKNOWN_FIELD"},
                                            {"InvalidId", "INVALID_ID"},
                                            {"InvalidType", "INVALID_TYPE"},
                                            {"InvalidJson", "INVALID_JSON"},
                                            {"RequiredMissing", "REQUIRED_MISSING"},
                                            {"InvalidSchema", "INVALID_SCHEMA"}};

static const char *name_of(fer_code code)
{
    for (size_t i = 0; i < FER_COUNT(code_names); i++) {
        if (strcmp(fer_code_info(code)->name, code_names[i][0]) == 0) return code_names[i][1];
    }
    return fer_code_info(code)->name;
}

static void tools_write(fer_arena *a, fer_catalog *c, fer_buf *out)
{
    fer_view *v = fer_catalog_view(c);
    fer_summary *list;
    size_t count;
    fer_str next;
    assert_int_equal(fer_view_list(a, v, NULL, NULL, &list, &count, &next, NULL), FER_OK);
    assert_int_equal(count, fer_view_count(v));
    for (size_t i = 0; i < count; i++)
        fer_buf_printf(out, "%s%.*s", i ? " " : "", FER_PRI(list[i].id));
    fer_view_unref(v);
}

static void run(const struct row *row)
{
    fer_catalog *c = must_catalog(&(fer_catalog_options){.quarantine = row->quarantine});
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; row->steps[i].op; i++) {
        char text[512];
        fer_buf out;
        fer_err err = {0};
        fer_batch *b = fer_batch_new();
        fer_buf_init_fixed(&out, text, sizeof text);
        fer_view *before = fer_catalog_view(c);
        fer_code code = step_add(b, &row->steps[i], &err);
        if (!code) code = fer_catalog_apply(c, b, &err);
        fer_view *now = fer_catalog_view(c);
        if (code) fer_buf_add_text(&out, name_of(code));
        else outcomes_write(b, &out);
        assert_str(fer_buf_view(&out), row->outcomes[i]);
        /* A failure leaves everything, a change is a version, no change is none. */
        bool changed = !code && !fer_str_starts(fer_buf_view(&out), "unchanged");
        assert_int_equal(fer_view_version(now), fer_view_version(before) + changed);
        if (code) assert_true(err.message[0] != '\0');
        fer_view_unref(before);
        fer_view_unref(now);
        fer_batch_free(b);
    }
    char text[512];
    fer_buf out;
    fer_buf_init_fixed(&out, text, sizeof text);
    tools_write(a, c, &out);
    assert_str(fer_buf_view(&out), row->tools);
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* ---- resolving --------------------------------------------------------------------------------
 */

static const char versions[] =
    "[" V("a", "1.0.0") "," V("a", "1.10.0") "," V("a", "1.9.0") "," V("a", "2.0.0-rc.1") "," N("b") "," V(
        "b",
        "0.1.0") "," V("pre",
                       "1.0.0-rc.2") "," V("pre",
                                           "1.0.0-rc.10") ","
                                                          "{\"name\":\"plain\",\"version\":\"1.0.0\"," S
                                                          "}," N(
                                                              "a-b") ",{\"namespace\":\"pack\",\"name\":\"tool\"," S
                                                                     "}]";

static const struct resolving {
    const char *name;
    const char *id;
    const char *constraint;
    const char *expected; /* or the name of a code */
} resolvings[] = {
    {"the highest release", "n:a", "", "n:a:1.10.0"},
    {"one version", "n:a:1.9.0", "", "n:a:1.9.0"},
    {"with a v", "n:a:v1.9.0", "", "n:a:1.9.0"},
    {"a pre-release by name", "n:a:2.0.0-rc.1", "", "n:a:2.0.0-rc.1"},
    {"a constraint", "n:a", "<1.10", "n:a:1.9.0"},
    {"a constraint that names a pre-release", "n:pre", ">=1.0.0-rc.1", "n:pre:1.0.0-rc.10"},
    {"only pre-releases", "n:pre", "", "TOOL_NOT_FOUND"},
    {"a version before none", "n:b", "", "n:b:0.1.0"},
    {"no namespace", "plain", "", "plain"},
    {"no namespace, a constraint", "plain", "^1", "plain"},
    {"no namespace, another constraint", "plain", "^2", "TOOL_NOT_FOUND"},
    {"a neighbour in between", "n:a-b", "", "n:a-b"},
    {"an alias", "local::pack::tool", "", "pack:tool"},
    {"another alias", "mcp::pack::tool", "", "pack:tool"},
    {"nobody", "n:c", "", "TOOL_NOT_FOUND"},
    {"no such version", "n:a:3.0.0", "", "TOOL_NOT_FOUND"},
    {"no ID", "n:", "", "INVALID_ID"},
    {"no constraint", "n:a", ">>1", "InvalidConstraint"},
};

static void resolve(const struct resolving *row)
{
    fer_catalog *c = must_catalog_of(versions);
    fer_view *v = fer_catalog_view(c);
    fer_arena *a = fer_arena_new(0);
    fer_str id = FER_STR("");
    fer_code code =
        fer_view_resolve(a, v, fer_str_of(row->id), fer_str_of(row->constraint), &id, NULL);
    assert_str(code ? fer_str_of(name_of(code)) : id, row->expected);
    fer_arena_free(a);
    fer_view_unref(v);
    fer_catalog_free(c);
}

static void suggestions(void)
{
    fer_catalog *c = must_catalog_of("[" N("create_issue") "]");
    fer_view *v = fer_catalog_view(c);
    fer_arena *a = fer_arena_new(0);
    fer_str id;
    fer_err err;
    fer_view_resolve(a, v, FER_STR("n:create_isue"), FER_STR(""), &id, &err);
    assert_non_null(strstr(err.message, "did you mean \"n:create_issue\"?"));
    fer_view_resolve(a, v, FER_STR("create_issue"), FER_STR(""), &id, &err);
    assert_non_null(strstr(err.message, "did you mean \"n:create_issue\"?"));
    fer_view_resolve(a, v, FER_STR("other"), FER_STR(""), &id, &err);
    assert_null(strstr(err.message, "did you mean"));
    fer_arena_free(a);
    fer_view_unref(v);
    fer_catalog_free(c);
}

/* ---- backends -----------------------------------------------------------------------------------
 */

static size_t choose_last(void *context, fer_str id, const fer_backend *list, size_t count)
{
    (void)context;
    (void)id;
    (void)list;
    return count - 1;
}

static size_t choose_none(void *context, fer_str id, const fer_backend *list, size_t count)
{
    (void)context;
    (void)id;
    (void)list;
    return count;
}

#define MCP(n)  "{\"kind\":\"mcp\",\"mcp\":{\"serverName\":\"" n "\"}}"
#define PROV(n) "{\"kind\":\"provider\",\"provider\":{\"providerId\":\"" n "\",\"toolId\":\"t\"}}"
#define LOC(n)  "{\"kind\":\"local\",\"local\":{\"name\":\"" n "\"}}"

static const struct choosing {
    const char *name;
    const char *backends; /* JSON */
    fer_backend_selector *selector;
    const char *chosen; /* its name; NULL: there is none */
} choosings[] = {
    {"local first", MCP("m") "," PROV("p") "," LOC("l") "," LOC("k"), NULL, "l"},
    {"then a provider", MCP("m") "," PROV("p"), NULL, "p"},
    {"then MCP, the first", MCP("m") "," MCP("n"), NULL, "m"},
    {"a selector of one's own", MCP("m") "," LOC("l") "," PROV("p"), choose_last, "p"},
    {"a selector that wants none", MCP("m"), choose_none, NULL},
    {"no backend", "", NULL, NULL},
};

static void choose(const struct choosing *row)
{
    char text[1024];
    snprintf(text, sizeof text, "{\"name\":\"a\"," S ",\"backend\":[%s]}", row->backends);
    fer_catalog *c = must_catalog_of(text);
    fer_view *v = fer_catalog_view(c);
    fer_arena *a = fer_arena_new(0);
    fer_backend *list;
    size_t count, chosen = 0;
    fer_code code =
        fer_view_backends(a, v, FER_STR("a"), row->selector, NULL, &list, &count, &chosen, NULL);
    assert_int_equal(code, row->chosen ? FER_OK : FER_BACKEND_UNAVAILABLE);
    if (!code) assert_str(list[chosen].name, row->chosen);
    fer_arena_free(a);
    fer_view_unref(v);
    fer_catalog_free(c);
}

/* An option's backend is one more, and the same one is not there twice. */
static void backends_merge(void)
{
    fer_catalog *c = must_catalog(NULL);
    fer_arena *a = fer_arena_new(0);
    fer_backend mcp = {.kind = FER_BACKEND_MCP, .name = FER_STR("srv")}, *list;
    fer_put_options options = {.ns = FER_STR("srv"), .backend = &mcp};
    size_t count, chosen;
    fer_err err;
    for (int i = 0; i < 3; i++) {
        if (i == 2) mcp.name = FER_STR("other");
        assert_int_equal(apply_text(c, "[" T("a") "," N("b") "]", &options, &err), FER_OK);
    }
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_version(v), 2);
    assert_int_equal(
        fer_view_backends(a, v, FER_STR("srv:a"), NULL, NULL, &list, &count, &chosen, &err),
        FER_OK);
    assert_int_equal(count, 2);
    assert_str(list[1].name, "other");
    assert_int_equal(fer_view_backends(a, v, FER_STR("n:b"), NULL, NULL, &list, &count, NULL, &err),
                     FER_OK);
    assert_int_equal(count, 2);
    fer_view_unref(v);
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* ---- batches
 * -------------------------------------------------------------------------------------- */

/* Every problem is told, with its number and place. */
static void all_problems(void)
{
    fer_catalog *c = must_catalog(NULL);
    fer_batch *b = fer_batch_new();
    fer_err err;
    size_t count;
    static const char text[] =
        "[\n" T("ok") ",\n{\"name\":\"b c\"," S "},\n{\"name\":\"d\"},\n" T("e") "]";
    assert_int_equal(
        fer_batch_add(b, FER_STR("x.json"), fer_str_of(text), FER_FORMAT_JSON, NULL, &err), FER_OK);
    assert_int_equal(fer_batch_remove(b, FER_STR("gone"), &err), FER_OK);
    assert_int_equal(fer_batch_approve(b, FER_STR("ok"), &err), FER_OK);
    assert_int_equal(fer_catalog_apply(c, b, &err), FER_INVALID_TOOL);
    assert_non_null(strstr(err.message, "nothing was changed"));
    const fer_problem *list = fer_batch_problems(b, &count);
    assert_true(count >= 4);
    assert_int_equal(fer_batch_problem_count(b), count);
    bool seen[7] = {0};
    for (size_t i = 0; i < count; i++) {
        assert_true(list[i].number >= 1 && list[i].number <= 6 && list[i].message.len);
        seen[list[i].number] = true;
        if (list[i].number == 2 || list[i].number == 3)
            assert_int_equal(list[i].place.line, list[i].number + 1);
        if (list[i].number == 2) assert_str(list[i].source, "x.json");
    }
    assert_true(seen[2] && seen[3] && seen[5] && seen[6] && !seen[1] && !seen[4]);
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_count(v) + fer_view_version(v), 0);
    fer_view_unref(v);
    fer_batch_free(b);
    fer_catalog_free(c);
}

static void lenient(void)
{
    fer_catalog *c = must_catalog(&(fer_catalog_options){.lenient = true});
    fer_batch *b = fer_batch_new();
    fer_err err;
    fer_view *v;
    static const char text[] =
        "[" T("ok") ",{\"name\":\"b c\"," S "},{\"name\":\"d\"}," REQ "," OPT "]";
    assert_int_equal(
        fer_batch_add(b, FER_STR("x.json"), fer_str_of(text), FER_FORMAT_JSON, NULL, &err), FER_OK);
    assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
    assert_true(fer_batch_problem_count(b) >= 2);
    v = fer_catalog_view(c);
    assert_int_equal(fer_view_count(v), 3);
    fer_view_unref(v);
    assert_int_equal(fer_catalog_apply(c, b, &err), FER_BAD_USAGE);
    assert_int_equal(fer_batch_remove(b, FER_STR("ok"), &err), FER_BAD_USAGE);
    fer_batch_free(b);
    fer_catalog_free(c);
}

/* A text that is broken in the middle leaves nothing in the batch. */
static void broken_text(void)
{
    fer_catalog *c = must_catalog(NULL);
    fer_batch *b = fer_batch_new();
    fer_err err;
    size_t count;
    assert_int_equal(fer_batch_add(b, FER_STR("x"), FER_STR("[" T("a") "," T("b") ",{\"name\":}]"),
                                   FER_FORMAT_JSON, NULL, &err),
                     FER_INVALID_JSON);
    assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
    fer_batch_outcomes(b, &count);
    assert_int_equal(count, 0);
    fer_batch_free(b);
    fer_catalog_free(c);
}

/* A view stays as it is, whatever comes, even past its catalogue. */
static void frozen(void)
{
    fer_catalog *c = must_catalog_of("[" T("a") "," T("b") "]");
    fer_view *old = fer_catalog_view(c);
    fer_batch *b = fer_batch_new();
    fer_err err;
    fer_batch_remove(b, FER_STR("a"), &err);
    assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
    fer_batch_free(b);
    fer_view *now = fer_catalog_view(c);
    assert_int_equal(fer_view_count(now), 1);
    fer_view_unref(now);
    fer_catalog_free(c);
    fer_arena *a = fer_arena_new(0);
    fer_str id;
    assert_int_equal(fer_view_count(old), 2);
    assert_int_equal(fer_view_resolve(a, old, FER_STR("a"), FER_STR(""), &id, &err), FER_OK);
    fer_arena_free(a);
    fer_view_unref(old);
}

/* ---- memory
 * ----------------------------------------------------------------------------------------- */

/* A tool of a number, or its removal, in a batch of its own or with others. */
static void numbered(fer_batch *b, size_t number, const char *says, bool gone)
{
    char text[160], id[16];
    fer_err err;
    snprintf(id, sizeof id, "t%05zu", number);
    snprintf(text, sizeof text,
             "{\"name\":\"%s\",\"description\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}", id,
             says);
    fer_code code =
        gone ? fer_batch_remove(b, fer_str_of(id), &err)
             : fer_batch_add(b, FER_STR("t"), fer_str_of(text), FER_FORMAT_JSON, NULL, &err);
    assert_int_equal(code, FER_OK);
}

static size_t changed(fer_catalog *c, size_t from, size_t to, const char *says, bool gone)
{
    fer_err err;
    fer_batch *b = fer_batch_new();
    for (size_t i = from; i < to; i++) numbered(b, i, says, gone);
    assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
    fer_batch_free(b);
    fer_view *v = fer_catalog_view(c);
    size_t held = fer_view_held(v);
    fer_view_unref(v);
    return held;
}

/* catalog.past: up to it a tool that comes again is held against what it was, and a new one is
 * new; with a full memory all that come are held back. */
static void past_limit(void)
{
    fer_catalog *c = must_catalog(&(fer_catalog_options){.quarantine = FER_QUARANTINE_CHANGED});
    assert_int_equal(changed(c, 0, FER_PAST_MAX + 1, "Was.", false), 0);
    assert_int_equal(changed(c, 0, FER_PAST_MAX - 1, "", true), 0);
    assert_int_equal(changed(c, 20000, 20001, "New.", false), 0); /* there is room for one more */
    assert_int_equal(changed(c, FER_PAST_MAX - 1, FER_PAST_MAX + 1, "", true), 0);
    assert_int_equal(changed(c, FER_PAST_MAX, FER_PAST_MAX + 1, "Other.", false), 1);
    assert_int_equal(changed(c, 20001, 20002, "New.", false), 2);
    assert_int_equal(changed(c, 5, 6, "Other.", false), 3); /* remembered: it makes room */
    assert_int_equal(changed(c, 20002, 20003, "New.", false), 3);
    assert_int_equal(changed(c, 6, 7, "Was.", false), 3);
    fer_catalog_free(c);
}

static fer_code attempt(fer_arena *given, const void *context)
{
    const struct step *steps = context;
    fer_arena *a = given ? given : fer_arena_new(0);
    fer_catalog *c = NULL;
    fer_err err = {0};
    fer_str text;
    fer_code code =
        a ? fer_catalog_new(&(fer_catalog_options){.quarantine = FER_QUARANTINE_BREAKING}, &c, &err)
          : FER_OUT_OF_MEMORY;
    for (const struct step *s = steps; s->op && !code; s++) {
        fer_batch *b = fer_batch_new();
        code = b ? step_add(b, s, &err) : FER_OUT_OF_MEMORY;
        if (!code) code = fer_catalog_apply(c, b, &err);
        fer_batch_free(b);
    }
    fer_view *v = c ? fer_catalog_view(c) : NULL;
    if (!code) code = fer_view_describe(a, v, FER_STR("a"), FER_LEVEL_FULL, &text, &err);
    fer_view_unref(v);
    fer_catalog_free(c);
    if (!given) fer_arena_free(a);
    return code;
}

static void torture(void)
{
    static const struct step steps[] = {{'+', "", "[" OPT "," N("b") "]"},
                                        {'d', "a", DOC},
                                        {'+', "", REQ},
                                        {'!', "a", ""},
                                        {'-', "n:b", ""},
                                        {0}};
    assert_true(rows_torture_malloc(attempt, steps) > 50);
    assert_true(rows_torture_arena(attempt, steps) > 0);
}

int main(void)
{
    return ROWS_RUN("changes", rows, run) + ROWS_RUN("resolving", resolvings, resolve) +
           ROWS_ONE("resolving", suggestions) + ROWS_RUN("backends", choosings, choose) +
           ROWS_ONE("backends", backends_merge) + ROWS_ONE("batch", all_problems) +
           ROWS_ONE("batch", lenient) + ROWS_ONE("batch", broken_text) + ROWS_ONE("view", frozen) +
           ROWS_ONE("limit", past_limit) + ROWS_ONE("catalog", torture);
}
