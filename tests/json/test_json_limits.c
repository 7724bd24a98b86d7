/* SPDX-License-Identifier: Apache-2.0 */
/* Each limit one below, at, and one above, in JSON and in YAML; and texts made to hurt. */
#include "rows.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buf.h"
#include "json_doc.h"

typedef fer_str maker(fer_arena *a, size_t n);

/* ---- texts that measure n in one way -------------------------------------------- */

static fer_str made(const fer_buf *b)
{
    assert_int_equal(b->failure, FER_OK);
    return fer_buf_view(b);
}

/* `before`, then `unit` n times, then `after`. */
static fer_str repeat(fer_arena *a, const char *before, const char *unit, size_t n,
                      const char *after)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_text(&b, before);
    for (size_t i = 0; i < n; i++) fer_buf_add_text(&b, unit);
    fer_buf_add_text(&b, after);
    return made(&b);
}

static fer_str size_of(fer_arena *a, size_t n)
{
    return repeat(a, "1", " ", n - 1, "");
}

static fer_str nested(fer_arena *a, const char *open, const char *close, size_t n)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    for (size_t i = 0; i < n; i++)
        fer_buf_add_text(&b, i + 1 < n ? open : open[0] == '[' ? "[" : "{");
    for (size_t i = 0; i < n; i++) fer_buf_add_text(&b, close);
    return made(&b);
}

static fer_str arrays_of(fer_arena *a, size_t n)
{
    return nested(a, "[", "]", n);
}

static fer_str objects_of(fer_arena *a, size_t n)
{
    return nested(a, "{\"a\":", "}", n);
}

/* A shallow one before and after the deep one: depth goes down again. */
static fer_str valleys_of(fer_arena *a, size_t n)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "[[],");
    fer_buf_add(&b, nested(a, "[", "]", n - 1));
    fer_buf_add_text(&b, ",{}]");
    return made(&b);
}

static fer_str items_of(fer_arena *a, size_t n)
{
    return n < 2 ? FER_STR("[]") : repeat(a, "[1", ",1", n - 2, "]");
}

static fer_str members_of(fer_arena *a, size_t n)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    for (size_t i = 0; i < n; i++) fer_buf_printf(&b, "%c\"%zu\":1", i ? ',' : '{', i);
    fer_buf_add_text(&b, n ? "}" : "{}");
    return made(&b);
}

static fer_str member_nodes_of(fer_arena *a, size_t n)
{
    return members_of(a, n - 1);
}

static fer_str string_of(fer_arena *a, size_t n)
{
    return repeat(a, "\"", "a", n, "\"");
}

/* Bytes that count are those of the string, not of its spelling. */
static fer_str escapes_of(fer_arena *a, size_t n)
{
    return repeat(a, "[\"", "\\u0061", n, "\"]");
}

static fer_str key_of(fer_arena *a, size_t n)
{
    return repeat(a, "{\"", "k", n, "\":1}");
}

static fer_str digits_of(fer_arena *a, size_t n)
{
    return repeat(a, "[", "7", n, "]");
}

static fer_str fraction_of(fer_arena *a, size_t n)
{
    return repeat(a, "-0.", "7", n - 3, "");
}

static fer_str exponent_of(fer_arena *a, size_t n)
{
    return repeat(a, "1e-", "7", n, "");
}

static fer_str zeros_and_exponent_of(fer_arena *a, size_t n)
{
    return repeat(a, "1E+0000", "7", n, "");
}

/* ---- the limits ----------------------------------------------------------------- */

static const struct row {
    const char *name;
    const char *limit;
    size_t member; /* in fer_json_limits */
    size_t value;  /* to set; 0: the default for messages */
    maker *make;
    bool json_only; /* YAML has a narrower rule of its own, or it is too large to be quick */
} rows[] = {
#define LIMIT(member) "json." #member, offsetof(fer_json_limits, member)
    {"size 10", LIMIT(size), 10, size_of, false},
    {"size 100", LIMIT(size), 100, size_of, false},
    {"size by default", LIMIT(size), 0, size_of, false},
    {"depth 1", LIMIT(depth), 1, arrays_of, false},
    {"depth 10, arrays", LIMIT(depth), 10, arrays_of, false},
    {"depth 10, objects", LIMIT(depth), 10, objects_of, false},
    {"depth 10, up and down", LIMIT(depth), 10, valleys_of, false},
    {"depth by default, arrays", LIMIT(depth), 0, arrays_of, false},
    {"depth by default, objects", LIMIT(depth), 0, objects_of, false},
    {"depth by default, up and down", LIMIT(depth), 0, valleys_of, false},
    {"nodes 2", LIMIT(nodes), 2, items_of, false},
    {"nodes 10, items", LIMIT(nodes), 10, items_of, false},
    {"nodes 10, members: keys do not count", LIMIT(nodes), 10, member_nodes_of, false},
    {"nodes by default", LIMIT(nodes), 0, items_of, true},
    {"string 1", LIMIT(string), 1, string_of, false},
    {"string 10", LIMIT(string), 10, string_of, false},
    {"string 10, escaped", LIMIT(string), 10, escapes_of, false},
    {"string by default", LIMIT(string), 0, string_of, false},
    {"number 2", LIMIT(number), 2, digits_of, false},
    {"number 10", LIMIT(number), 10, digits_of, false},
    {"number 30, fraction", LIMIT(number), 30, fraction_of, false},
    {"number by default", LIMIT(number), 0, digits_of, false},
    {"number by default, fraction", LIMIT(number), 0, fraction_of, false},
    {"exponent 2", LIMIT(exponent), 2, exponent_of, false},
    {"exponent 10", LIMIT(exponent), 10, exponent_of, false},
    {"exponent 10, leading zeros", LIMIT(exponent), 10, zeros_and_exponent_of, false},
    {"exponent by default", LIMIT(exponent), 0, exponent_of, false},
    {"members 1", LIMIT(members), 1, members_of, false},
    {"members 16", LIMIT(members), 16, members_of, false},
    {"members by default", LIMIT(members), 0, members_of, true},
    {"key 1", LIMIT(key), 1, key_of, false},
    {"key 10", LIMIT(key), 10, key_of, false},
    {"key by default", LIMIT(key), 0, key_of, true},
#undef LIMIT
};

typedef fer_code reader(fer_arena *, fer_str, const fer_json_limits *, fer_json **, fer_err *);

static void check(const struct row *row, reader *read, const fer_json_limits *limits, size_t n,
                  bool fits)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc = NULL;
    fer_err err = {0};
    fer_code code = read(a, row->make(a, n), limits, &doc, &err);
    if (code != (fits ? FER_OK : FER_LIMIT_EXCEEDED))
        fail_msg("%zu: %s %s", n, fer_code_info(code)->name, err.message);
    size_t len = strlen(row->limit);
    if (code && (strncmp(err.message, row->limit, len) != 0 || err.message[len] != ':'))
        fail_msg("\"%s\" does not begin with %s", err.message, row->limit);
    /* Only the size as a whole has no place. */
    if (code) assert_true((err.line > 0) == (strcmp(row->limit, "json.size") != 0));
    fer_arena_free(a);
}

static void run_with(const struct row *row, reader *read)
{
    fer_json_limits limits = *fer_json_limits_message();
    size_t *value = (size_t *)(void *)((char *)&limits + row->member);
    if (row->value) *value = row->value;
    for (size_t n = *value - 1; n <= *value + 1; n++) {
        if (n > 0) check(row, read, row->value ? &limits : NULL, n, n <= *value);
    }
}

static void run_json(const struct row *row)
{
    run_with(row, fer_json_read);
}

static void run_yaml(const struct row *row)
{
    if (!row->json_only) run_with(row, fer_yaml_read);
}

/* ---- defaults: RELIABILITY 5.16 ------------------------------------------------- */

static const struct value {
    const char *name;
    size_t message;
} values[] = {
    {"json.size", 4u << 20},   {"json.depth", 128},   {"json.nodes", 200000},
    {"json.string", 1u << 20}, {"json.number", 1000}, {"json.exponent", 18},
    {"json.members", 10000},   {"json.key", 1024},
};

static void run_value(const struct value *row)
{
    size_t found = 0;
    assert_int_equal(fer_json_limit_row_count, FER_COUNT(values));
    for (size_t i = 0; i < fer_json_limit_row_count; i++) {
        const struct fer_json_limit_row *limit = &fer_json_limit_rows[i];
        if (strcmp(limit->name, row->name) != 0) continue;
        const char *message = (const char *)fer_json_limits_message();
        const char *file = (const char *)fer_json_limits_file();
        size_t value, of_files;
        memcpy(&value, message + limit->offset, sizeof value);
        memcpy(&of_files, file + limit->offset, sizeof of_files);
        assert_int_equal(value, row->message);
        assert_true(of_files >= value);
        assert_true(*limit->text);
        found++;
    }
    assert_int_equal(found, 1);
}

/* ---- bombs: RELIABILITY 1.6 ----------------------------------------------------- */

static fer_str open_arrays(fer_arena *a, size_t n)
{
    return repeat(a, "", "[", n, "");
}

static fer_str open_objects(fer_arena *a, size_t n)
{
    return repeat(a, "", "{\"a\":", n, "");
}

#define TEXT(function, literal)                                                                    \
    static fer_str function(fer_arena *a, size_t n)                                                \
    {                                                                                              \
        (void)a, (void)n;                                                                          \
        return FER_STR(literal);                                                                   \
    }
TEXT(huge_exponent, "1e999999999")
TEXT(tiny, "[-1e-999999999]")
TEXT(twice, "{\"role\":\"user\",\"role\":\"admin\"}")
TEXT(not_utf8, "\"a\xFFz\"")
TEXT(cesu, "\"\xED\xA0\xBD\xED\xB8\x80\"")
TEXT(mark, "\xEF\xBB\xBF{}")
TEXT(trailing, "{} x")
TEXT(nul_in_key, "{\"a\\u0000b\":1,\"a\":2}")
TEXT(raw_nul_in_key, "{\"a\0b\":1}")

static const struct bomb {
    const char *name;
    maker *make;
    size_t n;
    fer_code code;
    const char *says; /* part of the message, or the canonical form */
} bombs[] = {
    {"B18: 1,000 nested arrays", arrays_of, 1000, FER_LIMIT_EXCEEDED, "json.depth: 129 "},
    {"B19: 100,000 nested arrays", arrays_of, 100000, FER_LIMIT_EXCEEDED, "json.depth: 129 "},
    {"B20: 1,000,000 nested arrays", arrays_of, 1000000, FER_LIMIT_EXCEEDED, "json.depth: 129 "},
    {"B20: 1,000,000 open arrays", open_arrays, 1000000, FER_LIMIT_EXCEEDED, "json.depth: 129 "},
    {"B20: 500,000 nested objects", objects_of, 500000, FER_LIMIT_EXCEEDED, "json.depth: 129 "},
    {"B20: 800,000 open objects", open_objects, 800000, FER_LIMIT_EXCEEDED, "json.depth: 129 "},
    {"B21: a number of 100,000 digits", digits_of, 100000, FER_LIMIT_EXCEEDED,
     "json.number: 100000 is over the limit of 1000"},
    {"B22: 1e999999999", huge_exponent, 0, FER_OK, "1e999999999"},
    {"B22: -1e-999999999", tiny, 0, FER_OK, "[-1e-999999999]"},
    {"B24: a key twice", twice, 0, FER_DUPLICATE_KEY, "\"role\" stands twice"},
    {"B25: invalid UTF-8", not_utf8, 0, FER_INVALID_JSON, "UTF-8"},
    {"B25: surrogates in UTF-8", cesu, 0, FER_INVALID_JSON, "UTF-8"},
    {"B26: a byte order mark", mark, 0, FER_OK, "{}"},
    {"B26: bytes behind the document", trailing, 0, FER_INVALID_JSON, "more text"},
    {"B26: NUL in a key, escaped", nul_in_key, 0, FER_OK, "{\"a\":2,\"a\\u0000b\":1}"},
    {"B26: NUL in a key", raw_nul_in_key, 0, FER_INVALID_JSON, "control character"},
};

static void run_bomb(const struct bomb *row)
{
    fer_arena *a = fer_arena_new((size_t)256 << 20);
    fer_json *doc;
    fer_err err = {0};
    fer_str text = row->make(a, row->n), canonical;
    rows_must_end(60);
    assert_int_equal(fer_json_read(a, text, NULL, &doc, &err), row->code);
    rows_must_end(0);
    if (!row->code) {
        assert_int_equal(fer_json_canonical(a, fer_json_root(doc), &canonical, &err), FER_OK);
        assert_str(canonical, row->says);
    } else if (!strstr(err.message, row->says)) {
        fail_msg("\"%s\" has no \"%s\"", err.message, row->says);
    }
    fer_arena_free(a);
}

/* ---- limits set as high as they go: no limit, never an overrun ------------------ */

static const struct high {
    const char *name;
    reader *read;
    size_t member, value;
    maker *make;
    size_t n;
    const char *limit; /* that still holds; NULL: accepted */
} highs[] = {
    {"no limit of depth", fer_json_read, offsetof(fer_json_limits, depth), SIZE_MAX, arrays_of,
     1000, NULL},
    {"no limit of depth in YAML", fer_yaml_read, offsetof(fer_json_limits, depth), SIZE_MAX,
     arrays_of, 1000, NULL},
    {"no limit of size", fer_json_read, offsetof(fer_json_limits, size), SIZE_MAX, size_of, 9,
     NULL},
    {"no limit of size in YAML", fer_yaml_read, offsetof(fer_json_limits, size), SIZE_MAX, size_of,
     9, NULL},
    {"no limit of numbers", fer_json_read, offsetof(fer_json_limits, number), SIZE_MAX, digits_of,
     5000, "json.number"},
    {"numbers of 1,001", fer_json_read, offsetof(fer_json_limits, number), 2000, digits_of, 1001,
     "json.number"},
    {"no limit of exponents", fer_json_read, offsetof(fer_json_limits, exponent), SIZE_MAX,
     exponent_of, 19, "json.exponent"},
};

/* In a process of its own: an overrun would take the other rows with it. */
static void run_high(const struct high *row)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka would go on with the next test */
        signal(SIGBUS, SIG_DFL);
        fer_json_limits limits = *fer_json_limits_message();
        *(size_t *)(void *)((char *)&limits + row->member) = row->value;
        fer_arena *a = fer_arena_new((size_t)256 << 20);
        fer_json *doc;
        fer_err err = {0};
        fer_code code = row->read(a, row->make(a, row->n), &limits, &doc, &err);
        bool right = row->limit ? code == FER_LIMIT_EXCEEDED && strstr(err.message, row->limit)
                                : code == FER_OK;
        if (!right) print_error("%s %s\n", fer_code_info(code)->name, err.message);
        fer_arena_free(a);
        _exit(right ? 0 : 1);
    }
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status)) fail_msg("died of signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    return ROWS_RUN("json limits", rows, run_json) + ROWS_RUN("json limits, YAML", rows, run_yaml) +
           ROWS_RUN("json limits, defaults", values, run_value) +
           ROWS_RUN("json limits, bombs", bombs, run_bomb) +
           ROWS_RUN("json limits, set high", highs, run_high);
}
