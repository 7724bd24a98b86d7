/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pattern as a program, the second stage of regex.h. It is a Thompson automaton whose
 * letters are sets of code points, so \p{L} is one state however many ranges it has;
 * counted repetitions are written out. Two machines run it: regex_run.c all paths at
 * once, in linear time, and regex_back.c one path after the other, for back-references.
 * A program is immutable and lives in its arena. Pure.
 *
 * Code is written from the end to the start: every instruction names the one that follows.
 */
#ifndef FER_REGEX_PROG_H
#define FER_REGEX_PROG_H

#include "regex_tree.h"

typedef enum fer_re_op {
    FER_OP_MATCH,
    FER_OP_SET,    /* a code point of set x, ahead or (flag) behind */
    FER_OP_SPLIT,  /* next is preferred, x is the other way */
    FER_OP_ASSERT, /* x: fer_re_assert */
    FER_OP_LOOK,   /* look-around x of the program holds here */
    /* Only where captures matter: */
    FER_OP_SAVE,      /* slot x = this place */
    FER_OP_CLEAR,     /* slots x to y - 1 are unset */
    FER_OP_MOVED,     /* this place is not that of slot x */
    FER_OP_REFERENCE, /* what group x captured, ahead or (flag) behind */
    FER_OP_TRY,       /* look around: slots x, x + 1; (flag) negative: y is what follows */
    FER_OP_TRIED      /* its end: slots x, x + 1; (flag) negative */
} fer_re_op;

typedef struct fer_re_instr {
    uint16_t op;
    bool flag;
    uint32_t x;
    uint32_t y;
    uint32_t next;
} fer_re_instr;

/* Its program runs towards the place where it is asked: against the text for a look ahead. */
typedef struct fer_re_look {
    uint32_t start; /* UINT32_MAX: nothing asks for it */
    bool behind;
    bool negative;
} fer_re_look;

typedef struct fer_re_prog {
    fer_re_instr *code;
    uint32_t count;
    uint32_t start;
    bool anchored; /* a match can only begin where the text begins */
    bool edges;    /* asks for \b or \B */
    bool captures; /* made for regex_back.c */
    uint32_t slots;
    const fer_set *sets;
    size_t set_count;
    fer_re_look *looks; /* each after those inside it */
    uint32_t look_count;
} fer_re_prog;

/* How many instructions the program of a tree has at most; SIZE_MAX for any larger number. */
size_t fer_re_prog_size(const fer_re_tree *tree);
/* `size` is what fer_re_prog_size said, under UINT32_MAX. */
FER_MUST_USE fer_code fer_re_prog_make(fer_arena *a, const fer_re_tree *tree, size_t size,
                                       fer_re_prog *out, fer_err *err);

/* The length of the UTF-8 sequence at `at`, by its first byte, cut at the end of the text. */
static inline size_t fer_re_step(fer_str text, size_t at)
{
    unsigned char c = (unsigned char)text.ptr[at];
    size_t len = c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    return len <= text.len - at ? len : text.len - at;
}
/* The code point of `len` bytes of UTF-8. */
static inline uint32_t fer_re_decode(const char *p, size_t len)
{
    uint32_t c = (unsigned char)p[0];
    if (len == 1) return c;
    c &= 0x7Fu >> len;
    for (size_t i = 1; i < len; i++) c = c << 6 | ((unsigned char)p[i] & 63u);
    return c;
}
/* Where the code point before `at` begins; at > 0. */
static inline size_t fer_re_before(fer_str text, size_t at)
{
    size_t from = at - 1;
    while (from > 0 && at - from < 4 && ((unsigned char)text.ptr[from] & 0xC0) == 0x80) from--;
    return from;
}
/* Whether an assertion holds at a byte of the text. */
bool fer_re_holds(fer_re_assert what, fer_str text, size_t at);

#endif
