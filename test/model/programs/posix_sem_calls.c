/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "posix_sem_calls.h"

extern const struct posix_sem_calls CALLS;

static int trywait(struct fw_posix_sem_ *s)
{
    return fw_posix_sem_take_(s) || fw_sem_shared_take_(s) ? 0 : EAGAIN;
}

static int wait(struct fw_posix_sem_ *s, const fw_deadline *deadline)
{
    return fw_posix_sem_take_(s) ? 0 : fw_sem_shared_wait_(s, deadline);
}

static int post(struct fw_posix_sem_ *s)
{
    return fw_posix_sem_add_(s) || fw_sem_shared_post_(s) ? 0 : EOVERFLOW;
}

const struct posix_sem_calls CALLS = {trywait, wait, post};
