/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "test/support/now.h"
#include "test/support/tsan_forks.h"
#include "thread/mutex_word.h"

struct stress stress = {.seconds = 1.5, .threads = 4, .seed = 1};

/* A thread that makes no progress for that long is stuck. */
#define STUCK_NS UINT64_C(30000000000)

static uint64_t end_ns;
static uint64_t turns_wanted; /* 0: as many as the time allows */
static bool turns_are_done;
static uint64_t total_turns;
static struct worker *workers; /* of this run */
static unsigned n_workers;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    char *rest = NULL;

    switch (key) {
    case 's':
        stress.seconds = strtod(arg, &rest);
        stress.turns = 0;
        break;
    case 't':
        stress.threads = (unsigned)strtoul(arg, &rest, 10);
        break;
    case 'r':
        stress.seed = strtoull(arg, &rest, 0);
        break;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0 || !stress.mode)
            return ARGP_ERR_UNKNOWN;
        stress.mode = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (rest == arg || *rest != '\0')
        argp_error(state, "%s is not a number", arg);
    return 0;
}

/* Valgrind puts a library of its own in front. */
static bool is_under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");

    return preload && strstr(preload, "vgpreload");
}

void stress_begin(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"seconds", 's', "S", 0, "Run for S seconds", 0},
        {"threads", 't', "N", 0, "Start N threads", 0},
        {"seed", 'r', "N", 0, "Draw other random numbers", 0},
        {0},
    };
    const struct argp argp = {options, parse, stress.mode ? "[MODE]" : NULL, stress.about, NULL,
                              NULL,    NULL};

    stress.is_constrained = STRESS_CONSTRAINED; /* the build says so */
    if (stress.is_constrained || is_under_valgrind()) {
        stress.seconds /= 2;
        if (stress.threads > 16)
            stress.threads = stress.threads / 8;
    }
    if (stress.is_constrained || getenv("TESTS_IN_FULL"))
        stress.turns = 0;
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
}

uint32_t draw(struct worker *me, uint32_t limit)
{
    me->random ^= me->random << 13;
    me->random ^= me->random >> 7;
    me->random ^= me->random << 17;
    return (uint32_t)((me->random >> 32) % limit);
}

static void print_lock(const struct guarded *g)
{
    uint64_t w = __atomic_load_n(&g->lock.state_, __ATOMIC_RELAXED);

    fprintf(stderr,
            "  lock %p: %016" PRIx64 ": owner half %08" PRIx32 "%s, %" PRIu64 " waiters%s%s%s%s%s, "
            "counters %" PRIu64 " %" PRIu64 "\n",
            (const void *)g, w, owner_half(w), is_being_handed_off(w) ? " HANDOFF" : "",
            w / MUTEX_WAITER, is_fenced(w) ? " FENCED" : "", wake_is_under_way(w) ? " WAKING" : "",
            w & MUTEX_RETRY ? " RETRY" : "", is_starving(w) ? " STARVING" : "",
            has_late_sleepers(w) ? " LATE" : "", g->first, g->second);
}

_Noreturn void stress_fail(const char *what, const struct guarded *g)
{
    fprintf(stderr, "%s: %s (pid %d, thread %d)\n", program_invocation_short_name, what,
            (int)getpid(), (int)gettid());
    if (g)
        print_lock(g);
    for (unsigned i = 0; i < stress.n_locks; i++)
        print_lock(&stress.locks[i]);
    abort();
}

void check_at_rest(const struct guarded *g)
{
    uint64_t w = __atomic_load_n(&g->lock.state_, __ATOMIC_RELAXED);

    if (!is_free(w) || has_waiters(w) || has_queue(w))
        stress_fail("a lock is not at rest though nobody uses it", g);
    if (g->first != g->second)
        stress_fail("the counters differ", g);
}

/* The time may have gone by before some of them ever ran: on a busy machine. */
static bool all_had_a_turn(void)
{
    unsigned n = __atomic_load_n(&n_workers, __ATOMIC_RELAXED);

    for (unsigned i = 0; i < n; i++)
        if (__atomic_load_n(&workers[i].turns, __ATOMIC_RELAXED) == 0)
            return false;
    return true;
}

bool stress_is_over(void)
{
    bool over = __atomic_load_n(&turns_are_done, __ATOMIC_RELAXED) ||
                now_ns() >= __atomic_load_n(&end_ns, __ATOMIC_RELAXED);

    return over && all_had_a_turn();
}

static void *worker_main(void *arg)
{
    struct worker *me = arg;

    me->body(me);
    __atomic_store_n(&me->is_over, true, __ATOMIC_RELEASE);
    return NULL;
}

/* Returns when all workers have. */
static void watch(unsigned n)
{
    uint64_t *turns = calloc(n, sizeof *turns), *since = calloc(n, sizeof *since);
    unsigned busy = n;

    for (unsigned i = 0; i < n; i++)
        since[i] = now_ns();
    while (busy > 0) {
        uint64_t all = 0;

        sleep_us(2000);
        busy = 0;
        for (unsigned i = 0; i < n; i++) {
            uint64_t t = __atomic_load_n(&workers[i].turns, __ATOMIC_RELAXED);

            all += t;
            if (__atomic_load_n(&workers[i].is_over, __ATOMIC_ACQUIRE))
                continue;
            busy++;
            if (t != turns[i]) {
                turns[i] = t;
                since[i] = now_ns();
            } else if (now_ns() - since[i] > STUCK_NS) {
                const char *doing = __atomic_load_n(&workers[i].doing, __ATOMIC_RELAXED);

                fprintf(stderr, "worker %u of %u is stuck after %" PRIu64 " turns, doing: %s\n", i,
                        n, t, doing ? doing : "its work");
                stress_fail("no progress", NULL);
            }
        }
        if (turns_wanted != 0 && all >= turns_wanted)
            __atomic_store_n(&turns_are_done, true, __ATOMIC_RELAXED);
    }
    free(turns);
    free(since);
}

static void hire(unsigned n, void (*body)(struct worker *me))
{
    workers = calloc(n, sizeof *workers);
    for (unsigned i = 0; i < n; i++)
        workers[i] =
            (struct worker){.index = i,
                            .body = body,
                            .random = (stress.seed + i + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    __atomic_store_n(&n_workers, n, __ATOMIC_RELAXED);
}

static void run_workers(double seconds, unsigned n, void (*body)(struct worker *me))
{
    pthread_attr_t small;
    unsigned started = 0;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 * 1024);
    __atomic_store_n(&end_ns, now_ns() + (uint64_t)(seconds * 1e9), __ATOMIC_RELAXED);
    hire(n, body);
    while (started < n &&
           pthread_create(&workers[started].thread, &small, worker_main, &workers[started]) == 0)
        started++;
    if (started == 0)
        stress_fail("no thread can be started", NULL);
    /* Where the system allows no more, the test goes on with those that there are. */
    __atomic_store_n(&n_workers, started, __ATOMIC_RELAXED);
    watch(started);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        total_turns += workers[i].turns;
        if (workers[i].turns == 0)
            stress_fail("a worker has not had a single turn", NULL);
    }
    pthread_attr_destroy(&small);
    n_workers = 0;
    free(workers);
}

void stress_run(unsigned n, void (*body)(struct worker *me))
{
    turns_wanted = stress.turns;
    run_workers(stress.seconds, n, body);
}

void stress_run_for(double seconds, unsigned n, void (*body)(struct worker *me))
{
    turns_wanted = 0;
    __atomic_store_n(&turns_are_done, false, __ATOMIC_RELAXED);
    run_workers(seconds, n, body);
}

int stress_end(void)
{
    for (unsigned i = 0; i < stress.n_locks; i++)
        check_at_rest(&stress.locks[i]);
    printf("%" PRIu64 " turns\n", total_turns);
    return 0;
}

fw_deadline in_ns(int64_t ns)
{
    int64_t at = (int64_t)now_ns() + ns;
    fw_deadline d = {{0, 0}, CLOCK_MONOTONIC};

    if (at > 0) {
        d.at.tv_sec = (time_t)(at / 1000000000);
        d.at.tv_nsec = (long)(at % 1000000000);
    }
    return d;
}

void burn(uint32_t ns)
{
    uint64_t end = now_ns() + ns;

    while (ns > 0 && now_ns() < end)
        ;
}

void sleep_us(uint32_t us)
{
    struct timespec t = {us / 1000000, (long)(us % 1000000) * 1000};

    nanosleep(&t, NULL);
}
