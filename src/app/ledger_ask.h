/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of the ledger share: which ledger is meant, what is asked for, how a record is
 * shown. */
#ifndef FER_LEDGER_ASK_H
#define FER_LEDGER_ASK_H

#include "command.h"
#include "ledger_read.h"

typedef struct fer_ask_ledger {
    fer_app *app;
    fer_arena *arena;
    fer_arena *scratch; /* reset with each record */
    const char *folder;
    fer_question question; /* as it is written in lines */
    fer_ledger_reader *reader;
    bool begun; /* something was shown */
} fer_ask_ledger;

/* Reads the options and opens the ledger; 0, or the exit code, after saying why. */
int fer_ask_ledger_init(fer_ask_ledger *k, fer_app *app);
void fer_ask_ledger_deinit(fer_ask_ledger *k);

/* A moment: RFC 3339 in UTC, a date, or how long ago ("90s", "15m", "2h", "7d"). */
bool fer_moment_parse(fer_str text, int64_t now_ms, int64_t *out_ms);
/* A length of time: "90s" and so on. */
bool fer_age_parse(fer_str text, int64_t *out_ms);

/* The heads of the columns, on a terminal. */
void fer_records_begin(fer_out *o);
/* One record: its line as it is, or time, type, tenant, tool, status, call in columns, and of some
 * types what they are about (`denied`: rule and reason), read in the arena. */
void fer_record_json(fer_out *o, fer_str text);
void fer_record_show(fer_out *o, fer_arena *a, const fer_line *l, const fer_facts *f);
void fer_record_csv_head(fer_out *o);
void fer_record_csv(fer_out *o, const fer_line *l, const fer_facts *f);

#endif
