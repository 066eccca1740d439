/* SPDX-License-Identifier: MIT */
#ifndef FWPY_BARRIER_WORD_H
#define FWPY_BARRIER_WORD_H

/*
 * A barrier as Python has it.  Contract: barrier_state.h.
 *
 *   bit   63   62 ..... 32   31        30 ....... 2   1 .. 0
 *         0    changes       WAITERS   round          OPEN, ACTION or BROKEN
 *
 * word         meaning                        left by
 * -----------  -----------------------------  ---------------------------------------------------
 * r, OPEN      round r: parties arrive        one that finds all: -> r + 1, OPEN; r, ACTION
 * r, ACTION    all have, and `runner` runs    that thread: -> r + 1, OPEN; if it fails, or dies:
 *              the action                     -> r + 1, BROKEN (or another runs it: goes_on)
 * r, BROKEN    round r - 1 failed             reset: -> r, OPEN
 *
 * All but WAITERS is changed under the guard; a change of the round wakes all.
 *
 *   PYB1  Which threads have arrived is in the rows, one store each; how many is counted.
 *   PYB2  A round that fails is noted in failures[] before the word changes.  A thread that takes
 *         the guard from a dead one and finds the present round noted breaks the barrier.
 *   PYB3  A thread that has arrived in round r waits until the word is of another; whether r failed
 *         it sees in failures[].
 *   PYB4  A sleeper watches a thread of each party that is awaited, in ACTION the runner, or
 *         re-checks.
 */
#include "barrier_state.h"
#include "waiting.h"

enum { OPEN = 0, ACTION = 1, BROKEN = 2, PHASE = 3 };
#define ROUND_SHIFT 2
#define ROUND UINT32_C(0x1fffffff)

/* Another process can have written over it. */
static inline uint32_t count_of(const struct fwpy_barrier *b)
{
    return b->party_count < FWPY_BARRIER_MAX ? b->party_count : FWPY_BARRIER_MAX;
}

/* --- The word --------------------------------------------------------------------------------- */

static inline uint32_t round_now(const struct fwpy_barrier *b)
{
    return (uint32_t)fw_load64_acquire(&b->word) >> ROUND_SHIFT & ROUND;
}

static inline uint32_t phase_now(const struct fwpy_barrier *b)
{
    return (uint32_t)fw_load64_acquire(&b->word) & PHASE;
}

static inline uint32_t low_word(uint32_t round, uint32_t phase)
{
    return (round & ROUND) << ROUND_SHIFT | phase;
}

static inline uint32_t *nth_failure(struct fwpy_barrier *b, uint32_t n)
{
    return &b->failures[n % FWPY_BARRIER_FAILURES];
}

static inline void note_failure(struct fwpy_barrier *b)
{
    fw_store32_relaxed(nth_failure(b, b->failure_count), round_now(b));
    fw_store32_release(&b->failure_count, b->failure_count + 1);
}

/* PYB3 */
static inline bool has_failed(struct fwpy_barrier *b, uint32_t round)
{
    uint32_t kept =
        b->failure_count < FWPY_BARRIER_FAILURES ? b->failure_count : FWPY_BARRIER_FAILURES;

    for (uint32_t i = 1; i <= kept; i++)
        if (*nth_failure(b, b->failure_count - i) == round)
            return true;
    /* all that are kept came later, and others may have been before them */
    return b->failure_count > FWPY_BARRIER_FAILURES &&
           ((*nth_failure(b, b->failure_count) - round) & ROUND) < ROUND / 2;
}

/* --- The parties ------------------------------------------------------------------------------ */

static inline bool has_arrived(const struct fwpy_barrier *b, const struct fwpy_party *p)
{
    return p->holder != 0 && fw_load64_relaxed(&p->arrived) == (uint64_t)round_now(b) + 1;
}

static inline uint32_t arrived_count(const struct fwpy_barrier *b)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < count_of(b); i++)
        n += has_arrived(b, &b->parties[i]);
    return n;
}

/* --- barrier_state.c: changes, with the guard held -------------------------------------------- */

struct fwpy_guard fwpy_barrier_guard_(struct fwpy_barrier *b);

/* Releases the guard; returns `result`, or the error of that. */
int fwpy_barrier_unlock_(struct fwpy_barrier *b, int result);

/* The next round, in this phase: wakes all, and releases the guard. */
int fwpy_barrier_begin_(struct fwpy_barrier *b, uint32_t phase);

/* The present round has failed: the same.  EPIPE, or an error. */
int fwpy_barrier_break_(struct fwpy_barrier *b);

#endif
