/* SPDX-License-Identifier: MIT */
/*
 * The mutex between processes.  Contract: furwock/ipc/mutex.h.  Bits of a word: layout.h.
 *
 * Origin: the word that names its holder, and EOWNERDEAD, are POSIX's robust mutex; that a waiter
 * which slept leaves WAITERS behind is Drepper's, "Futexes are tricky", mutex 2.  New is that the
 * kernel need not know the mutex: the word names a participant of the region, whose death the
 * kernel marks (layout.h).  So there is no list to enter, and nothing pending at the release.
 *
 *   word              meaning                                   left by
 *   0                 free                                      lock: -> id
 *   id                held                                      unlock: -> 0; a waiter: -> id|W
 *   id|W              held, a thread may sleep                  unlock: -> 0, then wakes one
 *   id|DIED[|W]       held; what a dead holder left is not      consistent: -> id[|W]; unlock: ->
 *                     repaired yet                              ABANDONED, then wakes all
 *   dead id[|...]     its holder is dead                        lock: -> id|DIED[|W]
 *   ABANDONED         given up                                  nobody
 *   anything else     has been written over                     nobody: EUCLEAN
 *
 * Beside the id of an agent (region/agent.h) stands the task that holds it: task.h, ITSK1, ITSK2.
 *
 *   IMU1  Exclusion: a word that names a living holder is changed by nobody else, except for W.
 *   IMU2  Every acquisition is one compare-and-swap, and so is every release: there is no state in
 *         between in which a thread could die.  All else that a holder writes (the owner history)
 *         is its own.
 *   IMU3  A thread that takes the word from a dead holder sets DIED with it.  DIED goes only by
 *         consistent, or with the mutex.  So nobody gets it without being told EOWNERDEAD.
 *   IMU4  A thread that sleeps has seen W in the word, and one that has slept puts it back with its
 *         id.
 *   IMU5  If a release dies before its wake, the threads that watch that holder's life find out; if
 *         a wake went to a thread that died, its debt is paid (wait.h); if the kernel does not mark
 *         a death, a re-check finds it.
 *   IMU6  A thread that goes to sleep watches the life of the holder that it has seen.  When
 *         another thread has the mutex, those that still sleep do not watch that one; but a thread
 *         that gets it after a sleep, or gives up, wakes one more, which does (IWAIT1); and if a
 *         thread got it without a sleep, the one that the holder before has woken is about.
 *
 *   Legal: W without sleepers (one needless wake).
 *   Illegal: to clear DIED without repair; to take a word from a holder that is not known dead.
 */
#include <errno.h>
#include <limits.h>
#include <stddef.h>

/* This file has the linkable copy of the inline function. */
#define FW_INLINE FW_API

#include <furwock/ipc/mutex.h>

#include <furwock/bits/atomic.h>

#include "ipc/holder_word.h"
#include "ipc/mutex.h"
#include "ipc/recover.h"
#include "ipc/region/journal.h"
#include "ipc/region/participant.h"
#include "ipc/region/repairs.h"
#include "ipc/task.h"
#include "ipc/wait.h"

static uint64_t holder_of(uint64_t word)
{
    return word & FW_IPC_HOLDER;
}

static bool has_waiters(uint64_t word)
{
    return (word & FW_IPC_WAITERS) != 0;
}

static bool is_unsound(uint64_t word)
{
    return (word & FW_IPC_DIED) != 0;
}

/* Held: not free, not given up. */
static bool is_held(uint64_t word)
{
    return word != 0 && word != FW_IPC_ABANDONED; /* F:ipc-takes-given-up */
}

/* May that task of this process hold it, whose bits other tasks may have as well? */
static bool may_be_of(const fw_ipc_mutex *m, uint64_t word, uint32_t task)
{
    uint32_t named = fw_ipc_agent_names_(m);

    return fw_ipc_task_of_(word) == fw_ipc_task_bits_(task) && (named == 0 || named == task);
}

/*
 * Does the calling thread hold it, by itself, or as the task for which it acts?  Then *me, the
 * thread's registration, becomes that of the holder.
 */
static bool is_mine(const fw_ipc_mutex *m, uint64_t word, struct fw_ipc_me_ *me)
{
    struct fw_ipc_me_ agent;

    if (fw_ipc_task_of_(word) == 0)
        return holder_of(word) == me->id;
    if (!may_be_of(m, word, fw_self_()) || !fw_ipc_agent_find_(me->mapping, &agent) ||
        holder_of(word) != agent.id)
        return false;
    *me = agent;
    return true;
}

static const uint32_t *half(const fw_ipc_mutex *m)
{
    return (const uint32_t *)(const void *)&m->word_;
}

int fw_ipc_mutex_init(fw_ipc_mutex *m)
{
    if ((uintptr_t)m % sizeof(uint64_t) != 0)
        return EINVAL;
    *m = (fw_ipc_mutex)FW_IPC_MUTEX_INIT;
    return 0;
}

/* id|DIED -> id, and W as it is.  EPERM: it is not the caller's; EINVAL: no DIED. */
static int declare_sound(fw_ipc_mutex *m, const struct fw_ipc_me_ *me)
{
    uint64_t now = fw_load64_relaxed(&m->word_);

    do {
        if (holder_of(now) != me->id)
            return EPERM;
        if (!is_unsound(now))
            return EINVAL;
        /* F:ipc-given-up-for-nothing */
    } while (!fw_cas64_release(&m->word_, &now, now & ~FW_IPC_DIED));
    return 0; /* F:ipc-sound-loses-waiters */
}

/* The caller has the mutex, with DIED in its word, from a holder that is dead. */
static int take_from_dead(fw_ipc_mutex *m, const struct fw_ipc_me_ *me, uint64_t dead)
{
    int error = fw_ipc_recover_(me, m, &m->history_, dead); /* F:ipc-quiet-successor */

    return error == 0 ? declare_sound(m, me) : error;
}

/*
 * Tries to take the mutex, if it is free or its holder dead.  `extra`: W if the caller has slept.
 *   0, EOWNERDEAD      taken
 *   EBUSY              the holder may live; *now is the word as it was read
 *   ENOTRECOVERABLE, EUCLEAN
 */
static int attempt(fw_ipc_mutex *m, const struct fw_ipc_me_ *me, const struct fw_ipc_wait_ *w,
                   uint64_t extra, uint64_t *now)
{
    for (;;) {
        enum fw_ipc_life life;
        if (*now == 0) {
            if (!fw_cas64_acquire(&m->word_, now, me->id | extra)) /* free -> id */
                continue;
            fw_ipc_history_begin_(&m->history_, me);
            return 0;
        }
        if (!is_held(*now))
            return ENOTRECOVERABLE;
        life = w != NULL ? fw_ipc_wait_life_(w, holder_of(*now))
                         : fw_ipc_life_(me->mapping, holder_of(*now));
        life = fw_ipc_task_life_(me->mapping, *now, life);
        if (life == FW_IPC_CORRUPT)
            return EUCLEAN;
        if (life == FW_IPC_ALIVE) /* F:ipc-robs-preempted */
            return EBUSY;
        uint64_t dead = holder_of(*now);
        /* F:ipc-hides-death */
        uint64_t mine = me->id | FW_IPC_DIED | (*now & FW_IPC_WAITERS) | extra;
        if (fw_cas64_acquire(&m->word_, now, mine)) /* dead id -> id|DIED: IMU3  F:ipc-torn-take */
            return take_from_dead(m, me, dead);
    }
}

struct waiter {
    struct fw_ipc_waiter_ base;
    fw_ipc_mutex *m;
};

static int attempt_again(void *waiter, uint64_t *now, uint64_t extra)
{
    const struct waiter *me = waiter;

    return attempt(me->m, &me->base.wait->me, me->base.wait, extra, now);
}

/* Waits for a holder that may live (IMU4, IMU6).  As attempt, and ETIMEDOUT. */
static int wait_for_it(fw_ipc_mutex *m, struct fw_ipc_wait_ *w, uint64_t *now)
{
    static const struct fw_owner_word_ how = FW_IPC_OWNER_WORD_(attempt_again, fw_ipc_owner_spin_);
    struct waiter me = {{&m->word_, w}, m};

    return fw_owner_word_wait_(&how, &m->word_, now, &me);
}

static __attribute__((noinline)) int lock_slow(fw_ipc_mutex *m, const struct fw_ipc_me_ *me,
                                               uint64_t now, uint64_t extra,
                                               const fw_wait_policy *policy,
                                               const fw_deadline *deadline)
{
    struct fw_ipc_me_ self = *me;
    struct fw_ipc_wait_ w;
    int error;

    if (is_mine(m, now, &self) &&
        (fw_ipc_task_of_(now) == 0 || fw_ipc_agent_names_(m) == fw_self_()))
        return EDEADLK;
    error = fw_ipc_wait_begin_(&w, me, m, FW_IPC_WAITS_LOCK, policy, deadline);
    if (error != 0)
        return error;
    if (extra !=
        0) { /* a thread that was woken for this mutex must not leave others asleep: IMU4 */
        fw_ipc_wait_queued_(&w, half(m));
        while ((error = attempt(m, me, &w, extra, &now)) == EBUSY && !has_waiters(now))
            if (fw_cas64_relaxed(&m->word_, &now, now | FW_IPC_WAITERS)) /* id -> id|W */
                now |= FW_IPC_WAITERS;
    }
    if (extra == 0 || error == EBUSY)
        error = wait_for_it(m, &w, &now);
    fw_ipc_wait_pass_on_(&w); /* IMU6  F:ipc-takes-quietly */
    return fw_ipc_wait_finish_(&w, error);
}

/* As lock_policy, once the first attempt has failed. */
static __attribute__((noinline)) int lock_again(fw_ipc_mutex *m, const fw_wait_policy *policy,
                                                const fw_deadline *deadline)
{
    struct fw_ipc_me_ me;
    int error = fw_ipc_enter_(m, &me);

    if (error != 0)
        return error;
    return lock_slow(m, &me, fw_load64_relaxed(&m->word_), 0, policy, deadline);
}

int fw_ipc_mutex_lock_slow_(fw_ipc_mutex *m)
{
    return lock_again(m, NULL, NULL);
}

void fw_ipc_mutex_stamp_(fw_ipc_mutex *m)
{
    fw_store64_relaxed(&m->history_.since_, fw_clock_ns_());
}

int fw_ipc_mutex_lock_policy(fw_ipc_mutex *m, const fw_wait_policy *policy,
                             const fw_deadline *deadline)
{
    return fw_ipc_mutex_take_(m) ? 0 : lock_again(m, policy, deadline);
}

int fw_ipc_mutex_timedlock(fw_ipc_mutex *m, const fw_deadline *deadline)
{
    return fw_ipc_mutex_lock_policy(m, NULL, deadline);
}

int fw_ipc_mutex_trylock(fw_ipc_mutex *m)
{
    struct fw_ipc_me_ me;
    uint64_t now = 0;
    int error = fw_ipc_enter_(m, &me);

    return error != 0 ? error : attempt(m, &me, NULL, 0, &now);
}

int fw_ipc_mutex_relock_(fw_ipc_mutex *m, const struct fw_ipc_me_ *me)
{
    uint64_t now = 0;

    /* F:ipc-cond-forgets-sleepers */
    if (fw_cas64_acquire(&m->word_, &now, me->id | FW_IPC_WAITERS)) { /* free -> id|W: IMU4 */
        fw_ipc_history_begin_(&m->history_, me);
        fw_ipc_wake_(half(m), 1); /* IMU6  F:ipc-cond-forgets-sleepers-2 */
        return 0;
    }
    return lock_slow(m, me, now, FW_IPC_WAITERS, NULL, NULL);
}

/* ITSK2: a task of this process releases it, and another one waits. */
static bool is_handed_over(fw_ipc_mutex *m, const struct fw_ipc_me_ *me)
{
    bool (*hook)(void *, const struct fw_ipc_me_ *) =
        __atomic_load_n(&fw_ipc_hand_over_hook_, __ATOMIC_RELAXED);

    return hook != NULL && hook(m, me);
}

/* The word is `now`, which names me: releases it. */
static int release(fw_ipc_mutex *m, const struct fw_ipc_me_ *me, uint64_t now)
{
    uint64_t next;
    int error = 0;

    if (!is_unsound(now) && fw_load64_relaxed(&m->history_.journal_) != 0) /* F:ipc-wakes-first */
        /* F:ipc-journal-late-commit */
        error = fw_ipc_journal_commit_at_(me->mapping, fw_load64_relaxed(&m->history_.journal_), m);
    if (fw_ipc_task_of_(now) != 0 && has_waiters(now) && !is_unsound(now) && is_handed_over(m, me))
        return error;
    if (fw_ipc_task_of_(now) != 0)
        fw_ipc_agent_note_(m, 0);
    do
        /* F:ipc-sound-unasked */
        next = is_unsound(now) ? FW_IPC_ABANDONED : 0;
    while (!fw_cas64_release(&m->word_, &now, next)); /* id -> 0, id|DIED -> ABANDONED */
    /* F:ipc-no-wake */
    if (has_waiters(now))
        fw_ipc_wake_(half(m), next == 0 ? 1 : INT_MAX);
    if (fw_ipc_task_of_(now) != 0)
        fw_ipc_agent_unuse_(me->mapping);
    return error;
}

static __attribute__((noinline)) int unlock_slow(fw_ipc_mutex *m)
{
    struct fw_ipc_me_ me;
    uint64_t now;
    int error = fw_ipc_enter_(m, &me);

    if (error != 0)
        return error;
    now = fw_load64_relaxed(&m->word_);
    return is_mine(m, now, &me) ? release(m, &me, now) : EPERM;
}

int fw_ipc_mutex_unlock(fw_ipc_mutex *m)
{
    const struct fw_ipc_me_ *me = fw_ipc_known_(m);
    uint64_t now;

    if (__builtin_expect(me == NULL || fw_load64_relaxed(&m->history_.journal_) != 0, 0))
        return unlock_slow(m);
    now = me->id;
    if (__builtin_expect(!fw_cas64_release(&m->word_, &now, 0), 0)) /* id -> free */
        return unlock_slow(m);
    return 0;
}

int fw_ipc_mutex_consistent(fw_ipc_mutex *m)
{
    struct fw_ipc_me_ me;
    int error = fw_ipc_enter_(m, &me);

    if (error != 0)
        return error;
    return is_mine(m, fw_load64_relaxed(&m->word_), &me) ? declare_sound(m, &me) : EPERM;
}

uint64_t fw_ipc_mutex_generation(const fw_ipc_mutex *m)
{
    return fw_load64_relaxed(&m->history_.generation_);
}

int fw_ipc_mutex_death(const fw_ipc_mutex *m, fw_ipc_death *death)
{
    return fw_ipc_death_of_(&m->history_, death);
}

int fw_ipc_mutex_on_death(fw_ipc_mutex *m, int (*repair)(void *arg, const fw_ipc_death *),
                          void *arg)
{
    return fw_ipc_mapping_of_(m) != NULL ? fw_ipc_on_death_(m, repair, arg) : EINVAL;
}

bool fw_ipc_mutex_is_held_by_me(const fw_ipc_mutex *m)
{
    struct fw_ipc_me_ me;

    return fw_ipc_enter_(m, &me) == 0 && is_mine(m, fw_load64_relaxed(&m->word_), &me);
}

bool fw_ipc_mutex_mark_waiters_(fw_ipc_mutex *m, const struct fw_ipc_me_ *me)
{
    uint64_t now = fw_load64_relaxed(&m->word_);

    while (holder_of(now) == me->id)
        if (has_waiters(now) || fw_cas64_relaxed(&m->word_, &now, now | FW_IPC_WAITERS))
            return true; /* id -> id|W */
    return false;
}

const uint32_t *fw_ipc_mutex_half_(const fw_ipc_mutex *m)
{
    return half(m);
}

/* --- For tasks: task.h ------------------------------------------------------------------------ */

int fw_ipc_mutex_attempt_(fw_ipc_mutex *m, const struct fw_ipc_me_ *agent, uint64_t bits,
                          uint64_t *now)
{
    *now = fw_load64_relaxed(&m->word_);
    return attempt(m, agent, NULL, bits, now);
}

bool fw_ipc_mutex_announce_(fw_ipc_mutex *m, uint64_t *now)
{
    if (has_waiters(*now))
        return true;
    if (!fw_cas64_relaxed(&m->word_, now, *now | FW_IPC_WAITERS)) /* id -> id|W */
        return false;
    *now |= FW_IPC_WAITERS;
    return true;
}

void fw_ipc_mutex_pass_(fw_ipc_mutex *m, const struct fw_ipc_me_ *agent, uint64_t bits)
{
    uint64_t now = fw_load64_relaxed(&m->word_);

    fw_ipc_history_begin_(&m->history_, agent);
    while (!fw_cas64_acq_rel(&m->word_, &now, (now & ~FW_IPC_TASK) | bits)) /* id -> id: ITSK2 */
        ;
}

/* Does that task of this process hold it?  EPERM, EINVAL: no. */
static int find_holder(const fw_ipc_mutex *m, uint32_t task, struct fw_ipc_me_ *me, uint64_t *now)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(m);

    if (mapping == NULL || (uintptr_t)m % sizeof m->word_ != 0)
        return EINVAL;
    *now = fw_load64_relaxed(&m->word_);
    return fw_ipc_agent_find_(mapping, me) && holder_of(*now) == me->id && may_be_of(m, *now, task)
               ? 0
               : EPERM;
}

int fw_ipc_mutex_check_holder_(const fw_ipc_mutex *m, uint32_t task)
{
    struct fw_ipc_me_ me;
    uint64_t now;

    return find_holder(m, task, &me, &now);
}

int fw_ipc_mutex_unlock_as_(fw_ipc_mutex *m, uint32_t task)
{
    struct fw_ipc_me_ me;
    uint64_t now;
    int error = find_holder(m, task, &me, &now);

    return error != 0 ? error : release(m, &me, now);
}

int fw_ipc_mutex_restore_(fw_ipc_mutex *m, uint32_t task, uint64_t dead)
{
    struct fw_ipc_me_ me;
    uint64_t now, next;
    int error = find_holder(m, task, &me, &now);

    if (error != 0)
        return error;
    fw_ipc_agent_note_(m, 0);
    do /* id|DIED -> dead id|DIED: IMU3 */
        next = dead | (now & (FW_IPC_DIED | FW_IPC_WAITERS));
    while (!fw_cas64_release(&m->word_, &now, next));
    if (has_waiters(now))
        fw_ipc_wake_(half(m), 1);
    fw_ipc_agent_unuse_(me.mapping);
    return 0;
}

int fw_ipc_mutex_consistent_as_(fw_ipc_mutex *m, uint32_t task)
{
    struct fw_ipc_me_ me;
    uint64_t now;
    int error = find_holder(m, task, &me, &now);

    return error != 0 ? error : declare_sound(m, &me);
}
