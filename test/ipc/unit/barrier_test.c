/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/ipc/barrier.h>

#include "ipc/barrier_word.h"
#include "victim.h"

/* src/ipc/barrier.c, with the real kernel; the victims are forked children. */

static fw_ipc_barrier *b;

enum { PARTIES = 3 };

static int make(void)
{
    need_robust_lists();
    fixture = fixture_make(8);
    b = fixture_object(&fixture, 0);
    said = fixture_object(&fixture, 1);
    return fw_ipc_barrier_init(b, PARTIES, FW_IPC_BARRIER_FAIL);
}

/* Children: each says so by its exit status; the serial one as well as the others is 0. */
static int wait_for(unsigned rounds)
{
    int error = 0;

    while (error <= 0 && rounds-- != 0)
        error = fw_ipc_barrier_wait(b);
    return error > 0 ? error : 0;
}

static void come(void *rounds)
{
    _exit(wait_for((unsigned)(uintptr_t)rounds));
}

static void join_only(void *arg)
{
    (void)arg;
    if (fw_ipc_barrier_join(b) != 0)
        _exit(1);
    say(1);
    pause();
}

static int start_coming(unsigned rounds)
{
    return start(come, (void *)(uintptr_t)rounds);
}

TEST(says_what_is_wrong)
{
    static _Alignas(64) fw_ipc_barrier elsewhere;
    fw_ipc_barrier *blank = fixture_object(&fixture, 2);
    fw_ipc_barrier *last = (fw_ipc_barrier *)(fixture.base + fixture.size - 64);
    fw_deadline never = {.clock = -1};
    fw_ipc_death death;

    assert_int_equal(fw_ipc_barrier_size(0), 0);
    assert_int_equal(fw_ipc_barrier_size(FW_IPC_BARRIER_MAX + 1), 0);
    assert_int_equal(fw_ipc_barrier_init(&elsewhere, 1, FW_IPC_BARRIER_FAIL), EINVAL);
    assert_int_equal(fw_ipc_barrier_init(blank, 0, FW_IPC_BARRIER_FAIL), EINVAL);
    assert_int_equal(fw_ipc_barrier_init(blank, 1, (fw_ipc_barrier_mode)2), EINVAL);
    assert_int_equal(fw_ipc_barrier_init(last, 1, FW_IPC_BARRIER_FAIL), ENOSPC);
    assert_int_equal(fw_ipc_barrier_wait(&elsewhere), EINVAL);
    assert_int_equal(fw_ipc_barrier_wait(blank), EINVAL);
    assert_int_equal(fw_ipc_barrier_death(blank, &death), EINVAL);
    assert_int_equal(fw_ipc_barrier_death(&elsewhere, &death), EINVAL);
    assert_int_equal(fw_ipc_barrier_init(b, PARTIES, FW_IPC_BARRIER_FAIL), 0);
    assert_int_equal(fw_ipc_barrier_init(b, PARTIES, FW_IPC_BARRIER_GO_ON), EEXIST);
    assert_int_equal(fw_ipc_barrier_init(b, 1, FW_IPC_BARRIER_FAIL), EEXIST);
    assert_int_equal(fw_ipc_barrier_timedwait(b, &never), EINVAL);
    assert_int_equal(fw_ipc_barrier_leave(b), EPERM);
    assert_int_equal(fw_ipc_barrier_death(b, &death), ENOENT);
    assert_int_equal(fw_ipc_barrier_reset(b), 0);
    assert_int_equal(fw_ipc_barrier_round(b), 0);
    last->made_ = made_of(1, FW_IPC_BARRIER_FAIL); /* the region ends before */
    assert_int_equal(fw_ipc_barrier_wait(last), EUCLEAN);
    b->made_ = UINT64_MAX;
    assert_int_equal(fw_ipc_barrier_wait(b), EUCLEAN);
}

TEST(finds_what_was_written_over)
{
    barrier_slots(b)[0] = barrier_slots(b)[1] = barrier_slots(b)[2] = UINT64_C(0xffff7);
    assert_int_equal(fw_ipc_barrier_wait(b), EUCLEAN);
    barrier_slots(b)[1] = 0;
    assert_int_equal(fw_ipc_barrier_join(b), 0);
    assert_int_equal(fw_ipc_barrier_wait(b), EUCLEAN);
    assert_int_equal(fw_ipc_barrier_leave(b), EUCLEAN);
}

/* A time-out takes the arrival back; the slot stays. */
TEST(gives_up_in_time)
{
    fw_deadline soon = in_ms(60);
    int child[PARTIES - 1];
    uint64_t joined;

    assert_int_equal(fw_ipc_barrier_timedwait(b, &soon), ETIMEDOUT);
    joined = b->round_ & ~FW_IPC_WAITERS;
    soon = in_ms(5);
    assert_int_equal(fw_ipc_barrier_timedwait(b, &soon), ETIMEDOUT);
    assert_int_equal(b->round_ & ~FW_IPC_WAITERS, one_change_later(joined)); /* IBAR4 */
    for (int i = 0; i < PARTIES - 1; i++)
        child[i] = start_coming(1);
    await_waiters(&fixture, b, PARTIES - 1);
    assert_int_equal(fw_ipc_barrier_round(b), 0);
    soon = in_ms(10000);
    assert_true(fw_ipc_barrier_timedwait(b, &soon) <= 0);
    for (int i = 0; i < PARTIES - 1; i++)
        assert_int_equal(wait_for_child(child[i]), 0);
}

TEST(arrives_and_waits_later)
{
    int child[PARTIES - 1];
    uint64_t token;

    assert_int_equal(fw_ipc_barrier_arrive(b, &token), 0);
    assert_int_equal(fw_ipc_barrier_arrive(b, &token), EDEADLK);
    assert_int_equal(fw_ipc_barrier_wait(b), EDEADLK);
    for (int i = 0; i < PARTIES - 1; i++)
        child[i] = start_coming(1);
    assert_int_equal(fw_ipc_barrier_await(b, token), 0);
    assert_int_equal(fw_ipc_barrier_await(b, token), 0);
    for (int i = 0; i < PARTIES - 1; i++)
        assert_int_equal(wait_for_child(child[i]), 0);
}

/* One party has joined, and is killed while the others sleep. */
static void check_death(void)
{
    int victim, child;
    fw_ipc_death death;

    victim = start(join_only, NULL);
    await_said(1);
    child = start_coming(1);
    await_waiters(&fixture, b, 1);
    kill_and_wait(victim);
    assert_int_equal(fw_ipc_barrier_death(b, &death), 0);
    assert_int_equal(death.process, victim);
    assert_int_equal(wait_for(1), EOWNERDEAD);
    assert_int_equal(wait_for_child(child), EOWNERDEAD);
}

TEST(fails_for_all)
{
    int child[PARTIES - 1];
    uint64_t token = b->round_;

    check_death();
    assert_int_equal(wait_for(1), EOWNERDEAD);
    assert_int_equal(fw_ipc_barrier_join(b), EOWNERDEAD);
    assert_int_equal(fw_ipc_barrier_reset(b), 0);
    assert_int_equal(fw_ipc_barrier_reset(b), 0);
    assert_int_equal(fw_ipc_barrier_round(b), 1);
    assert_int_equal(fw_ipc_barrier_await(b, token), EOWNERDEAD); /* it has slept through that */
    for (int i = 0; i < PARTIES - 1; i++)
        child[i] = start_coming(5);
    assert_int_equal(wait_for(5), 0);
    for (int i = 0; i < PARTIES - 1; i++)
        assert_int_equal(wait_for_child(child[i]), 0);
}

/* A thread that finds no slot because others died makes that known. */
TEST(newcomers_notice_a_death)
{
    int victim[PARTIES];

    for (int i = 0; i < PARTIES; i++) {
        say(0);
        victim[i] = start(join_only, NULL);
        await_said(1);
    }
    assert_int_equal(fw_ipc_barrier_join(b), EBUSY);
    assert_int_equal(wait_for(1), EBUSY);
    kill_and_wait(victim[1]);
    assert_int_equal(wait_for(1), EOWNERDEAD);
    for (int i = 0; i < PARTIES; i += 2)
        kill_and_wait(victim[i]);
}

/* However late one looks: the round that it arrived in had ended before the next one failed. */
TEST(all_have_the_same_answer)
{
    int child[PARTIES - 1];
    uint64_t token;

    for (int i = 0; i < PARTIES - 1; i++)
        child[i] = start_coming(2);
    assert_int_equal(fw_ipc_barrier_arrive(b, &token), 0);
    while (fw_ipc_barrier_round(b) == round_of(token))
        sched_yield();
    await_waiters(&fixture, b, PARTIES - 1);
    kill_and_wait(child[0]); /* has arrived; the next one has not */
    fw_store64_release(&b->round_, b->round_ | BARRIER_FAILED);
    assert_int_equal(wait_for_child(child[1]), EOWNERDEAD);
    assert_int_equal(fw_ipc_barrier_await(b, token), 0);
    assert_int_equal(fw_ipc_barrier_reset(b), 0);
    for (unsigned resets = 1; resets < FW_IPC_BARRIER_RESETS; resets++) {
        assert_int_equal(fw_ipc_barrier_await(b, token), 0);
        assert_int_equal(fw_ipc_barrier_await(b, token + 1), EOWNERDEAD); /* the next one failed */
        b->round_ = (b->round_ + resets % 3) | BARRIER_FAILED;
        assert_int_equal(fw_ipc_barrier_reset(b), 0);
    }
    assert_int_equal(fw_ipc_barrier_await(b, token), EOWNERDEAD); /* nobody knows any more */
}

/* Who was to reset it died half way. */
TEST(resets_what_the_dead_left)
{
    uint64_t w = b->round_ | BARRIER_FAILED;

    b->round_ = w;
    b->history_ = past_after(b->history_, w);
    assert_int_equal(fw_ipc_barrier_reset(b), 0);
    assert_int_equal(b->round_, one_epoch_later(w));
    assert_int_equal(epoch_of(b->history_), epoch_of(b->round_));
    b->round_ |= BARRIER_FAILED;
    w = b->round_;
    b->history_ ^= UINT64_C(1) << 63; /* written over */
    assert_int_equal(fw_ipc_barrier_reset(b), EUCLEAN);
    assert_int_equal(b->round_, w);
}

UNIT_MAIN(make, fixture_end)
