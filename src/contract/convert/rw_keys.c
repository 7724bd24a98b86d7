/* SPDX-License-Identifier: Apache-2.0 */
/* R23: properties whose names the provider does not take. */

#include "digest.h"
#include "look.h"
#include "rewrite.h"

static bool is_reserved(const fer_rw *c, fer_str name)
{
    return fer_rw_refuses(c, FER_PR_PROPERTY_RESERVED) &&
           fer_words_have(&c->profile->rows[FER_PR_PROPERTY_RESERVED].words, name);
}

static bool has_char(const struct fer_profile_row *row, char ch)
{
    return row->on ? fer_chars_have(&row->chars, (unsigned char)ch) : true;
}

/* The name with bad characters replaced; and the hash of the old one where it must be told. */
static fer_str fit(fer_rw *c, fer_str name, bool hash)
{
    const struct fer_profile_row *row = &c->profile->rows[FER_PR_PROPERTY_KEY];
    size_t max = row->on && row->max < 1000 ? (size_t)row->max : 64;
    unsigned char digest[FER_DIGEST_SIZE];
    char hex[8];
    fer_buf b;
    fer_buf_init(&b, c->arena, (size_t)1 << 16);
    if (!name.len || is_reserved(c, name) ||
        (row->on && row->first.text.len &&
         !fer_chars_have(&row->first, (unsigned char)name.ptr[0])))
        fer_buf_add_text(&b, "p_");
    for (size_t i = 0; i < name.len && b.len < max; i++) {
        unsigned char ch = (unsigned char)name.ptr[i];
        if (ch >= 0x80 && (ch & 0xC0) == 0x80) continue; /* one _ for each character */
        fer_buf_add_char(&b, ch < 0x80 && has_char(row, (char)ch) ? (char)ch : '_');
    }
    if (hash || b.len > max || (row->on && name.len > max)) {
        fer_digest_text(name, digest);
        fer_digest_hex(hex, digest, 4);
        if (b.len > max - 9) b.len = max - 9;
        fer_buf_add_char(&b, '_');
        fer_buf_add(&b, (fer_str){hex, sizeof hex});
    }
    if (b.failure) c->tree.failed = true;
    return fer_buf_view(&b);
}

static bool is_good(fer_rw *c, fer_str name)
{
    return fer_str_eq(fit(c, name, false), name);
}

/* Whether another property has, or gets, this name. */
static bool collides(fer_rw *c, const yyjson_mut_val *properties, fer_str name, fer_str made)
{
    FER_EACH_MUT_MEMBER(properties, key)
    {
        fer_str other = fer_mut_str(key);
        if (fer_str_eq(other, name)) continue;
        if (fer_str_eq(other, made) || fer_str_eq(fit(c, other, false), made)) return true;
    }
    return false;
}

static void rename_words(fer_rw *c, yyjson_mut_val *list, fer_str from, fer_str to)
{
    FER_EACH_MUT_ITEM(list, word)
    {
        if (fer_mut_is_str(word) && fer_str_eq(fer_mut_str(word), from))
            fer_mut_become(word, fer_tree_text(&c->tree, to));
    }
}

static void rename_one(fer_rw *c, yyjson_mut_val *node, yyjson_mut_val *key, fer_str to)
{
    fer_tree *t = &c->tree;
    fer_str from = fer_mut_str(key);
    yyjson_mut_val *mark = fer_rw_marked(node, "rename"), *names;
    rename_words(c, fer_mut_get(node, "required"), from, to);
    FER_EACH_MUT_ITEM(fer_mut_get(node, FER_BACK), other)
    rename_words(c, fer_mut_get(other, "keys"), from, to);
    if (!mark) {
        mark = fer_rw_mark(c, node, "rename");
        if (mark) fer_mut_set(t, mark, "names", fer_tree_object(t));
    }
    names = fer_mut_get(mark, "names");
    if (names) fer_mut_set_name(t, names, to, fer_tree_text(t, from));
    yyjson_mut_val *made = fer_tree_text(t, to);
    if (made) fer_mut_become(key, made);
    fer_rw_note(c, FER_R23, FER_LOSS_ADAPTER, "rename", "\"%.*s\" becomes \"%.*s\": %.*s",
                FER_PRI(fer_str_head(from, 100)), FER_PRI(to), FER_PRI(c->finding->message));
}

/* Keywords that name properties outside of `properties`. */
static bool names_elsewhere(const yyjson_mut_val *node)
{
    static const char *const keys[] = {"anyOf",
                                       "oneOf",
                                       "allOf",
                                       "if",
                                       "then",
                                       "else",
                                       "not",
                                       "$ref",
                                       "dependentRequired",
                                       "dependentSchemas",
                                       "patternProperties",
                                       "propertyNames"};
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        if (fer_mut_get(node, keys[i])) return true;
    }
    return false;
}

/* Where further names are legal, an old name could stand beside the new one: no longer. */
static void close_renamed(fer_rw *c, yyjson_mut_val *node)
{
    const yyjson_mut_val *more = fer_mut_get(node, "additionalProperties");
    if (more && fer_mut_is_false(more)) return;
    if (fer_rw_takes_keyword(c, KW_ADDITIONAL_PROPERTIES)) {
        fer_rw_declare_required(c, node);
        fer_mut_set(&c->tree, node, "additionalProperties", fer_tree_bool(&c->tree, false));
        fer_rw_note(c, FER_R10, FER_LOSS_NARROWER, NULL, "names are translated: others cannot be");
        return;
    }
    fer_rw_note(c, FER_R23, FER_LOSS_WIDER, "rename", "the object takes further names");
    fer_rw_note(c, FER_R23, FER_LOSS_NARROWER, "rename", "the object takes further names");
}

bool fer_fix_key(fer_rw *c, fer_spot *s)
{
    /* The pointer leads to the property itself: its owner is one step up. */
    fer_step *last = fer_spot_last(s);
    if (s->count < 2 || !fer_str_is(last->via, "properties")) return false;
    yyjson_mut_val *node = s->steps[s->count - 2].node,
                   *properties = fer_mut_get(node, "properties");
    if (names_elsewhere(node))
        return fer_rw_refuse(
            c, "a property has a name that is not taken, and other keywords name it, too");
    FER_EACH_MUT_MEMBER(properties, key)
    {
        fer_str name = fer_mut_str(key);
        if (is_good(c, name)) continue;
        fer_str made = fit(c, name, false);
        if (collides(c, properties, name, made)) made = fit(c, name, true);
        if (c->tree.failed || fer_str_eq(made, name)) return false;
        rename_one(c, node, key, made);
    }
    close_renamed(c, node);
    return true;
}
