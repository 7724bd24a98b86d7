/* SPDX-License-Identifier: Apache-2.0 */
#include "wording.h"

/* ---- quotes ------------------------------------------------------------------- */

/* The end of what is quoted from `at` on, or `at` where nothing is. */
static size_t quoted_end(fer_str s, size_t at)
{
    char c = s.ptr[at];
    if (c != '"' && c != '`' && c != '\'') return at;
    if (c == '\'' && at > 0 && (fer_is_alpha(s.ptr[at - 1]) || fer_is_digit(s.ptr[at - 1])))
        return at; /* an apostrophe */
    for (size_t i = at + 1; i < s.len && i - at < 200 && s.ptr[i] != '\n'; i++) {
        if (s.ptr[i] != c) continue;
        bool goes_on = c == '\'' && i + 1 < s.len && fer_is_alpha(s.ptr[i + 1]);
        if (!goes_on) return i;
    }
    return at;
}

static const char marks[] = {'"', '`', '\''};

struct quotes {
    fer_str text;
    size_t next[sizeof marks]; /* of each mark, from where nobody has looked yet; else the end */
    size_t first;              /* of these */
    size_t end;                /* of the last quoted part */
};

/* The marks that stand at `from` or behind it; of those that do already nobody asks again. */
static void find_marks(struct quotes *q, size_t from)
{
    q->first = q->text.len;
    for (size_t i = 0; i < sizeof marks; i++) {
        if (!from || q->next[i] < from) {
            size_t at = fer_str_find(q->text, from, marks[i]);
            q->next[i] = at == SIZE_MAX ? q->text.len : at;
        }
        if (q->next[i] < q->first) q->first = q->next[i];
    }
}

static struct quotes quotes_of(fer_str text)
{
    struct quotes q = {.text = text};
    find_marks(&q, 0);
    return q;
}

/* Whether the byte is inside of quotes; asked of ascending places. */
static inline bool is_quoted(struct quotes *q, size_t place)
{
    while (q->first < place) {
        size_t end = quoted_end(q->text, q->first);
        if (end > q->first) q->end = end;
        find_marks(q, end + 1);
    }
    return place < q->end;
}

/* ---- words ----------------------------------------------------------------------- */

/* A copy with zeros behind it, up to a multiple of FER_TOKEN_KEY. `s` has them too, if short. */
static fer_str keep(fer_wording *r, fer_str s)
{
    char *to = r->pool + r->kept;
    size_t room = (s.len + FER_TOKEN_KEY - 1) / FER_TOKEN_KEY * FER_TOKEN_KEY;
    if (room > FER_WORDING_KEPT - r->kept) return FER_STR_NONE;
    if (s.len <= FER_TOKEN_KEY) {
        memcpy(to, s.ptr, FER_TOKEN_KEY);
    } else {
        memset(to, 0, room);
        memcpy(to, s.ptr, s.len);
    }
    r->kept += room;
    return (fer_str){to, s.len};
}

/* The next word, without its stem. */
static bool add(fer_wording *r, fer_token_reader *reader, struct quotes *quotes)
{
    fer_token token;
    fer_wording_word *w = &r->words[r->count];
    if (!fer_token_next_word(reader, &token)) return false;
    w->word = keep(r, token.word);
    w->start = (uint32_t)token.start;
    w->end = (uint32_t)token.end;
    w->kind = (uint8_t)token.kind;
    w->border = (uint8_t)token.border;
    w->quoted = is_quoted(quotes, token.start);
    if (!w->word.ptr) return false;
    r->count++;
    return true;
}

#define LOT 32 /* words that are read before the stem of the first is looked for */

/* The next words, at most `most` and a lot, as long as they are short and in ASCII; how many. */
static size_t add_many(fer_wording *r, fer_token_reader *reader, struct quotes *quotes, size_t most)
{
    fer_token_key keys[LOT];
    fer_token_spot spots[LOT];
    size_t room = (FER_WORDING_KEPT - r->kept) / FER_TOKEN_KEY;
    if (most > room) most = room;
    size_t count = fer_token_next_spots(reader, keys, spots, most < LOT ? most : LOT);
    for (size_t i = 0; i < count; i++) {
        char *to = r->pool + r->kept + i * FER_TOKEN_KEY;
        memcpy(to, &keys[i], FER_TOKEN_KEY);
        fer_wording_word *w = &r->words[r->count + i];
        w->word = (fer_str){to, spots[i].len};
        w->start = spots[i].start;
        w->end = spots[i].start + spots[i].len;
        w->kind = spots[i].kind;
        w->border = spots[i].border;
        w->quoted = is_quoted(quotes, spots[i].start);
    }
    r->kept += count * FER_TOKEN_KEY;
    r->count += count;
    return count;
}

static bool finish(fer_wording *r, fer_tokeniser *t, fer_wording_word *w)
{
    fer_token token = {.word = w->word, .text = w->word, .kind = (fer_token_kind)w->kind};
    fer_token_finish(t, &token);
    w->text = fer_token_same(w->word, token.text) ? w->word : keep(r, token.text);
    w->use = (uint8_t)token.use;
    w->place = token.place;
    return w->text.ptr != NULL;
}

static inline bool is_kept(const fer_wording_word *w)
{
    return fer_token_is_kept((fer_token_kind)w->kind, w->word.len);
}

/* Nearly all words are short and were met before. */
static inline bool finish_quickly(fer_wording *r, const fer_tokeniser *t, fer_wording_word *w)
{
    fer_token_known known;
    fer_token_key key = fer_token_key_of(w->word), stem;
    if (!is_kept(w) || FER_WORDING_KEPT - r->kept < FER_TOKEN_KEY ||
        !fer_token_recall(t, w->place, &key, &known))
        return false;
    char *to = r->pool + r->kept;
    memcpy(&stem, known.stem, sizeof stem);
    bool same = fer_token_key_eq(&key, &stem);
    memcpy(to, &stem, sizeof stem);
    w->text = (fer_str){same ? w->word.ptr : to, known.len};
    r->kept += same ? 0 : FER_TOKEN_KEY;
    w->use = known.use;
    w->place = known.place;
    return true;
}

/* What is remembered of words is on its way while others are asked for. */
static inline void fetch(const fer_tokeniser *t, fer_wording_word *w)
{
    fer_token_key key = fer_token_key_of(w->word);
    w->place = fer_token_fetch(t, &key);
}

/* Words up to a lot, without their stems. False: there are no more. */
static bool read_lot(fer_wording *r, fer_token_reader *reader, struct quotes *quotes)
{
    size_t end = FER_WORDING_WORDS - r->count < LOT ? FER_WORDING_WORDS : r->count + LOT;
    while (r->count < end) {
        add_many(r, reader, quotes, end - r->count);
        if (reader->at == reader->text.len) return false;
        if (r->count < end && !add(r, reader, quotes)) return false;
    }
    return r->count < FER_WORDING_WORDS;
}

void fer_wording_read(fer_wording *r, fer_tokeniser *t, fer_str text)
{
    fer_token_reader reader;
    size_t done = 0;
    r->text = fer_str_head(text, FER_WORDING_MAX);
    r->count = r->kept = 0;
    struct quotes quotes = quotes_of(r->text);
    fer_token_reader_init(&reader, t, r->text);
    for (bool more = true; more;) {
        more = read_lot(r, &reader, &quotes);
        for (size_t i = done; i < r->count; i++) fetch(t, &r->words[i]);
        while (done < r->count &&
               (finish_quickly(r, t, &r->words[done]) || finish(r, t, &r->words[done])))
            done++;
        more = more && done == r->count;
    }
    r->count = done;
}
