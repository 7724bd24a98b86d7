/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contentEncoding, contentMediaType, contentSchema, where they are asked for: base64,
 * base64url, base32, base16 and JSON. What is not known says nothing.
 */
#include "content.h"
#include "explain.h"
#include "families.h"

struct content {
    fer_content_decode *decode; /* NULL: the text itself */
    const yyjson_val *encoding;
    bool json;
    const yyjson_val *media_type;
    const fer_node *schema; /* NULL: none, or what it is about is not known */
};

static fer_step decoded(fer_vm *vm, const struct content *d, const yyjson_val *v, fer_str *out)
{
    *out = fer_val_str(v);
    if (!fer_vm_spend(vm, out->len / 8)) return FER_STEP_ERROR;
    if (!d->decode) return FER_STEP_PASS;
    switch (d->decode(vm->arena, *out, out)) {
    case FER_OK: return FER_STEP_PASS;
    case FER_INVALID_FORMAT: return FER_STEP_FAIL;
    default: return fer_vm_no_memory(vm);
    }
}

/* The frame's state: 0 not looked at yet; 1 the schema has been asked. */
static fer_step next(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct content *d = i->data;
    if (f->state) return f->hits ? FER_STEP_PASS : FER_STEP_FAIL;
    fer_str text;
    fer_json *doc;
    fer_step s = decoded(vm, d, f->value, &text);
    if (s != FER_STEP_PASS || !d->json) return s;
    if (!fer_vm_spend(vm, text.len)) return FER_STEP_ERROR;
    fer_err why = {0};
    fer_code code = fer_json_read(vm->arena, text, NULL, &doc, &why);
    /* A document over a limit of JSON is refused; an arena over its budget gives no verdict. */
    bool too_large = code == FER_LIMIT_EXCEEDED && strncmp(why.message, "json.", 5) == 0;
    bool no_room = code == FER_OUT_OF_MEMORY || (code == FER_LIMIT_EXCEEDED && !too_large);
    if (no_room) return fer_vm_no_memory(vm);
    if (code) return FER_STEP_FAIL;
    if (!d->schema) return FER_STEP_PASS;
    f->state = 1;
    fer_vm_call(vm, d->schema, fer_json_root(doc), KW_CONTENT_SCHEMA, 0);
    vm->call.plain = true;
    return FER_STEP_CALL;
}

/* What is wrong with the document in the string, in the words of a teller of its own. */
static void tell_inside(fer_teller *t, const fer_unit *u, const fer_unit *inside)
{
    fer_teller inner = *t;
    inner.list = NULL;
    inner.count = inner.cap = 0;
    inner.root = inside->value;
    fer_tell_unit(&inner, inside);
    for (size_t n = 0; n < inner.count; n++) {
        fer_violation told = inner.list[n];
        fer_violation *v = fer_tell(t, u, told.schema, told.code, u->value);
        if (!v) return;
        fer_str field = fer_say_field(t, v);
        told.field = v->field;
        told.dotted = v->dotted;
        told.value = v->value;
        told.place = v->place;
        *v = told;
        v->message =
            fer_say(t, "In the JSON that %.*s holds: %.*s", FER_PRI(field), FER_PRI(told.message));
    }
    t->no_memory |= inner.no_memory;
    t->near_left = inner.near_left;
    t->look_left = inner.look_left;
}

/* What is in the string has no place of its own: the finding is about the string. */
static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct content *d = i->data;
    bool inside = u->last && &u->node->insts[u->last->by] == i && !u->last->valid;
    size_t before = t->count;
    if (inside && !t->shallow && !fer_is_hidden_unit(t, u)) tell_inside(t, u, u->last);
    if (t->count > before) return;
    fer_str text;
    bool encoded = d->decode && d->decode(t->arena, fer_val_str(u->value), &text) != FER_OK;
    const yyjson_val *source = encoded ? d->encoding : d->media_type ? d->media_type : i->source;
    fer_violation *v = fer_tell(t, u, inside ? d->schema->schema : source,
                                inside ? FER_CONSTRAINT_VIOLATION : FER_INVALID_FORMAT, u->value);
    if (!v) return;
    v->actual = fer_say_value(t, v, u->value);
    v->expected = inside    ? FER_STR("a document that fits `contentSchema`")
                  : encoded ? fer_say(t, "text in %.*s", FER_PRI(fer_val_str(d->encoding)))
                            : FER_STR("a JSON document");
    v->message = fer_say(t, "%.*s must hold %.*s, but is %.*s.", FER_PRI(fer_say_field(t, v)),
                         FER_PRI(v->expected), FER_PRI(v->actual));
    v->hint = inside    ? FER_STR("Change the document in the string.")
              : encoded ? fer_say(t, "Encode the content in %.*s, with its padding.",
                                  FER_PRI(fer_val_str(d->encoding)))
                        : FER_STR("Write the document as JSON, then put it in a string.");
}

static const fer_op content_op = {.name = "content",
                                  .on = FER_ON_STRING,
                                  .next = next,
                                  .hear = fer_hear_answer,
                                  .explain = explain};

void fer_compile_content(fer_build *b)
{
    const yyjson_val *encoding = fer_build_value(b, KW_CONTENT_ENCODING);
    const yyjson_val *media = fer_build_value(b, KW_CONTENT_MEDIA_TYPE);
    const yyjson_val *schema = fer_build_value(b, KW_CONTENT_SCHEMA);
    if (!b->c->options->assert_content) return;
    struct content *d = fer_build_alloc(b, 1, sizeof *d);
    if (!d) return;
    if (encoding) {
        d->decode = fer_content_find(fer_val_str(encoding));
        if (!d->decode) return;
    }
    d->encoding = encoding;
    d->media_type = media;
    d->json = media && fer_content_is_json(fer_val_str(media));
    if (d->json && schema) d->schema = fer_build_child(b, schema);
    if (!encoding && !d->json) return;
    enum fer_slot slot = encoding ? KW_CONTENT_ENCODING : KW_CONTENT_MEDIA_TYPE;
    fer_build_add(b, &content_op, slot)->data = d;
}
