/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that misbehaves as its arguments say, the same way each time:
 *
 *     badtool [--log FILE] MODE [ARGUMENT ...]      a command; the modes are rows below
 *     badtool [--log FILE] mcp HOW                  an MCP server over stdio (badtool_mcp.c)
 *
 * What it got and when goes to FILE, a line each: its pid, the monotonic clock in nanoseconds, an
 * event and a text. `end` is noted for SIGTERM where the mode handles it. The numbers (F30 ...) are
 * those of the list of faults that the modes are for.
 */
#include "badtool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int log_fd = -1;
static char **arguments; /* behind the mode, ended by NULL */

/* ---- what modes are made of ----------------------------------------------------------------- */

void note(const char *event, const char *text)
{
    char line[4096];
    struct timespec now;
    if (log_fd < 0) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int n = snprintf(line, sizeof line, "%d %lld %s %.3900s\n", (int)getpid(),
                     (long long)now.tv_sec * 1000000000 + now.tv_nsec, event, text);
    if (write(log_fd, line, (size_t)n) != n) _exit(99);
}

void put(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            note("write", strerror(errno));
            exit(98);
        }
        bytes += n;
        len -= (size_t)n;
    }
}

void put_text(const char *text)
{
    put(STDOUT_FILENO, text, strlen(text));
}

void put_many(int fd, char c, size_t len)
{
    static char piece[1 << 16];
    memset(piece, c, sizeof piece);
    for (; len > sizeof piece; len -= sizeof piece) put(fd, piece, sizeof piece);
    put(fd, piece, len);
}

void hang(void)
{
    note("hang", "");
    for (;;) pause();
}

static long number(int i)
{
    return arguments[i] ? strtol(arguments[i], NULL, 10) : 0;
}

static void on_term(int signal_number)
{
    (void)signal_number;
    note("term", "");
    _exit(0);
}

static void on_term_stay(int signal_number)
{
    (void)signal_number;
    note("term", "ignored");
}

static void leave_session(bool ignore_term, bool without_mark)
{
    static char *const bare[] = {NULL};
    setsid();
    if (fork() != 0) _exit(0);
    if (ignore_term) signal(SIGTERM, SIG_IGN);
    note("daemon", "");
    if (without_mark) {
        static char name[] = "badtool", mode[] = "hang";
        char *const argv[] = {name, mode, NULL};
        execve("/proc/self/exe", argv, bare);
    }
    hang();
}

void leave_daemon(bool ignore_term, bool without_mark)
{
    int status;
    pid_t child = fork();
    if (child == 0) leave_session(ignore_term, without_mark);
    waitpid(child, &status, 0);
}

void leave_children(long count)
{
    for (long i = 0; i < count; i++) {
        if (fork() == 0) {
            for (;;) pause();
        }
    }
    note("children", "");
}

void crash(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

/* ---- what it was given ---------------------------------------------------------------------- */

static void put_quoted(const char *text)
{
    char escaped[8];
    put_text("\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == '"' || c == '\\') {
            snprintf(escaped, sizeof escaped, "\\u%04x", c);
            put_text(escaped);
        } else {
            put(STDOUT_FILENO, text, 1);
        }
    }
    put_text("\"");
}

static void put_list(char *const *list)
{
    put_text("[");
    for (size_t i = 0; list[i]; i++) {
        if (i) put_text(",");
        put_quoted(list[i]);
    }
    put_text("]");
}

static int mode_argv(void)
{
    put_list(arguments);
    return 0;
}

static int mode_env(void)
{
    put_list(environ);
    return 0;
}

static int mode_cwd(void)
{
    char path[4096];
    put_quoted(getcwd(path, sizeof path) ? path : "?");
    return 0;
}

static int mode_echo(void)
{
    static char piece[1 << 16];
    ssize_t n;
    while ((n = read(STDIN_FILENO, piece, sizeof piece)) > 0) put(STDOUT_FILENO, piece, (size_t)n);
    note("stdin", "end");
    return 0;
}

/* Descriptors that are open, as a list of numbers. */
static int mode_descriptors(void)
{
    char text[16];
    put_text("[");
    for (int fd = 0, count = 0; fd < 256; fd++) {
        if (fd == log_fd || fcntl(fd, F_GETFD) < 0) continue;
        snprintf(text, sizeof text, "%s%d", count++ ? "," : "", fd);
        put_text(text);
    }
    put_text("]");
    return 0;
}

/* ---- how it ends (F30-F35, F50-F55) --------------------------------------------------------- */

static int mode_print(void)
{
    for (size_t i = 0; arguments[i]; i++) put_text(arguments[i]);
    return 0;
}

/* CODE [STDERR [STDOUT]] */
static int mode_exit(void)
{
    if (arguments[0] && arguments[1]) {
        put(STDERR_FILENO, arguments[1], strlen(arguments[1]));
        if (arguments[2]) put_text(arguments[2]);
    }
    return (int)number(0);
}

static int mode_segv(void)
{
    put_text("{\"half\":");
    crash();
    return 1;
}

static int mode_hang(void)
{
    hang();
    return 0;
}

static int mode_partial(void)
{
    put_text("{\"half\":");
    hang();
    return 0;
}

static int mode_ignore_term(void)
{
    signal(SIGTERM, on_term_stay);
    put_text("ready\n");
    hang();
    return 0;
}

static int mode_term(void)
{
    signal(SIGTERM, on_term);
    put_text("ready\n");
    hang();
    return 0;
}

/* Prints TEXT when it is told to end, and ends well. */
static void on_term_late(int signal_number)
{
    (void)signal_number;
    put_text(arguments[0]);
    _exit(0);
}

static int mode_late(void)
{
    signal(SIGTERM, on_term_late);
    note("waits", "");
    hang();
    return 0;
}

/* A daemon that keeps the pipes open: "", "ignore" SIGTERM, or "bare" of the mark. */
static int mode_daemon(void)
{
    const char *how = arguments[0] ? arguments[0] : "";
    put_text("{\"daemon\":1}");
    leave_daemon(strcmp(how, "") != 0, strcmp(how, "bare") == 0);
    return 0;
}

/* COUNT children; with a second argument it leaves them. */
static int mode_children(void)
{
    leave_children(number(0));
    put_text("{}\n");
    if (!arguments[1]) hang();
    return 0;
}

/* A child that starts the next one as soon as it can, so that it is never the same for long. */
static int mode_relay(void)
{
    put_text("{}\n");
    for (;;) {
        pid_t child = fork();
        if (child > 0) _exit(0);
        if (child == 0) setsid();
        usleep(500);
    }
}

static int mode_stop(void)
{
    put_text("ready\n");
    note("stop", "");
    raise(SIGSTOP);
    hang();
    return 0;
}

static int mode_close_output(void)
{
    put_text("{}");
    close(STDOUT_FILENO);
    hang();
    return 0;
}

/* Leaves a dead child behind that left its session, and lives on until its input ends. */
static int mode_orphan(void)
{
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0) {
            setsid();
            usleep(20000);
        }
        _exit(0);
    }
    waitpid(child, NULL, 0);
    put_text("ready\n");
    return mode_echo();
}

/* ---- what it prints (F36-F47) --------------------------------------------------------------- */

/* MILLISECONDS between bytes. */
static int mode_drip(void)
{
    static const char text[] = "{\"slow\":true}";
    for (size_t i = 0; text[i]; i++) {
        put(STDOUT_FILENO, text + i, 1);
        usleep((useconds_t)number(0) * 1000);
    }
    return 0;
}

static int mode_garbage(void)
{
    unsigned state = 1;
    for (long i = number(0); i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        char c = (char)(state >> 24);
        put(STDOUT_FILENO, &c, 1);
    }
    return 0;
}

/* BYTES of one line. */
static int mode_long(void)
{
    put_many(STDOUT_FILENO, 'x', (size_t)number(0));
    put_text("\nend\n");
    return 0;
}

/* COUNT lines, each noted every thousand. */
static int mode_lines(void)
{
    char line[64];
    for (long i = 0, count = number(0); i < count; i++) {
        snprintf(line, sizeof line, "line %ld\n", i);
        put_text(line);
        if (i % 1000 == 999) note("lines", line);
    }
    return 0;
}

/* BYTES on standard error, in lines of 100, then a result. */
static int mode_stderr(void)
{
    static char piece[1 << 16];
    memset(piece, 'e', sizeof piece);
    for (size_t i = 99; i < sizeof piece; i += 100) piece[i] = '\n';
    for (long left = number(0); left > 0; left -= (long)sizeof piece)
        put(STDERR_FILENO, piece, sizeof piece);
    put(STDERR_FILENO, "the last words\n", 15);
    put_text("{\"flooded\":true}");
    return 0;
}

static int mode_no_read(void)
{
    put_text("ready\n");
    hang();
    return 0;
}

static int mode_close_input(void)
{
    close(STDIN_FILENO);
    put_text("ready\n");
    hang();
    return 0;
}

/* An effect that can be counted in the side file. */
static int mode_count(void)
{
    note("effect", arguments[0] ? arguments[0] : "");
    put_text("{\"counted\":true}");
    return 0;
}

static int mode_mcp(void)
{
    return serve_mcp(arguments[0] ? arguments[0] : "ok");
}

static int mode_http(void)
{
    if (!arguments[0] || !arguments[1]) return 97;
    return serve_http(arguments[0], arguments[1]);
}

/* ---- the table ------------------------------------------------------------------------------ */

static const struct mode {
    const char *name;
    int (*run)(void);
} modes[] = {
    {"argv", mode_argv},
    {"env", mode_env},
    {"cwd", mode_cwd},
    {"echo", mode_echo},
    {"descriptors", mode_descriptors},
    {"print", mode_print},
    {"exit", mode_exit},               /* F30, F32 */
    {"segv", mode_segv},               /* F31 */
    {"hang", mode_hang},               /* F33 */
    {"partial", mode_partial},         /* F34 */
    {"ignore-term", mode_ignore_term}, /* F35 */
    {"term", mode_term},
    {"late", mode_late},
    {"drip", mode_drip},       /* F36 */
    {"garbage", mode_garbage}, /* F37 */
    {"long", mode_long},       /* F43 */
    {"lines", mode_lines},
    {"stderr", mode_stderr},   /* F46 */
    {"no-read", mode_no_read}, /* F47 */
    {"close-input", mode_close_input},
    {"daemon", mode_daemon},     /* F50 */
    {"children", mode_children}, /* F51 */
    {"relay", mode_relay},
    {"orphan", mode_orphan},
    {"stop", mode_stop},                 /* F52 */
    {"close-output", mode_close_output}, /* F55 */
    {"count", mode_count},
    {"mcp", mode_mcp},
    {"http", mode_http}, /* F57 */
};

int main(int argc, char **argv)
{
    int at = 1;
    if (argc > 2 && strcmp(argv[1], "--log") == 0) {
        log_fd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        at = 3;
    }
    if (at >= argc) return 97;
    arguments = argv + at + 1;
    note("start", argv[at]);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(modes[i].name, argv[at]) == 0) return modes[i].run();
    }
    fprintf(stderr, "badtool: there is no mode '%s'\n", argv[at]);
    return 97;
}
