/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_WAIT_H
#define FURWOCK_WAIT_H

#include <stdint.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * wait: how a thread waits for a lock that another thread holds.
 *
 * A lock decides which thread may enter; a wait policy decides how the others wait: spin, yield or
 * block.  The choices are those of Franke, Russell and Kirkwood (OLS 2002), section 2: block in the
 * kernel, yield the CPU, or spin, "for some user specified time (or until granted)" before
 * blocking.
 *
 * Every lock has a call that takes a policy (fw_mutex_lock_policy); all its other calls use the
 * default policy of the process, which spins a little and then blocks (doc/design/mutex.md says how
 * the budget was measured).
 *
 * Example: a thread that would rather burn 20 microseconds than sleep
 *
 *     static const fw_wait_policy patient = {FW_WAIT_SPIN_THEN_BLOCK, 20000};
 *
 *     int enter(fw_mutex *m) { return fw_mutex_lock_policy(m, &patient, NULL); }
 */
typedef enum fw_wait_kind {
    FW_WAIT_DEFAULT = 0,         /* the process default; spin_ns is ignored */
    FW_WAIT_BLOCK = 1,           /* sleep in the kernel at once */
    FW_WAIT_SPIN_THEN_BLOCK = 2, /* spin for spin_ns, then sleep */
    FW_WAIT_SPIN = 3,            /* spin until granted; never sleep */
    FW_WAIT_YIELD = 4,           /* spin, yielding the CPU between checks; never sleep */
    FW_WAIT_ADAPTIVE = 5,        /* spin while the owner runs, then sleep; see below */
    FW_WAIT_INTERRUPTIBLE = 256  /* beside a kind, between processes: furwock/ipc/interrupt.h */
} fw_wait_kind;

typedef struct fw_wait_policy {
    fw_wait_kind kind;
    uint32_t spin_ns; /* nanoseconds; for FW_WAIT_SPIN_THEN_BLOCK and FW_WAIT_ADAPTIVE */
} fw_wait_policy;

/*
 * FW_WAIT_ADAPTIVE: if the lock has an owner, and the assist (`furwock assist start`;
 * doc/design/adaptive.md) tells whether that thread is on a CPU, a waiter spins for as long as it
 * is, up to a built-in bound, and sleeps at once if it is not.  Only if that is not known does
 * spin_ns apply, as for FW_WAIT_SPIN_THEN_BLOCK.  A waiter for a mutex that sees it pass to
 * several others meanwhile then sleeps earlier.  This is what Hart's FUTEX_LOCK_ADAPTIVE (2010)
 * did inside the kernel.  The built-in default.
 */

/* The longest budget: one second, in nanoseconds. */
#define FW_WAIT_SPIN_MAX_NS 1000000000u

/*
 * Sets the policy of every call in this process that names none.  Returns 0, or EINVAL (and changes
 * nothing) if policy is NULL, the kind is unknown, or spin_ns is above FW_WAIT_SPIN_MAX_NS.
 * FW_WAIT_DEFAULT restores the built-in default.  Safe at any time, from any thread; calls that are
 * already waiting keep the policy they began with.
 */
FW_API int fw_wait_set_default(const fw_wait_policy *policy);

/*
 * The policy that calls use now when they name none.  Its kind is never FW_WAIT_DEFAULT; later
 * versions may return kinds that this one does not have.
 */
FW_API fw_wait_policy fw_wait_get_default(void);

FW_END_DECLS

#endif
