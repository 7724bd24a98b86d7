/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baselines of `ferrule check`. What must hold: a text is a baseline or is refused with a reason;
 * an entry takes as many findings as it says, and no more; and then nothing is gone.
 */
#include "baseline.h"
#include "fuzz.h"

static size_t take_all(fer_baseline *b, const fer_baseline_entry *e, size_t most)
{
    fer_rule rule = {.id = fer_arena_copy(b->arena, e->rule).ptr}; /* ends with a 0 */
    fer_finding f = {.rule = &rule, .tool = e->tool, .tool_pointer = e->at, .profile = e->profile};
    size_t taken = 0;
    bool took = true;
    for (; took && taken <= most; taken += took)
        HOLDS(fer_baseline_take(b, &f, &took, NULL) == FER_OK);
    return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_err err = {0};
    fer_baseline b;
    fer_baseline_init(&b, a);
    fer_code code = fer_baseline_read(&b, fuzz_text(data, size), &err);
    if (code) HOLDS(err.code == code && err.message[0]);
    size_t asked = 0, gone = fer_baseline_gone(&b);
    for (size_t i = 0; !code && i < b.count; i++) {
        const fer_baseline_entry *e = b.entries[i];
        bool plain = !memchr(e->rule.ptr, '\0', e->rule.len); /* as rules are */
        if (!plain || e->count > 1000) continue;
        HOLDS(take_all(&b, e, e->count) == e->count);
        asked += e->count;
    }
    if (!code) HOLDS(fer_baseline_gone(&b) + asked == gone);
    fer_arena_free(a);
    return 0;
}
