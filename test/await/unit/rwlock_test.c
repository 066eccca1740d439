/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>

#include <furwock/await.h>

#include "core/waitqueue.h"
#include "sys/clock.h"
#include "sys/thread.h"
#include "test/sys/unit/in_child.h"
#include "thread/rwlock_word.h"

/* Operations that wait for read-write locks: src/await/rwlock.c, by tasks with wakers. */

enum { N = 50 };

static fw_rwlock lock;
static fw_await op[N];
static unsigned n_woken;

static void wake(void *arg)
{
    (void)arg;
    n_woken++;
}

/* Any identity that no thread has: only this test's tasks exist. */
static fw_task task_of(unsigned i)
{
    return (FW_ID_ALIAS + 1000 + i) << FW_ID_SHIFT | FW_ID_HELD;
}

static int make(void)
{
    fw_rwlock_init(&lock, FW_RWLOCK_FAIR);
    n_woken = 0;
    for (unsigned i = 0; i < N; i++)
        fw_await_init_waker(&op[i], task_of(i), wake, NULL);
    return 0;
}

static void read_unlock(unsigned i)
{
    fw_task_rwlock_rdunlock(&lock, task_of(i));
}

static void write_unlock(unsigned i)
{
    fw_task_rwlock_wrunlock(&lock, task_of(i));
}

static void assert_free(void)
{
    assert_true(lock.state_ == 0);
    assert_true(queue_is_empty(lock.queue_));
}

static int rdlock(unsigned i)
{
    return fw_await_rdlock(&op[i], &lock, NULL);
}

static int wrlock(unsigned i)
{
    return fw_await_wrlock(&op[i], &lock, NULL);
}

#define WAITS(i) assert_int_equal(fw_await_poll(&op[i]), EINPROGRESS)
#define HAS(i) assert_int_equal(fw_await_poll(&op[i]), 0)

TEST(a_free_lock_is_taken_by_the_task)
{
    assert_int_equal(wrlock(0), 0);
    assert_true(rw_owner(lock.state_) == task_of(0));
    assert_int_equal(fw_rwlock_tryrdlock(&lock), EBUSY);
    write_unlock(0);
    assert_int_equal(rdlock(0), 0);
    assert_int_equal(rdlock(1), 0);
    read_unlock(0);
    read_unlock(1);
    assert_free();
}

TEST(phases_alternate)
{
    assert_int_equal(wrlock(0), 0);
    assert_int_equal(wrlock(1), EINPROGRESS);
    assert_int_equal(rdlock(2), EINPROGRESS);
    assert_int_equal(rdlock(3), EINPROGRESS);
    write_unlock(0); /* admits all readers */
    WAITS(1);
    HAS(2);
    HAS(3);
    assert_int_equal(rdlock(4), EINPROGRESS); /* behind the writer */
    read_unlock(2);
    WAITS(1);
    read_unlock(3); /* hands the lock over */
    HAS(1);
    assert_true(rw_owner(lock.state_) == task_of(1));
    WAITS(4);
    write_unlock(1);
    HAS(4);
    read_unlock(4);
    assert_int_equal(n_woken, 4);
    assert_free();
}

TEST(writers_are_handed_the_lock_in_order)
{
    assert_int_equal(wrlock(0), 0);
    for (unsigned i = 1; i < N; i++)
        assert_int_equal(wrlock(i), EINPROGRESS);
    for (unsigned i = 0; i < N; i++) {
        HAS(i);
        if (i + 1 < N)
            WAITS(i + 1);
        write_unlock(i);
        assert_int_equal(fw_rwlock_trywrlock(&lock), i + 1 < N ? EBUSY : 0);
    }
    fw_rwlock_wrunlock(&lock);
    assert_free();
}

TEST(more_readers_than_one_dispatch_can_wake_are_all_admitted)
{
    assert_int_equal(wrlock(0), 0);
    for (unsigned i = 1; i < N; i++)
        assert_int_equal(rdlock(i), EINPROGRESS);
    write_unlock(0);
    for (unsigned i = 1; i < N; i++)
        HAS(i);
    for (unsigned i = 1; i < N; i++)
        read_unlock(i);
    assert_int_equal(n_woken, N - 1);
    assert_free();
}

TEST(a_cancelled_writer_lets_readers_in)
{
    assert_int_equal(rdlock(0), 0);
    assert_int_equal(wrlock(1), EINPROGRESS);
    assert_int_equal(rdlock(2), EINPROGRESS);
    assert_true(fw_await_cancel(&op[1]));
    HAS(2);
    read_unlock(0);
    read_unlock(2);
    assert_free();
}

TEST(who_drops_a_granted_lock_passes_it_on)
{
    assert_int_equal(wrlock(0), 0);
    assert_int_equal(wrlock(1), EINPROGRESS);
    assert_int_equal(wrlock(2), EINPROGRESS);
    write_unlock(0);
    assert_false(fw_await_drop(&op[1]));
    HAS(2);
    assert_int_equal(rdlock(3), EINPROGRESS);
    write_unlock(2);
    assert_false(fw_await_drop(&op[3]));
    assert_free();
}

TEST(a_loser_of_a_group_gives_the_lock_back)
{
    fw_await_group group;
    fw_rwlock other = FW_RWLOCK_INIT;

    assert_int_equal(wrlock(0), 0);
    assert_int_equal(fw_await_wrlock(&op[4], &other, NULL), 0);
    fw_await_group_init(&group);
    fw_await_group_add(&group, &op[1]);
    fw_await_group_add(&group, &op[2]);
    assert_int_equal(wrlock(1), EINPROGRESS);
    assert_int_equal(fw_await_rdlock(&op[2], &other, NULL), EINPROGRESS);
    assert_int_equal(wrlock(3), EINPROGRESS);
    fw_task_rwlock_wrunlock(&other, task_of(4));
    HAS(2);
    write_unlock(0); /* it is not for 1 any more */
    assert_int_equal(fw_await_poll(&op[1]), ECANCELED);
    HAS(3);
    assert_true(fw_await_cancel(&op[1]));
    write_unlock(3);
    fw_task_rwlock_rdunlock(&other, task_of(2));
    assert_free();
}

TEST(losers_among_readers_are_not_counted)
{
    fw_await_group group;

    assert_int_equal(wrlock(0), 0);
    fw_await_group_init(&group);
    for (unsigned i = 1; i <= 3; i++) {
        fw_await_group_add(&group, &op[i]);
        assert_int_equal(rdlock(i), EINPROGRESS);
    }
    assert_int_equal(wrlock(4), EINPROGRESS);
    write_unlock(0);
    HAS(1);
    WAITS(4);
    read_unlock(1);
    HAS(4);
    assert_true(fw_await_cancel(&op[2]));
    assert_true(fw_await_cancel(&op[3]));
    write_unlock(4);
    assert_free();
}

static void *write_once(void *unused)
{
    fw_rwlock_wrlock(&lock);
    fw_rwlock_wrunlock(&lock);
    return unused;
}

static void *read_once(void *unused)
{
    fw_rwlock_rdlock(&lock);
    fw_rwlock_rdunlock(&lock);
    return unused;
}

static uint64_t queued(void)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&lock);
    uint64_t queue = lock.queue_;

    fw_waitqueue_unlock_(bucket);
    return queue;
}

static pthread_t start_queued(void *(*body)(void *))
{
    uint64_t before = queued();
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, body, NULL), 0);
    while (queued() == before)
        fw_yield_();
    return thread;
}

TEST(threads_and_operations_are_in_one_queue)
{
    pthread_t writer, reader;

    assert_int_equal(wrlock(0), 0);
    assert_int_equal(wrlock(1), EINPROGRESS);
    writer = start_queued(write_once);
    assert_int_equal(wrlock(2), EINPROGRESS);
    reader = start_queued(read_once);
    write_unlock(0); /* the reader's phase; then the first writer */
    pthread_join(reader, NULL);
    while (fw_await_poll(&op[1]) == EINPROGRESS)
        fw_yield_();
    WAITS(2);
    write_unlock(1);
    pthread_join(writer, NULL);
    while (fw_await_poll(&op[2]) == EINPROGRESS)
        fw_yield_();
    write_unlock(2);
    assert_free();
}

static int writes_in_child(void)
{
    write_unlock(0);
    return !(fw_await_cancel(&op[1]) && wrlock(1) == 0);
}

TEST(a_forked_child_has_no_operations)
{
    assert_int_equal(wrlock(0), 0);
    assert_int_equal(wrlock(1), EINPROGRESS);
    assert_int_equal(in_child(writes_in_child), 0);
    write_unlock(0);
    HAS(1);
    write_unlock(1);
    assert_free();
}

UNIT_MAIN(make, NULL)
