/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two views of a tool: what somebody might ask for, and the tool as the index sees it. What goes
 * into the query is taken from the tool's own texts: a sentence, its name, its parameters, or a
 * handful of all its words; a few words of other tools are thrown in, as queries hold names and
 * places that no tool speaks of.
 */
#include <math.h>

#include "embed_static.h"
#include "train.h"

typedef struct view {
    const train_corpus *corpus;
    const train_options *options;
    train_random *random;
    const train_doc *doc;
    train_bag *query, *about;
} view;

static void add(const view *v, train_bag *b, uint32_t id, float weight)
{
    if (!v->corpus->tools[id]) return;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->words[i].id == id) {
            b->words[i].weight += weight;
            return;
        }
    if (b->count == TRAIN_BAG_MAX) return;
    b->words[b->count].id = id;
    b->words[b->count++].weight = weight;
}

static bool chance(const view *v, float p)
{
    return train_part(v->random) < p;
}

/* A word of the tool as the index has it, or dropped. */
static void add_about(const view *v, train_word w)
{
    if (!chance(v, v->options->drop))
        add(v, v->about, w.id, (float)fer_embed_field_weights[w.field] * 0.1f);
}

static unsigned bit(uint8_t field)
{
    return 1u << field;
}

#define NAMES  (1u << FER_FIELD_NAME | 1u << FER_FIELD_TITLE)
#define TOPICS (1u << FER_FIELD_TAG | 1u << FER_FIELD_CATEGORY)
#define PARAMS                                                                                     \
    (1u << FER_FIELD_PARAM_NAME | 1u << FER_FIELD_PARAM_TEXT | 1u << FER_FIELD_PARAM_VALUE)
#define ABOUT (1u << FER_FIELD_DESCRIPTION)

/* One sentence of the description, the first more often than others, against everything else. */
static void view_sentence(const view *v)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < v->doc->count; i++)
        if (bit(v->doc->words[i].field) & ABOUT) last = v->doc->words[i].sentence;
    uint32_t chosen = chance(v, 0.6f) ? 0 : train_below(v->random, last + 1);
    for (uint32_t i = 0; i < v->doc->count; i++) {
        train_word w = v->doc->words[i];
        if (!(bit(w.field) & ABOUT) || w.sentence != chosen) add_about(v, w);
        else if (!chance(v, v->options->drop)) add(v, v->query, w.id, 1);
    }
}

/* Some fields against others; what is in neither is left out. */
static void view_fields(const view *v, unsigned asked, float keep, unsigned about)
{
    for (uint32_t i = 0; i < v->doc->count; i++) {
        train_word w = v->doc->words[i];
        if (bit(w.field) & about) add_about(v, w);
        if (bit(w.field) & asked && chance(v, keep)) add(v, v->query, w.id, 1);
    }
}

static void view_name(const view *v)
{
    unsigned topics = chance(v, 0.3f) ? TOPICS : 0;
    view_fields(v, NAMES | topics, 0.9f, (ABOUT | PARAMS | 1u << FER_FIELD_NAMESPACE) & ~topics);
}

static void view_params(const view *v)
{
    view_fields(v, PARAMS, 0.6f, ~PARAMS);
}

/* A handful of words against the rest. */
static void view_handful(const view *v)
{
    for (uint32_t i = 0; i < v->doc->count; i++) {
        train_word w = v->doc->words[i];
        unsigned field = bit(w.field);
        float keep = field & (NAMES | ABOUT) ? 0.3f : field & PARAMS ? 0.15f : 0.1f;
        if (chance(v, keep)) add(v, v->query, w.id, 1);
        else add_about(v, w);
    }
}

/* Words of the tool against the whole of it. */
static void view_part(const view *v)
{
    view_fields(v, ABOUT | NAMES, 0.4f, ~0u);
}

static const struct {
    float share;
    void (*make)(const view *v);
} kinds[] = {
    {0.35f, view_sentence}, {0.20f, view_name}, {0.10f, view_params},
    {0.25f, view_handful},  {0.10f, view_part},
};

static bool has(const train_bag *b, uint32_t id)
{
    uint32_t i = 0;
    while (i < b->count && b->words[i].id != id) i++;
    return i < b->count;
}

/* What both views say is found by words anyway: the model shall learn the rest. */
static void drop_shared(const view *v)
{
    train_bag *q = v->query;
    uint32_t kept = 0;
    if (v->options->shared <= 0) return;
    for (uint32_t i = 0; i < q->count; i++)
        if (!has(v->about, q->words[i].id) || !chance(v, v->options->shared))
            q->words[kept++] = q->words[i];
    q->count = kept;
}

static void add_noise(const view *v)
{
    while (chance(v, v->options->noise)) {
        const train_doc *other =
            &v->corpus->docs[train_below(v->random, (uint32_t)v->corpus->count)];
        if (other->count)
            add(v, v->query, other->words[train_below(v->random, other->count)].id, 1);
    }
}

static void take_roots(train_bag *b)
{
    for (uint32_t i = 0; i < b->count; i++) b->words[i].weight = sqrtf(b->words[i].weight);
}

bool train_views(const train_corpus *c, const train_options *o, train_random *r,
                 const train_doc *doc, train_bag *query, train_bag *about)
{
    const view v = {c, o, r, doc, query, about};
    float drawn = train_part(r);
    size_t kind = 0;
    query->count = about->count = 0;
    while (kind + 1 < FER_COUNT(kinds) && drawn >= kinds[kind].share) drawn -= kinds[kind++].share;
    kinds[kind].make(&v);
    drop_shared(&v);
    if (!query->count || !about->count) return false;
    add_noise(&v);
    take_roots(query);
    take_roots(about);
    return true;
}
