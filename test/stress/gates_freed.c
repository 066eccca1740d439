/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <furwock/barrier.h>
#include <furwock/latch.h>

/*
 * Gates whose memory is gone as early as the headers allow.  A barrier: the first thread that
 * returns destroys and unmaps it while the others are leaving.  A latch: the one that waits unmaps
 * it while the one that opened it may still be in its call.  In unmapped memory a late touch is a
 * fault.
 */

enum { OBJECTS = 500 };

struct object {
    fw_barrier barrier;
    unsigned first; /* threads that have returned, and asked whether they are the first */
    fw_latch *latch;
};

static struct object objects[OBJECTS];
static fw_barrier *barriers[OBJECTS]; /* each in a page of its own */

static void make(struct worker *me, int i)
{
    (void)me;
    barriers[i] = new_page();
    objects[i].latch = new_page();
    objects[i].first = 0;
    if (fw_barrier_init(barriers[i], stress.threads) != 0 ||
        fw_latch_init(objects[i].latch, stress.threads - 1) != 0)
        stress_fail("a gate cannot be made", NULL);
}

static void use_barrier(struct worker *me, int i)
{
    static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};

    if (draw(me, 2))
        fw_barrier_wait_policy(barriers[i], &block);
    else
        fw_barrier_wait(barriers[i]);
    if (__atomic_fetch_add(&objects[i].first, 1, __ATOMIC_RELAXED) != 0)
        return;
    fw_barrier_destroy(barriers[i]);
    drop_page(barriers[i]);
}

/* One waits, the others count. */
static void use_latch(struct worker *me, int i)
{
    static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};
    fw_latch *l = objects[i].latch;

    if (me->index != (unsigned)i % stress.threads) {
        fw_latch_count_down(l, 1);
        return;
    }
    if (draw(me, 2))
        fw_latch_wait_policy(l, &block, NULL);
    else
        fw_latch_wait(l);
    drop_page(l);
}

static void use_both(struct worker *me, int i)
{
    use_barrier(me, i);
    use_latch(me, i);
}

static void body(struct worker *me)
{
    stress_batches(me, OBJECTS, make, use_both);
}

const struct stress_test gates_freed_tests[] = {{"gates_freed",
                                                 "Gates that go away with the first who returns",
                                                 body, 30, .least_threads = 2, .most_threads = 16},
                                                {0}};
