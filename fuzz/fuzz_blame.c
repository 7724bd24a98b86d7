/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider's message. What must hold: it is refused with a reason, or read into parts that
 * are parts of the message; and what it means in a tool is a value of that tool.
 */
#include "blame.h"

#include "fuzz.h"
#include "toolset.h"

static const char tools[] =
    "[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"anyOf\":[{\"type\":\"array\","
    "\"items\":{}},{\"$ref\":\"#\"}]},\"0\":{}}}},{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\"}}]";

static void check_part(fer_str part, fer_str text)
{
    HOLDS(!part.len || (part.ptr >= text.ptr && part.ptr + part.len <= text.ptr + text.len));
}

static fer_code visit(void *context, const fer_visited *v, fer_err *err)
{
    const yyjson_val *at = NULL;
    (void)err;
    if (fer_blame_tool(context, v->tool, v->item->number, &at) == FER_BLAME_NO) return FER_OK;
    HOLDS(at >= v->item->record && at < fer_val_next(v->item->record));
    return FER_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size);
    fer_blame b;
    fer_err err = {0};
    fer_reader r;
    if (!text.ptr) return 0;
    fer_code code = fer_blame_read(text, &b, &err);
    HOLDS(!code || err.message[0]);
    if (code) return 0;
    check_part(b.name, text);
    check_part(b.path, text);
    check_part(b.keyword, text);
    HOLDS(b.number <= FER_TOOLS_MAX && b.family);
    HOLDS(!fer_reader_init(&r, NULL, FER_STR("t"), fer_str_of(tools), FER_FORMAT_JSON, NULL));
    HOLDS(!fer_visit(&r, FER_STR("t"), NULL, visit, &b, NULL));
    fer_reader_deinit(&r);
    return 0;
}
