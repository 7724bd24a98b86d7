/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the HTTP client share. http_client.c stands between curl and the loop,
 * http_call.c takes a call from its start to its end, http_options.c tells curl what is asked,
 * http_head.c reads heads and checks fields, http_faults.c names what went wrong.
 *
 * Curl is entered from the loop alone: start, cancel and resume note what is wanted and leave it to
 * the next turn (the tick), so they may be called from any event. Only the end of a call frees it,
 * and its memory stays until the loop has closed its timer.
 */
#ifndef FER_HTTP_PARTS_H
#define FER_HTTP_PARTS_H

#include "buf.h"
#include "curl_api.h"
#include "http_client.h"

struct fer_http {
    uv_loop_t *loop;
    fer_curl curl;
    CURLM *multi; /* NULL before the first call, and so is all of `curl` */
    uv_timer_t curl_timer, tick;
    fer_http_options options;
    fer_http_call *calls; /* the newest first */
    size_t live;
    uint64_t connections;
    size_t handles; /* of the loop that are not closed */
    bool closing;
};

typedef enum fer_http_state {
    FER_HTTP_WAITING, /* for the tick, to be given to curl */
    FER_HTTP_RUNNING,
    FER_HTTP_ENDED
} fer_http_state;

struct fer_http_call {
    fer_http *client;
    const fer_curl *curl; /* the client's */
    fer_http_call *prev, *next;
    fer_http_events events;
    fer_http_state state;
    fer_arena *arena; /* of the request and of the head */
    uv_timer_t alarm;
    int64_t deadline_ns, idle_ns, active_ns; /* active: when a byte last came */
    curl_off_t uploaded;                     /* when the alarm last looked */

    CURL *easy;
    struct curl_slist *fields; /* of the request, as curl wants them */
    fer_net_target target;
    fer_str url, method, body; /* ended by NUL, but for the body */
    unsigned redirects;
    bool asked, sent;

    fer_buf raw; /* lines of the head */
    size_t head_max, head_len, body_max, body_len;
    fer_http_head head;
    fer_str location; /* where an answer that is not shown leads; `ptr` NULL: it is shown */
    bool head_done;

    bool cancelled;
    bool paused;          /* as its owner wants */
    bool held;            /* as curl was told */
    fer_http_fault fault; /* found in a callback of curl's */
    const char *why;      /* there is no secure connection; or NULL */
    fer_err err;
    char curl_text[CURL_ERROR_SIZE]; /* looked at, never shown: it may quote what was received */
};

/* http_client.c */
fer_code fer_http_need_curl(fer_http *h, fer_err *err); /* loads it, where it is not yet */
void fer_http_wake(fer_http *h);                        /* has the tick come */
void fer_http_handle_closed(fer_http *h);

/* http_call.c */
void fer_http_call_tick(fer_http_call *c);
void fer_http_call_done(fer_http_call *c, CURLcode result);
void fer_http_call_finish(fer_http_call *c, fer_http_fault fault);

/* http_options.c */
/* Makes the easy handle; false without memory. */
bool fer_http_call_prepare(fer_http_call *c);
/* Goes where `location` says: FER_HTTP_FINE and the call is to be prepared again, or a fault. */
fer_http_fault fer_http_call_redirect(fer_http_call *c);

/* http_head.c */
fer_code fer_http_check_fields(const fer_http_field *fields, size_t count, fer_err *err);
fer_code fer_http_check_method(fer_str method, fer_err *err);
/* Takes the lines of a head apart; their bytes are used in place. */
fer_http_fault fer_http_head_parse(fer_arena *a, fer_str lines, fer_http_head *out);

/* http_faults.c */
/* Fills the call's `err` and returns the fault, where it has none yet. */
fer_http_fault fer_http_call_fail(fer_http_call *c, fer_http_fault fault);
/* Also says in the call why it was, where that is known. */
fer_http_fault fer_http_fault_of(CURLcode code, fer_http_call *c);

#endif
