/* SPDX-License-Identifier: MIT */
/*
 * The functions that repair what dead holders left.  Contract: repairs.h.
 *
 * They are in a list: a registration is rare, and a look-up follows a death.
 */
#include "ipc/region/repairs.h"
#include "sys/fork.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <furwock/mutex.h>

struct registration {
    struct registration *next;
    const void *lock;
    struct fw_ipc_repair_ repair;
};

static struct registration *registrations;
static fw_mutex changing = FW_MUTEX_INIT;

/* In a forked child nobody changes the list. */
static void after_fork(void)
{
    fw_mutex_init(&changing);
}

static struct registration **find(const void *lock)
{
    struct registration **at = &registrations;

    while (*at != NULL && (*at)->lock != lock)
        at = &(*at)->next;
    return at;
}

static void drop(struct registration **at)
{
    struct registration *old = *at;

    *at = old->next;
    free(old);
}

int fw_ipc_on_death_(const void *lock, int (*call)(void *, const fw_ipc_death *), void *arg)
{
    static bool is_watching;
    struct registration *made = call != NULL ? malloc(sizeof *made) : NULL;
    struct registration **at;

    if (call != NULL && made == NULL)
        return ENOMEM;
    fw_mutex_lock(&changing);
    if (!is_watching)
        fw_at_fork_(after_fork);
    is_watching = true;
    at = find(lock);
    if (*at != NULL)
        drop(at);
    if (made != NULL) {
        *made = (struct registration){registrations, lock, {call, arg}};
        registrations = made;
    }
    fw_mutex_unlock(&changing);
    return 0;
}

bool fw_ipc_repair_of_(const void *lock, struct fw_ipc_repair_ *repair)
{
    const struct registration *r;

    fw_mutex_lock(&changing);
    r = *find(lock);
    if (r != NULL)
        *repair = r->repair;
    fw_mutex_unlock(&changing);
    return r != NULL;
}

void fw_ipc_forget_repairs_(const struct fw_ipc_mapping_ *mapping)
{
    struct registration **at = &registrations;

    fw_mutex_lock(&changing);
    while (*at != NULL) {
        if ((uintptr_t)(*at)->lock - mapping->base < mapping->size)
            drop(at);
        else
            at = &(*at)->next;
    }
    fw_mutex_unlock(&changing);
}
