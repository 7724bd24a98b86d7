/* SPDX-License-Identifier: Apache-2.0 */
#include "lexicon.h"

#include "lexicon_index.h"

/* In order of the words. */
static const struct {
    const char *word;
    unsigned subjects;
} words[] = {
    {"above", FER_ABOUT_LEAST},
    {"absent", FER_ABOUT_NULL},
    {"accepted", FER_ABOUT_CHOICE},
    {"accepts", FER_ABOUT_CHOICE},
    {"acting", FER_ABOUT_CALLER},
    {"all", FER_ABOUT_ALL},
    {"allowed", FER_ABOUT_CHOICE},
    {"authenticated", FER_ABOUT_CALLER},
    {"before", FER_ABOUT_BEFORE},
    {"below", FER_ABOUT_MOST},
    {"blank", FER_ABOUT_NULL},
    {"blockchain", FER_ABOUT_COIN},
    {"bps", FER_ABOUT_UNIT},
    {"bypass", FER_ABOUT_ORDERS},
    {"byte", FER_ABOUT_UNIT},
    {"bytes", FER_ABOUT_UNIT},
    {"caller", FER_ABOUT_CALLER},
    {"calling", FER_ABOUT_CALLER},
    {"cap", FER_ABOUT_MOST},
    {"capped", FER_ABOUT_MOST},
    {"celsius", FER_ABOUT_UNIT},
    {"cents", FER_ABOUT_UNIT},
    {"character", FER_ABOUT_UNIT},
    {"characters", FER_ABOUT_UNIT},
    {"chars", FER_ABOUT_UNIT},
    {"choice", FER_ABOUT_CHOICE},
    {"choices", FER_ABOUT_CHOICE},
    {"clear", FER_ABOUT_NULL},
    {"clears", FER_ABOUT_NULL},
    {"cm", FER_ABOUT_UNIT},
    {"coin", FER_ABOUT_COIN},
    {"complete", FER_ABOUT_ALL},
    {"continuation", FER_ABOUT_COIN},
    {"contract", FER_ABOUT_COIN},
    {"critical", FER_ABOUT_ORDERS},
    {"crucial", FER_ABOUT_ORDERS},
    {"crypto", FER_ABOUT_COIN},
    {"cryptocurrency", FER_ABOUT_COIN},
    {"csrf", FER_ABOUT_COIN},
    {"currency", FER_ABOUT_UNIT},
    {"current", FER_ABOUT_CALLER},
    {"cursor", FER_ABOUT_COIN},
    {"cypher", FER_ABOUT_QUERY},
    {"day", FER_ABOUT_UNIT},
    {"days", FER_ABOUT_UNIT},
    {"default", FER_ABOUT_DEFAULT},
    {"defaults", FER_ABOUT_DEFAULT},
    {"degree", FER_ABOUT_UNIT},
    {"degrees", FER_ABOUT_UNIT},
    {"delta", FER_ABOUT_COIN},
    {"disregard", FER_ABOUT_ORDERS},
    {"dollars", FER_ABOUT_UNIT},
    {"eg", FER_ABOUT_EXAMPLE},
    {"either", FER_ABOUT_CHOICE},
    {"emits", FER_ABOUT_RETURN},
    {"empty", FER_ABOUT_NULL},
    {"entire", FER_ABOUT_ALL},
    {"erc", FER_ABOUT_COIN},
    {"erc20", FER_ABOUT_COIN},
    {"eur", FER_ABOUT_UNIT},
    {"every", FER_ABOUT_ALL},
    {"example", FER_ABOUT_EXAMPLE},
    {"examples", FER_ABOUT_EXAMPLE},
    {"fahrenheit", FER_ABOUT_UNIT},
    {"fixme", FER_ABOUT_PLACEHOLDER},
    {"format", FER_ABOUT_EXAMPLE},
    {"fps", FER_ABOUT_UNIT},
    {"g", FER_ABOUT_EXAMPLE},
    {"gb", FER_ABOUT_UNIT},
    {"gib", FER_ABOUT_UNIT},
    {"gigabytes", FER_ABOUT_UNIT},
    {"gives", FER_ABOUT_RETURN},
    {"gram", FER_ABOUT_UNIT},
    {"grams", FER_ABOUT_UNIT},
    {"graphql", FER_ABOUT_QUERY},
    {"guid", FER_ABOUT_ID},
    {"gwei", FER_ABOUT_UNIT},
    {"hidden", FER_ABOUT_ORDERS},
    {"hour", FER_ABOUT_UNIT},
    {"hours", FER_ABOUT_UNIT},
    {"hql", FER_ABOUT_QUERY},
    {"hz", FER_ABOUT_UNIT},
    {"id", FER_ABOUT_ID},
    {"idempotency", FER_ABOUT_COIN},
    {"identifier", FER_ABOUT_ID},
    {"identifiers", FER_ABOUT_ID},
    {"ids", FER_ABOUT_ID},
    {"ignore", FER_ABOUT_ORDERS},
    {"important", FER_ABOUT_ORDERS},
    {"inches", FER_ABOUT_UNIT},
    {"inform", FER_ABOUT_ORDERS},
    {"item", FER_ABOUT_UNIT},
    {"items", FER_ABOUT_UNIT},
    {"json", FER_ABOUT_JSON},
    {"kb", FER_ABOUT_UNIT},
    {"kelvin", FER_ABOUT_UNIT},
    {"kg", FER_ABOUT_UNIT},
    {"kib", FER_ABOUT_UNIT},
    {"kilobytes", FER_ABOUT_UNIT},
    {"kilometers", FER_ABOUT_UNIT},
    {"kilometres", FER_ABOUT_UNIT},
    {"km", FER_ABOUT_UNIT},
    {"kql", FER_ABOUT_QUERY},
    {"least", FER_ABOUT_LEAST},
    {"lexer", FER_ABOUT_COIN},
    {"like", FER_ABOUT_EXAMPLE},
    {"logged", FER_ABOUT_CALLER},
    {"lorem", FER_ABOUT_PLACEHOLDER},
    {"m", FER_ABOUT_UNIT},
    {"max", FER_ABOUT_MOST},
    {"maximum", FER_ABOUT_MOST},
    {"mb", FER_ABOUT_UNIT},
    {"megabytes", FER_ABOUT_UNIT},
    {"mention", FER_ABOUT_ORDERS},
    {"meter", FER_ABOUT_UNIT},
    {"meters", FER_ABOUT_UNIT},
    {"metre", FER_ABOUT_UNIT},
    {"metres", FER_ABOUT_UNIT},
    {"mib", FER_ABOUT_UNIT},
    {"mile", FER_ABOUT_UNIT},
    {"miles", FER_ABOUT_UNIT},
    {"millisecond", FER_ABOUT_UNIT},
    {"milliseconds", FER_ABOUT_UNIT},
    {"min", FER_ABOUT_LEAST},
    {"minimum", FER_ABOUT_LEAST},
    {"mins", FER_ABOUT_UNIT},
    {"mint", FER_ABOUT_COIN},
    {"minute", FER_ABOUT_UNIT},
    {"minutes", FER_ABOUT_UNIT},
    {"missing", FER_ABOUT_NULL},
    {"mm", FER_ABOUT_UNIT},
    {"mongodb", FER_ABOUT_QUERY},
    {"month", FER_ABOUT_UNIT},
    {"months", FER_ABOUT_UNIT},
    {"most", FER_ABOUT_MOST},
    {"ms", FER_ABOUT_UNIT},
    {"my", FER_ABOUT_CALLER},
    {"mysql", FER_ABOUT_QUERY},
    {"never", FER_ABOUT_NULL},
    {"next", FER_ABOUT_COIN},
    {"nft", FER_ABOUT_COIN},
    {"nil", FER_ABOUT_NULL},
    {"none", FER_ABOUT_NULL},
    {"nothing", FER_ABOUT_NULL},
    {"null", FER_ABOUT_NULL},
    {"omit", FER_ABOUT_NULL},
    {"omitted", FER_ABOUT_NULL},
    {"omitting", FER_ABOUT_NULL},
    {"one", FER_ABOUT_CHOICE},
    {"opaque", FER_ABOUT_COIN},
    {"optional", FER_ABOUT_NULL},
    {"options", FER_ABOUT_CHOICE},
    {"output", FER_ABOUT_RETURN},
    {"outputs", FER_ABOUT_RETURN},
    {"override", FER_ABOUT_ORDERS},
    {"page", FER_ABOUT_COIN},
    {"pagination", FER_ABOUT_COIN},
    {"paging", FER_ABOUT_COIN},
    {"percent", FER_ABOUT_UNIT},
    {"percentage", FER_ABOUT_UNIT},
    {"permitted", FER_ABOUT_CHOICE},
    {"pixel", FER_ABOUT_UNIT},
    {"pixels", FER_ABOUT_UNIT},
    {"placeholder", FER_ABOUT_PLACEHOLDER},
    {"points", FER_ABOUT_UNIT},
    {"possible", FER_ABOUT_CHOICE},
    {"postgres", FER_ABOUT_QUERY},
    {"postgresql", FER_ABOUT_QUERY},
    {"pound", FER_ABOUT_UNIT},
    {"pounds", FER_ABOUT_UNIT},
    {"produces", FER_ABOUT_RETURN},
    {"promql", FER_ABOUT_QUERY},
    {"px", FER_ABOUT_UNIT},
    {"remove", FER_ABOUT_NULL},
    {"removes", FER_ABOUT_NULL},
    {"requester", FER_ABOUT_CALLER},
    {"responds", FER_ABOUT_RETURN},
    {"response", FER_ABOUT_RETURN},
    {"responses", FER_ABOUT_RETURN},
    {"result", FER_ABOUT_RETURN},
    {"results", FER_ABOUT_RETURN},
    {"return", FER_ABOUT_RETURN},
    {"returned", FER_ABOUT_RETURN},
    {"returning", FER_ABOUT_RETURN},
    {"returns", FER_ABOUT_RETURN},
    {"reveal", FER_ABOUT_ORDERS},
    {"sample", FER_ABOUT_EXAMPLE},
    {"satoshi", FER_ABOUT_UNIT},
    {"sec", FER_ABOUT_UNIT},
    {"second", FER_ABOUT_UNIT},
    {"seconds", FER_ABOUT_UNIT},
    {"secret", FER_ABOUT_ORDERS},
    {"secretly", FER_ABOUT_ORDERS},
    {"secs", FER_ABOUT_UNIT},
    {"serialised", FER_ABOUT_JSON},
    {"serialized", FER_ABOUT_JSON},
    {"soql", FER_ABOUT_QUERY},
    {"sparql", FER_ABOUT_QUERY},
    {"sql", FER_ABOUT_QUERY},
    {"sqlite", FER_ABOUT_QUERY},
    {"stringified", FER_ABOUT_JSON},
    {"such", FER_ABOUT_EXAMPLE},
    {"supported", FER_ABOUT_CHOICE},
    {"symbol", FER_ABOUT_COIN},
    {"sync", FER_ABOUT_COIN},
    {"syntax", FER_ABOUT_COIN},
    {"tbd", FER_ABOUT_PLACEHOLDER},
    {"tell", FER_ABOUT_ORDERS},
    {"telling", FER_ABOUT_ORDERS},
    {"todo", FER_ABOUT_PLACEHOLDER},
    {"token", FER_ABOUT_UNIT},
    {"tokens", FER_ABOUT_UNIT},
    {"unassigned", FER_ABOUT_NULL},
    {"undefined", FER_ABOUT_NULL},
    {"unknown", FER_ABOUT_NULL},
    {"unless", FER_ABOUT_NULL},
    {"unset", FER_ABOUT_NULL},
    {"unspecified", FER_ABOUT_NULL},
    {"up", FER_ABOUT_MOST},
    {"upto", FER_ABOUT_MOST},
    {"urgent", FER_ABOUT_ORDERS},
    {"usd", FER_ABOUT_UNIT},
    {"uuid", FER_ABOUT_ID},
    {"valid", FER_ABOUT_CHOICE},
    {"values", FER_ABOUT_CHOICE},
    {"vital", FER_ABOUT_ORDERS},
    {"wallet", FER_ABOUT_COIN},
    {"week", FER_ABOUT_UNIT},
    {"weeks", FER_ABOUT_UNIT},
    {"wei", FER_ABOUT_UNIT},
    {"without", FER_ABOUT_NULL},
    {"word", FER_ABOUT_COIN},
    {"words", FER_ABOUT_COIN},
    {"xxx", FER_ABOUT_PLACEHOLDER},
    {"year", FER_ABOUT_UNIT},
    {"years", FER_ABOUT_UNIT},
    {"yields", FER_ABOUT_RETURN},
    {"your", FER_ABOUT_CALLER},
    {"yourself", FER_ABOUT_CALLER},
};

static unsigned subjects_of(fer_str word)
{
    for (unsigned at = lexicon_place(word); lexicon_index[at];
         at = (at + 1) % FER_COUNT(lexicon_index)) {
        unsigned row = lexicon_index[at] - 1u;
        if (lexicon_lens[at] == word.len && fer_word_is(word, words[row].word))
            return words[row].subjects;
    }
    return 0;
}

/* The bit of a word that begins with these bytes, in lower case; `second` is 0 behind its end. */
static unsigned start_bit(unsigned first, unsigned second)
{
    return (first << 3 ^ second) & 255;
}

/* Whether a sentence ends at this byte, which is no part of a word. */
static bool ends_sentence(fer_str s, size_t at)
{
    char c = s.ptr[at];
    if (c == '\n') return at + 1 < s.len && at > 0 && s.ptr[at - 1] != '\n';
    if (c != '.' && c != '!' && c != '?' && c != ';') return false;
    return at + 1 == s.len || s.ptr[at + 1] == ' ' || s.ptr[at + 1] == '\n' ||
           s.ptr[at + 1] == '"' || s.ptr[at + 1] == ')';
}

/* The full stops of ideographic scripts and the like end sentences, too. */
static unsigned wide_stops(fer_str s)
{
    unsigned count = 0;
    for (size_t at = 0; at + 2 < s.len; at++) {
        if ((unsigned char)s.ptr[at] != 0xE3) continue;
        count += memcmp(s.ptr + at, "\xE3\x80\x82", 3) == 0;
    }
    return count;
}

void fer_prose_read(fer_prose *p, fer_str text)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    bool open = false, wide = false; /* words since the last end of a sentence */
    *p = (fer_prose){.text = text};
    for (size_t at = 0; at < text.len;) {
        unsigned first = fer_word_chars[bytes[at]];
        if (!first) {
            bool end = open && ends_sentence(text, at);
            p->sentences += end;
            open = open && !end;
            at++;
            continue;
        }
        size_t from = at++;
        unsigned bit = start_bit(first, at < text.len ? fer_word_chars[bytes[at]] : 0);
        while (at < text.len && fer_word_chars[bytes[at]]) at++;
        wide = wide || first >= 0x80;
        p->starts[bit >> 6] |= (uint64_t)1 << (bit & 63);
        p->subjects |= subjects_of(fer_str_slice(text, from, at));
        p->words++;
        open = true;
    }
    p->sentences += open + (wide ? wide_stops(text) : 0);
}

/* ---- phrases ---------------------------------------------------------------------------------
 */

/* Whether the text may have the phrase: each of its words begins as some word of the text does. */
static bool may_have(const fer_prose *p, const char *phrase)
{
    bool inside = false;
    for (; *phrase; phrase++) {
        unsigned first = fer_word_chars[(unsigned char)*phrase];
        if (first && !inside) {
            unsigned bit = start_bit(first, fer_word_chars[(unsigned char)phrase[1]]);
            if (!(p->starts[bit >> 6] >> (bit & 63) & 1)) return false;
        }
        inside = first != 0;
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The end of the phrase that begins at `at`, or 0. */
static size_t matches(fer_str text, size_t at, const char *phrase)
{
    for (; *phrase; phrase++) {
        if (*phrase == ' ') {
            size_t from = at;
            while (at < text.len && is_blank(text.ptr[at])) at++;
            if (at == from) return 0;
        } else if (at < text.len && fer_lower(text.ptr[at]) == *phrase) {
            at++;
        } else {
            return 0;
        }
    }
    return at;
}

bool fer_text_has_at(fer_str text, size_t at, const char *phrase)
{
    if (at && at < text.len && fer_is_word_char(text.ptr[at]) && fer_is_word_char(text.ptr[at - 1]))
        return false;
    size_t end = matches(text, at, phrase);
    return end && (end == text.len || !fer_is_word_char(text.ptr[end - 1]) ||
                   !fer_is_word_char(text.ptr[end]));
}

typedef char wide __attribute__((vector_size(16)));

/* The next place at or behind `at` with that letter, in either case. */
static size_t next_letter(fer_str text, size_t at, char lower)
{
    char fold = lower >= 'a' && lower <= 'z' ? 0x20 : 0;
    for (; at < text.len && text.len - at > sizeof(wide); at += sizeof(wide)) {
        wide some;
        uint64_t same[2];
        memcpy(&some, text.ptr + at, sizeof some);
        some = (wide)((some | fold) == lower);
        memcpy(same, &some, sizeof same);
        if (same[0] | same[1]) break;
    }
    while (at < text.len && (text.ptr[at] | fold) != lower) at++;
    return at;
}

static size_t find(fer_str text, size_t from, const char *phrase)
{
    for (size_t at = next_letter(text, from, *phrase); at < text.len;
         at = next_letter(text, at + 1, *phrase)) {
        if (fer_text_has_at(text, at, phrase)) return at;
    }
    return SIZE_MAX;
}

size_t fer_prose_find(const fer_prose *p, size_t from, const char *phrase)
{
    return may_have(p, phrase) ? find(p->text, from, phrase) : SIZE_MAX;
}

bool fer_prose_has(const fer_prose *p, const char *const *phrases, size_t *which)
{
    for (*which = 0; phrases[*which]; ++*which) {
        if (fer_prose_find(p, 0, phrases[*which]) != SIZE_MAX) return true;
    }
    return false;
}

bool fer_text_has(fer_str text, const char *const *phrases, size_t *which)
{
    fer_prose p;
    fer_prose_read(&p, text);
    return fer_prose_has(&p, phrases, which);
}
