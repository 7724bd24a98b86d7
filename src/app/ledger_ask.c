/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_ask.h"

#include "clock.h"
#include "errors.h"
#include "print.h"
#include "state_folder.h"
#include "unicode.h"

/* ---- time ---------------------------------------------------------------------------------------
 */

bool fer_age_parse(fer_str text, int64_t *out_ms)
{
    static const struct {
        char letter;
        uint64_t ms;
    } units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}, {'w', 604800000}};
    uint64_t n;
    if (text.len < 2 || !fer_parse_u64(fer_str_slice(text, 0, text.len - 1), &n)) return false;
    for (size_t i = 0; i < FER_COUNT(units); i++) {
        if (units[i].letter != text.ptr[text.len - 1] || n > 100000000) continue;
        *out_ms = (int64_t)(n * units[i].ms);
        return true;
    }
    return false;
}

bool fer_moment_parse(fer_str text, int64_t now_ms, int64_t *out_ms)
{
    static const char rest[] = "0000-00-00T00:00:00.000Z";
    char whole[sizeof rest];
    int64_t age;
    if (fer_age_parse(text, &age)) {
        *out_ms = age < now_ms ? now_ms - age : 0;
        return true;
    }
    /* A date, a date with a time, or with milliseconds. */
    if (text.len != 10 && text.len != 20 && text.len != 24) return false;
    memcpy(whole, rest, sizeof rest);
    memcpy(whole, text.ptr, text.len == 20 ? 19 : text.len);
    if (text.len == 20 && text.ptr[19] != 'Z') return false;
    *out_ms = fer_line_wall((fer_str){whole, sizeof rest - 1});
    return *out_ms >= 0;
}

static int read_moment(fer_app *app, const char *name, int64_t *out)
{
    const char *text = fer_app_option(app, name);
    if (!text || fer_moment_parse(fer_str_of(text), fer_clock_wall(), out)) return 0;
    return fer_app_usage(app,
                         "--%s takes a time such as 2026-11-17T08:00:00Z, a date, or how long ago "
                         "(90s, 15m, 2h, 7d), not '%s'",
                         name, text);
}

/* ---- questions ----------------------------------------------------------------------------------
 */

static fer_str option_text(const fer_app *app, const char *name)
{
    return fer_str_of(fer_app_option(app, name));
}

static int read_question(fer_ask_ledger *k, fer_question *q)
{
    fer_app *app = k->app;
    const char *type = fer_app_option(app, "type");
    *q = (fer_question){.tenant = option_text(app, "tenant"),
                        .tool = option_text(app, "tool"),
                        .status = option_text(app, "status"),
                        .correlation = option_text(app, "correlation-id"),
                        .call = option_text(app, "call"),
                        .type = type ? (int)fer_ledger_type_of(fer_str_of(type)) : -1};
    if (q->type == FER_LEDGER_TYPES)
        return fer_app_usage(app, "--type: records have no type '%s'", type);
    int bad = read_moment(app, "since", &q->since_ms);
    return bad ? bad : read_moment(app, "until", &q->until_ms);
}

int fer_ask_ledger_init(fer_ask_ledger *k, fer_app *app)
{
    fer_err err;
    fer_question q;
    fer_ledger_place place;
    *k = (fer_ask_ledger){.app = app};
    k->arena = fer_arena_new(0);
    k->scratch = fer_arena_new(0);
    fer_code code =
        k->arena && k->scratch ? FER_OK : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    int bad = code ? fer_app_fail(app, &err) : read_question(k, &q);
    if (!bad) bad = fer_ledger_find(app, k->arena, &place);
    if (!bad) k->folder = place.folder;
    if (!bad && fer_question_escape(k->arena, &q, &k->question, &err))
        bad = fer_app_fail(app, &err);
    if (!bad && fer_ledger_reader_new(k->folder, &k->reader, &err)) bad = fer_app_fail(app, &err);
    if (bad) fer_ask_ledger_deinit(k);
    return bad;
}

void fer_ask_ledger_deinit(fer_ask_ledger *k)
{
    uint64_t bad = k->reader ? fer_ledger_reader_bad(k->reader) : 0;
    if (bad)
        fer_app_say(k->app, "%llu line%s passed over, as %s hash is wrong: ferrule ledger verify",
                    (unsigned long long)bad, bad == 1 ? " was" : "s were",
                    bad == 1 ? "its" : "their");
    fer_ledger_reader_free(k->reader);
    fer_arena_free(k->arena);
    fer_arena_free(k->scratch);
}

/* ---- showing ------------------------------------------------------------------------------------
 */

void fer_record_json(fer_out *o, fer_str text)
{
    fer_out_add(o, text);
    fer_out_text(o, "\n");
}

/* What is shown of a record, in order. On a terminal each column is so wide, unless its text is
 * wider: lines come one by one. */
enum shown {
    SHOWN_SEQ,
    SHOWN_TIME,
    SHOWN_TYPE,
    SHOWN_TENANT,
    SHOWN_TOOL,
    SHOWN_STATUS,
    SHOWN_CODE,
    SHOWN_CALL,
    SHOWN_MORE
};
static const struct {
    const char *head;
    size_t width;
} shown[] = {{"SEQ", 5},     {"TIME", 24}, {"TYPE", 10}, {"TENANT", 7}, {"TOOL", 24},
             {"STATUS", 12}, {"CODE", 12}, {"CALL", 0},  {"", 0}};

static void column(fer_out *o, enum shown which, fer_str text)
{
    if (!text.len) text = FER_STR("-");
    if (which) fer_out_text(o, o->terminal ? "  " : "\t");
    fer_out_clean(o, text);
    size_t width = fer_utf8_count(text);
    if (o->terminal && width < shown[which].width)
        fer_out_printf(o, "%*s", (int)(shown[which].width - width), "");
}

void fer_records_begin(fer_out *o)
{
    if (!o->terminal) return;
    fer_out_style(o, FER_STYLE_BOLD);
    for (int i = 0; i < SHOWN_MORE; i++) column(o, (enum shown)i, fer_str_of(shown[i].head));
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, "\n");
}

static enum fer_style style_of(const fer_line *l, const fer_facts *f)
{
    if (l->type == FER_LEDGER_DENIED || fer_str_is(f->status, "Unknown")) return FER_STYLE_RED;
    if (f->status.len && !fer_str_is(f->status, "Ok")) return FER_STYLE_YELLOW;
    return l->type == FER_LEDGER_BEGIN || l->type == FER_LEDGER_END ? FER_STYLE_NONE
                                                                    : FER_STYLE_DIM;
}

/* What records of a type say beside what all do, in two columns more. */
static const char *const more[FER_LEDGER_TYPES][2] = {
    [FER_LEDGER_DENIED] = {"rule", "reason"},
    [FER_LEDGER_DEFINITION] = {"as", "verdict"},
    [FER_LEDGER_APPROVAL] = {"what", "as"},
    [FER_LEDGER_CONFIG] = {"as", "sha256"},
};

static void show_more(fer_out *o, fer_arena *a, const fer_line *l)
{
    fer_json *doc;
    if (!more[l->type][0] || fer_json_read(a, l->body, NULL, &doc, NULL)) return;
    for (size_t i = 0; i < FER_COUNT(more[0]); i++) {
        const yyjson_val *v = fer_val_get(fer_json_root(doc), more[l->type][i]);
        column(o, SHOWN_MORE, fer_is_str(v) ? fer_val_str(v) : FER_STR(""));
    }
}

void fer_record_show(fer_out *o, fer_arena *a, const fer_line *l, const fer_facts *f)
{
    char seq[FER_DIGITS];
    column(o, SHOWN_SEQ, (fer_str){seq, fer_print_u64(seq, l->seq)});
    column(o, SHOWN_TIME, l->time);
    fer_out_style(o, style_of(l, f));
    column(o, SHOWN_TYPE, fer_str_of(fer_ledger_type_names[l->type]));
    column(o, SHOWN_TENANT, l->tenant);
    column(o, SHOWN_TOOL, f->tool);
    column(o, SHOWN_STATUS, f->status.len ? f->status : f->effect);
    column(o, SHOWN_CODE, f->code);
    column(o, SHOWN_CALL, f->call);
    show_more(o, a, l);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, "\n");
}

static const char *const heads[] = {"seq",    "time",   "type",          "tenant",
                                    "tool",   "callId", "correlationId", "effect",
                                    "status", "code",   "attempts",      "durationMs"};

/* RFC 4180; a cell that a spreadsheet would take for a formula begins with a quote. */
static void cell(fer_out *o, fer_str text, bool first)
{
    if (!first) fer_out_text(o, ",");
    if (!text.len) return;
    fer_out_text(o, "\"");
    if (fer_str_find(FER_STR("=+-@\t\r"), 0, text.ptr[0]) != SIZE_MAX) fer_out_text(o, "'");
    for (size_t from = 0; from < text.len;) {
        size_t quote = fer_str_find(text, from, '"');
        size_t end = quote == SIZE_MAX ? text.len : quote;
        fer_out_add(o, fer_str_slice(text, from, end));
        if (quote != SIZE_MAX) fer_out_text(o, "\"\"");
        from = quote == SIZE_MAX ? text.len : quote + 1;
    }
    fer_out_text(o, "\"");
}

void fer_record_csv_head(fer_out *o)
{
    for (size_t i = 0; i < FER_COUNT(heads); i++) fer_out_printf(o, "%s%s", i ? "," : "", heads[i]);
    fer_out_text(o, "\r\n");
}

void fer_record_csv(fer_out *o, const fer_line *l, const fer_facts *f)
{
    fer_out_printf(o, "%llu", (unsigned long long)l->seq);
    const fer_str cells[] = {l->time,    fer_str_of(fer_ledger_type_names[l->type]),
                             l->tenant,  f->tool,
                             f->call,    f->correlation,
                             f->effect,  f->status,
                             f->code,    f->attempts,
                             f->duration};
    static_assert(FER_COUNT(cells) + 1 == FER_COUNT(heads), "a cell for each head");
    for (size_t i = 0; i < FER_COUNT(cells); i++) cell(o, cells[i], false);
    fer_out_text(o, "\r\n");
}
