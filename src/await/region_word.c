/* SPDX-License-Identifier: MIT */
/* Operations that wait for a word to change, and take nothing.  Contract: region_word.h. */
#include "await/region_word.h"

#include <errno.h>

#include <furwock/bits/atomic.h>

#include "await/operation.h"
#include "await/region.h"

/* The expected value is in a field that the operation has no other use for: urgency_. */
static int attempt(fw_await *op, struct fw_look_ *look)
{
    const uint32_t *word = op->object_;

    look->word = word;
    look->expected = (uint32_t)op->urgency_;
    return look->was_told || fw_load32_acquire(word) != look->expected ? 0 : EBUSY;
}

static void give_back(fw_await *op)
{
    (void)op;
}

const struct fw_target_ fw_target_word_ = {
    .attempt = attempt, .give_back = give_back, .queue = FW_TARGET_WORD_};

int fw_await_ipc_word_(fw_await *op, const uint32_t *word, uint32_t expected,
                       const fw_deadline *deadline)
{
    if (fw_operation_is_busy_(op))
        return EBUSY;
    op->urgency_ = (int32_t)expected;
    return fw_region_submit_(op, FW_TARGET_WORD_, word, deadline);
}
