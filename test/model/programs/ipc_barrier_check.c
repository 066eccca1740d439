/* SPDX-License-Identifier: MIT */
#include "ipc_barrier_check.h"

#include <errno.h>

#include "ipc/barrier_word.h"
#include "ipc_region.h"

/*
 * Rounds have one number over all epochs.  By round, a bit each: ENDED, FAILED; WAITED, somebody
 * waited to its end; SERIAL, and is the serial one; LOST, one that arrived was killed over it.  By
 * thread, a bit: NEWS, its word waits, and it has not changed the round's word since.  ROUNDS:
 * eight bits for each epoch, the round in which it is or ended.  ARRIVED: by thread, the round in
 * which it arrived, + 1, also where it has withdrawn since then.
 */
enum shadow { ENDED, FAILED, WAITED, SERIAL, LOST, NEWS, SPOILED, ROUNDS, ARRIVED };

#define EPOCHS 8u

static fw_ipc_barrier *b;
static uint32_t parties;
static bool is_to_fail;

static bool has(enum shadow which, uint64_t n)
{
    return (*shadow(which) >> n & 1) != 0;
}

static void set(enum shadow which, uint64_t n)
{
    *shadow(which) |= UINT64_C(1) << n;
}

static void clear(enum shadow which, uint64_t n)
{
    *shadow(which) &= ~(UINT64_C(1) << n);
}

static uint64_t *arrived(unsigned thread)
{
    return shadow(ARRIVED + thread);
}

static uint64_t round_of_epoch(uint64_t epoch)
{
    return *shadow(ROUNDS) >> 8 * (epoch % EPOCHS) & 0xff;
}

static void note_round(uint64_t w)
{
    unsigned shift = 8 * (unsigned)(epoch_of(w) % EPOCHS);

    *shadow(ROUNDS) = (*shadow(ROUNDS) & ~(UINT64_C(0xff) << shift)) | (uint64_t)round_of(w)
                                                                           << shift;
}

void barrier_check_begin(fw_ipc_barrier *barrier, uint32_t count, bool fails)
{
    b = barrier;
    parties = count;
    is_to_fail = fails;
}

void barrier_check_spoil(void)
{
    ++*shadow(SPOILED);
}

/* --- Words ------------------------------------------------------------------------------------ */

/* Does it say that it has arrived in that round? */
static bool is_round(uint64_t party, uint64_t round)
{
    return (party >> SLOT_ROUND_SHIFT & SLOT_ROUND) == (round & SLOT_ROUND);
}

static void check_party(unsigned thread, uint64_t before, uint64_t now)
{
    unsigned owner = region_thread_of(before);
    bool is_own = (now & FW_IPC_HOLDER) == region_id_of(thread);
    uint64_t epoch = now >> SLOT_EPOCH_SHIFT & BARRIER_EPOCH;
    uint64_t come = *arrived(thread);

    if (owner < MODEL_MAX_THREADS && owner != thread && !is_vacant(before, b->round_))
        model_fail("word", "thread %llu changes the slot of thread %llu", thread, owner);
    clear(NEWS, thread);
    if (!is_own)
        *arrived(thread) = 0;
    else if (is_round(now, round_of_epoch(epoch)))
        *arrived(thread) = round_of_epoch(epoch) + 1;
    else if (come == 0 || (!has(ENDED, come - 1) && !has(FAILED, come - 1)))
        set(NEWS, thread);
}

/* Of the round w: who has not arrived, and the round's word was told. */
struct missing {
    bool alive, dead;
    bool any_dead; /* whether it was or not */
};

static struct missing look_at_parties(uint64_t w)
{
    struct missing m = {false, false, false};

    for (uint32_t i = 0; i < parties; i++) {
        uint64_t party = barrier_slots(b)[i];
        unsigned line = (unsigned)(party & FW_IPC_SLOT) - 1; /* its thread's number, too */
        bool is_dead = region_thread_of(party) >= MODEL_MAX_THREADS;
        if (is_vacant(party, w)) {
            m.alive = true;
        } else if (!is_left(party) && !has_arrived(party, w)) {
            m.any_dead |= is_dead;
            m.dead |= is_dead && !has(NEWS, line);
            m.alive |= !is_dead && !has(NEWS, line);
        }
    }
    return m;
}

static void check_round(unsigned thread, uint64_t before, uint64_t now)
{
    uint64_t flags = FW_IPC_WAITERS | BARRIER_CHANGES;
    struct missing m = look_at_parties(before);

    if ((before & BARRIER_CHANGES) != (now & BARRIER_CHANGES))
        clear(NEWS, thread);
    if ((before & ~flags) == (now & ~flags))
        return;
    if (now == (before | BARRIER_FAILED)) {
        if (*shadow(SPOILED) == 0 && (!m.any_dead || !is_to_fail))
            model_fail("answer", "round %llu fails, and nobody died", round_of(before), 0);
        set(FAILED, round_of(before));
    } else if (now == one_round_later(before) && !has_failed(before)) {
        if (m.alive || (m.dead && is_to_fail))
            model_fail("too early", "thread %llu ends round %llu, and somebody has not come",
                       thread, round_of(before));
        set(ENDED, round_of(before));
    } else if (now != one_epoch_later(before) || !has_failed(before)) {
        model_fail("word", "the round's word is 0x%llx after 0x%llx", now, before);
    }
    note_round(now);
}

void barrier_check_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t at = addr - (uint64_t)(uintptr_t)barrier_slots(b);

    region_changed(thread, addr, before);
    if (at < parties * sizeof(uint64_t))
        check_party(thread, before, barrier_slots(b)[at / sizeof(uint64_t)]);
    else if (addr == (uint64_t)(uintptr_t)&b->round_)
        check_round(thread, before, b->round_);
}

/* --- Answers ---------------------------------------------------------------------------------- */

void barrier_check_comes(unsigned thread)
{
    *arrived(thread) = 0;
}

static void check_error(unsigned thread, int error, uint64_t come)
{
    bool may_fail = is_to_fail && (region_has_deaths() || *shadow(SPOILED) != 0);
    bool has_failed_for_it = come == 0 || (has(FAILED, come - 1) && !has(ENDED, come - 1));

    if (error == EOWNERDEAD && may_fail && has_failed_for_it)
        return;
    if (error == ETIMEDOUT && (come == 0 || !has(ENDED, come - 1)))
        return;
    if (error == EBUSY && come == 0)
        return;
    model_thread_fail("answer", "thread %llu is answered %llu", thread, (uint64_t)error);
}

void barrier_check_told(unsigned thread, int error, enum barrier_call call)
{
    uint64_t come = *arrived(thread);

    clear(NEWS, thread); /* whoever comes back is a party, whatever its call did last */
    if (error <= 0 && call == CALL_ARRIVES)
        return;
    *arrived(thread) = 0;
    if (error > 0) {
        check_error(thread, error, come);
        return;
    }
    if (come == 0 || has(FAILED, come - 1))
        model_thread_fail("answer", "thread %llu is told another end of round %llu", thread,
                          come - 1);
    if (!has(ENDED, come - 1))
        model_thread_fail("too early", "thread %llu goes on, and round %llu has not ended", thread,
                          come - 1);
    if (call == CALL_WAITS)
        set(WAITED, come - 1);
    if (error != FW_IPC_BARRIER_SERIAL)
        return;
    if (call != CALL_WAITS)
        model_thread_fail("serial", "thread %llu does not wait, and is the serial one", thread, 0);
    if (has(SERIAL, come - 1))
        model_thread_fail("serial", "two are the serial one of round %llu", come - 1, 0);
    set(SERIAL, come - 1);
}

void barrier_check_killed(unsigned thread)
{
    if (*arrived(thread) != 0)
        set(LOST, *arrived(thread) - 1);
}

void barrier_check_finished(void)
{
    uint64_t forgotten = *shadow(WAITED) & ~*shadow(SERIAL) & ~*shadow(LOST);

    if (forgotten != 0)
        model_fail("serial", "nobody is the serial one of these rounds: 0x%llx", forgotten, 0);
}
