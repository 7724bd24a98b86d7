/* SPDX-License-Identifier: Apache-2.0 */
/* type */
#include "explain.h"
#include "families.h"
#include "json_number.h"

/* Above yyjson's own types: numbers without a fraction. */
#define INTEGER      (1u << 8) /* 1.0 counts */
#define INTEGER_TEXT (1u << 9) /* 1.0 does not: draft-04 */

static fer_step check(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    if (i->bits & FER_TYPE_BIT(fer_val_type(v))) return FER_STEP_PASS;
    if (!fer_is_num(v)) return FER_STEP_FAIL;
    if (!fer_vm_spend(vm, fer_vm_number_cost(v) / 8)) return FER_STEP_ERROR;
    bool whole = ((i->bits & INTEGER) && fer_number_is_integer(v)) ||
                 ((i->bits & INTEGER_TEXT) && fer_number_is_integer_text(v));
    return whole ? FER_STEP_PASS : FER_STEP_FAIL;
}

/* The types by their names. */
enum named {
    NULL_TYPE,
    BOOLEAN,
    STRING,
    ARRAY,
    OBJECT,
    NUMBER,
    WHOLE,
    NO_TYPE
};

static enum named type_named(fer_str name)
{
    switch (name.len) {
    case 4: return memcmp(name.ptr, "null", 4) == 0 ? NULL_TYPE : NO_TYPE;
    case 5: return memcmp(name.ptr, "array", 5) == 0 ? ARRAY : NO_TYPE;
    case 6:
        return memcmp(name.ptr, "string", 6) == 0   ? STRING
               : memcmp(name.ptr, "number", 6) == 0 ? NUMBER
               : memcmp(name.ptr, "object", 6) == 0 ? OBJECT
                                                    : NO_TYPE;
    case 7:
        return memcmp(name.ptr, "integer", 7) == 0   ? WHOLE
               : memcmp(name.ptr, "boolean", 7) == 0 ? BOOLEAN
                                                     : NO_TYPE;
    default: return NO_TYPE;
    }
}

#define TYPES_MAX 16 /* that are said; a schema has no more than seven */

fer_str fer_say_types(fer_teller *t, const fer_str *names, size_t count)
{
    static const fer_str alone[] = {
        [NULL_TYPE] = {"null", 4},   [BOOLEAN] = {"a boolean", 9}, [STRING] = {"a string", 8},
        [ARRAY] = {"an array", 8},   [OBJECT] = {"an object", 9},  [NUMBER] = {"a number", 8},
        [WHOLE] = {"an integer", 10}};
    fer_buf b;
    if (count == 1 && type_named(names[0]) != NO_TYPE) return alone[type_named(names[0])];
    fer_buf_init(&b, t->arena, 512);
    for (size_t n = 0; n < count; n++) {
        bool vowel = names[n].len && strchr("aio", names[n].ptr[0]);
        if (n) fer_buf_add_text(&b, n + 1 == count ? " or " : ", ");
        if (!fer_str_is(names[n], "null")) fer_buf_add_text(&b, vowel ? "an " : "a ");
        fer_buf_add(&b, names[n]);
    }
    t->no_memory |= b.arena_failed;
    return b.failure || !b.ptr ? FER_STR("") : fer_buf_view(&b);
}

/* ---- what to do about it -------------------------------------------------------------------- */

/* A value of the wrong type, and the types that it should have. */
struct wrong {
    fer_teller *t;
    const fer_unit *u;
    const yyjson_val *value;
    unsigned wants; /* bits of enum named */
    bool hidden;
};

static bool wants(const struct wrong *w, enum named type)
{
    return w->wants >> type & 1;
}

static bool looks_like_number(fer_str s)
{
    bool digits = false;
    for (size_t i = 0; i < s.len; i++) {
        if (!fer_is_digit(s.ptr[i]) && !strchr("+-.eE", s.ptr[i])) return false;
        digits |= fer_is_digit(s.ptr[i]);
    }
    return digits;
}

static bool looks_like_json(fer_str s)
{
    size_t at = 0;
    while (at < s.len && (s.ptr[at] == ' ' || s.ptr[at] == '\n')) at++;
    return at < s.len && (s.ptr[at] == '{' || s.ptr[at] == '[');
}

/* Strings that hold the right value. */
static fer_str hint_quoted(const struct wrong *w)
{
    fer_str s = fer_val_str(w->value);
    if ((wants(w, OBJECT) || wants(w, ARRAY)) && looks_like_json(s)) {
        return FER_STR("Send the JSON itself, not a string that contains it.");
    }
    if ((wants(w, WHOLE) || wants(w, NUMBER)) && looks_like_number(s)) {
        return FER_STR("Send the number itself, without quotes.");
    }
    bool word = fer_str_eq_nocase(s, FER_STR("true")) || fer_str_eq_nocase(s, FER_STR("false"));
    if (wants(w, BOOLEAN) && word) return FER_STR("Send true or false, without quotes.");
    if (wants(w, NULL_TYPE) && fer_str_eq_nocase(s, FER_STR("null"))) {
        return FER_STR("Send null, without quotes.");
    }
    return FER_STR("");
}

static fer_str hint_list(const struct wrong *w)
{
    const yyjson_val *schema = w->u->node->schema;
    const yyjson_val *items = fer_is_obj(schema) ? fer_val_get(schema, "items") : NULL;
    const yyjson_val *type = fer_is_obj(items) ? fer_val_get(items, "type") : NULL;
    if (!fer_is_str(type)) return FER_STR("Send a list: [ ... ].");
    fer_str name = fer_val_str(type);
    fer_str is = fer_str_of(fer_val_type_name(w->value));
    bool same = is.len > name.len && fer_str_eq(fer_str_slice(is, is.len - name.len, is.len), name);
    bool fits = same || (fer_str_is(name, "integer") && fer_is_num(w->value));
    if (!fits) {
        return FER_JOIN(w->t, FER_STR("Send a list in which each item is "),
                        fer_say_types(w->t, &name, 1), FER_STR("."));
    }
    if (w->hidden || fer_is_ctn(w->value)) return FER_STR("Put the value in a list: [ ... ].");
    return FER_JOIN(w->t, FER_STR("Put the value in a list: ["), fer_say_json(w->t, w->value, 120),
                    FER_STR("]."));
}

static fer_str hint_object(const struct wrong *w)
{
    const yyjson_val *schema = w->u->node->schema;
    const yyjson_val *required = fer_is_obj(schema) ? fer_val_get(schema, "required") : NULL;
    bool one = fer_is_arr(w->value) && fer_val_len(w->value) == 1 && fer_is_obj(w->value + 1);
    if (one) return FER_STR("Send the object itself, without a list around it.");
    fer_str names[8];
    size_t count = 0;
    if (fer_is_arr(required)) {
        FER_EACH_ITEM (required, item) {
            if (count < FER_COUNT(names)) names[count++] = fer_val_str(item);
        }
    }
    if (count) {
        return FER_JOIN(w->t, FER_STR("Send an object with "), fer_say_names(w->t, names, count),
                        FER_STR("."));
    }
    const fer_str *known = fer_known_names(w->t, w->u, &count);
    if (!count) return FER_STR("Send an object: { ... }.");
    return FER_JOIN(w->t, FER_STR("Send an object; its properties are "),
                    fer_say_names(w->t, known, count), FER_STR("."));
}

static fer_str hint_number(const struct wrong *w)
{
    bool whole = wants(w, WHOLE) && !wants(w, NUMBER);
    if (whole && fer_is_num(w->value) && fer_number_is_integer(w->value)) {
        return FER_STR("Write it without a decimal point and without an exponent.");
    }
    return whole ? FER_STR("Send a whole number.") : FER_STR("Send a number.");
}

static fer_str hint_string(const struct wrong *w)
{
    if (w->hidden || !fer_is_num(w->value)) return FER_STR("Send a string.");
    return FER_JOIN(w->t, FER_STR("Put the value in quotes: \""), fer_say_json(w->t, w->value, 120),
                    FER_STR("\"."));
}

fer_str fer_type_hint(fer_teller *t, const fer_unit *u, const fer_violation *v,
                      const fer_str *names, size_t count)
{
    struct wrong w = {t, u, u->value, 0, fer_is_hidden(t, v)};
    for (size_t n = 0; n < count; n++) w.wants |= 1u << type_named(names[n]);
    /* What a string looks like says something of the value. */
    fer_str quoted = fer_is_str(w.value) && !w.hidden ? hint_quoted(&w) : FER_STR("");
    if (quoted.len) return quoted;
    if (fer_val_type(w.value) == YYJSON_TYPE_NULL && v->dotted.len) {
        return fer_is_required(t, u) ? FER_STR("Give a value: the field is required.")
                                     : FER_STR("Leave it out, or give a value.");
    }
    if (fer_is_num(w.value) && wants(&w, STRING)) return hint_string(&w);
    if (count - wants(&w, NULL_TYPE) > 1) {
        return FER_JOIN(t, FER_STR("Send "), fer_say_types(t, names, count), FER_STR("."));
    }
    if (wants(&w, ARRAY)) return hint_list(&w);
    if (wants(&w, OBJECT)) return hint_object(&w);
    if (wants(&w, WHOLE) || wants(&w, NUMBER)) return hint_number(&w);
    if (wants(&w, BOOLEAN)) return FER_STR("Send true or false.");
    return wants(&w, STRING) ? hint_string(&w) : FER_STR("Send null.");
}

static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    fer_violation *v = fer_tell(t, u, i->source, FER_INVALID_TYPE, u->value);
    if (!v) return;
    fer_str names[TYPES_MAX];
    size_t count = 0;
    if (fer_is_str(i->source)) {
        names[count++] = fer_val_str(i->source);
    } else {
        FER_EACH_ITEM (i->source, item) {
            if (count < TYPES_MAX) names[count++] = fer_val_str(item);
        }
    }
    v->expected = fer_say_types(t, names, count);
    v->actual = fer_say_actual(t, v, u->value);
    v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" must be "), v->expected,
                          FER_STR(", but is "), v->actual, FER_STR("."));
    v->hint = fer_type_hint(t, u, v, names, count);
}

static void lower(fer_rows *l, const fer_inst *i)
{
    uint8_t types = (uint8_t)(i->bits & 0xFF);
    bool whole = i->bits & (INTEGER | INTEGER_TEXT);
    if (whole && (types & FER_ON_NUMBER) != FER_ON_NUMBER) {
        types |= FER_ON_NUMBER;
        l->integer = true;
        l->text = !(i->bits & INTEGER);
    }
    l->types &= types;
    l->type = i;
}

static const fer_op type_op = {
    .name = "type", .on = FER_ON_ALL, .check = check, .explain = explain, .lower = lower};

static unsigned bits_of(const fer_build *b, fer_str name)
{
    if (fer_str_is(name, "null")) return FER_TYPE_BIT(YYJSON_TYPE_NULL);
    if (fer_str_is(name, "boolean")) return FER_TYPE_BIT(YYJSON_TYPE_BOOL);
    if (fer_str_is(name, "string")) return FER_ON_STRING;
    if (fer_str_is(name, "array")) return FER_ON_ARRAY;
    if (fer_str_is(name, "object")) return FER_ON_OBJECT;
    if (fer_str_is(name, "number")) return FER_ON_NUMBER;
    return b->rules->bit == FER_IN_4 ? INTEGER_TEXT : INTEGER;
}

void fer_compile_type(fer_build *b)
{
    const yyjson_val *type = fer_build_value(b, KW_TYPE);
    fer_inst *i = fer_build_add(b, &type_op, KW_TYPE);
    if (fer_is_str(type)) {
        i->bits = bits_of(b, fer_val_str(type));
        return;
    }
    FER_EACH_ITEM (type, item) i->bits |= bits_of(b, fer_val_str(item));
}
