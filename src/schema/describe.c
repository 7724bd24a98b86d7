/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a schema says of its parameters: for each place the facets that hold there, and from
 * them types, default and so on, and the parameters in it. Past a limit the rest is left out.
 */
#include "buf.h"
#include "errors.h"
#include "facets.h"
#include "json_pointer.h"
#include "json_write.h"
#include "map.h"

#define PARAMETERS_MAX 1000 /* of one schema */
#define NAME_MAX_LEN   ((size_t)64 << 10)
#define TEXT_STEP      64 /* bytes of JSON that cost a step */

/* The schemas that one property (or item) has at its place. */
struct part {
    fer_str name; /* ptr NULL: an item */
    size_t index; /* of an item; SIZE_MAX: of all that have no other */
    const yyjson_val **schemas;
    size_t count, cap;
    bool required;
};

struct parts {
    struct part *list;
    size_t count, cap;
    fer_map by_name; /* number of the part, plus one */
};

/* A place that is being described, and those around it. */
struct level {
    const struct level *up;
    const fer_facets *facets;
    fer_str name;
    size_t depth;
};

struct describing {
    fer_looking look;
    fer_parameter *list;
    size_t count, cap;
};

/* ---- one parameter ------------------------------------------------------- */

static const yyjson_val *first_of(const struct describing *d, const fer_facets *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++) {
        const yyjson_val *value = fer_look_keyword(&d->look, f->list[i].schema, name);
        if (value) return value;
    }
    return NULL;
}

static fer_str first_text(const struct describing *d, const fer_facets *f, const char *name)
{
    const yyjson_val *value = first_of(d, f, name);
    return fer_is_str(value) ? fer_val_str(value) : FER_STR("");
}

/* Values that are being listed. */
struct listing {
    fer_buf text;
    bool first;
    bool null_there;
    bool cut; /* there is more than may be told */
};

static void list_value(struct describing *d, struct listing *l, const yyjson_val *value)
{
    size_t before = l->text.len;
    if (!l->first) fer_buf_add_char(&l->text, ',');
    l->first = false;
    l->null_there = l->null_there || fer_val_is(value, YYJSON_TYPE_NULL);
    if (fer_write_add(d->look.arena, &l->text, value, &(fer_notation){0}, NULL)) {
        fer_look_no_memory(&d->look);
    }
    l->cut = l->cut || !fer_look_spend(&d->look, 1 + (l->text.len - before) / TEXT_STEP);
}

static void list_null(struct describing *d, struct listing *l)
{
    static const yyjson_val null = {.tag = YYJSON_TYPE_NULL};
    if (!l->null_there) list_value(d, l, &null);
}

/* The values that a schema lists; false: it lists none. */
static bool list_own(struct describing *d, struct listing *l, const yyjson_val *schema)
{
    const yyjson_val *list = fer_look_keyword(&d->look, schema, "enum");
    const yyjson_val *constant = fer_look_keyword(&d->look, schema, "const");
    if (constant) {
        list_value(d, l, constant);
    } else if (fer_is_arr(list)) {
        FER_EACH_ITEM (list, value) {
            if (l->cut) break;
            list_value(d, l, value);
        }
    }
    return constant || list;
}

/* The same where all branches of an anyOf or oneOf list some. */
static bool list_branches(struct describing *d, struct listing *l, const yyjson_val *branches)
{
    if (!fer_is_arr(branches)) return false;
    FER_EACH_ITEM (branches, branch) {
        if (l->cut) break;
        if (fer_look_only_null(&d->look, branch)) list_null(d, l);
        else if (!list_own(d, l, branch)) return false;
    }
    return true;
}

/* The values that are left, where a facet says so. */
static fer_str allowed_values(struct describing *d, const fer_facets *f)
{
    static const char *const branches[] = {"anyOf", "oneOf"};
    for (size_t i = 0; i < f->count; i++) {
        const yyjson_val *schema = f->list[i].schema;
        bool listed = false;
        struct listing l;
        for (size_t way = 0; way < 3 && !listed; way++) {
            l = (struct listing){.first = true};
            fer_buf_init(&l.text, d->look.arena, fer_schema_limits_file()->size);
            fer_buf_add_char(&l.text, '[');
            if (way == 0) listed = list_own(d, &l, schema);
            else
                listed =
                    list_branches(d, &l, fer_look_keyword(&d->look, schema, branches[way - 1]));
        }
        if (!listed) continue;
        if (f->list[i].or_null) list_null(d, &l);
        fer_buf_add_char(&l.text, ']');
        if (l.text.failure) fer_look_no_memory(&d->look);
        return l.cut ? FER_STR("") : fer_buf_view(&l.text);
    }
    return FER_STR("");
}

static fer_str default_value(struct describing *d, const fer_facets *f)
{
    fer_str text;
    const yyjson_val *value = first_of(d, f, "default");
    if (!value) return FER_STR("");
    if (fer_json_write(d->look.arena, value, false, &text, NULL)) {
        fer_look_no_memory(&d->look);
        return FER_STR("");
    }
    return fer_look_spend(&d->look, text.len / TEXT_STEP) ? text : FER_STR("");
}

static bool set_types(struct describing *d, const fer_facets *f, fer_parameter *p)
{
    fer_str *names = fer_arena_alloc_zero(d->look.arena, FER_TYPES, sizeof *names);
    if (!names) return fer_look_no_memory(&d->look);
    p->type_count = fer_facets_types(&d->look, f, names);
    p->types = names;
    return true;
}

static bool add_parameter(struct describing *d, const struct level *at, bool required)
{
    fer_parameter *list = fer_arena_room(d->look.arena, d->list, d->count, &d->cap, sizeof *list);
    if (!list) return fer_look_no_memory(&d->look);
    d->list = list;
    fer_parameter *p = &list[d->count++];
    *p = (fer_parameter){.name = at->name,
                         .depth = at->depth,
                         .required = required,
                         .default_json = default_value(d, at->facets),
                         .description = first_text(d, at->facets, "description"),
                         .format = first_text(d, at->facets, "format"),
                         .enum_json = allowed_values(d, at->facets)};
    return set_types(d, at->facets, p) && !d->look.no_memory;
}

/* ---- what is in it ------------------------------------------------------- */

static struct part *new_part(struct describing *d, struct parts *parts)
{
    struct part *list =
        fer_arena_room(d->look.arena, parts->list, parts->count, &parts->cap, sizeof *list);
    if (!list) {
        fer_look_no_memory(&d->look);
        return NULL;
    }
    parts->list = list;
    list[parts->count] = (struct part){0};
    return &list[parts->count++];
}

static struct part *named_part(struct describing *d, struct parts *parts, fer_str name)
{
    void **place = fer_map_put(&parts->by_name, name);
    if (!place) {
        fer_look_no_memory(&d->look);
        return NULL;
    }
    if (*place) return &parts->list[(uintptr_t)*place - 1];
    struct part *part = new_part(d, parts);
    if (!part) return NULL;
    part->name = name;
    *place = (void *)(uintptr_t)parts->count;
    return part;
}

static bool add_schema(struct describing *d, struct part *part, const yyjson_val *schema)
{
    if (!part) return false;
    const yyjson_val **list =
        fer_arena_room(d->look.arena, part->schemas, part->count, &part->cap, sizeof *list);
    if (!list) return fer_look_no_memory(&d->look);
    part->schemas = list;
    list[part->count++] = schema;
    return true;
}

/* Past the limits the rest is left out, which is no failure. */
static bool goes_on(struct describing *d, const struct parts *parts)
{
    return parts->count < PARAMETERS_MAX && fer_look_spend(&d->look, 1);
}

static bool add_properties(struct describing *d, const fer_facets *f, struct parts *parts)
{
    for (size_t i = 0; i < f->count; i++) {
        const yyjson_val *properties = fer_look_keyword(&d->look, f->list[i].schema, "properties");
        if (!fer_is_obj(properties)) continue;
        FER_EACH_MEMBER (properties, key) {
            if (!goes_on(d, parts)) return true;
            if (!add_schema(d, named_part(d, parts, fer_val_str(key)), key + 1)) return false;
        }
    }
    for (size_t i = 0; i < f->count; i++) {
        const yyjson_val *required = fer_look_keyword(&d->look, f->list[i].schema, "required");
        if (!fer_is_arr(required)) continue;
        FER_EACH_ITEM (required, name) {
            if (!goes_on(d, parts)) return true;
            struct part *part = named_part(d, parts, fer_val_str(name));
            if (!part) return false;
            part->required = true;
        }
    }
    return true;
}

static bool add_item(struct describing *d, struct parts *parts, size_t index,
                     const yyjson_val *schema)
{
    for (size_t i = 0; i < parts->count; i++) {
        struct part *part = &parts->list[i];
        if (!part->name.ptr && part->index == index) return add_schema(d, part, schema);
    }
    struct part *part = new_part(d, parts);
    if (!part) return false;
    part->index = index;
    return add_schema(d, part, schema);
}

static bool add_items(struct describing *d, const fer_facets *f, struct parts *parts)
{
    for (size_t i = 0; i < f->count; i++) {
        const yyjson_val *schema = f->list[i].schema;
        const yyjson_val *rest = fer_look_keyword(&d->look, schema, "items");
        const yyjson_val *prefix = fer_look_keyword(&d->look, schema, "prefixItems");
        size_t index = 0;
        if (fer_is_arr(rest)) {
            prefix = rest;
            rest = fer_look_keyword(&d->look, schema, "additionalItems");
        }
        if (fer_is_arr(prefix)) {
            FER_EACH_ITEM (prefix, item) {
                if (!goes_on(d, parts)) return true;
                if (!add_item(d, parts, index++, item)) return false;
            }
        }
        if (fer_is_obj(rest) && !add_item(d, parts, SIZE_MAX, rest)) return false;
    }
    return true;
}

/* ---- all of it ----------------------------------------------------------- */

static bool has_parts(const struct describing *d, const yyjson_val *schema)
{
    return fer_look_keyword(&d->look, schema, "properties") ||
           fer_look_keyword(&d->look, schema, "items") ||
           fer_look_keyword(&d->look, schema, "prefixItems");
}

/* Whether the schemas that have parts are the same here and there. */
static bool same_parts(const struct describing *d, const fer_facets *x, const fer_facets *y)
{
    for (size_t side = 0; side < 2; side++) {
        const fer_facets *one = side ? y : x, *other = side ? x : y;
        for (size_t i = 0; i < one->count; i++) {
            const yyjson_val *schema = one->list[i].schema;
            if (has_parts(d, schema) && !fer_facets_have(other, schema)) return false;
        }
    }
    return true;
}

/* Whether a schema is described inside itself. */
static bool is_cycle(const struct describing *d, const struct level *at)
{
    for (const struct level *up = at->up; up; up = up->up) {
        if (same_parts(d, at->facets, up->facets)) return true;
    }
    return false;
}

static fer_str part_name(struct describing *d, fer_str around, const struct part *part)
{
    fer_buf b;
    fer_buf_init(&b, d->look.arena, NAME_MAX_LEN);
    fer_buf_add(&b, around);
    if (part->name.ptr) fer_dotted_add(&b, part->name);
    else if (part->index == SIZE_MAX) fer_buf_add_text(&b, "[]");
    else fer_buf_printf(&b, "[%zu]", part->index);
    if (b.failure) fer_look_no_memory(&d->look);
    return fer_buf_view(&b);
}

/* Goes FER_FACETS_DEPTH levels down at most, so the machine's stack will do. */
static bool describe_parts(struct describing *d, const struct level *at)
{
    struct parts parts = {0};
    fer_map_init(&parts.by_name, d->look.arena);
    if (!add_properties(d, at->facets, &parts) || !add_items(d, at->facets, &parts)) return false;
    for (size_t i = 0; i < parts.count && d->count < PARAMETERS_MAX && d->look.steps; i++) {
        const struct part *part = &parts.list[i];
        fer_facets facets = {0};
        struct level below = {.up = at,
                              .facets = &facets,
                              .name = part_name(d, at->name, part),
                              .depth = at->up ? at->depth + 1 : 0};
        if (d->look.no_memory || !fer_facets_gather(&d->look, part->schemas, part->count, &facets))
            return false;
        if (!add_parameter(d, &below, part->required)) return false;
        if (below.depth + 1 == FER_FACETS_DEPTH || is_cycle(d, &below)) continue;
        if (!describe_parts(d, &below)) return false;
    }
    return true;
}

fer_code fer_schema_describe(fer_arena *a, const fer_schema *s, fer_schema_info *out, fer_err *err)
{
    struct describing d = {.look = {.arena = a, .program = s, .steps = FER_FACETS_STEPS}};
    fer_facets facets = {0};
    const struct level whole = {.facets = &facets, .name = FER_STR("")};
    const yyjson_val *schema = s->value;
    if (!fer_facets_gather(&d.look, &schema, 1, &facets) || !describe_parts(&d, &whole)) {
        return fer_arena_failed(a, err);
    }
    *out = (fer_schema_info){d.list, d.count};
    return FER_OK;
}

/* The name of a property. Where dots could not say it, it stands quoted in brackets already. */
static void write_name(fer_buf *b, const fer_parameter *p)
{
    if (fer_str_starts(p->name, "[\"")) fer_buf_add(b, fer_str_slice(p->name, 1, p->name.len - 1));
    else fer_buf_add_quoted(b, p->name);
}

static void write_types(fer_buf *b, const fer_parameter *p)
{
    write_name(b, p);
    fer_buf_add_text(b, ":[");
    for (size_t i = 0; i < p->type_count; i++) {
        if (i) fer_buf_add_char(b, ',');
        fer_buf_add_quoted(b, p->types[i]);
    }
    fer_buf_add_char(b, ']');
}

static void write_default(fer_buf *b, const fer_parameter *p)
{
    write_name(b, p);
    fer_buf_add_char(b, ':');
    fer_buf_add(b, p->default_json);
}

fer_code fer_schema_info_write(fer_arena *a, const fer_schema_info *info, fer_str *out,
                               fer_err *err)
{
    static const struct {
        const char *open, *close;
        void (*write)(fer_buf *b, const fer_parameter *p);
    } members[] = {{"{\"required\":[", "]", write_name},
                   {",\"defaults\":{", "}", write_default},
                   {",\"types\":{", "}}", write_types}};
    fer_buf b;
    fer_buf_init(&b, a, fer_schema_limits_file()->size);
    for (size_t m = 0; m < FER_COUNT(members); m++) {
        bool first = true;
        fer_buf_add_text(&b, members[m].open);
        for (size_t i = 0; i < info->count; i++) {
            const fer_parameter *p = &info->parameters[i];
            bool wanted = m == 0 ? p->required : m == 1 ? p->default_json.len > 0 : true;
            if (p->depth || !wanted) continue;
            if (!first) fer_buf_add_char(&b, ',');
            first = false;
            members[m].write(&b, p);
        }
        fer_buf_add_text(&b, members[m].close);
    }
    fer_code code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}
