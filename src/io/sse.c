/* SPDX-License-Identifier: Apache-2.0 */
#include "sse.h"

#include "errors.h"
#include "sys.h"

#define FIRST_CAP 256
#define BOM_DONE  3

static const char bom[BOM_DONE] = {'\xEF', '\xBB', '\xBF'};

/* ---- parts that grow ------------------------------------------------------------------------ */

static bool part_room(fer_sse_part *p, size_t more)
{
    size_t cap = p->cap ? p->cap : FIRST_CAP;
    if (more <= p->cap - p->len) return true;
    while (cap - p->len < more) cap *= 2;
    char *grown = fer_sys_malloc(cap);
    if (!grown) return false;
    if (p->len) memcpy(grown, p->ptr, p->len);
    fer_sys_free(p->ptr);
    p->ptr = grown;
    p->cap = cap;
    return true;
}

static bool part_add(fer_sse_part *p, fer_str s)
{
    if (!s.len) return true;
    if (!part_room(p, s.len)) return false;
    memcpy(p->ptr + p->len, s.ptr, s.len);
    p->len += s.len;
    return true;
}

static bool part_set(fer_sse_part *p, fer_str s)
{
    p->len = 0;
    return part_add(p, s);
}

static fer_str part_view(const fer_sse_part *p)
{
    return p->len ? (fer_str){p->ptr, p->len} : FER_STR("");
}

static void part_free(fer_sse_part *p)
{
    fer_sys_free(p->ptr);
    *p = (fer_sse_part){0};
}

/* ---- fields --------------------------------------------------------------------------------- */

static fer_code no_memory(fer_err *err)
{
    return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for an event");
}

static fer_code too_large(const fer_sse *s, fer_err *err)
{
    return fer_fail(err, FER_LIMIT_EXCEEDED, "an event is larger than sse.event, %zu bytes",
                    s->event_max);
}

static fer_code take_data(fer_sse *s, fer_str value, fer_err *err)
{
    size_t used = s->data.len + s->name.len + s->has_data;
    if (used > s->event_max || value.len > s->event_max - used) return too_large(s, err);
    if (s->has_data && !part_add(&s->data, FER_STR("\n"))) return no_memory(err);
    s->has_data = true;
    return part_add(&s->data, value) ? FER_OK : no_memory(err);
}

static fer_code take_name(fer_sse *s, fer_str value, fer_err *err)
{
    if (value.len > s->event_max - s->data.len) return too_large(s, err);
    return part_set(&s->name, value) ? FER_OK : no_memory(err);
}

/* One with NUL is ignored by the standard. One that could not be sent back in a header is, too. */
static fer_code take_id(fer_sse *s, fer_str value, fer_err *err)
{
    for (size_t i = 0; i < value.len; i++)
        if ((unsigned char)value.ptr[i] < ' ' || value.ptr[i] == 0x7F) return FER_OK;
    if (value.len > FER_SSE_ID_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "the ID of an event is longer than sse.id, %d bytes", FER_SSE_ID_MAX);
    return part_set(&s->id, value) ? FER_OK : no_memory(err);
}

/* Digits alone; longer than anybody waits is cut to that. */
static fer_code take_retry(fer_sse *s, fer_str value, fer_err *err)
{
    uint64_t ms;
    size_t digits = 0;
    (void)err;
    while (digits < value.len && fer_is_digit(value.ptr[digits])) digits++;
    if (!value.len || digits < value.len) return FER_OK;
    if (!fer_parse_u64(value, &ms) || ms > FER_SSE_RETRY_MAX) ms = FER_SSE_RETRY_MAX;
    s->retry_ms = (uint32_t)ms;
    return FER_OK;
}

static const struct {
    const char *name;
    fer_code (*take)(fer_sse *s, fer_str value, fer_err *err);
} fields[] = {{"data", take_data}, {"event", take_name}, {"id", take_id}, {"retry", take_retry}};

static fer_code take_field(fer_sse *s, fer_str name, fer_str value, fer_err *err)
{
    for (size_t i = 0; i < FER_COUNT(fields); i++)
        if (fer_str_is(name, fields[i].name)) return fields[i].take(s, value, err);
    return FER_OK;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static fer_code dispatch(fer_sse *s, fer_err *err)
{
    fer_code code = FER_OK;
    if (!part_set(&s->last_id, part_view(&s->id))) return no_memory(err);
    if (s->has_data) {
        fer_sse_event e = {s->name.len ? part_view(&s->name) : FER_STR("message"),
                           part_view(&s->data), part_view(&s->last_id)};
        code = s->visit(s->context, &e, err);
    }
    s->name.len = s->data.len = 0;
    s->has_data = false;
    return code;
}

static fer_code take_line(fer_sse *s, fer_str line, fer_err *err)
{
    size_t colon = fer_str_find(line, 0, ':');
    if (!line.len) return dispatch(s, err);
    if (colon == 0) return FER_OK; /* a comment */
    if (colon == SIZE_MAX) return take_field(s, line, FER_STR(""), err);
    size_t from = colon + 1 + (colon + 1 < line.len && line.ptr[colon + 1] == ' ');
    return take_field(s, fer_str_slice(line, 0, colon), fer_str_slice(line, from, line.len), err);
}

/* A line whose last bytes are `piece`; what came before was kept. */
static fer_code end_line(fer_sse *s, fer_str piece, fer_err *err)
{
    if (!s->line.len) return take_line(s, piece, err);
    if (piece.len > s->event_max - s->line.len) return too_large(s, err);
    if (!part_add(&s->line, piece)) return no_memory(err);
    fer_code code = take_line(s, part_view(&s->line), err);
    s->line.len = 0;
    return code;
}

static fer_code keep_piece(fer_sse *s, fer_str piece, fer_err *err)
{
    if (piece.len > s->event_max - s->line.len) return too_large(s, err);
    return part_add(&s->line, piece) ? FER_OK : no_memory(err);
}

/* Takes one line, or what there is of it, off the front of `*rest`. */
static fer_code take_piece(fer_sse *s, fer_str *rest, fer_err *err)
{
    size_t end = 0;
    while (end < rest->len && rest->ptr[end] != '\n' && rest->ptr[end] != '\r') end++;
    fer_str piece = fer_str_slice(*rest, 0, end);
    if (end == rest->len) {
        rest->len = 0;
        return keep_piece(s, piece, err);
    }
    s->after_cr = rest->ptr[end] == '\r';
    *rest = fer_str_slice(*rest, end + 1, rest->len);
    if (piece.len > s->event_max) return too_large(s, err);
    return end_line(s, piece, err);
}

/* Passes by a byte order mark at the start, which may come in pieces. */
static fer_code pass_bom(fer_sse *s, fer_str *rest, fer_err *err)
{
    while (rest->len && s->bom < BOM_DONE && rest->ptr[0] == bom[s->bom]) {
        s->bom++;
        *rest = fer_str_slice(*rest, 1, rest->len);
    }
    if (!rest->len || s->bom == BOM_DONE) return FER_OK;
    size_t seen = s->bom; /* it only began like one */
    s->bom = BOM_DONE;
    return keep_piece(s, (fer_str){bom, seen}, err);
}

/* ---- reading -------------------------------------------------------------------------------- */

void fer_sse_init(fer_sse *s, size_t event_max, fer_sse_visitor *visit, void *context)
{
    *s = (fer_sse){
        .visit = visit, .context = context, .event_max = event_max ? event_max : FER_SSE_EVENT_MAX};
}

void fer_sse_deinit(fer_sse *s)
{
    fer_sse_part *parts[] = {&s->line, &s->name, &s->data, &s->id, &s->last_id};
    for (size_t i = 0; i < FER_COUNT(parts); i++) part_free(parts[i]);
}

void fer_sse_reset(fer_sse *s)
{
    s->line.len = s->name.len = s->data.len = 0;
    s->has_data = s->after_cr = false;
    s->bom = 0;
    s->failure = FER_OK;
    /* An ID without its event was not received. There is room: the last one has been here. */
    bool set = part_set(&s->id, part_view(&s->last_id));
    assert(set);
    (void)set;
}

fer_code fer_sse_feed(fer_sse *s, fer_str bytes, fer_err *err)
{
    if (s->failure) return fer_fail(err, s->failure, "the stream of events had failed before");
    fer_code code = pass_bom(s, &bytes, err);
    while (!code && bytes.len) {
        bool second_half = s->after_cr && bytes.ptr[0] == '\n';
        s->after_cr = false;
        if (second_half) bytes = fer_str_slice(bytes, 1, bytes.len);
        else code = take_piece(s, &bytes, err);
    }
    s->failure = code;
    return code;
}

fer_str fer_sse_last_id(const fer_sse *s)
{
    return part_view(&s->last_id);
}
