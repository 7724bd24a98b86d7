/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams and chains word by word: golden/cases.yaml has what is asked, golden/transcripts.txt all
 * that is said, with names, durations and times made the same. `test_transcripts --write` writes it
 * anew.
 */
#include <ctype.h>
#include <stdlib.h>

#include "buf.h"
#include "file.h"
#include "gateway_rig.h"
#include "json_value.h"
#include "rows.h"

#define CASES    "tests/gateway/golden/cases.yaml"
#define EXPECTED "tests/gateway/golden/transcripts.txt"

static fer_arena *arena;
static fer_str expected;

struct row {
    const char *name;
    const yyjson_val *given;
};

typedef struct saying {
    rig rig;
    fer_buf text;
    bool chunks, over;
} saying;

/* ---- what differs from run to run --------------------------------------------------------------
 */

static bool is_uuid(fer_str s, size_t at)
{
    if (s.len - at < 36) return false;
    for (size_t i = 0; i < 36; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        char c = s.ptr[at + i];
        if (dash ? c != '-' : !isxdigit((unsigned char)c)) return false;
    }
    return true;
}

/* Where the number behind a word at `at` begins; 0: the word is not there. */
static size_t number_after(fer_str s, size_t at, const char *word)
{
    size_t len = strlen(word);
    return s.len - at > len && memcmp(s.ptr + at, word, len) == 0 ? at + len : 0;
}

static void add_same(fer_buf *b, fer_str s)
{
    static const char *const words[] = {"\"durationMs\":", "\"deadlineMs\":", " after "};
    for (size_t at = 0; at < s.len;) {
        if (is_uuid(s, at)) {
            fer_buf_add_text(b, "ID");
            at += 36;
            continue;
        }
        size_t number = 0;
        for (size_t i = 0; !number && i < FER_COUNT(words); i++)
            number = number_after(s, at, words[i]);
        if (!number || !fer_is_digit(s.ptr[number])) {
            fer_buf_add_char(b, s.ptr[at++]);
            continue;
        }
        fer_buf_add(b, fer_str_slice(s, at, number));
        fer_buf_add_char(b, '0');
        for (at = number; at < s.len && (fer_is_digit(s.ptr[at]) || s.ptr[at] == '.'); at++) {
        }
    }
    fer_buf_add_char(b, '\n');
}

/* ---- one case ----------------------------------------------------------------------------------
 */

static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    saying *k = context;
    fer_str line;
    fer_err err;
    (void)c;
    fer_code code = k->chunks ? fer_stream_chunk_write(k->rig.arena, e, &line, &err)
                              : fer_stream_event_write(k->rig.arena, e, &line, &err);
    assert_int_equal(code, FER_OK);
    add_same(&k->text, line);
    return true;
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    (void)c, (void)e; /* its event has it */
    ((saying *)context)->over = true;
}

static void on_chain(void *context, const fer_chain_result *r)
{
    saying *k = context;
    fer_str line;
    fer_err err;
    k->over = true;
    assert_int_equal(fer_chain_result_write(k->rig.arena, r, &line, &err), FER_OK);
    add_same(&k->text, line);
}

static int64_t number(const yyjson_val *given, const char *key)
{
    const yyjson_val *v = fer_val_get(given, key);
    return v ? (int64_t)v->uni.u64 : 0;
}

static fer_str json_of(saying *k, const yyjson_val *given, const char *key)
{
    const yyjson_val *v = fer_val_get(given, key);
    fer_str text = FER_STR("");
    if (v) assert_int_equal(fer_json_write(k->rig.arena, v, false, &text, NULL), FER_OK);
    return text;
}

static fer_str transcript(const yyjson_val *given)
{
    saying k = {.chunks = fer_is_true(fer_val_get(given, "chunks"))};
    fer_err err = {0};
    fer_chain *chain = NULL;
    assert_int_equal(rig_make(&k.rig, NULL), FER_OK);
    fer_buf_init(&k.text, arena, 1 << 20);
    fer_call_options o = {.timeout_ms = number(given, "timeoutMs"),
                          .deadline_ms = number(given, "deadlineMs"),
                          .dry_run = fer_is_true(fer_val_get(given, "dryRun")),
                          .on_event = on_event,
                          .context = &k};
    if (fer_val_get(given, "tool")) {
        fer_str tool = fer_val_str(fer_val_get(given, "tool"));
        assert_int_equal(fer_gateway_call(k.rig.gateway, tool, json_of(&k, given, "args"), &o,
                                          on_done, &k, NULL, &err),
                         FER_OK);
    } else {
        if (!fer_is_true(fer_val_get(given, "stream"))) o.on_event = NULL;
        if (fer_chain_read(json_of(&k, given, "chain"), &chain, &err)) fail_msg("%s", err.message);
        assert_int_equal(fer_gateway_chain(k.rig.gateway, chain, json_of(&k, given, "input"), &o,
                                           on_chain, &k, &err),
                         FER_OK);
    }
    fer_gateway_run(k.rig.gateway);
    assert_true(k.over);
    fer_chain_free(chain);
    rig_free(&k.rig);
    assert_int_equal(k.text.failure, FER_OK);
    return fer_buf_view(&k.text);
}

/* ---- all of them -------------------------------------------------------------------------------
 */

/* The part of the file behind a case's title, up to the next. */
static fer_str expected_of(const char *name)
{
    char title[256];
    int len = snprintf(title, sizeof title, "== %s\n", name);
    const char *at = memmem(expected.ptr, expected.len, title, (size_t)len);
    if (!at) fail_msg("%s has no case \"%s\": --write writes it", EXPECTED, name);
    size_t from = (size_t)(at - expected.ptr) + (size_t)len;
    const char *next = memmem(expected.ptr + from, expected.len - from, "\n== ", 4);
    return fer_str_slice(expected, from, next ? (size_t)(next - expected.ptr) + 1 : expected.len);
}

static void run_row(const struct row *row)
{
    fer_str said = transcript(row->given), want = expected_of(row->name);
    if (!fer_str_eq(said, want))
        fail_msg("expected:\n%.*s\nbut it says:\n%.*s", FER_PRI(want), FER_PRI(said));
}

static int write_all(const struct row *rows, size_t count)
{
    fer_buf b;
    fer_err err;
    fer_buf_init(&b, arena, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        fer_buf_printf(&b, "== %s\n", rows[i].name);
        fer_buf_add(&b, transcript(rows[i].given));
    }
    return fer_file_replace(EXPECTED, fer_buf_view(&b), &err) != FER_OK;
}

int main(int argc, char **argv)
{
    fer_str text;
    fer_json *doc;
    fer_err err = {0};
    size_t count = 0;
    arena = fer_arena_new(0);
    if (fer_file_read(arena, CASES, 1 << 20, &text, &err) ||
        fer_yaml_read(arena, text, NULL, &doc, &err)) {
        printf("1..0\n# %s\n", err.message);
        return 1;
    }
    const yyjson_val *list = fer_json_root(doc);
    struct row *rows = fer_arena_alloc_zero(arena, fer_val_len(list), sizeof *rows);
    FER_EACH_ITEM (list, item)
        rows[count++] =
            (struct row){fer_arena_copy(arena, fer_val_str(fer_val_get(item, "name"))).ptr, item};
    int failed;
    if (argc > 1 && strcmp(argv[1], "--write") == 0) {
        failed = write_all(rows, count);
    } else {
        fer_file_read(arena, EXPECTED, 1 << 20, &expected, &err);
        failed = rows_run("transcripts", rows, sizeof *rows, count,
                          (rows_function *)(void (*)(void))run_row);
    }
    fer_arena_free(arena);
    return failed != 0;
}
