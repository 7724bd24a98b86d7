/* SPDX-License-Identifier: Apache-2.0 */
/* What schemas say of their parameters, a line for each. */
#include <ferrule/schema.h>
#include <stdlib.h>

#include "buf.h"
#include "must_read.h"

/* name, "!" where required, depth, types, then what else there is. */
static fer_str in_lines(fer_arena *a, const fer_schema_info *info)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < info->count; i++) {
        const fer_parameter *p = &info->parameters[i];
        fer_buf_printf(&b, "%.*s%s %zu", FER_PRI(p->name), p->required ? "!" : "", p->depth);
        for (size_t t = 0; t < p->type_count; t++) {
            fer_buf_printf(&b, "%c%.*s", t ? '|' : ' ', FER_PRI(p->types[t]));
        }
        if (p->default_json.len) fer_buf_printf(&b, " =%.*s", FER_PRI(p->default_json));
        if (p->enum_json.len) fer_buf_printf(&b, " of%.*s", FER_PRI(p->enum_json));
        if (p->format.len) fer_buf_printf(&b, " as %.*s", FER_PRI(p->format));
        if (p->description.len) fer_buf_printf(&b, " \"%.*s\"", FER_PRI(p->description));
        fer_buf_add_char(&b, '\n');
    }
    return b.failure ? FER_STR_NONE : b.len ? fer_buf_view(&b) : FER_STR("");
}

static const struct row {
    const char *name;
    fer_dialect dialect;
    const char *schema;
    const char *lines;
    const char *written; /* NULL: not looked at */
} rows[] = {
    {"nothing", 0, "{}", "", "{\"required\":[],\"defaults\":{},\"types\":{}}"},
    {"true", 0, "true", "", "{\"required\":[],\"defaults\":{},\"types\":{}}"},
    {"plain", 0,
     "{\"properties\":{\"a\":{\"type\":\"string\",\"description\":\"An a.\",\"format\":\"date\"},"
     "\"b\":{\"type\":[\"integer\",\"null\"],\"default\":3}},\"required\":[\"a\"]}",
     "a! 0 string as date \"An a.\"\nb 0 integer|null =3\n",
     "{\"required\":[\"a\"],\"defaults\":{\"b\":3},\"types\":{\"a\":[\"string\"],"
     "\"b\":[\"integer\",\"null\"]}}"},
    {"any type", 0, "{\"properties\":{\"a\":{},\"b\":true}}", "a 0\nb 0\n",
     "{\"required\":[],\"defaults\":{},\"types\":{\"a\":[],\"b\":[]}}"},
    {"enum without type", 0,
     "{\"properties\":{\"a\":{\"enum\":[\"x\",1,2.5,null,true,[],{},1e400]}}}",
     "a 0 string|integer|number|null|boolean|array|object of[\"x\",1,2.5,null,true,[],{},1e400]\n",
     NULL},
    {"const", 0, "{\"properties\":{\"a\":{\"const\":-7}}}", "a 0 integer of[-7]\n", NULL},
    {"type beside enum", 0, "{\"properties\":{\"a\":{\"type\":\"number\",\"enum\":[1]}}}",
     "a 0 number of[1]\n", NULL},
    {"const is unknown in draft-04", FER_DIALECT_DRAFT4, "{\"properties\":{\"a\":{\"const\":1}}}",
     "a 0\n", NULL},
    {"required but not described", 0, "{\"properties\":{\"a\":{}},\"required\":[\"z\",\"a\"]}",
     "a! 0\nz! 0\n", "{\"required\":[\"a\",\"z\"],\"defaults\":{},\"types\":{\"a\":[],\"z\":[]}}"},
    {"nested", 0,
     "{\"properties\":{\"address\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"},"
     "\"geo\":{\"properties\":{\"lat\":{\"type\":\"number\"}}}},\"required\":[\"city\"]},"
     "\"z\":{\"default\":null}}}",
     "address 0 object\naddress.city! 1 string\naddress.geo 1\naddress.geo.lat 2 number\nz 0 =null\n",
     "{\"required\":[],\"defaults\":{\"z\":null},\"types\":{\"address\":[\"object\"],\"z\":[]}}"},
    {"list", 0,
     "{\"properties\":{\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"x\":{}}}}}}",
     "tags 0 array\ntags[] 1 object\ntags[].x 2\n", NULL},
    {"whole is a list", 0, "{\"items\":{\"type\":\"string\"}}", "[] 0 string\n",
     "{\"required\":[],\"defaults\":{},\"types\":{\"[]\":[\"string\"]}}"},
    {"tuple", 0,
     "{\"properties\":{\"p\":{\"prefixItems\":[{\"type\":\"string\"},{\"type\":\"null\"}],\"items\":{\"type\":"
     "\"integer\"}}}}",
     "p 0\np[0] 1 string\np[1] 1 null\np[] 1 integer\n", NULL},
    {"tuple, draft-07", FER_DIALECT_DRAFT7,
     "{\"properties\":{\"p\":{\"items\":[{\"type\":\"string\"}],\"additionalItems\":{\"type\":\"integer\"}}}}",
     "p 0\np[0] 1 string\np[] 1 integer\n", NULL},
    {"items false", 0, "{\"properties\":{\"p\":{\"items\":false}}}", "p 0\n", NULL},
    {"two tuples", 0,
     "{\"allOf\":[{\"prefixItems\":[{\"type\":\"number\"}]},{\"prefixItems\":[{\"type\":\"integer\"}]}]}",
     "[0] 0 integer\n", NULL},
    {"name that dots cannot say", 0,
     "{\"properties\":{\"unit price\":{\"type\":\"number\",\"default\":1,\"properties\":{\"x\":{}}}},\"required\":["
     "\"unit price\"]}",
     "[\"unit price\"]! 0 number =1\n[\"unit price\"].x 1\n",
     "{\"required\":[\"unit price\"],\"defaults\":{\"unit price\":1},\"types\":{\"unit price\":[\"number\"]}}"},
    {"through $ref", 0,
     "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/name\",\"description\":\"Mine.\"}},"
     "\"$defs\":{\"name\":{\"type\":\"string\",\"description\":\"Theirs.\",\"default\":\"x\"}}}",
     "a 0 string =\"x\" \"Mine.\"\n", NULL},
    {"beside $ref nothing counts in draft-07", FER_DIALECT_DRAFT7,
     "{\"properties\":{\"a\":{\"$ref\":\"#/definitions/name\",\"description\":\"Mine.\",\"default\":1}},"
     "\"definitions\":{\"name\":{\"type\":\"string\",\"description\":\"Theirs.\"}}}",
     "a 0 string \"Theirs.\"\n", NULL},
    {"the whole is a $ref", FER_DIALECT_DRAFT7,
     "{\"$ref\":\"#/definitions/o\",\"definitions\":{\"o\":{\"properties\":{\"a\":{}},\"required\":[\"a\"]}}}",
     "a! 0\n", NULL},
    {"through $dynamicRef", 0,
     "{\"$dynamicRef\":\"#o\",\"$defs\":{\"o\":{\"$dynamicAnchor\":\"o\",\"properties\":{\"a\":{}}}}}",
     "a 0\n", NULL},
    {"allOf adds", 0,
     "{\"properties\":{\"a\":{\"type\":\"number\"}},\"allOf\":[{\"properties\":{\"b\":{}},\"required\":[\"a\"]},"
     "{\"$ref\":\"#/$defs/more\"}],\"$defs\":{\"more\":{\"properties\":{\"c\":{},\"a\":{\"type\":\"integer\","
     "\"default\":1}}}}}",
     "a! 0 integer =1\nb 0\nc 0\n",
     "{\"required\":[\"a\"],\"defaults\":{\"a\":1},\"types\":{\"a\":[\"integer\"],\"b\":[],\"c\":[]}}"},
    {"allOf narrows", 0,
     "{\"properties\":{\"a\":{\"allOf\":[{\"type\":[\"string\",\"integer\",\"null\"]},{\"type\":[\"number\","
     "\"null\"]}]}}}",
     "a 0 integer|null\n", NULL},
    {"allOf leaves nothing", 0,
     "{\"properties\":{\"a\":{\"allOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}}}", "a 0\n",
     NULL},
    {"null beside", 0,
     "{\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}}}",
     "a 0 string|null\n", NULL},
    {"null first", 0,
     "{\"properties\":{\"a\":{\"oneOf\":[{\"type\":[\"null\"]},{\"$ref\":\"#/$defs/o\"}]}},"
     "\"$defs\":{\"o\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}},\"description\":\"O.\"}}}",
     "a 0 null|object \"O.\"\na.x 1 string\n", NULL},
    {"null beside, and refused elsewhere", 0,
     "{\"properties\":{\"a\":{\"type\":\"string\",\"anyOf\":[{\"minLength\":1},{\"const\":null}]}}}",
     "a 0 string\n", NULL},
    {"null beside values", 0,
     "{\"properties\":{\"a\":{\"anyOf\":[{\"enum\":[\"x\",\"y\"]},{\"enum\":[null]}]}}}",
     "a 0 string|null of[\"x\",\"y\",null]\n", NULL},
    {"null beside a reference to values", 0,
     "{\"properties\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/v\"},{\"type\":\"null\"}]}},\"$defs\":{\"v\":{\"enum\":["
     "\"x\"]}}}",
     "a 0 string|null of[\"x\",null]\n", NULL},
    {"branches of constants", 0,
     "{\"properties\":{\"a\":{\"oneOf\":[{\"const\":\"x\",\"title\":\"X\"},{\"const\":\"y\"},{\"type\":\"null\"},"
     "{\"enum\":[3]}]}}}",
     "a 0 string|null|integer of[\"x\",\"y\",null,3]\n", NULL},
    {"branches of types", 0,
     "{\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"},{\"type\":\"string\"}]}}}",
     "a 0 string|integer\n", NULL},
    {"a branch of any type", 0,
     "{\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":1}]}}}", "a 0\n", NULL},
    {"anyOf and oneOf", 0,
     "{\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"}],\"oneOf\":[{\"type\":\"integer\"},"
     "{\"type\":\"array\"}]}}}",
     "a 0 integer\n", NULL},
    {"one branch is no choice", 0,
     "{\"anyOf\":[{\"properties\":{\"a\":{}}}],\"properties\":{\"b\":{}}}", "b 0\na 0\n", NULL},
    {"parameters of a choice are left out", 0,
     "{\"anyOf\":[{\"properties\":{\"a\":{}}},{\"properties\":{\"b\":{}}}]}", "", NULL},
    {"tree", 0,
     "{\"$id\":\"http://x/tree\",\"properties\":{\"value\":{\"type\":\"integer\"},\"children\":{\"items\":{\"$ref\":"
     "\"#\"}}}}",
     "value 0 integer\nchildren 0\nchildren[] 1\n", NULL},
    {"two that name each other", 0,
     "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"properties\":{\"b\":{\"$ref\":\"#/$defs/b\"}}},"
     "\"b\":{\"properties\":{\"a\":{\"$ref\":\"#/$defs/a\"}}}}}",
     "b 0\nb.a 1\n", NULL},
    {"a base of both is no cycle", 0,
     "{\"allOf\":[{\"$ref\":\"#/$defs/base\"}],\"properties\":{\"in\":{\"allOf\":[{\"$ref\":\"#/$defs/base\"}],"
     "\"properties\":{\"y\":{}}}},\"$defs\":{\"base\":{\"properties\":{\"id\":{}}}}}",
     "in 0\nin.y 1\nin.id 1\nid 0\n", NULL},
    {"reference to itself", 0,
     "{\"properties\":{\"a\":{\"allOf\":[{\"$ref\":\"#/properties/a\"}]}}}", "a 0\n", NULL},
    {"branches in branches end", 0,
     "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{\"anyOf\":[{\"items\":{}},{\"items\":{},"
     "\"anyOf\":[{\"$ref\":\"#/$defs/b\"},true]}]},\"b\":{\"type\":\"string\"}}}",
     "a 0\n", NULL},
    {"depth ends", 0,
     "{\"properties\":{\"a\":{\"properties\":{\"a\":{\"properties\":{\"a\":{\"properties\":{\"a\":{\"properties\":{\"a\":{\"properties\":{\"a\":{\"properties\":{\"a\":{\"properties\":{\"a\":{\"properties\":{\"a\":{}}}}}}}}}}}}}}}}}}}",
     "a 0\na.a 1\na.a.a 2\na.a.a.a 3\na.a.a.a.a 4\na.a.a.a.a.a 5\na.a.a.a.a.a.a 6\na.a.a.a.a.a.a.a 7\n",
     NULL},
};

struct compiled {
    const struct row *row;
    const fer_schema *schema;
};

static fer_code describe(fer_arena *a, const void *context)
{
    const struct compiled *c = context;
    fer_schema_info info = {NULL, 77};
    fer_str written;
    fer_err err;
    fer_code code = fer_schema_describe(a, c->schema, &info, &err);
    if (code) {
        assert_int_equal(err.code, code);
        assert_int_equal(info.count, 77);
        return code;
    }
    fer_arena *mine = fer_arena_new(0);
    assert_str(in_lines(mine, &info), c->row->lines);
    fer_arena_free(mine);
    code = fer_schema_info_write(a, &info, &written, &err);
    if (!code && c->row->written) assert_str(written, c->row->written);
    return code;
}

static void describes(const struct row *row)
{
    fer_err err;
    fer_schema *s;
    const fer_schema_options options = {.dialect = row->dialect};
    if (fer_schema_compile(fer_str_of(row->schema), &options, &s, &err))
        fail_msg("%s", err.message);
    const struct compiled compiled = {row, s};
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(describe(a, &compiled), FER_OK);
    fer_arena_free(a);
    rows_torture_arena(describe, &compiled);
    fer_schema_unref(s);
}

static void describe_large(const char *text, size_t least, size_t most)
{
    fer_err err;
    fer_schema *s;
    fer_schema_info info;
    fer_arena *a = fer_arena_new(0);
    fer_schema_options options = {.limits = fer_schema_limits_file()};
    if (fer_schema_compile(fer_str_of(text), &options, &s, &err)) fail_msg("%s", err.message);
    rows_must_end(20);
    assert_int_equal(fer_schema_describe(a, s, &info, &err), FER_OK);
    rows_must_end(0);
    if (info.count < least || info.count > most) fail_msg("%zu parameters", info.count);
    fer_schema_unref(s);
    fer_arena_free(a);
}

/* No more than so many parameters, of one object or of many. */
static void parameters_end(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_buf_init(&b, a, 1 << 22);
    fer_buf_add_text(&b, "{\"properties\":{\"0\":{}");
    for (int i = 1; i < 5000; i++) fer_buf_printf(&b, ",\"%d\":{}", i);
    fer_buf_add_text(&b, "},\"required\":[\"0\"");
    for (int i = 1; i < 9000; i++) fer_buf_printf(&b, ",\"%d\"", i);
    fer_buf_add_text(&b, "]}");
    fer_buf_add_char(&b, '\0');
    describe_large(b.ptr, 1000, 1000);
    fer_arena_free(a);
}

/* A million ways down, a large list of values that everybody has: steps end it. */
static void work_ends(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_buf_init(&b, a, 1 << 22);
    fer_buf_add_text(&b, "{\"$ref\":\"#/$defs/0\",\"$defs\":{\"v\":{\"enum\":[0");
    for (int i = 1; i < 9000; i++) fer_buf_printf(&b, ",\"value %d\"", i);
    fer_buf_add_text(&b, "]},\"n\":{\"anyOf\":[{\"type\":\"null\"}");
    for (int i = 1; i < 9000; i++) fer_buf_add_text(&b, ",{\"type\":\"null\"}");
    fer_buf_add_text(&b, "]}");
    for (int level = 0; level < 9; level++) {
        fer_buf_printf(&b, ",\"%d\":{\"properties\":{", level);
        for (int i = 0; i < 10; i++) {
            fer_buf_printf(
                &b,
                "%s\"%d\":{\"allOf\":[{\"$ref\":\"#/$defs/%d\"},{\"$ref\":\"#/$defs/n\"},{\"anyOf\":[{"
                "\"$ref\":\"#/$defs/v\"},{\"$ref\":\"#/$defs/%d\"}]}]}",
                i ? "," : "", i, level + 1, level + 1);
        }
        fer_buf_add_text(&b, "}}");
    }
    fer_buf_add_text(
        &b, ",\"9\":{\"anyOf\":[{\"$ref\":\"#/$defs/v\"},{\"enum\":[1]}],\"default\":[1,2,3]}}}");
    fer_buf_add_char(&b, '\0');
    describe_large(b.ptr, 1, 1000);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("describe", rows, describes) + ROWS_ONE("describe", parameters_end) +
           ROWS_ONE("describe", work_ends);
}
