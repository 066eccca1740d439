/* SPDX-License-Identifier: MIT */
/* How threads wait for a furwock.Condition, and are notified: condition.h. */
#include "condition.h"

/* More than one process can have threads in a region: a notification of that many is for all. */
enum { ALL = 4096 };

fwpy_base *fwpy_condition_lock(PyObject *self)
{
    PyObject *lock = ((struct fwpy_condition *)self)->lock;

    if (lock == NULL)
        PyErr_SetString(PyExc_ValueError, "the condition has no lock yet");
    return (fwpy_base *)lock;
}

/* The lock, which the calling thread holds; NULL: an exception is set. */
static fwpy_base *held_lock(PyObject *self, const char *what)
{
    fwpy_base *lock = fwpy_condition_lock(self);

    if (lock != NULL && !fw_ipc_mutex_is_held_by_me(fwpy_mutex_of(lock))) {
        fwpy_error(lock->state, EPERM, what);
        return NULL;
    }
    return lock;
}

static struct fwpy_counted_cond *counts_of(PyObject *self)
{
    fwpy_base *base = (fwpy_base *)self;

    return base->cell->slots != 0 ? base->object : NULL;
}

/* --- wait ------------------------------------------------------------------------------------- */

struct waiting {
    fw_ipc_cond *cond;
    struct fwpy_counted_cond *counts; /* NULL: a named condition */
    fwpy_base *lock;
    uint32_t depth; /* how often the caller holds the lock beside the first time */
    uint32_t began; /* how often there were notifications before */
};

/* The lock is held once in between; whoever has it counts for itself (cell->depth). */
static int wait_once(void *arg, const fw_deadline *deadline)
{
    const struct waiting *w = arg;
    int error = fw_ipc_cond_wait_policy(w->cond, fwpy_mutex_of(w->lock), &fwpy_until_signal.policy,
                                        deadline);

    if (error == 0 || error == ETIMEDOUT || error == EINTR || error == EOWNERDEAD)
        __atomic_store_n(&w->lock->cell->depth, w->depth, __ATOMIC_RELAXED);
    return error;
}

static bool is_notified(const struct waiting *w)
{
    return w->counts == NULL || (w->counts->pending != 0 && w->counts->notified != w->began);
}

/* The lock is held again.  0: notified; else as it was. */
static int end_wait(struct waiting *w, int error)
{
    struct fwpy_counted_cond *c = w->counts;
    bool takes = (error == 0 || error == ETIMEDOUT) && is_notified(w);

    if (c == NULL)
        return error;
    if (takes)
        c->pending--;
    if (c->waiting != 0)
        c->waiting--;
    if (c->pending > c->waiting)
        c->pending = c->waiting;
    return takes ? 0 : error;
}

/* As fw_ipc_cond_timedwait, or -1: an exception is set, and the lock is held. */
static int wait_for_it(struct waiting *w, const struct fwpy_timeout *t)
{
    int error;

    if (w->counts != NULL) {
        w->began = w->counts->notified;
        w->counts->waiting++;
    }
    do
        error = fwpy_wait(wait_once, w, t);
    while (error == 0 && !is_notified(w)); /* another waiter's */
    return error <= 0 || error == ETIMEDOUT || error == EOWNERDEAD ? end_wait(w, error) : error;
}

/* True, False after the time-out, a Grant after a death; NULL: an exception is set. */
static PyObject *wait_within(PyObject *self, const struct fwpy_timeout *t)
{
    fwpy_base *lock = held_lock(self, "wait");
    struct waiting w;
    PyObject *result;
    int error;

    if (lock == NULL)
        return NULL;
    w = (struct waiting){.cond = ((fwpy_base *)self)->object,
                         .counts = counts_of(self),
                         .lock = lock,
                         .depth = __atomic_load_n(&lock->cell->depth, __ATOMIC_RELAXED)};
    __atomic_store_n(&lock->cell->depth, 0, __ATOMIC_RELAXED);
    Py_INCREF(lock); /* others may drop the condition meanwhile */
    error = wait_for_it(&w, t);
    if (error == 0 || error == ETIMEDOUT)
        result = fwpy_bool(error == 0);
    else if (error < 0)
        result = NULL;
    else if (error == EOWNERDEAD)
        result = fwpy_owner_died(lock, &fwpy_mutex_calls);
    else
        result = fwpy_error(lock->state, error, "wait");
    Py_DECREF(lock);
    return result;
}

PyObject *fwpy_condition_wait(PyObject *self, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"timeout", NULL};
    PyObject *timeout = NULL;
    struct fwpy_timeout t;

    if (!PyArg_ParseTupleAndKeywords(args, names, "|O:wait", keywords, &timeout) ||
        fwpy_timeout(NULL, timeout, &t) != 0)
        return NULL;
    return wait_within(self, &t);
}

PyObject *fwpy_condition_wait_for(PyObject *self, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"predicate", "timeout", NULL};
    PyObject *predicate, *timeout = NULL, *result, *waited;
    struct fwpy_timeout t;
    bool is_over = false;
    int is_true;

    if (!PyArg_ParseTupleAndKeywords(args, names, "O|O:wait_for", keywords, &predicate, &timeout) ||
        fwpy_timeout(NULL, timeout, &t) != 0)
        return NULL;
    for (;;) {
        result = PyObject_CallObject(predicate, NULL);
        is_true = result == NULL ? -1 : PyObject_IsTrue(result);
        if (is_true < 0)
            Py_CLEAR(result);
        if (is_true != 0 || is_over)
            return result;
        waited = wait_within(self, &t);
        Py_DECREF(result);
        if (waited == NULL)
            return NULL;
        is_over = PyObject_IsTrue(waited) == 0;
        Py_DECREF(waited);
    }
}

/* --- notify ----------------------------------------------------------------------------------- */

static void count_notifications(struct fwpy_counted_cond *c, uint32_t n)
{
    uint32_t more = c->pending < c->waiting ? c->waiting - c->pending : 0;

    c->pending += n < more ? n : more;
    c->notified++;
}

static PyObject *notify_some(PyObject *self, long long n)
{
    fw_ipc_cond *cond = ((fwpy_base *)self)->object;
    int error = 0;

    if (held_lock(self, "notify") == NULL)
        return NULL;
    if (n > 0 && counts_of(self) != NULL)
        count_notifications(counts_of(self), n < ALL ? (uint32_t)n : UINT32_MAX);
    if (n >= ALL)
        error = fw_ipc_cond_broadcast(cond);
    for (; n > 0 && n < ALL && error == 0; n--)
        error = fw_ipc_cond_signal(cond);
    return error == 0 ? fwpy_none() : fwpy_error(((fwpy_base *)self)->state, error, "notify");
}

PyObject *fwpy_condition_notify(PyObject *self, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"n", NULL};
    long long n = 1;

    if (!PyArg_ParseTupleAndKeywords(args, names, "|L:notify", keywords, &n))
        return NULL;
    return notify_some(self, n);
}

PyObject *fwpy_condition_notify_all(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return notify_some(self, ALL);
}

/* --- For an event loop, which waits by other means: the lock is held in each of these --------- */

PyObject *fwpy_condition_begin(PyObject *self, PyObject *nothing)
{
    struct fwpy_counted_cond *c = counts_of(self);

    (void)nothing;
    if (held_lock(self, "wait") == NULL)
        return NULL;
    if (c == NULL)
        return PyLong_FromLong(0);
    c->waiting++;
    return PyLong_FromUnsignedLong(c->notified);
}

PyObject *fwpy_condition_is_notified(PyObject *self, PyObject *began)
{
    struct waiting w = {.counts = counts_of(self), .began = (uint32_t)PyLong_AsUnsignedLong(began)};

    return PyErr_Occurred() != NULL ? NULL : fwpy_bool(is_notified(&w));
}

/* The wait ends; if not because of a notification (`takes`), one that it may have kept from another
 * is given again. */
PyObject *fwpy_condition_end(PyObject *self, PyObject *args)
{
    struct waiting w = {.counts = counts_of(self)};
    unsigned int began;
    int takes, error;

    if (!PyArg_ParseTuple(args, "Ip:_end", &began, &takes))
        return NULL;
    w.began = began;
    error = end_wait(&w, takes ? 0 : EINTR);
    if (!takes && (w.counts == NULL || w.counts->pending != 0))
        error = fw_ipc_cond_signal(((fwpy_base *)self)->object);
    return error < 0 ? NULL : fwpy_none();
}
