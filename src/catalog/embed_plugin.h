/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An embedder that somebody else wrote (fer_embed_plugin), as one of ours: tools become texts, and
 * numbers of any size become bytes. What it gives is looked at: a vector holds finite numbers only.
 */
#ifndef FER_EMBED_PLUGIN_H
#define FER_EMBED_PLUGIN_H

#include <ferrule/catalog.h>

#include "embed.h"

/* The plugin must live as long. */
fer_code fer_embed_plugin_new(const fer_embed_plugin *plugin, fer_embedder **out, fer_err *err);

#endif
