/* SPDX-License-Identifier: Apache-2.0 */
#include "ready.h"

#include "errors.h"
#include "json_value.h"
#include "key_policy.h"
#include "own_id.h"
#include "sys.h"

/* ---- making one ------------------------------------------------------------------------------ */

void fer_ready_unref(fer_ready *r)
{
    if (!r || --r->refs) return;
    fer_schema_unref(r->input);
    fer_schema_unref(r->output);
    fer_toolset_free(r->set);
    if (r->entry) fer_value_unref(&r->entry->value);
    fer_rulebook_unref(r->rulebook);
    fer_arena_free(r->arena);
}

/* The path without the root that it is limited to: where it may be, it is hidden. */
static fer_str rootless(fer_str path)
{
    for (size_t i = 0; i < FER_ROOT_COUNT; i++) {
        size_t len = strlen(fer_redact_roots[i]);
        if (path.len > len && path.ptr[len] == ':' &&
            fer_str_is(fer_str_head(path, len), fer_redact_roots[i]))
            return fer_str_slice(path, len + 1, path.len);
    }
    return path;
}

/*
 * Messages of validation name types, never values (5.13), but for what the operator calls public;
 * what is redacted is never public. The built-in names are those of the rules, at any depth.
 */
static fer_code settle_saying(fer_ready *r, const fer_str *paths, size_t count, fer_err *err)
{
    r->saying = (fer_validate_options){
        .hide_values = true, .show = r->policy.shown.list, .show_count = r->policy.shown.count};
    if (!r->policy.shown.count) return FER_OK; /* nothing is shown anyway */
    fer_str *hidden = fer_arena_alloc(r->arena, (count + fer_redact_name_count) * sizeof *hidden);
    if (!hidden) return fer_arena_failed(r->arena, err);
    for (size_t i = 0; i < count; i++) hidden[i] = rootless(paths[i]);
    for (size_t i = 0; i < fer_redact_name_count; i++) {
        hidden[count + i] = fer_arena_printf(r->arena, "**.%s", fer_redact_names[i]);
        if (!hidden[count + i].ptr) return fer_arena_failed(r->arena, err);
    }
    r->saying.redact = hidden;
    r->saying.redact_count = count + fer_redact_name_count;
    return FER_OK;
}

/* Its paths, the operator's for it, and those for all. */
static fer_code compile_rules(fer_ready *r, const fer_policy_common *all, fer_err *err)
{
    const yyjson_val *own = fer_tool_field(r->tool, "redact");
    size_t most =
        r->policy.redact.count + all->redact.count + (fer_is_arr(own) ? fer_val_len(own) : 0);
    fer_str *paths = fer_arena_alloc(r->arena, (most + 1) * sizeof *paths);
    size_t count = 0;
    fer_redact_rules *rules;
    if (!paths) return fer_arena_failed(r->arena, err);
    for (size_t i = 0; i < all->redact.count; i++) paths[count++] = all->redact.list[i];
    for (size_t i = 0; i < r->policy.redact.count; i++) paths[count++] = r->policy.redact.list[i];
    if (fer_is_arr(own)) {
        FER_EACH_ITEM (own, item)
            if (fer_is_str(item)) paths[count++] = fer_val_str(item);
    }
    fer_code code = fer_redact_compile(r->arena, paths, count, true, all->redact_except.list,
                                       all->redact_except.count, &rules, err);
    if (code) return code;
    r->rules = rules;
    return settle_saying(r, paths, count, err);
}

static unsigned major_of(fer_str version)
{
    unsigned n = 0;
    size_t at = version.len && version.ptr[0] == 'v';
    for (; at < version.len && fer_is_digit(version.ptr[at]) && n < 100000000; at++)
        n = n * 10 + (unsigned)(version.ptr[at] - '0');
    return n;
}

/* An operator who calls it an IdempotentWrite asks for a key, as a record that does; whoever has
 * said something about keys is heard before. */
static fer_idempotency idempotency_of(const fer_ready *r)
{
    fer_idempotency said = fer_tool_idempotency(r->tool);
    bool declared = r->policy.has_effect && r->policy.effect == FER_EFFECT_IDEMPOTENT_WRITE;
    if (r->policy.has_idempotency) return r->policy.idempotency;
    return said == FER_IDEMPOTENCY_NONE && declared ? FER_IDEMPOTENCY_REQUIRED : said;
}

/* What the record and the operator say of it. */
static fer_code look_up(fer_ready *r, fer_err *err)
{
    const fer_policy_set *policies = r->rulebook->set;
    fer_effect_read(r->tool, &r->said);
    fer_policy_tool(policies, r->base, fer_tool_field(r->tool, "policies"),
                    fer_tool_field(r->tool, "cache"), r->arena, &r->policy);
    r->said.has_operator = r->policy.has_effect;
    r->said.by_operator = r->policy.effect;
    r->idempotency = idempotency_of(r);
    fer_code code = fer_tool_definition_hash(r->arena, r->tool, r->hash, err);
    return code ? code : compile_rules(r, fer_policy_common_of(policies), err);
}

static fer_code compile(const fer_tool *t, const char *field, fer_schema **out, fer_err *err)
{
    const yyjson_val *schema = fer_tool_field(t, field);
    if (!schema) return FER_OK;
    return fer_schema_compile_value(NULL, schema, NULL, out, err);
}

static fer_code fill(fer_ready *r, const fer_body *b, fer_err *err)
{
    fer_code code =
        fer_toolset_add(r->set, FER_STR("catalogue"), r->definition, FER_FORMAT_JSON, err);
    if (code) return code;
    if (fer_toolset_count(r->set) != 1)
        return fer_fail(err, FER_INVALID_TOOL, "the definition of %.*s is not one tool",
                        FER_PRI(r->id));
    r->tool = fer_toolset_get(r->set, 0);
    r->scopes = fer_tool_field(r->tool, "requiredScopes");
    code = compile(r->tool, "inputSchema", &r->input, err);
    if (!code && !r->input) code = fer_fail(err, FER_INVALID_SCHEMA, "the tool has no inputSchema");
    if (!code) code = compile(r->tool, "outputSchema", &r->output, err);
    if (!code) code = fer_body_backends(r->arena, b, &r->backends, &r->backend_count, err);
    return code ? code : look_up(r, err);
}

static fer_code make(fer_entry *e, fer_rulebook *rulebook, fer_ready **out, fer_err *err)
{
    const fer_body *b;
    fer_code code = fer_entry_body(e, &b, err);
    if (code) return code;
    fer_arena *a = fer_arena_new(0);
    fer_ready *r = a ? fer_arena_alloc_zero(a, 1, sizeof *r) : NULL;
    if (!r) {
        fer_arena_free(a);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    *r = (fer_ready){.refs = 1,
                     .arena = a,
                     .entry = e,
                     .set = fer_toolset_new(),
                     .rulebook = fer_rulebook_ref(rulebook),
                     .name = fer_body_text(b, FER_TEXT_NAME),
                     .version = fer_body_text(b, FER_TEXT_VERSION),
                     .definition = fer_body_text(b, FER_TEXT_DEFINITION)};
    fer_value_ref(&e->value);
    code = fer_body_shown_id(a, b, &r->id, err);
    if (!code) r->base = fer_key_tool(r->id, r->version);
    r->major = major_of(r->version);
    if (!code) code = r->set ? fill(r, b, err) : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) fer_ready_unref(r);
    else *out = r;
    return code;
}

/* ---- keeping them ---------------------------------------------------------------------------- */

bool fer_readies_init(fer_readies *r)
{
    r->arena = fer_arena_new(0);
    if (!r->arena) return false;
    fer_map_init(&r->map, r->arena);
    return true;
}

static void forget_all(fer_readies *r)
{
    for (size_t i = 0; i < r->map.cap; i++)
        if (r->map.entries[i].key.ptr) fer_ready_unref(r->map.entries[i].value);
    fer_arena_reset(r->arena);
    fer_map_init(&r->map, r->arena);
}

void fer_readies_change(fer_readies *r, fer_rulebook *rulebook)
{
    forget_all(r);
    r->rulebook = rulebook;
}

void fer_readies_deinit(fer_readies *r)
{
    if (!r->arena) return;
    forget_all(r);
    fer_arena_free(r->arena);
}

/* Keeps it, in place of an older definition of the same ID. Without memory it is not kept. */
static void keep(fer_readies *r, fer_ready *made)
{
    if (r->map.count >= FER_READY_MAX) forget_all(r);
    fer_str id = made->entry->value.key;
    fer_ready *old = fer_map_get(&r->map, id);
    fer_str key = old ? id : fer_arena_copy(r->arena, id); /* an old key stays */
    void **slot = key.ptr ? fer_map_put(&r->map, key) : NULL;
    if (!slot) return;
    fer_ready_unref(old);
    made->refs++;
    *slot = made;
}

fer_code fer_ready_get(fer_readies *r, const fer_view *v, fer_str id, fer_str constraint,
                       fer_ready **out, fer_err *err)
{
    fer_entry *e = NULL;
    fer_code code = fer_view_find(v, id, constraint, &e, err);
    return code ? code : fer_ready_of(r, e, out, err);
}

fer_code fer_ready_of(fer_readies *r, fer_entry *e, fer_ready **out, fer_err *err)
{
    fer_ready *known = fer_map_get(&r->map, e->value.key);
    if (known && known->entry == e) {
        known->refs++;
        *out = known;
        return FER_OK;
    }
    fer_ready *made = NULL;
    fer_code code = make(e, r->rulebook, &made, err);
    if (code) return code;
    assert(made); /* or there was a failure */
    keep(r, made);
    *out = made;
    return FER_OK;
}
