/* SPDX-License-Identifier: Apache-2.0 */
#include "http_fetch.h"

#include "buf.h"
#include "errors.h"
#include "sys.h"

struct fer_http_fetcher {
    uv_loop_t loop;
    fer_http *client;
};

/* One answer that is being received. */
typedef struct fetch {
    fer_arena *arena;
    fer_http_answer answer;
    fer_buf body;
    fer_code no_memory; /* of the arena */
    fer_err err;
    bool ended;
} fetch;

fer_http_fetcher *fer_http_fetcher_new(const fer_http_options *options)
{
    fer_http_fetcher *f = fer_sys_malloc(sizeof *f);
    if (!f) return NULL;
    if (uv_loop_init(&f->loop)) {
        fer_sys_free(f);
        return NULL;
    }
    f->client = fer_http_new(&f->loop, options);
    if (f->client) return f;
    fer_http_fetcher_free(f);
    return NULL;
}

void fer_http_fetcher_free(fer_http_fetcher *f)
{
    if (!f) return;
    fer_http_close(f->client);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    uv_loop_close(&f->loop);
    fer_sys_free(f);
}

static void wait_closed(uv_handle_t *handle)
{
    *(bool *)handle->data = true;
}

static void time_is_up(uv_timer_t *timer)
{
    uv_close((uv_handle_t *)timer, wait_closed);
}

void fer_http_fetcher_wait(fer_http_fetcher *f, uint32_t ms)
{
    uv_timer_t timer;
    bool over = false;
    uv_update_time(&f->loop);
    uv_timer_init(&f->loop, &timer);
    timer.data = &over;
    uv_timer_start(&timer, time_is_up, ms, 0);
    while (!over) uv_run(&f->loop, UV_RUN_ONCE);
}

static bool copy_head(fer_arena *a, const fer_http_head *from, fer_http_head *to)
{
    fer_http_field *list = fer_arena_alloc(a, (from->count + 1) * sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < from->count; i++) {
        list[i].name = fer_arena_copy(a, from->fields[i].name);
        list[i].value = fer_arena_copy(a, from->fields[i].value);
        if (!list[i].name.ptr || !list[i].value.ptr) return false;
    }
    *to = (fer_http_head){from->status, list, from->count};
    return true;
}

static void give_up(fetch *f, fer_http_call *call)
{
    f->no_memory = fer_arena_code(f->arena);
    fer_http_cancel(call);
}

static void on_head(void *context, fer_http_call *call, const fer_http_head *head)
{
    fetch *f = context;
    if (!copy_head(f->arena, head, &f->answer.head)) give_up(f, call);
}

static void on_body(void *context, fer_http_call *call, fer_str piece)
{
    fetch *f = context;
    fer_buf_add(&f->body, piece);
    if (f->body.failure) give_up(f, call);
}

static void on_end(void *context, const fer_http_end *end)
{
    fetch *f = context;
    f->answer.fault = end->fault;
    f->answer.sent = end->sent;
    f->err = *end->err;
    f->ended = true;
}

fer_code fer_http_fetch(fer_arena *a, fer_http_fetcher *f, const fer_http_request *request,
                        fer_http_answer *out, fer_err *err)
{
    fetch one = {.arena = a};
    const fer_http_events events = {on_head, on_body, on_end, &one};
    *out = (fer_http_answer){0};
    fer_buf_init(&one.body, a, SIZE_MAX / 2); /* the request has its limit */
    fer_code code = fer_http_start(f->client, request, &events, NULL, err);
    if (code) return code;
    while (!one.ended) uv_run(&f->loop, UV_RUN_ONCE);
    if (one.no_memory) return fer_arena_failed(a, err);
    out->fault = one.answer.fault;
    out->sent = one.answer.sent;
    if (one.err.code) {
        if (err) *err = one.err;
        return one.err.code;
    }
    *out = one.answer;
    out->body = one.body.len ? fer_buf_view(&one.body) : FER_STR("");
    return FER_OK;
}
