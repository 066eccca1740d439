/* SPDX-License-Identifier: MIT */
#include "noise.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/command.h"

/* Time was stolen or not in whole ticks: shares of fewer than these say nothing (1 s of a CPU). */
enum { LEAST_TICKS = 100 };

/* The ticks of the set's CPUs since the machine was started. */
static void read_ticks(const struct taskset *set, uint64_t *ticks, uint64_t *stolen)
{
    bool is_used[TASKSET_CPUS] = {false};
    FILE *file = fopen("/proc/stat", "re");
    char line[512];

    *ticks = *stolen = 0;
    for (int i = 0; i < set->tasks; i++)
        is_used[set->task[i].cpu] = true;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        uint64_t t[8]; /* user, nice, system, idle, iowait, irq, softirq, steal */
        unsigned cpu;
        if (sscanf(line,
                   "cpu%u %" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64
                   "%" SCNu64 "%" SCNu64,
                   &cpu, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != 9 ||
            cpu >= TASKSET_CPUS || !is_used[cpu])
            continue;
        for (int i = 0; i < 8; i++)
            *ticks += t[i];
        *stolen += t[7];
    }
    if (file != NULL)
        fclose(file);
}

void rt_run_noise_begin(struct run_noise *noise, const struct taskset *set)
{
    read_ticks(set, &noise->ticks, &noise->stolen);
}

void rt_run_noise_add(struct run_noise *noise, const struct run_round *round)
{
    if (noise->unwatched == 0)
        noise->unwatched = round->unwatched;
    for (size_t i = 0; i < round->cpus; i++) {
        noise->watched += round->cpu[i].watched;
        noise->stalled += round->cpu[i].stalled;
    }
}

void rt_run_noise_end(struct run_noise *noise, const struct taskset *set,
                      const struct run_result *result)
{
    uint64_t ticks, stolen;

    read_ticks(set, &ticks, &stolen);
    noise->ticks = ticks - noise->ticks;
    noise->stolen = stolen - noise->stolen;
    if (noise->ticks < LEAST_TICKS)
        noise->ticks = 0;
    for (int i = 0; i < set->tasks; i++) {
        noise->present += result[i].present;
        noise->lost += result[i].lost_sum;
    }
}

/* In percent; negative: not known. */
static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? -1 : 100 * (double)part / (double)whole;
}

static double stalled(const struct run_noise *n)
{
    return n->unwatched != 0 ? -1 : share(n->stalled, n->watched);
}

bool rt_run_noise_is_valid(const struct run_noise *n)
{
    double still = stalled(n), stolen = share(n->stolen, n->ticks);

    if (still > n->most)
        command_warn("not a valid run: the CPUs stood still for %.1f %% of the time,"
                     " and --max-noise is %g %%",
                     still, n->most);
    else if (stolen > n->most)
        command_warn("not a valid run: a hypervisor has stolen %.1f %% of the CPUs' time,"
                     " and --max-noise is %g %%",
                     stolen, n->most);
    return still <= n->most && stolen <= n->most;
}

/* A line, or a member that is null where it is not known. */
static void print_share(const struct printer *p, const char *key, const char *what, double percent,
                        const char *unknown)
{
    print_member(p, key, percent < 0 ? json_null() : json_real(percent));
    if (percent < 0)
        print_words(p, "  %s: not known, %s\n", what, unknown);
    else
        print_words(p, "  %s: %.2f %%\n", what, percent);
}

void rt_run_noise_print(const struct printer *whole, const struct run_noise *n)
{
    struct printer p = print_object(whole, "noise");
    char still[64];

    snprintf(still, sizeof still, "CPUs stood still for more than %g us", (double)n->stall / 1e3);
    print_share(&p, "stalled_percent", still, stalled(n),
                n->unwatched == EPERM ? "it takes a priority above the tasks' (ulimit -r)"
                : n->unwatched == 0   ? "too short a run"
                                      : strerror(n->unwatched));
    print_share(&p, "steal_percent", "stolen by a hypervisor", share(n->stolen, n->ticks),
                "less than a second");
    print_share(&p, "lost_percent", "jobs' time lost", share(n->lost, n->present), "no jobs");
    print_member(&p, "stall_us", json_real((double)n->stall / 1e3));
    print_member(&p, "max_percent", json_real(n->most));
}
