/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <furwock/any.h>
#include <furwock/event.h>
#include <furwock/latch.h>
#include <furwock/sem.h>

/*
 * Whoever was waiting unmaps the object at once, while those who counted down, posted or set it may
 * still be in their calls.  In unmapped memory a late touch is a fault.  (Locks, condition
 * variables and barriers: the contract's groups called lifetime.)
 */

enum { OBJECTS = 500 };
enum { UNITS, EVENT, ANY, LATCH, KINDS };

struct object {
    fw_sem sem;
    fw_event event;
    fw_latch latch;
};

static struct object *objects[OBJECTS];

static void make(struct worker *me, int i)
{
    (void)me;
    objects[i] = new_page();
    fw_event_init(&objects[i]->event, i % 2 ? FW_EVENT_AUTO : FW_EVENT_MANUAL, false);
    if (fw_latch_init(&objects[i]->latch, stress.threads - 1) != 0)
        stress_fail("a latch cannot be made", NULL);
}

/* A unit or a count of each of the others; or one that sets. */
static void give(struct worker *me, int i, bool is_first)
{
    if (i % KINDS == UNITS)
        (void)(draw(me, 2) ? fw_sem_post(&objects[i]->sem) : fw_sem_post_n(&objects[i]->sem, 1));
    else if (i % KINDS == LATCH)
        fw_latch_count_down(&objects[i]->latch, 1);
    else if (is_first)
        fw_event_set(&objects[i]->event);
}

static void wait_for(struct worker *me, int i)
{
    static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};
    const fw_wait_policy *how = draw(me, 2) ? &block : NULL;
    struct object *o = objects[i];
    const fw_any either[] = {{FW_ANY_SEM, &o->sem}, {FW_ANY_EVENT, &o->event}};

    if (i % KINDS == UNITS)
        for (unsigned n = 1; n < stress.threads; n++)
            (void)!fw_sem_wait_policy(&o->sem, how, NULL);
    else if (i % KINDS == EVENT)
        fw_event_wait_policy(&o->event, how, NULL);
    else if (i % KINDS == LATCH)
        fw_latch_wait_policy(&o->latch, how, NULL);
    else
        (void)!fw_wait_any(either, 2, NULL, NULL);
}

static void use_object(struct worker *me, int i)
{
    unsigned waiter = (unsigned)i % stress.threads;

    if (me->index != waiter) {
        give(me, i, me->index == (waiter + 1) % stress.threads);
        return;
    }
    wait_for(me, i);
    drop_page(objects[i]);
}

static void body(struct worker *me)
{
    stress_batches(me, OBJECTS, make, use_object);
}

const struct stress_test freed_tests[] = {
    {"freed", "Objects that go away with whoever waited for them", body, 70, .threads = 3,
     .least_threads = 2, .most_threads = 16},
    {0}};
