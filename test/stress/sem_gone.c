/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/any.h>
#include <furwock/event.h>
#include <furwock/sem.h>

/*
 * Whoever was waiting unmaps the object at once, while those who posted or set it may still be in
 * their calls.  In unmapped memory a late touch is a fault.
 */

enum { OBJECTS = 500, MAX_USERS = 16, KINDS = 3 };

struct object {
    fw_sem sem;
    fw_event event;
};

static struct object *objects[OBJECTS];
static pthread_barrier_t between_batches;
static size_t page;
static bool is_last_batch;

static void make_batch(void)
{
    for (int i = 0; i < OBJECTS; i++) {
        struct object *o =
            mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (o == MAP_FAILED)
            stress_fail("no memory", NULL);
        fw_event_init(&o->event, i % 2 ? FW_EVENT_AUTO : FW_EVENT_MANUAL, false);
        objects[i] = o;
    }
    is_last_batch = stress_is_over();
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

static void body(struct worker *me)
{
    bool last;

    do {
        if (me->index == 0)
            make_batch();
        pthread_barrier_wait(&between_batches);
        last = is_last_batch;
        for (int i = 0; i < OBJECTS; i++) {
            unsigned waiter = (unsigned)i % stress.threads;

            if (draw(me, 8) == 0)
                burn(draw(me, 3000));
            if (me->index != waiter) {
                give(me, i, me->index == (waiter + 1) % stress.threads);
                continue;
            }
            wait_for(me, i);
            munmap(objects[i], page);
        }
        did_a_turn(me);
        pthread_barrier_wait(&between_batches);
    } while (!last);
}

int main(int argc, char **argv)
{
    stress.about = "Semaphores and events that go away with whoever waited for them";
    stress.threads = 3;
    stress_begin(argc, argv);
    if (stress.threads < 2 || stress.threads > MAX_USERS)
        stress.threads = MAX_USERS;
    page = (size_t)sysconf(_SC_PAGESIZE);
    pthread_barrier_init(&between_batches, NULL, stress.threads);
    stress_run(stress.threads, body);
    pthread_barrier_destroy(&between_batches);
    return stress_end();
}
