/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_WAIT_H
#define FW_IPC_WAIT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/futex.h>
#include <furwock/wait.h>

#include <furwock/ipc/interrupt.h>

#include "core/wait.h"
#include "ipc/region/layout.h"
#include "ipc/region/participant.h"
#include "sys/robust.h"

/*
 * How a thread waits between processes: it spins as the policy says, then sleeps until it is woken.
 * It is woken by the thread that changes the word; and if that one dies instead, by the kernel, as
 * follows.
 *
 * A sleeper sleeps on these words at once (futex_waitv):
 *
 *   word                        woken by
 *   the lock's, or a record     the thread that changes it
 *   life of a participant that  the kernel, when that participant dies (layout.h): one sleeper;
 *   the sleeper waits for       that one wakes all others there
 *   the region's alarm          the kernel, when a participant dies that owed others a wake: one
 *                               sleeper; that one wakes all others there
 *   the sleeper's own, if its   a thread that wants the wait ended (furwock/ipc/interrupt.h)
 *   policy has one
 *
 * and compares all of them with what it read before, so that a change or death before its sleep is
 * not missed either.  The alarm is always 0.  A thread owes others a wake while it waits (if it
 * dies with the wake that it was given, another must get that) and while it changes a word and
 * wakes the sleepers there; meanwhile the alarm is pending in its robust list, which the kernel
 * takes for a free lock, and wakes one.
 *
 *   IWAIT1  If threads queue up for what one participant has, a sleeper of that queue watches the
 *           life of the holder; or a thread of that queue is awake, and will either do that, or
 *           wake another.  So a thread that takes it after a sleep, or gives up, wakes one more of
 *           the queue (fw_ipc_wait_pass_on_): that one re-checks, and watches the new holder's
 *           life.
 *   IWAIT2  A thread that finds that a life which it watched has ended wakes all that watch it,
 *           before it does anything else.  Until it has done so it owes that.
 *   IWAIT3  A thread that the kernel does not know (no robust list, or one of another shape) has a
 *           life without WAITERS.  A thread that waits for such a one, is such a one, or cannot
 *           sleep on several words, re-checks at intervals that do not grow.
 *   IWAIT4  A thread that waits for more participants than it can watch (FW_IPC_WATCHED_) watches
 *           some: others after each re-check interval, and each thread others.  For the rest it
 *           re-checks, after a second at most.
 *
 *   IWAIT5  A wait that is interrupted has timed out, for all that has to do with the lock: the
 *           next sleep of it is none and returns ETIMEDOUT, after which the caller gives up as it
 *           does at a deadline.  Why is known to the wait only, which says so at the end
 *           (fw_ipc_wait_result_).  The word is compared by the kernel with the others, and before
 *           each sleep; so a change is not missed, and a wake that the sleeper was given meanwhile
 *           is used, or passed on, as by any thread that gives up.
 *
 *   IWAIT6  Whoever is woken by the alarm begins again with the first interval.  The dead process
 *           may have had waits in an io_uring, which the kernel takes out of its queues some
 *           milliseconds after it has told of the death: what they took with them is found then.
 *   IWAIT7  The kernel queues a sleeper for one word after the other, and the alarm remembers
 *           nothing: what it tells before the sleeper stands there is not heard.  Whoever was woken
 *           in that time, and has died, was woken by a change of one of the words; so all of them
 *           are compared once more behind the alarm, as futexes of the sleeper's process, on which
 *           nobody is woken.  With more words than there is room for, re-checks come as by IWAIT4.
 *
 * No thread sleeps for longer than a re-check interval.  The first one lasts FW_RECHECK_IPC_NS; by
 * IWAIT3 all others, too.  Otherwise each is FW_RECHECK_GROWTH times the one before, up to
 * FW_RECHECK_MAX_NS: that is for deaths that the kernel does not mark, though it should, and for
 * what was not thought of.  So such a death costs threads that have waited for long a minute, and
 * those that have just come the first interval.  (A waiter for a condition begins with the longest:
 * its re-check ends the wait if there was a signal meanwhile, for whichever waiter.)  If the
 * deadline is on CLOCK_REALTIME, intervals grow to FW_RECHECK_REALTIME_NS only: that clock may be
 * set.
 *
 *     struct fw_ipc_wait_ w;
 *     if ((error = fw_ipc_wait_begin_(&w, &me, object, FW_IPC_WAITS_LOCK, policy, deadline)) != 0)
 *         return error;
 *     while (fw_ipc_wait_spin_(&w)) { read the word; try }
 *     for (;;) {
 *         ... read the word; try; set WAITERS in it ...
 *         fw_ipc_wait_watch_(&w, holder);
 *         if (fw_ipc_wait_sleep_(&w, half, expected) == ETIMEDOUT) ...
 *     }
 *     fw_ipc_wait_pass_on_(&w);
 *     return fw_ipc_wait_finish_(&w, error);
 */
/* A power of two.  The model has 1: there, each re-check interval is the first. */
#ifndef FW_IPC_RECHECKS_COUNTED_
#define FW_IPC_RECHECKS_COUNTED_ 32u
#endif

/* Lives that a sleeper can watch: as many words as the kernel takes, less three. */
#ifndef FW_IPC_WATCHED_
#define FW_IPC_WATCHED_ 125u
#endif

/* Participants about which the system is asked in one re-check, with eight system calls each. */
#ifndef FW_IPC_QUESTIONS_
#define FW_IPC_QUESTIONS_ 32u
#endif

/* Twice the word, one beside it, and the lives; and the alarm: as far as the kernel has room. */
#define FW_IPC_WORDS_ (FW_IPC_WATCHED_ > 61 ? FW_FUTEX_WAIT_ANY_MAX : 2 * FW_IPC_WATCHED_ + 5)

/* A question is left out if a thread has asked it within this part of the interval. */
#ifndef FW_IPC_RECHECK_PARTS_
#define FW_IPC_RECHECK_PARTS_ 4u
#endif

/* What a participant waits for, as tools show it. */
enum { FW_IPC_WAITS_LOCK = 1, FW_IPC_WAITS_READ = 2, FW_IPC_WAITS_COND = 3, FW_IPC_WAITS_ELSE = 4 };

struct fw_ipc_wait_ {
    struct fw_wait_ spin;
    struct fw_ipc_me_ me;
    const void *object;
    uint32_t how;
    uint32_t looks;       /* how many pauses lie between two loads, by now */
    bool is_told;         /* the participant's slot says what it waits for */
    bool has_elapsed;     /* a whole re-check interval has gone by on the same word */
    bool asks;            /* and it is time to ask the system, too */
    bool owes;            /* the alarm is pending: `debt` */
    bool rechecks_only;   /* IWAIT3: for this thread's own sake */
    bool is_blind;        /* IWAIT3: for the next sleep */
    bool is_partial;      /* IWAIT4: for the next sleep */
    bool is_late;         /* there is something to do, such as a life that has ended: no sleep */
    bool was_queued;      /* it has slept in a queue, whose word is `word`: IWAIT1 */
    uint32_t rechecks;    /* whole intervals in this wait, up to FW_IPC_RECHECKS_COUNTED_ */
    uint32_t expected;    /* what was in `word` */
    const uint32_t *word; /* on which it slept, or watched, last */
    uint32_t met;         /* living holders, in this re-check, if it asks */
    uint32_t asked;       /* the first of them, about which the system was asked in this round */
    uint32_t questions;   /* that it may still ask in this re-check */
    uint64_t elapsed_ns;  /* how long the interval was that has ended */
    uint64_t most_ns;     /* how long an interval may be */
    uint64_t first_ns;    /* how long the first one is, except by IWAIT3 */
    uint64_t recheck_ns;  /* how long one is by now */
    uint64_t recheck_at;  /* CLOCK_MONOTONIC, in ns; 0: the next one has not begun */
    const fw_ipc_interrupt *interrupt; /* NULL: none */
    int interrupted;                   /* IWAIT5: ECANCELED, EINTR; 0: not yet */
    struct fw_robust_ debt;
    uint32_t lives; /* where they begin in `words` */
    uint32_t n;     /* and where they end */
    uint32_t more;  /* that are only compared: the last but the alarm */
    /* The word, one beside it, lives, more, the alarm, and again all but that: IWAIT7. */
    fw_futex_any words[FW_IPC_WORDS_];
};

/* What is done if a sleeper is cancelled. */
struct fw_ipc_cancel_ {
    void (*call)(void *);
    void *arg;
};

/* 0, or EINVAL: a malformed policy or deadline.  Either may be NULL. */
int fw_ipc_wait_begin_(struct fw_ipc_wait_ *w, const struct fw_ipc_me_ *me, const void *object,
                       uint32_t how, const fw_wait_policy *policy, const fw_deadline *deadline);

/*
 * Pauses or yields, each time for longer: a load takes the word's cache line away from threads that
 * lock and unlock it all the time.  False: the budget is used up.
 */
bool fw_ipc_wait_spin_(struct fw_ipc_wait_ *w);

/* The same, for a lock held by this one, which may be found not to run; 0: not known. */
bool fw_ipc_wait_spin_on_(struct fw_ipc_wait_ *w, uint64_t holder);

/* Gives a new spin budget. */
void fw_ipc_wait_again_(struct fw_ipc_wait_ *w);

/* There is something to do: the next sleep is none. */
static inline void fw_ipc_wait_skip_sleep_(struct fw_ipc_wait_ *w)
{
    w->is_late = true;
}

/* The next sleep ends when this participant's life does.  If it has ended, there is no sleep. */
void fw_ipc_wait_watch_(struct fw_ipc_wait_ *w, uint64_t holder);

/*
 * The next sleep begins only if this word, too, is as expected.  Before the first life.  Sleepers
 * there are not woken; but others may move them to a life (FUTEX_REQUEUE), which they watch then
 * without knowing whose it is: when it ends, the one that is woken wakes all by the alarm.
 */
void fw_ipc_wait_compare_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected);

/*
 * The same, before or after lives, for words that a thread changes before it changes the one on
 * which others sleep.  If it dies in between, the kernel wakes the sleepers, by the alarm, and
 * threads that are about to sleep see this word changed.  If lives take all the words it is left
 * out, and a re-check finds out.
 */
void fw_ipc_wait_compare_more_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected);

/*
 * Sleeps while *word == expected and the watched participants live, for one re-check interval at
 * most.  0: re-check; ETIMEDOUT: the deadline has passed.  (A policy that never sleeps pauses once
 * instead.)  With `cancel` it is a cancellation point; fw_ipc_wait_cancelled_ is called first then.
 */
int fw_ipc_wait_sleep_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected);
int fw_ipc_wait_sleep_cancellable_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected,
                                   const struct fw_ipc_cancel_ *cancel);
void fw_ipc_wait_cancelled_(struct fw_ipc_wait_ *w);

/* The first one to watch, of `count` that are numbered from 0: IWAIT4. */
uint32_t fw_ipc_wait_first_(const struct fw_ipc_wait_ *w, uint32_t count);

/*
 * The life of a thread that is waited for: asks the system too (fw_ipc_life_slow_) after a re-check
 * interval, unless a thread has asked about that one within a quarter of the interval.  By IWAIT3
 * that is after the first, the second, the fourth, and so on up to the 32nd interval, and from then
 * on after every 16th: 0.64 s.
 */
enum fw_ipc_life fw_ipc_wait_life_(const struct fw_ipc_wait_ *w, uint64_t holder);

/*
 * The same if a re-check, which begins with the first call, meets many that are waited for.
 * However many they are, and however many threads wait for them: it asks about at most
 * FW_IPC_QUESTIONS_ of them, after the next interval about the next ones, and so on until it has
 * asked about all.
 */
void fw_ipc_wait_look_(struct fw_ipc_wait_ *w);
enum fw_ipc_life fw_ipc_wait_life_of_many_(struct fw_ipc_wait_ *w, uint64_t holder);

/* The thread has slept in this queue already, by another wait. */
void fw_ipc_wait_queued_(struct fw_ipc_wait_ *w, const uint32_t *word);

/* The thread leaves the queue in which it has slept, if it has: another one re-checks instead. */
void fw_ipc_wait_pass_on_(struct fw_ipc_wait_ *w);

void fw_ipc_wait_end_(struct fw_ipc_wait_ *w);

/* What the caller of the wait is told: ETIMEDOUT, or what else has ended it (IWAIT5). */
static inline int fw_ipc_wait_result_(const struct fw_ipc_wait_ *w, int error)
{
    return error == ETIMEDOUT && w->interrupted != 0 ? w->interrupted : error;
}

/* Both: the end of a wait whose caller returns the error. */
static inline int fw_ipc_wait_finish_(struct fw_ipc_wait_ *w, int error)
{
    fw_ipc_wait_end_(w);
    return fw_ipc_wait_result_(w, error);
}

/* What comes between these is a change for which others are woken: if the thread dies, they are. */
static inline void fw_ipc_debt_begin_(struct fw_robust_ *debt,
                                      const struct fw_ipc_mapping_ *mapping)
{
    fw_robust_announce_(debt, &mapping->head->alarm);
}

static inline void fw_ipc_debt_end_(const struct fw_robust_ *debt)
{
    fw_robust_withdraw_(debt);
}

/* --- wait_interrupt.c, for wait.c: IWAIT5 ----------------------------------------------------- */

/* As fw_wait_begin_, of the policy without its interrupt. */
int fw_ipc_wait_interruptible_(struct fw_ipc_wait_ *w, const fw_wait_policy *policy,
                               const fw_deadline *deadline);

/* Is there a word that ends the wait?  It takes the place of one life. */
bool fw_ipc_wait_has_stop_(const struct fw_ipc_wait_ *w);

/* The next sleep is on that word, too; of `words` at most. */
void fw_ipc_wait_compare_stop_(struct fw_ipc_wait_ *w, uint32_t words);

/* Is the wait to end? */
bool fw_ipc_wait_is_interrupted_(struct fw_ipc_wait_ *w);

/* What the kernel said at the end of a sleep. */
void fw_ipc_wait_slept_(struct fw_ipc_wait_ *w, int error);

/* Wakes at most n sleepers on the word. */
void fw_ipc_wake_(const uint32_t *word, unsigned n);

#endif
