/* SPDX-License-Identifier: Apache-2.0 */
/* Pages: every thing once and in order, tokens that are stale, foreign, forged or broken. */
#include "catalog_rows.h"

#define TOOLS 257

static fer_str many_tools(fer_arena *a)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    fer_buf_add_char(&b, '[');
    for (int i = 0; i < TOOLS; i++) {
        fer_buf_printf(&b, "%s{\"name\":\"t%d\"," S ",\"tags\":[\"m%d\"],\"category\":\"%s\"%s",
                       i ? "," : "", i, i % 3, i % 2 ? "Odd" : "even",
                       i % 5 ? ",\"effect\":\"Pure\"" : "");
        if (i % 4) fer_buf_printf(&b, ",\"namespace\":\"n%d\"", i % 4);
        fer_buf_add_char(&b, '}');
    }
    fer_buf_add_text(&b, "]");
    return fer_arena_copy(a, fer_buf_view(&b));
}

static fer_catalog *many(const fer_catalog_options *options)
{
    fer_arena *a = fer_arena_new(0);
    fer_catalog *c = must_catalog(options);
    must_put(c, many_tools(a).ptr);
    fer_arena_free(a);
    return c;
}

static fer_str texts[4];
static fer_texts one_text(size_t slot, const char *text)
{
    texts[slot] = fer_str_of(text);
    return (fer_texts){&texts[slot], text[0] != '\0'};
}

static const struct row {
    const char *name;
    const char *ns, *tag, *category;
    unsigned effects;
    size_t size;   /* asked for */
    size_t pages;  /* that there are */
    size_t things; /* in all */
} rows[] = {
    {"all", "", "", "", 0, 100, 3, 257},
    {"over the cap", "", "", "", 0, 1000, 3, 257},
    {"the default", "", "", "", 0, 0, 13, 257},
    {"one by one", "", "", "", 0, 1, 257, 257},
    {"a namespace", "n1", "", "", 0, 10, 7, 64},
    {"a tag", "", "m2", "", 0, 50, 2, 85},
    {"a category, in any case", "", "", "ODD", 0, 100, 2, 128},
    {"an effect", "", "", "", 1u << FER_EFFECT_PURE, 100, 3, 205},
    {"all at once", "n3", "m0", "odd", 1u << FER_EFFECT_PURE, 10, 2, 17},
    {"none", "n9", "", "", 0, 10, 1, 0},
    {"no such tag", "", "zzz", "", 0, 10, 1, 0},
    {"the size of all", "", "m2", "", 0, 85, 1, 85},
};

static void run(const struct row *row)
{
    fer_catalog *c = many(NULL);
    fer_view *v = fer_catalog_view(c);
    fer_arena *a = fer_arena_new(0);
    fer_filter f = {one_text(0, row->ns), one_text(1, row->tag), one_text(2, row->category),
                    row->effects};
    fer_page page = {.size = row->size};
    fer_summary *list;
    fer_str last = FER_STR("");
    size_t count, pages = 0, things = 0, cap = row->size ? row->size : FER_PAGE_SIZE;
    fer_err err;
    if (cap > FER_PAGE_MAX) cap = FER_PAGE_MAX;
    do {
        if (fer_view_list(a, v, &f, &page, &list, &count, &page.token, &err))
            fail_msg("%s", err.message);
        for (size_t i = 0; i < count; i++) {
            assert_true(fer_str_cmp(last, list[i].id) < 0);
            last = list[i].id;
        }
        assert_true(page.token.len ? count == cap : count <= cap);
        pages++;
        things += count;
    } while (page.token.len);
    assert_int_equal(pages, row->pages);
    assert_int_equal(things, row->things);
    fer_arena_free(a);
    fer_view_unref(v);
    fer_catalog_free(c);
}

static void namespaces(void)
{
    fer_catalog *c = many(NULL);
    fer_view *v = fer_catalog_view(c);
    fer_arena *a = fer_arena_new(0);
    fer_page page = {.size = 3};
    fer_namespace *list;
    size_t count;
    fer_err err;
    assert_int_equal(fer_view_namespaces(a, v, NULL, &page, &list, &count, &page.token, &err),
                     FER_OK);
    assert_int_equal(count, 3);
    assert_str(list[0].name, "");
    assert_int_equal(list[0].tools, 65);
    assert_str(list[2].name, "n2");
    assert_int_equal(list[2].tools, 64);
    assert_int_equal(fer_view_namespaces(a, v, NULL, &page, &list, &count, &page.token, &err),
                     FER_OK);
    assert_int_equal(count, 1);
    assert_str(list[0].name, "n3");
    assert_int_equal(page.token.len, 0);
    fer_arena_free(a);
    fer_view_unref(v);
    fer_catalog_free(c);
}

static fer_code ask(fer_arena *a, fer_catalog *c, const fer_filter *f, fer_str token, fer_str *next,
                    fer_err *err)
{
    fer_view *v = fer_catalog_view(c);
    fer_summary *list;
    size_t count;
    fer_page page = {.size = 10, .token = token};
    fer_code code = fer_view_list(a, v, f, &page, &list, &count, next, err);
    fer_view_unref(v);
    return code;
}

/* What makes a token bad, and that each says to start again. */
static void bad_tokens(void)
{
    fer_catalog *c = many(NULL), *other = many(NULL);
    fer_arena *a = fer_arena_new(0);
    fer_filter f = {.tags = one_text(1, "m1")};
    fer_str token, next;
    fer_err err = {0};
    assert_int_equal(ask(a, c, NULL, FER_STR(""), &token, &err), FER_OK);
    assert_int_equal(ask(a, c, NULL, token, &next, &err), FER_OK);
    assert_int_equal(ask(a, c, &f, token, &next, &err), FER_INVALID_PAGE_TOKEN);
    assert_non_null(strstr(err.message, "another request"));
    assert_int_equal(ask(a, other, NULL, token, &next, &err), FER_INVALID_PAGE_TOKEN);
    assert_non_null(strstr(err.message, "start again"));
    must_put(c, T("new"));
    assert_int_equal(ask(a, c, NULL, token, &next, &err), FER_STALE_PAGE_TOKEN);
    assert_non_null(strstr(err.message, "start again"));
    fer_catalog_free(other);
    fer_catalog_free(c);
    fer_arena_free(a);
}

/* Every other byte in every place, every length: refused, whatever it is. */
static void forged(void)
{
    static const char letters[] = "Ab-_9=+/ \"\xFF";
    fer_catalog *c = many(NULL);
    fer_arena *a = fer_arena_new(0);
    fer_str token, next = FER_STR("");
    fer_err err;
    assert_int_equal(ask(a, c, NULL, FER_STR(""), &token, &err), FER_OK);
    char *copy = (char *)(uintptr_t)fer_arena_copy(a, token).ptr;
    for (size_t i = 0; i < token.len; i++) {
        for (size_t k = 0; k < sizeof letters; k++) { /* the closing NUL too */
            if (letters[k] == token.ptr[i]) continue;
            copy[i] = letters[k];
            assert_int_equal(ask(a, c, NULL, (fer_str){copy, token.len}, &next, &err),
                             FER_INVALID_PAGE_TOKEN);
            copy[i] = token.ptr[i];
        }
        if (i)
            assert_int_equal(ask(a, c, NULL, (fer_str){copy, i}, &next, &err),
                             FER_INVALID_PAGE_TOKEN);
    }
    assert_int_equal(ask(a, c, NULL, (fer_str){copy, token.len}, &next, &err), FER_OK);
    fer_catalog_free(c);
    fer_arena_free(a);
}

static unsigned value_of(char c)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    return (unsigned)(strchr(letters, c) - letters);
}

/* Whether the bytes of a token have a number somewhere, as a machine would write it. */
static bool says(fer_str token, uint64_t number)
{
    unsigned char bytes[64] = {0};
    for (size_t i = 0; i < token.len; i++)
        for (unsigned k = 0; k < 6; k++)
            if (value_of(token.ptr[i]) & 32u >> k)
                bytes[(i * 6 + k) / 8] |= (unsigned char)(128u >> (i * 6 + k) % 8);
    for (size_t at = 0; at + sizeof number <= token.len * 3 / 4; at++)
        if (memcmp(bytes + at, &number, sizeof number) == 0) return true;
    return false;
}

/* Where a page ends among all tools is nothing that its reader learns: there may be some that he
 * does not see. */
static void hidden(void)
{
    fer_catalog *c = many(NULL);
    fer_arena *a = fer_arena_new(0);
    fer_filter f = {.tags = one_text(1, "m1")};
    fer_str token = FER_STR(""), last = token;
    fer_err err;
    do {
        assert_int_equal(ask(a, c, &f, token, &token, &err), FER_OK);
        for (uint64_t n = 1; token.len && n <= TOOLS; n++) assert_false(says(token, n));
        assert_false(token.len && fer_str_eq(token, last));
        last = token;
    } while (token.len);
    fer_catalog_free(c);
    fer_arena_free(a);
}

/* The same key and content give the same tokens; another content makes them stale. */
static void own_key(void)
{
    static const unsigned char key[FER_CATALOG_KEY] = "k";
    fer_arena *a = fer_arena_new(0);
    fer_catalog *one = many(&(fer_catalog_options){.key = key, .stamp = 1}),
                *same = many(&(fer_catalog_options){.key = key, .stamp = 1}),
                *later = many(&(fer_catalog_options){.key = key, .stamp = 2});
    fer_str token, again, next;
    fer_err err;
    assert_int_equal(ask(a, one, NULL, FER_STR(""), &token, &err), FER_OK);
    assert_int_equal(ask(a, same, NULL, FER_STR(""), &again, &err), FER_OK);
    assert_true(fer_str_eq(token, again));
    assert_int_equal(ask(a, same, NULL, token, &next, &err), FER_OK);
    assert_int_equal(ask(a, later, NULL, token, &next, &err), FER_STALE_PAGE_TOKEN);
    fer_catalog_free(one);
    fer_catalog_free(same);
    fer_catalog_free(later);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("list", rows, run) + ROWS_ONE("pages", namespaces) +
           ROWS_ONE("tokens", bad_tokens) + ROWS_ONE("tokens", forged) +
           ROWS_ONE("tokens", hidden) + ROWS_ONE("tokens", own_key);
}
