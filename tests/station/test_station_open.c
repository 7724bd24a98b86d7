/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A station by the public header alone (ferrule/station.h), as a program has it that embeds the
 * library: what a configuration names is there, functions of the program's own beside it, and what
 * is wrong is told and leaves nothing behind.
 */
#include <fcntl.h>
#include <ferrule/station.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "faults.h"
#include "file.h"
#include "rows.h"

static char folder[128], file[160], told[8192];

static void tell(void *context, fer_str line)
{
    size_t len = strlen(told);
    assert_ptr_equal(context, folder);
    snprintf(told + len, sizeof told - len, "%.*s\n", FER_PRI(line));
}

static void put(const char *text)
{
    fer_err err;
    assert_int_equal(fer_file_replace(file, fer_str_of(text), &err), FER_OK);
    told[0] = '\0';
}

/* ---- a function of the program's own ------------------------------------------------------------
 */

static fer_code answer(void *context, fer_arena *a, const void *args, fer_str *result, fer_err *err)
{
    (void)a, (void)args, (void)err;
    *result = fer_str_of(context);
    return FER_OK;
}
static char forty_two[] = "42";
static const fer_builtin functions[] = {{.ns = "own",
                                         .name = "answer",
                                         .description = "Answers.",
                                         .effect = FER_EFFECT_PURE,
                                         .run = answer,
                                         .context = forty_two}};

static fer_code open_it(fer_station **out, fer_err *err)
{
    return fer_station_open(&(fer_station_options){.config = file,
                                                   .functions = functions,
                                                   .function_count = 1,
                                                   .search = true,
                                                   .tell = tell,
                                                   .context = folder},
                            out, err);
}

/* What a call gives: its structured result, or the name of its error. */
static void call(fer_station *s, const char *tool, char *out, size_t size)
{
    fer_envelope e;
    fer_err err;
    fer_arena *a = fer_arena_new(0);
    fer_station_ask(s, fer_str_of(tool));
    assert_int_equal(fer_gateway_ask(a, fer_station_gateway(s), fer_str_of(tool), fer_str_of("{}"),
                                     NULL, &e, &err),
                     FER_OK);
    if (e.error.code) snprintf(out, size, "%s", fer_code_info(e.error.code)->name);
    else snprintf(out, size, "%.*s", FER_PRI(e.structured));
    fer_arena_free(a);
}

#define TOOL(name, argv, more)                                                                     \
    "{\"name\":\"" name "\",\"namespace\":\"c\",\"description\":\"Says.\",\"effect\":\"Pure\","    \
    "\"inputSchema\":{\"type\":\"object\"},\"run\":{\"argv\":[" argv "],\"stdout\":\"text\"" more  \
    "}}"
#define COMMAND(word) TOOL("say", "\"printf\",\"" word "\"", "")
/* Two commands of the same namespace that lack something. */
#define SECRET ",\"env\":{\"set\":{\"T\":\"secretref:file:late.secret\"}}"
#define LACKING                                                                                    \
    TOOL("lost", "\"printf\",\"found\"", SECRET) "," TOOL("gone", "\"late-program\"", "")

/* ---- rows: what a configuration leads to --------------------------------------------------------
 */

static const struct row {
    const char *name, *config; /* NULL: there is no such file */
    fer_code code;
    const char *tool, *gives;
    const char *told; /* a part of it; or NULL */
} rows[] = {
    {"a command", "{\"commands\":[" COMMAND("hello") "]}", FER_OK, "c:say", "\"hello\"", NULL},
    {"a function beside it", "{\"commands\":[" COMMAND("hello") "]}", FER_OK, "own:answer", "42",
     NULL},
    {"nothing but a function", "{}", FER_OK, "own:answer", "42", NULL},
    {"a tool that nobody has", "{}", FER_OK, "c:say", "ToolNotFound", NULL},
    {"a server that is no program",
     "{\"mcpServers\":{\"gone\":{\"command\":\"/no/such/program\"}}}", FER_OK, "gone:x",
     "BackendUnavailable", "gone"},
    {"its deadlines count",
     "{\"defaults\":{\"timeoutMs\":100,\"deadlineMs\":300},\"commands\":[{\"name\":\"say\","
     "\"namespace\":\"c\",\"description\":\"Sleeps.\",\"inputSchema\":{\"type\":\"object\"},"
     "\"run\":{\"argv\":[\"sleep\",\"20\"],\"stdout\":\"text\"}}]}",
     FER_OK, "c:say", "OutcomeUnknown", NULL},
    {"a command without its program", "{\"commands\":[" TOOL("say", "\"late-program\"", "") "]}",
     FER_OK, "c:say", "BackendUnavailable",
     "ferrule.json:1:14: the command c:say: no program 'late-"},
    {"a command without its secret", "{\"commands\":[" TOOL("say", "\"true\"", SECRET) "]}", FER_OK,
     "c:say", "BackendUnavailable", "write the secret into that file"},
    {"the others of its namespace", "{\"commands\":[" LACKING "," COMMAND("hello") "]}", FER_OK,
     "c:say", "\"hello\"", "the command c:gone: "},
    {"a command that is wrong", "{\"commands\":[" TOOL("say", "\"true\"", ",\"stdin\":7") "]}",
     FER_BAD_USAGE, NULL, NULL, NULL},
    {"a program that no PATH will have", "{\"commands\":[" TOOL("say", "\"./true\"", "") "]}",
     FER_BACKEND_UNAVAILABLE, NULL, NULL, NULL},
    {"a reference that is none",
     "{\"commands\":[" TOOL("say", "\"true\"", ",\"env\":{\"set\":{\"T\":\"secretref:x\"}}") "]}",
     FER_BAD_USAGE, NULL, NULL, NULL},
    {"no file", NULL, FER_IO_ERROR, NULL, NULL, NULL},
    {"no JSON", "{\"commands\":[", FER_INVALID_JSON, NULL, NULL, NULL},
    {"an error is told with its place", "{\"commands\":[{\"name\":\"x\"}]}", FER_BAD_USAGE, NULL,
     NULL, "ferrule.json:1:"},
};

static void run(const struct row *row)
{
    fer_station *s = NULL;
    fer_err err = {0};
    char got[128];
    if (row->config) put(row->config);
    else unlink(file);
    told[0] = '\0';
    fer_code code = open_it(&s, &err);
    if (code != row->code) fail_msg("%s: %s: %s", fer_code_info(code)->name, err.message, told);
    if (!code) {
        call(s, row->tool, got, sizeof got);
        assert_string_equal(got, row->gives);
        fer_station_remark(s);
    } else {
        assert_null(s);
        assert_true(err.message[0]);
    }
    if (row->told && !strstr(told, row->told)) fail_msg("was told: %s", told);
    fer_station_close(s);
}

static void read_again(void)
{
    fer_station *s;
    fer_err err;
    size_t changes;
    char got[128];
    put("{\"commands\":[" COMMAND("old") "]}");
    assert_int_equal(open_it(&s, &err), FER_OK);
    call(s, "c:say", got, sizeof got);
    assert_string_equal(got, "\"old\"");
    put("{\"commands\":[" COMMAND("new") "]}");
    assert_int_equal(fer_station_renew(s, &changes, &err), FER_OK);
    assert_int_equal(changes, 1);
    call(s, "c:say", got, sizeof got);
    assert_string_equal(got, "\"new\"");
    put("{\"commands\":");
    assert_int_not_equal(fer_station_renew(s, &changes, &err), FER_OK);
    assert_int_equal(changes, 0);
    call(s, "c:say", got, sizeof got);
    assert_string_equal(got, "\"new\"");
    call(s, "own:answer", got, sizeof got);
    assert_string_equal(got, "42");
    assert_int_equal(fer_station_renew(s, NULL, &err) != FER_OK, true);
    fer_station_close(s);
}

/* A ledger is written as the command's gateway writes it, and of two stations one has it. */
static void one_has_the_state(void)
{
    fer_station *s, *other = NULL;
    fer_err err;
    char got[128], path[192], config[512];
    snprintf(config, sizeof config, "{\"state\":\"%s/state\",\"commands\":[" COMMAND("kept") "]}",
             folder);
    put(config);
    assert_int_equal(open_it(&s, &err), FER_OK);
    call(s, "c:say", got, sizeof got);
    assert_string_equal(got, "\"kept\"");
    assert_int_equal(open_it(&other, &err), FER_LEDGER_UNAVAILABLE);
    assert_null(other);
    call(s, "c:say", got, sizeof got);
    assert_string_equal(got, "\"kept\"");
    fer_station_close(s);
    snprintf(path, sizeof path, "%s/state/ledger", folder);
    assert_true(fer_file_exists(path));
    assert_int_equal(open_it(&s, &err), FER_OK);
    fer_station_close(s);
}

static void found_by_search(void)
{
    fer_station *s;
    fer_err err;
    fer_found found;
    fer_arena *a = fer_arena_new(0);
    fer_search_options options = {0};
    fer_page page = {.size = 5};
    put("{\"commands\":[" COMMAND("hello") "]}");
    assert_int_equal(open_it(&s, &err), FER_OK);
    assert_int_equal(fer_catalog_search(a, fer_station_catalog(s), fer_str_of("says"), &options,
                                        &page, &found, &err),
                     FER_OK);
    assert_true(found.fits);
    assert_true(fer_str_is(found.matches[0].hit.summary.id, "c:say"));
    fer_station_close(s);
    fer_arena_free(a);
}

static void places(void)
{
    fer_station *s;
    fer_err err;
    fer_station_place list[2];
    put("{\"mcpServers\":{\"gone\":{\"command\":\"/no/such/program\"}},\"commands\":[" COMMAND(
        "hello") "]}");
    assert_int_equal(open_it(&s, &err), FER_OK);
    assert_int_equal(fer_station_places(s, list, 0), 2);
    fer_station_ask(s, fer_str_of(""));
    assert_int_equal(fer_station_places(s, list, 2), 2);
    const fer_station_place *server = fer_str_is(list[0].name, "gone") ? &list[0] : &list[1];
    const fer_station_place *command = server == &list[0] ? &list[1] : &list[0];
    assert_true(fer_str_is(server->name, "gone"));
    assert_int_not_equal(server->code, FER_OK);
    assert_true(server->why.len > 0);
    assert_true(fer_str_is(command->ns, "c"));
    assert_int_equal(command->code, FER_OK);
    assert_int_equal(command->why.len, 0);
    fer_station_close(s);
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    (void)c;
    assert_int_equal(e->error.code, FER_OK);
    ++*(int *)context;
}

/* On a loop of the program's own, which goes on after the station. */
static void another_loop(void)
{
    uv_loop_t loop;
    fer_station *s;
    fer_err err;
    int done = 0;
    assert_int_equal(uv_loop_init(&loop), 0);
    put("{\"commands\":[" COMMAND("hello") "]}");
    fer_station_options o = {.config = file, .tell = tell, .context = folder, .loop = &loop};
    assert_int_equal(fer_station_open(&o, &s, &err), FER_OK);
    assert_ptr_equal(fer_gateway_loop(fer_station_gateway(s)), &loop);
    assert_int_equal(fer_gateway_call(fer_station_gateway(s), fer_str_of("c:say"), fer_str_of("{}"),
                                      NULL, on_done, &done, NULL, &err),
                     FER_OK);
    while (!done) uv_run(&loop, UV_RUN_ONCE);
    fer_station_close(s);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(done, 1);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* How often a server was started that ends at once. */
static size_t starts(void)
{
    char path[192];
    fer_str text = {0};
    fer_arena *a = fer_arena_new(0);
    snprintf(path, sizeof path, "%s/starts", folder);
    fer_code code = fer_file_read(a, path, 4096, &text, NULL);
    size_t count = code ? 0 : text.len;
    fer_arena_free(a);
    return count;
}

/* A server that could not be asked is asked again, after its pause. */
static void asked_again(void)
{
    fer_station *s;
    fer_err err;
    char config[512];
    snprintf(config, sizeof config,
             "{\"mcpServers\":{\"bad\":{\"command\":\"sh\",\"args\":[\"-c\",\"printf x >> "
             "%s/starts\"]}}}",
             folder);
    put(config);
    assert_int_equal(open_it(&s, &err), FER_OK);
    assert_int_equal(starts(), 0);
    fer_station_ask(s, fer_str_of("bad:x"));
    size_t once = starts();
    assert_true(once > 0);
    fer_station_ask(s, fer_str_of("bad:x"));
    assert_int_equal(starts(), once);
    usleep(1200 * 1000);
    fer_station_ask(s, fer_str_of("bad:x"));
    assert_true(starts() > once);
    fer_station_close(s);
}

/* What cannot be set up is told when it is opened, and stops nothing else. */
static void vacant(void)
{
    fer_station *s;
    fer_err err;
    char got[128];
    put("{\"mcpServers\":{\"lost\":{\"command\":\"true\",\"env\":{\"T\":"
        "\"secretref:env:NO_SUCH_VARIABLE\"}}},\"commands\":[" COMMAND("hello") "]}");
    assert_int_equal(open_it(&s, &err), FER_OK);
    assert_non_null(strstr(told, "NO_SUCH_VARIABLE"));
    call(s, "c:say", got, sizeof got);
    assert_string_equal(got, "\"hello\"");
    fer_station_close(s);
}

/* ---- commands that lack something, and get it
 * ---------------------------------------------------------------------------------- */

static const char *path_of(const char *name)
{
    static char path[192];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
    fer_err err;
    assert_int_equal(fer_file_replace(path_of(name), fer_str_of(text), &err), FER_OK);
    assert_int_equal(chmod(path_of(name), mode), 0);
}

static void expect_call(fer_station *s, const char *tool, const char *gives)
{
    char got[128];
    call(s, tool, got, sizeof got);
    if (strcmp(got, gives) != 0) fail_msg("%s gives %s, not %s", tool, got, gives);
}

static void expect_renewed(fer_station *s, size_t changes)
{
    fer_err err = {0};
    size_t got;
    told[0] = '\0';
    if (fer_station_renew(s, &got, &err)) fail_msg("%s", err.message);
    assert_int_equal(got, changes);
}

static fer_code code_of_place(fer_station *s)
{
    fer_station_place one;
    assert_int_equal(fer_station_places(s, &one, 1), 1);
    assert_int_equal(one.tools, 3);
    assert_int_equal(one.why.len > 0, one.code != FER_OK);
    return one.code;
}

static void comes_and_goes(void)
{
    fer_station *s;
    fer_err err;
    put("{\"commands\":[" LACKING "," COMMAND("hello") "]}");
    assert_int_equal(open_it(&s, &err), FER_OK);
    assert_int_equal(code_of_place(s), FER_IO_ERROR);
    /* However often it is called, no circuit opens that the others are behind. */
    for (int i = 0; i < 30; i++) expect_call(s, "c:lost", "BackendUnavailable");
    expect_call(s, "c:say", "\"hello\"");
    expect_renewed(s, 0);
    assert_string_equal(told, "");
    /* One of them comes, the other does not. */
    write_file("late-program", "#!/bin/sh\nprintf here\n", 0755);
    expect_renewed(s, 1);
    assert_non_null(strstr(told, "c:lost"));
    assert_null(strstr(told, "c:gone"));
    expect_call(s, "c:gone", "\"here\"");
    expect_call(s, "c:lost", "BackendUnavailable");
    expect_call(s, "c:say", "\"hello\"");
    /* Another change while it is not there. */
    put("{\"commands\":[" LACKING "," COMMAND("again") "]}");
    expect_renewed(s, 1);
    expect_call(s, "c:say", "\"again\"");
    expect_call(s, "c:lost", "BackendUnavailable");
    write_file("late.secret", "s3cret\n", 0600);
    expect_renewed(s, 1);
    assert_string_equal(told, "");
    assert_int_equal(code_of_place(s), FER_OK);
    expect_call(s, "c:lost", "\"found\"");
    /* And what was there goes. */
    assert_int_equal(unlink(path_of("late-program")), 0);
    expect_renewed(s, 1);
    assert_non_null(strstr(told, "late-program"));
    assert_int_equal(code_of_place(s), FER_BACKEND_UNAVAILABLE);
    expect_call(s, "c:gone", "BackendUnavailable");
    expect_call(s, "c:lost", "\"found\"");
    assert_int_equal(unlink(path_of("late.secret")), 0);
    expect_renewed(s, 1);
    expect_call(s, "c:lost", "BackendUnavailable");
    expect_call(s, "c:say", "\"again\"");
    /* What is wrong changes nothing, as ever. */
    put("{\"commands\":[" LACKING "," TOOL("say", "\"true\"", ",\"stdin\":7") "]}");
    assert_int_equal(fer_station_renew(s, NULL, &err), FER_BAD_USAGE);
    expect_call(s, "c:say", "\"again\"");
    fer_station_close(s);
}

#define API(catalog)                                                                               \
    "{\"catalog\":\"" catalog                                                                      \
    "\",\"apis\":{\"p\":{\"openapi\":\"api.json\",\"baseUrl\":\"http://127.0.0.1:1\"}}}"

/* The tools of an API whose document is gone stay, and calls of them say so, however often; also
 * where another catalogue takes the place of the one that they were found in. */
static void an_api_without_its_document(void)
{
    fer_station *s;
    fer_err err;
    char command[512];
    write_file("api.json",
               "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"t\",\"version\":\"1.0.0\"},\"paths\":"
               "{\"/x\":{\"get\":{\"operationId\":\"one\",\"responses\":{\"200\":{"
               "\"description\":\"d\"}}}}}}",
               0600);
    put(API("one.catalog"));
    assert_int_equal(open_it(&s, &err), FER_OK);
    fer_station_close(s);
    snprintf(command, sizeof command, "cp '%s/one.catalog' '%s/other.catalog'", folder, folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(unlink(path_of("api.json")), 0);
    assert_int_equal(open_it(&s, &err), FER_OK);
    for (int i = 0; i < 30; i++) expect_call(s, "p:one", "BackendUnavailable");
    put(API("other.catalog"));
    expect_renewed(s, 1);
    expect_call(s, "p:one", "BackendUnavailable");
    fer_station_close(s);
}

static void misuse(void)
{
    fer_station *s = (fer_station *)folder;
    fer_err err = {0};
    assert_int_equal(fer_station_open(NULL, &s, &err), FER_BAD_USAGE);
    assert_null(s);
    assert_true(err.message[0]);
    fer_station_close(NULL);
}

static fer_code attempt(fer_arena *a, const void *row)
{
    fer_station *s;
    fer_err err = {0};
    (void)a, (void)row;
    told[0] = '\0';
    fer_code code = open_it(&s, &err);
    if (!code) fer_station_close(s);
    return code;
}

/* Each allocation failing in turn: nothing is left behind. */
static void torture(void)
{
    put("{\"commands\":[" COMMAND("hello") "]}");
    assert_true(rows_torture_malloc(attempt, NULL) > 50);
    put("{\"commands\":[" LACKING "]}");
    assert_true(rows_torture_malloc(attempt, NULL) > 50);
}

/* A reload by which one comes. */
static fer_code attempt_again(fer_arena *a, const void *row)
{
    fer_station *s;
    fer_err err = {0};
    (void)a, (void)row;
    told[0] = '\0';
    unlink(path_of("late-program"));
    fer_code code = open_it(&s, &err);
    if (code) return code;
    int fd = open(path_of("late-program"), O_CREAT | O_WRONLY, 0755);
    assert_int_equal(close(fd), 0);
    code = fer_station_renew(s, NULL, &err);
    fer_station_close(s);
    return code;
}

static void torture_again(void)
{
    put("{\"commands\":[" LACKING "]}");
    assert_true(rows_torture_malloc(attempt_again, NULL) > 100);
    unlink(path_of("late-program"));
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.90s/ferrule-station-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder)) return 1;
    snprintf(file, sizeof file, "%s/ferrule.json", folder);
    /* Programs of commands are looked for there, too. */
    char search[256];
    snprintf(search, sizeof search, "%s:/usr/bin:/bin", folder);
    setenv("PATH", search, 1);
    int failed = ROWS_RUN("opened", rows, run) + ROWS_ONE("opened", read_again) +
                 ROWS_ONE("opened", one_has_the_state) + ROWS_ONE("opened", found_by_search) +
                 ROWS_ONE("opened", places) + ROWS_ONE("opened", another_loop) +
                 ROWS_ONE("opened", asked_again) + ROWS_ONE("opened", vacant) +
                 ROWS_ONE("opened", comes_and_goes) +
                 ROWS_ONE("opened", an_api_without_its_document) + ROWS_ONE("opened", misuse) +
                 ROWS_ONE("opened", torture) + ROWS_ONE("opened", torture_again);
    char command[192];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) ? 1 : failed;
}
