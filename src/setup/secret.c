/* SPDX-License-Identifier: Apache-2.0 */
#include "secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "file.h"
#include "sys.h"

static const char mark[] = "secretref:";

/* ---- references ---------------------------------------------------------------------------- */

size_t fer_secret_find(fer_str text)
{
    size_t len = sizeof mark - 1;
    for (size_t i = 0; i + len <= text.len; i++) {
        if (memcmp(text.ptr + i, mark, len) != 0) continue;
        if (i == 0 || text.ptr[i - 1] == ' ') return i;
    }
    return SIZE_MAX;
}

bool fer_secret_named(fer_str text)
{
    static const char *const kinds[] = {"env:", "file:"};
    size_t len = sizeof mark - 1;
    for (size_t i = 0; i + len <= text.len; i++) {
        if (memcmp(text.ptr + i, mark, len) != 0) continue;
        for (size_t k = 0; k < FER_COUNT(kinds); k++)
            if (fer_str_starts(fer_str_slice(text, i + len, text.len), kinds[k])) return true;
    }
    return fer_secret_find(text) != SIZE_MAX;
}

static bool is_variable(fer_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!fer_is_alpha(c) && c != '_' && !(i && fer_is_digit(c))) return false;
    }
    return name.len > 0;
}

/* What is behind "secretref:env:" or "secretref:file:"; false: it is neither. */
static bool take_apart(fer_str reference, bool *file, fer_str *rest)
{
    fer_str body = fer_str_slice(reference, sizeof mark - 1, reference.len);
    *file = fer_str_starts(body, "file:");
    if (!*file && !fer_str_starts(body, "env:")) return false;
    *rest = fer_str_slice(body, *file ? 5 : 4, body.len);
    if (!*file) return is_variable(*rest);
    return rest->len && !memchr(rest->ptr, 0, rest->len);
}

fer_code fer_secret_check(fer_str text, fer_err *err)
{
    size_t at = fer_secret_find(text);
    fer_str rest;
    bool file;
    if (at == SIZE_MAX && fer_secret_named(text))
        return fer_fail(
            err, FER_BAD_USAGE,
            "a reference to a secret stands alone or behind a blank; in the middle of a "
            "word it would be passed on as text");
    if (at == SIZE_MAX || take_apart(fer_str_slice(text, at, text.len), &file, &rest))
        return FER_OK;
    return fer_fail(err, FER_BAD_USAGE,
                    "a reference to a secret is secretref:env:NAME or secretref:file:PATH");
}

/* ---- looking up ---------------------------------------------------------------------------- */

static fer_code read_variable(fer_arena *a, fer_str name, fer_str *out, fer_err *err)
{
    fer_str copy = fer_arena_copy(a, name);
    if (!copy.ptr) return fer_arena_failed(a, err);
    const char *value = getenv(copy.ptr);
    if (!value || !*value)
        return fer_fail(err, FER_BAD_USAGE, "secretref:env:%.*s: there is no such variable",
                        FER_PRI(fer_str_head(name, 200)));
    *out = fer_arena_copy(a, fer_str_of(value));
    return out->ptr ? FER_OK : fer_arena_failed(a, err);
}

static fer_code check_file(int fd, const char *path, fer_err *err)
{
    struct stat s;
    if (fer_sys_fstat(fd, &s) != 0)
        return fer_fail(err, FER_IO_ERROR, "secretref:file:%.400s: %s", path, strerror(errno));
    if (!S_ISREG(s.st_mode))
        return fer_fail(err, FER_FORBIDDEN, "secretref:file:%.400s: this is no ordinary file",
                        path);
    if (s.st_mode & S_IRWXO)
        return fer_fail(err, FER_FORBIDDEN,
                        "secretref:file:%.400s: everybody may read or change it; chmod o= it",
                        path);
    return FER_OK;
}

/* A FIFO that somebody has put there must not hold us up. */
static fer_code read_file(fer_arena *a, const char *path, fer_str *out, fer_err *err)
{
    int fd = fer_sys_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0);
    if (fd < 0)
        return fer_fail(err, FER_IO_ERROR, "secretref:file:%.400s: %s", path, strerror(errno));
    fer_code code = check_file(fd, path, err);
    if (!code) code = fer_file_read_fd(a, fd, path, FER_SECRET_MAX, out, err);
    fer_sys_close(fd);
    if (code == FER_LIMIT_EXCEEDED)
        fer_fail(err, code, "secretref:file:%.400s: secret.size: the limit is %d bytes", path,
                 FER_SECRET_MAX);
    return code;
}

static fer_code read_named(fer_arena *a, fer_str path, fer_str folder, fer_str *out, fer_err *err)
{
    bool beside = path.ptr[0] != '/' && folder.len;
    fer_str whole = beside ? fer_arena_printf(a, "%.*s/%.*s", FER_PRI(folder), FER_PRI(path))
                           : fer_arena_copy(a, path);
    if (!whole.ptr) return fer_arena_failed(a, err);
    *out = FER_STR_NONE;
    fer_code code = read_file(a, whole.ptr, out, err);
    if (code) return code;
    if (out->len && out->ptr[out->len - 1] == '\n') out->len--;
    if (out->len && out->ptr[out->len - 1] == '\r') out->len--;
    return FER_OK;
}

/* A line end in a header or an environment would become something else than a secret. */
static fer_code check_secret(fer_str secret, fer_str reference, fer_err *err)
{
    bool plain = secret.len > 0 && secret.len <= FER_SECRET_MAX;
    for (size_t i = 0; i < secret.len && plain; i++)
        plain = (unsigned char)secret.ptr[i] >= 0x20 && secret.ptr[i] != 0x7f;
    if (plain) return FER_OK;
    return fer_fail(err, FER_BAD_USAGE, "%.*s: a secret is one line of text, and not empty",
                    FER_PRI(fer_str_head(reference, 400)));
}

fer_code fer_secret_resolve(fer_arena *a, fer_str text, fer_str folder, fer_str *out, fer_err *err)
{
    size_t at = fer_secret_find(text);
    fer_str rest, secret = FER_STR_NONE;
    bool file;
    if (at == SIZE_MAX) {
        *out = text;
        return FER_OK;
    }
    fer_str reference = fer_str_slice(text, at, text.len);
    if (!take_apart(reference, &file, &rest)) return fer_secret_check(text, err);
    fer_code code =
        file ? read_named(a, rest, folder, &secret, err) : read_variable(a, rest, &secret, err);
    if (!code) code = check_secret(secret, reference, err);
    if (code) return code;
    fer_str whole =
        fer_arena_printf(a, "%.*s%.*s", (int)at, text.ptr ? text.ptr : "", FER_PRI(secret));
    if (!whole.ptr) return fer_arena_failed(a, err);
    *out = whole;
    return FER_OK;
}

const char *fer_secret_advice(fer_str text)
{
    size_t at = fer_secret_find(text);
    fer_str rest;
    bool file = false;
    if (at == SIZE_MAX || !take_apart(fer_str_slice(text, at, text.len), &file, &rest))
        return "write secretref:env:NAME or secretref:file:PATH";
    return file ? "write the secret into that file, as one line that only you may read (chmod 600)"
                : "set the variable where ferrule is started: in a shell, or in the environment "
                  "file of the unit";
}

/* ---- what looks like one ------------------------------------------------------------------- */

bool fer_secret_shows(fer_str value)
{
    static const char *const starts[] = {
        "sk-",        "ghp_",  "gho_",    "ghu_",   "ghs_",  "github_pat_", "glpat-",
        "xoxb-",      "xoxp-", "xoxa-",   "xapp-",  "AKIA",  "ASIA",        "AIza",
        "ya29.",      "eyJ",   "npm_",    "pypi-",  "SG.",   "rk_live_",    "sk_live_",
        "-----BEGIN", "hf_",   "dop_v1_", "shpat_", "figd_", "secret_",     NULL};
    static const char *const schemes[] = {"Bearer ", "Basic ", "token "};
    for (size_t i = 0; i < FER_COUNT(schemes); i++) {
        size_t len = strlen(schemes[i]);
        if (value.len > len + 7 &&
            fer_str_eq_nocase(fer_str_slice(value, 0, len), fer_str_of(schemes[i])))
            return true;
    }
    for (size_t i = 0; starts[i]; i++)
        if (value.len >= 16 && fer_str_starts(value, starts[i])) return true;
    return false;
}

/* "GITHUB_TOKEN", "x-api-key" and "clientSecret", case and separators aside. */
static bool is_secret_name(fer_str name)
{
    static const char *const words[] = {
        "token",     "secret",     "password",         "passwd",        "apikey", "privatekey",
        "accesskey", "credential", "connectionstring", "authorization", NULL};
    char plain[64];
    size_t n = 0;
    for (size_t i = 0; i < name.len && n + 1 < sizeof plain; i++)
        if (fer_is_alpha(name.ptr[i]) || fer_is_digit(name.ptr[i]))
            plain[n++] = fer_lower(name.ptr[i]);
    plain[n] = 0;
    for (size_t i = 0; words[i]; i++)
        if (strstr(plain, words[i])) return true;
    return false;
}

/* A path, an address, a switch or a place to fill in is no secret, whatever its name. */
static bool is_innocent(fer_str value)
{
    static const char *const starts[] = {
        "/", "./", "~", "http:", "https:", "<", "YOUR", "your", NULL};
    bool digits = true;
    for (size_t i = 0; starts[i]; i++)
        if (fer_str_starts(value, starts[i])) return true;
    for (size_t i = 0; i < value.len; i++) digits = digits && fer_is_digit(value.ptr[i]);
    return value.len < 8 || digits;
}

bool fer_secret_looks(fer_str name, fer_str value)
{
    return fer_secret_shows(value) || (is_secret_name(name) && !is_innocent(value));
}

/* What is filled in later (${NAME}) stands elsewhere. */
static bool is_filled_in(fer_str text)
{
    for (size_t i = 0; i + 1 < text.len; i++)
        if (text.ptr[i] == '$' && text.ptr[i + 1] == '{') return true;
    return false;
}

bool fer_secret_in_argument(fer_str before, fer_str argument)
{
    size_t equals = fer_str_find(argument, 0, '=');
    bool option = fer_str_starts(argument, "-");
    if (is_filled_in(argument)) return false;
    if (fer_secret_shows(argument)) return true;
    if (option && equals != SIZE_MAX)
        return fer_secret_looks(fer_str_slice(argument, 0, equals),
                                fer_str_slice(argument, equals + 1, argument.len));
    return !option && fer_str_starts(before, "-") && fer_str_find(before, 0, '=') == SIZE_MAX &&
           fer_secret_looks(before, argument);
}

bool fer_secret_in_url(fer_str url)
{
    size_t at = fer_str_find(url, 0, '?');
    while (at < url.len) {
        size_t end = fer_str_find(url, at + 1, '&'), equals;
        if (end == SIZE_MAX) end = url.len;
        fer_str pair = fer_str_slice(url, at + 1, end);
        equals = fer_str_find(pair, 0, '=');
        if (equals != SIZE_MAX) {
            fer_str name = fer_str_slice(pair, 0, equals),
                    value = fer_str_slice(pair, equals + 1, pair.len);
            if (is_filled_in(value)) return false;
            /* Of an address, `key` is a name that says enough. */
            if (fer_secret_looks(fer_str_is(name, "key") ? FER_STR("apikey") : name, value))
                return true;
        }
        at = end;
    }
    return false;
}
