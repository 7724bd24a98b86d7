/* SPDX-License-Identifier: Apache-2.0 */
/* Reading answers of Docker's API, which are believed in nothing. Pure. */
#ifndef FER_DOCKER_ANSWER_H
#define FER_DOCKER_ANSWER_H

#include "json_value.h"

#define FER_CONTAINER_ID 128 /* bytes of a container's ID, NUL included */

/* A member that is text; empty: there is none, or `object` is no object. */
static inline fer_str fer_answer_text(const yyjson_val *object, const char *name)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, name) : NULL;
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

#endif
