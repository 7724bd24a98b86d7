/* SPDX-License-Identifier: Apache-2.0 */
#include "cut.h"

#include "errors.h"
#include "json_write.h"
#include "rpc.h"

#define DEPTH_MAX  130 /* more than a document may have */
#define MEMBER_MIN 8   /* bytes for which a value is shown at all */

typedef struct cutter {
    fer_arena *arena;
    const fer_json *doc;
    fer_buf *out;
    fer_cuts *cuts;
    bool failed;
} cutter;

static void cut(cutter *c, const yyjson_val *v, fer_str at, size_t from, size_t size,
                unsigned depth);

static void note(cutter *c, fer_str at, size_t from, size_t shown, size_t of)
{
    fer_cuts *k = c->cuts;
    if (k->count == FER_CUTS_MAX) k->more++;
    else k->list[k->count++] = (fer_cut){at, from, shown, of};
}

static fer_str below(cutter *c, fer_str at, fer_str step)
{
    fer_buf b;
    fer_buf_init(&b, c->arena, SIZE_MAX / 4);
    fer_buf_add(&b, at);
    fer_buf_add_char(&b, '/');
    for (size_t i = 0; i < step.len; i++) {
        if (step.ptr[i] == '~') fer_buf_add_text(&b, "~0");
        else if (step.ptr[i] == '/') fer_buf_add_text(&b, "~1");
        else fer_buf_add_char(&b, step.ptr[i]);
    }
    c->failed |= b.failure != FER_OK;
    return b.failure ? FER_STR("") : fer_buf_view(&b);
}

static size_t size_of(const yyjson_val *v)
{
    return fer_json_size_of(v).bytes;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The byte of a character, or the end. */
static size_t byte_of(fer_str s, size_t character)
{
    size_t at = 0;
    while (character-- > 0 && at < s.len) {
        size_t len = fer_utf8_len(s, at);
        at += len ? len : 1;
    }
    return at;
}

static size_t characters(fer_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) n += ((unsigned char)s.ptr[i] & 0xC0) != 0x80;
    return n;
}

static void cut_text(cutter *c, const yyjson_val *v, fer_str at, size_t from, size_t size)
{
    fer_str all = fer_val_str(v);
    fer_str rest = fer_str_slice(all, byte_of(all, from), all.len);
    fer_str shown = fer_str_head(rest, size > 2 ? size - 2 : 0);
    fer_buf_add_quoted(c->out, shown);
    if (from || shown.len < rest.len) note(c, at, from, characters(shown), characters(all));
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void cut_list(cutter *c, const yyjson_val *v, fer_str at, size_t from, size_t size,
                     unsigned depth)
{
    size_t index = 0, shown = 0, left = size > 2 ? size - 2 : 0;
    char number[24];
    fer_buf_add_char(c->out, '[');
    FER_EACH_ITEM (v, item) {
        size_t need = size_of(item) + 1;
        if (index++ < from) continue;
        if (need > left && shown) break;
        if (shown) fer_buf_add_char(c->out, ',');
        int len = snprintf(number, sizeof number, "%zu", index - 1);
        cut(c, item, need > left ? below(c, at, (fer_str){number, (size_t)len}) : FER_STR(""), 0,
            left, depth + 1);
        shown++;
        if (need > left) break;
        left -= need;
    }
    fer_buf_add_char(c->out, ']');
    if (from || shown < fer_val_len(v)) note(c, at, from, shown, fer_val_len(v));
}

/* ---- objects --------------------------------------------------------------------------------- */

static size_t key_size(const yyjson_val *key)
{
    return fer_val_len(key) + 4;
}

/*
 * What one member may take: small ones are shown whole, and what they leave is shared by the
 * others. The bound grows until it fits no more.
 */
static size_t fair_share(const yyjson_val *v, size_t from, size_t count, size_t size)
{
    size_t keys = 0, small = 0, large = count, index = 0, share = 0;
    FER_EACH_MEMBER (v, key)
        if (index++ >= from && index - 1 < from + count) keys += key_size(key);
    size_t room = size > keys ? size - keys : 0;
    for (int round = 0; round < 4 && large; round++) {
        share = (room > small ? room - small : 0) / large;
        small = large = index = 0;
        FER_EACH_MEMBER (v, key) {
            if (index++ < from || index - 1 >= from + count) continue;
            size_t need = size_of(key + 1);
            if (need <= share) small += need;
            else large++;
        }
    }
    return share;
}

/* How many members from `from` on can be shown with at least a little of each. */
static size_t members_that_fit(const yyjson_val *v, size_t from, size_t size)
{
    size_t index = 0, used = 2, count = 0;
    FER_EACH_MEMBER (v, key) {
        if (index++ < from) continue;
        size_t need = size_of(key + 1);
        used += key_size(key) + (need < MEMBER_MIN ? need : MEMBER_MIN);
        if (used > size && count) break;
        count++;
    }
    return count;
}

static void cut_object(cutter *c, const yyjson_val *v, fer_str at, size_t from, size_t size,
                       unsigned depth)
{
    size_t count = members_that_fit(v, from, size), index = 0;
    size_t share = fair_share(v, from, count, size);
    fer_buf_add_char(c->out, '{');
    FER_EACH_MEMBER (v, key) {
        if (index++ < from || index - 1 >= from + count) continue;
        bool whole = size_of(key + 1) <= share;
        if (index - 1 > from) fer_buf_add_char(c->out, ',');
        fer_buf_add_quoted(c->out, fer_val_str(key));
        fer_buf_add_char(c->out, ':');
        cut(c, key + 1, whole ? FER_STR("") : below(c, at, fer_val_str(key)), 0, share, depth + 1);
    }
    fer_buf_add_char(c->out, '}');
    if (from || count < fer_val_len(v)) note(c, at, from, count, fer_val_len(v));
}

/* ---- all ------------------------------------------------------------------------------------- */

static void cut(cutter *c, const yyjson_val *v, fer_str at, size_t from, size_t size,
                unsigned depth)
{
    bool whole = !from && size_of(v) <= size;
    bool parts = fer_is_ctn(v) || fer_is_str(v);
    if (whole || !parts || depth >= DEPTH_MAX) fer_buf_add(c->out, fer_rpc_bytes(c->doc, v));
    else if (fer_is_str(v)) cut_text(c, v, at, from, size);
    else if (fer_is_arr(v)) cut_list(c, v, at, from, size, depth);
    else cut_object(c, v, at, from, size, depth);
}

fer_code fer_cut_write(fer_arena *a, const fer_json *doc, const yyjson_val *v, fer_str at,
                       size_t from, size_t size, fer_buf *b, fer_cuts *cuts, fer_err *err)
{
    cutter c = {.arena = a, .doc = doc, .out = b, .cuts = cuts};
    cut(&c, v, at, from, size, 0);
    return c.failed ? fer_arena_failed(a, err) : fer_buf_code(b, err);
}
