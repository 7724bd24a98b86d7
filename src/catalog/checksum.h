/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A checksum against damage, not against malice: eight bytes at a time, each mixed by one wide
 * multiplication. Any one changed byte changes it. Pure.
 */
#ifndef FER_CHECKSUM_H
#define FER_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t fer_checksum_mix(uint64_t sum, uint64_t word)
{
    /* Odd multipliers and a rotation are one-to-one, so a changed word never cancels itself. */
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return (sum << 29 | sum >> 35) * UINT64_C(0xD6E8FEB86659FD93);
}

static inline uint64_t fer_checksum(const void *data, size_t size)
{
    const unsigned char *p = data;
    uint64_t sum = UINT64_C(0x243F6A8885A308D3) ^ size, word;
    for (; size >= sizeof word; p += sizeof word, size -= sizeof word) {
        memcpy(&word, p, sizeof word);
        sum = fer_checksum_mix(sum, word);
    }
    word = 0;
    if (size) memcpy(&word, p, size);
    sum = fer_checksum_mix(sum, word);
    return sum ^ sum >> 32;
}

#endif
