/* SPDX-License-Identifier: MIT */
/*
 * A run: threads create or delete a random number of elements, again and again, until told to stop.
 * The main thread reads the counters of all threads at the beginning and at the end of the time
 * that counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lifo.h"
#include "measure/clock.h"
#include "measure/rng.h"
#include "measure/task_limits.h"
#include "measure/workers.h"
#include "stack.h"

enum {
    BATCH = 16,   /* elements that are created or deleted at once, at most */
    MS = 1000000, /* nanoseconds */
    S = 1000000000
};

struct fixture {
    struct stack stack;
    const struct stack_code *code;
    struct worker *workers;
    unsigned n;
    alignas(2 * STACK_LINE) bool over;
};

static bool is_over(const struct fixture *s)
{
    return __atomic_load_n(&s->over, __ATOMIC_RELAXED);
}

static void worker(unsigned index, void *fixture)
{
    struct fixture *s = fixture;
    struct worker *w = &s->workers[index];
    uint64_t value = (uint64_t)index << 32;
    struct rng random;

    rng_seed(&random, index);
    while (!is_over(s)) {
        bool create = rng_below(&random, 2) != 0;
        for (unsigned i = 1 + rng_below(&random, BATCH); i > 0 && !is_over(s); i--)
            if (create)
                s->code->push(w, value++);
            else if (!s->code->pop(w))
                break;
    }
}

static uint64_t handled_so_far(const struct fixture *s)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < s->n; i++)
        all += stack_handled(&s->workers[i]);
    return all;
}

static void measure(struct fixture *s, const struct load *load, struct bench_entry *entry,
                    struct bench_run *out)
{
    uint64_t duration = (uint64_t)load->duration * MS, before, handled;
    struct tally tally;

    bench_sleep_ns(duration / WARM_PARTS);
    tally_read(&tally);
    before = handled_so_far(s);
    uint64_t began = clock_ns();
    do { /* again: of many threads, none that had the lock may have had a CPU */
        bench_sleep_ns(duration);
        handled = handled_so_far(s) - before;
    } while (handled == 0 && !bench_interrupted);
    double took = (double)(clock_ns() - began) / S;
    tally = tally_since(&tally);
    tally_share(&tally, (double)handled / ELEMENTS, entry, out);
    out->seconds = took * ELEMENTS / (double)handled;
}

static bool run_once(struct fixture *s, const struct load *load, struct bench_entry *entry,
                     struct bench_run *out)
{
    unsigned kind = WORKER_THREADS | (load->pinned ? WORKER_PINNED : 0);
    struct worker_group *group = workers_start(s->n, kind, worker, s);
    int error = errno;
    char limit[160];

    if (group == NULL) {
        limits_describe(false, limit, sizeof limit);
        bench_warn("cannot start %u threads: %s; %s", s->n, strerror(error), limit);
        return false;
    }
    workers_go(group);
    measure(s, load, entry, out);
    __atomic_store_n(&s->over, true, __ATOMIC_RELAXED);
    workers_join(group);

    const char *fault = stack_check(&s->stack, s->workers, s->n);
    if (fault != NULL) {
        bench_warn("%s damages the stack: %s", entry->lock->name, fault);
        exit(1);
    }
    stack_clear(&s->stack, s->workers, s->n);
    return true;
}

bool load_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out)
{
    const struct primitive *primitive = (const void *)entry->lock;
    const struct load *load = point->detail;
    struct fixture s = {.n = load->threads, .code = primitive->code};

    s.workers = aligned_alloc(alignof(struct worker), s.n * sizeof *s.workers);
    if (s.workers == NULL) {
        bench_warn("no memory for %u threads", s.n);
        return false;
    }
    stack_init(&s.stack, primitive->calls, load->head);
    for (unsigned i = 0; i < s.n; i++)
        s.workers[i] = (struct worker){.stack = &s.stack};
    bool done = run_once(&s, load, entry, out);
    free(s.workers);
    return done;
}
