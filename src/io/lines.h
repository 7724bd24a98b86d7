/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to lines, whatever pieces the bytes come in. A line ends with LF; one CR before it is
 * dropped. A byte order mark (EF BB BF) at the very start of the stream is dropped, and nowhere
 * else. All other bytes, NUL too, are the line's: whether it is UTF-8 is for others to say. Empty
 * lines are lines.
 *
 * A line of more than `max` bytes before its LF (CR and byte order mark counted) is passed over to
 * its end and counted; no more than `max` bytes of it are ever held, and how it began and ended is
 * told to who wants to know. Lines that lie whole in one piece are not copied.
 */
#ifndef FER_LINES_H
#define FER_LINES_H

#include <ferrule/common.h>

#define FER_LINE_MAX  ((size_t)4 << 20) /* bytes of one line */
#define FER_LINE_ENDS 128 /* bytes that are kept of either end of one that is passed over */

/* The first and the last bytes of such a line, which may overlap. False: as for fer_line_taker. */
typedef bool fer_line_passed(void *context, fer_str head, fer_str tail);

typedef struct fer_line_split {
    size_t max;
    uint64_t told;           /* lines so far */
    uint64_t too_long;       /* lines that were passed over */
    fer_line_passed *passed; /* told of them when their end has come; or NULL */
    /* private: a line whose end has not come */
    char *held;
    size_t len, cap;
    bool begun;    /* bytes came: the next is not the first of the stream */
    bool skipping; /* the rest of this line is passed over */
    char head[FER_LINE_ENDS], tail[FER_LINE_ENDS]; /* of that line */
    size_t head_len, tail_len;
} fer_line_split;

/* `max` 0: FER_LINE_MAX */
void fer_line_split_init(fer_line_split *l, size_t max);
void fer_line_split_deinit(fer_line_split *l);

/* Called with each line. False: no more of them; the fer_line_split itself may be gone by then. */
typedef bool fer_line_taker(void *context, fer_str line);

/* FER_OUT_OF_MEMORY: a line could not be held; it is passed over, and the rest is still told. */
fer_code fer_line_split_feed(fer_line_split *l, fer_str bytes, fer_line_taker *take, void *context);
/* The stream has ended: what has come of a last line without LF is told as one. */
void fer_line_split_end(fer_line_split *l, fer_line_taker *take, void *context);

#endif
