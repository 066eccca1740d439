/* SPDX-License-Identifier: MIT */
/*
 * Named objects that are made with numbers.  Contract: furwock/ipc/named.h.
 *
 * The numbers are in one word of the object, which its init stores once.  So a process that finds
 * the object in the directory (DIR3) finds them there, and can compare without a lock.
 */
#include <furwock/ipc/named.h>

#include <errno.h>
#include <stdbool.h>

#include <furwock/bits/atomic.h>

#include "ipc/barrier_word.h"
#include "ipc/region/journal.h"
#include "ipc/region/why.h"
#include "ipc/sem.h"

/* What is asked for: sem: value, max; permits: n; barrier: parties, mode; journal: capacity. */
struct numbers {
    size_t first, second;
};

/* One for each kind: how many bytes it has, how it is made, and whether it was made so. */
struct numbered {
    fw_region_kind kind;
    size_t (*size)(const struct numbers *n);
    int (*init)(void *object, void *numbers);
    bool (*is_as_asked)(const void *object, const struct numbers *n);
};

static int find_or_make(fw_region *region, const char *name, const struct numbered *of,
                        struct numbers n, unsigned flags, void **object)
{
    int error;

    *object = NULL;
    error =
        fw_region_object_init(region, name, of->kind, of->size(&n), flags, of->init, &n, object);
    if (error == 0 && !of->is_as_asked(*object, &n)) {
        *object = NULL;
        error = fw_region_fail_(EPROTO, "\"%s\" was made with other numbers", name);
    }
    return error;
}

/* --- Semaphores ------------------------------------------------------------------------------ */

static size_t sem_size(const struct numbers *n)
{
    (void)n;
    return sizeof(fw_ipc_sem);
}

static int sem_init(void *object, void *numbers)
{
    const struct numbers *n = numbers;

    return fw_ipc_sem_init(object, (uint32_t)n->first, (uint32_t)n->second);
}

static bool sem_is_as_asked(const void *object, const struct numbers *n)
{
    return n->second == 0 || fw_ipc_sem_maximum_(object) == n->second;
}

int fw_region_sem(fw_region *region, const char *name, uint32_t value, uint32_t max, unsigned flags,
                  fw_ipc_sem **s)
{
    static const struct numbered sem = {FW_REGION_SEM, sem_size, sem_init, sem_is_as_asked};
    void *object;
    int error = find_or_make(region, name, &sem, (struct numbers){value, max}, flags, &object);

    *s = object;
    return error;
}

/* --- Permits --------------------------------------------------------------------------------- */

static size_t permits_size(const struct numbers *n)
{
    return fw_ipc_permits_size((uint32_t)n->first);
}

static int permits_init(void *object, void *numbers)
{
    const struct numbers *n = numbers;

    return fw_ipc_permits_init(object, (uint32_t)n->first);
}

static bool units_are_as_asked(const void *object, const struct numbers *n)
{
    const fw_ipc_permits *u = object;
    uint64_t made = fw_load64_relaxed(&u->made_);

    return n->first == 0 ? made != 0 : made == n->first;
}

int fw_region_permits(fw_region *region, const char *name, uint32_t n, unsigned flags,
                      fw_ipc_permits **u)
{
    static const struct numbered permits = {FW_REGION_PERMITS, permits_size, permits_init,
                                            units_are_as_asked};
    void *object;
    int error = find_or_make(region, name, &permits, (struct numbers){n, 0}, flags, &object);

    *u = object;
    return error;
}

/* --- Barriers -------------------------------------------------------------------------------- */

static size_t barrier_size(const struct numbers *n)
{
    return fw_ipc_barrier_size((uint32_t)n->first);
}

static int barrier_init(void *object, void *numbers)
{
    const struct numbers *n = numbers;

    return fw_ipc_barrier_init(object, (uint32_t)n->first, (fw_ipc_barrier_mode)n->second);
}

static bool barrier_is_as_asked(const void *object, const struct numbers *n)
{
    const fw_ipc_barrier *b = object;
    uint64_t made = fw_load64_relaxed(&b->made_);

    if (n->first == 0)
        return made != 0;
    return made == made_of((uint32_t)n->first, (fw_ipc_barrier_mode)n->second);
}

int fw_region_barrier(fw_region *region, const char *name, uint32_t parties,
                      fw_ipc_barrier_mode mode, unsigned flags, fw_ipc_barrier **b)
{
    static const struct numbered barrier = {FW_REGION_BARRIER, barrier_size, barrier_init,
                                            barrier_is_as_asked};
    struct numbers n = {parties, (size_t)mode};
    void *object;
    int error = find_or_make(region, name, &barrier, n, flags, &object);

    *b = object;
    return error;
}

/* --- Journals -------------------------------------------------------------------------------- */

static size_t journal_size(const struct numbers *n)
{
    return fw_ipc_journal_size(n->first);
}

static int journal_init(void *object, void *numbers)
{
    const struct numbers *n = numbers;

    return fw_ipc_journal_init(object, n->first);
}

static bool journal_is_as_asked(const void *object, const struct numbers *n)
{
    return fw_ipc_journal_has_(object, n->first);
}

int fw_region_journal(fw_region *region, const char *name, size_t capacity, unsigned flags,
                      fw_ipc_journal **j)
{
    static const struct numbered journal = {FW_REGION_JOURNAL, journal_size, journal_init,
                                            journal_is_as_asked};
    void *object = NULL;
    int error = EINVAL;

    if (capacity <= SIZE_MAX / 2)
        error = find_or_make(region, name, &journal, (struct numbers){capacity, 0}, flags, &object);
    *j = object;
    return error;
}
