/* SPDX-License-Identifier: Apache-2.0 */
#include "edits.h"

#include <stdlib.h>

#include "buf.h"
#include "json_write.h"

bool fer_edits_add(fer_arena *a, fer_edits *edits, const fer_edit *edit)
{
    for (size_t i = 0; i < edits->count; i++) {
        const fer_edit *e = &edits->list[i];
        bool same = e->at == edit->at && e->kind == edit->kind &&
                    (e->kind != FER_EDIT_ADD || fer_str_eq(e->name, edit->name));
        if (same) return true;
    }
    fer_edit *list = fer_arena_room(a, edits->list, edits->count, &edits->cap, sizeof *list);
    if (!list) return false;
    edits->list = list;
    list[edits->count] = *edit;
    list[edits->count].number = edits->count;
    edits->count++;
    return true;
}

/* At one place, what takes the value away comes first. */
static int by_place(const void *x, const void *y)
{
    const fer_edit *e = x, *f = y;
    bool adds = e->kind == FER_EDIT_ADD;
    if (e->at != f->at) return e->at < f->at ? -1 : 1;
    if (adds != (f->kind == FER_EDIT_ADD)) return adds ? 1 : -1;
    return e->number < f->number ? -1 : e->number > f->number;
}

void fer_edits_settle(fer_edits *edits)
{
    const yyjson_val *gone = NULL; /* the end of what was taken away last */
    size_t kept = 0;
    if (edits->count) qsort(edits->list, edits->count, sizeof *edits->list, by_place);
    for (size_t i = 0; i < edits->count; i++) {
        fer_edit e = edits->list[i];
        if (gone && e.at < gone) continue;
        if (e.kind == FER_EDIT_REPLACE) gone = fer_val_next(e.at);
        if (e.kind == FER_EDIT_REMOVE) gone = fer_val_next(e.at + 1);
        edits->list[kept++] = e;
    }
    edits->count = kept;
}

/* A container that is being written. */
struct level {
    const yyjson_val *value;
    const yyjson_val *next;
    const yyjson_val *end;
    const fer_edit *adds, *adds_end; /* what is added to it */
    bool first;
};

struct writer {
    fer_arena *arena;
    fer_buf b;
    const fer_edit *edit; /* the next one, in the order of the text */
    const fer_edit *edit_end;
    struct level *levels;
    size_t depth, cap;
    bool no_memory;
};

static void comma(struct writer *w, struct level *l)
{
    if (!l->first) fer_buf_add_char(&w->b, ',');
    l->first = false;
}

/* Edits that lie inside a value that is replaced or removed go with it. */
static void skip_edits(struct writer *w, const yyjson_val *end)
{
    while (w->edit < w->edit_end && w->edit->at < end) w->edit++;
}

static void open_level(struct writer *w, const yyjson_val *v, const fer_edit *adds,
                       const fer_edit *adds_end)
{
    struct level *levels = fer_arena_room(w->arena, w->levels, w->depth, &w->cap, sizeof *levels);
    if (!levels) {
        w->no_memory = true;
        return;
    }
    w->levels = levels;
    struct level *l = &levels[w->depth++];
    *l = (struct level){v, v + 1, fer_val_next(v), adds, adds_end, true};
    fer_buf_add_char(&w->b, fer_is_obj(v) ? '{' : '[');
}

/* New members stand at the end of their object, so what is added waits there. */
static void add_members(struct writer *w, struct level *l)
{
    for (const fer_edit *e = l->adds; e < l->adds_end; e++) {
        comma(w, l);
        fer_buf_add_quoted(&w->b, e->name);
        fer_buf_add_char(&w->b, ':');
        fer_buf_add(&w->b, e->json);
    }
}

/* Writes one value, replaced or as it is; containers are opened. */
static void put(struct writer *w, const yyjson_val *v)
{
    const fer_edit *e = w->edit, *adds = w->edit;
    while (e < w->edit_end && e->at == v && e->kind == FER_EDIT_ADD) e++;
    if (e < w->edit_end && e->at == v && e->kind == FER_EDIT_REPLACE) {
        fer_buf_add(&w->b, e->json);
        skip_edits(w, fer_val_next(v));
    } else if (fer_is_ctn(v)) {
        w->edit = e;
        open_level(w, v, adds, e);
    } else {
        static const fer_notation plain;
        fer_write_add(w->arena, &w->b, v, &plain, NULL);
    }
}

static void step(struct writer *w)
{
    struct level *l = &w->levels[w->depth - 1];
    if (l->next == l->end) {
        add_members(w, l);
        fer_buf_add_char(&w->b, fer_is_obj(l->value) ? '}' : ']');
        w->depth--;
        return;
    }
    const yyjson_val *v = l->next;
    bool object = fer_is_obj(l->value);
    l->next = fer_val_next(v + object);
    if (object && w->edit < w->edit_end && w->edit->at == v && w->edit->kind == FER_EDIT_REMOVE) {
        skip_edits(w, l->next);
        return;
    }
    comma(w, l);
    if (object) {
        bool renamed = w->edit < w->edit_end && w->edit->at == v;
        if (renamed) fer_buf_add(&w->b, (w->edit++)->json);
        else fer_buf_add_quoted(&w->b, fer_val_str(v));
        fer_buf_add_char(&w->b, ':');
        v++;
    }
    put(w, v);
}

fer_code fer_edits_write(fer_arena *a, const yyjson_val *root, const fer_edits *edits, fer_str *out,
                         fer_err *err)
{
    struct writer w = {.arena = a};
    fer_buf_init(&w.b, a, fer_json_limits_file()->size);
    w.edit = edits->list;
    w.edit_end = edits->count ? edits->list + edits->count : edits->list;
    put(&w, root);
    while (w.depth && !w.no_memory && !w.b.failure) step(&w);
    if (w.no_memory) return fer_arena_failed(a, err);
    fer_code code = fer_buf_code(&w.b, err);
    if (!code) *out = fer_buf_view(&w.b);
    return code;
}

fer_code fer_edits_apply(fer_arena *a, const yyjson_val *root, const fer_edits *edits,
                         fer_json **out, fer_err *err)
{
    fer_str text = FER_STR_NONE;
    fer_code code = fer_edits_write(a, root, edits, &text, err);
    return code ? code : fer_json_read(a, text, fer_json_limits_file(), out, err);
}
