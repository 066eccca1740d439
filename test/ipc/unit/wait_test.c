/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "core/recheck.h"
#include "fixture.h"
#include "ipc/wait.h"
#include "sys/clock.h"
#include "sys/wait_any.h"
#include "unit.h"

/* src/ipc/wait.c and src/ipc/wait_spin.c, with the real kernel. */

/* A region in which the calling thread is a participant, and a word of it to wait for. */
static uint32_t *word;
static struct fw_ipc_me_ me;

static int make(void)
{
    fixture = fixture_make(4);
    word = fixture_object(&fixture, 0);
    return fw_ipc_enter_(word, &me);
}

/* A wait for the word, which the caller ends. */
static struct fw_ipc_wait_ begin(const fw_wait_policy *policy, const fw_deadline *deadline)
{
    struct fw_ipc_wait_ w;

    assert_int_equal(fw_ipc_wait_begin_(&w, &me, word, FW_IPC_WAITS_ELSE, policy, deadline), 0);
    return w;
}

TEST(sleeps_for_a_recheck_interval_at_most)
{
    struct fw_ipc_wait_ w = begin(NULL, NULL);
    uint64_t began = fw_clock_ns_();

    assert_int_equal(fw_ipc_wait_sleep_(&w, word, 0), 0);
    assert_true(w.has_elapsed);
    assert_true(fw_clock_ns_() - began >= FW_RECHECK_IPC_NS);
    assert_int_equal(fw_ipc_wait_sleep_(&w, word, 1), 0); /* the word is another */
    assert_false(w.has_elapsed);
    fw_ipc_wait_end_(&w);
}

/* Of a wait for that many participants, after long intervals. */
static uint64_t recheck_for(unsigned lives)
{
    struct fw_ipc_wait_ w = begin(NULL, NULL);
    uint64_t ns;

    w.word = word;
    w.expected = 1;
    w.recheck_ns = FW_RECHECK_MAX_NS;
    for (unsigned i = 0; i < lives; i++)
        fw_ipc_wait_watch_(&w, me.id);
    assert_int_equal(fw_ipc_wait_sleep_(&w, word, 1), 0); /* the word is another: no sleep */
    ns = w.recheck_ns;
    fw_ipc_wait_end_(&w);
    return ns;
}

TEST(rechecks_each_second_where_it_cannot_watch_all)
{
    const unsigned most = (FW_IPC_WORDS_ - 1) / 2 - 1; /* IWAIT7 */

    if (!fw_can_wait_any_() || !fw_ipc_is_marked_(me.participant))
        skip(); /* all intervals are short */
    assert_int_equal(recheck_for(most), FW_RECHECK_MAX_NS);
    assert_int_equal(recheck_for(most + 1), FW_RECHECK_REALTIME_NS);
    assert_int_equal(recheck_for(FW_IPC_WATCHED_ + 1), FW_RECHECK_REALTIME_NS);
}

/* Where it watches some only, they are not always the same. */
TEST(watches_others_after_each_recheck)
{
    struct fw_ipc_wait_ w = begin(NULL, NULL);
    const uint32_t many = 20 * FW_IPC_WATCHED_;
    uint32_t first = fw_ipc_wait_first_(&w, many);
    unsigned others = 0;

    assert_int_equal(fw_ipc_wait_first_(&w, FW_IPC_WATCHED_), 0);
    for (w.rechecks = 1; w.rechecks <= FW_IPC_RECHECKS_COUNTED_; w.rechecks++) {
        assert_in_range(fw_ipc_wait_first_(&w, many), 0, many - 1);
        others += fw_ipc_wait_first_(&w, many) != first;
    }
    assert_in_range(others, FW_IPC_RECHECKS_COUNTED_ - 3, FW_IPC_RECHECKS_COUNTED_);
    fw_ipc_wait_end_(&w);
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    (void)number;
    signals = signals + 1;
}

/* A signal each millisecond: two thousand of them take longer than many intervals. */
enum { MANY_SIGNALS = 2000 };

static void get_signals(suseconds_t every_us)
{
    struct itimerval timer = {{0, every_us}, {0, every_us}};
    struct sigaction act = {.sa_handler = count_signal};

    assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

/* Sleeps that were cut short, each after another one: they are parts of the same bounded wait. */
enum { CUTS = 3 };

TEST(rechecks_in_time_despite_signals)
{
    struct fw_ipc_wait_ w = begin(NULL, NULL);
    uint64_t ends = 0;
    unsigned cuts = 0;

    signals = 0;
    get_signals(1000);
    while ((w.rechecks == 0 || cuts < CUTS) && signals < MANY_SIGNALS) {
        assert_int_equal(fw_ipc_wait_sleep_(&w, word, 0), 0);
        if (!w.has_elapsed && ends != 0) {
            assert_int_equal(w.recheck_at, ends);
            cuts++;
        }
        ends = w.recheck_at; /* 0: the interval has passed */
    }
    get_signals(0);
    assert_true(w.rechecks != 0);
    fw_ipc_wait_end_(&w);
}

TEST(says_what_it_waits_for)
{
    struct fw_ipc_wait_ w = begin(NULL, NULL);

    assert_int_equal(me.participant->waits_for, 0);
    fw_ipc_wait_sleep_(&w, word, 1);
    assert_int_equal(me.participant->waits_for, (char *)word - fixture.base);
    assert_int_equal(me.participant->waits_how, FW_IPC_WAITS_ELSE);
    assert_int_not_equal(me.participant->waits_since, 0);
    fw_ipc_wait_end_(&w);
    assert_int_equal(me.participant->waits_for, 0);
}

static void ends_with_its_deadline(clockid_t clock)
{
    fw_deadline at = {.clock = clock};
    struct fw_ipc_wait_ w;

    clock_gettime(clock, &at.at);
    at.at.tv_sec -= 3;
    w = begin(NULL, &at);
    assert_int_equal(fw_ipc_wait_sleep_(&w, word, 0), ETIMEDOUT);
    at.at.tv_sec += 3;
    assert_int_equal(fw_ipc_wait_sleep_(&w, word, 0), ETIMEDOUT);
    clock_gettime(clock, &at.at);
    at.at.tv_nsec = 999999999;
    while (fw_ipc_wait_sleep_(&w, word, 0) == 0) /* full intervals, and a shorter one */
        ;
    fw_ipc_wait_end_(&w);
    at.at.tv_sec += 3600;
    w = begin(NULL, &at);
    assert_int_equal(fw_ipc_wait_sleep_(&w, word, 0), 0);
    assert_true(w.has_elapsed);
    at.at.tv_sec = INT64_MAX;
    assert_int_equal(fw_ipc_wait_sleep_(&w, word, 1), 0);
    at.at.tv_sec = INT64_MIN;
    assert_int_equal(fw_ipc_wait_sleep_(&w, word, 0), ETIMEDOUT);
    fw_ipc_wait_end_(&w);
}

TEST(ends_with_deadlines_on_both_clocks)
{
    ends_with_its_deadline(CLOCK_MONOTONIC);
    ends_with_its_deadline(CLOCK_REALTIME);
}

TEST(refuses_bad_deadlines_and_policies)
{
    fw_deadline cpu = {.clock = CLOCK_PROCESS_CPUTIME_ID};
    fw_wait_policy none = {(fw_wait_kind)99, 0};
    struct fw_ipc_wait_ w;

    assert_int_equal(fw_ipc_wait_begin_(&w, &me, word, 0, NULL, &cpu), EINVAL);
    assert_int_equal(fw_ipc_wait_begin_(&w, &me, word, 0, &none, NULL), EINVAL);
}

TEST(a_policy_that_never_sleeps_does_not)
{
    fw_wait_policy spin = {FW_WAIT_SPIN, 0};
    struct fw_ipc_wait_ w = begin(&spin, NULL);
    uint64_t began = fw_clock_ns_();

    while (fw_ipc_wait_spin_(&w))
        ;
    for (int i = 0; i < 10; i++)
        assert_int_equal(fw_ipc_wait_sleep_(&w, word, 0), 0);
    assert_false(w.has_elapsed);
    assert_true(fw_clock_ns_() > began);
    fw_ipc_wait_end_(&w);
}

/* --- Spinning comes to an end, and may begin anew --------------------------------------------- */

static struct fw_ipc_wait_ begin_as(fw_wait_kind kind)
{
    const fw_wait_policy policy = {.kind = kind, .spin_ns = 1000};

    return begin(&policy, NULL);
}

TEST(spins_until_the_budget_is_used_up)
{
    struct fw_ipc_wait_ w = begin_as(FW_WAIT_SPIN_THEN_BLOCK);
    uint32_t before = w.looks;

    while (fw_ipc_wait_spin_(&w)) {
        assert_true(w.looks >= before); /* longer and longer between two looks */
        before = w.looks;
    }
    assert_false(fw_ipc_wait_spin_(&w));
    fw_ipc_wait_again_(&w);
    assert_int_equal(w.looks, 1);
    fw_ipc_wait_end_(&w);
}

TEST(does_not_spin_where_it_is_to_block)
{
    struct fw_ipc_wait_ w = begin_as(FW_WAIT_BLOCK);

    assert_false(fw_ipc_wait_spin_(&w));
    fw_ipc_wait_end_(&w);
}

/* A holder that cannot be is one of whom nothing is known. */
TEST(spins_on_a_holder_that_cannot_be)
{
    struct fw_ipc_wait_ w = begin_as(FW_WAIT_ADAPTIVE);

    while (fw_ipc_wait_spin_on_(&w, FW_IPC_SLOT))
        ;
    fw_ipc_wait_end_(&w);
}

UNIT_MAIN(make, fixture_end)
