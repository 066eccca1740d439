/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_ONCE_H
#define FURWOCK_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/atomic.h>

FW_BEGIN_DECLS

/*
 * fw_once: one-time initialisation by the first thread that needs it, while the others wait.  Four
 * bytes, all zeroes at first.
 *
 * Rules
 *  - A once is ready when its bytes are zero: FW_ONCE_INIT, a static variable, calloc.  It needs no
 *    destructor and allocates nothing.
 *  - The initialiser returns 0 when it has succeeded: then it never runs again, and every call of
 *    fw_once_call returns 0, and sees what the initialiser did.  Any other value is returned to the
 *    one caller whose initialiser it was; another thread that waits, or a later call, tries again.
 *  - The same goes for an initialiser that is cancelled (pthread_cancel), and for one that a C++
 *    exception leaves: the next one tries again.  Do not leave it by longjmp, nor by pthread_exit
 *    on a C library that does not run clean-up handlers then.
 *  - An initialiser that calls fw_once_call for its own once is an error in the program: the
 *    library aborts it with a diagnostic on standard error that names the once and the thread.
 *  - After fork(3), if another thread was running the initialiser, the next call in the child
 *    starts again, over whatever the first attempt has left half done, as POSIX has it for
 *    pthread_once.  If the initialiser itself forks, it goes on in the child, and others wait.
 *  - Not for memory shared between processes.
 *
 * fw_once_call is a cancellation point only if the initialiser is one, does not fail with EINTR,
 * and waits as the default wait policy says (furwock/wait.h).  It is safe in a signal handler only
 * once the initialisation is done.  The interface is that of POSIX's pthread_once; waiting and
 * waking are those of Franke, Russell and Kirkwood (OLS 2002), section 3.1.3.
 *
 * Example: a table that is allocated when it is first needed
 *
 *     static fw_once table_once = FW_ONCE_INIT;
 *     static double *table;
 *
 *     static int make_table(void *size)
 *     {
 *         table = calloc(*(size_t *)size, sizeof *table);
 *         return table != NULL ? 0 : ENOMEM;
 *     }
 *
 *     double *get_table(size_t size)
 *     {
 *         return fw_once_call(&table_once, make_table, &size) == 0 ? table : NULL;
 *     }
 */
typedef struct fw_once {
    uint32_t state_; /* internal; its layout is described in doc/design/once.md and may change */
} fw_once;

#define FW_ONCE_INIT {0}

/* Internal: the word once the initialisation is done. */
#define FW_ONCE_DONE_ 2u

/* Internal. */
static inline bool fw_once_is_done_(const fw_once *o)
{
    return __builtin_expect(fw_load32_acquire(&o->state_) == FW_ONCE_DONE_, 1);
}

/* True once the initialisation is done; its effects are then visible. */
FW_NODISCARD FW_INLINE bool fw_once_is_done(const fw_once *o);
#ifndef FW_CALLED_
FW_INLINE bool fw_once_is_done(const fw_once *o)
{
    return fw_once_is_done_(o);
}
#endif

/* Internal: the call, where the initialisation is not known to be done. */
FW_API int fw_once_call_slow_(fw_once *o, int (*init)(void *), void *arg)
    FW_ABI_NAME_(fw_once_call_slow);

/*
 * Calls init(arg) unless that has succeeded before; waits while another thread does so.  Returns 0
 * if it has succeeded, now or before, else what the initialiser returned.  The fast path, one load
 * and one branch, is compiled into the caller.
 */
FW_INLINE int fw_once_call(fw_once *o, int (*init)(void *), void *arg);
#ifndef FW_CALLED_
FW_INLINE int fw_once_call(fw_once *o, int (*init)(void *), void *arg)
{
    return fw_once_is_done_(o) ? 0 : fw_once_call_slow_(o, init, arg);
}
#endif

/*
 * Internal, for furwock.hpp, whose initialisers may throw.  Begin waits; true: the caller is to
 * initialise, and must call end, and say whether that is done now.
 */
FW_API bool fw_once_begin_(fw_once *o) FW_ABI_NAME_(fw_once_begin);
FW_API void fw_once_end_(fw_once *o, bool done) FW_ABI_NAME_(fw_once_end);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/once.h>
#endif

FW_END_DECLS

#endif
