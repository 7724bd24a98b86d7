/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VS Code and others write JSON with comments. They become blanks, byte for byte, so that places
 * stay what they were; what remains is read as strictly as ever.
 */
#include "config_parts.h"

/* The byte behind the string that starts at `at`. */
static size_t string_end(fer_str s, size_t at)
{
    for (at++; at < s.len && s.ptr[at] != '"'; at++)
        if (s.ptr[at] == '\\') at++;
    return at < s.len ? at + 1 : s.len;
}

size_t fer_jsonc_comment_end(fer_str s, size_t at)
{
    if (at + 1 >= s.len || s.ptr[at] != '/') return at;
    if (s.ptr[at + 1] == '/') {
        size_t end = fer_str_find(s, at, '\n');
        return end == SIZE_MAX ? s.len : end;
    }
    if (s.ptr[at + 1] != '*') return at;
    for (size_t i = at + 2; i + 1 < s.len; i++)
        if (s.ptr[i] == '*' && s.ptr[i + 1] == '/') return i + 2;
    return at;
}

static void blank(char *out, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (out[i] != '\n' && out[i] != '\r') out[i] = ' ';
}

fer_str fer_jsonc_clean(fer_arena *a, fer_str text)
{
    fer_str copy = fer_arena_copy(a, text);
    char *out = (char *)(uintptr_t)copy.ptr;
    size_t comma = SIZE_MAX; /* the last, where only blanks follow */
    for (size_t i = 0; out && i < text.len;) {
        char c = text.ptr[i];
        size_t end = fer_jsonc_comment_end(text, i);
        if (end > i) {
            blank(out, i, end);
            i = end;
            continue;
        }
        if ((c == '}' || c == ']') && comma != SIZE_MAX) out[comma] = ' ';
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r') comma = c == ',' ? i : SIZE_MAX;
        i = c == '"' ? string_end(text, i) : i + 1;
    }
    return copy;
}
