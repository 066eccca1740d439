/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_CONTENDED_H
#define FW_ATOMIC_CONTENDED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * For a thread whose operation has just failed, at an object whose sequence is now as given: did
 * its last failure happen there, too, and has a thread written since?  Then the object is
 * contended, and it pays to yield.  A thread that fails at what nobody changes is not held up.
 */
bool fw_contention_(const uint64_t *place, uint64_t sequence);

#endif
