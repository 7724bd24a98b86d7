/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ${...} in the blocks of MCP clients. Each client has its own: Claude Code ${VAR} and
 * ${VAR:-default}, Cursor and VS Code ${env:VAR}, ${userHome} and ${workspaceFolder}. All are
 * understood everywhere; what a value brings in is not looked at again.
 */
#include "config_parts.h"
#include "secret.h"

#define EXPANDED_MAX ((size_t)1 << 20) /* bytes of one value */

static const char *variable(fer_configure *c, fer_str name)
{
    fer_str copy = fer_arena_copy(c->a, name);
    if (!copy.ptr) {
        fer_configure_no_memory(c);
        return NULL;
    }
    return c->world->get ? c->world->get(c->world->context, copy.ptr) : NULL;
}

static fer_str base_name(fer_str path)
{
    size_t at = path.len;
    while (at > 0 && path.ptr[at - 1] != '/') at--;
    return fer_str_slice(path, at, path.len);
}

/* Those that are no variables. */
static bool add_known(fer_configure *c, fer_buf *b, fer_str name)
{
    const fer_config_world *w = c->world;
    if (fer_str_is(name, "userHome")) fer_buf_add(b, w->home);
    else if (fer_str_is(name, "workspaceFolder")) fer_buf_add(b, w->folder);
    else if (fer_str_is(name, "workspaceFolderBasename")) fer_buf_add(b, base_name(w->folder));
    else if (fer_str_is(name, "pathSeparator") || fer_str_is(name, "/")) fer_buf_add_char(b, '/');
    else return false;
    return true;
}

static bool is_name(fer_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char ch = name.ptr[i];
        if (!fer_is_alpha(ch) && ch != '_' && !(i && fer_is_digit(ch))) return false;
    }
    return name.len > 0;
}

static size_t find_default(fer_str body)
{
    for (size_t i = 0; i + 1 < body.len; i++)
        if (body.ptr[i] == ':' && body.ptr[i + 1] == '-') return i;
    return SIZE_MAX;
}

/* NAME or NAME:-default. False: it is neither. */
static bool add_variable(fer_configure *c, fer_buf *b, const yyjson_val *at, fer_str body)
{
    size_t split = find_default(body);
    fer_str name = split == SIZE_MAX ? body : fer_str_slice(body, 0, split);
    if (!is_name(name)) return false;
    const char *value = variable(c, name);
    if (value && (*value || split == SIZE_MAX)) fer_buf_add_text(b, value);
    else if (split != SIZE_MAX) fer_buf_add(b, fer_str_slice(body, split + 2, body.len));
    else
        fer_configure_tell(c, FER_SEVERITY_ERROR, at,
                           FER_STR("Set it, or write ${NAME:-what to use instead}."),
                           "there is no variable %.*s", FER_PRI(fer_str_head(name, 100)));
    return true;
}

static void add_one(fer_configure *c, fer_buf *b, const yyjson_val *at, fer_str body, fer_str whole)
{
    if (fer_str_starts(body, "input:")) {
        fer_configure_tell(c, FER_SEVERITY_ERROR, at,
                           FER_STR("Put the value into a variable or a file and write "
                                   "secretref:env:NAME or secretref:file:PATH."),
                           "${%.*s} would ask a user, and nobody is here to answer",
                           FER_PRI(fer_str_head(body, 100)));
        return;
    }
    if (add_known(c, b, body)) return;
    fer_str name = fer_str_starts(body, "env:") ? fer_str_slice(body, 4, body.len) : body;
    if (add_variable(c, b, at, name)) return;
    fer_buf_add(b, whole);
    fer_configure_tell(c, FER_SEVERITY_WARNING, at, FER_STR_NONE, "${%.*s} is left as it is",
                       FER_PRI(fer_str_head(body, 100)));
}

fer_str fer_configure_expand(fer_configure *c, const yyjson_val *at, fer_str text)
{
    fer_buf b;
    fer_buf_init(&b, c->a, EXPANDED_MAX);
    for (size_t i = 0; i < text.len;) {
        bool opens = text.ptr[i] == '$' && i + 1 < text.len && text.ptr[i + 1] == '{';
        size_t close = opens ? fer_str_find(text, i, '}') : SIZE_MAX;
        if (close == SIZE_MAX) {
            fer_buf_add_char(&b, text.ptr[i++]);
            continue;
        }
        add_one(c, &b, at, fer_str_slice(text, i + 2, close), fer_str_slice(text, i, close + 1));
        i = close + 1;
    }
    if (b.failure && !b.arena_failed)
        FER_CONFIG_ERROR(c, at, "with its variables this is over %zu bytes", EXPANDED_MAX);
    else if (b.failure) fer_configure_no_memory(c);
    if (b.failure) return FER_STR_NONE;
    if (memchr(b.ptr ? b.ptr : "", 0, b.len)) {
        FER_CONFIG_ERROR(c, at, "there is a NUL in this text");
        return FER_STR_NONE;
    }
    return fer_buf_view(&b);
}
