/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_ONCE_H
#define FURWOCK_IPC_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/atomic.h>

FW_BEGIN_DECLS

/*
 * fw_ipc_once: one-time initialisation in shared memory by the first thread, of any process, that
 * needs it, while the others wait.  If that thread dies, the next one initialises.  Eight bytes,
 * all zeroes at first.
 *
 * Rules
 *  - It lies in a region (furwock/ipc/region.h), aligned to 8 bytes; zeroes are a once.  Processes
 *    may have the region at different addresses.
 *  - The initialiser returns 0 when it has succeeded: then none ever runs again, and every call of
 *    fw_ipc_once_call returns 0, and sees what the initialiser did.  Any other value is returned to
 *    the one caller whose initialiser it was; another thread that waits, or a later call, tries
 *    again.
 *  - The same goes for an initialiser that dies (killed, exec, end of the thread), at any
 *    instruction; the waiters notice at once.  The next initialiser finds what it has left half
 *    done, and has to start again over that: fw_ipc_once_is_left says so.
 *  - The same goes for one that is cancelled (pthread_cancel), and for one that a C++ exception
 *    leaves.  Do not leave it by longjmp.
 *  - After fork in the initialiser the parent goes on with it.  The child's initialiser, when it
 *    returns, has initialised nothing: its call returns EPERM.
 *  - A stopped initialiser (SIGSTOP, a debugger) is not dead: the others wait.
 *
 * fw_ipc_once_call is a cancellation point only if the initialiser is one, does not fail with
 * EINTR, and waits as the default wait policy says (furwock/wait.h).  It is safe in a signal
 * handler only once the initialisation is done.
 *
 * Example: a table in shared memory that is filled once, by the first process that needs it
 *
 *     struct squares {
 *         fw_ipc_once once;
 *         unsigned square[100];
 *     };
 *
 *     static int fill(void *arg)
 *     {
 *         struct squares *s = arg;
 *         for (unsigned i = 0; i < 100; i++)
 *             s->square[i] = i * i;
 *         return 0;
 *     }
 *
 *     int square_of(struct squares *s, unsigned i, unsigned *square)
 *     {
 *         int error = fw_ipc_once_call(&s->once, fill, s);
 *         if (error == 0)
 *             *square = s->square[i];
 *         return error;
 *     }
 */
typedef struct fw_ipc_once {
    uint64_t word_; /* internal: src/ipc/once.c */
} fw_ipc_once;

#define FW_IPC_ONCE_INIT {0}

/* Internal: the word once the initialisation is done. */
#define FW_IPC_ONCE_DONE_ UINT64_C(0xffff)

/* Internal. */
static inline bool fw_ipc_once_is_done_(const fw_ipc_once *o)
{
    return __builtin_expect(fw_load64_acquire(&o->word_) == FW_IPC_ONCE_DONE_, 1);
}

/* True once the initialisation is done; its effects are then visible. */
FW_NODISCARD FW_INLINE bool fw_ipc_once_is_done(const fw_ipc_once *o);
#ifndef FW_CALLED_
FW_INLINE bool fw_ipc_once_is_done(const fw_ipc_once *o)
{
    return fw_ipc_once_is_done_(o);
}
#endif

/* Internal: the call, where the initialisation is not known to be done. */
FW_API int fw_ipc_once_call_slow_(fw_ipc_once *o, int (*init)(void *), void *arg)
    FW_ABI_NAME_(fw_ipc_once_call_slow);

/*
 * Calls init(arg) unless that has succeeded before; waits while another thread does so.
 *   0         it has succeeded, now or before
 *   EDEADLK   called from its own initialiser
 *   EPERM     the caller was forked in its initialiser
 *   EINVAL    not done, and it lies in no region that this process has joined, or is misaligned
 *   EAGAIN    not done, and the region has no participant slot left for another thread
 *   EUCLEAN   it has been overwritten; it is left as it is
 *   else what the initialiser returned
 */
FW_INLINE int fw_ipc_once_call(fw_ipc_once *o, int (*init)(void *), void *arg);
#ifndef FW_CALLED_
FW_INLINE int fw_ipc_once_call(fw_ipc_once *o, int (*init)(void *), void *arg)
{
    return fw_ipc_once_is_done_(o) ? 0 : fw_ipc_once_call_slow_(o, init, arg);
}
#endif

/*
 * For the initialiser: did an earlier initialiser die half-way, without one that has finished
 * since?
 */
FW_NODISCARD FW_API bool fw_ipc_once_is_left(const fw_ipc_once *o);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/once.h>
#endif

FW_END_DECLS

#endif
