/* SPDX-License-Identifier: Apache-2.0 */
/* The check of the port: whether it is free, and who has it where it is not. */
#include <arpa/inet.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "admin.h"
#include "admin_client.h"
#include "clock.h"
#include "doctor.h"
#include "errors.h"
#include "file.h"
#include "http_fetch.h"
#include "serve_setup.h"
#include "sys.h"

#define TABLE_MAX ((size_t)16 << 20) /* bytes of the system's table of sockets */

/* ---- whether somebody has it -------------------------------------------------------------------
 */

/* What a page of it says, which whoever asks may see. False: nobody answers. */
static bool ask_page(fer_doctor *d, const char *host, unsigned port, const char *page,
                     fer_http_answer *answer)
{
    fer_str url = fer_arena_printf(d->arena, "http://%s:%u/%s", host, port, page);
    fer_net_rules *rules = fer_net_rules_new();
    fer_http_fetcher *f = NULL;
    bool good = false;
    if (rules && url.ptr && !fer_net_rules_allow_url(rules, url, NULL))
        f = fer_http_fetcher_new(&(fer_http_options){.rules = rules});
    fer_http_request r = {
        .url = url, .body_max = 4096, .deadline_ns = fer_clock_mono() + INT64_C(3000000000)};
    if (f) good = !fer_http_fetch(d->arena, f, &r, answer, NULL);
    fer_http_fetcher_free(f);
    fer_net_rules_free(rules);
    return good;
}

/* Whether a gateway answers there. */
static bool is_gateway(fer_doctor *d, const char *host, unsigned port)
{
    fer_http_answer answer;
    return ask_page(d, host, port, "healthz", &answer) && answer.head.status == 200 &&
           fer_str_is(answer.body, "ok\n");
}

/* One that is not ready and says why: not one that begins or ends. */
static void tell_readiness(fer_doctor *d, fer_str subject, const char *host, unsigned port)
{
    fer_http_answer answer;
    if (!ask_page(d, host, port, "readyz", &answer) || answer.head.status != 503 ||
        !fer_str_starts(answer.body, "not ready: "))
        return;
    size_t line = fer_str_find(answer.body, 0, '\n');
    fer_str why = line == SIZE_MAX ? answer.body : fer_str_slice(answer.body, 0, line);
    fer_doctor_tell(d, FER_DOCTOR_WRONG, subject,
                    FER_STR("It refuses calls meanwhile. Its log says since when; ferrule doctor "
                            "with its configuration looks at its files."),
                    "the gateway there is %.*s", FER_PRI(fer_str_head(why, 200)));
}

/* 0, or why nobody can listen there. */
static int try_port(const char *host, uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (inet_pton(AF_INET, host, &at.sin_addr) != 1) return 0;
    int fd = fer_sys_listen((const struct sockaddr *)&at, sizeof at, 1);
    if (fd < 0) return errno;
    fer_sys_close(fd);
    return 0;
}

/* ---- whose it is -------------------------------------------------------------------------------
 */

/* Words of a line of /proc/net/tcp, "0: 0100007F:1D97 00000000:0000 0A 00000000:00000000
 * 00:00000000 00000000 1000 ...". */
enum word {
    LOCAL = 1,
    STATE = 3,
    USER = 7,
    WORDS
};

static bool listens(fer_str line, unsigned port, uid_t *out)
{
    fer_str words[WORDS];
    char wanted[8];
    uint64_t uid;
    size_t count = 0;
    for (size_t at = 0; at < line.len && count < WORDS; at++) {
        size_t from = at;
        while (at < line.len && line.ptr[at] != ' ') at++;
        if (at > from) words[count++] = fer_str_slice(line, from, at);
    }
    snprintf(wanted, sizeof wanted, ":%04X", port);
    if (count < WORDS || !fer_str_is(words[STATE], "0A") || !fer_str_ends(words[LOCAL], wanted) ||
        !fer_parse_u64(words[USER], &uid))
        return false;
    *out = (uid_t)uid;
    return true;
}

/* The user of the program that listens there. False: nobody knows. */
static bool find_user(fer_doctor *d, unsigned port, uid_t *out)
{
    static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
    for (size_t i = 0; i < FER_COUNT(tables); i++) {
        fer_str text;
        if (fer_file_read(d->arena, tables[i], TABLE_MAX, &text, NULL)) continue;
        for (size_t at = 0; at < text.len;) {
            size_t end = fer_str_find(text, at, '\n');
            if (end == SIZE_MAX) end = text.len;
            if (listens(fer_str_slice(text, at, end), port, out)) return true;
            at = end + 1;
        }
    }
    return false;
}

typedef enum owner {
    UNKNOWN,
    OURS, /* with this configuration */
    OTHER /* this user's, with another one */
} owner;

/* What one gateway of this user says about itself. */
static owner ask_gateway(fer_doctor *d, const char *socket, unsigned port)
{
    char mark[FER_ADMIN_MARK];
    fer_admin_client c = {.arena = d->arena, .socket = socket};
    fer_arena *a = fer_arena_new(0);
    fer_json *page = NULL;
    owner who = UNKNOWN;
    fer_admin_mark_file(d->file, mark);
    if (a && !fer_admin_client_get(&c, a, "state", &page, NULL)) {
        const yyjson_val *root = fer_json_root(page),
                         *ports = fer_json_at(root, FER_STR("/ports"), NULL),
                         *config = fer_json_at(root, FER_STR("/config"), NULL);
        bool same = fer_is_str(config) && fer_str_is(fer_val_str(config), mark);
        bool here = !ports && same; /* an older one does not say where it listens */
        if (ports && fer_is_arr(ports))
            FER_EACH_ITEM (ports, p) here |= fer_val_tag(p) == FER_TAG_UINT && p->uni.u64 == port;
        /* Without a file of ours the servers of clients are served, whose files it does not name.
         */
        if (here) who = same || !d->file.len ? OURS : OTHER;
    }
    fer_arena_free(a);
    return who;
}

static owner find_owner(fer_doctor *d, unsigned port)
{
    const char *found[FER_ADMIN_FOUND];
    size_t count = 0;
    owner who = UNKNOWN;
    if (fer_admin_client_find(d->arena, found, &count, NULL)) count = 0;
    for (size_t i = 0; i < count && who == UNKNOWN; i++) who = ask_gateway(d, found[i], port);
    return who;
}

static void tell_gateway(fer_doctor *d, fer_str subject, unsigned port, owner who)
{
    const fer_str hint = FER_STR("ferrule serve cannot listen there as well: ferrule serve "
                                 "--listen 0 takes a port that is free, `listen:` in the section "
                                 "`serve` another one for good.");
    uid_t uid;
    bool known = who == UNKNOWN && find_user(d, port, &uid);
    const struct passwd *user = known ? getpwuid(uid) : NULL;
    if (who == OURS)
        fer_doctor_tell(d, FER_DOCTOR_OK, subject, FER_STR(""), "a gateway listens there%s",
                        d->file.len ? ", with this configuration" : "");
    else if (who == OTHER)
        fer_doctor_tell(d, FER_DOCTOR_WARNING, subject, hint,
                        "a gateway of yours with another configuration listens there");
    else if (known && uid != getuid())
        fer_doctor_tell(d, FER_DOCTOR_WARNING, subject, hint,
                        "a gateway of the user %s (%lu) listens there", user ? user->pw_name : "?",
                        (unsigned long)uid);
    else
        fer_doctor_tell(d, FER_DOCTOR_WARNING, subject, hint,
                        "a gateway listens there, and it is not known that it has this "
                        "configuration");
}

/* Of a gateway with this configuration the check of `serve` tells whether it is ready. */
static void tell_found(fer_doctor *d, fer_str subject, const char *host, unsigned port, owner who)
{
    tell_gateway(d, subject, port, who);
    if (who != OURS || !d->has_config) tell_readiness(d, subject, host, port);
}

void fer_doctor_port(fer_doctor *d)
{
    fer_listen_options at = {.port = FER_SERVE_PORT};
    fer_str listen = fer_arena_copy(d->arena, d->config.serve.listen);
    if (listen.len && !fer_serve_setup_listen(d->arena, listen.ptr, &at)) {
        fer_doctor_tell(d, FER_DOCTOR_WRONG, listen, FER_STR("Write ADDRESS:PORT or PORT."),
                        "serve.listen is no place to listen at");
        return;
    }
    const char *host = at.address ? at.address : "127.0.0.1";
    fer_str subject = fer_arena_printf(d->arena, "%s:%u", host, at.port);
    int why = try_port(host, at.port);
    owner who = why == EADDRINUSE ? find_owner(d, at.port) : UNKNOWN;
    if (!why) fer_doctor_tell(d, FER_DOCTOR_OK, subject, FER_STR(""), "it is free");
    else if (who != UNKNOWN || (why == EADDRINUSE && is_gateway(d, host, at.port)))
        tell_found(d, subject, host, at.port, who);
    else
        fer_doctor_tell(d, FER_DOCTOR_WRONG, subject,
                        why == EADDRINUSE
                            ? FER_STR("Another program has it: ferrule serve --listen PORT, or "
                                      "serve.listen, takes another one.")
                            : FER_STR("Choose an address of this machine and a port from 1024 on."),
                        "%s", strerror(why));
}
