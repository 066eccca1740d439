/* SPDX-License-Identifier: MIT */
/*
 * A conditional critical section begins when its predicate is true, though nobody signals.  What
 * hangs here, the watchdog barks at; the tests of locks are put to a flag that is waited for so.
 */
#include "contract.h"

/* Tasks take turns, each waits for its own. */
struct ring {
    void *object;
    unsigned tasks, rounds;
    unsigned turn;
    unsigned too_early;
};

struct place {
    const struct ring *ring;
    unsigned index;
};

static bool is_my_turn(void *arg)
{
    const struct place *p = arg;

    return p->ring->turn % p->ring->tasks == p->index;
}

static void take_turns(unsigned index, void *arg)
{
    struct ring *r = arg;
    struct place here = {r, index};

    for (unsigned i = 0; i < r->rounds; i++) {
        cond_subject->lock(r->object);
        if (cond_subject->await(r->object, is_my_turn, &here, NULL) != 0 || !is_my_turn(&here))
            r->too_early++;
        r->turn++;
        cond_subject->unlock(r->object);
    }
}

TEST(test_each_turn_comes)
{
    for (unsigned tasks = 1; tasks <= 8; tasks *= 2) {
        struct ring r = {.object = object_make(false), .tasks = tasks};

        r.rounds = kind_rounds(8000) / tasks;
        tasks_run(tasks, WORKER_THREADS, "tasks await their turns", r.object, take_turns, &r);
        assert_int_equal(r.too_early, 0);
        assert_int_equal(r.turn, r.tasks * r.rounds);
        object_unmake(r.object);
    }
}

/* Half of the tasks add units, half take them: what was true is so when the wait has returned. */
enum { UNITS_MAX = 2 };

struct stock {
    void *object;
    unsigned rounds, units, wrong;
};

static bool is_not_empty(void *stock)
{
    return ((struct stock *)stock)->units > 0;
}

static bool is_not_full(void *stock)
{
    return ((struct stock *)stock)->units < UNITS_MAX;
}

static void add_or_take(unsigned index, void *arg)
{
    bool (*const holds)(void *) = index % 2 == 0 ? is_not_full : is_not_empty;
    struct stock *s = arg;

    for (unsigned i = 0; i < s->rounds; i++) {
        cond_subject->lock(s->object);
        if (cond_subject->await(s->object, holds, s, NULL) != 0 || !holds(s))
            s->wrong++;
        else
            s->units += index % 2 == 0 ? 1 : -1u;
        cond_subject->unlock(s->object);
    }
}

TEST(test_it_is_still_true)
{
    struct stock s = {.object = object_make(false), .rounds = kind_rounds(2000)};

    tasks_run(8, WORKER_THREADS, "tasks add units and take them", s.object, add_or_take, &s);
    assert_int_equal(s.wrong, 0);
    assert_int_equal(s.units, 0);
    object_unmake(s.object);
}

static bool is_true(void *flag)
{
    return *(bool *)flag;
}

TEST(test_what_is_true_does_not_wait)
{
    void *object = object_make(false);
    struct timespec past = {0, 0};
    bool yes = true, no = false;

    cond_subject->lock(object);
    assert_int_equal(cond_subject->await(object, is_true, &yes, NULL), 0);
    assert_int_equal(cond_subject->await(object, is_true, &yes, &past), 0);
    assert_int_equal(cond_subject->await(object, is_true, &no, &past), ETIMEDOUT);
    cond_subject->unlock(object);
    object_unmake(object);
}

static bool has_it(void)
{
    return cond_subject->await != NULL;
}

const struct contract_group group_cond_await = {
    "cond-await", &family_await, has_it,
    TESTS(cmocka_unit_test(test_what_is_true_does_not_wait),
          cmocka_unit_test(test_it_is_still_true), cmocka_unit_test(test_each_turn_comes)),
    ALSO(&group_timed, &group_idle)};
