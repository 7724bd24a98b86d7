/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs: what they print, how they end, and what happens when calls fail. */
#include "child.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *argv[4];
    const char *plan;
    size_t max;
    fer_code code;
    const char *out;
    int status;
} rows[] = {
    {"prints", {"printf", "a b"}, "", 100, FER_OK, "a b", 0},
    {"prints nothing", {"true"}, "", 100, FER_OK, "", 0},
    {"no shell", {"printf", "%s", "$(id);*"}, "", 100, FER_OK, "$(id);*", 0},
    {"fails", {"false"}, "", 100, FER_OK, "", 1},
    {"is not there", {"no-such-program-of-ours"}, "", 100, FER_IO_ERROR, NULL, 0},
    {"prints all it may", {"printf", "abcd"}, "", 4, FER_OK, "abcd", 0},
    {"prints too much", {"printf", "abcde"}, "", 4, FER_LIMIT_EXCEEDED, NULL, 0},
    {"no pipe", {"true"}, "pipe:EMFILE@1", 100, FER_IO_ERROR, NULL, 0},
    {"cannot be started", {"true"}, "spawn:EAGAIN@1", 100, FER_IO_ERROR, NULL, 0},
    {"cannot be read", {"true"}, "read:EIO@1", 100, FER_IO_ERROR, NULL, 0},
    {"reading is interrupted", {"printf", "a"}, "read:EINTR@1", 100, FER_OK, "a", 0},
    {"waiting is interrupted", {"printf", "a"}, "wait:EINTR@1", 100, FER_OK, "a", 0},
};

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str out;
    fer_err err;
    int status = -1;
    assert_true(fer_faults_begin(row->plan));
    fer_code code = fer_child_read(a, row->argv, row->max, &out, &status, &err);
    fer_faults_begin(NULL);
    assert_int_equal(code, row->code);
    if (!code) {
        assert_str(out, row->out);
        assert_int_equal(status, row->status);
    }
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("child", rows, run);
}
