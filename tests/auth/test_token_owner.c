/* SPDX-License-Identifier: Apache-2.0 */
/* Whose tokens for a server are: who counts, under which name they lie, the clients of many owners,
 * the list of who has logged in. */
#include <stdlib.h>
#include <unistd.h>

#include "oauth_owners.h"
#include "oauth_parts.h"
#include "oauth_pool.h"
#include "rows.h"

static const struct owner_row {
    const char *name;
    fer_token_share share;
    const char *tenant, *principal;
    const char *stored, *command;
} owner_rows[] = {
    {"one for all", FER_TOKENS_SHARED, "acme", "anna", "https://s", "login"},
    {"one for each tenant", FER_TOKENS_TENANT, "acme", "anna", "[\"https://s\",\"acme\",\"\"]",
     "login --tenant acme"},
    {"one for each principal", FER_TOKENS_PRINCIPAL, "acme", "anna",
     "[\"https://s\",\"acme\",\"anna\"]", "login --tenant acme --principal anna"},
    {"nobody in particular", FER_TOKENS_TENANT, "", "anna", "https://s", "login"},
    {"a principal of no tenant", FER_TOKENS_PRINCIPAL, "", "anna", "https://s", "login"},
    {"quotes that would end it", FER_TOKENS_PRINCIPAL, "a\",\"b", "c",
     "[\"https://s\",\"a\\\",\\\"b\",\"c\"]", "login --tenant 'a\",\"b' --principal c"},
    {"a line that would begin another", FER_TOKENS_TENANT, "a\nb", "",
     "[\"https://s\",\"a\\nb\",\"\"]", "login --tenant 'a\nb'"},
    {"a command in a name", FER_TOKENS_TENANT, "$(id); 'x", "",
     "[\"https://s\",\"$(id); 'x\",\"\"]", "login --tenant '$(id); '\\''x'"},
};

static fer_code owner(fer_arena *given, const void *what)
{
    const struct owner_row *row = what;
    fer_token_owner o =
        fer_token_owner_of(row->share, fer_str_of(row->tenant), fer_str_of(row->principal));
    fer_str name = fer_token_name(given, FER_STR("https://s"), &o);
    fer_str command = fer_token_command(given, FER_STR("login"), &o);
    if (!name.ptr || !command.ptr) return FER_OUT_OF_MEMORY;
    assert_str(name, row->stored);
    assert_str(command, row->command);
    return FER_OK;
}

static void run_owner(const struct owner_row *row)
{
    assert_true(rows_torture_arena(owner, row) >= 1);
}

/* ---- many of them -----------------------------------------------------------------------------
 */

static fer_oauth *own_client(fer_vault *v)
{
    fer_oauth *o = NULL;
    fer_oauth_options options = {
        .resource = FER_STR("https://s"), .login = FER_STR("login"), .vault = v};
    assert_int_equal(fer_oauth_new(&options, &o, NULL), FER_OK);
    return o;
}

static fer_oauth *of(fer_oauth_pool *p, unsigned n)
{
    char name[16];
    fer_oauth *o = NULL;
    snprintf(name, sizeof name, "t%u", n);
    fer_err err = {0};
    fer_code code = fer_oauth_pool_get(p, fer_str_of(name), FER_STR(""), &o, &err);
    if (code) assert_non_null(strstr(err.message, "oauth.owners"));
    assert_int_equal(code, o ? FER_OK : FER_LIMIT_EXCEEDED);
    return o;
}

/* At the edge those in use are all that there may be; one that is let go makes room for another. */
static void edge_of_owners(void)
{
    static fer_oauth *all[FER_OAUTH_OWNERS];
    fer_oauth_pool *p = NULL;
    assert_int_equal(fer_oauth_pool_new(own_client(NULL), FER_TOKENS_TENANT, &p, NULL), FER_OK);
    for (unsigned i = 0; i < FER_OAUTH_OWNERS; i++) assert_non_null(all[i] = of(p, i));
    assert_null(of(p, FER_OAUTH_OWNERS));
    fer_oauth *again = of(p, 7);
    assert_ptr_equal(again, all[7]);
    fer_oauth_unref(again);
    fer_oauth_unref(all[3]);
    all[3] = of(p, FER_OAUTH_OWNERS);
    assert_non_null(all[3]);
    fer_oauth *operators = NULL;
    assert_int_equal(fer_oauth_pool_get(p, FER_STR(""), FER_STR("anna"), &operators, NULL), FER_OK);
    assert_true(fer_token_owner_is_nobody(fer_oauth_owner(operators)));
    fer_oauth_unref(operators);
    fer_oauth_pool_free(p);
    for (unsigned i = 0; i < FER_OAUTH_OWNERS; i++) {
        assert_int_equal(all[i]->refs, 1); /* whoever has one keeps it */
        fer_oauth_unref(all[i]);
    }
}

/* The one that was asked for last stays. */
static void who_goes_first(void)
{
    fer_oauth_pool *p = NULL;
    assert_int_equal(fer_oauth_pool_new(own_client(NULL), FER_TOKENS_TENANT, &p, NULL), FER_OK);
    for (unsigned i = 0; i < FER_OAUTH_KEPT; i++) fer_oauth_unref(of(p, i));
    fer_oauth *first = of(p, 0), *kept = first;
    fer_oauth_unref(first);
    fer_oauth_unref(of(p, FER_OAUTH_KEPT)); /* in place of t1 */
    first = of(p, 0);
    assert_ptr_equal(first, kept);
    fer_oauth_unref(first);
    fer_oauth_pool_free(p);
}

static fer_code pool(fer_arena *a, const void *row)
{
    fer_oauth_pool *p = NULL;
    fer_oauth *o = NULL, *tenant = NULL;
    fer_oauth_options options = {.resource = FER_STR("https://s"), .login = FER_STR("login")};
    fer_err err = {0};
    (void)a;
    (void)row;
    fer_code code = fer_oauth_new(&options, &o, &err);
    if (!code) code = fer_oauth_pool_new(o, FER_TOKENS_TENANT, &p, &err);
    if (!code) code = fer_oauth_pool_get(p, FER_STR("acme"), FER_STR(""), &tenant, &err);
    if (!code) {
        assert_int_equal(fer_oauth_permit(tenant, &err), FER_UNAUTHENTICATED);
        /* Without memory the sentence lacks what to run. */
        assert_non_null(strstr(err.message, "no token of the tenant acme"));
    }
    fer_oauth_unref(tenant);
    fer_oauth_pool_free(p);
    return code;
}

static void pool_without_memory(void)
{
    assert_true(rows_torture_malloc(pool, NULL) > 4);
}

/* ---- who has logged in ------------------------------------------------------------------------
 */

static void owners(void)
{
    char folder[] = "/tmp/ferrule-owners-XXXXXX", command[64];
    const fer_str url = FER_STR("https://s");
    const fer_token_owner nobody = {FER_STR(""), FER_STR("")},
                          acme = {FER_STR("acme"), nobody.tenant},
                          anna = {FER_STR("acme"), FER_STR("anna")};
    fer_arena *a = fer_arena_new(0);
    fer_token_owners got;
    assert_non_null(mkdtemp(folder));
    fer_vault *v = fer_vault_new(folder);
    assert_int_equal(fer_oauth_owners_list(a, v, url, &got, NULL), FER_OK);
    assert_int_equal(got.count, 0);
    const fer_token_owner *const noted[] = {&nobody, &acme, &anna, &acme};
    for (size_t i = 0; i < FER_COUNT(noted); i++)
        assert_int_equal(fer_oauth_owners_note(v, url, noted[i], false, NULL), FER_OK);
    assert_int_equal(fer_oauth_owners_list(a, v, url, &got, NULL), FER_OK);
    assert_int_equal(got.count, 2); /* each once, and the operator not */
    assert_true(fer_token_owner_eq(&got.list[0], &anna));
    assert_int_equal(fer_oauth_owners_note(v, url, &anna, true, NULL), FER_OK);
    assert_int_equal(fer_oauth_owners_list(a, v, url, &got, NULL), FER_OK);
    assert_int_equal(got.count, 1);
    assert_true(fer_token_owner_eq(&got.list[0], &acme));
    char *large = fer_arena_alloc(a, FER_VAULT_RECORD);
    memset(large, 'x', FER_VAULT_RECORD);
    const fer_token_owner too_large = {{large, FER_VAULT_RECORD}, nobody.tenant};
    assert_int_equal(fer_oauth_owners_note(v, url, &too_large, false, NULL), FER_LIMIT_EXCEEDED);
    assert_int_equal(fer_oauth_owners_list(a, v, url, &got, NULL), FER_OK);
    assert_int_equal(got.count, 1); /* as it was */
    fer_vault_free(v);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("owner", owner_rows, run_owner) + ROWS_ONE("owner", edge_of_owners) +
           ROWS_ONE("owner", who_goes_first) + ROWS_ONE("owner", pool_without_memory) +
           ROWS_ONE("owner", owners);
}
