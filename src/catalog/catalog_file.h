/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A catalogue in a file, used where it lies. file_layout.h has the layout.
 *
 * Opening looks at the head: header, rows and keys, which are checked as a whole. The blocks
 * behind it are checked one by one, when they are asked for (fer_entry_body, fer_doc_json), so
 * that opening costs no more than the head. Nothing in a file is trusted: what is out of place
 * is FER_INVALID_CATALOG, never a crash.
 */
#ifndef FER_CATALOG_FILE_H
#define FER_CATALOG_FILE_H

#include "view.h"

#define FER_CATALOG_FORMAT 3
#define FER_CATALOG_USES   ".usage" /* behind the name of its file: what is remembered of uses */

struct fer_vector_section;
struct fer_vector_store;

/* A mapped file and the values in it; counted, as views hold it. */
struct fer_catalog_file *fer_catalog_file_ref(struct fer_catalog_file *f);
void fer_catalog_file_unref(struct fer_catalog_file *f);

/* The tool of a number in the file's search index; NULL: it has none of that number. */
fer_entry *fer_catalog_file_numbered(const struct fer_catalog_file *f, uint32_t number);

/* Its vectors; with no bytes where it has none, or `f` is NULL. */
const struct fer_vector_section *fer_catalog_file_vectors(const struct fer_catalog_file *f);
/* The bytes of a section, empty where there is none. */
fer_str fer_catalog_file_section(const struct fer_catalog_file *f, unsigned id);
/* How many numbers its search index has. */
uint32_t fer_catalog_file_numbers(const struct fer_catalog_file *f);

/* Opens the index of a view whose file has one and that was opened without; nothing otherwise. */
fer_code fer_catalog_file_index(fer_view *v, struct fer_vector_store *store, fer_err *err);
/* Takes the vectors of the file's tools into the finder's store, and wants those it lacks. */
fer_code fer_catalog_file_load_vectors(fer_view *v, fer_err *err);

/* Holds what nothing else looks at as a whole, the sections, against their checksums. */
fer_code fer_catalog_file_verify(const struct fer_catalog_file *f, fer_err *err);

/* Whether a file begins as a catalogue does, of whatever version, damaged or not. */
bool fer_catalog_file_begins(const char *path);
/* The view of a file; `v` is empty and gets all of it but its index. */
fer_code fer_catalog_file_open(const char *path, fer_view *v, fer_err *err);
/* The same for bytes in memory, aligned to 8, which must stay, with `search` its index too: for
 * tests. */
fer_code fer_catalog_file_view(const void *bytes, size_t size, bool search, fer_view *v,
                               fer_err *err);
/* The bytes of a view's file; `events` are those of history.h. */
fer_code fer_catalog_file_write(fer_arena *a, const fer_view *v, fer_str events, fer_str *out,
                                fer_err *err);

#endif
