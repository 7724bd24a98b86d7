/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of tools: resolving, duplicates, findings in order, lifetimes and failing memory. */
#include <ferrule/contract.h>

#include <stdlib.h>

#include "buf.h"
#include "rows.h"
#include "toolset.h"

#define S           "\"inputSchema\":{\"type\":\"object\"}"
#define T(n)        "{\"name\":\"" n "\"," S "}"
#define V(ns, n, v) "{\"name\":\"" n "\",\"namespace\":\"" ns "\",\"version\":\"" v "\"," S "}"
#define CHAT(n)                                                                                    \
    "{\"type\":\"function\",\"function\":{\"name\":\"" n "\",\"parameters\":{\"type\":\"object\"}}}"
#define BARE(n) "{\"name\":\"" n "\",\"parameters\":{\"type\":\"object\"}}"
#define SPEC(n)                                                                                    \
    "{\"toolSpec\":{\"name\":\"" n "\",\"inputSchema\":{\"json\":{\"type\":\"object\"}}}}"

static fer_toolset *set_of(const char *name, const char *text)
{
    fer_err err = {0};
    fer_toolset *set = fer_toolset_new();
    assert_non_null(set);
    if (fer_toolset_add(set, fer_str_of(name), fer_str_of(text), FER_FORMAT_AUTO, &err))
        fail_msg("%s", err.message);
    return set;
}

/* ---- resolving ---------------------------------------------------------------------- */

static const char library[] =
    "[" V("fs", "read", "1.0.0") "," V("fs", "read", "v1.10.0") "," V("fs", "read", "1.9.0") "," V("fs", "read", "2.0.0-rc.2") "," V(
        "fs", "read",
        "2.0.0-rc.10") "," V("pre", "tool",
                             "1.0.0-a") "," V("pre", "tool",
                                              "1.0.0-b") "," V("b", "t",
                                                               "1.0.0+x") ",{\"name\":\"t\",\"namespace\":\"plain\"," S
                                                                          "}," V("bad", "t", "1.x") "," T(
                                                                              "solo") "," V("other",
                                                                                            "solo",
                                                                                            "1.0.0") "]";

static const struct find {
    const char *name;
    const char *id;
    const char *constraint;
    const char *found; /* ID, or NULL */
    fer_code code;
    const char *says;
} finds[] = {
    {"the highest release", "fs:read", "", "fs:read:1.10.0"},
    {"exact version", "fs:read:1.0.0", "", "fs:read:1.0.0"},
    {"exact version with v", "fs:read:v1.9.0", "", "fs:read:1.9.0"},
    {"exact version given with v", "fs:read:1.10.0", "", "fs:read:1.10.0"},
    {"exact pre-release", "fs:read:2.0.0-rc.2", "", "fs:read:2.0.0-rc.2"},
    {"exact version with build", "b:t:1.0.0+x", "", "b:t:1.0.0+x"},
    {"constraint", "fs:read", "<1.10", "fs:read:1.9.0"},
    {"exact constraint", "fs:read", "=1.0.0", "fs:read:1.0.0"},
    {"constraint of either", "fs:read", "1.0.x || 1.9.x", "fs:read:1.9.0"},
    {"release before pre-release", "fs:read", ">=1.0.0 || >=2.0.0-rc.1", "fs:read:1.10.0"},
    {"pre-release by constraint", "fs:read", ">=2.0.0-rc.1", "fs:read:2.0.0-rc.10"},
    {"the lower pre-release by constraint", "fs:read", "<2.0.0-rc.10 >=2.0.0-rc.1",
     "fs:read:2.0.0-rc.2"},
    {"a constraint that names no pre-release", "fs:read", ">=2", NULL, FER_TOOL_NOT_FOUND,
     "of \"fs:read\" there are"},
    {"only pre-releases", "pre:tool", "", NULL, FER_TOOL_NOT_FOUND, "a pre-release must be named"},
    {"only pre-releases, by constraint", "pre:tool", ">=1.0.0-a", "pre:tool:1.0.0-b"},
    {"alias of mcp", "mcp::fs::read", "", "fs:read:1.10.0"},
    {"alias of local", "local::fs::read", "^1.9 <1.10", "fs:read:1.9.0"},
    {"no version", "plain:t", "", "plain:t"},
    {"no version, yet a constraint", "plain:t", "*", NULL, FER_TOOL_NOT_FOUND,
     "a pre-release must be named"},
    {"a version that is none", "bad:t", "", "bad:t"},
    {"a version that is none satisfies nothing", "bad:t", "*", NULL, FER_TOOL_NOT_FOUND, NULL},
    {"no namespace", "solo", "", "solo"},
    {"namespaces keep apart", "other:solo", "", "other:solo:1.0.0"},
    {"unknown name", "nope", "", NULL, FER_TOOL_NOT_FOUND, "no tool \"nope\""},
    {"unknown namespace", "x:read", "", NULL, FER_TOOL_NOT_FOUND, "no tool \"x:read\""},
    {"name without its namespace", "read", "", NULL, FER_TOOL_NOT_FOUND, "no tool \"read\""},
    {"unknown version", "fs:read:3.0.0", "", NULL, FER_TOOL_NOT_FOUND,
     "of \"fs:read\" there are 5 versions"},
    {"case counts", "FS:read", "", NULL, FER_TOOL_NOT_FOUND, NULL},
    {"no ID", "a:b:c:d", "", NULL, FER_INVALID_ID, "two"},
    {"empty", "", "", NULL, FER_INVALID_ID, NULL},
    {"malformed constraint", "fs:read", ">>1", NULL, FER_INVALID_CONSTRAINT, ">>1"},
    {"malformed constraint on an unknown tool", "nope", ">>1", NULL, FER_INVALID_CONSTRAINT, NULL},
    {"malformed constraint beside a version", "fs:read:1.0.0", ">>1", NULL, FER_INVALID_CONSTRAINT,
     NULL},
};

static void resolves(const struct find *row)
{
    fer_toolset *set = set_of("library.json", library);
    const fer_tool *tool = NULL;
    fer_err err = {0};
    fer_code code =
        fer_toolset_find(set, fer_str_of(row->id), fer_str_of(row->constraint), &tool, &err);
    if (code != row->code) fail_msg("%s %s", fer_code_info(code)->name, err.message);
    if (row->found) assert_str(fer_tool_id(tool), row->found);
    else assert_null(tool);
    if (row->says && !strstr(err.message, row->says)) fail_msg("it says: %s", err.message);
    fer_toolset_free(set);
}

static void empty_set(void)
{
    size_t count = 7;
    const fer_tool *tool = NULL;
    fer_toolset *set = fer_toolset_new();
    assert_int_equal(fer_toolset_count(set), 0);
    assert_null(fer_toolset_get(set, 0));
    fer_toolset_findings(set, &count);
    assert_int_equal(count, 0);
    assert_int_equal(fer_toolset_find(set, FER_STR("a"), FER_STR(""), &tool, NULL),
                     FER_TOOL_NOT_FOUND);
    fer_toolset_free(set);
    fer_toolset_free(NULL);
}

/* ---- findings: "rule number source line:column pointer tool_pointer tool" -------------- */

static const struct finding {
    const char *name;
    const char *first;  /* added as first.json, or NULL */
    const char *second; /* added as second.json */
    const char *lines;
} findings[] = {
    {"none", NULL, "[" T("a") "]", ""},
    {"sorted by place", NULL,
     "{\"notes\":7,\n\"tags\":[\"A\"],\n\"name\":\"a b\"," S ",\n\"effect\":\"x\"}",
     "field.type 1 second.json 1:10 /notes /notes a b\n"
     "tags.changed 1 second.json 2:9 /tags/0 /tags/0 a b\n"
     "name.charset 1 second.json 3:8 /name /name a b\n"
     "field.enum 1 second.json 4:10 /effect /effect a b\n"},
    {"list", NULL, "[" T("a") ",\n{\"name\":\"b\"}]", "field.required 2 second.json 2:1 /1  b\n"},
    {"tools", NULL, "{\"tools\":[{\"name\":\"b c\"," S "}]}",
     "name.charset 1 second.json 1:19 /tools/0/name /name b c\n"},
    {"response", NULL, "{\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[\n{\"name\":\"\"," S "}]}}",
     "name.length 1 second.json 2:9 /result/tools/0/name /name \n"},
    {"chat", NULL, "[{\"type\":\"function\",\n\"function\":{\"name\":\"a b\",\"parameters\":{}}}]",
     "name.charset 1 second.json 2:20 /0/function/name /name a b\n"
     "schema.root-missing 1 second.json 2:39 /0/function/parameters /parameters a b\n"},
    {"gemini", NULL, "{\"tools\":[{\"functionDeclarations\":[" BARE("a") ",\n" BARE("b c") "]}]}",
     "name.charset 2 second.json 2:9 /tools/0/functionDeclarations/1/name /name b c\n"},
    {"bedrock", NULL,
     "{\"toolConfig\":{\"tools\":[\n{\"toolSpec\":{\"name\":\"a\",\"inputSchema\":{\"json\":{}}}}]}}",
     "schema.root-missing 1 second.json 2:47 /toolConfig/tools/0/toolSpec/inputSchema/json /inputSchema/json a\n"},
    {"pointer with escapes", NULL, "{\"name\":\"a\"," S ",\n\"securitySchemes\":{\"a/b~c\":1}}",
     "field.type 1 second.json 2:28 /securitySchemes/a~1b~0c /securitySchemes/a~1b~0c a\n"},
    {"duplicate", NULL, "[" T("a") ",\n" T("a") ",\n" T("a") "]",
     "tool.duplicate 2 second.json 2:9 /1/name /name a\n"
     "tool.duplicate 3 second.json 3:9 /2/name /name a\n"},
    {"versions are no duplicates", NULL, "[" V("n", "a", "1.0.0") "," V("n", "a", "1.0.1") "]", ""},
    {"the same version with v is", NULL, "[" V("n", "a", "1.0.0") ",\n" V("n", "a", "v1.0.0") "]",
     "tool.duplicate 2 second.json 2:9 /1/name /name n:a:1.0.0\n"},
    {"duplicate declaration", NULL, "{\"functionDeclarations\":[" BARE("a") ",\n" BARE("a") "]}",
     "tool.duplicate 2 second.json 2:9 /functionDeclarations/1/name /name a\n"},
    {"shadowed", "[" T("x") "," T("a") "]", "[" T("b") ",\n" T("a") "]",
     "tool.shadowed 2 second.json 2:9 /1/name /name a\n"},
    {"shadowed by another shape", "[" T("a") "]", "[" CHAT("a") "]",
     "tool.shadowed 1 second.json 1:40 /0/function/name /name a\n"},
    {"findings of both, in their order", "[{\"name\":\"a\"}]", "[{\"name\":\"b\"}]",
     "field.required 1 first.json 1:2 /0  a\nfield.required 1 second.json 1:2 /0  b\n"},
};

static void finds_all(const struct finding *row)
{
    char text[2048];
    fer_buf b;
    fer_toolset *set = row->first ? set_of("first.json", row->first) : fer_toolset_new();
    size_t count;
    fer_buf_init_fixed(&b, text, sizeof text - 1);
    assert_int_equal(fer_toolset_add(set, FER_STR("second.json"), fer_str_of(row->second),
                                     FER_FORMAT_AUTO, NULL),
                     FER_OK);
    const fer_finding *list = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count; i++) {
        const fer_finding *f = &list[i];
        fer_buf_printf(&b, "%s %zu %.*s %u:%u %.*s %.*s %.*s\n", f->rule->id, f->number,
                       FER_PRI(f->source), f->place.line, f->place.column, FER_PRI(f->pointer),
                       FER_PRI(f->tool_pointer), FER_PRI(f->tool));
    }
    assert_str(fer_buf_view(&b), row->lines);
    fer_toolset_free(set);
}

/* A declaration that is none does not shift the pointers of those behind it. */
static fer_code last_pointer(void *context, const fer_visited *visited, fer_err *err)
{
    const fer_finding *list;
    fer_code code = fer_visited_findings(visited, &list, err);
    if (!code && visited->finding_count) snprintf(context, 128, "%.*s", FER_PRI(list[0].pointer));
    return code;
}

static void declarations_keep_their_pointers(void)
{
    fer_reader r;
    char pointer[128] = "";
    fer_str text = FER_STR("{\"functionDeclarations\":[" BARE("a") ",7," BARE("b c") "]}");
    assert_int_equal(fer_reader_init(&r, NULL, FER_STR("-"), text, FER_FORMAT_JSON, NULL), FER_OK);
    assert_int_equal(fer_visit(&r, FER_STR("s"), NULL, last_pointer, pointer, NULL), FER_OK);
    fer_reader_deinit(&r);
    assert_string_equal(pointer, "/functionDeclarations/2/name");
}

/* ---- texts: their life, their ends, their failures ------------------------------------------- */

static const struct text {
    const char *name;
    const char *file;
    const char *text;
    size_t tools;
    size_t findings;
} texts[] = {
    {"mcp", "a.json",
     "{\"tools\":[{\"name\":\"a\",\"description\":\"d\",\"version\":\"1.0.0\"," S
     "},{\"name\":\"a\"," S "}]}",
     2, 2},
    {"own", "a.json",
     "[{\"name\":\"a\",\"tags\":[\"X y\",\"z\"],\"backend\":{\"local\":{\"name\":\"n\"}}," S ","
     "\"_meta\":{\"ferrule\":{\"effect\":\"pure\",\"tags\":[\"z\"]}},\"policies\":{\"timeoutMs\":0}}]",
     1, 4},
    {"chat", "a.json", "[" CHAT("a") "," CHAT("b c") "]", 2, 1},
    {"gemini", "a.json", "{\"tools\":[{\"functionDeclarations\":[" BARE("a") "," BARE("a") "]}]}",
     2, 1},
    {"bedrock", "a.json", "{\"toolConfig\":{\"tools\":[" SPEC("a") ",{\"cachePoint\":{}}]}}", 1, 1},
    {"single", "a.json", T("a"), 1, 0},
    {"lines", "a.jsonl", T("a") "\n" T("b") "\r\n\n" T("c c"), 3, 1},
    {"numbers beyond 64 bits", "a.json",
     "[{\"name\":\"a\"," S ",\"x\":123456789012345678901234567890.5e-7,\"notes\":\"\\u00e9\"}]", 1,
     0},
    {"yaml", "a.yaml",
     "tools:\n- name: a\n  tags: [X, y]\n  inputSchema: {type: object}\n- name: a\n  inputSchema: {}\n",
     2, 3},
};

static fer_code add_text(fer_arena *unused, const void *context)
{
    const struct text *row = context;
    size_t count;
    (void)unused;
    fer_toolset *set = fer_toolset_new();
    if (!set) return FER_OUT_OF_MEMORY;
    fer_code code =
        fer_toolset_add(set, fer_str_of(row->file), fer_str_of(row->text), FER_FORMAT_AUTO, NULL);
    fer_toolset_findings(set, &count);
    size_t tools = fer_toolset_count(set);
    fer_toolset_free(set);
    if (code) return code;
    assert_int_equal(tools, row->tools);
    assert_int_equal(count, row->findings);
    return FER_OK;
}

/* libyaml has memory of its own, so YAML is only read here, not tortured. */
static void survives_failing_memory(const struct text *row)
{
    assert_int_equal(add_text(NULL, row), FER_OK);
    if (strcmp(row->file, "a.yaml") != 0) assert_true(rows_torture_malloc(add_text, row) > 0);
}

/* What a set holds, read from end to end. */
static size_t read_all(const fer_toolset *set)
{
    size_t sum = 0, count;
    for (size_t i = 0; i < fer_toolset_count(set); i++) {
        const fer_tool *t = fer_toolset_get(set, i);
        fer_arena *a = fer_arena_new(0);
        fer_str out;
        char hash[FER_HASH_TEXT];
        assert_int_equal(fer_tool_write(a, t, true, &out, NULL), FER_OK);
        assert_int_equal(fer_tool_definition_hash(a, t, hash, NULL), FER_OK);
        const fer_str *tags = fer_tool_tags(t, &count);
        for (size_t k = 0; k < count; k++) sum += (unsigned char)tags[k].ptr[0];
        const fer_backend *backends = fer_tool_backends(t, &count);
        for (size_t k = 0; k < count; k++) sum += (unsigned char)backends[k].name.ptr[0];
        for (size_t k = 0; k < out.len; k++) sum += (unsigned char)out.ptr[k] * k;
        sum += fer_tool_id(t).len + fer_tool_version(t).len + (unsigned char)hash[0];
        fer_arena_free(a);
    }
    const fer_finding *list = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count; i++) {
        sum += list[i].place.offset + list[i].message.len + list[i].pointer.len;
        if (list[i].source.len) sum += (unsigned char)list[i].source.ptr[0];
        if (list[i].tool.len) sum += (unsigned char)list[i].tool.ptr[0];
        if (list[i].hint.len) sum += (unsigned char)list[i].hint.ptr[0];
    }
    return sum;
}

/* Name and text may go as soon as they were added. */
static void outlives_its_text(const struct text *row)
{
    fer_toolset *set = fer_toolset_new(), *other = set_of(row->file, row->text);
    size_t len = strlen(row->text);
    char *text = malloc(len), *name = malloc(strlen(row->file));
    assert_true(text && name);
    memcpy(text, row->text, len);
    memcpy(name, row->file, strlen(row->file));
    assert_int_equal(fer_toolset_add(set, (fer_str){name, strlen(row->file)}, (fer_str){text, len},
                                     FER_FORMAT_AUTO, NULL),
                     FER_OK);
    memset(text, '#', len);
    memset(name, '#', strlen(row->file));
    free(text);
    free(name);
    assert_int_equal(read_all(set), read_all(other));
    fer_toolset_free(set);
    fer_toolset_free(other);
}

/* Cut off anywhere, a text gives a failure or fewer tools, and nothing behind its end is read. */
static void cut_anywhere(const struct text *row)
{
    bool yaml = strcmp(row->file, "a.yaml") == 0;
    for (size_t len = 0; len < strlen(row->text); len++) {
        char *text = malloc(len ? len : 1);
        assert_non_null(text);
        memcpy(text, row->text, len);
        fer_toolset *set = fer_toolset_new();
        fer_err err = {0};
        fer_code code = fer_toolset_add(set, fer_str_of(row->file), (fer_str){text, len},
                                        FER_FORMAT_AUTO, &err);
        size_t count = fer_toolset_count(set);
        if (count > row->tools || (!code && !yaml && count >= row->tools))
            fail_msg("%zu tools out of the first %zu bytes", count, len);
        assert_int_equal(err.code, code);
        assert_true(!code || err.message[0]);
        fer_toolset_free(set);
        free(text);
    }
}

int main(void)
{
    return ROWS_RUN("find", finds, resolves) + ROWS_ONE("find", empty_set) +
           ROWS_RUN("findings", findings, finds_all) +
           ROWS_ONE("findings", declarations_keep_their_pointers) +
           ROWS_RUN("memory", texts, survives_failing_memory) +
           ROWS_RUN("life", texts, outlives_its_text) + ROWS_RUN("cut", texts, cut_anywhere);
}
