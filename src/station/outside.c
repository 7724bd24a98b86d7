/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a configuration leads to outside of its own file: OpenAPI documents, files of variables,
 * secrets, programs of commands. Each thing that it names has a digest of all of that, so that a
 * reload notices what has changed under the same name. What cannot be read counts as absent:
 * whoever needs it says what is wrong with it, and where it was named.
 */
#include "digest.h"
#include "env_file.h"
#include "errors.h"
#include "file.h"
#include "secret.h"
#include "station_parts.h"
#include "trace_context.h"

#define DOCUMENT_MAX ((size_t)64 << 20) /* bytes; what is larger is refused when it is read */

typedef struct digest {
    const fer_config *config;
    fer_arena *arena;
    fer_digest *digest;
    unsigned char sum[FER_DIGEST_SIZE]; /* of all so far */
    fer_err *err;
} digest;

fer_str fer_config_folder(const fer_config *c)
{
    fer_str f = c->file;
    while (f.len && f.ptr[f.len - 1] != '/') f.len--;
    return f.len > 1 ? fer_str_slice(f, 0, f.len - 1) : f.len ? f : FER_STR(".");
}

/* Its length first, so that no two lists of texts look alike. */
static fer_code add(digest *d, fer_str text)
{
    uint64_t len = text.len;
    fer_str before = {(const char *)d->sum, sizeof d->sum}, size = {(const char *)&len, sizeof len};
    if (fer_digest_of(d->digest, before, size, text, d->sum)) return FER_OK;
    return fer_fail(d->err, FER_OUT_OF_MEMORY, "out of memory");
}

static fer_code add_read(digest *d, fer_code code, fer_str text)
{
    if (code == FER_OUT_OF_MEMORY) return fer_fail(d->err, code, "out of memory");
    return add(d, code ? FER_STR("") : text);
}

static fer_code add_file(digest *d, fer_str path, size_t max)
{
    fer_str name = fer_arena_copy(d->arena, path), text = {0};
    if (!path.len) return FER_OK;
    if (!name.ptr) return fer_arena_failed(d->arena, d->err);
    return add_read(d, fer_file_read(d->arena, name.ptr, max, &text, NULL), text);
}

static fer_code add_secret(digest *d, fer_str written)
{
    fer_str value = {0};
    if (fer_secret_find(written) == SIZE_MAX) return FER_OK;
    return add_read(
        d, fer_secret_resolve(d->arena, written, fer_config_folder(d->config), &value, NULL),
        value);
}

static fer_code add_pairs(digest *d, const fer_config_pairs *pairs)
{
    fer_code code = FER_OK;
    for (size_t i = 0; !code && i < pairs->count; i++)
        if (pairs->list[i].value.secret) code = add_secret(d, pairs->list[i].value.text);
    return code;
}

static fer_code add_server(digest *d, const fer_config_server *s)
{
    fer_code code = add_file(d, s->env_file, FER_ENV_FILE_SIZE);
    if (!code) code = add_pairs(d, &s->env);
    return code ? code : add_pairs(d, &s->headers);
}

static fer_code add_api(digest *d, const fer_config_api *api)
{
    fer_code code = add_file(d, api->file, DOCUMENT_MAX);
    if (!code) code = add_pairs(d, &api->headers);
    return code ? code : add_secret(d, api->auth.secret);
}

/* Of a command the variables that it sets, and where its program was found. */
static fer_code add_command(digest *d, const fer_config_command *c)
{
    fer_local_command made;
    fer_str program = FER_STR("");
    fer_code code = fer_command_read(d->arena, c, &made, NULL);
    if (code) return add_read(d, code, FER_STR(""));
    for (size_t i = 0; !code && i < made.set_count; i++) code = add_secret(d, made.set[i].value);
    if (code) return code;
    code = fer_process_find(d->arena, fer_argv_program(&made.argv), fer_command_path(), &program,
                            NULL);
    return add_read(d, code, program);
}

/* Commands of one namespace are one place. */
static fer_code add_pack(digest *d, const fer_config_command *one)
{
    const fer_config *c = d->config;
    fer_str ns = fer_command_ns(one);
    fer_code code = FER_OK;
    for (size_t i = 0; !code && i < c->command_count; i++)
        if (fer_str_eq(fer_command_ns(&c->commands[i]), ns)) code = add_command(d, &c->commands[i]);
    return code;
}

fer_code fer_station_outside(const fer_config *c, fer_config_part part, const void *item,
                             char out[FER_PLACE_MARK], fer_err *err)
{
    digest d = {.config = c, .arena = fer_arena_new(0), .digest = fer_digest_new(), .err = err};
    fer_code code = FER_OK;
    if (!d.arena || !d.digest) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    else if (part == FER_CONFIG_SERVER) code = add_server(&d, item);
    else if (part == FER_CONFIG_API) code = add_api(&d, item);
    else if (part == FER_CONFIG_COMMAND) code = add_pack(&d, item);
    if (!code) fer_trace_hex(d.sum, (FER_PLACE_MARK - 1) / 2, out);
    fer_digest_free(d.digest);
    fer_arena_free(d.arena);
    return code;
}
