/* SPDX-License-Identifier: MIT */
/*
 * Named objects of a region: found, or made.  Contract: furwock/ipc/region.h and named.h; DIR1 to
 * DIR3, which this relies on: directory.c.
 *
 * To find needs no lock.  To make is done under the region's lock `naming`, after another search.
 * Its holder may die at any instruction: then there is no object, or there is one, and nothing to
 * repair.
 */
#include <furwock/ipc/named.h>

#include <errno.h>
#include <string.h>

#include "ipc/region/directory.h"
#include "ipc/region/region.h"
#include "ipc/region/why.h"
#include "sys/clock.h"

#define MAKING ((unsigned)FW_REGION_CREATE | FW_REGION_EXCLUSIVE)

/* How long another process may take to change the directory. */
enum { PATIENCE_SECONDS = 5 };

typedef int initialiser(void *object, void *arg);

static bool is_request_valid(const char *name, fw_region_kind kind, size_t size, unsigned flags)
{
    return name != NULL && name[0] != '\0' &&
           strnlen(name, FW_REGION_NAME_MAX + 1) <= FW_REGION_NAME_MAX && kind >= FW_REGION_DATA &&
           kind <= FW_REGION_JOURNAL && (flags & ~MAKING) == 0 &&
           (flags & MAKING) != FW_REGION_EXCLUSIVE &&
           ((flags & FW_REGION_CREATE) == 0 || size != 0);
}

/* Why such a request is refused. */
static int refuse(const fw_region *region, const char *name, fw_region_kind kind, size_t size,
                  unsigned flags)
{
    if (!fw_region_is_open_(region))
        return fw_region_fail_(EINVAL, "that is no open region");
    if (name == NULL || name[0] == '\0' ||
        strnlen(name, FW_REGION_NAME_MAX + 1) > FW_REGION_NAME_MAX)
        return fw_region_fail_(EINVAL, "an object's name has 1 to %d bytes", FW_REGION_NAME_MAX);
    if (kind < FW_REGION_DATA || kind > FW_REGION_JOURNAL)
        return fw_region_fail_(EINVAL, "\"%s\": there is no kind %d of objects", name, (int)kind);
    if ((flags & ~MAKING) != 0)
        return fw_region_fail_(EINVAL, "\"%s\": flags 0x%x are not for objects", name,
                               flags & ~MAKING);
    if ((flags & MAKING) == FW_REGION_EXCLUSIVE)
        return fw_region_fail_(EINVAL, "\"%s\": FW_REGION_EXCLUSIVE without FW_REGION_CREATE",
                               name);
    if (size == 0)
        return fw_region_fail_(EINVAL, "\"%s\": an object of 0 bytes is not made", name);
    return fw_region_fail_(EINVAL, "\"%s\": no pointer to the object is given", name);
}

static int mismatch(const struct fw_ipc_entry_ *found, const struct fw_ipc_entry_ *wanted)
{
    static const char *const kinds[] = {
        "nothing",     "data",    "a mutex",   "a read-write lock", "a condition variable",
        "a semaphore", "permits", "a barrier", "a once flag",       "a journal"};
    enum { KINDS = sizeof kinds / sizeof *kinds };

    if (found->state != wanted->state)
        return fw_region_fail_(EPROTO, "\"%s\" is %s, not %s", wanted->name,
                               found->state < KINDS ? kinds[found->state] : "of another kind",
                               kinds[wanted->state]);
    return fw_region_fail_(EPROTO, "\"%s\" has %llu bytes, and not %llu", wanted->name,
                           (unsigned long long)found->size, (unsigned long long)wanted->size);
}

static int find(const fw_region *region, const struct fw_ipc_entry_ *wanted, unsigned flags,
                void **object)
{
    char *base = region->joined.base;
    struct fw_ipc_entry_ e;
    int error = fw_ipc_directory_find_(base, &region->joined.plan, wanted->name, &e);

    if (error != 0)
        return error;
    if ((flags & FW_REGION_EXCLUSIVE) != 0)
        return EEXIST;
    if (e.state != wanted->state || e.size < wanted->size) /* F:ipc-dir-any-kind */
        return mismatch(&e, wanted);
    *object = base + e.at;
    return 0;
}

/* For the holder of the lock, if there is no such object. */
static int make(fw_region *region, struct fw_ipc_entry_ *entry, initialiser *init, void *arg,
                void **object)
{
    char *base = region->joined.base;
    uint32_t index = 0;
    int error = fw_ipc_directory_find_space_(base, &region->joined.plan, &index, entry);

    if (error == 0 && init != NULL) {              /* F:ipc-dir-late-init */
        fw_ipc_directory_mark_dirty_(base, entry); /* F:ipc-dir-quiet-init */
        error = init(base + entry->at, arg);
    }
    if (error != 0) /* F:ipc-dir-failed-init */
        return error;
    fw_ipc_directory_enter_(base, &region->joined.plan, index, entry);
    *object = base + entry->at;
    return 0;
}

/* 0; or the errors of a call that makes an object. */
static int lock_directory(fw_ipc_mutex *naming)
{
    fw_deadline deadline = {.clock = CLOCK_MONOTONIC};
    int error;

    fw_clock_get_(deadline.clock, &deadline.at);
    deadline.at.tv_sec += PATIENCE_SECONDS;
    error = fw_ipc_mutex_timedlock(naming, &deadline);
    if (error == EOWNERDEAD)
        error = fw_ipc_mutex_consistent(naming); /* DIR2  F:ipc-dir-gives-up */
    return error == ENOTRECOVERABLE || error == EPERM ? EUCLEAN : error;
}

static int find_or_make(fw_region *region, const char *name, fw_region_kind kind, size_t size,
                        unsigned flags, initialiser *init, void *arg, void **object)
{
    struct fw_ipc_entry_ entry = {.state = kind, .size = size};
    fw_ipc_mutex *naming;
    int error;

    if (!fw_region_is_open_(region) || object == NULL || !is_request_valid(name, kind, size, flags))
        return refuse(region, name, kind, size, flags);
    memcpy(entry.name, name, strlen(name));
    error = find(region, &entry, flags, object);
    if (error != ENOENT || (flags & FW_REGION_CREATE) == 0)
        return error;
    naming = &region->mapping->head->naming;
    error = lock_directory(naming);
    if (error != 0) /* F:ipc-dir-unlocked */
        return error;
    error = find(region, &entry, flags, object); /* F:ipc-dir-no-second-look */
    if (error == ENOENT)
        error = make(region, &entry, init, arg, object);
    /* F:ipc-dir-left-locked */
    fw_ipc_mutex_unlock(naming); /* it fails if the lock was written over: for the next one */
    return error;
}

int fw_region_object_init(fw_region *region, const char *name, fw_region_kind kind, size_t size,
                          unsigned flags, initialiser *init, void *arg, void **object)
{
    fw_region_forget_();
    return fw_region_ended_(find_or_make(region, name, kind, size, flags, init, arg, object));
}

int fw_region_object(fw_region *region, const char *name, fw_region_kind kind, size_t size,
                     unsigned flags, void **object)
{
    return fw_region_object_init(region, name, kind, size, flags, NULL, NULL, object);
}

/* Objects without parameters: zeroes are how each of them begins. */
static void *plain(fw_region *region, const char *name, fw_region_kind kind, size_t size,
                   unsigned flags, int *error)
{
    void *object = NULL;

    *error = fw_region_object(region, name, kind, size, flags, &object);
    return object;
}

int fw_region_mutex(fw_region *region, const char *name, unsigned flags, fw_ipc_mutex **m)
{
    int error;

    *m = plain(region, name, FW_REGION_MUTEX, sizeof **m, flags, &error);
    return error;
}

int fw_region_rwlock(fw_region *region, const char *name, unsigned flags, fw_ipc_rwlock **l)
{
    int error;

    *l = plain(region, name, FW_REGION_RWLOCK, sizeof **l, flags, &error);
    return error;
}

int fw_region_cond(fw_region *region, const char *name, unsigned flags, fw_ipc_cond **c)
{
    int error;

    *c = plain(region, name, FW_REGION_COND, sizeof **c, flags, &error);
    return error;
}

int fw_region_once(fw_region *region, const char *name, unsigned flags, fw_ipc_once **o)
{
    int error;

    *o = plain(region, name, FW_REGION_ONCE, sizeof **o, flags, &error);
    return error;
}
