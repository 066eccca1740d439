/* SPDX-License-Identifier: MIT */
#ifndef FWPY_TABLE_H
#define FWPY_TABLE_H

/* What lies in a region for the allocator: slots.h says what it means. */
#include "slots.h"

enum {
    FWPY_TABLE_VERSION = 1,
    FWPY_PINNED = 0, /* the row that is always alive */
    FWPY_NO_ROW = -1
};

struct fwpy_table {
    fw_ipc_mutex lock;
    uint32_t version;
    uint32_t rows;
    uint32_t slots;
    uint32_t hint;      /* where to look first */
    uint32_t row_limit; /* no row from here on was ever used */
    uint32_t spare[15];
};
_Static_assert(sizeof(struct fwpy_table) % FWPY_SLOT == 0, "what follows is aligned");

/* A row: who has it, and its bits behind it. */
struct fwpy_row {
    uint64_t is_used;
    uint64_t process; /* for people */
    uint64_t bits[];
};

/* Where everything is, computed from the size of the region alone. */
struct fwpy_plan {
    uint32_t slots, rows, words; /* of a bitmap */
    size_t used_at, tags_at, rows_at, row_size, slots_at, size;
};

/* What this process knows of the table.  The plan was checked; what lies in the region is not. */
struct fwpy_slots {
    struct fwpy_table *table;
    struct fwpy_plan plan;
    uint64_t base; /* offset of the table in the region */
    int row;       /* of this process, or NO_ROW */
    void *life;
    int child_row; /* of a child that is being made */
    void *child_life;
};

struct fwpy_plan fwpy_plan_of(size_t region_size);

static inline void *fwpy_at(const struct fwpy_slots *s, size_t at)
{
    return (char *)s->table + at;
}

static inline uint64_t *fwpy_used(const struct fwpy_slots *s)
{
    return fwpy_at(s, s->plan.used_at);
}

static inline uint32_t *fwpy_tags(const struct fwpy_slots *s)
{
    return fwpy_at(s, s->plan.tags_at);
}

static inline struct fwpy_row *fwpy_row_of(const struct fwpy_slots *s, unsigned row)
{
    return fwpy_at(s, s->plan.rows_at + row * s->plan.row_size);
}

static inline uint32_t fwpy_row_limit(const struct fwpy_slots *s)
{
    return s->table->row_limit < s->plan.rows ? s->table->row_limit : s->plan.rows;
}

/* The table's lock; after a death `used` is computed anew.  With or without waiting. */
int fwpy_table_lock(struct fwpy_region *r, bool may_wait);
/* The same from a handler of fork, which leaves the GIL alone. */
int fwpy_table_lock_for_fork(struct fwpy_region *r);
void fwpy_table_unlock(struct fwpy_slots *s);

/* With the lock: takes back the rows of the dead, and computes `used`. */
size_t fwpy_table_sweep(struct fwpy_region *r);

/* With the lock: how many slots are used. */
size_t fwpy_table_used(const struct fwpy_slots *s);

/* With the lock: a row that nobody has, for a process of these bits (NULL: none). */
int fwpy_table_take_row(struct fwpy_region *r, const uint64_t *bits, int *row, void **life);

/* Adds the bits of all that this process has references to. */
void fwpy_bits_of_cells(const struct fwpy_region *r, uint64_t *bits);

static inline void fwpy_set_bits(uint64_t *bits, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        bits[i / 64] |= UINT64_C(1) << i % 64;
}

static inline void fwpy_clear_bits(uint64_t *bits, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static inline bool fwpy_has_bit(const uint64_t *bits, uint32_t i)
{
    return (bits[i / 64] >> i % 64 & 1) != 0;
}

#endif
