/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_URING_H
#define FW_SYS_URING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An io_uring for waits on shared 32-bit words (IORING_OP_FUTEX_WAIT, Linux 6.7), and nothing else.
 * By system calls: of liburing four calls would be needed, and the library has no other
 * dependencies.  All errors are positive errno values.
 *
 * The ring belongs to the thread that has opened it (SINGLE_ISSUER).  Completions are posted only
 * while that thread is in fw_uring_enter_ (DEFER_TASKRUN): they interrupt no other call of it.  An
 * eventfd is raised as soon as there is one to be posted, and by each that is posted.  (A thread
 * that sleeps in poll or epoll on the ring itself is not woken before they are posted.)
 *
 * A wait is one word, never a vector: a vector that was woken or cancelled stays queued at its
 * other words until the ring's thread enters the kernel, and swallows the wakes given to them.
 *
 * A wait that is queued when the ring is closed stays so for some milliseconds, and takes a wake
 * with it: cancel all before, and take their completions.
 */
struct fw_uring_ {
    int fd;
    uint32_t entries;
    uint32_t put;       /* prepared, since the last one that was given to the kernel */
    void *rings, *sqes; /* what is mapped */
    size_t rings_size, sqes_size;
    uint32_t *sq_head, *sq_tail, *cq_head, *cq_tail, *sq_flags;
    uint32_t sq_mask, cq_mask;
    const struct fw_uring_cqe_ *cqes;
};

/* The kernel's layout of a completion. */
struct fw_uring_cqe_ {
    uint64_t tag;
    int32_t result;
    uint32_t flags;
};

/*
 * 0; EPERM, EACCES, ENOSYS: a filter, the system's settings or the kernel refuse it; ENOMEM: more
 * than the process may lock into memory (RLIMIT_MEMLOCK); EINVAL: the kernel is older than 6.1;
 * EMFILE, ENFILE.  Whether it can wait on words is not known yet.
 */
int fw_uring_open_(struct fw_uring_ *r, uint32_t entries);
void fw_uring_close_(struct fw_uring_ *r);

/* Which eventfd is raised: 0, or a positive errno. */
int fw_uring_tell_(struct fw_uring_ *r, int event_fd);

/*
 * Prepares a wait while *word == expected; a cancellation of the wait with this tag, or of all.
 * Nobody knows of it before the next fw_uring_enter_.  False: no room, enter first.  The tag comes
 * back with the completion: 0: woken; -EAGAIN: not as expected; -ECANCELED; -EFAULT; -EINVAL: no
 * such operation.  Cancellations complete with their own tag.
 */
bool fw_uring_put_wait_(struct fw_uring_ *r, const uint32_t *word, uint32_t expected, uint64_t tag);
bool fw_uring_put_cancel_(struct fw_uring_ *r, uint64_t of, uint64_t tag);
bool fw_uring_put_cancel_all_(struct fw_uring_ *r, uint64_t tag);

/* Was anything prepared that the kernel has not got yet? */
bool fw_uring_has_put_(const struct fw_uring_ *r);

/* Has it anything for fw_uring_enter_ to do?  True may come too late: engine_uring.c, flush. */
bool fw_uring_is_due_(const struct fw_uring_ *r);

/*
 * Gives the kernel what was prepared, and lets it post completions; waits for `least` of them.
 *   0; EINTR (while waiting); EEXIST: not the ring's thread;
 *   EAGAIN, EBUSY, ENOMEM: not all was given: later
 */
int fw_uring_enter_(struct fw_uring_ *r, uint32_t least);

/* The next completion.  False: there is none. */
bool fw_uring_take_(struct fw_uring_ *r, uint64_t *tag, int *result);

#endif
