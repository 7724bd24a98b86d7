/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of tokens:
 *
 *     {"format": "ferrule-tokens-1",
 *      "tokens": [{"id": "3f...", "name": "laptop", "sha256": "9a...", "scopes": ["*"],
 *                  "tenant": "home", "mode": "both", "expose": ["files:*"],
 *                  "created": 1789000000, "expires": 1790000000}]}
 *
 * Tenant, mode, expose and expires may be left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "bearer_parts.h"
#include "buf.h"
#include "errors.h"
#include "file.h"
#include "json_doc.h"
#include "sys.h"

#define FORMAT "ferrule-tokens-1"

/* ---- reading -------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    if (fer_is_digit(c)) return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hash(fer_str s, uint8_t out[FER_BEARER_BYTES])
{
    if (s.len != 2 * (size_t)FER_BEARER_BYTES) return false;
    for (size_t i = 0; i < FER_BEARER_BYTES; i++) {
        int high = hex_digit(s.ptr[2 * i]), low = hex_digit(s.ptr[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool read_id(fer_str s, char out[FER_BEARER_ID])
{
    if (s.len != FER_BEARER_ID - 1) return false;
    for (size_t i = 0; i < s.len; i++) {
        if (hex_digit(s.ptr[i]) < 0) return false;
        out[i] = s.ptr[i];
    }
    out[s.len] = '\0';
    return true;
}

static bool read_second(const yyjson_val *v, int64_t *out)
{
    if (fer_val_tag(v) != FER_TAG_UINT || v->uni.u64 > INT64_MAX / 1000) return false;
    *out = (int64_t)v->uni.u64;
    return true;
}

static bool read_texts(fer_arena *a, const yyjson_val *v, size_t max, const fer_str **out,
                       size_t *count)
{
    if (!fer_is_arr(v) || fer_val_len(v) > max) return false;
    fer_str *list = fer_arena_alloc_zero(a, fer_val_len(v) + 1, sizeof *list);
    if (!list) return false;
    *out = list;
    FER_EACH_ITEM (v, item) {
        if (!fer_is_str(item)) return false;
        list[(*count)++] = fer_val_str(item);
    }
    return true;
}

static bool read_word(fer_str text, fer_str *out)
{
    *out = text;
    return text.len > 0;
}

static bool read_field(fer_arena *a, fer_str key, const yyjson_val *v, fer_bearer *k)
{
    fer_str text = fer_is_str(v) ? fer_val_str(v) : FER_STR_NONE;
    if (fer_str_is(key, "id")) return read_id(text, k->id);
    if (fer_str_is(key, "sha256")) return read_hash(text, k->hash);
    if (fer_str_is(key, "scopes"))
        return read_texts(a, v, FER_BEARER_SCOPES_MAX, &k->scopes, &k->scope_count);
    if (fer_str_is(key, "expose"))
        return read_texts(a, v, FER_BEARER_EXPOSE_MAX, &k->expose, &k->expose_count);
    if (fer_str_is(key, "tenant")) return read_word(text, &k->tenant);
    if (fer_str_is(key, "mode")) return read_word(text, &k->mode);
    if (fer_str_is(key, "created")) return read_second(v, &k->created);
    if (fer_str_is(key, "expires")) return read_second(v, &k->expires) && k->expires;
    return fer_str_is(key, "name") && read_word(text, &k->name);
}

static fer_code read_token(fer_bearers *t, const yyjson_val *v, size_t index, fer_err *err)
{
    static const char *const needed[] = {"id", "name", "sha256", "scopes", "created"};
    fer_bearer k = {0};
    if (!fer_is_obj(v)) return fer_fail(err, FER_BAD_USAGE, "token %zu is not an object", index);
    FER_EACH_MEMBER (v, key) {
        if (!read_field(t->arena, fer_val_str(key), key + 1, &k))
            return fer_fail(err, FER_BAD_USAGE,
                            "token %zu: '%.*s' is not known or not as it should be", index,
                            FER_PRI(fer_str_head(fer_val_str(key), 64)));
    }
    for (size_t i = 0; i < FER_COUNT(needed); i++)
        if (!fer_val_get(v, needed[i]))
            return fer_fail(err, FER_BAD_USAGE, "token %zu has no '%s'", index, needed[i]);
    fer_code code = fer_bearer_check(t, &k, err);
    return code ? code : fer_bearer_put(t, &k, err);
}

static fer_code read_tokens(fer_bearers *t, const yyjson_val *root, fer_err *err)
{
    const yyjson_val *format = fer_is_obj(root) ? fer_val_get(root, "format") : NULL;
    const yyjson_val *list = fer_is_obj(root) ? fer_val_get(root, "tokens") : NULL;
    size_t index = 0;
    if (!fer_is_str(format) || !fer_str_is(fer_val_str(format), FORMAT) || !fer_is_arr(list) ||
        fer_val_len(root) != 2)
        return fer_fail(err, FER_BAD_USAGE,
                        "a file of tokens is {\"format\": \"%s\", \"tokens\": [...]}", FORMAT);
    FER_EACH_ITEM (list, item) {
        fer_code code = read_token(t, item, ++index, err);
        if (code) return code;
    }
    return FER_OK;
}

fer_code fer_bearers_read(fer_arena *a, fer_str text, fer_bearers *out, fer_err *err)
{
    fer_bearers t = {.arena = a};
    fer_json *doc;
    if (text.len) {
        fer_code code = fer_json_read(a, text, fer_json_limits_file(), &doc, err);
        if (!code) code = read_tokens(&t, fer_json_root(doc), err);
        if (code) return code;
    }
    *out = t;
    return FER_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void write_texts(fer_buf *b, const char *key, const fer_str *list, size_t count)
{
    fer_buf_printf(b, ", \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        if (i) fer_buf_add_text(b, ", ");
        fer_buf_add_quoted(b, list[i]);
    }
    fer_buf_add_char(b, ']');
}

static void write_word(fer_buf *b, const char *key, fer_str text)
{
    fer_buf_printf(b, ", \"%s\": ", key);
    fer_buf_add_quoted(b, text);
}

static void write_token(fer_buf *b, const fer_bearer *k)
{
    fer_buf_printf(b, "{\"id\": \"%s\", \"name\": ", k->id);
    fer_buf_add_quoted(b, k->name);
    fer_buf_add_text(b, ", \"sha256\": \"");
    for (size_t i = 0; i < FER_BEARER_BYTES; i++) fer_buf_printf(b, "%02x", k->hash[i]);
    fer_buf_add_char(b, '"');
    write_texts(b, "scopes", k->scopes, k->scope_count);
    if (k->tenant.len) write_word(b, "tenant", k->tenant);
    if (k->mode.len) write_word(b, "mode", k->mode);
    if (k->expose_count) write_texts(b, "expose", k->expose, k->expose_count);
    fer_buf_printf(b, ", \"created\": %" PRId64, k->created);
    if (k->expires) fer_buf_printf(b, ", \"expires\": %" PRId64, k->expires);
    fer_buf_add_char(b, '}');
}

fer_code fer_bearers_write(fer_arena *a, const fer_bearers *t, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_BEARERS_FILE_MAX);
    fer_buf_add_text(&b, "{\"format\": \"" FORMAT "\", \"tokens\": [");
    for (size_t i = 0; i < t->count; i++) {
        fer_buf_add_text(&b, i ? ",\n  " : "\n  ");
        write_token(&b, &t->list[i]);
    }
    fer_buf_add_text(&b, t->count ? "\n]}\n" : "]}\n");
    fer_code code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

/* ---- the file ------------------------------------------------------------------------------- */

fer_code fer_bearers_path(fer_arena *a, fer_str *out, fer_err *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool own = config && config[0] == '/';
    if (!own && (!home || home[0] != '/'))
        return fer_fail(err, FER_BAD_USAGE,
                        "there is no home for the file of tokens; name it with --file");
    fer_str path =
        fer_arena_printf(a, "%s%s/ferrule/tokens.json", own ? config : home, own ? "" : "/.config");
    if (!path.ptr) return fer_arena_failed(a, err);
    *out = path;
    return FER_OK;
}

static fer_code check_file(int fd, const char *path, fer_err *err)
{
    struct stat s;
    if (fer_sys_fstat(fd, &s)) return fer_fail(err, FER_IO_ERROR, "%s: %s", path, strerror(errno));
    if (!S_ISREG(s.st_mode))
        return fer_fail(err, FER_FORBIDDEN, "%s: this is no ordinary file", path);
    if (s.st_mode & (S_IRWXG | S_IRWXO))
        return fer_fail(err, FER_FORBIDDEN,
                        "%s: others may read or change the tokens; chmod 600 it", path);
    return FER_OK;
}

fer_code fer_bearers_load(fer_arena *a, const char *path, fer_bearers *out, fer_err *err)
{
    fer_str text = FER_STR_NONE;
    int fd = fer_sys_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0);
    if (fd < 0 && errno == ENOENT) {
        *out = (fer_bearers){.arena = a};
        return FER_OK;
    }
    if (fd < 0 && errno == ELOOP)
        return fer_fail(err, FER_FORBIDDEN, "%s: a link; name the file of tokens itself", path);
    if (fd < 0) return fer_fail(err, FER_IO_ERROR, "%s: %s", path, strerror(errno));
    fer_code code = check_file(fd, path, err);
    if (!code) code = fer_file_read_fd(a, fd, path, FER_BEARERS_FILE_MAX, &text, err);
    fer_sys_close(fd);
    if (code) return code;
    fer_err why = {0};
    code = fer_bearers_read(a, text, out, &why);
    return code ? fer_fail(err, code, "%s: %s", path, why.message) : FER_OK;
}

/* The folder of the file, and the one above it: .config of a new user. */
static fer_code make_folders(const char *path, fer_err *err)
{
    char folder[4096];
    size_t len = strlen(path), ends[2] = {0, 0};
    for (size_t i = 1; i < len; i++) {
        if (path[i] != '/') continue;
        ends[0] = ends[1];
        ends[1] = i;
    }
    if (len >= sizeof folder) return fer_fail(err, FER_BAD_USAGE, "the path is too long");
    for (int i = 0; i < 2; i++) {
        if (!ends[i]) continue;
        memcpy(folder, path, ends[i]);
        folder[ends[i]] = '\0';
        if (fer_sys_mkdir(folder, S_IRWXU) && errno != EEXIST)
            return fer_fail(err, FER_IO_ERROR, "%s: %s", folder, strerror(errno));
    }
    return FER_OK;
}

/* An empty file of the right mode, which the one that replaces it takes over. */
static fer_code make_file(const char *path, fer_err *err)
{
    int fd =
        fer_sys_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (fd < 0 && errno == EEXIST) return FER_OK;
    if (fd < 0) return fer_fail(err, FER_IO_ERROR, "%s: %s", path, strerror(errno));
    fer_sys_close(fd);
    return FER_OK;
}

/* The lock is a file of its own: the one of tokens is another after each change. */
fer_code fer_bearers_lock(const char *path, int *lock, fer_err *err)
{
    char name[4096];
    fer_buf b;
    fer_buf_init_fixed(&b, name, sizeof name);
    fer_buf_printf(&b, "%s.lock", path);
    fer_code code = make_folders(path, err);
    if (!code && (b.failure || b.len >= sizeof name))
        code = fer_fail(err, FER_BAD_USAGE, "the path is too long");
    if (code) return code;
    name[b.len] = '\0';
    int fd = fer_sys_open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR), bad;
    if (fd < 0) return fer_fail(err, FER_IO_ERROR, "%s: %s", name, strerror(errno));
    do bad = fer_sys_flock(fd, LOCK_EX);
    while (bad && errno == EINTR);
    if (bad) {
        code = fer_fail(err, FER_IO_ERROR, "%s cannot be locked: %s", name, strerror(errno));
        fer_sys_close(fd);
        return code;
    }
    *lock = fd;
    return FER_OK;
}

void fer_bearers_unlock(int lock)
{
    fer_sys_close(lock);
}

fer_code fer_bearers_save(const char *path, const fer_bearers *t, fer_err *err)
{
    fer_str text;
    fer_arena *a = fer_arena_new(0);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_bearers_write(a, t, &text, err);
    if (!code) code = make_folders(path, err);
    if (!code) code = make_file(path, err);
    if (!code) code = fer_file_replace(path, text, err);
    fer_arena_free(a);
    return code;
}
