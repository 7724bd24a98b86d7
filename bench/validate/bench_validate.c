/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validating, our side of it: Ferrule, the hand-written floor where there is one, and plain
 * yyjson reading the same texts. One JSON object per line says one figure; report.py runs this
 * next to the peers and makes tables of it.
 *
 *     bench_validate SET [WAY...]             SET is GROUP/NAME in the test data's schemas
 *     bench_validate count SET WAY ROUNDS     passes over the set, for callgrind; native-WAY
 *                                             are passes with machine code
 *
 * The ways: valid, invalid, findings, text, compile, program. All engines of one way take turns.
 * A turn is one pass over the instances (or several, where they are few), and is timed in
 * pieces shorter than the slices of time that a busy machine gives; what counts is the sum of
 * the quickest time of each piece.
 */
#include <ferrule/schema.h>
#include <string.h>
#include <yyjson.h>

#include "bench.h"
#include "file.h"
#include "floor.h"
#include "json_doc.h"
#include "program.h"

#define PIECE_NS   INT64_C(250000)
#define PIECES     4096
#define TURNS_MIN  5
#define TURNS_MAX  60
#define WAY_NS     INT64_C(250000000) /* no further turn of a way past this */
#define LINES_MAX  100000
#define CHANGED    64 /* instances whose values are changed to compare the floor with the engine */
#define FILE_BYTES ((size_t)256 << 20)

/* ---- a set ------------------------------------------------------------------------------- */

struct lines {
    fer_str *texts;
    fer_json **docs;
    size_t count;
    size_t longest;
};

struct set {
    const char *name;
    fer_arena *arena;
    fer_str schema;
    struct lines good, bad;
};

static bool load_lines(fer_arena *a, const char *path, struct lines *l)
{
    fer_str text;
    if (fer_file_read(a, path, FILE_BYTES, &text, NULL)) return false;
    l->texts = fer_arena_alloc(a, LINES_MAX * sizeof *l->texts);
    l->docs = fer_arena_alloc(a, LINES_MAX * sizeof(fer_json *));
    BENCH_NEEDS(l->texts && l->docs);
    for (size_t at = 0; at < text.len && l->count < LINES_MAX;) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        fer_str line = fer_str_slice(text, at, end);
        fer_json **doc = &l->docs[l->count];
        at = end + 1;
        if (!line.len) continue;
        BENCH_NEEDS(fer_json_read(a, line, fer_json_limits_file(), doc, NULL) == FER_OK);
        l->texts[l->count++] = line;
        if (line.len > l->longest) l->longest = line.len;
    }
    return l->count > 0;
}

static bool load(struct set *s, const char *name)
{
    char folder[1024], inside[512], path[1100];
    *s = (struct set){.name = name, .arena = fer_arena_new(0)};
    BENCH_NEEDS(s->arena);
    snprintf(inside, sizeof inside, "schemas/%.400s", name);
    if (!bench_data(folder, sizeof folder, inside)) return false;
    snprintf(path, sizeof path, "%s/schema.json", folder);
    if (fer_file_read(s->arena, path, FILE_BYTES, &s->schema, NULL)) return false;
    snprintf(path, sizeof path, "%s/invalid.jsonl", folder);
    load_lines(s->arena, path, &s->bad);
    snprintf(path, sizeof path, "%s/instances.jsonl", folder);
    return load_lines(s->arena, path, &s->good);
}

static fer_schema_options options(bool native)
{
    return (fer_schema_options){.limits = fer_schema_limits_file(), .native = native};
}

/* ---- what is timed ----------------------------------------------------------------------- */

struct job {
    const struct set *set;
    const fer_schema *schema; /* that is asked */
    fer_schema *schemas[2];   /* of these: as it is, and with machine code */
    fer_arena *scratch;
    bench_floor floor;
    void *pool; /* of plain yyjson, used again for each text */
    size_t pool_size;
};

/* A piece of a pass; gives how many instances were taken for valid: that must be used. */
typedef size_t (*pass)(struct job *j, size_t from, size_t to);

static bool ask(struct job *j, const fer_json *doc)
{
    bool valid = false;
    BENCH_NEEDS(!fer_schema_accepts(j->schema, j->scratch, doc->vals, &valid, NULL));
    return valid;
}

static size_t ferrule_valid(struct job *j, size_t from, size_t to)
{
    size_t valid = 0;
    for (size_t i = from; i < to; i++) valid += ask(j, j->set->good.docs[i]);
    fer_arena_reset(j->scratch);
    return valid;
}

static size_t ferrule_invalid(struct job *j, size_t from, size_t to)
{
    size_t valid = 0;
    for (size_t i = from; i < to; i++) valid += ask(j, j->set->bad.docs[i]);
    fer_arena_reset(j->scratch);
    return valid;
}

static size_t ferrule_findings(struct job *j, size_t from, size_t to)
{
    const struct lines *l = &j->set->bad;
    size_t valid = 0;
    for (size_t i = from; i < to; i++) {
        fer_result *result;
        size_t count;
        BENCH_NEEDS(
            !fer_schema_validate(j->scratch, j->schema, l->docs[i], NULL, NULL, &result, NULL));
        fer_result_violations(result, &count);
        valid += count == 0;
        fer_arena_reset(j->scratch);
    }
    return valid;
}

static size_t ferrule_text(struct job *j, size_t from, size_t to)
{
    const struct lines *l = &j->set->good;
    size_t valid = 0;
    for (size_t i = from; i < to; i++) {
        fer_json *doc;
        BENCH_NEEDS(!fer_json_read(j->scratch, l->texts[i], fer_json_limits_file(), &doc, NULL));
        valid += ask(j, doc);
        fer_arena_reset(j->scratch);
    }
    return valid;
}

static size_t ferrule_compile(struct job *j, size_t from, size_t to)
{
    fer_schema_options o = options(j->schema == j->schemas[1]);
    fer_schema *schema;
    (void)from;
    (void)to;
    BENCH_NEEDS(!fer_schema_compile(j->set->schema, &o, &schema, NULL));
    fer_schema_unref(schema);
    return 1;
}

static size_t floor_valid(struct job *j, size_t from, size_t to)
{
    const struct lines *l = &j->set->good;
    size_t valid = 0;
    for (size_t i = from; i < to; i++) valid += j->floor(l->docs[i]->vals);
    return valid;
}

static size_t floor_invalid(struct job *j, size_t from, size_t to)
{
    const struct lines *l = &j->set->bad;
    size_t valid = 0;
    for (size_t i = from; i < to; i++) valid += j->floor(l->docs[i]->vals);
    return valid;
}

static yyjson_val *read_plain(struct job *j, fer_str text)
{
    yyjson_alc alc;
    yyjson_alc_pool_init(&alc, j->pool, j->pool_size);
    yyjson_doc *doc = yyjson_read_opts((char *)(uintptr_t)text.ptr, text.len, 0, &alc, NULL);
    BENCH_NEEDS(doc);
    return yyjson_doc_get_root(doc);
}

static size_t floor_text(struct job *j, size_t from, size_t to)
{
    const struct lines *l = &j->set->good;
    size_t valid = 0;
    for (size_t i = from; i < to; i++) valid += j->floor(read_plain(j, l->texts[i]));
    return valid;
}

static size_t yyjson_text(struct job *j, size_t from, size_t to)
{
    const struct lines *l = &j->set->good;
    size_t read = 0;
    for (size_t i = from; i < to; i++) read += read_plain(j, l->texts[i]) != NULL;
    return read;
}

struct way {
    const char *name;
    const char *engine;
    pass run;
    enum {
        OVER_GOOD,
        OVER_BAD,
        OVER_SCHEMA
    } over;
    bool by_floor;
    bool native;
};

static const struct way ways[] = {
    {"valid", "ferrule", ferrule_valid, OVER_GOOD, false, false},
    {"valid", "native", ferrule_valid, OVER_GOOD, false, true},
    {"valid", "floor", floor_valid, OVER_GOOD, true, false},
    {"invalid", "ferrule", ferrule_invalid, OVER_BAD, false, false},
    {"invalid", "native", ferrule_invalid, OVER_BAD, false, true},
    {"invalid", "floor", floor_invalid, OVER_BAD, true, false},
    {"findings", "ferrule", ferrule_findings, OVER_BAD, false, false},
    {"text", "ferrule", ferrule_text, OVER_GOOD, false, false},
    {"text", "native", ferrule_text, OVER_GOOD, false, true},
    {"text", "floor", floor_text, OVER_GOOD, true, false},
    {"text", "yyjson", yyjson_text, OVER_GOOD, false, false},
    {"compile", "ferrule", ferrule_compile, OVER_SCHEMA, false, false},
    {"compile", "native", ferrule_compile, OVER_SCHEMA, false, true},
};

/* One pass, or a piece of it. */
static size_t go(const struct way *w, struct job *j, size_t from, size_t to)
{
    j->schema = j->schemas[w->native];
    return w->run(j, from, to);
}

static size_t counted(const struct way *w, const struct set *s)
{
    return w->over == OVER_SCHEMA ? 1 : w->over == OVER_GOOD ? s->good.count : s->bad.count;
}

/* ---- timing ------------------------------------------------------------------------------ */

struct figure {
    const struct way *way;
    size_t count;  /* instances */
    size_t piece;  /* instances of a piece */
    size_t passes; /* of a piece: more than one where a pass is short */
    size_t wrong;
    int64_t *best; /* of each piece */
};

static void turn(struct figure *f, struct job *j)
{
    size_t at = 0;
    for (size_t i = 0; i < f->count; i += f->piece, at++) {
        size_t to = i + f->piece < f->count ? i + f->piece : f->count;
        int64_t from = fer_clock_mono();
        for (size_t p = 0; p < f->passes; p++) go(f->way, j, i, to);
        int64_t took = fer_clock_mono() - from;
        if (took < f->best[at]) f->best[at] = took;
    }
}

/* Looks at the verdicts, and at how long a pass takes, to choose the pieces. */
static void start(struct figure *f, const struct way *w, struct job *j)
{
    size_t count = counted(w, j->set), valid = go(w, j, 0, count);
    *f = (struct figure){.way = w, .count = count, .piece = count, .passes = 1};
    f->wrong = w->over == OVER_BAD ? valid : count - valid;
    int64_t from = fer_clock_mono();
    go(w, j, 0, count);
    int64_t once = fer_clock_mono() - from + 1;
    if (once < PIECE_NS) f->passes = (size_t)(PIECE_NS / once) + 1;
    else f->piece = (size_t)((int64_t)count * PIECE_NS / once) + 1;
    if (f->piece < count / PIECES + 1) f->piece = count / PIECES + 1;
    f->best = malloc((count / f->piece + 1) * sizeof *f->best);
    BENCH_NEEDS(f->best);
    for (size_t i = 0; i <= count / f->piece; i++) f->best[i] = INT64_MAX;
}

static double quickest(const struct figure *f)
{
    double sum = 0;
    for (size_t i = 0, at = 0; i < f->count; i += f->piece, at++) sum += (double)f->best[at];
    return sum / (double)(f->passes * f->count);
}

static void say(const struct figure *f, const struct set *s)
{
    printf("{\"engine\":\"%s\",\"set\":\"%s\",\"way\":\"%s\",\"ns\":%.2f,\"wrong\":%zu}\n",
           f->way->engine, s->name, f->way->name, quickest(f), f->wrong);
}

static void time_way(const char *name, struct job *j)
{
    struct figure list[8];
    size_t count = 0;
    for (size_t i = 0; i < FER_COUNT(ways); i++) {
        const struct way *w = &ways[i];
        if (strcmp(w->name, name) != 0 || !counted(w, j->set)) continue;
        if (w->by_floor && !j->floor) continue;
        if (w->native && !fer_schema_is_native(j->schemas[1])) continue;
        BENCH_NEEDS(count < FER_COUNT(list));
        start(&list[count++], w, j);
    }
    int64_t from = fer_clock_mono();
    for (size_t t = 0; t < TURNS_MAX; t++) {
        if (t >= TURNS_MIN && fer_clock_mono() - from > WAY_NS) break;
        for (size_t i = 0; i < count; i++) turn(&list[i], j);
    }
    for (size_t i = 0; i < count; i++) {
        say(&list[i], j->set);
        free(list[i].best);
    }
}

/* ---- the floor is compared with the engine before it is timed ------------------------------ */

static bool same(struct job *j, const fer_json *doc)
{
    return j->floor(doc->vals) == ask(j, doc);
}

/* Puts other values in the place of this one; containers can only become lists. */
static bool same_when_changed(struct job *j, const fer_json *doc, size_t at)
{
    static const struct {
        unsigned tag;
        const char *text;
        double real;
    } others[] = {{YYJSON_TYPE_NULL, NULL, 0},
                  {YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_TRUE, NULL, 0},
                  {FER_TAG_UINT, NULL, 0},
                  {FER_TAG_UINT, NULL, 2},
                  {FER_TAG_UINT, NULL, 1000},
                  {FER_TAG_SINT, NULL, -1},
                  {FER_TAG_REAL, NULL, 0.5},
                  {FER_TAG_REAL, NULL, 2.5},
                  {YYJSON_TYPE_STR, "", 0},
                  {YYJSON_TYPE_STR, "x", 0},
                  {YYJSON_TYPE_STR, "name", 0},
                  {YYJSON_TYPE_STR, "\xC3\xA9\xC3\xA9", 0},
                  {YYJSON_TYPE_STR, "\xC3\xA9\xC3\xA9 and more than thirty-four characters", 0}};
    yyjson_val *v = &doc->vals[at], was = *v;
    bool ok = true;
    if (fer_val_type(v) == YYJSON_TYPE_OBJ) {
        v->tag = (uint64_t)fer_val_len(v) * 2 << 8 | YYJSON_TYPE_ARR;
        ok = same(j, doc);
        *v = was;
    }
    for (size_t i = 0; ok && fer_val_type(v) < YYJSON_TYPE_ARR && i < FER_COUNT(others); i++) {
        bool text = others[i].text != NULL;
        v->tag = others[i].tag | (text ? (uint64_t)strlen(others[i].text) << 8 : 0);
        if (text) v->uni.str = others[i].text;
        else if (others[i].tag == FER_TAG_UINT) v->uni.u64 = (uint64_t)others[i].real;
        else if (others[i].tag == FER_TAG_SINT) v->uni.i64 = (int64_t)others[i].real;
        else v->uni.f64 = others[i].real;
        ok = same(j, doc);
        *v = was;
    }
    return ok;
}

/* Keys may only become other keys: marks them, walking the tree. */
static void mark_keys(const fer_json *doc, bool *keys)
{
    for (size_t i = 0; i < doc->count; i++) {
        if (!fer_is_obj(&doc->vals[i])) continue;
        FER_EACH_MEMBER (&doc->vals[i], key) keys[key - doc->vals] = true;
    }
}

static bool same_when_renamed(struct job *j, const fer_json *doc, size_t at)
{
    yyjson_val *v = &doc->vals[at], was = *v;
    v->uni.str = "another name";
    v->tag = (uint64_t)strlen(v->uni.str) << 8 | YYJSON_TYPE_STR;
    bool ok = same(j, doc);
    *v = was;
    return ok;
}

static bool floor_agrees(struct job *j)
{
    const struct set *s = j->set;
    for (size_t i = 0; i < s->bad.count; i++) {
        if (!same(j, s->bad.docs[i])) return false;
    }
    for (size_t i = 0; i < s->good.count; i++) {
        const fer_json *doc = s->good.docs[i];
        if (!same(j, doc)) return false;
        if (i >= CHANGED) continue;
        bool *keys = calloc(doc->count, sizeof *keys), ok = keys != NULL;
        if (ok) mark_keys(doc, keys);
        for (size_t at = 0; ok && at < doc->count; at++) {
            ok = keys[at] ? same_when_renamed(j, doc, at) : same_when_changed(j, doc, at);
        }
        free(keys);
        if (!ok) return false;
    }
    return true;
}

/* ---- the command --------------------------------------------------------------------------- */

static void say_error(const struct set *s, const char *engine, const char *way, const char *message)
{
    printf("{\"engine\":\"%s\",\"set\":\"%s\",\"way\":\"%s\",\"error\":\"", engine, s->name, way);
    for (const char *c = message; *c; c++) {
        if (*c == '"' || *c == '\\') putchar('\\');
        putchar((unsigned char)*c < ' ' ? ' ' : *c);
    }
    puts("\"}");
}

static void say_program(const struct set *s, const fer_schema *schema)
{
    printf("{\"engine\":\"ferrule\",\"set\":\"%s\",\"way\":\"program\",\"bytes\":%zu,"
           "\"nodes\":%zu,\"instructions\":%zu,\"text\":%zu}\n",
           s->name, fer_arena_used(schema->arena), schema->node_count, schema->inst_count,
           s->schema.len);
}

static void prepare(struct job *j, const struct set *s, fer_schema *schema)
{
    size_t pool = yyjson_read_max_memory_usage(s->good.longest, 0) + 4096;
    fer_schema_options o = options(true);
    fer_schema *native;
    BENCH_NEEDS(!fer_schema_compile(s->schema, &o, &native, NULL));
    *j = (struct job){.set = s,
                      .schema = schema,
                      .schemas = {schema, native},
                      .scratch = fer_arena_new(0),
                      .floor = bench_floor_find(s->name),
                      .pool = malloc(pool),
                      .pool_size = pool};
    BENCH_NEEDS(j->scratch && j->pool);
}

static void finish(struct job *j)
{
    fer_schema_unref(j->schemas[1]);
    fer_arena_free(j->scratch);
    free(j->pool);
}

static void run(const struct set *s, fer_schema *schema, char **names, size_t count)
{
    static const char *const all[] = {"valid", "invalid", "findings", "text", "compile", "program"};
    struct job j;
    prepare(&j, s, schema);
    if (j.floor && !floor_agrees(&j)) {
        say_error(s, "floor", "valid", "does not agree with the engine");
        j.floor = NULL;
    }
    for (size_t i = 0; i < (count ? count : FER_COUNT(all)); i++) {
        const char *name = count ? names[i] : all[i];
        if (strcmp(name, "program") == 0) say_program(s, schema);
        else time_way(name, &j);
        fflush(stdout);
    }
    finish(&j);
}

/* Passes of Ferrule alone and nothing else; the rest is the same for every count. */
static void count(const struct set *s, fer_schema *schema, const char *name, long rounds)
{
    const char *engine = strncmp(name, "native-", 7) == 0 ? "native" : "ferrule";
    struct job j;
    if (*engine == 'n') name += strlen("native-");
    prepare(&j, s, schema);
    for (size_t i = 0; i < FER_COUNT(ways); i++) {
        if (strcmp(ways[i].name, name) != 0 || strcmp(ways[i].engine, engine) != 0) continue;
        for (long n = 0; n < rounds; n++) go(&ways[i], &j, 0, counted(&ways[i], s));
        printf("%zu\n", counted(&ways[i], s));
    }
    finish(&j);
}

int main(int argc, char **argv)
{
    char data[1024];
    struct set s;
    fer_schema *schema;
    fer_schema_options o = options(false);
    fer_err err;
    bool counting = argc == 5 && strcmp(argv[1], "count") == 0;
    if (argc < 2) {
        fputs("bench_validate SET [WAY...] | bench_validate count SET WAY ROUNDS\n", stderr);
        return 2;
    }
    if (!bench_data(data, sizeof data, "schemas")) {
        fputs("no test data (FERRULE_TEST_DATA): nothing to measure\n", stderr);
        return 0;
    }
    if (!load(&s, argv[counting ? 2 : 1])) {
        fprintf(stderr, "%s: not a set of schema.json and instances.jsonl\n", s.name);
        return 1;
    }
    if (fer_schema_compile(s.schema, &o, &schema, &err)) {
        say_error(&s, "ferrule", "compile", err.message);
    } else {
        if (counting) count(&s, schema, argv[3], strtol(argv[4], NULL, 10));
        else run(&s, schema, argv + 2, (size_t)argc - 2);
        fer_schema_unref(schema);
    }
    fer_arena_free(s.arena);
    return 0;
}
