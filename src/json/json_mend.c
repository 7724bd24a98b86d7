/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers are compared child by child. Children of the old one that have a partner in the new
 * one stay, others are cut together with a comma, and new ones come behind the partner of
 * the child before them. Pairs that are still to be compared wait in a list, so depth costs
 * memory of the arena only.
 */
#include "json_mend.h"

#include <stdlib.h>

#include "buf.h"
#include "errors.h"
#include "json_skim.h"
#include "json_write.h"

#define ALIGN_MAX 256 /* items on both sides up to which arrays are aligned item by item */

/* How the text writes things. */
struct style {
    bool lines;       /* it has more than one */
    bool flat_arrays; /* those of scalars stand on one line */
    bool flat_objects;
    fer_str end;   /* of a line */
    fer_str unit;  /* of indent */
    fer_str colon; /* with its blanks */
    fer_str comma; /* the blanks behind one on a line */
};

struct pair {
    const yyjson_val *from, *to;
};

/* A child of a container: a member by its key, or an item. */
struct child {
    const yyjson_val *key; /* NULL: an item */
    const yyjson_val *value;
    size_t start, end;     /* in the text; of the old container only */
    struct child *partner; /* on the other side, or NULL */
};

struct children {
    struct child *list;
    size_t count;
};

struct mender {
    fer_arena *arena;
    const fer_mended *in;
    struct style style;
    fer_splices *out;
    struct pair *waiting;
    size_t count, cap;
    fer_err *err;
};

static fer_code no_memory(struct mender *m)
{
    return fer_arena_failed(m->arena, m->err);
}

static fer_code splice(struct mender *m, size_t from, size_t to, fer_str text)
{
    fer_splices *s = m->out;
    fer_splice *list = fer_arena_room(m->arena, s->list, s->count, &s->cap, sizeof *list);
    if (!list) return no_memory(m);
    s->list = list;
    list[s->count++] = (fer_splice){from, to, text};
    return FER_OK;
}

static fer_code wait_for(struct mender *m, const yyjson_val *from, const yyjson_val *to)
{
    struct pair *list = fer_arena_room(m->arena, m->waiting, m->count, &m->cap, sizeof *list);
    if (!list) return no_memory(m);
    m->waiting = list;
    list[m->count++] = (struct pair){from, to};
    return FER_OK;
}

static size_t place_of(const fer_mended *in, const yyjson_val *v)
{
    return in->base + fer_json_offset(in->doc, v);
}

/* -- The style of the text -- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The blanks that end at `at`. */
static fer_str blanks_before(fer_str text, size_t at)
{
    size_t from = at;
    while (from > 0 && is_blank(text.ptr[from - 1])) from--;
    return fer_str_slice(text, from, at);
}

/* What stands before the first thing of the line that `at` is in. */
static fer_str indent_at(fer_str text, size_t at)
{
    size_t start = at, end;
    while (start > 0 && text.ptr[start - 1] != '\n') start--;
    for (end = start; end < at && (text.ptr[end] == ' ' || text.ptr[end] == '\t'); end++) continue;
    return fer_str_slice(text, start, end);
}

static bool has_line_end(fer_str s)
{
    return s.len && memchr(s.ptr, '\n', s.len) != NULL;
}

/* Whether nothing in a container is a container that holds something. */
static bool is_flat(const yyjson_val *v)
{
    for (const yyjson_val *c = v + 1; c < fer_val_next(v); c++) {
        if (fer_is_ctn(c) && fer_val_len(c)) return false;
    }
    return true;
}

/* One step of indent: how much further in the first child on a line of its own stands. */
static bool learn_unit(struct style *s, const fer_mended *in, const yyjson_val *container)
{
    size_t first = place_of(in, container + 1);
    fer_str outer = indent_at(in->text, place_of(in, container)),
            inner = indent_at(in->text, first);
    bool told = has_line_end(blanks_before(in->text, first)) && inner.len > outer.len;
    if (told) s->unit = fer_str_slice(inner, outer.len, inner.len);
    return told;
}

static void learn_colon(struct style *s, const fer_mended *in, const yyjson_val *key)
{
    size_t at = place_of(in, key);
    s->colon =
        fer_str_slice(in->text, at + fer_json_token_len(in->text, at), place_of(in, key + 1));
}

static fer_str learn_end(fer_str text)
{
    size_t at = fer_str_find(text, 0, '\n');
    return at != SIZE_MAX && at && text.ptr[at - 1] == '\r' ? FER_STR("\r\n") : FER_STR("\n");
}

/* From the first of each kind in the document. */
static void learn_style(struct style *s, const fer_mended *in)
{
    const fer_json *doc = in->doc;
    bool arrays = false, objects = false, unit = !has_line_end(doc->text);
    *s = (struct style){
        .lines = !unit, .flat_arrays = true, .unit = FER_STR("  "), .end = learn_end(in->text)};
    for (size_t i = 0; i < doc->count; i++) {
        const yyjson_val *v = &doc->vals[i];
        if (!fer_is_ctn(v) || !fer_val_len(v)) continue;
        if (!unit) unit = learn_unit(s, in, v);
        if (fer_is_obj(v) && !s->colon.len) learn_colon(s, in, v + 1);
        bool *known = fer_is_obj(v) ? &objects : &arrays;
        if (*known || !is_flat(v)) continue;
        *known = true;
        *(fer_is_obj(v) ? &s->flat_objects : &s->flat_arrays) =
            !has_line_end(blanks_before(in->text, place_of(in, v + 1)));
    }
    if (!s->colon.len) s->colon = s->lines ? FER_STR(": ") : FER_STR(":");
    s->comma = fer_str_ends(s->colon, " ") ? FER_STR(" ") : FER_STR("");
}

/* -- New values in that style -- */

struct writing {
    const struct style *style;
    fer_buf *buf;
    fer_str indent; /* of the line that the value starts in */
};

/* A frame of what is being written. */
struct open {
    const yyjson_val *next, *end;
    bool object, inlined, first;
};

static void new_line(struct writing *w, size_t depth)
{
    fer_buf_add(w->buf, w->style->end);
    fer_buf_add(w->buf, w->indent);
    for (size_t i = 0; i < depth; i++) fer_buf_add(w->buf, w->style->unit);
}

static bool on_one_line(const struct style *s, const yyjson_val *v)
{
    bool flat = fer_is_obj(v) ? s->flat_objects : s->flat_arrays;
    return !s->lines || !fer_val_len(v) || (flat && is_flat(v));
}

static fer_code write_scalar(struct mender *m, fer_buf *b, const yyjson_val *v)
{
    fer_notation plain = {0};
    return fer_write_add(m->arena, b, v, &plain, m->err);
}

/* The child before which the writer stands: its separator, and its key. */
static fer_code write_lead(struct mender *m, struct writing *w, struct open *o, size_t depth)
{
    if (!o->first) {
        fer_buf_add_char(w->buf, ',');
        if (o->inlined) fer_buf_add(w->buf, w->style->comma);
    }
    o->first = false;
    if (!o->inlined) new_line(w, depth);
    if (!o->object) return FER_OK;
    fer_code code = write_scalar(m, w->buf, o->next++);
    fer_buf_add(w->buf, w->style->colon);
    return code;
}

static fer_code write_value(struct mender *m, fer_buf *b, fer_str indent, const yyjson_val *value)
{
    struct writing w = {&m->style, b, indent};
    struct open *stack = NULL;
    size_t depth = 0, cap = 0;
    fer_code code = FER_OK;
    for (const yyjson_val *v = value; v && !code;) {
        if (fer_is_ctn(v)) {
            stack = fer_arena_room(m->arena, stack, depth, &cap, sizeof *stack);
            if (!stack) return no_memory(m);
            bool inlined = on_one_line(&m->style, v) || (depth && stack[depth - 1].inlined);
            stack[depth++] = (struct open){v + 1, fer_val_next(v), fer_is_obj(v), inlined, true};
            fer_buf_add_char(b, fer_is_obj(v) ? '{' : '[');
        } else {
            code = write_scalar(m, b, v);
        }
        v = NULL;
        while (depth && stack[depth - 1].next == stack[depth - 1].end) {
            struct open *o = &stack[--depth];
            if (!o->inlined) new_line(&w, depth);
            fer_buf_add_char(b, o->object ? '}' : ']');
        }
        if (depth && !code) {
            struct open *o = &stack[depth - 1];
            code = write_lead(m, &w, o, depth);
            v = o->next;
            o->next = fer_val_next(v);
        }
    }
    return code;
}

/* -- Children and their partners -- */

static fer_code list_children(struct mender *m, const yyjson_val *v, bool placed,
                              struct children *out)
{
    fer_str text = m->in->text;
    bool object = fer_is_obj(v);
    *out =
        (struct children){fer_arena_alloc_zero(m->arena, fer_val_len(v) + 1, sizeof *out->list), 0};
    if (!out->list) return no_memory(m);
    for (const yyjson_val *c = v + 1; c < fer_val_next(v);) {
        const yyjson_val *value = object ? c + 1 : c;
        struct child *child = &out->list[out->count++];
        *child = (struct child){.key = object ? c : NULL, .value = value};
        if (placed) {
            child->start = place_of(m->in, c);
            child->end = fer_skim_value(text, place_of(m->in, value));
        }
        c = fer_val_next(value);
    }
    return FER_OK;
}

static void marry(struct child *a, struct child *b)
{
    a->partner = b;
    b->partner = a;
}

static int by_key(const void *a, const void *b)
{
    const struct child *const *x = a, *const *y = b;
    return fer_str_cmp(fer_val_str((*x)->key), fer_val_str((*y)->key));
}

static struct child **sorted(struct mender *m, const struct children *c)
{
    struct child **list = fer_arena_alloc_zero(m->arena, c->count + 1, sizeof(struct child *));
    if (!list) return NULL;
    for (size_t i = 0; i < c->count; i++) list[i] = &c->list[i];
    qsort(list, c->count, sizeof *list, by_key);
    return list;
}

static fer_code pair_members(struct mender *m, const struct children *old,
                             const struct children *new)
{
    struct child **x = sorted(m, old), **y = sorted(m, new);
    if (!x || !y) return no_memory(m);
    for (size_t i = 0, j = 0; i < old->count && j < new->count;) {
        int order = by_key(&x[i], &y[j]);
        if (order == 0) marry(x[i], y[j]);
        i += order <= 0;
        j += order >= 0;
    }
    return FER_OK;
}

static fer_code is_equal(struct mender *m, const struct child *a, const struct child *b, bool *out)
{
    return fer_json_equal(m->arena, a->value, b->value, out, m->err);
}

/* What is left between two anchors: as many as both sides have changed in place. */
static void pair_rest(struct child *old, size_t olds, struct child *new, size_t news)
{
    for (size_t i = 0; i < olds && i < news; i++) marry(&old[i], &new[i]);
}

/* The longest common run of items, so that one that goes leaves the others where they are. */
static fer_code align(struct mender *m, struct child *old, size_t olds, struct child *new,
                      size_t news)
{
    size_t width = news + 1;
    uint16_t *best = fer_arena_alloc_zero(m->arena, (olds + 1) * width, sizeof *best);
    bool *same = fer_arena_alloc_zero(m->arena, olds * news + 1, sizeof *same);
    if (!best || !same) return no_memory(m);
    for (size_t i = olds; i-- > 0;) {
        for (size_t j = news; j-- > 0;) {
            fer_code code = is_equal(m, &old[i], &new[j], &same[i * news + j]);
            if (code) return code;
            uint16_t down = best[(i + 1) * width + j], right = best[i * width + j + 1];
            best[i * width + j] = same[i * news + j] ? (uint16_t)(best[(i + 1) * width + j + 1] + 1)
                                  : down > right     ? down
                                                     : right;
        }
    }
    size_t i = 0, j = 0, rest_i = 0, rest_j = 0;
    while (i < olds && j < news) {
        if (same[i * news + j]) {
            pair_rest(old + rest_i, i - rest_i, new + rest_j, j - rest_j);
            marry(&old[i++], &new[j++]);
            rest_i = i;
            rest_j = j;
        } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    pair_rest(old + rest_i, olds - rest_i, new + rest_j, news - rest_j);
    return FER_OK;
}

static fer_code pair_items(struct mender *m, const struct children *old, const struct children *new)
{
    if (old->count != new->count && old->count <= ALIGN_MAX &&new->count <= ALIGN_MAX) {
        return align(m, old->list, old->count, new->list, new->count);
    }
    pair_rest(old->list, old->count, new->list, new->count);
    return FER_OK;
}

/* -- What changes in a container -- */

/* A member that goes where another comes with the same value has a new name, no more. */
static fer_code rename_members(struct mender *m, const struct children *old,
                               const struct children *new)
{
    fer_code code = FER_OK;
    for (size_t i = 0, j = 0; i < old->count && j < new->count && !code;) {
        struct child *x = &old->list[i], *y = &new->list[j];
        bool equal = false;
        if (x->partner || y->partner) {
            i += x->partner != NULL;
            j += y->partner != NULL;
            continue;
        }
        code = is_equal(m, x, y, &equal);
        i++;
        j++;
        if (code || !equal) continue;
        fer_buf b;
        fer_buf_init(&b, m->arena, SIZE_MAX / 2);
        code = write_scalar(m, &b, y->key);
        if (!code) code = fer_buf_code(&b, m->err);
        if (!code)
            code = splice(m, x->start, x->start + fer_json_token_len(m->in->text, x->start),
                          fer_buf_view(&b));
        marry(x, y);
    }
    return code;
}

/* Cuts children without a partner, each run with the comma before or behind it. */
static fer_code cut(struct mender *m, const struct children *old)
{
    size_t kept_end = 0;
    for (size_t i = 0; i < old->count;) {
        if (old->list[i].partner) {
            kept_end = old->list[i++].end;
            continue;
        }
        size_t last = i;
        while (last + 1 < old->count && !old->list[last + 1].partner) last++;
        bool inside = last + 1 < old->count;
        size_t from = inside ? old->list[i].start : kept_end;
        size_t to = inside ? old->list[last + 1].start : old->list[last].end;
        fer_code code = splice(m, from, to, FER_STR(""));
        if (code) return code;
        i = last + 1;
    }
    return FER_OK;
}

/* What stands between two children: the blanks behind a comma. */
static fer_str blanks_between(const struct mender *m, const struct children *old)
{
    fer_str text = m->in->text;
    if (old->count > 1) return blanks_before(text, old->list[1].start);
    fer_str first = blanks_before(text, old->list[0].start);
    return has_line_end(first) ? first : m->style.comma;
}

/* A child, with its key, as it is written after `blanks`. */
static fer_code write_child(struct mender *m, fer_buf *b, fer_str blanks, const struct child *c)
{
    size_t end = blanks.len;
    while (end > 0 && blanks.ptr[end - 1] != '\n') end--;
    fer_str indent = has_line_end(blanks) ? fer_str_slice(blanks, end, blanks.len) : FER_STR("");
    if (c->key) {
        fer_code code = write_scalar(m, b, c->key);
        if (code) return code;
        fer_buf_add(b, m->style.colon);
    }
    return write_value(m, b, indent, c->value);
}

/* Children that are new, from `first` on, behind the old one `after`, or before the first that
 * stays. */
static fer_code insert(struct mender *m, const struct children *old, const struct child *first,
                       size_t count, const struct child *after)
{
    fer_buf b;
    fer_code code = FER_OK;
    fer_str blanks = blanks_between(m, old);
    const struct style usual = m->style;
    size_t at;
    fer_buf_init(&b, m->arena, SIZE_MAX / 2);
    /* Among others on one line it stands on that line, too. */
    m->style.lines = m->style.lines && has_line_end(blanks);
    for (size_t i = 0; i < count && !code; i++) {
        if (after) fer_buf_add_char(&b, ',');
        if (after) fer_buf_add(&b, blanks);
        code = write_child(m, &b, blanks, &first[i]);
        if (!after) fer_buf_add_char(&b, ',');
        if (!after) fer_buf_add(&b, blanks);
    }
    m->style = usual;
    if (!code) code = fer_buf_code(&b, m->err);
    if (code) return code;
    if (after) {
        at = after->end;
    } else {
        const struct child *kept = old->list;
        while (!kept->partner) kept++;
        at = kept->start;
    }
    return splice(m, at, at, fer_buf_view(&b));
}

static fer_code insert_all(struct mender *m, const struct children *old, const struct children *new)
{
    const struct child *after = NULL;
    fer_code code = FER_OK;
    for (size_t i = 0; i < new->count && !code;) {
        if (new->list[i].partner) {
            after = new->list[i++].partner;
            continue;
        }
        size_t first = i;
        while (i < new->count && !new->list[i].partner) i++;
        code = insert(m, old, &new->list[first], i - first, after);
    }
    return code;
}

static fer_code replace(struct mender *m, const yyjson_val *from, const yyjson_val *to)
{
    const struct style usual = m->style;
    size_t at = place_of(m->in, from), end = fer_skim_value(m->in->text, at);
    fer_buf b;
    fer_buf_init(&b, m->arena, SIZE_MAX / 2);
    /* What stood on one line stays on it. */
    if (fer_is_ctn(from) && fer_val_len(from) && !has_line_end(fer_str_slice(m->in->text, at, end)))
        m->style.lines = false;
    fer_code code = write_value(m, &b, indent_at(m->in->text, at), to);
    m->style = usual;
    if (!code) code = fer_buf_code(&b, m->err);
    return code ? code : splice(m, at, end, fer_buf_view(&b));
}

/* Whether any child of one is a child of the other. */
static bool some_stay(const struct children *old)
{
    for (size_t i = 0; i < old->count; i++) {
        if (old->list[i].partner) return true;
    }
    return false;
}

static fer_code mend_container(struct mender *m, const yyjson_val *from, const yyjson_val *to)
{
    struct children old, new;
    fer_code code = list_children(m, from, true, &old);
    if (!code) code = list_children(m, to, false, &new);
    if (!code) code = fer_is_obj(from) ? pair_members(m, &old, &new) : pair_items(m, &old, &new);
    if (!code && fer_is_obj(from)) code = rename_members(m, &old, &new);
    if (code) return code;
    if (!some_stay(&old)) return old.count || new.count ? replace(m, from, to) : FER_OK;
    code = insert_all(m, &old, &new);
    if (!code) code = cut(m, &old);
    for (size_t i = 0; i < old.count && !code; i++) {
        struct child *partner = old.list[i].partner;
        if (partner) code = wait_for(m, old.list[i].value, partner->value);
    }
    return code;
}

static fer_code mend_pair(struct mender *m, const yyjson_val *from, const yyjson_val *to)
{
    bool equal;
    fer_code code = fer_json_equal(m->arena, from, to, &equal, m->err);
    if (code || equal) return code;
    bool alike = fer_is_ctn(from) && fer_val_type(from) == fer_val_type(to);
    return alike ? mend_container(m, from, to) : replace(m, from, to);
}

fer_code fer_json_mend(fer_arena *a, const fer_mended *in, const yyjson_val *from,
                       const yyjson_val *to, fer_splices *out, fer_err *err)
{
    struct mender m = {.arena = a, .in = in, .out = out, .err = err};
    learn_style(&m.style, in);
    fer_code code = wait_for(&m, from, to);
    while (m.count && !code) {
        struct pair p = m.waiting[--m.count];
        code = mend_pair(&m, p.from, p.to);
    }
    return code;
}

/* In the order of the text; what is put in at a place comes before what is cut from there. */
static int by_place(const void *a, const void *b)
{
    const fer_splice *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

fer_code fer_splices_apply(fer_arena *a, fer_str text, fer_splices *splices, fer_str *out,
                           fer_err *err)
{
    fer_buf b;
    size_t at = 0;
    fer_buf_init(&b, a, SIZE_MAX / 2);
    if (splices->count) qsort(splices->list, splices->count, sizeof *splices->list, by_place);
    for (size_t i = 0; i < splices->count; i++) {
        const fer_splice *s = &splices->list[i];
        assert(s->from >= at && s->to <= text.len);
        fer_buf_add(&b, fer_str_slice(text, at, s->from));
        fer_buf_add(&b, s->text);
        at = s->to;
    }
    fer_buf_add(&b, fer_str_slice(text, at, text.len));
    *out = fer_buf_view(&b);
    return fer_buf_code(&b, err);
}
