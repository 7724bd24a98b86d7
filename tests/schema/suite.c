/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

#include <stdlib.h>

#include "file.h"
#include "json_doc.h"

#define SHOWN     20 /* misses of a section that are printed, unless FERRULE_SUITE_SHOW says more */
#define FILES_MAX 10000
#define FILE_MAX  (16u << 20)

/* ---- counting ------------------------------------------------------------------------ */

static const struct known *known_row(const struct place *at)
{
    size_t count;
    const struct known *rows = suite_known(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].path, at->path) != 0 || !fer_str_is(at->group, rows[i].group)) continue;
        if (!rows[i].test || fer_str_is(at->test, rows[i].test)) return &rows[i];
    }
    return NULL;
}

static void show(struct tally *t, const struct place *at, const char *why)
{
    const char *wanted = getenv("FERRULE_SUITE_SHOW");
    uint64_t limit = SHOWN;
    if (wanted) fer_parse_u64(fer_str_of(wanted), &limit);
    if (t->shown++ >= limit) return;
    print_message("# %s: %.*s: %.*s: %s\n", at->path, FER_PRI(at->group), FER_PRI(at->test), why);
}

void suite_note(struct tally *t, const struct place *at, const char *why)
{
    const struct known *known = known_row(at);
    t->total++;
    if (!why && !known) t->passed++;
    if (!why && known) show(t, at, "passes, but stands in the table of known misses");
    if (why && known) t->known++;
    if (why && !known) show(t, at, why);
}

void suite_note_all(struct tally *t, struct place at, const yyjson_val *tests, const char *why)
{
    FER_EACH_ITEM (tests, test) {
        at.test = suite_description(test);
        suite_note(t, &at, why);
    }
}

fer_str suite_description(const yyjson_val *v)
{
    const yyjson_val *text = fer_val_get(v, "description");
    return fer_is_str(text) ? fer_val_str(text) : FER_STR("(no description)");
}

/* ---- files --------------------------------------------------------------------------- */

const char *suite_root(void)
{
    static char root[4096];
    if (!*rows_data()) return "";
    snprintf(root, sizeof root, "%s/json-schema-test-suite", rows_data());
    return fer_file_is_folder(root) ? root : "";
}

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

static void load(fer_arena *a, const char *path, struct suite_file *out)
{
    fer_err err = {0};
    fer_json *doc = NULL;
    out->path = path + strlen(suite_root()) + 1;
    if (fer_file_read(a, path, FILE_MAX, &out->text, &err) ||
        fer_json_read(a, out->text, fer_json_limits_file(), &doc, &err))
        fail_msg("%s: %u:%u: %s", path, err.line, err.column, err.message);
    out->doc = doc;
    out->root = fer_json_root(doc);
}

struct suite_file *suite_files(fer_arena *a, const char *folder, bool nested, size_t *count)
{
    char path[4096];
    fer_err err = {0};
    struct fer_file_list list;
    int len = snprintf(path, sizeof path, "%s/%s", suite_root(), folder);
    if (fer_file_walk(a, path, FILES_MAX, is_json, &list, &err))
        fail_msg("%s: %s", path, err.message);
    struct suite_file *files = fer_arena_alloc_zero(a, list.count + 1, sizeof *files);
    assert_non_null(files);
    *count = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (!nested && strchr(list.paths[i].ptr + len + 1, '/')) continue;
        load(a, list.paths[i].ptr, &files[(*count)++]);
    }
    if (*count == 0) fail_msg("%s has no files", path);
    return files;
}

/* ---- remotes -------------------------------------------------------------------------- */

static const struct folder {
    const char *name;
    fer_dialect dialect;
} folders[] = {
    {"draft4", FER_DIALECT_DRAFT4},        {"draft6", FER_DIALECT_DRAFT6},
    {"draft7", FER_DIALECT_DRAFT7},        {"draft2019-09", FER_DIALECT_2019_09},
    {"draft2020-12", FER_DIALECT_2020_12}, {"v1", FER_DIALECT_V1},
};

/* Whether a file's path is below a folder. */
static bool is_in(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && path[len] == '/';
}

static const struct folder *folder_of(const char *path)
{
    for (size_t i = 0; i < FER_COUNT(folders); i++) {
        if (is_in(path, folders[i].name)) return &folders[i];
    }
    return NULL;
}

static bool names(const struct suite_file *files, size_t count, const char *uri)
{
    for (size_t i = 0; i < count; i++) {
        if (memmem(files[i].text.ptr, files[i].text.len, uri, strlen(uri))) return true;
    }
    return false;
}

/*
 * The files directly below remotes/ and in the dialect's own folder belong to it. Of the other
 * dialects' files only those are wanted that its tests name (cross-draft.json): the rest
 * share their `$id`s with files of this dialect.
 */
fer_registry *suite_registry(fer_arena *a, const struct section *s)
{
    size_t count, optional_count;
    char optional[256];
    snprintf(optional, sizeof optional, "tests/%s/optional", s->dialect_folder);
    struct suite_file *files = suite_files(a, "remotes", true, &count);
    struct suite_file *tests = suite_files(a, optional, false, &optional_count);
    fer_registry *r = fer_registry_new();
    assert_non_null(r);
    for (size_t i = 0; i < count; i++) {
        fer_err err = {0};
        char uri[1024];
        const char *path = files[i].path + strlen("remotes/");
        const struct folder *folder = folder_of(path);
        snprintf(uri, sizeof uri, "http://localhost:1234/%s", path);
        if (is_in(path, "draft3")) continue;
        if (folder && folder->dialect != s->dialect && !names(tests, optional_count, uri)) continue;
        if (fer_registry_add(r, fer_str_of(uri), files[i].text,
                             folder ? folder->dialect : s->dialect, &err))
            fail_msg("%s: %u:%u: %s", files[i].path, err.line, err.column, err.message);
    }
    return r;
}
