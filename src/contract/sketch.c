/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch.h"

#include "buf.h"
#include "format.h"
#include "verbs.h"

#define SKETCH_MAX ((size_t)1 << 20) /* bytes of a sketch */
#define ENTITY_MAX 64                /* bytes of the word for what the tool is about */

/* What is known of the tool from its name. */
struct about {
    const fer_sketch *sketch;
    fer_name_words words;
    enum fer_verb verb;
    size_t verb_at;
    bool lists;                    /* it gives a page of many things */
    char entity[ENTITY_MAX];       /* one of what it is about, in lower case: "issue" */
    char phrase[FER_NAME_MAX + 1]; /* all of it: "open issues" */
    char does[FER_NAME_MAX + 8];   /* "Lists", "Creates"; "Handles" where there is no verb */
    fer_buf *out;
};

/* ---- words ---------------------------------------------------------------------------------- */

static size_t add_lower(char *to, size_t len, size_t max, fer_str word)
{
    for (size_t i = 0; i < word.len && len + 1 < max; i++) to[len++] = fer_lower(word.ptr[i]);
    to[len] = '\0';
    return len;
}

static bool ends(const char *word, size_t len, const char *with)
{
    return fer_str_ends((fer_str){word, len}, with);
}

static void make_singular(char *word)
{
    size_t len = strlen(word);
    if (len > 3 && ends(word, len, "ies")) memcpy(word + len - 3, "y", 2);
    else if (len > 3 && ends(word, len, "s") && !ends(word, len, "ss") && !ends(word, len, "us"))
        word[len - 1] = '\0';
}

/* The verb as in "it creates". */
static void third_person(char *verb, size_t max)
{
    size_t len = strlen(verb);
    bool hiss = ends(verb, len, "s") || ends(verb, len, "x") || ends(verb, len, "z") ||
                ends(verb, len, "ch") || ends(verb, len, "sh") || ends(verb, len, "o");
    bool y = ends(verb, len, "y") && len > 1 && !strchr("aeiou", verb[len - 2]);
    if (y) len--;
    add_lower(verb, len, max, y ? FER_STR("ies") : hiss ? FER_STR("es") : FER_STR("s"));
}

static void learn(struct about *b, const fer_sketch *s)
{
    b->sketch = s;
    fer_words_split(&b->words, s->name);
    b->verb = fer_verb_of(&b->words, &b->verb_at);
    b->lists = b->verb == FER_VERB_LIST || b->verb == FER_VERB_SEARCH;
    size_t from = b->verb == FER_VERB_NONE ? 0 : b->verb_at + 1, len = 0;
    for (size_t i = from; i < b->words.count; i++) {
        if (len) len = add_lower(b->phrase, len, sizeof b->phrase, FER_STR(" "));
        len = add_lower(b->phrase, len, sizeof b->phrase, b->words.list[i]);
    }
    if (!len) add_lower(b->phrase, 0, sizeof b->phrase, FER_STR("item"));
    if (from < b->words.count)
        add_lower(b->entity, 0, sizeof b->entity, b->words.list[b->words.count - 1]);
    if (!fer_is_alpha(b->entity[0])) add_lower(b->entity, 0, sizeof b->entity, FER_STR("item"));
    make_singular(b->entity);
    fer_str verb = b->verb == FER_VERB_NONE ? FER_STR("handle") : b->words.list[b->verb_at];
    add_lower(b->does, 0, sizeof b->does - 4, verb);
    third_person(b->does, sizeof b->does);
    b->does[0] = (char)(b->does[0] - 'a' + 'A');
}

/* ---- patterns ----------------------------------------------------------------------------------
 */

#define TAGGED(tag, key, text)                                                                     \
    "{\"type\":\"object\",\"properties\":{\"type\":{\"type\":\"string\",\"const\":\"" tag          \
    "\",\"description\":\"Says that it is named by " tag "\"},\"" key                              \
    "\":{\"type\":\"string\",\"description\":\"" text "\"}},\"required\":[\"type\",\"" key         \
    "\"],\"additionalProperties\":false}"

/* Templates: $E is the entity, $K the key of the string, $T its text, $V a value of it. */
static const struct {
    const char *name;
    const char *text;
    const char *properties;
    const char *required;
    const char *good; /* arguments that are valid */
    const char *good_text;
    const char *bad; /* and that are not */
    const char *bad_text;
} patterns[FER_PATTERN_COUNT] = {
    {"none", "no parameters", "", "", "", "A call without arguments.", "\"unexpected\":true",
     "A parameter that the tool does not have."},
    {"string", "one string that is required", "\"$K\":{\"type\":\"string\",\"description\":\"$T\"}",
     "\"$K\"", "\"$K\":\"$V\"", "The string and nothing else.", "\"$K\":42",
     "A number where a string is asked for."},
    {"enum", "one word of a few, with a default",
     "\"detail\":{\"type\":\"string\",\"enum\":[\"brief\",\"full\"],\"default\":\"brief\","
     "\"description\":\"How much comes back: ID and title, or every field (default: brief)\"}",
     "", "\"detail\":\"full\"", "Every field is asked for.", "\"detail\":\"everything\"",
     "A word that is not one of the few."},
    {"objects", "a list of objects",
     "\"entries\":{\"type\":\"array\",\"description\":\"What to work on, in this order\",\"items\":"
     "{\"type\":\"object\",\"properties\":{\"$EId\":{\"type\":\"string\",\"description\":\"ID of the "
     "$E, as an earlier call gave it\"},\"quantity\":{\"type\":\"integer\",\"description\":\"How many "
     "of it, 1 or more\"}},\"required\":[\"$EId\",\"quantity\"],\"additionalProperties\":false}}",
     "\"entries\"", "\"entries\":[{\"$EId\":\"$E-42\",\"quantity\":2}]", "One entry.",
     "\"entries\":[{\"quantity\":2}]", "An entry without its ID."},
    {"one-of", "one of two shapes, told apart by a constant",
     "\"target\":{\"description\":\"Which $E: by its ID, or by its name\",\"oneOf\":[" TAGGED(
         "id", "$EId",
         "ID of the $E, as an earlier call gave it") "," TAGGED("name", "title",
                                                                "The $E's whole name, in its own spelling") "]}",
     "\"target\"", "\"target\":{\"type\":\"id\",\"$EId\":\"$E-42\"}", "Named by its ID.",
     "\"target\":{\"type\":\"id\",\"title\":\"Forty-two\"}",
     "It says that it has an ID and has none."},
};

const char *fer_pattern_name(fer_pattern pattern)
{
    return patterns[pattern].name;
}

const char *fer_pattern_text(fer_pattern pattern)
{
    return patterns[pattern].text;
}

bool fer_pattern_find(fer_str name, fer_pattern *out)
{
    for (unsigned i = 0; i < FER_PATTERN_COUNT; i++) {
        if (!fer_str_is(name, patterns[i].name)) continue;
        *out = (fer_pattern)i;
        return true;
    }
    return false;
}

/* The string of that pattern: what its key, its text and a value of it are, by the verb. */
static const struct {
    enum fer_verb verb;
    const char *key, *text, *value;
} strings[] = {
    {FER_VERB_LIST, "phrase", "Words that each $E has in its title", "login"},
    {FER_VERB_SEARCH, "phrase", "Words that each $E has in its title or text", "login button"},
    {FER_VERB_CREATE, "title", "One line that says what the new $E is about", "Login does nothing"},
    {FER_VERB_SEND, "text", "What the $E says, as plain text", "The build is done"},
    {FER_VERB_NONE, "$EId", "ID of the $E, as an earlier call gave it", "$E-42"},
};

static void add_template(const struct about *b, const char *text)
{
    size_t row = 0;
    while (strings[row].verb != FER_VERB_NONE && strings[row].verb != b->verb) row++;
    for (; *text; text++) {
        const char *more = *text != '$'     ? NULL
                           : text[1] == 'E' ? b->entity
                           : text[1] == 'K' ? strings[row].key
                           : text[1] == 'T' ? strings[row].text
                           : text[1] == 'V' ? strings[row].value
                                            : NULL;
        if (!more) fer_buf_add_char(b->out, *text);
        else if (more == b->entity) fer_buf_add_escaped(b->out, fer_str_of(more));
        else add_template(b, more); /* one level: no text names another */
        text += more != NULL;
    }
}

/* ---- the record -------------------------------------------------------------------------------
 */

static void add_quoted(const struct about *b, const char *text)
{
    fer_buf_add_quoted(b->out, fer_str_of(text));
}

static void add_title(const struct about *b)
{
    char title[FER_NAME_MAX + FER_WORDS_MAX] = "";
    size_t len = 0;
    for (size_t i = 0; i < b->words.count; i++) {
        if (i) len = add_lower(title, len, sizeof title, FER_STR(" "));
        len = add_lower(title, len, sizeof title, b->words.list[i]);
    }
    if (title[0] >= 'a' && title[0] <= 'z') title[0] = (char)(title[0] - 'a' + 'A');
    fer_buf_add_text(b->out, ",\"title\":");
    add_quoted(b, title);
}

/* When to use it, and what comes back. */
static const char *second_sentence(const struct about *b)
{
    if (b->lists)
        return "Use it to see what there is; to read one of them in full, use the tool for that.";
    return b->sketch->effect == FER_EFFECT_PURE
               ? "Use it to look something up; it changes nothing."
               : "Use it once it is clear what is wanted, since a call changes data.";
}

static const char *last_sentence(const struct about *b)
{
    if (b->lists) return "Returns the items and, while there are more, the token of the next page.";
    return b->sketch->effect == FER_EFFECT_PURE
               ? "Returns the ID, the title and the time of the last change."
               : "Returns the ID and the time of the change.";
}

static void add_own_sentence(const struct about *b, fer_buf *text)
{
    bool makes = b->verb == FER_VERB_CREATE;
    if (b->lists) fer_buf_printf(text, "%s %s, a page at a time. ", b->does, b->phrase);
    else fer_buf_printf(text, "%s %s %s. ", b->does, makes ? "a new" : "the", b->phrase);
}

static void add_description(const struct about *b)
{
    char storage[4096];
    fer_buf text;
    fer_str given = b->sketch->description;
    bool whole = false; /* more than a sentence was given */
    for (size_t i = 0; i + 2 < given.len; i++)
        whole = whole || (given.ptr[i] == '.' && given.ptr[i + 1] == ' ');
    fer_buf_init_fixed(&text, storage, sizeof storage);
    if (!given.len) add_own_sentence(b, &text);
    if (!whole && given.len) {
        fer_buf_add(&text, given);
        fer_buf_add_text(&text, fer_str_ends(given, ".") ? " " : ". ");
    }
    if (!whole) fer_buf_printf(&text, "%s %s", second_sentence(b), last_sentence(b));
    fer_buf_add_text(b->out, ",\"description\":");
    fer_buf_add_quoted(b->out, whole ? given : fer_buf_view(&text));
    if (!whole && text.failure) b->out->failure = text.failure;
}

static void add_tags(const struct about *b)
{
    fer_buf_add_text(b->out, ",\"tags\":[");
    add_quoted(b, b->entity);
    if (b->verb != FER_VERB_NONE) {
        char verb[ENTITY_MAX];
        add_lower(verb, 0, sizeof verb, b->words.list[b->verb_at]);
        fer_buf_add_char(b->out, ',');
        add_quoted(b, verb);
    }
    fer_buf_add_char(b->out, ']');
}

static void add_input(const struct about *b)
{
    fer_pattern p = b->sketch->pattern;
    fer_buf_add_text(b->out, ",\"inputSchema\":{\"type\":\"object\",\"properties\":{");
    add_template(b, patterns[p].properties);
    if (b->lists) {
        fer_buf_add_text(b->out, *patterns[p].properties ? "," : "");
        fer_buf_add_text(
            b->out,
            "\"pageSize\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,\"default\":20,"
            "\"description\":\"How many to return at once (default: 20)\"},"
            "\"pageToken\":{\"type\":\"string\",\"description\":\"The nextToken of the page before; "
            "absent for the first page\"}");
    }
    fer_buf_add_text(b->out, "},\"required\":[");
    add_template(b, patterns[p].required);
    fer_buf_add_text(b->out, "],\"additionalProperties\":false}");
}

#define OUT_ID    "\"id\":{\"type\":\"string\",\"description\":\"ID of the $E\"}"
#define OUT_TITLE "\"title\":{\"type\":\"string\",\"description\":\"What people call it\"}"
#define OUT_TIME                                                                                      \
    "\"updatedAt\":{\"type\":\"string\",\"format\":\"date-time\",\"description\":\"Time of the last " \
    "change, in UTC\"}"

static void add_output(const struct about *b)
{
    fer_buf_add_text(b->out, ",\"outputSchema\":{\"type\":\"object\",\"properties\":{");
    if (b->lists) {
        add_template(
            b,
            "\"items\":{\"type\":\"array\",\"description\":\"One page\",\"items\":{\"type\":\"object\","
            "\"properties\":{" OUT_ID "," OUT_TITLE
            "},\"required\":[\"id\",\"title\"],\"additionalProperties\":false}},"
            "\"nextToken\":{\"type\":\"string\",\"description\":\"Token of the next page; absent "
            "behind the last\"}},\"required\":[\"items\"]");
    } else if (b->sketch->effect == FER_EFFECT_PURE) {
        add_template(b, OUT_ID "," OUT_TITLE "," OUT_TIME
                               "},\"required\":[\"id\",\"title\",\"updatedAt\"]");
    } else {
        add_template(b, OUT_ID "," OUT_TIME "},\"required\":[\"id\",\"updatedAt\"]");
    }
    fer_buf_add_text(b->out, ",\"additionalProperties\":false}");
}

static void add_effect(const struct about *b)
{
    fer_effect effect = b->sketch->effect;
    bool pure = effect == FER_EFFECT_PURE, same = effect == FER_EFFECT_IDEMPOTENT_WRITE;
    bool outside = effect == FER_EFFECT_EXTERNAL_SIDE_EFFECTS;
    fer_buf_printf(b->out, ",\"effect\":\"%s\",\"annotations\":{\"readOnlyHint\":%s",
                   fer_effect_name(effect), pure ? "true" : "false");
    if (!pure)
        fer_buf_printf(b->out, ",\"destructiveHint\":%s,\"idempotentHint\":%s",
                       b->verb == FER_VERB_DELETE ? "true" : "false", same ? "true" : "false");
    fer_buf_printf(b->out, ",\"openWorldHint\":%s}", outside ? "true" : "false");
    if (same) fer_buf_add_text(b->out, ",\"idempotency\":\"required\"");
    fer_buf_add_text(b->out, ",\"policies\":{\"timeoutMs\":10000}");
}

static void add_example(const struct about *b, const char *field, const char *text,
                        const char *args)
{
    fer_buf_printf(b->out, ",\"%s\":[{\"description\":", field);
    add_quoted(b, text);
    fer_buf_add_text(b->out, ",\"args\":{");
    add_template(b, args);
    fer_buf_add_text(b->out, "}}]");
}

static void add_record(const struct about *b)
{
    const fer_sketch *s = b->sketch;
    fer_buf_add_text(b->out, "{\"name\":");
    fer_buf_add_quoted(b->out, s->name);
    fer_buf_add_text(b->out, ",\"namespace\":");
    fer_buf_add_quoted(b->out, s->ns);
    fer_buf_add_text(b->out, ",\"version\":");
    fer_buf_add_quoted(b->out, s->version);
    add_title(b);
    add_description(b);
    add_tags(b);
    add_input(b);
    add_output(b);
    add_effect(b);
    add_example(b, "examples", patterns[s->pattern].good_text, patterns[s->pattern].good);
    add_example(b, "invalidExamples", patterns[s->pattern].bad_text, patterns[s->pattern].bad);
    fer_buf_add_text(b->out, ",\"changelog\":[{\"version\":");
    fer_buf_add_quoted(b->out, s->version);
    fer_buf_add_text(b->out, ",\"changes\":\"First version.\"}]}");
}

fer_code fer_sketch_write(fer_arena *a, const fer_sketch *s, fer_str *out, fer_err *err)
{
    fer_buf text;
    fer_format read_as;
    struct about b = {.out = &text};
    fer_buf_init(&text, a, SKETCH_MAX);
    learn(&b, s);
    add_record(&b);
    fer_code code = fer_buf_code(&text, err);
    if (code) return code;
    return fer_format_definitions(a, FER_STR("sketch"), fer_buf_view(&text), FER_FORMAT_JSON,
                                  &read_as, out, err);
}

/* ---- what a name says --------------------------------------------------------------------------
 */

fer_effect fer_sketch_effect(fer_str name)
{
    size_t at;
    fer_name_words words;
    fer_words_split(&words, name);
    switch (fer_verb_of(&words, &at)) {
    case FER_VERB_READ:
    case FER_VERB_LIST:
    case FER_VERB_SEARCH: return FER_EFFECT_PURE;
    case FER_VERB_CHANGE:
    case FER_VERB_DELETE: return FER_EFFECT_IDEMPOTENT_WRITE;
    case FER_VERB_SEND: return FER_EFFECT_EXTERNAL_SIDE_EFFECTS;
    default: return FER_EFFECT_NON_IDEMPOTENT_WRITE;
    }
}

fer_pattern fer_sketch_pattern(fer_str name)
{
    size_t at;
    fer_name_words words;
    fer_words_split(&words, name);
    return fer_verb_of(&words, &at) == FER_VERB_LIST ? FER_PATTERN_NONE : FER_PATTERN_STRING;
}
