/* SPDX-License-Identifier: Apache-2.0 */
/* format, where it is asked for or the dialect asserts it; unknown formats say nothing */
#include "explain.h"
#include "families.h"
#include "formats.h"

#define LONG_TEXT 256               /* bytes; shorter ones take little memory each ... */
#define SPILT_MAX ((size_t)1 << 20) /* ... until it is much: then it is taken back, too */

static fer_step check(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    const fer_text_format *format = i->data;
    if (!fer_vm_spend(vm, fer_val_len(v) / 3)) return FER_STEP_ERROR;
    bool brief = fer_val_len(v) > LONG_TEXT || vm->spilt > SPILT_MAX;
    fer_arena *a = brief ? fer_vm_brief(vm) : vm->arena;
    if (!a) return FER_STEP_ERROR;
    size_t before = fer_arena_used(a);
    int is = format->check(a, fer_val_str(v));
    if (!brief) vm->spilt += fer_arena_used(a) - before;
    if (is >= 0) return is ? FER_STEP_PASS : FER_STEP_FAIL;
    vm->code = fer_arena_failed(a, vm->err);
    return FER_STEP_ERROR;
}

/* The text with something before or behind it, by which it would be right. */
static bool would_fit(fer_teller *t, const fer_text_format *format, const char *before,
                      fer_str text, const char *behind)
{
    fer_str tried =
        fer_arena_printf(t->arena, "%s%.*s%s", before, FER_PRI(fer_str_head(text, 1000)), behind);
    t->no_memory |= !tried.ptr;
    return tried.ptr && format->check(t->arena, tried) == 1;
}

/* 2026-02-30: right but for the day. */
static bool is_no_day(fer_teller *t, const fer_text_format *format, fer_str text)
{
    char tried[40];
    if (text.len < 10 || text.len > sizeof tried || text.ptr[7] != '-') return false;
    memcpy(tried, text.ptr, text.len);
    tried[8] = '0';
    tried[9] = '1';
    return format->check(t->arena, (fer_str){tried, text.len}) == 1;
}

static fer_str hint(fer_teller *t, const fer_text_format *format, fer_str text)
{
    if (is_no_day(t, format, text)) return FER_STR("There is no such day: correct the date.");
    if (would_fit(t, format, "", text, "Z")) {
        return FER_STR("Add the offset from UTC at its end, such as Z or +01:00.");
    }
    if (would_fit(t, format, "", text, "T00:00:00Z")) {
        return FER_STR("Add the time at its end, such as T09:30:00Z.");
    }
    if (would_fit(t, format, "https://", text, "")) {
        return FER_STR("Put the scheme in front of it, such as https://.");
    }
    return FER_STR("Write it in that form.");
}

static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const fer_text_format *format = i->data;
    fer_violation *v = fer_tell(t, u, i->source, FER_INVALID_FORMAT, u->value);
    if (!v) return;
    v->expected = fer_str_of(format->expected);
    v->actual = fer_say_value(t, v, u->value);
    v->message = fer_say(t, "%.*s must be %s, but is %.*s.", FER_PRI(fer_say_field(t, v)),
                         format->expected, FER_PRI(v->actual));
    /* A hint by what the text looks like says something of it. */
    v->hint = fer_is_hidden(t, v) ? FER_STR("Write it in that form.")
                                  : hint(t, format, fer_val_str(u->value));
}

static const fer_op format_op = {
    .name = "format", .on = FER_ON_STRING, .check = check, .explain = explain};

void fer_compile_format(fer_build *b)
{
    const yyjson_val *name = fer_build_value(b, KW_FORMAT);
    const fer_schema_options *o = b->c->options;
    const fer_text_format *format =
        fer_text_format_find(fer_val_str(name), (unsigned)b->rules->dialect);
    if (!format) {
        fer_warn(b->c, "unknown-format", name, "The format \"%.*s\" is not known in %s.",
                 FER_PRI(fer_val_str(name)), fer_dialect_name(b->rules->dialect));
        return;
    }
    bool asserts = o->assert_formats || (b->rules->asserts_formats && !o->formats_note_only);
    if (asserts) fer_build_add(b, &format_op, KW_FORMAT)->data = format;
}
