/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers: each way to append, the maximum at its edge, fixed storage, the failure
 * that sticks, and the escapes of a JSON string.
 */
#include "rows.h"

#include <wchar.h>

#include "buf.h"

/* ---- the maximum --------------------------------------------------------------- */

static const struct max_row {
    const char *name;
    size_t max;
    size_t first; /* bytes added first */
    size_t more;  /* and then */
    bool fits;
} max_rows[] = {
    {"nothing in nothing", 0, 0, 0, true},
    {"one byte in nothing", 0, 0, 1, false},
    {"one byte in one", 1, 0, 1, true},
    {"two bytes in one", 1, 0, 2, false},
    {"a second byte in one", 1, 1, 1, false},
    {"small maximum, one less", 10, 5, 4, true},
    {"small maximum, exact", 10, 5, 5, true},
    {"small maximum, one more", 10, 5, 6, false},
    {"small maximum, a byte after it is full", 10, 10, 1, false},
    {"63, one more", 63, 60, 4, false},
    {"64, exact", 64, 60, 4, true},
    {"64, one more", 64, 60, 5, false},
    {"65, exact", 65, 64, 1, true},
    {"65, one more", 65, 64, 2, false},
    {"100, exact", 100, 70, 30, true},
    {"100, one more", 100, 70, 31, false},
    {"at once, exact", 1000, 0, 1000, true},
    {"at once, one more", 1000, 0, 1001, false},
    {"large, exact", 100000, 99999, 1, true},
    {"large, one more", 100000, 99999, 2, false},
    {"no maximum", SIZE_MAX, 100000, 100000, true},
    {"the sum overflows", SIZE_MAX, 10, SIZE_MAX - 9, false},
};

/* Adds with the growing buffer, or with fixed storage of the same size. */
static void check_max(fer_buf *b, const struct max_row *row)
{
    fer_err err = {0};
    fer_buf_add_repeat(b, 'a', row->first);
    assert_int_equal(fer_buf_code(b, NULL), FER_OK);
    fer_buf_add_repeat(b, 'b', row->more);
    fer_code code = fer_buf_code(b, &err);
    assert_int_equal(code, row->fits ? FER_OK : FER_LIMIT_EXCEEDED);
    assert_int_equal(err.code, code);
    assert_int_equal(fer_buf_view(b).len, row->first + (row->fits ? row->more : 0));
    for (size_t i = 0; i < b->len; i++) assert_int_equal(b->ptr[i], i < row->first ? 'a' : 'b');
    if (!row->fits && row->max < SIZE_MAX) {
        char number[32];
        snprintf(number, sizeof number, "%zu", row->max);
        assert_non_null(strstr(err.message, number));
    }
}

static void run_max(const struct max_row *row)
{
    static char storage[100000];
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    assert_non_null(a);
    fer_buf_init(&b, a, row->max);
    check_max(&b, row);
    fer_arena_free(a);
    if (row->max > sizeof storage) return;
    fer_buf_init_fixed(&b, storage, row->max);
    check_max(&b, row);
    assert_ptr_equal(b.ptr, storage);
}

/* ---- each way to append ------------------------------------------------------------ */

static void add(fer_buf *b)
{
    fer_buf_add(b, FER_STR("a\0b"));
    fer_buf_add(b, FER_STR_NONE);
    fer_buf_add(b, FER_STR(""));
}
static void add_text(fer_buf *b)
{
    fer_buf_add_text(b, "text");
    fer_buf_add_text(b, "");
    fer_buf_add_text(b, NULL);
}
static void add_char(fer_buf *b)
{
    fer_buf_add_char(b, 'x');
    fer_buf_add_char(b, '\0');
    fer_buf_add_char(b, (char)0xFF);
}
static void add_repeat(fer_buf *b)
{
    fer_buf_add_repeat(b, '-', 3);
    fer_buf_add_repeat(b, '+', 0);
    fer_buf_add_repeat(b, '*', 1);
}
static void add_printf(fer_buf *b)
{
    fer_buf_printf(b, "%d-%s", 42, "x");
    fer_buf_printf(b, "%s", "");
}
static void add_quoted(fer_buf *b)
{
    fer_buf_add_quoted(b, FER_STR("a\"b\n"));
    fer_buf_add_quoted(b, FER_STR_NONE);
}
static void add_reserved(fer_buf *b)
{
    char *to = fer_buf_reserve(b, 100);
    if (!to) return;
    memset(to, 'z', 100); /* all of it may be written, and a part of it kept */
    b->len += 2;
}
static void add_long(fer_buf *b)
{
    for (int i = 0; i < 10; i++) fer_buf_printf(b, "%50d", i);
    b->len = b->failure ? b->len : 50;
}

static const struct way_row {
    const char *name;
    void (*way)(fer_buf *b);
    fer_str expected;
} way_rows[] = {
    {"add", add, {"a\0b", 3}},
    {"add_text", add_text, {"text", 4}},
    {"add_char", add_char, {"x\0\xFF", 3}},
    {"add_repeat", add_repeat, {"---*", 4}},
    {"printf", add_printf, {"42-x", 4}},
    {"quoted", add_quoted, {"\"a\\\"b\\n\"\"\"", 10}},
    {"reserve", add_reserved, {"zz", 2}},
    {"many", add_long, {"                                                 0", 50}},
};

static fer_code attempt_way(fer_arena *a, const void *data)
{
    const struct way_row *row = data;
    fer_buf b;
    fer_buf_init(&b, a, 100000);
    row->way(&b);
    fer_code code = fer_buf_code(&b, NULL);
    if (!code) assert_true(fer_str_eq(fer_buf_view(&b), row->expected));
    return code;
}

static fer_code attempt_way_malloc(fer_arena *none, const void *row)
{
    (void)none;
    fer_arena *a = fer_arena_new(0);
    if (!a) return FER_OUT_OF_MEMORY;
    fer_code code = attempt_way(a, row);
    assert_int_not_equal(code, FER_LIMIT_EXCEEDED);
    fer_arena_free(a);
    return code;
}

static void run_way(const struct way_row *row)
{
    assert_true(rows_torture_arena(attempt_way, row) > 0);
    assert_true(rows_torture_malloc(attempt_way_malloc, row) >= 2);

    /* After a failure nothing is added, and the first failure is the one told. */
    char storage[256];
    fer_buf b;
    fer_buf_init_fixed(&b, storage, sizeof storage);
    fer_buf_add_text(&b, "kept");
    fer_buf_add_repeat(&b, 'x', sizeof storage);
    assert_int_equal(b.failure, FER_LIMIT_EXCEEDED);
    b.failure = FER_OUT_OF_MEMORY;
    row->way(&b);
    assert_str(fer_buf_view(&b), "kept");
    assert_int_equal(fer_buf_code(&b, NULL), FER_OUT_OF_MEMORY);
    assert_null(fer_buf_reserve(&b, 0));
    assert_null(fer_buf_reserve(&b, 1));
}

/* ---- printf at the edge --------------------------------------------------------------- */

static const struct printf_row {
    const char *name;
    bool fixed;
    size_t max;
    const char *text;
    bool fits;
} printf_rows[] = {
    {"growing, one less than the maximum", false, 80,
     "1234567890123456789012345678901234567890123456789012345678901234567890123456789", true},
    {"growing, the maximum", false, 80,
     "12345678901234567890123456789012345678901234567890123456789012345678901234567890", true},
    {"growing, one more", false, 80,
     "12345678901234567890123456789012345678901234567890123456789012345678901234567890x", false},
    {"fixed, one less than its size", true, 5, "1234", true},
    {"fixed, its size", true, 5, "12345", true},
    {"fixed, one more", true, 5, "123456", false},
};

static void run_printf(const struct printf_row *row)
{
    char storage[8] = "#######";
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    assert_non_null(a);
    if (row->fixed) fer_buf_init_fixed(&b, storage, row->max);
    else fer_buf_init(&b, a, row->max);
    fer_buf_printf(&b, "%s", row->text);
    assert_int_equal(fer_buf_code(&b, NULL), row->fits ? FER_OK : FER_LIMIT_EXCEEDED);
    assert_str(fer_buf_view(&b), row->fits ? row->text : "");
    assert_memory_equal(storage + 5, "##", 2);
    fer_arena_free(a);
}

/* ---- JSON strings ----------------------------------------------------------------------- */

static const struct quoted_row {
    const char *name;
    fer_str text;
    const char *expected;
} quoted_rows[] = {
    {"nothing", {NULL, 0}, "\"\""},
    {"plain", {"plain", 5}, "\"plain\""},
    {"quote", {"\"", 1}, "\"\\\"\""},
    {"backslash", {"\\", 1}, "\"\\\\\""},
    {"slash stays", {"/", 1}, "\"/\""},
    {"00", {"\0", 1}, "\"\\u0000\""},
    {"01", {"\1", 1}, "\"\\u0001\""},
    {"02", {"\2", 1}, "\"\\u0002\""},
    {"03", {"\3", 1}, "\"\\u0003\""},
    {"04", {"\4", 1}, "\"\\u0004\""},
    {"05", {"\5", 1}, "\"\\u0005\""},
    {"06", {"\6", 1}, "\"\\u0006\""},
    {"07", {"\7", 1}, "\"\\u0007\""},
    {"08", {"\b", 1}, "\"\\b\""},
    {"09", {"\t", 1}, "\"\\t\""},
    {"0a", {"\n", 1}, "\"\\n\""},
    {"0b", {"\v", 1}, "\"\\u000b\""},
    {"0c", {"\f", 1}, "\"\\f\""},
    {"0d", {"\r", 1}, "\"\\r\""},
    {"0e", {"\x0e", 1}, "\"\\u000e\""},
    {"0f", {"\x0f", 1}, "\"\\u000f\""},
    {"10", {"\x10", 1}, "\"\\u0010\""},
    {"11", {"\x11", 1}, "\"\\u0011\""},
    {"12", {"\x12", 1}, "\"\\u0012\""},
    {"13", {"\x13", 1}, "\"\\u0013\""},
    {"14", {"\x14", 1}, "\"\\u0014\""},
    {"15", {"\x15", 1}, "\"\\u0015\""},
    {"16", {"\x16", 1}, "\"\\u0016\""},
    {"17", {"\x17", 1}, "\"\\u0017\""},
    {"18", {"\x18", 1}, "\"\\u0018\""},
    {"19", {"\x19", 1}, "\"\\u0019\""},
    {"1a", {"\x1a", 1}, "\"\\u001a\""},
    {"1b", {"\x1b", 1}, "\"\\u001b\""},
    {"1c", {"\x1c", 1}, "\"\\u001c\""},
    {"1d", {"\x1d", 1}, "\"\\u001d\""},
    {"1e", {"\x1e", 1}, "\"\\u001e\""},
    {"1f", {"\x1f", 1}, "\"\\u001f\""},
    {"space stays", {" ", 1}, "\" \""},
    {"bytes past ASCII stay", {"\xC3\xA9\xFF", 3}, "\"\xC3\xA9\xFF\""},
    {"escapes between plain runs", {"a\nbc\"d", 6}, "\"a\\nbc\\\"d\""},
    {"escape at both ends", {"\nab\n", 4}, "\"\\nab\\n\""},
    {"only escapes", {"\n\n\\", 3}, "\"\\n\\n\\\\\""},
};

static void run_quoted(const struct quoted_row *row)
{
    char storage[64];
    fer_buf b;
    fer_buf_init_fixed(&b, storage, sizeof storage);
    fer_buf_add_quoted(&b, row->text);
    assert_int_equal(fer_buf_code(&b, NULL), FER_OK);
    assert_str(fer_buf_view(&b), row->expected);
    /* Exactly enough room, and one byte less. */
    size_t len = strlen(row->expected);
    fer_buf_init_fixed(&b, storage, len);
    fer_buf_add_quoted(&b, row->text);
    assert_str(fer_buf_view(&b), row->expected);
    fer_buf_init_fixed(&b, storage, len - 1);
    fer_buf_add_quoted(&b, row->text);
    assert_int_equal(fer_buf_code(&b, NULL), FER_LIMIT_EXCEEDED);
}

/* ---- the rest ----------------------------------------------------------------------------- */

static void fresh(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    assert_non_null(a);
    fer_buf_init(&b, a, 100);
    assert_int_equal(fer_buf_view(&b).len, 0);
    assert_int_equal(fer_arena_used(a), 0);
    assert_int_equal(fer_buf_code(&b, NULL), FER_OK);
    fer_buf_reserve(&b, 0);
    assert_int_equal(fer_buf_code(&b, NULL), FER_OK);
    fer_arena_free(a);
}

static void grows_in_place(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    assert_non_null(a);
    fer_buf_init(&b, a, 4000);
    fer_buf_add_char(&b, 'x');
    const char *first = b.ptr;
    for (int i = 1; i < 2000; i++) fer_buf_add_char(&b, 'x');
    assert_ptr_equal(b.ptr, first);
    assert_true(fer_arena_used(a) <= 4000);
    fer_arena_free(a);
}

static void budget_is_not_the_maximum(void)
{
    fer_arena *a = fer_arena_new(64);
    fer_buf b;
    fer_err err = {0};
    assert_non_null(a);
    fer_buf_init(&b, a, 98765);
    fer_buf_add_repeat(&b, 'x', 100);
    assert_int_equal(fer_buf_code(&b, &err), FER_LIMIT_EXCEEDED);
    /* 100 bytes are not more than 98765: it was the memory budget that said no. */
    assert_null(strstr(err.message, "98765"));
    fer_arena_free(a);
}

static void no_memory(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_err err = {0};
    assert_non_null(a);
    fer_buf_init(&b, a, 1000);
    assert_true(fer_faults_begin("malloc@1"));
    fer_buf_add_char(&b, 'x');
    fer_buf_add_char(&b, 'y');
    fer_faults_begin(NULL);
    assert_int_equal(fer_buf_code(&b, &err), FER_OUT_OF_MEMORY);
    assert_string_equal(err.message, "out of memory");
    assert_int_equal(b.len, 0);
    fer_arena_free(a);
}

/* A byte at every place of a text of some length. */
static void escape_in(unsigned c, size_t len)
{
    for (size_t at = 0; at < len; at++) {
        char text[40], storage[64], expected[64];
        fer_buf b, e;
        memset(text, c == 'x' ? 'y' : 0xC3, sizeof text);
        text[at] = (char)c;
        fer_buf_init_fixed(&b, storage, sizeof storage);
        fer_buf_init_fixed(&e, expected, sizeof expected);
        fer_buf_add_escaped(&b, (fer_str){text, len});
        for (size_t i = 0; i < len; i++) fer_buf_add_escaped(&e, (fer_str){text + i, 1});
        assert_int_equal(b.len, e.len);
        assert_memory_equal(b.ptr, e.ptr, e.len);
        bool plain = c >= 0x20 && c != '"' && c != '\\';
        assert_int_equal(b.len == len, plain);
        assert_int_equal(fer_escape_at((fer_str){text, len}, at), plain ? len : at);
    }
}

/* Every byte at every place of texts of all lengths: four, eight and sixteen bytes are looked at as
 * one. */
static void escapes_anywhere(void)
{
    for (unsigned c = 0; c < 256; c++)
        for (size_t len = 1; len <= 40; len++) escape_in(c, len);
}

/* A character that the locale cannot write makes printf itself fail. */
static void printf_that_fails(void)
{
    char storage[64];
    fer_buf b;
    fer_buf_init_fixed(&b, storage, sizeof storage);
    fer_buf_add_text(&b, "kept");
    fer_buf_printf(&b, "a%lcb", (wint_t)0x20AC);
    assert_str(fer_buf_view(&b), "kept");
    assert_int_not_equal(fer_buf_code(&b, NULL), FER_OK);
}

int main(void)
{
    return ROWS_RUN("buf maximum", max_rows, run_max) + ROWS_RUN("buf ways", way_rows, run_way) +
           ROWS_RUN("buf printf", printf_rows, run_printf) +
           ROWS_RUN("buf quoted", quoted_rows, run_quoted) + ROWS_ONE("buf", fresh) +
           ROWS_ONE("buf", grows_in_place) + ROWS_ONE("buf", budget_is_not_the_maximum) +
           ROWS_ONE("buf", no_memory) + ROWS_ONE("buf", escapes_anywhere) +
           ROWS_ONE("buf", printf_that_fails);
}
