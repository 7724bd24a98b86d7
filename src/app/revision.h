/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools from anywhere: a file, a folder, or what git has of either at some revision
 * (git:REV:PATH). The texts stay, so that places in them can be told.
 */
#ifndef FER_REVISION_H
#define FER_REVISION_H

#include <ferrule/contract.h>

#include "command.h"

typedef struct fer_revision {
    fer_app *app;
    fer_arena *arena; /* names and texts */
    fer_toolset *set;
    fer_format format;
    size_t files;
} fer_revision;

/* Reads all tools of an argument. deinit is due in any case. */
fer_code fer_revision_open(fer_revision *r, fer_app *app, const char *argument, fer_err *err);
void fer_revision_deinit(fer_revision *r);

#endif
