/* SPDX-License-Identifier: MIT */
#ifndef FWPY_H
#define FWPY_H

/*
 * What the files of the extension share: the module's state, the base of every Python object that
 * stands for an object in a region, errors, and how a method waits.
 *
 * Rules for whoever adds a type
 *  - Its instances begin with fwpy_base.  tp_new parses and calls fwpy_base_new with the type's
 *    struct fwpy_kind; tp_init is the base's, and does nothing; FWPY_BASE_SLOTS come first.
 *  - No Py_RETURN_NONE, Py_RETURN_TRUE or Py_RETURN_FALSE: headers of 3.12 and later do not count
 *    references there, and the extension may run on 3.10.  fwpy_none() and fwpy_bool() count.
 *  - A method tries first, with the GIL held, and calls fwpy_wait only if it has to wait.
 *  - No Python code runs while fwpy_enter is in force.
 *  - No static PyObject, no static PyTypeObject: there may be several interpreters.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <structmember.h>

#include <furwock/ipc.h>
#include <furwock/ipc/interrupt.h>

#if PY_VERSION_HEX >= 0x030c0000
#define FWPY_SSIZET Py_T_PYSSIZET
#define FWPY_READONLY Py_READONLY
#else
#define FWPY_SSIZET T_PYSSIZET
#define FWPY_READONLY READONLY
#endif

/* --- State of the module in one interpreter --------------------------------------------------- */

typedef struct fwpy_state {
    PyTypeObject *region, *base, *mutex, *rwlock, *rwlock_side, *once;
    PyTypeObject *condition, *semaphore, *permits, *event, *barrier;
    PyObject *grant_type;     /* furwock._grant.Grant */
    PyObject *granted;        /* the Grant of an ordinary acquisition */
    PyObject *default_region; /* the Region object, once it is used */
    PyObject *error, *owner_died, *lock_lost, *corrupt_region, *no_slot, *not_held, *deadlock;
    PyObject *owner_died_warning;
} fwpy_state;

extern struct PyModuleDef fwpy_module;

static inline fwpy_state *fwpy_state_of(PyObject *module)
{
    return (fwpy_state *)PyModule_GetState(module);
}

/* The module of a type of ours or of a class that is derived from one; borrowed.  NULL: error. */
PyObject *fwpy_module_of(PyTypeObject *type);

static inline PyObject *fwpy_new_ref(PyObject *o)
{
    Py_INCREF(o);
    return o;
}

static inline PyObject *fwpy_none(void)
{
    Py_IncRef(Py_None);
    return Py_None;
}

static inline PyObject *fwpy_bool(bool value)
{
    return PyBool_FromLong(value);
}

/* --- Regions of this process ------------------------------------------------------------------ */

struct fwpy_slots; /* slots.h */

/* A region that this process has open, whatever the number of Region objects. */
struct fwpy_region {
    struct fwpy_region *next;
    fw_region *region;
    char *key;              /* "/name", an absolute path, or "memfd:DEVICE:INODE" */
    int fd;                 /* of its file; -1: not opened yet */
    uint64_t device, inode; /* of that file */
    unsigned refs;          /* Region objects, and one for the default region */
    bool is_default;
    struct fwpy_slots *slots; /* the allocator; NULL: not used yet */
    struct fwpy_cell **cells; /* a hash table of what this process has references to */
    unsigned cell_buckets;
    unsigned dropped; /* cells without references that are to be freed */
};

/*
 * One object in a region, for all Python objects of this process that stand for it.  `depth` and
 * `owner_exit` are written by the thread that holds the lock only.
 */
struct fwpy_cell {
    struct fwpy_cell *next;
    uint64_t at;     /* offset in the region */
    uint32_t slots;  /* how many slots of the allocator; 0: it lies in the directory */
    uint32_t tag;    /* of its first slot (slots.h) */
    uint32_t refs;   /* Python objects; 0: to be freed */
    uint32_t depth;  /* how often the holder has it beside the first time (relock="count") */
    uint64_t deaths; /* that this process has been told of; atomic */
};

typedef struct fwpy_region_object {
    PyObject_HEAD fwpy_state *state;
    PyObject *module;
    struct fwpy_region *r; /* NULL: closed */
    PyObject *weak;
} fwpy_region_object;

/* A new reference: the default region for None, which is made if there is none; or a Region. */
PyObject *fwpy_region_arg(PyObject *module, PyObject *region);

/* A new reference to a Region of that key, which this process has open; NULL: an exception. */
PyObject *fwpy_region_of_key(PyObject *module, const char *key);

/* --- The base of all objects ------------------------------------------------------------------ */

enum fwpy_policy {
    FWPY_REPORT,     /* acquire returns a Grant that says so */
    FWPY_RAISE,      /* acquire raises OwnerDied */
    FWPY_CONSISTENT, /* the data are declared consistent; `deaths` counts it */
    FWPY_REPEAT,     /* it is reported to each holder, until one declares the data consistent */
    FWPY_CALL        /* the function on_death repairs */
};

enum fwpy_relock {
    FWPY_RELOCK_ERROR, /* Deadlock */
    FWPY_RELOCK_WAIT,  /* waits, as multiprocessing.Lock does: until the time-out, or forever */
    FWPY_RELOCK_COUNT  /* held once more, as an RLock */
};

enum { FWPY_PARAMETERS = 4 };

/* What the base has to know of a kind of object. */
struct fwpy_kind {
    const char *name; /* of the class, as "Mutex" */
    fw_region_kind kind;
    /* The bytes that it takes with these parameters. */
    size_t (*size)(const uint32_t *parameters);
    /* Makes an object of zeroed memory.  0 or errno.  NULL: zeroes are one. */
    int (*init)(void *object, const uint32_t *parameters);
    /* Where an anonymous one has its count of deaths, 64 bits; 0: each process counts its own. */
    size_t deaths_at;
    /* Finds or makes the object of that name, as fw_region_object. */
    int (*named)(fw_region *region, const char *name, const uint32_t *parameters, unsigned flags,
                 void **object);
};

typedef struct fwpy_base {
    PyObject_HEAD fwpy_state *state;
    PyObject *module; /* keeps the state */
    PyObject *region; /* a Region */
    struct fwpy_cell *cell;
    void *object; /* the address in this process */
    const struct fwpy_kind *kind;
    PyObject *name;     /* str, or NULL: anonymous */
    PyObject *on_death; /* the function, or NULL */
    PyObject *misuse;   /* the exception for a release by others than the holder; NULL: NotHeld */
    PyObject *weak;
    uint8_t policy, relock;
    uint8_t was_warned; /* OwnerDiedWarning is given once */
    uint32_t parameters[FWPY_PARAMETERS];
} fwpy_base;

/* What the constructor of a class has parsed. */
struct fwpy_new {
    PyObject *region;   /* None or NULL: the default region */
    PyObject *name;     /* None or NULL: anonymous */
    PyObject *on_death; /* NULL: "report" */
    PyObject *relock;   /* NULL: "error" */
    PyObject *misuse;   /* NULL or None: NotHeld */
    int create;         /* with a name: make it if there is none */
    uint32_t parameters[FWPY_PARAMETERS];
};

/* Makes an instance of `type`, of which `kind` is the kind.  NULL: an exception is set. */
PyObject *fwpy_base_new(PyTypeObject *type, const struct fwpy_kind *kind,
                        const struct fwpy_new *args);
void fwpy_base_dealloc(PyObject *self);
int fwpy_base_traverse(PyObject *self, visitproc visit, void *arg);
int fwpy_base_clear(PyObject *self);

/* The first slots of every type's table; its flags have Py_TPFLAGS_HAVE_GC. */
#define FWPY_BASE_SLOTS                                                       \
    {Py_tp_dealloc, fwpy_base_dealloc}, {Py_tp_traverse, fwpy_base_traverse}, \
    {                                                                         \
        Py_tp_clear, fwpy_base_clear                                          \
    }

/*
 * The class method _from_handle of a kind: METH_O | METH_CLASS in its table of methods,
 * `return fwpy_base_from_handle((PyTypeObject *)cls, &kind, handle);`.
 */
PyObject *fwpy_base_from_handle(PyTypeObject *type, const struct fwpy_kind *kind, PyObject *handle);

extern PyMemberDef fwpy_base_members[]; /* __weaklistoffset__ */

/*
 * Creates a class whose base is furwock._furwock._Object (which has region, name, handle,
 * __reduce__, __repr__), and adds it to the module under the last part of its name.
 */
PyTypeObject *fwpy_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base);

/* --- Errors ----------------------------------------------------------------------------------- */

/*
 * Sets the exception for an errno value of the library, and returns NULL: EOWNERDEAD OwnerDied,
 * ENOTRECOVERABLE LockLost, EUCLEAN CorruptRegion, EAGAIN and ENOSPC NoSlot, EPERM NotHeld,
 * EDEADLK Deadlock, ENOMEM MemoryError; else Error; -1 (of fwpy_wait): it is set already.  `what`
 * says what failed ("acquire").
 */
PyObject *fwpy_error(fwpy_state *state, int error, const char *what);

/* What `what` returns that acquires: a Grant; False, if it was not to be had in time; else NULL. */
PyObject *fwpy_granted(fwpy_state *state, int error, const char *what);

/* The same for a release by a thread that does not hold the lock (EPERM): the object's `misuse`. */
PyObject *fwpy_release_error(fwpy_base *self, int error);

/* --- Waiting ---------------------------------------------------------------------------------- */

/* Forever; until `at`; or not at all. */
struct fwpy_timeout {
    bool is_forever;
    bool is_try;
    fw_deadline at;
};

/*
 * From Python's arguments: `blocking` (NULL: true) and `timeout` in seconds (NULL or None:
 * forever; negative: as zero).  -1: an exception is set.
 */
int fwpy_timeout(PyObject *blocking, PyObject *timeout, struct fwpy_timeout *t);

/*
 * Parses acquire's arguments (blocking=True, timeout=None; `block` is another name of the first)
 * as a METH_FASTCALL | METH_KEYWORDS method has them.  -1: an exception is set.
 */
int fwpy_acquire_args(const char *method, PyObject *const *args, Py_ssize_t count, PyObject *names,
                      struct fwpy_timeout *t);

/*
 * Calls `call(arg, deadline)`, which waits in the library and returns 0 or an errno value, with the
 * GIL released.  In the main thread it waits in slices, between which signal handlers run: so a
 * call that returns ETIMEDOUT must be one that can be made again.  So must one that returns EINTR,
 * as calls do that take the policy fwpy_until_signal: handlers then run at once.
 *   0 or errno    what the call returned last (ETIMEDOUT: the call timed out)
 *   -1            a signal handler has raised an exception, which is set
 */
int fwpy_wait(int (*call)(void *arg, const fw_deadline *deadline), void *arg,
              const struct fwpy_timeout *t);

/* The default policy, with EINTR once a signal handler has run in the thread. */
extern const fw_ipc_interrupt fwpy_until_signal;

/* --- Grants and deaths ------------------------------------------------------------------------ */

/* How the lock of an object is declared consistent and released. */
struct fwpy_lock_calls {
    int (*consistent)(void *object);
    int (*unlock)(void *object);
    int (*death)(const void *object, fw_ipc_death *death);
};

/*
 * The caller has acquired the lock with EOWNERDEAD: does what the object's policy says.  Returns a
 * Grant, or NULL with an exception (and then the lock is not held, except by the grant of an
 * OwnerDied).
 */
PyObject *fwpy_owner_died(fwpy_base *self, const struct fwpy_lock_calls *calls);

/* The same for a death that was reported before, and not repaired: a Grant that says so. */
PyObject *fwpy_died_before(fwpy_base *self, const struct fwpy_lock_calls *calls);

/* How many deaths of holders were reported: to all processes; of a named object: to this one. */
uint64_t fwpy_deaths(fwpy_base *self);

/* --- Forks ------------------------------------------------------------------------------------ */

/* Changes with every fork(3), by whoever calls it: a child compares what it remembers. */
extern uint64_t fwpy_fork_generation;

/* Is this the process's first thread, in which signal handlers of Python run? */
bool fwpy_is_main_thread(void);

/* --- What the files add ----------------------------------------------------------------------- */

int fwpy_add_region(PyObject *module);
int fwpy_add_base(PyObject *module);
int fwpy_add_mutex(PyObject *module);
int fwpy_add_rwlock(PyObject *module);
int fwpy_add_once(PyObject *module);
int fwpy_add_condition(PyObject *module);
int fwpy_add_semaphore(PyObject *module);
int fwpy_add_permits(PyObject *module);
int fwpy_add_event(PyObject *module);
int fwpy_add_barrier(PyObject *module);

/* Methods of the module. */
PyObject *fwpy_default_region(PyObject *module, PyObject *args);

/* From mutex.c, for the condition variable: calls of the mutex, and the object's C mutex. */
extern const struct fwpy_lock_calls fwpy_mutex_calls;
/*
 * What acquire returns when the library has returned `error` (0, EOWNERDEAD, EBUSY, ETIMEDOUT, -1
 * with an exception set ...).  The count of a lock that is taken is 0.
 */
PyObject *fwpy_mutex_acquired(fwpy_base *self, int error);

static inline fw_ipc_mutex *fwpy_mutex_of(fwpy_base *self)
{
    return (fw_ipc_mutex *)self->object;
}

#endif
