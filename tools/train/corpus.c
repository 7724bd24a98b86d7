/* SPDX-License-Identifier: Apache-2.0 */
#include <ferrule/json.h>
#include <yyjson.h>

#include "embed_static.h"
#include "errors.h"
#include "file.h"
#include "json_doc.h"
#include "map.h"
#include "tokens.h"
#include "tool_text.h"
#include "train.h"

enum {
    FILE_MAX = 1 << 30,
    DOC_WORDS_MAX = 2000
};

typedef struct reading {
    train_corpus *corpus;
    fer_map before; /* tools of this file by their words */
    fer_arena *scratch;
    fer_tokeniser *tokeniser;
    train_word words[DOC_WORDS_MAX];
    uint32_t count;
} reading;

static fer_str text_of(yyjson_val *object, const char *key)
{
    yyjson_val *v = yyjson_obj_get(object, key);
    return yyjson_is_str(v) ? (fer_str){yyjson_get_str(v), yyjson_get_len(v)} : FER_STR("");
}

static uint32_t new_id(train_corpus *c, fer_str stem)
{
    fer_str kept = fer_arena_copy(c->arena, stem);
    void **slot = kept.ptr ? fer_map_put(&c->ids, kept) : NULL;
    fer_str *room = fer_arena_room(c->arena, c->stems, c->words, &c->words_cap, sizeof *room);
    if (!slot || !room) return UINT32_MAX;
    c->stems = room;
    c->stems[c->words] = kept;
    *slot = (void *)(uintptr_t)(++c->words);
    return (uint32_t)c->words - 1;
}

uint32_t train_corpus_id(train_corpus *c, fer_str stem)
{
    uintptr_t known = (uintptr_t)fer_map_get(&c->ids, stem);
    return known ? (uint32_t)known - 1 : new_id(c, stem);
}

static fer_code read_text(reading *r, const fer_search_text *text, fer_err *err)
{
    fer_token_reader reader;
    fer_token t;
    uint8_t sentence = 0;
    fer_token_reader_init(&reader, r->tokeniser, text->text);
    while (r->count < DOC_WORDS_MAX && fer_token_next(&reader, &t)) {
        if (t.border == FER_BORDER_SENTENCE && sentence < UINT8_MAX) sentence++;
        if (t.use == FER_TOKEN_STOP) continue;
        uint32_t id = train_corpus_id(r->corpus, t.text);
        if (id == UINT32_MAX) return fer_arena_failed(r->corpus->arena, err);
        r->words[r->count++] = (train_word){id, (uint8_t)text->field, sentence};
    }
    return FER_OK;
}

/* A tool that a server offers under the very words of another says nothing new. */
static fer_code keep_doc(reading *r, fer_err *err)
{
    train_corpus *c = r->corpus;
    size_t size = r->count * sizeof(train_word);
    fer_str words = fer_arena_copy(c->arena, (fer_str){(const char *)r->words, size});
    void **slot = words.ptr ? fer_map_put(&r->before, words) : NULL;
    train_doc *room = fer_arena_room(c->arena, c->docs, c->count, &c->cap, sizeof *room);
    if (!slot || !room) return fer_arena_failed(c->arena, err);
    c->docs = room;
    if (*slot) {
        c->doubles++;
        return FER_OK;
    }
    *slot = c;
    c->docs[c->count++] = (train_doc){(const void *)words.ptr, r->count};
    return FER_OK;
}

static fer_code read_line(reading *r, fer_str line, fer_err *err)
{
    fer_json *json = NULL;
    fer_search_doc doc = {0};
    fer_arena_reset(r->scratch);
    if (fer_json_read(r->scratch, line, NULL, &json, NULL)) {
        r->corpus->skipped++;
        return FER_OK;
    }
    yyjson_val *tool = json->vals; /* yyjson's functions take what they do not change */
    fer_tool_head head = {.ns = text_of(tool, "namespace"),
                          .name = text_of(tool, "name"),
                          .title = text_of(tool, "title"),
                          .description = text_of(tool, "description"),
                          .tags = yyjson_obj_get(tool, "tags")};
    fer_code code =
        fer_tool_text(r->scratch, &head, yyjson_obj_get(tool, "inputSchema"), &doc, err);
    r->count = 0;
    memset(r->words, 0, sizeof r->words); /* padding is compared too */
    for (size_t i = 0; !code && i < doc.count; i++) code = read_text(r, &doc.texts[i], err);
    return code ? code : keep_doc(r, err);
}

static fer_code read_file(reading *r, const char *path, fer_err *err)
{
    fer_arena *a = fer_arena_new(FILE_MAX);
    fer_str text = FER_STR_NONE;
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "no memory");
    fer_code code = fer_file_read(a, path, FILE_MAX, &text, err);
    fer_map_init(&r->before, r->corpus->arena);
    for (size_t at = 0; !code && at < text.len;) {
        size_t end = fer_str_find(text, at, '\n');
        if (end > text.len) end = text.len;
        if (end > at) code = read_line(r, fer_str_slice(text, at, end), err);
        at = end + 1;
    }
    fer_arena_free(a);
    return code;
}

fer_code train_corpus_count(train_corpus *c, fer_err *err)
{
    size_t *last = fer_arena_alloc_zero(c->arena, c->words + 1, sizeof *last);
    c->tools = fer_arena_alloc_zero(c->arena, c->words + 1, sizeof *c->tools);
    if (!last || !c->tools) return fer_arena_failed(c->arena, err);
    for (size_t d = 0; d < c->count; d++)
        for (uint32_t i = 0; i < c->docs[d].count; i++) {
            uint32_t id = c->docs[d].words[i].id;
            c->tools[id] += last[id] != d + 1;
            last[id] = d + 1;
        }
    return FER_OK;
}

fer_code train_corpus_read(train_corpus *c, char *const *paths, size_t count, fer_err *err)
{
    reading *r = fer_arena_alloc_zero(c->arena, 1, sizeof *r);
    if (!r) return fer_arena_failed(c->arena, err);
    r->corpus = c;
    r->scratch = fer_arena_new(64 << 20);
    r->tokeniser = fer_tokeniser_new();
    fer_map_init(&c->ids, c->arena);
    fer_code code =
        r->scratch && r->tokeniser ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "no memory");
    for (size_t i = 0; !code && i < count; i++) code = read_file(r, paths[i], err);
    fer_arena_free(r->scratch);
    fer_tokeniser_free(r->tokeniser);
    return code;
}

void train_corpus_trim(train_corpus *c, uint32_t least)
{
    for (size_t i = 0; i < c->words; i++)
        if (c->tools[i] < least) c->tools[i] = 0;
}
