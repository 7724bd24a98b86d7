/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of the log for a call that has ended: the fields of fer_call_log_keys and no others,
 * those that are known. Nothing that the tool was given or gave, no name of an argument, no key, no
 * URL. Whoever called is told apart by a digest of its name. An answer that comes after its call
 * has ended is a line of its own: the event `tool.late`, of the same fields.
 */
#ifndef FER_CALL_LOG_H
#define FER_CALL_LOG_H

#include <ferrule/gateway.h>

#include "log.h"

#define FER_CALL_LOG_VERSION 1   /* of the fields: `eventVersion` */
#define FER_CALL_LOG_TEXT    512 /* bytes of one text: a line is never cut */

/* All keys that a line may have beside `ts`, `level` and `event`; ended by NULL. */
extern const char *const fer_call_log_keys[];

/* What whoever called is told apart by: the first 64 bits of a SHA-256 of its name, as hexadecimal;
 * empty for nobody. */
void fer_call_log_digest(fer_str principal, char out[17]);

void fer_call_log(const fer_log *log, const fer_call_report *r);
/* `duration.ms` is from when the call was given up, `attempts` which attempt was answered. */
void fer_call_log_late(const fer_log *log, const fer_late_report *r);

#endif
