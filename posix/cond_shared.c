/* SPDX-License-Identifier: MIT */
/*
 * The condition variable for processes.  Contract: cond_shared.h.  Reasons:
 * doc/design/drop-in-cond.md.
 *
 * Origin: a number that every signal changes, and who sleeps under the present one came too late
 * (Drepper, "Futexes are tricky").
 *
 *   bit   31 ....................... 1   0
 *         number                         WAITERS
 *
 *   word   meaning                       left by
 *   -----  ----------------------------  --------------------------------------------------------
 *   n      nobody waits                  a waiter, with the mutex held: n -> n|W
 *   n|W    somebody may wait             signal: n|W -> n'|W, and wakes one; if nobody slept
 *                                        n'|W -> n", and wakes all
 *                                        broadcast: n|W -> n', and wakes all
 *
 * Legal:   W set when nobody waits (one needless wake); a wait that ends without a signal.
 * Illegal: to clear W and not wake all who sleep; to release the mutex before W is there; to write
 *          to the variable after one's own wait was ended, or to read it out of line.
 *
 * PCV1  A waiter has seen W beside the number under which it sleeps, before it released the mutex.
 *       So a thread that signals later changes that number.
 * PCV2  A sleeper is woken by a wake of the kernel's only; one that is not asleep yet finds
 *       another number.  A signal whose wake reached nobody has therefore been heard by all who
 *       waited, or they gave up.
 * PCV3  A thread that is woken, and finds the number under which it slept, came after the last
 *       signal, and has got the wake of another: it passes the wake on to one that sleeps under
 *       another number, and sleeps again.  (The kernel wakes by priority.)  That ends when nobody
 *       is left for whom a signal was meant.
 * PCV4  Nobody sleeps for longer than a re-check interval without a look at the number.  So a wake
 *       that was lost with a killed process delays the others, and no more.
 * PCV5  The first number is made of the time in nanoseconds, and there is less than one signal in
 *       each of them: a later variable in the same place does not come to a number of this one
 *       before 2^31 of them, and a number looks like no other content.  So one who comes late to
 *       sleep finds another value than its own.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "cond_shared.h"
#include "core/recheck.h"
#include "core/sleep.h"
#include "core/thread_state.h"
#include "core/waitqueue.h"
#include "sys/cancel.h"
#include "sys/clock.h"

#define SHARED_WAITERS 1u
#define NUMBER 2u

/* An odd number of numbers, so that all have their turn. */
#define STRIDE (0x4f1bbcddu * NUMBER)

/* "Fwk" and the number of this format. */
#define MARK 0x46776b01u

_Static_assert(STRIDE / NUMBER % 2 == 1, "the numbers come round after 2^31 steps");

struct shared_waiter {
    struct fw_waiter_node_ node;
    struct fw_shared_cond_ *c;
    const struct fw_cond_mutex_ *how;
    uint32_t seen; /* under this it sleeps */
};

static bool has_waiters(uint32_t word)
{
    return (word & SHARED_WAITERS) != 0;
}

/* The next number, and nobody waits. */
static uint32_t changed(uint32_t word)
{
    return (word & ~SHARED_WAITERS) + STRIDE;
}

/* With which one sleeps under a number: that of the next 31 is another. */
static uint32_t bit_of(uint32_t word)
{
    return UINT32_C(1) << (word / NUMBER & 31);
}

/*
 * The caller, who slept under the number `seen`, may have a wake that another should have: whom the
 * last signal meant, if there was none since the caller came.
 */
static void pass_on(const struct fw_shared_cond_ *c, uint32_t seen)
{
    bool is_late = fw_load32_relaxed(&c->word) == seen;

    fw_futex_wake_bitset(&c->word, 1, is_late ? ~bit_of(seen) : FW_FUTEX_ANY_BIT, FW_FUTEX_SHARED);
}

void fw_shared_cond_init_(struct fw_shared_cond_ *c)
{
    uint64_t now = fw_clock_ns_();

    fw_store32_relaxed(&c->word, ((uint32_t)now + fw_stamp_()) * STRIDE); /* PCV5 */
    fw_store32_relaxed(&c->mark, MARK);
}

bool fw_shared_cond_is_ours_(const struct fw_shared_cond_ *c)
{
    return fw_load32_relaxed(&c->mark) == MARK;
}

/* In line: what destroys the variable waits for it. */
static void enqueue(struct shared_waiter *me)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(me->c);

    fw_waitqueue_insert_(bucket, &me->node, me->c, 0);
    fw_waitqueue_unlock_(bucket);
}

/* From now on the variable may be gone. */
static void leave_queue(struct shared_waiter *me)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(me->c);

    fw_waitqueue_remove_(bucket, &me->node);
    fw_waitqueue_unlock_(bucket);
}

/* n -> n|W, with the mutex held (PCV1). */
static void announce(struct shared_waiter *me)
{
    uint32_t word = fw_load32_relaxed(&me->c->word);

    /* F:pcond-unannounced */
    while (!has_waiters(word) && !fw_cas32_relaxed(&me->c->word, &word, word | SHARED_WAITERS))
        ;
    me->seen = word | SHARED_WAITERS; /* F:pcond-unannounced-2 */
}

/* It may have been woken, and is unwound. */
static void cancelled(void *arg)
{
    struct shared_waiter *me = arg;

    pass_on(me->c, me->seen); /* F:pcond-swallows */
    leave_queue(me);          /* F:pcond-cancelled-in-line */
    me->how->lock(me->how->mutex, false);
}

/* 0: woken, or a signal was given; ETIMEDOUT. */
static int sleep_until_over(struct shared_waiter *me, const fw_deadline *deadline)
{
    struct fw_bounded_sleep_ sleep = {FW_FUTEX_SHARED, FW_RECHECK_POSIX_COND_NS, deadline};

    for (;;) {
        int error = fw_sleep_bounded_cancellable_(&sleep, &me->c->word, me->seen, bit_of(me->seen),
                                                  cancelled, me);

        if (error == -ETIMEDOUT)
            return ETIMEDOUT;
        if (error != 0 && error != -EINTR)
            return 0; /* another number, or no such memory any more (PCV2) */
        /* F:pcond-sleeps-on */
        if (fw_load32_relaxed(&me->c->word) != me->seen)
            return 0;
        if (error == 0) /* PCV3  F:pcond-sleeps-on-2 */
            pass_on(me->c, me->seen);
    }
}

static void nothing(void *arg)
{
    (void)arg;
}

int fw_shared_cond_wait_(struct fw_shared_cond_ *c, const struct fw_cond_mutex_ *how,
                         const fw_deadline *deadline)
{
    struct shared_waiter me = {.c = c, .how = how};
    int error;
    int locked;

    if (!fw_deadline_is_valid_(deadline))
        return EINVAL;
    fw_cancel_point_(nothing, NULL);
    enqueue(&me);
    announce(&me); /* F:pcond-unlocks-first */
    error = how->unlock(how->mutex);
    if (error != 0) {
        leave_queue(&me);
        return error;
    }
    error = sleep_until_over(&me, deadline); /* F:pcond-leaves-early */
    leave_queue(&me);
    locked = how->lock(how->mutex, false);
    return locked != 0 ? locked : error;
}

void fw_shared_cond_signal_(struct fw_shared_cond_ *c)
{
    uint32_t word = fw_load32_acquire(&c->word);

    do {
        if (!has_waiters(word))
            return;
        /* F:pcond-same-number */
    } while (!fw_cas32_release(&c->word, &word, changed(word) | SHARED_WAITERS));
    if (fw_futex_wake(&c->word, 1, FW_FUTEX_SHARED) > 0) /* F:pcond-no-wake */
        return;
    fw_shared_cond_broadcast_(c); /* F:pcond-clears-quietly */
}

void fw_shared_cond_broadcast_(struct fw_shared_cond_ *c)
{
    uint32_t word = fw_load32_acquire(&c->word);

    do {
        if (!has_waiters(word))
            return;
    } while (!fw_cas32_release(&c->word, &word, changed(word)));
    fw_futex_wake(&c->word, FW_FUTEX_ALL, FW_FUTEX_SHARED); /* F:pcond-wakes-one */
}
