/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include <stdarg.h>

#include "errors.h"
#include "hide.h"
#include "json_hash.h"
#include "json_pointer.h"
#include "json_write.h"
#include "names.h"

#define TEXT_MAX  ((size_t)64 << 10) /* bytes of one text of a finding */
#define SAY_MAX   ((size_t)2048)     /* bytes of one sentence, with a NUL */
#define VALUE_MAX 120                /* bytes of a value that are shown */

/* ---- words --------------------------------------------------------------------------------- */

fer_str fer_say_text(fer_teller *t, const fer_buf *b)
{
    if (!b->failure) return b->ptr ? fer_buf_view(b) : FER_STR("");
    t->no_memory |= b->arena_failed;
    return b->ptr && !b->arena_failed ? fer_str_head(fer_buf_view(b), b->len) : FER_STR("");
}

fer_str fer_say(fer_teller *t, const char *format, ...)
{
    char text[SAY_MAX];
    va_list args;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    fer_str copy = fer_arena_copy(t->arena, (fer_str){text, len});
    if (!copy.ptr) t->no_memory = true;
    return copy.ptr ? copy : FER_STR("");
}

/* Texts that are long, or not plain ASCII: what fer_say makes of them. */
static fer_str join_slowly(fer_teller *t, const fer_str *pieces, size_t count)
{
    char text[SAY_MAX + 8]; /* a little more than fits is cut as all of it would be */
    size_t len = 0;
    for (size_t n = 0; n < count; n++) {
        size_t end = fer_str_find(pieces[n], 0, '\0');
        size_t room = sizeof text - len;
        if (end == SIZE_MAX) end = pieces[n].len;
        if (end > room) end = room;
        if (end) memcpy(text + len, pieces[n].ptr, end);
        len += end;
    }
    return fer_say(t, "%.*s", (int)len, text);
}

typedef signed char wide __attribute__((vector_size(16)));

/* The top bit of some byte is set where one of 16 is a NUL or past ASCII. */
static wide odd_bytes(const char *text)
{
    wide some;
    memcpy(&some, text, sizeof some);
    return some | (wide)(some == 0);
}

/* Whether none of `len` bytes is a NUL or past ASCII. */
static bool is_simple(const char *text, size_t len)
{
    uint64_t odd = 0, parts[2];
    if (len < sizeof(wide)) {
        for (size_t i = 0; i < len; i++) {
            uint64_t c = (unsigned char)text[i];
            odd |= c | (c - 1);
        }
        return !(odd & ~UINT64_C(0x7F));
    }
    const char *last = text + len - sizeof(wide);
    wide all = odd_bytes(last);
    for (; text < last; text += sizeof(wide)) all |= odd_bytes(text);
    memcpy(parts, &all, sizeof parts);
    return !((parts[0] | parts[1]) & UINT64_C(0x8080808080808080));
}

fer_str fer_join(fer_teller *t, const fer_str *pieces, size_t count)
{
    size_t len = 0;
    for (size_t n = 0; n < count; n++) {
        len += pieces[n].len;
        if (len >= SAY_MAX) return join_slowly(t, pieces, count);
    }
    char *text = fer_arena_alloc(t->arena, len + 1), *at = text;
    if (!text) {
        t->no_memory = true;
        return FER_STR("");
    }
    for (size_t n = 0; n < count; n++) at = fer_put(at, pieces[n]);
    *at = '\0';
    return is_simple(text, len) ? (fer_str){text, len} : join_slowly(t, pieces, count);
}

fer_str fer_say_field(fer_teller *t, const fer_violation *v)
{
    if (!v->dotted.len) return FER_STR("The value");
    if (t->field_of == v->dotted.ptr) return t->field;
    fer_buf b;
    fer_str dotted = fer_str_head(v->dotted, FER_FIELD_MAX);
    fer_buf_init(&b, t->arena, 512);
    fer_buf_reserve(&b, dotted.len + (t->naming ? 16 : 2));
    if (t->naming) fer_buf_add(&b, FER_STR("The name of "));
    fer_buf_add_char(&b, '`');
    fer_buf_add(&b, dotted);
    fer_buf_add_char(&b, '`');
    t->field_of = v->dotted.ptr;
    t->field = fer_say_text(t, &b);
    return t->field;
}

/* Eight bytes of a text of so many, some of them twice; with blanks where there are too few. */
static uint64_t some_bytes(const char *p, size_t len)
{
    uint32_t head, tail;
    if (len < 4) {
        uint64_t all = UINT64_C(0x2020202020202020);
        for (size_t i = 0; i < len; i++) all = all << 8 | (unsigned char)p[i];
        return all;
    }
    memcpy(&head, p, sizeof head);
    memcpy(&tail, p + len - sizeof tail, sizeof tail);
    return (uint64_t)head << 32 | tail;
}

/* The top bit of some byte is set where one needs an escape in JSON. */
static uint64_t escapes_in(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
    return ((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash);
}

static bool has_escapes(fer_str s)
{
    uint64_t word, found = 0;
    const uint64_t tops = UINT64_C(0x8080808080808080);
    if (s.len < sizeof word) return escapes_in(some_bytes(s.ptr, s.len)) & tops;
    for (size_t i = 0; i < s.len - sizeof word; i += sizeof word) {
        memcpy(&word, s.ptr + i, sizeof word);
        found |= escapes_in(word);
    }
    memcpy(&word, s.ptr + s.len - sizeof word, sizeof word);
    return (found | escapes_in(word)) & tops;
}

static char *put_quoted(char *at, fer_str s)
{
    *at++ = '"';
    at = fer_put(at, s);
    *at++ = '"';
    return at;
}

/*
 * A list of strings without escapes, as most are: written once, with each value a part of it
 * (`parts`, or NULL). ptr NULL: it is not one, is longer than `max`, or there is no memory.
 */
static fer_str make_list(fer_teller *t, const yyjson_val *list, size_t max, fer_str *parts)
{
    size_t bytes = 1;
    FER_EACH_ITEM (list, item) {
        bytes += fer_val_len(item) + 3;
        if (parts && fer_val_len(item) > VALUE_MAX) return FER_STR_NONE;
        if (!fer_is_str(item) || bytes > max || has_escapes(fer_val_str(item))) return FER_STR_NONE;
    }
    char *text = bytes > 1 ? fer_arena_alloc(t->arena, bytes) : NULL, *at = text;
    if (!text) return FER_STR_NONE;
    FER_EACH_ITEM (list, item) {
        *at = at == text ? '[' : ',';
        at++;
        char *start = at;
        at = put_quoted(at, fer_val_str(item));
        if (parts) *parts++ = (fer_str){start, (size_t)(at - start)};
    }
    *at = ']';
    return (fer_str){text, bytes};
}

/* Texts, lists of them and whole numbers, as most are. ptr NULL: as make_list. */
static fer_str make_simply(fer_teller *t, const yyjson_val *value, size_t max)
{
    switch (fer_val_tag(value)) {
    case FER_TAG_UINT: {
        char *digits = fer_arena_alloc(t->arena, FER_DIGITS);
        return digits ? fer_say_number(digits, value->uni.u64) : FER_STR_NONE;
    }
    case YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_TRUE: return FER_STR("true");
    case YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_FALSE: return FER_STR("false");
    default: break;
    }
    if (fer_is_arr(value)) return make_list(t, value, max, NULL);
    size_t size = fer_val_len(value) + 2;
    if (!fer_is_str(value) || size > max || has_escapes(fer_val_str(value))) return FER_STR_NONE;
    char *text = fer_arena_alloc(t->arena, size);
    if (!text) return FER_STR_NONE;
    put_quoted(text, fer_val_str(value));
    return (fer_str){text, size};
}

static fer_str make_json(fer_teller *t, const yyjson_val *value, size_t max)
{
    fer_buf b;
    static const fer_notation plain;
    fer_str simple = make_simply(t, value, max);
    if (simple.ptr) return simple;
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
        return FER_JOIN(t, FER_STR("one of "), fer_say_json(t, value, 600));
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
        t->list[n].message = FER_JOIN(t, said, FER_STR(" ("), reason, FER_STR(")"));
    }
}

bool fer_tell_near(fer_teller *t, fer_near *near, fer_str candidate)
{
    if (!fer_tell_pass(t)) return false;
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

static const yyjson_val *find_key(const yyjson_val *object, fer_str name)
{
    fer_name wanted = fer_name_of(name);
    FER_EACH_MEMBER (object, key) {
        if (fer_name_is(&wanted, fer_val_str(key))) return key;
    }
    return NULL;
}

const yyjson_val *fer_tell_key(fer_teller *t, const yyjson_val *object, fer_str name)
{
    if (!fer_is_obj(object)) return NULL;
    if (fer_val_len(object) <= FEW_KEYS) return find_key(object, name);
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
    const fer_validate_options *o = t->options;
    for (size_t i = 0; i < o->redact_count; i++)
        if (fer_hide_covers(o->redact[i], v->field) == FER_HIDE_COVERS) return true;
    for (size_t i = 0; o->hide_values && i < o->show_count; i++)
        if (fer_hide_covers(o->show[i], v->field) == FER_HIDE_COVERS) return false;
    return o->hide_values;
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
    bool small = !fer_is_ctn(value) && fer_val_type(value) != YYJSON_TYPE_NULL;
    if (!small || fer_is_hidden(t, v)) return fer_str_of(fer_val_type_name(value));
    fer_str the = fer_is_str(value)    ? FER_STR("the string ")
                  : fer_is_bool(value) ? FER_STR("the boolean ")
                                       : FER_STR("the number ");
    return FER_JOIN(t, the, fer_say_json(t, value, VALUE_MAX));
}

#define LIST_MAX 600 /* bytes of a list that are said in a sentence */

void fer_say_allowed(fer_teller *t, fer_violation *v, const yyjson_val *list)
{
    size_t count = fer_val_len(list), n = 0;
    if (count > FER_ALLOWED_MAX) count = FER_ALLOWED_MAX;
    fer_str *allowed = fer_arena_alloc(t->arena, count ? count * sizeof *allowed : 1);
    if (!allowed) {
        t->no_memory = true;
        return;
    }
    fer_str json =
        fer_val_len(list) <= count ? make_list(t, list, LIST_MAX, allowed) : FER_STR_NONE;
    if (json.ptr) {
        t->said = list;
        t->said_max = LIST_MAX;
        t->said_json = json;
    } else {
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
    fer_tell_where(t, v, member);
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
    return fer_say_text(t, &dotted);
}

fer_str fer_say_member(fer_teller *t, const fer_unit *u, fer_str name)
{
    fer_buf dotted;
    fer_buf_init(&dotted, t->arena, TEXT_MAX);
    fer_dotted_of(&dotted, t->root, told_value(t, u, u->value));
    fer_dotted_add(&dotted, name);
    return fer_say_text(t, &dotted);
}

bool fer_is_hidden_unit(fer_teller *t, const fer_unit *u)
{
    fer_violation about = {0};
    fer_buf pointer;
    fer_buf_init(&pointer, t->arena, TEXT_MAX);
    fer_pointer_of(&pointer, t->root, told_value(t, u, u->value));
    about.field = fer_say_text(t, &pointer);
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
    about.field = fer_say_text(t, &pointer);
    if (fer_is_hidden(t, &about))
        return FER_JOIN(t, FER_STR("Because of `"), dotted, FER_STR("`."));
    return FER_JOIN(t, FER_STR("Because `"), dotted, FER_STR("` is "), is, FER_STR("."));
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
    v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" is not allowed here."));
    v->hint = FER_STR("Take it out.");
}

static size_t depth_of(const fer_unit *u)
{
    size_t depth = 0;
    for (; u && depth <= FER_TELL_DEPTH; u = u->up) depth++;
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
    if (v) v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" does not fit the schema."));
}

/* A value that is none of those listed is of the wrong type at most on top of that. */
static bool says_more(const fer_unit *u, const fer_inst *i)
{
    if (!(u->failed & (u->failed - 1)) || strcmp(i->op->name, "type") != 0) return false;
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
    for (uint64_t left = u->failed; left; left &= left - 1) {
        const fer_inst *i = &u->node->insts[__builtin_ctzll(left)];
        if (t->shallow || !says_more(u, i)) i->op->explain(t, u, i);
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
    if (depth_of(u) <= FER_TELL_DEPTH) {
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
