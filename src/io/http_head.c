/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of answers, and the fields of a request, by RFC 9110 and 9112. */
#include "clock.h"
#include "errors.h"
#include "http_parts.h"

/* RFC 9110 5.6.2 */
static bool is_token_char(char c)
{
    return fer_is_alpha(c) || fer_is_digit(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(fer_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_token_char(s.ptr[i])) return false;
    return s.len > 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static fer_str trim(fer_str s)
{
    while (s.len && (is_blank(s.ptr[s.len - 1]) || s.ptr[s.len - 1] == '\r')) s.len--;
    while (s.len && is_blank(s.ptr[0])) s = fer_str_slice(s, 1, s.len);
    return s;
}

/* ---- requests ------------------------------------------------------------------------------- */

/* What frames a message or a connection, or says where it goes, is not for callers to say. */
static const char *const own_fields[] = {
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
};

static bool is_own(fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(own_fields); i++)
        if (fer_str_eq_nocase(name, fer_str_of(own_fields[i]))) return true;
    return false;
}

static bool is_value(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7F) return false;
    }
    return true;
}

fer_code fer_http_check_fields(const fer_http_field *fields, size_t count, fer_err *err)
{
    if (count > FER_HTTP_FIELDS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "the request has more fields than http.fields, %d",
                        FER_HTTP_FIELDS_MAX);
    for (size_t i = 0; i < count; i++) {
        fer_str name = fields[i].name;
        if (!is_token(name))
            return fer_fail(err, FER_BAD_USAGE, "field %zu of the request has no name that is one",
                            i + 1);
        if (is_own(name))
            return fer_fail(err, FER_BAD_USAGE, "the field %.*s is not a caller's to set",
                            FER_PRI(name));
        if (!is_value(fields[i].value))
            return fer_fail(err, FER_BAD_USAGE, "the value of %.*s holds control characters",
                            FER_PRI(name));
    }
    return FER_OK;
}

fer_code fer_http_check_method(fer_str method, fer_err *err)
{
    if (is_token(method) && method.len <= 32 && !fer_str_is(method, "CONNECT")) return FER_OK;
    return fer_fail(err, FER_BAD_USAGE, "the request has no method that can be sent");
}

/* ---- answers -------------------------------------------------------------------------------- */

/* Takes a line off the front, without its end. */
static fer_str next_line(fer_str *rest)
{
    size_t end = fer_str_find(*rest, 0, '\n');
    if (end == SIZE_MAX) end = rest->len;
    fer_str line = fer_str_slice(*rest, 0, end);
    *rest = end < rest->len ? fer_str_slice(*rest, end + 1, rest->len) : FER_STR_NONE;
    return line;
}

fer_http_fault fer_http_head_parse(fer_arena *a, fer_str lines, fer_http_head *out)
{
    fer_http_field *list = fer_arena_alloc(a, FER_HTTP_FIELDS_MAX * sizeof *list);
    size_t count = 0;
    if (!list) return FER_HTTP_MEMORY;
    next_line(&lines); /* of the status */
    while (lines.len) {
        fer_str line = next_line(&lines);
        size_t colon = fer_str_find(line, 0, ':');
        /* A line that goes on from the one before (obsolete) has no name either. */
        if (colon == SIZE_MAX || !is_token(fer_str_slice(line, 0, colon)))
            return FER_HTTP_MALFORMED;
        if (count == FER_HTTP_FIELDS_MAX) return FER_HTTP_HEAD_LARGE;
        fer_str value = trim(fer_str_slice(line, colon + 1, line.len));
        list[count++] =
            (fer_http_field){fer_str_slice(line, 0, colon), value.len ? value : FER_STR("")};
    }
    *out = (fer_http_head){.fields = list, .count = count};
    return FER_HTTP_FINE;
}

fer_str fer_http_head_get(const fer_http_head *head, const char *name)
{
    for (size_t i = 0; i < head->count; i++)
        if (fer_str_eq_nocase(head->fields[i].name, fer_str_of(name))) return head->fields[i].value;
    return FER_STR_NONE;
}

int64_t fer_http_retry_after_ms(const fer_http_head *head)
{
    fer_str value = fer_http_head_get(head, "retry-after");
    uint64_t seconds;
    char date[64];
    fer_curl curl; /* the head is an answer to it, so it is there */
    if (!value.len || value.len >= sizeof date) return -1;
    if (fer_parse_u64(value, &seconds))
        return seconds > INT32_MAX ? (int64_t)INT32_MAX * 1000 : (int64_t)seconds * 1000;
    memcpy(date, value.ptr, value.len);
    date[value.len] = '\0';
    if (fer_curl_load(&curl, NULL)) return -1;
    time_t at = curl.getdate(date, NULL);
    if (at < 0) return -1;
    int64_t left = (int64_t)at * 1000 - fer_clock_wall();
    return left > 0 ? left : 0;
}

bool fer_http_head_is(const fer_http_head *head, const char *media_type)
{
    fer_str value = fer_http_head_get(head, "content-type");
    size_t end = value.ptr ? fer_str_find(value, 0, ';') : SIZE_MAX;
    if (end != SIZE_MAX) value = fer_str_slice(value, 0, end);
    return value.ptr && fer_str_eq_nocase(trim(value), fer_str_of(media_type));
}
