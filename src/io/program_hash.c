/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are started only as they were approved: hashed, and executed as they were hashed.
 */
#include "program_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <string.h>
#include <unistd.h>

#include "errors.h"
#include "str.h"
#include "sys.h"

#define PIECE 65536

static bool hash_file(int fd, unsigned char out[32])
{
    EVP_MD_CTX *h = EVP_MD_CTX_new();
    char *piece = fer_sys_malloc(PIECE);
    bool good = h && piece && EVP_DigestInit_ex(h, EVP_sha256(), NULL);
    ssize_t n = 0;
    while (good && (n = fer_sys_read(fd, piece, PIECE)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        good = n > 0 && EVP_DigestUpdate(h, piece, (size_t)n);
    }
    good = good && EVP_DigestFinal_ex(h, out, NULL);
    EVP_MD_CTX_free(h);
    fer_sys_free(piece);
    return good;
}

static int digit(char c)
{
    if (fer_is_digit(c)) return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_same(const unsigned char hash[32], fer_str hex)
{
    if (hex.len != 64) return false;
    for (size_t i = 0; i < 32; i++)
        if (digit(hex.ptr[2 * i]) * 16 + digit(hex.ptr[2 * i + 1]) != hash[i]) return false;
    return true;
}

fer_code fer_program_open(const char *path, fer_str sha256, int *out, fer_err *err)
{
    unsigned char hash[32];
    int fd = fer_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return fer_fail(err, FER_BACKEND_UNAVAILABLE, "cannot read %s: %s", path, strerror(errno));
    fer_code code = FER_OK;
    if (fd <= STDERR_FILENO || !hash_file(fd, hash))
        code = fer_fail(err, FER_BACKEND_UNAVAILABLE, "cannot hash %s", path);
    else if (!is_same(hash, sha256))
        code = fer_fail(err, FER_FORBIDDEN,
                        "%s is not the program that the configuration allows: its sha256 is "
                        "another one",
                        path);
    if (code) fer_sys_close(fd);
    else *out = fd;
    return code;
}
