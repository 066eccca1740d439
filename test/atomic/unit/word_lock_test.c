/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "core/recheck.h"
#include "fake.h"
#include "test/support/unit.h"
#include "word_lock.h"

/*
 * atomic/word_lock.c over the fake kernel: what it costs, how long it sleeps, and what it says to
 * the kernel.  Hooks play other threads.  That it excludes and loses no wake is for the model.
 */

#define HELD FW_WORD_LOCK_HELD_
#define WAKING FW_WORD_LOCK_WAKING_

/* What a thread spends before it sleeps. */
#define PAUSES (FW_WORD_LOCK_LOOKS_ * FW_WORD_LOCK_PAUSES_)

static fw_word_lock l;

static int reset(void)
{
    fake_reset();
    l = (fw_word_lock)FW_WORD_LOCK_INIT;
    return 0;
}

TEST(one_word)
{
    assert_int_equal(sizeof l, 4);
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    fw_word_lock_unlock_(&l);
    assert_int_equal(l.word, 0);
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(fake.pauses, 0);
}

/* A newcomer takes a free lock past those who are registered, and does not join them. */
TEST(what_is_free_is_taken)
{
    static const uint32_t words[] = {0, 1, 2, 5, WAKING | 1, WAKING | 2};

    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        l.word = words[i];
        assert_int_equal(fw_word_lock_trylock_(&l), 0);
        assert_int_equal(l.word, HELD | words[i]);
        assert_int_equal(fw_word_lock_trylock_(&l), EBUSY);
        assert_int_equal(l.word, HELD | words[i]);
        l.word = words[i];
        fw_word_lock_lock_(&l);
        assert_int_equal(l.word, HELD | words[i]);
    }
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(fake.pauses, 0);
}

static void freed_at_the_third_pause(void)
{
    if (fake.pauses == 3)
        fw_word_lock_unlock_(&l);
}

/* Those who spin are not counted: the release that they wait for makes no call either. */
TEST(spinning_spares_the_kernel)
{
    l.word = HELD;
    fake.on_poll = freed_at_the_third_pause;
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    assert_in_range(fake.pauses, 3, 3 + FW_WORD_LOCK_PAUSES_ - 1); /* noticed at the next look */
    assert_int_equal(fake.n_calls, 0);
}

/* What a release finds when it looks at the lock that it has given back; nobody is asleep. */
TEST(a_release_that_others_have_overtaken)
{
    static const struct {
        uint32_t was, now, after;
        unsigned wakes;
    } cases[] = {
        {HELD | 1, 1, 1, 2},                            /* nobody came */
        {HELD | 1, 2, 2, 2},                            /* another one registered */
        {HELD | 1, HELD | 1, HELD | 1, 0},              /* taken: its release looks after them */
        {HELD | 1, HELD, HELD, 0},                      /* by the waiter itself */
        {HELD | 1, 0, 0, 0},                            /* and given back */
        {HELD | 2, WAKING | 2, WAKING | 2, 0},          /* another release has woken one */
        {HELD | WAKING | 3, WAKING | 3, WAKING | 3, 0}, /* there is one, and one is enough */
        {HELD | 2, HELD | WAKING | 1, HELD | WAKING | 1, 0},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake_reset();
        l.word = cases[i].now;
        fw_word_unlock_slow_(&l, cases[i].was);
        assert_int_equal(l.word, cases[i].after);
        assert_int_equal(fake.wakes, cases[i].wakes);
    }
}

/* --- Sleeping ------------------------------------------------------------------------------- */

/* How long a sleep that begins now would be. */
static uint64_t length(const struct fake_call *call)
{
    assert_true(call->has_deadline);
    assert_int_equal(call->deadline.clock, CLOCK_MONOTONIC);
    assert_in_range(call->deadline.at.tv_nsec, 0, 999999999);
    return (uint64_t)call->deadline.at.tv_sec * 1000000000 + (uint64_t)call->deadline.at.tv_nsec -
           fake.now_ns;
}

/*
 * Sleeps end for no reason; then nobody wakes it in time: it looks again by itself, is registered
 * once (AWL1), and is no successor.
 */
static int ends_in_each_way(struct fake_call *call)
{
    assert_int_equal(call->expected, HELD | 1);
    assert_int_equal(call->flags, FW_FUTEX_PRIVATE);
    assert_int_equal(length(call), FW_RECHECK_ATOMIC_NS);
    if (fake.waits < 3)
        return -EINTR;
    if (fake.waits == 5)
        l.word = 1;
    return FAKE_COMPARE;
}

TEST(sleeps_after_its_looks)
{
    l.word = HELD;
    fake.on_sleep = ends_in_each_way;
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    assert_int_equal(fake.waits, 5);
    assert_int_equal(fake.n_calls, 5);
    assert_int_equal(fake.pauses, 5 * PAUSES);
}

/*
 * AWL3: the successor, which was woken and found the lock taken, waits with a bound, and keeps
 * WAKING.
 */
static int a_successor_rechecks(struct fake_call *call)
{
    if (fake.waits == 1) {
        assert_int_equal(call->expected, HELD | 1);
        assert_int_equal(length(call), FW_RECHECK_ATOMIC_NS);
        fw_word_lock_unlock_(&l);
        assert_int_equal(l.word, WAKING | 1);
        fw_word_lock_lock_(&l); /* a newcomer */
        return FAKE_COMPARE;
    }
    assert_int_equal(call->expected, HELD | WAKING | 1);
    assert_int_equal(length(call), FW_RECHECK_ATOMIC_WOKEN_NS);
    if (fake.waits == 2)
        return FAKE_COMPARE; /* nobody wakes it */
    fw_word_lock_unlock_(&l);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(l.word, WAKING | 1);
    return FAKE_COMPARE; /* nobody wakes it: it finds out */
}

static void find_a_needless_wake_out(void)
{
    l.word = HELD;
    fake.on_sleep = a_successor_rechecks;
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    assert_int_equal(fake.waits, 3);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(fake_nth(FAKE_WAIT, 1)->result, -ETIMEDOUT);
    const struct fake_call *wake = fake_nth(FAKE_WAKE, 0);
    assert_ptr_equal(wake->word, &l.word);
    assert_int_equal(wake->n, 1);
    assert_int_equal(wake->flags, FW_FUTEX_PRIVATE);
}

TEST(a_needless_wake_is_found_out)
{
    find_a_needless_wake_out();
    reset();
    fake.now_ns = 999999999; /* re-checks end at a second as at any time */
    fake.pause_ns = 0;
    find_a_needless_wake_out();
}

/* Another one of those who are registered, on its way to sleep, finds the lock free. */
static int freed_with_a_successor(struct fake_call *call)
{
    assert_int_equal(call->expected, HELD | WAKING | 2);
    fw_word_lock_unlock_(&l);
    return FAKE_COMPARE;
}

TEST(only_the_successor_clears_waking)
{
    l.word = HELD | WAKING | 1;
    fake.on_wait = freed_with_a_successor;
    fw_word_lock_lock_(&l);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(l.word, HELD | WAKING | 1);
}

static int no_such_memory(struct fake_call *call)
{
    (void)call;
    return -EFAULT;
}

TEST(errors_that_cannot_be_panic)
{
    l.word = HELD;
    fake.on_wait = no_such_memory;
    FAKE_EXPECT_PANIC(fw_word_lock_lock_(&l));
    assert_int_equal(fake.panic_error, EFAULT);
    l.word = HELD | 1;
    fake.wake_result = -EINVAL;
    FAKE_EXPECT_PANIC(fw_word_lock_unlock_(&l));
    assert_int_equal(fake.panic_error, EINVAL);
}

UNIT_MAIN(reset, NULL)
