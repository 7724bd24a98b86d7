/* SPDX-License-Identifier: Apache-2.0 */
/* What the rewrites share: notes, words, types, null, marks. */
#include <stdarg.h>

#include "errors.h"
#include "look.h"
#include "rewrite.h"

/* ---- telling ---------------------------------------------------------------------------- */

void fer_rw_note(fer_rw *c, enum fer_rewrite_id id, fer_loss loss, const char *adapter,
                 const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    fer_rewritten *room =
        fer_arena_room(c->arena, c->notes, c->note_count, &c->note_cap, sizeof *c->notes);
    if (!room) {
        c->tree.failed = true;
        return;
    }
    c->notes = room;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    c->notes[c->note_count++] =
        (fer_rewritten){.rule = &fer_rewrite_rows[id],
                        .pointer = c->pointer,
                        .loss = loss,
                        .reason = fer_arena_copy(c->arena, (fer_str){text, len}),
                        .adapter = adapter};
    c->rewritten = true;
}

bool fer_rw_refuse(fer_rw *c, const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    if (c->refused.ptr) return false;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    c->refused = fer_arena_copy(c->arena, (fer_str){text, len});
    if (!c->refused.ptr) c->tree.failed = true;
    return false;
}

bool fer_rw_refuses_keyword(const fer_rw *c, enum fer_slot slot)
{
    unsigned rule = c->plan->rule_of[slot];
    if (c->plan->reject[slot]) return fer_rw_refuses(c, (enum fer_profile_rule_id)rule);
    return c->plan->unlisted[slot] && fer_rw_refuses(c, FER_PR_KEYWORD_UNLISTED);
}

bool fer_rw_takes_keyword(const fer_rw *c, enum fer_slot slot)
{
    return !c->plan->reject[slot] && !c->plan->unlisted[slot] && !c->plan->ignored[0][slot];
}

/* ---- words ------------------------------------------------------------------------------ */

#define TAIL "[constraints: "

/* Where the machine-readable tail of a text begins; its end where there is none. */
static size_t tail_of(fer_str text)
{
    const char *at = text.len ? memmem(text.ptr, text.len, TAIL, sizeof TAIL - 1) : NULL;
    return at && text.ptr[text.len - 1] == ']' ? (size_t)(at - text.ptr) : text.len;
}

static fer_str description_of(const yyjson_mut_val *node)
{
    const yyjson_mut_val *old = fer_mut_get(node, "description");
    return old && fer_mut_is_str(old) ? fer_mut_str(old) : FER_STR("");
}

/* The tail stays last. */
void fer_rw_say(fer_rw *c, yyjson_mut_val *node, fer_str words)
{
    fer_str old = description_of(node), head = fer_str_slice(old, 0, tail_of(old)),
            tail = fer_str_slice(old, head.len, old.len);
    fer_buf b;
    fer_buf_init(&b, c->arena, (size_t)1 << 20);
    fer_buf_add(&b, head);
    if (head.len && head.ptr[head.len - 1] != ' ') fer_buf_add_char(&b, ' ');
    fer_buf_add(&b, words);
    if (tail.len) fer_buf_add_char(&b, ' ');
    fer_buf_add(&b, tail);
    if (b.failure) c->tree.failed = true;
    else fer_mut_set(&c->tree, node, "description", fer_tree_text(&c->tree, fer_buf_view(&b)));
}

void fer_rw_constrain(fer_rw *c, yyjson_mut_val *node, fer_str name, fer_str value)
{
    fer_str text = description_of(node), joined,
            item = fer_arena_printf(c->arena, "%.*s=%.*s", FER_PRI(name),
                                    FER_PRI(fer_str_head(value, 1500)));
    size_t at = tail_of(text);
    if (!item.ptr) {
        c->tree.failed = true;
        return;
    }
    if (at == text.len) {
        fer_rw_say(c, node, fer_arena_printf(c->arena, TAIL "%.*s]", FER_PRI(item)));
        return;
    }
    if (memmem(text.ptr + at, text.len - at, item.ptr, item.len)) return;
    text.len--;
    joined = fer_arena_printf(c->arena, "%.*s, %.*s]", FER_PRI(text), FER_PRI(item));
    fer_mut_set(&c->tree, node, "description", fer_tree_text(&c->tree, joined));
}

void fer_rw_move_notes(fer_rw *c, yyjson_mut_val *from, yyjson_mut_val *to)
{
    static const char *const keys[] = {"title", "description", "default"};
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        yyjson_mut_val *v = fer_mut_get(from, keys[i]);
        if (!v) continue;
        yyjson_mut_val *copy = fer_mut_copy(&c->tree, v);
        fer_mut_drop(from, keys[i]);
        if (!fer_mut_get(to, keys[i])) fer_mut_set(&c->tree, to, keys[i], copy);
    }
}

/* ---- types ------------------------------------------------------------------------------ */

static unsigned type_bit(const yyjson_mut_val *word)
{
    for (unsigned i = 0; i < FER_COUNT(fer_type_names); i++) {
        if (fer_mut_is_text(word, fer_type_names[i])) return 1u << i;
    }
    return 0;
}

unsigned fer_rw_types(const yyjson_mut_val *node)
{
    const yyjson_mut_val *type = fer_mut_get(node, "type");
    unsigned bits = 0;
    if (!type) return 0;
    if (fer_mut_is_str(type)) return type_bit(type);
    FER_EACH_MUT_ITEM(type, word) bits |= type_bit(word);
    return bits;
}

void fer_rw_set_types(fer_rw *c, yyjson_mut_val *node, unsigned types)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *list = fer_tree_array(t);
    for (unsigned i = 0; i < FER_COUNT(fer_type_names); i++) {
        if (types >> i & 1) fer_tree_add(t, list, fer_tree_text(t, fer_str_of(fer_type_names[i])));
    }
    if (t->failed) return;
    if (fer_mut_len(list) == 1) list = fer_tree_text(t, fer_mut_str(fer_mut_first_item(list)));
    fer_mut_set(t, node, "type", list);
}

/* ---- null ------------------------------------------------------------------------------- */

static bool list_takes_null(fer_rw *c, const yyjson_mut_val *list, unsigned depth)
{
    FER_EACH_MUT_ITEM(list, item)
    {
        if (fer_rw_takes_null(c, item, depth)) return true;
    }
    return false;
}

bool fer_rw_takes_null(fer_rw *c, const yyjson_mut_val *node, unsigned depth)
{
    unsigned types = fer_rw_types(node);
    if (fer_mut_is_bool(node)) return fer_mut_is_true(node);
    if (types && !(types & FER_IS_NULL)) return false;
    const yyjson_mut_val *list = fer_mut_get(node, "enum"), *one = fer_mut_get(node, "const"),
                         *ref = fer_mut_get(node, "$ref");
    if (one && !fer_mut_is_null(one)) return false;
    if (list) {
        bool has = false;
        FER_EACH_MUT_ITEM(list, item) has = has || fer_mut_is_null(item);
        if (!has) return false;
    }
    if (depth > 16) return true;
    if (ref && fer_mut_is_str(ref)) {
        const yyjson_mut_val *target = fer_plot_target(c->arena, c->root, fer_mut_str(ref));
        if (target && !fer_rw_takes_null(c, target, depth + 1)) return false;
    }
    const yyjson_mut_val *any = fer_mut_get(node, "anyOf"), *of = fer_mut_get(node, "oneOf");
    if (any && !list_takes_null(c, any, depth + 1)) return false;
    if (of && !list_takes_null(c, of, depth + 1)) return false;
    FER_EACH_MUT_ITEM(fer_mut_get(node, "allOf"), item)
    {
        if (!fer_rw_takes_null(c, item, depth + 1)) return false;
    }
    return true;
}

/* The node moves into the first branch of an anyOf, beside one that is null. */
static void wrap_with_null(fer_rw *c, yyjson_mut_val *node)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *inner = fer_tree_object(t), *outer = fer_tree_object(t),
                   *list = fer_tree_array(t), *null = fer_tree_object(t);
    if (t->failed) return;
    fer_mut_become(inner, node);
    fer_mut_set_text(t, null, "type", "null");
    fer_rw_move_notes(c, inner, outer);
    fer_tree_add(t, list, inner);
    fer_tree_add(t, list, null);
    fer_tree_put(t, outer, FER_STR("anyOf"), list);
    if (!t->failed) fer_mut_become(node, outer);
}

void fer_rw_add_null(fer_rw *c, yyjson_mut_val *node)
{
    fer_tree *t = &c->tree;
    unsigned types = fer_rw_types(node);
    yyjson_mut_val *any = fer_mut_get(node, "anyOf");
    static const char *const others[] = {"$ref", "oneOf", "allOf", "const",
                                         "not",  "if",    "then",  "else"};
    bool plain = types != 0 && !any && !fer_mut_get(node, FER_BACK);
    for (size_t i = 0; i < FER_COUNT(others); i++) plain = plain && !fer_mut_get(node, others[i]);
    /* Providers differ about lists of types that have object or array in them: anyOf is safe. */
    if (types & (FER_IS_OBJECT | FER_IS_ARRAY)) plain = plain && c->nullable;
    if (plain) {
        yyjson_mut_val *list = fer_mut_get(node, "enum");
        fer_rw_set_types(c, node, types | FER_IS_NULL);
        if (list) fer_tree_add(t, list, yyjson_mut_null(t->doc));
        return;
    }
    bool only = any && !types;
    FER_EACH_MUT_MEMBER(node, key)
    {
        fer_str name = fer_mut_str(key);
        only = only && (fer_str_is(name, "anyOf") || fer_str_is(name, "title") ||
                        fer_str_is(name, "description") || fer_str_is(name, "default"));
    }
    if (only) {
        yyjson_mut_val *null = fer_tree_object(t);
        fer_mut_set_text(t, null, "type", "null");
        fer_tree_add(t, any, null);
        return;
    }
    wrap_with_null(c, node);
}

/* ---- marks ------------------------------------------------------------------------------ */

yyjson_mut_val *fer_rw_marked(const yyjson_mut_val *node, const char *op)
{
    FER_EACH_MUT_ITEM(fer_mut_get(node, FER_BACK), mark)
    {
        if (fer_mut_is_text(fer_mut_get(mark, "op"), op)) return mark;
    }
    return NULL;
}

yyjson_mut_val *fer_rw_mark(fer_rw *c, yyjson_mut_val *node, const char *op)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *list = fer_mut_get(node, FER_BACK), *mark = fer_tree_object(t);
    if (!list) {
        list = fer_tree_array(t);
        fer_mut_set(t, node, FER_BACK, list);
        list = fer_mut_get(node, FER_BACK);
    }
    fer_mut_set_text(t, mark, "op", op);
    fer_tree_add(t, list, mark);
    return t->failed ? NULL : mark;
}

static void mark_each(void *context, yyjson_mut_val *node, const fer_step *step)
{
    fer_rw *c = context;
    yyjson_mut_val *list = fer_mut_get(node, "anyOf");
    (void)step;
    if (!list || !(fer_mut_marked(list) || fer_mut_get(c->root, "$defs"))) return;
    FER_EACH_MUT_ITEM(list, branch)
    {
        if (fer_mut_is_obj(branch) && !fer_rw_marked(branch, "branch"))
            fer_rw_mark(c, branch, "branch");
    }
}

void fer_rw_mark_branches(fer_rw *c, yyjson_mut_val *root)
{
    fer_schemas_each(root, false, mark_each, c);
}
