/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule schema compare: whether two schemas accept the same instances, proved or witnessed. */
#include <unistd.h>

#include "errors.h"
#include "source.h"

enum relation {
    SAME,
    WIDER,
    NARROWER,
    DIFFERENT,
    UNKNOWN
};

static const struct relation_row {
    const char *name;
    const char *sentence; /* of the second schema */
} relations[] = {
    [SAME] = {"same", "both accept the same instances"},
    [WIDER] = {"wider", "the second accepts all that the first accepts, and more"},
    [NARROWER] = {"narrower", "the second accepts less than the first"},
    [DIFFERENT] = {"different", "each accepts what the other refuses"},
    [UNKNOWN] = {"unknown", "neither a proof nor a witness was found for one of the directions"},
};

struct comparison {
    fer_included kept; /* whether the second accepts what the first accepts */
    fer_included back; /* and the reverse */
    bool empty[2];     /* proved: it accepts nothing */
};

static enum relation relation_of(const struct comparison *c)
{
    if (c->kept.verdict == FER_INCLUDED && c->back.verdict == FER_INCLUDED) return SAME;
    if (c->kept.verdict == FER_NOT_INCLUDED && c->back.verdict == FER_NOT_INCLUDED)
        return DIFFERENT;
    if (c->kept.verdict == FER_INCLUDED && c->back.verdict == FER_NOT_INCLUDED) return WIDER;
    if (c->kept.verdict == FER_NOT_INCLUDED && c->back.verdict == FER_INCLUDED) return NARROWER;
    return UNKNOWN;
}

/* Whether a schema accepts nothing: then the schema `false` accepts as much. */
static fer_code is_empty(fer_arena *a, const fer_schema *s, bool *empty, fer_err *err)
{
    fer_schema *nothing;
    fer_included in;
    fer_code code = fer_schema_compile(FER_STR("false"), NULL, &nothing, err);
    if (code) return code;
    code = fer_schema_includes(a, nothing, s, 0, &in, err);
    fer_schema_unref(nothing);
    *empty = !code && in.verdict == FER_INCLUDED;
    return code;
}

static fer_code compare(fer_arena *a, const fer_schema *x, const fer_schema *y,
                        struct comparison *c, fer_err *err)
{
    fer_code code = fer_schema_includes(a, y, x, 0, &c->kept, err);
    if (!code) code = fer_schema_includes(a, x, y, 0, &c->back, err);
    if (!code) code = is_empty(a, x, &c->empty[0], err);
    if (!code) code = is_empty(a, y, &c->empty[1], err);
    return code;
}

static void json_witness(fer_out *o, const char *key, const fer_included *in)
{
    if (in->verdict != FER_NOT_INCLUDED) return;
    fer_out_printf(o, ",\"%s\":", key);
    fer_out_add(o, in->witness);
}

static void write_json(fer_out *o, const struct comparison *c)
{
    fer_out_printf(o, "{\"relation\":\"%s\"", relations[relation_of(c)].name);
    json_witness(o, "onlyFirst", &c->kept);
    json_witness(o, "onlySecond", &c->back);
    if (c->empty[0]) fer_out_text(o, ",\"firstAcceptsNothing\":true");
    if (c->empty[1]) fer_out_text(o, ",\"secondAcceptsNothing\":true");
    fer_out_text(o, "}\n");
}

static void text_witness(fer_out *o, const char *lead, const fer_included *in)
{
    if (in->verdict == FER_INCLUDED) return;
    fer_out_printf(o, "  %s: ", lead);
    if (in->verdict == FER_NOT_INCLUDED) fer_out_clean(o, in->witness);
    else fer_out_text(o, "not known");
    fer_out_text(o, "\n");
}

static void write_text(fer_out *o, const struct comparison *c)
{
    const struct relation_row *r = &relations[relation_of(c)];
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_text(o, r->name);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_printf(o, ": %s\n", r->sentence);
    text_witness(o, "only the first accepts", &c->kept);
    text_witness(o, "only the second accepts", &c->back);
    if (c->empty[0]) fer_out_text(o, "  the first accepts nothing\n");
    if (c->empty[1]) fer_out_text(o, "  the second accepts nothing\n");
}

/* The result where a schema cannot be used, which is told on standard error. */
static int refuse(fer_app *app, fer_source *s, const fer_err *err)
{
    fer_out errors;
    fer_report report = {.out = &errors, .about = FER_ABOUT_INSTANCES};
    fer_out_init(&errors, STDERR_FILENO, app->log.colour, false);
    int result = fer_source_refuse(s, &fer_report_text, &report, err);
    fer_out_close(&errors);
    return result;
}

static fer_code open_side(fer_source *s, const char *path, fer_err *err)
{
    fer_code code = fer_source_open_file(s, path, err);
    return code ? code : fer_source_compile(s, err);
}

static int compare_files(fer_app *app, fer_source *x, fer_source *y)
{
    struct comparison c;
    fer_err err;
    if (open_side(x, app->args[0], &err)) return refuse(app, x, &err);
    if (open_side(y, app->args[1], &err)) return refuse(app, y, &err);
    if (compare(x->arena, x->program, y->program, &c, &err)) return fer_app_fail(app, &err);
    if (fer_app_option(app, "json")) write_json(&app->out, &c);
    else write_text(&app->out, &c);
    return relation_of(&c) == SAME ? FER_EXIT_OK : FER_EXIT_FINDINGS;
}

int fer_run_schema_compare(fer_app *app)
{
    fer_source x, y;
    fer_err err;
    if (app->arg_count != 2) return fer_app_usage(app, "schema compare needs two schemas");
    if (fer_source_init(&x, app, &err)) return fer_app_fail(app, &err);
    int result;
    if (fer_source_init(&y, app, &err)) {
        result = fer_app_fail(app, &err);
    } else {
        result = compare_files(app, &x, &y);
        fer_source_deinit(&y);
    }
    fer_source_deinit(&x);
    return result;
}
