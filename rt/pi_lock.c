/* SPDX-License-Identifier: MIT */
/*
 * Internal locks: locks of the library's own, for a few instructions at a time.
 *
 * word           meaning                          left by
 * -------------  -------------------------------  -------------------------------------------------
 * 0              free                             anybody: CAS to its id
 * id             that thread's                    that one: CAS to 0.  The kernel: sets WAITERS.
 *                                                 If the thread has died: anybody, to its own id
 * id | WAITERS   and others sleep; it inherits    that one, and the kernel: FUTEX_UNLOCK_PI, or its
 *                                                 death
 * ... | DIED     who had it before has died       as above.  What it protects is always put in
 *                                                 order by a task that comes next, so this needs no
 *                                                 answer
 *
 * The id may have been given out anew, and the kernel would let others sleep until the wrong thread
 * ends.  So a sleep ends after FW_RECHECK_RT_NS, and then the sleeper looks who may have the
 * internal lock at all:
 *
 *   INTLOCK1  The state's lock: anybody.  The kernel is told of it in advance (sys/robust.h), and
 *       so it never bears a dead thread's id.
 *   INTLOCK2  The others: a task that is LIVE; or who is about to become one, and has the state's
 *       lock as well.  A task that is neither is not the thread that wrote its id there.
 *   INTLOCK3  A task that begins gives back the internal locks that bear its id first (death.c).
 */
#include "rt/internal.h"

#include <errno.h>
#include <linux/futex.h>

#include "core/pi_wait.h"
#include "core/recheck.h"
#include "sys/back_off.h"
#include "sys/futex_pi.h"

/* INTLOCK2 */
static bool may_hold(const struct fw_rt_state *w, const uint32_t *word, uint32_t owner)
{
    uint32_t i;

    if (word == &w->state_lock || (fw_load32_acquire(&w->state_lock) & FUTEX_TID_MASK) == owner)
        return true;
    for (i = 0; i < FW_RT_TASKS; i++) {
        const struct fw_rt_task_record *c = &w->task[i];
        if (fw_load32_relaxed(&c->tid) == owner && fw_load32_acquire(&c->state) == FW_RT_LIVE &&
            fw_rt_is_alive_(c))
            return true;
    }
    return false;
}

/*
 * Is the internal lock's word that of a dead owner?  `error` is what the kernel has answered about
 * it; that a sleep is over says too little, since another sleeper may be on its way to inherit it
 * (EINVAL).
 */
static bool is_orphaned(const struct fw_rt_state *w, uint32_t *word, uint32_t owner, int error,
                        unsigned shared)
{
    if (owner == 0)
        return false;
    if (error == -ESRCH)
        return fw_rt_no_thread_(owner);
    if ((error != -ETIMEDOUT && error != -EPERM) || may_hold(w, word, owner))
        return false;
    fw_rt_await_end_(owner); /* or the kernel may yet hand it on (pip.c, PIP3) */
    return error == -EPERM || fw_futex_trylock_pi_(word, shared) == -EBUSY;
}

static void lock_slow_(const struct fw_rt_state *w, uint32_t *word, uint32_t tid, unsigned shared)
{
    for (;;) {
        int error = fw_pi_wait_(word, shared, FW_RECHECK_RT_NS);
        uint32_t seen = fw_load32_relaxed(word), owner = seen & FUTEX_TID_MASK;
        if (error == 0 || error == -EDEADLK) /* its own: left from a thread with this id */
            return;
        if (is_orphaned(w, word, owner, error, shared)) {
            seen = fw_load32_relaxed(word);
            if ((seen & FUTEX_TID_MASK) == owner &&
                fw_cas32_acquire(word, &seen, (seen & FUTEX_WAITERS) | tid))
                return; /* the dead thread's -> its own */
        } else if (error != -ETIMEDOUT) {
            fw_back_off_();
        }
    }
}

void fw_rt_pi_lock_(struct fw_rt_state *w, uint32_t *word, uint32_t tid, unsigned shared)
{
    uint32_t seen = 0;

    if (!fw_cas32_acquire(word, &seen, tid)) /* 0 -> id */
        lock_slow_(w, word, tid, shared);
}

/* Where it was taken from a dead one while others slept there, the kernel knows of no owner. */
void fw_rt_pi_unlock_(uint32_t *word, uint32_t tid, unsigned shared)
{
    uint32_t seen = tid;

    if (!fw_cas32_release(word, &seen, 0) && /* id -> 0 */
        fw_futex_unlock_pi_(word, shared) != 0)
        fw_rt_free_word_(word, tid);
}

void fw_rt_state_lock_(struct fw_rt_state *w, uint32_t tid, unsigned shared, struct fw_robust_ *r)
{
    fw_robust_announce_as_(r, &w->state_lock, FW_ROBUST_INHERITS); /* INTLOCK1 */
    fw_rt_pi_lock_(w, &w->state_lock, tid, shared);
}

void fw_rt_state_unlock_(struct fw_rt_state *w, uint32_t tid, unsigned shared,
                         const struct fw_robust_ *r)
{
    fw_rt_pi_unlock_(&w->state_lock, tid, shared);
    fw_robust_withdraw_(r);
}
