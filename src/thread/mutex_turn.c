/* SPDX-License-Identifier: MIT */
/* Turns at a saturated mutex.  Contract: mutex_turn.h. */
#include <stddef.h>

#include "core/saturation.h"
#include "core/tracepoint.h"
#include "sys/clock.h"
#include "sys/schedule.h"
#include "thread/mutex_turn.h"
#include "thread/mutex_word.h"

/*
 * In looks, with a pause after each, and not in time: if the owner comes and goes, its cache line
 * takes longer to come, and half of the looks still find the mutex free.  On a Xeon six looks at
 * one that stays free take 0.3 us.
 */
#define LOOKS_TO_RETURN 6u
#define LOOKS_TO_BE_IDLE 16u

/* Is it taken before it was seen free that many times?  By `owner`; 0: by anybody. */
static bool is_taken_within(fw_mutex *m, unsigned looks, uint32_t owner)
{
    unsigned free = 0;

    for (unsigned all = 0; free < looks && all < 2 * looks; all++) {
        fw_mutex_word_ w = look_at(m);

        if (holder_of(w) != 0 || is_being_handed_off(w))
            return owner == 0 || holder_of(w) == owner;
        free += is_free(w); /* else it is taken, and does not yet say by whom */
        fw_pause_();
    }
    return false;
}

bool fw_mutex_leaves_it_(fw_mutex *m, uint32_t owner)
{
    bool came_back;

    if (!fw_saturation_asks_(m))
        return false;
    came_back = is_taken_within(m, LOOKS_TO_RETURN, owner);
    fw_saturation_learns_(m, came_back);
    return came_back;
}

/*
 * Does nobody use it?  If the owner lost its CPU to this thread when that woke up, it looks as if
 * nobody did: then it gets the CPU back.
 */
static bool is_idle(fw_mutex *m)
{
    return !is_taken_within(m, LOOKS_TO_BE_IDLE, 0) && !fw_wait_let_others_run_() &&
           !is_taken_within(m, LOOKS_TO_BE_IDLE, 0);
}

/* Where nobody wakes.  `furwock who` shows its name. */
static const uint32_t resting_at_saturated_mutex;

void fw_mutex_rest_(fw_mutex *m, struct fw_wait_ *wait)
{
    uint64_t ns = fw_saturation_rest_(m);

    if (ns == 0 || fw_urgency_() != 0)
        return;
    FW_TRACEPOINT_(mutex_wait, m);
    fw_wait_sleep_(wait, &resting_at_saturated_mutex, 0, MUTEX_CLASS_ANY, ns);
    fw_saturation_rested_(m, is_idle(m));
}
