/* SPDX-License-Identifier: MIT */
#include "gustedt_text.h"

#include <pthread.h>
#include <sched.h>

#include "sys/clock.h"

/* Origin and what was adapted: gustedt_text.h. */

static uint32_t look(const classic_gustedt_text *l)
{
    return __atomic_load_n(&l->word, __ATOMIC_RELAXED);
}

/* Step 2(a).  False: without success; *now is what the last look saw. */
static bool spin(classic_gustedt_text *l, uint32_t *now)
{
    for (uint32_t i = 0; i < l->spins; i++) {
        if ((*now & GUSTEDT_TEXT_HELD) != 0)
            *now = look(l);
        else if (gustedt_text_cas(l, now, *now | GUSTEDT_TEXT_HELD)) /* n -> HELD|n */
            return true;
    }
    return false;
}

void classic_gustedt_text_lock_slow_(classic_gustedt_text *l)
{
    /* w -> w+1 */
    uint32_t now = __atomic_add_fetch(&l->word, GUSTEDT_TEXT_ONE, __ATOMIC_RELAXED);

    while (!spin(l, &now)) {
        if ((now & GUSTEDT_TEXT_HELD) == 0)
            continue;
        word_sleep(&l->word, now, l->scope);
        now = look(l);
    }
}

/* --- E ---------------------------------------------------------------------------------------- */

enum { SAMPLES = 9, WAITS = 500, SWITCHES = 200, LOOKS = 20000, PERCENT = 90 };

static uint32_t ball;

static uint64_t least(uint64_t (*sample)(void))
{
    uint64_t best = sample();
    for (int i = 1; i < SAMPLES; i++) {
        uint64_t ns = sample();
        best = ns < best ? ns : best;
    }
    return best;
}

/* In picoseconds, as a look takes less than a nanosecond. */
static uint64_t failed_wait(void)
{
    uint64_t begin = fw_clock_ns_();
    for (int i = 0; i < WAITS; i++)
        (void)fw_futex_wait(&ball, ~ball, FW_FUTEX_PRIVATE, NULL);
    return (fw_clock_ns_() - begin) * 1000 / WAITS;
}

/* By the loop that spins, on a lock that stays held. */
static uint64_t one_look(void)
{
    classic_gustedt_text held = {GUSTEDT_TEXT_HELD, CLASSIC_PRIVATE, LOOKS};
    uint32_t now = held.word;
    uint64_t begin = fw_clock_ns_();
    (void)spin(&held, &now);
    return (fw_clock_ns_() - begin) * 1000 / LOOKS;
}

struct player {
    int cpu; /* negative: any */
    uint32_t turn;
    uint64_t ns;
};

static void *play(void *arg)
{
    struct player *p = arg;
    cpu_set_t one;

    CPU_ZERO(&one);
    if (p->cpu >= 0) {
        CPU_SET(p->cpu, &one);
        (void)sched_setaffinity(0, sizeof one, &one);
    }
    uint64_t begin = fw_clock_ns_();
    for (int i = 0; i < SWITCHES; i++) {
        while (sc_load(&ball) != p->turn)
            (void)fw_futex_wait(&ball, !p->turn, FW_FUTEX_PRIVATE, NULL);
        sc_store(&ball, !p->turn);
        fw_futex_wake(&ball, 1, FW_FUTEX_PRIVATE);
    }
    p->ns = fw_clock_ns_() - begin;
    return NULL;
}

/* One thread put to sleep and another started, on one CPU; 0: there can be no such threads. */
static uint64_t one_switch(void)
{
    int cpu = sched_getcpu();
    struct player first = {cpu, 0, 0}, second = {cpu, 1, 0};
    pthread_t threads[2];

    ball = 0;
    if (cpu < 0 || pthread_create(&threads[0], NULL, play, &first) != 0)
        return 0;
    bool both = pthread_create(&threads[1], NULL, play, &second) == 0;
    if (!both) {
        second.cpu = -1; /* the caller's thread stays where it may be */
        play(&second);
    }
    pthread_join(threads[0], NULL);
    if (both)
        pthread_join(threads[1], NULL);
    return first.ns * 1000 / (2 * SWITCHES);
}

static uint32_t spins;

static void calibrate(void)
{
    uint64_t wait = least(failed_wait), change = least(one_switch), step = least(one_look);
    uint64_t t_fail = wait > change ? wait : change;
    uint64_t looks = t_fail * PERCENT / 100 / (step > 0 ? step : 1);

    spins = looks > 0 ? (uint32_t)looks : 1;
}

uint32_t classic_gustedt_text_spins(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, calibrate);
    return spins;
}
