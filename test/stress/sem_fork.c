/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/event.h>
#include <furwock/sem.h>

/*
 * Forks while others wait, are woken, and have units reserved.  In the child all these do not
 * exist: every unit that is there can be taken, a wait gets what is posted, and a deadline ends it.
 */

enum { UNITS = 2, CHILD_THREADS = 3 };

static fw_sem units;
static fw_event ticket = FW_EVENT_INIT_AUTO;
static uint64_t forks;

static void one_turn(struct worker *me)
{
    fw_deadline soon = in_ns(draw(me, 100000));

    if (fw_sem_timedwait(&units, draw(me, 3) ? &soon : NULL) == 0) {
        if (draw(me, 8) == 0)
            burn(draw(me, 20000));
        fw_sem_post(&units);
    }
    if (fw_event_timedwait(&ticket, &soon) == 0 || draw(me, 16) == 0)
        fw_event_set(&ticket);
}

static void grown_up(struct worker *me)
{
    do {
        one_turn(me);
        did_a_turn(me);
    } while (!stress_is_over());
}

static void stuck(int signal)
{
    (void)signal;
    stress_fail("a child is stuck", NULL);
}

static void in_child(struct worker *me)
{
    fw_deadline soon = in_ns(100000);
    uint32_t left = fw_sem_value(&units);

    signal(SIGALRM, stuck);
    alarm(100);
    for (uint32_t i = 0; i < left; i++)
        if (fw_sem_trywait(&units) != 0)
            stress_fail("a unit is reserved for a thread that does not exist", NULL);
    if (fw_sem_timedwait(&units, &soon) != ETIMEDOUT)
        stress_fail("a unit came from nowhere", NULL);
    if (fw_sem_post_n(&units, UNITS) != 0)
        stress_fail("units cannot be posted", NULL);
    if (units.state_ != UNITS)
        stress_fail("stale waiters are counted", NULL);
    fw_event_set(&ticket);
    fw_event_wait(&ticket);
    for (int i = 0; i < 50; i++)
        one_turn(me);
    /* Sanitizers and emulators cannot have new threads in the child of a process with threads. */
    if (!stress.is_constrained)
        stress_run_for(0.01, CHILD_THREADS, grown_up);
    if (units.state_ != UNITS)
        stress_fail("in the end units are missing, or somebody is still counted", NULL);
    _exit(0);
}

static void body(struct worker *me)
{
    struct worker copy = *me;
    int status;
    pid_t pid;

    do {
        did_a_turn(me);
        one_turn(me);
        if (me->index != 0)
            continue;
        pid = fork();
        if (pid == 0)
            in_child(&copy);
        if (pid < 0)
            continue; /* the system allows no more */
        if (waitpid(pid, &status, 0) != pid || status != 0)
            stress_fail("a child failed", NULL);
        __atomic_fetch_add(&forks, 1, __ATOMIC_RELAXED);
    } while (!stress_is_over());
    fw_event_set(&ticket);
}

int main(int argc, char **argv)
{
    stress.about = "Forks while others wait for units";
    stress.threads = 6;
    stress.seconds = 2;
    stress_begin(argc, argv);
    if (fw_sem_init(&units, UNITS, FW_SEM_MAX) != 0)
        return EXIT_FAILURE;
    stress_run(stress.threads, body);
    printf("%llu forks\n", (unsigned long long)forks);
    return forks > 0 ? stress_end() : EXIT_FAILURE;
}
