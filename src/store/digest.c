/* SPDX-License-Identifier: Apache-2.0 */
#include "digest.h"

#include <openssl/evp.h>

#include "sys.h"

struct fer_digest {
    EVP_MD *method;
    EVP_MD_CTX *context;
};

fer_digest *fer_digest_new(void)
{
    fer_digest *d = fer_sys_malloc(sizeof *d);
    if (!d) return NULL;
    d->method = EVP_MD_fetch(NULL, "SHA256", NULL);
    d->context = EVP_MD_CTX_new();
    if (d->method && d->context) return d;
    fer_digest_free(d);
    return NULL;
}

void fer_digest_free(fer_digest *d)
{
    if (!d) return;
    EVP_MD_CTX_free(d->context);
    EVP_MD_free(d->method);
    fer_sys_free(d);
}

bool fer_digest_of(fer_digest *d, fer_str a, fer_str b, fer_str c,
                   unsigned char out[FER_DIGEST_SIZE])
{
    return EVP_DigestInit_ex2(d->context, d->method, NULL) == 1 &&
           EVP_DigestUpdate(d->context, a.ptr, a.len) == 1 &&
           EVP_DigestUpdate(d->context, b.ptr, b.len) == 1 &&
           EVP_DigestUpdate(d->context, c.ptr, c.len) == 1 &&
           EVP_DigestFinal_ex(d->context, out, NULL) == 1;
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
