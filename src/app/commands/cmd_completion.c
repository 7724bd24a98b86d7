/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule completion: scripts for three shells out of the command table. */
#include <ferrule/schema.h>
#include <string.h>

#include "client_files.h"
#include "command.h"
#include "errors.h"
#include "pages.h"

static void words(fer_out *o, const char *const *list, const char *between)
{
    for (const char *const *w = list; *w; w++)
        fer_out_printf(o, "%s%s", w == list ? "" : between, *w);
}

/* Calls `each` for the command's own options, then the common ones. */
static void each_option(fer_out *o, const fer_command *c,
                        void (*each)(fer_out *, const fer_command *, const fer_option *))
{
    for (const fer_option *p = c->options; p->name; p++) each(o, c, p);
    for (const fer_option *p = fer_common_options; p->name; p++) each(o, c, p);
}

/* The group of a command that is in one. */
static void group_name(const fer_command *c, char *to, size_t size)
{
    fer_str word = fer_command_word(c);
    size_t len = word.len < size ? word.len : size - 1;
    memcpy(to, word.ptr, len);
    to[len] = '\0';
}

/* ---- arguments that are no files ----------------------------------------------------------- */

/* All three shells expand what they are given: a dollar stays one behind a backslash. */
static void word(fer_out *o, const char *before, const char *text)
{
    fer_out_printf(o, "%s", before);
    for (; *text; text++) {
        if (*text == '$') fer_out_text(o, "\\");
        fer_out_add(o, (fer_str){text, 1});
    }
    fer_out_text(o, " ");
}

static void shell_words(fer_out *o)
{
    fer_out_text(o, "bash zsh fish");
}

static void rule_words(fer_out *o, const char *before)
{
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r)) word(o, before, r->id);
}

static void profile_words(fer_out *o, const char *before)
{
    for (size_t i = 0; i < fer_profile_count(); i++) word(o, before, fer_profile_name_at(i));
}

static void explain_words(fer_out *o)
{
    size_t count;
    const fer_code_row *codes = fer_code_table(&count);
    rule_words(o, "");
    for (size_t i = 0; i < count; i++) word(o, "", codes[i].name);
    const fer_schema_rule *rules = fer_schema_rules(&count);
    for (size_t i = 0; i < count; i++) word(o, "", rules[i].id);
}

static void show_words(fer_out *o)
{
    profile_words(o, "");
}

static void reference_words(fer_out *o)
{
    const char *page;
    for (size_t i = 0; (page = fer_reference_page_at(i)); i++) word(o, "", page);
    rule_words(o, "rules/");
    profile_words(o, "profiles/");
}

static void help_words(fer_out *o)
{
    for (const fer_command *c = fer_commands; c->name; c++) {
        if (!fer_command_is_first(c)) continue;
        fer_out_add(o, fer_command_word(c));
        fer_out_text(o, " ");
    }
}

static void client_words(fer_out *o)
{
    for (const char *const *name = fer_client_names; *name; name++) word(o, "", *name);
}

/* What the values of an option can be, by what its argument is called; files will do, too. */
static void (*values_of(const fer_option *p))(fer_out *o)
{
    if (!p->argument) return NULL;
    if (strcmp(p->argument, "PROFILE") == 0 || strcmp(p->name, "profile") == 0) return show_words;
    return strcmp(p->argument, "CLIENT|FILE") == 0 ? client_words : NULL;
}

static const struct argument {
    const char *command;
    void (*words)(fer_out *o);
    bool files; /* these will do, too */
} arguments[] = {{"completion", shell_words, false},  {"explain", explain_words, false},
                 {"help", help_words, false},         {"install", client_words, false},
                 {"profiles show", show_words, true}, {"reference", reference_words, false}};

static const struct argument *argument_of(const fer_command *c)
{
    for (size_t i = 0; i < FER_COUNT(arguments); i++) {
        if (strcmp(c->name, arguments[i].command) == 0) return &arguments[i];
    }
    return NULL;
}

/* ---- bash -------------------------------------------------------------------------------- */

static void bash_name(fer_out *o, const fer_command *c, const fer_option *p)
{
    (void)c;
    fer_out_printf(o, " --%s", p->name);
    if (p->letter) fer_out_printf(o, " -%c", p->letter);
}

static void bash_values(fer_out *o, const fer_command *c, const fer_option *p)
{
    void (*values)(fer_out *) = values_of(p);
    if (!p->choices && !values) return;
    fer_out_printf(o, "        '%s':--%s", c->name, p->name);
    if (p->letter) fer_out_printf(o, "|'%s':-%c", c->name, p->letter);
    fer_out_printf(o, ") COMPREPLY=($(compgen%s -W '", values ? " -f" : "");
    if (values) values(o);
    else words(o, p->choices, " ");
    fer_out_text(o, "' -- \"$cur\")); return ;;\n");
}

/* First words of all commands, or the verbs of a group. */
static void bash_commands(fer_out *o, const char *group)
{
    bool any = false;
    for (const fer_command *c = fer_commands; c->name; c++) {
        if (group ? !fer_command_in_group(c, group) : !fer_command_is_first(c)) continue;
        if (any) fer_out_text(o, " ");
        any = true;
        if (group) fer_out_text(o, fer_command_verb(c));
        else fer_out_add(o, fer_command_word(c));
    }
}

/* In a group the second word belongs to the command's name. */
static void bash_groups(fer_out *o)
{
    for (const fer_command *c = fer_commands; c->name; c++) {
        if (!fer_command_verb(c) || !fer_command_is_first(c)) continue;
        char group[64];
        group_name(c, group, sizeof group);
        fer_out_printf(
            o,
            "    if [ \"$cmd\" = %s ]; then\n        if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
            "            COMPREPLY=($(compgen -W '",
            group);
        bash_commands(o, group);
        fer_out_text(o, "' -- \"$cur\"))\n            return\n        fi\n"
                        "        cmd=\"$cmd ${COMP_WORDS[2]}\"\n    fi\n");
    }
}

static void bash(fer_out *o)
{
    fer_out_text(
        o,
        "# bash completion for ferrule\n_ferrule() {\n    local cur prev cmd\n"
        "    cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=${COMP_WORDS[1]}\n"
        "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '");
    bash_commands(o, NULL);
    fer_out_text(o, "' -- \"$cur\"))\n        return\n    fi\n");
    bash_groups(o);
    fer_out_text(o, "    case $cmd:$prev in\n");
    for (const fer_command *c = fer_commands; c->name; c++) each_option(o, c, bash_values);
    fer_out_text(o, "    esac\n    case $cur in\n        -*) case $cmd in\n");
    for (const fer_command *c = fer_commands; c->name; c++) {
        fer_out_printf(o, "            '%s') COMPREPLY=($(compgen -W '", c->name);
        each_option(o, c, bash_name);
        fer_out_text(o, "' -- \"$cur\")) ;;\n");
    }
    fer_out_text(o, "        esac ;;\n        *) case $cmd in\n");
    for (size_t i = 0; i < FER_COUNT(arguments); i++) {
        fer_out_printf(o, "            '%s') COMPREPLY=($(compgen%s -W '", arguments[i].command,
                       arguments[i].files ? " -f" : "");
        arguments[i].words(o);
        fer_out_text(o, "' -- \"$cur\")) ;;\n");
    }
    fer_out_text(
        o, "            *) compopt -o filenames 2>/dev/null\n"
           "               COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n        esac ;;\n    esac\n}\n"
           "complete -F _ferrule ferrule\n");
}

/* ---- zsh ------------------------------------------------------------------------------------ */

/* Inside '...[text]': brackets and colons mean something, quotes end the word. */
static void zsh_text(fer_out *o, const char *text)
{
    for (; *text; text++) {
        if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') fer_out_text(o, "\\");
        if (*text == '\'') fer_out_text(o, "'\\''");
        else fer_out_add(o, (fer_str){text, 1});
    }
}

static void zsh_option(fer_out *o, const fer_command *c, const fer_option *p)
{
    (void)c;
    if (p->letter && fer_option_is_many(p))
        fer_out_printf(o, " \\\n            '*'{-%c,--%s}'[", p->letter, p->name);
    else if (p->letter)
        fer_out_printf(o, " \\\n            '(-%c --%s)'{-%c,--%s}'[", p->letter, p->name,
                       p->letter, p->name);
    else fer_out_printf(o, " \\\n            '%s--%s[", fer_option_is_many(p) ? "*" : "", p->name);
    zsh_text(o, p->text);
    fer_out_text(o, "]");
    if (p->argument) fer_out_printf(o, ":%s:", p->argument);
    void (*values)(fer_out *) = values_of(p);
    if (p->choices || values) fer_out_text(o, values ? " _alternative \"words:word:(" : "(");
    if (values) values(o);
    else if (p->choices) words(o, p->choices, " ");
    if (p->choices || values) fer_out_text(o, values ? ")\" \"files:file:_files\"" : ")");
    fer_out_text(o, "'");
}

/* The list of commands, or of the verbs of a group. */
static void zsh_commands(fer_out *o, const char *group)
{
    for (const fer_command *c = fer_commands; c->name; c++) {
        bool grouped = fer_command_verb(c) != NULL;
        if (group ? !fer_command_in_group(c, group) : !fer_command_is_first(c)) continue;
        fer_out_text(o, "        '");
        if (group) fer_out_text(o, fer_command_verb(c));
        else fer_out_add(o, fer_command_word(c));
        fer_out_text(o, ":");
        zsh_text(o, grouped && !group ? fer_group_summary(c) : c->summary);
        fer_out_text(o, "'\n");
    }
}

static void zsh_groups(fer_out *o)
{
    for (const fer_command *c = fer_commands; c->name; c++) {
        if (!fer_command_verb(c) || !fer_command_is_first(c)) continue;
        char group[64];
        group_name(c, group, sizeof group);
        fer_out_printf(o, "    if [[ $cmd == %s ]]; then\n        commands=(\n", group);
        zsh_commands(o, group);
        fer_out_text(
            o, "        )\n        if (( CURRENT == 2 )); then\n"
               "            _describe command commands\n            return\n        fi\n"
               "        cmd=\"$cmd $words[2]\"\n        shift words\n        (( CURRENT-- ))\n"
               "    fi\n");
    }
}

static void zsh_argument(fer_out *o, const struct argument *a)
{
    if (!a) {
        fer_out_text(o, " \\\n            '*:file:_files' ;;\n");
        return;
    }
    fer_out_printf(o, " \\\n            '*:word:%s", a->files ? " _alternative \"words:word:" : "");
    fer_out_text(o, "(");
    a->words(o);
    fer_out_printf(o, ")%s' ;;\n", a->files ? "\" \"files:file:_files\"" : "");
}

static void zsh(fer_out *o)
{
    fer_out_text(o, "#compdef ferrule\n_ferrule() {\n    local -a commands\n    commands=(\n");
    zsh_commands(o, NULL);
    fer_out_text(
        o,
        "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
        "    local cmd=$words[2]\n    shift words\n    (( CURRENT-- ))\n");
    zsh_groups(o);
    fer_out_text(o, "    case $cmd in\n");
    for (const fer_command *c = fer_commands; c->name; c++) {
        fer_out_printf(o, "        '%s') _arguments", c->name);
        each_option(o, c, zsh_option);
        zsh_argument(o, argument_of(c));
    }
    fer_out_text(o, "    esac\n}\n_ferrule \"$@\"\n");
}

/* ---- fish --------------------------------------------------------------------------------------
 */

static void fish_text(fer_out *o, const char *text)
{
    fer_out_text(o, "'");
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fer_out_text(o, "\\");
        fer_out_add(o, (fer_str){text, 1});
    }
    fer_out_text(o, "'");
}

/* When a command is being typed: its word was seen, and in a group its verb too. */
static void fish_seen(fer_out *o, const fer_command *c)
{
    fer_out_printf(o, "'__fish_seen_subcommand_from %.*s", FER_PRI(fer_command_word(c)));
    if (fer_command_verb(c))
        fer_out_printf(o, "; and __fish_seen_subcommand_from %s", fer_command_verb(c));
    fer_out_text(o, "'");
}

static void fish_option(fer_out *o, const fer_command *c, const fer_option *p)
{
    fer_out_text(o, "complete -c ferrule -n ");
    fish_seen(o, c);
    fer_out_printf(o, " -l %s", p->name);
    if (p->letter) fer_out_printf(o, " -s %c", p->letter);
    if (p->argument) fer_out_text(o, p->choices ? " -x" : " -r");
    void (*values)(fer_out *) = values_of(p);
    if (p->choices || values) {
        fer_out_text(o, " -a '");
        if (values) values(o);
        else words(o, p->choices, " ");
        fer_out_text(o, "'");
    }
    fer_out_text(o, " -d ");
    fish_text(o, p->text);
    fer_out_text(o, "\n");
}

static void fish_command(fer_out *o, const fer_command *c)
{
    const char *verb = fer_command_verb(c);
    fer_str word = fer_command_word(c);
    if (fer_command_is_first(c)) {
        fer_out_printf(o, "complete -c ferrule -f -n __fish_use_subcommand -a %.*s -d ",
                       FER_PRI(word));
        fish_text(o, verb ? fer_group_summary(c) : c->summary);
        fer_out_text(o, "\n");
    }
    if (!verb) return;
    fer_out_printf(o, "complete -c ferrule -f -n '__fish_seen_subcommand_from %.*s' -a %s -d ",
                   FER_PRI(word), verb);
    fish_text(o, c->summary);
    fer_out_text(o, "\n");
}

static void fish(fer_out *o)
{
    fer_out_text(o, "# fish completion for ferrule\n");
    for (const fer_command *c = fer_commands; c->name; c++) {
        fish_command(o, c);
        each_option(o, c, fish_option);
        const struct argument *a = argument_of(c);
        if (!a) continue;
        fer_out_printf(o, "complete -c ferrule%s -n ", a->files ? "" : " -f");
        fish_seen(o, c);
        fer_out_text(o, " -a '");
        a->words(o);
        fer_out_text(o, "'\n");
    }
}

int fer_run_completion(fer_app *app)
{
    static const struct {
        const char *name;
        void (*write)(fer_out *o);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    if (app->arg_count != 1)
        return fer_app_usage(app, "completion needs the name of a shell: bash, zsh or fish");
    for (size_t i = 0; i < FER_COUNT(shells); i++) {
        if (strcmp(app->args[0], shells[i].name) != 0) continue;
        shells[i].write(&app->out);
        return FER_EXIT_OK;
    }
    return fer_app_usage(app, "there is no completion for '%s', only for bash, zsh and fish",
                         app->args[0]);
}
