/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last look at a record: its schemas are asked of the engine that will use them. Defaults and
 * examples that their own schemas refuse are cut out of the text; anything else that is wrong with
 * a schema leaves the operation out.
 */
#include <stdlib.h>

#include "json_skim.h"
#include "openapi_parts.h"
#include <ferrule/schema.h>

#define CUTS_MAX 1000 /* of one record */

/* Bytes of the record that are taken out. */
typedef struct cut {
    size_t from, to;
    const yyjson_val *key; /* that is cut */
} cut;

typedef struct mend {
    fer_oa *oa;
    const fer_oa_operation *o;
    const fer_json *doc; /* the record */
    fer_arena *scratch;
    cut cuts[CUTS_MAX];
    size_t count;
    fer_str first; /* where the first stands */
} mend;

/* The member that holds the value: `default`, or `examples`, whose item is named by the pointer. */
static const yyjson_val *member_of(const yyjson_val *schema, fer_str pointer)
{
    fer_err err;
    size_t slash = pointer.len;
    while (slash > 0 && pointer.ptr[slash - 1] != '/') slash--;
    if (!slash) return NULL;
    fer_str last = fer_str_slice(pointer, slash, pointer.len);
    if (!fer_str_is(last, "default")) pointer = fer_str_slice(pointer, 0, slash - 1);
    const yyjson_val *value = fer_json_at(schema, pointer, &err);
    return value && value > schema ? value - 1 : NULL;
}

/* The member with one comma, before it or behind it. */
static void add_cut(mend *m, const yyjson_val *key)
{
    fer_str text = m->doc->text;
    size_t from = fer_json_offset(m->doc, key);
    size_t to = fer_skim_value(text, fer_json_offset(m->doc, key + 1));
    if (to == SIZE_MAX || m->count == CUTS_MAX) return;
    for (size_t i = 0; i < m->count; i++)
        if (m->cuts[i].key == key) return; /* another item of the same list */
    if (text.ptr[to] == ',') to++;
    else if (text.ptr[from - 1] == ',') from--;
    m->cuts[m->count++] = (cut){from, to, key};
}

static void look(mend *m, const char *field)
{
    const yyjson_val *schema = fer_val_get(fer_json_root(m->doc), field);
    fer_schema_problem *list = NULL;
    size_t count = 0;
    fer_err err = {0};
    if (!schema) return;
    fer_code code = fer_schema_problems(m->scratch, NULL, schema, NULL, true, &list, &count, &err);
    if (code == FER_OUT_OF_MEMORY) m->oa->failure = code;
    else if (code)
        fer_oa_refuse(m->oa, m->o->value, "its %s is not one: %.400s", field, err.message);
    for (size_t i = 0; i < count && !code; i++) {
        const yyjson_val *key =
            strcmp(list[i].rule, "invalid-value") == 0 ? member_of(schema, list[i].pointer) : NULL;
        if (key) {
            if (!m->count)
                m->first = fer_arena_printf(m->oa->a, "%s%.*s", field, FER_PRI(list[i].pointer));
            add_cut(m, key);
        } else if (!list[i].warning) {
            fer_oa_refuse(m->oa, m->o->value, "its %s is not one: %.*s", field,
                          FER_PRI(fer_str_head(list[i].message, 400)));
        }
    }
}

static int by_start(const void *x, const void *y)
{
    const cut *a = x, *b = y;
    return (a->from > b->from) - (a->from < b->from);
}

static fer_str without_cuts(mend *m, fer_str text)
{
    fer_buf b;
    size_t at = 0;
    qsort(m->cuts, m->count, sizeof *m->cuts, by_start);
    fer_buf_init(&b, m->oa->a, text.len);
    for (size_t i = 0; i < m->count; i++) {
        size_t from = m->cuts[i].from > at ? m->cuts[i].from : at;
        fer_buf_add(&b, fer_str_slice(text, at, from));
        if (m->cuts[i].to > at) at = m->cuts[i].to;
    }
    fer_buf_add(&b, fer_str_slice(text, at, text.len));
    if (b.failure) fer_oa_no_memory(m->oa);
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

/* Two members in a row may both have taken the comma behind them, and the last none before. */
static fer_str tidy(fer_str text, char *out)
{
    size_t n = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!quoted && (c == '}' || c == ']') && n && out[n - 1] == ',') n--;
        if (c == '"') quoted = !quoted;
        out[n++] = c;
        if (quoted && c == '\\' && i + 1 < text.len) out[n++] = text.ptr[++i];
    }
    return (fer_str){out, n};
}

fer_str fer_oa_mend(fer_oa *oa, const fer_oa_operation *o, fer_str record)
{
    fer_json *doc;
    fer_err err = {0};
    fer_arena *scratch = fer_arena_new(0);
    mend *m = scratch ? fer_arena_alloc_zero(scratch, 1, sizeof *m) : NULL;
    fer_code code =
        m ? fer_json_read(scratch, record, fer_json_limits_file(), &doc, &err) : FER_OUT_OF_MEMORY;
    if (code == FER_OUT_OF_MEMORY) oa->failure = code;
    else if (code) fer_oa_refuse(oa, o->value, "its record is none: %.400s", err.message);
    if (!code) {
        *m = (mend){.oa = oa, .o = o, .doc = doc, .scratch = scratch};
        look(m, "inputSchema");
        look(m, "outputSchema");
    }
    if (!code && m->count) {
        fer_oa_note(
            oa, o->value,
            "%zu defaults or examples are left out, as their schemas refuse them; the first "
            "is %.*s",
            m->count, FER_PRI(m->first));
        fer_str cut_out = without_cuts(m, record);
        char *room = cut_out.ptr ? fer_arena_alloc(oa->a, cut_out.len + 1) : NULL;
        if (room) record = tidy(cut_out, room);
        else fer_oa_no_memory(oa);
    }
    fer_arena_free(scratch);
    return record;
}
