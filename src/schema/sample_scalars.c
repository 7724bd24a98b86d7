/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and texts at the borders of what schemas take. */
#include "json_number.h"
#include "sample.h"

/* ---- numbers ----------------------------------------------------------------------------- */

#define EXACT 9007199254740992.0

static void try_number(fer_making *k, double d)
{
    fer_str text;
    if (!(d < 1e300 && d > -1e300)) return;
    if (d < EXACT && d > -EXACT && (double)(int64_t)d == d)
        text = fer_arena_printf(k->s->m->arena, "%lld", (long long)d);
    else text = fer_arena_printf(k->s->m->arena, "%.15g", d);
    k->s->m->no_memory |= !text.ptr;
    if (text.ptr) fer_making_try(k, text);
}

static void try_value(fer_making *k, const yyjson_val *v)
{
    char text[FER_NUMBER_TEXT];
    fer_str copy = fer_arena_copy(k->s->m->arena, (fer_str){text, fer_number_text(v, text)});
    k->s->m->no_memory |= !copy.ptr;
    if (copy.ptr) fer_making_try(k, copy);
}

static bool as_double(const yyjson_val *v, double *out)
{
    switch (fer_val_tag(v)) {
    case FER_TAG_UINT: *out = (double)v->uni.u64; return true;
    case FER_TAG_SINT: *out = (double)v->uni.i64; return true;
    case FER_TAG_REAL: *out = v->uni.f64; return true;
    default: return false;
    }
}

/* On the bound and on both sides of it. */
static void around(fer_making *k, const fer_gist_bound *b)
{
    static const double off[] = {-1, 1, -0.5, 0.5, -0.001, 0.001, -10, 10};
    double d;
    if (!b->value) return;
    try_value(k, b->value);
    if (!as_double(b->value, &d)) return;
    for (size_t i = 0; i < FER_COUNT(off); i++) try_number(k, d + off[i]);
}

/* Multiples inside the bounds, and what is just no multiple. */
static void multiples(fer_making *k, const fer_gist *g, const yyjson_val *of)
{
    double m, low = 0, high = 0;
    try_value(k, of);
    if (!as_double(of, &m) || m <= 0) return;
    if (k->gist->low.value) as_double(k->gist->low.value, &low);
    if (k->gist->high.value) as_double(k->gist->high.value, &high);
    double from = low / m, to = high / m;
    if (from > -1e9 && from < 1e9)
        for (int64_t n = (int64_t)from - 1; n <= (int64_t)from + 3; n++)
            try_number(k, (double)n * m);
    if (to > -1e9 && to < 1e9 && g->high.value)
        for (int64_t n = (int64_t)to - 1; n <= (int64_t)to + 1; n++) try_number(k, (double)n * m);
    try_number(k, low + m / 2);
    try_number(k, m * 1.5);
}

void fer_sample_numbers(fer_making *k)
{
    static const double plain[] = {1, 0, -1, 2, 7, 100, 0.5, -2.5, 1e6, 12345678901234567890.0};
    const fer_gist *both[] = {k->aim, k->gist};
    for (size_t i = 0; i < FER_COUNT(both); i++) {
        const fer_gist *g = both[i];
        around(k, &g->low);
        around(k, &g->high);
        for (size_t n = 0; n < g->multiple_count; n++) multiples(k, g, g->multiples[n]);
    }
    double low;
    if (k->gist->low.value && k->gist->high.value && as_double(k->gist->low.value, &low)) {
        double high = low;
        as_double(k->gist->high.value, &high);
        try_number(k, low + (high - low) / 2);
    }
    for (size_t i = 0; i < FER_COUNT(plain); i++) try_number(k, plain[i]);
    fer_making_try(k, FER_STR("1.0")); /* whole, but not to draft-04 */
}

/* ---- texts --------------------------------------------------------------------------------- */

/* A text of so many characters. */
static void try_length(fer_making *k, uint64_t length)
{
    if (length > FER_SAMPLE_LENGTH) return;
    char *text = fer_arena_alloc(k->s->m->arena, (size_t)length + 1);
    k->s->m->no_memory |= !text;
    if (!text) return;
    memset(text, 'a', (size_t)length);
    fer_making_try_string(k, (fer_str){text, (size_t)length});
}

static void lengths(fer_making *k, const fer_gist *g)
{
    if (g->min_length) try_length(k, g->min_length - 1);
    try_length(k, g->min_length);
    if (g->max_length == UINT64_MAX) return;
    try_length(k, g->max_length);
    try_length(k, g->max_length + 1);
}

/* A text that all patterns of the place match and, where there is one, `no` does not. */
static void try_lang(fer_making *k, const fer_lang *no, uint64_t min, uint64_t max)
{
    fer_lang_question q = {.min = min, .max = max};
    fer_str text;
    for (size_t i = 0; i < k->gist->pattern_count; i++) {
        const fer_lang *l = fer_gist_lang(k->s->m, fer_val_str(k->gist->patterns[i]));
        if (l) q.yes[q.yes_count++] = l;
    }
    if (no) q.no[q.no_count++] = no;
    if ((!q.yes_count && !no) || !fer_gister_spend(k->s->m, 20)) return;
    fer_lang_answer answer = fer_lang_find(k->s->m->arena, &q, &text);
    k->s->m->no_memory |= answer == FER_LANG_NO_MEMORY;
    if (answer == FER_LANG_TEXT) fer_making_try_string(k, text);
}

/* The same at the bounds that these schemas name. */
static void lang_lengths(fer_making *k, const fer_gist *bounds)
{
    const fer_gist *g = k->gist;
    uint64_t min = g->min_length, max = g->max_length;
    if (bounds->min_length > min) try_lang(k, NULL, min, bounds->min_length - 1);
    if (bounds->max_length < max) try_lang(k, NULL, bounds->max_length + 1, max);
    if (max != UINT64_MAX && max < FER_SAMPLE_LENGTH) try_lang(k, NULL, max, max);
}

static void patterns(fer_making *k)
{
    const fer_gist *g = k->gist, *aim = k->aim;
    try_lang(k, NULL, g->min_length, g->max_length);
    try_lang(k, NULL, g->min_length + 1, UINT64_MAX);
    lang_lengths(k, g);
    lang_lengths(k, aim);
    for (size_t i = 0; i < aim->pattern_count; i++) {
        const fer_lang *no = fer_gist_lang(k->s->m, fer_val_str(aim->patterns[i]));
        if (no) try_lang(k, no, g->min_length, g->max_length);
    }
    /* What only the others match. */
    for (size_t i = 0; i < aim->pattern_count; i++) {
        fer_lang_question q = {.max = UINT64_MAX};
        fer_str text;
        q.yes[0] = fer_gist_lang(k->s->m, fer_val_str(aim->patterns[i]));
        q.yes_count = q.yes[0] != NULL;
        if (q.yes_count && fer_lang_find(k->s->m->arena, &q, &text) == FER_LANG_TEXT)
            fer_making_try_string(k, text);
    }
}

/* One text of each format; the engine says which fit. */
static const char *const format_texts[] = {
    "2026-11-16T09:30:00Z",
    "2026-11-16",
    "09:30:00Z",
    "P1DT12H",
    "a@example.com",
    "example.com",
    "192.0.2.1",
    "2001:db8::1",
    "https://example.com/a?b=c",
    "/a/b",
    "123e4567-e89b-12d3-a456-426614174000",
    "/a/0",
    "0/a",
    "^a+$",
    "https://example.com/{id}",
    "SGVsbG8=",
    "{\"a\":1}",
    "not a format",
};

void fer_sample_strings(fer_making *k)
{
    lengths(k, k->aim);
    lengths(k, k->gist);
    patterns(k);
    fer_making_try_string(k, FER_STR("a"));
    fer_making_try_string(k, FER_STR(""));
    fer_making_try_string(k, FER_STR("text 1"));
    fer_making_try_string(k, FER_STR("\xC3\xA9\xF0\x9F\x98\x80"));
    for (size_t i = 0; i < FER_COUNT(format_texts); i++)
        fer_making_try_string(k, fer_str_of(format_texts[i]));
}
