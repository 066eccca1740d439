/* SPDX-License-Identifier: MIT */
/*
 * fw_once.  Contract: furwock/once.h.  Reasons: doc/design/once.md.
 *
 * Origin: pthread_once of POSIX, with an initialiser that may fail as in C++'s std::call_once, on a
 * futex.
 *
 *   bit   31   30 .......... 8   7          6 ...... 2   1      0
 *         0    thread            SLEEPERS   generation   DONE   RUNNING
 *
 * word                            meaning                     left by
 * ------------------------------  --------------------------  ------------------------------------
 * 0                               not begun                   anybody: becomes the runner
 * RUNNING, thread, generation     the thread initialises      the runner: to DONE or back to 0
 * RUNNING, SLEEPERS, ...          and somebody may sleep      the runner: the same, and wakes all
 * RUNNING, a thread not here      the runner was left behind  anybody: becomes the runner
 *                                 by a fork
 * DONE                            done                        nobody
 *
 * Legal:   SLEEPERS set when nobody sleeps: one needless wake.
 * Illegal: to sleep with an expected value in which SLEEPERS is not set; to leave RUNNING without a
 *          wake where SLEEPERS was set.
 *
 * ONCE1  One thread of a process at a time is the runner; it leaves RUNNING by one exchange,
 *        whichever way the initialiser ends, and does not touch the memory after that (the wake
 *        that may follow uses the address only).
 * ONCE2  A thread sleeps only with an expected value in which SLEEPERS is set.
 */
#include <pthread.h>
#include <stddef.h>

/* This file has the linkable copy of the inline functions. */
#define FW_INLINE FW_API

#include <furwock/bits/self.h>
#include <furwock/futex.h>
#include <furwock/once.h>

#include "core/attributes.h"
#include "core/wait.h"
#include "sys/fork.h"
#include "sys/panic.h"
#include "sys/thread.h"

#define ONCE_RUNNING FW_ID_HELD
#define ONCE_GENERATION_SHIFT 2
#define ONCE_GENERATION (31u << ONCE_GENERATION_SHIFT)
#define ONCE_SLEEPERS 0x80u
#define ONCE_LOWEST_BYTE 0xffu

_Static_assert(sizeof(fw_once) == 4, "the public promise");
_Static_assert((ONCE_RUNNING | FW_ONCE_DONE_ | ONCE_GENERATION | ONCE_SLEEPERS) == ONCE_LOWEST_BYTE,
               "the flags fill the byte that an identity leaves free");
_Static_assert(FW_ID_SHIFT == 8, "an identity leaves one byte free");

static bool is_running(uint32_t w)
{
    return (w & ONCE_RUNNING) != 0;
}

static bool has_sleepers(uint32_t w)
{
    return (w & ONCE_SLEEPERS) != 0;
}

static uint32_t runner_of(uint32_t w)
{
    return (w & ~ONCE_LOWEST_BYTE) | FW_ID_HELD;
}

static uint32_t generation_of(uint32_t w)
{
    return (w & ONCE_GENERATION) >> ONCE_GENERATION_SHIFT;
}

/* May anybody begin? */
static bool is_vacant(uint32_t w)
{
    /* F:once-waits-for-stale */
    return !is_running(w) || !fw_is_here_(runner_of(w), generation_of(w));
}

/* One step towards sleep, or the sleep: RUNNING -> RUNNING, SLEEPERS. */
static void wait_once(fw_once *o, uint32_t w, struct fw_wait_ *wait)
{
    if (fw_wait_blocks_(wait) && !has_sleepers(w)) { /* F:once-sleeps-unannounced */
        if (!fw_cas32_relaxed(&o->state_, &w, w | ONCE_SLEEPERS))
            return;
        w |= ONCE_SLEEPERS;
    }
    fw_wait_sleep_(wait, &o->state_, w, FW_FUTEX_ANY_BIT, 0);
}

bool fw_once_begin_(fw_once *o)
{
    uint32_t me = fw_self_();
    /* F:once-forgets-generation */
    uint32_t mine = me | fw_fork_generation_() << ONCE_GENERATION_SHIFT;
    struct fw_wait_ wait;

    fw_wait_begin_(&wait, NULL, NULL); /* cannot fail */
    for (;;) {
        uint32_t w = fw_load32_acquire(&o->state_);

        if (w == FW_ONCE_DONE_)
            return false;
        if (is_vacant(w)) {
            /* not begun, or left behind -> RUNNING; acquire: what a failed attempt has left */
            if (fw_cas32_acquire(&o->state_, &w, mine)) /* F:once-torn */
                return true;
            continue;
        }
        if (runner_of(w) == me)
            fw_panic_("once called from its own initialiser", o, me, me);
        if (!fw_wait_spin_(&wait))
            wait_once(o, w, &wait);
    }
}

/* RUNNING -> DONE or not begun (ONCE1). */
void fw_once_end_(fw_once *o, bool done)
{
    uint32_t w = fw_xchg32_release(&o->state_, done ? FW_ONCE_DONE_ : 0); /* F:once-torn-end */

    if (has_sleepers(w))                                           /* F:once-quiet-failure */
        fw_futex_wake(&o->state_, FW_FUTEX_ALL, FW_FUTEX_PRIVATE); /* F:once-wakes-one */
}

/* What must be known when the initialiser ends, however it does. */
struct attempt {
    fw_once *o;
    bool done;
};

static void end_attempt(void *arg)
{
    const struct attempt *a = arg;

    fw_once_end_(a->o, a->done);
}

/*
 * This file is compiled with -fexceptions: the cleanup also runs when a C++ exception unwinds.
 */
COLD int fw_once_call_slow_(fw_once *o, int (*init)(void *), void *arg)
{
    struct attempt attempt = {o, false};
    int error;

    if (!fw_once_begin_(o))
        return 0;
    pthread_cleanup_push(end_attempt, &attempt);
    error = init(arg);
    attempt.done = error == 0; /* F:once-done-anyway */
    pthread_cleanup_pop(1);
    return error;
}
