/* SPDX-License-Identifier: Apache-2.0 */
#include "schema_limits.h"

#include "str.h"

#define ROW(field, text)                                                                           \
    {                                                                                              \
        "schema." #field, offsetof(fer_schema_limits, field), text                                 \
    }

const struct fer_schema_limit_row fer_schema_limit_rows[] = {
    ROW(size, "bytes of a schema's text"),
    ROW(depth, "nested arrays and objects of a schema's text"),
    ROW(subschemas, "subschemas that one program is made of"),
    ROW(refs, "references (`$ref`, `$dynamicRef`, `$recursiveRef`) of one program"),
    ROW(pattern, "bytes of one regular expression"),
    ROW(repeat, "the largest count of a repetition in a regular expression"),
    ROW(states, "states of the automaton of one regular expression"),
    ROW(steps, "steps of one validation"),
};
const size_t fer_schema_limit_row_count = FER_COUNT(fer_schema_limit_rows);

const fer_schema_limits *fer_schema_limits_message(void)
{
    static const fer_schema_limits limits = {
        .size = (size_t)256 << 10,
        .depth = 64,
        .subschemas = 10000,
        .refs = 1000,
        .pattern = 1024,
        .repeat = 1000,
        .states = 10000,
        .steps = 2000000,
    };
    return &limits;
}

const fer_schema_limits *fer_schema_limits_file(void)
{
    static const fer_schema_limits limits = {
        .size = (size_t)64 << 20,
        .depth = 1000,
        .subschemas = 1000000,
        .refs = 1000000,
        .pattern = (size_t)64 << 10,
        .repeat = 10000,
        .states = 100000,
        .steps = 200000000,
    };
    return &limits;
}
