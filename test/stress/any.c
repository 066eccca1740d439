/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>

#include <furwock/any.h>
#include <furwock/event.h>
#include <furwock/sem.h>

/*
 * Rounds.  The first worker gives some units of A, some of B, sets a ticket, and waits until all is
 * taken, before it gives more.  Others wait for A, for B, for the ticket, or for any of these; who
 * is woken for one and takes another must not leave the first to nobody.  Only those in mode
 * `timed` have a deadline: a wake that is lost is a round that does not end.  Mode `dark`: a system
 * call filter refuses futex_waitv.
 */

enum { ROLES = 4, SYS_FUTEX_WAITV_ = 449 };
enum { PLAIN, TIMED, DARK };

static fw_sem a, b, taken;
static fw_event ticket = FW_EVENT_INIT_AUTO, stop = FW_EVENT_INIT;
static bool with_deadlines;

static void give(struct worker *me)
{
    unsigned rounds = 0;

    do {
        unsigned of_a = draw(me, 3), of_b = draw(me, 3), tickets = draw(me, 2);

        fw_sem_post_n(&a, of_a);
        if (tickets != 0)
            fw_event_set(&ticket);
        for (unsigned i = 0; i < of_b; i++)
            fw_sem_post(&b);
        for (unsigned i = 0; i < of_a + of_b + tickets; i++)
            fw_sem_wait(&taken);
        if (fw_sem_value(&a) != 0 || fw_sem_value(&b) != 0 || fw_event_is_set(&ticket))
            stress_fail("more was given than was there", NULL);
        did_a_turn(me);
        if (++rounds % 64 == 0)
            sleep_us(200); /* all asleep */
    } while (!stress_is_over());
    fw_event_set(&stop);
    fw_sem_post_n(&a, stress.threads);
    fw_sem_post_n(&b, stress.threads);
}

/* The index of what was taken; 0 is the order to stop. */
static unsigned choose(struct worker *me)
{
    static const fw_any all[] = {{FW_ANY_EVENT, &stop},
                                 {FW_ANY_SEM, &a},
                                 {FW_ANY_SEM, &b},
                                 {FW_ANY_EVENT, &ticket},
                                 {FW_ANY_SEM, &b}};
    fw_deadline soon = in_ns(draw(me, 100000));
    unsigned which;

    while (fw_wait_any(all, 5, with_deadlines ? &soon : NULL, &which) != 0)
        soon = in_ns(draw(me, 100000));
    return which;
}

static unsigned wait_for_one(struct worker *me)
{
    fw_sem *mine = me->index % ROLES == 1 ? &a : &b;
    fw_deadline soon = in_ns(draw(me, 100000));

    while (fw_sem_timedwait(mine, with_deadlines ? &soon : NULL) != 0)
        soon = in_ns(draw(me, 100000));
    return !fw_event_is_set(&stop);
}

static void body(struct worker *me)
{
    if (me->index == 0) {
        give(me);
        return;
    }
    did_a_turn(me);
    while (me->index % ROLES < 3 && me->index % ROLES > 0 ? wait_for_one(me) : choose(me)) {
        fw_sem_post(&taken);
        did_a_turn(me);
    }
}

static int begin(void)
{
    with_deadlines = stress_test->variant == TIMED;
    if (stress_test->variant == DARK && !refuse_system_call(SYS_FUTEX_WAITV_, ENOSYS))
        return SKIPPED;
    return 0;
}

static void end(void)
{
    if (a.state_ >> 32 != 0 || b.state_ >> 32 != 0 || ticket.state_ >> 32 != 0)
        stress_fail("in the end somebody is still counted", NULL);
}

#define ABOUT "Threads that wait for one object beside others that wait for any"
#define COMMON .threads = 9, .least_threads = 5, .begin = begin, .end = end

const struct stress_test any_tests[] = {
    {"any", ABOUT, body, 30000, COMMON, .variant = PLAIN},
    {"any_timed", ABOUT ", with deadlines", body, 15000, COMMON, .variant = TIMED},
    {"any_dark", ABOUT ", without futex_waitv", body, 4000, COMMON, .variant = DARK},
    {0}};
