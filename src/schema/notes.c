/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations: what title, description, default and their like, format and content keywords,
 * keywords that nobody knows, and the applicators (which properties, which items) say of a
 * value that their schema accepts.
 */
#include "errors.h"
#include "json_write.h"
#include "result.h"

#define S(kw) FER_SLOT(KW_##kw)

#define NOTE_MAX ((size_t)64 << 20) /* bytes of one annotation; the instance bounds it anyway */

/* Keywords whose value is the annotation. */
static const uint64_t on_anything = S(TITLE) | S(DESCRIPTION) | S(DEFAULT) | S(EXAMPLES) |
                                    S(DEPRECATED) | S(READ_ONLY) | S(WRITE_ONLY) | S(FORMAT);
static const uint64_t on_strings = S(CONTENT_ENCODING) | S(CONTENT_MEDIA_TYPE) | S(CONTENT_SCHEMA);
/* Applicators that say which members or items they looked at. */
static const uint64_t on_names =
    S(PROPERTIES) | S(PATTERN_PROPERTIES) | S(ADDITIONAL_PROPERTIES) | S(UNEVALUATED_PROPERTIES);
static const uint64_t on_indexes =
    S(PREFIX_ITEMS) | S(ITEMS) | S(ADDITIONAL_ITEMS) | S(CONTAINS) | S(UNEVALUATED_ITEMS);

static bool speaks(const fer_unit *u, const fer_keyword *k)
{
    uint64_t slot = k ? FER_SLOT(k->slot) : 0;
    if (!k || (slot & on_anything)) return true;
    if (!(slot & on_strings) || !fer_is_str(u->value)) return false;
    return k->slot != KW_CONTENT_SCHEMA || fer_val_get(u->node->schema, "contentMediaType");
}

static void add_names(fer_buf *b, const fer_unit *u, enum fer_slot slot)
{
    size_t count = 0;
    fer_buf_add_char(b, '[');
    for (const fer_unit *c = u->first; c; c = c->next) {
        if (c->keyword != slot || !c->valid) continue;
        if (c->before && c->before->keyword == slot && c->before->value == c->value) continue;
        if (count++) fer_buf_add_char(b, ',');
        fer_buf_add_quoted(b, fer_val_str(c->value - 1));
    }
    fer_buf_add_char(b, ']');
}

/* contains: the items that fit; prefixItems: the last it looked at; all: true. Units stand in the
 * order of the items, so one walk over both finds the numbers. */
static void add_indexes(fer_buf *b, const fer_unit *u, enum fer_slot slot)
{
    size_t count = 0, index = 0;
    const fer_unit *last = NULL;
    const yyjson_val *item = u->value + 1;
    bool list = slot == KW_CONTAINS;
    if (list) fer_buf_add_char(b, '[');
    for (const fer_unit *c = u->first; c; c = c->next) {
        if (c->keyword != slot || !c->valid) continue;
        for (; item < c->value; index++) item = fer_val_next(item);
        if (list) fer_buf_printf(b, "%s%zu", count ? "," : "", index);
        last = c;
        count++;
    }
    if (list) {
        fer_buf_add_char(b, ']');
    } else if (last && !last->plain && count < fer_val_len(u->value)) {
        fer_buf_printf(b, "%zu", count - 1);
    } else {
        fer_buf_add_text(b, "true");
    }
}

static bool asked(const fer_unit *u, enum fer_slot slot)
{
    for (const fer_unit *c = u->first; c; c = c->next) {
        if (c->keyword == slot && c->valid) return true;
    }
    return false;
}

bool fer_unit_notes(fer_arena *a, const struct fer_schema *s, const fer_unit *u, fer_note *each,
                    void *context)
{
    const yyjson_val *schema = u->node->schema;
    const struct fer_rules *rules = fer_node_resource(s, u->node)->rules;
    if (!fer_is_obj(schema)) return true;
    bool hidden = rules->bit & (FER_IN_4 | FER_IN_6 | FER_IN_7) && fer_val_get(schema, "$ref");
    if (hidden) return true;
    FER_EACH_MEMBER (schema, key) {
        const fer_keyword *k = fer_keyword_find(rules, fer_val_str(key));
        fer_buf b;
        fer_buf_init(&b, a, NOTE_MAX);
        uint64_t slot = k ? FER_SLOT(k->slot) : 0;
        if (speaks(u, k)) {
            static const fer_notation plain;
            if (fer_write_add(a, &b, key + 1, &plain, NULL)) return false;
        } else if ((slot & on_names) && fer_is_obj(u->value)) {
            add_names(&b, u, k->slot);
        } else if ((slot & on_indexes) && fer_is_arr(u->value) && asked(u, k->slot)) {
            add_indexes(&b, u, k->slot);
        } else {
            continue;
        }
        if (b.failure || !each(context, u, fer_val_str(key), key + 1, fer_buf_view(&b))) {
            return false;
        }
    }
    return true;
}
