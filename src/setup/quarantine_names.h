/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FER_QUARANTINE_NAMES_H
#define FER_QUARANTINE_NAMES_H

/* What `quarantine` of a configuration and --quarantine may say, by fer_quarantine; NULL behind the
 * last. */
extern const char *const fer_quarantine_names[];

#endif
