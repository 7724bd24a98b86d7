/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frozen bytes of an index, changed: the input is a list of (place, byte) that are written into
 * a good one, or, where it begins like an index, the bytes themselves. What must hold: opening,
 * searching, explaining, removing, putting and freezing again do not leave the bytes; what was
 * frozen anew opens again.
 */
#include "frozen.h"
#include "fuzz.h"
#include "lexical.h"

static const char *const texts[][2] = {
    {"create_issue", "Create a new issue in a repository"},
    {"list_issues", "List the issues of a repository"},
    {"getForecast", "The weather forecast for a city"},
    {"search", "Look something up on the web"},
};

static fer_search_doc doc_of(size_t i, fer_search_text out[2])
{
    out[0] = (fer_search_text){FER_FIELD_NAME, fer_str_of(texts[i][0])};
    out[1] = (fer_search_text){i % 2 ? FER_FIELD_PARAM_TEXT : FER_FIELD_DESCRIPTION,
                               fer_str_of(texts[i][1])};
    return (fer_search_doc){out, 2};
}

static fer_str make_good(fer_arena *a)
{
    fer_search_text parts[2];
    fer_str frozen;
    fer_frozen sections;
    fer_lexical *ix = fer_lexical_new();
    HOLDS(ix);
    /* Few, but in two windows, and enough of them that words have runs, and one also bits. */
    for (uint32_t n = 0; n < 180; n++) {
        fer_search_doc doc = doc_of(n % 3 ? 0 : n % 4, parts);
        HOLDS(fer_lexical_put(ix, 13 * n, &doc, NULL) == FER_OK);
    }
    HOLDS(fer_lexical_freeze(a, ix, &frozen, NULL) == FER_OK);
    HOLDS(fer_frozen_open(frozen, &sections, NULL) == FER_OK);
    HOLDS(sections.bit_rows && sections.run_rows && sections.windows == 2);
    fer_lexical_free(ix);
    return frozen;
}

/* A copy that ends where the bytes end, so that a sanitizer sees who reads on. */
static fer_str changed(fer_arena *a, const uint8_t *data, size_t size)
{
    fer_str good = make_good(a);
    bool whole = size > 6 && memcmp(data, "FERLEX", 6) == 0;
    size_t len = whole ? size : good.len;
    char *copy = malloc(len ? len : 1);
    HOLDS(copy);
    memcpy(copy, whole ? (const char *)data : good.ptr, len);
    for (size_t i = 0; !whole && i + 3 < size; i += 4)
        copy[((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % len] =
            (char)data[i + 3];
    return (fer_str){copy, len};
}

static void use(fer_arena *a, fer_lexical *ix)
{
    fer_search_text parts[2];
    fer_lexical_hits hits;
    fer_lexical_query q = {.text = FER_STR("search new isues. Then forecast the weather in a city"),
                           .limit = 20,
                           .explain = true};
    fer_searcher *s = fer_searcher_new();
    HOLDS(s);
    HOLDS(fer_lexical_search(a, ix, s, &q, &hits, NULL) == FER_OK);
    q.text = FER_STR("create issue");
    fer_lexical_remove(ix, 3);
    fer_search_doc doc = doc_of(2, parts);
    HOLDS(fer_lexical_put(ix, 5, &doc, NULL) == FER_OK);
    HOLDS(fer_lexical_search(a, ix, s, &q, &hits, NULL) == FER_OK);
    fer_searcher_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_str bytes = changed(a, data, size), again;
    fer_lexical *ix, *opened;
    if (fer_lexical_open(bytes, &ix, NULL) == FER_OK) {
        use(a, ix);
        if (fer_lexical_freeze(a, ix, &again, NULL) == FER_OK) {
            HOLDS(fer_lexical_open(again, &opened, NULL) == FER_OK);
            fer_lexical_free(opened);
        }
        fer_lexical_free(ix);
    }
    free((void *)(uintptr_t)bytes.ptr);
    fer_arena_free(a);
    return 0;
}
