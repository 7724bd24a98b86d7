/* SPDX-License-Identifier: Apache-2.0 */
/* What can go wrong with a call: one row for each fault, and one for each code of curl's. */
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
    {CURLE_SSL_CONNECT_ERROR, FER_HTTP_UNTRUSTED},
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

fer_http_fault fer_http_fault_of(CURLcode code, const fer_http_call *c)
{
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        if (rows[i].code == code) return tell_apart(c, rows[i].fault);
    return c->head_done ? FER_HTTP_LOST : FER_HTTP_INTERNAL;
}

fer_http_fault fer_http_call_fail(fer_http_call *c, fer_http_fault fault)
{
    if (c->fault) return c->fault;
    c->fault = fault;
    /* A refusal says which address and why. */
    if (fault == FER_HTTP_REFUSED && c->err.code) return fault;
    c->err = (fer_err){0};
    if (fault)
        fer_fail(&c->err, fer_http_fault_rows[fault].code, "%s port %u: %s", c->target.host,
                 c->target.port, texts[fault]);
    return fault;
}
