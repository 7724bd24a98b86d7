/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changing a copy of an instance so that it fits: rounds of validating, deriving changes from
 * what was found, and applying them, until nothing is left to change. A round that leaves more
 * findings than before is taken back. The engine itself is the judge of every change.
 */
#include "edits.h"
#include "errors.h"
#include "json_number.h"
#include "json_pointer.h"
#include "json_write.h"
#include "result.h"

#define ROUNDS_MAX 8                 /* of changing and validating again */
#define EDITS_MAX  1000              /* changes of one round */
#define LOOK_MAX   500               /* units that are asked for the types they want */
#define FILL_MAX   1000000           /* properties that are looked at for a default in one round */
#define ADDED_MAX  ((size_t)4 << 20) /* bytes that all changes together may bring */
#define BLAME_MAX  3                 /* rounds with those changes left out that did harm */

struct adapter {
    fer_arena *arena; /* for what is given out */
    fer_arena *work;  /* of this round: its document and its result */
    const fer_schema *schema;
    const fer_adapt_options *adapt;
    fer_validate_options options;
    const fer_json *doc;
    const yyjson_val *value;
    fer_result *result;
    fer_edits edits; /* of this round */
    size_t added;    /* bytes of all changes so far */
    size_t fill_left;
    fer_change *changes;
    size_t change_count, change_cap;
    bool no_memory;
};

/* ---- repairing types --------------------------------------------------------------------- */

enum {
    WANT_NULL = 1,
    WANT_BOOLEAN = 2,
    WANT_INTEGER = 4,
    WANT_NUMBER = 8,
    WANT_STRING = 16,
    WANT_ARRAY = 32,
    WANT_OBJECT = 64,
};

static unsigned want_of(const yyjson_val *name)
{
    static const struct {
        const char *name;
        unsigned want;
    } rows[] = {{"null", WANT_NULL},     {"boolean", WANT_BOOLEAN}, {"integer", WANT_INTEGER},
                {"number", WANT_NUMBER}, {"string", WANT_STRING},   {"array", WANT_ARRAY},
                {"object", WANT_OBJECT}};
    for (size_t i = 0; fer_is_str(name) && i < FER_COUNT(rows); i++) {
        if (fer_str_is(fer_val_str(name), rows[i].name)) return rows[i].want;
    }
    return 0;
}

/* The type of a schema, or NULL; where it lists its values, those are meant as they are written. */
static const yyjson_val *type_of(const yyjson_val *schema)
{
    if (!fer_is_obj(schema)) return NULL;
    bool lists = fer_val_get(schema, "enum") || fer_val_get(schema, "const");
    return lists ? NULL : fer_val_get(schema, "type");
}

/* The types that the subschemas which failed on this very value would take. */
static unsigned wanted(const fer_unit *top)
{
    unsigned want = 0;
    size_t looked = 0;
    for (const fer_unit *u = top; u && looked < LOOK_MAX; looked++) {
        bool own = u->value == top->value;
        const yyjson_val *type = own ? type_of(u->node->schema) : NULL;
        if (fer_is_arr(type)) {
            FER_EACH_ITEM (type, item) want |= want_of(item);
        } else if (type) {
            want |= want_of(type);
        }
        u = fer_unit_next(top, u, own);
    }
    return want;
}

static fer_str trimmed(fer_str s)
{
    size_t from = 0, to = s.len;
    while (from < to && strchr(" \t\r\n", s.ptr[from])) from++;
    while (to > from && strchr(" \t\r\n", s.ptr[to - 1])) to--;
    return fer_str_slice(s, from, to);
}

/* What a string holds, read as JSON, where that is of a wanted type. */
static bool from_text(struct adapter *ad, fer_str text, unsigned want, fer_str *out)
{
    fer_json *doc;
    text = trimmed(text);
    if ((want & WANT_BOOLEAN) && fer_str_eq_nocase(text, FER_STR("true"))) {
        *out = FER_STR("true");
        return true;
    }
    if ((want & WANT_BOOLEAN) && fer_str_eq_nocase(text, FER_STR("false"))) {
        *out = FER_STR("false");
        return true;
    }
    if (!text.len || fer_json_read(ad->arena, text, NULL, &doc, NULL)) return false;
    const yyjson_val *v = fer_json_root(doc);
    bool fits = ((want & WANT_NUMBER) && fer_is_num(v)) ||
                ((want & WANT_INTEGER) && fer_is_num(v) && fer_number_is_integer(v)) ||
                ((want & WANT_NULL) && fer_val_type(v) == YYJSON_TYPE_NULL) ||
                ((want & WANT_ARRAY) && fer_is_arr(v)) || ((want & WANT_OBJECT) && fer_is_obj(v));
    if (fits) *out = text;
    return fits;
}

static fer_str json_of(struct adapter *ad, const yyjson_val *v)
{
    fer_str json;
    if (fer_json_write(ad->arena, v, false, &json, NULL)) {
        ad->no_memory = true;
        return FER_STR("null");
    }
    return json;
}

/* The value in a type that is wanted; false: there is no plain way. */
static bool repaired(struct adapter *ad, const yyjson_val *v, unsigned want, fer_str *out)
{
    if (fer_is_str(v) && from_text(ad, fer_val_str(v), want, out)) return true;
    bool scalar = fer_is_num(v) || fer_is_bool(v);
    if (scalar && (want & WANT_STRING)) {
        fer_str json = json_of(ad, v);
        *out = fer_arena_printf(ad->arena, "\"%.*s\"", FER_PRI(json));
        return out->ptr != NULL;
    }
    if ((want & WANT_ARRAY) && !fer_is_arr(v) && fer_val_type(v) != YYJSON_TYPE_NULL) {
        fer_str json = json_of(ad, v);
        *out = fer_arena_printf(ad->arena, "[%.*s]", FER_PRI(json));
        return out->ptr != NULL;
    }
    return false;
}

/* ---- changes from findings --------------------------------------------------------------------
 */

static void edit(struct adapter *ad, fer_edit_kind kind, const yyjson_val *at, fer_str name,
                 fer_str json, const char *why)
{
    if (ad->edits.count == EDITS_MAX || json.len > ADDED_MAX - ad->added) return;
    fer_edit e = {kind, at, name, json, why, 0};
    ad->added += json.len;
    if (!fer_edits_add(ad->arena, &ad->edits, &e)) ad->no_memory = true;
}

/* Whether a value is in the instance; what a string holds (contentSchema) is not. */
static bool is_here(const struct adapter *ad, const yyjson_val *v)
{
    return v >= ad->value && v < fer_val_next(ad->value);
}

/* Before 2019-09, `$ref` hides what stands beside it. */
static bool is_hidden(const struct adapter *ad, const fer_node *node)
{
    unsigned bit = fer_node_resource(ad->schema, node)->rules->bit;
    return (bit & (FER_IN_4 | FER_IN_6 | FER_IN_7)) && fer_is_obj(node->schema) &&
           fer_val_get(node->schema, "$ref");
}

/* The key of a member's value; NULL: it is no member (its parent is an array, or it is the root).
 */
static const yyjson_val *key_of(const struct adapter *ad, const yyjson_val *value)
{
    const yyjson_val *at = ad->value;
    while (at != value) {
        const yyjson_val *inner = NULL;
        if (fer_is_obj(at)) {
            FER_EACH_MEMBER (at, key) {
                if (key + 1 == value) return key;
                if (value < fer_val_next(key + 1)) {
                    inner = key + 1;
                    break;
                }
            }
        } else if (fer_is_arr(at)) {
            FER_EACH_ITEM (at, item) {
                if (value < fer_val_next(item)) {
                    inner = item;
                    break;
                }
            }
        }
        if (!inner) return NULL;
        at = inner;
    }
    return NULL;
}

static void add_default(struct adapter *ad, const yyjson_val *object, fer_str name,
                        const yyjson_val *value)
{
    if (ad->edits.count == EDITS_MAX || ad->added == ADDED_MAX) return;
    fer_str json = json_of(ad, value);
    /* Too long once is too long again: nothing more is written out only to be left. */
    if (json.len > ADDED_MAX - ad->added) ad->added = ADDED_MAX;
    else edit(ad, FER_EDIT_ADD, object, name, json, "default");
}

/* The default of a property in a schema object, or NULL. */
static const yyjson_val *default_of(const yyjson_val *schema, fer_str name)
{
    const yyjson_val *properties = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    const yyjson_val *key = fer_is_obj(properties) ? fer_val_key(properties, name) : NULL;
    return key && fer_is_obj(key + 1) ? fer_val_get(key + 1, "default") : NULL;
}

static void change_missing(struct adapter *ad, const fer_violation *v)
{
    const fer_unit *u = v->unit;
    if (!fer_is_arr(v->schema) || !fer_is_obj(u->value) || !is_here(ad, u->value)) return;
    FER_EACH_ITEM (v->schema, item) {
        fer_str name = fer_val_str(item);
        if (!ad->fill_left) return;
        ad->fill_left--;
        const yyjson_val *json = default_of(u->node->schema, name);
        if (!json || fer_val_key(u->value, name)) continue;
        add_default(ad, u->value, name, json);
    }
}

static void change_for(struct adapter *ad, const fer_violation *v)
{
    const fer_adapt_options *o = ad->adapt;
    const yyjson_val *key = NULL;
    fer_str json;
    switch (v->code) {
    case FER_UNKNOWN_FIELD:
        /* The finding is about a key: of an object that is here, not in a string. */
        if (o->strip_unknown && v->unit && is_here(ad, v->unit->value))
            edit(ad, FER_EDIT_REMOVE, v->value, FER_STR(""), FER_STR(""), "unknown");
        return;
    case FER_REQUIRED_MISSING:
        if (o->fill_defaults) change_missing(ad, v);
        return;
    case FER_INVALID_TYPE:
    case FER_INVALID_ENUM_VALUE:
    case FER_DISCRIMINATOR_MISMATCH: break;
    default: return;
    }
    if (!v->unit || v->unit->value != v->value) return;
    if (o->null_to_absent && fer_val_type(v->value) == YYJSON_TYPE_NULL) {
        key = key_of(ad, v->value);
        if (key) edit(ad, FER_EDIT_REMOVE, key, FER_STR(""), FER_STR(""), "null");
    } else if (o->repair && v->code != FER_INVALID_ENUM_VALUE &&
               repaired(ad, v->value, wanted(v->unit), &json)) {
        edit(ad, FER_EDIT_REPLACE, v->value, FER_STR(""), json, "repair");
    }
}

/* ---- defaults of a valid instance ---------------------------------------------------------------
 */

static void fill_from(struct adapter *ad, const fer_unit *u)
{
    const yyjson_val *schema = u->node->schema;
    const yyjson_val *properties = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    if (!fer_is_obj(properties) || !fer_is_obj(u->value) || !is_here(ad, u->value)) return;
    if (is_hidden(ad, u->node)) return;
    FER_EACH_MEMBER (properties, key) {
        fer_str name = fer_val_str(key);
        if (!ad->fill_left) return;
        ad->fill_left--;
        const yyjson_val *json = fer_is_obj(key + 1) ? fer_val_get(key + 1, "default") : NULL;
        if (!json || fer_val_key(u->value, name)) continue;
        size_t looks = fer_val_len(u->value) / 8;
        ad->fill_left -= looks < ad->fill_left ? looks : ad->fill_left;
        add_default(ad, u->value, name, json);
    }
}

static void fill_defaults(struct adapter *ad)
{
    for (const fer_unit *u = ad->result->trace; u && ad->fill_left;) {
        bool counts = u->valid && !u->dropped && u->keyword != KW_IF;
        if (counts) fill_from(ad, u);
        u = fer_unit_next(ad->result->trace, u, counts);
    }
}

/* ---- rounds
 * ------------------------------------------------------------------------------------------ */

static fer_code note_changes(struct adapter *ad, fer_err *err)
{
    for (size_t i = 0; i < ad->edits.count; i++) {
        const fer_edit *e = &ad->edits.list[i];
        fer_change *list =
            fer_arena_room(ad->arena, ad->changes, ad->change_count, &ad->change_cap, sizeof *list);
        if (!list) return fer_arena_failed(ad->arena, err);
        ad->changes = list;
        fer_buf b;
        fer_buf_init(&b, ad->arena, (size_t)64 << 10);
        fer_pointer_of(&b, ad->value, e->at);
        if (e->kind == FER_EDIT_ADD) fer_pointer_add(&b, e->name);
        if (b.failure) return fer_buf_code(&b, err);
        static const char *const ops[] = {"add", "replace", "remove"};
        const yyjson_val *was = e->kind == FER_EDIT_REPLACE ? e->at : e->at + 1;
        list[ad->change_count++] = (fer_change){
            .op = ops[e->kind],
            .pointer = b.ptr ? fer_buf_view(&b) : FER_STR(""),
            .was = e->kind == FER_EDIT_ADD ? FER_STR("") : json_of(ad, was),
            .value = e->json,
            .why = e->why,
        };
    }
    return ad->no_memory ? fer_arena_failed(ad->arena, err) : FER_OK;
}

static fer_code judge(struct adapter *ad, fer_err *err)
{
    return fer_validate_traced(ad->work, ad->schema, ad->doc, ad->value, &ad->options,
                               ad->adapt->fill_defaults, &ad->result, err);
}

/* Whether a finding is about the place of a change, or inside of it. */
static bool is_blamed(const fer_result *r, fer_str pointer)
{
    for (size_t i = 0; i < r->violation_count; i++) {
        fer_str field = r->violations[i].field;
        bool below = field.len >= pointer.len &&
                     fer_str_eq(fer_str_slice(field, 0, pointer.len), pointer) &&
                     (field.len == pointer.len || field.ptr[pointer.len] == '/');
        if (below) return true;
    }
    return false;
}

/* Leaves out the changes that did harm, as far as findings tell; false: they do not. */
static bool leave_out(fer_edits *edits, const fer_change *changes, const fer_result *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < edits->count; i++) {
        if (!is_blamed(r, changes[i].pointer)) edits->list[kept++] = edits->list[i];
    }
    bool some = kept < edits->count && kept;
    edits->count = kept;
    return some;
}

/* Makes the changes at hand; *kept says whether they were an improvement, else *again whether
 * they may be without those that did harm. */
static fer_code try_changes(struct adapter *ad, bool *kept, bool *again, fer_err *err)
{
    struct adapter before = *ad;
    fer_json *doc;
    fer_code code = note_changes(ad, err);
    if (code) return code;
    ad->work = fer_arena_new(0);
    if (!ad->work) {
        *ad = before;
        return fer_fail(err, FER_OUT_OF_MEMORY, "There is no more memory.");
    }
    code = fer_edits_apply(ad->work, ad->value, &ad->edits, &doc, err);
    if (!code) {
        ad->doc = doc;
        ad->value = fer_json_root(doc);
        code = judge(ad, err);
    }
    bool worse =
        !code && !ad->result->valid &&
        (before.result->valid || ad->result->violation_count > before.result->violation_count);
    *kept = !code && !worse;
    *again = worse && before.result->valid &&
             leave_out(&before.edits, ad->changes + before.change_count, ad->result);
    fer_arena_free(*kept ? before.work : ad->work);
    if (!*kept) *ad = before;
    return code;
}

/* One round: a default that does not fit must not keep the others out. */
static fer_code turn(struct adapter *ad, bool *kept, fer_err *err)
{
    bool again = true;
    fer_code code = FER_OK;
    fer_edits_settle(&ad->edits);
    for (size_t n = 0; !code && again && n <= BLAME_MAX; n++) {
        code = try_changes(ad, kept, &again, err);
        if (*kept) break;
    }
    return code;
}

static fer_code adapt_all(struct adapter *ad, fer_err *err)
{
    fer_code code = judge(ad, err);
    for (size_t round = 0; !code && ad->result && round < ROUNDS_MAX; round++) {
        bool kept = false;
        ad->edits = (fer_edits){0};
        ad->fill_left = FILL_MAX;
        if (!ad->result->valid) {
            for (size_t i = 0; i < ad->result->violation_count; i++) {
                change_for(ad, &ad->result->violations[i]);
            }
        } else if (ad->adapt->fill_defaults) {
            fill_defaults(ad);
        }
        if (ad->no_memory) return fer_arena_failed(ad->arena, err);
        if (!ad->edits.count) break;
        code = turn(ad, &kept, err);
        if (!kept) break;
    }
    return code;
}

/* The changed document, out of the last round's arena and into the caller's. */
static fer_code give_out(struct adapter *ad, fer_err *err)
{
    fer_str text;
    fer_json *doc;
    fer_code code = fer_json_write(ad->arena, ad->value, false, &text, err);
    if (!code) code = fer_json_read(ad->arena, text, fer_json_limits_file(), &doc, err);
    if (code) return code;
    ad->doc = doc;
    ad->value = fer_json_root(doc);
    return FER_OK;
}

fer_code fer_schema_adapt(fer_arena *a, const fer_schema *s, const fer_json *doc,
                          const yyjson_val *value, const fer_adapt_options *adapt,
                          const fer_validate_options *options, fer_adapted *out, fer_err *err)
{
    if (!value && !doc) return fer_fail(err, FER_BAD_USAGE, "There is no value to adapt.");
    struct adapter ad = {.arena = a, .schema = s, .adapt = adapt, .doc = doc};
    ad.value = value ? value : fer_json_root(doc);
    if (options) ad.options = *options;
    ad.work = fer_arena_new(0);
    if (!ad.work) return fer_fail(err, FER_OUT_OF_MEMORY, "There is no more memory.");
    fer_code code = adapt_all(&ad, err);
    if (!code && ad.change_count) code = give_out(&ad, err);
    fer_arena_free(ad.work);
    if (!code) code = fer_schema_validate(a, s, ad.doc, ad.value, options, &ad.result, err);
    if (code) return code;
    *out = (fer_adapted){.doc = ad.doc,
                         .value = ad.value,
                         .changes = ad.changes,
                         .change_count = ad.change_count,
                         .result = ad.result};
    return FER_OK;
}
