/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What code in a sandbox writes to the gateway, as lines (Z15). What must hold: a line is read or
 * refused with a sentence; what was read carries its values as JSON; the ID fits its answer, which
 * is JSON again and repeats it.
 */
#include "code_lines.h"
#include "fuzz.h"
#include "lines.h"
#include "rpc.h"

static void check_answer(fer_arena *a, const fer_code_line *l)
{
    fer_buf b;
    fer_json *doc;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    if (l->op < FER_OP_PRINT) fer_code_answer(&b, l->id, l->value);
    else fer_code_refuse(&b, l->id, FER_BAD_USAGE, l->text, FER_STR(""));
    HOLDS(!b.failure);
    HOLDS(fer_json_read(a, fer_buf_view(&b), fer_json_limits_file(), &doc, NULL) == FER_OK);
    if (l->id.len)
        HOLDS(fer_str_eq(fer_rpc_bytes(doc, fer_val_get(fer_json_root(doc), "id")), l->id));
}

static bool take(void *context, fer_str line)
{
    fer_arena *a = context;
    fer_code_line l;
    fer_json *doc;
    fer_err err = {0};
    fer_code code = fer_code_line_read(a, line, &l, &err);
    HOLDS(!code || err.message[0]);
    HOLDS(l.id.len <= FER_CODE_ID);
    if (!code) {
        HOLDS(l.op < FER_OPS && (l.op >= FER_OP_PRINT || l.id.len));
        if (l.value.len) HOLDS(fer_json_read(a, l.value, NULL, &doc, NULL) == FER_OK);
        if (l.input.len) HOLDS(fer_json_read(a, l.input, NULL, &doc, NULL) == FER_OK);
        check_answer(a, &l);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fer_arena_new(0);
    fer_line_split l;
    fer_line_split_init(&l, 4096);
    if (a) {
        fer_line_split_feed(&l, fuzz_text(data, size), take, a);
        fer_line_split_end(&l, take, a);
    }
    fer_line_split_deinit(&l);
    fer_arena_free(a);
    return 0;
}
