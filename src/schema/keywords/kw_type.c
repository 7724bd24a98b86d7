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
    (void)vm;
    if (i->bits & FER_TYPE_BIT(fer_val_type(v))) return FER_STEP_PASS;
    if (!fer_is_num(v)) return FER_STEP_FAIL;
    bool whole = ((i->bits & INTEGER) && fer_number_is_integer(v)) ||
                 ((i->bits & INTEGER_TEXT) && fer_number_is_integer_text(v));
    return whole ? FER_STEP_PASS : FER_STEP_FAIL;
}

/* "a string, a number or null" */
static fer_str in_words(fer_teller *t, const yyjson_val *types)
{
    fer_buf b;
    fer_buf_init(&b, t->arena, 512);
    size_t count = fer_is_arr(types) ? fer_val_len(types) : 1, n = 0;
    const yyjson_val *item = fer_is_arr(types) ? types + 1 : types;
    for (; n < count; n++, item = fer_val_next(item)) {
        fer_str name = fer_val_str(item);
        bool vowel = name.len && strchr("aio", name.ptr[0]);
        if (n) fer_buf_add_text(&b, n + 1 == count ? " or " : ", ");
        if (!fer_str_is(name, "null")) fer_buf_add_text(&b, vowel ? "an " : "a ");
        fer_buf_add(&b, fer_str_is(name, "array") ? FER_STR("array") : name);
    }
    return b.failure ? FER_STR("") : fer_buf_view(&b);
}

static bool allows(const yyjson_val *types, const char *name)
{
    if (fer_is_str(types)) return fer_str_is(fer_val_str(types), name);
    FER_EACH_ITEM (types, item) {
        if (fer_str_is(fer_val_str(item), name)) return true;
    }
    return false;
}

/* What most often went wrong with a value of the right meaning and the wrong type. */
static fer_str hint(fer_teller *t, const yyjson_val *types, const yyjson_val *v)
{
    bool number = allows(types, "integer") || allows(types, "number");
    if (fer_is_str(v) && number) return FER_STR("Send the number itself, without quotes.");
    if (fer_is_str(v) && allows(types, "boolean")) {
        return FER_STR("Send true or false, without quotes.");
    }
    if (fer_is_str(v) && (allows(types, "object") || allows(types, "array"))) {
        return FER_STR("Send the JSON itself, not a string that contains it.");
    }
    if (allows(types, "array")) return FER_STR("Put the value in a list: [ ... ].");
    if (fer_is_num(v) && allows(types, "integer")) return FER_STR("Send a whole number.");
    if (fer_is_num(v) && allows(types, "string")) return FER_STR("Put the value in quotes.");
    if (fer_val_type(v) == YYJSON_TYPE_NULL)
        return FER_STR("Leave the field out, or give a value.");
    return fer_say(t, "%s", "");
}

static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    fer_violation *v = fer_tell(t, u, i->source, FER_INVALID_TYPE, u->value);
    if (!v) return;
    v->expected = in_words(t, i->source);
    v->actual = fer_say_actual(t, v, u->value);
    v->message = fer_say(t, "%.*s must be %.*s, but is %.*s.", FER_PRI(fer_say_field(t, v)),
                         FER_PRI(v->expected), FER_PRI(v->actual));
    v->hint = hint(t, i->source, u->value);
}

static const fer_op type_op = {.name = "type", .check = check, .explain = explain};

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
    fer_inst *i = fer_build_add(b, &type_op, KW_TYPE, FER_ON_ALL);
    if (fer_is_str(type)) {
        i->bits = bits_of(b, fer_val_str(type));
        return;
    }
    FER_EACH_ITEM (type, item) i->bits |= bits_of(b, fer_val_str(item));
}
