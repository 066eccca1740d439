/* SPDX-License-Identifier: MIT */
/*
 * The condition variable between processes.  Contract: furwock/ipc/cond.h.
 *
 * Origin: a sequence number that every signal changes is Drepper's ("Futexes are tricky"); to move
 * waiters to the mutex is Ingo Molnar's (FUTEX_REQUEUE, 2003).  What such a variable is known to
 * lose (a wake that went to a thread that died) comes back here because no thread sleeps for longer
 * than a re-check interval.
 *
 *   bit   63 ... 48   47 .. 32   31 ................. 2   1         0
 *         turns       moves      signals and broadcasts   SLEEPERS  WAITERS
 *
 * A turn is a change with which W and S are cleared.  (Moves overflow into turns: it seems, then,
 * that there was one more.)
 *
 *   word      meaning                               left by
 *   n         nobody waits since the last wake      a waiter, with the mutex: -> n|W
 *   n|W       a thread may wait, and spins          a waiter: -> n|W|S
 *                                                   signal: -> n+1, which the waiter sees
 *   n|W|S     a thread may sleep                    signal: -> (n+1)|W|S, wakes one, or, with
 *                                                   the mutex: and one move more, moves one to it;
 *                                                   if nobody slept: -> n+2, wakes all that do now
 *   n|W[|S]                                         broadcast: -> n+1 and one move more, then wakes
 *                                                   or moves all that sleep
 *
 * A waiter remembers the number that it has read, and its wait is over as soon as there is another
 * one, however it learns that.  There is no other state, and nobody is counted.
 *
 *   ICV1  The number grows, and W and S are cleared only with a change of it: no wait reads its own
 *         number again, or finds itself unannounced under it.
 *   ICV2  A waiter has seen W beside its number, and a sleeper S.  So a signal that finds no W has
 *         nobody to wake: the waits before it are over already.
 *   ICV3  A wait is decided by the number only, never by being woken; a thread that finds its
 *         number unchanged has taken nothing.  A signaller owes the others a wake until it has
 *         given it, and a waiter until it has the mutex (wait.h); one that is cancelled passes the
 *         wake on.
 *   ICV4  A waiter that may have been moved to the mutex (there was a move) takes it as a thread
 *         that has slept there, so that its release wakes the next.
 *   ICV5  A waiter that wakes, for whatever reason, looks at the mutex, too: a holder that died
 *         before it could signal is found by the waiters, if nobody else comes; after a re-check
 *         interval at the latest.
 *   ICV6  A thread that moves sleepers to the mutex that it holds moves them to its own life, too:
 *         they sleep on the high half for that, which has no other use.  So they learn of its
 *         death.
 *   ICV7  The tasks of a loop that wait have one sleeper among them all (await/region_cond.c).  The
 *         wait is over for as many of them as there were changes, first come, first served; and for
 *         all that began before a turn, since nobody knows of them from then on (ICV1).
 *
 *   Legal:   W and S without waiters (a needless wake); a wait that ends for a signal that woke
 *            another; a moved waiter whose mutex nobody holds (it looks after its re-check
 *            interval); mutex_ of waiters that are gone.
 *   Illegal: to clear W or S and leave the number; to clear S and not wake all that sleep; to wait
 *            for a number that was read after the mutex was released.
 */
#include <furwock/ipc/cond.h>

#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "core/adaptive_spin.h"
#include "ipc/mutex.h"
#include "ipc/region/participant.h"
#include "ipc/task.h"
#include "ipc/wait.h"
#include "sys/cancel.h"
#include "sys/panic.h"

#define COND_WAITERS UINT64_C(1)
#define COND_SLEEPERS UINT64_C(2)
#define COND_CHANGE UINT64_C(4)
#define COND_MOVE (UINT64_C(1) << 32)
#define COND_TURN (UINT64_C(1) << 48)

/* An offset in units of 8 bytes fits into 32 bits. */
#define EIGHT UINT64_C(8)
_Static_assert(FW_IPC_REGION_MAX_SIZE / EIGHT <= UINT32_MAX, "mutex_ names any object");

struct waiter {
    struct fw_ipc_wait_ wait;
    fw_ipc_cond *c;
    fw_ipc_mutex *m;
    uint64_t number; /* it waits for another one */
    bool has_slept;  /* it may have been moved meanwhile */
};

static uint64_t number_of(uint64_t word)
{
    return word / COND_CHANGE;
}

static bool has_waiters(uint64_t word)
{
    return (word & COND_WAITERS) != 0;
}

static bool has_sleepers(uint64_t word)
{
    return (word & COND_SLEEPERS) != 0;
}

/* The next word, which nobody waits for yet. */
static uint64_t changed(uint64_t word)
{
    return (number_of(word) + 1) * COND_CHANGE + COND_TURN;
}

static bool were_moves(uint64_t number, uint64_t word)
{
    return (number / number_of(COND_MOVE) - word / COND_MOVE) % (COND_TURN / COND_MOVE) != 0;
}

static const uint32_t *half(const fw_ipc_cond *c)
{
    return (const uint32_t *)(const void *)&c->word_;
}

static bool is_over(const struct waiter *me)
{
    return number_of(fw_load64_relaxed(&me->c->word_)) != me->number;
}

int fw_ipc_cond_init(fw_ipc_cond *c)
{
    if ((uintptr_t)c % sizeof(uint64_t) != 0)
        return EINVAL;
    *c = (fw_ipc_cond)FW_IPC_COND_INIT;
    return 0;
}

/* The mutex is held, so a thread that changes the condition from now on cannot miss W (ICV2). */
uint64_t fw_ipc_cond_announce_(fw_ipc_cond *c, const struct fw_ipc_mapping_ *mapping,
                               const fw_ipc_mutex *m)
{
    uint32_t at = (uint32_t)(fw_ipc_offset_(mapping, m) / EIGHT);
    uint64_t word;

    if (fw_load32_relaxed(&c->mutex_) != at)
        fw_store32_relaxed(&c->mutex_, at);
    word = fw_load64_relaxed(&c->word_);
    if (!has_waiters(word)) /* n -> n|W */
        /* F:ipc-cond-unannounced */
        word = fw_or64_relaxed(&c->word_, COND_WAITERS);
    return word;
}

static void announce(struct waiter *me)
{
    me->number = number_of(fw_ipc_cond_announce_(me->c, me->wait.me.mapping, me->m));
}

/* Before it sleeps: n|W -> n|W|S.  False: the wait is over. */
static bool announce_sleep(struct waiter *me, uint64_t *word)
{
    *word = fw_load64_relaxed(&me->c->word_);
    while (number_of(*word) == me->number) {
        if (has_sleepers(*word) || !fw_wait_blocks_(&me->wait.spin)) /* F:ipc-cond-quiet-sleep */
            return true;
        if (fw_cas64_relaxed(&me->c->word_, word, *word | COND_SLEEPERS))
            *word |= COND_SLEEPERS;
    }
    return false;
}

static int lock_again(struct waiter *me)
{
    uint64_t now = fw_load64_relaxed(&me->c->word_);
    int error = me->has_slept && were_moves(me->number, now) /* ICV4 */
                    ? fw_ipc_mutex_relock_(me->m, &me->wait.me)
                    : fw_ipc_mutex_lock(me->m); /* F:ipc-cond-locks-as-anybody */

    fw_ipc_wait_end_(&me->wait); /* its debt lasts until it has the mutex */
    return error;
}

static void nothing(void *arg)
{
    (void)arg;
}

/* The waiting thread was cancelled.  It passes on the wake that it may have got (ICV3). */
static void cancelled(void *arg)
{
    struct waiter *me = arg;

    fw_ipc_wait_cancelled_(&me->wait); /* F:ipc-cond-swallows */
    if (is_over(me))
        fw_ipc_wake_(half(me->c), 1);
    (void)lock_again(me); /* if it is not held, unlock will say so  F:ipc-cond-cancelled-outside */
}

/* Spins for as long as the policy has budget, and as that pays. */
static void spin(struct waiter *me, const fw_wait_policy *policy)
{
    fw_half_ *state = &me->c->spin_;
    bool learns = fw_adaptive_spin_begin_(state, &me->wait.spin, policy);

    while (fw_ipc_wait_spin_(&me->wait) && !is_over(me))
        ;
    if (learns)
        fw_adaptive_spin_end_(state, is_over(me));
}

/*
 * Has a thread died with the mutex, or was it given up?  Nobody knows what that thread was about to
 * signal; the next to take the mutex learns of it (ICV5).
 */
static bool is_orphaned(const struct waiter *me)
{
    uint64_t word = fw_load64_relaxed(&me->m->word_);

    /* A thread that has released it since, and then ended, is dead, too: the second look. */
    return word != 0 && fw_ipc_wait_life_(&me->wait, word) != FW_IPC_ALIVE &&
           ((fw_load64_relaxed(&me->m->word_) ^ word) & FW_IPC_HOLDER) == 0;
}

/* 0, or ETIMEDOUT: until then the number had not changed. */
static int sleep_until_over(struct waiter *me)
{
    const struct fw_ipc_cancel_ cancel = {cancelled, me};
    uint64_t word;

    while (announce_sleep(me, &word)) {
        me->has_slept = true;
        fw_ipc_wait_compare_(&me->wait, half(me->c) + 1, (uint32_t)(word >> 32)); /* ICV6 */
        if (fw_ipc_wait_sleep_cancellable_(&me->wait, half(me->c), (uint32_t)word, &cancel) ==
            ETIMEDOUT)
            return is_over(me) ? 0 : ETIMEDOUT;
        fw_cancel_point_(cancelled, me);
        if (is_orphaned(me))
            return 0;
    }
    return 0;
}

int fw_ipc_cond_wait_policy(fw_ipc_cond *c, fw_ipc_mutex *m, const fw_wait_policy *policy,
                            const fw_deadline *deadline)
{
    struct waiter me = {.c = c, .m = m};
    struct fw_ipc_me_ self;
    int error = fw_ipc_enter_(m, &self);
    int locked;

    if (error != 0)
        return error;
    if ((uintptr_t)c % sizeof(uint64_t) != 0 ||
        fw_ipc_address_(self.mapping, fw_ipc_offset_(self.mapping, c), sizeof *c) == NULL)
        return EINVAL;
    if (!fw_ipc_mutex_is_held_by_me(m))
        return EPERM;
    error = fw_ipc_wait_begin_(&me.wait, &self, c, FW_IPC_WAITS_COND, policy, deadline);
    if (error != 0)
        return error;
    fw_cancel_point_(nothing, NULL); /* F:ipc-cond-cancelled-late */
    announce(&me);                   /* F:ipc-cond-unlocks-first */
    error = fw_ipc_mutex_unlock(m);
    if (error != 0)
        return error;
    spin(&me, policy);
    error = sleep_until_over(&me);
    locked = lock_again(&me);
    return locked != 0 ? locked : fw_ipc_wait_result_(&me.wait, error);
}

int fw_ipc_cond_timedwait(fw_ipc_cond *c, fw_ipc_mutex *m, const fw_deadline *deadline)
{
    return fw_ipc_cond_wait_policy(c, m, NULL, deadline);
}

int fw_ipc_cond_wait(fw_ipc_cond *c, fw_ipc_mutex *m)
{
    return fw_ipc_cond_wait_policy(c, m, NULL, NULL);
}

/* The mutex of the waiters, as far as that can be believed; NULL: there is none. */
static fw_ipc_mutex *mutex_of(const fw_ipc_cond *c, const struct fw_ipc_mapping_ *mapping)
{
    uint64_t at = EIGHT * fw_load32_relaxed(&c->mutex_);

    return fw_ipc_address_(mapping, at, sizeof(fw_ipc_mutex));
}

/* Makes the release of the mutex wake a thread, if the caller holds it, and its death, too. */
static bool prepare_move(const fw_ipc_cond *c, const struct fw_ipc_me_ *me)
{
    fw_ipc_mutex *m = mutex_of(c, me->mapping);

    /* F:ipc-cond-unmarked-move */
    return m != NULL && fw_ipc_is_marked_(me->participant) && fw_ipc_mutex_mark_waiters_(m, me);
}

/*
 * After a change to the word `now`: of the sleepers, `most` are woken, or, if the caller holds the
 * mutex, moved to it.  If `most` is more than one, at most one is woken, and the others are moved.
 * Returns how many there were.
 */
static unsigned rouse(const fw_ipc_cond *c, uint64_t now, const struct fw_ipc_me_ *me, bool is_held,
                      unsigned most)
{
    const fw_ipc_mutex *m = mutex_of(c, me->mapping);
    int n = -EAGAIN;

    if (m != NULL && (is_held || most > 1))
        n = fw_futex_cmp_requeue(half(c), (uint32_t)now, is_held ? 0 : 1, fw_ipc_mutex_half_(m),
                                 most, FW_FUTEX_SHARED);
    if (is_held && n > 0) /* ICV6 */
        fw_futex_requeue(half(c) + 1, 0, fw_ipc_life_half_(me->participant), (unsigned)n,
                         FW_FUTEX_SHARED);
    if (n == -EAGAIN) /* the word has changed again: sleepers on the new one sleep on */
        n = fw_futex_wake(half(c), most, FW_FUTEX_SHARED);
    if (n < 0)
        fw_panic_errno_("futex wake between processes", -n);
    return (unsigned)n;
}

static void signal_one(fw_ipc_cond *c, const struct fw_ipc_me_ *me, uint64_t now)
{
    uint64_t next;
    bool is_held;

    do {
        if (!has_waiters(now))
            return;
        is_held = has_sleepers(now) && prepare_move(c, me);
        next = has_sleepers(now) ? now + COND_CHANGE : changed(now); /* F:ipc-cond-same-number */
        next += is_held ? COND_MOVE : 0;
    } while (!fw_cas64_release(&c->word_, &now, next)); /* n|W -> n+1, n|W|S -> (n+1)|W|S */
    /* F:ipc-cond-no-wake */
    if (!has_sleepers(next) || rouse(c, next, me, is_held, 1) != 0)
        return;
    /* Nobody slept: n|W|S -> n+1.  A thread that went to sleep since would be forgotten. */
    if (fw_cas64_release(&c->word_, &next, changed(next))) /* F:ipc-cond-clears-quietly */
        fw_ipc_wake_(half(c), FW_FUTEX_ALL);
}

static void signal_all(fw_ipc_cond *c, const struct fw_ipc_me_ *me, uint64_t now)
{
    uint64_t next;

    do {
        if (!has_waiters(now))
            return;
        next = changed(now) + COND_MOVE;
    } while (!fw_cas64_release(&c->word_, &now, next)); /* n|W[|S] -> n+1, and one move more */
    if (has_sleepers(now))
        rouse(c, next, me, prepare_move(c, me), FW_FUTEX_ALL);
}

/* The word was `now`, and a thread waits. */
static int call_waiters(fw_ipc_cond *c, uint64_t now,
                        void (*call)(fw_ipc_cond *, const struct fw_ipc_me_ *, uint64_t))
{
    struct fw_robust_ debt;
    struct fw_ipc_me_ me;
    int error = fw_ipc_enter_(c, &me);

    if (error != 0)
        return error;
    fw_ipc_debt_begin_(&debt, me.mapping);
    call(c, &me, now);
    fw_ipc_debt_end_(&debt);
    return 0;
}

int fw_ipc_cond_signal(fw_ipc_cond *c)
{
    uint64_t now = fw_load64_relaxed(&c->word_);

    return has_waiters(now) ? call_waiters(c, now, signal_one) : 0;
}

int fw_ipc_cond_broadcast(fw_ipc_cond *c)
{
    uint64_t now = fw_load64_relaxed(&c->word_);

    return has_waiters(now) ? call_waiters(c, now, signal_all) : 0;
}

/* --- For tasks: task.h ------------------------------------------------------------------------ */

uint32_t fw_ipc_cond_signals_(uint64_t before, uint64_t now)
{
    return ((uint32_t)now / (uint32_t)COND_CHANGE - (uint32_t)before / (uint32_t)COND_CHANGE) &
           (UINT32_MAX / (uint32_t)COND_CHANGE);
}

bool fw_ipc_cond_was_turn_(uint64_t before, uint64_t now)
{
    return before / COND_TURN != now / COND_TURN;
}

bool fw_ipc_cond_were_moves_(uint64_t before, uint64_t now)
{
    return were_moves(number_of(before), now);
}

bool fw_ipc_cond_announce_sleep_(fw_ipc_cond *c, uint64_t *now)
{
    uint64_t word = *now;

    while (number_of(word) == number_of(*now)) {
        if (has_sleepers(word) && has_waiters(word)) {
            *now = word;
            return true;
        }
        if (fw_cas64_relaxed(&c->word_, &word, word | COND_WAITERS | COND_SLEEPERS))
            word |= COND_WAITERS | COND_SLEEPERS; /* n|W -> n|W|S */
    }
    *now = word;
    return false;
}

fw_ipc_mutex *fw_ipc_cond_mutex_(const fw_ipc_cond *c, const struct fw_ipc_mapping_ *mapping)
{
    return mutex_of(c, mapping);
}
