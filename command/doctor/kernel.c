/* SPDX-License-Identifier: MIT */
/* What the kernel can do about futexes: src/sys/probe.h asks it. */
#include <errno.h>
#include <stdio.h>

#include <string.h>

#include <furwock/kernel.h>

#include "command/kernel/kernel.h"
#include "doctor.h"
#include "sys/probe.h"

enum doctor_state doctor_state_of(int error)
{
    if (error == ENOSYS || error == ENOENT)
        return DOCTOR_NO;
    return error == EPERM || error == EACCES ? DOCTOR_REFUSED : DOCTOR_YES;
}

static void ask_waitv(struct doctor_finding *f)
{
    f->state = doctor_state_of(fw_probe_waitv_());
}

static void ask_futex2(struct doctor_finding *f)
{
    f->state = doctor_state_of(fw_probe_futex2_());
}

static void ask_hash(struct doctor_finding *f)
{
    int buckets = fw_probe_hash_();

    f->state = buckets >= 0 ? DOCTOR_YES : DOCTOR_NO;
    if (buckets > 0)
        snprintf(f->detail, sizeof f->detail, "%d buckets", buckets);
}

static void ask_robust(struct doctor_finding *f)
{
    long offset = 0;

    f->state = doctor_state_of(fw_probe_robust_list_(&offset));
    if (f->state == DOCTOR_YES && offset != 0)
        snprintf(f->detail, sizeof f->detail, "entries lie %ld bytes from their words", -offset);
}

static void ask_robust_unlock(struct doctor_finding *f)
{
    f->state = doctor_state_of(fw_probe_robust_unlock_());
}

static void ask_inherit(struct doctor_finding *f)
{
    f->state = doctor_state_of(fw_probe_inherit_());
}

static void ask_inherit2(struct doctor_finding *f)
{
    f->state = doctor_state_of(fw_probe_inherit2_());
}

static void ask_module(struct doctor_finding *f)
{
    int error = kernel_try_device();
    bool is_refused = error == EACCES || error == EPERM;

    f->state = error == 0 ? DOCTOR_YES : is_refused ? DOCTOR_REFUSED : DOCTOR_NO;
    if (error != 0)
        snprintf(f->detail, sizeof f->detail, "%s: %s", FW_KERNEL_DEVICE, strerror(error));
}

const struct doctor_question doctor_kernel[] = {
    {"futex_waitv", ask_waitv, "fw_wait_any sleeps on all of its objects",
     "fw_wait_any looks at all objects but the first once a millisecond", DOCTOR_FASTER,
     "a kernel from Linux 5.16 on", NULL},
    {"futex2", ask_futex2, "no lock needs it", "no lock needs it", DOCTOR_EXTRA, NULL, NULL},
    {"private futex hash", ask_hash,
     "threads that sleep on private locks do not meet other processes in the kernel",
     "sleeping and waking share the kernel's table with all processes", DOCTOR_FASTER,
     "a kernel from Linux 6.17 on, with CONFIG_FUTEX_PRIVATE_HASH", NULL},
    {"robust lists", ask_robust,
     "robust mutexes and the locks of regions learn of deaths from the kernel",
     "no robust mutexes; the locks of regions learn of deaths by checking every 40 ms",
     DOCTOR_NEEDED, "a kernel with CONFIG_FUTEX, and no emulator in between", NULL},
    {"robust unlock", ask_robust_unlock, "no lock needs it yet",
     "a thread killed in the unlock of a robust POSIX mutex, as with the C library, may write to "
     "memory that was freed meanwhile; the locks of regions have no such window",
     DOCTOR_EXTRA, NULL, NULL},
    {"priority inheritance", ask_inherit, "PTHREAD_PRIO_INHERIT works",
     "mutexes with PTHREAD_PRIO_INHERIT cannot be used", DOCTOR_NEEDED,
     "a kernel with CONFIG_FUTEX_PI", NULL},
    {"module of furwock", ask_module, "the papers' kernel services can be used (furwock/kernel.h)",
     "no lock needs it", DOCTOR_EXTRA, NULL, NULL},
    {"FUTEX_LOCK_PI2", ask_inherit2,
     "pthread_mutex_clocklock on CLOCK_MONOTONIC works for PTHREAD_PRIO_INHERIT, too",
     "PTHREAD_PRIO_INHERIT takes deadlines by CLOCK_REALTIME only", DOCTOR_EXTRA, NULL, NULL},
};
const size_t doctor_kernel_count = sizeof doctor_kernel / sizeof *doctor_kernel;
