/* SPDX-License-Identifier: MIT */
/*
 * The party slots of fw_ipc_barrier: how a thread takes one, and what a death there means.  States
 * and invariants: barrier.c, which calls this file; nothing here calls barrier.c.
 *
 * A newcomer
 *   1  loads the round, and takes a slot: not arrived, in that epoch
 *   2  changes the word of the round (IBAR4)
 *   3  goes on with the round that it finds there, which cannot end without it; and wakes one
 *      sleeper, which watches its life from now on (IBAR5)
 * A thread that dies before 2 has taken a slot all the same, and is a party that died.  Between 1
 * and 2 a round may end without the newcomer, if its end was decided before: the newcomer is then
 * in the next.  A reset between 1 and 3 makes the slot vacant again, and the newcomer starts over.
 *
 * To a newcomer that is late, the slots of later epochs look vacant.  So it takes only what it read
 * before it saw that its epoch was still the present one: that is vacant in later ones, too.
 */
#include "ipc/barrier_slot.h"

#include <errno.h>
#include <limits.h>

#include "ipc/announce.h"
#include "ipc/barrier_word.h"
#include "ipc/wait.h"

bool fw_ipc_barrier_fits_(const struct fw_ipc_mapping_ *mapping, const fw_ipc_barrier *b,
                          size_t size)
{
    return size != 0 && fw_ipc_address_(mapping, fw_ipc_offset_(mapping, b), size) != NULL;
}

int fw_ipc_barrier_check_(struct fw_ipc_barrier_call_ *v, const struct fw_ipc_mapping_ *mapping,
                          const fw_ipc_barrier *b)
{
    uint64_t made = fw_load64_relaxed(&b->made_);

    if ((uintptr_t)b % sizeof b->made_ != 0 || made == 0)
        return EINVAL;
    if (parties_of(made) > FW_IPC_BARRIER_MAX ||
        !fw_ipc_barrier_fits_(mapping, b, barrier_bytes((uint32_t)parties_of(made))))
        return EUCLEAN;
    v->b = (fw_ipc_barrier *)(uintptr_t)b;
    v->slots = barrier_slots(b);
    v->parties = (uint32_t)parties_of(made);
    v->goes_on = goes_on(made);
    return 0;
}

static bool is_own(const struct fw_ipc_barrier_call_ *v, uint64_t slot, uint64_t w)
{
    return (slot & FW_IPC_HOLDER) == v->me.id && !is_vacant(slot, w);
}

uint64_t *fw_ipc_barrier_own_(const struct fw_ipc_barrier_call_ *v, uint64_t w)
{
    for (uint32_t n = 0; n < v->parties; n++)
        if (is_own(v, fw_load64_relaxed(fw_ipc_barrier_nth_(v, n)), w))
            return fw_ipc_barrier_nth_(v, n);
    return NULL;
}

/* May a newcomer have it, if none is vacant? */
static bool is_given_up(const struct fw_ipc_barrier_call_ *v, uint64_t slot)
{
    return is_left(slot) ||
           (v->goes_on && fw_ipc_life_(v->me.mapping, slot & FW_IPC_HOLDER) == FW_IPC_DEAD);
}

static bool may_take(const struct fw_ipc_barrier_call_ *v, uint64_t slot, uint64_t w, bool any)
{
    return is_vacant(slot, w) || (any && is_given_up(v, slot));
}

static bool is_present(const struct fw_ipc_barrier_call_ *v, uint64_t w)
{
    return epoch_of(fw_load64_acquire(&v->b->round_)) == epoch_of(w);
}

/* NULL: all are taken, or there was a reset. */
static uint64_t *take_slot(const struct fw_ipc_barrier_call_ *v, uint64_t w, bool any)
{
    uint64_t mine = slot_word(v->me.id, w, round_of(w) - 1);

    for (uint32_t n = 0; n < v->parties; n++) {
        uint64_t *at = fw_ipc_barrier_nth_(v, n);
        uint64_t slot = fw_load64_acquire(at);
        if (!may_take(v, slot, w, any))
            continue;
        if (!is_present(v, w)) /* F:ipc-barrier-old-slot */
            return NULL;
        /* vacant, left or dead -> the caller's, not arrived */
        if (fw_cas64_acq_rel(at, &slot, mine))
            return at;
    }
    return NULL;
}

uint64_t fw_ipc_barrier_change_(const struct fw_ipc_barrier_call_ *v)
{
    uint64_t w = fw_load64_relaxed(&v->b->round_);

    while (!fw_cas64_acq_rel(&v->b->round_, &w, one_change_later(w)))
        ;
    return one_change_later(w);
}

/*
 * A new slot, taken when the word was `before`, in the round w.  Rounds may have gone by, and the
 * slot looks as if it had arrived in this one.  False: it is the caller's no longer.
 */
static bool catch_up(const struct fw_ipc_barrier_call_ *v, uint64_t *at, uint64_t before,
                     uint64_t w)
{
    uint64_t slot = slot_word(v->me.id, before, round_of(before) - 1);

    if (is_vacant(slot, w))
        return false;
    /* -> not arrived in round w */
    return fw_cas64_acq_rel(at, &slot, slot_word(v->me.id, w, round_of(w) - 1));
}

void fw_ipc_barrier_wake_one_(const struct fw_ipc_barrier_call_ *v, uint64_t w)
{
    if (has_sleepers(w))
        fw_ipc_wake_(fw_ipc_half_(&v->b->round_), 1);
}

/* For a newcomer that has read the word `before`.  EAGAIN: start over. */
static int enter(const struct fw_ipc_barrier_call_ *v, uint64_t before, uint64_t *w,
                 uint64_t **slot)
{
    *slot = take_slot(v, before, false);
    if (*slot == NULL)
        *slot = take_slot(v, before, true);
    if (*slot == NULL)
        return is_present(v, before) ? EBUSY : EAGAIN;
    *w = fw_ipc_barrier_change_(v); /* F:ipc-barrier-quiet-newcomer */
    if (has_failed(*w))
        return EOWNERDEAD;
    if (!catch_up(v, *slot, before, *w))
        return EAGAIN;
    fw_ipc_barrier_wake_one_(v, *w); /* F:ipc-barrier-unwatched-newcomer */
    return 0;
}

int fw_ipc_barrier_join_(const struct fw_ipc_barrier_call_ *v, uint64_t *w, uint64_t **slot)
{
    struct fw_robust_ debt;
    int error = EAGAIN;

    while (error == EAGAIN) {
        uint64_t before = fw_load64_acquire(&v->b->round_);
        *w = before;
        if (has_failed(before))
            return EOWNERDEAD;
        *slot = fw_ipc_barrier_own_(v, before);
        if (*slot != NULL)
            return 0;
        fw_ipc_debt_begin_(&debt, v->me.mapping);
        error = enter(v, before, w, slot);
        fw_ipc_debt_end_(&debt);
    }
    return error;
}

bool fw_ipc_barrier_end_round_(const struct fw_ipc_barrier_call_ *v, uint64_t w, uint64_t next)
{
    struct fw_robust_ debt;
    bool is_done;

    if (!has_sleepers(w))
        return fw_cas64_acq_rel(&v->b->round_, &w, next); /* F:ipc-barrier-torn-end */
    fw_ipc_debt_begin_(&debt, v->me.mapping);
    is_done = fw_cas64_acq_rel(&v->b->round_, &w, next);
    if (is_done) /* F:ipc-barrier-no-wake */
        fw_ipc_wake_(fw_ipc_half_(&v->b->round_), INT_MAX);
    fw_ipc_debt_end_(&debt);
    return is_done;
}

void fw_ipc_barrier_watch_(const struct fw_ipc_barrier_call_ *v, uint64_t w,
                           struct fw_ipc_wait_ *wait)
{
    uint32_t first = fw_ipc_wait_first_(wait, v->parties);
    bool goes_on = false;

    fw_ipc_wait_compare_(wait, fw_ipc_half_(&v->b->round_) + 1, (uint32_t)(w >> 32)); /* changes */
    for (uint32_t n = 0; n < v->parties; n++) {
        uint64_t *at = fw_ipc_barrier_nth_(v, first + n);
        uint64_t slot = fw_load64_seq_cst(at);
        uint64_t holder = slot & FW_IPC_HOLDER;
        bool has_party = !is_vacant(slot, w) && !is_left(slot) && !has_arrived(slot, w) &&
                         !(v->goes_on && fw_ipc_life_(v->me.mapping, holder) == FW_IPC_DEAD);
        goes_on |= has_party || is_vacant(slot, w);
        if (has_party)
            fw_ipc_wait_watch_(wait, holder);
        else /* it may come to have one that is awaited, and dies before it says so: IBAR4 */
            /* F:ipc-barrier-uncompared */
            fw_ipc_wait_compare_more_(wait, fw_ipc_half_(at), (uint32_t)slot);
    }
    if (!goes_on) /* F:ipc-barrier-sleeps-done */
        fw_ipc_wait_skip_sleep_(wait);
}

int fw_ipc_barrier_death(const fw_ipc_barrier *b, fw_ipc_death *death)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(b);
    uint64_t w;
    struct fw_ipc_barrier_call_ v;
    int error = mapping != NULL ? fw_ipc_barrier_check_(&v, mapping, b) : EINVAL;

    if (error != 0)
        return error;
    w = fw_load64_acquire(&b->round_);
    for (uint32_t i = 0; i < v.parties; i++) {
        uint64_t party = fw_load64_acquire(&v.slots[i]), ids;
        if (is_vacant(party, w) || is_left(party) ||
            fw_ipc_life_(mapping, party & FW_IPC_HOLDER) != FW_IPC_DEAD)
            continue;
        ids = fw_ipc_ids_(mapping, party & FW_IPC_HOLDER);
        *death = (fw_ipc_death){(pid_t)(ids >> 32), (pid_t)(uint32_t)ids, round_of(w)};
        return 0;
    }
    return ENOENT;
}
