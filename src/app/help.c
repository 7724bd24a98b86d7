/* SPDX-License-Identifier: Apache-2.0 */
/* --help, out of the table. */
#include <stdio.h>
#include <string.h>

#include "command.h"

#define WIDTH 80

/* Words on lines of WIDTH columns. The text of the tables is ASCII. */
struct lines {
    fer_out *out;
    size_t indent; /* of all but the first */
    size_t column; /* behind the last word; 0: none on this line yet */
};

static void add_words(struct lines *l, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, " \n");
        bool first = !l->column;
        if (*text == '\n') { /* paragraphs */
            fer_out_text(l->out, "\n");
            l->column = 0;
            text++;
            continue;
        }
        if (!first && l->column + 1 + len > WIDTH - l->indent) {
            fer_out_printf(l->out, "\n%*s", (int)l->indent, "");
            l->column = 0;
            first = true;
        }
        if (!first) fer_out_text(l->out, " ");
        fer_out_add(l->out, (fer_str){text, len});
        l->column += len + !first;
        text += len;
        while (*text == ' ') text++;
    }
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
        struct lines l = {out, 30, 0};
        add_words(&l, o->text);
        for (const char *const *c = o->choices; c && *c; c++) {
            char choice[64];
            snprintf(choice, sizeof choice, "%s%s", *c, c[1] ? "," : "");
            if (c == o->choices) fer_out_text(out, ":");
            if (c == o->choices) l.column++;
            add_words(&l, choice);
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
    struct lines l = {out, 0, 0};
    add_words(&l, c->text);
    fer_out_text(out, "\n\n");
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

static const char *const topics[FER_TOPIC_COUNT] = {
    [FER_TOPIC_DEFINE] = "Commands: definitions of tools",
    [FER_TOPIC_SCHEMA] = "JSON Schemas",
    [FER_TOPIC_CONVERT] = "Other shapes",
    [FER_TOPIC_FIND] = "Finding tools, and catalogues of them",
    [FER_TOPIC_RUN] = "Running tools",
    [FER_TOPIC_SERVE] = "The gateway",
    [FER_TOPIC_RECORD] = "What was done",
    [FER_TOPIC_HELP] = "Help",
};

static void write_all(fer_out *out)
{
    fer_out_text(out, "ferrule: contracts for the tools of AI agents\n\n");
    heading(out, "Usage");
    fer_out_text(out, "  ferrule COMMAND [OPTIONS] [ARGUMENTS]\n\n");
    for (int topic = 0; topic < FER_TOPIC_COUNT; topic++) {
        heading(out, topics[topic]);
        for (const fer_command *c = fer_commands; c->name; c++)
            if (c->topic == (fer_topic)topic) write_summary(out, c);
        fer_out_text(out, "\n");
    }
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
