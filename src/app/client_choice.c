/* SPDX-License-Identifier: Apache-2.0 */
#include "client_choice.h"

#include <stdlib.h>

#include "config.h"
#include "process.h"

int fer_client_choose(fer_app *app, fer_arena *a, const char *files[FER_CLIENT_FILES_MAX],
                      size_t *count)
{
    fer_client_file found[FER_CLIENT_FILES_MAX];
    const char *from = fer_app_option(app, "from");
    fer_str config = FER_STR("");
    fer_err err;
    *count = 0;
    if (fer_app_option(app, "config")) {
        return from ? fer_app_usage(app, "--from and --config exclude each other") : 0;
    }
    if (from && !fer_client_find(from)) {
        files[(*count)++] = from;
        return 0;
    }
    if (!from && fer_config_locate(a, NULL, &config, &err)) return fer_app_fail(app, &err);
    if (!from && config.len) return 0;
    if (!from && getenv(FER_PROCESS_MARK))
        return fer_app_usage(app, "this gateway was started by another one, and would serve the "
                                  "same servers again: --config or --from says which it is for");
    size_t n = fer_client_files_find(a, from, found);
    for (size_t i = 0; i < n; i++) {
        fer_app_say(app, "found the servers of %s in %s", found[i].client->title, found[i].path);
        files[(*count)++] = found[i].path;
    }
    if (!n && from) return fer_app_usage(app, "no file of %s is there: name one", from);
    if (!n) fer_app_say(app, "no configuration and no client's file is there: built-in tools only");
    return 0;
}

bool fer_client_found(const fer_app *app)
{
    const char *from = fer_app_option(app, "from");
    return !from || fer_client_find(from);
}
