/* SPDX-License-Identifier: Apache-2.0 */
#include "embed_text.h"

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* An identifier with its words apart: createIssue_v2 as "create issue v2". */
static void add_words(fer_buf *b, fer_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool mark = c == '_' || c == '-' || c == '.' || c == ':' || c == '/';
        bool hump =
            i && is_upper(c) && !is_upper(name.ptr[i - 1]) && b->len && b->ptr[b->len - 1] != ' ';
        if (mark || hump) fer_buf_add_char(b, ' ');
        if (!mark) fer_buf_add_char(b, fer_lower(c));
    }
}

static void add_field(fer_buf *b, const fer_search_doc *doc, fer_search_field field, bool words)
{
    for (size_t i = 0; i < doc->count; i++) {
        fer_str text = doc->texts[i].text;
        if (doc->texts[i].field != field || !text.len) continue;
        if (b->len) fer_buf_add(b, FER_STR(". "));
        if (words) add_words(b, text);
        else fer_buf_add(b, text);
    }
}

void fer_embed_text(fer_buf *b, const fer_search_doc *doc)
{
    add_field(b, doc, FER_FIELD_NAME, true);
    add_field(b, doc, FER_FIELD_TITLE, false);
    add_field(b, doc, FER_FIELD_DESCRIPTION, false);
}
