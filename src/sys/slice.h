/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_SLICE_H
#define FW_SYS_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A little more time for a thread that holds a lock: the time slice extension of Linux 7.0, where
 * it is configured and the C library has registered enough of struct rseq.  Sources:
 * Documentation/userspace-api/rseq.rst, include/uapi/linux/rseq.h and kernel/rseq.c of Linux.
 *
 * A thread that has allowed it once (prctl) sets a byte, `request`, while it should not lose its
 * CPU.  If its time is up then, the kernel may clear that byte, set the next, `granted`, and let
 * the thread run on for some microseconds (5, unless the administrator has set another number).
 * The thread thanks by a system call as soon as it can: any call gives the CPU up, and
 * rseq_slice_yield does nothing else.  If it is too slow it loses the CPU, and both bytes are 0.
 *
 *     fw_slice_ask_(lock)         the caller has taken this lock, and others want it
 *     fw_slice_done_(lock)        the caller has released it
 *
 * Of locks held at the same time the first asks for all: until it is released, or has lost what it
 * asked for.  done may be left out, and may come without ask: who forgets it has one extension too
 * many.  done comes after the wake, if there is one to do: where time was granted, that system call
 * gives the CPU up, and then done needs none.
 *
 * Both cost a few instructions, and nothing that others see; the first ask of each thread a system
 * call, in a process whose kernel has the extension.  May be called in a signal handler.
 */
void fw_slice_ask_(const void *lock);
void fw_slice_done_(const void *lock);

/* --- Inside, and for tests ------------------------------------------------------------------- */

/* Where struct rseq has it. */
#define FW_SLICE_OFFSET 28

struct fw_slice_control_ {
    uint8_t request;
    uint8_t granted;
    uint16_t reserved;
};

_Static_assert(sizeof(struct fw_slice_control_) == 4, "the kernel's layout");

/*
 * lock  request  granted  meaning                           left by
 * ----  -------  -------  --------------------------------  --------------------------------------
 * 0     0        0        asks for nothing                  ask
 * lock  1        0        asks                              done; kernel: grants, or takes the CPU
 * lock  0        1        runs on borrowed time             done: yields; kernel: takes the CPU
 * lock  0        0        has lost the CPU since it asked   done; ask: the other lock takes over
 * 0     1        0        somebody else's request, or a     whoever made it; kernel: as above
 *                         done that was left out
 * 0     0        1        somebody else runs on it          the same
 *
 * Legal:   request set when the thread holds no lock (one extension too many).
 * Illegal: to write `granted`; to set `request` while that is set (kernels that check kill).
 */
struct fw_slice_ {
    const void *lock;
};

static inline void fw_slice_ask_in_(struct fw_slice_ *s, volatile struct fw_slice_control_ *c,
                                    const void *lock)
{
    if (c->request != 0 || c->granted != 0)
        return; /* and without a request nobody is granted anything before the next line */
    s->lock = lock;
    c->request = 1;
    __atomic_signal_fence(__ATOMIC_ACQUIRE);
}

/* True: the caller has to call fw_slice_yield_. */
static inline bool fw_slice_done_in_(struct fw_slice_ *s, volatile struct fw_slice_control_ *c,
                                     const void *lock)
{
    if (s->lock != lock)
        return false;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    s->lock = NULL;
    c->request = 0;
    return c->granted != 0;
}

/* Allows it for the calling thread: 0 or -errno. */
int fw_slice_allow_(void);

/* Gives the CPU up, if time was granted and is not over: then 1, else 0 or -errno. */
long fw_slice_yield_(void);

#endif
