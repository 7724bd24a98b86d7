/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_limits.h"

#include "errors.h"
#include "ledger_line.h"

#define AT(member) offsetof(fer_ledger_options, member)
#define KIB(n)     ((uint64_t)(n) << 10)
#define MIB(n)     ((uint64_t)(n) << 20)

const struct fer_ledger_limit_row fer_ledger_limit_rows[] = {
    {"ledger.segment", AT(segment_bytes), false, MIB(64), KIB(256), MIB(4096),
     "bytes of one segment, taken from the disk when it is begun"},
    {"ledger.flush", AT(flush_bytes), false, KIB(64), 1, MIB(1),
     "bytes that are written at once even if nobody waits for them"},
    {"ledger.flushMs", AT(flush_ms), true, 2, 1, 10000,
     "how long a record that nobody waits for may wait for others"},
    {"ledger.checkpoint", AT(checkpoint_records), false, 1000, 1, 1000000,
     "records between two signed checkpoints"},
    {"ledger.checkpointMs", AT(checkpoint_ms), true, 10000, 100, 86400000,
     "time between two checkpoints while there are new records"},
    {"ledger.queue", AT(queue_bytes), false, MIB(8), KIB(64), MIB(1024),
     "bytes that may wait to be written; ends of calls are taken beyond it"},
    {"ledger.end", AT(end_bytes), false, KIB(20), 1024, KIB(64),
     "space that a begun call keeps for its end; half a segment of it is how many may be open"},
    {"ledger.keepMs", AT(keep_ms), true, 0, 1, INT64_MAX,
     "age at which whole segments are pruned; 0: never"},
};
const size_t fer_ledger_limit_row_count = FER_COUNT(fer_ledger_limit_rows);

static uint64_t get(const fer_ledger_options *o, const struct fer_ledger_limit_row *row)
{
    const char *at = (const char *)o + row->offset;
    if (row->is_time) return (uint64_t) * (const int64_t *)(const void *)at;
    return *(const size_t *)(const void *)at;
}

static void set(fer_ledger_options *o, const struct fer_ledger_limit_row *row, uint64_t value)
{
    char *at = (char *)o + row->offset;
    if (row->is_time) *(int64_t *)(void *)at = (int64_t)value;
    else *(size_t *)(void *)at = (size_t)value;
}

fer_code fer_ledger_options_fill(const fer_ledger_options *from, fer_ledger_options *to,
                                 fer_err *err)
{
    fer_ledger_options o = *from;
    for (size_t i = 0; i < fer_ledger_limit_row_count; i++) {
        const struct fer_ledger_limit_row *row = &fer_ledger_limit_rows[i];
        uint64_t value = get(from, row);
        if (value == 0) set(&o, row, row->preset);
        else if (value < row->least || value > row->most)
            return fer_fail(err, FER_OUT_OF_RANGE, "%s is %llu to %llu, not %llu", row->name,
                            (unsigned long long)row->least, (unsigned long long)row->most,
                            (unsigned long long)value);
    }
    *to = o;
    return FER_OK;
}
