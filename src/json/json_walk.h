/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over a value with its own stack in an arena, for writing and comparing. */
#ifndef FER_JSON_WALK_H
#define FER_JSON_WALK_H

#include "arena.h"
#include "json_value.h"

/* A container that is being walked: what comes next, and how many are left. */
struct fer_walk_frame {
    const yyjson_val **keys; /* next key of an object; NULL for an array */
    const yyjson_val *next;  /* next item of an array */
    size_t left;
    bool first; /* for the one who walks */
};

struct fer_walk {
    fer_arena *arena;
    struct fer_walk_frame *frames;
    size_t depth;
    size_t cap;
};

/* Enters a container; `keys` is NULL for an array. False: no memory. */
static inline bool fer_walk_push(struct fer_walk *w, const yyjson_val *v, const yyjson_val **keys)
{
    struct fer_walk_frame *frames =
        fer_arena_room(w->arena, w->frames, w->depth, &w->cap, sizeof *frames);
    if (!frames) return false;
    w->frames = frames;
    w->frames[w->depth++] = (struct fer_walk_frame){keys, v + 1, fer_val_len(v), true};
    return true;
}

static inline struct fer_walk_frame *fer_walk_top(struct fer_walk *w)
{
    return &w->frames[w->depth - 1];
}

/* The next member's value; its key, for an object, in *key. */
static inline const yyjson_val *fer_walk_advance(struct fer_walk_frame *f, const yyjson_val **key)
{
    f->left--;
    if (f->keys) {
        *key = *f->keys++;
        assert(*key); /* `left` ends the list */
        return *key + 1;
    }
    *key = NULL;
    const yyjson_val *v = f->next;
    f->next = fer_val_next(v);
    return v;
}

#endif
