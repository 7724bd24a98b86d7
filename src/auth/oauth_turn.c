/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several processes with one vault: whoever refreshes a token, or gives it back, has its turn
 * meanwhile, a lock beside the record. The others look again every POLL_MS, and use what the first
 * one got. The lock of a process that ends is free; one that hangs is waited for until
 * FER_OAUTH_TURN_MS have passed.
 */
#include "clock.h"
#include "errors.h"
#include "file.h"
#include "oauth_parts.h"
#include "sys.h"

#define POLL_MS 20

/* On the heap, as its timer outlives the flight by a turn of the loop. */
struct fer_oauth_turn {
    uv_timer_t timer;
    fer_oauth *oauth;
    void (*then)(fer_oauth *o);
    int64_t until; /* fer_clock_mono */
};

static void on_closed(uv_handle_t *h)
{
    fer_sys_free(h->data);
}

static void wait_no_more(fer_flight *f)
{
    if (f->waits) uv_close((uv_handle_t *)&f->waits->timer, on_closed);
    f->waits = NULL;
}

void fer_oauth_end_turn(fer_flight *f)
{
    if (f->turn >= 0) fer_file_unlock(f->turn);
    f->turn = -1;
    wait_no_more(f);
}

/* True: nothing more is to be waited for. */
static bool try_turn(fer_oauth *o, void (*then)(fer_oauth *o))
{
    fer_flight *f = o->flight;
    fer_err err = {0};
    if (fer_vault_try_turn(o->options.vault, "token", o->name, &f->turn, &err)) {
        fer_oauth_land(o, err.code, err.message);
        return true;
    }
    if (f->turn < 0) return false;
    wait_no_more(f);
    /* Another one was first; what it got is given back, too, where all of it is. */
    if (fer_oauth_reread(o) && !(f->revoking && o->bearer.len)) fer_oauth_land_kept(o);
    else then(o);
    return true;
}

static void on_poll(uv_timer_t *timer)
{
    const struct fer_oauth_turn *w = timer->data;
    if (fer_clock_mono() > w->until)
        fer_oauth_land(w->oauth, FER_BACKEND_UNAVAILABLE,
                       "another process has been refreshing the token for too long (oauth.turn)");
    else try_turn(w->oauth, w->then);
}

void fer_oauth_take_turn(fer_oauth *o, void (*then)(fer_oauth *o))
{
    fer_flight *f = o->flight;
    if (!o->options.vault) {
        then(o);
        return;
    }
    if (try_turn(o, then)) return;
    struct fer_oauth_turn *w = fer_sys_malloc(sizeof *w);
    if (!w) {
        fer_oauth_land(o, FER_OUT_OF_MEMORY, "out of memory");
        return;
    }
    w->oauth = o;
    w->then = then;
    w->until = fer_clock_mono() + FER_OAUTH_TURN_MS * INT64_C(1000000);
    uv_timer_init(fer_http_loop(o->options.http), &w->timer);
    w->timer.data = w;
    f->waits = w;
    uv_timer_start(&w->timer, on_poll, POLL_MS, POLL_MS);
}
