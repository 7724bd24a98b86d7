/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a ledger that an operator may set: a row each, for the options and for the page. */
#ifndef FER_LEDGER_LIMITS_H
#define FER_LEDGER_LIMITS_H

#include "ledger.h"

struct fer_ledger_limit_row {
    const char *name;
    size_t offset; /* in fer_ledger_options; */
    bool is_time;  /* there an int64_t of milliseconds, else a size_t */
    uint64_t preset, least, most;
    const char *text;
};
extern const struct fer_ledger_limit_row fer_ledger_limit_rows[];
extern const size_t fer_ledger_limit_row_count;

/* Copies options with every default filled in; FER_OUT_OF_RANGE names the one that is out of
 * bounds. */
fer_code fer_ledger_options_fill(const fer_ledger_options *from, fer_ledger_options *to,
                                 fer_err *err);

#endif
