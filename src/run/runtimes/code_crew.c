/* SPDX-License-Identifier: Apache-2.0 */
#include "code_crew.h"

#include "code_lines.h"
#include "errors.h"
#include "sys.h"

#define START_MAX (FER_CODE_SIZE * 6 + 4096) /* bytes of the line that begins a run */

/* ---- what programs tell ----------------------------------------------------------------------
 */

static void stop_if_done(fer_crew *c)
{
    if (c->stopping && !c->hands) fer_runtime_stopped(c->runtime);
}

static void cool(fer_hand *h)
{
    h->crew->warm -= h->warm;
    h->warm = false;
}

static void on_line(fer_box *b, fer_str line)
{
    fer_hand *h = fer_box_owner(b);
    if (h->job) h->job->events->line(h->job, line);
}

static void on_print(fer_box *b, fer_printed which, fer_str bytes)
{
    fer_hand *h = fer_box_owner(b);
    if (h->job) h->job->events->print(h->job, which, bytes);
}

static void on_end(fer_box *b, const fer_job_end *e)
{
    fer_hand *h = fer_box_owner(b);
    fer_job *j = h->job;
    bool warm = h->warm;
    cool(h);
    h->job = NULL;
    if (warm && h->crew->lost) h->crew->lost(h->crew, e);
    if (!j) return;
    fer_job_end own = *e;
    own.message = fer_arena_copy(j->arena, e->message);
    fer_job_finish(j, &own);
}

static void on_gone(fer_box *b)
{
    fer_hand *h = fer_box_owner(b);
    fer_crew *c = h->crew;
    cool(h);
    *h->place = h->next;
    if (h->next) h->next->place = h->place;
    fer_sys_free(h);
    if (c->gone) c->gone(c);
    stop_if_done(c);
}

static const fer_box_events events = {on_line, on_print, on_end, on_gone};

/* ---- programs --------------------------------------------------------------------------------
 */

fer_code fer_crew_start(fer_crew *c, const fer_box_spec *spec, const int64_t bounds[FER_BOUNDS],
                        fer_job *j, fer_hand **out, fer_err *err)
{
    fer_box_spec own = *spec;
    fer_hand *h = fer_sys_malloc_zero(sizeof *h);
    if (!h) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (int i = 0; i < FER_BOUNDS; i++) own.bounds[i] = bounds[i];
    own.warm = !j;
    own.events = &events;
    own.owner = h;
    fer_code code = fer_box_start(&own, &h->box, err);
    if (code) {
        fer_sys_free(h);
        return code;
    }
    h->crew = c;
    h->job = j;
    h->warm = !j;
    c->warm += h->warm;
    h->next = c->hands;
    h->place = &c->hands;
    if (h->next) h->next->place = &h->next;
    c->hands = h;
    if (j) j->state = h;
    *out = h;
    return FER_OK;
}

fer_hand *fer_crew_take(fer_crew *c, fer_job *j)
{
    fer_hand *h = c->hands;
    while (h && !h->warm) h = h->next;
    if (!h) return NULL;
    cool(h);
    h->job = j;
    j->state = h;
    fer_box_work(h->box, j->bounds[FER_BOUND_TIME]);
    return h;
}

/* Ends its program, and its job at once. */
static void drop_job(fer_hand *h, fer_code code, const char *why)
{
    fer_job *j = h->job;
    h->job = NULL;
    fer_box_drop(h->box, h->crew->grace);
    fer_job_fail(j, code, "%s", why);
}

void fer_hand_begin(fer_hand *h)
{
    fer_buf b;
    fer_err err = {0};
    fer_buf_init(&b, h->job->arena, START_MAX);
    fer_code_start(&b, h->job);
    if (fer_buf_code(&b, &err)) drop_job(h, err.code, err.message);
    else fer_box_say(h->box, fer_buf_view(&b));
}

void fer_crew_stop(fer_crew *c, void (*done)(fer_runtime *r))
{
    c->runtime->on_stopped = done;
    c->stopping = true;
    for (fer_hand *h = c->hands; h; h = h->next) {
        if (h->job) fer_crew_cancel_job(c->runtime, h->job);
        else fer_box_drop(h->box, FER_GRACE_NONE);
    }
    stop_if_done(c);
}

/* ---- jobs ------------------------------------------------------------------------------------
 */

void fer_crew_cancel_job(fer_runtime *r, fer_job *j)
{
    (void)r;
    drop_job(j->state, FER_CANCELLED, "the code was given up");
}

void fer_crew_say_job(fer_runtime *r, fer_job *j, fer_str line)
{
    (void)r;
    fer_box_say(((fer_hand *)j->state)->box, line);
}

void fer_crew_pause_job(fer_runtime *r, fer_job *j, bool paused)
{
    (void)r;
    fer_box_pause(((fer_hand *)j->state)->box, paused);
}

void fer_crew_info(fer_job *j, fer_buf *b)
{
    if (!j || !j->state) return;
    const fer_box *box = ((fer_hand *)j->state)->box;
    fer_buf_add_char(b, ',');
    fer_box_info(box, b);
    fer_box_held(j->arena, box, j->held);
}
