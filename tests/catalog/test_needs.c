/* SPDX-License-Identifier: Apache-2.0 */
/* Requests cut into needs. */
#include "needs.h"

#include "rows.h"

static const struct row {
    const char *request;
    const char *needs; /* joined by | */
} rows[] = {
    {"", ""},
    {"find cheap flights", "find cheap flights"},
    {"Book a table for six people. Find a jazz club nearby.",
     "Book a table for six people|Find a jazz club nearby"},
    {"Book a table for six people\nFind a jazz club nearby",
     "Book a table for six people|Find a jazz club nearby"},
    {"Book a table. Find a jazz club nearby.", "Book a table. Find a jazz club nearby"},
    {"Find a jazz club nearby. Thank you!", "Find a jazz club nearby. Thank you"},
    {"Book a table for six people, find a jazz club nearby",
     "Book a table for six people, find a jazz club nearby"},
    {"Use math.sqrt with 3.5 as argument", "Use math.sqrt with 3.5 as argument"},
    {"aa bb cc. dd ee ff. gg hh ii. jj kk mm. nn oo pp. qq rr ss. tt uu vv. ww xx yy. zz ab ac.",
     "aa bb cc|dd ee ff|gg hh ii|jj kk mm|nn oo pp|qq rr ss|tt uu vv|ww xx yy. zz ab ac"},
};

static void run(const struct row *row)
{
    char text[256] = "";
    size_t len = 0;
    fer_needs n;
    static fer_wording request;
    fer_tokeniser *t = fer_tokeniser_new();
    assert_non_null(t);
    fer_wording_read(&request, t, fer_str_of(row->request));
    fer_needs_cut(&n, &request);
    for (size_t i = 0; i < n.count; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s", i ? "|" : "",
                                FER_PRI(fer_need_text(&request, &n.list[i])));
    assert_string_equal(text, row->needs);
    fer_tokeniser_free(t);
}

int main(void)
{
    return ROWS_RUN("needs", rows, run);
}
