/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule schema from-json: a first schema from example values. */
#include <ferrule/schema.h>

#include "errors.h"
#include "inputs.h"
#include "instances.h"

struct examples {
    fer_app *app;
    fer_arena *keep; /* the examples and the schema */
    const yyjson_val **list;
    size_t count, cap;
    bool each; /* the items of a list are the examples */
};

static fer_code take(struct examples *e, const yyjson_val *value, fer_err *err)
{
    const yyjson_val **list = fer_arena_room(e->keep, e->list, e->count, &e->cap, sizeof *list);
    if (!list) return fer_arena_failed(e->keep, err);
    e->list = list;
    e->list[e->count++] = value;
    if (e->count <= FER_INFER_EXAMPLES) return FER_OK;
    return fer_fail(err, FER_LIMIT_EXCEEDED, "more than %d examples (infer.examples)",
                    FER_INFER_EXAMPLES);
}

/* An instance is gone when the next one is read, so it is kept as a copy. */
static fer_code keep_copy(struct examples *e, const fer_json *doc, fer_json **out, fer_err *err)
{
    fer_str text;
    fer_code code = fer_json_write(e->keep, fer_json_root(doc), false, &text, err);
    return code ? code : fer_json_read(e->keep, text, fer_json_limits_file(), out, err);
}

static fer_code visit(void *context, const fer_instance *i, fer_err *err)
{
    struct examples *e = context;
    fer_json *doc;
    if (i->failure) {
        *err = *i->failure;
        fer_fail_in(err, i->source);
        return err->code;
    }
    fer_code code = keep_copy(e, i->doc, &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    if (!e->each || !fer_is_arr(root)) return take(e, root, err);
    FER_EACH_ITEM (root, item) {
        if (!code) code = take(e, item, err);
    }
    return code;
}

static fer_code print(struct examples *e, fer_str text, fer_err *err)
{
    fer_json *doc;
    fer_str pretty;
    fer_json_limits limits = *fer_json_limits_file();
    limits.depth = SIZE_MAX; /* two levels for each of an example, which was within them */
    fer_code code = fer_json_read(e->keep, text, &limits, &doc, err);
    if (!code) code = fer_json_write(e->keep, fer_json_root(doc), true, &pretty, err);
    if (code) return code;
    fer_out_add(&e->app->out, pretty);
    fer_out_text(&e->app->out, "\n");
    return FER_OK;
}

static fer_code infer(struct examples *e, const fer_inputs *in, fer_err *err)
{
    fer_str text;
    const fer_infer_options options = {
        .no_enums = fer_app_option(e->app, "no-enums") != NULL,
        .no_formats = fer_app_option(e->app, "no-formats") != NULL,
        .open = fer_app_option(e->app, "open") != NULL,
    };
    fer_arena *scratch = fer_arena_new(0);
    fer_code code = scratch && e->keep ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < in->count && !code; i++)
        if (!(code = fer_inputs_check(in, i, err)))
            code = fer_instances_visit(scratch, in->paths[i], in->format, visit, e, err);
    fer_arena_free(scratch);
    if (!code) code = fer_schema_infer(e->keep, e->list, e->count, &options, &text, err);
    return code ? code : print(e, text, err);
}

int fer_run_schema_from_json(fer_app *app)
{
    struct examples e = {.app = app, .each = fer_app_option(app, "each") != NULL};
    fer_inputs in;
    fer_err err;
    int bad = fer_inputs_init(&in, app, 0);
    if (bad) return bad;
    e.keep = fer_arena_new(0);
    fer_code code = infer(&e, &in, &err);
    fer_arena_free(e.keep);
    fer_inputs_deinit(&in);
    return code ? fer_app_fail(app, &err) : FER_EXIT_OK;
}
