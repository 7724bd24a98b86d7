/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema and all it refers to as one document. Compiling finds what can be reached;
 * every other document of the program then becomes a subschema of the first, named by its
 * URI, so that references find it there as they found it before. References that named a
 * document by a URI other than its own (the one it was registered under) name its own now.
 *
 * A `$schema` that is the caller's own meta-schema stays: whoever compiles the bundle has
 * to know it, too.
 */
#include <stdlib.h>

#include "errors.h"
#include "program.h"
#include "schema_tree.h"
#include "uri.h"

struct bundling {
    fer_arena *arena;
    const fer_schema *program;
    const fer_schema_options *options;
    const fer_resource *own; /* the root of the document that was given */
    fer_tree tree;
    const fer_resource **others; /* roots of the other documents, by URI */
    size_t count, cap;
};

static bool is_old(const struct fer_rules *rules)
{
    return rules->dialect < FER_DIALECT_2019_09;
}

/* ---- what is outside ----------------------------------------------------- */

static bool is_known(const struct bundling *b, const fer_json *doc)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->others[i]->doc == doc) return true;
    }
    return doc == b->own->doc;
}

static int by_uri(const void *x, const void *y)
{
    return fer_str_cmp((*(const fer_resource *const *)x)->uri,
                       (*(const fer_resource *const *)y)->uri);
}

static bool find_others(struct bundling *b)
{
    const fer_schema *p = b->program;
    for (size_t i = 0; i < p->home_count; i++) {
        const fer_resource *r = p->homes[i]->resource;
        if (is_known(b, r->doc)) continue;
        const fer_resource **others =
            fer_arena_room(b->arena, b->others, b->count, &b->cap, sizeof *others);
        if (!others) return false;
        b->others = others;
        others[b->count++] = fer_library_spot(&p->library, fer_json_root(r->doc))->resource;
    }
    if (b->count) qsort(b->others, b->count, sizeof *b->others, by_uri);
    return true;
}

/* ---- references ---------------------------------------------------------- */

/* Names the target by its own URI, where the reference named it by another. */
static void mend_reference(struct bundling *b, const fer_resource *from,
                           const yyjson_val *reference)
{
    fer_str uri = fer_uri_resolve(b->arena, from->uri, fer_val_str(reference));
    if (!uri.ptr) {
        b->tree.failed = true;
        return;
    }
    size_t hash = fer_str_find(uri, 0, '#');
    fer_str base = hash == SIZE_MAX ? uri : fer_str_slice(uri, 0, hash);
    fer_str fragment = hash == SIZE_MAX ? FER_STR("") : fer_str_slice(uri, hash, uri.len);
    const fer_resource *to = fer_library_find(&b->program->library, base);
    if (!to || fer_str_eq(to->uri, base)) return;
    fer_tree_swap(&b->tree, reference,
                  fer_arena_printf(b->arena, "%.*s%.*s", FER_PRI(to->uri), FER_PRI(fragment)));
}

static void mend_references(struct bundling *b)
{
    const fer_library *l = &b->program->library;
    for (size_t i = 0; i < l->spot_cap; i++) {
        const fer_node *node = l->spots[i].value ? l->spots[i].node : NULL;
        for (uint32_t n = 0; node && n < node->count; n++) {
            const fer_inst *inst = &node->insts[n];
            if (fer_inst_target(inst)) mend_reference(b, l->spots[i].resource, inst->source);
        }
    }
}

/* ---- one document -------------------------------------------------------- */

/* The URI of a resource as its `$id`, with the anchor that older drafts write into it. */
static fer_str id_text(struct bundling *b, const fer_resource *r, const yyjson_val *id)
{
    fer_str was = fer_is_str(id) ? fer_val_str(id) : FER_STR("");
    size_t hash = fer_str_find(was, 0, '#');
    if (!is_old(r->rules) || hash == SIZE_MAX) return r->uri;
    return fer_arena_printf(b->arena, "%.*s%.*s", FER_PRI(r->uri),
                            FER_PRI(fer_str_slice(was, hash, was.len)));
}

/* Of what stands beside a `$ref` in older drafts, only this may come into force. */
static bool harmless(const struct fer_rules *rules, fer_str name)
{
    const fer_keyword *k = fer_keyword_find(rules, name);
    return !k || k->slot == KW_DEFINITIONS || k->vocabulary == FER_VOCABULARY_META_DATA ||
           k->slot == KW_COMMENT;
}

/*
 * The root of a document, without what is said first of it (`$schema`, `$id`). In older
 * drafts a `$ref` hides an `$id` beside it, so it moves into an allOf (`wrap`), and what it
 * hid must not come into force.
 */
static yyjson_mut_val *copy_root(struct bundling *b, const fer_resource *r, bool wrap)
{
    fer_tree *t = &b->tree;
    yyjson_mut_val *to = fer_tree_object(t);
    if (!fer_is_obj(r->root)) { /* a boolean cannot have an `$id` */
        if (!fer_is_true(r->root)) fer_tree_put(t, to, FER_STR("not"), fer_tree_object(t));
        return to;
    }
    FER_EACH_MEMBER (r->root, key) {
        fer_str name = fer_val_str(key);
        const fer_keyword *k = fer_keyword_find(r->rules, name);
        if (k && (k->slot == KW_ID || k->slot == KW_SCHEMA)) continue;
        if (!wrap) {
            fer_tree_put(t, to, name, fer_tree_copy(t, key + 1));
        } else if (k && k->slot == KW_REF) {
            yyjson_mut_val *list = fer_tree_array(t), *ref = fer_tree_object(t);
            fer_tree_put(t, ref, name, fer_tree_copy(t, key + 1));
            fer_tree_add(t, list, ref);
            fer_tree_put(t, to, FER_STR("allOf"), list);
        } else if (harmless(r->rules, name)) {
            fer_tree_put(t, to, name, fer_tree_copy(t, key + 1));
        }
    }
    return to;
}

static yyjson_mut_val *named_root(struct bundling *b, const fer_resource *r, bool say_dialect)
{
    fer_tree *t = &b->tree;
    bool object = fer_is_obj(r->root);
    const char *id_name = r->rules->dialect == FER_DIALECT_DRAFT4 ? "id" : "$id";
    const yyjson_val *id = object ? fer_val_get(r->root, id_name) : NULL;
    const yyjson_val *schema = object ? fer_val_get(r->root, "$schema") : NULL;
    bool hidden = object && is_old(r->rules) && fer_val_get(r->root, "$ref");
    yyjson_mut_val *to = copy_root(b, r, hidden && r->uri.len);
    if (r->uri.len) {
        fer_tree_put_first(t, to, fer_str_of(id_name), fer_tree_text(t, id_text(b, r, id)));
    } else if (id) {
        fer_tree_put_first(t, to, fer_str_of(id_name), fer_tree_copy(t, id));
    }
    if (schema) {
        fer_tree_put_first(t, to, FER_STR("$schema"), fer_tree_copy(t, schema));
    } else if (say_dialect) {
        fer_tree_put_first(t, to, FER_STR("$schema"),
                           fer_tree_text(t, fer_str_of(fer_dialect_uri(r->rules->dialect))));
    }
    return to;
}

/* ---- all of them --------------------------------------------------------- */

/* A key that the definitions do not have yet. */
static fer_str free_key(struct bundling *b, yyjson_mut_val *definitions, fer_str uri)
{
    fer_str key = uri;
    for (size_t n = 2; key.ptr && yyjson_mut_obj_getn(definitions, key.ptr, key.len); n++) {
        key = fer_arena_printf(b->arena, "%.*s-%zu", FER_PRI(uri), n);
    }
    return key;
}

static yyjson_mut_val *build(struct bundling *b)
{
    fer_tree *t = &b->tree;
    bool dialect_given = b->options && b->options->dialect != FER_DIALECT_DEFAULT;
    const char *name = is_old(b->own->rules) ? "definitions" : "$defs";
    if (!fer_is_obj(b->own->root)) return fer_tree_copy(t, b->own->root);
    yyjson_mut_val *root = named_root(b, b->own, dialect_given);
    if (!b->count || t->failed) return root;
    yyjson_mut_val *definitions = yyjson_mut_obj_get(root, name);
    if (!definitions) {
        definitions = fer_tree_object(t);
        fer_tree_put(t, root, fer_str_of(name), definitions);
    }
    for (size_t i = 0; i < b->count && !t->failed; i++) {
        const fer_resource *r = b->others[i];
        bool other_dialect = r->rules->dialect != b->own->rules->dialect;
        fer_tree_put(t, definitions, free_key(b, definitions, r->uri),
                     named_root(b, r, other_dialect));
    }
    return root;
}

fer_code fer_schema_bundle(fer_arena *a, const fer_json *doc, const fer_schema_options *options,
                           fer_str *out, fer_err *err)
{
    fer_schema *program;
    fer_code code = fer_schema_compile_value(doc, NULL, options, &program, err);
    if (code) return code;
    struct bundling b = {.arena = a, .program = program, .options = options};
    b.own = fer_library_spot(&program->library, program->value)->resource;
    fer_tree_init(&b.tree, a);
    if (find_others(&b)) mend_references(&b);
    else b.tree.failed = true;
    yyjson_mut_val *root = b.tree.failed ? NULL : build(&b);
    code = fer_tree_write(&b.tree, root, out, err);
    fer_schema_unref(program);
    return code;
}
