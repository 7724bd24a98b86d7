/* SPDX-License-Identifier: Apache-2.0 */
/* Whose containers are removed: those of gateways that were here and are gone, and no others. */
#include <unistd.h>

#include "buf.h"
#include "container_sweep.h"
#include "rows.h"

/* Marks are made of this process's own: "%b" its boot, "%n" its namespace, "%p" its number, "%s"
 * its start. */
static const struct row {
    const char *name;
    const char *mark;
    bool dead;
    const char *faults; /* while it is asked; NULL: none */
} rows[] = {
    {"this process", "%b.%n.%p.%s", false},
    {"an earlier one of the same number", "%b.%n.%p.1", true},
    {"one that is not there", "%b.%n.4194305.5", true},
    {"this process, at another time", "%b.%n.%p.99999999999", true},
    {"this process, and no descriptor is left", "%b.%n.%p.%s", false, "open:EMFILE@1+"},
    {"this process, which /proc hides", "%b.%n.%p.%s", false, "open:ENOENT@1+"},
    {"this process, which cannot be read", "%b.%n.%p.%s", false, "read:EIO@1+"},
    {"this process, which may not be asked", "%b.%n.%p.%s", false, "kill:EACCES@1+"},
    {"an earlier one of the same number, which cannot be told", "%b.%n.%p.1", false,
     "open:EMFILE@1+"},
    {"one that is not there, and no descriptor is left", "%b.%n.4194305.5", true, "open:EMFILE@1+"},
    {"another boot", "00000000-0000-0000-0000-000000000000.%n.4194305.5", false},
    {"another namespace", "%b.1.4194305.5", false},
    {"no number", "%b.%n.x.5", false},
    {"no start", "%b.%n.4194305", false},
    {"a start that is no number", "%b.%n.4194305.x", false},
    {"all processes of a group", "%b.%n.0.5", false},
    {"a number that no process has", "%b.%n.4294967295.5", false},
    {"nothing behind its place", "%b.%n.", false},
    {"nothing", "", false},
    {"something else", "yes", false},
};

/* The parts of a mark: BOOT.NAMESPACE.PID.START. */
static void add_part(fer_buf *b, fer_str mark, int which)
{
    size_t from = 0;
    for (int i = 0; i < which; i++) from = fer_str_find(mark, from, '.') + 1;
    size_t to = fer_str_find(mark, from, '.');
    fer_buf_add(b, fer_str_slice(mark, from, to == SIZE_MAX ? mark.len : to));
}

static fer_str made(fer_arena *a, const char *pattern)
{
    static const char letters[] = "bnps";
    fer_str own = fer_sweep_mark(a);
    fer_buf b;
    assert_true(own.len > 0);
    fer_buf_init(&b, a, 4096);
    for (const char *p = pattern; *p; p++) {
        if (*p == '%') add_part(&b, own, (int)(strchr(letters, *++p) - letters));
        else fer_buf_add_char(&b, *p);
    }
    return fer_buf_view(&b);
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str place = fer_sweep_place(a), mark = made(a, row->mark);
    assert_true(fer_faults_begin(row->faults));
    bool dead = fer_sweep_is_dead(place, mark);
    fer_faults_begin(NULL);
    assert_int_equal(dead, row->dead);
    fer_arena_free(a);
}

/* A list with so many containers of dead gateways, whose programs have `size` bytes each, and two
 * of this one. */
static fer_str list_of(fer_arena *a, size_t dead, size_t size)
{
    fer_str own = made(a, "%b.%n.%p.%s"), other = made(a, "%b.%n.4194305.5");
    fer_buf b;
    fer_buf_init(&b, a, FER_SWEEP_LIST);
    fer_buf_add_text(&b, "[{}, 1, {\"Id\":\"a\",\"Labels\":null}");
    for (size_t i = 0; i < dead + 2; i++) {
        fer_buf_printf(&b, ",{\"Id\":\"%c%zu\",\"Command\":[\"", i < 2 ? 'o' : 'd', i);
        fer_buf_add_repeat(&b, 'x', size);
        fer_buf_printf(&b,
                       "\"],\"Labels\":{\"ferrule\":\"code\",\"" FER_SWEEP_LABEL "\":\"%.*s\"}}",
                       FER_PRI(i < 2 ? own : other));
    }
    fer_buf_add_char(&b, ']');
    assert_int_equal(b.failure, FER_OK);
    return fer_buf_view(&b);
}

/* How many of them are found with the memory that a sweep has: for the list as it comes, too. */
static size_t found_in(fer_str list)
{
    fer_arena *a = fer_arena_new(FER_SWEEP_MEMORY);
    fer_str *ids;
    size_t count = 99;
    fer_err err = {0};
    fer_buf body;
    fer_buf_init(&body, a, FER_SWEEP_LIST);
    for (size_t at = 0; at < list.len; at += 16384) {
        fer_str rest = fer_str_slice(list, at, list.len);
        fer_buf_add(&body, fer_str_head(rest, rest.len < 16384 ? rest.len : 16384));
    }
    assert_int_equal(body.failure, FER_OK);
    if (fer_sweep_find(a, fer_buf_view(&body), &ids, &count, &err)) fail_msg("%s", err.message);
    for (size_t i = 0; i < count; i++) assert_int_equal(ids[i].ptr[0], 'd');
    fer_arena_free(a);
    return count;
}

static void lists(void)
{
    static const struct {
        size_t dead, size;
    } sizes[] = {{0, 0}, {1, 0}, {3, 0}, {FER_SWEEP_MAX, 0}, {FER_SWEEP_MAX + 1, 0}, {1000, 16000}};
    for (size_t i = 0; i < FER_COUNT(sizes); i++) {
        fer_arena *a = fer_arena_new(0);
        size_t want = sizes[i].dead < FER_SWEEP_MAX ? sizes[i].dead : FER_SWEEP_MAX;
        assert_int_equal(found_in(list_of(a, sizes[i].dead, sizes[i].size)), want);
        fer_arena_free(a);
    }
    fer_arena *a = fer_arena_new(0);
    fer_str *ids;
    size_t count;
    assert_int_not_equal(fer_sweep_find(a, FER_STR("[{"), &ids, &count, NULL), FER_OK);
    assert_int_equal(fer_sweep_find(a, FER_STR("{\"message\":\"no\"}"), &ids, &count, NULL),
                     FER_OK);
    assert_int_equal(count, 0);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("gateways", rows, run) + ROWS_ONE("lists of containers", lists);
}
