/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps of conversions, and calls through them: the first line is the call, the rest the map.
 * What must hold: a text is a map or is refused with a reason; a call is translated or refused
 * with a reason; translating it twice gives the same; and the records come out as JSON.
 */
#include <ferrule/convert.h>

#include "fuzz.h"

static void call_twice(fer_arena *a, const fer_back_map *map, fer_str call)
{
    fer_back_call one, two;
    fer_json *doc;
    fer_err err = {0};
    fer_code code = fer_back_map_call(a, map, call, &one, &err);
    HOLDS(fer_back_map_call(a, map, call, &two, NULL) == code);
    if (code) {
        HOLDS(err.message[0]);
        return;
    }
    HOLDS(fer_str_eq(one.json, two.json));
    HOLDS(!fer_json_read(a, one.json, fer_json_limits_file(), &doc, &err));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str rest = fuzz_text(data, size), call = fuzz_until(&rest, '\n'), records;
    fer_arena *a = fuzz_arena();
    const fer_back_map *map = NULL;
    fer_json *doc;
    fer_err err = {0};
    fer_code code = fer_back_map_read(a, rest, &map, &err);
    if (code) {
        HOLDS(err.code == code && err.message[0]);
    } else {
        call_twice(a, map, call);
        HOLDS(!fer_back_map_records(a, map, &records, &err));
        HOLDS(!fer_json_read(a, records, fer_json_limits_file(), &doc, &err));
    }
    fer_arena_free(a);
    return 0;
}
