/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What servers say to an OAuth client: challenges, metadata of resources and issuers, what a
 * browser brings back (Z11). What must hold: a challenge that was read is read the same after it
 * was written; metadata that was taken is about the resource, or of the issuer, that was asked for,
 * and names no place without HTTPS; a value of a query is the one that was put there.
 */
#include "challenge.h"
#include "fuzz.h"
#include "oauth_form.h"
#include "oauth_meta.h"

static void try_challenge(fer_arena *a, fer_str text)
{
    fer_challenge one, two;
    if (!fer_challenge_read(a, text, &one)) return;
    fer_str written = fer_challenge_write(a, &one);
    if (written.ptr) HOLDS(fer_challenge_read(a, written, &two));
    if (written.ptr) HOLDS(!one.scope.ptr == !two.scope.ptr && !one.error.ptr == !two.error.ptr);
}

static void try_metadata(fer_arena *a, fer_str text)
{
    fer_resource_meta r;
    fer_issuer_meta i;
    fer_err err = {0};
    if (!fer_resource_meta_read(a, text, FER_STR("https://s.example/mcp"), &r, &err))
        HOLDS(r.issuer_count && fer_str_starts(r.resource, "http"));
    if (!fer_issuer_meta_read(a, text, FER_STR("https://i.example"), &i, &err)) {
        HOLDS(fer_str_is(i.issuer, "https://i.example") && fer_url_is_safe(i.token));
        HOLDS(!i.authorize.len || fer_url_is_safe(i.authorize));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_str text = fuzz_text(data, size), url;
    fer_buf form;
    try_challenge(a, text);
    try_metadata(a, text);
    for (unsigned n = 0; n < 3; n++) {
        fer_resource_meta_url(a, text, n, &url);
        fer_issuer_meta_url(a, text, n, &url);
    }
    fer_form_get(a, text, "code");
    fer_buf_init(&form, a, SIZE_MAX / 4);
    fer_form_add(&form, "code", text);
    if (text.len && !form.failure)
        HOLDS(fer_str_eq(fer_form_get(a, fer_buf_view(&form), "code"), text));
    fer_arena_free(a);
    return 0;
}
