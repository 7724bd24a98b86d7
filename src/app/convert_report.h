/* SPDX-License-Identifier: Apache-2.0 */
/* What a conversion changed, in words or as JSON. */
#ifndef FER_CONVERT_REPORT_H
#define FER_CONVERT_REPORT_H

#include <ferrule/convert.h>

#include "buf.h"

typedef void fer_convert_reporter(fer_buf *b, const fer_conversion *c);
/* "text" or "json". */
fer_convert_reporter *fer_convert_reporter_find(const char *name);

#endif
