/* SPDX-License-Identifier: Apache-2.0 */
#include "chain_args.h"

#include "errors.h"
#include "schema_tree.h"

const yyjson_val *fer_ref_value(const fer_ref *ref, fer_ref_source *source, void *context)
{
    const yyjson_val *from = source(context, ref);
    const yyjson_val *v = from ? fer_json_at(from, ref->pointer, NULL) : NULL;
    return v ? v : ref->fallback;
}

fer_code fer_step_args(fer_arena *a, const fer_step *s, fer_ref_source *source, void *context,
                       fer_str *out, fer_err *err)
{
    fer_tree t;
    fer_tree_init(&t, a);
    yyjson_mut_val *root = s->args ? fer_tree_copy(&t, s->args) : fer_tree_object(&t);
    for (size_t i = 0; i < s->ref_count && !t.failed; i++) {
        const fer_ref *ref = &s->refs[i];
        const yyjson_val *v = fer_ref_value(ref, source, context);
        if (!v)
            return fer_fail(err, FER_REQUIRED_MISSING,
                            "%.*s leads to nothing, and %.*s of the arguments needs it",
                            FER_PRI(ref->text), FER_PRI(ref->to));
        yyjson_mut_val *copy = fer_tree_copy(&t, v);
        if (copy && !fer_tree_put_at(&t, root, ref->to, copy))
            return fer_fail(err, FER_CONSTRAINT_VIOLATION,
                            "%.*s is no place in the arguments of this step", FER_PRI(ref->to));
    }
    if (t.failed) return fer_arena_failed(a, err);
    return fer_tree_write(&t, root, out, err);
}
