/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that runs JavaScript: started by the runtime `js` inside the sandbox, for one run. It
 * reads one line that says what to run, runs it, and talks meanwhile over two descriptors, as
 * docs/code.md says. It needs no file, no library and no thread; it is linked statically and
 * executed from memory. Nothing here keeps code from doing harm: that is the sandbox's, from
 * outside. The bounds inside (memory, stack, CPU) end a run early and with a place.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "js_json.h"
#include "js_scan.h"
#include "js_worker.h"
#include "str.h"
#include "sys.h"

#define STACK_MAX    ((size_t)1 << 20)
#define OWN_SHARE    0.75 /* of a bound that the sandbox holds, too */
#define PRELUDE_NAME "ferrule:prelude"

extern const char fer_text_prelude[];

/* ---- running ----------------------------------------------------------------------------------
 */

static int64_t cpu_now(void)
{
    struct timespec t;
    if (fer_sys_clock(CLOCK_PROCESS_CPUTIME_ID, &t)) return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int interrupted(JSRuntime *rt, void *context)
{
    js_worker *w = context;
    (void)rt;
    if (w->cpu_ns && cpu_now() > w->cpu_ns) w->cpu_over = true;
    return w->cpu_over;
}

/* Everything that can go on without waiting does. */
static void run_jobs(js_worker *w)
{
    JSContext *ctx;
    int more;
    while ((more = JS_ExecutePendingJob(w->runtime, &ctx)) > 0) {
    }
    if (more < 0) js_fail_exception(w);
}

/* An answer goes to whoever asked. */
static void take_answer(js_worker *w, fer_str line)
{
    JSContext *ctx = w->ctx;
    double id = 0;
    JSValue message = js_json_read(ctx, line);
    if (JS_IsException(message)) js_fail_exception(w);
    JSValue number = JS_GetPropertyStr(ctx, message, "id");
    JSValue error = JS_GetPropertyStr(ctx, message, "error");
    JSValue result = JS_GetPropertyStr(ctx, message, "result");
    js_asked **place = &w->asked;
    if (JS_ToFloat64(ctx, &id, number)) id = 0;
    while (*place && (double)(*place)->id != id) place = &(*place)->next;
    js_asked *one = *place;
    if (one) {
        bool bad = !JS_IsUndefined(error);
        *place = one->next;
        JS_FreeValue(ctx, JS_Call(ctx, bad ? one->reject : one->resolve, JS_UNDEFINED, 1,
                                  bad ? &error : &result));
        JS_FreeValue(ctx, one->resolve);
        JS_FreeValue(ctx, one->reject);
        js_free(ctx, one);
    }
    JS_FreeValue(ctx, number);
    JS_FreeValue(ctx, error);
    JS_FreeValue(ctx, result);
    JS_FreeValue(ctx, message);
}

static void run_timer(js_worker *w)
{
    JSValue function = JS_DupValue(w->ctx, w->timers->function);
    js_drop_timer(w, &w->timers);
    JSValue v = JS_Call(w->ctx, function, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(v)) js_fail_exception(w);
    JS_FreeValue(w->ctx, v);
    JS_FreeValue(w->ctx, function);
}

/* Waits for an answer or a timer; the program cannot go on without. */
static void wait_for_news(js_worker *w)
{
    fer_str line;
    if (!w->asked && !w->timers) js_fail_text(w, "the code awaits something that never happens");
    int64_t wait = -1;
    if (w->timers) {
        wait = w->timers->due - fer_clock_mono();
        if (wait < 0) wait = 0;
    }
    if (!js_read_line(w, wait, &line)) {
        run_timer(w);
        return;
    }
    take_answer(w, line);
    js_drop_line(w, line);
}

/* What a promise comes to; anything else is its own value. */
static JSValue settle(js_worker *w, JSValue v)
{
    while ((int)JS_PromiseState(w->ctx, v) >= 0) {
        run_jobs(w);
        JSPromiseStateEnum state = JS_PromiseState(w->ctx, v);
        if (state == JS_PROMISE_PENDING) {
            wait_for_news(w);
            continue;
        }
        JSValue result = JS_PromiseResult(w->ctx, v);
        if (state == JS_PROMISE_REJECTED) js_fail(w, result);
        JS_FreeValue(w->ctx, v);
        v = result;
    }
    return v;
}

/* Whether the exception says that a program returns, as one that was written to be the body of a
 * function does. It stays where it is none of that. */
static bool takes_return(js_worker *w)
{
    JSValue error = JS_GetException(w->ctx);
    JSValue m = JS_GetPropertyStr(w->ctx, error, "message");
    const char *text = JS_ToCString(w->ctx, m);
    bool yes = text && strcmp(text, "return not in a function") == 0;
    JS_FreeCString(w->ctx, text);
    JS_FreeValue(w->ctx, m);
    if (yes) JS_FreeValue(w->ctx, error);
    else JS_Throw(w->ctx, error);
    return yes;
}

static JSValue evaluate(js_worker *w, fer_str code, int flags)
{
    fer_buf b;
    int all = JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_ASYNC | flags;
    JSValue v = JS_Eval(w->ctx, code.ptr, code.len, JS_FILE_NAME, all);
    if (!JS_IsException(v) || !takes_return(w)) return v;
    w->wrapped = true;
    js_begin_line(w, &b);
    fer_buf_add_text(&b, JS_WRAP_BEGIN);
    fer_buf_add(&b, code);
    fer_buf_add_text(&b, JS_WRAP_END);
    size_t len = b.len;
    fer_buf_add_char(&b, '\0');
    if (b.failure) js_fail_text(w, "the program is too long");
    return JS_Eval(w->ctx, fer_buf_view(&b).ptr, len, JS_FILE_NAME, all);
}

/* The value: __out where the program has set it, else what its last expression gave. */
static JSValue value_of(js_worker *w, JSValue last)
{
    static const char look[] = "typeof __out === 'undefined' ? undefined : __out";
    JSValue out = JS_Eval(w->ctx, look, sizeof look - 1, PRELUDE_NAME, JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(out)) js_fail_exception(w);
    if (JS_IsUndefined(out)) return last;
    JS_FreeValue(w->ctx, last);
    return settle(w, out);
}

static void tell_value(js_worker *w, JSValueConst value)
{
    fer_buf b;
    js_begin_line(w, &b);
    fer_buf_add_text(&b, "{\"op\":\"out\",\"value\":");
    size_t from = b.len;
    if (!js_json_write(w->ctx, &b, value, w->depth)) js_fail_exception(w);
    size_t size = b.len - from;
    fer_buf_add_char(&b, '}');
    if (b.failure || size > w->value_max) {
        JS_ThrowRangeError(
            w->ctx,
            "the value has more than %u bytes as JSON (valueBytes): give back less of it, or have it stored",
            (unsigned)w->value_max);
        js_fail_exception(w);
    }
    if (!js_send_line(w, &b)) js_fail_text(w, "the value is too long");
}

static void tell_done(js_worker *w)
{
    fer_buf b;
    js_begin_line(w, &b);
    fer_buf_add_text(&b, "{\"op\":\"done\"}");
    js_send_line(w, &b);
}

static void run_code(js_worker *w, fer_str code)
{
    JSValue promise = evaluate(w, code, 0);
    if (JS_IsException(promise)) js_fail_exception(w);
    JSValue last = settle(w, promise); /* {value} */
    JSValue value = JS_GetPropertyStr(w->ctx, last, "value");
    JS_FreeValue(w->ctx, last);
    value = value_of(w, settle(w, value));
    tell_value(w, value);
    tell_done(w);
}

static void check_code(js_worker *w, fer_str code)
{
    fer_buf b;
    JSValue compiled = evaluate(w, code, JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(compiled)) js_fail_exception(w);
    JS_FreeValue(w->ctx, compiled);
    js_begin_line(w, &b);
    fer_buf_add_text(&b, "{\"op\":\"uses\",\"tools\":");
    js_scan_tools(&b, code);
    fer_buf_add_char(&b, '}');
    js_send_line(w, &b);
    tell_done(w);
}

/* ---- the beginning ----------------------------------------------------------------------------
 */

static void begin_engine(js_worker *w)
{
    JSValue natives[JS_NATIVES];
    w->runtime = JS_NewRuntime();
    w->ctx = w->runtime ? JS_NewContext(w->runtime) : NULL;
    if (!w->ctx) js_leave(3);
    JS_SetContextOpaque(w->ctx, w);
    JS_SetMaxStackSize(w->runtime, STACK_MAX);
    JSValue prelude = JS_Eval(w->ctx, fer_text_prelude, strlen(fer_text_prelude), PRELUDE_NAME,
                              JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(prelude)) js_fail_exception(w);
    js_natives(w->ctx, natives);
    JSValue done = JS_Call(w->ctx, prelude, JS_UNDEFINED, JS_NATIVES, natives);
    if (JS_IsException(done)) js_fail_exception(w);
    for (size_t i = 0; i < JS_NATIVES; i++) JS_FreeValue(w->ctx, natives[i]);
    JS_FreeValue(w->ctx, prelude);
}

static double limit_of(JSContext *ctx, JSValueConst limits, const char *name)
{
    double n = 0;
    JSValue v = JS_GetPropertyStr(ctx, limits, name);
    if (JS_ToFloat64(ctx, &n, v) || !(n > 0)) n = 0;
    JS_FreeValue(ctx, v);
    return n;
}

/* The bounds inside are met first, as they know the place: the sandbox's are behind them. */
static void take_limits(js_worker *w, JSValueConst start)
{
    JSContext *ctx = w->ctx;
    JSValue limits = JS_GetPropertyStr(ctx, start, "limits");
    double memory = limit_of(ctx, limits, "memoryBytes");
    w->depth = (int)limit_of(ctx, limits, "depth");
    w->value_max = (size_t)limit_of(ctx, limits, "valueBytes");
    w->printed_max = (size_t)limit_of(ctx, limits, "outputBytes");
    w->cpu_ns = (int64_t)(limit_of(ctx, limits, "cpuMs") * 1e6 * OWN_SHARE);
    if (w->cpu_ns) w->cpu_ns += cpu_now();
    if (memory > 0) JS_SetMemoryLimit(w->runtime, (size_t)(memory * OWN_SHARE));
    JS_SetInterruptHandler(w->runtime, interrupted, w);
    JS_FreeValue(ctx, limits);
}

static void take_start(js_worker *w)
{
    fer_str line;
    size_t len;
    js_read_line(w, -1, &line);
    JSValue start = js_json_read(w->ctx, line);
    if (JS_IsException(start)) js_fail_exception(w);
    js_drop_line(w, line);
    JSValue code = JS_GetPropertyStr(w->ctx, start, "code");
    JSValue check = JS_GetPropertyStr(w->ctx, start, "check");
    const char *text = JS_ToCStringLen(w->ctx, &len, code);
    if (!text) js_fail_exception(w);
    take_limits(w, start);
    if (JS_ToBool(w->ctx, check)) check_code(w, (fer_str){text, len});
    else run_code(w, (fer_str){text, len});
}

static int descriptor(const char *text)
{
    uint64_t n;
    return text && fer_parse_u64(fer_str_of(text), &n) && n < 1024 ? (int)n : -1;
}

int main(int argc, char **argv)
{
    js_worker w = {.in = argc > 2 ? descriptor(argv[1]) : -1,
                   .out = argc > 2 ? descriptor(argv[2]) : -1,
                   .arena = fer_arena_new(JS_MEMORY),
                   .held = fer_sys_malloc(JS_LINE_MAX),
                   .depth = 64};
    if (w.in < 0 || w.out < 0 || !w.arena || !w.held) return 3;
    begin_engine(&w);
    take_start(&w);
    js_leave(0);
}
