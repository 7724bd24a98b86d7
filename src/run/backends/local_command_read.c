/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of commands from JSON: one row for each member. */
#include <ferrule/gateway.h>

#include "errors.h"
#include "json_value.h"
#include "local_command.h"

#define EXIT_MAX 255

struct reader {
    fer_arena *arena;
    fer_local_command *out;
    const yyjson_val *at; /* what a failure is about */
    fer_err *err;
    fer_local_command_tell
        *tell; /* of each failure, and the rest is read; NULL: the first ends it */
    void *context;
};

typedef fer_code member_reader(struct reader *r, const yyjson_val *v);

static fer_code fail(const struct reader *r, fer_code code, const char *why)
{
    return fer_fail(r->err, code, "%s", why);
}

static bool has_nul(fer_str s)
{
    return fer_str_find(s, 0, '\0') != SIZE_MAX;
}

/* A list or an object of at most `max`. */
static fer_code check_count(struct reader *r, const yyjson_val *v, const char *limit, size_t max)
{
    r->at = v;
    if (fer_val_len(v) <= max) return FER_OK;
    return fer_fail(r->err, FER_LIMIT_EXCEEDED, "%s: there are more than %zu", limit, max);
}

/* ---- texts ---------------------------------------------------------------------------------- */

static fer_code read_text(struct reader *r, const yyjson_val *v, const char *what, fer_str *out)
{
    r->at = v;
    if (!fer_is_str(v) || !fer_val_len(v) || has_nul(fer_val_str(v)))
        return fer_fail(r->err, FER_INVALID_TYPE, "%s is a text that is not empty", what);
    *out = fer_val_str(v);
    return FER_OK;
}

static fer_code read_name(struct reader *r, const yyjson_val *v)
{
    return read_text(r, v, "the name of a command", &r->out->name);
}

static fer_code read_argv(struct reader *r, const yyjson_val *v)
{
    return fer_argv_read(r->arena, v, &r->out->argv, &r->at, r->err);
}

static fer_code read_sha256(struct reader *r, const yyjson_val *v)
{
    fer_code code = read_text(r, v, "sha256", &r->out->sha256);
    fer_str s = r->out->sha256;
    bool good = !code && s.len == 64;
    for (size_t i = 0; good && i < s.len; i++) good = strchr("0123456789abcdefABCDEF", s.ptr[i]);
    return code || good ? code : fail(r, FER_INVALID_FORMAT, "sha256 is 64 hexadecimal digits");
}

static fer_code read_cwd(struct reader *r, const yyjson_val *v)
{
    fer_code code = read_text(r, v, "cwd", &r->out->cwd);
    if (!code && r->out->cwd.ptr[0] != '/')
        code = fail(r, FER_INVALID_FORMAT, "cwd is an absolute path");
    if (code) return code;
    r->out->cwd = fer_arena_copy(r->arena, r->out->cwd); /* with a NUL behind it */
    return r->out->cwd.ptr ? FER_OK : fer_arena_failed(r->arena, r->err);
}

static fer_code read_tool(struct reader *r, const yyjson_val *v)
{
    if (!fer_is_obj(v)) return fail(r, FER_INVALID_TYPE, "tool is a tool's record, an object");
    return fer_json_write(r->arena, v, false, &r->out->tool, r->err);
}

/* ---- input and output ----------------------------------------------------------------------- */

static fer_code read_stdin(struct reader *r, const yyjson_val *v)
{
    fer_str text = FER_STR_NONE;
    fer_code code = read_text(r, v, "stdin", &text);
    if (code) return code;
    if (fer_str_is(text, "none")) r->out->input = FER_INPUT_NONE;
    else if (fer_str_is(text, "json")) r->out->input = FER_INPUT_JSON;
    else if (fer_str_starts(text, "{")) {
        r->out->input = FER_INPUT_PLACE;
        code = fer_argv_read_place(r->arena, text, &r->out->input_place, r->err);
    } else {
        code = fail(r, FER_INVALID_ENUM_VALUE, "stdin is none, json or {name}");
    }
    return code;
}

static fer_code read_stdout(struct reader *r, const yyjson_val *v)
{
    static const char *const names[] = {
        [FER_OUTPUT_JSON] = "json", [FER_OUTPUT_TEXT] = "text", [FER_OUTPUT_LINES] = "lines"};
    for (size_t i = 0; fer_is_str(v) && i < FER_COUNT(names); i++) {
        if (!fer_str_is(fer_val_str(v), names[i])) continue;
        r->out->output = (fer_local_command_output)i;
        return FER_OK;
    }
    return fail(r, FER_INVALID_ENUM_VALUE, "stdout is json, text or lines");
}

static fer_code read_output_max(struct reader *r, const yyjson_val *v)
{
    if (fer_val_tag(v) != FER_TAG_UINT || v->uni.u64 < 1 || v->uni.u64 > FER_RESULT_MAX)
        return fer_fail(r->err, FER_OUT_OF_RANGE, "outputMax is a number of bytes from 1 to %zu",
                        FER_RESULT_MAX);
    r->out->output_max = (size_t)v->uni.u64;
    return FER_OK;
}

/* ---- the environment ------------------------------------------------------------------------ */

static bool is_variable_name(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!fer_is_alpha(c) && c != '_' && !(i && fer_is_digit(c))) return false;
    }
    return s.len > 0;
}

static fer_code check_variable(struct reader *r, const yyjson_val *name)
{
    r->at = name;
    if (!fer_is_str(name) || !is_variable_name(fer_val_str(name)))
        return fail(r, FER_INVALID_FORMAT,
                    "the name of a variable has letters, digits and underscores only");
    if (fer_str_starts(fer_val_str(name), "TOOL_") ||
        fer_str_is(fer_val_str(name), FER_PROCESS_MARK))
        return fail(r, FER_CONSTRAINT_VIOLATION,
                    "variables TOOL_* and " FER_PROCESS_MARK " are Ferrule's own");
    return FER_OK;
}

static fer_code read_pass(struct reader *r, const yyjson_val *v)
{
    r->at = v;
    if (!fer_is_arr(v)) return fail(r, FER_INVALID_TYPE, "env.pass is a list of variables' names");
    fer_code many = check_count(r, v, "command.variables", FER_LOCAL_VARIABLES);
    if (many) return many;
    fer_str *names = fer_arena_alloc_zero(r->arena, fer_val_len(v) + 1, sizeof *names);
    if (!names) return fer_arena_failed(r->arena, r->err);
    r->out->pass = names;
    FER_EACH_ITEM (v, name) {
        fer_code code = check_variable(r, name);
        if (code) return code;
        names[r->out->pass_count++] = fer_val_str(name);
    }
    return FER_OK;
}

static fer_code read_set(struct reader *r, const yyjson_val *v)
{
    r->at = v;
    if (!fer_is_obj(v))
        return fail(r, FER_INVALID_TYPE, "env.set is an object: variables and their values");
    fer_code many = check_count(r, v, "command.variables", FER_LOCAL_VARIABLES);
    if (many) return many;
    fer_local_command_variable *set =
        fer_arena_alloc_zero(r->arena, fer_val_len(v) + 1, sizeof *set);
    if (!set) return fer_arena_failed(r->arena, r->err);
    r->out->set = set;
    FER_EACH_MEMBER (v, name) {
        fer_code code = check_variable(r, name);
        if (code) return code;
        r->at = name + 1;
        if (!fer_is_str(name + 1) || has_nul(fer_val_str(name + 1)))
            return fail(r, FER_INVALID_TYPE, "the value of a variable is a text without NUL");
        set[r->out->set_count++] =
            (fer_local_command_variable){fer_val_str(name), fer_val_str(name + 1)};
    }
    return FER_OK;
}

/* ---- exit codes ----------------------------------------------------------------------------- */

/* "3", "64-78", or "*" for all. */
static bool read_range(fer_str s, fer_local_command_exit *out)
{
    uint64_t from = 0, to = EXIT_MAX;
    size_t dash = fer_str_find(s, 0, '-');
    if (!fer_str_is(s, "*")) {
        fer_str low = fer_str_slice(s, 0, dash == SIZE_MAX ? s.len : dash);
        fer_str high = dash == SIZE_MAX ? low : fer_str_slice(s, dash + 1, s.len);
        if (!fer_parse_u64(low, &from) || !fer_parse_u64(high, &to)) return false;
    }
    *out = (fer_local_command_exit){.from = (int)from, .to = (int)to};
    return from <= to && to <= EXIT_MAX;
}

/* A code that an exit can stand for: what a tool, a policy or a backend says. */
static bool read_code(fer_str name, fer_code *out)
{
    size_t count;
    const fer_code_row *rows = fer_code_table(&count);
    for (size_t i = 0; i < count; i++) {
        bool fits = rows[i].code == FER_OK ||
                    (rows[i].code >= FER_TIMEOUT && rows[i].code < FER_OUT_OF_MEMORY);
        if (!fits || !fer_str_is(name, rows[i].name)) continue;
        *out = rows[i].code;
        return true;
    }
    return false;
}

static fer_code read_exit(struct reader *r, const yyjson_val *v)
{
    if (!fer_is_obj(v))
        return fail(r, FER_INVALID_TYPE, "exit is an object: exit codes and what they mean");
    fer_code many = check_count(r, v, "command.exits", FER_LOCAL_EXITS);
    if (many) return many;
    fer_local_command_exit *rows = fer_arena_alloc_zero(r->arena, fer_val_len(v) + 1, sizeof *rows);
    if (!rows) return fer_arena_failed(r->arena, r->err);
    r->out->exits = rows;
    FER_EACH_MEMBER (v, key) {
        fer_local_command_exit *row = &rows[r->out->exit_count++];
        r->at = key;
        if (!read_range(fer_val_str(key), row))
            return fail(r, FER_INVALID_FORMAT,
                        "an exit code is a number from 0 to 255, a range such as 64-78, or *");
        r->at = key + 1;
        if (!fer_is_str(key + 1) || !read_code(fer_val_str(key + 1), &row->code))
            return fail(
                r, FER_INVALID_ENUM_VALUE,
                "an exit code means Ok or the code of a policy, an authorization or an execution error, such as ToolFailed");
    }
    return FER_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

struct member {
    const char *name;
    member_reader *read;
};

static fer_code read_env(struct reader *r, const yyjson_val *v);

static const struct member members[] = {
    {"name", read_name},   {"argv", read_argv},
    {"stdin", read_stdin}, {"stdout", read_stdout},
    {"env", read_env},     {"cwd", read_cwd},
    {"exit", read_exit},   {"outputMax", read_output_max},
    {"tool", read_tool},   {"sha256", read_sha256},
};
static const struct member env_members[] = {{"pass", read_pass}, {"set", read_set}};

/* FER_OK: it was told, and what is left is read. */
static fer_code tell_failure(struct reader *r, fer_code code)
{
    if (!r->tell || code == FER_OUT_OF_MEMORY || fer_arena_starved(r->arena)) return code;
    r->tell(r->context, r->at, r->err);
    return FER_OK;
}

static fer_code read_members(struct reader *r, const yyjson_val *object, const char *what,
                             const struct member *rows, size_t count)
{
    r->at = object;
    if (!fer_is_obj(object)) return fer_fail(r->err, FER_INVALID_TYPE, "%s is an object", what);
    FER_EACH_MEMBER (object, key) {
        const struct member *row = NULL;
        for (size_t i = 0; i < count && !row; i++) {
            if (fer_str_is(fer_val_str(key), rows[i].name)) row = &rows[i];
        }
        r->at = row ? key + 1 : key;
        fer_code code = row ? row->read(r, key + 1)
                            : fer_fail(r->err, FER_UNKNOWN_FIELD, "%s has no member '%.*s'", what,
                                       FER_PRI(fer_val_str(key)));
        if (code) code = tell_failure(r, code);
        if (code) return code;
    }
    return FER_OK;
}

static fer_code read_env(struct reader *r, const yyjson_val *v)
{
    return read_members(r, v, "env", env_members, FER_COUNT(env_members));
}

static fer_code check_whole(struct reader *r, const yyjson_val *value)
{
    r->at = value;
    if (!r->out->name.len) return fail(r, FER_REQUIRED_MISSING, "a command needs a name");
    if (!fer_val_get(value, "argv"))
        return fail(r, FER_REQUIRED_MISSING, "a command needs an argv");
    return FER_OK;
}

static fer_code read_whole(struct reader *r, const yyjson_val *value)
{
    fer_code code = read_members(r, value, "a command", members, FER_COUNT(members));
    if (!code) code = check_whole(r, value);
    return code ? tell_failure(r, code) : FER_OK;
}

fer_code fer_local_command_read(fer_arena *a, const fer_json *doc, const yyjson_val *value,
                                fer_str name, fer_local_command *out, fer_err *err)
{
    fer_err why = {0};
    fer_local_command command = {.name = name, .output_max = FER_RESULT_MAX};
    struct reader r = {.arena = a, .out = &command, .at = value, .err = &why};
    fer_code code = read_whole(&r, value);
    if (!code) {
        *out = command;
        return FER_OK;
    }
    if (doc && r.at) {
        fer_place place = fer_json_place(doc, r.at);
        why.offset = place.offset;
        why.line = place.line;
        why.column = place.column;
    }
    if (err) *err = why;
    return code;
}

fer_code fer_local_command_check(fer_arena *a, const yyjson_val *value, fer_str name,
                                 fer_local_command_tell *tell, void *context,
                                 fer_local_command *out, fer_err *err)
{
    fer_err why = {0};
    fer_local_command command = {.name = name, .output_max = FER_RESULT_MAX};
    struct reader r = {
        .arena = a, .out = &command, .at = value, .err = &why, .tell = tell, .context = context};
    fer_code code = read_whole(&r, value);
    if (!code) *out = command;
    else if (err) *err = why;
    return code;
}
