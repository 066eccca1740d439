/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WAITS_RECORDING_H
#define FW_COMMAND_WAITS_RECORDING_H

#include <jansson.h>

#include "model.h"

/*
 * A view in a file: JSON, whole in itself, since what was watched may have ended and its files may
 * have changed.
 *
 * "processes", "frames" and "stacks" are lists, and others refer to their entries by index, from 0.
 * A frame is [function, called as, source, line, module, offset, address, is a guess], null where
 * something is not known; a stack is a list of frames, innermost first.  A sample is [start,
 * length, time from wake-up to CPU (ns), TID, waker's TID, lock, waiter's stack, waker's stack
 * (null: none), for how many waits it stands, not woken by futex].
 */
#define RECORDING_FORMAT "furwock-waits-1"

json_t *recording_save(const struct waits_view *v);

/* Ends the program with a message if that is no recording.  `name` is of the file. */
const struct waits_view *recording_load(const json_t *root, const char *name);

#endif
