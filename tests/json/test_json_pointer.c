/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Pointers: the table of RFC 6901, what is refused, and paths turned into pointers. */
#include "rows.h"

#include "json_doc.h"
#include "json_pointer.h"

#define T(literal)                                                                                 \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* The document of RFC 6901 section 5, and some more of our own below "more". */
static const char document[] =
    "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,"
    "\"k\\\"l\":6,\" \":7,\"m~n\":8,\"more\":{\"x\\u0000y\":9,\"~1\":10,\"/\":11,\"0\":12,"
    "\"deep\":[[[{\"\":{\"\":13}}]]],\"\xC3\xA9\":14,\"-\":15,\"many\":[0,1,2,3,4,5,6,7,8,9,10,11],"
    "\"null\":null}}";

static const struct row {
    const char *name;
    fer_str pointer;
    const char *canonical; /* of what is there; NULL: nothing is */
    const char *says;
} rows[] = {
    {"RFC 6901: the whole document", T(""), document, NULL},
    {"RFC 6901: /foo", T("/foo"), "[\"bar\",\"baz\"]", NULL},
    {"RFC 6901: /foo/0", T("/foo/0"), "\"bar\"", NULL},
    {"RFC 6901: the empty key", T("/"), "0", NULL},
    {"RFC 6901: a~1b", T("/a~1b"), "1", NULL},
    {"RFC 6901: c%d", T("/c%d"), "2", NULL},
    {"RFC 6901: e^f", T("/e^f"), "3", NULL},
    {"RFC 6901: g|h", T("/g|h"), "4", NULL},
    {"RFC 6901: i\\j", T("/i\\j"), "5", NULL},
    {"RFC 6901: k\"l", T("/k\"l"), "6", NULL},
    {"RFC 6901: a blank", T("/ "), "7", NULL},
    {"RFC 6901: m~0n", T("/m~0n"), "8", NULL},
    {"the last item", T("/foo/1"), "\"baz\"", NULL},
    {"two digits", T("/more/many/11"), "11", NULL},
    {"a key with NUL", T("/more/x\0y"), "9", NULL},
    {"~01 is ~1, never /", T("/more/~01"), "10", NULL},
    {"~1 alone", T("/more/~1"), "11", NULL},
    {"a digit as a key", T("/more/0"), "12", NULL},
    {"a dash as a key", T("/more/-"), "15", NULL},
    {"empty keys below arrays", T("/more/deep/0/0/0//"), "13", NULL},
    {"a key past ASCII", T("/more/\xC3\xA9"), "14", NULL},
    {"a null is something", T("/more/null"), "null", NULL},

    {"no slash first", T("foo"), NULL, "begins with '/'"},
    {"a URI fragment", T("#/foo"), NULL, "begins with '/'"},
    {"a blank first", T(" /foo"), NULL, "begins with '/'"},
    {"~ at the end", T("/m~"), NULL, "followed by 0 or 1"},
    {"~ before a slash", T("/m~/x"), NULL, "followed by 0 or 1"},
    {"~2", T("/m~2n"), NULL, "followed by 0 or 1"},
    {"no such key", T("/fo"), NULL, "nothing is at /fo"},
    {"a longer key", T("/fooo"), NULL, "nothing is at /fooo"},
    {"only the part that is missing", T("/foo/7/x/y"), NULL, "nothing is at /foo/7"},
    {"past the end", T("/foo/2"), NULL, "nothing is at /foo/2"},
    {"behind the last", T("/foo/-"), NULL, "nothing is at /foo/-"},
    {"a leading zero", T("/foo/00"), NULL, "nothing"},
    {"a leading zero, then one", T("/foo/01"), NULL, "nothing"},
    {"a sign", T("/foo/+1"), NULL, "nothing"},
    {"a negative index", T("/foo/-1"), NULL, "nothing"},
    {"a decimal", T("/foo/1.0"), NULL, "nothing"},
    {"an exponent", T("/foo/1e0"), NULL, "nothing"},
    {"an empty index", T("/foo/"), NULL, "nothing"},
    {"an index of 2^64", T("/foo/18446744073709551616"), NULL, "nothing"},
    {"an index of 2^64 + 1", T("/foo/18446744073709551617"), NULL, "nothing"},
    {"a key in an array", T("/foo/bar"), NULL, "nothing"},
    {"below a string", T("/foo/0/0"), NULL, "nothing is at /foo/0/0"},
    {"below a number", T("//x"), NULL, "nothing is at //x"},
    {"below null", T("/more/null/x"), NULL, "nothing"},
    {"a key without its NUL", T("/more/x"), NULL, "nothing"},
    {"case matters", T("/FOO"), NULL, "nothing"},
};

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_err err = {0};
    fer_str out, expected;
    assert_int_equal(fer_json_read(a, fer_str_of(document), NULL, &doc, NULL), FER_OK);
    const yyjson_val *v = fer_json_at(fer_json_root(doc), row->pointer, &err);
    assert_ptr_equal(fer_json_at(fer_json_root(doc), row->pointer, NULL), v);
    assert_true((v != NULL) == (row->canonical != NULL));
    if (v) {
        fer_json *same;
        assert_int_equal(fer_json_read(a, fer_str_of(row->canonical), NULL, &same, NULL), FER_OK);
        fer_json_canonical(a, v, &out, NULL);
        fer_json_canonical(a, fer_json_root(same), &expected, NULL);
        assert_true(fer_str_eq(out, expected));
    } else {
        assert_int_equal(err.code, FER_INVALID_POINTER);
        if (!strstr(err.message, row->says)) fail_msg("\"%s\"", err.message);
    }
    fer_arena_free(a);
}

/* ---- paths ---------------------------------------------------------------------- */

static const struct written {
    const char *name;
    struct {
        const char *key; /* NULL: the index */
        size_t index;
    } steps[6];
    size_t count;
    const char *pointer;
} paths[] = {
    {"the root", {{0}}, 0, ""},
    {"a key", {{"a", 0}}, 1, "/a"},
    {"the empty key", {{"", 0}}, 1, "/"},
    {"two empty keys", {{"", 0}, {"", 0}}, 2, "//"},
    {"an index", {{NULL, 0}}, 1, "/0"},
    {"the largest index", {{NULL, SIZE_MAX}}, 1, "/18446744073709551615"},
    {"a slash", {{"a/b", 0}}, 1, "/a~1b"},
    {"a tilde", {{"m~n", 0}}, 1, "/m~0n"},
    {"both, many times", {{"~/~//~~", 0}}, 1, "/~0~1~0~1~1~0~0"},
    {"~1 as a key", {{"~1", 0}}, 1, "/~01"},
    {"all together",
     {{"paths", 0}, {"/pets/{id}", 0}, {NULL, 12}, {"", 0}, {"~", 0}, {NULL, 3}},
     6,
     "/paths/~1pets~1{id}/12//~0/3"},
    {"past ASCII",
     {{"\xC3\xA9\xF0\x9F\x98\x80", 0}, {NULL, 10}},
     2,
     "/\xC3\xA9\xF0\x9F\x98\x80/10"},
};

static fer_code attempt_path(fer_arena *a, const void *data)
{
    const struct written *row = data;
    fer_path steps[7] = {FER_PATH_ROOT};
    for (size_t i = 0; i < row->count; i++) {
        const char *key = row->steps[i].key;
        steps[i + 1] = key ? FER_PATH_KEY(&steps[i], fer_str_of(key))
                           : FER_PATH_INDEX(&steps[i], row->steps[i].index);
    }
    fer_str pointer = fer_path_pointer(a, &steps[row->count]);
    if (!pointer.ptr) return fer_arena_code(a);
    assert_str(pointer, row->pointer);
    /* Into a buffer that has text already, and into one that is too small. */
    char storage[64], small[1];
    fer_buf b;
    fer_buf_init_fixed(&b, storage, sizeof storage);
    fer_buf_add_text(&b, "at ");
    fer_path_write(&b, &steps[row->count]);
    assert_int_equal(b.failure, FER_OK);
    assert_str(fer_str_slice(fer_buf_view(&b), 3, b.len), row->pointer);
    fer_buf_init_fixed(&b, small, sizeof small);
    fer_path_write(&b, &steps[row->count]);
    assert_true((b.failure != FER_OK) == (pointer.len > sizeof small));
    assert_true(b.len <= sizeof small);
    return FER_OK;
}

static void run_path(const struct written *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt_path(a, row), FER_OK);
    fer_arena_free(a);
    rows_torture_arena(attempt_path, row);
}

/* Every value of a document is at the pointer of its path. */
static size_t walk(fer_arena *a, const yyjson_val *root, const yyjson_val *v, const fer_path *path)
{
    size_t visited = 1, index = 0;
    assert_ptr_equal(fer_json_at(root, fer_path_pointer(a, path), NULL), v);
    if (fer_is_arr(v)) {
        FER_EACH_ITEM (v, item) {
            fer_path step = FER_PATH_INDEX(path, index++);
            visited += walk(a, root, item, &step);
        }
    } else if (fer_is_obj(v)) {
        FER_EACH_MEMBER (v, key) {
            fer_path step = FER_PATH_KEY(path, fer_val_str(key));
            visited += walk(a, root, key + 1, &step);
        }
    }
    return visited;
}

static void there_and_back(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    assert_int_equal(fer_json_read(a, fer_str_of(document), NULL, &doc, NULL), FER_OK);
    const fer_path root = FER_PATH_ROOT;
    assert_int_equal(walk(a, fer_json_root(doc), fer_json_root(doc), &root), 40);
    fer_arena_free(a);
}

/* 10,000 steps deep: the text is long, the stack is not. */
static void deep_path(void)
{
    static fer_path steps[10001];
    fer_arena *a = fer_arena_new(0);
    fer_buf expected;
    fer_buf_init(&expected, a, 1u << 20);
    steps[0] = FER_PATH_ROOT;
    for (size_t i = 0; i < 10000; i++) {
        bool index = i % 2;
        steps[i + 1] =
            index ? FER_PATH_INDEX(&steps[i], i) : FER_PATH_KEY(&steps[i], FER_STR("~k"));
        if (index) fer_buf_printf(&expected, "/%zu", i);
        else fer_buf_add_text(&expected, "/~0k");
    }
    assert_true(fer_str_eq(fer_path_pointer(a, &steps[10000]), fer_buf_view(&expected)));
    fer_arena_free(a);
}

/* ---- values to pointers --------------------------------------------------------------------- */

static const struct place {
    const char *name; /* the pointer that leads there */
    const char *dotted;
} places[] = {
    {"", ""},
    {"/foo", "foo"},
    {"/foo/1", "foo[1]"},
    {"/", "[\"\"]"},
    {"/a~1b", "[\"a/b\"]"},
    {"/c%d", "[\"c%d\"]"},
    {"/i\\j", "[\"i\\\\j\"]"},
    {"/k\"l", "[\"k\\\"l\"]"},
    {"/ ", "[\" \"]"},
    {"/m~0n", "[\"m~n\"]"},
    {"/more/0", "more[\"0\"]"},
    {"/more/-", "more.-"},
    {"/more/deep/0/0/0//", "more.deep[0][0][0][\"\"][\"\"]"},
    {"/more/\xC3\xA9", "more.\xC3\xA9"},
    {"/more/many/11", "more.many[11]"},
    {"/more/~01", "more[\"~1\"]"},
};

static void run_place(const struct place *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_buf pointer, dotted, small;
    char storage[3];
    assert_int_equal(fer_json_read(a, fer_str_of(document), NULL, &doc, NULL), FER_OK);
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *v = fer_json_at(root, fer_str_of(row->name), NULL);
    assert_non_null(v);
    fer_buf_init(&pointer, a, 1000);
    fer_buf_init(&dotted, a, 1000);
    assert_true(fer_pointer_of(&pointer, root, v));
    fer_dotted_of(&dotted, root, v);
    assert_str(pointer.ptr ? fer_buf_view(&pointer) : FER_STR(""), row->name);
    assert_str(dotted.ptr ? fer_buf_view(&dotted) : FER_STR(""), row->dotted);
    /* What does not fit fails, and leaves the start of it. */
    fer_buf_init_fixed(&small, storage, sizeof storage);
    assert_true(fer_pointer_of(&small, root, v));
    assert_int_equal(small.failure != FER_OK, strlen(row->name) > sizeof storage);
    assert_int_equal(memcmp(small.ptr, row->name, small.len), 0);
    fer_arena_free(a);
}

/* The key of a member leads to the member, and what is elsewhere to nothing. */
static void keys_and_strangers(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc, *other;
    fer_buf b;
    assert_int_equal(fer_json_read(a, fer_str_of(document), NULL, &doc, NULL), FER_OK);
    assert_int_equal(fer_json_read(a, fer_str_of(document), NULL, &other, NULL), FER_OK);
    const yyjson_val *root = fer_json_root(doc), *foo = fer_val_get(root, "foo");
    fer_buf_init(&b, a, 1000);
    assert_true(fer_pointer_of(&b, root, fer_val_key(root, FER_STR("foo"))));
    assert_str(fer_buf_view(&b), "/foo");
    assert_false(fer_pointer_of(&b, root, fer_json_root(other)));
    assert_false(fer_pointer_of(&b, foo, root));
    assert_false(fer_pointer_of(&b, foo, fer_val_next(foo)));
    fer_dotted_of(&b, foo, root);
    assert_str(fer_buf_view(&b), "/foo");
    assert_true(fer_pointer_of(&b, foo, foo + 1));
    assert_str(fer_buf_view(&b), "/foo/0");
    fer_arena_free(a);
}

/* Every value and every key of a document, there and back. */
static void all_places(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    assert_int_equal(fer_json_read(a, fer_str_of(document), NULL, &doc, NULL), FER_OK);
    const yyjson_val *root = fer_json_root(doc);
    for (size_t i = 0; i < doc->count; i++) {
        fer_buf b;
        fer_buf_init(&b, a, 1000);
        assert_true(fer_pointer_of(&b, root, root + i));
        fer_str pointer = b.ptr ? fer_buf_view(&b) : FER_STR("");
        const yyjson_val *found = fer_json_at(root, pointer, NULL);
        assert_true(found == root + i || found == root + i + 1);
    }
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("json pointer", rows, run) + ROWS_RUN("json path", paths, run_path) +
           ROWS_ONE("json path", there_and_back) + ROWS_ONE("json path", deep_path) +
           ROWS_RUN("json place", places, run_place) + ROWS_ONE("json place", keys_and_strangers) +
           ROWS_ONE("json place", all_places);
}
