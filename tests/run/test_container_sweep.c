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
} rows[] = {
    {"this process", "%b.%n.%p.%s", false},
    {"an earlier one of the same number", "%b.%n.%p.1", true},
    {"one that is not there", "%b.%n.4194305.5", true},
    {"the first process, at another time", "%b.%n.1.99999999999", true},
    {"another boot", "00000000-0000-0000-0000-000000000000.%n.4194305.5", false},
    {"another namespace", "%b.1.4194305.5", false},
    {"no number", "%b.%n.x.5", false},
    {"no start", "%b.%n.4194305", false},
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
    assert_int_equal(fer_sweep_is_dead(a, made(a, row->mark)), row->dead);
    fer_arena_free(a);
}

static size_t find(fer_arena *a, size_t dead, size_t others)
{
    fer_str *ids;
    size_t count = 99;
    fer_buf b;
    fer_buf_init(&b, a, (size_t)1 << 20);
    fer_buf_add_text(&b, "[{}, 1, {\"Id\":\"a\",\"Labels\":null}");
    for (size_t i = 0; i < others; i++)
        fer_buf_printf(&b,
                       ",{\"Id\":\"o\",\"Labels\":{\"ferrule\":\"code\",\"" FER_SWEEP_LABEL
                       "\":\"%.*s\"}}",
                       FER_PRI(made(a, "%b.%n.%p.%s")));
    for (size_t i = 0; i < dead; i++)
        fer_buf_printf(&b, ",{\"Id\":\"d%zu\",\"Labels\":{\"" FER_SWEEP_LABEL "\":\"%.*s\"}}", i,
                       FER_PRI(made(a, "%b.%n.4194305.5")));
    fer_buf_add_char(&b, ']');
    assert_int_equal(fer_sweep_find(a, fer_buf_view(&b), &ids, &count, NULL), FER_OK);
    for (size_t i = 0; i < count; i++) assert_int_equal(ids[i].ptr[0], 'd');
    return count;
}

static void lists(void)
{
    static const size_t counts[] = {0, 1, 3, FER_SWEEP_MAX, FER_SWEEP_MAX + 1};
    for (size_t i = 0; i < FER_COUNT(counts); i++) {
        fer_arena *a = fer_arena_new(0);
        size_t want = counts[i] < FER_SWEEP_MAX ? counts[i] : FER_SWEEP_MAX;
        assert_int_equal(find(a, counts[i], 2), want);
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
