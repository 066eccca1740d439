/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSIX_SEM_CALLS_H
#define MODEL_POSIX_SEM_CALLS_H

#include <errno.h>

#include "calls.h"
#include "sem_word.h"

/* The shared semaphore of the POSIX drop-in. */
static inline int posix_sem_trywait_(struct fw_posix_sem_ *s)
{
    return fw_posix_sem_take_(s) || fw_sem_shared_take_(s) ? 0 : EAGAIN;
}

static inline int posix_sem_wait_(struct fw_posix_sem_ *s, const fw_deadline *deadline)
{
    return fw_posix_sem_take_(s) ? 0 : fw_sem_shared_wait_(s, deadline);
}

static inline int posix_sem_post_(struct fw_posix_sem_ *s)
{
    return fw_posix_sem_add_(s) || fw_sem_shared_post_(s) ? 0 : EOVERFLOW;
}

#define POSIX_SEM_CALLS(CALL, DATA)   \
    CALL(trywait, posix_sem_trywait_) \
    CALL(wait, posix_sem_wait_)       \
    CALL(post, posix_sem_post_)
CALLS_TYPE(posix_sem, POSIX_SEM_CALLS);

#define posix_sem_in_use ((const struct posix_sem_calls *)calls_in_use[FAMILY_POSIX_SEM])

#endif
