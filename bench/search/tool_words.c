/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_words TOOLS.jsonl: the words of each tool as search sees them, a line for each: the stems
 * of its namespace, a tab, and those of its name, tags, description and parameter names. What
 * tools/make-related learns from.
 */
#include "../bench.h"
#include "json_doc.h"
#include "tokens.h"
#include "tool_text.h"

static void print_field(fer_tokeniser *t, const fer_search_doc *doc, bool ns)
{
    for (size_t i = 0; i < doc->count; i++) {
        fer_search_field field = doc->texts[i].field;
        fer_token_reader r;
        fer_token k;
        if ((field == FER_FIELD_NAMESPACE) != ns || field > FER_FIELD_PARAM_NAME) continue;
        fer_token_reader_init(&r, t, doc->texts[i].text);
        while (fer_token_next(&r, &k)) {
            if (k.use != FER_TOKEN_STOP) printf("%.*s ", FER_PRI(k.text));
        }
    }
}

static fer_str text_of(const yyjson_val *v, const char *key)
{
    const yyjson_val *s = fer_val_get(v, key);
    return fer_is_str(s) ? fer_val_str(s) : FER_STR_NONE;
}

static void print_tool(fer_arena *a, fer_tokeniser *t, fer_str line)
{
    fer_json *doc;
    fer_search_doc texts;
    BENCH_NEEDS(fer_json_read(a, line, fer_json_limits_file(), &doc, NULL) == FER_OK);
    const yyjson_val *v = fer_json_root(doc);
    fer_tool_head head = {.ns = text_of(v, "namespace"),
                          .name = text_of(v, "name"),
                          .description = text_of(v, "description"),
                          .tags = fer_val_get(v, "tags")};
    BENCH_NEEDS(fer_tool_text(a, &head, fer_val_get(v, "inputSchema"), &texts, NULL) == FER_OK);
    print_field(t, &texts, true);
    putchar('\t');
    print_field(t, &texts, false);
    putchar('\n');
}

int main(int argc, char **argv)
{
    fer_arena *a = fer_arena_new(0);
    fer_tokeniser *t = fer_tokeniser_new();
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    BENCH_NEEDS(a && t && argc == 2);
    FILE *f = fopen(argv[1], "r");
    BENCH_NEEDS(f);
    while ((len = getline(&line, &cap, f)) > 0) {
        fer_arena_reset(a);
        print_tool(a, t, (fer_str){line, (size_t)len});
    }
    fclose(f);
    free(line);
    fer_tokeniser_free(t);
    fer_arena_free(a);
    return 0;
}
