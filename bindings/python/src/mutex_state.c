/* SPDX-License-Identifier: MIT */
/* furwock.Mutex: what can be seen of it. */
#include "mutex.h"

PyObject *fwpy_state_word(const fw_ipc_state *s)
{
    static const char *const words[] = {"free", "mine", "held", "dead", "lost"};

    return PyUnicode_FromString(words[s->held]);
}

PyObject *fwpy_state_owner(const fw_ipc_state *s)
{
    if (s->held != FW_IPC_HELD_BY_ME && s->held != FW_IPC_HELD)
        return fwpy_none();
    return Py_BuildValue("(ii)", (int)s->process, (int)s->thread);
}

/* 0, or -1 with an exception. */
static int look(PyObject *o, fw_ipc_state *s)
{
    fwpy_base *self = (fwpy_base *)o;
    int error = fw_ipc_mutex_state(fwpy_mutex_of(self), s);

    if (error == 0)
        return 0;
    fwpy_error(self->state, error, "Mutex");
    return -1;
}

PyObject *fwpy_mutex_locked(PyObject *self, PyObject *unused)
{
    fw_ipc_state s;

    (void)unused;
    if (look(self, &s) != 0)
        return NULL;
    return fwpy_bool(s.held == FW_IPC_HELD_BY_ME || s.held == FW_IPC_HELD);
}

PyObject *fwpy_mutex_owner(PyObject *self, void *unused)
{
    fw_ipc_state s;

    (void)unused;
    return look(self, &s) != 0 ? NULL : fwpy_state_owner(&s);
}

PyObject *fwpy_mutex_state(PyObject *self, void *unused)
{
    fw_ipc_state s;

    (void)unused;
    return look(self, &s) != 0 ? NULL : fwpy_state_word(&s);
}

PyObject *fwpy_mutex_is_mine(PyObject *self, PyObject *unused)
{
    (void)unused;
    return fwpy_bool(fw_ipc_mutex_is_held_by_me(fwpy_mutex_of((fwpy_base *)self)));
}

PyObject *fwpy_mutex_count(PyObject *o, PyObject *unused)
{
    fwpy_base *self = (fwpy_base *)o;

    (void)unused;
    if (!fw_ipc_mutex_is_held_by_me(fwpy_mutex_of(self)))
        return PyLong_FromLong(0);
    return PyLong_FromUnsignedLong(
        (unsigned long)__atomic_load_n(&self->cell->depth, __ATOMIC_RELAXED) + 1);
}

PyObject *fwpy_mutex_generation(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(fw_ipc_mutex_generation(fwpy_mutex_of((fwpy_base *)self)));
}

PyObject *fwpy_mutex_deaths(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(fwpy_deaths((fwpy_base *)self));
}

PyObject *fwpy_mutex_last_death(PyObject *self, void *unused)
{
    fw_ipc_death d;

    (void)unused;
    if (fw_ipc_mutex_death(fwpy_mutex_of((fwpy_base *)self), &d) != 0)
        return fwpy_none();
    return Py_BuildValue("(iiK)", (int)d.process, (int)d.thread, (unsigned long long)d.generation);
}
