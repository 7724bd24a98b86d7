/* SPDX-License-Identifier: Apache-2.0 */
/* A command line as words. */
#include "buf.h"
#include "errors.h"
#include "remote.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The word that begins at `*at`; `*at` is behind it afterwards. */
static fer_code take_word(fer_arena *a, fer_str text, size_t *at, const char **out, fer_err *err)
{
    fer_buf b;
    char quote = '\0';
    size_t i = *at;
    fer_buf_init(&b, a, text.len + 2);
    for (; i < text.len && (quote || !is_blank(text.ptr[i])); i++) {
        char c = text.ptr[i];
        bool escapes = c == '\\' && quote != '\'' && i + 1 < text.len;
        if (escapes && quote == '"' && !strchr("\"\\$`", text.ptr[i + 1])) escapes = false;
        if (c == '\0') return fer_fail(err, FER_BAD_USAGE, "the command holds a NUL");
        if (escapes) fer_buf_add_char(&b, text.ptr[++i]);
        else if (quote && c == quote) quote = '\0';
        else if (!quote && (c == '"' || c == '\'')) quote = c;
        else fer_buf_add_char(&b, c);
    }
    if (quote) return fer_fail(err, FER_BAD_USAGE, "the command ends inside a quote (%c)", quote);
    fer_buf_add_char(&b, '\0');
    *at = i;
    *out = fer_buf_view(&b).ptr;
    return fer_buf_code(&b, err);
}

fer_code fer_command_words(fer_arena *a, fer_str text, const char *out[FER_REMOTE_WORDS + 1],
                           size_t *count, fer_err *err)
{
    *count = 0;
    for (size_t at = 0;;) {
        while (at < text.len && is_blank(text.ptr[at])) at++;
        if (at == text.len) break;
        if (*count == FER_REMOTE_WORDS)
            return fer_fail(err, FER_BAD_USAGE, "remote.words: the command has more than %d words",
                            FER_REMOTE_WORDS);
        fer_code code = take_word(a, text, &at, &out[(*count)++], err);
        if (code) return code;
    }
    out[*count] = NULL;
    return *count ? FER_OK : fer_fail(err, FER_BAD_USAGE, "the command is empty");
}
