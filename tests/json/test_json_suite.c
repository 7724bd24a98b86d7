/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON parsing test suite: y_ is JSON, n_ is not, and for i_, where RFC 8259
 * leaves the answer open, the table here is ours (docs/reference/json-parsing.md).
 */
#include "rows.h"

#include <dirent.h>
#include <stdlib.h>

#include "json_doc.h"

static const struct answer {
    const char *name; /* i_<name>.json */
    bool accepted;
    const char *reason;
} answers[] = {
    {"number_double_huge_neg_exp", true, "numbers keep their exact value"},
    {"number_huge_exp", false, "json.exponent: more than 18 digits"},
    {"number_neg_int_huge_exp", true, "numbers keep their exact value"},
    {"number_pos_double_huge_exp", true, "numbers keep their exact value"},
    {"number_real_neg_overflow", true, "numbers keep their exact value"},
    {"number_real_pos_overflow", true, "numbers keep their exact value"},
    {"number_real_underflow", true, "numbers keep their exact value"},
    {"number_too_big_neg_int", true, "numbers keep their exact value"},
    {"number_too_big_pos_int", true, "numbers keep their exact value"},
    {"number_very_big_negative_int", true, "numbers keep their exact value"},
    {"object_key_lone_2nd_surrogate", false, "lone surrogate"},
    {"string_1st_surrogate_but_2nd_missing", false, "lone surrogate"},
    {"string_1st_valid_surrogate_2nd_invalid", false, "lone surrogate"},
    {"string_UTF-16LE_with_BOM", false, "not UTF-8"},
    {"string_UTF-8_invalid_sequence", false, "invalid UTF-8"},
    {"string_UTF8_surrogate_U+D800", false, "invalid UTF-8"},
    {"string_incomplete_surrogate_and_escape_valid", false, "lone surrogate"},
    {"string_incomplete_surrogate_pair", false, "lone surrogate"},
    {"string_incomplete_surrogates_escape_valid", false, "lone surrogate"},
    {"string_invalid_lonely_surrogate", false, "lone surrogate"},
    {"string_invalid_surrogate", false, "lone surrogate"},
    {"string_invalid_utf-8", false, "invalid UTF-8"},
    {"string_inverted_surrogates_U+1D11E", false, "lone surrogate"},
    {"string_iso_latin_1", false, "invalid UTF-8"},
    {"string_lone_second_surrogate", false, "lone surrogate"},
    {"string_lone_utf8_continuation_byte", false, "invalid UTF-8"},
    {"string_not_in_unicode_range", false, "invalid UTF-8"},
    {"string_overlong_sequence_2_bytes", false, "invalid UTF-8"},
    {"string_overlong_sequence_6_bytes", false, "invalid UTF-8"},
    {"string_overlong_sequence_6_bytes_null", false, "invalid UTF-8"},
    {"string_truncated-utf-8", false, "invalid UTF-8"},
    {"string_utf16BE_no_BOM", false, "not UTF-8"},
    {"string_utf16LE_no_BOM", false, "not UTF-8"},
    {"structure_500_nested_arrays", false, "json.depth: more than 128 levels"},
    {"structure_UTF-8_BOM_empty_object", true, "byte order mark at the very start"},
};

/* i_ files are also the ones of the table; duplicate keys are y_ there and refused here. */
static const char *const stricter[] = {
    "y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
};

static char folder[512];

static void skip_without_data(void)
{
    static bool said;
    if (*rows_data()) return;
    if (!said) print_message("# skipped: FERRULE_TEST_DATA has no json-parsing\n");
    said = true;
    skip();
}

static fer_str read_file(fer_arena *a, const char *name)
{
    char path[1024];
    size_t cap = 1u << 20;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s cannot be read", path);
    char *text = fer_arena_alloc(a, cap);
    assert_non_null(text);
    size_t len = fread(text, 1, cap, f);
    fclose(f);
    return (fer_str){text, len};
}

static fer_code read_named(const char *name, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc = NULL;
    fer_str text = read_file(a, name);
    fer_code code = fer_json_read(a, text, NULL, &doc, err);
    if (!code) assert_non_null(fer_json_root(doc));
    if (code && err->line) assert_true(err->offset <= text.len);
    fer_arena_free(a);
    return code;
}

static bool is_stricter(const char *name)
{
    for (size_t i = 0; i < FER_COUNT(stricter); i++) {
        if (strcmp(stricter[i], name) == 0) return true;
    }
    return false;
}

static bool is_answered(const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < FER_COUNT(answers); i++) {
        size_t own = strlen(answers[i].name);
        if (len == own + 7 && strncmp(name + 2, answers[i].name, own) == 0) return true;
    }
    return false;
}

/* Every file of one letter; the answers of i_ have rows of their own. */
static void run_letter(char letter, size_t at_least)
{
    skip_without_data();
    size_t files = 0, wrong = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        fer_err err = {0};
        if (e->d_name[0] != letter || e->d_name[1] != '_') continue;
        files++;
        if (letter == 'i') {
            if (is_answered(e->d_name)) continue;
            print_error("%s: not in the table\n", e->d_name);
            wrong++;
            continue;
        }
        fer_code code = read_named(e->d_name, &err);
        bool right = is_stricter(e->d_name) ? code == FER_DUPLICATE_KEY
                     : letter == 'y'        ? code == FER_OK
                                     : code == FER_INVALID_JSON || code == FER_LIMIT_EXCEEDED;
        if (right) continue;
        print_error("%s: %s %s\n", e->d_name, fer_code_info(code)->name, err.message);
        wrong++;
    }
    closedir(dir);
    assert_int_equal(wrong, 0);
    assert_true(files >= at_least);
}

static void every_y_is_accepted(void)
{
    run_letter('y', 95);
}

static void every_n_is_refused(void)
{
    run_letter('n', 180);
}

static void every_i_has_an_answer(void)
{
    run_letter('i', FER_COUNT(answers));
}

static void run_answer(const struct answer *row)
{
    char name[256];
    fer_err err = {0};
    skip_without_data();
    snprintf(name, sizeof name, "i_%s.json", row->name);
    fer_code code = read_named(name, &err);
    assert_true((code == FER_OK) == row->accepted);
    bool by_limit = strncmp(row->reason, "json.", 5) == 0;
    if (code) assert_int_equal(code, by_limit ? FER_LIMIT_EXCEEDED : FER_INVALID_JSON);
    if (by_limit) {
        size_t len = strcspn(row->reason, ":");
        assert_int_equal(strncmp(err.message, row->reason, len), 0);
    }
    if (strstr(row->reason, "lone")) assert_non_null(strstr(err.message, "surrogate"));
    if (strstr(row->reason, "invalid UTF-8")) assert_non_null(strstr(err.message, "UTF-8"));
}

/* The document for the reader says what the table says: one line per row. */
static void document_has_every_answer(void)
{
    static char text[1u << 16], line[512];
    FILE *f = fopen("docs/reference/json-parsing.md", "rb");
    if (!f) {
        print_message("# skipped: not run from the top of the source\n");
        skip();
    }
    size_t len = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[len] = '\0';
    for (size_t i = 0; i < FER_COUNT(answers); i++) {
        snprintf(line, sizeof line, "| `i_%s.json` | %s | %s |\n", answers[i].name,
                 answers[i].accepted ? "accepted" : "rejected", answers[i].reason);
        if (!strstr(text, line)) fail_msg("docs/reference/json-parsing.md has no line %s", line);
    }
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/json-parsing/test_parsing", rows_data());
    return ROWS_ONE("json suite", every_y_is_accepted) +
           ROWS_ONE("json suite", every_n_is_refused) +
           ROWS_ONE("json suite", every_i_has_an_answer) +
           ROWS_RUN("json suite, i_", answers, run_answer) +
           ROWS_ONE("json suite", document_has_every_answer);
}
