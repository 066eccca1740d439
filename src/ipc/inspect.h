/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_INSPECT_H
#define FW_IPC_INSPECT_H

/*
 * What a tool may read of a region that others use (furwock show, regions, rt status): this is the
 * only header of src/ipc/ that it includes.
 *
 * A tool maps the file for reading and changes nothing.  It reads each word once, by an atomic
 * load, and trusts none: an offset or an index is checked before it is followed, and words that do
 * not fit together were read at different moments.
 *
 *   region/head.h         is the file a region, and what is planned in it?
 *   region/layout.h       slots of threads, and the name of a holder in a word
 *   region/mapping.h      an address by its offset; a description may be made of any mapping
 *   region/participant.h  whether a holder is alive, and its ids
 *   region/directory.h    the named objects
 *   share.h, wait.h       what a thread holds beside others, and what it waits for
 *   state.h               what the words of mutexes and read-write locks say
 *   rwlock.h, barrier_word.h   the words of these; those of the others are in furwock/ipc/
 */
#include "ipc/barrier_word.h"
#include "ipc/region/directory.h"
#include "ipc/region/head.h"
#include "ipc/region/layout.h"
#include "ipc/region/mapping.h"
#include "ipc/region/participant.h"
#include "ipc/rwlock.h"
#include "ipc/share.h"
#include "ipc/state.h"
#include "ipc/wait.h"

#endif
