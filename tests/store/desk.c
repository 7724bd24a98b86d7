/* SPDX-License-Identifier: Apache-2.0 */
#include "desk.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger_folder.h"

void desk_folder(char out[128])
{
    static int number;
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(out, 128, "%s/ferrule-ledger-%ld-%d", place, (long)getpid(), number++);
    desk_remove(out);
}

void desk_path(char out[256], const char *folder, const char *name)
{
    snprintf(out, 256, "%s/%s", folder, name);
}

void desk_remove(const char *folder)
{
    char path[512];
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (dir) closedir(dir);
    rmdir(folder);
}

fer_ledger_options desk_options(const char *folder)
{
    return (fer_ledger_options){.folder = folder, .segment_bytes = 256 << 10, .end_bytes = 4096};
}

fer_code desk_open(struct desk *d, const fer_ledger_options *o)
{
    char folder[128];
    memcpy(folder, d->folder, sizeof folder);
    *d = (struct desk){0};
    memcpy(d->folder, folder, sizeof folder);
    fer_code code = fer_ledger_open(o, &d->ledger, &d->recovery, &d->err);
    if (code) return code;
    assert_int_equal(uv_loop_init(&d->loop), 0);
    code = fer_ledger_attach(d->ledger, &d->loop, &d->port, &d->err);
    if (code) {
        fer_ledger_close(d->ledger, NULL);
        uv_loop_close(&d->loop);
    }
    return code;
}

fer_code desk_close(struct desk *d)
{
    fer_ledger_detach(d->port);
    fer_code code = fer_ledger_close(d->ledger, &d->err);
    uv_run(&d->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&d->loop), 0);
    return code;
}

static void told(void *context, fer_code code, uint64_t seq)
{
    struct desk *d = context;
    if (code) {
        d->refused++;
        return;
    }
    assert_true(seq > d->last_seq);
    d->last_seq = seq;
    d->told++;
}

fer_code desk_append(struct desk *d, fer_ledger_type type, const char *tenant, const char *body)
{
    fer_ledger_record r = {type, fer_str_of(tenant), fer_str_of(body)};
    return fer_ledger_append(d->port, &r, told, d, &d->err);
}

void desk_wait(struct desk *d)
{
    uv_run(&d->loop, UV_RUN_DEFAULT);
}

fer_code desk_put(struct desk *d, fer_ledger_type type, const char *tenant, const char *body)
{
    size_t refused = d->refused;
    fer_code code = desk_append(d, type, tenant, body);
    if (code) return code;
    desk_wait(d);
    return d->refused > refused ? FER_LEDGER_UNAVAILABLE : FER_OK;
}

fer_code desk_begin(struct desk *d, const char *tenant, const char *call, const char *effect)
{
    char body[256];
    snprintf(body, sizeof body,
             "{\"callId\":\"%s\",\"effect\":\"%s\",\"tool\":\"t:x\",\"correlationId\":\"r-%s\"}",
             call, effect, call);
    d->sent++;
    return desk_put(d, FER_LEDGER_BEGIN, tenant, body);
}

fer_code desk_end(struct desk *d, const char *tenant, const char *call, const char *status)
{
    char body[256];
    snprintf(body, sizeof body,
             "{\"callId\":\"%s\",\"status\":\"%s\",\"tool\":\"t:x\",\"correlationId\":\"r-%s\"}",
             call, status, call);
    return desk_put(d, FER_LEDGER_END, tenant, body);
}

fer_verify_report desk_verify(fer_arena *a, const char *folder, const char *anchor)
{
    fer_verify_report report;
    fer_err err;
    fer_verify_options o = {.folder = folder, .anchor = anchor};
    fer_code code = fer_ledger_verify(a, &o, &report, &err);
    if (code) print_message("%s\n", err.message);
    assert_int_equal(code, FER_OK);
    return report;
}

void desk_segment(char out[256], const char *folder, bool last)
{
    fer_segment_list list;
    int fd;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_folder_open(folder, false, &fd, NULL), FER_OK);
    assert_int_equal(fer_folder_list(a, fd, &list, NULL), FER_OK);
    assert_true(list.count > 0);
    desk_path(out, folder, list.list[last ? list.count - 1 : 0].name);
    close(fd);
    fer_arena_free(a);
}

char *desk_bytes(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    char *bytes = malloc((size_t)st.st_size + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)st.st_size, f);
    bytes[*size] = '\0';
    fclose(f);
    return bytes;
}

void desk_write(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

size_t desk_count(const char *folder, const char *needle)
{
    size_t found = 0, len = strlen(needle);
    fer_segment_list list;
    int fd;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_folder_open(folder, false, &fd, NULL), FER_OK);
    assert_int_equal(fer_folder_list(a, fd, &list, NULL), FER_OK);
    for (size_t i = 0; i < list.count; i++) {
        char path[256];
        size_t size;
        desk_path(path, folder, list.list[i].name);
        char *bytes = desk_bytes(path, &size);
        for (char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), needle, len));
             at += len)
            found++;
        free(bytes);
    }
    close(fd);
    fer_arena_free(a);
    return found;
}
