/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_line.h"

#include "clock.h"
#include "errors.h"
#include "json_doc.h"
#include "json_write.h"
#include "print.h"

const char *const fer_ledger_type_names[FER_LEDGER_TYPES] = {
    "open",       "begin",     "attempt",    "end",      "late",   "denied",
    "policy",     "circuit",   "definition", "approval", "config", "clock_jump",
    "checkpoint", "recovered", "pruned",     "shutdown"};

#define DOMAIN     FER_STR("ledger/v1\n")
#define HASH_SPACE (sizeof("\"hash\":\"\",") - 1 + FER_DIGEST_HEX)

fer_ledger_type fer_ledger_type_of(fer_str name)
{
    int t = 0;
    while (t < FER_LEDGER_TYPES && !fer_str_is(name, fer_ledger_type_names[t])) t++;
    return (fer_ledger_type)t;
}

/* ---- writing -----------------------------------------------------------------------------------
 */

static char *put_u64(char *to, uint64_t n)
{
    return to + fer_print_u64(to, n);
}

size_t fer_line_write(char *to, fer_line *l, fer_digest *d)
{
    unsigned char sum[FER_DIGEST_SIZE];
    char *p = fer_put(fer_put(to, FER_STR("{\"body\":")), l->body);
    p = fer_put(fer_put(fer_put(p, FER_STR(",\"boot\":\"")), l->boot), FER_STR("\","));
    char *hash = p;
    l->hash_at = (size_t)(hash - to);
    p = put_u64(fer_put(p + HASH_SPACE, FER_STR("\"mono\":")), l->mono);
    p = fer_put(fer_put(p, FER_STR(",\"prev\":\"")), l->prev);
    p = put_u64(fer_put(p, FER_STR("\",\"seq\":")), l->seq);
    p = fer_put(fer_put(p, FER_STR(",\"t\":\"")), l->time);
    p = fer_put(fer_put(p, FER_STR("\",\"tenant\":\"")), l->tenant);
    p = fer_put(fer_put(p, FER_STR("\",\"tprev\":\"")), l->tprev);
    p = fer_put(fer_put(p, FER_STR("\",\"type\":\"")), fer_str_of(fer_ledger_type_names[l->type]));
    p = fer_put(p, FER_STR("\",\"v\":1}"));
    fer_str head = {to, l->hash_at};
    fer_str rest = {hash + HASH_SPACE, (size_t)(p - hash) - HASH_SPACE};
    if (!fer_digest_of(d, DOMAIN, head, rest, sum)) return 0;
    fer_digest_hex(l->hash, sum, sizeof sum);
    hash = fer_put(hash, FER_STR("\"hash\":\""));
    fer_put(fer_put(hash, (fer_str){l->hash, FER_DIGEST_HEX}), FER_STR("\","));
    *p++ = '\n';
    return (size_t)(p - to);
}

/* ---- reading -----------------------------------------------------------------------------------
 */

/* What is left of a line, read from its end to its start. */
struct rest {
    const char *ptr;
    size_t len;
    bool bad;
};

static void back(struct rest *r, fer_str word)
{
    if (r->bad || r->len < word.len || memcmp(r->ptr + r->len - word.len, word.ptr, word.len) != 0)
        r->bad = true;
    else r->len -= word.len;
}

static fer_str back_fixed(struct rest *r, size_t size)
{
    if (r->bad || r->len < size) {
        r->bad = true;
        return FER_STR_NONE;
    }
    r->len -= size;
    return (fer_str){r->ptr + r->len, size};
}

static fer_str back_hash(struct rest *r)
{
    fer_str s = back_fixed(r, FER_DIGEST_HEX);
    for (size_t i = 0; i < s.len; i++)
        if (!fer_is_digit(s.ptr[i]) && !(s.ptr[i] >= 'a' && s.ptr[i] <= 'f')) r->bad = true;
    return s;
}

/* Digits without a leading zero. */
static uint64_t back_number(struct rest *r)
{
    size_t end = r->len;
    uint64_t n = 0;
    while (!r->bad && r->len && fer_is_digit(r->ptr[r->len - 1])) r->len--;
    fer_str digits = {r->ptr + r->len, end - r->len};
    if (r->bad || !fer_parse_u64(digits, &n) || (digits.len > 1 && digits.ptr[0] == '0'))
        r->bad = true;
    return n;
}

/* The inside of a string that begins with a quote: none is inside without a backslash before it. */
static fer_str back_string(struct rest *r, size_t max)
{
    size_t end = r->len;
    while (!r->bad && r->len && end - r->len <= max) {
        bool quote = r->ptr[r->len - 1] == '"';
        if (quote && (r->len < 2 || r->ptr[r->len - 2] != '\\')) break;
        r->len--;
    }
    if (r->len == 0 || end - r->len > max) r->bad = true;
    return (fer_str){r->ptr + r->len, end - r->len};
}

bool fer_line_read(fer_str text, fer_line *out)
{
    struct rest r = {text.ptr, text.len, false};
    fer_line l;
    back(&r, FER_STR("\",\"v\":1}"));
    fer_str type = back_string(&r, 16);
    back(&r, FER_STR("\",\"type\":\""));
    l.tprev = back_hash(&r);
    back(&r, FER_STR("\",\"tprev\":\""));
    l.tenant = back_string(&r, (size_t)6 * FER_LEDGER_TENANT);
    back(&r, FER_STR("\",\"tenant\":\""));
    l.time = back_fixed(&r, 24);
    back(&r, FER_STR(",\"t\":\""));
    l.seq = back_number(&r);
    back(&r, FER_STR("\",\"seq\":"));
    l.prev = back_hash(&r);
    back(&r, FER_STR(",\"prev\":\""));
    l.mono = back_number(&r);
    back(&r, FER_STR("\",\"mono\":"));
    fer_str hash = back_hash(&r);
    back(&r, FER_STR("\"hash\":\""));
    l.hash_at = r.len;
    back(&r, FER_STR("\","));
    l.boot = back_fixed(&r, FER_LINE_BOOT);
    back(&r, FER_STR(",\"boot\":\""));
    l.type = fer_ledger_type_of(type);
    if (r.bad || l.type == FER_LEDGER_TYPES || r.len < 10 || r.len > FER_LEDGER_BODY + 8)
        return false;
    if (memcmp(r.ptr, "{\"body\":{", 9) != 0 || r.ptr[r.len - 1] != '}') return false;
    l.body = (fer_str){r.ptr + 8, r.len - 8};
    memcpy(l.hash, hash.ptr, FER_DIGEST_HEX);
    *out = l;
    return true;
}

bool fer_line_holds(fer_str text, const fer_line *l, fer_digest *d)
{
    unsigned char sum[FER_DIGEST_SIZE];
    char hex[FER_DIGEST_HEX];
    size_t behind = l->hash_at + HASH_SPACE;
    /* The member `hash` ends in `",`, of which fer_line_read has seen the quote with "mono". */
    if (behind > text.len) return false;
    if (!fer_digest_of(d, DOMAIN, fer_str_slice(text, 0, l->hash_at),
                       fer_str_slice(text, behind, text.len), sum))
        return false;
    fer_digest_hex(hex, sum, sizeof sum);
    return memcmp(hex, l->hash, sizeof hex) == 0;
}

/* ---- texts -------------------------------------------------------------------------------------
 */

/* Bytes of a character at `at` that is written as an escape, 0: it stands for itself. */
static size_t odd_len(fer_str s, size_t at, unsigned *code)
{
    unsigned char c = (unsigned char)s.ptr[at];
    if (c == 0x7F) {
        *code = c;
        return 1;
    }
    if (c == 0xC2 && at + 1 < s.len && (unsigned char)s.ptr[at + 1] < 0xA0) {
        *code = (unsigned char)s.ptr[at + 1];
        return 2;
    }
    if (c == 0xE2 && at + 2 < s.len && (unsigned char)s.ptr[at + 1] == 0x80) {
        unsigned char last = (unsigned char)s.ptr[at + 2];
        *code = 0x2000u | (last & 0x3Fu);
        return last == 0xA8 || last == 0xA9 ? 3 : 0;
    }
    return 0;
}

/* Whether there is no byte from 0x7F on: eight at a time. */
static bool is_low(fer_str json)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t word, odd = 0;
    size_t at = 0;
    for (; json.len - at >= sizeof word; at += sizeof word) {
        memcpy(&word, json.ptr + at, sizeof word);
        odd |= word | (word + ones); /* the top bit, from 0x7F on */
    }
    for (; at < json.len; at++) odd |= (unsigned char)json.ptr[at] >= 0x7F ? tops : 0;
    return !(odd & tops);
}

bool fer_line_is_tame(fer_str json)
{
    unsigned code;
    if (is_low(json)) return true;
    for (size_t at = 0; at < json.len; at++)
        if ((unsigned char)json.ptr[at] >= 0x7F && odd_len(json, at, &code)) return false;
    return true;
}

/* What JSON leaves as it is, though some readers take it for the end of a line or obey it. */
static void add_tame(fer_buf *b, fer_str json)
{
    size_t from = 0;
    unsigned code;
    for (size_t at = 0; at < json.len;) {
        size_t odd = (unsigned char)json.ptr[at] < 0x7F ? 0 : odd_len(json, at, &code);
        if (!odd) {
            at++;
            continue;
        }
        fer_buf_add(b, fer_str_slice(json, from, at));
        fer_buf_printf(b, "\\u%c%c%c%c", "0123456789abcdef"[code >> 12 & 15],
                       "0123456789abcdef"[code >> 8 & 15], "0123456789abcdef"[code >> 4 & 15],
                       "0123456789abcdef"[code & 15]);
        at += odd;
        from = at;
    }
    fer_buf_add(b, fer_str_slice(json, from, json.len));
}

static bool is_utf8(fer_str s)
{
    for (size_t at = 0; at < s.len;) {
        size_t n = fer_utf8_len(s, at);
        if (n == 0) return false;
        at += n;
    }
    return true;
}

bool fer_line_escape(fer_str text, char *to, size_t size, size_t *len)
{
    char plain[6 * FER_LEDGER_TENANT];
    fer_buf first, b;
    if (!is_utf8(text)) return false;
    fer_buf_init_fixed(&first, plain, sizeof plain);
    fer_buf_add_escaped(&first, text);
    fer_buf_init_fixed(&b, to, size);
    if (!first.failure) add_tame(&b, fer_buf_view(&first));
    if (first.failure || b.failure) return false;
    *len = b.len;
    return true;
}

fer_code fer_line_body(fer_arena *a, fer_str json, fer_str *out, const yyjson_val **root,
                       fer_err *err)
{
    fer_json *doc;
    fer_str canonical;
    fer_buf b;
    fer_code code = fer_json_read(a, json, NULL, &doc, err);
    if (code) return code;
    *root = fer_json_root(doc);
    if (!fer_is_obj(*root))
        return fer_fail(err, FER_INVALID_TYPE, "the body of a record is an object, not %s",
                        fer_val_type_name(*root));
    code = fer_json_canonical(a, *root, &canonical, err);
    if (code) return code;
    if (canonical.len <= FER_LEDGER_BODY && fer_line_is_tame(canonical)) {
        *out = canonical;
        return FER_OK;
    }
    fer_buf_init(&b, a, FER_LEDGER_BODY);
    add_tame(&b, canonical);
    if (b.failure == FER_LIMIT_EXCEEDED && !b.arena_failed)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "ledger.body: more than %zu bytes",
                        FER_LEDGER_BODY);
    if (b.failure) return fer_buf_code(&b, err);
    *out = fer_buf_view(&b);
    return FER_OK;
}

/* Days since 1970 of a date, by the calendar that has always been ours (Hinnant). */
static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
    y -= m <= 2;
    int64_t era = y / 400, year = y - era * 400;
    int64_t day = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + year * 365 + year / 4 - year / 100 + day - 719468;
}

int64_t fer_line_wall(fer_str t)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";
    int64_t part[7] = {0};
    if (t.len != sizeof form - 1) return INT64_MIN;
    for (size_t i = 0, n = 0; i < t.len; i++) {
        if (form[i] != 'd' ? t.ptr[i] != form[i] : !fer_is_digit(t.ptr[i])) return INT64_MIN;
        if (form[i] == 'd') part[n] = part[n] * 10 + (t.ptr[i] - '0');
        else n++;
    }
    if (part[0] < 1970 || part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > 31)
        return INT64_MIN;
    int64_t seconds = (days_of(part[0], part[1], part[2]) * 24 + part[3]) * 3600 + part[4] * 60;
    return (seconds + part[5]) * 1000 + part[6];
}
