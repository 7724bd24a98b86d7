/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One tool as the catalogue keeps it: a flat block of bytes, the same in memory and in a file,
 * so that a file is used where it lies. It has what discovery shows, ready to be shown, and
 * the definition: the record in Ferrule's own form, each value with the bytes it was given in.
 *
 * Offsets count from the start of the block. Lists are items of a 32-bit length and bytes.
 * What comes from a file is checked before it is read (fer_body_check); nothing here trusts it
 * before. Pure but for making an entry, which takes memory.
 */
#ifndef FER_BODY_H
#define FER_BODY_H

#include <ferrule/catalog.h>

#include "table.h"

enum fer_text_id {
    FER_TEXT_ID,
    FER_TEXT_NAME,      /* inside the ID */
    FER_TEXT_NAMESPACE, /* inside the ID */
    FER_TEXT_VERSION,   /* of the record */
    FER_TEXT_TITLE,
    FER_TEXT_SHORT,
    FER_TEXT_CATEGORY,
    FER_TEXT_SECURITY,
    FER_TEXT_INPUT_MODES,  /* a list */
    FER_TEXT_OUTPUT_MODES, /* a list */
    FER_TEXT_TAGS,         /* a list */
    FER_TEXT_BACKENDS,     /* a list: kind, name, tool; kind, name, tool ... */
    FER_TEXT_DEFINITION,   /* JSON */
    FER_TEXT_COUNT
};

struct fer_body_text {
    uint32_t at;
    uint32_t len;
};

typedef struct fer_body {
    uint32_t size;   /* of the block */
    uint32_t effect; /* fer_effect */
    struct fer_body_text texts[FER_TEXT_COUNT];
} fer_body;

#define FER_BODY_MAX ((size_t)64 << 20) /* bytes of one block */

static inline fer_str fer_body_text(const fer_body *b, enum fer_text_id id)
{
    return (fer_str){(const char *)b + b->texts[id].at, b->texts[id].len};
}

/* Whether a block of `size` bytes, aligned to 8, holds what it says it holds. */
bool fer_body_check(const void *block, size_t size);

/* The items of a list. */
fer_code fer_body_list(fer_arena *a, const fer_body *b, enum fer_text_id id, fer_texts *out,
                       fer_err *err);
/* The next item of a list, which is taken off `*list`; false at its end. */
bool fer_list_next(fer_str *list, fer_str *item);
fer_code fer_body_backends(fer_arena *a, const fer_body *b, fer_backend **out, size_t *count,
                           fer_err *err);
fer_code fer_body_summary(fer_arena *a, const fer_body *b, fer_summary *out, fer_err *err);

/* ---- entries: bodies as values of a tree ----------------------------------------------------- */

enum fer_body_state {
    FER_BODY_UNSEEN, /* of a file, and not looked at yet */
    FER_BODY_GOOD,
    FER_BODY_BAD
};

typedef struct fer_entry {
    fer_value value; /* its key is the ID */
    const fer_body *body;
    uint64_t check;   /* of a file: the checksum that the body must have */
    uint32_t size;    /* of a file: bytes of the block */
    uint32_t number;  /* in the search index; the writer's alone */
    uint64_t content; /* sums of what it says (tool_content.h), once it has a number */
    uint64_t twin;
    atomic_uchar state; /* fer_body_state */
} fer_entry;

/* The body, looked at first where it comes from a file. FER_INVALID_CATALOG: it is damaged. */
fer_code fer_entry_body(fer_entry *e, const fer_body **out, fer_err *err);

/* An entry for a tool, as the options say (NULL: none); with a mark of an owner for him alone
 * (own_id.h). */
fer_code fer_entry_of_tool(fer_arena *scratch, const fer_tool *t, const fer_put_options *options,
                           fer_str owner, fer_entry **out, fer_err *err);
/* The same tool with other backends. */
fer_code fer_entry_with_backends(fer_arena *scratch, const fer_body *b, const fer_backend *backends,
                                 size_t count, fer_entry **out, fer_err *err);

/* Whether two backends are the same place. */
bool fer_backend_same(const fer_backend *x, const fer_backend *y);

#endif
