/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the quick form: what quick.c, the hot loop, and quick_apply.c share. */
#ifndef FER_QUICK_RUN_H
#define FER_QUICK_RUN_H

#include "object.h"
#include "quick.h"
#include "vm.h"

#define FER_RUN_DEPTH 400 /* calls inside each other */
#define FER_RUN_MARKS 64  /* members or items that can be marked */

#define FER_INLINE    static inline __attribute__((always_inline))
#define FER_OUTLINE   static __attribute__((noinline))
#define FER_LIKELY(x) __builtin_expect(!!(x), 1)

struct fer_run {
    int64_t left; /* steps; below zero: given up */
    unsigned depth;
    bool tracking;  /* somebody asks for the marks */
    uint64_t marks; /* members or items of the value in hand that were looked at */
    size_t bytes;   /* of texts that may still be read */
    const struct fer_schema *program;
    fer_arena *arena;
    fer_vm *vm;                /* for checks as the machine has them; NULL before the first */
    const yyjson_val *reached; /* the member or item that was said no to last; NULL: none */
};

/* What a row of instructions says of a value. */
bool fer_run_ask(struct fer_run *r, const fer_quick *i, const yyjson_val *v);
/* What one row says of a value of a type that it has to do with ... */
bool fer_run_row(struct fer_run *r, const fer_quick *i, const yyjson_val *v);
/* ... and one that looks at the value alone. */
bool fer_run_leaf(const fer_quick *i, const yyjson_val *v);
/* One instruction that has to do with more than the value itself. */
bool fer_run_apply(struct fer_run *r, const fer_quick *i, const yyjson_val *v);
/* An object with patterns, or whose members are marked. */
bool fer_run_members(struct fer_run *r, const fer_object *o, const yyjson_val *v);
/* A subschema whose no is no failure: what it marked is gone then. */
bool fer_run_attempt(struct fer_run *r, const fer_quick *code, const yyjson_val *v);
bool fer_run_matches(struct fer_run *r, const fer_regex *regex, const yyjson_val *v);
/* The key of an object, or NULL. */
const yyjson_val *fer_run_key(struct fer_run *r, const yyjson_val *v, const fer_name *name);
/* A name that is not the one that was guessed. */
const fer_known *fer_run_look_up(const fer_object *o, const fer_known *guess,
                                 const yyjson_val *key);

static inline bool fer_run_give_up(struct fer_run *r)
{
    r->left = -1;
    return false;
}

/*
 * Whoever goes into a value enters, and leaves when it says yes. After a no there is nothing to
 * leave: everything ends, or somebody who goes on has kept the depth (fer_run_attempt).
 */
FER_INLINE bool fer_run_enter(struct fer_run *r, size_t steps)
{
    r->left -= (int64_t)steps + 1;
    if (FER_LIKELY(r->left >= 0 && r->depth < FER_RUN_DEPTH)) {
        r->depth++;
        return true;
    }
    return fer_run_give_up(r);
}

FER_INLINE bool fer_run_leave(struct fer_run *r)
{
    r->depth--;
    return true;
}

FER_INLINE bool fer_run_is_text(const fer_name *name, const yyjson_val *v)
{
    return fer_val_len(v) == name->len && fer_name_starts(name, v->uni.str) &&
           fer_name_ends(name, v->uni.str);
}

/* Behind an array or object. */
FER_INLINE const yyjson_val *fer_run_end(const yyjson_val *v)
{
    return (const yyjson_val *)(const void *)((const char *)v + v->uni.ofs);
}

/* What a name stands for, NULL where it is not known; guess is the likeliest. */
FER_INLINE const fer_known *fer_run_name(const fer_object *o, const fer_known *guess,
                                         const yyjson_val *key)
{
    if (FER_LIKELY(fer_run_is_text(&guess->name, key))) return guess;
    bool may = fer_names_may_have(&o->names, key->uni.str, fer_val_len(key));
    return may ? fer_run_look_up(o, guess, key) : NULL;
}

#endif
