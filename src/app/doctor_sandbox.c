/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers of the sandbox this host has, by making one and looking; and what runs code. */
#include "buf.h"
#include "code_setup.h"
#include "doctor.h"
#include "errors.h"
#include "json_value.h"
#include "sandbox.h"

#define FOUND_MAX 512 /* bytes of what a runtime was found with */
#define MISSING                                                                                    \
    "docs/sandbox.md says what each layer needs of the host. Without one "                         \
    "that is needed no code is run, unless --allow-degraded says so."

static void tell_layer(fer_doctor *d, const fer_layer_row *row, const fer_layer_state *s)
{
    fer_doctor_tell(d, row->needed ? FER_DOCTOR_WARNING : FER_DOCTOR_SKIPPED, fer_str_of(row->name),
                    row->needed ? FER_STR(MISSING) : FER_STR(""), "%s: %s%s%s",
                    fer_layer_stand_names[s->stand], row->text, s->detail[0] ? "; " : "",
                    s->detail);
}

void fer_doctor_sandbox(fer_doctor *d)
{
    char text[512];
    fer_buf up;
    fer_err err = {0};
    fer_sandbox_report report;
    size_t count = 0;
    if (fer_sandbox_probe(&report, &err)) {
        fer_doctor_tell(d, FER_DOCTOR_WARNING, FER_STR(""), FER_STR(MISSING),
                        "none can be made: %s", err.message);
        return;
    }
    fer_buf_init_fixed(&up, text, sizeof text);
    for (size_t i = 0; i < FER_LAYER_COUNT; i++) {
        const fer_layer_state *s = &report.layers[i];
        if (s->stand != FER_STAND_UP) tell_layer(d, &fer_layer_rows[i], s);
        else fer_buf_printf(&up, "%s%s", count++ ? ", " : "", fer_layer_rows[i].name);
    }
    fer_doctor_tell(d, FER_DOCTOR_OK, FER_STR(""), FER_STR(""), "%zu layer%s: %.*s", count,
                    fer_s(count), FER_PRI(fer_buf_view(&up)));
}

/* Members of an object, as words: name and text of each. */
static fer_str in_words(fer_arena *a, const char *members)
{
    fer_json *doc;
    fer_buf b;
    fer_buf_init(&b, a, FOUND_MAX);
    if (fer_json_read(a, fer_arena_printf(a, "{%s}", members), NULL, &doc, NULL))
        return FER_STR("");
    FER_EACH_MEMBER (fer_json_root(doc), key)
        fer_buf_printf(&b, "%s%.*s %.*s", b.len ? ", " : "", FER_PRI(fer_val_str(key)),
                       FER_PRI(fer_is_str(key + 1) ? fer_val_str(key + 1) : FER_STR("")));
    return fer_buf_view(&b);
}

void fer_doctor_runtimes(fer_doctor *d)
{
    char found[FOUND_MAX];
    const fer_config_code *code = &d->config.code;
    for (size_t i = 0; i < code->runtime_count; i++) {
        const fer_config_runtime *r = &code->runtimes[i];
        fer_err err = {0};
        if (fer_code_setup_probe(r, found, sizeof found, &err))
            fer_doctor_tell(d, FER_DOCTOR_WARNING, r->name,
                            FER_STR("until it is there, runs that name this runtime fail"), "%s",
                            err.message);
        else
            fer_doctor_tell(d, FER_DOCTOR_OK, r->name, FER_STR(""), "%.*s: %.*s", FER_PRI(r->kind),
                            FER_PRI(in_words(d->arena, found)));
    }
    if (!code->runtime_count)
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, FER_STR(""), FER_STR(""),
                        "the configuration names no runtime beside js");
}
