/* SPDX-License-Identifier: Apache-2.0 */
/* x-mcp-header: parameters that a client also sends as HTTP headers (MCP 2026-07-28, tools). */
#include "quality.h"

#include "json_value.h"
#include "q_secret.h"
#include "unicode.h"

#define HEADER "x-mcp-header"

/* RFC 9110 5.6.2: tchar. */
static bool is_token(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!fer_is_alpha(c) && !fer_is_digit(c) && (!c || !strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return s.len > 0;
}

static bool is_direct(const fer_subschema *s)
{
    for (; s->up; s = s->up) {
        if (s->via != KW_PROPERTIES) return false;
    }
    return true;
}

static bool is_repeated(const fer_quality *q, fer_str name)
{
    for (size_t i = 0; i < q->header_count; i++) {
        if (fer_str_eq_nocase(fer_val_str(q->headers[i]), name)) return true;
    }
    return false;
}

static void note(fer_quality *q, const yyjson_val *value)
{
    const yyjson_val **list =
        fer_arena_room(q->pass->scratch, q->headers, q->header_count, &q->header_cap, sizeof *list);
    if (!list) {
        q->pass->drafts->no_memory = true;
        return;
    }
    q->headers = list;
    q->headers[q->header_count++] = value;
}

/* What is wrong with it, or NULL. */
static const char *problem(const fer_quality *q, const fer_qnode *n, const yyjson_val *value)
{
    if (!fer_is_str(value)) return "is not a string";
    if (!fer_val_len(value)) return "is empty";
    if (!is_token(fer_val_str(value))) return "is not an RFC 9110 token";
    if (!n->param || !is_direct(n->schema)) return "is not reached through properties alone";
    if (!n->types || n->types & ~(unsigned)(FER_IS_STRING | FER_IS_INTEGER | FER_IS_BOOLEAN))
        return "stands at something else than a string, an integer or a boolean";
    if (fer_is_secret_name(&n->words)) return "would send a secret as a header";
    if (is_repeated(q, fer_val_str(value)))
        return "names a header for the second time, whatever its case";
    return NULL;
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    if (q->output || !n->schema->unknown) return;
    const yyjson_val *value = fer_val_get(n->schema->value, HEADER);
    if (!value) return;
    const char *what = problem(q, n, value);
    if (!what) {
        note(q, value);
        return;
    }
    fer_path here = FER_PATH_KEY(n->schema->path, FER_STR(HEADER));
    fer_drafts_report(q->pass->drafts, &fer_quality_rules[FER_Q_SEC_X_MCP_HEADER], value, &here,
                      HEADER " %s", what);
}

const fer_quality_family fer_quality_header = {.node = look_at_node};
