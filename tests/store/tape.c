/* SPDX-License-Identifier: Apache-2.0 */
#include "tape.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"

#define SECTOR  512
#define OPS_MAX 40000
#define FILES   512
#define FDS     1024

/* Numbers of files that are none. */
#define NO_FILE      (-100)
#define IS_FOLDER(f) ((f) < 0 && (f) >= -TAPE_FOLDERS) /* -1: the first */
#define FOLDER(i)    (-1 - (int)(i))

struct op {
    struct fer_faults_op op;
    int file;
    int room;     /* folder of a name */
    bool is_mark; /* then `bytes` is what the test said */
    bool creates;
    char name[64], to[64];
    char *bytes;
};

struct name {
    char name[64]; /* "": free */
    int room, file;
};

static struct tape {
    pthread_mutex_t lock;
    struct op ops[OPS_MAX];
    size_t count;
    int file_of[FDS];
    int room_of[FILES]; /* by file */
    int files;
    struct name names[FILES]; /* as they are now */
    const char *folders[TAPE_FOLDERS];
    bool lies;
} tape;

/* What files become; past `used` there are zeros. */
static struct disk {
    char *bytes;
    size_t used, size, cap;
} disk[FILES];

void tape_free(void)
{
    for (size_t i = 0; i < tape.count; i++) free(tape.ops[i].bytes);
    tape.count = 0;
    for (int f = 0; f < FILES; f++) {
        free(disk[f].bytes);
        disk[f] = (struct disk){0};
    }
}

/* ---- the record ---------------------------------------------------------------------------------
 */

static struct name *find_name(const char *name, int room)
{
    for (int i = 0; i < FILES; i++)
        if (tape.names[i].room == room && strcmp(tape.names[i].name, name) == 0)
            return &tape.names[i];
    return NULL;
}

static struct name *add_name(const char *name, int room, int file)
{
    for (int i = 0; i < FILES; i++) {
        struct name *n = &tape.names[i];
        if (n->name[0]) continue;
        memset(n, 0, sizeof *n);
        memcpy(n->name, name, strnlen(name, sizeof n->name - 1));
        n->room = room;
        n->file = file;
        return n;
    }
    abort();
}

static void rename_file(const char *from, const char *to, int room)
{
    struct name *target = find_name(to, room), *source = find_name(from, room);
    if (target) target->name[0] = '\0';
    if (source) memmove(source->name, to, sizeof source->name);
}

static void forget_name(const char *name, int room)
{
    struct name *n = find_name(name, room);
    if (n) n->name[0] = '\0';
}

/* The folder of a path, by its beginning; a name alone is the first's. */
static int room_of_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    for (int i = 0; slash && i < TAPE_FOLDERS; i++)
        if (tape.folders[i] && strlen(tape.folders[i]) == (size_t)(slash - path) &&
            strncmp(path, tape.folders[i], (size_t)(slash - path)) == 0)
            return i;
    return 0;
}

static int opened(struct op *o, const char *path)
{
    if (strcmp(path, ".") == 0) return FOLDER(0);
    for (int i = 0; i < TAPE_FOLDERS; i++)
        if (tape.folders[i] && strcmp(path, tape.folders[i]) == 0) return FOLDER(i);
    const struct name *n = find_name(o->name, o->room);
    if (n) return n->file;
    o->creates = true;
    tape.room_of[tape.files] = o->room;
    return add_name(o->name, o->room, tape.files++)->file;
}

/* The file that a change is about; of a negative descriptor the folder that the file is in. */
static int file_of(const struct fer_faults_op *op)
{
    if (op->fd >= 0) return tape.file_of[op->fd];
    int file = tape.file_of[-op->fd];
    return file < 0 ? NO_FILE : FOLDER(tape.room_of[file]);
}

static void base_name(char out[64], const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, 64, "%.63s", slash ? slash + 1 : path);
}

static void see(void *context, const struct fer_faults_op *op)
{
    (void)context;
    pthread_mutex_lock(&tape.lock);
    if (tape.count == OPS_MAX || op->fd >= FDS || tape.files == FILES) abort();
    struct op *o = &tape.ops[tape.count];
    *o = (struct op){.op = *op, .file = NO_FILE};
    if (op->name) base_name(o->name, op->name);
    if (op->name) o->room = room_of_path(op->name);
    if (op->to) base_name(o->to, op->to);
    if (op->kind == FER_OP_OPEN) tape.file_of[op->fd] = opened(o, op->name);
    if (op->kind <= FER_OP_ROOM) o->file = file_of(op);
    if (op->kind == FER_OP_RENAME) rename_file(o->name, o->to, o->room);
    if (op->kind == FER_OP_UNLINK) forget_name(o->name, o->room);
    if (op->kind == FER_OP_WRITE) {
        o->bytes = malloc(op->size);
        memcpy(o->bytes, op->bytes, op->size);
    }
    tape.count++;
    pthread_mutex_unlock(&tape.lock);
}

void tape_mark(const void *bytes, size_t size)
{
    pthread_mutex_lock(&tape.lock);
    if (tape.count == OPS_MAX) abort();
    struct op *o = &tape.ops[tape.count++];
    *o = (struct op){.is_mark = true, .file = NO_FILE, .bytes = malloc(size)};
    memcpy(o->bytes, bytes, size);
    pthread_mutex_unlock(&tape.lock);
}

void tape_begin(const char *const folders[TAPE_FOLDERS])
{
    tape_free();
    memset(&tape, 0, sizeof tape);
    pthread_mutex_init(&tape.lock, NULL);
    for (int i = 0; i < FDS; i++) tape.file_of[i] = NO_FILE;
    for (int i = 0; i < TAPE_FOLDERS; i++) tape.folders[i] = folders[i];
    fer_faults_begin(NULL);
    fer_faults_watch(see, NULL);
}

void tape_end(void)
{
    fer_faults_watch(NULL, NULL);
}

size_t tape_count(void)
{
    return tape.count;
}

const void *tape_mark_at(size_t at)
{
    return tape.ops[at].is_mark ? tape.ops[at].bytes : NULL;
}

void tape_lie(bool lies)
{
    tape.lies = lies;
}

/* ---- states -------------------------------------------------------------------------------------
 */

static unsigned seed = 20261117;
static bool sure[OPS_MAX]; /* that is on the disk, whatever happens */

static unsigned chance(void)
{
    return (unsigned)rand_r(&seed);
}

static void put(struct disk *d, size_t at, const char *bytes, size_t size)
{
    size_t end = at + size;
    if (end > d->cap) {
        d->bytes = realloc(d->bytes, end * 2);
        if (!d->bytes) abort();
        d->cap = end * 2;
    }
    if (at > d->used) memset(d->bytes + d->used, 0, at - d->used);
    if (bytes) memcpy(d->bytes + at, bytes, size);
    else memset(d->bytes + at, 0, size);
    if (end > d->used) d->used = end;
    if (d->used > d->size) d->size = d->used;
}

static void resize(struct disk *d, size_t size)
{
    d->size = size;
    if (d->used > size) d->used = size;
}

/* Which changes were synced before the prefix ends: backwards, by what is synced behind them. */
static void find_sure(size_t prefix)
{
    static bool synced[FILES];
    memset(synced, 0, sizeof synced);
    for (size_t i = prefix; i-- > 0;) {
        const struct op *o = &tape.ops[i];
        bool lost = tape.lies && i > tape.count / 2;
        sure[i] = o->file >= 0 && synced[o->file] && !lost;
        if (!o->is_mark && o->op.kind == FER_OP_SYNC && o->file >= 0) synced[o->file] = true;
    }
}

/* One write that was not synced. */
static void put_doubtful(struct disk *d, const struct op *o, enum tape_model m)
{
    size_t at = (size_t)o->op.at, size = o->op.size;
    if (m == TAPE_M2) put(d, at, o->bytes, size);
    if (m == TAPE_M3) {
        size_t cut = (at + chance() % (size + 1)) / SECTOR * SECTOR;
        if (cut > at) put(d, at, o->bytes, cut - at);
    }
    /* Where something was written before, a sector is what it was or what it becomes. */
    if (m == TAPE_M5 && at + size > d->used) put(d, d->used, NULL, at + size - d->used);
    for (size_t from = at; m == TAPE_M4 && from < at + size;) {
        size_t end = (from / SECTOR + 1) * SECTOR;
        if (end > at + size) end = at + size;
        if (chance() % 2) put(d, from, o->bytes + (from - at), end - from);
        from = end;
    }
}

static void make_contents(size_t prefix, enum tape_model m)
{
    for (int f = 0; f < FILES; f++) disk[f].size = disk[f].used = 0;
    find_sure(prefix);
    for (size_t i = 0; i < prefix; i++) {
        const struct op *o = &tape.ops[i];
        if (o->is_mark || o->file < 0) continue;
        struct disk *d = &disk[o->file];
        if (o->op.kind == FER_OP_WRITE) {
            if (sure[i]) put(d, (size_t)o->op.at, o->bytes, o->op.size);
            else put_doubtful(d, o, m);
        }
        /* A new length that was not synced comes to the disk or does not. */
        bool kept = sure[i] || m == TAPE_M2 || m == TAPE_M5 || (m != TAPE_M1 && chance() % 2);
        if (o->op.kind == FER_OP_SIZE && kept) resize(d, o->op.size);
        if (o->op.kind == FER_OP_ROOM && kept && o->op.size > d->size) resize(d, o->op.size);
    }
}

static bool is_name_op(const struct op *o, int room)
{
    if (o->is_mark || o->room != room) return false;
    return o->op.kind == FER_OP_RENAME || o->op.kind == FER_OP_UNLINK || o->creates;
}

/* The last change of names that a folder's syncs cover. */
static size_t names_synced(size_t prefix, int room)
{
    size_t last = 0;
    for (size_t i = 0; i < prefix; i++)
        if (!tape.ops[i].is_mark && tape.ops[i].op.kind == FER_OP_SYNC &&
            tape.ops[i].file == FOLDER(room))
            last = i;
    return last;
}

/* Which names a folder has, and for which file. */
static void make_names(size_t prefix, enum tape_model m, int room)
{
    size_t safe = names_synced(prefix, room), doubtful = 0, kept = 0;
    for (size_t i = safe; i < prefix; i++) doubtful += is_name_op(&tape.ops[i], room);
    if (m == TAPE_M2 || m == TAPE_M6 || m == TAPE_M5) kept = doubtful;
    else if (m != TAPE_M1) kept = doubtful ? chance() % (doubtful + 1) : 0;
    int file = 0;
    for (size_t i = 0; i < prefix; i++) {
        const struct op *o = &tape.ops[i];
        int number = o->creates ? file++ : 0;
        if (!is_name_op(o, room)) continue;
        if (i > safe && kept-- == 0) return;
        if (o->creates) add_name(o->name, room, number);
        else if (o->op.kind == FER_OP_RENAME) rename_file(o->name, o->to, room);
        else forget_name(o->name, room);
    }
}

static void write_file(const char *path, const struct disk *d)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    size_t used = d->used; /* zeros at the end are a hole */
    while (used && d->bytes[used - 1] == '\0') used--;
    if (fd < 0 || (used && write(fd, d->bytes, used) != (ssize_t)used) ||
        ftruncate(fd, (off_t)d->size) != 0)
        abort();
    close(fd);
}

void tape_lay_out(size_t prefix, enum tape_model m, const char *const folders[TAPE_FOLDERS])
{
    make_contents(prefix, m);
    memset(tape.names, 0, sizeof tape.names);
    for (int room = 0; room < TAPE_FOLDERS; room++)
        if (folders[room]) make_names(prefix, m, room);
    for (int i = 0; i < FILES; i++) {
        const struct name *n = &tape.names[i];
        char path[512];
        if (!n->name[0]) continue;
        snprintf(path, sizeof path, "%s/%s", folders[n->room], n->name);
        write_file(path, &disk[n->file]);
    }
}
