/* SPDX-License-Identifier: MIT */
/* Time-outs, and how a method waits.  Contract: fwpy.h. */
#include <math.h>
#include <time.h>

#include "fwpy.h"

enum {
    /*
     * How long a KeyboardInterrupt may take at most: the main thread looks for signals at the end
     * of a slice.  A writer gives up its turn there, and readers come in that overlap with those
     * before: so the slices of a long wait are longer.
     */
    FIRST_SLICE_MS = 50,
    LONGEST_SLICE_MS = 400,
    SECOND_NS = 1000 * 1000 * 1000
};

/* Longer than that is forever: 30 years in seconds. */
static const double LONGEST = 1e9;

static fw_deadline after(double seconds)
{
    fw_deadline d = {{0, 0}, CLOCK_MONOTONIC};
    double whole = floor(seconds);

    clock_gettime(CLOCK_MONOTONIC, &d.at);
    d.at.tv_sec += (time_t)whole;
    d.at.tv_nsec += (long)((seconds - whole) * SECOND_NS);
    if (d.at.tv_nsec >= SECOND_NS) {
        d.at.tv_nsec -= SECOND_NS;
        d.at.tv_sec++;
    }
    return d;
}

int fwpy_timeout(PyObject *blocking, PyObject *timeout, struct fwpy_timeout *t)
{
    int may_block = blocking == NULL ? 1 : PyObject_IsTrue(blocking);
    double seconds;

    *t = (struct fwpy_timeout){.is_forever = true};
    if (may_block < 0)
        return -1;
    if (may_block && (timeout == NULL || timeout == Py_None))
        return 0;
    t->is_forever = false;
    t->is_try = true;
    if (!may_block)
        return 0;
    seconds = PyFloat_AsDouble(timeout);
    if (seconds == -1.0 && PyErr_Occurred() != NULL)
        return -1;
    if (isnan(seconds)) {
        PyErr_SetString(PyExc_ValueError, "timeout is not a number");
        return -1;
    }
    t->is_forever = seconds > LONGEST;
    t->is_try = seconds <= 0;
    if (!t->is_forever && !t->is_try)
        t->at = after(seconds);
    return 0;
}

int fwpy_acquire_args(const char *method, PyObject *const *args, Py_ssize_t count, PyObject *names,
                      struct fwpy_timeout *t)
{
    PyObject *value[2] = {NULL, NULL};
    Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);

    if (count > 2) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most 2 positional arguments (%zd given)",
                     method, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        value[i] = args[i];
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GetItem(names, i);
        int which = PyUnicode_CompareWithASCIIString(name, "timeout") == 0    ? 1
                    : PyUnicode_CompareWithASCIIString(name, "blocking") == 0 ? 0
                    : PyUnicode_CompareWithASCIIString(name, "block") == 0    ? 0
                                                                              : -1;
        if (which < 0 || value[which] != NULL) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected or repeated argument '%U'",
                         method, name);
            return -1;
        }
        value[which] = args[count + i];
    }
    return fwpy_timeout(value[0], value[1], t);
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

const fw_ipc_interrupt fwpy_until_signal = {
    {(fw_wait_kind)FW_WAIT_INTERRUPTIBLE, 0}, NULL, 0, FW_FUTEX_PRIVATE, 1};

int fwpy_wait(int (*call)(void *arg, const fw_deadline *deadline), void *arg,
              const struct fwpy_timeout *t)
{
    bool has_signals = fwpy_is_main_thread();

    for (int ms = FIRST_SLICE_MS;; ms = ms < LONGEST_SLICE_MS ? 2 * ms : ms) {
        fw_deadline slice = after(ms / 1000.0);
        bool is_last = !has_signals || (!t->is_forever && is_before(&t->at.at, &slice.at));
        const fw_deadline *deadline = !is_last ? &slice : t->is_forever ? NULL : &t->at;
        PyThreadState *thread = PyEval_SaveThread();
        int error = call(arg, deadline);

        PyEval_RestoreThread(thread);
        if (error != EINTR && (error != ETIMEDOUT || is_last))
            return error;
        if (has_signals && PyErr_CheckSignals() != 0)
            return -1;
    }
}
