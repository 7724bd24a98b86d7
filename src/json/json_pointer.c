/* SPDX-License-Identifier: Apache-2.0 */
#include "json_pointer.h"

#include <string.h>

#include "errors.h"
#include "json_value.h"
#include "print.h"

#define SHORT_PATH 1024 /* bytes of a pointer that is written without counting first */

static size_t token_len(const fer_path *step)
{
    char number[FER_DIGITS];
    if (!step->key.ptr) return fer_print_u64(number, step->index);
    size_t len = step->key.len;
    for (size_t i = 0; i < step->key.len; i++) {
        len += step->key.ptr[i] == '~' || step->key.ptr[i] == '/';
    }
    return len;
}

/* Writes a token so that it ends before `end`; gives its start. */
static char *write_token(char *end, const fer_path *step)
{
    if (!step->key.ptr) {
        char number[FER_DIGITS];
        size_t len = fer_print_u64(number, step->index);
        return memcpy(end - len, number, len);
    }
    for (size_t i = step->key.len; i-- > 0;) {
        char c = step->key.ptr[i];
        *--end = c;
        if (c != '~' && c != '/') continue;
        *end = c == '~' ? '0' : '1';
        *--end = '~';
    }
    return end;
}

/* Steps hang from the last to the first, so the text is filled from its end; gives its start. */
static char *write_tokens(char *end, const fer_path *path)
{
    for (const fer_path *p = path; p->up; p = p->up) {
        end = write_token(end, p);
        *--end = '/';
    }
    return end;
}

void fer_path_write(fer_buf *b, const fer_path *path)
{
    char text[SHORT_PATH], *end = text + sizeof text;
    size_t room = 0, total = 0;
    for (const fer_path *p = path; p->up; p = p->up) room += 1 + FER_DIGITS + 2 * p->key.len;
    if (room <= sizeof text) {
        const char *from = write_tokens(end, path);
        fer_buf_add(b, (fer_str){from, (size_t)(end - from)});
        return;
    }
    for (const fer_path *p = path; p->up; p = p->up) total += 1 + token_len(p);
    char *to = fer_buf_reserve(b, total);
    if (!to) return;
    write_tokens(to + total, path);
    b->len += total;
}

fer_str fer_path_pointer(fer_arena *a, const fer_path *path)
{
    fer_buf b;
    fer_buf_init(&b, a, (size_t)1 << 20);
    fer_path_write(&b, path);
    if (b.failure) return FER_STR_NONE;
    return b.ptr ? fer_buf_view(&b) : FER_STR("");
}

/* Compares a key with a token in which ~0 and ~1 stand for ~ and /. */
static bool token_is(fer_str token, fer_str key)
{
    size_t k = 0;
    for (size_t i = 0; i < token.len; i++, k++) {
        char c = token.ptr[i];
        if (c == '~') c = token.ptr[++i] == '0' ? '~' : '/';
        if (k >= key.len || key.ptr[k] != c) return false;
    }
    return k == key.len;
}

static bool token_is_valid(fer_str token)
{
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] != '~') continue;
        if (i + 1 == token.len || (token.ptr[i + 1] != '0' && token.ptr[i + 1] != '1'))
            return false;
    }
    return true;
}

static const yyjson_val *item_at(const yyjson_val *array, fer_str token)
{
    uint64_t wanted, i = 0;
    bool leading_zero = token.len > 1 && token.ptr[0] == '0';
    if (leading_zero || !fer_parse_u64(token, &wanted) || wanted >= fer_val_len(array)) return NULL;
    FER_EACH_ITEM (array, item) {
        if (i++ == wanted) return item;
    }
    return NULL;
}

static const yyjson_val *step(const yyjson_val *v, fer_str token)
{
    if (fer_is_arr(v)) return item_at(v, token);
    if (!fer_is_obj(v)) return NULL;
    FER_EACH_MEMBER (v, key) {
        if (token_is(token, fer_val_str(key))) return key + 1;
    }
    return NULL;
}

const yyjson_val *fer_json_at(const yyjson_val *from, fer_str pointer, fer_err *err)
{
    const yyjson_val *v = from;
    if (pointer.len > 0 && pointer.ptr[0] != '/') {
        fer_fail(err, FER_INVALID_POINTER, "a JSON Pointer is empty or begins with '/'");
        return NULL;
    }
    for (size_t at = 0; at < pointer.len;) {
        size_t end = fer_str_find(pointer, at + 1, '/');
        if (end == SIZE_MAX) end = pointer.len;
        fer_str token = fer_str_slice(pointer, at + 1, end);
        if (!token_is_valid(token)) {
            fer_fail(err, FER_INVALID_POINTER, "'~' in a JSON Pointer is followed by 0 or 1");
            return NULL;
        }
        v = step(v, token);
        if (!v) {
            fer_fail(err, FER_INVALID_POINTER, "nothing is at %.*s",
                     FER_PRI(fer_str_head(fer_str_slice(pointer, 0, end), 200)));
            return NULL;
        }
        at = end;
    }
    return v;
}

/* ---- the pointer of a value ------------------------------------------------------------- */

/* Where there is room for it in any case. */
static void pointer_add_short(fer_buf *b, fer_str name)
{
    char *to = b->ptr + b->len;
    *to++ = '/';
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        *to++ = c == '/' ? '~' : c;
        if (c == '~' || c == '/') *to++ = c == '~' ? '0' : '1';
    }
    b->len = (size_t)(to - b->ptr);
}

void fer_pointer_add(fer_buf *b, fer_str name)
{
    size_t plain = 0; /* start of the run that needs no escape */
    if (name.len < 64 && !b->failure && b->cap - b->len > 2 * name.len) {
        pointer_add_short(b, name);
        return;
    }
    fer_buf_add_char(b, '/');
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c != '~' && c != '/') continue;
        fer_buf_add(b, fer_str_slice(name, plain, i));
        fer_buf_add(b, c == '~' ? FER_STR("~0") : FER_STR("~1"));
        plain = i + 1;
    }
    fer_buf_add(b, fer_str_slice(name, plain, name.len));
}

void fer_pointer_add_index(fer_buf *b, size_t index)
{
    char text[FER_DIGITS + 1] = "/";
    fer_buf_add(b, (fer_str){text, fer_print_u64(text + 1, index) + 1});
}

/* One step from a container towards a value that is or lies in it. */
struct step {
    const yyjson_val *key; /* NULL: index counts */
    size_t index;
};

/* The item, member value or key that `value` is or lies in; NULL: there is none. */
static const yyjson_val *step_down(const yyjson_val *at, const yyjson_val *value, struct step *step)
{
    *step = (struct step){0};
    if (fer_is_obj(at)) {
        FER_EACH_MEMBER (at, key) {
            if (value >= fer_val_next(key + 1)) continue;
            step->key = key;
            return value == key ? value : key + 1;
        }
    } else if (fer_is_arr(at)) {
        FER_EACH_ITEM (at, item) {
            if (value < fer_val_next(item)) return item;
            step->index++;
        }
    }
    return NULL;
}

bool fer_pointer_of(fer_buf *b, const yyjson_val *root, const yyjson_val *value)
{
    struct step step;
    if (value < root || value >= fer_val_next(root)) return false;
    for (const yyjson_val *at = root; at && at != value && !b->failure;) {
        at = step_down(at, value, &step);
        if (step.key) fer_pointer_add(b, fer_val_str(step.key));
        else fer_pointer_add_index(b, step.index);
    }
    return true;
}

/* Bytes that a name in dotted form may have without quotes. */
static const bool dotted_plain[256] = {
    ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,  ['_'] = true,
    ['-'] = true,         ['$'] = true,         [0x80 ... 0xFF] = true};

void fer_dotted_add(fer_buf *b, fer_str name)
{
    bool plain = name.len && !fer_is_digit(name.ptr[0]);
    for (size_t i = 0; i < name.len && plain; i++) {
        plain = dotted_plain[(unsigned char)name.ptr[i]];
    }
    if (plain) {
        if (b->len) fer_buf_add_char(b, '.');
        fer_buf_add(b, name);
    } else {
        fer_buf_add_char(b, '[');
        fer_buf_add_quoted(b, name);
        fer_buf_add_char(b, ']');
    }
}

static void dotted_add_index(fer_buf *b, size_t index)
{
    char text[FER_DIGITS + 2] = "[";
    size_t len = fer_print_u64(text + 1, index) + 1;
    text[len++] = ']';
    fer_buf_add(b, (fer_str){text, len});
}

void fer_dotted_of(fer_buf *b, const yyjson_val *root, const yyjson_val *value)
{
    struct step step;
    if (value < root || value >= fer_val_next(root)) return;
    for (const yyjson_val *at = root; at && at != value && !b->failure;) {
        at = step_down(at, value, &step);
        if (step.key) fer_dotted_add(b, fer_val_str(step.key));
        else dotted_add_index(b, step.index);
    }
}

void fer_names_of(fer_buf *pointer, fer_buf *dotted, const yyjson_val *root,
                  const yyjson_val *value)
{
    struct step step;
    if (value < root || value >= fer_val_next(root)) return;
    for (const yyjson_val *at = root; at && at != value;) {
        at = step_down(at, value, &step);
        if (!pointer->failure) {
            if (step.key) fer_pointer_add(pointer, fer_val_str(step.key));
            else fer_pointer_add_index(pointer, step.index);
        }
        if (!dotted->failure) {
            if (step.key) fer_dotted_add(dotted, fer_val_str(step.key));
            else dotted_add_index(dotted, step.index);
        }
    }
}

/* ---- many values ------------------------------------------------------------------------------
 */

#define WALK_TEXT ((size_t)1 << 20) /* bytes of a pointer; what is beyond is left out */

void fer_finder_init(fer_finder *w, fer_arena *a, const yyjson_val *root)
{
    *w = (fer_finder){.arena = a, .root = root};
    fer_buf_init(&w->text, a, WALK_TEXT);
}

static const yyjson_val *child_value(const struct fer_finder_level *l)
{
    return l->child + (fer_is_obj(l->container) ? 1 : 0);
}

static void add_step(fer_finder *w, const struct fer_finder_level *l)
{
    if (fer_is_obj(l->container)) fer_pointer_add(&w->text, fer_val_str(l->child));
    else fer_pointer_add_index(&w->text, l->index);
}

/* Goes back up to where the value is below; what was left last tells where to go on. */
static struct fer_finder_level back_up(fer_finder *w, const yyjson_val *value)
{
    struct fer_finder_level left = {0};
    while (w->depth) {
        const struct fer_finder_level *l = &w->levels[w->depth - 1];
        const yyjson_val *inner = child_value(l);
        if (value >= inner && value < fer_val_next(inner)) break;
        left = *l;
        w->depth--;
        if (w->text.arena_failed || l->len == w->text.len) continue;
        w->text.len = l->len; /* its step is in the text: what was too long is gone, too */
        w->text.failure = FER_OK;
    }
    return left;
}

fer_str fer_finder_to(fer_finder *w, const yyjson_val *value)
{
    if (value < w->root || value >= fer_val_next(w->root)) return FER_STR("");
    struct fer_finder_level left = back_up(w, value);
    const yyjson_val *at = w->depth ? child_value(&w->levels[w->depth - 1]) : w->root;
    while (at != value) {
        struct fer_finder_level l = {at, at + 1, 0, w->text.len};
        if (left.container == at && left.child <= value) l = left;
        left.container = NULL;
        while (value >= fer_val_next(child_value(&l))) {
            l.child = fer_val_next(child_value(&l));
            l.index++;
        }
        struct fer_finder_level *levels =
            fer_arena_room(w->arena, w->levels, w->depth, &w->cap, sizeof *levels);
        if (!levels) return FER_STR_NONE;
        w->levels = levels;
        levels[w->depth++] = l;
        add_step(w, &l);
        at = child_value(&l);
        if (at > value) break; /* the key of a member */
    }
    if (w->text.arena_failed) return FER_STR_NONE;
    return w->text.ptr ? fer_buf_view(&w->text) : FER_STR("");
}
