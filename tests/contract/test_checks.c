/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of rules as one, severities, and what is counted as suppressed. */
#include <ferrule/contract.h>

#include "rows.h"
#include "rules.h"

static void rules_are_ordered_and_unique(void)
{
    size_t count = 0;
    const char *last = "";
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) {
        assert_true(strcmp(last, r->id) < 0);
        assert_ptr_equal(fer_rule_find(fer_str_of(r->id)), r);
        assert_true(*r->text && *r->why && *r->fix);
        assert_non_null(fer_code_info(r->code));
        last = r->id;
        count++;
    }
    assert_true(count >= FER_RULE_COUNT);
    assert_null(fer_rule_find(FER_STR("no.such-rule")));
    assert_null(fer_rule_find(FER_STR("")));
}

static const struct word {
    const char *name;
    fer_severity severity;
} words[] = {{"error", FER_SEVERITY_ERROR},
             {"warning", FER_SEVERITY_WARNING},
             {"info", FER_SEVERITY_INFO},
             {"off", FER_SEVERITY_OFF}};

static void severity_is_read_and_named(const struct word *row)
{
    fer_severity severity;
    assert_true(fer_severity_parse(fer_str_of(row->name), &severity));
    assert_int_equal(severity, row->severity);
    assert_string_equal(fer_severity_name(severity), row->name);
    assert_false(fer_severity_parse(FER_STR("Error"), &severity));
}

/* The severity that tags.changed has in a record with one such finding; OFF: there is none. */
static fer_severity found_with(const fer_checks *checks)
{
    static const char text[] =
        "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},\"tags\":[\"A\"]}";
    size_t count;
    fer_toolset *set = fer_toolset_new_checked(checks);
    assert_non_null(set);
    assert_int_equal(
        fer_toolset_add(set, FER_STR("t.json"), fer_str_of(text), FER_FORMAT_AUTO, NULL), FER_OK);
    const fer_finding *findings = fer_toolset_findings(set, &count);
    fer_severity severity = FER_SEVERITY_OFF;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(findings[i].rule->id, "tags.changed") == 0) severity = findings[i].severity;
    }
    fer_toolset_free(set);
    return severity;
}

static void severity_is_set(const struct word *row)
{
    fer_checks *checks = fer_checks_new();
    assert_non_null(checks);
    assert_int_equal(found_with(checks), FER_SEVERITY_WARNING);
    assert_int_equal(fer_checks_severity(checks, FER_STR("tags.changed"), row->severity, NULL),
                     FER_OK);
    assert_int_equal(found_with(checks), row->severity);
    fer_checks_free(checks);
}

static void unknown_rules_are_refused(void)
{
    fer_err err = {0};
    fer_checks *checks = fer_checks_new();
    assert_int_equal(fer_checks_severity(checks, FER_STR("tags.chanced"), FER_SEVERITY_OFF, &err),
                     FER_BAD_USAGE);
    assert_non_null(strstr(err.message, "tags.chanced"));
    fer_checks_free(checks);
    fer_checks_free(NULL);
}

static void suppressed_findings_are_counted(void)
{
    static const char text[] =
        "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},\"tags\":[\"A\","
        "\"B\"],\"suppress\":[{\"rule\":\"tags.changed\",\"reason\":\"r\"}]}";
    size_t count;
    fer_toolset *set = fer_toolset_new();
    assert_int_equal(
        fer_toolset_add(set, FER_STR("t.json"), fer_str_of(text), FER_FORMAT_AUTO, NULL), FER_OK);
    fer_toolset_findings(set, &count);
    assert_int_equal(count, 0);
    assert_int_equal(fer_toolset_suppressed(set), 2);
    fer_toolset_free(set);
}

static fer_code sets_up(fer_arena *a, const void *row)
{
    fer_err err;
    (void)a;
    (void)row;
    fer_checks *checks = fer_checks_new();
    if (!checks) return FER_OUT_OF_MEMORY;
    fer_code code = fer_checks_severity(checks, FER_STR("name.charset"), FER_SEVERITY_INFO, &err);
    fer_checks_free(checks);
    return code;
}

static void memory_may_fail(void)
{
    assert_true(rows_torture_malloc(sets_up, NULL) > 0);
}

int main(void)
{
    return ROWS_ONE("checks", rules_are_ordered_and_unique) +
           ROWS_RUN("checks", words, severity_is_read_and_named) +
           ROWS_RUN("checks", words, severity_is_set) +
           ROWS_ONE("checks", unknown_rules_are_refused) +
           ROWS_ONE("checks", suppressed_findings_are_counted) +
           ROWS_ONE("checks", memory_may_fail);
}
