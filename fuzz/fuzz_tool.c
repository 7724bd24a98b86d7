/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tool definitions; the first byte chooses the format: j JSON, l JSON Lines, y YAML,
 * anything else by the text. What must hold:
 *  - every finding has a rule, a message and a place within the text, and its pointer
 *    leads to a value of the document;
 *  - each tool has a definition hash and can be written;
 *  - reading tool by tool accepts nothing that reading the whole would refuse;
 *  - formatting what was formatted changes nothing, and formatting changes no tool:
 *    the same hashes come out of the formatted text.
 */
#include <ferrule/contract.h>

#include "format.h"
#include "fuzz.h"
#include "toolset.h"

/* YAML's aliases may expand to megabytes: within the limits, but slow. fuzz_yaml takes them all. */
#define MAX_ALIASES 6

static fer_format format_of(uint8_t byte)
{
    switch (byte) {
    case 'j': return FER_FORMAT_JSON;
    case 'l': return FER_FORMAT_JSON_LINES;
    case 'y': return FER_FORMAT_YAML;
    default: return FER_FORMAT_AUTO;
    }
}

static bool has_many_aliases(fer_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) count += text.ptr[i] == '*';
    return count > MAX_ALIASES;
}

/* ---- findings ---------------------------------------------------------------------------------
 */

static void check_finding(fer_str text, const fer_finding *f)
{
    HOLDS(f->rule && f->rule->id[0] && f->rule->text[0]);
    HOLDS(f->message.len > 0 && f->number > 0);
    HOLDS(f->place.line > 0 && f->place.column > 0);
    HOLDS(f->place.offset <= text.len && f->length <= text.len - f->place.offset);
    HOLDS(f->tool_pointer.len <= f->pointer.len);
    HOLDS(
        fer_str_eq(f->tool_pointer, fer_str_slice(f->pointer, f->pointer.len - f->tool_pointer.len,
                                                  f->pointer.len)));
}

struct visit {
    fer_str text;
    const fer_json *whole; /* NULL: there is no document as a whole */
    bool in_order;         /* places grow with the values; not so in YAML, for its aliases */
    size_t tools;
    size_t failures;
    size_t last_number;
};

/* A finding is about the value that its pointer leads to, about that value's key, or below it. */
static void check_pointer(const struct visit *v, const fer_finding *f)
{
    const yyjson_val *root = v->whole->vals, *at = fer_json_at(root, f->pointer, NULL);
    HOLDS(at);
    if (!v->in_order) return;
    const yyjson_val *last = fer_val_next(at) - 1;
    HOLDS(f->place.offset >= fer_json_offset(v->whole, at > root ? at - 1 : at));
    HOLDS(f->place.offset <= fer_json_offset(v->whole, last));
}

static fer_code on_visit(void *context, const fer_visited *visited, fer_err *err)
{
    struct visit *v = context;
    const fer_finding *findings;
    if (visited->failure) {
        HOLDS(!visited->tool && !visited->finding_count);
        HOLDS(visited->failure->code && visited->failure->message[0]);
        HOLDS(visited->failure->offset <= v->text.len);
        v->failures++;
        return FER_OK;
    }
    v->tools += visited->tool != NULL;
    HOLDS(visited->item->number > v->last_number);
    v->last_number = visited->item->number;
    fer_code code = fer_visited_findings(visited, &findings, err);
    if (code) return code;
    for (size_t i = 0; i < visited->finding_count; i++) {
        check_finding(v->text, &findings[i]);
        HOLDS(findings[i].number == visited->item->number);
        if (v->whole) check_pointer(v, &findings[i]);
    }
    return FER_OK;
}

/* A byte order mark at the start of a later line: no JSON text begins so there. */
static bool has_late_mark(fer_str text)
{
    return text.len && memmem(text.ptr, text.len, "\n\xEF\xBB\xBF", 4);
}

/* The document as a whole, where there is one and it can be read. */
static fer_json *read_whole(fer_arena *a, fer_str text, fer_format format, fer_code *code)
{
    fer_json *doc = NULL;
    *code = FER_OK;
    if (format == FER_FORMAT_JSON_LINES) return NULL;
    *code = format == FER_FORMAT_YAML ? fer_yaml_read(a, text, fer_json_limits_file(), &doc, NULL)
                                      : fer_json_read(a, text, fer_json_limits_file(), &doc, NULL);
    if (*code == FER_OK) HOLDS(fer_json_index(a, doc, NULL) == FER_OK);
    return doc;
}

/* As `ferrule check` reads: one by one, going on behind entries that cannot be read. */
static void check_visit(fer_arena *a, fer_str text, fer_format format)
{
    fer_reader r;
    fer_check_run run;
    fer_err err = {0};
    fer_code whole_code;
    struct visit v = {.text = text, .in_order = format != FER_FORMAT_YAML};
    v.whole = read_whole(a, text, format, &whole_code);
    HOLDS(fer_check_run_init(&run, a, NULL));
    fer_code code = fer_reader_init(&r, NULL, FER_STR("fuzz"), text, format, &err);
    if (!code) {
        code = fer_visit(&r, FER_STR("fuzz"), &run, on_visit, &v, &err);
        fer_reader_deinit(&r);
    }
    fer_check_run_deinit(&run);
    if (code) HOLDS(err.code == code && err.message[0]);
    /* Entries are counted from their own top, so depth alone may be seen differently. */
    bool refused = whole_code && whole_code != FER_LIMIT_EXCEEDED;
    if (refused) HOLDS(code || v.failures);
    if (format == FER_FORMAT_JSON_LINES && has_late_mark(text)) HOLDS(code || v.failures);
}

/* ---- sets --------------------------------------------------------------------------------------
 */

struct hashes {
    fer_code code;
    size_t count;
    char (*list)[FER_HASH_TEXT];
};

static void check_tool(fer_arena *a, const fer_tool *t, char hash[FER_HASH_TEXT])
{
    fer_str written;
    fer_json *doc;
    fer_err err;
    size_t count;
    HOLDS(fer_tool_definition_hash(a, t, hash, &err) == FER_OK && strlen(hash) == 64);
    HOLDS(fer_tool_write(a, t, false, &written, &err) == FER_OK);
    HOLDS(fer_json_read(a, written, fer_json_limits_file(), &doc, &err) == FER_OK);
    HOLDS(fer_tool_source(t) && fer_tool_shape(t)[0]);
    fer_tool_backends(t, &count);
    fer_tool_tags(t, &count);
    HOLDS(count <= FER_TAGS_MAX);
    HOLDS(fer_effect_name(fer_tool_effect(t))[0]);
    HOLDS(fer_idempotency_name(fer_tool_idempotency(t))[0]);
}

static struct hashes check_set(fer_arena *a, fer_str text, fer_format format)
{
    fer_err err = {0};
    size_t findings;
    fer_toolset *set = fer_toolset_new();
    HOLDS(set);
    struct hashes h = {.code = fer_toolset_add(set, FER_STR("fuzz"), text, format, &err)};
    if (h.code) HOLDS(err.code == h.code && err.message[0]);
    h.count = fer_toolset_count(set);
    h.list = fer_arena_alloc_zero(a, h.count + 1, sizeof *h.list);
    HOLDS(h.list);
    for (size_t i = 0; i < h.count; i++) check_tool(a, fer_toolset_get(set, i), h.list[i]);
    const fer_finding *list = fer_toolset_findings(set, &findings);
    for (size_t i = 0; i < findings; i++) check_finding(text, &list[i]);
    fer_toolset_free(set);
    return h;
}

static void check_format(fer_arena *a, fer_str text, fer_format format, const struct hashes *before)
{
    fer_str once, twice;
    fer_err err = {0};
    fer_format read_as, again;
    fer_code code = fer_format_definitions(a, FER_STR("fuzz"), text, format, &read_as, &once, &err);
    if (code) {
        HOLDS(err.code == code && err.message[0]);
        return;
    }
    format = read_as == FER_FORMAT_JSON_LINES ? FER_FORMAT_JSON_LINES : FER_FORMAT_JSON;
    code = fer_format_definitions(a, FER_STR("fuzz"), once, format, &again, &twice, &err);
    HOLDS(code == FER_OK && fer_str_eq(once, twice));
    struct hashes after = check_set(a, once, format);
    /* Which failure comes first, and how many tools before it, depends on the notation. */
    HOLDS(!after.code == !before->code);
    if (after.code) return;
    HOLDS(after.count == before->count);
    for (size_t i = 0; i < after.count; i++) HOLDS(strcmp(after.list[i], before->list[i]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    fer_str text = fuzz_text(data + 1, size - 1);
    fer_format format = fer_format_detect(FER_STR("fuzz"), text, format_of(data[0]));
    if (format == FER_FORMAT_YAML && has_many_aliases(text)) return 0;
    fer_arena *a = fuzz_arena();
    check_visit(a, text, format);
    struct hashes before = check_set(a, text, format);
    check_format(a, text, format, &before);
    fer_arena_free(a);
    return 0;
}
