/* SPDX-License-Identifier: Apache-2.0 */
#include "client_files.h"

#include <stdlib.h>

#include "errors.h"
#include "file.h"

const char *const fer_client_names[] = {"claude", "cursor", "vscode", NULL};

/* Where each client keeps them, below the home, or below the folder for configuration ("@/"). */
static const fer_client_file places[] = {
    {"claude", "@/Claude/claude_desktop_config.json"},
    {"claude", "Library/Application Support/Claude/claude_desktop_config.json"},
    {"claude", ".claude.json"},
    {"cursor", ".cursor/mcp.json"},
    {"vscode", "@/Code/User/mcp.json"},
    {"vscode", "Library/Application Support/Code/User/mcp.json"},
};

static const char *place_of(fer_arena *a, const char *path)
{
    const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
    bool configured = fer_str_starts(fer_str_of(path), "@/");
    if (configured && config && config[0] == '/')
        return fer_arena_printf(a, "%s%s", config, path + 1).ptr;
    if (!home || home[0] != '/') return NULL;
    if (configured) return fer_arena_printf(a, "%s/.config%s", home, path + 1).ptr;
    return fer_arena_printf(a, "%s/%s", home, path).ptr;
}

size_t fer_client_files_find(fer_arena *a, const char *client,
                             fer_client_file out[FER_CLIENT_FILES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < FER_COUNT(places) && count < FER_CLIENT_FILES_MAX; i++) {
        if (client && strcmp(client, places[i].client) != 0) continue;
        const char *path = place_of(a, places[i].path);
        if (path && fer_file_exists(path)) out[count++] = (fer_client_file){places[i].client, path};
    }
    return count;
}

/* ---- several as one -------------------------------------------------------------------------- */

typedef struct merging {
    fer_arena *arena;
    fer_config_server *servers;
    size_t count, cap;
    fer_config_problem *problems;
    size_t problem_count, problem_cap;
} merging;

static const fer_config_server *find(const merging *m, fer_str ns)
{
    for (size_t i = 0; i < m->count; i++)
        if (fer_str_eq(m->servers[i].ns, ns)) return &m->servers[i];
    return NULL;
}

static fer_code add_server(merging *m, const fer_config_server *s, fer_err *err)
{
    fer_config_server one = *s;
    for (unsigned n = 2; find(m, one.ns); n++) {
        if (fer_str_eq(find(m, one.ns)->json, s->json)) return FER_OK; /* the same once more */
        one.ns = fer_arena_printf(m->arena, "%.*s-%u", FER_PRI(fer_str_head(s->ns, 100)), n);
        if (!one.ns.ptr) return fer_arena_failed(m->arena, err);
    }
    fer_config_server *list = fer_arena_room(m->arena, m->servers, m->count, &m->cap, sizeof *list);
    if (!list) return fer_arena_failed(m->arena, err);
    m->servers = list;
    m->servers[m->count++] = one;
    return FER_OK;
}

/* A problem of one of several files says which. */
static fer_code add_problem(merging *m, const fer_config *c, const fer_config_problem *p,
                            fer_err *err)
{
    fer_config_problem *list =
        fer_arena_room(m->arena, m->problems, m->problem_count, &m->problem_cap, sizeof *list);
    fer_str text = fer_arena_printf(m->arena, "%.*s: %.*s", FER_PRI(c->file), FER_PRI(p->message));
    if (!list || !text.ptr) return fer_arena_failed(m->arena, err);
    m->problems = list;
    m->problems[m->problem_count] = *p;
    m->problems[m->problem_count++].message = text;
    return FER_OK;
}

fer_code fer_client_files_load(fer_arena *a, const char *const *files, size_t count,
                               fer_config *out, fer_err *err)
{
    merging m = {.arena = a};
    fer_config all = {0}, one;
    size_t errors = 0;
    if (count == 1) return fer_config_load(a, files[0], out, err);
    for (size_t i = 0; i < count; i++) {
        fer_code code = fer_config_load(a, files[i], &one, err);
        for (size_t k = 0; !code && k < one.server_count; k++)
            code = add_server(&m, &one.servers[k], err);
        for (size_t k = 0; !code && k < one.problem_count; k++)
            code = add_problem(&m, &one, &one.problems[k], err);
        if (code) return code;
        errors += one.error_count;
        if (!i) all = one; /* what clients do not say is the same in all */
    }
    all.servers = m.servers;
    all.server_count = m.count;
    all.problems = m.problems;
    all.problem_count = m.problem_count;
    all.error_count = errors;
    *out = all;
    return FER_OK;
}
