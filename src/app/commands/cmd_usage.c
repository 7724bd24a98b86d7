/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule usage note, list, forget: which queries led to which tools, for searches with --usage. */
#include "errors.h"
#include "shelf.h"

static fer_str tenant_of(const fer_app *app, const char *otherwise)
{
    const char *name = fer_app_option(app, "tenant");
    return fer_str_of(name ? name : otherwise);
}

static int open_uses(fer_shelf *s, fer_app *app)
{
    return fer_shelf_init(s, app, &(fer_shelf_options){.file = true, .uses = true});
}

int fer_run_usage_note(fer_app *app)
{
    fer_shelf s;
    fer_err err;
    if (app->arg_count != 2)
        return fer_app_usage(app, "usage note needs a query and the tool that was called, such as "
                                  "\"create an issue\" github:create_issue");
    int bad = open_uses(&s, app);
    if (bad) return bad;
    fer_code code = fer_catalog_note_use(s.catalog, tenant_of(app, FER_TENANT_DEFAULT),
                                         fer_str_of(app->args[0]), fer_str_of(app->args[1]), &err);
    if (!code) code = fer_catalog_save_uses(s.catalog, &err);
    if (code) bad = fer_app_fail(app, &err);
    fer_shelf_remark(&s);
    fer_shelf_deinit(&s);
    return bad;
}

static void write_use(fer_out *o, const fer_use *u, bool json, bool first)
{
    const fer_str cells[] = {u->tenant, u->tool, u->query};
    static const char *const keys[] = {"{\"tenant\":", ",\"tool\":", ",\"query\":"};
    if (json) fer_out_text(o, first ? "\n" : ",\n");
    for (size_t i = 0; i < FER_COUNT(cells); i++) {
        if (json) fer_out_text(o, keys[i]);
        else if (i) fer_out_text(o, "\t");
        if (json) fer_out_json(o, cells[i]);
        else fer_out_clean(o, cells[i]);
    }
    fer_out_text(o, json ? "}" : "\n");
}

int fer_run_usage_list(fer_app *app)
{
    fer_shelf s;
    fer_err err;
    fer_use *list = NULL;
    size_t count = 0;
    bool json = fer_app_option(app, "json") != NULL;
    int bad = open_uses(&s, app);
    if (bad) return bad;
    fer_code code = fer_catalog_uses(s.arena, s.catalog, tenant_of(app, ""), &list, &count, &err);
    if (code) {
        bad = fer_app_fail(app, &err);
    } else {
        if (json) fer_out_text(&app->out, "{\"uses\":[");
        for (size_t i = 0; i < count; i++) write_use(&app->out, &list[i], json, i == 0);
        if (json) fer_out_text(&app->out, count ? "\n]}\n" : "]}\n");
    }
    fer_shelf_remark(&s);
    fer_shelf_deinit(&s);
    return bad;
}

int fer_run_usage_forget(fer_app *app)
{
    fer_shelf s;
    fer_err err;
    size_t gone = 0;
    if (!fer_app_option(app, "tenant"))
        return fer_app_usage(app, "usage forget needs --tenant NAME; 'ferrule usage list' names "
                                  "them");
    int bad = open_uses(&s, app);
    if (bad) return bad;
    fer_str tenant = tenant_of(app, "");
    if (!app->arg_count) gone = fer_catalog_forget_uses(s.catalog, tenant, FER_STR(""));
    for (size_t i = 0; i < app->arg_count; i++)
        gone += fer_catalog_forget_uses(s.catalog, tenant, fer_str_of(app->args[i]));
    fer_code code = gone ? fer_catalog_save_uses(s.catalog, &err) : FER_OK;
    if (code) bad = fer_app_fail(app, &err);
    else fer_out_printf(&app->out, "%zu forgotten\n", gone);
    fer_shelf_remark(&s);
    fer_shelf_deinit(&s);
    return bad || gone ? bad : FER_EXIT_FINDINGS;
}
