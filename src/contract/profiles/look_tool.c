/* SPDX-License-Identifier: Apache-2.0 */
/* What profiles demand of a definition around its schema: name, description, keys. */
#include "json_value.h"
#include "look.h"
#include "unicode.h"

#define ON(rule) (l->plan->on[rule])

/* Profiles to which a definition of this shape goes as it is. */
static uint64_t native(const fer_look *l, uint64_t mask)
{
    return mask & l->plan->native[l->pass->tool->shape];
}

/* ---- the name -------------------------------------------------------------------------- */

static void no_name(fer_look *l, const yyjson_val *key)
{
    fer_path here = FER_PATH_KEY(l->pass->path, FER_STR("name"));
    fer_look_report(l, FER_PR_NAME_CHARSET, ON(FER_PR_NAME_CHARSET),
                    key ? key + 1 : l->pass->tool->record, key ? &here : l->pass->path,
                    key ? "the name is no name" : "the tool has no name");
}

static void name_characters(fer_look *l, const yyjson_val *name, const fer_spelling *spelling,
                            const fer_path *here)
{
    fer_str s = fer_val_str(name), shown = fer_utf8_cut(s, 100);
    FER_EACH_PROFILE(ON(FER_PR_NAME_CHARSET), i)
    {
        const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_NAME_CHARSET);
        if (fer_chars_cover(&row->chars, spelling)) continue;
        fer_look_report(l, FER_PR_NAME_CHARSET, (uint64_t)1 << i, name, here,
                        "the name \"%.*s\" has characters outside of %.*s", FER_PRI(shown),
                        FER_PRI(row->chars.text));
    }
    FER_EACH_PROFILE(ON(FER_PR_NAME_FIRST_CHAR), i)
    {
        const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_NAME_FIRST_CHAR);
        if (fer_chars_have(&row->chars, (unsigned char)s.ptr[0])) continue;
        fer_look_report(l, FER_PR_NAME_FIRST_CHAR, (uint64_t)1 << i, name, here,
                        "the name \"%.*s\" does not begin with one of %.*s", FER_PRI(shown),
                        FER_PRI(row->chars.text));
    }
}

static void name_length(fer_look *l, const yyjson_val *name, const fer_spelling *spelling,
                        const fer_path *here)
{
    size_t own = spelling->characters;
    size_t server = fer_utf8_count(fer_tool_namespace(l->pass->tool));
    FER_EACH_PROFILE(ON(FER_PR_NAME_LENGTH), i)
    {
        const struct fer_profile_row *row = fer_look_row(l, i, FER_PR_NAME_LENGTH);
        size_t count = own + (row->with_server ? server : 0);
        bool advised = count <= row->max && count > row->advised;
        uint64_t limit = advised ? row->advised : row->max;
        size_t before = l->pass->drafts->count;
        if (count <= row->max && !advised) continue;
        fer_look_exceeds(l, FER_PR_NAME_LENGTH, i, limit, count, name, here,
                         "the name%s has %zu characters, and %s %llu are allowed",
                         row->with_server && server ? " and its server's" : "", count,
                         advised ? "by the documentation" : "at most", (unsigned long long)limit);
        if (!advised || l->pass->drafts->count == before) continue;
        l->pass->drafts->list[before].graded = true;
        l->pass->drafts->list[before].finding.severity = FER_SEVERITY_WARNING;
    }
}

static void look_at_name(fer_look *l)
{
    const yyjson_val *key = fer_val_key(l->pass->tool->record, FER_STR("name"));
    fer_path here = FER_PATH_KEY(l->pass->path, FER_STR("name"));
    if (!key || !fer_is_str(key + 1) || !fer_val_len(key + 1)) {
        no_name(l, key);
        return;
    }
    fer_spelling spelling = fer_spelling_of(fer_val_str(key + 1));
    name_characters(l, key + 1, &spelling, &here);
    name_length(l, key + 1, &spelling, &here);
}

/* ---- the description ---------------------------------------------------------------------- */

static void look_at_description(fer_look *l)
{
    const yyjson_val *key = fer_val_key(l->pass->tool->record, FER_STR("description"));
    fer_path here = FER_PATH_KEY(l->pass->path, FER_STR("description"));
    if (!key) return;
    if (!fer_is_str(key + 1)) {
        fer_look_report(l, FER_PR_DESCRIPTION_TYPE, ON(FER_PR_DESCRIPTION_TYPE), key + 1, &here,
                        "the description is %s, not a string", fer_val_type_name(key + 1));
        return;
    }
    if (!fer_val_len(key + 1))
        fer_look_report(l, FER_PR_DESCRIPTION_EMPTY, ON(FER_PR_DESCRIPTION_EMPTY), key + 1, &here,
                        "the description is empty");
    if (ON(FER_PR_DESCRIPTION_LENGTH))
        fer_look_limit(l, FER_PR_DESCRIPTION_LENGTH, fer_utf8_count(fer_val_str(key + 1)), key + 1,
                       &here, "characters of the description");
}

/* ---- keys ----------------------------------------------------------------------------------- */

/* Ferrule's own fields stand under _meta on the wire. */
static bool is_own_field(const fer_look *l, fer_str key)
{
    const fer_field *field = fer_field_find(key);
    return l->pass->tool->shape == FER_SHAPE_FERRULE && field && !(field->flags & FER_F_MCP);
}

static void look_at_keys(fer_look *l)
{
    uint64_t mask = native(l, ON(FER_PR_TOOL_KEYS));
    if (!mask) return;
    FER_EACH_MEMBER (l->pass->tool->record, key) {
        fer_str name = fer_val_str(key);
        fer_path here = FER_PATH_KEY(l->pass->path, name);
        uint64_t unknown = 0;
        FER_EACH_PROFILE(mask, i)
        {
            if (!fer_words_have(&fer_look_row(l, i, FER_PR_TOOL_KEYS)->words, name) &&
                !is_own_field(l, name))
                unknown |= (uint64_t)1 << i;
        }
        fer_look_report(l, FER_PR_TOOL_KEYS, unknown, key, &here, "a tool has no key \"%.*s\"",
                        FER_PRI(fer_utf8_cut(name, 100)));
    }
}

static void look_at_schema_key(fer_look *l)
{
    const yyjson_val *record = l->pass->tool->record;
    bool none = !fer_val_get(record, "inputSchema") && l->pass->tool->shape == FER_SHAPE_MCP;
    uint64_t mask = none ? ON(FER_PR_TOOL_SCHEMA_KEY) : native(l, ON(FER_PR_TOOL_SCHEMA_KEY));
    FER_EACH_PROFILE(mask, i)
    {
        const struct fer_words *words = &fer_look_row(l, i, FER_PR_TOOL_SCHEMA_KEY)->words;
        const yyjson_val *second = NULL;
        size_t count = 0;
        for (size_t w = 0; w < words->count; w++) {
            const yyjson_val *key = fer_val_key(record, words->list[w]);
            if (key && ++count == 2) second = key;
        }
        if (count == 1) continue;
        fer_look_report(
            l, FER_PR_TOOL_SCHEMA_KEY, (uint64_t)1 << i, second ? second : record, l->pass->path,
            count ? "the tool has two keys for its schema" : "the tool has no key for its schema");
    }
}

void fer_look_tool(fer_look *l)
{
    look_at_name(l);
    look_at_description(l);
    look_at_keys(l);
    look_at_schema_key(l);
}
