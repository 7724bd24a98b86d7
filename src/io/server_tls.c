/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS between the socket and the reader, over two buffers in memory: OpenSSL touches no socket.
 * What the client sent is put into one and read as plain bytes; what it makes is taken from the
 * other and sent like any bytes.
 */
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string.h>
#include <sys/stat.h>

#include "errors.h"
#include "server_parts.h"
#include "sys.h"

struct fer_tls {
    SSL *ssl;
    BIO *from, *to; /* the network; owned by `ssl` */
    bool more;      /* what was received is not used up: the reader was busy */
    bool shut;
};

/* ---- contexts ------------------------------------------------------------------------------- */

/* HTTP/1.1 is all there is; who offers others without it is refused (RFC 7301 3.2). */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                           const unsigned char *offered, unsigned offered_len, void *unused)
{
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char *chosen;
    (void)ssl;
    (void)unused;
    if (SSL_select_next_proto(&chosen, out_len, ours, sizeof ours - 1, offered, offered_len) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

/* A passphrase would be asked for on the terminal. */
static int no_passphrase(char *to, int size, int writing, void *unused)
{
    (void)to;
    (void)size;
    (void)writing;
    (void)unused;
    return 0;
}

static const char *why(void)
{
    const char *text = ERR_reason_error_string(ERR_peek_last_error());
    return text ? text : "it cannot be read";
}

/* A key that others may read is nobody's secret. */
static fer_code check_key_file(const char *key_file, fer_err *err)
{
    struct stat st;
    if (fer_sys_stat(key_file, &st))
        return fer_fail(err, FER_BAD_USAGE, "%s: %s", key_file, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_mode & (S_IROTH | S_IWOTH | S_IWGRP))
        return fer_fail(err, FER_BAD_USAGE,
                        "%s: others may read or change the private key; chmod 600 it", key_file);
    return FER_OK;
}

static fer_code check_time(SSL_CTX *ctx, const char *cert_file, fer_err *err)
{
    const X509 *cert = SSL_CTX_get0_certificate(ctx);
    if (cert && X509_cmp_current_time(X509_get0_notAfter(cert)) < 0)
        return fer_fail(err, FER_BAD_USAGE, "%s: the certificate has ended", cert_file);
    return FER_OK;
}

static fer_code load_files(SSL_CTX *ctx, const char *cert_file, const char *key_file, fer_err *err)
{
    fer_code code = check_key_file(key_file, err);
    if (code) return code;
    if (SSL_CTX_use_certificate_chain_file(ctx, cert_file) != 1)
        return fer_fail(err, FER_BAD_USAGE, "%s: no certificate in PEM: %s", cert_file, why());
    if (SSL_CTX_use_PrivateKey_file(ctx, key_file, SSL_FILETYPE_PEM) != 1)
        return fer_fail(err, FER_BAD_USAGE, "%s: no private key in PEM, without a passphrase: %s",
                        key_file, why());
    if (SSL_CTX_check_private_key(ctx) != 1)
        return fer_fail(err, FER_BAD_USAGE, "%s is not the key of the certificate in %s", key_file,
                        cert_file);
    return check_time(ctx, cert_file, err);
}

fer_code fer_tls_context_new(const char *cert_file, const char *key_file, void **out, fer_err *err)
{
    ERR_clear_error();
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    if (!ctx) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    SSL_CTX_set_security_level(ctx, 2); /* 112 bits: RSA of 2048, no SHA-1, no RC4 */
    SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20"); /* of TLS 1.2 */
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                 SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(ctx, choose_protocol, NULL);
    SSL_CTX_set_default_passwd_cb(ctx, no_passphrase);
    fer_code code = load_files(ctx, cert_file, key_file, err);
    ERR_clear_error();
    if (code) SSL_CTX_free(ctx);
    else *out = ctx;
    return code;
}

void fer_tls_context_free(void *context)
{
    SSL_CTX_free(context);
}

/* ---- connections ---------------------------------------------------------------------------- */

fer_tls *fer_tls_new(void *context)
{
    fer_tls *t = fer_sys_malloc(sizeof *t);
    if (!t) return NULL;
    *t = (fer_tls){
        .ssl = SSL_new(context), .from = BIO_new(BIO_s_mem()), .to = BIO_new(BIO_s_mem())};
    if (!t->ssl || !t->from || !t->to) {
        BIO_free(t->from);
        BIO_free(t->to);
        SSL_free(t->ssl);
        fer_sys_free(t);
        return NULL;
    }
    SSL_set_bio(t->ssl, t->from, t->to);
    SSL_set_accept_state(t->ssl);
    return t;
}

void fer_tls_free(fer_tls *t)
{
    if (!t) return;
    SSL_free(t->ssl);
    fer_sys_free(t);
}

bool fer_tls_has_input(const fer_tls *t)
{
    return t->more; /* OpenSSL would also count a record that is not whole yet */
}

/* What OpenSSL has made goes out. */
static bool send_made(fer_conn *c)
{
    char *made;
    long len = BIO_get_mem_data(c->tls->to, &made);
    if (len <= 0) return true;
    bool sent = fer_conn_send_raw(c, &(struct iovec){made, (size_t)len}, 1);
    (void)BIO_reset(c->tls->to);
    return sent;
}

bool fer_tls_pump(fer_conn *c)
{
    char *plain = c->server->plain;
    while (c->fd >= 0 && !c->broken && !c->pending && !c->lingering &&
           (!fer_conn_is_busy(c) || c->skipping)) {
        ERR_clear_error();
        int n = SSL_read(c->tls->ssl, plain, (int)FER_SERVER_PLAIN);
        int error = n > 0 ? SSL_ERROR_NONE : SSL_get_error(c->tls->ssl, n);
        if (!send_made(c)) return true; /* it broke, and that is found out about soon */
        if (n > 0) {
            fer_conn_input(c, (fer_str){plain, (size_t)n});
            continue;
        }
        c->tls->more = false;
        if (error == SSL_ERROR_WANT_READ) break;
        if (error != SSL_ERROR_ZERO_RETURN) return false;
        fer_conn_eof(c);
        break;
    }
    fer_conn_go_on(c);
    return true;
}

bool fer_tls_feed(fer_conn *c, fer_str bytes)
{
    if (BIO_write(c->tls->from, bytes.ptr, (int)bytes.len) != (int)bytes.len) return false;
    c->tls->more = true;
    return fer_tls_pump(c);
}

bool fer_tls_send(fer_conn *c, const struct iovec *parts, size_t count)
{
    ERR_clear_error();
    for (size_t i = 0; i < count; i++) {
        size_t len = parts[i].iov_len, done = 0;
        if (len && SSL_write_ex(c->tls->ssl, parts[i].iov_base, len, &done) != 1) {
            c->broken = true;
            fer_server_soon(c);
            return false;
        }
    }
    return send_made(c);
}

void fer_tls_shut(fer_conn *c)
{
    if (c->tls->shut) return;
    c->tls->shut = true;
    ERR_clear_error();
    if (SSL_is_init_finished(c->tls->ssl)) SSL_shutdown(c->tls->ssl);
    send_made(c);
}
