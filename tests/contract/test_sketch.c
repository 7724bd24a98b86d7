/* SPDX-License-Identifier: Apache-2.0 */
/* Tools to start from: every pattern, effect and kind of name breaks no rule at all. */
#include "sketch.h"

#include "rows.h"
#include "verbs.h"

static const struct row {
    const char *name;
    const char *description;
} rows[] = {
    {"list_invoices", ""},
    {"search_issues", ""},
    {"get_weather", "Tells the weather of a place."},
    {"createIssue", ""},
    {"update-order", "Changes an order"},
    {"close_ticket", ""},
    {"send_message", ""},
    {"run_tests", ""},
    {"github_create_issue",
     "Opens an issue. Use it for bugs; not for questions. Returns its number."},
    {"find_categories", ""},
    {"fetch_address", ""},
    {"apply_policy", ""},
};

static fer_sketch sketch_of(const struct row *row, unsigned pattern, unsigned effect)
{
    return (fer_sketch){.ns = FER_STR("demo"),
                        .name = fer_str_of(row->name),
                        .version = FER_STR("0.1.0"),
                        .pattern = (fer_pattern)pattern,
                        .effect = (fer_effect)effect,
                        .description = fer_str_of(row->description)};
}

static fer_code check(fer_str text)
{
    size_t count;
    fer_err err = {0};
    fer_checks *checks = fer_checks_new();
    fer_toolset *set = checks ? fer_toolset_new_checked(checks) : NULL;
    fer_code code = set ? fer_toolset_add(set, FER_STR("t.json"), text, FER_FORMAT_JSON, &err)
                        : FER_OUT_OF_MEMORY;
    if (!code) {
        const fer_finding *list = fer_toolset_findings(set, &count);
        for (size_t i = 0; i < count; i++)
            print_error("%s: %.*s: %.*s\n", list[i].rule->id, FER_PRI(list[i].pointer),
                        FER_PRI(list[i].message));
        assert_int_equal(count, 0);
        assert_int_equal(fer_toolset_count(set), 1);
    }
    fer_toolset_free(set);
    fer_checks_free(checks);
    return code;
}

static void breaks_no_rule(const struct row *row)
{
    for (unsigned pattern = 0; pattern < FER_PATTERN_COUNT; pattern++) {
        for (unsigned effect = FER_EFFECT_PURE; effect <= FER_EFFECT_EXTERNAL_SIDE_EFFECTS;
             effect++) {
            fer_arena *a = fer_arena_new(0);
            fer_str text, again;
            fer_err err = {0};
            fer_sketch s = sketch_of(row, pattern, effect);
            /* A write that says it reads is a contradiction of the caller's. */
            bool writes = fer_sketch_effect(s.name) != FER_EFFECT_PURE;
            if (!(writes && effect == FER_EFFECT_PURE)) {
                assert_int_equal(fer_sketch_write(a, &s, &text, &err), FER_OK);
                assert_int_equal(check(text), FER_OK);
                assert_int_equal(fer_sketch_write(a, &s, &again, &err), FER_OK);
                assert_true(fer_str_eq(text, again));
            }
            fer_arena_free(a);
        }
    }
}

static fer_code attempt(fer_arena *a, const void *given)
{
    fer_arena *own = a ? NULL : fer_arena_new(0);
    fer_str text;
    fer_sketch s = sketch_of(given, FER_PATTERN_ONE_OF, FER_EFFECT_IDEMPOTENT_WRITE);
    if (!a && !own) return FER_OUT_OF_MEMORY;
    fer_code code = fer_sketch_write(a ? a : own, &s, &text, NULL);
    fer_arena_free(own);
    return code;
}

static void torture(const struct row *row)
{
    assert_true(rows_torture_arena(attempt, row) > 0);
    assert_true(rows_torture_malloc(attempt, row) > 0);
}

static const struct guess {
    const char *name;
    fer_effect effect;
    fer_pattern pattern;
} guesses[] = {
    {"list_things", FER_EFFECT_PURE, FER_PATTERN_NONE},
    {"getThing", FER_EFFECT_PURE, FER_PATTERN_STRING},
    {"delete-thing", FER_EFFECT_IDEMPOTENT_WRITE, FER_PATTERN_STRING},
    {"send_mail", FER_EFFECT_EXTERNAL_SIDE_EFFECTS, FER_PATTERN_STRING},
    {"create_thing", FER_EFFECT_NON_IDEMPOTENT_WRITE, FER_PATTERN_STRING},
    {"thing", FER_EFFECT_NON_IDEMPOTENT_WRITE, FER_PATTERN_STRING},
};

static void guessed(const struct guess *row)
{
    assert_int_equal(fer_sketch_effect(fer_str_of(row->name)), row->effect);
    assert_int_equal(fer_sketch_pattern(fer_str_of(row->name)), row->pattern);
}

static void patterns_have_names(void)
{
    fer_pattern found;
    for (unsigned i = 0; i < FER_PATTERN_COUNT; i++) {
        assert_true(fer_pattern_find(fer_str_of(fer_pattern_name((fer_pattern)i)), &found));
        assert_int_equal(found, i);
        assert_true(*fer_pattern_text(found));
    }
    assert_false(fer_pattern_find(FER_STR("two-of"), &found));
}

static void verbs_are_in_order(void)
{
    for (size_t i = 1; fer_verb_at(i); i++)
        assert_true(strcmp(fer_verb_at(i - 1), fer_verb_at(i)) < 0);
}

int main(void)
{
    return ROWS_RUN("sketch", rows, breaks_no_rule) + ROWS_RUN("sketch: no memory", rows, torture) +
           ROWS_RUN("sketch: guesses", guesses, guessed) + ROWS_ONE("sketch", patterns_have_names) +
           ROWS_ONE("words", verbs_are_in_order);
}
