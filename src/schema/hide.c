/* SPDX-License-Identifier: Apache-2.0 */
#include "hide.h"

/* The next step of a path, at `*at`, which moves behind it. */
static fer_str path_step(fer_str path, size_t *at)
{
    size_t from = *at;
    if (path.ptr[from] == '[') {
        bool quoted = from + 1 < path.len && path.ptr[from + 1] == '"';
        size_t inner = from + 1 + quoted;
        size_t end = fer_str_find(path, inner, quoted ? '"' : ']');
        if (end == SIZE_MAX) end = path.len;
        *at = end + 1 + quoted;
        if (*at > path.len) *at = path.len;
        if (*at < path.len && path.ptr[*at] == '.') ++*at;
        return fer_str_slice(path, inner, end);
    }
    size_t end = from;
    while (end < path.len && path.ptr[end] != '.' && path.ptr[end] != '[') end++;
    *at = end + (end < path.len && path.ptr[end] == '.');
    return fer_str_slice(path, from, end);
}

/* The next step of a pointer, from its '/' on. */
static fer_str pointer_step(fer_str pointer, size_t *at)
{
    size_t end = fer_str_find(pointer, *at + 1, '/');
    if (end == SIZE_MAX) end = pointer.len;
    fer_str step = fer_str_slice(pointer, *at + 1, end);
    *at = end;
    return step;
}

static bool is_joint(char c)
{
    return c == '-' || c == '_';
}

/* In a pointer, ~1 is '/' and ~0 is '~'. Case does not count, nor do - and _. */
static bool same_step(fer_str want, fer_str have)
{
    size_t i = 0;
    if (fer_str_is(want, "*")) return true;
    for (size_t k = 0; k < have.len; k++) {
        char c = have.ptr[k];
        if (is_joint(c)) continue;
        if (c == '~' && k + 1 < have.len) c = have.ptr[++k] == '1' ? '/' : '~';
        while (i < want.len && is_joint(want.ptr[i])) i++;
        if (i == want.len || fer_lower(want.ptr[i]) != fer_lower(c)) return false;
        i++;
    }
    while (i < want.len && is_joint(want.ptr[i])) i++;
    return i == want.len;
}

/* As with a file's wildcards: after `**`, a step that does not fit is tried one further on. */
fer_hides fer_hide_covers(fer_str path, fer_str pointer)
{
    size_t p = 0, q = 0, back_p = SIZE_MAX, back_q = 0;
    for (;;) {
        if (p >= path.len) return FER_HIDE_COVERS; /* to here, or above */
        size_t next_p = p;
        fer_str want = path_step(path, &next_p);
        if (fer_str_is(want, "**")) {
            p = back_p = next_p;
            back_q = q;
            continue;
        }
        if (q >= pointer.len) return FER_HIDE_BELOW;
        size_t next_q = q;
        fer_str have = pointer_step(pointer, &next_q);
        if (same_step(want, have)) {
            p = next_p;
            q = next_q;
        } else if (back_p == SIZE_MAX) {
            return FER_HIDE_NOT;
        } else {
            p = back_p;
            pointer_step(pointer, &back_q);
            q = back_q;
        }
    }
}
