/* SPDX-License-Identifier: Apache-2.0 */
#include "admin.h"

#include <limits.h>

#include "access.h"
#include "buf.h"
#include "clock.h"
#include "digest.h"
#include "errors.h"
#include "sys.h"
#include "trace_context.h"

static void on_call(void *context, const fer_call_report *r)
{
    int64_t now = r->began_ms + r->envelope->duration_us / 1000;
    fer_pulse_call_ended(((fer_admin *)context)->pulse, r, now);
}

void fer_admin_mark(fer_str text, char out[FER_ADMIN_MARK])
{
    unsigned char whole[FER_DIGEST_SIZE];
    fer_digest_text(text, whole);
    fer_trace_hex(whole, (FER_ADMIN_MARK - 1) / 2, out);
}

void fer_admin_mark_file(fer_str file, char out[FER_ADMIN_MARK])
{
    char path[PATH_MAX] = "", name[PATH_MAX];
    if (file.len && file.len < sizeof name) {
        memcpy(name, file.ptr, file.len);
        name[file.len] = '\0';
        if (!fer_sys_realpath(name, path)) path[0] = '\0';
    }
    fer_admin_mark(fer_str_of(path), out);
}

fer_code fer_admin_init(fer_admin *a, fer_station *station, fer_err *err)
{
    *a = (fer_admin){.station = station, .pulse = fer_pulse_new(), .began = fer_clock_wall()};
    fer_admin_mark_file(station->config.file, a->config);
    fer_admin_mark(station->config.serve.json, a->serve);
    if (!a->pulse) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    return fer_gateway_observe_ends(station->gateway, on_call, a, err);
}

void fer_admin_deinit(fer_admin *a)
{
    fer_pulse_free(a->pulse);
    a->pulse = NULL;
}

/* A token of everything is not enough where it belongs to a tenant: others' calls are shown. */
static bool may_read(const fer_guest *who)
{
    const fer_caller *c = fer_guest_caller(who);
    if (!c) return true;
    return fer_access_names(&c->scopes, FER_STR("admin")) ||
           (!c->tenant.len && fer_access_names(&c->scopes, FER_STR("*")));
}

static void refuse(fer_exchange *x, unsigned status, const char *code, const char *message)
{
    fer_str text = fer_arena_printf(
        fer_exchange_arena(x), "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}\n", code, message);
    fer_exchange_reply(x, status, "application/json", text.ptr ? text : FER_STR("{}"));
}

static const fer_admin_page *page_of(fer_str path)
{
    fer_str name = fer_str_slice(path, strlen(FER_ADMIN_ROOT), path.len);
    if (fer_str_is(name, "") || fer_str_is(name, "/")) return &fer_admin_pages[0];
    name = fer_str_slice(name, 1, name.len);
    for (const fer_admin_page *p = fer_admin_pages; p->name; p++)
        if (fer_str_is(name, p->name)) return p;
    return NULL;
}

fer_code fer_admin_write(const fer_admin *a, const fer_admin_page *page, fer_arena *scratch,
                         fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, scratch, FER_ADMIN_MAX);
    page->write(a, scratch, &b, fer_clock_wall());
    fer_buf_add_char(&b, '\n');
    *out = fer_buf_view(&b);
    return fer_buf_code(&b, err);
}

void fer_admin_answer(void *context, fer_guest *who, fer_exchange *x)
{
    const fer_admin *a = context;
    const fer_inbound *in = fer_exchange_inbound(x);
    bool below =
        fer_str_starts(in->path, FER_ADMIN_ROOT) &&
        (in->path.len == strlen(FER_ADMIN_ROOT) || in->path.ptr[strlen(FER_ADMIN_ROOT)] == '/');
    const fer_admin_page *page = below ? page_of(in->path) : NULL;
    fer_err err = {0};
    fer_str text;
    if (!may_read(who)) {
        if (a->door) fer_doorkeeper_denied(a->door, who, in, "admin");
        refuse(x, 403, "Forbidden", "This token has no scope `admin`.");
        return;
    }
    if (!page) {
        refuse(x, 404, "NotFound", "The pages are listed at " FER_ADMIN_ROOT ".");
        return;
    }
    fer_code code = fer_admin_write(a, page, fer_exchange_arena(x), &text, &err);
    const fer_http_field fields[] = {{FER_STR("Content-Type"), FER_STR("application/json")},
                                     {FER_STR("Cache-Control"), FER_STR("no-store")}};
    if (code) refuse(x, 500, fer_code_info(code)->name, "The page is too large.");
    else fer_exchange_answer(x, 200, fields, FER_COUNT(fields), text, NULL);
}
