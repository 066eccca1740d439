/* SPDX-License-Identifier: MIT */
#ifndef FWPY_WATCH_H
#define FWPY_WATCH_H

#include "fwpy.h"

#include "waiting.h"

/*
 * Objects of which one thread watches many for others, who take them themselves: a lock belongs to
 * the thread that takes it, and an event loop must not wait.  (aio.py)
 *
 *   PYA1  The watcher is in the wait queue of each object, as a thread that waits is; it leaves
 *         them all when one can be had or it is told to, and then wakes another thread of each
 *         queue in which it slept: the wake that it got may have been meant for that one.
 */
struct fwpy_watched {
    void *object;
    enum fwpy_watched_kind {
        FWPY_WATCH_MUTEX,
        FWPY_WATCH_SEMAPHORE,
        FWPY_WATCH_PERMITS,
        FWPY_WATCH_EVENT,
        FWPY_WATCH_CONDITION
    } kind;
    uint64_t token; /* of an event or a condition: as it was when the wait began */
    const uint32_t *word;
    bool is_ready;
};

/* What a wait that begins now is to be told by. */
uint64_t fwpy_watch_token(const struct fwpy_watched *w);

/*
 * Waits until some of the n objects can be had (is_ready), *poked is another number than `pokes`,
 * or the deadline has passed.  0, or an error as fwpy_wait_until.
 */
int fwpy_watch(struct fwpy_watched *all, size_t n, const uint32_t *poked, uint32_t pokes,
               const fw_deadline *deadline);

int fwpy_add_watcher(PyObject *module);

#endif
