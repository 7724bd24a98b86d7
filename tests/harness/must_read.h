/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that are known to be right: what is not fails the test. */
#ifndef FER_MUST_READ_H
#define FER_MUST_READ_H

#include "json_doc.h"
#include "rows.h"

static inline const yyjson_val *must_read(fer_arena *a, fer_str text, const fer_json_limits *limits)
{
    fer_json *doc;
    fer_err err;
    if (fer_json_read(a, text, limits, &doc, &err)) fail_msg("%s", err.message);
    return fer_json_root(doc);
}

static inline fer_str must_canon(fer_arena *a, const yyjson_val *v)
{
    fer_str out;
    assert_int_equal(fer_json_canonical(a, v, &out, NULL), FER_OK);
    return out;
}

#endif
