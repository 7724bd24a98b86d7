/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue that a command works on: a file that `ferrule index build` wrote (--catalog, or
 * ferrule.catalog in the folder one is in), or one made on the spot from definitions. Where
 * these come from several files, tools that name no namespace get the name of their file as
 * one, so that the tools of two servers do not stand in each other's way; in a catalogue that is
 * kept always, so that a tool has one ID whatever else is read with it.
 */
#ifndef FER_SHELF_H
#define FER_SHELF_H

#include <ferrule/catalog.h>

#include "arena.h"
#include "command.h"
#include "embedder_choice.h"

#define FER_SHELF_FILE "ferrule.catalog"

#define FER_TENANT_DEFAULT "default" /* whose uses are meant where nobody is named */

typedef struct fer_shelf_options {
    size_t skip;                /* arguments that are no names of files */
    bool search;                /* it is to be searched */
    bool file;                  /* only a catalogue in a file will do; files name other things */
    bool kept;                  /* what is read from files goes into a catalogue in a file */
    bool uses;                  /* with the memory of uses, of --usage-file or beside the file */
    const char *embedder;       /* what makes vectors, of a catalogue in a file */
    const char *files_embedder; /* the same of one that is made on the spot */
    const char *vectors_from;   /* a file that may have vectors already */
    bool replace_vectors;       /* also those of another embedder, once all have new ones */
    /* Names the catalogue's file where --catalog does not; NULL: ferrule.catalog. 0, or an exit
     * code. */
    int (*find)(fer_app *app, fer_arena *a, const char **path);
    bool configured;   /* where there is nothing else, what the configuration has will do */
    const char *about; /* the one ID that is asked for; NULL: all tools are */
    fer_quarantine quarantine;
} fer_shelf_options;

typedef struct fer_shelf {
    fer_app *app;
    fer_arena *arena;       /* what is shown lives here */
    fer_embed_http *server; /* that makes its vectors, where it is one */
    fer_catalog *catalog;
    fer_view *view;
    fer_shelf_options options;
    const char *path; /* of the catalogue's file; NULL: it was made on the spot */
    fer_str piped;    /* what standard input had, where it was looked at; or empty */
    size_t lost;      /* definitions that no ID can be read of, which were left out */
    bool unnamed;     /* some of these for their names alone */
    size_t shadowed;  /* with the ID of another one before them: left out, too */
    size_t problems;  /* of the others, which were taken as they are */
    fer_str losses;   /* the first of those that were left out, a line each */
} fer_shelf;

/* 0, or an exit code. */
int fer_shelf_init(fer_shelf *s, fer_app *app, const fer_shelf_options *options);
void fer_shelf_deinit(fer_shelf *s);

/* As fer_app_fail, but never FER_EXIT_FINDINGS, which says of searches that nothing fits. */
int fer_shelf_failed(fer_app *app, const fer_err *err);

/* Makes the vectors that are missing, with a line of progress. */
fer_code fer_shelf_embed(fer_shelf *s, fer_err *err);
/* Takes the newest view. */
void fer_shelf_renew(fer_shelf *s);
/* Says whose the file's vectors are, where they stay and tools lack one, or another embedder was
 * named. */
void fer_shelf_tell_vectors(const fer_shelf *s);
/* Applies the definitions of the files that the arguments name to the catalogue. 0, or an exit
 * code; then the batch is not there. */
int fer_shelf_update(fer_shelf *s, fer_batch **out);

/* What --namespace, --tag, --category and --effect ask for. 0, or an exit code. */
int fer_shelf_filter(fer_shelf *s, fer_filter *out);
/* Says which of the namespaces that are asked for nobody has, and what may have been meant: one
 * that begins so, or is near. */
void fer_shelf_tell_unknown(fer_shelf *s, const fer_filter *filter);
/* What --page-size and --page-token ask for. 0, or an exit code. */
int fer_shelf_page(fer_shelf *s, fer_page *out);
/* Says on standard error what was wrong with the definitions and the uses, where anything was. */
void fer_shelf_remark(const fer_shelf *s);

#endif
