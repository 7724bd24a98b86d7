/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A version, a newline, a constraint (or a second version). What must hold:
 *  - a version written out and parsed again has the same parts;
 *  - comparing is reflexive and antisymmetric, and blind to build metadata;
 *  - a version satisfies =v, >=v and <=v, but neither >v nor <v;
 *  - a constraint c means the same as c || c, and as c c where it has one part;
 *  - every release satisfies c || *.
 */
#include <ferrule/contract.h>

#include "fuzz.h"

#define TEXT_MAX 1024 /* of the version and of the constraint */

static fer_str write_version(fer_arena *a, const fer_semver *v)
{
    fer_str s = fer_arena_printf(a, "%llu.%llu.%llu%s%.*s%s%.*s", (unsigned long long)v->major,
                                 (unsigned long long)v->minor, (unsigned long long)v->patch,
                                 v->pre.len ? "-" : "", FER_PRI(v->pre), v->build.len ? "+" : "",
                                 FER_PRI(v->build));
    HOLDS(s.ptr);
    return s;
}

static bool satisfies(const fer_semver *v, fer_str constraint)
{
    bool fits = false;
    fer_err err;
    HOLDS(fer_semver_satisfies(v, constraint, &fits, &err) == FER_OK);
    return fits;
}

static bool compares(fer_arena *a, const char *operator, const fer_semver * v, fer_str text)
{
    return satisfies(v, fer_arena_printf(a, "%s%.*s", operator, FER_PRI(text)));
}

static void check_version(fer_arena *a, const fer_semver *v)
{
    fer_semver again, other = *v;
    fer_str text = write_version(a, v);
    HOLDS(fer_semver_parse(text, &again, NULL) == FER_OK);
    HOLDS(v->major == again.major && v->minor == again.minor && v->patch == again.patch);
    HOLDS(fer_str_eq(v->pre, again.pre) && fer_str_eq(v->build, again.build));
    HOLDS(fer_semver_cmp(v, &again) == 0 && fer_semver_cmp(v, v) == 0);
    other.build = FER_STR("other");
    HOLDS(fer_semver_cmp(v, &other) == 0);
    HOLDS(compares(a, "=", v, text) && compares(a, "", v, text));
    HOLDS(compares(a, ">=", v, text) && compares(a, "<=", v, text));
    HOLDS(!compares(a, ">", v, text) && !compares(a, "<", v, text));
    HOLDS(compares(a, "^", v, text) && compares(a, "~", v, text));
}

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static void check_order(fer_arena *a, const fer_semver *x, const fer_semver *y)
{
    int order = sign(fer_semver_cmp(x, y));
    fer_str text = write_version(a, y);
    HOLDS(order == -sign(fer_semver_cmp(y, x)));
    if (x->pre.len) return;
    HOLDS(compares(a, ">", x, text) == (order > 0));
    HOLDS(compares(a, "<", x, text) == (order < 0));
    HOLDS(compares(a, ">=", x, text) == (order >= 0));
    HOLDS(compares(a, "<=", x, text) == (order <= 0));
    HOLDS(compares(a, "=", x, text) == (order == 0));
}

static void check_constraint(fer_arena *a, const fer_semver *v, fer_str c)
{
    bool fits = false;
    fer_err err = {0};
    fer_code code = fer_semver_satisfies(v, c, &fits, &err);
    if (code) {
        HOLDS(code == FER_INVALID_CONSTRAINT && err.code == code && err.message[0]);
        return;
    }
    HOLDS(satisfies(v, fer_arena_printf(a, "%.*s||%.*s", FER_PRI(c), FER_PRI(c))) == fits);
    if (fer_str_find(c, 0, '|') == SIZE_MAX) {
        HOLDS(satisfies(v, fer_arena_printf(a, "%.*s %.*s", FER_PRI(c), FER_PRI(c))) == fits);
    }
    if (!v->pre.len) HOLDS(satisfies(v, fer_arena_printf(a, "%.*s || *", FER_PRI(c))));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str rest = fuzz_text(data, size);
    fer_str first = fuzz_until(&rest, '\n');
    fer_semver x, y;
    fer_err err = {0};
    if (first.len > TEXT_MAX || rest.len > TEXT_MAX) return 0;
    /* Formatting stops at NUL; neither grammar knows it. */
    bool has_nul = rest.len && memchr(rest.ptr, '\0', rest.len);
    fer_arena *a = fuzz_arena();
    fer_code code = fer_semver_parse(first, &x, &err);
    if (code) {
        HOLDS(code == FER_INVALID_VERSION && err.code == code && err.message[0]);
        x = (fer_semver){.major = 1, .minor = 2, .patch = 3};
    } else {
        check_version(a, &x);
    }
    if (has_nul) {
        bool fits;
        HOLDS(fer_semver_satisfies(&x, rest, &fits, &err) == FER_INVALID_CONSTRAINT);
    } else {
        check_constraint(a, &x, rest);
    }
    if (fer_semver_parse(rest, &y, NULL) == FER_OK) check_order(a, &x, &y);
    fer_arena_free(a);
    return 0;
}
