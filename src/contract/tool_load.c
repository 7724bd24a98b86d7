/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a load: take the values of the record by field -> add those under
 * _meta.ferrule -> check each against its row -> derive what others need (ID, tags,
 * effect, backends) -> check what no row can see alone.
 */
#include <string.h>

#include "errors.h"
#include "field_checks.h"
#include "json_number.h"
#include "json_value.h"
#include "map.h"
#include "near.h"
#include "schema_check.h"
#include "tool.h"
#include "unicode.h"

struct load {
    fer_arena *arena;
    fer_tool *tool;
    const fer_path *path; /* of the record */
    fer_drafts *drafts;
    fer_err *err;
};

/* A key that is unknown is only told of where it is nearly one that is missing. */
static void unknown_key(struct load *l, const yyjson_val *key, const fer_path *path,
                        enum fer_shape shape)
{
    fer_near near;
    fer_path here = FER_PATH_KEY(path, fer_val_str(key));
    const struct fer_shape_key *known = fer_shape_info(shape)->keys;
    fer_near_init(&near, fer_val_str(key));
    for (size_t i = 0; !known && i < FER_FIELD_COUNT; i++)
        fer_near_try(&near, fer_str_of(fer_fields[i].key));
    for (; known && known->key; known++) fer_near_try(&near, fer_str_of(known->key));
    if (!near.best.ptr || l->tool->values[fer_shape_field(shape, near.best)]) return;
    fer_drafts_add(l->drafts, FER_RULE_FIELD_UNKNOWN, key, &here, "\"%.*s\" is not a known field",
                   FER_PRI(fer_utf8_cut(fer_val_str(key), 100)));
    fer_drafts_hint(l->drafts, "did you mean \"%.*s\"?", FER_PRI(near.best));
}

/* Bedrock keeps the schema in an object of its own. */
static const yyjson_val *unwrap_schema(struct load *l, enum fer_field_id id,
                                       const yyjson_val *value)
{
    const char *inside = fer_shape_info(l->tool->shape)->schema_inside;
    if (id != FER_FIELD_INPUT_SCHEMA || !inside || !fer_is_obj(value)) return value;
    const yyjson_val *schema = fer_val_get(value, inside);
    if (!schema) {
        fer_path here = FER_PATH_KEY(l->path, FER_STR("inputSchema"));
        fer_drafts_add(l->drafts, FER_RULE_FIELD_REQUIRED, value, &here, "\"%s\" is missing",
                       inside);
    }
    return schema;
}

static void check_field(struct load *l, enum fer_field_id id, const yyjson_val *value,
                        const fer_path *path)
{
    size_t before = l->drafts->count;
    fer_field_check_value(l->drafts, &fer_fields[id], value, path);
    /* A value of the wrong type is as good as none for all that follows. */
    for (size_t i = before; i < l->drafts->count; i++) {
        const struct fer_draft *draft = &l->drafts->list[i];
        if (draft->at == value && draft->finding.rule->code == FER_INVALID_TYPE) return;
    }
    l->tool->values[id] = value;
}

static void take_fields(struct load *l)
{
    FER_EACH_MEMBER (l->tool->record, key) {
        enum fer_field_id id = fer_shape_field(l->tool->shape, fer_val_str(key));
        fer_path here = FER_PATH_KEY(l->path, fer_val_str(key));
        const char *inside = fer_shape_info(l->tool->shape)->schema_inside;
        if (id == FER_FIELD_COUNT) continue;
        if (l->tool->values[id]) {
            fer_drafts_add(l->drafts, FER_RULE_FIELD_CONFLICT, key, &here,
                           "%s was given before, under another key", fer_fields[id].key);
            continue;
        }
        const yyjson_val *value = unwrap_schema(l, id, key + 1);
        fer_path deeper = FER_PATH_KEY(&here, fer_str_of(inside));
        if (value) check_field(l, id, value, value == key + 1 ? &here : &deeper);
    }
    FER_EACH_MEMBER (l->tool->record, key) {
        bool known = fer_shape_field(l->tool->shape, fer_val_str(key)) != FER_FIELD_COUNT;
        if (!known) unknown_key(l, key, l->path, l->tool->shape);
    }
}

/* Contract fields that came over an MCP wire. */
static fer_code take_meta(struct load *l)
{
    const yyjson_val *meta = l->tool->values[FER_FIELD_META], *own = fer_val_get(meta, "ferrule");
    fer_path up = FER_PATH_KEY(l->path, FER_STR("_meta")),
             under = FER_PATH_KEY(&up, FER_STR("ferrule"));
    if (!own) return FER_OK;
    if (!fer_is_obj(own)) {
        fer_drafts_add(l->drafts, FER_RULE_FIELD_TYPE, own, &under,
                       "_meta.ferrule is an object, not %s", fer_val_type_name(own));
        return FER_OK;
    }
    FER_EACH_MEMBER (own, key) {
        const fer_field *field = fer_field_find(fer_val_str(key));
        fer_path here = FER_PATH_KEY(&under, fer_val_str(key));
        if (!field) {
            unknown_key(l, key, &under, FER_SHAPE_FERRULE);
            continue;
        }
        if (field->flags & FER_F_MCP) {
            fer_drafts_add(l->drafts, FER_RULE_FIELD_UNKNOWN, key, &here,
                           "%s is a field of MCP and stands in the record itself", field->key);
            continue;
        }
        const yyjson_val *other = l->tool->values[field - fer_fields];
        if (!other) {
            check_field(l, (enum fer_field_id)(field - fer_fields), key + 1, &here);
            continue;
        }
        bool equal;
        fer_code code = fer_json_equal(l->arena, other, key + 1, &equal, l->err);
        if (code) return code;
        if (!equal) {
            fer_drafts_add(l->drafts, FER_RULE_FIELD_CONFLICT, key, &here,
                           "%s stands in the record too, with another value", field->key);
        }
    }
    return FER_OK;
}

static void check_required(struct load *l)
{
    for (size_t i = 0; i < FER_FIELD_COUNT; i++) {
        if (!(fer_fields[i].flags & FER_F_REQUIRED) || l->tool->values[i]) continue;
        bool there = false; /* of the wrong type, which is reported already */
        const char *as = fer_fields[i].key;
        FER_EACH_MEMBER (l->tool->record, key) {
            there =
                there || fer_shape_field(l->tool->shape, fer_val_str(key)) == (enum fer_field_id)i;
        }
        if (there) continue;
        for (const struct fer_shape_key *k = fer_shape_info(l->tool->shape)->keys; k && k->key;
             k++) {
            if (k->field == (enum fer_field_id)i) {
                as = k->key;
                break;
            }
        }
        /* OpenAI and Gemini take a function without parameters as one that has none. */
        bool optional = i == FER_FIELD_INPUT_SCHEMA && strcmp(as, "parameters") == 0;
        fer_drafts_add(l->drafts, optional ? FER_RULE_SCHEMA_ROOT_MISSING : FER_RULE_FIELD_REQUIRED,
                       l->tool->record, l->path, "\"%s\" is missing", as);
        if (i == FER_FIELD_INPUT_SCHEMA) {
            fer_drafts_hint(
                l->drafts,
                "for a tool without parameters: \"%s\": {\"type\": \"object\", \"additionalProperties\": false}",
                as);
        }
    }
}

/* ---- derived values ------------------------------------------------------------------------- */

static fer_str text_of(const fer_tool *t, enum fer_field_id id)
{
    return t->values[id] ? fer_val_str(t->values[id]) : FER_STR("");
}

static fer_code derive_id(struct load *l)
{
    fer_tool *t = l->tool;
    fer_semver version;
    fer_str text = text_of(t, FER_FIELD_VERSION);
    if (text.len && fer_semver_parse(text, &version, NULL) == FER_OK) {
        t->version = text.ptr[0] == 'v' ? fer_str_slice(text, 1, text.len) : text;
    } else {
        t->version = FER_STR("");
    }
    fer_id id = {text_of(t, FER_FIELD_NAMESPACE), text_of(t, FER_FIELD_NAME), t->version};
    return fer_id_write(l->arena, &id, &t->id, l->err);
}

static fer_code derive_tags(struct load *l)
{
    const yyjson_val *list = l->tool->values[FER_FIELD_TAGS];
    if (!list) return FER_OK;
    size_t count = 0;
    fer_str *raw = fer_arena_alloc_zero(l->arena, fer_val_len(list), sizeof *raw);
    if (!raw) return fer_arena_failed(l->arena, l->err);
    FER_EACH_ITEM (list, tag) {
        if (fer_is_str(tag)) raw[count++] = fer_val_str(tag);
    }
    return fer_tags_normalise(l->arena, raw, count, &l->tool->tags, &l->tool->tag_count, l->err);
}

static fer_code derive_backends(struct load *l)
{
    fer_tool *t = l->tool;
    const yyjson_val *value = t->values[FER_FIELD_BACKEND];
    if (!value) return FER_OK;
    size_t max = fer_is_arr(value) ? fer_val_len(value) : 1;
    t->backends = fer_arena_alloc_zero(l->arena, max, sizeof *t->backends);
    if (!t->backends) return fer_arena_failed(l->arena, l->err);
    if (fer_is_obj(value)) {
        t->backend_count = fer_backend_read(value, t->backends, NULL, NULL);
        return FER_OK;
    }
    FER_EACH_ITEM (value, item) {
        if (fer_is_obj(item))
            t->backend_count += fer_backend_read(item, &t->backends[t->backend_count], NULL, NULL);
    }
    return FER_OK;
}

static const char *const effect_names[] = {"Pure", "IdempotentWrite", "NonIdempotentWrite",
                                           "ExternalSideEffects"};
static const char *const idempotency_names[] = {"none", "optional", "required"};

const char *fer_effect_name(fer_effect effect)
{
    return effect_names[effect];
}

const char *fer_idempotency_name(fer_idempotency idempotency)
{
    return idempotency_names[idempotency];
}

/* The place of a text in a list of names, or `otherwise`. */
static size_t name_index(fer_str s, const char *const *names, size_t count, size_t otherwise)
{
    for (size_t i = 0; i < count; i++) {
        if (fer_str_is(s, names[i])) return i;
    }
    return otherwise;
}

/* SPEC 6: readOnlyHint -> Pure, idempotentHint -> IdempotentWrite, else NonIdempotentWrite. */
static void derive_effect(fer_tool *t)
{
    const yyjson_val *hints = t->values[FER_FIELD_ANNOTATIONS];
    size_t derived = fer_is_true(fer_val_get(hints, "readOnlyHint")) ? FER_EFFECT_PURE
                     : fer_is_true(fer_val_get(hints, "idempotentHint"))
                         ? FER_EFFECT_IDEMPOTENT_WRITE
                         : FER_EFFECT_NON_IDEMPOTENT_WRITE;
    t->effect = (fer_effect)name_index(text_of(t, FER_FIELD_EFFECT), effect_names, 4, derived);
}

/*
 * A key is demanded where somebody said so: the record, or an effect that was
 * declared. An effect read off the annotations is a guess and demands nothing.
 */
static void derive_idempotency(fer_tool *t)
{
    const yyjson_val *demanded = fer_val_get(t->values[FER_FIELD_REQUIRES], "idempotencyKey");
    bool declared_write =
        fer_str_is(text_of(t, FER_FIELD_EFFECT), effect_names[FER_EFFECT_IDEMPOTENT_WRITE]);
    size_t otherwise =
        fer_is_true(demanded) || declared_write ? FER_IDEMPOTENCY_REQUIRED : FER_IDEMPOTENCY_NONE;
    t->idempotency = (fer_idempotency)name_index(text_of(t, FER_FIELD_IDEMPOTENCY),
                                                 idempotency_names, 3, otherwise);
}

/* ---- what no row sees alone ---------------------------------------------------------------------
 */

static void check_version_used(struct load *l)
{
    const yyjson_val *version = l->tool->values[FER_FIELD_VERSION];
    if (!version || l->tool->values[FER_FIELD_NAMESPACE]) return;
    fer_path here = FER_PATH_KEY(l->path, FER_STR("version"));
    fer_drafts_add(l->drafts, FER_RULE_VERSION_UNUSED, version, &here,
                   "a version without a namespace is no part of the tool's ID");
}

static void check_effect(struct load *l)
{
    const fer_tool *t = l->tool;
    const yyjson_val *effect = t->values[FER_FIELD_EFFECT],
                     *hints = t->values[FER_FIELD_ANNOTATIONS];
    const yyjson_val *read_only = fer_val_get(hints, "readOnlyHint");
    fer_path here = FER_PATH_KEY(l->path, FER_STR("effect"));
    if (!effect) return;
    if (fer_is_bool(read_only) && fer_is_true(read_only) != (t->effect == FER_EFFECT_PURE)) {
        fer_drafts_add(l->drafts, FER_RULE_EFFECT_ANNOTATIONS, effect, &here,
                       "the effect is %s, but readOnlyHint is %s", fer_effect_name(t->effect),
                       fer_is_true(read_only) ? "true" : "false");
    } else if (t->effect == FER_EFFECT_PURE && fer_is_true(fer_val_get(hints, "destructiveHint"))) {
        fer_drafts_add(l->drafts, FER_RULE_EFFECT_ANNOTATIONS, effect, &here,
                       "the effect is Pure, but destructiveHint is true");
    }
}

static void check_idempotency(struct load *l)
{
    const fer_tool *t = l->tool;
    const yyjson_val *said = t->values[FER_FIELD_IDEMPOTENCY];
    const yyjson_val *demanded = fer_val_get(t->values[FER_FIELD_REQUIRES], "idempotencyKey");
    const yyjson_val *at = said ? said : demanded;
    fer_path top = FER_PATH_KEY(l->path, FER_STR("idempotency")),
             up = FER_PATH_KEY(l->path, FER_STR("requires"));
    fer_path under = FER_PATH_KEY(&up, FER_STR("idempotencyKey"));
    if (said && fer_is_bool(demanded) &&
        fer_is_true(demanded) != (t->idempotency == FER_IDEMPOTENCY_REQUIRED)) {
        fer_drafts_add(l->drafts, FER_RULE_FIELD_CONFLICT, demanded, &under,
                       "requires.idempotencyKey is %s, but idempotency is \"%s\"",
                       fer_is_true(demanded) ? "true" : "false",
                       fer_idempotency_name(t->idempotency));
    }
    if (at && t->effect == FER_EFFECT_PURE && t->idempotency == FER_IDEMPOTENCY_REQUIRED) {
        fer_drafts_add(l->drafts, FER_RULE_IDEMPOTENCY_PURE, at, said ? &top : &under,
                       "the tool is Pure, yet a call needs an idempotency key");
    }
}

static void check_cache(struct load *l)
{
    const yyjson_val *cache = l->tool->values[FER_FIELD_CACHE];
    uint64_t ttl;
    fer_path here = FER_PATH_KEY(l->path, FER_STR("cache"));
    const yyjson_val *value = fer_val_get(cache, "ttlMs");
    bool never = fer_is_num(value) && fer_number_u64(value, &ttl) && ttl == 0;
    if (!cache || never || l->tool->effect == FER_EFFECT_PURE) return;
    fer_drafts_add(l->drafts, FER_RULE_CACHE_PURE, cache, &here,
                   "results of a tool that is %s are never reused",
                   fer_effect_name(l->tool->effect));
}

/* The declared schemes by name. */
static bool gather_schemes(struct load *l, fer_map *schemes)
{
    const yyjson_val *object = l->tool->values[FER_FIELD_SECURITY_SCHEMES];
    fer_map_init(schemes, l->arena);
    if (!object) return true;
    FER_EACH_MEMBER (object, key) {
        void **slot = fer_map_put(schemes, fer_val_str(key));
        if (!slot) return false;
        *slot = l->tool;
    }
    return true;
}

static void check_security(struct load *l)
{
    const yyjson_val *list = l->tool->values[FER_FIELD_SECURITY_REQUIREMENTS];
    fer_map schemes;
    size_t index = 0;
    if (!list) return;
    if (!gather_schemes(l, &schemes)) {
        l->drafts->no_memory = true;
        return;
    }
    fer_path up = FER_PATH_KEY(l->path, FER_STR("securityRequirements"));
    FER_EACH_ITEM (list, requirement) {
        fer_path item = FER_PATH_INDEX(&up, index++);
        if (!fer_is_obj(requirement)) continue;
        FER_EACH_MEMBER (requirement, key) {
            if (fer_map_get(&schemes, fer_val_str(key))) continue;
            fer_path here = FER_PATH_KEY(&item, fer_val_str(key));
            fer_drafts_add(l->drafts, FER_RULE_SECURITY_SCHEME, key, &here,
                           "no security scheme \"%.*s\" is declared",
                           FER_PRI(fer_utf8_cut(fer_val_str(key), 100)));
        }
    }
}

static fer_code derive(struct load *l)
{
    fer_code code = derive_id(l);
    if (!code) code = derive_tags(l);
    if (!code) code = derive_backends(l);
    derive_effect(l->tool);
    derive_idempotency(l->tool);
    return code;
}

fer_code fer_tool_load(fer_arena *a, enum fer_shape shape, const yyjson_val *entry,
                       const yyjson_val *record, const fer_path *path, fer_drafts *drafts,
                       fer_tool *out, fer_err *err)
{
    *out = (fer_tool){.entry = entry, .record = record, .shape = shape};
    struct load l = {a, out, path, drafts, err};
    drafts->upper_types = shape == FER_SHAPE_GEMINI || shape == FER_SHAPE_FUNCTION;
    take_fields(&l);
    fer_code code = take_meta(&l);
    if (!code) code = derive(&l);
    if (code) return code;
    check_required(&l);
    check_version_used(&l);
    check_effect(&l);
    check_idempotency(&l);
    check_cache(&l);
    check_security(&l);
    fer_check_schemas(drafts, out, path);
    return drafts->no_memory ? fer_arena_failed(drafts->arena, err) : FER_OK;
}
