/* SPDX-License-Identifier: MIT */
#ifndef FWPY_WATCH_H
#define FWPY_WATCH_H

#include "fwpy.h"

#include "waiting.h"

/*
 * Objects that an event loop watches for its tasks, without a thread that sleeps: a lock belongs to
 * the thread that takes it, and the loop must not wait.  (aio.py)
 */
struct fwpy_watched {
    void *object;
    enum fwpy_watched_kind {
        FWPY_WATCH_MUTEX,
        FWPY_WATCH_SEMAPHORE,
        FWPY_WATCH_PERMITS,
        FWPY_WATCH_EVENT,
        FWPY_WATCH_CONDITION,
        FWPY_WATCH_RWLOCK
    } kind;
    uint64_t token; /* of an event or a condition: as it was when the wait began; of a read-write
                       lock: one of those below */
};

/* To read; to close it, in order to write; it is closed, and readers are to leave. */
enum { FWPY_RW_READ, FWPY_RW_CLOSE, FWPY_RW_DRAIN };

/* How many holders of one object can be named; if there are more, it is looked at at intervals. */
enum { FWPY_HOLDERS_MAX = 32 };

struct fwpy_look {
    const struct fw_ipc_mapping_ *mapping;
    const uint32_t *word;   /* on which others wake those that wait for it */
    uint32_t expected;      /* what that says while it is not to be had */
    const uint32_t *beside; /* what sleeps there is moved to a life: ICV6 in ipc/cond.c; or NULL */
    uint32_t beside_expected;
    bool rechecks; /* it may come to be had without a wake: to be looked at at intervals */
    unsigned holders;
    uint64_t holder[FWPY_HOLDERS_MAX]; /* it may be had if one of them dies */
};

/* What a wait that begins now is to be told by. */
uint64_t fwpy_watch_token(const struct fwpy_watched *w);

/*
 * Can it be tried?  (Also if it lies in no region: then a try says so.)  If not, it has been
 * announced in the word that somebody sleeps, and *look says what is to be watched.
 */
bool fwpy_watch_is_ready(const struct fwpy_watched *w, struct fwpy_look *look);

int fwpy_add_watcher(PyObject *module);

#endif
