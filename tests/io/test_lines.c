/* SPDX-License-Identifier: Apache-2.0 */
/* Lines: what is one, in any split, and the edges of the limit. */
#include "lines.h"
#include "rows.h"
#include "sys.h"

#define MAX 8 /* bytes of a line in these rows */

/* Lines as they were told, each in brackets. */
struct told {
    char text[512];
    size_t len;
    size_t stop_after; /* 0: never */
};

static fer_str told_text(const struct told *t)
{
    return (fer_str){t->text, t->len};
}

static bool take(void *context, fer_str line)
{
    struct told *t = context;
    t->len += (size_t)snprintf(t->text + t->len, sizeof t->text - t->len, "[");
    for (size_t i = 0; i < line.len; i++)
        t->text[t->len++] = (char)(line.ptr[i] ? line.ptr[i] : '0');
    t->len += (size_t)snprintf(t->text + t->len, sizeof t->text - t->len, "]");
    return !t->stop_after || --t->stop_after > 0;
}

static const struct row {
    const char *name;
    fer_str in;
    const char *out; /* before the end of the stream */
    const char *end; /* and at it */
    uint64_t too_long;
} rows[] = {
    {"nothing", FER_STR(""), "", "", 0},
    {"one line", FER_STR("ab\n"), "[ab]", "", 0},
    {"two lines", FER_STR("ab\ncd\n"), "[ab][cd]", "", 0},
    {"empty lines", FER_STR("\n\n"), "[][]", "", 0},
    {"no LF at the end", FER_STR("ab\ncd"), "[ab]", "[cd]", 0},
    {"CR before LF", FER_STR("ab\r\ncd\r\n"), "[ab][cd]", "", 0},
    {"one CR only", FER_STR("ab\r\r\n"), "[ab\r]", "", 0},
    {"CR inside stays", FER_STR("a\rb\n"), "[a\rb]", "", 0},
    {"CR alone", FER_STR("\r\n"), "[]", "", 0},
    {"CR at the end of the stream", FER_STR("ab\r"), "", "[ab]", 0},
    {"NUL is a byte", FER_STR("a\0b\n"), "[a0b]", "", 0},
    {"byte order mark", FER_STR("\xEF\xBB\xBF{}\n"), "[{}]", "", 0},
    {"byte order mark alone", FER_STR("\xEF\xBB\xBF\n"), "[]", "", 0},
    {"byte order mark later", FER_STR("a\n\xEF\xBB\xBF\n"), "[a][\xEF\xBB\xBF]", "", 0},
    {"byte order mark after an empty line", FER_STR("\n\xEF\xBB\xBF\n"), "[][\xEF\xBB\xBF]", "", 0},
    {"half a byte order mark", FER_STR("\xEF\xBB\n"), "[\xEF\xBB]", "", 0},
    {"limit - 1", FER_STR("1234567\n"), "[1234567]", "", 0},
    {"limit", FER_STR("12345678\n"), "[12345678]", "", 0},
    {"limit + 1", FER_STR("123456789\na\n"), "[a]", "", 1},
    {"limit with CR", FER_STR("1234567\r\n"), "[1234567]", "", 0},
    {"limit + 1 with CR", FER_STR("12345678\r\na\n"), "[a]", "", 1},
    {"far over the limit", FER_STR("123456789012345678901234567890\na\n"), "[a]", "", 1},
    {"too long at the end", FER_STR("a\n1234567890"), "[a]", "", 1},
    {"two too long", FER_STR("1234567890\n1234567890\nb"), "", "[b]", 2},
    {"too long first: a later mark stays", FER_STR("1234567890\n\xEF\xBB\xBF\n"), "[\xEF\xBB\xBF]",
     "", 1},
};

/* Fed in pieces of `step` bytes; the last may be shorter. */
static void check_split(const struct row *row, size_t step)
{
    struct told t = {0};
    fer_line_split l;
    fer_line_split_init(&l, MAX);
    for (size_t at = 0; at < row->in.len; at += step) {
        size_t to = row->in.len - at < step ? row->in.len : at + step;
        assert_int_equal(fer_line_split_feed(&l, fer_str_slice(row->in, at, to), take, &t), FER_OK);
        assert_true(l.cap <= MAX);
    }
    assert_str(told_text(&t), row->out);
    t.len = 0;
    fer_line_split_end(&l, take, &t);
    assert_str(told_text(&t), row->end);
    assert_int_equal(l.too_long, row->too_long);
    fer_line_split_deinit(&l);
}

static void run(const struct row *row)
{
    int64_t live = fer_faults_live();
    for (size_t step = 1; step <= row->in.len + 1; step++) check_split(row, step);
    assert_int_equal(fer_faults_live(), live);
}

static bool take_ends(void *context, fer_str head, fer_str tail)
{
    struct told *t = context;
    t->len += (size_t)snprintf(t->text + t->len, sizeof t->text - t->len, "<%.*s|%.*s>",
                               (int)head.len, head.ptr, (int)tail.len, tail.ptr);
    return true;
}

/* Of a line that is passed over either end is told, whatever pieces it comes in. */
static void ends(void)
{
    char line[400], want[2 * FER_LINE_ENDS + 8];
    static const size_t lengths[] = {9, 127, 128, 129, 200, 256, 300};
    for (size_t i = 0; i < sizeof line; i++) line[i] = (char)('a' + i % 23);
    for (size_t i = 0; i < FER_COUNT(lengths); i++) {
        size_t n = lengths[i], kept = n < FER_LINE_ENDS ? n : FER_LINE_ENDS;
        line[n] = '\n';
        snprintf(want, sizeof want, "<%.*s|%.*s>", (int)kept, line, (int)kept, line + n - kept);
        for (size_t step = 1; step <= n + 1; step++) {
            struct told t = {0};
            fer_line_split l;
            fer_line_split_init(&l, MAX);
            l.passed = take_ends;
            for (size_t at = 0; at <= n; at += step)
                fer_line_split_feed(&l, (fer_str){line + at, n + 1 - at < step ? n + 1 - at : step},
                                    take, &t);
            assert_str(told_text(&t), want);
            fer_line_split_deinit(&l);
        }
        line[n] = (char)('a' + n % 23);
    }
}

static bool count(void *context, fer_str line)
{
    *(size_t *)context += line.len;
    return true;
}

/* The default limit, at its edges, and that no more than it is held. */
static void default_limit(void)
{
    static char piece[1 << 16];
    memset(piece, 'x', sizeof piece);
    for (int over = -1; over <= 1; over++) {
        size_t told = 0, left = (size_t)((int64_t)FER_LINE_MAX + over);
        fer_line_split l;
        fer_line_split_init(&l, 0);
        while (left) {
            size_t n = left < sizeof piece ? left : sizeof piece;
            assert_int_equal(fer_line_split_feed(&l, (fer_str){piece, n}, count, &told), FER_OK);
            assert_true(l.cap <= FER_LINE_MAX);
            left -= n;
        }
        fer_line_split_feed(&l, FER_STR("\n"), count, &told);
        assert_int_equal(told, over > 0 ? 0 : (int64_t)FER_LINE_MAX + over);
        assert_int_equal(l.too_long, over > 0);
        assert_int_equal(l.cap, 0); /* a large place is given back */
        fer_line_split_deinit(&l);
    }
}

/* A taker that says stop is not asked again, and may take the lines with it. */
static bool take_and_leave(void *context, fer_str line)
{
    (void)line;
    fer_line_split_deinit(context);
    return false;
}

static void stops(void)
{
    struct told t = {.stop_after = 2};
    fer_line_split l;
    fer_line_split_init(&l, 0);
    fer_line_split_feed(&l, FER_STR("a\nb\nc\n"), take, &t);
    assert_str(told_text(&t), "[a][b]");
    fer_line_split_feed(&l, FER_STR("d"), take, &t);
    fer_line_split_feed(&l, FER_STR("\ne\n"), take_and_leave, &l);
    assert_null(l.held);
}

static void no_memory(void)
{
    struct told t = {0};
    fer_line_split l;
    fer_line_split_init(&l, 0);
    assert_true(fer_faults_begin("malloc@1"));
    assert_int_equal(fer_line_split_feed(&l, FER_STR("a\nb"), take, &t), FER_OUT_OF_MEMORY);
    fer_faults_begin(NULL);
    assert_int_equal(fer_line_split_feed(&l, FER_STR("b\nc\nd"), take, &t), FER_OK);
    assert_str(told_text(&t), "[a][c]");
    fer_line_split_deinit(&l);
}

int main(void)
{
    return ROWS_RUN("lines", rows, run) + ROWS_ONE("lines", default_limit) +
           ROWS_ONE("lines", ends) + ROWS_ONE("lines", stops) + ROWS_ONE("lines", no_memory);
}
