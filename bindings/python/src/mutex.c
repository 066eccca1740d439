/* SPDX-License-Identifier: MIT */
/* furwock.Mutex, over fw_ipc_mutex. */
#include <time.h>

#include "mutex.h"

#include "ipc/region/layout.h"

/*
 * What Python adds behind the mutex, if there is space: not so in a named one that may be shared
 * with programs in other languages.  `unrepaired` (on_death="repeat") is written by the holder.
 */
struct python_mutex {
    fw_ipc_mutex mutex;
    uint64_t deaths;
    uint64_t unrepaired;
};

/* The parameter of those that have it although they are named. */
enum { REPEATS = 0 };

static size_t mutex_size(const uint32_t *parameters)
{
    (void)parameters;
    return sizeof(struct python_mutex);
}

static int mutex_named(fw_region *region, const char *name, const uint32_t *parameters,
                       unsigned flags, void **object)
{
    size_t size = parameters[REPEATS] ? sizeof(struct python_mutex) : sizeof(fw_ipc_mutex);

    return fw_region_object(region, name, FW_REGION_MUTEX, size, flags, object);
}

static const struct fwpy_kind mutex_kind = {.name = "Mutex",
                                            .kind = FW_REGION_MUTEX,
                                            .size = mutex_size,
                                            .deaths_at = offsetof(struct python_mutex, deaths),
                                            .named = mutex_named};

static int call_consistent(void *m)
{
    return fw_ipc_mutex_consistent((fw_ipc_mutex *)m);
}

static int call_unlock(void *m)
{
    return fw_ipc_mutex_unlock((fw_ipc_mutex *)m);
}

static int call_death(const void *m, fw_ipc_death *death)
{
    return fw_ipc_mutex_death((const fw_ipc_mutex *)m, death);
}

const struct fwpy_lock_calls fwpy_mutex_calls = {call_consistent, call_unlock, call_death};

static uint32_t depth_of(const fwpy_base *self)
{
    return __atomic_load_n(&self->cell->depth, __ATOMIC_RELAXED);
}

/* By the holder only. */
static void set_depth(fwpy_base *self, uint32_t depth)
{
    __atomic_store_n(&self->cell->depth, depth, __ATOMIC_RELAXED);
}

/* What a dead holder left is still to be repaired (on_death="repeat"). */
static uint64_t *unrepaired(const fwpy_base *self)
{
    return &((struct python_mutex *)self->object)->unrepaired;
}

static bool is_unrepaired(const fwpy_base *self)
{
    return self->policy == FWPY_REPEAT && fw_load64_relaxed(unrepaired(self)) != 0;
}

/* By the holder. */
static void declare_consistent(fwpy_base *self)
{
    if (is_unrepaired(self))
        fw_store64_relaxed(unrepaired(self), 0);
}

/* The holder has died: that is noted before the mutex forgets it. */
static PyObject *after_death(fwpy_base *self)
{
    if (self->policy == FWPY_REPEAT) {
        fw_store64_relaxed(unrepaired(self), 1);
        (void)fw_ipc_mutex_consistent(fwpy_mutex_of(self));
    }
    return fwpy_owner_died(self, &fwpy_mutex_calls);
}

/* --- Acquire ---------------------------------------------------------------------------------- */

static int call_lock(void *m, const fw_deadline *deadline)
{
    return fw_ipc_mutex_lock_policy((fw_ipc_mutex *)m, &fwpy_until_signal.policy, deadline);
}

/* Waits for itself, as multiprocessing.Lock does. */
static int call_sleep(void *unused, const fw_deadline *deadline)
{
    static const struct timespec hour = {3600, 0};

    (void)unused;
    if (deadline == NULL)
        while (true)
            nanosleep(&hour, NULL);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline->at, NULL) == EINTR)
        continue;
    return ETIMEDOUT;
}

PyObject *fwpy_mutex_acquired(fwpy_base *self, int error)
{
    if (error == 0 || error == EOWNERDEAD)
        set_depth(self, 0); /* a thread of this process may have died with it held twice */
    if (error == 0 && is_unrepaired(self))
        return fwpy_died_before(self, &fwpy_mutex_calls);
    if (error == EOWNERDEAD)
        return after_death(self);
    return fwpy_granted(self->state, error, "acquire");
}

static PyObject *acquire_again(fwpy_base *self, const struct fwpy_timeout *t)
{
    if (self->relock == FWPY_RELOCK_COUNT) {
        if (depth_of(self) == UINT32_MAX)
            return fwpy_error(self->state, EOVERFLOW, "acquire");
        set_depth(self, depth_of(self) + 1);
        return fwpy_new_ref(self->state->granted);
    }
    if (t->is_try)
        return fwpy_bool(false);
    if (self->relock == FWPY_RELOCK_ERROR)
        return fwpy_error(self->state, EDEADLK, "acquire");
    return fwpy_mutex_acquired(self, fwpy_wait(call_sleep, NULL, t));
}

static PyObject *acquire_slow(fwpy_base *self, const struct fwpy_timeout *t)
{
    fw_ipc_mutex *m = fwpy_mutex_of(self);
    int error = fw_ipc_mutex_trylock(m);

    if (error == EBUSY && fw_ipc_mutex_is_held_by_me(m))
        return acquire_again(self, t);
    if (error == EBUSY && !t->is_try)
        error = fwpy_wait(call_lock, m, t);
    return fwpy_mutex_acquired(self, error);
}

static inline bool take(fwpy_base *self)
{
    if (!fw_ipc_mutex_take_(fwpy_mutex_of(self)))
        return false;
    if (self->relock == FWPY_RELOCK_COUNT)
        set_depth(self, 0);
    return true;
}

static PyObject *taken(fwpy_base *self)
{
    return self->policy == FWPY_REPEAT ? fwpy_mutex_acquired(self, 0)
                                       : fwpy_new_ref(self->state->granted);
}

static PyObject *mutex_acquire(PyObject *o, PyObject *const *args, Py_ssize_t count,
                               PyObject *names)
{
    fwpy_base *self = (fwpy_base *)o;
    struct fwpy_timeout t = {.is_forever = true};

    if ((count != 0 || names != NULL) && fwpy_acquire_args("acquire", args, count, names, &t) != 0)
        return NULL;
    return take(self) ? taken(self) : acquire_slow(self, &t);
}

static PyObject *mutex_enter(PyObject *o, PyObject *unused)
{
    fwpy_base *self = (fwpy_base *)o;
    static const struct fwpy_timeout forever = {.is_forever = true};

    (void)unused;
    return take(self) ? taken(self) : acquire_slow(self, &forever);
}

/* --- Release ---------------------------------------------------------------------------------- */

static PyObject *release(fwpy_base *self)
{
    fw_ipc_mutex *m = fwpy_mutex_of(self);
    int error;

    if (depth_of(self) != 0 && fw_ipc_mutex_is_held_by_me(m)) {
        set_depth(self, depth_of(self) - 1);
        return fwpy_none();
    }
    error = fw_ipc_mutex_unlock(m);
    return error == 0 ? fwpy_none() : fwpy_release_error(self, error);
}

static PyObject *mutex_release(PyObject *self, PyObject *unused)
{
    (void)unused;
    return release((fwpy_base *)self);
}

/* Leaving the block without an exception declares the data consistent. */
static PyObject *mutex_exit(PyObject *o, PyObject *const *args, Py_ssize_t count)
{
    fwpy_base *self = (fwpy_base *)o;
    fw_ipc_mutex *m = fwpy_mutex_of(self);

    if (((fw_load64_relaxed(&m->word_) & FW_IPC_DIED) != 0 || is_unrepaired(self)) &&
        depth_of(self) == 0 && (count == 0 || args[0] == Py_None) &&
        fw_ipc_mutex_is_held_by_me(m)) {
        (void)fw_ipc_mutex_consistent(m);
        declare_consistent(self);
    }
    return release(self);
}

static PyObject *mutex_consistent(PyObject *o, PyObject *unused)
{
    fwpy_base *self = (fwpy_base *)o;
    int error = fw_ipc_mutex_consistent(fwpy_mutex_of(self));

    (void)unused;
    if (error == EINVAL)
        declare_consistent(self);
    return error == 0 || error == EINVAL ? fwpy_none()
                                         : fwpy_error(self->state, error, "consistent");
}

/* --- The type --------------------------------------------------------------------------------- */

static PyObject *mutex_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *words[] = {"region", "name", "on_death", "relock", "misuse", "create", NULL};
    struct fwpy_new new = {.create = 1};

    if (!PyArg_ParseTupleAndKeywords(args, names, "|OO$OOOp:Mutex", words, &new.region, &new.name,
                                     &new.on_death, &new.relock, &new.misuse, &new.create))
        return NULL;
    if (new.on_death != NULL && PyUnicode_Check(new.on_death) &&
        PyUnicode_CompareWithASCIIString(new.on_death, "repeat") == 0)
        new.parameters[REPEATS] = 1;
    return fwpy_base_new(type, &mutex_kind, &new);
}

static PyObject *mutex_from_handle(PyObject *type, PyObject *handle)
{
    return fwpy_base_from_handle((PyTypeObject *)type, &mutex_kind, handle);
}

PyDoc_STRVAR(acquire_doc,
             "acquire($self, blocking=True, timeout=None)\n--\n\n"
             "Take the lock, waiting for it for `timeout` seconds at most (None: forever).\n\n"
             "Returns a Grant, which is equal to True; False if it timed out, or if it is not\n"
             "blocking and another thread has the lock. A wait releases the GIL, and Ctrl-C ends\n"
             "it in the main thread. `block` is another name of `blocking`.\n\n"
             "If the previous holder died, the grant says so, or what on_death says is done.\n"
             "OwnerDied: on_death is 'raise'. LockLost: the lock was given up after a death.\n"
             "Deadlock: the thread has it already (relock='error').\n"
             "CorruptRegion, NoSlot: as their descriptions say.");
PyDoc_STRVAR(release_doc, "release($self, /)\n--\n\n"
                          "Release the lock. Only the thread that holds it may: else NotHeld, or\n"
                          "what `misuse` says. After a death that was not declared consistent the\n"
                          "lock is given up: LockLost for all.");
PyDoc_STRVAR(locked_doc, "locked($self, /)\n--\n\nWhether a living thread of any process has it.");

static PyMethodDef mutex_methods[] = {
    {"acquire", (PyCFunction)(void (*)(void))mutex_acquire, METH_FASTCALL | METH_KEYWORDS,
     acquire_doc},
    {"release", mutex_release, METH_NOARGS, release_doc},
    {"__enter__", mutex_enter, METH_NOARGS, "__enter__($self, /)\n--\n\nAs acquire()."},
    {"__exit__", (PyCFunction)(void (*)(void))mutex_exit, METH_FASTCALL,
     "__exit__($self, exc_type, exc, traceback, /)\n--\n\n"
     "Declare the data consistent, unless there is an exception, and release."},
    {"locked", fwpy_mutex_locked, METH_NOARGS, locked_doc},
    {"_consistent", mutex_consistent, METH_NOARGS, NULL},
    {"_is_mine", fwpy_mutex_is_mine, METH_NOARGS, NULL},
    {"_count", fwpy_mutex_count, METH_NOARGS, NULL},
    {"_from_handle", mutex_from_handle, METH_O | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef mutex_getset[] = {
    {"state", fwpy_mutex_state, NULL,
     "'free', 'mine', 'held' (by another thread), 'dead' (the holder has died, and the next\n"
     "acquire is told) or 'lost' (LockLost for all). A snapshot, which changes nothing.",
     NULL},
    {"owner", fwpy_mutex_owner, NULL,
     "(process, thread) of the living holder, in its own pid namespace, or None.", NULL},
    {"generation", fwpy_mutex_generation, NULL,
     "The number of the acquisition: the current or the last one. It only grows.", NULL},
    {"deaths", fwpy_mutex_deaths, NULL,
     "How many deaths of holders were reported (of a named lock: to this process).", NULL},
    {"last_death", fwpy_mutex_last_death, NULL,
     "(process, thread, generation) of the last holder that died, or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(
    mutex_doc,
    "Mutex(region=None, name=None, *, on_death='report', relock='error', misuse=None, create=True)"
    "\n--\n\n"
    "Mutual exclusion between threads of any processes, which a killed holder does not lock for\n"
    "ever: the next one gets the lock at once, and is told.\n\n"
    "region    where it lies; None: the default region, which all processes of this tree share\n"
    "name      finds the mutex of that name in the region, or makes it (create); None: a new\n"
    "          anonymous one, which child processes share by inheritance\n"
    "on_death  what acquire does after a death: 'report' returns a Grant with owner_died;\n"
    "          'raise' raises OwnerDied; 'consistent' declares the data consistent, counts it in\n"
    "          deaths and warns once (OwnerDiedWarning); 'repeat' tells each holder, until one\n"
    "          declares the data consistent: the lock is never given up; a function is called\n"
    "          with the grant, the lock being held, to repair the data: if it raises, the lock\n"
    "          is given up\n"
    "relock    what acquire does if the thread has it: 'error' raises Deadlock, 'wait' waits\n"
    "          like multiprocessing.Lock, 'count' takes it once more, like an RLock\n"
    "misuse    the exception for a release by a thread that does not hold it; None: NotHeld\n\n"
    "The holder is a thread: one that ends while it holds the lock has died, although its process\n"
    "lives. After fork the child holds nothing.");

static PyType_Slot mutex_slots[] = {FWPY_BASE_SLOTS,
                                    {Py_tp_doc, (void *)mutex_doc},
                                    {Py_tp_new, mutex_new},
                                    {Py_tp_methods, mutex_methods},
                                    {Py_tp_getset, mutex_getset},
                                    {0, NULL}};

static PyType_Spec mutex_spec = {.name = "furwock._furwock.Mutex",
                                 .basicsize = sizeof(fwpy_base),
                                 .flags =
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                 .slots = mutex_slots};

int fwpy_add_mutex(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->mutex = fwpy_add_type(module, &mutex_spec, state->base);
    return state->mutex == NULL ? -1 : 0;
}
