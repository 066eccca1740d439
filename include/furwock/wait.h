/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_WAIT_H
#define FURWOCK_WAIT_H

#include <stdint.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * wait: how a thread waits for a lock that somebody else holds.
 *
 * A lock decides who may enter; a waiting policy decides how the others pass the time.  The choices
 * are those of Franke, Russell and Kirkwood (OLS 2002), section 2: block in the kernel, yield the
 * processor, or spin, "for some user specified time (or until granted)" before blocking.
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
    FW_WAIT_DEFAULT = 0,         /* whatever the process default is; spin_ns is not looked at */
    FW_WAIT_BLOCK = 1,           /* sleep in the kernel at once */
    FW_WAIT_SPIN_THEN_BLOCK = 2, /* poll for spin_ns, then sleep */
    FW_WAIT_SPIN = 3,            /* poll until granted; never sleep */
    FW_WAIT_YIELD = 4,           /* poll, giving up the processor between looks; never sleep */
    FW_WAIT_ADAPTIVE = 5         /* poll while the owner runs, then sleep; see below */
} fw_wait_kind;

typedef struct fw_wait_policy {
    fw_wait_kind kind;
    uint32_t spin_ns; /* nanoseconds; for FW_WAIT_SPIN_THEN_BLOCK and FW_WAIT_ADAPTIVE */
} fw_wait_policy;

/*
 * FW_WAIT_ADAPTIVE: where the lock has an owner, and the assist (`furwock assist start`;
 * doc/design/adaptive.md) tells whether that thread is on a CPU, a waiter polls for as long as it
 * is, up to a bound of its own, and sleeps at once when it is not.  Where that is not known, and
 * only then, spin_ns counts: the same as FW_WAIT_SPIN_THEN_BLOCK.  This is what Hart's
 * FUTEX_LOCK_ADAPTIVE (2010) did inside the kernel.  The built-in default.
 */

/* The longest budget: one second, in nanoseconds. */
#define FW_WAIT_SPIN_MAX_NS 1000000000u

/*
 * Sets the policy of every call in this process that names none.  Returns 0, or EINVAL (and changes
 * nothing) where policy is NULL, the kind is unknown, or spin_ns is above FW_WAIT_SPIN_MAX_NS.
 * FW_WAIT_DEFAULT restores the built-in default.  Safe at any time, from any thread; calls that are
 * already waiting keep the policy they began with.
 */
FW_API int fw_wait_set_default(const fw_wait_policy *policy);

/*
 * The policy that calls use now when they name none.  Its kind is never FW_WAIT_DEFAULT; later
 * versions may answer kinds that this one has not.
 */
FW_API fw_wait_policy fw_wait_get_default(void);

FW_END_DECLS

#endif
