/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a catalogue's file: head, rows, keys, blocks, sections. Numbers are in the order
 * of the machine that wrote it; another one is refused. The head's checksum covers header, rows
 * and keys; a row has the checksum of its block, the head those of the sections. Blocks and
 * sections start at multiples of 8.
 */
#ifndef FER_FILE_LAYOUT_H
#define FER_FILE_LAYOUT_H

#include <stdint.h>

#include <ferrule/catalog.h>

#define FER_FILE_MAGIC "FERRULE\x1A"
#define FER_FILE_ORDER 0x01020304u

enum fer_file_group {
    FER_FILE_TOOLS,   /* blocks are bodies */
    FER_FILE_PENDING, /* blocks are bodies */
    FER_FILE_PAST,    /* blocks are bodies */
    FER_FILE_DOCS,    /* blocks are JSON */
    FER_FILE_SPACES,  /* no blocks; `check` is the number of tools */
    FER_FILE_GROUPS
};

enum fer_file_section_id {
    FER_SECTION_INDEX,   /* of words: search/frozen.h */
    FER_SECTION_VECTORS, /* vector_section.h */
    FER_SECTION_EVENTS,  /* history.h */
    FER_SECTIONS
};

struct fer_file_section {
    uint64_t at, size; /* size 0: there is none */
    uint64_t check;
};

struct fer_file_head {
    char magic[8];
    uint32_t format;
    uint32_t order;
    uint64_t size; /* of the file */
    uint64_t version, stamp;
    unsigned char key[FER_CATALOG_KEY];
    uint64_t counts[FER_FILE_GROUPS]; /* of rows */
    uint64_t keys_size;               /* a multiple of 8 */
    struct fer_file_section sections[FER_SECTIONS];
    uint64_t numbers; /* of tools in the index: they are lower */
    uint64_t check;   /* of the head, with 0 here */
};
_Static_assert(sizeof(struct fer_file_head) == 208, "no gaps");

struct fer_file_row {
    uint64_t at; /* of the block in the file */
    uint64_t check;
    uint64_t key_at; /* in the keys */
    uint32_t key_len;
    uint32_t size;   /* of the block */
    uint32_t number; /* of a tool in the search index; all ones: it has none */
    uint32_t vector; /* its place among the vectors; all ones: it has none */
    uint64_t content, twin;
};
_Static_assert(sizeof(struct fer_file_row) == 56, "no gaps");

/* Numbers are given out once: a file with more holes among them was not written here. A catalogue
 * that has more is written without its index, which is made anew when it is opened. */
static inline uint64_t fer_file_numbers_max(uint64_t tools)
{
    return 8 * (tools + 1024);
}

#endif
