/* SPDX-License-Identifier: MIT */
/*
 * The rounds of condperf.
 *
 * Before each round all threads wait: the last of them to do so tells the main thread while it
 * still holds the mutex, so once the main thread has had the mutex, that one waits, too.  The main
 * thread then lets some time pass, so that whoever polls before it sleeps has gone to sleep.  It
 * gives out a ticket for each thread and wakes them.  Each thread that finds a ticket takes it,
 * works, and waits again; the last ticket's holder reads the clock right before it does.  The time
 * from before the broadcast until then is the time of the round: it holds n wakes, n times the
 * mutex, and n - 1 returns to sleep.
 *
 * Tickets, and not a number of the round: with signals one thread may be woken twice in a round and
 * another not at all, which POSIX allows.
 */
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "bench/adapters/cond_adapter.h"
#include "condperf.h"
#include "measure/clock.h"
#include "measure/task_limits.h"
#include "measure/workers.h"
#include "molnar.h"

enum {
    WARM_ROUNDS = 2, /* stacks are touched, queues are allocated */
    SETTLE_US = 60,  /* longer than any of the locks polls before it sleeps */
    PATIENCE_S = 10, /* after which a round that does not end has lost a wake-up */
    RESCUES_MAX = 3, /* broadcasts that try to mend that */
    US = 1000,       /* nanoseconds */
    S = 1000000000
};

struct fixture {
    const struct cond_adapter *lock;
    void *object;
    const struct wakes *wakes;
    uint64_t section; /* steps of work */
    sem_t told;       /* ... the main thread: all wait again, or all have gone */

    /* Under the mutex. */
    unsigned tickets;
    unsigned left; /* threads that have not come back to wait in this round */
    unsigned here;
    uint64_t ended;
    bool over;
};

static void waiter(unsigned index, void *fixture)
{
    struct fixture *s = fixture;
    const struct cond_adapter *l = s->lock;

    (void)index;
    l->lock(s->object);
    for (;;) {
        if (--s->left == 0) {
            s->ended = clock_ns();
            sem_post(&s->told);
        }
        do {
            l->wait(s->object);
        } while (s->tickets == 0 && !s->over);
        if (s->over)
            break;
        s->tickets--;
        work_do(s->section);
    }
    if (--s->here == 0)
        sem_post(&s->told);
    l->unlock(s->object);
}

/* Lets the CPUs to whoever is still on the way to sleep. */
static void let_sleep(void)
{
    if (bench_counts_calls) {
        clock_sleep_ns(SETTLE_US * US); /* one call, not thousands */
        return;
    }
    for (uint64_t until = clock_ns() + SETTLE_US * US; clock_ns() < until;)
        sched_yield();
}

static bool wait_patiently(struct fixture *s, uint64_t ns)
{
    struct timespec at = clock_in_ns((int64_t)ns);

    while (sem_clockwait(&s->told, CLOCK_MONOTONIC, &at) != 0)
        if (errno == ETIMEDOUT)
            return false;
    return true;
}

/*
 * Waits to be told.  A lock that loses a wake-up (glibc's may: BZ 25847) is helped on
 * by a broadcast; that is counted.
 */
static void be_told(struct fixture *s, struct bench_entry *e)
{
    uint64_t patience =
        (uint64_t)PATIENCE_S * S + 10ull * s->wakes->waiters * s->wakes->section_us * US;

    for (int i = 0; !wait_patiently(s, patience); i++) {
        if (i == RESCUES_MAX) {
            bench_warn("%s: threads stay asleep whatever is broadcast", e->lock->name);
            exit(1);
        }
        e->faults++;
        e->fault = "lost wake-ups";
        s->lock->lock(s->object);
        s->lock->broadcast(s->object);
        s->lock->unlock(s->object);
    }
}

/* Waits for the end of a round, until all sleep. */
static void await_all(struct fixture *s, struct bench_entry *e)
{
    be_told(s, e);
    s->lock->lock(s->object);
    s->lock->unlock(s->object);
    let_sleep();
}

static void wake_all(struct fixture *s)
{
    if (!s->wakes->signal) {
        s->lock->broadcast(s->object);
        return;
    }
    for (unsigned i = 0; i < s->wakes->waiters; i++)
        s->lock->signal(s->object);
}

/* One round; the nanoseconds it took. */
static uint64_t run_once(struct fixture *s, struct bench_entry *e)
{
    const struct cond_adapter *l = s->lock;
    uint64_t began;

    l->lock(s->object);
    s->left = s->tickets = s->wakes->waiters;
    if (s->wakes->free) {
        l->unlock(s->object);
        began = clock_ns();
        wake_all(s);
    } else {
        began = clock_ns();
        wake_all(s);
        l->unlock(s->object);
    }
    await_all(s, e);
    return s->ended - began;
}

static void end_all(struct fixture *s, struct bench_entry *e, struct worker_group *group)
{
    s->lock->lock(s->object);
    s->over = true;
    s->lock->broadcast(s->object);
    s->lock->unlock(s->object);
    be_told(s, e);
    workers_join(group);
}

static void measure(struct fixture *s, struct bench_entry *e, struct bench_run *out)
{
    const struct wakes *w = s->wakes;
    struct tally before;
    uint64_t ns = 0;

    await_all(s, e);
    for (unsigned i = 0; i < WARM_ROUNDS; i++)
        run_once(s, e);
    tally_read(&before);
    for (unsigned i = 0; i < w->rounds && !bench_interrupted; i++)
        ns += run_once(s, e);
    struct tally did = tally_since(&before);
    tally_share(&did, (double)w->rounds * w->waiters, e, out);
    out->seconds = (double)ns / w->rounds / S;
}

bool wakes_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out)
{
    const struct wakes *w = point->detail;
    struct fixture s = {
        .lock = (const void *)entry->lock,
        .wakes = w,
        .section = work_steps((double)w->section_us * US),
        .left = w->waiters,
        .here = w->waiters,
    };
    char limit[160];
    cpu_set_t before;

    s.object = cond_adapter_make(s.lock, 1, false);
    if (s.object == NULL) {
        bench_warn("cannot make a %s: %s", s.lock->name, strerror(errno));
        return false;
    }
    sem_init(&s.told, 0, 0);
    molnar_confine(w->cpus, &before);
    struct worker_group *group = workers_start(w->waiters, WORKER_THREADS, waiter, &s);
    int error = errno;
    if (group != NULL) {
        workers_go(group);
        measure(&s, entry, out);
        end_all(&s, entry, group);
    } else {
        limits_describe(false, limit, sizeof limit);
        bench_warn("cannot start %u threads: %s; %s", w->waiters, strerror(error), limit);
    }
    molnar_release(&before);
    sem_destroy(&s.told);
    cond_adapter_unmake(s.lock, s.object, 1);
    return group != NULL;
}
