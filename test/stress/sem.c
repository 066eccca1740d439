/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include <furwock/any.h>
#include <furwock/sem.h>

/*
 * A few units that many threads take and give back, in every way there is, with deadlines that race
 * with posts.  No more units may be out than there are, and in the end all are back and nobody is
 * counted as a waiter.  Mode `signals`: handlers that take and give interrupt everything.
 */

enum { UNITS = 3 };

static fw_sem units;
static int out;
static uint64_t timed_out;
static bool with_signals, sender_is_gone;
static pthread_t threads[64];

static bool take(struct worker *me)
{
    static const fw_any only[] = {{FW_ANY_SEM, &units}};
    fw_deadline d = in_ns((int64_t)draw(me, 150000) - 2000);
    int error;

    switch (draw(me, 6)) {
    case 0:
        fw_sem_wait(&units);
        return true;
    case 1:
        return fw_sem_trywait(&units) == 0;
    case 2:
        error = fw_wait_any(only, 1, &d, NULL);
        break;
    default:
        error = fw_sem_wait_policy(&units, some_policy(me), &d);
    }
    if (error != 0 && error != ETIMEDOUT)
        stress_fail("an unknown error", NULL);
    if (error != 0)
        __atomic_fetch_add(&timed_out, 1, __ATOMIC_RELAXED);
    return error == 0;
}

static void body(struct worker *me)
{
    __atomic_store_n(&threads[me->index], pthread_self(), __ATOMIC_RELEASE);
    do {
        uint32_t n = 1;

        did_a_turn(me);
        if (with_signals && me->index == 0) {
            pthread_t t =
                __atomic_load_n(&threads[1 + draw(me, stress.threads - 1)], __ATOMIC_ACQUIRE);

            if (t != 0)
                pthread_kill(t, SIGUSR1);
            burn(draw(me, 20000));
            continue;
        }
        if (!take(me))
            continue;
        n += fw_sem_trywait(&units) == 0;
        if (__atomic_add_fetch(&out, n, __ATOMIC_RELAXED) > UNITS)
            stress_fail("more units are out than there are", NULL);
        if (draw(me, 4) == 0)
            burn(draw(me, 40000));
        if (draw(me, 32) == 0)
            sleep_us(draw(me, 100));
        __atomic_sub_fetch(&out, n, __ATOMIC_RELAXED);
        if (n == 1 ? fw_sem_post(&units) : fw_sem_post_n(&units, n))
            stress_fail("more units were given back than there are", NULL);
    } while (!stress_is_over());
    /* Whoever may be sent a signal has to exist: the sender goes first. */
    if (me->index == 0)
        __atomic_store_n(&sender_is_gone, true, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&sender_is_gone, __ATOMIC_ACQUIRE))
        sleep_us(100);
}

static void take_and_give(int signal)
{
    int saved = errno;

    (void)signal;
    if (fw_sem_trywait(&units) == 0)
        fw_sem_post(&units);
    errno = saved;
}

static int begin(void)
{
    struct sigaction action = {.sa_handler = take_and_give};

    with_signals = stress_test->variant;
    return sigaction(SIGUSR1, &action, NULL) | fw_sem_init(&units, UNITS, UNITS);
}

static void end(void)
{
    if (units.state_ != UNITS)
        stress_fail("in the end units are missing, or somebody is still counted", NULL);
    printf("%llu timed out\n", (unsigned long long)timed_out);
}

#define ABOUT "Units that circulate, and deadlines that race with posts"
#define COMMON .threads = 8, .least_threads = 2, .most_threads = 64, .begin = begin, .end = end

const struct stress_test sem_tests[] = {
    {"sem", ABOUT, body, 35000, COMMON},
    {"sem_signals", ABOUT ", and with handlers", body, 15000, COMMON, .variant = true},
    {0}};
