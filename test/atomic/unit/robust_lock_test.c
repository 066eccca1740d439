/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/futex.h>

#include "measure/death.h"
#include "robust_lock.h"
#include "test/support/unit.h"

/* atomic/ipc/robust_lock.c: each line of its table, with the real kernel. */

static uint32_t word;
static struct fw_robust_ r;

static uint32_t me(void)
{
    return (uint32_t)gettid();
}

/* Between the lock and the kernel: the linker puts these in (--wrap). */
int __wrap_fw_futex_wake(const uint32_t *w, unsigned n, unsigned flags);
int __real_fw_futex_wake(const uint32_t *w, unsigned n, unsigned flags);
int __wrap_fw_futex_wait(const uint32_t *w, uint32_t expected, unsigned flags,
                         const fw_deadline *deadline);
int __real_fw_futex_wait(const uint32_t *w, uint32_t expected, unsigned flags,
                         const fw_deadline *deadline);

static unsigned wakes;

/* How many sleeps of a thread end at once, as if by signals; the next makes a whole interval. */
static __thread unsigned cuts;
static __thread bool has_cut;
static __thread struct timespec cut_end;

int __wrap_fw_futex_wake(const uint32_t *w, unsigned n, unsigned flags)
{
    assert_int_equal(n, 1);
    assert_int_equal(flags, FW_FUTEX_SHARED);
    __atomic_fetch_add(&wakes, 1, __ATOMIC_RELAXED);
    return __real_fw_futex_wake(w, n, flags);
}

int __wrap_fw_futex_wait(const uint32_t *w, uint32_t expected, unsigned flags,
                         const fw_deadline *deadline)
{
    assert_true((expected & FW_ROBUST_WAITERS) != 0 && (expected & FW_ROBUST_OWNER) != 0);
    assert_int_equal(flags, FW_FUTEX_SHARED);
    assert_non_null(deadline);
    if (has_cut)
        assert_memory_equal(&deadline->at, &cut_end, sizeof cut_end);
    cut_end = deadline->at;
    has_cut = cuts != 0;
    if (cuts != 0) {
        cuts--;
        return -EINTR;
    }
    return __real_fw_futex_wait(w, expected, flags, deadline);
}

static void becomes(uint32_t before, enum fw_robust_how_ how, uint32_t held, uint32_t after)
{
    word = before;
    wakes = 0;
    assert_int_equal(fw_robust_lock_(&word, &r, 0), how);
    assert_int_equal(word, held);
    fw_robust_unlock_(&word, &r);
    assert_int_equal(wakes, (held & FW_ROBUST_WAITERS) != 0);
    assert_int_equal(word, after);
}

TEST(is_taken_when_nobody_has_it)
{
    becomes(0, FW_ROBUST_TAKEN_, me(), 0);
    becomes(FW_ROBUST_WAITERS, FW_ROBUST_TAKEN_, me() | FW_ROBUST_WAITERS, 0);
    becomes(FW_ROBUST_DIED, FW_ROBUST_LEFT_, me(), 0);
    becomes(FW_ROBUST_DIED | FW_ROBUST_WAITERS, FW_ROBUST_LEFT_, me() | FW_ROBUST_WAITERS, 0);
}

TEST(is_taken_from_who_had_this_id_before)
{
    becomes(me(), FW_ROBUST_LEFT_, me(), 0);
}

static void sleep_for_ever(void)
{
    for (;;)
        pause();
}

TEST(is_taken_from_who_is_gone_unmarked)
{
    pid_t child = fork();

    if (child == 0)
        sleep_for_ever();
    word = (uint32_t)child;
    assert_int_equal(fw_robust_lock_(&word, &r, 2), FW_ROBUST_LATE_);
    assert_int_equal(word, (uint32_t)child | FW_ROBUST_WAITERS);
    kill(child, SIGKILL); /* it is a zombie, soon, and nobody announced the word */
    assert_int_equal(fw_robust_lock_(&word, &r, 0), FW_ROBUST_LEFT_);
    assert_int_equal(word, me() | FW_ROBUST_WAITERS);
    fw_robust_unlock_(&word, &r);
    assert_int_equal(word, 0);
    waitpid(child, NULL, 0);
}

/* A signal each millisecond: two thousand of them take longer than many re-check intervals. */
enum { MANY_SIGNALS = 2000 };

static int signals;

/* A thread that got that many and still sleeps would not wake up: it is released otherwise. */
static void count_signal(int number)
{
    (void)number;
    if (++signals == MANY_SIGNALS)
        __atomic_store_n(&word, FW_ROBUST_WAITERS, __ATOMIC_RELAXED);
}

static void get_signals(suseconds_t every_us)
{
    struct itimerval timer = {{0, every_us}, {0, every_us}};
    struct sigaction act = {.sa_handler = count_signal};

    assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

TEST(is_taken_from_who_is_gone_though_signals_come)
{
    pid_t child = fork();
    enum fw_robust_how_ how;

    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    word = (uint32_t)child;
    cuts = 3;
    get_signals(1000);
    how = fw_robust_lock_(&word, &r, 0);
    get_signals(0);
    assert_int_equal(how, FW_ROBUST_LEFT_);
    fw_robust_unlock_(&word, &r);
}

static void lock_inside(void *arg)
{
    struct fw_robust_ inner;

    (void)arg;
    word = 0;
    fw_robust_lock_(&word, &r, 0);
    fw_robust_lock_(&word, &inner, 0);
}

static void unlock_what_was_written_over(void *arg)
{
    (void)arg;
    word = 0;
    fw_robust_lock_(&word, &r, 0);
    word = 0x123;
    fw_robust_unlock_(&word, &r);
}

TEST(misuse_is_reported)
{
    struct death d;

    assert_int_equal(death_run(lock_inside, NULL, 60000, &d), 0);
    assert_int_equal(d.signal, SIGABRT);
    assert_non_null(strstr(d.text, "signal handler"));
    assert_int_equal(death_run(unlock_what_was_written_over, NULL, 60000, &d), 0);
    assert_int_equal(d.signal, SIGABRT);
    assert_non_null(strstr(d.text, "written over"));
}

UNIT_MAIN(NULL, NULL)
