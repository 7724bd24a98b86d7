/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_version.h"

static const fer_mcp_version versions[] = {
    {"2024-11-05", false, false, false}, {"2025-03-26", false, true, false},
    {"2025-06-18", false, false, true},  {"2025-11-25", false, false, true},
    {"2026-07-28", true, false, true},
};

const fer_mcp_version *fer_mcp_version_find(fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(versions); i++)
        if (fer_str_is(name, versions[i].name)) return &versions[i];
    return NULL;
}

const fer_mcp_version *fer_mcp_versions(size_t *count)
{
    *count = FER_COUNT(versions);
    return versions;
}

const fer_mcp_version *fer_mcp_version_newest(bool modern)
{
    for (size_t i = FER_COUNT(versions); i-- > 0;)
        if (versions[i].modern == modern) return &versions[i];
    return NULL;
}
