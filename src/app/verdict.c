/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict.h"

#include <string.h>

#include "buf.h"

/* ---- standard output formats ---------------------------------------------------------------- */

bool fer_output_find(const char *name, fer_output *out)
{
    static const char *const names[] = {[FER_OUTPUT_FLAG] = "flag",
                                        [FER_OUTPUT_BASIC] = "basic",
                                        [FER_OUTPUT_DETAILED] = "detailed",
                                        [FER_OUTPUT_LIST] = "list",
                                        [FER_OUTPUT_HIERARCHICAL] = "hierarchical"};
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (fer_output)i;
        return true;
    }
    return false;
}

static void nothing(fer_report *r)
{
    (void)r;
}

/* What cannot be read is not valid; a line for it keeps the others in step with the input. */
static void write_unit(fer_out *o, fer_str source, uint32_t line, uint32_t column, fer_code code,
                       fer_str message)
{
    char text[2 * FER_ERR_TEXT];
    fer_buf b;
    fer_buf_init_fixed(&b, text, sizeof text);
    fer_buf_add(&b, fer_str_head(source, FER_ERR_TEXT / 2));
    if (line) fer_buf_printf(&b, ":%u:%u", line, column);
    fer_buf_printf(&b, ": %s: ", fer_code_info(code)->name);
    fer_buf_add(&b, fer_str_head(message, FER_ERR_TEXT));
    fer_out_text(o,
                 "{\"valid\":false,\"keywordLocation\":\"\",\"instanceLocation\":\"\",\"error\":");
    fer_out_json(o, fer_buf_view(&b));
    fer_out_text(o, "}\n");
}

/* Only of a schema that cannot be used: instances have their results. */
static void remark(fer_report *r, const fer_remark *m, fer_str text)
{
    (void)text;
    write_unit(r->out, m->source, m->place.line, m->place.column, m->code, m->message);
}

static void failure(fer_report *r, fer_str source, const fer_err *err, fer_str text)
{
    (void)text;
    write_unit(r->out, source, err->line, err->column, err->code, fer_str_of(err->message));
}

const fer_report_kind fer_report_standard = {"standard", nothing, remark, failure, nothing};

/* ---- remarks ------------------------------------------------------------------------------------
 */

/* The place of a field in the instance as it was read, or of what is nearest around it. */
static fer_place nearest_place(const fer_json *doc, fer_str pointer)
{
    const yyjson_val *value;
    while (!(value = fer_json_at(fer_json_root(doc), pointer, NULL)) && pointer.len) {
        do {
            pointer.len--;
        } while (pointer.len && pointer.ptr[pointer.len] != '/');
    }
    return fer_json_place(doc, value ? value : fer_json_root(doc));
}

static fer_remark remark_of(const fer_source *schema, const fer_instance *i, const fer_violation *v,
                            bool moved)
{
    fer_place place = moved ? nearest_place(i->doc, v->field) : v->place;
    size_t offset = place.offset;
    if (place.line && i->line) place.line += i->line - 1;
    place.offset += i->offset;
    return (fer_remark){.rule = fer_code_info(v->code)->name,
                        .code = v->code,
                        .severity = FER_SEVERITY_ERROR,
                        .source = i->source,
                        .place = place,
                        .offset = offset,
                        .length = fer_json_token_len(i->text, offset),
                        .pointer = v->field,
                        .message = v->message,
                        .hint = v->hint,
                        .violation = v,
                        .schema = schema->name,
                        .schema_place = fer_source_place(schema, v->schema, v->schema_place)};
}

void fer_verdict_remarks(fer_report *r, const fer_report_kind *kind, const fer_source *schema,
                         const fer_instance *i, const fer_result *result, bool moved)
{
    size_t count;
    const fer_violation *list = fer_result_violations(result, &count);
    for (size_t n = 0; n < count; n++) {
        fer_remark m = remark_of(schema, i, &list[n], moved);
        r->counts.errors++;
        kind->remark(r, &m, i->text);
    }
    if (!fer_result_cut(result) || kind != &fer_report_text) return;
    fer_out_clean(r->out, i->source);
    if (i->line) fer_out_printf(r->out, ":%u", i->line);
    fer_out_printf(r->out, ": there are more findings than these %zu (--max-findings)\n", count);
}

/* ---- changes
 * --------------------------------------------------------------------------------------- */

#define SHOWN 120 /* bytes of a value in a line of text */

static void short_value(fer_out *o, fer_str json)
{
    fer_str head = fer_str_head(json, SHOWN);
    fer_out_clean(o, head);
    if (head.len < json.len) fer_out_text(o, "...");
}

void fer_changes_text(fer_out *o, const fer_instance *i, const fer_adapted *adapted, bool hide)
{
    for (size_t n = 0; n < adapted->change_count; n++) {
        const fer_change *c = &adapted->changes[n];
        fer_out_clean(o, i->source);
        if (i->line) fer_out_printf(o, ":%u", i->line);
        fer_out_printf(o, ": %s ", c->op);
        fer_out_clean(o, c->pointer);
        if (!hide) {
            fer_out_text(o, ": ");
            short_value(o, c->was);
            if (c->was.len && c->value.len) fer_out_text(o, " -> ");
            short_value(o, c->value);
        }
        fer_out_printf(o, " (%s)\n", c->why);
    }
}

void fer_changes_json(fer_out *o, const fer_instance *i, const fer_adapted *adapted)
{
    fer_out_text(o, "{\"file\":");
    fer_out_json(o, i->source);
    if (i->line) fer_out_printf(o, ",\"line\":%u", i->line);
    fer_out_printf(o, ",\"valid\":%s,\"changes\":[",
                   fer_result_valid(adapted->result) ? "true" : "false");
    for (size_t n = 0; n < adapted->change_count; n++) {
        const fer_change *c = &adapted->changes[n];
        fer_out_printf(o, "%s{\"op\":\"%s\",\"path\":", n ? "," : "", c->op);
        fer_out_json(o, c->pointer);
        if (c->was.len) fer_out_text(o, ",\"was\":");
        fer_out_add(o, c->was);
        if (c->value.len) fer_out_text(o, ",\"value\":");
        fer_out_add(o, c->value);
        fer_out_printf(o, ",\"why\":\"%s\"}", c->why);
    }
    fer_out_text(o, "]}\n");
}
