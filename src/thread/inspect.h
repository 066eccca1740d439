/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_INSPECT_H
#define FW_THREAD_INSPECT_H

/*
 * What a tool may read of the locks between the threads of another process (furwock who): this is
 * the only header of src/thread/ that it includes.
 *
 * The tool has copies of the words, made while the process goes on: those that do not fit together
 * were read at different moments.
 */
#include "thread/barrier_word.h"
#include "thread/brlock_lines.h"
#include "thread/cond_queue.h"
#include "thread/mutex_word.h"
#include "thread/rwlock_queue.h"
#include "thread/rwlock_word.h"

#endif
