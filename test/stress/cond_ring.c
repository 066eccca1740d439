/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include <furwock/cond.h>

/*
 * A closed ring: a few tokens go round among many threads, and each pass is announced by one signal
 * and no more.  One signal that is lost, or given to a thread that arrived after it, and sooner or
 * later everybody waits forever: this is how the C library's condition variable of 2.25 to 2.40
 * can be made to hang (bug 25847).  All have to agree on how many waits were ended so.  In the
 * variant SIGNALS waits are interrupted all the time; in TIMED most of them have deadlines.
 */

enum { TOKENS = 2, MAX_WORKERS = 200 };
enum { PLAIN, SIGNALS, TIMED };

static struct guarded ring;
static fw_cond passed;
static unsigned tokens = TOKENS;
static bool is_over;
static bool with_signals, with_deadlines;
static uint64_t timed_out, woken;
static uint64_t told; /* by signals and broadcasts, of waits that they have ended */

static const fw_wait_policy policies[] = {
    {FW_WAIT_BLOCK, 0}, {FW_WAIT_DEFAULT, 0}, {FW_WAIT_SPIN_THEN_BLOCK, 3000}, {FW_WAIT_YIELD, 0}};

static void interrupted(int signal)
{
    (void)signal;
}

static void wait_for_token(struct worker *me)
{
    fw_deadline d = in_ns((int64_t)draw(me, 200000) - 2000);
    bool timed = with_deadlines ? draw(me, 8) != 0 : draw(me, 64) == 0;
    int error = fw_cond_wait_policy(
        &passed, &ring.lock, &policies[draw(me, 16) == 0 ? 3 : draw(me, 3)], timed ? &d : NULL);

    if (error != 0 && error != ETIMEDOUT)
        stress_fail("an unknown error", &ring);
    if (fw_mutex_owner(&ring.lock) != gettid())
        stress_fail("back from a wait without the mutex", &ring);
    __atomic_fetch_add(error ? &timed_out : &woken, 1, __ATOMIC_RELAXED);
    did_a_turn(me);
}

/* One token more; one signal, or now and then a broadcast, with the mutex or after it. */
static void pass(struct worker *me)
{
    bool inside = draw(me, 2) != 0, all = draw(me, 32) == 0;
    uint32_t n = 0;

    fw_mutex_lock(&ring.lock);
    use(&ring);
    tokens++;
    if (inside)
        n = (all ? fw_cond_broadcast : fw_cond_signal)(&passed);
    release(me, &ring, 8);
    if (!inside)
        n = (all ? fw_cond_broadcast : fw_cond_signal)(&passed);
    __atomic_fetch_add(&told, n, __ATOMIC_RELAXED);
}

static void body(struct worker *me)
{
    pthread_t self = pthread_self();

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        fw_mutex_lock(&ring.lock);
        while (tokens == 0)
            wait_for_token(me);
        tokens--;
        use(&ring);
        if (stress_is_over())
            __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
        fw_mutex_unlock(&ring.lock);
        if (draw(me, 8) == 0)
            burn(draw(me, 5000));
        if (with_signals && draw(me, 4) == 0)
            pthread_kill(self, SIGUSR1);
        did_a_turn(me);
        pass(me);
    }
}

/* Interrupts whoever waits. */
static pthread_t targets[MAX_WORKERS];

static void storm(struct worker *me)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        pthread_t target =
            __atomic_load_n(&targets[1 + draw(me, stress.threads - 1)], __ATOMIC_ACQUIRE);

        if (target != 0)
            pthread_kill(target, SIGUSR1);
        did_a_turn(me);
        sleep_us(20);
    }
}

static void any_body(struct worker *me)
{
    if (with_signals && me->index == 0) {
        storm(me);
        return;
    }
    __atomic_store_n(&targets[me->index], pthread_self(), __ATOMIC_RELEASE);
    body(me);
    __atomic_store_n(&targets[me->index], 0, __ATOMIC_RELEASE);
}

static int begin(void)
{
    struct sigaction action = {.sa_handler = interrupted}; /* without SA_RESTART */

    with_signals = stress_test->variant == SIGNALS;
    with_deadlines = stress_test->variant == TIMED;
    return sigaction(SIGUSR1, &action, NULL);
}

static void end(void)
{
    printf("%llu woken, %llu timed out\n", (unsigned long long)woken,
           (unsigned long long)timed_out);
    if (told != woken)
        stress_fail("signals and broadcasts have counted other waits than those that ended", &ring);
}

#define ABOUT "Tokens that go round, one signal for each pass"
#define COMMON .most_threads = MAX_WORKERS, .begin = begin, .end = end, .locks = &ring, .n_locks = 1

const struct stress_test cond_ring_tests[] = {
    {"cond_ring", ABOUT, any_body, 60000, .threads = 12, COMMON, .variant = PLAIN},
    {"cond_ring_signals", ABOUT ", interrupted", any_body, 40000, .threads = 13, .least_threads = 2,
     COMMON, .variant = SIGNALS},
    {"cond_ring_timed", ABOUT ", with deadlines", any_body, 60000, .threads = 12, COMMON,
     .variant = TIMED},
    {0}};
