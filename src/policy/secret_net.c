/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known values: an automaton of Aho and Corasick over all forms of all secrets. Bytes wait while
 * the automaton is inside a form; how many is the depth of its state. A match hides its bytes;
 * one that overlaps what is hidden already hides the rest of its bytes, too.
 */
#include "secret_net.h"

#include "errors.h"
#include "redact.h"
#include "secret_forms.h"
#include "secret_patterns.h"

#define BEGINNING 4 /* bytes at the end of a text that was cut; fewer begin any word */

typedef struct edge {
    uint32_t next; /* edge of the same node; 0: none */
    uint32_t to;
    unsigned char byte;
} edge;

typedef struct node {
    uint32_t edges; /* the first; 0: none */
    uint32_t fail;
    uint32_t depth;
    uint32_t hit; /* bytes of the longest form that ends here; 0: none does */
} node;

struct fer_net {
    fer_arena *arena;
    node *nodes;
    size_t node_count, node_cap;
    edge *edges; /* [0] is none */
    size_t edge_count, edge_cap;
    uint32_t root[256];
    size_t secrets;
};

/* ---- making one ------------------------------------------------------------------------------ */

static uint32_t add_node(fer_net *n, uint32_t depth)
{
    node *nodes = fer_arena_room(n->arena, n->nodes, n->node_count, &n->node_cap, sizeof *nodes);
    if (!nodes) return UINT32_MAX;
    n->nodes = nodes;
    n->nodes[n->node_count] = (node){.depth = depth};
    return (uint32_t)n->node_count++;
}

fer_net *fer_net_new(fer_arena *a)
{
    fer_net *n = fer_arena_alloc_zero(a, 1, sizeof *n);
    if (!n) return NULL;
    n->arena = a;
    n->edges = fer_arena_room(a, NULL, 0, &n->edge_cap, sizeof *n->edges);
    n->edge_count = 1;
    return n->edges && add_node(n, 0) == 0 ? n : NULL;
}

static uint32_t child(const fer_net *n, uint32_t at, unsigned char byte)
{
    uint32_t e = n->nodes[at].edges;
    while (e && n->edges[e].byte != byte) e = n->edges[e].next;
    return e ? n->edges[e].to : 0;
}

static uint32_t make_child(fer_net *n, uint32_t at, unsigned char byte)
{
    uint32_t to = add_node(n, n->nodes[at].depth + 1);
    edge *edges = fer_arena_room(n->arena, n->edges, n->edge_count, &n->edge_cap, sizeof *edges);
    if (to == UINT32_MAX || !edges) return UINT32_MAX;
    n->edges = edges;
    n->edges[n->edge_count] = (edge){n->nodes[at].edges, to, byte};
    n->nodes[at].edges = (uint32_t)n->edge_count++;
    return to;
}

static bool add_form(fer_net *n, fer_str form)
{
    uint32_t at = 0;
    for (size_t i = 0; i < form.len; i++) {
        unsigned char byte = (unsigned char)form.ptr[i];
        uint32_t to = child(n, at, byte);
        if (!to) to = make_child(n, at, byte);
        if (to == UINT32_MAX) return false;
        at = to;
    }
    n->nodes[at].hit = (uint32_t)form.len;
    return true;
}

fer_code fer_net_add(fer_net *n, fer_str secret, fer_err *err)
{
    fer_str forms[FER_SECRET_FORMS];
    size_t count;
    if (secret.len < FER_NET_SHORTEST) return FER_OK;
    if (n->secrets >= FER_NET_SECRETS || n->node_count >= FER_NET_NODES)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "net.secrets: at most %d secrets, %zu nodes",
                        FER_NET_SECRETS, FER_NET_NODES);
    n->secrets++;
    if (secret.len > FER_NET_LONGEST) secret.len = FER_NET_LONGEST;
    if (!fer_secret_forms(n->arena, secret, forms, &count)) return fer_arena_failed(n->arena, err);
    for (size_t i = 0; i < count; i++)
        if (!add_form(n, forms[i])) return fer_arena_failed(n->arena, err);
    return FER_OK;
}

static uint32_t step(const fer_net *n, uint32_t at, unsigned char byte)
{
    while (at) {
        uint32_t to = child(n, at, byte);
        if (to) return to;
        at = n->nodes[at].fail;
    }
    return n->root[byte];
}

/* Level by level: where a node's byte leads from the state that its parent falls back to. */
fer_code fer_net_weave(fer_net *n, fer_err *err)
{
    uint32_t *order = fer_arena_alloc(n->arena, (n->node_count + 1) * sizeof *order);
    size_t count = 0;
    if (!order) return fer_arena_failed(n->arena, err);
    memset(n->root, 0, sizeof n->root);
    for (uint32_t e = n->nodes[0].edges; e; e = n->edges[e].next) {
        n->root[n->edges[e].byte] = n->edges[e].to;
        n->nodes[n->edges[e].to].fail = 0;
        order[count++] = n->edges[e].to;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t at = order[i], fail = n->nodes[at].fail;
        if (!n->nodes[at].hit) n->nodes[at].hit = n->nodes[fail].hit;
        for (uint32_t e = n->nodes[at].edges; e; e = n->edges[e].next) {
            n->nodes[n->edges[e].to].fail = step(n, fail, n->edges[e].byte);
            order[count++] = n->edges[e].to;
        }
    }
    return FER_OK;
}

/* ---- a stream -------------------------------------------------------------------------------- */

void fer_net_begin(fer_net_stream *s, const fer_net *net, fer_arena *a)
{
    *s = (fer_net_stream){.net = net && net->node_count > 1 ? net : NULL, .swallowing = -1};
    fer_buf_init(&s->waiting, a, SIZE_MAX / 4);
}

/* Lets the first `count` of those that wait pass. */
static void let_pass(fer_net_stream *s, size_t count, fer_buf *out)
{
    if (count) {
        s->redacted = false;
        fer_patterns_feed(s, (fer_str){s->waiting.ptr + s->from, count}, out);
        s->from += count;
    }
    if (s->from == s->waiting.len) {
        s->from = s->waiting.len = 0;
    } else if (s->from > s->waiting.len / 2) {
        s->waiting.len -= s->from;
        memmove(s->waiting.ptr, s->waiting.ptr + s->from, s->waiting.len);
        s->from = 0;
    }
}

static void hide(fer_net_stream *s, size_t hit, fer_buf *out)
{
    size_t waiting = s->waiting.len - s->from;
    if (hit <= waiting) let_pass(s, waiting - hit, out);
    if (!s->redacted || hit < waiting) {
        fer_patterns_feed(s, FER_STR(FER_REDACTED), out);
        s->hits++;
    }
    s->redacted = true;
    s->from = s->waiting.len = 0;
}

void fer_net_feed(fer_net_stream *s, fer_str bytes, fer_buf *out)
{
    const fer_net *n = s->net;
    size_t from = 0; /* of bytes that nothing waits for */
    if (!n) {
        fer_patterns_feed(s, bytes, out);
        return;
    }
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        if (!s->state && !n->root[byte]) continue;
        if (!s->state) { /* what came before is plain */
            if (i > from) {
                s->redacted = false;
                fer_patterns_feed(s, fer_str_slice(bytes, from, i), out);
            }
        }
        fer_buf_add_char(&s->waiting, bytes.ptr[i]);
        from = i + 1;
        s->state = step(n, s->state, byte);
        const node *at = &n->nodes[s->state];
        if (at->hit) hide(s, at->hit, out);
        else if (s->waiting.len - s->from > at->depth)
            let_pass(s, s->waiting.len - s->from - at->depth, out);
    }
    if (from < bytes.len) {
        s->redacted = false;
        fer_patterns_feed(s, fer_str_slice(bytes, from, bytes.len), out);
    }
}

fer_code fer_net_end(fer_net_stream *s, fer_buf *out, fer_err *err)
{
    let_pass(s, s->waiting.len - s->from, out);
    fer_patterns_end(s, out);
    fer_code code = fer_buf_code(&s->waiting, err);
    return code ? code : fer_buf_code(out, err);
}

static fer_code clean(fer_arena *a, const fer_net *net, fer_str text, bool cut, fer_str *out,
                      fer_err *err)
{
    fer_net_stream s;
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_net_begin(&s, net, a);
    fer_net_feed(&s, text, &b);
    if (cut && s.waiting.len - s.from >= BEGINNING) hide(&s, s.waiting.len - s.from, &b);
    fer_code code = fer_net_end(&s, &b, err);
    if (!code) *out = s.hits ? fer_buf_view(&b) : text;
    return code;
}

fer_code fer_net_clean(fer_arena *a, const fer_net *net, fer_str text, fer_str *out, fer_err *err)
{
    return clean(a, net, text, false, out, err);
}

void fer_net_show(const fer_net *net, fer_str text, bool cut, char *out, size_t size)
{
    fer_arena *a = text.len ? fer_arena_new(0) : NULL;
    fer_str shown = FER_STR("");
    if (text.len && (!a || clean(a, net, text, cut, &shown, NULL)))
        shown = FER_STR("the text was dropped: it could not be looked at");
    shown = fer_str_head(shown, size - 1);
    if (shown.len) memcpy(out, shown.ptr, shown.len);
    out[shown.len] = '\0';
    fer_arena_free(a);
}
