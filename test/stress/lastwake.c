/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <sched.h>

/*
 * Short rounds, between which nobody uses the lock.  Under constant use the next release makes up
 * for a wake that was lost; here there is no next release, and whoever was overlooked sleeps for
 * ever.  Most rounds begin with a new lock, so that the first releases are plain.
 */

static struct guarded one;

static struct {
    unsigned arrived __attribute__((aligned(64)));
    unsigned round __attribute__((aligned(64)));
    bool is_last;
} start;

/* Waits for all workers without sleeping, so that they leave together.  True: one more round. */
static bool meet(struct worker *me)
{
    unsigned round = __atomic_load_n(&start.round, __ATOMIC_ACQUIRE);
    unsigned polls = 0;

    if (__atomic_add_fetch(&start.arrived, 1, __ATOMIC_ACQ_REL) == stress.threads) {
        check_at_rest(&one);
        if (draw(me, 8))
            fw_mutex_init(&one.lock);
        start.arrived = 0;
        start.is_last = stress_is_over();
        __atomic_store_n(&start.round, round + 1, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&start.round, __ATOMIC_ACQUIRE) == round)
        if (++polls % 256 == 0)
            sched_yield();
    return !start.is_last;
}

/* Some nanoseconds; the clock would be too coarse. */
static void dither(uint32_t n)
{
    for (volatile uint32_t i = 0; i < n; i++)
        ;
}

static void visit(struct worker *me, unsigned how)
{
    static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};
    fw_deadline soon = {{0, 0}, CLOCK_MONOTONIC};
    int error;

    if (how % 4 == 0) {
        soon = in_ns(draw(me, 30000));
        error = fw_mutex_lock_policy(&one.lock, &block, &soon);
    } else if (how % 4 == 1) {
        error = fw_mutex_trylock(&one.lock);
    } else {
        error = fw_mutex_lock_policy(&one.lock, how & 4 ? &block : NULL, NULL);
    }
    if (error != 0)
        return;
    use(&one);
    dither(draw(me, 64));
    if (how & 8)
        sleep_us(1); /* the others sleep when the release comes */
    if ((how & 0x70) == 0)
        fw_mutex_unlock_fair(&one.lock);
    else
        fw_mutex_unlock(&one.lock);
}

static void body(struct worker *me)
{
    do {
        unsigned visits = 1 + draw(me, 3);

        while (visits-- > 0) {
            dither(draw(me, 64));
            visit(me, draw(me, 16) ? draw(me, 128) & ~8u : 8 | draw(me, 128));
        }
        did_a_turn(me);
    } while (meet(me));
}

const struct stress_test lastwake_tests[] = {
    {"lastwake", "The last release of a round must not overlook a waiter", body, 8000, .threads = 3,
     .seconds = 2.5, .least_threads = 1, .most_threads = 16, .locks = &one, .n_locks = 1},
    {0}};
