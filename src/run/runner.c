/* SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include <stdarg.h>

#include "digest.h"
#include "errors.h"

const char *const fer_cancel_names[FER_CANCEL_COUNT] = {
    [FER_CANCEL_NONE] = "None",
    [FER_CANCEL_CLIENT_CLOSED] = "ClientClosed",
    [FER_CANCEL_CLIENT_CANCELLED] = "ClientCancelled",
    [FER_CANCEL_DEADLINE] = "DeadlineExceeded",
    [FER_CANCEL_TIMEOUT] = "Timeout",
    [FER_CANCEL_SHUTDOWN] = "Shutdown",
    [FER_CANCEL_REVOKED] = "Revoked",
    [FER_CANCEL_SLOW_CONSUMER] = "SlowConsumer",
    [FER_CANCEL_BACKEND_LOST] = "BackendLost",
    [FER_CANCEL_ADMIN] = "Admin",
};

const char *const fer_health_names[FER_HEALTH_STOPPED + 1] = {
    [FER_HEALTH_IDLE] = "idle", [FER_HEALTH_STARTING] = "starting", [FER_HEALTH_UP] = "up",
    [FER_HEALTH_DOWN] = "down", [FER_HEALTH_STOPPED] = "stopped",
};

const char *const fer_phase_names[FER_PHASE_DEFINITE + 1] = {
    [FER_PHASE_NOTHING_SENT] = "nothing-sent",
    [FER_PHASE_NOT_PROCESSED] = "not-processed",
    [FER_PHASE_AMBIGUOUS] = "ambiguous",
    [FER_PHASE_DEFINITE] = "definite",
};

/* Who says that it is not available, or that there were too many, says that it did nothing. */
fer_phase fer_phase_of_answer(fer_code code)
{
    bool untouched = code == FER_BACKEND_UNAVAILABLE || code == FER_RATE_LIMITED;
    return untouched ? FER_PHASE_NOT_PROCESSED : FER_PHASE_DEFINITE;
}

void fer_attempt_event(fer_attempt *t, fer_news kind, fer_str json)
{
    assert(!t->ended);
    if (t->wants_news) t->on_news(t, kind, json);
}

void fer_attempt_end(fer_attempt *t, const fer_outcome *o)
{
    assert(!t->ended);
    t->ended = true;
    t->on_end(t, o);
}

void fer_attempt_fail(fer_attempt *t, fer_code code, const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    fer_outcome o = {.code = code,
                     .phase = t->sent ? FER_PHASE_AMBIGUOUS : FER_PHASE_NOTHING_SENT,
                     .message = fer_arena_copy(t->arena, (fer_str){text, len})};
    if (code == FER_TOOL_FAILED || code == FER_INVALID_OUTPUT) o.phase = FER_PHASE_DEFINITE;
    fer_attempt_end(t, &o);
}

void fer_attempt_vacant(fer_attempt *t, const char *what, fer_str name)
{
    fer_outcome o = {.code = FER_BACKEND_UNAVAILABLE,
                     .phase = FER_PHASE_NOTHING_SENT,
                     .vacant = true,
                     .message = fer_arena_printf(t->arena,
                                                 "%s%.*s is not set up; its operator sees why with "
                                                 "'ferrule servers'",
                                                 what, FER_PRI(name))};
    fer_attempt_end(t, &o);
}

void fer_runner_stopped(fer_runner *r)
{
    void (*done)(fer_runner *) = r->on_stopped;
    r->on_stopped = NULL;
    if (done) done(r);
}

/* ---- what comes late ------------------------------------------------------------------------- */

void fer_runner_tell_late(fer_runner *r, uint64_t ticket, const fer_late *late)
{
    if (ticket && r->late) r->late(r, ticket, late);
}

void fer_runner_tell_late_answer(fer_runner *r, uint64_t ticket, fer_code code, fer_str answer)
{
    fer_late late = {.code = code, .size = answer.len};
    fer_digest_text(answer, late.sum);
    fer_runner_tell_late(r, ticket, &late);
}
