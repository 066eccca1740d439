/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <furwock/ipc/barrier.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/interrupt.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/rwlock.h>
#include <furwock/ipc/sem.h>
#include <furwock/sem.h>

#include "fixture.h"
#include "ipc/wait.h"
#include "sys/clock.h"
#include "sys/wait_any.h"
#include "test/support/deadline.h"
#include "test/support/robust_lists.h"
#include "test/support/sleeper.h"
#include "unit.h"

/* src/ipc/wait_interrupt.c, with the real kernel: calls that wait, ended by their own process. */

static fw_ipc_mutex *m;
static fw_ipc_rwlock *l;
static fw_ipc_cond *c;
static fw_ipc_sem *s;
static fw_ipc_permits *u;
static fw_ipc_barrier *b;

static uint32_t stop_word;
static fw_ipc_interrupt stop;

static int make(void)
{
    need_robust_lists();
    fixture = fixture_make(8);
    m = fixture_object(&fixture, 0);
    l = fixture_object(&fixture, 1);
    c = fixture_object(&fixture, 2);
    s = fixture_object(&fixture, 3);
    u = fixture_object(&fixture, 4);
    b = fixture_object(&fixture, 5);
    assert_int_equal(fw_ipc_sem_init(s, 0, 1), 0);
    assert_int_equal(fw_ipc_permits_init(u, 1), 0);
    assert_int_equal(fw_ipc_barrier_init(b, 2, FW_IPC_BARRIER_GO_ON), 0);
    stop_word = 0;
    stop = (fw_ipc_interrupt)FW_IPC_INTERRUPT_INIT(&stop_word, 0);
    return 0;
}

/* --- The calls, by a thread that cannot have what it asks for --------------------------------- */

static int wait_for_signal(void)
{
    int error = fw_ipc_mutex_lock(m);

    assert_int_equal(error, 0);
    error = fw_ipc_cond_wait_policy(c, m, &stop.policy, NULL);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0); /* it is locked again, whatever ended the wait */
    return error;
}

static int lock_mutex(void)
{
    return fw_ipc_mutex_lock_policy(m, &stop.policy, NULL);
}

static int lock_to_read(void)
{
    return fw_ipc_rwlock_rdlock_policy(l, &stop.policy, NULL);
}

static int lock_to_write(void)
{
    (void)!fw_ipc_mutex_is_held_by_me(m); /* known from here on: it closes the lock at once */
    return fw_ipc_rwlock_wrlock_policy(l, &stop.policy, NULL);
}

static int lock_upgradable(void)
{
    return fw_ipc_rwlock_upgradable_lock_policy(l, &stop.policy, NULL);
}

static int wait_for_unit(void)
{
    return fw_ipc_sem_wait_policy(s, &stop.policy, NULL);
}

static int wait_for_permit(void)
{
    return fw_ipc_permits_wait_policy(u, &stop.policy, NULL);
}

static int take_part(void)
{
    return fw_ipc_barrier_wait_policy(b, &stop.policy, NULL);
}

/* What is done before and undone after; how the caller undoes what it then gets. */
static int nothing(void)
{
    return 0;
}

static int hold_mutex(void)
{
    return fw_ipc_mutex_lock(m);
}

static int drop_mutex(void)
{
    return fw_ipc_mutex_unlock(m);
}

static int write_it(void)
{
    return fw_ipc_rwlock_wrlock(l);
}

static int read_it(void)
{
    return fw_ipc_rwlock_rdlock(l);
}

static int drop_rwlock(void)
{
    return fw_ipc_rwlock_unlock(l);
}

static int post(void)
{
    return fw_ipc_sem_post(s);
}

static int hold_permit(void)
{
    return fw_ipc_permits_wait(u);
}

static int drop_permit(void)
{
    return fw_ipc_permits_post(u);
}

static const struct row {
    int (*hold)(void), (*wait)(void), (*release)(void), (*drop)(void);
    int then; /* what the call says after the release, the word being another still */
} rows[] = {
    {hold_mutex, lock_mutex, drop_mutex, drop_mutex, 0},
    {write_it, lock_to_read, drop_rwlock, drop_rwlock, 0},
    {write_it, lock_to_write, drop_rwlock, drop_rwlock, 0},
    {read_it, lock_to_write, drop_rwlock, drop_rwlock, 0},
    {write_it, lock_upgradable, drop_rwlock, drop_rwlock, 0},
    {nothing, wait_for_unit, post, nothing, 0},
    {hold_permit, wait_for_permit, drop_permit, drop_permit, 0},
    {nothing, wait_for_signal, nothing, nothing, ECANCELED},
    {nothing, take_part, nothing, nothing, FW_IPC_BARRIER_SERIAL}, /* the other has died */
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* --- A thread that waits ---------------------------------------------------------------------- */

struct waiter {
    int (*wait)(void);
    int error;
    pid_t tid;
    bool is_done;
    pthread_t thread;
};

static void *wait_once(void *arg)
{
    struct waiter *w = arg;

    __atomic_store_n(&w->tid, gettid(), __ATOMIC_RELEASE);
    w->error = w->wait();
    __atomic_store_n(&w->is_done, true, __ATOMIC_RELEASE);
    return NULL;
}

static void begin(struct waiter *w, int (*wait)(void))
{
    *w = (struct waiter){.wait = wait};
    assert_int_equal(pthread_create(&w->thread, NULL, wait_once, w), 0);
}

static int result(struct waiter *w)
{
    assert_int_equal(pthread_join(w->thread, NULL), 0);
    return w->error;
}

static void interrupt(unsigned flags)
{
    __atomic_store_n(&stop_word, stop_word + 1, __ATOMIC_RELEASE);
    fw_futex_wake(&stop_word, FW_FUTEX_ALL, flags);
}

static void await_sleep(struct waiter *w)
{
    await_asleep(getpid(), &w->tid, &w->is_done);
    assert_false(__atomic_load_n(&w->is_done, __ATOMIC_ACQUIRE));
}

static void each_is_ended(unsigned flags)
{
    for (unsigned i = 0; i < ROWS; i++) {
        struct waiter w;

        assert_int_equal(rows[i].hold(), 0);
        stop.expected = stop_word;
        stop.flags = flags;
        begin(&w, rows[i].wait);
        await_sleep(&w);
        interrupt(flags);
        assert_int_equal(result(&w), ECANCELED);
        assert_int_equal(rows[i].release(), 0);
        /* The word has changed for good: what can be had is had, and nothing is waited for. */
        assert_int_equal(rows[i].wait(), rows[i].then);
        assert_int_equal(rows[i].drop(), 0);
    }
}

TEST(a_word_ends_each_wait)
{
    each_is_ended(FW_FUTEX_PRIVATE);
}

TEST(a_word_that_processes_share)
{
    each_is_ended(FW_FUTEX_SHARED);
}

TEST(a_word_that_had_changed_before)
{
    for (unsigned i = 0; i < ROWS; i++) {
        struct waiter w;

        assert_int_equal(rows[i].hold(), 0);
        stop.expected = stop_word + 1;
        begin(&w, rows[i].wait);
        assert_int_equal(result(&w), ECANCELED);
        assert_int_equal(rows[i].release(), 0);
        assert_int_equal(rows[i].wait(), rows[i].then);
        assert_int_equal(rows[i].drop(), 0);
    }
}

TEST(policies_that_never_sleep)
{
    static const fw_wait_kind kinds[] = {FW_WAIT_SPIN, FW_WAIT_YIELD};

    for (unsigned k = 0; k < 2; k++) {
        struct waiter w;

        assert_int_equal(hold_mutex(), 0);
        stop.expected = stop_word;
        stop.policy.kind = (fw_wait_kind)((unsigned)kinds[k] | FW_WAIT_INTERRUPTIBLE);
        begin(&w, lock_mutex);
        while (__atomic_load_n(&w.tid, __ATOMIC_ACQUIRE) == 0)
            sched_yield();
        interrupt(FW_FUTEX_PRIVATE);
        assert_int_equal(result(&w), ECANCELED);
        assert_int_equal(drop_mutex(), 0);
    }
}

static void handle(int number)
{
    (void)number;
}

/* One of many signals comes while the thread sleeps. */
TEST(a_signal_handler_ends_each_wait)
{
    struct sigaction act = {.sa_handler = handle};
    assert_int_equal(sigaction(SIGUSR1, &act, NULL), 0);
    for (unsigned i = 0; i < ROWS; i++) {
        struct waiter w;

        assert_int_equal(rows[i].hold(), 0);
        stop.expected = stop_word;
        stop.word = i % 2 != 0 ? &stop_word : NULL;
        stop.on_signal = 1;
        begin(&w, rows[i].wait);
        while (!__atomic_load_n(&w.is_done, __ATOMIC_ACQUIRE)) {
            pthread_kill(w.thread, SIGUSR1);
            sched_yield();
        }
        assert_int_equal(result(&w), EINTR);
        assert_int_equal(rows[i].release(), 0);
        assert_int_equal(rows[i].then == 0 ? rows[i].wait() : 0, 0);
        assert_int_equal(rows[i].drop(), 0);
    }
}

/* Signals have no say where nobody asked, and the deadline counts as before. */
TEST(deadlines_and_signals_without_it)
{
    struct sigaction act = {.sa_handler = handle};
    fw_deadline d = in_ms(100);
    struct waiter w;
    assert_int_equal(sigaction(SIGUSR1, &act, NULL), 0);
    assert_int_equal(hold_mutex(), 0);
    begin(&w, lock_mutex);
    await_sleep(&w);
    pthread_kill(w.thread, SIGUSR1);
    assert_int_equal(drop_mutex(), 0);
    assert_int_equal(result(&w), 0); /* the thread has ended: */
    assert_int_equal(hold_mutex(), EOWNERDEAD);
    assert_int_equal(fw_ipc_mutex_consistent(m), 0);
    assert_int_equal(drop_mutex(), 0);
    assert_int_equal(fw_ipc_sem_wait_policy(s, &stop.policy, &d), ETIMEDOUT);
    assert_true(fw_deadline_is_over_(&d));
}

TEST(holders_die_as_before)
{
    struct waiter holder, w;

    begin(&holder, hold_mutex);
    assert_int_equal(result(&holder), 0);
    begin(&w, lock_mutex);
    assert_int_equal(result(&w), EOWNERDEAD);
}

static struct waiter long_sleeper;

/* Between re-check intervals of a minute: the kernel wakes the thread, or nobody does. */
static int sleep_long(void)
{
    struct fw_ipc_wait_ w;
    struct fw_ipc_me_ me;
    const uint32_t *word = (const uint32_t *)(const void *)m;
    int error = fw_ipc_enter_(m, &me);

    assert_int_equal(error, 0);
    error = fw_ipc_wait_begin_(&w, &me, c, FW_IPC_WAITS_COND, &stop.policy, NULL);
    assert_int_equal(error, 0);
    assert_int_equal(fw_ipc_wait_sleep_(&w, word, *word), 0);
    assert_false(w.has_elapsed);
    assert_int_equal(fw_ipc_wait_sleep_(&w, word, *word), ETIMEDOUT);
    error = fw_ipc_wait_result_(&w, ETIMEDOUT);
    fw_ipc_wait_end_(&w);
    return error;
}

TEST(no_recheck_is_needed)
{
    if (!fw_can_wait_any_())
        skip();
    begin(&long_sleeper, sleep_long);
    await_sleep(&long_sleeper);
    interrupt(FW_FUTEX_PRIVATE);
    assert_int_equal(result(&long_sleeper), ECANCELED);
}

/* The word must not be left out where there are more lives to watch than words to sleep on. */
TEST(watches_one_less)
{
    struct fw_ipc_wait_ w;
    struct fw_ipc_me_ me;

    if (!fw_can_wait_any_())
        skip();
    assert_int_equal(fw_ipc_enter_(m, &me), 0);
    assert_int_equal(fw_ipc_wait_begin_(&w, &me, m, FW_IPC_WAITS_ELSE, &stop.policy, NULL), 0);
    for (unsigned i = 0; i < FW_IPC_WATCHED_; i++) {
        fw_ipc_wait_watch_(&w, me.id);
        fw_ipc_wait_compare_more_(&w, &stop_word, 0);
    }
    assert_true(w.is_partial);
    fw_ipc_wait_compare_stop_(&w, FW_IPC_WATCHED_ + 2);
    assert_true(w.n + w.more <= FW_IPC_WATCHED_ + 2);
    assert_ptr_equal(w.words[FW_IPC_WATCHED_ + 2 - w.more].word, &stop_word);
    fw_ipc_wait_end_(&w);
}

TEST(misuse)
{
    fw_wait_policy unknown = {(fw_wait_kind)(FW_WAIT_INTERRUPTIBLE | 6), 0};
    fw_sem of_threads = FW_SEM_INIT(0);

    assert_int_equal(fw_wait_set_default(&stop.policy), EINVAL);
    assert_int_equal(fw_sem_wait_policy(&of_threads, &stop.policy, NULL), EINVAL);
    stop.flags = 2;
    assert_int_equal(fw_ipc_sem_wait_policy(s, &stop.policy, NULL), EINVAL);
    stop.flags = 0;
    stop.word = (const uint32_t *)((const char *)&stop_word + 1);
    assert_int_equal(fw_ipc_sem_wait_policy(s, &stop.policy, NULL), EINVAL);
    stop.word = NULL;
    stop.policy = unknown;
    assert_int_equal(fw_ipc_sem_wait_policy(s, &stop.policy, NULL), EINVAL);
}

UNIT_MAIN(make, fixture_end)
