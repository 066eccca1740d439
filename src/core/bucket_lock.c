/* SPDX-License-Identifier: MIT */
/*
 * The lock of a wait-queue bucket.  Contract: bucket_lock.h.  Reasons: doc/design/cond.md,
 * "Priorities".
 *
 * Origin: the word is that of Molnar and Gleixner's PI-futexes (Linux 2.6.18), which hand the lock
 * over to a waiter that has yet to wake up.  Threads of ordinary priority, to whom that gives
 * nothing, therefore sleep on a second word and are free to be overtaken.
 *
 * owner     meaning                               left by
 * --------  ------------------------------------  -----------------------------------------------
 * 0         free                                  anybody: -> id
 * id        held                                  id: -> 0; kernel: -> id|W, for one that lends
 * id|W      held, the kernel knows who lends      kernel only: -> id2|W, the most urgent; -> 0
 *
 * calls     meaning                               left by
 * --------  ------------------------------------  -----------------------------------------------
 * 0         nobody sleeps, or one was woken       one that is about to sleep, or was woken: -> 1
 * 1         somebody may sleep here               a release: -> 0, and wakes one
 *
 * Legal:   1 while nobody sleeps (one needless wake); 0 while somebody sleeps, as long as another
 *          was woken and has not come to set it again.
 * Illegal: to sleep here for longer than FW_RECHECK_BUCKET_NS, or where one's priority matters;
 *          to come in after a sleep here, and not to set 1.
 *
 * BKT1  The word names the owner from the first instruction inside to the last, however it came in:
 *       whoever comes can lend to it.
 * BKT2  A sleeper sets `calls`, and then sees that the lock is held, before it sleeps; a release
 *       frees the lock, and then looks at `calls`.  The four are sequentially consistent, so one of
 *       the two sees the other.
 * BKT3  A thread that was woken sets `calls` again before it sleeps again or lets go: the others
 *       are not forgotten.
 * BKT4  A thread that has lost LOST_MAX times queues in the kernel, which hands over in order; so
 *       nobody starves.
 */
#include "core/bucket_lock.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "core/attributes.h"
#include "core/recheck.h"
#include "core/wait.h"
#include "sys/futex_pi.h"
#include "sys/panic.h"
#include "sys/schedule.h"
#include "sys/thread.h"

/*
 * How long every thread spins, as for a mutex that inherits (doc/design/drop-in-kinds.md, "How to
 * wait"); and how long a thread of ordinary priority does, as for any other (doc/design/mutex.md,
 * "How long to spin").
 */
#define GLANCE_NS 2000u
#define PATIENCE_NS 7000u

static const fw_wait_policy glance = {FW_WAIT_SPIN_THEN_BLOCK, GLANCE_NS};

/* Races lost; with more, a hand-off, which costs a wake each time, is the lesser evil. */
#define LOST_MAX 8u

/* 0 -> id */
static bool take(struct fw_bucket_lock_ *l, uint32_t id)
{
    uint32_t seen = fw_load32_seq_cst(&l->owner);

    return seen == 0 && fw_cas32_acquire(&l->owner, &seen, id); /* F:bucket-takes-anyway */
}

/* For at most `ns` since the wait began to spin. */
static bool spin(struct fw_bucket_lock_ *l, uint32_t id, struct fw_wait_ *wait, uint32_t ns)
{
    wait->budget_ns = ns;
    do
        if (take(l, id))
            return true;
    while (fw_wait_spin_(wait));
    return false;
}

/* Would somebody urgent wait while the caller sleeps here? */
static bool must_lend(void)
{
    return fw_inheriting_ != 0 || fw_urgency_() != 0; /* F:bucket-lends-nothing */
}

/* Waits in the kernel.  False: it has no such locks. */
static bool lend(struct fw_bucket_lock_ *l)
{
    int error = fw_futex_lock_pi_(&l->owner, FW_FUTEX_PRIVATE, NULL);

    if (error == -ENOSYS)
        return false;
    if (error != 0)
        fw_panic_errno_("lock of a wait-queue bucket", -error);
    if ((fw_load32_acquire(&l->owner) & FW_ROBUST_DIED) != 0) /* with hand_over's */
        fw_panic_("a thread has ended inside a wait-queue bucket", l, fw_self_(), 0);
    return true;
}

/* BKT2.  After this, BKT3 applies. */
static void sleep_a_while(struct fw_bucket_lock_ *l, struct fw_wait_ *wait)
{
    fw_xchg32_seq_cst(&l->calls, 1);       /* F:bucket-plain-calls */
    if (fw_load32_seq_cst(&l->owner) != 0) /* F:bucket-sleeps-blind */
        fw_wait_sleep_(wait, &l->calls, 1, FW_FUTEX_ANY_BIT, FW_RECHECK_BUCKET_NS);
    fw_wait_again_(wait);
}

COLD void fw_bucket_lock_slow_(struct fw_bucket_lock_ *l)
{
    uint32_t id = fw_robust_self_();
    struct fw_wait_ wait;
    unsigned lost = 0;

    if ((fw_load32_relaxed(&l->owner) & FW_ROBUST_OWNER) == id)
        fw_panic_("wait-queue bucket entered twice: a signal handler may not use this object", l,
                  fw_self_(), fw_self_());
    fw_wait_begin_(&wait, &glance, NULL); /* cannot fail: no deadline, a valid policy */
    while (!spin(l, id, &wait, GLANCE_NS)) {
        if ((lost == LOST_MAX || must_lend()) && lend(l))
            break;
        if (spin(l, id, &wait, PATIENCE_NS))
            break;
        if (lost < LOST_MAX)
            lost++;
        sleep_a_while(l, &wait);
    }
    if (lost != 0) /* BKT3  F:bucket-forgets-others */
        fw_store32_relaxed(&l->calls, 1);
}

/* id|W -> whatever the kernel makes of it */
COLD void fw_bucket_hand_over_(struct fw_bucket_lock_ *l)
{
    int error;

    fw_add32_release(&l->owner, 0); /* the kernel is a barrier, but none that a sanitizer sees */
    /* F:bucket-keeps-word */
    error = fw_futex_unlock_pi_(&l->owner, FW_FUTEX_PRIVATE);
    if (error != 0)
        fw_panic_errno_("unlock of a wait-queue bucket", -error);
}

/* 1 -> 0: one of the releases that have seen it */
COLD void fw_bucket_wake_(struct fw_bucket_lock_ *l)
{
    uint32_t called = 1;

    if (fw_cas32_relaxed(&l->calls, &called, 0))
        fw_futex_wake(&l->calls, 1, FW_FUTEX_PRIVATE); /* F:bucket-no-wake */
}
