/* SPDX-License-Identifier: Apache-2.0 */
/* What discovery shows, written as JSON; the texts that search and embeddings are made from. */
#include "shown.h"

#include <stdlib.h>

#include "arena.h"
#include "errors.h"
#include "json_value.h"
#include "unicode.h"
#include "view.h"

/* ---- writing -------------------------------------------------------------------------------- */

void fer_shown_key(fer_buf *b, const char *key)
{
    if (b->len && b->ptr[b->len - 1] != '{') fer_buf_add_char(b, ',');
    fer_buf_printf(b, "\"%s\":", key);
}

void fer_shown_text(fer_buf *b, const char *key, fer_str text)
{
    if (!text.len) return;
    fer_shown_key(b, key);
    fer_buf_add_quoted(b, text);
}

void fer_shown_texts(fer_buf *b, const char *key, const fer_texts *list)
{
    if (!list->count) return;
    fer_shown_key(b, key);
    for (size_t i = 0; i < list->count; i++) {
        fer_buf_add_char(b, i ? ',' : '[');
        fer_buf_add_quoted(b, list->list[i]);
    }
    fer_buf_add_char(b, ']');
}

static fer_code finish(const fer_buf *b, fer_str *out, fer_err *err)
{
    if (b->failure) return fer_buf_code(b, err);
    *out = fer_buf_view(b);
    return FER_OK;
}

static void add_summary(fer_buf *b, const fer_summary *s)
{
    fer_buf_add_text(b, "{\"id\":");
    fer_buf_add_quoted(b, s->id);
    fer_buf_add_text(b, ",\"name\":");
    fer_buf_add_quoted(b, s->name);
    fer_shown_text(b, "namespace", s->ns);
    fer_shown_text(b, "shortDescription", s->short_description);
    fer_shown_text(b, "summary", s->summary);
    fer_shown_text(b, "category", s->category);
    fer_shown_texts(b, "inputModes", &s->input_modes);
    fer_shown_texts(b, "outputModes", &s->output_modes);
    fer_shown_text(b, "securitySummary", s->security_summary);
    fer_shown_texts(b, "tags", &s->tags);
    fer_buf_add_char(b, '}');
}

fer_code fer_summary_write(fer_arena *a, const fer_summary *s, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    add_summary(&b, s);
    return finish(&b, out, err);
}

fer_code fer_discovery_doc_write(fer_arena *a, const fer_discovery_doc *d, fer_str *out,
                                 fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "{\"ID\":");
    fer_buf_add_quoted(&b, d->id);
    fer_buf_add_text(&b, ",\"DocText\":");
    fer_buf_add_quoted(&b, d->doc_text);
    fer_buf_add_text(&b, ",\"Summary\":");
    add_summary(&b, &d->summary);
    fer_buf_add_char(&b, '}');
    return finish(&b, out, err);
}

fer_code fer_document_write(fer_arena *a, const fer_document *d, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "{\"id\":");
    fer_buf_add_quoted(&b, d->id);
    fer_shown_text(&b, "namespace", d->ns);
    fer_buf_add_text(&b, ",\"name\":");
    fer_buf_add_quoted(&b, d->name);
    fer_shown_text(&b, "description", d->description);
    fer_shown_texts(&b, "tags", &d->tags);
    fer_shown_text(&b, "category", d->category);
    fer_buf_add_text(&b, ",\"text\":");
    fer_buf_add_quoted(&b, d->text);
    fer_buf_add_char(&b, '}');
    return finish(&b, out, err);
}

fer_code fer_hit_write(fer_arena *a, const fer_hit *h, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "{\"summary\":");
    add_summary(&b, &h->summary);
    fer_buf_printf(&b, ",\"score\":%.6g,\"scoreType\":\"%s\"}", h->score, h->score_type);
    return finish(&b, out, err);
}

/* ---- normalised texts --------------------------------------------------------------------------
 */

static void add_code_point(fer_buf *b, uint32_t c)
{
    char out[4];
    size_t n = 0;
    if (c < 0x80) {
        out[n++] = (char)c;
    } else if (c < 0x800) {
        out[n++] = (char)(0xC0 | c >> 6);
    } else if (c < 0x10000) {
        out[n++] = (char)(0xE0 | c >> 12);
        out[n++] = (char)(0x80 | (c >> 6 & 63));
    } else {
        out[n++] = (char)(0xF0 | c >> 18);
        out[n++] = (char)(0x80 | (c >> 12 & 63));
        out[n++] = (char)(0x80 | (c >> 6 & 63));
    }
    if (c >= 0x80) out[n++] = (char)(0x80 | (c & 63));
    fer_buf_add(b, (fer_str){out, n});
}

/* Appends a text in lower case, behind one blank where something stands already. */
static void add_lower(fer_buf *b, fer_str s)
{
    if (s.len && b->len) fer_buf_add_char(b, ' ');
    for (size_t at = 0; at < s.len;) {
        unsigned char c = (unsigned char)s.ptr[at];
        if (c < 0x80) {
            fer_buf_add_char(b, fer_lower((char)c));
            at++;
        } else {
            add_code_point(b, fer_unicode_lower(fer_utf8_next(s, &at)));
        }
    }
}

static void add_lower_list(fer_buf *b, const fer_texts *list)
{
    for (size_t i = 0; i < list->count; i++) add_lower(b, list->list[i]);
}

/* The description in full, which only the definition has. */
static fer_code description_of(fer_arena *a, const fer_body *b, fer_str *out, fer_err *err)
{
    fer_json *doc;
    fer_code code =
        fer_json_read(a, fer_body_text(b, FER_TEXT_DEFINITION), fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *text = fer_is_obj(root) ? fer_val_get(root, "description") : NULL;
    *out = fer_is_str(text) ? fer_val_str(text) : FER_STR("");
    return FER_OK;
}

static fer_code finish_text(const fer_buf *b, fer_str *out, fer_err *err)
{
    if (b->failure) return fer_buf_code(b, err);
    *out = b->ptr ? fer_buf_view(b) : FER_STR("");
    return FER_OK;
}

static fer_code discovery_doc_of(fer_arena *a, const fer_body *body, fer_discovery_doc *out,
                                 fer_err *err)
{
    fer_discovery_doc d = {0};
    fer_str description = FER_STR("");
    fer_buf b;
    fer_code code = fer_body_summary(a, body, &d.summary, err);
    d.id = d.summary.id;
    if (!code) code = description_of(a, body, &description, err);
    if (code) return code;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    add_lower(&b, d.summary.name);
    add_lower(&b, d.summary.ns);
    add_lower(&b, description);
    add_lower(&b, d.summary.summary);
    add_lower(&b, d.summary.category);
    add_lower_list(&b, &d.summary.input_modes);
    add_lower_list(&b, &d.summary.output_modes);
    add_lower_list(&b, &d.summary.tags);
    code = finish_text(&b, &d.doc_text, err);
    if (!code) *out = d;
    return code;
}

static int by_text(const void *x, const void *y)
{
    return fer_str_cmp(*(const fer_str *)x, *(const fer_str *)y);
}

static fer_code document_of(fer_arena *a, const fer_body *body, fer_document *out, fer_err *err)
{
    fer_summary s;
    fer_buf b;
    fer_code code = fer_body_summary(a, body, &s, err);
    if (code) return code;
    /* Tags of a catalogue are in lower case; the list is ours to sort. */
    if (s.tags.count)
        qsort((void *)(uintptr_t)s.tags.list, s.tags.count, sizeof *s.tags.list, by_text);
    fer_document d = {.id = s.id,
                      .ns = s.ns,
                      .name = s.name,
                      .description = s.short_description,
                      .tags = s.tags,
                      .category = s.category};
    fer_buf_init(&b, a, SIZE_MAX / 4);
    add_lower(&b, s.name);
    add_lower(&b, s.ns);
    add_lower(&b, s.short_description);
    add_lower(&b, s.category);
    add_lower_list(&b, &s.tags);
    code = finish_text(&b, &d.text, err);
    if (!code) *out = d;
    return code;
}

/* ---- of one tool -------------------------------------------------------------------------------
 */

fer_code fer_view_summary(fer_arena *a, const fer_view *v, fer_str id, fer_summary *out,
                          fer_err *err)
{
    const fer_body *b;
    fer_code code = fer_view_body(v, id, &b, err);
    return code ? code : fer_body_summary(a, b, out, err);
}

fer_code fer_view_discovery_doc(fer_arena *a, const fer_view *v, fer_str id, fer_discovery_doc *out,
                                fer_err *err)
{
    const fer_body *b;
    fer_code code = fer_view_body(v, id, &b, err);
    return code ? code : discovery_doc_of(a, b, out, err);
}

fer_code fer_view_document(fer_arena *a, const fer_view *v, fer_str id, fer_document *out,
                           fer_err *err)
{
    const fer_body *b;
    fer_code code = fer_view_body(v, id, &b, err);
    return code ? code : document_of(a, b, out, err);
}

static fer_code copy_out(fer_arena *a, fer_str text, fer_str *out, fer_err *err)
{
    fer_str copy = fer_arena_copy(a, text);
    if (!copy.ptr) return fer_arena_failed(a, err);
    *out = copy;
    return FER_OK;
}

fer_code fer_view_definition(fer_arena *a, const fer_view *v, fer_str id, fer_str *out,
                             fer_err *err)
{
    const fer_body *b;
    fer_code code = fer_view_body(v, id, &b, err);
    return code ? code : copy_out(a, fer_body_text(b, FER_TEXT_DEFINITION), out, err);
}

fer_code fer_view_pending(fer_arena *a, const fer_view *v, fer_str id, fer_str *out, fer_err *err)
{
    const fer_body *b;
    fer_value *e = fer_table_get(&v->pending, id);
    if (!e)
        return fer_fail(err, FER_TOOL_NOT_FOUND, "no definition of \"%.*s\" is held back",
                        FER_PRI(id));
    fer_code code = fer_entry_body((fer_entry *)(void *)e, &b, err);
    return code ? code : copy_out(a, fer_body_text(b, FER_TEXT_DEFINITION), out, err);
}

/* ---- backends
 * ------------------------------------------------------------------------------------ */

size_t fer_backend_default(void *context, fer_str id, const fer_backend *backends, size_t count)
{
    size_t best = 0;
    (void)context;
    (void)id;
    /* The kinds are declared in this order. */
    for (size_t i = 1; i < count; i++) {
        if (backends[i].kind < backends[best].kind) best = i;
    }
    return best;
}

fer_code fer_view_backends(fer_arena *a, const fer_view *v, fer_str id,
                           fer_backend_selector *selector, void *context, fer_backend **out,
                           size_t *count, size_t *chosen, fer_err *err)
{
    const fer_body *b;
    fer_backend *list;
    size_t n = 0;
    fer_code code = fer_view_body(v, id, &b, err);
    if (!code) code = fer_body_backends(a, b, &list, &n, err);
    if (code) return code;
    if (chosen) {
        fer_str own = fer_body_text(b, FER_TEXT_ID);
        size_t choice = !n         ? n
                        : selector ? selector(context, own, list, n)
                                   : fer_backend_default(NULL, own, list, n);
        if (choice >= n)
            return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                            n ? "none of the backends of \"%.*s\" will do"
                              : "\"%.*s\" has no backend",
                            FER_PRI(own));
        *chosen = choice;
    }
    *out = list;
    *count = n;
    return FER_OK;
}
