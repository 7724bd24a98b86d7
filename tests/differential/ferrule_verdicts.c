/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ferrule's side of the differential tests: verdicts, a JSON document per line each way.
 *
 *     {"dialect":"draft-07","schema":...,"instances":[...]}
 *     {"verdicts":"viv","validated":"viv"}          or {"refused":"InvalidSchema: ..."}
 *
 * A letter per instance: v valid, i invalid, e no answer (past the limit of steps). The first
 * word is what fer_schema_accepts says, with and without machine code (n: they differ), the second
 * what fer_schema_validate says, and the machine alone, which has to agree (m: it does not);
 * formats and content are notes only, as they are for the validators that Ferrule is compared with.
 */
#include <ferrule/schema.h>

#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

#include "vm.h"

#define ARENA_MAX ((size_t)1 << 30)

/* yyjson's accessors do not change what they read, though they do not say so. */
static yyjson_val *open_value(const yyjson_val *v)
{
    yyjson_val *open;
    memcpy(&open, &v, sizeof open);
    return open;
}

static const yyjson_val *get(const yyjson_val *object, const char *name)
{
    return yyjson_obj_get(open_value(object), name);
}

static void answer_refused(fer_code code, const fer_err *err)
{
    printf("{\"refused\":\"%s: ", fer_code_info(code)->name);
    for (const char *s = err->message; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') printf("\\%c", c);
        else if (c < 0x20) printf("\\u%04x", c);
        else putchar(c);
    }
    printf("\"}\n");
}

static char letter(fer_code code, bool valid)
{
    if (code) return 'e';
    return valid ? 'v' : 'i';
}

static char accepted(const fer_schema *s, fer_arena *scratch, const yyjson_val *instance)
{
    fer_err err;
    bool valid = false;
    fer_code code = fer_schema_accepts(s, scratch, instance, &valid, &err);
    return letter(code, valid);
}

/* A value past the limit of steps is a finding here; there it has no answer. */
static char validated(const fer_schema *s, fer_arena *scratch, const fer_json *doc,
                      const yyjson_val *instance)
{
    fer_err err;
    fer_result *r = NULL;
    size_t count = 0;
    const fer_validate_options options = {.max_violations = 1};
    fer_code code = fer_schema_validate(scratch, s, doc, instance, &options, &r, &err);
    const fer_violation *list = code ? NULL : fer_result_violations(r, &count);
    if (count && list[0].code == FER_VALIDATION_BUDGET_EXCEEDED) return 'e';
    return letter(code, !code && fer_result_valid(r));
}

/* What the machine says without the quick form; past the limit of steps, that is nothing. */
static char by_machine(const fer_schema *s, fer_arena *scratch, const yyjson_val *instance)
{
    fer_err err;
    bool valid = false;
    fer_vm vm = {.program = s, .arena = scratch, .err = &err};
    fer_code code = fer_vm_run(&vm, instance, &valid);
    return letter(code, valid);
}

static void answer(fer_arena *scratch, const fer_json *doc, const fer_schema *s,
                   const fer_schema *native)
{
    yyjson_val *instances = open_value(get(fer_json_root(doc), "instances"));
    yyjson_val *instance;
    size_t i, max;
    printf("{\"verdicts\":\"");
    yyjson_arr_foreach(instances, i, max, instance)
    {
        char says = accepted(s, scratch, instance);
        putchar(accepted(native, scratch, instance) == says ? says : 'n');
        fer_arena_reset(scratch);
    }
    printf("\",\"validated\":\"");
    yyjson_arr_foreach(instances, i, max, instance)
    {
        char says = validated(s, scratch, doc, instance);
        char machine = by_machine(s, scratch, instance);
        putchar(machine == says || machine == 'e' ? says : 'm');
        fer_arena_reset(scratch);
    }
    printf("\"}\n");
}

static fer_code compile(const fer_json *doc, bool native, fer_schema **out, fer_err *err)
{
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *dialect = get(root, "dialect"), *schema = get(root, "schema");
    fer_schema_options options = {
        .formats_note_only = true, .native = native, .limits = fer_schema_limits_file()};
    fer_str name = {yyjson_get_str(open_value(dialect)), yyjson_get_len(open_value(dialect))};
    if (!schema || !name.ptr || !fer_dialect_find(name, &options.dialect)) {
        snprintf(err->message, sizeof err->message, "a line has a schema and a dialect");
        return FER_BAD_USAGE;
    }
    return fer_schema_compile_value(doc, schema, &options, out, err);
}

static void answer_line(fer_arena *a, fer_arena *scratch, fer_str line)
{
    fer_err err = {0};
    fer_json *doc = NULL;
    fer_schema *s = NULL, *native = NULL;
    fer_code code = fer_json_read(a, line, fer_json_limits_file(), &doc, &err);
    if (!code) code = compile(doc, false, &s, &err);
    if (!code) code = compile(doc, true, &native, &err);
    if (code) answer_refused(code, &err);
    else answer(scratch, doc, s, native);
    fer_schema_unref(native);
    fer_schema_unref(s);
    fer_arena_reset(a);
    fflush(stdout);
}

int main(void)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    fer_arena *a = fer_arena_new(ARENA_MAX), *scratch = fer_arena_new(ARENA_MAX);
    if (!a || !scratch) return 1;
    while ((len = getline(&line, &cap, stdin)) > 0) {
        fer_str text = {line, (size_t)len};
        if (text.ptr[len - 1] == '\n') text.len--;
        answer_line(a, scratch, text);
    }
    free(line);
    fer_arena_free(scratch);
    fer_arena_free(a);
    return 0;
}
