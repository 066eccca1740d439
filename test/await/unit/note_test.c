/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <furwock/await.h>
#include <furwock/bits/atomic.h>
#include <furwock/note.h>

/*
 * src/await/note.c: waits that end because of a note, of its parents, or of their deadlines.  It is
 * compiled into this program, with two points at which a test can stop a thread, with a
 * CLOCK_REALTIME that can be set, and with a shorter interval between its looks at that.
 */
#define fw_clock_get_ clock_get
#include "core/recheck.h"
#include "sys/clock.h"
#include "test/support/asleep.h"
#include "test/support/unit.h"

#undef FW_RECHECK_REALTIME_NS
#define FW_RECHECK_REALTIME_NS UINT64_C(10000000)

static int64_t ahead_s;

void clock_get(clockid_t clock, struct timespec *now)
{
    clock_gettime(clock, now);
    if (clock == CLOCK_REALTIME)
        now->tv_sec += __atomic_load_n(&ahead_s, __ATOMIC_RELAXED);
}

static void (*at_look)(void), (*at_telling)(void);

static void reach(void (*const *point)(void))
{
    void (*stop)(void) = __atomic_load_n(point, __ATOMIC_ACQUIRE);

    if (stop != NULL)
        stop();
}

#define fw_await_group_winner(group) (reach(&at_look), fw_await_group_winner(group))
#define fw_add32_release(p, n) (reach(&at_telling), fw_add32_release(p, n))
#include "await/note.c"
#undef fw_await_group_winner
#undef fw_add32_release

enum { THREADS = 6, TOKENS = 2000, ROUNDS = 12 };

#define MS UINT64_C(1000000)

static fw_mutex m;
static fw_cond changed;
static long tokens, taken;
static fw_note root, middle, leaf;

static void make_tree(const fw_deadline *of_root)
{
    assert_int_equal(fw_note_init(&root, NULL, of_root), 0);
    assert_int_equal(fw_note_init(&middle, &root, NULL), 0);
    assert_int_equal(fw_note_init(&leaf, &middle, NULL), 0);
}

TEST(notes_that_cannot_be)
{
    fw_note deep[FW_NOTE_DEPTH_MAX + 1];
    fw_deadline bad = {.clock = 77}, other = fw_deadline_after(CLOCK_REALTIME, MS);
    fw_deadline d = fw_deadline_after(CLOCK_MONOTONIC, MS);
    fw_note n;

    assert_int_equal(fw_note_init(&n, NULL, &bad), EINVAL);
    for (unsigned i = 0; i < FW_NOTE_DEPTH_MAX; i++)
        assert_int_equal(fw_note_init(&deep[i], i > 0 ? &deep[i - 1] : NULL, NULL), 0);
    assert_int_equal(fw_note_init(&n, &deep[FW_NOTE_DEPTH_MAX - 1], NULL), EINVAL);
    assert_int_equal(fw_note_init(&root, NULL, &d), 0);
    assert_int_equal(fw_note_init(&n, &root, &other), EINVAL);
}

/* Each wait, for what is not there, with the leaf. */
static void assert_all_end(int expected, const fw_deadline *d)
{
    fw_sem s = FW_SEM_INIT(0);
    fw_event e = FW_EVENT_INIT;
    fw_latch l = FW_LATCH_INIT(1);

    assert_int_equal(fw_note_sem_wait(&s, &leaf, d), expected);
    assert_int_equal(fw_note_event_wait(&e, &leaf, d), expected);
    assert_int_equal(fw_note_latch_wait(&l, &leaf, d), expected);
    fw_mutex_lock(&m);
    assert_int_equal(fw_note_cond_wait(&changed, &m, &leaf, d), expected);
    assert_true(fw_mutex_is_held_by_me(&m));
    fw_mutex_unlock(&m);
}

TEST(notified_before_the_wait)
{
    fw_note *const notes[] = {&root, &middle, &leaf};

    for (unsigned i = 0; i < 3; i++) {
        make_tree(NULL);
        assert_false(fw_note_is_notified(&leaf));
        fw_note_notify(notes[i]);
        assert_true(fw_note_is_notified(&leaf));
        assert_int_equal(fw_note_is_notified(&root), i == 0);
        assert_int_equal(fw_note_wait(&leaf, NULL), 0);
        assert_all_end(ECANCELED, NULL);
    }
}

TEST(what_is_there_comes_first)
{
    fw_sem s = FW_SEM_INIT(1);

    make_tree(NULL);
    fw_note_notify(&root);
    assert_int_equal(fw_note_sem_wait(&s, &leaf, NULL), 0);
    assert_int_equal(fw_note_mutex_lock(&m, &leaf, NULL), 0);
    fw_mutex_unlock(&m);
}

TEST(deadlines_of_notes_and_of_waits)
{
    fw_deadline soon = fw_deadline_after(CLOCK_MONOTONIC, 3 * MS), bad = {.clock = 77};
    fw_deadline late = fw_deadline_after(CLOCK_REALTIME, 3600000 * MS);

    make_tree(&soon);
    assert_all_end(ECANCELED, &late); /* on another clock */
    make_tree(NULL);
    soon = fw_deadline_after(CLOCK_MONOTONIC, MS);
    assert_all_end(ETIMEDOUT, &soon);
    assert_int_equal(fw_note_wait(&leaf, &soon), ETIMEDOUT);
    assert_all_end(EINVAL, &bad);
}

/* A wait that a clock ends which is set while it sleeps. */
struct sleeper {
    bool for_mutex;
    fw_deadline deadline;
    uint32_t tid;
    int result;
};

static void *sleep_for_an_hour(void *arg)
{
    static fw_sem none = FW_SEM_INIT(0);
    struct sleeper *s = arg;

    fw_store32_release(&s->tid, (uint32_t)gettid());
    s->result = s->for_mutex ? fw_note_mutex_lock(&m, &leaf, &s->deadline)
                             : fw_note_sem_wait(&none, &leaf, &s->deadline);
    return NULL;
}

TEST(a_clock_is_set_while_a_wait_sleeps)
{
    for (int i = 0; i < 4; i++) { /* of a wait or its note; by each way to wait */
        const clockid_t of_wait = i % 2 != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
        struct sleeper s = {.for_mutex = i / 2 != 0};
        fw_deadline of_note = fw_deadline_after(
            of_wait == CLOCK_REALTIME ? CLOCK_MONOTONIC : CLOCK_REALTIME, 3600000 * MS);
        pthread_t thread;
        uint32_t tid;

        ahead_s = 0;
        s.deadline = fw_deadline_after(of_wait, 3600000 * MS);
        make_tree(&of_note);
        fw_mutex_lock(&m);
        assert_int_equal(pthread_create(&thread, NULL, sleep_for_an_hour, &s), 0);
        while ((tid = fw_load32_acquire(&s.tid)) == 0 || !thread_is_asleep(getpid(), (pid_t)tid))
            sched_yield();
        __atomic_store_n(&ahead_s, 7200, __ATOMIC_RELAXED);
        pthread_join(thread, NULL);
        fw_mutex_unlock(&m);
        assert_int_equal(s.result, of_wait == CLOCK_REALTIME ? ETIMEDOUT : ECANCELED);
    }
    ahead_s = 0;
}

/* As calls without a note, except for cancellation. */
TEST(no_note)
{
    fw_sem s = FW_SEM_INIT(1);
    fw_deadline soon = fw_deadline_after(CLOCK_MONOTONIC, MS), bad = {.clock = 77};
    fw_any none = {FW_ANY_SEM, &s};

    assert_int_equal(fw_note_sem_wait(&s, NULL, NULL), 0);
    assert_int_equal(fw_note_sem_wait(&s, NULL, &soon), ETIMEDOUT);
    assert_int_equal(fw_note_wait_any(&none, 1, NULL, &soon, NULL), ETIMEDOUT);
    assert_int_equal(fw_note_wait_any(NULL, 0, NULL, &soon, NULL), EINVAL);
    assert_int_equal(fw_note_wait(NULL, &soon), EINVAL);
    assert_false(fw_note_is_notified(NULL));
    assert_int_equal(fw_note_mutex_lock(&m, NULL, NULL), 0);
    soon = fw_deadline_after(CLOCK_MONOTONIC, MS);
    assert_int_equal(fw_note_cond_wait(&changed, &m, NULL, &soon), ETIMEDOUT);
    assert_int_equal(fw_note_cond_wait(&changed, &m, NULL, &bad), EINVAL);
    assert_true(fw_mutex_is_held_by_me(&m));
    fw_mutex_unlock(&m);
}

static void *lock_until_told(void *result)
{
    *(int *)result = fw_note_mutex_lock(&m, &leaf, NULL);
    if (*(int *)result == 0)
        fw_mutex_unlock(&m);
    return NULL;
}

TEST(a_waiter_for_a_held_mutex)
{
    for (int i = 0; i < 2 * ROUNDS; i++) {
        pthread_t thread;
        int result = -1;

        make_tree(NULL);
        fw_mutex_lock(&m);
        assert_int_equal(pthread_create(&thread, NULL, lock_until_told, &result), 0);
        if (i % 2 == 0)
            fw_note_notify(&middle);
        else
            fw_mutex_unlock(&m);
        pthread_join(thread, NULL);
        assert_int_equal(result, i % 2 == 0 ? ECANCELED : 0);
        if (i % 2 == 0)
            fw_mutex_unlock(&m);
    }
}

static uint32_t has_looked, is_granted, has_returned;

/* The waiter has read the state of its operation: that is granted before it goes on. */
static void let_grant(void)
{
    fw_store32_release(&has_looked, 1);
    while (fw_load32_acquire(&is_granted) == 0)
        sched_yield();
}

/* The waker is about to write to the waiter's memory. */
static void let_return(void)
{
    uint64_t end = fw_clock_ns_() + 20 * MS;

    __atomic_store_n(&at_look, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&at_telling, NULL, __ATOMIC_RELEASE);
    fw_store32_release(&is_granted, 1);
    while (fw_load32_acquire(&has_returned) == 0 && fw_clock_ns_() < end)
        sched_yield();
    assert_int_equal(fw_load32_acquire(&has_returned), 0);
}

static void *lock_and_return(void *result)
{
    lock_until_told(result);
    fw_store32_release(&has_returned, 1);
    return NULL;
}

TEST(a_wait_does_not_return_before_its_waker_was_called)
{
    pthread_t thread;
    int result = -1;

    make_tree(NULL);
    fw_mutex_lock(&m);
    __atomic_store_n(&at_look, let_grant, __ATOMIC_RELEASE);
    assert_int_equal(pthread_create(&thread, NULL, lock_and_return, &result), 0);
    while (fw_load32_acquire(&has_looked) == 0)
        sched_yield();
    __atomic_store_n(&at_telling, let_return, __ATOMIC_RELEASE);
    fw_mutex_unlock(&m);
    pthread_join(thread, NULL);
    assert_int_equal(result, 0);
}

/* Takes tokens until it is told to stop; at times it waits for a short time only. */
static void *take(void *arg)
{
    uint64_t short_ns = (uint64_t)(1 + (arg != NULL)) * 50000;

    for (long i = 0;; i++) {
        if (fw_note_mutex_lock(&m, &leaf, NULL) != 0)
            return NULL;
        while (tokens == 0) {
            fw_deadline d = fw_deadline_after(CLOCK_MONOTONIC, short_ns);
            int error = fw_note_cond_wait(&changed, &m, &leaf, i % 3 == 0 ? &d : NULL);

            assert_true(fw_mutex_is_held_by_me(&m));
            if (error == ECANCELED) {
                fw_mutex_unlock(&m);
                return NULL;
            }
            assert_true(error == 0 || error == ETIMEDOUT);
        }
        tokens--;
        taken++;
        fw_mutex_unlock(&m);
    }
}

TEST(many)
{
    fw_note *const notes[] = {&root, &middle, &leaf};

    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];

        make_tree(NULL);
        tokens = taken = 0;
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, take, i % 2 ? &m : NULL), 0);
        for (int i = 0; i < TOKENS; i++) {
            fw_mutex_lock(&m);
            tokens++;
            if (i % 3 == 0)
                fw_cond_broadcast(&changed);
            else
                fw_cond_signal(&changed);
            fw_mutex_unlock(&m);
        }
        fw_note_notify(notes[round % 3]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(tokens + taken, TOKENS);
        assert_int_equal(fw_mutex_trylock(&m), 0);
        fw_mutex_unlock(&m);
    }
}

UNIT_MAIN(NULL, NULL)
