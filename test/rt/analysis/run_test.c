/* SPDX-License-Identifier: MIT */
/* What a job is made of, and what is called blocking, of schedules that are written by hand. */
#include <stdlib.h>
#include <string.h>

#include "command/rt/run/plan.h"
#include "command/rt/run/run.h"
#include "test/support/testing.h"

/* Three tasks: H and L on CPU 0, R on CPU 1; the lock is 0. */
enum { H, L, R, TASKS };

static struct taskset set;
static struct run_log logs[TASKS];
static struct run_event event[TASKS][32];
static struct run_result result[TASKS];

static int begin(void **state)
{
    static const int cpu[] = {0, 0, 1}, priority[] = {30, 10, 20};

    (void)state;
    memset(&set, 0, sizeof set);
    memset(result, 0, sizeof result);
    set.tasks = TASKS;
    set.locks = 1;
    for (int t = 0; t < TASKS; t++) {
        set.task[t].cpu = cpu[t];
        set.task[t].priority = priority[t];
        logs[t] = (struct run_log){.event = event[t], .jobs = 1};
        result[t].limit = 25;
    }
    return 0;
}

static void at(int task, uint64_t ns, enum run_kind kind)
{
    event[task][logs[task].count++] = (struct run_event){.ns = ns, .kind = kind, .lock = 0};
}

/* What comes together, in the order in which it is logged. */
static void comes(int task, uint64_t ns)
{
    at(task, ns, RUN_RELEASE);
    at(task, ns, RUN_START);
}

static void switches(int from, int to, uint64_t ns)
{
    at(from, ns, RUN_STOP);
    at(to, ns, RUN_START);
}

static void gets(int task, uint64_t ns)
{
    at(task, ns, RUN_ASK);
    at(task, ns, RUN_GET);
}

static void queues(int task, uint64_t ns)
{
    at(task, ns, RUN_ASK);
    at(task, ns, RUN_QUEUE);
    at(task, ns, RUN_STOP);
}

static void leaves(int task, uint64_t ns)
{
    at(task, ns, RUN_LEAVE);
    at(task, ns, RUN_LEFT);
}

static void ends(int task, uint64_t ns)
{
    at(task, ns, RUN_STOP);
    at(task, ns, RUN_END);
}

static void evaluate(void)
{
    struct run_round round = {.set = &set, .log = logs};

    rt_run_evaluate(&round, result);
}

static void expect(int task, uint64_t blocking, uint64_t lost)
{
    assert_int_equal(result[task].jobs, 1);
    assert_int_equal(result[task].blocking, blocking);
    assert_int_equal(result[task].sum, blocking);
    assert_int_equal(result[task].lost, lost);
    assert_int_equal(result[task].above, blocking > 25);
}

/* L has the lock from 10; H comes at 20, waits from 25 until 50: L executes except for a moment. */
static void test_blocked(void **state)
{
    (void)state;
    comes(L, 0);
    gets(L, 10);
    at(L, 20, RUN_STOP);
    comes(H, 20);
    at(H, 25, RUN_ASK);
    at(H, 25, RUN_STOP);
    at(L, 28, RUN_START);
    at(L, 48, RUN_LEAVE);
    at(L, 48, RUN_STOP); /* goes on at 61, behind the call */
    at(H, 50, RUN_START);
    at(H, 50, RUN_GET);
    leaves(H, 55);
    ends(H, 60);
    at(L, 61, RUN_START);
    at(L, 61, RUN_LEFT);
    ends(L, 70);
    evaluate();
    expect(H, 20, 3 + 2);
    expect(L, 0, 3 + 2 + 1);
}

/* R has the lock from 5 until 40, except for 20 to 30; H waits from 10; L executes meanwhile. */
static void test_remote(void **state)
{
    (void)state;
    comes(R, 0);
    gets(R, 5);
    comes(H, 8);
    queues(H, 10);
    at(L, 8, RUN_RELEASE);
    at(L, 10, RUN_START);
    at(R, 20, RUN_STOP);
    at(R, 30, RUN_START);
    at(R, 38, RUN_LEAVE);
    at(R, 40, RUN_LEFT);
    ends(R, 44);
    at(L, 45, RUN_STOP);
    at(H, 45, RUN_GET);
    at(H, 45, RUN_START);
    ends(H, 50);
    at(L, 50, RUN_START);
    ends(L, 60);
    evaluate();
    /* From 40 on the lock is H's, which does not execute for L does. */
    expect(H, 10 + 10 + 5, 10);
    expect(L, 0, 0);
    expect(R, 0, 10);
}

/* R asks at 10 for the free lock, and its CPU stands still until 40; H asks at 15. */
static void test_stands_still(void **state)
{
    (void)state;
    comes(R, 0);
    at(R, 10, RUN_ASK);
    at(R, 10, RUN_STOP);
    comes(L, 10);
    at(L, 12, RUN_STOP);
    comes(H, 12);
    queues(H, 15);
    at(L, 15, RUN_START);
    at(R, 40, RUN_START);
    at(R, 40, RUN_GET);
    leaves(R, 50);
    ends(R, 50);
    switches(L, H, 50);
    at(H, 50, RUN_GET);
    leaves(H, 55);
    ends(H, 55);
    at(L, 55, RUN_START);
    ends(L, 60);
    evaluate();
    /* R is the one that gets the lock, from when it has asked. */
    expect(H, 10, 25);
    expect(L, 0, 0);
    expect(R, 0, 30);
}

/* What L executes while H sleeps of its own accord, or has no job, is no blocking. */
static void test_asleep(void **state)
{
    (void)state;
    comes(L, 0);
    at(L, 10, RUN_STOP);
    comes(H, 10);
    at(H, 15, RUN_STOP);
    at(H, 15, RUN_SLEEP);
    at(L, 15, RUN_START);
    at(H, 30, RUN_WAKE);
    switches(L, H, 62);
    ends(H, 70);
    at(L, 70, RUN_START);
    ends(L, 90);
    evaluate();
    expect(H, 32, 0);
    expect(L, 0, 0);
}

/*
 * Tier B: H is due at 10, and woken at 30 only, from its sleep at 60 and not at 50, and the kernel
 * lets it sleep from 75 to 85.  L executes meanwhile, and that is no blocking.
 */
static void test_not_woken(void **state)
{
    (void)state;
    comes(L, 0);
    at(H, 10, RUN_RELEASE);
    event[H][0].lock = RUN_UNWOKEN;
    at(H, 30, RUN_WOKEN);
    at(L, 33, RUN_STOP);
    at(H, 34, RUN_START);
    at(H, 40, RUN_STOP);
    at(H, 40, RUN_SLEEP);
    at(L, 40, RUN_START);
    at(H, 50, RUN_WAKE);
    event[H][5].lock = RUN_UNWOKEN;
    at(H, 60, RUN_WOKEN);
    at(L, 64, RUN_STOP);
    at(H, 65, RUN_START);
    at(H, 75, RUN_STOP);
    at(H, 75, RUN_HELD);
    at(L, 75, RUN_START);
    at(H, 85, RUN_WOKEN);
    switches(L, H, 85);
    ends(H, 90);
    at(L, 90, RUN_START);
    ends(L, 95);
    evaluate();
    expect(H, 3 + 4, 20 + 1 + 10 + 1 + 10);
    assert_int_equal(result[H].late, 20 + 10);
    assert_int_equal(result[H].held, 10);
}

/* The jobs above the limit are kept, with what is known of them. */
static void test_kept(void **state)
{
    (void)state;
    comes(L, 0);
    at(H, 10, RUN_RELEASE);
    at(L, 40, RUN_STOP);
    at(H, 42, RUN_START);
    ends(H, 50);
    at(L, 50, RUN_START);
    ends(L, 60);
    evaluate();
    expect(H, 30, 2);
    assert_int_equal(result[H].kept[0].release, 10);
    assert_int_equal(result[H].kept[0].end, 50);
    assert_int_equal(result[H].kept[0].blocking, 30);
    assert_int_equal(result[H].kept[0].lost, 2);
}

/* A job's parts add up, in the right order. */
static void test_plan(void **state)
{
    static const struct taskset_task task = {.execution = 100,
                                             .suspension = 7,
                                             .suspensions = 3,
                                             .sections = 3,
                                             .section = {{.lock = 0, .outer = -1, .length = 30},
                                                         {.lock = 1, .outer = 0, .length = 11},
                                                         {.lock = 2, .outer = -1, .length = 5}}};
    static const int locks[] = {0, 1, -2, -1, 2, -3}; /* n: lock n; -n - 1: unlock n */
    struct run_plan p = rt_run_plan(&task);
    uint64_t executes = 0, sleeps = 0;
    int order = 0, held = 0, pieces = 0;

    (void)state;
    for (size_t i = 0; i < p.count; i++) {
        const struct run_step *s = &p.step[i];
        if (s->what == RUN_DO_EXECUTE) {
            executes += s->ns;
        } else if (s->what == RUN_DO_SLEEP) {
            assert_int_equal(held, 0);
            sleeps += s->ns;
            pieces++;
        } else {
            assert_true(order < 6);
            assert_int_equal(s->what == RUN_DO_LOCK ? s->lock : -s->lock - 1, locks[order]);
            held += s->what == RUN_DO_LOCK ? 1 : -1;
            order++;
        }
    }
    assert_int_equal(executes, 100);
    assert_int_equal(sleeps, 7);
    assert_int_equal(pieces, 3);
    assert_int_equal(order, 6);
    free(p.step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_blocked, begin),
        cmocka_unit_test_setup(test_remote, begin),
        cmocka_unit_test_setup(test_asleep, begin),
        cmocka_unit_test_setup(test_stands_still, begin),
        cmocka_unit_test_setup(test_not_woken, begin),
        cmocka_unit_test_setup(test_kept, begin),
        cmocka_unit_test(test_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
