/* SPDX-License-Identifier: Apache-2.0 */
#include "revision.h"

#include <string.h>
#include <unistd.h>

#include "child.h"
#include "errors.h"
#include "file.h"
#include "inputs.h"
#include "reader.h"

#define GIT_LIST_MAX ((size_t)64 << 20) /* bytes of a list of names */

static fer_code add_text(fer_revision *r, fer_str name, fer_str text, fer_err *err)
{
    fer_code code = fer_toolset_add(r->set, name, text, r->format, err);
    r->files++;
    if (code) fer_fail_in(err, name);
    return code;
}

/* ---- files ---------------------------------------------------------------------------------- */

static fer_code read_path(fer_revision *r, const char *path, fer_err *err)
{
    fer_str text;
    size_t max = fer_json_limits_file()->size;
    bool standard = strcmp(path, "-") == 0;
    fer_code code =
        standard ? fer_file_read_fd(r->arena, STDIN_FILENO, "standard input", max, &text, err)
                 : fer_file_read(r->arena, path, max, &text, err);
    if (code == FER_LIMIT_EXCEEDED) fer_fail(err, code, "json.size: the limit is %zu bytes", max);
    fer_str name = fer_arena_copy(r->arena, fer_str_of(standard ? "<stdin>" : path));
    if (!code && !name.ptr) code = fer_arena_failed(r->arena, err);
    return code ? code : add_text(r, name, text, err);
}

static fer_code read_files(fer_revision *r, const char *argument, fer_err *err)
{
    fer_inputs in;
    fer_code code = fer_inputs_init_path(&in, argument, err);
    if (code) return code;
    for (size_t i = 0; i < in.count && !code; i++) {
        code = fer_inputs_check(&in, i, err);
        if (!code) code = read_path(r, in.paths[i], err);
    }
    fer_inputs_deinit(&in);
    return code;
}

/* ---- git --------------------------------------------------------------------------------------
 */

static bool git_says_yes(fer_revision *r, const char *word, const char *what)
{
    int status;
    fer_str out;
    const char *argv[] = {"git", "rev-parse", word, what, NULL};
    return !fer_child_read(r->arena, argv, 4096, &out, &status, NULL) && !status;
}

/* Why git has no such thing: jobs of CI run in shallow clones, and in folders of another user. */
static fer_code tell_missing(fer_revision *r, const char *object, int status, fer_err *err)
{
    int len = (int)(strchr(object, ':') - object);
    fer_str commit = fer_arena_printf(r->arena, "%.*s^{tree}", len, object);
    if (!commit.ptr) return fer_arena_failed(r->arena, err);
    if (!git_says_yes(r, "--git-dir", NULL))
        return fer_fail(err, FER_IO_ERROR,
                        "git has no %s: it finds no repository here, or does not trust its owner "
                        "(git status tells)",
                        object);
    if (!git_says_yes(r, "--verify", commit.ptr))
        return fer_fail(err, FER_IO_ERROR,
                        "git has no %s: it knows no revision %.*s (a shallow clone has only what "
                        "was fetched)",
                        object, len, object);
    return fer_fail(err, FER_IO_ERROR, "git has no %s (it ended with %d)", object, status);
}

static fer_code git(fer_revision *r, const char *const *argv, const char *object, size_t max,
                    fer_str *out, fer_err *err)
{
    int status;
    fer_code code = fer_child_read(r->arena, argv, max, out, &status, err);
    return code || !status ? code : tell_missing(r, object, status, err);
}

static fer_code read_blob(fer_revision *r, const char *object, fer_err *err)
{
    fer_str text;
    const char *argv[] = {"git", "cat-file", "blob", object, NULL};
    fer_code code = git(r, argv, object, fer_json_limits_file()->size, &text, err);
    fer_str name = fer_arena_printf(r->arena, "git:%s", object);
    if (!code && !name.ptr) code = fer_arena_failed(r->arena, err);
    return code ? code : add_text(r, name, text, err);
}

/* Every file of a folder that may hold tools; names come one after the other, each with a NUL. */
static fer_code read_tree(fer_revision *r, const char *object, fer_err *err)
{
    fer_str names;
    const char *argv[] = {"git", "ls-tree", "-r", "-z", "--name-only", object, NULL};
    fer_code code = git(r, argv, object, GIT_LIST_MAX, &names, err);
    bool slash = object[strlen(object) - 1] == '/' || object[strlen(object) - 1] == ':';
    for (size_t at = 0; !code && at < names.len;) {
        size_t end = fer_str_find(names, at, '\0');
        if (end == SIZE_MAX) end = names.len;
        fer_str name = fer_str_slice(names, at, end);
        at = end + 1;
        if (fer_format_of_name(name) == FER_FORMAT_AUTO) continue;
        fer_str path =
            fer_arena_printf(r->arena, "%s%s%.*s", object, slash ? "" : "/", FER_PRI(name));
        code = path.ptr ? read_blob(r, path.ptr, err) : fer_arena_failed(r->arena, err);
    }
    if (!code && !r->files)
        return fer_fail(err, FER_IO_ERROR,
                        "no .json, .jsonl, .ndjson, .yaml or .yml file is in git:%s", object);
    return code;
}

static fer_code read_git(fer_revision *r, const char *object, fer_err *err)
{
    fer_str type;
    const char *colon = strchr(object, ':');
    /* A revision that looks like an option would be one to git. */
    if (!colon || colon == object || object[0] == '-')
        return fer_fail(err, FER_BAD_USAGE, "git:%s is not git:REVISION:PATH", object);
    const char *argv[] = {"git", "cat-file", "-t", object, NULL};
    fer_code code = git(r, argv, object, 64, &type, err);
    if (code) return code;
    return fer_str_starts(type, "tree") ? read_tree(r, object, err) : read_blob(r, object, err);
}

fer_code fer_revision_open(fer_revision *r, fer_app *app, const char *argument, fer_err *err)
{
    const char *format = fer_app_option(app, "input-format");
    *r = (fer_revision){.app = app, .arena = fer_arena_new(0), .set = fer_toolset_new()};
    if (!r->arena || !r->set) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (format) fer_format_parse(fer_str_of(format), &r->format);
    if (strncmp(argument, "git:", 4) == 0) return read_git(r, argument + 4, err);
    return read_files(r, argument, err);
}

void fer_revision_deinit(fer_revision *r)
{
    fer_toolset_free(r->set);
    fer_arena_free(r->arena);
    r->set = NULL;
    r->arena = NULL;
}
