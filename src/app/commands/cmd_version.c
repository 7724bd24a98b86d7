/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule version: Ferrule and what it runs on. */
#include <openssl/crypto.h>
#include <utf8proc.h>
#include <yaml.h>
#include <yyjson.h>

#include "command.h"
#include "errors.h"

int fer_run_version(fer_app *app)
{
    fer_out *o = &app->out;
    uint32_t yy = yyjson_version();
    if (fer_app_option(app, "json")) {
        fer_out_printf(
            o,
            "{\"ferrule\":\"%s\",\"yyjson\":\"%u.%u.%u\",\"libyaml\":\"%s\",\"openssl\":\"%s\",\"utf8proc\":\"%s\"}\n",
            fer_version(), yy >> 16, yy >> 8 & 0xFF, yy & 0xFF, yaml_get_version_string(),
            OpenSSL_version(OPENSSL_VERSION_STRING), utf8proc_version());
        return FER_EXIT_OK;
    }
    fer_out_printf(o, "ferrule %s\n", fer_version());
    fer_out_printf(o, "with yyjson %u.%u.%u, libyaml %s, OpenSSL %s, utf8proc %s\n", yy >> 16,
                   yy >> 8 & 0xFF, yy & 0xFF, yaml_get_version_string(),
                   OpenSSL_version(OPENSSL_VERSION_STRING), utf8proc_version());
    return FER_EXIT_OK;
}
