/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that runs JavaScript: started by the runtime `js` inside the sandbox, for one run. It
 * reads one line that says what to run, runs it, and talks meanwhile over two descriptors, as
 * docs/code.md says. It needs no file, no library and no thread; it is linked statically and
 * executed from memory. Nothing here keeps code from doing harm: that is the sandbox's, from
 * outside. The bounds inside (memory, stack, CPU) end a run early and with a place.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arena.h"
#include "clock.h"
#include "js_json.h"
#include "js_scan.h"
#include "sys.h"

#define LINE_MAX_BYTES ((size_t)4 << 20)
#define MEMORY_MAX     ((size_t)64 << 20) /* of lines */
#define STACK_MAX      ((size_t)1 << 20)
#define PRINT_MAX      ((size_t)64 << 10) /* bytes of one line that prints */
#define FILE_NAME      "code.js"
#define WRAP_BEGIN     "(async()=>{"
#define WRAP_END       "\n})()"
#define PRELUDE_NAME   "ferrule:prelude"

extern const char fer_text_prelude[];

/* A request that waits for its answer. */
typedef struct asked {
    struct asked *next;
    uint64_t id;
    JSValue resolve, reject;
} asked;

typedef struct timer {
    struct timer *next;
    uint64_t number;
    int64_t due; /* fer_clock_mono */
    JSValue function;
} timer;

typedef struct worker {
    JSRuntime *runtime;
    JSContext *ctx;
    int in, out;
    asked *asked;
    timer *timers; /* in the order of time */
    uint64_t count;
    size_t printed[2], printed_max;
    size_t value_max;
    int depth;
    int64_t cpu_ns; /* 0: no bound */
    bool cpu_over;
    bool wrapped; /* the program stands in a function, as it returns */
    char *held;   /* what was read and is no whole line */
    size_t held_len;
    fer_arena *arena; /* of one line */
} worker;

/* ---- lines ------------------------------------------------------------------------------------
 */

/* Nobody is there any more: there is nothing left to do. */
static _Noreturn void leave(int code)
{
    _Exit(code);
}

static void begin_line(worker *w, fer_buf *b)
{
    fer_arena_reset(w->arena);
    fer_buf_init(b, w->arena, LINE_MAX_BYTES);
}

/* False: the line is too long, and was not sent. */
static bool send_line(worker *w, fer_buf *b)
{
    fer_buf_add_char(b, '\n');
    if (b->failure) return false;
    fer_str rest = fer_buf_view(b);
    while (rest.len) {
        ssize_t n = fer_sys_write(w->out, rest.ptr, rest.len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) leave(3);
        rest = fer_str_slice(rest, (size_t)n, rest.len);
    }
    return true;
}

/* Waits for a line for so long, for ever where it is negative; false: time has passed. The line is
 * good until the next call. */
static bool read_line(worker *w, int64_t wait_ns, fer_str *out)
{
    static const int64_t ms = 1000000;
    size_t done = 0;
    for (;;) {
        char *end = memchr(w->held + done, '\n', w->held_len - done);
        if (end) {
            *out = (fer_str){w->held, (size_t)(end - w->held)};
            return true;
        }
        done = w->held_len;
        if (w->held_len == LINE_MAX_BYTES) leave(3);
        struct pollfd p = {.fd = w->in, .events = POLLIN};
        int timeout = wait_ns < 0 ? -1 : (int)((wait_ns + ms - 1) / ms);
        int ready = poll(&p, 1, timeout);
        if (ready == 0) return false;
        if (ready < 0 && errno != EINTR) leave(3);
        ssize_t n = ready < 0 ? 0 : fer_sys_read(w->in, w->held + done, LINE_MAX_BYTES - done);
        if (n < 0 && errno == EINTR) continue;
        if (ready > 0 && n <= 0) leave(0); /* the gateway is gone, or wants no more */
        w->held_len += (size_t)n;
    }
}

/* The line that was read is done with. */
static void drop_line(worker *w, fer_str line)
{
    size_t used = line.len + 1;
    memmove(w->held, w->held + used, w->held_len - used);
    w->held_len -= used;
}

/* ---- what code can do -------------------------------------------------------------------------
 */

static worker *worker_of(JSContext *ctx)
{
    return JS_GetContextOpaque(ctx);
}

/* The members of an object that follow others in a line. */
static bool add_members(JSContext *ctx, fer_buf *b, JSValueConst object, int depth)
{
    fer_buf rest;
    fer_arena *a = fer_arena_new(MEMORY_MAX);
    if (!a) return false;
    fer_buf_init(&rest, a, LINE_MAX_BYTES);
    bool well = js_json_write(ctx, &rest, object, depth + 1);
    fer_str text = fer_buf_view(&rest);
    if (well && text.len > 2) {
        fer_buf_add_char(b, ',');
        fer_buf_add(b, fer_str_slice(text, 1, text.len - 1));
    }
    if (well && rest.failure) {
        JS_ThrowRangeError(ctx, "what a tool is asked has at most %u bytes",
                           (unsigned)LINE_MAX_BYTES);
        well = false;
    }
    fer_arena_free(a);
    return well;
}

static JSValue ask(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    worker *w = worker_of(ctx);
    const char *op = argc > 1 ? JS_ToCString(ctx, argv[0]) : NULL;
    JSValue both[2];
    fer_buf b;
    (void)this;
    if (!op) return JS_EXCEPTION;
    begin_line(w, &b);
    fer_buf_printf(&b, "{\"id\":%llu,\"op\":\"%s\"", (unsigned long long)++w->count, op);
    JS_FreeCString(ctx, op);
    if (!add_members(ctx, &b, argv[1], w->depth)) return JS_EXCEPTION;
    fer_buf_add_char(&b, '}');
    asked *one = js_malloc(ctx, sizeof *one);
    JSValue promise = one ? JS_NewPromiseCapability(ctx, both) : JS_EXCEPTION;
    if (JS_IsException(promise)) {
        js_free(ctx, one);
        return promise;
    }
    *one = (asked){w->asked, w->count, both[0], both[1]};
    w->asked = one;
    if (!send_line(w, &b)) JS_ThrowRangeError(ctx, "the request is too long");
    return promise;
}

static void print_piece(worker *w, int stream, fer_str text)
{
    fer_buf b;
    begin_line(w, &b);
    fer_buf_printf(&b,
                   "{\"op\":\"print\",\"stream\":\"%s\",\"text\":", stream ? "stderr" : "stdout");
    js_json_add_text(&b, text);
    fer_buf_add_char(&b, '}');
    send_line(w, &b);
}

/* Long texts go in pieces, cut between characters; past the bound nothing is said any more, one
 * byte too many being what shows that there was more. */
static JSValue print(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    worker *w = worker_of(ctx);
    size_t len;
    const char *name = argc > 1 ? JS_ToCString(ctx, argv[0]) : NULL;
    const char *text = name ? JS_ToCStringLen(ctx, &len, argv[1]) : NULL;
    (void)this;
    if (!text) return JS_EXCEPTION;
    int stream = strcmp(name, "stderr") == 0;
    fer_str rest = {text, len};
    while (rest.len && w->printed[stream] <= w->printed_max) {
        fer_str piece = fer_str_head(rest, PRINT_MAX);
        print_piece(w, stream, piece);
        w->printed[stream] += piece.len;
        rest = fer_str_slice(rest, piece.len, rest.len);
    }
    JS_FreeCString(ctx, text);
    JS_FreeCString(ctx, name);
    return JS_UNDEFINED;
}

static JSValue set_timer(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    worker *w = worker_of(ctx);
    double ms = 0;
    timer *t = js_malloc(ctx, sizeof *t), **place = &w->timers;
    (void)this;
    if (!t) return JS_EXCEPTION;
    if (argc < 2 || JS_ToFloat64(ctx, &ms, argv[1]) || !(ms < 1e9)) ms = 1e9;
    *t = (timer){.number = ++w->count,
                 .due = fer_clock_mono() + (int64_t)(ms * 1e6),
                 .function = JS_DupValue(ctx, argv[0])};
    while (*place && (*place)->due <= t->due) place = &(*place)->next;
    t->next = *place;
    *place = t;
    return JS_NewInt64(ctx, (int64_t)t->number);
}

static void drop_timer(worker *w, timer **place)
{
    timer *t = *place;
    *place = t->next;
    JS_FreeValue(w->ctx, t->function);
    js_free(w->ctx, t);
}

static JSValue clear_timer(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    worker *w = worker_of(ctx);
    int64_t number = 0;
    (void)this;
    if (argc < 1 || JS_ToInt64(ctx, &number, argv[0])) return JS_EXCEPTION;
    for (timer **place = &w->timers; *place; place = &(*place)->next) {
        if ((*place)->number != (uint64_t)number) continue;
        drop_timer(w, place);
        break;
    }
    return JS_UNDEFINED;
}

/* ---- failures ---------------------------------------------------------------------------------
 */

static void add_text_of(JSContext *ctx, fer_buf *b, const char *key, JSValueConst error,
                        const char *member, fer_str otherwise)
{
    JSValue v = JS_IsObject(error) ? JS_GetPropertyStr(ctx, error, member) : JS_UNDEFINED;
    const char *text = JS_IsString(v) ? JS_ToCString(ctx, v) : NULL;
    if (text || otherwise.len) {
        fer_buf_printf(b, ",\"%s\":", key);
        js_json_add_text(b, fer_str_head(text ? fer_str_of(text) : otherwise, 4096));
    }
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, v);
}

/* The first place in the program that a stack names: "at f (code.js:3:14)". */
static bool find_place(fer_str stack, unsigned *line, unsigned *column)
{
    for (size_t i = 0; i + sizeof FILE_NAME < stack.len; i++) {
        fer_str rest = fer_str_slice(stack, i, stack.len);
        if (!fer_str_starts(rest, FILE_NAME ":")) continue;
        unsigned numbers[2] = {0, 0};
        size_t at = sizeof FILE_NAME, which = 0;
        for (; at < rest.len && which < 2; at++) {
            char c = rest.ptr[at];
            if (fer_is_digit(c)) numbers[which] = numbers[which] * 10 + (unsigned)(c - '0');
            else if (c == ':') which++;
            else break;
        }
        *line = numbers[0];
        *column = numbers[1];
        return true;
    }
    return false;
}

static void add_place(JSContext *ctx, fer_buf *b, JSValueConst error)
{
    unsigned line = 0, column = 0;
    unsigned before = worker_of(ctx)->wrapped ? sizeof WRAP_BEGIN - 1 : 0;
    JSValue v = JS_IsObject(error) ? JS_GetPropertyStr(ctx, error, "stack") : JS_UNDEFINED;
    const char *stack = JS_IsString(v) ? JS_ToCString(ctx, v) : NULL;
    if (stack && find_place(fer_str_of(stack), &line, &column)) {
        fer_buf_printf(b, ",\"line\":%u", line);
        if (line == 1 && column > before) column -= before;
        if (column) fer_buf_printf(b, ",\"column\":%u", column);
    }
    JS_FreeCString(ctx, stack);
    JS_FreeValue(ctx, v);
}

/* Which bound of the engine's it was; NULL: none. */
static const char *bound_of(const worker *w, fer_str message)
{
    if (w->cpu_over) return "cpuMs";
    return fer_str_is(message, "out of memory") ? "memoryBytes" : NULL;
}

/* Tells how the program failed, and leaves. */
static _Noreturn void fail(worker *w, JSValueConst error)
{
    JSContext *ctx = w->ctx;
    fer_buf b;
    const char *text = JS_ToCString(ctx, error);
    JSValue m = JS_IsObject(error) ? JS_GetPropertyStr(ctx, error, "message") : JS_UNDEFINED;
    const char *message = JS_IsString(m) ? JS_ToCString(ctx, m) : NULL;
    const char *bound = bound_of(w, fer_str_of(message));
    JS_SetMemoryLimit(w->runtime, (size_t)-1); /* so that it can be told */
    begin_line(w, &b);
    fer_buf_add_text(&b, "{\"op\":\"fail\",\"error\":{\"message\":");
    js_json_add_text(&b, fer_str_head(message ? fer_str_of(message)
                                      : text  ? fer_str_of(text)
                                              : FER_STR("the code failed"),
                                      4096));
    add_text_of(ctx, &b, "name", error, "name", FER_STR("Error"));
    add_text_of(ctx, &b, "code", error, "code", FER_STR(""));
    add_text_of(ctx, &b, "tool", error, "tool", FER_STR(""));
    add_place(ctx, &b, error);
    add_text_of(ctx, &b, "stack", error, "stack", FER_STR(""));
    if (bound) fer_buf_printf(&b, ",\"limit\":\"%s\"", bound);
    fer_buf_add_text(&b, "}}");
    send_line(w, &b);
    leave(1);
}

static _Noreturn void fail_exception(worker *w)
{
    JSValue error = JS_GetException(w->ctx);
    fail(w, error);
}

static _Noreturn void fail_text(worker *w, const char *text)
{
    JS_ThrowInternalError(w->ctx, "%s", text);
    fail_exception(w);
}

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
    worker *w = context;
    (void)rt;
    if (w->cpu_ns && cpu_now() > w->cpu_ns) w->cpu_over = true;
    return w->cpu_over;
}

/* Everything that can go on without waiting does. */
static void run_jobs(worker *w)
{
    JSContext *ctx;
    int more;
    while ((more = JS_ExecutePendingJob(w->runtime, &ctx)) > 0) {
    }
    if (more < 0) fail_exception(w);
}

/* An answer goes to whoever asked. */
static void take_answer(worker *w, fer_str line)
{
    JSContext *ctx = w->ctx;
    double id = 0;
    JSValue message = js_json_read(ctx, line);
    if (JS_IsException(message)) fail_exception(w);
    JSValue number = JS_GetPropertyStr(ctx, message, "id");
    JSValue error = JS_GetPropertyStr(ctx, message, "error");
    JSValue result = JS_GetPropertyStr(ctx, message, "result");
    asked **place = &w->asked;
    if (JS_ToFloat64(ctx, &id, number)) id = 0;
    while (*place && (double)(*place)->id != id) place = &(*place)->next;
    asked *one = *place;
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

static void run_timer(worker *w)
{
    JSValue function = JS_DupValue(w->ctx, w->timers->function);
    drop_timer(w, &w->timers);
    JSValue v = JS_Call(w->ctx, function, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(v)) fail_exception(w);
    JS_FreeValue(w->ctx, v);
    JS_FreeValue(w->ctx, function);
}

/* Waits for an answer or a timer; the program cannot go on without. */
static void wait_for_news(worker *w)
{
    fer_str line;
    if (!w->asked && !w->timers) fail_text(w, "the code awaits something that never happens");
    int64_t wait = -1;
    if (w->timers) {
        wait = w->timers->due - fer_clock_mono();
        if (wait < 0) wait = 0;
    }
    if (!read_line(w, wait, &line)) {
        run_timer(w);
        return;
    }
    take_answer(w, line);
    drop_line(w, line);
}

/* What a promise comes to; anything else is its own value. */
static JSValue settle(worker *w, JSValue v)
{
    while ((int)JS_PromiseState(w->ctx, v) >= 0) {
        run_jobs(w);
        JSPromiseStateEnum state = JS_PromiseState(w->ctx, v);
        if (state == JS_PROMISE_PENDING) {
            wait_for_news(w);
            continue;
        }
        JSValue result = JS_PromiseResult(w->ctx, v);
        if (state == JS_PROMISE_REJECTED) fail(w, result);
        JS_FreeValue(w->ctx, v);
        v = result;
    }
    return v;
}

/* Whether the exception says that a program returns, as one that was written to be the body of a
 * function does. It stays where it is none of that. */
static bool takes_return(worker *w)
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

static JSValue evaluate(worker *w, fer_str code, int flags)
{
    fer_buf b;
    int all = JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_ASYNC | flags;
    JSValue v = JS_Eval(w->ctx, code.ptr, code.len, FILE_NAME, all);
    if (!JS_IsException(v) || !takes_return(w)) return v;
    w->wrapped = true;
    begin_line(w, &b);
    fer_buf_add_text(&b, WRAP_BEGIN);
    fer_buf_add(&b, code);
    fer_buf_add_text(&b, WRAP_END);
    size_t len = b.len;
    fer_buf_add_char(&b, '\0');
    if (b.failure) fail_text(w, "the program is too long");
    return JS_Eval(w->ctx, fer_buf_view(&b).ptr, len, FILE_NAME, all);
}

/* The value: __out where the program has set it, else what its last expression gave. */
static JSValue value_of(worker *w, JSValue last)
{
    static const char look[] = "typeof __out === 'undefined' ? undefined : __out";
    JSValue out = JS_Eval(w->ctx, look, sizeof look - 1, PRELUDE_NAME, JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(out)) fail_exception(w);
    if (JS_IsUndefined(out)) return last;
    JS_FreeValue(w->ctx, last);
    return settle(w, out);
}

static void tell_value(worker *w, JSValueConst value)
{
    fer_buf b;
    begin_line(w, &b);
    fer_buf_add_text(&b, "{\"op\":\"out\",\"value\":");
    size_t from = b.len;
    if (!js_json_write(w->ctx, &b, value, w->depth)) fail_exception(w);
    size_t size = b.len - from;
    fer_buf_add_char(&b, '}');
    if (b.failure || size > w->value_max) {
        JS_ThrowRangeError(
            w->ctx,
            "the value has more than %u bytes as JSON (valueBytes): give back less of it, or have it stored",
            (unsigned)w->value_max);
        fail_exception(w);
    }
    if (!send_line(w, &b)) fail_text(w, "the value is too long");
}

static void tell_done(worker *w)
{
    fer_buf b;
    begin_line(w, &b);
    fer_buf_add_text(&b, "{\"op\":\"done\"}");
    send_line(w, &b);
}

static void run_code(worker *w, fer_str code)
{
    JSValue promise = evaluate(w, code, 0);
    if (JS_IsException(promise)) fail_exception(w);
    JSValue last = settle(w, promise); /* {value} */
    JSValue value = JS_GetPropertyStr(w->ctx, last, "value");
    JS_FreeValue(w->ctx, last);
    value = value_of(w, settle(w, value));
    tell_value(w, value);
    tell_done(w);
}

static void check_code(worker *w, fer_str code)
{
    fer_buf b;
    JSValue compiled = evaluate(w, code, JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(compiled)) fail_exception(w);
    JS_FreeValue(w->ctx, compiled);
    begin_line(w, &b);
    fer_buf_add_text(&b, "{\"op\":\"uses\",\"tools\":");
    js_scan_tools(&b, code);
    fer_buf_add_char(&b, '}');
    send_line(w, &b);
    tell_done(w);
}

/* ---- the beginning ----------------------------------------------------------------------------
 */

static void begin_engine(worker *w)
{
    static const struct {
        JSCFunction *function;
        const char *name;
        int args;
    } rows[] = {{ask, "ask", 2},
                {print, "print", 2},
                {set_timer, "setTimer", 2},
                {clear_timer, "clearTimer", 1}};
    JSValue natives[FER_COUNT(rows)];
    w->runtime = JS_NewRuntime();
    w->ctx = w->runtime ? JS_NewContext(w->runtime) : NULL;
    if (!w->ctx) leave(3);
    JS_SetContextOpaque(w->ctx, w);
    JS_SetMaxStackSize(w->runtime, STACK_MAX);
    JSValue prelude = JS_Eval(w->ctx, fer_text_prelude, strlen(fer_text_prelude), PRELUDE_NAME,
                              JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(prelude)) fail_exception(w);
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        natives[i] = JS_NewCFunction(w->ctx, rows[i].function, rows[i].name, rows[i].args);
    JSValue done = JS_Call(w->ctx, prelude, JS_UNDEFINED, (int)FER_COUNT(rows), natives);
    if (JS_IsException(done)) fail_exception(w);
    for (size_t i = 0; i < FER_COUNT(rows); i++) JS_FreeValue(w->ctx, natives[i]);
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

/* Three quarters of the memory are the engine's: the rest is the program's own, and lines. */
static void take_limits(worker *w, JSValueConst start)
{
    JSContext *ctx = w->ctx;
    JSValue limits = JS_GetPropertyStr(ctx, start, "limits");
    double memory = limit_of(ctx, limits, "memoryBytes");
    w->depth = (int)limit_of(ctx, limits, "depth");
    w->value_max = (size_t)limit_of(ctx, limits, "valueBytes");
    w->printed_max = (size_t)limit_of(ctx, limits, "outputBytes");
    w->cpu_ns = (int64_t)(limit_of(ctx, limits, "cpuMs") * 1e6);
    if (w->cpu_ns) w->cpu_ns += cpu_now();
    if (memory > 0) JS_SetMemoryLimit(w->runtime, (size_t)(memory * 0.75));
    JS_SetInterruptHandler(w->runtime, interrupted, w);
    JS_FreeValue(ctx, limits);
}

static void take_start(worker *w)
{
    fer_str line;
    size_t len;
    read_line(w, -1, &line);
    JSValue start = js_json_read(w->ctx, line);
    if (JS_IsException(start)) fail_exception(w);
    drop_line(w, line);
    JSValue code = JS_GetPropertyStr(w->ctx, start, "code");
    JSValue check = JS_GetPropertyStr(w->ctx, start, "check");
    const char *text = JS_ToCStringLen(w->ctx, &len, code);
    if (!text) fail_exception(w);
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
    worker w = {.in = argc > 2 ? descriptor(argv[1]) : -1,
                .out = argc > 2 ? descriptor(argv[2]) : -1,
                .arena = fer_arena_new(MEMORY_MAX),
                .held = fer_sys_malloc(LINE_MAX_BYTES),
                .depth = 64};
    if (w.in < 0 || w.out < 0 || !w.arena || !w.held) return 3;
    begin_engine(&w);
    take_start(&w);
    leave(0);
}
