/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pattern as a tree, the first stage of regex.h: text -> tree -> program -> automaton.
 * The tree lives in the arena it was parsed into and is not changed afterwards. Its depth
 * is bounded by FER_REGEX_NESTING, so what walks it may recurse. Pure.
 */
#ifndef FER_REGEX_TREE_H
#define FER_REGEX_TREE_H

#include "regex.h"
#include "regex_set.h"

#define FER_RE_NO_BOUND UINT32_MAX

typedef enum fer_re_kind {
    FER_RE_SET,       /* one code point of a set */
    FER_RE_SEQUENCE,  /* all children in turn; none: matches the empty text */
    FER_RE_CHOICE,    /* one of the children, the first ones preferred */
    FER_RE_REPEAT,    /* the child, min to max times */
    FER_RE_GROUP,     /* the child, captured */
    FER_RE_LOOK,      /* the child matches, or not, before or behind this place */
    FER_RE_ASSERT,    /* something about this place */
    FER_RE_REFERENCE, /* what a group captured */
} fer_re_kind;

typedef enum fer_re_assert {
    FER_RE_START,  /* ^ */
    FER_RE_END,    /* $ */
    FER_RE_EDGE,   /* \b */
    FER_RE_NO_EDGE /* \B */
} fer_re_assert;

typedef struct fer_re_node fer_re_node;
struct fer_re_node {
    fer_re_kind kind;
    fer_re_node *next; /* the next child of the same parent, and the one before */
    fer_re_node *previous;
    fer_re_node *first; /* the first child and the last */
    fer_re_node *last;
    union {
        uint32_t set; /* index in the sets of the tree */
        struct {
            uint32_t min;
            uint32_t max; /* FER_RE_NO_BOUND: none */
            uint32_t groups_from;
            uint32_t groups_to; /* the groups inside: from <= number < to */
            bool lazy;
        } repeat;
        struct {
            uint32_t index; /* which look-around of the pattern, in order of their ends */
            bool behind;
            bool negative;
        } look;
        struct {
            fer_str name; /* of a reference by name, else ptr NULL */
            size_t offset;
            uint32_t number; /* groups count from 1 */
        } group;
        fer_re_assert assertion;
    };
};

typedef struct fer_re_tree {
    const fer_re_node *root;
    fer_set *sets; /* no two are equal */
    size_t set_count;
    size_t set_cap;
    uint32_t groups; /* captures, the whole match (number 0) not counted */
    uint32_t looks;
    bool references; /* there is a back-reference */
} fer_re_tree;

/* `limits` NULL: strict, without limits on repetitions. Fails as fer_regex_compile does. */
FER_MUST_USE fer_code fer_re_parse(fer_arena *a, fer_str pattern, const fer_regex_limits *limits,
                                   fer_re_tree *out, fer_err *err);

#endif
