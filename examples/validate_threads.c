/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One compiled schema, shared by threads: each validates its own instances in its own arena.
 *
 *     cc validate_threads.c $(pkg-config --cflags --libs ferrule) -pthread -o validate_threads
 *     ./validate_threads
 */
#include <ferrule/ferrule.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS   4
#define INSTANCES 1000 /* of each thread */

static const char order_schema[] =
    "{\"type\":\"object\","
    "\"properties\":{"
    "\"sku\":{\"type\":\"string\",\"pattern\":\"^[A-Z]{2}-[0-9]{1,4}$\"},"
    "\"count\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10}},"
    "\"required\":[\"sku\",\"count\"],\"additionalProperties\":false}";

struct worker {
    pthread_t id;
    const fer_schema *schema; /* compiled once; never changes */
    unsigned number;
    unsigned valid, invalid, failed;
    char finding[256]; /* the last one, to show */
};

static void validate(struct worker *w, fer_arena *a, unsigned i)
{
    char text[128];
    fer_json *doc;
    fer_result *result;
    int len =
        snprintf(text, sizeof text, "{\"sku\":\"AB-%u\",\"count\":%u}", i, i % 12 + w->number);
    fer_str json = {text, (size_t)len};
    if (fer_json_read(a, json, NULL, &doc, NULL) != FER_OK ||
        fer_schema_validate(a, w->schema, doc, NULL, NULL, &result, NULL) != FER_OK) {
        w->failed++;
    } else if (fer_result_valid(result)) {
        w->valid++;
    } else {
        size_t count;
        const fer_violation *v = fer_result_violations(result, &count);
        snprintf(w->finding, sizeof w->finding, "%.*s", (int)v->message.len, v->message.ptr);
        w->invalid++;
    }
}

static void *work(void *context)
{
    struct worker *w = context;
    fer_arena *a = fer_arena_new(0);
    if (!a) {
        w->failed = INSTANCES;
        return NULL;
    }
    for (unsigned i = 0; i < INSTANCES; i++) {
        validate(w, a, i);
        fer_arena_reset(a); /* everything about this instance */
    }
    fer_arena_free(a);
    return NULL;
}

int main(void)
{
    fer_schema *schema;
    fer_err err;
    struct worker workers[THREADS] = {0};
    unsigned valid = 0, invalid = 0, failed = 0, started = 0;
    if (fer_schema_compile(fer_str_of(order_schema), NULL, &schema, &err) != FER_OK) {
        printf("%s\n", err.message);
        return 2;
    }
    for (; started < THREADS; started++) {
        struct worker *w = &workers[started];
        w->schema = schema;
        w->number = started;
        if (pthread_create(&w->id, NULL, work, w) != 0) break;
    }
    for (unsigned i = 0; i < started; i++) {
        struct worker *w = &workers[i];
        pthread_join(w->id, NULL);
        printf("thread %u: %u valid, %u invalid, such as: %s\n", i, w->valid, w->invalid,
               w->finding);
        valid += w->valid;
        invalid += w->invalid;
        failed += w->failed;
    }
    fer_schema_unref(schema);
    printf("%u threads: %u valid, %u invalid, %u failed\n", started, valid, invalid, failed);
    return failed || started < THREADS ? 70 : 0;
}
