/* SPDX-License-Identifier: MIT */
#ifndef FWPY_CONDITION_H
#define FWPY_CONDITION_H

#include "fwpy.h"

/*
 * An anonymous condition lies in a slot with the counts that make notify(n) wake n waiters, and not
 * more: fw_ipc_cond ends any wait that finds a signal, for whichever waiter that was.  A named one
 * is an fw_ipc_cond only, as C programs have it; there a wait may end too early.
 *
 * The counts are changed with the lock held.
 *
 *   PYC1  A wait of another number than `notified` was when it began may take a pending
 *         notification: so the n of a notify are waiters that were there before it.
 *   PYC2  A waiter that is killed leaves `waiting` too high, and maybe a pending notification that
 *         nobody takes: later a waiter returns without need.  None sleeps for a notification that
 *         another took and died with: it got the lock, and whoever gets that next is told.
 */
struct fwpy_counted_cond {
    fw_ipc_cond cond;
    uint32_t waiting;
    uint32_t pending;  /* notifications that no waiter has taken yet: at most `waiting` */
    uint32_t notified; /* how often there were some */
    uint32_t spare;
};

enum { FWPY_ACQUIRE, FWPY_RELEASE, FWPY_ENTER, FWPY_EXIT, FWPY_FORWARDED };

struct fwpy_condition {
    fwpy_base base;
    PyObject *lock;                    /* a Mutex; NULL only until __setstate__ */
    PyObject *methods[FWPY_FORWARDED]; /* of the lock, bound; NULL as long as that is */
};

/* The lock; NULL, with an exception: there is none yet. */
fwpy_base *fwpy_condition_lock(PyObject *self);

/* condition_wait.c: methods. */
PyObject *fwpy_condition_wait(PyObject *self, PyObject *args, PyObject *names);
PyObject *fwpy_condition_wait_for(PyObject *self, PyObject *args, PyObject *names);
PyObject *fwpy_condition_notify(PyObject *self, PyObject *args, PyObject *names);
PyObject *fwpy_condition_notify_all(PyObject *self, PyObject *nothing);
PyObject *fwpy_condition_begin(PyObject *self, PyObject *nothing);
PyObject *fwpy_condition_is_notified(PyObject *self, PyObject *began);
PyObject *fwpy_condition_end(PyObject *self, PyObject *args);

#endif
