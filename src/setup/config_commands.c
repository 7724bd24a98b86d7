/* SPDX-License-Identifier: Apache-2.0 */
/* The section `commands`: each is held against all that a start would refuse it for, but for what
 * this machine has. */
#include "config_parts.h"
#include "errors.h"
#include "local_command.h"
#include "near.h"
#include "secret.h"

/* ---- the record ---------------------------------------------------------------------------- */

/* Whether the configuration's own schema has told of it: a member of the record that is not there.
 */
static bool is_told(const fer_finding *f)
{
    return f->rule->code == FER_REQUIRED_MISSING && !f->tool_pointer.len;
}

static void tell_finding(fer_configure *c, const yyjson_val *item, const fer_finding *f)
{
    const yyjson_val *at = f->tool_pointer.len ? fer_json_at(item, f->tool_pointer, NULL) : NULL;
    bool shown = f->tool_pointer.len > 0;
    FER_CONFIG_ERROR(c, at ? at : item, "%.*s: %.*s%s%.*s%s", FER_PRI(f->tool),
                     FER_PRI(fer_str_head(f->message, 400)), shown ? " (" : "",
                     FER_PRI(fer_str_head(f->tool_pointer, 200)), shown ? ")" : "");
}

/* A record must be one: its errors are the configuration's. */
static fer_str check_record(fer_configure *c, const yyjson_val *at, fer_str record)
{
    fer_toolset *set = fer_toolset_new();
    fer_err err = {0};
    size_t count = 0;
    fer_str id = FER_STR_NONE;
    fer_code code = set ? fer_toolset_add(set, FER_STR("commands"), record, FER_FORMAT_JSON, &err)
                        : FER_OUT_OF_MEMORY;
    if (code == FER_OUT_OF_MEMORY) c->failure = code;
    else if (code && fer_val_get(at, "name") && fer_val_get(at, "inputSchema"))
        FER_CONFIG_ERROR(c, at, "this is no tool: %.600s",
                         err.message); /* else the schema has told */
    const fer_finding *list = code ? NULL : fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count; i++)
        if (list[i].severity == FER_SEVERITY_ERROR && !is_told(&list[i]))
            tell_finding(c, at, &list[i]);
    if (!code && fer_toolset_count(set))
        id = fer_arena_copy(c->a, fer_tool_id(fer_toolset_get(set, 0)));
    fer_toolset_free(set);
    return id;
}

/* ---- places of arguments ------------------------------------------------------------------- */

static bool is_false(const yyjson_val *schema, const char *key)
{
    const yyjson_val *v = fer_val_get(schema, key);
    return v && fer_is_bool(v) && !fer_is_true(v);
}

/* The properties that a schema has, where it says so by itself; NULL: there may be others. */
static const yyjson_val *closed_properties(const yyjson_val *schema)
{
    static const char *const more[] = {
        "$ref", "$dynamicRef",       "allOf",           "anyOf", "oneOf", "if",
        "not",  "patternProperties", "dependentSchemas"};
    const yyjson_val *properties = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    if (!fer_is_obj(properties)) return NULL;
    for (size_t i = 0; i < FER_COUNT(more); i++)
        if (fer_val_get(schema, more[i])) return NULL;
    const yyjson_val *others = fer_val_get(schema, "additionalProperties");
    return !others || is_false(schema, "additionalProperties") ? properties : NULL;
}

/* The property that a place begins with: its name, or the first step of its pointer. */
static fer_str property_of(fer_configure *c, fer_str path)
{
    fer_buf b;
    if (path.ptr[0] != '/') return path;
    fer_buf_init(&b, c->a, SIZE_MAX / 4);
    for (size_t i = 1; i < path.len && path.ptr[i] != '/'; i++) {
        bool escaped = path.ptr[i] == '~' && i + 1 < path.len;
        if (escaped) i++;
        fer_buf_add_char(&b, !escaped ? path.ptr[i] : path.ptr[i] == '1' ? '/' : '~');
    }
    return fer_configure_done(c, &b);
}

static void check_place(fer_configure *c, const yyjson_val *schema, const yyjson_val *at,
                        const fer_argv_part *p)
{
    const yyjson_val *properties = closed_properties(schema);
    fer_str name = p->type && properties ? property_of(c, p->path) : FER_STR_NONE;
    fer_near near;
    if (!name.ptr || fer_val_key(properties, name)) return;
    fer_near_init(&near, name);
    FER_EACH_MEMBER (properties, key) fer_near_try(&near, fer_val_str(key));
    bool found = near.best.ptr != NULL;
    fer_configure_tell(c, FER_SEVERITY_WARNING, at, FER_STR_NONE,
                       "the inputSchema has no property \"%.*s\" for this place%s%.*s%s",
                       FER_PRI(fer_str_head(name, 100)), found ? "; did you mean \"" : "",
                       FER_PRI(fer_str_head(found ? near.best : FER_STR(""), 100)),
                       found ? "\"?" : "");
}

static void check_group(fer_configure *c, const yyjson_val *schema, const yyjson_val *at,
                        const fer_argv_group *g)
{
    const yyjson_val *item = fer_is_arr(at) ? at + 1 : at; /* a group has texts only */
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->items[i].count; k++)
            check_place(c, schema, &item[i], &g->items[i].parts[k]);
}

/* ---- how it is run ------------------------------------------------------------------------- */

static void tell_wrong(void *context, const yyjson_val *at, const fer_err *why)
{
    FER_CONFIG_ERROR((fer_configure *)context, at, "%.600s", why->message);
}

static void check_variables(fer_configure *c, const yyjson_val *run, const fer_local_command *made)
{
    const yyjson_val *env = fer_val_get(run, "env");
    const yyjson_val *set = fer_is_obj(env) ? fer_val_get(env, "set") : NULL;
    fer_err err = {0};
    for (size_t i = 0; i < made->set_count; i++) {
        const yyjson_val *key = fer_val_key(set, made->set[i].name);
        if (key && fer_secret_check(made->set[i].value, &err))
            FER_CONFIG_ERROR(c, key + 1, "%s", err.message);
    }
}

static void check_run(fer_configure *c, const yyjson_val *item, const yyjson_val *run)
{
    fer_local_command made;
    fer_err err = {0};
    const yyjson_val *schema = fer_val_get(item, "inputSchema"), *argv = fer_val_get(run, "argv");
    fer_str name = fer_configure_text(item, "name");
    if (fer_local_command_check(c->a, run, name.len ? name : FER_STR("?"), tell_wrong, c, &made,
                                &err)) {
        fer_configure_no_memory(c);
        return;
    }
    check_variables(c, run, &made);
    fer_configure_args(
        c, argv,
        FER_STR("Give it to the program by env: {set: {NAME: 'secretref:env:NAME'}}, "
                "where it takes it."));
    size_t at = 0;
    if (made.argv.count)
        FER_EACH_ITEM (argv, v) check_group(c, schema, v, &made.argv.groups[at++]);
    if (made.input == FER_INPUT_PLACE && made.input_place.path.len)
        check_place(c, schema, fer_val_get(run, "stdin"), &made.input_place);
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Where something was first under a key; NULL: this is it, or there is no memory. */
static const yyjson_val *first_of(fer_configure *c, fer_str key, const yyjson_val *item)
{
    void **slot = key.ptr ? fer_map_put(&c->commands, key) : NULL;
    if (!slot) fer_configure_no_memory(c);
    if (!slot || *slot) return slot ? *slot : NULL;
    *slot = (void *)(uintptr_t)item;
    return NULL;
}

/* Told once for each namespace. */
static void check_namespace(fer_configure *c, const yyjson_val *item, fer_str ns)
{
    const yyjson_val *other = fer_map_get(&c->namespaces, ns);
    if (first_of(c, ns, item) || c->failure) return;
    if (fer_configure_is_built_in(ns))
        FER_CONFIG_ERROR(c, item, "the namespace \"%.*s\" is that of built-in tools", FER_PRI(ns));
    else if (other)
        fer_configure_tell(c, FER_SEVERITY_WARNING, item, FER_STR_NONE,
                           "the namespace \"%.*s\" is also that of what is in line %u: of two "
                           "tools with one name only one is served",
                           FER_PRI(fer_str_head(ns, 100)), fer_json_place(c->doc, other).line);
}

/* Of two with one name only the later would be there, whatever their versions. */
static void claim(fer_configure *c, const yyjson_val *item, fer_str id)
{
    fer_id parts;
    if (fer_id_parse(id, &parts, NULL)) return;
    fer_str ns = parts.ns.len ? parts.ns : FER_CONFIG_NO_NAMESPACE;
    fer_str whole = fer_arena_printf(c->a, "%.*s:%.*s", FER_PRI(ns), FER_PRI(parts.name));
    const yyjson_val *first = first_of(c, whole, item);
    check_namespace(c, item, ns);
    if (!first) return;
    fer_place place = fer_json_place(c->doc, first);
    FER_CONFIG_ERROR(c, item, "the command \"%.*s\" is defined already, in line %u, column %u",
                     FER_PRI(fer_str_head(whole, 200)), place.line, place.column);
}

void fer_configure_commands(fer_configure *c, const yyjson_val *commands)
{
    size_t most = fer_is_arr(commands) ? fer_val_len(commands) : 0;
    fer_config_command *list = most ? fer_arena_alloc_zero(c->a, most, sizeof *list) : NULL;
    if (most && !list) fer_configure_no_memory(c);
    if (!list) return;
    c->out->commands = list;
    FER_EACH_ITEM (commands, item) {
        const yyjson_val *run = fer_is_obj(item) ? fer_val_get(item, "run") : NULL;
        if (!fer_is_obj(run)) continue; /* the schema has told */
        fer_config_command made = {.place = fer_json_place(c->doc, item)};
        made.record = fer_configure_json(c, item, "run");
        made.run = fer_configure_json(c, run, NULL);
        made.json = fer_configure_json(c, item, NULL);
        if (c->failure) return;
        made.id = check_record(c, item, made.record);
        check_run(c, item, run);
        if (made.id.ptr) claim(c, item, made.id);
        if (made.id.ptr) list[c->out->command_count++] = made;
        if (c->failure) return;
    }
}
