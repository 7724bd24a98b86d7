/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hand-written checks of five schemas. Keys and words are told apart by length, then by one
 * comparison whose size the compiler knows; required properties are bits of a mask. Before it
 * is timed, each is compared with the engine on every instance and on changed ones.
 */
#include "floor.h"

#include <string.h>

#define IS(v, word)                                                                                \
    (fer_val_len(v) == sizeof(word) - 1 && !memcmp((v)->uni.str, word, sizeof(word) - 1))

static inline bool is_text(const yyjson_val *v)
{
    return fer_val_type(v) == YYJSON_TYPE_STR;
}

static inline bool is_list(const yyjson_val *v)
{
    return fer_val_type(v) == YYJSON_TYPE_ARR;
}

static inline bool is_object(const yyjson_val *v)
{
    return fer_val_type(v) == YYJSON_TYPE_OBJ;
}

/* A double that is whole counts as an integer (2020-12 core 4.2.3). */
static inline bool whole_within(const yyjson_val *v, int64_t min, int64_t max)
{
    unsigned tag = fer_val_tag(v);
    if (tag == FER_TAG_UINT) {
        return v->uni.u64 <= (uint64_t)max && (min <= 0 || v->uni.u64 >= (uint64_t)min);
    }
    if (tag == FER_TAG_SINT) return v->uni.i64 >= min && v->uni.i64 <= max;
    if (tag != FER_TAG_REAL || v->uni.f64 < (double)min || v->uni.f64 > (double)max) return false;
    return v->uni.f64 == (double)(int64_t)v->uni.f64;
}

/* Numbers that stay text are no part of the five sets; their value is not looked at. */
static inline bool number_from(const yyjson_val *v, double *out)
{
    unsigned tag = fer_val_tag(v);
    if (tag == FER_TAG_UINT) *out = (double)v->uni.u64;
    else if (tag == FER_TAG_SINT) *out = (double)v->uni.i64;
    else if (tag == FER_TAG_REAL) *out = v->uni.f64;
    else return false;
    return true;
}

static inline bool number_within(const yyjson_val *v, double min, double max)
{
    double n;
    return number_from(v, &n) && n >= min && n <= max;
}

static size_t characters(const yyjson_val *v)
{
    size_t count = 0, len = fer_val_len(v);
    for (size_t i = 0; i < len; i++) count += (v->uni.str[i] & 0xC0) != 0x80;
    return count;
}

/* Bytes tell as long as they are few, or many enough whatever their characters are. */
static inline bool length_within(const yyjson_val *v, size_t min, size_t max)
{
    size_t bytes = fer_val_len(v);
    if (bytes < min) return false;
    if (bytes <= max && bytes >= min * 4) return true;
    size_t n = characters(v);
    return n >= min && n <= max;
}

static inline bool upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- get-weather ------------------------------------------------------------------------- */

static bool weather_list(const yyjson_val *v)
{
    unsigned seen = 0;
    if (!is_list(v) || fer_val_len(v) > 5) return false;
    FER_EACH_ITEM (v, item) {
        unsigned bit;
        if (!is_text(item)) return false;
        if (IS(item, "wind")) bit = 1;
        else if (IS(item, "humidity")) bit = 2;
        else if (IS(item, "uv")) bit = 4;
        else if (IS(item, "rain")) bit = 8;
        else if (IS(item, "pressure")) bit = 16;
        else return false;
        if (seen & bit) return false;
        seen |= bit;
    }
    return true;
}

static bool get_weather(const yyjson_val *root)
{
    bool located = false;
    if (!is_object(root)) return false;
    FER_EACH_MEMBER (root, key) {
        const yyjson_val *v = key + 1;
        if (IS(key, "location")) {
            if (!is_text(v) || !fer_val_len(v)) return false;
            located = true;
        } else if (IS(key, "unit")) {
            if (!is_text(v)) return false;
            if (!IS(v, "celsius") && !IS(v, "fahrenheit") && !IS(v, "kelvin")) return false;
        } else if (IS(key, "days")) {
            if (!whole_within(v, 1, 14)) return false;
        } else if (IS(key, "include")) {
            if (!weather_list(v)) return false;
        } else {
            return false;
        }
    }
    return located;
}

/* ---- todo-write -------------------------------------------------------------------------- */

static bool todo(const yyjson_val *v)
{
    unsigned seen = 0;
    if (!is_object(v)) return false;
    FER_EACH_MEMBER (v, key) {
        const yyjson_val *field = key + 1;
        if (!is_text(field)) return false;
        if (IS(key, "content")) {
            if (!fer_val_len(field)) return false;
            seen |= 1;
        } else if (IS(key, "status")) {
            if (!IS(field, "pending") && !IS(field, "in_progress") && !IS(field, "completed"))
                return false;
            seen |= 2;
        } else if (IS(key, "activeForm")) {
            if (!fer_val_len(field)) return false;
            seen |= 4;
        } else {
            return false;
        }
    }
    return seen == 7;
}

static bool todo_write(const yyjson_val *root)
{
    if (!is_object(root) || fer_val_len(root) != 1) return false;
    const yyjson_val *key = root + 1, *list = root + 2;
    if (!IS(key, "todos") || !is_list(list)) return false;
    FER_EACH_ITEM (list, item) {
        if (!todo(item)) return false;
    }
    return true;
}

/* ---- mcp-tool-result --------------------------------------------------------------------- */

/* The three kinds exclude each other by `type`, so at most one can hold. */
static bool content(const yyjson_val *v)
{
    const yyjson_val *type = NULL;
    unsigned texts = 0, others = 0;
    if (!is_object(v)) return false;
    FER_EACH_MEMBER (v, key) {
        unsigned bit = 0;
        if (IS(key, "type")) type = key + 1;
        else if (IS(key, "text")) bit = 1;
        else if (IS(key, "data")) bit = 2;
        else if (IS(key, "mimeType")) bit = 4;
        else if (IS(key, "uri")) bit = 8;
        else if (IS(key, "name")) bit = 16;
        else if (IS(key, "description")) bit = 32;
        if (is_text(key + 1)) texts |= bit;
        else others |= bit;
    }
    if (!type || !is_text(type)) return false;
    if (IS(type, "text")) return texts & 1;
    if (IS(type, "image")) return (texts & 6) == 6;
    if (IS(type, "resource_link")) return (texts & 24) == 24 && !(others & 32);
    return false;
}

static bool mcp_tool_result(const yyjson_val *root)
{
    bool has = false;
    if (!is_object(root)) return false;
    FER_EACH_MEMBER (root, key) {
        const yyjson_val *v = key + 1;
        if (IS(key, "content")) {
            if (!is_list(v)) return false;
            FER_EACH_ITEM (v, item) {
                if (!content(item)) return false;
            }
            has = true;
        } else if (IS(key, "structuredContent")) {
            if (!is_object(v)) return false;
        } else if (IS(key, "isError")) {
            if (!fer_is_bool(v)) return false;
        }
    }
    return has;
}

/* ---- search-flights ---------------------------------------------------------------------- */

static bool airport(const yyjson_val *v)
{
    const char *s = v->uni.str;
    return is_text(v) && fer_val_len(v) == 3 && upper(s[0]) && upper(s[1]) && upper(s[2]);
}

static bool date(const yyjson_val *v)
{
    const char *s = v->uni.str;
    return is_text(v) && fer_val_len(v) == 10 && digit(s[0]) && digit(s[1]) && digit(s[2]) &&
           digit(s[3]) && s[4] == '-' && digit(s[5]) && digit(s[6]) && s[7] == '-' && digit(s[8]) &&
           digit(s[9]);
}

static bool passengers(const yyjson_val *v)
{
    unsigned seen = 0;
    if (!is_object(v)) return false;
    FER_EACH_MEMBER (v, key) {
        const yyjson_val *n = key + 1;
        if (IS(key, "adults") && whole_within(n, 1, 9)) seen |= 1;
        else if (IS(key, "children") && whole_within(n, 0, 9)) seen |= 2;
        else if (IS(key, "infants") && whole_within(n, 0, 4)) seen |= 4;
        else return false;
    }
    return seen == 7;
}

static bool airlines(const yyjson_val *v)
{
    if (!is_list(v) || fer_val_len(v) > 10) return false;
    FER_EACH_ITEM (v, item) {
        if (!is_text(item) || !length_within(item, 2, 3)) return false;
    }
    return true;
}

static bool cabin(const yyjson_val *v)
{
    return is_text(v) &&
           (IS(v, "economy") || IS(v, "premium_economy") || IS(v, "business") || IS(v, "first"));
}

static bool above_zero(const yyjson_val *v)
{
    double n;
    return number_from(v, &n) && n > 0;
}

static bool search_flights(const yyjson_val *root)
{
    unsigned seen = 0;
    if (!is_object(root)) return false;
    FER_EACH_MEMBER (root, key) {
        const yyjson_val *v = key + 1;
        if (IS(key, "origin") && airport(v)) seen |= 1;
        else if (IS(key, "destination") && airport(v)) seen |= 2;
        else if (IS(key, "departure_date") && date(v)) seen |= 4;
        else if (IS(key, "return_date") && (date(v) || fer_val_type(v) == YYJSON_TYPE_NULL))
            continue;
        else if (IS(key, "passengers") && passengers(v)) seen |= 8;
        else if (IS(key, "cabin") && cabin(v)) seen |= 16;
        else if (IS(key, "max_price") && above_zero(v)) continue;
        else if (IS(key, "stops") && whole_within(v, 0, 2)) continue;
        else if (IS(key, "airlines") && airlines(v)) continue;
        else return false;
    }
    return seen == 31;
}

/* ---- create-order ------------------------------------------------------------------------ */

static bool customer(const yyjson_val *v)
{
    size_t len = fer_val_len(v);
    if (!is_text(v) || len < 12 || memcmp(v->uni.str, "cus_", 4) != 0) return false;
    for (size_t i = 4; i < len; i++) {
        char c = v->uni.str[i];
        if (!upper(c) && !digit(c) && !(c >= 'a' && c <= 'z')) return false;
    }
    return true;
}

static bool sku(const yyjson_val *v)
{
    size_t len = fer_val_len(v);
    if (!is_text(v) || len < 4 || len > 20) return false;
    for (size_t i = 0; i < len; i++) {
        char c = v->uni.str[i];
        if (!upper(c) && !digit(c) && c != '-') return false;
    }
    return true;
}

static bool tags(const yyjson_val *v)
{
    if (!is_list(v) || fer_val_len(v) > 5) return false;
    FER_EACH_ITEM (v, item) {
        if (!is_text(item) || !length_within(item, 0, 30)) return false;
    }
    return true;
}

static bool order_item(const yyjson_val *v)
{
    unsigned seen = 0;
    if (!is_object(v)) return false;
    FER_EACH_MEMBER (v, key) {
        const yyjson_val *field = key + 1;
        if (IS(key, "sku") && sku(field)) seen |= 1;
        else if (IS(key, "quantity") && whole_within(field, 1, 999)) seen |= 2;
        else if (IS(key, "unit_price") && number_within(field, 0, 1e308)) seen |= 4;
        else if (IS(key, "discount") && number_within(field, 0, 1)) continue;
        else if (IS(key, "tags") && tags(field)) continue;
        else return false;
    }
    return seen == 7;
}

static bool order_items(const yyjson_val *v)
{
    if (!is_list(v) || fer_val_len(v) < 1 || fer_val_len(v) > 100) return false;
    FER_EACH_ITEM (v, item) {
        if (!order_item(item)) return false;
    }
    return true;
}

static bool address(const yyjson_val *v)
{
    unsigned seen = 0;
    if (!is_object(v)) return false;
    FER_EACH_MEMBER (v, key) {
        const yyjson_val *field = key + 1;
        size_t len = fer_val_len(field);
        if (!is_text(field)) return false;
        if (IS(key, "line1") && len) seen |= 1;
        else if (IS(key, "line2")) continue;
        else if (IS(key, "city") && len) seen |= 2;
        else if (IS(key, "postcode")) seen |= 4;
        else if (IS(key, "country") && len == 2 && upper(field->uni.str[0]) &&
                 upper(field->uni.str[1]))
            seen |= 8;
        else return false;
    }
    return seen == 15;
}

/* All three alternatives have exactly two members, one of them `kind`. */
static bool payment(const yyjson_val *v)
{
    const yyjson_val *kind = NULL, *key = NULL;
    if (!is_object(v) || fer_val_len(v) != 2) return false;
    FER_EACH_MEMBER (v, k) {
        if (IS(k, "kind")) kind = k + 1;
        else key = k;
    }
    if (!kind || !key || !is_text(kind)) return false;
    const yyjson_val *other = key + 1;
    if (IS(kind, "card"))
        return IS(key, "token") && is_text(other) && length_within(other, 8, SIZE_MAX);
    if (IS(kind, "sepa")) return IS(key, "iban") && is_text(other) && length_within(other, 15, 34);
    if (!IS(kind, "invoice") || !IS(key, "net_days")) return false;
    return whole_within(other, 15, 15) || whole_within(other, 30, 30) ||
           whole_within(other, 60, 60);
}

static bool currency(const yyjson_val *v)
{
    return is_text(v) && (IS(v, "EUR") || IS(v, "USD") || IS(v, "GBP") || IS(v, "JPY"));
}

static bool create_order(const yyjson_val *root)
{
    unsigned seen = 0;
    if (!is_object(root)) return false;
    FER_EACH_MEMBER (root, key) {
        const yyjson_val *v = key + 1;
        if (IS(key, "customer_id") && customer(v)) seen |= 1;
        else if (IS(key, "currency") && currency(v)) seen |= 2;
        else if (IS(key, "items") && order_items(v)) seen |= 4;
        else if (IS(key, "shipping") && address(v)) seen |= 8;
        else if (IS(key, "billing") && address(v)) continue;
        else if (IS(key, "payment") && payment(v)) seen |= 16;
        else if (IS(key, "notes") && is_text(v) && length_within(v, 0, 2000)) continue;
        else return false;
    }
    return seen == 31;
}

bench_floor bench_floor_find(const char *set)
{
    static const struct {
        const char *name;
        bench_floor check;
    } rows[] = {{"create-order", create_order},
                {"get-weather", get_weather},
                {"mcp-tool-result", mcp_tool_result},
                {"search-flights", search_flights},
                {"todo-write", todo_write}};
    const char *slash = strrchr(set, '/');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, slash ? slash + 1 : set) == 0) return rows[i].check;
    }
    return NULL;
}
