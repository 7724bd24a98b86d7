/* SPDX-License-Identifier: Apache-2.0 */
/* Where a server listens: TCP, Unix sockets and TLS, and what is refused there. */
#include "http_server.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/un.h>

#include "faults.h"
#include "server_rig.h"
#include "temp_files.h"

#define ASK "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"

static fer_code listen_at(rig *r, const fer_listen_options *o, fer_err *err)
{
    return fer_http_server_listen(r->server, o, err);
}

/* ---- addresses ------------------------------------------------------------------------------ */

static void addresses(void)
{
    rig r;
    fer_err err;
    rig_open(&r, NULL, &(fer_listen_options){.address = "127.0.0.1"});
    assert_int_not_equal(r.port, 0);
    /* The same port again, and what is no address. */
    assert_int_equal(listen_at(&r, &(fer_listen_options){.port = r.port}, &err), FER_IO_ERROR);
    assert_non_null(strstr(err.message, "127.0.0.1:"));
    assert_int_equal(listen_at(&r, &(fer_listen_options){.address = "localhost"}, &err),
                     FER_BAD_USAGE);
    assert_int_equal(listen_at(&r, &(fer_listen_options){.address = "127.1"}, &err), FER_BAD_USAGE);
    assert_int_equal(listen_at(&r, &(fer_listen_options){.cert_file = "x"}, &err), FER_BAD_USAGE);
    assert_int_equal(
        listen_at(&r, &(fer_listen_options){.cert_file = "/nowhere", .key_file = "/nowhere"}, &err),
        FER_BAD_USAGE);
    assert_non_null(strstr(err.message, "/nowhere"));
    for (unsigned i = 1; i < FER_SERVER_LISTEN_MAX; i++)
        assert_int_equal(listen_at(&r, &(fer_listen_options){0}, &err), FER_OK);
    assert_int_equal(listen_at(&r, &(fer_listen_options){0}, &err), FER_LIMIT_EXCEEDED);
    rig_close(&r);
}

/* ---- Unix sockets --------------------------------------------------------------------------- */

static void unix_socket(void)
{
    rig r;
    rig_client c;
    struct stat s;
    fer_listen_options here = {.path = path_of("sock")};
    rig_open(&r, NULL, &here);
    assert_int_equal(lstat(here.path, &s), 0);
    assert_true(S_ISSOCK(s.st_mode));
    assert_int_equal(s.st_mode & 0777, 0600);
    client_open_unix(&r, &c, here.path);
    client_send(&r, &c, FER_STR(ASK));
    client_wait(&r, &c, "\r\n\r\nhello");
    client_send(&r, &c, FER_STR("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    RIG_UNTIL(&r, r.held_count == 1);
    const fer_inbound *in = fer_exchange_inbound(r.held[0]);
    assert_true(in->local);
    assert_int_equal(in->uid, getuid());
    assert_int_equal(in->nth, 2);
    client_close(&c);
    RIG_UNTIL(&r, r.gone_count == 1);
    /* Of other hosts it knows no more than others do. */
    client_open_unix(&r, &c, here.path);
    client_send(&r, &c, FER_STR("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"));
    client_wait_closed(&r, &c);
    assert_non_null(strstr(c.got, "403 Forbidden"));
    client_close(&c);
    rig_close(&r);
    assert_int_not_equal(lstat(here.path, &s), 0); /* it goes with the server */
}

/* A socket file that nobody listens at. */
static void leave_socket(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof to.sun_path);
    memcpy(to.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&to, sizeof to), 0);
    close(fd);
}

static void taking_over(void)
{
    rig r;
    rig_client c;
    fer_err err;
    char path[300];
    struct stat s;
    snprintf(path, sizeof path, "%s", path_of("stale"));
    leave_socket(path);
    rig_open(&r, NULL, &(fer_listen_options){.path = path});
    client_open_unix(&r, &c, path);
    client_send(&r, &c, FER_STR(ASK));
    client_wait(&r, &c, "hello");
    /* Somebody listens: we do. */
    assert_int_equal(listen_at(&r, &(fer_listen_options){.path = path}, &err), FER_IO_ERROR);
    assert_non_null(strstr(err.message, "listens there already"));
    client_close(&c);
    /* Somebody else's file in its place stays when the server goes. */
    assert_int_equal(unlink(path), 0);
    leave_socket(path);
    rig_close(&r);
    assert_int_equal(lstat(path, &s), 0);
}

static void bad_paths(void)
{
    rig r;
    fer_err err;
    char long_path[200], link_path[300];
    rig_open(&r, NULL, NULL);
    make_file("file", "x", 1, 0600);
    assert_int_equal(listen_at(&r, &(fer_listen_options){.path = path_of("file")}, &err),
                     FER_BAD_USAGE);
    leave_socket(path_of("real"));
    snprintf(link_path, sizeof link_path, "%s", path_of("link"));
    assert_int_equal(symlink(path_of("real"), link_path), 0);
    assert_int_equal(listen_at(&r, &(fer_listen_options){.path = link_path}, &err), FER_BAD_USAGE);
    assert_non_null(strstr(err.message, "symbolic link"));
    assert_int_equal(listen_at(&r, &(fer_listen_options){.path = ""}, &err), FER_BAD_USAGE);
    memset(long_path, 'x', sizeof long_path);
    long_path[108] = '\0';
    assert_int_equal(listen_at(&r, &(fer_listen_options){.path = long_path}, &err), FER_BAD_USAGE);
    assert_int_equal(listen_at(&r, &(fer_listen_options){.path = path_of("no/such")}, &err),
                     FER_IO_ERROR);
    rig_close(&r);
}

/* ---- TLS ------------------------------------------------------------------------------------ */

/* A key and a certificate for it, as two files: NAME.key and NAME.pem. */
static void make_pair(EVP_PKEY *key, const char *name, long ends, mode_t mode)
{
    char file[64];
    X509 *x = X509_new();
    snprintf(file, sizeof file, "%s.key", name);
    FILE *f = fopen(path_of(file), "w");
    assert_true(key && x && f);
    assert_int_equal(PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL), 1);
    fclose(f);
    assert_int_equal(chmod(path_of(file), mode), 0);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), ends);
    X509_set_pubkey(x, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                               (const unsigned char *)"localhost", -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(x));
    assert_true(X509_sign(x, key, EVP_sha256()) > 0);
    snprintf(file, sizeof file, "%s.pem", name);
    f = fopen(path_of(file), "w");
    assert_non_null(f);
    assert_int_equal(PEM_write_X509(f, x), 1);
    fclose(f);
    X509_free(x);
    EVP_PKEY_free(key);
}

static void make_certificate(void)
{
    make_pair(EVP_EC_gen("P-256"), "good", 3600, 0600);
}

/* A client's side of TLS over the socket of a plain client, through buffers in memory. */
struct tls_client {
    rig_client plain;
    SSL_CTX *ctx;
    SSL *ssl;
    BIO *from, *to;
};

static void tls_open(rig *r, struct tls_client *t, int version)
{
    client_open(r, &t->plain);
    t->ctx = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_min_proto_version(t->ctx, version);
    SSL_CTX_set_max_proto_version(t->ctx, version);
    t->ssl = SSL_new(t->ctx);
    t->from = BIO_new(BIO_s_mem());
    t->to = BIO_new(BIO_s_mem());
    SSL_set_bio(t->ssl, t->from, t->to);
    SSL_set_connect_state(t->ssl);
}

/* Moves what there is, both ways. */
static void tls_move(rig *r, struct tls_client *t)
{
    char *made;
    long len = BIO_get_mem_data(t->to, &made);
    if (len > 0) client_send(r, &t->plain, (fer_str){made, (size_t)len});
    (void)BIO_reset(t->to);
    rig_turn(r, 1);
    client_read(&t->plain);
    if (t->plain.len) BIO_write(t->from, t->plain.got, (int)t->plain.len);
    t->plain.len = 0;
}

static void tls_write(rig *r, struct tls_client *t, fer_str text)
{
    int64_t end = rig_now() + RIG_PATIENCE_MS;
    while (SSL_write(t->ssl, text.ptr, (int)text.len) <= 0) {
        if (rig_now() > end || t->plain.closed) fail_msg("TLS does not come about");
        tls_move(r, t);
    }
    tls_move(r, t);
}

static void tls_wait(rig *r, struct tls_client *t, const char *text)
{
    static char got[RIG_BYTES];
    size_t len = 0;
    int64_t end = rig_now() + RIG_PATIENCE_MS;
    got[0] = '\0';
    while (!strstr(got, text)) {
        int n = SSL_read(t->ssl, got + len, (int)(sizeof got - 1 - len));
        if (n > 0) len += (size_t)n;
        got[len] = '\0';
        if (rig_now() > end) fail_msg("'%s' did not come, but:\n%s", text, got);
        if (n <= 0) tls_move(r, t);
    }
}

static void tls_close(struct tls_client *t)
{
    SSL_free(t->ssl);
    SSL_CTX_free(t->ctx);
    client_close(&t->plain);
}

static void tls_listen(rig *r)
{
    rig_open(
        r, NULL,
        &(fer_listen_options){.cert_file = path_of("good.pem"), .key_file = path_of("good.key")});
}

static void say_over_tls(rig *r, struct tls_client *t, const char *head, const char *rest)
{
    char text[1024];
    int len =
        snprintf(text, sizeof text, "%s HTTP/1.1\r\nHost: localhost:%u\r\n%s", head, r->port, rest);
    tls_write(r, t, (fer_str){text, (size_t)len});
}

static void over_tls(void)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    for (size_t i = 0; i < FER_COUNT(versions); i++) {
        rig r;
        struct tls_client t;
        tls_listen(&r);
        tls_open(&r, &t, versions[i]);
        say_over_tls(&r, &t, "POST /echo", "Content-Length: 5\r\n\r\nhello");
        tls_wait(&r, &t, "\r\n\r\nhello");
        say_over_tls(&r, &t, "GET /stream", "\r\n");
        tls_wait(&r, &t, "\r\n\r\n");
        assert_true(fer_exchange_inbound(r.held[0])->secure);
        assert_int_equal(fer_exchange_write(r.held[0], FER_STR("data: 1\n\n"), NULL), FER_OK);
        tls_wait(&r, &t, "data: 1\n\n");
        fer_exchange_end(r.held[0]);
        r.held[0] = NULL;
        tls_wait(&r, &t, "0\r\n\r\n");
        /* Two requests in one record, the second behind one that is held. */
        char two[512];
        int len = snprintf(two, sizeof two,
                           "GET /later HTTP/1.1\r\nHost: localhost:%u\r\n\r\nPOST /echo "
                           "HTTP/1.1\r\nHost: localhost:%u\r\nContent-Length: 3\r\n\r\nxyz",
                           r.port, r.port);
        tls_write(&r, &t, (fer_str){two, (size_t)len});
        RIG_UNTIL(&r, r.held_count == 2);
        fer_exchange_reply(r.held[1], 200, NULL, FER_STR("late"));
        r.held[1] = NULL;
        tls_wait(&r, &t, "\r\n\r\nxyz");
        say_over_tls(&r, &t, "GET /later", "\r\n");
        RIG_UNTIL(&r, r.held_count == 3);
        tls_close(&t);
        RIG_UNTIL(&r, r.gone_count == 1);
        rig_close(&r);
    }
}

static void large_over_tls(void)
{
    static char body[500000];
    rig r;
    struct tls_client t;
    char head[64];
    tls_listen(&r);
    tls_open(&r, &t, TLS1_3_VERSION);
    memset(body, 'z', sizeof body);
    memcpy(body + sizeof body - 4, "end.", 4);
    snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", sizeof body);
    say_over_tls(&r, &t, "POST /echo", head);
    tls_write(&r, &t, (fer_str){body, sizeof body});
    tls_wait(&r, &t, "end.");
    tls_close(&t);
    rig_close(&r);
}

/* Plain HTTP, and versions of TLS that are over, get nothing. */
static void no_tls(void)
{
    rig r;
    rig_client c;
    struct tls_client t;
    tls_listen(&r);
    client_open(&r, &c);
    client_send(&r, &c, FER_STR(ASK));
    client_wait_closed(&r, &c);
    assert_null(strstr(c.got, "HTTP/1.1"));
    client_close(&c);
    tls_open(&r, &t, TLS1_1_VERSION);
    SSL_CTX_set_security_level(t.ctx, 0);
    SSL_set_security_level(t.ssl, 0);
    for (int i = 0; i < 1000 && !t.plain.closed; i++) {
        char none;
        SSL_read(t.ssl, &none, 1);
        tls_move(&r, &t);
    }
    assert_true(t.plain.closed);
    assert_int_equal(r.request_count, 0);
    tls_close(&t);
    rig_close(&r);
}

/* What is no good set-up is refused when the server starts, not by clients later. */
static void weak_set_ups(void)
{
    static const struct {
        const char *cert, *key;
        fer_code code;
    } set_ups[] = {
        {"good", "good.key", FER_OK},          {"good", "other.key", FER_BAD_USAGE},
        {"good", "good.pem", FER_BAD_USAGE},   {"good", "nowhere", FER_BAD_USAGE},
        {"open", "open.key", FER_BAD_USAGE},   {"ended", "ended.key", FER_BAD_USAGE},
        {"small", "small.key", FER_BAD_USAGE}, {"rsa", "rsa.key", FER_OK},
        {"group", "group.key", FER_OK},
    };
    make_pair(EVP_EC_gen("P-256"), "other", 3600, 0600);
    make_pair(EVP_EC_gen("P-256"), "open", 3600, 0644);
    make_pair(EVP_EC_gen("P-256"), "group", 3600, 0640); /* as Debian's ssl-cert has it */
    make_pair(EVP_EC_gen("P-256"), "ended", -60, 0600);
    make_pair(EVP_RSA_gen(1024), "small", 3600, 0600);
    make_pair(EVP_RSA_gen(2048), "rsa", 3600, 0600);
    for (size_t i = 0; i < FER_COUNT(set_ups); i++) {
        char cert[64];
        rig r;
        fer_err err;
        snprintf(cert, sizeof cert, "%s.pem", set_ups[i].cert);
        rig_open(&r, NULL, NULL);
        fer_listen_options o = {.cert_file = path_of(cert), .key_file = path_of(set_ups[i].key)};
        if (listen_at(&r, &o, &err) != set_ups[i].code) fail_msg("row %zu: %s", i, err.message);
        rig_close(&r);
    }
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/ferrule-places-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_ONE("places", addresses) + ROWS_ONE("places", unix_socket) +
                 ROWS_ONE("places", taking_over) + ROWS_ONE("places", bad_paths);
    make_certificate();
    failed += ROWS_ONE("tls", over_tls) + ROWS_ONE("tls", large_over_tls) +
              ROWS_ONE("tls", no_tls) + ROWS_ONE("tls", weak_set_ups);
    drop(root);
    return failed;
}
