/* SPDX-License-Identifier: Apache-2.0 */
/* A page of the admin API at its limit (admin.page). */
#include "admin.h"

#include <stdlib.h>
#include <unistd.h>

#include "rows.h"

static char content[FER_ADMIN_MAX];

static void write_most(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    (void)a, (void)scratch, (void)now;
    fer_buf_add(b, (fer_str){content, FER_ADMIN_MAX - 1}); /* and the end of the line */
}
static void write_more(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now)
{
    (void)a, (void)scratch, (void)now;
    fer_buf_add(b, (fer_str){content, FER_ADMIN_MAX});
}

static const struct row {
    fer_admin_page page;
    fer_code code;
} rows[] = {{{"as long as it may be", "", write_most}, FER_OK},
            {{"a byte more", "", write_more}, FER_LIMIT_EXCEEDED}};

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_admin admin = {0};
    fer_str text;
    assert_int_equal(fer_admin_write(&admin, &row->page, a, &text, NULL), row->code);
    if (!row->code) assert_int_equal(text.len, FER_ADMIN_MAX);
    fer_arena_free(a);
}

/* A file is the same by whatever name; one that is not there is none. */
static void marks(void)
{
    char folder[] = "/tmp/ferrule-marks-XXXXXX", plain[64], round[96], command[96];
    char one[FER_ADMIN_MARK], other[FER_ADMIN_MARK], none[FER_ADMIN_MARK];
    assert_non_null(mkdtemp(folder));
    snprintf(plain, sizeof plain, "%s/a", folder);
    snprintf(round, sizeof round, "%s/../%s/a", folder, strrchr(folder, '/') + 1);
    snprintf(command, sizeof command, "touch %s", plain);
    assert_int_equal(system(command), 0);
    fer_admin_mark_file(fer_str_of(plain), one);
    fer_admin_mark_file(fer_str_of(round), other);
    fer_admin_mark_file(FER_STR("/nowhere/a"), none);
    assert_string_equal(one, other);
    assert_string_not_equal(one, none);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    memset(content, 'x', sizeof content);
    return ROWS_RUN("admin.page", rows, run) + ROWS_ONE("admin", marks);
}
