/* SPDX-License-Identifier: Apache-2.0 */
/* Looking the rows of the command line up, by one word or two. */
#include <string.h>

#include "command.h"

bool fer_option_is_many(const fer_option *o)
{
    return o->argument && fer_str_ends(fer_str_of(o->argument), "...");
}

static const struct {
    const char *name;
    const char *summary;
} groups[] = {{"schema", "work on JSON Schemas"},
              {"ledger", "read, verify and prune the ledger"},
              {"profiles", "list and show profiles of providers and clients"},
              {"config", "look at configurations"},
              {"import", "make tools of what describes them"},
              {"index", "write catalogues to files and look at them"},
              {"catalog", "change a catalogue in a file, and decide what is held back"},
              {"usage", "remember which queries led to which tools"},
              {"keys", "look at idempotency keys and settle unknown outcomes"},
              {"auth", "get and forget tokens for servers over HTTP"},
              {"token", "make and revoke the tokens of the gateway's clients"}};

const char *fer_group_summary(const fer_command *c)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (fer_str_is(fer_command_word(c), groups[i].name)) return groups[i].summary;
    }
    return c->summary;
}

const char *fer_command_verb(const fer_command *c)
{
    const char *blank = strchr(c->name, ' ');
    return blank ? blank + 1 : NULL;
}

fer_str fer_command_word(const fer_command *c)
{
    return (fer_str){c->name, strcspn(c->name, " ")};
}

bool fer_command_in_group(const fer_command *c, const char *group)
{
    return fer_command_verb(c) && fer_str_is(fer_command_word(c), group);
}

bool fer_command_is_group(const char *word)
{
    for (const fer_command *c = fer_commands; c->name; c++) {
        if (fer_command_in_group(c, word)) return true;
    }
    return false;
}

bool fer_command_is_first(const fer_command *c)
{
    for (const fer_command *d = fer_commands; d < c; d++) {
        if (fer_str_eq(fer_command_word(d), fer_command_word(c))) return false;
    }
    return true;
}

const fer_command *fer_command_find(const char *const *words, size_t count, size_t *used)
{
    for (const fer_command *c = fer_commands; count && c->name; c++) {
        const char *verb = fer_command_verb(c);
        if (!fer_str_is(fer_command_word(c), words[0])) continue;
        if (verb && (count < 2 || strcmp(verb, words[1]) != 0)) continue;
        *used = verb ? 2 : 1;
        return c;
    }
    return NULL;
}

bool fer_command_has(const fer_command *c, const char *option)
{
    for (const fer_option *o = c->options; o && o->name; o++)
        if (strcmp(o->name, option) == 0) return true;
    return false;
}
