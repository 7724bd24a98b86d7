/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FER_CELL_IMAGE_H
#define FER_CELL_IMAGE_H

#include "str.h"

/* The program that makes the rooms of sandboxes (cell/), as bytes. */
fer_str fer_cell_image(void);

#endif
