/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema that is being written: openapi_schema.c writes it whole, and asks openapi_keywords.c,
 * which has a row for each, to write its keywords.
 */
#ifndef FER_OPENAPI_SITE_H
#define FER_OPENAPI_SITE_H

#include "openapi_parts.h"

typedef struct fer_oa_site {
    fer_oa_defs *d;
    fer_buf *b;
    const yyjson_val *schema;
    const fer_oa_about *about; /* or NULL */
    unsigned depth;
} fer_oa_site;

/* Writes one keyword, given by its key, or notes why not. */
void fer_oa_keyword(const fer_oa_site *s, const yyjson_val *key);
/* The description, unless what is said about the schema has one. */
void fer_oa_description(const fer_oa_site *s, const yyjson_val *key);
/* A schema inside this one. */
void fer_oa_below(const fer_oa_site *s, const yyjson_val *schema);
/* The member `$ref`, given by its key. */
void fer_oa_ref(const fer_oa_site *s, const yyjson_val *key);
/* 3.0: null is allowed beside the type. */
bool fer_oa_nullable(const fer_oa_site *s);

#endif
