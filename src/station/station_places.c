/* SPDX-License-Identifier: Apache-2.0 */
/* Places of tools: how they come to their posts, and how they leave. */
#include "errors.h"
#include "gateway_parts.h"
#include "station_parts.h"

/* ---- leaving
 * ----------------------------------------------------------------------------------------- */

void fer_place_drop_tokens(fer_place_of_tools *p)
{
    fer_oauth_pool_free(p->tokens);
    p->tokens = NULL;
}

void fer_place_free(fer_place_of_tools *p)
{
    fer_arena_free(p->listing_arena);
    fer_place_drop_tokens(p);
    fer_arena_free(p->arena);
}

static fer_code allow(fer_net_rules *rules, const fer_place_of_tools *p)
{
    return p->url.len ? fer_net_rules_allow_url(rules, p->url, NULL) : FER_OK;
}

/* What places may ask that are here, and those that leave; without memory it stays as it is. */
static void tidy_rules(fer_station *s)
{
    fer_net_rules *rules = s->rules ? fer_net_rules_new() : NULL;
    fer_code code = FER_OK;
    if (!rules) return;
    fer_net_rules_close(rules);
    for (size_t i = 0; !code && i < s->place_count; i++) code = allow(rules, s->places[i]);
    for (const fer_place_of_tools *p = s->leaving; !code && p; p = p->next) code = allow(rules, p);
    if (!code) fer_net_rules_copy(s->rules, rules);
    fer_net_rules_free(rules);
}

void fer_place_gone(void *place)
{
    fer_place_of_tools *p = place, **at = &p->station->leaving;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    tidy_rules(p->station);
    fer_place_free(p);
}

static void join_leaving(fer_station *s, fer_place_of_tools *p)
{
    p->retired = true;
    p->next = s->leaving;
    s->leaving = p;
}

void fer_station_retire(fer_station *s, fer_place_of_tools *p)
{
    join_leaving(s, p);
    fer_gateway_retire_runner(s->gateway, p->runner, fer_place_gone, p);
}

void fer_station_discard(fer_station *s, fer_place_of_tools *p)
{
    join_leaving(s, p);
    if (p->runner) fer_gateway_discard_runner(s->gateway, p->runner, fer_place_gone, p);
    else fer_place_gone(p);
}

/* ---- at their posts
 * ---------------------------------------------------------------------------------------------- */

static void log_vacancies(const fer_station *s, const fer_place_of_tools *p)
{
    for (size_t i = 0; s->wants.search && i < p->vacancy_count; i++)
        fer_log_event(&s->log, FER_LOG_WARN, "command.vacant",
                      FER_LOG_S("command", p->vacancies[i].id),
                      FER_LOG_S("reason", p->vacancies[i].why));
}

fer_code fer_station_serve(fer_station *s, fer_place_of_tools *p, fer_err *err)
{
    fer_place_of_tools **list = fer_arena_room(s->arena, s->places, s->place_count, &s->place_cap,
                                               sizeof(fer_place_of_tools *));
    fer_code code = list ? FER_OK : fer_arena_failed(s->arena, err);
    if (!code) code = fer_gateway_add_runner(s->gateway, p->runner, err);
    if (code) {
        fer_station_discard(s, p);
        return code;
    }
    s->places = list;
    s->places[s->place_count++] = p;
    if (p->part == FER_CONFIG_SERVER) return FER_OK;
    p->asked = true;
    p->tools = p->record_count;
    log_vacancies(s, p);
    if (p->code && !p->record_count) { /* its document could not be read */
        p->runner->silence = FER_SILENCE_AWAY;
        return FER_OK;
    }
    return fer_station_put_records(s, p, err);
}

/* What the operator wrote is never held back. */
static fer_code approve(fer_station *s, const fer_batch *applied, fer_err *err)
{
    size_t count, held = 0;
    const fer_event *list = fer_batch_outcomes(applied, &count);
    fer_batch *b = fer_batch_new();
    fer_code code = b ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; !code && i < count; i++) {
        if (list[i].kind != FER_EVENT_QUARANTINED) continue;
        held++;
        code = fer_batch_approve(b, list[i].id, err);
    }
    if (!code && held) code = fer_catalog_apply(s->catalog, b, err);
    fer_batch_free(b);
    return code;
}

fer_code fer_station_put_records(fer_station *s, const fer_place_of_tools *p, fer_err *err)
{
    if (p->vacant && !p->record_count) return FER_OK; /* its document could not be read */
    fer_backend own = {FER_BACKEND_LOCAL, p->ns, FER_STR("")};
    fer_put_options o = {p->ns, p->part == FER_CONFIG_COMMAND ? &own : NULL};
    fer_batch *b = fer_batch_new();
    size_t shown;
    fer_code code = b ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; !code && i < p->record_count; i++)
        code = fer_batch_add(b, p->name, p->records[i], FER_FORMAT_JSON, &o, err);
    if (!code) code = fer_catalog_apply(s->catalog, b, err);
    if (!code) code = approve(s, b, err);
    if (!code) code = fer_station_keep_only(p, b, &shown, err);
    fer_batch_free(b);
    return code;
}
