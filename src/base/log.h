/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structured logging: an event name and typed fields, one line each. Lines are
 * short sentences of key=value on a terminal and JSON otherwise; control
 * characters are escaped in both, so that no value can forge a line. A line that
 * is too long loses its last fields and says so; an event's name has at most 64 bytes. A log
 * belongs to one thread. Never log an argument, an output, a token or anything else a tool was
 * given.
 */
#ifndef FER_LOG_H
#define FER_LOG_H

#include "str.h"

enum fer_log_level {
    FER_LOG_ERROR,
    FER_LOG_WARN,
    FER_LOG_INFO,
    FER_LOG_DEBUG
};

typedef struct fer_log {
    int fd;                   /* below 0: nobody reads it */
    enum fer_log_level level; /* events above it are dropped */
    bool pretty;
    bool colour;
} fer_log;

enum fer_log_kind {
    FER_LOG_END,
    FER_LOG_TEXT,
    FER_LOG_INT,
    FER_LOG_REAL,
    FER_LOG_BOOL
};

struct fer_log_field {
    const char *key;
    enum fer_log_kind kind;
    fer_str text;
    int64_t integer;
    double real;
};

#define FER_LOG_MAX_LINE 16384

/* fer_log_event(log, FER_LOG_INFO, "input.read", FER_LOG_S("file", path), FER_LOG_I("bytes", n));
 */
#define FER_LOG_S(k, v) ((struct fer_log_field){.key = (k), .kind = FER_LOG_TEXT, .text = (v)})
#define FER_LOG_I(k, v)                                                                            \
    ((struct fer_log_field){.key = (k), .kind = FER_LOG_INT, .integer = (int64_t)(v)})
#define FER_LOG_F(k, v) ((struct fer_log_field){.key = (k), .kind = FER_LOG_REAL, .real = (v)})
#define FER_LOG_B(k, v) ((struct fer_log_field){.key = (k), .kind = FER_LOG_BOOL, .integer = (v)})
#define fer_log_event(log, level, event, ...)                                                      \
    fer_log_write((log), (level), (event), (const struct fer_log_field[]){__VA_ARGS__, {0}})

void fer_log_write(const fer_log *log, enum fer_log_level level, const char *event,
                   const struct fer_log_field *fields);

/* "error", "warn", "info", "debug". */
bool fer_log_level_parse(fer_str name, enum fer_log_level *out);

#endif
