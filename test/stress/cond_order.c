/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <stdio.h>
#include <unistd.h>

#include <furwock/cond.h>
#include <furwock/futex.h>

/*
 * A waiter that arrives after a signal must not eat it.  In each round the early one waits, is
 * signalled, and then the late one comes and waits; the early one has to get out all the same, with
 * no further signal.
 *
 * "stolen" is the control: a condition variable that hands wakes to whoever looks first.  There the
 * program must see the theft, and ends well if it does.
 */

/* Wakes as tokens in a jar: the heart of what is wrong with BZ 25847's stealing. */
struct jar {
    uint32_t tokens;
};

static void jar_wait(struct jar *j, fw_mutex *m)
{
    uint32_t t = 0;

    fw_mutex_unlock(m);
    for (;;) {
        t = __atomic_load_n(&j->tokens, __ATOMIC_RELAXED);
        if (t == 0)
            fw_futex_wait(&j->tokens, 0, FW_FUTEX_PRIVATE, NULL);
        else if (__atomic_compare_exchange_n(&j->tokens, &t, t - 1, false, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED))
            break;
    }
    fw_mutex_lock(m);
}

static void jar_signal(struct jar *j)
{
    __atomic_fetch_add(&j->tokens, 1, __ATOMIC_RELAXED);
    fw_futex_wake(&j->tokens, 1, FW_FUTEX_PRIVATE);
}

static struct guarded data;
static fw_cond variable;
static struct jar jar;
static bool use_jar;

enum { EARLY, LATE, SIGNALLER, ROLES };

/* Rounds: which one each role is in, and out of.  Written under the lock. */
static uint64_t came[2], went[2], may_come[2];
static bool is_over;

static void wait_once(void)
{
    if (use_jar)
        jar_wait(&jar, &data.lock);
    else
        fw_cond_wait(&variable, &data.lock);
}

static void signal_once(void)
{
    if (use_jar)
        jar_signal(&jar);
    else
        fw_cond_signal(&variable);
}

/* Until the role may begin its next round; polls, so that nothing else orders the roles. */
static bool await(const uint64_t *word, uint64_t value)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
        if (__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
            return false;
        else
            sched_yield();
    return true;
}

static void waiter(struct worker *me)
{
    for (uint64_t round = 1; await(&may_come[me->index], round); round++) {
        fw_mutex_lock(&data.lock);
        __atomic_store_n(&came[me->index], round, __ATOMIC_RELEASE);
        wait_once();
        __atomic_store_n(&went[me->index], round, __ATOMIC_RELEASE);
        fw_mutex_unlock(&data.lock);
        did_a_turn(me);
    }
}

/* Waits for `word`; false where the wake for it must have been stolen. */
static bool gets_out(const uint64_t *word, uint64_t round)
{
    for (unsigned looks = 0; __atomic_load_n(word, __ATOMIC_ACQUIRE) < round; looks++) {
        if (looks > 2000 && use_jar)
            return false;
        if (looks < 100)
            sched_yield();
        else
            sleep_us(500); /* the watchdog ends this where it never ends */
    }
    return true;
}

static void stolen(void)
{
    printf("the control has lost a wake, as it must\n");
    fflush(stdout);
    _exit(0);
}

/* Signals one who has come and released the mutex, but may not sleep yet. */
static void signal_to(struct worker *me, unsigned role, uint64_t round)
{
    bool inside = draw(me, 2) != 0;

    await(&came[role], round);
    fw_mutex_lock(&data.lock);
    if (inside)
        signal_once();
    fw_mutex_unlock(&data.lock);
    if (!inside)
        signal_once();
}

static void signaller(struct worker *me)
{
    uint64_t round = 0;

    while (!stress_is_over()) {
        round++;
        __atomic_store_n(&may_come[EARLY], round, __ATOMIC_RELEASE);
        if (draw(me, 4) == 0)
            sleep_us(draw(me, 100));
        signal_to(me, EARLY, round);
        __atomic_store_n(&may_come[LATE], round, __ATOMIC_RELEASE);
        if (!gets_out(&went[EARLY], round))
            stolen();
        if (__atomic_load_n(&went[LATE], __ATOMIC_ACQUIRE) < round)
            signal_to(me, LATE, round);
        if (!gets_out(&went[LATE], round))
            stolen();
        did_a_turn(me);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
}

static void body(struct worker *me)
{
    if (me->index == SIGNALLER)
        signaller(me);
    else
        waiter(me);
}

static int begin(void)
{
    use_jar = stress_test->variant;
    return 0;
}

static void end(void)
{
    if (use_jar)
        stress_fail("the control has lost nothing", NULL);
}

#define COMMON                                                                                   \
    .threads = ROLES, .least_threads = ROLES, .most_threads = ROLES, .begin = begin, .end = end, \
    .locks = &data, .n_locks = 1

const struct stress_test cond_order_tests[] = {
    {"cond_order", "Signals, and those who come after them", body, 12000, COMMON},
    {"cond_order_stolen", "A control, which ends as soon as it loses a wake", body, 0,
     .seconds = 60, COMMON, .variant = true},
    {0}};
