/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/thread_state.h"
#include "sys/clock.h"
#include "test/support/unit.h"

/* src/core/thread_state.c: what each thread remembers. */

#define SERIAL_THREADS 4
#define SERIALS 2000

static void *take_serials(void *arg)
{
    uint32_t *serials = arg;

    for (int i = 0; i < SERIALS; i++)
        serials[i] = fw_serial_();
    return NULL;
}

TEST(serials_differ_across_threads)
{
    static uint32_t serials[SERIAL_THREADS][SERIALS];
    static bool seen[1u << 23];
    pthread_t threads[SERIAL_THREADS];

    for (int i = 0; i < SERIAL_THREADS; i++)
        pthread_create(&threads[i], NULL, take_serials, serials[i]);
    for (int i = 0; i < SERIAL_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SERIAL_THREADS; i++) {
        for (int j = 0; j < SERIALS; j++) {
            assert_true(serials[i][j] < 1u << 23);
            assert_false(seen[serials[i][j]]);
            seen[serials[i][j]] = true;
        }
    }
}

TEST(one_call_in_n_is_chosen)
{
    int chosen = 0;

    for (int i = 0; i < 4096; i++)
        chosen += fw_one_in_(1024);
    assert_int_equal(chosen, 4);
    for (int i = 0; i < 10; i++)
        assert_true(fw_one_in_(1));
}

/* Not before half a millisecond, not for another lock, and anew after each answer. */
static void *take_stamps(void *arg)
{
    uint32_t *stamps = arg;

    for (unsigned i = 0; i < SERIALS; i++)
        stamps[i] = fw_stamp_();
    return NULL;
}

static int compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

TEST(stamps_differ_across_threads)
{
    static uint32_t stamps[SERIAL_THREADS][SERIALS];
    const uint32_t *all = stamps[0];
    pthread_t threads[SERIAL_THREADS];

    for (unsigned i = 0; i < SERIAL_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_stamps, stamps[i]), 0);
    for (unsigned i = 0; i < SERIAL_THREADS; i++)
        pthread_join(threads[i], NULL);
    qsort(stamps, sizeof stamps / sizeof *all, sizeof *all, compare);
    assert_int_not_equal(all[0], 0);
    for (unsigned i = 1; i < sizeof stamps / sizeof *all; i++)
        assert_int_not_equal(all[i], all[i - 1]);
}

TEST(stamps_differ_and_are_never_zero)
{
    uint32_t first = fw_stamp_();
    uint32_t second = fw_stamp_();

    assert_int_not_equal(first, 0);
    assert_int_not_equal(second, 0);
    assert_int_not_equal(first, second);
}

/* A thread of its own, so that what others were told does not matter. */
static void *learns_about_polling(void *arg)
{
    unsigned tries[2] = {0, 0};

    for (enum fw_spin_ what = 0; what < FW_SPINS_; what++) {
        unsigned again = 0;
        assert_true(fw_spinning_pays_(what)); /* nothing is known yet */
        for (int i = 0; i < 100; i++)
            fw_spinning_ended_(what, false);
        for (int i = 0; i < 1000; i++)
            again += fw_spinning_pays_(what);
        assert_in_range(again, 1, 20); /* it is tried again now and then */
        fw_spinning_ended_(what, true);
        assert_true(fw_spinning_pays_(what));
        fw_spinning_ended_(what, false);
        assert_false(fw_spinning_pays_(what));
    }
    for (int i = 0; i < 2000; i++) { /* each is tried again, also by turns */
        tries[0] += fw_spinning_pays_(FW_SPIN_WAKE_);
        tries[1] += fw_spinning_pays_(FW_SPIN_AHEAD_);
    }
    assert_in_range(tries[0], 1, 40);
    assert_in_range(tries[1], 1, 40);
    return arg;
}

TEST(one_failure_tells_of_wakes_and_several_of_locks)
{
    fw_spinning_ended_(FW_SPIN_WAKE_, false);
    fw_spinning_ended_(FW_SPIN_AHEAD_, false);
    assert_false(fw_spinning_pays_(FW_SPIN_WAKE_));
    assert_true(fw_spinning_pays_(FW_SPIN_AHEAD_));
    fw_spinning_ended_(FW_SPIN_WAKE_, true);
    fw_spinning_ended_(FW_SPIN_AHEAD_, true);
}

TEST(polling_is_given_up_and_taken_up_again)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, learns_about_polling, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

TEST(one_wake_can_be_put_off)
{
    static uint32_t word;
    static int lock, other;

    fw_wake_now_(&lock); /* nothing to do */
    assert_true(fw_wake_later_(&lock, &word));
    assert_false(fw_wake_later_(&other, &word));
    fw_wake_now_(&other);
    assert_false(fw_wake_later_(&other, &word));
    fw_wake_now_(&lock);
    assert_true(fw_wake_later_(&other, &word));
    fw_wake_now_(&other);
}

TEST(a_wake_is_overdue_after_a_while)
{
    int lock;
    int other;
    uint64_t began = fw_clock_ns_();

    assert_false(fw_is_overdue_(&lock, true));
    while (!fw_is_overdue_(&lock, true))
        ;
    assert_true(fw_clock_ns_() - began >= 500000);
    assert_false(fw_is_overdue_(&lock, true));
    began = fw_clock_ns_();
    while (fw_clock_ns_() - began < 1000000)
        assert_false(fw_is_overdue_(&other, false));
    assert_false(fw_is_overdue_(&lock, true));
}

UNIT_MAIN(NULL, NULL)
