/* SPDX-License-Identifier: Apache-2.0 */
#include "curl_api.h"

#include <stddef.h>
#include <stdio.h>

#include "errors.h"
#include "sys.h"

/* Where the address of each function goes. */
static const struct {
    const char *name;
    size_t at;
} functions[] = {
#define ROW(name) {"curl_" #name, offsetof(fer_curl, name)},
    FER_CURL_FUNCTIONS(ROW)
#undef ROW
};

static fer_code too_old(fer_err *err)
{
    return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                    "no request over HTTP can be sent: " FER_CURL_LIBRARY
                    " is older than 7.87 (install libcurl4)");
}

fer_code fer_curl_load(fer_curl *out, fer_err *err)
{
    fer_curl curl;
    void *library = fer_sys_library(FER_CURL_LIBRARY);
    if (!library)
        return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                        "no request over HTTP can be sent: " FER_CURL_LIBRARY
                        " cannot be loaded (install libcurl4)");
    for (size_t i = 0; i < FER_COUNT(functions); i++) {
        void *function = fer_sys_symbol(library, functions[i].name);
        if (!function) return too_old(err);
        memcpy((char *)&curl + functions[i].at, &function, sizeof function);
    }
    if (curl.version_info(CURLVERSION_NOW)->version_num < FER_CURL_OLDEST) return too_old(err);
    *out = curl;
    return FER_OK;
}

/* ---- URLs ----------------------------------------------------------------------------------- */

static bool get_part(const fer_curl *curl, CURLU *u, CURLUPart part, char *to, size_t size)
{
    char *text = NULL;
    if (curl->url_get(u, part, &text, CURLU_DEFAULT_PORT) || !text) return false;
    int len = snprintf(to, size, "%s", text);
    curl->free(text);
    return len >= 0 && (size_t)len < size;
}

static bool is_host(fer_str theirs, fer_str ours)
{
    fer_address one, other;
    if (theirs.ptr[0] == '[') theirs = fer_str_slice(theirs, 1, theirs.len - 1);
    if (fer_address_parse(ours, &one))
        return fer_address_parse(theirs, &other) && memcmp(&one, &other, sizeof one) == 0;
    return fer_str_eq_nocase(theirs, ours);
}

bool fer_curl_agrees(const fer_curl *curl, fer_str url, const fer_net_target *target)
{
    char copy[FER_NET_URL_MAX + 1], host[FER_NET_HOST_MAX + 3], port[8];
    uint64_t number;
    if (url.len > FER_NET_URL_MAX) return false;
    memcpy(copy, url.ptr, url.len);
    copy[url.len] = '\0';
    CURLU *u = curl->url();
    bool read = u && !curl->url_set(u, CURLUPART_URL, copy, 0) &&
                get_part(curl, u, CURLUPART_HOST, host, sizeof host) &&
                get_part(curl, u, CURLUPART_PORT, port, sizeof port);
    curl->url_cleanup(u);
    return read && fer_parse_u64(fer_str_of(port), &number) && number == target->port &&
           is_host(fer_str_of(host), fer_str_of(target->host));
}
