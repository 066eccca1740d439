/* SPDX-License-Identifier: MIT */
/* furwock.Mutex: what can be seen of it. */
#include "mutex.h"

#include "ipc/region/layout.h"
#include "ipc/region/member.h"

/* Whether a thread that lives holds it; its ids. */
static bool is_held(const fw_ipc_mutex *m, uint64_t *ids)
{
    uint64_t word = fw_load64_relaxed(&m->word_);
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(m);

    *ids = 0;
    if (word == 0 || word == FW_IPC_ABANDONED || mapping == NULL ||
        fw_ipc_life_(mapping, word & FW_IPC_HOLDER) != FW_IPC_ALIVE)
        return false;
    *ids = fw_ipc_ids_(mapping, word & FW_IPC_HOLDER);
    return true;
}

PyObject *fwpy_mutex_locked(PyObject *self, PyObject *unused)
{
    uint64_t ids;

    (void)unused;
    return fwpy_bool(is_held(fwpy_mutex_of((fwpy_base *)self), &ids));
}

PyObject *fwpy_mutex_owner(PyObject *self, void *unused)
{
    uint64_t ids;

    (void)unused;
    if (!is_held(fwpy_mutex_of((fwpy_base *)self), &ids))
        return fwpy_none();
    return Py_BuildValue("(ii)", (int)(ids >> 32), (int)(uint32_t)ids);
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
