/* SPDX-License-Identifier: MIT */
/*
 * One run of one lock.
 *
 * The iterations are there for all threads together: each takes the next few of them when it has
 * done its last, so that all are busy until the end, and a lock that prefers some threads does not
 * leave the others to finish alone.  Where a run ends by time instead, there are always more.
 *
 * Beside the lock lies a count of visits, read when one begins and written when it ends.  A lock
 * that lets two in at once loses some.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "futexlock.h"
#include "measure/clock.h"
#include "measure/task_limits.h"
#include "measure/turns.h"
#include "measure/workers.h"

enum {
    PER_CENT = 100,
    LINE_PAIR = 128,    /* CPUs fetch lines in pairs */
    SHARES = 256,       /* pieces into which a thread's part is cut, so that all end together */
    SHARE_MAX = 1024,   /* iterations of a piece */
    LOOK_NS = 50000000, /* how often an interrupt is looked for */
    START_NS = 1000000, /* how often it is looked whether all have started, ... */
    WARM_MS_MAX = 20,
    WARM_PART = 5 /* of the time: caches fill, queues form */
};

#define START_MAX_SECONDS 5.0 /* with few threads; ... and for how long at least */

struct score {
    alignas(LINE_PAIR) uint64_t iterations;
};

struct fixture {
    const struct adapter *lock;
    void *object;
    uint64_t inside; /* instructions */
    uint64_t outside;
    uint64_t wanted; /* iterations; UINT64_MAX: until stopped */
    uint64_t share;
    unsigned threads;
    struct score *scores;
    sem_t over; /* the last thread has ended */

    alignas(LINE_PAIR) volatile uint64_t visits;
    alignas(LINE_PAIR) uint64_t next; /* iteration to be given out */
    alignas(LINE_PAIR) bool stop;
    alignas(LINE_PAIR) unsigned started;
    unsigned ended;
    uint64_t ended_at;
};

/* How many iterations the caller may do next; 0: none are left. */
static uint64_t take(struct fixture *s)
{
    if (s->wanted == UINT64_MAX)
        return UINT64_MAX;
    uint64_t at = __atomic_fetch_add(&s->next, s->share, __ATOMIC_RELAXED);
    uint64_t left = at < s->wanted ? s->wanted - at : 0;

    return left < s->share ? left : s->share;
}

static void worker(unsigned index, void *fixture)
{
    struct fixture *s = fixture;
    const struct adapter *l = s->lock;
    uint64_t *mine = &s->scores[index].iterations;
    uint64_t mine_to_do = 0, done = 0;

    __atomic_fetch_add(&s->started, 1, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
        if (mine_to_do == 0 && (mine_to_do = take(s)) == 0)
            break;
        mine_to_do--;
        l->lock(s->object);
        uint64_t visits = s->visits;
        instructions_do(s->inside);
        s->visits = visits + 1;
        l->unlock(s->object);
        instructions_do(s->outside);
        __atomic_store_n(mine, ++done, __ATOMIC_RELAXED);
    }
    if (__atomic_add_fetch(&s->ended, 1, __ATOMIC_ACQ_REL) == s->threads) {
        s->ended_at = clock_ns();
        sem_post(&s->over);
    }
}

static uint64_t done_by_all(const struct fixture *s)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < s->threads; i++)
        sum += __atomic_load_n(&s->scores[i].iterations, __ATOMIC_RELAXED);
    return sum;
}

static uint64_t read_clock(clockid_t id)
{
    struct timespec now = {0};

    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * BILLION + (uint64_t)now.tv_nsec;
}

/* CPU time of all threads but the calling one. */
static uint64_t others_cpu_ns(void)
{
    uint64_t mine = read_clock(CLOCK_THREAD_CPUTIME_ID); /* first: it grows, too */

    return read_clock(CLOCK_PROCESS_CPUTIME_ID) - mine;
}

/* What all threads had done at one moment. */
struct reading {
    uint64_t at;
    uint64_t iterations;
    uint64_t cpu_ns;
    struct tally tally;
};

static void read_all(const struct fixture *s, struct reading *r)
{
    tally_read(&r->tally);
    r->cpu_ns = others_cpu_ns();
    r->iterations = done_by_all(s);
    r->at = clock_ns();
}

static void subtract(const struct reading *from, const struct reading *to, struct outcome *out)
{
    out->seconds = (double)(to->at - from->at) / BILLION;
    out->iterations = to->iterations - from->iterations;
    /* The two clocks behind it are read one after the other: where nobody ran, it may go back. */
    out->cpu_seconds =
        to->cpu_ns > from->cpu_ns ? (double)(to->cpu_ns - from->cpu_ns) / BILLION : 0;
    out->tally = tally_between(&from->tally, &to->tally);
}

static void halt(struct fixture *s)
{
    __atomic_store_n(&s->stop, true, __ATOMIC_RELAXED);
}

/* Until the last thread has done the last iteration, or an interrupt. */
static void all_of_them(struct fixture *s, struct worker_group *group, struct calls *calls,
                        struct outcome *out)
{
    struct reading before, after;

    read_all(s, &before);
    if (calls != NULL)
        calls_start(calls);
    workers_go(group);
    for (;;) {
        struct timespec at = clock_in_ns(LOOK_NS);
        if (sem_clockwait(&s->over, CLOCK_MONOTONIC, &at) == 0)
            break;
        if (bench_interrupted)
            halt(s);
    }
    workers_join(group);
    if (calls != NULL)
        calls_stop(calls, &out->calls);
    read_all(s, &after);
    after.at = s->ended_at;
    subtract(&before, &after, out);
}

double run_warm_seconds(unsigned threads, const struct extent *until)
{
    unsigned ms = until->milliseconds / WARM_PART;
    double seconds = (double)(ms < WARM_MS_MAX ? ms : WARM_MS_MAX) / THOUSAND;

    return until->is_exact ? seconds : turns_warm_seconds(threads, seconds);
}

/* A part of a run that is under way already. */
static void for_a_time(struct fixture *s, struct worker_group *group, const struct extent *until,
                       struct calls *calls, struct outcome *out)
{
    struct reading before, after;
    uint64_t patience =
        clock_ns() + (uint64_t)(turns_start_seconds(s->threads, START_MAX_SECONDS) * BILLION);

    workers_go(group);
    while (__atomic_load_n(&s->started, __ATOMIC_RELAXED) < s->threads && clock_ns() < patience)
        clock_sleep_ns(START_NS);
    clock_sleep_ns((uint64_t)(run_warm_seconds(s->threads, until) * BILLION));
    if (calls != NULL)
        calls_start(calls);
    read_all(s, &before);
    bench_sleep_ns((uint64_t)until->milliseconds * MILLION);
    read_all(s, &after);
    if (calls != NULL)
        calls_stop(calls, &out->calls);
    halt(s);
    workers_join(group);
    subtract(&before, &after, out);
}

static void prepare(struct fixture *s, const struct adapter *lock, const struct duty *d,
                    uint64_t iterations)
{
    uint64_t inside = (uint64_t)d->period * d->cycle / PER_CENT;

    s->lock = lock;
    s->inside = inside;
    s->outside = d->period - inside;
    s->threads = d->threads;
    s->wanted = iterations > 0 ? iterations : UINT64_MAX;
    s->share = iterations / ((uint64_t)d->threads * SHARES) + 1;
    if (s->share > SHARE_MAX)
        s->share = SHARE_MAX;
}

static bool run_until(struct fixture *s, const struct extent *until, struct calls *calls,
                      struct outcome *out)
{
    struct worker_group *group = workers_start(s->threads, WORKER_THREADS, worker, s);
    char limit[160];
    int error = errno;

    if (group == NULL) {
        limits_describe(false, limit, sizeof limit);
        bench_warn("cannot start %u threads: %s; %s", s->threads, strerror(error), limit);
        return false;
    }
    if (until->iterations > 0)
        all_of_them(s, group, calls, out);
    else
        for_a_time(s, group, until, calls, out);
    uint64_t visits = done_by_all(s);
    out->lost =
        (s->lock->flags & ADAPTER_NOTHING) == 0 && visits > s->visits ? visits - s->visits : 0;
    return true;
}

bool run_lock(const struct adapter *lock, const struct duty *d, const struct extent *until,
              struct calls *calls, struct outcome *out)
{
    struct fixture s = {0};
    bool good = false;

    *out = (struct outcome){0};
    prepare(&s, lock, d, until->iterations);
    s.scores = aligned_alloc(LINE_PAIR, d->threads * sizeof *s.scores);
    s.object = adapter_make(lock, 1, false);
    if (s.scores == NULL || s.object == NULL) {
        bench_warn("cannot make a %s: %s", lock->name, strerror(errno));
    } else {
        memset(s.scores, 0, d->threads * sizeof *s.scores);
        sem_init(&s.over, 0, 0);
        good = run_until(&s, until, calls, out);
        sem_destroy(&s.over);
    }
    if (s.object != NULL)
        adapter_unmake(lock, s.object, 1);
    free(s.scores);
    return good;
}
