/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/ipc/barrier.h>

#include "ipc/barrier_word.h"
#include "victim.h"

/*
 * src/ipc/barrier.c and src/ipc/barrier_slot.c, with the real kernel: errors, who died, and what is
 * answered late.  Deaths at each step: ipc_kill_barrier, and fw-model (ipc-barrier).
 */

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

static uint64_t word_at(uint64_t epoch, uint64_t round)
{
    return epoch << BARRIER_EPOCH_SHIFT | round;
}

TEST(words_say_what_they_mean)
{
    uint64_t last = word_at(BARRIER_EPOCH, BARRIER_ROUND) | BARRIER_CHANGES | FW_IPC_WAITERS;
    const uint64_t w = word_at(5, 33), id = UINT64_C(3) << 32 | 2;
    uint64_t slot = slot_word(id, w, 33);

    assert_int_equal(one_round_later(last), word_at(BARRIER_EPOCH, 0) | BARRIER_CHANGES);
    assert_int_equal(one_epoch_later(word_at(3, 21)), word_at(4, 22));
    assert_int_equal(history_after(UINT64_C(3) << 52 | 5, word_at(3, 20)), UINT64_C(4) << 52 | 11);
    assert_int_equal(history_after(UINT64_MAX, last), UINT64_C(0xffffffffffffe)); /* epoch 0 */
    assert_true(has_ended_before_reset(UINT64_C(4) << 52, word_at(3, 20)));
    assert_false(has_ended_before_reset(UINT64_C(4) << 52, word_at(3, 21)));
    assert_true(has_ended_before_reset(UINT64_C(6) << 52 | 4, word_at(3, 21)));
    assert_false(has_ended_before_reset(UINT64_C(6) << 52 | 4, word_at(4, 21)));
    assert_false(has_ended_before_reset(UINT64_C(56) << 52, word_at(3, 20))); /* not known */
    assert_int_equal(claim_of(last), word_at(BARRIER_EPOCH, BARRIER_ROUND) | BARRIER_CLAIMED);
    assert_true(is_later_claim(claim_of(word_at(2, 1)), word_at(BARRIER_EPOCH, 7)));
    assert_false(is_later_claim(claim_of(word_at(BARRIER_EPOCH, 7)), word_at(2, 1)));
    assert_false(is_later_claim(claim_of(w), w) || is_later_claim(0, word_at(BARRIER_EPOCH, 7)));
    assert_int_equal(one_change_later(last), last & ~BARRIER_CHANGES);
    assert_int_equal(one_epoch_later(last | BARRIER_FAILED), BARRIER_CHANGES);
    assert_true(has_failed(last | BARRIER_FAILED) && !has_failed(last));
    assert_true(is_same_round(w, w) && !is_same_round(w | BARRIER_FAILED, w));
    assert_true(!is_same_round(w, word_at(5, 34)) && !is_same_round(w, word_at(6, 33)));
    assert_int_equal(slot & FW_IPC_HOLDER, id);
    assert_true(has_arrived(slot, w) && !has_arrived(slot, word_at(5, 34)));
    assert_true(!is_vacant(slot, w) && is_vacant(slot, word_at(6, 33)) && is_vacant(0, w));
    assert_true(is_left(slot_word(FW_IPC_ABANDONED, w, 0)) && !is_left(slot));
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

/* A thread that comes, or joins, makes the death known. */
TEST(tells_who_died)
{
    int victim = start(join_only, NULL);
    fw_ipc_death death;

    await_said(1);
    kill_and_wait(victim);
    assert_int_equal(wait_for(1), EOWNERDEAD);
    assert_int_equal(fw_ipc_barrier_death(b, &death), 0);
    assert_int_equal(death.process, victim);
    assert_int_equal(fw_ipc_barrier_join(b), EOWNERDEAD);
}

TEST(a_party_prefers_what_nobody_had)
{
    uint64_t left = slot_word(FW_IPC_ABANDONED, 0, 0);

    for (int i = 0; i < PARTIES; i++) {
        for (int k = 0; k < PARTIES; k++)
            barrier_slots(b)[k] = k == i ? 0 : left;
        assert_int_equal(fw_ipc_barrier_join(b), 0);
        assert_int_not_equal(barrier_slots(b)[i], 0);
    }
}

/* The slots of the dead are free if the barrier goes on. */
TEST(a_party_takes_the_slot_of_the_dead)
{
    for (int mode = FW_IPC_BARRIER_FAIL; mode <= FW_IPC_BARRIER_GO_ON; mode++) {
        uint64_t taken;
        int victim;

        b = fixture_object(&fixture, 2 + (unsigned)mode);
        assert_int_equal(fw_ipc_barrier_init(b, PARTIES, (fw_ipc_barrier_mode)mode), 0);
        say(0);
        victim = start(join_only, NULL);
        await_said(1);
        taken = barrier_slots(b)[0] | barrier_slots(b)[1] | barrier_slots(b)[2]; /* one of them */
        for (int i = 0; i < PARTIES; i++)
            barrier_slots(b)[i] = taken;
        assert_int_equal(fw_ipc_barrier_join(b), EBUSY);
        kill_and_wait(victim);
        assert_int_equal(fw_ipc_barrier_join(b), mode == FW_IPC_BARRIER_GO_ON ? 0 : EOWNERDEAD);
    }
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
    b->history_ = history_after(b->history_, w);
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
