/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a segment, one after the other, through a buffer: a segment may grow or be cut to
 * its length while it is read, so it is never mapped. Behind the last line a segment that is being
 * written is full of zeros. One thread; a line is valid until the next is asked for.
 */
#ifndef FER_LEDGER_SCAN_H
#define FER_LEDGER_SCAN_H

#include "ledger_line.h"

typedef struct fer_scan {
    int fd;
    char *bytes;      /* borrowed, FER_SCAN_BUFFER of them */
    uint64_t at;      /* of bytes[0] in the file */
    size_t from, end; /* what is not given out yet */
} fer_scan;

#define FER_SCAN_BUFFER ((size_t)1 << 20)

typedef enum fer_scan_result {
    FER_SCAN_LINE,
    FER_SCAN_END,   /* the file, or its lines, end here */
    FER_SCAN_TORN,  /* bytes that no line feed ends, or too many of them */
    FER_SCAN_FAILED /* errno */
} fer_scan_result;

void fer_scan_init(fer_scan *s, int fd, char *buffer, uint64_t from);
/* The next line without its line feed, and where it begins. */
fer_scan_result fer_scan_next(fer_scan *s, fer_str *line, uint64_t *offset);
/* Where the next line would begin. */
uint64_t fer_scan_offset(const fer_scan *s);
/* Goes on behind the next line feed; false: there is none. */
bool fer_scan_skip(fer_scan *s);
/* Whether all bytes from `from` to the end of the file are zeros; -1: it could not be read. */
int fer_scan_is_empty(int fd, uint64_t from, char *buffer);

#endif
