/* SPDX-License-Identifier: Apache-2.0 */
#include "docker_mux.h"

#include "errors.h"

/* Stream, three zeros, length with its highest byte first. */
static fer_code read_head(fer_mux *m, fer_err *err)
{
    const unsigned char *h = m->head;
    m->have = 0;
    m->left = (uint32_t)h[4] << 24 | (uint32_t)h[5] << 16 | (uint32_t)h[6] << 8 | h[7];
    m->broken = h[0] > FER_MUX_ERR || h[1] || h[2] || h[3];
    if (!m->broken) return FER_OK;
    return fer_fail(err, FER_INVALID_OUTPUT, "the stream of a container is broken: a head of %d %d",
                    h[0], h[1]);
}

fer_code fer_mux_feed(fer_mux *m, fer_str bytes, fer_mux_taker *take, void *context, fer_err *err)
{
    if (m->broken) return fer_fail(err, FER_INVALID_OUTPUT, "the stream of a container is broken");
    while (bytes.len) {
        if (!m->left) {
            m->head[m->have++] = (unsigned char)bytes.ptr[0];
            bytes = fer_str_slice(bytes, 1, bytes.len);
            fer_code code = m->have == FER_MUX_HEAD ? read_head(m, err) : FER_OK;
            if (code) return code;
            continue;
        }
        size_t n = bytes.len < m->left ? bytes.len : m->left;
        fer_str piece = fer_str_slice(bytes, 0, n);
        bytes = fer_str_slice(bytes, n, bytes.len);
        m->left -= (uint32_t)n;
        if (!take(context, (fer_mux_stream)m->head[0], piece)) return FER_OK;
    }
    return FER_OK;
}
