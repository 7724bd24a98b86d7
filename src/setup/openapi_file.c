/* SPDX-License-Identifier: Apache-2.0 */
#include "openapi_file.h"

#include <string.h>
#include <unistd.h>

#include "errors.h"
#include "file.h"
#include "reader.h"

static fer_code read_text(fer_arena *a, const char *file, fer_str *text, fer_err *err)
{
    fer_code code = strcmp(file, "-") == 0
                        ? fer_file_read_fd(a, STDIN_FILENO, "-", FER_OPENAPI_SIZE, text, err)
                        : fer_file_read(a, file, FER_OPENAPI_SIZE, text, err);
    if (code == FER_LIMIT_EXCEEDED)
        fer_fail(err, code, "%s: openapi.size: the limit is %zu bytes", file, FER_OPENAPI_SIZE);
    return code;
}

fer_code fer_openapi_read_file(fer_arena *a, const char *file, const fer_openapi_options *options,
                               fer_openapi *out, fer_err *err)
{
    fer_str text;
    fer_json *doc;
    fer_code code = read_text(a, file, &text, err);
    if (code) return code;
    code = fer_format_detect(fer_str_of(file), text, FER_FORMAT_AUTO) == FER_FORMAT_YAML
               ? fer_yaml_read(a, text, fer_json_limits_file(), &doc, err)
               : fer_json_read(a, text, fer_json_limits_file(), &doc, err);
    if (!code) code = fer_openapi_import(a, doc, options, out, err);
    if (code) fer_fail_in(err, fer_str_of(file));
    return code;
}
