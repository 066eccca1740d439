/* SPDX-License-Identifier: MIT */
#ifndef FWPY_SEMAPHORE_STATE_H
#define FWPY_SEMAPHORE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/ipc/mutex.h>

#include "process.h"

/*
 * A semaphore between processes whose units come back when the process that took them dies.
 *
 * Programs use semaphores in two ways: as a limit (who has acquired releases), and as a signal (one
 * process releases what others acquire).  A dead process's units must come back in the first case,
 * and must not in the second.  So there is a ledger with a row for each process: what it has
 * acquired and not released.  The first release by a process that has acquired less than that turns
 * the semaphore into a signal for good; until then a dead process's row is given back.
 */
#define FWPY_SEMAPHORE_MAGIC UINT64_C(0x616d657365777066)
#define FWPY_SEMAPHORE_MAX 0x7fffffffu

/* As many processes can be in the ledger; with more the semaphore becomes a signal. */
#define FWPY_SEMAPHORE_ROWS 128u

struct fwpy_ledger_row {
    struct fwpy_process process;
    uint64_t holder; /* the thread that took the last of its units: its life can be watched */
    uint64_t taken;
};

struct fwpy_semaphore {
    fw_ipc_mutex guard;
    uint64_t word;
    uint32_t initial, bound;
    uint32_t row_count;
    uint32_t is_signal;
    uint64_t deaths; /* processes whose units have come back */
    uint64_t magic;  /* FWPY_SEMAPHORE_MAGIC */
    struct fwpy_ledger_row rows[];
};

/* 0: the numbers are out of range. */
size_t fwpy_semaphore_size(uint32_t initial, uint32_t bound);

/* In zeroed memory, which nobody else uses yet. */
void fwpy_semaphore_init(struct fwpy_semaphore *s, uint32_t initial, uint32_t bound);

/* One acquisition; if it took units that a dead process had held, whose. */
struct fwpy_semaphore_call {
    struct fwpy_semaphore *s;
    struct fwpy_process dead; /* pid 0: nobody's */
};

/*
 * try: 0, EBUSY: there is none, EINPROGRESS: undecided.  wait: 0, ETIMEDOUT.  Both: EINVAL, EAGAIN
 * as fwpy_wait_until, and errors of fw_ipc_mutex_lock.
 */
int fwpy_semaphore_try(struct fwpy_semaphore_call *c);
int fwpy_semaphore_wait(struct fwpy_semaphore_call *c, const fw_deadline *deadline);

/*
 * EOVERFLOW: that would be above the bound: nothing was done.  try_release: EINPROGRESS: it would
 * have to wait for the guard.
 */
int fwpy_semaphore_try_release(struct fwpy_semaphore *s, uint32_t n);
int fwpy_semaphore_release(struct fwpy_semaphore *s, uint32_t n);

/* A snapshot. */
uint32_t fwpy_semaphore_value(const struct fwpy_semaphore *s);

#endif
