/* SPDX-License-Identifier: Apache-2.0 */
#include "sight.h"

#include "access.h"
#include "buf.h"
#include "errors.h"
#include "gateway_parts.h"
#include "own_id.h"

bool fer_sight_is_narrow(const fer_sight *s)
{
    return (s->who && fer_access_narrows(&s->who->scopes)) ||
           (s->gateway->own && fer_own_tools_concern(s->gateway, s->who));
}

uint64_t fer_sight_stamp(const fer_sight *s)
{
    return s->gateway->own ? fer_own_tools_stamp(s->gateway, s->who) : 0;
}

bool fer_sight_reads(const fer_caller *who, fer_str ns)
{
    return !who || fer_access_reads(&who->scopes, ns);
}

/* The word of a server that nobody trusts does not count (policy/effect.h): at the worst of its
 * backends a call may do anything. */
static fer_effect effect_of(const fer_gateway *g, const fer_body *b)
{
    fer_str list = fer_body_text(b, FER_TEXT_BACKENDS), kind, name, tool;
    fer_effect effect;
    fer_str ns = fer_body_text(b, FER_TEXT_NAMESPACE), bare = fer_body_text(b, FER_TEXT_NAME);
    char id[2 * FER_NAME_MAX + 2] = "";
    size_t len = 0;
    if (ns.len + bare.len + 1 < sizeof id) {
        if (ns.len) memcpy(id, ns.ptr, ns.len);
        if (ns.len) id[ns.len] = ':';
        len = ns.len ? ns.len + 1 : 0;
        memcpy(id + len, bare.ptr, bare.len);
        len += bare.len;
    }
    if (fer_policy_effect(g->rulebook->set, (fer_str){id, len}, &effect)) return effect;
    while (fer_list_next(&list, &kind) && fer_list_next(&list, &name) &&
           fer_list_next(&list, &tool)) {
        fer_scope_policy policy;
        if (!kind.len || kind.ptr[0] - '0' != FER_BACKEND_MCP) continue;
        fer_policy_backend(g->rulebook->set, name, &policy);
        if (!policy.trusted) return FER_EFFECT_EXTERNAL_SIDE_EFFECTS;
    }
    return (fer_effect)b->effect;
}

bool fer_sight_effect(const fer_gateway *g, const fer_view *v, fer_str id, fer_effect *out)
{
    fer_entry *e = NULL;
    const fer_body *b;
    if (fer_view_find(v, id, FER_STR(""), &e, NULL) || fer_entry_body(e, &b, NULL)) return false;
    *out = effect_of(g, b);
    return true;
}

bool fer_sight_takes(const void *sight, const struct fer_body *tool)
{
    const fer_sight *s = sight;
    fer_effect effect = FER_EFFECT_PURE;
    if (!fer_own_tools_shows(s->gateway, s->who, tool)) return false;
    if (!s->who || !fer_access_narrows(&s->who->scopes)) return true;
    if (fer_access_by_effect(&s->who->scopes)) effect = effect_of(s->gateway, tool);
    return fer_access_allows(&s->who->scopes, fer_body_text(tool, FER_TEXT_NAMESPACE),
                             fer_body_text(tool, FER_TEXT_NAME), effect);
}

/* Of several versions of a tool the best that he may use; the best of all where he may use none,
 * so that it is told apart from what is not there. */
static fer_entry *as_seen(const fer_sight *s, const fer_view *v, fer_str id, fer_str constraint,
                          fer_entry *best)
{
    const fer_filter his = {.takes = fer_sight_takes, .rule = s};
    const fer_body *b;
    fer_entry *e = NULL;
    if (!fer_sight_is_narrow(s) || fer_entry_body(best, &b, NULL) || fer_sight_takes(s, b))
        return best;
    return fer_view_find_among(v, id, constraint, &his, &e, NULL) ? best : e;
}

/* The IDs that are for one owner alone are nobody's to say. */
fer_code fer_sight_find(const fer_sight *s, const fer_view *v, fer_str id, fer_str constraint,
                        fer_entry **out, fer_err *err)
{
    fer_entry *e = NULL;
    fer_code code = fer_view_find(v, id, constraint, &e, err);
    if (code && code != FER_TOOL_NOT_FOUND) return code;
    if (!code && fer_id_is_own(e->value.key))
        return fer_fail(err, FER_TOOL_NOT_FOUND, "no tool \"%.*s\" is in the catalogue",
                        FER_PRI(fer_str_head(id, 300)));
    fer_entry *own = NULL;
    if (!code || !constraint.len)
        own = fer_own_tools_variant(s->gateway, s->who, v, code ? id : e->value.key);
    /* Others may have versions of a tool that he is shown without one. */
    if (!own && !code && !constraint.len) own = fer_own_tools_variant(s->gateway, s->who, v, id);
    if (!own && code) return code;
    *out = own ? own : as_seen(s, v, id, constraint, e);
    return FER_OK;
}

fer_code fer_sight_look_up(const fer_sight *s, fer_arena *a, const fer_view *v, fer_str id,
                           fer_str *key, fer_str *shown, fer_err *err)
{
    fer_entry *e = NULL;
    const fer_body *b = NULL;
    fer_code code = fer_sight_find(s, v, id, FER_STR(""), &e, err);
    if (!code) code = fer_entry_body(e, &b, err);
    if (code == FER_TOOL_NOT_FOUND) return fer_sight_missing(s, id, err);
    if (code) return code;
    if (fer_sight_is_narrow(s) && !fer_sight_takes(s, b)) return fer_sight_not_found(s, id, err);
    fer_code copied = fer_body_shown_id(a, b, shown, err);
    *shown = copied ? *shown : fer_arena_copy(a, *shown);
    *key = fer_arena_copy(a, e->value.key);
    if (!copied && (!key->ptr || !shown->ptr)) return fer_arena_failed(a, err);
    return copied;
}

bool fer_sight_has(const fer_sight *sight, const fer_view *v, fer_str id)
{
    fer_entry *e = NULL;
    const fer_body *b;
    return !fer_sight_find(sight, v, id, FER_STR(""), &e, NULL) && !fer_entry_body(e, &b, NULL) &&
           fer_sight_takes(sight, b);
}

/* A page of one tenant's is none of another's, nor of its own when it is shown something else. */
static void add_owner(fer_buf *b, const fer_sight *s)
{
    fer_buf_printf(b, "\n%llu ", (unsigned long long)fer_sight_stamp(s));
    fer_buf_add_quoted(b, s->who ? s->who->tenant : FER_STR(""));
    fer_buf_add_quoted(b, s->who ? s->who->principal : FER_STR(""));
}

fer_code fer_sight_filter(const fer_sight *sight, fer_arena *scratch, fer_filter *out, fer_err *err)
{
    const fer_caller *who = sight->who;
    fer_buf b;
    if (!fer_sight_is_narrow(sight)) return FER_OK;
    fer_buf_init(&b, scratch, SIZE_MAX / 4);
    for (size_t i = 0; who && i < who->scopes.count; i++) {
        fer_buf_add(&b, who->scopes.list[i]);
        fer_buf_add_char(&b, '\n');
    }
    if (fer_own_tools_concern(sight->gateway, who)) add_owner(&b, sight);
    fer_code code = fer_buf_code(&b, err);
    if (code) return code;
    out->takes = fer_sight_takes;
    out->rule = sight;
    out->mark = fer_buf_view(&b);
    return FER_OK;
}

/* Whether a caller's scopes are for a tool of this name, if there were one. */
static bool is_for(const fer_caller *who, const fer_id *id)
{
    for (int i = 0; i <= FER_EFFECT_EXTERNAL_SIDE_EFFECTS; i++)
        if (fer_access_allows(&who->scopes, id->ns, id->name, (fer_effect)i)) return true;
    return false;
}

fer_runner *fer_sight_runner(const fer_sight *s, fer_str id)
{
    fer_id parts;
    if (fer_id_parse(id, &parts, NULL) || (s->who && !is_for(s->who, &parts))) return NULL;
    fer_runner *r = fer_gateway_runner(s->gateway, FER_BACKEND_MCP, parts.ns);
    return r ? r : fer_gateway_runner(s->gateway, FER_BACKEND_PROVIDER, parts.ns);
}

fer_code fer_sight_silence(const fer_runner *r, fer_str name, fer_err *err)
{
    if (!r || r->silence == FER_SILENCE_NONE) return FER_OK;
    if (r->silence == FER_SILENCE_ASKED)
        return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                        "%.*s has not said yet which tools it has: come again in a moment",
                        FER_PRI(name));
    return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                    "%.*s cannot be asked for its tools now; its operator sees why with 'ferrule "
                    "servers'",
                    FER_PRI(name));
}

fer_code fer_sight_silent(const fer_gateway *g, size_t *at, fer_str *name, fer_err *err)
{
    while (*at < g->post_count) {
        const fer_post *p = &g->posts[(*at)++];
        *name = p->runner->name;
        fer_code code =
            p->state == FER_POST_SERVING ? fer_sight_silence(p->runner, *name, err) : FER_OK;
        if (code) return code;
    }
    return FER_OK;
}

fer_code fer_sight_missing(const fer_sight *s, fer_str id, fer_err *err)
{
    const fer_runner *r = fer_sight_runner(s, id);
    if (fer_sight_is_narrow(s)) return fer_sight_not_found(s, id, err);
    fer_code code = r ? fer_sight_silence(r, r->name, err) : FER_OK;
    return code ? code : FER_TOOL_NOT_FOUND;
}

/* Whether there is a tool of the name is not looked at. */
fer_code fer_sight_not_found(const fer_sight *s, fer_str id, fer_err *err)
{
    fer_id parts;
    bool meant = s->who && fer_own_tools_concern(s->gateway, s->who) &&
                 !fer_id_parse(id, &parts, NULL) && is_for(s->who, &parts);
    fer_code code = meant ? fer_own_tools_why(s->gateway, s->who, parts.ns, err) : FER_OK;
    const fer_runner *r = code ? NULL : fer_sight_runner(s, id);
    if (r) code = fer_sight_silence(r, r->name, err);
    if (code) return code;
    return fer_fail(err, FER_TOOL_NOT_FOUND, "no tool \"%.*s\" is in the catalogue",
                    FER_PRI(fer_str_head(id, 300)));
}
