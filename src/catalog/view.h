/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frozen state of the catalogue: five tables that share their parts with the states before
 * and after. Made and changed by catalog.c while nobody else has it; then read by anybody, for
 * as long as somebody holds it, even past the catalogue's own life.
 */
#ifndef FER_VIEW_H
#define FER_VIEW_H

#include "body.h"
#include "table.h"

struct fer_catalog_file;
struct fer_finder;

struct fer_view {
    atomic_uint refs;
    uint64_t version;
    uint64_t stamp;
    unsigned char key[FER_CATALOG_KEY]; /* that page tokens are signed with */
    fer_table tools;                    /* fer_entry, by ID */
    fer_table pending;                  /* fer_entry, by ID: definitions that are held back */
    fer_table past;                 /* fer_entry, by ID: what a tool that is gone was when it was
                                       served; of one that is served, what was rejected last */
    fer_table docs;                 /* fer_doc, by ID */
    fer_table spaces;               /* fer_space, by namespace */
    struct fer_catalog_file *file;  /* that values may lie in; or NULL */
    struct fer_catalog_file *older; /* whose vectors are used again; or NULL */
    struct fer_finder *finder;      /* what is searched, or only kept in step; or NULL */
    bool search;                    /* somebody searches */
    bool keeps;                     /* see keep_vectors of fer_catalog_options */
    fer_table numbers;              /* entries by their number in it, but for those of the file */
    uint32_t next_number;           /* that no entry had yet */
    size_t own;                     /* tools that are for one owner alone (own_id.h) */
};

/* What somebody wrote about a tool beside its record. */
typedef struct fer_doc {
    fer_value value; /* its key is the ID */
    fer_str json;    /* {"summary", "notes", "examples", "externalRefs"}, within the limits */
    uint64_t check;  /* of a file: the checksum that the text must have */
    atomic_uchar state;
} fer_doc;

/* How many tools a namespace has. */
typedef struct fer_space {
    fer_value value; /* its key is the namespace */
    size_t tools;
} fer_space;

/* An empty state; NULL: no memory. */
FER_MUST_USE fer_view *fer_view_new(void);
/* A state to be changed, that is as `v` for now; NULL: no memory. */
FER_MUST_USE fer_view *fer_view_next(const fer_view *v);

fer_doc *fer_doc_new(fer_str id, fer_str json);
/* The text of a doc, looked at first where it comes from a file. */
fer_code fer_doc_json(fer_doc *d, fer_str *out, fer_err *err);
/* Counts a tool in or out of its namespace; false: no memory. */
FER_MUST_USE bool fer_view_count_space(fer_view *v, fer_str ns, int by);

/* The tool that an ID or alias stands for; one that is for one owner alone by its whole ID only. */
fer_code fer_view_find(const fer_view *v, fer_str id, fer_str constraint, fer_entry **out,
                       fer_err *err);
/* The same, of those that a filter takes. */
fer_code fer_view_find_among(const fer_view *v, fer_str id, fer_str constraint,
                             const fer_filter *filter, fer_entry **out, fer_err *err);
/* The tool that an ID or alias stands for, and its body. */
fer_code fer_view_body(const fer_view *v, fer_str id, const fer_body **out, fer_err *err);
/* What is written about a tool under its ID, or under the ID without its version; or NULL. What is
 * for one owner alone has nothing of it: it is about another definition. */
fer_doc *fer_view_doc(const fer_view *v, fer_str id);
/* Whether a tool is what a filter (NULL: none) asks for. One that is for one owner alone is taken
 * by a rule only. */
bool fer_filter_takes(const fer_filter *f, const fer_body *b);

#endif
