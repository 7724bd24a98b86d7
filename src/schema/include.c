/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One schema within another: first a proof is looked for (prove.h), then a witness among
 * instances at the borders of both (sample.h). A witness is one only where the engine says
 * so of the whole schemas.
 */
#include <ferrule/json.h>

#include "errors.h"
#include "prove.h"
#include "sample.h"

#define WITNESS_KEEP 64 /* instances that are looked through */

static bool same_text(fer_arena *a, const fer_schema *x, const fer_schema *y, bool *same)
{
    fer_err err;
    *same = x == y;
    if (*same || x->dialect != y->dialect || x->library.below != y->library.below) return true;
    return fer_json_equal(a, x->value, y->value, same, &err) == FER_OK;
}

/* What the engine says of a whole schema. */
static bool says(fer_gister *m, const fer_schema *s, const yyjson_val *value, bool expected)
{
    bool valid;
    fer_err err;
    fer_code code = fer_schema_accepts(s, m->brief, value, &valid, &err);
    m->no_memory |= code == FER_OUT_OF_MEMORY;
    return !code && valid == expected;
}

static bool is_witness(fer_gister *m, const fer_schema *smaller, const fer_schema *larger,
                       fer_str json)
{
    fer_json *doc;
    fer_err err;
    fer_arena_reset(m->brief);
    fer_code code = fer_json_read(m->brief, json, fer_json_limits_file(), &doc, &err);
    m->no_memory |= code == FER_OUT_OF_MEMORY;
    return !code && says(m, smaller, fer_json_root(doc), true) &&
           says(m, larger, fer_json_root(doc), false);
}

/* The shortest one that was found. */
static fer_str find_witness(fer_gister *m, const fer_schema *smaller, const fer_schema *larger)
{
    fer_sampler s = {.m = m, .keep = WITNESS_KEEP};
    fer_parts own = {0}, hint = {0};
    fer_str best = FER_STR_NONE;
    fer_map_init(&s.pools, m->arena);
    fer_parts_add(m, &own, (fer_part){smaller, smaller->root});
    fer_parts_add(m, &hint, (fer_part){larger, larger->root});
    const fer_pool *pool = fer_sample_place(&s, &own, &hint);
    for (size_t i = 0; pool && i < pool->valid.count; i++) {
        fer_str json = pool->valid.list[i];
        bool shorter = !best.ptr || json.len < best.len;
        if (shorter && is_witness(m, smaller, larger, json)) best = json;
    }
    return best;
}

static void decide(fer_gister *m, const fer_schema *larger, const fer_schema *smaller, size_t steps,
                   fer_included *out)
{
    fer_prover p = {.m = m};
    fer_parts own = {0};
    fer_parts_add(m, &own, (fer_part){smaller, smaller->root});
    bool proved = fer_prove(&p, &own, (fer_part){larger, larger->root});
    if (proved) {
        *out = (fer_included){FER_INCLUDED, FER_STR("")};
        return;
    }
    m->tired = false;
    m->steps = steps;
    fer_str witness = find_witness(m, smaller, larger);
    *out = (fer_included){witness.ptr ? FER_NOT_INCLUDED : FER_INCLUSION_UNKNOWN,
                          witness.ptr ? witness : FER_STR("")};
}

fer_code fer_schema_includes(fer_arena *a, const fer_schema *larger, const fer_schema *smaller,
                             size_t steps, fer_included *out, fer_err *err)
{
    fer_gister m;
    fer_included found = {FER_INCLUDED, FER_STR("")};
    bool same = false;
    if (!steps) steps = FER_INCLUDE_STEPS;
    bool ready = fer_gister_init(&m, a, steps) && same_text(a, smaller, larger, &same);
    if (ready && !same) decide(&m, larger, smaller, steps, &found);
    bool failed = !ready || m.no_memory;
    fer_gister_deinit(&m);
    if (failed) return fer_arena_failed(a, err);
    *out = found;
    return FER_OK;
}
