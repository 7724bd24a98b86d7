/* SPDX-License-Identifier: Apache-2.0 */
/* What holds each limit, from how the layers stand. */
#include <stdio.h>
#include <string.h>

#include "sandbox_parts.h"

static bool stands(const fer_sandbox_report *r, fer_layer layer)
{
    return r->layers[layer].stand == FER_STAND_UP || r->layers[layer].stand == FER_STAND_PARTLY;
}

static void add_holder(fer_box_limit_state *s, bool holds, const char *name)
{
    size_t at = strlen(s->by);
    if (!holds) return;
    s->enforced = true;
    snprintf(s->by + at, sizeof s->by - at, "%s%s", at ? ", " : "", name);
}

void fer_report_limits(fer_sandbox_report *r, const uint64_t *limits, const fer_cgroup_place *place,
                       const fer_cgroup *g, bool roomy)
{
    const char *cgroup = place->version == 2 ? "cgroup v2" : "cgroup v1";
    bool rlimits = stands(r, FER_LAYER_RLIMITS), watcher = stands(r, FER_LAYER_WATCHER);
    bool counted = rlimits && stands(r, FER_LAYER_USER); /* processes of this sandbox alone */
    const struct {
        fer_box_limit limit;
        bool holds;
        const char *by;
    } rows[] = {
        {FER_BOX_WALL, limits[FER_BOX_WALL] != UINT64_MAX, "timer"},
        {FER_BOX_CPU, watcher, "watcher"},
        {FER_BOX_CPU, rlimits, "rlimit"},
        {FER_BOX_MEMORY, g->memory, cgroup},
        {FER_BOX_MEMORY, watcher, "watcher"},
        {FER_BOX_MEMORY, rlimits, "rlimit"},
        {FER_BOX_PROCESSES, g->pids, cgroup},
        {FER_BOX_PROCESSES, counted, "rlimit"},
        {FER_BOX_PROCESSES, watcher, "watcher"},
        {FER_BOX_OUTPUT, true, "pipe"},
        {FER_BOX_DISK, roomy, "tmpfs"},
        {FER_BOX_DISK, !roomy && stands(r, FER_LAYER_LANDLOCK), "landlock: nothing can be written"},
        {FER_BOX_INODES, roomy, "tmpfs"},
        {FER_BOX_INODES, !roomy && stands(r, FER_LAYER_LANDLOCK),
         "landlock: nothing can be written"},
        {FER_BOX_FILES, rlimits, "rlimit"},
    };
    for (int i = 0; i < FER_BOX_LIMIT_COUNT; i++)
        r->limits[i] = (fer_box_limit_state){.limit = limits[i]};
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        add_holder(&r->limits[rows[i].limit], rows[i].holds, rows[i].by);
    for (int i = 0; i < FER_BOX_LIMIT_COUNT; i++) {
        fer_box_limit_state *s = &r->limits[i];
        if (!s->enforced) snprintf(s->by, sizeof s->by, "nothing that holds it stands");
    }
}
