/* SPDX-License-Identifier: Apache-2.0 */
#include "top_view.h"

#include <stdlib.h>

#include "json_value.h"

#define ROWS_MAX 1000 /* backends that are shown */
#define SPARK    20   /* cells of the curve of a row */
#define LATE_US  1000000

const char *const fer_top_sort_names[FER_TOP_SORTS] = {"name", "calls", "errors", "p99"};

/* A line that is being written: what does not fit is left out. */
typedef struct line {
    fer_out *out;
    unsigned left; /* cells */
} line;

typedef struct drawing {
    fer_out *out;
    const fer_top_scene *scene;
    unsigned lines; /* that may still be drawn; UINT_MAX: any */
} drawing;

/* ---- values -----------------------------------------------------------------------------------
 */

static uint64_t number(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    return v && fer_val_tag(v) == FER_TAG_UINT ? v->uni.u64 : 0;
}

static fer_str text(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

/* Of the last `seconds` entries of a list of counts. */
static uint64_t sum_of(const yyjson_val *object, const char *key, size_t seconds)
{
    const yyjson_val *list = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    uint64_t sum = 0;
    size_t at = 0, count = fer_is_arr(list) ? fer_val_len(list) : 0;
    if (!count) return 0;
    FER_EACH_ITEM (list, item)
        if (at++ + seconds >= count && fer_val_tag(item) == FER_TAG_UINT) sum += item->uni.u64;
    return sum;
}

/* Three digits and a unit. */
static void write_time(char out[16], uint64_t us)
{
    if (!us) snprintf(out, 16, "-");
    else if (us < 1000) snprintf(out, 16, "%uus", (unsigned)us);
    else if (us < 10000) snprintf(out, 16, "%.1fms", (double)us / 1e3);
    else if (us < LATE_US) snprintf(out, 16, "%ums", (unsigned)(us / 1000));
    else snprintf(out, 16, "%.1fs", (double)us / 1e6);
}

static void write_count(char out[16], uint64_t n)
{
    if (n < 100000) snprintf(out, 16, "%u", (unsigned)n);
    else if (n < 10000000) snprintf(out, 16, "%uk", (unsigned)(n / 1000));
    else snprintf(out, 16, "%uM", (unsigned)(n / 1000000));
}

static void write_span(char out[24], uint64_t ms)
{
    unsigned long long s = ms / 1000;
    if (s < 60) snprintf(out, 24, "%llus", s);
    else if (s < 3600) snprintf(out, 24, "%llum%02llus", s / 60, s % 60);
    else if (s < 86400) snprintf(out, 24, "%lluh%02llum", s / 3600, s / 60 % 60);
    else snprintf(out, 24, "%llud%02lluh", s / 86400, s / 3600 % 24);
}

/* ---- lines ------------------------------------------------------------------------------------
 */

/* A cell of `width`, cut or filled up; 0: as wide as it is. What servers say is cleaned. */
static void put(line *l, fer_str s, unsigned width, bool right)
{
    unsigned len = (unsigned)(s.len < 500 ? s.len : 500), room = width ? width : len;
    if (room > l->left) room = l->left;
    if (len > room) len = room;
    unsigned pad = width ? room - len : 0;
    if (right) fer_out_printf(l->out, "%*s", (int)pad, "");
    fer_out_clean(l->out, fer_str_head(s, len));
    if (!right) fer_out_printf(l->out, "%*s", (int)pad, "");
    l->left -= room;
}

static void say(line *l, const char *words)
{
    put(l, fer_str_of(words), 0, false);
}

static void styled(line *l, enum fer_style style, fer_str s, unsigned width, bool right)
{
    fer_out_style(l->out, style);
    put(l, s, width, right);
    if (style) fer_out_style(l->out, FER_STYLE_NONE);
}

/* A live screen keeps its last line for the keys. */
static bool has_room(const drawing *d)
{
    return d->lines > (d->scene->live ? 1 : 0);
}

/* A line without room is as narrow as can be, and never ends: nothing of it is seen. */
static line begin(const drawing *d)
{
    return (line){d->out, has_room(d) ? d->scene->width : 0};
}

static void end(drawing *d)
{
    if (!has_room(d)) return;
    fer_out_text(d->out, d->scene->live ? "\033[K\r\n" : "\n");
    if (d->lines != UINT_MAX) d->lines--;
}

static void blank(drawing *d)
{
    end(d);
}

/* The last `cells` counts of a list as a curve, the highest of them as high as it goes. */
static void put_curve(line *l, const fer_top_scene *s, const yyjson_val *object, const char *key,
                      unsigned cells)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char plain[] = "_.:-=+*#";
    const yyjson_val *list = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    size_t count = fer_is_arr(list) ? fer_val_len(list) : 0, at = 0;
    uint64_t most = 1;
    if (cells > l->left) cells = l->left;
    if (!count) return;
    FER_EACH_ITEM (list, item)
        if (at++ + cells >= count && item->uni.u64 > most) most = item->uni.u64;
    at = 0;
    FER_EACH_ITEM (list, item) {
        if (at++ + cells < count) continue;
        size_t high = (size_t)((item->uni.u64 * 7 + most - 1) / most);
        if (s->utf8) fer_out_text(l->out, blocks[high]);
        else fer_out_printf(l->out, "%c", plain[high]);
        l->left--;
    }
}

/* ---- the head ---------------------------------------------------------------------------------
 */

static void draw_first(drawing *d)
{
    const yyjson_val *st = d->scene->state;
    line l = begin(d);
    char up[24];
    write_span(up, number(st, "uptimeMs"));
    styled(&l, FER_STYLE_BOLD, FER_STR("ferrule "), 0, false);
    put(&l, text(st, "version"), 0, false);
    say(&l, "  ");
    bool ready = fer_str_is(text(st, "state"), "ready");
    styled(&l, ready ? FER_STYLE_NONE : FER_STYLE_YELLOW, text(st, "state"), 0, false);
    fer_str ledger = text(st, "ledger");
    if (ledger.len && !fer_str_is(ledger, "good")) {
        styled(&l, FER_STYLE_RED, FER_STR("  ledger "), 0, false);
        styled(&l, FER_STYLE_RED, ledger, 0, false);
    }
    say(&l, "  up ");
    say(&l, up);
    char rest[160];
    const yyjson_val *mcp = fer_is_obj(st) ? fer_val_get(st, "mcp") : NULL;
    const yyjson_val *http = fer_is_obj(st) ? fer_val_get(st, "http") : NULL;
    snprintf(rest, sizeof rest, "  memory %llu MB  clients %llu  connections %llu  denials %llu",
             (unsigned long long)(number(st, "rssBytes") / 1000000),
             (unsigned long long)number(mcp, "clients"),
             (unsigned long long)number(http, "connections"),
             (unsigned long long)number(st, "denials"));
    say(&l, rest);
    if (d->scene->paused) styled(&l, FER_STYLE_YELLOW, FER_STR("  paused"), 0, false);
    end(d);
}

static void draw_second(drawing *d)
{
    const yyjson_val *st = d->scene->state;
    line l = begin(d);
    char words[200], p50[16], p99[16];
    uint64_t calls = number(st, "calls"), errors = number(st, "errors");
    write_time(p50, number(st, "p50Us"));
    write_time(p99, number(st, "p99Us"));
    snprintf(words, sizeof words, "calls %llu (%.1f/s)  under way %llu  p50 %s  p99 %s  ",
             (unsigned long long)calls, (double)sum_of(st, "callsPerSecond", 10) / 10,
             (unsigned long long)number(st, "running"), p50, p99);
    say(&l, words);
    snprintf(words, sizeof words, "errors %llu (%.1f %%)", (unsigned long long)errors,
             calls ? 100.0 * (double)errors / (double)calls : 0.0);
    bool fresh = sum_of(st, "errorsPerSecond", 59) > 0;
    styled(&l, fresh ? FER_STYLE_RED : FER_STYLE_NONE, fer_str_of(words), 0, false);
    end(d);
}

static void draw_curves(drawing *d)
{
    static const struct {
        const char *name, *key;
        enum fer_style style;
    } rows[] = {{"calls/s   ", "callsPerSecond", FER_STYLE_BLUE},
                {"errors/s  ", "errorsPerSecond", FER_STYLE_RED}};
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        line l = begin(d);
        say(&l, rows[i].name);
        fer_out_style(d->out, rows[i].style);
        put_curve(&l, d->scene, d->scene->state, rows[i].key, 59);
        fer_out_style(d->out, FER_STYLE_NONE);
        end(d);
    }
}

/* ---- backends ---------------------------------------------------------------------------------
 */

typedef struct backend {
    const yyjson_val *json;
    uint64_t key;
} backend;

static int compare(const void *x, const void *y)
{
    const backend *a = x, *b = y;
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    return fer_str_cmp(text(a->json, "name"), text(b->json, "name"));
}

static uint64_t key_of(const yyjson_val *b, fer_top_sort sort)
{
    switch (sort) {
    case FER_TOP_BY_CALLS: return sum_of(b, "callsPerSecond", 59);
    case FER_TOP_BY_ERRORS: return sum_of(b, "errorsPerSecond", 59);
    case FER_TOP_BY_P99: return number(b, "p99Us");
    default: return 0;
    }
}

static const yyjson_val *list_of(const yyjson_val *root, const char *key)
{
    const yyjson_val *list = fer_is_obj(root) ? fer_val_get(root, key) : NULL;
    return fer_is_arr(list) ? list : NULL;
}

size_t fer_top_count(const fer_top_scene *s)
{
    const yyjson_val *list = list_of(s->backends, "backends");
    size_t count = list ? fer_val_len(list) : 0;
    return count < ROWS_MAX ? count : ROWS_MAX;
}

static size_t sorted(const fer_top_scene *s, backend out[ROWS_MAX])
{
    const yyjson_val *list = list_of(s->backends, "backends");
    size_t n = 0;
    if (!list) return 0;
    FER_EACH_ITEM (list, item)
        if (n < ROWS_MAX) out[n++] = (backend){item, key_of(item, s->sort)};
    qsort(out, n, sizeof *out, compare);
    return n;
}

static const struct column {
    const char *head;
    unsigned width;
    bool right;
    bool spare; /* left out where not all fit, so that the others do in 80 */
} columns[] = {
    {"BACKEND", 20, false, false}, {"STATE", 9, false, false}, {"CIRCUIT", 10, false, false},
    {"TOOLS", 6, true, true},      {"RUN", 5, true, true},     {"CALLS", 8, true, false},
    {"/MIN", 7, true, false},      {"ERR", 7, true, false},    {"P50", 8, true, false},
    {"P99", 8, true, false},       {"RESTARTS", 9, true, true}};
#define COLUMNS_WIDTH 97 /* of all of them */

static bool is_drawn(const drawing *d, size_t column)
{
    return !columns[column].spare || d->scene->width >= COLUMNS_WIDTH;
}

static void draw_heads(drawing *d)
{
    line l = begin(d);
    fer_out_style(d->out, FER_STYLE_BOLD);
    for (size_t i = 0; i < FER_COUNT(columns); i++)
        if (is_drawn(d, i))
            put(&l, fer_str_of(columns[i].head), columns[i].width, columns[i].right);
    say(&l, "  LAST 20 S");
    fer_out_style(d->out, FER_STYLE_NONE);
    end(d);
}

static enum fer_style style_of(fer_str state)
{
    if (fer_str_is(state, "down") || fer_str_is(state, "open")) return FER_STYLE_RED;
    if (fer_str_is(state, "starting") || fer_str_is(state, "half-open")) return FER_STYLE_YELLOW;
    return fer_str_is(state, "idle") ? FER_STYLE_DIM : FER_STYLE_NONE;
}

static void draw_backend(drawing *d, const yyjson_val *b, bool chosen)
{
    char cells[FER_COUNT(columns)][16] = {0};
    line l = begin(d);
    write_count(cells[3], number(b, "tools"));
    write_count(cells[4], number(b, "running"));
    write_count(cells[5], number(b, "calls"));
    write_count(cells[6], sum_of(b, "callsPerSecond", 59));
    write_count(cells[7], number(b, "errors"));
    write_time(cells[8], number(b, "p50Us"));
    write_time(cells[9], number(b, "p99Us"));
    write_count(cells[10], number(b, "restarts"));
    if (d->scene->live) say(&l, chosen ? "> " : "  ");
    styled(&l, chosen ? FER_STYLE_BOLD : FER_STYLE_NONE, text(b, "name"),
           columns[0].width - (d->scene->live ? 2 : 0), false);
    styled(&l, style_of(text(b, "state")), text(b, "state"), columns[1].width, false);
    styled(&l, style_of(text(b, "circuit")), text(b, "circuit"), columns[2].width, false);
    for (size_t i = 3; i < FER_COUNT(columns); i++)
        if (is_drawn(d, i))
            styled(&l, i == 7 && sum_of(b, "errorsPerSecond", 59) ? FER_STYLE_RED : FER_STYLE_NONE,
                   fer_str_of(cells[i]), columns[i].width, true);
    say(&l, "  ");
    fer_out_style(d->out, FER_STYLE_BLUE);
    put_curve(&l, d->scene, b, "callsPerSecond", SPARK);
    fer_out_style(d->out, FER_STYLE_NONE);
    if (text(b, "lastError").len) {
        say(&l, "  ");
        put(&l, text(b, "lastError"), 0, false);
    }
    end(d);
}

/* The first row that is drawn, so that the chosen one is among them. */
static size_t first_row(const fer_top_scene *s, size_t count, size_t room)
{
    if (s->chosen == SIZE_MAX || s->chosen < room) return 0;
    size_t first = s->chosen - room + 1;
    return first + room <= count ? first : count - room;
}

static const yyjson_val *draw_backends(drawing *d, backend rows[ROWS_MAX], size_t recents)
{
    const fer_top_scene *s = d->scene;
    size_t count = sorted(s, rows), room = count;
    const yyjson_val *chosen = s->chosen < count ? rows[s->chosen].json : NULL;
    if (s->height && room + recents > d->lines) room = d->lines > recents ? d->lines - recents : 1;
    if (room > count) room = count;
    draw_heads(d);
    if (s->only && chosen) {
        draw_backend(d, chosen, true);
        return chosen;
    }
    size_t first = first_row(s, count, room);
    for (size_t i = first; i < first + room; i++) draw_backend(d, rows[i].json, i == s->chosen);
    return chosen;
}

/* ---- calls ------------------------------------------------------------------------------------
 */

static void draw_call(drawing *d, const yyjson_val *c)
{
    char took[16];
    line l = begin(d);
    fer_str at = text(c, "at"), code = text(c, "code"), tool = text(c, "tool");
    write_time(took, number(c, "tookUs"));
    put(&l, at.len > 19 ? fer_str_slice(at, 11, 19) : at, 10, false);
    put(&l, tool.len ? tool : FER_STR("(unknown)"), 40, false);
    put(&l, fer_str_of(took), 8, true);
    say(&l, "  ");
    styled(&l, fer_str_is(code, "Ok") ? FER_STYLE_NONE : FER_STYLE_RED, code, 24, false);
    put(&l, text(c, "origin"), 8, false);
    put(&l, text(c, "tenant"), 0, false);
    end(d);
}

static void draw_calls(drawing *d, const yyjson_val *only)
{
    const yyjson_val *list = list_of(d->scene->recent, "calls");
    fer_str name = only && d->scene->only ? text(only, "name") : FER_STR("");
    unsigned most = d->scene->height ? UINT_MAX : 10;
    if (!list || d->lines < 3) return;
    blank(d);
    line l = begin(d);
    styled(&l, FER_STYLE_BOLD, FER_STR("LAST CALLS"), 0, false);
    end(d);
    FER_EACH_ITEM (list, c) {
        if (d->lines < 2 || !most) break;
        if (name.len && !fer_str_eq(name, text(c, "backend"))) continue;
        draw_call(d, c);
        most--;
    }
}

static void draw_foot(drawing *d)
{
    const fer_top_scene *s = d->scene;
    line l = {d->out, s->width};
    char words[200];
    snprintf(words, sizeof words, "q quit  p pause  s sort (%s)  arrows choose  Enter %s",
             fer_top_sort_names[s->sort], s->only ? "all" : "one alone");
    while (has_room(d) && s->height) blank(d);
    fer_out_style(d->out, FER_STYLE_DIM);
    say(&l, words);
    fer_out_style(d->out, FER_STYLE_NONE);
    fer_out_text(d->out, "\033[K");
}

void fer_top_draw(fer_out *o, const fer_top_scene *s)
{
    static const size_t calls = 8; /* lines that are kept for the last calls, with their head */
    backend rows[ROWS_MAX];
    drawing d = {o, s, s->height ? s->height : UINT_MAX};
    if (s->live) fer_out_text(o, "\033[H");
    if (s->trouble && s->trouble[0]) {
        line l = begin(&d);
        styled(&l, FER_STYLE_RED, fer_str_of(s->trouble), 0, false);
        end(&d);
    }
    if (s->state) {
        draw_first(&d);
        draw_second(&d);
        draw_curves(&d);
        blank(&d);
        size_t kept = d.lines / 3 < calls ? d.lines / 3 : calls;
        draw_calls(&d, draw_backends(&d, rows, kept));
    }
    if (s->live) draw_foot(&d);
    if (s->live) fer_out_text(o, "\033[J");
}
