/* SPDX-License-Identifier: Apache-2.0 */
#include "buf.h"
#include "link_http_parts.h"

/* The first row whose statuses it is of counts. */
static const struct {
    unsigned from, to;
    fer_mcp_failure failure;
} rows[] = {
    {300,
     399,
     {.code = FER_BACKEND_UNAVAILABLE,
      .refused = true,
      .message = "the server sends us elsewhere"}},
    {401,
     401,
     {.code = FER_UNAUTHENTICATED,
      .refused = true,
      .message = "the server wants to know who asks (401)"}},
    {403,
     403,
     {.code = FER_FORBIDDEN, .refused = true, .message = "the server does not allow it (403)"}},
    {407,
     407,
     {.code = FER_UNAUTHENTICATED,
      .refused = true,
      .message = "a proxy wants to know who asks (407)"}},
    {429,
     429,
     {.code = FER_RATE_LIMITED,
      .refused = true,
      .message = "the server has had too many requests (429)"}},
    {400,
     499,
     {.code = FER_BACKEND_UNAVAILABLE,
      .refused = true,
      .unknown = true,
      .message = "the server does not take the request"}},
    {503,
     503,
     {.code = FER_BACKEND_UNAVAILABLE, .refused = true, .message = "the server has no time (503)"}},
    {500, 501, {.code = FER_BACKEND_UNAVAILABLE, .unknown = true, .message = "the server failed"}},
    {500,
     599,
     {.code = FER_BACKEND_UNAVAILABLE, .message = "the server, or what is before it, failed"}},
};

fer_mcp_failure fer_http_verdict(unsigned status)
{
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        if (status >= rows[i].from && status <= rows[i].to) {
            fer_mcp_failure f = rows[i].failure;
            f.sent = true;
            return f;
        }
    return (fer_mcp_failure){.code = FER_BACKEND_UNAVAILABLE,
                             .sent = true,
                             .message = "the server gave no answer to the request"};
}

static void add_base64(fer_buf *b, fer_str s)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < s.len; i += 3) {
        unsigned word = (unsigned)(unsigned char)s.ptr[i] << 16;
        if (i + 1 < s.len) word |= (unsigned)(unsigned char)s.ptr[i + 1] << 8;
        if (i + 2 < s.len) word |= (unsigned char)s.ptr[i + 2];
        fer_buf_add_char(b, digits[word >> 18]);
        fer_buf_add_char(b, digits[word >> 12 & 63]);
        fer_buf_add_char(b, i + 1 < s.len ? digits[word >> 6 & 63] : '=');
        fer_buf_add_char(b, i + 2 < s.len ? digits[word & 63] : '=');
    }
}

fer_str fer_http_header_value(fer_arena *a, fer_str value)
{
    fer_buf b;
    bool plain = value.len && !fer_str_starts(value, "=?base64?") && value.ptr[0] != ' ' &&
                 value.ptr[value.len - 1] != ' ';
    for (size_t i = 0; plain && i < value.len; i++)
        plain = value.ptr[i] >= ' ' && value.ptr[i] <= '~';
    if (plain) return value;
    fer_buf_init(&b, a, SIZE_MAX);
    fer_buf_add_text(&b, "=?base64?");
    add_base64(&b, value);
    fer_buf_add_text(&b, "?=");
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}
