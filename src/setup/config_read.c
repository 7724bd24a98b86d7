/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a configuration, the schema, and what sections share. */
#include <stdlib.h>

#include "client_files.h"
#include "config_parts.h"
#include "errors.h"
#include "json_doc.h"
#include "near.h"
#include "net_rules.h"
#include "reader.h"
#include "secret.h"
#include "toml.h"

/* ---- problems ------------------------------------------------------------------------------ */

void fer_configure_no_memory(fer_configure *c)
{
    if (!c->failure) c->failure = fer_arena_code(c->a);
}

static void add_problem(fer_configure *c, fer_severity severity, const yyjson_val *at,
                        fer_str message, fer_str hint)
{
    fer_config *out = c->out;
    out->error_count += severity == FER_SEVERITY_ERROR;
    if (out->problem_count == FER_CONFIG_PROBLEMS) return;
    fer_config_problem *list =
        fer_arena_room(c->a, c->problems, out->problem_count, &c->problem_cap, sizeof *list);
    if (!list || !message.ptr) {
        fer_configure_no_memory(c);
        return;
    }
    list[out->problem_count++] =
        (fer_config_problem){severity, fer_json_place(c->doc, at), message, hint};
    c->problems = list;
    out->problems = list;
}

void fer_configure_tell(fer_configure *c, fer_severity severity, const yyjson_val *at, fer_str hint,
                        const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    va_start(args, format);
    fer_format_text(text, sizeof text, format, args);
    va_end(args);
    add_problem(c, severity, at, fer_arena_copy(c->a, fer_str_of(text)), hint);
}

static int by_place(const void *x, const void *y)
{
    const fer_config_problem *a = x, *b = y;
    if (a->place.offset != b->place.offset) return a->place.offset < b->place.offset ? -1 : 1;
    return (int)a->severity - (int)b->severity;
}

/* ---- what sections share ------------------------------------------------------------------- */

static const yyjson_val *member(const yyjson_val *object, const char *key)
{
    return fer_is_obj(object) ? fer_val_get(object, key) : NULL;
}

fer_str fer_configure_text(const yyjson_val *object, const char *key)
{
    const yyjson_val *value = member(object, key);
    return fer_is_str(value) ? fer_val_str(value) : FER_STR_NONE;
}

int64_t fer_configure_number(const yyjson_val *object, const char *key)
{
    const yyjson_val *value = member(object, key);
    if (!value || fer_val_tag(value) != FER_TAG_UINT || value->uni.u64 > INT32_MAX) return 0;
    return (int64_t)value->uni.u64;
}

bool fer_configure_flag(const yyjson_val *object, const char *key)
{
    return fer_is_true(member(object, key));
}

fer_str fer_configure_path(fer_configure *c, fer_str path)
{
    fer_str folder = c->world->folder;
    if (!path.len || path.ptr[0] == '/' || !folder.len || memchr(path.ptr, 0, path.len))
        return path;
    fer_str whole = fer_arena_printf(c->a, "%.*s/%.*s", FER_PRI(folder), FER_PRI(path));
    if (!whole.ptr) fer_configure_no_memory(c);
    return whole;
}

bool fer_configure_url(fer_configure *c, const yyjson_val *at, fer_str url)
{
    fer_net_target target;
    fer_err err = {0};
    if (!fer_net_target_parse(url, &target, &err)) return true;
    FER_CONFIG_ERROR(c, at, "this is no URL that can be asked: %.600s", err.message);
    return false;
}

void fer_configure_claim(fer_configure *c, const yyjson_val *key, fer_str ns)
{
    void **slot = fer_map_put(&c->namespaces, ns);
    if (!slot) fer_configure_no_memory(c);
    else if (*slot) {
        fer_place first = fer_json_place(c->doc, *slot);
        FER_CONFIG_ERROR(c, key, "the namespace \"%.*s\" is taken, in line %u", FER_PRI(ns),
                         first.line);
    } else {
        *slot = (void *)(uintptr_t)key;
    }
}

/* A value as text: numbers and flags are written as they stand. */
static fer_str scalar_text(fer_configure *c, const yyjson_val *value)
{
    fer_str out = FER_STR_NONE;
    if (fer_is_str(value)) return fer_val_str(value);
    if (fer_json_write(c->a, value, false, &out, NULL)) fer_configure_no_memory(c);
    return out;
}

static fer_config_value take_value(fer_configure *c, const yyjson_val *key, bool expand)
{
    const yyjson_val *value = key + 1;
    fer_str text = scalar_text(c, value);
    fer_err err = {0};
    fer_config_value out = {.text = text, .secret = fer_secret_find(text) != SIZE_MAX};
    if (fer_secret_check(text, &err)) FER_CONFIG_ERROR(c, value, "%s", err.message);
    if (out.secret) return out;
    bool filled = false;
    for (size_t i = 0; i + 1 < text.len; i++)
        filled = filled || (text.ptr[i] == '$' && text.ptr[i + 1] == '{');
    if (expand && filled) out.text = fer_configure_expand(c, value, text);
    else if (fer_secret_looks(fer_val_str(key), text))
        fer_configure_tell(c, FER_SEVERITY_WARNING, value,
                           FER_STR("Put it into a variable or a file of one line that only you may "
                                   "read, and write secretref:env:NAME or secretref:file:PATH."),
                           "\"%.*s\" looks like a secret that stands here for all to read",
                           FER_PRI(fer_str_head(fer_val_str(key), 100)));
    return out;
}

/* A name or value that would become something else on its way. */
static bool is_sound(fer_str name, fer_str value, bool header)
{
    static const char signs[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < name.len; i++) {
        char ch = name.ptr[i];
        bool token = fer_is_alpha(ch) || fer_is_digit(ch) || (ch && strchr(signs, ch));
        if (!ch || ch == '=' || (header && !token)) return false;
    }
    for (size_t i = 0; i < value.len; i++)
        if (!value.ptr[i] || (header && (unsigned char)value.ptr[i] < ' ' && value.ptr[i] != '\t'))
            return false;
    return name.len > 0;
}

static void check_argument(fer_configure *c, const yyjson_val *item, fer_str before, fer_str hint)
{
    fer_str text = fer_is_str(item) ? fer_val_str(item) : FER_STR("");
    if (fer_secret_named(text))
        fer_configure_tell(c, FER_SEVERITY_ERROR, item, hint,
                           "a secret does not belong on a command line");
    else if (fer_secret_in_argument(before, text))
        fer_configure_tell(c, FER_SEVERITY_WARNING, item, hint,
                           "this looks like a secret, and all users of the machine can read it on "
                           "the command line");
}

void fer_configure_args(fer_configure *c, const yyjson_val *list, fer_str hint)
{
    fer_str before = FER_STR("");
    if (!fer_is_arr(list)) return;
    FER_EACH_ITEM (list, item) {
        if (fer_is_arr(item)) { /* a group of a command's argv, in which there are texts alone */
            FER_EACH_ITEM (item, word) {
                check_argument(c, word, before, hint);
                before = fer_is_str(word) ? fer_val_str(word) : FER_STR("");
            }
            continue;
        }
        check_argument(c, item, before, hint);
        before = fer_is_str(item) ? fer_val_str(item) : FER_STR("");
    }
}

fer_config_pairs fer_configure_pairs(fer_configure *c, const yyjson_val *object, bool expand,
                                     bool headers)
{
    fer_config_pairs out = {0};
    size_t count = fer_is_obj(object) ? fer_val_len(object) : 0;
    fer_config_pair *list = count ? fer_arena_alloc_zero(c->a, count, sizeof *list) : NULL;
    if (count && !list) fer_configure_no_memory(c);
    if (!list) return out;
    FER_EACH_MEMBER (object, key) {
        if (fer_is_ctn(key + 1) || fer_val_is(key + 1, YYJSON_TYPE_NULL)) continue;
        fer_config_pair pair = {fer_val_str(key), take_value(c, key, expand)};
        if (!is_sound(pair.name, pair.value.text, headers))
            FER_CONFIG_ERROR(c, key, "this is no %s",
                             headers ? "header field" : "variable of an environment");
        list[out.count++] = pair;
    }
    out.list = list;
    return out;
}

const fer_str *fer_configure_texts(fer_configure *c, const yyjson_val *list, bool expand,
                                   size_t *count)
{
    size_t most = fer_is_arr(list) ? fer_val_len(list) : 0;
    fer_str *out = most ? fer_arena_alloc_zero(c->a, most, sizeof *out) : NULL;
    *count = 0;
    if (most && !out) fer_configure_no_memory(c);
    if (!out) return NULL;
    FER_EACH_ITEM (list, item) {
        if (!fer_is_str(item)) continue;
        out[(*count)++] =
            expand ? fer_configure_expand(c, item, fer_val_str(item)) : fer_val_str(item);
    }
    return out;
}

/* ---- what is compared ---------------------------------------------------------------------- */

void fer_configure_add(fer_buf *b, const char *key, fer_str text)
{
    fer_buf_printf(b, "%s\"%s\":", b->len && b->ptr[b->len - 1] == '{' ? "" : ",", key);
    fer_buf_add_quoted(b, text);
}

void fer_configure_add_pairs(fer_buf *b, const char *key, fer_config_pairs pairs)
{
    fer_buf_printf(b, ",\"%s\":{", key);
    for (size_t i = 0; i < pairs.count; i++) {
        if (i) fer_buf_add_char(b, ',');
        fer_buf_add_quoted(b, pairs.list[i].name);
        fer_buf_add_char(b, ':');
        fer_buf_add_quoted(b, pairs.list[i].value.text);
    }
    fer_buf_add_char(b, '}');
}

fer_str fer_configure_done(fer_configure *c, const fer_buf *b)
{
    if (b->failure) fer_configure_no_memory(c);
    return b->failure ? FER_STR_NONE : fer_buf_view(b);
}

/* ---- the schema ---------------------------------------------------------------------------- */

fer_str fer_config_schema(void)
{
    return fer_str_of(fer_text_config_schema);
}

fer_code fer_config_keys(fer_arena *a, const yyjson_val **out, fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_json_read(a, fer_config_schema(), NULL, &doc, err);
    if (!code) *out = fer_val_get(fer_json_root(doc), "properties");
    return code;
}

/* Sections of Ferrule's own: a file that has one is no client's. */
static const char *const own_sections[] = {"commands", "apis",     "catalog",   "quarantine",
                                           "tools",    "defaults", "telemetry", "policies",
                                           "state",    "ledger",   "serve",     "relistMs"};

static fer_str base_name(fer_str path)
{
    size_t at = path.len;
    while (at > 0 && path.ptr[at - 1] != '/') at--;
    return fer_str_slice(path, at, path.len);
}

/* Whether the file has the name that Ferrule's own has. */
static bool is_named_ferrule(fer_str file)
{
    static const char *const names[] = {"ferrule.yaml", "ferrule.yml", "ferrule.json"};
    for (size_t i = 0; i < FER_COUNT(names); i++)
        if (fer_str_is(base_name(file), names[i])) return true;
    return false;
}

/* A key that nearly is one of Ferrule's own sections. */
static bool is_misspelt(fer_str key)
{
    fer_near near;
    fer_near_init(&near, key);
    for (size_t i = 0; i < FER_COUNT(own_sections); i++)
        fer_near_try(&near, fer_str_of(own_sections[i]));
    fer_near_try(&near, FER_STR("code"));
    return near.best.ptr != NULL;
}

/* Clients have sections of their own, and write all kinds of things into a server's. */
static bool is_of_client(const fer_configure *c, const fer_violation *v)
{
    if (!c->out->of_client || v->code != FER_UNKNOWN_FIELD ||
        fer_str_find(v->field, 1, '/') != SIZE_MAX || is_named_ferrule(c->out->file))
        return false;
    return fer_client_names_file(base_name(c->out->file)) ||
           !is_misspelt(fer_str_slice(v->field, 1, v->field.len));
}

/* Values that may be secrets are not shown: all that the schema wants a reference for
 * (tests/app/config.py goes over them), and where one is written in the wrong place. */
static const fer_str hidden[] = {
    {"**.env", 6},        {"**.headers", 10},      {"**.http_headers", 15}, {"**.auth", 7},
    {"**.oauth", 8},      {"serve.clients.*", 15}, {"**.args", 7},          {"**.url", 6},
    {"**.serverUrl", 12}, {"**.httpUrl", 10},      {"**.baseUrl", 10},      {"**.endpoint", 11},
};

static fer_code check_schema(fer_configure *c, fer_err *err)
{
    fer_schema *schema;
    fer_result *result;
    fer_validate_options o = {.redact = hidden, .redact_count = FER_COUNT(hidden)};
    size_t count;
    fer_code code = fer_schema_compile(fer_config_schema(), NULL, &schema, err);
    if (code) return code;
    code = fer_schema_validate(c->a, schema, c->doc, NULL, &o, &result, err);
    if (!code) {
        const fer_violation *list = fer_result_violations(result, &count);
        for (size_t i = 0; i < count; i++) {
            bool theirs = is_of_client(c, &list[i]);
            add_problem(c, theirs ? FER_SEVERITY_INFO : FER_SEVERITY_ERROR, list[i].value,
                        fer_arena_copy(c->a, theirs
                                                 ? FER_STR("this is the client's, and passed over")
                                                 : list[i].message),
                        theirs ? FER_STR_NONE : fer_arena_copy(c->a, list[i].hint));
        }
    }
    fer_schema_unref(schema);
    return code;
}

/* ---- the text ------------------------------------------------------------------------------ */

fer_code fer_config_parse(fer_arena *a, fer_str name, fer_str text, fer_json **doc, fer_err *err)
{
    /* Clients keep more in their files than servers, as JSON. */
    bool json = text.len && text.ptr[0] == '{';
    if (text.len > (json ? FER_CONFIG_CLIENT_SIZE : FER_CONFIG_SIZE))
        return fer_fail(err, FER_LIMIT_EXCEEDED, "config.size: the limit is %zu bytes",
                        FER_CONFIG_SIZE);
    if (fer_str_ends(name, ".toml")) return fer_toml_read(a, text, doc, err);
    if (fer_format_detect(name, text, FER_FORMAT_AUTO) == FER_FORMAT_YAML)
        return fer_yaml_read(a, text, NULL, doc, err);
    fer_code code = fer_json_read(a, text, NULL, doc, err);
    if (code != FER_INVALID_JSON) return code;
    fer_str cleaned = fer_jsonc_clean(a, text);
    if (!cleaned.ptr) return fer_arena_failed(a, err);
    fer_err other;
    fer_code again = fer_json_read(a, cleaned, NULL, doc, &other);
    if (again == FER_OUT_OF_MEMORY || again == FER_LIMIT_EXCEEDED) {
        if (err) *err = other;
        return again;
    }
    return again ? code : FER_OK; /* what is wrong with it as it stands says more */
}

static bool is_client_file(const yyjson_val *root)
{
    for (size_t i = 0; i < FER_COUNT(own_sections); i++)
        if (member(root, own_sections[i])) return false;
    return member(root, "mcpServers") || member(root, "servers") ||
           member(root, "context_servers") || member(root, "mcp_servers") || member(root, "mcp");
}

static void take_sections(fer_configure *c, const yyjson_val *root)
{
    const yyjson_val *inputs = member(root, "inputs");
    fer_configure_servers(c, member(root, "mcpServers"));
    fer_configure_servers(c, member(root, "servers"));
    fer_configure_servers(c, member(root, "context_servers"));
    fer_configure_servers(c, member(root, "mcp_servers"));
    const yyjson_val *mcp = member(root, "mcp"), *within = member(mcp, "servers");
    fer_configure_servers(c, within ? within : mcp); /* VS Code; opencode */
    fer_configure_apis(c, member(root, "apis"));
    fer_configure_commands(c, member(root, "commands"));
    fer_configure_routes(c, member(root, "tools"));
    fer_configure_serve(c, member(root, "serve"));
    fer_configure_code(c, member(root, "code"));
    fer_configure_scalars(c, root);
    if (!c->failure) fer_configure_idle(c, root); /* what was taken is whole */
    if (fer_is_arr(inputs) && fer_val_len(inputs))
        fer_configure_tell(c, FER_SEVERITY_INFO, inputs, FER_STR_NONE,
                           "questions to a user are passed over: nobody is here to answer");
}

fer_code fer_config_read(fer_arena *a, fer_str name, fer_str text, const fer_config_world *world,
                         fer_config *out, fer_err *err)
{
    static const fer_config_world nothing = {0};
    fer_config made = {.file = name, .metrics = true};
    fer_json *doc = NULL;
    fer_code code = fer_config_parse(a, name, text, &doc, err);
    if (code) return code;
    fer_configure c = {.a = a, .doc = doc, .world = world ? world : &nothing, .out = &made};
    const yyjson_val *root = fer_json_root(doc);
    fer_map_init(&c.namespaces, a);
    fer_map_init(&c.commands, a);
    made.of_client = is_client_file(root);
    if (text.len > FER_CONFIG_SIZE && !made.of_client)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "config.size: the limit is %zu bytes",
                        FER_CONFIG_SIZE);
    code = fer_json_index(a, doc, err);
    if (!code) code = check_schema(&c, err);
    if (code) return code;
    if (fer_is_obj(root)) take_sections(&c, root);
    if (c.failure) return fer_arena_failed(a, err);
    if (made.problem_count) qsort(c.problems, made.problem_count, sizeof *c.problems, by_place);
    *out = made;
    return FER_OK;
}
