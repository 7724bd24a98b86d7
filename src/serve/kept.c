/* SPDX-License-Identifier: Apache-2.0 */
#include "kept.h"

#include "clock.h"
#include "str.h"
#include "sys.h"

#define MS INT64_C(1000000) /* ns */

struct fer_rest_one {
    fer_rest_one *next;
    const void *owner;
    int64_t until; /* fer_clock_mono */
    char handle[FER_KEPT_HANDLE];
    size_t len;
    char text[];
};

/* Takes out what is behind `place`. */
static void take_out(fer_rests *k, fer_rest_one **place)
{
    fer_rest_one *one = *place;
    *place = one->next;
    k->count--;
    k->bytes -= one->len;
    fer_sys_free(one);
}

/* What is too old goes, and then the oldest, until there is room. */
static void make_room(fer_rests *k, size_t len)
{
    int64_t now = fer_clock_mono();
    fer_rest_one **place = &k->first;
    while (*place && (*place)->until > now) place = &(*place)->next;
    while (*place) take_out(k, place);
    while (k->count && (k->count >= FER_KEPT_MAX || k->bytes + len > FER_KEPT_BYTES)) {
        place = &k->first;
        while ((*place)->next) place = &(*place)->next;
        take_out(k, place);
    }
}

static bool make_handle(char out[FER_KEPT_HANDLE])
{
    static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
    unsigned char random[FER_KEPT_HANDLE - 3];
    if (fer_sys_random(random, sizeof random)) return false;
    out[0] = 'r';
    out[1] = '-';
    for (size_t i = 0; i < sizeof random; i++) out[2 + i] = letters[random[i] & 31];
    out[FER_KEPT_HANDLE - 1] = '\0';
    return true;
}

bool fer_rest_put(fer_rests *k, const void *owner, fer_str json, char out[FER_KEPT_HANDLE])
{
    if (json.len > FER_KEPT_BYTES) return false;
    make_room(k, json.len);
    fer_rest_one *one = fer_sys_malloc(sizeof *one + json.len);
    if (!one) return false;
    *one = (fer_rest_one){.next = k->first,
                          .owner = owner,
                          .until = fer_clock_mono() + FER_KEPT_MS * MS,
                          .len = json.len};
    if (!make_handle(one->handle)) {
        fer_sys_free(one);
        return false;
    }
    memcpy(one->text, json.ptr, json.len);
    memcpy(out, one->handle, FER_KEPT_HANDLE);
    k->first = one;
    k->count++;
    k->bytes += one->len;
    return true;
}

fer_str fer_rest_get(fer_rests *k, const void *owner, fer_str handle)
{
    make_room(k, 0);
    for (const fer_rest_one *one = k->first; one; one = one->next)
        if (one->owner == owner && fer_str_is(handle, one->handle))
            return (fer_str){one->text, one->len};
    return FER_STR_NONE;
}

void fer_rest_forget(fer_rests *k, const void *owner)
{
    for (fer_rest_one **place = &k->first; *place;) {
        if ((*place)->owner == owner) take_out(k, place);
        else place = &(*place)->next;
    }
}

void fer_rest_deinit(fer_rests *k)
{
    while (k->first) take_out(k, &k->first);
}
