/* SPDX-License-Identifier: Apache-2.0 */
/* The keyword families, one file each: what compiles them. families.c has their order. */
#ifndef FER_FAMILIES_H
#define FER_FAMILIES_H

#include "compile.h"
#include "vm.h"

void fer_compile_ref(fer_build *b);
void fer_compile_type(fer_build *b);
void fer_compile_enum(fer_build *b);
void fer_compile_number(fer_build *b);
void fer_compile_string(fer_build *b);
void fer_compile_format(fer_build *b);
void fer_compile_content(fer_build *b);
void fer_compile_counts(fer_build *b);
void fer_compile_unique(fer_build *b);
void fer_compile_object(fer_build *b);
void fer_compile_names(fer_build *b);
void fer_compile_dependent(fer_build *b);
void fer_compile_items(fer_build *b);
void fer_compile_contains(fer_build *b);
void fer_compile_logic(fer_build *b);
void fer_compile_if(fer_build *b);
void fer_compile_unevaluated(fer_build *b);

#endif
