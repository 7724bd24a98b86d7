/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers: their units, durations, money. */
#include "quality.h"

#include "json_value.h"
#include "unicode.h"

#define SAMPLING_MAX 2 /* the temperature of a model is from 0 to this */

static const char *const measure_words[] = {
    "age",   "altitude",    "amount",   "bandwidth", "delay",  "distance", "duration", "elapsed",
    "fee",   "height",      "interval", "latency",   "length", "price",    "radius",   "size",
    "speed", "temperature", "timeout",  "ttl",       "volume", "weight",   "width"};
static const fer_word_set measures = FER_WORD_SET(measure_words);

/* What is counted, not measured, or has no unit: pageSize, batchSize, maxLength. */
static const char *const counted_words[] = {
    "array",   "batch",      "bucket", "buffer",  "cache",      "chunk",  "cluster", "context",
    "grid",    "group",      "hybrid", "kernel",  "list",       "max",    "maximum", "min",
    "minimum", "normalized", "page",   "pool",    "population", "prefix", "queue",   "sample",
    "shard",   "step",       "stride", "subject", "vector",     "window"};
static const fer_word_set counted = FER_WORD_SET(counted_words);

static const char *const unit_words[] = {
    "bytes",   "cents",   "characters", "chars",  "cm",     "days",  "deg",    "degrees",
    "dollars", "eur",     "feet",       "gb",     "gbp",    "gib",   "hours",  "hz",
    "inches",  "kb",      "kg",         "kib",    "km",     "kph",   "lbs",    "m",
    "mb",      "meters",  "metres",     "mib",    "micros", "miles", "millis", "milliseconds",
    "min",     "mins",    "minutes",    "mm",     "months", "mph",   "ms",     "nanos",
    "ns",      "pct",     "percent",    "pixels", "points", "pt",    "px",     "rem",
    "sec",     "seconds", "secs",       "tb",     "tokens", "us",    "usd",    "weeks",
    "wei",     "years"};
static const fer_word_set units = FER_WORD_SET(unit_words);

static const char *const money_words[] = {"amount", "balance", "cost", "fee", "price", "total"};
static const fer_word_set money = FER_WORD_SET(money_words);

/* A sibling that names the unit: unit, units, currency, timeoutUnit, amountCurrency. */
static bool has_unit_sibling(const fer_qnode *n)
{
    const yyjson_val *siblings = fer_q_siblings(n);
    if (!fer_is_obj(siblings)) return false;
    FER_EACH_MEMBER (siblings, key) {
        fer_str name = fer_val_str(key);
        if (name.len < 4) continue;
        fer_name_words w;
        fer_words_split(&w, name);
        fer_str last = w.count ? w.list[w.count - 1] : FER_STR("");
        if (fer_word_is(last, "unit") || fer_word_is(last, "units") ||
            fer_word_is(last, "currency"))
            return true;
    }
    return false;
}

static bool is_sampling(const fer_qnode *n)
{
    const yyjson_val *most = fer_q_get(n, KW_MAXIMUM);
    if (!fer_word_is(n->words.list[n->words.count - 1], "temperature")) return false;
    bool small = most && ((fer_val_tag(most) == FER_TAG_UINT && most->uni.u64 <= SAMPLING_MAX) ||
                          (fer_val_tag(most) == FER_TAG_REAL && most->uni.f64 <= SAMPLING_MAX));
    return small || fer_prose_find(&n->prose, 0, "sampling") != SIZE_MAX ||
           fer_prose_find(&n->prose, 0, "model") != SIZE_MAX;
}

/* Words that say what is counted: "number of items". */
static bool is_a_count(const fer_qnode *n)
{
    static const char *const phrases[] = {"number of", "pool",       "cidr",
                                          "score",     "page",       "0-1",
                                          "[0,1]",     "0 to 1",     "between 0 and 1",
                                          "bm25",      "how many",   "count of",
                                          "ratio",     "factor",     "multiplier",
                                          "fraction",  "characters", "tokens",
                                          "records",   "rows",       "items",
                                          "results",   "elements",   NULL};
    size_t which;
    return n->prose.words && fer_prose_has(&n->prose, phrases, &which);
}

static void check_unit(fer_quality *q, const fer_qnode *n)
{
    if (!fer_q_ends_in(n, &measures)) return;
    if (n->words.count > 1 && fer_q_has_word(&n->words, &counted)) return;
    if (fer_q_has_word(&n->words, &units) || is_sampling(n) || is_a_count(n) || has_unit_sibling(n))
        return;
    fer_q_node(q, n, FER_Q_PARAM_UNIT, KW_COUNT, "\"%.*s\" does not say its unit",
               FER_PRI(fer_utf8_cut(n->name, 100)));
    if (n->prose.subjects & FER_ABOUT_UNIT)
        fer_q_hint(q, "put the unit that the description names into the name");
}

static const char *const coarse_words[] = {"hours",   "hrs", "min",     "mins",
                                           "minutes", "sec", "seconds", "secs"};
static const fer_word_set coarse = FER_WORD_SET(coarse_words);

static void check_duration(fer_quality *q, const fer_qnode *n)
{
    if (n->words.count < 2) return;
    fer_str last = n->words.list[n->words.count - 1];
    bool in_ms = fer_word_is(last, "ms") || fer_word_is(last, "milliseconds");
    if (fer_word_in(&coarse, last) && !fer_word_is(last, "min")) {
        fer_q_node(q, n, FER_Q_PARAM_DURATION_MS, KW_COUNT, "\"%.*s\" is not in milliseconds",
                   FER_PRI(fer_utf8_cut(n->name, 100)));
    } else if (in_ms && (n->types & FER_IS_NUMBER)) {
        fer_q_node(q, n, FER_Q_PARAM_DURATION_MS, KW_TYPE,
                   "\"%.*s\" takes fractions of milliseconds: its type is number",
                   FER_PRI(fer_utf8_cut(n->name, 100)));
    }
}

/* totalCount, costFactor end in other words; "total" alone may count things. */
static void check_money(fer_quality *q, const fer_qnode *n)
{
    static const char *const phrases[] = {"currency", "price", "money",   "dollars", "usd",
                                          "eur",      "cost",  "payment", "pay",     "invoice",
                                          "amount",   "cents", NULL};
    size_t which;
    if (!(n->types & FER_IS_NUMBER) || !fer_q_ends_in(n, &money)) return;
    bool total = fer_word_is(n->words.list[n->words.count - 1], "total");
    if (total && !fer_prose_has(&n->prose, phrases, &which)) return;
    fer_q_node(q, n, FER_Q_PARAM_MONEY_FLOAT, KW_TYPE,
               "\"%.*s\" is an amount of money as a floating-point number",
               FER_PRI(fer_utf8_cut(n->name, 100)));
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    if (!n->param || !fer_q_only(n, FER_IS_INTEGER | FER_IS_NUMBER) || !n->words.count) return;
    check_unit(q, n);
    check_duration(q, n);
    check_money(q, n);
}

const fer_quality_family fer_quality_numbers = {.node = look_at_node};
