/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a registry; its public face is in <ferrule/schema.h>. */
#ifndef FER_REGISTRY_H
#define FER_REGISTRY_H

#include <ferrule/schema.h>

#include "library.h"

struct fer_registry {
    _Atomic size_t refs;
    fer_arena *arena;
    fer_library library;
};

/* Programs hold the registry they were compiled with. NULL is fine. */
const fer_registry *fer_registry_ref(const fer_registry *r);
void fer_registry_unref(const fer_registry *r);

#endif
