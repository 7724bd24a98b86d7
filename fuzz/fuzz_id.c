/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tool IDs. What must hold: the parts of an ID are within their limits and alphabet;
 * written and parsed again, they are the same parts; and the canonical text is its own
 * canonical text.
 */
#include <ferrule/contract.h>

#include "fuzz.h"
#include "tool_id.h"

static void check_part(fer_str part)
{
    HOLDS(part.len <= FER_NAME_MAX && fer_name_bad_byte(part) == SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size), once, twice;
    fer_arena *a = fuzz_arena();
    fer_err err = {0};
    fer_id id, again;
    fer_code code = fer_id_parse(text, &id, &err);
    if (code) {
        HOLDS(code == FER_INVALID_ID && err.code == code && err.message[0]);
    } else if (size <= 2048) {
        fer_semver version;
        check_part(id.ns);
        check_part(id.name);
        HOLDS(id.name.len && (!id.version.len || id.ns.len));
        HOLDS(!id.version.len || fer_semver_parse(id.version, &version, NULL) == FER_OK);
        HOLDS(fer_id_write(a, &id, &once, &err) == FER_OK);
        HOLDS(fer_id_parse(once, &again, &err) == FER_OK);
        HOLDS(fer_str_eq(id.ns, again.ns) && fer_str_eq(id.name, again.name));
        HOLDS(fer_str_eq(id.version, again.version));
        HOLDS(fer_id_write(a, &again, &twice, &err) == FER_OK);
        HOLDS(fer_str_eq(once, twice));
    }
    fer_arena_free(a);
    return 0;
}
