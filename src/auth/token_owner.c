/* SPDX-License-Identifier: Apache-2.0 */
#include "token_owner.h"

#include "buf.h"

#define TEXT_MAX ((size_t)64 << 10) /* bytes of a name or a command */

const char *const fer_token_share_names[FER_TOKEN_SHARES] = {
    [FER_TOKENS_SHARED] = "shared",
    [FER_TOKENS_TENANT] = "tenant",
    [FER_TOKENS_PRINCIPAL] = "principal",
};

fer_token_share fer_token_share_of(fer_str name)
{
    int i = 0;
    while (i < FER_TOKEN_SHARES && !fer_str_is(name, fer_token_share_names[i])) i++;
    return (fer_token_share)i;
}

fer_token_owner fer_token_owner_of(fer_token_share share, fer_str tenant, fer_str principal)
{
    fer_token_owner o = {FER_STR(""), FER_STR("")};
    if (share != FER_TOKENS_SHARED && tenant.len) o.tenant = tenant;
    if (share == FER_TOKENS_PRINCIPAL && o.tenant.len && principal.len) o.principal = principal;
    return o;
}

bool fer_token_owner_is_nobody(const fer_token_owner *o)
{
    return !o->tenant.len && !o->principal.len;
}

bool fer_token_owner_eq(const fer_token_owner *x, const fer_token_owner *y)
{
    return fer_str_eq(x->tenant, y->tenant) && fer_str_eq(x->principal, y->principal);
}

/* A JSON list, in which no part can pass for another; the operator's is that of the resource alone.
 */
fer_str fer_token_name(fer_arena *a, fer_str resource, const fer_token_owner *o)
{
    fer_buf b;
    if (fer_token_owner_is_nobody(o)) return fer_arena_copy(a, resource);
    fer_buf_init(&b, a, TEXT_MAX);
    fer_buf_add_char(&b, '[');
    fer_buf_add_quoted(&b, resource);
    fer_buf_add_char(&b, ',');
    fer_buf_add_quoted(&b, o->tenant);
    fer_buf_add_char(&b, ',');
    fer_buf_add_quoted(&b, o->principal);
    fer_buf_add_char(&b, ']');
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("@%+=:,./-_", c);
}

/* A word, in quotes where a shell would read it otherwise. */
static void add_word(fer_buf *b, fer_str word)
{
    size_t plain = 0;
    while (plain < word.len && word.ptr[plain] && is_plain(word.ptr[plain])) plain++;
    if (plain == word.len) {
        fer_buf_add(b, word);
        return;
    }
    fer_buf_add_char(b, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == '\'') fer_buf_add_text(b, "'\\''");
        else fer_buf_add_char(b, word.ptr[i]);
    }
    fer_buf_add_char(b, '\'');
}

fer_str fer_token_command(fer_arena *a, fer_str command, const fer_token_owner *o)
{
    fer_buf b;
    fer_buf_init(&b, a, TEXT_MAX);
    fer_buf_add(&b, command);
    if (command.len && o->tenant.len) {
        fer_buf_add_text(&b, " --tenant ");
        add_word(&b, o->tenant);
    }
    if (command.len && o->principal.len) {
        fer_buf_add_text(&b, " --principal ");
        add_word(&b, o->principal);
    }
    if (!b.failure && !b.len) return FER_STR("");
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}
