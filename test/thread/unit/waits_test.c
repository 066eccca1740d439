/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "waits.h"

/*
 * What is the same for every call that waits, with the fake kernel: how it sleeps, what ends its
 * wait and what does not, and which deadlines and policies it takes.  Each case is run for each
 * call of the table.
 */

static bool has(unsigned flag)
{
    return (call->flags & flag) != 0;
}

static int begin(void **state)
{
    call = *state;
    memset(&o, 0, sizeof o);
    fake_reset();
    call->make_busy(call->variant);
    fake.n_calls = fake.fences = 0;
    return 0;
}

static int end(void **state)
{
    fw_wait_set_default(&(fw_wait_policy){FW_WAIT_DEFAULT, 0});
    free(o.brlock.lines_);
    o.brlock.lines_ = NULL;
    (void)state;
    return 0;
}

static int wait_with(const fw_wait_policy *policy, const fw_deadline *deadline)
{
    if (policy != NULL && has(NO_POLICY))
        fw_wait_set_default(policy);
    return call->wait(policy, deadline);
}

static void leave(void)
{
    call->leave();
    call->check_at_rest();
}

/* Another thread lets go, and a wait ends at once, however it is to wait. */
static void check_free(const fw_wait_policy *policy, const fw_deadline *deadline)
{
    if (!has(NEVER_FREE)) {
        unsigned waits = fake.waits;

        call->release();
        assert_int_equal(wait_with(policy, deadline), 0);
        assert_int_equal(fake.waits, waits);
    }
    leave();
}

static int released(struct fake_call *sleep)
{
    assert_int_equal(sleep->flags, FW_FUTEX_PRIVATE);
    call->release();
    return FAKE_COMPARE;
}

static void a_release_wakes_the_sleeper(void **state)
{
    (void)state;
    fake.on_sleep = released;
    assert_int_equal(wait_with(&block, NULL), 0);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(fake.wakes, 1);
    assert_ptr_equal(fake_nth(FAKE_WAKE, 0)->word, fake_nth(FAKE_WAIT, 0)->word);
    assert_int_equal(fake_nth(FAKE_WAKE, 0)->flags, FW_FUTEX_PRIVATE);
    if (has(WAKES_ALL))
        assert_int_equal(fake_nth(FAKE_WAKE, 0)->n, FW_FUTEX_ALL);
    assert_int_equal(fake.pauses + fake.yields, 0);
    leave();
}

static void a_release_on_the_way_to_sleep_is_not_missed(void **state)
{
    (void)state;
    fake.on_wait = released;
    assert_int_equal(wait_with(&block, NULL), 0);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(fake_nth(FAKE_WAIT, 0)->result, -EAGAIN);
    leave();
}

static int disturbed(struct fake_call *sleep)
{
    if (fake.waits == 1)
        return -EINTR;
    return fake.waits == 2 ? FAKE_SPURIOUS : released(sleep);
}

static void signals_and_spurious_wakes_are_not_seen(void **state)
{
    (void)state;
    fake.on_sleep = disturbed;
    assert_int_equal(wait_with(&block, NULL), 0);
    assert_int_equal(fake.waits, 3);
    leave();
}

static int released_and_over(struct fake_call *sleep)
{
    released(sleep);
    return -ETIMEDOUT;
}

static void what_is_there_is_better_than_a_timeout(void **state)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 5000);

    (void)state;
    if (has(NO_DEADLINE) || has(IS_CALLED))
        return;
    fake.on_wait = released_and_over;
    assert_int_equal(wait_with(&block, &d), 0);
    leave();
}

static void released_at_the_third_poll(void)
{
    if (fake.pauses + fake.yields == 3)
        call->release();
}

/* A release that comes while one spins or yields costs no system call. */
static void polls(const fw_wait_policy *policy)
{
    fake.polling_pays = true;
    fake.on_poll = released_at_the_third_poll;
    assert_int_equal(wait_with(policy, NULL), 0);
    assert_int_equal(fake.waits, 0);
    assert_int_equal(fake.wakes, has(IS_WOKEN_AWAKE));
    assert_true(fake.fences == 0 || call->wait == brlock_write);
    assert_int_equal(fake.pauses, policy != NULL && policy->kind == FW_WAIT_YIELD ? 0 : 3);
    fake.on_poll = NULL;
    leave();
}

static void who_spins_costs_no_system_call(void **state)
{
    (void)state;
    polls(&(fw_wait_policy){FW_WAIT_SPIN, 0});
}

static void who_yields_costs_no_system_call(void **state)
{
    (void)state;
    polls(&(fw_wait_policy){FW_WAIT_YIELD, 0});
}

static void who_spins_first_costs_no_system_call(void **state)
{
    (void)state;
    polls(&(fw_wait_policy){FW_WAIT_SPIN_THEN_BLOCK, 100000});
}

static void by_default_one_spins_first(void **state)
{
    (void)state;
    polls(NULL);
}

static void a_deadline_ends_the_sleep(void **state)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};

    (void)state;
    for (unsigned i = 0; i < 2 && !has(NO_DEADLINE); i++) {
        fw_deadline d = fake_deadline(clocks[i], 5000);

        fake.n_calls = 0;
        assert_int_equal(wait_with(&block, &d), ETIMEDOUT);
        assert_true(fake_nth(FAKE_WAIT, 0)->has_deadline);
        if (!has(RECHECKS)) {
            assert_memory_equal(&fake_nth(FAKE_WAIT, 0)->deadline.at, &d.at, sizeof d.at);
            assert_int_equal(fake_nth(FAKE_WAIT, 0)->deadline.clock, clocks[i]);
        }
        assert_null(fake_nth(FAKE_WAIT, 1));
        assert_int_equal(fake.wakes, 0);
    }
    check_free(NULL, NULL);
}

static void who_never_sleeps_has_a_deadline_too(void **state)
{
    static const fw_wait_kind kinds[] = {FW_WAIT_SPIN, FW_WAIT_YIELD};

    (void)state;
    fake.pause_ns = fake.yield_ns = 1000;
    for (unsigned i = 0; i < 2 && !has(NO_DEADLINE); i++) {
        fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 3000000);

        assert_int_equal(wait_with(&(fw_wait_policy){kinds[i], 0}, &d), ETIMEDOUT);
        assert_int_equal(fake.waits + fake.wakes, 0);
    }
    check_free(NULL, NULL);
}

static void a_past_deadline_is_over_at_once(void **state)
{
    static const fw_wait_kind kinds[] = {FW_WAIT_DEFAULT, FW_WAIT_BLOCK, FW_WAIT_SPIN_THEN_BLOCK,
                                         FW_WAIT_SPIN, FW_WAIT_YIELD};
    fw_deadline past = fake_deadline(CLOCK_REALTIME, -1);

    (void)state;
    for (unsigned i = 0; i < 5 && !has(NO_DEADLINE); i++) {
        fake.pauses = fake.yields = 0;
        assert_int_equal(wait_with(&(fw_wait_policy){kinds[i], 100000}, &past), ETIMEDOUT);
        assert_true(fake.pauses + fake.yields <= 3);
    }
    check_free(NULL, &past);
}

static void malformed_deadlines_matter_only_to_those_who_wait(void **state)
{
    static const fw_deadline bad[] = {
        {{0, -1}, CLOCK_MONOTONIC}, {{0, 1000000000}, CLOCK_REALTIME}, {{1, 0}, CLOCK_BOOTTIME}};

    (void)state;
    for (unsigned i = 0; i < 3 && !has(NO_DEADLINE); i++) {
        end(NULL);
        begin((void *[]){(void *)(uintptr_t)call});
        assert_int_equal(wait_with(NULL, &bad[i]), EINVAL);
        assert_int_equal(fake.waits + fake.wakes, 0);
        check_free(NULL, &bad[i]);
    }
}

static void malformed_policies_matter_only_to_those_who_wait(void **state)
{
    static const fw_wait_policy bad[] = {
        {(fw_wait_kind)6, 0}, {(fw_wait_kind)-1, 0}, {FW_WAIT_SPIN_THEN_BLOCK, 1000000001}};

    (void)state;
    for (unsigned i = 0; i < 3 && !has(NO_POLICY); i++) {
        end(NULL);
        begin((void *[]){(void *)(uintptr_t)call});
        assert_int_equal(wait_with(&bad[i], NULL), EINVAL);
        assert_int_equal(fake.waits + fake.wakes, 0);
        check_free(&bad[i], NULL);
    }
}

#define CASE(test)  \
    {               \
#test, test \
    }

static const struct {
    const char *name;
    CMUnitTestFunction test;
} cases[] = {
    CASE(a_release_wakes_the_sleeper),
    CASE(a_release_on_the_way_to_sleep_is_not_missed),
    CASE(signals_and_spurious_wakes_are_not_seen),
    CASE(what_is_there_is_better_than_a_timeout),
    CASE(who_spins_costs_no_system_call),
    CASE(who_yields_costs_no_system_call),
    CASE(who_spins_first_costs_no_system_call),
    CASE(by_default_one_spins_first),
    CASE(a_deadline_ends_the_sleep),
    CASE(who_never_sleeps_has_a_deadline_too),
    CASE(a_past_deadline_is_over_at_once),
    CASE(malformed_deadlines_matter_only_to_those_who_wait),
    CASE(malformed_policies_matter_only_to_those_who_wait),
};

enum { CALLS = sizeof calls / sizeof *calls, CASES = sizeof cases / sizeof *cases };

int main(void)
{
    static struct CMUnitTest tests[CALLS * CASES];
    static char names[CALLS * CASES][128];

    for (unsigned i = 0; i < CALLS * CASES; i++) {
        snprintf(names[i], sizeof names[i], "%s: %s", calls[i / CASES].name, cases[i % CASES].name);
        tests[i] = (struct CMUnitTest){names[i], cases[i % CASES].test, begin, end,
                                       (void *)(uintptr_t)&calls[i / CASES]};
    }
    return cmocka_run_group_tests_name("calls that wait", tests, NULL, NULL);
}
