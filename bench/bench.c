/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <unistd.h>

const char *bench_data(char *out, size_t size, const char *inside)
{
    const char *folder = getenv("FERRULE_TEST_DATA");
    int len = snprintf(out, size, "%s/%s", folder ? folder : "../shared/data", inside);
    return len > 0 && (size_t)len < size && access(out, R_OK) == 0 ? out : NULL;
}
