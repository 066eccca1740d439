/* SPDX-License-Identifier: MIT */
/* An event: set, it lets through all, or one at a time; reset, nobody. */
#include <sched.h>

#include "contract.h"
#include "measure/watchdog.h"

static bool is_automatic(void)
{
    return event_subject->automatic;
}

TEST(test_states)
{
    void *event = object_make(false);

    for (int round = 0; round < 3; round++) {
        assert_false(event_subject->is_set(event));
        assert_int_equal(event_subject->trywait(event), EAGAIN);
        event_subject->set(event);
        event_subject->set(event); /* it is set already: no difference */
        assert_true(event_subject->is_set(event));
        event_subject->wait(event);
        assert_int_equal(event_subject->is_set(event), !is_automatic());
        assert_int_equal(event_subject->trywait(event), is_automatic() ? EAGAIN : 0);
        event_subject->set(event);
        assert_int_equal(event_subject->trywait(event), 0);
        assert_int_equal(event_subject->trywait(event), is_automatic() ? EAGAIN : 0);
        event_subject->set(event);
        event_subject->reset(event);
        event_subject->reset(event);
    }
    object_unmake(event);
}

const struct contract_group group_event_states = {"event-states", &family_event, always,
                                                  TESTS(cmocka_unit_test(test_states))};

/* --- Wakes: task 0 opens, the others pass once a round ---------------------------------------- */

struct fixture {
    void *event;
    unsigned tasks;
    unsigned rounds;
    unsigned passed;
    unsigned data; /* plain: written before the event is set, read by those it lets through */
    unsigned stale;
    pthread_barrier_t meet;
};

static bool have_passed(struct fixture *g, unsigned n)
{
    return __atomic_load_n(&g->passed, __ATOMIC_RELAXED) == n;
}

/* A manual event is open until all have passed; an automatic one is opened for each. */
static void open_for_all(struct fixture *g, unsigned round)
{
    unsigned before = (g->tasks - 1) * round, after = before + g->tasks - 1;

    g->data = round + 1;
    if (is_automatic()) {
        for (unsigned k = before; k < after; k++) {
            event_subject->set(g->event);
            while (!have_passed(g, k + 1))
                sched_yield();
        }
    } else {
        event_subject->set(g->event);
        while (!have_passed(g, after))
            sched_yield();
        event_subject->reset(g->event);
    }
}

static void pass_each_round(unsigned index, void *arg)
{
    struct fixture *g = arg;
    struct rng random;

    rng_seed(&random, index);
    for (unsigned i = 0; i < g->rounds; i++) {
        pthread_barrier_wait(&g->meet);
        work_ns(rng_below(&random, 20000));
        if (index == 0) {
            open_for_all(g, i);
        } else {
            event_subject->wait(g->event);
            if (g->data != i + 1)
                __atomic_fetch_add(&g->stale, 1, __ATOMIC_RELAXED);
            __atomic_fetch_add(&g->passed, 1, __ATOMIC_RELAXED);
        }
        pthread_barrier_wait(&g->meet);
    }
}

static void check_passing(unsigned tasks)
{
    struct fixture g = {
        .event = object_make(false), .tasks = tasks, .rounds = kind_rounds(tasks > 10 ? 40 : 400)};

    work_calibrate();
    meeting_make(&g.meet, tasks);
    tasks_run(tasks, WORKER_THREADS, "an event lets all through", g.event, pass_each_round, &g);
    assert_int_equal(g.stale, 0);
    assert_false(event_subject->is_set(g.event));
    pthread_barrier_destroy(&g.meet);
    object_unmake(g.event);
}

TEST(test_all_are_let_through)
{
    check_passing(2);
    check_passing(5);
    check_passing(40);
}

static void pass(void *arg)
{
    __atomic_fetch_add((unsigned *)arg, 1, __ATOMIC_RELAXED);
}

static void leave_open(void *event)
{
    (void)event;
}

/* Three sleep; the event is set once. */
TEST(test_an_automatic_event_lets_one_through)
{
    struct helper h[3];
    unsigned passed = 0;

    if (!is_automatic())
        skip();
    void *event = object_make(false);
    watchdog_start(patience, "one is let through", event, subject_head->size, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        h[i] = (struct helper){
            .lock = event, .ask = event_subject->wait, .unlock = leave_open, .got = pass};
        h[i].arg = &passed;
        helper_start(&h[i]);
    }
    for (unsigned k = 1; k <= 3; k++) {
        event_subject->set(event);
        while (__atomic_load_n(&passed, __ATOMIC_RELAXED) < k)
            clock_sleep_ns(MS / 10);
        clock_sleep_ns(2 * MS); /* time for one too many */
        assert_int_equal(__atomic_load_n(&passed, __ATOMIC_RELAXED), k);
    }
    for (int i = 0; i < 3; i++)
        helper_join(&h[i]);
    watchdog_stop();
    object_unmake(event);
}

const struct contract_group group_event_wakeup = {
    "event-wakeup",
    &family_event,
    always,
    TESTS(cmocka_unit_test(test_all_are_let_through),
          cmocka_unit_test(test_an_automatic_event_lets_one_through)),
    ALSO(&group_exclusion, &group_trylock, &group_wakeup),
    .also_applies = is_automatic};

/* --- The rest: an event that resets itself is a lock ------------------------------------------ */

TEST(test_a_wait_ends_in_time)
{
    const struct mode passing = {.unlock = leave_open, .timedlock = event_subject->timedwait};
    struct timespec past = clock_in_ns(-1000 * MS);

    for (int i = 0; i < DEADLINES; i++) {
        void *event = object_make(false);

        watchdog_start(patience, "a wait ends in time", event, subject_head->size, NULL, NULL);
        assert_int_equal(answer_in_time(event, passing, deadlines_ns[i]), ETIMEDOUT);
        event_subject->set(event);
        assert_int_equal(event_subject->timedwait(event, &past), 0); /* set, though too late */
        watchdog_stop();
        object_unmake(event);
    }
}

static bool is_timed(void)
{
    return event_subject->timedwait != NULL;
}

const struct contract_group group_event_timed = {
    "event-timed",      &family_event,
    is_timed,           TESTS(cmocka_unit_test(test_a_wait_ends_in_time)),
    ALSO(&group_timed), .also_applies = is_automatic};

static bool is_freeable_lock(void)
{
    return is_automatic() && subject_is(ADAPTER_FREEABLE);
}

const struct contract_group group_event_lifetime = {"event-lifetime", &family_event,
                                                    is_freeable_lock, ALSO(&group_lifetime)};

const struct contract_group group_event_memory = {"event-memory", &family_event, is_automatic,
                                                  ALSO(&group_memory)};

/* `subject` is set when it is made. */
TEST(test_a_waiter_for_a_manual_event_sleeps)
{
    if (is_automatic())
        skip();
    check_idle(event_subject->reset, event_subject->set, event_subject->wait, leave_open);
}

const struct contract_group group_event_idle = {
    "event-idle",
    &family_event,
    blocks,
    TESTS(cmocka_unit_test(test_a_waiter_for_a_manual_event_sleeps)),
    ALSO(&group_idle),
    .also_applies = is_automatic};
