/* SPDX-License-Identifier: Apache-2.0 */
/* What splices change in a text, as a unified diff with three lines around each change. */
#ifndef FER_TEXT_DIFF_H
#define FER_TEXT_DIFF_H

#include "json_mend.h"
#include "out.h"

/* The splices are in order, as fer_splices_apply leaves them. False: no memory. */
bool fer_text_diff(fer_arena *a, fer_out *out, fer_str name, fer_str text,
                   const fer_splices *splices);

#endif
