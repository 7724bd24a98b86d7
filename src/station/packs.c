/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local commands: those of one namespace are one place, a pack. What is wrong in the configuration
 * is a failure; a command whose secret or program is not there is left out of its pack, which keeps
 * its definition, and is made again by whoever reads the configuration anew.
 */
#include <stdlib.h>

#include "errors.h"
#include "json_value.h"
#include "secret.h"
#include "station_parts.h"

fer_str fer_command_ns(const fer_config_command *c)
{
    fer_id id;
    return fer_id_parse(c->id, &id, NULL) || !id.ns.len ? FER_CONFIG_NO_NAMESPACE : id.ns;
}

fer_str fer_command_path(void)
{
    const char *path = getenv("PATH");
    return fer_str_of(path ? path : "/usr/bin:/bin");
}

/* What no secret and no program that comes later would mend. */
static fer_code check_form(fer_arena *a, const fer_local_command *c, fer_err *err)
{
    fer_str program = fer_argv_program(&c->argv), ignored;
    for (size_t i = 0; i < c->set_count; i++) {
        fer_code code = fer_secret_check(c->set[i].value, err);
        if (code) return code;
    }
    bool is_name = fer_str_find(program, 0, '/') == SIZE_MAX;
    return is_name ? FER_OK : fer_process_find(a, program, FER_STR(""), &ignored, err);
}

fer_code fer_command_read(fer_arena *a, const fer_config_command *c, fer_local_command *out,
                          fer_err *err)
{
    fer_json *doc;
    fer_id id;
    fer_str run = fer_arena_copy(a, c->run), own = fer_arena_copy(a, c->id);
    if (!run.ptr || !own.ptr) return fer_arena_failed(a, err);
    fer_code code = fer_id_parse(own, &id, err);
    if (!code) code = fer_json_read(a, run, fer_json_limits_file(), &doc, err);
    if (!code) code = fer_local_command_read(a, doc, fer_json_root(doc), id.name, out, err);
    return code ? code : check_form(a, out, err);
}

/* ---- one command ----------------------------------------------------------------------------- */

/* Variables that are set may be secrets. */
static fer_code resolve_variables(const fer_place_of_tools *p, const fer_config *config,
                                  fer_local_command *c, fer_err *err)
{
    fer_local_command_variable *set = fer_arena_alloc(p->arena, (c->set_count + 1) * sizeof *set);
    fer_code code = FER_OK;
    if (!set) return fer_arena_failed(p->arena, err);
    for (size_t i = 0; !code && i < c->set_count; i++) {
        fer_config_value written = {c->set[i].value, true};
        set[i] = c->set[i];
        code = fer_station_value(p->station, p->arena, config, &written, &set[i].value, err);
    }
    if (!code) c->set = set;
    return code;
}

static fer_code set_up(const fer_place_of_tools *p, const fer_config *config, fer_local_command *c,
                       fer_err *err)
{
    fer_err why = {0};
    fer_code code = resolve_variables(p, config, c, err);
    if (code) return code;
    code = fer_local_command_add(p->runner, c, fer_command_path(), &why);
    if (!code) return FER_OK;
    return fer_fail(err, code, "%.600s%s", why.message,
                    code == FER_OUT_OF_MEMORY
                        ? ""
                        : "; install it, name it by its whole path, or set PATH where ferrule is "
                          "started");
}

static fer_code leave_out(fer_place_of_tools *p, const fer_config_command *c, fer_str name,
                          const fer_err *why, fer_err *err)
{
    fer_vacancy v = {fer_arena_copy(p->arena, c->id), why->code,
                     fer_arena_copy(p->arena, fer_str_of(why->message))};
    if (!v.id.ptr || !v.why.ptr) return fer_arena_failed(p->arena, err);
    p->vacancies[p->vacancy_count++] = v;
    return fer_local_command_leave_out(p->runner, name, err);
}

/* The command is borrowed by its runner, so all of it lives in the arena of the place. */
static fer_code add_command(fer_place_of_tools *p, const fer_config *config,
                            const fer_config_command *c, fer_err *err)
{
    fer_err why = {0}, told = {0};
    fer_local_command *made = fer_arena_alloc_zero(p->arena, 1, sizeof *made);
    if (!made) return fer_arena_failed(p->arena, err);
    fer_code wrong = fer_command_read(p->arena, c, made, &why);
    fer_code code = wrong ? wrong : set_up(p, config, made, &why);
    if (!code) return FER_OK;
    fer_fail(&told, code, "%.*s:%u:%u: the command %.*s: %.700s", FER_PRI(config->file),
             c->place.line, c->place.column, FER_PRI(c->id), why.message);
    if (!wrong && code != FER_OUT_OF_MEMORY) return leave_out(p, c, made->name, &told, err);
    if (err) *err = told;
    return code;
}

/* ---- all of a namespace ---------------------------------------------------------------------- */

/* What the place says of itself, which is of the first of them. */
static void sum_up(fer_place_of_tools *p)
{
    char more[64] = "";
    if (!p->vacancy_count) return;
    if (p->vacancy_count > 1)
        snprintf(more, sizeof more, "%zu commands are not set up: ", p->vacancy_count);
    p->code = p->vacancies[0].code;
    snprintf(p->why, sizeof p->why, "%s%.*s", more, FER_PRI(p->vacancies[0].why));
}

fer_code fer_pack_make(fer_place_of_tools *p, const fer_config *config, fer_err *err)
{
    size_t most = config->command_count + 1;
    fer_str *records = fer_arena_alloc_zero(p->arena, most, sizeof *records);
    p->vacancies = fer_arena_alloc_zero(p->arena, most, sizeof *p->vacancies);
    if (!records || !p->vacancies) return fer_arena_failed(p->arena, err);
    p->records = records;
    p->runner = fer_local_command_runner(p->station->host, p->ns);
    if (!p->runner) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < config->command_count; i++) {
        const fer_config_command *c = &config->commands[i];
        if (!fer_str_eq(fer_command_ns(c), p->ns)) continue;
        fer_code code = add_command(p, config, c, err);
        if (code) return code;
        records[p->record_count] = fer_arena_copy(p->arena, c->record);
        if (!records[p->record_count++].ptr) return fer_arena_failed(p->arena, err);
    }
    sum_up(p);
    return FER_OK;
}
