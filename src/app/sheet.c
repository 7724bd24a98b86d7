/* SPDX-License-Identifier: Apache-2.0 */
#include "sheet.h"

#include <string.h>

#include "unicode.h"

/* In Markdown a bar ends a cell, < begins a tag, and * and \ mean something. */
static void marked(fer_out *o, fer_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '|' || c == '<' || c == '*' || c == '\\') fer_out_text(o, "\\");
        if (c == '\n') fer_out_text(o, " ");
        else fer_out_add(o, fer_str_slice(text, i, i + 1));
    }
}

static void words(const fer_sheet *s, fer_str text)
{
    if (s->markdown) marked(s->out, text);
    else fer_out_clean(s->out, text);
}

void fer_sheet_title(const fer_sheet *s, fer_str name, fer_str rest)
{
    if (s->markdown) fer_out_text(s->out, "# ");
    else fer_out_style(s->out, FER_STYLE_BOLD);
    words(s, name);
    if (!s->markdown) fer_out_style(s->out, FER_STYLE_NONE);
    words(s, rest);
    fer_out_text(s->out, "\n\n");
    if (s->markdown) fer_out_text(s->out, FER_SHEET_MADE);
}

void fer_sheet_text(const fer_sheet *s, const char *head, fer_str text)
{
    fer_out_text(s->out, head);
    words(s, text);
    fer_out_text(s->out, "\n\n");
}

void fer_sheet_items(const fer_sheet *s, const char *head, const fer_str *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fer_out_printf(s->out, "%s%s: ", s->markdown ? "- " : "", head);
        words(s, list[i]);
        fer_out_text(s->out, "\n");
    }
}

/* ---- tables ------------------------------------------------------------------------------ */

static void marked_row(fer_out *o, const fer_sheet_table *t, const fer_str *row)
{
    for (size_t c = 0; c < t->columns; c++) {
        bool link = c == 0 && t->folder;
        fer_out_text(o, c ? " | " : "| ");
        if (link) fer_out_text(o, "[");
        marked(o, row[c]);
        if (link) fer_out_printf(o, "](%s%.*s.md)", t->folder, FER_PRI(row[c]));
    }
    fer_out_text(o, " |\n");
}

static void marked_table(fer_out *o, const fer_sheet_table *t)
{
    for (size_t c = 0; c < t->columns; c++) fer_out_printf(o, "| %s ", t->heads[c]);
    fer_out_text(o, "|\n");
    for (size_t c = 0; c < t->columns; c++) fer_out_text(o, "|---");
    fer_out_text(o, "|\n");
    for (size_t r = 0; r < t->count; r++) marked_row(o, t, t->rows[r]);
}

/* Separated by tabs, as pipes like it. */
static void tabbed_table(fer_out *o, const fer_sheet_table *t)
{
    for (size_t r = 0; r < t->count; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            if (c) fer_out_text(o, "\t");
            fer_out_clean(o, t->rows[r][c]);
        }
        fer_out_text(o, "\n");
    }
}

static void aligned_cell(fer_out *o, fer_str text, size_t width, bool last)
{
    size_t own = fer_unicode_width(text);
    fer_out_clean(o, text);
    if (!last) fer_out_printf(o, "%*s", (int)(width > own ? width - own + 2 : 2), "");
}

static void aligned_table(fer_out *o, const fer_sheet_table *t)
{
    size_t widths[FER_SHEET_COLUMNS] = {0};
    for (size_t c = 0; c < t->columns; c++) {
        widths[c] = strlen(t->heads[c]);
        for (size_t r = 0; r < t->count; r++) {
            size_t width = fer_unicode_width(t->rows[r][c]);
            if (width > widths[c]) widths[c] = width;
        }
    }
    fer_out_style(o, FER_STYLE_BOLD);
    for (size_t c = 0; c < t->columns; c++)
        aligned_cell(o, fer_str_of(t->heads[c]), widths[c], c + 1 == t->columns);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, "\n");
    for (size_t r = 0; r < t->count; r++) {
        for (size_t c = 0; c < t->columns; c++)
            aligned_cell(o, t->rows[r][c], widths[c], c + 1 == t->columns);
        fer_out_text(o, "\n");
    }
}

void fer_sheet_table_write(const fer_sheet *s, const fer_sheet_table *t)
{
    if (s->markdown) marked_table(s->out, t);
    else if (s->out->terminal) aligned_table(s->out, t);
    else tabbed_table(s->out, t);
}
