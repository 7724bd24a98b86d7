/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a station, for its own files. */
#ifndef FER_STATION_PARTS_H
#define FER_STATION_PARTS_H

#include "local_command.h"
#include "map.h"
#include "station.h"

#define FER_PLACE_MARK 33 /* bytes of a mark, NUL included */

/* Tells whoever has the station something that an operator should know: one line. */
void fer_station_say(const fer_station *s, const char *format, ...) FER_PRINTF(2, 3);
/* All that is wrong with a configuration is told; an error is a failure. */
fer_code fer_station_problems(fer_station *s, const fer_config *c, fer_err *err);

/* ---- station_reload.c ---- */

/* Catalogues that were replaced, at the end. */
void fer_station_free_old_catalogs(fer_station *s);
/* The same where nobody can look into them any more. */
void fer_station_forget_catalogs(fer_station *s);

/* ---- furnish.c: places ---- */

/* The list of places that a configuration asks for, not yet at their posts. */
typedef struct fer_furniture {
    fer_place_of_tools **list;
    size_t count, cap;
    bool vacancies; /* a server or an API that cannot be set up stays vacant, which is told; a
                       command always does */
} fer_furniture;

/* What processes and requests need, where the configuration has any use for it and it is not there.
 */
fer_code fer_station_prepare(fer_station *s, const fer_config *c, fer_err *err);
/*
 * Makes places of a configuration in `f`, whose lists live in `a`: of all that it names, or (where
 * `changes` is not NULL) of what has changed. Nothing serves yet.
 */
fer_code fer_station_make(fer_station *s, fer_arena *a, const fer_config *c,
                          const fer_config_change *changes, size_t change_count, fer_furniture *f,
                          fer_err *err);
/* Its runner is gone: what is asked for its tokens ends, before the vault does. */
void fer_place_drop_tokens(fer_place_of_tools *p);
/* Frees a place of a station that ends. */
void fer_place_free(fer_place_of_tools *p);
/* The same for one that leaves, when its runner is gone: what it might ask may not be asked any
 * more. */
void fer_place_gone(void *place);
/* Lets a place serve the calls that it has, and go. */
void fer_station_retire(fer_station *s, fer_place_of_tools *p);
/* Lets go of a place that does not serve. */
void fer_station_discard(fer_station *s, fer_place_of_tools *p);
/* Puts a place at its post; where that fails, it is let go. */
fer_code fer_station_serve(fer_station *s, fer_place_of_tools *p, fer_err *err);
/* Puts the operator's own definitions of a place into the catalogue, which holds none of them back.
 */
fer_code fer_station_put_records(fer_station *s, const fer_place_of_tools *p, fer_err *err);

/* ---- packs.c: local commands ---- */

/* The namespace of a command: all commands of one are one place. */
fer_str fer_command_ns(const fer_config_command *c);
/* The folders where programs of commands are looked for. */
fer_str fer_command_path(void);
/* How a command is run, as it is written: its secrets are still references. Lives in `a`. A failure
 * says what is wrong with the configuration. */
fer_code fer_command_read(fer_arena *a, const fer_config_command *c, fer_local_command *out,
                          fer_err *err);
/* Makes the runner and the definitions of a place of commands. One whose secret or program is not
 * there is among its vacancies. */
fer_code fer_pack_make(fer_place_of_tools *p, const fer_config *config, fer_err *err);

/* ---- station_catalog.c: the file of the catalogue ---- */

/* A catalogue as the configuration has it, with its file. */
struct fer_opened {
    fer_catalog *catalog;
    const char *file; /* NULL: none */
    uint64_t saved;   /* the version that it has */
    bool was_there;   /* what it has was read from that file */
};
fer_code fer_station_open_catalog(fer_station *s, const fer_config *c, struct fer_opened *out,
                                  fer_err *err);
fer_quarantine fer_station_quarantine(const fer_config *c);
/* Whether what servers show is written into the catalogue's file: a command that looks leaves it to
 * those that run tools. */
bool fer_station_writes(const fer_station *s);

/* ---- station_tools.c: their tools, and what is remembered of them ---- */

/* Tells what other programs did with the catalogue while no station had it. */
void fer_station_catch_up(fer_station *s);
/* Which servers' tools are known; those that are configured no more lose their tools. */
void fer_station_recall(fer_station *s);
/* The runner says that its tools have changed: they are asked for at once, but not again within
 * FER_STATION_RELIST_MS. */
#define FER_STATION_RELIST_MS 1000
void fer_station_changed(void *context, fer_runner *r);
/* A tool was called that it has not shown: it is asked again, but not for every such call. */
#define FER_STATION_MISSING_MS 10000
void fer_station_missing(void *context, fer_runner *r);
/* Prepares the timer of that. */
void fer_station_begin_relist(fer_station *s);
/* The definition of the operator's own counts more than a server's: adds what a server shows to a
 * batch. */
fer_code fer_place_add_shown(fer_place_of_tools *p, fer_arena *a, fer_batch *b, fer_str json,
                             fer_err *err);
/* The operator's own definitions in a namespace, by name, where they have no version. */
fer_code fer_station_records(const fer_station *s, fer_arena *a, fer_str ns, fer_map *out,
                             fer_err *err);
/* Takes the tools of a backend out of the catalogue, but for those whose IDs are in `keep`. */
fer_code fer_station_forget(fer_station *s, fer_backend_kind kind, fer_str name, fer_str ns,
                            const fer_map *keep, fer_err *err);
/* After a batch with all tools of a place was applied: those that it was not about are taken out,
 * but for what a server may show to tenants alone. `*count`: how many it was about. */
fer_code fer_station_keep_only(const fer_place_of_tools *p, const fer_batch *applied, size_t *count,
                               fer_err *err);

/* ---- station_own.c: what tenants are shown with tokens of their own ---- */

/* Whether a server shows each tenant tools of its own. */
bool fer_place_is_owned(const fer_place_of_tools *p);
/* Tools of one server in the catalogue that only tenants are shown, or were: those that all others
 * have not, and definitions of single tenants beside those that others have, of which this many
 * bytes. */
#define FER_STATION_THEIRS    10000
#define FER_STATION_OWN_BYTES ((size_t)64 << 20)
/* Adds the removal of all definitions of a server in a namespace that are for one owner alone. */
fer_code fer_station_drop_own(const fer_view *v, fer_str server, fer_str ns, fer_batch *b,
                              size_t *count, fer_err *err);
/* Takes out those that are of no use any more: of one owner, by its mark, or of all (empty). */
fer_code fer_station_sweep_own(const fer_place_of_tools *p, fer_str mark, fer_err *err);
/* The operator's list is there, or has failed: what tenants are shown is looked at, where that
 * waited for it. */
void fer_place_look_again(fer_place_of_tools *p);
/* Has the catalogue kept in step with what tenants are shown. */
void fer_station_begin_own(fer_station *s);
/* `shown` are the IDs of the operator's list, which are noted as such; added are those that only
 * tenants are shown, or may be. */
fer_code fer_station_keep_theirs(const fer_place_of_tools *p, fer_arena *a, fer_map *shown,
                                 fer_err *err);

/* ---- station_audit.c: what the log and the ledger are told of that is no call ---- */

/* From now on they are told of definitions of the station's catalogue that change, are held back,
 * approved or rejected. */
fer_code fer_station_listen(fer_station *s, fer_err *err);
/* And of what has happened in it since a version, by other programs. */
void fer_station_hear(fer_station *s, uint64_t since);
/* SHA-256 of the bytes of the configuration's file, of several one behind the other; empty: it
 * cannot be read. */
void fer_station_digest(const fer_station *s, char out[FER_DIGEST_HEX + 1]);
/* And of a configuration that was read again: whether anything of it was taken, and why not all. */
void fer_station_note_reload(const fer_station *s, bool taken, size_t changes, fer_code code,
                             const char *why);

/* ---- telemetry.c ---- */

fer_code fer_station_watch(fer_station *s, fer_err *err);
/* Where traces go, in `a`. */
fer_code fer_station_trace_options(fer_station *s, fer_arena *a, const fer_config *c,
                                   fer_trace_options *out, fer_err *err);
/* The log as a configuration has it. */
fer_code fer_station_take_log(fer_station *s, const fer_config *c, fer_err *err);
void fer_station_close_log(fer_station *s);

/* ---- outside.c ---- */

/* A digest of what an item of the configuration leads to outside of it, FER_PLACE_MARK bytes. */
fer_code fer_station_outside(const fer_config *c, fer_config_part part, const void *item,
                             char out[FER_PLACE_MARK], fer_err *err);
/* The folder of the configuration file: references to files count from it. */
fer_str fer_config_folder(const fer_config *c);

/* The text of a value of the configuration, its secret looked up. */
fer_code fer_station_value(fer_station *s, fer_arena *a, const fer_config *c,
                           const fer_config_value *v, fer_str *out, fer_err *err);

#endif
