/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R24 and R25: names that the provider takes, one for each tool, the same whatever the order
 * of tools. First every name is made to fit; then all that would be the same, though their
 * tools are not, get a hash.
 */

#include "digest.h"
#include "errors.h"
#include "look.h"
#include "rewrite.h"

#define HASH 9 /* _ and 8 hex digits */

struct naming {
    fer_arena *arena;
    const fer_profile *profile;
    bool joined;      /* namespace and name are one */
    bool definitions; /* tools of one name are told apart by their definitions */
    fer_err *err;
};

static size_t longest(const struct naming *n, fer_str ns)
{
    const struct fer_profile_row *row = &n->profile->rows[FER_PR_NAME_LENGTH];
    if (!row->on || row->max > 1000) return 128;
    size_t max = (size_t)row->max;
    if (!row->with_server) return max;
    return max > ns.len + HASH + 1 ? max - ns.len : HASH + 1;
}

static bool good(const struct naming *n, char ch)
{
    const struct fer_profile_row *row = &n->profile->rows[FER_PR_NAME_CHARSET];
    if (row->on) return fer_chars_have(&row->chars, (unsigned char)ch);
    return fer_is_alpha(ch) || fer_is_digit(ch) || ch == '_' || ch == '-' || ch == '.';
}

/* The text that a tool's hash is of. */
static fer_str whole(const struct naming *n, const fer_tool *t)
{
    fer_str ns = n->joined ? fer_tool_namespace(t) : FER_STR("");
    return ns.len ? fer_arena_printf(n->arena, "%.*s:%.*s", FER_PRI(ns), FER_PRI(fer_tool_name(t)))
                  : fer_tool_name(t);
}

/* Whether two parts joined by __ can be told apart again. */
static bool ambiguous(fer_str part)
{
    if (!part.len) return false;
    return part.ptr[0] == '_' || part.ptr[part.len - 1] == '_' ||
           memmem(part.ptr, part.len, "__", 2);
}

static void add_hash(fer_buf *b, fer_str text)
{
    unsigned char digest[FER_DIGEST_SIZE];
    char hex[8];
    fer_digest_text(text, digest);
    fer_digest_hex(hex, digest, 4);
    fer_buf_add_char(b, '_');
    fer_buf_add(b, (fer_str){hex, sizeof hex});
}

static fer_code hash_of(struct naming *n, fer_buf *b, const fer_tool *t)
{
    char hash[FER_HASH_TEXT];
    fer_str text = whole(n, t);
    if (n->definitions) {
        fer_code code = fer_tool_definition_hash(n->arena, t, hash, n->err);
        if (code) return code;
        text = fer_arena_printf(n->arena, "%.*s %s", FER_PRI(text), hash);
    }
    if (!text.ptr) return fer_arena_failed(n->arena, n->err);
    add_hash(b, text);
    return FER_OK;
}

static void add_fitting(const struct naming *n, fer_buf *b, fer_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char ch = (unsigned char)text.ptr[i];
        if ((ch & 0xC0) == 0x80) continue; /* one _ for each character */
        fer_buf_add_char(b, ch < 0x80 && good(n, (char)ch) ? (char)ch : '_');
    }
}

static fer_code make(struct naming *n, const fer_tool *t, bool hash, fer_str *out)
{
    const struct fer_profile_row *first = &n->profile->rows[FER_PR_NAME_FIRST_CHAR];
    fer_str name = fer_tool_name(t), ns = n->joined ? fer_tool_namespace(t) : FER_STR("");
    size_t max = longest(n, fer_tool_namespace(t));
    fer_buf b;
    fer_code code = FER_OK;
    fer_buf_init(&b, n->arena, (size_t)1 << 20);
    fer_str lead = ns.len ? ns : name;
    if (!lead.len || (first->on && !fer_chars_have(&first->chars, (unsigned char)lead.ptr[0])))
        fer_buf_add_text(&b, "t_");
    if (ns.len) {
        add_fitting(n, &b, ns);
        fer_buf_add_text(&b, "__");
    }
    add_fitting(n, &b, name);
    if (ns.len) hash = hash || ambiguous(ns) || ambiguous(name);
    if (hash || b.len > max) {
        if (b.len > max - HASH) b.len = max - HASH;
        code = hash_of(n, &b, t);
    }
    *out = fer_buf_view(&b);
    return code ? code : fer_buf_code(&b, n->err);
}

/* Who gets a name: several tools, or several definitions of one. */
struct group {
    fer_str whole;
    char hash[FER_HASH_TEXT];
    bool several, redefined;
};

static fer_code note(struct naming *n, fer_map *groups, fer_str name, const fer_tool *t)
{
    char hash[FER_HASH_TEXT];
    fer_str text = whole(n, t);
    struct group *g = fer_map_get(groups, name);
    fer_code code = fer_tool_definition_hash(n->arena, t, hash, n->err);
    if (code) return code;
    if (!text.ptr) return fer_arena_failed(n->arena, n->err);
    if (g) {
        bool same = fer_str_eq(g->whole, text);
        g->several = g->several || !same;
        g->redefined = g->redefined || (same && memcmp(g->hash, hash, sizeof hash) != 0);
        return FER_OK;
    }
    g = fer_arena_alloc_zero(n->arena, 1, sizeof *g);
    void **slot = g ? fer_map_put(groups, name) : NULL;
    if (!slot) return fer_arena_failed(n->arena, n->err);
    g->whole = text;
    memcpy(g->hash, hash, sizeof hash);
    *slot = g;
    return FER_OK;
}

fer_code fer_wire_names(fer_arena *a, const fer_toolset *set, const fer_profile *p, fer_str *names,
                        fer_err *err)
{
    struct naming n = {.arena = a, .profile = p, .joined = !fer_wire_of(p)->record, .err = err};
    fer_map groups;
    fer_code code = FER_OK;
    size_t count = fer_toolset_count(set);
    fer_map_init(&groups, a);
    for (size_t i = 0; i < count && !code; i++) {
        const fer_tool *t = fer_toolset_get(set, i);
        code = make(&n, t, false, &names[i]);
        if (!code) code = note(&n, &groups, names[i], t);
    }
    for (size_t i = 0; i < count && !code; i++) {
        const struct group *g = fer_map_get(&groups, names[i]);
        n.definitions = g && g->redefined;
        if (g && (g->several || g->redefined))
            code = make(&n, fer_toolset_get(set, i), true, &names[i]);
    }
    return code;
}

void fer_rw_note_name(fer_rw *c)
{
    fer_str name = fer_tool_name(c->tool), ns = fer_tool_namespace(c->tool);
    bool joined = ns.len && !c->wire->record, before = c->rewritten;
    if (fer_str_eq(name, c->name)) return;
    c->pointer = FER_STR("/name");
    fer_rw_note(
        c, joined ? FER_R25 : FER_R24, FER_LOSS_ADAPTER, "name",
        joined
            ? "the provider's definitions have no namespace"
            : "the name is not one that the provider takes, or another tool's would be the same");
    c->notes[c->note_count - 1].before = name;
    c->notes[c->note_count - 1].after = c->name;
    c->rewritten = before;
}
