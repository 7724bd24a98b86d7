/* SPDX-License-Identifier: Apache-2.0 */
#include "key_words.h"

#include "buf.h"
#include "call.h"
#include "clock.h"
#include "errors.h"
#include "json_value.h"

#define KIND "resolve" /* of registry entries */

void fer_key_hex(const unsigned char scope[FER_IDEM_HASH], char out[FER_KEY_HEX + 1])
{
    fer_trace_hex(scope, FER_IDEM_HASH, out);
}

fer_code fer_word_put(fer_store_port *p, const unsigned char scope[FER_IDEM_HASH], bool was_done,
                      fer_str result, fer_store_done *done, void *context, fer_err *err)
{
    char key[FER_KEY_HEX + 1];
    fer_buf b;
    fer_arena *a = fer_arena_new(0);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_key_hex(scope, key);
    fer_buf_init(&b, a, FER_STORE_RESULT);
    fer_buf_printf(&b, "{\"done\":%s,\"saidMs\":%lld", was_done ? "true" : "false",
                   (long long)fer_clock_wall());
    if (was_done) {
        fer_buf_add_text(&b, ",\"result\":");
        fer_buf_add(&b, result);
    }
    fer_buf_add_char(&b, '}');
    fer_code code = fer_buf_code(&b, err);
    if (!code)
        code = fer_registry_put(p, KIND, fer_str_of(key), fer_buf_view(&b), done, context, err);
    fer_arena_free(a);
    return code;
}

fer_code fer_word_get(fer_store_port *p, const unsigned char scope[FER_IDEM_HASH],
                      fer_store_done *done, void *context, fer_err *err)
{
    char key[FER_KEY_HEX + 1];
    fer_key_hex(scope, key);
    return fer_registry_get(p, KIND, fer_str_of(key), done, context, err);
}

/* ---- applying: list -> read -> look at the key -> ledger -> key -> remove, and the next --------
 */

static void next(fer_words *w);

static void stop(fer_words *w, fer_code code)
{
    w->busy = false;
    w->failure = code;
}

static void on_removed(void *context, const fer_store_answer *a)
{
    fer_words *w = context;
    if (a->code) stop(w, a->code);
    else next(w);
}

/* The word has had its effect, or has none. */
static void drop(fer_words *w)
{
    fer_code code = fer_registry_remove(w->store, KIND, w->key, on_removed, w, NULL);
    if (code) stop(w, code);
}

static void on_resolved(void *context, const fer_store_answer *a)
{
    fer_words *w = context;
    if (a->code && a->code != FER_CONSTRAINT_VIOLATION) {
        stop(w, a->code);
        return;
    }
    w->applied += !a->code;
    drop(w);
}

static void on_recorded(void *context, fer_code code, uint64_t seq)
{
    fer_words *w = context;
    (void)seq;
    if (!code)
        code = fer_idem_resolve(w->store, w->scope, w->was_done, w->result,
                                fer_clock_wall() + w->ttl_ms, on_resolved, w, NULL);
    if (code) stop(w, code);
}

/* The ledger has the word before the key has it. */
static fer_code record(fer_words *w, const fer_idem_record *r)
{
    fer_buf b;
    fer_buf_init(&b, w->arena, FER_LEDGER_BODY);
    fer_buf_add_text(&b, "{\"what\":\"idempotencyKey\",\"callId\":");
    fer_buf_add_quoted(&b, r->call);
    if (r->tool.len) {
        fer_buf_add_text(&b, ",\"tool\":");
        fer_buf_add_quoted(&b, r->tool);
    }
    fer_buf_printf(&b, ",\"key\":\"%.*s\",\"as\":\"%s\"}", FER_PRI(w->key),
                   w->was_done ? "done" : "not-done");
    fer_code code = fer_buf_code(&b, NULL);
    fer_ledger_record line = {FER_LEDGER_APPROVAL, r->tenant, fer_buf_view(&b)};
    return code ? code : fer_ledger_append(w->ledger, &line, on_recorded, w, NULL);
}

static void on_key(void *context, const fer_store_answer *a)
{
    fer_words *w = context;
    fer_code code = a->code;
    if (code) {
        stop(w, code);
        return;
    }
    if (a->found.state != FER_IDEM_UNKNOWN) {
        drop(w);
        return;
    }
    fer_str call = fer_arena_copy(w->arena, a->found.call), given = w->result;
    code = call.ptr ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code && w->was_done) code = fer_stored_result(w->arena, call, given, &w->result, NULL);
    if (!code) code = record(w, &a->found);
    if (code) stop(w, code);
}

static fer_code read_word(fer_words *w, fer_str value)
{
    fer_json *doc;
    fer_str text = fer_arena_copy(w->arena, value);
    if (!text.ptr) return FER_OUT_OF_MEMORY;
    fer_code code = fer_json_read(w->arena, text, fer_json_limits_file(), &doc, NULL);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *result = fer_is_obj(root) ? fer_val_get(root, "result") : NULL;
    w->was_done = fer_is_obj(root) && fer_is_true(fer_val_get(root, "done")) && result;
    w->result = FER_STR("");
    return w->was_done ? fer_json_write(w->arena, result, false, &w->result, NULL) : FER_OK;
}

static void on_word(void *context, const fer_store_answer *a)
{
    fer_words *w = context;
    fer_code code = a->code;
    if (code == FER_INTEGRITY_BROKEN || (!code && !a->value.ptr)) {
        drop(w); /* it was not said by whoever has the seal's key */
        return;
    }
    if (!code) code = read_word(w, a->value);
    if (!code) code = fer_idem_get(w->store, w->scope, fer_clock_wall(), on_key, w, NULL);
    if (code) stop(w, code);
}

static bool read_hex(fer_str hex, unsigned char out[FER_IDEM_HASH])
{
    if (hex.len != FER_KEY_HEX) return false;
    for (size_t i = 0; i < FER_KEY_HEX; i++) {
        char c = hex.ptr[i];
        int digit = fer_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) return false;
        out[i / 2] = (unsigned char)(i % 2 ? out[i / 2] | digit : digit << 4);
    }
    return true;
}

static void on_list(void *context, const fer_store_answer *a)
{
    fer_words *w = context;
    if (a->code || !a->item_count) {
        stop(w, a->code);
        return;
    }
    w->key = fer_arena_copy(w->arena, a->items[0].key);
    if (!w->key.ptr) stop(w, FER_OUT_OF_MEMORY);
    else if (!read_hex(w->key, w->scope)) drop(w);
    else {
        fer_code code = fer_registry_get(w->store, KIND, w->key, on_word, w, NULL);
        if (code) stop(w, code);
    }
}

/* One word at a time: there are few, and each is gone before the next is looked for. */
static void next(fer_words *w)
{
    fer_arena_reset(w->arena);
    fer_code code = fer_registry_list(w->store, KIND, FER_STR(""), 1, on_list, w, NULL);
    if (code) stop(w, code);
}

void fer_words_look(fer_words *w)
{
    if (w->busy) return;
    if (!w->arena) w->arena = fer_arena_new(0);
    w->failure = w->arena ? FER_OK : FER_OUT_OF_MEMORY;
    if (!w->arena) return;
    w->busy = true;
    next(w);
}

void fer_words_deinit(fer_words *w)
{
    fer_arena_free(w->arena);
    w->arena = NULL;
}
