/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output with lines of the protocol in it: the same, however it is cut. */
#include "buf.h"
#include "code_stdio.h"
#include "errors.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *in;
    const char *lines;   /* "[...]" each */
    const char *printed; /* in order among themselves */
} rows[] = {
    {"nothing", "", "", ""},
    {"printed", "a\nb\n", "", "a\nb\n"},
    {"printed without an end", "a\nb", "", "a\nb"},
    {"a line", "{\"op\":\"done\"}\n", "[{\"op\":\"done\"}]", ""},
    {"a line without an end", "{\"op\":\"done\"}", "[{\"op\":\"done\"}]", ""},
    {"between", "a\n{1}\nb\n{2}\n\nc", "[{1}][{2}]", "a\nb\n\nc"},
    {"a brace within", "a {\n {\n", "", "a {\n {\n"},
    {"CR LF", "{1}\r\na\r\n", "[{1}]", "a\r\n"},
    {"empty lines", "\n\n{1}\n\n", "[{1}]", "\n\n\n"},
    {"a control character", "x\x01y\n{1}\n", "[{1}]", "x\x01y\n"},
};

typedef struct heard {
    fer_buf lines, printed;
} heard;

static void on_line(void *context, fer_str line)
{
    heard *h = context;
    fer_buf_add_char(&h->lines, '[');
    fer_buf_add(&h->lines, line);
    fer_buf_add_char(&h->lines, ']');
}

static void on_print(void *context, fer_str bytes)
{
    heard *h = context;
    fer_buf_add(&h->printed, bytes);
}

/* In pieces of so many bytes. */
static fer_code feed(fer_arena *a, fer_str in, size_t piece, heard *h)
{
    const fer_stdio_taker take = {on_line, on_print, h};
    fer_stdio_split s;
    fer_code code = FER_OK;
    fer_buf_init(&h->lines, a, (size_t)16 << 20);
    fer_buf_init(&h->printed, a, (size_t)16 << 20);
    fer_stdio_init(&s);
    for (size_t at = 0; !code && at < in.len; at += piece) {
        size_t end = in.len - at < piece ? in.len : at + piece;
        code = fer_stdio_feed(&s, fer_str_slice(in, at, end), &take);
    }
    fer_stdio_end(&s, &take);
    fer_stdio_deinit(&s);
    return code;
}

static bool is(fer_buf *b, const char *text)
{
    return fer_str_is(fer_buf_view(b), text);
}

static void run(const struct row *row)
{
    for (size_t piece = 1; piece < 16; piece++) {
        fer_arena *a = fer_arena_new(0);
        heard h;
        fer_code code = feed(a, fer_str_of(row->in), piece, &h);
        if (code || !is(&h.lines, row->lines) || !is(&h.printed, row->printed))
            fail_msg("in pieces of %zu: %s, lines %.*s, printed %.*s", piece,
                     fer_code_info(code)->name, FER_PRI(fer_buf_view(&h.lines)),
                     FER_PRI(fer_buf_view(&h.printed)));
        fer_arena_free(a);
    }
}

/* A line of `length` bytes, then one that says that it goes on. */
static fer_str long_line(fer_arena *a, size_t length)
{
    char *text = fer_arena_alloc(a, length + 6);
    memset(text, 'x', length);
    text[0] = '{';
    memcpy(text + length, "\n{2}\np", 6);
    return (fer_str){text, length + 6};
}

static void edge(void)
{
    for (size_t more = 0; more < 2; more++) {
        for (size_t piece = 65536; piece < (size_t)8 << 20; piece *= 128) {
            fer_arena *a = fer_arena_new(0);
            heard h;
            assert_int_equal(feed(a, long_line(a, FER_LINE_MAX + more), piece, &h), FER_OK);
            fer_str lines = fer_buf_view(&h.lines);
            if (more) assert_true(fer_str_is(lines, "[][{2}]")); /* told as one that is none */
            else assert_int_equal(lines.len, FER_LINE_MAX + 2 + 5);
            assert_true(is(&h.printed, "p"));
            fer_arena_free(a);
        }
    }
}

int main(void)
{
    return ROWS_RUN("output with lines", rows, run) + ROWS_ONE("code.line, at its edge", edge);
}
