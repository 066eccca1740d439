/* SPDX-License-Identifier: MIT */
/* src/core/saturation.h: which locks are saturated is the scheduler's choice. */
#include "core/saturation.h"

#include "../engine/model.h"
#include "core/thread_state.h"

static bool choose(void)
{
    return model_program->takes_turns && fw_one_in_(1);
}

bool fw_saturation_asks_(const void *lock)
{
    (void)lock;
    return choose();
}

void fw_saturation_learns_(const void *lock, bool came_back)
{
    (void)lock;
    (void)came_back;
}

void fw_saturation_taken_(const void *lock)
{
    (void)lock;
}

uint64_t fw_saturation_rest_(const void *lock)
{
    (void)lock;
    return choose();
}

void fw_saturation_rested_(const void *lock, bool was_idle)
{
    (void)lock;
    (void)was_idle;
}
