/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the two halves of the parser share: regex_parse.c reads alternatives, groups and
 * repetitions, regex_class.c reads escapes and classes. For these files only.
 *
 * A parser remembers its first failure; functions return NULL or false from then on.
 */
#ifndef FER_REGEX_PARSER_H
#define FER_REGEX_PARSER_H

#include "regex_tree.h"

typedef struct fer_re_parser {
    fer_arena *arena;
    fer_str text;
    size_t at; /* the next byte */
    size_t repeat_limit;
    bool strict;
    uint32_t depth;
    fer_re_tree tree;
    uint16_t ascii[128]; /* the set that is just this character, plus 1 */
    fer_re_node **names; /* named groups */
    size_t name_count;
    size_t name_cap;
    fer_re_node **references; /* back-references, checked when all groups are known */
    size_t reference_count;
    size_t reference_cap;
    fer_code code;
    fer_err *err;
} fer_re_parser;

/* Something is wrong with the pattern at a byte; returns NULL. */
void *fer_re_wrong(fer_re_parser *p, size_t offset, const char *what);
/* The arena gave no more; returns NULL. */
void *fer_re_no_memory(fer_re_parser *p);
fer_re_node *fer_re_node_new(fer_re_parser *p, fer_re_kind kind);
/* The node of a set. */
fer_re_node *fer_re_set_node(fer_re_parser *p, const fer_set *set);

static inline bool fer_re_more(const fer_re_parser *p)
{
    return p->at < p->text.len;
}
/* The next byte, or NUL at the end (and for a NUL in the pattern). */
static inline char fer_re_peek(const fer_re_parser *p)
{
    return fer_re_more(p) ? p->text.ptr[p->at] : '\0';
}
static inline bool fer_re_take(fer_re_parser *p, char c)
{
    if (!fer_re_more(p) || p->text.ptr[p->at] != c) return false;
    p->at++;
    return true;
}

/* The node of an escape; `at` is behind the backslash. */
fer_re_node *fer_re_escape(fer_re_parser *p);
/* The node of a class; `at` is behind the bracket. */
fer_re_node *fer_re_class(fer_re_parser *p);
/* The node of one code point. */
fer_re_node *fer_re_one(fer_re_parser *p, uint32_t c);
/* The name of a group up to and with its `>`; ptr NULL after a failure. */
fer_str fer_re_name(fer_re_parser *p);

#endif
