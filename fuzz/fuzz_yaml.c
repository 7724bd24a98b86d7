/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML text. What must hold:
 *  - what is accepted is UTF-8 without NUL;
 *  - what is accepted can be written as JSON, and that reads back as an equal value;
 *  - every value has a place within the text;
 *  - a failure says something, at a place within the text;
 *  - a text that is both JSON and YAML means the same as either.
 */
#include <ferrule/json.h>

#include "fuzz.h"
#include "json_doc.h"

/* Smaller than for messages, so that expanding aliases stays quick. */
static const fer_json_limits limits = {.size = 256 << 10,
                                       .depth = 64,
                                       .nodes = 20000,
                                       .string = 64 << 10,
                                       .number = 1000,
                                       .exponent = 18,
                                       .members = 10000,
                                       .key = 1024};

/* RFC 3629, by decoding each sequence and asking whether it was the shortest. */
static bool is_text(fer_str s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    for (size_t i = 0; i < s.len;) {
        unsigned char c = (unsigned char)s.ptr[i];
        size_t len = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
        if (c == 0 || len == 0 || len > s.len - i) return false;
        uint32_t point = len == 1 ? c : c & (0x7Fu >> len);
        for (size_t k = 1; k < len; k++) {
            unsigned char more = (unsigned char)s.ptr[i + k];
            if (more >> 6 != 2) return false;
            point = point << 6 | (more & 63);
        }
        if (len > 1 && point < least[len]) return false;
        if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return false;
        i += len;
    }
    return true;
}

static bool equal(fer_arena *a, const fer_json *x, const fer_json *y)
{
    bool same = false;
    HOLDS(fer_json_equal(a, fer_json_root(x), fer_json_root(y), &same, NULL) == FER_OK);
    return same;
}

static void check_written(fer_arena *a, const fer_json *doc)
{
    fer_str text;
    fer_err err;
    fer_json *again;
    fer_json_limits larger = limits;
    larger.size *= 8; /* escapes */
    HOLDS(fer_json_write(a, fer_json_root(doc), false, &text, &err) == FER_OK);
    HOLDS(fer_json_read(a, text, &larger, &again, &err) == FER_OK);
    HOLDS(equal(a, doc, again));
}

static void check_places(fer_str text, const fer_json *doc)
{
    for (size_t i = 0; i < doc->count; i++) {
        HOLDS(fer_json_offset(doc, &doc->vals[i]) <= text.len);
        if (i >= 64) continue;
        fer_place place = fer_json_place(doc, &doc->vals[i]);
        HOLDS(place.offset <= text.len && place.line > 0 && place.column > 0);
    }
}

static void check_failure(fer_str text, fer_code code, const fer_err *err)
{
    HOLDS(code == FER_INVALID_YAML || code == FER_LIMIT_EXCEEDED || code == FER_DUPLICATE_KEY ||
          code == FER_INVALID_JSON);
    HOLDS(err->code == code && err->message[0]);
    HOLDS(err->line == 0 || err->column > 0);
    HOLDS(err->line == 0 || err->offset <= text.len || err->offset == SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size);
    fer_arena *a = fuzz_arena();
    fer_json *doc = NULL, *json = NULL;
    fer_err err = {0};
    fer_code code = fer_yaml_read(a, text, &limits, &doc, &err);
    if (code) {
        HOLDS(!doc);
        check_failure(text, code, &err);
    } else {
        HOLDS(is_text(text));
        check_written(a, doc);
        check_places(text, doc);
        if (fer_json_read(a, text, &limits, &json, NULL) == FER_OK) HOLDS(equal(a, doc, json));
    }
    fer_arena_free(a);
    return 0;
}
