/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tools/check-counts counts the instructions of:
 *
 *     bench_guard CASE ROUNDS     CASE is a file of bench/validate/guard
 *
 * A case is a schema, instances, and the way they are asked: for the verdict ("valid"; "native" by
 * machine code), from text to the verdict ("text"), for everything that is wrong ("findings"), or
 * the schema is compiled ("compile"). A round asks each instance once. Two runs of other rounds
 * differ by the rounds alone, so nothing here may depend on chance: the seeds of the arenas are
 * fixed.
 */
#include <ferrule/schema.h>
#include <string.h>

#include "bench.h"
#include "file.h"
#include "json_doc.h"
#include "sys.h"

#define INSTANCES_MAX 16
#define CASE_BYTES    ((size_t)1 << 20)

/* In place of the seam's own, which is linked under another name. */
int fer_sys_random(void *to, size_t size)
{
    memset(to, 0x5a, size);
    return 0;
}

struct job {
    fer_arena *arena, *scratch;
    fer_schema *schema;
    fer_str schema_text;
    fer_str texts[INSTANCES_MAX];
    fer_json *docs[INSTANCES_MAX];
    size_t count;
};

static void ask(const struct job *j, const fer_json *doc)
{
    bool valid = false;
    BENCH_NEEDS(!fer_schema_accepts(j->schema, j->scratch, fer_json_root(doc), &valid, NULL));
    BENCH_NEEDS(valid);
}

static void round_valid(const struct job *j)
{
    for (size_t i = 0; i < j->count; i++) ask(j, j->docs[i]);
}

static void round_text(const struct job *j)
{
    for (size_t i = 0; i < j->count; i++) {
        fer_json *doc;
        BENCH_NEEDS(!fer_json_read(j->scratch, j->texts[i], NULL, &doc, NULL));
        ask(j, doc);
    }
}

static void round_findings(const struct job *j)
{
    for (size_t i = 0; i < j->count; i++) {
        fer_result *result;
        size_t found;
        BENCH_NEEDS(
            !fer_schema_validate(j->scratch, j->schema, j->docs[i], NULL, NULL, &result, NULL));
        fer_result_violations(result, &found);
        BENCH_NEEDS(found > 0);
    }
}

static void round_compile(const struct job *j)
{
    fer_schema *schema;
    BENCH_NEEDS(!fer_schema_compile(j->schema_text, NULL, &schema, NULL));
    fer_schema_unref(schema);
}

static const struct {
    const char *name;
    void (*round)(const struct job *j);
} ways[] = {
    {"valid", round_valid},       {"native", round_valid},    {"text", round_text},
    {"findings", round_findings}, {"compile", round_compile},
};

/* Texts are written anew, so that the layout of the file costs nothing. Gives the way. */
static fer_str load(struct job *j, const char *path)
{
    fer_str text;
    fer_json *doc;
    *j = (struct job){.arena = fer_arena_new(0), .scratch = fer_arena_new(0)};
    BENCH_NEEDS(j->arena && j->scratch);
    BENCH_NEEDS(!fer_file_read(j->arena, path, CASE_BYTES, &text, NULL));
    BENCH_NEEDS(!fer_json_read(j->arena, text, fer_json_limits_file(), &doc, NULL));
    const yyjson_val *root = fer_json_root(doc);
    BENCH_NEEDS(
        !fer_json_write(j->arena, fer_val_get(root, "schema"), false, &j->schema_text, NULL));
    fer_str way = fer_val_str(fer_val_get(root, "way"));
    fer_schema_options options = {.native = fer_str_is(way, "native")};
    BENCH_NEEDS(!fer_schema_compile(j->schema_text, &options, &j->schema, NULL));
    FER_EACH_ITEM (fer_val_get(root, "instances"), instance) {
        size_t i = j->count++;
        BENCH_NEEDS(i < INSTANCES_MAX);
        BENCH_NEEDS(!fer_json_write(j->arena, instance, false, &j->texts[i], NULL));
        BENCH_NEEDS(!fer_json_read(j->arena, j->texts[i], NULL, &j->docs[i], NULL));
    }
    return way;
}

int main(int argc, char **argv)
{
    struct job j;
    if (argc != 3) {
        fputs("bench_guard CASE ROUNDS\n", stderr);
        return 2;
    }
    long rounds = strtol(argv[2], NULL, 10);
    fer_str way = load(&j, argv[1]);
    bool known = false;
    for (size_t i = 0; i < FER_COUNT(ways); i++) {
        if (!fer_str_is(way, ways[i].name)) continue;
        known = true;
        for (long n = 0; n < rounds; n++) {
            ways[i].round(&j);
            fer_arena_reset(j.scratch);
        }
    }
    BENCH_NEEDS(known);
    fer_schema_unref(j.schema);
    fer_arena_free(j.scratch);
    fer_arena_free(j.arena);
    return 0;
}
