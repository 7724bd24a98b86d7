/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine code that compares texts, and finds which of some names a text is: by its length first,
 * then four bytes at a time.
 */
#include "native_code.h"

#define FEW_TEXTS   24  /* of one length, that are compared one after the other */
#define FEW_LENGTHS 6   /* that are compared one after the other */
#define LONG_NAME   127 /* the longest of names that are found by a table of lengths */

static uint32_t bytes_at(const char *ptr, unsigned bytes)
{
    uint32_t word = 0;
    memcpy(&word, ptr, bytes);
    return word;
}

/* Four bytes at a time; the last look may see some bytes again. */
void fer_native_text(fer_native_code *n, fer_reg ptr, fer_str text, fer_label other)
{
    size_t at = 0;
    while (at < text.len) {
        size_t left = text.len - at;
        unsigned bytes = left >= 4 ? 4 : left == 3 && at ? 4 : left >= 2 ? 2 : 1;
        if (bytes > left) at = text.len - bytes;
        fer_x86_compare_at(&n->x, bytes, ptr, (int32_t)at, bytes_at(text.ptr + at, bytes));
        fer_x86_jump_if(&n->x, IF_NOT_EQUAL, other);
        at += bytes;
    }
}

/* The names of one length, one after the other. */
static void find_among(fer_native_code *n, const fer_names *names, size_t first, fer_at at,
                       const fer_label *labels, fer_label none)
{
    fer_x86 *x = &n->x;
    size_t length = fer_names_at(names, first)->len;
    fer_x86_load64(x, RSI, at.base, at.off + 8);
    for (size_t i = first; i < names->count; i++) {
        const fer_name *name = fer_names_at(names, i);
        if (name->len != length) continue;
        fer_label next = fer_x86_label(x);
        fer_native_text(n, RSI, (fer_str){name->ptr, name->len}, next);
        fer_x86_jump(x, labels[i]);
        fer_x86_bind(x, next);
    }
    fer_x86_jump(x, none);
}

/* The labels of names by their length: those of others lead to `none`. */
struct lengths {
    const fer_names *names;
    fer_label groups[LONG_NAME + 1];
    size_t count, longest;
    fer_label none;
};

static void lengths_of(fer_native_code *n, struct lengths *l)
{
    for (size_t i = 0; i <= LONG_NAME; i++) l->groups[i] = l->none;
    for (size_t i = 0; i < l->names->count; i++) {
        size_t len = fer_names_at(l->names, i)->len;
        if (len > l->longest) l->longest = len;
        if (len > LONG_NAME || l->groups[len] != l->none) continue;
        l->groups[len] = fer_x86_label(&n->x);
        l->count++;
    }
}

/* Goes to the group of the length in RAX. */
static void choose_length(fer_native_code *n, const struct lengths *l)
{
    fer_x86 *x = &n->x;
    if (l->count <= FEW_LENGTHS) {
        for (size_t i = 0; i <= LONG_NAME; i++) {
            if (l->groups[i] == l->none) continue;
            fer_x86_compare32(x, RAX, (int32_t)i);
            fer_x86_jump_if(x, IF_EQUAL, l->groups[i]);
        }
        fer_x86_jump(x, l->none);
        return;
    }
    fer_label table = fer_x86_label(x);
    fer_x86_compare32(x, RAX, (int32_t)l->longest);
    fer_x86_jump_if(x, IF_ABOVE, l->none);
    fer_x86_jump_by(x, RAX, RSI, table);
    for (size_t i = 0; i <= l->longest; i++) fer_x86_distance(x, table, l->groups[i]);
}

bool fer_native_can_find(const fer_names *names)
{
    unsigned counts[LONG_NAME + 1] = {0};
    for (size_t i = 0; i < names->count; i++) {
        size_t len = fer_names_at(names, i)->len;
        if (len > LONG_NAME || ++counts[len] > FEW_TEXTS) return false;
    }
    return true;
}

void fer_native_find(fer_native_code *n, const fer_names *names, fer_at at, const fer_label *labels,
                     fer_label none)
{
    fer_x86 *x = &n->x;
    struct lengths l = {.names = names, .none = none};
    lengths_of(n, &l);
    fer_x86_load32(x, RAX, at.base, at.off + 1);
    choose_length(n, &l);
    for (size_t i = 0; i < names->count; i++) {
        fer_label *group = &l.groups[fer_names_at(names, i)->len];
        if (*group == none) continue; /* there already, with the first name of its length */
        fer_x86_bind(x, *group);
        *group = none;
        find_among(n, names, i, at, labels, none);
    }
}
