/* SPDX-License-Identifier: MIT */
/* One run, with the arguments and the output of Hart's program. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "futexlock.h"

enum { EXIT_VIOLATED = 3, EXIT_INTERRUPTED = 1, NANO = BILLION };

static void print_calls(const char *which, uint64_t calls, const struct call_counts *c,
                        uint64_t system_calls, const char *why)
{
    char name[32];

    snprintf(name, sizeof name, "%s calls:", which);
    printf("%-16s %" PRIu64 "\n", name, calls);
    snprintf(name, sizeof name, "%s syscalls:", which);
    if (!c->known)
        printf("%-16s not counted (%s)\n", name, why);
    else
        printf("%-16s %" PRIu64 " (%.2f%%)\n", name, system_calls,
               calls > 0 ? 100.0 * (double)system_calls / (double)calls : 0);
}

static void print_both(const struct outcome *counted, const char *why)
{
    const struct call_counts *c = &counted->calls;
    struct call_counts unlocking = *c;

    if (c->known && !c->split) {
        unlocking.known = false;
        why = "with those of lock: the kernel has no trace event of the system call futex";
    }
    print_calls("lock", counted->iterations, c, c->lock, why);
    print_calls("unlock", counted->iterations, &unlocking, c->unlock, why);
}

static void print_arguments(const struct adapter *lock, const struct duty *d, uint64_t iterations)
{
    printf("futexlock: Measure lock operations per second\n"
           "\tArguments: iterations=%" PRIu64 " threads=%u adaptive=%s\n"
           "\t           period=%u duty-cycle=%u%%\n"
           "\t           lock=%s\n",
           iterations, d->threads, strcmp(lock->name, lock_adaptive) == 0 ? "yes" : "no", d->period,
           d->cycle, lock->name);
    fflush(stdout);
}

static void print_spent(const struct outcome *found, const struct duty *d)
{
    double n = (double)found->iterations;

    printf("CPU time:        %.3f s (%.0f ns per iteration, %.0f ns of them the instructions)\n"
           "switches:        %.3f voluntary and %.3f involuntary per iteration\n",
           found->cpu_seconds, found->cpu_seconds / n * NANO,
           d->period * instructions_seconds() * NANO, (double)found->tally.voluntary / n,
           (double)found->tally.involuntary / n);
}

/* The file has the form of a sweep that has one point, one lock and one repetition. */
static int write_file(struct bench *b, const struct adapter *lock, const struct duty *d,
                      const struct outcome *found, const struct outcome *counted, int fd)
{
    struct bench_point *p = sweep_point(b, d, &(struct extent){0});
    struct bench_run run;

    bench_add_entry(p, (const adapter_head *)lock, "");
    struct bench_entry *e = &p->entries[0];
    e->runs = &run;
    sweep_record(p, e, found, &run);
    if (counted->calls.known)
        sweep_record(p, e, counted, &run);
    b->finished = 1;
    return bench_write_json(bench_json(b), fd);
}

int once(struct bench *b, const struct adapter *lock, const struct duty *d, uint64_t iterations,
         bool count, const char *json)
{
    const struct extent until = {.iterations = iterations};
    const char *why = "not asked for";
    struct outcome found, counted = {0};
    int fd = json != NULL ? bench_open_json(json) : -1;

    print_arguments(lock, d, iterations);
    instructions_seconds();
    if (!run_lock(lock, d, &until, NULL, &found))
        return 1;
    printf("Result: %.0f Kiter/s\n", (double)found.iterations / found.seconds / THOUSAND);
    fflush(stdout);
    counted.iterations = found.iterations;
    if (count && !bench_interrupted) {
        struct calls *calls = calls_open(&why);
        bool good = calls == NULL || run_lock(lock, d, &until, calls, &counted);
        calls_close(calls);
        if (!good)
            return 1;
    }
    print_both(&counted, why);
    print_spent(&found, d);
    hart_print_run(d, stdout);
    if (fd >= 0 && write_file(b, lock, d, &found, &counted, fd) != 0) {
        bench_warn("cannot write %s: %s", json, strerror(errno));
        return 1;
    }
    if (found.lost + counted.lost > 0) {
        bench_warn("%s let two threads in at once: %" PRIu64 " visits were lost", lock->name,
                   found.lost + counted.lost);
        return EXIT_VIOLATED;
    }
    if (bench_interrupted) {
        bench_warn("interrupted after %" PRIu64 " of %" PRIu64 " iterations", found.iterations,
                   iterations);
        return EXIT_INTERRUPTED;
    }
    return 0;
}
