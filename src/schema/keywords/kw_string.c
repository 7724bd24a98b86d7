/* SPDX-License-Identifier: Apache-2.0 */
/* minLength, maxLength (in code points), pattern */
#include "explain.h"
#include "families.h"
#include "unicode.h"

/* Bytes settle most cases: a code point has one to four. */
static fer_step check_min(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    size_t bytes = fer_val_len(v);
    if (bytes < i->count) return FER_STEP_FAIL;
    if (bytes / 4 >= i->count) return FER_STEP_PASS;
    if (!fer_vm_spend(vm, bytes / 8)) return FER_STEP_ERROR;
    return fer_utf8_count_valid(fer_val_str(v)) >= i->count ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step check_max(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    size_t bytes = fer_val_len(v);
    if (bytes <= i->count) return FER_STEP_PASS;
    if (!fer_vm_spend(vm, bytes / 8)) return FER_STEP_ERROR;
    return fer_utf8_count_valid(fer_val_str(v)) <= i->count ? FER_STEP_PASS : FER_STEP_FAIL;
}

static void explain_length(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    fer_violation *v = fer_tell(t, u, i->source, FER_OUT_OF_RANGE, u->value);
    if (!v) return;
    size_t length = fer_utf8_count(fer_val_str(u->value));
    bool at_least = i->op->check == check_min;
    char digits[FER_DIGITS], had[FER_DIGITS];
    fer_str bound = fer_say_number(digits, i->count), has = fer_say_number(had, length);
    fer_str letters = i->count == 1 ? FER_STR(" character") : FER_STR(" characters");
    v->expected =
        FER_JOIN(t, at_least ? FER_STR("at least ") : FER_STR("at most "), bound, letters);
    bool hidden = fer_is_hidden(t, v);
    v->actual = hidden ? FER_STR("a string") : FER_JOIN(t, has);
    fer_str is = !hidden    ? FER_JOIN(t, FER_STR("has "), has)
                 : at_least ? FER_STR("is shorter")
                            : FER_STR("is longer");
    v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" must have "), v->expected,
                          FER_STR(", but "), is, FER_STR("."));
    v->hint = at_least && i->count == 1
                  ? FER_STR("Give a text that is not empty.")
                  : FER_JOIN(t, at_least ? FER_STR("Lengthen it to ") : FER_STR("Shorten it to "),
                             bound, letters, at_least ? FER_STR(" or more.") : FER_STR("."));
}

static fer_step check_pattern(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    return fer_vm_match(vm, i->data, v);
}

/* An example, where the schema has one, says more than any pattern. */
static fer_str example_of(fer_teller *t, const fer_unit *u)
{
    const yyjson_val *list = fer_val_get(u->node->schema, "examples");
    if (!fer_is_arr(list) || !fer_val_len(list)) return FER_STR("");
    return fer_say(t, " An example: %.*s.", FER_PRI(fer_say_json(t, list + 1, 120)));
}

static void explain_pattern(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    fer_violation *v = fer_tell(t, u, i->source, FER_INVALID_FORMAT, u->value);
    if (!v) return;
    fer_str pattern = fer_str_head(fer_val_str(i->source), 600);
    v->expected = FER_JOIN(t, FER_STR("text that matches the pattern "), pattern);
    v->actual = fer_say_value(t, v, u->value);
    v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" must match the pattern `"), pattern,
                          FER_STR("`, but is "), v->actual, FER_STR("."));
    v->hint = FER_JOIN(t, FER_STR("Rewrite it so that it matches the pattern."), example_of(t, u));
}

/* ---- the quick form ---------------------------------------------------------------------------
 */

static void lower_min(fer_rows *l, const fer_inst *i)
{
    fer_quick *row = fer_lower_row(l, FER_Q_LENGTH, FER_ON_STRING);
    uint64_t min = i->count;
    row->min = min;
    /* So many bytes are at least `min` code points. */
    row->n = min < 2 ? (uint32_t)min : min < UINT32_MAX / 4 ? (uint32_t)min * 4 - 3 : UINT32_MAX;
}

static void lower_max(fer_rows *l, const fer_inst *i)
{
    fer_lower_row(l, FER_Q_LENGTH, FER_ON_STRING)->max = i->count;
}

static void lower_pattern(fer_rows *l, const fer_inst *i)
{
    fer_lower_add(l, FER_Q_PATTERN, FER_ON_STRING)->data = i->data;
}

static const fer_op min_op = {.name = "minLength",
                              .on = FER_ON_STRING,
                              .check = check_min,
                              .explain = explain_length,
                              .lower = lower_min};
static const fer_op max_op = {.name = "maxLength",
                              .on = FER_ON_STRING,
                              .check = check_max,
                              .explain = explain_length,
                              .lower = lower_max};
static const fer_op pattern_op = {.name = "pattern",
                                  .on = FER_ON_STRING,
                                  .check = check_pattern,
                                  .explain = explain_pattern,
                                  .lower = lower_pattern};

void fer_compile_string(fer_build *b)
{
    const yyjson_val *min = fer_build_value(b, KW_MIN_LENGTH);
    const yyjson_val *max = fer_build_value(b, KW_MAX_LENGTH);
    const yyjson_val *pattern = fer_build_value(b, KW_PATTERN);
    if (min) fer_build_add(b, &min_op, KW_MIN_LENGTH)->count = fer_build_count(min);
    if (max) fer_build_add(b, &max_op, KW_MAX_LENGTH)->count = fer_build_count(max);
    if (!pattern) return;
    const fer_regex *regex = fer_build_regex(b, pattern);
    if (regex) fer_build_add(b, &pattern_op, KW_PATTERN)->data = regex;
}
