/* SPDX-License-Identifier: MIT */
/*
 * No signal is lost, a broadcast wakes all, and nobody takes the wake of one who waited before.
 * What fails here hangs, and the watchdog barks.
 */
#include <sched.h>

#include "contract.h"

/* Units that waiters take, one for each signal. */
struct stock {
    void *object;
    unsigned units;
    unsigned taken;
    unsigned waiting;
    unsigned rounds;
    bool outside; /* signal without the mutex */
};

static void stock_make(struct stock *s)
{
    memset(s, 0, sizeof *s);
    s->object = object_make(false);
}

static void take_one(struct stock *s)
{
    cond_subject->lock(s->object);
    s->waiting++;
    while (s->units == 0)
        cond_subject->wait(s->object);
    s->waiting--;
    s->units--;
    s->taken++;
    cond_subject->unlock(s->object);
}

/* Returns when that many have come and, where they block, are most likely asleep. */
static void await_waiting(struct stock *s, unsigned n)
{
    for (bool there = false; !there; clock_sleep_ns(MS / 10)) {
        cond_subject->lock(s->object);
        there = s->waiting == n;
        cond_subject->unlock(s->object);
    }
}

static void add_units(struct stock *s, unsigned n, bool all)
{
    cond_subject->lock(s->object);
    s->units += n;
    if (s->outside)
        cond_subject->unlock(s->object);
    if (all)
        cond_subject->broadcast(s->object);
    else
        for (unsigned i = 0; i < n; i++)
            cond_subject->signal(s->object);
    if (!s->outside)
        cond_subject->unlock(s->object);
}

/* Task 0 lets the others through, all that wait by as many signals, or by a broadcast. */
struct fixture {
    struct stock stock;
    pthread_barrier_t meet; /* after each round: nobody takes two units in one */
    unsigned tasks;
    bool all;
};

static void go_through(unsigned index, void *arg)
{
    struct fixture *g = arg;

    for (unsigned i = 0; i < g->stock.rounds; i++) {
        if (index == 0) {
            await_waiting(&g->stock, g->tasks - 1);
            add_units(&g->stock, g->tasks - 1, g->all);
        } else {
            take_one(&g->stock);
        }
        pthread_barrier_wait(&g->meet);
    }
}

static void check_turns(unsigned tasks, bool all, bool outside)
{
    struct fixture g = {.tasks = tasks, .all = all};

    stock_make(&g.stock);
    g.stock.rounds = kind_rounds(tasks > 10 ? 40 : 200);
    g.stock.outside = outside;
    meeting_make(&g.meet, tasks);
    tasks_run(tasks, WORKER_THREADS, all ? "a broadcast wakes all" : "signals wake as many",
              g.stock.object, go_through, &g);
    assert_int_equal(g.stock.units, 0);
    pthread_barrier_destroy(&g.meet);
    object_unmake(g.stock.object);
}

TEST(test_signals_wake_as_many)
{
    for (int outside = 0; outside < 2; outside++) {
        check_turns(2, false, outside);
        check_turns(4, false, outside);
        check_turns(30, false, outside);
    }
}

TEST(test_a_broadcast_wakes_all)
{
    for (int outside = 0; outside < 2; outside++) {
        check_turns(2, true, outside);
        check_turns(4, true, outside);
        check_turns(60, true, outside);
    }
}

/* Producers and consumers, as they come: signals meet waiters on their way in and out. */
static void trade(unsigned index, void *arg)
{
    struct stock *s = arg;
    struct rng random;

    rng_seed(&random, index);
    for (unsigned i = 0; i < s->rounds; i++) {
        if (index % 2 == 0) {
            take_one(s);
        } else {
            cond_subject->lock(s->object);
            s->units++;
            if (rng_below(&random, 2) == 0) {
                cond_subject->signal(s->object);
                cond_subject->unlock(s->object);
            } else {
                cond_subject->unlock(s->object);
                cond_subject->signal(s->object);
            }
        }
        work_ns(rng_below(&random, 3000));
    }
}

static void check_trade(unsigned tasks, unsigned kind)
{
    struct stock *s = shared_make(sizeof *s);

    work_calibrate();
    s->object = object_make((kind & WORKER_PROCESSES) != 0);
    s->rounds = kind_rounds(4000);
    tasks_run(tasks, kind, "producers signal consumers", s->object, trade, s);
    assert_int_equal(s->units, 0);
    assert_int_equal(s->taken, tasks / 2 * s->rounds);
    object_unmake(s->object);
    shared_unmake(s, sizeof *s);
}

TEST(test_no_signal_is_lost)
{
    check_trade(2, WORKER_THREADS);
    check_trade(8, WORKER_THREADS);
    if (subject_is(ADAPTER_SHARED))
        check_trade(4, WORKER_PROCESSES);
}

/*
 * Who signals and waits at once, in the same breath, must not wake itself: the signal was for
 * those who waited before.  Two hand a ball to and fro so; each waits for the other.
 */
struct ball {
    void *object;
    unsigned rounds;
    unsigned players;
    unsigned holder;
};

static void play(unsigned index, void *arg)
{
    struct ball *b = arg;

    cond_subject->lock(b->object);
    for (unsigned i = 0; i < b->rounds; i++) {
        while (b->holder != index)
            cond_subject->wait(b->object);
        b->holder = (index + 1) % b->players;
        if (b->players == 2)
            cond_subject->signal(b->object);
        else
            cond_subject->broadcast(b->object);
    }
    cond_subject->unlock(b->object);
}

TEST(test_a_later_waiter_takes_no_wake)
{
    struct ball b = {.object = object_make(false), .players = 2, .rounds = kind_rounds(3000)};

    tasks_run(2, WORKER_THREADS, "two play ball", b.object, play, &b);
    object_unmake(b.object);

    b = (struct ball){.object = object_make(false), .players = 5, .rounds = kind_rounds(400)};
    tasks_run(5, WORKER_THREADS, "five play ball", b.object, play, &b);
    object_unmake(b.object);
}

/*
 * An early waiter waits for a signal, once, without a condition; the signaller then waits itself
 * at once, time and again, until the early one says that it was woken.
 */
struct theft {
    void *object;
    pthread_barrier_t meet;
    unsigned rounds;
    bool waits, woken;
};

static void wait_or_steal(unsigned index, void *arg)
{
    struct theft *t = arg;

    for (unsigned i = 0; i < t->rounds; i++) {
        if (index == 0)
            t->waits = t->woken = false;
        pthread_barrier_wait(&t->meet);
        cond_subject->lock(t->object);
        if (index == 0) {
            t->waits = true;
            cond_subject->wait(t->object);
            t->woken = true;
            cond_subject->signal(t->object);
        } else {
            while (!t->waits) {
                cond_subject->unlock(t->object);
                sched_yield();
                cond_subject->lock(t->object);
            }
            cond_subject->signal(t->object);
            while (!t->woken)
                cond_subject->wait(t->object);
        }
        cond_subject->unlock(t->object);
        pthread_barrier_wait(&t->meet);
    }
}

TEST(test_the_signaller_steals_nothing)
{
    struct theft t = {.object = object_make(false), .rounds = kind_rounds(2000)};

    meeting_make(&t.meet, 2);
    tasks_run(2, WORKER_THREADS, "a signaller waits at once", t.object, wait_or_steal, &t);
    pthread_barrier_destroy(&t.meet);
    object_unmake(t.object);
}

/* Nobody waits: signal and broadcast do nothing, and are not kept for later. */
TEST(test_a_signal_to_nobody_is_gone)
{
    struct stock s;
    struct timespec soon = clock_in_ns(10 * MS);
    int answer = 0;

    stock_make(&s);
    add_units(&s, 0, true);
    cond_subject->signal(s.object);
    cond_subject->lock(s.object);
    if (cond_subject->timedwait != NULL) /* a wait may end for nothing, but not forever */
        for (int i = 0; i < 1000 && answer == 0; i++)
            answer = cond_subject->timedwait(s.object, &soon);
    cond_subject->unlock(s.object);
    if (cond_subject->timedwait != NULL)
        assert_int_equal(answer, ETIMEDOUT);
    object_unmake(s.object);
}

const struct contract_group group_cond_wakeup = {
    "cond-wakeup", &family_cond, always,
    TESTS(cmocka_unit_test(test_signals_wake_as_many), cmocka_unit_test(test_a_broadcast_wakes_all),
          cmocka_unit_test(test_no_signal_is_lost),
          cmocka_unit_test(test_a_later_waiter_takes_no_wake),
          cmocka_unit_test(test_the_signaller_steals_nothing),
          cmocka_unit_test(test_a_signal_to_nobody_is_gone)),
    ALSO(&group_exclusion, &group_wakeup)};
