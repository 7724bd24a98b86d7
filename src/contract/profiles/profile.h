/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles: what a provider, a client or a protocol demands of tools, as data.
 *
 * A profile is a JSON document (profile.schema.json says its form): who, when, how sure,
 * from where, and one row per rule with its limits and the provider's own words. The
 * built-in ones are the *.json files of this folder; a file of the user's has the same form
 * and may extend a built-in one. Reading turns a profile into an array of rows by rule;
 * a plan puts the rows of all profiles of a run side by side, so that one walk over a
 * schema serves all of them: a set of profiles is a word of bits.
 *
 * Pure. Profiles and plans live in the arena they were read into and do not change.
 */
#ifndef FER_PROFILE_H
#define FER_PROFILE_H

#include "rules.h"
#include "shape.h"
#include "subschemas.h"

/* The rules that a profile can have a row for. */
enum fer_profile_rule_id {
    FER_PR_ALLOF_MANY,
    FER_PR_ANYOF_EMPTY,
    FER_PR_ANYOF_PARENT_TYPE,
    FER_PR_ANYOF_SIBLINGS,
    FER_PR_ARRAY_ITEMS_ANYOF,
    FER_PR_ARRAY_ITEMS_LIST,
    FER_PR_ARRAY_ITEMS_MISSING,
    FER_PR_DESCRIPTION_EMPTY,
    FER_PR_DESCRIPTION_LENGTH,
    FER_PR_DESCRIPTION_TYPE,
    FER_PR_ENUM_COMPLEX,
    FER_PR_ENUM_EMPTY,
    FER_PR_ENUM_EMPTY_STRING,
    FER_PR_ENUM_MIXED,
    FER_PR_ENUM_NON_STRING,
    FER_PR_FORMAT_UNSUPPORTED,
    FER_PR_KEYWORD_DOLLAR_COMMENT,
    FER_PR_KEYWORD_DOLLAR_DEFS,
    FER_PR_KEYWORD_DOLLAR_ID,
    FER_PR_KEYWORD_DOLLAR_SCHEMA,
    FER_PR_KEYWORD_ADDITIONALITEMS,
    FER_PR_KEYWORD_ADDITIONALPROPERTIES,
    FER_PR_KEYWORD_ALLOF,
    FER_PR_KEYWORD_ANCHORS,
    FER_PR_KEYWORD_ANNOTATIONS,
    FER_PR_KEYWORD_ANYOF,
    FER_PR_KEYWORD_BOUND_CAP,
    FER_PR_KEYWORD_COMBINATION,
    FER_PR_KEYWORD_CONST,
    FER_PR_KEYWORD_CONTAINS,
    FER_PR_KEYWORD_CONTENT,
    FER_PR_KEYWORD_DEFAULT,
    FER_PR_KEYWORD_DEFINITIONS,
    FER_PR_KEYWORD_DEPENDENT,
    FER_PR_KEYWORD_EXAMPLES,
    FER_PR_KEYWORD_EXCLUSIVE_BOUNDS,
    FER_PR_KEYWORD_FORMAT,
    FER_PR_KEYWORD_IF,
    FER_PR_KEYWORD_IGNORED,
    FER_PR_KEYWORD_LENGTH_BOUNDS,
    FER_PR_KEYWORD_MAXITEMS,
    FER_PR_KEYWORD_MINITEMS,
    FER_PR_KEYWORD_MULTIPLEOF,
    FER_PR_KEYWORD_NOT,
    FER_PR_KEYWORD_NULLABLE,
    FER_PR_KEYWORD_NUMERIC_BOUNDS,
    FER_PR_KEYWORD_ONEOF,
    FER_PR_KEYWORD_PATTERN,
    FER_PR_KEYWORD_PATTERNPROPERTIES,
    FER_PR_KEYWORD_PREFIXITEMS,
    FER_PR_KEYWORD_PROPERTY_COUNTS,
    FER_PR_KEYWORD_PROPERTYNAMES,
    FER_PR_KEYWORD_TITLE,
    FER_PR_KEYWORD_UNENFORCED,
    FER_PR_KEYWORD_UNEVALUATED,
    FER_PR_KEYWORD_UNIQUEITEMS,
    FER_PR_KEYWORD_UNLISTED,
    FER_PR_LIMIT_ANYOF,
    FER_PR_LIMIT_DEPTH,
    FER_PR_LIMIT_ENUM,
    FER_PR_LIMIT_ENUM_CHARS,
    FER_PR_LIMIT_FIELDS,
    FER_PR_LIMIT_GRAMMAR,
    FER_PR_LIMIT_OPTIONAL,
    FER_PR_LIMIT_PROPERTIES,
    FER_PR_LIMIT_SCHEMA_SIZE,
    FER_PR_LIMIT_STRICT_TOOLS,
    FER_PR_LIMIT_STRINGS,
    FER_PR_LIMIT_UNION,
    FER_PR_NAME_CHARSET,
    FER_PR_NAME_FIRST_CHAR,
    FER_PR_NAME_LENGTH,
    FER_PR_OBJECT_ALL_REQUIRED,
    FER_PR_OBJECT_CLOSED,
    FER_PR_OBJECT_PROPERTIES_EMPTY,
    FER_PR_OBJECT_PROPERTIES_MISSING,
    FER_PR_OBJECT_REQUIRED_MIN,
    FER_PR_OBJECT_REQUIRED_MISSING,
    FER_PR_OUTPUT_ROOT,
    FER_PR_PATTERN_BACKREFERENCE,
    FER_PR_PATTERN_INLINE_FLAGS,
    FER_PR_PATTERN_INVALID,
    FER_PR_PATTERN_LOOKAROUND,
    FER_PR_PATTERN_QUANTIFIER,
    FER_PR_PATTERN_UNANCHORED,
    FER_PR_PATTERN_UNICODE_PROPERTY,
    FER_PR_PATTERN_WORD_BOUNDARY,
    FER_PR_PROPERTY_KEY,
    FER_PR_PROPERTY_RESERVED,
    FER_PR_REF_ANY,
    FER_PR_REF_EXTERNAL,
    FER_PR_REF_IN_ALLOF,
    FER_PR_REF_NON_DEFS,
    FER_PR_REF_RECURSIVE,
    FER_PR_REF_SIBLINGS,
    FER_PR_REQUIRED_UNKNOWN,
    FER_PR_REWRITE_NAME_COLLISION,
    FER_PR_ROOT_COMPOSITION,
    FER_PR_ROOT_TYPE,
    FER_PR_SCHEMA_BOOLEAN,
    FER_PR_SCHEMA_METASCHEMA,
    FER_PR_SCHEMA_NOT_OBJECT,
    FER_PR_SCHEMA_OTHER_DIALECT,
    FER_PR_TOOL_KEYS,
    FER_PR_TOOL_SCHEMA_KEY,
    FER_PR_TOOLSET_COUNT,
    FER_PR_TOOLSET_DUPLICATE,
    FER_PR_TOOLSET_MIXED_KEYS,
    FER_PR_TOOLSET_SIZE,
    FER_PR_TYPE_ARRAY,
    FER_PR_TYPE_KEYWORD_MISMATCH,
    FER_PR_TYPE_MISSING,
    FER_PR_TYPE_UNSUPPORTED,
    FER_PR_COUNT
};

/* What a row may say of its rule beside severity, confidence and the provider's words. */
enum fer_profile_params {
    FER_P_MAX = 1,
    FER_P_ADVISED = 2, /* past this a warning, past `max` an error */
    FER_P_MIN = 4,
    FER_P_FROM = 8,           /* counts from so many values on */
    FER_P_CHARS = 16,         /* the characters that are allowed */
    FER_P_FIRST = 32,         /* those that are allowed first */
    FER_P_WORDS = 64,         /* the words that are allowed, or for property.reserved not */
    FER_P_BY_TYPE = 128,      /* the same by type */
    FER_P_KEYWORDS = 256,     /* the keywords that it is about */
    FER_P_EXCEPT = 512,       /* the keywords that it is not about */
    FER_P_ROOT_EXCEPT = 1024, /* the same for the root */
    FER_P_VALUES = 2048,      /* the numbers that are allowed */
    FER_P_SCOPE = 4096,
    FER_P_WITH_SERVER = 8192, /* the name of the server counts, too */
    FER_P_CAPS = 16384,       /* keyword -> largest value */
    FER_P_PAIRS = 32768       /* keywords that exclude each other */
};

struct fer_profile_rule {
    fer_rule rule; /* first: rules.c lists these rows */
    unsigned params;
    uint64_t keywords;      /* that it is always about, as slots */
    const fer_rule *shared; /* a rule of the record that says the same */
};
extern const struct fer_profile_rule fer_profile_rules[FER_PR_COUNT];
/* The rule that findings name. */
const fer_rule *fer_profile_rule_of(enum fer_profile_rule_id id);

enum fer_profile_scope {
    FER_SCOPE_ALL,     /* everywhere */
    FER_SCOPE_ROOT,    /* at the root only */
    FER_SCOPE_DIRECT,  /* of ref.in-allOf: a branch itself; else anything below */
    FER_SCOPE_REQUIRED /* of ref.recursive: only where no step may be left out */
};

/* A set of ASCII characters. */
typedef struct fer_chars {
    uint64_t bits[2];
    fer_str text; /* as it was written */
} fer_chars;

struct fer_words {
    fer_str *list;
    size_t count;
};

/* The largest value of a keyword that is enforced. */
struct fer_cap {
    enum fer_slot slot;
    uint64_t max;
};

/* A row: one rule of one profile. */
struct fer_profile_row {
    bool on;
    fer_severity severity;
    char confidence; /* 'H', 'M', 'L' */
    fer_str says;    /* the provider's words, or empty */
    fer_str note;
    uint64_t max, advised, min, from; /* UINT64_MAX, or 0 for the latter two: none */
    fer_chars chars, first;
    struct fer_words words;
    struct fer_words *by_type;     /* in the order of fer_type_names, or NULL */
    struct fer_words except_names; /* of `except`: what is no keyword */
    uint64_t keywords, except, root_except;
    bool has_keywords, has_except, has_root_except;
    uint64_t values; /* bits of the allowed values 0 to 63 */
    bool has_values;
    struct fer_cap *caps;
    size_t cap_count;
    uint64_t (*pairs)[2]; /* two sets of slots that exclude each other */
    size_t pair_count;
    enum fer_profile_scope scope;
    bool with_server;
};

struct fer_profile {
    fer_str name;      /* as it was asked for */
    fer_str canonical; /* as its document has it */
    fer_str title, provider, mode, date, confidence, extends;
    fer_str
        wire; /* the shape that converted definitions are written in (convert/wire.c), or empty */
    bool strict; /* converted definitions say "strict": true */
    struct fer_words sources, notes, aliases, shapes;
    struct fer_profile_row rows[FER_PR_COUNT];
};

extern const char *const fer_type_names[7];

/* The texts of the built-in profiles, by name, and the schema of their form (made by the build). */
typedef struct fer_profile_text {
    const char *name;
    fer_str text;
} fer_profile_text;
const fer_profile_text *fer_profile_texts(size_t *count);
extern const fer_str fer_profile_schema_text;

#define FER_PROFILE_EXTENDS 8  /* profiles that extend each other */
#define FER_PROFILES_MAX    64 /* profiles of one run */

/* Reads a document whose form is right (fer_profile_load checks it). */
fer_code fer_profile_read(fer_arena *a, const fer_json *doc, unsigned depth, fer_profile **out,
                          fer_err *err);
/* The built-in profile of a name or alias. */
fer_code fer_profile_builtin(fer_arena *a, fer_str name, unsigned depth, fer_profile **out,
                             fer_err *err);

/* The rows of all profiles of a run, side by side. A mask has a bit for each profile. */
typedef struct fer_plan {
    const fer_profile *profiles[FER_PROFILES_MAX];
    size_t count;
    uint64_t native[FER_SHAPE_COUNT]; /* profiles to which definitions of a shape go as they are */
    uint64_t on[FER_PR_COUNT];        /* profiles that have the rule */
    uint64_t reject[KW_COUNT];        /* profiles that refuse the keyword by a rule of its own */
    uint64_t unlisted[KW_COUNT];      /* by keyword.unlisted */
    uint64_t ignored[2][KW_COUNT];    /* [1]: at the root */
    uint64_t unenforced[KW_COUNT];
    uint64_t root_refused[KW_COUNT]; /* by root.composition */
    uint8_t rule_of[KW_COUNT];       /* the rule of a keyword that has one of its own, else 0xFF */
    uint64_t any_slot;               /* slots that some profile has something to say about */
} fer_plan;
/* for each profile of a mask */
#define FER_EACH_PROFILE(mask, index)                                                              \
    for (uint64_t left_##index = (mask), index = 0;                                                \
         left_##index && ((index = (uint64_t)__builtin_ctzll(left_##index)), true);                \
         left_##index &= left_##index - 1)

/* Adds a profile. False: there are FER_PROFILES_MAX. */
FER_MUST_USE bool fer_plan_add(fer_plan *plan, const fer_profile *profile);

static inline bool fer_chars_have(const fer_chars *set, unsigned char c)
{
    return c < 128 && (set->bits[c >> 6] >> (c & 63) & 1);
}

#endif
