/* SPDX-License-Identifier: MIT */
/* What is measured with, itself: what tests and benchmarks believe without looking. */
#include <linux/membarrier.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contract.h"
#include "measure/counters.h"
#include "measure/death.h"
#include "measure/histogram.h"
#include "measure/machine.h"
#include "measure/rng.h"
#include "measure/stats.h"

const struct adapter *adapter_list[] = {NULL};
struct missing_adapter adapter_missing[] = {{"absent", "its package"}, {NULL, NULL}};

/* A read-write lock of a word, which nobody calls. */
static int word_init(void *lock, bool shared)
{
    *(uint32_t *)lock = shared ? 2 : 1;
    return 0;
}

static const struct rw_adapter word = {.name = "word",
                                       .flags = ADAPTER_SHARED,
                                       .size = sizeof(uint32_t),
                                       .init = word_init,
                                       .preference = RW_PREFER_WRITERS};
static const struct rw_adapter other = {.name = "other", .size = 200, .init = word_init};
const struct rw_adapter *rw_adapter_list[] = {&word, &other, NULL};
struct missing_adapter rw_adapter_missing[] = {{NULL, NULL}};

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

TEST(test_mean_and_interval)
{
    static const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct stats s = {0};

    assert_true(isnan(stats_ci95(&s)));
    for (int i = 0; i < 8; i++) {
        assert_true(isnan(stats_ci95(&s)) == (i < 6));
        stats_add(&s, x[i]);
    }
    assert_true(near(s.mean, 5, 1e-12));
    assert_true(near(stats_stddev(&s), 2.13809, 1e-5));
    assert_true(near(stats_coeff(&s), 0.427618, 1e-6));
    assert_true(near(stats_ci95(&s), 2.365 * 2.13809 / sqrt(8), 1e-4));
    assert_true(s.min == 2 && s.max == 9);
}

TEST(test_student)
{
    assert_true(isinf(stats_t95(0)));
    assert_true(near(stats_t95(1), 12.706, 1e-9));
    assert_true(near(stats_t95(20), 2.086, 1e-9));
    assert_true(near(stats_t95(21), 2.0796, 6e-4)); /* from tables */
    assert_true(near(stats_t95(30), 2.0423, 6e-4));
    assert_true(near(stats_t95(60), 2.0003, 6e-4));
    assert_true(near(stats_t95(1000000), 1.9600, 6e-4));
}

TEST(test_ratios)
{
    double a[100], b[100];
    struct rng random;

    rng_seed(&random, 1);
    for (int i = 0; i < 100; i++) {
        b[i] = rng_between(&random, 10, 20);
        a[i] = b[i] * rng_between(&random, 0.45, 0.55);
    }
    b[7] /= 1000; /* an outlier */
    struct stats_ratio r = stats_median_ratio(a, b, 100);
    assert_true(near(r.ratio, 0.5, 0.02));
    assert_true(r.low < r.ratio && r.ratio < r.high && r.high - r.low < 0.05);
    b[7] *= 1000;
    r = stats_paired_ratio(a, b, 100);
    assert_true(near(r.ratio, 0.5, 0.02));
    assert_true(r.low < r.ratio && r.ratio < r.high && r.high - r.low < 0.05);
}

/* The ranks are those of the tables of the sign test: that many of n numbers lie outside at each
 * end. */
TEST(test_interval_of_a_median)
{
    static const struct {
        size_t n, outside;
    } table[] = {{6, 0}, {8, 0}, {9, 1}, {11, 1}, {12, 2}, {15, 3}, {20, 5}, {25, 7}, {40, 13}};
    double a[10000], ones[10000];
    char text[48];

    for (int i = 0; i < 10000; i++) {
        a[i] = 10000 - i;
        ones[i] = 1;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t n = table[i].n;
        struct stats_ratio r = stats_median_ratio(&a[10000 - n], ones, n);
        assert_true(near(r.ratio, (double)(n + 1) / 2, 1e-9));
        assert_true(near(r.low, (double)(1 + table[i].outside), 1e-9));
        assert_true(near(r.high, (double)(n - table[i].outside), 1e-9));
    }
    struct stats_ratio r = stats_median_ratio(a, ones, 10000);
    assert_true(near(r.low, 4902, 1.5) && near(r.high, 5099, 1.5)); /* 5000 and 0.98 sqrt(n) */
    for (size_t n = 1; n < 6; n++) {
        r = stats_median_ratio(a, ones, n);
        assert_true(isfinite(r.ratio) && isnan(r.low) && isnan(r.high));
        assert_true(isnan(stats_paired_ratio(a, ones, n).low));
    }
    assert_string_equal(stats_text(text, sizeof text, r, 1), "9998.0 (too few)");
}

TEST(test_outcomes)
{
    static const struct stats_ratio above = {1.2, 1.1, 1.3}, across = {1.2, 0.9, 1.5},
                                    below = {0.8, 0.7, 0.9};
    const struct stats_ratio few = {1.2, NAN, NAN};
    char text[48];

    assert_string_equal(stats_at_least(above, 1), "reached");
    assert_string_equal(stats_at_least(across, 1), "open");
    assert_string_equal(stats_at_least(below, 1), "missed");
    assert_string_equal(stats_at_least(few, 1), "open");
    assert_string_equal(stats_at_most(above, 1), "missed");
    assert_string_equal(stats_at_most(across, 1), "open");
    assert_string_equal(stats_at_most(below, 1), "reached");
    assert_string_equal(stats_at_most(few, 1), "open");
    assert_string_equal(stats_text(text, sizeof text, stats_inverse(across), 2),
                        "0.83 (0.67 - 1.11)");
}

TEST(test_percentiles)
{
    struct histogram *h = calloc(2, sizeof *h);

    assert_int_equal(histogram_percentile(&h[0], 0.5), 0);
    for (uint64_t v = 1; v <= 100000; v++)
        histogram_add(&h[v % 2], v);
    histogram_merge(&h[0], &h[1]);
    assert_int_equal(h[0].n, 100000);
    assert_int_equal(h[0].max, 100000);
    assert_true(near(histogram_mean(&h[0]), 50000.5, 1e-6));
    for (int percent = 1; percent <= 100; percent++) {
        double truth = percent * 1000;
        double found = (double)histogram_percentile(&h[0], percent / 100.0);
        assert_true(found >= truth && found <= truth * (1 + 1.0 / 32) + 1);
    }
    assert_int_equal(histogram_percentile(&h[0], 1), 100000);

    histogram_clear(&h[1]);
    histogram_add(&h[1], 0);
    histogram_add(&h[1], UINT64_MAX);
    assert_int_equal(histogram_percentile(&h[1], 0.5), 0);
    assert_true(histogram_percentile(&h[1], 1) == UINT64_MAX);
    free(h);
}

TEST(test_random_numbers)
{
    struct rng a, b;
    unsigned seen[10] = {0};
    double sum = 0;

    rng_seed(&a, 42);
    rng_seed(&b, 42);
    for (int i = 0; i < 10000; i++) {
        assert_true(rng_next(&a) == rng_next(&b));
        seen[rng_below(&a, 10)]++;
        sum += rng_between(&a, 5, 15);
        rng_next(&b);
        rng_next(&b);
    }
    for (int i = 0; i < 10; i++)
        assert_in_range(seen[i], 800, 1200);
    assert_true(near(sum / 10000, 10, 0.2));
}

/*
 * What can be known of it on any machine, at any load: a rate that was measured is kept, and
 * determines the number of steps; and the steps are executed, each after the one before.  How well
 * the rate was measured depends on who else was there.
 */
TEST(test_work_is_done_in_steps)
{
    enum { STEPS = 2000000, QUICKEST_STEP_PS = 100 }; /* a multiplication at 10 GHz */

    double rate = work_calibrate();
    assert_true(rate > 0 && rate < 1000.0 / QUICKEST_STEP_PS);
    assert_true(near(work_calibrate(), rate, 0));
    uint64_t began = clock_thread_cpu_ns();
    work_do(STEPS);
    assert_true(clock_thread_cpu_ns() - began > STEPS / 1000 * QUICKEST_STEP_PS);
    work_set_rate(0.5);
    assert_int_equal(work_steps(0), 0);
    assert_int_equal(work_steps(1000), 500);
    work_set_rate(rate);
}

static void count_member(unsigned index, void *arg)
{
    __atomic_fetch_add((unsigned *)arg + index % 2, 1, __ATOMIC_RELAXED);
}

TEST(test_worker_groups)
{
    unsigned *counts = shared_make(sizeof *counts * 2);

    assert_int_equal(workers_run(1000, WORKER_THREADS, count_member, counts), 0);
    workers_stack(20000);
    assert_int_equal(workers_run(2, WORKER_THREADS, count_member, counts), 0);
    workers_stack(0);
    assert_int_equal(counts[0], 501);
    assert_int_equal(workers_run(20, WORKER_PROCESSES | WORKER_PINNED, count_member, counts), 0);
    assert_int_equal(counts[1], 511);

    /* No worker starts before workers_go; a killed process is reported. */
    struct worker_group *c = workers_start(3, WORKER_PROCESSES, count_member, counts);
    assert_non_null(c);
    clock_sleep_ns(5 * MS);
    assert_int_equal(counts[0] + counts[1], 1022);
    workers_kill(c);
    assert_int_equal(workers_join(c), 3);
    shared_unmake(counts, sizeof *counts * 2);
}

static void sees_one_cpu(unsigned index, void *good)
{
    ((bool *)good)[index] = cpus_usable() == 1;
}

/* In processes of their own: both hold from then on. */
static void limits(unsigned index, void *arg)
{
    bool good[2] = {false, false};

    (void)arg;
    if (index == 0) {
        unsigned all = cpus_usable();

        _exit(all > 0 && cpus_limit(all) && !cpus_limit(all + 1) && cpus_limit(1) &&
                      cpus_usable() == 1
                  ? 0
                  : 1);
    }
    workers_pin();
    _exit(workers_pinned() && workers_run(2, WORKER_THREADS, sees_one_cpu, good) == 0 && good[0] &&
                  good[1]
              ? 0
              : 1);
}

TEST(test_limits_of_cpus)
{
    assert_int_equal(workers_run(2, WORKER_PROCESSES, limits, NULL), 0);
    assert_false(workers_pinned());
}

static void exit_with(void *arg)
{
    fputs("last words\n", stderr);
    if (*(int *)arg >= 0)
        _exit(*(int *)arg);
    if (*(int *)arg == -1)
        abort();
    for (;;)
        pause();
}

TEST(test_deaths)
{
    struct death d;

    assert_int_equal(death_run(exit_with, &(int){7}, 60000, &d), 0);
    assert_int_equal(d.status, 7);
    assert_int_equal(d.signal, 0);
    assert_string_equal(d.text, "last words\n");
    assert_int_equal(death_run(exit_with, &(int){-1}, 60000, &d), 0);
    assert_int_equal(d.status, -1);
    assert_int_equal(d.signal, SIGABRT);
    assert_false(d.timed_out);
    assert_int_equal(death_run(exit_with, &(int){-2}, 50, &d), 0);
    assert_true(d.timed_out);
}

static void *ask_three_times(void *unused)
{
    for (int i = 0; i < 3; i++)
        syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    return unused;
}

TEST(test_counters)
{
    struct counters *c = counters_open();
    struct counts before, after;
    pthread_t thread;

    assert_non_null(c);
    counters_read(c, &before);
    assert_int_equal(pthread_create(&thread, NULL, ask_three_times, NULL), 0);
    pthread_join(thread, NULL);
    for (int i = 0; i < 10; i++)
        clock_sleep_ns(1000);
    uint64_t busy_until = clock_thread_cpu_ns() + 2 * MS;
    while (clock_thread_cpu_ns() < busy_until)
        work_do(1000);
    counters_read(c, &after);
    counts_subtract(&after, &before);
    assert_true(after.voluntary >= 5);
    assert_true(after.cpu_ns >= 2 * MS);
    assert_true(after.has_system_calls == (counters_no_system_calls(c)[0] == '\0'));
    if (after.has_system_calls)
        assert_true(after.system_calls >= 13);
    if (after.has_fences)
        assert_int_equal(after.fences, 3);
    if (after.has_cycles)
        assert_true(after.cycles > 0 && after.instructions > 0);
    counters_close(c);
}

TEST(test_names)
{
    struct machine m;

    assert_null(adapter_find("absent"));
    assert_string_equal(adapter_why_missing("absent"), "its package");
    assert_null(adapter_why_missing("unheard-of"));
    machine_describe(&m);
    assert_true(m.cpus >= 1 && m.cpu[0] != '\0' && strstr(m.kernel, "Linux") == m.kernel);
}

TEST(test_every_family_has_its_own)
{
    assert_ptr_equal(rw_adapter_find("other"), &other);
    assert_null(rw_adapter_find("absent"));
    assert_null(rw_adapter_why_missing("word"));
    assert_string_equal(rw_preference_name(word.preference), "writers");
    assert_int_equal(rw_adapter_stride(&word), 128);
    assert_int_equal(rw_adapter_stride(&other), 256);

    for (int shared = 0; shared < 2; shared++) {
        void *locks = rw_adapter_make(&word, 3, shared);
        assert_non_null(locks);
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(*(uint32_t *)rw_adapter_at(&word, locks, i), 1 + shared);
        rw_adapter_unmake(&word, locks, 3);
    }
    assert_null(rw_adapter_make(&other, 1, true));
    assert_int_equal(errno, ENOTSUP);
}

TEST(test_deadlines_keep_their_distance)
{
    static const int64_t distances[] = {-1500000000, 0, 1, 999999999, 2500000000};

    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        struct timespec at = clock_in_ns(distances[i]), now;
        struct timespec real = clock_realtime_of(&at);
        clock_gettime(CLOCK_REALTIME, &now);
        int64_t left = (real.tv_sec - now.tv_sec) * 1000000000 + real.tv_nsec - now.tv_nsec;
        assert_in_range(real.tv_nsec, 0, 999999999);
        assert_true(left <= distances[i] && left > distances[i] - 1000 * (int64_t)MS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_and_interval),
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_ratios),
        cmocka_unit_test(test_interval_of_a_median),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_work_is_done_in_steps),
        cmocka_unit_test(test_worker_groups),
        cmocka_unit_test(test_limits_of_cpus),
        cmocka_unit_test(test_deaths),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_every_family_has_its_own),
        cmocka_unit_test(test_deadlines_keep_their_distance),
    };
    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
