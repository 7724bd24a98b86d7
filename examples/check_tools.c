/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads tool definitions and prints what is wrong with them.
 *
 *     cc check_tools.c $(pkg-config --cflags --libs ferrule) -o check_tools
 *     ./check_tools tools.json
 */
#include <ferrule/ferrule.h>
#include <stdio.h>
#include <stdlib.h>

/* The whole file, or NULL. */
static char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t cap = 1 << 16, n;
    char *text = malloc(cap);
    *len = 0;
    while (text && (n = fread(text + *len, 1, cap - *len, f)) > 0) {
        *len += n;
        if (*len < cap) continue;
        char *more = realloc(text, cap *= 2);
        if (!more) free(text);
        text = more;
    }
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    fer_toolset *set = fer_toolset_new();
    int status = 0;
    if (!set) return 70;
    for (int i = 1; i < argc; i++) {
        size_t len;
        fer_err err;
        char *text = read_file(argv[i], &len);
        if (!text) {
            perror(argv[i]);
            status = 2;
            continue;
        }
        fer_str content = {text, len};
        if (fer_toolset_add(set, fer_str_of(argv[i]), content, FER_FORMAT_AUTO, &err) != FER_OK) {
            printf("%s:%u:%u: %s\n", argv[i], err.line, err.column, err.message);
            status = 2;
        }
        free(text); /* the set keeps what it needs */
    }
    size_t count;
    const fer_finding *findings = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count; i++) {
        const fer_finding *f = &findings[i];
        printf("%.*s:%u:%u: [%s] %.*s\n", (int)f->source.len, f->source.ptr, f->place.line,
               f->place.column, f->rule->id, (int)f->message.len, f->message.ptr);
        if (f->severity == FER_SEVERITY_ERROR && status == 0) status = 1;
    }
    printf("%zu tools, %zu findings\n", fer_toolset_count(set), count);
    fer_toolset_free(set);
    return status;
}
