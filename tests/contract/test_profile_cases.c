/* SPDX-License-Identifier: Apache-2.0 */
/* Real incompatibilities: each is found under its profile by its rule. */
#include <ferrule/contract.h>

#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "file.h"
#include "json_doc.h"
#include "rows.h"

/* The tools of a case: its own, so many of them, or one with its schema. */
static fer_str input_of(fer_arena *a, const yyjson_val *c)
{
    const yyjson_val *tool = fer_val_get(c, "tool"), *schema = fer_val_get(c, "schema");
    fer_str text;
    fer_buf b;
    const yyjson_val *repeat = fer_val_get(tool, "repeat");
    if (repeat) {
        fer_buf_init(&b, a, (size_t)1 << 20);
        for (uint64_t i = 0; i < repeat->uni.u64; i++)
            fer_buf_printf(&b, "%s{\"name\":\"t%llu\",\"inputSchema\":{\"type\":\"object\"}}",
                           i ? "," : "[", (unsigned long long)i);
        fer_buf_add_text(&b, "]");
        return fer_buf_view(&b);
    }
    assert_int_equal(fer_json_write(a, tool ? tool : schema, false, &text, NULL), FER_OK);
    return tool ? text
                : fer_arena_printf(a, "{\"name\":\"t\",\"inputSchema\":%.*s}", FER_PRI(text));
}

static bool is_found(fer_arena *a, const yyjson_val *c)
{
    size_t count;
    bool found = false;
    fer_err err = {0};
    const fer_profile *profile;
    fer_str rule = fer_val_str(fer_val_get(c, "rule")),
            name = fer_val_str(fer_val_get(c, "profile"));
    fer_checks *checks = fer_checks_new();
    if (fer_profile_find(a, name, &profile, &err)) fail_msg("%s", err.message);
    assert_int_equal(fer_checks_profile(checks, profile, NULL), FER_OK);
    fer_toolset *set = fer_toolset_new_checked(checks);
    fer_code code = fer_toolset_add(set, FER_STR("case"), input_of(a, c), FER_FORMAT_JSON, &err);
    if (code) fail_msg("%s", err.message);
    const fer_finding *f = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count; i++)
        found = found || (fer_str_is(rule, f[i].rule->id) && fer_str_eq(f[i].profile, name));
    fer_toolset_free(set);
    fer_checks_free(checks);
    return found;
}

static void real_cases_are_caught(void)
{
    char path[4096];
    fer_str text;
    size_t missed = 0, seen = 0, only_words = 0;
    fer_arena *a = fer_arena_new(0);
    snprintf(path, sizeof path, "%s/../providers/cases.jsonl", rows_data());
    if (!*rows_data() || fer_file_read(a, path, (size_t)8 << 20, &text, NULL)) {
        print_message("skipped: there is no %s\n", path);
        fer_arena_free(a);
        skip();
    }
    for (size_t from = 0; from < text.len;) {
        size_t end = fer_str_find(text, from, '\n');
        if (end == SIZE_MAX) end = text.len;
        fer_json *doc;
        fer_arena *own = fer_arena_new(0);
        assert_int_equal(
            fer_json_read(own, fer_str_slice(text, from, end), fer_json_limits_file(), &doc, NULL),
            FER_OK);
        const yyjson_val *c = fer_json_root(doc);
        from = end + 1;
        assert_non_null(fer_rule_find(fer_val_str(fer_val_get(c, "rule"))));
        if (!fer_val_get(c, "tool") && !fer_val_get(c, "schema")) {
            only_words++; /* an error text, and no schema to find it in */
        } else if (!is_found(own, c)) {
            fer_str id = fer_val_str(fer_val_get(c, "id"));
            print_error("%.*s is not caught\n", FER_PRI(id));
            missed++;
        }
        seen++;
        fer_arena_free(own);
    }
    print_message("%zu cases, %zu of them without a schema\n", seen, only_words);
    assert_true(seen > only_words);
    assert_int_equal(missed, 0);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_ONE("cases", real_cases_are_caught);
}
