/* SPDX-License-Identifier: MIT */
/*
 * Priority inheritance (tier A): the word is the lock, a futex that inherits, as the kernel has it
 * (futex(2)); section II-C.
 *
 * word           meaning                             left by
 * -------------  ----------------------------------  ----------------------------------------------
 * 0              free                                anybody: CAS to its id
 * id             that task has the lock              it: CAS to 0.  The kernel: sets WAITERS.  If
 *                                                    the thread has died: anybody, CAS to its id
 * id | WAITERS   and others sleep; it inherits       it, by FUTEX_UNLOCK_PI, or its death: to the
 *                                                    most urgent waiter's id
 * ... | DIED     who had it before has died in its   the owner: clears it, and is told (EOWNERDEAD)
 *                section
 *
 * The dead thread's id may come with WAITERS, and is then taken over with it (death.c, DEATH3).
 *
 * PIP1  The word alone says who owns the lock.  The bit in `held` follows: it is
 *     for tools, for nesting, and for the other parts of the library.
 * PIP2  A death is told once.  A live task sets its bit after it has got the word, and clears it
 *     before it leaves it; so bits of others that the owner sees are dead tasks'.  A task that has
 *     been told of a death reaps them, and takes the mark that the reaping leaves (death.c,
 *     DEATH2), before it goes on.
 * PIP3  A thread that ends is marked as dead first, and then the kernel hands on the words for
 *     which others sleep.  So who finds it marked waits for the end of both (liveness.c, LIVE1)
 *     before it asks the kernel about the word: what the kernel then says of it is about another
 *     thread that has been given the id.  Where WAITERS is not set there is nothing to hand on,
 *     and the lock is taken at once: to wait for a thread that ends lends it no priority.
 */
#include "rt/internal.h"

#include <errno.h>
#include <linux/futex.h>

#include "core/pi_wait.h"
#include "core/recheck.h"
#include "sys/back_off.h"
#include "sys/clock.h"
#include "sys/futex_pi.h"

/* Is no task of that id alive?  Cells of dead ones may bear it as well.  There is such a thread. */
static bool is_orphaned(const struct fw_rt_task *t, uint32_t owner)
{
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++) {
        const struct fw_rt_task_record *c = &t->state->task[i];
        if (fw_load32_relaxed(&c->tid) == owner && fw_load32_relaxed(&c->state) == FW_RT_LIVE &&
            (fw_rt_liveness_(c) == FW_RT_IS_ALIVE || fw_rt_is_alive_(c)))
            return false;
    }
    return true;
}

/* Is the owner known to be dead? */
static bool is_marked(const struct fw_rt_task *t, uint32_t owner)
{
    bool is_dead = false;
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++) {
        const struct fw_rt_task_record *c = &t->state->task[i];
        if (fw_load32_relaxed(&c->tid) != owner || fw_load32_relaxed(&c->state) != FW_RT_LIVE)
            continue;
        if (fw_rt_liveness_(c) != FW_RT_IS_DEAD)
            return false;
        is_dead = true;
    }
    return is_dead;
}

/* The word bears the id of a thread that is gone, or is another one's by now (death.c, DEATH3). */
static bool take_over(struct fw_rt_task *t, uint32_t *word, uint32_t owner)
{
    uint32_t seen = fw_load32_relaxed(word);

    if ((seen & FUTEX_TID_MASK) != owner || owner == 0)
        return false;
    return fw_cas32_acquire(word, &seen, (seen & FUTEX_WAITERS) | t->tid); /* dead -> its own */
}

/* The owner is marked as dead, and nobody waits: PIP3. */
static bool take_from_dead(const struct fw_rt_task *t, uint32_t *word, uint32_t owner)
{
    return fw_cas32_acquire(word, &owner, t->tid); /* dead -> its own */
}

/* The kernel has made the caller the owner.  Was the one before dead? */
static int arrive(uint32_t *word)
{
    /* F:rt-pip-quiet-owner */
    return fw_and32_relaxed(word, ~(uint32_t)FUTEX_OWNER_DIED) & FUTEX_OWNER_DIED ? EOWNERDEAD : 0;
}

/*
 * The owner may be dead.  The kernel is asked for the word itself: it says EINVAL while one is on
 * its way that has inherited the lock.  EBUSY: so it is, or the owner lives, or is just ending.
 */
static int inherit(struct fw_rt_task *t, uint32_t *word, uint32_t owner)
{
    bool is_dead = is_orphaned(t, owner);
    int error;

    /* F:rt-pip-no-end */
    if (is_dead)
        fw_rt_await_end_(owner); /* PIP3 */
    error = fw_futex_trylock_pi_(word, t->shared);
    if (error == 0)
        return arrive(word);
    if (error == -ESRCH ? fw_rt_no_thread_(owner) : (error == -EBUSY || error == -EPERM) && is_dead)
        return take_over(t, word, owner) ? EOWNERDEAD : EBUSY;
    return EBUSY;
}

static int wait_slow_(struct fw_rt_task *t, uint32_t *word)
{
    for (;;) {
        /* as in proxy.c: a thread id may have been given out anew */
        int error = fw_pi_wait_(word, t->shared, FW_RECHECK_RT_PROXY_MAX_NS);
        uint32_t owner = fw_load32_relaxed(word) & FUTEX_TID_MASK;
        if (error == 0)
            return arrive(word);
        if (error == -EDEADLK)
            return EDEADLK;
        if (error == -ESRCH && fw_rt_no_thread_(owner)) {
            if (take_over(t, word, owner))
                return EOWNERDEAD;
        } else if ((error == -ETIMEDOUT || error == -EPERM) && is_orphaned(t, owner)) {
            error = inherit(t, word, owner);
            if (error != EBUSY)
                return error;
        } else if (error != -ETIMEDOUT) {
            fw_back_off_();
        }
    }
}

__attribute__((cold, noinline)) static int lock_slow_(struct fw_rt_task *t, uint32_t d, bool try)
{
    struct fw_rt_obstacle o = {d, fw_rt_holder(t->state, t->slot, d)};
    uint32_t *word = &t->state->lock[d].pi_word, owner = fw_load32_relaxed(word) & FUTEX_TID_MASK;
    bool is_new, is_dead;
    int error;

    is_dead = is_marked(t, owner);
    /* F:rt-pip-waits-alone */
    if (is_dead && take_from_dead(t, word, owner))
        return EOWNERDEAD;
    if (try || is_dead) {
        error = inherit(t, word, owner);
        if (try || error != EBUSY)
            return error;
    }
    is_new = fw_rt_wait_begins_(t);
    fw_store32_relaxed(&t->record->request, d + 1);
    fw_store32_relaxed(&t->record->behind, d + 1);
    if (t->trace != NULL) {
        fw_rt_trace_add_(t->trace, FW_RT_EVENT_BLOCK, d, o.task, 0);
        fw_rt_trace_add_(t->trace, FW_RT_EVENT_INHERIT, d, o.task, 0);
    }
    error = wait_slow_(t, word);
    if (t->trace != NULL)
        fw_rt_trace_add_(t->trace, FW_RT_EVENT_RESUME, d, o.task, 0);
    fw_store32_relaxed(&t->record->behind, 0);
    fw_store32_relaxed(&t->record->request, 0);
    fw_rt_wait_ends_(t, is_new);
    return error;
}

/* PIP2 */
static void reap_owner(struct fw_rt_task *t, uint32_t d)
{
    uint32_t slot;

    while ((slot = fw_rt_holder(t->state, t->slot, d)) != FW_RT_NONE) {
        fw_rt_reap_(t, slot);
        if (fw_load64_relaxed(&t->state->task[slot].held) & fw_rt_bit(d))
            return; /* nothing that is reaped has left it */
    }
}

int fw_rt_pip_lock_(struct fw_rt_task *t, uint32_t d, bool try)
{
    struct fw_rt_lock_record *l = &t->state->lock[d];
    uint32_t seen = 0;
    int error = 0;

    if (!fw_cas32_acquire(&l->pi_word, &seen, t->tid)) /* 0 -> id */
        error = lock_slow_(t, d, try);
    if (error != 0 && error != EOWNERDEAD)
        return error;
    if (error != 0)
        reap_owner(t, d);
    fw_store64_relaxed(&t->record->held, fw_load64_relaxed(&t->record->held) | fw_rt_bit(d));
    return fw_rt_is_told_(t->state, l) ? EOWNERDEAD : error;
}

int fw_rt_pip_unlock_(struct fw_rt_task *t, uint32_t d)
{
    uint32_t *word = &t->state->lock[d].pi_word, seen = t->tid;

    fw_store64_relaxed(&t->record->held, fw_load64_relaxed(&t->record->held) & ~fw_rt_bit(d));
    if (!fw_cas32_release(word, &seen, 0)) /* id -> 0 */
        /* F:rt-pip-no-wake */
        if (fw_futex_unlock_pi_(word, t->shared) != 0)
            fw_store32_release(word, 0); /* it was taken over while others slept there (DEATH3) */
    return 0;
}
