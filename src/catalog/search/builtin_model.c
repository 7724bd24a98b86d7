/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in model (docs/MODEL.md), put into the library as it is in its file. */
#include "static_model.h"

__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        ".globl fer_builtin_model\n"
        ".hidden fer_builtin_model\n"
        "fer_builtin_model:\n"
        ".incbin \"" FER_MODEL_FILE "\"\n"
        ".globl fer_builtin_model_end\n"
        ".hidden fer_builtin_model_end\n"
        "fer_builtin_model_end:\n"
        ".byte 0\n"
        ".popsection\n");

extern const char fer_builtin_model[], fer_builtin_model_end[];

fer_str fer_static_model_builtin_bytes(void)
{
    size_t size = (size_t)((uintptr_t)fer_builtin_model_end - (uintptr_t)fer_builtin_model);
    return (fer_str){fer_builtin_model, size};
}

fer_code fer_static_model_builtin(fer_static_model *m, fer_err *err)
{
    return fer_static_model_open_own(m, fer_static_model_builtin_bytes(), err);
}
