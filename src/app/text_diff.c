/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splices that touch the same lines make one block: some whole lines, and what they become.
 * Blocks that are near each other share a hunk.
 */
#include "text_diff.h"

#include "buf.h"

#define CONTEXT 3 /* lines around a change */

/* Whole lines of a text: bytes, and how many lines come before them. */
struct lines {
    fer_str text;
    size_t first; /* 0-based */
    size_t count;
};

struct block {
    struct lines old;
    fer_str new;
    size_t new_count;
};

struct differ {
    fer_arena *arena;
    fer_out *out;
    fer_str text;
    struct block *blocks;
    size_t count, cap;
};

static size_t line_start(fer_str text, size_t at)
{
    while (at > 0 && text.ptr[at - 1] != '\n') at--;
    return at;
}

/* Behind the line that `at` is in. */
static size_t line_end(fer_str text, size_t at)
{
    size_t end = fer_str_find(text, at, '\n');
    return end == SIZE_MAX ? text.len : end + 1;
}

static size_t count_lines(fer_str s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.len; i = line_end(s, i)) count++;
    return count;
}

static fer_str first_line(fer_str s)
{
    return fer_str_slice(s, 0, line_end(s, 0));
}

static fer_str last_line(fer_str s)
{
    return fer_str_slice(s, line_start(s, s.len - 1), s.len);
}

/* Lines that both begin or end with did not change. */
static void trim(struct block *b)
{
    while (b->old.text.len &&
           b->new.len &&fer_str_eq(first_line(b->old.text), first_line(b->new))) {
        size_t len = first_line(b->new).len;
        b->old.text = fer_str_slice(b->old.text, len, b->old.text.len);
        b->new = fer_str_slice(b->new, len, b->new.len);
        b->old.first++;
    }
    while (b->old.text.len && b->new.len &&fer_str_eq(last_line(b->old.text), last_line(b->new))) {
        size_t len = last_line(b->new).len;
        b->old.text = fer_str_slice(b->old.text, 0, b->old.text.len - len);
        b->new = fer_str_slice(b->new, 0, b->new.len - len);
    }
    b->old.count = count_lines(b->old.text);
    b->new_count = count_lines(b->new);
}

/* The block of the splices from *next on that share lines with the first of them. */
static bool take_block(struct differ *d, const fer_splices *s, size_t *next, size_t *line,
                       size_t *counted)
{
    const fer_splice *first = &s->list[*next];
    size_t start = line_start(d->text, first->from), end = start, at = start;
    fer_buf b;
    fer_buf_init(&b, d->arena, SIZE_MAX / 2);
    for (bool more = true; more; (*next)++) {
        const fer_splice *p = &s->list[*next];
        fer_buf_add(&b, fer_str_slice(d->text, at, p->from));
        fer_buf_add(&b, p->text);
        at = p->to;
        if (line_end(d->text, at) > end) end = line_end(d->text, at);
        more = *next + 1 < s->count && s->list[*next + 1].from < end;
    }
    fer_buf_add(&b, fer_str_slice(d->text, at, end));
    struct block *blocks = fer_arena_room(d->arena, d->blocks, d->count, &d->cap, sizeof *blocks);
    if (b.failure || !blocks) return false;
    *line += count_lines(fer_str_slice(d->text, *counted, start));
    *counted = start;
    d->blocks = blocks;
    blocks[d->count] =
        (struct block){.old = {.text = fer_str_slice(d->text, start, end), .first = *line},
                       .new = fer_buf_view(&b)};
    trim(&blocks[d->count]);
    d->count += blocks[d->count].old.count || blocks[d->count].new_count;
    return true;
}

static void put_lines(fer_out *o, char sign, enum fer_style style, fer_str s)
{
    for (size_t i = 0; i < s.len;) {
        size_t end = line_end(s, i);
        bool ended = s.ptr[end - 1] == '\n';
        fer_out_style(o, style);
        fer_out_printf(o, "%c", sign);
        fer_out_clean(o, fer_str_slice(s, i, ended ? end - 1 : end));
        fer_out_style(o, FER_STYLE_NONE);
        fer_out_text(o, ended ? "\n" : "\n\\ No newline at end of file\n");
        i = end;
    }
}

/* So many lines before and behind a place. */
static fer_str lines_before(fer_str text, size_t at, size_t count)
{
    size_t from = at;
    for (; count && from > 0; count--) from = line_start(text, from - 1);
    return fer_str_slice(text, from, at);
}

static fer_str lines_behind(fer_str text, size_t at, size_t count)
{
    size_t to = at;
    for (; count && to < text.len; count--) to = line_end(text, to);
    return fer_str_slice(text, at, to);
}

static size_t block_start(const struct differ *d, const struct block *b)
{
    return (size_t)(b->old.text.ptr - d->text.ptr);
}

static size_t block_end(const struct differ *d, const struct block *b)
{
    return block_start(d, b) + b->old.text.len;
}

/* Blocks from `first` to `last` with their context; `shift` says how far lines have moved so far.
 */
static ptrdiff_t put_hunk(struct differ *d, size_t first, size_t last, ptrdiff_t shift)
{
    const struct block *blocks = d->blocks;
    fer_str head = lines_before(d->text, block_start(d, &blocks[first]), CONTEXT);
    fer_str tail = lines_behind(d->text, block_end(d, &blocks[last]), CONTEXT);
    size_t from = blocks[first].old.first - count_lines(head);
    size_t old = blocks[last].old.first + blocks[last].old.count + count_lines(tail) - from;
    ptrdiff_t grown = 0;
    for (size_t i = first; i <= last; i++) {
        grown += (ptrdiff_t)blocks[i].new_count - (ptrdiff_t)blocks[i].old.count;
    }
    fer_out_style(d->out, FER_STYLE_BLUE);
    fer_out_printf(d->out, "@@ -%zu,%zu +%td,%td @@", from + (old > 0), old,
                   (ptrdiff_t)(from + (old > 0)) + shift, (ptrdiff_t)old + grown);
    fer_out_style(d->out, FER_STYLE_NONE);
    fer_out_text(d->out, "\n");
    put_lines(d->out, ' ', FER_STYLE_NONE, head);
    for (size_t i = first; i <= last; i++) {
        put_lines(d->out, '-', FER_STYLE_RED, blocks[i].old.text);
        put_lines(d->out, '+', FER_STYLE_BLUE, blocks[i].new);
        if (i == last) break;
        put_lines(d->out, ' ', FER_STYLE_NONE,
                  fer_str_slice(d->text, block_end(d, &blocks[i]), block_start(d, &blocks[i + 1])));
    }
    put_lines(d->out, ' ', FER_STYLE_NONE, tail);
    return shift + grown;
}

static bool is_near(const struct block *a, const struct block *b)
{
    return b->old.first - (a->old.first + a->old.count) <= (size_t)2 * CONTEXT;
}

static void put_name(fer_out *o, const char *lead, fer_str name)
{
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_text(o, lead);
    fer_out_clean(o, name);
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, "\n");
}

bool fer_text_diff(fer_arena *a, fer_out *out, fer_str name, fer_str text,
                   const fer_splices *splices)
{
    struct differ d = {.arena = a, .out = out, .text = text};
    size_t line = 0, counted = 0;
    for (size_t next = 0; next < splices->count;) {
        if (!take_block(&d, splices, &next, &line, &counted)) return false;
    }
    if (!d.count) return true;
    put_name(out, "--- ", name);
    put_name(out, "+++ ", name);
    ptrdiff_t shift = 0;
    for (size_t first = 0, last; first < d.count; first = last + 1) {
        last = first;
        while (last + 1 < d.count && is_near(&d.blocks[last], &d.blocks[last + 1])) last++;
        shift = put_hunk(&d, first, last, shift);
    }
    return true;
}
