/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule id: takes IDs apart, for scripts. */
#include <ferrule/contract.h>
#include <stdio.h>

#include "command.h"
#include "errors.h"

static void write_id(fer_app *app, const fer_id *id, bool first)
{
    fer_out *o = &app->out;
    if (!fer_app_option(app, "json")) {
        fer_out_add(o, id->ns);
        fer_out_text(o, "\t");
        fer_out_add(o, id->name);
        fer_out_text(o, "\t");
        fer_out_add(o, id->version);
        fer_out_text(o, "\n");
        return;
    }
    fer_out_printf(o, "%s\n{\"namespace\":", first ? "" : ",");
    fer_out_json(o, id->ns);
    fer_out_text(o, ",\"name\":");
    fer_out_json(o, id->name);
    fer_out_text(o, ",\"version\":");
    fer_out_json(o, id->version);
    fer_out_text(o, "}");
}

/* Whether the version of an ID is one that was asked for. */
static fer_code check_version(const fer_app *app, const char *text, const fer_id *id, fer_err *err)
{
    const char *constraint = fer_app_option(app, "satisfies");
    fer_semver version;
    bool satisfied = false;
    if (!constraint) return FER_OK;
    if (!id->version.len) return fer_fail(err, FER_INVALID_ID, "%s has no version", text);
    fer_code code = fer_semver_parse(id->version, &version, err);
    if (!code) code = fer_semver_satisfies(&version, fer_str_of(constraint), &satisfied, err);
    if (code || satisfied) return code;
    return fer_fail(err, FER_CONSTRAINT_VIOLATION, "%s does not satisfy %s", text, constraint);
}

int fer_run_id(fer_app *app)
{
    int worst = FER_EXIT_OK;
    bool json = fer_app_option(app, "json") != NULL, first = true;
    if (app->arg_count == 0) return fer_app_usage(app, "id needs at least one ID");
    if (json) fer_out_text(&app->out, "[");
    for (size_t i = 0; i < app->arg_count; i++) {
        fer_id id;
        fer_err err;
        fer_code code = fer_id_parse(fer_str_of(app->args[i]), &id, &err);
        if (!code) code = check_version(app, app->args[i], &id, &err);
        if (code) {
            int exit_code = fer_app_fail(app, &err);
            if (exit_code > worst) worst = exit_code;
            continue;
        }
        write_id(app, &id, first);
        first = false;
    }
    if (json) fer_out_text(&app->out, "\n]\n");
    return worst;
}
