/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that gives orders. "critical" and "important" are ordinary words of many trades, so they
 * count only where they shout or open a sentence; "ignore" and its like only with what a
 * model is asked to ignore.
 */
#include "quality.h"

#include "unicode.h"

/* Orders whatever stands around them. */
static const char *const plain_orders[] = {"<important>",
                                           "<secret>",
                                           "do not tell the user",
                                           "don't tell the user",
                                           "without telling the user",
                                           "do not mention",
                                           "don't mention",
                                           "do not inform the user",
                                           "do not reveal",
                                           "ignore previous",
                                           "ignore all previous",
                                           "ignore any previous",
                                           "disregard previous",
                                           "disregard all",
                                           "ignore the above",
                                           "ignore prior",
                                           "ignore all other",
                                           "secretly",
                                           "hidden from the user",
                                           NULL};
static const char *const first_orders[] = {"before using this tool", "before calling this tool",
                                           "before using any other tool", NULL};

/* Words that shout when they are in capitals, or when a colon follows. */
static const char *const loud_words[] = {"critical", "crucial", "important", "urgent", "vital"};

/* Verbs that are orders with one of the objects behind them. */
static const char *const against_verbs[] = {"bypass", "disregard", "ignore", "override"};
static const char *const against_objects[] = {
    "instruction", "instructions", "safety",       "guideline", "guidelines",   "policy",
    "policies",    "guardrails",   "restrictions", "rules",     "confirmation", NULL};

#define REACH 48 /* bytes behind such a verb in which its object stands */

static bool is_capital(fer_str s, size_t at, size_t len)
{
    for (size_t i = at; i < at + len; i++) {
        if (s.ptr[i] < 'A' || s.ptr[i] > 'Z') return false;
    }
    return true;
}

/* In capitals, and not just a word of the sentence ("CRITICAL findings", "WARNING/CRITICAL"). */
static bool shouts(fer_str s, size_t at, size_t len)
{
    static const char *const behind[] = {"that ", "to "};
    if (!is_capital(s, at, len)) return false;
    fer_str rest = fer_str_slice(s, at + len, s.len);
    while (rest.len && strchr(" *_", rest.ptr[0])) rest = fer_str_slice(rest, 1, rest.len);
    if (!rest.len || strchr(":-!>)]", rest.ptr[0]) || fer_str_starts(rest, "\xE2\x80\x94"))
        return true;
    for (size_t i = 0; i < FER_COUNT(behind); i++) {
        if (fer_str_starts(rest, behind[i])) return true;
    }
    return false;
}

static const char *loud(const fer_prose *p)
{
    fer_str s = p->text;
    for (size_t i = 0; i < FER_COUNT(loud_words); i++) {
        size_t len = strlen(loud_words[i]);
        for (size_t at = 0; (at = fer_prose_find(p, at, loud_words[i])) != SIZE_MAX; at += len) {
            bool colon = at + len < s.len && s.ptr[at + len] == ':';
            bool opens = at == 0 || strchr("\n.!?*([", s.ptr[at - 1]) ||
                         (at > 1 && s.ptr[at - 1] == ' ' && strchr(".!?\n", s.ptr[at - 2]));
            if (shouts(s, at, len) || (colon && opens)) return loud_words[i];
        }
    }
    return NULL;
}

static const char *against(const fer_prose *p)
{
    fer_str s = p->text;
    for (size_t i = 0; i < FER_COUNT(against_verbs); i++) {
        size_t which, at = fer_prose_find(p, 0, against_verbs[i]);
        if (at == SIZE_MAX) continue;
        fer_str behind = fer_str_slice(s, at, at + REACH < s.len ? at + REACH : s.len);
        size_t stop = fer_str_find(behind, 0, '.');
        if (stop != SIZE_MAX) behind.len = stop;
        if (fer_text_has(behind, against_objects, &which)) return against_verbs[i];
    }
    return NULL;
}

static const char *order_in(const fer_prose *p)
{
    size_t which;
    if (p->subjects & FER_ABOUT_BEFORE && fer_prose_has(p, first_orders, &which))
        return first_orders[which];
    if (!(p->subjects & FER_ABOUT_ORDERS)) return NULL;
    if (fer_prose_has(p, plain_orders, &which)) return plain_orders[which];
    const char *word = loud(p);
    return word ? word : against(p);
}

static void look_at_tool(fer_quality *q)
{
    const char *order = order_in(&q->description);
    if (order)
        fer_q_tool(q, FER_Q_SEC_INJECTION_WORDS, FER_FIELD_DESCRIPTION,
                   "the description gives orders: \"%s\"", order);
}

static void look_at_node(fer_quality *q, const fer_qnode *n)
{
    const char *order = order_in(&n->prose);
    if (order)
        fer_q_node(q, n, FER_Q_SEC_INJECTION_WORDS, KW_DESCRIPTION,
                   "the description gives orders: \"%s\"", order);
}

const fer_quality_family fer_quality_orders = {.tool = look_at_tool, .node = look_at_node};
