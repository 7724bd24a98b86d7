/* SPDX-License-Identifier: Apache-2.0 */
#include "container_sweep.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ferrule/json.h>

#include "docker_answer.h"
#include "errors.h"
#include "file.h"
#include "proc_table.h"
#include "sys.h"

#define BOOT_MAX 4096 /* bytes of the boot's ID, of which it has 36 */

/* ---- marks: BOOT.NAMESPACE.PID.START ----------------------------------------------------------
 */

fer_str fer_sweep_place(fer_arena *a)
{
    struct stat ns;
    fer_str boot;
    if (fer_file_read(a, "/proc/sys/kernel/random/boot_id", BOOT_MAX, &boot, NULL) ||
        fer_sys_stat("/proc/self/ns/pid", &ns) != 0)
        return FER_STR("");
    fer_str first = fer_str_head(boot, strcspn(boot.ptr, "\n"));
    fer_str text = fer_arena_printf(a, "%.*s.%llu.", FER_PRI(first), (unsigned long long)ns.st_ino);
    return text.ptr ? text : FER_STR("");
}

fer_str fer_sweep_mark(fer_arena *a)
{
    fer_str place = fer_sweep_place(a);
    fer_proc own;
    if (!place.len || !fer_proc_read(getpid(), &own) || !own.start) return FER_STR("");
    fer_str mark = fer_arena_printf(a, "%.*s%lld.%llu", FER_PRI(place), (long long)own.pid,
                                    (unsigned long long)own.start);
    return mark.ptr ? mark : FER_STR("");
}

bool fer_sweep_is_dead(fer_str place, fer_str mark)
{
    uint64_t pid, start;
    if (!place.len || mark.len <= place.len || memcmp(mark.ptr, place.ptr, place.len) != 0)
        return false;
    fer_str rest = fer_str_slice(mark, place.len, mark.len);
    size_t dot = fer_str_find(rest, 0, '.');
    if (dot == SIZE_MAX || !fer_parse_u64(fer_str_head(rest, dot), &pid) || pid == 0 ||
        pid > INT32_MAX || !fer_parse_u64(fer_str_slice(rest, dot + 1, rest.len), &start))
        return false;
    return fer_proc_is_gone((pid_t)pid, start);
}

/* ---- lists ------------------------------------------------------------------------------------
 */

/* Whether a container of the list is one of a dead gateway. */
static bool is_left(fer_str place, const yyjson_val *item)
{
    const yyjson_val *labels = fer_is_obj(item) ? fer_val_get(item, "Labels") : NULL;
    fer_str id = fer_answer_text(item, "Id");
    return id.len && id.len < FER_CONTAINER_ID &&
           fer_sweep_is_dead(place, fer_answer_text(labels, FER_SWEEP_LABEL));
}

fer_code fer_sweep_find(fer_arena *a, fer_str body, fer_str **ids, size_t *count, fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_json_read(a, body, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *list = fer_json_root(doc);
    size_t most = fer_is_arr(list) ? fer_val_len(list) : 0, found = 0;
    if (most > FER_SWEEP_MAX) most = FER_SWEEP_MAX;
    fer_str *out = fer_arena_alloc_zero(a, most + 1, sizeof *out);
    if (!out) return fer_arena_failed(a, err);
    fer_str place = most ? fer_sweep_place(a) : FER_STR("");
    if (most)
        FER_EACH_ITEM (list, item)
            if (found < most && is_left(place, item)) out[found++] = fer_answer_text(item, "Id");
    *ids = out;
    *count = found;
    return FER_OK;
}

void fer_sweep_log(const fer_log *log, fer_str runtime, const fer_err *why)
{
    if (log)
        fer_log_event(log, FER_LOG_WARN, "container.unswept", FER_LOG_S("runtime", runtime),
                      FER_LOG_S("error.code", fer_str_of(fer_code_info(why->code)->name)),
                      FER_LOG_S("reason", fer_str_of(why->message)));
}
