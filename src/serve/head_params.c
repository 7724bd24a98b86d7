/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments that HTTP says beside the body (2026-07-28): what a tool's inputSchema wants to have
 * mirrored in Mcp-Param-NAME must be there, once, and say what the body says; and where the body
 * has no such argument there must be none. Fields of other names mean nothing.
 */
#include "mcp_mirror.h"
#include "serve_parts.h"

/* The value of a field; `ptr` NULL: there is none, or there are two. */
static fer_str value_of(const fer_talk_hints *h, fer_str name, size_t *count)
{
    fer_str value = FER_STR_NONE;
    *count = 0;
    for (size_t i = 0; i < h->param_count; i++) {
        if (!fer_str_eq_nocase(h->params[i].name, name)) continue;
        value = h->params[i].value;
        ++*count;
    }
    return *count == 1 ? value : FER_STR_NONE;
}

/* Integers are compared by their value: 42.0 is 42. */
static bool same_number(fer_arena *a, fer_str head, fer_str body)
{
    fer_json *x, *y;
    bool same = false;
    if (fer_json_read(a, head, NULL, &x, NULL) || fer_json_read(a, body, NULL, &y, NULL) ||
        !fer_is_num(fer_json_root(x)))
        return false;
    return !fer_json_equal(a, fer_json_root(x), fer_json_root(y), &same, NULL) && same;
}

static bool agrees(fer_ask *q, const fer_mcp_mirrored *m)
{
    size_t count;
    fer_str head = value_of(&q->talk->hints, m->name, &count);
    if (!m->value.ptr) return !count;
    if (!head.ptr) return false;
    return fer_str_eq(head, m->value) ||
           (m->number && same_number(fer_ask_arena(q), head, m->value));
}

bool fer_ask_check_params(fer_ask *q, fer_str definition, fer_str args)
{
    fer_mcp_mirrored *list;
    size_t count;
    if (fer_mcp_mirror_all(fer_ask_arena(q), definition, args, &list, &count, NULL)) return true;
    for (size_t i = 0; i < count; i++) {
        if (agrees(q, &list[i])) continue;
        fer_ask_fail(q, FER_MCP_HEADER_MISMATCH, FER_STR(""),
                     "Mcp-Param-%.*s is missing, or does not say what the arguments say",
                     FER_PRI(list[i].name));
        return false;
    }
    return true;
}
