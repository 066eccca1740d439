/* SPDX-License-Identifier: MIT */
/*
 * A section that is waited for goes before a task that wakes up beside it without the library's
 * knowing: L holds the lock on one CPU; M, which is more urgent, sleeps there in read(2), is woken
 * by L in its section, and computes until R (and S), who wait for the lock, have had it.  If
 * nothing raises L, they never do.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

enum { LIMIT_S = 30 };

static int ends[2];  /* of a pipe */
static bool is_task; /* M */
static pthread_t other;

static unsigned waiters;

/* Until they have had the lock.  The limit is for a library that is wrong. */
static void compute(void)
{
    uint64_t end = now_ns() + LIMIT_S * UINT64_C(1000000000);

    while (__atomic_load_n(&n_played, __ATOMIC_ACQUIRE) < waiters && now_ns() < end)
        continue;
    log_event('M');
}

static void wake_up_outside(struct actor *a)
{
    char c;

    sem_post(&told);
    CHECK(read(ends[0], &c, 1) == 1);
    (void)a;
    compute();
}

static void *be_no_task(void *unused)
{
    struct sched_param param = {.sched_priority = 10};
    cpu_set_t set;

    (void)unused;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpus[1], &set);
    CHECK(sched_setscheduler(0, SCHED_FIFO, &param) == 0);
    CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
    wake_up_outside(NULL);
    return NULL;
}

/* M preempts it as soon as it has written; from then on it runs only if somebody raises it. */
static void hold_beside_m(struct actor *a)
{
    take(a, 'a');
    sem_post(&told);
    CHECK(write(ends[1], "", 1) == 1);
    until_waiting('a', waiters);
    leave(a, 'a');
}

static void want_a(struct actor *a)
{
    take(a, 'a');
    log_event(a->name[0]);
    leave(a, 'a');
}

static void one_wakes_up_outside(void)
{
    const struct actor all[] = {
        {.name = "L", .cpu = cpus[1], .priority = 5, .play = hold_beside_m, .opens = "a"},
        {.name = "R", .cpu = cpus[0], .priority = 40, .play = want_a, .opens = "a"},
        {.name = "S", .cpu = cpus[0], .priority = 30, .play = want_a, .opens = "a"},
        {.name = "M", .cpu = cpus[1], .priority = 10, .play = wake_up_outside, .opens = ""},
    };
    struct actor some[ACTORS];
    unsigned n = 1 + waiters;

    CHECK(pipe(ends) == 0);
    memcpy(some, all, n * sizeof *some);
    if (is_task)
        some[n] = all[3];
    fixture_start(some, is_task ? n + 1 : n);
    if (is_task)
        cue(n);
    else
        CHECK(pthread_create(&other, NULL, be_no_task, NULL) == 0);
    await(&told); /* M is about to read */
    cue(0);
    await(&told);
    for (unsigned i = 1; i <= waiters; i++) {
        cue(i);
        if (i < waiters)
            until_waiting('a', i);
    }
    if (!is_task)
        CHECK(pthread_join(other, NULL) == 0);
    fixture_finish(waiters == 1 ? "RM" : "RSM");
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    fixture_begin();
    for (protocol = FW_RT_MPCP; protocol <= FW_RT_FMLP_DU; protocol++)
        for (waiters = 1; waiters <= 2; waiters++)
            for (unsigned i = 0; i < 2; i++) {
                is_task = i == 0;
                limit(LONGEST_S, fw_rt_protocol_name(protocol));
                one_wakes_up_outside();
            }
    return 0;
}
