/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "core/wait.h"
#include "fake.h"
#include "test/support/unit.h"

/* src/core/wait.c: the adaptive policy, with each answer of sys/running.h. */

#define BUDGET_NS 3000u
#define OWNER 321u

static int reset(void)
{
    fake_reset();
    fake.pause_ns = 100;
    return 0;
}

static struct fw_wait_ begun(const fw_deadline *deadline)
{
    static const fw_wait_policy adaptive = {FW_WAIT_ADAPTIVE, BUDGET_NS};
    struct fw_wait_ w;

    assert_int_equal(fw_wait_begin_(&w, &adaptive, deadline), 0);
    return w;
}

/* Polls for the owner until that has an end; answers how long it took. */
static uint64_t poll_out(struct fw_wait_ *w)
{
    uint64_t start = fake.now_ns;

    for (int i = 0; fw_wait_spin_on_(w, OWNER); i++)
        assert_true(i < 100000);
    return fake.now_ns - start;
}

TEST(an_owner_that_does_not_run_is_not_waited_for)
{
    struct fw_wait_ w = begun(NULL);

    fake.running = FW_RUNNING_NO;
    assert_true(fw_wait_blocks_(&w));
    assert_false(fw_wait_spin_on_(&w, OWNER));
    assert_int_equal(fake.running_asked_tid, OWNER);
    assert_int_equal(fake.pauses + fake.yields, 0);
}

TEST(an_unknown_owner_gets_the_budget)
{
    struct fw_wait_ w = begun(NULL);
    uint64_t ns = poll_out(&w);

    assert_true(ns >= BUDGET_NS && ns <= BUDGET_NS + 300);
}

TEST(an_owner_that_runs_is_polled_for_longer_but_not_for_good)
{
    struct fw_wait_ w = begun(NULL);
    uint64_t alone, crowded;

    fake.running = FW_RUNNING_YES;
    alone = poll_out(&w);
    fake.cpu_wanted = true;
    fw_wait_again_(&w);
    crowded = poll_out(&w);
    assert_true(crowded > BUDGET_NS);
    assert_true(alone > crowded);
    assert_true(alone < 1000000);
    assert_false(fw_wait_spin_on_(&w, OWNER)); /* and no more before the next wake */
}

static enum fw_running_ stops_running(uint32_t tid, uint32_t pid_namespace)
{
    (void)tid;
    (void)pid_namespace;
    return fake.running_asked < 10 ? FW_RUNNING_YES : FW_RUNNING_NO;
}

TEST(polling_ends_when_the_owner_stops)
{
    struct fw_wait_ w = begun(NULL);

    fake.on_running = stops_running;
    poll_out(&w);
    assert_int_equal(fake.running_asked, 10);
    assert_int_equal(fake.pauses, 9);
}

TEST(polling_ends_with_the_deadline)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 2000);
    struct fw_wait_ w = begun(&d);

    fake.running = FW_RUNNING_YES;
    assert_true(poll_out(&w) <= 2500);
    assert_true(fw_wait_is_over_(&w));
}

/* Other policies are none of the page's business. */
TEST(nobody_else_asks)
{
    static const fw_wait_kind kinds[] = {FW_WAIT_BLOCK, FW_WAIT_SPIN_THEN_BLOCK, FW_WAIT_SPIN,
                                         FW_WAIT_YIELD};

    fake.running = FW_RUNNING_NO;
    for (unsigned i = 0; i < 4; i++) {
        fw_wait_policy p = {kinds[i], BUDGET_NS};
        struct fw_wait_ w;

        assert_int_equal(fw_wait_begin_(&w, &p, NULL), 0);
        assert_int_equal(fw_wait_spin_on_(&w, OWNER), p.kind != FW_WAIT_BLOCK);
    }
    assert_int_equal(fake.running_begins + fake.running_asked, 0);
}

static int woken(struct fake_call *call)
{
    (void)call;
    return 0;
}

TEST(the_page_is_told_of_sleeps)
{
    uint32_t word = 3;
    struct fw_wait_ w = begun(NULL);

    fake.on_wait = woken;
    assert_int_equal(fw_wait_sleep_(&w, &word, 3, 1, 0), 0);
    assert_int_equal(fake.running_begins + fake.running_sleeps, 0); /* there was no owner */
    assert_false(fw_wait_spin_knowing_(&w, FW_RUNNING_NO));
    assert_false(fw_wait_spin_knowing_(&w, FW_RUNNING_NO));
    assert_int_equal(fake.running_begins, 1);
    fake.on_wait = NULL;
    assert_int_equal(fw_wait_sleep_(&w, &word, 4, 1, 0), -EAGAIN);
    assert_int_equal(fake.running_sleeps, 0);
    fake.on_wait = woken;
    assert_int_equal(fw_wait_sleep_(&w, &word, 3, 1, 0), 0);
    assert_int_equal(fake.running_sleeps, 1);
}

UNIT_MAIN(reset, NULL)
