/* SPDX-License-Identifier: MIT */
/* Contract: probe.h. */
#include "sys/probe.h"
#include "sys/call_waitv.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

/* Younger than many sets of kernel headers; the numbers are the same on all machines. */
enum {
    CALL_FUTEX_WAKE = 454,
    OPERATION_LOCK_PI2 = 13,
    FLAG_ROBUST_UNLOCK = 512,
    PRCTL_FUTEX_HASH = 78,
    PRCTL_FUTEX_HASH_GET_SLOTS = 2
};

static int futex(uint32_t *word, int operation, uint32_t value, void *other)
{
    return -(int)fw_system_call_(SYS_futex, (long)(intptr_t)word, operation | FUTEX_PRIVATE_FLAG,
                                 (long)value, 0, (long)(intptr_t)other, 0);
}

int fw_probe_waitv_(void)
{
    return fw_ask_waitv_();
}

int fw_probe_futex2_(void)
{
    return -(int)fw_system_call_(CALL_FUTEX_WAKE, 0, 0, 0, 0, 0, 0);
}

/* A wake of nobody, with the flag; it also stores 0 in both words. */
int fw_probe_robust_unlock_(void)
{
    uint32_t word = 1;
    void *pending = &word;
    int result = futex(&word, FUTEX_WAKE | FLAG_ROBUST_UNLOCK, 1, &pending);

    return result == 0 && word != 0 ? ENOSYS : result;
}

static int lock_inherit(int operation)
{
    uint32_t word = 0;
    int error = futex(&word, operation, 0, NULL);

    if (error == 0)
        futex(&word, FUTEX_UNLOCK_PI, 0, NULL);
    return error;
}

int fw_probe_inherit_(void)
{
    return lock_inherit(FUTEX_LOCK_PI);
}

int fw_probe_inherit2_(void)
{
    return lock_inherit(OPERATION_LOCK_PI2);
}

int fw_probe_robust_list_(long *offset)
{
    struct robust_list_head *head = NULL;
    size_t size = 0;
    int error = -(int)fw_system_call_(SYS_get_robust_list, 0, (long)(intptr_t)&head,
                                      (long)(intptr_t)&size, 0, 0, 0);

    if (error == 0 && head != NULL)
        *offset = head->futex_offset;
    return error == 0 && head == NULL ? ENOENT : error;
}

int fw_probe_hash_(void)
{
    long slots =
        fw_system_call_(SYS_prctl, PRCTL_FUTEX_HASH, PRCTL_FUTEX_HASH_GET_SLOTS, 0, 0, 0, 0);

    return slots >= 0 ? (int)slots : -1;
}
