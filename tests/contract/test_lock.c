/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: what they hold, what verifying tells, and texts that are none. */
#include <ferrule/evolve.h>

#include "buf.h"
#include "rows.h"

#define S         "\"inputSchema\":{\"type\":\"object\"}"
#define T(add)    "{\"name\":\"t\"," S add "}"
#define V(v, add) "{\"namespace\":\"n\",\"name\":\"t\",\"version\":\"" v "\"," S add "}"

static fer_toolset *set_of(const char *text)
{
    fer_err err;
    fer_toolset *set = fer_toolset_new();
    if (fer_toolset_add(set, FER_STR("-"), fer_str_of(text), FER_FORMAT_JSON, &err))
        fail_msg("%s", err.message);
    return set;
}

static const struct row {
    const char *name;
    const char *locked;
    const char *now;
    const char *expected; /* states, ids and parts */
    bool broken;
} rows[] = {
    {"the same", T(""), T(""), "", false},
    {"another order", "[" T("") "," V("1.0.0", "") "]", "[" V("1.0.0", "") "," T("") "]", "",
     false},
    {"spelling", T(",\"title\":\"A\""), "{\"title\":\"\\u0041\"," S ",\"name\":\"t\"}", "", false},
    {"the contract", V("1.0.0", ""), V("1.0.0", ",\"effect\":\"Pure\",\"_meta\":{\"ferrule\":{}}"),
     "", false},
    {"description, silently", V("1.0.0", ",\"description\":\"a\""),
     V("1.0.0", ",\"description\":\"b\""), "changed n:t description\n", true},
    {"without versions", T(",\"description\":\"a\""), T(",\"description\":\"b\""),
     "changed t description\n", true},
    {"a hint, silently", V("1.0.0", ",\"annotations\":{\"readOnlyHint\":true}"), V("1.0.0", ""),
     "changed n:t annotations\n", true},
    {"schema and title", V("1.0.0", ""),
     "{\"namespace\":\"n\",\"name\":\"t\",\"version\":\"1.0.0\",\"title\":\"x\",\"inputSchema\":{}}",
     "changed n:t title inputSchema\n", true},
    {"with a new version", V("1.0.0", ",\"description\":\"a\""),
     V("1.0.1", ",\"description\":\"b\""), "bumped n:t description\n", false},
    {"only the version", V("1.0.0", ""), V("1.0.1", ""), "bumped n:t\n", false},
    {"new", T(""), "[" T("") "," V("1.0.0", "") "]", "new n:t\n", true},
    {"gone", "[" T("") "," V("1.0.0", "") "]", T(""), "gone n:t\n", true},
    {"versions side by side", "[" V("1.0.0", "") "," V("2.0.0", "") "]",
     "[" V("2.0.0", "") "," V("1.0.0", "") "]", "", false},
    {"one of two versions, silently", "[" V("1.0.0", "") "," V("2.0.0", "") "]",
     "[" V("2.0.0", ",\"title\":\"x\"") "," V("1.0.0", "") "]", "changed n:t title\n", true},
    {"two with one ID", "[" T(",\"title\":\"x\"") "," T("") "]",
     "[" T("") "," T(",\"title\":\"x\"") "]", "", false},
    {"one of two with one ID, silently", "[" T(",\"title\":\"x\"") "," T("") "]",
     "[" T("") "," T(",\"title\":\"y\"") "]", "changed t title\n", true},
    {"the first of two with one ID, silently", "[" T(",\"title\":\"x\"") "," T("") "]",
     "[" T(",\"title\":\"z\"") "," T("") "]", "changed t title\n", true},
    {"one more with that ID", "[" T(",\"title\":\"x\"") "," T("") "]",
     "[" T(",\"title\":\"z\"") "," T("") "," T(",\"title\":\"x\"") "]", "new t\n", true},
    {"two that are the same", "[" T("") "," T("") "]", "[" T("") "," T("") "]", "", false},
    {"nothing", "[]", "[]", "", false},
};

static fer_code attempt(fer_arena *given, const void *context)
{
    const struct row *row = context;
    fer_err err = {0};
    fer_str lock, again;
    fer_lock_entry *list = NULL;
    size_t count = 0;
    bool broken = !row->broken;
    fer_arena *a = given ? given : fer_arena_new(0);
    fer_toolset *old = fer_toolset_new(), *now = fer_toolset_new();
    fer_code code = a && old && now ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code)
        code = fer_toolset_add(old, FER_STR("-"), fer_str_of(row->locked), FER_FORMAT_JSON, &err);
    if (!code)
        code = fer_toolset_add(now, FER_STR("-"), fer_str_of(row->now), FER_FORMAT_JSON, &err);
    if (!code) code = fer_lock_write(a, old, &lock, &err);
    if (!code) code = fer_lock_write(a, old, &again, &err);
    if (!code) assert_true(fer_str_eq(lock, again));
    if (!code) code = fer_lock_verify(a, lock, now, &list, &count, &broken, &err);
    if (!code) {
        fer_buf b;
        char text[1024];
        fer_buf_init_fixed(&b, text, sizeof text);
        for (size_t i = 0; i < count; i++) {
            fer_buf_printf(&b, "%s %.*s", fer_lock_state_name(list[i].state), FER_PRI(list[i].id));
            for (size_t p = 0; p < list[i].part_count; p++)
                fer_buf_printf(&b, " %s", list[i].parts[p]);
            fer_buf_add_char(&b, '\n');
        }
        assert_str(fer_buf_view(&b), row->expected);
        assert_int_equal(broken, row->broken);
    }
    fer_toolset_free(old);
    fer_toolset_free(now);
    if (!given) fer_arena_free(a);
    return code;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_code code = attempt(a, row);
    fer_arena_free(a);
    assert_int_equal(code, FER_OK);
}

#define HASH "sha256:0123456789012345678901234567890123456789012345678901234567890123"

static const struct wrong {
    const char *name;
    const char *text;
    fer_code code;
    const char *says;
} wrongs[] = {
    {"not JSON", "{", FER_INVALID_JSON, ""},
    {"nothing", "", FER_INVALID_JSON, ""},
    {"a list", "[]", FER_INVALID_TOOL, "lockVersion"},
    {"no version", "{\"tools\":[]}", FER_INVALID_TOOL, "lockVersion"},
    {"another version", "{\"lockVersion\":2,\"tools\":[]}", FER_INVALID_TOOL, "not understood"},
    {"no tools", "{\"lockVersion\":1}", FER_INVALID_TOOL, "\"tools\""},
    {"a tool that is none", "{\"lockVersion\":1,\"tools\":[1]}", FER_INVALID_TOOL,
     "line 1, column 27"},
    {"no id", "{\"lockVersion\":1,\"tools\":[{}]}", FER_INVALID_TOOL, "\"id\""},
    {"no hash", "{\"lockVersion\":1,\"tools\":[{\"id\":\"a\"}]}", FER_INVALID_TOOL, "\"hash\""},
    {"a short hash", "{\"lockVersion\":1,\"tools\":[{\"id\":\"a\",\"hash\":\"sha256:00\"}]}",
     FER_INVALID_TOOL, "64 hex"},
    {"a version that is none",
     "{\"lockVersion\":1,\"tools\":[{\"id\":\"a\",\"hash\":\"" HASH "\",\"version\":1}]}",
     FER_INVALID_TOOL, "\"version\""},
    {"parts that are none",
     "{\"lockVersion\":1,\"tools\":[{\"id\":\"a\",\"hash\":\"" HASH "\",\"parts\":1}]}",
     FER_INVALID_TOOL, "\"parts\""},
    {"twice the same key", "{\"lockVersion\":1,\"lockVersion\":1,\"tools\":[]}", FER_DUPLICATE_KEY,
     ""},
};

static void run_wrong(const struct wrong *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_toolset *set = set_of("[]");
    fer_lock_entry *list;
    size_t count;
    bool broken;
    fer_err err = {0};
    assert_int_equal(fer_lock_verify(a, fer_str_of(row->text), set, &list, &count, &broken, &err),
                     row->code);
    assert_non_null(strstr(err.message, row->says));
    fer_toolset_free(set);
    fer_arena_free(a);
}

/* One line per tool, in the order of IDs, and nothing of the day or the machine. */
static void text(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_toolset *set = set_of("[" T("") "," V("1.0.0", "") "]");
    fer_str lock;
    fer_err err;
    assert_int_equal(fer_lock_write(a, set, &lock, &err), FER_OK);
    assert_true(fer_str_starts(
        lock,
        "{\"lockVersion\":1,\"tools\":[\n{\"id\":\"n:t\",\"version\":\"1.0.0\",\"hash\":\"sha256:"));
    size_t lines = 0;
    for (size_t i = 0; i < lock.len; i++) lines += lock.ptr[i] == '\n';
    assert_int_equal(lines, 4);
    fer_toolset_free(set);
    fer_arena_free(a);
}

/* The limit on tools, at its edge. */
static void limit(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_toolset *set = set_of("[]");
    for (size_t over = 0; over < 2; over++) {
        fer_buf b;
        fer_lock_entry *list;
        size_t count = 0, tools = FER_LOCK_TOOLS + over;
        bool broken = false;
        fer_err err;
        fer_buf_init(&b, a, (size_t)1 << 28);
        fer_buf_add_text(&b, "{\"lockVersion\":1,\"tools\":[");
        for (size_t i = 0; i < tools; i++)
            fer_buf_printf(&b, "%s{\"id\":\"t%zu\",\"hash\":\"" HASH "\"}", i ? "," : "", i);
        fer_buf_add_text(&b, "]}");
        fer_code code = fer_lock_verify(a, fer_buf_view(&b), set, &list, &count, &broken, &err);
        assert_int_equal(code, over ? FER_LIMIT_EXCEEDED : FER_OK);
        if (!over) assert_int_equal(count, FER_LOCK_TOOLS);
    }
    fer_toolset_free(set);
    fer_arena_free(a);
}

static void torture(void)
{
    rows_torture_malloc(attempt, &rows[7]);
    rows_torture_arena(attempt, &rows[7]);
}

int main(void)
{
    return ROWS_RUN("verify", rows, run) + ROWS_RUN("wrong", wrongs, run_wrong) +
           ROWS_ONE("lock", text) + ROWS_ONE("lock", limit) + ROWS_ONE("lock", torture);
}
