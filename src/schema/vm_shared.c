/* SPDX-License-Identifier: Apache-2.0 */
/* What keywords share when they are run. */
#include "vm.h"

size_t fer_vm_value_cost(const yyjson_val *value)
{
    const yyjson_val *end = fer_val_next(value);
    size_t bytes = 0, digits = 0;
    for (const yyjson_val *v = value; v < end; v++) {
        if (fer_is_str(v)) bytes += fer_val_len(v);
        else digits += fer_vm_number_cost(v);
    }
    return (size_t)(end - value) * 2 + bytes / 16 + digits;
}

fer_step fer_vm_match(fer_vm *vm, const fer_regex *regex, const yyjson_val *string)
{
    switch (fer_regex_search(regex, fer_val_str(string), &vm->steps, vm->arena)) {
    case FER_MATCH_YES: return FER_STEP_PASS;
    case FER_MATCH_NO: return FER_STEP_FAIL;
    case FER_MATCH_BUDGET: vm->code = FER_VALIDATION_BUDGET_EXCEEDED; return FER_STEP_ERROR;
    default: return fer_vm_no_memory(vm);
    }
}

fer_step fer_hear_failures(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)i;
    if (valid) return FER_STEP_CALL;
    f->hits++;
    return vm->trace ? FER_STEP_CALL : FER_STEP_FAIL;
}

fer_step fer_hear_answer(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)vm;
    (void)i;
    f->hits = valid;
    return FER_STEP_CALL;
}
