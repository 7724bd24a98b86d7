/* SPDX-License-Identifier: Apache-2.0 */
#include "js_image.h"

#include <stdint.h>

#include "js_image_file.h"

__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        ".globl fer_js_image_begin\n"
        ".hidden fer_js_image_begin\n"
        "fer_js_image_begin:\n"
        ".incbin \"" FER_JS_IMAGE_FILE "\"\n"
        ".globl fer_js_image_end\n"
        ".hidden fer_js_image_end\n"
        "fer_js_image_end:\n"
        ".byte 0\n"
        ".popsection\n");

extern const char fer_js_image_begin[], fer_js_image_end[];

fer_str fer_js_image(void)
{
    size_t size = (size_t)((uintptr_t)fer_js_image_end - (uintptr_t)fer_js_image_begin);
    return (fer_str){fer_js_image_begin, size};
}
