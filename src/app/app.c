/* SPDX-License-Identifier: Apache-2.0 */
/* What every command asks of the command line around it: its options, and how to say what is wrong.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "errors.h"

const char *fer_app_option(const fer_app *app, const char *name)
{
    size_t i = 0;
    for (const fer_option *o = app->command->options; o->name; o++, i++) {
        if (strcmp(o->name, name) == 0) return app->values[i];
    }
    for (const fer_option *o = fer_common_options; o->name; o++, i++) {
        if (strcmp(o->name, name) == 0) return app->values[i];
    }
    return NULL;
}

const char *fer_app_values(const fer_app *app, const char *name, size_t index)
{
    for (size_t i = 0; i < app->repeat_count; i++) {
        if (strcmp(app->repeats[i].option->name, name) != 0) continue;
        if (index-- == 0) return app->repeats[i].value;
    }
    return NULL;
}

void fer_app_say(fer_app *app, const char *format, ...)
{
    char text[2 * FER_ERR_TEXT];
    fer_out out;
    va_list args;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    fer_out_flush(&app->out);
    fer_out_init(&out, STDERR_FILENO, false, false);
    fer_out_text(&out, "ferrule: ");
    fer_out_clean(&out, (fer_str){text, len});
    fer_out_text(&out, "\n");
    fer_out_close(&out);
}

int fer_app_fail(fer_app *app, const fer_err *err)
{
    const fer_code_row *row = fer_code_info(err->code);
    fer_app_say(app, "%s: %s", row->name, err->message);
    return row->exit_code;
}

int fer_app_usage(fer_app *app, const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    va_start(args, format);
    fer_format_text(text, sizeof text, format, args);
    va_end(args);
    fer_app_say(app, "%s", text);
    bool known = app->command && app->command->run != fer_run_help;
    fer_app_say(app, "'ferrule help%s%s' tells more", known ? " " : "",
                known ? app->command->name : "");
    return FER_EXIT_USAGE;
}
