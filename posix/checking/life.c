/* SPDX-License-Identifier: MIT */
/* Beginning and end of locks; and what happens to the process.  Contract: lock.h. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "export.h"
#include "lock.h"
#include "stat.h"
#include "sys/single_threaded.h"

void fw_check_reused_(const void *object, const void *site)
{
    struct fw_check_thread_ *t = fw_check_me_;
    struct fw_check_held_ *h = t != NULL && !t->is_busy ? fw_check_find_(t, object) : NULL;

    if (h == NULL)
        return;
    if (h - t->held >= t->inherited) /* a forked child may make them anew, as malloc's do */
        fw_check_report_one_(FW_CHECK_REUSED, object, site, 0, h);
    fw_check_drop_(t, h);
}

uint32_t fw_check_made_(const void *object, const void *site)
{
    fw_check_forget_(object);
    fw_check_is_found_(object);
    return fw_check_node_init_(object, site);
}

void fw_check_destroyed_(const void *object, bool was_held, const void *site)
{
    uint32_t thread = 0;
    const struct fw_check_held_ *h;

    if (was_held) {
        h = fw_check_holder_(object, &thread);
        fw_check_report_one_(FW_CHECK_DESTROYED, object, site, thread, h);
    } else {
        fw_check_forget_(object);
    }
}

/* --- The process ------------------------------------------------------------------------------ */

union next {
    void *address;
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    pid_t (*fork)(void);
};

static union next next_create, next_fork;

__attribute__((constructor)) static void find_next(void)
{
    next_create.address = dlsym(RTLD_NEXT, "pthread_create");
    next_fork.address = dlsym(RTLD_NEXT, "fork");
}

/* The orders of a process that had one thread only are not looked at; nor known to be good. */
static int fw_check_create_(pthread_t *thread, const pthread_attr_t *attr,
                            void *(*function)(void *), void *arg)
{
    if (next_create.address == NULL)
        return ENOSYS;
    if (fw_is_single_threaded_())
        fw_add32_release(&fw_check_epoch_, 1);
    return next_create.create(thread, attr, function, arg);
}
FW_EXPORT(fw_check_create_, pthread_create, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_create_, pthread_create, GLIBC_2_2_5);

/* Before the handlers of pthread_atfork, which may well take locks for the child. */
static pid_t fw_check_fork_(void)
{
    const struct fw_check_thread_ *t = fw_check_me_;

    if (next_fork.address == NULL) {
        errno = ENOSYS;
        return -1;
    }
    for (uint32_t i = 0; t != NULL && !t->is_busy && i < t->count; i++)
        if (t->held[i].object != NULL && !fw_check_node_of_(t->held[i].mark)->is_left_by_fork)
            fw_check_report_one_(FW_CHECK_FORK, t->held[i].object, FW_SITE_, 0, &t->held[i]);
    return next_fork.fork();
}
FW_EXPORT(fw_check_fork_, fork, GLIBC_2_2_5);
