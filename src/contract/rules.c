/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include <stdarg.h>

#include "errors.h"
#include "print.h"
#include "profile.h"
#include "quality.h"
#include "str.h"

/* In the order of enum fer_rule_tables. A further table is a further row. */
static const fer_rule_list lists[] = {
    {fer_record_rules, FER_RULE_COUNT, sizeof *fer_record_rules},
    {fer_profile_rules, FER_PR_COUNT, sizeof *fer_profile_rules},
    {fer_quality_rules, FER_Q_COUNT, sizeof *fer_quality_rules},
};

static const fer_rule *row(const fer_rule_list *list, size_t index)
{
    return (const fer_rule *)(const void *)((const char *)list->rows + index * list->stride);
}

/* The first rule of a table whose id is behind `id`, or is it; NULL: there is none. */
static const fer_rule *first_from(const fer_rule_list *list, const char *id, bool behind)
{
    size_t from = 0, to = list->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(row(list, middle)->id, id);
        if (order < 0 || (behind && order == 0)) from = middle + 1;
        else to = middle;
    }
    return from < list->count ? row(list, from) : NULL;
}

const fer_rule *fer_rule_next(const fer_rule *before)
{
    const fer_rule *next = NULL; /* of two with the same id, the first table's counts */
    for (size_t i = 0; i < FER_COUNT(lists); i++) {
        const fer_rule *r = first_from(&lists[i], before ? before->id : "", before != NULL);
        if (r && (!next || strcmp(r->id, next->id) < 0)) next = r;
    }
    return next;
}

const fer_rule *fer_rule_find(fer_str id)
{
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) {
        if (fer_str_is(id, r->id)) return r;
    }
    return NULL;
}

size_t fer_rule_table_of(const fer_rule *rule)
{
    size_t i = 0;
    for (; i < FER_COUNT(lists); i++) {
        uintptr_t from = (uintptr_t)lists[i].rows, at = (uintptr_t)rule;
        if (at >= from && at - from < lists[i].count * lists[i].stride) break;
    }
    return i;
}

static const char *const severity_names[] = {"error", "warning", "info", "off"};

const char *fer_severity_name(fer_severity severity)
{
    return severity_names[severity];
}

bool fer_severity_parse(fer_str name, fer_severity *out)
{
    for (size_t i = 0; i < FER_COUNT(severity_names); i++) {
        if (!fer_str_is(name, severity_names[i])) continue;
        *out = (fer_severity)i;
        return true;
    }
    return false;
}

/* ---- drafts ---------------------------------------------------------------------- */

void fer_drafts_init(fer_drafts *d, fer_arena *a)
{
    *d = (fer_drafts){.arena = a};
}

fer_str fer_draft_text(fer_arena *a, const char *format, va_list args)
{
    char text[FER_ERR_TEXT];
    size_t len = fer_format_text(text, sizeof text, format, args);
    return fer_arena_copy(a, (fer_str){text, len});
}

fer_finding *fer_drafts_put(fer_drafts *d, const fer_rule *rule, const yyjson_val *at,
                            fer_str pointer, fer_str message)
{
    struct fer_draft *list = NULL;
    if (!d->no_memory && pointer.ptr && message.ptr)
        list = fer_arena_room(d->arena, d->list, d->count, &d->cap, sizeof *list);
    if (!list) {
        d->no_memory = true;
        return NULL;
    }
    d->list = list;
    struct fer_draft *draft = &d->list[d->count++];
    *draft = (struct fer_draft){.at = at};
    draft->finding.rule = rule;
    draft->finding.severity = rule->severity;
    draft->finding.tool_pointer = pointer;
    draft->finding.message = message;
    return &draft->finding;
}

static fer_finding *add_formatted(fer_drafts *d, const fer_rule *rule, const yyjson_val *at,
                                  const fer_path *path, const char *format, va_list args)
    FER_PRINTF(5, 0);

static fer_finding *add_formatted(fer_drafts *d, const fer_rule *rule, const yyjson_val *at,
                                  const fer_path *path, const char *format, va_list args)
{
    if (d->no_memory) return NULL;
    fer_str pointer = fer_path_pointer(d->arena, path);
    return fer_drafts_put(d, rule, at, pointer, fer_draft_text(d->arena, format, args));
}

void fer_drafts_add(fer_drafts *d, enum fer_rule_id rule, const yyjson_val *at,
                    const fer_path *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_formatted(d, &fer_record_rules[rule], at, path, format, args);
    va_end(args);
}

fer_finding *fer_drafts_report(fer_drafts *d, const fer_rule *rule, const yyjson_val *at,
                               const fer_path *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fer_finding *f = add_formatted(d, rule, at, path, format, args);
    va_end(args);
    return f;
}

void fer_drafts_hint(fer_drafts *d, const char *format, ...)
{
    va_list args;
    if (d->no_memory || d->count == 0) return;
    va_start(args, format);
    fer_str hint = fer_draft_text(d->arena, format, args);
    va_end(args);
    d->no_memory = !hint.ptr;
    if (hint.ptr) d->list[d->count - 1].finding.hint = hint;
}

fer_str fer_digits_text(fer_arena *a, uint64_t number)
{
    char digits[FER_DIGITS] = "";
    size_t len = fer_print_u64(digits, number);
    return fer_arena_copy(a, (fer_str){digits, len});
}

void fer_drafts_bounds(fer_drafts *d, uint64_t limit, uint64_t actual)
{
    if (d->no_memory || d->count == 0) return;
    fer_finding *f = &d->list[d->count - 1].finding;
    f->limit = fer_digits_text(d->arena, limit);
    f->actual = fer_digits_text(d->arena, actual);
    d->no_memory = !f->limit.ptr || !f->actual.ptr;
}
