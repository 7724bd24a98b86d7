/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a finding is: the field of the instance as a pointer and dotted, the path through the
 * keywords, and the URI of the keyword. Nearly all names in these are plain, which is to say
 * that they are the same in all four forms: then the lengths are known before anything is
 * written, and all of it gets one piece of memory, written once.
 */
#include "errors.h"
#include "explain.h"
#include "json_pointer.h"
#include "print.h"
#include "uri.h"

#define TEXT_MAX ((size_t)64 << 10) /* bytes of one text of a finding */

/* ---- in any case ---------------------------------------------------------------------------- */

/* A pointer; one that is too long ends at the last step that fits. ptr NULL: no memory. */
static fer_str pointer_text(const fer_buf *b)
{
    if (b->arena_failed) return FER_STR_NONE;
    fer_str text = b->ptr ? fer_buf_view(b) : FER_STR("");
    if (!b->failure) return text;
    while (text.len && text.ptr[text.len - 1] != '/') text.len--;
    if (text.len) text.len--;
    return text;
}

/* The `count` units above, from the one next to the root down. */
static void add_chain(fer_buf *b, const fer_unit *u, const fer_unit **chain, size_t count)
{
    for (size_t n = 0; n < count; n++, u = u->up) chain[n] = u;
    while (count > 0) {
        const fer_unit *at = chain[--count];
        fer_str name = fer_slot_name((enum fer_slot)at->keyword);
        fer_buf_add_char(b, '/');
        fer_buf_add(b, name);
        if (at->plain) continue;
        if (at->key) fer_pointer_add(b, fer_val_str(at->key));
        else fer_pointer_add_index(b, at->branch);
    }
}

#define FEW_UNITS  32
#define MANY_UNITS ((size_t)FER_TELL_DEPTH * 4) /* those further up are left out */

static void add_long_chain(fer_buf *b, const fer_unit *u, size_t count)
{
    const fer_unit *chain[MANY_UNITS];
    add_chain(b, u, chain, count);
}

/* Without recursion; and a place for very many units is only made where there are. */
static void add_evaluation_path(fer_buf *b, const fer_unit *u)
{
    const fer_unit *chain[FEW_UNITS];
    size_t count = 0;
    for (const fer_unit *at = u; at->up && count < MANY_UNITS; at = at->up) count++;
    if (count <= FEW_UNITS) add_chain(b, u, chain, count);
    else add_long_chain(b, u, count);
}

fer_str fer_evaluation_path(fer_arena *a, const fer_unit *u, fer_str keyword)
{
    fer_buf b;
    fer_buf_init(&b, a, TEXT_MAX);
    add_evaluation_path(&b, u);
    if (keyword.len) fer_pointer_add(&b, keyword);
    return pointer_text(&b);
}

fer_str fer_schema_location(fer_arena *a, const struct fer_schema *s, const fer_node *node,
                            const yyjson_val *value)
{
    const fer_resource *r = fer_node_resource(s, node);
    fer_buf pointer, b;
    fer_buf_init(&pointer, a, TEXT_MAX);
    fer_buf_init(&b, a, TEXT_MAX);
    fer_pointer_of(&pointer, r->root, value);
    fer_str path = pointer_text(&pointer);
    if (!path.ptr) return FER_STR_NONE;
    fer_buf_add(&b, r->uri);
    fer_buf_add_char(&b, '#');
    fer_uri_add_fragment(&b, path);
    return pointer_text(&b);
}

/* `member` is one that the value lacks; ptr NULL: the finding is about the value. */
static void where_at_length(fer_teller *t, fer_violation *v, fer_str member)
{
    fer_buf pointer, dotted, path;
    bool whole = v->schema == v->unit->node->schema;
    fer_buf_init(&pointer, t->arena, TEXT_MAX);
    fer_buf_init(&dotted, t->arena, TEXT_MAX);
    fer_buf_init(&path, t->arena, TEXT_MAX);
    fer_names_of(&pointer, &dotted, t->root, v->value);
    if (member.ptr) {
        fer_pointer_add(&pointer, member);
        fer_dotted_add(&dotted, member);
    }
    add_evaluation_path(&path, v->unit);
    if (!whole) fer_pointer_add(&path, v->keyword);
    v->field = member.ptr ? fer_say_text(t, &pointer) : pointer_text(&pointer);
    v->dotted = fer_say_text(t, &dotted);
    v->keyword_location = pointer_text(&path);
    v->absolute_location = fer_schema_location(t->arena, t->program, v->unit->node, v->schema);
    t->no_memory |= !v->field.ptr || !v->keyword_location.ptr || !v->absolute_location.ptr;
}

/* ---- with plain names ----------------------------------------------------------------------- */

#define STEPS     24
#define STEP_TEXT 200 /* bytes of a name */

/* Bytes that are the same in a pointer, in dotted form and in the fragment of a URI. */
static const bool plain_byte[256] = {['0' ... '9'] = true, ['A' ... 'Z'] = true,
                                     ['a' ... 'z'] = true, ['_'] = true,
                                     ['-'] = true,         ['$'] = true};

static bool is_plain(fer_str name)
{
    if (name.len - 1 >= STEP_TEXT || fer_is_digit(name.ptr[0])) return false; /* "" too */
    for (size_t i = 0; i < name.len; i++) {
        if (!plain_byte[(unsigned char)name.ptr[i]]) return false;
    }
    return true;
}

/* A way down, filled from either end. */
struct steps {
    fer_str *from, *to;
    size_t bytes;   /* of all names */
    size_t indices; /* steps that are one */
    fer_str list[STEPS];
    char digits[STEPS][FER_DIGITS];
};

static bool is_index(const fer_str *step)
{
    return fer_is_digit(step->ptr[0]);
}

static fer_str index_text(struct steps *s, const fer_str *step, size_t index)
{
    char *digits = s->digits[step - s->list];
    s->indices++;
    return (fer_str){digits, fer_print_u64(digits, index)};
}

/* One more behind the last. False: it is not plain, or there are too many. */
static bool step_to(struct steps *s, fer_str name)
{
    if (s->to == s->list + STEPS || !is_plain(name)) return false;
    s->bytes += name.len;
    *s->to++ = name;
    return true;
}

/* From a value down to one that is in it, or to the key of one. */
static bool steps_down(struct steps *s, const yyjson_val *at, const yyjson_val *value)
{
    s->from = s->to = s->list;
    s->bytes = s->indices = 0;
    if (value < at || value >= fer_val_next(at)) return value == at;
    while (at != value) {
        const yyjson_val *next;
        if (fer_is_obj(at)) {
            const yyjson_val *key = at + 1;
            while (value >= (next = fer_val_next(key + 1))) key = next;
            if (!step_to(s, fer_val_str(key))) return false;
            at = value == key ? value : key + 1;
        } else {
            size_t index = 0;
            for (at++; value >= (next = fer_val_next(at)); at = next) index++;
            if (s->to == s->list + STEPS) return false;
            *s->to = index_text(s, s->to, index);
            s->bytes += s->to++->len;
        }
    }
    return true;
}

/* Keywords whose subschemas stand in them, so that the way to these is the way in the text. */
#define STANDS_IN                                                                                  \
    (UINT64_C(1) << KW_PROPERTIES | UINT64_C(1) << KW_PATTERN_PROPERTIES |                         \
     UINT64_C(1) << KW_ADDITIONAL_PROPERTIES | UINT64_C(1) << KW_ITEMS |                           \
     UINT64_C(1) << KW_PREFIX_ITEMS | UINT64_C(1) << KW_ALL_OF | UINT64_C(1) << KW_ANY_OF |        \
     UINT64_C(1) << KW_ONE_OF)

/* From a keyword (or "") up to the root. `*seen` gets the keywords of the way, as bits. */
static bool steps_up(struct steps *s, const fer_unit *u, fer_str keyword, uint64_t *seen)
{
    s->from = s->to = s->list + STEPS;
    s->bytes = s->indices = 0;
    *seen = 0;
    if (keyword.len) {
        if (!is_plain(keyword)) return false;
        *--s->from = keyword;
        s->bytes += keyword.len;
    }
    for (; u->up; u = u->up) {
        if (s->from - s->list < 2) return false;
        *seen |= UINT64_C(1) << u->keyword;
        if (!u->plain) {
            fer_str name = u->key ? fer_val_str(u->key) : FER_STR("");
            if (u->key && !is_plain(name)) return false;
            s->from--;
            *s->from = u->key ? name : index_text(s, s->from, u->branch);
            s->bytes += s->from->len;
        }
        *--s->from = fer_slot_name((enum fer_slot)u->keyword);
        s->bytes += s->from->len;
    }
    return true;
}

/* Whether the way through the keywords is that from the resource's root to the value. */
static bool is_same_way(const fer_teller *t, const fer_resource *r, const fer_violation *v,
                        uint64_t seen)
{
    const fer_node *node = v->unit->node;
    if (r->root != t->program->root->schema || (seen & ~STANDS_IN)) return false;
    if (v->schema == node->schema) return true;
    if (!fer_is_obj(node->schema)) return false;
    FER_EACH_MEMBER (node->schema, key) {
        if (key + 1 >= v->schema) return key + 1 == v->schema;
    }
    return false;
}

static size_t pointer_len(const struct steps *s)
{
    return s->bytes + (size_t)(s->to - s->from);
}

static char *put_pointer(char *at, const struct steps *s)
{
    for (const fer_str *step = s->from; step < s->to; step++) {
        *at++ = '/';
        at = fer_put(at, *step);
    }
    return at;
}

static char *put_dotted(char *at, const struct steps *s)
{
    for (const fer_str *step = s->from; step < s->to; step++) {
        bool index = is_index(step);
        if (index) *at++ = '[';
        else if (step > s->from) *at++ = '.';
        at = fer_put(at, *step);
        if (index) *at++ = ']';
    }
    return at;
}

static fer_str between(const char *from, const char *to)
{
    return (fer_str){from, (size_t)(to - from)};
}

static bool where_plainly(fer_teller *t, fer_violation *v, fer_str member)
{
    struct steps field, path, inside;
    uint64_t seen;
    const fer_unit *u = v->unit;
    const fer_resource *r = fer_node_resource(t->program, u->node);
    bool whole = v->schema == u->node->schema;
    fer_str keyword = whole ? FER_STR("") : v->keyword;
    if (!whole && !keyword.len) return false;
    if (!steps_down(&field, t->root, v->value) || !steps_up(&path, u, keyword, &seen)) return false;
    if (member.ptr && !step_to(&field, member)) return false;
    bool same = is_same_way(t, r, v, seen);
    if (!same && !steps_down(&inside, r->root, v->schema)) return false;
    /* Quoted, as sentences want it, the dotted form has a mark before and behind. */
    size_t size = pointer_len(&field) * 2 + field.indices + 2 + r->uri.len + 1 +
                  pointer_len(&path) + (same ? 0 : pointer_len(&inside));
    char *at = fer_arena_alloc(t->arena, size), *start = at;
    if (!at) return false;
    v->field = between(start, at = put_pointer(at, &field));
    start = at;
    *at++ = '`';
    v->dotted = between(start + 1, at = put_dotted(at, &field));
    *at++ = '`';
    if (v->dotted.len && v->dotted.len <= FER_FIELD_MAX && !t->naming) {
        t->field_of = v->dotted.ptr;
        t->field = between(start, at);
    }
    start = at;
    at = fer_put(at, r->uri);
    *at++ = '#';
    const char *way = at;
    at = put_pointer(at, same ? &path : &inside);
    v->absolute_location = between(start, at);
    if (!same) {
        way = at;
        at = put_pointer(at, &path);
    }
    v->keyword_location = between(way, at);
    return true;
}

void fer_tell_where(fer_teller *t, fer_violation *v, fer_str member)
{
    if (!where_plainly(t, v, member)) where_at_length(t, v, member);
}
