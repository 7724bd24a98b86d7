/* SPDX-License-Identifier: Apache-2.0 */
/* Words that say nothing about what a tool does, written folded, as tokens are. */
#include "stopwords.h"

/* Articles, pronouns, prepositions, auxiliaries, and what is left of them behind an apostrophe. */
static const char *const stop_words[] = {
    "a",          "about",  "above",   "after",  "again",   "against",    "ain",   "all",
    "also",       "am",     "an",      "and",    "any",     "are",        "aren",  "as",
    "at",         "be",     "because", "been",   "before",  "being",      "below", "between",
    "both",       "but",    "by",      "can",    "could",   "couldn",     "d",     "did",
    "didn",       "do",     "does",    "doesn",  "doing",   "don",        "down",  "during",
    "each",       "few",    "for",     "from",   "further", "had",        "hadn",  "has",
    "hasn",       "have",   "haven",   "having", "he",      "her",        "here",  "hers",
    "herself",    "him",    "himself", "his",    "how",     "i",          "if",    "in",
    "into",       "is",     "isn",     "it",     "its",     "itself",     "just",  "ll",
    "m",          "may",    "me",      "might",  "mine",    "more",       "most",  "must",
    "my",         "myself", "no",      "nor",    "not",     "now",        "o",     "of",
    "off",        "on",     "once",    "only",   "or",      "other",      "our",   "ours",
    "ourselves",  "out",    "over",    "own",    "re",      "s",          "same",  "shall",
    "she",        "should", "shouldn", "so",     "some",    "such",       "t",     "than",
    "that",       "the",    "their",   "theirs", "them",    "themselves", "then",  "there",
    "these",      "they",   "this",    "those",  "through", "to",         "too",   "under",
    "until",      "up",     "upon",    "us",     "ve",      "very",       "via",   "was",
    "wasn",       "we",     "were",    "weren",  "what",    "when",       "where", "whether",
    "which",      "while",  "who",     "whom",   "whose",   "why",        "will",  "with",
    "within",     "won",    "would",   "wouldn", "you",     "your",       "yours", "yourself",
    "yourselves",
};

/* What people say around what they want. */
static const char *const filler_words[] = {
    "able",         "actually", "ask",     "assist",    "curious",    "exactly",   "example",
    "give",         "glad",     "going",   "gonna",     "got",        "hello",     "help",
    "helpful",      "hey",      "hi",      "hope",      "interested", "kindly",    "know",
    "let",          "like",     "looking", "lot",       "love",       "make",      "maybe",
    "much",         "need",     "needs",   "okay",      "perhaps",    "please",    "possible",
    "really",       "recently", "say",     "see",       "show",       "something", "specific",
    "specifically", "sure",     "tell",    "thank",     "thanks",     "thing",     "things",
    "think",        "trying",   "use",     "using",     "wanna",      "want",      "wants",
    "way",          "well",     "wish",    "wondering",
};

/* The same in Chinese, by signs and pairs: "please", "help me", "I want" ... */
static const char *const filler_signs[] = {
    "一",   "一下", "一个", "下",   "与",   "个",   "也",   "了",   "什么", "从",   "他",   "们",
    "你",   "你帮", "你能", "到",   "可以", "吗",   "吧",   "告诉", "呢",   "和",   "啊",   "在",
    "她",   "如何", "它",   "对",   "就",   "希望", "帮",   "帮忙", "帮我", "怎么", "您",   "想",
    "想知", "想要", "我",   "我们", "我想", "我的", "我需", "把",   "是",   "是否", "有",   "的",
    "知道", "给",   "给我", "能",   "能否", "被",   "要",   "要一", "请",   "请你", "请帮", "请问",
    "谢谢", "还",   "这",   "这个", "道一", "那",   "都",   "需要",
};

fer_str fer_stopword(size_t number)
{
    return number < FER_COUNT(stop_words) ? fer_str_of(stop_words[number]) : FER_STR_NONE;
}

static size_t slot_of(const fer_token_key *key)
{
    static const uint64_t seed[2] = {0x8EBC6AF09C88C6E3, 0x589965CC75374CC3};
    return (size_t)fer_token_key_hash(key, seed) & (FER_STOPWORD_SLOTS - 1);
}

static void add_all(fer_stopwords *s, const char *const *words, size_t count, fer_token_use use)
{
    for (size_t i = 0; i < count; i++) {
        fer_token_key key = fer_token_key_load(fer_str_of(words[i]));
        size_t at = slot_of(&key);
        while (s->keys[at].part[0]) at = (at + 1) & (FER_STOPWORD_SLOTS - 1);
        s->keys[at] = key;
        s->uses[at] = (uint8_t)use;
    }
}

void fer_stopwords_init(fer_stopwords *s)
{
    static_assert(2 * (FER_COUNT(stop_words) + FER_COUNT(filler_words) + FER_COUNT(filler_signs)) <
                      FER_STOPWORD_SLOTS,
                  "half of the slots are empty");
    add_all(s, stop_words, FER_COUNT(stop_words), FER_TOKEN_STOP);
    add_all(s, filler_words, FER_COUNT(filler_words), FER_TOKEN_FILLER);
    add_all(s, filler_signs, FER_COUNT(filler_signs), FER_TOKEN_FILLER);
}

fer_token_use fer_stopwords_use(const fer_stopwords *s, fer_str word)
{
    if (!word.len || word.len > FER_TOKEN_KEY) return FER_TOKEN_CONTENT;
    fer_token_key key = fer_token_key_of(word);
    size_t at = slot_of(&key);
    while (s->keys[at].part[0] && !fer_token_key_eq(&s->keys[at], &key))
        at = (at + 1) & (FER_STOPWORD_SLOTS - 1);
    return (fer_token_use)s->uses[at];
}
