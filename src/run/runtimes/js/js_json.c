/* SPDX-License-Identifier: Apache-2.0 */
#include "js_json.h"

#include <math.h>
#include <string.h>

#include "str.h"

#define READ_DEPTH 256 /* more than the gateway lets through */
#define SAFE       INT64_C(9007199254740991)

/* ---- reading ----------------------------------------------------------------------------------
 */

typedef struct reader {
    JSContext *ctx;
    fer_str text;
    size_t at;
    JSValue big; /* the function BigInt */
} reader;

static JSValue read_value(reader *r, int depth);

static JSValue broken(reader *r)
{
    return JS_ThrowSyntaxError(r->ctx, "this is no JSON, at byte %u", (unsigned)r->at);
}

static void skip_blanks(reader *r)
{
    while (r->at < r->text.len && strchr(" \t\r\n", r->text.ptr[r->at])) r->at++;
}

static char look(reader *r)
{
    skip_blanks(r);
    return r->at < r->text.len ? r->text.ptr[r->at] : '\0';
}

/* A piece of the text as the engine reads it, which wants a NUL behind it. */
static JSValue parse_piece(reader *r, fer_str piece)
{
    char small[64];
    char *copy = piece.len < sizeof small ? small : js_malloc(r->ctx, piece.len + 1);
    if (!copy) return JS_EXCEPTION;
    memcpy(copy, piece.ptr, piece.len);
    copy[piece.len] = '\0';
    JSValue v = JS_ParseJSON(r->ctx, copy, piece.len, "answer");
    if (copy != small) js_free(r->ctx, copy);
    return v;
}

static JSValue read_text(reader *r)
{
    size_t from = r->at++;
    bool plain = true;
    while (r->at < r->text.len && r->text.ptr[r->at] != '"') {
        bool escape = r->text.ptr[r->at] == '\\';
        plain &= !escape;
        r->at += escape ? 2 : 1;
    }
    if (r->at >= r->text.len) return broken(r);
    r->at++;
    if (plain) return JS_NewStringLen(r->ctx, r->text.ptr + from + 1, r->at - from - 2);
    return parse_piece(r, fer_str_slice(r->text, from, r->at));
}

/* Digits alone, perhaps with a sign. */
static bool is_whole(fer_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!fer_is_digit(s.ptr[i]) && !(i == 0 && s.ptr[i] == '-')) return false;
    return s.len > 0;
}

static JSValue read_number(reader *r)
{
    size_t from = r->at;
    double number = 0;
    while (r->at < r->text.len && r->text.ptr[r->at] &&
           strchr("+-.0123456789eE", r->text.ptr[r->at]))
        r->at++;
    fer_str piece = fer_str_slice(r->text, from, r->at);
    JSValue v = piece.len ? parse_piece(r, piece) : broken(r);
    if (JS_IsException(v) || JS_ToFloat64(r->ctx, &number, v)) return v;
    bool whole = is_whole(piece);
    if (whole && fabs(number) <= (double)SAFE) return v;
    if (!whole && isfinite(number)) return v;
    JS_FreeValue(r->ctx, v);
    JSValue text = JS_NewStringLen(r->ctx, piece.ptr, piece.len);
    if (!whole || JS_IsException(text)) return text;
    v = JS_Call(r->ctx, r->big, JS_UNDEFINED, 1, &text);
    JS_FreeValue(r->ctx, text);
    return v;
}

static JSValue read_list(reader *r, int depth)
{
    JSValue list = JS_NewArray(r->ctx);
    uint32_t count = 0;
    r->at++;
    if (look(r) == ']') {
        r->at++;
        return list;
    }
    for (;;) {
        JSValue v = read_value(r, depth);
        if (JS_IsException(v)) break;
        if (JS_DefinePropertyValueUint32(r->ctx, list, count++, v, JS_PROP_C_W_E) < 0) break;
        char c = look(r);
        r->at++;
        if (c == ']') return list;
        if (c != ',') {
            broken(r);
            break;
        }
    }
    JS_FreeValue(r->ctx, list);
    return JS_EXCEPTION;
}

static bool read_member(reader *r, JSValueConst object, int depth)
{
    if (look(r) != '"') return JS_IsException(broken(r)) && false;
    JSValue key = read_text(r);
    JSAtom name = JS_IsException(key) ? JS_ATOM_NULL : JS_ValueToAtom(r->ctx, key);
    JS_FreeValue(r->ctx, key);
    if (name == JS_ATOM_NULL) return false;
    bool well = look(r) == ':';
    if (!well) broken(r);
    r->at++;
    JSValue v = well ? read_value(r, depth) : JS_EXCEPTION;
    if (!JS_IsException(v))
        well = JS_DefinePropertyValue(r->ctx, object, name, v, JS_PROP_C_W_E) >= 0;
    else well = false;
    JS_FreeAtom(r->ctx, name);
    return well;
}

static JSValue read_object(reader *r, int depth)
{
    JSValue object = JS_NewObject(r->ctx);
    r->at++;
    if (look(r) == '}') {
        r->at++;
        return object;
    }
    while (read_member(r, object, depth)) {
        char c = look(r);
        r->at++;
        if (c == '}') return object;
        if (c == ',') continue;
        broken(r);
        break;
    }
    JS_FreeValue(r->ctx, object);
    return JS_EXCEPTION;
}

static JSValue read_word(reader *r)
{
    const struct word {
        const char *text;
        JSValue value;
    } words[] = {{"null", JS_NULL}, {"true", JS_TRUE}, {"false", JS_FALSE}};
    fer_str rest = fer_str_slice(r->text, r->at, r->text.len);
    for (size_t i = 0; i < FER_COUNT(words); i++) {
        if (!fer_str_starts(rest, words[i].text)) continue;
        r->at += strlen(words[i].text);
        return words[i].value;
    }
    return broken(r);
}

static JSValue read_value(reader *r, int depth)
{
    char c = look(r);
    if (depth <= 0) return JS_ThrowRangeError(r->ctx, "the answer is too deep");
    if (c == '{') return read_object(r, depth - 1);
    if (c == '[') return read_list(r, depth - 1);
    if (c == '"') return read_text(r);
    if (c == '-' || fer_is_digit(c)) return read_number(r);
    return read_word(r);
}

JSValue js_json_read(JSContext *ctx, fer_str text)
{
    JSValue global = JS_GetGlobalObject(ctx);
    reader r = {ctx, text, 0, JS_GetPropertyStr(ctx, global, "BigInt")};
    JSValue v = read_value(&r, READ_DEPTH);
    if (!JS_IsException(v) && look(&r)) {
        JS_FreeValue(ctx, v);
        v = broken(&r);
    }
    JS_FreeValue(ctx, r.big);
    JS_FreeValue(ctx, global);
    return v;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

typedef struct writer {
    JSContext *ctx;
    fer_buf *b;
} writer;

static bool write_value(writer *w, JSValueConst v, int depth);

/* QuickJS gives half of a surrogate pair as the three bytes of its number (ED A0..BF xx). */
void js_json_add_text(fer_buf *b, fer_str text)
{
    size_t from = 0;
    fer_buf_add_char(b, '"');
    for (size_t i = 0; i + 2 < text.len; i++) {
        if ((unsigned char)text.ptr[i] != 0xED || (unsigned char)text.ptr[i + 1] < 0xA0) continue;
        fer_buf_add_escaped(b, fer_str_slice(text, from, i));
        fer_buf_add_text(b, "\xEF\xBF\xBD");
        i += 2;
        from = i + 1;
    }
    fer_buf_add_escaped(b, fer_str_slice(text, from, text.len));
    fer_buf_add_char(b, '"');
}

static bool write_text(writer *w, JSValueConst v, bool quoted)
{
    size_t len;
    const char *text = JS_ToCStringLen(w->ctx, &len, v);
    if (!text) return false;
    if (quoted) js_json_add_text(w->b, (fer_str){text, len});
    else fer_buf_add(w->b, (fer_str){text, len});
    JS_FreeCString(w->ctx, text);
    return true;
}

/* What JSON.stringify leaves out of objects, and writes as null in lists. */
static bool is_nothing(JSContext *ctx, JSValueConst v)
{
    return JS_IsUndefined(v) || JS_IsSymbol(v) || JS_IsFunction(ctx, v);
}

static bool write_list(writer *w, JSValueConst v, int depth)
{
    int64_t count;
    JSValue length = JS_GetPropertyStr(w->ctx, v, "length");
    bool well = !JS_IsException(length) && !JS_ToInt64(w->ctx, &count, length);
    JS_FreeValue(w->ctx, length);
    if (!well) return false;
    fer_buf_add_char(w->b, '[');
    for (int64_t i = 0; well && i < count && !w->b->failure; i++) {
        JSValue item = JS_GetPropertyUint32(w->ctx, v, (uint32_t)i);
        if (i) fer_buf_add_char(w->b, ',');
        well = !JS_IsException(item) && write_value(w, item, depth);
        JS_FreeValue(w->ctx, item);
    }
    fer_buf_add_char(w->b, ']');
    return well;
}

static bool write_member(writer *w, JSValueConst object, JSAtom name, bool *first, int depth)
{
    JSValue v = JS_GetProperty(w->ctx, object, name);
    if (JS_IsException(v)) return false;
    bool well = true;
    if (!is_nothing(w->ctx, v)) {
        JSValue key = JS_AtomToString(w->ctx, name);
        if (!*first) fer_buf_add_char(w->b, ',');
        *first = false;
        well = write_text(w, key, true);
        fer_buf_add_char(w->b, ':');
        JS_FreeValue(w->ctx, key);
        well = well && write_value(w, v, depth);
    }
    JS_FreeValue(w->ctx, v);
    return well;
}

static bool write_object(writer *w, JSValueConst v, int depth)
{
    JSPropertyEnum *names;
    uint32_t count;
    bool well = true, first = true;
    if (JS_GetOwnPropertyNames(w->ctx, &names, &count, v, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY))
        return false;
    fer_buf_add_char(w->b, '{');
    for (uint32_t i = 0; i < count; i++) {
        if (well && !w->b->failure) well = write_member(w, v, names[i].atom, &first, depth);
        JS_FreeAtom(w->ctx, names[i].atom);
    }
    js_free(w->ctx, names);
    fer_buf_add_char(w->b, '}');
    return well;
}

/* An object may say what it is as JSON, as a Date does. */
static bool write_instead(writer *w, JSValueConst v, JSValueConst method, int depth)
{
    JSValue other = JS_Call(w->ctx, method, v, 0, NULL);
    bool well = !JS_IsException(other) && write_value(w, other, depth - 1);
    JS_FreeValue(w->ctx, other);
    return well;
}

static bool write_structure(writer *w, JSValueConst v, int depth)
{
    if (depth <= 0) {
        JS_ThrowRangeError(w->ctx, "the value is too deep, or holds itself");
        return false;
    }
    JSValue method = JS_GetPropertyStr(w->ctx, v, "toJSON");
    if (JS_IsException(method)) return false;
    bool well, instead = JS_IsFunction(w->ctx, method);
    if (instead) well = write_instead(w, v, method, depth);
    else if (JS_IsArray(w->ctx, v) > 0) well = write_list(w, v, depth - 1);
    else well = write_object(w, v, depth - 1);
    JS_FreeValue(w->ctx, method);
    return well;
}

static bool write_value(writer *w, JSValueConst v, int depth)
{
    double number;
    if (JS_IsNull(v) || is_nothing(w->ctx, v)) {
        fer_buf_add_text(w->b, "null");
        return true;
    }
    if (JS_IsString(v)) return write_text(w, v, true);
    if (JS_IsNumber(v) && !JS_ToFloat64(w->ctx, &number, v) && !isfinite(number)) {
        fer_buf_add_text(w->b, "null");
        return true;
    }
    if (!JS_IsObject(v)) return write_text(w, v, false); /* true, 12, 12n */
    return write_structure(w, v, depth);
}

bool js_json_write(JSContext *ctx, fer_buf *b, JSValueConst value, int depth)
{
    writer w = {ctx, b};
    return write_value(&w, value, depth);
}
