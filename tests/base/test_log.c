/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log: JSON lines that parse whatever the values hold, the pretty form, levels,
 * and lines over the limit, which are cut and say so.
 */
#include "rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <yyjson.h>

#include "log.h"

#define READ_MAX ((size_t)1 << 17)

/* A log that writes to memory, and what it wrote, NUL-terminated. */
static fer_log open_log(bool pretty)
{
    int fd = memfd_create("log", MFD_CLOEXEC);
    assert_true(fd >= 0);
    return (fer_log){.fd = fd, .level = FER_LOG_INFO, .pretty = pretty};
}

static fer_str close_log(const fer_log *log)
{
    static char text[READ_MAX];
    ssize_t n = pread(log->fd, text, sizeof text - 1, 0);
    assert_true(n >= 0);
    close(log->fd);
    text[n] = '\0';
    return (fer_str){text, (size_t)n};
}

/* One line, and only one, that is a JSON object. */
static yyjson_doc *parse_line(fer_str text)
{
    assert_true(text.len > 0);
    assert_int_equal(fer_str_find(text, 0, '\n'), text.len - 1);
    yyjson_doc *doc = yyjson_read(text.ptr, text.len - 1, 0);
    if (!doc) fail_msg("not JSON: %.*s", FER_PRI(fer_str_head(text, 300)));
    assert_true(yyjson_is_obj(yyjson_doc_get_root(doc)));
    return doc;
}

/* ---- JSON lines --------------------------------------------------------------------- */

static const struct json_row {
    const char *name;
    struct fer_log_field field;
    const char *rest; /* of the line, after the event; NULL: any that parses */
} json_rows[] = {
    {"text", {"k", FER_LOG_TEXT, {"v", 1}, 0, 0}, ",\"k\":\"v\"}\n"},
    {"no text", {"k", FER_LOG_TEXT, {NULL, 0}, 0, 0}, ",\"k\":\"\"}\n"},
    {"newline", {"k", FER_LOG_TEXT, {"a\nb", 3}, 0, 0}, ",\"k\":\"a\\nb\"}\n"},
    {"a forged line",
     {"k", FER_LOG_TEXT, {"\"}\n{\"level\":\"error\"", 19}, 0, 0},
     ",\"k\":\"\\\"}\\n{\\\"level\\\":\\\"error\\\"\"}\n"},
    {"carriage return", {"k", FER_LOG_TEXT, {"a\rb", 3}, 0, 0}, ",\"k\":\"a\\rb\"}\n"},
    {"quote and backslash", {"k", FER_LOG_TEXT, {"\"\\", 2}, 0, 0}, ",\"k\":\"\\\"\\\\\"}\n"},
    {"NUL", {"k", FER_LOG_TEXT, {"a\0b", 3}, 0, 0}, ",\"k\":\"a\\u0000b\"}\n"},
    {"escape", {"k", FER_LOG_TEXT, {"\033[31m", 5}, 0, 0}, ",\"k\":\"\\u001b[31m\"}\n"},
    {"UTF-8", {"k", FER_LOG_TEXT, {"\xC3\xA9", 2}, 0, 0}, ",\"k\":\"\xC3\xA9\"}\n"},
    {"a path in Latin-1", {"k", FER_LOG_TEXT, {"caf\xE9", 4}, 0, 0}, NULL},
    {"a key to escape", {"a\"\n", FER_LOG_INT, {NULL, 0}, 1, 0}, ",\"a\\\"\\n\":1}\n"},
    {"zero", {"k", FER_LOG_INT, {NULL, 0}, 0, 0}, ",\"k\":0}\n"},
    {"the largest", {"k", FER_LOG_INT, {NULL, 0}, INT64_MAX, 0}, ",\"k\":9223372036854775807}\n"},
    {"the smallest", {"k", FER_LOG_INT, {NULL, 0}, INT64_MIN, 0}, ",\"k\":-9223372036854775808}\n"},
    {"a real number", {"k", FER_LOG_REAL, {NULL, 0}, 0, 1.5}, ",\"k\":1.500}\n"},
    {"a negative one", {"k", FER_LOG_REAL, {NULL, 0}, 0, -0.0625}, ",\"k\":-0.062}\n"},
    {"a very large one", {"k", FER_LOG_REAL, {NULL, 0}, 0, 1e300}, NULL},
    {"infinity", {"k", FER_LOG_REAL, {NULL, 0}, 0, (double)INFINITY}, NULL},
    {"not a number", {"k", FER_LOG_REAL, {NULL, 0}, 0, (double)NAN}, NULL},
    {"no field", {NULL, FER_LOG_END, {NULL, 0}, 0, 0}, "}\n"},
};

static void assert_timestamp(fer_str s)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.ddddddZ";
    assert_int_equal(s.len, sizeof form - 1);
    for (size_t i = 0; i < s.len; i++)
        assert_true(form[i] == 'd' ? fer_is_digit(s.ptr[i]) : s.ptr[i] == form[i]);
}

static void run_json(const struct json_row *row)
{
    const struct fer_log_field fields[] = {row->field, {0}};
    fer_log log = open_log(false);
    fer_log_write(&log, FER_LOG_INFO, "some.event", fields);
    fer_str line = close_log(&log);
    yyjson_doc_free(parse_line(line));
    assert_true(fer_str_starts(line, "{\"ts\":\""));
    assert_timestamp(fer_str_slice(line, 7, 34));
    fer_str rest = fer_str_slice(line, 34, line.len);
    static const char head[] = "\",\"level\":\"info\",\"event\":\"some.event\"";
    assert_true(fer_str_starts(rest, head));
    if (row->rest) assert_str(fer_str_slice(rest, sizeof head - 1, rest.len), row->rest);
}

/* ---- the pretty form ------------------------------------------------------------------- */

static const struct pretty_row {
    const char *name;
    bool colour;
    enum fer_log_level level;
    struct fer_log_field field;
    const char *rest; /* of the line, after the time */
} pretty_rows[] = {
    {"info", false, FER_LOG_INFO, {"k", FER_LOG_TEXT, {"v", 1}, 0, 0}, " info  e k=\"v\"\n"},
    {"error", false, FER_LOG_ERROR, {"k", FER_LOG_INT, {NULL, 0}, -7, 0}, " error e k=-7\n"},
    {"warn", false, FER_LOG_WARN, {"k", FER_LOG_REAL, {NULL, 0}, 0, 2}, " warn  e k=2.000\n"},
    {"debug", false, FER_LOG_DEBUG, {NULL, FER_LOG_END, {NULL, 0}, 0, 0}, " debug e\n"},
    {"colour",
     true,
     FER_LOG_ERROR,
     {"k", FER_LOG_INT, {NULL, 0}, 1, 0},
     " \033[31merror\033[0m e k=1\n"},
    {"newline",
     false,
     FER_LOG_INFO,
     {"k", FER_LOG_TEXT, {"a\nb", 3}, 0, 0},
     " info  e k=\"a\\nb\"\n"},
    {"escape",
     false,
     FER_LOG_INFO,
     {"k", FER_LOG_TEXT, {"\033[2J", 4}, 0, 0},
     " info  e k=\"\\u001b[2J\"\n"},
};

static void run_pretty(const struct pretty_row *row)
{
    const struct fer_log_field fields[] = {row->field, {0}};
    fer_log log = open_log(true);
    log.level = FER_LOG_DEBUG;
    log.colour = row->colour;
    fer_log_write(&log, row->level, "e", fields);
    fer_str line = close_log(&log);
    assert_true(line.len > 12);
    for (size_t i = 0; i < 12; i++)
        assert_true("dd:dd:dd.ddd"[i] == 'd' ? fer_is_digit(line.ptr[i])
                                             : line.ptr[i] == "dd:dd:dd.ddd"[i]);
    assert_str(fer_str_slice(line, 12, line.len), row->rest);
}

/* Control characters are escaped in both forms; a terminal obeys those past ASCII too. */
static const struct control_row {
    const char *name;
    const char *text;
} control_rows[] = {
    {"bell", "\a"},
    {"escape", "\033"},
    {"DEL", "\x7F"},
    {"U+009B, which begins a sequence", "\xC2\x9B"},
    {"U+0085, which ends a line", "\xC2\x85"},
};

static void run_control(const struct control_row *row)
{
    for (int pretty = 0; pretty < 2; pretty++) {
        fer_log log = open_log(pretty);
        fer_log_event(&log, FER_LOG_INFO, "e", FER_LOG_S("k", fer_str_of(row->text)));
        fer_str line = close_log(&log);
        if (strstr(line.ptr, row->text)) fail_msg("the character is there as it is");
    }
}

/* ---- levels ------------------------------------------------------------------------------- */

static const struct level_row {
    const char *name;
    bool known;
    enum fer_log_level level;
    const char *written; /* first letters of the levels that are written */
} level_rows[] = {
    {"error", true, FER_LOG_ERROR, "e"},     {"warn", true, FER_LOG_WARN, "ew"},
    {"info", true, FER_LOG_INFO, "ewi"},     {"debug", true, FER_LOG_DEBUG, "ewid"},
    {"", false, FER_LOG_ERROR, NULL},        {"Info", false, FER_LOG_ERROR, NULL},
    {"inf", false, FER_LOG_ERROR, NULL},     {"info ", false, FER_LOG_ERROR, NULL},
    {"warning", false, FER_LOG_ERROR, NULL}, {"2", false, FER_LOG_ERROR, NULL},
};

static void run_level(const struct level_row *row)
{
    enum fer_log_level level = FER_LOG_DEBUG;
    assert_int_equal(fer_log_level_parse(fer_str_of(row->name), &level), row->known);
    if (!row->known) {
        assert_int_equal(level, FER_LOG_DEBUG);
        return;
    }
    assert_int_equal(level, row->level);
    fer_log log = open_log(false);
    log.level = level;
    char written[5] = "";
    off_t size = 0;
    for (int i = FER_LOG_ERROR; i <= FER_LOG_DEBUG; i++) {
        fer_log_event(&log, (enum fer_log_level)i, "e", FER_LOG_I("n", i));
        off_t now = lseek(log.fd, 0, SEEK_CUR);
        if (now > size) strncat(written, &"e\0w\0i\0d"[2 * i], 1);
        size = now;
    }
    fer_str text = close_log(&log);
    assert_string_equal(written, row->written);
    assert_int_equal(text.len, size);
}

/* A log that nobody reads takes everything, and writes nowhere. */
static void nobody_reads(void)
{
    fer_log log = {.fd = -1, .level = FER_LOG_DEBUG};
    errno = 0;
    fer_log_event(&log, FER_LOG_ERROR, "e", FER_LOG_I("n", 1));
    assert_int_equal(errno, 0);
}

/* ---- lines over the limit ---------------------------------------------------------------------
 */

static const struct cut_row {
    const char *name;
    size_t from; /* lengths of the value */
    size_t to;
    char byte;
    int whole; /* 1: always whole, 0: never, -1: as it comes */
} cut_rows[] = {
    {"well under the limit", 0, 10, 'x', 1},
    {"a little under", 16000, 16010, 'x', 1},
    {"around the limit", 16200, 16400, 'x', -1},
    {"over the limit", FER_LOG_MAX_LINE, FER_LOG_MAX_LINE + 10, 'x', 0},
    {"far over the limit", 100000, 100001, 'x', 0},
    {"escapes around the limit", 8100, 8200, '\n', -1},
    {"long escapes around the limit", 2690, 2740, '\1', -1},
    {"long escapes over the limit", 2740, 2750, '\1', 0},
};

static void check_cut(const struct cut_row *row, size_t len, bool pretty)
{
    static char value[100002];
    memset(value, row->byte, len);
    fer_log log = open_log(pretty);
    fer_log_event(&log, FER_LOG_INFO, "e", FER_LOG_I("first", 1),
                  FER_LOG_S("big", ((fer_str){value, len})), FER_LOG_I("last", 2));
    fer_str line = close_log(&log);
    assert_true(line.len <= FER_LOG_MAX_LINE);
    assert_int_equal(fer_str_find(line, 0, '\n'), line.len - 1);
    bool whole;
    if (pretty) {
        whole = !fer_str_ends(line, " cut=true\n");
        assert_non_null(strstr(line.ptr, " first=1"));
        if (whole) assert_true(fer_str_ends(line, " last=2\n"));
        else assert_null(strstr(line.ptr, "last="));
    } else {
        yyjson_doc *doc = parse_line(line);
        yyjson_val *root = yyjson_doc_get_root(doc);
        whole = !yyjson_is_true(yyjson_obj_get(root, "cut"));
        assert_int_equal(yyjson_get_int(yyjson_obj_get(root, "first")), 1);
        /* A field is there whole or not at all, and what is lost is the end. */
        yyjson_val *big = yyjson_obj_get(root, "big"), *last = yyjson_obj_get(root, "last");
        if (whole) assert_int_equal(yyjson_get_int(last), 2);
        else assert_null(last);
        if (big) assert_int_equal(yyjson_get_len(big), len);
        if (whole) assert_non_null(big);
        yyjson_doc_free(doc);
    }
    if (row->whole >= 0) assert_int_equal(whole, row->whole);
}

static void run_cut(const struct cut_row *row)
{
    for (size_t len = row->from; len < row->to; len++) {
        check_cut(row, len, false);
        check_cut(row, len, true);
    }
}

/* The event is too long by itself: still one line that parses and says so. */
static void long_event(void)
{
    static char event[20001];
    memset(event, 'e', sizeof event - 1);
    for (int with_field = 0; with_field < 2; with_field++) {
        const struct fer_log_field fields[] = {
            {"k", with_field ? FER_LOG_INT : FER_LOG_END, {NULL, 0}, 1, 0}, {0}};
        fer_log log = open_log(false);
        fer_log_write(&log, FER_LOG_INFO, event, fields);
        yyjson_doc *doc = parse_line(close_log(&log));
        assert_true(yyjson_is_true(yyjson_obj_get(yyjson_doc_get_root(doc), "cut")));
        yyjson_doc_free(doc);
    }
}

/* ---- the descriptor -----------------------------------------------------------------------------
 */

static const struct write_row {
    const char *name;
    const char *plan;
    bool written;
} write_rows[] = {
    {"whole", "", true},
    {"one byte at a time", "write:short=1@1+", true},
    {"interrupted", "write:EINTR@1", true},
    {"interrupted in the middle", "write:short=5@1;write:EINTR@2", true},
    {"refused", "write:EPIPE@1+", false},
    {"no clock", "clock@1+", true},
};

static void run_write(const struct write_row *row)
{
    fer_log log = open_log(false);
    assert_true(fer_faults_begin(row->plan));
    fer_log_event(&log, FER_LOG_INFO, "e", FER_LOG_S("k", FER_STR("value")));
    fer_faults_begin(NULL);
    fer_str line = close_log(&log);
    if (row->written) yyjson_doc_free(parse_line(line));
    else assert_int_equal(line.len, 0);
}

int main(void)
{
    return ROWS_RUN("log json", json_rows, run_json) +
           ROWS_RUN("log pretty", pretty_rows, run_pretty) +
           ROWS_RUN("log control", control_rows, run_control) +
           ROWS_RUN("log level", level_rows, run_level) + ROWS_RUN("log cut", cut_rows, run_cut) +
           ROWS_RUN("log write", write_rows, run_write) + ROWS_ONE("log", long_event) +
           ROWS_ONE("log", nobody_reads);
}
