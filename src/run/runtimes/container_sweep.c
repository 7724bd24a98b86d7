/* SPDX-License-Identifier: Apache-2.0 */
#include "container_sweep.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ferrule/json.h>

#include "errors.h"
#include "file.h"
#include "json_value.h"
#include "sys.h"

#define STAT_MAX   4096
#define START_TIME 22 /* the field of /proc/PID/stat, counted from 1 */
#define ID_MAX     128

/* ---- marks: BOOT.NAMESPACE.PID.START ----------------------------------------------------------
 */

/* When a process began, in ticks since the boot, as text; empty: there is none. */
static fer_str start_of(fer_arena *a, uint64_t pid)
{
    char path[64];
    fer_str text;
    snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
    if (fer_file_read(a, path, STAT_MAX, &text, NULL)) return FER_STR("");
    const char *at = strrchr(text.ptr, ')'); /* its name, the second, may hold anything */
    for (int field = 2; at && field < START_TIME; field++) at = strchr(at + 1, ' ');
    if (!at) return FER_STR("");
    at++;
    return (fer_str){at, strcspn(at, " \n")};
}

/* What all gateways have in common of which this one can tell whether they are there. */
static fer_str place(fer_arena *a)
{
    struct stat ns;
    fer_str boot;
    if (fer_file_read(a, "/proc/sys/kernel/random/boot_id", STAT_MAX, &boot, NULL) ||
        fer_sys_stat("/proc/self/ns/pid", &ns) != 0)
        return FER_STR("");
    fer_str first = fer_str_head(boot, strcspn(boot.ptr, "\n"));
    fer_str text = fer_arena_printf(a, "%.*s.%llu.", FER_PRI(first), (unsigned long long)ns.st_ino);
    return text.ptr ? text : FER_STR("");
}

fer_str fer_sweep_mark(fer_arena *a)
{
    uint64_t pid = (uint64_t)getpid();
    fer_str where = place(a), start = start_of(a, pid);
    if (!where.len || !start.len) return FER_STR("");
    fer_str mark = fer_arena_printf(a, "%.*s%llu.%.*s", FER_PRI(where), (unsigned long long)pid,
                                    FER_PRI(start));
    return mark.ptr ? mark : FER_STR("");
}

bool fer_sweep_is_dead(fer_arena *a, fer_str mark)
{
    fer_str where = place(a);
    uint64_t pid;
    if (!where.len || mark.len <= where.len || memcmp(mark.ptr, where.ptr, where.len) != 0)
        return false;
    fer_str rest = fer_str_slice(mark, where.len, mark.len);
    size_t dot = fer_str_find(rest, 0, '.');
    if (dot == SIZE_MAX || !fer_parse_u64(fer_str_head(rest, dot), &pid)) return false;
    return !fer_str_eq(fer_str_slice(rest, dot + 1, rest.len), start_of(a, pid));
}

/* ---- lists ------------------------------------------------------------------------------------
 */

static fer_str text_of(const yyjson_val *object, const char *name)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, name) : NULL;
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

fer_code fer_sweep_find(fer_arena *a, fer_str body, fer_str **ids, size_t *count, fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_json_read(a, body, NULL, &doc, err);
    if (code) return code;
    const yyjson_val *list = fer_json_root(doc);
    size_t most = fer_is_arr(list) ? fer_val_len(list) : 0, found = 0;
    if (most > FER_SWEEP_MAX) most = FER_SWEEP_MAX;
    fer_str *out = fer_arena_alloc_zero(a, most + 1, sizeof *out);
    if (!out) return fer_arena_failed(a, err);
    if (most)
        FER_EACH_ITEM (list, item) {
            const yyjson_val *labels = fer_is_obj(item) ? fer_val_get(item, "Labels") : NULL;
            fer_str id = text_of(item, "Id"), mark = text_of(labels, FER_SWEEP_LABEL);
            if (found < most && id.len && id.len < ID_MAX && fer_sweep_is_dead(a, mark))
                out[found++] = id;
        }
    *ids = out;
    *count = found;
    return FER_OK;
}
