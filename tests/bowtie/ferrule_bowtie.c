/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ferrule for Bowtie (https://bowtie.report): its protocol, version 1, on standard input and
 * output, a JSON document per line each way.
 *
 *     start    who we are             dialect   of schemas without `$schema`
 *     run      a case: a schema, what it may refer to, instances
 *     stop     ends
 *
 * Uses the public headers only. A line that makes no sense is answered with "errored"; the
 * memory of a line is given back before the next.
 */
#include <ferrule/schema.h>

#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

#ifndef FERRULE_HOMEPAGE
#define FERRULE_HOMEPAGE "https://ferrule.invalid"
#endif

#define ARENA_MAX ((size_t)512 << 20)

static const fer_dialect dialects[] = {FER_DIALECT_V1,     FER_DIALECT_2020_12, FER_DIALECT_2019_09,
                                       FER_DIALECT_DRAFT7, FER_DIALECT_DRAFT6,  FER_DIALECT_DRAFT4};

struct harness {
    fer_arena *arena; /* of the line at hand */
    bool started, stopped;
    fer_dialect dialect;
};

/* The line at hand. */
struct request {
    fer_str text;
    fer_json *doc;
    const yyjson_val *root;
    fer_str seq; /* its text, as it stands in the line */
};

/* ---- reading ------------------------------------------------------------------------- */

/* yyjson's accessors do not change what they read, though they do not say so. */
static yyjson_val *open_value(const yyjson_val *v)
{
    yyjson_val *open;
    memcpy(&open, &v, sizeof open);
    return open;
}

static const yyjson_val *get(const yyjson_val *object, const char *name)
{
    return yyjson_obj_get(open_value(object), name);
}

static fer_str text_of(const yyjson_val *v)
{
    fer_str s = {yyjson_get_str(open_value(v)), yyjson_get_len(open_value(v))};
    return s.ptr ? s : fer_str_of("");
}

static bool is_text(const yyjson_val *v, const char *text)
{
    return yyjson_equals_str(open_value(v), text);
}

/* The end of the JSON value that starts at `at`, in a text that is known to be JSON. */
static size_t end_of_value(fer_str s, size_t at)
{
    size_t depth = 0;
    bool quoted = false;
    for (; at < s.len; at++) {
        char c = s.ptr[at];
        if (quoted && c == '\\') at++;
        else if (c == '"') quoted = !quoted;
        else if (quoted) continue;
        else if (c == '[' || c == '{') depth++;
        else if (depth && (c == ']' || c == '}')) depth--;
        else if (!depth && strchr(",]} \t\r\n", c)) return at;
        else if (!depth) continue;
        /* Behind a quote or bracket that closes the value. */
        if (!quoted && depth == 0) return at + 1;
    }
    return s.len;
}

static fer_str seq_of(const struct request *q)
{
    const yyjson_val *seq = get(q->root, "seq");
    if (!seq) return fer_str_of("null");
    size_t from = fer_json_place(q->doc, seq).offset;
    fer_str s = {q->text.ptr + from, end_of_value(q->text, from) - from};
    return s;
}

/* Reads a line of at most `max` bytes without its end; longer ones are passed over. */
static bool read_line(FILE *in, char **line, size_t *cap, size_t max, size_t *len)
{
    int c;
    *len = 0;
    while ((c = getc(in)) != EOF && c != '\n') {
        if (*len <= max && *len == *cap) {
            size_t more = *cap ? *cap * 2 : 4096;
            char *grown = realloc(*line, more);
            if (!grown) return false;
            *line = grown;
            *cap = more;
        }
        if (*len <= max) (*line)[(*len)++] = (char)c;
    }
    return c != EOF || *len > 0;
}

/* ---- answering ------------------------------------------------------------------------ */

static void put(fer_str s)
{
    fwrite(s.ptr, 1, s.len, stdout);
}

static void put_text(const char *s)
{
    put(fer_str_of(s));
}

static void put_quoted(fer_str s)
{
    putchar('"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '"' || c == '\\') printf("\\%c", c);
        else if (c < 0x20) printf("\\u%04x", c);
        else putchar(c);
    }
    putchar('"');
}

static void put_errored(fer_code code, const char *message)
{
    put_text("\"errored\":true,\"context\":{\"message\":");
    put_quoted(fer_str_of(message));
    put_text(",\"code\":");
    put_quoted(fer_str_of(fer_code_info(code)->name));
    put_text("}");
}

static void answer_errored(fer_str seq, fer_code code, const char *message)
{
    put_text("{\"seq\":");
    put(seq);
    put_text(",");
    put_errored(code, message);
    put_text("}\n");
}

/* ---- commands -------------------------------------------------------------------------- */

/* Bowtie knows the older dialects by URIs that end in an empty fragment. */
static void name_dialect(char *out, size_t size, fer_dialect dialect)
{
    const char *uri = fer_dialect_uri(dialect);
    bool older = dialect <= FER_DIALECT_DRAFT7 && !strchr(uri, '#');
    snprintf(out, size, "%s%s", uri, older ? "#" : "");
}

static void start(struct harness *h, const struct request *q)
{
    const yyjson_val *version = get(q->root, "version");
    if (!yyjson_is_int(open_value(version)) || yyjson_get_int(open_value(version)) != 1) {
        answer_errored(q->seq, FER_BAD_USAGE, "only version 1 of the protocol is spoken");
        return;
    }
    h->started = true;
    put_text(
        "{\"version\":1,\"implementation\":{\"language\":\"c\",\"name\":\"ferrule\",\"version\":");
    put_quoted(fer_str_of(fer_version()));
    put_text(",\"homepage\":\"" FERRULE_HOMEPAGE "\",\"issues\":\"" FERRULE_HOMEPAGE
             "/issues\",\"source\":\"" FERRULE_HOMEPAGE "\",\"dialects\":[");
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        char uri[128];
        name_dialect(uri, sizeof uri, dialects[i]);
        if (i) put_text(",");
        put_quoted(fer_str_of(uri));
    }
    put_text("]}}\n");
}

static void set_dialect(struct harness *h, const struct request *q)
{
    fer_dialect found;
    bool ok = fer_dialect_find(text_of(get(q->root, "dialect")), &found);
    if (ok) h->dialect = found;
    put_text(ok ? "{\"ok\":true}\n" : "{\"ok\":false}\n");
}

/* What cannot be registered is missed by those cases only that refer to it. */
static void add_schemas(struct harness *h, const yyjson_val *schemas, fer_registry *r)
{
    size_t i, max;
    yyjson_val *uri, *schema;
    if (!yyjson_is_obj(open_value(schemas))) return;
    yyjson_obj_foreach(open_value(schemas), i, max, uri, schema)
    {
        fer_str text;
        if (fer_json_write(h->arena, schema, false, &text, NULL)) continue;
        (void)fer_registry_add(r, text_of(uri), text, h->dialect, NULL);
    }
}

static void put_annotations(const fer_result *r)
{
    size_t count;
    const fer_annotation *list = fer_result_annotations(r, &count);
    put_text(",\"annotations\":[");
    for (size_t i = 0; i < count; i++) {
        fer_str at = list[i].absolute_location;
        const char *hash = at.len ? memchr(at.ptr, '#', at.len) : NULL;
        fer_str fragment = fer_str_of("#");
        if (hash) {
            fragment.ptr = hash;
            fragment.len = at.len - (size_t)(hash - at.ptr);
        }
        put_text(i ? ",{\"keyword\":" : "{\"keyword\":");
        put_quoted(list[i].keyword);
        put_text(",\"instanceLocation\":");
        put_quoted(list[i].field);
        put_text(",\"keywordLocation\":");
        put_quoted(fragment);
        put_text(",\"annotation\":");
        put(list[i].json);
        put_text("}");
    }
    put_text("]");
}

/* One instance: {"valid": ...} or why there is no answer. */
static void put_result(struct harness *h, const struct request *q, const fer_schema *s,
                       const yyjson_val *instance, bool annotated)
{
    const fer_validate_options options = {.annotations = true};
    fer_err err = {0};
    fer_result *r = NULL;
    bool valid = false;
    fer_code code = FER_BAD_USAGE;
    if (!instance) snprintf(err.message, sizeof err.message, "a test has no instance");
    else if (!annotated) code = fer_schema_accepts(s, h->arena, instance, &valid, &err);
    else code = fer_schema_validate(h->arena, s, q->doc, instance, &options, &r, &err);
    put_text("{");
    if (code) put_errored(code, err.message);
    else put_text((r ? fer_result_valid(r) : valid) ? "\"valid\":true" : "\"valid\":false");
    if (!code && r) put_annotations(r);
    put_text("}");
}

static fer_code compile(struct harness *h, const struct request *q, const yyjson_val *group,
                        const fer_registry *registry, fer_schema **out, fer_err *err)
{
    const yyjson_val *schema = get(group, "schema");
    const fer_schema_options options = {
        .dialect = h->dialect, .registry = registry, .limits = fer_schema_limits_file()};
    if (!schema || !yyjson_is_arr(open_value(get(group, "tests")))) {
        snprintf(err->message, sizeof err->message, "a case has a schema and a list of tests");
        return FER_BAD_USAGE;
    }
    return fer_schema_compile_value(q->doc, schema, &options, out, err);
}

static void run(struct harness *h, const struct request *q)
{
    fer_err err = {0};
    fer_schema *s = NULL;
    size_t i, max;
    yyjson_val *test;
    const yyjson_val *group = get(q->root, "case");
    fer_registry *registry = fer_registry_new();
    fer_code code = registry ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code) add_schemas(h, get(group, "registry"), registry);
    if (!code) code = compile(h, q, group, registry, &s, &err);
    if (code) {
        answer_errored(q->seq, code, err.message);
    } else {
        put_text("{\"seq\":");
        put(q->seq);
        put_text(",\"results\":[");
        yyjson_arr_foreach(open_value(get(group, "tests")), i, max, test)
        {
            if (i) put_text(",");
            put_result(h, q, s, get(test, "instance"),
                       is_text(get(q->root, "output"), "annotations"));
        }
        put_text("]}\n");
    }
    fer_schema_unref(s);
    fer_registry_free(registry);
}

static void stop(struct harness *h, const struct request *q)
{
    (void)q;
    h->stopped = true;
}

static const struct command {
    const char *name;
    void (*run)(struct harness *h, const struct request *q);
} commands[] = {{"start", start}, {"dialect", set_dialect}, {"run", run}, {"stop", stop}};

static void obey(struct harness *h, const struct request *q)
{
    const yyjson_val *name = get(q->root, "cmd");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (!is_text(name, commands[i].name)) continue;
        if (!h->started && commands[i].run != start)
            answer_errored(q->seq, FER_BAD_USAGE, "the first command is start");
        else commands[i].run(h, q);
        return;
    }
    answer_errored(q->seq, FER_BAD_USAGE, "cmd is start, dialect, run or stop");
}

static void answer(struct harness *h, fer_str line)
{
    struct request q = {.text = line};
    fer_err err = {0};
    fer_code code = fer_json_read(h->arena, line, fer_json_limits_file(), &q.doc, &err);
    if (code) {
        answer_errored(fer_str_of("null"), code, err.message);
    } else {
        q.root = fer_json_root(q.doc);
        q.seq = seq_of(&q);
        obey(h, &q);
    }
    fflush(stdout);
    fer_arena_reset(h->arena);
}

int main(void)
{
    char *line = NULL;
    size_t cap = 0, len;
    struct harness h = {.arena = fer_arena_new(ARENA_MAX)};
    if (!h.arena) return 1;
    while (!h.stopped && read_line(stdin, &line, &cap, fer_json_limits_file()->size, &len)) {
        fer_str s = {line, len};
        if (len) answer(&h, s);
    }
    free(line);
    fer_arena_free(h.arena);
    return 0;
}
