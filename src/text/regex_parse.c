/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ECMA-262 22.2.1: Disjunction, Alternative, Term, Quantifier, and groups. Groups are read
 * by recursion down to FER_REGEX_NESTING.
 */
#include "errors.h"
#include "regex_parser.h"
#include "unicode.h"

void *fer_re_wrong(fer_re_parser *p, size_t offset, const char *what)
{
    if (p->code) return NULL;
    size_t character = fer_utf8_count(fer_str_slice(p->text, 0, offset)) + 1;
    p->code = fer_fail_at(p->err, FER_INVALID_FORMAT, offset, "character %zu of the pattern: %s",
                          character, what);
    return NULL;
}

void *fer_re_no_memory(fer_re_parser *p)
{
    if (!p->code) p->code = fer_arena_failed(p->arena, p->err);
    return NULL;
}

fer_re_node *fer_re_node_new(fer_re_parser *p, fer_re_kind kind)
{
    fer_re_node *n = fer_arena_alloc_zero(p->arena, 1, sizeof *n);
    if (!n) return fer_re_no_memory(p);
    n->kind = kind;
    return n;
}

static void add_child(fer_re_node *parent, fer_re_node *child)
{
    child->previous = parent->last;
    if (parent->last) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
}

/* ---- repetitions --------------------------------------------------------------------------- */

/* Digits as a number, at most UINT32_MAX - 1. False: there are none. */
static bool read_count(fer_re_parser *p, size_t *at, uint32_t *out)
{
    size_t from = *at;
    uint64_t n = 0;
    for (; *at < p->text.len && fer_is_digit(p->text.ptr[*at]); (*at)++) {
        n = n * 10 + (uint64_t)(p->text.ptr[*at] - '0');
        if (n >= FER_RE_NO_BOUND) n = FER_RE_NO_BOUND - 1;
    }
    *out = (uint32_t)n;
    return *at > from;
}

/* "{2}", "{2,}" or "{2,5}" at `at`, which moves behind it. */
static bool read_braces(fer_re_parser *p, uint32_t *min, uint32_t *max)
{
    size_t at = p->at + 1;
    if (!read_count(p, &at, min)) return false;
    *max = *min;
    if (at < p->text.len && p->text.ptr[at] == ',') {
        at++;
        if (!read_count(p, &at, max)) *max = FER_RE_NO_BOUND;
    }
    if (at >= p->text.len || p->text.ptr[at] != '}') return false;
    p->at = at + 1;
    return true;
}

/* Whether a quantifier stands here; `at` moves behind it. */
static bool read_quantifier(fer_re_parser *p, uint32_t *min, uint32_t *max)
{
    *min = 0;
    *max = FER_RE_NO_BOUND;
    switch (fer_re_peek(p)) {
    case '*': break;
    case '+': *min = 1; break;
    case '?': *max = 1; break;
    case '{': return read_braces(p, min, max);
    default: return false;
    }
    p->at++;
    return true;
}

static fer_re_node *over_repeat(fer_re_parser *p, size_t offset)
{
    size_t character = fer_utf8_count(fer_str_slice(p->text, 0, offset)) + 1;
    p->code =
        fer_fail_at(p->err, FER_LIMIT_EXCEEDED, offset,
                    "character %zu of the pattern: a count over %zu", character, p->repeat_limit);
    return NULL;
}

/* The atom with the quantifier behind it, where there is one. */
static fer_re_node *read_repeat(fer_re_parser *p, fer_re_node *atom, uint32_t groups_from)
{
    size_t from = p->at;
    uint32_t min, max;
    if (!read_quantifier(p, &min, &max)) return atom;
    bool lazy = fer_re_take(p, '?');
    if (atom->kind == FER_RE_ASSERT || atom->kind == FER_RE_LOOK)
        return fer_re_wrong(p, from, "an assertion cannot be repeated");
    if (min > max) return fer_re_wrong(p, from, "the counts are out of order");
    if (p->repeat_limit &&
        (min > p->repeat_limit || (max != FER_RE_NO_BOUND && max > p->repeat_limit)))
        return over_repeat(p, from);
    if (min == 1 && max == 1) return atom;
    fer_re_node *n = fer_re_node_new(p, FER_RE_REPEAT);
    if (!n) return NULL;
    add_child(n, atom);
    n->repeat.min = min;
    n->repeat.max = max;
    n->repeat.lazy = lazy;
    n->repeat.groups_from = groups_from;
    n->repeat.groups_to = p->tree.groups + 1;
    return n;
}

/* ---- groups -------------------------------------------------------------------------------- */

static fer_re_node *read_choice(fer_re_parser *p);

/* What stands between brackets, and the closing one. `open` is the byte of the opening one. */
static fer_re_node *read_inside(fer_re_parser *p, size_t open)
{
    if (++p->depth > FER_REGEX_NESTING) {
        p->code =
            fer_fail_at(p->err, FER_LIMIT_EXCEEDED, open,
                        "groups in the pattern are nested more than %d deep", FER_REGEX_NESTING);
        return NULL;
    }
    fer_re_node *inside = read_choice(p);
    p->depth--;
    if (!inside) return NULL;
    if (!fer_re_take(p, ')')) return fer_re_wrong(p, open, "the group is not closed");
    return inside;
}

static fer_re_node *read_look(fer_re_parser *p, size_t open, bool behind, bool negative)
{
    fer_re_node *n = fer_re_node_new(p, FER_RE_LOOK);
    if (!n) return NULL;
    n->look.behind = behind;
    n->look.negative = negative;
    fer_re_node *inside = read_inside(p, open);
    if (!inside) return NULL;
    add_child(n, inside);
    n->look.index = p->tree.looks++;
    return n;
}

static bool keep_name(fer_re_parser *p, fer_re_node *group, size_t offset)
{
    group->group.name = fer_re_name(p);
    if (!group->group.name.ptr) return false;
    for (size_t i = 0; i < p->name_count; i++) {
        if (fer_str_eq(p->names[i]->group.name, group->group.name))
            return fer_re_wrong(p, offset, "two groups have the same name");
    }
    fer_re_node **grown =
        fer_arena_room(p->arena, p->names, p->name_count, &p->name_cap, sizeof *grown);
    if (!grown) return fer_re_no_memory(p);
    p->names = grown;
    p->names[p->name_count++] = group;
    return true;
}

static fer_re_node *read_capture(fer_re_parser *p, size_t open, bool named)
{
    fer_re_node *n = fer_re_node_new(p, FER_RE_GROUP);
    if (!n || (named && !keep_name(p, n, p->at))) return NULL;
    n->group.number = ++p->tree.groups;
    fer_re_node *inside = read_inside(p, open);
    if (!inside) return NULL;
    add_child(n, inside);
    return n;
}

/* (?:^) is not an assertion by its syntax: it may be repeated, so it stays a node of its own. */
static fer_re_node *read_plain(fer_re_parser *p, size_t open)
{
    fer_re_node *inside = read_inside(p, open);
    if (!inside || (inside->kind != FER_RE_ASSERT && inside->kind != FER_RE_LOOK)) return inside;
    fer_re_node *n = fer_re_node_new(p, FER_RE_SEQUENCE);
    if (n) add_child(n, inside);
    return n;
}

static fer_re_node *read_group(fer_re_parser *p)
{
    size_t open = p->at - 1;
    if (!fer_re_take(p, '?')) return read_capture(p, open, false);
    if (fer_re_take(p, ':')) return read_plain(p, open);
    if (fer_re_take(p, '=')) return read_look(p, open, false, false);
    if (fer_re_take(p, '!')) return read_look(p, open, false, true);
    if (!fer_re_take(p, '<')) return fer_re_wrong(p, open, "ECMA-262 has no such group");
    if (fer_re_take(p, '=')) return read_look(p, open, true, false);
    if (fer_re_take(p, '!')) return read_look(p, open, true, true);
    return read_capture(p, open, true);
}

/* ---- terms --------------------------------------------------------------------------------- */

static fer_re_node *read_assert(fer_re_parser *p, fer_re_assert what)
{
    fer_re_node *n = fer_re_node_new(p, FER_RE_ASSERT);
    if (n) n->assertion = what;
    return n;
}

/* A bracket or brace that opens or closes nothing: Annex B takes it as it is. */
static fer_re_node *read_lone(fer_re_parser *p, char c)
{
    size_t offset = p->at - 1;
    uint32_t min, max;
    p->at = offset;
    bool quantifier = c == '{' && read_braces(p, &min, &max);
    p->at = offset + 1;
    if (quantifier) return fer_re_wrong(p, offset, "there is nothing to repeat");
    if (p->strict) return fer_re_wrong(p, offset, "a lone bracket needs a backslash");
    return fer_re_one(p, (unsigned char)c);
}

static fer_re_node *read_atom(fer_re_parser *p)
{
    char c = fer_re_peek(p);
    if ((unsigned char)c >= 0x80) return fer_re_one(p, fer_utf8_next(p->text, &p->at));
    p->at++;
    switch (c) {
    case '^': return read_assert(p, FER_RE_START);
    case '$': return read_assert(p, FER_RE_END);
    case '.': return fer_re_set_node(p, &fer_set_dot);
    case '(': return read_group(p);
    case '[': return fer_re_class(p);
    case '\\': return fer_re_escape(p);
    case '*':
    case '+':
    case '?': return fer_re_wrong(p, p->at - 1, "there is nothing to repeat");
    case ']':
    case '{':
    case '}': return read_lone(p, c);
    default: return fer_re_one(p, (unsigned char)c);
    }
}

static fer_re_node *read_term(fer_re_parser *p)
{
    uint32_t groups_from = p->tree.groups + 1;
    fer_re_node *n = read_atom(p);
    return n ? read_repeat(p, n, groups_from) : NULL;
}

static bool at_end(const fer_re_parser *p)
{
    return !fer_re_more(p) || fer_re_peek(p) == '|' || fer_re_peek(p) == ')';
}

static fer_re_node *read_sequence(fer_re_parser *p)
{
    fer_re_node *first = NULL;
    if (!at_end(p)) {
        first = read_term(p);
        if (!first || at_end(p)) return first;
    }
    fer_re_node *sequence = fer_re_node_new(p, FER_RE_SEQUENCE);
    if (!sequence) return NULL;
    if (first) add_child(sequence, first);
    while (!at_end(p)) {
        fer_re_node *n = read_term(p);
        if (!n) return NULL;
        add_child(sequence, n);
    }
    return sequence;
}

static fer_re_node *read_choice(fer_re_parser *p)
{
    fer_re_node *n = read_sequence(p);
    if (!n || fer_re_peek(p) != '|') return n;
    fer_re_node *choice = fer_re_node_new(p, FER_RE_CHOICE);
    if (!choice) return NULL;
    add_child(choice, n);
    while (fer_re_take(p, '|')) {
        n = read_sequence(p);
        if (!n) return NULL;
        add_child(choice, n);
    }
    return choice;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* A back-reference may stand before its group, so all are looked at in the end. */
static bool resolve(fer_re_parser *p)
{
    for (size_t i = 0; i < p->reference_count; i++) {
        fer_re_node *n = p->references[i];
        for (size_t k = 0; n->group.name.ptr && k < p->name_count; k++) {
            if (fer_str_eq(p->names[k]->group.name, n->group.name))
                n->group.number = p->names[k]->group.number;
        }
        if (n->group.number == 0 || n->group.number > p->tree.groups)
            return fer_re_wrong(p, n->group.offset, "there is no such group");
    }
    return true;
}

fer_code fer_re_parse(fer_arena *a, fer_str pattern, const fer_regex_limits *limits,
                      fer_re_tree *out, fer_err *err)
{
    fer_re_parser p = {.arena = a, .text = pattern, .err = err, .strict = !limits};
    if (limits) p.repeat_limit = limits->repeat;
    fer_re_node *root = read_choice(&p);
    if (root && fer_re_more(&p)) fer_re_wrong(&p, p.at, "the bracket closes no group");
    if (p.code || !resolve(&p)) return p.code;
    p.tree.root = root;
    p.tree.references = p.reference_count > 0;
    *out = p.tree;
    return FER_OK;
}
