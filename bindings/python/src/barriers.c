/* SPDX-License-Identifier: MIT */
/* The barriers that this process uses.  Contract: barrier.h. */
#include <pthread.h>
#include <stdlib.h>

#include "barrier.h"
#include "barrier_state.h"

struct entry {
    struct entry *next;
    const PyObject *object;
    struct fwpy_barrier *barrier;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

/* Without memory for an entry the process's end counts as a death: the others are told. */
void fwpy_barrier_register(PyObject *object, struct fwpy_barrier *b)
{
    struct entry *e = malloc(sizeof *e);

    if (e == NULL)
        return;
    pthread_mutex_lock(&lock);
    *e = (struct entry){entries, object, b};
    entries = e;
    pthread_mutex_unlock(&lock);
}

void fwpy_barrier_unregister(PyObject *object)
{
    struct entry *found = NULL;

    pthread_mutex_lock(&lock);
    for (struct entry **link = &entries; *link != NULL && found == NULL;) {
        if ((*link)->object == object) {
            found = *link;
            *link = found->next;
        } else {
            link = &(*link)->next;
        }
    }
    pthread_mutex_unlock(&lock);
    free(found);
}

PyObject *fwpy_process_ends(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&lock);
    for (const struct entry *e = entries; e != NULL; e = e->next)
        (void)fwpy_barrier_leave_process(e->barrier); /* one that is corrupt is left as it is */
    pthread_mutex_unlock(&lock);
    Py_END_ALLOW_THREADS
    return fwpy_none();
}
