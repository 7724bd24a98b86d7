/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a WASI module does: ACT, which the compiler is told, is one of the functions below. Lines of
 * the protocol go over standard input and output.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char answer[1 << 16];

/* Asks, and gives what stands behind `key` in the answer. */
static const char *ask(const char *key)
{
    fflush(stdout);
    if (!fgets(answer, sizeof answer, stdin)) exit(3);
    const char *at = strstr(answer, key);
    if (!at) exit(4);
    return at + strlen(key);
}

/* Searches a tool, calls it in a loop, aggregates: the same as in JavaScript and Python. */
static int same(void)
{
    char tool[128] = "";
    int sum = 0;
    printf("{\"id\":1,\"op\":\"search\",\"query\":\"count the words of a text\",\"limit\":3}\n");
    const char *id = ask("\"id\":\"");
    memcpy(tool, id, strcspn(id, "\""));
    for (int i = 0; i < 5; i++) {
        printf("{\"id\":%d,\"op\":\"run\",\"tool\":\"%s\",\"args\":{\"text\":\"", i + 2, tool);
        for (int k = 0; k < i; k++) printf("x ");
        printf("\"}}\n");
        sum += atoi(ask("\"words\":"));
    }
    printf("{\"op\":\"out\",\"value\":{\"tool\":\"%s\",\"sum\":%d,\"big\":9007199254740993}}\n",
           tool, sum);
    return 0;
}

static int prints(void)
{
    printf("a\n{\"op\":\"print\",\"text\":\"b\"}\nc");
    fflush(stdout);
    fprintf(stderr, "e\n");
    return 0;
}

static int refused(void)
{
    printf("{\"id\":1,\"op\":\"run\",\"tool\":\"text:count\",\"args\":{\"txt\":1}}\n");
    printf("%s", ask("\"code\":"));
    return 0;
}

static int try_to_open(const char *path, const char *mode)
{
    FILE *f = fopen(path, mode);
    printf("%s %s\n", path, f ? "opened" : "refused");
    return f != NULL;
}

static int files(void)
{
    try_to_open("/work/own", "w");
    try_to_open("/etc/passwd", "r");
    try_to_open("/work/../etc/passwd", "r");
    try_to_open("/code/main.wasm", "r");
    printf("%s\n", getenv("TOOL_DEADLINE_MS") ? "a deadline" : "no deadline");
    printf("%s\n", getenv("PATH") || getenv("HOME") ? "variables" : "no variables");
    return 0;
}

static int memory(void)
{
    static char *volatile last;
    printf("begun\n");
    fflush(stdout);
    for (;;) {
        last = malloc(1 << 20);
        if (!last) exit(8);
        memset(last, 1, 1 << 20);
    }
}

static int disk(void)
{
    static char block[1 << 16];
    FILE *f = fopen("/work/full", "w");
    for (int i = 0; f && i < 1024; i++)
        if (fwrite(block, 1, sizeof block, f) != sizeof block || fflush(f)) {
            puts(strerror(errno));
            return 9;
        }
    return 0;
}

static int flood(void)
{
    for (;;) puts("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
}

static int spin(void)
{
    for (volatile unsigned i = 0;; i++) {
    }
}

static int waits(void)
{
    printf("begun\n");
    fflush(stdout);
    return getchar();
}

static int fails(void)
{
    printf(
        "{\"op\":\"fail\",\"error\":{\"name\":\"Odd\",\"message\":\"it went wrong\",\"line\":7,\"column\":2}}\n");
    return 1;
}

static int many(void)
{
    for (int i = 0; i < 200; i++) {
        printf("{\"id\":%d,\"op\":\"run\",\"tool\":\"text:count\",\"args\":{\"text\":\"x\"}}\n", i);
        fflush(stdout);
        if (!fgets(answer, sizeof answer, stdin)) return 3;
        if (strstr(answer, "toolCalls")) return 0;
    }
    return 5;
}

static int exits(void)
{
    return 7;
}

static int traps(void)
{
    __builtin_trap();
}

int main(void)
{
    return ACT();
}
