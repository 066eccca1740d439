/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_WAIT_H
#define FW_IPC_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/futex.h>
#include <furwock/wait.h>

#include "core/wait.h"
#include "ipc/region/layout.h"
#include "ipc/region/member.h"
#include "sys/robust.h"

/*
 * How a thread waits for something between processes: it polls as the policy says, then sleeps
 * until it is woken.  It is woken by who changes the word; and where that one dies instead, by the
 * kernel, as follows.
 *
 * A sleeper sleeps on these words at once (futex_waitv):
 *
 *   word                        woken by
 *   the lock's, or a record     who changes it
 *   life of a member that the   the kernel, when that member dies (layout.h): one sleeper; that one
 *   sleeper waits for           wakes all others there
 *   the region's alarm          the kernel, when a member dies that owed others a wake: one
 *                               sleeper; that one wakes all others there
 *
 * and compares all of them with what they were when it looked, so that a change or death before its
 * sleep is no less seen.  The alarm is 0 for ever.  A thread owes others a wake while it waits (the
 * one that it has been given is another's if it dies with it) and while it changes a word and wakes
 * who sleeps there; meanwhile the alarm is pending in its robust list, which the kernel takes for a
 * lock that is free, and wakes one.
 *
 *   IWAIT1  Where threads wait in line for what one member has, some sleeper of that line watches
 *           the life of who has it; or a thread of that line is awake, and will either do that, or
 *           wake another.  So who takes it after a sleep, and who gives up, wakes one more of the
 *           line (fw_ipc_wait_pass_on_): that one looks, and watches the new holder's life.
 *   IWAIT2  Whoever finds that a life which it watched has ended wakes all that watch it, before it
 *           does anything else.  Until it has done so it owes that.
 *   IWAIT3  Who is not known to the kernel (no robust list, one of another shape) has a life
 *           without WAITERS.  Who waits for such a one, is such a one, or cannot sleep on several
 *           words, naps.
 *   IWAIT4  Who waits for more members than it can watch (FW_IPC_WATCHED_) watches some: after each
 *           nap others, and each thread others.  For the rest it naps, for a second at most.
 *
 * A nap: nobody sleeps for longer than its nap without a look.  The first one lasts
 * FW_RECHECK_IPC_NS; by IWAIT3 all others, too.  Otherwise each is FW_RECHECK_GROWTH times the one
 * before, up to FW_RECHECK_MAX_NS: that is for deaths that the kernel does not mark, though it
 * could have been expected to, and for what we have not thought of.  So such a death costs those
 * who have waited for long a minute, and those who have just come a nap.  (Who waits for a
 * condition begins with the longest: its look ends the wait if there was a signal meanwhile, be it
 * another's.)  Where the deadline is on CLOCK_REALTIME naps grow to FW_RECHECK_REALTIME_NS only:
 * that clock may be set.
 *
 *     struct fw_ipc_wait_ w;
 *     if ((error = fw_ipc_wait_begin_(&w, &me, object, FW_IPC_WAITS_LOCK, policy, deadline)) != 0)
 *         return error;
 *     while (fw_ipc_wait_spin_(&w)) { look; try }
 *     for (;;) {
 *         ... look; try; announce oneself in the word ...
 *         fw_ipc_wait_watch_(&w, holder);
 *         if (fw_ipc_wait_sleep_(&w, half, expected) == ETIMEDOUT) ...
 *     }
 *     fw_ipc_wait_pass_on_(&w);
 *     fw_ipc_wait_end_(&w);
 */
/* A power of two.  The model has 1: there, each nap is the first. */
#ifndef FW_IPC_RECHECKS_COUNTED_
#define FW_IPC_RECHECKS_COUNTED_ 32u
#endif

/* Lives that a sleeper can watch: as many words as the kernel takes, less three. */
#ifndef FW_IPC_WATCHED_
#define FW_IPC_WATCHED_ 125u
#endif

/* Members about which the system is asked in one look, with eight system calls each. */
#ifndef FW_IPC_QUESTIONS_
#define FW_IPC_QUESTIONS_ 32u
#endif

/* A question is left out where somebody has put it within this part of the nap. */
#ifndef FW_IPC_RECHECK_PARTS_
#define FW_IPC_RECHECK_PARTS_ 4u
#endif

/* What a member waits for, as tools show it. */
enum { FW_IPC_WAITS_LOCK = 1, FW_IPC_WAITS_READ = 2, FW_IPC_WAITS_COND = 3, FW_IPC_WAITS_ELSE = 4 };

struct fw_ipc_wait_ {
    struct fw_wait_ poll;
    struct fw_ipc_me_ me;
    const void *object;
    uint32_t how;
    uint32_t looks;       /* how many pauses lie between two looks, by now */
    bool is_told;         /* the member's line says what it waits for */
    bool has_elapsed;     /* a whole nap has gone by on the same word */
    bool asks;            /* and it is time to ask the system, too */
    bool owes;            /* the alarm is pending: `debt` */
    bool rechecks_only;   /* IWAIT3: for this thread's own sake */
    bool is_blind;        /* IWAIT3: for the next sleep */
    bool is_partial;      /* IWAIT4: for the next sleep */
    bool is_late;         /* a life that was to be watched has ended, or so: no sleep */
    bool has_line;        /* it has slept in a line, of which `word` is the word: IWAIT1 */
    uint32_t naps;        /* so many whole naps, in this wait, up to FW_IPC_RECHECKS_COUNTED_ */
    uint32_t expected;    /* what was in `word` */
    const uint32_t *word; /* on which it slept, or watched, last */
    uint32_t met;         /* living holders, in this look, if it asks */
    uint32_t asked;       /* the first of them, about which the system was asked in this round */
    uint32_t questions;   /* that it may still be asked in this look */
    uint64_t elapsed_ns;  /* how long the nap was that has ended */
    uint64_t most_ns;     /* how long a nap may be */
    uint64_t first_ns;    /* how long the first one is, but for IWAIT3 */
    uint64_t recheck_ns;  /* how long one is by now */
    uint64_t recheck_at;  /* CLOCK_MONOTONIC, in ns; 0: the next one has not begun */
    struct fw_robust_ debt;
    uint32_t lives;                          /* where they begin in `words` */
    uint32_t n;                              /* and where they end */
    uint32_t more;                           /* that are only compared: the last but the alarm */
    fw_futex_any words[FW_IPC_WATCHED_ + 3]; /* the word, one beside it, lives, more, the alarm */
};

/* What is done where a sleeper is cancelled. */
struct fw_ipc_cancel_ {
    void (*call)(void *);
    void *arg;
};

/* 0, or EINVAL: a malformed policy or deadline.  Either may be NULL. */
int fw_ipc_wait_begin_(struct fw_ipc_wait_ *w, const struct fw_ipc_me_ *me, const void *object,
                       uint32_t how, const fw_wait_policy *policy, const fw_deadline *deadline);

/*
 * Pauses or yields, each time for longer: a look takes the word's cache line away from whoever
 * locks and unlocks it all the time.  False: the budget is used up.
 */
bool fw_ipc_wait_spin_(struct fw_ipc_wait_ *w);

/* The same: the lock is held by this one, which may be seen not to run; 0: not known. */
bool fw_ipc_wait_spin_on_(struct fw_ipc_wait_ *w, uint64_t holder);

/* Gives a new polling budget. */
void fw_ipc_wait_again_(struct fw_ipc_wait_ *w);

/* There is something to do: the next sleep is none. */
static inline void fw_ipc_wait_skip_sleep_(struct fw_ipc_wait_ *w)
{
    w->is_late = true;
}

/* The next sleep ends when this member's life does.  Where it has ended, there is no sleep. */
void fw_ipc_wait_watch_(struct fw_ipc_wait_ *w, uint64_t holder);

/*
 * The next sleep begins only if this word, too, is as expected.  Before the first life.  Nobody
 * wakes who sleeps there; but others may move them to a life (FUTEX_REQUEUE), which they watch then
 * without knowing whose it is: when it ends, the one that is woken sounds the alarm.
 */
void fw_ipc_wait_compare_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected);

/*
 * The same, before or after lives, for words that a thread changes before it changes the one on
 * which others sleep.  If it dies in between, the kernel wakes those who sleep, by the alarm, and
 * those who are about to sleep see this word changed.  Where lives take all the room it is left
 * out, and a nap finds out.
 */
void fw_ipc_wait_compare_more_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected);

/*
 * Sleeps while *word == expected and those who are watched live, for a nap at most.  0: look again;
 * ETIMEDOUT: the deadline has passed.  (A policy that never sleeps pauses once instead.)  With
 * `cancel` it is a cancellation point; fw_ipc_wait_cancelled_ is called first then.
 */
int fw_ipc_wait_sleep_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected);
int fw_ipc_wait_sleep_cancellable_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected,
                                   const struct fw_ipc_cancel_ *cancel);
void fw_ipc_wait_cancelled_(struct fw_ipc_wait_ *w);

/*
 * The first one to watch, of so many that are counted from 0: Z4.
 */
uint32_t fw_ipc_wait_first_(const struct fw_ipc_wait_ *w, uint32_t count);

/*
 * The life of whoever is waited for: asks the system too (fw_ipc_life_slow_) after a nap, unless
 * somebody has asked about that one within a quarter of the nap.  By IWAIT3 that is after the
 * first, the second, the fourth, and so on up to the 32nd nap, and from then on after every 16th:
 * 0.64 s.
 */
enum fw_ipc_life fw_ipc_wait_life_(const struct fw_ipc_wait_ *w, uint64_t holder);

/*
 * The same where a look, which begins with the first call, meets many who are waited for.  However
 * many they are, and by how many they are waited for: it asks about FW_IPC_QUESTIONS_ of them at
 * most, after the next nap about the next ones, and so on until it has come round.
 */
void fw_ipc_wait_look_(struct fw_ipc_wait_ *w);
enum fw_ipc_life fw_ipc_wait_life_of_many_(struct fw_ipc_wait_ *w, uint64_t holder);

/* The thread has slept in this line already, by another wait. */
void fw_ipc_wait_in_line_(struct fw_ipc_wait_ *w, const uint32_t *word);

/* The thread leaves the line in which it has slept, if it has: another one looks in its place. */
void fw_ipc_wait_pass_on_(struct fw_ipc_wait_ *w);

void fw_ipc_wait_end_(struct fw_ipc_wait_ *w);

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

/* Wakes at most n of those who sleep on the word. */
void fw_ipc_wake_(const uint32_t *word, unsigned n);

#endif
