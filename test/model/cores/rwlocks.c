/* SPDX-License-Identifier: MIT */
/* Read-write locks: furwock's, as they are shipped, and others to compare with. */
#include <stdbool.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>
#include <furwock/rwlock.h>

#include "locks.h"
#include "machine.h"
#include "sys/clock.h"

#define LINE 64u

/* --- fw_rwlock ------------------------------------------------------------------------------ */

static void read_lock(void *lock, unsigned self)
{
    (void)self;
    fw_rwlock_rdlock(lock);
}

static void read_unlock(void *lock, unsigned self)
{
    (void)self;
    fw_rwlock_rdunlock(lock);
}

static void write_lock(void *lock, unsigned self)
{
    (void)self;
    fw_rwlock_wrlock(lock);
}

static void write_unlock(void *lock, unsigned self)
{
    (void)self;
    fw_rwlock_wrunlock(lock);
}

/* What fw_rwlock_init does, before there are threads. */
static void make_greedy(void *lock)
{
    ((fw_rwlock *)lock)->queue_ = FW_RWLOCK_GREEDY;
}

static void make_for_readers(void *lock)
{
    ((fw_rwlock *)lock)->queue_ = FW_RWLOCK_PREFER_READERS;
}

#define OURS write_lock, write_unlock, read_lock, read_unlock
const struct cores_lock cores_rwlock = {"rw-furwock", "fw_rwlock, fair", NULL, OURS},
                        cores_rwlock_greedy = {"rw-greedy", "fw_rwlock, greedy", make_greedy, OURS},
                        cores_rwlock_readers = {"rw-readers", "fw_rwlock, prefers readers",
                                                make_for_readers, OURS};

/* --- Phase-fair tickets: Brandenburg and Anderson 2010, PF-T -------------------------------- */

struct phase_fair {
    uint32_t in, out; /* of readers; in: and which writer there is */
    uint32_t next, serving;
};

#define READER 0x100u
#define WRITER_BITS 3u
#define IS_THERE 2u
#define PHASE 1u

static void phase_fair_read(void *lock, unsigned self)
{
    struct phase_fair *l = lock;
    uint32_t writer = fw_add32_acquire(&l->in, READER) & WRITER_BITS;

    (void)self;
    while (writer != 0 && (fw_load32_acquire(&l->in) & WRITER_BITS) == writer)
        fw_pause_();
}

static void phase_fair_read_end(void *lock, unsigned self)
{
    struct phase_fair *l = lock;

    (void)self;
    fw_add32_release(&l->out, READER);
}

static void phase_fair_write(void *lock, unsigned self)
{
    struct phase_fair *l = lock;
    uint32_t ticket = fw_add32_relaxed(&l->next, 1), before;

    (void)self;
    while (fw_load32_acquire(&l->serving) != ticket)
        fw_pause_();
    before = fw_add32_acquire(&l->in, IS_THERE | (ticket & PHASE)) & ~WRITER_BITS;
    while (fw_load32_acquire(&l->out) != before)
        fw_pause_();
}

static void phase_fair_write_end(void *lock, unsigned self)
{
    struct phase_fair *l = lock;
    uint32_t ticket = fw_load32_relaxed(&l->serving);

    (void)self;
    fw_add32_release(&l->in, (uint32_t) - (int32_t)(IS_THERE | (ticket & PHASE)));
    fw_store32_release(&l->serving, ticket + 1);
}

const struct cores_lock cores_phase_fair = {"rw-phase-fair",
                                            "phase-fair tickets, all look at the same words",
                                            NULL,
                                            phase_fair_write,
                                            phase_fair_write_end,
                                            phase_fair_read,
                                            phase_fair_read_end};

/* --- A lock for each core: Hsieh and Weihl 1992, static allocation -------------------------- */

static uint32_t *lock_of(void *lock, unsigned core)
{
    return (uint32_t *)((uint8_t *)lock + core * LINE);
}

static void each_read(void *lock, unsigned self)
{
    cores_ttas.lock(lock_of(lock, self), self);
}

static void each_read_end(void *lock, unsigned self)
{
    cores_ttas.unlock(lock_of(lock, self), self);
}

static void each_write(void *lock, unsigned self)
{
    for (unsigned core = 0; core < machine_cores; core++)
        cores_ttas.lock(lock_of(lock, core), self);
}

static void each_write_end(void *lock, unsigned self)
{
    for (unsigned core = machine_cores; core-- > 0;)
        cores_ttas.unlock(lock_of(lock, core), self);
}

const struct cores_lock cores_each = {
    "rw-each",      "a lock for each core; writers take all of them",
    NULL,           each_write,
    each_write_end, each_read,
    each_read_end};

/* --- Counters under a mutex, as in glibc up to 2.24; readers pass waiting writers ----------- */

struct counted {
    uint32_t mutex;
    uint32_t readers, writes;
    uint32_t readers_wait, writers_wait;
    uint32_t readers_woken, writers_woken; /* futexes */
};

static void wait_for(struct counted *l, uint32_t *waiting, uint32_t *woken, unsigned self)
{
    uint32_t seen = fw_load32_relaxed(woken);

    fw_store32_relaxed(waiting, fw_load32_relaxed(waiting) + 1);
    cores_drepper.unlock(&l->mutex, self);
    fw_futex_wait(woken, seen, FW_FUTEX_PRIVATE, NULL);
    cores_drepper.lock(&l->mutex, self);
    fw_store32_relaxed(waiting, fw_load32_relaxed(waiting) - 1);
}

static void counted_read(void *lock, unsigned self)
{
    struct counted *l = lock;

    cores_drepper.lock(&l->mutex, self);
    while (fw_load32_relaxed(&l->writes) != 0)
        wait_for(l, &l->readers_wait, &l->readers_woken, self);
    fw_store32_relaxed(&l->readers, fw_load32_relaxed(&l->readers) + 1);
    cores_drepper.unlock(&l->mutex, self);
}

static void counted_write(void *lock, unsigned self)
{
    struct counted *l = lock;

    cores_drepper.lock(&l->mutex, self);
    while (fw_load32_relaxed(&l->writes) != 0 || fw_load32_relaxed(&l->readers) != 0)
        wait_for(l, &l->writers_wait, &l->writers_woken, self);
    fw_store32_relaxed(&l->writes, 1);
    cores_drepper.unlock(&l->mutex, self);
}

static void counted_end(void *lock, unsigned self, uint32_t *of)
{
    struct counted *l = lock;
    uint32_t *woken = NULL;

    cores_drepper.lock(&l->mutex, self);
    fw_store32_relaxed(of, fw_load32_relaxed(of) - 1);
    if (fw_load32_relaxed(&l->readers) == 0 && fw_load32_relaxed(&l->writers_wait) != 0)
        woken = &l->writers_woken;
    else if (fw_load32_relaxed(&l->readers_wait) != 0)
        woken = &l->readers_woken;
    if (woken != NULL)
        fw_store32_relaxed(woken, fw_load32_relaxed(woken) + 1);
    cores_drepper.unlock(&l->mutex, self);
    if (woken != NULL)
        fw_futex_wake(woken, woken == &l->writers_woken ? 1 : UINT32_MAX >> 1, FW_FUTEX_PRIVATE);
}

static void counted_read_end(void *lock, unsigned self)
{
    counted_end(lock, self, &((struct counted *)lock)->readers);
}

static void counted_write_end(void *lock, unsigned self)
{
    counted_end(lock, self, &((struct counted *)lock)->writes);
}

const struct cores_lock cores_counted = {"rw-counted",
                                         "counters under Drepper's mutex, as in glibc to 2.24",
                                         NULL,
                                         counted_write,
                                         counted_write_end,
                                         counted_read,
                                         counted_read_end};
