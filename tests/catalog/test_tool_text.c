/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of a tool that search looks at. */
#include "tool_text.h"

#include "buf.h"
#include "json_value.h"
#include "must_read.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *schema;
    const char *texts; /* field=text, joined by | */
} rows[] = {
    {"none", "null", ""},
    {"no schema", "[1]", ""},
    {"names and texts", "{'properties':{'city':{'type':'string','description':'Where'}}}",
     "paramName=city|paramText=Where"},
    {"a text of the whole", "{'description':'All of it','title':'T'}",
     "paramText=All of it|paramText=T"},
    {"values", "{'properties':{'u':{'enum':['km','mile',3,null]},'v':{'const':'x'}}}",
     "paramName=u|paramValue=km|paramValue=mile|paramName=v|paramValue=x"},
    {"nested", "{'properties':{'a':{'type':'array','items':{'properties':{'b':{}}}}}}",
     "paramName=a|paramName=b"},
    {"items as a list", "{'items':[{'title':'x'},true]}", "paramText=x"},
    {"alternatives", "{'anyOf':[{'title':'x'},{'allOf':[{'title':'y'}]}],'oneOf':[{'title':'z'}]}",
     "paramText=x|paramText=y|paramText=z"},
    {"definitions", "{'$defs':{'D':{'properties':{'d':{}}}},'definitions':{'E':{'title':'e'}}}",
     "paramName=d|paramText=e"},
    {"conditions", "{'if':{'title':'i'},'then':{'title':'t'},'else':{'title':'e'}}",
     "paramText=i|paramText=t|paramText=e"},
    {"a parameter named like a keyword", "{'properties':{'enum':{'title':'x'},'properties':{}}}",
     "paramName=enum|paramText=x|paramName=properties"},
    {"wrong forms", "{'properties':[1],'enum':'x','items':7,'anyOf':{},'description':{}}", ""},
};

/* JSON with ' for ", which keeps the tables legible. */
static const yyjson_val *must_read_quoted(fer_arena *a, const char *text)
{
    size_t len = strlen(text);
    char *p = fer_arena_alloc(a, len + 1);
    assert_non_null(p);
    for (size_t i = 0; i < len; i++) p[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    return must_read(a, (fer_str){p, len}, NULL);
}

static fer_str list_texts(fer_arena *a, const fer_search_doc *doc)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 16);
    for (size_t i = 0; i < doc->count; i++) {
        if (i) fer_buf_add_char(&b, '|');
        fer_buf_add_text(&b, fer_search_field_name(doc->texts[i].field));
        fer_buf_add_char(&b, '=');
        fer_buf_add(&b, doc->texts[i].text);
    }
    return fer_buf_view(&b);
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_search_doc doc;
    const yyjson_val *schema = must_read_quoted(a, row->schema);
    assert_int_equal(fer_tool_text(a, &(fer_tool_head){0}, schema, &doc, NULL), FER_OK);
    assert_str(list_texts(a, &doc), row->texts);
    fer_arena_free(a);
}

static void heads(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_search_doc doc;
    fer_tool_head head = {FER_STR("ns"), FER_STR("n"), FER_STR("T"),
                          FER_STR("c"),  FER_STR("d"), must_read_quoted(a, "['x',1,'y']")};
    assert_int_equal(fer_tool_text(a, &head, NULL, &doc, NULL), FER_OK);
    assert_str(list_texts(a, &doc),
               "name=n|namespace=ns|title=T|tag=x|tag=y|category=c|description=d");
    fer_arena_free(a);
}

/* `levels` objects inside each other, the innermost with a title. */
static size_t titles_at(fer_arena *a, unsigned levels)
{
    fer_buf b;
    fer_search_doc doc;
    fer_buf_init(&b, a, 1 << 16);
    for (unsigned i = 0; i < levels; i++) fer_buf_add_text(&b, "{'items':");
    fer_buf_add_text(&b, "{'title':'x'}");
    fer_buf_add_repeat(&b, '}', levels);
    fer_buf_add_char(&b, 0);
    assert_int_equal(fer_tool_text(a, &(fer_tool_head){0}, must_read_quoted(a, b.ptr), &doc, NULL),
                     FER_OK);
    return doc.count;
}

static void depth(void)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(titles_at(a, FER_TOOL_TEXT_DEPTH - 1), 1);
    assert_int_equal(titles_at(a, FER_TOOL_TEXT_DEPTH), 0);
    fer_arena_free(a);
}

static void many(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_search_doc doc;
    fer_buf_init(&b, a, 1 << 16);
    fer_buf_add_text(&b, "{'enum':['x'");
    for (unsigned i = 0; i < FER_TOOL_TEXT_MAX; i++) fer_buf_add_text(&b, ",'x'");
    fer_buf_add_text(&b, "]}");
    fer_buf_add_char(&b, 0);
    assert_int_equal(fer_tool_text(a, &(fer_tool_head){0}, must_read_quoted(a, b.ptr), &doc, NULL),
                     FER_OK);
    assert_int_equal(doc.count, FER_TOOL_TEXT_MAX);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("texts", rows, run) + ROWS_ONE("texts", heads) + ROWS_ONE("texts", depth) +
           ROWS_ONE("texts", many);
}
