/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule tags: normalises tags, for scripts. */
#include <ferrule/contract.h>
#include <unistd.h>

#include "arena.h"
#include "command.h"
#include "errors.h"
#include "file.h"
#include "inputs.h"

static fer_code from_arguments(const fer_app *app, fer_arena *a, fer_str **out, fer_err *err)
{
    fer_str *list = fer_arena_alloc_zero(a, app->arg_count, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < app->arg_count; i++) list[i] = fer_str_of(app->args[i]);
    *out = list;
    return FER_OK;
}

static fer_code from_stdin(fer_arena *a, fer_str **out, size_t *count, fer_err *err)
{
    fer_str text;
    fer_code code = fer_file_read_fd(a, STDIN_FILENO, "standard input", FER_TAGS_INPUT, &text, err);
    if (code) return code;
    fer_str *list = fer_arena_alloc_zero(a, text.len + 1, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t at = 0; at < text.len;) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        list[(*count)++] = fer_str_slice(text, at, end);
        at = end + 1;
    }
    *out = list;
    return FER_OK;
}

static void write_tags(fer_app *app, const fer_str *tags, size_t count)
{
    bool json = fer_app_option(app, "json") != NULL;
    if (json) fer_out_text(&app->out, "[");
    for (size_t i = 0; i < count; i++) {
        if (json) {
            if (i) fer_out_text(&app->out, ",");
            fer_out_json(&app->out, tags[i]);
        } else {
            fer_out_add(&app->out, tags[i]);
            fer_out_text(&app->out, "\n");
        }
    }
    if (json) fer_out_text(&app->out, "]\n");
}

int fer_run_tags(fer_app *app)
{
    fer_err err;
    fer_str *raw = NULL, *tags;
    size_t count = app->arg_count, kept;
    if (count == 0 && isatty(STDIN_FILENO))
        return fer_app_usage(app, "tags needs at least one tag");
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? FER_OK : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code)
        code = count ? from_arguments(app, a, &raw, &err) : from_stdin(a, &raw, &count, &err);
    if (!code) code = fer_tags_normalise(a, raw, count, &tags, &kept, &err);
    if (!code) write_tags(app, tags, kept);
    fer_arena_free(a);
    return code ? fer_app_fail(app, &err) : FER_EXIT_OK;
}
