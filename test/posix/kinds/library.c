/* SPDX-License-Identifier: MIT */
#include "library.h"

#include <stdio.h>

#include "boost.h"
#include "ceiling.h"
#include "mutex.h"
#include "mutex_init.h"

const struct library ours = {"furwock",
                             fw_posix_mutex_init_,
                             fw_posix_mutex_destroy_,
                             fw_posix_mutex_lock_,
                             fw_posix_mutex_trylock_,
                             fw_posix_mutex_timedlock_,
                             fw_posix_mutex_clocklock_,
                             fw_posix_mutex_unlock_,
                             fw_posix_mutex_consistent_,
                             fw_posix_mutex_getprioceiling_,
                             fw_posix_mutex_setprioceiling_,
                             fw_posix_setschedparam_,
                             fw_posix_setschedprio_,
                             fw_posix_getschedparam_};

const struct library libcs = {"the C library",
                              pthread_mutex_init,
                              pthread_mutex_destroy,
                              pthread_mutex_lock,
                              pthread_mutex_trylock,
                              pthread_mutex_timedlock,
                              pthread_mutex_clocklock,
                              pthread_mutex_unlock,
                              pthread_mutex_consistent,
                              pthread_mutex_getprioceiling,
                              pthread_mutex_setprioceiling,
                              pthread_setschedparam,
                              pthread_setschedprio,
                              pthread_getschedparam};

const char *kind_name(const struct kind *k, char name[KIND_NAME])
{
    static const char *const types[] = {"normal", "recursive", "errorcheck", "adaptive"};
    static const char *const protocols[] = {"", " inheriting", " protecting"};

    snprintf(name, KIND_NAME, "%s%s%s%s", types[k->type], protocols[k->protocol],
             k->robust ? " robust" : "", k->shared ? " shared" : "");
    return name;
}

static bool is_wanted(const struct kind *k)
{
    bool is_plain = k->protocol == PTHREAD_PRIO_NONE && !k->robust && !k->shared;

    return !is_plain && !(k->protocol == PTHREAD_PRIO_PROTECT && k->robust);
}

bool kind_next(struct kind *k)
{
    do {
        if (++k->type <= PTHREAD_MUTEX_ADAPTIVE_NP)
            continue;
        k->type = 0;
        if (++k->protocol <= PTHREAD_PRIO_PROTECT)
            continue;
        k->protocol = 0;
        k->robust = !k->robust;
        if (k->robust)
            continue;
        k->shared = !k->shared;
        if (!k->shared)
            return false;
    } while (!is_wanted(k));
    return true;
}

void kind_attributes(const struct kind *k, pthread_mutexattr_t *a)
{
    pthread_mutexattr_init(a);
    pthread_mutexattr_settype(a, k->type);
    pthread_mutexattr_setprotocol(a, k->protocol);
    pthread_mutexattr_setrobust(a, k->robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
    pthread_mutexattr_setpshared(a, k->shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
}
