/* SPDX-License-Identifier: Apache-2.0 */
#include "command_station.h"

#include "builtins.h"
#include "errors.h"

#define OTHER_STATE "or use a configuration with another `state` (--config)"

/* What to do where a gateway has the folder of state; the last row is for all other commands. */
static const struct {
    const char *command, *option, *hint;
} beside[] = {
    {"serve", "stdio",
     "`ferrule serve --stdio` attaches to it where --client, --mode and --expose are not given; a "
     "client of serve.clients asks it over HTTP, with its token; " OTHER_STATE},
    {"serve", NULL, "stop that one first (ferrule top shows it), " OTHER_STATE},
    {NULL, NULL,
     "it has the ledger for as long as it runs, and runs tools for whoever asks: ferrule call "
     "--server URL run_tool id=TOOL, with the URL that it printed at its start; ferrule "
     "tools and ferrule search show what it has; " OTHER_STATE},
};

static const char *hint_of(const fer_app *app)
{
    const fer_command *c = app->command;
    size_t i = 0;
    while (beside[i].command && (!c || strcmp(c->name, beside[i].command) != 0 ||
                                 (beside[i].option && !fer_app_option(app, beside[i].option))))
        i++;
    return beside[i].hint;
}

static void tell(void *context, fer_str line)
{
    fer_app_say(context, "%.*s", FER_PRI(line));
}

fer_app *fer_app_of(const fer_station *s)
{
    return s->wants.context;
}

int fer_app_station(fer_station *s, fer_app *app)
{
    return fer_app_station_for(s, app, &(struct fer_station_wants){0});
}

int fer_app_station_for(fer_station *s, fer_app *app, const struct fer_station_wants *wants)
{
    fer_err err = {0};
    struct fer_station_wants all = *wants;
    all.config = fer_app_option(app, "config");
    all.functions = fer_builtins;
    all.function_count = fer_builtin_count;
    all.log = app->log;
    all.level_named = fer_app_option(app, "log-level") != NULL;
    all.tell = tell;
    all.context = app;
    all.beside = hint_of(app);
    all.interrupts = true;
    return fer_station_init(s, &all, &err) ? fer_app_fail(app, &err) : 0;
}

int fer_app_write_metrics(fer_app *app, fer_station *s)
{
    const char *asked = fer_app_option(app, "metrics");
    fer_str file = asked ? fer_str_of(asked) : s->config.metrics_file, text;
    fer_err err = {0};
    if (!file.len) return 0;
    if (!s->config.metrics && asked)
        return fer_app_usage(app, "--metrics: telemetry.metrics of %.*s says that none are kept",
                             FER_PRI(s->config.file));
    if (!s->config.metrics) return 0;
    file = fer_arena_copy(s->arena, file);
    fer_code code = file.ptr ? fer_gateway_metrics(s->arena, s->gateway, &text, &err)
                             : fer_arena_failed(s->arena, &err);
    if (!code && asked && strcmp(asked, "-") == 0) {
        fer_out_add(&app->out, text);
        return 0;
    }
    if (!code) code = fer_file_replace(file.ptr, text, &err);
    return code ? fer_app_fail(app, &err) : 0;
}

int fer_app_number(fer_app *app, const char *option, int64_t min, int64_t max, int64_t otherwise,
                   int64_t *out)
{
    const char *text = fer_app_option(app, option);
    uint64_t n;
    *out = otherwise;
    if (!text) return 0;
    if (!fer_parse_u64(fer_str_of(text), &n) || n < (uint64_t)min || n > (uint64_t)max)
        return fer_app_usage(app, "--%s takes a whole number from %lld to %lld", option,
                             (long long)min, (long long)max);
    *out = (int64_t)n;
    return 0;
}
