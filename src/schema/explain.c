/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include <stdarg.h>

#include "errors.h"
#include "hide.h"
#include "json_hash.h"
#include "json_pointer.h"
#include "json_write.h"
#include "uri.h"

#define TEXT_MAX   ((size_t)64 << 10) /* bytes of one text of a finding */
#define VALUE_MAX  120                /* bytes of a value that are shown */
#define TELL_DEPTH 200                /* units inside each other that speak for themselves */

/* ---- words --------------------------------------------------------------------------------- */

static fer_str text_of(fer_teller *t, const fer_buf *b)
{
    if (!b->failure) return b->ptr ? fer_buf_view(b) : FER_STR("");
    t->no_memory |= b->arena_failed;
    return b->ptr && !b->arena_failed ? fer_str_head(fer_buf_view(b), b->len) : FER_STR("");
}

fer_str fer_say(fer_teller *t, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    fer_str copy = fer_arena_copy(t->arena, (fer_str){text, len});
    if (!copy.ptr) t->no_memory = true;
    return copy.ptr ? copy : FER_STR("");
}

fer_str fer_say_field(fer_teller *t, const fer_violation *v)
{
    if (!v->dotted.len) return FER_STR("The value");
    if (t->field_of == v->dotted.ptr) return t->field;
    fer_buf b;
    fer_str dotted = fer_str_head(v->dotted, 300);
    fer_buf_init(&b, t->arena, 512);
    fer_buf_reserve(&b, dotted.len + (t->naming ? 16 : 2));
    if (t->naming) fer_buf_add(&b, FER_STR("The name of "));
    fer_buf_add_char(&b, '`');
    fer_buf_add(&b, dotted);
    fer_buf_add_char(&b, '`');
    t->field_of = v->dotted.ptr;
    t->field = text_of(t, &b);
    return t->field;
}

static fer_str make_json(fer_teller *t, const yyjson_val *value, size_t max)
{
    fer_buf b;
    static const fer_notation plain;
    bool long_text = fer_is_str(value) && fer_val_len(value) > max;
    fer_buf_init(&b, t->arena, long_text ? max * 6 + 2 : max + 16); /* an escape has six bytes */
    if (long_text) {
        fer_buf_add_quoted(&b, fer_str_head(fer_val_str(value), max));
        t->no_memory |= b.arena_failed;
        return b.failure ? FER_STR("...") : fer_say(t, "%.*s...\"", (int)b.len - 1, b.ptr);
    }
    fer_code code = fer_write_add(t->arena, &b, value, &plain, NULL);
    t->no_memory |= code == FER_OUT_OF_MEMORY || b.arena_failed;
    fer_str json = b.ptr ? fer_buf_view(&b) : FER_STR("");
    if (json.len <= max && !code) return json;
    return fer_say(t, "%.*s...%s", FER_PRI(fer_str_head(json, max < json.len ? max : json.len)),
                   fer_is_str(value) ? "\"" : "");
}

fer_str fer_say_json(fer_teller *t, const yyjson_val *value, size_t max)
{
    /* A finding says most values more than once. */
    if (t->said != value || t->said_max != max) {
        t->said_json = make_json(t, value, max);
        t->said = value;
        t->said_max = max;
    }
    return t->said_json;
}

fer_str fer_say_simply(fer_teller *t, const yyjson_val *schema)
{
    if (!fer_is_obj(schema) || fer_val_len(schema) != 1) return FER_STR("");
    fer_str keyword = fer_val_str(schema + 1);
    const yyjson_val *value = schema + 2;
    if (fer_str_is(keyword, "const")) return fer_say_json(t, value, 200);
    if (fer_str_is(keyword, "enum")) {
        return fer_say(t, "one of %.*s", FER_PRI(fer_say_json(t, value, 600)));
    }
    if (fer_str_is(keyword, "type") && fer_is_str(value)) {
        fer_str name = fer_val_str(value);
        return fer_say_types(t, &name, 1);
    }
    return FER_STR("");
}

void fer_say_reason(fer_teller *t, size_t from, fer_str reason)
{
    for (size_t n = from; n < t->count; n++) {
        fer_str said = t->list[n].message;
        if (!said.len || said.ptr[said.len - 1] == ')') continue;
        t->list[n].message = fer_say(t, "%.*s (%.*s)", FER_PRI(said), FER_PRI(reason));
    }
}

bool fer_tell_near(fer_teller *t, fer_near *near, fer_str candidate)
{
    if (!t->near_left) return false;
    t->near_left--;
    fer_near_try(near, candidate);
    return true;
}

bool fer_tell_look(fer_teller *t, size_t looks)
{
    bool enough = t->look_left >= looks;
    t->look_left -= enough ? looks : t->look_left;
    return enough;
}

/* ---- keys -------------------------------------------------------------------------------------
 */

#define FEW_KEYS 32 /* that are compared one by one */

const yyjson_val *fer_tell_key(fer_teller *t, const yyjson_val *object, fer_str name)
{
    if (!fer_is_obj(object) || fer_val_len(object) <= FEW_KEYS) return fer_val_key(object, name);
    if (t->keys_of != object) {
        t->keys_of = NULL;
        fer_map_init(&t->keys, t->arena);
        if (!fer_json_keys(&t->keys, object)) {
            t->no_memory = true;
            return NULL;
        }
        t->keys_of = object;
    }
    return fer_map_get(&t->keys, name);
}

/* ---- what is hidden ----------------------------------------------------------------------------
 */

bool fer_is_hidden(const fer_teller *t, const fer_violation *v)
{
    if (t->options->hide_values) return true;
    for (size_t i = 0; i < t->options->redact_count; i++) {
        if (fer_hide_covers(t->options->redact[i], v->field) == FER_HIDE_COVERS) return true;
    }
    return false;
}

/* Whether something in the field must not be shown. */
static bool holds_hidden(const fer_teller *t, const fer_violation *v)
{
    for (size_t i = 0; i < t->options->redact_count; i++) {
        if (fer_hide_covers(t->options->redact[i], v->field) == FER_HIDE_BELOW) return true;
    }
    return false;
}

fer_str fer_say_value(fer_teller *t, const fer_violation *v, const yyjson_val *value)
{
    bool part = fer_is_ctn(value) || value != v->value;
    if (fer_is_hidden(t, v) || (part && holds_hidden(t, v))) {
        return fer_str_of(fer_val_type_name(value));
    }
    return fer_say_json(t, value, VALUE_MAX);
}

fer_str fer_say_actual(fer_teller *t, const fer_violation *v, const yyjson_val *value)
{
    const char *type = fer_val_type_name(value);
    bool small = !fer_is_ctn(value) && fer_val_type(value) != YYJSON_TYPE_NULL;
    if (!small || fer_is_hidden(t, v)) return fer_str_of(type);
    const char *noun = fer_str_starts(fer_str_of(type), "a ") ? type + 2 : type;
    return fer_say(t, "the %s %.*s", noun, FER_PRI(fer_say_json(t, value, VALUE_MAX)));
}

#define LIST_MAX 600 /* bytes of a list that are said in a sentence */

/*
 * Short lists of strings, as most are: written once, as the sentence wants them, with each
 * value a part of it. False: the list is not one.
 */
static bool allowed_at_once(fer_teller *t, fer_str *allowed, const yyjson_val *list)
{
    size_t bytes = 2, n = 0;
    if (!fer_val_len(list) || fer_val_len(list) > FER_ALLOWED_MAX) return false;
    FER_EACH_ITEM (list, item) {
        bytes += fer_val_len(item) + 3;
        if (!fer_is_str(item) || bytes > LIST_MAX || fer_val_len(item) > VALUE_MAX) return false;
    }
    fer_buf b;
    fer_buf_init(&b, t->arena, LIST_MAX);
    if (!fer_buf_reserve(&b, bytes)) return false;
    FER_EACH_ITEM (list, item) {
        fer_buf_add_char(&b, n ? ',' : '[');
        size_t start = b.len;
        fer_buf_add_quoted(&b, fer_val_str(item));
        allowed[n++] = (fer_str){b.ptr + start, b.len - start};
    }
    fer_buf_add_char(&b, ']');
    if (b.failure || b.len != bytes - 1) return false; /* it grew by escapes, and may have moved */
    t->said = list;
    t->said_max = LIST_MAX;
    t->said_json = fer_buf_view(&b);
    return true;
}

void fer_say_allowed(fer_teller *t, fer_violation *v, const yyjson_val *list)
{
    size_t count = fer_val_len(list), n = 0;
    if (count > FER_ALLOWED_MAX) count = FER_ALLOWED_MAX;
    fer_str *allowed = fer_arena_alloc(t->arena, count ? count * sizeof *allowed : 1);
    if (!allowed) {
        t->no_memory = true;
        return;
    }
    if (!allowed_at_once(t, allowed, list)) {
        FER_EACH_ITEM (list, item) {
            if (n == count) break;
            allowed[n++] = fer_say_json(t, item, 200);
        }
    }
    v->allowed = allowed;
    v->allowed_count = count;
}

/* ---- where
 * ----------------------------------------------------------------------------------------- */

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
#define MANY_UNITS ((size_t)TELL_DEPTH * 4) /* those further up are left out */

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

/* `pointer` is for the work. False: no memory. */
static bool add_location(fer_buf *b, fer_buf *pointer, const fer_resource *r,
                         const yyjson_val *value)
{
    fer_pointer_of(pointer, r->root, value);
    fer_str path = pointer_text(pointer);
    if (!path.ptr) return false;
    fer_buf_add(b, r->uri);
    fer_buf_add_char(b, '#');
    fer_uri_add_fragment(b, path);
    return true;
}

fer_str fer_schema_location(fer_arena *a, const struct fer_schema *s, const fer_node *node,
                            const yyjson_val *value)
{
    const fer_resource *r = fer_node_resource(s, node);
    fer_buf pointer, b;
    fer_buf_init(&pointer, a, TEXT_MAX);
    fer_buf_init(&b, a, TEXT_MAX);
    return add_location(&b, &pointer, r, value) ? pointer_text(&b) : FER_STR_NONE;
}

/* What stands in a string (contentSchema) has no place: the string has. */
static const yyjson_val *told_value(const fer_teller *t, const fer_unit *u, const yyjson_val *value)
{
    const yyjson_val *end = fer_val_next(t->root);
    if (value >= t->root && value < end) return value;
    for (; u; u = u->up) {
        if (u->value >= t->root && u->value < end) return u->value;
    }
    return t->root;
}

/* ---- findings
 * --------------------------------------------------------------------------------------- */

/* Under propertyNames, the value is a name. */
static bool is_naming(const fer_unit *u)
{
    const fer_unit *top = u;
    while (top->up && top->up->value == u->value) top = top->up;
    return top->keyword == KW_PROPERTY_NAMES && top->up;
}

static fer_violation *new_violation(fer_teller *t, fer_code code)
{
    if (t->count == t->max) {
        t->cut = true;
        return NULL;
    }
    fer_violation *list = fer_arena_room(t->arena, t->list, t->count, &t->cap, sizeof *list);
    if (!list) {
        t->no_memory = true;
        return NULL;
    }
    t->list = list;
    fer_violation *v = &list[t->count++];
    *v = (fer_violation){.code = code};
    return v;
}

/* Where a finding is, in all four forms: those of the field, and those of the keyword. */
struct where {
    fer_buf pointer, dotted, path, location;
};

/* `member` is one that the value lacks; ptr NULL: the finding is about the value. */
static void write_where(fer_teller *t, struct where *w, const fer_violation *v, fer_str member)
{
    bool whole = v->schema == v->unit->node->schema;
    fer_names_of(&w->pointer, &w->dotted, t->root, v->value);
    if (member.ptr) {
        fer_pointer_add(&w->pointer, member);
        fer_dotted_add(&w->dotted, member);
    }
    add_evaluation_path(&w->path, v->unit);
    if (!whole) fer_pointer_add(&w->path, v->keyword);
}

/* Texts of usual length are written here first, and get one piece of memory for all. */
#define SHORT_TEXT ((size_t)256)

static bool where_shortly(fer_teller *t, fer_violation *v, fer_str member)
{
    char room[5][SHORT_TEXT], *at;
    struct where w;
    fer_buf pointer;
    fer_buf *const all[] = {&w.pointer, &w.dotted, &w.path, &w.location, &pointer};
    fer_str *const out[] = {&v->field, &v->dotted, &v->keyword_location, &v->absolute_location};
    for (size_t n = 0; n < FER_COUNT(all); n++) fer_buf_init_fixed(all[n], room[n], SHORT_TEXT);
    write_where(t, &w, v, member);
    add_location(&w.location, &pointer, fer_node_resource(t->program, v->unit->node), v->schema);
    size_t bytes = 1;
    for (size_t n = 0; n < FER_COUNT(all); n++) {
        if (all[n]->failure) return false;
        bytes += all[n]->len;
    }
    at = fer_arena_alloc(t->arena, bytes - pointer.len);
    if (!at) return false;
    for (size_t n = 0; n < FER_COUNT(out); n++) {
        memcpy(at, all[n]->ptr, all[n]->len);
        *out[n] = (fer_str){at, all[n]->len};
        at += all[n]->len;
    }
    return true;
}

static void where_at_length(fer_teller *t, fer_violation *v, fer_str member)
{
    struct where w;
    fer_buf_init(&w.pointer, t->arena, TEXT_MAX);
    fer_buf_init(&w.dotted, t->arena, TEXT_MAX);
    fer_buf_init(&w.path, t->arena, TEXT_MAX);
    write_where(t, &w, v, member);
    v->field = member.ptr ? text_of(t, &w.pointer) : pointer_text(&w.pointer);
    v->dotted = text_of(t, &w.dotted);
    v->keyword_location = pointer_text(&w.path);
    v->absolute_location = fer_schema_location(t->arena, t->program, v->unit->node, v->schema);
    t->no_memory |= !v->field.ptr || !v->keyword_location.ptr || !v->absolute_location.ptr;
}

static fer_violation *tell(fer_teller *t, const fer_unit *u, const yyjson_val *source,
                           fer_code code, const yyjson_val *value, fer_str member)
{
    fer_violation *v = new_violation(t, code);
    if (!v) return NULL;
    /* A schema as a whole has no name: what stands before it may be anything. */
    bool whole = source == u->node->schema, never = u->node->verdict == FER_NEVER;
    v->keyword = !whole ? fer_val_str(source - 1) : never ? FER_STR("false") : FER_STR("");
    v->schema = source;
    v->unit = u;
    t->field_of = NULL;
    t->naming = value == u->value && is_naming(u);
    v->value = told_value(t, u, value);
    if (!where_shortly(t, v, member)) where_at_length(t, v, member);
    return v;
}

fer_violation *fer_tell(fer_teller *t, const fer_unit *u, const yyjson_val *source, fer_code code,
                        const yyjson_val *value)
{
    return tell(t, u, source, code, value, FER_STR_NONE);
}

fer_violation *fer_tell_absent(fer_teller *t, const fer_unit *u, const yyjson_val *source,
                               fer_code code, fer_str member)
{
    return tell(t, u, source, code, u->value, member);
}

fer_str fer_say_place(fer_teller *t, const fer_unit *u)
{
    fer_buf dotted;
    fer_buf_init(&dotted, t->arena, TEXT_MAX);
    fer_dotted_of(&dotted, t->root, told_value(t, u, u->value));
    return text_of(t, &dotted);
}

fer_str fer_say_member(fer_teller *t, const fer_unit *u, fer_str name)
{
    fer_buf dotted;
    fer_buf_init(&dotted, t->arena, TEXT_MAX);
    fer_dotted_of(&dotted, t->root, told_value(t, u, u->value));
    fer_dotted_add(&dotted, name);
    return text_of(t, &dotted);
}

bool fer_is_hidden_unit(fer_teller *t, const fer_unit *u)
{
    fer_violation about = {0};
    fer_buf pointer;
    fer_buf_init(&pointer, t->arena, TEXT_MAX);
    fer_pointer_of(&pointer, t->root, told_value(t, u, u->value));
    about.field = text_of(t, &pointer);
    return fer_is_hidden(t, &about);
}

fer_str fer_say_because(fer_teller *t, const fer_unit *u, fer_str member, fer_str is)
{
    fer_violation about = {0};
    fer_str dotted = fer_say_member(t, u, member);
    fer_buf pointer;
    fer_buf_init(&pointer, t->arena, TEXT_MAX);
    fer_pointer_of(&pointer, t->root, told_value(t, u, u->value));
    fer_pointer_add(&pointer, member);
    about.field = text_of(t, &pointer);
    if (fer_is_hidden(t, &about)) return fer_say(t, "Because of `%.*s`.", FER_PRI(dotted));
    return fer_say(t, "Because `%.*s` is %.*s.", FER_PRI(dotted), FER_PRI(is));
}

/* ---- units
 * --------------------------------------------------------------------------------------------- */

/* A subschema that is `false`: nothing may be there. */
static void tell_never(fer_teller *t, const fer_unit *u)
{
    fer_violation *v = fer_tell(t, u, u->node->schema, FER_CONSTRAINT_VIOLATION, u->value);
    if (!v) return;
    v->expected = FER_STR("nothing");
    v->actual = fer_say_actual(t, v, u->value);
    v->message = fer_say(t, "%.*s is not allowed here.", FER_PRI(fer_say_field(t, v)));
    v->hint = FER_STR("Take it out.");
}

static size_t depth_of(const fer_unit *u)
{
    size_t depth = 0;
    for (; u && depth <= TELL_DEPTH; u = u->up) depth++;
    return depth;
}

/* Far down, only the deepest failure is told: the machine's stack has an end. */
static const fer_unit *deepest(const fer_unit *u)
{
    for (;;) {
        const fer_unit *below = u->first;
        while (below && (below->valid || below->keyword == KW_IF)) below = below->next;
        if (!below) return u;
        u = below;
    }
}

static void tell_plainly(fer_teller *t, const fer_unit *u)
{
    const fer_inst *i = u->node->insts;
    for (uint32_t n = 0; n < u->node->count; n++) {
        if (!(u->failed >> n & 1)) continue;
        if (i[n].op->check) {
            i[n].op->explain(t, u, &i[n]);
            return;
        }
    }
    fer_violation *v = fer_tell(t, u, u->node->schema, FER_CONSTRAINT_VIOLATION, u->value);
    if (v) v->message = fer_say(t, "%.*s does not fit the schema.", FER_PRI(fer_say_field(t, v)));
}

/* A value that is none of those listed is of the wrong type at most on top of that. */
static bool says_more(const fer_unit *u, const fer_inst *i)
{
    if (strcmp(i->op->name, "type") != 0) return false;
    for (uint32_t n = 0; n < u->node->count; n++) {
        const char *name = u->node->insts[n].op->name;
        bool lists = strcmp(name, "enum") == 0 || strcmp(name, "const") == 0;
        if (lists && (u->failed >> n & 1)) return true;
    }
    return false;
}

/* Its own failures, one keyword after the other. */
static void tell_own(fer_teller *t, const fer_unit *u)
{
    if (u->node->verdict == FER_NEVER) {
        tell_never(t, u);
        return;
    }
    for (uint32_t n = 0; n < u->node->count; n++) {
        const fer_inst *i = &u->node->insts[n];
        if (!(u->failed >> n & 1) || (!t->shallow && says_more(u, i))) continue;
        i->op->explain(t, u, i);
    }
}

void fer_tell_unit(fer_teller *t, const fer_unit *u)
{
    if (t->shallow) {
        if (!t->within) {
            t->within = true;
            tell_own(t, u->same && !u->failed ? u->same : u);
        }
        return;
    }
    if (u->same && !u->failed) {
        /* Asked before, on another way: told once. */
        if (u->same->told) return;
        u = u->same;
    }
    if (u->valid || u->told || t->count == t->max) {
        t->cut |= t->count == t->max && !u->valid;
        return;
    }
    ((fer_unit *)(uintptr_t)u)->told = true;
    if (depth_of(u) <= TELL_DEPTH) {
        tell_own(t, u);
        return;
    }
    u = deepest(u);
    if (u->node->verdict == FER_NEVER) tell_never(t, u);
    else tell_plainly(t, u);
}

void fer_tell_below(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    for (const fer_unit *b = u->first; b; b = b->next) {
        if (&u->node->insts[b->by] == i && !b->valid) fer_tell_unit(t, b);
    }
}
