/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one look at a value settles is done in the loop; all else (a key whose bit is
 * taken, a number that may not be exact) is a call. Limits are compared as tags, which
 * hold the length above the type, and most values need no more than one comparison.
 *
 * Whole numbers of up to 64 bits come from yyjson as they are, larger ones as text. A
 * decimal comes as the nearest binary64, and its text tells whether that is exact.
 */
#include "json_pass.h"

#include "errors.h"
#include "json_keys.h"
#include "json_number.h"

#define NOINLINE    __attribute__((noinline))
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define WHOLE_MAX 20 /* characters of a whole number that 64 bits hold */

struct pass {
    fer_json *doc;
    fer_arena *arena;
    const fer_json_limits *limits;
    fer_err *err;
    char *copy;
    const yyjson_val *near; /* a value whose place is known, or NULL */
    size_t near_at;
};

static fer_code over(const struct pass *p, const yyjson_val *at, const char *limit, size_t max,
                     size_t actual)
{
    return fer_fail_at(p->err, FER_LIMIT_EXCEEDED, fer_json_offset(p->doc, at),
                       "%s: %zu is over the limit of %zu", limit, actual, max);
}

/* ---- numbers ------------------------------------------------------------------------ */

static size_t number_max(const fer_json_limits *limits)
{
    return limits->number < FER_NUMBER_MAX ? limits->number : FER_NUMBER_MAX;
}

/*
 * The byte at which a value starts, counted in tokens from the nearest one before it whose
 * place is known: a string knows its own. Places asked for in order take linear time.
 */
NOINLINE static size_t place_from_near(struct pass *p, const yyjson_val *v)
{
    const fer_str text = p->doc->text;
    const yyjson_val *from = v;
    if (!p->near) {
        p->near = p->doc->vals;
        p->near_at = fer_json_token_first(text);
    }
    while (from > p->near && fer_val_type(from) != YYJSON_TYPE_STR) from--;
    size_t at = from > p->near ? (size_t)(from->uni.str - p->copy) - 1 : p->near_at;
    for (; from < v; from++) at = fer_json_token_next(text, at);
    p->near = v;
    p->near_at = at;
    return at;
}

/* The same, quick for the value of a key without white space between them. */
static size_t place_of_number(struct pass *p, const yyjson_val *v)
{
    const yyjson_val *key = v - 1;
    if (v > p->doc->vals && fer_val_type(key) == YYJSON_TYPE_STR) {
        /* Only an escaped quote can stand where a key without escapes would end. */
        size_t end = (size_t)(key->uni.str - p->copy) + fer_val_len(key);
        const char *c = p->doc->text.ptr + end;
        if (c[0] == '"' && c[-1] != '\\' && c[1] == ':' && (unsigned char)c[2] > ' ')
            return end + 2;
    }
    return place_from_near(p, v);
}

/* A raw number: the text stays where 64 bits do not hold it. */
static fer_code check_raw(const struct pass *p, yyjson_val *v)
{
    size_t max = number_max(p->limits);
    if (fer_val_len(v) > max) return over(p, v, "json.number", max, fer_val_len(v));
    if (!fer_number_settle(v, p->limits->exponent)) {
        return fer_fail_at(p->err, FER_LIMIT_EXCEEDED, fer_json_offset(p->doc, v),
                           "json.exponent: the exponent has more than %zu digits",
                           p->limits->exponent);
    }
    return FER_OK;
}

/*
 * Digits and a point, at most 15 digits: binary64 holds these such that they print back as
 * the same decimal. The text begins with a number and something stands behind that.
 */
static bool exact_by_length(const char *number)
{
    const char *c = number + (*number == '-'), *end = c + FER_DECIMAL_CHARS + 1;
    while (c < end && (unsigned)(*c - '.') <= '9' - '.') c++;
    return c < end && *c != 'e' && *c != 'E';
}

/* A number that yyjson took for binary64 gets its text back where it is not exactly that. */
static fer_code check_real(struct pass *p, yyjson_val *v)
{
    size_t at = place_of_number(p, v);
    char *number = p->copy + at;
    if (LIKELY(exact_by_length(number) && p->limits->number >= WHOLE_MAX)) return FER_OK;
    size_t len = fer_json_token_len(p->doc->text, at);
    number[len] = '\0';
    v->tag = (uint64_t)len << YYJSON_TAG_BIT | YYJSON_TYPE_RAW;
    v->uni.str = number;
    return check_raw(p, v);
}

/* A whole number has no leading zeros, so its value tells how long its text was. */
static fer_code check_whole(const struct pass *p, yyjson_val *v)
{
    bool negative = fer_val_tag(v) == FER_TAG_SINT;
    uint64_t left = negative ? 0 - v->uni.u64 : v->uni.u64;
    size_t len = negative + (size_t)1, max = number_max(p->limits);
    if (negative && left == 0) v->tag = FER_TAG_UINT; /* -0 */
    for (; left >= 10; left /= 10) len++;
    return len > max ? over(p, v, "json.number", max, len) : FER_OK;
}

/* ---- keys and containers ---------------------------------------------------------------- */

static fer_code key_twice(const struct pass *p, const yyjson_val *key)
{
    return fer_fail_at(
        p->err, FER_DUPLICATE_KEY, fer_json_offset(p->doc, key),
        "the key \"%.*s\" stands twice in one object; readers disagree on which counts",
        FER_PRI(fer_str_head(fer_val_str(key), 100)));
}

/* A key that is too long or may have stood before. */
NOINLINE static fer_code check_key(const struct pass *p, const yyjson_val *object,
                                   const yyjson_val *key)
{
    if (fer_val_len(key) > p->limits->key)
        return over(p, key, "json.key", p->limits->key, fer_val_len(key));
    return fer_key_before(object, key) ? key_twice(p, key) : FER_OK;
}

#define FEW_MAX                                                                                    \
    ((uint64_t)FER_KEYS_FEW << YYJSON_TAG_BIT | 0xFF) /* tag of an object with few keys */

static fer_code too_deep(const struct pass *p, const yyjson_val *v)
{
    return over(p, v, "json.depth", p->limits->depth, p->limits->depth + 1);
}

static fer_code keys_too_long(const struct pass *p, const yyjson_val *object)
{
    FER_EACH_MEMBER (object, key) {
        if (fer_val_len(key) > p->limits->key)
            return over(p, key, "json.key", p->limits->key, fer_val_len(key));
    }
    return FER_OK;
}

/* An object with more keys than a word has bits for: from here on they are strings like others. */
NOINLINE static fer_code check_many(const struct pass *p, const yyjson_val *object)
{
    const yyjson_val *twice = NULL;
    size_t members = fer_val_len(object);
    if (members > p->limits->members)
        return over(p, object, "json.members", p->limits->members, members);
    if (members <= FER_KEYS_FEW) return FER_OK;
    fer_code code = keys_too_long(p, object);
    if (code) return code;
    if (!fer_keys_unique(p->arena, object, &twice)) return fer_arena_failed(p->arena, p->err);
    return twice ? key_twice(p, twice) : FER_OK;
}

static bool is_key(const yyjson_val *container, const yyjson_val *v)
{
    if (!fer_is_obj(container)) return false;
    FER_EACH_MEMBER (container, key) {
        if (key == v) return true;
    }
    return false;
}

/* A value that is no container, and not what every document is full of. */
NOINLINE static fer_code check_rare(struct pass *p, yyjson_val *v, const yyjson_val *in)
{
    switch (fer_val_tag(v)) {
    case FER_TAG_REAL: return check_real(p, v);
    case FER_TAG_UINT:
    case FER_TAG_SINT: return check_whole(p, v);
    case YYJSON_TYPE_RAW: return check_raw(p, v);
    default: break;
    }
    if (fer_val_len(v) > p->limits->string && !is_key(in, v))
        return over(p, v, "json.string", p->limits->string, fer_val_len(v));
    return FER_OK;
}

static fer_code check_nodes(const struct pass *p)
{
    const yyjson_val *v = p->doc->vals, *end = v + p->doc->count;
    size_t nodes = p->doc->count, max = p->limits->nodes;
    if (LIKELY(nodes <= max)) return FER_OK;
    for (; v < end; v++) {
        if (fer_is_obj(v)) nodes -= fer_val_len(v);
    }
    return nodes > max ? over(p, p->doc->vals, "json.nodes", max, nodes) : FER_OK;
}

/* ---- the loop --------------------------------------------------------------------------- */

/* The largest tag of a value with that length. */
static uint64_t tag_max(size_t len)
{
    return len < SIZE_MAX >> YYJSON_TAG_BIT ? (uint64_t)len << YYJSON_TAG_BIT | 0xFF : UINT64_MAX;
}

/* One bit per type and subtype, for the values that are right whatever they hold. */
static uint32_t plain_tags(const struct pass *p)
{
    uint32_t tags = 1u << YYJSON_TYPE_NULL | 1u << YYJSON_TYPE_BOOL |
                    1u << (YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_TRUE);
    if (p->limits->number >= WHOLE_MAX) tags |= 1u << FER_TAG_UINT;
    if (p->limits->string >= p->doc->text.len)
        tags |= 1u << YYJSON_TYPE_STR | 1u << (YYJSON_TYPE_STR | YYJSON_SUBTYPE_NOESC);
    return tags;
}

/* A container whose members are being visited. */
struct open {
    const yyjson_val *at;
    uint64_t keys; /* one bit per key so far */
};

/* Visits the values in the order of the text, with the open containers on a stack. */
static fer_code check_values(struct pass *p, struct open *top, const struct open *full)
{
    const uint64_t few_max = p->limits->members < FER_KEYS_FEW ? 0 : FEW_MAX;
    const uint64_t key_max = tag_max(p->limits->key);
    const uint32_t plain = plain_tags(p);
    yyjson_val *v = p->doc->vals;
    const yyjson_val *const last = v + p->doc->count, *end = last;
    const struct open *const bottom = top;
    struct open o = {v, 0};
    bool members = false; /* in an object with few keys */
    fer_code code;
    for (;;) {
        if (members) {
            do {
                uint64_t bit = fer_key_bit((const unsigned char *)v->uni.str, fer_val_len(v));
                if (v->tag > key_max || o.keys & bit) {
                    if ((code = check_key(p, o.at, v))) return code;
                }
                o.keys |= bit;
                if (!(plain >> (v[1].tag & 31) & 1)) {
                    v++;
                    break;
                }
                v += 2;
            } while (v != end);
        } else {
            while (v != end && plain >> (v->tag & 31) & 1) v++;
        }
        if (v != end) {
            if (fer_val_type(v) < YYJSON_TYPE_ARR) {
                if ((code = check_rare(p, v, o.at))) return code;
            } else {
                if (top == full) return too_deep(p, v);
                *top++ = o;
                o = (struct open){v, 0};
                end = fer_val_next(v);
                members = fer_val_type(v) == YYJSON_TYPE_OBJ;
                if (members && v->tag > few_max) {
                    if ((code = check_many(p, v))) return code;
                    members = fer_val_len(v) <= FER_KEYS_FEW;
                }
            }
            v++;
        }
        while (v == end) {
            if (v == last || top == bottom) return check_nodes(p);
            o = *--top;
            end = fer_val_next(o.at);
            members = fer_is_obj(o.at) && o.at->tag <= FEW_MAX;
        }
    }
}

fer_code fer_json_pass(fer_arena *a, fer_json *doc, char *copy, const fer_json_limits *limits,
                       fer_err *err)
{
    enum {
        USUAL_DEPTH = 128
    };
    struct pass p = {doc, a, limits, err, copy, NULL, 0};
    struct open usual[USUAL_DEPTH], *stack = usual;
    /* Never deeper than there are values, whatever the limit says. */
    size_t max = limits->depth < doc->count ? limits->depth : doc->count;
    if (max > USUAL_DEPTH) {
        stack = fer_arena_alloc_zero(a, max, sizeof *stack);
        if (!stack) return fer_arena_failed(a, err);
    }
    return check_values(&p, stack, stack + max);
}
