/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control of the judge: a history in which all is well, and for each invariant histories that
 * break it in one place, which it must find, and under that invariant.
 */
#include "history.h"

#include <stdlib.h>
#include <unistd.h>

#include "rows.h"

/* Two writes with keys, one without, one that was lost in a crash, one Pure. */
static struct history *all_well(void)
{
    static const struct asked asked[] = {
        {"a", "t", FER_EFFECT_NON_IDEMPOTENT_WRITE, true, 1000, 2},
        {"b", "u", FER_EFFECT_IDEMPOTENT_WRITE, true, 1000, 1},
        {"c", "t", FER_EFFECT_EXTERNAL_SIDE_EFFECTS, false, 1000, 1},
        {"d", "t", FER_EFFECT_NON_IDEMPOTENT_WRITE, true, 1000, 2},
        {"e", "t", FER_EFFECT_PURE, false, 1000, 2},
        {"f", "u", FER_EFFECT_NON_IDEMPOTENT_WRITE, false, 1000, 1},
    };
    static const struct told told[] = {
        {"a", SAID_OK, 1, false, "a", "t", "m1", 5},
        {"a", SAID_OK, 0, true, "a", "t", "m1", 1},
        {"b", SAID_OK, 1, false, "b", "u", "m2", 5},
        {"c", SAID_NO, 1, false, "", "", "", 5, FER_TOOL_FAILED},
        {"d", SAID_UNKNOWN, 0, false, "", "", "", 5},
        {"e", SAID_OK, 1, false, "e", "t", "m4", 5},
        {"e", SAID_OK, 1, false, "e", "t", "m5", 5},
        {"f", SAID_REFUSED, 0, false, "", "", "", 5},
    };
    static const struct did did[] = {
        {"a", "m1"}, {"b", "m2"}, {"d", "m3"}, {"e", "m4"}, {"e", "m5"}};
    static const struct noted noted[] = {
        {FER_LEDGER_BEGIN, 1, "A", "t", "a", "", ""},
        {FER_LEDGER_END, 2, "A", "t", "", "Ok", "m1"},
        {FER_LEDGER_BEGIN, 3, "B", "u", "b", "", ""},
        {FER_LEDGER_END, 4, "B", "u", "", "Ok", "m2"},
        {FER_LEDGER_BEGIN, 5, "C", "t", "c", "", ""},
        {FER_LEDGER_END, 6, "C", "t", "", "Error", ""},
        {FER_LEDGER_BEGIN, 7, "D", "t", "d", "", ""},
        {FER_LEDGER_RECOVERED, 8, "", "-", "", "", ""},
        {FER_LEDGER_END, 9, "D", "t", "", "Unknown", ""},
    };
    static const struct kept kept[] = {
        {"A", FER_IDEM_DONE}, {"B", FER_IDEM_DONE}, {"D", FER_IDEM_UNKNOWN}};
    struct history *h = history_new();
    for (size_t i = 0; i < FER_COUNT(asked); i++) *history_asked(h, asked[i].n) = asked[i];
    for (size_t i = 0; i < FER_COUNT(told); i++) history_add_told(h, &told[i]);
    for (size_t i = 0; i < FER_COUNT(did); i++) history_add_did(h, &did[i]);
    for (size_t i = 0; i < FER_COUNT(noted); i++) history_add_noted(h, &noted[i]);
    for (size_t i = 0; i < FER_COUNT(kept); i++) history_add_kept(h, &kept[i]);
    h->recovered = true;
    h->slack_ms = 100;
    h->quiet = true;
    return h;
}

/* ---- what is broken -----------------------------------------------------------------------------
 */

static void no_begin(struct history *h)
{
    h->noted[4].type = FER_LEDGER_POLICY;
}
static void two_begins(struct history *h)
{
    history_add_noted(h, &(struct noted){FER_LEDGER_BEGIN, 10, "A", "t", "a", "", ""});
}
static void two_ends(struct history *h)
{
    history_add_noted(h, &(struct noted){FER_LEDGER_END, 10, "A", "t", "", "Ok", "m1"});
}
static void end_first(struct history *h)
{
    h->noted[0].seq = 3;
}
static void never_ended(struct history *h)
{
    h->noted[8].type = FER_LEDGER_POLICY;
}
static void sent_before_begin(struct history *h)
{
    h->noted[6].type = FER_LEDGER_POLICY;
    h->noted[8].type = FER_LEDGER_POLICY;
}
static void twice(struct history *h)
{
    history_add_did(h, &(struct did){"a", "m9"});
}
static void twice_by_key(struct history *h)
{
    history_add_did(h, &(struct did){"b", "m9"});
}
static void twice_outside(struct history *h)
{
    history_add_did(h, &(struct did){"c", "m9"});
    history_add_did(h, &(struct did){"c", "m10"});
}
static void not_done(struct history *h)
{
    h->did[0] = (struct did){"x", "x"};
}
static void no_but_done(struct history *h)
{
    history_add_did(h, &(struct did){"c", "m9"});
}
static void later_no_but_done(struct history *h)
{
    h->told[3].code = FER_BACKEND_UNAVAILABLE;
    history_add_did(h, &(struct did){"c", "m9"});
}
static void refused_but_done(struct history *h)
{
    history_add_did(h, &(struct did){"f", "m9"});
}
static void end_lost(struct history *h)
{
    h->noted[3].type = FER_LEDGER_POLICY;
    h->recovered = false;
}
static void another_status(struct history *h)
{
    memcpy(h->noted[5].status, "Ok", 3);
}
static void another_output(struct history *h)
{
    memcpy(h->noted[1].mark, "m9", 3);
}
static void key_forgotten(struct history *h)
{
    h->kept[2].state = FER_IDEM_NONE;
}
static void key_pending(struct history *h)
{
    h->kept[0].state = FER_IDEM_PENDING;
}
static void another_replay(struct history *h)
{
    memcpy(h->told[1].mark, "m9", 3);
}
static void flaw(struct history *h)
{
    h->flaws = 1;
}
static void open_call(struct history *h)
{
    h->open = 1;
}
static void anothers_result(struct history *h)
{
    memcpy(h->told[0].got, "b", 2);
}
static void anothers_tenant(struct history *h)
{
    memcpy(h->told[2].whose, "t", 2);
}
static void nobody_asked(struct history *h)
{
    memcpy(h->told[5].n, "z", 2);
}
static void anothers_record(struct history *h)
{
    memcpy(h->noted[2].tenant, "t", 2);
}
static void a_secret(struct history *h)
{
    h->secrets = 1;
}
static void a_descriptor(struct history *h)
{
    h->after.descriptors++;
}
static void a_child(struct history *h)
{
    h->after.children++;
}
static void an_allocation(struct history *h)
{
    h->after.allocations++;
}
static void too_late(struct history *h)
{
    h->told[3].took_ms = 1101;
}
static void never_answered(struct history *h)
{
    h->told[4] = h->told[1];
}

static const struct row {
    const char *name;
    unsigned invariant;
    void (*change)(struct history *h);
} rows[] = {
    {"I1: an end without a begin", 1, no_begin},
    {"I1: two begins", 1, two_begins},
    {"I1: two ends", 1, two_ends},
    {"I1: the end comes first", 1, end_first},
    {"I1: no end after recovery", 1, never_ended},
    {"I1: sent without a begin", 1, sent_before_begin},
    {"I2: a write happens twice", 2, twice},
    {"I2: a key happens twice", 2, twice_by_key},
    {"I2: something outside happens twice", 2, twice_outside},
    {"I2: told as done, and was not", 2, not_done},
    {"I2: told as not done, and was", 2, no_but_done},
    {"I2: told as not processed, and was", 2, later_no_but_done},
    {"I2: refused, and happened", 2, refused_but_done},
    {"I3: an acknowledged end is lost", 3, end_lost},
    {"I3: another status", 3, another_status},
    {"I3: another output", 3, another_output},
    {"I3: an effect whose key is gone", 3, key_forgotten},
    {"I3: a result whose key is not done", 3, key_pending},
    {"I3: a replay with another result", 3, another_replay},
    {"I4: a flaw in the chain", 4, flaw},
    {"I4: an open call", 4, open_call},
    {"I5: another call's result", 5, anothers_result},
    {"I5: another tenant's result", 5, anothers_tenant},
    {"I5: an answer that nobody asked for", 5, nobody_asked},
    {"I5: a record of another tenant", 5, anothers_record},
    {"I6: a secret", 6, a_secret},
    {"I7: a descriptor", 7, a_descriptor},
    {"I7: a child", 7, a_child},
    {"I7: an allocation", 7, an_allocation},
    {"I8: past the deadline", 8, too_late},
    {"I8: never answered", 8, never_answered},
};

static void run_row(const struct row *row)
{
    size_t found[INVARIANTS];
    struct history *h = all_well();
    assert_int_equal(history_judge(h, found), 0);
    row->change(h);
    assert_true(history_judge(h, found) > 0);
    assert_true(found[row->invariant] > 0);
    history_free(h);
}

/* Secrets are found in every form, in files of any depth. */
static void secrets_are_found(void)
{
    static const char *const secret[] = {"cnry-5b2f/A+9zQ7x"};
    static const char *const forms[] = {"cnry-5b2f/A+9zQ7x", "636e72792d356232662f412b397a513778",
                                        "Y25yeS01YjJmL0ErOXpRN3g", "cnry-5b2f%2FA%2B9zQ7x"};
    char folder[] = "/tmp/ferrule-history-XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x", folder);
    for (size_t i = 0; i < FER_COUNT(forms); i++) {
        struct history *h = history_new();
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f, "words before %s and behind\n", forms[i]);
        fclose(f);
        history_scan(h, folder, secret, 1);
        assert_int_equal(h->secrets, 1);
        history_free(h);
    }
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    return ROWS_RUN("history", rows, run_row) + ROWS_ONE("history", secrets_are_found);
}
