/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_SEM_WORD_H
#define FW_PRELOAD_SEM_WORD_H

#include <limits.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/bits/deadline.h>

#include "thread/permits.h"

/*
 * What a sem_t is made of here.  State and `shared` are where the C library has them, since a
 * semaphore may be shared with a process that runs without this library; what comes then are bytes
 * that it does not look at.
 *
 *   byte   0       8       12      16     20 ... 32
 *          state   shared  guess   spin   -
 *
 *   state    not shared: units (src/thread/permits_word.h).  Shared: the C library's, below.
 *   shared   FW_SEM_SHARED_, or 0
 *   guess    what the state probably is: doc/design/sem.md, "The guess"
 *   spin     the adaptive-spin state: src/core/adaptive_spin.h
 *
 * In both formats a state up to FW_SEM_VALUE_MAX_ says that there are that many units and that
 * nobody waits; so both have the same fast path.
 */
struct fw_posix_sem_ {
    uint64_t state;
    uint32_t shared;
    uint32_t guess;
    uint32_t spin;
    uint32_t unused[3];
};

_Static_assert(sizeof(struct fw_posix_sem_) <= sizeof(sem_t), "fits");
_Static_assert(offsetof(struct fw_posix_sem_, guess) == PERMITS_GUESS_AT &&
                   offsetof(struct fw_posix_sem_, spin) == PERMITS_SPIN_AT,
               "permits.h wants them there");

#define FW_SEM_SHARED_ 128u
#define FW_SEM_VALUE_MAX_ 0x7fffffffu

_Static_assert(FW_SEM_VALUE_MAX_ == SEM_VALUE_MAX, "the C library's");

static inline struct fw_posix_sem_ *fw_posix_sem_(sem_t *s)
{
    return (struct fw_posix_sem_ *)s;
}

static inline bool fw_posix_sem_is_shared_(const struct fw_posix_sem_ *s)
{
    return fw_load32_relaxed(&s->shared) != 0;
}

/*
 * The state of a shared semaphore, as the C library has it:
 *
 *   bit   63 ... 32   31   30 ... 0
 *         waiters     0    value
 */
#define SHARED_WAITER_ (UINT64_C(1) << 32)

static inline uint32_t shared_value(uint64_t w)
{
    return (uint32_t)w & FW_SEM_VALUE_MAX_;
}

static inline bool shared_has_waiters(uint64_t w)
{
    return w >= SHARED_WAITER_;
}

/* n > 0 and nobody waits, n -> n - 1; false: perhaps it is otherwise. */
static inline bool fw_posix_sem_take_(struct fw_posix_sem_ *s)
{
    uint64_t w = fw_load32_relaxed(&s->guess);

    if (__builtin_expect(w - 1 >= FW_SEM_VALUE_MAX_, 0))
        return false;
    fw_store32_relaxed(&s->guess, (uint32_t)w - 1);
    return fw_cas64_acquire(&s->state, &w, w - 1); /* F:psem-trusts-guess */
}

/* Nobody waits, n -> n + 1; false: perhaps somebody does, or n is the maximum. */
static inline bool fw_posix_sem_add_(struct fw_posix_sem_ *s)
{
    uint64_t w = fw_load32_relaxed(&s->guess);

    if (__builtin_expect(w >= FW_SEM_VALUE_MAX_, 0))
        return false; /* F:psem-late-guess */
    fw_store32_relaxed(&s->guess, (uint32_t)w + 1);
    return fw_cas64_release(&s->state, &w, w + 1); /* F:psem-guesses-waiters */
}

/* sem_shared.c: a shared semaphore, when the fast path has failed. */
bool fw_sem_shared_take_(struct fw_posix_sem_ *s);

/* Adds a permit, and wakes one waiter; false where the value is the maximum. */
bool fw_sem_shared_post_(struct fw_posix_sem_ *s);

/* 0, ETIMEDOUT, EINTR (a signal handler ran).  A cancellation point where it sleeps. */
int fw_sem_shared_wait_(struct fw_posix_sem_ *s, const fw_deadline *deadline);

#endif
