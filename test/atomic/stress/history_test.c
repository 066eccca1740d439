/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "history.h"

/*
 * Histories of which the answer is known, and random ones that are made by a register that works or
 * by one that forgets.
 */

static struct history h;

static void begin_history(unsigned n_threads)
{
    h = (struct history){.n_threads = n_threads};
}

static void add(unsigned thread, uint64_t begin, uint64_t end, struct event e)
{
    e.begin = begin;
    e.end = end;
    h.events[thread][h.n[thread]++] = e;
}

static struct event load(int seen)
{
    return (struct event){.call = CALL_LOAD, .seen = seen};
}

static struct event store(int v)
{
    return (struct event){.call = CALL_STORE, .stored = v};
}

static struct event exchange(int v, int seen)
{
    return (struct event){.call = CALL_EXCHANGE, .stored = v, .seen = seen};
}

static struct event compare_done(int expected, int v)
{
    return (struct event){
        .call = CALL_COMPARE_EXCHANGE, .stored = v, .expected = expected, .done = true};
}

static struct event compare_failed(int expected, int v, int seen)
{
    return (struct event){
        .call = CALL_COMPARE_EXCHANGE, .stored = v, .expected = expected, .seen = seen};
}

static void nothing_is_fine(void **state)
{
    (void)state;
    begin_history(2);
    assert_true(history_is_linearizable(&h));
}

static void one_after_the_other(void **state)
{
    (void)state;
    begin_history(2);
    add(0, 1, 2, store(1));
    add(1, 3, 4, load(1));
    assert_true(history_is_linearizable(&h));
    h.events[1][0].seen = 0;
    assert_false(history_is_linearizable(&h));
}

/* While a store is under way, a load may see either; but not the new and then the old. */
static void new_then_old(void **state)
{
    (void)state;
    begin_history(2);
    add(0, 1, 10, store(1));
    add(1, 2, 3, load(0));
    add(1, 4, 5, load(1));
    assert_true(history_is_linearizable(&h));
    h.events[1][0].seen = 1;
    h.events[1][1].seen = 0;
    assert_false(history_is_linearizable(&h));
}

/* Two readers must agree on the order of two stores, also where those overlap. */
static void readers_disagree(void **state)
{
    (void)state;
    begin_history(4);
    add(0, 1, 20, store(1));
    add(1, 1, 20, store(2));
    add(2, 2, 4, load(1));
    add(2, 5, 7, load(2));
    add(3, 2, 4, load(1));
    add(3, 5, 7, load(2));
    assert_true(history_is_linearizable(&h));
    h.events[3][0].seen = 2;
    h.events[3][1].seen = 1;
    assert_false(history_is_linearizable(&h));
}

static void exchanges_form_a_chain(void **state)
{
    (void)state;
    begin_history(3);
    add(0, 1, 9, exchange(1, 2));
    add(1, 1, 9, exchange(2, 0));
    add(2, 1, 9, exchange(3, 1));
    assert_true(history_is_linearizable(&h));
    h.events[2][0].seen = 2; /* the same value goes to two */
    assert_false(history_is_linearizable(&h));
}

static void only_one_compare_wins(void **state)
{
    (void)state;
    begin_history(2);
    add(0, 1, 9, compare_done(0, 1));
    add(1, 1, 9, compare_failed(0, 2, 1));
    assert_true(history_is_linearizable(&h));
    h.events[1][0] = compare_done(0, 2);
    h.events[1][0].begin = 1;
    h.events[1][0].end = 9;
    assert_false(history_is_linearizable(&h));
}

/* A failure that leaves what was expected, and a failure without a reason. */
static void failures_have_reasons(void **state)
{
    (void)state;
    begin_history(1);
    add(0, 1, 2, compare_failed(0, 1, 0));
    assert_false(history_is_linearizable(&h));
    h.events[0][0] = compare_failed(5, 1, 5);
    assert_false(history_is_linearizable(&h));
    h.events[0][0] = compare_failed(5, 1, 0);
    assert_true(history_is_linearizable(&h));
}

static void torn_is_never_right(void **state)
{
    (void)state;
    begin_history(2);
    add(0, 1, 9, store(1));
    add(1, 1, 9, load(-1));
    assert_false(history_is_linearizable(&h));
}

/* The search has to come back from a choice: both stores fit first, only one way leads on. */
static void needs_a_second_try(void **state)
{
    (void)state;
    begin_history(3);
    add(0, 1, 10, store(1));
    add(1, 1, 10, store(2));
    add(2, 2, 3, load(2));
    add(2, 11, 12, load(1));
    assert_true(history_is_linearizable(&h));
    add(2, 13, 14, load(2));
    assert_false(history_is_linearizable(&h));
}

/* --- Random histories ------------------------------------------------------------------------ */

static uint64_t random_ = 88172645463325252u;

static unsigned draw(unsigned limit)
{
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return (unsigned)(random_ >> 33) % limit;
}

/* What a register does at a moment that lies within each call; its value is `now`. */
static struct event at_once(int *now, int v)
{
    int was = *now, expected = draw(2) != 0 ? was : (int)draw(60);

    switch (draw(4)) {
    case 0:
        return load(was);
    case 1:
        *now = v;
        return store(v);
    case 2:
        *now = v;
        return exchange(v, was);
    default:
        if (expected != was)
            return compare_failed(expected, v, was);
        *now = v;
        return compare_done(expected, v);
    }
}

static void make_random(unsigned steps)
{
    uint64_t end[HISTORY_THREADS] = {0};
    int now = 0;

    begin_history(HISTORY_THREADS);
    for (unsigned moment = 1; moment <= steps * HISTORY_THREADS; moment++) {
        unsigned t = draw(HISTORY_THREADS);
        uint64_t before = draw(60), at = moment * 10, begin;

        if (h.n[t] == steps || at <= end[t])
            continue; /* this thread is still busy */
        begin = at - before > end[t] && before < at ? at - before : end[t] + 1;
        end[t] = at + draw(60);
        add(t, begin, end[t], at_once(&now, (int)moment));
    }
}

static void what_a_register_does_is_fine(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        make_random(HISTORY_STEPS);
        assert_true(history_is_linearizable(&h));
    }
}

/* Values are stored once each: seeing another's cannot be right where that had long gone. */
static void what_it_does_not_is_caught(void **state)
{
    unsigned caught = 0, made = 0;

    (void)state;
    for (int i = 0; i < 300; i++) {
        unsigned t, k;

        make_random(HISTORY_STEPS);
        t = draw(HISTORY_THREADS);
        if (h.n[t] < 4)
            continue;
        k = h.n[t] - 1;
        if (h.events[t][k].call != CALL_LOAD && h.events[t][k].call != CALL_EXCHANGE)
            continue;
        made++;
        h.events[t][k].seen = h.events[t][0].call == CALL_LOAD ? 200 : h.events[t][0].stored;
        caught += !history_is_linearizable(&h);
    }
    assert_true(made > 50);
    assert_true(caught > made * 9 / 10); /* some are right by chance */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_fine),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(new_then_old),
        cmocka_unit_test(readers_disagree),
        cmocka_unit_test(exchanges_form_a_chain),
        cmocka_unit_test(only_one_compare_wins),
        cmocka_unit_test(failures_have_reasons),
        cmocka_unit_test(torn_is_never_right),
        cmocka_unit_test(needs_a_second_try),
        cmocka_unit_test(what_a_register_does_is_fine),
        cmocka_unit_test(what_it_does_not_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
