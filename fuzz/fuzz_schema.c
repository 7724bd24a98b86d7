/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schema texts from anybody: the first byte chooses the dialect and the options, the rest is
 * the text. What must hold:
 *  - compiling ends with a program, or with a failure that has a code of schemas or of JSON
 *    and a sentence, and lies in the text;
 *  - a program agrees with itself (fuzz_agree.h) about some values.
 */
#include "fuzz_agree.h"

static const char values[] =
    "[null,true,0,1.5,-3,1e400,\"\",\"a\",\"2026-02-30\",\"{\\\"a\\\":1}\",[],[1,1],[1,\"a\",null],{},"
    "{\"a\":1},{\"a\":{\"a\":{\"a\":[]}},\"b\":[{\"a\":null}]},{\"type\":\"string\",\"minimum\":1},"
    "{\"$ref\":\"#\",\"items\":[]}]";

static const fer_dialect dialects[] = {FER_DIALECT_2020_12, FER_DIALECT_DRAFT7, FER_DIALECT_2019_09,
                                       FER_DIALECT_DRAFT6,  FER_DIALECT_DRAFT4, FER_DIALECT_V1};

static void check_failure(fer_str text, fer_code code, const fer_err *err)
{
    HOLDS(code == err->code && err->message[0]);
    HOLDS((code >= FER_INVALID_JSON && code <= FER_LIMIT_EXCEEDED) ||
          (code >= FER_INVALID_SCHEMA && code <= FER_EXTERNAL_REF));
    if (err->line) HOLDS(err->offset <= text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    fer_schema_limits limits = *fer_schema_limits_message();
    limits.steps = 10000;
    fer_schema_options options = {.dialect = dialects[(data[0] & 15) % FER_COUNT(dialects)],
                                  .assert_formats = data[0] & 16,
                                  .assert_content = data[0] & 32,
                                  .formats_note_only = data[0] & 64,
                                  .native = true,
                                  .limits = &limits};
    fer_str text = fuzz_text(data + 1, size - 1);
    fer_schema *s = NULL;
    fer_err err = {0};
    fer_code code = fer_schema_compile(text, &options, &s, &err);
    if (code) {
        check_failure(text, code, &err);
        return 0;
    }
    fer_arena *a = fuzz_arena();
    fer_json *doc;
    HOLDS(!fer_json_read(a, fer_str_of(values), NULL, &doc, &err));
    FER_EACH_ITEM (fer_json_root(doc), item) agree(a, s, doc, item);
    fer_schema_unref(s);
    fer_arena_free(a);
    return 0;
}
