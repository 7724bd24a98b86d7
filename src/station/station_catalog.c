/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a station's catalogue: who opens and who writes it. What servers show comes into it
 * by station_tools.c. */
#include "backup.h"
#include "catalog_file.h"
#include "errors.h"
#include "quarantine_names.h"
#include "station_parts.h"

fer_quarantine fer_station_quarantine(const fer_config *c)
{
    for (size_t i = 0; fer_quarantine_names[i]; i++)
        if (fer_str_is(c->quarantine, fer_quarantine_names[i])) return (fer_quarantine)i;
    return FER_QUARANTINE_NONE;
}

bool fer_station_writes(const fer_station *s)
{
    return !s->wants.looks || s->wants.refreshes;
}

/*
 * A catalogue of another version of Ferrule, or one that is damaged, can be made anew from the
 * servers; what is not theirs, and what was held back, is in the old file, which is kept. A file
 * that never was a catalogue is somebody's, and stays where it is.
 */
static fer_code make_anew(fer_station *s, struct fer_opened *out, fer_catalog_options *o,
                          fer_err *err)
{
    fer_str kept;
    const fer_err why = *err;
    fer_code code = fer_backup_move(s->arena, out->file, &kept, err);
    if (code) return code;
    fer_station_say(s, "%s; it is %.*s now, and the catalogue is made anew from the servers",
                    why.message, FER_PRI(kept));
    fer_log_write(&s->log, FER_LOG_WARN, "catalog.anew",
                  (const struct fer_log_field[]){
                      FER_LOG_S("reason", fer_str_of(why.message)), FER_LOG_S("kept", kept), {0}});
    o->search = true;
    return fer_catalog_new(o, &out->catalog, err);
}

/* Whoever only looks leaves it where it is, and asks servers as if there were none. */
static fer_code do_without(fer_station *s, struct fer_opened *out, const fer_catalog_options *o,
                           fer_err *err)
{
    fer_station_say(s, "%s; it is not read", err->message);
    return fer_catalog_new(o, &out->catalog, err);
}

/* What was approved would be forgotten, and any definition be the first: that is for somebody to
 * decide. */
static fer_code refuse_anew(const char *file, fer_err *err)
{
    const fer_err why = *err;
    return fer_fail(err, why.code,
                    "%s; as `quarantine` holds definitions back, it is not made anew: move %s away "
                    "to take what servers have now as approved",
                    why.message, file);
}

fer_code fer_station_open_catalog(fer_station *s, const fer_config *c, struct fer_opened *out,
                                  fer_err *err)
{
    fer_catalog_options o = {.lenient = true,
                             .search = s->wants.search || s->wants.code,
                             .embedder = s->wants.search ? "builtin" : NULL,
                             .keep_vectors = true,
                             .quarantine = fer_station_quarantine(c),
                             .uses = s->wants.search ? "" : NULL};
    *out = (struct fer_opened){0};
    if (!c->catalog.len) return fer_catalog_new(&o, &out->catalog, err);
    bool same = s->catalog_file && fer_str_is(c->catalog, s->catalog_file);
    out->file = same ? s->catalog_file : fer_arena_copy(s->arena, c->catalog).ptr;
    if (s->wants.search)
        o.uses = fer_arena_printf(s->arena, "%.*s" FER_CATALOG_USES, FER_PRI(c->catalog)).ptr;
    if (!out->file || (s->wants.search && !o.uses)) return fer_arena_failed(s->arena, err);
    if (!fer_file_exists(out->file)) {
        o.search = true; /* so that what is written can be searched */
        return fer_catalog_new(&o, &out->catalog, err);
    }
    fer_code code = fer_catalog_open(out->file, &o, &out->catalog, err);
    if (code == FER_INVALID_CATALOG && fer_catalog_file_begins(out->file))
        return !fer_station_writes(s)                ? do_without(s, out, &o, err)
               : o.quarantine == FER_QUARANTINE_NONE ? make_anew(s, out, &o, err)
                                                     : refuse_anew(out->file, err);
    if (code) return code;
    out->was_there = true;
    fer_view *v = fer_catalog_view(out->catalog);
    out->saved = fer_view_version(v);
    fer_view_unref(v);
    return FER_OK;
}
