/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sys.h"

bool fer_ask_possible(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

/* One line, without its end and the blanks around it. -1: the input has ended; 0: too long. */
static int read_line(char line[FER_ANSWER_MAX])
{
    size_t len = 0;
    bool fits = true;
    for (;;) {
        char c;
        ssize_t got = fer_sys_read(STDIN_FILENO, &c, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 && len == 0) return -1;
        if (got <= 0 || c == '\n') break;
        if (len == 0 && (c == ' ' || c == '\t')) continue;
        if (len + 1 < FER_ANSWER_MAX) line[len++] = c;
        else fits = false;
    }
    while (len && strchr(" \t\r", line[len - 1])) len--;
    line[len] = '\0';
    return fits;
}

static bool is_choice(const char *const *choices, const char *word)
{
    for (; *choices; choices++) {
        if (strcmp(*choices, word) == 0) return true;
    }
    return false;
}

static void put_question(const char *question, const char *const *choices, const char *otherwise)
{
    fer_out o;
    fer_out_init(&o, STDERR_FILENO, false, true);
    fer_out_text(&o, question);
    for (const char *const *c = choices; c && *c; c++)
        fer_out_printf(&o, "%s%s%s", c == choices ? " (" : ", ", *c, c[1] ? "" : ")");
    if (otherwise) fer_out_printf(&o, " [%s]", otherwise);
    fer_out_text(&o, ": ");
    fer_out_close(&o);
}

bool fer_ask(const char *question, const char *const *choices, const char *otherwise,
             char answer[FER_ANSWER_MAX])
{
    for (;;) {
        put_question(question, choices, otherwise);
        int got = read_line(answer);
        if (got < 0) return false;
        if (got == 0) continue;
        if (!*answer && otherwise) {
            size_t len = strlen(otherwise);
            memcpy(answer, otherwise, len + 1);
        }
        if (!*answer && !otherwise) continue;
        if (!choices || is_choice(choices, answer)) return true;
    }
}
