/* SPDX-License-Identifier: MIT */
#ifndef FW_TDBTORTURE_LOCKS_H
#define FW_TDBTORTURE_LOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* A way to lock a byte of the database: one of these objects for each byte. */
struct lock_kind {
    const char *name;
    size_t size;
    bool shares; /* readers go together; then it serves for all bytes, else only for chains */
    int (*take)(void *lock, bool write, bool wait); /* 0, EBUSY, or a positive errno */
    int (*give)(void *lock, bool write);            /* 0 or a positive errno */
    /* Another lock for chains and the list of free space, where readers wait too; or NULL. */
    int (*take_chain)(void *lock, bool write, bool wait);
    int (*give_chain)(void *lock, bool write);
    void (*init)(void *lock);     /* NULL: zeroes are free */
    const char *(*missing)(void); /* NULL, or says why it cannot be used here */
};

/* NULL, or why this kind cannot be used here. */
static inline const char *lock_kind_missing(const struct lock_kind *kind)
{
    return kind->missing != NULL ? kind->missing() : NULL;
}

/* Ends with NULL. */
extern const struct lock_kind *const lock_kinds[];

/*
 * Stands in for fcntl(2) in TDB's lock.c, which is compiled with -Dfcntl=tdbtorture_fcntl: locks on
 * bytes become locks in a region; other commands go on to the kernel.  The environment says which:
 *
 *     TDBTORTURE_KIND     name of a kind
 *     TDBTORTURE_REGION   the file that is, or will be, the region
 *     TDBTORTURE_CHAINS   hash size of the database
 */
int tdbtorture_fcntl(int fd, int command, ...);

#endif
