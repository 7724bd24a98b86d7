/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real tools for all profiles: what must hold of every conversion, and at least 99 in 100 are
 * converted. Every 20th tool is taken, or with FERRULE_RANDOM=20 each; tools/convert-shares
 * counts all of them by profile.
 */
#include <stdlib.h>

#include "buf.h"
#include "convert_checks.h"
#include "file.h"
#include "rows.h"

static size_t step(void)
{
    uint64_t n = 1;
    const char *more = getenv("FERRULE_RANDOM");
    if (more) fer_parse_u64(fer_str_of(more), &n);
    return n > 0 && n < 20 ? 20 / (size_t)n : 1;
}

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

/* Some of the tools, in one set. */
static fer_toolset *choose(fer_arena *a, const struct fer_file_list *files)
{
    fer_toolset *all = fer_toolset_new(), *some = fer_toolset_new();
    fer_err err = {0};
    for (size_t i = 0; i < files->count; i++) {
        fer_str text;
        if (fer_file_read(a, files->paths[i].ptr, (size_t)64 << 20, &text, &err) ||
            fer_toolset_add(all, files->paths[i], text, FER_FORMAT_AUTO, &err))
            fail_msg("%s", err.message);
    }
    for (size_t i = 0; i < fer_toolset_count(all); i += step()) {
        fer_str text;
        const fer_tool *t = fer_toolset_get(all, i);
        assert_int_equal(fer_json_write(a, fer_tool_source(t), false, &text, &err), FER_OK);
        if (fer_toolset_add(some, FER_STR("tool"), text, FER_FORMAT_JSON, &err))
            fail_msg("%s", err.message);
    }
    fer_toolset_free(all);
    return some;
}

static void real_tools(void)
{
    fer_arena *a = fer_arena_new(0);
    struct fer_file_list files = {0};
    fer_err err = {0};
    fer_str folder = fer_arena_printf(a, "%s/tools", rows_data());
    if (!rows_data()[0] || !fer_file_is_folder(folder.ptr)) {
        printf("# skipped: no test data\n");
        fer_arena_free(a);
        skip();
    }
    if (fer_file_walk(a, folder.ptr, 1000, is_json, &files, &err)) fail_msg("%s", err.message);
    fer_toolset *set = choose(a, &files);
    size_t counts[2] = {0};
    for (size_t p = 0; p < fer_profile_count(); p++)
        convert_holds(set, fer_profile_name_at(p), false, counts);
    printf("# %zu tools: %zu converted, %zu refused\n", fer_toolset_count(set), counts[0],
           counts[1]);
    assert_int_equal(convert_wrong(), 0);
    assert_true(counts[1] * 100 <= counts[0] + counts[1]);
    fer_toolset_free(set);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_ONE("convert", real_tools);
}
