/* SPDX-License-Identifier: Apache-2.0 */
/* Whether AddressSanitizer would report a read of these bytes; without it, false. */
#ifndef FER_TEST_POISON_H
#define FER_TEST_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISONED(p, n) (__asan_region_is_poisoned((p), (n)) != NULL)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define POISONED(p, n) (__asan_region_is_poisoned((p), (n)) != NULL)
#endif
#endif
#ifndef POISONED
#define POISONED(p, n) ((void)(p), (void)(n), false)
#endif

#endif
