/* SPDX-License-Identifier: MIT */
/*
 * Guards: locks of the library's own, for a few instructions at a time.
 *
 * word           meaning                          who may leave it, and how
 * -------------  -------------------------------  -------------------------------------------------
 * 0              free                             anybody: CAS to its id
 * id             that thread's                    that one: CAS to 0.  The kernel: sets WAITERS.
 *                                                 If the thread has died: anybody, to its own id
 * id | WAITERS   and others sleep; it inherits    that one, and the kernel: FUTEX_UNLOCK_PI, or its
 *                                                 death
 * ... | DIED     who had it before has died       as above.  What it guards is always put in order
 *                                                 by whoever comes next, so this needs no answer
 */
#include "rt/internal.h"

#include <errno.h>
#include <linux/futex.h>

#include "sys/clock.h"
#include "sys/futex_pi.h"

#define BREATH_NS 1000000u

void fw_rt_take_breath_(void)
{
    static const uint32_t word;
    fw_deadline end = fw_deadline_in_(CLOCK_MONOTONIC, BREATH_NS);

    fw_futex_wait(&word, 0, FW_FUTEX_PRIVATE, &end);
}

static void lock_slow_(uint32_t *word, uint32_t tid, unsigned shared)
{
    uint32_t seen;
    int error;

    for (;;) {
        error = fw_futex_lock_pi_(word, shared, NULL);
        if (error == 0 || error == -EDEADLK) /* its own: from a life before this one */
            return;
        seen = fw_load32_relaxed(word);
        if (error != -ESRCH || !fw_rt_no_thread_(seen & FUTEX_TID_MASK))
            fw_rt_take_breath_();
        else if (fw_cas32_acquire(word, &seen, (seen & FUTEX_WAITERS) | tid))
            return; /* the dead thread's -> its own */
    }
}

void fw_rt_guard_lock_(uint32_t *word, uint32_t tid, unsigned shared)
{
    uint32_t seen = 0;

    if (!fw_cas32_acquire(word, &seen, tid)) /* 0 -> id */
        lock_slow_(word, tid, shared);
}

void fw_rt_guard_unlock_(uint32_t *word, uint32_t tid, unsigned shared)
{
    uint32_t seen = tid;

    if (!fw_cas32_release(word, &seen, 0)) /* id -> 0 */
        fw_futex_unlock_pi_(word, shared);
}
