/* SPDX-License-Identifier: Apache-2.0 */
/* logging/setLevel, and the messages that clients asked for: how calls have ended, no more. */
#include "serve_parts.h"

static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                     "error", "critical", "alert",  "emergency"};
enum {
    LEVEL_INFO = 1,
    LEVEL_WARNING = 3
};

int fer_level_rank(const yyjson_val *level)
{
    for (int i = 0; fer_is_str(level) && i < (int)FER_COUNT(levels); i++)
        if (fer_str_is(fer_val_str(level), levels[i])) return i;
    return FER_LOG_OFF;
}

const char *fer_log_level_name(int rank)
{
    return rank < 0 || rank >= (int)FER_COUNT(levels) ? NULL : levels[rank];
}

/* Servers say what the most curious client wants to know, in every session that there is with them;
 * the others are not told what they did not ask for. */
void fer_front_want_level(fer_front *s, int rank)
{
    if (s->log_level != FER_LOG_OFF && rank >= s->log_level) return;
    s->log_level = rank;
    fer_wares_look(&s->wares);
    for (const fer_server *x = s->wares.servers; x; x = x->next)
        if (x->runner) fer_mcp_runner_log_level(x->runner, levels[rank]);
}

void fer_method_set_level(fer_ask *q)
{
    int rank = fer_level_rank(fer_val_get(q->params, "level"));
    if (rank == FER_LOG_OFF) {
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "params.level must be one of debug, info, notice, warning, error, critical, "
                     "alert, emergency");
        return;
    }
    q->peer->log_level = rank;
    fer_front_want_level(q->peer->server, rank);
    fer_buf_add_text(fer_ask_open(q), "{}");
    fer_ask_close(q);
}

void fer_ask_log(fer_ask *q, const fer_envelope *e)
{
    int level = e->error.code ? LEVEL_WARNING : LEVEL_INFO;
    fer_buf b;
    /* Of a transparent server come the messages of its backend, and no others. */
    if (fer_ask_guest(q)->mode == FER_SERVE_TRANSPARENT) return;
    if (q->log_level == FER_LOG_OFF || level < q->log_level) return;
    fer_buf_init(&b, fer_ask_arena(q), 16384);
    fer_rpc_open(&b, 0, "notifications/message");
    fer_buf_printf(&b,
                   "\"level\":\"%s\",\"logger\":\"ferrule\",\"data\":{\"toolId\":", levels[level]);
    fer_buf_add_quoted(&b, e->tool_id);
    fer_buf_printf(&b, ",\"durationMs\":%lld.%03lld,\"attempts\":%u",
                   (long long)(e->duration_us / 1000), (long long)(e->duration_us % 1000),
                   e->attempts);
    if (e->error.code) fer_buf_printf(&b, ",\"code\":\"%s\"", fer_code_info(e->error.code)->name);
    fer_buf_add_text(&b, ",\"correlationId\":");
    fer_buf_add_quoted(&b, e->correlation_id);
    fer_buf_add_char(&b, '}');
    fer_rpc_close(&b);
    if (!b.failure) fer_ask_note(q, fer_buf_view(&b));
}
