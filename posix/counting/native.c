/* SPDX-License-Identifier: MIT */
/*
 * Contract: native.h.  A slow path that finds the lock free has not waited; the drop-in has its own
 * copy of the locks, which does not come here.
 */
#include "native.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/* --- The library ------------------------------------------------------------------------------ */

static int see_module(struct dl_phdr_info *info, size_t size, void *library)
{
    const char *name = strrchr(info->dlpi_name, '/');

    (void)size;
    if (name != NULL && strncmp(name, "/libfurwock.so", strlen("/libfurwock.so")) == 0)
        *(void **)library = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
    return *(void **)library != NULL;
}

/* A plug-in's own furwock (RTLD_LOCAL) comes after no library. */
void *fw_stat_native_next_(void **known, const char *name)
{
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED), *library = NULL;

    if (__builtin_expect(found != NULL, 1))
        return found;
    found = dlsym(RTLD_NEXT, name);
    if (found == NULL)
        dl_iterate_phdr(see_module, &library);
    if (library != NULL)
        found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr,
                "furwock run: the program calls %s, and its libfurwock.so has no such "
                "function\n",
                name);
        abort();
    }
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
    return found;
}

/* --- Waits ------------------------------------------------------------------------------------ */

static void begin(struct fw_stat_ *s, enum fw_stat_what_ what, const void *lock, int owner,
                  const void *site)
{
    fw_stat_begin_(s, what, lock, site);
    fw_stat_holder_(s, owner, NULL);
}

void fw_stat_native_mutex_lock_(fw_mutex *m, const void *site)
{
    __typeof__(&fw_mutex_lock_slow_) next = FW_NATIVE_ABI_(fw_mutex_lock_slow);
    int owner = fw_mutex_owner(m);
    struct fw_stat_ s;

    if (owner != 0)
        begin(&s, FW_STAT_FW_MUTEX, m, owner, site);
    next(m);
    if (owner != 0)
        fw_stat_end_(&s, 0);
}

int fw_stat_native_mutex_timedlock_(fw_mutex *m, const fw_deadline *deadline, const void *site)
{
    __typeof__(&fw_mutex_timedlock) next = FW_NATIVE_(fw_mutex_timedlock);
    int owner = fw_mutex_owner(m), error;
    struct fw_stat_ s;

    if (owner == 0)
        return next(m, deadline);
    begin(&s, FW_STAT_FW_MUTEX, m, owner, site);
    error = next(m, deadline);
    fw_stat_end_(&s, error);
    return error;
}

/* Not where others read, too: it only has to look again. */
void fw_stat_native_rdlock_(fw_rwlock *l, uint64_t seen, const void *site)
{
    __typeof__(&fw_rwlock_rdlock_slow_) next = FW_NATIVE_ABI_(fw_rwlock_rdlock_slow);
    int owner = fw_rwlock_owner(l);
    struct fw_stat_ s;

    if (owner != 0)
        begin(&s, FW_STAT_READ, l, owner, site);
    next(l, seen);
    if (owner != 0)
        fw_stat_end_(&s, 0);
}

void fw_stat_native_wrlock_(fw_rwlock *l, uint64_t seen, const void *site)
{
    __typeof__(&fw_rwlock_wrlock_slow_) next = FW_NATIVE_ABI_(fw_rwlock_wrlock_slow);
    bool waits = fw_load64_relaxed(&l->state_) != 0;
    struct fw_stat_ s;

    if (waits)
        begin(&s, FW_STAT_WRITE, l, fw_rwlock_owner(l), site);
    next(l, seen);
    if (waits)
        fw_stat_end_(&s, 0);
}

void fw_stat_native_sem_wait_(fw_sem *sem, const void *site)
{
    __typeof__(&fw_sem_wait_slow_) next = FW_NATIVE_ABI_(fw_sem_wait_slow);
    struct fw_stat_ s;

    fw_stat_begin_(&s, FW_STAT_SEM, sem, site);
    next(sem);
    fw_stat_end_(&s, 0);
}

void fw_stat_native_cond_wait_(fw_cond *c, fw_mutex *m, const void *site)
{
    __typeof__(&fw_cond_wait) next = FW_NATIVE_(fw_cond_wait);
    struct fw_stat_ s;

    fw_stat_begin_(&s, FW_STAT_COND, c, site);
    next(c, m);
    fw_stat_end_(&s, 0);
}

int fw_stat_native_cond_timedwait_(fw_cond *c, fw_mutex *m, const fw_deadline *deadline,
                                   const void *site)
{
    __typeof__(&fw_cond_timedwait) next = FW_NATIVE_(fw_cond_timedwait);
    struct fw_stat_ s;
    int error;

    fw_stat_begin_(&s, FW_STAT_COND, c, site);
    error = next(c, m, deadline);
    fw_stat_end_(&s, error);
    return error;
}
