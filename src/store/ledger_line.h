/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of a ledger: a JSON object in canonical form (keys sorted, no blanks),
 *
 *     {"body":{...},"boot":"<uuid>","hash":"<64>","mono":<ns>,"prev":"<64>","seq":<n>,
 *      "t":"<time>","tenant":"<name>","tprev":"<64>","type":"<word>","v":1}
 *
 * and a line feed. Its hash is SHA-256 of "ledger/v1\n" and the line without the member `hash` and
 * without the line feed: what is on the disk is what is hashed. Records of one write share `mono`.
 *
 * Pure; knows no files.
 */
#ifndef FER_LEDGER_LINE_H
#define FER_LEDGER_LINE_H

#include "digest.h"
#include "json_value.h"
#include "ledger.h"

#define FER_LINE_BOOT 36 /* of a boot's ID */
/* What a line has beside its body and its tenant's name (whose bytes may take six each). */
#define FER_LINE_EXTRA ((size_t)512)
#define FER_LINE_MAX   (FER_LEDGER_BODY + (size_t)6 * FER_LEDGER_TENANT + FER_LINE_EXTRA)
#define FER_LINE_ZERO  "0000000000000000000000000000000000000000000000000000000000000000"

typedef struct fer_line {
    fer_str body; /* the object */
    fer_str boot;
    char hash[FER_DIGEST_HEX]; /* as it is written; fer_line_write fills it */
    uint64_t mono;
    fer_str prev; /* 64 digits */
    uint64_t seq;
    fer_str time;
    fer_str tenant; /* as it is written, escapes and all */
    fer_str tprev;
    fer_ledger_type type;
    size_t hash_at; /* where the member `hash` begins, of a line that was read */
} fer_line;

/* Writes a line with its hash and line feed to where FER_LINE_MAX bytes have room; 0: no memory. */
size_t fer_line_write(char *to, fer_line *l, fer_digest *d);

/* Takes a line apart; `text` is without its line feed. False where it has not exactly that form. */
bool fer_line_read(fer_str text, fer_line *out);
/* Whether the hash is that of the text. */
bool fer_line_holds(fer_str text, const fer_line *l, fer_digest *d);

/* Whether a text holds nothing beyond U+007E, so that none of its characters becomes an escape for
 * being odd. */
bool fer_line_is_tame(fer_str text);
/* A text as it stands inside of a JSON string of a line; false where it is not UTF-8 or has no
 * room. */
bool fer_line_escape(fer_str text, char *to, size_t size, size_t *len);
/*
 * The body as it is written: canonical (RFC 8785), with U+007F to U+009F, U+2028 and U+2029 as
 * escapes. In the arena, as is `*root`, the object that was read.
 */
fer_code fer_line_body(fer_arena *a, fer_str json, fer_str *out, const yyjson_val **root,
                       fer_err *err);

/* Milliseconds since 1970 of a line's time; INT64_MIN where it is none. */
int64_t fer_line_wall(fer_str time);

/* A type by its name; FER_LEDGER_TYPES: there is none. */
fer_ledger_type fer_ledger_type_of(fer_str name);

#endif
