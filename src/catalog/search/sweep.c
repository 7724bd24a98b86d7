/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include <math.h>

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

#define FEW 128 /* candidates whose scores are counted rather than compared */
static_assert(FEW % FER_SUMS_LOT == 0, "whole lots");

/*
 * The same of few, without branches on their scores, which nobody could foresee: by halving a score
 * is found that `want` have. False: there is none, as some are equal, and nothing has happened.
 */
static bool select_few(const fer_sweep *s, fer_candidate *list, size_t count, size_t want)
{
    _Alignas(FER_SUMS_ALIGN) uint16_t scores[FEW] = {0};
    uint32_t low = 0, high = (uint32_t)SCORE_MAX + 1, have = (uint32_t)count;
    if (count > FEW) return false;
    for (size_t i = 0; i < count; i++) scores[i] = (uint16_t)fer_candidate_score(&list[i]);
    while (have != want && high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t above = s->run->count(scores, (uint32_t)count, (uint16_t)middle);
        if (above < want) high = middle;
        else low = middle;
        have = above < want ? have : above;
    }
    if (have != want) return false;
    for (size_t i = 0, kept = 0; i < count; i++) {
        list[kept] = list[i];
        kept += scores[i] >= low;
    }
    return true;
}

/* Keeps the best and asks of later ones to be as good as the worst of these. */
static void thin_out(fer_sweep *s)
{
    if (s->count <= s->room) return;
    if (!select_few(s, s->best, s->count, s->room)) select_best(s->best, s->count, s->room);
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

#define SMALL 2048 /* documents of a part in which nothing is looked up */

/* ---- a span --------------------------------------------------------------------- */

/* What is known of a span before it is read. */
struct span {
    uint32_t first, size; /* documents */
    bool tail;
    size_t dear;        /* lanes from here on are added up, those before looked up */
    uint32_t cheap_top; /* what the cheap lanes can be worth together */
    bool known;         /* which lanes it pays to look up */
};

/* The first posting of a flat list, from `at` on, that is not below `posting`. */
static uint32_t seek(const fer_frozen_list *list, uint32_t at, uint32_t posting)
{
    uint32_t step = 8, end = list->df;
    if (at == end || list->flat[at] >= posting) return at;
    while (step < end - at && list->flat[at + step] < posting) {
        at += step;
        step *= 2;
    }
    if (step < end - at) end = at + step;
    while (end - at > 1) {
        uint32_t middle = at + (end - at) / 2;
        if (list->flat[middle] < posting) at = middle;
        else end = middle;
    }
    return end;
}

/* One posting is added to its document. The mask is for bytes that are not in order. */
static inline void add_posting(uint16_t *sums, const uint16_t *gain, uint32_t p)
{
    uint32_t at = p >> FER_LEVEL_BITS & (FER_SPAN - 1);
    sums[at] = (uint16_t)(sums[at] + gain[p % FER_LEVELS]);
}

/* The same if it is one; any other adds nothing. */
static inline void add_if(uint16_t *sums, const uint16_t *gain, uint32_t p, bool is_one)
{
    uint32_t at = p >> FER_LEVEL_BITS & (FER_SPAN - 1);
    sums[at] = (uint16_t)(sums[at] + (gain[p % FER_LEVELS] & -(unsigned)is_one));
}

/*
 * Four at once while there are four: these loops are where a sweep spends its time. How many are
 * left then is not for a branch to foresee: three more are looked at and may count for nothing.
 */
static uint32_t add_runs(fer_sweep *s, const struct fer_lane *lane, const struct span *w)
{
    const uint16_t *gain = lane->gain;
    uint32_t window = w->first / FER_WINDOW, added = 0;
    for (uint32_t at = 0; at < w->size; at += FER_WINDOW, window++) {
        fer_frozen_run run = fer_frozen_window(&lane->list, window);
        uint16_t *sums = s->sums + at;
        const uint16_t *p = run.postings, *end = p + run.count;
        for (; end - p >= 4; p += 4) {
            add_posting(sums, gain, p[0]);
            add_posting(sums, gain, p[1]);
            add_posting(sums, gain, p[2]);
            add_posting(sums, gain, p[3]);
        }
        for (size_t i = 0, left = (size_t)(end - p); i < 3; i++)
            add_if(sums, gain, *(i < left ? p + i : lane->list.postings), i < left);
        added += run.count;
    }
    return added;
}

static uint32_t add_flat(fer_sweep *s, struct fer_lane *lane, const struct span *w)
{
    const uint32_t *list = lane->list.flat, *p = list + lane->from, *end = list + lane->list.df;
    const uint16_t *gain = lane->gain;
    /* A tail may have postings of a document that is not counted yet; its sum would stay. */
    uint32_t first = w->first << FER_LEVEL_BITS, room = w->size << FER_LEVEL_BITS;
    for (; end - p >= 4 && p[3] - first < room; p += 4) {
        add_posting(s->sums, gain, p[0]);
        add_posting(s->sums, gain, p[1]);
        add_posting(s->sums, gain, p[2]);
        add_posting(s->sums, gain, p[3]);
    }
    const size_t most = (size_t)(end - p);
    size_t more = 0;
    for (size_t i = 0; i < 3; i++) {
        uint32_t posting = i < most ? p[i] : list[0];
        bool is_one = (i < most) & (posting - first < room);
        add_if(s->sums, gain, posting, is_one);
        more += is_one;
    }
    lane->to = (uint32_t)(p - list) + (uint32_t)more;
    return lane->to - lane->from;
}

static uint32_t add_lane_up(fer_sweep *s, struct fer_lane *lane, const struct span *w)
{
    if (!lane->list.flat) return add_runs(s, lane, w);
    lane->from = seek(&lane->list, lane->to, w->first << FER_LEVEL_BITS);
    return add_flat(s, lane, w);
}

/* What a list says of one document, or 0. Halving without branches, which nobody could foresee. */
static uint32_t look_up_run(const struct fer_lane *lane, uint32_t number)
{
    uint32_t window = number / FER_WINDOW, at = number % FER_WINDOW;
    /* Most have none of it, which a bit says. */
    if (lane->list.bits && !fer_frozen_bit(&lane->list, window, at)) return 0;
    fer_frozen_run run = fer_frozen_window(&lane->list, window);
    const uint16_t *p = run.postings;
    uint32_t left = run.count, wanted = at << FER_LEVEL_BITS;
    if (!left) return 0;
    while (left > 1) {
        uint32_t half = left / 2;
        p += p[half - 1] < wanted ? half : 0;
        left -= half;
    }
    return (uint32_t)*p >> FER_LEVEL_BITS == at ? lane->gain[*p % FER_LEVELS] : 0;
}

static uint32_t look_up_flat(const struct fer_lane *lane, uint32_t number)
{
    const uint32_t *p = lane->list.flat + lane->from;
    uint32_t left = lane->to - lane->from, wanted = number << FER_LEVEL_BITS;
    if (!left) return 0;
    while (left > 1) {
        uint32_t half = left / 2;
        p += p[half - 1] < wanted ? half : 0;
        left -= half;
    }
    return *p >> FER_LEVEL_BITS == number ? lane->gain[*p % FER_LEVELS] : 0;
}

static inline uint32_t look_up(const struct fer_lane *lane, uint32_t number)
{
    return lane->list.flat ? look_up_flat(lane, number) : look_up_run(lane, number);
}

/* Whether a document is there and wanted; its number. */
static bool is_open(const fer_sweep *s, const struct span *w, uint32_t at, uint32_t *number)
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
static uint16_t floor_of(const fer_sweep *s, const struct span *w)
{
    uint32_t least = s->least > w->cheap_top ? s->least - w->cheap_top : 0;
    return (uint16_t)(least > 1 ? least : 1);
}

/* The cheap lanes are asked one after the other, of the documents that can still come in. */
static uint32_t sift(fer_sweep *s, const struct span *w, uint32_t found)
{
    uint32_t left = w->cheap_top;
    for (size_t i = w->dear; found && i-- > 0;) {
        const struct fer_lane *lane = &s->lanes[i];
        uint32_t kept = 0;
        left -= lane->top;
        for (uint32_t k = 0; k < found; k++) {
            uint32_t at = s->places[k], score = s->values[k] + look_up(lane, w->first + at);
            s->places[kept] = (uint16_t)at;
            s->values[kept] = (uint16_t)score;
            kept += score + left >= s->least;
        }
        found = kept;
    }
    return found;
}

/* Documents that are gone are left out. */
static uint32_t bury(fer_sweep *s, const struct span *w, uint32_t found)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < found; k++) {
        s->places[kept] = s->places[k];
        s->values[kept] = s->values[k];
        kept += !fer_lexical_is_dead(s->ix, w->first + s->places[k]);
    }
    return kept;
}

/*
 * Where more are found than can stay, they do not come in one by one: by halving the highest score
 * is found that `room` of them have.
 */
static void raise_least(fer_sweep *s, const uint16_t *scores, uint32_t size)
{
    uint32_t low = s->least, high = (uint32_t)SCORE_MAX + 1, count = 0;
    /* It is seldom much higher: a quarter more, then twice as far, then halves. */
    for (uint32_t step = low / 4 + 64; step < high - low && count != s->room; step *= 2) {
        count = s->run->count(scores, size, (uint16_t)(low + step));
        if (count < s->room) high = low + step;
        else low += step;
    }
    while (count != s->room && high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        count = s->run->count(scores, size, (uint16_t)middle);
        if (count < s->room) high = middle;
        else low = middle;
    }
    s->least = low;
}

/* Of those that were found. */
static void raise_by_found(fer_sweep *s, uint32_t found)
{
    uint32_t end = (found + FER_SUMS_LOT - 1) / FER_SUMS_LOT * FER_SUMS_LOT;
    if (found <= s->room) return;
    memset(s->values + found, 0, (end - found) * sizeof s->values[0]);
    raise_least(s, s->values, found);
}

/* All are there, and wanted: which of them have enough is not for a branch to foresee. */
static void offer_all(fer_sweep *s, const struct span *w, uint32_t found)
{
    const uint32_t numbers = s->ix->frozen.numbers, first = w->first; /* bytes may be hostile */
    for (uint32_t from = 0, to; from < found; from = to) {
        size_t count = s->count, room = 2 * s->room - count;
        const uint32_t least = s->least;
        fer_candidate *best = s->best;
        to = found - from < room ? found : from + (uint32_t)room;
        for (uint32_t k = from; k < to; k++) {
            uint32_t number = first + s->places[k], score = s->values[k];
            best[count].key = (uint64_t)score << 32 | (UINT32_MAX - number);
            best[count].slot = FER_NONE;
            count += (score >= least) & (number < numbers);
        }
        s->count = count;
        if (count == 2 * s->room) thin_out(s);
    }
}

/* All sums are looked at and cleared. */
static void collect(fer_sweep *s, const struct span *w)
{
    if (s->numbers <= SMALL && !w->tail && !s->accept && !fer_lexical_has_dead(s->ix) &&
        s->run->count(s->sums, w->size, floor_of(s, w)) > s->room)
        raise_least(s, s->sums, w->size);
    uint32_t found = s->run->take(s->sums, w->size, floor_of(s, w), s->places, s->values), number;
    found = sift(s, w, found);
    if (!w->tail && !s->accept) {
        if (fer_lexical_has_dead(s->ix)) found = bury(s, w, found);
        raise_by_found(s, found);
        offer_all(s, w, found);
        return;
    }
    for (uint32_t k = 0; k < found; k++) {
        uint32_t at = s->places[k];
        if (s->values[k] >= s->least && is_open(s, w, at, &number))
            offer(s, s->values[k], number, w->tail ? w->first + at : FER_NONE);
    }
}

/* ---- which lanes are cheap ---- */

/*
 * Looking a document up costs about as much as adding LOOK_UP_COST postings. Cheap lanes are added
 * up all the same, the dearest first, as long as too many documents would be looked up. They are
 * counted in the first span, and where more lanes have become cheap; later spans are much the same.
 */
#define LOOK_UP_COST 32

static void add_cheap(fer_sweep *s, struct span *w)
{
    while (w->dear > 0) {
        struct fer_lane *lane = &s->lanes[w->dear - 1];
        uint32_t count = (uint32_t)((uint64_t)lane->list.df * w->size / s->numbers);
        if (s->run->count(s->sums, w->size, floor_of(s, w)) * LOOK_UP_COST < count) break;
        add_lane_up(s, lane, w);
        w->dear--;
        w->cheap_top -= lane->top;
    }
    s->wanted = w->dear;
}

/* Lanes are in the order of their worth; in a small part, all are added up. False: nothing can
 * come in. */
static bool plan(fer_sweep *s, struct span *w)
{
    w->dear = w->cheap_top = 0;
    w->known = true;
    if (s->numbers <= SMALL) return true;
    while (w->dear < s->lane_count && w->cheap_top + s->lanes[w->dear].top < s->least)
        w->cheap_top += s->lanes[w->dear++].top;
    if (w->dear == s->lane_count) return false;
    w->known = w->dear == s->dear;
    s->dear = w->dear;
    while (w->known && w->dear > s->wanted) w->cheap_top -= s->lanes[--w->dear].top;
    return true;
}

/* Where the postings of the span are in flat lists that are looked up. */
static void find_ends(fer_sweep *s, const struct span *w)
{
    for (size_t i = 0; i < w->dear; i++) {
        struct fer_lane *lane = &s->lanes[i];
        if (!lane->list.flat) continue;
        lane->from = seek(&lane->list, lane->to, w->first << FER_LEVEL_BITS);
        lane->to = seek(&lane->list, lane->from, (w->first + FER_SPAN) << FER_LEVEL_BITS);
    }
}

static void sweep_span(fer_sweep *s, struct span *w)
{
    uint32_t added = s->added;
    if (!plan(s, w)) return;
    for (size_t i = w->dear; i < s->lane_count; i++) added += add_lane_up(s, &s->lanes[i], w);
    if (!added) {
        if (!w->known)
            s->dear = SIZE_MAX; /* which lanes pay is not known for the next one either */
        return;
    }
    if (!w->known) add_cheap(s, w);
    find_ends(s, w);
    collect(s, w);
}

/* ---- lanes ---------------------------------------------------------------------- */

static fer_frozen_list list_of(const fer_sweep *s, const fer_query_term *t, bool tail)
{
    if (!tail) return fer_frozen_postings(&s->ix->frozen, t->frozen);
    fer_term_list posted = t->tail ? fer_term_postings(t->tail) : (fer_term_list){0};
    return (fer_frozen_list){.df = posted.count, .flat = posted.postings, .levels = FER_LEVELS - 1};
}

static void add_lane(fer_sweep *s, fer_frozen_list list, double worth)
{
    struct fer_lane *lane = &s->lanes[s->lane_count];
    if (!list.df) return;
    __builtin_prefetch(list.flat ? (const void *)list.flat : list.postings);
    lane->list = list;
    lane->from = lane->to = 0;
    s->run->gains((float)(worth * fer_weigh_level_share(0)), lane->gain);
    lane->top = lane->gain[fer_frozen_level(list.levels, FER_FROZEN_TOP)];
    s->lane_count++;
}

/* Cheap ones first, by insertion: there are few, and long queries are rare. */
static size_t order_by_worth(const fer_query *q, const fer_query_term **order)
{
    size_t count = 0;
    for (size_t i = 0; i < q->count; i++) {
        const fer_query_term *t = &q->terms[i];
        size_t at = count;
        if (t->weight <= 0) continue;
        for (; at > 0 && order[at - 1]->weight > t->weight; at--) order[at] = order[at - 1];
        order[at] = t;
        count++;
    }
    return count;
}

static void lay_lanes(fer_sweep *s, const fer_query *q, bool tail)
{
    const fer_query_term *order[FER_QUERY_TERMS + 1];
    size_t count = order_by_worth(q, order);
    for (size_t i = 0; i < count; i++)
        add_lane(s, list_of(s, order[i], tail), order[i]->weight * s->scale);
}

/* ---- lanes of a small part ---- */

#define FEW_POSTINGS 7 /* of terms without runs, where there is one window (frozen_write.c) */

/*
 * A word with few postings gets no lane where there is but one span: they are added to its sums at
 * once. How many there are is not for a branch to foresee.
 */
static void add_at_once(fer_sweep *s, const fer_frozen_list *list, double worth)
{
    float step = (float)(worth * fer_weigh_level_share(0));
    for (uint32_t i = 0; i < FEW_POSTINGS; i++) {
        uint32_t posting = list->flat[i < list->df ? i : 0];
        uint32_t number = posting >> FER_LEVEL_BITS;
        uint32_t gain = (uint32_t)(int)(step * (float)(posting % FER_LEVELS + 1));
        bool is_one = (i < list->df) & (number < s->ix->frozen.numbers); /* bytes may be hostile */
        uint16_t *sum = &s->sums[number & (FER_SPAN - 1)];
        *sum = (uint16_t)(*sum + (gain & -(uint32_t)is_one));
    }
    s->added += list->df;
}

/* Those with runs, whose order does not matter, then the others: what kind a term is of takes no
 * branch, and those of one kind come one behind the other. */
static void lay_small(fer_sweep *s, const fer_query *q)
{
    const fer_query_term *runs[FER_QUERY_TERMS + 1], *flat[FER_QUERY_TERMS + 1];
    size_t run_count = 0, flat_count = 0;
    for (size_t i = 0; i < q->count; i++) {
        const fer_query_term *t = &q->terms[i];
        bool in = t->weight > 0, has_runs = t->frozen < s->ix->frozen.run_rows;
        runs[run_count] = flat[flat_count] = t;
        run_count += in & has_runs;
        flat_count += in & !has_runs;
    }
    for (size_t i = 0; i < run_count; i++)
        add_lane(s, list_of(s, runs[i], false), runs[i]->weight * s->scale);
    for (size_t i = 0; i < flat_count; i++) {
        fer_frozen_list list = list_of(s, flat[i], false);
        if (list.df > FEW_POSTINGS) add_lane(s, list, flat[i]->weight * s->scale);
        else if (list.df) add_at_once(s, &list, flat[i]->weight * s->scale);
    }
}

static void start(fer_sweep *s, const fer_lexical *ix, const fer_query *q)
{
    uintptr_t room = (uintptr_t)s->room_of_sums; /* memory is aligned to less than lines */
    s->ix = ix;
    s->run = fer_sum_kernels_here();
    s->sums = s->room_of_sums + (-room & (FER_SUMS_ALIGN - 1)) / sizeof s->sums[0];
    s->values = s->sums + FER_SPAN;
    s->count = s->lane_count = 0;
    s->least = s->hoped = s->added = 0;
    s->scale = q->known > 0 ? SCORE_MAX / q->known : 0;
}

/*
 * What the best of all will have at least, guessed from the best of the spans so far: of as many
 * as there will be in the end, a sample has its share, and hardly ever more than that and three
 * times its root. A wrong guess is found out in the end, and costs a second sweep.
 */
static void hope(fer_sweep *s, uint32_t sample, uint32_t spans)
{
    double share = (double)s->room * sample / spans;
    size_t place = (size_t)(share + 3 * sqrt(share)) + 3;
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

/*
 * As many as are wanted have what one word is worth to the last of its best, unless some of them
 * are gone; then that is a guess too.
 */
static void hope_at_once(fer_sweep *s)
{
    unsigned which = s->room <= FER_FROZEN_FEW_COUNT ? FER_FROZEN_FEW : FER_FROZEN_MORE;
    if (s->room > FER_FROZEN_MORE_COUNT) return;
    for (size_t i = 0; i < s->lane_count; i++) {
        const struct fer_lane *lane = &s->lanes[i];
        uint32_t score = lane->gain[fer_frozen_level(lane->list.levels, which)];
        if (lane->list.df >= FER_FROZEN_MORE_COUNT && score > s->least) s->least = s->hoped = score;
    }
}

static void sweep_part(fer_sweep *s, uint32_t numbers, bool tail, bool hopeful)
{
    uint32_t spans = (numbers + FER_SPAN - 1) / FER_SPAN;
    if (hopeful) hope_at_once(s);
    s->dear = SIZE_MAX;
    s->numbers = numbers;
    for (uint32_t i = 0; (s->lane_count || s->added) && i < spans; i++) {
        struct span w = {.first = i * FER_SPAN, .tail = tail};
        w.size = numbers - w.first < FER_SPAN ? numbers - w.first : FER_SPAN;
        if (hopeful && i && (i & (i - 1)) == 0) hope(s, i, spans);
        sweep_span(s, &w);
    }
}

static void sweep_all(fer_sweep *s, const fer_lexical *ix, const fer_query *q, bool hopeful)
{
    start(s, ix, q);
    if (ix->frozen.numbers > SMALL) lay_lanes(s, q, false);
    else lay_small(s, q);
    sweep_part(s, ix->frozen.numbers, false, hopeful);
    uint32_t tail = atomic_load_explicit(&ix->tail_count, memory_order_acquire);
    s->lane_count = s->added = 0;
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
