/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_CONTRACT_RW_H
#define FW_TEST_CONTRACT_RW_H

#include "contract.h"

/* The two ways to hold a read-write lock. */
static inline struct mode rw_reading(void)
{
    return (struct mode){rw_subject->rdlock, rw_subject->rdunlock, rw_subject->tryrdlock,
                         rw_subject->timedrdlock};
}

static inline struct mode rw_writing(void)
{
    return (struct mode){rw_subject->wrlock, rw_subject->wrunlock, rw_subject->trywrlock,
                         rw_subject->timedwrlock};
}

/* Tasks that read in `reads` of 16 turns. */
static inline struct load rw_load(unsigned tasks, unsigned kind, unsigned rounds, unsigned reads)
{
    return (struct load){.tasks = kind_tasks(tasks),
                         .kind = kind,
                         .rounds = kind_rounds(rounds),
                         .writing = rw_writing(),
                         .reading = rw_reading(),
                         .reads = reads};
}

/* A helper (contract.h) that reads or writes. */
static inline struct helper rw_helper(void *lock, struct mode mode)
{
    return (struct helper){.lock = lock, .ask = mode.lock, .unlock = mode.unlock};
}

#endif
