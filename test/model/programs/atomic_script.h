/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ATOMIC_SCRIPT_H
#define MODEL_ATOMIC_SCRIPT_H

#include "script.h"

/*
 * The scripts of the programs for the generic atomics.
 *
 *   lock, try              a section of the lock: waits for it, takes it if it is free
 *   load, store, swap      of the object x
 *   load-y, store-y        of the object y
 *   cas                    compare-exchange of x: expects what this thread saw of it last
 *   stale                  the same: expects what nobody has stored
 *   count                  counts x up: loads, and compare-exchanges until that succeeds
 *   await                  loads x until somebody has stored something
 *   flag, look, look-back  stores a plain word; loads x, then that word; the word, then x
 *   flag-sc, flag-load     sequentially consistent, by the compilers' own instructions
 *   await-open, open       waits until somebody opens
 *   child                  what a fork does in the child
 *   free                   frees x
 *
 * All bytes of a value are equal, and every stored value is another one (except `count`).  So a
 * value that was read shows whether it is whole, and which of the writes it is of.
 */
struct atomic_script {
    unsigned size;       /* of x and y; 0: two words */
    unsigned lock_looks; /* before a thread sleeps */
    unsigned load_looks; /* before a load takes the lock; at least once */
    uint32_t word;       /* what is in the lock, and the sequence, of x's stripe at first */
    uint64_t sequence;
    bool shares;            /* y has the stripe of x */
    bool is_alone;          /* so says the C library */
    bool long_way;          /* and it may have been so until now */
    bool buffers;           /* fails if all threads find that nothing was stored: store buffering */
    bool forks;             /* a write may stop half way, and the lock may be held by nobody */
    bool between_processes; /* x and y lie in a region: programs/ipc_atomic_check.h */
};

/* What the sources are told; of NULL, what they are told by default. */
void atomic_script_begin(const struct atomic_script *script);

/* What programs/atomic_check.c adds to the hooks. */
void atomic_script_changed(unsigned thread, uint64_t addr, uint64_t before);
void atomic_script_finished(void);

/* Of what the threads of a process share; and of what processes do. */
extern const struct model_hooks atomic_hooks, ipc_atomic_hooks;

#endif
