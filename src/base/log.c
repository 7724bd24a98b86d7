/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <math.h>

#include "buf.h"
#include "clock.h"
#include "file.h"

#define EVENT_MAX 64           /* bytes of an event's name */
#define TAIL      ((size_t)32) /* kept free for the mark of a cut line and its end */

static const char *const level_names[] = {"error", "warn", "info", "debug"};
static const char *const level_colours[] = {"\033[31m", "\033[33m", "\033[36m", "\033[2m"};

bool fer_log_level_parse(fer_str name, enum fer_log_level *out)
{
    for (int i = 0; i < 4; i++) {
        if (!fer_str_is(name, level_names[i])) continue;
        *out = (enum fer_log_level)i;
        return true;
    }
    return false;
}

/*
 * A quoted text that is valid JSON whatever it holds: control characters, also those
 * past ASCII that some terminals obey, are escaped; bytes that are not UTF-8 become U+FFFD.
 */
static void add_text(fer_buf *b, fer_str s)
{
    size_t plain = 0; /* start of the run that JSON's own escapes are enough for */
    fer_buf_add_char(b, '"');
    for (size_t at = 0, len; at < s.len; at += len ? len : 1) {
        len = fer_utf8_len(s, at);
        unsigned char c = (unsigned char)s.ptr[at],
                      next = len == 2 ? (unsigned char)s.ptr[at + 1] : 0;
        bool control = c == 0x7F || (c == 0xC2 && next < 0xA0);
        if (len > 0 && !control) continue;
        fer_buf_add_escaped(b, fer_str_slice(s, plain, at));
        if (len == 0) fer_buf_add_text(b, "\xEF\xBF\xBD");
        else fer_buf_printf(b, "\\u%04x", len == 1 ? c : next);
        plain = at + (len ? len : 1);
    }
    if (s.len) fer_buf_add_escaped(b, fer_str_slice(s, plain, s.len));
    fer_buf_add_char(b, '"');
}

static void add_value(fer_buf *b, const struct fer_log_field *f)
{
    switch (f->kind) {
    case FER_LOG_TEXT: add_text(b, f->text); break;
    case FER_LOG_INT: fer_buf_printf(b, "%lld", (long long)f->integer); break;
    case FER_LOG_REAL:
        if (isfinite(f->real)) fer_buf_printf(b, "%.3f", f->real);
        else fer_buf_add_text(b, "null");
        break;
    case FER_LOG_BOOL: fer_buf_add_text(b, f->integer ? "true" : "false"); break;
    case FER_LOG_END: break;
    }
}

static void begin_line(fer_buf *b, const fer_log *log, enum fer_log_level level, const char *event)
{
    char now[FER_TIMESTAMP];
    fer_clock_format_us(fer_clock_wall_us(), now);
    if (!log->pretty) {
        fer_buf_printf(b, "{\"ts\":\"%s\",\"level\":\"%s\",\"event\":", now, level_names[level]);
        add_text(b, fer_str_head(fer_str_of(event), EVENT_MAX));
        return;
    }
    fer_buf_printf(b, "%.12s %s%-5s%s %.*s", now + 11, log->colour ? level_colours[level] : "",
                   level_names[level], log->colour ? "\033[0m" : "",
                   FER_PRI(fer_str_head(fer_str_of(event), EVENT_MAX)));
}

/* Adds one field whole, or not at all. */
static bool add_field(fer_buf *b, bool pretty, const struct fer_log_field *f)
{
    size_t before = b->len;
    if (pretty) {
        fer_buf_printf(b, " %s=", f->key);
    } else {
        fer_buf_add_char(b, ',');
        fer_buf_add_quoted(b, fer_str_of(f->key));
        fer_buf_add_char(b, ':');
    }
    add_value(b, f);
    if (!b->failure) return true;
    b->failure = FER_OK;
    b->len = before;
    return false;
}

void fer_log_write(const fer_log *log, enum fer_log_level level, const char *event,
                   const struct fer_log_field *fields)
{
    char storage[FER_LOG_MAX_LINE];
    fer_buf b;
    if (level > log->level || log->fd < 0) return;
    fer_buf_init_fixed(&b, storage, sizeof storage - TAIL);
    begin_line(&b, log, level, event);
    bool whole = strlen(event) <= EVENT_MAX;
    for (const struct fer_log_field *f = fields; f->kind != FER_LOG_END; f++) {
        if (add_field(&b, log->pretty, f)) continue;
        whole = false;
        break;
    }
    b.cap = b.max = sizeof storage;
    if (!whole) fer_buf_add_text(&b, log->pretty ? " cut=true" : ",\"cut\":true");
    fer_buf_add_text(&b, log->pretty ? "\n" : "}\n");
    fer_file_write_all(log->fd, fer_buf_view(&b));
}
