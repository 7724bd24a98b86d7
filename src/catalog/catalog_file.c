/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a file: mapping it, checking its head, and making values that lie in it. */
#include "catalog_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "checksum.h"
#include "errors.h"
#include "file_layout.h"
#include "finder.h"
#include "own_id.h"
#include "sys.h"
#include "vector_section.h"
#include "vector_store.h"

struct fer_catalog_file {
    atomic_uint refs;
    void *mapped; /* NULL: the bytes are the caller's */
    const char *bytes;
    size_t size;
    fer_entry *entries; /* of tools, then of what is held back */
    fer_doc *docs;
    fer_space *spaces;
    const struct fer_file_row *rows; /* of tools first */
    uint32_t tools;
    uint32_t *by_number; /* places in `entries`, all ones: none; where its index was opened */
    uint32_t numbers;
    fer_str sections[FER_SECTIONS];
    uint64_t checks[FER_SECTIONS];
    fer_vector_section vectors;
};

typedef struct fer_catalog_file file;

file *fer_catalog_file_ref(file *f)
{
    if (f) atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
    return f;
}

void fer_catalog_file_unref(file *f)
{
    if (!f || atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) != 1) return;
    fer_sys_free(f->entries);
    fer_sys_free(f->docs);
    fer_sys_free(f->spaces);
    fer_sys_free(f->by_number);
    if (f->mapped) fer_sys_unmap(f->mapped, f->size);
    fer_sys_free(f);
}

fer_entry *fer_catalog_file_numbered(const file *f, uint32_t number)
{
    if (!f || !f->by_number || number >= f->numbers || f->by_number[number] == FER_NO_NUMBER)
        return NULL;
    return &f->entries[f->by_number[number]];
}

const fer_vector_section *fer_catalog_file_vectors(const file *f)
{
    static const fer_vector_section none = {0};
    return f ? &f->vectors : &none;
}

fer_str fer_catalog_file_section(const file *f, unsigned id)
{
    return f ? f->sections[id] : FER_STR("");
}

uint32_t fer_catalog_file_numbers(const file *f)
{
    return f ? f->numbers : 0;
}

/* Values of a file go with the file. */
static void drop_nothing(fer_value *v)
{
    (void)v;
}

/* ---- the head -----------------------------------------------------------------------------------
 */

static fer_code broken(fer_err *err, const char *what)
{
    return fer_fail(err, FER_INVALID_CATALOG, "not a catalogue that can be used: %s", what);
}

static fer_code check_header(const file *f, struct fer_file_head *head, fer_err *err)
{
    if (f->size < sizeof *head) return broken(err, "the file is too short");
    memcpy(head, f->bytes, sizeof *head);
    if (memcmp(head->magic, FER_FILE_MAGIC, sizeof head->magic) != 0)
        return broken(err, "it does not begin as one does");
    if (head->order != FER_FILE_ORDER)
        return broken(err, "it was written on a machine with another order of bytes");
    if (head->format != FER_CATALOG_FORMAT)
        return fer_fail(err, FER_INVALID_CATALOG,
                        "this catalogue has format %u, and this Ferrule knows format %d: build it "
                        "anew",
                        head->format, FER_CATALOG_FORMAT);
    if (head->size != f->size) return broken(err, "the file was cut, or something was added");
    return FER_OK;
}

/* The head ends where its counts say, within the file, and is what was written. */
static fer_code check_head(const file *f, const struct fer_file_head *head, fer_err *err)
{
    uint64_t rows = 0;
    struct fer_file_head blank = *head;
    for (size_t i = 0; i < FER_FILE_GROUPS; i++) {
        if (head->counts[i] > FER_CATALOG_MAX) return broken(err, "it holds too much");
        rows += head->counts[i];
    }
    uint64_t fixed = sizeof *head + rows * sizeof(struct fer_file_row);
    if (fixed > f->size || head->keys_size > f->size - fixed)
        return broken(err, "its head does not fit");
    blank.check = 0;
    uint64_t sum = fer_checksum(&blank, sizeof blank);
    sum = fer_checksum_mix(sum, fer_checksum(f->bytes + sizeof blank,
                                             (size_t)(fixed + head->keys_size) - sizeof blank));
    return sum == head->check ? FER_OK : broken(err, "its head is damaged");
}

static bool is_ascii(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.ptr[i] - 0x20u > 0x5Eu) return false;
    }
    return true;
}

struct opening {
    file *file;
    fer_view *view;
    struct fer_file_head head;
    const struct fer_file_row *rows;
    fer_str keys;
    uint64_t blocks; /* where they start */
    fer_value **list;
};

/* One group of rows: keys in order and in place, blocks in place. */
static bool check_rows(const struct opening *o, const struct fer_file_row *rows, size_t count,
                       bool blocks)
{
    fer_str before = FER_STR_NONE;
    for (size_t i = 0; i < count; i++) {
        const struct fer_file_row *r = &rows[i];
        if (r->key_at > o->keys.len || r->key_len > o->keys.len - r->key_at) return false;
        fer_str key = fer_str_slice(o->keys, r->key_at, r->key_at + r->key_len);
        if (i && fer_str_cmp(before, key) >= 0) return false;
        before = key;
        if (!blocks) continue;
        if (r->at % 8 || r->at < o->blocks || r->at > o->file->size ||
            r->size > o->file->size - r->at || !key.len)
            return false;
    }
    return true;
}

static fer_code check_all_rows(struct opening *o, fer_err *err)
{
    const struct fer_file_row *rows = o->rows;
    uint64_t tools = 0;
    for (size_t g = 0; g < FER_FILE_GROUPS; g++) {
        size_t count = (size_t)o->head.counts[g];
        if (!check_rows(o, rows, count, g != FER_FILE_SPACES)) return broken(err, "a row is wrong");
        for (size_t i = 0; g == FER_FILE_SPACES && i < count; i++) {
            if (!rows[i].check || rows[i].check > FER_CATALOG_MAX) tools = UINT64_MAX / 2;
            else tools += rows[i].check;
        }
        rows += count;
    }
    return tools == o->head.counts[FER_FILE_TOOLS] ? FER_OK
                                                   : broken(err, "its namespaces are wrong");
}

/* ---- values
 * -------------------------------------------------------------------------------------- */

static void init_value(const struct opening *o, fer_value *v, const struct fer_file_row *r)
{
    atomic_init(&v->refs, 1);
    v->key = fer_str_slice(o->keys, r->key_at, r->key_at + r->key_len);
    v->drop = drop_nothing;
}

static void init_entry(const struct opening *o, fer_entry *e, const struct fer_file_row *r)
{
    init_value(o, &e->value, r);
    e->body = (const fer_body *)(const void *)(o->file->bytes + r->at);
    e->check = r->check;
    e->size = r->size;
    e->number = o->head.sections[FER_SECTION_INDEX].size ? r->number : FER_NO_NUMBER;
    e->content = r->content;
    e->twin = r->twin;
    atomic_init(&e->state, FER_BODY_UNSEEN);
}

static void init_doc(const struct opening *o, fer_doc *d, const struct fer_file_row *r)
{
    init_value(o, &d->value, r);
    d->json = (fer_str){o->file->bytes + r->at, r->size};
    d->check = r->check;
    atomic_init(&d->state, FER_BODY_UNSEEN);
}

static bool alloc_values(struct opening *o)
{
    const uint64_t *n = o->head.counts;
    size_t entries = (size_t)(n[FER_FILE_TOOLS] + n[FER_FILE_PENDING] + n[FER_FILE_PAST]);
    size_t docs = (size_t)n[FER_FILE_DOCS], spaces = (size_t)n[FER_FILE_SPACES];
    file *f = o->file;
    f->entries = fer_sys_malloc((entries + 1) * sizeof *f->entries);
    f->docs = fer_sys_malloc((docs + 1) * sizeof *f->docs);
    f->spaces = fer_sys_malloc((spaces + 1) * sizeof *f->spaces);
    o->list = fer_sys_malloc((entries + docs + spaces + 1) * sizeof(fer_value *));
    return f->entries && f->docs && f->spaces && o->list;
}

static bool plant(struct opening *o)
{
    const uint64_t *n = o->head.counts;
    const struct fer_file_row *r = o->rows;
    fer_value **at = o->list;
    fer_table *trees[FER_FILE_GROUPS] = {&o->view->tools, &o->view->pending, &o->view->past,
                                         &o->view->docs, &o->view->spaces};
    size_t entries = (size_t)(n[FER_FILE_TOOLS] + n[FER_FILE_PENDING] + n[FER_FILE_PAST]);
    for (size_t i = 0; i < entries; i++, r++) {
        init_entry(o, &o->file->entries[i], r);
        o->view->own += i < n[FER_FILE_TOOLS] && fer_id_is_own(o->file->entries[i].value.key);
        *at++ = &o->file->entries[i].value;
    }
    for (size_t i = 0; i < n[FER_FILE_DOCS]; i++, r++) {
        init_doc(o, &o->file->docs[i], r);
        *at++ = &o->file->docs[i].value;
    }
    for (size_t i = 0; i < n[FER_FILE_SPACES]; i++, r++) {
        init_value(o, &o->file->spaces[i].value, r);
        o->file->spaces[i].tools = (size_t)r->check;
        *at++ = &o->file->spaces[i].value;
    }
    at = o->list;
    for (size_t g = 0; g < FER_FILE_GROUPS; at += n[g++]) {
        if (!fer_table_build(trees[g], at, (size_t)n[g])) return false;
    }
    return true;
}

/* ---- the index
 * ------------------------------------------------------------------------------------ */

/* Every number is one tool's; those that nobody has are holes that removed tools left. */
static fer_code number_tools(file *f, fer_err *err)
{
    uint32_t *places = fer_sys_malloc(((size_t)f->numbers + 1) * sizeof *places);
    if (!places) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(places, 0xFF, ((size_t)f->numbers + 1) * sizeof *places);
    for (uint32_t i = 0; i < f->tools; i++) {
        uint32_t number = f->rows[i].number;
        if (number >= f->numbers || places[number] != FER_NO_NUMBER) {
            fer_sys_free(places);
            return broken(err, "its numbers are wrong");
        }
        places[number] = i;
    }
    f->by_number = places;
    return FER_OK;
}

/* Their places are checked in any case: verifying reads them. */
static fer_code place_sections(struct opening *o, fer_err *err)
{
    file *f = o->file;
    for (size_t i = 0; i < FER_SECTIONS; i++) {
        const struct fer_file_section *s = &o->head.sections[i];
        if (s->at % 8 || s->at < o->blocks || s->at > f->size || s->size > f->size - s->at)
            return broken(err, "a section is out of place");
        f->sections[i] = (fer_str){f->bytes + s->at, (size_t)s->size};
        f->checks[i] = s->check;
    }
    fer_str vectors = f->sections[FER_SECTION_VECTORS];
    if (vectors.len && !fer_vector_section_open(vectors, &f->vectors))
        return broken(err, "its vectors are none");
    return FER_OK;
}

fer_code fer_catalog_file_index(fer_view *v, fer_vector_store *store, fer_err *err)
{
    file *f = v->file;
    if (!f || v->finder || !f->sections[FER_SECTION_INDEX].len) return FER_OK;
    fer_err why = {0};
    fer_code code = f->by_number ? FER_OK : number_tools(f, err);
    if (code) return code;
    code = fer_finder_open(f->sections[FER_SECTION_INDEX], store, &v->finder, &why);
    if (!code || code == FER_OUT_OF_MEMORY) {
        if (code && err) *err = why;
        return code;
    }
    return fer_fail(err, FER_INVALID_CATALOG, "its search index cannot be used: %s; build it anew",
                    why.message);
}

/* The row of a tool's vector; NULL: it has none that is of any use. */
static const int8_t *vector_of(const file *f, const struct fer_file_row *r, bool same)
{
    const fer_vector_section *s = &f->vectors;
    bool has = same && r->vector < s->count && s->sums[r->vector] == r->content;
    return has ? fer_vector_section_row(s, r->vector) : NULL;
}

/* From the last number down, so that there is room for all of them at once. */
fer_code fer_catalog_file_load_vectors(fer_view *v, fer_err *err)
{
    const file *f = v->file;
    fer_vector_store *store = v->finder ? fer_finder_store(v->finder) : NULL;
    if (!f || !store) return FER_OK;
    bool same =
        f->vectors.count && fer_embedding_id_same(&f->vectors.id, fer_vector_store_id(store));
    for (uint32_t number = f->numbers; number-- > 0;) {
        if (f->by_number[number] == FER_NO_NUMBER) continue;
        const int8_t *row = vector_of(f, &f->rows[f->by_number[number]], same);
        fer_code code = row ? fer_vector_store_fill(store, number, row, err) : FER_OK;
        if (!code && !row && !fer_vector_store_want(store, number))
            code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
        if (code) return code;
    }
    return FER_OK;
}

fer_code fer_catalog_file_verify(const file *f, fer_err *err)
{
    static const char *const names[] = {"search index", "vectors", "list of events"};
    for (size_t i = 0; f && i < FER_SECTIONS; i++) {
        if (fer_checksum(f->sections[i].ptr, f->sections[i].len) != f->checks[i])
            return fer_fail(err, FER_INVALID_CATALOG,
                            "the catalogue's file is damaged: its %s: not what was written; build "
                            "it anew",
                            names[i]);
    }
    return FER_OK;
}

static fer_code open_bytes(file *f, fer_view *v, fer_err *err)
{
    struct opening o = {.file = f, .view = v};
    fer_code code = check_header(f, &o.head, err);
    if (!code) code = check_head(f, &o.head, err);
    if (code) return code;
    size_t rows = 0;
    for (size_t g = 0; g < FER_FILE_GROUPS; g++) rows += (size_t)o.head.counts[g];
    o.rows = (const struct fer_file_row *)(const void *)(f->bytes + sizeof o.head);
    o.keys = (fer_str){(const char *)(o.rows + rows), (size_t)o.head.keys_size};
    o.blocks = sizeof o.head + rows * sizeof *o.rows + o.head.keys_size;
    if (!is_ascii(o.keys)) return broken(err, "an ID is none");
    code = check_all_rows(&o, err);
    if (code) return code;
    bool ok = alloc_values(&o) && plant(&o);
    fer_sys_free(o.list);
    if (!ok) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    v->version = o.head.version;
    v->stamp = o.head.stamp;
    memcpy(v->key, o.head.key, sizeof v->key);
    uint64_t tools = o.head.counts[FER_FILE_TOOLS];
    if (o.head.numbers > fer_file_numbers_max(tools)) return broken(err, "its numbers are wrong");
    f->rows = o.rows;
    f->tools = (uint32_t)tools;
    f->numbers = v->next_number = (uint32_t)o.head.numbers;
    return place_sections(&o, err);
}

/* The view gets the file whatever comes of it: what was built of it is dropped before. */
static fer_code open_file(file *f, bool search, fer_view *v, fer_err *err)
{
    v->file = f;
    fer_code code = open_bytes(f, v, err);
    return !code && search ? fer_catalog_file_index(v, NULL, err) : code;
}

static file *new_file(void)
{
    file *f = fer_sys_malloc(sizeof *f);
    if (!f) return NULL;
    memset(f, 0, sizeof *f);
    atomic_init(&f->refs, 1);
    return f;
}

fer_code fer_catalog_file_view(const void *bytes, size_t size, bool search, fer_view *v,
                               fer_err *err)
{
    file *f = new_file();
    if (!f) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    f->bytes = bytes;
    f->size = size;
    return open_file(f, search, v, err);
}

static fer_code map_file(file *f, const char *path, fer_err *err)
{
    struct stat st;
    int fd;
    do {
        fd = fer_sys_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0); /* no pipe's other end */
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) return fer_fail(err, FER_IO_ERROR, "cannot open %s: %s", path, strerror(errno));
    fer_code code = FER_OK;
    if (fer_sys_fstat(fd, &st) != 0)
        code = fer_fail(err, FER_IO_ERROR, "cannot look at %s: %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        code = fer_fail(err, FER_INVALID_CATALOG, "%s is not a file", path);
    else if ((size_t)st.st_size < sizeof(struct fer_file_head))
        code = fer_fail(err, FER_INVALID_CATALOG, "%s: not a catalogue: it is too short", path);
    if (!code) {
        f->size = (size_t)st.st_size;
        f->mapped = fer_sys_map(fd, f->size);
        if (!f->mapped)
            code = fer_fail(err, FER_IO_ERROR, "cannot map %s: %s", path, strerror(errno));
        f->bytes = f->mapped;
    }
    fer_sys_close(fd);
    return code;
}

bool fer_catalog_file_begins(const char *path)
{
    char magic[sizeof((struct fer_file_head *)0)->magic];
    int fd = fer_sys_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
    bool whole = fd >= 0 && fer_sys_read(fd, magic, sizeof magic) == (ssize_t)sizeof magic;
    if (fd >= 0) fer_sys_close(fd);
    return whole && memcmp(magic, FER_FILE_MAGIC, sizeof magic) == 0;
}

fer_code fer_catalog_file_open(const char *path, fer_view *v, fer_err *err)
{
    file *f = new_file();
    if (!f) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    v->file = f;
    fer_err why = {0};
    fer_code code = map_file(f, path, err);
    if (code) return code;
    code = open_bytes(f, v, &why);
    if (code) fer_fail(err, code, "%s: %s", path, why.message);
    return code;
}
