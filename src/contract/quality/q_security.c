/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that a model should not fill in, or not freely. */
#include "quality.h"

#include "json_value.h"
#include "q_secret.h"
#include "unicode.h"

#define LOOSE_SLOTS                                                                                \
    (FER_SLOT(KW_ENUM) | FER_SLOT(KW_CONST) | FER_SLOT(KW_PATTERN) | FER_SLOT(KW_FORMAT) |         \
     FER_SLOT(KW_REF) | FER_SLOT(KW_ANY_OF) | FER_SLOT(KW_ONE_OF) | FER_SLOT(KW_ALL_OF))

/* ---- secrets ----------------------------------------------------------------------------------
 */

static const char *const always_words[] = {"authorization", "cookie",     "cookies", "credential",
                                           "credentials",   "passphrase", "passwd",  "password",
                                           "passwords",     "pwd",        "secret"};
static const fer_word_set always = FER_WORD_SET(always_words);

/* Before "token" these make it something else: a cursor, a count, a coin, a mark in a text. */
static const char *const other_tokens[] = {
    "change",     "continuation", "continue", "cursor",   "delta",  "end",    "input",
    "last",       "max",          "min",      "native",   "next",   "output", "page",
    "pagination", "paging",       "prev",     "previous", "resume", "scroll", "search",
    "session",    "skip",         "start",    "starting", "stop",   "sync",   "vote"};
static const fer_word_set not_secret = FER_WORD_SET(other_tokens);

/* Before "key" these make it a secret. */
static const char *const secret_keys[] = {"access",  "api",    "auth",    "encryption", "license",
                                          "private", "secret", "signing", "ssh"};
static const fer_word_set keys = FER_WORD_SET(secret_keys);

bool fer_is_secret_name(const fer_name_words *w)
{
    if (!w->count) return false;
    fer_str last = w->list[w->count - 1],
            before = w->count > 1 ? w->list[w->count - 2] : FER_STR("");
    if (fer_word_in(&always, last)) return true;
    if (fer_word_is(last, "apikey") || fer_word_is(last, "accesstoken")) return true;
    if (fer_word_is(last, "token")) return !fer_word_in(&not_secret, before);
    return fer_word_is(last, "key") && fer_word_in(&keys, before);
}

/* Of the words that are secrets only sometimes, the description tells. */
static bool is_explained_away(const fer_qnode *n)
{
    static const char *const phrases[] = {"identifier",  "folder",
                                          "document",    "token of the file",
                                          "node token",  "crypto",
                                          "coin",        "contract",
                                          "symbol",      "pagination",
                                          "paging",      "next page",
                                          "cursor",      "continuation",
                                          "opaque",      "sync token",
                                          "idempotency", "name of the secret",
                                          "secret name", "idempotent",
                                          "erc20",       "mint address",
                                          NULL};
    size_t which;
    return n->prose.words && fer_prose_has(&n->prose, phrases, &which);
}

static void check_secret(fer_quality *q, const fer_qnode *n)
{
    if (!(n->types & FER_IS_STRING) && n->types) return;
    if (!fer_is_secret_name(&n->words) || fer_q_any(n, FER_SLOT(KW_ENUM) | FER_SLOT(KW_CONST)))
        return;
    if (is_explained_away(n)) return;
    fer_q_node(q, n, FER_Q_SEC_SECRET_PARAM, KW_COUNT, "the model fills in the secret \"%.*s\"",
               FER_PRI(fer_utf8_cut(n->name, 100)));
}

/* ---- who is calling ---------------------------------------------------------------------------
 */

static bool is_whole(const fer_name_words *w, const char *first, const char *second)
{
    if (!second) return w->count == 1 && fer_word_is(w->list[0], first);
    return w->count == 2 && fer_word_is(w->list[0], first) && fer_word_is(w->list[1], second);
}

static bool names_caller(const fer_prose *p)
{
    static const char *const phrases[] = {"caller",
                                          "current user",
                                          "calling user",
                                          "authenticated user",
                                          "logged-in user",
                                          "logged in user",
                                          "your user id",
                                          "acting user",
                                          "requesting user",
                                          "user making the request",
                                          "user performing",
                                          "on behalf of",
                                          NULL};
    size_t which;
    return p->words && fer_prose_has(p, phrases, &which);
}

static void check_identity(fer_quality *q, const fer_qnode *n)
{
    const fer_name_words *w = &n->words;
    if (!n->required || n->schema->depth != 1) return;
    bool sure = is_whole(w, "tenant", "id") || is_whole(w, "is", "admin") ||
                is_whole(w, "caller", "id") || is_whole(w, "actor", "id") ||
                is_whole(w, "tenantid", NULL);
    bool maybe = is_whole(w, "user", "id") || is_whole(w, "role", NULL) ||
                 is_whole(w, "account", "id") || is_whole(w, "user", NULL) ||
                 is_whole(w, "userid", NULL);
    if (!sure && !(maybe && names_caller(&n->prose))) return;
    fer_q_node(q, n, FER_Q_SEC_IDENTITY_PARAM, KW_COUNT,
               "the model says who is calling, in \"%.*s\"", FER_PRI(fer_utf8_cut(n->name, 100)));
}

/* ---- what is run --------------------------------------------------------------------------------
 */

static const char *const raw_words[] = {"cmd",  "command", "file", "filepath",
                                        "path", "shell",   "sql",  "url"};
static const fer_word_set raw = FER_WORD_SET(raw_words);

/* Paths inside a document or a name space, contents, things to match. */
static bool is_no_place(const fer_prose *p)
{
    static const char *const phrases[] = {"slug",
                                          "namespace",
                                          "base64",
                                          "url pattern",
                                          "pattern to match",
                                          "json path",
                                          "jsonpath",
                                          "json pointer",
                                          "to unset",
                                          "to set",
                                          "field",
                                          "percent-encoded",
                                          NULL};
    size_t which;
    return p->words && fer_prose_has(p, phrases, &which);
}

static bool is_raw(const fer_quality *q, const fer_qnode *n)
{
    const fer_name_words *w = &n->words;
    fer_str last = w->list[w->count - 1];
    if (w->count == 1 && fer_word_in(&raw, last)) return true;
    if (w->count == 2 && fer_word_is(w->list[0], "file") && fer_word_is(last, "path")) return true;
    if (fer_word_is(last, "sql")) return true;
    /* A query is raw where it is in a language of queries, not where it is words to look for. */
    bool spoken = (n->prose.subjects | q->description.subjects) & FER_ABOUT_QUERY;
    return w->count == 1 && fer_word_is(last, "query") && spoken;
}

static void check_exec(fer_quality *q, const fer_qnode *n)
{
    const yyjson_val *open = fer_val_get(q->tool->values[FER_FIELD_ANNOTATIONS], "openWorldHint");
    if (fer_is_bool(open) && !fer_is_true(open)) return;
    if (!fer_q_only(n, FER_IS_STRING) || fer_q_any(n, LOOSE_SLOTS) || !is_raw(q, n) ||
        is_no_place(&n->prose))
        return;
    fer_q_node(q, n, FER_Q_SEC_EXEC_PARAM, KW_COUNT,
               "\"%.*s\" takes any text, and nothing bounds it",
               FER_PRI(fer_utf8_cut(n->name, 100)));
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    if (!n->param || q->output || !n->words.count) return;
    check_secret(q, n);
    check_identity(q, n);
    check_exec(q, n);
}

const fer_quality_family fer_quality_security = {.node = look_at_node};
