/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the program that runs JavaScript: js_worker.c begins and runs, js_lines.c has the
 * lines, js_natives.c what code can do, js_fail.c how it tells a failure.
 */
#ifndef FER_JS_WORKER_H
#define FER_JS_WORKER_H

#include <quickjs/quickjs.h>

#include "arena.h"
#include "buf.h"

#define JS_LINE_MAX   ((size_t)4 << 20)
#define JS_MEMORY     ((size_t)64 << 20) /* of lines */
#define JS_FILE_NAME  "code.js"
#define JS_WRAP_BEGIN "(async()=>{" /* of a program that returns */
#define JS_WRAP_END   "\n})()"

/* A request that waits for its answer. */
typedef struct js_asked {
    struct js_asked *next;
    uint64_t id;
    JSValue resolve, reject;
} js_asked;

typedef struct js_timer {
    struct js_timer *next;
    uint64_t number;
    int64_t due; /* fer_clock_mono */
    JSValue function;
} js_timer;

typedef struct js_worker {
    JSRuntime *runtime;
    JSContext *ctx;
    int in, out;
    js_asked *asked;
    js_timer *timers; /* in the order of time */
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
} js_worker;

/* ---- js_lines.c ---- */

/* Nobody is there any more: there is nothing left to do. */
_Noreturn void js_leave(int code);
void js_begin_line(js_worker *w, fer_buf *b);
/* False: the line is too long, and was not sent. */
bool js_send_line(js_worker *w, fer_buf *b);
/* Waits for a line for so long, for ever where it is negative; false: time has passed. The line is
 * good until the next call. */
bool js_read_line(js_worker *w, int64_t wait_ns, fer_str *out);
/* The line that was read is done with. */
void js_drop_line(js_worker *w, fer_str line);

/* ---- js_natives.c ---- */

/* The functions that the prelude is called with, in its order. */
#define JS_NATIVES 4
void js_natives(JSContext *ctx, JSValue out[JS_NATIVES]);
js_worker *js_worker_of(JSContext *ctx);
void js_drop_timer(js_worker *w, js_timer **place);

/* ---- js_fail.c ---- */

/* Tells how the program failed, and leaves: by an error, by the exception that stands, in words. */
_Noreturn void js_fail(js_worker *w, JSValueConst error);
_Noreturn void js_fail_exception(js_worker *w);
_Noreturn void js_fail_text(js_worker *w, const char *text);

#endif
