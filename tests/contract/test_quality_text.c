/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions, examples and hints: what breaks each rule, and what just holds it. */
#include "quality_rows.h"

#define DESC(text) TOOL("get_thing", "'description':'" text "'," EMPTY)
#define DESC2(text)                                                                                \
    TOOL(                                                                                          \
        "get_thing",                                                                               \
        "'description':'" text                                                                     \
        "','inputSchema':{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'string'}}}")
#define HINTS(name, h) TOOL(name, TEXT "," EMPTY ",'annotations':{" h "}")
#define R8(x)          x x x x x x x x
#define R1024          R8(R8("abcdefghijklmno "))

static const struct quality_row rows[] = {
    {"no description", FER_Q_DESC_MISSING, 1, TOOL("get_thing", EMPTY), .pointer = "/name"},
    {"empty description", FER_Q_DESC_MISSING, 1, DESC(""), .pointer = "/description"},
    {"blank description", FER_Q_DESC_MISSING, 1, DESC("  ")},
    {"placeholder", FER_Q_DESC_MISSING, 1, DESC("TODO: write this.")},
    {"placeholder N/A", FER_Q_DESC_MISSING, 1, DESC("N/A")},
    {"no description provided", FER_Q_DESC_MISSING, 1, DESC("No description provided.")},
    {"a description", FER_Q_DESC_MISSING, 0, DESC("Reads the thing.")},
    {"a description of todos", FER_Q_DESC_MISSING, 0, DESC("Lists TODO comments of a file.")},
    {"none is also a word", FER_Q_DESC_MISSING, 0, DESC("None of the issues are changed by it.")},

    {"39 characters", FER_Q_DESC_SHORT, 1, DESC("Reads the thing and says what it is now")},
    {"a few words", FER_Q_DESC_SHORT, 1, DESC("Reads the thing.")},
    {"one sentence, two parameters", FER_Q_DESC_SHORT, 1,
     DESC2("Reads the thing from the store and gives it back to the caller.")},
    {"one sentence without its stop, two parameters", FER_Q_DESC_SHORT, 1,
     DESC2("Reads the thing from the store and gives it back to the caller")},
    {"40 characters", FER_Q_DESC_SHORT, 0, DESC("Reads the thing and says what it is now.")},
    {"one sentence, no parameters", FER_Q_DESC_SHORT, 0,
     DESC("Reads the thing from the store and gives it back.")},
    {"two sentences, two parameters", FER_Q_DESC_SHORT, 0,
     DESC2("Reads the thing from the store. Returns all of it.")},
    {"two lines, two parameters", FER_Q_DESC_SHORT, 0,
     DESC2("Reads the thing from the store\\nReturns all of it")},
    {"ideographs say more", FER_Q_DESC_SHORT, 0,
     DESC(
         "\xE8\xAF\xBB\xE5\x8F\x96\xE6\x96\x87\xE4\xBB\xB6\xE5\xB9\xB6\xE8\xBF\x94\xE5\x9B\x9E\xE5\x85\xA8\xE9\x83\xA8\xE5\x86\x85\xE5\xAE\xB9\xE7\xBB\x99\xE7\x94\xA8")},

    {"the name again", FER_Q_DESC_ECHO, 1, DESC("Gets the thing.")},
    {"the name with fillers", FER_Q_DESC_ECHO, 1,
     TOOL("list_open_issues", "'description':'Lists the open issues'," EMPTY)},
    {"the title again", FER_Q_DESC_ECHO, 1,
     TOOL("get_thing", "'title':'Read things','description':'Read a thing'," EMPTY)},
    {"one more word", FER_Q_DESC_ECHO, 0, DESC("Gets the thing and its state.")},
    {"another verb", FER_Q_DESC_ECHO, 0, DESC("Reads the thing.")},
    {"fillers only", FER_Q_DESC_ECHO, 0, DESC("This is it.")},

    {"1025 characters", FER_Q_DESC_LONG, 1, DESC(R1024 "x"), .says = "1025"},
    {"1025 characters of two bytes at the end", FER_Q_DESC_LONG, 1, DESC(R1024 "\xC3\xA9")},
    {"2048 characters", FER_Q_DESC_LONG, 1, DESC(R1024 R1024)},
    {"1024 characters", FER_Q_DESC_LONG, 0, DESC(R1024)},
    {"1024 characters, more bytes", FER_Q_DESC_LONG, 0, DESC(R8(R8("abcdefghijklmn\xC3\xA9 ")))},
    {"a sentence", FER_Q_DESC_LONG, 0, DESC("Reads the thing.")},

    {"nothing about the result", FER_Q_DESC_NO_RETURN, 1, DESC("Makes a thing in the store.")},
    {"a request says nothing", FER_Q_DESC_NO_RETURN, 1, DESC("Make a GET request to /things.json")},
    {"reading on the way", FER_Q_DESC_NO_RETURN, 1,
     DESC("Removes the thing. Use list_things to find its ID.")},
    {"getting without an object", FER_Q_DESC_NO_RETURN, 1, DESC("Things: get.")},
    {"getting says of what", FER_Q_DESC_NO_RETURN, 0, DESC("Get the number of things")},
    {"getting in the second sentence", FER_Q_DESC_NO_RETURN, 0,
     DESC("This is the public API. Retrieve a list of things")},
    {"getting in a list", FER_Q_DESC_NO_RETURN, 0, DESC("Purpose:\\n  1. Lists the things")},
    {"an action on the way", FER_Q_DESC_NO_RETURN, 1, DESC("Does what the customer wants.")},
    {"only what it does", FER_Q_DESC_NO_RETURN, 1, DESC("Opens the door of the house.")},
    {"Returns", FER_Q_DESC_NO_RETURN, 0, DESC("Reads the thing. Returns its name.")},
    {"results", FER_Q_DESC_NO_RETURN, 0, DESC("Looks for things; the results are sorted by name.")},
    {"an outputSchema will do", FER_Q_DESC_NO_RETURN, 0,
     TOOL("get_thing",
          "'description':'Reads the thing.'," EMPTY ",'outputSchema':{'type':'object'}")},

    {"no text", FER_Q_DESC_PARAM_MISSING, 1, INPUT("'a':{'type':'string'}"),
     .pointer = "/inputSchema/properties/a"},
    {"an empty text", FER_Q_DESC_PARAM_MISSING, 1,
     INPUT("'a':{'type':'string','description':' '}")},
    {"deep inside", FER_Q_DESC_PARAM_MISSING, 1,
     INPUT("'a':{'type':'array'," SAYS
           ",'items':{'type':'object','properties':{'b':{'type':'integer'}}}}"),
     .pointer = "/inputSchema/properties/a/items/properties/b"},
    {"a boolean that says nothing", FER_Q_DESC_PARAM_MISSING, 1,
     INPUT("'archived':{'type':'boolean'}")},
    {"all described", FER_Q_DESC_PARAM_MISSING, 0, INPUT("'a':{'type':'string'," SAYS "}")},
    {"an evident boolean", FER_Q_DESC_PARAM_MISSING, 0,
     INPUT("'includeArchived':{'type':'boolean'}")},
    {"a tag", FER_Q_DESC_PARAM_MISSING, 0, INPUT("'type':{'const':'file'}")},
    {"an alternative says it", FER_Q_DESC_PARAM_MISSING, 0,
     INPUT("'a':{'anyOf':[{'type':'string'," SAYS "},{'type':'null'}]}")},
    {"in the output it is no parameter", FER_Q_DESC_PARAM_MISSING, 0,
     OUTPUT("get_thing", "{'type':'object','properties':{'a':{'type':'string'}}}")},

    {"the name of a parameter again", FER_Q_DESC_PARAM_ECHO, 1,
     INPUT("'userName':{'type':'string','description':'The user name'}"),
     .pointer = "/inputSchema/properties/userName/description"},
    {"in the plural", FER_Q_DESC_PARAM_ECHO, 1,
     INPUT("'label':{'type':'array','items':{'type':'string'},'description':'Labels'}")},
    {"with fillers", FER_Q_DESC_PARAM_ECHO, 1,
     INPUT("'path':{'type':'string','description':'The path parameter'}")},
    {"more than the name", FER_Q_DESC_PARAM_ECHO, 0,
     INPUT("'userName':{'type':'string','description':'User name without the domain'}")},
    {"other words", FER_Q_DESC_PARAM_ECHO, 0,
     INPUT("'path':{'type':'string','description':'File to read'}")},
    {"nothing at all is another rule", FER_Q_DESC_PARAM_ECHO, 0, INPUT("'path':{'type':'string'}")},

    {"maximum differs", FER_Q_DESC_CONSTRAINT_DRIFT, 1,
     INPUT("'n':{'type':'integer','maximum':50,'description':'How many (max 100)'}"),
     .pointer = "/inputSchema/properties/n/description", .says = "maximum 100"},
    {"default differs", FER_Q_DESC_CONSTRAINT_DRIFT, 1,
     INPUT("'n':{'type':'integer','default':20,'description':'How many. Default: 10.'}")},
    {"defaults to", FER_Q_DESC_CONSTRAINT_DRIFT, 1,
     INPUT("'n':{'type':'number','default':0.5,'description':'Defaults to 0.7'}")},
    {"length differs", FER_Q_DESC_CONSTRAINT_DRIFT, 1,
     INPUT(
         "'s':{'type':'string','maxLength':100,'description':'Title, at most 1,000 characters'}")},
    {"minimum differs", FER_Q_DESC_CONSTRAINT_DRIFT, 1,
     INPUT("'n':{'type':'integer','minimum':1,'description':'Minimum: 5'}")},
    {"the same", FER_Q_DESC_CONSTRAINT_DRIFT, 0,
     INPUT(
         "'n':{'type':'integer','maximum':100,'default':20,'description':'How many (default: 20, max: 100)'}")},
    {"no keyword to differ from", FER_Q_DESC_CONSTRAINT_DRIFT, 0,
     INPUT("'n':{'type':'integer','description':'max 100'}")},
    {"thousands", FER_Q_DESC_CONSTRAINT_DRIFT, 0,
     INPUT("'n':{'type':'integer','maximum':10000,'description':'max 10,000'}")},
    {"another unit", FER_Q_DESC_CONSTRAINT_DRIFT, 0,
     INPUT("'n':{'type':'integer','maximum':60000,'description':'max 1 minute'}")},
    {"a word, no number", FER_Q_DESC_CONSTRAINT_DRIFT, 0,
     INPUT("'n':{'type':'integer','default':5,'description':'the default is five'}")},

    {"default not told", FER_Q_DESC_DEFAULT_UNDOCUMENTED, 1,
     INPUT("'n':{'type':'integer','default':20,'description':'How many'}"),
     .pointer = "/inputSchema/properties/n/default"},
    {"default of an enum not told", FER_Q_DESC_DEFAULT_UNDOCUMENTED, 1,
     INPUT("'s':{'enum':['a','b'],'default':'a','description':'Which one'}")},
    {"default true not told", FER_Q_DESC_DEFAULT_UNDOCUMENTED, 1,
     INPUT("'b':{'type':'boolean','default':true,'description':'Whether'}")},
    {"default told", FER_Q_DESC_DEFAULT_UNDOCUMENTED, 0,
     INPUT("'n':{'type':'integer','default':20,'description':'How many (default: 20)'}")},
    {"no default", FER_Q_DESC_DEFAULT_UNDOCUMENTED, 0,
     INPUT("'n':{'type':'integer','description':'How many'}")},
    {"a default that is nothing", FER_Q_DESC_DEFAULT_UNDOCUMENTED, 0,
     INPUT("'b':{'type':'boolean','default':false,'description':'Whether'}")},

    {"no example", FER_Q_DOC_EXAMPLES, 1, TOOL("get_thing", TEXT "," EMPTY), .pointer = "/name"},
    {"an empty list of examples", FER_Q_DOC_EXAMPLES, 1,
     TOOL("get_thing", TEXT "," EMPTY ",'examples':[]")},
    {"no invalid one", FER_Q_DOC_EXAMPLES, 1,
     TOOL("get_thing", TEXT "," EMPTY ",'effect':'Pure','examples':[{'args':{}}]"),
     .says = "refused"},
    {"both kinds", FER_Q_DOC_EXAMPLES, 0,
     TOOL(
         "get_thing", TEXT
         ",'inputSchema':{'type':'object','additionalProperties':false},'effect':'Pure','examples':[{'args':{}}],'invalidExamples':[{'args':{'x':1}}]")},
    {"Anthropic's examples", FER_Q_DOC_EXAMPLES, 0,
     "{'name':'get_thing'," TEXT ",'input_schema':{'type':'object'},'input_examples':[{}]}"},
    {"examples of the schema", FER_Q_DOC_EXAMPLES, 0,
     TOOL("get_thing", TEXT ",'inputSchema':{'type':'object','examples':[{}]}")},

    {"no hints", FER_Q_ANN_MISSING, 1, TOOL("get_thing", TEXT "," EMPTY)},
    {"no hints of another tool", FER_Q_ANN_MISSING, 1, TOOL("send_mail", EMPTY)},
    {"no hints of two", FER_Q_ANN_MISSING, 2,
     "[" TOOL("get_a", EMPTY) "," TOOL("get_b", EMPTY) "]"},
    {"hints", FER_Q_ANN_MISSING, 0, HINTS("get_thing", "'readOnlyHint':true")},
    {"hints that are empty", FER_Q_ANN_MISSING, 0, HINTS("get_thing", "")},
    {"a title among the hints", FER_Q_ANN_MISSING, 0, HINTS("get_thing", "'title':'x'")},

    {"read-only and destructive", FER_Q_ANN_CONTRADICTION, 1,
     HINTS("get_thing", "'readOnlyHint':true,'destructiveHint':true"), .pointer = "/annotations"},
    {"read-only and not idempotent", FER_Q_ANN_CONTRADICTION, 1,
     HINTS("get_thing", "'readOnlyHint':true,'idempotentHint':false")},
    {"all three", FER_Q_ANN_CONTRADICTION, 1,
     HINTS("get_thing", "'readOnlyHint':true,'idempotentHint':false,'destructiveHint':true")},
    {"read-only", FER_Q_ANN_CONTRADICTION, 0,
     HINTS("get_thing", "'readOnlyHint':true,'destructiveHint':false,'idempotentHint':true")},
    {"destructive", FER_Q_ANN_CONTRADICTION, 0,
     HINTS("delete_thing", "'readOnlyHint':false,'destructiveHint':true")},
    {"not idempotent", FER_Q_ANN_CONTRADICTION, 0, HINTS("add_thing", "'idempotentHint':false")},

    {"a read that deletes", FER_Q_ANN_VERB_MISMATCH, 1,
     HINTS("delete_thing", "'readOnlyHint':true"), .says = "delete"},
    {"a read that sends", FER_Q_ANN_VERB_MISMATCH, 1, HINTS("sendMail", "'readOnlyHint':true")},
    {"a read behind the server's name", FER_Q_ANN_VERB_MISMATCH, 1,
     HINTS("github_create_issue", "'readOnlyHint':true")},
    {"a delete that destroys nothing", FER_Q_ANN_VERB_MISMATCH, 1,
     HINTS("purge_cache", "'destructiveHint':false")},
    {"a read", FER_Q_ANN_VERB_MISMATCH, 0, HINTS("get_deleted_things", "'readOnlyHint':true")},
    {"a delete", FER_Q_ANN_VERB_MISMATCH, 0,
     HINTS("delete_thing", "'readOnlyHint':false,'destructiveHint':true")},
    {"a write that destroys nothing", FER_Q_ANN_VERB_MISMATCH, 0,
     HINTS("create_thing", "'destructiveHint':false")},
};

int main(void)
{
    return quality_rows_run("quality: texts", rows, FER_COUNT(rows)) +
           quality_rows_cover("desc.", rows, FER_COUNT(rows)) +
           quality_rows_cover("doc.", rows, FER_COUNT(rows)) +
           quality_rows_cover("ann.", rows, FER_COUNT(rows));
}
