/* SPDX-License-Identifier: Apache-2.0 */
#include "local_door.h"

#include "command_station.h"
#include "errors.h"

/* Nobody was there for a while. Whoever comes in this very moment is still served. */
static void on_idle(uv_timer_t *timer)
{
    fer_local_door *d = timer->data;
    d->retired = true;
    if (!fer_local_retire(d->local)) d->ended(d->context);
}

static void on_changed(void *context, size_t clients)
{
    fer_local_door *d = context;
    if (!d->timed) return;
    if (clients) uv_timer_stop(&d->idle);
    else if (d->retired) d->ended(d->context);
    else uv_timer_start(&d->idle, on_idle, (uint64_t)d->idle_ms, 0);
}

static void on_drained(void *context)
{
    fer_local_door *d = context;
    d->ended(d->context);
}

static const fer_local_events events = {.changed = on_changed, .drained = on_drained};

int fer_local_door_open(fer_local_door *d, fer_front *front, const fer_attach *at, bool only)
{
    fer_err err = {0};
    int64_t seconds;
    int bad = fer_app_number(d->app, "idle", 1, FER_LOCAL_IDLE_MAX, FER_ATTACH_IDLE_S, &seconds);
    if (bad) return bad;
    fer_code code = fer_local_open(front, at->path, &events, d, &d->local, &err);
    if (code && only) return fer_app_fail(d->app, &err);
    if (code) fer_app_say(d->app, "nobody can attach to this gateway: %s", err.message);
    if (!d->local && only) fer_app_say(d->app, "another gateway serves this configuration already");
    if (!d->local || !only) return 0;
    d->idle_ms = seconds * 1000;
    d->timed = true;
    uv_timer_init(fer_front_loop(front), &d->idle);
    d->idle.data = d;
    uv_timer_start(&d->idle, on_idle, (uint64_t)d->idle_ms, 0);
    return 0;
}

void fer_local_door_drain(fer_local_door *d)
{
    if (d->timed) uv_timer_stop(&d->idle);
    if (d->local) fer_local_drain(d->local);
}

void fer_local_door_close(fer_local_door *d)
{
    if (d->timed) uv_close((uv_handle_t *)&d->idle, NULL);
    if (d->local) fer_local_close(d->local);
    d->local = NULL;
    d->timed = false;
}
