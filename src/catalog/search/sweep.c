/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#define SCORE_MAX 32000.0 /* of a document that has every word at its best; sums are 15 bits */

/* ---- the best so far ------------------------------------------------------------ */

static void swap(fer_candidate *x, fer_candidate *y)
{
    fer_candidate t = *x;
    *x = *y;
    *y = t;
}

/* The `want` best of `count` to the front, in no order (quickselect, middle of three). */
static void select_best(fer_candidate *list, size_t count, size_t want)
{
    size_t from = 0, to = count;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2, last = to - 1, low = from, high = from;
        if (list[middle].key < list[from].key) swap(&list[middle], &list[from]);
        if (list[last].key < list[from].key) swap(&list[last], &list[from]);
        if (list[last].key < list[middle].key) swap(&list[last], &list[middle]);
        uint64_t pivot = list[middle].key;
        swap(&list[middle], &list[last]);
        for (; high < last; high++) {
            if (list[high].key > pivot) swap(&list[high], &list[low++]);
        }
        swap(&list[low], &list[last]);
        if (low == want || low + 1 == want) return;
        if (low < want) from = low + 1;
        else to = low;
    }
}

/* Keeps the best and asks of later ones to be as good as the worst of these. */
static void thin_out(fer_sweep *s)
{
    if (s->count <= s->room) return;
    select_best(s->best, s->count, s->room);
    s->count = s->room;
    uint64_t worst = UINT64_MAX;
    for (size_t i = 0; i < s->count; i++) worst = s->best[i].key < worst ? s->best[i].key : worst;
    if ((uint32_t)(worst >> 32) > s->least) s->least = (uint32_t)(worst >> 32);
}

static void offer(fer_sweep *s, uint32_t score, uint32_t number, uint32_t slot)
{
    s->best[s->count++] = (fer_candidate){(uint64_t)score << 32 | (UINT32_MAX - number), slot};
    if (s->count == 2 * s->room) thin_out(s);
}

/* ---- a window ------------------------------------------------------------------- */

/* What is known of a window before it is read. */
struct window {
    uint32_t index, first; /* the first number in it */
    bool tail;
    size_t dear;        /* lanes from here on are added up, those before looked up */
    uint32_t cheap_top; /* what the cheap lanes can be worth together */
};

static uint32_t doc_of(uint32_t posting)
{
    return posting >> FER_LEVEL_BITS;
}

/* The highest worth of a lane in a window; flat lists stand at it or behind. */
static uint32_t top_in(struct fer_lane *lane, const struct window *w)
{
    if (!lane->list.flat) {
        lane->run = fer_frozen_window(&lane->list, w->index);
        return lane->run.count ? lane->gain[lane->list.tops[w->index] % FER_LEVELS] : 0;
    }
    while (lane->at < lane->list.df && doc_of(lane->list.flat[lane->at]) < w->first) lane->at++;
    if (lane->at == lane->list.df) return 0;
    return doc_of(lane->list.flat[lane->at]) - w->first < FER_WINDOW ? lane->top : 0;
}

/* Lanes are in the order of their worth. False: nothing in the window can come in. */
static bool plan(fer_sweep *s, struct window *w)
{
    uint32_t tops = 0;
    bool cheap = true;
    w->dear = w->cheap_top = 0;
    for (size_t i = 0; i < s->lane_count; i++) {
        s->tops[i] = top_in(&s->lanes[i], w);
        tops += s->tops[i];
        if (cheap && tops < s->least && !s->lanes[i].list.flat) {
            w->dear = i + 1;
            w->cheap_top = tops;
        } else {
            cheap = false;
        }
    }
    return tops > 0 && tops >= s->least;
}

/* One posting of a window is added to its document. */
static inline void add_posting(uint16_t *sums, const uint16_t *gain, uint32_t p)
{
    uint32_t at = p >> FER_LEVEL_BITS;
    sums[at] = (uint16_t)(sums[at] + gain[p % FER_LEVELS]);
}

/* Four at once while there are four: this loop is where a sweep spends its time. */
static uint32_t add_run(fer_sweep *s, const struct fer_lane *lane)
{
    uint16_t *sums = s->sums;
    const uint16_t *gain = lane->gain, *p = lane->run.postings, *end = p + lane->run.count;
    for (const uint16_t *fours = p + (size_t)lane->run.count / 4 * 4; p < fours; p += 4) {
        add_posting(sums, gain, p[0]);
        add_posting(sums, gain, p[1]);
        add_posting(sums, gain, p[2]);
        add_posting(sums, gain, p[3]);
    }
    for (; p < end; p++) add_posting(sums, gain, *p);
    return lane->run.count;
}

static uint32_t add_flat(fer_sweep *s, struct fer_lane *lane, uint32_t first)
{
    const uint32_t *flat = lane->list.flat;
    lane->from = lane->at;
    for (; lane->at < lane->list.df; lane->at++) {
        uint32_t p = flat[lane->at], at = doc_of(p) - first;
        if (at >= FER_WINDOW) break;
        s->sums[at] = (uint16_t)(s->sums[at] + lane->gain[p % FER_LEVELS]);
    }
    return lane->at - lane->from;
}

/* What the run says of one document, or 0. Most have none of it, which a bit says. Halving without
 * branches, which nobody could foresee. */
static uint32_t look_up(const struct fer_lane *lane, uint32_t window, uint32_t at)
{
    if (lane->list.bits && !fer_frozen_bit(&lane->list, window, at)) return 0;
    const uint16_t *p = lane->run.postings;
    uint32_t left = lane->run.count, wanted = at << FER_LEVEL_BITS;
    if (!left) return 0;
    while (left > 1) {
        uint32_t half = left / 2;
        p += p[half - 1] < wanted ? half : 0;
        left -= half;
    }
    return (uint32_t)*p >> FER_LEVEL_BITS == at ? lane->gain[*p % FER_LEVELS] : 0;
}

/* Whether a document is there and wanted; its number. */
static bool is_open(const fer_sweep *s, const struct window *w, uint32_t at, uint32_t *number)
{
    const fer_lexical *ix = s->ix;
    uint32_t place = w->first + at;
    *number = place;
    if (w->tail) {
        if (place >= atomic_load_explicit(&ix->tail_count, memory_order_acquire)) return false;
        struct fer_tail_doc *doc = &atomic_load_explicit(&ix->tail, memory_order_acquire)[place];
        *number = doc->number;
        if (atomic_load_explicit(&doc->dead, memory_order_acquire)) return false;
    } else if (place >= ix->frozen.numbers || fer_lexical_is_dead(ix, place)) {
        return false;
    }
    return !s->accept || s->accept(s->context, *number);
}

/* A document needs something of the dear words, and enough to get in with all of the cheap. */
static uint16_t floor_of(const fer_sweep *s, const struct window *w)
{
    uint32_t least = s->least > w->cheap_top ? s->least - w->cheap_top : 0;
    return (uint16_t)(least > 1 ? least : 1);
}

/*
 * Looking a document up costs about as much as adding LOOK_UP_COST postings, or, where a bit mostly
 * says no, BIT_COST. Cheap lanes are added up after all, the dearest first, as long as too many
 * documents would be looked up; there are no more of these than postings were added. To count them
 * costs as much as SHORT_RUN postings.
 */
#define LOOK_UP_COST 10
#define BIT_COST     5
#define SHORT_RUN    96

static uint32_t add_cheap(fer_sweep *s, struct window *w, uint32_t size, uint32_t added)
{
    while (w->dear > 0) {
        const struct fer_lane *lane = &s->lanes[w->dear - 1];
        uint32_t count = lane->run.count;
        uint32_t cost = lane->list.bits ? BIT_COST : LOOK_UP_COST;
        uint32_t least = lane->list.bits ? SHORT_RUN : size / LOOK_UP_COST;
        if (count > least &&
            (added * cost < count || s->run->count(s->sums, size, floor_of(s, w)) * cost < count))
            break;
        added += add_run(s, lane);
        w->dear--;
        w->cheap_top -= s->tops[w->dear];
    }
    return added;
}

/* The cheap lanes are asked one by one, while the document can still come in. */
static inline void consider(fer_sweep *s, const struct window *w, uint32_t at, uint32_t score)
{
    uint32_t left = w->cheap_top, number;
    for (size_t i = w->dear; i-- > 0;) {
        if (score + left < s->least) return;
        left -= s->tops[i];
        score += look_up(&s->lanes[i], w->index, at);
    }
    if (score < s->least || !is_open(s, w, at, &number)) return;
    offer(s, score, number, w->tail ? w->first + at : FER_NONE);
}

/* ---- how good the best are ---- */

/* Documents that are gone have nothing. */
static void bury(fer_sweep *s, const struct window *w, uint32_t size)
{
    for (uint32_t at = 0; s->ix->dead && at < size; at += 64) {
        uint64_t gone =
            atomic_load_explicit(&s->ix->dead[(w->first + at) / 64], memory_order_relaxed);
        for (; gone; gone &= gone - 1) s->sums[at + (unsigned)__builtin_ctzll(gone)] = 0;
    }
}

/*
 * As long as nobody knows how good the best are, all would come in one by one. So the largest of
 * every four sums is taken, and by halving a score is found that `room` of these have: as many
 * documents at least have it too.
 */
static void raise_least(fer_sweep *s, const struct window *w, uint32_t size)
{
    uint32_t low = 1, high = (uint32_t)SCORE_MAX + 1;
    uint32_t lots = (size + FER_SUMS_LOT - 1) / FER_SUMS_LOT, peaks = lots * FER_SUMS_LOT / 4;
    if (w->tail || s->accept) return;
    bury(s, w, size);
    s->run->peaks(s->sums, size, s->peaks);
    memset(s->peaks + peaks, 0, (FER_WINDOW / 4 - peaks) * sizeof s->peaks[0]);
    if (s->run->count(s->peaks, peaks, 1) < s->room) return;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t count = s->run->count(s->peaks, peaks, (uint16_t)middle);
        if (count < s->room) high = middle;
        else low = middle;
        if (count >= s->room && count < s->room + s->room / 4) break;
    }
    s->least = low;
}

/* All sums are looked at and cleared; those that are large enough are documents to consider. */
static void collect(fer_sweep *s, const struct window *w, uint32_t size)
{
    if (!s->least) raise_least(s, w, size);
    uint32_t found = s->run->take(s->sums, size, floor_of(s, w), s->places, s->values);
    for (uint32_t i = 0; i < found; i++) consider(s, w, s->places[i], s->values[i]);
}

static inline void collect_one(fer_sweep *s, const struct window *w, uint32_t at)
{
    uint16_t sum = s->sums[at];
    s->sums[at] = 0;
    if (sum >= floor_of(s, w)) consider(s, w, at, sum);
}

/* The same where little was added: only what was is looked at. */
static void collect_few(fer_sweep *s, const struct window *w)
{
    for (size_t i = w->dear; i < s->lane_count; i++) {
        const struct fer_lane *lane = &s->lanes[i];
        if (lane->list.flat) {
            for (uint32_t k = lane->from; k < lane->at; k++)
                collect_one(s, w, doc_of(lane->list.flat[k]) - w->first);
            continue;
        }
        for (uint32_t k = 0; k < lane->run.count; k++)
            collect_one(s, w, (uint32_t)lane->run.postings[k] >> FER_LEVEL_BITS);
    }
}

#define FEW 96 /* postings for which a window is not looked through */

static void sweep_window(fer_sweep *s, struct window *w, uint32_t size)
{
    uint32_t added = 0;
    if (!plan(s, w)) return;
    for (size_t i = w->dear; i < s->lane_count; i++) {
        struct fer_lane *lane = &s->lanes[i];
        added += lane->list.flat ? add_flat(s, lane, w->first) : add_run(s, lane);
    }
    added = add_cheap(s, w, size, added);
    if (added <= FEW) collect_few(s, w);
    else collect(s, w, size);
}

/* ---- lanes ---------------------------------------------------------------------- */

static void set_gains(struct fer_lane *lane, double worth)
{
    float step = (float)(worth * fer_weigh_level_share(0));
    for (unsigned level = 0; level < FER_LEVELS; level++)
        lane->gain[level] = (uint16_t)(int)(step * (float)(level + 1));
    lane->top = lane->gain[FER_LEVELS - 1];
    lane->from = lane->at = 0;
}

/* Cheap ones first, by insertion: there are few, and long queries are rare. */
static void add_lane(fer_sweep *s, fer_frozen_list list, double worth)
{
    size_t at = s->lane_count;
    if (!list.df) return;
    while (at > 0 && s->lanes[at - 1].top > (uint32_t)worth) at--;
    memmove(&s->lanes[at + 1], &s->lanes[at], (s->lane_count - at) * sizeof s->lanes[0]);
    s->lanes[at].list = list;
    set_gains(&s->lanes[at], worth);
    s->lane_count++;
}

static void lay_lanes(fer_sweep *s, const fer_query *q, bool tail)
{
    s->lane_count = 0;
    for (size_t i = 0; i < q->count; i++) {
        const fer_query_term *t = &q->terms[i];
        if (t->weight <= 0) continue;
        fer_frozen_list list = {0};
        if (tail && t->tail) {
            fer_term_list posted = fer_term_postings(t->tail);
            list = (fer_frozen_list){.df = posted.count, .flat = posted.postings};
        } else if (!tail && t->frozen != FER_NONE) {
            list = fer_frozen_postings(&s->ix->frozen, t->frozen);
        }
        add_lane(s, list, t->weight * s->scale);
    }
}

static void start(fer_sweep *s, const fer_lexical *ix, const fer_query *q)
{
    uintptr_t room = (uintptr_t)s->room_of_sums; /* memory is aligned to less than lines */
    s->ix = ix;
    s->run = fer_sum_kernels_here();
    s->sums = s->room_of_sums + (-room & (FER_SUMS_ALIGN - 1)) / sizeof s->sums[0];
    s->peaks = s->sums + FER_WINDOW;
    s->count = 0;
    s->least = s->hoped = 0;
    s->scale = q->known > 0 ? SCORE_MAX / q->known : 0;
}

/*
 * What the best of all will have at least, guessed from the best of the first windows: one window
 * of so many is a sample, and three times the place is taken that the last of the `room` best would
 * have in it, and some more. A wrong guess is found out in the end, and costs a second sweep: none
 * of 1,069 over 98,802 tools in no order, 33 over the same by namespace. A right one saves a tenth.
 */
#define SAMPLED_OF 32U

static void hope(fer_sweep *s, uint32_t sample, uint32_t windows)
{
    size_t place = 4 + 3 * ((s->room * sample + windows - 1) / windows);
    if (place >= s->room || place > s->count) return;
    select_best(s->best, s->count, place);
    uint32_t score = UINT32_MAX;
    for (size_t i = 0; i < place; i++) {
        uint32_t other = fer_candidate_score(&s->best[i]);
        score = other < score ? other : score;
    }
    if (score > s->least) s->least = s->hoped = score;
}

static bool is_disappointed(const fer_sweep *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) count += fer_candidate_score(&s->best[i]) >= s->hoped;
    return s->hoped && count < s->room;
}

static void sweep_part(fer_sweep *s, uint32_t numbers, bool tail, bool hopeful)
{
    uint32_t windows = (numbers + FER_WINDOW - 1) / FER_WINDOW, sample = 1 + windows / SAMPLED_OF;
    for (uint32_t i = 0; s->lane_count && i < windows; i++) {
        struct window w = {.index = i, .first = i * FER_WINDOW, .tail = tail};
        if (hopeful && i == sample) hope(s, sample, windows);
        sweep_window(s, &w, numbers - w.first < FER_WINDOW ? numbers - w.first : FER_WINDOW);
    }
}

static void sweep_all(fer_sweep *s, const fer_lexical *ix, const fer_query *q, bool hopeful)
{
    start(s, ix, q);
    lay_lanes(s, q, false);
    sweep_part(s, ix->frozen.numbers, false, hopeful);
    uint32_t tail = atomic_load_explicit(&ix->tail_count, memory_order_acquire);
    if (tail) {
        lay_lanes(s, q, true);
        sweep_part(s, tail, true, false);
    }
    thin_out(s);
}

void fer_sweep_run(fer_sweep *s, const fer_lexical *ix, const fer_query *q)
{
    sweep_all(s, ix, q, !s->accept);
    if (is_disappointed(s)) sweep_all(s, ix, q, false);
}
