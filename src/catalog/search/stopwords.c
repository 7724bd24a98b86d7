/* SPDX-License-Identifier: Apache-2.0 */
/* Words that say nothing about what a tool does. Sorted; written folded, as tokens are. */
#include "tokens.h"
#include "words.h"

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

static const fer_word_set stops = FER_WORD_SET(stop_words);
static const fer_word_set fillers = FER_WORD_SET(filler_words);
static const fer_word_set signs = FER_WORD_SET(filler_signs);

fer_token_use fer_token_use_of(fer_str word)
{
    if (word.len && (unsigned char)word.ptr[0] >= 0x80)
        return fer_word_in(&signs, word) ? FER_TOKEN_FILLER : FER_TOKEN_CONTENT;
    if (fer_word_in(&stops, word)) return FER_TOKEN_STOP;
    return fer_word_in(&fillers, word) ? FER_TOKEN_FILLER : FER_TOKEN_CONTENT;
}
