/* SPDX-License-Identifier: MIT */
#ifndef MODEL_KMOD_CALLS_H
#define MODEL_KMOD_CALLS_H

#include "calls.h"
#include "kmod/core.h"

/* The core of the kernel module. */
#define KMOD_CALLS(CALL, DATA)         \
    CALL(bucket_init, fwk_bucket_init) \
    CALL(wait, fwk_wait)               \
    CALL(wake, fwk_wake)               \
    CALL(requeue, fwk_requeue)         \
    CALL(unqueue, fwk_unqueue)         \
    CALL(protocol_of, fwk_protocol_of) \
    CALL(acquire, fwk_acquire)         \
    CALL(acquire_end, fwk_acquire_end) \
    CALL(release, fwk_release)         \
    CALL(sem_init, fwk_sem_init)       \
    CALL(sem_down, fwk_sem_down)       \
    CALL(sem_up, fwk_sem_up)
CALLS_OF(kmod, KMOD);

#endif
