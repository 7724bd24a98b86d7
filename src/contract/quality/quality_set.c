/* SPDX-License-Identifier: Apache-2.0 */
#include "quality_set.h"

#include "json_value.h"
#include "map.h"

#define TOOLS_MANY 20 /* past these, models choose worse */

/* ---- remembering ------------------------------------------------------------------------------
 */

/* FNV-1a; what collides only hides a finding about a likeness. */
#define HASH_START 2166136261u
static uint32_t add_to_hash(uint32_t hash, char lower)
{
    return (hash ^ (unsigned char)lower) * 16777619u;
}

uint32_t fer_q_word_hash(fer_str word)
{
    uint32_t hash = HASH_START;
    for (size_t i = 0; i < word.len; i++) hash = add_to_hash(hash, fer_lower(word.ptr[i]));
    return hash;
}

uint32_t fer_q_plural_hash(fer_str word)
{
    return add_to_hash(fer_q_word_hash(word), 's');
}

/* Puts a hash in its place, unless it is there. */
static size_t insert(uint32_t *list, size_t count, uint32_t hash)
{
    size_t at = 0, to = count;
    while (at < to) {
        size_t middle = at + (to - at) / 2;
        if (list[middle] == hash) return count;
        if (list[middle] < hash) at = middle + 1;
        else to = middle;
    }
    memmove(list + at + 1, list + at, (count - at) * sizeof *list);
    list[at] = hash;
    return count + 1;
}

static bool keep_words(fer_quality *q, fer_noted *n)
{
    uint32_t list[FER_Q_TOKENS];
    size_t count = 0;
    fer_str s = q->description.text;
    for (size_t at = 0; at < s.len && !n->cut; at++) {
        size_t from = at;
        uint32_t hash = HASH_START;
        for (; at < s.len && fer_is_word_char(s.ptr[at]); at++)
            hash = add_to_hash(hash, (char)fer_word_chars[(unsigned char)s.ptr[at]]);
        if (at > from) count = insert(list, count, hash);
        n->cut = count == FER_Q_TOKENS;
    }
    n->text = fer_hash(fer_arena_seed(q->pass->run->set), s);
    n->word_count = count;
    n->words = fer_arena_alloc(q->pass->run->set, count * sizeof *list + 1);
    if (n->words) memcpy(n->words, list, count * sizeof *list);
    return n->words != NULL;
}

/*
 * The next word from `*at` on, which moves behind it; whether that could be the name of a tool and
 * no word of a language: get_issue, getIssue, get-issue.
 */
static bool next_identifier(fer_str s, size_t *at, fer_str *word)
{
    size_t from = *at, i = from;
    bool joined = false, small = false; /* a small letter was before */
    for (; i < s.len; i++) {
        char c = s.ptr[i];
        bool joint = c == '_' || c == '-';
        if (!joint && !fer_is_word_char(c)) break;
        joined = joined || (joint && i > from) || (small && c >= 'A' && c <= 'Z');
        small = c >= 'a' && c <= 'z';
    }
    *word = fer_str_slice(s, from, i);
    *at = i > from ? i : i + 1;
    return joined && i - from >= 5;
}

static bool keep_mentions(fer_quality *q, fer_noted *n)
{
    fer_str found[FER_Q_MENTIONS] = {{0}}, s = q->description.text;
    for (size_t at = 0; at < s.len && n->mention_count < FER_Q_MENTIONS;) {
        fer_str word;
        if (next_identifier(s, &at, &word) && word.len <= FER_NAME_MAX &&
            !fer_str_eq(word, q->name))
            found[n->mention_count++] = word;
    }
    if (!n->mention_count) return true;
    n->mentions = fer_arena_alloc(q->pass->run->set, n->mention_count * sizeof *n->mentions);
    for (size_t i = 0; n->mentions && i < n->mention_count; i++) {
        n->mentions[i] = fer_arena_copy(q->pass->run->set, found[i]);
        if (!n->mentions[i].ptr) return false;
    }
    return n->mentions != NULL;
}

/* The sum of the names' hashes is the same in any order. */
static uint64_t hash_required(const fer_quality *q)
{
    uint64_t sum = 0;
    const yyjson_val *schema = q->tool->values[FER_FIELD_INPUT_SCHEMA];
    const yyjson_val *list = fer_is_obj(schema) ? fer_val_get(schema, "required") : NULL;
    if (!fer_is_arr(list)) return 0;
    FER_EACH_ITEM (list, name) {
        if (fer_is_str(name))
            sum += (uint64_t)fer_q_word_hash(fer_val_str(name)) * 0x9E3779B97F4A7C15u;
    }
    return sum;
}

static bool keep(fer_quality *q, fer_noted *n)
{
    const fer_pass_tool *p = q->pass;
    const yyjson_val *ns = q->tool->values[FER_FIELD_NAMESPACE];
    if (!fer_pass_mark(p, q->tool->values[FER_FIELD_NAME], &n->at)) return false;
    n->ns = fer_arena_copy(p->run->set, ns ? fer_val_str(ns) : FER_STR(""));
    n->name = fer_arena_copy(p->run->set, q->name);
    n->server = n->ns.len ? n->ns : p->source;
    n->required = hash_required(q);
    return n->ns.ptr && n->name.ptr && keep_words(q, n) && keep_mentions(q, n);
}

void fer_quality_note(fer_quality *q)
{
    const fer_pass_tool *p = q->pass;
    fer_noted_set *s = *p->state;
    if (!q->name.len || p->drafts->no_memory) return;
    if (!s) *p->state = s = fer_arena_alloc_zero(p->run->set, 1, sizeof *s);
    fer_noted *list =
        s ? fer_arena_room(p->run->set, s->list, s->count, &s->cap, sizeof *list) : NULL;
    if (!list) {
        p->drafts->no_memory = true;
        return;
    }
    s->list = list;
    s->list[s->count] = (fer_noted){0};
    if (keep(q, &s->list[s->count])) s->count++;
    else p->drafts->no_memory = true;
}

/* ---- the set as such ----------------------------------------------------------------------------
 */

static void check_count(fer_pass_set *p, const fer_noted_set *s)
{
    static const struct {
        size_t max;
        const char *who;
    } limits[] = {
        {512, "Gemini takes 512"},     {128, "OpenAI and VS Code take 128"},
        {100, "Windsurf takes 100"},   {80, "Cursor takes 80"},
        {40, "older clients take 40"}, {TOOLS_MANY, "models choose worse among more than 20"}};
    for (size_t i = 0; i < FER_COUNT(limits); i++) {
        if (s->count <= limits[i].max) continue;
        fer_pass_report(p, &fer_quality_rules[FER_Q_TOOL_COUNT], &s->list[0].at,
                        "the set has %zu tools; %s", s->count, limits[i].who);
        return;
    }
}

/* The first words of names that have no namespace; the most frequent one of them counts. */
static void check_prefix(fer_pass_set *p, const fer_noted_set *s)
{
    size_t bare = 0, votes = 0, share = 0;
    uint32_t leader = 0;
    for (size_t i = 0; i < s->count; i++) bare += s->list[i].ns.len == 0;
    if (s->count <= TOOLS_MANY || bare < s->count) return;
    /* A majority, where there is one, survives this count (Boyer and Moore). */
    for (size_t i = 0; i < s->count; i++) {
        fer_name_words w;
        fer_words_split(&w, s->list[i].name);
        uint32_t hash = w.count ? fer_q_word_hash(w.list[0]) : 0;
        if (!votes) leader = hash;
        votes = hash == leader ? votes + 1 : votes - 1;
    }
    for (size_t i = 0; i < s->count; i++) {
        fer_name_words w;
        fer_words_split(&w, s->list[i].name);
        share += w.count && fer_q_word_hash(w.list[0]) == leader;
    }
    if (share * 2 > s->count) return;
    fer_pass_report(p, &fer_quality_rules[FER_Q_NAME_NAMESPACE], &s->list[0].at,
                    "the %zu tools of the set share neither a namespace nor a first word",
                    s->count);
}

void fer_quality_set(fer_pass_set *p)
{
    fer_noted_set *s = p->state;
    if (!s || !s->count) return;
    check_count(p, s);
    check_prefix(p, s);
    fer_q_set_names(p, s);
    fer_q_set_overlap(p, s);
    fer_q_set_shadowing(p, s);
}
