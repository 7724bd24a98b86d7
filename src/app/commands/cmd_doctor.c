/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule doctor: what is wrong with a set-up, and how to mend it. */
#include "doctor.h"
#include "errors.h"

static void write_json(fer_out *o, const fer_doctor *d, size_t wrong)
{
    fer_out_printf(o, "{\"ok\":%s,\"checks\":[", wrong ? "false" : "true");
    for (size_t i = 0; i < d->count; i++) {
        const fer_doctor_result *r = &d->results[i];
        fer_out_printf(o, "%s\n{\"check\":\"%s\",\"state\":\"%s\",\"subject\":", i ? "," : "",
                       r->check, fer_doctor_states[r->state]);
        fer_out_json(o, r->subject);
        fer_out_text(o, ",\"message\":");
        fer_out_json(o, r->message);
        fer_out_text(o, ",\"hint\":");
        fer_out_json(o, r->hint);
        fer_out_text(o, "}");
    }
    fer_out_text(o, "\n]}\n");
}

static void write_row(fer_out *o, const fer_doctor_result *r)
{
    static const enum fer_style styles[] = {FER_STYLE_NONE, FER_STYLE_DIM, FER_STYLE_YELLOW,
                                            FER_STYLE_RED};
    fer_out_style(o, styles[r->state]);
    fer_out_printf(o, "%-9s", fer_doctor_states[r->state]);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_printf(o, "%-10s", r->check);
    if (r->subject.len) {
        fer_out_clean(o, r->subject);
        fer_out_text(o, ": ");
    }
    fer_out_clean(o, r->message);
    fer_out_text(o, "\n");
    if (!r->hint.len) return;
    fer_out_printf(o, "%19s", "");
    fer_out_style(o, FER_STYLE_DIM);
    fer_out_clean(o, r->hint);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, "\n");
}

static void write_text(fer_out *o, const fer_doctor *d, size_t wrong)
{
    size_t warnings = 0;
    for (size_t i = 0; i < d->count; i++) {
        write_row(o, &d->results[i]);
        warnings += d->results[i].state == FER_DOCTOR_WARNING;
    }
    if (wrong) fer_out_printf(o, "%zu wrong, %zu warning%s\n", wrong, warnings, fer_s(warnings));
    else fer_out_printf(o, "nothing is wrong; %zu warning%s\n", warnings, fer_s(warnings));
}

int fer_run_doctor(fer_app *app)
{
    fer_doctor d = {.app = app,
                    .arena = fer_arena_new(0),
                    .fix = fer_app_option(app, "fix") != NULL,
                    .offline = fer_app_option(app, "offline") != NULL,
                    .file = FER_STR("")};
    fer_err err = {0};
    size_t wrong = 0;
    if (!d.arena || !fer_doctor_run(&d)) {
        fer_arena_free(d.arena);
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        return fer_app_fail(app, &err);
    }
    for (size_t i = 0; i < d.count; i++) wrong += d.results[i].state == FER_DOCTOR_WRONG;
    (fer_app_option(app, "json") ? write_json : write_text)(&app->out, &d, wrong);
    fer_arena_free(d.arena);
    return wrong ? FER_EXIT_FINDINGS : FER_EXIT_OK;
}
