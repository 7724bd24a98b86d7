/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl, loaded when the first request needs it. It comes with some 25 libraries (TLS once more,
 * Kerberos, LDAP, SSH), which are 4 MB of memory and two thirds of a start's instructions; who only
 * starts programs and serves them has no use for any. Functions are called through a table, whose
 * types are those of curl's own header.
 *
 * Each client has a table of its own. The library stays once it was loaded, so that loading it
 * again is a look-up. Any thread may do so.
 */
#ifndef FER_CURL_API_H
#define FER_CURL_API_H

#include <curl/curl.h>

#include "net_rules.h"

#define FER_CURL_LIBRARY "libcurl.so.4"
#define FER_CURL_OLDEST  0x075700 /* 7.87.0 */

/* What is used of it: a row for each function, without its prefix. */
#define FER_CURL_FUNCTIONS(ROW)                                                                    \
    ROW(easy_cleanup)                                                                              \
    ROW(easy_getinfo)                                                                              \
    ROW(easy_init)                                                                                 \
    ROW(easy_pause)                                                                                \
    ROW(easy_setopt)                                                                               \
    ROW(free)                                                                                      \
    ROW(getdate)                                                                                   \
    ROW(global_cleanup)                                                                            \
    ROW(global_init)                                                                               \
    ROW(multi_add_handle)                                                                          \
    ROW(multi_assign)                                                                              \
    ROW(multi_cleanup)                                                                             \
    ROW(multi_info_read)                                                                           \
    ROW(multi_init)                                                                                \
    ROW(multi_remove_handle)                                                                       \
    ROW(multi_setopt)                                                                              \
    ROW(multi_socket_action)                                                                       \
    ROW(slist_append)                                                                              \
    ROW(slist_free_all)                                                                            \
    ROW(url)                                                                                       \
    ROW(url_cleanup)                                                                               \
    ROW(url_get)                                                                                   \
    ROW(url_set)                                                                                   \
    ROW(version_info)

typedef struct fer_curl {
#define FER_CURL_MEMBER(name) __typeof__(curl_##name) *name;
    FER_CURL_FUNCTIONS(FER_CURL_MEMBER)
#undef FER_CURL_MEMBER
} fer_curl;

/* FER_BACKEND_UNAVAILABLE: there is no such library here, or an older one. */
fer_code fer_curl_load(fer_curl *out, fer_err *err);
/* Whether curl, which will connect, reads the same host and port from the URL as we do. */
bool fer_curl_agrees(const fer_curl *curl, fer_str url, const fer_net_target *target);

#endif
