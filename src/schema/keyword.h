/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keywords of all dialects, as a table: which dialects know a keyword, which
 * vocabulary it belongs to, what form its value must have, and which slot of a
 * subschema it fills. The form says where subschemas are, so whoever walks a schema
 * (survey, lint, bundle) asks the table and nothing else. Pure data.
 */
#ifndef FER_KEYWORD_H
#define FER_KEYWORD_H

#include <ferrule/schema.h>
#include <yyjson.h>

#include "str.h"

/* A bit for each dialect, so that a row can name several. */
enum {
    FER_IN_4 = 1,
    FER_IN_6 = 2,
    FER_IN_7 = 4,
    FER_IN_2019 = 8,
    FER_IN_2020 = 16,
    FER_IN_V1 = 32,
};

enum fer_vocabulary {
    FER_VOCABULARY_CORE = 1,
    FER_VOCABULARY_APPLICATOR = 2,
    FER_VOCABULARY_UNEVALUATED = 4,
    FER_VOCABULARY_VALIDATION = 8,
    FER_VOCABULARY_META_DATA = 16,
    FER_VOCABULARY_FORMAT = 32,
    FER_VOCABULARY_FORMAT_ASSERTION = 64,
    FER_VOCABULARY_CONTENT = 128,
    FER_VOCABULARY_ALL = 255,
};

/* What a dialect demands; custom meta-schemas have rules of their own. */
struct fer_rules {
    fer_dialect dialect;
    unsigned bit;          /* FER_IN_* */
    unsigned vocabularies; /* that count */
    bool asserts_formats;
};

/* Rules of a standard dialect. */
const struct fer_rules *fer_rules_of(fer_dialect dialect);
/* The vocabulary of a URI in `$vocabulary`, for this dialect; 0: not known. */
unsigned fer_vocabulary_find(const struct fer_rules *rules, fer_str uri);

/* The form of a keyword's value. */
enum fer_form {
    FER_FORM_ANY,
    FER_FORM_BOOL,
    FER_FORM_STRING,
    FER_FORM_ID,
    FER_FORM_ANCHOR,
    FER_FORM_PATTERN,
    FER_FORM_NUMBER,
    FER_FORM_POSITIVE,
    FER_FORM_COUNT,
    FER_FORM_TYPE,
    FER_FORM_ENUM,
    FER_FORM_LIST,           /* of anything */
    FER_FORM_NAMES,          /* distinct strings */
    FER_FORM_NAMES_MAP,      /* property -> distinct strings */
    FER_FORM_VOCABULARY,     /* URI -> boolean */
    FER_FORM_SCHEMA,         /* from here on: subschemas */
    FER_FORM_SCHEMA_LIST,    /* at least one */
    FER_FORM_SCHEMA_OR_LIST, /* `items` before 2020-12 */
    FER_FORM_SCHEMA_OR_BOOL, /* draft-04, where booleans are no schemas */
    FER_FORM_SCHEMA_MAP,
    FER_FORM_PATTERN_MAP,    /* regular expression -> schema */
    FER_FORM_DEPENDENCIES,   /* property -> schema or distinct strings */
    FER_FORM_SCHEMA_MAP_MAP, /* property -> value -> schema */
};

/* A place for each keyword's value in a subschema that is being compiled. */
enum fer_slot {
    KW_REF,
    KW_DYNAMIC_REF,
    KW_RECURSIVE_REF,
    KW_ID,
    KW_SCHEMA,
    KW_ANCHOR,
    KW_DYNAMIC_ANCHOR,
    KW_RECURSIVE_ANCHOR,
    KW_VOCABULARY,
    KW_COMMENT,
    KW_DEFS,
    KW_DEFINITIONS,
    KW_TYPE,
    KW_ENUM,
    KW_CONST,
    KW_MULTIPLE_OF,
    KW_MAXIMUM,
    KW_EXCLUSIVE_MAXIMUM,
    KW_MINIMUM,
    KW_EXCLUSIVE_MINIMUM,
    KW_MAX_LENGTH,
    KW_MIN_LENGTH,
    KW_PATTERN,
    KW_FORMAT,
    KW_CONTENT_ENCODING,
    KW_CONTENT_MEDIA_TYPE,
    KW_CONTENT_SCHEMA,
    KW_MAX_ITEMS,
    KW_MIN_ITEMS,
    KW_UNIQUE_ITEMS,
    KW_PREFIX_ITEMS,
    KW_ITEMS,
    KW_ADDITIONAL_ITEMS,
    KW_CONTAINS,
    KW_MAX_CONTAINS,
    KW_MIN_CONTAINS,
    KW_MAX_PROPERTIES,
    KW_MIN_PROPERTIES,
    KW_REQUIRED,
    KW_PROPERTIES,
    KW_PATTERN_PROPERTIES,
    KW_ADDITIONAL_PROPERTIES,
    KW_PROPERTY_NAMES,
    KW_DEPENDENCIES,
    KW_DEPENDENT_REQUIRED,
    KW_DEPENDENT_SCHEMAS,
    KW_PROPERTY_DEPENDENCIES,
    KW_ALL_OF,
    KW_ANY_OF,
    KW_ONE_OF,
    KW_NOT,
    KW_IF,
    KW_THEN,
    KW_ELSE,
    KW_UNEVALUATED_ITEMS,
    KW_UNEVALUATED_PROPERTIES,
    KW_TITLE,
    KW_DESCRIPTION,
    KW_DEFAULT,
    KW_EXAMPLES,
    KW_DEPRECATED,
    KW_READ_ONLY,
    KW_WRITE_ONLY,
    KW_COUNT
};
_Static_assert(KW_COUNT <= 64, "slots are bits of one word");
#define FER_SLOT(kw) ((uint64_t)1 << (kw))

typedef struct fer_keyword {
    const char *name;
    unsigned dialects;   /* FER_IN_* */
    unsigned vocabulary; /* one of FER_VOCABULARY_* */
    enum fer_form form;
    enum fer_slot slot;
} fer_keyword;

/* All rows, ordered by name. */
const fer_keyword *fer_keywords(size_t *count);
/* The name of the keyword that fills a slot. */
fer_str fer_slot_name(enum fer_slot slot);
/* The keyword of that name under these rules, or NULL: unknown. */
const fer_keyword *fer_keyword_find(const struct fer_rules *rules, fer_str name);
/* The first row of that name, of whatever dialect, or NULL. */
const fer_keyword *fer_keyword_first(fer_str name);
/* Whether some dialect has a keyword of that name. */
bool fer_keyword_elsewhere(fer_str name);
/* The keyword that is nearest to an unknown one; ptr NULL: none is near. */
fer_str fer_keyword_near(const struct fer_rules *rules, fer_str name);

#endif
