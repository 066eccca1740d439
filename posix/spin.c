/* SPDX-License-Identifier: MIT */
/*
 * pthread_spin_*.  Contract: spin.h.
 *
 * Origin: test, and test and set (Rudolph and Segall, 1984).
 *
 * word   meaning   left by
 * -----  --------  ----------------------------------------
 * 0, 1   free      anybody: HELD
 * HELD   held      anybody: 0 (the lock is not told by whom)
 *
 * Legal:   to store HELD into a lock that is held.
 * Illegal: any other value.
 */
#include "spin.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

#include "core/attributes.h"
#include "export.h"
#include "stat.h"
#include "sys/clock.h"

#define FREE 0u
#define HELD 2u

/* Looks, of a few tens of nanoseconds each, before the CPU is given to others. */
#define LOOKS_BEFORE_YIELD 1000u

static fw_half_ *word_of(pthread_spinlock_t *l)
{
    return (fw_half_ *)l;
}

/* free or HELD -> HELD.  True: it was free. */
static inline bool take(fw_half_ *word)
{
    return __builtin_expect(fw_xchg32_acquire(word, HELD) != HELD, 1);
}

int fw_posix_spin_init_(pthread_spinlock_t *l, int shared)
{
    (void)shared;
    fw_store32_relaxed(word_of(l), FREE);
    return 0;
}
FW_EXPORT(fw_posix_spin_init_, pthread_spin_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_spin_init_, pthread_spin_init, GLIBC_2_2_5);

int fw_posix_spin_destroy_(pthread_spinlock_t *l)
{
    (void)l;
    return 0;
}
FW_EXPORT(fw_posix_spin_destroy_, pthread_spin_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_spin_destroy_, pthread_spin_destroy, GLIBC_2_2_5);

int fw_posix_spin_trylock_(pthread_spinlock_t *l)
{
    return take(word_of(l)) ? 0 : EBUSY;
}
FW_EXPORT(fw_posix_spin_trylock_, pthread_spin_trylock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_spin_trylock_, pthread_spin_trylock, GLIBC_2_2_5);

COLD static int lock_slow(fw_half_ *word, const void *site)
{
    struct fw_stat_ stat;
    uint32_t looks = 0;

    fw_stat_begin_(&stat, FW_STAT_SPIN, word, site);
    do {
        while (fw_load32_relaxed(word) == HELD) {
            if (++looks % LOOKS_BEFORE_YIELD == 0)
                fw_yield_();
            else
                fw_pause_();
        }
    } while (!take(word));
    fw_stat_end_(&stat, 0);
    return 0;
}

int fw_posix_spin_lock_(pthread_spinlock_t *l)
{
    return take(word_of(l)) ? 0 : lock_slow(word_of(l), FW_SITE_);
}
FW_EXPORT(fw_posix_spin_lock_, pthread_spin_lock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_spin_lock_, pthread_spin_lock, GLIBC_2_2_5);

int fw_posix_spin_unlock_(pthread_spinlock_t *l)
{
    fw_store32_release(word_of(l), FREE);
    return 0;
}
FW_EXPORT(fw_posix_spin_unlock_, pthread_spin_unlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_spin_unlock_, pthread_spin_unlock, GLIBC_2_2_5);
