/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the tools of files into a catalogue, searches it, and describes the best hit.
 *
 *     cc search_tools.c $(pkg-config --cflags --libs ferrule) -o search_tools
 *     ./search_tools "open a ticket" tools.json
 */
#include <ferrule/ferrule.h>
#include <stdio.h>
#include <stdlib.h>

static char text[16 << 20]; /* of one file */

/* Adds the tools of a file to the batch. */
static int add_file(fer_batch *b, const char *path)
{
    fer_err err;
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 2;
    }
    fer_str content = {text, fread(text, 1, sizeof text, f)};
    int more = fgetc(f);
    fclose(f);
    if (more != EOF) {
        fprintf(stderr, "%s is larger than %zu bytes\n", path, sizeof text);
        return 2;
    }
    if (!fer_batch_add(b, fer_str_of(path), content, FER_FORMAT_AUTO, NULL, &err)) return 0;
    fprintf(stderr, "%s: %s\n", path, err.message);
    return 2;
}

static int search(fer_catalog *c, fer_arena *a, const char *query)
{
    fer_err err;
    fer_found found;
    fer_search_options options = {.explain = true};
    fer_page page = {.size = 5};
    fer_str doc;
    if (fer_catalog_search(a, c, fer_str_of(query), &options, &page, &found, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 2;
    }
    if (!found.fits) {
        printf("nothing fits\n");
        return 1;
    }
    for (size_t i = 0; i < found.count; i++) {
        const fer_summary *s = &found.matches[i].hit.summary;
        printf("%.*s: %.*s\n", (int)s->id.len, s->id.ptr, (int)s->short_description.len,
               s->short_description.ptr);
    }
    /* A view is one state of the catalogue: what it says belongs together. */
    fer_view *v = fer_catalog_view(c);
    fer_code code =
        fer_view_describe(a, v, found.matches[0].hit.summary.id, FER_LEVEL_SUMMARY, &doc, &err);
    if (!code) printf("%.*s\n", (int)doc.len, doc.ptr);
    fer_view_unref(v);
    return code ? 2 : 0;
}

int main(int argc, char **argv)
{
    fer_err err;
    fer_catalog *c = NULL;
    fer_catalog_options options = {.search = true};
    fer_arena *a = fer_arena_new(0);
    fer_batch *b = fer_batch_new();
    if (argc < 3) fprintf(stderr, "usage: search_tools QUERY FILE...\n");
    int status = argc < 3 || !a || !b || fer_catalog_new(&options, &c, &err) ? 2 : 0;
    for (int i = 2; i < argc && !status; i++) status = add_file(b, argv[i]);
    /* All of them, or none: what is wrong with one is told of each. */
    if (!status && fer_catalog_apply(c, b, &err)) {
        size_t count;
        const fer_problem *p = fer_batch_problems(b, &count);
        for (size_t i = 0; i < count; i++)
            fprintf(stderr, "%.*s:%u: %.*s\n", (int)p[i].source.len, p[i].source.ptr,
                    p[i].place.line, (int)p[i].message.len, p[i].message.ptr);
        status = 1;
    }
    if (!status) status = search(c, a, argv[1]);
    fer_batch_free(b);
    fer_catalog_free(c);
    fer_arena_free(a);
    return status;
}
