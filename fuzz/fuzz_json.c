/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text. What must hold:
 *  - a second reader, written here by the letter of RFC 8259 and sharing no code with
 *    the first, agrees on what is JSON, on duplicate keys and on limits;
 *  - written and read again, a value is equal to itself;
 *  - the canonical form of a canonical form is the same text;
 *  - the place of every value lies on the first byte of its token, found by counting
 *    or by index, and its line and column are those of a plain count;
 *  - the quick reader and yyjson make the same values and fail at the same place;
 *  - skimming over the root ends where the document ends.
 */
#include <ferrule/json.h>

#include "fuzz.h"
#include "json_doc.h"
#include "json_skim.h"
#include "same_values.h"

/* ---- the second reader -------------------------------------------------------------------- */

enum verdict {
    ACCEPTED,
    NOT_JSON,
    KEY_TWICE
};

struct key {
    size_t from, len; /* in `decoded` */
};

struct second {
    const unsigned char *at, *end;
    unsigned char *decoded; /* strings, without escapes; those of open objects' keys stay */
    size_t decoded_len;
    struct key *keys;
    size_t key_count;
    size_t depth;
    bool twice;      /* a key stood twice */
    bool over_limit; /* something is larger than the limits for messages allow */
};

static bool value(struct second *r);

static bool take(struct second *r, const char *word)
{
    const unsigned char *p = r->at;
    for (; *word; word++, p++) {
        if (p == r->end || *p != (unsigned char)*word) return false;
    }
    r->at = p;
    return true;
}

static void blanks(struct second *r)
{
    while (take(r, " ") || take(r, "\t") || take(r, "\n") || take(r, "\r")) {
    }
}

static size_t digits(struct second *r)
{
    const unsigned char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    return (size_t)(r->at - from);
}

static bool exponent(struct second *r)
{
    if (!take(r, "e") && !take(r, "E")) return true;
    if (!take(r, "+")) take(r, "-");
    const unsigned char *from = r->at;
    if (!digits(r)) return false;
    while (from < r->at && *from == '0') from++;
    if (r->at - from > 18) r->over_limit = true;
    return true;
}

static bool number(struct second *r)
{
    const unsigned char *from = r->at;
    take(r, "-");
    if (!take(r, "0") && !digits(r)) return false;
    if (take(r, ".") && !digits(r)) return false;
    if (!exponent(r)) return false;
    if (r->at - from > 1000) r->over_limit = true;
    return true;
}

static void put(struct second *r, uint32_t byte)
{
    r->decoded[r->decoded_len++] = (unsigned char)byte;
}

static void put_code_point(struct second *r, uint32_t c)
{
    if (c < 0x80) {
        put(r, c);
    } else if (c < 0x800) {
        put(r, 0xC0 | c >> 6);
        put(r, 0x80 | (c & 63));
    } else if (c < 0x10000) {
        put(r, 0xE0 | c >> 12);
        put(r, 0x80 | (c >> 6 & 63));
        put(r, 0x80 | (c & 63));
    } else {
        put(r, 0xF0 | c >> 18);
        put(r, 0x80 | (c >> 12 & 63));
        put(r, 0x80 | (c >> 6 & 63));
        put(r, 0x80 | (c & 63));
    }
}

static bool four_hex(struct second *r, uint32_t *out)
{
    *out = 0;
    if (r->end - r->at < 4) return false;
    for (int i = 0; i < 4; i++) {
        unsigned c = *r->at++;
        unsigned digit = c >= '0' && c <= '9'   ? c - '0'
                         : c >= 'a' && c <= 'f' ? c - 'a' + 10
                         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                : 16;
        if (digit > 15) return false;
        *out = *out << 4 | digit;
    }
    return true;
}

static bool escape(struct second *r)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint32_t high, low;
    for (size_t i = 0; from[i]; i++) {
        const char one[] = {from[i], '\0'};
        if (!take(r, one)) continue;
        put(r, (unsigned char)to[i]);
        return true;
    }
    if (!take(r, "u") || !four_hex(r, &high)) return false;
    if (high >= 0xDC00 && high <= 0xDFFF) return false;
    if (high < 0xD800 || high > 0xDBFF) {
        put_code_point(r, high);
        return true;
    }
    if (!take(r, "\\u") || !four_hex(r, &low) || low < 0xDC00 || low > 0xDFFF) return false;
    put_code_point(r, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
    return true;
}

/* One code point of RFC 3629: the shortest form, no surrogates, at most U+10FFFF. */
static bool code_point(struct second *r)
{
    static const struct {
        unsigned char first, last, low, high; /* lead bytes; bounds of the second byte */
        int more;
    } forms[] = {
        {0x20, 0x7F, 0, 0, 0},       {0xC2, 0xDF, 0x80, 0xBF, 1}, {0xE0, 0xE0, 0xA0, 0xBF, 2},
        {0xE1, 0xEC, 0x80, 0xBF, 2}, {0xED, 0xED, 0x80, 0x9F, 2}, {0xEE, 0xEF, 0x80, 0xBF, 2},
        {0xF0, 0xF0, 0x90, 0xBF, 3}, {0xF1, 0xF3, 0x80, 0xBF, 3}, {0xF4, 0xF4, 0x80, 0x8F, 3}};
    for (size_t i = 0; i < FER_COUNT(forms); i++) {
        if (*r->at < forms[i].first || *r->at > forms[i].last) continue;
        if (r->end - r->at <= forms[i].more) return false;
        for (int k = 1; k <= forms[i].more; k++) {
            unsigned char low = k == 1 ? forms[i].low : 0x80, high = k == 1 ? forms[i].high : 0xBF;
            if (r->at[k] < low || r->at[k] > high) return false;
        }
        for (int k = 0; k <= forms[i].more; k++) put(r, *r->at++);
        return true;
    }
    return false;
}

/* Leaves the decoded string at the end of `decoded`. */
static bool string(struct second *r)
{
    if (!take(r, "\"")) return false;
    while (r->at < r->end && *r->at != '"') {
        if (take(r, "\\") ? !escape(r) : !code_point(r)) return false;
    }
    return take(r, "\"");
}

static void note_key(struct second *r, size_t first_key, size_t from)
{
    struct key k = {from, r->decoded_len - from};
    if (k.len > 1024) r->over_limit = true;
    for (size_t i = first_key; i < r->key_count; i++) {
        const struct key *o = &r->keys[i];
        if (o->len == k.len && memcmp(r->decoded + o->from, r->decoded + from, k.len) == 0)
            r->twice = true;
    }
    r->keys[r->key_count++] = k;
}

static bool members(struct second *r)
{
    size_t first_key = r->key_count, decoded = r->decoded_len;
    blanks(r);
    if (take(r, "}")) return true;
    do {
        size_t from = r->decoded_len;
        blanks(r);
        if (!string(r)) return false;
        note_key(r, first_key, from);
        blanks(r);
        if (!take(r, ":") || !value(r)) return false;
    } while (take(r, ","));
    r->key_count = first_key;
    r->decoded_len = decoded;
    return take(r, "}");
}

static bool items(struct second *r)
{
    blanks(r);
    if (take(r, "]")) return true;
    do {
        if (!value(r)) return false;
    } while (take(r, ","));
    return take(r, "]");
}

static bool value(struct second *r)
{
    size_t decoded = r->decoded_len;
    bool fine;
    blanks(r);
    if (r->at == r->end) return false;
    if (*r->at == '{' || *r->at == '[') {
        if (++r->depth > 128) r->over_limit = true;
        fine = take(r, "{") ? members(r) : take(r, "[") && items(r);
        r->depth--;
    } else if (*r->at == '"') {
        fine = string(r);
        r->decoded_len = decoded;
    } else {
        fine = take(r, "true") || take(r, "false") || take(r, "null") || number(r);
    }
    blanks(r);
    return fine;
}

static enum verdict second_opinion(fer_str text, bool *over_limit)
{
    struct second r = {.at = (const unsigned char *)text.ptr};
    r.end = text.len ? r.at + text.len : r.at;
    r.decoded = malloc(text.len + 1);
    r.keys = malloc((text.len + 1) * sizeof *r.keys);
    HOLDS(r.decoded && r.keys);
    take(&r, "\xEF\xBB\xBF");
    bool fine = value(&r) && r.at == r.end;
    free(r.decoded);
    free(r.keys);
    *over_limit = r.over_limit;
    return !fine ? NOT_JSON : r.twice ? KEY_TWICE : ACCEPTED;
}

/* ---- what must hold ------------------------------------------------------------------------- */

static void check_verdict(fer_str text, fer_code code)
{
    bool over_limit;
    enum verdict second = second_opinion(text, &over_limit);
    if (code == FER_OK) HOLDS(second == ACCEPTED && !over_limit);
    if (code == FER_INVALID_JSON) HOLDS(second == NOT_JSON);
    if (code == FER_DUPLICATE_KEY) HOLDS(second == KEY_TWICE);
    if (code == FER_LIMIT_EXCEEDED) HOLDS(over_limit && second != NOT_JSON);
    HOLDS(code == FER_OK || code == FER_INVALID_JSON || code == FER_DUPLICATE_KEY ||
          code == FER_LIMIT_EXCEEDED);
}

static void check_failure(fer_str text, fer_code code, const fer_err *err)
{
    HOLDS(err->code == code && err->message[0]);
    HOLDS(memchr(err->message, '\0', sizeof err->message));
    HOLDS(err->line == 0 || (err->offset <= text.len && err->column > 0));
}

static void check_written(fer_arena *a, const fer_json *doc)
{
    fer_err err;
    fer_json *again;
    for (int pretty = 0; pretty < 2; pretty++) {
        fer_str text;
        bool equal = false;
        HOLDS(fer_json_write(a, fer_json_root(doc), pretty, &text, &err) == FER_OK);
        HOLDS(fer_json_read(a, text, NULL, &again, &err) == FER_OK);
        HOLDS(fer_json_equal(a, fer_json_root(doc), fer_json_root(again), &equal, &err) == FER_OK);
        HOLDS(equal);
    }
}

/* The exact form of a number may be longer than the number was, and so over the limit. */
static void check_canonical(fer_arena *a, const fer_json *doc)
{
    fer_err err;
    fer_str once, twice;
    fer_json *again;
    bool equal = false;
    HOLDS(fer_json_canonical(a, fer_json_root(doc), &once, &err) == FER_OK);
    fer_code code = fer_json_read(a, once, NULL, &again, &err);
    if (code == FER_LIMIT_EXCEEDED) return;
    HOLDS(code == FER_OK);
    HOLDS(fer_json_canonical(a, fer_json_root(again), &twice, &err) == FER_OK);
    HOLDS(fer_str_eq(once, twice));
    HOLDS(fer_json_equal(a, fer_json_root(doc), fer_json_root(again), &equal, &err) == FER_OK);
    HOLDS(equal);
}

static bool begins(char c, const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_OBJ: return c == '{';
    case YYJSON_TYPE_ARR: return c == '[';
    case YYJSON_TYPE_STR: return c == '"';
    case YYJSON_TYPE_NULL: return c == 'n';
    case YYJSON_TYPE_BOOL: return c == (fer_is_true(v) ? 't' : 'f');
    default: return c == '-' || fer_is_digit(c);
    }
}

static void check_line(fer_str text, fer_place place)
{
    uint32_t line = 1, column = 1;
    for (size_t i = fer_str_starts(text, "\xEF\xBB\xBF") ? 3 : 0; i < place.offset; i++) {
        if (((unsigned char)text.ptr[i] & 0xC0) != 0x80) column++;
        if (text.ptr[i] == '\n') {
            line++;
            column = 1;
        }
    }
    HOLDS(place.line == line && place.column == column);
}

/* Counting tokens for each value is quadratic: only the first are asked for that way. */
static void check_places(fer_arena *a, fer_str text, fer_json *doc)
{
    enum {
        COUNTED = 64
    };
    size_t counted[COUNTED], before = 0;
    for (size_t i = 0; i < doc->count && i < COUNTED; i++) {
        fer_place place = fer_json_place(doc, &doc->vals[i]);
        check_line(text, place);
        counted[i] = place.offset;
    }
    HOLDS(fer_json_index(a, doc, NULL) == FER_OK);
    for (size_t i = 0; i < doc->count; i++) {
        size_t offset = fer_json_offset(doc, &doc->vals[i]);
        size_t len = fer_json_token_len(text, offset);
        HOLDS(i == 0 || offset > before);
        HOLDS(i >= COUNTED || counted[i] == offset);
        HOLDS(offset < text.len && begins(text.ptr[offset], &doc->vals[i]));
        HOLDS(len > 0 && len <= text.len - offset);
        before = offset;
    }
}

static void check_skim(fer_str text)
{
    size_t start = fer_skim_space(text, fer_str_starts(text, "\xEF\xBB\xBF") ? 3 : 0);
    size_t end = fer_skim_value(text, start);
    HOLDS(end != SIZE_MAX && end <= text.len);
    HOLDS(fer_skim_space(text, end) == text.len);
}

static void check_quick(fer_arena *a, fer_str text, const fer_json *doc, fer_code code,
                        const fer_err *err)
{
    fer_json *other = NULL;
    fer_err failure = {0};
    if (text.len < 3) return;
    const fer_json_limits limits = not_quick(text);
    HOLDS(fer_json_read(a, text, &limits, &other, &failure) == code);
    if (code) HOLDS(failure.offset == err->offset);
    else HOLDS(same_values(doc, other));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size);
    fer_arena *a = fuzz_arena();
    fer_json *doc = NULL;
    fer_err err = {0};
    if (size > 65536) size = 65536; /* the second reader is recursive */
    text.len = size;
    fer_code code = fer_json_read(a, text, NULL, &doc, &err);
    check_verdict(text, code);
    check_quick(a, text, doc, code, &err);
    if (code) {
        HOLDS(!doc);
        check_failure(text, code, &err);
        fer_skim_value(text, 0);
    } else {
        check_written(a, doc);
        check_canonical(a, doc);
        check_skim(text);
        check_places(a, text, doc);
    }
    fer_arena_free(a);
    return 0;
}
