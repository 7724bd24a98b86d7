/* SPDX-License-Identifier: Apache-2.0 */
#include "attach_lasting.h"

#include "sys.h"

#define MARK "ferrule-again-" /* of IDs of requests of our own */

struct lasting {
    struct lasting *next;
    const char *method; /* a constant */
    size_t key_len, len;
    char text[]; /* what tells it from others, then its params */
};

/* What lasts, by what one takes the place of another, and what ends it. */
static const struct row {
    const char *method, *key; /* member of params; NULL: there is one alone */
    const char *ends;         /* the method that takes it back; or NULL */
} rows[] = {
    {"logging/setLevel", NULL, NULL},
    {"resources/subscribe", "uri", "resources/unsubscribe"},
};

static void forget(fer_lasting *l, const char *method, fer_str key)
{
    for (struct lasting **at = &l->first; *at;) {
        struct lasting *x = *at;
        if (x->method != method || !fer_str_eq((fer_str){x->text, x->key_len}, key)) {
            at = &x->next;
            continue;
        }
        *at = x->next;
        l->count--;
        fer_sys_free(x);
    }
}

static void keep(fer_lasting *l, const char *method, fer_str key, fer_str params)
{
    struct lasting *x =
        l->count < FER_ATTACH_LASTING_MAX ? fer_sys_malloc(sizeof *x + key.len + params.len) : NULL;
    if (!x) return;
    *x =
        (struct lasting){.next = l->first, .method = method, .key_len = key.len, .len = params.len};
    if (key.len) memcpy(x->text, key.ptr, key.len);
    memcpy(x->text + key.len, params.ptr, params.len);
    l->first = x;
    l->count++;
}

void fer_lasting_note(fer_lasting *l, const fer_rpc *m)
{
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        bool begins = fer_str_is(m->method, rows[i].method);
        bool ends = rows[i].ends && fer_str_is(m->method, rows[i].ends);
        if ((!begins && !ends) || !fer_is_obj(m->params)) continue;
        const yyjson_val *named = rows[i].key ? fer_val_get(m->params, rows[i].key) : NULL;
        fer_str key = fer_is_str(named) ? fer_val_str(named) : FER_STR("");
        if (rows[i].key && !key.len) continue;
        forget(l, rows[i].method, key);
        if (begins) keep(l, rows[i].method, key, fer_rpc_bytes(m->doc, m->params));
    }
}

void fer_lasting_say(fer_lasting *l, fer_arena *a, fer_pair *gate)
{
    size_t n = 0;
    l->unanswered = 0;
    for (const struct lasting *x = l->first; x; x = x->next) {
        fer_str line = fer_arena_printf(
            a, "{\"jsonrpc\":\"2.0\",\"id\":\"" MARK "%zu\",\"method\":\"%s\",\"params\":%.*s}",
            ++n, x->method, (int)x->len, x->text + x->key_len);
        if (!line.ptr) return;
        fer_pair_write(gate, line);
        l->unanswered++;
    }
}

bool fer_lasting_takes(fer_lasting *l, const fer_rpc *m)
{
    if (!l->unanswered || m->id.type == FER_RPC_INTEGER || !fer_str_starts(m->id.text, MARK))
        return false;
    l->unanswered--;
    return true;
}

void fer_lasting_deinit(fer_lasting *l)
{
    while (l->first) {
        struct lasting *x = l->first;
        l->first = x->next;
        fer_sys_free(x);
    }
    *l = (fer_lasting){0};
}
