/* SPDX-License-Identifier: Apache-2.0 */
/* The front door: finds the command, reads its options, runs it, tells how it went. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "errors.h"
#include "near.h"
#include "sys.h"

static bool wants_colour(const char *when, bool terminal)
{
    if (when && strcmp(when, "auto") != 0) return strcmp(when, "always") == 0;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return terminal && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

/* ---- finding the command
 * -------------------------------------------------------------------------- */

static int unknown_command(fer_app *app, const char *name)
{
    fer_near near;
    fer_near_init(&near, fer_str_of(name));
    for (const fer_command *c = fer_commands; c->name; c++)
        fer_near_try(&near, fer_str_slice(fer_str_of(c->name), 0, strcspn(c->name, " ")));
    if (near.best.ptr) {
        return fer_app_usage(app, "there is no command '%s'; did you mean '%.*s'?", name,
                             FER_PRI(near.best));
    }
    return fer_app_usage(app, "there is no command '%s'", name);
}

static int unknown_verb(fer_app *app, const char *group, const char *verb)
{
    fer_near near;
    fer_near_init(&near, fer_str_of(verb));
    for (const fer_command *c = fer_commands; c->name; c++) {
        if (fer_command_in_group(c, group)) fer_near_try(&near, fer_str_of(fer_command_verb(c)));
    }
    if (near.best.ptr) {
        return fer_app_usage(app, "there is no command '%s %s'; did you mean '%s %.*s'?", group,
                             verb, group, FER_PRI(near.best));
    }
    return fer_app_usage(app, "there is no command '%s %s'", group, verb);
}

/* A group without a verb of its own: its help, which is bad usage unless it was asked for. */
static int group_alone(fer_app *app, const char *group, const char *verb)
{
    bool asked = verb && (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0);
    int fd = asked ? STDOUT_FILENO : STDERR_FILENO;
    if (verb && !asked) return unknown_verb(app, group, verb);
    fer_out_init(&app->out, fd, wants_colour(NULL, isatty(fd)), false);
    fer_help_group(&app->out, group);
    fer_out_close(&app->out);
    return asked ? FER_EXIT_OK : FER_EXIT_USAGE;
}

/* ---- options
 * ------------------------------------------------------------------------------------------ */

/* The rows of the command's options and the common ones, as getopt wants them. */
struct parsing {
    const fer_option *rows[FER_OPTIONS_MAX];
    struct option longs[FER_OPTIONS_MAX + 1];
    char letters[2 * FER_OPTIONS_MAX + 2];
    size_t count;
};

static void add_rows(struct parsing *p, const fer_option *o, char **letters)
{
    for (; o->name && p->count < FER_OPTIONS_MAX; o++, p->count++) {
        p->rows[p->count] = o;
        p->longs[p->count] = (struct option){o->name, o->argument ? required_argument : no_argument,
                                             NULL, 256 + (int)p->count};
        if (!o->letter) continue;
        *(*letters)++ = o->letter;
        if (o->argument) *(*letters)++ = ':';
    }
}

static void prepare(struct parsing *p, const fer_command *command)
{
    char *letters = p->letters;
    *letters++ = ':';
    add_rows(p, command->options, &letters);
    add_rows(p, fer_common_options, &letters);
}

static int unknown_option(fer_app *app, const struct parsing *p, const char *given)
{
    fer_near near;
    fer_str name = fer_str_of(given);
    while (name.len && name.ptr[0] == '-') name = fer_str_slice(name, 1, name.len);
    size_t equals = fer_str_find(name, 0, '=');
    if (equals != SIZE_MAX) name.len = equals;
    fer_near_init(&near, name);
    for (size_t i = 0; i < p->count; i++) fer_near_try(&near, fer_str_of(p->rows[i]->name));
    if (near.best.ptr) {
        return fer_app_usage(app, "%s has no option '%s'; did you mean '--%.*s'?",
                             app->command->name, given, FER_PRI(near.best));
    }
    return fer_app_usage(app, "%s has no option '%s'", app->command->name, given);
}

static int bad_choice(fer_app *app, const fer_option *o, const char *value)
{
    char list[256] = "";
    size_t len = 0;
    for (const char *const *c = o->choices; *c; c++) {
        if (strcmp(*c, value) == 0) return 0;
        int n = snprintf(list + len, sizeof list - len, "%s%s", c == o->choices ? "" : ", ", *c);
        if (n > 0 && (size_t)n < sizeof list - len) len += (size_t)n;
    }
    return fer_app_usage(app, "--%s takes one of %s, not '%s'", o->name, list, value);
}

/* The row of what getopt returned. */
static size_t row_of(const struct parsing *p, int got)
{
    if (got >= 256) return (size_t)(got - 256);
    for (size_t i = 0; i < p->count; i++) {
        if (p->rows[i]->letter == got) return i;
    }
    return SIZE_MAX;
}

static int add_repeat(fer_app *app, const fer_option *o, const char *value)
{
    if (app->repeat_count == FER_REPEATS_MAX)
        return fer_app_usage(app, "options are repeated more than %d times", FER_REPEATS_MAX);
    app->repeats[app->repeat_count].option = o;
    app->repeats[app->repeat_count++].value = value;
    return 0;
}

/* 0, or an exit code. */
static int read_options(fer_app *app, int argc, char **argv)
{
    struct parsing p = {0};
    int got;
    prepare(&p, app->command);
    opterr = 0;
    optind = 1;
    while ((got = getopt_long(argc, argv, p.letters, p.longs, NULL)) != -1) {
        if (got == ':')
            return fer_app_usage(app, "the option '%s' needs a value", argv[optind - 1]);
        size_t i = got == '?' ? SIZE_MAX : row_of(&p, got);
        if (i == SIZE_MAX) {
            char letter[3] = {'-', (char)optopt, '\0'};
            bool is_letter = optopt > 0 && optopt < 128;
            return unknown_option(app, &p, is_letter ? letter : argv[optind - 1]);
        }
        app->values[i] = optarg ? optarg : "";
        int bad = p.rows[i]->choices ? bad_choice(app, p.rows[i], app->values[i]) : 0;
        if (!bad && fer_option_is_many(p.rows[i])) bad = add_repeat(app, p.rows[i], app->values[i]);
        if (bad) return bad;
    }
    app->args = (const char *const *)(argv + optind);
    app->arg_count = (size_t)(argc - optind);
    return 0;
}

/* ---- running
 * --------------------------------------------------------------------------------------------- */

static void set_up(fer_app *app)
{
    bool out_terminal = isatty(STDOUT_FILENO), err_terminal = isatty(STDERR_FILENO);
    const char *when = fer_app_option(app, "color"), *level = fer_app_option(app, "log-level");
    fer_out_init(&app->out, STDOUT_FILENO, wants_colour(when, out_terminal), out_terminal);
    app->log = (fer_log){.fd = STDERR_FILENO,
                         .level = FER_LOG_WARN,
                         .pretty = err_terminal,
                         .colour = wants_colour(when, err_terminal)};
    if (level) fer_log_level_parse(fer_str_of(level), &app->log.level);
}

/* A command of its group that takes what it does not: "profiles show" for "profiles". */
static const fer_command *verb_with_arguments(const fer_command *c)
{
    size_t len = strlen(c->name);
    for (const fer_command *k = fer_commands; k->name; k++)
        if (strncmp(k->name, c->name, len) == 0 && k->name[len] == ' ' && *k->arguments) return k;
    return NULL;
}

/* What nobody looks at would be taken for something that counts. */
static int refuse_arguments(fer_app *app)
{
    const fer_command *c = app->command, *verb = verb_with_arguments(c);
    if (verb)
        return fer_app_usage(app, "%s takes no arguments; did you mean '%s %s'?", c->name,
                             verb->name, app->args[0]);
    return fer_app_usage(app, "%s takes no arguments%s", c->name,
                         fer_command_has(c, "config")   ? "; --config names a configuration"
                         : fer_command_has(c, "output") ? "; --output names a file"
                                                        : "");
}

static int run(fer_app *app, int argc, char **argv)
{
    int bad = read_options(app, argc, argv);
    if (bad) return bad;
    set_up(app);
    if (fer_app_option(app, "help")) {
        fer_help_write(&app->out, app->command);
        return FER_EXIT_OK;
    }
    if (!*app->command->arguments && app->arg_count) return refuse_arguments(app);
    return app->command->run(app);
}

/* "--version" and "--help" in the place of a command are what people try first. */
static const char *command_name(int argc, char **argv)
{
    if (argc < 2) return NULL;
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) return "version";
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return "help";
    return argv[1];
}

/*
 * A standard stream that is closed (`<&-`, some daemons) would be the next file or socket that is
 * opened: what is said would be written into a store, and libuv aborts. Something stands in for
 * it, opened the wrong way round, so that reading and writing fail as they did.
 */
static bool hold_streams(void)
{
    struct stat st;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fer_sys_fstat(fd, &st) == 0 || errno != EBADF) continue;
        int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fer_sys_open("/dev/null", flags, 0) != fd) return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    fer_app app = {0};
    const char *name = command_name(argc, argv);
    if (!hold_streams()) return FER_EXIT_SYSTEM;
    signal(SIGPIPE, SIG_IGN);
    /* What is printed is UTF-8 whatever the locale; tables would print its bytes as \\x.. else. */
    setlocale(LC_CTYPE, "C.UTF-8");
    fer_out_init(&app.out, STDOUT_FILENO, false, false);
    if (!name) {
        fer_out_init(&app.out, STDERR_FILENO, wants_colour(NULL, isatty(STDERR_FILENO)), false);
        fer_help_write(&app.out, NULL);
        fer_out_close(&app.out);
        return FER_EXIT_USAGE;
    }
    const char *words[2] = {name, argc > 2 ? argv[2] : NULL};
    size_t used = 0;
    app.command = fer_command_find(words, words[1] ? 2 : 1, &used);
    if (!app.command && fer_command_is_group(name)) return group_alone(&app, name, words[1]);
    if (!app.command) return unknown_command(&app, name);
    int code = run(&app, argc - (int)used, argv + used);
    if (fer_out_close(&app.out)) return code;
    /* Nobody reads any more (ferrule list | head): not worth a word, nor a failure. */
    if (app.out.error == EPIPE) return code;
    fer_app_say(&app, "IoError: cannot write standard output: %s", strerror(app.out.error));
    return FER_EXIT_SYSTEM;
}
