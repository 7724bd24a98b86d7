/* SPDX-License-Identifier: Apache-2.0 */
/* The uses of a catalogue, as its users see them. */
#include "arena.h"
#include "catalog_parts.h"
#include "errors.h"
#include "use_memory.h"

static fer_code nothing(fer_err *err)
{
    return fer_fail(err, FER_BAD_USAGE, "this catalogue was made to remember no uses");
}

fer_code fer_catalog_note_use(fer_catalog *c, fer_str tenant, fer_str query, fer_str tool,
                              fer_err *err)
{
    const fer_use use = {tenant, query, tool};
    if (!c->uses) return nothing(err);
    fer_view *v = fer_catalog_view(c);
    fer_code code = fer_use_memory_note(c->uses, v, &use, err);
    fer_view_unref(v);
    return code;
}

fer_code fer_catalog_uses(fer_arena *a, fer_catalog *c, fer_str tenant, fer_use **out,
                          size_t *count, fer_err *err)
{
    return c->uses ? fer_use_memory_list(a, c->uses, tenant, out, count, err) : nothing(err);
}

size_t fer_catalog_forget_uses(fer_catalog *c, fer_str tenant, fer_str tool)
{
    return c->uses ? fer_use_memory_forget(c->uses, tenant, tool) : 0;
}

fer_code fer_catalog_save_uses(fer_catalog *c, fer_err *err)
{
    return c->uses ? fer_use_memory_save(c->uses, err) : nothing(err);
}

fer_str fer_catalog_uses_problem(const fer_catalog *c)
{
    return c->uses ? fer_use_memory_problem(c->uses) : FER_STR("");
}
