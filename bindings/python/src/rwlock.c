/* SPDX-License-Identifier: MIT */
/* furwock.RWLock, over fw_ipc_rwlock: its modes, which are context managers. */
#include "rwlock.h"

#include "ipc/rwlock.h"

static fw_ipc_rwlock *lock_of(fwpy_base *self)
{
    return (fw_ipc_rwlock *)self->object;
}

static int call_consistent(void *l)
{
    return fw_ipc_rwlock_consistent((fw_ipc_rwlock *)l);
}

static int call_unlock(void *l)
{
    return fw_ipc_rwlock_wrunlock((fw_ipc_rwlock *)l);
}

static int call_death(const void *l, fw_ipc_death *death)
{
    return fw_ipc_rwlock_death((const fw_ipc_rwlock *)l, death);
}

const struct fwpy_lock_calls fwpy_rwlock_calls = {call_consistent, call_unlock, call_death};

/* --- Modes ------------------------------------------------------------------------------------ */

struct mode {
    const char *name;
    fw_ipc_rwlock_mode held;
    int (*try)(fw_ipc_rwlock *);
    int (*timed)(fw_ipc_rwlock *, const fw_wait_policy *, const fw_deadline *);
    int (*unlock)(fw_ipc_rwlock *);
};

static const struct mode modes[] = {
    {"read", FW_IPC_RWLOCK_READ, fw_ipc_rwlock_tryrdlock, fw_ipc_rwlock_rdlock_policy,
     fw_ipc_rwlock_rdunlock},
    {"upgradable", FW_IPC_RWLOCK_UPGRADABLE, fw_ipc_rwlock_upgradable_trylock,
     fw_ipc_rwlock_upgradable_lock_policy, fw_ipc_rwlock_upgradable_unlock},
    {"write", FW_IPC_RWLOCK_WRITE, fw_ipc_rwlock_trywrlock, fw_ipc_rwlock_wrlock_policy,
     fw_ipc_rwlock_wrunlock}};

struct wait {
    fw_ipc_rwlock *lock;
    int (*timed)(fw_ipc_rwlock *, const fw_wait_policy *, const fw_deadline *);
};

static int call_timed(void *arg, const fw_deadline *deadline)
{
    const struct wait *w = arg;

    return w->timed(w->lock, &fwpy_until_signal.policy, deadline);
}

static int lock_timed(fwpy_base *self, const struct mode *m, const struct fwpy_timeout *t)
{
    struct wait w = {lock_of(self), m->timed};
    int error = m->try(lock_of(self));

    return error == EBUSY && !t->is_try ? fwpy_wait(call_timed, &w, t) : error;
}

/* What a mode that was taken by way of the write lock is left as. */
static int to_mode(fwpy_base *self, const struct mode *m)
{
    if (m->held == FW_IPC_RWLOCK_READ)
        return fw_ipc_rwlock_downgrade(lock_of(self));
    if (m->held == FW_IPC_RWLOCK_UPGRADABLE)
        return fw_ipc_rwlock_downgrade_upgradable(lock_of(self));
    return 0;
}

/*
 * A reader found that a writer has died: it holds nothing.  If the policy repairs by itself, the
 * caller takes the lock for writing to have that done.
 */
static PyObject *repair_and_read(fwpy_base *self, const struct mode *m,
                                 const struct fwpy_timeout *t)
{
    PyObject *grant;
    int error;

    if (self->policy != FWPY_CONSISTENT && self->policy != FWPY_CALL)
        return fwpy_error(self->state, EOWNERDEAD, "acquire");
    error = lock_timed(self, &modes[2], t);
    if (error != 0 && error != EOWNERDEAD)
        return fwpy_granted(self->state, error, "acquire");
    grant =
        error == 0 ? fwpy_new_ref(self->state->granted) : fwpy_owner_died(self, &fwpy_rwlock_calls);
    if (grant == NULL)
        return NULL;
    error = to_mode(self, m);
    if (error == 0)
        return grant;
    Py_DECREF(grant);
    fw_ipc_rwlock_wrunlock(lock_of(self));
    return fwpy_error(self->state, error, "acquire");
}

static PyObject *acquire(fwpy_base *self, const struct mode *m, const struct fwpy_timeout *t)
{
    int error = lock_timed(self, m, t);

    if (error != EOWNERDEAD)
        return fwpy_granted(self->state, error, "acquire");
    return m->held == FW_IPC_RWLOCK_WRITE ? fwpy_owner_died(self, &fwpy_rwlock_calls)
                                          : repair_and_read(self, m, t);
}

/* --- Sides: lock.read, lock.write, lock.upgradable -------------------------------------------- */

typedef struct side {
    PyObject_HEAD fwpy_base *lock;
    const struct mode *mode;
} side;

static PyObject *side_acquire(PyObject *o, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    side *self = (side *)o;
    struct fwpy_timeout t = {.is_forever = true};

    if ((count != 0 || names != NULL) && fwpy_acquire_args("acquire", args, count, names, &t) != 0)
        return NULL;
    return acquire(self->lock, self->mode, &t);
}

static PyObject *side_enter(PyObject *o, PyObject *unused)
{
    static const struct fwpy_timeout forever = {.is_forever = true};
    side *self = (side *)o;

    (void)unused;
    return acquire(self->lock, self->mode, &forever);
}

static PyObject *side_release(PyObject *o, PyObject *unused)
{
    side *self = (side *)o;
    int error = self->mode->unlock(lock_of(self->lock));

    (void)unused;
    return error == 0 ? fwpy_none() : fwpy_release_error(self->lock, error);
}

/* The block may have upgraded or downgraded: what the thread holds by now is released. */
static PyObject *side_exit(PyObject *o, PyObject *const *args, Py_ssize_t count)
{
    side *self = (side *)o;
    fw_ipc_rwlock *l = lock_of(self->lock);
    int error;

    if (self->mode->held == FW_IPC_RWLOCK_READ)
        return side_release(o, NULL);
    if ((count == 0 || args[0] == Py_None) && fw_ipc_rwlock_held_by_me(l) == FW_IPC_RWLOCK_WRITE)
        (void)fw_ipc_rwlock_consistent(l); /* EINVAL: it is */
    switch (fw_ipc_rwlock_held_by_me(l)) {
    case FW_IPC_RWLOCK_WRITE:
        error = fw_ipc_rwlock_wrunlock(l);
        break;
    case FW_IPC_RWLOCK_UPGRADABLE:
        error = fw_ipc_rwlock_upgradable_unlock(l);
        break;
    default:
        error = fw_ipc_rwlock_rdunlock(l);
        break;
    }
    return error == 0 ? fwpy_none() : fwpy_release_error(self->lock, error);
}

/* What a step has come to: a Grant; None: closed, and readers are inside; False; or NULL. */
static PyObject *stepped(side *self, int error)
{
    if (error == EINPROGRESS)
        return fwpy_none();
    return error == EOWNERDEAD ? fwpy_owner_died(self->lock, &fwpy_rwlock_calls)
                               : fwpy_granted(self->lock->state, error, "acquire");
}

static PyObject *side_begin(PyObject *o, PyObject *unused)
{
    (void)unused;
    return stepped((side *)o, fw_ipc_rw_write_begin_(lock_of(((side *)o)->lock)));
}

static PyObject *side_go_on(PyObject *o, PyObject *unused)
{
    (void)unused;
    return stepped((side *)o, fw_ipc_rw_write_go_on_(lock_of(((side *)o)->lock)));
}

static PyObject *side_give_up(PyObject *o, PyObject *unused)
{
    (void)unused;
    fw_ipc_rw_write_give_up_(lock_of(((side *)o)->lock));
    return fwpy_none();
}

static PyObject *side_repr(PyObject *o)
{
    side *self = (side *)o;

    return PyUnicode_FromFormat("<%s side of %R>", self->mode->name, (PyObject *)self->lock);
}

static int side_traverse(PyObject *o, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(((side *)o)->lock);
    return 0;
}

static void side_dealloc(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);

    PyObject_GC_UnTrack(o);
    Py_XDECREF(((side *)o)->lock);
    free_it(o);
    Py_DECREF(type);
}

PyObject *fwpy_rwlock_side(PyObject *o, void *which)
{
    fwpy_base *lock = (fwpy_base *)o;
    PyTypeObject *type = lock->state->rwlock_side;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    side *self = (side *)alloc(type, 0);

    if (self == NULL)
        return NULL;
    self->lock = (fwpy_base *)fwpy_new_ref(o);
    self->mode = &modes[(uintptr_t)which];
    return (PyObject *)self;
}

static PyObject *side_no_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    (void)type, (void)args, (void)names;
    PyErr_SetString(PyExc_TypeError, "use the attributes read, write and upgradable of an RWLock");
    return NULL;
}

PyDoc_STRVAR(
    acquire_doc,
    "acquire($self, blocking=True, timeout=None)\n--\n\n"
    "Take the lock in this mode, waiting for `timeout` seconds at most (None: forever).\n\n"
    "Returns a Grant, which is equal to True; False if it timed out, or cannot be had\n"
    "without blocking. OwnerDied: a writer has died, and on_death does not repair;\n"
    "a reader holds nothing then. LockLost, Deadlock, CorruptRegion, NoSlot.");

static PyMethodDef side_methods[] = {
    {"acquire", (PyCFunction)(void (*)(void))side_acquire, METH_FASTCALL | METH_KEYWORDS,
     acquire_doc},
    {"release", side_release, METH_NOARGS,
     "release($self, /)\n--\n\nRelease it. NotHeld: the thread does not hold it in this mode."},
    {"_begin", side_begin, METH_NOARGS,
     "_begin($self, /)\n--\n\n"
     "For aio: begins to take the lock for writing, without waiting. A Grant; False: others\n"
     "hold it; None: it is closed, and go_on or give_up must follow."},
    {"_go_on", side_go_on, METH_NOARGS,
     "_go_on($self, /)\n--\n\nA Grant; None: readers are inside still."},
    {"_give_up", side_give_up, METH_NOARGS, "_give_up($self, /)\n--\n\nOpens it again."},
    {"__enter__", side_enter, METH_NOARGS, "__enter__($self, /)\n--\n\nAs acquire()."},
    {"__exit__", (PyCFunction)(void (*)(void))side_exit, METH_FASTCALL,
     "__exit__($self, exc_type, exc, traceback, /)\n--\n\n"
     "Release what the block has it as by now. For a writer: declare the data consistent,\n"
     "unless there is an exception."},
    {NULL, NULL, 0, NULL}};

PyDoc_STRVAR(side_doc, "One mode of an RWLock: a context manager, with acquire and release.");

static PyType_Slot side_slots[] = {{Py_tp_doc, (void *)side_doc},
                                   {Py_tp_new, side_no_new},
                                   {Py_tp_methods, side_methods},
                                   {Py_tp_dealloc, side_dealloc},
                                   {Py_tp_repr, side_repr},
                                   {Py_tp_traverse, side_traverse},
                                   {0, NULL}};

static PyType_Spec side_spec = {.name = "furwock._furwock.RWLockSide",
                                .basicsize = sizeof(side),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                .slots = side_slots};

int fwpy_add_rwlock_side(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->rwlock_side = fwpy_add_type(module, &side_spec, NULL);
    return state->rwlock_side == NULL ? -1 : 0;
}
