/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stems of English words: Porter's second stemmer, as Snowball 2.2 has it, written for words that
 * are met once. Tests hold it against Snowball's. Pure.
 */
#ifndef FER_STEMMER_H
#define FER_STEMMER_H

#include <stddef.h>

#define FER_STEM_WORD  40 /* bytes of a word, at most, and so of its stem */
#define FER_STEM_SHORT 16 /* behind a shorter word stand zeros, up to so many bytes */

/*
 * The stem of a folded word in UTF-8, into `out`; how long it is. Behind a stem there are zeros, up
 * to FER_STEM_WORD bytes.
 */
size_t fer_stem(const char *word, size_t len, char out[FER_STEM_WORD]);

#endif
