/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters: names of booleans and identifiers, objects without structure, size and order. */
#include "quality.h"

#include "json_value.h"
#include "near.h"
#include "unicode.h"

#define OPTIONAL_MAX 8
#define NESTING_MAX  3
#define NESTING_HARD 5 /* several providers refuse more */

static void check_bool_name(fer_quality *q, const fer_qnode *n)
{
    static const char *const words[] = {"choice",  "flag",  "kind",   "level", "mode", "option",
                                        "setting", "state", "status", "type",  "value"};
    static const fer_word_set set = FER_WORD_SET(words);
    static const char *const first[] = {
        "allow",  "by",    "can",  "check",    "disable", "dry",    "enable",  "exclude",
        "filter", "force", "get",  "has",      "ignore",  "in",     "include", "is",
        "keep",   "no",    "only", "preserve", "print",   "return", "set",     "should",
        "show",   "skip",  "use",  "with",     "without"};
    static const fer_word_set statements = FER_WORD_SET(first);
    if (!fer_q_only(n, FER_IS_BOOLEAN) || !fer_q_ends_in(n, &set)) return;
    if (n->words.count > 1 && fer_word_in(&statements, n->words.list[0])) return;
    fer_q_node(q, n, FER_Q_PARAM_BOOL_NAME, KW_COUNT,
               "\"%.*s\" does not say what is so when it is true",
               FER_PRI(fer_utf8_cut(n->name, 100)));
}

/* ---- identifiers ---------------------------------------------------------------------------- */

static bool is_id_word(fer_str word)
{
    static const char *const words[] = {"guid", "id",   "identifier", "identifiers", "ids",
                                        "key",  "keys", "slug",       "uid",         "uri",
                                        "url",  "urn",  "uuid"};
    static const fer_word_set set = FER_WORD_SET(words);
    return fer_word_in(&set, word);
}

static const char *const entity_words[] = {
    "account",  "agent",      "board",    "bucket",       "campaign",     "channel",
    "chat",     "collection", "comment",  "company",      "contact",      "conversation",
    "customer", "dashboard",  "database", "dataset",      "deployment",   "device",
    "document", "event",      "folder",   "group",        "invoice",      "issue",
    "item",     "job",        "list",     "member",       "message",      "node",
    "note",     "order",      "org",      "organisation", "organization", "owner",
    "page",     "parent",     "payment",  "post",         "process",      "product",
    "project",  "record",     "report",   "resource",     "role",         "room",
    "run",      "section",    "session",  "site",         "space",        "sprint",
    "story",    "table",      "task",     "team",         "template",     "tenant",
    "thread",   "ticket",     "user",     "workflow",     "workspace"};
static const fer_word_set entities = FER_WORD_SET(entity_words);

/* "The ID of the user", "user UUID": the value itself is one, and it is not "name or ID". */
static bool speaks_of_id(const fer_prose *p)
{
    static const char *const either[] = {
        "preset", "projects", "resource", "required format", "name",   "names", "or id", "id or",
        "email",  "slug",     "or uuid",  "username",        "handle", "url",   "me",    NULL};
    static const char *const says[] = {"id", "uuid", "identifier", "guid", NULL};
    size_t which;
    if (!(p->subjects & FER_ABOUT_ID)) return false;
    return fer_prose_has(p, says, &which) && !fer_prose_has(p, either, &which);
}

static void check_id_name(fer_quality *q, const fer_qnode *n)
{
    if (q->output || !fer_q_only(n, FER_IS_STRING) ||
        fer_q_any(n, FER_SLOT(KW_ENUM) | FER_SLOT(KW_CONST)))
        return;
    fer_str last = n->words.list[n->words.count - 1];
    if (n->schema->depth == 1 && n->words.count > 1 && fer_word_is(last, "id")) q->ids++;
    if (is_id_word(last) || !fer_word_in(&entities, last) || !speaks_of_id(&n->prose)) return;
    fer_q_node(q, n, FER_Q_PARAM_ID_NAME, KW_COUNT, "\"%.*s\" takes an ID and does not say so",
               FER_PRI(fer_utf8_cut(n->name, 100)));
    fer_q_hint(q, "rename it to %.*sId", FER_PRI(fer_utf8_cut(n->name, 100)));
}

/* A bare `id` beside the IDs of other things. */
static void check_bare_id(fer_quality *q)
{
    const yyjson_val *schema = q->tool->values[FER_FIELD_INPUT_SCHEMA];
    const yyjson_val *properties = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    const yyjson_val *key =
        q->ids && fer_is_obj(properties) ? fer_val_key(properties, FER_STR("id")) : NULL;
    if (!key || !fer_is_obj(key + 1)) return;
    fer_path root = *q->pass->path, up = FER_PATH_KEY(&root, FER_STR("inputSchema")),
             in = FER_PATH_KEY(&up, FER_STR("properties")), at = FER_PATH_KEY(&in, FER_STR("id"));
    fer_drafts_report(q->pass->drafts, &fer_quality_rules[FER_Q_PARAM_ID_NAME], key, &at,
                      "\"id\" does not say whose ID it is, and there are others");
}

/* ---- shapes -----------------------------------------------------------------------------------
 */

static void check_freeform(fer_quality *q, const fer_qnode *n)
{
    const uint64_t shaped = FER_SLOT(KW_PATTERN_PROPERTIES) | FER_SLOT(KW_REF) |
                            FER_SLOT(KW_ANY_OF) | FER_SLOT(KW_ONE_OF) | FER_SLOT(KW_ALL_OF) |
                            FER_SLOT(KW_CONST) | FER_SLOT(KW_ENUM) | FER_SLOT(KW_MAX_PROPERTIES) |
                            FER_SLOT(KW_PROPERTY_NAMES) | FER_SLOT(KW_DEPENDENT_SCHEMAS) |
                            FER_SLOT(KW_IF);
    const yyjson_val *properties = fer_q_get(n, KW_PROPERTIES),
                     *more = fer_q_get(n, KW_ADDITIONAL_PROPERTIES);
    if (q->output || !n->schema->up || !(n->types & FER_IS_OBJECT) || fer_q_any(n, shaped)) return;
    if (fer_is_obj(properties) && fer_val_len(properties)) return;
    if (fer_is_obj(more) && fer_val_len(more)) return;
    bool closed = fer_is_bool(more) && !fer_is_true(more);
    if (closed) return;
    fer_q_node(q, n, FER_Q_PARAM_FREEFORM_OBJECT, KW_COUNT,
               n->param ? "nothing is said of what is in the object \"%.*s\""
                        : "nothing is said of what is in this object%.*s",
               FER_PRI(n->param ? fer_utf8_cut(n->name, 100) : FER_STR("")));
}

static void check_stringly(fer_quality *q, const fer_qnode *n)
{
    static const char *const phrases[] = {
        "json string",        "json-string",           "stringified json",
        "json-encoded",       "json encoded",          "stringified",
        "serialized json",    "json formatted string", "json array string",
        "json object string", "as a json string",      "json serialized",
        "json-serialized",    "json-formatted string", NULL};
    size_t which;
    if (q->output || !fer_q_only(n, FER_IS_STRING) || !(n->prose.subjects & FER_ABOUT_JSON)) return;
    if (!fer_prose_has(&n->prose, phrases, &which)) return;
    fer_q_node(q, n, FER_Q_PARAM_STRINGLY_JSON, KW_DESCRIPTION,
               "\"%.*s\" takes JSON inside a string", FER_PRI(fer_utf8_cut(n->name, 100)));
}

static void note_depth(fer_quality *q, const fer_qnode *n)
{
    if (q->output || n->nesting <= NESTING_MAX) return;
    if (n->nesting > q->deepest) q->deepest = n->nesting;
    if (q->deep) return;
    q->deep = n->schema->name ? n->schema->name : n->schema->value;
    q->deep_pointer = fer_path_pointer(q->pass->drafts->arena, n->schema->path);
}

/* ---- order ------------------------------------------------------------------------------------
 */

static void check_order(fer_quality *q, const fer_qnode *n)
{
    static const char *const ends[] = {"answer", "conclusion", "decision",
                                       "result", "score",      "verdict"};
    static const char *const means[] = {"analysis",  "evidence", "explanation", "justification",
                                        "rationale", "reason",   "reasoning",   "thinking",
                                        "thought",   "thoughts"};
    static const fer_word_set end_set = FER_WORD_SET(ends), mean_set = FER_WORD_SET(means);
    const yyjson_val *properties = fer_q_get(n, KW_PROPERTIES), *early = NULL;
    if (!fer_is_obj(properties)) return;
    FER_EACH_MEMBER (properties, key) {
        fer_str name = fer_val_str(key);
        if (!early && fer_word_in(&end_set, name)) early = key;
        if (!early || !fer_word_in(&mean_set, name)) continue;
        fer_q_node(q, n, FER_Q_PARAM_ORDER_REASONING, KW_PROPERTIES,
                   "\"%.*s\" comes before \"%.*s\", which should lead to it",
                   FER_PRI(fer_val_str(early)), FER_PRI(name));
        return;
    }
}

/* ---- names that are asked for ------------------------------------------------------------------
 */

/* What is demanded here may be described elsewhere: beside an alternative, or by a pattern. */
static bool may_be_described(const fer_qnode *n)
{
    static const uint64_t others = FER_SLOT(KW_REF) | FER_SLOT(KW_ALL_OF) | FER_SLOT(KW_ANY_OF) |
                                   FER_SLOT(KW_ONE_OF) | FER_SLOT(KW_PATTERN_PROPERTIES) |
                                   FER_SLOT(KW_IF) | FER_SLOT(KW_DYNAMIC_REF) |
                                   FER_SLOT(KW_DEPENDENT_SCHEMAS) | FER_SLOT(KW_DEPENDENCIES);
    const fer_subschema *s = n->schema;
    bool whole = s->via == KW_COUNT || s->via == KW_PROPERTIES || s->via == KW_ITEMS ||
                 s->via == KW_ADDITIONAL_PROPERTIES;
    return !whole || fer_q_any(n, others) || fer_is_obj(fer_q_get(n, KW_ADDITIONAL_PROPERTIES));
}

/* The property that is nearest to a name that is none. */
static fer_str meant_by(const yyjson_val *properties, fer_str name)
{
    fer_near near;
    fer_near_init(&near, name);
    FER_EACH_MEMBER (properties, key) {
        fer_near_try(&near, fer_val_str(key));
    }
    return near.best;
}

static void check_required(fer_quality *q, const fer_qnode *n)
{
    const yyjson_val *properties = fer_q_get(n, KW_PROPERTIES), *list = fer_q_get(n, KW_REQUIRED);
    if (!fer_is_obj(properties) || !fer_val_len(properties) || !fer_is_arr(list)) return;
    if (may_be_described(n)) return;
    FER_EACH_ITEM (list, item) {
        if (!fer_is_str(item) || fer_val_key(properties, fer_val_str(item))) continue;
        fer_str name = fer_utf8_cut(fer_val_str(item), 100),
                meant = meant_by(properties, fer_val_str(item));
        fer_q_node(q, n, FER_Q_PARAM_UNDESCRIBED, KW_REQUIRED,
                   "\"%.*s\" is required, and no property describes it", FER_PRI(name));
        if (meant.ptr) fer_q_hint(q, "did you mean \"%.*s\"?", FER_PRI(fer_utf8_cut(meant, 100)));
    }
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    note_depth(q, n);
    check_required(q, n);
    check_order(q, n);
    check_freeform(q, n);
    if (!n->param || !n->words.count) return;
    check_bool_name(q, n);
    check_id_name(q, n);
    check_stringly(q, n);
}

static void when_done(fer_quality *q)
{
    size_t optional = q->properties - q->required;
    check_bare_id(q);
    if (q->deep) {
        fer_str message = fer_arena_printf(
            q->pass->drafts->arena, "parameters are nested %u levels deep%s", q->deepest,
            q->deepest > NESTING_HARD ? "; several providers refuse more than 5" : "");
        fer_drafts_put(q->pass->drafts, &fer_quality_rules[FER_Q_PARAM_DEEP], q->deep,
                       q->deep_pointer, message);
        fer_drafts_bounds(q->pass->drafts, NESTING_MAX, q->deepest);
    }
    if (optional <= OPTIONAL_MAX) return;
    fer_q_tool(q, FER_Q_PARAM_MANY_OPTIONAL, FER_FIELD_INPUT_SCHEMA,
               "%zu of %zu parameters are optional", optional, q->properties);
    fer_drafts_bounds(q->pass->drafts, OPTIONAL_MAX, optional);
}

const fer_quality_family fer_quality_params = {.node = look_at_node, .done = when_done};
