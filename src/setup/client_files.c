/* SPDX-License-Identifier: Apache-2.0 */
#include "client_files.h"

#include <limits.h>
#include <stdlib.h>

#include "config_parts.h"
#include "errors.h"
#include "file.h"
#include "sys.h"

#define MAC "Library/Application Support/"

const fer_client fer_clients[] = {
    {"claude",
     "Claude Desktop",
     NULL,
     {"@/Claude/claude_desktop_config.json", MAC "Claude/claude_desktop_config.json"},
     "mcpServers",
     NULL,
     NULL,
     NULL,
     NULL},
    {"claude-code",
     "Claude Code",
     "claude",
     {".claude.json"},
     "mcpServers",
     "stdio",
     "http",
     "url",
     "${%s}"},
    {"cursor", "Cursor", NULL, {".cursor/mcp.json"}, "mcpServers", NULL, NULL, "url", "${env:%s}"},
    {"vscode",
     "VS Code",
     NULL,
     {"@/Code/User/mcp.json", MAC "Code/User/mcp.json", "@/Code - Insiders/User/mcp.json"},
     "servers",
     "stdio",
     "http",
     "url",
     "${env:%s}"},
    {"windsurf",
     "Windsurf",
     NULL,
     {".codeium/windsurf/mcp_config.json"},
     "mcpServers",
     NULL,
     NULL,
     "serverUrl",
     "${env:%s}"},
    {"zed", "Zed", NULL, {"@/zed/settings.json"}, "context_servers", NULL, NULL, "url", NULL},
    {"gemini",
     "Gemini CLI",
     NULL,
     {".gemini/settings.json"},
     "mcpServers",
     NULL,
     NULL,
     "httpUrl",
     "${%s}"},
    {"kiro", "Kiro", NULL, {".kiro/settings/mcp.json"}, "mcpServers", NULL, NULL, "url", "${%s}"},
    {"lmstudio", "LM Studio", NULL, {".lmstudio/mcp.json"}, "mcpServers", NULL, NULL, "url", NULL},
    {"opencode",
     "opencode",
     NULL,
     {"@/opencode/opencode.json", "@/opencode/opencode.jsonc"},
     "mcp",
     "local",
     "remote",
     "url",
     "{env:%s}",
     .listed = true},
    {"codex",
     "Codex",
     NULL,
     {".codex/config.toml"},
     "mcp_servers",
     NULL,
     NULL,
     "url",
     "bearer_token_env_var",
     .toml = true},
    {0},
};

const char *const fer_client_names[] = {"claude",   "claude-code", "cursor", "vscode",
                                        "windsurf", "zed",         "gemini", "kiro",
                                        "lmstudio", "opencode",    "codex",  NULL};
static_assert(FER_COUNT(fer_clients) == FER_COUNT(fer_client_names), "a name for each row");

bool fer_client_names_file(fer_str base)
{
    /* Of a project, for Claude Code; Cline and Roo; Copilot. */
    static const char *const more[] = {".mcp.json", "settings.local.json",
                                       "cline_mcp_settings.json", "mcp_settings.json",
                                       "mcp-config.json"};
    for (size_t i = 0; i < FER_COUNT(more); i++)
        if (fer_str_is(base, more[i])) return true;
    for (const fer_client *c = fer_clients; c->name; c++)
        for (size_t i = 0; i < FER_CLIENT_PATHS && c->paths[i]; i++) {
            const char *slash = strrchr(c->paths[i], '/');
            if (fer_str_is(base, slash ? slash + 1 : c->paths[i])) return true;
        }
    return false;
}

const fer_client *fer_client_find(const char *name)
{
    for (const fer_client *c = fer_clients; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

const char *fer_client_path(fer_arena *a, const char *path)
{
    const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
    bool configured = fer_str_starts(fer_str_of(path), "@/");
    if (configured && config && config[0] == '/')
        return fer_arena_printf(a, "%s%s", config, path + 1).ptr;
    if (!home || home[0] != '/') return NULL;
    if (configured) return fer_arena_printf(a, "%s/.config%s", home, path + 1).ptr;
    return fer_arena_printf(a, "%s/%s", home, path).ptr;
}

static bool is_meant(const fer_client *c, const char *name)
{
    return !name || strcmp(name, c->name) == 0 || (c->also && strcmp(name, c->also) == 0);
}

size_t fer_client_files_find(fer_arena *a, const char *name,
                             fer_client_file out[FER_CLIENT_FILES_MAX])
{
    size_t count = 0;
    for (const fer_client *c = fer_clients; c->name; c++) {
        if (!is_meant(c, name)) continue;
        for (size_t i = 0; i < FER_CLIENT_PATHS && c->paths[i]; i++) {
            const char *path = fer_client_path(a, c->paths[i]);
            if (path && fer_file_exists(path) && count < FER_CLIENT_FILES_MAX)
                out[count++] = (fer_client_file){c, path};
        }
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

static fer_code add_problem(merging *m, const fer_config_problem *p, fer_str file, fer_str text,
                            fer_err *err)
{
    fer_config_problem *list =
        fer_arena_room(m->arena, m->problems, m->problem_count, &m->problem_cap, sizeof *list);
    if (!list || !text.ptr) return fer_arena_failed(m->arena, err);
    m->problems = list;
    m->problems[m->problem_count] = *p;
    m->problems[m->problem_count].file = file;
    m->problems[m->problem_count++].message = text;
    return FER_OK;
}

/* Whether there is an error within a server. */
static bool is_wrong(const fer_config *c, const fer_config_server *s)
{
    for (size_t i = 0; i < c->problem_count; i++) {
        const fer_config_problem *p = &c->problems[i];
        if (p->severity == FER_SEVERITY_ERROR && p->place.offset >= s->place.offset &&
            p->place.offset < s->end)
            return true;
    }
    return false;
}

static fer_code add_file(merging *m, const fer_config *c, bool found, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t k = 0; !code && k < c->server_count; k++)
        if (!found || !is_wrong(c, &c->servers[k])) code = add_server(m, &c->servers[k], err);
    for (size_t k = 0; !code && k < c->problem_count; k++) {
        fer_config_problem p = c->problems[k];
        bool left_out = found && p.severity == FER_SEVERITY_ERROR;
        if (left_out) p.severity = FER_SEVERITY_WARNING;
        code = add_problem(m, &p, c->file,
                           fer_arena_printf(m->arena, "%.*s%s", FER_PRI(p.message),
                                            left_out ? " (its server is left out)." : ""),
                           err);
    }
    return code;
}

/* A file that nobody asked for and that cannot be read is told, and the others are read. */
static fer_code pass_over(merging *m, const char *file, fer_err *err)
{
    fer_config_problem p = {.severity = FER_SEVERITY_WARNING, .place = {0, err->line, err->column}};
    fer_str why = fer_str_of(err->message), name = fer_str_of(file);
    if (err->code == FER_OUT_OF_MEMORY) return err->code;
    if (fer_str_starts(why, file) && fer_str_starts(fer_str_slice(why, name.len, why.len), ": "))
        why = fer_str_slice(why, name.len + 2, why.len); /* it stands before the problem */
    return add_problem(
        m, &p, name,
        fer_arena_printf(m->arena, "it cannot be used: %.*s", FER_PRI(fer_str_head(why, 600))),
        err);
}

fer_code fer_client_files_load(fer_arena *a, const char *const *files, size_t count, bool found,
                               fer_config *out, fer_err *err)
{
    merging m = {.arena = a};
    fer_config all = {.metrics = true, .of_client = true}, one;
    fer_err own;
    size_t errors = 0, read = 0;
    if (count == 1 && !found) return fer_config_load(a, files[0], out, err);
    for (size_t i = 0; i < count; i++) {
        fer_code code = found ? fer_config_load_placed(a, files[i], &one, &own)
                              : fer_config_load(a, files[i], &one, &own);
        if (code) {
            code = found ? pass_over(&m, files[i], &own) : code;
            if (code && err) *err = own;
            if (code) return code;
            continue;
        }
        code = add_file(&m, &one, found, err);
        if (code) return code;
        errors += found ? 0 : one.error_count;
        if (!read++) all = one; /* what clients do not say is the same in all */
    }
    all.servers = m.servers;
    all.server_count = m.count;
    all.problems = m.problems;
    all.problem_count = m.problem_count;
    all.error_count = errors;
    *out = all;
    return FER_OK;
}

/* ---- this gateway itself ----------------------------------------------------------------------
 */

static bool has_word(const fer_config_server *s, const char *word)
{
    for (size_t i = 0; i < s->arg_count; i++)
        if (fer_str_is(s->args[i], word)) return true;
    return false;
}

/* By its name, or as the very file that runs here under another. */
static bool is_self(fer_arena *a, const fer_config_server *s)
{
    char here[PATH_MAX], there[PATH_MAX];
    fer_str name = s->command;
    if (s->transport != FER_CONFIG_STDIO || !has_word(s, "serve")) return false;
    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '/') {
            name = fer_str_slice(name, i, name.len);
            break;
        }
    if (fer_str_is(name, "ferrule")) return true;
    fer_str path = fer_arena_copy(a, s->command);
    return path.ptr && fer_sys_realpath("/proc/self/exe", here) &&
           fer_sys_realpath(path.ptr, there) && strcmp(here, there) == 0;
}

fer_code fer_client_files_drop_self(fer_arena *a, fer_config *c, const char *own, fer_err *err)
{
    merging m = {.arena = a};
    size_t dropped = 0;
    fer_code code = FER_OK;
    if (!c->of_client) return FER_OK;
    for (size_t i = 0; !code && i < c->problem_count; i++)
        code = add_problem(&m, &c->problems[i], c->problems[i].file, c->problems[i].message, err);
    for (size_t i = 0; !code && i < c->server_count; i++) {
        const fer_config_server *s = &c->servers[i];
        if (!is_self(a, s) && !(own && s->url.len && fer_str_is(s->url, own))) {
            code = add_server(&m, s, err);
            continue;
        }
        dropped++;
        fer_config_problem p = {.severity = FER_SEVERITY_INFO, .place = s->place};
        code = add_problem(&m, &p, s->file,
                           fer_arena_printf(a, "\"%.*s\" is this gateway itself: it is not served",
                                            FER_PRI(s->name)),
                           err);
    }
    if (code || !dropped) return code;
    c->servers = m.servers;
    c->server_count = m.count;
    c->problems = m.problems;
    c->problem_count = m.problem_count;
    return FER_OK;
}
