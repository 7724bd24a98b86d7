/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#define NO_NAME (FER_RECORD_MARK + 0xFF)

enum {
    LENGTH = FER_RECORD_AT_LENGTH,
    HEAD = FER_RECORD_AT_HEAD,
    NAME = FER_RECORD_AT_NAME,
    FIRST = NAME + 2
};

fer_record_item fer_record_next(fer_record_reader *r)
{
    if (r->at == r->end) return FER_RECORD_END;
    uint32_t unit = *r->at;
    if (unit < FER_RECORD_MARK || unit >= FER_RECORD_WIDE)
        return fer_record_take(r, &r->term) ? FER_RECORD_TERM : FER_RECORD_END;
    r->at++;
    r->field = unit - FER_RECORD_MARK;
    if (r->field < FER_FIELD_COUNT) return FER_RECORD_TEXT;
    r->at = r->end;
    return FER_RECORD_END;
}

/* ---- writing ---------------------------------------------------------------- */

void fer_record_begin(fer_record_writer *w)
{
    w->count = FIRST;
    w->head = w->words = 0;
    w->field = FER_FIELD_COUNT;
}

fer_record fer_record_finish(fer_record_writer *w, float length, uint32_t name)
{
    size_t head = (w->head ? w->head : w->count) - FIRST;
    uint16_t first[2] = {NO_NAME, 0};
    size_t units = name == UINT32_MAX ? 1 : fer_record_put(first, name);
    /* A name of one unit stands next to the head, and everything begins a unit later. */
    uint16_t *from = w->units + 2 - units;
    from[LENGTH] = (uint16_t)(length * 2 + 0.5F);
    from[HEAD] = (uint16_t)head;
    memcpy(from + NAME, first, units * sizeof first[0]);
    return (fer_record){from, w->count - (2 - units)};
}

uint16_t *fer_record_put_name(uint16_t *record, uint32_t name)
{
    record[NAME] = NO_NAME;
    return record + NAME + (name == UINT32_MAX ? 1 : fer_record_put(record + NAME, name));
}

/* ---- renumbering ------------------------------------------------------------ */

struct renumbering {
    const uint32_t *numbers;
    uint32_t count;
    uint16_t *to;
};

static inline uint16_t *put_number(const struct renumbering *n, uint16_t *to, uint32_t old)
{
    return to + fer_record_put(to, old < n->count ? n->numbers[old] : 0);
}

/* The units up to `to`, and the second half of a term that begins before it. Behind what is broken
 * there is nothing: `end`. */
static const uint16_t *put_units(struct renumbering *n, const uint16_t *from, const uint16_t *to,
                                 const uint16_t *end)
{
    uint16_t *put = n->to;
    while (from < to) {
        uint32_t unit = *from++;
        if (unit < FER_RECORD_MARK) {
            put = put_number(n, put, unit);
        } else if (unit >= FER_RECORD_WIDE) {
            if (from == end) break;
            put = put_number(n, put, (unit - FER_RECORD_WIDE) << 16 | *from++);
        } else if (unit - FER_RECORD_MARK < FER_FIELD_COUNT) {
            *put++ = (uint16_t)unit;
        } else {
            from = end;
        }
    }
    n->to = put;
    return from;
}

size_t fer_record_renumber(uint16_t *to, fer_record record, const uint32_t *numbers, uint32_t count)
{
    fer_record_reader r;
    struct renumbering n = {numbers, count, to + NAME};
    fer_record_open(&r, record);
    to[LENGTH] = record.count > LENGTH ? record.units[LENGTH] : 0;
    if (r.name == UINT32_MAX) *n.to++ = NO_NAME;
    else n.to = put_number(&n, n.to, r.name);
    const uint16_t *head = n.to;
    const uint16_t *at = put_units(&n, r.at, r.head_end, r.end);
    to[HEAD] = (uint16_t)(n.to - head);
    put_units(&n, at, r.end, r.end);
    return (size_t)(n.to - to);
}
