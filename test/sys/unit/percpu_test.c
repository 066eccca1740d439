/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "in_child.h"
#include "sys/percpu.h"
#include "test/support/now.h"

/* Counters of CPUs, on the real kernel: contract in sys/percpu.h. */

enum { THREADS = 4 };
#define STORM_NS UINT64_C(400000000)

static uint32_t n_counters;
static char *counters;
static uint32_t closed;

static uint32_t *counter_at(uint32_t i)
{
    return (uint32_t *)(counters + (size_t)i * FW_PERCPU_STRIDE);
}

static uint32_t sum(void)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < n_counters; i++)
        total += __atomic_load_n(counter_at(i), __ATOMIC_RELAXED);
    return total;
}

static bool add(uint32_t delta)
{
    return fw_percpu_add_(&closed, counters, n_counters, delta);
}

static int begin(void)
{
    closed = 0;
    for (size_t i = 0; i < (size_t)n_counters * FW_PERCPU_STRIDE; i++)
        counters[i] = 0;
    return 0;
}

TEST(counts_while_it_is_open)
{
    uint32_t added = 0;

    for (int i = 0; i < 1000; i++)
        added += add(1) ? 1 : 0;
    assert_true(added > 900);
    assert_int_equal(sum(), added);
    for (uint32_t i = 0; i < added; i++)
        while (!add(-UINT32_C(1)))
            ;
    assert_int_equal(sum(), 0);
}

TEST(does_not_count_while_it_is_closed)
{
    static const uint32_t closed_values[] = {1, 0x100, 0x80000000u, UINT32_MAX};

    for (unsigned i = 0; i < sizeof closed_values / sizeof *closed_values; i++) {
        closed = closed_values[i];
        for (int k = 0; k < 100; k++)
            assert_false(add(1));
    }
    assert_int_equal(sum(), 0);
}

TEST(nothing_is_counted_beside_the_counters)
{
    char *bytes = counters;

    for (int i = 0; i < 1000; i++)
        add(0x00010001);
    for (uint32_t i = 0; i < n_counters; i++)
        for (unsigned k = 4; k < FW_PERCPU_STRIDE; k++)
            assert_int_equal(bytes[i * FW_PERCPU_STRIDE + k], 0);
    assert_int_equal(sum() % 0x00010001, 0);
}

/* With fewer counters than CPUs, those without one are refused, and the others are not. */
TEST(a_number_out_of_range_is_refused)
{
    uint32_t added = 0;

    for (int i = 0; i < 100000; i++)
        if (fw_percpu_add_(&closed, counters, 1, 1))
            added++;
    assert_int_equal(*counter_at(0), added);
    assert_int_equal(sum(), added);
}

static void nothing(int signal)
{
    (void)signal;
}

TEST(a_signal_storm_loses_no_count)
{
    struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART}, before;
    struct itimerval every = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    uint64_t end = now_ns() + STORM_NS;
    uint32_t added = 0, refused = 0;

    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &every, NULL);
    do
        for (int i = 0; i < 1000; i++) {
            if (add(1))
                added++;
            else
                refused++;
        }
    while (now_ns() < end);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_int_equal(sum(), added);
    assert_true(added > refused);
    print_message("    %u added, %u aborted\n", added, refused);
}

/* Several threads count, more than there are CPUs; one closes, fences and looks. */
static bool stop;

static void *count_for_ever(void *arg)
{
    uint32_t *mine = arg;

    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        if (add(1))
            ++*mine;
        if (*mine % 4096 == 0)
            sched_yield();
    }
    return NULL;
}

TEST(the_fence_makes_the_counters_stand_still)
{
    uint64_t end = now_ns() + STORM_NS;
    pthread_t thread[THREADS];
    uint32_t mine[THREADS][32] = {{0}};
    uint32_t total = 0, rounds = 0, moved = 0;

    stop = false;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, count_for_ever, mine[i]), 0);
    while (now_ns() < end || sum() == 0) {
        uint32_t before, taken = 0;

        __atomic_store_n(&closed, ++rounds, __ATOMIC_RELAXED);
        assert_int_equal(fw_percpu_fence_(), 0);
        before = sum();
        for (int i = 0; i < 100; i++)
            assert_int_equal(sum(), before);
        for (uint32_t i = 0; i < n_counters; i++) { /* they belong to the thread that closed it */
            taken += *counter_at(i);
            __atomic_store_n(counter_at(i), 0, __ATOMIC_RELAXED);
        }
        moved += taken;
        assert_int_equal(sum(), 0);
        __atomic_store_n(&closed, 0, __ATOMIC_RELEASE);
        for (volatile unsigned i = 0; i < rounds % 256; i++)
            ;
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        total += mine[i][0];
    }
    assert_int_equal(total, moved + sum());
    print_message("    %u fences, %u counts\n", rounds, total);
}

static bool add_in_the_end(void)
{
    bool added = false;

    for (int i = 0; i < 100 && !added; i++)
        added = add(1);
    return added;
}

TEST(a_child_counts_too)
{
    assert_in_child(add_in_the_end() && sum() == 1 && fw_percpu_fence_() == 0);
    assert_int_equal(sum(), 0);
}

int main(void)
{
    int failed;

    n_counters = fw_percpu_count_();
    if (n_counters == 0) {
        if (fw_percpu_fence_() != 0)
            return 1;
        print_message("skipped: no restartable sequences here\n");
        return 77;
    }
    counters = aligned_alloc(FW_PERCPU_STRIDE, (size_t)n_counters * FW_PERCPU_STRIDE);
    if (counters == NULL)
        return 1;
    failed = unit_run(begin, NULL);
    free(counters);
    return failed;
}
