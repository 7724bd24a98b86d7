/* SPDX-License-Identifier: Apache-2.0 */
/*
 * llhttp calls back with pieces of texts; they are put together here. It is paused behind the head
 * and behind the message, so that heads are counted to the byte and nothing of the next request is
 * read before its time. What llhttp lets pass and we do not is in check_head and in the call-backs
 * for chunks.
 */
#include "request_reader.h"

#include "sys.h"

#define TEXT_FIRST  1024 /* bytes of a head that there is room for at first */
#define SPANS_FIRST 24
#define BODY_FIRST  1024 /* which is kept for the next request */
#define LENGTH_MAX  19   /* digits of a Content-Length: 64 bits hold them */

struct fer_field_span {
    uint32_t name, name_len, value, value_len; /* in `text` */
};

const struct fer_refusal_row fer_refusal_rows[FER_REFUSALS] = {
    [FER_REFUSE_NONE] = {"none", 200, ""},
    [FER_REFUSE_SYNTAX] = {"syntax", 400, "this is not a request of HTTP/1.1 (RFC 9112)"},
    [FER_REFUSE_METHOD] = {"method", 501, "this method is not known here"},
    [FER_REFUSE_VERSION] = {"version", 505, "only HTTP/1.1 and HTTP/1.0 are spoken here"},
    [FER_REFUSE_TARGET] = {"target", 400, "the target of a request must be a path, such as /mcp"},
    [FER_REFUSE_URI] = {"uri", 414, "the target is longer than server.uri allows"},
    [FER_REFUSE_HEAD] = {"head", 431, "the head is larger than server.head allows"},
    [FER_REFUSE_FIELDS] = {"fields", 431, "there are more fields than server.fields allows"},
    [FER_REFUSE_VALUE] = {"value", 400, "a field holds control characters"},
    [FER_REFUSE_HOST] = {"host", 400, "a request must have one Host"},
    [FER_REFUSE_LENGTH] = {"length", 400, "Content-Length must stand once and be a whole number"},
    [FER_REFUSE_FRAMING] = {"framing", 400,
                            "a request has Content-Length or Transfer-Encoding, not both"},
    [FER_REFUSE_CODING] = {"coding", 501,
                           "the only Transfer-Encoding taken here is chunked, once, in HTTP/1.1"},
    [FER_REFUSE_CHUNK] = {"chunk", 400,
                          "the chunks of the body are wrong, or have extensions or trailers"},
    [FER_REFUSE_BODY] = {"body", 413, "the body is larger than server.body allows"},
    [FER_REFUSE_EXPECT] = {"expect", 417, "the only expectation that can be met is 100-continue"},
    [FER_REFUSE_UPGRADE] = {"upgrade", 501, "no other protocol is spoken here"},
    [FER_REFUSE_OTHER_HOST] = {"other-host", 403, "this Host is not one of this server's"},
    [FER_REFUSE_ORIGIN] = {"origin", 403, "pages of this Origin may not ask here"},
    [FER_REFUSE_SLOW] = {"slow", 408, "the request took too long to arrive"},
    [FER_REFUSE_MEMORY] = {"memory", 503, "there is no memory for this request now"},
    [FER_REFUSE_BUSY] = {"busy", 503, "there are too many connections now"},
};

/* ---- gathering ------------------------------------------------------------------------------ */

void fer_request_init(fer_request *q, fer_arena *a)
{
    *q = (fer_request){.arena = a};
}

void fer_request_deinit(fer_request *q)
{
    fer_sys_free(q->body);
    *q = (fer_request){0};
}

void fer_request_empty(fer_request *q)
{
    fer_request kept = {.arena = q->arena};
    if (q->body_cap <= BODY_FIRST) {
        kept.body = q->body;
        kept.body_cap = q->body_cap;
    } else {
        fer_sys_free(q->body);
    }
    *q = kept;
}

static int refuse(fer_request_reader *r, fer_refusal why)
{
    if (!r->refusal) r->refusal = why;
    return HPE_USER;
}

/* The head is bounded by head_max, so that no sum of sizes here can overflow. */
static bool add_text(fer_request *q, const char *at, size_t len)
{
    if (len > q->text_cap - q->text_len) {
        size_t cap = q->text_cap ? q->text_cap : TEXT_FIRST;
        while (cap - q->text_len < len) cap *= 2;
        char *grown = fer_arena_grow(q->arena, q->text, q->text_cap, cap);
        if (!grown) return false;
        q->text = grown;
        q->text_cap = cap;
    }
    if (len) memcpy(q->text + q->text_len, at, len);
    q->text_len += len;
    return true;
}

static int on_url_end(llhttp_t *p)
{
    fer_request_reader *r = p->data;
    return r->request->target_len > r->limits->uri_max ? refuse(r, FER_REFUSE_URI) : 0;
}

static int on_url(llhttp_t *p, const char *at, size_t len)
{
    fer_request_reader *r = p->data;
    fer_request *q = r->request;
    if (!add_text(q, at, len)) return refuse(r, FER_REFUSE_MEMORY);
    q->target_len += len;
    return 0;
}

/*
 * llhttp passes over any number of blanks in a request line. Where the version stands tells whether
 * there was one each: METHOD SP TARGET SP HTTP/1.1.
 *
 * It is only noted here, and so are sizes: pieces are told before or after an error behind them,
 * as the bytes are cut, so that no call-back for a piece may refuse a request for what it is.
 */
static int on_version(llhttp_t *p, const char *at, size_t len)
{
    fer_request_reader *r = p->data;
    const char *method = llhttp_method_name((llhttp_method_t)llhttp_get_method(p));
    size_t place = r->head_len + (size_t)(at - r->piece);
    (void)len;
    if (r->version_seen) return 0;
    r->version_seen = true;
    size_t plain = strlen(method) + 1 + r->request->target_len + 1 + strlen("HTTP/");
    r->misplaced = place != plain;
    return 0;
}

static bool open_span(fer_request *q)
{
    if (!q->spans || q->span_count == q->span_cap) {
        size_t cap = q->span_cap ? q->span_cap * 2 : SPANS_FIRST;
        void *grown = fer_arena_grow(q->arena, q->spans, q->span_cap * sizeof *q->spans,
                                     cap * sizeof *q->spans);
        if (!grown) return false;
        q->spans = grown;
        q->span_cap = cap;
    }
    q->spans[q->span_count++] = (struct fer_field_span){.name = (uint32_t)q->text_len};
    return true;
}

/* A name is open while no byte of its value, and not its end, has come. */
static int on_field(llhttp_t *p, const char *at, size_t len)
{
    fer_request_reader *r = p->data;
    fer_request *q = r->request;
    if (r->phase != FER_READER_IN_HEAD) return refuse(r, FER_REFUSE_CHUNK); /* a trailer */
    struct fer_field_span *last = q->span_count ? &q->spans[q->span_count - 1] : NULL;
    if (!last || last->value) {
        if (!open_span(q)) return refuse(r, FER_REFUSE_MEMORY);
        last = &q->spans[q->span_count - 1];
    }
    if (!add_text(q, at, len)) return refuse(r, FER_REFUSE_MEMORY);
    last->name_len += (uint32_t)len;
    return 0;
}

static int on_field_end(llhttp_t *p)
{
    fer_request_reader *r = p->data;
    fer_request *q = r->request;
    if (r->phase != FER_READER_IN_HEAD) return refuse(r, FER_REFUSE_CHUNK);
    if (q->span_count > r->limits->fields_max) return refuse(r, FER_REFUSE_FIELDS);
    /* Behind the target and a name, so never 0. */
    q->spans[q->span_count - 1].value = (uint32_t)q->text_len;
    return 0;
}

static int on_value(llhttp_t *p, const char *at, size_t len)
{
    fer_request_reader *r = p->data;
    fer_request *q = r->request;
    if (r->phase != FER_READER_IN_HEAD) return refuse(r, FER_REFUSE_CHUNK);
    if (!add_text(q, at, len)) return refuse(r, FER_REFUSE_MEMORY);
    q->spans[q->span_count - 1].value_len += (uint32_t)len;
    return 0;
}

static int on_extension(llhttp_t *p, const char *at, size_t len)
{
    (void)at;
    (void)len;
    return refuse(p->data, FER_REFUSE_CHUNK);
}

static int on_chunk(llhttp_t *p)
{
    fer_request_reader *r = p->data;
    return p->content_length > r->limits->body_max - r->body_len ? refuse(r, FER_REFUSE_BODY) : 0;
}

/* Room is made as bytes come, never for what is only announced; twice as much each time. */
static bool room_for(fer_request *q, size_t len, size_t max)
{
    if (len <= q->body_cap - q->body_len) return true;
    size_t cap = q->body_cap ? q->body_cap : BODY_FIRST;
    while (cap - q->body_len < len) cap *= 2;
    if (cap > max) cap = max;
    char *grown = fer_sys_malloc(cap);
    if (!grown) return false;
    if (q->body_len) memcpy(grown, q->body, q->body_len);
    fer_sys_free(q->body);
    q->body = grown;
    q->body_cap = cap;
    return true;
}

static int on_body(llhttp_t *p, const char *at, size_t len)
{
    fer_request_reader *r = p->data;
    fer_request *q = r->request;
    if (len > r->limits->body_max - r->body_len) return refuse(r, FER_REFUSE_BODY);
    r->body_len += len;
    if (!q || !len) return 0;
    if (!room_for(q, len, r->limits->body_max)) return refuse(r, FER_REFUSE_MEMORY);
    memcpy(q->body + q->body_len, at, len);
    q->body_len += len;
    return 0;
}

static int on_head_end(llhttp_t *p)
{
    (void)p;
    return HPE_PAUSED;
}

static int on_message_end(llhttp_t *p)
{
    fer_request_reader *r = p->data;
    r->phase = FER_READER_DONE;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_url = on_url,
    .on_url_complete = on_url_end,
    .on_version = on_version,
    .on_header_field = on_field,
    .on_header_field_complete = on_field_end,
    .on_header_value = on_value,
    .on_chunk_extension_name = on_extension,
    .on_chunk_extension_value = on_extension,
    .on_chunk_header = on_chunk,
    .on_headers_complete = on_head_end,
    .on_body = on_body,
    .on_message_complete = on_message_end,
};

/* ---- what a head must be -------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static fer_str trim(fer_str s)
{
    while (s.len && is_blank(s.ptr[s.len - 1])) s.len--;
    while (s.len && is_blank(s.ptr[0])) s = fer_str_slice(s, 1, s.len);
    return s;
}

/* RFC 9110 5.5 lets tabs stand around a value. Some take them for a part of it, which must not
 * be so where it says for whom a request is. */
static bool is_loose_host(fer_str name, fer_str value)
{
    return name.len == 4 && fer_str_find(value, 0, '\t') != SIZE_MAX &&
           fer_str_eq_nocase(name, FER_STR("host"));
}

static bool is_value(fer_str s)
{
    if (fer_str_is_plain(s)) return true;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7F) return false;
    }
    return true;
}

/* Texts do not move any more: offsets become fields. */
static fer_refusal make_fields(fer_request *q)
{
    q->target = (fer_str){q->text, q->target_len};
    q->fields = fer_arena_alloc(q->arena, (q->span_count + 1) * sizeof *q->fields);
    if (!q->fields) return FER_REFUSE_MEMORY;
    for (size_t i = 0; i < q->span_count; i++) {
        const struct fer_field_span *s = &q->spans[i];
        fer_str whole = {q->text + s->value, s->value_len}, value = trim(whole);
        fer_str name = {q->text + s->name, s->name_len};
        if (is_loose_host(name, whole) || !is_value(value)) return FER_REFUSE_VALUE;
        q->fields[i] = (fer_http_field){name, value};
    }
    q->field_count = q->span_count;
    return FER_REFUSE_NONE;
}

static bool is_hex(char c)
{
    return fer_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* %XX, and no NUL: what others decode must not end there. */
static bool is_escape(fer_str target, size_t at)
{
    return target.len - at > 2 && is_hex(target.ptr[at + 1]) && is_hex(target.ptr[at + 2]) &&
           (target.ptr[at + 1] != '0' || target.ptr[at + 2] != '0');
}

/* A path with visible ASCII in it and no fragment; "*" asks about the server (RFC 9112 3.2). */
static bool is_target(fer_str target, uint8_t method)
{
    if (method == HTTP_OPTIONS && fer_str_is(target, "*")) return true;
    if (!target.len || target.ptr[0] != '/') return false;
    for (size_t i = 0; i < target.len; i++) {
        char c = target.ptr[i];
        if (c <= ' ' || c >= 0x7F || c == '#' || c == '\\' || c == '"' || c == '<' || c == '>')
            return false;
        if (c == '%' && !is_escape(target, i)) return false;
    }
    return true;
}

static bool is_digits(fer_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!fer_is_digit(s.ptr[i])) return false;
    return s.len > 0 && s.len <= LENGTH_MAX;
}

/* The fields that say how a request is framed and where it goes, each with how often it stands. */
struct framing {
    fer_str length, coding, expect;
    size_t lengths, codings, expects, hosts, upgrades;
};

static struct framing gather_framing(const fer_request *q)
{
    struct framing f = {0};
    const struct {
        fer_str name;
        size_t *count;
        fer_str *value;
    } rows[] = {
        {FER_STR("host"), &f.hosts, NULL},
        {FER_STR("content-length"), &f.lengths, &f.length},
        {FER_STR("transfer-encoding"), &f.codings, &f.coding},
        {FER_STR("expect"), &f.expects, &f.expect},
        {FER_STR("upgrade"), &f.upgrades, NULL},
    };
    for (size_t i = 0; i < q->field_count; i++) {
        fer_str name = q->fields[i].name;
        for (size_t k = 0; k < FER_COUNT(rows); k++) {
            if (name.len != rows[k].name.len || !fer_str_eq_nocase(name, rows[k].name)) continue;
            ++*rows[k].count;
            if (rows[k].value) *rows[k].value = q->fields[i].value;
        }
    }
    return f;
}

static fer_refusal check_framing(const fer_request_reader *r, const struct framing *f)
{
    const fer_request *q = r->request;
    uint64_t length = 0;
    if (f->hosts > 1 || (!f->hosts && q->one_one)) return FER_REFUSE_HOST;
    if (f->lengths && f->codings) return FER_REFUSE_FRAMING;
    if (f->lengths > 1 || (f->lengths && !is_digits(f->length))) return FER_REFUSE_LENGTH;
    if (f->lengths && (!fer_parse_u64(f->length, &length) || length > r->limits->body_max))
        return FER_REFUSE_BODY;
    if (f->codings > 1) return FER_REFUSE_CODING;
    if (f->codings && (!q->one_one || !fer_str_eq_nocase(f->coding, FER_STR("chunked"))))
        return FER_REFUSE_CODING;
    if (f->codings && !(r->parser.flags & F_CHUNKED)) return FER_REFUSE_CODING; /* to llhttp */
    if (f->upgrades || r->parser.upgrade) return FER_REFUSE_UPGRADE;
    if (f->expects > 1 || (f->expects && !fer_str_eq_nocase(f->expect, FER_STR("100-continue"))))
        return FER_REFUSE_EXPECT;
    return FER_REFUSE_NONE;
}

static fer_refusal check_head(fer_request_reader *r)
{
    fer_request *q = r->request;
    uint8_t method = llhttp_get_method(&r->parser);
    int major = llhttp_get_http_major(&r->parser), minor = llhttp_get_http_minor(&r->parser);
    fer_refusal why = make_fields(q);
    if (why) return why;
    if (major != 1 || minor > 1) return FER_REFUSE_VERSION;
    if (r->misplaced) return FER_REFUSE_SYNTAX;
    if (method == HTTP_CONNECT) return FER_REFUSE_METHOD;
    if (!is_target(q->target, method)) return FER_REFUSE_TARGET;
    q->method = fer_str_of(llhttp_method_name((llhttp_method_t)method));
    q->one_one = minor == 1;
    struct framing f = gather_framing(q);
    why = check_framing(r, &f);
    if (why) return why;
    q->continues = f.expects && q->one_one && fer_reader_expects_body(r);
    q->keep_alive = q->one_one && llhttp_should_keep_alive(&r->parser);
    return FER_REFUSE_NONE;
}

/* ---- reading -------------------------------------------------------------------------------- */

void fer_request_reader_init(fer_request_reader *r, const fer_reader_limits *limits)
{
    *r = (fer_request_reader){.limits = limits, .phase = FER_READER_DONE};
    llhttp_init(&r->parser, HTTP_REQUEST, &settings);
    r->parser.data = r;
}

void fer_reader_begin(fer_request_reader *r, fer_request *q)
{
    assert(r->phase == FER_READER_DONE || r->phase == FER_READER_REST);
    llhttp_reset(&r->parser);
    r->request = q;
    r->phase = FER_READER_REST;
    r->head_len = r->body_len = 0;
    r->version_seen = r->misplaced = false;
}

bool fer_reader_expects_body(const fer_request_reader *r)
{
    return (r->parser.flags & F_CHUNKED) || r->parser.content_length > 0;
}

static fer_read_step refused(fer_request_reader *r, fer_refusal why)
{
    if (!r->refusal) r->refusal = why;
    r->phase = FER_READER_REFUSED;
    return FER_READ_REFUSED;
}

static fer_refusal refusal_of(const fer_request_reader *r, llhttp_errno_t e)
{
    switch (e) {
    case HPE_INVALID_METHOD: return FER_REFUSE_METHOD;
    case HPE_INVALID_VERSION: /* or what stands behind a good one */
        return r->parser.http_major == 1 && r->parser.http_minor <= 1 ? FER_REFUSE_SYNTAX
                                                                      : FER_REFUSE_VERSION;
    case HPE_PAUSED_H2_UPGRADE: return FER_REFUSE_VERSION;
    case HPE_INVALID_URL: return FER_REFUSE_TARGET;
    case HPE_PAUSED_UPGRADE: return FER_REFUSE_UPGRADE;
    case HPE_INVALID_CONTENT_LENGTH:
    case HPE_UNEXPECTED_CONTENT_LENGTH:
        return r->parser.flags & F_TRANSFER_ENCODING ? FER_REFUSE_FRAMING : FER_REFUSE_LENGTH;
    case HPE_INVALID_TRANSFER_ENCODING:
        return r->parser.flags & F_CONTENT_LENGTH ? FER_REFUSE_FRAMING : FER_REFUSE_CODING;
    default: return FER_REFUSE_SYNTAX;
    }
}

/* Runs the parser over some bytes; how many of them it used up. */
static size_t run(fer_request_reader *r, fer_str bytes, llhttp_errno_t *e)
{
    r->piece = bytes.ptr;
    *e = llhttp_execute(&r->parser, bytes.ptr, bytes.len);
    if (*e == HPE_OK) return bytes.len;
    if (*e != HPE_PAUSED) return 0;
    size_t used = (size_t)(llhttp_get_error_pos(&r->parser) - bytes.ptr);
    llhttp_resume(&r->parser);
    return used;
}

static fer_read_step feed_head(fer_request_reader *r, fer_str *bytes)
{
    llhttp_errno_t e;
    size_t room = r->limits->head_max - r->head_len;
    if (r->phase == FER_READER_REST) {
        /* llhttp would pass over empty lines; methods are upper case. */
        if (bytes->ptr[0] < 'A' || bytes->ptr[0] > 'Z') return refused(r, FER_REFUSE_SYNTAX);
        r->phase = FER_READER_IN_HEAD;
    }
    size_t used = run(r, (fer_str){bytes->ptr, bytes->len < room ? bytes->len : room}, &e);
    if (e != HPE_OK && e != HPE_PAUSED) return refused(r, refusal_of(r, e));
    *bytes = fer_str_slice(*bytes, used, bytes->len);
    r->head_len += used;
    if (e == HPE_OK)
        return r->head_len < r->limits->head_max
                   ? FER_READ_MORE
                   : refused(r, r->version_seen ? FER_REFUSE_HEAD : FER_REFUSE_URI);
    fer_refusal why = check_head(r);
    if (why) return refused(r, why);
    r->phase = FER_READER_IN_BODY;
    return FER_READ_HEAD;
}

/* Of a request without a body the parser tells the end when it is asked to go on, with no byte. */
static fer_read_step feed_body(fer_request_reader *r, fer_str *bytes)
{
    llhttp_errno_t e;
    size_t used = run(r, *bytes, &e);
    if (e != HPE_OK && e != HPE_PAUSED) return refused(r, FER_REFUSE_CHUNK);
    *bytes = fer_str_slice(*bytes, used, bytes->len);
    return r->phase == FER_READER_DONE ? FER_READ_WHOLE : FER_READ_MORE;
}

fer_read_step fer_reader_feed(fer_request_reader *r, fer_str *bytes)
{
    if (r->phase == FER_READER_REFUSED) return FER_READ_REFUSED;
    assert(r->phase != FER_READER_DONE);
    if (r->phase == FER_READER_IN_BODY) return feed_body(r, bytes);
    return bytes->len ? feed_head(r, bytes) : FER_READ_MORE;
}
