/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule ledger verify and prune: whether a ledger is what was written, and making it shorter. */
#include "clock.h"
#include "errors.h"
#include "keeping.h"
#include "ledger.h"
#include "ledger_ask.h"
#include "ledger_verify.h"
#include "state_folder.h"

/* ---- verify -------------------------------------------------------------------------------------
 */

static void write_flaw_json(fer_out *o, const fer_flaw *f, bool first)
{
    fer_out_printf(
        o, "%s\n{\"kind\":\"%s\",\"seq\":%llu,\"offset\":%llu,\"segment\":", first ? "" : ",",
        fer_flaw_names[f->kind], (unsigned long long)f->seq, (unsigned long long)f->offset);
    fer_out_json(o, f->segment);
    fer_out_text(o, ",\"message\":");
    fer_out_json(o, f->message);
    fer_out_text(o, "}");
}

static void write_json(fer_out *o, const fer_verify_report *r)
{
    fer_out_printf(
        o,
        "{\"ok\":%s,\"records\":%llu,\"segments\":%zu,\"bytes\":%llu,\"firstSeq\":%llu,"
        "\"lastSeq\":%llu,\"head\":\"%s\",\"checkpoints\":%llu,\"signedSeq\":%llu,"
        "\"anchors\":%zu,\"openCalls\":%llu,\"pruned\":%s,\"writtenNow\":%s,\"flawCount\":%zu,"
        "\"flaws\":[",
        r->flaw_count ? "false" : "true", (unsigned long long)r->records, r->segments,
        (unsigned long long)r->bytes, (unsigned long long)r->first_seq,
        (unsigned long long)r->last_seq, r->head, (unsigned long long)r->checkpoints,
        (unsigned long long)r->signed_seq, r->anchors, (unsigned long long)r->open_calls,
        r->pruned ? "true" : "false", r->written_now ? "true" : "false", r->flaw_count);
    for (size_t i = 0; i < r->told; i++) write_flaw_json(o, &r->flaws[i], i == 0);
    fer_out_text(o, r->told ? "\n]}\n" : "]}\n");
}

static void write_text(fer_out *o, const fer_verify_report *r)
{
    for (size_t i = 0; i < r->told; i++) {
        const fer_flaw *f = &r->flaws[i];
        fer_out_style(o, FER_STYLE_RED);
        fer_out_printf(o, "record %llu", (unsigned long long)f->seq);
        fer_out_style(o, FER_STYLE_NONE);
        if (f->segment.len) {
            fer_out_text(o, " (");
            fer_out_clean(o, f->segment);
            fer_out_printf(o, ", byte %llu)", (unsigned long long)f->offset);
        }
        fer_out_printf(o, ": %s [%s]\n", f->message.ptr, fer_flaw_names[f->kind]);
    }
    if (r->flaw_count > r->told) fer_out_printf(o, "and %zu more\n", r->flaw_count - r->told);
    fer_out_printf(
        o, "%llu record%s in %zu segment%s, %llu to %llu%s; signed up to %llu; head %s\n",
        (unsigned long long)r->records, fer_s(r->records), r->segments, fer_s(r->segments),
        (unsigned long long)r->first_seq, (unsigned long long)r->last_seq,
        r->pruned ? " (older ones were pruned)" : "", (unsigned long long)r->signed_seq, r->head);
    if (r->anchors)
        fer_out_printf(o, "%zu checkpoint%s of the anchor hold%s\n", r->anchors, fer_s(r->anchors),
                       r->anchors == 1 ? "s" : "");
    if (r->flaw_count) fer_out_printf(o, "%zu flaw%s\n", r->flaw_count, fer_s(r->flaw_count));
    else fer_out_text(o, "no flaws\n");
}

int fer_run_ledger_verify(fer_app *app)
{
    fer_err err;
    fer_verify_report r;
    const char *anchor = fer_app_option(app, "anchor"),
               *file = app->arg_count ? app->args[0] : NULL;
    if (app->arg_count > 1) return fer_app_usage(app, "ledger verify takes one export at most");
    if (file && anchor) return fer_app_usage(app, "an anchor says nothing about an export");
    fer_arena *a = fer_arena_new(0);
    if (!a)
        return fer_app_fail(app, &(fer_err){.code = FER_OUT_OF_MEMORY, .message = "out of memory"});
    fer_ledger_place place = {0};
    int bad = file ? 0 : fer_ledger_find(app, a, &place);
    if (bad) {
        fer_arena_free(a);
        return bad;
    }
    if (!anchor) anchor = place.anchor;
    fer_verify_options o = {
        .folder = place.folder, .anchor = anchor, .key = fer_app_option(app, "key")};
    fer_code code =
        file ? fer_export_verify(a, file, &r, &err) : fer_ledger_verify(a, &o, &r, &err);
    if (code) bad = fer_app_fail(app, &err);
    if (!code) {
        if (fer_app_option(app, "json")) write_json(&app->out, &r);
        else write_text(&app->out, &r);
        if (!anchor && !file && !r.flaw_count)
            fer_app_say(app, "without --anchor nobody can see whether the end was cut off");
        bad = r.flaw_count ? FER_EXIT_FINDINGS : FER_EXIT_OK;
    }
    fer_arena_free(a);
    return bad;
}

/* ---- prune --------------------------------------------------------------------------------------
 */

/* As the gateway would: what is written now is signed by the same key, and told to the same anchor.
 */
static fer_ledger_options writer_of(const fer_ledger_place *p)
{
    return (fer_ledger_options){
        .folder = p->folder, .anchor = p->anchor, .key = p->key, .segment_bytes = p->segment_bytes};
}

/* Where a gateway writes it, there is something else to do. */
static int fail_to_write(fer_app *app, const char *folder, const fer_err *err)
{
    int bad = fer_app_fail(app, err);
    if (err->code == FER_LEDGER_UNAVAILABLE && fer_keeping_is_written(folder))
        fer_app_say(app,
                    "the gateway that writes it prunes it itself, by ledger.retentionDays of its "
                    "configuration; or stop it first");
    return bad;
}

static int prune(fer_app *app, const fer_ledger_place *place, int64_t age)
{
    fer_err err;
    fer_ledger *l;
    fer_ledger_pruned what = {0};
    const fer_ledger_options o = writer_of(place);
    fer_code code = fer_ledger_open(&o, &l, NULL, &err);
    if (code) return fail_to_write(app, o.folder, &err);
    code = fer_ledger_prune(l, fer_clock_wall() - age, &what, &err);
    int bad = code ? fer_app_fail(app, &err) : 0;
    if (fer_ledger_close(l, &err) && !bad) bad = fer_app_fail(app, &err);
    if (!bad)
        fer_out_printf(
            &app->out,
            "%zu segment%s with %llu record%s (%llu bytes) pruned; the first record is %llu\n",
            what.segments, fer_s(what.segments), (unsigned long long)what.records,
            fer_s(what.records), (unsigned long long)what.bytes,
            (unsigned long long)what.first_seq);
    return bad;
}

int fer_run_ledger_prune(fer_app *app)
{
    fer_ledger_place place;
    int64_t age;
    const char *text = fer_app_option(app, "older-than");
    if (!text || !fer_age_parse(fer_str_of(text), &age))
        return fer_app_usage(app, "ledger prune needs --older-than with an age such as 90d");
    fer_arena *a = fer_arena_new(0);
    if (!a)
        return fer_app_fail(app, &(fer_err){.code = FER_OUT_OF_MEMORY, .message = "out of memory"});
    int bad = fer_ledger_find(app, a, &place);
    if (!bad) bad = prune(app, &place, age);
    fer_arena_free(a);
    return bad;
}

/* ---- accept -------------------------------------------------------------------------------------
 */

/* It is opened as it is first: what is whole has nothing to accept. */
static int accept_break(fer_app *app, const fer_ledger_place *place)
{
    fer_err err;
    fer_ledger *l;
    fer_ledger_recovery found;
    fer_ledger_options o = writer_of(place);
    fer_code code = fer_ledger_open(&o, &l, &found, &err);
    o.accept_break = code == FER_INTEGRITY_BROKEN;
    if (o.accept_break) code = fer_ledger_open(&o, &l, &found, &err);
    if (code) return fer_app_fail(app, &err);
    if (fer_ledger_close(l, &err)) return fer_app_fail(app, &err);
    if (o.accept_break)
        fer_out_printf(&app->out,
                       "the break is accepted: records go on behind number %llu; ledger verify "
                       "goes on telling where it is\n",
                       (unsigned long long)found.last_seq);
    else
        fer_out_printf(&app->out,
                       "the ledger can be written as it is: there is nothing to accept\n");
    return FER_EXIT_OK;
}

int fer_run_ledger_accept(fer_app *app)
{
    fer_ledger_place place;
    fer_arena *a = fer_arena_new(0);
    if (!a)
        return fer_app_fail(app, &(fer_err){.code = FER_OUT_OF_MEMORY, .message = "out of memory"});
    int bad = fer_ledger_find(app, a, &place);
    if (!bad) bad = accept_break(app, &place);
    fer_arena_free(a);
    return bad;
}
