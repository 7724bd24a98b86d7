/* SPDX-License-Identifier: Apache-2.0 */
/* What strings tell: a format that all of them follow, or a small set that they come from. */
#include "formats.h"
#include "infer.h"

#define ENUM_TEXT   40 /* bytes of a value that may be one of an enum */
#define ENUM_REPEAT 2  /* how often a value of an enum comes, on average, at least */

/* ---- formats --------------------------------------------------------------------------------- */

static bool has_scheme_slashes(fer_str s)
{
    size_t colon = fer_str_find(s, 0, ':');
    return colon != SIZE_MAX && s.len > colon + 3 && s.ptr[colon + 1] == '/' &&
           s.ptr[colon + 2] == '/';
}

static bool has_two_colons(fer_str s)
{
    size_t colon = fer_str_find(s, 0, ':');
    return colon != SIZE_MAX && fer_str_find(s, colon + 1, ':') != SIZE_MAX;
}

/*
 * Formats that a text hardly follows by chance. Left out on purpose: hostname, json-pointer,
 * regex, uri-reference, which most words follow; `a:b` is a URI by the grammar, so slashes are
 * asked for.
 */
static const struct {
    const char *name;
    bool (*also)(fer_str s); /* what more it takes, or NULL */
} candidates[] = {
    {"date-time", NULL},         {"date", NULL}, {"time", has_two_colons},
    {"duration", NULL},          {"uuid", NULL}, {"email", NULL},
    {"uri", has_scheme_slashes}, {"ipv4", NULL}, {"ipv6", has_two_colons},
};

static bool follows(fer_inference *n, size_t candidate, fer_str s)
{
    const fer_text_format *f = fer_text_format_find(fer_str_of(candidates[candidate].name), 2020);
    if (candidates[candidate].also && !candidates[candidate].also(s)) return false;
    int yes = f->check(n->arena, s);
    if (yes < 0) n->tree.failed = true;
    return yes > 0;
}

const char *fer_infer_format(fer_inference *n, const fer_sample *strings)
{
    if (n->options.no_formats || !strings->count) return NULL;
    for (size_t c = 0; c < FER_COUNT(candidates); c++) {
        size_t i = 0;
        while (i < strings->count && follows(n, c, fer_val_str(strings->list[i]))) i++;
        if (i == strings->count) return candidates[c].name;
    }
    return NULL;
}

bool fer_infer_is_datum(fer_inference *n, fer_str key)
{
    size_t digits = 0;
    while (digits < key.len && fer_is_digit(key.ptr[digits])) digits++;
    if (digits == key.len) return true; /* the empty key included */
    for (size_t c = 0; c < FER_COUNT(candidates); c++) {
        if (follows(n, c, key)) return true;
    }
    return false;
}

/* ---- sets -------------------------------------------------------------------------------------
 */

const fer_str *fer_infer_enum(fer_inference *n, const fer_sample *strings, size_t *count)
{
    fer_str *set = NULL;
    *count = 0;
    if (n->options.no_enums || strings->count < (size_t)2 * ENUM_REPEAT) return NULL;
    set = fer_arena_alloc(n->arena, FER_INFER_ENUM * sizeof *set);
    if (!set) n->tree.failed = true;
    for (size_t i = 0; set && i < strings->count; i++) {
        size_t k = 0;
        fer_str s = fer_val_str(strings->list[i]);
        while (k < *count && !fer_str_eq(set[k], s)) k++;
        if (k < *count) continue;
        if (k == FER_INFER_ENUM || !s.len || s.len > ENUM_TEXT) return NULL;
        set[(*count)++] = s;
    }
    return *count > 1 && strings->count >= ENUM_REPEAT * *count ? set : NULL;
}
