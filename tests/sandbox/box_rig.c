/* SPDX-License-Identifier: Apache-2.0 */
#include "box_rig.h"

#include "rows.h"

const fer_sandbox_bind box_system[] = {{.from = "/usr"},
                                       {.from = "/bin", .optional = true},
                                       {.from = "/lib", .optional = true},
                                       {.from = "/lib64", .optional = true}};
const size_t box_system_count = FER_COUNT(box_system);

void box_rig_init(box_rig *r)
{
    fer_err err = {0};
    assert_int_equal(uv_loop_init(&r->loop), 0);
    assert_int_equal(fer_process_host_new(&r->loop, NULL, &r->processes, &err), FER_OK);
    assert_int_equal(fer_sandbox_host_new(r->processes, &r->host, &err), FER_OK);
}

void box_rig_deinit(box_rig *r)
{
    fer_sandbox_host_free(r->host);
    fer_process_host_free(r->processes);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&r->loop), 0);
}

static void keep(char *to, size_t *len, fer_str bytes)
{
    size_t n = BOX_KEPT - 1 - *len < bytes.len ? BOX_KEPT - 1 - *len : bytes.len;
    memcpy(to + *len, bytes.ptr, n);
    *len += n;
    to[*len] = '\0';
}

static void on_ready(fer_sandbox *s)
{
    box_told *t = fer_sandbox_owner(s);
    t->ready = true;
    if (t->deaf_ms) usleep(t->deaf_ms * 1000);
}

static void on_output(fer_sandbox *s, fer_str bytes)
{
    box_told *t = fer_sandbox_owner(s);
    keep(t->out, &t->out_len, bytes);
    t->out_total += bytes.len;
    if (t->on_piece) t->on_piece(t, s);
}

static void on_error_output(fer_sandbox *s, fer_str bytes)
{
    box_told *t = fer_sandbox_owner(s);
    keep(t->err, &t->err_len, bytes);
    t->out_total += bytes.len;
}

static void on_end(fer_sandbox *s, const fer_sandbox_end *end)
{
    box_told *t = fer_sandbox_owner(s);
    assert_false(t->ended);
    t->ended = true;
    t->end = *end;
    t->report = *fer_sandbox_report_get(s);
}

static void on_gone(fer_sandbox *s)
{
    box_told *t = fer_sandbox_owner(s);
    t->gone = true;
}

static const fer_sandbox_events events = {.on_ready = on_ready,
                                          .on_output = on_output,
                                          .on_error_output = on_error_output,
                                          .on_end = on_end,
                                          .on_gone = on_gone};

void box_events_set(fer_sandbox_spec *spec, box_told *told)
{
    spec->events = &events;
    spec->owner = told;
}

fer_code box_try(box_rig *r, fer_sandbox_spec *spec, box_told *told, fer_err *err)
{
    box_events_set(spec, told);
    fer_code code = fer_sandbox_start(r->host, spec, &told->box, err);
    if (code) return code;
    assert_false(told->ready);
    while (!told->gone) uv_run(&r->loop, UV_RUN_ONCE);
    assert_true(told->ended);
    return FER_OK;
}

void box_run(box_rig *r, fer_sandbox_spec *spec, box_told *told)
{
    fer_err err = {0};
    fer_code code = box_try(r, spec, told, &err);
    if (code) fail_msg("%s", err.message);
}

bool box_host_has_all(void)
{
    fer_sandbox_report r;
    fer_err err = {0};
    fer_code code = fer_sandbox_probe(&r, &err);
    if (code) print_message("1..0 # SKIP %s\n", err.message);
    for (int i = 0; !code && i < FER_LAYER_COUNT; i++) {
        if (fer_layer_rows[i].needed && r.layers[i].stand == FER_STAND_MISSING)
            print_message("1..0 # SKIP this host lacks the layer %s: %s\n", fer_layer_rows[i].name,
                          r.layers[i].detail);
    }
    return !code && !r.degraded;
}
