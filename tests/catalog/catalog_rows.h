/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the catalogue share: changes that must work, and steps as tables. */
#ifndef FER_CATALOG_ROWS_H
#define FER_CATALOG_ROWS_H

#include <ferrule/catalog.h>

#include "buf.h"
#include "rows.h"

/* One change, for tables. */
struct step {
    char op; /* + put, - remove, b remove a local backend, d document, ! approve, x reject, 0 end */
    const char *id;   /* of all but put */
    const char *text; /* of put and document; the name of a backend */
};

static inline fer_code step_add(fer_batch *b, const struct step *s, fer_err *err)
{
    fer_str id = fer_str_of(s->id), text = fer_str_of(s->text);
    switch (s->op) {
    case '+': return fer_batch_add(b, FER_STR("t.json"), text, FER_FORMAT_JSON, NULL, err);
    case '-': return fer_batch_remove(b, id, err);
    case 'b':
        return fer_batch_remove_backend(
            b, id, &(fer_backend){.kind = FER_BACKEND_LOCAL, .name = text}, err);
    case 'd': return fer_batch_document(b, id, text, err);
    case '!': return fer_batch_approve(b, id, err);
    case 'x': return fer_batch_reject(b, id, err);
    default: return FER_BAD_USAGE;
    }
}

/* "registered n:a; updated n:b breaking" */
static inline void outcomes_write(const fer_batch *batch, fer_buf *out)
{
    size_t count;
    const fer_event *list = fer_batch_outcomes(batch, &count);
    for (size_t i = 0; i < count; i++) {
        fer_buf_printf(out, "%s%s %.*s", out->len ? "; " : "", fer_event_kind_name(list[i].kind),
                       FER_PRI(list[i].id));
        if (list[i].verdict) fer_buf_printf(out, " %s", fer_verdict_name(list[i].verdict));
    }
}

static inline fer_catalog *must_catalog(const fer_catalog_options *options)
{
    fer_catalog *c;
    fer_err err;
    if (fer_catalog_new(options, &c, &err)) fail_msg("%s", err.message);
    return c;
}

static inline fer_code apply_text(fer_catalog *c, const char *text, const fer_put_options *options,
                                  fer_err *err)
{
    fer_batch *b = fer_batch_new();
    if (!b) return FER_OUT_OF_MEMORY;
    fer_code code =
        fer_batch_add(b, FER_STR("t.json"), fer_str_of(text), FER_FORMAT_JSON, options, err);
    if (!code) code = fer_catalog_apply(c, b, err);
    fer_batch_free(b);
    return code;
}

static inline void must_put(fer_catalog *c, const char *text)
{
    fer_err err;
    if (apply_text(c, text, NULL, &err)) fail_msg("%s", err.message);
}

static inline fer_catalog *must_catalog_of(const char *text)
{
    fer_catalog *c = must_catalog(NULL);
    must_put(c, text);
    return c;
}

#define S             "\"inputSchema\":{\"type\":\"object\"}"
#define T(name)       "{\"name\":\"" name "\"," S "}"
#define N(name)       "{\"namespace\":\"n\",\"name\":\"" name "\"," S "}"
#define V(name, v)    "{\"namespace\":\"n\",\"name\":\"" name "\",\"version\":\"" v "\"," S "}"
#define TX(name, add) "{\"name\":\"" name "\"," S "," add "}"

#endif
