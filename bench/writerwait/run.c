/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/adapters/rw_adapter.h"
#include "measure/clock.h"
#include "measure/rng.h"
#include "measure/workers.h"
#include "writerwait.h"

enum {
    LINE_PAIR = 128,
    NS_PER_MS = 1000000,
    /* Nobody may have waited for a CPU longer than this part of a section, in a quiet wait. */
    QUIET_PART = 4
};

/* Worker 0 writes, the others read. */
struct run {
    const struct rw_adapter *lock;
    const struct flood *flood;
    void *object;
    struct waits *waits; /* of this run */
    int *schedstat;      /* of each member: an open file, or -1 */
    alignas(LINE_PAIR) bool is_over;
    bool has_starved;
    alignas(LINE_PAIR) uint64_t asked_at; /* when the writer asked; 0: it is not waiting */
    unsigned done;
};

/* What the scheduler has done to all threads so far. */
struct disturbance {
    long preemptions;
    uint64_t delay_ns; /* for which one was ready, and had no CPU */
};

/* The second number of /proc/PID/task/TID/schedstat. */
static uint64_t delay_of(int fd)
{
    char text[96] = "";
    char *end;

    if (fd < 0 || pread(fd, text, sizeof text - 1, 0) <= 0)
        return 0;
    strtoull(text, &end, 10);
    return strtoull(end, NULL, 10);
}

static struct disturbance look_around(const struct run *r)
{
    struct disturbance d = {0, 0};
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    d.preemptions = usage.ru_nivcsw;
    for (unsigned i = 0; i <= r->flood->readers; i++)
        d.delay_ns += delay_of(__atomic_load_n(&r->schedstat[i], __ATOMIC_ACQUIRE));
    return d;
}

static bool was_quiet(const struct run *r, struct disturbance before)
{
    struct disturbance now = look_around(r);

    return now.preemptions == before.preemptions &&
           (double)(now.delay_ns - before.delay_ns) < r->flood->section_ns / QUIET_PART;
}

static void write_once(struct run *r)
{
    struct disturbance before = look_around(r);
    uint64_t asked = clock_ns(), got;

    __atomic_store_n(&r->asked_at, asked, __ATOMIC_RELAXED);
    r->lock->wrlock(r->object);
    got = clock_ns();
    r->lock->wrunlock(r->object);
    __atomic_store_n(&r->asked_at, 0, __ATOMIC_RELAXED);
    histogram_add(&r->waits->all, got - asked);
    if (was_quiet(r, before))
        histogram_add(&r->waits->quiet, got - asked);
}

static void writer(struct run *r)
{
    struct rng random;
    uint64_t pause = r->flood->pause;

    rng_seed(&random, clock_ns());
    while (r->done < r->flood->writes && !__atomic_load_n(&r->is_over, __ATOMIC_RELAXED)) {
        work_do((uint64_t)(2 * (double)pause * rng_unit(&random)));
        write_once(r);
        r->done++;
    }
    __atomic_store_n(&r->is_over, true, __ATOMIC_RELAXED);
}

static void reader(struct run *r)
{
    while (!__atomic_load_n(&r->is_over, __ATOMIC_RELAXED)) {
        r->lock->rdlock(r->object);
        work_do(r->flood->section);
        r->lock->rdunlock(r->object);
    }
}

static void member(unsigned me, void *run)
{
    struct run *r = run;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

    __atomic_store_n(&r->schedstat[me], fd, __ATOMIC_RELEASE); /* open, then known */
    if (me == 0)
        writer(r);
    else
        reader(r);
}

/* Waits for the end; ends it where the writer starves.  Looks seldom, so as not to disturb. */
static void watch(struct run *r)
{
    while (!__atomic_load_n(&r->is_over, __ATOMIC_RELAXED)) {
        uint64_t asked;

        clock_sleep_ns((uint64_t)STARVED_MS / 8 * NS_PER_MS);
        asked = __atomic_load_n(&r->asked_at, __ATOMIC_RELAXED);
        if (asked != 0 && clock_ns() - asked > (uint64_t)STARVED_MS * NS_PER_MS) {
            r->has_starved = true;
            __atomic_store_n(&r->is_over, true, __ATOMIC_RELAXED);
        }
    }
}

static bool flood_it(struct run *r, struct tally *did)
{
    unsigned n = r->flood->readers + 1;
    struct tally before;

    r->schedstat = malloc(n * sizeof *r->schedstat);
    if (r->schedstat == NULL)
        return false;
    for (unsigned i = 0; i < n; i++)
        r->schedstat[i] = -1;
    struct worker_group *c = workers_start(n, WORKER_THREADS | WORKER_PINNED, member, r);

    if (c == NULL)
        return false;
    tally_read(&before);
    workers_go(c);
    watch(r);
    workers_join(c);
    *did = tally_since(&before);
    for (unsigned i = 0; i < n; i++)
        if (r->schedstat[i] >= 0)
            close(r->schedstat[i]);
    return true;
}

static void keep(struct waits *total, const struct run *r)
{
    histogram_merge(&total->all, &r->waits->all);
    histogram_merge(&total->quiet, &r->waits->quiet);
    total->starved += r->has_starved;
}

bool flood_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out)
{
    const struct flood *flood = point->detail;
    struct run r = {.lock = (const struct rw_adapter *)(const void *)entry->lock,
                    .flood = flood,
                    .object = adapter_head_make(entry->lock, 1, false),
                    .waits = calloc(1, sizeof *r.waits)};
    struct tally did;
    bool good = r.object != NULL && r.waits != NULL && flood_it(&r, &did);

    if (!good)
        bench_warn("cannot run %u readers of %s: %s", flood->readers, entry->lock->name,
                   strerror(errno));
    if (good) {
        tally_share(&did, r.done, entry, out);
        out->seconds = histogram_mean(&r.waits->all) / 1e9;
        if (r.has_starved) {
            entry->fault = "the writer starves";
            entry->faults++;
        }
        if (!bench_counts_calls && !bench_interrupted)
            keep(flood->waits[entry - point->entries], &r);
    }
    if (r.object != NULL)
        adapter_head_unmake(entry->lock, r.object, 1);
    free(r.waits);
    free(r.schedstat);
    return good;
}
