/* SPDX-License-Identifier: MIT */
/* What each engine must do, with the real kernel.  Contract: engine_fixture.h. */
#include "engine_fixture.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "sys/readable.h"
#include "sys/wait_any.h"
#include "test/support/sleeper.h"
#include "test/support/tsan_forks.h"

struct fw_engine_ *engine;
uint32_t words[MANY];
struct fw_kernel_wait_ waits[MANY];

void open_engine(uint32_t which)
{
    memset(words, 0, sizeof words);
    memset(waits, 0, sizeof waits);
    assert_int_equal(fw_engine_open_(&engine, which), 0);
}

/* Helpers that cannot sleep on several words (emulators): all waits look once in an interval. */
static bool is_blind(void)
{
    return engine->kind->number == FW_ENGINE_THREAD_ && !fw_can_wait_any_();
}

/* Takes what comes back until `n` have; the i-th of `waits` is counted in `told`. */
void take(unsigned n, uint8_t *told)
{
    unsigned slices = 0;

    while (n > 0) {
        struct fw_kernel_wait_ *back = fw_engine_reap_(engine);
        for (; back != NULL; back = back->next, n--) {
            assert_true(n > 0);
            told[back - waits] = back->told;
        }
        assert_true(slices++ < SLICES);
        if (n > 0)
            fw_readable_within_(fw_engine_fd_(engine), SLICE_NS);
    }
}

enum fw_wait_told_ take_first(void)
{
    uint8_t told[MANY] = {0};

    take(1, told);
    return told[0];
}

void arm(unsigned i, uint32_t expected)
{
    fw_engine_arm_(engine, &waits[i], &words[i], expected);
}

/* Wakes one sleeper of the word: when it sleeps. */
void wake(unsigned i)
{
    if (is_blind())
        return;
    for (unsigned slices = 0; fw_futex_wake(&words[i], 1, FW_FUTEX_SHARED) != 1; slices++) {
        assert_true(slices < SLICES);
        usleep(SLICE_NS / 10000);
    }
}

void tells_of_a_wake(void)
{
    arm(0, 0);
    assert_true(fw_engine_flush_(engine));
    wake(0);
    assert_int_equal(take_first(), FW_TOLD_LOOK_);
    assert_int_equal(engine->armed, 0);
    arm(0, 0); /* and again */
    assert_true(fw_engine_flush_(engine));
    wake(0);
    assert_int_equal(take_first(), FW_TOLD_LOOK_);
}

static void tells_of_a_word_that_has_changed_before(void)
{
    words[0] = 1;
    arm(0, 0);
    assert_true(fw_engine_flush_(engine));
    assert_int_equal(take_first(), FW_TOLD_LOOK_);
}

/* Else a loop with nothing to do would run all the time. */
static void is_quiet_once_reaped(void)
{
    tells_of_a_word_that_has_changed_before();
    for (unsigned slices = 0; fw_readable_within_(fw_engine_fd_(engine), SLICE_NS); slices++) {
        assert_true(slices < 3); /* of what another thread did to wake this one */
        assert_null(fw_engine_reap_(engine));
    }
}

static void expect_cancelled(void)
{
    enum fw_wait_told_ told = take_first();

    assert_true(told == FW_TOLD_CANCELLED_ || (is_blind() && told == FW_TOLD_LOOK_));
}

static void cancels(void)
{
    arm(0, 0);
    fw_engine_flush_(engine);
    fw_engine_disarm_(engine, &waits[0]);
    fw_engine_disarm_(engine, &waits[0]);
    fw_engine_flush_(engine);
    expect_cancelled();
    assert_null(fw_engine_reap_(engine));
    assert_int_equal(fw_futex_wake(&words[0], 1, FW_FUTEX_SHARED), 0);
}

static void cancels_what_was_not_begun(void)
{
    arm(0, 0);
    fw_engine_disarm_(engine, &waits[0]);
    fw_engine_flush_(engine);
    expect_cancelled();
}

/* A wake and a cancellation at the same time: the waker knows which of the two it was.  ENG2 */
static void *wake_once(void *woken)
{
    *(int *)woken = fw_futex_wake(&words[0], 1, FW_FUTEX_SHARED);
    return NULL;
}

static void cancels_or_is_woken(void)
{
    enum { ROUNDS = 200 };

    for (int i = 0; i < ROUNDS; i++) {
        int woken;
        pthread_t thread;
        arm(0, 0);
        fw_engine_flush_(engine);
        assert_int_equal(pthread_create(&thread, NULL, wake_once, &woken), 0);
        fw_engine_disarm_(engine, &waits[0]);
        fw_engine_flush_(engine);
        enum fw_wait_told_ told = take_first();
        pthread_join(thread, NULL);
        if (woken == 1) /* one that came back woken may not have been: that is legal */
            assert_int_equal(told, FW_TOLD_LOOK_);
    }
}

/* More than a ring has room for, and than one helper has; each comes back once. */
static void has_many(void)
{
    uint8_t told[MANY] = {0};

    for (unsigned i = 0; i < MANY; i++)
        arm(i, 0);
    assert_true(fw_engine_flush_(engine));
    for (unsigned i = 0; i < MANY; i += 2)
        fw_store32_relaxed(&words[i], 1);
    for (unsigned i = 0; i < MANY; i += 2)
        fw_futex_wake(&words[i], 1, FW_FUTEX_SHARED);
    for (unsigned i = 1; i < MANY; i += 2)
        fw_engine_disarm_(engine, &waits[i]);
    fw_engine_flush_(engine);
    take(MANY, told);
    for (unsigned i = 0; i < MANY; i += 2)
        assert_int_equal(told[i], FW_TOLD_LOOK_);
    assert_int_equal(engine->armed, 0);
}

/* One word of many is woken again and again: no wake is lost. */
static void loses_none_of_many(void)
{
    enum { ROUNDS = 100, WORDS = 40 };
    uint8_t told[MANY];

    for (unsigned i = 0; i < WORDS; i++)
        arm(i, 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned i = round * 7 % WORDS;
        fw_engine_flush_(engine);
        wake(i);
        memset(told, 0, sizeof told);
        for (unsigned slices = 0; told[i] == 0; slices++) {
            assert_true(slices < SLICES);
            for (struct fw_kernel_wait_ *w = fw_engine_reap_(engine), *next; w != NULL; w = next) {
                next = w->next;
                told[w - waits] = w->told;
                arm((unsigned)(w - waits), 0);
            }
            if (told[i] == 0)
                fw_readable_within_(fw_engine_fd_(engine), SLICE_NS);
        }
    }
}

enum { PATIENCE_MS = 60000 };

/* Whoever sleeps on the descriptor is woken: nobody else would look. */
static pid_t poller;
static bool has_polled;

static void *poll_long(void *answer)
{
    struct pollfd fd = {.fd = fw_engine_fd_(engine), .events = POLLIN};

    __atomic_store_n(&poller, gettid(), __ATOMIC_RELEASE);
    *(int *)answer = poll(&fd, 1, PATIENCE_MS);
    __atomic_store_n(&has_polled, true, __ATOMIC_RELEASE);
    return NULL;
}

static void wakes_who_sleeps(void)
{
    pthread_t thread;
    int answer = 0;

    arm(0, 0);
    fw_engine_flush_(engine);
    poller = 0;
    has_polled = false;
    assert_int_equal(pthread_create(&thread, NULL, poll_long, &answer), 0);
    await_asleep(getpid(), &poller, &has_polled);
    wake(0);
    pthread_join(thread, NULL);
    assert_int_equal(answer, 1);
    assert_int_equal(take_first(), FW_TOLD_LOOK_);
}

/* ENG3: a wake right after the end reaches the thread that sleeps behind the engine. */
static void leaves_nothing_behind(void)
{
    struct sleeper s = {.word = &words[0], .bits = FW_FUTEX_ANY_BIT, .flags = FW_FUTEX_SHARED};

    arm(0, 0);
    fw_engine_flush_(engine);
    wake(0);
    take_first();
    arm(0, 0);
    fw_engine_flush_(engine);
    sleeper_start(&s);
    fw_engine_close_(engine);
    fw_futex_wake(&words[0], 1, FW_FUTEX_SHARED);
    assert_int_equal(sleeper_join(&s), 0);
}

static void (*const tests[])(void) = {
    tells_of_a_wake,
    tells_of_a_word_that_has_changed_before,
    is_quiet_once_reaped,
    cancels,
    cancels_what_was_not_begun,
    has_many,
    wakes_who_sleeps,
    cancels_or_is_woken,
    loses_none_of_many,
};

void engine_passes_all(uint32_t which)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        open_engine(which);
        tests[i]();
        fw_engine_close_(engine);
    }
    open_engine(which);
    leaves_nothing_behind();
}
