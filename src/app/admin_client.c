/* SPDX-License-Identifier: Apache-2.0 */
#include "admin_client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/un.h>

#include "admin.h"
#include "attach.h"
#include "clock.h"
#include "errors.h"
#include "secret.h"
#include "sys.h"

/* ---- at a socket ------------------------------------------------------------------------------
 */

static int connect_to(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = strlen(path);
    if (len >= sizeof to.sun_path) return -1;
    memcpy(to.sun_path, path, len + 1);
    return fer_sys_connect((const struct sockaddr *)&to, sizeof to);
}

static bool wait_for(int fd, short what, int64_t until)
{
    int64_t left = (until - fer_clock_mono()) / 1000000;
    struct pollfd p = {.fd = fd, .events = what};
    return left > 0 && poll(&p, 1, (int)left) > 0;
}

/* All that comes until the other side closes. */
static fer_code read_all(fer_arena *a, int fd, int64_t until, fer_str *out, fer_err *err)
{
    fer_buf b;
    char piece[16384];
    fer_buf_init(&b, a, FER_ADMIN_MAX + 65536);
    for (;;) {
        ssize_t n = fer_sys_recv(fd, piece, sizeof piece);
        if (n == 0) break;
        if (n > 0) fer_buf_add(&b, (fer_str){piece, (size_t)n});
        else if (errno != EAGAIN || !wait_for(fd, POLLIN, until))
            return fer_fail(err, FER_CONNECTION_LOST, "the gateway does not answer");
    }
    *out = fer_buf_view(&b);
    return fer_buf_code(&b, err);
}

static fer_code ask_socket(fer_arena *a, const char *path, const char *page, unsigned *status,
                           fer_str *body, fer_err *err)
{
    int64_t until = fer_clock_mono() + FER_ADMIN_CLIENT_MS * INT64_C(1000000);
    fer_str all, request = fer_arena_printf(a,
                                            "GET " FER_ADMIN_ROOT "/%s HTTP/1.1\r\nHost: localhost"
                                            "\r\nConnection: close\r\n\r\n",
                                            page);
    if (!request.ptr) return fer_arena_failed(a, err);
    int fd = connect_to(path);
    if (fd < 0) return fer_fail(err, FER_CONNECTION_LOST, "%s: %s", path, strerror(errno));
    struct iovec part = {(void *)(uintptr_t)request.ptr, request.len};
    fer_code code = FER_OK;
    if (fer_sys_send(fd, &part, 1) != (ssize_t)request.len)
        code = fer_fail(err, FER_CONNECTION_LOST, "the gateway takes no request");
    if (!code) code = read_all(a, fd, until, &all, err);
    fer_sys_close(fd);
    if (code) return code;
    const char *end = all.len ? memmem(all.ptr, all.len, "\r\n\r\n", 4) : NULL;
    uint64_t number = 0;
    if (!end || !fer_str_starts(all, "HTTP/1.1 ") ||
        !fer_parse_u64(fer_str_slice(all, 9, 12), &number))
        return fer_fail(err, FER_CONNECTION_LOST, "what answers there is no gateway");
    *status = (unsigned)number;
    *body = fer_str_slice(all, (size_t)(end - all.ptr) + 4, all.len);
    return FER_OK;
}

/* ---- at a URL ---------------------------------------------------------------------------------
 */

static fer_code ask_url(fer_admin_client *c, fer_arena *a, const char *page, unsigned *status,
                        fer_str *body, fer_err *err)
{
    fer_http_answer answer;
    fer_http_field field = {FER_STR("Authorization"), c->bearer};
    fer_str url = fer_arena_printf(a, "%.*s/%s", FER_PRI(c->url), page);
    if (!url.ptr) return fer_arena_failed(a, err);
    fer_http_request r = {.url = url,
                          .fields = &field,
                          .field_count = c->bearer.len ? 1 : 0,
                          .deadline_ns = fer_clock_mono() + FER_ADMIN_CLIENT_MS * INT64_C(1000000),
                          .body_max = FER_ADMIN_MAX};
    fer_code code = fer_http_fetch(a, c->fetcher, &r, &answer, err);
    if (code) return code;
    *status = (unsigned)answer.head.status;
    *body = answer.body;
    return FER_OK;
}

fer_code fer_admin_client_get(fer_admin_client *c, fer_arena *a, const char *page, fer_json **out,
                              fer_err *err)
{
    unsigned status = 0;
    fer_str body;
    fer_code code = c->socket ? ask_socket(a, c->socket, page, &status, &body, err)
                              : ask_url(c, a, page, &status, &body, err);
    if (code) return code;
    if (status == 401)
        return fer_fail(err, FER_UNAUTHENTICATED,
                        "the gateway does not know the token: set FERRULE_TOKEN, or --token");
    if (status == 403)
        return fer_fail(err, FER_FORBIDDEN,
                        "the token is not for this: ferrule token new NAME --scope namespace:none "
                        "--scope scope:admin makes one that is, and is for no tool");
    if (status != 200)
        return fer_fail(err, FER_CONNECTION_LOST,
                        "the gateway answers with status %u: is it one, and new enough?", status);
    return fer_json_read(a, body, fer_json_limits_file(), out, err);
}

/* ---- which one --------------------------------------------------------------------------------
 */

static bool answers(const char *path)
{
    int fd = connect_to(path);
    if (fd >= 0) fer_sys_close(fd);
    return fd >= 0;
}

fer_code fer_admin_client_find(fer_arena *a, const char *out[FER_ADMIN_FOUND], size_t *count,
                               fer_err *err)
{
    fer_str folder;
    struct dirent *e;
    fer_code code = fer_attach_folder(a, &folder, err);
    DIR *dir = code ? NULL : fer_sys_opendir(folder.ptr);
    *count = 0;
    if (code) return code;
    while (dir && *count < FER_ADMIN_FOUND && (e = fer_sys_readdir(dir)) != NULL) {
        size_t len = strlen(e->d_name), tail = strlen(FER_ATTACH_HTTP);
        if (len <= tail || strcmp(e->d_name + len - tail, FER_ATTACH_HTTP) != 0) continue;
        const char *path = fer_arena_printf(a, "%s/%s", folder.ptr, e->d_name).ptr;
        if (path && answers(path)) out[(*count)++] = path;
    }
    if (dir) fer_sys_closedir(dir);
    return FER_OK;
}

static int find_own(fer_admin_client *c, fer_app *app)
{
    const char *found[FER_ADMIN_FOUND];
    size_t count;
    fer_err err = {0};
    if (fer_admin_client_find(c->arena, found, &count, &err)) return fer_app_fail(app, &err);
    if (count == 1) c->socket = found[0];
    if (count == 1) return 0;
    if (!count) {
        fer_fail(&err, FER_BAD_USAGE,
                 "no gateway of this user runs: start one (ferrule serve), or name one by --server "
                 "URL");
        return fer_app_fail(app, &err);
    }
    fer_app_say(app, "%zu gateways run; --socket says which is meant:", count);
    for (size_t i = 0; i < count; i++) fer_app_say(app, "  --socket %s", found[i]);
    return 2;
}

static bool is_loopback(fer_str url)
{
    fer_net_target t;
    if (fer_net_target_parse(url, &t, NULL)) return false;
    return strcmp(t.host, "localhost") == 0 || strncmp(t.host, "127.", 4) == 0 ||
           strcmp(t.host, "::1") == 0;
}

static fer_code take_token(fer_admin_client *c, const char *given, fer_err *err)
{
    const char *own = getenv("FERRULE_TOKEN");
    fer_str token;
    if (!given && own && own[0] && is_loopback(c->url)) given = "secretref:env:FERRULE_TOKEN";
    if (!given) return FER_OK;
    if (fer_secret_find(fer_str_of(given)) != 0)
        return fer_fail(err, FER_BAD_USAGE,
                        "--token takes where the token is, such as secretref:env:NAME, not the "
                        "token: others can read a command line");
    fer_code code = fer_secret_resolve(c->arena, fer_str_of(given), FER_STR("."), &token, err);
    if (code) return code;
    c->bearer = fer_arena_printf(c->arena, "Bearer %.*s", FER_PRI(token));
    return c->bearer.ptr ? FER_OK : fer_arena_failed(c->arena, err);
}

static fer_code take_url(fer_admin_client *c, const char *given, const char *token, fer_err *err)
{
    fer_str base = fer_str_of(given);
    if (fer_str_ends(base, "/mcp")) base = fer_str_slice(base, 0, base.len - 4);
    while (base.len && base.ptr[base.len - 1] == '/') base = fer_str_slice(base, 0, base.len - 1);
    c->url = fer_arena_printf(c->arena, "%.*s" FER_ADMIN_ROOT, FER_PRI(base));
    c->rules = fer_net_rules_new();
    if (!c->url.ptr || !c->rules) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_net_rules_allow_url(c->rules, c->url, err);
    if (!code) code = take_token(c, token, err);
    if (code) return code;
    c->fetcher = fer_http_fetcher_new(&(fer_http_options){.rules = c->rules});
    return c->fetcher ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

int fer_admin_client_open(fer_admin_client *c, fer_app *app)
{
    const char *url = fer_app_option(app, "server"), *path = fer_app_option(app, "socket");
    fer_err err = {0};
    *c = (fer_admin_client){.arena = fer_arena_new(0), .bearer = FER_STR("")};
    if (!c->arena) {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        return fer_app_fail(app, &err);
    }
    if (url && path) return fer_app_usage(app, "--server and --socket exclude each other");
    c->socket = path;
    if (path) return 0;
    if (!url) return find_own(c, app);
    return take_url(c, url, fer_app_option(app, "token"), &err) ? fer_app_fail(app, &err) : 0;
}

void fer_admin_client_close(fer_admin_client *c)
{
    fer_http_fetcher_free(c->fetcher);
    fer_net_rules_free(c->rules);
    fer_arena_free(c->arena);
}
