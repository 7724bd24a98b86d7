/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The official JSON Schema test suite, part by part. A section is a folder of the suite in
 * one dialect; running it notes every test as passed, missed, or a miss that is known.
 * test_suite.c has the table of sections and writes what came out to docs/CONFORMANCE.md.
 */
#ifndef FER_SUITE_H
#define FER_SUITE_H

#include <ferrule/schema.h>

#include "json_value.h"
#include "rows.h"

enum part {
    PART_REQUIRED,
    PART_OPTIONAL,
    PART_FORMATS,
    PART_PROPOSALS,
    PART_ANNOTATIONS,
    PART_OUTPUT,
    PARTS
};

struct section;
/* What has come out of a section so far. */
struct tally {
    const struct section *section;
    size_t passed, total;
    size_t known; /* misses that the table of known ones has */
    size_t shown; /* misses that were printed */
};

struct section {
    const char *name; /* "draft2020-12 required" */
    const char *dialect_folder;
    fer_dialect dialect;
    enum part part;
    const char *folder; /* below the suite */
    bool nested;        /* files of the folders in it too */
    void (*run)(struct tally *t);
};

/* One test, for the lists. */
struct place {
    const char *path; /* of the file, below the suite */
    fer_str group;    /* description of the case */
    fer_str test;
};

/* Misses that cannot be mended, with the reason; for the document, too. */
struct known {
    const char *path;
    const char *group;
    const char *test; /* NULL: all tests of the group */
    const char *reason;
};
const struct known *suite_known(size_t *count);

/* Counts a test; `why` it was missed is NULL where it passed. */
void suite_note(struct tally *t, const struct place *at, const char *why);
/* Counts `count` tests that could not be run at all. */
void suite_note_all(struct tally *t, struct place at, const yyjson_val *tests, const char *why);

/* Below FERRULE_TEST_DATA; "" where the suite is not there. */
const char *suite_root(void);

/* A file of the suite, read. */
struct suite_file {
    const char *path; /* below the suite */
    fer_str text;
    const fer_json *doc;
    const yyjson_val *root;
};
/* The .json files of a folder (below the suite), sorted; what cannot be read fails the test. */
struct suite_file *suite_files(fer_arena *a, const char *folder, bool nested, size_t *count);

/* The remotes of a dialect, at http://localhost:1234/. */
fer_registry *suite_registry(fer_arena *a, const struct section *s);

/* The description of a case or test. */
fer_str suite_description(const yyjson_val *v);

/* Kinds of section. */
void suite_run_cases(struct tally *t);
void suite_run_annotations(struct tally *t);
void suite_run_output(struct tally *t);

/* Whether a `compatibility` ("6,<=2019") allows a release (docs of annotations/). */
bool suite_compatible(fer_str constraints, unsigned release);

#endif
