/* SPDX-License-Identifier: Apache-2.0 */
#include "local_argv.h"

#include "buf.h"
#include "errors.h"
#include "json_value.h"

/* ---- types ---------------------------------------------------------------------------------- */

static bool is_scalar(const yyjson_val *v)
{
    return !fer_is_ctn(v) && !fer_val_is(v, YYJSON_TYPE_NULL);
}
static bool is_int(const yyjson_val *v)
{
    return fer_val_tag(v) == FER_TAG_UINT || fer_val_tag(v) == FER_TAG_SINT;
}
static bool is_any(const yyjson_val *v)
{
    return v != NULL;
}

/* Which values a place takes, and what it makes of them. */
typedef struct fer_argv_type {
    const char *name;
    bool (*takes)(const yyjson_val *v);
    const char *what; /* in words */
    bool dash;        /* may begin with one */
    bool json;        /* texts are quoted */
    bool flag;        /* does not stand for a value, but for a text where it is true */
} fer_argv_type;

static const fer_argv_type types[] = {
    {.name = "", .takes = is_scalar, .what = "a text, a number or a boolean"},
    {.name = "text", .takes = fer_is_str, .what = "a text"},
    {.name = "int", .takes = is_int, .what = "an integer"},
    {.name = "number", .takes = fer_is_num, .what = "a number"},
    {.name = "bool", .takes = fer_is_bool, .what = "a boolean"},
    {.name = "json", .takes = is_any, .what = "any value", .json = true},
    {.name = "dash", .takes = is_scalar, .what = "a text, a number or a boolean", .dash = true},
    {.name = "flag", .takes = fer_is_bool, .what = "a boolean", .flag = true},
};

static const fer_argv_type *find_type(fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(types); i++) {
        if (fer_str_is(name, types[i].name)) return &types[i];
    }
    return NULL;
}

/* ---- reading -------------------------------------------------------------------------------- */

static fer_code bad_place(fer_err *err, fer_str text, const char *why)
{
    return fer_fail(err, FER_INVALID_FORMAT, "the place '{%.*s}' %s", FER_PRI(text), why);
}

/* "name", "name:text" behind "flag:". */
static fer_code read_flag(fer_arena *a, fer_str whole, fer_str rest, fer_argv_part *out,
                          fer_err *err)
{
    size_t colon = fer_str_find(rest, 0, ':');
    out->path = fer_str_slice(rest, 0, colon == SIZE_MAX ? rest.len : colon);
    out->text = colon == SIZE_MAX ? fer_arena_printf(a, "--%.*s", FER_PRI(out->path))
                                  : fer_str_slice(rest, colon + 1, rest.len);
    if (!out->text.ptr) return fer_arena_failed(a, err);
    if (!out->text.len || fer_str_find(out->text, 0, '\0') != SIZE_MAX)
        return bad_place(err, whole, "names no text for its flag");
    return FER_OK;
}

/* What stands between the brackets: [type:] path [*] [?] */
static fer_code read_place(fer_arena *a, fer_str whole, fer_argv_part *out, fer_err *err)
{
    size_t colon = fer_str_find(whole, 0, ':');
    bool typed = colon != SIZE_MAX && whole.ptr[0] != '/';
    fer_str rest = typed ? fer_str_slice(whole, colon + 1, whole.len) : whole;
    *out = (fer_argv_part){.type = find_type(typed ? fer_str_slice(whole, 0, colon) : FER_STR(""))};
    if (!out->type || (typed && !out->type->name[0]))
        return bad_place(err, whole,
                         "names no type before its colon, as in {int:count}: text, int, number, "
                         "bool, json, dash and flag are known; braces as such are {{ and }}");
    if (out->type->flag) {
        fer_code code = read_flag(a, whole, rest, out, err);
        if (code) return code;
    } else {
        out->optional = fer_str_ends(rest, "?");
        if (out->optional) rest.len--;
        out->each = fer_str_ends(rest, "*");
        if (out->each) rest.len--;
        out->path = rest;
    }
    if (!out->path.len) return bad_place(err, whole, "names no argument");
    return FER_OK;
}

fer_code fer_argv_read_place(fer_arena *a, fer_str text, fer_argv_part *out, fer_err *err)
{
    if (text.len < 2 || text.ptr[0] != '{' || fer_str_find(text, 0, '}') != text.len - 1)
        return fer_fail(err, FER_INVALID_FORMAT, "'%.*s' is not the place of an argument, {name}",
                        FER_PRI(text));
    fer_code code = read_place(a, fer_str_slice(text, 1, text.len - 1), out, err);
    if (!code && (out->type->flag || out->each))
        code = fer_fail(err, FER_INVALID_FORMAT, "'%.*s' must be one value", FER_PRI(text));
    return code;
}

/* The parts of an item; there are no more of them than bytes. */
static fer_code read_item(fer_arena *a, fer_str s, fer_argv_item *out, fer_err *err)
{
    fer_argv_part *parts = fer_arena_alloc_zero(a, s.len + 1, sizeof *parts);
    fer_buf text;
    size_t count = 0;
    if (!parts) return fer_arena_failed(a, err);
    fer_buf_init(&text, a, FER_LOCAL_ARG);
    for (size_t at = 0; at < s.len; at++) {
        char c = s.ptr[at], after = at + 1 < s.len ? s.ptr[at + 1] : '\0';
        if (c == '\0') return fer_fail(err, FER_INVALID_FORMAT, "an argument cannot hold NUL");
        if ((c != '{' && c != '}') || c == after) {
            fer_buf_add_char(&text, c);
            at += c == '{' || c == '}';
            continue;
        }
        size_t end = c == '{' ? fer_str_find(s, at, '}') : SIZE_MAX;
        if (end == SIZE_MAX)
            return fer_fail(err, FER_INVALID_FORMAT,
                            "a bracket in '%.*s' has no partner; one that is meant so is doubled",
                            FER_PRI(s));
        if (text.len) parts[count++].text = fer_buf_view(&text);
        fer_buf_init(&text, a, FER_LOCAL_ARG);
        fer_code code = read_place(a, fer_str_slice(s, at + 1, end), &parts[count++], err);
        if (code) return code;
        at = end;
    }
    if (text.len || !count) parts[count++].text = text.len ? fer_buf_view(&text) : FER_STR("");
    *out = (fer_argv_item){parts, count};
    return fer_buf_code(&text, err);
}

static fer_code check_item(const fer_argv_item *item, fer_argv_group *g, fer_err *err)
{
    for (size_t i = 0; i < item->count; i++) {
        const fer_argv_part *p = &item->parts[i];
        if (!p->type) continue;
        if (p->type->flag && item->count > 1)
            return fer_fail(err, FER_INVALID_FORMAT, "the flag of '%.*s' must be a whole argument",
                            FER_PRI(p->path));
        if (!p->each) continue;
        if (g->each && !fer_str_eq(g->each->path, p->path))
            return fer_fail(err, FER_INVALID_FORMAT,
                            "a group cannot be repeated for both '%.*s' and '%.*s'",
                            FER_PRI(g->each->path), FER_PRI(p->path));
        g->each = p;
    }
    return FER_OK;
}

static fer_code add_item(fer_arena *a, const yyjson_val *v, fer_argv_group *g, fer_err *err)
{
    if (!fer_is_str(v))
        return fer_fail(err, FER_INVALID_TYPE, "an item of argv is a text or a list of texts");
    fer_code code = read_item(a, fer_val_str(v), &g->items[g->count], err);
    if (!code) code = check_item(&g->items[g->count], g, err);
    g->count++;
    return code;
}

static fer_code read_group(fer_arena *a, const yyjson_val *v, fer_argv_group *g,
                           const yyjson_val **at, fer_err *err)
{
    size_t count = fer_is_arr(v) ? fer_val_len(v) : 1;
    fer_code code = FER_OK;
    *at = v;
    if (!count) return fer_fail(err, FER_INVALID_FORMAT, "a group of argv has no items");
    g->items = fer_arena_alloc_zero(a, count, sizeof *g->items);
    if (!g->items) return fer_arena_failed(a, err);
    if (!fer_is_arr(v)) return add_item(a, v, g, err);
    FER_EACH_ITEM (v, item) {
        *at = item;
        code = add_item(a, item, g, err);
        if (code) return code;
    }
    return code;
}

static size_t count_items(const yyjson_val *list)
{
    size_t count = 0;
    FER_EACH_ITEM (list, v) count += fer_is_arr(v) ? fer_val_len(v) : 1;
    return count;
}

static bool is_program(const fer_argv_group *g)
{
    return g->count == 1 && g->items[0].count == 1 && !g->items[0].parts[0].type &&
           g->items[0].parts[0].text.len;
}

fer_code fer_argv_read(fer_arena *a, const yyjson_val *list, fer_argv *out, const yyjson_val **at,
                       fer_err *err)
{
    *at = list;
    if (!fer_is_arr(list) || !fer_val_len(list))
        return fer_fail(err, FER_INVALID_TYPE,
                        "argv is a list: the program, and then its arguments");
    if (count_items(list) > FER_LOCAL_ITEMS)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "command.items: argv has more than %d items",
                        FER_LOCAL_ITEMS);
    fer_argv t = {.groups = fer_arena_alloc_zero(a, fer_val_len(list), sizeof *t.groups)};
    if (!t.groups) return fer_arena_failed(a, err);
    FER_EACH_ITEM (list, v) {
        fer_code code = read_group(a, v, &t.groups[t.count++], at, err);
        if (code) return code;
    }
    *at = list + 1;
    if (!is_program(&t.groups[0]))
        return fer_fail(err, FER_INVALID_FORMAT,
                        "argv begins with a program, which no argument can choose");
    *out = t;
    return FER_OK;
}

fer_str fer_argv_program(const fer_argv *t)
{
    return t->groups[0].items[0].parts[0].text;
}

/* ---- expanding ------------------------------------------------------------------------------ */

/* A command line that is being written. */
struct line {
    fer_arena *arena;
    const yyjson_val *args;
    const char **argv;
    size_t count, cap;
    size_t bytes;
    fer_err *err;
};

const yyjson_val *fer_argv_value(const fer_argv_part *p, const yyjson_val *args)
{
    const yyjson_val *v;
    if (p->path.ptr[0] == '/') {
        v = fer_json_at(args, p->path, NULL);
    } else {
        v = fer_val_key(args, p->path);
        if (v) v++;
    }
    return v && !fer_val_is(v, YYJSON_TYPE_NULL) ? v : NULL;
}

/* Hyphens and minus signs, of which some programs take any for a dash. */
static bool begins_with_dash(fer_str s)
{
    static const char *const dashes[] = {"-",
                                         "\xE2\x80\x90",
                                         "\xE2\x80\x91",
                                         "\xE2\x80\x92",
                                         "\xE2\x80\x93",
                                         "\xE2\x80\x94",
                                         "\xE2\x80\x95",
                                         "\xE2\x88\x92",
                                         "\xEF\xB9\x98",
                                         "\xEF\xB9\xA3",
                                         "\xEF\xBC\x8D"};
    for (size_t i = 0; i < FER_COUNT(dashes); i++) {
        if (fer_str_starts(s, dashes[i])) return true;
    }
    return false;
}

static fer_code value_text(const struct line *l, const fer_argv_part *p, const yyjson_val *v,
                           fer_str *out)
{
    if (!p->type->takes(v))
        return fer_fail(l->err, FER_INVALID_TYPE, "'%.*s' is %s, and the command takes %s",
                        FER_PRI(p->path), fer_val_type_name(v), p->type->what);
    if (!fer_is_str(v) || p->type->json) return fer_json_write(l->arena, v, false, out, l->err);
    *out = fer_val_str(v);
    return FER_OK;
}

static fer_code add_value(const struct line *l, fer_buf *b, const fer_argv_part *p,
                          const yyjson_val *v)
{
    fer_str text = FER_STR_NONE;
    fer_code code = value_text(l, p, v, &text);
    if (code) return code;
    if (fer_str_find(text, 0, '\0') != SIZE_MAX)
        return fer_fail(l->err, FER_CONSTRAINT_VIOLATION,
                        "'%.*s' holds a NUL, which no command line can carry", FER_PRI(p->path));
    if (!b->len && !p->type->dash && begins_with_dash(text))
        return fer_fail(l->err, FER_CONSTRAINT_VIOLATION,
                        "'%.*s' begins with a dash, which the command would take for an option",
                        FER_PRI(p->path));
    fer_buf_add(b, text);
    return FER_OK;
}

static fer_code add_argument(struct line *l, fer_str text)
{
    if (text.len > FER_LOCAL_ARG)
        return fer_fail(l->err, FER_LIMIT_EXCEEDED,
                        "command.arg: an argument has more than %zu bytes", FER_LOCAL_ARG);
    l->bytes += text.len;
    if (l->bytes > FER_LOCAL_ARGS)
        return fer_fail(l->err, FER_LIMIT_EXCEEDED,
                        "command.args: the arguments have more than %zu bytes", FER_LOCAL_ARGS);
    if (l->count == FER_LOCAL_COUNT)
        return fer_fail(l->err, FER_LIMIT_EXCEEDED,
                        "command.count: there are more than %zu arguments", FER_LOCAL_COUNT);
    const char **argv = fer_arena_room(l->arena, l->argv, l->count, &l->cap, sizeof *argv);
    fer_str copy = argv ? fer_arena_copy(l->arena, text) : FER_STR_NONE;
    if (!copy.ptr) return fer_arena_failed(l->arena, l->err);
    l->argv = argv;
    l->argv[l->count++] = copy.ptr;
    return FER_OK;
}

static fer_code missing(const struct line *l, const fer_argv_part *p)
{
    return fer_fail(l->err, FER_REQUIRED_MISSING, "the command needs the argument '%.*s'",
                    FER_PRI(p->path));
}

/* One item; `element` is what a repeated place stands for this time. */
static fer_code expand_item(struct line *l, const fer_argv_item *item, const yyjson_val *element)
{
    fer_buf b;
    fer_buf_init(&b, l->arena, SIZE_MAX);
    for (size_t i = 0; i < item->count; i++) {
        const fer_argv_part *p = &item->parts[i];
        const yyjson_val *v = p->each ? element : NULL;
        if (!p->type || p->type->flag) {
            fer_buf_add(&b, p->text);
            continue;
        }
        if (!v) v = fer_argv_value(p, l->args);
        if (!v) return missing(l, p);
        fer_code code = add_value(l, &b, p, v);
        if (code) return code;
    }
    fer_code code = fer_buf_code(&b, l->err);
    return code ? code : add_argument(l, fer_buf_view(&b));
}

/* Whether a group stands there at all: an optional argument is absent, a flag is not set. */
static fer_code is_left_out(const struct line *l, const fer_argv_group *g, bool *out)
{
    *out = false;
    for (size_t i = 0; i < g->count; i++) {
        for (size_t k = 0; k < g->items[i].count; k++) {
            const fer_argv_part *p = &g->items[i].parts[k];
            const yyjson_val *v = p->type ? fer_argv_value(p, l->args) : NULL;
            if (!p->type) continue;
            if (p->optional && !v) *out = true;
            if (!p->type->flag) continue;
            if (v && !fer_is_bool(v))
                return fer_fail(l->err, FER_INVALID_TYPE, "'%.*s' is %s, and the command takes %s",
                                FER_PRI(p->path), fer_val_type_name(v), p->type->what);
            if (!fer_is_true(v)) *out = true;
        }
    }
    return FER_OK;
}

static fer_code expand_once(struct line *l, const fer_argv_group *g, const yyjson_val *element)
{
    for (size_t i = 0; i < g->count; i++) {
        fer_code code = expand_item(l, &g->items[i], element);
        if (code) return code;
    }
    return FER_OK;
}

static fer_code expand_group(struct line *l, const fer_argv_group *g)
{
    bool left_out;
    fer_code code = is_left_out(l, g, &left_out);
    if (code || left_out) return code;
    if (!g->each) return expand_once(l, g, NULL);
    const yyjson_val *list = fer_argv_value(g->each, l->args);
    if (!list) return missing(l, g->each);
    if (!fer_is_arr(list))
        return fer_fail(l->err, FER_INVALID_TYPE, "'%.*s' is %s, and the command takes an array",
                        FER_PRI(g->each->path), fer_val_type_name(list));
    FER_EACH_ITEM (list, element) {
        code = expand_once(l, g, element);
        if (code) return code;
    }
    return FER_OK;
}

fer_code fer_argv_expand(fer_arena *a, const fer_argv *t, const yyjson_val *args, const char ***out,
                         fer_err *err)
{
    struct line l = {.arena = a, .args = args, .err = err};
    for (size_t i = 0; i < t->count; i++) {
        fer_code code = expand_group(&l, &t->groups[i]);
        if (code) return code;
    }
    l.argv = fer_arena_room(a, l.argv, l.count, &l.cap, sizeof *l.argv);
    if (!l.argv) return fer_arena_failed(a, err);
    l.argv[l.count] = NULL;
    *out = l.argv;
    return FER_OK;
}
