/* SPDX-License-Identifier: Apache-2.0 */
/* The name of one tool; what names have to do with each other is in quality_set.c. */
#include "quality.h"

#define PORTABLE_MAX 64 /* characters of a name that every provider takes */
#define PREFIXED_MAX 60 /* of namespace, two separators and name: Cursor's limit */

static const char *const vague_words[] = {"action", "data",    "do",    "execute", "helper",
                                          "manage", "process", "query", "run",     "tool"};
static const fer_word_set vague = FER_WORD_SET(vague_words);

static void check_verb(fer_quality *q)
{
    if (!q->name.len || q->verb != FER_VERB_NONE) return;
    fer_q_tool(q, FER_Q_NAME_VERB, FER_FIELD_NAME, "no word of \"%.*s\" is a verb that is known",
               FER_PRI(q->name));
}

static void check_vague(fer_quality *q)
{
    if (q->words.count != 1 || !fer_word_in(&vague, q->words.list[0])) return;
    fer_q_tool(q, FER_Q_NAME_VAGUE, FER_FIELD_NAME, "\"%.*s\" does not say what the tool works on",
               FER_PRI(q->name));
}

/* The first byte that some provider refuses, or the length. */
static size_t portable_part(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool always = fer_is_alpha(c) || c == '_';
        if (!always && (i == 0 || (!fer_is_digit(c) && c != '-'))) return i;
    }
    return s.len;
}

static void check_portable(fer_quality *q)
{
    const yyjson_val *ns = q->tool->values[FER_FIELD_NAMESPACE];
    size_t prefixed = ns ? fer_val_len(ns) + 2 + q->name.len : 0, good = portable_part(q->name);
    if (!q->name.len) return;
    if (good < q->name.len && (unsigned char)q->name.ptr[good] < 0x80) {
        fer_q_tool(q, FER_Q_NAME_PORTABLE, FER_FIELD_NAME, "some providers refuse '%c' %s a name",
                   q->name.ptr[good], good ? "in" : "at the start of");
    } else if (good < q->name.len) {
        fer_q_tool(q, FER_Q_NAME_PORTABLE, FER_FIELD_NAME,
                   "some providers refuse characters other than ASCII in a name");
    } else if (q->name.len > PORTABLE_MAX) {
        fer_q_tool(q, FER_Q_NAME_PORTABLE, FER_FIELD_NAME,
                   "the name has %zu characters; some providers take %d", q->name.len,
                   PORTABLE_MAX);
    } else if (prefixed > PREFIXED_MAX) {
        fer_q_tool(q, FER_Q_NAME_PORTABLE, FER_FIELD_NAME,
                   "namespace and name make %zu characters with their separator; some clients "
                   "take %d",
                   prefixed, PREFIXED_MAX);
    }
}

static void look_at_tool(fer_quality *q)
{
    check_verb(q);
    check_vague(q);
    check_portable(q);
}

const fer_quality_family fer_quality_naming = {.tool = look_at_tool};
