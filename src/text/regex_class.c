/* SPDX-License-Identifier: Apache-2.0 */
/* ECMA-262 22.2.1: AtomEscape, CharacterEscape, CharacterClass and the names of groups. */
#include "regex_parser.h"
#include "unicode.h"

/* What an escape means; in a class, a range needs to know that it was one code point. */
struct meaning {
    enum {
        ONE,     /* the code point */
        SEVERAL, /* the set */
    } what;
    uint32_t one;
    const fer_set *named; /* a constant set, or NULL: a property */
    bool negated;
    fer_str property;
    fer_str value;
    size_t offset;
};

/* ---- numbers ------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    if (fer_is_digit(c)) return c - '0';
    c = fer_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly `count` digits at `at`, which moves behind them. */
static bool read_hex(fer_re_parser *p, size_t count, uint32_t *out)
{
    uint32_t n = 0;
    if (p->text.len - p->at < count) return false;
    for (size_t i = 0; i < count; i++) {
        int digit = hex_digit(p->text.ptr[p->at + i]);
        if (digit < 0) return false;
        n = n << 4 | (uint32_t)digit;
    }
    p->at += count;
    *out = n;
    return true;
}

/* "{1F600}" at `at`. */
static bool read_hex_braces(fer_re_parser *p, uint32_t *out)
{
    size_t from = ++p->at;
    uint32_t n = 0;
    for (int digit; fer_re_more(p) && (digit = hex_digit(fer_re_peek(p))) >= 0; p->at++) {
        n = n << 4 | (uint32_t)digit;
        if (n > FER_CODE_POINT_LAST) return false;
    }
    *out = n;
    return p->at > from && fer_re_take(p, '}');
}

/* What follows \u: four digits, two times four for a surrogate pair, or braces. */
static bool read_unicode(fer_re_parser *p, uint32_t *out)
{
    uint32_t low;
    if (fer_re_peek(p) == '{') return read_hex_braces(p, out);
    if (!read_hex(p, 4, out)) return false;
    size_t behind = p->at;
    if (*out < 0xD800 || *out > 0xDBFF || !fer_re_take(p, '\\')) return true;
    if (fer_re_take(p, 'u') && read_hex(p, 4, &low) && low >= 0xDC00 && low <= 0xDFFF) {
        *out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
        return true;
    }
    p->at = behind;
    return true;
}

/* ---- escapes ------------------------------------------------------------------------------- */

/* The text up to `}`; ptr NULL where there is none. */
static fer_str until_brace(fer_re_parser *p)
{
    size_t end = fer_str_find(p->text, p->at, '}');
    if (end == SIZE_MAX) return FER_STR_NONE;
    fer_str inside = fer_str_slice(p->text, p->at, end);
    p->at = end + 1;
    return inside;
}

static bool read_property(fer_re_parser *p, size_t offset, bool negated, struct meaning *out)
{
    fer_str inside = fer_re_take(p, '{') ? until_brace(p) : FER_STR_NONE, value = FER_STR_NONE;
    if (!inside.ptr) return fer_re_wrong(p, offset, "\\p needs a property in braces");
    size_t equals = fer_str_find(inside, 0, '=');
    if (equals != SIZE_MAX) {
        value = fer_str_slice(inside, equals + 1, inside.len);
        inside.len = equals;
    }
    *out = (struct meaning){
        .what = SEVERAL, .negated = negated, .property = inside, .value = value, .offset = offset};
    return true;
}

static bool several(struct meaning *out, const fer_set *set, bool negated)
{
    *out = (struct meaning){.what = SEVERAL, .named = set, .negated = negated};
    return true;
}

static bool one(struct meaning *out, uint32_t c)
{
    *out = (struct meaning){.what = ONE, .one = c};
    return true;
}

static bool read_digits(fer_re_parser *p, size_t offset, char c, struct meaning *out)
{
    if (c == '0' && !fer_is_digit(fer_re_peek(p))) return one(out, 0);
    return fer_re_wrong(p, offset, "a number that is neither \\0 nor a back-reference");
}

static bool read_control(fer_re_parser *p, size_t offset, struct meaning *out)
{
    char letter = fer_re_peek(p);
    if (!fer_is_alpha(letter)) return fer_re_wrong(p, offset, "\\c needs a letter");
    p->at++;
    return one(out, (unsigned char)letter & 31);
}

/* A backslash before what needs none: the syntax characters, and in forgiving mode all
 * punctuation of ASCII and the space. */
static bool read_identity(fer_re_parser *p, size_t offset, char c, bool in_class,
                          struct meaning *out)
{
    bool syntax = c && strchr("^$\\.*+?()[]{}|/", c);
    bool dash = in_class && c == '-';
    bool punctuation = c >= ' ' && c < 0x7F && !fer_is_alpha(c) && !fer_is_digit(c);
    if (syntax || dash || (punctuation && !p->strict)) return one(out, (unsigned char)c);
    return fer_re_wrong(p, offset, "ECMA-262 has no such escape");
}

/* What an escape means in a class and outside of it. */
static bool read_escape(fer_re_parser *p, bool in_class, struct meaning *out)
{
    size_t offset = p->at - 1;
    if (!fer_re_more(p)) return fer_re_wrong(p, offset, "a backslash ends the pattern");
    char c = p->text.ptr[p->at++];
    uint32_t n;
    switch (c) {
    case 'd': return several(out, &fer_set_digit, false);
    case 'D': return several(out, &fer_set_digit, true);
    case 'w': return several(out, &fer_set_word, false);
    case 'W': return several(out, &fer_set_word, true);
    case 's': return several(out, &fer_set_space, false);
    case 'S': return several(out, &fer_set_space, true);
    case 'p': return read_property(p, offset, false, out);
    case 'P': return read_property(p, offset, true, out);
    case 't': return one(out, '\t');
    case 'n': return one(out, '\n');
    case 'v': return one(out, '\v');
    case 'f': return one(out, '\f');
    case 'r': return one(out, '\r');
    case 'c': return read_control(p, offset, out);
    case 'x':
        if (read_hex(p, 2, &n)) return one(out, n);
        return fer_re_wrong(p, offset, "\\x needs two hexadecimal digits");
    case 'u':
        if (read_unicode(p, &n)) return one(out, n);
        return fer_re_wrong(p, offset, "\\u needs a code point");
    case 'b':
        if (in_class) return one(out, '\b');
        break;
    default: break;
    }
    if (fer_is_digit(c)) return read_digits(p, offset, c, out);
    return read_identity(p, offset, c, in_class, out);
}

static bool add_meaning(fer_re_parser *p, fer_set_maker *m, const struct meaning *what)
{
    if (what->what == ONE) {
        fer_set_add_range(m, what->one, what->one);
    } else if (what->named) {
        fer_set_add(m, what->named, what->negated);
    } else if (!fer_set_add_property(m, what->property, what->value, what->negated)) {
        return fer_re_wrong(p, what->offset, "ECMA-262 has no such property");
    }
    return true;
}

static fer_re_node *known_node(fer_re_parser *p, size_t index)
{
    fer_re_node *n = fer_re_node_new(p, FER_RE_SET);
    if (n) n->set = (uint32_t)index;
    return n;
}

/* Equal sets are one set, so that automata have few different letters. */
static size_t find_set(const fer_re_tree *t, const fer_set *set)
{
    size_t index = 0;
    while (index < t->set_count && !fer_set_equal(&t->sets[index], set)) index++;
    return index;
}

fer_re_node *fer_re_set_node(fer_re_parser *p, const fer_set *set)
{
    fer_re_tree *t = &p->tree;
    size_t index = find_set(t, set);
    if (index == t->set_count) {
        fer_set *grown =
            fer_arena_room(p->arena, t->sets, t->set_count, &t->set_cap, sizeof *grown);
        if (!grown) return fer_re_no_memory(p);
        t->sets = grown;
        t->sets[t->set_count++] = *set;
    }
    return known_node(p, index);
}

static fer_re_node *made_node(fer_re_parser *p, fer_set_maker *m, bool negated)
{
    fer_set set;
    if (!fer_set_done(m, negated, &set)) return fer_re_no_memory(p);
    size_t index = find_set(&p->tree, &set);
    if (index == p->tree.set_count) return fer_re_set_node(p, &set);
    fer_set_forget(m);
    return known_node(p, index);
}

fer_re_node *fer_re_one(fer_re_parser *p, uint32_t c)
{
    if (c < 0x80 && p->ascii[c]) return known_node(p, p->ascii[c] - 1u);
    fer_set_maker m = {.arena = p->arena};
    fer_set_add_range(&m, c, c);
    fer_re_node *n = made_node(p, &m, false);
    if (n && c < 0x80 && n->set < UINT16_MAX) p->ascii[c] = (uint16_t)(n->set + 1);
    return n;
}

/* ---- references ---------------------------------------------------------------------------- */

static fer_re_node *keep_reference(fer_re_parser *p, fer_str name, uint32_t number, size_t offset)
{
    fer_re_node *n = fer_re_node_new(p, FER_RE_REFERENCE);
    fer_re_node **grown = fer_arena_room(p->arena, p->references, p->reference_count,
                                         &p->reference_cap, sizeof *grown);
    if (!n || !grown) return fer_re_no_memory(p);
    n->group.name = name;
    n->group.number = number;
    n->group.offset = offset;
    p->references = grown;
    p->references[p->reference_count++] = n;
    return n;
}

static fer_re_node *read_numbered(fer_re_parser *p)
{
    size_t offset = p->at - 1;
    uint32_t number = 0;
    for (; fer_is_digit(fer_re_peek(p)); p->at++) {
        number = number * 10 + (uint32_t)(fer_re_peek(p) - '0');
        if (number > 100000000) number = 100000000; /* more groups than any pattern has */
    }
    return keep_reference(p, FER_STR_NONE, number, offset);
}

static fer_re_node *read_named(fer_re_parser *p)
{
    size_t offset = p->at - 2;
    if (!fer_re_take(p, '<')) return fer_re_wrong(p, offset, "\\k needs the name of a group");
    fer_str name = fer_re_name(p);
    return name.ptr ? keep_reference(p, name, 0, offset) : NULL;
}

fer_re_node *fer_re_escape(fer_re_parser *p)
{
    char c = fer_re_peek(p);
    if (c >= '1' && c <= '9') return read_numbered(p);
    if (fer_re_take(p, 'k')) return read_named(p);
    if (c == 'b' || c == 'B') {
        p->at++;
        fer_re_node *n = fer_re_node_new(p, FER_RE_ASSERT);
        if (n) n->assertion = c == 'b' ? FER_RE_EDGE : FER_RE_NO_EDGE;
        return n;
    }
    struct meaning what = {.what = ONE};
    fer_set_maker m = {.arena = p->arena};
    if (!read_escape(p, false, &what)) return NULL;
    if (what.what == ONE) return fer_re_one(p, what.one);
    if (!add_meaning(p, &m, &what)) return NULL;
    return made_node(p, &m, false);
}

/* ---- names --------------------------------------------------------------------------------- */

static void put_code_point(char *out, size_t *len, uint32_t c)
{
    if (c < 0x80) {
        out[(*len)++] = (char)c;
    } else if (c < 0x800) {
        out[(*len)++] = (char)(0xC0 | c >> 6);
    } else if (c < 0x10000) {
        out[(*len)++] = (char)(0xE0 | c >> 12);
        out[(*len)++] = (char)(0x80 | (c >> 6 & 63));
    } else {
        out[(*len)++] = (char)(0xF0 | c >> 18);
        out[(*len)++] = (char)(0x80 | (c >> 12 & 63));
        out[(*len)++] = (char)(0x80 | (c >> 6 & 63));
    }
    if (c >= 0x80) out[(*len)++] = (char)(0x80 | (c & 63));
}

/* One code point of a name, which may be escaped. */
static bool read_name_part(fer_re_parser *p, bool first, uint32_t *c)
{
    if (!fer_re_take(p, '\\')) {
        *c = fer_utf8_next(p->text, &p->at);
    } else if (!fer_re_take(p, 'u') || !read_unicode(p, c)) {
        return false;
    }
    return fer_set_names(*c, first);
}

static fer_str no_name(fer_re_parser *p, size_t offset)
{
    fer_re_wrong(p, offset, "this is no name for a group");
    return FER_STR_NONE;
}

/* Escapes in a name are read, so that the same name is the same text. It never grows by that. */
fer_str fer_re_name(fer_re_parser *p)
{
    size_t offset = p->at, len = 0, end = fer_str_find(p->text, p->at, '>');
    if (end == SIZE_MAX || end == offset) return no_name(p, offset);
    char *name = fer_arena_alloc(p->arena, end - offset);
    if (!name) {
        fer_re_no_memory(p);
        return FER_STR_NONE;
    }
    while (p->at < end) {
        uint32_t c;
        if (!read_name_part(p, len == 0, &c)) return no_name(p, offset);
        put_code_point(name, &len, c);
    }
    p->at++;
    return (fer_str){name, len};
}

/* ---- classes ------------------------------------------------------------------------------- */

static bool read_member(fer_re_parser *p, struct meaning *out)
{
    if (fer_re_take(p, '\\')) return read_escape(p, true, out);
    return one(out, fer_utf8_next(p->text, &p->at));
}

/* A range needs a code point on both sides; Annex B takes other dashes as they are. */
static bool add_range(fer_re_parser *p, fer_set_maker *m, const struct meaning *from,
                      const struct meaning *to, size_t offset)
{
    if (from->what == ONE && to->what == ONE) {
        if (from->one > to->one) return fer_re_wrong(p, offset, "the range is out of order");
        fer_set_add_range(m, from->one, to->one);
        return true;
    }
    if (p->strict) return fer_re_wrong(p, offset, "a range needs a character on both sides");
    fer_set_add_range(m, '-', '-');
    return add_meaning(p, m, from) && add_meaning(p, m, to);
}

fer_re_node *fer_re_class(fer_re_parser *p)
{
    size_t open = p->at - 1;
    fer_set_maker m = {.arena = p->arena};
    bool negated = fer_re_take(p, '^');
    while (fer_re_more(p) && fer_re_peek(p) != ']') {
        struct meaning from = {.what = ONE}, to = {.what = ONE};
        size_t offset = p->at;
        if (!read_member(p, &from)) return NULL;
        bool range =
            fer_re_peek(p) == '-' && p->at + 1 < p->text.len && p->text.ptr[p->at + 1] != ']';
        if (range) p->at++;
        if (range && !read_member(p, &to)) return NULL;
        if (range ? !add_range(p, &m, &from, &to, offset) : !add_meaning(p, &m, &from)) return NULL;
    }
    if (!fer_re_take(p, ']')) return fer_re_wrong(p, open, "the class is not closed");
    return made_node(p, &m, negated);
}
