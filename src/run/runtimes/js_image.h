/* SPDX-License-Identifier: Apache-2.0 */
/* The program that runs JavaScript (js/), put into the library as it is in its file. */
#ifndef FER_JS_IMAGE_H
#define FER_JS_IMAGE_H

#include <ferrule/common.h>

fer_str fer_js_image(void);

#endif
