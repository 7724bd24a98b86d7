/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule token new, list, revoke: who may ask the gateway over HTTP, and for what. */
#include <inttypes.h>

#include "bearer_tokens.h"
#include "buf.h"
#include "clock.h"
#include "command.h"
#include "errors.h"
#include "sheet.h"

#define DAY 86400

/* The file, and what is in it. */
struct tokens {
    int lock; /* -1: it is only looked at */
    fer_arena *arena;
    fer_str path;
    fer_bearers list;
    int64_t now;
};

static void close_tokens(struct tokens *t)
{
    if (t->lock >= 0) fer_bearers_unlock(t->lock);
    fer_arena_free(t->arena);
}

static int open_tokens(struct tokens *t, fer_app *app, bool change)
{
    const char *asked = fer_app_option(app, "file");
    fer_err err;
    *t = (struct tokens){.arena = fer_arena_new(0), .now = fer_clock_wall() / 1000, .lock = -1};
    fer_code code = t->arena ? FER_OK : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (asked) t->path = fer_str_of(asked);
    else if (!code) code = fer_bearers_path(t->arena, &t->path, &err);
    if (!code && change) code = fer_bearers_lock(t->path.ptr, &t->lock, &err);
    if (!code) code = fer_bearers_load(t->arena, t->path.ptr, &t->list, &err);
    if (!code) return 0;
    close_tokens(t);
    return fer_app_fail(app, &err);
}

/* Days from now, or never. False: it is no number of days. */
static bool read_days(const fer_app *app, int64_t now, int64_t *out)
{
    const char *text = fer_app_option(app, "days");
    uint64_t days;
    *out = 0;
    if (!text) return true;
    if (!fer_parse_u64(fer_str_of(text), &days) || !days || days > 36500) return false;
    *out = now + (int64_t)days * DAY;
    return true;
}

static fer_code add(struct tokens *t, fer_app *app, int64_t expires, char text[FER_BEARER_TEXT],
                    fer_err *err)
{
    fer_str scopes[FER_BEARER_SCOPES_MAX + 1];
    fer_str expose[FER_BEARER_EXPOSE_MAX + 1];
    const char *tenant = fer_app_option(app, "tenant"), *mode = fer_app_option(app, "mode");
    fer_bearer_wish wish = {.name = fer_str_of(app->args[0]),
                            .scopes = scopes,
                            .tenant = fer_str_of(tenant ? tenant : ""),
                            .mode = fer_str_of(mode ? mode : ""),
                            .expose = expose,
                            .expires = expires};
    const char *scope;
    while (wish.scope_count < FER_COUNT(scopes) &&
           (scope = fer_app_values(app, "scope", wish.scope_count)))
        scopes[wish.scope_count++] = fer_str_of(scope);
    while (wish.expose_count < FER_COUNT(expose) &&
           (scope = fer_app_values(app, "expose", wish.expose_count)))
        expose[wish.expose_count++] = fer_str_of(scope);
    fer_code code = fer_bearers_add(&t->list, &wish, t->now, text, err);
    return code ? code : fer_bearers_save(t->path.ptr, &t->list, err);
}

/* A scope of that kind opens no tool, and so takes none away from who names no others. */
static void warn_wide(fer_app *app)
{
    const char *scope;
    size_t count = 0;
    while ((scope = fer_app_values(app, "scope", count))) {
        if (!fer_str_starts(fer_str_of(scope), "scope:")) return;
        count++;
    }
    if (count)
        fer_app_say(app, "this token may use every tool, since all its scopes begin with scope:; "
                         "with --scope namespace:none it is for none");
}

int fer_run_token_new(fer_app *app)
{
    struct tokens t;
    char text[FER_BEARER_TEXT];
    int64_t expires;
    fer_err err;
    if (app->arg_count != 1)
        return fer_app_usage(app, "token new needs a name for it, such as laptop");
    int bad = open_tokens(&t, app, true);
    if (bad) return bad;
    if (!read_days(app, t.now, &expires)) {
        bad = fer_app_usage(app, "--days is a whole number, 1 to 36500");
    } else if (add(&t, app, expires, text, &err)) {
        bad = fer_app_fail(app, &err);
    } else {
        fer_out_printf(&app->out, "%s\n", text);
        fer_app_say(app, "this is the only time that the token is shown; its hash is in %.*s",
                    FER_PRI(t.path));
        warn_wide(app);
    }
    close_tokens(&t);
    return bad;
}

static void write_time(fer_out *o, int64_t second)
{
    char text[FER_TIMESTAMP];
    fer_clock_format(second * 1000, text);
    fer_out_json(o, fer_str_of(text));
}

/* What a token allows, in words. */
static void write_scopes(fer_buf *b, const fer_bearer *k)
{
    for (size_t i = 0; i < k->scope_count; i++) {
        if (i) fer_buf_add_char(b, ' ');
        fer_buf_add(b, k->scopes[i]);
    }
    if (k->tenant.len) fer_buf_printf(b, " tenant=%.*s", FER_PRI(k->tenant));
    if (k->mode.len) fer_buf_printf(b, " mode=%.*s", FER_PRI(k->mode));
    for (size_t i = 0; i < k->expose_count; i++) {
        fer_buf_add_text(b, " expose=");
        fer_buf_add(b, k->expose[i]);
    }
}

static fer_str time_text(fer_arena *a, int64_t second, const char *more)
{
    char text[FER_TIMESTAMP];
    if (!second) return FER_STR("never");
    fer_clock_format(second * 1000, text);
    return fer_arena_printf(a, "%s%s", text, more);
}

/* The columns of one token. False: no memory. */
static bool fill_row(fer_arena *a, const fer_bearer *k, int64_t now, fer_str row[FER_SHEET_COLUMNS])
{
    bool over = k->expires && k->expires <= now;
    fer_buf scopes;
    fer_buf_init(&scopes, a, SIZE_MAX / 4);
    write_scopes(&scopes, k);
    row[0] = fer_str_of(k->id);
    row[1] = k->name;
    row[2] = time_text(a, k->created, "");
    row[3] = time_text(a, k->expires, over ? " (over)" : "");
    row[4] = fer_buf_view(&scopes);
    return row[2].ptr && row[3].ptr && !scopes.failure;
}

static fer_code write_rows(fer_out *o, fer_arena *a, const fer_bearers *list, int64_t now,
                           fer_err *err)
{
    static const char *const heads[] = {"ID", "NAME", "MADE", "EXPIRES", "SCOPES"};
    const fer_sheet sheet = {.out = o};
    fer_sheet_table t = {.heads = heads, .columns = FER_COUNT(heads), .count = list->count};
    t.rows = fer_arena_alloc_zero(a, list->count + 1, sizeof *t.rows);
    if (!t.rows) return fer_arena_failed(a, err);
    for (size_t i = 0; i < list->count; i++)
        if (!fill_row(a, &list->list[i], now, t.rows[i])) return fer_arena_failed(a, err);
    if (list->count) fer_sheet_table_write(&sheet, &t);
    return FER_OK;
}

static void write_texts(fer_out *o, const char *key, const fer_str *list, size_t count)
{
    fer_out_printf(o, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        if (i) fer_out_text(o, ",");
        fer_out_json(o, list[i]);
    }
    fer_out_text(o, "]");
}

static void write_json(fer_out *o, const fer_bearer *k)
{
    fer_out_printf(o, "{\"id\":\"%s\",\"name\":", k->id);
    fer_out_json(o, k->name);
    fer_out_text(o, ",\"created\":");
    write_time(o, k->created);
    if (k->expires) {
        fer_out_text(o, ",\"expires\":");
        write_time(o, k->expires);
    }
    write_texts(o, "scopes", k->scopes, k->scope_count);
    if (k->expose_count) write_texts(o, "expose", k->expose, k->expose_count);
    if (k->tenant.len) fer_out_text(o, ",\"tenant\":");
    if (k->tenant.len) fer_out_json(o, k->tenant);
    if (k->mode.len) fer_out_text(o, ",\"mode\":");
    if (k->mode.len) fer_out_json(o, k->mode);
    fer_out_text(o, "}");
}

static void write_json_list(fer_out *o, const fer_bearers *list)
{
    fer_out_text(o, "{\"tokens\":[");
    for (size_t i = 0; i < list->count; i++) {
        fer_out_text(o, i ? ",\n" : "\n");
        write_json(o, &list->list[i]);
    }
    fer_out_text(o, list->count ? "\n]}\n" : "]}\n");
}

int fer_run_token_list(fer_app *app)
{
    struct tokens t;
    fer_err err;
    int bad = open_tokens(&t, app, false);
    if (bad) return bad;
    if (fer_app_option(app, "json")) write_json_list(&app->out, &t.list);
    else if (write_rows(&app->out, t.arena, &t.list, t.now, &err)) bad = fer_app_fail(app, &err);
    close_tokens(&t);
    return bad;
}

int fer_run_token_revoke(fer_app *app)
{
    struct tokens t;
    fer_err err;
    if (!app->arg_count)
        return fer_app_usage(app, "token revoke needs IDs or names; 'ferrule token list' has them");
    int bad = open_tokens(&t, app, true);
    if (bad) return bad;
    for (size_t i = 0; i < app->arg_count; i++) {
        if (fer_bearers_remove(&t.list, fer_str_of(app->args[i]))) continue;
        fer_app_say(app, "there is no token '%s'; 'ferrule token list' has them", app->args[i]);
        bad = FER_EXIT_FINDINGS;
    }
    /* All of them or none. */
    if (!bad && fer_bearers_save(t.path.ptr, &t.list, &err)) bad = fer_app_fail(app, &err);
    if (!bad) fer_out_printf(&app->out, "%zu revoked\n", app->arg_count);
    close_tokens(&t);
    return bad;
}
