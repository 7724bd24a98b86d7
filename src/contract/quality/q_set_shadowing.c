/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptions that speak of another server's tool. Sets are checked one after the other and
 * their findings shown with their texts, so a mention of a tool that comes later is found when
 * that tool comes, and reported there.
 */
#include "map.h"
#include "quality_set.h"

/* A server that has a tool of some name, or mentions one; in the run's own memory. */
struct party {
    fer_str server;
    fer_str tool;
    fer_str source;
    uint32_t line;
    struct party *more; /* others of the same name */
};

struct kept {
    fer_map owners;   /* name -> struct party */
    fer_map speakers; /* mentioned name -> struct party */
};

static struct kept *kept_of(fer_pass_set *p)
{
    void **place = &p->run->kept[FER_PASS_QUALITY];
    struct kept *k = *place;
    if (k) return k;
    k = fer_arena_alloc_zero(p->run->arena, 1, sizeof *k);
    if (!k) {
        p->no_memory = true;
        return NULL;
    }
    fer_map_init(&k->owners, p->run->arena);
    fer_map_init(&k->speakers, p->run->arena);
    return *place = k;
}

static const struct party *find(const struct party *list, fer_str server)
{
    while (list && !fer_str_eq(list->server, server)) list = list->more;
    return list;
}

static const struct party *find_other(const struct party *list, fer_str server)
{
    while (list && fer_str_eq(list->server, server)) list = list->more;
    return list;
}

static void add(fer_pass_set *p, fer_map *map, fer_str name, const fer_noted *n)
{
    fer_arena *a = p->run->arena;
    const struct party *list = fer_map_get(map, name);
    if (p->no_memory || find(list, n->server)) return;
    struct party *made = fer_arena_alloc_zero(a, 1, sizeof *made);
    fer_str key = list ? name : fer_arena_copy(a, name);
    void **slot = made && key.ptr ? fer_map_put(map, key) : NULL;
    if (!slot) {
        p->no_memory = true;
        return;
    }
    *made = (struct party){fer_arena_copy(a, n->server), fer_arena_copy(a, n->name), n->at.source,
                           n->at.place.line, *slot};
    *slot = made;
    if (!made->server.ptr || !made->tool.ptr) p->no_memory = true;
}

static void check_mentions(fer_pass_set *p, const struct kept *k, const fer_noted *n)
{
    for (size_t i = 0; i < n->mention_count; i++) {
        const struct party *owners = fer_map_get(&k->owners, n->mentions[i]);
        const struct party *other = find_other(owners, n->server);
        if (!other || find(owners, n->server)) continue;
        fer_pass_report(p, &fer_quality_rules[FER_Q_SEC_SHADOWING], &n->at,
                        "the description speaks of \"%.*s\", a tool of %.*s",
                        FER_PRI(n->mentions[i]), FER_PRI(other->server));
        return;
    }
}

/* Somebody who came before, and has no tool of that name, speaks of this one. */
static void check_mentioned(fer_pass_set *p, const struct kept *k, const fer_noted *n)
{
    const struct party *owners = fer_map_get(&k->owners, n->name);
    const struct party *other = fer_map_get(&k->speakers, n->name);
    while (other && (fer_str_eq(other->server, n->server) || find(owners, other->server)))
        other = other->more;
    if (!other) return;
    fer_pass_report(p, &fer_quality_rules[FER_Q_SEC_SHADOWING], &n->at,
                    "the description of \"%.*s\" (%.*s:%u) speaks of this tool",
                    FER_PRI(other->tool), FER_PRI(other->source), other->line);
}

void fer_q_set_shadowing(fer_pass_set *p, fer_noted_set *s)
{
    struct kept *k = p->no_memory ? NULL : kept_of(p);
    if (!k) return;
    for (size_t i = 0; i < s->count; i++) add(p, &k->owners, s->list[i].name, &s->list[i]);
    for (size_t i = 0; i < s->count; i++) {
        check_mentions(p, k, &s->list[i]);
        check_mentioned(p, k, &s->list[i]);
    }
    for (size_t i = 0; i < s->count; i++) {
        for (size_t m = 0; m < s->list[i].mention_count; m++)
            add(p, &k->speakers, s->list[i].mentions[m], &s->list[i]);
    }
}
