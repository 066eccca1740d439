/* SPDX-License-Identifier: MIT */
/*
 * Locks that are made together with their journal.  Contract: furwock/ipc/named.h.
 *
 * One object of the directory holds both, so there is no moment at which a process could find the
 * lock and not its journal, nor one at which it could die between the two:
 *
 *     lock, padded to JOURNAL_AT | fw_ipc_journal | its records
 *
 * The journal is attached in the object's init, to a lock that nobody can find yet; that is the
 * attach of journal.c (JRN4), which relies only on the lock's holder being alone.
 */
#include <furwock/ipc/named.h>

#include <errno.h>
#include <stddef.h>

#include "ipc/region/journal.h"
#include "ipc/region/participant.h"
#include "ipc/region/why.h"

/* A cache line of its own for each. */
enum { JOURNAL_AT = 64 };

_Static_assert(sizeof(fw_ipc_mutex) <= JOURNAL_AT && sizeof(fw_ipc_rwlock) <= JOURNAL_AT,
               "the lock lies before its journal");
_Static_assert(offsetof(fw_ipc_mutex, history_) == offsetof(fw_ipc_rwlock, history_),
               "an init for both kinds");

struct wanted {
    size_t lock_size;
    size_t capacity;
};

static fw_ipc_journal *journal_of(void *lock)
{
    return (fw_ipc_journal *)(void *)((char *)lock + JOURNAL_AT);
}

static int init(void *lock, void *arg)
{
    const struct wanted *wanted = arg;
    fw_ipc_history *history =
        (fw_ipc_history *)(void *)((char *)lock + offsetof(fw_ipc_mutex, history_));
    fw_ipc_journal *j = journal_of(lock);
    struct fw_ipc_me_ me;
    int error = fw_ipc_enter_(lock, &me);

    if (error == 0)
        error = fw_ipc_journal_init(j, wanted->capacity);
    if (error == 0)
        error = fw_ipc_journal_attach_(me.mapping, lock, wanted->lock_size, history, j);
    return error;
}

static int find_or_make(fw_region *region, const char *name, fw_region_kind kind,
                        struct wanted wanted, unsigned flags, void **lock, fw_ipc_journal **j)
{
    void *object = NULL;
    int error;

    *lock = NULL;
    *j = NULL;
    if (wanted.capacity > SIZE_MAX / 2)
        return fw_region_fail_(EINVAL, "\"%s\": a journal of %zu bytes is too long", name,
                               wanted.capacity);
    error =
        fw_region_object_init(region, name, kind, JOURNAL_AT + fw_ipc_journal_size(wanted.capacity),
                              flags, init, &wanted, &object);
    if (error == 0 && !fw_ipc_journal_has_(journal_of(object), wanted.capacity))
        error = fw_region_fail_(EPROTO, "\"%s\" has no journal, or one of another capacity", name);
    if (error == 0) {
        *lock = object;
        *j = journal_of(object);
    }
    return error;
}

int fw_region_mutex_with_journal(fw_region *region, const char *name, size_t capacity,
                                 unsigned flags, fw_ipc_mutex **m, fw_ipc_journal **j)
{
    struct wanted wanted = {sizeof(fw_ipc_mutex), capacity};
    void *lock;
    int error = find_or_make(region, name, FW_REGION_MUTEX, wanted, flags, &lock, j);

    *m = lock;
    return error;
}

int fw_region_rwlock_with_journal(fw_region *region, const char *name, size_t capacity,
                                  unsigned flags, fw_ipc_rwlock **l, fw_ipc_journal **j)
{
    struct wanted wanted = {sizeof(fw_ipc_rwlock), capacity};
    void *lock;
    int error = find_or_make(region, name, FW_REGION_RWLOCK, wanted, flags, &lock, j);

    *l = lock;
    return error;
}
