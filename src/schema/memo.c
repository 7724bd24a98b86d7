/* SPDX-License-Identifier: Apache-2.0 */
#include "memo.h"

struct fer_memo {
    fer_arena *arena; /* of the table: an old one is given back when it grows */
    struct fer_answer *answers;
    size_t cap; /* a power of two */
    size_t count;
};

static struct fer_answer *answer_at(const struct fer_memo *m, const yyjson_val *value,
                                    uint32_t node, uint32_t scope, bool tracks)
{
    uint64_t x = (uint64_t)(uintptr_t)value >> 4;
    x = (x + node) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 29) ^ scope) * UINT64_C(0xBF58476D1CE4E5B9);
    size_t i = (size_t)(x >> 32) & (m->cap - 1);
    for (;; i = (i + 1) & (m->cap - 1)) {
        struct fer_answer *a = &m->answers[i];
        if (!a->value ||
            (a->value == value && a->node == node && a->scope == scope && a->tracks == tracks)) {
            return a;
        }
    }
}

const struct fer_answer *fer_memo_get(const fer_vm *vm, const fer_node *node,
                                      const yyjson_val *value, uint32_t scope, bool tracks)
{
    if (!vm->memo) return NULL;
    const struct fer_answer *a = answer_at(vm->memo, value, node->id, scope, tracks);
    return a->value ? a : NULL;
}

static bool grow(fer_vm *vm)
{
    struct fer_memo *m = vm->memo;
    if (!m) {
        m = fer_arena_alloc_zero(vm->arena, 1, sizeof *m);
        if (!m) return false;
    }
    struct fer_memo bigger = {.arena = fer_arena_new(0), .count = m->count};
    bigger.cap = m->cap ? m->cap * 2 : 1024;
    if (!bigger.arena) return false;
    bigger.answers = fer_arena_alloc_zero(bigger.arena, bigger.cap, sizeof *bigger.answers);
    if (!bigger.answers) {
        fer_arena_free(bigger.arena);
        return false;
    }
    for (size_t i = 0; i < m->cap; i++) {
        const struct fer_answer *a = &m->answers[i];
        if (a->value) *answer_at(&bigger, a->value, a->node, a->scope, a->tracks) = *a;
    }
    fer_arena_free(m->arena);
    *m = bigger;
    vm->memo = m;
    if (vm->trace) vm->trace->hold = true;
    return true;
}

bool fer_memo_put(fer_vm *vm, const fer_frame *f)
{
    struct fer_memo *m = vm->memo;
    if (m && m->count == FER_MEMO_ENTRIES) return true;
    if ((!m || m->count * 2 >= m->cap) && !grow(vm)) return false;
    m = vm->memo;
    struct fer_answer *a = answer_at(m, f->value, f->node->id, f->scope, f->tracks);
    if (!a->value) m->count++;
    *a = (struct fer_answer){f->value, f->node->id, f->scope, f->marks,
                             f->unit,  f->tracks,   f->valid};
    return true;
}

void fer_memo_free(fer_vm *vm)
{
    if (vm->memo) fer_arena_free(vm->memo->arena);
    vm->memo = NULL;
}
