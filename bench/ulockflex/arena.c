/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "run.h"

static size_t round_up(size_t n)
{
    return (n + LINE_PAIR - 1) / LINE_PAIR * LINE_PAIR;
}

/* Cuts the next piece of n bytes off the memory that begins at base. */
static void *cut(unsigned char *base, size_t *used, size_t n)
{
    void *piece = base != NULL ? base + *used : NULL;

    *used += round_up(n);
    return piece;
}

/* Sets all pointers of the arena; with a base of NULL it only says how much memory is needed. */
static size_t lay_out(struct arena *a, unsigned char *base)
{
    const struct options *o = a->options;
    size_t used = 0;

    a->lock_stride = o->lock.stride;
    a->control = cut(base, &used, sizeof(*a->control));
    a->guarded = cut(base, &used, o->locks * sizeof(*a->guarded));
    a->results = cut(base, &used, o->tasks * sizeof(*a->results));
    if (o->probe == PROBE_WAITS)
        a->waits = cut(base, &used, o->tasks * MODES * sizeof(*a->waits));
    return used;
}

void *arena_lock(const struct arena *a, size_t i)
{
    return a->lock_memory + i * a->lock_stride;
}

/* What a user can do about a lock that could not be made. */
static const char *init_hint(int error)
{
    switch (error) {
    case ENOSYS:
        return " (this kernel has no such lock, or forbids it)";
    case ENOSPC:
        return " (for System V semaphores: the limits are in /proc/sys/kernel/sem)";
    default:
        return "";
    }
}

static size_t lock_bytes(const struct arena *a)
{
    return a->options->locks * a->lock_stride;
}

/* Locks have memory of their own: some work in memory of a certain kind only. */
static bool make_locks(struct arena *a)
{
    const struct options *o = a->options;

    a->lock_memory = adapter_head_memory(o->lock.head, lock_bytes(a), true);
    if (a->lock_memory == NULL) {
        complain("no memory for %u locks (%s): %s", o->locks, o->lock.head->name, strerror(errno));
        return false;
    }
    for (unsigned i = 0; i < o->locks; i++) {
        int error = o->lock.head->init(arena_lock(a, i), o->processes);

        if (error != 0) {
            complain("cannot make lock %u of %u (%s): %s%s", i + 1, o->locks, o->lock.head->name,
                     strerror(error), init_hint(error));
            return false;
        }
        a->locks_ready = i + 1;
    }
    return true;
}

bool arena_open(struct arena *a, const struct options *o)
{
    memset(a, 0, sizeof(*a));
    a->options = o;
    a->size = lay_out(a, NULL);
    a->base = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (a->base == MAP_FAILED) {
        complain("no shared memory: cannot map %zu bytes: %s", a->size, strerror(errno));
        return false;
    }
    lay_out(a, a->base);
    if (!make_locks(a)) {
        arena_close(a);
        return false;
    }
    return true;
}

void arena_close(struct arena *a)
{
    const adapter_head *lock = a->options->lock.head;

    if (lock->destroy != NULL)
        for (unsigned i = 0; i < a->locks_ready; i++)
            lock->destroy(arena_lock(a, i));
    if (a->lock_memory != NULL)
        adapter_head_forget(lock, a->lock_memory, lock_bytes(a));
    munmap(a->base, a->size);
}
