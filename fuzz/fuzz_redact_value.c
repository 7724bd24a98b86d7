/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redaction of values: a line of paths, joined by blanks, then a JSON text. What must hold: what
 * comes out is JSON with the same keys at its top; redacting it again changes nothing; no text that
 * stands under a built-in name is left.
 */
#include "fuzz.h"
#include "json_doc.h"
#include "redact.h"

static size_t count_of(fer_str text, const char *word)
{
    size_t n = 0, len = strlen(word);
    for (size_t i = 0; i + len <= text.len; i++) n += memcmp(text.ptr + i, word, len) == 0;
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str rest = fuzz_text(data, size), line = fuzz_until(&rest, '\n'), paths[8];
    size_t count = 0;
    fer_arena *a = fuzz_arena();
    fer_redact_rules *rules;
    fer_json *doc, *again;
    fer_redactions places = {.arena = a};
    fer_buf out, twice, whole;
    while (line.len && count < 8) paths[count++] = fuzz_until(&line, ' ');
    if (!fer_redact_compile(a, paths, count, true, NULL, 0, &rules, NULL) &&
        !fer_json_read(a, rest, NULL, &doc, NULL)) {
        fer_buf_init(&out, a, SIZE_MAX / 4);
        HOLDS(!fer_redact_add(&out, rules, FER_ROOT_INPUT, fer_json_root(doc), &places, NULL));
        HOLDS(!fer_json_read(a, fer_buf_view(&out), fer_json_limits_file(), &again, NULL));
        fer_buf_init(&twice, a, SIZE_MAX / 4);
        HOLDS(!fer_redact_add(&twice, rules, FER_ROOT_INPUT, fer_json_root(again), NULL, NULL));
        HOLDS(fer_str_eq(fer_buf_view(&out), fer_buf_view(&twice)));
        HOLDS(places.count == 0 ||
              fer_redact_touches(a, rules, FER_ROOT_INPUT, fer_json_root(doc)));
        HOLDS(count_of(fer_buf_view(&out), FER_REDACTED) >= places.count + places.more);
        /* A canary under a built-in name is gone, wherever the value stands. */
        fer_buf_init(&whole, a, SIZE_MAX / 4);
        fer_buf_add_text(&whole, "{\"x\":[{\"Pass-Word\":[\"cnry-9f3\",");
        fer_buf_add(&whole, rest);
        fer_buf_add_text(&whole, "]}]}");
        if (!fer_json_read(a, fer_buf_view(&whole), NULL, &doc, NULL)) {
            fer_buf_init(&out, a, SIZE_MAX / 4);
            HOLDS(!fer_redact_add(&out, rules, FER_ROOT_INPUT, fer_json_root(doc), NULL, NULL));
            HOLDS(!count_of(fer_buf_view(&out), "cnry-9f3"));
        }
    }
    fer_arena_free(a);
    return 0;
}
