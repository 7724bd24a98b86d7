/* SPDX-License-Identifier: Apache-2.0 */
/* Why objects fit a larger schema: members, names, counts and what follows from a member. */
#include <ferrule/json.h>

#include "compile.h"
#include "json_number.h"
#include "prove.h"

static bool is_object(const fer_gist_inst *i)
{
    return i->slot == KW_PROPERTIES || i->slot == KW_PATTERN_PROPERTIES ||
           i->slot == KW_ADDITIONAL_PROPERTIES || i->slot == KW_REQUIRED;
}

/* The member of one name. */
static bool member_fits(fer_prover *p, const fer_claim *c, const fer_gist_inst *b, fer_str name)
{
    fer_parts mine = {0}, theirs = {0};
    fer_gist only = {.insts = (fer_gist_inst *)(uintptr_t)b, .inst_count = 1};
    bool named;
    fer_gist_member(p->m, c->gist, name, &mine, &named);
    fer_gist_member(p->m, &only, name, &theirs, &named);
    /* A pattern that could not be matched may be one of theirs. */
    for (size_t n = 0; n < b->inst->object->pattern_count; n++)
        if (fer_gist_matches(p->m, b->inst->object->patterns[n].regex, name) < 0) return false;
    for (size_t n = 0; n < theirs.count; n++)
        if (!fer_prove_below(p, &mine, theirs.list[n])) return false;
    return !p->m->no_memory;
}

static const fer_name_pattern *same_pattern(const fer_object *o, fer_str text)
{
    for (size_t n = 0; n < o->pattern_count; n++)
        if (fer_str_eq(fer_val_str(o->patterns[n].key), text)) return &o->patterns[n];
    return NULL;
}

/* What holds for members whose names match a pattern and are named nowhere. */
static void pattern_parts(fer_prover *p, const fer_gist *g, fer_str pattern, fer_parts *out)
{
    for (size_t n = 0; n < g->inst_count; n++) {
        const fer_gist_inst *i = &g->insts[n];
        if (!is_object(i)) continue;
        const fer_object *o = i->inst->object;
        const fer_name_pattern *same = pattern.len ? same_pattern(o, pattern) : NULL;
        if (same) fer_parts_add(p->m, out, fer_part_of(i, same->node));
        else if (!o->pattern_count && o->additional)
            fer_parts_add(p->m, out, fer_part_of(i, o->additional));
    }
}

/*
 * Whether other names than those in lists are ruled out by some schema that has no patterns,
 * or whose patterns match this one's names only.
 */
static bool others_fit(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    const fer_object *o = b->inst->object;
    fer_parts any = {0};
    pattern_parts(p, c->gist, FER_STR(""), &any);
    if (any.count && fer_prove_empty(p, &any, 0)) return true;
    for (size_t n = 0; n < o->pattern_count; n++) {
        fer_parts mine = {0};
        pattern_parts(p, c->gist, fer_val_str(o->patterns[n].key), &mine);
        if (!fer_prove_below(p, &mine, fer_part_of(b, o->patterns[n].node))) return false;
    }
    return !o->additional || fer_prove_below(p, &any, fer_part_of(b, o->additional));
}

/* Members that only a pattern of the smaller schema describes. */
static bool patterns_fit(fer_prover *p, const fer_claim *c, const fer_gist_inst *b, bool *closed)
{
    const fer_object *o = b->inst->object;
    *closed = false;
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (!is_object(i)) continue;
        const fer_object *mine = i->inst->object;
        if (!mine->pattern_count || !mine->additional || mine->additional->verdict != FER_NEVER)
            continue;
        *closed = true;
        for (size_t k = 0; k < mine->pattern_count; k++) {
            fer_str text = fer_val_str(mine->patterns[k].key);
            fer_parts parts = {0};
            pattern_parts(p, c->gist, text, &parts);
            bool known = same_pattern(o, text) != NULL;
            if (!known && o->additional &&
                !fer_prove_below(p, &parts, fer_part_of(b, o->additional)))
                return false;
            for (size_t q = 0; q < o->pattern_count; q++)
                if (!fer_prove_below(p, &parts, fer_part_of(b, o->patterns[q].node))) return false;
        }
        return true;
    }
    return false;
}

/* All names that either side lists. */
static bool names_fit(fer_prover *p, const fer_claim *c, const fer_gist_inst *b,
                      const fer_object *names)
{
    for (size_t n = 0; n < names->names.count; n++) {
        const fer_known *k = fer_object_at(names, n);
        if (!member_fits(p, c, b, (fer_str){k->name.ptr, k->name.len})) return false;
    }
    return true;
}

bool fer_prove_object(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    const fer_object *o = b->inst->object;
    for (size_t n = 0; n < o->names.count; n++) {
        const fer_known *k = fer_object_at(o, n);
        if (k->required && !fer_gist_requires(c->gist, (fer_str){k->name.ptr, k->name.len}))
            return false;
    }
    if (!names_fit(p, c, b, o)) return false;
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (is_object(i) && i->inst->object != o && !names_fit(p, c, b, i->inst->object))
            return false;
    }
    bool closed = false;
    if (patterns_fit(p, c, b, &closed)) return true;
    return !closed && others_fit(p, c, b);
}

bool fer_prove_min_members(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    (void)p;
    return c->gist->min_members >= fer_build_count(b->inst->source);
}

/* A closed object has no more members than names. */
bool fer_prove_max_members(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    (void)p;
    uint64_t max = fer_build_count(b->inst->source);
    if (c->gist->max_members <= max) return true;
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (!is_object(i)) continue;
        const fer_object *o = i->inst->object;
        bool closed = o->additional && o->additional->verdict == FER_NEVER && !o->pattern_count;
        if (closed && o->names.count <= max) return true;
    }
    return false;
}

/* Names are texts that the schemas of names take. */
bool fer_prove_names(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    fer_parts names = {0};
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot == KW_PROPERTY_NAMES)
            fer_parts_add(p->m, &names, fer_prove_child(i, i->inst->source));
    }
    const fer_gist *g = fer_gist_make(p->m, &names);
    fer_claim about = {&names, g, FER_G_STRING};
    p->level++;
    bool proved = g && (!(g->types & FER_G_STRING) ||
                        fer_prove_here(p, &about, fer_prove_child(b, b->inst->source)));
    p->level--;
    return proved;
}

static bool forbids(fer_prover *p, const fer_claim *c, fer_str name)
{
    fer_parts parts = {0};
    bool named;
    fer_gist_member(p->m, c->gist, name, &parts, &named);
    return parts.count && fer_prove_empty(p, &parts, 0);
}

static bool requires_all(const fer_claim *c, const yyjson_val *names, fer_str self)
{
    FER_EACH_ITEM (names, item)
        if (!fer_str_eq(fer_val_str(item), self) && !fer_gist_requires(c->gist, fer_val_str(item)))
            return false;
    return true;
}

static bool has_names(const yyjson_val *list, const yyjson_val *wanted)
{
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (wanted, item) {
        bool found = false;
        FER_EACH_ITEM (list, have) found |= fer_str_eq(fer_val_str(have), fer_val_str(item));
        if (!found) return false;
    }
    return true;
}

/* What follows from a member on the smaller side, under a keyword of the same meaning. */
static bool same_dependent(fer_prover *p, const fer_claim *c, const fer_gist_inst *b,
                           const yyjson_val *key)
{
    for (size_t n = 0; n < c->gist->inst_count; n++) {
        const fer_gist_inst *i = &c->gist->insts[n];
        if (i->slot != KW_DEPENDENCIES && i->slot != KW_DEPENDENT_REQUIRED &&
            i->slot != KW_DEPENDENT_SCHEMAS)
            continue;
        const yyjson_val *mine = fer_val_key(i->inst->source, fer_val_str(key));
        if (!mine || fer_is_arr(mine + 1) != fer_is_arr(key + 1)) continue;
        if (fer_is_arr(key + 1)
                ? has_names(mine + 1, key + 1)
                : fer_prove_within(p, fer_prove_child(i, mine + 1), fer_prove_child(b, key + 1)))
            return true;
    }
    return false;
}

bool fer_prove_dependent(fer_prover *p, const fer_claim *c, const fer_gist_inst *b)
{
    FER_EACH_MEMBER (b->inst->source, key) {
        bool follows = fer_is_arr(key + 1) ? requires_all(c, key + 1, fer_val_str(key))
                                           : fer_prove_here(p, c, fer_prove_child(b, key + 1));
        if (!follows && !same_dependent(p, c, b, key) && !forbids(p, c, fer_val_str(key)))
            return false;
    }
    return true;
}
