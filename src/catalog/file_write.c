/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file: sizes first, then everything into one piece of memory. */
#include <string.h>

#include "arena.h"
#include "catalog_file.h"
#include "checksum.h"
#include "errors.h"
#include "file_layout.h"
#include "finder.h"
#include "vector_section.h"
#include "vectors_kept.h"

struct writing {
    const fer_table *trees[FER_FILE_GROUPS];
    struct fer_file_head head;
    char *bytes;
    struct fer_file_row *row;
    char *keys;
    size_t key_at;
    size_t at; /* of the next block */
    fer_vector_section vectors;
    fer_str sections[FER_SECTIONS];
};

static size_t rounded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* The block of a value; namespaces have none. */
static fer_code block_of(size_t group, fer_value *v, fer_str *out, fer_err *err)
{
    const fer_body *b;
    *out = FER_STR_NONE;
    if (group == FER_FILE_SPACES) return FER_OK;
    if (group == FER_FILE_DOCS) return fer_doc_json((fer_doc *)(void *)v, out, err);
    fer_code code = fer_entry_body((fer_entry *)(void *)v, &b, err);
    if (!code) *out = (fer_str){(const char *)b, b->size};
    return code;
}

typedef fer_code visitor(struct writing *w, size_t group, fer_value *v, fer_str block);

static fer_code each(struct writing *w, visitor *visit, fer_err *err)
{
    for (size_t g = 0; g < FER_FILE_GROUPS; g++) {
        fer_value *const *run;
        size_t count;
        for (size_t at = 0; (run = fer_table_run(w->trees[g], at, &count)); at += count) {
            for (size_t i = 0; i < count; i++) {
                fer_str block;
                fer_code code = block_of(g, run[i], &block, err);
                if (!code) code = visit(w, g, run[i], block);
                if (code) return code;
            }
        }
    }
    return FER_OK;
}

static fer_code measure(struct writing *w, size_t group, fer_value *v, fer_str block)
{
    w->head.counts[group]++;
    w->head.keys_size += v->key.len;
    w->at += rounded(block.len);
    return FER_OK;
}

/* What a tool has beside its block. */
static void add_numbers(const struct writing *w, const fer_entry *e, struct fer_file_row *r)
{
    r->number = e->number;
    r->content = e->content;
    r->twin = e->twin;
    r->vector = w->vectors.count ? fer_vector_section_find(&w->vectors, e->content) : FER_NO_VECTOR;
}

static fer_code place(struct writing *w, size_t group, fer_value *v, fer_str block)
{
    bool space = group == FER_FILE_SPACES;
    uint64_t check =
        space ? ((const fer_space *)(const void *)v)->tools : fer_checksum(block.ptr, block.len);
    *w->row = (struct fer_file_row){.at = space ? 0 : w->at,
                                    .check = check,
                                    .key_at = w->key_at,
                                    .key_len = (uint32_t)v->key.len,
                                    .size = (uint32_t)block.len,
                                    .number = FER_NO_NUMBER,
                                    .vector = FER_NO_VECTOR};
    if (group == FER_FILE_TOOLS) add_numbers(w, (const fer_entry *)(const void *)v, w->row);
    w->row++;
    if (v->key.len) memcpy(w->keys + w->key_at, v->key.ptr, v->key.len);
    w->key_at += v->key.len;
    if (block.len) memcpy(w->bytes + w->at, block.ptr, block.len);
    memset(w->bytes + w->at + block.len, 0, rounded(block.len) - block.len);
    w->at += rounded(block.len);
    return FER_OK;
}

static void seal(struct writing *w, size_t head_size)
{
    uint64_t sum = fer_checksum(&w->head, sizeof w->head);
    w->head.check =
        fer_checksum_mix(sum, fer_checksum(w->bytes + sizeof w->head, head_size - sizeof w->head));
    memcpy(w->bytes, &w->head, sizeof w->head);
}

/* ---- sections ------------------------------------------------------------------------------- */

/* An index that nobody opened is as it was. */
static fer_code index_of(fer_arena *a, const fer_view *v, fer_str *out, fer_err *err)
{
    if (v->next_number > fer_file_numbers_max(fer_view_count(v))) return FER_OK;
    if (v->finder) return fer_finder_freeze(a, v->finder, out, err);
    *out = fer_catalog_file_section(v->file, FER_SECTION_INDEX);
    return FER_OK;
}

static fer_code make_sections(struct writing *w, fer_arena *a, const fer_view *v, fer_err *err)
{
    fer_code code = index_of(a, v, &w->sections[FER_SECTION_INDEX], err);
    if (!code) code = fer_kept_vectors_write(a, v, &w->sections[FER_SECTION_VECTORS], err);
    if (!code && w->sections[FER_SECTION_VECTORS].len)
        fer_vector_section_open(w->sections[FER_SECTION_VECTORS], &w->vectors);
    if (w->sections[FER_SECTION_INDEX].len) w->head.numbers = v->next_number;
    return code;
}

/* Where the sections go, behind `at`; the end of the last. */
static size_t place_sections(struct writing *w, size_t at)
{
    for (size_t i = 0; i < FER_SECTIONS; i++) {
        fer_str s = w->sections[i];
        w->head.sections[i] = (struct fer_file_section){at, s.len, fer_checksum(s.ptr, s.len)};
        at += rounded(s.len);
    }
    return at;
}

static void copy_sections(struct writing *w)
{
    for (size_t i = 0; i < FER_SECTIONS; i++) {
        fer_str s = w->sections[i];
        char *to = w->bytes + w->head.sections[i].at;
        if (s.len) memcpy(to, s.ptr, s.len);
        memset(to + s.len, 0, rounded(s.len) - s.len);
    }
}

fer_code fer_catalog_file_write(fer_arena *a, const fer_view *v, fer_str events, fer_str *out,
                                fer_err *err)
{
    struct writing w = {.trees = {&v->tools, &v->pending, &v->past, &v->docs, &v->spaces},
                        .sections = {[FER_SECTION_EVENTS] = events},
                        .head = {.magic = FER_FILE_MAGIC,
                                 .format = FER_CATALOG_FORMAT,
                                 .order = FER_FILE_ORDER,
                                 .version = v->version,
                                 .stamp = v->stamp}};
    memcpy(w.head.key, v->key, sizeof v->key);
    fer_code code = each(&w, measure, err);
    if (!code) code = make_sections(&w, a, v, err);
    if (code) return code;
    size_t rows = 0;
    for (size_t g = 0; g < FER_FILE_GROUPS; g++) rows += (size_t)w.head.counts[g];
    w.head.keys_size = rounded((size_t)w.head.keys_size);
    size_t fixed = sizeof w.head + rows * sizeof *w.row;
    size_t head_size = fixed + (size_t)w.head.keys_size;
    size_t size = place_sections(&w, head_size + w.at);
    w.head.size = size;
    w.bytes = fer_arena_alloc(a, size);
    if (!w.bytes) return fer_arena_failed(a, err);
    memset(w.bytes, 0, head_size);
    w.row = (struct fer_file_row *)(void *)(w.bytes + sizeof w.head);
    w.keys = w.bytes + fixed;
    memset(w.keys, ' ', (size_t)w.head.keys_size);
    w.at = head_size;
    code = each(&w, place, err);
    if (code) return code;
    copy_sections(&w);
    seal(&w, head_size);
    *out = (fer_str){w.bytes, size};
    return FER_OK;
}
