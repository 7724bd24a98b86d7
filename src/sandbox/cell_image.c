/* SPDX-License-Identifier: Apache-2.0 */
#include "cell_image.h"

#include "cell_image_file.h"

/* The names are global, as link-time optimisation may put this apart from who asks for them. */
__asm__(".pushsection .rodata\n"
        ".globl fer_cell_image_begin, fer_cell_image_end\n"
        ".hidden fer_cell_image_begin, fer_cell_image_end\n"
        ".balign 16\n"
        "fer_cell_image_begin:\n"
        ".incbin \"" FER_CELL_IMAGE_FILE "\"\n"
        "fer_cell_image_end:\n"
        ".byte 0\n"
        ".popsection\n");

extern const char fer_cell_image_begin[] __attribute__((visibility("hidden")));
extern const char fer_cell_image_end[] __attribute__((visibility("hidden")));

fer_str fer_cell_image(void)
{
    size_t size = (uintptr_t)fer_cell_image_end - (uintptr_t)fer_cell_image_begin;
    return (fer_str){fer_cell_image_begin, size};
}
