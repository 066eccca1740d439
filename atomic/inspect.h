/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_INSPECT_H
#define FW_ATOMIC_INSPECT_H

/*
 * What furwock calibrate needs of the lock under an atomic object, to measure one like it: this is
 * the only header of atomic/ that it includes.
 *
 *   copy.h         how an object is copied meanwhile
 *   stripe.h       a lock and a sequence, as they lie in memory
 *   word_lock.h    the bits of the word; how often a thread looks at it before it sleeps
 *                  (FW_WORD_LOCK_LOOKS_), and after how many pauses (FW_WORD_LOCK_PAUSES_)
 */
#include "copy.h"
#include "stripe.h"
#include "word_lock.h"

#endif
