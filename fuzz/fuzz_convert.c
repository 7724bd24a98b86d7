/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools for providers. What must hold: a tool is converted or refused with a reason, never
 * wrongly; what was converted can be read, and its map has the record.
 */
#include <ferrule/convert.h>

#include "fuzz.h"

static const char *const profiles[] = {"openai-strict", "gemini", "tools_json", "ollama"};

static void one(fer_arena *a, const fer_toolset *set, const char *profile)
{
    const fer_profile *p;
    fer_convert_options o = {.keeps_map = true};
    fer_conversion made;
    const fer_back_map *map;
    fer_json *doc;
    fer_err err = {0};
    HOLDS(!fer_profile_find(a, fer_str_of(profile), &p, &err));
    if (fer_toolset_convert(a, set, p, &o, &made, &err)) {
        HOLDS(err.message[0]);
        return;
    }
    for (size_t i = 0; i < made.count; i++) {
        const fer_converted *t = &made.tools[i];
        HOLDS((t->entry.len > 0) != (t->refused.len > 0));
        HOLDS(!fer_str_starts(t->refused, "the conversion is wrong"));
    }
    HOLDS(!fer_json_read(a, made.text, fer_json_limits_file(), &doc, &err));
    HOLDS(!fer_back_map_read(a, made.map, &map, &err));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size);
    fer_arena *a = fuzz_arena();
    fer_toolset *set = fer_toolset_new();
    fer_err err = {0};
    HOLDS(set != NULL);
    if (size < 20000 && !fer_toolset_add(set, FER_STR("t"), text, FER_FORMAT_JSON, &err)) {
        for (size_t i = 0; i < FER_COUNT(profiles); i++) one(a, set, profiles[i]);
    }
    fer_toolset_free(set);
    fer_arena_free(a);
    return 0;
}
