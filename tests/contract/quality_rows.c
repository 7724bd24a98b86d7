/* SPDX-License-Identifier: Apache-2.0 */
#include "quality_rows.h"

#include <stdlib.h>

#include "buf.h"

/* With " in the place of '. */
static fer_str json_of(fer_arena *a, const char *text)
{
    fer_str copy = fer_arena_copy(a, fer_str_of(text));
    for (size_t i = 0; copy.ptr && i < copy.len; i++) {
        if (copy.ptr[i] == '\'') ((char *)(uintptr_t)copy.ptr)[i] = '"';
    }
    return copy;
}

static fer_code add(fer_toolset *set, fer_arena *a, const char *name, const char *input,
                    fer_err *err)
{
    fer_str text = json_of(a, input);
    if (!text.ptr) return FER_OUT_OF_MEMORY;
    return fer_toolset_add(set, fer_str_of(name), text, FER_FORMAT_AUTO, err);
}

static void judge(const struct quality_row *row, const fer_toolset *set)
{
    size_t count, times = 0;
    const fer_finding *list = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count; i++) {
        const fer_finding *f = &list[i];
        if (f->rule != &fer_quality_rules[row->rule]) continue;
        if (row->before && !fer_str_is(f->source, "t.json")) continue;
        if (!times++ && row->pointer) assert_str(f->pointer, row->pointer);
        assert_true(f->message.len > 0 && f->place.line > 0);
        char text[2 * FER_ERR_TEXT];
        snprintf(text, sizeof text, "%.*s %.*s", FER_PRI(f->message), FER_PRI(f->hint));
        if (row->says && !strstr(text, row->says)) fail_msg("it says: %s", text);
        if (times > row->times) print_error("%s: %s\n", f->rule->id, text);
    }
    if (times != row->times)
        fail_msg("%s is broken %zu times, not %u", fer_quality_rules[row->rule].id, times,
                 row->times);
}

static fer_code attempt(fer_arena *a, const void *given)
{
    const struct quality_row *row = given;
    fer_err err = {0};
    (void)a;
    fer_checks *checks = fer_checks_new();
    fer_arena *own = fer_arena_new(0);
    fer_toolset *set = checks && own ? fer_toolset_new_checked(checks) : NULL;
    fer_code code = set ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code && row->before) code = add(set, own, "other.json", row->before, &err);
    if (!code) code = add(set, own, "t.json", row->input, &err);
    if (code && code != FER_OUT_OF_MEMORY) fail_msg("%s", err.message);
    if (!code) judge(row, set);
    fer_toolset_free(set);
    fer_arena_free(own);
    fer_checks_free(checks);
    return code;
}

static void run(const struct quality_row *row)
{
    assert_int_equal(attempt(NULL, row), FER_OK);
}

static void torture(const struct quality_row *row)
{
    assert_true(rows_torture_malloc(attempt, row) > 0);
}

int quality_rows_run(const char *group, const struct quality_row *rows, size_t count)
{
    return rows_run(group, rows, sizeof *rows, count, (rows_function *)(void (*)(void))run) +
           rows_run("no memory", rows, sizeof *rows, count,
                    (rows_function *)(void (*)(void))torture);
}

int quality_rows_cover(const char *group, const struct quality_row *rows, size_t count)
{
    int missed = 0;
    for (unsigned r = 0; r < FER_Q_COUNT; r++) {
        size_t broken = 0, held = 0;
        const char *id = fer_quality_rules[r].id;
        if (strncmp(id, group, strlen(group)) != 0) continue;
        for (size_t i = 0; i < count; i++) {
            if (rows[i].rule != r) continue;
            broken += rows[i].times > 0;
            held += rows[i].times == 0;
        }
        if (broken >= 3 && held >= 3) continue;
        printf("not ok - %s: %zu rows break it, %zu hold it\n", id, broken, held);
        missed++;
    }
    return missed;
}
