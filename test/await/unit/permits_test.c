/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <furwock/await.h>

#include "core/operation.h"
#include "sys/clock.h"
#include "test/sys/unit/in_child.h"
#include "thread/permits_word.h"

/*
 * Operations that wait for semaphores, events and latches: src/await/permits.c and
 * src/thread/permits_queue.c; with wakers, so that what is granted is seen at once.
 */

enum { N = 40 };

static fw_sem sem;
static fw_event event;
static fw_latch latch;
static fw_await op[N];
static unsigned n_woken;
static void *last_arg;

static void wake(void *arg)
{
    n_woken++;
    last_arg = arg;
}

static int make(void)
{
    fw_sem_init(&sem, 0, FW_SEM_MAX);
    fw_event_init(&event, FW_EVENT_MANUAL, false);
    fw_latch_init(&latch, 3);
    n_woken = 0;
    for (unsigned i = 0; i < N; i++)
        fw_await_init_waker(&op[i], 0, wake, &op[i]);
    return 0;
}

static void unmake(void)
{
    for (unsigned i = 0; i < N; i++)
        fw_await_drop(&op[i]);
}

static void submit_sem(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        assert_int_equal(fw_await_sem(&op[i], &sem, NULL), EINPROGRESS);
}

/* The first n have got what they wait for, and the others of `all` have not. */
static void assert_granted(unsigned n, unsigned all)
{
    for (unsigned i = 0; i < all; i++)
        assert_int_equal(fw_await_poll(&op[i]), i < n ? 0 : EINPROGRESS);
}

TEST(a_free_unit_is_taken_at_once)
{
    fw_sem_post(&sem);
    assert_int_equal(fw_await_sem(&op[0], &sem, NULL), 0);
    assert_int_equal(fw_sem_value(&sem), 0);
    assert_int_equal(fw_await_poll(&op[0]), 0);
    assert_true(fw_await_cancel(&op[0]));
    assert_int_equal(n_woken, 0);
}

TEST(posts_are_given_in_order)
{
    submit_sem(0, 3);
    assert_int_equal(fw_await_sem(&op[0], &sem, NULL), EBUSY);
    assert_int_equal(fw_sem_post(&sem), 0);
    assert_granted(1, 3);
    assert_ptr_equal(last_arg, &op[0]);
    assert_int_equal(fw_sem_value(&sem), 0);
    assert_int_equal(fw_sem_trywait(&sem), EAGAIN);
    assert_int_equal(fw_sem_post_n(&sem, 4), 0);
    assert_granted(3, 3);
    assert_int_equal(fw_sem_value(&sem), 2);
    assert_true(sem.state_ == 2);
    assert_int_equal(fw_sem_trywait(&sem), 0);
}

TEST(many_are_given_by_one_post)
{
    submit_sem(0, N);
    assert_int_equal(fw_sem_post_n(&sem, N - 1), 0);
    assert_granted(N - 1, N);
    assert_int_equal(fw_sem_post_n(&sem, 2), 0);
    assert_true(sem.state_ == 1);
    assert_int_equal(n_woken, N);
}

TEST(the_maximum_holds)
{
    fw_sem_init(&sem, 0, 1);
    submit_sem(0, 2);
    assert_int_equal(fw_sem_post_n(&sem, 2), EOVERFLOW);
    assert_granted(0, 2);
    assert_int_equal(fw_sem_post(&sem), 0);
    assert_int_equal(fw_sem_post(&sem), 0);
    assert_int_equal(fw_sem_post(&sem), 0);
    assert_int_equal(fw_sem_post(&sem), EOVERFLOW);
}

TEST(who_is_cancelled_gets_nothing)
{
    submit_sem(0, 3);
    assert_true(fw_await_cancel(&op[1]));
    assert_int_equal(fw_sem_post_n(&sem, 2), 0);
    assert_int_equal(fw_await_poll(&op[0]), 0);
    assert_int_equal(fw_await_poll(&op[2]), 0);
    assert_int_equal(fw_sem_value(&sem), 0);
    submit_sem(1, 2);
    assert_true(has_operations(sem.state_));
    assert_true(fw_await_cancel(&op[1]));
    assert_true(sem.state_ == 0);
}

TEST(who_was_granted_before_has_the_unit)
{
    submit_sem(0, 2);
    fw_sem_post(&sem);
    assert_false(fw_await_cancel(&op[0]));
    assert_int_equal(fw_sem_value(&sem), 0);
    fw_sem_post(&sem);
    assert_false(fw_await_drop(&op[1]));
    assert_int_equal(fw_sem_value(&sem), 1);
}

TEST(a_unit_that_is_given_back_goes_to_the_next)
{
    submit_sem(0, 2);
    fw_sem_post(&sem);
    assert_false(fw_await_drop(&op[0]));
    assert_int_equal(fw_await_poll(&op[1]), 0);
    assert_int_equal(fw_sem_value(&sem), 0);
}

TEST(a_group_takes_one_of_two)
{
    fw_await_group group;

    fw_await_group_init(&group);
    fw_await_group_add(&group, &op[0]);
    fw_await_group_add(&group, &op[1]);
    assert_int_equal(fw_await_sem(&op[0], &sem, NULL), EINPROGRESS);
    assert_int_equal(fw_await_event(&op[1], &event, NULL), EINPROGRESS);
    submit_sem(2, 3);
    fw_event_set(&event);
    assert_ptr_equal(fw_await_group_winner(&group), &op[1]);
    assert_int_equal(fw_sem_post_n(&sem, 2), 0);
    assert_int_equal(fw_await_poll(&op[0]), ECANCELED);
    assert_int_equal(fw_await_poll(&op[2]), 0);
    assert_int_equal(fw_sem_value(&sem), 1);
    assert_true(fw_await_cancel(&op[0]));
    assert_int_equal(fw_await_sem(&op[0], &sem, NULL), ECANCELED);
    assert_int_equal(fw_sem_value(&sem), 1);
}

TEST(an_automatic_event_releases_one)
{
    fw_event_init(&event, FW_EVENT_AUTO, false);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(fw_await_event(&op[i], &event, NULL), EINPROGRESS);
    fw_event_set(&event);
    assert_granted(1, 3);
    assert_false(fw_event_is_set(&event));
    fw_event_reset(&event);
    fw_event_set(&event);
    fw_event_set(&event);
    fw_event_set(&event);
    assert_granted(3, 3);
    assert_true(fw_event_is_set(&event));
    assert_int_equal(fw_await_event(&op[3], &event, NULL), 0);
    assert_false(fw_event_is_set(&event));
}

TEST(a_manual_event_releases_all_that_wait)
{
    for (unsigned i = 0; i < N - 1; i++)
        assert_int_equal(fw_await_event(&op[i], &event, NULL), EINPROGRESS);
    assert_true(fw_await_cancel(&op[N - 2]));
    fw_event_set(&event);
    fw_event_reset(&event);
    assert_granted(N - 2, N - 2);
    assert_int_equal(n_woken, N - 2);
    assert_int_equal(fw_await_event(&op[N - 1], &event, NULL), EINPROGRESS);
    assert_int_equal(fw_await_poll(&op[N - 1]), EINPROGRESS);
    fw_event_set(&event);
    assert_int_equal(fw_await_poll(&op[N - 1]), 0);
    assert_int_equal(fw_await_event(&op[0], &event, NULL), 0);
}

TEST(a_latch_releases_all_when_it_opens)
{
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(fw_await_latch(&op[i], &latch, NULL), EINPROGRESS);
    fw_latch_count_down(&latch, 1);
    fw_latch_count_down(&latch, 0);
    assert_granted(0, N);
    assert_true(fw_await_cancel(&op[N - 1]));
    fw_latch_count_down(&latch, 2);
    assert_granted(N - 1, N - 1);
    assert_int_equal(fw_await_latch(&op[0], &latch, NULL), 0);
}

/* Operations have waited, and given up; a thread that passes frees what it has waited for. */
static void *set_event(void *e)
{
    fw_event_set(e);
    return NULL;
}

TEST(an_event_is_freed_while_its_setter_looks_for_operations)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fw_event *e = page;
    struct fw_waitqueue_ *bucket;
    pthread_t setter;

    assert_ptr_not_equal(page, MAP_FAILED);
    assert_int_equal(fw_await_event(&op[0], e, NULL), EINPROGRESS);
    assert_true(fw_await_cancel(&op[0]));
    bucket = fw_waitqueue_lock_(e);
    assert_int_equal(pthread_create(&setter, NULL, set_event, e), 0);
    while (!fw_event_is_set(e))
        sched_yield();
    assert_int_equal(munmap(page, 4096), 0);
    fw_waitqueue_unlock_(bucket);
    assert_int_equal(pthread_join(setter, NULL), 0);
}

static void *open_latch(void *l)
{
    fw_latch_count_down(l, 1);
    return NULL;
}

TEST(a_latch_is_followed_by_another_while_its_opener_looks_for_operations)
{
    struct fw_waitqueue_ *bucket;
    pthread_t opener;

    fw_latch_init(&latch, 1);
    assert_int_equal(fw_await_latch(&op[0], &latch, NULL), EINPROGRESS);
    assert_true(fw_await_cancel(&op[0]));
    bucket = fw_waitqueue_lock_(&latch);
    assert_int_equal(pthread_create(&opener, NULL, open_latch, &latch), 0);
    while (fw_latch_trywait(&latch) != 0)
        sched_yield();
    fw_latch_init(&latch, 2);
    fw_operation_enqueue_(bucket, &op[0]); /* as fw_await_latch does */
    fw_waitqueue_unlock_(bucket);
    assert_int_equal(pthread_join(opener, NULL), 0);
    assert_int_equal(fw_await_poll(&op[0]), EINPROGRESS);
}

TEST(bad_submits_are_refused)
{
    fw_deadline soon = fw_deadline_in_(CLOCK_MONOTONIC, 1000000000);

    assert_int_equal(fw_await_sem(&op[0], &sem, &soon), EINVAL);
    assert_int_equal(fw_await_event(&op[0], &event, &soon), EINVAL);
    assert_int_equal(fw_await_latch(&op[0], &latch, &soon), EINVAL);
    assert_true(sem.state_ == 0);
    fw_sem_post(&sem);
    assert_int_equal(fw_await_sem(&op[0], &sem, &soon), 0);
}

static void *wait_for_unit(void *unused)
{
    fw_sem_wait(&sem);
    return unused;
}

static void await_waiters(uint32_t n)
{
    while (permits_waiters(__atomic_load_n(&sem.state_, __ATOMIC_RELAXED)) != n)
        fw_yield_();
}

TEST(threads_and_operations_take_turns)
{
    pthread_t first, second;

    submit_sem(0, 3);
    assert_int_equal(pthread_create(&first, NULL, wait_for_unit, NULL), 0);
    assert_int_equal(pthread_create(&second, NULL, wait_for_unit, NULL), 0);
    await_waiters(2);
    assert_int_equal(fw_sem_post(&sem), 0); /* the first operation's: it was there before */
    assert_granted(1, 3);
    assert_int_equal(fw_sem_post(&sem), 0); /* a thread's */
    assert_granted(1, 3);
    await_waiters(1);
    assert_int_equal(fw_sem_post_n(&sem, 3), 0); /* operation, thread, operation */
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert_granted(3, 3);
    assert_true(sem.state_ == 0);
}

static int is_alone_in_child(void)
{
    fw_sem_post(&sem);
    return !(fw_sem_value(&sem) == 1 && fw_await_poll(&op[0]) == EINVAL &&
             fw_await_cancel(&op[0]) && fw_await_sem(&op[0], &sem, NULL) == 0);
}

TEST(a_forked_child_has_no_operations)
{
    submit_sem(0, 1);
    assert_int_equal(in_child(is_alone_in_child), 0);
    fw_sem_post(&sem);
    assert_int_equal(fw_await_poll(&op[0]), 0);
}

UNIT_MAIN(make, unmake)
