/* SPDX-License-Identifier: Apache-2.0 */
/* What Accept fields take. */
#include "accept.h"
#include "rows.h"

#define JSON "application/json"

static const struct row {
    const char *name;
    const char *fields[2];
    bool taken;
} rows[] = {
    {"the type", {JSON}, true},
    {"in other letters", {"Application/JSON"}, true},
    {"one of two", {"text/event-stream, application/json"}, true},
    {"in a second field", {"text/html", JSON}, true},
    {"with a charset", {"application/json; charset=utf-8"}, true},
    {"with blanks", {" \t application/json \t ;q=0.5 , x/y"}, true},
    {"all", {"*/*"}, true},
    {"all of its kind", {"application/*"}, true},
    {"all of another kind", {"text/*"}, false},
    {"another", {"text/html"}, false},
    {"one that begins so", {"application/jsonl"}, false},
    {"one that ends so", {"x-application/json"}, false},
    {"one that has it in a parameter", {"text/html;as=application/json"}, false},
    {"none", {""}, false},
    {"commas", {",,,"}, false},
    {"a weight of 0", {"application/json;q=0"}, false},
    {"a weight of 0.000", {"application/json; Q=0.000"}, false},
    {"a weight of 0.001", {"application/json; q=0.001"}, true},
    {"a weight of 1", {"application/json;q=1"}, true},
    {"a weight that is none", {"application/json;q="}, true},
    {"a weight of another", {"text/html;q=0, application/json"}, true},
    {"all but this", {"*/*, application/json;q=0"}, false},
    {"this alone", {"application/json, */*;q=0"}, true},
    {"all but its kind", {"*/*;q=1", "application/*;q=0"}, false},
    {"of its kind this alone", {"application/*;q=0, application/json"}, true},
    {"both yes and no", {"application/json;q=0", JSON}, true},
    {"a lone star", {"*"}, false},
    {"a star too many", {"application/**"}, false},
};

static void run(const struct row *row)
{
    fer_accept known = {0};
    for (size_t k = 0; k < 2 && row->fields[k]; k++)
        fer_accept_read(&known, fer_str_of(row->fields[k]), FER_STR(JSON));
    assert_int_equal(known.taken, row->taken);
}

int main(void)
{
    return ROWS_RUN("accept", rows, run);
}
