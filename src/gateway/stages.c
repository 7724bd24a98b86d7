/* SPDX-License-Identifier: Apache-2.0 */
/* What is found, who may call it, and whether what goes in and comes out fits. */
#include <inttypes.h>

#include "access.h"
#include "buf.h"
#include "errors.h"
#include "gateway_parts.h"
#include "json_value.h"
#include "sight.h"

/* ---- resolve ------------------------------------------------------------------------------------
 */

/* Its server may have more by now than it had shown. */
static void tell_missing(const fer_gateway *g, const fer_sight *sight, fer_str id)
{
    fer_runner *r = g->on_missing ? fer_sight_runner(sight, id) : NULL;
    if (r) g->on_missing(g->missing_context, r);
}

fer_move fer_stage_resolve(fer_call *c)
{
    fer_gateway *g = c->gateway;
    fer_err err = {0};
    if (g->closing) return fer_call_refuse(c, FER_CANCELLED, "the gateway is shutting down");
    fer_view *v = fer_catalog_view(g->options.catalog);
    fer_sight sight = {g, c->options.caller};
    fer_entry *e = NULL;
    fer_code code = fer_sight_find(&sight, v, c->tool, c->options.constraint, &e, &err);
    if (!code) code = fer_ready_of(&g->readies, e, &c->ready, &err);
    fer_view_unref(v);
    /* What is near may be what the caller must not see. */
    if (code == FER_TOOL_NOT_FOUND) tell_missing(g, &sight, c->tool);
    if (code == FER_TOOL_NOT_FOUND) fer_sight_missing(&sight, c->tool, &err);
    if (code) return fer_call_refuse_err(c, &err);
    c->envelope.tool_id = c->ready->id;
    c->envelope.resolved_version = c->ready->version;
    c->envelope.definition = c->ready->definition;
    return FER_MOVE_NEXT;
}

/* ---- authorize
 * ----------------------------------------------------------------------------------- */

/* To its caller such a tool is not there, in the very words; the ledger says how it was. */
static fer_move hide(fer_call *c)
{
    fer_err err = {0};
    fer_sight_not_found(&(fer_sight){c->gateway, c->options.caller}, c->tool, &err);
    fer_call_refuse_err(c, &err);
    c->hidden = true;
    c->envelope.tool_id = c->tool;
    c->envelope.resolved_version = c->envelope.definition = FER_STR("");
    c->envelope.error.op = fer_stages[FER_STAGE_RESOLVE].name;
    return FER_MOVE_REPLY;
}

/* Whether the effect as the call will have it is one that the caller may have. */
static bool fits_effect(const fer_call *c)
{
    const fer_ready *r = c->ready;
    if (!c->options.caller) return true;
    const fer_texts *scopes = &c->options.caller->scopes;
    fer_str ns = fer_str_slice(r->base, 0, r->base.len - r->name.len);
    fer_effect_said said = r->said;
    if (ns.len) ns.len--; /* its colon */
    if (!fer_access_by_effect(scopes)) return true;
    said.trusted = true;
    for (size_t i = 0; i < r->backend_count; i++) {
        fer_scope_policy policy;
        if (r->backends[i].kind != FER_BACKEND_MCP) continue;
        fer_policy_backend(c->rulebook->set, r->backends[i].name, &policy);
        said.foreign = true;
        said.trusted &= policy.trusted;
    }
    return fer_access_allows(scopes, ns, r->name, fer_effect_settle(&said, NULL));
}

/* Refuses a caller that lacks scopes of a tool, and names all of them, with blanks between, so that
 * it can ask for them at once. */
static fer_move demand(fer_call *c, const yyjson_val *scopes)
{
    fer_buf names, json;
    bool lacks = false;
    fer_buf_init(&names, c->arena, 4096);
    FER_EACH_ITEM (scopes, item) {
        if (!fer_is_str(item) || fer_access_has(&c->options.caller->scopes, fer_val_str(item)))
            continue;
        if (lacks) fer_buf_add_char(&names, ' ');
        lacks = true;
        fer_buf_add(&names, fer_val_str(item));
    }
    if (!lacks) return FER_MOVE_NEXT;
    fer_str all = names.failure ? FER_STR("") : fer_buf_view(&names);
    c->scope = all;
    fer_move move =
        fer_call_refuse(c, FER_FORBIDDEN, "the call needs the scope %.*s", FER_PRI(all));
    fer_buf_init(&json, c->arena, 16384);
    fer_buf_add_text(&json, "{\"missingScopes\":");
    fer_buf_add_quoted(&json, all);
    fer_buf_add_char(&json, '}');
    if (!json.failure) c->envelope.error.details = fer_buf_view(&json);
    return move;
}

/* A caller that is named must have the scopes that the tool asks for; nobody in particular is the
 * operator, at the command line or in the program that the library is part of. */
fer_move fer_stage_authorize(fer_call *c)
{
    const yyjson_val *scopes = c->ready->scopes;
    const fer_caller *who = c->options.caller;
    const fer_body *b;
    fer_sight sight = {c->gateway, who};
    if (fer_sight_is_narrow(&sight)) {
        bool there = !fer_entry_body(c->ready->entry, &b, NULL);
        c->unshown = there && c->gateway->own && !fer_own_tools_shows(c->gateway, who, b);
        if (!there || !fer_sight_takes(&sight, b) || !fits_effect(c)) return hide(c);
    }
    return who && fer_is_arr(scopes) ? demand(c, scopes) : FER_MOVE_NEXT;
}

/* ---- what breaks a schema
 * --------------------------------------------------------------------------- */

static void add_text(fer_buf *b, const char *key, fer_str text)
{
    if (!text.len) return;
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add_quoted(b, text);
}

/* The allowed values of an enum are JSON; names of fields and candidates are not. */
static void add_choices(fer_buf *b, const fer_violation *v)
{
    bool json = v->code == FER_INVALID_ENUM_VALUE;
    const char *key = v->code == FER_DISCRIMINATOR_MISMATCH ? "candidates" : "allowed";
    for (size_t i = 0; i < v->allowed_count; i++) {
        if (i) fer_buf_add_char(b, ',');
        else fer_buf_printf(b, ",\"%s\":[", key);
        if (json) fer_buf_add(b, v->allowed[i]);
        else fer_buf_add_quoted(b, v->allowed[i]);
    }
    if (v->allowed_count) fer_buf_add_char(b, ']');
}

/* {"field", "path", what the code has beside it} */
static void add_violation(fer_buf *b, const fer_violation *v)
{
    fer_buf_add_text(b, "\"field\":");
    fer_buf_add_quoted(b, v->field);
    add_text(b, "path", v->dotted);
    add_text(b, "keyword", v->keyword);
    add_text(b, "expected", v->expected);
    add_text(b, "actual", v->actual);
    add_choices(b, v);
    add_text(b, "didYouMean", v->did_you_mean);
}

/* The first violation, and a list of all. */
static fer_str violation_details(fer_arena *a, const fer_violation *list, size_t count)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_RESULT_MAX);
    fer_buf_add_char(&b, '{');
    add_violation(&b, &list[0]);
    for (size_t i = 0; i < count; i++) {
        fer_buf_printf(&b, "%s{\"code\":\"%s\",", i ? "," : ",\"findings\":[",
                       fer_code_info(list[i].code)->name);
        add_violation(&b, &list[i]);
        add_text(&b, "message", list[i].message);
        add_text(&b, "hint", list[i].hint);
        fer_buf_add_char(&b, '}');
    }
    fer_buf_add_text(&b, "]}");
    return b.failure ? FER_STR("") : fer_buf_view(&b);
}

/* One sentence about all of them: the first few in their own words. */
static fer_str violation_message(fer_arena *a, const fer_violation *list, size_t count)
{
    enum {
        SPOKEN = 5
    };
    fer_buf b;
    fer_buf_init(&b, a, FER_RESULT_MAX);
    for (size_t i = 0; i < count && i < SPOKEN; i++) {
        if (i) fer_buf_add_char(&b, ' ');
        fer_buf_add(&b, list[i].message);
    }
    if (count > SPOKEN) fer_buf_printf(&b, " (and %zu more)", count - SPOKEN);
    return b.failure ? FER_STR("") : fer_str_head(fer_buf_view(&b), FER_ERR_TEXT - 1);
}

/* Has the envelope say what is wrong; `code` FER_OK: the code of the first violation. */
static fer_move refuse_value(fer_call *c, fer_code code, const fer_result *r)
{
    size_t count;
    const fer_violation *list = fer_result_violations(r, &count);
    if (!count) return fer_call_refuse(c, FER_INTERNAL, "a schema says no without a reason");
    fer_str text = violation_message(c->arena, list, count);
    fer_call_refuse(c, code ? code : list[0].code, "%.*s", FER_PRI(text));
    c->envelope.error.details = violation_details(c->arena, list, count);
    return FER_MOVE_REPLY;
}

/* ---- validate_input
 * --------------------------------------------------------------------------------- */

/* Compact text is passed on as it came. */
static fer_code one_line(fer_call *c, fer_err *err)
{
    bool compact = !memchr(c->args_text.ptr, '\n', c->args_text.len) &&
                   !memchr(c->args_text.ptr, '\r', c->args_text.len);
    if (compact) c->args_json = c->args_text;
    return compact ? FER_OK
                   : fer_json_write(c->arena, fer_json_root(c->args), false, &c->args_json, err);
}

fer_move fer_stage_validate_input(fer_call *c)
{
    fer_err err = {0};
    fer_result *r;
    bool valid = false;
    if (!c->args_text.len) c->args_text = FER_STR("{}");
    fer_code code = fer_json_read(c->arena, c->args_text, NULL, &c->args, &err);
    if (code) {
        fer_call_refuse(c, code, "the arguments cannot be read: %s", err.message);
        c->envelope.error.details =
            fer_arena_printf(c->arena, "{\"line\":%u,\"column\":%u,\"offset\":%zu}", err.line,
                             err.column, err.offset);
        return FER_MOVE_REPLY;
    }
    const yyjson_val *args = fer_json_root(c->args);
    code = fer_schema_accepts(c->ready->input, c->arena, args, &valid, &err);
    if (!code && !valid) {
        code = fer_tool_validate_input(c->arena, c->ready->tool, NULL, c->args, args,
                                       &c->ready->saying, &r, &err);
        if (!code) return refuse_value(c, FER_OK, r);
    }
    if (!code && !fer_is_obj(args))
        return fer_call_refuse(c, FER_INVALID_TYPE, "the arguments must be an object, not %s",
                               fer_val_type_name(args));
    if (!code) code = one_line(c, &err);
    return code ? fer_call_refuse_err(c, &err) : FER_MOVE_NEXT;
}

/* ---- validate_output
 * -------------------------------------------------------------------------------------- */

static fer_move doubt_output(fer_call *c, fer_move refused)
{
    fer_envelope *e = &c->envelope;
    if (!c->warn_output || !e->error.code) return refused;
    fer_str *list = fer_arena_alloc(c->arena, sizeof *list);
    if (!list) return refused;
    *list = e->error.message;
    e->warnings = list;
    e->warning_count = 1;
    e->error = (fer_call_error){0};
    e->status = FER_STATUS_OK;
    return FER_MOVE_NEXT;
}

fer_move fer_stage_validate_output(fer_call *c)
{
    const fer_ready *r = c->ready;
    const fer_outcome *o = &c->outcome;
    fer_err err = {0};
    fer_result *result;
    bool valid = false;
    if (!r->output) return FER_MOVE_NEXT;
    if (!o->structured)
        return doubt_output(c, fer_call_refuse(c, FER_INVALID_OUTPUT,
                                               "the tool promises an output of a schema and gave "
                                               "none that is structured"));
    fer_code code = fer_schema_accepts(r->output, c->arena, o->structured, &valid, &err);
    if (!code && valid) return FER_MOVE_NEXT;
    if (!code)
        code = fer_tool_validate_output(c->arena, r->tool, NULL, o->doc, o->structured, &r->saying,
                                        &result, &err);
    if (code) return fer_call_refuse_err(c, &err);
    return doubt_output(c, refuse_value(c, FER_INVALID_OUTPUT, result));
}
