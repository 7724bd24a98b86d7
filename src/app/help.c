/* SPDX-License-Identifier: Apache-2.0 */
/* --help, out of the table. */
#include <stdio.h>
#include <string.h>

#include "command.h"

#define WIDTH 80

/* Wraps words at WIDTH columns, indented. The text of the tables is ASCII. */
static void wrap(fer_out *out, const char *text, size_t indent)
{
    size_t column = 0;
    while (*text) {
        size_t len = strcspn(text, " ");
        if (column && column + 1 + len > WIDTH - indent) {
            fer_out_text(out, "\n");
            column = 0;
        }
        if (!column) {
            for (size_t i = 0; i < indent; i++) fer_out_text(out, " ");
        } else {
            fer_out_text(out, " ");
            column++;
        }
        fer_out_add(out, (fer_str){text, len});
        column += len;
        text += len;
        while (*text == ' ') text++;
    }
    fer_out_text(out, "\n");
}

static void heading(fer_out *out, const char *text)
{
    fer_out_style(out, FER_STYLE_BOLD);
    fer_out_printf(out, "%s", text);
    fer_out_style(out, FER_STYLE_NONE);
    fer_out_text(out, "\n");
}

static void write_options(fer_out *out, const fer_option *o)
{
    for (; o->name; o++) {
        char left[64];
        int len = snprintf(left, sizeof left, "  %c%c%s --%s%s%s", o->letter ? '-' : ' ',
                           o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
                           o->argument ? " " : "", o->argument ? o->argument : "");
        fer_out_printf(out, "%-30s", left);
        if (len >= 30) fer_out_printf(out, "\n%30s", "");
        fer_out_text(out, o->text);
        for (const char *const *c = o->choices; c && *c; c++) {
            fer_out_printf(out, "%s%s", c == o->choices ? ": " : ", ", *c);
        }
        fer_out_text(out, "\n");
    }
}

static void write_examples(fer_out *out, const char *lines)
{
    while (*lines) {
        size_t len = strcspn(lines, "\n");
        fer_out_text(out, "  ");
        fer_out_add(out, (fer_str){lines, len});
        fer_out_text(out, "\n");
        lines += len + (lines[len] == '\n');
    }
}

static void write_command(fer_out *out, const fer_command *c)
{
    fer_out_printf(out, "ferrule %s: %s\n\n", c->name, c->summary);
    heading(out, "Usage");
    fer_out_printf(out, "  ferrule %s [OPTIONS]%s%s\n\n", c->name, *c->arguments ? " " : "",
                   c->arguments);
    wrap(out, c->text, 0);
    fer_out_text(out, "\n");
    heading(out, "Options");
    write_options(out, c->options);
    write_options(out, fer_common_options);
    fer_out_text(out, "\n");
    heading(out, "Examples");
    write_examples(out, c->examples);
}

static void write_summary(fer_out *out, const fer_command *c)
{
    fer_out_printf(out, "  %-24s%s\n", c->name, c->summary);
}

void fer_help_group(fer_out *out, const char *group)
{
    const fer_command *first = fer_commands;
    while (first->name && !fer_command_in_group(first, group)) first++;
    if (first->name) fer_out_printf(out, "ferrule %s: %s\n\n", group, fer_group_summary(first));
    heading(out, "Usage");
    fer_out_printf(out, "  ferrule %s COMMAND [OPTIONS] [ARGUMENTS]\n\n", group);
    heading(out, "Commands");
    for (const fer_command *c = fer_commands; c->name; c++) {
        if (fer_command_in_group(c, group)) write_summary(out, c);
    }
    fer_out_printf(out, "\n'ferrule help %s COMMAND' explains a command.\n", group);
}

static void write_all(fer_out *out)
{
    fer_out_text(out, "ferrule: contracts for the tools of AI agents\n\n");
    heading(out, "Usage");
    fer_out_text(out, "  ferrule COMMAND [OPTIONS] [ARGUMENTS]\n\n");
    heading(out, "Commands");
    for (const fer_command *c = fer_commands; c->name; c++) write_summary(out, c);
    fer_out_text(out, "\n");
    heading(out, "Exit codes");
    fer_out_text(out, "  0   done; nothing found, or warnings only\n"
                      "  1   done, and errors were found (with --strict, warnings too)\n"
                      "  2   bad usage, or input that could not be read in full\n"
                      "  70  the machine or Ferrule itself failed\n\n"
                      "'ferrule help COMMAND' explains a command.\n");
}

void fer_help_write(fer_out *out, const fer_command *command)
{
    if (command && command->run != fer_run_help) write_command(out, command);
    else write_all(out);
}
