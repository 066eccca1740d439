/* SPDX-License-Identifier: MIT */
/*
 * lastcpu: what it is worth to know that the owner of a lock does not run, from the CPU on which it
 * was last seen (src/sys/last_cpu.h).
 *
 *     lastcpu [--threads N] [--section NS] [--outside NS] [--budget NS]
 *             [--milliseconds MS] [--rounds N] [--costs]
 *
 * Threads take one lock, over and over.  Waiters block at once, poll for a budget, or poll and ask:
 * interleaved, and the median of all rounds is shown.  Those that poll without asking are told
 * nevertheless, and go on: so one sees how often what they were told was right, and how much of the
 * useless polling it would have spared.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lastcpu.h"
#include "measure/clock.h"

enum { MOST_THREADS = 256, MOST_ROUNDS = 99 };

static struct {
    long threads, section_ns, outside_ns, budget_ns, milliseconds, rounds;
} is = {4, 1000, 1000, 7000, 500, 5};

static const char *const name_of[WAYS] = {"block", "spin", "ask"};

struct task {
    pthread_t thread;
    struct tally tally;
    uint64_t cpu_ns;
};

struct result {
    double per_second, burnt_ns;
    struct tally tally;
};

static struct lock lock;
static bool is_over;
static uint64_t section, outside;

static void *contend(void *arg)
{
    struct task *me = arg;
    uint64_t began = clock_thread_cpu_ns();

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        work_do(outside);
        lock_take(&lock, &me->tally);
        work_do(section);
        lock_release(&lock);
    }
    me->cpu_ns = clock_thread_cpu_ns() - began;
    return NULL;
}

static void add(struct tally *sum, const struct tally *t)
{
    uint64_t *into = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)t;

    for (unsigned i = 0; i < sizeof *sum / sizeof *into; i++)
        into[i] += from[i];
}

static struct result run(enum way way)
{
    static struct task task[MOST_THREADS];
    struct result r = {0};
    uint64_t began = clock_ns(), cpu_ns = 0;
    double seconds;

    memset(task, 0, sizeof task);
    lock = (struct lock){.way = way, .budget_ns = (uint64_t)is.budget_ns};
    __atomic_store_n(&is_over, false, __ATOMIC_RELAXED);
    for (long i = 0; i < is.threads; i++)
        if (pthread_create(&task[i].thread, NULL, contend, &task[i]) != 0)
            exit((perror("lastcpu: pthread_create"), 1));
    clock_sleep_ns((uint64_t)is.milliseconds * 1000000);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (long i = 0; i < is.threads; i++) {
        pthread_join(task[i].thread, NULL);
        add(&r.tally, &task[i].tally);
        cpu_ns += task[i].cpu_ns;
    }
    seconds = (double)(clock_ns() - began) / 1e9;
    r.per_second = (double)r.tally.acquisitions / seconds;
    r.burnt_ns = (double)cpu_ns / (double)r.tally.acquisitions;
    r.burnt_ns -= (double)(is.section_ns + is.outside_ns);
    return r;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static double each(uint64_t sum, uint64_t n)
{
    return n == 0 ? 0 : (double)sum / (double)n;
}

static void show_rates(enum way way, double *rates, double *burnt, size_t n)
{
    qsort(rates, n, sizeof *rates, ascending);
    qsort(burnt, n, sizeof *burnt, ascending);
    printf("%-6s %10.0f a second (%.0f to %.0f), %8.0f ns of CPU time each besides the work\n",
           name_of[way], rates[n / 2], rates[0], rates[n - 1], burnt[n / 2]);
}

/* Only who polls whatever it is told can say how right that was. */
static void show_answers(const struct tally *t)
{
    uint64_t polls = t->polls[0] + t->polls[1], failed = t->failed[0] + t->failed[1];

    printf("\nspin: %.1f %% of %llu acquisitions waited, and polled %llu times\n",
           percent(t->waits, t->acquisitions), (unsigned long long)t->acquisitions,
           (unsigned long long)polls);
    printf("  polled without success          %5.1f %% of times, %5.1f %% of the time polled\n",
           percent(failed, polls), percent(t->vain_ns, t->ns));
    printf("  told: does not run              %5.1f %% of times (%.1f %% at the first look)\n",
           percent(t->polls[1], polls), percent(t->told_at_once, polls));
    printf("    of these without success      %5.1f %%\n", percent(t->failed[1], t->polls[1]));
    printf("  without success and told        %5.1f %% of those\n", percent(t->failed[1], failed));
    printf("  to be spared by asking          %5.1f %% of the time polled\n",
           percent(t->after_ns, t->ns));
    printf("  polled on after being told      %5.0f ns each\n", each(t->after_ns, t->polls[1]));
}

static void run_all(void)
{
    static double rates[WAYS][MOST_ROUNDS], burnt[WAYS][MOST_ROUNDS];
    struct tally answers = {0};

    for (long i = 0; i < is.rounds; i++)
        for (enum way way = BLOCK; way < WAYS; way++) {
            struct result r = run(way);

            rates[way][i] = r.per_second;
            burnt[way][i] = r.burnt_ns;
            if (way == SPIN)
                add(&answers, &r.tally);
        }
    printf("%ld threads, %ld ns inside, %ld ns outside, budget %ld ns, %ld rounds of %ld ms\n\n",
           is.threads, is.section_ns, is.outside_ns, is.budget_ns, is.rounds, is.milliseconds);
    for (enum way way = BLOCK; way < WAYS; way++)
        show_rates(way, rates[way], burnt[way], (size_t)is.rounds);
    show_answers(&answers);
}

static long number(const char *option, const char *word, long least, long most)
{
    char *end;
    long n = strtol(word, &end, 10);

    if (end == word || *end != '\0' || n < least || n > most) {
        fprintf(stderr, "lastcpu: --%s takes a number from %ld to %ld, not %s\n", option, least,
                most, word);
        exit(2);
    }
    return n;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"threads", required_argument, NULL, 't'},
                                            {"section", required_argument, NULL, 's'},
                                            {"outside", required_argument, NULL, 'o'},
                                            {"budget", required_argument, NULL, 'b'},
                                            {"milliseconds", required_argument, NULL, 'm'},
                                            {"rounds", required_argument, NULL, 'r'},
                                            {"costs", no_argument, NULL, 'c'},
                                            {NULL, 0, NULL, 0}};
    int c, which;

    while ((c = getopt_long(argc, argv, "", options, &which)) != -1) {
        const char *name = options[which].name;

        if (c == 't')
            is.threads = number(name, optarg, 1, MOST_THREADS);
        else if (c == 's')
            is.section_ns = number(name, optarg, 0, 1000000000);
        else if (c == 'o')
            is.outside_ns = number(name, optarg, 0, 1000000000);
        else if (c == 'b')
            is.budget_ns = number(name, optarg, 0, 1000000000);
        else if (c == 'm')
            is.milliseconds = number(name, optarg, 1, 1000000);
        else if (c == 'r')
            is.rounds = number(name, optarg, 1, MOST_ROUNDS);
        else if (c == 'c')
            return show_costs(), 0;
        else
            return 2;
    }
    work_calibrate();
    section = work_steps((double)is.section_ns);
    outside = work_steps((double)is.outside_ns);
    run_all();
    return 0;
}
