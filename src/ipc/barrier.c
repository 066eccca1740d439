/* SPDX-License-Identifier: MIT */
/*
 * fw_ipc_barrier.  Contract: furwock/ipc/barrier.h.  Bits: barrier_word.h.  Reasons:
 * doc/design/ipc-sync.md.
 *
 * Origin: the rounds of fw_barrier; that a barrier fails for all when a party is lost is Java's
 * CyclicBarrier and Python's.  New is that it finds out by itself, and that it can do without.
 *
 * A party slot, in the epoch of the barrier:
 *
 * word                    meaning                       left by
 * ----------------------  ----------------------------  -----------------------------------------
 * 0, or of another epoch  vacant: a round waits for it  a newcomer: -> its id, round before
 * a living id, round - 1  a party, not arrived          that thread: -> the same, round; -> left
 * a living id, round      a party that has arrived      the round ends; that thread, if it times
 *                                                       out: -> the same, round - 1
 * a dead id               a party that died             going on: a newcomer: -> its id
 * left                    given back                    a newcomer, if none is vacant: -> its id
 *
 * round_
 *
 * word                    meaning                       left by
 * ----------------------  ----------------------------  -----------------------------------------
 * r                       round r                       a thread about to sleep: -> r, WAITERS
 *                                                       one that finds IBAR2: -> r + 1; IBAR3:
 *                                                       -> r, FAILED; both wake all
 * r, FAILED               a party died                  a reset, once history_ is of the next
 *                                                       epoch: -> r + 1, next epoch
 *
 * made_: 0, or MADE with mode and number of slots; written once, and checked against the region by
 * each call before it is used.
 * history_: of the present epoch; or of the next one, if the present one failed and is being reset.
 * serial_: by epoch, the round that has a serial thread: -> a later one (IBAR8).
 * spin_: does spinning pay (adaptive_spin.h)?  Whatever is in it does no harm.
 *
 * IBAR1  Whether a thread is a party and has arrived is in the slots and nowhere else, and the slot
 *        of a living thread is written by that thread only.
 * IBAR2  A round ends by one compare-and-swap, of the word that was loaded before the slots were
 *        read and none of them was vacant, living and not arrived, or (if the barrier fails) dead
 *        and not arrived.
 * IBAR3  It fails in the same way, if a slot is dead and not arrived.
 * IBAR4  If a slot begins to be waited for (a newcomer, a time-out), round_ is changed before that
 *        call goes on: so IBAR2 does not end a round over such a slot.  If it ceases to be, no
 *        change is needed.  A thread that dies between the slot and the change leaves a slot that
 *        has changed, which threads about to sleep compare.
 * IBAR5  A death is for good (SLOT1), so all can find it, now or later.  A thread that dies before
 *        IBAR2 or IBAR3 is done leaves the rest to the sleepers: they watch the lives of all
 *        parties that have not arrived (wait.h), and do not sleep if there is none.  A thread that
 *        becomes such a party while others sleep (a newcomer, a time-out) wakes one of them, which
 *        watches that life as well; until then, and from IBAR2 or IBAR3 until the wake, it owes
 *        them that wake.
 * IBAR6  All that arrived in a round get the same result, however late they look: the round with
 *        which each epoch began is kept in history_, for as many epochs as it has bits.
 * IBAR7  history_ goes to the next epoch before round_ does, and says of it what the failed round
 *        says: so it does not matter which thread takes it there, nor which dies between the two.
 * IBAR8  Of the threads that wait for a round and see that it has ended, the first to claim it in
 *        serial_ is its serial thread.  No other round of that epoch can have been claimed since it
 *        ended: the next one does not end without those that have not looked yet.
 *
 * Legal:   WAITERS set when nobody sleeps.
 * Illegal: to sleep with an expected value in which it is not set.
 */
#include <errno.h>
#include <limits.h>

#include "core/adaptive_spin.h"
#include "ipc/announce.h"
#include "ipc/barrier_slot.h"
#include "ipc/barrier_word.h"
#include "ipc/wait.h"

_Static_assert(sizeof(fw_ipc_barrier) == 64, "the slots begin on a cache line");

typedef struct fw_ipc_barrier_call_ call;

/* What try_end returns, besides errors: the caller has ended the round. */
enum { ENDED_HERE = -1 };

enum decision { ROUND_GOES, ROUND_ENDS, ROUND_FAILS, ROUND_CORRUPT };

size_t fw_ipc_barrier_size(uint32_t parties)
{
    return barrier_bytes(parties);
}

int fw_ipc_barrier_init(fw_ipc_barrier *b, uint32_t parties, fw_ipc_barrier_mode mode)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(b);
    uint64_t made = 0, wanted;

    if (mapping == NULL || (uintptr_t)b % sizeof b->made_ != 0 ||
        fw_ipc_barrier_size(parties) == 0 ||
        (mode != FW_IPC_BARRIER_FAIL && mode != FW_IPC_BARRIER_GO_ON))
        return EINVAL;
    if (!fw_ipc_barrier_fits_(mapping, b, fw_ipc_barrier_size(parties)))
        return ENOSPC;
    wanted = made_of(parties, mode);
    /* not made -> made */
    return fw_cas64_relaxed(&b->made_, &made, wanted) || made == wanted ? 0 : EEXIST;
}

static int begin(call *v, const fw_ipc_barrier *b)
{
    int error = fw_ipc_enter_(b, &v->me);

    return error == 0 ? fw_ipc_barrier_check_(v, v->me.mapping, b) : error;
}

/* --- Rounds ----------------------------------------------------------------------------------- */

/* What becomes of round w (IBAR2, IBAR3)?  Thorough: finds deaths though others are awaited. */
static enum decision decide(const call *v, uint64_t w, struct fw_ipc_wait_ *wait, bool is_thorough)
{
    bool is_awaited = false;

    if (wait != NULL)
        fw_ipc_wait_look_(wait);
    for (uint32_t n = 0; n < v->parties; n++) {
        const uint64_t *at = fw_ipc_barrier_nth_(v, n);
        uint64_t slot = fw_load64_seq_cst(at);
        uint64_t holder = slot & FW_IPC_HOLDER;
        enum fw_ipc_life life = FW_IPC_ALIVE;
        if (!is_vacant(slot, w)) {
            if (is_left(slot) || has_arrived(slot, w))
                continue;
            life = wait != NULL ? fw_ipc_wait_life_of_many_(wait, holder)
                                : fw_ipc_life_(v->me.mapping, holder);
        }
        if (life == FW_IPC_CORRUPT)
            return ROUND_CORRUPT;
        /* F:ipc-barrier-never-fails */
        if (life == FW_IPC_DEAD && !v->goes_on) {
            /* F:ipc-barrier-old-look */
            slot = fw_load64_seq_cst(at); /* it may have arrived since then: IBAR3 */
            if (!is_left(slot) && !has_arrived(slot, w))
                return ROUND_FAILS;
        }
        if (life == FW_IPC_ALIVE && !is_thorough) /* F:ipc-barrier-early */
            return ROUND_GOES;
        is_awaited |= life == FW_IPC_ALIVE; /* F:ipc-barrier-waits-for-dead */
    }
    return is_awaited ? ROUND_GOES : ROUND_ENDS;
}

/*
 * Ends the round of the token, if it is to end.
 *   0            it has ended, or goes on
 *   ENDED_HERE   the caller has ended it
 *   EOWNERDEAD, EUCLEAN
 */
static int try_end(const call *v, uint64_t token, struct fw_ipc_wait_ *wait, bool is_thorough)
{
    for (;;) {
        uint64_t w = fw_load64_acquire(&v->b->round_), next;
        enum decision decision;
        if (!is_same_round(w, token))
            return 0;
        decision = decide(v, w, wait, is_thorough);
        if (decision == ROUND_GOES)
            return 0;
        if (decision == ROUND_CORRUPT)
            return EUCLEAN;
        /* r -> r + 1, or r -> r, FAILED */
        next = decision == ROUND_ENDS ? one_round_later(w) : w | BARRIER_FAILED;
        if (fw_ipc_barrier_end_round_(v, w, next))
            return decision == ROUND_ENDS ? ENDED_HERE : EOWNERDEAD;
    }
}

/* By the present word w: EBUSY: the token's round goes on; 0; EOWNERDEAD: it failed (IBAR6). */
static int outcome(const call *v, uint64_t w, uint64_t token)
{
    /* another epoch: the history is of that one, or of a later one (IBAR7) */
    if (epoch_of(w) != epoch_of(token))
        return has_ended_before_reset(fw_load64_acquire(&v->b->history_), token) ? 0 : EOWNERDEAD;
    if (round_of(w) != round_of(token))
        return 0;
    return has_failed(w) ? EOWNERDEAD : EBUSY;
}

/* As fw_ipc_barrier_join_.  If no slot is free because a party died, the barrier fails now. */
static int take_part(const call *v, uint64_t *w, uint64_t **at)
{
    int error = fw_ipc_barrier_join_(v, w, at);

    if (error != EBUSY)
        return error;
    error = try_end(v, *w, NULL, true);
    return error > 0 ? error : EBUSY;
}

/* Arrives.  *token is the word of the round; as try_end, and EDEADLK and the errors of joining. */
static int arrive(const call *v, uint64_t *token)
{
    uint64_t *at, slot;

    for (;;) {
        int error = take_part(v, token, &at);
        if (error != 0)
            return error;
        slot = fw_load64_relaxed(at);
        if ((slot & FW_IPC_HOLDER) != v->me.id || is_vacant(slot, *token))
            continue; /* reset: it may be another's by now (IBAR1)  F:ipc-barrier-robs */
        if (has_arrived(slot, *token))
            return EDEADLK;
        /* not arrived -> arrived; then reads the others: of the last two, one sees both */
        if (fw_cas64_seq_cst(at, &slot, slot_word(v->me.id, *token, round_of(*token))))
            break;
    }
    return try_end(v, *token, NULL, false);
}

/* The caller timed out: arrived -> not arrived, unless the round has ended. */
static int withdraw(const call *v, uint64_t token)
{
    uint64_t *at = fw_ipc_barrier_own_(v, token);
    uint64_t slot = slot_word(v->me.id, token, round_of(token)), w;
    struct fw_robust_ debt;
    int error;

    fw_ipc_debt_begin_(&debt, v->me.mapping); /* IBAR5 */

    if (at == NULL ||
        !fw_cas64_acq_rel(at, &slot, slot_word(v->me.id, token, round_of(token) - 1))) {
        /* the slot is another's: reset */
        fw_ipc_debt_end_(&debt);
        error = outcome(v, fw_load64_acquire(&v->b->round_), token);
        return error == EBUSY ? EUCLEAN : error;
    }
    w = fw_ipc_barrier_change_(v); /* IBAR4  F:ipc-barrier-quiet-withdraw */
    fw_ipc_barrier_wake_one_(v, w);
    fw_ipc_debt_end_(&debt);
    error = outcome(v, w, token);
    return error == EBUSY ? ETIMEDOUT : error;
}

/* r -> r, WAITERS, then sleeps.  0: look again; ETIMEDOUT. */
static int sleep_once(const call *v, uint64_t w, struct fw_ipc_wait_ *wait)
{
    if (fw_wait_blocks_(&wait->spin) && !has_sleepers(w)) { /* F:ipc-barrier-unannounced */
        if (!fw_cas64_relaxed(&v->b->round_, &w, w | FW_IPC_WAITERS))
            return 0;
        w |= FW_IPC_WAITERS;
    }
    fw_ipc_barrier_watch_(v, w, wait); /* F:ipc-barrier-unwatched */
    return fw_ipc_wait_sleep_(wait, fw_ipc_half_(&v->b->round_), (uint32_t)w);
}

/* Waits for the end of the token's round.  0 or ENDED_HERE: it has ended; or an error. */
static int await_slow_(const call *v, uint64_t token, struct fw_ipc_wait_ *wait,
                       const fw_wait_policy *policy)
{
    bool learns = fw_adaptive_spin_begin_(&v->b->spin_, &wait->spin, policy);
    int error = EBUSY;

    while (error == EBUSY && fw_ipc_wait_spin_(wait))
        error = outcome(v, fw_load64_acquire(&v->b->round_), token);
    if (learns)
        fw_adaptive_spin_end_(&v->b->spin_, error == 0);
    while (error == EBUSY) {
        uint64_t w = fw_load64_acquire(&v->b->round_);
        error = outcome(v, w, token);
        if (error != EBUSY)
            break;
        if (sleep_once(v, w, wait) == ETIMEDOUT)
            return withdraw(v, token);
        if (!is_same_round(fw_load64_acquire(&v->b->round_), token))
            continue;
        error = try_end(v, token, wait, true);
        error = error == 0 ? EBUSY : error;
    }
    return error;
}

/* The token's round has ended, and the caller waited for it: SERIAL or 0 (IBAR8). */
static int claim_serial(const call *v, uint64_t token)
{
    uint64_t *at = &v->b->serial_[epoch_of(token) % FW_IPC_BARRIER_SERIALS];
    uint64_t claim = fw_load64_relaxed(at);

    while (claim != claim_of(token) && !is_later_claim(claim, token))
        /* F:ipc-barrier-serial-torn */
        if (fw_cas64_relaxed(at, &claim, claim_of(token))) /* an earlier round -> this one */
            return FW_IPC_BARRIER_SERIAL;
    return 0;
}

/* --- Calls ------------------------------------------------------------------------------------ */

int fw_ipc_barrier_join(fw_ipc_barrier *b)
{
    uint64_t w, *slot;
    call v;
    int error = begin(&v, b);

    return error == 0 ? take_part(&v, &w, &slot) : error;
}

int fw_ipc_barrier_wait_policy(fw_ipc_barrier *b, const fw_wait_policy *policy,
                               const fw_deadline *deadline)
{
    struct fw_ipc_wait_ wait;
    uint64_t token;
    call v;
    int error = begin(&v, b);

    if (error == 0)
        error = fw_ipc_wait_begin_(&wait, &v.me, b, FW_IPC_WAITS_ELSE, policy, deadline);
    if (error != 0)
        return error;
    error = arrive(&v, &token);
    if (error == 0)
        error = await_slow_(&v, token, &wait, policy);
    fw_ipc_wait_end_(&wait);
    /* F:ipc-barrier-serial-ender */
    return error <= 0 ? claim_serial(&v, token) : fw_ipc_wait_result_(&wait, error);
}

int fw_ipc_barrier_wait(fw_ipc_barrier *b)
{
    return fw_ipc_barrier_wait_policy(b, NULL, NULL);
}

int fw_ipc_barrier_timedwait(fw_ipc_barrier *b, const fw_deadline *deadline)
{
    return fw_ipc_barrier_wait_policy(b, NULL, deadline);
}

int fw_ipc_barrier_arrive(fw_ipc_barrier *b, uint64_t *token)
{
    call v;
    int error = begin(&v, b);

    if (error == 0)
        error = arrive(&v, token);
    return error == ENDED_HERE ? 0 : error;
}

int fw_ipc_barrier_await(fw_ipc_barrier *b, uint64_t token)
{
    struct fw_ipc_wait_ wait;
    call v;
    int error = begin(&v, b);

    if (error == 0)
        error = fw_ipc_wait_begin_(&wait, &v.me, b, FW_IPC_WAITS_ELSE, NULL, NULL);
    if (error != 0)
        return error;
    error = await_slow_(&v, token, &wait, NULL);
    fw_ipc_wait_end_(&wait);
    return error == ENDED_HERE ? 0 : error; /* F:ipc-barrier-serial-await */
}

int fw_ipc_barrier_leave(fw_ipc_barrier *b)
{
    uint64_t w, *at, slot;
    call v;
    int error = begin(&v, b);

    if (error != 0)
        return error;
    w = fw_load64_acquire(&v.b->round_);
    at = fw_ipc_barrier_own_(&v, w);
    if (at == NULL)
        return EPERM;
    slot = fw_load64_relaxed(at);
    /* party -> left; if that fails, a reset has made the slot another's */
    if ((slot & FW_IPC_HOLDER) != v.me.id ||
        !fw_cas64_seq_cst(at, &slot, slot_word(FW_IPC_ABANDONED, w, 0)))
        return 0;
    /* F:ipc-barrier-quiet-leave */
    error = try_end(&v, fw_load64_relaxed(&v.b->round_), NULL, false);
    return error == EUCLEAN ? EUCLEAN : 0;
}

int fw_ipc_barrier_reset(fw_ipc_barrier *b)
{
    call v;
    int error = begin(&v, b);

    while (error == 0) {
        uint64_t w = fw_load64_acquire(&v.b->round_);
        uint64_t history = fw_load64_acquire(&v.b->history_);
        if (!has_failed(w))
            return 0;
        if (fw_load64_relaxed(&v.b->round_) != w)
            continue; /* the history may be a later one */
        if (epoch_of(history) == epoch_of(w)) {
            /* the history of this epoch -> of the next one (IBAR7) */
            fw_cas64_acq_rel(&v.b->history_, &history,
                             history_after(history, w)); /* F:ipc-barrier-torn-history */
            continue;
        }
        if (resets_since(history, w) != 0)
            return EUCLEAN;
        /* r, FAILED -> r + 1, in the next epoch: all slots are vacant */
        if (fw_cas64_acq_rel(&v.b->round_, &w, one_epoch_later(w)))
            return 0;
    }
    return error;
}

uint32_t fw_ipc_barrier_round(const fw_ipc_barrier *b)
{
    return round_of(fw_load64_acquire(&b->round_));
}
