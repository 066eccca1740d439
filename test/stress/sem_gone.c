/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <furwock/any.h>
#include <furwock/event.h>
#include <furwock/sem.h>

/*
 * Whoever was waiting unmaps the object at once, while those who posted or set it may still be in
 * their calls.  In unmapped memory a late touch is a fault.
 */

enum { OBJECTS = 500, KINDS = 3 };

struct object {
    fw_sem sem;
    fw_event event;
};

static struct object *objects[OBJECTS];

static void make(struct worker *me, int i)
{
    (void)me;
    objects[i] = new_page();
    fw_event_init(&objects[i]->event, i % 2 ? FW_EVENT_AUTO : FW_EVENT_MANUAL, false);
}

/* The kinds of use: a unit of each of the others; one that sets; the same by wait-any. */
static void give(struct worker *me, int i, bool is_first)
{
    if (i % KINDS == 0)
        (void)(draw(me, 2) ? fw_sem_post(&objects[i]->sem) : fw_sem_post_n(&objects[i]->sem, 1));
    else if (is_first)
        fw_event_set(&objects[i]->event);
}

static void wait_for(struct worker *me, int i)
{
    static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};
    const fw_wait_policy *how = draw(me, 2) ? &block : NULL;
    struct object *o = objects[i];
    const fw_any either[] = {{FW_ANY_SEM, &o->sem}, {FW_ANY_EVENT, &o->event}};

    if (i % KINDS == 0)
        for (unsigned n = 1; n < stress.threads; n++)
            fw_sem_wait_policy(&o->sem, how, NULL);
    else if (i % KINDS == 1)
        fw_event_wait_policy(&o->event, how, NULL);
    else
        fw_wait_any(either, 2, NULL, NULL);
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

const struct stress_test sem_gone_tests[] = {
    {"sem_gone", "Semaphores and events that go away with whoever waited for them", body, 50,
     .threads = 3, .least_threads = 2, .most_threads = 16},
    {0}};
