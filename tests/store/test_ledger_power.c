/* SPDX-License-Identifier: Apache-2.0 */
/*
 * F23: loss of power. Everything that a workload does to its files is recorded by the seam, with
 * the acknowledgements between; then, for prefixes of that record, the files are made as a disk may
 * have them afterwards, the ledger is opened, and the judge asks for what was acknowledged by then:
 *
 *     M1  nothing that was not synced            M4  any of its 512-byte sectors
 *     M2  everything                             M5  zeros in its place, the file as long as it was
 *     M3  each write cut at a sector             M6  names changed, contents not
 *
 * A sample by default, more than 10,000 states with FERRULE_FAULTS=long (make faults). A ledger
 * that does not wait for syncs promises nothing here, except that it opens again or says that it
 * is broken.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys.h"
#include "workloads.h"

#define SECTOR  512
#define OPS_MAX 20000
#define FILES   512
#define FDS     1024

/* ---- the record ---------------------------------------------------------------------------------
 */

struct op {
    struct fer_faults_op op;
    int file; /* of fd; -1: the folder */
    bool is_ack;
    bool creates;
    struct ack ack;
    char name[64], to[64];
    char *bytes;
};

static struct tape {
    pthread_mutex_t lock;
    struct op ops[OPS_MAX];
    size_t count;
    int file_of[FDS]; /* by descriptor: number of a file, -1 the folder, -2 not ours */
    int files;
    char names[FILES][64]; /* as they are now, "" gone */
    int owner[FILES];      /* name slot -> file */
    const char *folder;
} tape;

static int find_name(const char *name)
{
    for (int i = 0; i < FILES; i++)
        if (strcmp(tape.names[i], name) == 0) return i;
    return -1;
}

static int free_name(void)
{
    for (int i = 0; i < FILES; i++)
        if (!tape.names[i][0]) return i;
    abort();
}

/* The file of an opening: one that is there, or a new one. */
static int opened(struct op *o)
{
    int slot = find_name(o->name);
    if (slot < 0) {
        slot = free_name();
        memmove(tape.names[slot], o->name, sizeof tape.names[slot]);
        tape.owner[slot] = tape.files++;
        o->creates = true;
    }
    return tape.owner[slot];
}

static void renamed(const char *from, const char *to)
{
    int target = find_name(to), source = find_name(from);
    if (target >= 0) tape.names[target][0] = '\0';
    if (source >= 0) memmove(tape.names[source], to, sizeof tape.names[source]);
}

static void see(void *context, const struct fer_faults_op *op)
{
    (void)context;
    pthread_mutex_lock(&tape.lock);
    if (tape.count == OPS_MAX || op->fd >= FDS) abort();
    struct op *o = &tape.ops[tape.count];
    *o = (struct op){.op = *op, .file = -2};
    if (op->name)
        snprintf(o->name, sizeof o->name, "%.63s",
                 strrchr(op->name, '/') ? strrchr(op->name, '/') + 1 : op->name);
    if (op->to) snprintf(o->to, sizeof o->to, "%.63s", op->to);
    if (op->kind == FER_OP_OPEN) {
        bool folder = strcmp(op->name, tape.folder) == 0 || strcmp(op->name, ".") == 0;
        tape.file_of[op->fd] = folder ? -1 : opened(o);
    }
    if (op->kind <= FER_OP_ROOM) o->file = tape.file_of[op->fd];
    if (op->kind == FER_OP_RENAME) renamed(o->name, o->to);
    if (op->kind == FER_OP_UNLINK && find_name(o->name) >= 0)
        tape.names[find_name(o->name)][0] = '\0';
    if (op->kind == FER_OP_WRITE) {
        o->bytes = malloc(op->size);
        memcpy(o->bytes, op->bytes, op->size);
    }
    tape.count++;
    pthread_mutex_unlock(&tape.lock);
}

static void note_ack(void *context, const struct ack *a)
{
    (void)context;
    pthread_mutex_lock(&tape.lock);
    tape.ops[tape.count++] = (struct op){.is_ack = true, .ack = *a, .file = -2};
    pthread_mutex_unlock(&tape.lock);
}

static void record(const struct workload *w)
{
    char folder[128];
    for (size_t i = 0; i < tape.count; i++) free(tape.ops[i].bytes);
    memset(&tape, 0, sizeof tape);
    pthread_mutex_init(&tape.lock, NULL);
    desk_folder(folder);
    tape.folder = folder;
    fer_faults_begin(NULL);
    fer_faults_watch(see, NULL);
    assert_true(workload_run(w, folder, note_ack, NULL));
    fer_faults_watch(NULL, NULL);
    desk_remove(folder);
}

/* ---- states -------------------------------------------------------------------------------------
 */

enum model {
    M1,
    M2,
    M3,
    M4,
    M5,
    M6,
    MODELS
};

/* Room for what files become. */
static struct disk {
    char *bytes;
    size_t size, cap;
} disk[FILES];
static unsigned seed = 20261117;
static bool disk_lies; /* it says that it has synced, and has not */

static unsigned chance(void)
{
    return (unsigned)rand_r(&seed);
}

static void put(struct disk *d, size_t at, const char *bytes, size_t size)
{
    size_t end = at + size;
    if (end > d->cap) {
        d->bytes = realloc(d->bytes, end * 2);
        d->cap = end * 2;
    }
    if (at > d->size) memset(d->bytes + d->size, 0, at - d->size);
    if (bytes) memcpy(d->bytes + at, bytes, size);
    else memset(d->bytes + at, 0, size);
    if (end > d->size) d->size = end;
}

static void resize(struct disk *d, size_t size)
{
    if (size > d->size) put(d, d->size, NULL, size - d->size);
    else d->size = size;
}

/* Whether what this did to its file was synced before the prefix ends. */
static bool is_synced(size_t at, size_t prefix)
{
    const struct op *o = &tape.ops[at];
    if (disk_lies && at > tape.count / 2) return false;
    for (size_t i = at + 1; i < prefix; i++)
        if (!tape.ops[i].is_ack && tape.ops[i].op.kind == FER_OP_SYNC &&
            tape.ops[i].file == o->file)
            return true;
    return false;
}

static bool is_name_op(const struct op *o)
{
    if (o->is_ack) return false;
    return o->op.kind == FER_OP_RENAME || o->op.kind == FER_OP_UNLINK || o->creates;
}

/* The last change of names that the folder's syncs cover. */
static size_t names_synced(size_t prefix)
{
    size_t last = 0;
    for (size_t i = 0; i < prefix; i++)
        if (!tape.ops[i].is_ack && tape.ops[i].op.kind == FER_OP_SYNC && tape.ops[i].file == -1)
            last = i;
    return last;
}

/* One write that was not synced. */
static void put_doubtful(struct disk *d, const struct op *o, enum model m)
{
    size_t at = (size_t)o->op.at, size = o->op.size;
    if (m == M2) put(d, at, o->bytes, size);
    if (m == M3) {
        size_t cut = (at + chance() % (size + 1)) / SECTOR * SECTOR;
        if (cut > at) put(d, at, o->bytes, cut - at);
    }
    if (m == M5) put(d, at, NULL, size);
    for (size_t from = at; m == M4 && from < at + size;) {
        size_t end = (from / SECTOR + 1) * SECTOR;
        if (end > at + size) end = at + size;
        if (chance() % 2) put(d, from, o->bytes + (from - at), end - from);
        from = end;
    }
}

static void make_contents(size_t prefix, enum model m)
{
    for (int f = 0; f < FILES; f++) disk[f].size = 0;
    for (size_t i = 0; i < prefix; i++) {
        const struct op *o = &tape.ops[i];
        if (o->is_ack || o->file < 0) continue;
        struct disk *d = &disk[o->file];
        bool sure = is_synced(i, prefix);
        if (o->op.kind == FER_OP_WRITE) {
            if (sure) put(d, (size_t)o->op.at, o->bytes, o->op.size);
            else put_doubtful(d, o, m);
        }
        /* A new length that was not synced comes to the disk or does not. */
        bool kept = sure || m == M2 || m == M5 || (m != M1 && chance() % 2);
        if (o->op.kind == FER_OP_SIZE && kept) resize(d, o->op.size);
        if (o->op.kind == FER_OP_ROOM && kept && o->op.size > d->size) resize(d, o->op.size);
    }
}

/* Which names there are, and for which file: changes of names come to the disk in their order. */
static void make_names(size_t prefix, enum model m)
{
    size_t sure = names_synced(prefix), doubtful = 0, kept = 0;
    for (size_t i = sure; i < prefix; i++) doubtful += is_name_op(&tape.ops[i]);
    if (m == M2 || m == M6 || m == M5) kept = doubtful;
    else if (m != M1) kept = doubtful ? chance() % (doubtful + 1) : 0;
    memset(tape.names, 0, sizeof tape.names);
    int file = 0;
    for (size_t i = 0; i < prefix; i++) {
        const struct op *o = &tape.ops[i];
        int number = o->creates ? file++ : 0;
        if (!is_name_op(o)) continue;
        if (i > sure && kept-- == 0) return;
        if (o->creates) {
            int slot = free_name();
            memcpy(tape.names[slot], o->name, sizeof o->name);
            tape.owner[slot] = number;
        } else if (o->op.kind == FER_OP_RENAME) {
            renamed(o->name, o->to);
        } else if (find_name(o->name) >= 0) {
            tape.names[find_name(o->name)][0] = '\0';
        }
    }
}

static void lay_out(const char *folder)
{
    assert_int_equal(mkdir(folder, 0700), 0);
    for (int i = 0; i < FILES; i++) {
        char path[256];
        if (!tape.names[i][0]) continue;
        const struct disk *d = &disk[tape.owner[i]];
        desk_path(path, folder, tape.names[i]);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        assert_true(fd >= 0);
        /* Zeros at the end are a hole. */
        size_t used = d->size;
        while (used && d->bytes[used - 1] == '\0') used--;
        assert_true(used == 0 || write(fd, d->bytes, used) == (ssize_t)used);
        assert_int_equal(ftruncate(fd, (off_t)d->size), 0);
        close(fd);
    }
}

static size_t states;

static bool holds(const struct workload *w, size_t prefix, enum model m)
{
    static struct ack acks[4096];
    size_t count = 0;
    char folder[128];
    make_contents(prefix, m);
    make_names(prefix, m);
    desk_folder(folder);
    lay_out(folder);
    /* Acknowledged is what was told before the power went. */
    for (size_t i = 0; i < prefix; i++)
        if (tape.ops[i].is_ack) acks[count++] = tape.ops[i].ack;
    if (w->durability == FER_DURABLE_ASYNC) count = 0;
    states++;
    bool ok = workload_judge(w, folder, acks, count);
    desk_remove(folder);
    return ok;
}

static void judge(const struct workload *w, size_t prefix, enum model m)
{
    if (holds(w, prefix, m)) return;
    print_message("# M%d after %zu of %zu\n", m + 1, prefix, tape.count);
    fail();
}

static void power(const struct workload *w)
{
    const char *word = getenv("FERRULE_FAULTS");
    bool all = word && strcmp(word, "long") == 0;
    size_t rounds = all ? 5 : 1;
    record(w);
    states = 0;
    size_t want = all ? 1700 : 60, each = (size_t)MODELS * rounds;
    size_t step = 1 + tape.count * each / want;
    /* The prefixes of one run are not all: other runs are other records. */
    for (size_t runs = 0; states < want; runs++) {
        if (runs) record(w);
        for (size_t prefix = 1 + runs % step; prefix <= tape.count; prefix += step)
            for (size_t i = 0; i < each; i++) judge(w, prefix, (enum model)(i % MODELS));
    }
    print_message("# %s: %zu operations, %zu states\n", w->name, tape.count, states);
}

/* The judge is not blind: with a disk that lies, acknowledged records are lost, and it says so. */
static void lying_disk(void)
{
    record(&workloads[0]);
    disk_lies = true;
    assert_false(holds(&workloads[0], tape.count, M1));
    disk_lies = false;
}

int main(void)
{
    int failed = rows_run("power", workloads, sizeof *workloads, workload_count,
                          (rows_function *)(void (*)(void))power) +
                 ROWS_ONE("power", lying_disk);
    for (int f = 0; f < FILES; f++) free(disk[f].bytes);
    for (size_t i = 0; i < tape.count; i++) free(tape.ops[i].bytes);
    return failed;
}
