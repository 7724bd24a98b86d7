/* SPDX-License-Identifier: Apache-2.0 */
#include "builtins.h"

#include "arena.h"
#include "clock.h"
#include "str.h"

/* ---- text:count
 * ----------------------------------------------------------------------------------- */

struct count_args {
    fer_str text;
};
static const fer_bind_row count_rows[] = {
    {"text", FER_BIND_STRING, offsetof(struct count_args, text), true, "The text to count in.",
     NULL, NULL},
};

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static fer_code count(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    fer_str text = ((const struct count_args *)args)->text;
    size_t characters = 0, words = 0, lines = 0;
    bool inside = false;
    (void)context, (void)err;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        characters += ((unsigned char)c & 0xC0) != 0x80; /* not inside a character */
        lines += c == '\n';
        words += !inside && !is_blank(c);
        inside = !is_blank(c);
    }
    lines += text.len && text.ptr[text.len - 1] != '\n';
    *out = fer_arena_printf(a, "{\"characters\":%zu,\"words\":%zu,\"lines\":%zu,\"bytes\":%zu}",
                            characters, words, lines, text.len);
    return FER_OK;
}

/* ---- time:now
 * -------------------------------------------------------------------------------------- */

struct now_args {
    int64_t minutes;
};
static const fer_bind_row now_rows[] = {
    {"offsetMinutes", FER_BIND_INTEGER, offsetof(struct now_args, minutes), false,
     "Minutes to add to the time: 60 is an hour from now.", "0",
     "{\"minimum\":-5256000,\"maximum\":5256000}"},
};

static fer_code now(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    char text[FER_TIMESTAMP];
    int64_t ms = fer_clock_wall() + ((const struct now_args *)args)->minutes * 60000;
    (void)context, (void)err;
    fer_clock_format(ms, text);
    *out = fer_arena_printf(a, "{\"time\":\"%s\",\"unixMs\":%lld}", text, (long long)ms);
    return FER_OK;
}

/* ---- the table
 * -------------------------------------------------------------------------------------- */

const fer_builtin fer_builtins[] = {
    {.ns = "text",
     .name = "count",
     .version = "1.0.0",
     .title = "Count in a text",
     .description =
         "Counts the characters, words, lines and bytes of a text. Returns the four numbers.",
     .rows = count_rows,
     .row_count = FER_COUNT(count_rows),
     .args_size = sizeof(struct count_args),
     .output_schema = "{\"type\":\"object\",\"properties\":{\"characters\":{\"type\":\"integer\"},"
                      "\"words\":{\"type\":\"integer\"},\"lines\":{\"type\":\"integer\"},"
                      "\"bytes\":{\"type\":\"integer\"}},\"required\":[\"characters\",\"words\","
                      "\"lines\",\"bytes\"],\"additionalProperties\":false}",
     .effect = FER_EFFECT_PURE,
     .run = count},
    {.ns = "time",
     .name = "now",
     .version = "1.0.0",
     .title = "The time",
     .description = "Returns the current time in UTC (RFC 3339) and in milliseconds since 1970.",
     .rows = now_rows,
     .row_count = FER_COUNT(now_rows),
     .args_size = sizeof(struct now_args),
     .output_schema =
         "{\"type\":\"object\",\"properties\":{\"time\":{\"type\":\"string\",\"format\":"
         "\"date-time\"},\"unixMs\":{\"type\":\"integer\"}},\"required\":[\"time\","
         "\"unixMs\"],\"additionalProperties\":false}",
     .effect = FER_EFFECT_PURE,
     .run = now},
};
const size_t fer_builtin_count = FER_COUNT(fer_builtins);
