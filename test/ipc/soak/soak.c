/* SPDX-License-Identifier: MIT */
/*
 * Processes of several threads use every kind of object in a region, and are killed at random
 * moments; others replace them.  What must hold is checked by all of them, all the time
 * (state.h).  At the end one line for each figure.
 *
 *     test_ipc_soak [--seconds N] [--kills N] [--pause-us N] [--seed N]
 *
 * ends after N seconds or kills, whichever comes first; N = 0: no such limit.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/histogram.h"
#include "state.h"

/* A thread that does not finish within this time is stuck forever. */
enum { HANG_S = 60, SPARED = 0 };

static struct options {
    uint64_t seconds, kills, pause_us, seed;
} options = {.seconds = 10, .pause_us = 6000, .seed = 0};

static char name[40];
static pid_t children[PROCESSES];
static uint64_t lives[PROCESSES];
static uint64_t last_life;
static struct soak_mapping mapping;
static uint64_t kills, deaths_at_sem;

/* Thread 0 pushes, 1 pops, 2 and 3 have a barrier each; all else is everybody's. */
static void work(struct worker *w)
{
    static void (*const own[THREADS])(struct worker *) = {do_push, do_pop, do_patient_round,
                                                          do_strict_round};
    static void (*const common[])(struct worker *) = {do_mutex, do_mutex,   do_read,  do_write,
                                                      do_read,  do_upgrade, do_hurry, do_sem,
                                                      do_units, do_once,    do_names};

    for (;;) {
        own[w->thread](w);
        for (unsigned n = one_of(w, 6); n != 0; n--)
            common[one_of(w, sizeof common / sizeof common[0])](w);
        pause_randomly(w);
    }
}

static void *thread_main(void *arg)
{
    work(arg);
    return NULL;
}

static void process_main(unsigned process, uint64_t life)
{
    static struct worker workers[THREADS];
    pthread_t thread;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (life % 4 != 0) { /* somewhere else than its parent has it */
        for (unsigned t = 0; t < THREADS; t++)
            soak->slots[process][t].doing = W_JOIN;
        if (fw_region_close(mapping.region) != 0)
            broken("region_close in a child");
        soak_join(name, &mapping);
    }
    register_repairs(&mapping);
    for (unsigned t = 0; t < THREADS; t++) {
        workers[t] = (struct worker){&mapping,
                                     mapping.things,
                                     &soak->slots[process][t],
                                     process,
                                     t,
                                     life * THREADS + t,
                                     (options.seed ^ (life << 8)) | (t + 1)};
        workers[t].random *= UINT64_C(0x9e3779b97f4a7c15);
    }
    for (unsigned t = 1; t < THREADS; t++)
        if (pthread_create(&thread, NULL, thread_main, &workers[t]) != 0)
            broken("no thread");
    work(&workers[0]);
}

static void begin_life(unsigned process)
{
    pid_t child;

    lives[process] = ++last_life;
    __atomic_store_n(&soak->killed_at[last_life % LIVES], 0, __ATOMIC_RELEASE);
    for (unsigned t = 0; t < THREADS; t++) {
        struct slot *s = &soak->slots[process][t];
        s->mark = last_life * THREADS + t;
        s->doing = W_NOTHING;
        s->is_at_sem = s->has_unit = s->rounds = 0;
        __atomic_store_n(&s->since, now_ns(), __ATOMIC_RELEASE);
    }
    child = fork();
    if (child < 0)
        fail("fork: %s", strerror(errno));
    if (child == 0) {
        process_main(process, last_life);
        _exit(0);
    }
    children[process] = child;
}

static void strike(unsigned process)
{
    __atomic_store_n(&soak->killed_at[lives[process] % LIVES], now_ns(), __ATOMIC_RELEASE);
    kill(children[process], SIGKILL);
}

static void reap(unsigned process)
{
    int status;

    if (waitpid(children[process], &status, 0) != children[process])
        fail("waitpid: %s", strerror(errno));
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        fail("a process ended otherwise: status %x", (unsigned)status);
    for (unsigned t = 0; t < THREADS; t++)
        deaths_at_sem += __atomic_load_n(&soak->slots[process][t].is_at_sem, __ATOMIC_ACQUIRE);
    kills++;
}

/* One, or all of them at once; and on they go. */
static void kill_some(uint64_t *random)
{
    unsigned first = 1 + (unsigned)(draw(random) % (PROCESSES - 1)), n = 1;
    unsigned chance = (unsigned)(draw(random) % 32);

    if (chance == 0)
        n = PROCESSES - 1;
    else if (chance < 6)
        n = 2;
    for (unsigned i = 0; i < n; i++)
        strike(1 + (first + i) % (PROCESSES - 1));
    for (unsigned i = 0; i < n; i++) {
        unsigned process = 1 + (first + i) % (PROCESSES - 1);
        reap(process);
        begin_life(process);
    }
}

/* Is somebody stuck? */
static bool hangs(void)
{
    bool found = false;

    for (unsigned i = 0; i < PROCESSES * THREADS; i++) {
        struct slot *s = &soak->slots[i / THREADS][i % THREADS];
        uint64_t since = __atomic_load_n(&s->since, __ATOMIC_ACQUIRE);
        uint64_t now = now_ns();
        if (now > since && now - since > HANG_S * UINT64_C(1000000000)) {
            printf("hangs: process %u (%d) thread %u in %s\n", i / THREADS,
                   (int)children[i / THREADS], i % THREADS, work_names[s->doing % WORKS]);
            found = true;
        }
    }
    return found;
}

static void report(double seconds)
{
    static struct histogram h;
    uint64_t n = soak->sample_count < SAMPLES ? soak->sample_count : SAMPLES;
    uint64_t longest = 0, late = 0;
    const char *of = "nothing";

    histogram_clear(&h);
    for (uint64_t i = 0; i < n; i++) {
        histogram_add(&h, soak->samples[i]);
        late += soak->samples[i] >= 100000000;
        if (soak->samples[i] > longest) {
            longest = soak->samples[i];
            of = soak->sample_of[i];
        }
    }
    printf("kills: %llu in %.1f s, %.0f a minute\n", (unsigned long long)kills, seconds,
           (double)kills * 60 / seconds);
    printf("recoveries: %llu; ms from the kill: mean %.2f, median %.2f, p99 %.2f, max %.2f (%s); "
           "100 ms and more: %llu\n",
           (unsigned long long)soak->sample_count, histogram_mean(&h) / 1e6,
           (double)histogram_percentile(&h, 0.5) / 1e6,
           (double)histogram_percentile(&h, 0.99) / 1e6, (double)longest / 1e6, of,
           (unsigned long long)late);
    printf("told of a death: %llu; done:", (unsigned long long)soak->told);
    for (unsigned i = W_MUTEX; i < WORKS; i++)
        printf(" %s %llu", work_names[i], (unsigned long long)soak->done[i]);
    printf("\n");
}

static void parse(int argc, char **argv)
{
    static const struct option known[] = {{"seconds", 1, NULL, 's'},
                                          {"kills", 1, NULL, 'k'},
                                          {"pause-us", 1, NULL, 'p'},
                                          {"seed", 1, NULL, 'r'},
                                          {NULL, 0, NULL, 0}};
    int c;

    options.seed = now_ns() ^ (uint64_t)getpid() << 32;
    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        uint64_t *word = c == 's'   ? &options.seconds
                         : c == 'k' ? &options.kills
                         : c == 'p' ? &options.pause_us
                         : c == 'r' ? &options.seed
                                    : NULL;
        if (word == NULL)
            exit(2);
        *word = strtoull(optarg, NULL, 0);
    }
}

static bool is_over(uint64_t began)
{
    return __atomic_load_n(&soak->is_broken, __ATOMIC_ACQUIRE) != 0 ||
           (options.seconds != 0 && now_ns() - began >= options.seconds * 1000000000) ||
           (options.kills != 0 && kills >= options.kills);
}

int main(int argc, char **argv)
{
    unsigned leaked = 0, stuck = 0;
    uint64_t random, began, looked;

    parse(argc, argv);
    printf("seed %llu\n", (unsigned long long)options.seed);
    fflush(stdout);
    random = options.seed | 1;
    snprintf(name, sizeof name, "/furwock-soak-%d", (int)getpid());
    soak_make(name, &mapping);
    began = looked = now_ns();
    for (unsigned p = 0; p < PROCESSES; p++)
        begin_life(p);
    while (!is_over(began) && stuck == 0) {
        usleep((useconds_t)(draw(&random) % (2 * options.pause_us + 1)));
        kill_some(&random);
        correct_sem(&mapping);
        if (now_ns() - looked > UINT64_C(1000000000)) {
            looked = now_ns();
            stuck = hangs();
        }
    }
    for (unsigned p = 0; p < PROCESSES; p++)
        strike(p);
    for (unsigned p = 0; p < PROCESSES; p++)
        reap(p);
    if (soak->is_broken == 0 && stuck == 0) {
        limit(HANG_S, "what the dead have left cannot be had");
        leaked = leaked_holds(&mapping, (unsigned)deaths_at_sem);
    }
    fw_region_remove(name);
    report((double)(now_ns() - began) / 1e9);
    printf("hangs: %u; broken invariants: %u%s%s; leaked holds: %u\n", stuck, soak->is_broken != 0,
           soak->is_broken != 0 ? ": " : "", soak->broken, leaked);
    return stuck != 0 || leaked != 0 || soak->is_broken != 0;
}
