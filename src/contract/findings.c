/* SPDX-License-Identifier: Apache-2.0 */
#include "findings.h"

#include <stdlib.h>

#include "errors.h"
#include "profile.h"

static const struct fer_profile_row *row_of(const fer_drafts *d, const struct fer_draft *draft,
                                            size_t profile)
{
    return &d->plan->profiles[profile]->rows[draft->profile_rule];
}

static fer_severity severity_of(const fer_drafts *d, const struct fer_draft *draft, size_t profile)
{
    return draft->graded ? draft->finding.severity : row_of(d, draft, profile)->severity;
}

void fer_drafts_count(const fer_drafts *d, size_t by_severity[FER_SEVERITY_OFF])
{
    size_t counts[FER_SEVERITY_OFF + 1] = {0};
    for (size_t i = 0; i < d->count; i++) {
        const struct fer_draft *draft = &d->list[i];
        if (!draft->profiles) counts[draft->finding.severity]++;
        FER_EACH_PROFILE(draft->profiles, p) counts[severity_of(d, draft, p)]++;
    }
    memcpy(by_severity, counts, FER_SEVERITY_OFF * sizeof *counts);
}

/* ---- the order ------------------------------------------------------------------------------ */

/* One finding to be. */
struct entry {
    size_t offset; /* of its value in the document */
    const struct fer_draft *draft;
    const fer_profile *profile; /* NULL: no profile demands it */
};

/* By place, those of one place by rule and profile, and what is the same then as it was found. */
static int by_place(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    const fer_rule *one = a->draft->finding.rule, *other = b->draft->finding.rule;
    int order = one == other ? 0 : strcmp(one->id, other->id);
    if (!order && a->profile != b->profile)
        order = fer_str_cmp(a->profile ? a->profile->name : FER_STR(""),
                            b->profile ? b->profile->name : FER_STR(""));
    return order ? order : a->draft < b->draft ? -1 : a->draft > b->draft;
}

static size_t gather(const fer_drafts *d, const fer_json *doc, struct entry *list)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++) {
        const struct fer_draft *draft = &d->list[i];
        size_t offset = fer_json_offset(doc, draft->at);
        if (!draft->profiles && draft->finding.severity != FER_SEVERITY_OFF)
            list[count++] = (struct entry){offset, draft, NULL};
        FER_EACH_PROFILE(draft->profiles, p)
        {
            if (severity_of(d, draft, p) != FER_SEVERITY_OFF)
                list[count++] = (struct entry){offset, draft, d->plan->profiles[p]};
        }
    }
    return count;
}

/* ---- findings ------------------------------------------------------------------------------- */

/* What several say of one value shares its place and its pointer. */
static bool is_same_place(const struct fer_draft *x, const struct fer_draft *y)
{
    return x == y || (x->at == y->at && x->finding.tool_pointer.ptr == y->finding.tool_pointer.ptr);
}

static void place_like(fer_finding *f, const fer_finding *before)
{
    f->source = before->source;
    f->tool = before->tool;
    f->number = before->number;
    f->place = before->place;
    f->length = before->length;
    f->pointer = before->pointer;
}

static void fill(fer_finding *f, const struct entry *e)
{
    *f = e->draft->finding;
    if (!e->profile) return;
    const struct fer_profile_row *row = &e->profile->rows[e->draft->profile_rule];
    if (!e->draft->graded) f->severity = row->severity;
    f->profile = e->profile->name;
    f->provider_text = row->says;
}

fer_code fer_drafts_finish(const fer_drafts *d, fer_reader *r, const fer_item *item, fer_str source,
                           fer_str tool, size_t count, const fer_finding **out, fer_err *err)
{
    fer_arena *a = fer_reader_arena(r);
    fer_code code = fer_json_index(a, item->doc, err);
    struct entry *entries = code ? NULL : fer_arena_alloc(a, count * sizeof *entries + 1);
    fer_finding *list = entries ? fer_arena_alloc(a, count * sizeof *list + 1) : NULL;
    if (!list) return code ? code : fer_arena_failed(a, err);
    gather(d, item->doc, entries);
    qsort(entries, count, sizeof *entries, by_place);
    for (size_t i = 0; i < count && !code; i++) {
        fill(&list[i], &entries[i]);
        if (i && is_same_place(entries[i - 1].draft, entries[i].draft))
            place_like(&list[i], &list[i - 1]);
        else code = fer_reader_place(r, item, source, tool, entries[i].offset, &list[i], err);
    }
    if (!code) *out = list;
    return code;
}
