/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/support/sleeper.h"
#include "test/support/unit.h"

/* src/sys/futex.c against the real kernel: every answer that furwock/futex.h documents. */

#define MS INT64_C(1000000)

static struct sleeper sleeper_on(const uint32_t *word, uint32_t bits)
{
    return (struct sleeper){.word = word, .expected = *word, .bits = bits};
}

/* The calls that wait for one word. */
static int wait_for_bit(const uint32_t *word, uint32_t expected, unsigned flags,
                        const fw_deadline *deadline)
{
    return fw_futex_wait_bitset(word, expected, 1, flags, deadline);
}

static int wait_for_any(const uint32_t *word, uint32_t expected, unsigned flags,
                        const fw_deadline *deadline)
{
    fw_futex_any any = {word, expected, flags};

    return fw_futex_wait_any(&any, 1, deadline);
}

static int (*const waits[])(const uint32_t *, uint32_t, unsigned,
                            const fw_deadline *) = {fw_futex_wait, wait_for_bit, wait_for_any};

/* How many of them there are: the last is in newer kernels only. */
static unsigned n_waits(void)
{
    return wait_for_any(NULL, 0, FW_FUTEX_PRIVATE, NULL) == -ENOSYS ? 2 : 3;
}

TEST(waits_refuse_another_value)
{
    uint32_t word = 5;

    errno = 42;
    for (unsigned i = 0; i < n_waits(); i++) {
        assert_int_equal(waits[i](&word, 4, FW_FUTEX_PRIVATE, NULL), -EAGAIN);
        assert_int_equal(waits[i](&word, 4, FW_FUTEX_SHARED, NULL), -EAGAIN);
    }
    assert_int_equal(errno, 42);
}

TEST(wait_ends_by_a_wake)
{
    uint32_t word = 5;

    for (unsigned flags = FW_FUTEX_PRIVATE; flags <= FW_FUTEX_SHARED; flags++) {
        struct sleeper s = sleeper_on(&word, FW_FUTEX_ANY_BIT);

        s.flags = flags;
        sleeper_start(&s);
        assert_int_equal(fw_futex_wake(&word, FW_FUTEX_ALL, flags), 1);
        assert_int_equal(sleeper_join(&s), 0);
        assert_int_equal(fw_futex_wake(&word, FW_FUTEX_ALL, flags), 0);
    }
}

TEST(wake_counts_and_limits)
{
    uint32_t word = 0;
    struct sleeper s[4];

    for (int i = 0; i < 4; i++) {
        s[i] = sleeper_on(&word, FW_FUTEX_ANY_BIT);
        sleeper_start(&s[i]);
    }
    assert_int_equal(fw_futex_wake(&word, 0, FW_FUTEX_PRIVATE), 0);
    assert_int_equal(fw_futex_wake(&word, 1, FW_FUTEX_PRIVATE), 1);
    assert_int_equal(sleeper_join(&s[0]), 0); /* the longest waiting */
    assert_int_equal(fw_futex_wake(&word, 2, FW_FUTEX_PRIVATE), 2);
    assert_int_equal(sleeper_join(&s[1]), 0);
    assert_int_equal(sleeper_join(&s[2]), 0);
    assert_int_equal(fw_futex_wake(&word, FW_FUTEX_ALL, FW_FUTEX_PRIVATE), 1);
    assert_int_equal(sleeper_join(&s[3]), 0);
}

TEST(bits_select_sleepers)
{
    uint32_t word = 0;
    struct sleeper low = sleeper_on(&word, 1), high = sleeper_on(&word, 0x80000000u);

    sleeper_start(&low);
    sleeper_start(&high);
    assert_int_equal(fw_futex_wake_bitset(&word, FW_FUTEX_ALL, 2, FW_FUTEX_PRIVATE), 0);
    assert_int_equal(fw_futex_wake_bitset(&word, 1, 0x80000002u, FW_FUTEX_PRIVATE), 1);
    assert_int_equal(sleeper_join(&high), 0);
    assert_int_equal(fw_futex_wake_bitset(&word, FW_FUTEX_ALL, 1, FW_FUTEX_PRIVATE), 1);
    assert_int_equal(sleeper_join(&low), 0);
}

static void nothing(int signal)
{
    (void)signal;
}

TEST(wait_ends_by_a_signal)
{
    struct sigaction action = {.sa_handler = nothing}, before;
    uint32_t word = 0;
    fw_deadline late = deadline_in(CLOCK_MONOTONIC, 60000 * MS);

    sigaction(SIGUSR1, &action, &before);
    for (int timed = 0; timed < 2; timed++) {
        struct sleeper s = sleeper_on(&word, FW_FUTEX_ANY_BIT);

        s.deadline = timed ? &late : NULL;
        sleeper_start(&s);
        pthread_kill(s.thread, SIGUSR1);
        assert_int_equal(sleeper_join(&s), -EINTR);
    }
    sigaction(SIGUSR1, &before, NULL);
}

/* A restarting handler leaves a wait without a deadline asleep; one with a deadline ends. */
TEST(restarting_handlers_end_timed_waits_only)
{
    struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART}, before;
    uint32_t word = 0;
    fw_deadline late = deadline_in(CLOCK_MONOTONIC, 60000 * MS);
    struct sleeper s = sleeper_on(&word, FW_FUTEX_ANY_BIT);
    int woken;

    sigaction(SIGUSR1, &action, &before);
    sleeper_start(&s);
    pthread_kill(s.thread, SIGUSR1);
    do /* it may still be on its way from the handler back to its sleep */
        usleep(10000);
    while ((woken = fw_futex_wake(&word, 1, FW_FUTEX_PRIVATE)) == 0 &&
           !__atomic_load_n(&s.done, __ATOMIC_ACQUIRE));
    assert_int_equal(woken, 1);
    assert_int_equal(sleeper_join(&s), 0);
    s.deadline = &late;
    sleeper_start(&s);
    pthread_kill(s.thread, SIGUSR1);
    assert_int_equal(sleeper_join(&s), -EINTR);
    sigaction(SIGUSR1, &before, NULL);
}

TEST(deadlines_pass_on_both_clocks)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};
    uint32_t word = 0;

    for (unsigned i = 0; i < 2 * n_waits(); i++) {
        int64_t start = (int64_t)now_ns();
        fw_deadline soon = deadline_in(clocks[i % 2], 20 * MS);
        fw_deadline past = deadline_in(clocks[i % 2], -20 * MS);
        fw_deadline long_ago = {{-5, 0}, clocks[i % 2]};

        assert_int_equal(waits[i / 2](&word, 0, FW_FUTEX_PRIVATE, &past), -ETIMEDOUT);
        assert_int_equal(waits[i / 2](&word, 0, FW_FUTEX_PRIVATE, &long_ago), -ETIMEDOUT);
        assert_int_equal(waits[i / 2](&word, 0, FW_FUTEX_PRIVATE, &soon), -ETIMEDOUT);
        assert_true((int64_t)now_ns() - start >= 19 * MS);
        assert_int_equal(waits[i / 2](&word, 1, FW_FUTEX_PRIVATE, &past), -EAGAIN);
    }
}

TEST(waits_refuse_bad_arguments)
{
    uint32_t words[2] = {0, 0};
    const uint32_t *crooked = (const uint32_t *)(const void *)((char *)words + 2);
    const fw_deadline bad[] = {deadline_in(CLOCK_BOOTTIME, MS),
                               {{0, 1000000000}, CLOCK_MONOTONIC},
                               {{0, -1}, CLOCK_REALTIME}};

    for (unsigned i = 0; i < n_waits(); i++) {
        assert_int_equal(waits[i](crooked, 0, FW_FUTEX_PRIVATE, NULL), -EINVAL);
        assert_int_equal(waits[i](words, 0, 2, NULL), -EINVAL);
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal(waits[i](words, 0, FW_FUTEX_PRIVATE, &bad[k]), -EINVAL);
    }
    assert_int_equal(fw_futex_wait_bitset(words, 0, 0, FW_FUTEX_PRIVATE, NULL), -EINVAL);
}

TEST(wake_and_requeue_refuse_bad_arguments)
{
    uint32_t words[2] = {0, 0};
    const uint32_t *crooked = (const uint32_t *)(const void *)((char *)words + 1);
    const unsigned too_many = FW_FUTEX_ALL + 1u;

    assert_int_equal(fw_futex_wake(crooked, 1, FW_FUTEX_PRIVATE), -EINVAL);
    assert_int_equal(fw_futex_wake(words, 1, 7), -EINVAL);
    assert_int_equal(fw_futex_wake(words, too_many, FW_FUTEX_PRIVATE), -EINVAL);
    assert_int_equal(fw_futex_wake_bitset(words, 1, 0, FW_FUTEX_PRIVATE), -EINVAL);
    assert_int_equal(fw_futex_requeue(crooked, 1, words, 1, FW_FUTEX_PRIVATE), -EINVAL);
    assert_int_equal(fw_futex_requeue(words, 1, crooked, 1, FW_FUTEX_PRIVATE), -EINVAL);
    assert_int_equal(fw_futex_requeue(words, too_many, words + 1, 1, FW_FUTEX_PRIVATE), -EINVAL);
    assert_int_equal(fw_futex_requeue(words, 1, words + 1, too_many, FW_FUTEX_PRIVATE), -EINVAL);
    assert_int_equal(fw_futex_requeue(words, 1, words + 1, 1, 2), -EINVAL);
    assert_int_equal(fw_futex_cmp_requeue(words, 0, 1, crooked, 1, FW_FUTEX_PRIVATE), -EINVAL);
    assert_int_equal(fw_futex_cmp_requeue(words, 0, 1, words + 1, 1, 2), -EINVAL);
    assert_int_equal(fw_futex_cmp_requeue(words, 0, too_many, words + 1, 1, 0), -EINVAL);
}

TEST(memory_that_is_not_there)
{
    uint32_t here = 0;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint32_t *gone = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(gone != MAP_FAILED);
    assert_int_equal(munmap(gone, page), 0);
    for (unsigned i = 0; i < n_waits(); i++) {
        assert_int_equal(waits[i](gone, 0, FW_FUTEX_PRIVATE, NULL), -EFAULT);
        assert_int_equal(waits[i](gone, 0, FW_FUTEX_SHARED, NULL), -EFAULT);
    }
    assert_int_equal(fw_futex_wake(gone, 1, FW_FUTEX_PRIVATE), 0);
    assert_int_equal(fw_futex_wake(gone, 1, FW_FUTEX_SHARED), -EFAULT);
    assert_int_equal(fw_futex_requeue(gone, 1, &here, 1, FW_FUTEX_SHARED), -EFAULT);
    assert_int_equal(fw_futex_cmp_requeue(gone, 0, 1, &here, 1, FW_FUTEX_PRIVATE), -EFAULT);
}

TEST(requeue_wakes_some_and_moves_some)
{
    uint32_t from = 0, to = 0;
    struct sleeper s[4];

    for (int i = 0; i < 4; i++) {
        s[i] = sleeper_on(&from, FW_FUTEX_ANY_BIT);
        sleeper_start(&s[i]);
    }
    assert_int_equal(fw_futex_requeue(&from, 1, &to, 2, FW_FUTEX_PRIVATE), 3);
    assert_int_equal(sleeper_join(&s[0]), 0);
    assert_int_equal(fw_futex_wake(&to, FW_FUTEX_ALL, FW_FUTEX_PRIVATE), 2);
    assert_int_equal(sleeper_join(&s[1]), 0);
    assert_int_equal(sleeper_join(&s[2]), 0);
    assert_int_equal(fw_futex_wake(&from, FW_FUTEX_ALL, FW_FUTEX_PRIVATE), 1);
    assert_int_equal(sleeper_join(&s[3]), 0);
}

TEST(cmp_requeue_looks_first)
{
    uint32_t from = 3, to = 0;
    struct sleeper s[2];

    for (int i = 0; i < 2; i++) {
        s[i] = sleeper_on(&from, FW_FUTEX_ANY_BIT);
        sleeper_start(&s[i]);
    }
    assert_int_equal(fw_futex_cmp_requeue(&from, 4, 1, &to, 1, FW_FUTEX_PRIVATE), -EAGAIN);
    assert_int_equal(fw_futex_wake(&to, FW_FUTEX_ALL, FW_FUTEX_PRIVATE), 0);
    assert_int_equal(fw_futex_cmp_requeue(&from, 3, 0, &to, FW_FUTEX_ALL, FW_FUTEX_PRIVATE), 2);
    assert_int_equal(fw_futex_wake(&from, FW_FUTEX_ALL, FW_FUTEX_PRIVATE), 0);
    assert_int_equal(fw_futex_wake(&to, FW_FUTEX_ALL, FW_FUTEX_PRIVATE), 2);
    assert_int_equal(sleeper_join(&s[0]), 0);
    assert_int_equal(sleeper_join(&s[1]), 0);
}

TEST(shared_words_join_processes)
{
    struct area {
        uint32_t word;
        pid_t tid;
        bool done;
    } *area = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    pid_t child;

    assert_true(area != MAP_FAILED);
    child = fork();
    if (child == 0) {
        __atomic_store_n(&area->tid, getpid(), __ATOMIC_RELEASE);
        _exit(fw_futex_wait(&area->word, 0, FW_FUTEX_SHARED, NULL) == 0 ? 0 : 1);
    }
    await_asleep(child, &area->tid, &area->done);
    assert_int_equal(fw_futex_wake(&area->word, 1, FW_FUTEX_PRIVATE), 0);
    assert_int_equal(fw_futex_wake(&area->word, 1, FW_FUTEX_SHARED), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    munmap(area, sizeof *area);
}

UNIT_MAIN(NULL, NULL)
