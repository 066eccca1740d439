/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSIX_SEM_CALLS_H
#define MODEL_POSIX_SEM_CALLS_H

#include "calls.h"
#include "sem_word.h"

/* The shared semaphore of the POSIX drop-in. */
struct posix_sem_calls {
    int (*trywait)(struct fw_posix_sem_ *s);
    int (*wait)(struct fw_posix_sem_ *s, const fw_deadline *deadline);
    int (*post)(struct fw_posix_sem_ *s);
};

#define posix_sem_in_use ((const struct posix_sem_calls *)calls_in_use[FAMILY_POSIX_SEM])

#endif
