/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a call ended, as it is kept under an idempotency key: a line of sizes and words, then the
 * texts byte by byte. Nothing else reads it; a record that is not one is a failure.
 */
#include "buf.h"
#include "errors.h"
#include "gateway_parts.h"

#define VERSION "ferrule-result/1"
#define PARTS   6

static fer_str *part_of(fer_envelope *e, size_t i)
{
    fer_str *const parts[PARTS] = {&e->error.message, &e->error.details, &e->error.caused_by,
                                   &e->structured,    &e->mcp_result,    &e->original_call};
    return parts[i];
}

static fer_code write_envelope(fer_arena *a, fer_envelope *e, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_printf(&b, VERSION " %d %d %s", (int)e->status, (int)e->error.code,
                   e->error.op ? e->error.op : "-");
    for (size_t i = 0; i < PARTS; i++) fer_buf_printf(&b, " %zu", part_of(e, i)->len);
    fer_buf_add_char(&b, '\n');
    for (size_t i = 0; i < PARTS; i++) fer_buf_add(&b, *part_of(e, i));
    fer_code code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

fer_code fer_stored_write(fer_call *c, fer_str *out, fer_err *err)
{
    fer_envelope e = c->envelope;
    e.original_call = fer_str_of(c->id);
    return write_envelope(c->arena, &e, out, err);
}

fer_code fer_stored_result(fer_arena *a, fer_str call, fer_str structured, fer_str *out,
                           fer_err *err)
{
    fer_envelope e = {.status = FER_STATUS_OK, .structured = structured, .original_call = call};
    return write_envelope(a, &e, out, err);
}

static fer_str word(fer_str *rest)
{
    size_t end = fer_str_find(*rest, 0, ' ');
    if (end == SIZE_MAX) end = rest->len;
    fer_str w = fer_str_slice(*rest, 0, end);
    *rest = fer_str_slice(*rest, end < rest->len ? end + 1 : end, rest->len);
    return w;
}

static const char *stage_of(fer_str op)
{
    for (size_t i = 0; i < FER_STAGE_COUNT; i++)
        if (fer_str_is(op, fer_stages[i].name)) return fer_stages[i].name;
    return fer_stages[FER_STAGE_EXECUTE].name;
}

fer_code fer_stored_read(fer_call *c, fer_str record, fer_err *err)
{
    return fer_stored_open(c->arena, record, &c->envelope, err);
}

fer_code fer_stored_open(fer_arena *a, fer_str record, fer_envelope *e, fer_err *err)
{
    size_t end = record.len ? fer_str_find(record, 0, '\n') : SIZE_MAX;
    uint64_t status, code, size;
    if (end == SIZE_MAX) return fer_fail(err, FER_INTEGRITY_BROKEN, "a kept result is damaged");
    fer_str head = fer_str_slice(record, 0, end), rest = fer_str_slice(record, end + 1, record.len);
    bool good = fer_str_is(word(&head), VERSION) && fer_parse_u64(word(&head), &status) &&
                fer_parse_u64(word(&head), &code) && status <= FER_STATUS_RETRYABLE;
    const char *op = stage_of(word(&head));
    for (size_t i = 0; good && i < PARTS; i++) {
        good = fer_parse_u64(word(&head), &size) && size <= rest.len;
        if (!good) break;
        fer_str *p = part_of(e, i);
        *p = size ? fer_arena_copy(a, fer_str_slice(rest, 0, size)) : FER_STR("");
        if (!p->ptr) return fer_arena_failed(a, err);
        rest = fer_str_slice(rest, size, rest.len);
    }
    if (!good) return fer_fail(err, FER_INTEGRITY_BROKEN, "a kept result is damaged");
    e->status = (fer_status)status;
    e->error.code = (fer_code)code;
    e->error.op = op;
    e->error.retryable = code && fer_code_info(e->error.code)->retryable;
    return FER_OK;
}
