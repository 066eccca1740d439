/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CLAIM_H
#define FW_SYS_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Look around and act, in one step as far as the CPU's other threads can tell.
 *
 * The build picks the implementation: src/sys/x86_64/ (a restartable sequence) or src/sys/generic/
 * (it cannot be done, and is never done).
 *
 *     bool fw_claim_(uint32_t cpu, uint64_t *word, uint64_t value, const uint64_t *const *other,
 *                    const uint64_t *seen, unsigned n);
 *     bool fw_claim_one_(uint32_t cpu, uint64_t *word, uint64_t value, const uint64_t *other,
 *                        uint64_t seen);
 *
 * FW_CLAIMS says which: 0 where it is never done.
 *
 * Stores the value in the word if the caller runs on that CPU and each *other[i] is seen[i].  True:
 * it is stored, and from before the first look until after the store no other thread has run on
 * that CPU.  False: nothing is stored; or it cannot be known, as when the caller was interrupted.
 * The caller then does without: it does not try forever, for a thread that is single-stepped by a
 * debugger would never succeed.  The words are looked at one after the other, up to the first that
 * differs.  The second call does the same with one other word.
 *
 * The store is a release.  What others on that CPU have stored is seen; of others' stores on other
 * CPUs nothing is said, and it is no barrier.  Needs no system call; some nanoseconds.
 */
#include <sys_claim_arch.h>

#endif
