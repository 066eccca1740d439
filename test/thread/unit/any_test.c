/* SPDX-License-Identifier: MIT */
#include <furwock/any.h>
#include <furwock/event.h>
#include <furwock/latch.h>
#include <furwock/sem.h>

#include "permits_words.h"

/* src/thread/any.c, and what the objects do for it. */

static fw_sem a, b;
static fw_event door, ticket;
static fw_latch latch;

enum { A, B, DOOR, TICKET, LATCH, ALL };

static const fw_any all[ALL] = {{FW_ANY_SEM, &a},
                                {FW_ANY_SEM, &b},
                                {FW_ANY_EVENT, &door},
                                {FW_ANY_EVENT, &ticket},
                                {FW_ANY_LATCH, &latch}};

static int reset(void)
{
    static const fw_wait_policy blocking = {FW_WAIT_BLOCK, 0};
    static const fw_sem none = FW_SEM_INIT(0);
    static const fw_latch one = FW_LATCH_INIT(1);

    a = b = none;
    latch = one;
    fw_event_init(&door, FW_EVENT_MANUAL, false);
    fw_event_init(&ticket, FW_EVENT_AUTO, false);
    fake_reset();
    return fw_wait_set_default(&blocking);
}

/* (The latch's own test looks at the latch.) */
static void assert_nobody_is_counted(void)
{
    for (int i = 0; i < LATCH; i++)
        assert_int_equal(*(uint64_t *)all[i].object >> 32, 0);
}

static void make_ready(int which)
{
    switch (which) {
    case A:
        fw_sem_post(&a);
        break;
    case B:
        fw_sem_post(&b);
        break;
    case DOOR:
        fw_event_set(&door);
        break;
    case TICKET:
        fw_event_set(&ticket);
        break;
    default:
        fw_latch_count_down(&latch, 1);
    }
}

TEST(bad_arguments_are_refused)
{
    static const fw_any unknown = {(fw_any_kind)0, &a}, nothing = {FW_ANY_SEM, NULL};
    static fw_any many[FW_ANY_MAX + 1];
    fw_deadline bad = {{0, -1}, CLOCK_MONOTONIC};

    for (int i = 0; i <= FW_ANY_MAX; i++)
        many[i] = (fw_any){FW_ANY_SEM, &a};
    make_ready(A);
    assert_int_equal(fw_wait_any(all, 0, NULL, NULL), EINVAL);
    assert_int_equal(fw_wait_any(NULL, 1, NULL, NULL), EINVAL);
    assert_int_equal(fw_wait_any(many, FW_ANY_MAX + 1, NULL, NULL), EINVAL);
    assert_int_equal(fw_wait_any(&unknown, 1, NULL, NULL), EINVAL);
    assert_int_equal(fw_wait_any(&nothing, 1, NULL, NULL), EINVAL);
    assert_word(&a, 1);
    assert_int_equal(fw_wait_any(many, FW_ANY_MAX, &bad, NULL), 0);
    assert_int_equal(fw_wait_any(many, FW_ANY_MAX, &bad, NULL), EINVAL);
}

TEST(the_first_that_is_ready_is_taken)
{
    unsigned which;

    for (int i = 0; i < ALL; i++)
        make_ready(i);
    for (unsigned i = 0; i < ALL - 1; i++) {
        static const unsigned order[] = {A, B, DOOR, DOOR};

        assert_int_equal(fw_wait_any(all, ALL, NULL, &which), 0);
        assert_int_equal(which, order[i]);
    }
    assert_int_equal(fw_wait_any(all + TICKET, 2, NULL, &which), 0);
    assert_int_equal(which, 0);
    assert_int_equal(fw_wait_any(all + TICKET, 2, NULL, &which), 0);
    assert_int_equal(which, 1);
    assert_false(fw_event_is_set(&ticket));
    assert_int_equal(fake.n_calls, 0);
}

/* In the kernel: counted everywhere, with values on which it is safe to sleep. */
static int ready_now = A;

static int becomes_ready(const fw_futex_any *words, unsigned n)
{
    assert_int_equal(n, ALL);
    for (int i = 0; i < ALL; i++) {
        assert_true(i == LATCH || *(uint64_t *)all[i].object >> 32 == 1);
        assert_int_equal(*words[i].word, words[i].expected);
        assert_int_equal(words[i].flags, FW_FUTEX_PRIVATE);
    }
    make_ready(ready_now);
    return ready_now;
}

TEST(a_sleeper_is_woken_by_each)
{
    unsigned which;

    for (ready_now = 0; ready_now < ALL; ready_now++) {
        reset();
        fake.on_wait_any = becomes_ready;
        assert_int_equal(fw_wait_any(all, ALL, NULL, &which), 0);
        assert_int_equal(which, ready_now);
        assert_int_equal(fake.wakes, 1);
        assert_nobody_is_counted();
        assert_int_equal(a.state_ + b.state_ + fw_event_is_set(&ticket), 0);
    }
}

static int b_is_posted_in_the_dark(struct fake_call *call)
{
    assert_ptr_equal(call->word, upper_half(&a));
    make_ready(B);
    assert_word(&b, 1 | WAITERS(1) | WAKING(1));
    return FAKE_COMPARE;
}

/* It looks at the others every millisecond. */
TEST(without_the_system_call_it_sleeps_on_the_first)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 5 * 1000000 - 10);
    unsigned which;

    assert_int_equal(fw_wait_any(all, ALL, &d, NULL), ETIMEDOUT);
    assert_int_equal(fake.waits, 5);
    fake.on_sleep = b_is_posted_in_the_dark;
    assert_int_equal(fw_wait_any(all, ALL, NULL, &which), 0);
    assert_int_equal(which, B);
    assert_int_equal(fake.waits, 6);
    assert_nobody_is_counted();
}

/* Woken by A and by B at once, while another sleeps on B: it has to be woken for B's permit. */
static int both_at_once(const fw_futex_any *words, unsigned n)
{
    (void)words;
    (void)n;
    b.state_ += WAITERS(1);
    make_ready(A);
    make_ready(B);
    assert_word(&b, 1 | WAITERS(2) | WAKING(1));
    return 0;
}

static int over_when_b_comes(const fw_futex_any *words, unsigned n)
{
    both_at_once(words, n);
    a.state_--; /* a runner took it */
    b.state_--;
    return -ETIMEDOUT;
}

TEST(giving_up_leaves_no_trace)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 1000);

    fake.on_wait_any = over_when_b_comes;
    assert_int_equal(fw_wait_any(all, 2, &d, NULL), ETIMEDOUT);
    assert_word(&a, 0);
    assert_word(&b, WAITERS(1));
}

static int post_once(const fw_futex_any *words, unsigned n)
{
    assert_int_equal(n, 2);
    assert_ptr_equal(words[0].word, words[1].word);
    fw_sem_post(&a);
    return 0;
}

/*
 * The first registration's value is out of date once the second has joined: one more round.  Then
 * both are the same.
 */
static int both_expect_the_same(const fw_futex_any *words, unsigned n)
{
    if (words[0].expected != words[1].expected)
        return -EAGAIN;
    return post_once(words, n);
}

TEST(an_object_may_be_there_twice)
{
    static const fw_any twice[] = {{FW_ANY_SEM, &a}, {FW_ANY_SEM, &a}};
    unsigned which;

    fake.on_wait_any = both_expect_the_same;
    assert_int_equal(fw_wait_any(twice, 2, NULL, &which), 0);
    assert_int_equal(which, 0);
    assert_word(&a, 0);
}

static int fault(const fw_futex_any *words, unsigned n)
{
    (void)words;
    (void)n;
    return -EFAULT;
}

TEST(an_impossible_kernel_answer_panics)
{
    fake.on_wait_any = fault;
    FAKE_EXPECT_PANIC((void)!fw_wait_any(all, ALL, NULL, NULL));
    assert_int_equal(fake.panic_error, EFAULT);
}

UNIT_MAIN(reset, NULL)
