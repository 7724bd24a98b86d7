/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions that one owner alone is shown. A server may show a tenant another definition of a
 * tool than all others (gateway/own_tools.h). The catalogue has one definition for an ID, so such
 * a one has an ID of its own there: that of the tool, with a version that is made of the owner and
 * not of the text, so that a definition that changes is judged against the one that the same owner
 * had before:
 *
 *     notes:search                          what all are shown, but for
 *     notes:search:0.0.0-own-MARK           whom MARK stands for
 *     notes:search:0.0.0-own-MARK+1.2.0     the same of notes:search:1.2.0
 *
 * Nobody outside says or sees such an ID but the operator who approves a definition. To lists,
 * searches and names without a version these entries are not there (fer_filter_takes,
 * fer_view_find), unless a filter has a rule that takes them; what is shown of one has the ID of
 * the tool. A text that is registered cannot have such a version. The first definition of an owner
 * is judged, too: against the tool's own, where there is one; held back, it is the only one that
 * the ID has, and nothing is served.
 *
 * Pure.
 */
#ifndef FER_OWN_ID_H
#define FER_OWN_ID_H

#include "body.h"
#include "buf.h"

#define FER_OWN_VERSION "0.0.0-own-"
#define FER_OWN_MARK    32                            /* hexadecimal digits */
#define FER_OWN_ID      (2 * FER_NAME_MAX + 64 + 256) /* bytes of such an ID at most */

/* The owner that a version stands for; empty: it is no such version. */
static inline fer_str fer_version_mark(fer_str version)
{
    size_t skip = sizeof FER_OWN_VERSION - 1, end = skip + FER_OWN_MARK;
    bool own = version.len >= end && memcmp(version.ptr, FER_OWN_VERSION, skip) == 0 &&
               (version.len == end || version.ptr[end] == '+');
    return own ? fer_str_slice(version, skip, end) : FER_STR("");
}

/* The same of an ID, which must be a good one. */
static inline fer_str fer_id_mark(fer_str id)
{
    size_t least = 4 + sizeof FER_OWN_VERSION - 1 + FER_OWN_MARK;
    size_t first = id.len < least ? SIZE_MAX : fer_str_find(id, 0, ':');
    size_t second = first == SIZE_MAX ? SIZE_MAX : fer_str_find(id, first + 1, ':');
    if (second == SIZE_MAX) return FER_STR("");
    return fer_version_mark(fer_str_slice(id, second + 1, id.len));
}

static inline bool fer_id_is_own(fer_str id)
{
    return fer_id_mark(id).len > 0;
}

static inline bool fer_body_is_own(const fer_body *b)
{
    return fer_id_is_own(fer_body_text(b, FER_TEXT_ID));
}

/* The ID of a tool for one owner; a failure of the buffer: there is none that is short enough. */
void fer_own_id_write(fer_buf *b, fer_str id, fer_str mark);
/* The ID that everybody knows a tool by, whoever it is for. */
void fer_body_public_id(fer_buf *b, const fer_body *body);
/* The same in an arena, or in the body itself. */
fer_code fer_body_shown_id(fer_arena *a, const fer_body *body, fer_str *out, fer_err *err);

#endif
