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

struct quotes {
    fer_str text;
    size_t at, end; /* what was looked at; the end of the last quoted part */
};

static struct quotes quotes_of(fer_str text)
{
    static const char marks[] = {'"', '`', '\''};
    bool any = false;
    for (size_t i = 0; i < FER_COUNT(marks); i++)
        any = any || (text.len && memchr(text.ptr, marks[i], text.len));
    return (struct quotes){text, any ? 0 : text.len, 0};
}

/* Whether the byte is inside of quotes; asked of ascending places. */
static bool is_quoted(struct quotes *q, size_t place)
{
    for (; q->at < place; q->at++) {
        size_t end = quoted_end(q->text, q->at);
        if (end > q->at) q->at = q->end = end;
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

/* The word without its stem. */
static bool add(fer_wording *r, const fer_token *token, struct quotes *quotes)
{
    fer_wording_word *w = &r->words[r->count];
    w->word = keep(r, token->word);
    w->start = (uint32_t)token->start;
    w->end = (uint32_t)token->end;
    w->kind = (uint8_t)token->kind;
    w->border = (uint8_t)token->border;
    w->quoted = is_quoted(quotes, token->start);
    if (!w->word.ptr) return false;
    r->count++;
    return true;
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

static inline bool is_short(const fer_wording_word *w)
{
    return (w->kind == FER_TOKEN_WORD) & (w->word.len <= FER_TOKEN_KEY);
}

/* Nearly all words are short and were met before. */
static inline bool finish_quickly(fer_wording *r, const fer_tokeniser *t, fer_wording_word *w)
{
    fer_token_known known;
    fer_token_key key = fer_token_key_of(w->word), stem;
    if (!is_short(w) || FER_WORDING_KEPT - r->kept < FER_TOKEN_KEY ||
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

static inline void fetch(const fer_tokeniser *t, fer_wording_word *w)
{
    fer_token_key key = fer_token_key_of(w->word);
    w->place = is_short(w) ? fer_token_fetch(t, &key) : 0;
}

#define LOT 32 /* words that are read before the stem of the first is looked for */

/* What is remembered of a word is on its way while others are read. */
void fer_wording_read(fer_wording *r, fer_tokeniser *t, fer_str text)
{
    fer_token_reader reader;
    fer_token token;
    size_t done = 0;
    r->text = fer_str_head(text, FER_WORDING_MAX);
    r->count = r->kept = 0;
    struct quotes quotes = quotes_of(r->text);
    fer_token_reader_init(&reader, t, r->text);
    for (bool more = true; more;) {
        while (more && r->count - done < LOT) {
            more = r->count < FER_WORDING_WORDS && fer_token_next_word(&reader, &token) &&
                   add(r, &token, &quotes);
            if (more) fetch(t, &r->words[r->count - 1]);
        }
        while (done < r->count &&
               (finish_quickly(r, t, &r->words[done]) || finish(r, t, &r->words[done])))
            done++;
        more = more && done == r->count;
    }
    r->count = done;
}
