/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule exec: a program in a sandbox, which calls tools through the gateway. */
#include <string.h>
#include <unistd.h>

#include "base64url.h"
#include "code.h"
#include "command_station.h"
#include "errors.h"
#include "file.h"
#include "json_value.h"
#include "result_file.h"
#include "rt_wasm.h"
#include "show_value.h"

typedef struct exec {
    fer_station station;
    fer_app *app;
    const char *file;
    int exit;
    fer_str tool;  /* whose call failed, so that the program did; or empty */
    fer_code code; /* and how */
} exec;

static bool given(const exec *x, const char *option)
{
    return fer_app_option(x->app, option) != NULL;
}

/* ---- the arguments
 * ---------------------------------------------------------------------------------- */

static const char *file_name(const exec *x)
{
    return strcmp(x->file, "-") ? x->file : "<standard input>";
}

static fer_code check_text(const exec *x, fer_str text, fer_err *err)
{
    if (!text.len) return fer_fail(err, FER_BAD_USAGE, "%s is empty: no program", file_name(x));
    for (size_t at = 0, len; at < text.len; at += len) {
        len = fer_utf8_len(text, at);
        if (!len)
            return fer_fail(err, FER_BAD_USAGE,
                            "%s is no text in UTF-8 (byte %zu), and no WebAssembly: what is run is "
                            "the source of a program",
                            file_name(x), at);
    }
    return FER_OK;
}

/* The program; one of WebAssembly is told in Base64. */
static fer_code read_code(exec *x, fer_str *out, bool *module, fer_err *err)
{
    fer_arena *a = x->station.arena;
    fer_code code = strcmp(x->file, "-") == 0 ? fer_file_read_fd(a, STDIN_FILENO, "standard input",
                                                                 FER_CODE_SIZE, out, err)
                                              : fer_file_read(a, x->file, FER_CODE_SIZE, out, err);
    *module = !code && fer_wasm_is_module(*out);
    if (!*module) return code ? code : check_text(x, *out, err);
    if (out->len > FER_WASM_MODULE)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "wasm.module: the module has %zu bytes, at most %zu are run", out->len,
                        FER_WASM_MODULE);
    *out = fer_base64_write(a, *out);
    return out->ptr ? FER_OK : fer_arena_failed(a, err);
}

/* Programs whose names say what they are written in. JavaScript is what is taken else. */
static const struct {
    const char *end, *runtime;
} languages[] = {{".py", "python"}, {".sh", "sh"},   {".bash", "bash"},
                 {".rb", "ruby"},   {".pl", "perl"}, {".lua", "lua"}};

/* The runtime that the name of the file asks for, by its name in the configuration; NULL: none. */
static fer_code runtime_of(const exec *x, const char **out, fer_err *err)
{
    const fer_config_code *c = &x->station.config.code;
    const char *wanted = NULL;
    size_t len = strlen(x->file);
    for (size_t i = 0; i < FER_COUNT(languages) && !wanted; i++) {
        size_t end = strlen(languages[i].end);
        if (len > end && strcmp(x->file + len - end, languages[i].end) == 0)
            wanted = languages[i].runtime;
    }
    for (size_t i = 0; i < c->runtime_count && wanted; i++)
        if (fer_str_is(c->runtimes[i].name, wanted)) {
            *out = wanted;
            return FER_OK;
        }
    if (!wanted) return FER_OK;
    return fer_fail(err, FER_BAD_USAGE,
                    "%s: by its name this is a program for \"%s\", and the configuration has no "
                    "such runtime: add it (code.runtimes, docs/code.md), or say which one runs it "
                    "with --runtime (js: as JavaScript)",
                    x->file, wanted);
}

static int64_t bound_of(fer_str name)
{
    for (int i = 0; i < FER_BOUNDS; i++)
        if (fer_str_is(name, fer_bounds[i].name)) return i;
    return -1;
}

/* NAME=NUMBER,NAME=NUMBER, or "{...}" as it is. */
static fer_code add_limits(fer_buf *b, fer_str text, fer_err *err)
{
    fer_buf_add_text(b, ",\"limits\":");
    if (text.ptr[0] == '{') {
        fer_buf_add(b, text);
        return FER_OK;
    }
    for (size_t from = 0, to; from <= text.len; from = to + 1) {
        uint64_t n;
        to = fer_str_find(text, from, ',');
        if (to == SIZE_MAX) to = text.len;
        fer_str one = fer_str_slice(text, from, to);
        size_t equals = fer_str_find(one, 0, '=');
        fer_str name = fer_str_slice(one, 0, equals == SIZE_MAX ? one.len : equals);
        if (equals == SIZE_MAX || bound_of(name) < 0 ||
            !fer_parse_u64(fer_str_slice(one, equals + 1, one.len), &n))
            return fer_fail(
                err, FER_BAD_USAGE,
                "--limits takes NAME=NUMBER,... with the names timeMs, cpuMs, memoryBytes, "
                "processes, outputBytes, diskBytes, valueBytes, toolCalls, chainSteps; "
                "\"%.*s\" is none",
                FER_PRI(fer_str_head(one, 100)));
        fer_buf_printf(b, "%c\"%.*s\":%llu", from ? ',' : '{', FER_PRI(name),
                       (unsigned long long)n);
    }
    fer_buf_add_char(b, '}');
    return FER_OK;
}

static fer_code make_args(exec *x, fer_str *out, fer_err *err)
{
    const char *runtime = fer_app_option(x->app, "runtime"),
               *limits = fer_app_option(x->app, "limits");
    fer_buf b;
    fer_str code_text;
    bool module;
    fer_code code = read_code(x, &code_text, &module, err);
    if (code) return code;
    if (module && !runtime) runtime = "wasm";
    if (!runtime) code = runtime_of(x, &runtime, err);
    if (code) return code;
    fer_buf_init(&b, x->station.arena, FER_CODE_SIZE * 6 + 65536);
    fer_buf_add_text(&b, "{\"code\":");
    fer_buf_add_quoted(&b, code_text);
    if (runtime) {
        fer_buf_add_text(&b, ",\"runtime\":");
        fer_buf_add_quoted(&b, fer_str_of(runtime));
    }
    if (limits && limits[0]) code = add_limits(&b, fer_str_of(limits), err);
    if (given(x, "check")) fer_buf_add_text(&b, ",\"check\":true");
    if (given(x, "store")) fer_buf_add_text(&b, ",\"store\":true");
    fer_buf_add_char(&b, '}');
    if (!code) code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

/* ---- what comes back
 * --------------------------------------------------------------------------------- */

/* What the program prints goes where it would have printed it, unless the result is printed whole.
 */
static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    exec *x = context;
    fer_json *doc;
    fer_arena *a = e->kind == FER_STREAM_CHUNK && !given(x, "json") ? fer_arena_new(0) : NULL;
    if (a && !fer_json_read(a, e->data, fer_json_limits_file(), &doc, NULL)) {
        const yyjson_val *text = fer_val_get(fer_json_root(doc), "text"),
                         *stream = fer_val_get(fer_json_root(doc), "stream");
        bool err = fer_is_str(stream) && fer_str_is(fer_val_str(stream), "stderr");
        if (fer_is_str(text) && !err) {
            fer_out_add(&x->app->out, fer_val_str(text));
            fer_out_flush(&x->app->out);
            if (x->app->out.failed) fer_call_cancel(c); /* whoever read it has left */
        } else if (fer_is_str(text)) {
            dprintf(STDERR_FILENO, "%.*s", FER_PRI(fer_val_str(text)));
        }
    }
    fer_arena_free(a);
    return true;
}

static unsigned long long number(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    return v && fer_val_tag(v) == FER_TAG_UINT ? v->uni.u64 : 0;
}

/* The tool whose failed call ended the program. */
static void note_failed(exec *x, const yyjson_val *error)
{
    static const fer_code codes[] = {FER_BACKEND_UNAVAILABLE, FER_TOOL_NOT_FOUND};
    const yyjson_val *code = fer_is_obj(error) ? fer_val_get(error, "code") : NULL,
                     *tool = fer_is_obj(error) ? fer_val_get(error, "tool") : NULL;
    for (size_t i = 0; i < FER_COUNT(codes) && fer_is_str(code) && fer_is_str(tool); i++)
        if (fer_str_is(fer_val_str(code), fer_code_info(codes[i])->name)) {
            x->code = codes[i];
            x->tool = fer_val_str(tool);
        }
}

/* The line of the program that an error names; 0: none. */
static unsigned long long place_of(exec *x, const fer_envelope *e, unsigned long long *column)
{
    fer_json *doc;
    if (!e->error.details.len ||
        fer_json_read(x->station.arena, e->error.details, fer_json_limits_file(), &doc, NULL))
        return 0;
    const yyjson_val *error = fer_val_get(fer_json_root(doc), "error");
    note_failed(x, error);
    *column = number(error, "column");
    return number(error, "line");
}

static void say_error(exec *x, const fer_envelope *e)
{
    unsigned long long column = 0, line = place_of(x, e, &column);
    if (line)
        fer_app_say(x->app, "%s:%llu:%llu: %s: %.*s", file_name(x), line, column ? column : 1,
                    fer_code_info(e->error.code)->name, FER_PRI(e->error.message));
    else
        fer_app_say(x->app, "%s (%s): %.*s", fer_code_info(e->error.code)->name, e->error.op,
                    FER_PRI(e->error.message));
}

/* What was printed is shown as far as it was kept: that there was more must be said. */
static void say_cut(exec *x, fer_str result)
{
    fer_json *doc;
    if (!result.len || fer_json_read(x->station.arena, result, fer_json_limits_file(), &doc, NULL))
        return;
    const yyjson_val *limits = fer_val_get(fer_json_root(doc), "limitsEnforced"),
                     *bytes = fer_is_obj(limits) ? fer_val_get(limits, "outputBytes") : NULL,
                     *hit = fer_is_obj(bytes) ? fer_val_get(bytes, "hit") : NULL;
    if (hit && fer_is_true(hit))
        fer_app_say(x->app,
                    "outputBytes: the program printed more than %llu bytes, and what came behind "
                    "them is lost; code.limits.outputBytes in the configuration sets how many are "
                    "kept",
                    number(bytes, "limit"));
}

/* file:line:column: tool, and what is not there. */
static int show_uses(exec *x, const yyjson_val *value)
{
    const yyjson_val *tools = fer_is_obj(value) ? fer_val_get(value, "tools") : NULL;
    int unknown = 0;
    if (!fer_is_arr(tools)) return 0;
    FER_EACH_ITEM (tools, use) {
        const yyjson_val *tool = fer_val_get(use, "tool"), *found = fer_val_get(use, "found");
        bool missing = found && !fer_is_true(found);
        fer_str name = fer_is_str(tool) ? fer_val_str(tool) : FER_STR("(computed when it runs)");
        unknown |= missing;
        fer_out_printf(&x->app->out, "%s:%llu:%llu: %.*s%s\n", file_name(x), number(use, "line"),
                       number(use, "column"), FER_PRI(name),
                       missing ? ": there is no such tool" : "");
    }
    return unknown ? FER_EXIT_FINDINGS : FER_EXIT_OK;
}

static fer_code show_value(exec *x, const fer_envelope *e, fer_err *err)
{
    fer_arena *a = x->station.arena;
    fer_json *doc;
    fer_str text;
    fer_code code = fer_json_read(a, e->structured, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *value = fer_val_get(fer_json_root(doc), "value");
    if (given(x, "check")) {
        x->exit = show_uses(x, value);
        return FER_OK;
    }
    code = fer_json_write(a, value, false, &text, err);
    if (!code && given(x, "store"))
        return fer_result_file_put(x->app, a, x->station.config.state, text, err);
    if (code || fer_str_is(text, "null")) return code;
    return fer_show_value(a, &x->app->out, text,
                          x->app->out.terminal ? FER_SHOW_TABLE : FER_SHOW_JSON, err);
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    exec *x = context;
    fer_err err;
    fer_code code = FER_OK;
    (void)c;
    x->exit = e->error.code ? fer_code_info(e->error.code)->exit_code : 0;
    if (given(x, "json")) {
        fer_str text = e->structured;
        if (e->error.code) code = fer_envelope_write(x->station.arena, e, false, &text, &err);
        if (!code) fer_out_add(&x->app->out, text);
        fer_out_text(&x->app->out, "\n");
    } else if (e->error.code) {
        say_cut(x, e->error.details);
        say_error(x, e);
    } else {
        say_cut(x, e->structured);
        code = show_value(x, e, &err);
    }
    if (code) x->exit = fer_app_fail(x->app, &err);
}

/* ---- the call
 * ------------------------------------------------------------------------------------------- */

static int run(exec *x)
{
    fer_str args;
    fer_err err;
    fer_call_options o = {.origin = "cli", .on_event = on_event, .context = x};
    int bad = fer_app_number(x->app, "deadline", 1, FER_CALL_DEADLINE_MAX, 0, &o.deadline_ms);
    if (bad) return bad;
    if (make_args(x, &args, &err)) return fer_app_fail(x->app, &err);
    if (fer_gateway_call(x->station.gateway, FER_STR(FER_CODE_TOOL), args, &o, on_done, x, NULL,
                         &err))
        return fer_app_fail(x->app, &err);
    fer_gateway_run(x->station.gateway);
    return x->exit;
}

int fer_run_exec(fer_app *app)
{
    exec x = {.app = app};
    struct fer_station_wants wants = {.code = true,
                                      .degraded = fer_app_option(app, "allow-degraded") != NULL};
    if (app->arg_count != 1) return fer_app_usage(app, "which program? ferrule exec FILE, or -");
    x.file = app->args[0];
    int bad = fer_app_station_for(&x.station, app, &wants);
    if (bad) return bad;
    fer_station_ask_unknown(&x.station); /* which tools it wants, only its run tells */
    bad = run(&x);
    fer_station_remark_on(&x.station, x.tool, x.code);
    int unwritten = fer_app_write_metrics(app, &x.station);
    fer_station_deinit(&x.station);
    return bad ? bad : unwritten;
}
