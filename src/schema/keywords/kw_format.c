/* SPDX-License-Identifier: Apache-2.0 */
/* format, where it is asked for or the dialect asserts it; unknown formats say nothing */
#include "explain.h"
#include "families.h"
#include "formats.h"

static fer_step check(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    const fer_text_format *format = i->data;
    if (!fer_vm_spend(vm, fer_val_len(v) / 8)) return FER_STEP_ERROR;
    int is = format->check(vm->arena, fer_val_str(v));
    if (is < 0) return fer_vm_no_memory(vm);
    return is ? FER_STEP_PASS : FER_STEP_FAIL;
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
    v->hint = fer_say(t, "Write it as %s.", format->expected);
}

static const fer_op format_op = {.name = "format", .check = check, .explain = explain};

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
    if (asserts) fer_build_add(b, &format_op, KW_FORMAT, FER_ON_STRING)->data = format;
}
