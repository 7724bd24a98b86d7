/* SPDX-License-Identifier: Apache-2.0 */
/* OpenAPI documents in files: read within their limits, and imported. */
#ifndef FER_OPENAPI_FILE_H
#define FER_OPENAPI_FILE_H

#include "openapi.h"

/* The file's name and the place stand before the message of a failure; "-" is standard input. */
fer_code fer_openapi_read_file(fer_arena *a, const char *file, const fer_openapi_options *options,
                               fer_openapi *out, fer_err *err);

#endif
