/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a profile in words, for tables and reference pages. */
#include "errors.h"
#include "profile.h"

struct words {
    fer_buf buf;
    bool any;
};

/* Opens a further part: "at most 64; ...". */
static void part(struct words *w, const char *text)
{
    if (w->any) fer_buf_add_text(&w->buf, "; ");
    fer_buf_add_text(&w->buf, text);
    w->any = true;
}

static void number_part(struct words *w, const char *text, uint64_t number)
{
    part(w, text);
    fer_buf_printf(&w->buf, " %llu", (unsigned long long)number);
}

static void list_part(struct words *w, const char *text, const struct fer_words *list)
{
    if (!list->count) return;
    part(w, text);
    for (size_t i = 0; i < list->count; i++) {
        fer_buf_add_text(&w->buf, i ? ", " : " ");
        fer_buf_add(&w->buf, list->list[i]);
    }
}

static void slots_part(struct words *w, const char *text, uint64_t slots,
                       const struct fer_words *others)
{
    bool first = true;
    part(w, text);
    for (; slots; slots &= slots - 1) {
        fer_buf_add_text(&w->buf, first ? " " : ", ");
        fer_buf_add(&w->buf, fer_slot_name((enum fer_slot)__builtin_ctzll(slots)));
        first = false;
    }
    for (size_t i = 0; others && i < others->count; i++) {
        fer_buf_add_text(&w->buf, first ? " " : ", ");
        fer_buf_add(&w->buf, others->list[i]);
        first = false;
    }
}

static void numbers(struct words *w, const struct fer_profile_row *row)
{
    if (row->max != UINT64_MAX) number_part(w, "at most", row->max);
    if (row->advised != UINT64_MAX) number_part(w, "advised at most", row->advised);
    if (row->min) number_part(w, "at least", row->min);
    if (row->from) number_part(w, "counted from", row->from);
    if (row->with_server) part(w, "with the server's name");
    if (!row->has_values) return;
    part(w, "only");
    for (unsigned i = 0; i < 64; i++) {
        if (row->values >> i & 1) fer_buf_printf(&w->buf, " %u", i);
    }
}

static void sets(struct words *w, const struct fer_profile_row *row)
{
    if (row->chars.text.len) {
        part(w, "characters ");
        fer_buf_add(&w->buf, row->chars.text);
    }
    if (row->first.text.len) {
        part(w, "first ");
        fer_buf_add(&w->buf, row->first.text);
    }
    list_part(w, "words", &row->words);
    for (size_t i = 0; row->by_type && i < FER_COUNT(fer_type_names); i++)
        list_part(w, fer_type_names[i], &row->by_type[i]);
    if (row->has_keywords) slots_part(w, "keywords", row->keywords, NULL);
    if (row->has_except) slots_part(w, "except", row->except, &row->except_names);
    if (row->has_root_except) slots_part(w, "at the root except", row->root_except, NULL);
    for (size_t i = 0; i < row->cap_count; i++) {
        part(w, "");
        fer_buf_add(&w->buf, fer_slot_name(row->caps[i].slot));
        fer_buf_printf(&w->buf, " %llu", (unsigned long long)row->caps[i].max);
    }
    for (size_t i = 0; i < row->pair_count; i++) {
        slots_part(w, "not", row->pairs[i][0], NULL);
        slots_part(w, "with", row->pairs[i][1], NULL);
    }
}

static fer_code limit_words(fer_arena *a, const struct fer_profile_row *row, fer_str *out,
                            fer_err *err)
{
    static const char *const scopes[] = {"", "at the root", "the branch itself",
                                         "where no step may be left out"};
    struct words w = {0};
    fer_buf_init(&w.buf, a, (size_t)16 << 10);
    numbers(&w, row);
    sets(&w, row);
    if (row->scope != FER_SCOPE_ALL) part(&w, scopes[row->scope]);
    *out = w.buf.ptr ? fer_buf_view(&w.buf) : FER_STR("");
    return fer_buf_code(&w.buf, err);
}

fer_code fer_profile_demands(fer_arena *a, const fer_profile *p, fer_profile_demand **out,
                             size_t *count, fer_err *err)
{
    fer_profile_demand *list = fer_arena_alloc_zero(a, FER_PR_COUNT, sizeof *list);
    size_t n = 0;
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < FER_PR_COUNT; i++) {
        const struct fer_profile_row *row = &p->rows[i];
        if (!row->on) continue;
        fer_profile_demand *d = &list[n++];
        d->rule = fer_profile_rule_of((enum fer_profile_rule_id)i);
        d->severity = row->severity;
        d->confidence = row->confidence == 'H' ? "high" : row->confidence == 'M' ? "medium" : "low";
        d->provider_text = row->says;
        d->note = row->note;
        fer_code code = limit_words(a, row, &d->limit, err);
        if (code) return code;
    }
    *out = list;
    *count = n;
    return FER_OK;
}
