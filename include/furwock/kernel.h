/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FURWOCK_KERNEL_H
#define FURWOCK_KERNEL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * kernel: the calls of the module furwock.ko (kmod/), which has the kernel services of the papers:
 * of Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), sections 3 and 3.1,
 * with requeueing (Molnar 2003), and FUTEX_LOCK (Hart 2010).  User space and the module share this
 * text.
 *
 * Each call is an ioctl(2) on a descriptor of /dev/furwock, with one of the structures below.
 *
 * Rules
 *  - A structure begins with its `size`, sizeof as the caller knows it, and `flags`.  Flags that
 *    the module does not know, padding that is not zero, and a larger structure whose rest is not
 *    zero are refused with EINVAL and E2BIG: a new program on an old module notices.
 *  - A word is 32 bits wide, aligned to 4 bytes, and is named by what backs its memory: shared
 *    memory by [file, offset], so that all mappings and processes meet at it; other memory by
 *    [address space, address].  Nothing is pinned; a sleeper keeps a shared word's file open.
 *  - FW_KERNEL_PRIVATE names any word by [address space, address], which is faster; all who use the
 *    word must agree about it.  FW_KERNEL_PAGE names it by its page and pins that, as Linux 2.5.7
 *    did: for study, since a page is replaced when it is copied on write.
 *  - To wait for a word takes the right to read it, all other calls take the right to write it.
 *  - Deadlines are absolute, in nanoseconds of CLOCK_MONOTONIC, or with FW_KERNEL_REALTIME of
 *    CLOCK_REALTIME.  FW_KERNEL_NEVER: none.  A negative one has passed.
 *  - Waiters are served by priority, among equals first come, first served.  The priority is the
 *    thread's own: real-time priorities as the scheduler has them, all other threads are equal (as
 *    in Linux's futex).  `lower` lowers it by that many steps, down to FW_KERNEL_LOWEST.
 *  - Calls of one kind do not see waiters of another: WAIT, DOWN, SEM_DOWN and LOCK have queues of
 *    their own at the same word.
 *  - A signal with a handler ends a call that sleeps with EINTR, or restarts it (SA_RESTART); its
 *    deadline stays.  A stop signal does neither.  Calls are not cancellation points.
 *
 * Errors, of all calls: EINVAL (as above, misaligned word, unknown clock), E2BIG, EFAULT (no such
 * memory, or not the right to it), ENOTTY (no such call), EINTR.
 *
 * Example: sleep while a flag is zero
 *
 *     static int fd; // open("/dev/furwock", O_RDWR | O_CLOEXEC)
 *
 *     int await_flag(const uint32_t *flag)
 *     {
 *         struct fw_kernel_wait wait = {
 *             .size = sizeof wait, .word = (uintptr_t)flag, .deadline = FW_KERNEL_NEVER};
 *
 *         while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0)
 *             if (ioctl(fd, FW_KERNEL_WAIT, &wait) < 0 && errno != EAGAIN && errno != EINTR)
 *                 return errno;
 *         return 0;
 *     }
 *
 *     int raise_flag(uint32_t *flag)
 *     {
 *         struct fw_kernel_wake wake = {
 *             .size = sizeof wake, .word = (uintptr_t)flag, .count = FW_KERNEL_ALL};
 *
 *         __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
 *         return ioctl(fd, FW_KERNEL_WAKE, &wake) < 0 ? errno : 0;
 *     }
 */
#define FW_KERNEL_DEVICE "/dev/furwock"

/* Counts up when the meaning of a call changes; calls that are added do not change it. */
#define FW_KERNEL_INTERFACE 1

#define FW_KERNEL_NEVER 0x7fffffffffffffffLL
#define FW_KERNEL_ALL 0x7fffffffu
#define FW_KERNEL_LOWEST 39u

/* Flags of any call with a word. */
#define FW_KERNEL_PRIVATE 0x1u
#define FW_KERNEL_PAGE 0x2u

/* Flag of calls that sleep. */
#define FW_KERNEL_REALTIME 0x4u

/* Flags of UP and UNLOCK; neither: the word is free, and one waiter is woken to compete for it. */
#define FW_KERNEL_FAIR 0x10u   /* the first waiter has it when the call returns */
#define FW_KERNEL_RANDOM 0x20u /* the word is free, and all waiters are woken to compete for it */

/* Flag of LOCK. */
#define FW_KERNEL_ADAPTIVE 0x40u /* spin while the owner runs */

/* Flag of AWAIT_OPEN: a read does not wait. */
#define FW_KERNEL_NONBLOCK 0x80u

/* What this module has and allows.  The caller fills in size and flags (0). */
struct fw_kernel_version {
    __u32 size;
    __u32 flags;
    __u32 interface;   /* FW_KERNEL_INTERFACE of the module */
    __u32 max_objects; /* of each user: asynchronous waits, semaphores above zero, lock pages */
    __u64 calls;       /* bit n: the call with number n is there */
};

/* WAIT sleeps while the word is `expected`.  The others sleep until they have what they wait for.
   */
struct fw_kernel_wait {
    __u32 size;
    __u32 flags;
    __u64 word; /* its address */
    __u32 expected;
    __u32 lower;
    __s64 deadline;
};

struct fw_kernel_wake {
    __u32 size;
    __u32 flags;
    __u64 word;
    __u32 count;
    __u32 number; /* of the semaphore: SEM_UP only; else 0 */
};

struct fw_kernel_requeue {
    __u32 size;
    __u32 flags; /* PRIVATE and PAGE are meant for both words */
    __u64 word;
    __u64 target;
    __u32 expected; /* CMP_REQUEUE only; else 0 */
    __u32 wake;
    __u32 requeue;
    __u32 padding;
};

/* AWAIT_OPEN. */
struct fw_kernel_await {
    __u32 size;
    __u32 flags; /* FW_KERNEL_NONBLOCK */
};

struct fw_kernel_await_add {
    __u32 size;
    __u32 flags;
    __u64 word;
    __u32 expected;
    __u32 lower;
    __u64 cookie; /* comes back in the event */
};

struct fw_kernel_await_remove {
    __u32 size;
    __u32 flags; /* 0 */
    __u32 id;
    __u32 padding;
};

/* What is read from an await descriptor: of each wait that was woken, the longest ready first. */
struct fw_kernel_event {
    __u64 cookie;
    __u32 id;
    __u32 padding;
};

#define FW_KERNEL_CALL_(n) _IO(0xf5, n)

/* 0. */
#define FW_KERNEL_VERSION FW_KERNEL_CALL_(0) /* struct fw_kernel_version */

/*
 * Sleeps while the word is `expected`, until a WAKE.  0: woken.
 * EAGAIN: the word was another; ETIMEDOUT: the deadline passed.
 */
#define FW_KERNEL_WAIT FW_KERNEL_CALL_(1) /* struct fw_kernel_wait */

/* Wakes up to `count` waiters; returns how many. */
#define FW_KERNEL_WAKE FW_KERNEL_CALL_(2) /* struct fw_kernel_wake */

/*
 * Wakes up to `wake` waiters of `word` and makes up to `requeue` of the others wait for `target`,
 * behind those of their priority that wait there.  Returns how many were woken and moved.
 * CMP_REQUEUE does so only if the word is `expected`; else EAGAIN.  More than 16 are moved in
 * steps, between which other calls may come.  EINVAL: the two words are one.
 */
#define FW_KERNEL_REQUEUE FW_KERNEL_CALL_(3)     /* struct fw_kernel_requeue */
#define FW_KERNEL_CMP_REQUEUE FW_KERNEL_CALL_(4) /* struct fw_kernel_requeue */

/*
 * The interface of Linux 2.5.7, of which user space has the fast half.  The word is a counter.
 * Above 0: that many units are available.  0: none, and no thread waits.  Below 0: none, and
 * threads may wait.
 * To take a unit without the kernel: a compare-and-swap from n > 0 to n - 1, else DOWN.
 * To give one back without it: one from n >= 0 to n + 1, else UP.
 * DOWN takes `expected` = 0.  0: the caller has a unit.  ETIMEDOUT: it has none.
 * UP returns how many waiters were served or woken.  With FAIR the first in the queue gets the
 * unit, if there is one; nobody can come before it.  `count` is 1.
 */
#define FW_KERNEL_DOWN FW_KERNEL_CALL_(5) /* struct fw_kernel_wait */
#define FW_KERNEL_UP FW_KERNEL_CALL_(6)   /* struct fw_kernel_wake */

/*
 * The queues of the ulocks: a kernel semaphore for each word and `expected` (its number, below 4),
 * which is 0 until somebody raises it.  The word itself is neither read nor written.  A semaphore
 * that is raised before the one it is meant for comes down keeps its units, up to 2^31 - 1
 * (EOVERFLOW), and is one of the user's objects (ENOSPC: too many of them); it is forgotten when
 * that user's last descriptor of the device is closed.  SEM_UP returns how many waiters it let go.
 */
#define FW_KERNEL_SEM_DOWN FW_KERNEL_CALL_(7) /* struct fw_kernel_wait */
#define FW_KERNEL_SEM_UP FW_KERNEL_CALL_(8)   /* struct fw_kernel_wake */

/*
 * FUTEX_LOCK.  The word is the owner's thread id, with FW_KERNEL_WAITERS if somebody may sleep; 0:
 * free.  Without the kernel: a compare-and-swap from 0 to the own id, and back.  All users of a
 * word are in one pid namespace, since the id is used to see whether the owner runs and lives.
 * LOCK, 0: the caller is the owner.  EOWNERDEAD: it is, and its predecessor died as the owner
 * (which is noticed within a tenth of a second).  EDEADLK: it is already.  ETIMEDOUT: it is not.
 * UNLOCK returns how many waiters were served or woken; EPERM: the caller is not the owner.
 * `expected` is 0, `count` 1.
 */
#define FW_KERNEL_LOCK FW_KERNEL_CALL_(9)    /* struct fw_kernel_wait */
#define FW_KERNEL_UNLOCK FW_KERNEL_CALL_(10) /* struct fw_kernel_wake */

/*
 * FUTEX_AWAIT, waits without a thread.  AWAIT_OPEN returns a new descriptor, which is readable
 * (poll, epoll) once one of its waits was woken; read(2) then returns a struct fw_kernel_event for
 * each.  With O_ASYNC it sends a signal: one descriptor for each wait is FUTEX_FD, many on one are
 * /dev/futex.
 *
 * AWAIT_ADD adds a wait, as WAIT does, and returns its id.  EAGAIN: the word had another value, and
 * no wait was added.  ENOSPC: the user has too many objects.
 *
 * AWAIT_REMOVE, 0: the wait is removed and had not been woken.  1: it had been woken, and its event
 * was not read: the caller now has the wake, and must pass it on.  ENOENT: no such wait.
 *
 * Closing the descriptor passes on all wakes that were not read.
 */
#define FW_KERNEL_AWAIT_OPEN FW_KERNEL_CALL_(11)   /* struct fw_kernel_await */
#define FW_KERNEL_AWAIT_ADD FW_KERNEL_CALL_(12)    /* struct fw_kernel_await_add */
#define FW_KERNEL_AWAIT_REMOVE FW_KERNEL_CALL_(13) /* struct fw_kernel_await_remove */

#define FW_KERNEL_WAITERS 0x80000000u
#define FW_KERNEL_OWNER 0x3fffffffu

#endif
