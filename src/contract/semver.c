/* SPDX-License-Identifier: Apache-2.0 */
/* SemVer 2.0.0: versions, precedence, constraints. */
#include <ferrule/contract.h>

#include "errors.h"
#include "str.h"

/* ---- versions --------------------------------------------------------------------- */

static fer_code bad_version(fer_err *err, fer_str text, const char *why)
{
    return fer_fail(err, FER_INVALID_VERSION, "\"%.*s\" is not a version like 1.2.3: %s",
                    FER_PRI(fer_str_head(text, 100)), why);
}

static bool is_numeric(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!fer_is_digit(s.ptr[i])) return false;
    }
    return s.len > 0;
}

/* A numeric identifier: no leading zeros, fits 64 bits. */
static bool parse_number(fer_str s, uint64_t *out)
{
    return !(s.len > 1 && s.ptr[0] == '0') && fer_parse_u64(s, out);
}

/* The part up to `stop`, taken off the front of `*rest`. */
static fer_str take_until(fer_str *rest, char stop)
{
    size_t end = fer_str_find(*rest, 0, stop);
    fer_str part = end == SIZE_MAX ? *rest : fer_str_slice(*rest, 0, end);
    *rest = end == SIZE_MAX ? (fer_str){NULL, 0} : fer_str_slice(*rest, end + 1, rest->len);
    return part;
}

/* Dot-separated identifiers of [0-9A-Za-z-]; in a pre-release, numbers have no leading zeros. */
static const char *check_identifiers(fer_str s, bool pre)
{
    do {
        fer_str part = take_until(&s, '.');
        if (part.len == 0) return "an identifier behind - or + is empty";
        for (size_t i = 0; i < part.len; i++) {
            char c = part.ptr[i];
            if (!fer_is_alpha(c) && !fer_is_digit(c) && c != '-') {
                return "identifiers behind - or + may hold 0-9 A-Z a-z - only";
            }
        }
        if (pre && part.len > 1 && part.ptr[0] == '0' && is_numeric(part)) {
            return "a number behind - must not have leading zeros";
        }
    } while (s.ptr);
    return NULL;
}

/* Takes build and pre-release off the end of `*core`. */
static const char *split_tail(fer_str *core, fer_semver *v)
{
    fer_str rest = *core;
    v->pre = v->build = (fer_str){NULL, 0};
    *core = take_until(&rest, '+');
    if (rest.ptr) {
        v->build = rest;
        const char *why = check_identifiers(rest, false);
        if (why) return why;
    }
    rest = *core;
    *core = take_until(&rest, '-');
    if (!rest.ptr) return NULL;
    v->pre = rest;
    return check_identifiers(rest, true);
}

fer_code fer_semver_parse(fer_str text, fer_semver *out, fer_err *err)
{
    fer_semver v = {0};
    fer_str core = text;
    if (core.len && core.ptr[0] == 'v') core = fer_str_slice(core, 1, core.len);
    const char *why = split_tail(&core, &v);
    if (why) return bad_version(err, text, why);
    uint64_t *const numbers[] = {&v.major, &v.minor, &v.patch};
    for (size_t i = 0; i < 3; i++) {
        if (!core.ptr) return bad_version(err, text, "it needs major, minor and patch");
        fer_str part = take_until(&core, '.');
        if (!parse_number(part, numbers[i])) {
            return bad_version(err, text, "each part must be a whole number without leading zeros");
        }
    }
    if (core.ptr) return bad_version(err, text, "it has more than three parts");
    *out = v;
    return FER_OK;
}

static int compare_u64(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

/* Numbers are compared by value (any length), below words; words by ASCII order. */
static int compare_identifiers(fer_str x, fer_str y)
{
    bool nx = is_numeric(x), ny = is_numeric(y);
    if (nx != ny) return nx ? -1 : 1;
    if (nx && x.len != y.len) return x.len < y.len ? -1 : 1;
    return fer_str_cmp(x, y);
}

static int compare_pre(fer_str x, fer_str y)
{
    if (!x.len || !y.len) return (y.len != 0) - (x.len != 0);
    while (x.ptr && y.ptr) {
        int order = compare_identifiers(take_until(&x, '.'), take_until(&y, '.'));
        if (order) return order;
    }
    return (x.ptr != NULL) - (y.ptr != NULL);
}

int fer_semver_cmp(const fer_semver *x, const fer_semver *y)
{
    int order = compare_u64(x->major, y->major);
    if (!order) order = compare_u64(x->minor, y->minor);
    if (!order) order = compare_u64(x->patch, y->patch);
    return order ? order : compare_pre(x->pre, y->pre);
}

/* ---- constraints --------------------------------------------------------------------- */

/* One comparator as the range it stands for. */
struct range {
    bool has_low, low_open; /* open: the bound itself is outside */
    fer_semver low;
    bool has_high, high_closed; /* closed: the bound itself is inside */
    fer_semver high;
};

/* A version whose last parts may be missing or wild. */
struct partial {
    fer_semver v;
    int parts; /* 0 to 3 numbers given */
};

static bool is_wild(fer_str s)
{
    return fer_str_is(s, "*") || fer_str_is(s, "x") || fer_str_is(s, "X");
}

static bool parse_partial(fer_str s, struct partial *out)
{
    *out = (struct partial){0};
    if (s.len && s.ptr[0] == 'v') s = fer_str_slice(s, 1, s.len);
    if (s.len == 0 || split_tail(&s, &out->v)) return false;
    uint64_t *const numbers[] = {&out->v.major, &out->v.minor, &out->v.patch};
    bool wild = false;
    for (int i = 0; i < 3 && s.ptr; i++) {
        fer_str part = take_until(&s, '.');
        if (is_wild(part)) {
            wild = true;
        } else {
            if (wild || !parse_number(part, numbers[i])) return false;
            out->parts++;
        }
    }
    bool tail = out->v.pre.ptr || out->v.build.ptr;
    return !s.ptr && !(tail && out->parts < 3);
}

/* The first version behind all those that share the first `parts` numbers; false where there is
 * none. */
static bool bump(const fer_semver *v, int parts, fer_semver *out)
{
    *out = (fer_semver){
        .major = v->major, .minor = parts > 1 ? v->minor : 0, .patch = parts > 2 ? v->patch : 0};
    uint64_t *last = parts == 1 ? &out->major : parts == 2 ? &out->minor : &out->patch;
    if (parts == 0 || *last == UINT64_MAX) return false;
    (*last)++;
    return true;
}

/* How many numbers `^` holds fixed: up to the first that is not zero. */
static int caret_parts(const struct partial *p)
{
    if (p->parts <= 1 || p->v.major) return p->parts < 1 ? 0 : 1;
    if (p->parts == 2 || p->v.minor) return 2;
    return 3;
}

static void at_least(struct range *r, const struct partial *p)
{
    r->has_low = p->parts > 0;
    r->low = p->v;
}

static void below_next(struct range *r, const struct partial *p, int parts)
{
    r->has_high = bump(&p->v, parts, &r->high);
    r->high.pre = FER_STR("0"); /* nor its pre-releases, of which 0 is the first */
}

static struct range range_of(fer_str op, const struct partial *p)
{
    struct range r = {0};
    bool whole = p->parts == 3;
    if (fer_str_is(op, "^")) {
        at_least(&r, p);
        below_next(&r, p, caret_parts(p));
    } else if (fer_str_is(op, "~")) {
        at_least(&r, p);
        below_next(&r, p, p->parts < 2 ? p->parts : 2);
    } else if (fer_str_is(op, ">=")) {
        at_least(&r, p);
    } else if (fer_str_is(op, ">")) {
        /* Behind 1.2 means behind every 1.2.x. */
        r.has_low = true;
        r.low_open = whole;
        r.low = p->v;
        bool any = whole || bump(&p->v, p->parts, &r.low);
        if (!any) r = (struct range){.has_high = true, .high = {.pre = FER_STR("0")}}; /* nothing */
    } else if (fer_str_is(op, "<")) {
        r.has_high = true;
        r.high = p->v;
        if (!whole) r.high.pre = FER_STR("0");
    } else if (fer_str_is(op, "<=")) {
        r.has_high = r.high_closed = whole;
        r.high = p->v;
        if (!whole) below_next(&r, p, p->parts);
    } else { /* "=" or nothing */
        at_least(&r, p);
        r.has_high = r.high_closed = whole;
        r.high = p->v;
        if (!whole) below_next(&r, p, p->parts);
    }
    return r;
}

static bool in_range(const fer_semver *v, const struct range *r)
{
    if (r->has_low) {
        int order = fer_semver_cmp(v, &r->low);
        if (order < 0 || (order == 0 && r->low_open)) return false;
    }
    if (r->has_high) {
        int order = fer_semver_cmp(v, &r->high);
        if (order > 0 || (order == 0 && !r->high_closed)) return false;
    }
    return true;
}

static bool same_core(const fer_semver *x, const fer_semver *y)
{
    return x->major == y->major && x->minor == y->minor && x->patch == y->patch;
}

static fer_str take_operator(fer_str *s)
{
    size_t len = 0;
    while (len < s->len && (s->ptr[len] == '=' || s->ptr[len] == '<' || s->ptr[len] == '>' ||
                            s->ptr[len] == '^' || s->ptr[len] == '~')) {
        len++;
    }
    fer_str op = fer_str_slice(*s, 0, len);
    *s = fer_str_slice(*s, len, s->len);
    return op;
}

static void skip_blanks(fer_str *s)
{
    while (s->len && (s->ptr[0] == ' ' || s->ptr[0] == '\t')) *s = fer_str_slice(*s, 1, s->len);
}

static bool known_operator(fer_str op)
{
    static const char *const ops[] = {"", "=", ">", ">=", "<", "<=", "^", "~"};
    for (size_t i = 0; i < FER_COUNT(ops); i++) {
        if (fer_str_is(op, ops[i])) return true;
    }
    return false;
}

/* All comparators of one alternative, joined by blanks. */
static bool satisfies_all(const fer_semver *v, fer_str s, bool *out)
{
    bool all = true, pre_named = false;
    size_t count = 0;
    for (skip_blanks(&s); s.len > 0; skip_blanks(&s), count++) {
        struct partial p;
        fer_str op = take_operator(&s);
        skip_blanks(&s);
        size_t end = 0;
        while (end < s.len && s.ptr[end] != ' ' && s.ptr[end] != '\t') end++;
        if (!known_operator(op) || !parse_partial(fer_str_slice(s, 0, end), &p)) return false;
        s = fer_str_slice(s, end, s.len);
        struct range r = range_of(op, &p);
        all = all && in_range(v, &r);
        pre_named = pre_named || (p.v.pre.len && same_core(&p.v, v));
    }
    *out = all && (!v->pre.len || pre_named);
    return count > 0;
}

fer_code fer_semver_satisfies(const fer_semver *version, fer_str constraint, bool *out,
                              fer_err *err)
{
    bool any = false;
    fer_str rest = constraint;
    for (;;) {
        size_t bar = 0;
        while (bar + 1 < rest.len && !(rest.ptr[bar] == '|' && rest.ptr[bar + 1] == '|')) bar++;
        bool last = bar + 1 >= rest.len, one = false;
        fer_str part = last ? rest : fer_str_slice(rest, 0, bar);
        if (!satisfies_all(version, part, &one)) {
            return fer_fail(
                err, FER_INVALID_CONSTRAINT,
                "\"%.*s\" is not a version constraint like \"^1.2\" or \">=1.2 <2 || 3.*\"",
                FER_PRI(fer_str_head(constraint, 100)));
        }
        any = any || one;
        if (last) break;
        rest = fer_str_slice(rest, bar + 2, rest.len);
    }
    *out = any;
    return FER_OK;
}
