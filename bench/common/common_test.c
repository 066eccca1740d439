/* SPDX-License-Identifier: MIT */
/* The statistics and the result of bench/common, from invented runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench.h"
#include "measure/turns.h"
#include "measure/workers.h"

enum { REPETITIONS = 9 };

static const adapter_head ours = {.name = "ours", .about = "", .family = FAMILY_FURWOCK};
static const adapter_head baseline = {.name = "baseline", .about = "", .family = FAMILY_RIVAL};
static const adapter_head quick = {.name = "quick", .about = "", .family = FAMILY_RIVAL};
static const adapter_head quicker = {.name = "quicker", .about = "", .family = FAMILY_CLASSIC};
static const adapter_head *const adapters[] = {&ours, &baseline, &quick, &quicker, NULL};

static const struct missing_adapter missing[] = {{"gone", "install it"}, {NULL, NULL}};
static int runs_made, fails_from;

/* Repetitions grow slower, all locks alike: ratios must not move. */
static bool invent(struct bench_point *point, struct bench_entry *entry, struct bench_run *out)
{
    static const double shares[] = {0.5, 1, 0.8, 0.4};
    size_t i = 0;

    (void)point;
    if (fails_from > 0 && point->pieces == 1000)
        return false;
    while (adapters[i] != entry->lock)
        i++;
    *out = (struct bench_run){.seconds = shares[i] * (1 + runs_made++ / 4), .voluntary = 1};
    return true;
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    b->name = "invented";
    b->unit = "round";
    b->piece = "waiter";
    b->repetitions = REPETITIONS;
    b->run = invent;
    bench_offer(&b->catalogue, adapters, missing);
    for (int waiters = 10; waiters <= 1000; waiters *= 100) {
        struct bench_point *p = bench_add_point(b, waiters, json_pack("{s:i}", "waiters", waiters));
        snprintf(p->title, sizeof p->title, "%d waiters", waiters);
        for (size_t i = 0; i < b->catalogue.n; i++)
            bench_add_entry(p, b->catalogue.locks[i], "baseline");
    }
    runs_made = fails_from = 0;
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench_release(*state);
    free(*state);
    return 0;
}

/* Runs it whole, as a program would; returns the parsed result file. */
static json_t *run_whole(struct bench *b)
{
    char path[] = "/tmp/bench_common_XXXXXX";
    int fd = mkstemp(path);
    struct bench_options o = {.json = path};

    assert_true(fd >= 0);
    assert_int_equal(bench_whole(b, &o), 0);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    remove(path);
    return root;
}

static double number(const json_t *cell, const char *object, const char *key)
{
    return json_number_value(
        json_object_get(json_object_get(json_object_get(cell, "summary"), object), key));
}

static void test_ratios_are_taken_within_repetitions(void **state)
{
    json_t *root = run_whole(*state);
    json_t *cells = json_object_get(root, "cells");

    assert_int_equal(json_array_size(cells), 8);
    assert_int_equal(json_integer_value(json_object_get(root, "rounds")), REPETITIONS);
    const json_t *cell = json_array_get(cells, 0);
    assert_string_equal(json_string_value(json_object_get(cell, "lock")), "ours");
    assert_int_equal(json_array_size(json_object_get(cell, "runs")), REPETITIONS);
    assert_float_equal(number(cell, "ratio", "median"), 0.5, 1e-9);
    const json_t *interval =
        json_object_get(json_object_get(json_object_get(cell, "summary"), "ratio"), "ci95");
    assert_float_equal(json_number_value(json_array_get(interval, 0)), 0.5, 1e-9);
    assert_float_equal(json_number_value(json_array_get(interval, 1)), 0.5, 1e-9);
    json_decref(root);
}

static void test_a_point_that_does_not_fit_is_left_out(void **state)
{
    fails_from = 1;
    json_t *root = run_whole(*state);
    const json_t *notes = json_object_get(root, "notes");

    assert_int_equal(json_array_size(json_object_get(root, "cells")), 4);
    assert_string_equal(json_string_value(json_array_get(notes, 0)), "left out: 1000 waiters");
    json_decref(root);
}

/* Of five repetitions there is no interval, neither in the result nor in the table; of six there
 * is one. */
static void test_no_interval_of_fewer_than_six(void **state)
{
    struct bench *b = *state;
    char table[4096] = "";
    FILE *saved = stdout;

    b->repetitions = 5;
    stdout = fmemopen(table, sizeof table, "w");
    json_t *root = run_whole(b);
    fclose(stdout);
    stdout = saved;

    const json_t *summary =
        json_object_get(json_array_get(json_object_get(root, "cells"), 0), "summary");
    assert_true(json_is_null(json_object_get(summary, "ci95")));
    assert_true(json_is_null(json_object_get(json_object_get(summary, "ratio"), "ci95")));
    assert_non_null(strstr(table, "0.500 (too few)"));
    assert_null(strstr(table, "nan"));
    json_decref(root);
}

static void test_best_rival_is_no_classic(void **state)
{
    struct bench *b = *state;
    struct bench_point *p = &b->points[0];

    b->finished = 1;
    for (size_t k = 0; k < p->n; k++) {
        p->entries[k].runs = calloc(1, sizeof *p->entries[k].runs);
        invent(p, &p->entries[k], p->entries[k].runs);
    }
    assert_string_equal(bench_best_rival(b, p)->lock->name, "quick");
    struct bench_figures f = bench_figures(b, p, &p->entries[2]);
    assert_int_equal(f.n, 1);
    assert_float_equal(f.ratio.ratio, 0.8, 1e-9);
    assert_true(isnan(f.ratio.low) && isnan(f.ratio.high) && isnan(f.low));
}

static void test_lists_of_numbers(void **state)
{
    unsigned list[3];

    (void)state;
    assert_int_equal(bench_number("--x", "17", 1, 20), 17);
    assert_int_equal(bench_numbers("--x", "1,20,3", 1, 20, list, 3), 3);
    assert_int_equal(list[1], 20);
    assert_int_equal(bench_numbers("--x", "5", 1, 20, list, 3), 1);
}

static void test_who_takes_part(void **state)
{
    struct bench_options nobody = {0}, one = {.names = {"quick"}, .n = 1};

    (void)state;
    assert_true(bench_wanted(&nobody, "ours", "baseline"));
    assert_true(bench_wanted(&one, "quick", "baseline"));
    assert_true(bench_wanted(&one, "baseline", "baseline"));
    assert_false(bench_wanted(&one, "ours", "baseline"));
}

static void test_runs_last_turns_of_the_scheduler(void **state)
{
    unsigned cpus = cpus_usable();

    (void)state;
    assert_int_equal(bench_run_ms(1, 100, false), 100);
    assert_int_equal(bench_run_ms(500 * cpus, 100, false), 8000);
    assert_int_equal(bench_run_ms(500 * cpus, 100, true), 100);
    assert_int_equal(bench_run_ms(500 * cpus, 9000, false), 9000);
    assert_true(bench_is_short(500 * cpus, 7999));
    assert_false(bench_is_short(500 * cpus, 8000));
    assert_true(turns_warm_seconds(500 * cpus, 0.01) == 4);
    assert_true(turns_start_seconds(500 * cpus, 5) == 10);
}

static void test_short_runs_are_noted(void **state)
{
    struct bench *b = *state;

    bench_tell_short(b, 1, 1, "--x");
    assert_int_equal(b->n_notes, 0);
    bench_tell_short(b, 100 * cpus_usable(), 100, "--x");
    assert_int_equal(b->n_notes, 1);
    assert_non_null(strstr(b->notes[0], "1600 ms"));
}

/* Two points of four locks: 0.1 s and 1 s a run. */
static void test_what_does_not_fit_the_budget_is_left_out(void **state)
{
    struct bench *b = *state;

    b->points[0].run_seconds = 0.1;
    b->points[1].run_seconds = 1;
    assert_true(fabs(bench_expected(b) - 4.4) < 1e-9);
    bench_fit(b); /* without a budget */
    b->budget = 27;
    bench_fit(b);
    assert_int_equal(b->n, 2);
    b->budget = 26;
    bench_fit(b);
    assert_int_equal(b->n, 1);
    assert_true(b->points[0].pieces == 10);
    assert_int_equal(b->n_notes, 2);
    b->budget = 1; /* the last one stays */
    bench_fit(b);
    assert_int_equal(b->n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ratios_are_taken_within_repetitions, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_point_that_does_not_fit_is_left_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_no_interval_of_fewer_than_six, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_best_rival_is_no_classic, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_short_runs_are_noted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_does_not_fit_the_budget_is_left_out, set_up,
                                        tear_down),
        cmocka_unit_test(test_runs_last_turns_of_the_scheduler),
        cmocka_unit_test(test_lists_of_numbers),
        cmocka_unit_test(test_who_takes_part),
    };

    bench_begin("test");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
