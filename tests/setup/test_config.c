/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations: what becomes of them, what is told of them, and what differs between two. */
#include "buf.h"
#include "config.h"
#include "rows.h"

static const char *get_variable(void *context, const char *name)
{
    (void)context;
    if (strcmp(name, "SET") == 0) return "value";
    if (strcmp(name, "EMPTY") == 0) return "";
    if (strcmp(name, "NESTED") == 0) return "${SET} secretref:env:SET";
    return NULL;
}

static const fer_config_world world = {
    .get = get_variable, .home = {"/home/me", 8}, .folder = {"/home/project", 13}};

static void add_pairs(fer_buf *b, const char *what, fer_config_pairs pairs)
{
    for (size_t i = 0; i < pairs.count; i++)
        fer_buf_printf(b, " %s:%.*s=%s%.*s", what, FER_PRI(pairs.list[i].name),
                       pairs.list[i].value.secret ? "*" : "", FER_PRI(pairs.list[i].value.text));
}

static void add_server(fer_buf *b, const fer_config_server *s)
{
    static const char *const kinds[] = {"stdio", "http", "sse"};
    fer_buf_printf(b, "%s %.*s [%.*s%.*s", kinds[s->transport], FER_PRI(s->ns), FER_PRI(s->command),
                   FER_PRI(s->url));
    for (size_t i = 0; i < s->arg_count; i++) fer_buf_printf(b, " %.*s", FER_PRI(s->args[i]));
    fer_buf_add_char(b, ']');
    add_pairs(b, "env", s->env);
    add_pairs(b, "header", s->headers);
    if (s->cwd.len) fer_buf_printf(b, " cwd=%.*s", FER_PRI(s->cwd));
    if (s->timeout_ms) fer_buf_printf(b, " timeout=%lld", (long long)s->timeout_ms);
    fer_buf_add_text(b, s->disabled ? " disabled\n" : "\n");
}

static void add_api(fer_buf *b, const fer_config_api *api)
{
    fer_buf_printf(b, "api %.*s [%.*s] %.*s", FER_PRI(api->ns), FER_PRI(api->file),
                   FER_PRI(api->base_url));
    if (api->auth.kind)
        fer_buf_printf(b, " auth=%d,%d,%.*s,%.*s,%.*s", (int)api->auth.kind, (int)api->auth.in,
                       FER_PRI(api->auth.name), FER_PRI(api->auth.user), FER_PRI(api->auth.secret));
    for (size_t i = 0; i < api->include_count; i++)
        fer_buf_printf(b, " include=%.*s", FER_PRI(api->include[i]));
    add_pairs(b, "header", api->headers);
    fer_buf_add_text(b, api->disabled ? " disabled\n" : "\n");
}

static void add_serve(fer_buf *b, const fer_config_serve *s)
{
    if (!s->json.len) return;
    fer_buf_printf(b, "serve %.*s %.*s %.*s tls=%.*s,%.*s%s", FER_PRI(s->listen), FER_PRI(s->mode),
                   FER_PRI(s->tokens), FER_PRI(s->tls_cert), FER_PRI(s->tls_key),
                   s->insecure ? " insecure" : "");
    for (size_t i = 0; i < s->host_count; i++)
        fer_buf_printf(b, " host=%.*s", FER_PRI(s->hosts[i]));
    for (size_t i = 0; i < s->origin_count; i++)
        fer_buf_printf(b, " origin=%.*s", FER_PRI(s->origins[i]));
    for (int i = 0; i < FER_CONFIG_LIMITS; i++)
        if (s->limits[i])
            fer_buf_printf(b, " %s=%lld", fer_config_limit_names[i], (long long)s->limits[i]);
    for (size_t i = 0; i < s->client_count; i++)
        fer_buf_printf(b, " client=%.*s,%.*s,%.*s,%.*s,%zu,%zu", FER_PRI(s->clients[i].name),
                       FER_PRI(s->clients[i].token), FER_PRI(s->clients[i].tenant),
                       FER_PRI(s->clients[i].mode), s->clients[i].scope_count,
                       s->clients[i].expose_count);
    fer_buf_add_char(b, '\n');
}

static void add_all(fer_buf *b, const fer_config *c)
{
    add_serve(b, &c->serve);
    for (size_t i = 0; i < c->server_count; i++) add_server(b, &c->servers[i]);
    for (size_t i = 0; i < c->command_count; i++)
        fer_buf_printf(b, "command %.*s %.*s\n", FER_PRI(c->commands[i].id),
                       FER_PRI(c->commands[i].run));
    for (size_t i = 0; i < c->api_count; i++) add_api(b, &c->apis[i]);
    if (c->catalog.len) fer_buf_printf(b, "catalog %.*s\n", FER_PRI(c->catalog));
    for (size_t i = 0; i < c->problem_count; i++)
        fer_buf_printf(b, "%u:%u %s: %.*s\n", c->problems[i].place.line,
                       c->problems[i].place.column, fer_severity_name(c->problems[i].severity),
                       FER_PRI(c->problems[i].message));
}

#define SERVER(members) "mcpServers: {s: {" members "}}"
#define STDIO(members)  SERVER("command: c, " members)
#define API(members)    "apis: {a: {openapi: a.yaml, " members "}}"
#define GOT             "stdio s [c]"

static const struct row {
    const char *name;
    const char *file;
    const char *text;
    const char *expected;
} rows[] = {
    {"nothing", "f.yaml", "{}", ""},
    {"a server", "f.yaml", SERVER("command: npx, args: [-y, pkg], env: {A: b, N: 1, T: true}"),
     "stdio s [npx -y pkg] env:A=b env:N=1 env:T=true\n"},
    {"null unsets", "f.yaml", STDIO("env: {A: null}"), GOT "\n"},
    {"Claude Desktop", "claude_desktop_config.json",
     "{\"mcpServers\": {\"My files\": {\"command\": \"npx\"}}, \"globalShortcut\": \"x\"}",
     "stdio My_files [npx]\n1:50 info: this is the client's, and passed over\n"},
    {"Cursor", "mcp.json",
     "{\"mcpServers\": {\"a\": {\"url\": \"https://x/mcp\", \"headers\": {\"A\": \"${env:SET}\"}}}}",
     "http a [https://x/mcp] header:A=value\n"},
    {"VS Code", "mcp.json",
     "{// comment\n\"servers\": {\"a\": {\"type\": \"sse\", \"url\": \"http://localhost:1/s\",},},"
     "/**/\"inputs\":[]}",
     "sse a [http://localhost:1/s]\n"},
    {"VS Code's settings", "settings.json",
     "{\"editor.tabSize\": 2, \"mcp\": {\"servers\": {\"a\": {\"command\": \"c\"}}}}",
     "stdio a [c]\n1:2 info: this is the client's, and passed over\n"},
    {"Windsurf", "f.yaml", SERVER("serverUrl: 'https://x/'"), "http s [https://x/]\n"},
    {"types", "f.yaml", SERVER("type: streamable-http, httpUrl: 'https://x/'"),
     "http s [https://x/]\n"},
    {"disabled", "f.yaml", STDIO("disabled: true"), GOT " disabled\n"},
    {"not enabled", "f.yaml", STDIO("enabled: false"), GOT " disabled\n"},
    {"a time limit", "f.yaml", STDIO("timeoutMs: 5"), GOT " timeout=5\n"},
    {"a folder", "f.yaml", STDIO("cwd: sub"), GOT " cwd=/home/project/sub\n"},
    /* How clients are met. */
    {"serving", "f.yaml",
     "serve: {listen: '0.0.0.0:8443', mode: both, tokens: t.json, tls: {cert: c.pem, key: /k.pem}, "
     "insecure: true, allowHosts: ['gw.example'], allowOrigins: ['https://a.example']}",
     "serve 0.0.0.0:8443 both /home/project/t.json tls=/home/project/c.pem,/k.pem insecure "
     "host=gw.example origin=https://a.example\n"},
    {"its limits", "f.yaml",
     "serve: {limits: {pollMs: 5, addressConnections: 7, sessionMs: 86400000}}",
     "serve    tls=, sessionMs=86400000 pollMs=5 addressConnections=7\n"},
    {"a limit past its end", "f.yaml", "serve: {limits: {sessionMs: 86400001}}",
     "serve    tls=, sessionMs=86400001\n1:29 error: `serve.limits.sessionMs` must be at most "
     "86400000, but is 86400001.\n"},
    {"its clients", "f.yaml",
     "serve: {clients: {phone: {token: 'secretref:env:T', scopes: ['namespace:a'], mode: tools, "
     "expose: ['a:*'], tenant: home}, desk: {}}}",
     "serve    tls=, client=phone,secretref:env:T,home,tools,1,1 client=desk,,,,0,0\n"},
    {"a scope that is none", "f.yaml", "serve: {clients: {a: {scopes: [all]}}}",
     "serve    tls=, client=a,,,,1,0\n1:31 error: 'all' is not a scope; write *, tool:ID, "
     "namespace:NAME, effect:EFFECT (Pure, IdempotentWrite, NonIdempotentWrite, "
     "ExternalSideEffects) or scope:NAME\n"},
    {"a host that is none", "f.yaml", "serve: {allowHosts: ['https://x']}",
     "serve    tls=, host=https://x\n1:21 error: 'https://x' is not a host; write NAME, NAME:PORT, "
     "127.0.0.1:PORT or [::1]:PORT\n"},
    /* ${...} */
    {"a variable", "f.yaml", STDIO("args: ['${SET}', 'a${env:SET}b', '${SET:-x}', '${NO:-x}']"),
     "stdio s [c value avalueb value x]\n"},
    {"an empty variable", "f.yaml", STDIO("args: ['<${EMPTY}>', '<${EMPTY:-x}>']"),
     "stdio s [c <> <x>]\n"},
    {"no variable", "f.yaml", STDIO("env: {A: '${NO}'}"),
     GOT " env:A=\n1:39 error: there is no variable NO\n"},
    {"folders", "f.yaml",
     STDIO("args: ['${userHome}${/}x', '${workspaceFolder}', '${workspaceFolderBasename}']"),
     "stdio s [c /home/me/x /home/project project]\n"},
    {"a question", "f.yaml", STDIO("env: {A: '${input:key}'}"),
     GOT " env:A=\n1:39 error: ${input:key} would ask a user, and nobody is here to answer\n"},
    {"something else", "f.yaml", STDIO("args: ['${file}x', '${', '$x']"),
     "stdio s [c x ${ $x]\n"
     "1:37 error: there is no variable file\n"},
    {"what cannot be", "f.yaml", STDIO("args: ['${a b}']"),
     "stdio s [c ${a b}]\n1:37 warning: ${a b} is left as it is\n"},
    {"values are not looked at again", "f.yaml", STDIO("env: {A: '${NESTED}'}"),
     GOT " env:A=${SET} secretref:env:SET\n"},
    /* Secrets. */
    {"a reference", "f.yaml", STDIO("env: {TOKEN: 'secretref:env:T', U: 'secretref:file:/x'}"),
     GOT " env:TOKEN=*secretref:env:T env:U=*secretref:file:/x\n"},
    {"a reference behind a word", "f.yaml",
     SERVER("url: 'https://x/', headers: {Authorization: Bearer secretref:env:T}"),
     "http s [https://x/] header:Authorization=*Bearer secretref:env:T\n"},
    {"a reference that is none", "f.yaml", STDIO("env: {A: 'secretref:T'}"),
     GOT " env:A=*secretref:T\n1:39 error: a reference to a secret is secretref:env:NAME or "
         "secretref:file:PATH\n"},
    {"a reference on the command line", "f.yaml", STDIO("args: ['secretref:env:T']"),
     "stdio s [c secretref:env:T]\n1:37 error: a secret does not belong on a command line\n"},
    {"a secret on the command line", "f.yaml", STDIO("args: ['sk-0123456789abcdef']"),
     "stdio s [c sk-0123456789abcdef]\n1:37 warning: this looks like a secret, and all users of the "
     "machine can read it on the command line\n"},
    {"a secret", "f.yaml", STDIO("env: {API_KEY: 0abcdefgh}"),
     GOT " env:API_KEY=0abcdefgh\n1:45 warning: \"API_KEY\" looks like a secret that stands here "
         "for all to read\n"},
    {"no secrets", "f.yaml",
     STDIO("env: {TOKEN_FILE: /run/t, API_KEY: '${SET}', MAX_TOKENS: '123456789'}"),
     GOT " env:TOKEN_FILE=/run/t env:API_KEY=value env:MAX_TOKENS=123456789\n"},
    /* What is wrong. */
    {"no object", "f.yaml", "[]", "1:1 error: The value must be an object, but is an array.\n"},
    {"neither", "f.yaml", SERVER("args: []"),
     "1:14 error: the server needs a \"command\" or a \"url\"\n"},
    {"not what its type says", "f.yaml", SERVER("type: http, command: c"),
     "1:14 error: the server needs a \"url\"\n"},
    {"both", "f.yaml", SERVER("command: c, url: 'https://x'"),
     "1:14 error: the server has a command and a URL; \"type\" says which counts\n"},
    {"both, with a type", "f.yaml", SERVER("type: stdio, command: c, url: 'https://x'"), GOT "\n"},
    {"a misspelt key", "f.yaml", STDIO("argz: [x], foo: 1, autoApprove: []"),
     GOT "\n1:30 warning: a server has no \"argz\"; did you mean \"args\"?\n"
         "1:41 info: \"foo\" is passed over\n"},
    {"a misspelt section", "f.yaml", "defaults: {}\ntelemetri: {}",
     "2:1 error: `telemetri` is not a known property.\n"},
    {"a URL that is none", "f.yaml", SERVER("url: 'ftp://x'"),
     "http s [ftp://x]\n1:23 error: this is no URL that can be asked: the URL does not begin with "
     "http:// or https://\n"},
    {"a field with a line end", "f.yaml",
     SERVER("url: 'https://x', headers: {'A b': x, C: \"d\\r\\ne\"}"),
     "http s [https://x] header:A b=x header:C=d\r\ne\n1:46 error: this is no header field\n"
     "1:56 error: this is no header field\n"},
    {"a NUL", "f.yaml", STDIO("args: [\"a\\0b\"], env: {\"A=B\": x, C: \"\\0\"}"),
     "stdio s [c ] env:A=B=x env:C="},
    {"one namespace twice", "f.yaml", "mcpServers: {a b: {command: c}, 'a/b': {command: c}}",
     "stdio a_b [c]\nstdio a_b [c]\n1:33 error: the namespace \"a_b\" is taken, in line 1\n"},
    {"values of secrets are not shown", "f.yaml",
     "mcpServers: {s: {command: c, env: hunter2}}\napis: {a: {openapi: x, auth: hunter2}}",
     GOT "\napi a [/home/project/x] \n"
         "1:35 error: `mcpServers.s.env` must be an object, but is a string.\n"
         "2:11 error: `apis.a.baseUrl` is required when `auth` is given, but is missing.\n"
         "2:30 error: `apis.a.auth` must be an object, but is a string.\n"},
    /* APIs, commands, single values. */
    {"an API", "f.yaml",
     API("baseUrl: 'http://127.0.0.1:8/v1', namespace: n, include: ['x*'], headers: {A: b}, auth: "
         "{type: apiKey, in: query, name: k, key: secretref:env:K}"),
     "api n [/home/project/a.yaml] http://127.0.0.1:8/v1 auth=3,1,k,,secretref:env:K include=x* "
     "header:A=b\n"},
    {"nothing is filled in", "f.yaml", API("baseUrl: 'https://x', headers: {A: '${SET}'}"),
     "api a [/home/project/a.yaml] https://x header:A=${SET}\n"},
    {"a literal credential", "f.yaml",
     API("baseUrl: 'https://x', auth: {type: bearer, token: abc}"),
     "api a [/home/project/a.yaml] https://x auth=1,0,,,abc\n1:79 error: `apis.a.auth.token` must "
     "match the pattern `^secretref:(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$`, but is a string.\n"},
    {"headers to whom a document says", "f.yaml", API("headers: {A: b}"),
     "api a [/home/project/a.yaml]  header:A=b\n1:8 error: headers are for an API whose \"baseUrl\" "
     "is given: its document shall not say who gets them\n"},
    {"a base URL with a query", "f.yaml", API("baseUrl: 'https://x?a'"),
     "api a [/home/project/a.yaml] https://x?a\n1:38 error: a base URL has no query and no "
     "fragment\n"},
    {"a command", "f.yaml",
     "commands: [{namespace: n, name: t, inputSchema: {type: object}, run: {argv: [x]}}]",
     "command n:t {\"argv\":[\"x\"]}\n"},
    {"a command that is no tool", "f.yaml",
     "commands: [{name: a b, inputSchema: {type: object}, run: {}}]",
     "command a b {}\n1:19 error: a b: name consists of A-Z a-z 0-9 _ . -"},
    {"a command that no start takes", "f.yaml",
     "commands: [{name: t, inputSchema: {type: object}, run: {argv: ['{p}'], stdout: jsn, cmd: 1}}]",
     "command t {\"argv\":[\"{p}\"],\"stdout\":\"jsn\",\"cmd\":1}\n"
     "1:64 error: argv begins with a program, which no argument can choose\n"
     "1:80 error: stdout is json, text or lines\n"
     "1:85 error: a command has no member 'cmd'\n"},
    {"a place that is no property", "f.yaml",
     "commands: [{name: t, inputSchema: {type: object, properties: {path: {}, a/b: {}}}, run: "
     "{argv: [x, '{pth}', '{path}', ['{/a~1b/c}', '{/c/d}']]}}]",
     "command t {\"argv\":[\"x\",\"{pth}\",\"{path}\",[\"{/a~1b/c}\",\"{/c/d}\"]]}\n"
     "1:100 warning: the inputSchema has no property \"pth\" for this place; did you mean "
     "\"path\"?\n"
     "1:133 warning: the inputSchema has no property \"c\" for this place\n"},
    {"a command twice", "f.yaml",
     "commands: [{name: t, inputSchema: {type: object}, run: {argv: [x]}},\n"
     " {namespace: local, name: t, inputSchema: {type: object}, run: {argv: [y]}}]",
     "command t {\"argv\":[\"x\"]}\ncommand local:t {\"argv\":[\"y\"]}\n"
     "2:2 error: the command \"local:t\" is defined already, in line 1, column 12\n"},
    {"commands and an API, and where they run", "f.yaml",
     "commands: [{namespace: n, name: t, inputSchema: {type: object}, run: {argv: [x]}},\n"
     " {namespace: n, name: u, inputSchema: {type: object}, run: {argv: [x]}}]\n"
     "apis: {a: {openapi: a.yaml, baseUrl: 'https://x'}, b: {openapi: a.yaml, baseUrl: "
     "'https://x'}}\n"
     "tools: {'n:t': {backends: [{command: n}, {api: b}]}}",
     "command n:t {\"argv\":[\"x\"]}\ncommand n:u {\"argv\":[\"x\"]}\n"
     "api a [/home/project/a.yaml] https://x\napi b [/home/project/a.yaml] https://x\n"},
    {"a command in a namespace that is taken", "f.yaml",
     "commands: [{namespace: time, name: t, inputSchema: {type: object}, run: {argv: [x]}}]",
     "command time:t {\"argv\":[\"x\"]}\n"
     "1:12 error: the namespace \"time\" is that of built-in tools\n"},
    {"a command without one", "f.yaml", "commands: [{name: t, inputSchema: {}}]",
     "1:12 error: `commands[0].run` is required, but is missing.\n"},
    {"a catalogue", "f.yaml", "catalog: x/c.bin", "catalog /home/project/x/c.bin\n"},
    {"bounds", "f.yaml", "defaults: {deadlineMs: 3600001, calls: 0, outputValidation: wran}",
     "1:24 error: `defaults.deadlineMs` must be at most 3600000, but is 3600001.\n"
     "1:40 error: `defaults.calls` must be at least 1, but is 0.\n"
     "1:61 error: `defaults.outputValidation` must be one of [\"fatal\",\"warn\"], but is "
     "\"wran\".\n"},
};

static fer_code attempt(fer_arena *given, const void *context)
{
    const struct row *row = context;
    fer_err err = {0};
    fer_config c;
    fer_buf b;
    char text[4096];
    fer_arena *a = given ? given : fer_arena_new(0);
    fer_code code =
        a ? fer_config_read(a, fer_str_of(row->file), fer_str_of(row->text), &world, &c, &err)
          : FER_OUT_OF_MEMORY;
    fer_buf_init_fixed(&b, text, sizeof text);
    if (!code) {
        add_all(&b, &c);
        fer_str got = fer_str_head(fer_buf_view(&b), strlen(row->expected));
        bool whole = !row->expected[0] || row->expected[strlen(row->expected) - 1] == '\n';
        assert_str(whole ? fer_buf_view(&b) : got, row->expected);
    }
    if (!given) fer_arena_free(a);
    return code;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_code code = attempt(a, row);
    if (code) fail_msg("%s", fer_code_info(code)->name);
    fer_arena_free(a);
    rows_torture_arena(attempt, row);
}

/* ---- texts that are none ------------------------------------------------------------------- */

static const struct bad {
    const char *name;
    const char *file;
    const char *text;
    const char *expected;
} bads[] = {
    {"broken JSON", "f.json", "{\n\"a\": }", "2:6"},
    {"broken JSON with comments", "f.json", "{// a\n\"a\": }", "1:2"},
    {"broken YAML", "f.yaml", "a: [", "1:5"},
    {"a key twice", "f.yaml", "a: 1\na: 2", "2:1"},
};

static void run_bad(const struct bad *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_config c;
    fer_err err = {0};
    char place[32];
    assert_true(fer_config_read(a, fer_str_of(row->file), fer_str_of(row->text), NULL, &c, &err));
    snprintf(place, sizeof place, "%u:%u", err.line, err.column);
    assert_string_equal(place, row->expected);
    fer_arena_free(a);
}

static void test_size(void)
{
    for (size_t over = 0; over < 2; over++) {
        fer_arena *a = fer_arena_new(0);
        fer_config c;
        fer_err err = {0};
        char *text = fer_arena_alloc(a, FER_CONFIG_SIZE + 1);
        memset(text, ' ', FER_CONFIG_SIZE + 1);
        memcpy(text, "{}", 2);
        fer_code code = fer_config_read(a, FER_STR("f.json"),
                                        (fer_str){text, FER_CONFIG_SIZE + over}, NULL, &c, &err);
        assert_int_equal(code, over ? FER_LIMIT_EXCEEDED : FER_OK);
        if (over) assert_non_null(strstr(err.message, "config.size"));
        fer_arena_free(a);
    }
}

/* ---- what differs -------------------------------------------------------------------------- */

static const struct pair {
    const char *name;
    const char *before;
    const char *after;
    const char *expected;
} pairs[] = {
    {"the same", STDIO("args: [a]"), "mcpServers:\n  s:\n    args: ['a']\n    command: c\n", ""},
    {"an argument", STDIO("args: [a]"), STDIO("args: [b]"), "~server s\n"},
    {"a variable", STDIO("env: {A: b}"), STDIO("env: {A: c}"), "~server s\n"},
    {"new and gone", "mcpServers: {a: {command: c}, b: {command: c}}",
     "mcpServers: {b: {command: c}, c: {command: c}}", "-server a\n+server c\n"},
    {"an API", API("disabled: true") "\ncatalog: x", API("disabled: false"), "~api a\n-catalog \n"},
    {"defaults", "defaults: {calls: 1}", "defaults: {calls: 2}", "~defaults \n"},
    {"telemetry", "{}", "telemetry: {logLevel: debug}", "~defaults \n"},
    {"what is the default anyway", "{}", "telemetry: {metrics: true}", ""},
    {"a command", "commands: [{name: t, inputSchema: {type: object}, run: {argv: [x]}}]",
     "commands: [{name: t, inputSchema: {type: object}, run: {argv: [y]}}]", "~command t\n"},
};

static fer_code compare(fer_arena *given, const void *context)
{
    const struct pair *row = context;
    fer_err err = {0};
    fer_config x, y;
    fer_config_change *list = NULL;
    size_t count = 0;
    char text[1024];
    fer_buf b;
    fer_str file = FER_STR("f.yaml");
    fer_code code = fer_config_read(given, file, fer_str_of(row->before), &world, &x, &err);
    if (!code) code = fer_config_read(given, file, fer_str_of(row->after), &world, &y, &err);
    if (!code) assert_int_equal(x.error_count + y.error_count, 0);
    if (!code) code = fer_config_diff(given, &x, &y, &list, &count, &err);
    fer_buf_init_fixed(&b, text, sizeof text);
    for (size_t i = 0; i < count && !code; i++)
        fer_buf_printf(&b, "%s%s %.*s\n",
                       !list[i].before ? "+"
                       : list[i].after ? "~"
                                       : "-",
                       fer_config_part_names[list[i].part], FER_PRI(list[i].name));
    if (!code) assert_str(fer_buf_view(&b), row->expected);
    return code;
}

static void run_pair(const struct pair *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(compare(a, row), FER_OK);
    fer_arena_free(a);
    rows_torture_arena(compare, row);
}

int main(void)
{
    return ROWS_RUN("config", rows, run) + ROWS_RUN("no config", bads, run_bad) +
           ROWS_ONE("config", test_size) + ROWS_RUN("diff", pairs, run_pair);
}
