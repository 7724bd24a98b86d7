/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of other programs, made fit to be shown. */
#include "plain_text.h"
#include "rows.h"

static const struct row {
    const char *name;
    fer_str in;
    const char *mended, *clean;
} rows[] = {
    {"nothing", FER_STR(""), "", ""},
    {"plain", FER_STR("a b\n\tc"), "a b\n\tc", "a b\n\tc"},
    {"UTF-8", FER_STR("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"),
     "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
    {"not UTF-8", FER_STR("a\xFF\xC3z"), "a\xEF\xBF\xBD\xEF\xBF\xBDz",
     "a\xEF\xBF\xBD\xEF\xBF\xBDz"},
    {"controls",
     FER_STR("a\a\b\r\x7F"
             "b"),
     "a\a\b\r\x7F"
     "b",
     "ab"},
    {"C1",
     FER_STR("a\xC2\x9B"
             "31mb"),
     "a\xC2\x9B"
     "31mb",
     "a31mb"},
    {"colours", FER_STR("\x1B[1;31mred\x1B[0m"), "\x1B[1;31mred\x1B[0m", "red"},
    {"a title, ended by BEL", FER_STR("\x1B]0;title\ab"), "\x1B]0;title\ab", "b"},
    {"a title, ended by ESC", FER_STR("\x1B]0;title\x1B\\b"), "\x1B]0;title\x1B\\b", "b"},
    {"a short escape",
     FER_STR("\x1B"
             "cb"),
     "\x1B"
     "cb",
     "b"},
    {"an escape without end", FER_STR("a\x1B[12"), "a\x1B[12", "a"},
    {"a title without end", FER_STR("a\x1B]12"), "a\x1B]12", "a"},
    {"an escape alone", FER_STR("a\x1B"), "a\x1B", "a"},
    {"zero width and directions",
     FER_STR("a\xE2\x80\x8B\xE2\x80\xAE\xE2\x81\xA6"
             "b"),
     "a\xE2\x80\x8B\xE2\x80\xAE\xE2\x81\xA6"
     "b",
     "ab"},
    {"tags",
     FER_STR("a\xF3\xA0\x81\x81"
             "b"),
     "a\xF3\xA0\x81\x81"
     "b",
     "ab"},
};

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf mended, clean;
    fer_buf_init(&mended, a, 1000);
    fer_buf_init(&clean, a, 1000);
    fer_text_mend(&mended, row->in);
    fer_text_clean(&clean, row->in);
    assert_str(fer_buf_view(&mended), row->mended);
    assert_str(fer_buf_view(&clean), row->clean);
    fer_arena_free(a);
}

static const struct tail_row {
    const char *name;
    const char *in;
    size_t max;
    const char *out;
} tail_rows[] = {
    {"all of it", "abc", 3, "abc"},
    {"the last", "abc", 2, "bc"},
    {"none", "abc", 0, ""},
    {"between characters",
     "a\xE2\x82\xAC"
     "b",
     3, "b"},
    {"at a character",
     "a\xE2\x82\xAC"
     "b",
     4,
     "\xE2\x82\xAC"
     "b"},
};

static void run_tail(const struct tail_row *row)
{
    assert_str(fer_text_tail(fer_str_of(row->in), row->max), row->out);
}

int main(void)
{
    return ROWS_RUN("plain text", rows, run) + ROWS_RUN("tails", tail_rows, run_tail);
}
