/* SPDX-License-Identifier: Apache-2.0 */
/* What compiling finds wrong, gathered and put in the order of the text. */
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

#include "compile.h"
#include "errors.h"

void *fer_compile_no_memory(fer_compile *c)
{
    if (!c->code) c->code = fer_fail(c->err, FER_OUT_OF_MEMORY, "There is no more memory.");
    return NULL;
}

static void add_problem(fer_compile *c, const fer_schema_problem *p, const char *format,
                        va_list args) FER_PRINTF(3, 0);

static void add_problem(fer_compile *c, const fer_schema_problem *p, const char *format,
                        va_list args)
{
    c->noticed++;
    assert(fer_schema_rule_find(p->rule));
    if (c->problem_count == FER_PROBLEMS_MAX || c->mute) return;
    fer_schema_problem *list =
        fer_arena_room(c->scratch, c->problems, c->problem_count, &c->problem_cap, sizeof *list);
    char text[FER_ERR_TEXT];
    size_t len = fer_format_text(text, sizeof text, format, args);
    fer_str message = fer_arena_copy(c->scratch, (fer_str){text, len});
    if (!list || !message.ptr) {
        fer_compile_no_memory(c);
        return;
    }
    c->problems = list;
    list[c->problem_count] = *p;
    list[c->problem_count++].message = message;
}

void fer_problem(fer_compile *c, fer_code code, const char *rule, const yyjson_val *value,
                 const char *format, ...)
{
    fer_schema_problem p = {.code = code, .rule = rule, .value = value};
    va_list args;
    c->failed = true;
    va_start(args, format);
    add_problem(c, &p, format, args);
    va_end(args);
}

void fer_warn(fer_compile *c, const char *rule, const yyjson_val *value, const char *format, ...)
{
    if (!c->lint) return;
    fer_schema_problem p = {
        .code = FER_INVALID_SCHEMA, .warning = true, .rule = rule, .value = value};
    va_list args;
    va_start(args, format);
    add_problem(c, &p, format, args);
    va_end(args);
}

static int by_place(const void *x, const void *y)
{
    const fer_schema_problem *p = x, *q = y;
    if (p->value != q->value) return p->value < q->value ? -1 : 1;
    int order = strcmp(p->rule, q->rule);
    return order ? order : fer_str_cmp(p->message, q->message);
}

bool fer_problems_sort(fer_compile *c)
{
    size_t own = 0, others = 0;
    if (!c->problem_count) return true;
    fer_schema_problem *list = fer_arena_alloc(c->scratch, c->problem_count * sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < c->problem_count; i++) {
        const fer_schema_problem *p = &c->problems[i];
        bool ours = !c->root || (p->value >= c->root && p->value < fer_val_next(c->root));
        if (ours) c->problems[own++] = *p;
        else list[others++] = *p;
    }
    qsort(c->problems, own, sizeof *c->problems, by_place);
    memcpy(c->problems + own, list, others * sizeof *list);
    return true;
}
