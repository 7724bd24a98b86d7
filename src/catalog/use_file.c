/* SPDX-License-Identifier: Apache-2.0 */
/* Uses as bytes: lines of JSON, the first of which says how many there are and their checksum. */
#include <ferrule/json.h>
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "checksum.h"
#include "errors.h"
#include "json_value.h"
#include "use_memory.h"

#define FORMAT "ferrule-uses-1"

static fer_code damaged(fer_err *err, size_t line, const char *what)
{
    return fer_fail(err, FER_INVALID_FORMAT, "line %zu: %s", line, what);
}

/* The line at the start of `*left`, which is taken off. */
static fer_str next_line(fer_str *left)
{
    const char *end = left->len ? memchr(left->ptr, '\n', left->len) : NULL;
    size_t len = end ? (size_t)(end - left->ptr) : left->len;
    fer_str line = {left->ptr, len};
    *left = fer_str_slice(*left, end ? len + 1 : len, left->len);
    return line;
}

static fer_str text_of(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = fer_val_get(object, key);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

static fer_code read_object(fer_arena *a, fer_str line, const yyjson_val **out, fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_json_read(a, line, fer_json_limits_message(), &doc, err);
    if (code) return code;
    *out = fer_json_root(doc);
    return fer_is_obj(*out) ? FER_OK : FER_INVALID_FORMAT;
}

static fer_code read_head(fer_arena *a, fer_str line, fer_str rest, fer_err *err)
{
    const yyjson_val *head = NULL;
    char sum[32];
    fer_buf b;
    fer_code code = read_object(a, line, &head, NULL);
    if (code == FER_OUT_OF_MEMORY) return fer_arena_failed(a, err);
    if (code || !fer_str_is(text_of(head, "format"), FORMAT))
        return damaged(err, 1, "it does not begin as a file of uses does");
    fer_buf_init_fixed(&b, sum, sizeof sum);
    fer_buf_printf(&b, "%016" PRIx64, fer_checksum(rest.ptr, rest.len));
    if (!fer_str_eq(text_of(head, "check"), fer_buf_view(&b)))
        return damaged(err, 1, "what follows is not what was written");
    return FER_OK;
}

fer_code fer_uses_read(fer_str bytes, fer_use_adder *add, void *context, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_str head = next_line(&bytes);
    fer_code code = read_head(a, head, bytes, err);
    for (size_t line = 2; !code && bytes.len; line++) {
        const yyjson_val *object = NULL;
        fer_arena_reset(a);
        code = read_object(a, next_line(&bytes), &object, NULL);
        if (code == FER_OUT_OF_MEMORY) code = fer_arena_failed(a, err);
        else if (code) code = damaged(err, line, "it is no use");
        if (code) break;
        fer_use use = {text_of(object, "tenant"), text_of(object, "query"),
                       text_of(object, "tool")};
        code = add(context, &use, err);
    }
    fer_arena_free(a);
    return code;
}

fer_code fer_uses_write(fer_arena *a, const fer_use *list, size_t count, fer_str *out, fer_err *err)
{
    fer_buf rest, all;
    fer_buf_init(&rest, a, FER_USES_FILE);
    for (size_t i = 0; i < count; i++) {
        fer_buf_add_text(&rest, "{\"tenant\":");
        fer_buf_add_quoted(&rest, list[i].tenant);
        fer_buf_add_text(&rest, ",\"query\":");
        fer_buf_add_quoted(&rest, list[i].query);
        fer_buf_add_text(&rest, ",\"tool\":");
        fer_buf_add_quoted(&rest, list[i].tool);
        fer_buf_add_text(&rest, "}\n");
    }
    if (rest.failure) return fer_buf_code(&rest, err);
    fer_str lines = rest.ptr ? fer_buf_view(&rest) : FER_STR("");
    fer_buf_init(&all, a, FER_USES_FILE);
    fer_buf_printf(&all, "{\"format\":\"" FORMAT "\",\"uses\":%zu,\"check\":\"%016" PRIx64 "\"}\n",
                   count, fer_checksum(lines.ptr, lines.len));
    fer_buf_add(&all, lines);
    if (all.failure) return fer_buf_code(&all, err);
    *out = fer_buf_view(&all);
    return FER_OK;
}
