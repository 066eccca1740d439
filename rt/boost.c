/* SPDX-License-Identifier: MIT */
/*
 * Locks whose owners are boosted, between tasks of any CPUs: MPCP and FMLP+ (Splet et al., sections
 * II-E, II-F, IV), in tier A.  How such a lock goes on to the next owner: boost_handoff.c.
 *
 * The fast path is that of listing 3 except for one thing: where the paper counts in and out, here
 * a compare-and-swap writes down who has the lock.  It costs the same, and so a task that dies at
 * any instruction leaves a word that says whether the lock went with it.  A task that waits stands
 * in `waiters`; and no lock internal locks the queue, for only the owner takes anybody out of it.
 *
 * word                       meaning                         left by
 * -------------------------  ------------------------------  -------------------------------------
 * 0                          free, nobody waits              anybody: names itself
 * DIED                       free, an owner has died in it   anybody: names itself, keeps DIED
 * s                          s has it, nobody sleeps for it  s: 0.  A waiter: s | WAITERS
 * s | WAITERS                s has it, and has to look at    s: s, then looks (hand-off)
 *                            `waiters` when it leaves
 * s [| WAITERS] | DIED       s has yet to be told            s: without DIED
 * the same, and s is dead    nobody is in it                 reaping of s: REAPING | DIED
 * REAPING | DIED             its reaper, which has           that one; after its death, the next
 *   [| WAITERS]              `queue_lock`, hands it on       that has `queue_lock`
 *
 * Legal:   WAITERS set while nobody waits (one needless look).  A bit in `waiters` of a task that
 *          is named already, or dead.  DIED told to more than one, if those in between died as
 *          well.  A word that names a task that has not noticed, for up to FW_RECHECK_RT_NS.
 * Illegal: WAITERS clear in the word of a live owner while a task sleeps that is not named.
 *
 * Invariants
 *  BOOST1  Only the task that the word names is in the section, changes `owner`, or names another
 *      one; under REAPING, it is the thread that has `queue_lock`.  All others name themselves in a
 *      word that is free, and set WAITERS, and nothing else.
 *  BOOST2  Task s is reaped under its record's lock; another task uses the record when that is
 *      over: no word names s then.  Nor will one that an owner is about to write: the reaping
 *      clears s's bit in `waiters`, fences, and then changes the word of each owner (WAITERS).  A
 *      task that clears WAITERS after that, or becomes the owner, fences and does not find s in the
 *      queue; a task that cleared it before fails to name anybody, and looks at the queue again.
 *  BOOST3  A task's bit in `waiters` is set by that task before it looks at the word, and cleared
 *      by it after it was named, or by its reaping.  An owner leaves the bits alone; so if it dies
 *      between any two steps of that, nobody is missing from the queue.
 *  BOOST4  A waiter sleeps only after it has seen WAITERS in the word of another owner.  The owner
 *      clears WAITERS, fences, and looks at the queue; the waiter enters the queue, fences, and
 *      looks at the word: one of them sees the other.
 *  BOOST5  A task that is named is named before its `grant` is set; it clears `grant`, fences, and
 *      looks at the word before it sleeps.  Sleep ends after FW_RECHECK_RT_NS in any case: a wake
 *      that died with the one that was to give it costs that much, and so does an owner that died.
 *  BOOST6  A task that sleeps in the queue has its kernel priority raised to where the protocol
 *      boosts it, until it leaves the section; or, with deferred updates, until it is in it, nobody
 *      else waits, and it runs before all others of its CPU anyway.  So it preempts those that are
 *      not boosted as soon as it is named.  A task that gets the lock at once stays as it was until
 *      another one sleeps in the queue, who raises it first (raise.c); those of its CPU who wake up
 *      in the library look for it (wake.c).  That is the deferred update.
 *  BOOST7  Nobody is in the queue with its bit in `held` set: on its CPU nobody waits for its
 *      section.  A task that looked in the moment before is sent away (fw_rt_withdraw_).
 *  BOOST8  In a group of one process, an owner that sees no WAITERS may free the word by a plain
 *      store (sys/release.h), which may undo a WAITERS that came in between.  A task that has set
 *      WAITERS, or has found it set by another one, makes sure by the fence that no such store is
 *      under way, and then looks again: either WAITERS is there, and stays; or it sets it anew in
 *      the next owner's word; or the lock is free, and it takes it, with WAITERS if others are in
 *      the queue, who have seen it and sleep.  (Where the same owner has come and gone meanwhile,
 *      and another waiter has yet to look again, this one sleeps until that one does, or briefly.)
 *  BOOST9  A word that says something else than its owner has left there was written over, or the
 *      owner was reaped alive.  The lock is lost to it: it leaves the word alone.
 */
#include <errno.h>

#include <furwock/futex.h>

#include "core/sleep.h"
#include "rt/boost_level.h"
#include "rt/boost_word.h"
#include "rt/quick.h"

_Static_assert(offsetof(struct fw_rt_lock_record, counter) % 8 == 0 &&
                   offsetof(struct fw_rt_lock_record, pi_word) ==
                       offsetof(struct fw_rt_lock_record, counter) + 4,
               "BOOST8: the upper half of the word, as sys/release.h has it, is always 0");

/* For one whose word was another's, or who waited in the queue. */
static void claim(struct fw_rt_task *t, uint32_t d)
{
    uint64_t *held = &t->record->held;

    fw_store64_relaxed(held, fw_load64_relaxed(held) | fw_rt_bit(d));
}

/* Of one that is no owner: nobody else raises it (raise.c, RAISE2). */
static void end_boost(struct fw_rt_task *t)
{
    if (fw_load32_relaxed(&t->record->boost) != 0)
        fw_rt_lower_slow_(t);
}

static bool asks_kernel(const struct fw_rt_lock_record *l)
{
    return l->protocol == FW_RT_MPCP || l->protocol == FW_RT_FMLP;
}

static bool is_shared(const struct fw_rt_task *t)
{
    return t->shared != FW_FUTEX_PRIVATE;
}

static void tell(const struct fw_rt_task *t, uint32_t kind, uint32_t d, uint32_t other)
{
    if (t->trace != NULL)
        fw_rt_trace_add_(t->trace, kind, d, other, 0);
}

/* By a waiter: is it the owner now? */
static bool is_named(struct fw_rt_task *t, uint32_t d)
{
    struct fw_rt_lock_record *l = &t->state->lock[d];
    uint32_t word = fw_load32_acquire(&l->counter);

    while (fw_rt_word_is_free(word)) { /* free [DIED] -> s [WAITERS] [DIED] */
        uint32_t named = word | fw_rt_word_of(t->slot);
        if ((fw_load64_relaxed(&l->waiters) & ~fw_rt_bit(t->slot)) != 0) /* BOOST8 */
            named |= FW_RT_WORD_WAITERS;
        if (fw_cas32_acquire(&l->counter, &word, named))
            return true;
    }
    return fw_rt_word_owner(word) == t->slot;
}

/* BOOST4: false: look at the word again.  `told`: for which that was done.  Refused: waits. */
static bool has_told_owner(struct fw_rt_task *t, uint32_t d, uint32_t *told)
{
    struct fw_rt_lock_record *l = &t->state->lock[d];
    uint32_t word = fw_load32_relaxed(&l->counter);

    if (fw_rt_word_is_free(word) || fw_rt_word_owner(word) == t->slot)
        return false;
    if (fw_rt_word_has_waiters(word) && word == *told)
        return true;
    if (!fw_rt_word_has_waiters(word) &&
        !fw_cas32_release(&l->counter, &word, word | FW_RT_WORD_WAITERS)) /* s -> s, WAITERS */
        return false;
    if (!asks_kernel(l) && fw_rt_word_owner(word) != FW_RT_NONE) {
        if (!fw_rt_raise_owner_(t, d)) /* BOOST6, BOOST8  F:rt-raise-forgotten */
            return false;
    } else if (!is_shared(t)) {
        fw_release_fence_(); /* BOOST8  F:rt-kernel-boost-unsure */
    }
    *told = word | FW_RT_WORD_WAITERS;
    return false;
}

/* The owner may have died: asks with one system call, or, where that says no, with some more. */
static void look_after_owner(struct fw_rt_task *t, uint32_t d, bool is_thorough)
{
    uint32_t word = fw_load32_relaxed(&t->state->lock[d].counter), owner = fw_rt_word_owner(word);
    struct fw_rt_task_record *c = &t->state->task[owner % FW_RT_TASKS];

    if (fw_rt_word_is_being_reaped(word))
        fw_rt_boost_reap_lock_(t, d, FW_RT_WORD_REAPING);
    else if (owner != FW_RT_NONE && owner != t->slot &&
             (is_thorough ? !fw_rt_is_alive_(c) : fw_rt_is_gone_(c)))
        fw_rt_reap_(t, owner);
}

/* EUCLEAN: the word names nobody who could ever leave it. */
static int check_word(struct fw_rt_task *t, uint32_t d)
{
    const struct fw_rt_lock_record *l = &t->state->lock[d];
    uint32_t word = fw_load32_acquire(&l->counter), owner = fw_rt_word_owner(word);

    if (fw_rt_word_is_free(word) || fw_rt_word_is_being_reaped(word) ||
        (owner != FW_RT_NONE && !fw_rt_is_nobodys_(t, owner, d)))
        return 0;
    return fw_rt_fail_(EUCLEAN, "the group was written over: the word of \"%.31s\" is 0x%x",
                       l->name, (unsigned)word);
}

/* 0: it is the owner. */
static int sleep_in_queue(struct fw_rt_task *t, uint32_t d)
{
    uint32_t *grant = &t->record->grant, told = 0;
    int error;

    for (;;) {
        fw_deadline end;
        fw_store32_relaxed(grant, 0);
        fw_fence_seq_cst(); /* BOOST4, BOOST5 */
        if (is_named(t, d))
            return 0;
        if (!has_told_owner(t, d, &told))
            continue;
        end = fw_deadline_in_(CLOCK_MONOTONIC, FW_RECHECK_RT_NS);
        if (fw_sleep_(grant, 0, t->shared, &end) != -ETIMEDOUT)
            continue;
        told = 0;
        look_after_owner(t, d, true); /* F:rt-boost-dead-owner */
        error = check_word(t, d);
        if (error != 0)
            return error;
    }
}

/* 0: comes back as the owner. */
static int wait_in_queue(struct fw_rt_task *t, uint32_t d)
{
    struct fw_rt_task_record *c = t->record;
    struct fw_rt_lock_record *l = &t->state->lock[d];
    bool is_new = fw_rt_wait_begins_(t);
    int error;

    fw_store32_relaxed(&c->ready, 0);
    fw_store32_relaxed(&c->request, d + 1);
    if (l->kind == FW_RT_KIND_FMLP)
        fw_store64_relaxed(&c->ticket, fw_add64_acquire(&l->tickets, 1) + 1); /* F:rt-late-ticket */
    fw_or64_seq_cst(&l->waiters, fw_rt_bit(t->slot)); /* F:rt-boost-late-line */
    tell(t, FW_RT_EVENT_BLOCK, d, fw_rt_word_owner(fw_load32_relaxed(&l->counter)));
    look_after_owner(t, d, false);
    error = sleep_in_queue(t, d);
    if (error == 0)
        claim(t, d);
    fw_and64_seq_cst(&l->waiters, ~fw_rt_bit(t->slot));
    fw_store32_relaxed(&c->request, 0);
    fw_store32_relaxed(&c->ready, 1);
    tell(t, FW_RT_EVENT_RESUME, d, FW_RT_NONE);
    fw_rt_wait_ends_(t, is_new);
    return error;
}

/* The owner is told, once. */
static int answer(struct fw_rt_task *t, uint32_t d)
{
    struct fw_rt_lock_record *l = &t->state->lock[d];

    if (!fw_rt_word_has_died(fw_load32_relaxed(&l->counter)))
        return 0; /* F:rt-boost-quiet-death */
    fw_and32_relaxed(&l->counter, ~FW_RT_WORD_DIED);
    fw_store32_relaxed(&l->died, 0);
    return EOWNERDEAD;
}

static int try_again(struct fw_rt_task *t, uint32_t d)
{
    int error;

    look_after_owner(t, d, false);
    claim(t, d);
    if (is_named(t, d))
        return answer(t, d);
    fw_rt_withdraw_(t, d);
    error = check_word(t, d);
    return error != 0 ? error : EBUSY;
}

int fw_rt_boost_lock_slow_(struct fw_rt_task *t, uint32_t d, bool try)
{
    const struct fw_rt_lock_record *l = &t->state->lock[d];
    int error;

    fw_rt_withdraw_(t, d); /* BOOST7 */
    if (try) {
        error = try_again(t, d);
    } else if ((error = fw_rt_check_cpu_(t)) == 0) {
        if (asks_kernel(l))
            fw_rt_raise_slow_(t, l);
        else
            fw_rt_raise_self_(t, l); /* BOOST6  F:rt-boost-late */
        error = wait_in_queue(t, d);
        if (error == 0) {
            error = answer(t, d);
            fw_rt_yield_to_first_(t);
            if (!asks_kernel(l) && fw_rt_is_first_anyway_(t, d))
                fw_rt_lower_owner_(t, d); /* BOOST6 */
        }
    }
    if (error != 0 && error != EOWNERDEAD)
        end_boost(t);
    return error;
}

int fw_rt_boost_lock_(struct fw_rt_task *t, uint32_t d, bool try)
{
    struct fw_rt_lock_record *l = &t->state->lock[d];

    if (asks_kernel(l)) /* F:rt-kernel-boost-late */
        fw_rt_raise_slow_(t, l);
    return fw_rt_boost_quickly_(t, l, d) ? 0 : fw_rt_boost_lock_slow_(t, d, try);
}

void fw_rt_boost_end_slow_(struct fw_rt_task *t, uint32_t d, bool is_free)
{
    if (!is_free) {
        fw_rt_boost_hand_off_(t, d); /* F:rt-boost-hands-back */
        fw_rt_leave_(t->record, 0);
    }
    if (fw_load32_relaxed(&t->record->unlock_call) != 0)
        fw_rt_proxy_leave_slow_(t);
    if (asks_kernel(&t->state->lock[d])) {
        end_boost(t);
    } else if (!is_free || fw_load32_relaxed(&t->record->boost) != 0) { /* F:rt-raise-kept */
        fw_rt_lower_owner_(t, d);
        fw_rt_yield_to_first_(t); /* it may have come before a section that outranks it now */
    }
}
