/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quick form of a schema (quick.h) as machine code, on request (fer_schema_options.native):
 * the same verdicts in half the time or less. On x86-64 Linux only; elsewhere, and where the
 * system gives no memory for code or the code would be too long, the quick form is run as ever.
 *
 * The code lies in pages of its own that are written first and made executable then, never both.
 */
#ifndef FER_NATIVE_H
#define FER_NATIVE_H

#include <ferrule/common.h>
#include <yyjson.h>

struct fer_run;
struct fer_schema;

struct fer_native {
    /*
     * An object of leaves, where that is all that the schema asks of objects; else NULL. Gives a
     * fer_quick_verdict: unknown for all other values.
     */
    unsigned (*object)(const yyjson_val *value);
    /* Any value; NULL: there is no code. */
    bool (*value)(struct fer_run *r, const yyjson_val *value);
    void *pages;
    size_t size; /* of the pages */
};

struct fer_lowering;

/* Makes the code of a program that was just lowered. That there is none is no failure. */
void fer_native_make(struct fer_schema *s, const struct fer_lowering *l, fer_arena *scratch);
void fer_native_free(struct fer_native *n);

#endif
