/* SPDX-License-Identifier: Apache-2.0 */
/* The definition hash (RELIABILITY 5.15): what it depends on, what it does not, and its value. */
#include <ferrule/contract.h>

#include "rows.h"

#define S      "\"inputSchema\":{\"type\":\"object\"}"
#define T(add) "{\"name\":\"t\"," S add "}"

/* The hash of the first tool of a text. */
static void hash_of(const char *text, char out[FER_HASH_TEXT])
{
    fer_err err = {0};
    fer_arena *a = fer_arena_new(0);
    fer_toolset *set = fer_toolset_new();
    bool json = text[0] == '{' || text[0] == '[';
    if (fer_toolset_add(set, FER_STR("-"), fer_str_of(text),
                        json ? FER_FORMAT_JSON : FER_FORMAT_YAML, &err))
        fail_msg("%s", err.message);
    assert_true(fer_toolset_count(set) > 0);
    assert_int_equal(fer_tool_definition_hash(a, fer_toolset_get(set, 0), out, &err), FER_OK);
    assert_int_equal(strlen(out), FER_HASH_TEXT - 1);
    fer_toolset_free(set);
    fer_arena_free(a);
}

static const struct row {
    const char *name;
    bool same;
    const char *x;
    const char *y;
} rows[] = {
    /* spelling does not count */
    {"order of keys", true,
     T(",\"title\":\"T\",\"annotations\":{\"readOnlyHint\":true,\"title\":\"x\"}"),
     "{\"annotations\":{\"title\":\"x\",\"readOnlyHint\":true},\"title\":\"T\"," S
     ",\"name\":\"t\"}"},
    {"order of keys in a schema", true,
     "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"required\":[\"a\"]}}",
     "{\"name\":\"t\",\"inputSchema\":{\"required\":[\"a\"],\"type\":\"object\"}}"},
    {"white space", true, T(""),
     " {\n\t\"name\" : \"t\" , \"inputSchema\":{ \"type\":\"object\" } }\n"},
    {"1.0 and 1", true, T(",\"_meta\":{\"n\":1.0}"), T(",\"_meta\":{\"n\":1}")},
    {"1e2 and 100", true, T(",\"_meta\":{\"n\":1e2}"), T(",\"_meta\":{\"n\":100}")},
    {"0.10 and 0.1", true, T(",\"_meta\":{\"n\":0.10}"), T(",\"_meta\":{\"n\":0.1}")},
    {"large numbers", true, T(",\"_meta\":{\"n\":100000000000000000000000000000001}"),
     T(",\"_meta\":{\"n\":100000000000000000000000000000001.0}")},
    {"escapes", true, T(",\"title\":\"\\u0041\\/\""), T(",\"title\":\"A/\"")},
    {"yaml", true, T(",\"title\":\"T\""), "name: t\ntitle: T\ninputSchema: {type: object}\n"},
    /* the shape does not count */
    {"anthropic", true, T(",\"description\":\"d\""),
     "{\"name\":\"t\",\"description\":\"d\",\"input_schema\":{\"type\":\"object\"}}"},
    {"openai chat", true, T(",\"description\":\"d\""),
     "{\"type\":\"function\",\"function\":{\"name\":\"t\",\"description\":\"d\",\"parameters\":{\"type\":\"object\"}}}"},
    {"openai responses", true, T(",\"description\":\"d\""),
     "{\"type\":\"function\",\"name\":\"t\",\"description\":\"d\",\"parameters\":{\"type\":\"object\"}}"},
    {"bedrock", true, T(",\"description\":\"d\""),
     "{\"toolSpec\":{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"json\":{\"type\":\"object\"}}}}"},
    {"gemini", true, T(",\"description\":\"d\""),
     "{\"functionDeclarations\":[{\"name\":\"t\",\"description\":\"d\",\"parametersJsonSchema\":{\"type\":\"object\"}}]}"},
    {"bare function", true, T(",\"description\":\"d\""),
     "{\"name\":\"t\",\"description\":\"d\",\"parameters\":{\"type\":\"object\"}}"},
    {"in a list", true, T(""), "{\"tools\":[" T("") "]}"},
    /* the contract does not count */
    {"contract fields", true, T(""),
     T(",\"effect\":\"Pure\",\"namespace\":\"n\",\"version\":\"1.0.0\",\"tags\":[\"a\"],\"notes\":\"n\"")},
    {"_meta.ferrule alone", true, T(""), T(",\"_meta\":{\"ferrule\":{\"effect\":\"Pure\"}}")},
    {"_meta.ferrule beside others", true, T(",\"_meta\":{\"a\":1,\"z\":2}"),
     T(",\"_meta\":{\"z\":2,\"ferrule\":{\"tags\":[]},\"a\":1}")},
    {"_meta.ferrule in front", true, T(",\"_meta\":{\"z\":1}"),
     T(",\"_meta\":{\"ferrule\":1,\"z\":1}")},
    {"_meta.ferrule changed", true, T(",\"_meta\":{\"ferrule\":{\"effect\":\"Pure\"},\"a\":1}"),
     T(",\"_meta\":{\"ferrule\":0,\"a\":1}")},
    {"unknown keys", true, T(""), T(",\"x-vendor\":1")},
    /* everything a model sees counts */
    {"name", false, T(""), "{\"name\":\"u\"," S "}"},
    {"title", false, T(",\"title\":\"a\""), T(",\"title\":\"b\"")},
    {"title there or not", false, T(""), T(",\"title\":\"\"")},
    {"description", false, T(",\"description\":\"a\""), T(",\"description\":\"a \"")},
    {"description there or not", false, T(""), T(",\"description\":\"\"")},
    {"title is not description", false, T(",\"title\":\"a\""), T(",\"description\":\"a\"")},
    {"inputSchema", false, T(""), "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"x\":1}}"},
    {"deep in inputSchema", false,
     "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[1,2]}}}}",
     "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[2,1]}}}}"},
    {"a schema's own key ferrule", false,
     "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"ferrule\":1}}", T("")},
    {"outputSchema", false, T(",\"outputSchema\":{}"), T("")},
    {"outputSchema is not chunkSchema", false, T(",\"outputSchema\":{}"), T(",\"chunkSchema\":{}")},
    {"annotations", false, T(",\"annotations\":{\"readOnlyHint\":true}"),
     T(",\"annotations\":{\"readOnlyHint\":false}")},
    {"icons", false, T(",\"icons\":[{\"src\":\"a\"}]"), T(",\"icons\":[{\"src\":\"b\"}]")},
    {"execution", false, T(",\"execution\":{\"taskSupport\":\"optional\"}"),
     T(",\"execution\":{\"taskSupport\":\"required\"}")},
    {"_meta", false, T(",\"_meta\":{\"a\":1}"), T(",\"_meta\":{\"a\":2}")},
    {"_meta of another tool's ferrule", false, T(",\"_meta\":{\"x\":{\"ferrule\":1}}"),
     T(",\"_meta\":{\"x\":{\"ferrule\":2}}")},
    {"numbers that binary64 cannot tell apart", false, T(",\"_meta\":{\"n\":9007199254740993}"),
     T(",\"_meta\":{\"n\":9007199254740992}")},
    {"1 and \"1\"", false, T(",\"_meta\":{\"n\":1}"), T(",\"_meta\":{\"n\":\"1\"}")},
};

static void compares(const struct row *row)
{
    char x[FER_HASH_TEXT], y[FER_HASH_TEXT];
    hash_of(row->x, x);
    hash_of(row->y, y);
    if (row->same) assert_string_equal(x, y);
    else assert_string_not_equal(x, y);
}

/* Computed with python3: hashlib.sha256 over canonical JSON that was written by hand. */
static const struct vector {
    const char *name;
    const char *text;
    const char *hash;
} vectors[] = {
    {"smallest", "[{\"inputSchema\":{\"type\":\"object\"},\"tags\":[\"x\"],\"name\":\"t\"}]",
     "c6005ee7854db532c5afa7ec72ecc502c63014ac9fe51e0b422daf578ebd3e0a"},
    {"every field",
     "{\"title\":\"Read\",\"name\":\"read\",\"namespace\":\"fs\",\"effect\":\"Pure\","
     "\"description\":\"Reads a \\u0022file\\u0022\\n\\u00e4\\ud83d\\udd25\","
     "\"outputSchema\":{\"type\":\"array\"},\"icons\":[{\"src\":\"x\"}],\"execution\":{\"taskSupport\":\"optional\"},"
     "\"annotations\":{\"title\":\"R\",\"readOnlyHint\":true},"
     "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"multipleOf\":1e2},\"a\":{\"minimum\":0.50,\"maximum\":1e21}}},"
     "\"_meta\":{\"z\":null,\"ferrule\":{\"tags\":[\"x\"]},\"a\":{\"ferrule\":1.0}}}",
     "e4eb1037d4bd6e421f787c344851771deeb543fca36d771dd094e6f6a1fc6d81"},
};

static void has_hash(const struct vector *row)
{
    char hash[FER_HASH_TEXT];
    hash_of(row->text, hash);
    assert_string_equal(hash, row->hash);
}

static fer_code attempt(fer_arena *a, const void *row)
{
    char hash[FER_HASH_TEXT];
    const fer_toolset *set = row;
    return fer_tool_definition_hash(a, fer_toolset_get(set, 0), hash, NULL);
}

static void without_memory(void)
{
    fer_toolset *set = fer_toolset_new();
    assert_int_equal(
        fer_toolset_add(set, FER_STR("-"), fer_str_of(vectors[1].text), FER_FORMAT_JSON, NULL),
        FER_OK);
    assert_true(rows_torture_arena(attempt, set) > 1);
    fer_toolset_free(set);
}

int main(void)
{
    return ROWS_RUN("definition", rows, compares) + ROWS_RUN("definition", vectors, has_hash) +
           ROWS_ONE("definition", without_memory);
}
