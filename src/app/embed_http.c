/* SPDX-License-Identifier: Apache-2.0 */
#include "embed_http.h"

#include <ferrule/json.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "buf.h"
#include "clock.h"
#include "embed.h"
#include "embed_limits.h"
#include "errors.h"
#include "http_fetch.h"
#include "json_doc.h"
#include "json_number.h"
#include "plain_text.h"
#include "secret_net.h"
#include "sys.h"
#include "unicode.h"

#define BEARER   "Bearer "
#define ENV      "secretref:env:"
#define MS       INT64_C(1000000)
#define FIRST_MS 200 /* the first wait; each further one is twice as long */

typedef struct fer_embed_http embed_http;

const struct fer_embed_limit_row fer_embed_limit_rows[] = {
    {"search.dimensions", FER_EMBED_DIMS, false, "numbers of a vector"},
    {"embed.batch", FER_EMBED_HTTP_BATCH, false,
     "texts in one request to an embedder; more go in several"},
    {"embed.answer", FER_EMBED_HTTP_BODY, false, "bytes of its answer"},
    {"embed.time", FER_EMBED_HTTP_TIME_MS, false,
     "milliseconds of a request, with all attempts and waits"},
    {"embed.attempts", FER_EMBED_HTTP_ATTEMPTS, false, "attempts at one request"},
    {"embed.key", FER_EMBED_HTTP_KEY, false, "bytes of its key"},
    {"embed.reason", FER_EMBED_HTTP_REASON, true,
     "characters that are told of why an embedder refuses"},
    {"embed.text", FER_EMBED_HTTP_TEXT, true,
     "bytes of a text that are sent to an embedder; cut between characters"},
};
const size_t fer_embed_limit_row_count = FER_COUNT(fer_embed_limit_rows);

struct fer_embed_http {
    fer_embed_plugin face;
    pthread_mutex_t lock; /* one request at a time */
    fer_net_rules *rules;
    fer_http_fetcher *fetcher;
    fer_arena *scratch; /* of one request */
    fer_net_target server;
    fer_str url, model; /* ended by NUL, in `kept` */
    fer_arena *kept;
    size_t dimensions, length; /* asked for; of the server's vectors, 0: not known yet */
    uint32_t time_ms;
    size_t auth_len;
    char auth[sizeof BEARER + FER_EMBED_HTTP_KEY];
};

static fer_code bad_answer(const embed_http *h, fer_err *err, const char *why)
{
    return fer_fail(err, FER_INVALID_OUTPUT, "the embedder at %s port %u: %s", h->server.host,
                    h->server.port, why);
}

/* ---- what is asked -------------------------------------------------------------------------- */

static fer_code write_body(embed_http *h, const fer_str *texts, size_t count, fer_str *out,
                           fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, h->scratch, FER_HTTP_SEND_MAX);
    fer_buf_add_text(&b, "{\"model\":");
    fer_buf_add_quoted(&b, h->model);
    if (h->dimensions) fer_buf_printf(&b, ",\"dimensions\":%zu", h->dimensions);
    fer_buf_add_text(&b, ",\"encoding_format\":\"float\",\"input\":[");
    for (size_t i = 0; i < count; i++) {
        fer_str said = texts[i].len ? texts[i] : FER_STR(" "); /* servers refuse "" */
        if (i) fer_buf_add_char(&b, ',');
        fer_buf_add_quoted(&b, fer_str_head(said, FER_EMBED_HTTP_TEXT));
    }
    fer_buf_add_text(&b, "]}");
    *out = fer_buf_view(&b);
    return fer_buf_code(&b, err);
}

/* ---- why it refuses ------------------------------------------------------------------------- */

/* The server's own words: {"error": {"message"}}, {"error"} or {"message"}, as servers have it. */
static fer_str said_in(const yyjson_val *root)
{
    const yyjson_val *error = fer_is_obj(root) ? fer_val_get(root, "error") : NULL;
    const yyjson_val *said = fer_is_obj(error) ? fer_val_get(error, "message") : error;
    if (!said && fer_is_obj(root)) said = fer_val_get(root, "message");
    return fer_is_str(said) ? fer_val_str(said) : FER_STR("");
}

/* Without the key that was sent, and what looks like any other. */
static fer_code without_keys(embed_http *h, fer_str text, fer_str *out, fer_err *err)
{
    fer_str key = fer_str_slice((fer_str){h->auth, h->auth_len},
                                h->auth_len ? sizeof BEARER - 1 : 0, h->auth_len);
    fer_net *net = fer_net_new(h->scratch);
    if (!net) return fer_arena_failed(h->scratch, err);
    fer_code code = key.len ? fer_net_add(net, key, err) : FER_OK;
    if (!code) code = fer_net_weave(net, err);
    return code ? code : fer_net_clean(h->scratch, net, text, out, err);
}

/* On one line, and short. A key too short to be looked for could be anywhere in it. */
static fer_str reason_of(embed_http *h, fer_str body)
{
    fer_buf b;
    fer_json *doc;
    fer_str said;
    bool short_key = h->auth_len && h->auth_len - (sizeof BEARER - 1) < FER_NET_SHORTEST;
    if (short_key || fer_json_read(h->scratch, body, fer_json_limits_file(), &doc, NULL))
        return FER_STR("");
    if (without_keys(h, said_in(fer_json_root(doc)), &said, NULL)) return FER_STR("");
    fer_buf_init(&b, h->scratch, FER_EMBED_HTTP_BODY);
    fer_text_clean(&b, said);
    if (b.failure || !b.len) return FER_STR("");
    for (size_t i = 0; i < b.len; i++)
        if (b.ptr[i] == '\n' || b.ptr[i] == '\t') b.ptr[i] = ' ';
    return fer_utf8_cut(fer_buf_view(&b), FER_EMBED_HTTP_REASON);
}

/* ---- asking, and asking again --------------------------------------------------------------- */

/* What is said of a refused key is about the key, and may be part of it. */
static fer_code status_code(embed_http *h, const fer_http_answer *answer, fer_err *err)
{
    const char *host = h->server.host;
    unsigned port = h->server.port, status = answer->head.status;
    if (status == 401 || status == 403)
        return fer_fail(err, FER_UNAUTHENTICATED,
                        "the embedder at %s port %u refuses the key, or the lack of one (HTTP %u)",
                        host, port, status);
    fer_str why = reason_of(h, answer->body);
    if (status == 429)
        return fer_fail(err, FER_RATE_LIMITED,
                        "the embedder at %s port %u is busy (HTTP 429)%s%.*s", host, port,
                        why.len ? ": " : "", FER_PRI(why));
    return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                    "the embedder at %s port %u answered HTTP %u%s%.*s", host, port, status,
                    why.len ? ": " : "", FER_PRI(why));
}

/* Whether asking again may help: embedding has no effect, so a lost answer does no harm. */
static bool may_ask_again(fer_code code, const fer_http_answer *answer)
{
    unsigned s = answer->head.status;
    if (code) return answer->fault == FER_HTTP_LOST || answer->fault == FER_HTTP_UNCONNECTED;
    return s == 429 || s == 500 || s == 502 || s == 503 || s == 504;
}

static fer_code ask_once(embed_http *h, fer_str body, int64_t deadline_ns, fer_http_answer *answer,
                         fer_err *err)
{
    const fer_http_field fields[] = {
        {FER_STR("Content-Type"), FER_STR("application/json")},
        {FER_STR("Accept"), FER_STR("application/json")},
        {FER_STR("Authorization"), {h->auth, h->auth_len}}, /* where there is one */
    };
    const fer_http_request request = {.url = h->url,
                                      .fields = fields,
                                      .field_count = FER_COUNT(fields) - !h->auth_len,
                                      .body = body,
                                      .deadline_ns = deadline_ns,
                                      .idle_ms = h->time_ms,
                                      .body_max = FER_EMBED_HTTP_BODY};
    return fer_http_fetch(h->scratch, h->fetcher, &request, answer, err);
}

/* Waits as long as the server asks, else twice as long each time; false: there is no time. */
static bool wait_turn(embed_http *h, const fer_http_answer *answer, unsigned attempt,
                      int64_t deadline_ns)
{
    int64_t ms = fer_http_retry_after_ms(&answer->head);
    if (ms < 0) ms = (int64_t)FIRST_MS << attempt;
    if (fer_clock_mono() + ms * MS >= deadline_ns) return false;
    fer_http_fetcher_wait(h->fetcher, (uint32_t)ms);
    return true;
}

static fer_code ask(embed_http *h, fer_str body, fer_str *out, fer_err *err)
{
    fer_http_answer answer;
    int64_t deadline_ns = fer_clock_mono() + h->time_ms * MS;
    for (unsigned attempt = 0;; attempt++) {
        fer_code code = ask_once(h, body, deadline_ns, &answer, err);
        if (!code && answer.head.status == 200) {
            *out = answer.body;
            return FER_OK;
        }
        bool again = attempt + 1 < FER_EMBED_HTTP_ATTEMPTS && may_ask_again(code, &answer);
        if (!again || !wait_turn(h, &answer, attempt, deadline_ns))
            return code ? code : status_code(h, &answer, err);
    }
}

/* ---- what is answered ----------------------------------------------------------------------- */

/* Raw numbers have more digits than binary64; the first 18 are enough. */
static double raw_number(const yyjson_val *v)
{
    fer_decimal d;
    double value = 0;
    fer_number_decimal(v, &d);
    size_t used = d.count < 18 ? d.count : 18;
    for (size_t i = 0; i < used; i++) value = value * 10 + (d.digits[i] - '0');
    value *= pow(10, (double)(d.exponent - (int64_t)used));
    return d.negative ? -value : value;
}

static bool number_of(const yyjson_val *v, double *out)
{
    if (!fer_is_num(v)) return false;
    switch (fer_val_tag(v)) {
    case FER_TAG_UINT: *out = (double)v->uni.u64; break;
    case FER_TAG_SINT: *out = (double)v->uni.i64; break;
    case FER_TAG_REAL: *out = v->uni.f64; break;
    default: *out = raw_number(v);
    }
    return isfinite(*out);
}

/* Models reckon in 32 bits; zeros have no direction, and would be near to nothing. */
static fer_code check_vector(const embed_http *h, const double *vector, fer_err *err)
{
    double most = 0;
    for (size_t i = 0; i < h->length; i++) most = fmax(most, fabs(vector[i]));
    if (most > (double)FLT_MAX)
        return bad_answer(h, err, "a vector holds a number larger than any embedder's");
    return most > 0 ? FER_OK : bad_answer(h, err, "a vector holds nothing but zeros");
}

static fer_code take_vector(embed_http *h, const yyjson_val *numbers, double *out, fer_err *err)
{
    size_t i = 0;
    if (!fer_is_arr(numbers)) return bad_answer(h, err, "an embedding is no list of numbers");
    if (fer_val_len(numbers) != h->length)
        return fer_fail(err, FER_INVALID_OUTPUT,
                        "the embedder at %s port %u: a vector has %zu numbers, the first had %zu",
                        h->server.host, h->server.port, fer_val_len(numbers), h->length);
    FER_EACH_ITEM (numbers, v) {
        if (!number_of(v, &out[i++]))
            return bad_answer(h, err, "a vector holds what is no finite number");
    }
    return check_vector(h, out, err);
}

static const yyjson_val *list_of(const fer_json *doc)
{
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *data = fer_is_obj(root) ? fer_val_get(root, "data") : NULL;
    return fer_is_arr(data) ? data : NULL;
}

/* Which text an embedding is of: it says so, or its place does. SIZE_MAX: of none. */
static size_t index_of(const yyjson_val *one, size_t place, size_t count)
{
    const yyjson_val *said = fer_val_get(one, "index");
    if (!said) return place;
    bool right = fer_val_tag(said) == FER_TAG_UINT && said->uni.u64 < count;
    return right ? (size_t)said->uni.u64 : SIZE_MAX;
}

static fer_code take_vectors(embed_http *h, const yyjson_val *data, size_t count, double *out,
                             fer_err *err)
{
    bool seen[FER_EMBED_HTTP_BATCH] = {false};
    size_t place = 0;
    assert(data);
    if (fer_val_len(data) != count)
        return bad_answer(h, err, "it answers with more or fewer vectors than texts");
    FER_EACH_ITEM (data, one) {
        if (!fer_is_obj(one)) return bad_answer(h, err, "an embedding is no object");
        size_t at = index_of(one, place++, count);
        if (at == SIZE_MAX || seen[at])
            return bad_answer(h, err, "an index is of no text, or comes twice");
        seen[at] = true;
        fer_code code = take_vector(h, fer_val_get(one, "embedding"), out + at * h->length, err);
        if (code) return code;
    }
    return FER_OK;
}

/* ---- texts to vectors ----------------------------------------------------------------------- */

/* Asks for some texts; the list of what is answered is in the scratch. */
static fer_code ask_some(embed_http *h, const fer_str *texts, size_t count, const yyjson_val **out,
                         fer_err *err)
{
    fer_str body, answer = FER_STR_NONE;
    fer_json *doc;
    fer_err why;
    fer_arena_reset(h->scratch);
    fer_code code = write_body(h, texts, count, &body, err);
    if (!code) code = ask(h, body, &answer, err);
    if (code) return code;
    code = fer_json_read(h->scratch, answer, fer_json_limits_file(), &doc, &why);
    if (code == FER_OUT_OF_MEMORY) return fer_fail(err, code, "out of memory");
    if (code) return bad_answer(h, err, "what it answers is not JSON");
    *out = list_of(doc);
    return *out ? FER_OK : bad_answer(h, err, "it answers without a list \"data\"");
}

static fer_code embed(void *context, const fer_str *texts, size_t count, bool query, double *out,
                      fer_err *err)
{
    embed_http *h = context;
    fer_code code = FER_OK;
    (void)query; /* models of this kind take queries as they are */
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < count && !code; i += FER_EMBED_HTTP_BATCH) {
        size_t some = count - i < FER_EMBED_HTTP_BATCH ? count - i : FER_EMBED_HTTP_BATCH;
        const yyjson_val *data = NULL;
        code = ask_some(h, texts + i, some, &data, err);
        if (!code) code = take_vectors(h, data, some, out + i * h->length, err);
    }
    pthread_mutex_unlock(&h->lock);
    return code;
}

/* ---- making one ----------------------------------------------------------------------------- */

void fer_embed_http_free(fer_embed_http *h)
{
    if (!h) return;
    fer_http_fetcher_free(h->fetcher);
    fer_net_rules_free(h->rules);
    fer_arena_free(h->scratch);
    fer_arena_free(h->kept);
    explicit_bzero(h->auth, sizeof h->auth);
    pthread_mutex_destroy(&h->lock);
    fer_sys_free(h);
}

/* Learns how long vectors are. */
static fer_code probe(embed_http *h, fer_err *err)
{
    const fer_str text = FER_STR("tool");
    const yyjson_val *data = NULL;
    double vector[FER_EMBED_DIMS];
    fer_code code = ask_some(h, &text, 1, &data, err);
    if (code) return code;
    assert(data);
    const yyjson_val *first = fer_val_len(data) == 1 && fer_is_obj(data + 1) ? data + 1 : NULL;
    const yyjson_val *numbers = first ? fer_val_get(first, "embedding") : NULL;
    size_t length = fer_is_arr(numbers) ? fer_val_len(numbers) : 0;
    if (!length) return bad_answer(h, err, "it answers one text without one vector");
    if (length > FER_EMBED_DIMS)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "vectors of %zu numbers are longer than search.dimensions, %d", length,
                        FER_EMBED_DIMS);
    if (h->dimensions && length != h->dimensions)
        return bad_answer(h, err, "its vectors have another length than was asked for");
    h->length = h->face.dims = length;
    return take_vectors(h, data, 1, vector, err);
}

static bool is_printable(const char *s)
{
    for (; *s; s++)
        if (*s < ' ' || *s == 0x7F) return false;
    return true;
}

/* Only a reference is taken: a key on a command line is everybody's. What is wrong is not quoted.
 */
static fer_code take_key(embed_http *h, const char *reference, fer_err *err)
{
    if (!reference) return FER_OK;
    if (!fer_str_starts(fer_str_of(reference), ENV) || !reference[sizeof ENV - 1])
        return fer_fail(err, FER_BAD_USAGE,
                        "the key is named by reference, " ENV "NAME for the variable NAME; the key "
                        "itself belongs on no command line");
    const char *name = reference + sizeof ENV - 1, *key = getenv(name);
    if (!key || !key[0])
        return fer_fail(err, FER_BAD_USAGE, "the environment has no key in %s", name);
    fer_str value = fer_str_of(key);
    if (value.len > FER_EMBED_HTTP_KEY || !is_printable(key))
        return fer_fail(err, FER_BAD_USAGE, "what is in %s is too long, or no key", name);
    bool here = fer_str_is(fer_str_of(h->server.host), "localhost") ||
                fer_str_starts(fer_str_of(h->server.host), "127.") ||
                fer_str_is(fer_str_of(h->server.host), "::1");
    if (!h->server.secure && !here)
        return fer_fail(err, FER_BAD_USAGE,
                        "a key is sent by https, or to this machine; not by http to %s",
                        h->server.host);
    memcpy(h->auth, BEARER, sizeof BEARER - 1);
    memcpy(h->auth + sizeof BEARER - 1, value.ptr, value.len);
    h->auth_len = sizeof BEARER - 1 + value.len;
    return FER_OK;
}

/* The address, with one slash before "embeddings". */
static fer_code take_server(embed_http *h, const fer_embed_http_options *o, fer_err *err)
{
    fer_str base = fer_str_of(o->url);
    fer_code code = fer_net_target_parse(base, &h->server, err);
    if (code) return code;
    if (fer_str_find(base, 0, '?') != SIZE_MAX || fer_str_find(base, 0, '#') != SIZE_MAX)
        return fer_fail(err, FER_BAD_USAGE, "the URL of an embedder has no query and no fragment");
    while (base.len && base.ptr[base.len - 1] == '/') base.len--;
    h->url = fer_arena_printf(h->kept, "%.*s/embeddings", FER_PRI(base));
    h->model = fer_arena_copy(h->kept, fer_str_of(o->model));
    if (!h->url.ptr || !h->model.ptr) return fer_arena_failed(h->kept, err);
    h->face.model = h->model.ptr;
    code = fer_net_rules_allow_url(h->rules, h->url, err);
    fer_net_rules_close(h->rules);
    return code;
}

static fer_code set_up(embed_http *h, const fer_embed_http_options *o, fer_err *err)
{
    h->rules = fer_net_rules_new();
    h->scratch = fer_arena_new(0);
    h->kept = fer_arena_new(0);
    if (h->rules) h->fetcher = fer_http_fetcher_new(&(fer_http_options){.rules = h->rules});
    if (!h->fetcher || !h->scratch || !h->kept)
        return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for an embedder");
    fer_code code = take_server(h, o, err);
    if (!code) code = take_key(h, o->key, err);
    return code ? code : probe(h, err);
}

const fer_embed_plugin *fer_embed_http_plugin(const fer_embed_http *h)
{
    return &h->face;
}

fer_code fer_embed_http_new(const fer_embed_http_options *options, fer_embed_http **out,
                            fer_err *err)
{
    if (!options->model || !options->model[0])
        return fer_fail(err, FER_BAD_USAGE, "an embedder behind a URL needs the name of its model");
    if (options->dimensions > FER_EMBED_DIMS)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "vectors of %zu numbers are longer than search.dimensions, %d",
                        options->dimensions, FER_EMBED_DIMS);
    embed_http *h = fer_sys_malloc(sizeof *h);
    if (!h) return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for an embedder");
    *h = (embed_http){.face = {.name = FER_EMBED_HTTP_NAME, .embed = embed, .context = h},
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .dimensions = options->dimensions,
                      .time_ms = options->time_ms ? options->time_ms : FER_EMBED_HTTP_TIME_MS};
    fer_code code = set_up(h, options, err);
    if (code) fer_embed_http_free(h);
    else *out = h;
    return code;
}
