/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "errors.h"
#include "file.h"
#include "reader.h"

static bool is_tool_file(fer_str name)
{
    return fer_format_of_name(name) != FER_FORMAT_AUTO;
}

static fer_code add_path(fer_inputs *in, const char *path, fer_err *err)
{
    const char **paths =
        fer_arena_room(in->names, (void *)(uintptr_t)in->paths, in->count, &in->cap, sizeof *paths);
    if (!paths) return fer_arena_failed(in->names, err);
    in->paths = paths;
    in->paths[in->count++] = path;
    return FER_OK;
}

static fer_code add_folder(fer_inputs *in, const char *folder, fer_err *err)
{
    struct fer_file_list list;
    fer_str clean = fer_str_of(folder);
    while (clean.len > 1 && clean.ptr[clean.len - 1] == '/') clean.len--;
    clean = fer_arena_copy(in->names, clean);
    if (!clean.ptr) return fer_arena_failed(in->names, err);
    fer_code code = fer_file_walk(in->names, clean.ptr, FER_FILES_MAX, is_tool_file, &list, err);
    if (code) return code;
    if (list.count == 0) {
        return fer_fail(err, FER_IO_ERROR, "no .json, .jsonl, .ndjson, .yaml or .yml file is in %s",
                        folder);
    }
    for (size_t i = 0; i < list.count && !code; i++) code = add_path(in, list.paths[i].ptr, err);
    return code;
}

/* Stands for a folder of which nothing can be read. */
static fer_code add_unread(fer_inputs *in, const char *folder, const fer_err *why, fer_err *err)
{
    fer_unread *u = fer_arena_alloc(in->names, sizeof *u);
    if (!u) return fer_arena_failed(in->names, err);
    *u = (fer_unread){in->unread, in->count, *why};
    in->unread = u;
    return add_path(in, folder, err);
}

static fer_code add_argument(fer_inputs *in, const char *arg, fer_err *err)
{
    bool folder = strcmp(arg, "-") != 0 && fer_file_is_folder(arg);
    fer_err why;
    if (!folder) return add_path(in, arg, err);
    fer_code code = add_folder(in, arg, &why);
    if (code == FER_OUT_OF_MEMORY) *err = why;
    return code && code != FER_OUT_OF_MEMORY ? add_unread(in, arg, &why, err) : code;
}

static fer_code gather(fer_inputs *in, const fer_app *app, size_t skip, fer_err *err)
{
    fer_code code = FER_OK;
    if (app->arg_count <= skip) return add_path(in, "-", err);
    for (size_t i = skip; i < app->arg_count && !code; i++)
        code = add_argument(in, app->args[i], err);
    return code;
}

int fer_inputs_init(fer_inputs *in, fer_app *app, size_t skip)
{
    fer_err err;
    const char *format = fer_app_option(app, "input-format"), *as = fer_app_option(app, "as");
    *in = (fer_inputs){.names = fer_arena_new(0), .text = fer_arena_new(0)};
    if (app->arg_count <= skip && isatty(STDIN_FILENO)) {
        fer_inputs_deinit(in);
        return fer_app_usage(app, "%s needs a file, a folder, or - for standard input",
                             app->command->name);
    }
    if (as) format = as;
    if (format) fer_format_parse(fer_str_of(format), &in->format);
    fer_code code = in->names && in->text ? gather(in, app, skip, &err)
                                          : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) return 0;
    fer_inputs_deinit(in);
    return fer_app_fail(app, &err);
}

fer_code fer_inputs_init_path(fer_inputs *in, const char *path, fer_err *err)
{
    *in = (fer_inputs){.names = fer_arena_new(0), .text = fer_arena_new(0)};
    fer_code code = in->names && in->text ? add_argument(in, path, err)
                                          : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) fer_inputs_deinit(in);
    return code;
}

void fer_inputs_deinit(fer_inputs *in)
{
    fer_arena_free(in->names);
    fer_arena_free(in->text);
    in->names = in->text = NULL;
}

fer_code fer_inputs_check(const fer_inputs *in, size_t index, fer_err *err)
{
    for (const fer_unread *u = in->unread; u; u = u->next) {
        if (u->index != index) continue;
        *err = u->err;
        return err->code;
    }
    return FER_OK;
}

fer_code fer_inputs_read(fer_inputs *in, fer_app *app, size_t index, fer_str *name, fer_str *text,
                         fer_err *err)
{
    const char *path = in->paths[index];
    size_t max = fer_json_limits_file()->size;
    int64_t before = fer_clock_mono();
    bool from_stdin = strcmp(path, "-") == 0;
    *name = fer_str_of(from_stdin ? "<stdin>" : path);
    fer_arena_reset(in->text);
    fer_code code = fer_inputs_check(in, index, err);
    if (code) return code;
    code = from_stdin ? fer_file_read_fd(in->text, STDIN_FILENO, "standard input", max, text, err)
                      : fer_file_read(in->text, path, max, text, err);
    if (code == FER_LIMIT_EXCEEDED) fer_fail(err, code, "json.size: the limit is %zu bytes", max);
    if (!code) {
        fer_log_event(&app->log, FER_LOG_DEBUG, "input.read", FER_LOG_S("file", *name),
                      FER_LOG_I("bytes", text->len),
                      FER_LOG_F("ms", (double)(fer_clock_mono() - before) / 1e6));
    }
    return code;
}
