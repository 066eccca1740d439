/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <furwock/event.h>
#include <furwock/sem.h>

/*
 * Doors that open for all, one after the other, and a ticket that lets one through.  Each door is
 * closed again only when all have passed; each ticket is given when the last one was taken.
 * Some have deadlines, and come back.
 */

enum { DOORS = 3 };

static fw_event doors[DOORS];
static fw_event ticket = FW_EVENT_INIT_AUTO;
static fw_sem passed, tickets_taken;
static unsigned have_left; /* of those who take tickets */
static bool over;

static void pass(struct worker *me, fw_event *e)
{
    fw_deadline soon = in_ns(draw(me, 100000));

    if (draw(me, 2) == 0) {
        fw_event_wait(e);
        return;
    }
    while (fw_event_timedwait(e, &soon) != 0)
        soon = in_ns(draw(me, 100000));
}

static void lead(struct worker *me)
{
    unsigned door = 0;

    do {
        fw_event_set(&doors[door]);
        if (draw(me, 2)) {
            fw_event_set(&ticket);
            fw_sem_wait(&tickets_taken);
            if (fw_event_is_set(&ticket) || fw_sem_value(&tickets_taken) != 0)
                stress_fail("two have passed with one ticket", NULL);
        }
        for (unsigned i = 2; i < stress.threads; i += 2)
            fw_sem_wait(&passed);
        fw_event_reset(&doors[door]);
        door = (door + 1) % DOORS;
        did_a_turn(me);
    } while (!stress_is_over());
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (door = 0; door < DOORS; door++)
        fw_event_set(&doors[door]);
    while (__atomic_load_n(&have_left, __ATOMIC_RELAXED) < stress.threads / 2) {
        fw_event_set(&ticket);
        sleep_us(100);
    }
}

/* Even workers go through the doors, odd ones take tickets. */
static void body(struct worker *me)
{
    unsigned door = 0;

    if (me->index == 0) {
        lead(me);
        return;
    }
    do {
        did_a_turn(me);
        if (me->index % 2 != 0) {
            pass(me, &ticket);
            fw_sem_post(&tickets_taken);
        } else {
            pass(me, &doors[door]);
            fw_sem_post(&passed);
            door = (door + 1) % DOORS;
        }
    } while (!__atomic_load_n(&over, __ATOMIC_RELAXED));
    __atomic_fetch_add(&have_left, me->index % 2, __ATOMIC_RELAXED);
}

static void end(void)
{
    for (unsigned door = 0; door < DOORS; door++)
        if (doors[door].state_ >> 32 != 0)
            stress_fail("in the end somebody is still counted at a door", NULL);
    if (ticket.state_ >> 32 != 0)
        stress_fail("in the end somebody is still counted for a ticket", NULL);
}

const struct stress_test event_tests[] = {
    {"event", "Doors that open for all, and tickets that let one through", body, 50000,
     .threads = 8, .least_threads = 3, .end = end},
    {0}};
