/* SPDX-License-Identifier: Apache-2.0 */
/* What a server over HTTP says when it has started: where it is, and how to use it. */
#ifndef FER_SERVE_GUIDE_H
#define FER_SERVE_GUIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "out.h"

#define FER_GUIDE_TOKEN 49 /* bytes of a token, its NUL included */

typedef struct fer_guide {
    const char *address;
    uint16_t port;
    const char *token; /* empty: none is asked for */
    bool known;        /* it was shown before: what stands for it is a variable of the shell */
    bool secure;       /* https */
} fer_guide;

/* URL, token, a client's configuration, and one line for a shell that works as it is. */
void fer_guide_write(fer_out *out, const fer_guide *g);

#endif
