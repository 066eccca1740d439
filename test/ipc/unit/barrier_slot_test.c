/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "ipc/barrier_slot.h"
#include "ipc/barrier_word.h"
#include "victim.h"

/* src/ipc/barrier_slot.c: which thread has which slot, in which epoch. */

static fw_ipc_barrier *b;
static struct fw_ipc_barrier_call_ v;
static struct fw_ipc_me_ other; /* a child that lives */
static int child;

enum { PARTIES = 2 };

static void be_a_member(void *arg)
{
    struct fw_ipc_me_ me;

    (void)arg;
    fw_ipc_enter_(b, &me);
    say(me.id);
    pause();
}

static void make_for(fw_ipc_barrier_mode mode)
{
    fixture = fixture_make(8);
    b = fixture_object(&fixture, 0);
    said = fixture_object(&fixture, 1);
    assert_int_equal(fw_ipc_barrier_init(b, PARTIES, mode), 0);
    assert_int_equal(fw_ipc_enter_(b, &v.me), 0);
    assert_int_equal(fw_ipc_barrier_check_(&v, fixture.mapping, b), 0);
    child = start(be_a_member, NULL);
    while ((other.id = fw_load64_acquire(said)) == 0)
        sched_yield();
}

static int make(void)
{
    need_robust_lists();
    make_for(FW_IPC_BARRIER_FAIL);
    return 0;
}

static void unmake(void)
{
    if (child != 0)
        kill_and_wait(child);
    fixture_end();
}

static uint64_t word_at(uint64_t epoch, uint64_t round)
{
    return epoch << BARRIER_EPOCH_SHIFT | round;
}

TEST(words_say_what_they_mean)
{
    uint64_t last = word_at(BARRIER_EPOCH, BARRIER_ROUND) | BARRIER_CHANGES | FW_IPC_WAITERS;
    uint64_t w = word_at(5, 33), slot = slot_word(other.id, w, 33);

    assert_int_equal(one_round_later(last), word_at(BARRIER_EPOCH, 0) | BARRIER_CHANGES);
    assert_int_equal(one_epoch_later(word_at(3, 21)), word_at(4, 22));
    assert_int_equal(past_after(UINT64_C(3) << 52 | 5, word_at(3, 20)), UINT64_C(4) << 52 | 11);
    assert_int_equal(past_after(UINT64_MAX, last), UINT64_C(0xffffffffffffe)); /* epoch 0 */
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
    assert_int_equal(slot & FW_IPC_HOLDER, other.id);
    assert_true(has_arrived(slot, w) && !has_arrived(slot, word_at(5, 34)));
    assert_true(!is_vacant(slot, w) && is_vacant(slot, word_at(6, 33)) && is_vacant(0, w));
    assert_true(is_left(slot_word(FW_IPC_ABANDONED, w, 0)) && !is_left(slot));
}

TEST(joins_once)
{
    uint64_t w, *slot, *again;

    b->round_ = word_at(3, 20);
    assert_null(fw_ipc_barrier_own_(&v, b->round_));
    assert_int_equal(fw_ipc_barrier_join_(&v, &w, &slot), 0);
    assert_int_equal(w, one_change_later(word_at(3, 20))); /* others may have looked already */
    assert_int_equal(*slot, slot_word(v.me.id, w, 19));
    assert_int_equal(fw_ipc_barrier_join_(&v, &w, &again), 0);
    assert_ptr_equal(slot, again);
    assert_int_equal(b->round_, w);
    assert_ptr_equal(fw_ipc_barrier_own_(&v, w), slot);
    assert_null(fw_ipc_barrier_own_(&v, word_at(4, 20)));
}

TEST(prefers_what_nobody_had)
{
    uint64_t w, *slot, left = slot_word(FW_IPC_ABANDONED, 0, 0);

    *fw_ipc_barrier_nth_(&v, 0) = left;
    assert_int_equal(fw_ipc_barrier_join_(&v, &w, &slot), 0);
    assert_ptr_equal(slot, fw_ipc_barrier_nth_(&v, 1));
    *slot = left;
    assert_int_equal(fw_ipc_barrier_join_(&v, &w, &slot), 0);
    assert_ptr_equal(slot, fw_ipc_barrier_nth_(&v, 0));
}

TEST(a_failed_one_is_not_joined)
{
    uint64_t w, *slot;

    b->round_ = BARRIER_FAILED;
    assert_int_equal(fw_ipc_barrier_join_(&v, &w, &slot), EOWNERDEAD);
}

/* The slots of the dead are free if the barrier goes on. */
static void take_the_slot_of_the_dead(void)
{
    uint64_t w, *slot;

    for (uint32_t i = 0; i < PARTIES; i++)
        v.slots[i] = slot_word(other.id, 0, 0);
    assert_int_equal(fw_ipc_barrier_join_(&v, &w, &slot), EBUSY);
    kill_and_wait(child);
    child = 0;
    assert_int_equal(fw_ipc_barrier_join_(&v, &w, &slot), v.goes_on ? 0 : EBUSY);
}

TEST(takes_the_slot_of_the_dead)
{
    take_the_slot_of_the_dead();
    unmake();
    make_for(FW_IPC_BARRIER_GO_ON);
    take_the_slot_of_the_dead();
}

UNIT_MAIN(make, unmake)
