/* SPDX-License-Identifier: Apache-2.0 */
/* Dialects: their names, their URIs, and the vocabularies that custom ones are made of. */
#include "keyword.h"

static const struct dialect {
    const char *name;
    const char *uri;
    const char *alias; /* another URI, or NULL */
    struct fer_rules rules;
} dialects[] = {
    {"draft-04",
     "http://json-schema.org/draft-04/schema",
     NULL,
     {FER_DIALECT_DRAFT4, FER_IN_4, FER_VOCABULARY_ALL, false}},
    {"draft-06",
     "http://json-schema.org/draft-06/schema",
     NULL,
     {FER_DIALECT_DRAFT6, FER_IN_6, FER_VOCABULARY_ALL, false}},
    {"draft-07",
     "http://json-schema.org/draft-07/schema",
     NULL,
     {FER_DIALECT_DRAFT7, FER_IN_7, FER_VOCABULARY_ALL, false}},
    {"2019-09",
     "https://json-schema.org/draft/2019-09/schema",
     NULL,
     {FER_DIALECT_2019_09, FER_IN_2019, FER_VOCABULARY_ALL, false}},
    {"2020-12",
     "https://json-schema.org/draft/2020-12/schema",
     "http://json-schema.org/schema",
     {FER_DIALECT_2020_12, FER_IN_2020, FER_VOCABULARY_ALL, false}},
    {"v1",
     "https://json-schema.org/v1",
     "https://json-schema.org/v1/2026",
     {FER_DIALECT_V1, FER_IN_V1, FER_VOCABULARY_ALL, true}},
};

static const struct dialect *row_of(fer_dialect dialect)
{
    if (dialect == FER_DIALECT_DEFAULT) dialect = FER_DIALECT_2020_12;
    for (size_t i = 0; i < FER_COUNT(dialects); i++) {
        if (dialects[i].rules.dialect == dialect) return &dialects[i];
    }
    return NULL;
}

const struct fer_rules *fer_rules_of(fer_dialect dialect)
{
    const struct dialect *d = row_of(dialect);
    return d ? &d->rules : NULL;
}

const char *fer_dialect_name(fer_dialect dialect)
{
    const struct dialect *d = row_of(dialect);
    return d ? d->name : "unknown";
}

const char *fer_dialect_uri(fer_dialect dialect)
{
    const struct dialect *d = row_of(dialect);
    return d ? d->uri : "";
}

/* "draft-07", "draft7", "Draft 07", "7" and "07" all are 7. */
static bool number_is(fer_str name, fer_dialect dialect)
{
    size_t at = 0;
    if (name.len >= 5 && fer_str_eq_nocase(fer_str_slice(name, 0, 5), FER_STR("draft"))) at = 5;
    while (at < name.len && (name.ptr[at] == '-' || name.ptr[at] == ' ' || name.ptr[at] == '0')) {
        at++;
    }
    uint64_t number;
    return fer_parse_u64(fer_str_slice(name, at, name.len), &number) && number == (uint64_t)dialect;
}

/* With or without an empty fragment; http and https are taken for the same. */
static bool uri_is(fer_str uri, const char *known)
{
    if (uri.len && uri.ptr[uri.len - 1] == '#') uri.len--;
    for (size_t i = 0; i < 2; i++) {
        const char *scheme = i ? "http://" : "https://";
        size_t len = strlen(scheme);
        const char *rest = strstr(known, "://") + 3;
        if (fer_str_starts(uri, scheme) && fer_str_is(fer_str_slice(uri, len, uri.len), rest)) {
            return true;
        }
    }
    return false;
}

bool fer_dialect_find(fer_str name, fer_dialect *out)
{
    for (size_t i = 0; i < FER_COUNT(dialects); i++) {
        const struct dialect *d = &dialects[i];
        fer_str bare = fer_str_starts(name, "draft") ? fer_str_slice(name, 5, name.len) : name;
        if (bare.len && bare.ptr[0] == '-') bare = fer_str_slice(bare, 1, bare.len);
        if (fer_str_is(name, d->name) || fer_str_is(bare, d->name) || uri_is(name, d->uri) ||
            (d->alias && uri_is(name, d->alias)) || number_is(name, d->rules.dialect)) {
            *out = d->rules.dialect;
            return true;
        }
    }
    return false;
}

static const struct {
    const char *name;
    unsigned bit;
} vocabularies[] = {
    {"core", FER_VOCABULARY_CORE},
    {"applicator", FER_VOCABULARY_APPLICATOR},
    {"unevaluated", FER_VOCABULARY_UNEVALUATED},
    {"validation", FER_VOCABULARY_VALIDATION},
    {"meta-data", FER_VOCABULARY_META_DATA},
    {"format", FER_VOCABULARY_FORMAT},
    {"format-annotation", FER_VOCABULARY_FORMAT},
    {"format-assertion", FER_VOCABULARY_FORMAT_ASSERTION},
    {"content", FER_VOCABULARY_CONTENT},
};

unsigned fer_vocabulary_find(const struct fer_rules *rules, fer_str uri)
{
    const char *base = rules->dialect == FER_DIALECT_2019_09
                           ? "https://json-schema.org/draft/2019-09/vocab/"
                           : "https://json-schema.org/draft/2020-12/vocab/";
    if (!fer_str_starts(uri, base)) return 0;
    fer_str name = fer_str_slice(uri, strlen(base), uri.len);
    for (size_t i = 0; i < FER_COUNT(vocabularies); i++) {
        if (fer_str_is(name, vocabularies[i].name)) return vocabularies[i].bit;
    }
    return 0;
}
