/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a set beside each other: their convention, what folds together, what looks alike. */
#include "map.h"
#include "near.h"
#include "quality_set.h"

/* ---- conventions ------------------------------------------------------------------------------
 */

enum style {
    STYLE_ANY, /* one word, or a mixture */
    STYLE_SNAKE,
    STYLE_KEBAB,
    STYLE_CAMEL,
    STYLE_PASCAL,
    STYLE_COUNT
};
static const char *const style_names[] = {"", "snake_case", "kebab-case", "camelCase",
                                          "PascalCase"};

static enum style style_of(fer_str s)
{
    bool upper = false, lower = false, snake = false, kebab = false;
    for (size_t i = 0; i < s.len; i++) {
        upper = upper || (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z');
        lower = lower || (s.ptr[i] >= 'a' && s.ptr[i] <= 'z');
        snake = snake || s.ptr[i] == '_';
        kebab = kebab || s.ptr[i] == '-';
    }
    bool first = s.len && s.ptr[0] >= 'A' && s.ptr[0] <= 'Z';
    if (!upper && snake != kebab) return snake ? STYLE_SNAKE : STYLE_KEBAB;
    if (!snake && !kebab && upper && lower) return first ? STYLE_PASCAL : STYLE_CAMEL;
    return STYLE_ANY;
}

/* Who follows the convention of two thirds is right. */
static void check_case(fer_pass_set *p, const fer_noted_set *s)
{
    size_t counts[STYLE_COUNT] = {0}, all = 0;
    enum style most = STYLE_SNAKE;
    for (size_t i = 0; i < s->count; i++) counts[style_of(s->list[i].name)]++;
    for (unsigned i = STYLE_SNAKE; i < STYLE_COUNT; i++) {
        all += counts[i];
        if (counts[i] > counts[most]) most = (enum style)i;
    }
    if (all < 3 || counts[most] == all || counts[most] * 3 < all * 2) return;
    for (size_t i = 0; i < s->count; i++) {
        enum style style = style_of(s->list[i].name);
        if (style == STYLE_ANY || style == most) continue;
        fer_pass_report(p, &fer_quality_rules[FER_Q_NAME_CASE], &s->list[i].at,
                        "\"%.*s\" is in %s; %zu of %zu names of the set are in %s",
                        FER_PRI(s->list[i].name), style_names[style], counts[most], all,
                        style_names[most]);
    }
}

/* ---- what folds together ------------------------------------------------------------------------
 */

/* The namespace and the name in lower case; other characters become _, or with `bare` go. */
static fer_str folded(fer_pass_set *p, const fer_noted *n, bool bare)
{
    fer_buf b;
    fer_buf_init(&b, p->run->set, (size_t)4 * FER_NAME_MAX);
    fer_buf_add(&b, n->ns);
    fer_buf_add_char(&b, ':');
    for (size_t i = 0; i < n->name.len; i++) {
        char c = n->name.ptr[i];
        bool plain = fer_is_alpha(c) || fer_is_digit(c);
        bool joint = c == '_' || c == '-';
        if (plain || (joint && !bare)) fer_buf_add_char(&b, fer_lower(c));
        else if (!bare) fer_buf_add_char(&b, '_');
    }
    if (b.arena_failed) p->no_memory = true;
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

/* Reports tools whose folded names are the same while their names are not. */
static void check_folded(fer_pass_set *p, fer_noted_set *s, bool bare)
{
    fer_map seen;
    fer_map_init(&seen, p->run->set);
    for (size_t i = 0; i < s->count && !p->no_memory; i++) {
        fer_noted *n = &s->list[i];
        fer_str key = folded(p, n, bare);
        void **slot = key.ptr ? fer_map_put(&seen, key) : NULL;
        if (!slot && key.ptr) p->no_memory = true;
        if (!slot) continue;
        fer_noted *before = *slot;
        if (!before) *slot = n;
        if (!before || fer_str_eq(before->name, n->name) || n->alike) continue;
        n->alike = true;
        fer_pass_report(
            p, &fer_quality_rules[bare ? FER_Q_NAME_CONFUSABLE : FER_Q_NAME_DUP_NORMALISED], &n->at,
            bare ? "\"%.*s\" and \"%.*s\" (line %u) differ in separators alone"
                 : "\"%.*s\" and \"%.*s\" (line %u) are the same once normalised",
            FER_PRI(n->name), FER_PRI(before->name), before->at.place.line);
    }
}

/* ---- what looks alike ---------------------------------------------------------------------------
 */

/*
 * Two names are an edit apart where one of them, or a part of one with a character left out,
 * is such a part of the other. So each name puts the hashes of these parts into a table, in
 * linear time: the hash of a text without one character follows from those of what is before
 * and behind it.
 */
struct table {
    uint64_t *hashes;
    uint32_t *who; /* index of the name, plus one */
    size_t cap;    /* a power of two */
    uint64_t base;
};

/* The index of the name that put this hash in first, plus one; 0: this one has. */
static uint32_t put(struct table *t, uint64_t hash, uint32_t who)
{
    size_t at = (size_t)((hash * 0x9E3779B97F4A7C15u) >> 32) & (t->cap - 1);
    while (t->who[at] && t->hashes[at] != hash) at = (at + 1) & (t->cap - 1);
    if (t->who[at]) return t->who[at];
    t->hashes[at] = hash;
    t->who[at] = who;
    return 0;
}

/* v1 and v2, get_user and get_users are told apart by what differs. */
static bool is_meant(fer_str x, fer_str y)
{
    size_t same = 0, tail = 0, least = x.len < y.len ? x.len : y.len;
    while (same < least && fer_lower(x.ptr[same]) == fer_lower(y.ptr[same])) same++;
    while (tail < least - same &&
           fer_lower(x.ptr[x.len - 1 - tail]) == fer_lower(y.ptr[y.len - 1 - tail]))
        tail++;
    fer_str a = fer_str_slice(x, same, x.len - tail), b = fer_str_slice(y, same, y.len - tail);
    bool digit = (a.len && fer_is_digit(a.ptr[0])) || (b.len && fer_is_digit(b.ptr[0]));
    fer_str more = a.len > b.len ? a : b, whole = a.len > b.len ? x : y;
    bool plural = a.len + b.len == 1 && fer_lower(more.ptr[0]) == 's' &&
                  (same + 1 == whole.len || !fer_is_alpha(whole.ptr[same + 1]) ||
                   (whole.ptr[same + 1] >= 'A' && whole.ptr[same + 1] <= 'Z'));
    return digit || plural;
}

static void compare(fer_pass_set *p, fer_noted *n, const fer_noted *other)
{
    bool same = fer_str_eq_nocase(n->name, other->name);
    if (n->alike || same || n->name.len < 5 || other->name.len < 5) return;
    if (!fer_str_eq(n->ns, other->ns) || fer_near_distance(n->name, other->name, 1) != 1) return;
    if (is_meant(n->name, other->name)) return;
    n->alike = true;
    fer_pass_report(p, &fer_quality_rules[FER_Q_NAME_CONFUSABLE], &n->at,
                    "\"%.*s\" and \"%.*s\" (line %u) differ in one character", FER_PRI(n->name),
                    FER_PRI(other->name), other->at.place.line);
}

static void put_parts(fer_pass_set *p, fer_noted_set *s, struct table *t, uint32_t index)
{
    uint64_t behind[FER_NAME_MAX + 1], powers[FER_NAME_MAX + 1], before = 0;
    fer_noted *n = &s->list[index];
    size_t len = n->name.len;
    behind[len] = 0;
    powers[0] = 1;
    for (size_t i = 0; i < len; i++) powers[i + 1] = powers[i] * t->base;
    for (size_t i = len; i-- > 0;)
        behind[i] = behind[i + 1] +
                    (uint64_t)(unsigned char)fer_lower(n->name.ptr[i]) * powers[len - 1 - i];
    uint32_t found = put(t, behind[0], index + 1);
    if (found) compare(p, n, &s->list[found - 1]);
    for (size_t i = 0; i < len; i++) {
        found = put(t, before * powers[len - 1 - i] + behind[i + 1], index + 1);
        if (found && found != index + 1) compare(p, n, &s->list[found - 1]);
        before = before * t->base + (unsigned char)fer_lower(n->name.ptr[i]);
    }
}

static void check_alike(fer_pass_set *p, fer_noted_set *s)
{
    size_t parts = 0;
    if (s->count < 2 || s->count > FER_Q_NAMES || p->no_memory) return;
    for (size_t i = 0; i < s->count; i++) parts += s->list[i].name.len + 1;
    struct table t = {.cap = 16, .base = fer_arena_seed(p->run->set)[0] | 1};
    while (t.cap < 2 * parts) t.cap *= 2;
    t.hashes = fer_arena_alloc_zero(p->run->set, t.cap, sizeof *t.hashes);
    t.who = fer_arena_alloc_zero(p->run->set, t.cap, sizeof *t.who);
    if (!t.hashes || !t.who) {
        p->no_memory = true;
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->list[i].name.len <= FER_NAME_MAX) put_parts(p, s, &t, (uint32_t)i);
    }
}

void fer_q_set_names(fer_pass_set *p, fer_noted_set *s)
{
    check_case(p, s);
    check_folded(p, s, false);
    check_folded(p, s, true);
    check_alike(p, s);
}
