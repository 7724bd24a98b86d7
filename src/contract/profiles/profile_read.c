/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile out of its document. The form was checked before, by the schema for a user's
 * file and by a test for the built-in ones; here the rows of the extended profile are taken
 * over, ids and keywords are looked up, and a row may say only what its rule takes.
 */
#include "errors.h"
#include "json_doc.h"
#include "json_number.h"
#include "near.h"
#include "profile.h"

const char *const fer_type_names[7] = {"object", "array",   "string", "integer",
                                       "number", "boolean", "null"};

struct read {
    fer_arena *arena;
    const fer_json *doc;
    fer_profile *profile;
    fer_err *err;
};

static fer_code wrong(struct read *r, const yyjson_val *at, const char *what, fer_str word)
{
    fer_place place = fer_json_place(r->doc, at);
    return fer_fail(r->err, FER_BAD_USAGE, "%u:%u: %s '%.*s'", place.line, place.column, what,
                    FER_PRI(fer_str_head(word, 100)));
}

static fer_code no_memory(struct read *r)
{
    return fer_arena_failed(r->arena, r->err);
}

/* ---- values ---------------------------------------------------------------------- */

static fer_code read_words(struct read *r, const yyjson_val *list, struct fer_words *out)
{
    fer_str *words = fer_arena_alloc_zero(r->arena, fer_val_len(list) + 1, sizeof *words);
    size_t count = 0;
    if (!words) return no_memory(r);
    FER_EACH_ITEM (list, item) words[count++] = fer_val_str(item);
    *out = (struct fer_words){words, count};
    return FER_OK;
}

/* "A-Za-z0-9_-": ranges, and characters for themselves. */
static void read_chars(fer_str text, fer_chars *out)
{
    *out = (fer_chars){.text = text};
    for (size_t i = 0; i < text.len; i++) {
        unsigned char from = (unsigned char)text.ptr[i], to = from;
        if (i + 2 < text.len && text.ptr[i + 1] == '-') {
            to = (unsigned char)text.ptr[i + 2];
            i += 2;
        }
        for (unsigned c = from; c <= to && c < 128; c++)
            out->bits[c >> 6] |= (uint64_t)1 << (c & 63);
    }
}

/* Keywords as slots; names that are no keywords go to `others`, or are refused where that is NULL.
 */
static fer_code read_slots(struct read *r, const yyjson_val *list, uint64_t *slots,
                           struct fer_words *others)
{
    fer_str *names = fer_arena_alloc_zero(r->arena, fer_val_len(list) + 1, sizeof *names);
    size_t count = 0;
    if (!names) return no_memory(r);
    *slots = 0;
    FER_EACH_ITEM (list, item) {
        enum fer_slot slot = fer_slot_find(fer_val_str(item));
        if (slot != KW_COUNT) *slots |= FER_SLOT(slot);
        else if (others) names[count++] = fer_val_str(item);
        else return wrong(r, item, "there is no keyword", fer_val_str(item));
    }
    if (others) *others = (struct fer_words){names, count};
    return FER_OK;
}

static fer_code read_by_type(struct read *r, const yyjson_val *object, struct fer_profile_row *row)
{
    row->by_type = fer_arena_alloc_zero(r->arena, FER_COUNT(fer_type_names), sizeof *row->by_type);
    if (!row->by_type) return no_memory(r);
    FER_EACH_MEMBER (object, key) {
        for (size_t i = 0; i < FER_COUNT(fer_type_names); i++) {
            if (!fer_str_is(fer_val_str(key), fer_type_names[i])) continue;
            fer_code code = read_words(r, key + 1, &row->by_type[i]);
            if (code) return code;
        }
    }
    return FER_OK;
}

static fer_code read_caps(struct read *r, const yyjson_val *object, struct fer_profile_row *row)
{
    row->caps = fer_arena_alloc_zero(r->arena, fer_val_len(object) + 1, sizeof *row->caps);
    row->cap_count = 0;
    if (!row->caps) return no_memory(r);
    FER_EACH_MEMBER (object, key) {
        struct fer_cap *cap = &row->caps[row->cap_count++];
        cap->slot = fer_slot_find(fer_val_str(key));
        if (cap->slot == KW_COUNT) return wrong(r, key, "there is no keyword", fer_val_str(key));
        fer_number_u64(key + 1, &cap->max);
    }
    return FER_OK;
}

static fer_code read_pairs(struct read *r, const yyjson_val *list, struct fer_profile_row *row)
{
    row->pairs = fer_arena_alloc_zero(r->arena, fer_val_len(list) + 1, sizeof *row->pairs);
    row->pair_count = 0;
    if (!row->pairs) return no_memory(r);
    FER_EACH_ITEM (list, pair) {
        uint64_t *sides = row->pairs[row->pair_count++];
        size_t side = 0;
        FER_EACH_ITEM (pair, names) {
            fer_code code = side < 2 ? read_slots(r, names, &sides[side++], NULL) : FER_OK;
            if (code) return code;
        }
    }
    return FER_OK;
}

static void read_values(const yyjson_val *list, struct fer_profile_row *row)
{
    row->values = 0;
    row->has_values = true;
    FER_EACH_ITEM (list, item) {
        uint64_t value;
        if (fer_number_u64(item, &value) && value < 64) row->values |= (uint64_t)1 << value;
    }
}

static void read_scope(fer_str word, struct fer_profile_row *row)
{
    row->scope = fer_str_is(word, "root")       ? FER_SCOPE_ROOT
                 : fer_str_is(word, "direct")   ? FER_SCOPE_DIRECT
                 : fer_str_is(word, "required") ? FER_SCOPE_REQUIRED
                                                : FER_SCOPE_ALL;
}

/* ---- rows ------------------------------------------------------------------------ */

static const struct param {
    const char *name;
    unsigned bit; /* 0: every rule takes it */
} params[] = {
    {"severity", 0},
    {"confidence", 0},
    {"says", 0},
    {"note", 0},
    {"max", FER_P_MAX},
    {"advised", FER_P_ADVISED},
    {"min", FER_P_MIN},
    {"from", FER_P_FROM},
    {"chars", FER_P_CHARS},
    {"first", FER_P_FIRST},
    {"words", FER_P_WORDS},
    {"byType", FER_P_BY_TYPE},
    {"keywords", FER_P_KEYWORDS},
    {"except", FER_P_EXCEPT},
    {"rootExcept", FER_P_ROOT_EXCEPT},
    {"values", FER_P_VALUES},
    {"scope", FER_P_SCOPE},
    {"withServer", FER_P_WITH_SERVER},
    {"caps", FER_P_CAPS},
    {"pairs", FER_P_PAIRS},
};

static const struct param *param_find(fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(params); i++) {
        if (fer_str_is(name, params[i].name)) return &params[i];
    }
    return NULL;
}

static void read_common(fer_str name, fer_str value, struct fer_profile_row *row)
{
    if (fer_str_is(name, "severity")) fer_severity_parse(value, &row->severity);
    else if (fer_str_is(name, "says")) row->says = value;
    else if (fer_str_is(name, "note")) row->note = value;
    else row->confidence = (char)(value.ptr[0] - 'a' + 'A'); /* high, medium, low */
}

static fer_code read_param(struct read *r, unsigned bit, const yyjson_val *value,
                           struct fer_profile_row *row)
{
    switch (bit) {
    case FER_P_MAX: fer_number_u64(value, &row->max); break;
    case FER_P_ADVISED: fer_number_u64(value, &row->advised); break;
    case FER_P_MIN: fer_number_u64(value, &row->min); break;
    case FER_P_FROM: fer_number_u64(value, &row->from); break;
    case FER_P_CHARS: read_chars(fer_val_str(value), &row->chars); break;
    case FER_P_FIRST: read_chars(fer_val_str(value), &row->first); break;
    case FER_P_WORDS: return read_words(r, value, &row->words);
    case FER_P_BY_TYPE: return read_by_type(r, value, row);
    case FER_P_KEYWORDS:
        row->has_keywords = true;
        return read_slots(r, value, &row->keywords, NULL);
    case FER_P_EXCEPT:
        row->has_except = true;
        return read_slots(r, value, &row->except, &row->except_names);
    case FER_P_ROOT_EXCEPT:
        row->has_root_except = true;
        return read_slots(r, value, &row->root_except, NULL);
    case FER_P_VALUES: read_values(value, row); break;
    case FER_P_SCOPE: read_scope(fer_val_str(value), row); break;
    case FER_P_WITH_SERVER: row->with_server = fer_is_true(value); break;
    case FER_P_CAPS: return read_caps(r, value, row);
    case FER_P_PAIRS: return read_pairs(r, value, row);
    default: break;
    }
    return FER_OK;
}

static enum fer_profile_rule_id rule_find(fer_str id)
{
    for (size_t i = 0; i < FER_PR_COUNT; i++) {
        if (fer_str_is(id, fer_profile_rules[i].rule.id)) return (enum fer_profile_rule_id)i;
    }
    return FER_PR_COUNT;
}

static fer_code unknown_rule(struct read *r, const yyjson_val *key)
{
    fer_near near;
    fer_code code = wrong(r, key, "profiles have no rule", fer_val_str(key));
    fer_near_init(&near, fer_val_str(key));
    for (size_t i = 0; i < FER_PR_COUNT; i++)
        fer_near_try(&near, fer_str_of(fer_profile_rules[i].rule.id));
    if (near.best.ptr && r->err) {
        fer_err plain = *r->err;
        fer_fail(r->err, code, "%s; did you mean '%.*s'?", plain.message, FER_PRI(near.best));
    }
    return code;
}

/* How sure a row is that does not say so: as its profile. */
static char sure(const fer_profile *p)
{
    return p->confidence.len ? (char)(p->confidence.ptr[0] - 'a' + 'A') : 'L';
}

/* A row overrides what the extended profile's row says, member by member. */
static fer_code read_row(struct read *r, const yyjson_val *key)
{
    enum fer_profile_rule_id id = rule_find(fer_val_str(key));
    if (id == FER_PR_COUNT) return unknown_rule(r, key);
    struct fer_profile_row *row = &r->profile->rows[id];
    bool was = row->on;
    row->on = fer_is_obj(key + 1);
    if (!row->on) return FER_OK;
    if (!was)
        *row = (struct fer_profile_row){.on = true,
                                        .severity = fer_profile_rule_of(id)->severity,
                                        .confidence = sure(r->profile),
                                        .max = UINT64_MAX,
                                        .advised = UINT64_MAX};
    FER_EACH_MEMBER (key + 1, member) {
        const struct param *param = param_find(fer_val_str(member));
        if (!param || (param->bit && !(fer_profile_rules[id].params & param->bit)))
            return wrong(r, member, "this rule takes no", fer_val_str(member));
        if (!param->bit) {
            read_common(fer_val_str(member), fer_val_str(member + 1), row);
            continue;
        }
        fer_code code = read_param(r, param->bit, member + 1, row);
        if (code) return code;
    }
    return FER_OK;
}

/* ---- documents --------------------------------------------------------------------- */

static fer_str text_of(const yyjson_val *root, const char *key)
{
    const yyjson_val *v = fer_val_get(root, key);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

static fer_code read_head(struct read *r, const yyjson_val *root)
{
    fer_profile *p = r->profile;
    const struct {
        const char *key;
        struct fer_words *to;
    } lists[] = {{"sources", &p->sources},
                 {"notes", &p->notes},
                 {"aliases", &p->aliases},
                 {"shapes", &p->shapes}};
    p->name = p->canonical = text_of(root, "name");
    const struct {
        const char *key;
        fer_str *to;
    } texts[] = {{"title", &p->title}, {"provider", &p->provider},     {"mode", &p->mode},
                 {"date", &p->date},   {"confidence", &p->confidence}, {"wire", &p->wire}};
    for (size_t i = 0; i < FER_COUNT(texts); i++) {
        if (fer_val_get(root, texts[i].key)) *texts[i].to = text_of(root, texts[i].key);
    }
    if (fer_val_get(root, "strict")) p->strict = fer_is_true(fer_val_get(root, "strict"));
    p->aliases = (struct fer_words){0};
    for (size_t i = 0; i < FER_COUNT(lists); i++) {
        const yyjson_val *list = fer_val_get(root, lists[i].key);
        fer_code code = list ? read_words(r, list, lists[i].to) : FER_OK;
        if (code) return code;
    }
    return FER_OK;
}

static fer_code too_deep(struct read *r, const yyjson_val *extends)
{
    fer_place place = fer_json_place(r->doc, extends);
    return fer_fail(
        r->err, FER_LIMIT_EXCEEDED,
        "%u:%u: profile.extends: at most %d profiles extend each other, and '%.*s' is one more",
        place.line, place.column, FER_PROFILE_EXTENDS,
        FER_PRI(fer_str_head(fer_val_str(extends), 100)));
}

fer_code fer_profile_read(fer_arena *a, const fer_json *doc, unsigned depth, fer_profile **out,
                          fer_err *err)
{
    const yyjson_val *root = fer_json_root(doc), *extends = fer_val_get(root, "extends");
    struct read r = {.arena = a, .doc = doc, .err = err};
    fer_code code = FER_OK;
    if (extends) {
        if (depth >= FER_PROFILE_EXTENDS) return too_deep(&r, extends);
        code = fer_profile_builtin(a, fer_val_str(extends), depth + 1, &r.profile, err);
    } else {
        r.profile = fer_arena_alloc_zero(a, 1, sizeof *r.profile);
        if (!r.profile) code = no_memory(&r);
    }
    if (code || !r.profile) return code;
    r.profile->extends = text_of(root, "extends");
    code = read_head(&r, root);
    if (code) return code;
    FER_EACH_MEMBER (fer_val_get(root, "rules"), key) {
        code = read_row(&r, key);
        if (code) return code;
    }
    *out = r.profile;
    return FER_OK;
}
