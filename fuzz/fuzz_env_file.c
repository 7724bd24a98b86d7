/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of variables. What must hold: names are names, no value holds a NUL, and what was read,
 * written in double quotes, is read as the same.
 */
#include "env_file.h"

#include "buf.h"
#include "fuzz.h"

static void add_quoted(fer_buf *b, fer_str value)
{
    fer_buf_add_char(b, '"');
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c == '\n') fer_buf_add_text(b, "\\n");
        else if (c == '\r') fer_buf_add_text(b, "\\r");
        else {
            if (c == '"' || c == '\\') fer_buf_add_char(b, '\\');
            fer_buf_add_char(b, c);
        }
    }
    fer_buf_add_char(b, '"');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_config_pairs first, again;
    fer_err err = {0};
    fer_buf b;
    fer_code code = fer_env_file_read(a, fuzz_text(data, size), &first, &err);
    HOLDS(!code || err.message[0]);
    fer_buf_init(&b, a, SIZE_MAX);
    for (size_t i = 0; !code && i < first.count; i++) {
        fer_str name = first.list[i].name, value = first.list[i].value.text;
        HOLDS(name.len && !memchr(name.ptr, '=', name.len));
        HOLDS(!value.len || !memchr(value.ptr, '\0', value.len));
        fer_buf_add(&b, name);
        fer_buf_add_char(&b, '=');
        add_quoted(&b, value);
        fer_buf_add_char(&b, '\n');
    }
    if (!code) {
        HOLDS(fer_env_file_read(a, fer_buf_view(&b), &again, &err) == FER_OK);
        HOLDS(first.count == again.count);
        for (size_t i = 0; i < first.count; i++)
            HOLDS(fer_str_eq(first.list[i].value.text, again.list[i].value.text));
    }
    fer_arena_free(a);
    return 0;
}
