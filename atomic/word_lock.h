/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_WORD_LOCK_H
#define FW_ATOMIC_WORD_LOCK_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

/*
 * A lock for sections as short as the copy of a small object: one word, lock and count in one, one
 * atomic instruction to lock and one to unlock.  States and invariants: word_lock.c.
 *
 * For the threads of one process.  Not recursive; knows no owner; not fair: a thread that
 * comes when it is free has it.  A waiter spins a little and then sleeps.  No call is a
 * cancellation point.
 */
typedef struct fw_word_lock {
    uint32_t word;
} fw_word_lock;

#define FW_WORD_LOCK_INIT \
    {                     \
        0                 \
    }

#define FW_WORD_LOCK_HELD_ (UINT32_C(1) << 31)
#define FW_WORD_LOCK_WAKING_ (UINT32_C(1) << 30)
#define FW_WORD_LOCK_SLEEPER_ UINT32_C(1)

/*
 * How many times a thread reads a held lock, and after how many CPU pauses each, before it goes to
 * sleep: `furwock calibrate`, and doc/design/atomics.md, "How long to spin".
 */
#ifndef FW_WORD_LOCK_LOOKS_
#define FW_WORD_LOCK_LOOKS_ 1u
#endif
#ifndef FW_WORD_LOCK_PAUSES_
#define FW_WORD_LOCK_PAUSES_ 40u
#endif

static inline bool fw_word_lock_is_held_(uint32_t word)
{
    return (word & FW_WORD_LOCK_HELD_) != 0;
}

void fw_word_lock_slow_(fw_word_lock *l);
void fw_word_unlock_slow_(fw_word_lock *l, uint32_t was);

/* For the holder: if others sleep, one is woken now, and re-checks until it has the lock. */
void fw_word_lock_name_successor_(fw_word_lock *l);

/* 0 or EBUSY. */
static inline int fw_word_lock_trylock_(fw_word_lock *l)
{
    uint32_t now = fw_load32_relaxed(&l->word);
    while (!fw_word_lock_is_held_(now))
        if (fw_cas32_acquire(&l->word, &now, now | FW_WORD_LOCK_HELD_)) /* n -> HELD|n */
            return 0;
    return EBUSY;
}

static inline void fw_word_lock_lock_(fw_word_lock *l)
{
    uint32_t nobody = 0;
    if (__builtin_expect(!fw_cas32_acquire(&l->word, &nobody, FW_WORD_LOCK_HELD_),
                         0)) /* 0 -> HELD */
        fw_word_lock_slow_(l);
}

/* The highest bit is cleared by adding it. */
static inline void fw_word_lock_unlock_(fw_word_lock *l)
{
    /* F:sequence-plain-release */
    uint32_t was = fw_add32_release(&l->word, FW_WORD_LOCK_HELD_); /* HELD|n -> n */
    /* F:word-no-look */
    if (__builtin_expect(was != FW_WORD_LOCK_HELD_, 0))
        fw_word_unlock_slow_(l, was);
}

#endif
