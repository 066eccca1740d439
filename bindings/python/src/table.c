/* SPDX-License-Identifier: MIT */
/* The table of slots in a region: its plan, its lock, its rows.  slots.h has the reasons. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "table.h"

static size_t up(size_t n)
{
    return (n + FWPY_SLOT - 1) / FWPY_SLOT * FWPY_SLOT;
}

/* A quarter of the region for slots, and a row for each 8 KiB: as much again. */
struct fwpy_plan fwpy_plan_of(size_t region_size)
{
    struct fwpy_plan p;
    size_t slots = region_size / 4 / FWPY_SLOT, rows = region_size / 8192;

    p.slots = (uint32_t)(slots < 65536 ? slots : 65536) / 64 * 64;
    p.rows = (uint32_t)(rows < 32 ? 32 : rows > 1024 ? 1024 : rows);
    p.words = p.slots / 64;
    p.used_at = sizeof(struct fwpy_table);
    p.tags_at = up(p.used_at + p.words * sizeof(uint64_t));
    p.rows_at = up(p.tags_at + p.slots * sizeof(uint32_t));
    p.row_size = sizeof(struct fwpy_row) + p.words * sizeof(uint64_t);
    p.slots_at = up(p.rows_at + p.rows * p.row_size);
    p.size = p.slots_at + (size_t)p.slots * FWPY_SLOT;
    return p;
}

/* With the lock: PYS3. */
static void compute_used(struct fwpy_slots *s)
{
    uint64_t *used = fwpy_used(s);

    memset(used, 0, s->plan.words * sizeof *used);
    for (uint32_t row = 0; row < fwpy_row_limit(s); row++) {
        const struct fwpy_row *it = fwpy_row_of(s, row);
        for (uint32_t i = 0; it->is_used != 0 && i < s->plan.words; i++)
            used[i] |= __atomic_load_n(&it->bits[i], __ATOMIC_RELAXED);
    }
}

static int lock_waiting(fw_ipc_mutex *lock)
{
    fw_deadline deadline = {{0, 0}, CLOCK_MONOTONIC};

    clock_gettime(CLOCK_MONOTONIC, &deadline.at);
    deadline.at.tv_sec += 5;
    return fw_ipc_mutex_timedlock(lock, &deadline);
}

static int after_lock(struct fwpy_slots *s, int error)
{
    if (error != EOWNERDEAD)
        return error;
    compute_used(s);
    return fw_ipc_mutex_consistent(&s->table->lock);
}

int fwpy_table_lock(struct fwpy_region *r, bool may_wait)
{
    struct fwpy_slots *s = r->slots;
    int error = fw_ipc_mutex_trylock(&s->table->lock);

    if (error == EBUSY && may_wait) {
        fwpy_let_go();
        error = lock_waiting(&s->table->lock);
    }
    return after_lock(s, error);
}

int fwpy_table_lock_for_fork(struct fwpy_region *r)
{
    return after_lock(r->slots, lock_waiting(&r->slots->table->lock));
}

void fwpy_table_unlock(struct fwpy_slots *s)
{
    fw_ipc_mutex_unlock(&s->table->lock);
}

static bool is_dead(struct fwpy_slots *s, int fd, unsigned row)
{
    return row != FWPY_PINNED && (int)row != s->row && (int)row != s->child_row &&
           fwpy_life_is_held(fd, row) == 0;
}

size_t fwpy_table_used(const struct fwpy_slots *s)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->plan.words; i++)
        n += (size_t)__builtin_popcountll(fwpy_used(s)[i]);
    return n;
}

size_t fwpy_table_sweep(struct fwpy_region *r)
{
    struct fwpy_slots *s = r->slots;
    size_t before = fwpy_table_used(s), after;
    int fd = fwpy_region_fd(r);

    for (uint32_t row = 0; fd >= 0 && row < fwpy_row_limit(s); row++) {
        struct fwpy_row *it = fwpy_row_of(s, row);
        if (it->is_used != 0 && is_dead(s, fd, row))
            it->is_used = 0;
    }
    compute_used(s);
    after = fwpy_table_used(s);
    return before > after ? before - after : 0;
}

/* A row's lock is taken before the row is: a process that is killed between leaves a free row. */
static int try_rows(struct fwpy_region *r, const uint64_t *bits, int fd, int *row, void **life)
{
    struct fwpy_slots *s = r->slots;

    for (uint32_t i = FWPY_PINNED + 1; i < s->plan.rows; i++) {
        struct fwpy_row *it = fwpy_row_of(s, i);
        int error;
        if (it->is_used != 0)
            continue;
        error = fwpy_life_take(fd, i, life);
        if (error == EAGAIN)
            continue;
        if (error != 0)
            return error;
        it->process = (uint64_t)getpid();
        for (uint32_t w = 0; w < s->plan.words; w++)
            it->bits[w] = bits == NULL ? 0 : bits[w];
        if (i >= fwpy_row_limit(s))
            s->table->row_limit = i + 1;
        __atomic_store_n(&it->is_used, 1, __ATOMIC_RELEASE);
        *row = (int)i;
        return 0;
    }
    return ENFILE;
}

int fwpy_table_take_row(struct fwpy_region *r, const uint64_t *bits, int *row, void **life)
{
    int fd = fwpy_region_fd(r);
    int error = fd < 0 ? errno : try_rows(r, bits, fd, row, life);

    if (error == ENFILE) {
        fwpy_table_sweep(r);
        error = try_rows(r, bits, fd, row, life);
    }
    return error;
}
