/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By the functions for SHA-256 alone: those for any digest (EVP) load providers and read the
 * configuration of OpenSSL first, 5 million instructions and 2 MB at each start, for the same loop.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "digest.h"

#include <openssl/sha.h>

#include "sys.h"

struct fer_digest {
    SHA256_CTX context;
};

void fer_digest_text(fer_str text, unsigned char out[FER_DIGEST_SIZE])
{
    fer_digest d;
    fer_digest_of(&d, text, FER_STR(""), FER_STR(""), out);
}

fer_digest *fer_digest_new(void)
{
    return fer_sys_malloc(sizeof(fer_digest));
}

void fer_digest_free(fer_digest *d)
{
    fer_sys_free(d);
}

bool fer_digest_of(fer_digest *d, fer_str a, fer_str b, fer_str c,
                   unsigned char out[FER_DIGEST_SIZE])
{
    SHA256_CTX *x = &d->context;
    return SHA256_Init(x) == 1 && SHA256_Update(x, a.ptr, a.len) == 1 &&
           SHA256_Update(x, b.ptr, b.len) == 1 && SHA256_Update(x, c.ptr, c.len) == 1 &&
           SHA256_Final(out, x) == 1;
}

void fer_digest_hex(char *to, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        to[2 * i] = digits[bytes[i] >> 4];
        to[2 * i + 1] = digits[bytes[i] & 15];
    }
}

static int digit_of(char c)
{
    if (fer_is_digit(c)) return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool fer_digest_unhex(fer_str text, unsigned char *to, size_t count)
{
    if (text.len != 2 * count) return false;
    for (size_t i = 0; i < count; i++) {
        int high = digit_of(text.ptr[2 * i]), low = digit_of(text.ptr[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        to[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}
