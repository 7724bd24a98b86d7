/* SPDX-License-Identifier: Apache-2.0 */
#include "convert_checks.h"

#include "json_value.h"
#include "rows.h"

static const yyjson_val *schema_of(const fer_tool *t)
{
    return fer_tool_field(t, "inputSchema");
}

static size_t wrong; /* told, and counted, so that one run shows all */

static void tell(const char *profile, fer_str what, fer_str about)
{
    if (wrong++ < 20)
        fprintf(stderr, "# %s: %.*s\n#   %.*s\n", profile, FER_PRI(what), FER_PRI(about));
}

/* The calls of the converted schema come back, and fit. */
static void come_back(fer_arena *a, const fer_converted *t, const fer_back_map *map,
                      const char *profile)
{
    fer_err err = {0};
    fer_schema *original = NULL, *marked = NULL;
    fer_specimen *list;
    size_t count;
    if (!t->back.len) return;
    const fer_schema_options file = {.limits = fer_schema_limits_file()};
    if (fer_schema_compile_value(NULL, schema_of(t->tool), &file, &original, &err))
        fail_msg("%s", err.message);
    if (fer_schema_compile(t->back, &file, &marked, &err)) fail_msg("%s: %s", profile, err.message);
    fer_sample_options o = {.max = 20, .seed = 7, .steps = 100000};
    if (fer_schema_samples(a, marked, &o, &list, &count, &err)) count = 0;
    for (size_t i = 0; i < count && list[i].valid; i++) {
        fer_back_call call;
        fer_json *doc;
        bool valid = false;
        fer_str text = fer_arena_printf(a, "{\"name\":\"%.*s\",\"arguments\":%.*s}",
                                        FER_PRI(t->name), FER_PRI(list[i].json));
        bool wider = t->losses >> FER_LOSS_WIDER & 1;
        if (fer_back_map_call(a, map, text, &call, &err)) {
            if (!wider) tell(profile, text, fer_str_of(err.message));
            continue;
        }
        assert_int_equal(fer_json_read(a, call.arguments, NULL, &doc, &err), FER_OK);
        assert_int_equal(fer_schema_accepts(original, a, fer_json_root(doc), &valid, &err), FER_OK);
        if (!valid && !wider) tell(profile, text, call.arguments);
    }
    fer_schema_unref(original);
    fer_schema_unref(marked);
}

/* The records are in the map as they were. */
static void are_kept(fer_arena *a, const fer_conversion *made, const fer_back_map *map)
{
    fer_str records;
    fer_json *doc;
    fer_err err = {0};
    assert_int_equal(fer_back_map_records(a, map, &records, &err), FER_OK);
    assert_int_equal(fer_json_read(a, records, fer_json_limits_file(), &doc, &err), FER_OK);
    const yyjson_val *kept = fer_json_root(doc) + 1;
    for (size_t i = 0; i < made->count; i++) {
        bool equal = false;
        if (made->tools[i].refused.len) continue;
        assert_int_equal(
            fer_json_equal(a, fer_tool_source(made->tools[i].tool), kept, &equal, &err), FER_OK);
        assert_true(equal);
        kept = fer_val_next(kept);
    }
}

static void one_holds(fer_arena *a, const fer_converted *t, const fer_back_map *map,
                      const char *profile)
{
    fer_str id = fer_tool_id(t->tool);
    if (fer_str_starts(t->refused, "the conversion is wrong") ||
        fer_str_starts(t->refused, "no end")) {
        fer_str source = FER_STR("");
        fer_json_write(a, fer_tool_source(t->tool), false, &source, NULL);
        tell(profile, t->refused, source);
    }
    if (!t->refused.len && !t->entry.len)
        tell(profile, FER_STR("neither converted nor refused"), id);
    if (!t->refused.len) come_back(a, t, map, profile);
}

void convert_holds(const fer_toolset *set, const char *profile, bool twice, size_t counts[2])
{
    fer_arena *a = fer_arena_new(0), *scratch = fer_arena_new(0);
    const fer_profile *p;
    const fer_back_map *map;
    fer_convert_options o = {.keeps_map = true};
    fer_conversion made, again;
    fer_err err = {0};
    assert_int_equal(fer_profile_find(a, fer_str_of(profile), &p, &err), FER_OK);
    if (fer_toolset_convert(a, set, p, &o, &made, &err)) fail_msg("%s: %s", profile, err.message);
    if (twice) {
        if (fer_toolset_convert(a, set, p, &o, &again, &err))
            fail_msg("%s: %s", profile, err.message);
        assert_true(fer_str_eq(made.text, again.text) && fer_str_eq(made.map, again.map));
    }
    if (fer_back_map_read(a, made.map, &map, &err)) fail_msg("%s: %s", profile, err.message);
    for (size_t i = 0; i < made.count; i++) {
        counts[made.tools[i].refused.len > 0]++;
        fer_arena_reset(scratch);
        one_holds(scratch, &made.tools[i], map, profile);
    }
    are_kept(a, &made, map);
    fer_arena_free(scratch);
    fer_arena_free(a);
}

size_t convert_wrong(void)
{
    return wrong;
}
