/* SPDX-License-Identifier: Apache-2.0 */
/* What can go wrong with a call: one row for each fault, and one for each code of curl's. */
#include <openssl/x509_vfy.h>

#include "errors.h"
#include "http_parts.h"

const struct fer_http_fault_row fer_http_fault_rows[FER_HTTP_FAULTS] = {
    [FER_HTTP_FINE] = {"fine", FER_OK},
    [FER_HTTP_REFUSED] = {"refused", FER_FORBIDDEN},
    [FER_HTTP_UNRESOLVED] = {"unresolved", FER_BACKEND_UNAVAILABLE},
    [FER_HTTP_UNCONNECTED] = {"unconnected", FER_BACKEND_UNAVAILABLE},
    [FER_HTTP_UNTRUSTED] = {"untrusted", FER_BACKEND_UNAVAILABLE},
    [FER_HTTP_LATE] = {"late", FER_TIMEOUT},
    [FER_HTTP_IDLE] = {"idle", FER_TIMEOUT},
    [FER_HTTP_CANCELLED] = {"cancelled", FER_CANCELLED},
    [FER_HTTP_LOST] = {"lost", FER_CONNECTION_LOST},
    [FER_HTTP_HEAD_LARGE] = {"head-large", FER_LIMIT_EXCEEDED, FER_RESOURCE_LIMIT},
    [FER_HTTP_BODY_LARGE] = {"body-large", FER_LIMIT_EXCEEDED, FER_RESOURCE_LIMIT},
    [FER_HTTP_MALFORMED] = {"malformed", FER_INVALID_FORMAT, FER_INVALID_OUTPUT},
    [FER_HTTP_REDIRECTS] = {"redirects", FER_FORBIDDEN},
    [FER_HTTP_MEMORY] = {"memory", FER_OUT_OF_MEMORY},
    [FER_HTTP_INTERNAL] = {"internal", FER_INTERNAL},
};

fer_code fer_http_backend_code(fer_http_fault fault)
{
    const struct fer_http_fault_row *row = &fer_http_fault_rows[fault];
    return row->backend ? row->backend : row->code;
}

static const char *const texts[FER_HTTP_FAULTS] = {
    [FER_HTTP_FINE] = "",
    [FER_HTTP_REFUSED] = "the rules do not allow that address",
    [FER_HTTP_UNRESOLVED] = "no address is known for that name",
    [FER_HTTP_UNCONNECTED] = "nobody takes the connection",
    [FER_HTTP_UNTRUSTED] = "no secure connection (TLS) could be made",
    [FER_HTTP_LATE] = "the answer was not complete in time",
    [FER_HTTP_IDLE] = "nothing came for too long",
    [FER_HTTP_CANCELLED] = "the call was cancelled",
    [FER_HTTP_LOST] = "the connection ended before the answer did",
    [FER_HTTP_HEAD_LARGE] = "the head of the answer is larger than http.head or http.fields allow",
    [FER_HTTP_BODY_LARGE] = "the body of the answer is larger than allowed (http.body)",
    [FER_HTTP_MALFORMED] = "what was answered is not HTTP as it was asked for",
    [FER_HTTP_REDIRECTS] = "it redirects to where no request goes",
    [FER_HTTP_MEMORY] = "no memory for the answer",
    [FER_HTTP_INTERNAL] = "the request could not be made",
};

static const struct {
    CURLcode code;
    fer_http_fault fault;
} rows[] = {
    {CURLE_COULDNT_RESOLVE_HOST, FER_HTTP_UNRESOLVED},
    {CURLE_COULDNT_RESOLVE_PROXY, FER_HTTP_UNRESOLVED},
    {CURLE_COULDNT_CONNECT, FER_HTTP_UNCONNECTED},
    {CURLE_SSL_CONNECT_ERROR, FER_HTTP_UNTRUSTED}, /* these are told apart by why_untrusted */
    {CURLE_PEER_FAILED_VERIFICATION, FER_HTTP_UNTRUSTED},
    {CURLE_SSL_CERTPROBLEM, FER_HTTP_UNTRUSTED},
    {CURLE_SSL_CIPHER, FER_HTTP_UNTRUSTED},
    {CURLE_SSL_CACERT_BADFILE, FER_HTTP_UNTRUSTED},
    {CURLE_SSL_ISSUER_ERROR, FER_HTTP_UNTRUSTED},
    {CURLE_SSL_INVALIDCERTSTATUS, FER_HTTP_UNTRUSTED},
    {CURLE_OPERATION_TIMEDOUT, FER_HTTP_LATE}, /* of connecting: the rest is ours to time */
    {CURLE_PARTIAL_FILE, FER_HTTP_LOST},
    {CURLE_GOT_NOTHING, FER_HTTP_LOST},
    {CURLE_SEND_ERROR, FER_HTTP_LOST},
    {CURLE_RECV_ERROR, FER_HTTP_LOST},
    {CURLE_HTTP2_STREAM, FER_HTTP_LOST},
    {CURLE_HTTP2, FER_HTTP_LOST},
    {CURLE_WEIRD_SERVER_REPLY, FER_HTTP_MALFORMED},
    {CURLE_UNSUPPORTED_PROTOCOL, FER_HTTP_MALFORMED}, /* HTTP/0.9, or no status line */
    {CURLE_BAD_CONTENT_ENCODING, FER_HTTP_MALFORMED},
    {CURLE_FILESIZE_EXCEEDED, FER_HTTP_BODY_LARGE},
    {CURLE_OUT_OF_MEMORY, FER_HTTP_MEMORY},
#if LIBCURL_VERSION_NUM >= 0x080600
    {CURLE_TOO_LARGE, FER_HTTP_HEAD_LARGE},
#endif
};

/* What is wrong with a certificate, by OpenSSL's own numbers; the last row is for all others. */
static const struct {
    long result;
    const char *text;
} certificate_faults[] = {
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, NULL},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, NULL},
    {X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, NULL},
    {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, NULL},
    {X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, NULL},
    {X509_V_ERR_CERT_UNTRUSTED, NULL},
    {X509_V_ERR_CERT_HAS_EXPIRED, "its certificate, or one that vouches for it, has expired"},
    {X509_V_ERR_CERT_NOT_YET_VALID, "its certificate is not valid yet: is the clock right?"},
    {X509_V_ERR_HOSTNAME_MISMATCH, "its certificate is for another name"},
    {X509_V_ERR_IP_ADDRESS_MISMATCH, "its certificate is for another name"},
    /* The name is looked at by curl itself, after the rest and before it takes down how that was.
     */
    {X509_V_OK, "its certificate is for another name"},
    {X509_V_ERR_UNSPECIFIED, "its certificate is for another name"},
    {-1, "its certificate is not good enough to be trusted"},
};

/* Why there is no secure connection, in our own words: those of curl may quote the other side. */
static const char *why_untrusted(CURLcode code, const fer_http_call *c)
{
    long result = -1;
    size_t i = 0;
    if (code == CURLE_SSL_CACERT_BADFILE)
        return "the certificates to trust cannot be read (SSL_CERT_FILE, SSL_CERT_DIR, or the "
               "system's)";
    if (code == CURLE_SSL_CONNECT_ERROR || code == CURLE_SSL_CIPHER)
        return "no TLS could be agreed on: it does not speak TLS at that port, or no version of it "
               "from 1.2 on";
    if (code != CURLE_PEER_FAILED_VERIFICATION && code != CURLE_SSL_ISSUER_ERROR) return NULL;
    c->curl->easy_getinfo(c->easy, CURLINFO_SSL_VERIFYRESULT, &result);
    while (certificate_faults[i].result != result && certificate_faults[i].result != -1) i++;
    return certificate_faults[i].text
               ? certificate_faults[i].text
               : "its certificate is of an issuer that is not trusted here; for one of your own, "
                 "SSL_CERT_FILE names a file with the issuer's certificate";
}

/* Some codes of curl's mean two things. */
static fer_http_fault tell_apart(const fer_http_call *c, fer_http_fault fault)
{
    long sent = 0;
    /* No address that may be connected was left. */
    if (fault == FER_HTTP_UNCONNECTED && c->err.code) return FER_HTTP_REFUSED;
    /* Broken chunks are no loss of the connection, but have its code. */
    if (fault == FER_HTTP_LOST && strstr(c->curl_text, "chunk")) return FER_HTTP_MALFORMED;
    c->curl->easy_getinfo(c->easy, CURLINFO_REQUEST_SIZE, &sent);
    /* A connection that was kept broke, and there was no other one: the request had left. */
    if (fault == FER_HTTP_UNCONNECTED && sent > 0) return FER_HTTP_LOST;
    /* A line of a head past curl's own bound (100 KB) has the code of no memory. */
    if (fault == FER_HTTP_MEMORY && sent > 0 && !c->head_done) return FER_HTTP_HEAD_LARGE;
    return fault;
}

fer_http_fault fer_http_fault_of(CURLcode code, fer_http_call *c)
{
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (rows[i].code != code) continue;
        if (rows[i].fault == FER_HTTP_UNTRUSTED) c->why = why_untrusted(code, c);
        return tell_apart(c, rows[i].fault);
    }
    return c->head_done ? FER_HTTP_LOST : FER_HTTP_INTERNAL;
}

fer_http_fault fer_http_call_fail(fer_http_call *c, fer_http_fault fault)
{
    if (c->fault) return c->fault;
    c->fault = fault;
    /* A refusal says which address and why. */
    if (fault == FER_HTTP_REFUSED && c->err.code) return fault;
    c->err = (fer_err){0};
    const char *why = fault == FER_HTTP_UNTRUSTED ? c->why : NULL;
    if (fault)
        fer_fail(&c->err, fer_http_fault_rows[fault].code, "%s port %u: %s%s%s", c->target.host,
                 c->target.port, texts[fault], why ? ": " : "", why ? why : "");
    return fault;
}
