/* SPDX-License-Identifier: Apache-2.0 */
/* Tool IDs: parsed, refused with a reason, written, and back again (SPEC 1, RELIABILITY 5.15). */
#include <ferrule/contract.h>

#include "name_mangle.h"
#include "rows.h"
#include "tool_id.h"

#define A8   "aB3_-.zZ"
#define A16  A8 A8
#define A64  A16 A16 A16 A16
#define A128 A64 A64

static const struct good {
    const char *name;
    const char *text;
    const char *ns;
    const char *tool;
    const char *version;
    const char *written;
} good[] = {
    {"name", "read", "", "read", "", "read"},
    {"one character", "r", "", "r", "", "r"},
    {"every kind of character", "Az09_.-", "", "Az09_.-", "", "Az09_.-"},
    {"a name of dots only", "..", "", "..", "", ".."},
    {"128 characters", A128, "", A128, "", A128},
    {"namespace", "fs:read", "fs", "read", "", "fs:read"},
    {"one character each", "f:r", "f", "r", "", "f:r"},
    {"both of 128", A128 ":" A128, A128, A128, "", A128 ":" A128},
    {"version", "fs:read:1.2.3", "fs", "read", "1.2.3", "fs:read:1.2.3"},
    {"version with v", "fs:read:v1.2.3", "fs", "read", "1.2.3", "fs:read:1.2.3"},
    {"pre-release and build", "fs:read:v2.0.0-rc.1+b.7", "fs", "read", "2.0.0-rc.1+b.7",
     "fs:read:2.0.0-rc.1+b.7"},
    {"name like a version", "fs:1.0.0", "fs", "1.0.0", "", "fs:1.0.0"},
    {"local alias", "local::pack::tool", "pack", "tool", "", "pack:tool"},
    {"mcp alias", "mcp::server::tool", "server", "tool", "", "server:tool"},
    {"aliased names with dots", "mcp::my.server::a.b", "my.server", "a.b", "", "my.server:a.b"},
    {"alias of 128 each", "local::" A128 "::" A128, A128, A128, "", A128 ":" A128},
    {"local is also a namespace", "local:tool", "local", "tool", "", "local:tool"},
    {"mcp is also a name", "mcp", "", "mcp", "", "mcp"},
    {"local with a version", "local:tool:1.0.0", "local", "tool", "1.0.0", "local:tool:1.0.0"},
};

static void parses(const struct good *row)
{
    fer_id id, again;
    fer_err err;
    fer_str written;
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    assert_int_equal(fer_id_parse(fer_str_of(row->text), &id, &err), FER_OK);
    assert_str(id.ns, row->ns);
    assert_str(id.name, row->tool);
    assert_str(id.version, row->version);
    assert_int_equal(fer_id_write(a, &id, &written, &err), FER_OK);
    assert_str(written, row->written);
    /* The canonical text stands for itself. */
    assert_int_equal(fer_id_parse(written, &again, NULL), FER_OK);
    assert_true(fer_str_eq(again.ns, id.ns) && fer_str_eq(again.name, id.name) &&
                fer_str_eq(again.version, id.version));
    fer_arena_free(a);
}

static const struct bad {
    const char *name;
    const char *text;
    const char *says; /* part of the message */
} bad[] = {
    {"empty", "", "empty"},
    {"only a colon", ":", "namespace"},
    {"two colons", "::", "empty"},
    {"empty namespace", ":read", "namespace of the tool ID is empty"},
    {"empty name", "fs:", "name of the tool ID is empty"},
    {"empty name before a version", "fs::1.0.0", "name of the tool ID is empty"},
    {"empty namespace before a version", ":read:1.0.0", "namespace of the tool ID is empty"},
    {"empty version", "fs:read:", "version of the tool ID is empty"},
    {"third colon", "fs:read:1.0.0:x", "at most two"},
    {"third colon at the end", "fs:read:1.0.0:", "at most two"},
    {"four colons", "a:b:c:d:e", "at most two"},
    {"129 characters", A128 "x", "at most 128 characters, not 129"},
    {"namespace of 129", A128 "x:read", "namespace of a tool ID has at most 128"},
    {"name of 129 behind a namespace", "fs:" A128 "x", "name of a tool ID has at most 128"},
    {"blank", "read file", "byte 5"},
    {"blank in front", " read", "byte 1"},
    {"blank at the end", "read ", "byte 5"},
    {"slash", "fs/read", "byte 3"},
    {"beyond ASCII", "caf\xC3\xA9", "byte 4"},
    {"at sign", "fs:read@1", "byte 5"},
    {"namespace with a blank", "f s:read", "namespace"},
    {"version of two parts", "fs:read:1.2", "major, minor and patch"},
    {"version is a word", "fs:read:latest", "not a version"},
    {"version with a leading zero", "fs:read:1.02.3", "leading zeros"},
    {"version is a constraint", "fs:read:^1.0.0", "not a version"},
    {"version is only v", "fs:read:v", "not a version"},
    {"one v is taken off, not two", "fs:read:vv1.2.3", "not a version"},
    {"capital V", "fs:read:V1.2.3", "not a version"},
    {"alias without a pack", "local::::tool", ""},
    {"alias without a tool", "local::pack::", ""},
    {"alias of one part", "mcp::server", ""},
    {"alias with one colon", "mcp::server:tool", ""},
    {"alias of three parts", "mcp::a::b::c", ""},
    {"alias with a version", "local::pack::tool:1.0.0", ""},
    {"alias of an unknown origin", "http::server::tool", ""},
    {"alias in capitals", "MCP::server::tool", ""},
    {"alias and nothing", "local::", ""},
    {"alias with a bad character", "mcp::ser ver::tool", "namespace"},
    {"alias with a bad tool", "mcp::server::to ol", "name of a tool ID consists"},
    {"alias too long", "mcp::" A128 "x::tool", "namespace of a tool ID has at most 128"},
};

static void refuses(const struct bad *row)
{
    static const fer_id untouched = {.ns = {"keep", 4}};
    fer_id id = untouched;
    fer_err err = {0};
    fer_str text = fer_str_of(row->text);
    assert_int_equal(fer_id_parse(text, &id, &err), FER_INVALID_ID);
    assert_int_equal(err.code, FER_INVALID_ID);
    if (!strstr(err.message, row->says)) fail_msg("it says: %s", err.message);
    assert_memory_equal(&id, &untouched, sizeof id);
    assert_int_equal(fer_id_parse(text, &id, NULL), FER_INVALID_ID);
}

/* Of all 256 bytes, 65 may stand in a name; the colon separates. */
static void every_byte(void)
{
    size_t allowed = 0;
    for (int c = 0; c < 256; c++) {
        const char text[] = {'a', (char)c, 'b'};
        bool name =
            c && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-", c);
        fer_id id;
        fer_code code = fer_id_parse((fer_str){text, sizeof text}, &id, NULL);
        if ((code == FER_OK) != (name || c == ':')) fail_msg("byte %d: %d", c, (int)code);
        if (fer_name_bad_byte((fer_str){text, sizeof text}) != (name ? SIZE_MAX : 1))
            fail_msg("fer_name_bad_byte: byte %d", c);
        allowed += name;
    }
    assert_int_equal(allowed, 65);
}

/* Text that does not end in NUL: nothing behind its length is read. */
static void bounded(void)
{
    fer_id id;
    const char text[] = "fs:read:1.0.0:x";
    assert_int_equal(fer_id_parse((fer_str){text, 13}, &id, NULL), FER_OK);
    assert_str(id.version, "1.0.0");
    assert_int_equal(fer_id_parse((fer_str){text, 7}, &id, NULL), FER_OK);
    assert_str(id.name, "read");
    assert_int_equal(id.version.len, 0);
}

static const struct written {
    const char *name;
    fer_id id;
    const char *text;
} written[] = {
    {"name only", {{NULL, 0}, {"n", 1}, {NULL, 0}}, "n"},
    {"no namespace, no version", {{NULL, 0}, {"n", 1}, {"1.0.0", 5}}, "n"},
    {"all three", {{"s", 1}, {"n", 1}, {"1.0.0", 5}}, "s:n:1.0.0"},
    {"nothing", {{NULL, 0}, {NULL, 0}, {NULL, 0}}, ""},
};

static fer_code write_attempt(fer_arena *a, const void *row)
{
    const struct written *w = row;
    fer_str out;
    fer_code code = fer_id_write(a, &w->id, &out, NULL);
    if (!code) assert_str(out, w->text);
    return code;
}

static void writes(const struct written *row)
{
    rows_torture_arena(write_attempt, row);
}

/* ---- any text as a name ---- */

static const struct escaped {
    const char *name, *text, *escaped;
} escaped[] = {
    {"a name", "read_file.v2-x", "read_file.v2-x"},
    {"nothing", "", ""},
    {"a path", "get_/quotes/{id}", "get_-.2Fquotes-.2F-.7Bid-.7D"},
    {"characters past ASCII", "\xC3\xA9", "-.C3-.A9"},
    {"what looks like it already", "a-.2Fb", "a-.2D.2Fb"},
    {"what nearly does", "a-.2fb-.G0-.2", "a-.2fb-.G0-.2"},
};

/* The way back, which users of an index go: no two texts have one name. */
static fer_str unescaped(fer_arena *a, fer_str s)
{
    char *to = fer_arena_alloc(a, s.len + 1);
    size_t len = 0;
    assert_non_null(to);
    for (size_t i = 0; i < s.len; i++) {
        unsigned c = 0;
        bool is = s.len - i >= 4 && s.ptr[i] == '-' && s.ptr[i + 1] == '.';
        for (size_t k = 2; is && k < 4; k++) {
            const char *digit = strchr("0123456789ABCDEF", s.ptr[i + k]);
            is = digit != NULL;
            if (digit) c = 16 * c + (unsigned)(digit - "0123456789ABCDEF");
        }
        to[len++] = is ? (char)c : s.ptr[i];
        i += is ? 3 : 0;
    }
    return (fer_str){to, len};
}

static fer_code escape_attempt(fer_arena *a, const void *row)
{
    const struct escaped *e = row;
    fer_str text = fer_str_of(e->text), out = fer_name_escape(a, text);
    if (!out.ptr) return FER_OUT_OF_MEMORY;
    assert_str(out, e->escaped);
    assert_int_equal(fer_name_bad_byte(out), SIZE_MAX);
    return FER_OK;
}

static void escapes(const struct escaped *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text = fer_str_of(row->text);
    assert_true(fer_str_eq(unescaped(a, fer_name_escape(a, text)), text));
    fer_arena_free(a);
    rows_torture_arena(escape_attempt, row);
}

int main(void)
{
    return ROWS_RUN("id good", good, parses) + ROWS_RUN("id bad", bad, refuses) +
           ROWS_RUN("id written", written, writes) + ROWS_ONE("id", every_byte) +
           ROWS_ONE("id", bounded) + ROWS_RUN("name escaped", escaped, escapes);
}
