/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of `serve.clients`: each belongs to one of them. */
#include "config.h"
#include "errors.h"
#include "secret.h"

typedef struct token {
    fer_str text;
    bool known; /* it could be read; else `text` is the reference */
} token;

/* What two references lead to is the same, or they are the same reference. */
static bool is_same(const fer_config_client *x, const token *a, const fer_config_client *y,
                    const token *b)
{
    if (!x->token.len || !y->token.len) return false;
    return fer_str_eq(x->token, y->token) || (a->known && b->known && fer_str_eq(a->text, b->text));
}

static fer_code add_problem(fer_arena *a, fer_config *c, const fer_config_client *first,
                            const fer_config_client *second, fer_err *err)
{
    fer_config_problem *list = fer_arena_alloc(a, (c->problem_count + 1) * sizeof *list);
    fer_str message = fer_arena_printf(
        a, "the client \"%.*s\" has the same token as \"%.*s\" in line %u, column %u",
        FER_PRI(fer_str_head(second->name, 100)), FER_PRI(fer_str_head(first->name, 100)),
        first->place.line, first->place.column);
    if (!list || !message.ptr) return fer_arena_failed(a, err);
    if (c->problem_count) memcpy(list, c->problems, c->problem_count * sizeof *list);
    list[c->problem_count++] = (fer_config_problem){
        .severity = FER_SEVERITY_ERROR,
        .place = second->place,
        .message = message,
        .hint = FER_STR("Give each client a token of its own: whoever shows this one would be the "
                        "first of them, whatever the other may do.")};
    c->problems = list;
    c->error_count++;
    return FER_OK;
}

fer_code fer_config_check_tokens(fer_arena *a, fer_config *c, fer_str folder, fer_err *err)
{
    const fer_config_client *clients = c->serve.clients;
    size_t count = c->serve.client_count;
    fer_arena *own = fer_arena_new(0); /* what is read is forgotten with it */
    token *list = own ? fer_arena_alloc_zero(own, count + 1, sizeof *list) : NULL;
    fer_code code = FER_OK;
    if (!list) {
        fer_arena_free(own);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    for (size_t i = 0; !code && i < count; i++) {
        fer_code read = !clients[i].token.len ? FER_BAD_USAGE
                                              : fer_secret_resolve(own, clients[i].token, folder,
                                                                   &list[i].text, NULL);
        if (read == FER_OUT_OF_MEMORY) code = fer_fail(err, read, "out of memory");
        list[i].known = !read;
        for (size_t k = 0; !code && k < i; k++) {
            if (!is_same(&clients[k], &list[k], &clients[i], &list[i])) continue;
            code = add_problem(a, c, &clients[k], &clients[i], err);
            break;
        }
    }
    fer_arena_free(own);
    return code;
}
