/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines, checkpoints and sealed records as they may stand in files. What must hold: a line is taken
 * only if its hash is that of its bytes; a line that is taken, changed in any byte, is not; what is
 * read of a line lies inside of it; a checkpoint is signed only by its key; sealed bytes open only
 * if they were sealed here. Each input is also tried as a body that is written and read again.
 */
#include "fuzz.h"

#include "hash_chain.h"
#include "ledger_facts.h"
#include "seal.h"

static void look_at_line(fer_str text, fer_digest *d)
{
    fer_line l;
    if (!fer_line_read(text, &l)) return;
    HOLDS(l.body.ptr >= text.ptr && l.body.ptr + l.body.len <= text.ptr + text.len);
    HOLDS(l.hash_at < text.len && l.type < FER_LEDGER_TYPES);
    (void)fer_line_wall(l.time);
    fer_str call = fer_facts_call(l.body);
    HOLDS(!call.len || (call.ptr >= text.ptr && call.ptr + call.len <= text.ptr + text.len));
    (void)fer_line_holds(text, &l, d);
}

/* A body that is written is read again as it was, and no changed byte of its line is taken. */
static void write_and_read(fer_arena *a, fer_str json, fer_digest *d)
{
    fer_str body;
    fer_err err = {0};
    fer_facts given, written, seen;
    const yyjson_val *root;
    if (fer_line_body(a, json, &body, &root, &err)) {
        HOLDS(err.message[0]);
        return;
    }
    /* What the ledger sees before it writes is what readers will see. */
    HOLDS(!fer_facts_of(a, root, &given, &err) && !fer_facts_read(a, body, &written, &err));
    HOLDS(fer_str_eq(given.call, written.call) && fer_str_eq(given.status, written.status) &&
          fer_str_eq(given.effect, written.effect) && fer_str_eq(given.code, written.code));
    /* What needs no reading is written as it is. Texts that are longer than names are not kept. */
    if (fer_facts_scan(json, &seen))
        HOLDS(fer_str_eq(json, body) && (fer_str_eq(seen.call, written.call) ||
                                         seen.call.len > (size_t)6 * FER_LEDGER_TENANT));
    char *to = fer_arena_alloc(a, FER_LINE_MAX);
    HOLDS(to);
    fer_line l = {.body = body,
                  .boot = FER_STR("01234567-89ab-cdef-0123-456789abcdef"),
                  .mono = 7,
                  .prev = FER_STR(FER_LINE_ZERO),
                  .seq = 1,
                  .time = FER_STR("2026-11-17T08:00:00.000Z"),
                  .tenant = FER_STR("acme"),
                  .tprev = FER_STR(FER_LINE_ZERO),
                  .type = FER_LEDGER_POLICY};
    fer_line again;
    size_t n = fer_line_write(to, &l, d);
    HOLDS(n && to[n - 1] == '\n' && !memchr(to, '\n', n - 1));
    fer_str text = {to, n - 1};
    HOLDS(fer_line_read(text, &again) && fer_line_holds(text, &again, d));
    HOLDS(fer_str_eq(again.body, body));
    size_t at = (json.len * 31 + (json.len ? (unsigned char)json.ptr[0] : 0)) % text.len;
    to[at] = (char)(to[at] ^ 4);
    HOLDS(!fer_line_read(text, &again) || !fer_line_holds(text, &again, d));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char secret[32] = {1, 2, 3};
    fer_str text = {(const char *)data, size}, open;
    fer_checkpoint p;
    fer_facts facts;
    fer_seal *seal;
    fer_arena *a = fuzz_arena();
    fer_digest *d = fer_digest_new();
    HOLDS(d);
    look_at_line(text, d);
    write_and_read(a, text, d);
    (void)fer_facts_call(text);
    (void)fer_facts_read(a, text, &facts, NULL);
    if (fer_checkpoint_read(text, &p)) {
        fer_sign_key *k = fer_sign_key_new(secret);
        HOLDS(k && !fer_checkpoint_is_signed(&p, k));
        fer_sign_key_free(k);
    }
    HOLDS(fer_seal_new_key(secret, &seal, NULL) == FER_OK);
    HOLDS(fer_seal_open(a, seal, FER_STR("t"), FER_STR_NONE, text, &open, NULL) != FER_OK);
    fer_seal_free(seal);
    fer_digest_free(d);
    fer_arena_free(a);
    return 0;
}
