/* SPDX-License-Identifier: Apache-2.0 */
/* What code can do beside computing: ask, print, wait. */
#include <string.h>

#include "clock.h"
#include "js_json.h"
#include "js_worker.h"
#include "str.h"

#define PRINT_MAX ((size_t)64 << 10) /* bytes of one line that prints */

js_worker *js_worker_of(JSContext *ctx)
{
    return JS_GetContextOpaque(ctx);
}

/* The members of an object that follow others in a line. */
static bool add_members(JSContext *ctx, fer_buf *b, JSValueConst object, int depth)
{
    fer_buf rest;
    fer_arena *a = fer_arena_new(JS_MEMORY);
    if (!a) return false;
    fer_buf_init(&rest, a, JS_LINE_MAX);
    bool well = js_json_write(ctx, &rest, object, depth + 1);
    fer_str text = fer_buf_view(&rest);
    if (well && text.len > 2) {
        fer_buf_add_char(b, ',');
        fer_buf_add(b, fer_str_slice(text, 1, text.len - 1));
    }
    if (well && rest.failure) {
        JS_ThrowRangeError(ctx, "what a tool is asked has at most %u bytes", (unsigned)JS_LINE_MAX);
        well = false;
    }
    fer_arena_free(a);
    return well;
}

static JSValue ask(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    js_worker *w = js_worker_of(ctx);
    const char *op = argc > 1 ? JS_ToCString(ctx, argv[0]) : NULL;
    JSValue both[2];
    fer_buf b;
    (void)this;
    if (!op) return JS_EXCEPTION;
    js_begin_line(w, &b);
    fer_buf_printf(&b, "{\"id\":%llu,\"op\":\"%s\"", (unsigned long long)++w->count, op);
    JS_FreeCString(ctx, op);
    if (!add_members(ctx, &b, argv[1], w->depth)) return JS_EXCEPTION;
    fer_buf_add_char(&b, '}');
    js_asked *one = js_malloc(ctx, sizeof *one);
    JSValue promise = one ? JS_NewPromiseCapability(ctx, both) : JS_EXCEPTION;
    if (JS_IsException(promise)) {
        js_free(ctx, one);
        return promise;
    }
    *one = (js_asked){w->asked, w->count, both[0], both[1]};
    w->asked = one;
    if (!js_send_line(w, &b)) JS_ThrowRangeError(ctx, "the request is too long");
    return promise;
}

static void print_piece(js_worker *w, int stream, fer_str text)
{
    fer_buf b;
    js_begin_line(w, &b);
    fer_buf_printf(&b,
                   "{\"op\":\"print\",\"stream\":\"%s\",\"text\":", stream ? "stderr" : "stdout");
    js_json_add_text(&b, text);
    fer_buf_add_char(&b, '}');
    js_send_line(w, &b);
}

/* Long texts go in pieces, cut between characters; past the bound nothing is said any more, one
 * byte too many being what shows that there was more. */
static JSValue print(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    js_worker *w = js_worker_of(ctx);
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
    js_worker *w = js_worker_of(ctx);
    double ms = 0;
    js_timer *t = js_malloc(ctx, sizeof *t), **place = &w->timers;
    (void)this;
    if (!t) return JS_EXCEPTION;
    if (argc < 2 || JS_ToFloat64(ctx, &ms, argv[1]) || !(ms < 1e9)) ms = 1e9;
    *t = (js_timer){.number = ++w->count,
                    .due = fer_clock_mono() + (int64_t)(ms * 1e6),
                    .function = JS_DupValue(ctx, argv[0])};
    while (*place && (*place)->due <= t->due) place = &(*place)->next;
    t->next = *place;
    *place = t;
    return JS_NewInt64(ctx, (int64_t)t->number);
}

void js_drop_timer(js_worker *w, js_timer **place)
{
    js_timer *t = *place;
    *place = t->next;
    JS_FreeValue(w->ctx, t->function);
    js_free(w->ctx, t);
}

static JSValue clear_timer(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    js_worker *w = js_worker_of(ctx);
    int64_t number = 0;
    (void)this;
    if (argc < 1 || JS_ToInt64(ctx, &number, argv[0])) return JS_EXCEPTION;
    for (js_timer **place = &w->timers; *place; place = &(*place)->next) {
        if ((*place)->number != (uint64_t)number) continue;
        js_drop_timer(w, place);
        break;
    }
    return JS_UNDEFINED;
}

void js_natives(JSContext *ctx, JSValue out[JS_NATIVES])
{
    static const struct {
        JSCFunction *function;
        const char *name;
        int args;
    } rows[JS_NATIVES] = {{ask, "ask", 2},
                          {print, "print", 2},
                          {set_timer, "setTimer", 2},
                          {clear_timer, "clearTimer", 1}};
    for (size_t i = 0; i < JS_NATIVES; i++)
        out[i] = JS_NewCFunction(ctx, rows[i].function, rows[i].name, rows[i].args);
}
