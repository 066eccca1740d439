/* SPDX-License-Identifier: MIT */
/* furwock._furwock._Watcher: what an event loop waits by for its tasks (aio.py, words.h). */
#include <stdlib.h>
#include <string.h>

#include "words.h"

/* One task that waits. */
struct entry {
    uint64_t key;     /* serial number << INDEX_BITS | index; 0: free */
    PyObject *target; /* keeps the object */
    struct fwpy_watched what;
    struct fwpy_watches watches;
    uint32_t next_free; /* index + 1 */
};

enum { INDEX_BITS = 24, ENTRIES_MAX = (1 << INDEX_BITS) - 1 };

struct watcher {
    PyObject_HEAD struct fwpy_words words;
    uint64_t fork_generation;
    struct entry *entries;
    uint32_t size, used, first_free; /* first_free: index + 1 */
    uint64_t serial;
    bool rechecks, has_news;
};

static bool is_of_parent(const struct watcher *self)
{
    return self->fork_generation != fwpy_fork_generation;
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *keywords[] = {NULL};
    PyObject *module = fwpy_module_of(type);
    struct watcher *self;
    int error;

    if (module == NULL || !PyArg_ParseTupleAndKeywords(args, names, ":_Watcher", keywords))
        return NULL;
    self = (struct watcher *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self == NULL)
        return NULL;
    self->fork_generation = fwpy_fork_generation;
    error = fwpy_words_open(&self->words);
    if (error == 0)
        return (PyObject *)self;
    Py_DECREF(self);
    return error == ENOMEM ? PyErr_NoMemory() : (errno = error, PyErr_SetFromErrno(PyExc_OSError));
}

/* --- Entries ---------------------------------------------------------------------------------- */

static void forget(struct watcher *self, struct entry *e)
{
    PyObject *target = e->target;

    fwpy_words_leave(&self->words, &e->watches);
    e->key = 0;
    e->target = NULL;
    e->next_free = self->first_free;
    self->first_free = (uint32_t)(e - self->entries) + 1;
    self->used--;
    Py_DECREF(target);
}

/* NULL: an exception is set. */
static struct entry *new_entry(struct watcher *self)
{
    struct entry *entries, *e;
    uint32_t size;

    if (self->first_free == 0) {
        size = self->size == 0 ? 16 : 2 * self->size;
        entries = size <= ENTRIES_MAX ? realloc(self->entries, size * sizeof *entries) : NULL;
        if (entries == NULL) {
            (void)PyErr_NoMemory();
            return NULL;
        }
        memset(entries + self->size, 0, (size - self->size) * sizeof *entries);
        for (uint32_t i = size; i-- > self->size;) {
            entries[i].next_free = self->first_free;
            self->first_free = i + 1;
        }
        self->entries = entries;
        self->size = size;
    }
    e = &self->entries[self->first_free - 1];
    self->first_free = e->next_free;
    e->key = ++self->serial << INDEX_BITS | (uint64_t)(e - self->entries);
    self->used++;
    return e;
}

/*
 * Somebody has released it, though others may have it by now: the task is to see that it comes too
 * late, and to do something about it if that happens often.
 */
static bool was_released(const struct entry *e)
{
    bool is_lock = e->what.kind != FWPY_WATCH_EVENT && e->what.kind != FWPY_WATCH_CONDITION;

    return is_lock && fwpy_words_is_told(&e->watches);
}

/* 0: it is watched; EBUSY: it can be tried; ENOMEM. */
static int look(struct watcher *self, struct entry *e)
{
    struct fwpy_look look;
    int error;

    do {
        if (fwpy_watch_is_ready(&e->what, &look))
            return EBUSY;
        error = fwpy_words_watch(&self->words, &e->watches, &look);
    } while (error == EAGAIN);
    self->rechecks |= look.rechecks;
    return error;
}

/* What had changed before it was armed comes back at once, without the descriptor. */
static void flush(struct watcher *self)
{
    if (!fwpy_words_flush(&self->words))
        self->rechecks = true;
    self->has_news |= fwpy_words_reap(&self->words);
}

/* False: an exception is set. */
static bool kind_of(PyObject *o, PyObject *module, struct fwpy_watched *w)
{
    static const char *const names[] = {"Mutex", "Semaphore", "Permits",
                                        "Event", "Condition", "RWLock"};

    if (!PyObject_TypeCheck(o, fwpy_state_of(module)->base)) {
        PyErr_Format(PyExc_TypeError, "not an object of a region: %R", o);
        return false;
    }
    w->object = ((fwpy_base *)o)->object;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(((fwpy_base *)o)->kind->name, names[i]) == 0) {
            w->kind = (enum fwpy_watched_kind)i;
            return true;
        }
    PyErr_Format(PyExc_TypeError, "cannot be watched: %R", o);
    return false;
}

PyDoc_STRVAR(add_doc, "add($self, object, token, /)\n--\n\n"
                      "Watches the object for one task, until it can be tried: the key, by which\n"
                      "run() says so. None: it can be tried now. Nothing is taken.");
static PyObject *add(PyObject *o, PyObject *args)
{
    struct watcher *self = (struct watcher *)o;
    PyObject *module = fwpy_module_of(Py_TYPE(o)), *target;
    struct fwpy_watched what;
    unsigned long long token;
    struct entry *e;
    int error;

    if (module == NULL || !PyArg_ParseTuple(args, "OK:add", &target, &token) ||
        !kind_of(target, module, &what))
        return NULL;
    if (is_of_parent(self)) {
        PyErr_SetString(PyExc_RuntimeError, "this loop is the parent's: make another one");
        return NULL;
    }
    e = new_entry(self);
    if (e == NULL)
        return NULL;
    e->target = fwpy_new_ref(target);
    e->what = what;
    e->what.token = token;
    error = look(self, e);
    flush(self);
    if (error == 0)
        return PyLong_FromUnsignedLongLong(e->key);
    forget(self, e);
    return error == EBUSY ? fwpy_none() : PyErr_NoMemory();
}

static PyObject *discard(PyObject *o, PyObject *number)
{
    struct watcher *self = (struct watcher *)o;
    unsigned long long key = PyLong_AsUnsignedLongLong(number);
    uint32_t index = (uint32_t)(key & ENTRIES_MAX);

    if (key == (unsigned long long)-1 && PyErr_Occurred() != NULL)
        return NULL;
    if (!is_of_parent(self) && index < self->size && self->entries[index].key == key) {
        forget(self, &self->entries[index]);
        flush(self);
    }
    return fwpy_none();
}

/* --- What can be tried ------------------------------------------------------------------------ */

/* 0, or -1 with an exception. */
static int report(struct watcher *self, struct entry *e, PyObject *list)
{
    PyObject *key = PyLong_FromUnsignedLongLong(e->key);
    int error = key == NULL ? -1 : PyList_Append(list, key);

    Py_XDECREF(key);
    if (error == 0)
        forget(self, e);
    return error;
}

PyDoc_STRVAR(run_doc, "run($self, all, /)\n--\n\n"
                      "The keys of the objects that can be tried, which are watched no longer.\n\n"
                      "Looks if the descriptor is readable, or in any case (all). Does not wait.");
static PyObject *run(PyObject *o, PyObject *all)
{
    struct watcher *self = (struct watcher *)o;
    int must_look = PyObject_IsTrue(all), error = 0;
    PyObject *list = PyList_New(0);

    if (list == NULL || must_look < 0 || is_of_parent(self))
        return list;
    if (!fwpy_words_reap(&self->words) && !must_look && !self->has_news) {
        flush(self);
        return list;
    }
    self->rechecks = self->has_news = false;
    for (uint32_t i = 0; i < self->size && error == 0; i++) {
        struct entry *e = &self->entries[i];
        if (e->key != 0 && (was_released(e) || look(self, e) != 0)) /* no memory: it finds out */
            error = report(self, e, list);
    }
    flush(self);
    if (error == 0)
        return list;
    Py_DECREF(list);
    return NULL;
}

static PyObject *get_fileno(PyObject *o, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLong(fw_engine_fd_(((struct watcher *)o)->words.engine));
}

static PyObject *has_news(PyObject *o, PyObject *unused)
{
    (void)unused;
    return fwpy_bool(((struct watcher *)o)->has_news);
}

static PyObject *needs_rechecks(PyObject *o, PyObject *unused)
{
    (void)unused;
    return fwpy_bool(((struct watcher *)o)->rechecks);
}

PyDoc_STRVAR(token_doc, "token($self, object, /)\n--\n\n"
                        "What a wait that begins now is recognised by.  Of a condition: with its\n"
                        "lock held.");
static PyObject *token(PyObject *self, PyObject *object)
{
    PyObject *module = fwpy_module_of(Py_TYPE(self));
    struct fwpy_watched w = {.object = NULL};

    if (module == NULL || !kind_of(object, module, &w))
        return NULL;
    return PyLong_FromUnsignedLongLong(fwpy_watch_token(&w));
}

static void dealloc(PyObject *o)
{
    struct watcher *self = (struct watcher *)o;
    PyTypeObject *type = Py_TYPE(o);
    bool is_child = is_of_parent(self);

    for (uint32_t i = 0; i < self->size; i++)
        if (self->entries[i].key != 0) {
            if (!is_child)
                fwpy_words_leave(&self->words, &self->entries[i].watches);
            Py_DECREF(self->entries[i].target);
        }
    fwpy_words_close(&self->words, is_child);
    free(self->entries);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"add", add, METH_VARARGS, add_doc},
    {"discard", discard, METH_O,
     "discard($self, key, /)\n--\n\nStops to watch for that task, if it is watched for still."},
    {"run", run, METH_O, run_doc},
    {"fileno", get_fileno, METH_NOARGS,
     "fileno($self, /)\n--\n\nThe descriptor: readable when run() has something."},
    {"has_news", has_news, METH_NOARGS,
     "has_news($self, /)\n--\n\nIs run() to be called, whatever the descriptor says?"},
    {"needs_rechecks", needs_rechecks, METH_NOARGS,
     "needs_rechecks($self, /)\n--\n\nCan some objects come to be had without word of it?"},
    {"token", token, METH_O, token_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)"_Watcher()\n--\n\nWatches objects for the tasks of one event loop."},
    {Py_tp_new, new},
    {Py_tp_methods, methods},
    {Py_tp_dealloc, dealloc},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "furwock._furwock._Watcher",
    .basicsize = sizeof(struct watcher),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int fwpy_add_watcher(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);

    if (type == NULL)
        return -1;
    if (PyModule_AddObject(module, "_Watcher", type) == 0)
        return 0;
    Py_DECREF(type);
    return -1;
}
