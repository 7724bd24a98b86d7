/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters, paging, output, null and unions: what breaks each rule, and what just holds it. */
#include "quality_rows.h"

#define NUM(name, more)  INPUT("'" name "':{'type':'integer'," SAYS more "}")
#define STR(name, text)  INPUT("'" name "':{'type':'string','description':'" text "'}")
#define STR_(name, more) INPUT("'" name "':{'type':'string'," SAYS more "}")
#define BOOL(name)       INPUT("'" name "':{'type':'boolean'," SAYS "}")
#define ENUM(values)     INPUT("'a':{'type':'string'," SAYS ",'enum':[" values "]}")
#define LIST(name, p, o)                                                                                               \
    TOOL(                                                                                                              \
        name,                                                                                                          \
        "'description':'Lists all things of the store. Returns them.','inputSchema':{'type':'object','properties':{" p \
        "}}" o)
#define V10(a)                                                                                     \
    "'" a "0','" a "1','" a "2','" a "3','" a "4','" a "5','" a "6','" a "7','" a "8','" a "9'"
#define OPT(x) "'" x "':{'type':'string'," SAYS "}"
#define OPT8                                                                                       \
    OPT("a")                                                                                       \
    "," OPT("b") "," OPT("c") "," OPT("d") "," OPT("e") "," OPT("f") "," OPT("g") "," OPT("h")
#define OBJ(name, inner) "'" name "':{'type':'object'," SAYS ",'properties':{" inner "}}"
#define ASKS(inner)                                                                                \
    TOOL("get_thing",                                                                              \
         TEXT ",'inputSchema':{'type':'object','properties':{" OPT("title") "}," inner "}")
#define TAGGED(tag, key)                                                                           \
    "{'type':'object','properties':{'type':{'const':'" tag "'},'" key                              \
    "':{'type':'string'}},'required':['type','" key "']}"

static const struct quality_row rows[] = {
    {"timeout", FER_Q_PARAM_UNIT, 1, NUM("timeout", ""),
     .pointer = "/inputSchema/properties/timeout"},
    {"amount without currency", FER_Q_PARAM_UNIT, 1, NUM("amount", "")},
    {"maxDelay", FER_Q_PARAM_UNIT, 0, NUM("maxDelayMs", "")},
    {"file_size", FER_Q_PARAM_UNIT, 1, NUM("file_size", "")},
    {"unit in the description only", FER_Q_PARAM_UNIT, 1,
     INPUT("'interval':{'type':'number','description':'Time between two calls in seconds'}"),
     .says = "into the name"},
    {"timeoutMs", FER_Q_PARAM_UNIT, 0, NUM("timeoutMs", "")},
    {"amount and currency", FER_Q_PARAM_UNIT, 0,
     INPUT("'amount':{'type':'integer'," SAYS "},'currency':{'type':'string'," SAYS "}")},
    {"pageSize counts", FER_Q_PARAM_UNIT, 0, NUM("pageSize", "")},
    {"temperature of a model", FER_Q_PARAM_UNIT, 0,
     INPUT("'temperature':{'type':'number','maximum':2,'description':'How random it is'}")},
    {"a string has no unit", FER_Q_PARAM_UNIT, 0, STR("duration", "ISO 8601 duration")},

    {"seconds", FER_Q_PARAM_DURATION_MS, 1, NUM("timeoutSeconds", "")},
    {"minutes", FER_Q_PARAM_DURATION_MS, 1, NUM("max_age_minutes", "")},
    {"fractions of milliseconds", FER_Q_PARAM_DURATION_MS, 1,
     INPUT("'delayMs':{'type':'number'," SAYS "}"),
     .pointer = "/inputSchema/properties/delayMs/type"},
    {"milliseconds", FER_Q_PARAM_DURATION_MS, 0, NUM("timeoutMs", "")},
    {"a word that is a unit", FER_Q_PARAM_DURATION_MS, 0, NUM("seconds", "")},
    {"seconds first", FER_Q_PARAM_DURATION_MS, 0, NUM("secondsCount", "")},

    {"price as a number", FER_Q_PARAM_MONEY_FLOAT, 1, INPUT("'price':{'type':'number'," SAYS "}")},
    {"amount as a number", FER_Q_PARAM_MONEY_FLOAT, 1,
     INPUT("'totalAmount':{'type':'number'," SAYS "}")},
    {"total of money", FER_Q_PARAM_MONEY_FLOAT, 1,
     INPUT("'total':{'type':'number','description':'Sum of the invoice'}")},
    {"price in the smallest unit", FER_Q_PARAM_MONEY_FLOAT, 0, NUM("price", "")},
    {"price as a string", FER_Q_PARAM_MONEY_FLOAT, 0, STR("price", "Decimal")},
    {"total of something else", FER_Q_PARAM_MONEY_FLOAT, 0,
     INPUT("'total':{'type':'number','description':'Sum of the weights'}")},

    {"flag", FER_Q_PARAM_BOOL_NAME, 1, BOOL("flag")},
    {"mode", FER_Q_PARAM_BOOL_NAME, 1, BOOL("debugMode")},
    {"status", FER_Q_PARAM_BOOL_NAME, 1, BOOL("status")},
    {"includeArchived", FER_Q_PARAM_BOOL_NAME, 0, BOOL("includeArchived")},
    {"dryRun", FER_Q_PARAM_BOOL_NAME, 0, BOOL("dryRun")},
    {"force", FER_Q_PARAM_BOOL_NAME, 0, BOOL("force")},
    {"includeStatus", FER_Q_PARAM_BOOL_NAME, 0, BOOL("includeStatus")},

    {"user takes an ID", FER_Q_PARAM_ID_NAME, 1, STR("user", "ID of the user"), .says = "userId"},
    {"project takes a UUID", FER_Q_PARAM_ID_NAME, 1, STR("project", "The project UUID")},
    {"bare id beside others", FER_Q_PARAM_ID_NAME, 1,
     INPUT("'id':{'type':'string'," SAYS "},'projectId':{'type':'string'," SAYS "}"),
     .pointer = "/inputSchema/properties/id"},
    {"userId", FER_Q_PARAM_ID_NAME, 0, STR("userId", "ID of the user")},
    {"user takes a name", FER_Q_PARAM_ID_NAME, 0, STR("user", "Name of the user")},
    {"bare id alone", FER_Q_PARAM_ID_NAME, 0, STR("id", "ID of the thing")},
    {"ID or name", FER_Q_PARAM_ID_NAME, 0, STR("project", "ID or name of the project")},

    {"one of", FER_Q_PARAM_ENUM_IN_PROSE, 1, STR("sort", "One of: asc, desc"),
     .pointer = "/inputSchema/properties/sort/description"},
    {"allowed values", FER_Q_PARAM_ENUM_IN_PROSE, 1,
     STR("kind", "Kind of thing. Allowed values are open, closed and all")},
    {"quoted list", FER_Q_PARAM_ENUM_IN_PROSE, 1, STR("kind", "Whether `open` or `closed`")},
    {"either", FER_Q_PARAM_ENUM_IN_PROSE, 1, STR("kind", "Either open or closed")},
    {"with explanations", FER_Q_PARAM_ENUM_IN_PROSE, 1,
     STR("kind", "`fast` (less exact), `slow` (exact)")},
    {"an enum", FER_Q_PARAM_ENUM_IN_PROSE, 0,
     INPUT("'sort':{'type':'string','enum':['asc','desc'],'description':'One of asc, desc'}")},
    {"examples", FER_Q_PARAM_ENUM_IN_PROSE, 0, STR("kind", "Kind of thing, e.g. `open`, `closed`")},
    {"one of nothing listed", FER_Q_PARAM_ENUM_IN_PROSE, 0,
     STR("kind", "One of the kinds that list_kinds gives")},
    {"an open list", FER_Q_PARAM_ENUM_IN_PROSE, 0, STR("version", "`latest` or a version number")},
    {"and so on", FER_Q_PARAM_ENUM_IN_PROSE, 0, STR("kind", "`open`, `closed`, etc.")},
    {"one quoted word", FER_Q_PARAM_ENUM_IN_PROSE, 0, STR("kind", "Use `all` for everything")},

    {"Open and open", FER_Q_PARAM_ENUM_CASE, 1, ENUM("'Open','open'"),
     .pointer = "/inputSchema/properties/a/enum"},
    {"among others", FER_Q_PARAM_ENUM_CASE, 1, ENUM("'a','b','C','c'")},
    {"among many", FER_Q_PARAM_ENUM_CASE, 1, ENUM(V10("a") "," V10("b") ",'A3'"), .says = "A3"},
    {"different", FER_Q_PARAM_ENUM_CASE, 0, ENUM("'Open','closed'")},
    {"repeated, not in case", FER_Q_PARAM_ENUM_CASE, 0, ENUM("'a','a'")},
    {"many different", FER_Q_PARAM_ENUM_CASE, 0, ENUM(V10("a") "," V10("b"))},

    {"41 values", FER_Q_PARAM_ENUM_SIZE, 1,
     ENUM(V10("a") "," V10("b") "," V10("c") "," V10("d") ",'e'"), .says = "41"},
    {"50 values", FER_Q_PARAM_ENUM_SIZE, 1,
     ENUM(V10("a") "," V10("b") "," V10("c") "," V10("d") "," V10("e"))},
    {"60 values, no type", FER_Q_PARAM_ENUM_SIZE, 1,
     INPUT("'a':{'enum':[" V10("a") "," V10("b") "," V10("c") "," V10("d") "," V10("e") "," V10(
         "f") "]}")},
    {"40 values", FER_Q_PARAM_ENUM_SIZE, 0, ENUM(V10("a") "," V10("b") "," V10("c") "," V10("d"))},
    {"two values", FER_Q_PARAM_ENUM_SIZE, 0, ENUM("'a','b'")},
    {"no enum", FER_Q_PARAM_ENUM_SIZE, 0, STR("a", "x")},

    {"url", FER_Q_PARAM_FORMAT_MISSING, 1, STR_("url", ""), .says = "uri"},
    {"startedAt", FER_Q_PARAM_FORMAT_MISSING, 1, STR_("startedAt", ""), .says = "date-time"},
    {"due_date", FER_Q_PARAM_FORMAT_MISSING, 1, STR_("due_date", "")},
    {"email", FER_Q_PARAM_FORMAT_MISSING, 1, STR_("email", "")},
    {"url with format", FER_Q_PARAM_FORMAT_MISSING, 0, STR_("url", ",'format':'uri'")},
    {"date with pattern", FER_Q_PARAM_FORMAT_MISSING, 0, STR_("date", ",'pattern':'^[0-9]+$'")},
    {"update is no date", FER_Q_PARAM_FORMAT_MISSING, 0, STR_("update", "")},
    {"relative dates", FER_Q_PARAM_FORMAT_MISSING, 0,
     STR("date", "A date, or relative such as -7d")},

    {"createdAt", FER_Q_PARAM_TIME_SUFFIX, 1, STR_("createdAt", "")},
    {"updated_at", FER_Q_PARAM_TIME_SUFFIX, 1, STR_("updated_at", "")},
    {"createdAt of the output", FER_Q_PARAM_TIME_SUFFIX, 1,
     OUTPUT("get_thing", "{'type':'object','properties':{'createdAt':{'type':'string'}}}"),
     .pointer = "/outputSchema/properties/createdAt"},
    {"createdAt with format", FER_Q_PARAM_TIME_SUFFIX, 0,
     STR_("createdAt", ",'format':'date-time'")},
    {"createdAt as a number", FER_Q_PARAM_TIME_SUFFIX, 0, NUM("createdAt", "")},
    {"created", FER_Q_PARAM_TIME_SUFFIX, 0, STR_("created", "")},

    {"pattern alone", FER_Q_PARAM_PATTERN_EXAMPLE, 1, STR_("a", ",'pattern':'^[A-Z]{3}$'"),
     .pointer = "/inputSchema/properties/a/pattern"},
    {"pattern without words", FER_Q_PARAM_PATTERN_EXAMPLE, 1,
     INPUT("'a':{'type':'string','pattern':'^x$'}")},
    {"pattern and text", FER_Q_PARAM_PATTERN_EXAMPLE, 1,
     INPUT("'a':{'type':'string','pattern':'^x+$','description':'The code of the thing'}")},
    {"pattern and examples", FER_Q_PARAM_PATTERN_EXAMPLE, 0,
     STR_("a", ",'pattern':'^[A-Z]{3}$','examples':['ABC']")},
    {"pattern and e.g.", FER_Q_PARAM_PATTERN_EXAMPLE, 0,
     INPUT("'a':{'type':'string','pattern':'^x+$','description':'The code, e.g. xxx'}")},
    {"no pattern", FER_Q_PARAM_PATTERN_EXAMPLE, 0, STR_("a", "")},

    {"no anchors", FER_Q_PARAM_PATTERN_UNANCHORED, 1, STR_("a", ",'pattern':'[a-z]+'")},
    {"no end", FER_Q_PARAM_PATTERN_UNANCHORED, 1, STR_("a", ",'pattern':'^[a-z]+'"), .says = "end"},
    {"an escaped end", FER_Q_PARAM_PATTERN_UNANCHORED, 1, STR_("a", ",'pattern':'^[0-9]+\\\\$'")},
    {"no start", FER_Q_PARAM_PATTERN_UNANCHORED, 1, STR_("a", ",'pattern':'[a-z]+$'"),
     .says = "start"},
    {"anchored", FER_Q_PARAM_PATTERN_UNANCHORED, 0, STR_("a", ",'pattern':'^[a-z]+$'")},
    {"anchored in a group", FER_Q_PARAM_PATTERN_UNANCHORED, 0, STR_("a", ",'pattern':'(?:^a|b$)'")},
    {"anything behind", FER_Q_PARAM_PATTERN_UNANCHORED, 0, STR_("a", ",'pattern':'^a.*'")},

    {"object of nothing", FER_Q_PARAM_FREEFORM_OBJECT, 1, INPUT("'a':{'type':'object'," SAYS "}"),
     .pointer = "/inputSchema/properties/a"},
    {"open object", FER_Q_PARAM_FREEFORM_OBJECT, 1,
     INPUT("'a':{'type':'object'," SAYS ",'additionalProperties':true}")},
    {"items of nothing", FER_Q_PARAM_FREEFORM_OBJECT, 1,
     INPUT("'a':{'type':'array'," SAYS ",'items':{'type':'object','properties':{}}}")},
    {"object with properties", FER_Q_PARAM_FREEFORM_OBJECT, 0, INPUT(OBJ("a", OPT("b")))},
    {"a map", FER_Q_PARAM_FREEFORM_OBJECT, 0,
     INPUT("'a':{'type':'object'," SAYS ",'additionalProperties':{'type':'string'}}")},
    {"the root", FER_Q_PARAM_FREEFORM_OBJECT, 0, TOOL("get_thing", TEXT "," EMPTY)},
    {"closed", FER_Q_PARAM_FREEFORM_OBJECT, 0,
     INPUT("'a':{'type':'object'," SAYS ",'additionalProperties':false}")},

    {"JSON string", FER_Q_PARAM_STRINGLY_JSON, 1, STR("filter", "The filter as a JSON string")},
    {"stringified", FER_Q_PARAM_STRINGLY_JSON, 1, STR("body", "Stringified JSON of the body")},
    {"JSON-encoded", FER_Q_PARAM_STRINGLY_JSON, 1, STR("items", "JSON-encoded list of items")},
    {"a file format", FER_Q_PARAM_STRINGLY_JSON, 0, STR("path", "Path of a JSON file")},
    {"an object", FER_Q_PARAM_STRINGLY_JSON, 0,
     INPUT(
         "'a':{'type':'object','description':'JSON string map','additionalProperties':{'type':'string'}}")},
    {"no JSON", FER_Q_PARAM_STRINGLY_JSON, 0, STR("a", "Some text")},

    {"nine optional", FER_Q_PARAM_MANY_OPTIONAL, 1, INPUT(OPT8 "," OPT("i")), .says = "9 of 9"},
    {"nine optional, one required", FER_Q_PARAM_MANY_OPTIONAL, 1,
     TOOL("get_thing", TEXT ",'inputSchema':{'type':'object','required':['a'],'properties':{" OPT8
                            "," OPT("i") "," OPT("j") "}}")},
    {"ten optional", FER_Q_PARAM_MANY_OPTIONAL, 1, INPUT(OPT8 "," OPT("i") "," OPT("j"))},
    {"eight optional", FER_Q_PARAM_MANY_OPTIONAL, 0, INPUT(OPT8)},
    {"eight optional, one required", FER_Q_PARAM_MANY_OPTIONAL, 0,
     TOOL("get_thing", TEXT ",'inputSchema':{'type':'object','required':['a'],'properties':{" OPT8
                            "," OPT("i") "}}")},
    {"none", FER_Q_PARAM_MANY_OPTIONAL, 0, TOOL("get_thing", TEXT "," EMPTY)},

    {"four levels", FER_Q_PARAM_DEEP, 1, INPUT(OBJ("a", OBJ("b", OBJ("c", OPT("d"))))),
     .pointer = "/inputSchema/properties/a/properties/b/properties/c", .says = "4 levels"},
    {"four levels with a list", FER_Q_PARAM_DEEP, 1,
     INPUT("'a':{'type':'array'," SAYS
           ",'items':{'type':'array','items':{'type':'array','items':{'type':'string'}}}}")},
    {"six levels", FER_Q_PARAM_DEEP, 1,
     INPUT(OBJ("a", OBJ("b", OBJ("c", OBJ("d", OBJ("e", OPT("f"))))))), .says = "providers"},
    {"three levels", FER_Q_PARAM_DEEP, 0, INPUT(OBJ("a", OBJ("b", OPT("c"))))},
    {"two levels", FER_Q_PARAM_DEEP, 0, INPUT(OBJ("a", OPT("b")))},
    {"deep in the output", FER_Q_PARAM_DEEP, 0,
     OUTPUT("get_thing",
            "{'type':'object','properties':{" OBJ("a", OBJ("b", OBJ("c", OPT("d")))) "}}")},

    {"answer before reason", FER_Q_PARAM_ORDER_REASONING, 1,
     INPUT(OPT("answer") "," OPT("reason"))},
    {"decision before evidence", FER_Q_PARAM_ORDER_REASONING, 1,
     INPUT(OPT("decision") "," OPT("x") "," OPT("evidence"))},
    {"verdict before explanation, in the output", FER_Q_PARAM_ORDER_REASONING, 1,
     OUTPUT("get_thing",
            "{'type':'object','properties':{" OPT("verdict") "," OPT("explanation") "}}")},
    {"reason before answer", FER_Q_PARAM_ORDER_REASONING, 0,
     INPUT(OPT("reason") "," OPT("answer"))},
    {"answer alone", FER_Q_PARAM_ORDER_REASONING, 0, INPUT(OPT("answer") "," OPT("x"))},
    {"reason alone", FER_Q_PARAM_ORDER_REASONING, 0, INPUT(OPT("reason"))},

    {"misspelt in required", FER_Q_PARAM_UNDESCRIBED, 1, ASKS("'required':['titel']"),
     .pointer = "/inputSchema/required"},
    {"two that nobody describes", FER_Q_PARAM_UNDESCRIBED, 2, ASKS("'required':['a','title','b']")},
    {"in an object inside", FER_Q_PARAM_UNDESCRIBED, 1,
     INPUT("'o':{'type':'object'," SAYS ",'properties':{" OPT("a") "},'required':['b']}")},
    {"described", FER_Q_PARAM_UNDESCRIBED, 0, ASKS("'required':['title']")},
    {"no properties at all", FER_Q_PARAM_UNDESCRIBED, 0,
     TOOL("get_thing", TEXT ",'inputSchema':{'type':'object','required':['a']}")},
    {"alternatives that only demand", FER_Q_PARAM_UNDESCRIBED, 0,
     ASKS("'anyOf':[{'required':['title']},{'required':['x'],'properties':{'y':{}}}]")},
    {"described by what is beside it", FER_Q_PARAM_UNDESCRIBED, 0,
     ASKS("'required':['x'],'allOf':[{'properties':{'x':{}}}]")},
    {"described by a pattern", FER_Q_PARAM_UNDESCRIBED, 0,
     ASKS("'required':['x_a'],'patternProperties':{'^x_':{}}")},

    {"list without a part", FER_Q_PAGE_INPUT_NO_CURSOR, 1, LIST("list_things", "", "")},
    {"search that gives a list", FER_Q_PAGE_INPUT_NO_CURSOR, 1,
     TOOL("search_thing", TEXT ",'inputSchema':{'type':'object','properties':{" OPT(
                              "phrase") "}},'outputSchema':{'type':'array'}")},
    {"list in a property", FER_Q_PAGE_INPUT_NO_CURSOR, 1,
     LIST("list_thing", "",
          ",'outputSchema':{'type':'object','properties':{'items':{'type':'array'}}}")},
    {"pageToken", FER_Q_PAGE_INPUT_NO_CURSOR, 0, LIST("list_things", OPT("pageToken"), "")},
    {"limit", FER_Q_PAGE_INPUT_NO_CURSOR, 0,
     LIST("list_things", "'limit':{'type':'integer'," SAYS "}", "")},
    {"there are few of them", FER_Q_PAGE_INPUT_NO_CURSOR, 0, LIST("list_languages", "", "")},
    {"few words before the last", FER_Q_PAGE_INPUT_NO_CURSOR, 1,
     LIST("list_language_things", "", "")},
    {"p for page", FER_Q_PAGE_INPUT_NO_CURSOR, 0, LIST("list_things", OPT("p"), "")},
    {"a read", FER_Q_PAGE_INPUT_NO_CURSOR, 0, LIST("get_things", "", "")},

    {"limit without maximum", FER_Q_PAGE_SIZE_BOUNDS, 1, NUM("limit", "")},
    {"page_size without maximum", FER_Q_PAGE_SIZE_BOUNDS, 1, NUM("page_size", ",'minimum':1")},
    {"maxResults", FER_Q_PAGE_SIZE_BOUNDS, 1,
     INPUT("'maxResults':{'type':'integer','description':'Maximum number of results'}")},
    {"limit with maximum", FER_Q_PAGE_SIZE_BOUNDS, 0, NUM("limit", ",'maximum':100")},
    {"a bound in words", FER_Q_PAGE_SIZE_BOUNDS, 0,
     INPUT("'limit':{'type':'integer','description':'How many, at most 100'}")},
    {"a limit of something else", FER_Q_PAGE_SIZE_BOUNDS, 0, NUM("rateLimit", "")},

    {"pageToken without nextToken", FER_Q_PAGE_PAIR, 1,
     LIST("list_things", OPT("pageToken"),
          ",'outputSchema':{'type':'object','properties':{'items':{'type':'array'}}}"),
     .pointer = "/outputSchema"},
    {"cursor without nextCursor", FER_Q_PAGE_PAIR, 1,
     LIST("list_things", OPT("cursor"),
          ",'outputSchema':{'type':'object','properties':{'items':{'type':'array'}}}")},
    {"nextToken without pageToken", FER_Q_PAGE_PAIR, 1,
     LIST("list_things", "",
          ",'outputSchema':{'type':'object','properties':{'nextToken':{'type':'string'}}}"),
     .pointer = "/inputSchema"},
    {"both", FER_Q_PAGE_PAIR, 0,
     LIST("list_things", OPT("pageToken"),
          ",'outputSchema':{'type':'object','properties':{'nextToken':{'type':'string'}}}")},
    {"no outputSchema", FER_Q_PAGE_PAIR, 0, LIST("list_things", OPT("pageToken"), "")},
    {"neither", FER_Q_PAGE_PAIR, 0,
     LIST("list_things", "",
          ",'outputSchema':{'type':'object','properties':{'items':{'type':'array'}}}")},

    {"no outputSchema at all", FER_Q_OUT_MISSING, 1, TOOL("get_thing", TEXT "," EMPTY)},
    {"no outputSchema of a write", FER_Q_OUT_MISSING, 1, TOOL("send_mail", TEXT "," EMPTY)},
    {"no outputSchema of two", FER_Q_OUT_MISSING, 2,
     "[" TOOL("get_a", EMPTY) "," TOOL("get_b", EMPTY) "]"},
    {"outputSchema", FER_Q_OUT_MISSING, 0, OUTPUT("get_thing", "{'type':'object'}")},
    {"outputSchema, a list", FER_Q_OUT_MISSING, 0, OUTPUT("get_thing", "{'type':'array'}")},
    {"outputSchema, empty", FER_Q_OUT_MISSING, 0, OUTPUT("get_thing", "{}")},

    {"bare list", FER_Q_OUT_ITEMS_WRAPPER, 1, OUTPUT("list_things", "{'type':'array'}"),
     .pointer = "/outputSchema"},
    {"bare list of a read", FER_Q_OUT_ITEMS_WRAPPER, 1,
     OUTPUT("get_things", "{'type':'array','items':{'type':'string'}}")},
    {"another name", FER_Q_OUT_ITEMS_WRAPPER, 1,
     OUTPUT("list_things", "{'type':'object','properties':{'things':{'type':'array'}}}"),
     .says = "things"},
    {"items", FER_Q_OUT_ITEMS_WRAPPER, 0,
     OUTPUT("list_things", "{'type':'object','properties':{'items':{'type':'array'}}}")},
    {"a read with one list", FER_Q_OUT_ITEMS_WRAPPER, 0,
     OUTPUT("get_thing", "{'type':'object','properties':{'tags':{'type':'array'}}}")},
    {"list and more", FER_Q_OUT_ITEMS_WRAPPER, 0,
     OUTPUT(
         "list_things",
         "{'type':'object','properties':{'things':{'type':'array'},'total':{'type':'integer'}}}")},

    {"null without a word", FER_Q_NULL_MEANING, 1, INPUT("'a':{'type':['string','null']," SAYS "}"),
     .pointer = "/inputSchema/properties/a"},
    {"null as an alternative", FER_Q_NULL_MEANING, 1,
     INPUT("'a':{'anyOf':[{'type':'string'},{'type':'null'}]," SAYS "}")},
    {"null in the output", FER_Q_NULL_MEANING, 1,
     OUTPUT(
         "get_thing",
         "{'type':'object','properties':{'completedAt':{'type':['string','null'],'description':'Time of completion'}}}")},
    {"null explained", FER_Q_NULL_MEANING, 0,
     INPUT("'a':{'type':['string','null'],'description':'Who has it; null: nobody'}")},
    {"none explained", FER_Q_NULL_MEANING, 0,
     INPUT("'a':{'type':['string','null'],'description':'Who has it, if omitted everybody'}")},
    {"no null", FER_Q_NULL_MEANING, 0, INPUT("'a':{'type':'string'," SAYS "}")},

    {"two objects", FER_Q_UNION_NO_DISCRIMINATOR, 1,
     INPUT(
         "'a':{" SAYS
         ",'oneOf':[{'properties':{'x':{'type':'string'}}},{'properties':{'y':{'type':'string'}}}]}"),
     .pointer = "/inputSchema/properties/a/oneOf"},
    {"a tag that is not required", FER_Q_UNION_NO_DISCRIMINATOR, 1,
     INPUT(
         "'a':{" SAYS
         ",'anyOf':[{'properties':{'type':{'const':'x'}}},{'properties':{'type':{'const':'y'}}}]}")},
    {"a tag of one only", FER_Q_UNION_NO_DISCRIMINATOR, 1,
     INPUT("'a':{" SAYS ",'oneOf':[" TAGGED("x", "p") ",{'properties':{'y':{'type':'string'}}}]}")},
    {"tagged", FER_Q_UNION_NO_DISCRIMINATOR, 0,
     INPUT("'a':{" SAYS ",'oneOf':[" TAGGED("file", "path") "," TAGGED("url", "href") "]}")},
    {"one object", FER_Q_UNION_NO_DISCRIMINATOR, 0,
     INPUT("'a':{" SAYS ",'oneOf':[{'properties':{'x':{'type':'string'}}},{'type':'null'}]}")},
    {"scalars", FER_Q_UNION_NO_DISCRIMINATOR, 0,
     INPUT("'a':{" SAYS ",'oneOf':[{'type':'string'},{'type':'integer'}]}")},
};

int main(void)
{
    static const char *const groups[] = {"param.", "page.", "out.", "null.", "union."};
    int missed = 0;
    for (size_t i = 0; i < FER_COUNT(groups); i++)
        missed += quality_rows_cover(groups[i], rows, FER_COUNT(rows));
    return missed + quality_rows_run("quality: parameters", rows, FER_COUNT(rows));
}
