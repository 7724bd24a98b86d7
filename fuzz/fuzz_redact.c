/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redaction paths. What must hold: the grammar of RELIABILITY 5.13, written here as a
 * regular expression, agrees on every text; and a valid path stays one with a further
 * step.
 */
#include <regex.h>

#include "field_checks.h"
#include "fuzz.h"

#define TEXT_MAX 300 /* the C library's matcher is slow on long texts */

#define BRACKET "\\[([0-9]+|\\*|\"[^\"]+\")\\]"
#define SEGMENT "([^].[*\"]+|\\*|\\*\\*|" BRACKET ")"
#define PATH    "^" SEGMENT "(\\." SEGMENT "|" BRACKET ")*$"

static bool matches(const char *text)
{
    static const char *const roots[] = {
        "input:", "output:", "headers:", "error:", "meta:", "stderr:"};
    regex_t grammar;
    for (size_t i = 0; i < FER_COUNT(roots); i++) {
        if (strncmp(text, roots[i], strlen(roots[i])) != 0) continue;
        text += strlen(roots[i]);
        break;
    }
    HOLDS(regcomp(&grammar, PATH, REG_EXTENDED | REG_NOSUB) == 0);
    bool fits = regexec(&grammar, text, 0, NULL, 0) == 0;
    regfree(&grammar);
    return fits;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str path = fuzz_text(data, size);
    bool valid = fer_redact_path_valid(path);
    if (size > TEXT_MAX) return 0;
    fer_arena *a = fuzz_arena();
    fer_str text = fer_arena_copy(a, path);
    HOLDS(text.ptr);
    bool has_nul = strlen(text.ptr) != size;
    HOLDS(valid == (!has_nul && matches(text.ptr)));
    if (valid) {
        HOLDS(fer_redact_path_valid(fer_arena_printf(a, "%s.x", text.ptr)));
        HOLDS(fer_redact_path_valid(fer_arena_printf(a, "%s[0]", text.ptr)));
        HOLDS(fer_redact_path_valid(fer_arena_printf(a, "%s.**", text.ptr)));
        HOLDS(!fer_redact_path_valid(fer_arena_printf(a, "%s.", text.ptr)));
    }
    fer_arena_free(a);
    return 0;
}
