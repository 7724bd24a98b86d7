/* SPDX-License-Identifier: Apache-2.0 */
#include "field_checks.h"

#include "json_value.h"
#include "tags.h"
#include "tool_id.h"
#include "unicode.h"

/* ---- names ------------------------------------------------------------------------------- */

static void check_name_text(fer_drafts *d, const yyjson_val *value, const fer_path *path,
                            enum fer_rule_id length_rule, enum fer_rule_id charset_rule)
{
    fer_str s = fer_val_str(value);
    size_t count = fer_utf8_count(s);
    if (count < 1 || count > FER_NAME_MAX) {
        fer_drafts_add(d, length_rule, value, path, "%.*s has 1 to %d characters, but this has %zu",
                       FER_PRI(path->key), FER_NAME_MAX, count);
    }
    size_t bad = fer_name_bad_byte(s);
    if (bad == SIZE_MAX) return;
    size_t end = bad;
    uint32_t c = fer_utf8_next(s, &end);
    if (c < 0x20 || c == 0x7F) {
        fer_drafts_add(d, charset_rule, value, path,
                       "%.*s consists of A-Z a-z 0-9 _ . -, but holds the control character U+%04X",
                       FER_PRI(path->key), c);
    } else {
        fer_drafts_add(d, charset_rule, value, path,
                       "%.*s consists of A-Z a-z 0-9 _ . -, but holds '%.*s' (U+%04X)",
                       FER_PRI(path->key), FER_PRI(fer_str_slice(s, bad, end)), c);
    }
    if (c == ' ' || c == '/' || c == ':') {
        char fixed[FER_NAME_MAX];
        size_t len = 0;
        for (; len < s.len && len < FER_NAME_MAX; len++) {
            fixed[len] = fer_name_bad_byte(fer_str_slice(s, len, len + 1)) == 0 ? '_' : s.ptr[len];
        }
        fer_drafts_hint(d, "for example \"%.*s\"", (int)len, fixed);
    }
}

void fer_check_name(fer_drafts *d, const yyjson_val *value, const fer_path *path)
{
    check_name_text(d, value, path, FER_RULE_NAME_LENGTH, FER_RULE_NAME_CHARSET);
}

void fer_check_namespace(fer_drafts *d, const yyjson_val *value, const fer_path *path)
{
    check_name_text(d, value, path, FER_RULE_NAMESPACE_LENGTH, FER_RULE_NAMESPACE_CHARSET);
}

void fer_check_version(fer_drafts *d, const yyjson_val *value, const fer_path *path)
{
    fer_semver version;
    fer_err why;
    if (fer_semver_parse(fer_val_str(value), &version, &why) == FER_OK) return;
    fer_drafts_add(d, FER_RULE_VERSION_SEMVER, value, path, "%s", why.message);
}

/* ---- tags -------------------------------------------------------------------------------- */

/* The normal forms kept so far: never more than a tool may have. */
struct kept_tags {
    char text[FER_TAGS_MAX][FER_TAG_MAX];
    size_t len[FER_TAGS_MAX];
    size_t count;
};

static bool is_kept(const struct kept_tags *kept, fer_str normal)
{
    for (size_t i = 0; i < kept->count; i++) {
        if (fer_str_eq((fer_str){kept->text[i], kept->len[i]}, normal)) return true;
    }
    return false;
}

static void check_tag(fer_drafts *d, const yyjson_val *tag, const fer_path *path,
                      struct kept_tags *kept)
{
    char *text = kept->text[kept->count];
    fer_str raw = fer_val_str(tag);
    size_t len = fer_tag_normalise(raw, text);
    fer_str normal = {text, len};
    if (len == 0) {
        fer_drafts_add(d, FER_RULE_TAGS_CHANGED, tag, path,
                       "nothing of this tag is left when it is normalised");
        return;
    }
    if (is_kept(kept, normal)) {
        fer_drafts_add(d, FER_RULE_TAGS_CHANGED, tag, path,
                       "the tag \"%.*s\" stands here a second time", FER_PRI(normal));
        return;
    }
    kept->len[kept->count++] = len;
    if (!fer_str_eq(raw, normal)) {
        fer_drafts_add(d, FER_RULE_TAGS_CHANGED, tag, path, "the tag is normalised to \"%.*s\"",
                       FER_PRI(normal));
    }
}

void fer_check_tags(fer_drafts *d, const yyjson_val *value, const fer_path *path)
{
    struct kept_tags kept = {.count = 0};
    size_t index = 0;
    FER_EACH_ITEM (value, tag) {
        fer_path here = FER_PATH_INDEX(path, index++);
        if (!fer_is_str(tag)) continue;
        if (kept.count == FER_TAGS_MAX) {
            fer_drafts_add(d, FER_RULE_TAGS_COUNT, tag, &here,
                           "a tool has at most %d tags; this and what follows is ignored",
                           FER_TAGS_MAX);
            return;
        }
        check_tag(d, tag, &here, &kept);
    }
}

/* ---- schemas ------------------------------------------------------------------------------ */

void fer_check_input_schema(fer_drafts *d, const yyjson_val *value, const fer_path *path)
{
    const yyjson_val *type = fer_val_get(value, "type");
    fer_path here = FER_PATH_KEY(path, FER_STR("type"));
    if (!type) {
        fer_drafts_add(d, FER_RULE_SCHEMA_ROOT_MISSING, value, path,
                       "the input schema does not state its type");
        fer_drafts_hint(d, "add \"type\": \"object\"");
        return;
    }
    fer_str name = fer_is_str(type) ? fer_val_str(type) : FER_STR("");
    if (!fer_str_is(name, "object") && !(d->upper_types && fer_str_is(name, "OBJECT"))) {
        fer_drafts_add(
            d, FER_RULE_SCHEMA_ROOT, type, &here,
            "arguments are always an object, so the type of an input schema is \"object\"");
    }
}

/* ---- texts with a grammar -------------------------------------------------------------------- */

/* RFC 9110 token characters. */
static bool is_token_char(char c)
{
    return fer_is_alpha(c) || fer_is_digit(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* type "/" subtype, then parameters after ';', which are not looked into. */
static bool is_media_type(fer_str s)
{
    size_t slash = fer_str_find(s, 0, '/'), end = fer_str_find(s, 0, ';');
    if (end == SIZE_MAX) end = s.len;
    while (end > 0 && s.ptr[end - 1] == ' ') end--;
    if (slash == SIZE_MAX || slash == 0 || slash + 1 >= end) return false;
    for (size_t i = 0; i < end; i++) {
        if (i != slash && !is_token_char(s.ptr[i])) return false;
    }
    return true;
}

void fer_check_media_type(fer_drafts *d, const yyjson_val *value, const fer_path *path)
{
    fer_str s = fer_val_str(value);
    if (is_media_type(s)) return;
    fer_drafts_add(d, FER_RULE_MODE_MEDIA_TYPE, value, path,
                   "a media type is written type/subtype, such as application/json or text/plain");
    if (fer_str_eq_nocase(s, FER_STR("json")))
        fer_drafts_hint(d, "did you mean \"application/json\"?");
    if (fer_str_eq_nocase(s, FER_STR("text"))) fer_drafts_hint(d, "did you mean \"text/plain\"?");
}

/* "[" ( digits / "*" / '"' text '"' ) "]" at `*at`. */
static bool redact_bracket(fer_str s, size_t *at)
{
    size_t i = *at + 1;
    if (i < s.len && s.ptr[i] == '"') {
        size_t close = fer_str_find(s, i + 1, '"');
        if (close == SIZE_MAX || close == i + 1) return false;
        i = close + 1;
    } else if (i < s.len && s.ptr[i] == '*') {
        i++;
    } else {
        size_t from = i;
        while (i < s.len && fer_is_digit(s.ptr[i])) i++;
        if (i == from) return false;
    }
    if (i >= s.len || s.ptr[i] != ']') return false;
    *at = i + 1;
    return true;
}

/* A name, "*" or "**" at `*at`. */
static bool redact_word(fer_str s, size_t *at)
{
    size_t i = *at, stars = 0;
    while (i < s.len && s.ptr[i] == '*') i++, stars++;
    if (stars == 0) {
        while (i < s.len && !strchr(".[]*\"", s.ptr[i])) i++;
        if (i == *at) return false;
    }
    *at = i;
    return stars <= 2;
}

bool fer_redact_path_valid(fer_str s)
{
    static const char *const roots[] = {
        "input:", "output:", "headers:", "error:", "meta:", "stderr:"};
    size_t at = 0;
    for (size_t i = 0; i < FER_COUNT(roots); i++) {
        if (fer_str_starts(s, roots[i])) at = strlen(roots[i]);
    }
    if (s.len && memchr(s.ptr, '\0', s.len)) return false;
    for (bool first = true; first || at < s.len; first = false) {
        if (at < s.len && s.ptr[at] == '[') {
            if (!redact_bracket(s, &at)) return false;
            continue;
        }
        if (!first && s.ptr[at++] != '.') return false;
        bool bracket = at < s.len && s.ptr[at] == '[';
        if (bracket ? !redact_bracket(s, &at) : !redact_word(s, &at)) return false;
    }
    return true;
}

void fer_check_redact_path(fer_drafts *d, const yyjson_val *value, const fer_path *path)
{
    fer_str s = fer_val_str(value);
    bool pointer = s.len > 0 && s.ptr[0] == '/'; /* a name may begin so, but nobody means it */
    if (s.len == 0 || (!pointer && fer_redact_path_valid(s))) return;
    fer_drafts_add(
        d, FER_RULE_REDACT_PATH, value, path,
        "a redaction path is names joined by dots, with *, ** and [n], such as headers.authorization");
    if (pointer)
        fer_drafts_hint(d, "this looks like a JSON Pointer; write dots instead of slashes");
}

/* ---- examples -----------------------------------------------------------------------------------
 */

/* Depth and number of keys and items, counted over the values in the order of the text. */
void fer_check_example_args(fer_drafts *d, const yyjson_val *value, const fer_path *path)
{
    enum {
        MAX_DEPTH = 5,
        MAX_SIZE = 50
    };
    const yyjson_val *ends[MAX_DEPTH];
    size_t depth = 0, size = 0;
    for (const yyjson_val *v = value, *end = fer_val_next(value); v < end; v++) {
        while (depth > 0 && v == ends[depth - 1]) depth--;
        if (!fer_is_ctn(v)) continue;
        if (depth == MAX_DEPTH) {
            fer_drafts_add(d, FER_RULE_EXAMPLE_SIZE, v, path,
                           "the arguments are more than %d levels deep", MAX_DEPTH);
            return;
        }
        ends[depth++] = fer_val_next(v);
        size += fer_val_len(v);
    }
    if (size > MAX_SIZE) {
        fer_drafts_add(d, FER_RULE_EXAMPLE_SIZE, value, path,
                       "the arguments hold %zu keys and items; at most %d are shown", size,
                       MAX_SIZE);
    }
}

/* ---- backends
 * ------------------------------------------------------------------------------------- */

static const struct backend_row {
    const char *kind;
    fer_backend_kind id;
    const char *name_key;
    const char *tool_key; /* NULL: has none */
} backend_rows[] = {
    {"local", FER_BACKEND_LOCAL, "name", NULL},
    {"provider", FER_BACKEND_PROVIDER, "providerId", "toolId"},
    {"mcp", FER_BACKEND_MCP, "serverName", NULL},
};

/* The kind that is named, or else the one whose object is there. */
static const struct backend_row *backend_row_of(const yyjson_val *value, fer_drafts *d,
                                                const fer_path *path)
{
    const yyjson_val *kind = fer_val_get(value, "kind");
    const struct backend_row *found = NULL;
    size_t objects = 0;
    for (size_t i = 0; i < FER_COUNT(backend_rows); i++) {
        const struct backend_row *row = &backend_rows[i];
        bool named = fer_is_str(kind) && fer_str_is(fer_val_str(kind), row->kind);
        bool there = fer_val_get(value, row->kind) != NULL;
        objects += there;
        if (named || (!kind && there)) found = row;
    }
    if (found && (kind || objects == 1)) return found;
    if (!d) return NULL;
    if (kind) {
        fer_path here = FER_PATH_KEY(path, FER_STR("kind"));
        fer_drafts_add(d, FER_RULE_BACKEND_KIND, kind, &here,
                       "the kind of a backend is \"local\", \"provider\" or \"mcp\"");
    } else {
        fer_drafts_add(d, FER_RULE_BACKEND_KIND, value, path,
                       objects ? "a backend has one kind; this names several"
                               : "the backend names no kind");
    }
    return NULL;
}

/* A text that must be there and not empty. */
static bool backend_text(const yyjson_val *object, const char *key, fer_str *out, fer_drafts *d,
                         const fer_path *path)
{
    const yyjson_val *v = fer_val_get(object, key);
    if (fer_is_str(v) && fer_val_len(v) > 0) {
        *out = fer_val_str(v);
        return true;
    }
    if (d) {
        fer_path here = FER_PATH_KEY(path, fer_str_of(key));
        fer_drafts_add(d, FER_RULE_BACKEND_KIND, v ? v : object, v ? &here : path,
                       "a backend of kind \"%.*s\" needs \"%s\", a text that is not empty",
                       FER_PRI(path->key), key);
    }
    return false;
}

bool fer_backend_read(const yyjson_val *value, fer_backend *out, fer_drafts *d,
                      const fer_path *path)
{
    const struct backend_row *row = backend_row_of(value, d, path);
    if (!row) return false;
    fer_path here = FER_PATH_KEY(path, fer_str_of(row->kind));
    const yyjson_val *object = fer_val_get(value, row->kind);
    if (!fer_is_obj(object)) {
        if (d) {
            fer_drafts_add(d, FER_RULE_BACKEND_KIND, object ? object : value, object ? &here : path,
                           "a backend of kind \"%s\" has an object \"%s\"", row->kind, row->kind);
        }
        return false;
    }
    *out = (fer_backend){.kind = row->id};
    bool name = backend_text(object, row->name_key, &out->name, d, &here);
    bool tool = !row->tool_key || backend_text(object, row->tool_key, &out->tool, d, &here);
    return name && tool;
}

void fer_check_backend(fer_drafts *d, const yyjson_val *value, const fer_path *path)
{
    fer_backend ignored;
    size_t index = 0;
    if (fer_is_obj(value)) {
        fer_backend_read(value, &ignored, d, path);
        return;
    }
    FER_EACH_ITEM (value, item) {
        fer_path here = FER_PATH_INDEX(path, index++);
        if (fer_is_obj(item)) {
            fer_backend_read(item, &ignored, d, &here);
        } else {
            fer_drafts_add(d, FER_RULE_FIELD_TYPE, item, &here, "a backend is an object, not %s",
                           fer_val_type_name(item));
        }
    }
}
