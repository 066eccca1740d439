/* SPDX-License-Identifier: MIT */
/* pthread_cancel, on its way to the C library: cancel.h. */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include "cancel.h"
#include "export.h"

uint8_t fw_posix_cancels_;

typedef int cancel_function(pthread_t);

/* The one behind ours.  Asked for each time: nobody cancels threads in a hurry. */
static cancel_function *next_cancel(void)
{
    union {
        void *address;
        cancel_function *function;
    } found = {dlsym(RTLD_NEXT, "pthread_cancel")};

    return found.function;
}

int fw_posix_cancel_(pthread_t thread)
{
    cancel_function *cancel = next_cancel();

    if (cancel == NULL)
        return ENOSYS;
    fw_store8_relaxed(&fw_posix_cancels_, 1);
    return cancel(thread);
}

FW_EXPORT(fw_posix_cancel_, pthread_cancel, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_cancel_, pthread_cancel, GLIBC_2_2_5);
