/* SPDX-License-Identifier: MIT */
#include "script.h"

#include "../kernel.h"
#include "../memory.h"

const fw_wait_policy script_blocking = {FW_WAIT_BLOCK, 0}, script_spinning = {FW_WAIT_SPIN, 0};

#define BOOT_S (KERNEL_BOOT_NS / 1000000000u)
const fw_deadline script_soon = {{BOOT_S, KERNEL_TICK_NS}, CLOCK_MONOTONIC},
                  script_deadline = {{BOOT_S, 2 * (long)KERNEL_TICK_NS}, CLOCK_MONOTONIC},
                  script_deadline_real = {{BOOT_S, 2 * (long)KERNEL_TICK_NS}, CLOCK_REALTIME};

bool script_is_freed(const void *object)
{
    return memory_is_freed((uint64_t)(uintptr_t)object);
}

bool script_is_last(unsigned self, unsigned word)
{
    *shadow(word) |= model_bit(self);
    return *shadow(word) == model_bit(model_thread_count) - 1;
}

/* subject/atomic.h: SUBJECT_OWN. */
extern uint8_t __start_model_own_variables[], __stop_model_own_variables[];

const struct model_own *script_own(void)
{
    static const struct model_own table[] = {
        {.begin = __start_model_own_variables, .end = __stop_model_own_variables}, {.begin = NULL}};

    return table;
}
