/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of a program, with their place in it. */
#include <string.h>

#include "js_json.h"
#include "js_worker.h"
#include "str.h"

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
    for (size_t i = 0; i + sizeof JS_FILE_NAME < stack.len; i++) {
        fer_str rest = fer_str_slice(stack, i, stack.len);
        if (!fer_str_starts(rest, JS_FILE_NAME ":")) continue;
        unsigned numbers[2] = {0, 0};
        size_t at = sizeof JS_FILE_NAME, which = 0;
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
    unsigned before = js_worker_of(ctx)->wrapped ? sizeof JS_WRAP_BEGIN - 1 : 0;
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
static const char *bound_of(const js_worker *w, fer_str message)
{
    if (w->cpu_over) return "cpuMs";
    return fer_str_is(message, "out of memory") ? "memoryBytes" : NULL;
}

/* Tells how the program failed, and leaves. */
_Noreturn void js_fail(js_worker *w, JSValueConst error)
{
    JSContext *ctx = w->ctx;
    fer_buf b;
    const char *text = JS_ToCString(ctx, error);
    JSValue m = JS_IsObject(error) ? JS_GetPropertyStr(ctx, error, "message") : JS_UNDEFINED;
    const char *message = JS_IsString(m) ? JS_ToCString(ctx, m) : NULL;
    const char *bound = bound_of(w, fer_str_of(message));
    JS_SetMemoryLimit(w->runtime, (size_t)-1); /* so that it can be told */
    js_begin_line(w, &b);
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
    js_send_line(w, &b);
    js_leave(1);
}

_Noreturn void js_fail_exception(js_worker *w)
{
    JSValue error = JS_GetException(w->ctx);
    js_fail(w, error);
}

_Noreturn void js_fail_text(js_worker *w, const char *text)
{
    JS_ThrowInternalError(w->ctx, "%s", text);
    js_fail_exception(w);
}
