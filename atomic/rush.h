/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_RUSH_H
#define FW_ATOMIC_RUSH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * For a thread whose operation has just failed, at a place whose sequence is now as given: has it
 * failed there the last time it failed anywhere, and has somebody written since?  Then there is a
 * rush, and it is worth to give way.  One who fails at what nobody changes is not held up.
 */
bool fw_contention_(const uint64_t *place, uint64_t sequence);

#endif
