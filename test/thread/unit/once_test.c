/* SPDX-License-Identifier: MIT */
#include <furwock/bits/self.h>
#include <furwock/once.h>

#include "words.h"

/* src/thread/once.c over the fake kernel. */

enum { SLEEPERS = 0x80 };

#define GENERATION(n) ((uint32_t)(n) << 2)
#define RUNS(tid) FAKE_ID(tid)

static fw_once o;
static unsigned runs;

static int reset(void)
{
    fake_reset();
    o = (fw_once)FW_ONCE_INIT;
    runs = 0;
    return 0;
}

static int init(void *error)
{
    runs++;
    assert_int_equal(o.state_ & ~(uint32_t)SLEEPERS,
                     fw_self_id_ | GENERATION(fake.fork_generation));
    return error != NULL ? *(int *)error : 0;
}

TEST(runs_once)
{
    assert_false(fw_once_is_done(&o));
    for (int i = 0; i < 3; i++)
        assert_int_equal(fw_once_call(&o, init, NULL), 0);
    assert_true(fw_once_is_done(&o));
    assert_int_equal(runs, 1);
    assert_int_equal(o.state_, FW_ONCE_DONE_);
    assert_int_equal(fake.n_calls, 0);
}

TEST(failure_is_the_callers)
{
    int error = ENOMEM;

    assert_int_equal(fw_once_call(&o, init, &error), ENOMEM);
    assert_int_equal(o.state_, 0);
    error = -7;
    assert_int_equal(fw_once_call(&o, init, &error), -7);
    assert_int_equal(fw_once_call(&o, init, NULL), 0);
    assert_int_equal(fw_once_call(&o, init, &error), 0);
    assert_int_equal(runs, 3);
}

static int init_calls_itself(void *arg)
{
    return fw_once_call(&o, init_calls_itself, arg);
}

TEST(recursion_panics)
{
    FAKE_EXPECT_PANIC(fw_once_call(&o, init_calls_itself, NULL));
    assert_ptr_equal(fake.panic_lock, &o);
    assert_int_equal(fake.panic_caller, FAKE_ID(FAKE_SELF));
    assert_int_equal(fake.panic_owner, FAKE_ID(FAKE_SELF));
}

/* ONCE2 */
static void assert_sleep(const struct fake_call *call)
{
    assert_ptr_equal(call->word, &o.state_);
    assert_int_equal(call->expected, RUNS(OTHER) | SLEEPERS);
    assert_int_equal(call->flags, FW_FUTEX_PRIVATE);
}

static int other_is_done(struct fake_call *call)
{
    assert_sleep(call);
    fw_once_end_(&o, true);
    return FAKE_COMPARE;
}

/* The initialiser itself has forked: in the child it goes on. */
TEST(who_forked_is_waited_for)
{
    o.state_ = RUNS(OTHER) | GENERATION(0);
    fake.fork_generation = 1;
    fake.inherited_id = FAKE_ID(OTHER);
    fake.on_sleep = other_is_done;
    assert_int_equal(fw_once_call(&o, init, NULL), 0);
    assert_int_equal(runs, 0);
    o.state_ = RUNS(FAKE_SELF);
    fake.inherited_id = FAKE_ID(FAKE_SELF);
    FAKE_EXPECT_PANIC(fw_once_call(&o, init, NULL));
    fake.inherited_id = 0; /* a thread of the child that was given a dead thread's id */
    assert_int_equal(fw_once_call(&o, init, NULL), 0);
    assert_int_equal(runs, 1);
}

UNIT_MAIN(reset, NULL)
