/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FWK_SHIM_H
#define FWK_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

/*
 * What the core needs from outside, in a program: a test, or the model, which puts its own atomic
 * operations in the place of bits/atomic.h.  Whoever links the core has the functions below.
 */
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;

typedef uint32_t *fwk_word;
typedef struct fwk_spin {
    uint64_t held;
} fwk_spin;
typedef struct fwk_task {
    uint32_t woken; /* counts the wakes: what it sleeps on */
} fwk_task;

void fwk_spin_init(fwk_spin *lock);
void fwk_spin_lock(fwk_spin *lock);
void fwk_spin_lock_second(fwk_spin *lock); /* of two */
void fwk_spin_unlock(fwk_spin *lock);

#define fwk_load_relaxed(p) ((__typeof__(*(p)))fw_load64_relaxed((uint64_t *)(p)))
#define fwk_load_acquire(p) ((__typeof__(*(p)))fw_load64_acquire((uint64_t *)(p)))
#define fwk_store_relaxed(p, v) fw_store64_relaxed((uint64_t *)(p), (uint64_t)(v))
#define fwk_store_release(p, v) fw_store64_release((uint64_t *)(p), (uint64_t)(v))

int fwk_word_read(fwk_word w, u32 *seen);
int fwk_word_swap(fwk_word w, u32 *seen, u32 old, u32 new_value);

void fwk_task_hold(fwk_task *t);
void fwk_task_wake(fwk_task *t);

#endif
