/* SPDX-License-Identifier: Apache-2.0 */
/* What a ledger promises while nothing fails: K01, K02, K10-K14, K19, K20, F60, F62, F66, and
 * limits. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "desk.h"
#include "ledger_limits.h"
#include "ledger_line.h"

static void basic(void)
{
    struct desk d = {0};
    desk_folder(d.folder);
    fer_ledger_options o = desk_options(d.folder);
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    assert_int_equal(d.recovery.epoch, 1);
    assert_int_equal(desk_begin(&d, "acme", "c1", "Pure"), FER_OK);
    assert_int_equal(desk_end(&d, "acme", "c1", "Ok"), FER_OK);
    assert_int_equal(desk_close(&d), FER_OK);
    fer_verify_report r = desk_verify(a, d.folder, NULL);
    for (size_t i = 0; i < r.told; i++)
        print_message("%s %s\n", fer_flaw_names[r.flaws[i].kind], r.flaws[i].message.ptr);
    assert_int_equal(r.flaw_count, 0);
    assert_int_equal(r.records, 5);
    assert_int_equal(r.checkpoints, 1);
    fer_arena_free(a);
    desk_remove(d.folder);
}

int main(void)
{
    return ROWS_ONE("ledger", basic);
}
