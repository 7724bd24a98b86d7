/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Canonical form (RFC 8785 with exact numbers), equality by value, and plain
 * output. The walks keep their own stack in the arena: depth costs memory of the
 * request, never the machine's stack.
 */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "errors.h"
#include "json_canon.h"
#include "json_doc.h"
#include "json_keys.h"
#include "json_number.h"

#define CANONICAL_MAX SIZE_MAX / 4

/* A container that is being walked: what comes next, and how many are left. */
struct frame {
    const yyjson_val **keys; /* sorted keys of an object; NULL for an array */
    const yyjson_val *next;  /* next item of an array */
    size_t left;
    bool first;
};

struct walk {
    fer_arena *arena;
    struct frame *frames;
    size_t depth;
    size_t cap;
};

static struct frame *push(struct walk *w, const yyjson_val *v)
{
    if (w->depth == w->cap) {
        size_t cap = w->cap ? w->cap * 2 : 16;
        struct frame *frames =
            fer_arena_grow(w->arena, w->frames, w->cap * sizeof *frames, cap * sizeof *frames);
        if (!frames) return NULL;
        w->frames = frames;
        w->cap = cap;
    }
    struct frame *f = &w->frames[w->depth];
    *f = (struct frame){.next = v + 1, .left = fer_val_len(v), .first = true};
    if (fer_is_obj(v)) {
        f->keys = fer_keys_sorted(w->arena, v);
        if (!f->keys) return NULL;
    }
    w->depth++;
    return f;
}

/* The next member's value; its key, for an object, in *key. */
static const yyjson_val *advance(struct frame *f, const yyjson_val **key)
{
    f->left--;
    f->first = false;
    if (f->keys) {
        *key = *f->keys++;
        return *key + 1;
    }
    *key = NULL;
    const yyjson_val *v = f->next;
    f->next = fer_val_next(v);
    return v;
}

static void write_scalar(fer_buf *b, const yyjson_val *v)
{
    char number[FER_NUMBER_TEXT];
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_NULL: fer_buf_add(b, FER_STR("null")); break;
    case YYJSON_TYPE_BOOL:
        fer_buf_add(b, fer_is_true(v) ? FER_STR("true") : FER_STR("false"));
        break;
    case YYJSON_TYPE_STR: fer_buf_add_quoted(b, fer_val_str(v)); break;
    default: fer_buf_add(b, (fer_str){number, fer_number_canonical(v, number)}); break;
    }
}

static bool begin_value(struct walk *w, fer_buf *b, const yyjson_val *v)
{
    if (!fer_is_ctn(v)) {
        write_scalar(b, v);
        return true;
    }
    fer_buf_add_char(b, fer_is_obj(v) ? '{' : '[');
    return push(w, v) != NULL;
}

fer_code fer_canon_add(fer_arena *scratch, fer_buf *b, const yyjson_val *value, const char *skip,
                       fer_err *err)
{
    struct walk w = {.arena = scratch};
    if (!begin_value(&w, b, value)) return fer_arena_failed(scratch, err);
    while (w.depth > 0) {
        struct frame *f = &w.frames[w.depth - 1];
        const yyjson_val *key;
        if (f->left == 0) {
            fer_buf_add_char(b, f->keys ? '}' : ']');
            w.depth--;
            continue;
        }
        bool first = f->first;
        const yyjson_val *v = advance(f, &key);
        if (key && skip && w.depth == 1 && fer_str_is(fer_val_str(key), skip)) {
            f->first = first;
            continue;
        }
        if (!first) fer_buf_add_char(b, ',');
        if (key) {
            fer_buf_add_quoted(b, fer_val_str(key));
            fer_buf_add_char(b, ':');
        }
        if (!begin_value(&w, b, v)) return fer_arena_failed(scratch, err);
    }
    return fer_buf_code(b, err);
}

fer_code fer_json_canonical(fer_arena *a, const yyjson_val *value, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, CANONICAL_MAX);
    fer_code code = fer_canon_add(a, &b, value, NULL, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

/* ---- equality -------------------------------------------------------------------- */

static bool scalars_equal(const yyjson_val *x, const yyjson_val *y)
{
    if (fer_is_num(x)) return fer_is_num(y) && fer_number_cmp(x, y) == 0;
    if (fer_val_type(x) != fer_val_type(y)) return false;
    if (fer_is_str(x)) return fer_str_eq(fer_val_str(x), fer_val_str(y));
    if (fer_is_bool(x)) return fer_is_true(x) == fer_is_true(y);
    return true;
}

/* False where the two differ right here; containers that may be equal are pushed. */
static bool meet(struct walk *wx, struct walk *wy, const yyjson_val *x, const yyjson_val *y,
                 bool *no_memory)
{
    if (!fer_is_ctn(x) || !fer_is_ctn(y))
        return !fer_is_ctn(x) && !fer_is_ctn(y) && scalars_equal(x, y);
    if (fer_val_type(x) != fer_val_type(y) || fer_val_len(x) != fer_val_len(y)) return false;
    *no_memory = !push(wx, x) || !push(wy, y);
    return true;
}

fer_code fer_json_equal(fer_arena *scratch, const yyjson_val *x, const yyjson_val *y, bool *equal,
                        fer_err *err)
{
    struct walk wx = {.arena = scratch}, wy = {.arena = scratch};
    bool no_memory = false, same = meet(&wx, &wy, x, y, &no_memory);
    while (same && !no_memory && wx.depth > 0) {
        struct frame *fx = &wx.frames[wx.depth - 1], *fy = &wy.frames[wy.depth - 1];
        const yyjson_val *kx, *ky;
        if (fx->left == 0) {
            wx.depth--;
            wy.depth--;
            continue;
        }
        x = advance(fx, &kx);
        y = advance(fy, &ky);
        same = (!kx || fer_str_eq(fer_val_str(kx), fer_val_str(ky))) &&
               meet(&wx, &wy, x, y, &no_memory);
    }
    if (no_memory) return fer_arena_failed(scratch, err);
    *equal = same;
    return FER_OK;
}

/* ---- plain output ------------------------------------------------------------------ */

fer_code fer_json_write(fer_arena *a, const yyjson_val *value, bool pretty, fer_str *out,
                        fer_err *err)
{
    yyjson_alc alc = fer_json_alc(a);
    size_t len = 0;
    const char *text =
        yyjson_val_write_opts(value, pretty ? YYJSON_WRITE_PRETTY_TWO_SPACES : 0, &alc, &len, NULL);
    if (!text) return fer_arena_failed(a, err);
    *out = (fer_str){text, len};
    return FER_OK;
}
