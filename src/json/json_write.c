/* SPDX-License-Identifier: Apache-2.0 */
#include "json_write.h"

#include <ferrule/json.h>

#include "errors.h"
#include "json_keys.h"
#include "json_number.h"
#include "json_walk.h"

#define TEXT_MAX (SIZE_MAX / 4)

struct writing {
    struct fer_walk walk;
    fer_buf *out;
    const fer_notation *notation;
};

const yyjson_val **fer_keys_plain(fer_arena *a, const yyjson_val *object)
{
    size_t i = 0;
    const yyjson_val **keys = fer_arena_alloc_zero(a, fer_val_len(object) + 1, sizeof *keys);
    if (!keys) return NULL;
    FER_EACH_MEMBER (object, key) keys[i++] = key;
    return keys;
}

static void write_number(struct writing *w, const yyjson_val *v)
{
    char text[FER_NUMBER_TEXT];
    size_t len = w->notation->canonical ? fer_number_canonical(v, text) : fer_number_text(v, text);
    fer_buf_add(w->out, (fer_str){text, len});
}

static void write_scalar(struct writing *w, const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_NULL: fer_buf_add(w->out, FER_STR("null")); break;
    case YYJSON_TYPE_BOOL: fer_buf_add_text(w->out, fer_is_true(v) ? "true" : "false"); break;
    case YYJSON_TYPE_STR: fer_buf_add_quoted(w->out, fer_val_str(v)); break;
    default: write_number(w, v); break;
    }
}

static void new_line(struct writing *w)
{
    if (!w->notation->pretty) return;
    fer_buf_add_char(w->out, '\n');
    fer_buf_add_repeat(w->out, ' ', 2 * (w->walk.depth + w->notation->indent));
}

/* Writes a scalar or an empty container; opens any other. False: no memory. */
static bool begin_value(struct writing *w, const yyjson_val *v)
{
    const fer_notation *n = w->notation;
    const yyjson_val **keys = NULL;
    if (!fer_is_ctn(v)) {
        write_scalar(w, v);
        return true;
    }
    if (fer_val_len(v) == 0) {
        fer_buf_add_text(w->out, fer_is_obj(v) ? "{}" : "[]");
        return true;
    }
    if (fer_is_obj(v)) {
        fer_arena *a = w->walk.arena;
        keys = n->canonical ? fer_keys_sorted(a, v)
               : n->order   ? n->order(a, v, n->context)
                            : fer_keys_plain(a, v);
        if (!keys) return false;
    }
    fer_buf_add_char(w->out, keys ? '{' : '[');
    return fer_walk_push(&w->walk, v, keys);
}

static void end_container(struct writing *w)
{
    const struct fer_walk_frame *f = fer_walk_top(&w->walk);
    bool object = f->keys != NULL, empty = f->first;
    w->walk.depth--;
    if (!empty) new_line(w);
    fer_buf_add_char(w->out, object ? '}' : ']');
}

/* The next member of the container on top. */
static bool write_member(struct writing *w)
{
    struct fer_walk_frame *f = fer_walk_top(&w->walk);
    const yyjson_val *key, *v = fer_walk_advance(f, &key);
    bool outermost = w->walk.depth == 1;
    if (key && outermost && w->notation->skip && fer_str_is(fer_val_str(key), w->notation->skip))
        return true;
    if (!f->first) fer_buf_add_char(w->out, ',');
    f->first = false;
    new_line(w);
    if (key) {
        fer_buf_add_quoted(w->out, fer_val_str(key));
        fer_buf_add_text(w->out, w->notation->pretty ? ": " : ":");
    }
    return begin_value(w, v);
}

fer_code fer_write_add(fer_arena *scratch, fer_buf *b, const yyjson_val *value,
                       const fer_notation *notation, fer_err *err)
{
    struct writing w = {{.arena = scratch}, b, notation};
    bool ok = begin_value(&w, value);
    while (ok && w.walk.depth > 0 && !b->failure) {
        if (fer_walk_top(&w.walk)->left == 0) end_container(&w);
        else ok = write_member(&w);
    }
    return ok ? fer_buf_code(b, err) : fer_arena_failed(scratch, err);
}

static fer_code write_whole(fer_arena *a, const yyjson_val *value, const fer_notation *notation,
                            fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, TEXT_MAX);
    fer_code code = fer_write_add(a, &b, value, notation, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

fer_code fer_json_canonical(fer_arena *a, const yyjson_val *value, fer_str *out, fer_err *err)
{
    return write_whole(a, value, &(fer_notation){.canonical = true}, out, err);
}

fer_code fer_json_write(fer_arena *a, const yyjson_val *value, bool pretty, fer_str *out,
                        fer_err *err)
{
    return write_whole(a, value, &(fer_notation){.pretty = pretty}, out, err);
}

fer_code fer_json_quote(fer_arena *a, fer_str text, fer_str *out, fer_err *err)
{
    fer_buf b;
    for (size_t at = 0, len; at < text.len; at += len) {
        len = fer_utf8_len(text, at);
        if (!len)
            return fer_fail(err, FER_INVALID_JSON, "the text is not UTF-8 from its byte %zu on",
                            at);
    }
    fer_buf_init(&b, a, TEXT_MAX);
    fer_buf_add_quoted(&b, text);
    *out = fer_buf_view(&b);
    return fer_buf_code(&b, err);
}
