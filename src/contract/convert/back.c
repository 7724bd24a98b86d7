/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way back: a value of the converted schema as the original has it.
 *
 * The marked schema is an ordinary schema whose private keyword is an annotation. So the
 * engine itself finds out which marks hold where: it validates the value and gives the
 * annotations of what was valid, references, alternatives and all. Of alternatives that fit
 * at the same time the first counts. Then the value is built anew from the inside out, and
 * each place is translated as its marks say, in the order of the table below.
 */
#include <stdlib.h>

#include "errors.h"
#include "json_pointer.h"
#include "json_value.h"
#include "rewrite.h"

struct back {
    fer_arena *arena;
    fer_tree tree;
    const fer_annotation *notes;
    size_t count;
    fer_map chosen; /* evaluation path of an anyOf, NUL, field -> its first branch that fits */
    fer_map marks;  /* field -> struct marks */
    fer_code code;
    fer_err *err;
};

/* The marks of one place. */
struct marks {
    const yyjson_val **list;
    size_t count, cap;
};

static fer_code fail(struct back *b, fer_code code, const char *what, fer_str detail)
{
    if (!b->code)
        b->code = fer_fail(b->err, code, "%s%.*s", what, FER_PRI(fer_str_head(detail, 200)));
    return b->code;
}

/* ---- operations ------------------------------------------------------------------------- */

typedef void operation(struct back *b, yyjson_mut_val *value, const yyjson_val *mark);

static void drop_null(struct back *b, yyjson_mut_val *value, const yyjson_val *mark)
{
    const yyjson_val *keys = fer_val_get(mark, "keys");
    (void)b;
    if (!fer_is_arr(keys)) return;
    FER_EACH_ITEM (keys, key) {
        yyjson_mut_val *member = fer_is_str(key) ? fer_mut_find(value, fer_val_str(key)) : NULL;
        if (member && fer_mut_is_null(member)) fer_mut_drop_name(value, fer_val_str(key));
    }
}

static void rename_keys(struct back *b, yyjson_mut_val *value, const yyjson_val *mark)
{
    const yyjson_val *names = fer_val_get(mark, "names");
    FER_EACH_MUT_MEMBER(value, key)
    {
        const yyjson_val *name = fer_is_obj(names) ? fer_val_key(names, fer_mut_str(key)) : NULL;
        yyjson_mut_val *text =
            name && fer_is_str(name + 1) ? fer_tree_text(&b->tree, fer_val_str(name + 1)) : NULL;
        if (text) fer_mut_become(key, text);
    }
}

static void put_entries(struct back *b, yyjson_mut_val *object, const yyjson_mut_val *list)
{
    FER_EACH_MUT_ITEM(list, entry)
    {
        yyjson_mut_val *key = fer_mut_get(entry, "key"), *value = fer_mut_get(entry, "value");
        if (!key || !fer_mut_is_str(key) || !value) {
            fail(b, FER_INVALID_TYPE, "an entry of a map has no key or no value", FER_STR(""));
            return;
        }
        fer_mut_set_name(&b->tree, object, fer_mut_str(key), fer_mut_copy(&b->tree, value));
    }
}

static void take_rest(struct back *b, yyjson_mut_val *value, const yyjson_val *mark)
{
    const yyjson_val *key = fer_val_get(mark, "key");
    yyjson_mut_val *list = fer_is_str(key) ? fer_mut_find(value, fer_val_str(key)) : NULL;
    if (!list) return;
    list = fer_mut_copy(&b->tree, list);
    fer_mut_drop_name(value, fer_val_str(key));
    if (list) put_entries(b, value, list);
}

static void make_tuple(struct back *b, yyjson_mut_val *value, const yyjson_val *mark)
{
    fer_tree *t = &b->tree;
    const yyjson_val *length = fer_val_get(mark, "length");
    uint64_t count = length && fer_val_tag(length) == FER_TAG_UINT ? length->uni.u64 : 0;
    yyjson_mut_val *list = fer_tree_array(t);
    char name[32];
    if (!fer_mut_is_obj(value)) return;
    for (uint64_t i = 0; i < count && !b->code; i++) {
        fer_buf text;
        fer_buf_init_fixed(&text, name, sizeof name);
        fer_buf_printf(&text, "item_%llu", (unsigned long long)i);
        yyjson_mut_val *item = fer_mut_find(value, fer_buf_view(&text));
        if (!item) {
            fail(b, FER_REQUIRED_MISSING, "an item of a list is missing: ", fer_buf_view(&text));
            return;
        }
        fer_tree_add(t, list, fer_mut_copy(t, item));
    }
    FER_EACH_MUT_ITEM(fer_mut_get(value, "items"), item)
    fer_tree_add(t, list, fer_mut_copy(t, item));
    if (list) fer_mut_become(value, list);
}

static void make_map(struct back *b, yyjson_mut_val *value, const yyjson_val *mark)
{
    yyjson_mut_val *object = fer_tree_object(&b->tree);
    (void)mark;
    if (!fer_mut_is_arr(value) || !object) return;
    put_entries(b, object, value);
    fer_mut_become(value, object);
}

static void unwrap(struct back *b, yyjson_mut_val *value, const yyjson_val *mark)
{
    const yyjson_val *key = fer_val_get(mark, "key");
    yyjson_mut_val *inner = fer_is_str(key) ? fer_mut_find(value, fer_val_str(key)) : NULL;
    if (!fer_mut_is_obj(value)) return;
    if (!inner) fail(b, FER_REQUIRED_MISSING, "a wrapped value is missing", FER_STR(""));
    else if ((inner = fer_mut_copy(&b->tree, inner))) fer_mut_become(value, inner);
}

static void look_up(struct back *b, yyjson_mut_val *value, const yyjson_val *mark)
{
    const yyjson_val *values = fer_val_get(mark, "values");
    if (!fer_mut_is_str(value)) return;
    const yyjson_val *key = fer_is_obj(values) ? fer_val_key(values, fer_mut_str(value)) : NULL;
    if (!key) {
        fail(b, FER_INVALID_ENUM_VALUE, "no value is named ", fer_mut_str(value));
        return;
    }
    yyjson_mut_val *copy = fer_tree_copy(&b->tree, key + 1);
    if (copy) fer_mut_become(value, copy);
}

/* A text inside a text is translated by a schema of its own. */
static fer_json *through(struct back *b, const yyjson_val *schema, fer_str json)
{
    fer_passage p;
    fer_str marked = FER_STR_NONE, back = FER_STR_NONE;
    fer_json *doc = NULL;
    fer_code code = fer_json_write(b->arena, schema, false, &marked, b->err);
    if (!code) code = fer_passage_open(b->arena, marked, &p, b->err);
    if (!code) {
        code = fer_passage_back(b->arena, &p, json, &back, b->err);
        fer_passage_close(&p);
    }
    if (!code) code = fer_json_read(b->arena, back, fer_json_limits_file(), &doc, b->err);
    if (code && !b->code) b->code = code;
    return code ? NULL : doc;
}

static void parse(struct back *b, yyjson_mut_val *value, const yyjson_val *mark)
{
    fer_json *doc;
    fer_err why;
    if (!fer_mut_is_str(value)) return;
    fer_code code = fer_json_read(b->arena, fer_mut_str(value), NULL, &doc, &why);
    if (code) {
        fail(b, code, "a text is no JSON: ", fer_str_of(why.message));
        return;
    }
    const yyjson_val *schema = fer_val_get(mark, "schema");
    if (schema && !(doc = through(b, schema, fer_mut_str(value)))) return;
    yyjson_mut_val *copy = fer_tree_copy(&b->tree, fer_json_root(doc));
    if (copy) fer_mut_become(value, copy);
}

/* What is done about the names of the converted schema comes before they are gone. */
static const struct {
    const char *op;
    operation *run;
} operations[] = {
    {"drop-null", drop_null}, {"rename", rename_keys}, {"rest", take_rest}, {"tuple", make_tuple},
    {"entries", make_map},    {"unwrap", unwrap},      {"enum", look_up},   {"json", parse},
};

/* ---- which marks hold ------------------------------------------------------------------- */

#define SUFFIX "/" FER_BACK

/* The next "/anyOf/N/" of a location from `at` on: where N begins and ends. */
static bool next_choice(fer_str location, size_t *at, fer_str *path, size_t *branch)
{
    static const char word[] = "/anyOf/";
    for (size_t i = *at; i + sizeof word <= location.len; i++) {
        if (memcmp(location.ptr + i, word, sizeof word - 1) != 0) continue;
        size_t from = i + sizeof word - 1, to = from;
        while (to < location.len && fer_is_digit(location.ptr[to])) to++;
        uint64_t n;
        if (to == from || to >= location.len || location.ptr[to] != '/') continue;
        if (!fer_parse_u64(fer_str_slice(location, from, to), &n)) continue;
        *path = fer_str_slice(location, 0, from);
        *branch = (size_t)n;
        *at = to;
        return true;
    }
    return false;
}

static fer_str choice_key(struct back *b, fer_str path, fer_str field)
{
    char *text = fer_arena_alloc(b->arena, path.len + field.len + 2);
    if (!text) {
        b->code = fer_arena_failed(b->arena, b->err);
        return FER_STR_NONE;
    }
    memcpy(text, path.ptr, path.len);
    text[path.len] = '\0';
    if (field.len) memcpy(text + path.len + 1, field.ptr, field.len);
    return (fer_str){text, path.len + 1 + field.len};
}

/* Notes the first branch of each anyOf that was valid at each place. */
static void choose(struct back *b, const fer_annotation *n)
{
    size_t at = 0, branch = 0, last = SIZE_MAX;
    fer_str path, of = FER_STR_NONE;
    while (next_choice(n->keyword_location, &at, &path, &branch)) {
        of = path;
        last = at;
    }
    /* Only the mark of the branch itself stands at the place of the anyOf. */
    if (last == SIZE_MAX || n->keyword_location.len != last + sizeof SUFFIX - 1) return;
    fer_str key = choice_key(b, of, n->field);
    void **slot = key.ptr ? fer_map_put(&b->chosen, key) : NULL;
    size_t *known = slot ? *slot : NULL;
    if (!known && slot) {
        known = fer_arena_alloc(b->arena, sizeof *known);
        if (known) *known = branch;
        *slot = known;
    }
    if (!known) b->code = b->code ? b->code : fer_arena_failed(b->arena, b->err);
    else if (branch < *known) *known = branch;
}

/* The branch that was chosen where this path was asked, at the field or one around it. */
static const size_t *chosen_at(struct back *b, fer_str path, fer_str field)
{
    for (;;) {
        fer_str key = choice_key(b, path, field);
        const size_t *known = key.ptr ? fer_map_get(&b->chosen, key) : NULL;
        if (known || !field.len || b->code) return known;
        while (field.len && field.ptr[field.len - 1] != '/') field.len--;
        if (field.len) field.len--;
    }
}

static bool holds(struct back *b, const fer_annotation *n)
{
    size_t at = 0, branch;
    fer_str path;
    while (next_choice(n->keyword_location, &at, &path, &branch)) {
        const size_t *known = chosen_at(b, path, n->field);
        if (known && *known != branch) return false;
    }
    return true;
}

static void keep_marks(struct back *b, const fer_annotation *n)
{
    fer_json *doc = NULL;
    void **slot = fer_map_put(&b->marks, n->field);
    struct marks *m = slot ? *slot : NULL;
    if (slot && !m) *slot = m = fer_arena_alloc_zero(b->arena, 1, sizeof *m);
    if (!m) {
        b->code = fer_arena_failed(b->arena, b->err);
        return;
    }
    fer_code code = fer_json_read(b->arena, n->json, fer_json_limits_file(), &doc, b->err);
    const yyjson_val *list = code ? NULL : fer_json_root(doc);
    if (code) b->code = code;
    if (!list || !fer_is_arr(list)) return;
    FER_EACH_ITEM (list, mark) {
        void *room = fer_arena_room(b->arena, m->list, m->count, &m->cap, sizeof *m->list);
        if (!room) {
            b->code = fer_arena_failed(b->arena, b->err);
            return;
        }
        m->list = room;
        m->list[m->count++] = mark;
    }
}

static void gather(struct back *b)
{
    fer_map_init(&b->chosen, b->arena);
    fer_map_init(&b->marks, b->arena);
    for (size_t i = 0; i < b->count && !b->code; i++) {
        if (fer_str_is(b->notes[i].keyword, FER_BACK)) choose(b, &b->notes[i]);
    }
    for (size_t i = 0; i < b->count && !b->code; i++) {
        if (fer_str_is(b->notes[i].keyword, FER_BACK) && holds(b, &b->notes[i]))
            keep_marks(b, &b->notes[i]);
    }
}

/* ---- building anew ---------------------------------------------------------------------- */

static void apply(struct back *b, yyjson_mut_val *value, const struct marks *m)
{
    for (size_t o = 0; o < FER_COUNT(operations); o++) {
        for (size_t i = 0; i < m->count && !b->code; i++) {
            const yyjson_val *op = fer_val_get(m->list[i], "op");
            if (fer_is_str(op) && fer_str_is(fer_val_str(op), operations[o].op))
                operations[o].run(b, value, m->list[i]);
        }
    }
}

/* From the inside out; the pointer is of the value that came. */
static void build(struct back *b, yyjson_mut_val *value, fer_buf *pointer)
{
    size_t len = pointer->len, index = 0;
    FER_EACH_MUT_MEMBER(value, key)
    {
        fer_pointer_add(pointer, fer_mut_str(key));
        if (!b->code) build(b, key->next, pointer);
        pointer->len = len;
    }
    FER_EACH_MUT_ITEM(value, item)
    {
        fer_buf_printf(pointer, "/%zu", index++);
        if (!b->code) build(b, item, pointer);
        pointer->len = len;
    }
    if (pointer->failure) b->code = fer_buf_code(pointer, b->err);
    const struct marks *m = b->code ? NULL : fer_map_get(&b->marks, fer_buf_view(pointer));
    if (m) apply(b, value, m);
}

static fer_code rebuild(struct back *b, const yyjson_val *value, fer_str *out)
{
    fer_buf pointer;
    fer_tree_init(&b->tree, b->arena);
    yyjson_mut_val *root = b->tree.failed ? NULL : fer_tree_copy(&b->tree, value);
    if (!root) return fer_arena_failed(b->arena, b->err);
    fer_buf_init(&pointer, b->arena, (size_t)1 << 20);
    fer_buf_add_text(&pointer, "");
    build(b, root, &pointer);
    if (b->code) return b->code;
    return fer_tree_write(&b->tree, root, out, b->err);
}

fer_code fer_passage_open(fer_arena *a, fer_str marked, fer_passage *out, fer_err *err)
{
    fer_json *doc;
    fer_schema_options o = {.limits = fer_schema_limits_file()};
    *out = (fer_passage){0};
    fer_code code = fer_json_read(a, marked, fer_json_limits_file(), &doc, err);
    if (!code) code = fer_schema_compile(marked, &o, &out->schema, err);
    if (code) return code;
    fer_tree_init(&out->tree, a);
    out->root = out->tree.failed ? NULL : fer_tree_copy(&out->tree, fer_json_root(doc));
    if (out->root) return FER_OK;
    fer_passage_close(out);
    return fer_arena_failed(a, err);
}

void fer_passage_close(fer_passage *p)
{
    fer_schema_unref(p->schema);
    p->schema = NULL;
}

fer_code fer_passage_back(fer_arena *a, const fer_passage *p, fer_str value, fer_str *out,
                          fer_err *err)
{
    struct back b = {.arena = a, .err = err};
    fer_validate_options o = {.annotations = true, .max_violations = 1};
    fer_json *doc;
    fer_result *r;
    size_t count;
    fer_code code = fer_json_read(a, value, fer_json_limits_file(), &doc, err);
    if (!code) code = fer_schema_validate(a, p->schema, doc, NULL, &o, &r, err);
    if (code) return code;
    if (!fer_result_valid(r)) {
        const fer_violation *v = fer_result_violations(r, &count);
        return fer_fail(err, count ? v->code : FER_CONSTRAINT_VIOLATION,
                        "the arguments do not fit the converted schema: %.*s",
                        FER_PRI(count ? v->message : FER_STR("")));
    }
    b.notes = fer_result_annotations(r, &b.count);
    gather(&b);
    return b.code ? b.code : rebuild(&b, fer_json_root(doc), out);
}
