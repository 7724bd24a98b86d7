/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a ledger is put through while it is killed, or while everything it does to its files is
 * recorded. Each workload tells what was acknowledged, so that a judge can ask for it afterwards.
 */
#ifndef FER_WORKLOADS_H
#define FER_WORKLOADS_H

#include "desk.h"

/* A record that was told as durable. */
struct ack {
    uint64_t seq;
    uint32_t call; /* its number in the workload */
    uint32_t type; /* fer_ledger_type */
};
typedef void workload_ack(void *context, const struct ack *ack);

struct workload {
    const char *name;
    fer_durability durability;
    size_t calls, at_once,
        body; /* how many, how many of them at the same time, bytes of each body */
    size_t tenants;
    size_t checkpoint; /* records between two, 0: 1,000 */
    size_t openings;   /* how often the ledger is closed and opened again on the way */
    bool prune;        /* what can go goes at each opening */
};
extern const struct workload workloads[];
extern const size_t workload_count;

/* Runs it in a folder; false where the ledger could not be opened or refused something. */
bool workload_run(const struct workload *w, const char *folder, workload_ack *ack, void *context);

/*
 * Opens what is left, which closes open calls, closes it and holds it against what was
 * acknowledged: every ack is there with its number, nothing is open, the chain is whole. Complains
 * and returns false where that is not so.
 */
bool workload_judge(const struct workload *w, const char *folder, const struct ack *acks,
                    size_t count);

#endif
