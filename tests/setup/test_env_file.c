/* SPDX-License-Identifier: Apache-2.0 */
/* Files of variables: what each line means, and what is none. */
#include "env_file.h"

#include "buf.h"
#include "errors.h"
#include "rows.h"

static const struct row {
    const char *name, *text, *expected; /* "NAME=value;" each, or the code and message */
} rows[] = {
    {"nothing", "", ""},
    {"pairs", "A=1\nB_2 = two words \r\n", "A=1;B_2=two words;"},
    {"remarks", "# no\n\n  # no\nA=x # no\nB=x#yes\n", "A=x;B=x#yes;"},
    {"export", "export A=1\nexports=2", "A=1;exports=2;"},
    {"single quotes", "A='a\\n # b' # c", "A=a\\n # b;"},
    {"double quotes", "A=\"a\\n\\\"b\\\" \\\\ \\x\"", "A=a\n\"b\" \\ \\x;"},
    {"empty ones", "A=\nB=\"\"\nC=''", "A=;B=;C=;"},
    {"the last one counts", "A=1\nB=2\nA=3", "A=3;B=2;"},
    {"nothing is filled in", "A=$HOME ${B} `id`", "A=$HOME ${B} `id`;"},
    {"a mark of the order of bytes",
     "\xEF\xBB\xBF"
     "A=1",
     "A=1;"},
    {"no pair", "A=1\nB", "InvalidFormat line 2: it is not NAME=value"},
    {"no name", "1A=2", "InvalidFormat line 1: it is not NAME=value"},
    {"an open quote", "A=\"x", "InvalidFormat line 1: a quote is not closed"},
    {"an escaped quote is open", "A=\"x\\\"", "InvalidFormat line 1: a quote is not closed"},
    {"something behind", "A='x' y",
     "InvalidFormat line 1: something follows behind the closing quote"},
};

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *row = context;
    fer_arena *own = a ? a : fer_arena_new(0);
    fer_config_pairs pairs;
    fer_err err = {0};
    fer_buf b;
    char text[1024];
    fer_code code = fer_env_file_read(own, fer_str_of(row->text), &pairs, &err);
    fer_buf_init_fixed(&b, text, sizeof text);
    if (code) fer_buf_printf(&b, "%s %s", fer_code_info(code)->name, err.message);
    for (size_t i = 0; !code && i < pairs.count; i++)
        fer_buf_printf(&b, "%.*s=%.*s;", FER_PRI(pairs.list[i].name),
                       FER_PRI(pairs.list[i].value.text));
    if (!a) fer_arena_free(own);
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) return code;
    assert_str(fer_buf_view(&b), row->expected);
    return FER_OK;
}

static void run(const struct row *row)
{
    assert_int_equal(attempt(NULL, row), FER_OK);
    rows_torture_arena(attempt, row);
}

/* env.variables: a thousand are read, one more is not. */
static void many(void)
{
    for (int extra = 0; extra < 2; extra++) {
        fer_arena *a = fer_arena_new(0);
        fer_config_pairs pairs;
        fer_buf b;
        fer_buf_init(&b, a, 1 << 20);
        for (int i = 0; i < FER_ENV_FILE_MAX + extra; i++) fer_buf_printf(&b, "V%d=1\n", i);
        assert_int_equal(fer_env_file_read(a, fer_buf_view(&b), &pairs, NULL),
                         extra ? FER_LIMIT_EXCEEDED : FER_OK);
        fer_arena_free(a);
    }
}

int main(void)
{
    return ROWS_RUN("env_file", rows, run) + ROWS_ONE("env_file", many);
}
