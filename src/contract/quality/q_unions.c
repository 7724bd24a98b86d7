/* SPDX-License-Identifier: Apache-2.0 */
/* Null, and alternatives that are objects. */
#include "quality.h"

#include "json_value.h"
#include "unicode.h"

/* ---- null -------------------------------------------------------------------------------------
 */

static void check_null(fer_quality *q, const fer_qnode *n)
{
    if (!n->param || !(n->types & FER_IS_NULL) || n->types == FER_IS_NULL) return;
    if (n->prose.subjects & (FER_ABOUT_NULL | FER_ABOUT_DEFAULT)) return;
    fer_q_node(q, n, FER_Q_NULL_MEANING, KW_COUNT,
               "\"%.*s\" may be null, and nothing says what that means",
               FER_PRI(fer_utf8_cut(n->name, 100)));
}

/* ---- alternatives ------------------------------------------------------------------------------
 */

static bool is_fixed(const yyjson_val *schema)
{
    const yyjson_val *set = fer_is_obj(schema) ? fer_val_get(schema, "enum") : NULL;
    return (fer_is_obj(schema) && fer_val_get(schema, "const")) ||
           (fer_is_arr(set) && fer_val_len(set));
}

static const yyjson_val *property(const yyjson_val *branch, fer_str name)
{
    const yyjson_val *map = fer_val_get(branch, "properties");
    const yyjson_val *key = fer_is_obj(map) ? fer_val_key(map, name) : NULL;
    return key ? key + 1 : NULL;
}

static bool is_required(const yyjson_val *branch, fer_str name)
{
    const yyjson_val *list = fer_val_get(branch, "required");
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (list, item) {
        if (fer_is_str(item) && fer_str_eq(fer_val_str(item), name)) return true;
    }
    return false;
}

/* Alternatives of which nothing is known here, or that only add demands, are passed by. */
static bool is_object(const yyjson_val *branch)
{
    return fer_is_obj(branch) && fer_is_obj(fer_val_get(branch, "properties")) &&
           fer_val_len(fer_val_get(branch, "properties"));
}

/* Whether a property of the first object is fixed and required in all of them. */
static bool has_tag(const yyjson_val *list, const yyjson_val *first)
{
    FER_EACH_MEMBER (fer_val_get(first, "properties"), key) {
        fer_str name = fer_val_str(key);
        bool all = is_fixed(key + 1) && is_required(first, name);
        for (const yyjson_val *b = list + 1; all && b < fer_val_next(list); b = fer_val_next(b)) {
            if (is_object(b)) all = is_fixed(property(b, name)) && is_required(b, name);
        }
        if (all) return true;
    }
    return false;
}

static void check_union(fer_quality *q, const fer_qnode *n, enum fer_slot slot)
{
    const yyjson_val *list = fer_q_get(n, slot), *first = NULL;
    size_t objects = 0;
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, branch) {
        if (!is_object(branch)) continue;
        objects++;
        if (!first) first = branch;
    }
    if (objects < 2 || has_tag(list, first)) return;
    fer_q_node(q, n, FER_Q_UNION_NO_DISCRIMINATOR, slot,
               "no constant tells the %zu alternatives apart", objects);
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    check_null(q, n);
    if (fer_q_any(n, FER_SLOT(KW_ANY_OF))) check_union(q, n, KW_ANY_OF);
    if (fer_q_any(n, FER_SLOT(KW_ONE_OF))) check_union(q, n, KW_ONE_OF);
}

const fer_quality_family fer_quality_unions = {.node = look_at_node};
