/* SPDX-License-Identifier: Apache-2.0 */
#include "json_skim.h"

#include <string.h>

size_t fer_skim_space(fer_str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\n' || text.ptr[at] == '\t' ||
                             text.ptr[at] == '\r')) {
        at++;
    }
    return at;
}

/* The byte behind the string that starts at `at`. Quotes are found with memchr: text is mostly
 * strings. */
static size_t skim_string(fer_str text, size_t at)
{
    size_t from = at + 1;
    for (;;) {
        size_t quote = fer_str_find(text, from, '"');
        if (quote == SIZE_MAX) return SIZE_MAX;
        size_t slashes = quote;
        while (slashes > at + 1 && text.ptr[slashes - 1] == '\\') slashes--;
        if ((quote - slashes) % 2 == 0) return quote + 1;
        from = quote + 1;
    }
}

static size_t skim_word(fer_str text, size_t at)
{
    while (at < text.len && !strchr(" \t\r\n,:]}[{\"", text.ptr[at])) at++;
    return at;
}

size_t fer_skim_value(fer_str text, size_t at)
{
    size_t depth = 0;
    if (at >= text.len) return SIZE_MAX;
    if (text.ptr[at] != '"' && text.ptr[at] != '{' && text.ptr[at] != '[') {
        size_t end = skim_word(text, at);
        return end > at ? end : SIZE_MAX;
    }
    while (at < text.len) {
        char c = text.ptr[at];
        if (c == '"') {
            at = skim_string(text, at);
            if (at == SIZE_MAX) return SIZE_MAX;
        } else {
            at++;
            if (c == '{' || c == '[') depth++;
            else if (c == '}' || c == ']') depth--;
        }
        if (depth == 0) return at;
    }
    return SIZE_MAX;
}
