/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SEM_CALLS_H
#define MODEL_SEM_CALLS_H

#include <stdbool.h>

#include <furwock/any.h>
#include <furwock/event.h>
#include <furwock/sem.h>

#include "calls.h"

/* The semaphore, and what stands on the same units: the event, and the wait for any. */
struct sem_calls {
    int (*trywait)(fw_sem *s);
    bool (*trywait_posix)(fw_sem *s);
    int (*wait_policy)(fw_sem *s, const fw_wait_policy *policy, const fw_deadline *deadline);
    int (*wait_posix)(fw_sem *s, const fw_deadline *deadline); /* as the POSIX drop-in has it */
    int (*post)(fw_sem *s);
    int (*post_n)(fw_sem *s, uint32_t n);
    void (*set)(fw_event *e);
    void (*reset)(fw_event *e);
    int (*pass_policy)(fw_event *e, const fw_wait_policy *policy, const fw_deadline *deadline);
    int (*wait_any)(const fw_any *objects, unsigned n, const fw_deadline *deadline,
                    unsigned *which);
};

#define sem_in_use ((const struct sem_calls *)calls_in_use[FAMILY_SEM])

#endif
