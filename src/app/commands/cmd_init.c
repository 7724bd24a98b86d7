/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ferrule init: a ferrule.yaml to start from, with remarks, made of what is there: servers of the
 * user's MCP clients, and programs. Secrets that stand in a client's file go into files of their
 * own, which only the user may read; the configuration refers to them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backup.h"
#include "buf.h"
#include "client_files.h"
#include "command.h"
#include "errors.h"
#include "file.h"
#include "json_doc.h"
#include "process.h"
#include "rpc.h"
#include "secret.h"
#include "sys.h"

#define YAML_MAX    ((size_t)4 << 20)
#define SECRETS     "ferrule.secrets" /* the folder of them, beside the configuration */
#define SECRETS_MAX 1000

typedef struct secret {
    fer_str file; /* below the folder */
    fer_str value;
} secret;

typedef struct init {
    fer_app *app;
    fer_arena *arena;
    const char *file; /* that is written */
    fer_str folder;   /* of it, with a slash; or empty */
    fer_buf yaml;
    size_t servers, commands;
    secret *secrets;
    size_t secret_count, secret_cap;
    bool plain; /* some stay in the configuration, where no reference can stand */
} init;

/* ---- servers of clients ------------------------------------------------------------------------
 */

/* What a server has in a client's file, and what that is called here; the rest is the client's own.
 */
static const struct taken {
    const char *key, *own; /* NULL: the same */
    bool pairs;            /* variables or headers */
} taken[] = {
    {"type"},
    {"command"},
    {"args"},
    {"env", .pairs = true},
    {"environment", "env", true},
    {"cwd"},
    {"url"},
    {"serverUrl"},
    {"httpUrl"},
    {"headers", .pairs = true},
    {"http_headers", "headers", true},
    {"bearer_token_env_var"},
    {"disabled"},
    {"enabled"},
    {"envFile"},
};

static const struct taken *taken_of(fer_str key)
{
    for (size_t i = 0; i < FER_COUNT(taken); i++)
        if (fer_str_is(key, taken[i].key)) return &taken[i];
    return NULL;
}

/* The name of a file for a secret of a server. */
static fer_str secret_name(fer_arena *a, fer_str ns, fer_str name)
{
    fer_str text = fer_arena_printf(a, "%.*s.%.*s", FER_PRI(ns), FER_PRI(fer_str_head(name, 100)));
    char *c = (char *)(uintptr_t)text.ptr;
    for (size_t i = 0; c && i < text.len; i++) {
        bool plain = (c[i] >= 'a' && c[i] <= 'z') || (c[i] >= 'A' && c[i] <= 'Z') ||
                     (c[i] >= '0' && c[i] <= '9') || c[i] == '.' || c[i] == '_' || c[i] == '-';
        if (!plain) c[i] = '_';
    }
    return text;
}

/* "Bearer abc": the word stays, what follows is the secret. */
static size_t scheme_of(fer_str value)
{
    static const char *const words[] = {"Bearer ", "bearer ", "Basic ", "Token ", "token "};
    for (size_t i = 0; i < FER_COUNT(words); i++)
        if (fer_str_starts(value, words[i])) return strlen(words[i]);
    return 0;
}

static bool is_secret(fer_str name, fer_str value)
{
    return value.len && fer_secret_find(value) == SIZE_MAX &&
           !memmem(value.ptr, value.len, "${", 2) && !memchr(value.ptr, '\n', value.len) &&
           fer_secret_looks(name, value);
}

static fer_code hide(init *n, fer_str ns, fer_str name, fer_str value, fer_buf *b, fer_err *err)
{
    size_t scheme = scheme_of(value);
    secret *list =
        fer_arena_room(n->arena, n->secrets, n->secret_count, &n->secret_cap, sizeof *list);
    fer_str file = secret_name(n->arena, ns, name);
    if (!list || !file.ptr) return fer_arena_failed(n->arena, err);
    if (n->secret_count == SECRETS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "there are more than %d secrets", SECRETS_MAX);
    n->secrets = list;
    list[n->secret_count++] = (secret){file, fer_str_slice(value, scheme, value.len)};
    fer_str reference = fer_arena_printf(n->arena, "%.*ssecretref:file:" SECRETS "/%.*s",
                                         FER_PRI(fer_str_slice(value, 0, scheme)), FER_PRI(file));
    if (!reference.ptr) return fer_arena_failed(n->arena, err);
    fer_buf_add_quoted(b, reference);
    return FER_OK;
}

/* Variables and headers: what looks like a secret is none of the configuration's. */
static fer_code add_pairs(init *n, fer_str ns, const fer_json *doc, const yyjson_val *pairs,
                          fer_buf *b, fer_err *err)
{
    bool some = false;
    fer_code code = FER_OK;
    fer_buf_add_char(b, '{');
    FER_EACH_MEMBER (pairs, key) {
        fer_str value = fer_is_str(key + 1) ? fer_val_str(key + 1) : FER_STR("");
        if (some) fer_buf_add_char(b, ',');
        some = true;
        fer_buf_add(b, fer_rpc_bytes(doc, key));
        fer_buf_add_char(b, ':');
        if (is_secret(fer_val_str(key), value)) code = hide(n, ns, fer_val_str(key), value, b, err);
        else fer_buf_add(b, fer_rpc_bytes(doc, key + 1));
        if (code) return code;
    }
    fer_buf_add_char(b, '}');
    return FER_OK;
}

/* A program with its arguments in one list, as opencode has it. */
static void add_command(const fer_json *doc, const yyjson_val *list, fer_buf *b)
{
    bool some = false;
    const yyjson_val *program = list + 1;
    fer_buf_add_text(b, "\"command\":");
    fer_buf_add(b, fer_rpc_bytes(doc, program));
    fer_buf_add_text(b, ",\"args\":[");
    FER_EACH_ITEM (list, item) {
        if (item == program) continue;
        if (some) fer_buf_add_char(b, ',');
        some = true;
        fer_buf_add(b, fer_rpc_bytes(doc, item));
    }
    fer_buf_add_char(b, ']');
}

/* Kinds that other members tell already. */
static bool says_nothing(const struct taken *t, const yyjson_val *value)
{
    return strcmp(t->key, "type") == 0 && fer_is_str(value) &&
           (fer_str_is(fer_val_str(value), "local") || fer_str_is(fer_val_str(value), "remote"));
}

/* A member that another one has said already, under the name that it gets here. */
static bool is_said(const struct taken *t, const yyjson_val *object)
{
    const yyjson_val *command = fer_val_get(object, "command");
    if (t->own) return fer_val_get(object, t->own) != NULL;
    return strcmp(t->key, "args") == 0 && fer_is_arr(command) && fer_val_len(command);
}

static fer_code add_members(init *n, fer_str ns, const fer_json *doc, const yyjson_val *object,
                            fer_buf *b, fer_err *err)
{
    bool some = false;
    fer_code code = FER_OK;
    FER_EACH_MEMBER (object, key) {
        const yyjson_val *value = key + 1;
        const struct taken *t = taken_of(fer_val_str(key));
        if (!t || says_nothing(t, value) || is_said(t, object)) continue;
        if (some) fer_buf_add_char(b, ',');
        some = true;
        if (strcmp(t->key, "command") == 0 && fer_is_arr(value) && fer_val_len(value)) {
            add_command(doc, value, b);
            continue;
        }
        fer_buf_printf(b, "\"%s\":", t->own ? t->own : t->key);
        if (t->pairs && fer_is_obj(value)) code = add_pairs(n, ns, doc, value, b, err);
        else fer_buf_add(b, fer_rpc_bytes(doc, value));
        if (code) return code;
    }
    return FER_OK;
}

static void add_indented(fer_buf *b, fer_str text, const char *before)
{
    size_t at = 0;
    while (at < text.len) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        fer_buf_add_text(b, before);
        fer_buf_add(b, fer_str_slice(text, at, end));
        fer_buf_add_char(b, '\n');
        at = end + 1;
    }
}

/* A reference cannot stand in an argument or a URL: what is there stays, and is told. */
static void note_plain(init *n, const fer_config_server *s, const yyjson_val *object)
{
    bool args = false, url = false;
    fer_str before = FER_STR("");
    FER_EACH_MEMBER (object, key) {
        const struct taken *t = taken_of(fer_val_str(key));
        if (t && fer_is_str(key + 1)) url = url || fer_secret_in_url(fer_val_str(key + 1));
        if (t && fer_is_arr(key + 1))
            FER_EACH_ITEM (key + 1, item) {
                fer_str text = fer_is_str(item) ? fer_val_str(item) : FER_STR("");
                args = args || fer_secret_in_argument(before, text);
                before = text;
            }
    }
    if (!args && !url) return;
    n->plain = true;
    fer_app_say(n->app,
                "the server %.*s has what looks like a secret in its %s, where no reference can "
                "stand: it is in %s as it is, which only you may read (mode 600). Give it by %s "
                "where the server takes it there",
                FER_PRI(s->name), args ? "args" : "URL", n->file, args ? "env" : "headers");
}

static fer_code add_server(init *n, const fer_config_server *s, const fer_json *doc,
                           const yyjson_val *object, fer_err *err)
{
    fer_json *made;
    fer_str yaml;
    fer_buf b;
    fer_buf_init(&b, n->arena, YAML_MAX);
    fer_buf_add_char(&b, '{');
    fer_buf_add_quoted(&b, s->ns);
    fer_buf_add_text(&b, ":{");
    fer_code code = add_members(n, s->ns, doc, object, &b, err);
    fer_buf_add_text(&b, "}}");
    if (!code) code = fer_buf_code(&b, err);
    if (!code) code = fer_json_read(n->arena, fer_buf_view(&b), NULL, &made, err);
    if (!code) code = fer_yaml_write(n->arena, fer_json_root(made), &yaml, err);
    if (code) return code;
    add_indented(&n->yaml, yaml, "  ");
    note_plain(n, s, object);
    n->servers++;
    return FER_OK;
}

/* The object of a server in the text of its file, found by its place. */
static const yyjson_val *object_at(const fer_json *doc, const yyjson_val *servers, size_t offset)
{
    if (!fer_is_obj(servers)) return NULL;
    FER_EACH_MEMBER (servers, key)
        if (fer_json_offset(doc, key) == offset) return key + 1;
    return NULL;
}

static const yyjson_val *find_object(const fer_json *doc, const fer_config_server *s)
{
    static const char *const keys[] = {"mcpServers", "servers", "context_servers", "mcp_servers",
                                       "mcp"};
    const yyjson_val *root = fer_json_root(doc), *found = NULL;
    for (size_t i = 0; !found && fer_is_obj(root) && i < FER_COUNT(keys); i++)
        found = object_at(doc, fer_val_get(root, keys[i]), s->place.offset);
    const yyjson_val *mcp = fer_is_obj(root) ? fer_val_get(root, "mcp") : NULL;
    if (!found && fer_is_obj(mcp))
        found = object_at(doc, fer_val_get(mcp, "servers"), s->place.offset);
    return found;
}

static fer_code rewrite(init *n, fer_json **doc, const yyjson_val **object, fer_err *err)
{
    fer_str text;
    fer_code code = fer_json_write(n->arena, *object, false, &text, err);
    if (!code) code = fer_json_read(n->arena, text, fer_json_limits_file(), doc, err);
    if (!code) *object = fer_json_root(*doc);
    return code;
}

/* As they stand in their files: what is filled in (${...}) stays to be filled in. */
static fer_code add_servers(init *n, const fer_config *all, fer_err *err)
{
    fer_json *doc = NULL;
    fer_str last = FER_STR(""), text;
    fer_code code = FER_OK;
    for (size_t i = 0; !code && i < all->server_count; i++) {
        const fer_config_server *s = &all->servers[i];
        if (!doc || !fer_str_eq(s->file, last)) {
            last = s->file;
            code = fer_file_read(n->arena, fer_arena_copy(n->arena, last).ptr, FER_CONFIG_SIZE,
                                 &text, err);
            if (!code) code = fer_config_parse(n->arena, last, text, &doc, err);
            if (code) return code;
            fer_buf_printf(&n->yaml, "  # of %.*s\n", FER_PRI(last));
        }
        const yyjson_val *object = find_object(doc, s);
        fer_json *own = doc;
        /* What was YAML or TOML is written as JSON, which is YAML, too. */
        if (object && doc->offsets) code = rewrite(n, &own, &object, err);
        if (object && !code) code = add_server(n, s, own, object, err);
    }
    return code;
}

static fer_code load_clients(init *n, fer_config *all, fer_err *err)
{
    const char *from = fer_app_option(n->app, "from"), *files[FER_CLIENT_FILES_MAX];
    fer_client_file found[FER_CLIENT_FILES_MAX];
    size_t count = 0;
    if (from && !fer_client_find(from)) files[count++] = from;
    else count = fer_client_files_find(n->arena, from, found);
    if (from && !count)
        return fer_fail(err, FER_BAD_USAGE, "no file of %s is there: --from FILE names one", from);
    bool named = from && !fer_client_find(from);
    for (size_t i = 0; !named && i < count; i++) {
        fer_app_say(n->app, "found the servers of %s in %s", found[i].client->title, found[i].path);
        files[i] = found[i].path;
    }
    if (!count) return FER_OK;
    fer_code code = fer_client_files_load(n->arena, files, count, !named, all, err);
    if (!code) code = fer_client_files_drop_self(n->arena, all, NULL, err);
    for (size_t i = 0; !code && i < all->problem_count; i++) {
        const fer_config_problem *p = &all->problems[i];
        if (p->severity == FER_SEVERITY_INFO) continue;
        char text[FER_ERR_TEXT];
        fer_config_problem_text(all, p, text);
        fer_app_say(n->app, "%s", text);
    }
    return code ? code : fer_config_refuse(all, fer_str_of(files[0]), true, err);
}

/* ---- programs ----------------------------------------------------------------------------------
 */

/* Tools that programs of this machine could be. They stand there as remarks: what agents may run is
 * for the operator to say. */
static const struct {
    const char *program, *yaml;
} ideas[] = {
    {"git",
     "  - namespace: git\n"
     "    name: log\n"
     "    description: Lists the last commits of a repository on this machine, the newest first.\n"
     "    inputSchema:\n"
     "      type: object\n"
     "      properties:\n"
     "        folder: {type: string, description: 'The folder of the repository, such as "
     "/srv/app.'}\n"
     "        count: {type: integer, minimum: 1, maximum: 100, description: How many "
     "commits.}\n"
     "      required: [folder, count]\n"
     "      additionalProperties: false\n"
     "    effect: Pure\n"
     "    run: {argv: [git, -C, '{folder}', log, --oneline, '--max-count={int:count}'], "
     "stdout: lines}\n"},
    {"rg",
     "  - namespace: files\n"
     "    name: find_text\n"
     "    description: Finds lines in the files of a folder by a regular expression.\n"
     "    inputSchema:\n"
     "      type: object\n"
     "      properties:\n"
     "        pattern: {type: string, description: A regular expression.}\n"
     "        folder: {type: string, description: 'The folder to look in, such as /srv/app.'}\n"
     "      required: [pattern, folder]\n"
     "      additionalProperties: false\n"
     "    effect: Pure\n"
     "    run: {argv: [rg, --line-number, --, '{dash:pattern}', '{folder}'], stdout: lines, "
     "exit: {'1': Ok}}\n"},
    {"df", "  - namespace: system\n"
           "    name: disk_space\n"
           "    description: Tells how much space is left on each file system of this machine.\n"
           "    inputSchema: {type: object, additionalProperties: false}\n"
           "    effect: Pure\n"
           "    run: {argv: [df, -h], stdout: lines}\n"},
};

static void add_ideas(init *n)
{
    const char *path = getenv("PATH");
    fer_buf *b = &n->yaml;
    fer_str found;
    fer_buf_add_text(b, "\n# Programs of this machine as tools: each a definition, and how it is "
                        "started. There is no shell.\n# commands:\n");
    for (size_t i = 0; path && i < FER_COUNT(ideas); i++) {
        if (fer_process_find(n->arena, fer_str_of(ideas[i].program), fer_str_of(path), &found,
                             NULL))
            continue;
        add_indented(b, fer_str_of(ideas[i].yaml), "# ");
        n->commands++;
    }
}

/* ---- the file ----------------------------------------------------------------------------------
 */

static const char head[] =
    "# Ferrule's configuration: where tools come from, and how they are run.\n"
    "#   ferrule config check     looks at it\n"
    "#   ferrule serve            serves it to MCP clients; ferrule install CLIENT tells a client\n"
    "#   ferrule config schema    is what an editor checks it with\n"
    "# Lines that begin with # are remarks; take the # away from what you want.\n\n";

static const char no_servers[] =
    "# MCP servers, as clients write them. None was found.\n"
    "# mcpServers:\n"
    "#   files:\n"
    "#     command: npx\n"
    "#     args: [-y, '@modelcontextprotocol/server-filesystem', /srv/notes]\n"
    "#   example:\n"
    "#     url: https://example.com/mcp\n"
    "#     headers: {Authorization: 'Bearer secretref:env:EXAMPLE_TOKEN'}\n";

static const char tail[] =
    "\n# HTTP APIs: the operations of an OpenAPI document become tools.\n"
    "# apis:\n"
    "#   pets:\n"
    "#     openapi: petstore.yaml\n"
    "#     baseUrl: https://pets.example.com/v1\n"
    "#     auth: {type: bearer, token: 'secretref:env:PETS_TOKEN'}\n"
    "\n# Remembers what servers have, so that nobody waits for them the next time.\n"
    "catalog: ferrule.catalog\n"
    "# What changed in a server's definitions and breaks callers is held back: none, breaking, changed.\n"
    "# quarantine: breaking\n"
    "\n# A folder for the ledger, for results under idempotency keys, and for tools where there is no catalog.\n"
    "# state: ferrule.state\n"
    "\n# Time for a call, in milliseconds, and what is done about results that break their schema.\n"
    "# defaults: {deadlineMs: 30000, outputValidation: warn}\n"
    "\n# What is logged, and where metrics go.\n"
    "# telemetry: {logLevel: warn}\n";

static fer_code write_yaml(init *n, fer_err *err)
{
    fer_config all = {0};
    fer_code code = load_clients(n, &all, err);
    if (code) return code;
    fer_buf_add_text(&n->yaml, head);
    if (all.server_count) {
        fer_buf_add_text(
            &n->yaml, "# MCP servers, as clients write them. A secret is a reference to where it "
                      "is: secretref:env:NAME,\n# or secretref:file:PATH, a file that only you "
                      "may read.\nmcpServers:\n");
        code = add_servers(n, &all, err);
    } else {
        fer_buf_add_text(&n->yaml, no_servers);
    }
    add_ideas(n);
    fer_buf_add_text(&n->yaml, tail);
    return code ? code : fer_buf_code(&n->yaml, err);
}

static fer_code write_secrets(init *n, fer_err *err)
{
    fer_str folder = fer_arena_printf(n->arena, "%.*s" SECRETS, FER_PRI(n->folder));
    if (!folder.ptr) return fer_arena_failed(n->arena, err);
    if (!n->secret_count) return FER_OK;
    if (fer_sys_mkdir(folder.ptr, 0700) && errno != EEXIST)
        return fer_fail(err, FER_IO_ERROR, "%s: %s", folder.ptr, strerror(errno));
    for (size_t i = 0; i < n->secret_count; i++) {
        fer_str path =
            fer_arena_printf(n->arena, "%s/%.*s", folder.ptr, FER_PRI(n->secrets[i].file));
        if (!path.ptr) return fer_arena_failed(n->arena, err);
        fer_sys_unlink(path.ptr);
        int fd = fer_sys_open(path.ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        bool good = fd >= 0 && fer_file_write_all(fd, n->secrets[i].value) &&
                    fer_file_write_all(fd, FER_STR("\n"));
        int error = errno;
        if (fd >= 0) fer_sys_close(fd);
        if (!good) return fer_fail(err, FER_IO_ERROR, "%s: %s", path.ptr, strerror(error));
    }
    return FER_OK;
}

/* What is there is never replaced without --force, and then kept beside. */
static fer_code write_file(init *n, fer_err *err)
{
    fer_str old = FER_STR(""), kept = FER_STR("");
    fer_code code = FER_OK;
    if (fer_file_exists(n->file)) {
        code = fer_file_read(n->arena, n->file, FER_CONFIG_SIZE, &old, err);
        if (!code) code = fer_backup_keep(n->arena, n->file, old, &kept, err);
    }
    if (!code) code = write_secrets(n, err);
    mode_t mask = n->plain ? umask(077) : 0;
    if (!code && n->plain && old.len) fer_sys_chmod(n->file, 0600); /* which the new one keeps */
    if (!code) code = fer_file_replace(n->file, fer_buf_view(&n->yaml), err);
    if (n->plain) umask(mask);
    if (!code && kept.len) fer_app_say(n->app, "what was there before: %.*s", FER_PRI(kept));
    return code;
}

/* To standard output, as --dry-run and `-o -` want it: then no file of secrets is written either.
 */
static bool only_shows(const fer_app *app)
{
    const char *file = fer_app_option(app, "output");
    return fer_app_option(app, "dry-run") || (file && strcmp(file, "-") == 0);
}

static fer_code find_file(init *n, fer_err *err)
{
    const char *given = fer_app_option(n->app, "output");
    n->file = given ? given : "ferrule.yaml";
    fer_str whole = fer_str_of(n->file);
    while (whole.len && whole.ptr[whole.len - 1] != '/') whole.len--;
    n->folder = whole;
    bool write = !fer_app_option(n->app, "force") && !only_shows(n->app);
    if (write && fer_file_exists(n->file))
        return fer_fail(err, FER_BAD_USAGE,
                        "%s is there already: --force replaces it and keeps the old one, --dry-run "
                        "shows what would be written",
                        n->file);
    return FER_OK;
}

static void say_done(init *n)
{
    fer_out *o = &n->app->out;
    if (fer_app_option(n->app, "json")) {
        fer_out_text(o, "{\"file\":");
        fer_out_json(o, fer_str_of(n->file));
        fer_out_printf(o, ",\"servers\":%zu,\"secrets\":%zu}\n", n->servers, n->secret_count);
        return;
    }
    fer_out_printf(o, "%s is written; servers: %zu", n->file, n->servers);
    if (n->secret_count)
        fer_out_printf(o, "; secrets in %.*s" SECRETS ": %zu", FER_PRI(n->folder), n->secret_count);
    fer_out_text(o, "\nnext: ferrule serve, or ferrule install CLIENT\n");
}

int fer_run_init(fer_app *app)
{
    init n = {.app = app, .arena = fer_arena_new(0)};
    fer_err err = {0};
    fer_code code =
        n.arena ? find_file(&n, &err) : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) {
        fer_buf_init(&n.yaml, n.arena, YAML_MAX);
        code = write_yaml(&n, &err);
    }
    if (!code && only_shows(app)) {
        fer_out_add(&app->out, fer_buf_view(&n.yaml));
    } else if (!code) {
        code = write_file(&n, &err);
        if (!code) say_done(&n);
    }
    fer_arena_free(n.arena);
    return code ? fer_app_fail(app, &err) : FER_EXIT_OK;
}
