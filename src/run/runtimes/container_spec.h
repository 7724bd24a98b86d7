/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FER_CONTAINER_SPEC_H
#define FER_CONTAINER_SPEC_H

#include "rt_container.h"

/* The body of POST /containers/create for one run; `mark` as of fer_sweep_mark. */
void fer_container_spec_write(fer_buf *b, const fer_container_settings *s, fer_str mark,
                              const fer_job *j);

#endif
