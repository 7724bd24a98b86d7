/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An embedder behind HTTP: any server that answers POST .../embeddings as OpenAI's does. Texts go
 * out in batches. A server that is busy (429, 5xx, a lost connection) is asked again as long as
 * there is time. Requests go to the server of the URL and nowhere else. The key is looked up where
 * a reference says, sent, and never shown; of a refusal the server's reason is told in short,
 * unless it is about the key. Several threads may ask, one after the other is served.
 */
#ifndef FER_EMBED_HTTP_H
#define FER_EMBED_HTTP_H

#include <ferrule/catalog.h>

#define FER_EMBED_HTTP_NAME     "http"
#define FER_EMBED_HTTP_BATCH    64                 /* texts in one request */
#define FER_EMBED_HTTP_TEXT     8192               /* bytes of a text that are sent */
#define FER_EMBED_HTTP_BODY     ((size_t)16 << 20) /* bytes of an answer */
#define FER_EMBED_HTTP_TIME_MS  60000 /* for a batch, all attempts and waits together */
#define FER_EMBED_HTTP_ATTEMPTS 4
#define FER_EMBED_HTTP_KEY      4096 /* bytes of a key */
#define FER_EMBED_HTTP_REASON   200  /* characters that are told of why a server refuses */

typedef struct fer_embed_http_options {
    const char *url;   /* up to, and without, "/embeddings" */
    const char *model; /* as the server calls it */
    const char *key;   /* "secretref:env:NAME"; NULL: none */
    size_t dimensions; /* that are asked for; 0: as many as the model has */
    uint32_t time_ms;  /* 0: FER_EMBED_HTTP_TIME_MS */
} fer_embed_http_options;

/* Asks the server for one vector first, to learn how long they are. */
typedef struct fer_embed_http fer_embed_http;
fer_code fer_embed_http_new(const fer_embed_http_options *options, fer_embed_http **out,
                            fer_err *err);
void fer_embed_http_free(fer_embed_http *h);
const fer_embed_plugin *fer_embed_http_plugin(const fer_embed_http *h);

#endif
