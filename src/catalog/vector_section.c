/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_section.h"

#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "errors.h"

struct head {
    fer_embedding_id id;
    uint64_t count;
};
_Static_assert(sizeof(struct head) == 56, "no gaps");

#define TAIL "\nmodel:\n"

struct tail {
    char begin[sizeof TAIL - 1];
    fer_embedding_label label;
};
_Static_assert(sizeof(struct tail) == 144, "no gaps");

bool fer_embedding_id_same(const fer_embedding_id *x, const fer_embedding_id *y)
{
    return x->model == y->model && x->dims == y->dims &&
           memcmp(x->name, y->name, sizeof x->name) == 0;
}

static bool size_of(const struct head *h, size_t *out)
{
    size_t sums, rows;
    if (h->id.dims == 0 || h->id.dims % 32 || h->id.dims > FER_EMBED_DIMS) return false;
    if (h->count >= FER_NO_VECTOR) return false;
    return fer_mul_size((size_t)h->count, sizeof(uint64_t), &sums) &&
           fer_mul_size((size_t)h->count, (size_t)h->id.dims, &rows) &&
           fer_add_size(sums, rows, out) && fer_add_size(*out, sizeof *h, out);
}

/* What is behind the rows: nothing, or a tail. */
static bool read_tail(fer_str bytes, fer_embedding_label *out)
{
    struct tail t;
    if (!bytes.len) return true;
    if (bytes.len != sizeof t) return false;
    memcpy(&t, bytes.ptr, sizeof t);
    if (memcmp(t.begin, TAIL, sizeof t.begin) != 0 || t.label.model[FER_EMBEDDING_MODEL - 1])
        return false;
    *out = t.label;
    return true;
}

bool fer_vector_section_open(fer_str bytes, fer_vector_section *out)
{
    struct head h;
    size_t size;
    fer_vector_section s = {.bytes = bytes};
    if (bytes.len < sizeof h) return false;
    memcpy(&h, bytes.ptr, sizeof h);
    if (!size_of(&h, &size) || size > bytes.len || h.id.name[FER_EMBEDDING_NAME - 1]) return false;
    if (!read_tail(fer_str_slice(bytes, size, bytes.len), &s.label)) return false;
    s.id = h.id;
    s.count = (uint32_t)h.count;
    s.sums = (const uint64_t *)(const void *)(bytes.ptr + sizeof h);
    s.rows = (const int8_t *)(s.sums + s.count);
    *out = s;
    return true;
}

uint32_t fer_vector_section_find(const fer_vector_section *s, uint64_t sum)
{
    uint32_t from = 0, to = s->count;
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;
        if (s->sums[mid] < sum) from = mid + 1;
        else to = mid;
    }
    return from < s->count && s->sums[from] == sum ? from : FER_NO_VECTOR;
}

static int by_sum(const void *x, const void *y)
{
    uint64_t a = ((const struct fer_vector_row *)x)->sum,
             b = ((const struct fer_vector_row *)y)->sum;
    return (a > b) - (a < b);
}

static size_t drop_twins(struct fer_vector_row *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!kept || list[kept - 1].sum != list[i].sum) list[kept++] = list[i];
    return kept;
}

fer_code fer_vector_section_write(fer_arena *a, const fer_embedding_id *id,
                                  const fer_embedding_label *label, struct fer_vector_row *list,
                                  size_t count, fer_str *out, fer_err *err)
{
    struct head h = {.id = *id};
    struct tail t = {TAIL, *label};
    size_t size = 0, more = label->model[0] ? sizeof t : 0;
    if (count) qsort(list, count, sizeof *list, by_sum);
    h.count = drop_twins(list, count);
    if (!size_of(&h, &size)) return fer_fail(err, FER_LIMIT_EXCEEDED, "too many vectors");
    char *bytes = fer_arena_alloc(a, size + more);
    if (!bytes) return fer_arena_failed(a, err);
    memcpy(bytes, &h, sizeof h);
    char *sums = bytes + sizeof h, *rows = sums + h.count * sizeof(uint64_t);
    for (size_t i = 0; i < h.count; i++) {
        memcpy(sums + i * sizeof list[i].sum, &list[i].sum, sizeof list[i].sum);
        memcpy(rows + i * id->dims, list[i].vector, (size_t)id->dims);
    }
    memcpy(bytes + size, &t, more);
    *out = (fer_str){bytes, size + more};
    return FER_OK;
}
