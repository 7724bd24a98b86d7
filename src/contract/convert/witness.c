/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the changes of a tool say they lose is held against the engine. What is not wider must
 * have every instance of the converted schema, translated back, accepted by the original;
 * what is not narrower must say every instance of the original, and get it back the same.
 * Where nothing is translated, the engine may prove it for all instances at once.
 */
#include "errors.h"
#include "json_value.h"
#include "rewrite.h"

struct trial {
    fer_rw *c;
    fer_arena *arena; /* reset with each instance */
    fer_schema *original;
    fer_passage passage;
    bool marked;
    bool alternatives; /* some are translated, so it matters which of them a value is for */
    size_t judged;
    fer_err *err;
};

static fer_code no_memory(fer_code code)
{
    return code == FER_OUT_OF_MEMORY ? code : FER_OK;
}

static bool takes(struct trial *t, const fer_schema *s, fer_str json)
{
    fer_json *doc;
    bool valid = false;
    if (fer_json_read(t->arena, json, fer_json_limits_file(), &doc, NULL)) return false;
    if (fer_schema_accepts(s, t->arena, fer_json_root(doc), &valid, NULL)) return false;
    return valid;
}

static bool is_same(struct trial *t, fer_str x, fer_str y)
{
    fer_json *one, *two;
    bool equal = false;
    if (fer_json_read(t->arena, x, fer_json_limits_file(), &one, NULL) ||
        fer_json_read(t->arena, y, fer_json_limits_file(), &two, NULL))
        return false;
    if (fer_json_equal(t->arena, fer_json_root(one), fer_json_root(two), &equal, NULL))
        return false;
    return equal;
}

static bool wrong(struct trial *t, const char *what, fer_str witness)
{
    fer_rw_refuse(t->c, "the conversion is wrong: %s: %.*s", what,
                  FER_PRI(fer_str_head(witness, 400)));
    return false;
}

/* An instance of the converted schema comes back and is legal. */
static bool comes_back(struct trial *t, fer_str json)
{
    fer_str back = json;
    fer_err why;
    t->judged++;
    if (t->marked && fer_passage_back(t->arena, &t->passage, json, &back, &why))
        return wrong(t, "a legal call cannot be translated back", json);
    return takes(t, t->original, back) ? true
                                       : wrong(t, "it is wider than it says, by the call", json);
}

/* An instance of the original can be said, and comes back the same. */
static bool can_be_said(struct trial *t, fer_str json)
{
    fer_str there = json, back;
    t->judged++;
    if (t->marked && fer_passage_forth(t->arena, &t->passage, json, &there, NULL))
        there = FER_STR_NONE;
    if (!there.ptr || !takes(t, t->passage.schema, there))
        return wrong(t, "it is narrower than it says, without the call", json);
    if (!t->marked) return true;
    if (fer_passage_back(t->arena, &t->passage, there, &back, NULL))
        return wrong(t, "a call cannot come back", json);
    if (is_same(t, json, back)) return true;
    if (!t->alternatives) return wrong(t, "a call comes back as another", json);
    return fer_rw_refuse(t->c, "alternatives cannot be told apart any more, as in %.*s",
                         FER_PRI(fer_str_head(json, 400)));
}

/* ---- all instances ---------------------------------------------------------------------- */

struct pool {
    fer_specimen *list;
    size_t count; /* of valid ones */
};

static fer_code sample(struct trial *t, const fer_schema *s, const fer_schema *beside,
                       struct pool *out)
{
    fer_sample_options o = {
        .max = FER_CONVERT_SAMPLES, .steps = FER_CONVERT_STEPS, .beside = beside};
    size_t all = 0;
    out->count = 0;
    fer_code code = fer_schema_samples(t->c->arena, s, &o, &out->list, &all, t->err);
    if (code) return no_memory(code);
    while (out->count < all && out->list[out->count].valid) out->count++;
    return FER_OK;
}

/* Whether the engine proves that `larger` takes all that `smaller` takes; a witness refutes it. */
static bool proves(struct trial *t, const fer_schema *larger, const fer_schema *smaller)
{
    fer_included got = {FER_INCLUSION_UNKNOWN, FER_STR("")};
    if (t->marked) return false;
    if (fer_schema_includes(t->c->arena, larger, smaller, FER_CONVERT_STEPS / 4, &got, NULL))
        return false;
    return got.verdict == FER_INCLUDED;
}

static bool each(struct trial *t, const struct pool *p,
                 bool (*judge)(struct trial *t, fer_str json))
{
    for (size_t i = 0; i < p->count; i++) {
        fer_arena_reset(t->arena);
        if (!judge(t, p->list[i].json)) return false;
    }
    return true;
}

/* An output that takes nothing is never right where the original takes something. */
static bool takes_something(struct trial *t, const struct pool *original, const struct pool *made)
{
    if (made->count || !original->count) return true;
    for (size_t i = 0; i < original->count; i++) {
        fer_str there = original->list[i].json;
        fer_arena_reset(t->arena);
        if (t->marked && fer_passage_forth(t->arena, &t->passage, there, &there, NULL)) continue;
        if (there.ptr && takes(t, t->passage.schema, there)) return true;
    }
    return fer_rw_refuse(t->c, "nothing would be valid under the converted schema");
}

/* ---- rounds ----------------------------------------------------------------------------- */

/* What one schema takes, another must: proved, or shown. */
static bool within(struct trial *t, const fer_schema *larger, const fer_schema *smaller)
{
    fer_included got = {FER_INCLUSION_UNKNOWN, FER_STR("")};
    struct pool p;
    if (!fer_schema_includes(t->c->arena, larger, smaller, FER_CONVERT_STEPS / 4, &got, NULL) &&
        got.verdict == FER_INCLUDED)
        return true;
    if (sample(t, smaller, larger, &p)) return true;
    for (size_t i = 0; i < p.count; i++) {
        fer_arena_reset(t->arena);
        t->judged++;
        if (!takes(t, larger, p.list[i].json))
            return wrong(t, "a round of it loses more than it says, by", p.list[i].json);
    }
    return true;
}

static bool judge_stage(struct trial *t, const struct fer_stage *stage)
{
    fer_schema_options o = {.limits = fer_schema_limits_file()};
    fer_schema *before = NULL, *after = NULL;
    bool good = true;
    if (!(stage->wider && stage->narrower) &&
        !fer_schema_compile(stage->before, &o, &before, NULL) &&
        !fer_schema_compile(stage->after, &o, &after, NULL)) {
        if (!stage->wider) good = within(t, before, after);
        if (good && !stage->narrower) good = within(t, after, before);
    }
    fer_schema_unref(before);
    fer_schema_unref(after);
    return good;
}

/* Where a tool is both narrower and wider, its rounds are held against what each of them says. */
static void judge_rounds(struct trial *t)
{
    for (size_t i = 0; i < t->c->stage_count; i++) {
        if (!judge_stage(t, &t->c->stages[i])) return;
    }
}

static fer_code judge_all(struct trial *t, fer_converted *out)
{
    unsigned losses = 0;
    struct pool before, after;
    for (size_t i = 0; i < t->c->note_count; i++) losses |= 1u << t->c->notes[i].loss;
    bool wider = losses >> FER_LOSS_WIDER & 1, narrower = losses >> FER_LOSS_NARROWER & 1;
    fer_code code = sample(t, t->original, t->passage.schema, &before);
    if (!code) code = sample(t, t->passage.schema, t->original, &after);
    if (code || !takes_something(t, &before, &after)) return code;
    bool sound = !wider && proves(t, t->original, t->passage.schema);
    bool whole = !narrower && proves(t, t->passage.schema, t->original);
    if (!wider && !sound && !each(t, &after, comes_back)) return FER_OK;
    if (!narrower && !whole && !each(t, &before, can_be_said)) return FER_OK;
    if (wider && narrower) judge_rounds(t);
    out->witnesses = t->judged;
    out->proved = (wider || sound) && (narrower || whole) && !(wider && narrower);
    return FER_OK;
}

fer_code fer_rw_witness(fer_rw *c, fer_str original, fer_str marked, fer_converted *out,
                        fer_err *err)
{
    struct trial t = {.c = c, .marked = out->back.len > 0, .err = err};
    t.alternatives = memmem(marked.ptr, marked.len, "\"op\":\"branch\"", 13);
    fer_schema_options o = {.limits = fer_schema_limits_file()};
    fer_err why;
    fer_code code = fer_schema_compile(original, &o, &t.original, &why);
    if (code) {
        if (code != FER_OUT_OF_MEMORY) fer_rw_refuse(c, "the schema is not valid: %s", why.message);
        return code == FER_OUT_OF_MEMORY ? fer_fail(err, code, "out of memory") : FER_OK;
    }
    code = fer_passage_open(c->arena, marked, &t.passage, &why);
    if (code && code != FER_OUT_OF_MEMORY) {
        fer_rw_refuse(c, "the conversion is wrong: it is no schema: %s", why.message);
        code = FER_OK;
    } else if (!code) {
        t.arena = fer_arena_new(0);
        code = t.arena ? judge_all(&t, out) : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    fer_arena_free(t.arena);
    fer_passage_close(&t.passage);
    fer_schema_unref(t.original);
    return code;
}
