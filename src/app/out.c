/* SPDX-License-Identifier: Apache-2.0 */
#include "out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "errors.h"
#include "file.h"
#include "unicode.h"

void fer_out_init(fer_out *o, int fd, bool colour, bool terminal)
{
    o->fd = fd;
    o->colour = colour;
    o->terminal = terminal;
    o->failed = false;
    o->error = 0;
    o->len = 0;
}

static void write_now(fer_out *o, fer_str s)
{
    if (o->failed || s.len == 0) return;
    o->failed = !fer_file_write_all(o->fd, s);
    if (o->failed) o->error = errno;
}

void fer_out_flush(fer_out *o)
{
    write_now(o, (fer_str){o->bytes, o->len});
    o->len = 0;
}

bool fer_out_close(fer_out *o)
{
    fer_out_flush(o);
    return !o->failed;
}

void fer_out_add(fer_out *o, fer_str s)
{
    if (s.len > sizeof o->bytes - o->len) fer_out_flush(o);
    if (s.len > sizeof o->bytes) {
        write_now(o, s);
        return;
    }
    if (s.len) memcpy(o->bytes + o->len, s.ptr, s.len);
    o->len += s.len;
}

void fer_out_text(fer_out *o, const char *text)
{
    fer_out_add(o, fer_str_of(text));
}

void fer_out_printf(fer_out *o, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    fer_out_add(o, (fer_str){text, len});
}

void fer_out_json(fer_out *o, fer_str s)
{
    static const char hex[] = "0123456789abcdef";
    fer_out_text(o, "\"");
    for (size_t at = 0; at < s.len;) {
        size_t from = at;
        uint32_t c = fer_utf8_next(s, &at);
        if (c == 0xFFFD) {
            fer_out_text(o, "\xEF\xBF\xBD");
        } else if (c == '"' || c == '\\') {
            fer_out_add(o, (fer_str){(char[]){'\\', (char)c}, 2});
        } else if (c == '\n') {
            fer_out_text(o, "\\n");
        } else if (c < 0x20 || c == 0x7F) {
            fer_out_add(o, (fer_str){(char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6});
        } else {
            fer_out_add(o, fer_str_slice(s, from, at));
        }
    }
    fer_out_text(o, "\"");
}

void fer_out_clean(fer_out *o, fer_str s)
{
    for (size_t at = 0; at < s.len;) {
        size_t from = at;
        uint32_t c = fer_utf8_next(s, &at);
        if (c == '\n' || c == '\t' || c == '\r') fer_out_text(o, " ");
        else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0xFFFD && c <= 0xFFFF))
            fer_out_text(o, "\xEF\xBF\xBD");
        /* Marks that turn the direction of text can hide what it says. */
        else if ((c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069))
            fer_out_text(o, "\xEF\xBF\xBD");
        else fer_out_add(o, fer_str_slice(s, from, at));
    }
}

void fer_out_style(fer_out *o, enum fer_style style)
{
    static const char *const codes[] = {"\033[0m",    "\033[1m",    "\033[2m",
                                        "\033[1;31m", "\033[1;33m", "\033[1;34m"};
    if (o->colour) fer_out_text(o, codes[style]);
}
