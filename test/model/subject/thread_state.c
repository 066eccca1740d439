/* SPDX-License-Identifier: MIT */
/* src/core/thread_state.h: what depends on chance and on time is the scheduler's choice. */
#include "core/thread_state.h"

#include <furwock/futex.h>

#include "../engine/model.h"

uint32_t fw_serial_(void)
{
    return (uint32_t)++model_shared.serial & 0x7fffffu;
}

bool fw_wake_later_(const void *lock, const uint32_t *word)
{
    struct model_thread *me = &model_threads[model_current];

    if (me->later_lock != 0)
        return false;
    me->later_lock = (uint64_t)(uintptr_t)lock;
    me->later_word = (uint64_t)(uintptr_t)word;
    return true;
}

void fw_wake_now_(const void *lock)
{
    struct model_thread *me = &model_threads[model_current];
    const uint32_t *word = (const uint32_t *)(uintptr_t)me->later_word;

    if (me->later_lock != (uint64_t)(uintptr_t)lock)
        return;
    me->later_lock = me->later_word = 0;
    fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

uint32_t fw_stamp_(void)
{
    return (uint32_t)++model_shared.serial;
}

bool fw_one_in_(uint32_t n)
{
    (void)n;
    if (model_shared.budget.chances == 0) /* for good: nothing to choose, nothing to see */
        return false;
    return model_op(OP_CHANCE, NULL, 0, 0, 0, 0, 0) != 0;
}

bool fw_is_overdue_(const void *lock, bool is_waking)
{
    (void)lock;
    return is_waking && fw_one_in_(1);
}

/* A wait that pays is a matter of chance here; within the budget it is tried, else never. */
bool fw_spinning_pays_(enum fw_spin_ what)
{
    (void)what;
    return fw_one_in_(1);
}

void fw_spinning_ended_(enum fw_spin_ what, bool was_woken)
{
    (void)what;
    (void)was_woken;
}
