/* SPDX-License-Identifier: MIT */
/* The core of the kernel module (kmod/core.c, queue.c, acquire.c, sem.c), as a program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/kernel.h>

#include "kmod/queue.h"
#include "test/support/unit.h"

enum { BUCKETS = 4, WAITERS = 60 };

static struct fwk_bucket buckets[BUCKETS];
static struct fwk_table table = {buckets, BUCKETS - 1};
static struct fwk_waiter w[WAITERS];
static fwk_task task[WAITERS];
static int holds; /* taken, less released */
static unsigned locked;
static u32 word;
static int next_read, next_swap; /* errors that come once */
static bool word_moves;
static struct fwk_acquire down = {.word = &word}, take = {.word = &word};

void fwk_spin_init(fwk_spin *lock)
{
    lock->held = 0;
}

void fwk_spin_lock(fwk_spin *lock)
{
    assert_int_equal(lock->held, 0);
    assert_int_equal(locked, 0);
    lock->held = 1;
    locked++;
}

void fwk_spin_lock_second(fwk_spin *lock)
{
    assert_int_equal(lock->held, 0);
    assert_int_equal(locked, 1);
    lock->held = 1;
    locked++;
}

void fwk_spin_unlock(fwk_spin *lock)
{
    assert_int_equal(lock->held, 1);
    lock->held = 0;
    locked--;
}

int fwk_word_read(fwk_word at, u32 *seen)
{
    int error = next_read;

    assert_int_not_equal(locked, 0);
    next_read = 0;
    *seen = *at;
    if (word_moves)
        ++*at;
    return error;
}

int fwk_word_swap(fwk_word at, u32 *seen, u32 old, u32 new_value)
{
    int error = next_swap;

    assert_int_not_equal(locked, 0);
    next_swap = 0;
    if (error != 0)
        return error;
    *seen = *at;
    if (*at == old)
        *at = new_value;
    return 0;
}

void fwk_task_hold(fwk_task *t)
{
    (void)t;
    assert_int_not_equal(locked, 0);
}

void fwk_task_wake(fwk_task *t)
{
    assert_int_equal(locked, 0);
    t->woken++;
}

void fwk_hold_take(const struct fwk_hold *hold)
{
    (void)hold;
    holds++;
}

void fwk_hold_release(const struct fwk_hold *hold)
{
    (void)hold;
    assert_int_equal(locked, 0);
    holds--;
}

static struct fwk_key key_of(u64 offset)
{
    return (struct fwk_key){.object = 0xffff888000001000, .offset = offset};
}

static int make(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        fwk_bucket_init(&buckets[i]);
    memset(w, 0, sizeof w);
    memset(task, 0, sizeof task);
    for (unsigned i = 0; i < WAITERS; i++) {
        w[i].key = key_of(0);
        w[i].task = &task[i];
        w[i].self = 100 + i;
    }
    holds = next_read = next_swap = 0;
    word = 0;
    word_moves = false;
    down.protocol = fwk_protocol_of(FWK_COUNT);
    take.protocol = fwk_protocol_of(FWK_OWNER);
    return 0;
}

/* KQ1 to KQ3, of all buckets; returns how many are queued. */
static unsigned check_queues(void)
{
    unsigned n = 0;

    for (struct fwk_bucket *b = buckets; b < buckets + BUCKETS; b++) {
        struct fwk_link *class = b->classes.next;
        struct fwk_waiter *before = NULL;

        for (struct fwk_link *l = b->all.next; l != &b->all; l = l->next, n++) {
            struct fwk_waiter *x = FWK_OF(struct fwk_waiter, all, l);

            assert_ptr_equal(x->bucket, b);
            assert_ptr_equal(fwk_bucket_of(&table, &x->key), b);
            if (before == NULL || before->priority != x->priority) {
                assert_true(before == NULL || before->priority < x->priority);
                assert_ptr_equal(class, &x->class);
                class = class->next;
            } else {
                assert_true(before->ticket < x->ticket);
                assert_ptr_equal(x->class.next, &x->class);
            }
            before = x;
        }
        assert_ptr_equal(class, &b->classes);
    }
    return n;
}

static unsigned woken(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < WAITERS; i++)
        n += task[i].woken;
    return n;
}

TEST(waits_only_for_what_it_expects)
{
    assert_int_equal(fwk_wait(&table, &w[0], &word, 1), -EAGAIN);
    next_read = -EFAULT;
    assert_int_equal(fwk_wait(&table, &w[0], &word, 0), -EFAULT);
    assert_false(fwk_is_queued(&w[0]));
    assert_int_equal(fwk_wait(&table, &w[0], &word, 0), 0);
    assert_true(fwk_is_queued(&w[0]));
    assert_true(fwk_unqueue(&w[0]));
    assert_false(fwk_unqueue(&w[0]));
    assert_int_equal(check_queues(), 0);
}

TEST(queues_stay_in_order_whatever_is_done)
{
    unsigned queued = 0;

    srand(1);
    for (unsigned step = 0; step < 20000; step++) {
        struct fwk_waiter *x = &w[rand() % WAITERS];

        if (x->bucket != NULL) {
            assert_true(fwk_unqueue(x));
            queued--;
        } else {
            if (rand() % 2 == 0)
                x->ticket = 0; /* else it returns to where it was, unless it was elsewhere */
            if (x->ticket == 0) {
                x->key = key_of((u64)(rand() % 3) * 4);
                x->priority = (u64)(rand() % 4);
            }
            assert_int_equal(fwk_wait(&table, x, &word, 0), 0);
            queued++;
        }
        assert_int_equal(check_queues(), queued);
    }
}

TEST(wakes_many_in_order_and_nobody_else)
{
    struct fwk_key key = key_of(0);

    for (unsigned i = 0; i < WAITERS; i++) {
        w[i].key = key_of(i % 2 * 4);
        assert_int_equal(fwk_wait(&table, &w[i], &word, 0), 0);
    }
    assert_int_equal(fwk_wake(&table, &key, 2), 2);
    assert_true(task[0].woken == 1 && task[2].woken == 1 && task[4].woken == 0);
    assert_int_equal(w[0].outcome, FWK_WOKEN);
    assert_int_equal(fwk_wake(&table, &key, 1000), WAITERS / 2 - 2);
    assert_int_equal(woken(), WAITERS / 2);
    assert_int_equal(check_queues(), WAITERS / 2);
}

TEST(requeues_between_any_two_buckets)
{
    for (u64 to = 4; to < 64; to += 4) {
        struct fwk_key a = key_of(0), b = key_of(to);
        struct fwk_requeue r = {
            .from = &a, .to = &b, .wake = 1, .move = 40, .word = &word, .compares = true};

        make();
        for (unsigned i = 0; i < WAITERS; i++)
            assert_int_equal(fwk_wait(&table, &w[i], &word, 0), 0);
        r.expected = 1;
        assert_int_equal(fwk_requeue(&table, &r), -EAGAIN);
        r.expected = 0;
        next_read = -EFAULT;
        assert_int_equal(fwk_requeue(&table, &r), -EFAULT);
        assert_int_equal(fwk_requeue(&table, &r), 41);
        assert_int_equal(check_queues(), WAITERS - 1);
        assert_int_equal(holds, 0); /* each of 40 taken, and of 40 released */
        assert_int_equal(fwk_wake(&table, &b, 1), 1);
        assert_int_equal(task[1].woken, 1);
        assert_int_equal(fwk_wake(&table, &b, 100), 39);
        assert_int_equal(fwk_wake(&table, &a, 100), WAITERS - 41);
    }
}

static long release(u64 kind, u32 self, enum fwk_policy policy)
{
    struct fwk_key key = key_of(0);
    struct fwk_release r = {fwk_protocol_of(kind), &key, &word, self, policy};

    return fwk_release(&table, &r);
}

TEST(count_words)
{
    word = 2;
    assert_int_equal(fwk_acquire(&table, &w[0], &down), FWK_TAKEN);
    assert_int_equal(fwk_acquire(&table, &w[0], &down), FWK_TAKEN);
    assert_int_equal(word, 0);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(fwk_acquire(&table, &w[i], &down), FWK_QUEUED);
    assert_int_equal((s32)word, -1);
    assert_int_equal(release(FWK_COUNT, 0, FWK_FAIR), 1);
    assert_int_equal(w[0].outcome, FWK_GRANTED);
    assert_int_equal((s32)word, -1);
    assert_int_equal(fwk_acquire_end(&table, &w[0], &down), FWK_TAKEN); /* KA2 */
    assert_int_equal(release(FWK_COUNT, 0, FWK_GREEDY), 1);
    assert_int_equal(word, 1);
    word = 0; /* somebody takes it, and w[1] returns to its place */
    assert_int_equal(fwk_acquire(&table, &w[1], &down), FWK_QUEUED);
    assert_int_equal(release(FWK_COUNT, 0, FWK_FAIR), 1);
    assert_int_equal(w[1].outcome, FWK_GRANTED);
    assert_int_equal(release(FWK_COUNT, 0, FWK_RANDOM), 1);
    assert_int_equal(fwk_acquire(&table, &w[2], &down), FWK_TAKEN);
    assert_int_equal(word, 0);
    word = 0x7fffffff;
    assert_int_equal(release(FWK_COUNT, 0, FWK_GREEDY), -EOVERFLOW);
}

/* KA1: who was woken and gives up leaves the word so that the next release sees the others. */
TEST(woken_waiter_that_gives_up)
{
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(fwk_acquire(&table, &w[i], &down), FWK_QUEUED);
    assert_int_equal(fwk_acquire_end(&table, &w[1], &down), FWK_BUSY); /* it was queued */
    assert_int_equal(release(FWK_COUNT, 0, FWK_GREEDY), 1);
    word = 0; /* somebody else takes it in user space */
    assert_int_equal(fwk_acquire_end(&table, &w[0], &down), FWK_BUSY);
    assert_int_equal((s32)word, -1);
    assert_int_equal(release(FWK_COUNT, 0, FWK_GREEDY), 1);
    next_read = -EFAULT; /* its word has gone: the wake is another's */
    assert_int_equal(fwk_acquire(&table, &w[0], &down), -EFAULT);
    assert_int_equal(fwk_acquire(&table, &w[3], &down), FWK_TAKEN);
    assert_int_equal(fwk_acquire(&table, &w[0], &down), FWK_QUEUED);
    next_read = -EFAULT;
    assert_int_equal(fwk_acquire_end(&table, &w[2], &down), -EFAULT);
    assert_int_equal(task[0].woken, 2);
}

TEST(owner_words)
{
    assert_int_equal(fwk_acquire(&table, &w[0], &take), FWK_TAKEN);
    assert_int_equal(word, 100);
    assert_int_equal(fwk_acquire(&table, &w[0], &take), -EDEADLK);
    assert_int_equal(fwk_acquire(&table, &w[1], &take), FWK_QUEUED);
    assert_int_equal(fwk_acquire(&table, &w[2], &take), FWK_QUEUED);
    assert_int_equal(word, 100 | FW_KERNEL_WAITERS);
    assert_int_equal(release(FWK_OWNER, 101, FWK_FAIR), -EPERM);
    next_swap = -EFAULT;
    assert_int_equal(release(FWK_OWNER, 100, FWK_FAIR), -EFAULT);
    assert_int_equal(release(FWK_OWNER, 100, FWK_FAIR), 1);
    assert_int_equal(word, 101 | FW_KERNEL_WAITERS);
    take.dead = 101;
    assert_int_equal(fwk_acquire(&table, &w[3], &take), FWK_TAKEN_DEAD);
    take.dead = 0;
    assert_int_equal(word, 103 | FW_KERNEL_WAITERS);
    assert_int_equal(release(FWK_OWNER, 103, FWK_GREEDY), 1);
    assert_int_equal(word, 0);
    assert_int_equal(fwk_acquire(&table, &w[2], &take), FWK_TAKEN);
    assert_int_equal(word, 102);
}

TEST(words_that_never_stand_still)
{
    word = 200;
    word_moves = true;
    assert_int_equal(fwk_acquire(&table, &w[0], &take), -EAGAIN);
    assert_int_equal(release(FWK_COUNT, 0, FWK_GREEDY), -EAGAIN);
    assert_int_equal(check_queues(), 0);
}

TEST(semaphores_keep_units)
{
    struct fwk_key key = key_of(0);
    struct fwk_sem sem = {.key = key}, *spare = NULL, *gone;
    u32 units = 2;

    fwk_sem_init(&sem);
    assert_int_equal(fwk_sem_up(&table, &key, &units, &spare), 0);
    assert_int_equal(units, 2);
    spare = &sem;
    assert_int_equal(fwk_sem_up(&table, &key, &units, &spare), 0);
    assert_true(units == 0 && spare == NULL && sem.units == 2);
    units = 0x7fffffff;
    assert_int_equal(fwk_sem_up(&table, &key, &units, &spare), -EOVERFLOW);
    assert_int_equal(fwk_sem_down(&table, &w[0], &gone), FWK_TAKEN);
    assert_null(gone);
    assert_int_equal(fwk_sem_down(&table, &w[0], &gone), FWK_TAKEN);
    assert_ptr_equal(gone, &sem);
    assert_false(fwk_sem_forget(&table, &sem));
    for (unsigned i = 0; i < WAITERS; i++)
        assert_int_equal(fwk_sem_down(&table, &w[i], &gone), FWK_QUEUED);
    units = WAITERS + 1;
    spare = &sem;
    assert_int_equal(fwk_sem_up(&table, &key, &units, &spare), WAITERS);
    assert_int_equal(woken(), WAITERS);
    assert_int_equal(sem.units, 1);
    assert_true(fwk_sem_forget(&table, &sem));
    assert_int_equal(fwk_sem_down(&table, &w[0], &gone), FWK_QUEUED);
}

static unsigned notified;

static void notify(struct fwk_waiter *x)
{
    assert_non_null(x->bucket); /* KQ4 */
    notified++;
}

TEST(asynchronous_waiters_are_told_under_the_lock)
{
    struct fwk_key key = key_of(0);

    w[0].task = NULL;
    w[0].notify = notify;
    assert_int_equal(fwk_wait(&table, &w[0], &word, 0), 0);
    assert_int_equal(fwk_wake(&table, &key, 1), 1);
    assert_int_equal(notified, 1);
    assert_false(fwk_is_queued(&w[0]));
}

UNIT_MAIN(make, NULL)
