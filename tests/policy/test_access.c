/* SPDX-License-Identifier: Apache-2.0 */
/* What scopes allow, and what a scope is. */
#include "access.h"

#include "rows.h"

static const struct row {
    const char *scopes[4];
    const char *ns, *tool;
    fer_effect effect;
    bool allowed;
    bool narrows, reads; /* some tool is out of reach; what else the namespace has may be read */
} rows[] = {
    {{"*"}, "git", "log", FER_EFFECT_EXTERNAL_SIDE_EFFECTS, true, false, true},
    {{"tool:git:log"}, "git", "log", FER_EFFECT_PURE, true, true, false},
    {{"tool:git:log"}, "git", "logs", FER_EFFECT_PURE, false, true, false},
    {{"tool:git:log"}, "gi", "t:log", FER_EFFECT_PURE, false, true, false},
    {{"tool:git:log"}, "", "log", FER_EFFECT_PURE, false, true, false},
    {{"tool:log"}, "", "log", FER_EFFECT_PURE, true, true, false},
    {{"tool:log"}, "git", "log", FER_EFFECT_PURE, false, true, false},
    {{"namespace:git"}, "git", "log", FER_EFFECT_PURE, true, true, true},
    {{"namespace:git"}, "github", "log", FER_EFFECT_PURE, false, true, false},
    {{"namespace:git"}, "Git", "log", FER_EFFECT_PURE, false, true, false},
    {{"namespace:git"}, "", "git", FER_EFFECT_PURE, false, true, false},
    {{"namespace:a", "namespace:git"}, "git", "log", FER_EFFECT_PURE, true, true, true},
    {{"effect:Pure"}, "git", "log", FER_EFFECT_PURE, true, true, true},
    {{"effect:Pure"}, "git", "log", FER_EFFECT_IDEMPOTENT_WRITE, false, true, true},
    {{"effect:IdempotentWrite"}, "git", "log", FER_EFFECT_PURE, false, true, false},
    {{"effect:Pure", "effect:IdempotentWrite"},
     "g",
     "l",
     FER_EFFECT_IDEMPOTENT_WRITE,
     true,
     true,
     true},
    {{"namespace:git", "effect:Pure"}, "git", "log", FER_EFFECT_PURE, true, true, true},
    {{"namespace:git", "effect:Pure"},
     "git",
     "push",
     FER_EFFECT_EXTERNAL_SIDE_EFFECTS,
     false,
     true,
     true},
    {{"namespace:git", "effect:Pure"}, "a", "b", FER_EFFECT_PURE, false, true, false},
    {{"*", "effect:Pure"}, "a", "b", FER_EFFECT_NON_IDEMPOTENT_WRITE, false, true, true},
    {{"*", "namespace:git"}, "a", "b", FER_EFFECT_NON_IDEMPOTENT_WRITE, true, false, true},
    {{"scope:mail"}, "a", "b", FER_EFFECT_PURE, true, false, true},
    {{"namespace:git", "scope:mail"}, "a", "b", FER_EFFECT_PURE, false, true, false},
    {{"notes:write"}, "a", "b", FER_EFFECT_PURE, true, false, true},
    {{NULL}, "a", "b", FER_EFFECT_PURE, true, false, true},
};

static fer_texts texts_of(const char *const *scopes, fer_str list[4])
{
    fer_texts out = {.list = list};
    while (out.count < 4 && scopes[out.count]) {
        list[out.count] = fer_str_of(scopes[out.count]);
        out.count++;
    }
    return out;
}

static void calls(void)
{
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        const struct row *row = &rows[i];
        fer_str list[4], ns = fer_str_of(row->ns);
        fer_texts scopes = texts_of(row->scopes, list);
        bool allowed = fer_access_allows(&scopes, ns, fer_str_of(row->tool), row->effect);
        if (allowed != row->allowed || fer_access_narrows(&scopes) != row->narrows ||
            fer_access_reads(&scopes, ns) != row->reads)
            fail_msg("row %zu", i);
        assert_true(allowed || row->narrows); /* who is not narrowed may do everything */
    }
}

static const struct ask_row {
    const char *scopes[4];
    const char *wanted;
    bool has;
} ask_rows[] = {
    {{"*"}, "mail", true},
    {{"scope:mail"}, "mail", true},
    {{"mail"}, "mail", true},
    {{"scope:mails"}, "mail", false}, /* A31 */
    {{"scope:mai"}, "mail", false},
    {{"namespace:mail"}, "mail", false},
    {{"tool:a", "scope:b:c"}, "b:c", true},
    {{NULL}, "mail", false},
};

static void asked_for(void)
{
    for (size_t i = 0; i < FER_COUNT(ask_rows); i++) {
        fer_str list[4];
        fer_texts scopes = texts_of(ask_rows[i].scopes, list);
        if (fer_access_has(&scopes, fer_str_of(ask_rows[i].wanted)) != ask_rows[i].has)
            fail_msg("row %zu", i);
    }
}

static void words_of_scopes(void)
{
    static const char *const good[] = {"*",           "tool:a",
                                       "tool:a:b",    "namespace:a.b-c_d",
                                       "effect:Pure", "effect:ExternalSideEffects",
                                       "scope:mail",  "scope:a:b/c.d"};
    static const char *const bad[] = {
        "",       "**",       "tool:",      "tool:a:b:c", "tool::b",       "tool:a:",
        "tool:*", "tool:a b", "namespace:", "effect:",    "namespace:a:b", "effect:pure",
        "Tool:a", "a:b",      "tools:a",    "scope:",     "scope:a b"};
    for (size_t i = 0; i < FER_COUNT(good); i++)
        assert_int_equal(fer_access_check(fer_str_of(good[i]), NULL), FER_OK);
    for (size_t i = 0; i < FER_COUNT(bad); i++)
        assert_int_equal(fer_access_check(fer_str_of(bad[i]), NULL), FER_BAD_USAGE);
    char long_one[FER_ACCESS_SCOPE_MAX + 1] = "tool:";
    memset(long_one + 5, 'a', sizeof long_one - 5);
    assert_int_equal(fer_access_check((fer_str){long_one, FER_ACCESS_SCOPE_MAX}, NULL), FER_OK);
    assert_int_equal(fer_access_check((fer_str){long_one, FER_ACCESS_SCOPE_MAX + 1}, NULL),
                     FER_BAD_USAGE);
}

int main(void)
{
    return ROWS_ONE("access", calls) + ROWS_ONE("access", asked_for) +
           ROWS_ONE("access", words_of_scopes);
}
