/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local commands as tools: command lines (C01-C12), definitions, what comes out, exit codes, and
 * what misbehaves (F30-F35, F43, F46, F47, F50-F55), by badtool. In a definition '@' is badtool.
 */
#include "local_command.h"

#include <ferrule/gateway.h>

#include "buf.h"
#include "children.h"
#include "rows.h"
#include "sys.h"

#define SLACK_MS 2000 /* what a busy machine may add to times that are asserted */

/* ---- a gateway of one call ------------------------------------------------------------------ */

struct stage {
    uv_loop_t loop;
    fer_process_host *host;
    fer_runner *runner;
    fer_arena *arena;
    fer_local_command command;
    uv_timer_t timer;
    size_t descriptors;
    int64_t live;
};

struct shot {
    struct stage *stage;
    fer_attempt attempt;
    int ends;
    size_t chunks;
    char first_chunk[64], last_chunk[64];
    size_t pause_at; /* chunks until the listener is behind; 0: never */
    size_t stop_at;  /* chunks until it leaves */
    fer_code code;
    fer_phase phase;
    char value[4096]; /* structured_json */
    size_t value_len;
    char message[1024], details[8192];
    int64_t ended;
};

static void on_stage_closed(uv_handle_t *handle)
{
    (void)handle;
}

static fer_json *must_read(fer_arena *a, const char *text)
{
    fer_json *doc;
    fer_err err;
    if (fer_json_read(a, fer_arena_copy(a, fer_str_of(text)), NULL, &doc, &err))
        fail_msg("%s: %s", text, err.message);
    return doc;
}

/* A definition's text, with the program in it. */
static const char *with_program(fer_arena *a, const char *definition)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 16);
    for (const char *c = definition; *c; c++) {
        if (*c == '@') fer_buf_add_text(&b, badtool());
        else fer_buf_add_char(&b, *c);
    }
    fer_buf_add_char(&b, '\0');
    return b.ptr;
}

static void open_stage(struct stage *s, const char *definition)
{
    fer_err err = {0};
    badtool(); /* known from now on */
    s->descriptors = open_descriptors();
    s->live = fer_faults_live();
    s->arena = fer_arena_new(0);
    assert_int_equal(uv_loop_init(&s->loop), 0);
    fer_process_host_options options = {.alone = true};
    assert_int_equal(fer_process_host_new(&s->loop, &options, &s->host, NULL), FER_OK);
    s->runner = fer_local_command_runner(s->host, FER_STR("pack"));
    uv_timer_init(&s->loop, &s->timer);
    fer_json *doc = must_read(s->arena, with_program(s->arena, definition));
    fer_code code =
        fer_local_command_read(s->arena, doc, fer_json_root(doc), FER_STR(""), &s->command, &err);
    if (!code) code = fer_local_command_add(s->runner, &s->command, FER_STR("/usr/bin:/bin"), &err);
    if (code) fail_msg("%s: %s", definition, err.message);
}

static void on_stopped(fer_runner *r)
{
    *(bool *)r->owner = true;
}

static void close_stage(struct stage *s)
{
    bool stopped = false;
    s->runner->owner = &stopped;
    s->runner->kind->stop(s->runner, on_stopped);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_true(stopped);
    s->runner->kind->free(s->runner);
    fer_process_host_free(s->host);
    uv_close((uv_handle_t *)&s->timer, on_stage_closed);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&s->loop), 0);
    fer_arena_free(s->arena);
    assert_no_children();
    assert_no_marks();
    assert_int_equal(open_descriptors(), s->descriptors);
    assert_int_equal(fer_faults_live(), s->live);
}

static void keep(char *to, size_t size, fer_str s)
{
    snprintf(to, size, "%.*s", FER_PRI(s));
}

static void on_end(fer_attempt *t, const fer_outcome *o)
{
    struct shot *shot = t->call;
    shot->ends++;
    shot->ended = fer_clock_mono();
    shot->code = o->code;
    shot->phase = o->phase;
    shot->value_len = o->structured_json.len;
    keep(shot->value, sizeof shot->value, o->structured_json);
    keep(shot->message, sizeof shot->message, o->message);
    keep(shot->details, sizeof shot->details, o->details);
    if (!o->code) assert_non_null(o->structured);
}

static void on_news(fer_attempt *t, fer_news kind, fer_str json)
{
    struct shot *shot = t->call;
    assert_int_equal(kind, FER_NEWS_CHUNK);
    if (shot->chunks++ == 0) keep(shot->first_chunk, sizeof shot->first_chunk, json);
    keep(shot->last_chunk, sizeof shot->last_chunk, json);
    if (shot->chunks == shot->pause_at) t->runner->kind->pause(t->runner, t, true);
    if (shot->chunks == shot->stop_at)
        t->runner->kind->cancel(t->runner, t, FER_CANCEL_SLOW_CONSUMER);
}

static void begin(struct stage *s, struct shot *shot, const char *args)
{
    shot->stage = s;
    shot->attempt = (fer_attempt){.arena = s->arena,
                                  .runner = s->runner,
                                  .tool = s->command.name,
                                  .args_json = fer_str_of(args),
                                  .args = fer_json_root(must_read(s->arena, args)),
                                  .deadline = fer_clock_mono() + (int64_t)30 * 1000000000,
                                  .call_id = FER_STR("call-1"),
                                  .correlation_id = FER_STR("corr-1"),
                                  .number = 1,
                                  .wants_news = true,
                                  .on_news = on_news,
                                  .on_end = on_end,
                                  .call = shot};
    s->runner->kind->call(s->runner, &shot->attempt);
}

static void fire(struct stage *s, struct shot *shot, const char *args)
{
    begin(s, shot, args);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_int_equal(shot->ends, 1);
}

/* ---- command lines -------------------------------------------------------------------------- */

#define ARGV(items) "{\"name\":\"t\",\"argv\":[\"@\",\"argv\"," items "]}"

static const struct line_row {
    const char *name;
    const char *definition;
    const char *args;
    fer_code code;
    const char *out; /* the list that the program got, or a part of the message */
} line_rows[] = {
    {"text", ARGV("\"{x}\""), "{\"x\":\"a b\"}", FER_OK, "[\"a b\"]"},
    {"integer", ARGV("\"{x}\""), "{\"x\":42}", FER_OK, "[\"42\"]"},
    {"fraction", ARGV("\"{x}\""), "{\"x\":1.5}", FER_OK, "[\"1.5\"]"},
    {"boolean", ARGV("\"{x}\""), "{\"x\":true}", FER_OK, "[\"true\"]"},
    {"part", ARGV("\"--depth={x}\""), "{\"x\":3}", FER_OK, "[\"--depth=3\"]"},
    {"two parts", ARGV("\"{x}:{y}\""), "{\"x\":1,\"y\":2}", FER_OK, "[\"1:2\"]"},
    {"brackets", ARGV("\"{{{x}}}\""), "{\"x\":1}", FER_OK, "[\"{1}\"]"},
    {"pointer", ARGV("\"{/a/0/b}\""), "{\"a\":[{\"b\":\"c\"}]}", FER_OK, "[\"c\"]"},
    {"optional, there", ARGV("\"{x?}\""), "{\"x\":1}", FER_OK, "[\"1\"]"},
    {"optional, absent", ARGV("\"{x?}\",\"b\""), "{}", FER_OK, "[\"b\"]"},
    {"optional, null", ARGV("\"--x={x?}\""), "{\"x\":null}", FER_OK, "[]"},
    {"needed", ARGV("\"{x}\""), "{}", FER_REQUIRED_MISSING, "needs the argument 'x'"},
    {"needed, null", ARGV("\"{x}\""), "{\"x\":null}", FER_REQUIRED_MISSING, "'x'"},
    {"group", ARGV("[\"-d\",\"{x?}\"]"), "{\"x\":1}", FER_OK, "[\"-d\",\"1\"]"},
    {"group, left out", ARGV("[\"-d\",\"{x?}\"],\"b\""), "{}", FER_OK, "[\"b\"]"},
    {"array", ARGV("\"{x*}\""), "{\"x\":[\"a\",\"b c\",3]}", FER_OK, "[\"a\",\"b c\",\"3\"]"},
    {"array, empty", ARGV("\"{x*}\""), "{\"x\":[]}", FER_OK, "[]"},
    {"array, absent", ARGV("\"{x*}\""), "{}", FER_REQUIRED_MISSING, "'x'"},
    {"array, optional", ARGV("\"{x*?}\""), "{}", FER_OK, "[]"},
    {"array in a group", ARGV("[\"-i\",\"{x*}\"]"), "{\"x\":[\"a\",\"b\"]}", FER_OK,
     "[\"-i\",\"a\",\"-i\",\"b\"]"},
    {"array as a part", ARGV("\"-i{x*}\""), "{\"x\":[\"a\",\"b\"]}", FER_OK, "[\"-ia\",\"-ib\"]"},
    {"array with null", ARGV("\"{x*}\""), "{\"x\":[null]}", FER_INVALID_TYPE, "is null"},
    {"no array", ARGV("\"{x*}\""), "{\"x\":1}", FER_INVALID_TYPE, "takes an array"},
    {"array for one", ARGV("\"{x}\""), "{\"x\":[1]}", FER_INVALID_TYPE, "is an array"},
    {"object", ARGV("\"{x}\""), "{\"x\":{}}", FER_INVALID_TYPE, "is an object"},
    {"object as JSON", ARGV("\"{json:x}\""), "{\"x\":{\"a\":[1,\"b\"]}}", FER_OK,
     "[\"{\\u0022a\\u0022:[1,\\u0022b\\u0022]}\"]"},
    {"flag, true", ARGV("\"{flag:v}\""), "{\"v\":true}", FER_OK, "[\"--v\"]"},
    {"flag, false", ARGV("\"{flag:v}\""), "{\"v\":false}", FER_OK, "[]"},
    {"flag, absent", ARGV("\"{flag:v}\""), "{}", FER_OK, "[]"},
    {"flag with a text", ARGV("\"{flag:v:-v}\""), "{\"v\":true}", FER_OK, "[\"-v\"]"},
    {"flag, no boolean", ARGV("\"{flag:v}\""), "{\"v\":\"-rf\"}", FER_INVALID_TYPE, "a boolean"},
    {"typed", ARGV("\"{int:x}\""), "{\"x\":7}", FER_OK, "[\"7\"]"},
    {"typed, another", ARGV("\"{int:x}\""), "{\"x\":\"7\"}", FER_INVALID_TYPE, "an integer"},
    {"a dash and a number", ARGV("\"{x}\""), "{\"x\":-7}", FER_CONSTRAINT_VIOLATION, "dash"},
    {"C01 leading dash", ARGV("\"{x}\""), "{\"x\":\"--output=/etc/passwd\"}",
     FER_CONSTRAINT_VIOLATION, "'x' begins with a dash"},
    {"C01 leading dash in an array", ARGV("\"{x*}\""), "{\"x\":[\"a\",\"-b\"]}",
     FER_CONSTRAINT_VIOLATION, "dash"},
    {"C01 declared", ARGV("\"{dash:x}\""), "{\"x\":\"-a\"}", FER_OK, "[\"-a\"]"},
    {"C01 behind an empty part", ARGV("\"{x}{y}\""), "{\"x\":\"\",\"y\":\"-a\"}",
     FER_CONSTRAINT_VIOLATION, "'y'"},
    {"C01 as a part it is none", ARGV("\"-o{x}\""), "{\"x\":\"-a\"}", FER_OK, "[\"-o-a\"]"},
    {"C02 -- stays where it is", ARGV("\"--\",\"{dash:x}\""), "{\"x\":\"-a\"}", FER_OK,
     "[\"--\",\"-a\"]"},
    {"C02 -- as a value", ARGV("\"{x}\""), "{\"x\":\"--\"}", FER_CONSTRAINT_VIOLATION, "dash"},
    {"C03 newline", ARGV("\"{x}\""), "{\"x\":\"a\\nb\"}", FER_OK, "[\"a\\u000ab\"]"},
    {"C04 NUL", ARGV("\"{x}\""), "{\"x\":\"a\\u0000b\"}", FER_CONSTRAINT_VIOLATION, "NUL"},
    {"C05 quotes", ARGV("\"{x}\""), "{\"x\":\"'a' \\\"b\\\" `c`\"}", FER_OK,
     "[\"'a' \\u0022b\\u0022 `c`\"]"},
    {"C06 $()", ARGV("\"{x}\""), "{\"x\":\"$(id) ${HOME} ; id | id & id\"}", FER_OK,
     "[\"$(id) ${HOME} ; id | id & id\"]"},
    {"C07 glob", ARGV("\"{x}\""), "{\"x\":\"* ? ~ [a]\"}", FER_OK, "[\"* ? ~ [a]\"]"},
    {"C08 @file", ARGV("\"{x}\""), "{\"x\":\"\\u0040/etc/passwd\"}", FER_OK,
     "[\"\\u0040/etc/passwd\"]"},
    {"C11 empty", ARGV("\"{x}\",\"b\""), "{\"x\":\"\"}", FER_OK, "[\"\",\"b\"]"},
    {"C12 Unicode dash", ARGV("\"{x}\""), "{\"x\":\"\\u2014rf\"}", FER_CONSTRAINT_VIOLATION,
     "dash"},
    {"C12 minus sign", ARGV("\"{x}\""), "{\"x\":\"\\u2212rf\"}", FER_CONSTRAINT_VIOLATION, "dash"},
    {"C12 inside it is text", ARGV("\"{x}\""), "{\"x\":\"a\\u2014b\"}", FER_OK,
     "[\"a\xE2\x80\x94"
     "b\"]"},
    {"a value is not a template", ARGV("\"{x}\""), "{\"x\":\"{y}\",\"y\":1}", FER_OK, "[\"{y}\"]"},
    {"more arguments than places", ARGV("\"{x}\""), "{\"x\":1,\"argv\":[\"/bin/sh\"],\"env\":{}}",
     FER_OK, "[\"1\"]"},
};

static void run_line(const struct line_row *row)
{
    struct stage s;
    struct shot shot = {0};
    open_stage(&s, row->definition);
    fire(&s, &shot, row->args);
    if (shot.code != row->code) fail_msg("%s: %s", fer_code_info(shot.code)->name, shot.message);
    if (row->code) {
        assert_non_null(strstr(shot.message, row->out));
        assert_int_equal(shot.phase, FER_PHASE_NOTHING_SENT);
    } else {
        /* '@' is badtool in definitions only. */
        fer_arena *a = fer_arena_new(0);
        bool equal = false;
        assert_int_equal(fer_json_equal(a, fer_json_root(must_read(a, shot.value)),
                                        fer_json_root(must_read(a, row->out)), &equal, NULL),
                         FER_OK);
        if (!equal) fail_msg("%s", shot.value);
        fer_arena_free(a);
    }
    close_stage(&s);
}

/* C10: very long arguments, at the edges of the limits. */
static void long_arguments(void)
{
    static char args[FER_LOCAL_ARG + 64];
    for (int over = -1; over <= 1; over++) {
        struct stage s;
        struct shot shot = {0};
        size_t len = (size_t)((int64_t)FER_LOCAL_ARG + over);
        int at = snprintf(args, sizeof args, "{\"x\":\"");
        memset(args + at, 'x', len);
        snprintf(args + (size_t)at + len, 8, "\"}");
        open_stage(&s, "{\"name\":\"t\",\"argv\":[\"@\",\"argv\",\"{x}\"]}");
        fire(&s, &shot, args);
        assert_int_equal(shot.code, over > 0 ? FER_LIMIT_EXCEEDED : FER_OK);
        if (over <= 0) assert_int_equal(shot.value_len, len + 4);
        close_stage(&s);
    }
}

/* One call with `count` arguments of `size` bytes and one of `rest`; the other two are the program
 * and "print". */
static void check_many(size_t count, size_t size, size_t rest, fer_code code)
{
    struct stage s;
    struct shot shot = {0};
    fer_buf b;
    open_stage(&s, "{\"name\":\"t\",\"stdout\":\"text\",\"argv\":[\"@\",\"print\",\"{x*}\"]}");
    fer_buf_init(&b, s.arena, SIZE_MAX);
    fer_buf_add_text(&b, "{\"x\":[\"");
    for (size_t i = 0; i < count; i++) {
        fer_buf_add_repeat(&b, 'x', size);
        fer_buf_add_text(&b, "\",\"");
    }
    fer_buf_add_repeat(&b, 'x', rest);
    fer_buf_add(&b, (fer_str){"\"]}", 4});
    fire(&s, &shot, b.ptr);
    assert_int_equal(shot.code, code);
    close_stage(&s);
}

/* The limits on all arguments together, their number and their bytes, at their edges. */
static void many_arguments(void)
{
    size_t own = strlen(badtool()) + strlen("print"), size = 100000;
    size_t count = (FER_LOCAL_ARGS - own) / size, rest = (FER_LOCAL_ARGS - own) % size;
    for (size_t over = 0; over <= 2; over++) {
        fer_code code = over > 1 ? FER_LIMIT_EXCEEDED : FER_OK;
        check_many(FER_LOCAL_COUNT - 4 + over, 1, 1, code);
        check_many(count, size, rest - 1 + over, code);
    }
}

/* ---- what comes out ------------------------------------------------------------------------- */

#define T(rest) "{\"name\":\"t\"," rest "}"

static const struct out_row {
    const char *name;
    const char *definition;
    const char *args;
    fer_code code;
    fer_phase phase;
    const char *value;   /* or a part of the message */
    const char *details; /* a part of them, or NULL */
} out_rows[] = {
    {"JSON", T("\"argv\":[\"@\",\"print\",\"{json:x}\"]"), "{\"x\":{\"a\":1}}", FER_OK,
     FER_PHASE_DEFINITE, "{\"a\":1}", NULL},
    {"JSON with a line's end", T("\"argv\":[\"@\",\"print\",\"[1]\\n\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "[1]\n", NULL},
    {"no JSON", T("\"argv\":[\"@\",\"print\",\"hello\"]"), "{}", FER_INVALID_OUTPUT,
     FER_PHASE_DEFINITE, "printed no JSON", NULL},
    {"F37 garbage", T("\"argv\":[\"@\",\"garbage\",\"1000\"]"), "{}", FER_INVALID_OUTPUT,
     FER_PHASE_DEFINITE, "printed no JSON", NULL},
    {"text", T("\"stdout\":\"text\",\"argv\":[\"@\",\"print\",\"a \\\"b\\\"\\n\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "\"a \\\"b\\\"\\n\"", NULL},
    {"text, none", T("\"stdout\":\"text\",\"argv\":[\"@\",\"print\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "\"\"", NULL},
    {"lines", T("\"stdout\":\"lines\",\"argv\":[\"@\",\"print\",\"a\\r\\n\\nb\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "[\"a\",\"\",\"b\"]", NULL},
    {"lines, none", T("\"stdout\":\"lines\",\"argv\":[\"@\",\"print\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "[]", NULL},
    {"arguments on standard input", T("\"stdin\":\"json\",\"argv\":[\"@\",\"echo\"]"),
     "{\"a\":[1,2]}", FER_OK, FER_PHASE_DEFINITE, "{\"a\":[1,2]}\n", NULL},
    {"one argument on standard input",
     T("\"stdin\":\"{body}\",\"stdout\":\"text\",\"argv\":[\"@\",\"echo\"]"),
     "{\"body\":\"-a\\n\\u0000b\"}", FER_OK, FER_PHASE_DEFINITE, "\"-a\\n\\u0000b\"", NULL},
    {"a value on standard input", T("\"stdin\":\"{/b/c}\",\"argv\":[\"@\",\"echo\"]"),
     "{\"b\":{\"c\":[1]}}", FER_OK, FER_PHASE_DEFINITE, "[1]", NULL},
    {"standard input is needed", T("\"stdin\":\"{b}\",\"argv\":[\"@\",\"echo\"]"), "{}",
     FER_REQUIRED_MISSING, FER_PHASE_NOTHING_SENT, "'b'", NULL},
    {"standard input is optional",
     T("\"stdin\":\"{b?}\",\"stdout\":\"text\",\"argv\":[\"@\",\"echo\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "\"\"", NULL},
    {"does not read its input", T("\"stdin\":\"json\",\"argv\":[\"@\",\"print\",\"1\"]"),
     "{\"a\":1}", FER_OK, FER_PHASE_DEFINITE, "1", NULL},
    {"folder", T("\"cwd\":\"/usr\",\"argv\":[\"@\",\"cwd\"]"), "{}", FER_OK, FER_PHASE_DEFINITE,
     "\"/usr\"", NULL},
    {"found in PATH", T("\"stdout\":\"text\",\"argv\":[\"printf\",\"%s\",\"{x}\"]"),
     "{\"x\":\"a\"}", FER_OK, FER_PHASE_DEFINITE, "\"a\"", NULL},
    {"exit code", T("\"argv\":[\"@\",\"exit\",\"3\",\"first\\nno such file\\n\"]"), "{}",
     FER_TOOL_FAILED, FER_PHASE_DEFINITE, "ended with exit code 3: no such file",
     "{\"exitCode\":3,\"stderr\":\"first\\nno such file\\n\"}"},
    {"standard error is cleaned",
     T("\"argv\":[\"@\",\"exit\",\"1\",\"\\u001b[31mred\\u001b[0m\\u0007\\u202e \\u001b]0;t\\u0007x\\r\\n\"]"),
     "{}", FER_TOOL_FAILED, FER_PHASE_DEFINITE, "exit code 1: red x", "\"stderr\":\"red x\\n\""},
    {"exit code that is fine",
     T("\"exit\":{\"1\":\"Ok\"},\"stdout\":\"lines\",\"argv\":[\"@\",\"exit\",\"1\"]"), "{}",
     FER_OK, FER_PHASE_DEFINITE, "[]", NULL},
    {"exit code in a range",
     T("\"exit\":{\"64-78\":\"BackendUnavailable\"},\"argv\":[\"@\",\"exit\",\"75\"]"), "{}",
     FER_BACKEND_UNAVAILABLE, FER_PHASE_NOT_PROCESSED, "exit code 75", "\"exitCode\":75"},
    {"exit codes, the first row counts",
     T("\"exit\":{\"2\":\"RateLimited\",\"*\":\"Forbidden\"},\"argv\":[\"@\",\"exit\",\"2\"]"),
     "{}", FER_RATE_LIMITED, FER_PHASE_NOT_PROCESSED, "exit code 2", NULL},
    {"all exit codes", T("\"exit\":{\"*\":\"Forbidden\"},\"argv\":[\"@\",\"exit\",\"0\"]"), "{}",
     FER_FORBIDDEN, FER_PHASE_DEFINITE, "exit code 0", NULL},
    {"F30 exits before its reply", T("\"argv\":[\"@\",\"exit\",\"1\"]"), "{}", FER_TOOL_FAILED,
     FER_PHASE_DEFINITE, "exit code 1", NULL},
    {"F31 crashes half-way", T("\"argv\":[\"@\",\"segv\"]"), "{}", FER_BACKEND_CRASHED,
     FER_PHASE_AMBIGUOUS, "was ended by signal 11", "{\"signal\":11,"},
    {"F32 exits without a word", T("\"argv\":[\"@\",\"exit\",\"0\"]"), "{}", FER_INVALID_OUTPUT,
     FER_PHASE_AMBIGUOUS, "printed nothing", NULL},
    {"F36 drips", T("\"argv\":[\"@\",\"drip\",\"5\"]"), "{}", FER_OK, FER_PHASE_DEFINITE,
     "{\"slow\":true}", NULL},
    {"F43 prints too much", T("\"argv\":[\"@\",\"long\",\"67108864\"]"), "{}", FER_RESOURCE_LIMIT,
     FER_PHASE_AMBIGUOUS, "more than 4194304 bytes", NULL},
    {"F43 a line that is too long",
     T("\"stdout\":\"lines\",\"argv\":[\"@\",\"long\",\"67108864\"]"), "{}", FER_RESOURCE_LIMIT,
     FER_PHASE_AMBIGUOUS, "more than 4194304 bytes", NULL},
    {"output limit, at its edge",
     T("\"outputMax\":5,\"stdout\":\"text\",\"argv\":[\"@\",\"print\",\"12345\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "\"12345\"", NULL},
    {"output limit, over it",
     T("\"outputMax\":5,\"stdout\":\"text\",\"argv\":[\"@\",\"print\",\"123456\"]"), "{}",
     FER_RESOURCE_LIMIT, FER_PHASE_AMBIGUOUS, "more than 5 bytes", NULL},
    {"F46 floods standard error", T("\"argv\":[\"@\",\"stderr\",\"67108864\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "{\"flooded\":true}", NULL},
    {"F50 leaves a daemon", T("\"argv\":[\"@\",\"daemon\",\"ignore\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "{\"daemon\":1}", NULL},
    {"F50 leaves a daemon without a mark", T("\"argv\":[\"@\",\"daemon\",\"bare\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "{\"daemon\":1}", NULL},
    {"F51 leaves children", T("\"argv\":[\"@\",\"children\",\"200\",\"exit\"]"), "{}", FER_OK,
     FER_PHASE_DEFINITE, "{}\n", NULL},
    {"F54 is not there", T("\"argv\":[\"/no/such/program\"]"), "{}", FER_BACKEND_UNAVAILABLE,
     FER_PHASE_NOTHING_SENT, "cannot execute /no/such/program: No such file or directory", NULL},
    {"F54 no such folder", T("\"cwd\":\"/no/such\",\"argv\":[\"@\",\"cwd\"]"), "{}",
     FER_BACKEND_UNAVAILABLE, FER_PHASE_NOTHING_SENT, "cannot enter the folder", NULL},
};

static void run_out(const struct out_row *row)
{
    struct stage s;
    struct shot shot = {0};
    open_stage(&s, row->definition);
    fire(&s, &shot, row->args);
    if (shot.code != row->code) fail_msg("%s: %s", fer_code_info(shot.code)->name, shot.message);
    assert_int_equal(shot.phase, row->phase);
    if (row->code) assert_non_null(strstr(shot.message, row->value));
    else assert_string_equal(shot.value, row->value);
    if (row->details && !strstr(shot.details, row->details)) fail_msg("%s", shot.details);
    close_stage(&s);
}

/* C09: the environment is the operator's, and what Ferrule says itself. */
static void environment(void)
{
    struct stage s;
    struct shot shot = {0};
    setenv("COMMAND_TEST_A", "ours", 1);
    setenv("COMMAND_TEST_B", "secret", 1);
    setenv("COMMAND_TEST_C", "ours too", 1);
    open_stage(
        &s,
        T("\"argv\":[\"@\",\"env\"],\"env\":{\"pass\":[\"COMMAND_TEST_A\",\"COMMAND_TEST_C\",\"COMMAND_TEST_D\"],"
          "\"set\":{\"COMMAND_TEST_C\":\"set\",\"E\":\"\"}}"));
    fire(&s, &shot, "{\"PATH\":\"/evil\",\"LD_PRELOAD\":\"/evil.so\",\"env\":{\"A\":\"B\"}}");
    assert_int_equal(shot.code, FER_OK);
    const char *rest = strchr(shot.value, ',');
    assert_non_null(rest);
    assert_int_equal(strncmp(shot.value, "[\"FERRULE_CHILD=", 16), 0);
    const char *deadline = strstr(rest, "\"TOOL_DEADLINE_MS=");
    assert_non_null(deadline);
    long left = strtol(deadline + 18, NULL, 10);
    assert_true(left > 20000 && left <= 30000);
    assert_int_equal(
        strncmp(rest, ",\"COMMAND_TEST_C=set\",\"E=\",\"COMMAND_TEST_A=ours\",\"TOOL", 52), 0);
    assert_non_null(strstr(rest, "\"TOOL_CALL_ID=call-1\",\"TOOL_CORRELATION_ID=corr-1\"]"));
    assert_null(strstr(shot.value, "evil"));
    assert_null(strstr(shot.value, "secret"));
    close_stage(&s);
}

/* ---- calls that are given up ---------------------------------------------------------------- */

static const struct cancel_row {
    const char *name;
    const char *mode;  /* of badtool, with its arguments */
    const char *ready; /* the event after which it is cancelled */
    const char *input; /* of stdin */
} cancel_rows[] = {
    {"F33 hangs", "\"hang\"", "hang", "none"},
    {"F34 hangs after half a line", "\"partial\"", "hang", "none"},
    {"F35 ignores SIGTERM", "\"ignore-term\"", "hang", "none"},
    {"ends on SIGTERM", "\"term\"", "hang", "none"},
    {"F47 never reads its input", "\"no-read\"", "hang", "{x}"},
    {"F51 1,000 children", "\"children\",\"1000\"", "hang", "none"},
    {"F52 is stopped", "\"stop\"", "stop", "none"},
    {"F55 closes its output and lives", "\"close-output\"", "hang", "none"},
    {"prints without end", "\"lines\",\"100000000\"", "lines", "none"},
};

static void run_until(struct stage *s, const char *file, const char *event)
{
    while (!noted_at(file, event)) {
        uv_run(&s->loop, UV_RUN_NOWAIT);
        usleep(1000);
    }
}

static void run_cancel(const struct cancel_row *row)
{
    struct stage s;
    struct shot shot = {0};
    char definition[1024];
    static char args[(1 << 20) + 64];
    int at = snprintf(args, sizeof args, "{\"x\":\"");
    memset(args + at, 'x', 1 << 20);
    snprintf(args + at + (1 << 20), 8, "\"}");
    unlink(path_of("log"));
    snprintf(
        definition, sizeof definition,
        T("\"argv\":[\"@\",\"--log\",\"%s\",%s],\"stdin\":\"%s\",\"outputMax\":4194304,\"stdout\":\"text\""),
        path_of("log"), row->mode, row->input);
    open_stage(&s, definition);
    begin(&s, &shot, args);
    run_until(&s, path_of("log"), row->ready);
    if (!shot.ends) {
        int64_t asked = fer_clock_mono();
        s.runner->kind->cancel(s.runner, &shot.attempt, FER_CANCEL_DEADLINE);
        assert_int_equal(shot.ends, 1); /* at once, whatever the process does */
        print_message("# answered after %lld us\n", (long long)(shot.ended - asked) / 1000);
        uv_run(&s.loop, UV_RUN_DEFAULT);
        int64_t ms = (fer_clock_mono() - asked) / 1000000;
        print_message("# gone after %lld ms\n", (long long)ms);
        assert_true(ms < 500 + 1000 + SLACK_MS);
        assert_int_equal(shot.code, FER_CANCELLED);
        assert_int_equal(shot.phase, FER_PHASE_AMBIGUOUS);
        assert_string_equal(shot.message, "the command was ended: DeadlineExceeded");
    } else {
        assert_int_equal(shot.code, FER_RESOURCE_LIMIT);
    }
    close_stage(&s);
}

/* SIGTERM reaches the command within 50 ms of the cancel, as the command itself notes. */
static void cancel_is_quick(void)
{
    int64_t best = INT64_MAX;
    for (int round = 0; round < 5; round++) {
        struct stage s;
        struct shot shot = {0};
        char definition[512];
        unlink(path_of("log"));
        snprintf(definition, sizeof definition, T("\"argv\":[\"@\",\"--log\",\"%s\",\"term\"]"),
                 path_of("log"));
        open_stage(&s, definition);
        begin(&s, &shot, "{}");
        run_until(&s, path_of("log"), "hang");
        int64_t asked = fer_clock_mono();
        s.runner->kind->cancel(s.runner, &shot.attempt, FER_CANCEL_CLIENT_CANCELLED);
        uv_run(&s.loop, UV_RUN_DEFAULT);
        int64_t took = noted_at(path_of("log"), "term") - asked;
        assert_true(took > 0 && took < (int64_t)SLACK_MS * 1000000);
        if (took < best) best = took;
        close_stage(&s);
    }
    print_message("# SIGTERM after %lld us, the best of 5\n", (long long)best / 1000);
    assert_true(best <= 50000000);
}

/* ---- streams -------------------------------------------------------------------------------- */

static void on_tick(uv_timer_t *timer)
{
    struct shot *shot = timer->data;
    uv_stop(&shot->stage->loop);
}

static void run_for(struct stage *s, struct shot *shot, uint64_t ms)
{
    s->timer.data = shot;
    uv_timer_start(&s->timer, on_tick, ms, 0);
    uv_run(&s->loop, UV_RUN_DEFAULT);
}

/* A listener that is behind stops the program in its pipe; nothing is lost. */
static void back_pressure(void)
{
    struct stage s;
    struct shot shot = {.pause_at = 10};
    char definition[512];
    unlink(path_of("log"));
    snprintf(definition, sizeof definition,
             T("\"stdout\":\"lines\",\"argv\":[\"@\",\"--log\",\"%s\",\"lines\",\"100000\"]"),
             path_of("log"));
    open_stage(&s, definition);
    begin(&s, &shot, "{}");
    run_for(&s, &shot, 200);
    size_t before = shot.chunks;
    assert_true(before >= 10 && before < 20000); /* what one read brought, and no more */
    run_for(&s, &shot, 100);
    assert_int_equal(shot.chunks, before);
    assert_int_equal(shot.ends, 0);
    s.runner->kind->pause(s.runner, &shot.attempt, false);
    uv_run(&s.loop, UV_RUN_DEFAULT);
    assert_int_equal(shot.ends, 1);
    assert_int_equal(shot.code, FER_OK);
    assert_int_equal(shot.chunks, 100000);
    assert_string_equal(shot.first_chunk, "\"line 0\"");
    assert_string_equal(shot.last_chunk, "\"line 99999\"");
    close_stage(&s);
}

/* A listener that leaves in the middle of a piece hears nothing more. */
static void listener_leaves(void)
{
    struct stage s;
    struct shot shot = {.stop_at = 5};
    open_stage(&s, T("\"stdout\":\"lines\",\"argv\":[\"@\",\"lines\",\"100000\"]"));
    fire(&s, &shot, "{}");
    assert_int_equal(shot.chunks, 5);
    assert_int_equal(shot.code, FER_CANCELLED);
    close_stage(&s);
}

/* ---- many, stopping, listing ---------------------------------------------------------------- */

/* Stopping ends what is under way, and says so when nothing is left. */
static void stopping(void)
{
    struct stage s;
    static struct shot shots[20];
    memset(shots, 0, sizeof shots);
    open_stage(&s, T("\"argv\":[\"@\",\"ignore-term\"],\"stdout\":\"lines\""));
    for (size_t i = 0; i < FER_COUNT(shots); i++) begin(&s, &shots[i], "{}");
    for (size_t i = 0; i < FER_COUNT(shots); i++) {
        while (!shots[i].chunks) uv_run(&s.loop, UV_RUN_ONCE);
    }
    fer_runner_status status;
    s.runner->kind->status(s.runner, &status);
    assert_int_equal(status.running, FER_COUNT(shots));
    assert_int_equal(status.calls, FER_COUNT(shots));
    assert_string_equal(status.detail, "1 command");
    close_stage(&s);
    for (size_t i = 0; i < FER_COUNT(shots); i++) {
        assert_int_equal(shots[i].ends, 1);
        assert_int_equal(shots[i].code, FER_CANCELLED);
    }
}

/* 50 calls at once: each gets its own answer. */
static void many_calls(void)
{
    struct stage s;
    static struct shot shots[50];
    char args[64];
    memset(shots, 0, sizeof shots);
    open_stage(&s, T("\"argv\":[\"@\",\"echo\"],\"stdin\":\"json\""));
    for (size_t i = 0; i < FER_COUNT(shots); i++) {
        snprintf(args, sizeof args, "{\"i\":%zu}", i);
        begin(&s, &shots[i], fer_arena_copy(s.arena, fer_str_of(args)).ptr);
    }
    uv_run(&s.loop, UV_RUN_DEFAULT);
    for (size_t i = 0; i < FER_COUNT(shots); i++) {
        snprintf(args, sizeof args, "{\"i\":%zu}\n", i);
        assert_int_equal(shots[i].ends, 1);
        assert_string_equal(shots[i].value, args);
    }
    close_stage(&s);
}

static void on_listed(fer_listing *l, fer_code code, fer_str tools, const fer_err *err)
{
    (void)err;
    assert_int_equal(code, FER_OK);
    assert_str(tools, "[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"}}]");
    *(int *)l->context += 1;
}

static void listing(void)
{
    struct stage s;
    int ends = 0;
    open_stage(
        &s,
        T("\"argv\":[\"@\",\"echo\"],\"tool\":{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"}}"));
    fer_listing l = {.arena = s.arena, .on_end = on_listed, .context = &ends};
    s.runner->kind->list(s.runner, &l);
    assert_int_equal(ends, 1);
    close_stage(&s);
}

static void unknown_tool(void)
{
    struct stage s;
    struct shot shot = {0};
    open_stage(&s, T("\"argv\":[\"@\",\"echo\"]"));
    s.command.name = FER_STR("other");
    fire(&s, &shot, "{}");
    assert_int_equal(shot.code, FER_BACKEND_UNAVAILABLE);
    close_stage(&s);
}

/* One that could not be set up: it is called, and nothing runs. */
static void left_out(void)
{
    struct stage s;
    struct shot shot = {0}, other = {0};
    fer_runner_status status;
    open_stage(&s, T("\"argv\":[\"@\",\"echo\"],\"stdin\":\"json\""));
    fer_str name = s.command.name;
    assert_int_equal(fer_local_command_leave_out(s.runner, FER_STR("lost"), NULL), FER_OK);
    s.command.name = FER_STR("lost");
    fire(&s, &shot, "{}");
    assert_int_equal(shot.code, FER_BACKEND_UNAVAILABLE);
    assert_int_equal(shot.phase, FER_PHASE_NOTHING_SENT);
    assert_non_null(strstr(shot.message, "the command lost is not set up"));
    s.runner->kind->status(s.runner, &status);
    assert_string_equal(status.detail, "2 commands, 1 not set up");
    assert_int_equal(status.health, FER_HEALTH_UP);
    assert_int_equal(status.calls, 0);
    s.command.name = name;
    fire(&s, &other, "{}");
    assert_int_equal(other.code, FER_OK);
    assert_int_equal(fer_local_command_leave_out(s.runner, name, NULL), FER_OK);
    s.runner->kind->status(s.runner, &status);
    assert_int_equal(status.health, FER_HEALTH_DOWN);
    close_stage(&s);
}

/* ---- definitions ---------------------------------------------------------------------------- */

static const struct read_row {
    const char *name;
    const char *definition;
    fer_code code;
    uint32_t column;
    const char *says;
} read_rows[] = {
    {"no object", "[]", FER_INVALID_TYPE, 1, "a command is an object"},
    {"no name", "{\"argv\":[\"a\"]}", FER_REQUIRED_MISSING, 1, "needs a name"},
    {"no argv", "{\"name\":\"a\"}", FER_REQUIRED_MISSING, 1, "needs an argv"},
    {"unknown member", T("\"shell\":true"), FER_UNKNOWN_FIELD, 13, "has no member 'shell'"},
    {"argv as a text", T("\"argv\":\"rm -rf\""), FER_INVALID_TYPE, 20, "argv is a list"},
    {"argv without a program", T("\"argv\":[]"), FER_INVALID_TYPE, 20, "argv is a list"},
    {"program from a call", T("\"argv\":[\"{x}\"]"), FER_INVALID_FORMAT, 21,
     "no argument can choose"},
    {"program partly from a call", T("\"argv\":[\"/bin/{x}\"]"), FER_INVALID_FORMAT, 21,
     "no argument can choose"},
    {"program of no text", T("\"argv\":[\"\"]"), FER_INVALID_FORMAT, 21, "begins with a program"},
    {"a number in argv", T("\"argv\":[\"a\",1]"), FER_INVALID_TYPE, 25, "a text or a list"},
    {"a group in a group", T("\"argv\":[\"a\",[[\"b\"]]]"), FER_INVALID_TYPE, 26,
     "a text or a list"},
    {"an empty group", T("\"argv\":[\"a\",[]]"), FER_INVALID_FORMAT, 25, "no items"},
    {"NUL in argv", T("\"argv\":[\"a\",\"\\u0000\"]"), FER_INVALID_FORMAT, 25, "NUL"},
    {"open bracket", T("\"argv\":[\"a\",\"{x\"]"), FER_INVALID_FORMAT, 25, "no partner"},
    {"closed bracket", T("\"argv\":[\"a\",\"x}\"]"), FER_INVALID_FORMAT, 25, "no partner"},
    {"no argument named", T("\"argv\":[\"a\",\"{}\"]"), FER_INVALID_FORMAT, 25,
     "names no argument"},
    {"only a mark", T("\"argv\":[\"a\",\"{*?}\"]"), FER_INVALID_FORMAT, 25, "names no argument"},
    {"unknown type", T("\"argv\":[\"a\",\"{shell:x}\"]"), FER_INVALID_FORMAT, 25, "names no type"},
    {"no type", T("\"argv\":[\"a\",\"{:x}\"]"), FER_INVALID_FORMAT, 25, "names no type"},
    {"flag as a part", T("\"argv\":[\"a\",\"-{flag:x}\"]"), FER_INVALID_FORMAT, 25,
     "whole argument"},
    {"flag without a text", T("\"argv\":[\"a\",\"{flag:x:}\"]"), FER_INVALID_FORMAT, 25, "no text"},
    {"two arrays in a group", T("\"argv\":[\"a\",[\"{x*}\",\"{y*}\"]]"), FER_INVALID_FORMAT, 33,
     "both 'x' and 'y'"},
    {"stdin", T("\"argv\":[\"a\"],\"stdin\":\"file\""), FER_INVALID_ENUM_VALUE, 34,
     "none, json or"},
    {"stdin of a flag", T("\"argv\":[\"a\"],\"stdin\":\"{flag:x}\""), FER_INVALID_FORMAT, 34,
     "one value"},
    {"stdin of two", T("\"argv\":[\"a\"],\"stdin\":\"{a}{b}\""), FER_INVALID_FORMAT, 34,
     "place of an argument"},
    {"stdout", T("\"argv\":[\"a\"],\"stdout\":\"xml\""), FER_INVALID_ENUM_VALUE, 35,
     "json, text or"},
    {"cwd", T("\"argv\":[\"a\"],\"cwd\":\"here\""), FER_INVALID_FORMAT, 32, "absolute"},
    {"env", T("\"argv\":[\"a\"],\"env\":{\"all\":true}"), FER_UNKNOWN_FIELD, 33,
     "env has no member"},
    {"env.pass", T("\"argv\":[\"a\"],\"env\":{\"pass\":[\"A=B\"]}"), FER_INVALID_FORMAT, 41,
     "letters, digits"},
    {"env.set", T("\"argv\":[\"a\"],\"env\":{\"set\":{\"A\":1}}"), FER_INVALID_TYPE, 44, "a text"},
    {"env, reserved", T("\"argv\":[\"a\"],\"env\":{\"set\":{\"TOOL_X\":\"\"}}"),
     FER_CONSTRAINT_VIOLATION, 40, "Ferrule's own"},
    {"exit, no number", T("\"argv\":[\"a\"],\"exit\":{\"x\":\"Ok\"}"), FER_INVALID_FORMAT, 34,
     "from 0 to 255"},
    {"exit, too large", T("\"argv\":[\"a\"],\"exit\":{\"256\":\"Ok\"}"), FER_INVALID_FORMAT, 34,
     "from 0 to 255"},
    {"exit, backwards", T("\"argv\":[\"a\"],\"exit\":{\"3-2\":\"Ok\"}"), FER_INVALID_FORMAT, 34,
     "from 0 to 255"},
    {"exit, unknown code", T("\"argv\":[\"a\"],\"exit\":{\"1\":\"Fine\"}"), FER_INVALID_ENUM_VALUE,
     38, "an exit code means"},
    {"exit, a code of another kind", T("\"argv\":[\"a\"],\"exit\":{\"1\":\"InvalidJson\"}"),
     FER_INVALID_ENUM_VALUE, 38, "an exit code means"},
    {"outputMax, none", T("\"argv\":[\"a\"],\"outputMax\":0"), FER_OUT_OF_RANGE, 38, "from 1 to"},
    {"outputMax, too large", T("\"argv\":[\"a\"],\"outputMax\":4194305"), FER_OUT_OF_RANGE, 38,
     "from 1 to 4194304"},
    {"tool", T("\"argv\":[\"a\"],\"tool\":1"), FER_INVALID_TYPE, 33, "an object"},
    {"all of it",
     T("\"argv\":[\"a\",\"{x}\"],\"stdin\":\"json\",\"stdout\":\"lines\",\"cwd\":\"/\",\"outputMax\":4194304,"
       "\"exit\":{\"0-255\":\"Ok\"},\"env\":{\"pass\":[\"A\"],\"set\":{\"B_1\":\"\"}},\"tool\":{}"),
     FER_OK, 0, ""},
};

static fer_code attempt_read(fer_arena *a, const void *context)
{
    const struct read_row *row = context;
    fer_local_command c = {0};
    fer_err err = {0};
    fer_json *doc;
    fer_code code = fer_json_read(a, fer_str_of(row->definition), NULL, &doc, &err);
    if (!code) code = fer_local_command_read(a, doc, fer_json_root(doc), FER_STR(""), &c, &err);
    if (code != row->code) return code;
    if (code) {
        assert_non_null(strstr(err.message, row->says));
        assert_int_equal(err.line, 1);
        assert_int_equal(err.column, row->column);
    }
    return FER_OK;
}

static void run_read(const struct read_row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt_read(a, row), FER_OK);
    fer_arena_free(a);
    rows_torture_arena(attempt_read, row);
}

/* The limit on the items of a template, at its edges. */
static void template_items(void)
{
    for (int over = -1; over <= 1; over++) {
        fer_arena *a = fer_arena_new(0);
        fer_buf b;
        fer_local_command c;
        fer_buf_init(&b, a, 1 << 16);
        fer_buf_add_text(&b, "{\"name\":\"t\",\"argv\":[\"a\"");
        for (int i = 1; i < FER_LOCAL_ITEMS + over; i++)
            fer_buf_add_text(&b, i % 2 ? ",\"b\"" : ",[\"c\"]");
        fer_buf_add(&b, (fer_str){"]}", 3});
        fer_json *doc = must_read(a, b.ptr);
        assert_int_equal(fer_local_command_read(a, doc, fer_json_root(doc), FER_STR(""), &c, NULL),
                         over > 0 ? FER_LIMIT_EXCEEDED : FER_OK);
        fer_arena_free(a);
    }
}

/* The limits on variables and exit codes, at their edges. */
static void definition_lists(void)
{
    static const struct {
        const char *before, *prefix, *suffix, *after;
        int limit;
    } rows[] = {{"\"env\":{\"pass\":[", "V", "\"", "]}", FER_LOCAL_VARIABLES},
                {"\"env\":{\"set\":{", "V", "\":\"\"", "}}", FER_LOCAL_VARIABLES},
                {"\"exit\":{", "0-", "\":\"Ok\"", "}", FER_LOCAL_EXITS}};
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        for (int over = -1; over <= 1; over++) {
            fer_arena *a = fer_arena_new(0);
            fer_buf b;
            fer_err err = {0};
            fer_local_command c;
            fer_buf_init(&b, a, 1 << 16);
            fer_buf_add_text(&b, "{\"name\":\"t\",\"argv\":[\"a\"],");
            fer_buf_add_text(&b, rows[i].before);
            for (int k = 0; k < rows[i].limit + over; k++) {
                fer_buf_printf(&b, "%s\"%s%d%s", k ? "," : "", rows[i].prefix, k, rows[i].suffix);
            }
            fer_buf_add_text(&b, rows[i].after);
            fer_buf_add(&b, (fer_str){"}", 2});
            fer_json *doc = must_read(a, b.ptr);
            fer_code code =
                fer_local_command_read(a, doc, fer_json_root(doc), FER_STR(""), &c, &err);
            assert_int_equal(code, over > 0 ? FER_LIMIT_EXCEEDED : FER_OK);
            fer_arena_free(a);
        }
    }
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/ferrule-command-XXXXXX");
    if (!mkdtemp(root)) return 1;
    /* The first loop of a process keeps two descriptors for signals. */
    uv_loop_t loop;
    uv_loop_init(&loop);
    uv_loop_close(&loop);
    int failed =
        ROWS_RUN("definitions", read_rows, run_read) + ROWS_ONE("definitions", template_items) +
        ROWS_ONE("definitions", definition_lists) + ROWS_RUN("command lines", line_rows, run_line) +
        ROWS_ONE("command lines", long_arguments) + ROWS_ONE("command lines", many_arguments) +
        ROWS_RUN("outcomes", out_rows, run_out) + ROWS_ONE("outcomes", environment) +
        ROWS_RUN("given up", cancel_rows, run_cancel) + ROWS_ONE("given up", cancel_is_quick) +
        ROWS_ONE("streams", back_pressure) + ROWS_ONE("streams", listener_leaves) +
        ROWS_ONE("packs", stopping) + ROWS_ONE("packs", many_calls) + ROWS_ONE("packs", listing) +
        ROWS_ONE("packs", unknown_tool) + ROWS_ONE("packs", left_out);
    drop(root);
    return failed;
}
