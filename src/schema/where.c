/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a finding is: the field of the instance as a pointer and dotted, the path through the
 * keywords, and the URI of the keyword. Nearly all names in these are plain, which is to say
 * that they are the same in all four forms: then one way up along the units writes them all, from
 * behind, and they get one piece of memory. What is not plain, or long, is written at length.
 */
#include "errors.h"
#include "explain.h"
#include "json_pointer.h"
#include "names.h"
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

#define WAY_TEXT  504 /* bytes of one form that is written here */
#define STEP_TEXT 100 /* bytes of a name; there is room for a keyword and marks besides */

/* Bytes that are the same in a pointer, in dotted form and in the fragment of a URI. */
static const bool plain_byte[256] = {['0' ... '9'] = true, ['A' ... 'Z'] = true,
                                     ['a' ... 'z'] = true, ['_'] = true,
                                     ['-'] = true,         ['$'] = true};

/* Whether each of eight bytes is a letter of ASCII or '_', as in most names. */
static bool is_letters(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t lower = (word | ones * 0x20) & ~tops, other = (word ^ ones * '_') & ~tops;
    uint64_t from_a = lower + ones * (0x80 - 'a'), past_z = lower + ones * (0x7F - 'z');
    uint64_t is_other = ~(other + ones * 0x7F);
    return (((from_a & ~past_z) | is_other) & ~word & tops) == tops;
}

/* The name is of a document, which has eight bytes behind each text (FER_ARENA_SLACK). */
static bool is_plain(fer_str name)
{
    size_t at = 0;
    if (name.len - 1 >= STEP_TEXT || fer_is_digit(name.ptr[0])) return false; /* "" too */
    while (name.len - at >= 8 && is_letters(fer_name_word(name.ptr + at))) at += 8;
    uint64_t mask = fer_name_mask(name.len - at);
    if (at == name.len ||
        is_letters((fer_name_word(name.ptr + at) & mask) | ('a' * (UINT64_MAX / 255) & ~mask)))
        return true;
    for (; at < name.len; at++) {
        if (!plain_byte[(unsigned char)name.ptr[at]]) return false;
    }
    return true;
}

/* A text that is written from behind, as units know only who is above them. */
struct way {
    char *at;
    char text[WAY_TEXT];
};

static void way_start(struct way *w)
{
    w->at = w->text + WAY_TEXT;
}

static fer_str way_text(const struct way *w)
{
    return (fer_str){w->at, (size_t)(w->text + WAY_TEXT - w->at)};
}

/* Whether there is room for another step, which is a keyword and a name at most. */
static bool way_has_room(const struct way *w)
{
    return (size_t)(w->at - w->text) >= (size_t)2 * STEP_TEXT;
}

static void way_put(struct way *w, char mark, fer_str name)
{
    w->at -= name.len;
    fer_put(w->at, name);
    *--w->at = mark;
}

static void way_put_index(struct way *w, char mark, size_t index)
{
    char digits[FER_DIGITS];
    size_t len = fer_print_u64(digits, index);
    w->at -= len;
    memcpy(w->at, digits, len);
    *--w->at = mark;
}

/* The forms of one way down to a field. */
struct field {
    struct way pointer, dotted;
};

/* A name that is plain. The dotted form is never shorter, but for a mark that is not kept. */
static bool field_put(struct field *f, fer_str name)
{
    if (!way_has_room(&f->dotted)) return false;
    way_put(&f->pointer, '/', name);
    way_put(&f->dotted, '.', name);
    return true;
}

static bool field_name(struct field *f, fer_str name)
{
    return is_plain(name) && field_put(f, name);
}

static bool field_item(struct field *f, const yyjson_val *array, const yyjson_val *value)
{
    size_t index = 0;
    const yyjson_val *item = array + 1, *end = fer_val_next(array);
    if (!way_has_room(&f->dotted)) return false;
    for (; item < value && item < end; item = fer_val_next(item)) index++;
    if (item != value || item == end) return false;
    way_put_index(&f->pointer, '/', index);
    *--f->dotted.at = ']';
    way_put_index(&f->dotted, '[', index);
    return true;
}

/* From a unit's value to that of the one above. */
static bool field_up(struct field *f, const fer_unit *u)
{
    const yyjson_val *above = u->up->value;
    if (u->value == above) return true;
    if (fer_is_arr(above)) return field_item(f, above, u->value);
    /* Its name in the schema is the same, and has been looked at. */
    if (u->keyword == KW_PROPERTIES) return field_put(f, fer_val_str(u->value - 1));
    const yyjson_val *key = u->keyword == KW_PROPERTY_NAMES ? u->value : u->value - 1;
    return fer_is_obj(above) && field_name(f, fer_val_str(key));
}

/* Where a finding is not about the unit's value: to the member of it that it is about. */
static bool field_member(struct field *f, const fer_violation *v)
{
    const yyjson_val *object = v->unit->value;
    if (v->value == object) return true;
    if (!fer_is_obj(object)) return false;
    FER_EACH_MEMBER (object, key) {
        if (key == v->value || key + 1 == v->value) return field_name(f, fer_val_str(key));
    }
    return false;
}

/* Keywords whose subschemas stand in them, so that the way to these is the way in the text. */
#define STANDS_IN                                                                                  \
    (UINT64_C(1) << KW_PROPERTIES | UINT64_C(1) << KW_PATTERN_PROPERTIES |                         \
     UINT64_C(1) << KW_ADDITIONAL_PROPERTIES | UINT64_C(1) << KW_ITEMS |                           \
     UINT64_C(1) << KW_PREFIX_ITEMS | UINT64_C(1) << KW_ALL_OF | UINT64_C(1) << KW_ANY_OF |        \
     UINT64_C(1) << KW_ONE_OF)

static bool path_up(struct way *w, const fer_unit *u)
{
    if (!way_has_room(w)) return false;
    if (u->key && !is_plain(fer_val_str(u->key))) return false;
    if (u->key) way_put(w, '/', fer_val_str(u->key));
    else if (!u->plain) way_put_index(w, '/', u->branch);
    way_put(w, '/', fer_slot_name((enum fer_slot)u->keyword));
    return true;
}

/* A unit's field, and the path to it. `*seen` gets the keywords of the way, as bits. */
static bool go_up(const fer_teller *t, const fer_unit *u, struct field *f, struct way *path,
                  uint64_t *seen)
{
    for (*seen = 0; u->up; u = u->up) {
        *seen |= UINT64_C(1) << u->keyword;
        if (!path_up(path, u) || !field_up(f, u)) return false;
    }
    return u->value == t->root;
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

/* The pointer from a value to one in it, in `text`. ptr NULL: it is not that plain. */
static fer_str pointer_down(char text[WAY_TEXT], const yyjson_val *at, const yyjson_val *value)
{
    char *to = text;
    if (value < at || value >= fer_val_next(at)) return FER_STR_NONE;
    while (at != value) {
        const yyjson_val *next;
        if (text + WAY_TEXT - to <= STEP_TEXT) return FER_STR_NONE;
        *to++ = '/';
        if (fer_is_obj(at)) {
            const yyjson_val *key = at + 1;
            while (value >= (next = fer_val_next(key + 1))) key = next;
            if (!is_plain(fer_val_str(key))) return FER_STR_NONE;
            to = fer_put(to, fer_val_str(key));
            at = value == key ? value : key + 1;
        } else {
            size_t index = 0;
            for (at++; value >= (next = fer_val_next(at)); at = next) index++;
            to += fer_print_u64(to, index);
        }
    }
    return (fer_str){text, (size_t)(to - text)};
}

static fer_str put(char **at, fer_str text)
{
    fer_str out = {*at, text.len};
    *at = fer_put(*at, text);
    return out;
}

/* Gives a finding its texts, of one piece of memory. `inside` is empty where it is the path. */
static bool keep(fer_teller *t, fer_violation *v, const struct field *f, fer_str path, fer_str uri,
                 fer_str inside, bool same)
{
    fer_str pointer = way_text(&f->pointer), dotted = way_text(&f->dotted);
    if (dotted.len && dotted.ptr[0] == '.') dotted = fer_str_slice(dotted, 1, dotted.len);
    /* Quoted, as sentences want it, the dotted form has a mark before and behind. */
    char *at = fer_arena_alloc(t->arena,
                               pointer.len + dotted.len + 2 + uri.len + 1 + inside.len + path.len);
    if (!at) return false;
    v->field = put(&at, pointer);
    *at++ = '`';
    v->dotted = put(&at, dotted);
    *at++ = '`';
    if (dotted.len && dotted.len <= FER_FIELD_MAX && !t->naming) {
        t->field_of = v->dotted.ptr;
        t->field = (fer_str){v->dotted.ptr - 1, dotted.len + 2};
    }
    fer_str base = put(&at, uri);
    *at++ = '#';
    if (!same) put(&at, inside);
    v->keyword_location = put(&at, path);
    size_t len = uri.len + 1 + (same ? path.len : inside.len);
    v->absolute_location = (fer_str){base.ptr, len};
    return true;
}

static bool where_plainly(fer_teller *t, fer_violation *v, fer_str member)
{
    struct field field;
    struct way path;
    char text[WAY_TEXT];
    uint64_t seen;
    const fer_unit *u = v->unit;
    const fer_resource *r = fer_node_resource(t->program, u->node);
    bool whole = v->schema == u->node->schema;
    way_start(&field.pointer);
    way_start(&field.dotted);
    way_start(&path);
    if (!whole) way_put(&path, '/', v->keyword); /* all keywords are plain */
    if (member.ptr && !field_name(&field, member)) return false;
    if (!field_member(&field, v) || !go_up(t, u, &field, &path, &seen)) return false;
    bool same = is_same_way(t, r, v, seen);
    fer_str inside = same ? FER_STR("") : pointer_down(text, r->root, v->schema);
    return inside.ptr && keep(t, v, &field, way_text(&path), r->uri, inside, same);
}

void fer_tell_where(fer_teller *t, fer_violation *v, fer_str member)
{
    if (!where_plainly(t, v, member)) where_at_length(t, v, member);
}
