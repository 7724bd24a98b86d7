/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request taken apart into words, once for all who read it: the query made of it, its needs,
 * and rankers beside the lexical one. Borrows the text.
 */
#ifndef FER_WORDING_H
#define FER_WORDING_H

#include "tokens.h"

#define FER_WORDING_MAX   16384 /* bytes of a request that are read */
#define FER_WORDING_WORDS 2048  /* words, also stop words; those behind them are not read */
#define FER_WORDING_KEPT  32768 /* bytes of all words and stems */

typedef struct fer_wording_word {
    fer_str text, word;        /* stemmed; folded alone. As a token's, with zeros behind them. */
    uint32_t start, end;       /* bytes of the request */
    uint8_t kind, use, border; /* as a token's */
    uint16_t place;            /* the same */
    bool quoted;               /* it stands in quotes */
} fer_wording_word;

typedef struct fer_wording {
    fer_str text;
    size_t count;
    fer_wording_word words[FER_WORDING_WORDS];
    size_t kept;
    char pool[FER_WORDING_KEPT];
} fer_wording;

void fer_wording_read(fer_wording *r, fer_tokeniser *t, fer_str text);

#endif
