/* SPDX-License-Identifier: MIT */
/* Contract: service_thread.h. */
#include "sys/service_thread.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "sys/panic.h"

/* Enough for a vector of 128 words, and for sanitizers' frames; what is not used is not there. */
#define STACK_BYTES ((size_t)256 * 1024)

static int start(pthread_t *thread, size_t stack, void *(*run)(void *), void *arg)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);

    if (error != 0)
        return error;
    error = stack != 0 ? pthread_attr_setstacksize(&attributes, stack) : 0;
    if (error == 0)
        error = pthread_create(thread, &attributes, run, arg);
    pthread_attr_destroy(&attributes);
    return error;
}

int fw_service_thread_start_(pthread_t *thread, const char *name, void *(*run)(void *), void *arg)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    error = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error != 0)
        return error;
    error = start(thread, STACK_BYTES, run, arg);
    if (error == EINVAL) /* the program's thread-local storage does not fit beside it */
        error = start(thread, 0, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        pthread_setname_np(*thread, name);
    return error;
}

void fw_service_thread_join_(pthread_t thread)
{
    int error = pthread_join(thread, NULL);

    if (error != 0)
        fw_panic_errno_("joining a thread of the library", error);
}
