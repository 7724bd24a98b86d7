/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime `js`: QuickJS in a program of its own (js/), which is a part of this library and is
 * executed from sealed memory, for one run each. A few are kept warm: started, with the engine made
 * and waiting for what to run.
 */
#ifndef FER_RT_JS_H
#define FER_RT_JS_H

#include "code_box.h"

#define FER_JS_WARM     2  /* programs that wait, unless told otherwise */
#define FER_JS_WARM_MAX 64 /* that may */

typedef struct fer_js_settings {
    fer_box_spec box;           /* where it runs: what is said of the program itself is not used */
    int64_t bounds[FER_BOUNDS]; /* of the programs that are kept warm */
    size_t warm;                /* how many */
} fer_js_settings;

/* NULL: no memory, or the program cannot be put into memory. */
FER_MUST_USE fer_runtime *fer_js_runtime(uv_loop_t *loop, fer_str name, const fer_js_settings *s);

#endif
