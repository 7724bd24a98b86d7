/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule schema bundle: a schema and all it refers to as one document. */
#include "source.h"

static fer_code bundle(fer_source *s, fer_app *app, fer_err *err)
{
    fer_str text;
    fer_code code = fer_source_open_file(s, app->args[0], err);
    if (!code) code = fer_schema_bundle(s->arena, s->doc, &s->options, &text, err);
    return code ? code : fer_source_print(s, text, err);
}

int fer_run_schema_bundle(fer_app *app)
{
    return fer_source_run(app, bundle);
}
