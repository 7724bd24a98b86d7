/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include <errno.h>
#include <stdio.h>

#include "errors.h"
#include "file.h"
#include "ledger_facts.h"
#include "ledger_limits.h"
#include "ledger_parts.h"
#include "sys.h"

const char *const fer_durability_names[] = {"group", "sync", "async", NULL};

void fer_ledger_break(fer_ledger *l, const char *format, ...)
{
    va_list args;
    if (l->state == FER_LEDGER_BROKEN) return;
    va_start(args, format);
    fer_format_text(l->trouble, sizeof l->trouble, format, args);
    va_end(args);
    l->state = FER_LEDGER_BROKEN;
}

fer_ledger_state fer_ledger_state_of(const fer_ledger *l)
{
    return (fer_ledger_state)l->state;
}

const char *fer_ledger_trouble(const fer_ledger *l)
{
    if (l->state == FER_LEDGER_FULL) return "there is no space left for the ledger";
    return l->trouble;
}

void fer_ledger_let_go(fer_ledger *l)
{
    l->letting_go = true;
}

size_t fer_ledger_waiting(const fer_ledger *l)
{
    return l->waiting;
}

void fer_ledger_entry_push(fer_ledger_entry_list *list, fer_ledger_entry *e)
{
    e->next = NULL;
    if (!list->first) list->last = &list->first;
    *list->last = e;
    list->last = &e->next;
}

/* ---- open and close -----------------------------------------------------------------------------
 */

/* The ID of this boot, or one that stands for it. */
static bool find_boot(fer_ledger *l)
{
    char text[64];
    unsigned char bytes[FER_LINE_BOOT / 2];
    fer_arena *a = fer_arena_new(8192);
    fer_str s = FER_STR_NONE;
    bool ok = a && fer_file_read(a, "/proc/sys/kernel/random/boot_id", 4096, &s, NULL) == FER_OK &&
              s.len >= FER_LINE_BOOT && fer_str_is_plain(fer_str_slice(s, 0, FER_LINE_BOOT));
    if (ok) {
        memcpy(l->boot, s.ptr, FER_LINE_BOOT);
    } else if (fer_sys_random(bytes, sizeof bytes) == 0) {
        fer_digest_hex(text, bytes, sizeof bytes);
        memcpy(l->boot, text, FER_LINE_BOOT);
        ok = true;
    }
    fer_arena_free(a);
    return ok;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fer_sys_malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

static void destroy(fer_ledger *l)
{
    if (l->fd >= 0) fer_sys_close(l->fd);
    if (l->lock_fd >= 0) fer_sys_close(l->lock_fd);
    if (l->folder >= 0) fer_sys_close(l->folder);
    fer_sign_key_free(l->key);
    fer_hash_chain_deinit(&l->chain);
    fer_call_table_deinit(&l->calls);
    fer_sys_free(l->memory);
    fer_sys_free(l->anchor);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->wake);
    pthread_cond_destroy(&l->pruned);
    fer_sys_free(l);
}

static void init_locks(fer_ledger *l)
{
    pthread_condattr_t monotonic;
    pthread_mutex_init(&l->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&l->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_cond_init(&l->pruned, NULL);
}

static char *next_block(char *at)
{
    return at + (FER_LEDGER_BLOCK - (uintptr_t)at % FER_LEDGER_BLOCK);
}

static fer_code prepare(fer_ledger *l, const fer_ledger_options *o, fer_err *err)
{
    fer_code code = fer_ledger_options_fill(o, &l->options, err);
    if (code) return code;
    size_t batch = FER_BATCH_BYTES + 2 * FER_LINE_MAX + 2 * FER_LEDGER_BLOCK;
    l->memory = fer_sys_malloc_zero(batch + FER_LEDGER_ZEROS + 2 * FER_LEDGER_BLOCK);
    if (l->memory) {
        l->bytes = next_block(l->memory);
        l->zeros = next_block(l->bytes + batch);
    }
    if (o->anchor) l->anchor = copy_text(o->anchor);
    if (!l->memory || (o->anchor && !l->anchor) || !fer_hash_chain_init(&l->chain))
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!fer_call_table_init(&l->calls) || !find_boot(l))
        return fer_fail(err, FER_IO_ERROR, "the system gives no memory or no random bytes");
    code = fer_folder_open(o->folder, true, &l->folder, err);
    if (!code) code = fer_folder_lock(l->folder, &l->lock_fd, err);
    return code ? code : fer_folder_key(l->folder, o->key, true, &l->key, err);
}

fer_code fer_ledger_open(const fer_ledger_options *o, fer_ledger **out,
                         fer_ledger_recovery *out_recovery, fer_err *err)
{
    fer_ledger *l = fer_sys_malloc(sizeof *l);
    if (!l) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(l, 0, sizeof *l);
    l->fd = l->folder = l->lock_fd = -1;
    init_locks(l);
    fer_code code = prepare(l, o, err);
    if (!code) code = fer_ledger_recover(l, out_recovery, err);
    if (!code) {
        l->checkpoint_at = l->synced_at = l->mono / 1000000;
        l->running = pthread_create(&l->thread, NULL, fer_writer_run, l) == 0;
        if (!l->running) code = fer_fail(err, FER_IO_ERROR, "cannot start the ledger's thread");
    }
    if (code) destroy(l);
    else *out = l;
    return code;
}

fer_code fer_ledger_close(fer_ledger *l, fer_err *err)
{
    pthread_mutex_lock(&l->lock);
    l->stop = true;
    pthread_cond_signal(&l->wake);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    fer_code code = l->state == FER_LEDGER_OK
                        ? FER_OK
                        : fer_fail(err, FER_LEDGER_UNAVAILABLE,
                                   "the ledger could not be closed: %s", fer_ledger_trouble(l));
    destroy(l);
    return code;
}

fer_code fer_ledger_prune(fer_ledger *l, int64_t before_ms, fer_ledger_pruned *out, fer_err *err)
{
    pthread_mutex_lock(&l->lock);
    while (l->prune.asked) pthread_cond_wait(&l->pruned, &l->lock);
    l->prune.asked = true;
    l->prune.answered = false;
    l->prune.before = before_ms;
    pthread_cond_signal(&l->wake);
    while (!l->prune.answered) pthread_cond_wait(&l->pruned, &l->lock);
    fer_code code = l->prune.code;
    if (!code) *out = l->prune.result;
    else if (err) *err = l->prune.err;
    l->prune.asked = false;
    pthread_cond_broadcast(&l->pruned);
    pthread_mutex_unlock(&l->lock);
    return code;
}

/* ---- ports --------------------------------------------------------------------------------------
 */

static fer_ledger_entry *new_entry(fer_ledger_port *p, size_t text)
{
    fer_ledger_entry *e = text <= FER_ENTRY_KEPT ? p->spare : NULL;
    if (e) {
        p->spare = e->next;
        return e;
    }
    bool keep = text <= FER_ENTRY_KEPT && p->kept < FER_ENTRIES_KEPT;
    e = fer_sys_malloc(sizeof *e + (keep ? FER_ENTRY_KEPT : text));
    if (!e) return NULL;
    e->keep = keep;
    p->kept += keep;
    return e;
}

static void free_entry(fer_ledger_port *p, fer_ledger_entry *e)
{
    if (!e->keep) {
        fer_sys_free(e);
        return;
    }
    e->next = p->spare;
    p->spare = e;
}

/* Tells who appended, and frees the entry before: who is told may give the port back, or append.
 * See outlet.h. */
static void tell(fer_outlet_item *item, bool gone)
{
    fer_ledger_entry *e = (fer_ledger_entry *)(void *)item;
    fer_ledger_done *done = e->done;
    void *context = e->context;
    fer_code code = e->code;
    uint64_t seq = e->seq;
    if (gone) {
        fer_sys_free(e);
        return;
    }
    free_entry(e->port, e);
    if (done) done(context, code, seq);
}

static void wake_writer(uv_prepare_t *turn_end)
{
    fer_ledger_port *p = turn_end->data;
    uv_prepare_stop(turn_end);
    /* Without the lock, which the writer takes first: what it waits for changed under it before. */
    pthread_cond_signal(&p->ledger->wake);
}

fer_code fer_ledger_attach(fer_ledger *l, uv_loop_t *loop, fer_ledger_port **out, fer_err *err)
{
    fer_ledger_port *p = fer_sys_malloc(sizeof *p);
    if (!p) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *p = (fer_ledger_port){.ledger = l, .scratch = fer_arena_new(0)};
    fer_code code = p->scratch ? fer_outlet_new(loop, &p->outlet, err)
                               : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) {
        uv_prepare_init(loop, &p->turn_end);
        p->turn_end.data = p;
        uv_unref((uv_handle_t *)&p->turn_end);
        *out = p;
        return FER_OK;
    }
    fer_arena_free(p->scratch);
    fer_sys_free(p);
    return code;
}

static void free_port(uv_handle_t *turn_end)
{
    fer_sys_free(turn_end->data);
}

void fer_ledger_detach(fer_ledger_port *p)
{
    if (!p) return;
    if (uv_is_active((uv_handle_t *)&p->turn_end)) wake_writer(&p->turn_end);
    fer_outlet_close(p->outlet);
    for (fer_ledger_entry *e = p->spare, *next; e; e = next) {
        next = e->next;
        fer_sys_free(e);
    }
    fer_arena_free(p->scratch);
    uv_close((uv_handle_t *)&p->turn_end, free_port);
}

/* ---- appending ----------------------------------------------------------------------------------
 */

static bool has_call(fer_ledger_type type)
{
    return type >= FER_LEDGER_BEGIN && type <= FER_LEDGER_LATE;
}

static bool is_own(fer_ledger_type type)
{
    return type == FER_LEDGER_OPEN_TYPE || type >= FER_LEDGER_CLOCK_JUMP;
}

static fer_code missing(fer_err *err, const char *member)
{
    return fer_fail(err, FER_REQUIRED_MISSING, "the body of this record needs '%s'", member);
}

/* What the record must say of its call. */
static fer_code check_facts(const fer_ledger_record *r, const fer_facts *f, fer_err *err)
{
    if (has_call(r->type) && !f->call.len) return missing(err, "callId");
    if (r->type == FER_LEDGER_BEGIN && !f->effect.len) return missing(err, "effect");
    if (r->type == FER_LEDGER_END && !f->status.len) return missing(err, "status");
    if (f->call.len > (size_t)6 * FER_LEDGER_CALL)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "ledger.call: the ID has more than %d bytes",
                        FER_LEDGER_CALL);
    return FER_OK;
}

/* The tenant's name as it will be written: mostly as it is. */
static fer_code check_tenant(fer_str *tenant, char *to, size_t size, fer_err *err)
{
    size_t len;
    if (tenant->len == 0 || tenant->len > FER_LEDGER_TENANT)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "ledger.tenant: a name has 1 to %d bytes",
                        FER_LEDGER_TENANT);
    if (fer_str_is_plain(*tenant)) return FER_OK;
    if (!fer_line_escape(*tenant, to, size, &len))
        return fer_fail(err, FER_INVALID_FORMAT, "the tenant's name is not UTF-8");
    *tenant = (fer_str){to, len};
    return FER_OK;
}

/* The body as it will be written, and what it says. Writers put keys in order, so it mostly is so
 * already: then it is only looked through, 1,500 instructions instead of 8,000. */
static fer_code read_body(fer_ledger_port *p, const fer_ledger_record *r, fer_str *body,
                          fer_facts *facts, fer_err *err)
{
    const yyjson_val *root = NULL;
    if (r->known && r->body.len <= FER_LEDGER_BODY) {
        *body = r->body;
        *facts = (fer_facts){
            .call = r->known->call, .effect = r->known->effect, .status = r->known->status};
        return FER_OK;
    }
    if (r->body.len <= FER_LEDGER_BODY && fer_facts_scan(r->body, facts)) {
        *body = r->body;
        if (!has_call(r->type)) *facts = (fer_facts){0};
        return FER_OK;
    }
    fer_code code = fer_line_body(p->scratch, r->body, body, &root, err);
    return !code && has_call(r->type) ? fer_facts_of(p->scratch, root, facts, err) : code;
}

/* The entry of a record, its texts as they will be written. */
static fer_code make_entry(fer_ledger_port *p, const fer_ledger_record *r, fer_ledger_entry **out,
                           fer_facts *facts, fer_err *err)
{
    char escaped[6 * FER_LEDGER_TENANT];
    fer_str body = FER_STR_NONE, tenant = r->tenant;
    if (is_own(r->type))
        return fer_fail(err, FER_BAD_USAGE, "records of this type are the ledger's own");
    fer_code code = check_tenant(&tenant, escaped, sizeof escaped, err);
    if (!code) code = read_body(p, r, &body, facts, err);
    if (!code) code = check_facts(r, facts, err);
    if (code) return code;
    fer_ledger_entry *e = new_entry(p, tenant.len + body.len);
    if (!e) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *e = (fer_ledger_entry){.type = r->type,
                            .port = p,
                            .tenant_len = (uint32_t)tenant.len,
                            .body_len = (uint32_t)body.len,
                            .keep = e->keep};
    memcpy(e->text, tenant.ptr, tenant.len);
    memcpy(e->text + tenant.len, body.ptr, body.len);
    *out = e;
    return FER_OK;
}

/* Calls whose ends have their space in one segment, with as much left for everything else. */
static size_t calls_max(const fer_ledger *l)
{
    return l->options.segment_bytes / 2 / l->options.end_bytes;
}

/* The open call of a begin (made) or an end (marked); under the lock. */
static fer_code take_call(fer_ledger *l, fer_ledger_entry *e, const fer_facts *f, fer_err *err)
{
    fer_open_call *c = fer_call_table_find(&l->calls, fer_ledger_entry_tenant(e), f->call);
    if (e->type == FER_LEDGER_END) {
        if (!c || c->ended)
            return fer_fail(err, FER_CONSTRAINT_VIOLATION, "an end of a call that is not open");
        c->ended = true;
        e->call = c;
        return FER_OK;
    }
    if (c) return fer_fail(err, FER_CONSTRAINT_VIOLATION, "a second begin of a call that is open");
    if (l->calls.count >= calls_max(l))
        return fer_fail(err, FER_LEDGER_UNAVAILABLE,
                        "more calls are open than the ledger has space for");
    c = fer_call_table_add(&l->calls, fer_ledger_entry_tenant(e), f->call);
    if (!c) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    c->pure = fer_str_is(f->effect, "Pure");
    e->call = c;
    return FER_OK;
}

/* Puts an entry into the queue; under the lock. `*wake`: the writer waits for it. */
static fer_code enqueue(fer_ledger *l, fer_ledger_entry *e, const fer_facts *f, bool *wake,
                        fer_err *err)
{
    bool end = e->type == FER_LEDGER_END;
    size_t size = sizeof *e + e->tenant_len + e->body_len;
    if (l->state == FER_LEDGER_BROKEN || (l->state == FER_LEDGER_FULL && !end))
        return fer_fail(err, FER_LEDGER_UNAVAILABLE, "the ledger cannot be written: %s",
                        fer_ledger_trouble(l));
    if (!end && l->waiting + size > l->options.queue_bytes)
        return fer_fail(err, FER_LEDGER_UNAVAILABLE,
                        "ledger.queue: more than %zu bytes wait to be written",
                        l->options.queue_bytes);
    fer_code code = end || e->type == FER_LEDGER_BEGIN ? take_call(l, e, f, err) : FER_OK;
    if (code) return code;
    bool was_empty = !l->queue.first;
    fer_ledger_entry_push(&l->queue, e);
    l->waiting += size;
    if (e->done) l->waiters++;
    bool enough = e->done && (l->waiters == 1 || l->waiters == l->expected);
    /* Another port's turn may not end before this one's. */
    bool other = l->waker && l->waker != e->port;
    *wake = was_empty || enough || other || l->waiting >= l->options.flush_bytes;
    if (*wake) l->waker = e->port;
    return FER_OK;
}

/* Under the lock. */
static bool is_pressed(const fer_ledger *l)
{
    return l->state == FER_LEDGER_OK &&
           (l->calls.count > calls_max(l) / 2 || l->waiting > l->options.queue_bytes / 2);
}

bool fer_ledger_pressed(const fer_ledger_port *p)
{
    return p->pressed;
}

fer_code fer_ledger_append(fer_ledger_port *p, const fer_ledger_record *r, fer_ledger_done *done,
                           void *context, fer_err *err)
{
    fer_ledger *l = p->ledger;
    fer_ledger_entry *e = NULL;
    fer_facts facts = {0};
    fer_arena_reset(p->scratch);
    fer_code code = make_entry(p, r, &e, &facts, err);
    if (code) return code;
    e->done = done;
    e->context = context;
    e->outlet = p->outlet;
    e->item.tell = tell;
    fer_outlet_expect(p->outlet);
    bool wake = false;
    pthread_mutex_lock(&l->lock);
    code = enqueue(l, e, &facts, &wake, err);
    p->pressed = is_pressed(l);
    pthread_mutex_unlock(&l->lock);
    if (wake) uv_prepare_start(&p->turn_end, wake_writer);
    if (!code) return FER_OK;
    fer_outlet_forget(p->outlet);
    free_entry(p, e);
    return code;
}
