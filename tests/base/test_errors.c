/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures: the table of codes is whole and in order, looking codes up, and the text
 * of a failure, which is cut between characters and always valid UTF-8.
 */
#include "rows.h"

#include "errors.h"

/* ---- the table ---------------------------------------------------------------------- */

static const struct category_row {
    const char *name;
    int from; /* the codes of a category lie between */
    int to;
} category_rows[] = {
    {"Ok", 0, 0},
    {"ContractError", 100, 199},
    {"PolicyError", 200, 299},
    {"AuthError", 300, 399},
    {"ExecutionError", 400, 499},
    {"SystemError", 500, 599},
};

static void run_category(const struct category_row *row)
{
    size_t count, seen = 0;
    const fer_code_row *table = fer_code_table(&count);
    for (size_t i = 0; i < count; i++) {
        bool inside = (int)table[i].code >= row->from && (int)table[i].code <= row->to;
        assert_int_equal(strcmp(table[i].category, row->name) == 0, inside);
        seen += inside;
    }
    assert_true(seen > 0);
}

static bool is_one_of(int n, const int *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == n) return true;
    }
    return false;
}

static void every_row_is_filled(void)
{
    static const int exits[] = {FER_EXIT_OK, FER_EXIT_FINDINGS, FER_EXIT_USAGE, FER_EXIT_SYSTEM};
    static const int rpc[] = {0, -32700, -32600, -32602, -32603};
    size_t count;
    const fer_code_row *table = fer_code_table(&count);
    assert_true(count > 40);
    for (size_t i = 0; i < count; i++) {
        const fer_code_row *r = &table[i];
        assert_non_null(r->name);
        assert_non_null(r->category);
        assert_non_null(r->text);
        size_t name_len = strlen(r->name), text_len = strlen(r->text);
        /* Names are words in CamelCase, texts are sentences. */
        assert_true(r->name[0] >= 'A' && r->name[0] <= 'Z');
        for (size_t k = 0; k < name_len; k++) assert_true(fer_is_alpha(r->name[k]));
        assert_true(text_len > 5 && r->text[text_len - 1] == '.');
        assert_true(r->text[0] >= 'A' && r->text[0] <= 'Z');
        assert_true(is_one_of(r->exit_code, exits, FER_COUNT(exits)));
        assert_int_equal(r->exit_code == 0, r->code == FER_OK);
        assert_true(is_one_of(r->rpc_code, rpc, FER_COUNT(rpc)));
        assert_true(r->code == FER_OK ? r->http_status == 200
                                      : r->http_status >= 400 && r->http_status <= 599);
    }
}

static void the_table_is_ordered_and_unique(void)
{
    size_t count;
    const fer_code_row *table = fer_code_table(&count);
    assert_int_equal(table[0].code, FER_OK);
    for (size_t i = 1; i < count; i++) {
        assert_true(table[i - 1].code < table[i].code);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(table[k].name, table[i].name);
            assert_string_not_equal(table[k].text, table[i].text);
        }
    }
    for (size_t i = 0; i < count; i++) assert_ptr_equal(fer_code_info(table[i].code), &table[i]);
}

/* ---- looking up ------------------------------------------------------------------------ */

static const struct info_row {
    const char *name; /* that fer_code_info gives */
    int code;
} info_rows[] = {
    {"Ok", 0},
    {"InvalidJson", 100},
    {"DuplicateKey", 101},
    {"InvalidYaml", 102},
    {"LimitExceeded", 103},
    {"InvalidTool", 110},
    {"ToolNotFound", 114},
    {"InvalidSchema", 120},
    {"ValidationBudgetExceeded", 138},
    {"BadUsage", 190},
    {"Timeout", 200},
    {"IdempotencyConflict", 207},
    {"Unauthenticated", 300},
    {"Forbidden", 301},
    {"ToolFailed", 400},
    {"OutcomeUnknown", 407},
    {"ConnectionLost", 408},
    {"OutOfMemory", 500},
    {"IoError", 501},
    {"Internal", 503},
    {"IntegrityBroken", 504},
    /* Unknown numbers: before, between and after the known ones. */
    {"Internal", 1},
    {"Internal", 99},
    {"Internal", 107},
    {"Internal", 139},
    {"Internal", 302},
    {"Internal", 505},
    {"Internal", 599},
    {"Internal", 2147483647},
};

static void run_info(const struct info_row *row)
{
    const fer_code_row *info = fer_code_info((fer_code)row->code);
    assert_non_null(info);
    assert_string_equal(info->name, row->name);
}

/* ---- cutting ----------------------------------------------------------------------------- */

/* An own check, so that the room of texts is not needed here. */
static bool is_utf8(const char *s)
{
    const unsigned char *p = (const unsigned char *)s;
    while (*p) {
        int more = *p < 0x80 ? 0 : *p >= 0xC2 && *p < 0xE0 ? 1 : (*p & 0xF0) == 0xE0 ? 2 : 3;
        if (*p >= 0x80 && (*p < 0xC2 || *p > 0xF4)) return false;
        unsigned char first = *p++;
        if (more && first == 0xE0 && *p < 0xA0) return false;
        if (more && first == 0xED && *p > 0x9F) return false;
        if (more && first == 0xF0 && *p < 0x90) return false;
        if (more && first == 0xF4 && *p > 0x8F) return false;
        for (; more > 0; more--, p++) {
            if ((*p & 0xC0) != 0x80) return false;
        }
    }
    return true;
}

static const struct cut_row {
    const char *name;
    const char *unit; /* repeated past the limit */
} cut_rows[] = {
    {"one byte each", "x"},
    {"two bytes each", "\xC3\xA9"},
    {"three bytes each", "\xE2\x82\xAC"},
    {"four bytes each", "\xF0\x9F\x98\x80"},
    {"the last code point", "\xF4\x8F\xBF\xBF"},
    {"mixed", "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
};

static void run_cut(const struct cut_row *row)
{
    static char text[4 * FER_ERR_TEXT];
    size_t unit = strlen(row->unit);
    /* Every offset of the limit inside the unit. */
    for (size_t start = 0; start <= unit; start++) {
        size_t len = start;
        memset(text, '.', start);
        while (len < 2 * FER_ERR_TEXT) {
            memcpy(text + len, row->unit, unit);
            len += unit;
        }
        text[len] = '\0';
        fer_err err;
        memset(&err, 0x5A, sizeof err);
        assert_int_equal(fer_fail(&err, FER_IO_ERROR, "%s", text), FER_IO_ERROR);
        size_t got = strnlen(err.message, sizeof err.message);
        assert_true(got < FER_ERR_TEXT);
        assert_true(got >= FER_ERR_TEXT - 1 - 4);
        assert_memory_equal(err.message, text, got);
        assert_true(is_utf8(err.message));
        assert_int_equal(fer_fail_at(&err, FER_IO_ERROR, 7, "%s", text), FER_IO_ERROR);
        assert_int_equal(strnlen(err.message, sizeof err.message), got);
    }
}

static const struct exact_row {
    const char *name;
    size_t size; /* of the place to write to */
    const char *text;
    const char *expected;
} exact_rows[] = {
    {"room for the NUL only", 1, "abc", ""},
    {"room for one", 2, "abc", "a"},
    {"one too few", 3, "abc", "ab"},
    {"exact", 4, "abc", "abc"},
    {"more than enough", 10, "abc", "abc"},
    {"nothing to write", 1, "", ""},
    {"a character does not fit", 2, "\xC3\xA9", ""},
    {"a character fits exactly", 3, "\xC3\xA9", "\xC3\xA9"},
    {"half of the second character fits", 4, "\xC3\xA9\xC3\xA9", "\xC3\xA9"},
    {"the first of two characters fits", 3, "\xC3\xA9\xC3\xA9", "\xC3\xA9"},
    {"four bytes do not fit", 4, "\xF0\x9F\x98\x80", ""},
    {"four bytes fit", 5, "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
    {"ASCII after a character is cut", 4, "\xC3\xA9yz", "\xC3\xA9y"},
};

static size_t format_text(char *out, size_t size, const char *format, ...) FER_PRINTF(3, 4);
static size_t format_text(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t len = fer_format_text(out, size, format, args);
    va_end(args);
    return len;
}

static void run_exact(const struct exact_row *row)
{
    char out[16];
    memset(out, '#', sizeof out);
    size_t len = format_text(out, row->size, "%s", row->text);
    assert_int_equal(len, strnlen(out, sizeof out));
    assert_string_equal(out, row->expected);
    for (size_t i = row->size; i < sizeof out; i++) assert_int_equal(out[i], '#');
}

/* ---- what is not UTF-8 --------------------------------------------------------------------- */

/* A path, or a piece of input, may hold any byte; a message promises to be UTF-8. */
static const struct bytes_row {
    const char *name;
    const char *text;
} bytes_rows[] = {
    {"all valid", "caf\xC3\xA9.json"}, {"Latin-1 in a path", "caf\xE9.json"},
    {"half a character", "a\xE2\x82"}, {"a stray continuation byte", "\x80"},
    {"a surrogate", "\xED\xA0\x80"},   {"an overlong slash", "\xC0\xAF"},
};

static void run_bytes(const struct bytes_row *row)
{
    fer_err err;
    fer_fail(&err, FER_IO_ERROR, "cannot open %s: it is not there", row->text);
    assert_true(fer_str_starts(fer_str_of(err.message), "cannot open "));
    assert_true(fer_str_ends(fer_str_of(err.message), ": it is not there"));
    if (!is_utf8(err.message)) fail_msg("the message is not UTF-8");
}

/* ---- the rest -----------------------------------------------------------------------------------
 */

static void fields_are_set(void)
{
    fer_err err;
    memset(&err, 0x5A, sizeof err);
    assert_int_equal(fer_fail(&err, FER_INVALID_ID, "%s %d", "bad", 3), FER_INVALID_ID);
    assert_int_equal(err.code, FER_INVALID_ID);
    assert_int_equal(err.line, 0);
    assert_int_equal(err.column, 0);
    assert_int_equal(err.offset, 0);
    assert_string_equal(err.message, "bad 3");

    memset(&err, 0x5A, sizeof err);
    assert_int_equal(fer_fail_at(&err, FER_INVALID_JSON, 12, "bad %c", 'x'), FER_INVALID_JSON);
    assert_int_equal(err.code, FER_INVALID_JSON);
    assert_int_equal(err.offset, 12);
    assert_true(err.line > 0);
    assert_string_equal(err.message, "bad x");
}

static void no_err_is_fine(void)
{
    assert_int_equal(fer_fail(NULL, FER_TIMEOUT, "%s", "x"), FER_TIMEOUT);
    assert_int_equal(fer_fail_at(NULL, FER_TIMEOUT, 1, "%s", "x"), FER_TIMEOUT);
}

static void version_has_three_numbers(void)
{
    int dots = 0;
    for (const char *p = fer_version(); *p; p++) dots += *p == '.';
    assert_int_equal(dots, 2);
}

int main(void)
{
    return ROWS_RUN("errors categories", category_rows, run_category) +
           ROWS_RUN("errors info", info_rows, run_info) +
           ROWS_RUN("errors cut", cut_rows, run_cut) +
           ROWS_RUN("errors exact", exact_rows, run_exact) +
           ROWS_RUN("errors bytes", bytes_rows, run_bytes) +
           ROWS_ONE("errors", every_row_is_filled) +
           ROWS_ONE("errors", the_table_is_ordered_and_unique) +
           ROWS_ONE("errors", fields_are_set) + ROWS_ONE("errors", no_err_is_fine) +
           ROWS_ONE("errors", version_has_three_numbers);
}
