/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs by content. The key is everything that a program depends on, written out: the
 * options, then the schema in canonical form. Schemas that are equal as JSON share a
 * program, which is made from the text of the first. Two keys are the same when all their
 * bytes are; the hash, which is seeded, only says where to look.
 *
 * Nothing is compiled under the lock. Two threads that miss the same schema at the same
 * time both compile it, and the one that comes second takes what the first has put there.
 */
#include <pthread.h>

#include "errors.h"
#include "json_write.h"
#include "map.h"
#include "program.h"
#include "registry.h"
#include "sys.h"

struct entry {
    struct entry *next; /* in its bucket */
    struct entry *newer, *older;
    uint64_t hash;
    fer_schema *program;
    size_t len;
    char key[];
};

struct fer_schema_cache {
    pthread_mutex_t lock; /* over all that is below */
    struct entry *newest, *oldest;
    fer_cache_stats stats;
    size_t max;
    uint64_t seed[2];
    size_t bucket_mask;
    struct entry *buckets[];
};

fer_schema_cache *fer_schema_cache_new(size_t max)
{
    if (!max) max = FER_SCHEMA_CACHE_MAX;
    size_t buckets = 16;
    while (buckets < max && buckets < (size_t)1 << 20) buckets *= 2;
    size_t size = sizeof(fer_schema_cache) + buckets * sizeof(struct entry *);
    fer_schema_cache *c = fer_sys_malloc(size);
    if (!c) return NULL;
    memset(c, 0, size);
    c->max = max;
    c->bucket_mask = buckets - 1;
    if (fer_sys_random(c->seed, sizeof c->seed) != 0) {
        c->seed[0] = (uint64_t)(uintptr_t)c; /* as an arena does it */
        c->seed[1] = (uint64_t)(uintptr_t)&max;
    }
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        fer_sys_free(c);
        return NULL;
    }
    return c;
}

static void free_entry(struct entry *e)
{
    fer_schema_unref(e->program);
    fer_sys_free(e);
}

void fer_schema_cache_free(fer_schema_cache *cache)
{
    if (!cache) return;
    while (cache->newest) {
        struct entry *e = cache->newest;
        cache->newest = e->older;
        free_entry(e);
    }
    pthread_mutex_destroy(&cache->lock);
    fer_sys_free(cache);
}

/* ---- keys ---------------------------------------------------------------- */

/*
 * What options a program was compiled with. A registry is named by its address: programs
 * hold theirs, so while an entry is there no other registry can be at that address. What
 * it knows may have grown since, so its size counts, too.
 */
static void add_options(fer_buf *b, const fer_schema_options *o)
{
    const fer_schema_limits *l = o->limits ? o->limits : fer_schema_limits_message();
    const fer_registry *r = o->registry;
    fer_dialect dialect = o->dialect ? o->dialect : FER_DIALECT_2020_12;
    fer_buf_printf(b, "%d %d%d%d%d %p %zu %zu %zu %zu %zu %zu %zu %zu %zu %zu %zu ", (int)dialect,
                   o->assert_formats, o->formats_note_only, o->assert_content, o->native,
                   (const void *)r, r ? r->library.spot_count : 0, r ? r->library.uris.count : 0,
                   l->size, l->depth, l->subschemas, l->refs, l->pattern, l->repeat, l->states,
                   l->steps, o->base_uri.len);
    fer_buf_add(b, o->base_uri);
}

static fer_code make_key(fer_arena *scratch, const yyjson_val *schema, const fer_schema_options *o,
                         fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, scratch, SIZE_MAX / 4);
    add_options(&b, o);
    fer_code code = fer_write_add(scratch, &b, schema, &(fer_notation){.canonical = true}, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

/* ---- entries, under the lock --------------------------------------------- */

static struct entry **bucket_of(fer_schema_cache *c, uint64_t hash)
{
    return &c->buckets[(size_t)hash & c->bucket_mask];
}

static void unlink_age(fer_schema_cache *c, struct entry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
}

static void link_newest(fer_schema_cache *c, struct entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

/* The entry of a key, which becomes the newest; NULL: there is none. */
static struct entry *look_up(fer_schema_cache *c, fer_str key, uint64_t hash)
{
    struct entry *e = *bucket_of(c, hash);
    while (e && !(e->hash == hash && fer_str_eq((fer_str){e->key, e->len}, key))) e = e->next;
    if (!e) return NULL;
    unlink_age(c, e);
    link_newest(c, e);
    return e;
}

static struct entry *take_oldest(fer_schema_cache *c)
{
    struct entry *e = c->oldest;
    struct entry **at = bucket_of(c, e->hash);
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    unlink_age(c, e);
    c->stats.count--;
    c->stats.dropped++;
    return e;
}

static void add_entry(fer_schema_cache *c, struct entry *e)
{
    struct entry **bucket = bucket_of(c, e->hash);
    e->next = *bucket;
    *bucket = e;
    link_newest(c, e);
    c->stats.count++;
}

/* ---- asking -------------------------------------------------------------- */

static fer_schema *known(fer_schema_cache *c, fer_str key, uint64_t hash)
{
    pthread_mutex_lock(&c->lock);
    struct entry *e = look_up(c, key, hash);
    fer_schema *program = e ? fer_schema_ref(e->program) : NULL;
    if (e) c->stats.hits++;
    else c->stats.misses++;
    pthread_mutex_unlock(&c->lock);
    return program;
}

/*
 * Keeps a new program, or drops it for one that has come in the meantime; the caller's
 * reference is to what is kept. Without memory for the entry it is simply not kept.
 */
static fer_schema *keep(fer_schema_cache *c, fer_str key, uint64_t hash, fer_schema *program)
{
    struct entry *e = fer_sys_malloc(sizeof *e + key.len), *out = NULL;
    if (!e) return program;
    *e = (struct entry){.hash = hash, .program = fer_schema_ref(program), .len = key.len};
    memcpy(e->key, key.ptr, key.len);
    pthread_mutex_lock(&c->lock);
    const struct entry *other = look_up(c, key, hash);
    fer_schema *kept = other ? fer_schema_ref(other->program) : program;
    if (!other) {
        if (c->stats.count == c->max) out = take_oldest(c);
        add_entry(c, e);
    }
    pthread_mutex_unlock(&c->lock);
    if (out) free_entry(out);
    if (other) {
        free_entry(e);
        fer_schema_unref(program);
    }
    return kept;
}

static fer_code get(fer_schema_cache *c, fer_arena *scratch, const yyjson_val *schema,
                    const fer_schema_options *options, fer_schema **out, fer_err *err)
{
    fer_str key, text;
    fer_code code = make_key(scratch, schema, options, &key, err);
    if (code) return code;
    uint64_t hash = fer_hash(c->seed, key);
    fer_schema *program = known(c, key, hash);
    if (!program) {
        code = fer_json_write(scratch, schema, false, &text, err);
        if (!code) code = fer_schema_compile(text, options, &program, err);
        if (code) return code;
        program = keep(c, key, hash, program);
    }
    *out = program;
    return FER_OK;
}

fer_code fer_schema_cache_get(fer_schema_cache *cache, const yyjson_val *schema,
                              const fer_schema_options *options, fer_schema **out, fer_err *err)
{
    static const fer_schema_options plain;
    fer_arena *scratch = fer_arena_new(0);
    if (!scratch) return fer_fail(err, FER_OUT_OF_MEMORY, "There is no more memory.");
    fer_code code = get(cache, scratch, schema, options ? options : &plain, out, err);
    fer_arena_free(scratch);
    return code;
}

fer_cache_stats fer_schema_cache_stats(fer_schema_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    fer_cache_stats stats = cache->stats;
    pthread_mutex_unlock(&cache->lock);
    return stats;
}
