/* SPDX-License-Identifier: Apache-2.0 */
#include "convert.h"

#include <stdarg.h>
#include <stdlib.h>

#include "errors.h"
#include "json_pointer.h"

/* ---- notes --------------------------------------------------------------- */

void *fer_convert_no_memory(fer_convert *c)
{
    if (!c->code) c->code = fer_arena_failed(c->arena, c->err);
    return NULL;
}

void fer_convert_note(fer_convert *c, const yyjson_val *at, bool lost, const char *format, ...)
{
    if (c->mute) return;
    struct fer_noted *notes =
        fer_arena_room(c->arena, c->notes, c->note_count, &c->note_cap, sizeof *notes);
    char text[FER_ERR_TEXT];
    va_list args;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    fer_str message = fer_arena_copy(c->arena, (fer_str){text, len});
    if (!notes || !message.ptr) {
        fer_convert_no_memory(c);
        return;
    }
    c->notes = notes;
    notes[c->note_count] = (struct fer_noted){at, c->note_count, lost, message};
    c->note_count++;
}

static int by_place(const void *x, const void *y)
{
    const struct fer_noted *n = x, *m = y;
    if (n->at != m->at) return n->at < m->at ? -1 : 1;
    return n->order < m->order ? -1 : n->order > m->order;
}

static fer_schema_change *changes_of(fer_convert *c)
{
    const yyjson_val *root = fer_json_root(c->doc);
    fer_schema_change *list = fer_arena_alloc_zero(c->arena, c->note_count + 1, sizeof *list);
    if (!list) return fer_convert_no_memory(c);
    if (c->note_count) qsort(c->notes, c->note_count, sizeof *c->notes, by_place);
    for (size_t i = 0; i < c->note_count; i++) {
        fer_buf b;
        fer_buf_init(&b, c->arena, fer_json_limits_file()->size);
        fer_pointer_of(&b, root, c->notes[i].at);
        if (b.failure) return fer_convert_no_memory(c);
        list[i] = (fer_schema_change){.pointer = b.len ? fer_buf_view(&b) : FER_STR(""),
                                      .lost = c->notes[i].lost,
                                      .message = c->notes[i].message};
    }
    return list;
}

/* ---- seats --------------------------------------------------------------- */

/* What a schema becomes; an object waits to be filled. */
static yyjson_mut_val *schema_value(fer_convert *c, fer_seat *seat, bool booleans)
{
    fer_tree *t = &c->tree;
    if (fer_is_obj(seat->source)) {
        fer_seat **todo =
            fer_arena_room(c->arena, c->todo, c->todo_count, &c->todo_cap, sizeof *todo);
        if (!todo) return fer_convert_no_memory(c);
        c->todo = todo;
        todo[c->todo_count++] = seat;
        return fer_tree_object(t);
    }
    if (booleans || c->to->bit != FER_IN_4) return fer_tree_bool(t, fer_is_true(seat->source));
    yyjson_mut_val *object = fer_tree_object(t);
    if (!fer_is_true(seat->source)) fer_tree_put(t, object, FER_STR("not"), fer_tree_object(t));
    fer_convert_note(c, seat->source, false, "A boolean is no schema in draft-04: %s is now %s.",
                     fer_is_true(seat->source) ? "true" : "false",
                     fer_is_true(seat->source) ? "{}" : "{\"not\":{}}");
    return object;
}

static fer_seat *new_seat(fer_convert *c, const fer_seat *up, fer_str key, size_t index,
                          const yyjson_val *source, bool booleans)
{
    fer_seat *seat = fer_arena_alloc_zero(c->arena, 1, sizeof *seat);
    if (!seat) return fer_convert_no_memory(c);
    *seat = (fer_seat){.up = up, .key = key, .index = index, .source = source};
    seat->resource = up ? up->resource : NULL;
    if (!source) {
        seat->value = fer_tree_object(&c->tree);
        return seat;
    }
    const struct fer_spot *spot = fer_library_spot(&c->compile.library, source);
    if (spot) seat->resource = spot->resource;
    void **place = fer_map_put(&c->seats, fer_value_key(&seat->source));
    if (!place) return fer_convert_no_memory(c);
    *place = seat;
    seat->value = schema_value(c, seat, booleans);
    return seat;
}

static fer_box *box_of(fer_convert *c, fer_seat *seat, fer_str name, bool list)
{
    if (!seat) return NULL;
    for (fer_box *box = seat->boxes; box; box = box->next) {
        if (fer_str_eq(box->seat.key, name)) return box;
    }
    fer_box *box = fer_arena_alloc_zero(c->arena, 1, sizeof *box);
    if (!box) return fer_convert_no_memory(c);
    box->seat = (fer_seat){.up = seat, .key = name, .resource = seat->resource};
    box->seat.value = list ? fer_tree_array(&c->tree) : fer_tree_object(&c->tree);
    fer_map_init(&box->keys, c->arena);
    fer_tree_put(&c->tree, seat->value, name, box->seat.value);
    box->next = seat->boxes;
    seat->boxes = box;
    return box;
}

fer_box *fer_box_list(fer_convert *c, fer_seat *seat, fer_str name)
{
    return box_of(c, seat, name, true);
}

fer_box *fer_box_map(fer_convert *c, fer_seat *seat, fer_str name)
{
    return box_of(c, seat, name, false);
}

void fer_seat_put(fer_convert *c, fer_seat *seat, fer_str key, const yyjson_val *schema,
                  bool booleans)
{
    fer_seat *inner = seat ? new_seat(c, seat, key, 0, schema, booleans) : NULL;
    if (inner) fer_tree_put(&c->tree, seat->value, key, inner->value);
}

void fer_box_add(fer_convert *c, fer_box *box, const yyjson_val *schema)
{
    if (!box) return;
    const fer_seat *inner = new_seat(c, &box->seat, FER_STR_NONE, box->count++, schema, false);
    if (inner) fer_tree_add(&c->tree, box->seat.value, inner->value);
}

bool fer_box_has(const fer_box *box, fer_str key)
{
    return box && fer_map_get(&box->keys, key);
}

static void take_key(fer_convert *c, fer_box *box, fer_str key)
{
    void **place = fer_map_put(&box->keys, key);
    if (place) *place = box;
    else fer_convert_no_memory(c);
}

void fer_box_put(fer_convert *c, fer_box *box, fer_str key, const yyjson_val *schema)
{
    if (!box) return;
    take_key(c, box, key);
    fer_seat_put(c, &box->seat, key, schema, false);
}

void fer_box_copy(fer_convert *c, fer_box *box, fer_str key, const yyjson_val *value)
{
    if (!box) return;
    take_key(c, box, key);
    fer_tree_put(&c->tree, box->seat.value, key, fer_tree_copy(&c->tree, value));
}

void fer_box_park(fer_convert *c, fer_box *box, fer_str key, const yyjson_val *schema)
{
    fer_str free_key = key;
    for (size_t n = 2; free_key.ptr && fer_box_has(box, free_key); n++) {
        free_key = fer_arena_printf(c->arena, "%.*s-%zu", FER_PRI(key), n);
    }
    if (free_key.ptr) fer_box_put(c, box, free_key, schema);
    else fer_convert_no_memory(c);
}

fer_seat *fer_seat_inner(fer_convert *c, fer_seat *seat, fer_str key)
{
    fer_seat *inner = seat ? new_seat(c, seat, key, 0, NULL, false) : NULL;
    if (inner) fer_tree_put(&c->tree, seat->value, key, inner->value);
    return inner;
}

fer_seat *fer_box_inner(fer_convert *c, fer_box *box)
{
    fer_seat *inner = box ? new_seat(c, &box->seat, FER_STR_NONE, box->count++, NULL, false) : NULL;
    if (inner) fer_tree_add(&c->tree, box->seat.value, inner->value);
    return inner;
}

fer_seat *fer_seat_also(fer_convert *c, fer_seat *seat)
{
    return fer_box_inner(c, fer_box_list(c, seat, FER_STR("allOf")));
}

static fer_box *definitions_of(fer_convert *c, fer_seat *seat)
{
    return fer_box_map(c, seat, fer_rules_old(c->to) ? FER_STR("definitions") : FER_STR("$defs"));
}

void fer_convert_park(fer_convert *c, const fer_member *m)
{
    fer_convert_note(c, m->key, false, "`%.*s` counts for nothing here: it is now a definition.",
                     FER_PRI(fer_val_str(m->key)));
    fer_box_park(c, definitions_of(c, m->seat), fer_val_str(m->key), m->value);
}

void fer_seat_copy(fer_convert *c, fer_seat *seat, fer_str key, const yyjson_val *value)
{
    if (seat) fer_tree_put(&c->tree, seat->value, key, fer_tree_copy(&c->tree, value));
}

/* ---- members as they are ------------------------------------------------- */

static bool is_schema(const yyjson_val *v)
{
    return fer_is_obj(v) || fer_is_bool(v);
}

static void plain_map(fer_convert *c, fer_box *box, const yyjson_val *map)
{
    FER_EACH_MEMBER (map, key) {
        if (is_schema(key + 1)) fer_box_park(c, box, fer_val_str(key), key + 1);
        else fer_box_copy(c, box, fer_val_str(key), key + 1);
    }
}

/* The forms have been checked, so a value that can hold subschemas does. */
void fer_convert_plain(fer_convert *c, const fer_member *m, fer_str name)
{
    const yyjson_val *v = m->value;
    switch (m->keyword->form) {
    case FER_FORM_SCHEMA_LIST:
    case FER_FORM_SCHEMA:
    case FER_FORM_SCHEMA_OR_LIST:
    case FER_FORM_SCHEMA_OR_BOOL:
        if (fer_is_arr(v)) {
            fer_box *box = fer_box_list(c, m->seat, name);
            FER_EACH_ITEM (v, item) fer_box_add(c, box, item);
        } else {
            const fer_keyword *there = fer_keyword_find(c->to, name);
            fer_seat_put(c, m->seat, name, v, there && there->form == FER_FORM_SCHEMA_OR_BOOL);
        }
        break;
    case FER_FORM_SCHEMA_MAP:
    case FER_FORM_PATTERN_MAP:
    case FER_FORM_DEPENDENCIES: plain_map(c, fer_box_map(c, m->seat, name), v); break;
    case FER_FORM_SCHEMA_MAP_MAP: {
        fer_box *box = fer_box_map(c, m->seat, name);
        FER_EACH_MEMBER (v, key) {
            fer_seat *inner = box ? fer_seat_inner(c, &box->seat, fer_val_str(key)) : NULL;
            FER_EACH_MEMBER (key + 1, one) {
                fer_seat_put(c, inner, fer_val_str(one), one + 1, false);
            }
        }
        break;
    }
    default: fer_seat_copy(c, m->seat, name, v); break;
    }
}

/* A name that means nothing in any dialect, and that the schema does not have yet. */
static fer_str idle_name(fer_convert *c, const fer_member *m)
{
    fer_str name = fer_val_str(m->key);
    do {
        name = fer_arena_printf(c->arena, "x-%.*s", FER_PRI(name));
    } while (name.ptr && fer_val_key(m->schema, name));
    if (!name.ptr) fer_convert_no_memory(c);
    return name;
}

static bool is_led_into(const fer_convert *c, const yyjson_val *value)
{
    for (size_t i = 0; i < c->led_count; i++) {
        if (c->led[i] >= value && c->led[i] < fer_val_next(value)) return true;
    }
    return false;
}

struct dropping {
    fer_convert *convert;
    const fer_member *member;
};

static bool keep_if_led_into(void *context, const yyjson_val *subschema)
{
    const struct dropping *d = context;
    if (is_led_into(d->convert, subschema)) {
        fer_box_park(d->convert, definitions_of(d->convert, d->member->seat),
                     fer_val_str(d->member->key), subschema);
    }
    return true;
}

void fer_convert_drop(fer_convert *c, const fer_member *m)
{
    if (!c->led_count || !is_led_into(c, m->value)) return;
    if (m->keyword->form >= FER_FORM_SCHEMA) {
        fer_subschemas(m->keyword, m->value, keep_if_led_into, &(struct dropping){c, m});
        return;
    }
    fer_str name = idle_name(c, m);
    if (name.ptr) fer_convert_raw(c, m->seat, name, m->value);
}

/* ---- members that mean nothing ------------------------------------------- */

static bool has_parts(const fer_convert *c, const yyjson_val *value)
{
    for (size_t i = 0; i < c->part_count; i++) {
        if (c->parts[i] >= value && c->parts[i] < fer_val_next(value)) return true;
    }
    return false;
}

static bool is_part(const fer_convert *c, const yyjson_val *value)
{
    for (size_t i = 0; i < c->part_count; i++) {
        if (c->parts[i] == value) return true;
    }
    return false;
}

/* The new form of a value that no keyword has the form of; what has parts waits. */
static yyjson_mut_val *raw_value(fer_convert *c, const fer_seat *up, fer_str key, size_t index,
                                 const yyjson_val *value)
{
    if (is_part(c, value)) {
        const fer_seat *seat = new_seat(c, up, key, index, value, false);
        return seat ? seat->value : NULL;
    }
    if (!fer_is_ctn(value) || !has_parts(c, value)) return fer_tree_copy(&c->tree, value);
    fer_seat *seat = fer_arena_alloc_zero(c->arena, 1, sizeof *seat);
    struct fer_raw *raws =
        fer_arena_room(c->arena, c->raws, c->raw_count, &c->raw_cap, sizeof *raws);
    if (!seat || !raws) return fer_convert_no_memory(c);
    *seat = (fer_seat){.up = up, .key = key, .index = index, .resource = up->resource};
    seat->value = fer_is_obj(value) ? fer_tree_object(&c->tree) : fer_tree_array(&c->tree);
    c->raws = raws;
    raws[c->raw_count++] = (struct fer_raw){seat, value};
    return seat->value;
}

static void fill_raw(fer_convert *c, struct fer_raw raw)
{
    size_t index = 0;
    if (fer_is_obj(raw.value)) {
        FER_EACH_MEMBER (raw.value, key) {
            fer_str name = fer_val_str(key);
            fer_tree_put(&c->tree, raw.seat->value, name, raw_value(c, raw.seat, name, 0, key + 1));
        }
        return;
    }
    FER_EACH_ITEM (raw.value, item) {
        fer_tree_add(&c->tree, raw.seat->value,
                     raw_value(c, raw.seat, FER_STR_NONE, index++, item));
    }
}

void fer_convert_raw(fer_convert *c, fer_seat *seat, fer_str name, const yyjson_val *value)
{
    fer_tree_put(&c->tree, seat->value, name, raw_value(c, seat, name, 0, value));
}

/* Whether an unknown keyword may become a known one, as it was meant anyway. */
static bool harmless(const fer_keyword *k, const yyjson_val *value)
{
    if (k->vocabulary != FER_VOCABULARY_META_DATA && k->slot != KW_COMMENT) return false;
    if (k->form == FER_FORM_BOOL) return fer_is_bool(value);
    if (k->form == FER_FORM_LIST) return fer_is_arr(value);
    return k->form == FER_FORM_ANY || fer_is_str(value);
}

/* `$defs` of an older draft, which the survey has taken for what it looks like. */
static bool is_definitions(const fer_convert *c, const fer_member *m)
{
    if (!fer_rules_old(m->rules) || !fer_str_is(fer_val_str(m->key), "$defs")) return false;
    if (!fer_is_obj(m->value)) return false;
    return !fer_val_len(m->value) || fer_library_spot(&c->compile.library, m->value + 2);
}

/* A keyword that the old dialect does not know must not come to mean something in the new. */
static void unknown(fer_convert *c, const fer_member *m)
{
    fer_str name = fer_val_str(m->key);
    const fer_keyword *there = fer_keyword_find(c->to, name);
    if (is_definitions(c, m)) {
        plain_map(c, fer_box_map(c, m->seat, name), m->value);
        return;
    }
    bool strict = c->to->dialect == FER_DIALECT_V1 && !fer_str_starts(name, "x-");
    if ((there && !harmless(there, m->value)) || (!there && strict)) {
        fer_str other = idle_name(c, m);
        if (!other.ptr) return;
        fer_convert_note(
            c, m->key, false,
            "`%.*s` means nothing in %s and must not begin to in %s: it is now `%.*s`.",
            FER_PRI(name), fer_dialect_name(m->rules->dialect), fer_dialect_name(c->to->dialect),
            FER_PRI(other));
        name = other;
    }
    fer_convert_raw(c, m->seat, name, m->value);
}

/* ---- one schema ---------------------------------------------------------- */

/* What may stand beside a `$ref` of an older draft, which hid it, once it no longer does. */
static bool may_show(const fer_keyword *k)
{
    static const uint64_t slots = FER_SLOT(KW_REF) | FER_SLOT(KW_DEFINITIONS) | FER_SLOT(KW_ID) |
                                  FER_SLOT(KW_SCHEMA) | FER_SLOT(KW_TITLE) |
                                  FER_SLOT(KW_DESCRIPTION) | FER_SLOT(KW_COMMENT) |
                                  FER_SLOT(KW_EXAMPLES);
    return !k || (slots & FER_SLOT(k->slot));
}

static bool is_said_first(const fer_keyword *k)
{
    static const uint64_t slots = FER_SLOT(KW_SCHEMA) | FER_SLOT(KW_ID) | FER_SLOT(KW_ANCHOR) |
                                  FER_SLOT(KW_DYNAMIC_ANCHOR) | FER_SLOT(KW_RECURSIVE_ANCHOR);
    return slots & FER_SLOT(k->slot);
}

static void convert_member(fer_convert *c, const fer_member *m, bool hidden)
{
    fer_str name = fer_val_str(m->key);
    const fer_keyword *k = m->keyword;
    /* 2020-12 keeps two names of 2019-09 from other use, and that is all. */
    if (!k || (k->slot == KW_COMMENT && !fer_str_is(name, "$comment"))) {
        unknown(c, m);
        return;
    }
    if (is_said_first(k)) return;
    if (hidden && !fer_rules_old(c->to) && !may_show(k)) {
        fer_convert_note(c, m->key, false,
                         "`%.*s` beside `$ref` counts for nothing in %s: it is left out.",
                         FER_PRI(name), fer_dialect_name(m->rules->dialect));
        fer_convert_drop(c, m);
        return;
    }
    fer_convert_keyword *rule = fer_convert_rule(k->slot);
    if (rule) rule(c, m);
    else fer_convert_plain(c, m, name);
}

static void convert_object(fer_convert *c, fer_seat *seat)
{
    const struct fer_rules *rules = seat->resource->rules;
    const yyjson_val *schema = seat->source;
    bool hidden = fer_rules_old(rules) && fer_val_get(schema, "$ref");
    c->mute = hidden && fer_rules_old(c->to);
    fer_convert_names(c, seat);
    FER_EACH_MEMBER (schema, key) {
        if (c->code || c->tree.failed) break;
        const fer_member m = {seat, schema, key, key + 1, fer_keyword_find(rules, fer_val_str(key)),
                              rules};
        convert_member(c, &m, hidden);
    }
    c->mute = false;
}

static void convert_all(fer_convert *c)
{
    const yyjson_val *root = fer_json_root(c->doc);
    fer_seat *whole = new_seat(c, NULL, FER_STR_NONE, 0, root, false);
    while ((c->todo_count || c->raw_count) && !c->code && !c->tree.failed) {
        if (c->raw_count) fill_raw(c, c->raws[--c->raw_count]);
        else convert_object(c, c->todo[--c->todo_count]);
    }
    if (whole && !fer_is_obj(root) && yyjson_mut_is_obj(whole->value)) {
        /* A boolean has become an object, which can say its dialect. */
        fer_tree_put_first(
            &c->tree, whole->value, FER_STR("$schema"),
            fer_tree_text(&c->tree, FER_STR("http://json-schema.org/draft-04/schema#")));
    }
    if (!c->code && !c->tree.failed) fer_convert_mend(c);
    if (c->integer_at) {
        fer_convert_note(c, c->integer_at, true,
                         "1.0 is an integer from draft-06 on, and is none in draft-04.");
    }
}

fer_code fer_schema_convert(fer_arena *a, const fer_json *doc, fer_dialect from, fer_dialect to,
                            fer_str *out, fer_schema_change **changes, size_t *change_count,
                            fer_err *err)
{
    fer_convert c = {.arena = a, .doc = doc, .to = fer_rules_of(to), .err = err};
    if (!c.to || !fer_rules_of(from)) {
        return fer_fail(err, FER_BAD_USAGE, "There is no dialect %d.", (int)(c.to ? from : to));
    }
    fer_tree_init(&c.tree, a);
    fer_map_init(&c.seats, a);
    fer_map_init(&c.leads, a);
    fer_map_init(&c.dynamic_names, a);
    fer_map_init(&c.anchor_names, a);
    if (!c.tree.failed) fer_convert_survey(&c, from);
    if (!c.tree.failed && !c.code) convert_all(&c);
    fer_schema_change *list = c.code ? NULL : changes_of(&c);
    if (c.code) return c.code;
    const yyjson_val *root = fer_json_root(doc);
    const fer_seat *whole = fer_map_get(&c.seats, fer_value_key(&root));
    fer_code code = fer_tree_write(&c.tree, whole ? whole->value : NULL, out, err);
    if (code) return code;
    *changes = list;
    *change_count = c.note_count;
    return FER_OK;
}
