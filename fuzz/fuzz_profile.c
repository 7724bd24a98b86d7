/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile, then tools behind the first line that is "---". What must hold: a profile is
 * read or refused with a message; its rules can be told in words; findings of it name it,
 * have a message and a place in the text; and all built-in profiles take the same tools.
 */
#include <ferrule/contract.h>

#include "fuzz.h"
#include "json_doc.h"

static const char mark[] = "\n---\n";

static void check_findings(const fer_toolset *set, fer_str text)
{
    size_t count;
    const fer_finding *f = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count; i++) {
        HOLDS(f[i].severity < FER_SEVERITY_OFF && f[i].message.len);
        HOLDS(f[i].place.offset < text.len && f[i].place.line > 0 && f[i].number > 0);
    }
}

static void check_tools(const fer_checks *checks, fer_str text)
{
    fer_err err = {0};
    fer_toolset *set = fer_toolset_new_checked(checks);
    HOLDS(set);
    fer_code code = fer_toolset_add(set, FER_STR("t"), text, FER_FORMAT_JSON, &err);
    HOLDS(!code || err.message[0]);
    check_findings(set, text);
    fer_toolset_free(set);
}

static void check_all(fer_str text)
{
    fer_arena *a = fuzz_arena();
    fer_checks *checks = fer_checks_new();
    HOLDS(checks);
    for (size_t i = 0; i < fer_profile_count(); i++) {
        const fer_profile *p;
        HOLDS(!fer_profile_find(a, fer_str_of(fer_profile_name_at(i)), &p, NULL));
        HOLDS(!fer_checks_profile(checks, p, NULL));
    }
    check_tools(checks, text);
    fer_checks_free(checks);
    bool ok;
    fer_str answer;
    fer_json *doc;
    HOLDS(!fer_tools_json_answer(a, text, &ok, &answer, NULL));
    HOLDS(!fer_json_read(a, answer, fer_json_limits_file(), &doc, NULL));
    fer_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size), tools = FER_STR("");
    const char *at = text.ptr ? memmem(text.ptr, text.len, mark, sizeof mark - 1) : NULL;
    if (!text.ptr) return 0;
    if (at) {
        tools =
            (fer_str){at + sizeof mark - 1, text.len - (size_t)(at - text.ptr) - sizeof mark + 1};
        text.len = (size_t)(at - text.ptr);
    }
    fer_err err = {0};
    const fer_profile *profile;
    fer_arena *a = fuzz_arena();
    fer_code code = fer_profile_load(a, text, FER_FORMAT_AUTO, &profile, &err);
    HOLDS(!code || (err.code == code && err.message[0]));
    if (!code) {
        size_t count;
        fer_profile_demand *demands;
        fer_checks *checks = fer_checks_new();
        HOLDS(checks && !fer_profile_demands(a, profile, &demands, &count, NULL));
        HOLDS(!fer_checks_profile(checks, profile, NULL));
        if (tools.len) check_tools(checks, tools);
        fer_checks_free(checks);
    }
    if (tools.len) check_all(tools);
    fer_arena_free(a);
    return 0;
}
