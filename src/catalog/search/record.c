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

void fer_record_add(fer_record_writer *w, unsigned field, bool starts, uint32_t term)
{
    bool head = fer_record_has_head(w, field);
    if (!head && !w->head) {
        w->head = w->count;
        w->field = FER_FIELD_COUNT;
    }
    assert(w->count + 3 <= FER_RECORD_UNITS);
    if (head ? starts : field != w->field)
        w->units[w->count++] = (uint16_t)(FER_RECORD_MARK + field);
    w->field = field;
    w->words += head;
    w->count += fer_record_put(w->units + w->count, term);
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

/* ---- renumbering ------------------------------------------------------------ */

size_t fer_record_renumber(uint16_t *to, fer_record record,
                           uint32_t (*map)(void *context, uint32_t), void *context)
{
    fer_record_reader r;
    fer_record_item item;
    size_t count = NAME;
    fer_record_open(&r, record);
    to[LENGTH] = record.count > LENGTH ? record.units[LENGTH] : 0;
    if (r.name == UINT32_MAX) to[count++] = NO_NAME;
    else count += fer_record_put(to + count, map(context, r.name));
    size_t start = count, head = 0;
    while ((item = fer_record_next(&r)) != FER_RECORD_END) {
        if (item == FER_RECORD_TEXT) to[count++] = (uint16_t)(FER_RECORD_MARK + r.field);
        else count += fer_record_put(to + count, map(context, r.term));
        if (fer_record_in_head(&r)) head = count - start;
    }
    to[HEAD] = (uint16_t)head;
    return count;
}
