/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An MCP server over stdio that does things and counts them, for gateways that are killed:
 *
 *     teller FOLDER [well]
 *
 * Each effect is a line of FOLDER/effects (name, mark, key), written before anything is answered;
 * FOLDER/tries has a line for each call that came, FOLDER/pids one for each start. A call says by
 * `how` what becomes of it, a letter for each time it is tried: o it is done and answered; x it is
 * done and the server dies; l it dies before; n it says no. Where it is well, all is done and
 * answered. Of the tool `put` a key that was done before is answered with its mark and not done
 * again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yyjson.h>

static int effects, tries;
static int well;

static void append(int fd, const char *line)
{
    if (write(fd, line, strlen(line)) != (ssize_t)strlen(line)) _exit(99);
}

static int open_in(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND, 0600);
    if (fd < 0) _exit(98);
    return fd;
}

/* The file as it is now. */
static char *text_of(int fd)
{
    static char text[1 << 18];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

/* How often it was tried before; this time is noted. */
static size_t count_try(const char *n)
{
    char line[64];
    size_t count = 0, len = (size_t)snprintf(line, sizeof line, "\n%s\n", n);
    for (const char *at = text_of(tries); (at = strstr(at, line)); at += len - 1) count++;
    append(tries, line + 1);
    return count;
}

static int has_done(const char *key, char mark[24])
{
    const char *text = text_of(effects), *at = key[0] ? strstr(text, key) : NULL;
    if (!at) return 0;
    while (at > text && at[-1] != '\n') at--;
    return sscanf(at, "%*s %23s", mark) == 1;
}

static void answer(yyjson_val *id, const char *result)
{
    char *name = yyjson_val_write(id, 0, NULL);
    printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", name, result);
    fflush(stdout);
    free(name);
}

static const char *member(yyjson_val *object, const char *key)
{
    const char *text = yyjson_get_str(yyjson_obj_get(object, key));
    return text ? text : "";
}

static void do_it(const char *n, const char *key, char mark[24])
{
    static unsigned marks;
    char line[256];
    snprintf(mark, 24, "%lx.%u", (long)getpid(), marks++);
    snprintf(line, sizeof line, "%s %s %s\n", n, mark, key[0] ? key : "-");
    append(effects, line);
}

static void call(yyjson_val *id, yyjson_val *params)
{
    yyjson_val *args = yyjson_obj_get(params, "arguments");
    const char *key = member(yyjson_obj_get(params, "_meta"), "ferrule/idempotencyKey");
    const char *n = member(args, "n"), *script = well ? "o" : member(args, "how");
    char mark[24], result[512];
    size_t at = count_try(n), len = strlen(script);
    char how = len ? script[at < len ? at : len - 1] : 'o';
    if (how == 'l') _exit(3);
    if (how == 'n') {
        answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"No.\"}],\"isError\":true}");
        return;
    }
    if (strcmp(member(params, "name"), "put") != 0 || !has_done(key, mark)) do_it(n, key, mark);
    if (how == 'x') _exit(3);
    snprintf(result, sizeof result,
             "{\"content\":[],\"structuredContent\":{\"mark\":\"%s\",\"n\":\"%s\",\"token\":"
             "\"cnry-out-2c81/B+7yR55w\",\"who\":\"%s\"}}",
             mark, n, member(args, "who"));
    answer(id, result);
}

#define TOOL(name)                                                                                 \
    "{\"name\":\"" name "\",\"description\":\"Does it.\",\"inputSchema\":{\"type\":\"object\"}}"

static void message(yyjson_val *m)
{
    const char *method = member(m, "method");
    yyjson_val *id = yyjson_obj_get(m, "id");
    if (!id) return;
    if (strcmp(method, "initialize") == 0)
        answer(id, "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                   "\"serverInfo\":{\"name\":\"teller\",\"version\":\"1\"}}");
    else if (strcmp(method, "tools/list") == 0)
        answer(id, "{\"tools\":[" TOOL("read") "," TOOL("look") "," TOOL("put") "," TOOL(
                       "post") "," TOOL("mail") "]}");
    else if (strcmp(method, "tools/call") == 0) call(id, yyjson_obj_get(m, "params"));
    else answer(id, "{}");
}

int main(int argc, char **argv)
{
    char *line = NULL, pid[32];
    size_t room = 0;
    if (argc < 2) return 2;
    well = argc > 2 && strcmp(argv[2], "well") == 0;
    effects = open_in(argv[1], "effects");
    tries = open_in(argv[1], "tries");
    if (!text_of(tries)[0]) append(tries, "\n");
    snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
    int pids = open_in(argv[1], "pids");
    append(pids, pid);
    close(pids);
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        yyjson_doc *doc = yyjson_read(line, (size_t)n, 0);
        if (doc) message(yyjson_doc_get_root(doc));
        yyjson_doc_free(doc);
    }
    free(line);
    return 0;
}
