/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Catalogues in files. What must hold: bytes are a catalogue or are refused with a reason; of
 * one that opens, everything can be asked and searched, and is answered or refused; and what
 * verifies as a whole answers everything. Each input is tried as it is, and with the checksum of
 * its head made right, so that what lies behind is reached.
 */
#include <ferrule/catalog.h>

#include "catalog_file.h"
#include "checksum.h"
#include "file_layout.h"
#include "fuzz.h"
#include "history.h"
#include "vector_section.h"

static void seal(char *bytes, size_t size)
{
    struct fer_file_head head;
    uint64_t rows = 0;
    if (size < sizeof head) return;
    memcpy(&head, bytes, sizeof head);
    for (size_t g = 0; g < FER_FILE_GROUPS; g++) {
        if (head.counts[g] > FER_CATALOG_MAX) return;
        rows += head.counts[g];
    }
    uint64_t fixed = sizeof head + rows * sizeof(struct fer_file_row);
    if (fixed > size || head.keys_size > size - fixed) return;
    head.size = size;
    head.check = 0;
    uint64_t sum = fer_checksum(&head, sizeof head);
    head.check = fer_checksum_mix(
        sum, fer_checksum(bytes + sizeof head, (size_t)(fixed + head.keys_size) - sizeof head));
    memcpy(bytes, &head, sizeof head);
}

/* Each code is OK or a reason; after verifying, the catalogue itself gives none. */
static void asked(fer_code code, const fer_err *err, bool verified)
{
    HOLDS(!code || err->message[0]);
    HOLDS(!verified || code != FER_INVALID_CATALOG);
}

static void ask(const fer_view *v, bool verified)
{
    fer_arena *a = fuzz_arena();
    fer_summary *list;
    fer_namespace *spaces;
    fer_found found;
    fer_str next, text;
    size_t count = 0;
    fer_err err = {0};
    fer_code code = fer_view_list(a, v, NULL, NULL, &list, &count, &next, &err);
    asked(code, &err, verified);
    for (size_t i = 0; !code && i < count; i++) {
        asked(fer_summary_write(a, &list[i], &text, &err), &err, verified);
        asked(fer_view_describe(a, v, list[i].id, FER_LEVEL_FULL, &text, &err), &err, false);
    }
    asked(fer_view_namespaces(a, v, NULL, NULL, &spaces, &count, &next, &err), &err, verified);
    if (v->finder) {
        fer_search_options options = {.explain = true};
        asked(fer_view_search(a, v, FER_STR("create an issue b"), &options, NULL, &found, &err),
              &err, false);
    }
    fer_arena_free(a);
}

/* What lies behind the definitions: vectors that can be looked for, events that can be read. */
static void look_behind(const fer_view *v)
{
    const fer_vector_section *s = fer_catalog_file_vectors(v->file);
    fer_history history = {0};
    fer_err err = {0};
    volatile int8_t sum = 0;
    for (uint64_t i = 0; i < 8 && s->count; i++) {
        uint32_t place = fer_vector_section_find(s, i % 2 ? s->sums[i % s->count] : i);
        if (place == FER_NO_VECTOR) continue;
        const int8_t *row = fer_vector_section_row(s, place);
        sum = (int8_t)(row[0] ^ row[s->id.dims - 1]);
    }
    (void)sum;
    fer_str events = fer_catalog_file_section(v->file, FER_SECTION_EVENTS);
    fer_code code = fer_history_read(&history, events, &err);
    HOLDS(!code || (code == FER_INVALID_CATALOG && err.message[0]));
    HOLDS(history.count <= FER_EVENTS_KEPT);
    fer_history_deinit(&history);
}

static void open_and_ask(const char *bytes, size_t size)
{
    fer_err err = {0};
    fer_view *v = fer_view_new();
    HOLDS(v);
    fer_code code = fer_catalog_file_view(bytes, size, true, v, &err);
    if (code) {
        HOLDS(err.code == code && err.message[0]);
    } else {
        look_behind(v);
        ask(v, false);
        ask(v, fer_view_verify(v, &err) == FER_OK);
    }
    fer_view_unref(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = calloc(1, size ? size : 1); /* aligned, and of that size to the byte */
    HOLDS(bytes);
    if (size) memcpy(bytes, data, size);
    open_and_ask(bytes, size);
    seal(bytes, size);
    open_and_ask(bytes, size);
    free(bytes);
    return 0;
}
