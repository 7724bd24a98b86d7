/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling what came of validating one instance: remarks in a report, the standard output
 * formats, and what adapting changed. Used by `ferrule validate` alone.
 */
#ifndef FER_VERDICT_H
#define FER_VERDICT_H

#include <ferrule/schema.h>

#include "instances.h"
#include "report.h"
#include "source.h"

/* The standard output formats stand beside the reports; each instance is one line of JSON. */
extern const fer_report_kind fer_report_standard;
bool fer_output_find(const char *name, fer_output *out);

/* Everything that is wrong with an instance. With `moved`, the result is of a changed copy. */
void fer_verdict_remarks(fer_report *r, const fer_report_kind *kind, const fer_source *schema,
                         const fer_instance *i, const fer_result *result, bool moved);

/* The changes as lines of text (with `hide`, without values), or as one JSON object. */
void fer_changes_text(fer_out *o, const fer_instance *i, const fer_adapted *adapted, bool hide);
void fer_changes_json(fer_out *o, const fer_instance *i, const fer_adapted *adapted);

#endif
