/* SPDX-License-Identifier: MIT */
/*
 * fw_ipc_once.  Contract: furwock/ipc/once.h.  Bits of a word: layout.h.  Reasons:
 * doc/design/ipc-sync.md.
 *
 * Origin: fw_once, and a word that names its holder (mutex.c).
 *
 * word                    meaning                        left by
 * ----------------------  -----------------------------  ----------------------------------------
 * 0                       not begun                      any thread: -> its id
 * 0, DIED                 the same, and a thread has     any thread: -> its id, DIED
 *                         died over it
 * a living id[, DIED]     that thread initialises        that thread: -> DONE, or 0[, DIED]
 * the same, WAITERS       and threads may sleep          the same, and wakes all
 * a dead id               the initialiser died           any thread: -> its id, DIED
 * DONE                    done                           nobody
 * anything else           has been written over          nobody: EUCLEAN
 *
 * IONCE1  One living thread at a time is in the word: it initialises.  It enters and leaves the
 *         word by one compare-and-swap each, whichever way the initialiser ends.
 * IONCE2  DONE is stored by the thread in the word only, after its initialiser has returned 0.
 * IONCE3  A thread sleeps only on a word with WAITERS set, and one that takes the word over from a
 *         dead thread keeps it.  All watch the life of the thread in the word (wait.h), which
 *         either wakes them or dies.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>

/* This file has the linkable copies of the inline functions of one header. */
#define FW_INLINE FW_API
#include <furwock/ipc/once.h>
#undef FW_INLINE
#define FW_INLINE static inline

#include "core/attributes.h"
#include "ipc/announce.h"
#include "ipc/holder_word.h"
#include "ipc/region/participant.h"
#include "ipc/wait.h"

_Static_assert(sizeof(fw_ipc_once) == 8, "the public promise");
_Static_assert(FW_IPC_ONCE_DONE_ == FW_IPC_ABANDONED, "no thread's id");

static bool is_begun(uint64_t w)
{
    return (w & FW_IPC_HOLDER) != 0;
}

static bool is_possible(uint64_t w)
{
    return (w & ~(FW_IPC_HOLDER | FW_IPC_WAITERS | FW_IPC_DIED)) == 0;
}

/*
 * One try.  0: the caller is to initialise; EEXIST: it is done; EBUSY: another thread does it, and
 * *w is the word; EDEADLK, EUCLEAN.
 */
static int attempt(fw_ipc_once *o, const struct fw_ipc_wait_ *wait, uint64_t *w)
{
    for (;;) {
        uint64_t mine = wait->me.id;
        *w = fw_load64_acquire(&o->word_);
        if (*w == FW_IPC_ONCE_DONE_)
            return EEXIST;
        if (!is_possible(*w))
            return EUCLEAN;
        if ((*w & FW_IPC_HOLDER) == mine)
            return EDEADLK;
        if (is_begun(*w)) {
            enum fw_ipc_life life = fw_ipc_wait_life_(wait, *w & FW_IPC_HOLDER);
            if (life != FW_IPC_DEAD) /* F:ipc-once-robs */
                return life == FW_IPC_ALIVE ? EBUSY : EUCLEAN;
            mine |= FW_IPC_DIED;
        }
        /* not begun -> id, or dead id -> id, DIED; acquire: what an attempt before has left */
        /* F:ipc-once-torn */
        if (fw_cas64_acquire(&o->word_, w, mine | (*w & (FW_IPC_WAITERS | FW_IPC_DIED))))
            return 0;
    }
}

struct waiter {
    struct fw_ipc_waiter_ base;
    fw_ipc_once *o;
};

static int attempt_again(void *waiter, uint64_t *w, uint64_t extra)
{
    const struct waiter *me = waiter;

    (void)extra; /* it will wake all: IONCE3 */
    return attempt(me->o, me->base.wait, w);
}

/* Whether the initialiser runs is not asked: it may run for long. */
static bool spin(void *waiter, uint64_t w)
{
    const struct waiter *me = waiter;

    (void)w;
    return fw_ipc_wait_spin_(me->base.wait);
}

/* Waits until the caller is to initialise (0), or it is done (EEXIST), or an error. */
static int begin(fw_ipc_once *o, struct fw_ipc_wait_ *wait)
{
    static const struct fw_owner_word_ how = FW_IPC_OWNER_WORD_(attempt_again, spin);
    struct waiter me = {{&o->word_, wait}, o};
    uint64_t w = 0; /* attempt looks for itself */

    return fw_owner_word_wait_(&how, &o->word_, &w, &me); /* no deadline */
}

/* What must be known when the initialiser ends, however it does. */
struct run {
    fw_ipc_once *o;
    uint64_t id;
    int error; /* of the initialiser, until it is known: not 0 */
    bool is_lost;
};

/* id -> DONE, or back to not begun (IONCE1).  In a forked child the word names another thread. */
static void end(void *arg)
{
    struct run *r = arg;
    struct fw_ipc_me_ me;
    uint64_t w = fw_load64_relaxed(&r->o->word_), next;

    r->is_lost = fw_ipc_enter_(r->o, &me) != 0 || me.id != r->id;
    do {
        r->is_lost |= (w & FW_IPC_HOLDER) != r->id;
        if (r->is_lost)
            return;
        next = r->error == 0 ? FW_IPC_ONCE_DONE_ : w & FW_IPC_DIED; /* F:ipc-once-done-anyway */
    } while (!fw_cas64_release(&r->o->word_, &w, next));
    if ((w & FW_IPC_WAITERS) != 0) /* F:ipc-once-no-wake */
        fw_ipc_wake_(fw_ipc_half_(&r->o->word_), INT_MAX);
}

/*
 * This file is compiled with -fexceptions: the clean-up also runs where an exception of C++ passes.
 */
static int run_init(fw_ipc_once *o, uint64_t id, int (*init)(void *), void *arg)
{
    struct run run = {o, id, EINTR, false};

    pthread_cleanup_push(end, &run);
    run.error = init(arg); /* F:ipc-once-done-early */
    pthread_cleanup_pop(1);
    return run.is_lost ? EPERM : run.error;
}

COLD int fw_ipc_once_call_slow_(fw_ipc_once *o, int (*init)(void *), void *arg)
{
    struct fw_ipc_wait_ wait;
    struct fw_ipc_me_ me;
    int error = (uintptr_t)o % sizeof o->word_ == 0 ? fw_ipc_enter_(o, &me) : EINVAL;

    if (error != 0)
        return error;
    fw_ipc_wait_begin_(&wait, &me, o, FW_IPC_WAITS_ELSE, NULL, NULL); /* cannot fail */
    error = begin(o, &wait);
    fw_ipc_wait_end_(&wait);
    if (error != 0)
        return error == EEXIST ? 0 : error;
    return run_init(o, me.id, init, arg);
}

bool fw_ipc_once_is_left(const fw_ipc_once *o)
{
    return (fw_load64_relaxed(&o->word_) & FW_IPC_DIED) != 0;
}
