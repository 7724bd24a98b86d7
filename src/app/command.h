/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line as a table. A verb is one file in commands/ and one row in
 * commands.c; the row also makes --help, the man page, the reference page and the
 * completions of three shells. The command runs on one thread.
 */
#ifndef FER_COMMAND_H
#define FER_COMMAND_H

#include "log.h"
#include "out.h"

typedef struct fer_option {
    const char *name;     /* long name, without dashes; NULL ends a table */
    char letter;          /* 0: none */
    const char *argument; /* what the value is called; NULL: a switch; "...": may be repeated */
    const char *const *choices; /* allowed values, ended by NULL; NULL: any */
    const char *text;
} fer_option;

typedef struct fer_app fer_app;

/* What a command is for, in the order of the help. */
typedef enum fer_topic {
    FER_TOPIC_DEFINE,
    FER_TOPIC_SCHEMA,
    FER_TOPIC_CONVERT,
    FER_TOPIC_FIND,
    FER_TOPIC_RUN,
    FER_TOPIC_SERVE,
    FER_TOPIC_RECORD,
    FER_TOPIC_HELP,
    FER_TOPIC_COUNT
} fer_topic;

typedef struct fer_command {
    const char *name; /* one word, or a group and a verb: "schema lint" */
    fer_topic topic;
    const char *arguments; /* as shown in the usage line */
    const char *summary;   /* half a line */
    const char *text;      /* paragraphs for --help and the man page */
    const fer_option *options;
    const char *examples; /* lines of a shell */
    int (*run)(fer_app *app);
} fer_command;

#define FER_OPTIONS_MAX 40  /* of one command, the common ones included */
#define FER_REPEATS_MAX 256 /* values of options that may be given again */

struct fer_app {
    const fer_command *command;
    fer_out out;                         /* standard output */
    fer_log log;                         /* standard error */
    const char *values[FER_OPTIONS_MAX]; /* of the command's options, then the common ones; "" for a
                                            switch */
    struct {
        const fer_option *option;
        const char *value;
    } repeats[FER_REPEATS_MAX]; /* of options that may be given again, in order */
    size_t repeat_count;
    const char *const *args;
    size_t arg_count;
};

extern const fer_command fer_commands[]; /* ended by a row without name */
extern const fer_option fer_common_options[];

/* Whether the option may be given again: see fer_app_values. */
bool fer_option_is_many(const fer_option *o);

/* The command of one word or two; `*used` says how many it took. NULL: there is none. */
const fer_command *fer_command_find(const char *const *words, size_t count, size_t *used);
/* Whether the word begins the names of commands of two words, such as "schema". */
bool fer_command_is_group(const char *word);
/* What the commands of its group have in common, half a line. */
const char *fer_group_summary(const fer_command *c);
bool fer_command_in_group(const fer_command *c, const char *group);
/* The verb of a command in a group; NULL: it is in none. */
const char *fer_command_verb(const fer_command *c);
/* The first word of its name. */
fer_str fer_command_word(const fer_command *c);
/* Whether the option is one of its own. */
bool fer_command_has(const fer_command *c, const char *option);
/* Whether no row before it begins with the same word. */
bool fer_command_is_first(const fer_command *c);

/* The value of an option, "" for a switch that was given, NULL where it was not. */
const char *fer_app_option(const fer_app *app, const char *name);
/* The `index`-th value of an option that may be given again; NULL past the last. */
const char *fer_app_values(const fer_app *app, const char *name, size_t index);

/* One line on standard error, cleaned: what it quotes may come from a file. */
void fer_app_say(fer_app *app, const char *format, ...) FER_PRINTF(2, 3);
/* Reports a failure on standard error and returns the exit code of its row. */
int fer_app_fail(fer_app *app, const fer_err *err);
/* Reports bad usage and returns 2. */
int fer_app_usage(fer_app *app, const char *format, ...) FER_PRINTF(2, 3);

/* One command's help, or everybody's where it is NULL. */
void fer_help_write(fer_out *out, const fer_command *command);
/* The commands of a group. */
void fer_help_group(fer_out *out, const char *group);

/* Commands. */
int fer_run_blame(fer_app *app);
int fer_run_call(fer_app *app);
int fer_run_call_back(fer_app *app);
int fer_run_catalog_approve(fer_app *app);
int fer_run_catalog_events(fer_app *app);
int fer_run_catalog_quarantine(fer_app *app);
int fer_run_catalog_reject(fer_app *app);
int fer_run_catalog_update(fer_app *app);
int fer_run_chain(fer_app *app);
int fer_run_check(fer_app *app);
int fer_run_completion(fer_app *app);
int fer_run_config_check(fer_app *app);
int fer_run_config_schema(fer_app *app);
int fer_run_conformance_client(fer_app *app);
int fer_run_convert(fer_app *app);
int fer_run_cost(fer_app *app);
int fer_run_describe(fer_app *app);
int fer_run_diff(fer_app *app);
int fer_run_doctor(fer_app *app);
int fer_run_eval(fer_app *app);
int fer_run_exec(fer_app *app);
int fer_run_explain(fer_app *app);
int fer_run_fmt(fer_app *app);
int fer_run_help(fer_app *app);
int fer_run_id(fer_app *app);
int fer_run_import_openapi(fer_app *app);
int fer_run_index_build(fer_app *app);
int fer_run_index_stats(fer_app *app);
int fer_run_init(fer_app *app);
int fer_run_inspect(fer_app *app);
int fer_run_keys_list(fer_app *app);
int fer_run_keys_resolve(fer_app *app);
int fer_run_keys_show(fer_app *app);
int fer_run_keys_sweep(fer_app *app);
int fer_run_install(fer_app *app);
int fer_run_ledger_export(fer_app *app);
int fer_run_ledger_prune(fer_app *app);
int fer_run_ledger_accept(fer_app *app);
int fer_run_ledger_query(fer_app *app);
int fer_run_ledger_tail(fer_app *app);
int fer_run_ledger_verify(fer_app *app);
int fer_run_list(fer_app *app);
int fer_run_lock(fer_app *app);
int fer_run_namespaces(fer_app *app);
int fer_run_new(fer_app *app);
int fer_run_profiles(fer_app *app);
int fer_run_profiles_show(fer_app *app);
int fer_run_reference(fer_app *app);
int fer_run_result(fer_app *app);
int fer_run_run(fer_app *app);
int fer_run_schema_bundle(fer_app *app);
int fer_run_schema_compare(fer_app *app);
int fer_run_schema_convert(fer_app *app);
int fer_run_schema_from_json(fer_app *app);
int fer_run_schema_info(fer_app *app);
int fer_run_schema_lint(fer_app *app);
int fer_run_search(fer_app *app);
int fer_run_serve(fer_app *app);
int fer_run_servers(fer_app *app);
int fer_run_show(fer_app *app);
int fer_run_tags(fer_app *app);
int fer_run_auth_login(fer_app *app);
int fer_run_auth_logout(fer_app *app);
int fer_run_auth_status(fer_app *app);
int fer_run_token_list(fer_app *app);
int fer_run_token_new(fer_app *app);
int fer_run_token_revoke(fer_app *app);
int fer_run_tools(fer_app *app);
int fer_run_top(fer_app *app);
int fer_run_usage_forget(fer_app *app);
int fer_run_usage_list(fer_app *app);
int fer_run_usage_note(fer_app *app);
int fer_run_validate(fer_app *app);
int fer_run_version(fer_app *app);

#endif
