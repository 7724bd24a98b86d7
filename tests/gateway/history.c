/* SPDX-License-Identifier: Apache-2.0 */
#include "history.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"
#include "json_value.h"
#include "ledger_folder.h"
#include "ledger_line.h"
#include "ledger_verify.h"
#include "secret_forms.h"

/* ---- what there is ------------------------------------------------------------------------------
 */

struct history *history_new(void)
{
    struct history *h = calloc(1, sizeof *h);
    if (!h) abort();
    return h;
}

void history_free(struct history *h)
{
    free(h->asked);
    free(h->told);
    free(h->did);
    free(h->noted);
    free(h->kept);
    free(h);
}

/* Room for one more behind `count`. */
static void *grow(void *list, size_t count, size_t size)
{
    if (count & (count - 1)) return list; /* not a power of two: there is room */
    void *more = realloc(list, (count ? 2 * count : 1) * size);
    if (!more) abort();
    return more;
}

#define ADD(h, list, item)                                                                         \
    do {                                                                                           \
        (h)->list = grow((h)->list, (h)->list##_count, sizeof *(h)->list);                         \
        (h)->list[(h)->list##_count++] = *(item);                                                  \
    } while (0)

static struct asked *find_asked(const struct history *h, const char *n)
{
    for (size_t i = 0; i < h->asked_count; i++)
        if (strcmp(h->asked[i].n, n) == 0) return &h->asked[i];
    return NULL;
}

struct asked *history_asked(struct history *h, const char *n)
{
    struct asked *a = find_asked(h, n), fresh = {0};
    if (a) return a;
    snprintf(fresh.n, sizeof fresh.n, "%s", n);
    ADD(h, asked, &fresh);
    return &h->asked[h->asked_count - 1];
}

void history_add_told(struct history *h, const struct told *t)
{
    ADD(h, told, t);
}
void history_add_did(struct history *h, const struct did *d)
{
    ADD(h, did, d);
}
void history_add_noted(struct history *h, const struct noted *n)
{
    ADD(h, noted, n);
}
void history_add_kept(struct history *h, const struct kept *k)
{
    ADD(h, kept, k);
}

/* ---- reading ------------------------------------------------------------------------------------
 */

static void text_of(const yyjson_val *object, const char *key, char *out, size_t size)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    if (fer_is_str(v)) snprintf(out, size, "%.*s", FER_PRI(fer_val_str(v)));
    else out[0] = '\0';
}

void history_read_result(struct told *t, fer_str json)
{
    fer_json *doc;
    fer_arena *a = fer_arena_new(0);
    if (a && json.len && !fer_json_read(a, json, NULL, &doc, NULL)) {
        text_of(fer_json_root(doc), "n", t->got, sizeof t->got);
        text_of(fer_json_root(doc), "who", t->whose, sizeof t->whose);
        text_of(fer_json_root(doc), "mark", t->mark, sizeof t->mark);
    }
    fer_arena_free(a);
}

static char *bytes_of(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    *size = 0;
    if (!f) return NULL;
    struct stat st;
    char *bytes = fstat(fileno(f), &st) == 0 ? malloc((size_t)st.st_size + 1) : NULL;
    if (bytes) {
        *size = fread(bytes, 1, (size_t)st.st_size, f);
        bytes[*size] = '\0';
    }
    fclose(f);
    return bytes;
}

static void load_effects(struct history *h, const char *path)
{
    size_t size;
    char *bytes = bytes_of(path, &size), *rest = NULL;
    for (char *line = bytes ? strtok_r(bytes, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        struct did d = {0};
        if (sscanf(line, "%23s %23s", d.n, d.mark) == 2) history_add_did(h, &d);
    }
    free(bytes);
}

static void load_line(struct history *h, const fer_line *l)
{
    struct noted r = {.type = l->type, .seq = l->seq};
    fer_json *doc;
    fer_arena *a = fer_arena_new(0);
    if (!a || fer_json_read(a, l->body, NULL, &doc, NULL)) abort();
    const yyjson_val *body = fer_json_root(doc);
    snprintf(r.tenant, sizeof r.tenant, "%.*s", FER_PRI(l->tenant));
    text_of(body, "callId", r.call, sizeof r.call);
    text_of(body, "status", r.status, sizeof r.status);
    text_of(fer_val_get(body, "input"), "n", r.n, sizeof r.n);
    text_of(fer_val_get(body, "output"), "mark", r.mark, sizeof r.mark);
    fer_arena_free(a);
    history_add_noted(h, &r);
}

static void load_segment(struct history *h, const char *path)
{
    size_t size;
    char *bytes = bytes_of(path, &size);
    const char *at = bytes, *end = bytes + size, *feed;
    while (at && at < end && (feed = memchr(at, '\n', (size_t)(end - at)))) {
        fer_line l;
        if (fer_line_read((fer_str){at, (size_t)(feed - at)}, &l)) load_line(h, &l);
        at = feed + 1;
    }
    free(bytes);
}

static void load_ledger(struct history *h, const char *folder)
{
    fer_segment_list list;
    fer_verify_report report = {0};
    fer_verify_options v = {.folder = folder};
    fer_err err;
    int fd;
    fer_arena *a = fer_arena_new(0);
    if (!a || fer_folder_open(folder, false, &fd, NULL)) {
        fer_arena_free(a);
        return;
    }
    if (fer_folder_list(a, fd, &list, NULL)) abort();
    for (size_t i = 0; i < list.count; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, list.list[i].name);
        load_segment(h, path);
    }
    close(fd);
    if (fer_ledger_verify(a, &v, &report, &err)) h->flaws++;
    h->flaws += report.flaw_count;
    h->open += (size_t)report.open_calls;
    for (size_t i = 0; i < report.told && !h->quiet; i++)
        printf("# %s at %llu: %.*s\n", fer_flaw_names[report.flaws[i].kind],
               (unsigned long long)report.flaws[i].seq, FER_PRI(report.flaws[i].message));
    fer_arena_free(a);
}

static void load_keys(struct history *h, const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, "unix") == SQLITE_OK &&
        sqlite3_prepare_v2(db, "SELECT call, state FROM idem", -1, &s, NULL) == SQLITE_OK) {
        while (sqlite3_step(s) == SQLITE_ROW) {
            struct kept k = {.state = (fer_idem_state)sqlite3_column_int(s, 1)};
            snprintf(k.call, sizeof k.call, "%.*s", sqlite3_column_bytes(s, 0),
                     (const char *)sqlite3_column_blob(s, 0));
            history_add_kept(h, &k);
        }
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
}

void history_load(struct history *h, const char *effects, const char *ledger, const char *store)
{
    if (effects) load_effects(h, effects);
    load_ledger(h, ledger);
    load_keys(h, store);
}

static bool has_secret(const char *path, const fer_str *forms, size_t count)
{
    size_t size;
    char *bytes = bytes_of(path, &size);
    bool found = false;
    for (size_t i = 0; bytes && i < count && !found; i++)
        found = memmem(bytes, size, forms[i].ptr, forms[i].len) != NULL;
    free(bytes);
    return found;
}

static void scan_folder(struct history *h, const char *folder, const fer_str *forms, size_t count)
{
    DIR *dir = opendir(folder);
    const struct dirent *e;
    while (dir && (e = readdir(dir))) {
        char path[512];
        struct stat st;
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (stat(path, &st) != 0) continue;
        if (S_ISDIR(st.st_mode)) scan_folder(h, path, forms, count);
        else h->secrets += has_secret(path, forms, count);
    }
    if (dir) closedir(dir);
}

void history_scan(struct history *h, const char *folder, const char *const *secrets, size_t count)
{
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; i < count; i++) {
        fer_str forms[FER_SECRET_FORMS];
        size_t found;
        if (!a || !fer_secret_forms(a, fer_str_of(secrets[i]), forms, &found)) abort();
        scan_folder(h, folder, forms, found);
    }
    fer_arena_free(a);
}

struct footing footing_now(void)
{
    struct footing f = {.allocations = fer_faults_live()};
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir)) f.descriptors++;
    if (dir) closedir(dir);
    FILE *children = fopen("/proc/thread-self/children", "r");
    for (int c; children && (c = fgetc(children)) != EOF;) f.children += c == ' ';
    if (children) fclose(children);
    return f;
}

/* ---- judging ------------------------------------------------------------------------------------
 */

struct verdict {
    const struct history *h;
    size_t *found;
};

static void complain(const struct verdict *v, unsigned invariant, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void complain(const struct verdict *v, unsigned invariant, const char *format, ...)
{
    va_list args;
    if (v->found[invariant]++ || v->h->quiet) return;
    va_start(args, format);
    printf("# I%u: ", invariant);
    vprintf(format, args); // NOLINT(clang-analyzer-valist.Uninitialized)
    printf("\n");
    va_end(args);
}

static size_t effects_of(const struct history *h, const char *n)
{
    size_t count = 0;
    for (size_t i = 0; i < h->did_count; i++) count += strcmp(h->did[i].n, n) == 0;
    return count;
}

/* The next record of a type about a call's ID, from `*at` on; NULL: there is none. */
static const struct noted *next_of(const struct history *h, fer_ledger_type type, const char *call,
                                   size_t *at)
{
    for (; *at < h->noted_count; ++*at)
        if (h->noted[*at].type == type && strcmp(h->noted[*at].call, call) == 0)
            return &h->noted[(*at)++];
    return NULL;
}

static const struct noted *only_of(const struct history *h, fer_ledger_type type, const char *call,
                                   size_t *count)
{
    const struct noted *first = NULL, *r;
    *count = 0;
    for (size_t at = 0; (r = next_of(h, type, call, &at));) {
        if (!first) first = r;
        ++*count;
    }
    return first;
}

static void judge_record(const struct verdict *v, const struct noted *r)
{
    const struct history *h = v->h;
    size_t begins, ends;
    const struct noted *begin = only_of(h, FER_LEDGER_BEGIN, r->call, &begins);
    const struct noted *end = only_of(h, FER_LEDGER_END, r->call, &ends);
    if (begins != 1) complain(v, 1, "%s has %zu begins", r->call, begins);
    if (ends > 1) complain(v, 1, "%s has %zu ends", r->call, ends);
    if (begin && end && end->seq <= begin->seq) complain(v, 1, "%s ends before it begins", r->call);
    if (h->recovered && !ends) complain(v, 1, "%s has no end", r->call);
    const struct asked *a = begin ? find_asked(h, begin->n) : NULL;
    if (a && strcmp(r->tenant, a->tenant) != 0)
        complain(v, 5, "%s of %s is recorded as that of %s", a->n, a->tenant, r->tenant);
}

/* The end of a call of that name that bears out what was told. */
static bool is_borne_out(const struct history *h, const struct told *t)
{
    for (size_t i = 0; i < h->noted_count; i++) {
        size_t count;
        const struct noted *b = &h->noted[i];
        if (b->type != FER_LEDGER_BEGIN || strcmp(b->n, t->n) != 0) continue;
        const struct noted *e = only_of(h, FER_LEDGER_END, b->call, &count);
        if (!e) continue;
        bool ok = strcmp(e->status, "Ok") == 0, unknown = strcmp(e->status, "Unknown") == 0;
        if (t->said == SAID_OK && ok && strcmp(e->mark, t->mark) == 0) return true;
        if (t->said == SAID_NO && !ok && !unknown) return true;
        if (t->said == SAID_UNKNOWN && unknown) return true;
    }
    return false;
}

static fer_idem_state key_of(const struct history *h, const char *n)
{
    for (size_t i = 0; i < h->noted_count; i++) {
        if (h->noted[i].type != FER_LEDGER_BEGIN || strcmp(h->noted[i].n, n) != 0) continue;
        for (size_t k = 0; k < h->kept_count; k++)
            if (strcmp(h->kept[k].call, h->noted[i].call) == 0) return h->kept[k].state;
    }
    return FER_IDEM_NONE;
}

static void judge_told(const struct verdict *v, const struct told *t)
{
    const struct history *h = v->h;
    const struct asked *a = find_asked(h, t->n);
    if (!a) {
        complain(v, 5, "somebody was told about %s, which nobody asked for", t->n);
        return;
    }
    size_t effects = effects_of(h, t->n);
    if (t->took_ms > a->deadline_ms + h->slack_ms)
        complain(v, 8, "%s took %lld of %lld ms", t->n, (long long)t->took_ms,
                 (long long)a->deadline_ms);
    if (t->said == SAID_OK && (strcmp(t->got, t->n) != 0 || strcmp(t->whose, a->tenant) != 0))
        complain(v, 5, "%s of %s was given %s of %s", t->n, a->tenant, t->got, t->whose);
    if (a->effect == FER_EFFECT_PURE) return;
    if (t->said == SAID_OK && !effects) complain(v, 2, "%s was told as done, and was not", t->n);
    if (t->said == SAID_NO && t->code == FER_TOOL_FAILED && effects)
        complain(v, 2, "the tool said no to %s, and did it", t->n);
    bool asked_the_tool = t->said != SAID_REFUSED && (t->attempts || t->said == SAID_OK);
    if (asked_the_tool && !is_borne_out(h, t))
        complain(v, 3, "the ledger does not have what was told about %s (%d)", t->n, t->said);
    if (t->said == SAID_OK && a->keyed && key_of(h, t->n) != FER_IDEM_DONE)
        complain(v, 3, "%s was told, and its key is not done", t->n);
}

/* All that was told about one call. */
static void judge_tellings(const struct verdict *v, const struct asked *a)
{
    const struct told *first = NULL;
    size_t count = 0, not_done = 0;
    for (size_t i = 0; i < v->h->told_count; i++) {
        const struct told *t = &v->h->told[i];
        if (strcmp(t->n, a->n) != 0) continue;
        count++;
        not_done += t->said == SAID_REFUSED || t->said == SAID_NO;
        if (t->said != SAID_OK) continue;
        if (first && a->keyed && strcmp(first->mark, t->mark) != 0)
            complain(v, 3, "%s had the results %s and %s", a->n, first->mark, t->mark);
        first = t;
    }
    if (count < a->times && v->h->recovered && a->keyed && !count)
        complain(v, 8, "%s was asked %u times and never answered", a->n, a->times);
    if (not_done == count && count == a->times && effects_of(v->h, a->n))
        complain(v, 2, "%s was never told as done, and was", a->n);
}

static void judge_asked(const struct verdict *v, const struct asked *a)
{
    size_t effects = effects_of(v->h, a->n);
    if (a->effect == FER_EFFECT_PURE) return;
    if (effects > 1) complain(v, 2, "%s happened %zu times", a->n, effects);
    if (effects && a->keyed && key_of(v->h, a->n) == FER_IDEM_NONE)
        complain(v, 3, "%s happened, and its key is not kept", a->n);
    bool begun = false;
    for (size_t i = 0; i < v->h->noted_count && !begun; i++)
        begun = v->h->noted[i].type == FER_LEDGER_BEGIN && strcmp(v->h->noted[i].n, a->n) == 0;
    if (effects && !begun) complain(v, 1, "%s happened, and the ledger has no begin", a->n);
    judge_tellings(v, a);
}

static void judge_footing(const struct verdict *v)
{
    const struct footing *b = &v->h->before, *a = &v->h->after;
    if (a->descriptors != b->descriptors || a->children != b->children ||
        a->allocations != b->allocations)
        complain(v, 7, "descriptors %zu -> %zu, children %zu -> %zu, allocations %lld -> %lld",
                 b->descriptors, a->descriptors, b->children, a->children,
                 (long long)b->allocations, (long long)a->allocations);
}

size_t history_judge(const struct history *h, size_t found[INVARIANTS])
{
    struct verdict v = {h, found};
    size_t all = 0;
    memset(found, 0, INVARIANTS * sizeof *found);
    for (size_t i = 0; i < h->noted_count; i++)
        if (h->noted[i].type == FER_LEDGER_BEGIN || h->noted[i].type == FER_LEDGER_END)
            judge_record(&v, &h->noted[i]);
    for (size_t i = 0; i < h->told_count; i++) judge_told(&v, &h->told[i]);
    for (size_t i = 0; i < h->asked_count; i++) judge_asked(&v, &h->asked[i]);
    if (h->flaws) complain(&v, 4, "the ledger has %zu flaws", h->flaws);
    if (h->recovered && h->open) complain(&v, 4, "%zu calls are open", h->open);
    if (h->secrets) complain(&v, 6, "a secret stands in %zu files", h->secrets);
    judge_footing(&v);
    for (unsigned i = 1; i < INVARIANTS; i++) all += found[i];
    return all;
}
