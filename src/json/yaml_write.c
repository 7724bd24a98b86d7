/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value as YAML in block style. What YAML could read as something else than the string it
 * is (a number, a word such as `no`, an indicator) is quoted as in JSON, which YAML 1.2 takes
 * as it is. The walk keeps its stack in the arena.
 */
#include <ferrule/json.h>

#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "errors.h"
#include "json_number.h"
#include "json_walk.h"
#include "json_write.h"

#define TEXT_MAX   (SIZE_MAX / 4)
#define SIMPLE_KEY 1000 /* bytes; YAML allows 1024 characters before the colon (7.4.2) */

struct writing {
    struct fer_walk walk;
    fer_buf *out;
    bool begun; /* the line has been begun by "- ", so no indent is due */
};

/* Words that some reader of YAML 1.1 or 1.2 takes for something else. */
static bool is_taken(fer_str s)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no",
                                        "on",   "off",  "y",     "n"};
    for (size_t i = 0; i < FER_COUNT(words); i++) {
        if (fer_str_eq_nocase(s, fer_str_of(words[i]))) return true;
    }
    return false;
}

/* A letter first, then nothing that could be an indicator, and no blank at the end. */
static bool is_plain(fer_str s)
{
    if (!s.len || !fer_is_alpha(s.ptr[0]) || s.ptr[s.len - 1] == ' ') return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!fer_is_alpha(c) && !fer_is_digit(c) && (!c || !strchr(" _-./()$+=;", c))) return false;
    }
    return !is_taken(s);
}

/*
 * The character at `at` where YAML demands an escape that JSON does not (5.1, 5.4): DEL, the
 * controls behind it, line separators, byte order marks, and the last two of the plane, which are
 * no characters. 0: none is demanded.
 */
static unsigned escape_due(fer_str s, size_t at, size_t *len)
{
    const unsigned char *c = (const unsigned char *)s.ptr + at;
    size_t left = s.len - at;
    *len = c[0] == 0x7F ? 1 : c[0] == 0xC2 ? 2 : 3;
    if (c[0] == 0x7F) return c[0];
    if (left > 1 && c[0] == 0xC2 && c[1] < 0xA0) return c[1];
    if (left > 2 && c[0] == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9))
        return 0x2000u + c[2] - 0x80;
    if (left > 2 && memcmp(c, "\xEF\xBB\xBF", 3) == 0) return 0xFEFF;
    if (left > 2 && c[0] == 0xEF && c[1] == 0xBF && c[2] >= 0xBE) return 0xFFC0u + (c[2] & 63);
    return 0;
}

static void write_quoted(fer_buf *b, fer_str s)
{
    size_t from = 0, len;
    char escape[8];
    fer_buf_add_char(b, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned c = escape_due(s, i, &len);
        if (!c) continue;
        fer_buf_add_escaped(b, fer_str_slice(s, from, i));
        snprintf(escape, sizeof escape, "\\u%04X", c);
        fer_buf_add_text(b, escape);
        from = i + len;
        i = from - 1;
    }
    fer_buf_add_escaped(b, fer_str_slice(s, from, s.len));
    fer_buf_add_char(b, '"');
}

static void write_string(fer_buf *b, fer_str s)
{
    if (is_plain(s)) fer_buf_add(b, s);
    else write_quoted(b, s);
}

static void write_scalar(struct writing *w, const yyjson_val *v)
{
    char number[FER_NUMBER_TEXT];
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_NULL: fer_buf_add_text(w->out, "null"); break;
    case YYJSON_TYPE_BOOL: fer_buf_add_text(w->out, fer_is_true(v) ? "true" : "false"); break;
    case YYJSON_TYPE_STR: write_string(w->out, fer_val_str(v)); break;
    case YYJSON_TYPE_OBJ: fer_buf_add_text(w->out, "{}"); break;
    case YYJSON_TYPE_ARR: fer_buf_add_text(w->out, "[]"); break;
    default: fer_buf_add(w->out, (fer_str){number, fer_number_text(v, number)}); break;
    }
    fer_buf_add_char(w->out, '\n');
}

static void indent(struct writing *w)
{
    if (!w->begun) fer_buf_add_repeat(w->out, ' ', 2 * (w->walk.depth - 1));
    w->begun = false;
}

/* Whether a key may stand before its colon. Quoted, a byte takes up to six: \u0001. */
static bool is_simple(fer_str key)
{
    return key.len <= (is_plain(key) ? SIMPLE_KEY : SIMPLE_KEY / 6);
}

static void write_key(struct writing *w, fer_str key)
{
    bool simple = is_simple(key);
    indent(w);
    if (!simple) fer_buf_add_text(w->out, "? ");
    write_string(w->out, key);
    if (!simple) {
        fer_buf_add_char(w->out, '\n');
        indent(w);
    }
    fer_buf_add_char(w->out, ':');
}

/* Writes a scalar or an empty container; opens any other. False: no memory. */
static bool begin_value(struct writing *w, const yyjson_val *v, bool behind_key)
{
    if (!fer_is_ctn(v) || fer_val_len(v) == 0) {
        if (behind_key) fer_buf_add_char(w->out, ' ');
        write_scalar(w, v);
        w->begun = false;
        return true;
    }
    const yyjson_val **keys = fer_is_obj(v) ? fer_keys_plain(w->walk.arena, v) : NULL;
    if (fer_is_obj(v) && !keys) return false;
    if (behind_key) fer_buf_add_char(w->out, '\n');
    return fer_walk_push(&w->walk, v, keys);
}

static bool write_member(struct writing *w)
{
    const yyjson_val *key, *v = fer_walk_advance(fer_walk_top(&w->walk), &key);
    if (key) {
        write_key(w, fer_val_str(key));
        return begin_value(w, v, true);
    }
    indent(w);
    fer_buf_add_text(w->out, "- ");
    w->begun = true;
    return begin_value(w, v, false);
}

fer_code fer_yaml_write(fer_arena *a, const yyjson_val *value, fer_str *out, fer_err *err)
{
    fer_buf b;
    struct writing w = {{.arena = a}, &b, false};
    fer_buf_init(&b, a, TEXT_MAX);
    bool ok = begin_value(&w, value, false);
    while (ok && w.walk.depth > 0 && !b.failure) {
        if (fer_walk_top(&w.walk)->left == 0) w.walk.depth--;
        else ok = write_member(&w);
    }
    fer_code code = ok ? fer_buf_code(&b, err) : fer_arena_failed(a, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}
