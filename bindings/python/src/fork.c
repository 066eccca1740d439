/* SPDX-License-Identifier: MIT */
/*
 * Forks: the child's references are counted before there is a child (PYS4 in slots.h).  Handlers of
 * fork(3) and not of os.fork, so that a child of whatever library is right.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "table.h"

uint64_t fwpy_fork_generation;

void fwpy_bits_of_cells(const struct fwpy_region *r, uint64_t *bits)
{
    const struct fwpy_slots *s = r->slots;

    for (unsigned i = 0; i < r->cell_buckets; i++)
        for (const struct fwpy_cell *cell = r->cells[i]; cell != NULL; cell = cell->next)
            if (cell->slots != 0)
                fwpy_set_bits(bits, (uint32_t)((cell->at - s->base - s->plan.slots_at) / FWPY_SLOT),
                              cell->slots);
}

/* No row can be had for the child: what it inherits stays for as long as the region. */
static void pin(struct fwpy_region *r)
{
    struct fwpy_slots *s = r->slots;
    uint64_t *pinned = fwpy_row_of(s, FWPY_PINNED)->bits;

    if (s->row == FWPY_NO_ROW)
        return;
    for (uint32_t i = 0; i < s->plan.words; i++)
        __atomic_fetch_or(&pinned[i], fwpy_row_of(s, (unsigned)s->row)->bits[i], __ATOMIC_RELAXED);
}

void fwpy_slots_before_fork(struct fwpy_region *r)
{
    struct fwpy_slots *s = r->slots;
    int error;

    if (s == NULL || s->row == FWPY_NO_ROW)
        return;
    error = fwpy_table_lock_for_fork(r);
    if (error == 0) {
        error = fwpy_table_take_row(r, fwpy_row_of(s, (unsigned)s->row)->bits, &s->child_row,
                                    &s->child_life);
        fwpy_table_unlock(s);
    }
    if (error != 0)
        pin(r);
}

void fwpy_slots_after_fork_parent(struct fwpy_region *r)
{
    struct fwpy_slots *s = r->slots;

    if (s == NULL)
        return;
    fwpy_life_drop(s->child_life);
    s->child_life = NULL;
    s->child_row = FWPY_NO_ROW;
}

/* The parent's mapping was not inherited. */
void fwpy_slots_after_fork_child(struct fwpy_region *r)
{
    struct fwpy_slots *s = r->slots;

    if (s == NULL)
        return;
    s->row = s->child_row;
    s->life = s->child_life;
    s->child_row = FWPY_NO_ROW;
    s->child_life = NULL;
    if (s->row != FWPY_NO_ROW) {
        fwpy_row_of(s, (unsigned)s->row)->process = (uint64_t)getpid();
        fwpy_life_keep_from_children(s->life);
    }
}

static void for_all(void (*what)(struct fwpy_region *))
{
    for (struct fwpy_region *r = fwpy_regions; r != NULL; r = r->next)
        what(r);
}

static void before(void)
{
    fwpy_lock_for_fork();
    for_all(fwpy_slots_before_fork);
}

static void in_parent(void)
{
    for_all(fwpy_slots_after_fork_parent);
    fwpy_unlock_after_fork();
}

static void in_child(void)
{
    fwpy_fork_generation++;
    for_all(fwpy_slots_after_fork_child);
    fwpy_unlock_after_fork();
}

/* When the extension is loaded: after the library's constructors, which have a priority. */
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before, in_parent, in_child);
}

bool fwpy_is_main_thread(void)
{
    return syscall(SYS_gettid) == getpid();
}
