/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What carries messages to one MCP server and back: a process's pipes, HTTP, or a test's memory.
 * A link knows how messages travel and nothing of what they mean; what they mean is the client's
 * (mcp_client.h), which is its only user.
 *
 * The life of a link: made -> open -> messages both ways -> `closed`, because close was asked for
 * or by itself -> perhaps open again -> close, a last time -> `closed` -> free. No event comes from
 * within `open` and `send`; from within `close`, `closed` may. All of it belongs to the thread of
 * its loop.
 */
#ifndef FER_MCP_LINK_H
#define FER_MCP_LINK_H

#include "mcp_version.h"

typedef struct fer_mcp_link fer_mcp_link;

/* An argument that is mirrored in a header: Mcp-Param-NAME. */
typedef struct fer_mcp_mirrored {
    fer_str name, value; /* the value as text, not encoded yet */
    bool number;         /* it is that of one */
} fer_mcp_mirrored;

/* One message on its way out. Everything is copied where it is kept. */
typedef struct fer_mcp_out {
    fer_str json;   /* on one line */
    uint64_t id;    /* of a request; 0: nothing will be answered */
    fer_str method; /* of a request or notification; empty: an answer */
    fer_str name;   /* of the tool, prompt or resource that it is about; or empty */
    const struct fer_mcp_mirrored *mirrored; /* arguments that go into headers (2026-07-28) */
    size_t mirrored_count;
    int64_t deadline;               /* fer_clock_mono; 0: it may take as long as it likes */
    const fer_mcp_version *version; /* that it is written in */
    bool opens; /* the answer opens a connection: nothing of an earlier one is sent along */
} fer_mcp_out;

/* Why a request will get no answer. */
typedef struct fer_mcp_failure {
    fer_code code;
    bool sent;              /* a byte of it may have reached the server */
    bool refused;           /* the server says that it did nothing with it */
    bool lost;              /* the server has forgotten us: connect again, then ask again */
    bool unknown;           /* nothing there that speaks this version, by the look of it */
    int64_t retry_after_ms; /* the server asks for so long a pause; 0: it does not */
    const char *message;    /* a sentence */
} fer_mcp_failure;

typedef struct fer_mcp_link_events {
    /* A text that should be a message. `stream`: of the request on whose answer's stream it came,
     * 0: on none. */
    void (*message)(void *context, uint64_t stream, fer_str json);
    /* Bytes came that cannot be a message. */
    void (*noise)(void *context);
    /* A message came of more than `max` bytes; of it are left how it began and how it ended. */
    void (*too_long)(void *context, size_t max, fer_str head, fer_str tail);
    /* Bytes came that there was no memory to hold, and which may have been an answer. */
    void (*starved)(void *context);
    /* A request that was sent will get no answer. */
    void (*failed)(void *context, uint64_t id, const fer_mcp_failure *f);
    /* Whether a request still waits for its answer. */
    bool (*waits)(void *context, uint64_t id);
    /* All is over, and nothing of the server is left. FER_OK: it was asked to close. */
    void (*closed)(void *context, fer_code code, const char *why);
} fer_mcp_link_events;

typedef struct fer_mcp_link_kind {
    bool streams; /* each request has a stream of its own; to a modern server, closing it cancels */
    /* Whether it may be opened at all; where it may not, that is no failure of the server's. May be
     * NULL. */
    fer_code (*permit)(fer_mcp_link *l, fer_err *err);
    fer_code (*open)(fer_mcp_link *l, fer_err *err);
    /* Fails where nothing was sent. */
    fer_code (*send)(fer_mcp_link *l, const fer_mcp_out *m, fer_err *err);
    /* Whether the server may have seen a byte of this request by now. NULL: once it was sent. */
    bool (*sent)(const fer_mcp_link *l, uint64_t id);
    /* Nobody waits for the answer to this request any more. May be NULL. */
    void (*abandon)(fer_mcp_link *l, uint64_t id);
    /* Reads no more of the answer to this request, or goes on. May be NULL. */
    void (*pause)(fer_mcp_link *l, uint64_t id, bool paused);
    /* Both sides have agreed; `news`: the server may say things unasked. May be NULL. */
    void (*agreed)(fer_mcp_link *l, const fer_mcp_version *version, bool news);
    /* Politely, or where `hurry` is true not; `closed` follows, also where it is not open. */
    void (*close)(fer_mcp_link *l, bool hurry);
    int (*pid)(const fer_mcp_link *l); /* may be NULL */
    /* The last that the server said beside its messages, for the operator; `*cut`: and more. May be
     * NULL. */
    fer_str (*said)(const fer_mcp_link *l, bool *cut);
    void (*free)(fer_mcp_link *l);
} fer_mcp_link_kind;

/* The head of every link's own struct; `events` and `context` are the client's. */
struct fer_mcp_link {
    const fer_mcp_link_kind *kind;
    const fer_mcp_link_events *events;
    void *context;
};

#endif
