/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which vectors stay with a catalogue: those that its own embedder makes, or those that another one
 * made for the file it came from. Making vectors may cost hours and money, and only their embedder
 * can make them again, so they are given up for others only where all tools have others, and never
 * where the owner asks to keep them.
 */
#ifndef FER_VECTORS_KEPT_H
#define FER_VECTORS_KEPT_H

#include "vector_section.h"
#include "view.h"

/* The vectors of the file that a view is of, else of the older one; with no bytes where there are
 * none. */
const fer_vector_section *fer_kept_vectors(const fer_view *v);
/* Whether another embedder than the view's made them. */
bool fer_kept_vectors_others(const fer_view *v);
/* Whether those stay for good, as the owner asks for it. What an earlier state of the view's own
 * embedder has made is of no use to anybody: it does not. */
bool fer_kept_vectors_stay(const fer_view *v);
/* How many tools of the view have one of them. */
size_t fer_kept_vectors_count(const fer_view *v);
/* The section of a new file: of each tool at most one vector. No writer meanwhile. */
fer_code fer_kept_vectors_write(fer_arena *a, const fer_view *v, fer_str *out, fer_err *err);

#endif
