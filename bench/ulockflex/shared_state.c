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

/* Sets all pointers of the shared state; with a base of NULL it only says how much it needs. */
static size_t lay_out(struct shared_state *s, unsigned char *base)
{
    const struct options *o = s->options;
    size_t used = 0;

    s->lock_stride = o->lock.stride;
    s->control = cut(base, &used, sizeof(*s->control));
    s->guarded = cut(base, &used, o->locks * sizeof(*s->guarded));
    s->results = cut(base, &used, o->tasks * sizeof(*s->results));
    if (o->probe == PROBE_WAITS)
        s->waits = cut(base, &used, o->tasks * MODES * sizeof(*s->waits));
    return used;
}

void *shared_lock(const struct shared_state *s, size_t i)
{
    unsigned n = s->options->regions;

    if (n == 1)
        return s->regions[0] + i * s->lock_stride;
    return s->regions[i % n] + i / n * s->lock_stride;
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

/* Of a region: the first ones have the most locks. */
static size_t region_bytes(const struct shared_state *s)
{
    const struct options *o = s->options;

    return (o->locks + o->regions - 1) / o->regions * s->lock_stride;
}

static bool take_regions(struct shared_state *s)
{
    const struct options *o = s->options;

    for (unsigned i = 0; i < o->regions; i++) {
        s->regions[i] = memory_take(o, region_bytes(s));
        if (s->regions[i] == NULL) {
            complain("no memory for %u locks (%s): %s", o->locks, o->lock.head->name,
                     strerror(errno));
            return false;
        }
    }
    return true;
}

/* Locks have memory of their own: some work in memory of a certain kind only. */
static bool make_locks(struct shared_state *s)
{
    const struct options *o = s->options;

    if (!take_regions(s))
        return false;
    for (unsigned i = 0; i < o->locks; i++) {
        int error = o->lock.head->init(shared_lock(s, i), o->processes);

        if (error != 0) {
            complain("cannot make lock %u of %u (%s): %s%s", i + 1, o->locks, o->lock.head->name,
                     strerror(error), init_hint(error));
            return false;
        }
        s->locks_ready = i + 1;
    }
    return true;
}

bool shared_open(struct shared_state *s, const struct options *o)
{
    memset(s, 0, sizeof(*s));
    s->options = o;
    s->size = lay_out(s, NULL);
    s->base = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s->base == MAP_FAILED) {
        complain("no shared memory: cannot map %zu bytes: %s", s->size, strerror(errno));
        return false;
    }
    lay_out(s, s->base);
    if (!make_locks(s)) {
        shared_close(s);
        return false;
    }
    return true;
}

void shared_close(struct shared_state *s)
{
    const adapter_head *lock = s->options->lock.head;

    if (lock->destroy != NULL)
        for (unsigned i = 0; i < s->locks_ready; i++)
            lock->destroy(shared_lock(s, i));
    for (unsigned i = 0; i < s->options->regions && s->regions[i] != NULL; i++)
        memory_give(s->options, s->regions[i], region_bytes(s));
    munmap(s->base, s->size);
}
