/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The official JSON Schema test suite, all of it for the dialects that Ferrule knows, and
 * docs/CONFORMANCE.md, which says what came out.
 *
 *     test_suite                  runs it, and says where the document is stale
 *     test_suite --write FILE     runs it and writes the document
 *     FERRULE_SUITE_SHOW=1000     lists more misses of a section than the first 20
 */
#include "suite.h"

#include <stdlib.h>
#include <unistd.h>

#include "buf.h"
#include "file.h"

/* The suite that the document speaks of; another one is run all the same. */
#define COMMIT      "44401e0c046704b476ec9d2e2fccdaee618f259d"
#define COMMIT_DATE "2026-08-22"
#define FINGERPRINT 0x3dd0598baaad0ae0ull

#define DOCUMENT "docs/CONFORMANCE.md"
#define COMMAND  "build-test/tests/test_suite --write " DOCUMENT

/* {path, description of the case, description of the test or NULL, reason} */
static const struct known known[] = {
    {"", "", "", ""}, /* so that the table may be empty otherwise */
};

const struct known *suite_known(size_t *count)
{
    *count = FER_COUNT(known) - 1;
    return known + 1;
}

#define CASES(folder_, dialect_, part_, name_, path_, nested_)                                     \
    {                                                                                              \
        folder_ " " name_, folder_, dialect_, part_, "tests/" folder_ path_, nested_,              \
            suite_run_cases                                                                        \
    }
#define ANNOTATIONS(folder_, dialect_)                                                             \
    {                                                                                              \
        folder_ " annotations", folder_, dialect_, PART_ANNOTATIONS, "annotations/tests", false,   \
            suite_run_annotations                                                                  \
    }
#define OUTPUT(folder_, dialect_)                                                                  \
    {                                                                                              \
        folder_ " output", folder_, dialect_, PART_OUTPUT, "output-tests/" folder_ "/content",     \
            false, suite_run_output                                                                \
    }
#define DRAFT(folder_, dialect_)                                                                   \
    CASES(folder_, dialect_, PART_REQUIRED, "required", "", false),                                \
        CASES(folder_, dialect_, PART_OPTIONAL, "optional", "/optional", false),                   \
        CASES(folder_, dialect_, PART_FORMATS, "formats", "/optional/format", false),              \
        ANNOTATIONS(folder_, dialect_)

/* The sections of a dialect stand together. */
static const struct section sections[] = {
    DRAFT("draft4", FER_DIALECT_DRAFT4),
    DRAFT("draft6", FER_DIALECT_DRAFT6),
    DRAFT("draft7", FER_DIALECT_DRAFT7),
    DRAFT("draft2019-09", FER_DIALECT_2019_09),
    OUTPUT("draft2019-09", FER_DIALECT_2019_09),
    DRAFT("draft2020-12", FER_DIALECT_2020_12),
    OUTPUT("draft2020-12", FER_DIALECT_2020_12),
    CASES("v1", FER_DIALECT_V1, PART_REQUIRED, "required", "", false),
    CASES("v1", FER_DIALECT_V1, PART_OPTIONAL, "optional", "/optional", false),
    CASES("v1", FER_DIALECT_V1, PART_FORMATS, "formats", "/format", true),
    CASES("v1", FER_DIALECT_V1, PART_PROPOSALS, "proposals", "/proposals", true),
    ANNOTATIONS("v1", FER_DIALECT_V1),
    OUTPUT("v1", FER_DIALECT_V1),
};
static struct tally tallies[FER_COUNT(sections)];

static void skip_without_suite(void)
{
    static bool said;
    if (*suite_root()) return;
    if (!said) print_message("# skipped: FERRULE_TEST_DATA has no json-schema-test-suite\n");
    said = true;
    skip();
}

static void run_section(const struct section *s)
{
    struct tally *t = &tallies[s - sections];
    skip_without_suite();
    *t = (struct tally){.section = s};
    s->run(t);
    /* tools/run-tests adds these up. */
    print_message("# suite: %s %zu/%zu", s->name, t->passed, t->total);
    if (t->known) print_message(", %zu known", t->known);
    print_message("\n");
    size_t missed = t->total - t->passed - t->known;
    if (missed) fail_msg("%s: %zu of %zu missed", s->name, missed, t->total);
    assert_true(t->total > 0);
}

/* ---- the document ---------------------------------------------------------------------- */

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

static uint64_t mix(uint64_t h, fer_str s)
{
    for (size_t i = 0; i < s.len; i++) h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001b3ull;
    return (h ^ 0xff) * 0x100000001b3ull;
}

/* A number (FNV-1a) that stands for the names and contents of all files of the suite. */
static uint64_t fingerprint(void)
{
    static const char *const parts[] = {"annotations", "output-tests", "remotes", "tests"};
    uint64_t h = 0xcbf29ce484222325ull;
    fer_arena *a = fer_arena_new(0);
    for (size_t p = 0; p < FER_COUNT(parts); p++) {
        char path[4096];
        struct fer_file_list list;
        snprintf(path, sizeof path, "%s/%s", suite_root(), parts[p]);
        assert_int_equal(fer_file_walk(a, path, 100000, is_json, &list, NULL), FER_OK);
        for (size_t i = 0; i < list.count; i++) {
            fer_str text;
            assert_int_equal(fer_file_read(a, list.paths[i].ptr, SIZE_MAX / 4, &text, NULL),
                             FER_OK);
            h = mix(h, fer_str_slice(list.paths[i], strlen(suite_root()) + 1, list.paths[i].len));
            h = mix(h, text);
        }
    }
    fer_arena_free(a);
    return h;
}

static const struct tally *tally_of(const char *dialect_folder, enum part part)
{
    for (size_t i = 0; i < FER_COUNT(sections); i++) {
        if (sections[i].part == part && strcmp(sections[i].dialect_folder, dialect_folder) == 0)
            return &tallies[i];
    }
    return NULL;
}

static void add_row(fer_buf *b, const struct section *s)
{
    fer_buf_printf(b, "| %s |", s->dialect_folder);
    for (int part = 0; part < PARTS; part++) {
        const struct tally *t = tally_of(s->dialect_folder, (enum part)part);
        if (t) fer_buf_printf(b, " %zu / %zu |", t->passed, t->total);
        else fer_buf_add_text(b, " |");
    }
    fer_buf_add_char(b, '\n');
}

static void add_table(fer_buf *b)
{
    size_t passed = 0, total = 0;
    fer_buf_add_text(b, "| dialect | required | optional | formats | proposals | annotations | "
                        "output |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < FER_COUNT(sections); i++) {
        passed += tallies[i].passed;
        total += tallies[i].total;
        if (sections[i].part == PART_REQUIRED) add_row(b, &sections[i]);
    }
    fer_buf_printf(b, "\n%zu of %zu tests pass.\n", passed, total);
}

static void add_known(fer_buf *b)
{
    size_t count;
    const struct known *rows = suite_known(&count);
    fer_buf_add_text(b, "\n## Known misses\n\n");
    if (!count) fer_buf_add_text(b, "None.\n");
    else fer_buf_add_text(b, "| file | case | test | reason |\n|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        fer_buf_printf(b, "| `%s` | %s | %s | %s |\n", rows[i].path, rows[i].group,
                       rows[i].test ? rows[i].test : "all", rows[i].reason);
    }
}

static fer_str document(fer_arena *a)
{
    fer_buf b;
    uint64_t found = fingerprint();
    fer_buf_init(&b, a, 1u << 20);
    fer_buf_add_text(
        &b, "# Conformance\n\n"
            "What the official [JSON-Schema-Test-Suite]"
            "(https://github.com/json-schema-org/JSON-Schema-Test-Suite) says of Ferrule: tests\n"
            "passed / all tests. Nothing is left out but draft3, which Ferrule does not know.\n\n");
    if (found == FINGERPRINT)
        fer_buf_add_text(&b, "Suite: commit `" COMMIT "` of " COMMIT_DATE ".\n\n");
    else fer_buf_printf(&b, "Suite: fingerprint `%016llx`.\n\n", (unsigned long long)found);
    add_table(&b);
    fer_buf_add_text(
        &b, "\n"
            "- *required*, *optional*: every instance is asked about three times, quickly, with "
            "findings\n  and with annotations, and the three have to agree with the suite. In "
            "`optional/content.json`\n  content is asserted, in v1's `format-annotation.json` "
            "formats are not.\n"
            "- *formats*: `optional/format` (v1: `format`), with formats asserted.\n"
            "- *proposals*: `proposals` of v1.\n"
            "- *annotations*: the tests of `annotations` that are compatible with the dialect.\n"
            "- *output*: the output formats of `output-tests`, each checked by Ferrule with the "
            "suite's\n  own schema for it.\n");
    add_known(&b);
    fer_buf_add_text(&b, "\nWritten by `" COMMAND "`; `make test` fails where it is stale.\n");
    assert_int_equal(fer_buf_code(&b, NULL), FER_OK);
    return fer_buf_view(&b);
}

static void document_is_fresh(void)
{
    skip_without_suite();
    fer_str old = FER_STR("");
    if (access("meson.build", R_OK) != 0) {
        print_message("# skipped: not run from the top of the source\n");
        skip();
    }
    if (fingerprint() != FINGERPRINT) {
        print_message("# skipped: not the suite that " DOCUMENT " speaks of\n");
        skip();
    }
    fer_arena *a = fer_arena_new(0);
    (void)fer_file_read(a, DOCUMENT, 1u << 20, &old, NULL);
    bool fresh = fer_str_eq(old, document(a));
    fer_arena_free(a);
    if (!fresh) fail_msg(DOCUMENT " is stale; run: " COMMAND);
}

static int write_document(const char *path)
{
    fer_err err = {0};
    fer_arena *a = fer_arena_new(0);
    if (!*suite_root()) {
        fprintf(stderr, "no suite: set FERRULE_TEST_DATA\n");
        return 2;
    }
    fer_code code = fer_file_replace(path, document(a), &err);
    if (code) fprintf(stderr, "%s: %s\n", path, err.message);
    fer_arena_free(a);
    return code ? 2 : 0;
}

/* ---- the language of compatibility -------------------------------------------------------- */

static const struct release {
    const char *name;
    unsigned release;
    bool allowed;
} releases[] = {
    {"7", 7, true},         {"7", 6, false},         {"7", 9999, true},
    {"<=2019", 2019, true}, {"<=2019", 2020, false}, {"<=2019", 4, true},
    {"6,<=2019", 7, true},  {"6,<=2019", 4, false},  {"6,<=2019", 2020, false},
    {"=2020", 2020, true},  {"=2020", 2019, false},  {"=2020", 9999, false},
    {"9999", 2020, false},  {"9999", 9999, true},
};

static void check_release(const struct release *row)
{
    assert_int_equal(suite_compatible(fer_str_of(row->name), row->release), row->allowed);
}

int main(int argc, char **argv)
{
    bool write = argc == 3 && strcmp(argv[1], "--write") == 0;
    if (argc != 1 && !write) {
        fprintf(stderr, "usage: test_suite [--write FILE]\n");
        return 2;
    }
    int failed = ROWS_RUN("compatibility", releases, check_release);
    failed += ROWS_RUN("suite", sections, run_section);
    if (write) failed += write_document(argv[2]);
    else failed += ROWS_ONE("document", document_is_fresh);
    return failed;
}
