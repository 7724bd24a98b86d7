/* SPDX-License-Identifier: Apache-2.0 */
/* Answers and streams, from the handler to the connection. */
#include <stdio.h>
#include <time.h>

#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "http_parts.h"
#include "server_parts.h"
#include "sys.h"

#define EVENT_STREAM "text/event-stream"

/* ---- requests, as handlers see them --------------------------------------------------------- */

fer_str fer_inbound_get(const fer_inbound *r, const char *name)
{
    fer_str wanted = fer_str_of(name);
    for (size_t i = 0; i < r->field_count; i++)
        if (r->fields[i].name.len == wanted.len && fer_str_eq_nocase(r->fields[i].name, wanted))
            return r->fields[i].value;
    return FER_STR_NONE;
}

size_t fer_inbound_find(const fer_inbound *r, const char *name, fer_str *value)
{
    fer_str wanted = fer_str_of(name);
    size_t count = 0;
    for (size_t i = 0; i < r->field_count; i++) {
        const fer_http_field *f = &r->fields[i];
        if (f->name.len != wanted.len || !fer_str_eq_nocase(f->name, wanted)) continue;
        if (!count++) *value = f->value;
    }
    return count;
}

size_t fer_inbound_count(const fer_inbound *r, const char *name)
{
    fer_str ignored;
    return fer_inbound_find(r, name, &ignored);
}

bool fer_inbound_is(const fer_inbound *r, const char *media_type)
{
    fer_http_head head = {.fields = r->fields, .count = r->field_count};
    return fer_inbound_count(r, "content-type") == 1 && fer_http_head_is(&head, media_type);
}

const fer_inbound *fer_exchange_inbound(const fer_exchange *x)
{
    return &x->in;
}

fer_arena *fer_exchange_arena(fer_exchange *x)
{
    return x->arena;
}

void *fer_exchange_owner(const fer_exchange *x)
{
    return x->owner;
}

bool fer_exchange_is_gone(const fer_exchange *x)
{
    return x->gone;
}

size_t fer_exchange_waiting(const fer_exchange *x)
{
    return x->conn ? x->conn->waiting : 0;
}

void fer_exchange_watch(fer_exchange *x, const fer_exchange_events *events, void *owner)
{
    x->events = events;
    x->owner = owner;
    if (x->gone && !x->told) fer_server_tell_soon(x);
}

void fer_exchange_tell_gone(fer_exchange *x, fer_gone why)
{
    if (!x->gone) x->why = why;
    x->gone = true;
    if (x->told || !x->events) return;
    x->told = true;
    if (x->events->gone) x->events->gone(x, x->why);
}

/* ---- life ----------------------------------------------------------------------------------- */

void fer_exchange_free(fer_exchange *x)
{
    fer_request_deinit(&x->request);
    fer_arena_free(x->arena);
    fer_sys_free(x);
}

/* One that was used before, or a new one. */
static fer_exchange *find_exchange(fer_http_server *s)
{
    fer_exchange *x = s->pool;
    if (x) {
        s->pool = x->next;
        s->pooled--;
        return x;
    }
    x = fer_sys_malloc(sizeof *x);
    if (!x) return NULL;
    *x = (fer_exchange){.arena = fer_arena_new(0)};
    fer_request_init(&x->request, x->arena);
    if (x->arena) return x;
    fer_sys_free(x);
    return NULL;
}

fer_exchange *fer_exchange_take(fer_conn *c)
{
    fer_http_server *s = c->server;
    fer_exchange *x = find_exchange(s);
    if (!x) return NULL;
    *x = (fer_exchange){.server = s, .conn = c, .arena = x->arena, .request = x->request};
    s->counts.exchanges++;
    return x;
}

static void untell(fer_exchange *x)
{
    for (fer_exchange **at = &x->server->telling; x->telling && *at; at = &(*at)->next) {
        if (*at != x) continue;
        *at = x->next;
        break;
    }
}

void fer_exchange_count(fer_exchange *x)
{
    x->server->counts.buffered += x->request.body_len - x->counted;
    x->counted = x->request.body_len;
}

void fer_exchange_release(fer_exchange *x)
{
    fer_http_server *s = x->server;
    if (x->telling) untell(x);
    if (x->conn) x->conn->x = NULL;
    s->counts.buffered -= x->counted;
    s->counts.exchanges--;
    if (s->pooled < FER_SERVER_POOL && !s->closed) {
        fer_request_empty(&x->request);
        fer_arena_reset(x->arena);
        x->next = s->pool;
        s->pool = x;
        s->pooled++;
    } else {
        fer_exchange_free(x);
    }
    if (s->closed) fer_server_settle(s);
}

void fer_exchange_fill(fer_exchange *x)
{
    const fer_conn *c = x->conn;
    const fer_request *q = &x->request;
    size_t mark = fer_str_find(q->target, 0, '?');
    x->in = (fer_inbound){
        .method = q->method,
        .target = q->target,
        .path = mark == SIZE_MAX ? q->target : fer_str_slice(q->target, 0, mark),
        .query =
            mark == SIZE_MAX ? FER_STR_NONE : fer_str_slice(q->target, mark + 1, q->target.len),
        .fields = q->fields,
        .field_count = q->field_count,
        .peer = c->peer,
        .port = c->port,
        .local = c->local,
        .uid = c->uid,
        .secure = c->tls != NULL,
        .connection = c->id,
        .listener = c->listener->number,
        .nth = c->requests + 1,
    };
    x->head_only = fer_str_is(q->method, "HEAD");
    if (c->eof) {
        x->gone = true;
        x->why = FER_GONE_CLOSED;
    }
}

/* ---- heads of answers ----------------------------------------------------------------------- */

static const struct {
    unsigned status;
    const char *text;
} reasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

static const char *reason_of(unsigned status)
{
    for (size_t i = 0; i < FER_COUNT(reasons); i++)
        if (reasons[i].status == status) return reasons[i].text;
    return "";
}

/* IMF-fixdate (RFC 9110 5.6.7), made once a second. */
static const char *date_now(fer_http_server *s)
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    int64_t second = fer_clock_wall() / 1000;
    struct tm t;
    time_t at = (time_t)second;
    if (second == s->date_second && s->date[0]) return s->date;
    s->date_second = second;
    s->date[0] = '\0';
    if (gmtime_r(&at, &t))
        snprintf(s->date, sizeof s->date, "%s, %02u %s %04u %02u:%02u:%02u GMT",
                 days[(unsigned)t.tm_wday % 7], (unsigned)t.tm_mday % 100,
                 months[(unsigned)t.tm_mon % 12], (unsigned)(t.tm_year + 1900) % 10000,
                 (unsigned)t.tm_hour % 100, (unsigned)t.tm_min % 100, (unsigned)t.tm_sec % 100);
    return s->date;
}

static bool has_body(unsigned status)
{
    return status >= 200 && status != 204 && status != 304;
}

static void add_field(fer_buf *b, const char *name, fer_str value)
{
    fer_buf_add_text(b, name);
    fer_buf_add(b, FER_STR(": "));
    fer_buf_add(b, value);
    fer_buf_add(b, FER_STR("\r\n"));
}

static void add_number(fer_buf *b, const char *name, size_t n)
{
    char digits[24];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + n % 10);
    while (n /= 10);
    add_field(b, name, (fer_str){digits + at, sizeof digits - at});
}

/* The first line and what is the server's to say. */
static void add_start(fer_http_server *s, fer_buf *b, unsigned status, bool reuse)
{
    char code[] = {(char)('0' + status / 100 % 10), (char)('0' + status / 10 % 10),
                   (char)('0' + status % 10), ' '};
    fer_buf_add(b, FER_STR("HTTP/1.1 "));
    fer_buf_add(b, (fer_str){code, sizeof code});
    fer_buf_add_text(b, reason_of(status));
    fer_buf_add(b, FER_STR("\r\n"));
    const char *date = date_now(s);
    if (date[0]) add_field(b, "Date", fer_str_of(date));
    if (!reuse) add_field(b, "Connection", FER_STR("close"));
}

static void add_fields(fer_buf *b, const fer_http_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fer_buf_add(b, fields[i].name);
        fer_buf_add(b, FER_STR(": "));
        fer_buf_add(b, fields[i].value);
        fer_buf_add(b, FER_STR("\r\n"));
    }
}

/* ---- answers -------------------------------------------------------------------------------- */

/*
 * Whether the connection can be used again. Where the rest of the body is passed over it must be
 * little, and not one that the client holds back until it is invited.
 */
static bool can_reuse(const fer_exchange *x)
{
    const fer_conn *c = x->conn;
    if (!x->request.keep_alive || c->eof || c->last || c->server->draining) return false;
    if (c->reader.phase == FER_READER_DONE) return true;
    if (c->reader.phase != FER_READER_IN_BODY || x->request.continues) return false;
    return c->reader.parser.content_length <= FER_SERVER_SKIP_MAX;
}

/* The exchange is over: its connection goes on without it. */
static void let_go(fer_exchange *x)
{
    fer_conn *c = x->conn;
    bool unread = c && c->reader.phase == FER_READER_IN_BODY;
    if (c && !x->reuse) c->last = true;
    if (unread) {
        c->reader.request = NULL;
        c->skipping = !c->last;
        c->window_len = c->reader.body_len;
    }
    fer_exchange_release(x);
    if (c) fer_conn_go_on(c);
}

static void send_answer(fer_exchange *x, unsigned status, const fer_http_field *fields,
                        size_t count, fer_str body, fer_code *code, fer_err *err)
{
    fer_http_server *s = x->server;
    fer_buf b;
    fer_buf_init_fixed(&b, s->head, sizeof s->head);
    x->reuse = can_reuse(x);
    add_start(s, &b, status, x->reuse);
    if (has_body(status)) add_number(&b, "Content-Length", body.len);
    add_fields(&b, fields, count);
    fer_buf_add(&b, FER_STR("\r\n"));
    *code = fer_buf_code(&b, err);
    if (*code) return;
    bool bare = x->head_only || !has_body(status);
    const struct iovec parts[] = {{b.ptr, b.len}, {(void *)(uintptr_t)body.ptr, body.len}};
    fer_conn_send(x->conn, parts, bare || !body.len ? 1 : 2);
}

fer_code fer_exchange_answer(fer_exchange *x, unsigned status, const fer_http_field *fields,
                             size_t field_count, fer_str body, fer_err *err)
{
    assert(x->state == FER_EXCHANGE_HELD && status >= 200 && status <= 999);
    fer_code code = fer_http_check_fields(fields, field_count, err);
    if (!code && body.len > FER_SERVER_ANSWER_MAX)
        code =
            fer_fail(err, FER_LIMIT_EXCEEDED, "the answer has %zu bytes; server.answer allows %zu",
                     body.len, FER_SERVER_ANSWER_MAX);
    fer_code unused = FER_OK;
    if (x->conn && !code) send_answer(x, status, fields, field_count, body, &code, err);
    if (x->conn && code) send_answer(x, 500, NULL, 0, FER_STR_NONE, &unused, NULL);
    let_go(x);
    return code;
}

fer_code fer_exchange_reply(fer_exchange *x, unsigned status, const char *media_type, fer_str body)
{
    fer_http_field type = {FER_STR("Content-Type"), fer_str_of(media_type)};
    return fer_exchange_answer(x, status, &type, media_type ? 1 : 0, body, NULL);
}

/* ---- streams -------------------------------------------------------------------------------- */

fer_code fer_exchange_stream(fer_exchange *x, unsigned status, const char *media_type,
                             const fer_http_field *fields, size_t field_count, fer_err *err)
{
    fer_http_server *s = x->server;
    fer_buf b;
    assert(x->state == FER_EXCHANGE_HELD && has_body(status) && status <= 999);
    fer_code code = fer_http_check_fields(fields, field_count, err);
    if (code) return code;
    fer_buf_init_fixed(&b, s->head, sizeof s->head);
    x->chunked = x->request.one_one;
    x->reuse = x->conn && x->chunked && can_reuse(x);
    add_start(s, &b, status, x->reuse);
    add_field(&b, "Content-Type", fer_str_of(media_type));
    if (fer_str_is(fer_str_of(media_type), EVENT_STREAM)) {
        add_field(&b, "Cache-Control", FER_STR("no-store"));
        add_field(&b, "X-Accel-Buffering", FER_STR("no"));
    }
    if (x->chunked) add_field(&b, "Transfer-Encoding", FER_STR("chunked"));
    add_fields(&b, fields, field_count);
    fer_buf_add(&b, FER_STR("\r\n"));
    code = fer_buf_code(&b, err);
    if (code) return code;
    x->state = FER_EXCHANGE_STREAM;
    if (x->conn) fer_conn_send(x->conn, &(struct iovec){b.ptr, b.len}, 1);
    return FER_OK;
}

fer_code fer_exchange_write(fer_exchange *x, fer_str piece, fer_err *err)
{
    fer_conn *c = x->conn;
    char size[32];
    assert(x->state == FER_EXCHANGE_STREAM);
    if (!c || c->broken) return fer_fail(err, FER_CANCELLED, "the client has gone");
    size_t max = c->server->limits.stream_max;
    if (c->waiting >= max || piece.len > FER_SERVER_ANSWER_MAX) {
        x->full = c->waiting >= max;
        return fer_fail(err, FER_LIMIT_EXCEEDED, "%zu bytes wait for the client, %zu more would",
                        c->waiting, piece.len);
    }
    if (!piece.len || x->head_only) return FER_OK;
    int len = x->chunked ? snprintf(size, sizeof size, "%zx\r\n", piece.len) : 0;
    const struct iovec parts[] = {{size, (size_t)len},
                                  {(void *)(uintptr_t)piece.ptr, piece.len},
                                  {(void *)(uintptr_t) "\r\n", 2}};
    bool sent = x->chunked ? fer_conn_send(c, parts, 3) : fer_conn_send(c, parts + 1, 1);
    if (!sent) return fer_fail(err, FER_CANCELLED, "the connection broke");
    if (c->waiting >= max) x->full = true;
    return FER_OK;
}

void fer_exchange_end(fer_exchange *x)
{
    if (x->state == FER_EXCHANGE_HELD) {
        (void)fer_exchange_answer(x, 500, NULL, 0, FER_STR_NONE, NULL);
        return;
    }
    if (x->conn && x->chunked && !x->head_only)
        fer_conn_send(x->conn, &(struct iovec){(void *)(uintptr_t) "0\r\n\r\n", 5}, 1);
    let_go(x);
}

void fer_exchange_abort(fer_exchange *x)
{
    fer_conn *c = x->conn;
    fer_exchange_release(x);
    if (c) fer_conn_close(c, FER_GONE_CLOSED);
}

/* ---- what the server says itself ------------------------------------------------------------ */

void fer_conn_refuse(fer_conn *c, fer_refusal why)
{
    fer_http_server *s = c->server;
    const struct fer_refusal_row *row = &fer_refusal_rows[why];
    fer_buf b;
    if (c->fd < 0) return;
    fer_buf_init_fixed(&b, s->head, sizeof s->head);
    add_start(s, &b, row->status, false);
    add_field(&b, "Content-Type", FER_STR("text/plain"));
    add_number(&b, "Content-Length", strlen(row->text) + 1);
    fer_buf_add(&b, FER_STR("\r\n"));
    /* Of an answer to HEAD the body must not follow; the connection ends, so it does no harm. */
    fer_buf_add_text(&b, row->text);
    fer_buf_add_char(&b, '\n');
    s->counts.refused++;
    c->last = true;
    if (c->x && c->x->state == FER_EXCHANGE_READ) fer_exchange_release(c->x);
    if (!c->x) fer_conn_send(c, &(struct iovec){b.ptr, b.len}, 1);
}

void fer_conn_invite(fer_conn *c)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    fer_conn_send(c, &(struct iovec){(void *)(uintptr_t)text, sizeof text - 1}, 1);
}
