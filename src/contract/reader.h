/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools out of a text, one at a time.
 *
 * A large list is not parsed as a whole: the list is found, what stands around it is
 * read strictly as a document of its own (with the list empty), and each entry is
 * read when its turn comes. So memory stays flat however long the list is, and every
 * byte is still read strictly, once. YAML and single definitions are read whole.
 *
 * The life of a reader: init -> next until it gives no item -> deinit. The text
 * must stay; an item is good until the next call, or for ever where the reader was
 * given an arena to keep items in.
 */
#ifndef FER_READER_H
#define FER_READER_H

#include "json_doc.h"
#include "shape.h"

typedef struct fer_item {
    enum fer_shape shape;
    fer_json *doc;            /* the document that holds the entry */
    const yyjson_val *entry;  /* the definition as given */
    const yyjson_val *record; /* the object in it that has the fields */
    size_t number;            /* 1-based, among the tools of the text */
    size_t base;              /* where the document's text starts in the text */
    fer_str prefix;           /* pointer of the entry in the document of the text */
    fer_str inside;           /* pointer of the record in the entry */
} fer_item;

typedef struct fer_reader {
    fer_str text;
    fer_format format;
    const fer_json_limits *limits;
    fer_json_limits entry_limits; /* of one entry of a list */
    fer_arena *own;               /* what lives as long as the reader */
    fer_arena *items;             /* where documents go */
    bool keep;                    /* items are kept: never reset */
    size_t at;                    /* next byte to read */
    size_t list;                  /* of a list in the text: its opening bracket */
    fer_str list_path;            /* pointer of the list */
    fer_json *doc;                /* of the entries at hand */
    size_t base;
    const yyjson_val *next; /* next entry of a list inside doc */
    const yyjson_val *next_end;
    size_t index;   /* of the next entry in its list; SIZE_MAX: there is no list, or it is done */
    fer_str prefix; /* of the entry whose declarations are being read */
    const yyjson_val *declared; /* next declaration of a Gemini entry */
    const yyjson_val *declared_end;
    size_t declared_index;
    const yyjson_val *entry; /* the Gemini entry itself */
    fer_str declared_key;
    enum fer_shape shape; /* of the first entry */
    size_t number;
    const char *container; /* "a list", "an MCP tools/list result" ... */
    bool mixed;            /* input_schema and parameters may stand in one list */
    bool resumable;        /* the last failure was of one entry: the next can be asked for */
    fer_lines lines;
} fer_reader;

/*
 * Opens a text. `keep`: items are read into this arena and stay; NULL: each item's
 * memory is used again for the next.
 */
fer_code fer_reader_init(fer_reader *r, fer_arena *keep, fer_str name, fer_str text,
                         fer_format format, fer_err *err);
void fer_reader_deinit(fer_reader *r);

/*
 * The next tool; `out->entry` is NULL at the end. After a failure that concerns one
 * entry alone (a duplicate key, a limit, an unknown shape, a broken line of JSON Lines)
 * `resumable` is set and the next call goes on behind it.
 */
fer_code fer_reader_next(fer_reader *r, fer_item *out, fer_err *err);

/* The arena that the item at hand lives in. */
fer_arena *fer_reader_arena(const fer_reader *r);

/* Gives a finding about an item its place, pointer and tool; the offset is that in its document. */
fer_code fer_reader_place(fer_reader *r, const fer_item *item, fer_str source, fer_str tool,
                          size_t offset, fer_finding *f, fer_err *err);

/* "auto", "json", "jsonl", "yaml". */
bool fer_format_parse(fer_str name, fer_format *out);
/* The format that was asked for, else by the name, else by the text. */
fer_format fer_format_detect(fer_str name, fer_str text, fer_format asked);
/* By the ending of a file's name; FER_FORMAT_AUTO where it says nothing. */
fer_format fer_format_of_name(fer_str name);

#endif
